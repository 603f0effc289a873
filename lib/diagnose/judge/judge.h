/* SPDX-License-Identifier: MIT */
/* judge.h -- whether an uncertainty of the values excuses codes that differ
 *
 *     uncertain.c  a stated uncertainty as an interval for each value
 *     element.c    whether a number of the interval gives a code, and how far away it is
 *     sides.c      whether the flips of codes are one-sided
 *     cast.c       the codes of casts
 *     blocks.h     scales and codes of blocks, in files of their own
 *     explain.c    what explains the codes that nothing excuses
 *     message.c    the result in words
 *     check.c      checks for tests
 *
 * Rounding is monotone: of two values the larger one has no smaller code. So the values that give a
 * code are an interval, and its end that is nearer to the exact value is found by bisection. A code
 * is excused if that end lies within the uncertainty. This holds for each rule by which numbers are
 * rounded here, since each of its steps is monotone: rounding by any mode, saturation, the flushing
 * of subnormals, a product or a quotient with a positive scale, a minimum or maximum. The fields of
 * policies for which it does not hold are refused, in cast.c. NaN has no place in this order; it
 * lies beyond infinity on either side where an overflow becomes NaN.
 */
#ifndef SOFTFP8_DIAGNOSE_JUDGE_H
#define SOFTFP8_DIAGNOSE_JUDGE_H

#include "diagnose/diagnosis.h"
#include "softfp8_judge.h"

/* ---- intervals ------------------------------------------------------------------------------- */

/* The least and the greatest value; NaN if the exact value is, or a computation is. */
typedef struct judge_interval {
    double low, high;
} judge_interval;

enum { JUDGE_TERMS = 16 };

typedef struct judge_term {
    int kind;      /* as in uncertain.c */
    sf8_format of; /* whose unit in the last place is meant */
    double number; /* of units; or the relative or the absolute error */
} judge_term;

typedef struct judge_uncertain {
    const sf8_uncertainty *given;
    sf8_format codes; /* between may be codes of this format */
    judge_term term[JUDGE_TERMS];
    size_t count;
} judge_uncertain;

/* Reads an uncertainty; SF8_BAD_TEXT, SF8_BAD_FORMAT or SF8_BAD_CALL. */
sf8_status judge_uncertain_read(const sf8_uncertainty *given, judge_uncertain *u);
/* That of the i-th value, which is x. */
judge_interval judge_interval_of(const judge_uncertain *u, double x, size_t i);
/* A code as a number, NaN too. */
double judge_value(sf8_format f, uint64_t code);
/* The i-th code of an array, in the fewest bytes that hold one. */
uint64_t judge_load(const void *array, size_t i, sf8_format f);

/* ---- one rounding ---------------------------------------------------------------------------- */

/* Numbers of f32 or f64 as integers with the same order; -0 is just below +0. Codes are ordered by
 * the same keys, those of their values in f64. */
typedef int64_t judge_key;
#define JUDGE_BEYOND INT64_MAX /* NaN that an overflow gives */

/* Between two keys, whose difference may not fit. */
static inline judge_key judge_middle(judge_key a, judge_key b)
{
    return (a >> 1) + (b >> 1) + (a & b & 1);
}

typedef struct judge_rounding judge_rounding;
struct judge_rounding {
    sf8_format reach; /* in which values reach the rounding: SF8_F32 or SF8_F64 */
    /* The code that a number becomes: the least or the greatest one (`end` 0 or 1), where more than
     * the number decides. */
    uint64_t (*code_of)(const judge_rounding *r, uint64_t bits, int end);
    sf8_format to;     /* of the codes, where they are no integers */
    int bits;          /* of a code */
    int is_integer;    /* 1: unsigned, 2: in two's complement */
    judge_key *narrow; /* the keys of all codes of up to 8 bits; NaN has JUDGE_BEYOND */
    /* for casts */
    sf8_policy policy[2];
    /* for blocks */
    const sf8_recipe *recipe;
    sf8_block block[2];
    int has_two; /* block[1] may have been used as well */
};

/* Fills in narrow[256]. */
void judge_keys_of_codes(judge_rounding *r, judge_key narrow[256]);
/* The key of a value that is rounded to the format in which it reaches the rounding; its value. */
judge_key judge_reach(const judge_rounding *r, double x);
double judge_reached(const judge_rounding *r, judge_key k);
/* The key of the code that a number becomes. */
judge_key judge_rank(const judge_rounding *r, judge_key k, int end);
/* The key of a code; NaN has JUDGE_BEYOND. */
judge_key judge_code_key(const judge_rounding *r, uint64_t code);

/* Judges a code: fills in all of *one but `index`. 1 if it is excused. */
int judge_element(const judge_rounding *r, double x, judge_interval allowed, uint64_t got,
                  uint64_t right, sf8_judged_one *one);
/* Adds it to its part. */
void judge_count(sf8_judged_part *part, const sf8_judged_one *one, int excused);
/* By what factors all values may be multiplied so that a number of the interval gives the code: the
 * interval is made narrower. 0 if none is left, or no factor would do. */
int judge_narrow_factors(const judge_rounding *r, judge_interval allowed, uint64_t got,
                         double factors[2]);
/* 1 if a code is of a larger magnitude than that of x, -1 if it is of a smaller one, else 0. */
int judge_leans(const judge_rounding *r, double x, uint64_t got);

/* ---- one-sided flips ------------------------------------------------------------------------- */

typedef struct judge_sides judge_sides;

judge_sides *judge_sides_begin(diagnosis_run *run);
/* A code of an element, whether it differs or not. */
void judge_sides_see(judge_sides *s, const judge_rounding *r, double x, judge_interval allowed,
                     uint64_t got);
void judge_sides_end(const judge_sides *s, sf8_judged_sides *sides);

/* ---- an explanation -------------------------------------------------------------------------- */

/* Other values than the exact ones: times a factor, or rounded to a format; and how much of the
 * uncertainty is left. */
typedef struct judge_change {
    double factor, left;
    int is_rounded;
    sf8_format by;
    unsigned round;
    int before; /* truncated before a scale that is not known: an error is less than a unit */
} judge_change;

void judge_changed(const judge_change *change, double *x, judge_interval *allowed);
/* The i-th format to which values may be rounded first, and how: in words; NULL behind the last. */
const char *judge_values_at(size_t i, judge_change *change);
/* "the values are rounded to bf16 first" */
const char *judge_values_say(diagnosis_run *run, const char *words, const judge_change *change);

/* An element of a sample, for other values than the exact ones; 0 ends the visit. */
typedef int (*judge_visit)(const judge_rounding *r, double x, judge_interval allowed, uint64_t got,
                           void *user);

/* A sample of what came, the codes outside among it. */
typedef struct judge_trial {
    sf8_policy policy; /* of the cast, or of the elements */
    sf8_format to;
    /* Visits the sample, with another policy and for other values. 0 if a visit ended it. */
    int (*each)(struct judge_trial *t, sf8_policy policy, const judge_change *change,
                judge_visit visit, void *user);
    void *user;
} judge_trial;

/* By what all values are multiplied if every code of the sample is to be excused, from ends[0] to
 * ends[1]. 0 if no factor would do. */
int judge_factors(judge_trial *t, const judge_change *change, double ends[2]);
/* Whether every code of the sample is excused, with another policy and for other values. */
int judge_holds(judge_trial *t, sf8_policy policy, const judge_change *change);
/* A difference that is farther away is no uncertainty that was stated a little too small. */
#define JUDGE_FAR 2.5
/* What explains it, in words; or "". */
const char *judge_explain(diagnosis_run *run, judge_trial *t, const sf8_judgement *j);
/* The policies of judge_rounding for a policy: that of the least and that of the greatest code. 0
 * if codes do not grow with the value. */
int judge_policies(sf8_policy policy, sf8_format to, sf8_policy ends[2]);

/* ---- the result ------------------------------------------------------------------------------ */

enum { JUDGE_TEXT = 1024 };

/* Sets the verdict. */
void judge_decide(sf8_judgement *j);

/* The name of a format. */
const char *judge_format_name(sf8_format f);

/* What the messages name. */
typedef struct judge_said {
    const judge_rounding *rounding; /* its integers */
    const char *expected;           /* "f32 to e4m3, policy ocp" */
    sf8_format scale;
    const sf8_uncertainty *uncertainty;
    const size_t *shape; /* rows and columns of a matrix; or NULL */
    size_t scale_columns;
} judge_said;

void judge_say(diagnosis_run *run, const judge_said *said, sf8_judgement *j);

#endif

/* SPDX-License-Identifier: MIT */
/* output.h -- an output that is judged: its values, and how far a row is from a true one */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_OUTPUT_H
#define SOFTFP8_DIAGNOSE_ATTEND_OUTPUT_H

#include "diagnose/attend/attend.h"

/* ---- a true row ------------------------------------------------------------------------------
 *
 * In doubles, from what is read back of the cache: the errors of that are far below those of f32.
 */

/* How far the scores of a kernel are from the true ones: the standard deviation, over the score or
 * the largest of its terms; and that of each weight besides. */
typedef struct attend_noise {
    double score, weight;
} attend_noise;

/* Products of queries and keys of single rows, as a way to read has it: of rows of the same place,
 * the two that were used last. */
typedef struct attend_row_dots {
    attend_reads reads;
    size_t row; /* one more than it; 0: none */
    double *dot;
    float *size; /* the sums of the magnitudes of their terms */
} attend_row_dots;

typedef struct attend_kept_dots {
    size_t places;
    attend_row_dots *of; /* [places][2], the newer one first */
    double *dot;
    float *size;
} attend_kept_dots;

typedef struct attend_row {
    double *out;    /* [dim of v] */
    double lse;     /* base e; -infinity if no key takes part */
    double *weight; /* [keys], of the key; their sum and that of the sink is 1 */
    double largest; /* of these and that of the sink */
    double factor;  /* the magnitude of what a change multiplies their sum of values by */
    size_t taking;  /* keys */
    /* Only if `measures`: the largest sum of the magnitudes of a score's terms; of each channel the
     * sum of weight times |value|, and of |value| times the largest weight, that of the sink among
     * them; of all channels the sum of the squares of weight times value. */
    int measures;
    double most, *spread, *lost, power;
    /* Only with `noise`: the standard deviation of a weight as it is rounded, and what it is off if
     * it is rounded to the other side of where it lies near; that of their sum over the sum */
    const attend_noise *noise;
    double *slack, *flip, sum_slack;
    double *claim;         /* [4][dim of v] */
    double *room;          /* [keys] */
    double *own_q, *own_k; /* [dim of k] */
    double *own_v;         /* [dim of v] */
    double *sums;          /* [16] */
    attend_kept_dots kept;
    search_context *context;
} attend_row;

/* ---- an output ------------------------------------------------------------------------------- */

/* The products of all rows, as `reads` has it, that were computed for some. */
typedef struct attend_dots {
    attend_reads reads;
    double *dot; /* [rows][keys]; NULL: they are not kept */
    float *size;
    unsigned char *has;
} attend_dots;

typedef struct attend_judged_output {
    const attend_problem *r;
    const attend_output *out;
    size_t rows, columns;
    attend_dots right;
} attend_judged_output;

static inline uint32_t attend_word(const attend_output *o, size_t i)
{
    return sf8_format_bits(o->format) == 32 ? ((const uint32_t *)o->words)[i]
                                            : ((const uint16_t *)o->words)[i];
}

/* Whether the i-th is that word of f32, rounded; NaN is NaN. */
static inline int attend_same_word(const attend_output *o, size_t i, uint32_t word)
{
    uint64_t want = sf8_convert(o->format, SF8_F32, word, SF8_OCP_NOSAT);
    uint32_t got = attend_word(o, i);
    return want == got || (sf8_is_nan(o->format, want) && sf8_is_nan(o->format, got));
}

/* The value of a channel. */
static inline double attend_got(const attend_judged_output *j, size_t row, size_t c)
{
    uint32_t word = attend_word(j->out, row * j->columns + c);
    if (sf8_format_bits(j->out->format) != 32)
        word = (uint32_t)sf8_convert(SF8_F32, j->out->format, word, SF8_OCP_NOSAT);
    return (double)sf8_f32_from_bits(word);
}

/* Memory for products, if there are not too many. */
void attend_keep_dots(attend_judged_output *j);
void attend_free_dots(attend_judged_output *j);

attend_row attend_row_new(const attend_problem *r);
void attend_row_free(attend_row *row);
/* A row as it should be, or with a change. */
void attend_true_row(attend_judged_output *j, const attend_change *change, size_t row,
                     attend_row *t);
/* The same of some channels. */
typedef struct attend_channels {
    size_t first, count;
} attend_channels;
void attend_true_channels(attend_judged_output *j, const attend_change *change, size_t row,
                          attend_channels of, attend_row *t);
/* The format's numbers: bits of significand, the least exponent, the largest number. */
typedef struct attend_numbers {
    int bits, least;
    double most;
} attend_numbers;
attend_numbers attend_numbers_of(int format);
/* Whose values a row has with a change: those of a side, from this key/value head. */
const attend_kept *attend_values_of(const attend_judged_output *j, const attend_change *change,
                                    size_t row, size_t *kv);
/* Whether the output has numbers of that format only, and more than chance would give. */
int attend_is_all(const attend_judged_output *j, int format);
/* The scale with which all of it has numbers of e4m3; 0 if there is none. */
double attend_scale_of_all(const attend_judged_output *j);
/* The last place that a number has there; 0 as it is. */
double attend_last_place(double x, int format);
/* x in such a format. */
double attend_rounded(double x, int format);

/* The error of a value. NaN and infinities where they are due have none, nor has an infinity that
 * the true value becomes in the output's format; where a number is due, an infinity counts as the
 * least value that becomes one. All else that is no number is an infinite error. */
double attend_error(double got, double right, sf8_format f);
/* Of a row whose true value is `t`, the largest error over each bound. */
void attend_row_errors(const attend_judged_output *j, size_t row, const attend_row *t,
                       double worst[ATTEND_ERROR_BOUNDS]);

/* ---- an order that is claimed ---------------------------------------------------------------- */

/* What an order makes of a row, in doubles: its roundings of operands and weights in its tiles; and
 * how far a kernel that follows it may be off. */
typedef struct attend_claim {
    const sf8_attend_order *order; /* NULL: none */
    size_t cut;
    attend_change change;
    attend_noise noise;
    double unit;   /* of sums of weights times values: what is lost, over the largest partial sum */
    double places; /* roundings of the output to half */
    double tile;   /* keys whose losses add up to one side */
} attend_claim;

attend_claim attend_claim_of(const attend_problem *r, const sf8_attend_order *o, size_t cut);
/* How far a row of the output is from it, over what is allowed. */
double attend_claim_error(attend_judged_output *j, const attend_claim *claim, size_t row,
                          attend_row *t);
/* The same if `t` has that row already, with the claim's change and its noise. */
double attend_claim_error_of(attend_judged_output *j, const attend_claim *claim, size_t row,
                             attend_row *t);

/* Looks for what explains the errors of the worst rows, v->row: fills in what is said of it. The
 * least that any guess leaves: of the squares of the errors without one, or of the output if they
 * are larger, as those of noise may be. */
double attend_explain(attend_judged_output *j, const attend_question *asked,
                      const attend_claim *claim, attend_verdict *v, attend_row *t);

#endif

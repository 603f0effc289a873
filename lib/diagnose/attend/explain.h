/* SPDX-License-Identifier: MIT */
/* explain.h -- the search for what explains an output: rows that stand for all, guesses about them
 */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_EXPLAIN_H
#define SOFTFP8_DIAGNOSE_ATTEND_EXPLAIN_H

#include "diagnose/attend/mistakes.h"
#include "diagnose/attend/output.h"

enum { ATTEND_SAMPLE_MOST = 16 };

typedef struct attend_explaining {
    attend_judged_output *j;
    const attend_question *asked;
    const attend_claim *claim;
    attend_guess none; /* what the claim has, and the format that all of the output has */
    attend_verdict *v;
    attend_row *t;
    /* The rows that are looked at first, the worst and others, and their channels: all, or those
     * that are worst. */
    size_t sample[ATTEND_SAMPLE_MOST], rows;
    attend_channels channels;
    double plain;      /* the squares of the errors of these without a change */
    double least;      /* what the best guess leaves of them */
    double output;     /* and of their true values */
    double noise;      /* and those that f32 has by itself */
    double values;     /* how many values of them can be told apart */
    int is_large;      /* looking at a row takes long */
    double *plain_row; /* the squares of the errors of each row without a change */
    double first;      /* their sum, before anything is known */
} attend_explaining;

/* Chooses the rows: the worst, and others at equal distances. */
void attend_take_sample(attend_explaining *e);
/* Looks at all rows without a change: with e->none, which may have changed. */
void attend_look_without(attend_explaining *e);

/* The square of an error; one of NaN is infinite, except where NaN is due. */
double attend_square(double got, double right);
/* What a row is away from its true value `t`; and the output itself. */
double attend_row_squares(const attend_judged_output *j, size_t row, const attend_row *t,
                          attend_channels of);
double attend_row_output(const attend_judged_output *j, size_t row);
/* The squares that a kernel has by itself, about: its weights and scores are rounded at random, and
 * so is its output. With a narrow format of the output, values near a tie are rounded to its other
 * side. */
double attend_own_squares(const attend_judged_output *j, const attend_error_bound *b,
                          const attend_row *t, const attend_change *change);
/* Of the first `rows` of the sample: the squares that a change leaves. No more rows are looked at
 * once these are more than `enough`. */
double attend_squares(attend_explaining *e, size_t rows, attend_channels of,
                      const attend_change *change, double enough);

/* ---- candidates -------------------------------------------------------------------------------
 */

typedef struct attend_candidate {
    attend_guess guess;
    double squares;                      /* of the sample */
    double plain, all;                   /* of all rows, without it and with it */
    double than_none, than_noise;        /* what all rows say */
    double worst[ATTEND_ERROR_BOUNDS];   /* of all rows, over each bound */
    double own[ATTEND_ERROR_BOUNDS];     /* of all rows, over what a kernel has by itself */
    double own_row[ATTEND_ERROR_BOUNDS]; /* the largest of a row */
    double of_claim;                     /* the largest error, over what the claimed order allows */
} attend_candidate;

/* The best of those that were tried, in the order in which they came. */
enum { ATTEND_BEST = 16 };
typedef struct attend_best {
    attend_candidate of[ATTEND_BEST];
    size_t count;
} attend_best;

void attend_keep(attend_best *best, const attend_candidate *one);
/* Computes its squares, and keeps it if it leaves less than no change and not far more than those
 * that are kept. */
void attend_look(attend_explaining *e, attend_best *best, attend_candidate *one);
/* Whether nothing is left to explain: what is left is what a kernel of the expected kind has. */
int attend_is_clean(const attend_explaining *e, const attend_candidate *one);
/* The same, so clearly that no two mistakes together have to be tried. */
int attend_is_certain(const attend_explaining *e, const attend_candidate *one);
/* Whether it may be that, as far as the rows of the sample and their own errors say. */
int attend_may_be_clean(attend_explaining *e, attend_candidate *one);
int attend_is_rounding(attend_explaining *e, attend_candidate *one);
/* By how much squares may differ that tell no two guesses apart. */
double attend_alike(const attend_explaining *e);
/* Keeps those that explain the output and are as good as the best of them: how many. */
size_t attend_those_that_explain(attend_explaining *e, attend_best *best);
/* The best of a list, each together with `base`; how many explain the output. */
size_t attend_best_of(attend_explaining *e, const attend_guess *base, const attend_mistake *list,
                      size_t n, attend_best *best);

/* Factors that no name is known for: of the output (0), of the scores (1), or of both (2). They
 * are in e->v. How many explain the output: one or none. */
size_t attend_explain_by_factor(attend_explaining *e, int of, attend_best *best);
/* Whether each of two mistakes takes away what the other alone leaves: that is more than `by` times
 * as much. One that changes nothing here, such as no causal mask for a query at the last key, goes
 * with any other. */
int attend_needs_both(attend_explaining *e, const attend_candidate *one, double by);
/* Two mistakes together, of a list of those that the request can have and that were proposed. */
size_t attend_explain_by_two(attend_explaining *e, const attend_mistake *list, size_t n,
                             attend_best *best);

/* ---- mistakes whose numbers follow from the output -------------------------------------------
 *
 * Keys that are missing, pages, clips, a factor. They come on top of `base`, which is nothing, or
 * one mistake. A rough number is good enough to see whether it is worth a closer look.
 */

enum { ATTEND_PROPOSED_MOST = 40 };
typedef enum attend_care { ATTEND_ROUGH, ATTEND_NEAR, ATTEND_EXACT } attend_care;
size_t attend_propose(attend_explaining *e, const attend_guess *base, attend_care care,
                      attend_mistake list[ATTEND_PROPOSED_MOST]);
/* Keys and pages alone. */
size_t attend_propose_keys(attend_explaining *e, const attend_guess *base,
                           attend_mistake list[ATTEND_PROPOSED_MOST]);
/* Windows, caps and sinks. */
size_t attend_propose_rules(attend_explaining *e, const attend_guess *base,
                            attend_mistake list[ATTEND_PROPOSED_MOST]);
/* The number of a clip or a factor that leaves least on top of `base`; 0 if it has none. */
int attend_fit(attend_explaining *e, const attend_guess *base, attend_care care,
               attend_mistake *one);

#endif

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
    attend_guess none; /* what the claim has */
    attend_verdict *v;
    attend_row *t;
    /* The rows that are looked at first, the worst and others, and their channels: all, or those
     * that are worst. */
    size_t sample[ATTEND_SAMPLE_MOST], rows;
    attend_channels channels;
    double plain;  /* the squares of the errors of these without a change */
    double output; /* and of their true values */
    double noise;  /* and those that f32 has by itself */
    int cast;      /* the narrow format that all of the output has, or none */
    double values; /* how many values of them can be told apart */
} attend_explaining;

/* Chooses the rows: the worst, and others at equal distances. */
void attend_take_sample(attend_explaining *e);

/* The square of an error; one of NaN is infinite, except where NaN is due. */
double attend_square(double got, double right);
/* What a row is away from its true value `t`; and the output itself. */
double attend_row_squares(const attend_judged_output *j, size_t row, const attend_row *t,
                          attend_channels of);
double attend_row_output(const attend_judged_output *j, size_t row);
/* The squares that a kernel has by itself, about: its weights and scores are rounded at random, and
 * so is its output. */
double attend_own_squares(const attend_judged_output *j, const attend_error_bound *b,
                          const attend_row *t);
/* Of the first `rows` of the sample: the squares that a change leaves. */
double attend_squares(attend_explaining *e, size_t rows, attend_channels of,
                      const attend_change *change);

/* Mistakes whose numbers follow from the output: keys that are missing, pages, clips. They come on
 * top of `base`, which is nothing, or one mistake. */
enum { ATTEND_PROPOSED_MOST = 16 };
size_t attend_propose(attend_explaining *e, const attend_guess *base,
                      attend_mistake list[ATTEND_PROPOSED_MOST]);

#endif

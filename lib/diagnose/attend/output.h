/* SPDX-License-Identifier: MIT */
/* output.h -- an output that is judged: its values, and how far a row is from a true one */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_OUTPUT_H
#define SOFTFP8_DIAGNOSE_ATTEND_OUTPUT_H

#include "diagnose/attend/attend.h"

typedef struct attend_judged_output {
    const attend_problem *r;
    const attend_output *out;
    size_t rows, columns;
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

static inline void attend_true_row(const attend_judged_output *j, const attend_change *change,
                                   size_t row, attend_row *t)
{
    attend_true(j->r, change, row / j->r->heads, row % j->r->heads, t);
}

/* Of a row whose true value is `t`, the largest error over each bound. NaN where one is due is no
 * error, and elsewhere an infinite one. */
void attend_row_errors(const attend_judged_output *j, size_t row, const attend_row *t,
                       double worst[ATTEND_ERROR_BOUNDS]);

/* Looks for what explains the errors of the worst rows, v->row: fills in what is said of it. */
void attend_explain(const attend_judged_output *j, attend_verdict *v, attend_row *t);

#endif

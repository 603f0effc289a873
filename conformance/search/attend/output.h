/* SPDX-License-Identifier: MIT */
/* output.h -- the words of an output that is judged */
#ifndef SOFTFP8_SEARCH_ATTEND_OUTPUT_H
#define SOFTFP8_SEARCH_ATTEND_OUTPUT_H

#include "search/attend/attend.h"

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

#endif

/* SPDX-License-Identifier: MIT */
/* sse2.h -- the vocabulary of any x86-64: four words */
#define SF8_ON(name) sf8_portable_##name
#define SF8_TARGET
#define SF8_LANES 4
#define SF8_X __m128i
#include "simd/words.h"

/* Beside those of words.h: `least` and `most` of floats, of which the second is taken if one is
 * NaN. */
#define SF8_SSE(name, text)                                                                        \
    SF8_ON_FN SF8_U SF8_ON(name)(SF8_U a, SF8_U b)                                                 \
    {                                                                                              \
        __asm__(SF8_SSE_TEXT(text) : "+x"(a) : "x"(b));                                            \
        return a;                                                                                  \
    }
SF8_SSE(add, "add")
SF8_SSE(sub, "sub")
SF8_SSE(mul, "mul")
SF8_SSE(div, "div")
SF8_SSE(least, "min")
SF8_SSE(most, "max")
#undef SF8_SSE

SF8_ON_FN SF8_U SF8_ON(max)(SF8_U a, SF8_U b)
{
    return SF8_ON(where)((SF8_I)a > (SF8_I)b, a, b);
}

SF8_ON_FN SF8_U SF8_ON(min)(SF8_U a, SF8_U b)
{
    return SF8_ON(where)((SF8_I)a < (SF8_I)b, a, b);
}

SF8_OF_TWO(larger16, _mm_max_epi16(x, y))
SF8_OF_TWO(low_words, _mm_unpacklo_epi32(x, y))
SF8_OF_TWO(high_words, _mm_unpackhi_epi32(x, y))
SF8_OF_TWO(low_pairs, _mm_unpacklo_epi64(x, y))
SF8_OF_TWO(high_pairs, _mm_unpackhi_epi64(x, y))

SF8_ON_FN SF8_U SF8_ON(bytes)(const uint8_t *p)
{
    int32_t word;
    memcpy(&word, p, 4);
    __m128i zero = _mm_setzero_si128(), two = _mm_unpacklo_epi8(_mm_cvtsi32_si128(word), zero);
    return (SF8_U)_mm_unpacklo_epi16(two, zero);
}

/* In pairs: the larger of two, alternately of a and of b. */
SF8_ON_FN SF8_U SF8_ON(across)(const SF8_U v[4])
{
    SF8_U ab = SF8_ON(max)(SF8_ON(low_words)(v[0], v[1]), SF8_ON(high_words)(v[0], v[1]));
    SF8_U cd = SF8_ON(max)(SF8_ON(low_words)(v[2], v[3]), SF8_ON(high_words)(v[2], v[3]));
    return SF8_ON(max)(SF8_ON(low_pairs)(ab, cd), SF8_ON(high_pairs)(ab, cd));
}

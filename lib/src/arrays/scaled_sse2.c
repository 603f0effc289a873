/* SPDX-License-Identifier: MIT */
/* scaled_sse2.c -- blocks scaled, converted and packed in one pass, on any x86-64
 *
 * It works like lanes.h with four lanes: rounding is a sum of floats. Where it matters, operations
 * are intrinsics, since a compiler may assume that there is no NaN, and that a division may be a
 * multiplication.
 */
#include "arrays/inline.h"

#if SF8_HAS_X86

#include <immintrin.h>
#include <string.h>

#define SF8_SSE(name, text)                                                                        \
    SF8_INLINED __m128i sf8_sse_##name(__m128i a, __m128i b)                                       \
    {                                                                                              \
        __asm__(SF8_SSE_TEXT(text) : "+x"(a) : "x"(b));                                            \
        return a;                                                                                  \
    }
SF8_SSE(add, "add")
SF8_SSE(mul, "mul")
SF8_SSE(div, "div")
SF8_SSE(min, "min") /* b where one of the two is NaN */
SF8_SSE(max, "max")
#undef SF8_SSE

typedef struct sf8_sse_plan {
    __m128i magnitude, exponent, clamp, least, up, low_byte, more;
    __m128i special, special_code, special_sign, sign;
    __m128i drop;
} sf8_sse_plan;

static sf8_sse_plan sf8_sse_plan_of(const sf8_plan *p, const sf8_scaling *s)
{
    sf8_sse_plan w;
    int32_t drop = 23 - p->man_bits;
    w.magnitude = _mm_set1_epi32(0x7fffffff);
    w.exponent = _mm_set1_epi32(0x7f800000);
    w.clamp = _mm_set1_epi32(p->clamp);
    w.least = _mm_set1_epi32((int32_t)((uint32_t)p->least << 23));
    w.up = _mm_set1_epi32(drop << 23);
    w.low_byte = _mm_set1_epi32(255);
    w.more = _mm_set1_epi32((int32_t)s->more);
    w.special = _mm_set1_epi32(p->special);
    w.special_code = _mm_set1_epi32(p->special_code);
    w.special_sign = _mm_set1_epi32(p->special_sign);
    w.sign = _mm_set1_epi32(p->sign);
    w.drop = _mm_cvtsi32_si128(drop);
    return w;
}

/* The codes of four words. */
SF8_INLINED __m128i sf8_sse_codes(const sf8_sse_plan *w, __m128i x, int32_t how)
{
    __m128i magnitude = _mm_and_si128(x, w->magnitude), a = sf8_sse_min(magnitude, w->clamp);
    __m128i field = sf8_sse_max(_mm_and_si128(a, w->exponent), w->least);
    __m128i sum = sf8_sse_add(a, _mm_add_epi32(field, w->up));
    __m128i code = _mm_add_epi32(sum, _mm_srl_epi32(_mm_sub_epi32(field, w->least), w->drop));
    __m128i negative = _mm_srai_epi32(x, 31);
    code = _mm_or_si128(_mm_and_si128(code, w->low_byte), _mm_and_si128(negative, w->sign));
    if (how == SF8_BY_MAGNITUDE)
        return code;
    __m128i is = _mm_cmpgt_epi32(magnitude, w->special);
    __m128i special = _mm_or_si128(w->special_code, _mm_and_si128(negative, w->special_sign));
    return _mm_or_si128(_mm_and_si128(is, special), _mm_andnot_si128(is, code));
}

/* Sixteen words of one block. */
SF8_INLINED __m128i sf8_sse_step(const sf8_sse_plan *w, int32_t how, int32_t divide,
                                 const uint32_t *x, uint32_t factor)
{
    __m128i f = _mm_set1_epi32((int32_t)factor), codes[4];
    for (size_t k = 0; k < 4; k++) {
        __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(x + 4 * k));
        y = divide ? sf8_sse_add(sf8_sse_div(y, f), w->more) : sf8_sse_mul(f, y);
        codes[k] = sf8_sse_codes(w, y, how);
    }
    return _mm_packus_epi16(_mm_packs_epi32(codes[0], codes[1]),
                            _mm_packs_epi32(codes[2], codes[3]));
}

/* Stores a step's codes, two to a byte if so: the second above the first. */
SF8_INLINED void sf8_sse_store(uint8_t *dst, __m128i codes, int32_t packed)
{
    if (packed) {
        codes = _mm_or_si128(codes, _mm_srli_epi16(codes, 4));
        codes = _mm_packus_epi16(_mm_and_si128(codes, _mm_set1_epi16(255)), codes);
        _mm_storel_epi64((__m128i *)(void *)dst, codes);
    } else {
        _mm_storeu_si128((__m128i *)(void *)dst, codes);
    }
}

SF8_INLINED void sf8_sse_scaled(const sf8_sse_plan *w, const sf8_scaling *s, int32_t how,
                                int32_t divide, uint8_t *dst, const uint32_t *x,
                                const uint32_t *factor, size_t n)
{
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        __m128i codes = sf8_sse_step(w, how, divide, x + i, factor[i >> s->shift]);
        sf8_sse_store(dst + (s->packed ? i / 2 : i), codes, s->packed);
    }
    if (i < n) { /* by way of memory of our own */
        uint32_t words[16] = {0};
        uint8_t rest[16];
        memcpy(words, x + i, 4 * (n - i));
        __m128i codes = sf8_sse_step(w, how, divide, words, factor[i >> s->shift]);
        sf8_sse_store(rest, codes, s->packed);
        if (s->packed && n % 2 != 0) /* no code behind the last */
            rest[(n - i) / 2] &= 15;
        memcpy(dst + (s->packed ? i / 2 : i), rest, s->packed ? (n - i + 1) / 2 : n - i);
    }
}

SF8_PRIVATE void sf8_scaled_sse2(const sf8_plan *plan, const sf8_scaling *s, uint8_t *dst,
                                 const uint32_t *x, const uint32_t *factor, size_t n)
{
    const sf8_sse_plan w = sf8_sse_plan_of(plan, s);
    if (s->divide)
        sf8_sse_scaled(&w, s, SF8_NO_SHORTCUT, 1, dst, x, factor, n);
    else if (s->how == SF8_BY_MAGNITUDE)
        sf8_sse_scaled(&w, s, SF8_BY_MAGNITUDE, 0, dst, x, factor, n);
    else
        sf8_sse_scaled(&w, s, SF8_NO_SHORTCUT, 0, dst, x, factor, n);
}

#endif

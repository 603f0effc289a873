/* SPDX-License-Identifier: MIT */
/* levels.c -- the operations of programs on each level, as blocks/ops.h needs them
 *
 * + - * / are written as intrinsics and round as MXCSR says; the caller of a loop has set it. Loops
 * are called through pointers, so that the compiler cannot move code out of them.
 */
#include "blocks/lanes.h"

#if SF8_HAS_X86

#include <immintrin.h>
#include <string.h>

#define SF8_OPS_TYPES(lanes)                                                                       \
    typedef uint32_t sf8_ops##lanes##_u __attribute__((vector_size(4 * (lanes))));                 \
    typedef int32_t sf8_ops##lanes##_i __attribute__((vector_size(4 * (lanes))));                  \
    typedef uint32_t sf8_ops##lanes##_at                                                           \
        __attribute__((vector_size(4 * (lanes)), aligned(1), may_alias));
SF8_OPS_TYPES(4)
SF8_OPS_TYPES(8)
SF8_OPS_TYPES(16)
#undef SF8_OPS_TYPES

#define SF8_OPS_FOUR(MAKE) MAKE(ADD, "add") MAKE(SUB, "sub") MAKE(MUL, "mul") MAKE(DIV, "div")

/* ---- SSE2 ------------------------------------------------------------------------------------ */

#define SF8_OPS_TARGET
#define SF8_OPS_LANES 4
#define SF8_OPS(name) sf8_ops4_##name
#define SF8_OPS_MAKE(name, text)                                                                   \
    SF8_INLINED sf8_ops4_u sf8_ops4_##name(sf8_ops4_u a, sf8_ops4_u b)                             \
    {                                                                                              \
        __asm__(SF8_SSE_TEXT(text) : "+x"(a) : "x"(b));                                            \
        return a;                                                                                  \
    }
SF8_OPS_FOUR(SF8_OPS_MAKE)
#undef SF8_OPS_MAKE
SF8_INLINED sf8_ops4_i sf8_ops4_larger(sf8_ops4_i a, sf8_ops4_i b)
{
    sf8_ops4_i is = a > b;
    return (a & is) | (b & ~is);
}

SF8_INLINED sf8_ops4_i sf8_ops4_smaller(sf8_ops4_i a, sf8_ops4_i b)
{
    sf8_ops4_i is = a < b;
    return (a & is) | (b & ~is);
}

SF8_INLINED sf8_ops4_u sf8_ops4_bytes(const uint8_t *p)
{
    int32_t word;
    memcpy(&word, p, 4);
    __m128i zero = _mm_setzero_si128(), two = _mm_unpacklo_epi8(_mm_cvtsi32_si128(word), zero);
    return (sf8_ops4_u)_mm_unpacklo_epi16(two, zero);
}

/* In pairs: the larger of two, alternately of a and of b. */
SF8_INLINED sf8_ops4_i sf8_ops4_across(const sf8_ops4_i v[4])
{
    __m128i a = (__m128i)v[0], b = (__m128i)v[1], c = (__m128i)v[2], d = (__m128i)v[3];
    sf8_ops4_i ab = sf8_ops4_larger((sf8_ops4_i)_mm_unpacklo_epi32(a, b),
                                    (sf8_ops4_i)_mm_unpackhi_epi32(a, b));
    sf8_ops4_i cd = sf8_ops4_larger((sf8_ops4_i)_mm_unpacklo_epi32(c, d),
                                    (sf8_ops4_i)_mm_unpackhi_epi32(c, d));
    return sf8_ops4_larger((sf8_ops4_i)_mm_unpacklo_epi64((__m128i)ab, (__m128i)cd),
                           (sf8_ops4_i)_mm_unpackhi_epi64((__m128i)ab, (__m128i)cd));
}
#define SF8_OPS_SCALE4 NULL
#define SF8_OPS_FIND4 NULL
#include "blocks/ops.h"
#undef SF8_OPS_FIND4
#undef SF8_OPS_SCALE4
#undef SF8_OPS
#undef SF8_OPS_LANES
#undef SF8_OPS_TARGET

#if SF8_HAS_AVX

/* ---- AVX2 ------------------------------------------------------------------------------------ */

#define SF8_OPS_TARGET SF8_AVX2
#define SF8_OPS_LANES 8
#define SF8_OPS(name) sf8_ops8_##name
#define SF8_OPS_MAKE(name, text)                                                                   \
    SF8_AVX2 SF8_INLINED sf8_ops8_u sf8_ops8_##name(sf8_ops8_u a, sf8_ops8_u b)                    \
    {                                                                                              \
        sf8_ops8_u r;                                                                              \
        __asm__(SF8_AVX_TEXT(text) : "=x"(r) : "x"(a), "x"(b));                                    \
        return r;                                                                                  \
    }
SF8_OPS_FOUR(SF8_OPS_MAKE)
#undef SF8_OPS_MAKE
SF8_AVX2 SF8_INLINED sf8_ops8_i sf8_ops8_larger(sf8_ops8_i a, sf8_ops8_i b)
{
    return (sf8_ops8_i)_mm256_max_epi32((__m256i)a, (__m256i)b);
}

SF8_AVX2 SF8_INLINED sf8_ops8_i sf8_ops8_smaller(sf8_ops8_i a, sf8_ops8_i b)
{
    return (sf8_ops8_i)_mm256_min_epi32((__m256i)a, (__m256i)b);
}

SF8_AVX2 SF8_INLINED sf8_ops8_u sf8_ops8_bytes(const uint8_t *p)
{
    return (sf8_ops8_u)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

/* As with four lanes, in both halves of a register; then the halves. */
SF8_AVX2 SF8_INLINED __m256i sf8_ops8_two(__m256i a, __m256i b)
{
    return _mm256_max_epi32(_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
}

SF8_AVX2 SF8_INLINED __m256i sf8_ops8_four(const sf8_ops8_i v[4])
{
    __m256i ab = sf8_ops8_two((__m256i)v[0], (__m256i)v[1]);
    __m256i cd = sf8_ops8_two((__m256i)v[2], (__m256i)v[3]);
    return _mm256_max_epi32(_mm256_unpacklo_epi64(ab, cd), _mm256_unpackhi_epi64(ab, cd));
}

SF8_AVX2 SF8_INLINED sf8_ops8_i sf8_ops8_across(const sf8_ops8_i v[8])
{
    __m256i a = sf8_ops8_four(v), b = sf8_ops8_four(v + 4);
    return (sf8_ops8_i)_mm256_max_epi32(_mm256_permute2x128_si256(a, b, 0x20),
                                        _mm256_permute2x128_si256(a, b, 0x31));
}

/* Eight codes are one uint32_t; each lane shifts its code into place, and the sign goes to the
 * top. */
SF8_AVX2 SF8_INLINED __m256i sf8_ops8_values(const uint8_t *codes, __m256i low, __m256i high)
{
    int32_t word;
    memcpy(&word, codes, 4);
    __m256i code = _mm256_srlv_epi32(_mm256_set1_epi32(word),
                                     _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28));
    return _mm256_castps_si256(
        _mm256_blendv_ps(_mm256_castsi256_ps(_mm256_permutevar8x32_epi32(low, code)),
                         _mm256_castsi256_ps(_mm256_permutevar8x32_epi32(high, code)),
                         _mm256_castsi256_ps(_mm256_slli_epi32(code, 28))));
}

/* The third and the fourth byte of each of 16 values: what a shuffle looks up. */
typedef struct sf8_ops8_half {
    __m256i third, fourth;
} sf8_ops8_half;

SF8_AVX2 SF8_INLINED sf8_ops8_half sf8_ops8_half_of(const uint32_t *value)
{
    uint8_t third[16], fourth[16];
    for (size_t i = 0; i < 16; i++) {
        third[i] = (uint8_t)(value[i] >> 16);
        fourth[i] = (uint8_t)(value[i] >> 24);
    }
    sf8_ops8_half t = {
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)third)),
        _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)fourth))};
    return t;
}

/* 32 codes to four registers. Unpacking works in the halves of a register, so that the bytes are
 * first moved to where it reads them, each twice: once for its low code and once for its high
 * one. */
SF8_AVX2 SF8_INLINED void sf8_ops8_values32(const sf8_ops8_half *t, const uint8_t *codes,
                                            __m256i r[4])
{
    const __m256i places = _mm256_setr_epi8(0, 0, 1, 1, 4, 4, 5, 5, 8, 8, 9, 9, 12, 12, 13, 13, 2,
                                            2, 3, 3, 6, 6, 7, 7, 10, 10, 11, 11, 14, 14, 15, 15);
    const __m256i low = _mm256_set1_epi16(0x000f), high = _mm256_set1_epi16(0x0f00);
    const __m256i zero = _mm256_setzero_si256();
    __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)codes);
    __m256i twice = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(bytes), places);
    __m256i code = (twice & low) | (_mm256_srli_epi16(twice, 4) & high);
    __m256i third = _mm256_shuffle_epi8(t->third, code);
    __m256i fourth = _mm256_shuffle_epi8(t->fourth, code);
    __m256i a = _mm256_unpacklo_epi8(third, fourth), b = _mm256_unpackhi_epi8(third, fourth);
    r[0] = _mm256_unpacklo_epi16(zero, a);
    r[1] = _mm256_unpackhi_epi16(zero, a);
    r[2] = _mm256_unpacklo_epi16(zero, b);
    r[3] = _mm256_unpackhi_epi16(zero, b);
}

SF8_AVX2 SF8_INLINED void sf8_ops8_put(void *dst, size_t i, __m256i words)
{
    _mm256_storeu_si256((__m256i *)(void *)((unsigned char *)dst + 4 * i), words);
}

SF8_AVX2 static void sf8_ops8_scale4(void *dst, const uint8_t *codes, const uint32_t *value,
                                     const uint32_t *factor, int32_t shift, size_t n)
{
    const sf8_ops8_half half = sf8_ops8_half_of(value);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)value);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(value + 8));
    size_t i = 0;
    for (; n - i >= 32; i += 32) {
        sf8_ops8_u a = (sf8_ops8_u)_mm256_set1_epi32((int32_t)factor[i >> shift]);
        sf8_ops8_u b = (sf8_ops8_u)_mm256_set1_epi32((int32_t)factor[(i + 16) >> shift]);
        __m256i r[4];
        sf8_ops8_values32(&half, codes + i / 2, r);
        sf8_ops8_put(dst, i, (__m256i)sf8_ops8_MUL(a, (sf8_ops8_u)r[0]));
        sf8_ops8_put(dst, i + 8, (__m256i)sf8_ops8_MUL(a, (sf8_ops8_u)r[1]));
        sf8_ops8_put(dst, i + 16, (__m256i)sf8_ops8_MUL(b, (sf8_ops8_u)r[2]));
        sf8_ops8_put(dst, i + 24, (__m256i)sf8_ops8_MUL(b, (sf8_ops8_u)r[3]));
    }
    for (; i < n; i += 8) {
        sf8_ops8_u r = (sf8_ops8_u)sf8_ops8_values(codes + i / 2, low, high);
        sf8_ops8_u f = (sf8_ops8_u)_mm256_set1_epi32((int32_t)factor[i >> shift]);
        sf8_ops8_put(dst, i, (__m256i)sf8_ops8_MUL(f, r));
    }
}

SF8_AVX2 static void sf8_ops8_find4(void *dst, const uint8_t *codes, const uint32_t *rows,
                                    const uint32_t *scale, int32_t shift, size_t n)
{
    for (size_t i = 0; i < n; i += 16) { /* a block has at least 16 elements */
        const __m256i *row = (const __m256i *)(const void *)(rows + 16 * (scale[i >> shift] & 255));
        __m256i low = _mm256_loadu_si256(row), high = _mm256_loadu_si256(row + 1);
        sf8_ops8_put(dst, i, sf8_ops8_values(codes + i / 2, low, high));
        sf8_ops8_put(dst, i + 8, sf8_ops8_values(codes + i / 2 + 4, low, high));
    }
}
#define SF8_OPS_SCALE4 sf8_ops8_scale4
#define SF8_OPS_FIND4 sf8_ops8_find4
#include "blocks/ops.h"
#undef SF8_OPS_FIND4
#undef SF8_OPS_SCALE4
#undef SF8_OPS
#undef SF8_OPS_LANES
#undef SF8_OPS_TARGET

/* ---- AVX-512 --------------------------------------------------------------------------------- */

#define SF8_OPS_TARGET SF8_AVX512
#define SF8_OPS_LANES 16
#define SF8_OPS(name) sf8_ops16_##name
#define SF8_OPS_MAKE(name, text)                                                                   \
    SF8_AVX512 SF8_INLINED sf8_ops16_u sf8_ops16_##name(sf8_ops16_u a, sf8_ops16_u b)              \
    {                                                                                              \
        sf8_ops16_u r;                                                                             \
        __asm__("v" text "ps {%2, %1, %0|%0, %1, %2}" : "=v"(r) : "v"(a), "v"(b));                 \
        return r;                                                                                  \
    }
SF8_OPS_FOUR(SF8_OPS_MAKE)
#undef SF8_OPS_MAKE
SF8_AVX512 SF8_INLINED sf8_ops16_i sf8_ops16_larger(sf8_ops16_i a, sf8_ops16_i b)
{
    return (sf8_ops16_i)_mm512_max_epi32((__m512i)a, (__m512i)b);
}

SF8_AVX512 SF8_INLINED sf8_ops16_i sf8_ops16_smaller(sf8_ops16_i a, sf8_ops16_i b)
{
    return (sf8_ops16_i)_mm512_min_epi32((__m512i)a, (__m512i)b);
}

SF8_AVX512 SF8_INLINED sf8_ops16_u sf8_ops16_bytes(const uint8_t *p)
{
    return (sf8_ops16_u)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}

/* As with four lanes, in each quarter of a register; then the quarters. */
SF8_AVX512 SF8_INLINED __m512i sf8_ops16_two(__m512i a, __m512i b)
{
    return _mm512_max_epi32(_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
}

SF8_AVX512 SF8_INLINED __m512i sf8_ops16_four(const sf8_ops16_i v[4])
{
    __m512i ab = sf8_ops16_two((__m512i)v[0], (__m512i)v[1]);
    __m512i cd = sf8_ops16_two((__m512i)v[2], (__m512i)v[3]);
    return _mm512_max_epi32(_mm512_unpacklo_epi64(ab, cd), _mm512_unpackhi_epi64(ab, cd));
}

SF8_AVX512 SF8_INLINED __m512i sf8_ops16_quarters(__m512i a, __m512i b)
{
    return _mm512_max_epi32(_mm512_shuffle_i32x4(a, b, 0x88), _mm512_shuffle_i32x4(a, b, 0xdd));
}

SF8_AVX512 SF8_INLINED sf8_ops16_i sf8_ops16_across(const sf8_ops16_i v[16])
{
    __m512i a = sf8_ops16_quarters(sf8_ops16_four(v), sf8_ops16_four(v + 4));
    __m512i b = sf8_ops16_quarters(sf8_ops16_four(v + 8), sf8_ops16_four(v + 12));
    return (sf8_ops16_i)sf8_ops16_quarters(a, b);
}

/* Sixteen codes are 64 bits, from which each lane takes its own; the permutation uses only the low
 * four bits. */
SF8_AVX512 SF8_INLINED __m512i sf8_ops16_values(const uint8_t *codes, __m512i values)
{
    const __m512i places = _mm512_set_epi32(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8,
                                            4, 0);
    int64_t word;
    memcpy(&word, codes, 8);
    __m512i code = _mm512_multishift_epi64_epi8(places, _mm512_set1_epi64(word));
    return _mm512_permutexvar_epi32(code, values);
}

SF8_AVX512 static void sf8_ops16_scale4(void *dst, const uint8_t *codes, const uint32_t *value,
                                        const uint32_t *factor, int32_t shift, size_t n)
{
    const __m512i table = _mm512_loadu_si512(value);
    for (size_t i = 0; i < n; i += 16) {
        sf8_ops16_u r = (sf8_ops16_u)sf8_ops16_values(codes + i / 2, table);
        sf8_ops16_u f = (sf8_ops16_u)_mm512_set1_epi32((int32_t)factor[i >> shift]);
        _mm512_storeu_si512((unsigned char *)dst + 4 * i, (__m512i)sf8_ops16_MUL(f, r));
    }
}

SF8_AVX512 static void sf8_ops16_find4(void *dst, const uint8_t *codes, const uint32_t *rows,
                                       const uint32_t *scale, int32_t shift, size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        __m512i row = _mm512_loadu_si512(rows + 16 * (scale[i >> shift] & 255));
        _mm512_storeu_si512((unsigned char *)dst + 4 * i, sf8_ops16_values(codes + i / 2, row));
    }
}
#define SF8_OPS_SCALE4 sf8_ops16_scale4
#define SF8_OPS_FIND4 sf8_ops16_find4
#include "blocks/ops.h"
#undef SF8_OPS_FIND4
#undef SF8_OPS_SCALE4
#undef SF8_OPS
#undef SF8_OPS_LANES
#undef SF8_OPS_TARGET

#endif
#undef SF8_OPS_FOUR

SF8_PRIVATE const sf8_lanes_ops *sf8_lanes_ops_of(int32_t level)
{
#if SF8_HAS_AVX
    if (level != SF8_LEVEL_PORTABLE)
        return level == SF8_LEVEL_AVX512 ? &sf8_ops16_ops : &sf8_ops8_ops;
#endif
    (void)level;
    return &sf8_ops4_ops;
}

#endif

/* SPDX-License-Identifier: MIT */
/* avx2.h -- the vocabulary of AVX2: eight words
 *
 * Floats are rounded as MXCSR says, which a level sets for its loops.
 */
#define SF8_ON(name) sf8_avx2_##name
#define SF8_TARGET __attribute__((target("avx2,f16c,fma")))
#define SF8_LANES 8
#define SF8_X __m256i
#include "simd/words.h"

typedef SF8_U SF8_M, SF8_BM;

/* ---- words ----------------------------------------------------------------------------------- */

SF8_OF_TWO(min, _mm256_min_epi32(x, y))
SF8_OF_TWO(max, _mm256_max_epi32(x, y))
SF8_OF_TWO(above, _mm256_cmpgt_epi32(x, y))
SF8_OF_TWO(only, x &y)
SF8_OF_TWO(shift, _mm256_srlv_epi32(x, y))
SF8_OF_TWO(raise, _mm256_sllv_epi32(x, y))
SF8_OF_TWO(larger16, _mm256_max_epi16(x, y))
SF8_INSTRUCTION(add, SF8_AVX_TEXT("add"), "x")
SF8_INSTRUCTION(sub, SF8_AVX_TEXT("sub"), "x")
SF8_INSTRUCTION(mul, SF8_AVX_TEXT("mul"), "x")
SF8_INSTRUCTION(div, SF8_AVX_TEXT("div"), "x")

SF8_ON_FN SF8_U SF8_ON(fused)(SF8_U a, SF8_U b, SF8_U c)
{
    __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+x"(c) : "x"(a), "x"(b));
    return c;
}

SF8_ON_FN SF8_U SF8_ON(select)(SF8_M mask, SF8_U a, SF8_U b)
{
    return (SF8_U)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)mask);
}

SF8_ON_FN SF8_U SF8_ON(choose)(SF8_BM mask, SF8_U a, SF8_U b)
{
    return SF8_ON(select)(mask, a, b);
}

SF8_ON_FN int32_t SF8_ON(has)(SF8_M mask)
{
    return !_mm256_testz_si256((__m256i)mask, (__m256i)mask);
}

static inline unsigned int SF8_ON(begin)(int32_t round)
{
    unsigned int before = _mm_getcsr();
    _mm_setcsr(sf8_mxcsr(round));
    return before;
}

static inline void SF8_ON(end)(unsigned int before)
{
    _mm_setcsr(before);
}

SF8_ON_FN SF8_U SF8_ON(fma)(SF8_U a, SF8_U b, SF8_U c, int32_t round)
{
    (void)round; /* MXCSR has the rounding */
    return (SF8_U)_mm256_fmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

SF8_ON_FN SF8_U SF8_ON(rest)(SF8_U a, SF8_U b, SF8_U c)
{
    return (SF8_U)_mm256_fnmadd_ps((__m256)a, (__m256)b, (__m256)c);
}

SF8_ON_FN SF8_U SF8_ON(plus)(SF8_U a, SF8_U b)
{
    return (SF8_U)_mm256_add_ps((__m256)a, (__m256)b);
}

SF8_ON_FN SF8_U SF8_ON(widened)(const unsigned char *src, size_t at, int32_t source)
{
    if (source == SF8_SOURCE_F32)
        return SF8_ON(load)(src + 4 * at);
    __m128i half = _mm_loadu_si128((const __m128i *)(const void *)(src + 2 * at));
    if (source == SF8_SOURCE_BF16)
        return (SF8_U)_mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16);
    return (SF8_U)_mm256_cvtph_ps(half);
}

SF8_ON_FN SF8_U SF8_ON(bytes)(const uint8_t *p)
{
    return (SF8_U)_mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)p));
}

/* The larger of two, alternately of a and of b: of words, of pairs, of halves of a register. */
SF8_OF_TWO(most_of_two, _mm256_max_epi32(_mm256_unpacklo_epi32(x, y), _mm256_unpackhi_epi32(x, y)))
SF8_OF_TWO(most_of_four, _mm256_max_epi32(_mm256_unpacklo_epi64(x, y), _mm256_unpackhi_epi64(x, y)))
SF8_OF_TWO(most_of_eight, _mm256_max_epi32(_mm256_permute2x128_si256(x, y, 0x20),
                                           _mm256_permute2x128_si256(x, y, 0x31)))

SF8_ON_FN SF8_U SF8_ON(across)(const SF8_U v[8])
{
    SF8_U four[2];
    for (size_t i = 0; i < 2; i++)
        four[i] = SF8_ON(most_of_four)(SF8_ON(most_of_two)(v[4 * i], v[4 * i + 1]),
                                       SF8_ON(most_of_two)(v[4 * i + 2], v[4 * i + 3]));
    return SF8_ON(most_of_eight)(four[0], four[1]);
}

/* ---- 32 bytes, in the order that packing leaves ---------------------------------------------- */

SF8_OF_TWO(packus32, _mm256_packus_epi32(x, y))
SF8_OF_TWO(packus16, _mm256_packus_epi16(x, y))
SF8_OF_TWO(packs32, _mm256_packs_epi32(x, y))
SF8_OF_TWO(packs16, _mm256_packs_epi16(x, y))
SF8_OF_ONE(negative8, _mm256_cmpgt_epi8(_mm256_setzero_si256(), x))
SF8_OF_ONE(in_order, _mm256_permutevar8x32_epi32(x, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0)))
SF8_OF_TWO(at_least, _mm256_cmpeq_epi8(_mm256_max_epu8(x, y), x))

SF8_ON_FN SF8_U SF8_ON(pack)(const SF8_U a[4])
{
    return SF8_ON(packus16)(SF8_ON(packus32)(a[0] & 255, a[1] & 255),
                            SF8_ON(packus32)(a[2] & 255, a[3] & 255));
}

/* Packing with saturation keeps signs and masks. */
SF8_ON_FN SF8_BM SF8_ON(masks)(const SF8_M a[4])
{
    return SF8_ON(packs16)(SF8_ON(packs32)(a[0], a[1]), SF8_ON(packs32)(a[2], a[3]));
}

SF8_ON_FN SF8_BM SF8_ON(signs)(const SF8_U a[4])
{
    return SF8_ON(negative8)(SF8_ON(masks)(a));
}

SF8_ON_FN SF8_U SF8_ON(put_where)(SF8_BM mask, SF8_U codes, SF8_U sign)
{
    return codes | (mask & sign);
}

SF8_ON_FN SF8_BM SF8_ON(unlike)(SF8_BM mask, SF8_U a, SF8_U b)
{
    return (SF8_U)_mm256_andnot_si256(_mm256_cmpeq_epi8((__m256i)a, (__m256i)b), (__m256i)mask);
}

SF8_ON_FN void SF8_ON(store_codes)(uint8_t *dst, SF8_U codes)
{
    SF8_ON(store)(dst, SF8_ON(in_order)(codes));
}

SF8_ON_FN void SF8_ON(stream_codes)(uint8_t *dst, SF8_U codes)
{
    _mm256_stream_si256((__m256i *)(void *)dst, (__m256i)SF8_ON(in_order)(codes));
}

SF8_ON_FN void SF8_ON(store4)(uint8_t *dst, SF8_U codes)
{
    __m256i pairs = _mm256_maddubs_epi16((__m256i)SF8_ON(in_order)(codes),
                                         _mm256_set1_epi16(0x1001));
    pairs = _mm256_permute4x64_epi64(_mm256_packus_epi16(pairs, pairs), 8);
    _mm_storeu_si128((__m128i *)(void *)dst, _mm256_castsi256_si128(pairs));
}

SF8_ON_FN void SF8_ON(store16)(unsigned char *dst, const SF8_U codes[4])
{
    for (size_t i = 0; i < 2; i++) {
        SF8_U pair = SF8_ON(packus32)(codes[2 * i], codes[2 * i + 1]);
        SF8_ON(store)(dst + 32 * i, (SF8_U)_mm256_permute4x64_epi64((__m256i)pair, 0xd8));
    }
}

SF8_ON_FN void SF8_ON(store32)(unsigned char *dst, const SF8_U codes[4])
{
    for (size_t i = 0; i < 4; i++)
        SF8_ON(store)(dst + 32 * i, codes[i]);
}

/* SPDX-License-Identifier: MIT */
/* avx512.h -- the vocabulary of AVX-512 with VBMI: sixteen words
 *
 * fma, rest and plus name their rounding and raise no flag, so that MXCSR does not matter there.
 */
#define SF8_ON(name) sf8_avx512_##name
#define SF8_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,f16c,fma")))
#define SF8_LANES 16
#define SF8_X __m512i
#include "simd/words.h"

typedef __mmask16 SF8_M;
typedef __mmask64 SF8_BM;

/* ---- words ----------------------------------------------------------------------------------- */

SF8_OF_TWO(min, _mm512_min_epi32(x, y))
SF8_OF_TWO(max, _mm512_max_epi32(x, y))
SF8_OF_TWO(shift, _mm512_srlv_epi32(x, y))
SF8_OF_TWO(raise, _mm512_sllv_epi32(x, y))
SF8_OF_TWO(larger16, _mm512_max_epi16(x, y))
SF8_INSTRUCTION(add, "vaddps {%2, %1, %0|%0, %1, %2}", "v")
SF8_INSTRUCTION(sub, "vsubps {%2, %1, %0|%0, %1, %2}", "v")
SF8_INSTRUCTION(mul, "vmulps {%2, %1, %0|%0, %1, %2}", "v")
SF8_INSTRUCTION(div, "vdivps {%2, %1, %0|%0, %1, %2}", "v")

SF8_ON_FN SF8_U SF8_ON(fused)(SF8_U a, SF8_U b, SF8_U c)
{
    __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+v"(c) : "v"(a), "v"(b));
    return c;
}

SF8_ON_FN SF8_M SF8_ON(above)(SF8_U a, SF8_U b)
{
    return _mm512_cmpgt_epi32_mask((__m512i)a, (__m512i)b);
}

SF8_ON_FN SF8_U SF8_ON(select)(SF8_M mask, SF8_U a, SF8_U b)
{
    return (SF8_U)_mm512_mask_mov_epi32((__m512i)b, mask, (__m512i)a);
}

SF8_ON_FN SF8_U SF8_ON(choose)(SF8_BM mask, SF8_U a, SF8_U b)
{
    return (SF8_U)_mm512_mask_mov_epi8((__m512i)b, mask, (__m512i)a);
}

SF8_ON_FN SF8_U SF8_ON(only)(SF8_M mask, SF8_U a)
{
    return (SF8_U)_mm512_maskz_mov_epi32(mask, (__m512i)a);
}

SF8_ON_FN int32_t SF8_ON(has)(SF8_M mask)
{
    return mask != 0;
}

static inline unsigned int SF8_ON(begin)(int32_t round)
{
    (void)round;
    return 0;
}

static inline void SF8_ON(end)(unsigned int before)
{
    (void)before;
}

#define SF8_TO(mode) (_MM_FROUND_TO_##mode | _MM_FROUND_NO_EXC)

SF8_ON_FN SF8_U SF8_ON(fma)(SF8_U a, SF8_U b, SF8_U c, int32_t round)
{
    __m512 x = (__m512)a, y = (__m512)b, z = (__m512)c;
    if (round == SF8_RNE)
        return (SF8_U)_mm512_fmadd_round_ps(x, y, z, SF8_TO(NEAREST_INT));
    if (round == SF8_RU)
        return (SF8_U)_mm512_fmadd_round_ps(x, y, z, SF8_TO(POS_INF));
    if (round == SF8_RD)
        return (SF8_U)_mm512_fmadd_round_ps(x, y, z, SF8_TO(NEG_INF));
    return (SF8_U)_mm512_fmadd_round_ps(x, y, z, SF8_TO(ZERO));
}

SF8_ON_FN SF8_U SF8_ON(rest)(SF8_U a, SF8_U b, SF8_U c)
{
    return (SF8_U)_mm512_fnmadd_round_ps((__m512)a, (__m512)b, (__m512)c, SF8_TO(ZERO));
}

SF8_ON_FN SF8_U SF8_ON(plus)(SF8_U a, SF8_U b)
{
    return (SF8_U)_mm512_add_round_ps((__m512)a, (__m512)b, SF8_TO(ZERO));
}

#undef SF8_TO

SF8_ON_FN SF8_U SF8_ON(widened)(const unsigned char *src, size_t at, int32_t source)
{
    if (source == SF8_SOURCE_F32)
        return (SF8_U)_mm512_loadu_si512(src + 4 * at);
    __m256i half = _mm256_loadu_si256((const __m256i *)(const void *)(src + 2 * at));
    if (source == SF8_SOURCE_BF16)
        return (SF8_U)_mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16);
    return (SF8_U)_mm512_cvt_roundph_ps(half, _MM_FROUND_NO_EXC);
}

SF8_ON_FN SF8_U SF8_ON(bytes)(const uint8_t *p)
{
    return (SF8_U)_mm512_cvtepu8_epi32(_mm_loadu_si128((const __m128i *)(const void *)p));
}

/* The larger of two, alternately of a and of b: of words, of pairs, of quarters of a register. */
SF8_OF_TWO(most_of_two, _mm512_max_epi32(_mm512_unpacklo_epi32(x, y), _mm512_unpackhi_epi32(x, y)))
SF8_OF_TWO(most_of_four, _mm512_max_epi32(_mm512_unpacklo_epi64(x, y), _mm512_unpackhi_epi64(x, y)))
SF8_OF_TWO(most_of_quarters,
           _mm512_max_epi32(_mm512_shuffle_i32x4(x, y, 0x88), _mm512_shuffle_i32x4(x, y, 0xdd)))

SF8_ON_FN SF8_U SF8_ON(across)(const SF8_U v[16])
{
    SF8_U four[4];
    for (size_t i = 0; i < 4; i++)
        four[i] = SF8_ON(most_of_four)(SF8_ON(most_of_two)(v[4 * i], v[4 * i + 1]),
                                       SF8_ON(most_of_two)(v[4 * i + 2], v[4 * i + 3]));
    return SF8_ON(most_of_quarters)(SF8_ON(most_of_quarters)(four[0], four[1]),
                                    SF8_ON(most_of_quarters)(four[2], four[3]));
}

/* ---- 64 bytes -------------------------------------------------------------------------------- */

/* Byte `byte` of each of the 64 words. */
SF8_ON_FN SF8_U SF8_ON(byte_of)(const SF8_U a[4], int32_t byte)
{
    const __m512i words = _mm512_set_epi64(0, 0, 0, 0, 0x7c7874706c686460, 0x5c5854504c484440,
                                           0x3c3834302c282420, 0x1c1814100c080400);
    __m512i places = _mm512_add_epi8(words, _mm512_set1_epi8((char)byte));
    __m512i first = _mm512_permutex2var_epi8((__m512i)a[0], places, (__m512i)a[1]);
    __m512i second = _mm512_permutex2var_epi8((__m512i)a[2], places, (__m512i)a[3]);
    return (SF8_U)_mm512_inserti64x4(first, _mm512_castsi512_si256(second), 1);
}

SF8_ON_FN SF8_U SF8_ON(pack)(const SF8_U a[4])
{
    return SF8_ON(byte_of)(a, 0);
}

SF8_ON_FN SF8_BM SF8_ON(negative8)(SF8_U a)
{
    return _mm512_movepi8_mask((__m512i)a);
}

SF8_ON_FN SF8_BM SF8_ON(signs)(const SF8_U a[4])
{
    return SF8_ON(negative8)(SF8_ON(byte_of)(a, 3));
}

SF8_ON_FN SF8_BM SF8_ON(masks)(const SF8_M a[4])
{
    return _mm512_kunpackd(_mm512_kunpackw(a[3], a[2]), _mm512_kunpackw(a[1], a[0]));
}

SF8_ON_FN SF8_U SF8_ON(put_where)(SF8_BM mask, SF8_U codes, SF8_U sign)
{
    return codes | (SF8_U)_mm512_maskz_mov_epi8(mask, (__m512i)sign);
}

SF8_ON_FN SF8_BM SF8_ON(unlike)(SF8_BM mask, SF8_U a, SF8_U b)
{
    return _mm512_mask_cmpneq_epi8_mask(mask, (__m512i)a, (__m512i)b);
}

SF8_ON_FN SF8_BM SF8_ON(at_least)(SF8_U a, SF8_U b)
{
    return _mm512_cmpge_epu8_mask((__m512i)a, (__m512i)b);
}

SF8_ON_FN void SF8_ON(store_codes)(uint8_t *dst, SF8_U codes)
{
    _mm512_storeu_si512(dst, (__m512i)codes);
}

SF8_ON_FN void SF8_ON(stream_codes)(uint8_t *dst, SF8_U codes)
{
    _mm512_stream_si512((__m512i *)(void *)dst, (__m512i)codes);
}

SF8_ON_FN void SF8_ON(store4)(uint8_t *dst, SF8_U codes)
{
    __m512i pairs = _mm512_maddubs_epi16((__m512i)codes, _mm512_set1_epi16(0x1001));
    _mm256_storeu_si256((__m256i *)(void *)dst, _mm512_cvtepi16_epi8(pairs));
}

SF8_ON_FN void SF8_ON(store16)(unsigned char *dst, const SF8_U codes[4])
{
    for (size_t i = 0; i < 4; i++)
        _mm256_storeu_si256((__m256i *)(void *)(dst + 32 * i),
                            _mm512_cvtepi32_epi16((__m512i)codes[i]));
}

SF8_ON_FN void SF8_ON(store32)(unsigned char *dst, const SF8_U codes[4])
{
    for (size_t i = 0; i < 4; i++)
        SF8_ON(store)(dst + 64 * i, codes[i]);
}

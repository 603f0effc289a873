/* SPDX-License-Identifier: MIT */
/* pack_avx512.h -- codes of 4 and 6 bits packed and unpacked, 64 at a step */
/* The 48 bytes of 64 codes of 6 bits. */
#define SF8_48 UINT64_C(0x0000ffffffffffff)

/* Multiplying by 1 and 2^bits, and adding neighbours, combines two codes. */
SF8_TARGET static size_t SF8_ON(pack4)(uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        __m512i x = _mm512_and_si512(_mm512_loadu_si512(src + i), _mm512_set1_epi8(15));
        x = _mm512_maddubs_epi16(x, _mm512_set1_epi16(0x1001));
        _mm256_storeu_si256((__m256i *)(void *)(dst + i / 2), _mm512_cvtepi16_epi8(x));
    }
    return i;
}

SF8_TARGET static size_t SF8_ON(unpack4)(uint8_t *dst, const uint8_t *src, size_t n)
{
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        __m256i packed = _mm256_loadu_si256((const __m256i *)(const void *)(src + i / 2));
        __m512i x = _mm512_cvtepu8_epi16(packed);
        x = _mm512_or_si512(x, _mm512_slli_epi16(x, 4));
        _mm512_storeu_si512(dst + i, _mm512_and_si512(x, _mm512_set1_epi8(15)));
    }
    return i;
}

/* Four codes make 24 bits of a word of 32, whose upper byte is left out. */
SF8_TARGET static size_t SF8_ON(pack6)(uint8_t *dst, const uint8_t *src, size_t n)
{
    uint8_t order[64] = {0};
    for (int j = 0; j < 48; j++)
        order[j] = (uint8_t)(j / 3 * 4 + j % 3);
    __m512i used = _mm512_loadu_si512(order);
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        __m512i x = _mm512_and_si512(_mm512_loadu_si512(src + i), _mm512_set1_epi8(63));
        x = _mm512_maddubs_epi16(x, _mm512_set1_epi16(0x4001));
        x = _mm512_madd_epi16(x, _mm512_set1_epi32(0x10000001));
        _mm512_mask_storeu_epi8(dst + i / 8 * 6, SF8_48, _mm512_permutexvar_epi8(used, x));
    }
    return i;
}

/* Six bytes go to 64 bits, from which each byte of the result takes its bits. */
SF8_TARGET static size_t SF8_ON(unpack6)(uint8_t *dst, const uint8_t *src, size_t n)
{
    uint8_t order[64];
    for (int j = 0; j < 64; j++)
        order[j] = (uint8_t)(j / 8 * 6 + j % 8 % 6);
    __m512i spread = _mm512_loadu_si512(order);
    /* 0, 6, 12, ... 42 */
    __m512i places = _mm512_set1_epi64(INT64_C(0x2a241e18120c0600));
    size_t i = 0;
    for (; n - i >= 64; i += 64) {
        __m512i x = _mm512_maskz_loadu_epi8(SF8_48, src + i / 8 * 6);
        x = _mm512_multishift_epi64_epi8(places, _mm512_permutexvar_epi8(spread, x));
        _mm512_storeu_si512(dst + i, _mm512_and_si512(x, _mm512_set1_epi8(63)));
    }
    return i;
}

static size_t SF8_ON(pack_n)(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    return bits == 4 ? SF8_ON(pack4)(dst, src, n) : SF8_ON(pack6)(dst, src, n);
}

static size_t SF8_ON(unpack_n)(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    return bits == 4 ? SF8_ON(unpack4)(dst, src, n) : SF8_ON(unpack6)(dst, src, n);
}

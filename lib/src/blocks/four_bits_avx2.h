/* SPDX-License-Identifier: MIT */
/* four_bits_avx2.h -- reads blocks of codes of 4 bits; included by the level avx2 */
/* Eight codes are one uint32_t; each lane shifts its code into place, and the sign goes to the
 * top. */
SF8_ON_FN __m256i SF8_OPS(values)(const uint8_t *codes, __m256i low, __m256i high)
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
typedef struct SF8_OPS(half) {
    __m256i third, fourth;
} SF8_OPS(half);

SF8_ON_FN SF8_OPS(half) SF8_OPS(half_of)(const uint32_t *value)
{
    uint8_t third[16], fourth[16];
    for (size_t i = 0; i < 16; i++) {
        third[i] = (uint8_t)(value[i] >> 16);
        fourth[i] = (uint8_t)(value[i] >> 24);
    }
    SF8_OPS(half)
    t = {_mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)third)),
         _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(const void *)fourth))};
    return t;
}

/* 32 codes to four registers. Unpacking works in the halves of a register, so that the bytes are
 * first moved to where it reads them, each twice: once for its low code and once for its high
 * one. */
SF8_ON_FN void SF8_OPS(values32)(const SF8_OPS(half) * t, const uint8_t *codes, __m256i r[4])
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

SF8_ON_FN void SF8_OPS(put)(void *dst, size_t i, __m256i words)
{
    _mm256_storeu_si256((__m256i *)(void *)((unsigned char *)dst + 4 * i), words);
}

SF8_TARGET static void SF8_OPS(scale4)(void *dst, const uint8_t *codes, const uint32_t *value,
                                       const uint32_t *factor, int32_t shift, size_t n)
{
    const SF8_OPS(half) half = SF8_OPS(half_of)(value);
    const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)value);
    const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(value + 8));
    size_t i = 0;
    for (; n - i >= 32; i += 32) {
        SF8_U a = (SF8_U)_mm256_set1_epi32((int32_t)factor[i >> shift]);
        SF8_U b = (SF8_U)_mm256_set1_epi32((int32_t)factor[(i + 16) >> shift]);
        __m256i r[4];
        SF8_OPS(values32)(&half, codes + i / 2, r);
        SF8_OPS(put)(dst, i, (__m256i)SF8_ON(mul)(a, (SF8_U)r[0]));
        SF8_OPS(put)(dst, i + 8, (__m256i)SF8_ON(mul)(a, (SF8_U)r[1]));
        SF8_OPS(put)(dst, i + 16, (__m256i)SF8_ON(mul)(b, (SF8_U)r[2]));
        SF8_OPS(put)(dst, i + 24, (__m256i)SF8_ON(mul)(b, (SF8_U)r[3]));
    }
    for (; i < n; i += 8) {
        SF8_U r = (SF8_U)SF8_OPS(values)(codes + i / 2, low, high);
        SF8_U f = (SF8_U)_mm256_set1_epi32((int32_t)factor[i >> shift]);
        SF8_OPS(put)(dst, i, (__m256i)SF8_ON(mul)(f, r));
    }
}

SF8_TARGET static void SF8_OPS(find4)(void *dst, const uint8_t *codes, const uint32_t *rows,
                                      const uint32_t *scale, int32_t shift, size_t n)
{
    for (size_t i = 0; i < n; i += 16) { /* a block has at least 16 elements */
        const __m256i *row = (const __m256i *)(const void *)(rows + 16 * (scale[i >> shift] & 255));
        __m256i low = _mm256_loadu_si256(row), high = _mm256_loadu_si256(row + 1);
        SF8_OPS(put)(dst, i, SF8_OPS(values)(codes + i / 2, low, high));
        SF8_OPS(put)(dst, i + 8, SF8_OPS(values)(codes + i / 2 + 4, low, high));
    }
}
#define SF8_OPS_SCALE4 SF8_OPS(scale4)
#define SF8_OPS_FIND4 SF8_OPS(find4)

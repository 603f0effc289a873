/* SPDX-License-Identifier: MIT */
/* four_bits_avx512.h -- reads blocks of codes of 4 bits; included by the level avx512 */
/* Sixteen codes are 64 bits, from which each lane takes its own; the permutation uses only the low
 * four bits. */
SF8_ON_FN __m512i SF8_OPS(values)(const uint8_t *codes, __m512i values)
{
    const __m512i places = _mm512_set_epi32(60, 56, 52, 48, 44, 40, 36, 32, 28, 24, 20, 16, 12, 8,
                                            4, 0);
    int64_t word;
    memcpy(&word, codes, 8);
    __m512i code = _mm512_multishift_epi64_epi8(places, _mm512_set1_epi64(word));
    return _mm512_permutexvar_epi32(code, values);
}

SF8_TARGET static void SF8_OPS(scale4)(void *dst, const uint8_t *codes, const uint32_t *value,
                                       const uint32_t *factor, int32_t shift, size_t n)
{
    const __m512i table = _mm512_loadu_si512(value);
    for (size_t i = 0; i < n; i += 16) {
        SF8_U r = (SF8_U)SF8_OPS(values)(codes + i / 2, table);
        SF8_U f = (SF8_U)_mm512_set1_epi32((int32_t)factor[i >> shift]);
        _mm512_storeu_si512((unsigned char *)dst + 4 * i, (__m512i)SF8_ON(mul)(f, r));
    }
}

SF8_TARGET static void SF8_OPS(find4)(void *dst, const uint8_t *codes, const uint32_t *rows,
                                      const uint32_t *scale, int32_t shift, size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        __m512i row = _mm512_loadu_si512(rows + 16 * (scale[i >> shift] & 255));
        _mm512_storeu_si512((unsigned char *)dst + 4 * i, SF8_OPS(values)(codes + i / 2, row));
    }
}
#define SF8_OPS_SCALE4 SF8_OPS(scale4)
#define SF8_OPS_FIND4 SF8_OPS(find4)

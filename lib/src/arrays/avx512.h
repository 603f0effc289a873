/* SPDX-License-Identifier: MIT */
/* avx512.h -- loops over arrays that AVX-512 does in its own way: f64, bytes looked up, random
 * words
 */
/* ---- f64 ------------------------------------------------------------------------------------- */

/* Where toward zero changes a number, its last bit becomes 1. Whether it does, the number itself
 * says, widened again. */
SF8_ON_FN __m256i SF8_ON(odd)(__m512d x)
{
    __m256 y = _mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    __mmask8 cut = _mm512_cmp_pd_mask(_mm512_cvtps_pd(y), x, _CMP_NEQ_UQ);
    __m256i word = _mm256_castps_si256(y);
    return _mm256_mask_or_epi32(word, cut, word, _mm256_set1_epi32(1));
}

/* sf8_narrow_half says what is added. */
SF8_ON_FN __m256i SF8_ON(away)(__m512d x, __m512d half)
{
    const __m512i field = _mm512_set1_epi64(SF8_F64_FIELD), sign = _mm512_set1_epi64(INT64_MIN);
    const __m512i least = _mm512_set1_epi64(SF8_F64_LEAST);
    __m512i bits = _mm512_castpd_si512(x);
    __m512i unit = _mm512_max_epi64(_mm512_and_si512(bits, field), least);
    __m512i more = _mm512_castpd_si512(_mm512_mul_pd(_mm512_castsi512_pd(unit), half));
    more = _mm512_or_si512(more, _mm512_and_si512(bits, sign));
    /* with a mask of all, since gcc's text without one warns when it is a macro */
    x = _mm512_maskz_add_round_pd(255, x, _mm512_castsi512_pd(more),
                                  _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC);
    return _mm256_castps_si256(_mm512_cvt_roundpd_ps(x, _MM_FROUND_TO_ZERO | _MM_FROUND_NO_EXC));
}

/* As sf8_256_eight_far of avx2.c. */
SF8_ON_FN __m512i SF8_ON(sixteen_far)(const unsigned char *src, __m512i bound)
{
    enum { ONE = 1 << 20, LARGEST = 255 * ONE - 1 };
    const __m512i even = _mm512_set_epi32(30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2,
                                          0);
    const __m512i odd = _mm512_or_si512(even, _mm512_set1_epi32(1));
    __m512i a = _mm512_loadu_si512(src), b = _mm512_loadu_si512(src + 64);
    __m512i low = _mm512_permutex2var_epi32(a, even, b);
    __m512i high = _mm512_permutex2var_epi32(a, odd, b);
    __m512i x = _mm512_min_epu32(low, _mm512_set1_epi32(1));
    x = _mm512_or_si512(x, _mm512_and_si512(high, _mm512_set1_epi32(INT32_MAX)));
    __m512i word = _mm512_max_epi32(_mm512_sub_epi32(x, _mm512_set1_epi32(896 * ONE)),
                                    _mm512_set1_epi32(ONE));
    word = _mm512_min_epi32(word, _mm512_set1_epi32(LARGEST));
    word = _mm512_max_epi32(word, _mm512_sub_epi32(x, _mm512_set1_epi32(1792 * ONE)));
    word = _mm512_maskz_slli_epi32(_mm512_cmpge_epi32_mask(x, bound), word, 3);
    return _mm512_or_si512(word, _mm512_and_si512(high, _mm512_set1_epi32(INT32_MIN)));
}

/* Whole steps of sixteen. Returns how many numbers that was. */
SF8_ON_FN size_t SF8_ON(narrowed_far)(unsigned char *dst, const unsigned char *src, size_t n,
                                      int32_t least, int32_t *any)
{
    const __m512i bound = _mm512_set1_epi32(least ? least : 1); /* zero stays zero */
    __m512i most = _mm512_set1_epi32(0);
    size_t i = 0;
    for (; n - i >= 16; i += 16) {
        __m512i word = SF8_ON(sixteen_far)(src + 8 * i, bound);
        most = _mm512_max_epi32(most, _mm512_and_si512(word, _mm512_set1_epi32(INT32_MAX)));
        _mm512_storeu_si512(dst + 4 * i, word);
    }
    *any = _mm512_cmpgt_epi32_mask(most, _mm512_set1_epi32(SF8_F32_LARGEST - 1)) != 0;
    return i;
}

/* Where the mode is no constant, it is that of MXCSR. */
SF8_ON_FN int32_t SF8_ON(narrowed)(unsigned char *dst, const unsigned char *src, size_t n,
                                   int32_t least, int32_t round, double half)
{
    const __m256i magnitude = _mm256_set1_epi32(INT32_MAX);
    __m256i most = _mm256_setzero_si256();
    const __m512i bound = _mm512_set1_epi64((long long)least << 32);
    const __m512i no_sign = _mm512_set1_epi64(INT64_MAX), sign = _mm512_set1_epi64(INT64_MIN);
    for (size_t i = 0; i < n; i += 8) {
        __mmask8 there = n - i < 8 ? (__mmask8)((1u << (n - i)) - 1) : 255;
        __m512i bits = _mm512_maskz_loadu_epi64(there, src + 8 * i);
        __mmask8 below = _mm512_cmplt_epi64_mask(_mm512_and_si512(bits, no_sign), bound);
        __m512d x = _mm512_castsi512_pd(_mm512_mask_and_epi64(bits, below, bits, sign));
        __m256i y = round == SF8_RO    ? SF8_ON(odd)(x)
                    : round == SF8_RNA ? SF8_ON(away)(x, _mm512_set1_pd(half))
                                       : _mm256_castps_si256(_mm512_cvtpd_ps(x));
        most = _mm256_max_epi32(most, _mm256_and_si256(y, magnitude));
        _mm256_mask_storeu_epi32(dst + 4 * i, there, y);
    }
    return _mm256_cmpge_epi32_mask(most, _mm256_set1_epi32(SF8_F32_LARGEST)) != 0;
}

SF8_TARGET static SF8_NOINLINE int32_t SF8_ON(narrow_loop)(unsigned char *dst,
                                                           const unsigned char *src, size_t n,
                                                           int32_t least, int32_t round)
{
    int32_t any = 0;
    size_t done = 0;
    if (round == SF8_RNA || round == SF8_RNZ)
        return SF8_ON(narrowed)(dst, src, n, least, SF8_RNA, sf8_narrow_half(round));
    if (round == SF8_NARROW_FAR)
        done = SF8_ON(narrowed_far)(dst, src, n, least, &any);
    if (round == SF8_RO || round == SF8_NARROW_FAR)
        return any | SF8_ON(narrowed)(dst + 4 * done, src + 8 * done, n - done, least, SF8_RO, 0);
    return SF8_ON(narrowed)(dst, src, n, least, SF8_RNE, 0);
}

/* Subnormal numbers are kept, which an instruction does not say. */
static int32_t SF8_ON(narrow)(unsigned char *dst, const unsigned char *src, size_t n, int32_t least,
                              int32_t round)
{
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(sf8_mxcsr(round));
    int32_t any = SF8_ON(narrow_loop)(dst, src, n, least, round);
    _mm_setcsr(mxcsr);
    return any;
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* The low and the high bytes of a table of 256 elements, 64 to a register. */
typedef struct sf8_wide_table {
    __m512i low[4], high[4];
} sf8_wide_table;

SF8_ON_FN void SF8_ON(table)(sf8_wide_table *t, const uint16_t *table)
{
    const __m512i even = _mm512_set_epi8(
        126, 124, 122, 120, 118, 116, 114, 112, 110, 108, 106, 104, 102, 100, 98, 96, 94, 92, 90,
        88, 86, 84, 82, 80, 78, 76, 74, 72, 70, 68, 66, 64, 62, 60, 58, 56, 54, 52, 50, 48, 46, 44,
        42, 40, 38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi8(even, _mm512_set1_epi8(1));
    for (size_t i = 0; i < 4; i++) {
        __m512i a = _mm512_loadu_si512(table + 64 * i);
        __m512i b = _mm512_loadu_si512(table + 64 * i + 32);
        t->low[i] = _mm512_permutex2var_epi8(a, even, b);
        t->high[i] = _mm512_permutex2var_epi8(a, odd, b);
    }
}

SF8_ON_FN __m512i SF8_ON(look_up)(const __m512i *half, __m512i codes, __mmask64 upper)
{
    return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(half[0], codes, half[1]), upper,
                                _mm512_permutex2var_epi8(half[2], codes, half[3]));
}

/* 64 codes to two registers of 16-bit elements or four of 32-bit elements. Unpacking works in
 * quarters of a register, so that the codes are first moved to where it reads them. */
SF8_ON_FN void SF8_ON(words)(const sf8_wide_table *t, __m512i codes, int32_t widen, __m512i *words)
{
    const __m512i narrow = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    const __m512i wide = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    codes = widen ? _mm512_maskz_permutexvar_epi32(0xffff, wide, codes)
                  : _mm512_permutexvar_epi64(narrow, codes);
    __mmask64 upper = _mm512_movepi8_mask(codes);
    __m512i low = SF8_ON(look_up)(t->low, codes, upper);
    __m512i high = SF8_ON(look_up)(t->high, codes, upper);
    __m512i first = _mm512_unpacklo_epi8(low, high), second = _mm512_unpackhi_epi8(low, high);
    if (!widen) {
        words[0] = first;
        words[1] = second;
        return;
    }
    const __m512i zero = _mm512_setzero_si512();
    words[0] = _mm512_unpacklo_epi16(zero, first);
    words[1] = _mm512_unpackhi_epi16(zero, first);
    words[2] = _mm512_unpacklo_epi16(zero, second);
    words[3] = _mm512_unpackhi_epi16(zero, second);
}

/* `count` words, at most 64. */
SF8_ON_FN void SF8_ON(some_words)(const sf8_wide_table *t, int32_t widen, unsigned char *dst,
                                  const uint8_t *src, size_t count)
{
    uint64_t mask = UINT64_MAX >> (64 - count);
    __m512i words[4];
    SF8_ON(words)(t, _mm512_maskz_loadu_epi8(mask, src), widen, words);
    if (widen) {
        for (size_t i = 0; i < 4; i++)
            _mm512_mask_storeu_epi32(dst + 64 * i, (__mmask16)(mask >> 16 * i), words[i]);
    } else {
        for (size_t i = 0; i < 2; i++)
            _mm512_mask_storeu_epi16(dst + 64 * i, (__mmask32)(mask >> 32 * i), words[i]);
    }
}

SF8_ON_FN size_t SF8_ON(decode_loop)(const sf8_wide_table *t, int32_t widen, unsigned char *dst,
                                     const uint8_t *src, size_t n, int32_t stream)
{
    size_t count = widen ? 4 : 2, i = 0;
    __m512i words[4];
    for (; n - i >= 64; i += 64) {
        SF8_ON(words)(t, _mm512_loadu_si512(src + i), widen, words);
        for (size_t j = 0; j < count; j++) {
            unsigned char *to = dst + (i * count + 64 * j);
            if (stream)
                _mm512_stream_si512((__m512i *)(void *)to, words[j]);
            else
                _mm512_storeu_si512(to, words[j]);
        }
    }
    return i;
}

SF8_ON_FN void SF8_ON(decoded)(const uint16_t *table, int32_t widen, unsigned char *dst,
                               const uint8_t *src, size_t n)
{
    size_t width = widen ? 4 : 2, i;
    sf8_wide_table t;
    SF8_ON(table)(&t, table);
    /* streaming stores need a destination that is aligned in steps of its elements */
    if (n >= SF8_STREAM_BYTES / width && (uintptr_t)dst % width == 0) {
        size_t head = ((0 - (size_t)(uintptr_t)dst) & 63) / width;
        if (head)
            SF8_ON(some_words)(&t, widen, dst, src, head);
        dst += head * width;
        src += head;
        n -= head;
        i = SF8_ON(decode_loop)(&t, widen, dst, src, n, 1);
        _mm_sfence();
    } else {
        i = SF8_ON(decode_loop)(&t, widen, dst, src, n, 0);
    }
    if (i < n)
        SF8_ON(some_words)(&t, widen, dst + i * width, src + i, n - i);
}

SF8_TARGET static void SF8_ON(decode)(const uint16_t *table, int32_t widen, unsigned char *dst,
                                      const uint8_t *src, size_t n)
{
    if (widen)
        SF8_ON(decoded)(table, 1, dst, src, n);
    else
        SF8_ON(decoded)(table, 0, dst, src, n);
}

/* The table is in four registers. Bit 7 of a byte selects two of them. */
SF8_TARGET static void SF8_ON(byte_table)(const uint8_t *table, uint8_t *dst, const uint8_t *src,
                                          size_t n)
{
    __m512i t[4];
    for (int32_t k = 0; k < 4; k++)
        t[k] = _mm512_loadu_si512(table + 64 * k);
    for (size_t i = 0; i < n; i += 64) {
        __mmask64 there = n - i < 64 ? ((__mmask64)1 << (n - i)) - 1 : ~(__mmask64)0;
        __m512i x = _mm512_maskz_loadu_epi8(there, src + i);
        __m512i low = _mm512_permutex2var_epi8(t[0], x, t[1]);
        __m512i high = _mm512_permutex2var_epi8(t[2], x, t[3]);
        _mm512_mask_storeu_epi8(dst + i, there,
                                _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(x), high));
    }
}

/* ---- random words ---------------------------------------------------------------------------- */

/* As in avx2.c, sixteen counters at a time. */
SF8_ON_FN void SF8_ON(philox)(__m512i x[4], __m512i low_key, __m512i high_key)
{
    enum { XOR3 = 0x96 };
    __m512i a = _mm512_mul_epu32(x[0], _mm512_set1_epi64(0xd2511f53));
    __m512i b = _mm512_mul_epu32(x[2], _mm512_set1_epi64(0xcd9e8d57));
    x[0] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(b, 32), x[1], low_key, XOR3);
    x[2] = _mm512_ternarylogic_epi64(_mm512_srli_epi64(a, 32), x[3], high_key, XOR3);
    x[1] = b;
    x[3] = a;
}

SF8_ON_FN void SF8_ON(put_random)(uint32_t *words, const __m512i x[4])
{
    __m512i p = _mm512_mask_blend_epi32(0xaaaa, x[0], _mm512_slli_epi64(x[1], 32));
    __m512i q = _mm512_mask_blend_epi32(0xaaaa, x[2], _mm512_slli_epi64(x[3], 32));
    const __m512i first = _mm512_setr_epi64(0, 8, 1, 9, 2, 10, 3, 11);
    const __m512i second = _mm512_setr_epi64(4, 12, 5, 13, 6, 14, 7, 15);
    _mm512_storeu_si512(words, _mm512_permutex2var_epi64(p, first, q));
    _mm512_storeu_si512(words + 16, _mm512_permutex2var_epi64(p, second, q));
}

SF8_TARGET static void SF8_ON(random)(uint32_t *words, size_t n, uint64_t seed, uint64_t counter)
{
    __m512i at = _mm512_add_epi64(_mm512_set1_epi64((long long)counter),
                                  _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7));
    for (size_t i = 0; i < n; i += 64) {
        __m512i low_key = _mm512_set1_epi64((long long)(seed & UINT32_MAX));
        __m512i high_key = _mm512_set1_epi64((long long)(seed >> 32));
        __m512i more = _mm512_add_epi64(at, _mm512_set1_epi64(8)), zero = _mm512_setzero_si512();
        __m512i x[4] = {at, _mm512_srli_epi64(at, 32), zero, zero};
        __m512i y[4] = {more, _mm512_srli_epi64(more, 32), zero, zero};
        for (int32_t round = 0; round < 10; round++) {
            SF8_ON(philox)(x, low_key, high_key);
            SF8_ON(philox)(y, low_key, high_key);
            low_key = _mm512_add_epi64(low_key, _mm512_set1_epi64(0x9e3779b9));
            high_key = _mm512_add_epi64(high_key, _mm512_set1_epi64(0xbb67ae85));
        }
        SF8_ON(put_random)(words + i, x);
        SF8_ON(put_random)(words + i + 32, y);
        at = _mm512_add_epi64(at, _mm512_set1_epi64(16));
    }
}

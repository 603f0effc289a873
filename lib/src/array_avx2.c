/* SPDX-License-Identifier: MIT */
/* array_avx2.c -- the kernels for AVX2
 *
 * The way of array_avx512.c with eight lanes. Here an addition rounds as MXCSR says and leaves its
 * flags there, so MXCSR is set for the loop, to nearest and without exceptions, and put back. The
 * loop is in a function of its own, out of which nothing can be moved.
 */
#include "array.h"

#if SF8_HAS_X86

#include <immintrin.h>
#include <string.h>

#define SF8_TARGET __attribute__((target("avx2,f16c,fma")))
#define SF8_SHIFTS 1
#define SF8_LEVEL(name) sf8_avx2_##name
#include "array_words.h"
#undef SF8_LEVEL
#undef SF8_SHIFTS

#define SF8_256 SF8_TARGET static inline __attribute__((always_inline))

typedef struct sf8_half_plan {
    __m256i magnitude, clamp, exponent, least, special, special_code, special_sign, sign;
    __m256i low_byte, shift, sign_shift;
    __m256 magic;
} sf8_half_plan;

SF8_256 sf8_half_plan sf8_256_plan(const sf8_plan *p)
{
    sf8_half_plan w;
    int32_t drop = 23 - p->man_bits, sign_bit = 0;
    int32_t code_base = (int32_t)(0u - ((uint32_t)p->least << p->man_bits)) & 255;
    while (p->sign >> sign_bit != 1)
        sign_bit++;
    w.magnitude = _mm256_set1_epi32(0x7fffffff);
    w.exponent = _mm256_set1_epi32(0x7f800000);
    w.clamp = _mm256_set1_epi32(p->clamp);
    w.least = _mm256_set1_epi32(p->least << 23);
    w.magic = _mm256_castsi256_ps(_mm256_set1_epi32(((127 + drop) << 23) + code_base));
    w.special = _mm256_set1_epi32(p->special);
    w.special_code = _mm256_set1_epi32(p->special_code);
    w.special_sign = _mm256_set1_epi32(p->special_sign);
    w.sign = _mm256_set1_epi32(p->sign);
    w.low_byte = _mm256_set1_epi32(255);
    w.shift = _mm256_set1_epi32(drop);
    w.sign_shift = _mm256_set1_epi32(31 - sign_bit);
    return w;
}

/* The codes of eight words of f32, one in each lane. */
SF8_256 __m256i sf8_256_codes(const sf8_half_plan *w, __m256i x)
{
    __m256i magnitude = _mm256_and_si256(x, w->magnitude);
    __m256i a = _mm256_min_epi32(magnitude, w->clamp);
    __m256i field = _mm256_max_epi32(_mm256_and_si256(a, w->exponent), w->least);
    __m256 sum = _mm256_fmadd_ps(_mm256_castsi256_ps(field), w->magic, _mm256_castsi256_ps(a));
    __m256i code = _mm256_add_epi32(_mm256_castps_si256(sum), _mm256_srlv_epi32(field, w->shift));
    __m256i sign = _mm256_and_si256(_mm256_srlv_epi32(x, w->sign_shift), w->sign);
    code = _mm256_or_si256(_mm256_and_si256(code, w->low_byte), sign);
    __m256i other = _mm256_or_si256(w->special_code, _mm256_and_si256(sign, w->special_sign));
    return _mm256_blendv_epi8(code, other, _mm256_cmpgt_epi32(magnitude, w->special));
}

SF8_256 __m256i sf8_256_load(const unsigned char *src, size_t at, int32_t source)
{
    if (source == SF8_SOURCE_F32)
        return _mm256_loadu_si256((const __m256i *)(const void *)(src + 4 * at));
    __m128i half = _mm_loadu_si128((const __m128i *)(const void *)(src + 2 * at));
    if (source == SF8_SOURCE_BF16)
        return _mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16);
    return _mm256_castps_si256(_mm256_cvtph_ps(half));
}

SF8_256 __m256i sf8_256_step(const sf8_half_plan *w, const unsigned char *src, size_t at,
                             int32_t source)
{
    const __m256i order = _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0);
    __m256i a = sf8_256_codes(w, sf8_256_load(src, at, source));
    __m256i b = sf8_256_codes(w, sf8_256_load(src, at + 8, source));
    __m256i c = sf8_256_codes(w, sf8_256_load(src, at + 16, source));
    __m256i d = sf8_256_codes(w, sf8_256_load(src, at + 24, source));
    __m256i codes = _mm256_packus_epi16(_mm256_packus_epi32(a, b), _mm256_packus_epi32(c, d));
    return _mm256_permutevar8x32_epi32(codes, order);
}

SF8_256 size_t sf8_256_loop(const sf8_half_plan *w, int32_t source, uint8_t *dst,
                            const unsigned char *src, size_t n, int32_t ahead, int32_t stream)
{
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2, i = 0;
    for (; n - i >= 32; i += 32) {
        if (ahead)
            for (size_t line = 0; line < 32 * width; line += 64)
                _mm_prefetch((const char *)((uintptr_t)(src + i * width) + 2048 + line),
                             _MM_HINT_T0);
        __m256i codes = sf8_256_step(w, src, i, source);
        if (stream)
            _mm256_stream_si256((__m256i *)(void *)(dst + i), codes);
        else
            _mm256_storeu_si256((__m256i *)(void *)(dst + i), codes);
    }
    return i;
}

/* `count` codes, at most 32, by way of memory of our own. */
SF8_256 void sf8_256_some(const sf8_half_plan *w, int32_t source, uint8_t *dst,
                          const unsigned char *src, size_t count)
{
    unsigned char words[128] = {0}, codes[32];
    memcpy(words, src, count * (source == SF8_SOURCE_F32 ? 4 : 2));
    _mm256_storeu_si256((__m256i *)(void *)codes, sf8_256_step(w, words, 0, source));
    memcpy(dst, codes, count);
}

SF8_256 void sf8_256_array(const sf8_plan *plan, int32_t source, uint8_t *dst,
                           const unsigned char *src, size_t n)
{
    const sf8_half_plan w = sf8_256_plan(plan);
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2, i;
    if (n >= SF8_STREAM_BYTES) {
        size_t head = (0 - (size_t)(uintptr_t)dst) & 31;
        if (head)
            sf8_256_some(&w, source, dst, src, head);
        dst += head;
        src += head * width;
        n -= head;
        i = sf8_256_loop(&w, source, dst, src, n, 1, 1);
        _mm_sfence();
    } else if (n >= 16384) {
        i = sf8_256_loop(&w, source, dst, src, n, 1, 0);
    } else {
        i = sf8_256_loop(&w, source, dst, src, n, 0, 0);
    }
    if (i < n)
        sf8_256_some(&w, source, dst + i, src + i * width, n - i);
}

SF8_TARGET static __attribute__((noinline)) void
sf8_avx2_add(const sf8_plan *plan, int32_t source, uint8_t *dst, const unsigned char *src, size_t n)
{
    if (source == SF8_SOURCE_F32)
        sf8_256_array(plan, SF8_SOURCE_F32, dst, src, n);
    else if (source == SF8_SOURCE_BF16)
        sf8_256_array(plan, SF8_SOURCE_BF16, dst, src, n);
    else
        sf8_256_array(plan, SF8_SOURCE_F16, dst, src, n);
}

static void sf8_avx2_plain(const sf8_plan *plan, int32_t source, uint8_t *dst,
                           const unsigned char *src, size_t n)
{
    enum { TO_NEAREST_NO_EXCEPTION = 0x1f80 };
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(TO_NEAREST_NO_EXCEPTION);
    sf8_avx2_add(plan, source, dst, src, n);
    _mm_setcsr(mxcsr);
}

static void sf8_avx2_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                            const uint8_t *src, size_t n)
{
    sf8_portable_kernels()->decode(table, widen, dst, src, n);
}

SF8_PRIVATE const sf8_kernels *sf8_avx2_kernels(void)
{
    static const sf8_kernels kernels = {"avx2", sf8_avx2_encode, sf8_avx2_plain, NULL,
                                        sf8_avx2_decode};
    return &kernels;
}

#undef SF8_256
#undef SF8_TARGET
#endif

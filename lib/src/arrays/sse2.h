/* SPDX-License-Identifier: MIT */
/* sse2.h -- the kernels for any x86-64: plain plans; blocks scaled, converted and packed in one
 * pass
 *
 * They work like f32_kernel.h with four lanes: rounding is a sum of floats. Where it matters,
 * operations are written out, since a compiler may assume that there is no NaN, and that a division
 * may be a multiplication. A minimum of floats is one instruction, of integers it is none; if one
 * of the two is NaN the second is taken, which is the clamp.
 */
#define SF8_SSE(op, a, b) ((__m128i)SF8_ON(op)((SF8_U)(a), (SF8_U)(b)))

typedef struct sf8_sse_plan {
    __m128i magnitude, exponent, clamp, least, up, low_byte, more;
    __m128i special, special_code, special_sign, sign;
    __m128i drop;
} sf8_sse_plan;

/* `up` has what the code of the smallest normal number begins with, taken off in the sum. */
static sf8_sse_plan sf8_sse_plan_of(const sf8_plan *p, uint32_t more)
{
    sf8_sse_plan w;
    int32_t drop = 23 - p->man_bits;
    int32_t code_base = (int32_t)(0u - ((uint32_t)p->least << p->man_bits)) & 255;
    w.magnitude = _mm_set1_epi32(0x7fffffff);
    w.exponent = _mm_set1_epi32(0x7f800000);
    w.clamp = _mm_set1_epi32(p->clamp);
    w.least = _mm_set1_epi32((int32_t)((uint32_t)p->least << 23));
    w.up = _mm_set1_epi32((drop << 23) + code_base);
    w.low_byte = _mm_set1_epi32(255);
    w.more = _mm_set1_epi32((int32_t)more);
    w.special = _mm_set1_epi32(p->special);
    w.special_code = _mm_set1_epi8((char)p->special_code);
    w.special_sign = _mm_set1_epi8((char)p->special_sign);
    w.sign = _mm_set1_epi8((char)p->sign);
    w.drop = _mm_cvtsi32_si128(drop);
    return w;
}

/* The low bytes of sixteen words below 256; or of words that are all ones or zero. */
SF8_INLINED __m128i sf8_sse_pack(const __m128i a[4])
{
    return _mm_packus_epi16(_mm_packs_epi32(a[0], a[1]), _mm_packs_epi32(a[2], a[3]));
}

SF8_INLINED __m128i sf8_sse_pack_signed(const __m128i a[4])
{
    return _mm_packs_epi16(_mm_packs_epi32(a[0], a[1]), _mm_packs_epi32(a[2], a[3]));
}

/* The magnitude of the code. */
SF8_INLINED __m128i sf8_sse_rounded(const sf8_sse_plan *w, __m128i magnitude)
{
    __m128i a = SF8_SSE(least, magnitude, w->clamp);
    __m128i field = SF8_SSE(most, _mm_and_si128(a, w->exponent), w->least);
    __m128i sum = SF8_SSE(add, a, _mm_add_epi32(field, w->up));
    return _mm_and_si128(_mm_add_epi32(sum, _mm_srl_epi32(field, w->drop)), w->low_byte);
}

/* The codes of sixteen words. Their signs stay when words are packed with saturation. */
SF8_INLINED __m128i sf8_sse_codes(const sf8_sse_plan *w, const __m128i x[4], int32_t how)
{
    __m128i code[4], is[4];
    for (size_t k = 0; k < 4; k++) {
        __m128i magnitude = _mm_and_si128(x[k], w->magnitude);
        code[k] = sf8_sse_rounded(w, magnitude);
        is[k] = _mm_cmpgt_epi32(magnitude, w->special);
    }
    __m128i negative = _mm_cmpgt_epi8(_mm_setzero_si128(), sf8_sse_pack_signed(x));
    __m128i codes = _mm_or_si128(sf8_sse_pack(code), _mm_and_si128(negative, w->sign));
    if (how == SF8_BY_MAGNITUDE)
        return codes;
    __m128i special = _mm_or_si128(w->special_code, _mm_and_si128(negative, w->special_sign));
    __m128i any = sf8_sse_pack_signed(is);
    return _mm_or_si128(_mm_and_si128(any, special), _mm_andnot_si128(any, codes));
}

/* ---- plain plans ----------------------------------------------------------------------------- */

static inline uint32_t sf8_sse_less(uint32_t a, uint32_t b)
{
    float x, y;
    memcpy(&x, &a, 4);
    memcpy(&y, &b, 4);
    x -= y;
    memcpy(&a, &x, 4);
    return a;
}

/* What is subnormal in f16 has a normal number's exponent first, and that is taken off again. */
static inline uint32_t sf8_sse_widened(uint16_t half)
{
    uint32_t magnitude = half & 0x7fffu, a = (magnitude << 13) + ((uint32_t)112 << 23);
    uint32_t small = sf8_sse_less(a + ((uint32_t)1 << 23), 0x38800000); /* 2^-14 */
    uint32_t is_small = (uint32_t) - (magnitude < 0x0400);
    a += ((uint32_t)112 << 23) & (uint32_t) - (magnitude >= 0x7c00);
    return (small & is_small) | (a & ~is_small) | (uint32_t)(half & 0x8000) << 16;
}

enum { SF8_SSE_BLOCK = 256 };

static void sf8_sse_words(uint32_t *words, int32_t source, const unsigned char *src, size_t n)
{
    uint16_t halves[SF8_SSE_BLOCK];
    if (source == SF8_SOURCE_F32) {
        memcpy(words, src, 4 * n);
        return;
    }
    memcpy(halves, src, 2 * n);
    if (source == SF8_SOURCE_BF16)
        for (size_t i = 0; i < n; i++)
            words[i] = (uint32_t)halves[i] << 16;
    else
        for (size_t i = 0; i < n; i++)
            words[i] = sf8_sse_widened(halves[i]);
}

/* Whole steps of 16. */
SF8_INLINED void sf8_sse_steps(const sf8_sse_plan *w, uint8_t *dst, const unsigned char *src,
                               size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        __m128i x[4];
        _mm_prefetch((const char *)((uintptr_t)src + 4 * i + 2048), _MM_HINT_T0);
        for (size_t k = 0; k < 4; k++)
            x[k] = _mm_loadu_si128((const __m128i *)(const void *)(src + 4 * i + 16 * k));
        _mm_storeu_si128((__m128i *)(void *)(dst + i), sf8_sse_codes(w, x, SF8_NO_SHORTCUT));
    }
}

/* Whole steps of f32 are read where they are; what is less, and other sources, goes by way of
 * memory of our own, which is also written to in whole steps. dst may be src. */
static __attribute__((noinline)) void sf8_sse_array(const sf8_plan *plan, int32_t source,
                                                    uint8_t *dst, const unsigned char *src,
                                                    size_t n)
{
    const sf8_sse_plan w = sf8_sse_plan_of(plan, 0);
    uint32_t words[SF8_SSE_BLOCK] = {0};
    uint8_t codes[SF8_SSE_BLOCK];
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2;
    size_t i = source == SF8_SOURCE_F32 ? n - n % 16 : 0;
    sf8_sse_steps(&w, dst, src, i);
    for (; i < n; i += SF8_SSE_BLOCK) {
        size_t count = n - i < (size_t)SF8_SSE_BLOCK ? n - i : (size_t)SF8_SSE_BLOCK;
        sf8_sse_words(words, source, src + i * width, count);
        sf8_sse_steps(&w, codes, (const unsigned char *)words, (count + 15) / 16 * 16);
        memcpy(dst + i, codes, count);
    }
}

static void sf8_plain_sse2(const sf8_plan *plan, int32_t source, uint8_t *dst,
                           const unsigned char *src, size_t n)
{
    unsigned int mxcsr = sf8_floats_begin();
    sf8_sse_array(plan, source, dst, src, n);
    sf8_floats_end(mxcsr);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Sixteen words of one block. */
SF8_INLINED __m128i sf8_sse_step(const sf8_sse_plan *w, int32_t how, int32_t divide,
                                 const uint32_t *x, uint32_t factor)
{
    __m128i f = _mm_set1_epi32((int32_t)factor), y[4];
    for (size_t k = 0; k < 4; k++) {
        y[k] = _mm_loadu_si128((const __m128i *)(const void *)(x + 4 * k));
        y[k] = divide ? SF8_SSE(add, SF8_SSE(div, y[k], f), w->more) : SF8_SSE(mul, f, y[k]);
    }
    return sf8_sse_codes(w, y, how);
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

static void sf8_scaled_sse2(const sf8_plan *plan, const sf8_scaling *s, uint8_t *dst,
                            const uint32_t *x, const uint32_t *factor, size_t n)
{
    const sf8_sse_plan w = sf8_sse_plan_of(plan, s->more);
    if (s->divide)
        sf8_sse_scaled(&w, s, SF8_NO_SHORTCUT, 1, dst, x, factor, n);
    else if (s->how == SF8_BY_MAGNITUDE)
        sf8_sse_scaled(&w, s, SF8_BY_MAGNITUDE, 0, dst, x, factor, n);
    else
        sf8_sse_scaled(&w, s, SF8_NO_SHORTCUT, 0, dst, x, factor, n);
}
#undef SF8_SSE

/* SPDX-License-Identifier: MIT */
/* wide_kernel.h -- from f32 to formats of more than 8 bits, and stochastic rounding, in plain C
 *
 * It is included once for each level, after round_kernel.h, with the same macros, and SF8_SR_TOO: 0
 * where stochastic rounding is written with instructions. Integers alone, and masks in place of
 * branches, so that a compiler turns the loops into vectors.
 *
 * The leading one of a significand is put at bit 30. A number too small to be normal in the target
 * is shifted to the right; if a bit is lost, the last one is set. That does not change a rounding,
 * because at least 10 bits are cut off afterwards. A shift by man_bits + 2 is enough: the number is
 * then below half of the smallest one. Stochastic rounding distinguishes smaller numbers, and
 * shifts by up to 31. sf8_core_increment says why its carry is the right one.
 */
SF8_TARGET SF8_INLINED uint32_t SF8_LEVEL(wide_shifted)(uint32_t sig, int32_t distance)
{
#if SF8_SHIFTS
    uint32_t lost = sig & (((uint32_t)1 << distance) - 1);
    return (sig >> distance) | (lost != 0);
#else
    uint32_t lost = 0;
#define SF8_BY(log2)                                                                               \
    {                                                                                              \
        uint32_t by = (uint32_t) - (distance >> log2 & 1);                                         \
        lost |= sig & (((uint32_t)1 << (1 << log2)) - 1) & by;                                     \
        sig ^= (sig ^ (sig >> (1 << log2))) & by;                                                  \
    }
    SF8_BY(4)
    SF8_BY(3)
    SF8_BY(2)
    SF8_BY(1)
    SF8_BY(0)
#undef SF8_BY
    return sig | (lost != 0);
#endif
}

/* The significand, shifted, whose low `cut` bits are to be cut off; *base: what the exponent adds
 * to the code. */
SF8_TARGET SF8_INLINED uint32_t SF8_LEVEL(wide_sig)(const sf8_plan p, int32_t a, int32_t *base)
{
    enum { ONE = 1 << 23 };
    int32_t normal = -(a >= ONE), above = (a >> 23) + 1 + normal - p.least;
    uint32_t sig = (uint32_t)((a & (ONE - 1)) | (normal & ONE)) << 7;
    int32_t below = SF8_LEVEL(positive)(-above);
    below = p.far - SF8_LEVEL(positive)(p.far - below);
    *base = (int32_t)((uint32_t)SF8_LEVEL(positive)(above) << p.man_bits);
    return SF8_LEVEL(wide_shifted)(sig, below);
}

/* A magnitude with its sign, and without what is flushed. */
SF8_TARGET SF8_INLINED int32_t SF8_LEVEL(wide_signed)(const sf8_plan p, int32_t code,
                                                      int32_t negative)
{
    code &= -(code >= p.flush_out);
    return code | (p.neg_add & negative & -((code | p.zero_sign) != 0));
}

SF8_TARGET SF8_INLINED uint32_t SF8_LEVEL(wide_code)(const sf8_plan p, const SF8_LEVEL(more) more,
                                                     uint32_t word, int32_t round)
{
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31), base;
    a &= -(a >= p.flush_in);
    uint32_t sig = SF8_LEVEL(wide_sig)(p, a, &base);
    int32_t code = SF8_LEVEL(cut_off)(sig, p.cut, more, negative, round);
    code = SF8_LEVEL(wide_signed)(p, code + base, negative);
    code = SF8_LEVEL(classed)(p.over, a, negative, code);
    code = SF8_LEVEL(classed)(p.inf, a, negative, code);
    return (uint32_t)SF8_LEVEL(classed)(p.nan, a, negative, code);
}

/* The code of what is no number or overflows, or the one that was found. */
SF8_TARGET SF8_INLINED uint16_t SF8_LEVEL(half_code)(const sf8_plan p, uint32_t word, int32_t code)
{
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31);
    code = SF8_LEVEL(classed)(p.over, a, negative, code);
    code = SF8_LEVEL(classed)(p.inf, a, negative, code);
    return (uint16_t)SF8_LEVEL(classed)(p.nan, a, negative, code);
}

#define SF8_WIDE_LOOP(name, type, mode)                                                            \
    SF8_TARGET static void SF8_LEVEL(name)(const sf8_plan *plan, unsigned char *dst,               \
                                           const unsigned char *src, size_t n)                     \
    {                                                                                              \
        const sf8_plan p = *plan;                                                                  \
        const SF8_LEVEL(more) more = SF8_LEVEL(more_of)(p.round, (uint32_t)1 << (p.cut - 1));      \
        for (size_t group = 0; group < n; group += SF8_GROUP)                                      \
            for (size_t i = group; i < group + SF8_GROUP; i++) {                                   \
                uint32_t word;                                                                     \
                memcpy(&word, src + 4 * i, sizeof word);                                           \
                type code = (type)SF8_LEVEL(wide_code)(p, more, word, mode);                       \
                memcpy(dst + i * sizeof code, &code, sizeof code);                                 \
            }                                                                                      \
    }
SF8_WIDE_LOOP(wide_16_nearest, uint16_t, SF8_RNE)
SF8_WIDE_LOOP(wide_16_other, uint16_t, SF8_LEVEL(OTHER))
SF8_WIDE_LOOP(wide_32_nearest, uint32_t, SF8_RNE)
SF8_WIDE_LOOP(wide_32_other, uint32_t, SF8_LEVEL(OTHER))
#undef SF8_WIDE_LOOP

/* Whether the sign is the top bit of 16, and nothing is flushed. */
static int32_t SF8_LEVEL(is_half)(const sf8_plan *p, int32_t man_bits, int32_t least)
{
    return p->man_bits == man_bits && p->least == least && p->zero_sign && p->neg_add == 0x8000 &&
           !p->flush_in && !p->flush_out && p->round == SF8_RNE;
}

/* Whether overflows and infinities have the code that rounding gives them, which is `inf`: those
 * above the magnitude `above`. The negative ones differ by the sign then. */
static int32_t SF8_LEVEL(is_natural)(const sf8_plan *p, int32_t inf, int32_t above)
{
    return p->over.above == above && p->over.positive == inf && p->inf.positive == inf;
}

/* With the exponents of f32, as bf16 has them: the low half of a number is cut off, and the sign is
 * where it belongs. */
SF8_TARGET SF8_INLINED uint16_t SF8_LEVEL(bf16_code)(const sf8_plan p, uint32_t word,
                                                     int32_t natural)
{
    uint32_t rounded = (word + 0x7fff + (word >> 16 & 1)) >> 16;
    if (!natural)
        return SF8_LEVEL(half_code)(p, word, (int32_t)rounded);
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31);
    return (uint16_t)SF8_LEVEL(classed)(p.nan, a, negative, (int32_t)rounded);
}

#define SF8_BF16_LOOP(natural)                                                                     \
    for (size_t group = 0; group < n; group += SF8_GROUP)                                          \
        for (size_t i = group; i < group + SF8_GROUP; i++) {                                       \
            uint32_t word;                                                                         \
            memcpy(&word, src + 4 * i, sizeof word);                                               \
            uint16_t code = SF8_LEVEL(bf16_code)(p, word, natural);                                \
            memcpy(dst + i * sizeof code, &code, sizeof code);                                     \
        }

SF8_TARGET static void SF8_LEVEL(wide_bf16)(const sf8_plan *plan, unsigned char *dst,
                                            const unsigned char *src, size_t n)
{
    const sf8_plan p = *plan;
    if (SF8_LEVEL(is_natural)(plan, 0x7f80, 0x7f7f7fff))
        SF8_BF16_LOOP(1)
    else
        SF8_BF16_LOOP(0)
}
#undef SF8_BF16_LOOP

#if SF8_F16C
/* An instruction rounds to f16. From 65520 on its result is infinite: that has to be in the class
 * of what overflows, which a format without infinity may have elsewhere. */
enum { SF8_LEVEL(f16_infinite) = 0x477ff000 };

static int32_t SF8_LEVEL(is_f16)(const sf8_plan *p)
{
    const int32_t bias = 15;
    return SF8_LEVEL(is_half)(p, 10, SF8_F32.bias - bias + 1) &&
           p->over.above < SF8_LEVEL(f16_infinite);
}

/* Eight codes as the instruction gives them; *nans: which are NaN. */
SF8_TARGET SF8_INLINED void SF8_LEVEL(eight_f16)(unsigned char *dst, const unsigned char *src,
                                                 int32_t *nans)
{
    __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)src);
    __m128i codes = _mm256_cvtps_ph(_mm256_castsi256_ps(x), _MM_FROUND_TO_NEAREST_INT);
    __m256i magnitude = _mm256_and_si256(x, _mm256_set1_epi32(0x7fffffff));
    __m256i is = _mm256_cmpgt_epi32(magnitude, _mm256_set1_epi32(0x7f800000));
    _mm_storeu_si128((__m128i *)(void *)dst, codes);
    *nans = _mm256_movemask_ps(_mm256_castsi256_ps(is));
}

/* A group; through memory of our own, because dst may be src. */
SF8_TARGET SF8_INLINED void SF8_LEVEL(group_f16)(const sf8_plan p, unsigned char *dst,
                                                 const unsigned char *src, int32_t natural)
{
    uint16_t codes[SF8_GROUP];
    uint32_t words[SF8_GROUP];
    int32_t any = 0, nans;
    for (size_t i = 0; i < SF8_GROUP; i += 8) {
        SF8_LEVEL(eight_f16)((unsigned char *)(codes + i), src + 4 * i, &nans);
        any |= nans;
    }
    if (any || !natural) {
        memcpy(words, src, sizeof words);
        for (size_t i = 0; i < SF8_GROUP; i++)
            codes[i] = SF8_LEVEL(half_code)(p, words[i], codes[i]);
    }
    memcpy(dst, codes, sizeof codes);
}

SF8_TARGET static void SF8_LEVEL(wide_f16)(const sf8_plan *plan, unsigned char *dst,
                                           const unsigned char *src, size_t n)
{
    enum { NEAREST_NO_EXCEPTION = 0x1f80 };
    const sf8_plan p = *plan;
    int32_t natural = SF8_LEVEL(is_natural)(plan, 0x7c00, SF8_LEVEL(f16_infinite) - 1);
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(NEAREST_NO_EXCEPTION);
    for (size_t i = 0; i < n; i += SF8_GROUP)
        SF8_LEVEL(group_f16)(p, dst + 2 * i, src + 4 * i, natural);
    _mm_setcsr(mxcsr);
}
#endif

static void SF8_LEVEL(wide)(const sf8_plan *plan, size_t width, unsigned char *dst,
                            const unsigned char *src, size_t n)
{
#if SF8_F16C
    if (width == 2 && SF8_LEVEL(is_f16)(plan)) {
        SF8_LEVEL(wide_f16)(plan, dst, src, n);
        return;
    }
#endif
    if (width == 2 && SF8_LEVEL(is_half)(plan, 7, 1))
        SF8_LEVEL(wide_bf16)(plan, dst, src, n);
    else if (width == 2 && plan->round == SF8_RNE)
        SF8_LEVEL(wide_16_nearest)(plan, dst, src, n);
    else if (width == 2)
        SF8_LEVEL(wide_16_other)(plan, dst, src, n);
    else if (plan->round == SF8_RNE)
        SF8_LEVEL(wide_32_nearest)(plan, dst, src, n);
    else
        SF8_LEVEL(wide_32_other)(plan, dst, src, n);
}

#if SF8_SR_TOO
/* Any number above the largest one may round to it: here the result decides what overflows. */
SF8_TARGET SF8_INLINED uint32_t SF8_LEVEL(sr_code)(const sf8_plan p, uint32_t word, uint32_t random)
{
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31), base;
    a &= -(a >= p.flush_in);
    uint32_t r = random & p.sr_mask, sig = SF8_LEVEL(wide_sig)(p, a, &base);
    sig += (r << p.sr_shift) + p.sr_add - (r & p.sr_less);
    int32_t magnitude = (int32_t)(sig >> p.cut) + base;
    int32_t code = SF8_LEVEL(wide_signed)(p, magnitude, negative);
    code = SF8_LEVEL(classed)(p.over, magnitude, negative, code);
    code = SF8_LEVEL(classed)(p.inf, a, negative, code);
    return (uint32_t)SF8_LEVEL(classed)(p.nan, a, negative, code);
}

#define SF8_SR_LOOP(name, type)                                                                    \
    SF8_TARGET static void SF8_LEVEL(name)(const sf8_plan *plan, unsigned char *dst,               \
                                           const uint32_t *words, const uint32_t *random,          \
                                           size_t n)                                               \
    {                                                                                              \
        const sf8_plan p = *plan;                                                                  \
        for (size_t group = 0; group < n; group += SF8_GROUP)                                      \
            for (size_t i = group; i < group + SF8_GROUP; i++) {                                   \
                type code = (type)SF8_LEVEL(sr_code)(p, words[i], random[i]);                      \
                memcpy(dst + i * sizeof code, &code, sizeof code);                                 \
            }                                                                                      \
    }
SF8_SR_LOOP(sr_8, uint8_t)
SF8_SR_LOOP(sr_16, uint16_t)
SF8_SR_LOOP(sr_32, uint32_t)
#undef SF8_SR_LOOP

static void SF8_LEVEL(sr)(const sf8_plan *plan, size_t width, unsigned char *dst,
                          const uint32_t *words, const uint32_t *random, size_t n)
{
    if (width == 1)
        SF8_LEVEL(sr_8)(plan, dst, words, random, n);
    else if (width == 2)
        SF8_LEVEL(sr_16)(plan, dst, words, random, n);
    else
        SF8_LEVEL(sr_32)(plan, dst, words, random, n);
}
#endif

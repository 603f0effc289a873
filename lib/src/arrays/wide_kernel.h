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
SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(wide_shifted)(uint32_t sig, int32_t distance)
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
SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(wide_sig)(const sf8_plan p, int32_t a, int32_t *base)
{
    enum { ONE = 1 << 23 };
    int32_t normal = -(a >= ONE), above = (a >> 23) + 1 + normal - p.least;
    uint32_t sig = (uint32_t)((a & (ONE - 1)) | (normal & ONE)) << 7;
    int32_t below = SF8_PLAIN(positive)(-above);
    below = p.far - SF8_PLAIN(positive)(p.far - below);
    *base = (int32_t)((uint32_t)SF8_PLAIN(positive)(above) << p.man_bits);
    return SF8_PLAIN(wide_shifted)(sig, below);
}

/* A magnitude with its sign, and without what is flushed. */
SF8_TARGET SF8_INLINED int32_t SF8_PLAIN(wide_signed)(const sf8_plan p, int32_t code,
                                                      int32_t negative)
{
    code &= -(code >= p.flush_out);
    return code | (p.neg_add & negative & -((code | p.zero_sign) != 0));
}

SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(wide_code)(const sf8_plan p, const SF8_PLAIN(more) more,
                                                     uint32_t word, int32_t round)
{
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31), base;
    a &= -(a >= p.flush_in);
    uint32_t sig = SF8_PLAIN(wide_sig)(p, a, &base);
    int32_t code = SF8_PLAIN(cut_off)(sig, p.cut, more, negative, round);
    code = SF8_PLAIN(wide_signed)(p, code + base, negative);
    code = SF8_PLAIN(classed)(p.over, a, negative, code);
    code = SF8_PLAIN(classed)(p.inf, a, negative, code);
    return (uint32_t)SF8_PLAIN(classed)(p.nan, a, negative, code);
}

/* The code of what is no number or overflows, or the one that was found. */
SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(class_code)(const sf8_plan p, uint32_t word, int32_t code)
{
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31);
    code = SF8_PLAIN(classed)(p.over, a, negative, code);
    code = SF8_PLAIN(classed)(p.inf, a, negative, code);
    return (uint32_t)SF8_PLAIN(classed)(p.nan, a, negative, code);
}

SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(word_at)(const unsigned char *src, size_t i)
{
    uint32_t word;
    memcpy(&word, src + 4 * i, sizeof word);
    return word;
}

#define SF8_WIDE_LOOP(name, type, mode)                                                            \
    SF8_TARGET static void SF8_PLAIN(name)(const sf8_plan *plan, unsigned char *dst,               \
                                           const unsigned char *src, size_t n)                     \
    {                                                                                              \
        const sf8_plan p = *plan;                                                                  \
        const SF8_PLAIN(more) more = SF8_PLAIN(more_of)(p.round, (uint32_t)1 << (p.cut - 1));      \
        for (size_t group = 0; group < n; group += SF8_GROUP)                                      \
            for (size_t i = group; i < group + SF8_GROUP; i++) {                                   \
                uint32_t word = SF8_PLAIN(word_at)(src, i);                                        \
                type code = (type)SF8_PLAIN(wide_code)(p, more, word, mode);                       \
                memcpy(dst + i * sizeof code, &code, sizeof code);                                 \
            }                                                                                      \
    }
SF8_WIDE_LOOP(wide_16_nearest, uint16_t, SF8_RNE)
SF8_WIDE_LOOP(wide_16_other, uint16_t, SF8_PLAIN(OTHER))
SF8_WIDE_LOOP(wide_32_nearest, uint32_t, SF8_RNE)
SF8_WIDE_LOOP(wide_32_other, uint32_t, SF8_PLAIN(OTHER))
#undef SF8_WIDE_LOOP

/* Targets with the least exponent of f32, as bf16 and tf32 have it: the low `cut` bits of a
 * magnitude are cut off. The group goes through memory of our own, because dst may be src. */
static int32_t SF8_PLAIN(is_cut)(const sf8_plan *p)
{
    return p->least == 1 && p->zero_sign && !p->flush_in && !p->flush_out;
}

#define SF8_CUT_LOOP(name, type, mode)                                                             \
    SF8_TARGET static void SF8_PLAIN(name)(const sf8_plan *plan, unsigned char *dst,               \
                                           const unsigned char *src, size_t n)                     \
    {                                                                                              \
        const sf8_plan p = *plan;                                                                  \
        const int32_t cut = 23 - p.man_bits;                                                       \
        const SF8_PLAIN(more) more = SF8_PLAIN(more_of)(p.round, (uint32_t)1 << (cut - 1));        \
        type codes[SF8_GROUP];                                                                     \
        for (size_t group = 0; group < n; group += SF8_GROUP) {                                    \
            int32_t most = 0;                                                                      \
            for (size_t i = 0; i < SF8_GROUP; i++) {                                               \
                uint32_t word = SF8_PLAIN(word_at)(src, group + i), a = word & 0x7fffffff;         \
                int32_t negative = -(int32_t)(word >> 31);                                         \
                int32_t code = SF8_PLAIN(cut_off)(a, cut, more, negative, mode);                   \
                codes[i] = (type)(code | (negative & p.neg_add));                                  \
                most = (int32_t)a > most ? (int32_t)a : most;                                      \
            }                                                                                      \
            if (SF8_RARE(most > p.over.above))                                                     \
                for (size_t i = 0; i < SF8_GROUP; i++)                                             \
                    codes[i] = (type)SF8_PLAIN(class_code)(p, SF8_PLAIN(word_at)(src, group + i),  \
                                                           (int32_t)codes[i]);                     \
            memcpy(dst + group * sizeof codes[0], codes, sizeof codes);                            \
        }                                                                                          \
    }
SF8_CUT_LOOP(cut_16_nearest, uint16_t, SF8_RNE)
SF8_CUT_LOOP(cut_16_other, uint16_t, SF8_PLAIN(OTHER))
SF8_CUT_LOOP(cut_32_nearest, uint32_t, SF8_RNE)
SF8_CUT_LOOP(cut_32_other, uint32_t, SF8_PLAIN(OTHER))
#undef SF8_CUT_LOOP

#if SF8_F16C
/* An instruction rounds to f16. What is infinite there has to be in the class of what overflows,
 * which a format without infinity has elsewhere. */
static int32_t SF8_PLAIN(is_f16)(const sf8_plan *p)
{
    enum { LEAST = 127 - 15 + 1, BEYOND = (127 + 16) << 23 };
    return p->man_bits == 10 && p->least == LEAST && p->zero_sign && p->neg_add == 0x8000 &&
           !p->flush_in && !p->flush_out && p->over.above < BEYOND;
}

/* Eight codes. An instruction rounds as MXCSR says. To odd, or to nearest with ties to one side,
 * are made of roundings toward zero, as in lanes.h. */
SF8_TARGET SF8_INLINED void SF8_PLAIN(eight_f16)(unsigned char *dst, __m256i x, __m256i a,
                                                 int32_t round)
{
    const __m256i least = _mm256_set1_epi32((127 - 14) << 23), down = _mm256_set1_epi32(11 << 23);
    if (round == SF8_RNA || round == SF8_RNZ) {
        __m256i field = _mm256_max_epi32(_mm256_and_si256(a, _mm256_set1_epi32(0x7f800000)), least);
        __m256i sign = _mm256_xor_si256(x, a);
        if (round == SF8_RNZ)
            a = _mm256_add_epi32(a, _mm256_cmpgt_epi32(a, _mm256_setzero_si256()));
        __m256 sum = _mm256_add_ps(_mm256_castsi256_ps(a),
                                   _mm256_castsi256_ps(_mm256_sub_epi32(field, down)));
        x = _mm256_or_si256(_mm256_castps_si256(sum), sign);
    }
    __m128i codes = _mm256_cvtps_ph(_mm256_castsi256_ps(x), _MM_FROUND_CUR_DIRECTION);
    if (round == SF8_RO) {
        __m256i same = _mm256_cmpeq_epi32(_mm256_castps_si256(_mm256_cvtph_ps(codes)), x);
        __m128i both = _mm_packs_epi32(_mm256_castsi256_si128(same),
                                       _mm256_extracti128_si256(same, 1));
        codes = _mm_or_si128(codes, _mm_add_epi16(both, _mm_set1_epi16(1)));
    }
    _mm_storeu_si128((__m128i *)(void *)dst, codes);
}

SF8_TARGET SF8_INLINED void SF8_PLAIN(group_f16)(const sf8_plan *p, unsigned char *dst,
                                                 const unsigned char *src, int32_t round)
{
    uint16_t codes[SF8_GROUP];
    __m256i most = _mm256_setzero_si256();
    for (size_t i = 0; i < SF8_GROUP; i += 8) {
        __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(src + 4 * i));
        __m256i a = _mm256_and_si256(x, _mm256_set1_epi32(0x7fffffff));
        most = _mm256_max_epi32(most, a);
        SF8_PLAIN(eight_f16)((unsigned char *)(codes + i), x, a, round);
    }
    most = _mm256_cmpgt_epi32(most, _mm256_set1_epi32(p->over.above));
    if (SF8_RARE(!_mm256_testz_si256(most, most))) {
        const sf8_plan plan = *p;
        for (size_t i = 0; i < SF8_GROUP; i++)
            codes[i] = (uint16_t)SF8_PLAIN(class_code)(plan, SF8_PLAIN(word_at)(src, i), codes[i]);
    }
    memcpy(dst, codes, sizeof codes);
}

#define SF8_F16_LOOP(round)                                                                        \
    for (size_t i = 0; i < n; i += SF8_GROUP)                                                      \
        SF8_PLAIN(group_f16)(plan, dst + 2 * i, src + 4 * i, round);

SF8_TARGET static __attribute__((noinline)) void
SF8_PLAIN(f16_loop)(const sf8_plan *plan, unsigned char *dst, const unsigned char *src, size_t n)
{
    if (plan->round == SF8_RNA)
        SF8_F16_LOOP(SF8_RNA)
    else if (plan->round == SF8_RNZ)
        SF8_F16_LOOP(SF8_RNZ)
    else if (plan->round == SF8_RO)
        SF8_F16_LOOP(SF8_RO)
    else
        SF8_F16_LOOP(SF8_RNE)
}
#undef SF8_F16_LOOP

static void SF8_PLAIN(wide_f16)(const sf8_plan *plan, unsigned char *dst, const unsigned char *src,
                                size_t n)
{
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(sf8_mxcsr(plan->round));
    SF8_PLAIN(f16_loop)(plan, dst, src, n);
    _mm_setcsr(mxcsr);
}
#endif

static void SF8_PLAIN(wide)(const sf8_plan *plan, size_t width, unsigned char *dst,
                            const unsigned char *src, size_t n)
{
#if SF8_F16C
    if (width == 2 && SF8_PLAIN(is_f16)(plan)) {
        SF8_PLAIN(wide_f16)(plan, dst, src, n);
        return;
    }
#endif
    int32_t nearest = plan->round == SF8_RNE, cut = SF8_PLAIN(is_cut)(plan);
    if (width == 2 && cut)
        (nearest ? SF8_PLAIN(cut_16_nearest) : SF8_PLAIN(cut_16_other))(plan, dst, src, n);
    else if (width == 2)
        (nearest ? SF8_PLAIN(wide_16_nearest) : SF8_PLAIN(wide_16_other))(plan, dst, src, n);
    else if (cut)
        (nearest ? SF8_PLAIN(cut_32_nearest) : SF8_PLAIN(cut_32_other))(plan, dst, src, n);
    else
        (nearest ? SF8_PLAIN(wide_32_nearest) : SF8_PLAIN(wide_32_other))(plan, dst, src, n);
}

#if SF8_SR_TOO
/* Any number above the largest one may round to it: here the result decides what overflows. */
SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(sr_code)(const sf8_plan p, uint32_t word, uint32_t random)
{
    int32_t a = (int32_t)(word & 0x7fffffff), negative = -(int32_t)(word >> 31), base;
    a &= -(a >= p.flush_in);
    uint32_t r = random & p.sr_mask, sig = SF8_PLAIN(wide_sig)(p, a, &base);
    sig += (r << p.sr_shift) + p.sr_add - (r & p.sr_less);
    int32_t magnitude = (int32_t)(sig >> p.cut) + base;
    int32_t code = SF8_PLAIN(wide_signed)(p, magnitude, negative);
    code = SF8_PLAIN(classed)(p.over, magnitude, negative, code);
    code = SF8_PLAIN(classed)(p.inf, a, negative, code);
    return (uint32_t)SF8_PLAIN(classed)(p.nan, a, negative, code);
}

#define SF8_SR_LOOP(name, type)                                                                    \
    SF8_TARGET static void SF8_PLAIN(name)(const sf8_plan *plan, unsigned char *dst,               \
                                           const uint32_t *words, const uint32_t *random,          \
                                           size_t n)                                               \
    {                                                                                              \
        const sf8_plan p = *plan;                                                                  \
        for (size_t group = 0; group < n; group += SF8_GROUP)                                      \
            for (size_t i = group; i < group + SF8_GROUP; i++) {                                   \
                type code = (type)SF8_PLAIN(sr_code)(p, words[i], random[i]);                      \
                memcpy(dst + i * sizeof code, &code, sizeof code);                                 \
            }                                                                                      \
    }
SF8_SR_LOOP(sr_8, uint8_t)
SF8_SR_LOOP(sr_16, uint16_t)
SF8_SR_LOOP(sr_32, uint32_t)
#undef SF8_SR_LOOP

static void SF8_PLAIN(sr)(const sf8_plan *plan, size_t width, unsigned char *dst,
                          const uint32_t *words, const uint32_t *random, size_t n)
{
    if (width == 1)
        SF8_PLAIN(sr_8)(plan, dst, words, random, n);
    else if (width == 2)
        SF8_PLAIN(sr_16)(plan, dst, words, random, n);
    else
        SF8_PLAIN(sr_32)(plan, dst, words, random, n);
}
#endif

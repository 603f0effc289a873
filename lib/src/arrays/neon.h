/* SPDX-License-Identifier: MIT */
/* neon.h -- the kernels for Advanced SIMD of little-endian AArch64, which always has it
 *
 * Only integers are used: FPCR does not matter, FPSR is unchanged. Everything happens in lanes of
 * 16 bits. An f32 is first rounded to odd to bf16: its upper half, with the last bit set if
 * anything is set in the lower half. At most 6 of the remaining 7 bits of mantissa affect the
 * result or are in the bounds of a plan, so that the last one only has to say "and a bit more".
 *
 * A significand is shifted to the right once: by the difference in bits of mantissa (`cut`), and by
 * how far the number is below the target's normal numbers (`below`):
 *
 *     bf16 to e4m3, 2^-8 * 1.0100110   sig 10100110, cut 4, below 2   result 10|100110 -> 11
 *
 * Exponents `above` the smallest normal one are added to the shifted significand, whose leading one
 * counts as the first of them. Conversions to e8m0 are left to the portable kernel.
 */
#define SF8_NEON static inline __attribute__((always_inline))

/* For plain plans by rne, in the kernels that handle the rounding. */
enum { SF8_NEON_PLAIN = -1 };

typedef struct sf8_neon16_class {
    uint16x8_t above, positive, differs;
} sf8_neon16_class;

/* A plan for elements of 16 bits, the same in each lane. */
typedef struct sf8_neon16_plan {
    int16x8_t to_exponent, from_exponent; /* shifts by the source's bits of mantissa */
    int16x8_t to_target;                  /* shift by the target's */
    int16x8_t cut;                        /* shift to the right by at least this many bits */
    uint16x8_t least;                     /* one less than the plan's */
    uint16x8_t clamp, special, special_code, special_sign, sign;
    uint16x8_t keep, flush_in, flush_out, zero_sign, neg_keep, neg_add;
    sf8_neon16_class over, inf, nan;
} sf8_neon16_plan;

/* A bound for magnitudes, computed from one for the source's elements. No magnitude is above
 * 0x7fff. */
static uint16x8_t sf8_neon16_bound(int32_t bound, int32_t source)
{
    int32_t half = source == SF8_SOURCE_F32 ? bound >> 16 : bound;
    return vdupq_n_u16((uint16_t)(half < 0x7fff ? half : 0x7fff));
}

static uint16x8_t sf8_neon16_all(int32_t lane)
{
    return vdupq_n_u16((uint16_t)lane);
}

static sf8_neon16_class sf8_neon16_class_of(const sf8_class_codes *c, int32_t source)
{
    sf8_neon16_class w = {sf8_neon16_bound(c->above, source), sf8_neon16_all(c->positive),
                          sf8_neon16_all(c->differs)};
    return w;
}

static sf8_neon16_plan sf8_neon16_plan_of(const sf8_plan *p, int32_t source)
{
    int32_t man_bits = source == SF8_SOURCE_F16 ? 10 : 7;
    sf8_neon16_plan w;
    w.to_exponent = vdupq_n_s16((int16_t)-man_bits);
    w.from_exponent = vdupq_n_s16((int16_t)man_bits);
    w.to_target = vdupq_n_s16((int16_t)p->man_bits);
    w.cut = vdupq_n_s16((int16_t)(p->man_bits - man_bits));
    w.least = sf8_neon16_all(p->least - 1);
    w.clamp = sf8_neon16_bound(p->clamp, source);
    w.special = sf8_neon16_bound(p->special, source);
    w.special_code = sf8_neon16_all(p->special_code);
    w.special_sign = sf8_neon16_all(p->special_sign);
    w.sign = sf8_neon16_all(p->sign);
    w.keep = sf8_neon16_all(
        (int32_t)(source == SF8_SOURCE_F32 ? p->keep_sign >> 16 : p->keep_sign));
    w.flush_in = sf8_neon16_bound(p->flush_in, source);
    w.flush_out = sf8_neon16_all(p->flush_out);
    w.zero_sign = sf8_neon16_all(p->zero_sign);
    w.neg_keep = sf8_neon16_all(p->neg_keep);
    w.neg_add = sf8_neon16_all(p->neg_add);
    w.over = sf8_neon16_class_of(&p->over, source);
    w.inf = sf8_neon16_class_of(&p->inf, source);
    w.nan = sf8_neon16_class_of(&p->nan, source);
    return w;
}

/* sig * 2^shift as an integer, with a negative shift. Shifts to the right by more than the bits of
 * a lane give 0, or -1 for a negative number. */
SF8_NEON uint16x8_t sf8_neon16_shifted(uint16x8_t sig, int16x8_t shift, uint16x8_t negative,
                                       int32_t round)
{
    const uint16x8_t one = vdupq_n_u16(1);
    uint16x8_t whole = vshlq_u16(sig, shift);
    switch (round) {
    case SF8_RNA:
        return vrshlq_u16(sig, shift);
    case SF8_RNZ: /* just below half; a zero stays zero */
        return vrshlq_u16(vqsubq_u16(sig, one), shift);
    case SF8_RZ:
        return whole;
    case SF8_RU:
    case SF8_RD: {
        /* a shift to the right of a signed number rounds down */
        uint16x8_t flip = round == SF8_RD ? negative : vmvnq_u16(negative);
        int16x8_t value = vreinterpretq_s16_u16(vsubq_u16(veorq_u16(sig, flip), flip));
        return vreinterpretq_u16_s16(vabsq_s16(vshlq_s16(value, shift)));
    }
    case SF8_RO: {
        uint16x8_t exact = vceqq_u16(vshlq_u16(whole, vnegq_s16(shift)), sig);
        return vorrq_u16(whole, vbicq_u16(one, exact));
    }
    default: {
        /* just below half if half is to be rounded down; a zero stays zero */
        uint16x8_t even = vbicq_u16(one, whole);
        return vrshlq_u16(vqsubq_u16(sig, even), shift);
    }
    }
}

/* The magnitude before overflow and policy. More than 16 below, nothing is left of 11 bits. */
SF8_NEON uint16x8_t sf8_neon16_rounded(const sf8_neon16_plan *w, uint16x8_t a, uint16x8_t negative,
                                       int32_t round)
{
    /* 0 for the smallest normal numbers, and for subnormal ones */
    uint16x8_t exponent = vqsubq_u16(vshlq_u16(a, w->to_exponent), vdupq_n_u16(1));
    uint16x8_t sig = vsubq_u16(a, vshlq_u16(exponent, w->from_exponent));
    uint16x8_t above = vqsubq_u16(exponent, w->least);
    uint16x8_t below = vminq_u16(vqsubq_u16(w->least, exponent), vdupq_n_u16(16));
    int16x8_t shift = vsubq_s16(w->cut, vreinterpretq_s16_u16(below));
    return vaddq_u16(sf8_neon16_shifted(sig, shift, negative, round),
                     vshlq_u16(above, w->to_target));
}

SF8_NEON uint16x8_t sf8_neon16_negative(uint16x8_t x)
{
    return vreinterpretq_u16_s16(vshrq_n_s16(vreinterpretq_s16_u16(x), 15));
}

SF8_NEON uint16x8_t sf8_neon16_plain(const sf8_neon16_plan *w, uint16x8_t x)
{
    uint16x8_t magnitude = vandq_u16(x, vdupq_n_u16(0x7fff));
    uint16x8_t sign = vandq_u16(sf8_neon16_negative(x), w->sign);
    uint16x8_t code = sf8_neon16_rounded(w, vminq_u16(magnitude, w->clamp), x, SF8_RNE);
    uint16x8_t other = vorrq_u16(w->special_code, vandq_u16(sign, w->special_sign));
    return vbslq_u16(vcgtq_u16(magnitude, w->special), other, vorrq_u16(code, sign));
}

SF8_NEON uint16x8_t sf8_neon16_classed(const sf8_neon16_class *c, uint16x8_t a, uint16x8_t negative,
                                       uint16x8_t code)
{
    uint16x8_t other = veorq_u16(c->positive, vandq_u16(negative, c->differs));
    return vbslq_u16(vcgtq_u16(a, c->above), other, code);
}

SF8_NEON uint16x8_t sf8_neon16_code(const sf8_neon16_plan *w, uint16x8_t x, int32_t round)
{
    if (round == SF8_NEON_PLAIN)
        return sf8_neon16_plain(w, x);
    x = vandq_u16(x, w->keep);
    uint16x8_t a = vandq_u16(x, vdupq_n_u16(0x7fff)), negative = sf8_neon16_negative(x);
    a = vandq_u16(a, vcgeq_u16(a, w->flush_in));
    uint16x8_t code = sf8_neon16_rounded(w, a, negative, round);
    code = vandq_u16(code, vcgeq_u16(code, w->flush_out));
    uint16x8_t takes_sign = vorrq_u16(code, w->zero_sign);
    uint16x8_t to_change = vandq_u16(negative, vtstq_u16(takes_sign, takes_sign));
    uint16x8_t changed = vorrq_u16(vandq_u16(code, w->neg_keep), w->neg_add);
    code = vbslq_u16(to_change, changed, code);
    code = sf8_neon16_classed(&w->over, a, negative, code);
    code = sf8_neon16_classed(&w->inf, a, negative, code);
    return sf8_neon16_classed(&w->nan, a, negative, code);
}

/* Eight elements as elements of 16 bits. */
SF8_NEON uint16x8_t sf8_neon16_load(const unsigned char *src, int32_t source)
{
    uint16x8_t first = vreinterpretq_u16_u8(vld1q_u8(src));
    if (source != SF8_SOURCE_F32)
        return first;
    uint16x8_t second = vreinterpretq_u16_u8(vld1q_u8(src + 16));
    uint16x8_t lower = vuzp1q_u16(first, second), upper = vuzp2q_u16(first, second);
    return vorrq_u16(upper, vminq_u16(lower, vdupq_n_u16(1)));
}

/* Sixteen codes: the lower bytes of two times eight. */
SF8_NEON uint8x16_t sf8_neon16_step(const sf8_neon16_plan *w, const unsigned char *src,
                                    int32_t source, int32_t round)
{
    size_t eight = source == SF8_SOURCE_F32 ? 32 : 16;
    uint16x8_t first = sf8_neon16_code(w, sf8_neon16_load(src, source), round);
    uint16x8_t second = sf8_neon16_code(w, sf8_neon16_load(src + eight, source), round);
    return vuzp1q_u8(vreinterpretq_u8_u16(first), vreinterpretq_u8_u16(second));
}

/* All of a step is read before it is written, since dst may be src. */
SF8_NEON void sf8_neon16_loop(const sf8_neon16_plan *plan, int32_t source, int32_t round,
                              uint8_t *dst, const unsigned char *src, size_t n)
{
    const sf8_neon16_plan w = *plan; /* not in memory that dst might be */
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2;
    for (; n >= 16; n -= 16, dst += 16, src += 16 * width)
        vst1q_u8(dst, sf8_neon16_step(&w, src, source, round));
    if (n) {
        unsigned char words[64] = {0}, codes[16];
        memcpy(words, src, n * width);
        vst1q_u8(codes, sf8_neon16_step(&w, words, source, round));
        memcpy(dst, codes, n);
    }
}

SF8_NEON void sf8_neon16_rounding(const sf8_neon16_plan *w, int32_t source, int32_t round,
                                  uint8_t *dst, const unsigned char *src, size_t n)
{
    switch (round) {
    case SF8_NEON_PLAIN:
        sf8_neon16_loop(w, source, SF8_NEON_PLAIN, dst, src, n);
        break;
    case SF8_RNE:
        sf8_neon16_loop(w, source, SF8_RNE, dst, src, n);
        break;
    case SF8_RNA:
        sf8_neon16_loop(w, source, SF8_RNA, dst, src, n);
        break;
    case SF8_RZ:
        sf8_neon16_loop(w, source, SF8_RZ, dst, src, n);
        break;
    case SF8_RU:
        sf8_neon16_loop(w, source, SF8_RU, dst, src, n);
        break;
    case SF8_RD:
        sf8_neon16_loop(w, source, SF8_RD, dst, src, n);
        break;
    case SF8_RNZ:
        sf8_neon16_loop(w, source, SF8_RNZ, dst, src, n);
        break;
    default:
        sf8_neon16_loop(w, source, SF8_RO, dst, src, n);
        break;
    }
}

static void sf8_neon16_encode(const sf8_plan *plan, int32_t source, uint8_t *dst,
                              const unsigned char *src, size_t n)
{
    if (plan->powers) {
        sf8_portable_kernels()->encode(plan, source, dst, src, n);
        return;
    }
    const sf8_neon16_plan w = sf8_neon16_plan_of(plan, source);
    int32_t round = plan->plain && plan->round == SF8_RNE ? SF8_NEON_PLAIN : plan->round;
    if (source == SF8_SOURCE_F32)
        sf8_neon16_rounding(&w, SF8_SOURCE_F32, round, dst, src, n);
    else
        sf8_neon16_rounding(&w, SF8_SOURCE_F16, round, dst, src, n);
}

/* ---- from bytes ------------------------------------------------------------------------------ */

/* 256 bytes fill half of the registers. Therefore the lower bytes of a block of codes are looked up
 * first, then the upper ones, and then both are combined. */
enum { SF8_NEON_BLOCK = 1024, SF8_NEON_WORTH = 256 };

/* dst[i] = table[src[i]], 16 at a time; n is a multiple of 16. */
static __attribute__((noinline)) void sf8_neon16_look_up(const uint8_t *table, uint8_t *dst,
                                                         const uint8_t *src, size_t n)
{
    const uint8x16x4_t first = vld1q_u8_x4(table), second = vld1q_u8_x4(table + 64);
    const uint8x16x4_t third = vld1q_u8_x4(table + 128), fourth = vld1q_u8_x4(table + 192);
    for (size_t i = 0; i < n; i += 16) {
        uint8x16_t codes = vld1q_u8(src + i);
        /* an index beyond the 64 gives 0 */
        uint8x16_t a = vqtbl4q_u8(first, codes);
        uint8x16_t b = vqtbl4q_u8(second, veorq_u8(codes, vdupq_n_u8(64)));
        uint8x16_t c = vqtbl4q_u8(third, veorq_u8(codes, vdupq_n_u8(128)));
        uint8x16_t d = vqtbl4q_u8(fourth, veorq_u8(codes, vdupq_n_u8(192)));
        vst1q_u8(dst + i, vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d)));
    }
}

/* Elements of 16 bits from their lower and upper bytes. */
static void sf8_neon16_halves(unsigned char *dst, const uint8_t *lower, const uint8_t *upper,
                              size_t n)
{
    for (size_t i = 0; i < n; i += 16) {
        uint8x16_t low = vld1q_u8(lower + i), high = vld1q_u8(upper + i);
        vst1q_u8(dst + 2 * i, vzip1q_u8(low, high));
        vst1q_u8(dst + 2 * i + 16, vzip2q_u8(low, high));
    }
}

/* Elements of 32 bits from their upper halves. */
static void sf8_neon16_words(unsigned char *dst, const uint8_t *lower, const uint8_t *upper,
                             size_t n)
{
    const uint8x16_t zero = vdupq_n_u8(0);
    for (size_t i = 0; i < n; i += 16) {
        uint8x16x4_t bytes = {{zero, zero, vld1q_u8(lower + i), vld1q_u8(upper + i)}};
        vst4q_u8(dst + 4 * i, bytes);
    }
}

static void sf8_neon16_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                              const uint8_t *src, size_t n)
{
    uint8_t bytes[2][256], found[2][SF8_NEON_BLOCK];
    size_t width = widen ? 4 : 2, count;
    if (n >= SF8_NEON_WORTH)
        for (size_t i = 0; i < 256; i++) {
            bytes[0][i] = (uint8_t)table[i];
            bytes[1][i] = (uint8_t)(table[i] >> 8);
        }
    for (; n >= SF8_NEON_WORTH; n -= count, src += count, dst += width * count) {
        count = n < SF8_NEON_BLOCK ? n & ~(size_t)15 : SF8_NEON_BLOCK;
        sf8_neon16_look_up(bytes[0], found[0], src, count);
        sf8_neon16_look_up(bytes[1], found[1], src, count);
        if (widen)
            sf8_neon16_words(dst, found[0], found[1], count);
        else
            sf8_neon16_halves(dst, found[0], found[1], count);
    }
    sf8_portable_kernels()->decode(table, widen, dst, src, n);
}

#undef SF8_NEON

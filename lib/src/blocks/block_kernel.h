/* SPDX-License-Identifier: MIT */
/* block_kernel.h -- the operations of programs, each a loop over lanes; included once for each
 * level
 *
 * Each operation gives the bits of <softfp8/f32/arith.h>. All comparisons are comparisons of
 * integers: of a magnitude, or of a bit pattern in the order of the numbers. + - * / round as MXCSR
 * says; the caller of a loop has set it. Loops are called through pointers, so that the compiler
 * cannot move code out of them.
 *
 * Beside a vocabulary it needs SF8_OPS_SCALE4 and SF8_OPS_FIND4, two functions or NULL.
 */
SF8_ON_FN SF8_I SF8_OPS(larger)(SF8_I a, SF8_I b)
{
    return (SF8_I)SF8_ON(max)((SF8_U)a, (SF8_U)b);
}

SF8_ON_FN SF8_U SF8_OPS(flushed)(SF8_U x)
{
    return SF8_ON(where)(SF8_ON(magnitude)(x) < 0x00800000, SF8_ON(sign)(x), x);
}

/* Rounds x to a multiple of the last place of `unit`, a power of two above x. */
SF8_ON_FN SF8_U SF8_OPS(to_places)(SF8_U magnitude, uint32_t unit)
{
    return SF8_ON(sub)(SF8_ON(add)(magnitude, SF8_ON(all)(unit)), SF8_ON(all)(unit));
}

SF8_ON_FN SF8_U SF8_OPS(bf16)(SF8_U x)
{
    SF8_U m = x & 0x7fffffffu, r = (m + 0x7fffu + (m >> 16 & 1u)) & 0xffff0000u;
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(SF8_F32_NAN), r | SF8_ON(sign)(x));
}

/* Numbers below 2^-14 are rounded to multiples of 2^-24, the last place of 1/2. */
SF8_ON_FN SF8_U SF8_OPS(f16)(SF8_U x)
{
    SF8_U m = x & 0x7fffffffu, r = (m + 0xfffu + (m >> 13 & 1u)) & 0xffffe000u;
    r = SF8_ON(where)((SF8_I)r > 0x477fffff, SF8_ON(all)(SF8_F32_INF), r);
    SF8_U small = SF8_OPS(to_places)(m, 0x3f000000u);
    r = SF8_ON(where)((SF8_I)m < 0x38800000, small, r) | SF8_ON(sign)(x);
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(SF8_F32_NAN), r);
}

/* Integers stay as they are. */
SF8_ON_FN SF8_U SF8_OPS(whole)(SF8_U x, SF8_U rounded)
{
    return SF8_ON(where)(SF8_ON(magnitude)(x) >= 0x4b000000, x, rounded | SF8_ON(sign)(x));
}

SF8_ON_FN SF8_U SF8_OPS(rint)(SF8_U x)
{
    return SF8_OPS(whole)(x, SF8_OPS(to_places)(x & 0x7fffffffu, 0x4b000000u));
}

/* To nearest even, and 1 more if that is 1/2 too small. */
SF8_ON_FN SF8_U SF8_OPS(round)(SF8_U x)
{
    SF8_U m = x & 0x7fffffffu, r = SF8_OPS(to_places)(m, 0x4b000000u);
    SF8_U more = SF8_ON(add)(r, SF8_ON(all)(0x3f800000u));
    SF8_I tie = (SF8_I)(SF8_ON(sub)(m, r) == 0x3f000000u);
    return SF8_OPS(whole)(x, SF8_ON(where)(tie, more, r));
}

/* To nearest, and 1 less if that is larger than the number. */
SF8_ON_FN SF8_U SF8_OPS(trunc)(SF8_U x)
{
    SF8_U m = x & 0x7fffffffu, r = SF8_OPS(to_places)(m, 0x4b000000u);
    SF8_U less = SF8_ON(sub)(r, SF8_ON(all)(0x3f800000u));
    return SF8_OPS(whole)(x, SF8_ON(where)((SF8_I)r > (SF8_I)m, less, r));
}

/* The integer of a value below 2^22 in magnitude: 1.5 * 2^23 is added and subtracted again. */
SF8_ON_FN SF8_U SF8_OPS(of_integer)(SF8_U i)
{
    return SF8_ON(sub)(i + 0x4b400000u, SF8_ON(all)(0x4b400000u));
}

SF8_ON_FN SF8_U SF8_OPS(exponent)(SF8_U x, uint32_t more)
{
    SF8_U m = x & 0x7fffffffu, e = SF8_OPS(of_integer)(((m + more) >> 23) - 127u);
    return SF8_ON(where)((SF8_I)m >= 0x7f800000, SF8_ON(all)(SF8_F32_NAN), e);
}

/* 2^x for x from -150 to 127: the exponent field is made 64 too large, and a multiplication
 * corrects it. */
SF8_ON_FN SF8_U SF8_OPS(pow2)(SF8_U x)
{
    SF8_I order = SF8_ON(order)(x);
    SF8_U i = SF8_ON(add)(x, SF8_ON(all)(0x4b400000u)) - 0x4b400000u;
    SF8_U high = (i + 127u) << 23;
    SF8_U low = SF8_ON(mul)((i + 191u) << 23, SF8_ON(all)(0x1f800000u));
    SF8_U r = SF8_ON(where)((SF8_I)i >= -126, high, low);
    r = SF8_ON(where)(order > 0x42ffffff, SF8_ON(all)(SF8_F32_INF), r);
    r = SF8_ON(where)(order < -0x43160000, SF8_ON(all)(0), r);
    return SF8_ON(where)(SF8_ON(is_nan)(x), x, r);
}

SF8_ON_FN SF8_U SF8_OPS(lesser)(SF8_U a, SF8_U b, SF8_I b_less)
{
    SF8_U r = SF8_ON(where)(b_less & ~SF8_ON(is_nan)(b), b, a);
    return SF8_ON(where)(SF8_ON(is_nan)(a), b, r);
}

SF8_ON_FN SF8_U SF8_OPS(lesser_or_nan)(SF8_U a, SF8_U b, SF8_I b_less)
{
    SF8_I nan = SF8_ON(is_nan)(a) | SF8_ON(is_nan)(b);
    return SF8_ON(where)(nan, SF8_ON(all)(SF8_F32_NAN), SF8_ON(where)(b_less, b, a));
}

/* The mantissa and the exponent of a positive number; and a number times the largest power of two
 * that is not above e, or not above ~e if e is negative. */
SF8_ON_FN SF8_U SF8_OPS(log2_near)(SF8_U x, SF8_U *mantissa, SF8_U *e, uint32_t times)
{
    SF8_I m = SF8_ON(magnitude)(x), subnormal = m < 0x00800000;
    SF8_U large = SF8_ON(mul)((SF8_U)m, SF8_ON(all)(0x4b800000u)); /* * 2^24 */
    SF8_U y = SF8_ON(where)(subnormal, large, (SF8_U)m);
    *e = (y >> 23) - 127u - ((SF8_U)subnormal & 24u);
    *mantissa = (y & 0x007fffffu) | 0x3f800000u;
    SF8_U top = SF8_OPS(of_integer)(*e ^ (SF8_U)((SF8_I)*e >> 31)) & 0x7f800000u;
    return SF8_ON(mul)(top, SF8_ON(all)(times));
}

/* The log2 of infinity, negative numbers, NaN and 0. */
SF8_ON_FN SF8_U SF8_OPS(log2_specials)(SF8_U x, SF8_U r)
{
    SF8_I m = SF8_ON(magnitude)(x);
    r = SF8_ON(where)(m == 0x7f800000, (SF8_U)m, r);
    r = SF8_ON(where)(((SF8_I)x < 0) | (m > 0x7f800000), SF8_ON(all)(SF8_F32_NAN), r);
    return SF8_ON(where)(m == 0, SF8_ON(all)(SF8_F32_INF | 0x80000000u), r);
}

/* sf8_f32_log2_floor: e is its k less 1, and p is the number of bits of e, or of ~e if e is
 * negative. d * 2^-23 is 2 less the mantissa; it is compared with 2^(p - 1) ln 2 * 2^-23. */
SF8_ON_FN SF8_U SF8_OPS(log2_floor)(SF8_U x)
{
    SF8_U y, e, most = SF8_OPS(log2_near)(x, &y, &e, 0x33b17218u);
    SF8_U d = SF8_ON(sub)(SF8_ON(all)(0x40000000u), y);
    SF8_U r = SF8_OPS(of_integer)(e - (SF8_U)((SF8_I)d <= (SF8_I)most)); /* - -1 where it is */
    return SF8_OPS(log2_specials)(x, r);
}

/* sf8_f32_log2_ceil: e is its k, and p is as above. d * 2^-23 is the mantissa less 1; it is
 * compared with half of that. */
SF8_ON_FN SF8_U SF8_OPS(log2_ceil)(SF8_U x)
{
    SF8_U y, e, most = SF8_OPS(log2_near)(x, &y, &e, 0x33317218u);
    SF8_U d = SF8_ON(sub)(y, SF8_ON(all)(0x3f800000u));
    SF8_U r = SF8_OPS(of_integer)(e - (SF8_U)((SF8_I)d > (SF8_I)most)) | SF8_ON(sign)(e);
    return SF8_OPS(log2_specials)(x, r);
}

/* The f16 code of a number, in the low half of an uint32_t. */
SF8_ON_FN SF8_U SF8_OPS(to_f16)(SF8_U x)
{
    SF8_U m = x & 0x7fffffffu, normal = (m >> 13) - 0x1c000u;
    SF8_U small = SF8_ON(add)(m, SF8_ON(all)(0x3f000000u)) - 0x3f000000u;
    SF8_U r = SF8_ON(where)((SF8_I)m < 0x38800000, small, normal);
    r = SF8_ON(where)((SF8_I)m >= 0x7f800000, SF8_ON(all)(0x7c00), r) | SF8_ON(sign)(x) >> 16;
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(0x7e00), r);
}

SF8_ON_FN SF8_U SF8_OPS(of_f16)(SF8_U code)
{
    SF8_U m = code & 0x7fffu, normal = (m << 13) + 0x38000000u;
    SF8_U small = SF8_ON(sub)(m | 0x3f000000u, SF8_ON(all)(0x3f000000u));
    SF8_U r = SF8_ON(where)((SF8_I)m < 0x0400, small, normal);
    r = SF8_ON(where)((SF8_I)m >= 0x7c00, SF8_ON(all)(SF8_F32_INF), r) | (code & 0x8000u) << 16;
    return SF8_ON(where)((SF8_I)m > 0x7c00, SF8_ON(all)(SF8_F32_NAN), r);
}

/* A sum and a product rounded once, by the core: not every level has it. */
SF8_ON_FN SF8_U SF8_OPS(fused)(SF8_U a, SF8_U b, SF8_U c)
{
    uint32_t x[SF8_LANES], y[SF8_LANES], z[SF8_LANES];
    SF8_ON(store)(x, a);
    SF8_ON(store)(y, b);
    SF8_ON(store)(z, c);
    for (size_t i = 0; i < SF8_LANES; i++)
        x[i] = sf8_f32_fma(x[i], y[i], z[i]);
    return SF8_ON(load)(x);
}

/* ---- the loops ------------------------------------------------------------------------------- */

#define SF8_OPS_LOOP(name, result)                                                                 \
    SF8_TARGET static void SF8_OPS(do_##name)(uint32_t * r, const uint32_t *pa,                    \
                                              const uint32_t *pb, const uint32_t *pc, size_t n)    \
    {                                                                                              \
        for (size_t k = 0; k < n; k += SF8_LANES) {                                                \
            SF8_U a = SF8_ON(load)(pa + k), b = SF8_ON(load)(pb + k);                              \
            SF8_U c = SF8_ON(load)(pc + k);                                                        \
            (void)b;                                                                               \
            (void)c;                                                                               \
            SF8_ON(store)(r + k, result);                                                          \
        }                                                                                          \
    }
SF8_OPS_LOOP(ADD, SF8_ON(made)(SF8_ON(add)(a, b)))
SF8_OPS_LOOP(SUB, SF8_ON(made)(SF8_ON(sub)(a, b)))
SF8_OPS_LOOP(MUL, SF8_ON(made)(SF8_ON(mul)(a, b)))
SF8_OPS_LOOP(FMA, SF8_OPS(fused)(a, b, c))
SF8_OPS_LOOP(DIV, SF8_ON(made)(SF8_ON(div)(a, b)))
SF8_OPS_LOOP(DIV_NEAR, SF8_ON(made)(SF8_ON(div)(a, b)))
SF8_OPS_LOOP(RCP, SF8_ON(made)(SF8_ON(div)(SF8_ON(all)(0x3f800000u), a)))
SF8_OPS_LOOP(RCP_NEAR, SF8_OPS(flushed)(SF8_ON(made)(SF8_ON(div)(SF8_ON(all)(0x3f800000u),
                                                                 SF8_OPS(flushed)(a)))))
SF8_OPS_LOOP(MIN, SF8_OPS(lesser)(a, b, SF8_ON(order)(b) < SF8_ON(order)(a)))
SF8_OPS_LOOP(MAX, SF8_OPS(lesser)(a, b, SF8_ON(order)(b) > SF8_ON(order)(a)))
SF8_OPS_LOOP(NAN_MIN, SF8_OPS(lesser_or_nan)(a, b, SF8_ON(order)(b) < SF8_ON(order)(a)))
SF8_OPS_LOOP(NAN_MAX, SF8_OPS(lesser_or_nan)(a, b, SF8_ON(order)(b) > SF8_ON(order)(a)))
SF8_OPS_LOOP(NEG, a ^ 0x80000000u)
SF8_OPS_LOOP(NAN_TO_0, a & ~(SF8_U)SF8_ON(is_nan)(a))
SF8_OPS_LOOP(FINITE_OR, SF8_ON(where)(SF8_ON(magnitude)(a) < 0x7f800000, a, b))
SF8_OPS_LOOP(BF16, SF8_OPS(bf16)(a))
SF8_OPS_LOOP(F16, SF8_OPS(f16)(a))
SF8_OPS_LOOP(OWN, a)
SF8_OPS_LOOP(TRUNC, SF8_OPS(trunc)(a))
SF8_OPS_LOOP(RINT, SF8_OPS(rint)(a))
SF8_OPS_LOOP(ROUND, SF8_OPS(round)(a))
SF8_OPS_LOOP(HALF_AWAY, SF8_ON(made)(SF8_ON(add)(a, SF8_ON(sign)(a) | 0x3f000000u)))
SF8_OPS_LOOP(EXPONENT, SF8_OPS(exponent)(a, 0))
SF8_OPS_LOOP(EXP_UP, SF8_OPS(exponent)(a, 0x007fffffu))
SF8_OPS_LOOP(EXP_EVEN1, SF8_OPS(exponent)(a, 1u << 21))
SF8_OPS_LOOP(EXP_EVEN2, SF8_OPS(exponent)(a, 1u << 20))
SF8_OPS_LOOP(EXP_EVEN3, SF8_OPS(exponent)(a, 1u << 19))
SF8_OPS_LOOP(LOG2_FLOOR, SF8_OPS(log2_floor)(a))
SF8_OPS_LOOP(LOG2_CEIL, SF8_OPS(log2_ceil)(a))
SF8_OPS_LOOP(POW2, SF8_OPS(pow2)(a))
SF8_OPS_LOOP(IF_ZERO, SF8_ON(where)(SF8_ON(magnitude)(a) == 0, b, c))
SF8_OPS_LOOP(IF_POS, SF8_ON(where)(((SF8_I)a > 0) & ~SF8_ON(is_nan)(a), b, c))
SF8_OPS_LOOP(to_f16, SF8_OPS(to_f16)(a))
SF8_OPS_LOOP(of_f16, SF8_OPS(of_f16)(a))
SF8_OPS_LOOP(of_integer, SF8_OPS(of_integer)(a))
#undef SF8_OPS_LOOP

/* A value is in range if it is below 2^22 in magnitude and, for unsigned integers, not negative. */
SF8_TARGET static int32_t SF8_OPS(integers)(uint32_t *words, size_t n, int32_t is_signed)
{
    SF8_I beyond = {0};
    SF8_U sign = SF8_ON(all)(is_signed ? 0x80000000u : 0);
    for (size_t k = 0; k < n; k += SF8_LANES) {
        SF8_U x = SF8_ON(load)(words + k);
        x = SF8_ON(where)(SF8_ON(magnitude)(x) == 0, SF8_ON(all)(0), x);
        SF8_I y = (SF8_I)(x & ~sign);
        beyond |= (y < 0) | (y >= 0x4a800000);
        SF8_ON(store)(words + k, SF8_ON(add)(x, SF8_ON(all)(0x4b400000u)) - 0x4b400000u);
    }
    return !SF8_ON(any)(beyond);
}

/* ---- what a block has ------------------------------------------------------------------------ */

/* The three values in lanes; low is negated, so that each is a maximum. NaN is less than any
 * number, except for `most` if NaN counts. */
typedef struct SF8_OPS(range) {
    SF8_I most, low, high;
} SF8_OPS(range);

SF8_ON_FN void SF8_OPS(take)(SF8_OPS(range) * r, SF8_U x, int32_t see_nan, int32_t ends)
{
    SF8_U m = x & 0x7fffffffu;
    r->most = SF8_OPS(larger)(r->most, (SF8_I)(see_nan ? m : m + SF8_LANES_ABOVE_INF));
    if (!ends)
        return;
    SF8_I order = SF8_ON(order)(x), is = SF8_ON(is_nan)(x);
    SF8_U least = SF8_ON(all)(0x80000001u);
    r->low = SF8_OPS(larger)(r->low, (SF8_I)SF8_ON(where)(is, least, (SF8_U)-order));
    r->high = SF8_OPS(larger)(r->high, (SF8_I)SF8_ON(where)(is, least, (SF8_U)order));
}

SF8_ON_FN SF8_OPS(range) SF8_OPS(no_range)(void)
{
    SF8_U least = SF8_ON(all)(0x80000001u);
    SF8_OPS(range) r = {(SF8_I)least, (SF8_I)least, (SF8_I)least};
    return r;
}

SF8_ON_FN void SF8_OPS(range_of)(sf8_lanes_range *range, size_t block, const uint32_t *x,
                                 size_t count, int32_t see_nan, int32_t ends)
{
    SF8_OPS(range) r = SF8_OPS(no_range)();
    size_t i = 0;
    for (; count - i >= SF8_LANES; i += SF8_LANES)
        SF8_OPS(take)(&r, SF8_ON(load)(x + i), see_nan, ends);
    if (i < count) { /* set by the first element */
        uint32_t rest[SF8_LANES];
        for (size_t k = 0; k < SF8_LANES; k++)
            rest[k] = sf8_lanes_at(x, i + k < count ? i + k : 0);
        SF8_OPS(take)(&r, SF8_ON(load)(rest), see_nan, ends);
    }
    range->most[block] = SF8_ON(largest)(r.most);
    if (ends) {
        range->low[block] = -SF8_ON(largest)(r.low);
        range->high[block] = SF8_ON(largest)(r.high);
    }
}

/* As many blocks as there are lanes: finds the largest magnitudes of all at once. */
SF8_ON_FN SF8_I SF8_OPS(most_of)(const uint32_t *x, size_t count, int32_t see_nan)
{
    SF8_U v[SF8_LANES];
    for (size_t b = 0; b < SF8_LANES; b++) {
        SF8_OPS(range) r = SF8_OPS(no_range)();
        for (size_t i = 0; i < count; i += SF8_LANES)
            SF8_OPS(take)(&r, SF8_ON(load)(x + b * count + i), see_nan, 0);
        v[b] = (SF8_U)r.most;
    }
    return (SF8_I)SF8_ON(across)(v);
}

SF8_ON_FN int32_t SF8_OPS(any_ranges)(sf8_lanes_range *range, const uint32_t *x, size_t count,
                                      size_t blocks, int32_t see_nan)
{
    SF8_I top = SF8_OPS(no_range)().most;
    size_t b = 0;
    if (count == 16 || count == 32)
        for (; blocks - b >= SF8_LANES; b += SF8_LANES) {
            const uint32_t *at = x + b * count;
            SF8_I most = SF8_OPS(most_of)(at, count == 16 ? 16 : 32, see_nan);
            SF8_ON(store)(range->most + b, (SF8_U)most);
            top = SF8_OPS(larger)(top, most);
        }
    int32_t most = SF8_ON(largest)(top);
    for (; b < blocks; b++) {
        SF8_OPS(range_of)(range, b, x + b * count, count, see_nan, 0);
        most = most > range->most[b] ? most : range->most[b];
    }
    return most;
}

SF8_TARGET static int32_t SF8_OPS(ranges)(sf8_lanes_range *range, const uint32_t *x, size_t count,
                                          size_t blocks, int32_t see_nan, int32_t ends)
{
    int32_t most = INT32_MIN;
    if (!ends)
        return see_nan ? SF8_OPS(any_ranges)(range, x, count, blocks, 1)
                       : SF8_OPS(any_ranges)(range, x, count, blocks, 0);
    for (size_t b = 0; b < blocks; b++) {
        SF8_OPS(range_of)(range, b, x + b * count, count, see_nan, 1);
        most = most > range->most[b] ? most : range->most[b];
    }
    return most;
}

/* ---- powers of two --------------------------------------------------------------------------- */

/* Codes of e8m0: the exponent field of amax with `more` added to the bit pattern, less emax, at
 * least 0; NaN for amax that is not finite. Also their values and inverses, of which 2^-127 is
 * subnormal. */
SF8_TARGET static void SF8_OPS(powers)(uint32_t *codes, uint32_t *s, uint32_t *inverse,
                                       const uint32_t *amax, uint32_t more, int32_t emax, size_t n)
{
    SF8_U least = SF8_ON(all)(0x00400000u), nan = SF8_ON(all)(SF8_F32_NAN);
    for (size_t k = 0; k < n; k += SF8_LANES) {
        SF8_U x = SF8_ON(load)(amax + k);
        SF8_I beyond = (SF8_I)x >= 0x7f800000, code = (SF8_I)((x + more) >> 23) - emax;
        code &= code > 0;
        SF8_U value = SF8_ON(where)(code == 0, least, (SF8_U)code << 23);
        SF8_U over = SF8_ON(where)(code == 254, least, (SF8_U)(254 - code) << 23);
        SF8_ON(store)(codes + k, SF8_ON(where)(beyond, SF8_ON(all)(255), (SF8_U)code));
        SF8_ON(store)(s + k, SF8_ON(where)(beyond, nan, value));
        SF8_ON(store)(inverse + k, SF8_ON(where)(beyond, nan, over));
    }
}

/* ---- products -------------------------------------------------------------------------------- */

SF8_TARGET static void SF8_OPS(scale)(uint32_t *r, const uint32_t *x, const uint32_t *factor,
                                      int32_t shift, size_t n)
{
    for (size_t i = 0; i < n; i += SF8_LANES) {
        SF8_U f = SF8_ON(all)(factor[i >> shift]);
        SF8_ON(store)(r + i, SF8_ON(mul)(f, SF8_ON(load)(x + i)));
    }
}

SF8_TARGET static void SF8_OPS(spread)(uint32_t *r, const uint32_t *words, int32_t shift, size_t at,
                                       size_t n)
{
    for (size_t i = 0; i < n; i += 16) { /* a block has at least 16 elements */
        SF8_U word = SF8_ON(all)(words[(at + i) >> shift]);
        for (size_t k = i; k < i + 16; k += SF8_LANES)
            SF8_ON(store)(r + k, word);
    }
}

SF8_TARGET static sf8_lanes_gauge SF8_OPS(factors)(uint32_t *r, const uint32_t *x, size_t n)
{
    SF8_I zero = {0}, tiny = {0}, most = {0};
    sf8_lanes_gauge g;
    for (size_t k = 0; k < n; k += SF8_LANES) {
        SF8_U f = SF8_ON(load)(x + k);
        SF8_I m = SF8_ON(magnitude)(f);
        m &= ~SF8_ON(is_nan)(f);
        most = SF8_OPS(larger)(most, m);
        zero |= SF8_ON(magnitude)(f) == 0;
        tiny |= (m > 0) & (m < 0x00800000);
        SF8_ON(store)(r + k, SF8_ON(made)(f));
    }
    g.most = (uint32_t)SF8_ON(largest)(most);
    g.has = (SF8_ON(any)(zero) ? SF8_FACTOR_ZERO : 0) |
            (SF8_ON(any)(tiny) ? SF8_FACTOR_SUBNORMAL : 0) |
            (g.most == SF8_F32_INF ? SF8_FACTOR_INF : 0);
    return g;
}

/* ---- codes, one to a byte -------------------------------------------------------------------- */

/* The value of a code. NaN has no sign. Only with `any` there may be infinities, or a value for
 * magnitude 0. No operand is subnormal, which is slow on some processors: of the number read with
 * the exponent of a normal one, and of twice that less the smallest normal number, the smaller is
 * the value. */
SF8_ON_FN SF8_U SF8_OPS(decoded)(SF8_U code, const sf8_lanes_decoding *c, int32_t any)
{
    SF8_I m = (SF8_I)code & c->magnitude;
    SF8_U normal = ((SF8_U)m << c->up) + c->add, one = SF8_ON(all)(c->add + 0x00800000u);
    SF8_U less = SF8_ON(sub)(normal + 0x00800000u, one);
    SF8_U r = SF8_ON(min)(normal, less);
    if (any) {
        r = SF8_ON(where)(m == c->inf, SF8_ON(all)(SF8_F32_INF), r);
        r = SF8_ON(where)(m == 0, SF8_ON(all)(c->least), r);
    }
    r |= (code << c->to_top) & c->sign;
    SF8_I nan = m > c->most;
    if (any)
        nan &= m != c->inf;
    return SF8_ON(where)(nan, SF8_ON(all)(SF8_F32_NAN), r);
}

SF8_ON_FN void SF8_OPS(decode_loop)(uint32_t *r, const uint8_t *codes, const sf8_lanes_decoding *c,
                                    size_t n, int32_t any)
{
    const sf8_lanes_decoding own = *c;
    for (size_t i = 0; i < n; i += SF8_LANES)
        SF8_ON(store)(r + i, SF8_OPS(decoded)(SF8_ON(bytes)(codes + i), &own, any));
}

SF8_TARGET static void SF8_OPS(decode)(uint32_t *r, const uint8_t *codes,
                                       const sf8_lanes_decoding *c, size_t n)
{
    if (c->inf >= 0 || c->least)
        SF8_OPS(decode_loop)(r, codes, c, n, 1);
    else
        SF8_OPS(decode_loop)(r, codes, c, n, 0);
}

SF8_ON_FN void SF8_OPS(scale8_loop)(uint32_t *r, const uint8_t *codes, const sf8_lanes_decoding *c,
                                    const uint32_t *factor, int32_t shift, size_t n, int32_t any)
{
    const sf8_lanes_decoding own = *c;
    for (size_t i = 0; i < n; i += 16) { /* a block has at least 16 elements */
        SF8_U f = SF8_ON(all)(factor[i >> shift]);
        for (size_t k = i; k < i + 16; k += SF8_LANES) {
            SF8_U x = SF8_OPS(decoded)(SF8_ON(bytes)(codes + k), &own, any);
            SF8_ON(store)(r + k, SF8_ON(mul)(f, x));
        }
    }
}

SF8_TARGET static void SF8_OPS(scale8)(uint32_t *r, const uint8_t *codes,
                                       const sf8_lanes_decoding *c, const uint32_t *factor,
                                       int32_t shift, size_t n)
{
    if (c->inf >= 0 || c->least)
        SF8_OPS(scale8_loop)(r, codes, c, factor, shift, n, 1);
    else
        SF8_OPS(scale8_loop)(r, codes, c, factor, shift, n, 0);
}

#define SF8_TERM(id, name, operands) [SF8_TERM_##id] = SF8_OPS(do_##id),
static const sf8_lanes_ops SF8_OPS(ops) = {{SF8_PROGRAM_OPS(SF8_TERM)},
                                           SF8_OPS(do_to_f16),
                                           SF8_OPS(do_of_f16),
                                           SF8_OPS(do_of_integer),
                                           SF8_OPS(integers),
                                           SF8_OPS(ranges),
                                           SF8_OPS(scale),
                                           SF8_OPS_SCALE4,
                                           SF8_OPS_FIND4,
                                           SF8_OPS(powers),
                                           SF8_OPS(spread),
                                           SF8_OPS(factors),
                                           SF8_OPS(decode),
                                           SF8_OPS(scale8)};
#undef SF8_TERM

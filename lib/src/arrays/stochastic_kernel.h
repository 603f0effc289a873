/* SPDX-License-Identifier: MIT */
/* stochastic_kernel.h -- stochastic rounding of f32 words, included after f32_kernel.h for each
 * level
 *
 * wide_kernel.h says what the steps are.
 */

typedef struct SF8_KERNEL(sr_class) {
    SF8_U above, positive, negative;
} SF8_KERNEL(sr_class);

typedef struct SF8_KERNEL(sr_plan) {
    SF8_U magnitude, zero, one, places, seven, thirty, least, far, flush_in, flush_out;
    SF8_U mask, up, add, less, cut, base, sign, no_sign, largest;
    SF8_KERNEL(sr_class) over, inf, nan;
} SF8_KERNEL(sr_plan);

SF8_ON_FN SF8_KERNEL(sr_class) SF8_KERNEL(sr_class_of)(const sf8_class_codes *c)
{
    SF8_KERNEL(sr_class)
    w = {SF8_ON(set)(c->above), SF8_ON(set)(c->positive), SF8_ON(set)(c->positive ^ c->differs)};
    return w;
}

SF8_ON_FN SF8_KERNEL(sr_plan) SF8_KERNEL(sr_plan_of)(const sf8_plan *p)
{
    SF8_KERNEL(sr_plan) w;
    w.magnitude = SF8_ON(set)(0x7fffffff);
    w.zero = SF8_ON(set)(0);
    w.one = SF8_ON(set)(1);
    w.places = SF8_ON(set)(23);
    w.seven = SF8_ON(set)(7);
    w.thirty = SF8_ON(set)(30);
    w.least = SF8_ON(set)(p->least);
    w.far = SF8_ON(set)(p->far);
    w.flush_in = SF8_ON(set)(p->flush_in);
    w.flush_out = SF8_ON(set)(p->flush_out);
    w.mask = SF8_ON(set)((int32_t)p->sr_mask);
    w.up = SF8_ON(set)(p->sr_shift);
    w.add = SF8_ON(set)((int32_t)p->sr_add);
    w.less = SF8_ON(set)((int32_t)p->sr_less);
    w.cut = SF8_ON(set)(p->cut);
    w.base = SF8_ON(set)(p->man_bits);
    w.sign = SF8_ON(set)(p->neg_add);
    w.no_sign = SF8_ON(set)(p->zero_sign ? -1 : 0); /* magnitudes up to this have none */
    w.largest = SF8_ON(set)(p->over.positive);
    w.over = SF8_KERNEL(sr_class_of)(&p->over);
    w.inf = SF8_KERNEL(sr_class_of)(&p->inf);
    w.nan = SF8_KERNEL(sr_class_of)(&p->nan);
    return w;
}

/* Usual plans need less: nothing is flushed, each code has its sign, and an overflow has the code
 * of the largest number or the one after it. What is added to a significand has its last bits zero,
 * as no random bit is taken away. */
static int32_t SF8_KERNEL(sr_usual)(const sf8_plan *p)
{
    return !p->flush_in && !p->flush_out && p->zero_sign && !p->sr_less &&
           p->over.differs == p->neg_add &&
           (p->over.positive == p->over.above || p->over.positive == p->over.above + 1);
}

SF8_ON_FN SF8_U SF8_KERNEL(sr_classed)(const SF8_KERNEL(sr_class) * c, SF8_U a, SF8_M negative,
                                       SF8_U code)
{
    SF8_U of_class = SF8_ON(select)(negative, c->negative, c->positive);
    return SF8_ON(select)(SF8_ON(above)(a, c->above), of_class, code);
}

/* The significands with the leading one at bit 30, or shifted to the right of it with the last bit
 * set for what is lost, unless the plan is usual; *field: their exponents, or the least. A
 * significand is its word without the exponent minus 1, of which two bits are within 32. */
SF8_ON_FN SF8_U SF8_KERNEL(significands)(const SF8_KERNEL(sr_plan) * w, SF8_U a, SF8_U *field,
                                         int32_t usual)
{
    SF8_U own = SF8_ON(max)(SF8_ON(shift)(a, w->places), w->one);
    SF8_U more = SF8_ON(raise)(own - w->one, w->thirty);
    SF8_U sig = SF8_ON(raise)(a, w->seven) - more;
    *field = SF8_ON(max)(own, w->least);
    SF8_U below = SF8_ON(min)((*field - own), w->far);
    SF8_U shifted = SF8_ON(shift)(sig, below);
    if (usual)
        return shifted;
    SF8_M lost = SF8_ON(above)(sig, SF8_ON(raise)(shifted, below));
    return shifted | SF8_ON(only)(lost, w->one);
}

/* The codes of magnitudes, of words that have the sign of x. */
SF8_ON_FN SF8_U SF8_KERNEL(sr_signed)(const SF8_KERNEL(sr_plan) * w, SF8_U magnitude,
                                      SF8_M negative, int32_t usual)
{
    if (usual)
        return SF8_ON(min)(magnitude, w->largest) | SF8_ON(only)(negative, w->sign);
    SF8_M flushed = SF8_ON(above)(w->flush_out, magnitude);
    SF8_U code = SF8_ON(select)(flushed, w->zero, magnitude);
    SF8_U with = code | SF8_ON(only)(SF8_ON(above)(code, w->no_sign), w->sign);
    code = SF8_ON(select)(negative, with, code);
    return SF8_KERNEL(sr_classed)(&w->over, magnitude, negative, code);
}

SF8_ON_FN SF8_U SF8_KERNEL(sr_codes)(const SF8_KERNEL(sr_plan) * w, SF8_U x, SF8_U random,
                                     int32_t usual)
{
    SF8_U a = x & w->magnitude, field, r = random & w->mask;
    SF8_M negative = SF8_ON(above)(w->zero, x);
    if (!usual)
        a = SF8_ON(select)(SF8_ON(above)(w->flush_in, a), w->zero, a);
    SF8_U sig = SF8_KERNEL(significands)(w, a, &field, usual);
    sig += SF8_ON(raise)(r, w->up) + w->add;
    if (!usual)
        sig -= r & w->less;
    SF8_U base = SF8_ON(raise)(field - w->least, w->base);
    SF8_U magnitude = SF8_ON(shift)(sig, w->cut) + base;
    SF8_U code = SF8_KERNEL(sr_signed)(w, magnitude, negative, usual);
    if (SF8_RARE(SF8_ON(has)(SF8_ON(above)(a, w->inf.above)))) {
        code = SF8_KERNEL(sr_classed)(&w->inf, a, negative, code);
        code = SF8_KERNEL(sr_classed)(&w->nan, a, negative, code);
    }
    return code;
}

SF8_ON_FN void SF8_KERNEL(sr_loop)(const sf8_plan *plan, size_t width, unsigned char *dst,
                                   const uint32_t *words, const uint32_t *random, size_t n,
                                   int32_t usual)
{
    const SF8_KERNEL(sr_plan) w = SF8_KERNEL(sr_plan_of)(plan);
    enum { EACH = SF8_LANES };
    const unsigned char *from = (const unsigned char *)words;
    const unsigned char *with = (const unsigned char *)random;
    for (size_t i = 0; i < n; i += 4 * (size_t)EACH) {
        SF8_U code[4];
        for (size_t j = 0; j < 4; j++)
            code[j] = SF8_KERNEL(sr_codes)(&w, SF8_ON(widened)(from, i + EACH * j, SF8_SOURCE_F32),
                                           SF8_ON(widened)(with, i + EACH * j, SF8_SOURCE_F32),
                                           usual);
        if (width == 1)
            SF8_ON(store_codes)(dst + i, SF8_ON(pack)(code));
        else if (width == 2)
            SF8_ON(store16)(dst + 2 * i, code);
        else
            SF8_ON(store32)(dst + 4 * i, code);
    }
}

SF8_TARGET static void SF8_KERNEL(sr)(const sf8_plan *plan, size_t width, unsigned char *dst,
                                      const uint32_t *words, const uint32_t *random, size_t n)
{
    if (SF8_KERNEL(sr_usual)(plan))
        SF8_KERNEL(sr_loop)(plan, width, dst, words, random, n, 1);
    else
        SF8_KERNEL(sr_loop)(plan, width, dst, words, random, n, 0);
}

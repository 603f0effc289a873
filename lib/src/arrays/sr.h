/* SPDX-License-Identifier: MIT */
/* sr.h -- stochastic rounding of f32 words, included after lanes.h for each width of vectors
 *
 * wide_kernel.h says what the steps are. Besides what lanes.h needs, the file that includes this
 * one has defined:
 *
 *     raise                 to the left, by a distance to each word
 *     where                 (mask, a): a where the mask says so, else zeros
 *     has                   whether a mask of words has any
 *     store16 store32       the codes of four registers of words, in order, of 2 or 4 bytes
 */

typedef struct SF8_LANES(sr_class) {
    SF8_V above, positive, negative;
} SF8_LANES(sr_class);

typedef struct SF8_LANES(sr_plan) {
    SF8_V magnitude, zero, one, places, seven, thirty, least, far, flush_in, flush_out;
    SF8_V mask, up, add, less, cut, base, sign, no_sign, largest;
    SF8_LANES(sr_class) over, inf, nan;
} SF8_LANES(sr_plan);

SF8_LANES_FN SF8_LANES(sr_class) SF8_LANES(sr_class_of)(const sf8_class_codes *c)
{
    SF8_LANES(sr_class)
    w = {SF8_LANES(set)(c->above), SF8_LANES(set)(c->positive),
         SF8_LANES(set)(c->positive ^ c->differs)};
    return w;
}

SF8_LANES_FN SF8_LANES(sr_plan) SF8_LANES(sr_plan_of)(const sf8_plan *p)
{
    SF8_LANES(sr_plan) w;
    w.magnitude = SF8_LANES(set)(0x7fffffff);
    w.zero = SF8_LANES(set)(0);
    w.one = SF8_LANES(set)(1);
    w.places = SF8_LANES(set)(23);
    w.seven = SF8_LANES(set)(7);
    w.thirty = SF8_LANES(set)(30);
    w.least = SF8_LANES(set)(p->least);
    w.far = SF8_LANES(set)(p->far);
    w.flush_in = SF8_LANES(set)(p->flush_in);
    w.flush_out = SF8_LANES(set)(p->flush_out);
    w.mask = SF8_LANES(set)((int32_t)p->sr_mask);
    w.up = SF8_LANES(set)(p->sr_shift);
    w.add = SF8_LANES(set)((int32_t)p->sr_add);
    w.less = SF8_LANES(set)((int32_t)p->sr_less);
    w.cut = SF8_LANES(set)(p->cut);
    w.base = SF8_LANES(set)(p->man_bits);
    w.sign = SF8_LANES(set)(p->neg_add);
    w.no_sign = SF8_LANES(set)(p->zero_sign ? -1 : 0); /* magnitudes up to this have none */
    w.largest = SF8_LANES(set)(p->over.positive);
    w.over = SF8_LANES(sr_class_of)(&p->over);
    w.inf = SF8_LANES(sr_class_of)(&p->inf);
    w.nan = SF8_LANES(sr_class_of)(&p->nan);
    return w;
}

/* Usual plans need less: nothing is flushed, each code has its sign, and an overflow has the code
 * of the largest number or the one after it. What is added to a significand has its last bits zero,
 * as no random bit is taken away. */
static int32_t SF8_LANES(sr_usual)(const sf8_plan *p)
{
    return !p->flush_in && !p->flush_out && p->zero_sign && !p->sr_less &&
           p->over.differs == p->neg_add &&
           (p->over.positive == p->over.above || p->over.positive == p->over.above + 1);
}

SF8_LANES_FN SF8_V SF8_LANES(sr_classed)(const SF8_LANES(sr_class) * c, SF8_V a, SF8_M negative,
                                         SF8_V code)
{
    SF8_V of_class = SF8_LANES(select)(negative, c->negative, c->positive);
    return SF8_LANES(select)(SF8_LANES(above)(a, c->above), of_class, code);
}

/* The significands with the leading one at bit 30, or shifted to the right of it with the last bit
 * set for what is lost, unless the plan is usual; *field: their exponents, or the least. A
 * significand is its word without the exponent minus 1, of which two bits are within 32. */
SF8_LANES_FN SF8_V SF8_LANES(significands)(const SF8_LANES(sr_plan) * w, SF8_V a, SF8_V *field,
                                           int32_t usual)
{
    SF8_V own = SF8_LANES(max)(SF8_LANES(shift)(a, w->places), w->one);
    SF8_V more = SF8_LANES(raise)(SF8_LANES(sub)(own, w->one), w->thirty);
    SF8_V sig = SF8_LANES(sub)(SF8_LANES(raise)(a, w->seven), more);
    *field = SF8_LANES(max)(own, w->least);
    SF8_V below = SF8_LANES(min)(SF8_LANES(sub)(*field, own), w->far);
    SF8_V shifted = SF8_LANES(shift)(sig, below);
    if (usual)
        return shifted;
    SF8_M lost = SF8_LANES(above)(sig, SF8_LANES(raise)(shifted, below));
    return shifted | SF8_LANES(where)(lost, w->one);
}

/* The codes of magnitudes, of words that have the sign of x. */
SF8_LANES_FN SF8_V SF8_LANES(sr_signed)(const SF8_LANES(sr_plan) * w, SF8_V magnitude,
                                        SF8_M negative, int32_t usual)
{
    if (usual)
        return SF8_LANES(min)(magnitude, w->largest) | SF8_LANES(where)(negative, w->sign);
    SF8_M flushed = SF8_LANES(above)(w->flush_out, magnitude);
    SF8_V code = SF8_LANES(select)(flushed, w->zero, magnitude);
    SF8_V with = code | SF8_LANES(where)(SF8_LANES(above)(code, w->no_sign), w->sign);
    code = SF8_LANES(select)(negative, with, code);
    return SF8_LANES(sr_classed)(&w->over, magnitude, negative, code);
}

SF8_LANES_FN SF8_V SF8_LANES(sr_codes)(const SF8_LANES(sr_plan) * w, SF8_V x, SF8_V random,
                                       int32_t usual)
{
    SF8_V a = x & w->magnitude, field, r = random & w->mask;
    SF8_M negative = SF8_LANES(above)(w->zero, x);
    if (!usual)
        a = SF8_LANES(select)(SF8_LANES(above)(w->flush_in, a), w->zero, a);
    SF8_V sig = SF8_LANES(significands)(w, a, &field, usual);
    sig = SF8_LANES(add)(sig, SF8_LANES(add)(SF8_LANES(raise)(r, w->up), w->add));
    if (!usual)
        sig = SF8_LANES(sub)(sig, r & w->less);
    SF8_V base = SF8_LANES(raise)(SF8_LANES(sub)(field, w->least), w->base);
    SF8_V magnitude = SF8_LANES(add)(SF8_LANES(shift)(sig, w->cut), base);
    SF8_V code = SF8_LANES(sr_signed)(w, magnitude, negative, usual);
    if (SF8_RARE(SF8_LANES(has)(SF8_LANES(above)(a, w->inf.above)))) {
        code = SF8_LANES(sr_classed)(&w->inf, a, negative, code);
        code = SF8_LANES(sr_classed)(&w->nan, a, negative, code);
    }
    return code;
}

SF8_LANES_FN void SF8_LANES(sr_loop)(const sf8_plan *plan, size_t width, unsigned char *dst,
                                     const uint32_t *words, const uint32_t *random, size_t n,
                                     int32_t usual)
{
    const SF8_LANES(sr_plan) w = SF8_LANES(sr_plan_of)(plan);
    enum { EACH = SF8_LANES_EACH };
    const unsigned char *from = (const unsigned char *)words;
    const unsigned char *with = (const unsigned char *)random;
    for (size_t i = 0; i < n; i += 4 * (size_t)EACH) {
        SF8_V code[4];
        for (size_t j = 0; j < 4; j++)
            code[j] = SF8_LANES(sr_codes)(&w, SF8_LANES(load)(from, i + EACH * j, SF8_SOURCE_F32),
                                          SF8_LANES(load)(with, i + EACH * j, SF8_SOURCE_F32),
                                          usual);
        if (width == 1)
            SF8_LANES(store)(dst + i, SF8_LANES(pack)(code));
        else if (width == 2)
            SF8_LANES(store16)(dst + 2 * i, code);
        else
            SF8_LANES(store32)(dst + 4 * i, code);
    }
}

SF8_TARGET static void SF8_LANES(sr)(const sf8_plan *plan, size_t width, unsigned char *dst,
                                     const uint32_t *words, const uint32_t *random, size_t n)
{
    if (SF8_LANES(sr_usual)(plan))
        SF8_LANES(sr_loop)(plan, width, dst, words, random, n, 1);
    else
        SF8_LANES(sr_loop)(plan, width, dst, words, random, n, 0);
}

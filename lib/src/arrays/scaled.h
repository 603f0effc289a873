/* SPDX-License-Identifier: MIT */
/* scaled.h -- blocks scaled, converted and packed in one pass; included after array_lanes.h
 *
 * The result is the function `scaled`. Besides what lanes.h needs there are
 *
 *     times over          (x, factor), (x, divisor, more): the product, in which a NaN of the
 *                         factor wins; the division, to whose result `more` is added
 *     store4              a step's codes, two to a byte
 */

/* The step of x that begins with its i-th word, in blocks of 2^shift. */
SF8_LANES_FN SF8_V SF8_LANES(scaled_step)(const SF8_LANES(plan) * w, int32_t how,
                                          const sf8_scaling *s, int32_t divide,
                                          const unsigned char *x, const uint32_t *factor, size_t i)
{
    SF8_V y[4], more = SF8_LANES(set)((int32_t)s->more);
    for (size_t k = 0; k < 4; k++) {
        size_t at = i + SF8_LANES_EACH * k;
        SF8_V f = SF8_LANES(set)((int32_t)factor[at >> s->shift]);
        y[k] = SF8_LANES(load)(x, at, SF8_SOURCE_F32);
        y[k] = divide ? SF8_LANES(over)(y[k], f, more) : SF8_LANES(times)(y[k], f);
    }
    return SF8_LANES(step)(w, how, SF8_RNE, y);
}

/* What is less than a step goes by way of memory of our own. */
SF8_LANES_FN void SF8_LANES(scaled_loop)(const sf8_plan *plan, int32_t how, const sf8_scaling *s,
                                         int32_t divide, int32_t packed, uint8_t *dst,
                                         const unsigned char *x, const uint32_t *factor, size_t n)
{
    const SF8_LANES(plan) w = SF8_LANES(plan_of)(plan);
    size_t each = 4 * SF8_LANES_EACH, i = 0;
    for (; n - i >= each; i += each) {
        SF8_V codes = SF8_LANES(scaled_step)(&w, how, s, divide, x, factor, i);
        if (packed)
            SF8_LANES(store4)(dst + i / 2, codes);
        else
            SF8_LANES(store)(dst + i, codes);
    }
    if (i < n) {
        unsigned char words[16 * SF8_LANES_EACH] = {0}, rest[4 * SF8_LANES_EACH];
        uint32_t factors[4 * SF8_LANES_EACH / 16] = {0};
        size_t first = i >> s->shift, count = ((n - 1) >> s->shift) - first + 1;
        memcpy(words, x + 4 * i, 4 * (n - i));
        memcpy(factors, factor + first, 4 * count);
        SF8_V codes = SF8_LANES(scaled_step)(&w, how, s, divide, words, factors, 0);
        if (packed)
            SF8_LANES(store4)(rest, codes);
        else
            SF8_LANES(store)(rest, codes);
        if (packed && n % 2 != 0) /* no code behind the last */
            rest[(n - i) / 2] &= 15;
        memcpy(dst + (packed ? i / 2 : i), rest, packed ? (n - i + 1) / 2 : n - i);
    }
}

#define SF8_LANES_SCALED(how, divide, packed)                                                      \
    SF8_LANES(scaled_loop)(plan, how, s, divide, packed, dst, x, factor, n)

SF8_LANES_FN void SF8_LANES(scaled_by)(const sf8_plan *plan, int32_t how, const sf8_scaling *s,
                                       uint8_t *dst, const unsigned char *x, const uint32_t *factor,
                                       size_t n)
{
    if (s->divide && s->packed)
        SF8_LANES_SCALED(how, 1, 1);
    else if (s->divide)
        SF8_LANES_SCALED(how, 1, 0);
    else if (s->packed)
        SF8_LANES_SCALED(how, 0, 1);
    else
        SF8_LANES_SCALED(how, 0, 0);
}
#undef SF8_LANES_SCALED

SF8_TARGET static __attribute__((noinline)) void SF8_LANES(scaled)(const sf8_plan *plan,
                                                                   const sf8_scaling *s,
                                                                   uint8_t *dst, const uint32_t *x,
                                                                   const uint32_t *factor, size_t n)
{
    const unsigned char *words = (const unsigned char *)x;
    switch (s->how) {
    case SF8_BY_WORD:
        SF8_LANES(scaled_by)(plan, SF8_BY_WORD, s, dst, words, factor, n);
        break;
    case SF8_BY_CLAMP:
        SF8_LANES(scaled_by)(plan, SF8_BY_CLAMP, s, dst, words, factor, n);
        break;
    case SF8_BY_MAGNITUDE:
        SF8_LANES(scaled_by)(plan, SF8_BY_MAGNITUDE, s, dst, words, factor, n);
        break;
    default:
        SF8_LANES(scaled_by)(plan, SF8_NO_SHORTCUT, s, dst, words, factor, n);
        break;
    }
}

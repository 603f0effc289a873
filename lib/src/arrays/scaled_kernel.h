/* SPDX-License-Identifier: MIT */
/* scaled_kernel.h -- blocks scaled, converted and packed in one pass; included after f32_kernel.h
 *
 * The result is the function `scaled`.
 */

/* The step of x that begins with its i-th word, in blocks of 2^shift. */
SF8_ON_FN SF8_U SF8_KERNEL(scaled_step)(const SF8_KERNEL(plan) * w, int32_t how,
                                        const sf8_scaling *s, int32_t divide,
                                        const unsigned char *x, const uint32_t *factor, size_t i)
{
    SF8_U y[4], f = SF8_ON(set)(0), more = SF8_ON(set)((int32_t)s->more);
    for (size_t k = 0; k < 4; k++) {
        size_t at = i + SF8_LANES * k;
        if (SF8_LANES * k % 16 == 0) /* a block has at least 16 elements */
            f = SF8_ON(set)((int32_t)factor[at >> s->shift]);
        y[k] = SF8_ON(widened)(x, at, SF8_SOURCE_F32);
        y[k] = divide ? SF8_ON(add)(SF8_ON(div)(y[k], f), more) : SF8_ON(mul)(f, y[k]);
    }
    return SF8_KERNEL(step)(w, how, SF8_RNE, y);
}

/* What is less than a step goes by way of memory of our own, through the same loop. */
SF8_ON_FN void SF8_KERNEL(scaled_loop)(const sf8_plan *plan, int32_t how, const sf8_scaling *s,
                                       int32_t divide, uint8_t *dst, const unsigned char *x,
                                       const uint32_t *factor, size_t n)
{
    enum { EACH = 4 * SF8_LANES };
    unsigned char words[4 * EACH], codes[EACH];
    uint32_t factors[EACH / 16] = {0};
    size_t rest = n % EACH, done = n - rest, count = done;
    uint8_t *to = dst;
    for (int32_t last = count == 0;; last = 1) {
        if (last) {
            size_t first = done >> s->shift;
            memset(words, 0, sizeof words);
            memcpy(words, x + 4 * done, 4 * rest);
            memcpy(factors, factor + first, 4 * (((n - 1) >> s->shift) - first + 1));
            to = codes;
            x = words;
            factor = factors;
            count = EACH;
        }
        const SF8_KERNEL(plan) w = SF8_KERNEL(plan_of)(plan);
        const sf8_scaling own = *s; /* which no store of codes can change */
        for (size_t i = 0; i < count; i += EACH) {
            for (size_t line = 0; line < 4 * EACH; line += 64)
                _mm_prefetch((const char *)((uintptr_t)x + 4 * i + own.ahead + line), _MM_HINT_T0);
            SF8_U step = SF8_KERNEL(scaled_step)(&w, how, &own, divide, x, factor, i);
            if (own.packed)
                SF8_ON(store4)(to + i / 2, step);
            else
                SF8_ON(store_codes)(to + i, step);
        }
        if (last || rest == 0)
            break;
    }
    if (to != codes)
        return;
    if (s->packed && rest % 2 != 0) /* no code behind the last */
        codes[rest / 2] &= 15;
    memcpy(dst + (s->packed ? done / 2 : done), codes, s->packed ? (rest + 1) / 2 : rest);
}

SF8_ON_FN void SF8_KERNEL(scaled_by)(const sf8_plan *plan, int32_t how, const sf8_scaling *s,
                                     uint8_t *dst, const unsigned char *x, const uint32_t *factor,
                                     size_t n)
{
    if (s->divide)
        SF8_KERNEL(scaled_loop)(plan, how, s, 1, dst, x, factor, n);
    else
        SF8_KERNEL(scaled_loop)(plan, how, s, 0, dst, x, factor, n);
}

SF8_TARGET static SF8_NOINLINE void SF8_KERNEL(scaled)(const sf8_plan *plan, const sf8_scaling *s,
                                                       uint8_t *dst, const uint32_t *x,
                                                       const uint32_t *factor, size_t n)
{
    const unsigned char *words = (const unsigned char *)x;
    if (n == 0)
        return;
    switch (s->how) {
    case SF8_BY_WORD:
        SF8_KERNEL(scaled_by)(plan, SF8_BY_WORD, s, dst, words, factor, n);
        break;
    case SF8_BY_CLAMP:
        SF8_KERNEL(scaled_by)(plan, SF8_BY_CLAMP, s, dst, words, factor, n);
        break;
    case SF8_BY_MAGNITUDE:
        SF8_KERNEL(scaled_by)(plan, SF8_BY_MAGNITUDE, s, dst, words, factor, n);
        break;
    default:
        SF8_KERNEL(scaled_by)(plan, SF8_NO_SHORTCUT, s, dst, words, factor, n);
        break;
    }
}

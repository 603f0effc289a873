/* SPDX-License-Identifier: MIT */
/* f32_kernel.h -- the kernels by an addition of floats, included once for each level
 *
 * Rounding is one addition: to |x|, clamped, is added the power of two m whose last place is the
 * target's last place at x, so that the sum is rounded where the code ends, and its low bits are
 * the significand. The exponents of m are bounded from below by the target's smallest, which makes
 * subnormals. As m is the power of two of x times a constant, it is a multiply-add. Numbers below
 * 2^-126, which DAZ would read as zero, are as good as zero to nearest, and as 2^-126 in the modes
 * that tell them from zero.
 *
 * The results are the functions `rne_clamp` and `general`. Where MXCSR says how operations
 * round, it is set for their loops, without exceptions, and restored. The loops are separate
 * functions, so that the compiler cannot move code out of them.
 */

typedef struct SF8_KERNEL(class) {
    SF8_U above, positive, negative;
} SF8_KERNEL(class);

typedef struct SF8_KERNEL(plan) {
    SF8_U magnitude, clamp, exponent, least, shift, magic, half, tiny, zero, one;
    SF8_U special, special_word, bare, special_positive, special_negative, sign;
    SF8_U keep_sign, has_sign, flush_in, flush_out, top, zero_sign, neg_keep, neg_add;
    SF8_U least_normal, lower, none_below, zero_below, zero_code, up, fraction, places, odd;
    SF8_KERNEL(class) over, inf, nan;
} SF8_KERNEL(plan);

SF8_ON_FN SF8_KERNEL(class) SF8_KERNEL(class_of)(const sf8_class_codes *c)
{
    SF8_KERNEL(class)
    w = {SF8_ON(set)(c->above), SF8_ON(set_bytes)(c->positive),
         SF8_ON(set_bytes)(c->positive ^ c->differs)};
    return w;
}

/* What a plan to e8m0 has. An operand that is flushed counts as zero in each comparison. */
SF8_ON_FN void SF8_KERNEL(power_plan)(SF8_KERNEL(plan) * w, const sf8_plan *p)
{
    enum { HALF = 1 << 22 };
    int32_t flushed = p->flush_in - (p->flush_in > 0), round = p->round;
    w->least_normal = SF8_ON(set)(2 * HALF);
    w->lower = SF8_ON(set)(p->lower > flushed ? p->lower : flushed);
    w->none_below = SF8_ON(set)(flushed);
    w->zero_below = SF8_ON(set)(p->zero_below == 0            ? 0
                                : p->zero_below > p->flush_in ? p->zero_below
                                                              : p->flush_in);
    w->zero_code = SF8_ON(set_bytes)(p->zero_code);
    w->up = SF8_ON(set)(round == SF8_RNA                       ? HALF
                        : round == SF8_RNE || round == SF8_RNZ ? HALF - 1
                        : round == SF8_RU                      ? 2 * HALF - 1
                                                               : 0);
    w->fraction = SF8_ON(set)(2 * HALF - 1);
    w->places = SF8_ON(set)(23);
    w->odd = SF8_ON(set)(round == SF8_RO);
}

/* What a way does not use is left out by the compiler. */
SF8_ON_FN SF8_KERNEL(plan) SF8_KERNEL(plan_of)(const sf8_plan *p)
{
    SF8_KERNEL(plan) w;
    int32_t drop = 23 - p->man_bits;
    /* what the code of the smallest normal number begins with, taken off in the sum */
    int32_t code_base = (int32_t)(0u - ((uint32_t)p->least << p->man_bits)) & 255;
    w.magnitude = SF8_ON(set)(0x7fffffff);
    w.exponent = SF8_ON(set)(0x7f800000);
    w.tiny = SF8_ON(set)(0x00800000);
    w.zero = SF8_ON(set)(0);
    w.one = SF8_ON(set)(1);
    w.clamp = SF8_ON(set)(p->clamp);
    w.least = SF8_ON(set)(p->least << 23);
    w.magic = SF8_ON(set)(((127 + drop) << 23) + code_base);
    w.shift = SF8_ON(set)(drop);
    w.half = SF8_ON(set)((p->man_bits + 1) << 23);
    w.special = SF8_ON(set)(p->special);
    w.special_word = SF8_ON(set)(p->special_word);
    w.bare = SF8_ON(set_bytes)(p->bare);
    w.special_positive = SF8_ON(set_bytes)(p->special_code);
    w.special_negative = SF8_ON(set_bytes)(p->special_code | p->special_sign);
    w.sign = SF8_ON(set_bytes)(p->sign);
    w.keep_sign = SF8_ON(set)((int32_t)p->keep_sign);
    w.has_sign = SF8_ON(set_bytes)(-(int32_t)(p->keep_sign >> 31));
    w.flush_in = SF8_ON(set)(p->flush_in);
    w.flush_out = SF8_ON(set_bytes)(p->flush_out);
    w.top = SF8_ON(set)(p->top);
    w.zero_sign = SF8_ON(set_bytes)(p->zero_sign);
    w.neg_keep = SF8_ON(set_bytes)(p->neg_keep);
    w.neg_add = SF8_ON(set_bytes)(p->neg_add);
    w.over = SF8_KERNEL(class_of)(&p->over);
    w.inf = SF8_KERNEL(class_of)(&p->inf);
    w.nan = SF8_KERNEL(class_of)(&p->nan);
    SF8_KERNEL(power_plan)(&w, p);
    return w;
}

/* The low byte of each word is the magnitude of the code of a, which is clamped; x has its sign. In
 * the modes that depend on the sign the sum has it too. */
SF8_ON_FN SF8_U SF8_KERNEL(rounded)(const SF8_KERNEL(plan) * w, SF8_U x, SF8_U a, int32_t round)
{
    if (round == SF8_RU || round == SF8_RD || round == SF8_RO)
        a = SF8_ON(select)(SF8_ON(above)(a, w->zero), SF8_ON(max)(a, w->tiny), w->zero);
    SF8_U field = SF8_ON(max)(a & w->exponent, w->least), power = field, number = a;
    if (round == SF8_RU || round == SF8_RD) {
        SF8_U sign = x & ~w->magnitude;
        power |= sign;
        number |= sign;
    }
    if (round == SF8_RNA) /* half of the last place more, then toward zero */
        number = SF8_ON(plus)(number, (field - w->half));
    if (round == SF8_RNZ) /* the same to the next number toward zero, which no tie reaches */
        number = SF8_ON(plus)(SF8_ON(max)((number - w->one), w->zero), (field - w->half));
    SF8_U sum = SF8_ON(fma)(power, w->magic, number, round);
    SF8_U codes = sum + SF8_ON(shift)(field, w->shift);
    if (round == SF8_RO) { /* what was cut off makes the last bit 1 */
        SF8_M inexact = SF8_ON(above)(a, SF8_ON(rest)(power, w->magic, sum));
        codes |= SF8_ON(select)(inexact, w->one, w->zero);
    }
    return codes;
}

/* The same for e8m0: the source's magnitude is a code and a fraction of 23 bits. */
SF8_ON_FN SF8_U SF8_KERNEL(power)(const SF8_KERNEL(plan) * w, SF8_U a, int32_t round)
{
    SF8_U c = SF8_ON(select)(SF8_ON(above)(a, w->lower), SF8_ON(max)(a, w->least_normal), w->zero);
    SF8_U last = SF8_ON(shift)(c, w->places) & w->one;
    if (round == SF8_RNE)
        return SF8_ON(shift)(c + w->up + last, w->places);
    SF8_U code = SF8_ON(shift)(c + w->up, w->places);
    SF8_U cut = (c & w->fraction) + w->fraction;
    return code | (SF8_ON(shift)(cut, w->places) & w->odd);
}

/* Which of a step's words are above a magnitude. */
SF8_ON_FN SF8_BM SF8_KERNEL(beyond)(const SF8_KERNEL(plan) * w, const SF8_U x[4], SF8_U magnitude)
{
    SF8_M is[4];
    for (size_t i = 0; i < 4; i++)
        is[i] = SF8_ON(above)(x[i] & w->magnitude, magnitude);
    return SF8_ON(masks)(is);
}

SF8_ON_FN SF8_U SF8_KERNEL(classed)(const SF8_KERNEL(plan) * w, const SF8_KERNEL(class) * c,
                                    const SF8_U x[4], SF8_BM negative, SF8_U bytes)
{
    SF8_U codes = SF8_ON(choose)(negative, c->negative, c->positive);
    return SF8_ON(choose)(SF8_KERNEL(beyond)(w, x, c->above), codes, bytes);
}

/* Any plan: the magnitudes of the codes before anything happens to them. */
SF8_ON_FN SF8_U SF8_KERNEL(magnitudes)(const SF8_KERNEL(plan) * w, SF8_U x, int32_t how,
                                       int32_t round)
{
    SF8_U magnitude = x & w->magnitude, a = SF8_ON(min)(magnitude, w->top);
    if (how == SF8_BY_POWER)
        return SF8_KERNEL(power)(w, magnitude, round);
    a = SF8_ON(select)(SF8_ON(above)(w->flush_in, magnitude), w->zero, a);
    return SF8_KERNEL(rounded)(w, x & w->keep_sign, a, round);
}

/* What becomes of small values and of negative ones, from the magnitudes of the codes. */
SF8_ON_FN SF8_U SF8_KERNEL(signed_codes)(const SF8_KERNEL(plan) * w, const SF8_U x[4],
                                         SF8_BM negative, int32_t how, SF8_U bytes)
{
    if (how == SF8_BY_POWER) {
        SF8_M below[4];
        for (size_t i = 0; i < 4; i++)
            below[i] = SF8_ON(above)(w->zero_below, x[i] & w->magnitude);
        bytes = SF8_ON(choose)(SF8_ON(masks)(below), w->zero_code, bytes);
        return SF8_ON(choose)(SF8_KERNEL(beyond)(w, x, w->none_below),
                              SF8_ON(choose)(negative, w->neg_add, bytes), bytes);
    }
    bytes = SF8_ON(choose)(SF8_ON(at_least)(bytes, w->flush_out), bytes, w->zero);
    return SF8_ON(choose)(SF8_ON(unlike)(negative, bytes | w->zero_sign, w->zero),
                          (bytes & w->neg_keep) | w->neg_add, bytes);
}

/* A step by any plan: the codes with everything that happens to them. */
SF8_ON_FN SF8_U SF8_KERNEL(all_rules)(const SF8_KERNEL(plan) * w, int32_t how, int32_t round,
                                      const SF8_U x[4])
{
    SF8_U codes[4];
    for (size_t i = 0; i < 4; i++)
        codes[i] = SF8_KERNEL(magnitudes)(w, x[i], how, round);
    SF8_BM negative = SF8_ON(unlike)(SF8_ON(signs)(x), w->has_sign, w->zero);
    SF8_U bytes = SF8_KERNEL(signed_codes)(w, x, negative, how, SF8_ON(pack)(codes));
    bytes = SF8_KERNEL(classed)(w, &w->over, x, negative, bytes);
    bytes = SF8_KERNEL(classed)(w, &w->inf, x, negative, bytes);
    return SF8_KERNEL(classed)(w, &w->nan, x, negative, bytes);
}

/* The magnitudes of the codes, in a plan with few rules. */
SF8_ON_FN SF8_U SF8_KERNEL(few_rules)(const SF8_KERNEL(plan) * w, SF8_U x, int32_t how,
                                      int32_t round)
{
    int32_t positive = how == SF8_BY_POSITIVE || how == SF8_BY_POSITIVE_POWER;
    SF8_U magnitude = x & w->magnitude;
    SF8_U a = SF8_ON(min)(positive ? SF8_ON(max)(x, w->zero) : magnitude, w->clamp);
    if (how == SF8_BY_WORD || positive)
        a = SF8_ON(select)(SF8_ON(above)(magnitude, w->special), w->special_word, a);
    if (how == SF8_BY_POSITIVE_POWER)
        return SF8_KERNEL(power)(w, a, round);
    return SF8_KERNEL(rounded)(w, x, a, round);
}

/* A step: four registers of words of f32. */
SF8_ON_FN SF8_U SF8_KERNEL(step)(const SF8_KERNEL(plan) * w, int32_t how, int32_t round,
                                 const SF8_U x[4])
{
    if (how == SF8_BY_CLASS || how == SF8_BY_POWER)
        return SF8_KERNEL(all_rules)(w, how, round, x);
    SF8_U codes[4];
    for (size_t i = 0; i < 4; i++)
        codes[i] = SF8_KERNEL(few_rules)(w, x[i], how, round);
    SF8_U bytes = SF8_ON(pack)(codes);
    if (how == SF8_BY_POSITIVE || how == SF8_BY_POSITIVE_POWER)
        return bytes;
    SF8_BM negative = SF8_ON(signs)(x);
    if (how == SF8_BY_MAGNITUDE)
        return SF8_ON(put_where)(negative, bytes, w->sign);
    if (how != SF8_NO_SHORTCUT)
        return SF8_ON(put_where)(SF8_ON(unlike)(negative, bytes, w->bare), bytes, w->sign);
    SF8_U special = SF8_ON(choose)(negative, w->special_negative, w->special_positive);
    bytes = SF8_ON(put_where)(negative, bytes, w->sign);
    return SF8_ON(choose)(SF8_KERNEL(beyond)(w, x, w->special), special, bytes);
}

SF8_ON_FN SF8_U SF8_KERNEL(step_at)(const SF8_KERNEL(plan) * w, int32_t how, int32_t round,
                                    int32_t source, const unsigned char *src)
{
    SF8_U x[4];
    for (size_t i = 0; i < 4; i++)
        x[i] = SF8_ON(widened)(src, SF8_LANES * i, source);
    return SF8_KERNEL(step)(w, how, round, x);
}

enum { SF8_KERNEL(ahead) = 1, SF8_KERNEL(streams) = 2 };

/* Whole steps. */
SF8_ON_FN void SF8_KERNEL(loop)(const sf8_plan *plan, int32_t how, int32_t round, int32_t source,
                                uint8_t *dst, const unsigned char *src, size_t n, int32_t memory)
{
    const SF8_KERNEL(plan) w = SF8_KERNEL(plan_of)(plan);
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2, each = 4 * SF8_LANES;
    for (size_t i = 0; i < n; i += each) {
        const unsigned char *from = src + i * width;
        if (memory & SF8_KERNEL(ahead))
            for (size_t line = 0; line < each * width; line += 64)
                _mm_prefetch((const char *)((uintptr_t)from + 2048 + line), _MM_HINT_T0);
        SF8_U codes = SF8_KERNEL(step_at)(&w, how, round, source, from);
        if (memory & SF8_KERNEL(streams))
            SF8_ON(stream_codes)(dst + i, codes);
        else
            SF8_ON(store_codes)(dst + i, codes);
    }
}

/* The loop runs twice, so that it is compiled once: over the whole steps, then over one step that
 * ends where the array does. Some of its codes are there already; their words are as they were,
 * since also where dst is src the codes so far end below them. A short array has its last step in
 * memory of our own. */
SF8_ON_FN void SF8_KERNEL(array)(const sf8_plan *plan, int32_t how, int32_t round, int32_t source,
                                 uint8_t *dst, const unsigned char *src, size_t n)
{
    enum { EACH = 4 * SF8_LANES };
    unsigned char words[4 * EACH], codes[EACH];
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2, rest = n % EACH, count = n - rest;
    const unsigned char *from = src;
    uint8_t *to = dst;
    int32_t memory = n >= 16384 || round != SF8_RNE ? SF8_KERNEL(ahead) : 0;
    if (n >= SF8_STREAM_BYTES && round == SF8_RNE && (uintptr_t)dst % EACH == 0)
        memory |= SF8_KERNEL(streams);
    for (int32_t last = count == 0;; last = 1) {
        if (last && n >= 2 * EACH) {
            to = dst + (n - EACH);
            from = src + (n - EACH) * width;
        } else if (last) {
            memset(words, 0, sizeof words);
            memcpy(words, src + (n - rest) * width, rest * width);
            to = codes;
            from = words;
        }
        SF8_KERNEL(loop)(plan, how, round, source, to, from, last ? EACH : count, memory);
        if (memory & SF8_KERNEL(streams))
            _mm_sfence();
        memory = 0;
        if (last || rest == 0)
            break;
    }
    if (to == codes)
        memcpy(dst + (n - rest), codes, rest);
}

#define SF8_KERNEL_ARGUMENTS                                                                       \
    const sf8_plan *plan, int32_t source, uint8_t *dst, const unsigned char *src, size_t n

/* Plain plans by rne: for each way and source a loop of its own. */
SF8_ON_FN void SF8_KERNEL(nearest)(SF8_KERNEL_ARGUMENTS)
{
    if (plan->shortcut == SF8_BY_WORD)
        SF8_KERNEL(array)(plan, SF8_BY_WORD, SF8_RNE, source, dst, src, n);
    else if (plan->shortcut == SF8_BY_CLAMP)
        SF8_KERNEL(array)(plan, SF8_BY_CLAMP, SF8_RNE, source, dst, src, n);
    else
        SF8_KERNEL(array)(plan, SF8_NO_SHORTCUT, SF8_RNE, source, dst, src, n);
}

SF8_TARGET static SF8_NOINLINE void SF8_KERNEL(nearest_loop)(SF8_KERNEL_ARGUMENTS)
{
    /* to stream, a destination has to be aligned */
    if (n > SF8_STREAM_BYTES) {
        size_t head = (0 - (size_t)(uintptr_t)dst) & (4 * SF8_LANES - 1);
        if (head)
            SF8_KERNEL(nearest_loop)(plan, source, dst, src, head);
        dst += head;
        src += head * (source == SF8_SOURCE_F32 ? 4 : 2);
        n -= head;
    }
    if (source == SF8_SOURCE_F32)
        SF8_KERNEL(nearest)(plan, SF8_SOURCE_F32, dst, src, n);
    else if (source == SF8_SOURCE_BF16)
        SF8_KERNEL(nearest)(plan, SF8_SOURCE_BF16, dst, src, n);
    else
        SF8_KERNEL(nearest)(plan, SF8_SOURCE_F16, dst, src, n);
}

/* All roundings to e8m0 but rne have one loop. */
enum { SF8_KERNEL(any_power) = -1 };

/* Other plans, from f32. */
SF8_ON_FN void SF8_KERNEL(mode)(const sf8_plan *plan, int32_t round, uint8_t *dst,
                                const unsigned char *src, size_t n)
{
    if (plan->plain)
        SF8_KERNEL(array)(plan, SF8_NO_SHORTCUT, round, SF8_SOURCE_F32, dst, src, n);
    else
        SF8_KERNEL(array)(plan, SF8_BY_CLASS, round, SF8_SOURCE_F32, dst, src, n);
}

SF8_TARGET static void SF8_KERNEL(any)(const sf8_plan *plan, uint8_t *dst, const unsigned char *src,
                                       size_t n)
{
    if (plan->shortcut == SF8_BY_POSITIVE) {
        if (plan->powers)
            SF8_KERNEL(array)(plan, SF8_BY_POSITIVE_POWER, SF8_RNE, SF8_SOURCE_F32, dst, src, n);
        else
            SF8_KERNEL(array)(plan, SF8_BY_POSITIVE, SF8_RNE, SF8_SOURCE_F32, dst, src, n);
        return;
    }
    if (plan->powers && plan->round == SF8_RNE) {
        SF8_KERNEL(array)(plan, SF8_BY_POWER, SF8_RNE, SF8_SOURCE_F32, dst, src, n);
        return;
    }
    if (plan->powers) {
        SF8_KERNEL(array)(plan, SF8_BY_POWER, SF8_KERNEL(any_power), SF8_SOURCE_F32, dst, src, n);
        return;
    }
    switch (plan->round) {
    case SF8_RNE:
        SF8_KERNEL(array)(plan, SF8_BY_CLASS, SF8_RNE, SF8_SOURCE_F32, dst, src, n);
        break;
    case SF8_RNA:
        SF8_KERNEL(mode)(plan, SF8_RNA, dst, src, n);
        break;
    case SF8_RZ:
        SF8_KERNEL(mode)(plan, SF8_RZ, dst, src, n);
        break;
    case SF8_RU:
        SF8_KERNEL(mode)(plan, SF8_RU, dst, src, n);
        break;
    case SF8_RD:
        SF8_KERNEL(mode)(plan, SF8_RD, dst, src, n);
        break;
    case SF8_RNZ:
        SF8_KERNEL(mode)(plan, SF8_RNZ, dst, src, n);
        break;
    default:
        SF8_KERNEL(mode)(plan, SF8_RO, dst, src, n);
        break;
    }
}

/* `count` words, a multiple of SF8_LANES. */
SF8_ON_FN void SF8_KERNEL(widen)(uint32_t *words, int32_t source, const unsigned char *src,
                                 size_t count)
{
    for (size_t i = 0; i < count; i += SF8_LANES) {
        SF8_U wide = SF8_ON(widened)(src, i, source);
        memcpy(words + i, &wide, sizeof wide);
    }
}

/* Halves are widened to f32 first, block by block. */
SF8_TARGET static SF8_NOINLINE void SF8_KERNEL(general_loop)(SF8_KERNEL_ARGUMENTS)
{
    enum { BLOCK = 512 };
    uint32_t words[BLOCK];
    if (source == SF8_SOURCE_F32) {
        SF8_KERNEL(any)(plan, dst, src, n);
        return;
    }
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK, whole = count;
        const unsigned char *from = src + 2 * i;
        unsigned char rest[2 * SF8_LANES] = {0};
        whole -= count % SF8_LANES;
        memcpy(rest, from + 2 * whole, 2 * (count - whole));
        if (source == SF8_SOURCE_BF16) {
            SF8_KERNEL(widen)(words, SF8_SOURCE_BF16, from, whole);
            SF8_KERNEL(widen)(words + whole, SF8_SOURCE_BF16, rest, count > whole);
        } else {
            SF8_KERNEL(widen)(words, SF8_SOURCE_F16, from, whole);
            SF8_KERNEL(widen)(words + whole, SF8_SOURCE_F16, rest, count > whole);
        }
        SF8_KERNEL(any)(plan, dst + i, (const unsigned char *)words, count);
    }
}

static void SF8_KERNEL(rne_clamp)(SF8_KERNEL_ARGUMENTS)
{
    unsigned int before = SF8_ON(begin)(SF8_RNE);
    SF8_KERNEL(nearest_loop)(plan, source, dst, src, n);
    SF8_ON(end)(before);
}

static void SF8_KERNEL(general)(SF8_KERNEL_ARGUMENTS)
{
    unsigned int before = SF8_ON(begin)(plan->round);
    SF8_KERNEL(general_loop)(plan, source, dst, src, n);
    SF8_ON(end)(before);
}

/* Plans that f32 has no space for. */
static void SF8_KERNEL(encode)(SF8_KERNEL_ARGUMENTS)
{
    sf8_portable_kernels()->encode(plan, source, dst, src, n);
}

#undef SF8_KERNEL_ARGUMENTS

/* SPDX-License-Identifier: MIT */
/* plain_kernel.h -- the kernel in plain C, included once for each level it is compiled for
 *
 * SF8_PLAIN(name) makes a name of the level, SF8_TARGET is the attribute that its functions have,
 * SF8_SHIFTS is 1 where lanes can be shifted by different distances, SF8_PLAIN_TOO where plain
 * plans have a loop of their own. Integers alone, masks in place of branches, so that a compiler
 * turns the loops into vectors.
 *
 * A significand is put with its leading one at bit 30; a number too small to be normal in the
 * target is shifted to the right, by at most man_bits + 2, since beyond that it is below half of
 * the smallest number at any distance; of its at most 24 bits none is lost on the way. That leaves
 * `cut` bits to be cut off, in every element.
 *
 * The plan is passed by value. If a function that takes it were a call, not inlined, each element
 * would copy it, and the loop would stay scalar: 34 ns an element where 2 ns are possible.
 */
#include "arrays/round_kernel.h"

/* Shifts by 0 to 7. */
SF8_TARGET SF8_INLINED uint32_t SF8_PLAIN(shifted)(uint32_t a, int32_t distance)
{
#if SF8_SHIFTS
    return a >> distance;
#else
    a ^= (a ^ (a >> 4)) & (uint32_t) - (distance >> 2 & 1);
    a ^= (a ^ (a >> 2)) & (uint32_t) - (distance >> 1 & 1);
    return a ^ ((a ^ (a >> 1)) & (uint32_t) - (distance & 1));
#endif
}

/* The magnitude before overflow and policy. A zero of f32 or bf16 needs no care where the result is
 * to nearest: it is then far below half of the smallest number, and counts as just below that. */
SF8_TARGET SF8_INLINED int32_t SF8_PLAIN(rounded)(const sf8_plan p, const SF8_PLAIN(more) more,
                                                  int32_t a, int32_t negative, int32_t round,
                                                  int32_t man_bits)
{
    int32_t one = (int32_t)1 << man_bits, field = a >> man_bits, implicit = one;
    if (man_bits == 10 || round != SF8_RNE) {
        int32_t normal = -(a >= one);
        field += 1 + normal;
        implicit = normal & one;
    }
    uint32_t sig = (uint32_t)((a & (one - 1)) | implicit) << (30 - man_bits);
    int32_t above = field - p.least;
    int32_t far = p.man_bits + 2, below = SF8_PLAIN(positive)(-above);
    below = far - SF8_PLAIN(positive)(far - below);
    sig = SF8_PLAIN(shifted)(sig, below);
    int32_t code = SF8_PLAIN(cut_off)(sig, p.cut, more, negative, round);
    return code + (int32_t)((uint32_t)SF8_PLAIN(positive)(above) << p.man_bits);
}

SF8_TARGET SF8_INLINED uint8_t SF8_PLAIN(code)(const sf8_plan p, const SF8_PLAIN(more) more,
                                               uint32_t word, int32_t round, int32_t man_bits,
                                               int32_t width)
{
    uint32_t x = word & p.keep_sign;
    int32_t a = (int32_t)(x & (((uint32_t)1 << (width - 1)) - 1));
    int32_t negative = -(int32_t)(x >> (width - 1));
    a &= -(a >= p.flush_in);
    int32_t code = SF8_PLAIN(rounded)(p, more, a, negative, round, man_bits);
    code &= -(code >= p.flush_out);
    int32_t to_change = negative & -((code | p.zero_sign) != 0);
    code = (code & (p.neg_keep | ~to_change)) | (p.neg_add & to_change);
    code = SF8_PLAIN(classed)(p.over, a, negative, code);
    code = SF8_PLAIN(classed)(p.inf, a, negative, code);
    code = SF8_PLAIN(classed)(p.nan, a, negative, code);
    return (uint8_t)code;
}

SF8_TARGET SF8_INLINED uint8_t SF8_PLAIN(plain_code)(const sf8_plan p, uint32_t word,
                                                     int32_t man_bits, int32_t width)
{
    int32_t magnitude = (int32_t)(word & (((uint32_t)1 << (width - 1)) - 1));
    int32_t sign = -(int32_t)(word >> (width - 1)) & p.sign;
    int32_t a = p.clamp - SF8_PLAIN(positive)(p.clamp - magnitude);
    const SF8_PLAIN(more) none = {0, 0, 0};
    int32_t code = SF8_PLAIN(rounded)(p, none, a, 0, SF8_RNE, man_bits) | sign;
    int32_t is = -(magnitude > p.special);
    return (uint8_t)((code & ~is) | ((p.special_code | (sign & p.special_sign)) & is));
}

/* To e8m0. The source's magnitude is a code and a fraction, but below its normal numbers there are
 * only the codes 0 and 1. */
SF8_TARGET SF8_INLINED uint8_t SF8_PLAIN(power)(const sf8_plan p, const SF8_PLAIN(more) more,
                                                uint32_t word, int32_t round, int32_t man_bits,
                                                int32_t width)
{
    uint32_t x = word & p.keep_sign;
    int32_t one = (int32_t)1 << man_bits;
    int32_t magnitude = (int32_t)(x & (((uint32_t)1 << (width - 1)) - 1));
    int32_t negative = -(int32_t)(x >> (width - 1));
    int32_t a = magnitude & -(magnitude >= p.flush_in);
    uint32_t c = (uint32_t)((a > one ? a : one) & -(a > p.lower));
    int32_t code = SF8_PLAIN(cut_off)(c, man_bits, more, negative, round);
    code |= p.zero_code & -(a < p.zero_below);
    int32_t to_change = negative & -(a != 0);
    code = (code & ~to_change) | (p.neg_add & to_change);
    code = SF8_PLAIN(classed)(p.over, a, negative, code);
    code = SF8_PLAIN(classed)(p.inf, a, negative, code);
    return (uint8_t)SF8_PLAIN(classed)(p.nan, a, negative, code);
}

/* A block goes through memory of our own, for dst may be src. The last group is filled up with
 * zeros. */
enum { SF8_PLAIN(block) = 256 };

#define SF8_LOOP(expression, type)                                                                 \
    for (size_t group = 0; group < n; group += SF8_GROUP)                                          \
        for (size_t i = group; i < group + SF8_GROUP; i++) {                                       \
            type word;                                                                             \
            memcpy(&word, src + i * sizeof word, sizeof word);                                     \
            dst[i] = expression;                                                                   \
        }

/* half: the bit that is worth half of the last place. */
#define SF8_CASES(kind, type, man_bits, half)                                                      \
    {                                                                                              \
        const SF8_PLAIN(more) more = SF8_PLAIN(more_of)(p.round, half);                            \
        if (p.round == SF8_RNE)                                                                    \
            SF8_LOOP(SF8_PLAIN(kind)(p, more, word, SF8_RNE, man_bits, WIDTH), type)               \
        else                                                                                       \
            SF8_LOOP(SF8_PLAIN(kind)(p, more, word, SF8_PLAIN(OTHER), man_bits, WIDTH), type)      \
    }

/* f16 has not the exponents of e8m0. */
#define SF8_PLANS(type, man_bits)                                                                  \
    if (SF8_PLAIN_TOO && p.plain && p.round == SF8_RNE)                                            \
        SF8_LOOP(SF8_PLAIN(plain_code)(p, word, man_bits, WIDTH), type)                            \
    else if (man_bits != 10 && p.powers)                                                           \
        SF8_CASES(power, type, man_bits, (uint32_t)1 << (man_bits - 1))                            \
    else                                                                                           \
        SF8_CASES(code, type, man_bits, (uint32_t)1 << (p.cut - 1))

#define SF8_SOURCE(name, type, man_bits)                                                           \
    SF8_TARGET static void SF8_PLAIN(name)(const sf8_plan *plan, uint8_t *dst,                     \
                                           const unsigned char *src, size_t n)                     \
    {                                                                                              \
        const sf8_plan p = *plan;                                                                  \
        enum { WIDTH = 8 * sizeof(type) };                                                         \
        SF8_PLANS(type, man_bits)                                                                  \
    }
SF8_SOURCE(words_f32, uint32_t, 23)
SF8_SOURCE(words_bf16, uint16_t, 7)
SF8_SOURCE(words_f16, uint16_t, 10)
#undef SF8_SOURCE
#undef SF8_PLANS
#undef SF8_CASES
#undef SF8_LOOP

static void SF8_PLAIN(encode)(const sf8_plan *plan, int32_t source, uint8_t *dst,
                              const unsigned char *src, size_t n)
{
    enum { BLOCK = SF8_PLAIN(block) };
    uint8_t codes[BLOCK];
    unsigned char filled[4 * ((size_t)BLOCK + SF8_GROUP)];
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2;
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK;
        const unsigned char *from = src + i * width;
#if defined(__GNUC__)
        if (n - i > 6 * BLOCK)
            for (size_t line = 0; line < BLOCK * width; line += 64)
                __builtin_prefetch(from + 2048 + line);
#endif
        if (count % SF8_GROUP) {
            memcpy(filled, from, count * width);
            memset(filled + count * width, 0, SF8_GROUP * width);
            from = filled;
        }
        if (source == SF8_SOURCE_F32)
            SF8_PLAIN(words_f32)(plan, codes, from, count);
        else if (source == SF8_SOURCE_F16)
            SF8_PLAIN(words_f16)(plan, codes, from, count);
        else
            SF8_PLAIN(words_bf16)(plan, codes, from, count);
        memcpy(dst + i, codes, count);
    }
}

/* ---- f64 ------------------------------------------------------------------------------------- */

/* A word of f64 as one of f32, rounded to odd: the last of 21 bits says that something was cut off,
 * so that rounding it to at most 19 bits gives what rounding the number itself would. What is not
 * within f32's normal numbers becomes the least or the largest of them. What is infinite or NaN
 * loses 1792, twice the difference of the biases, from its exponent, which gives less than 254 in
 * any number. */
SF8_TARGET static inline uint32_t SF8_PLAIN(odd)(uint64_t word, int32_t least)
{
    enum { ONE = 1 << 20, LARGEST = 255 * ONE - 1 };
    int32_t high = (int32_t)(word >> 32) & 0x7fffffff, x = high | ((uint32_t)word != 0);
    int32_t a = x - 896 * ONE, special = x - 1792 * ONE;
    a = a > ONE ? a : ONE;
    a = a < LARGEST ? a : LARGEST;
    a = a > special ? a : special;
    a &= -(x >= least && x > 0);
    return (uint32_t)a << 3 | ((uint32_t)(word >> 32) & 0x80000000);
}

/* Rounded as more and round say, subnormal numbers too. Those are shifted to the right, so that in
 * every element the low CUT bits are cut off; a lost bit sets the last one. After a shift by FAR
 * everything is below half of the smallest number. cut_off adds to the low CUT bits and tells from
 * the one above whether a number is even. */
SF8_TARGET static inline uint32_t SF8_PLAIN(single)(uint64_t word, int32_t least,
                                                    const SF8_PLAIN(more) more, int32_t round)
{
    enum { CUT = 29, FAR = 25, SUBNORMAL = 1023 - 126, BEYOND = 1023 + 128 };
    int32_t high = (int32_t)(word >> 32) & 0x7fffffff, field = high >> 20;
    int32_t negative = -(int32_t)(word >> 63);
    uint64_t sig = (word & 0xfffffffffffff) | (uint64_t)(field > 0) << 52;
    sig &= (uint64_t) - (high >= least);
    int32_t above = field - SUBNORMAL, below = SF8_PLAIN(positive)(-above);
    below = FAR - SF8_PLAIN(positive)(FAR - below);
    sig = (sig >> below) | ((sig & (((uint64_t)1 << below) - 1)) != 0);
    uint32_t low = (uint32_t)sig & ((2u << CUT) - 1), upper = (uint32_t)(sig >> CUT) & ~1u;
    uint32_t code = upper + (uint32_t)SF8_PLAIN(cut_off)(low, CUT, more, negative, round);
    code += (uint32_t)SF8_PLAIN(positive)(above) << 23;
    if (SF8_RARE(field >= BEYOND))
        code = high < 0x7ff00000 ? 0x7f7fffff : word << 12 ? 0x7fc00000 : 0x7f800000;
    return code | ((uint32_t)negative & 0x80000000);
}

#define SF8_LOOP(expression)                                                                       \
    for (size_t i = 0; i < n; i++) {                                                               \
        uint64_t word;                                                                             \
        memcpy(&word, src + 8 * i, 8);                                                             \
        uint32_t result = expression;                                                              \
        any |= (result & 0x7fffffff) >= SF8_F32_LARGEST;                                           \
        memcpy(dst + 4 * i, &result, 4);                                                           \
    }

/* Numbers with a lower upper half than `least` become zero. */
SF8_TARGET static int32_t SF8_PLAIN(narrow)(unsigned char *dst, const unsigned char *src, size_t n,
                                            int32_t least, int32_t round)
{
    const SF8_PLAIN(more) more = SF8_PLAIN(more_of)(round, (uint32_t)1 << 28);
    int32_t any = 0;
    if (round == SF8_NARROW_FAR)
        SF8_LOOP(SF8_PLAIN(odd)(word, least))
    else if (round == SF8_RNE)
        SF8_LOOP(SF8_PLAIN(single)(word, least, more, SF8_RNE))
    else
        SF8_LOOP(SF8_PLAIN(single)(word, least, more, SF8_PLAIN(OTHER)))
    return any;
}
#undef SF8_LOOP

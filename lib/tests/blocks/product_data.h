/* SPDX-License-Identifier: MIT */
/* product_data.h -- the tensors on which recipes are compared with products
 *
 * A generator in integer arithmetic, so that a format, a seed and a count define a tensor. The
 * values come in groups of 16, each of one kind:
 *
 *     0, 1   like weights: the sum of four uniform numbers, with a deviation of about 0.018
 *     2      random numbers in 5 binades
 *     3      ties of narrow formats and their neighbours, below a largest magnitude c 2^k
 *     4      any bits
 *     5      tiny and subnormal numbers, zeros of both signs
 *     6      one large number beside small ones
 *     7      few different numbers: zero, -0 and one magnitude
 *
 * A neighbour of the largest finite number may be infinity or NaN: then it is +0.
 */
#ifndef SF8_TEST_PRODUCT_DATA_H
#define SF8_TEST_PRODUCT_DATA_H

#include <stdint.h>
#include <string.h>

/* A format: bits of the mantissa, exponents of the normal numbers, the place of the sign. */
typedef struct product_format {
    const char *name;
    int man_bits, least, most, sign;
} product_format;

static inline const product_format *product_format_named(const char *name)
{
    static const product_format formats[] = {
        {"f32", 23, -126, 127, 31}, {"bf16", 7, -126, 127, 15}, {"f16", 10, -14, 15, 15}};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i].name, name) == 0)
            return &formats[i];
    return NULL;
}

/* splitmix64 */
static inline uint64_t product_mix(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint32_t product_infinity(const product_format *f)
{
    return (uint32_t)(f->most - f->least + 2) << f->man_bits;
}

/* n 2^e, rounded toward zero; what is too large is the largest finite number. */
static inline uint32_t product_word(const product_format *f, uint64_t negative, uint64_t n, int e)
{
    uint32_t sign = (uint32_t)negative << f->sign;
    int leading = e + f->man_bits; /* the exponent of the leading bit */
    if (n == 0)
        return sign;
    for (; n >> (f->man_bits + 1); n >>= 1)
        leading++;
    for (; !(n >> f->man_bits); n <<= 1)
        leading--;
    if (leading > f->most)
        return sign | (product_infinity(f) - 1);
    if (leading < f->least)
        return f->least - leading > f->man_bits ? sign
                                                : sign | (uint32_t)(n >> (f->least - leading));
    return sign | (uint32_t)(leading - f->least + 1) << f->man_bits |
           (uint32_t)(n & ((UINT64_C(1) << f->man_bits) - 1));
}

/* What the values of a group have in common. */
typedef struct product_group {
    int kind, exponent;
    uint64_t random;
} product_group;

static inline product_group product_group_of(const product_format *f, uint64_t seed, uint64_t group)
{
    product_group g;
    uint64_t random = product_mix(seed ^ product_mix(~group)), wide = random >> 11;
    g.kind = (int)(random & 7);
    g.random = random >> 3;
    g.exponent = g.random & 3 ? (int)(wide & 7) - 9
                              : f->least + 6 + (int)(wide % (uint64_t)(f->most - f->least - 12));
    return g;
}

static inline uint32_t product_magnitude(const product_format *f, uint32_t word)
{
    return word & ((UINT32_C(1) << f->sign) - 1);
}

/* A neighbour of a word: `steps` of these, from -2 to 2. */
static inline uint32_t product_neighbour(const product_format *f, uint32_t word, int steps)
{
    return product_magnitude(f, word) > 8 ? word + (uint32_t)steps : word;
}

/* The largest magnitude of a group of ties, and the others. */
static inline uint32_t product_tie(const product_format *f, product_group g, uint64_t u, int first)
{
    static const uint8_t top[16] = {6, 6, 6, 6, 7, 7, 7, 15, 4, 4, 1, 127, 3, 5, 255, 9};
    unsigned which = (unsigned)(g.random >> 20 & 15);
    if (first)
        return product_neighbour(f,
                                 product_word(f, u & 1, top[which], g.exponent - (which ? 0 : 2)),
                                 (int)((u >> 8) % 5) - 2);
    return product_neighbour(f, product_word(f, u & 1, u >> 8 & 31, g.exponent - 3),
                             (int)((u >> 16) % 3) - 1);
}

static inline uint32_t product_weight(const product_format *f, uint64_t u)
{
    uint64_t sum = (u & 0xffff) + (u >> 16 & 0xffff) + (u >> 32 & 0xffff) + (u >> 48);
    int64_t n = (int64_t)sum - 131070;
    return product_word(f, n < 0, (uint64_t)(n < 0 ? -n : n), -21);
}

/* The low 32 bits in two's complement. */
static inline int product_signed(uint64_t u)
{
    int64_t low = (int64_t)(u & 0xffffffffu);
    return (int)(low & 0x80000000 ? low - 0x100000000 : low);
}

/* The i-th value of a seed, finite or not. */
static inline uint32_t product_raw(const product_format *f, uint64_t seed, uint64_t i)
{
    product_group g = product_group_of(f, seed, i / 16);
    uint64_t u = product_mix(seed * 31 + product_mix(i));
    int first = i % 16 == (g.random >> 16) % 16;
    uint32_t word;
    switch (g.kind) {
    case 0:
    case 1:
        return product_weight(f, u);
    case 2:
        return product_word(f, u & 1, 0x80000000u | (u >> 32 & 0x7fffffffu),
                            g.exponent - 31 - product_signed(u >> 8) % 5);
    case 3:
        return product_tie(f, g, u, first);
    case 4:
        word = (uint32_t)(u >> 20) & ((UINT32_C(2) << f->sign) - 1);
        return product_magnitude(f, word) >= product_infinity(f)
                   ? word & ~(UINT32_C(1) << (f->man_bits + 1))
                   : word;
    case 5:
        if ((g.random & 7) == 0)
            return (uint32_t)(u & 1) << f->sign;
        return product_word(f, u & 1, u >> 40,
                            f->least - f->man_bits - 24 + (int)(g.random >> 3 & 15));
    case 6:
        return product_word(f, u & 1, (u >> 32 & 0xffff) | 1,
                            first ? g.exponent - 12 : g.exponent - 20 - (int)(u >> 8 & 7));
    default:
        return product_word(f, u & 1, u >> 8 & 3 ? 1 + (g.random & 6) : 0, g.exponent - 2);
    }
}

static inline uint32_t product_value(const product_format *f, uint64_t seed, uint64_t i)
{
    uint32_t word = product_raw(f, seed, i);
    return product_magnitude(f, word) >= product_infinity(f) ? 0 : word;
}

#endif

/* SPDX-License-Identifier: MIT */
/* unit_cases.c -- rows of a matrix unit, constructed so that a change of one parameter shows
 *
 * A sketch says the values of the terms that are not zero. Most have a large term X, which cancels
 * or is the accumulator, and a small one, `d` bits below it: at d = fraction the unit just keeps
 * it, at fraction + 1 it is cut off. Beside an accumulator that does not cancel, one bit that is
 * kept or lost shows if the sum is rounded toward zero from there, or is a tie.
 */
#include "vectors/unit_cases.h"
#include "vectors/unit_probes.h"

#include <string.h>

/* ---- rows ------------------------------------------------------------------------------------ */

/* A value, (-1)^negative m 2^e; a product of the elements `at` has it, or the accumulator. */
typedef struct term {
    size_t at;
    int negative;
    uint32_t m;
    int e;
} term;

enum { TERMS = 40 };

typedef struct sketch {
    term c, product[TERMS];
    int products;
} sketch;

/* Finds the code of a value. Returns 0 if the format does not have it. */
static int exact_code(sf8_format f, term t, uint64_t *code)
{
    if (t.m == 0) {
        *code = t.negative ? sf8_format_sign_bit(f) : 0;
        return t.negative ? sf8_format_has_neg_zero(f) : f.has_zero;
    }
    sf8_result r = sf8_core_round_number(f, SF8_OCP_NOSAT, (uint32_t)t.negative, t.e, t.m, 0);
    *code = r.code;
    return r.flags == 0 && (f.is_signed || !t.negative);
}

static int is_normal(sf8_format f, uint64_t code)
{
    return (code & sf8_format_mag_mask(f)) >= sf8_format_min_normal(f);
}

/* Splits a value into two factors, as evenly as the formats allow. */
static int split_at(sf8_format fa, sf8_format fb, term t, uint32_t factor, int e, int normal,
                    uint64_t code[2])
{
    const term a = {0, t.negative, factor, e}, b = {0, 0, t.m / factor, t.e - e};
    return exact_code(fa, a, &code[0]) && exact_code(fb, b, &code[1]) &&
           (!normal || (is_normal(fa, code[0]) && is_normal(fb, code[1])));
}

static int split(sf8_format fa, sf8_format fb, term t, uint64_t code[2])
{
    enum { FAR = 24 };
    int half = (t.e - (t.e < 0)) / 2;
    uint32_t root = 1;
    while ((root + 1) * (root + 1) <= t.m)
        root++;
    for (int normal = 1; normal >= 0; normal--)
        for (uint32_t factor = root; factor > 0; factor--)
            for (int far = 0; far < FAR && t.m % factor == 0; far++)
                if (split_at(fa, fb, t, factor, half + far, normal, code) ||
                    split_at(fa, fb, t, factor, half - far, normal, code))
                    return 1;
    return 0;
}

void unit_row_begin(const sf8_mma *u, size_t k, unit_row *row)
{
    const term one = {0, 0, 1, 0};
    uint64_t code = 0;
    memset(row, 0, sizeof *row);
    if (u->scale_block)
        exact_code(u->scale, one, &code);
    memset(row->scale_a, (int)code, sizeof row->scale_a);
    memset(row->scale_b, (int)code, sizeof row->scale_b);
    row->x.x = (sf8_mma_operands){row->a, row->b, row->scale_a, row->scale_b};
    row->x.k = k;
}

static int clipped(int x, int least, int most)
{
    return x < least ? least : x > most ? most : x;
}

/* The exponents that products of normal codes have, or groups with their scales. */
static int product_least(const sf8_mma *u)
{
    return u->group ? 2 * sf8_format_emin(u->scale) : sf8_format_emin(u->a) + sf8_format_emin(u->b);
}

static int product_most(const sf8_mma *u)
{
    return u->group ? 2 * sf8_format_emax(u->scale) : sf8_format_emax(u->a) + sf8_format_emax(u->b);
}

/* What both scales of a block multiply with, so that its first term is possible. The term of a
 * group has the exponent of its scales. */
static int scale_for(const sf8_mma *u, term t)
{
    int e = u->group ? t.e + (int)sf8_msb64(t.m) / 2 * 2
                     : t.e - clipped(t.e, product_least(u), product_most(u));
    return clipped(e, 2 * sf8_format_emin(u->scale), 2 * sf8_format_emax(u->scale));
}

static int put_product(const sf8_mma *u, unit_row *row, term t, int scale[UNIT_K_MOST],
                       uint8_t set[UNIT_K_MOST])
{
    uint64_t code[2];
    if (u->scale_block) {
        size_t block = t.at / (size_t)u->scale_block;
        if (!set[block]) {
            scale[block] = scale_for(u, t);
            const term s = {0, 0, 1, scale[block]};
            if (!split(u->scale, u->scale, s, code))
                return 0;
            row->scale_a[block] = (uint8_t)code[0];
            row->scale_b[block] = (uint8_t)code[1];
            set[block] = 1;
        }
        t.e -= scale[block];
    }
    if (!split(u->a, u->b, t, code))
        return 0;
    mma_code_put(u->a, row->a, t.at, (uint32_t)code[0]);
    mma_code_put(u->b, row->b, t.at, (uint32_t)code[1]);
    return 1;
}

static int put_sketch(const sf8_mma *u, const sketch *s, unit_row *row)
{
    int scale[UNIT_K_MOST];
    uint8_t set[UNIT_K_MOST];
    uint64_t c;
    size_t k = (size_t)u->k, last = 0;
    memset(set, 0, sizeof set);
    for (int i = 0; i < s->products; i++)
        last = s->product[i].at > last ? s->product[i].at : last;
    unit_row_begin(u, last / k * k + k, row);
    if (!exact_code(u->out, s->c, &c))
        return 0;
    row->x.c = (uint32_t)c;
    for (int i = 0; i < s->products; i++)
        if (!put_product(u, row, s->product[i], scale, set))
            return 0;
    return 1;
}

static void add(sketch *s, size_t at, int negative, uint32_t m, int e)
{
    s->product[s->products++] = (term){at, negative, m, e};
}

static void set_c(sketch *s, int negative, uint32_t m, int e)
{
    s->c = (term){0, negative, m, e};
}

/* ---- the pool -------------------------------------------------------------------------------- */

/* The next digit of an index whose digits have these bases. */
static int digit(size_t *i, size_t base)
{
    size_t d = *i % base;
    *i /= base;
    return (int)d;
}

/* Places of three terms; of sums that have all products, of the two halves of a lowered one, of
 * even and odd ones. LAST is the last of a sum, NEXT the first of the next. */
enum { PLACES = 9, LAST = 1000, NEXT = 1001 };

static size_t place_of(const sf8_mma *u, int which, int nth)
{
    static const int places[PLACES][3] = {{0, 1, 2}, {0, 1, LAST}, {0, 1, NEXT},
                                          {0, 2, 4}, {0, LAST, 1}, {2, 3, 0},
                                          {0, 1, 4}, {1, 3, 2},    {0, NEXT, 1}};
    int at = places[which][nth], group = u->group ? u->group : 1;
    size_t length = (size_t)(u->length / group);
    size_t slot = at == LAST ? length - 1 : at == NEXT ? length : (size_t)at;
    return slot * (size_t)group;
}

enum { DEPTHS = 9 };

/* How far below the largest exponent the small term lies. */
static int depth_of(const sf8_mma *u, int which)
{
    const int depth[DEPTHS] = {u->fraction,         u->fraction + 1,     u->fraction - 1,
                               u->sum.man_bits,     u->sum.man_bits + 1, u->sum.man_bits + 2,
                               u->sum.man_bits + 3, u->fraction + 2,     24};
    return depth[which];
}

enum { HIGH_HEAD, ONE_HEAD, LOW_HEAD, HEADS };

/* The exponent of the large term. */
static int head_of(const sf8_mma *u, int which, int depth)
{
    const int head[HEADS] = {product_most(u), 0, product_least(u) + depth};
    return clipped(head[which], sf8_format_emin(u->out) + 1, sf8_format_emax(u->out) - 1);
}

/* 1.5 * 1.5 has the exponent 0, though it is above 2. */
static void add_large(sketch *s, size_t at, int negative, int above_two, int e)
{
    add(s, at, negative, above_two ? 9 : 1, above_two ? e - 2 : e);
}

/* X - X and a small product. */
static int pair(const sf8_mma *u, size_t i, sketch *s)
{
    int depth = depth_of(u, digit(&i, DEPTHS)), which = digit(&i, PLACES);
    int negative = digit(&i, 2), above = digit(&i, 2), e = head_of(u, digit(&i, HEADS), depth);
    add_large(s, place_of(u, which, 0), 0, above, e);
    add_large(s, place_of(u, which, 1), 1, above, e);
    add(s, place_of(u, which, 2), negative, 1, e - depth);
    return 1;
}

/* X - X and a small accumulator. */
static int pair_and_c(const sf8_mma *u, size_t i, sketch *s)
{
    int depth = depth_of(u, digit(&i, 3)), which = digit(&i, 2);
    int negative = digit(&i, 2), above = digit(&i, 2), e = head_of(u, digit(&i, HEADS), depth);
    add_large(s, place_of(u, which, 0), 0, above, e);
    add_large(s, place_of(u, which, 1), 1, above, e);
    set_c(s, negative, 1, e - depth);
    return 1;
}

/* The accumulator as the large term, even or odd. */
static void large_c(const sf8_mma *u, sketch *s, int negative, int odd, int e)
{
    int bits = u->sum.man_bits;
    if (odd)
        set_c(s, negative, (1u << bits) + 1, e - bits);
    else
        set_c(s, negative, 1, e);
}

/* A large accumulator and a small product. */
static int beside_c(const sf8_mma *u, size_t i, sketch *s)
{
    int depth = depth_of(u, digit(&i, 6)), c = digit(&i, 2), negative = digit(&i, 2);
    int odd = digit(&i, 2), m = digit(&i, 2), e = head_of(u, digit(&i, HEADS), depth);
    large_c(u, s, c, odd, e);
    add(s, 0, negative, m ? 3 : 1, e - depth);
    return 1;
}

/* A large accumulator and two small products: half of its last bit, and the same or far less. */
static int two_beside_c(const sf8_mma *u, size_t i, sketch *s)
{
    int first = u->sum.man_bits + 1 + digit(&i, 2), second = digit(&i, 3), which = digit(&i, 3);
    int c = digit(&i, 2), negative = digit(&i, 2), odd = digit(&i, 2), other = digit(&i, 2);
    int depth = second ? u->fraction + second - 1 : first;
    int e = head_of(u, LOW_HEAD, depth);
    large_c(u, s, c, odd, e);
    add(s, place_of(u, which, 0), negative, 1, e - first);
    add(s, place_of(u, which, 2), negative ^ other, 1, e - depth);
    return 1;
}

/* Large products whose sum needs more bits than each of them, and a small one, in the last sum of
 * an instruction. */
static int many(const sf8_mma *u, size_t i, sketch *s)
{
    static const int counts[] = {2, 3, 4, 5, 7, 8, 15, 31};
    int depth = depth_of(u, digit(&i, 3)), n = counts[digit(&i, 8)], negative = digit(&i, 2);
    int other = digit(&i, 2), above = digit(&i, 2), most = sf8_format_emax(u->out) - 6;
    int e = clipped(head_of(u, HIGH_HEAD, depth), -most, most);
    int group = u->group ? u->group : 1;
    int first = u->length < u->k ? u->k - u->length : 0;
    if (n + 1 > u->length / group)
        return 0;
    for (int k = 0; k < n; k++)
        add_large(s, (size_t)(first + k * group), negative, above, e);
    add(s, (size_t)(first + n * group), negative ^ other, 1, e - depth);
    return 1;
}

/* The exponent of the last bit of a format. */
static int last_bit(sf8_format f)
{
    return sf8_format_emin(f) - f.man_bits;
}

/* The accumulator alone: all bits, the last ones of a subnormal number, or what is just cut off or
 * kept beside a zero. */
static int alone(const sf8_mma *u, size_t i, sketch *s)
{
    int bits = u->out.man_bits, which = digit(&i, 8), negative = digit(&i, 2);
    int least = last_bit(u->out), beside = u->zero - u->fraction;
    uint32_t all = (2u << bits) - 1;
    const struct {
        uint32_t m;
        int e;
    } c[] = {{all, -bits},
             {all >> 1, least},
             {1, least},
             {3, least},
             {1, least + bits - u->fraction},
             {all, 1 - bits},
             {1, beside},
             {1, beside - 1}};
    set_c(s, negative, c[which].m, c[which].e);
    return 1;
}

/* Two places in the last sum of an instruction, whose result no other sum changes. Groups of one
 * block have the same scale, so theirs are far apart. */
static size_t last_place(const sf8_mma *u)
{
    return (size_t)(u->k - (u->group ? u->group : 1));
}

static size_t place_before(const sf8_mma *u)
{
    return u->group ? 0 : last_place(u) - 1;
}

/* A product near the last bit of the result, and c. */
static int tiny(const sf8_mma *u, size_t i, sketch *s)
{
    int e = last_bit(u->sum) - digit(&i, 9) + 1, negative = digit(&i, 2), m = digit(&i, 2);
    int c = digit(&i, 4);
    add(s, last_place(u), negative, m ? 3 : 1, e);
    if (c)
        set_c(s, c > 1, c < 3, last_bit(u->out));
    return 1;
}

/* A product that is just cut off or kept beside a zero, or the least; half of the last bit of the
 * result too. */
static int beside_zero(const sf8_mma *u, size_t i, sketch *s)
{
    int which = digit(&i, 5), negative = digit(&i, 2), half = digit(&i, 2);
    int e = which < 4 ? u->zero - u->fraction + which - 2 : last_bit(u->a) + last_bit(u->b);
    add(s, last_place(u), negative, 1, e);
    if (half)
        add(s, place_before(u), negative, 1, last_bit(u->sum) - 1);
    else
        set_c(s, negative, 0, 0);
    return 1;
}

/* Two products whose sum is the last bit of the result, if no bit of them is cut off beside a
 * zero. */
static int carry(const sf8_mma *u, size_t i, sketch *s)
{
    int e = u->zero - u->fraction + digit(&i, 4) - 2, negative = digit(&i, 2);
    int bits = last_bit(u->sum) - e;
    uint32_t part = 2 * (uint32_t)digit(&i, 16) + 1;
    if (bits < 7 || bits > 16)
        return 0;
    part += 1u << (bits - 1);
    add(s, last_place(u), negative, part, e);
    add(s, place_before(u), negative, (1u << bits) - part, e);
    return 1;
}

static const struct {
    int (*draw)(const sf8_mma *u, size_t i, sketch *s); /* 0: no such row of this unit */
    size_t count;
} families[] = {{pair, DEPTHS *PLACES * 4 * HEADS},
                {pair_and_c, 3 * 2 * 4 * HEADS},
                {beside_c, 6 * 16 * HEADS},
                {two_beside_c, 2 * 3 * 3 * 16},
                {many, 3 * 8 * 8},
                {alone, 16},
                {tiny, 9 * 16},
                {beside_zero, 20},
                {carry, 4 * 2 * 16}};

int unit_pool_row(const sf8_mma *u, size_t i, unit_row *row)
{
    for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
        sketch s;
        if (i >= families[f].count) {
            i -= families[f].count;
            continue;
        }
        memset(&s, 0, sizeof s);
        return families[f].draw(u, i, &s) && put_sketch(u, &s, row);
    }
    return -1;
}

/* ---- special values -------------------------------------------------------------------------- */

/* Codes by their meaning; MINUS is added for the negative one. TOP_SUBNORMAL is the largest
 * subnormal number. */
enum { ZERO, ONE, LEAST, TOP_SUBNORMAL, MOST, INFINITE, NOT_A_NUMBER, MINUS = 16 };

/* The first code from the largest down that is a NaN. */
static int nan_code(sf8_format f, uint64_t *code)
{
    for (*code = sf8_format_code_mask(f); *code > 0 && !sf8_is_nan(f, *code);)
        --*code;
    return sf8_is_nan(f, *code);
}

static int positive_code(sf8_format f, int symbol, uint64_t *code)
{
    const term one = {0, 0, 1, 0};
    switch (symbol) {
    case ZERO:
        *code = 0;
        return f.has_zero;
    case ONE:
        return exact_code(f, one, code);
    case LEAST:
        *code = f.has_zero ? 1 : 0;
        return 1;
    case TOP_SUBNORMAL:
        *code = sf8_format_min_normal(f) - 1;
        return f.has_zero && f.man_bits > 0;
    case MOST:
        *code = sf8_format_max(f);
        return 1;
    case INFINITE:
        *code = sf8_format_inf(f);
        return f.has_inf;
    default:
        return nan_code(f, code);
    }
}

/* Returns 0 if the format has no such code. A scale of 7 bits has an eighth, which the unit
 * ignores. */
static int symbol_code(sf8_format f, int symbol, int is_scale, uint64_t *code)
{
    uint64_t sign = is_scale && sf8_format_bits(f) == 7 ? 0x80 : sf8_format_sign_bit(f);
    if (!positive_code(f, symbol & ~MINUS, code))
        return 0;
    if (!(symbol & MINUS))
        return 1;
    *code |= sign;
    return sign != 0 && (is_scale || (symbol & ~MINUS) != ZERO || sf8_format_has_neg_zero(f));
}

/* The first product of the row and the last one, or, if there is no last one, every product. */
typedef struct special {
    const char *name;
    int a, b, last_a, last_b, every, c, scale_a, scale_b;
} special;

/* clang-format off */
static const special specials[] = {
    {"zeros", ZERO, ZERO, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"minus-zeros", MINUS | ZERO, ONE, ONE, MINUS | ZERO, 1, MINUS | ZERO, ONE, ONE},
    {"minus-zero-c", ZERO, ZERO, ZERO, ZERO, 0, MINUS | ZERO, ONE, ONE},
    {"cancelled", ONE, ONE, MINUS | ONE, ONE, 0, MINUS | ZERO, ONE, ONE},
    {"nan-a", NOT_A_NUMBER, ONE, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"nan-b-last", ZERO, ZERO, ONE, NOT_A_NUMBER, 0, ZERO, ONE, ONE},
    {"minus-nan-a", MINUS | NOT_A_NUMBER, ONE, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"nan-times-zero", NOT_A_NUMBER, ZERO, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"nan-c", ONE, ONE, ZERO, ZERO, 0, NOT_A_NUMBER, ONE, ONE},
    {"minus-nan-c", ONE, ONE, ZERO, ZERO, 0, MINUS | NOT_A_NUMBER, ONE, ONE},
    {"infinite-a", INFINITE, ONE, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"minus-infinite-b-last", ZERO, ZERO, ONE, MINUS | INFINITE, 0, ZERO, ONE, ONE},
    {"infinity-times-zero", INFINITE, ZERO, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"infinity-minus-infinity", INFINITE, ONE, MINUS | INFINITE, ONE, 0, ZERO, ONE, ONE},
    {"infinity-and-c", INFINITE, ONE, ZERO, ZERO, 0, INFINITE, ONE, ONE},
    {"infinity-minus-c", INFINITE, ONE, ZERO, ZERO, 0, MINUS | INFINITE, ONE, ONE},
    {"nan-and-infinity", NOT_A_NUMBER, ONE, INFINITE, ONE, 0, ZERO, ONE, ONE},
    {"infinite-c", ONE, ONE, ZERO, ZERO, 0, INFINITE, ONE, ONE},
    {"minus-infinite-c", ONE, ONE, ZERO, ZERO, 0, MINUS | INFINITE, ONE, ONE},
    {"least", LEAST, LEAST, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"minus-least", MINUS | LEAST, LEAST, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"least-times-most", LEAST, MOST, ZERO, ZERO, 0, ZERO, ONE, ONE},
    {"subnormal", TOP_SUBNORMAL, TOP_SUBNORMAL, MINUS | TOP_SUBNORMAL, ONE, 0, ZERO, ONE, ONE},
    {"least-c", ZERO, ZERO, ZERO, ZERO, 0, LEAST, ONE, ONE},
    {"minus-least-c", ZERO, ZERO, ZERO, ZERO, 0, MINUS | LEAST, ONE, ONE},
    {"subnormal-c", ZERO, ZERO, ZERO, ZERO, 0, TOP_SUBNORMAL, ONE, ONE},
    {"most-c", ONE, ONE, ZERO, ZERO, 0, MOST, ONE, ONE},
    {"most", MOST, MOST, MOST, MOST, 1, MOST, ONE, ONE},
    {"minus-most", MINUS | MOST, MOST, MINUS | MOST, MOST, 1, MINUS | MOST, ONE, ONE},
    {"zero-scale-a", ONE, ONE, ONE, ONE, 0, ZERO, ZERO, ONE},
    {"zero-scale-b", ONE, ONE, ONE, ONE, 0, ONE, ONE, ZERO},
    {"least-scales", ONE, ONE, ZERO, ZERO, 0, ZERO, LEAST, LEAST},
    {"minus-least-scales", MINUS | ONE, ONE, ZERO, ZERO, 0, ZERO, LEAST, LEAST},
    {"least-scale-a", ONE, ONE, ZERO, ZERO, 0, ZERO, LEAST, ONE},
    {"subnormal-scale-b", ONE, ONE, ZERO, ZERO, 0, ZERO, ONE, TOP_SUBNORMAL},
    {"most-scales", MOST, MOST, ZERO, ZERO, 0, ZERO, MOST, MOST},
    {"minus-most-scales", MINUS | MOST, MOST, ZERO, ZERO, 0, ZERO, MOST, MOST},
    {"most-scale-b", ONE, ONE, ZERO, ZERO, 0, ZERO, ONE, MOST},
    {"nan-scale-a", ONE, ONE, ZERO, ZERO, 0, ZERO, NOT_A_NUMBER, ONE},
    {"nan-scale-b", ONE, ONE, ZERO, ZERO, 0, ZERO, ONE, NOT_A_NUMBER},
    {"nan-scale-of-zeros", ZERO, ZERO, ZERO, ZERO, 0, ZERO, NOT_A_NUMBER, ONE},
    {"nan-scale-times-zero-scale", ONE, ONE, ZERO, ZERO, 0, ZERO, NOT_A_NUMBER, ZERO},
    {"signed-scale-a", ONE, ONE, ZERO, ZERO, 0, ZERO, MINUS | ONE, ONE},
    {"signed-scale-b", ONE, ONE, ZERO, ZERO, 0, ZERO, ONE, MINUS | ONE},
    {"signed-zero-scale", MINUS | ONE, ONE, ZERO, ZERO, 0, MINUS | ZERO, MINUS | ZERO, ONE},
    {"signed-nan-scale", ONE, ONE, ZERO, ZERO, 0, ZERO, MINUS | NOT_A_NUMBER, ONE},
};
/* clang-format on */

static int put_codes(const sf8_mma *u, unit_row *row, size_t i, int a, int b)
{
    uint64_t code_a, code_b;
    if (!symbol_code(u->a, a, 0, &code_a) || !symbol_code(u->b, b, 0, &code_b))
        return 0;
    mma_code_put(u->a, row->a, i, (uint32_t)code_a);
    mma_code_put(u->b, row->b, i, (uint32_t)code_b);
    return 1;
}

/* The scales of the first block. A unit without scales has only the rows that name none. */
static int put_scales(const sf8_mma *u, unit_row *row, const special *s)
{
    uint64_t a, b;
    if (!u->scale_block)
        return s->scale_a == ONE && s->scale_b == ONE;
    if (!symbol_code(u->scale, s->scale_a, 1, &a) || !symbol_code(u->scale, s->scale_b, 1, &b))
        return 0;
    row->scale_a[0] = (uint8_t)a;
    row->scale_b[0] = (uint8_t)b;
    return 1;
}

int unit_special_row(const sf8_mma *u, size_t i, unit_row *row, const char **name)
{
    if (i >= sizeof specials / sizeof specials[0])
        return -1;
    const special *s = &specials[i];
    size_t last = (size_t)u->k - 1;
    uint64_t c;
    *name = s->name;
    unit_row_begin(u, last + 1, row);
    if (!symbol_code(u->out, s->c, 0, &c) || !put_scales(u, row, s))
        return 0;
    row->x.c = (uint32_t)c;
    for (size_t k = 0; s->every && k < last; k++)
        if (!put_codes(u, row, k, s->a, s->b))
            return 0;
    return put_codes(u, row, 0, s->a, s->b) && put_codes(u, row, last, s->last_a, s->last_b);
}

/* SPDX-License-Identifier: MIT */
/* inputs.h -- the inputs of a sweep, computed where they are used: a code from its position and a
 * seed
 *
 * Every row of A, every column of B and every accumulator is a function of the seed, the number of
 * the tile and the position in it, so that any tile can be made again anywhere.
 */
#ifndef SOFTFP8_GPU_MMA_INPUTS_H
#define SOFTFP8_GPU_MMA_INPUTS_H

#include "device.h"
#include "mma/layout.h"
#include "mma/model.h"
#include "shim.h"
#include "softfp8/core.h"
#include "softfp8/mma/mma.h"

namespace mma
{

/* What the tiles of a sweep are made from. */
struct source {
    int kind; /* GPU_MMA_... */
    int rows, columns, k;
    uint64_t seed;
    sf8_mma unit; /* its formats, and the expected results */
};

enum { SIDE_A, SIDE_B, SIDE_C, SIDE_TILE };

MMA_FN uint64_t mixed(uint64_t z)
{
    z += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

MMA_FN uint64_t draw(const source &s, uint64_t tile, int side, int row, int k)
{
    uint64_t place = static_cast<uint64_t>(side) << 40 | static_cast<uint64_t>(row) << 16 |
                     static_cast<uint64_t>(k);
    return mixed(mixed(s.seed + tile * UINT64_C(0xd1342543de82ef95)) ^ place);
}

/* ---- words ----------------------------------------------------------------------------------- */

MMA_FN uint32_t sign_of(sf8_format f, uint64_t random)
{
    return random >> 63 ? static_cast<uint32_t>(sf8_format_sign_bit(f)) : 0;
}

/* Any finite code: special ones are drawn again, and finally replaced by zero. */
MMA_FN uint32_t finite_code(sf8_format f, uint64_t random)
{
    for (int i = 0; i < 8; i++) {
        uint32_t code = static_cast<uint32_t>(random & sf8_format_code_mask(f));
        if (!sf8_is_special(f, code))
            return code;
        random = mixed(random);
    }
    return sign_of(f, random);
}

/* A number with this exponent, or the nearest possible one; no infinity. */
MMA_FN uint32_t code_at(sf8_format f, uint64_t random, int exponent)
{
    int most = (1 << f.exp_bits) - 2, field = exponent + f.bias;
    field = field < 0 ? 0 : field > most ? most : field;
    uint32_t mantissa = static_cast<uint32_t>(random) & ((1u << f.man_bits) - 1);
    return sign_of(f, random) | static_cast<uint32_t>(field) << f.man_bits | mantissa;
}

/* A subnormal number, or zero. */
MMA_FN uint32_t small_code(sf8_format f, uint64_t random)
{
    uint32_t mantissa = static_cast<uint32_t>(random) & ((1u << f.man_bits) - 1);
    return sign_of(f, random) | (random >> 40 & 1 ? mantissa : 0);
}

/* The sum of twelve draws of 16 bits: normally distributed, 2^(-16 + scale) times about 2^16. One
 * of 1024 is 16 times as large. */
MMA_FN uint32_t normal_code(sf8_format f, uint64_t random, int scale)
{
    int64_t sum = 0;
    uint64_t bits = random;
    for (int i = 0; i < 12; i++) {
        if (i % 4 == 0)
            bits = mixed(bits);
        sum += static_cast<int64_t>(bits >> 16 * (i % 4) & 0xffff) - 0x8000;
    }
    if ((random & 1023) == 0)
        scale += 4;
    uint64_t magnitude = static_cast<uint64_t>(sum < 0 ? -sum : sum);
    if (magnitude == 0)
        return 0;
    sf8_policy policy = SF8_OCP; /* saturates */
    return static_cast<uint32_t>(
        sf8_core_round_number(f, policy, sum < 0, scale - 16, magnitude, 0).code);
}

/* ---- operands -------------------------------------------------------------------------------- */

/* Two products, at any positions: row and column are two codes each, so that the tiles of a sweep
 * have every quadruple. */
MMA_FN uint32_t pair_code(const source &s, uint64_t tile, int side, int row, int k)
{
    uint64_t places = draw(s, tile, SIDE_TILE, 0, 0), n = static_cast<uint64_t>(s.k);
    uint64_t first = places % n, second = (first + 1 + (places >> 32) % (n - 1)) % n;
    uint64_t across = 65536u / static_cast<uint32_t>(s.columns);
    uint64_t codes = side == SIDE_A ? tile / across * static_cast<uint64_t>(s.rows)
                                    : tile % across * static_cast<uint64_t>(s.columns);
    codes += static_cast<uint64_t>(row);
    uint64_t at = static_cast<uint64_t>(k);
    return at == first ? codes & 255 : at == second ? codes >> 8 & 255 : 0;
}

/* The codes of B in a triple, none of them negative: those of the exponents 0 and 1, of the largest
 * two (e4m3 does not have all mantissas at the largest), and of the middle. Since the exponent of a
 * product is a sum, these with every code of A give each possible product. */
MMA_FN uint32_t edge_code(sf8_format f, uint64_t digit)
{
    uint64_t mantissa = digit & ((UINT64_C(1) << f.man_bits) - 1), which = digit >> f.man_bits;
    uint64_t most = sf8_format_max(f) >> f.man_bits;
    uint64_t exponent = which < 2 ? which : which < 4 ? most + which - 3 : most / 2;
    return static_cast<uint32_t>(exponent << f.man_bits | mantissa);
}

/* Three products, at any positions: row and column are three codes each. */
MMA_FN uint32_t triple_code(const source &s, uint64_t tile, int side, int row, int k)
{
    uint64_t random = draw(s, tile, SIDE_TILE, 0, 0), n = static_cast<uint64_t>(s.k);
    uint64_t place[3] = {random % n, 0, (random >> 40) % (n - 2)};
    place[1] = (place[0] + 1 + (random >> 20) % (n - 1)) % n;
    uint64_t low = place[0] < place[1] ? place[0] : place[1], high = place[0] + place[1] - low;
    place[2] += place[2] >= low;
    place[2] += place[2] >= high;
    sf8_format a = s.unit.a, b = s.unit.b;
    uint64_t each = GPU_MMA_TRIPLES_B(a.exp_bits, b.exp_bits, b.man_bits), all = each * each * each;
    uint64_t columns = static_cast<uint64_t>(s.columns), rows = static_cast<uint64_t>(s.rows);
    uint64_t across = (all + columns - 1) / columns, in_row = static_cast<uint64_t>(row);
    uint64_t codes =
        side == SIDE_A ? tile / across * rows + in_row : (tile % across * columns + in_row) % all;
    for (int i = 0; i < 3; i++) {
        uint64_t digit = side == SIDE_A ? codes & 255 : codes % each;
        codes = side == SIDE_A ? codes >> 8 : codes / each;
        if (static_cast<uint64_t>(k) == place[i])
            return side == SIDE_A ? static_cast<uint32_t>(digit) : edge_code(b, digit);
    }
    return 0;
}

/* Products that cancel, in pairs at positions that the tile determines, and some small ones; in
 * every fourth tile all are alike. */
MMA_FN uint32_t cancel_code(const source &s, sf8_format f, uint64_t tile, int side, int row, int k)
{
    uint64_t way = draw(s, tile, SIDE_TILE, 0, 0);
    int other = k ^ (1 + static_cast<int>(way % static_cast<uint64_t>(s.k - 1)));
    int least = other < k && other < s.k ? other : k;
    if (way >> 62 == 0)
        return finite_code(f, draw(s, tile, side, row, 0));
    if (draw(s, tile, SIDE_TILE, 1, least) % 4 == 0)
        return code_at(f, draw(s, tile, side, row, k),
                       -static_cast<int>(draw(s, tile, side, row, 77) % 12));
    uint32_t code = code_at(f, draw(s, tile, side, row, least),
                            4 - static_cast<int>(draw(s, tile, SIDE_TILE, 2, least) % 8));
    return side == SIDE_A && least != k ? code ^ static_cast<uint32_t>(sf8_format_sign_bit(f))
                                        : code;
}

MMA_FN uint32_t operand_code(const source &s, uint64_t tile, int side, int row, int k)
{
    sf8_format f = side == SIDE_A ? s.unit.a : s.unit.b;
    uint64_t random = draw(s, tile, side, row, k);
    switch (s.kind) {
    case GPU_MMA_ACCUMULATORS:
        return side == SIDE_A ? sign_of(f, random) : finite_code(f, random);
    case GPU_MMA_PAIRS:
        return pair_code(s, tile, side, row, k);
    case GPU_MMA_TRIPLES:
        return triple_code(s, tile, side, row, k);
    case GPU_MMA_BITS:
        return static_cast<uint32_t>(random & sf8_format_code_mask(f));
    case GPU_MMA_FINITE:
        return finite_code(f, random);
    case GPU_MMA_CANCEL: {
        uint32_t code = cancel_code(s, f, tile, side, row, k);
        return sf8_is_special(f, code) ? 0 : code;
    }
    case GPU_MMA_SMALL:
        return random >> 62 & 1 ? small_code(f, random) : sign_of(f, random);
    default: { /* GPU_MMA_NORMAL, GPU_MMA_CHAIN: like weights and activations */
        uint32_t code = normal_code(f, random, 0);
        return sf8_is_special(f, code) ? 0 : code;
    }
    }
}

/* ---- accumulators ---------------------------------------------------------------------------- */

/* The largest exponent of the products; that of 1 if all are zero. */
MMA_FN int largest_exponent(const source &s, sf8_mma_operands x)
{
    int largest = INT32_MIN;
    for (size_t i = 0; i < static_cast<size_t>(s.k); i++) {
        sf8_mma_term t = sf8_mma_product(&s.unit, x, i);
        if (t.significand != 0 && t.exponent > largest)
            largest = t.exponent;
    }
    return largest == INT32_MIN ? 0 : largest;
}

/* c is near the products, or far from them; sometimes zero or subnormal. */
MMA_FN uint32_t near_word(const source &s, sf8_mma_operands x, uint64_t random, int from, int to)
{
    sf8_format f = s.unit.out;
    uint64_t way = random >> 56 & 15;
    if (way < 2)
        return sign_of(f, random);
    if (way == 2)
        return code_at(f, random, -1000);
    int span = static_cast<int>((random >> 32 & 0xffff) % static_cast<uint64_t>(to - from + 1));
    return code_at(f, random, largest_exponent(s, x) + from + span);
}

MMA_FN uint32_t accumulator_word(const source &s, sf8_mma_operands x, uint64_t tile, int row,
                                 int column)
{
    sf8_format f = s.unit.out;
    uint64_t random = draw(s, tile, SIDE_C, row, column);
    uint64_t number = (tile * static_cast<uint64_t>(s.rows) + static_cast<uint64_t>(row)) *
                          static_cast<uint64_t>(s.columns) +
                      static_cast<uint64_t>(column);
    switch (s.kind) {
    case GPU_MMA_ACCUMULATORS:
        return static_cast<uint32_t>(number & sf8_format_code_mask(f));
    case GPU_MMA_PAIRS:
    case GPU_MMA_TRIPLES:
        return 0;
    case GPU_MMA_BITS:
        return static_cast<uint32_t>(random & sf8_format_code_mask(f));
    case GPU_MMA_FINITE:
        return near_word(s, x, random, -30, 30);
    case GPU_MMA_CANCEL:
        return near_word(s, x, random, -20, -8);
    case GPU_MMA_SMALL:
        return small_code(f, random);
    default:
        return normal_code(f, random, 3);
    }
}

/* ---- kernels: each thread does a row or an element at a time --------------------------------- */

/* A number of tiles from one on; in memory as multiply.h has them. */
struct tiles {
    uint64_t first, stride;
    uint32_t count;
    unsigned char *a, *b;
    uint32_t *c, *d;
    int code_bytes;

    MMA_FN uint64_t number(uint32_t i) const
    {
        return first + i * stride;
    }
};

MMA_FN void put(unsigned char *row, int bytes, int k, uint32_t code)
{
    for (int i = 0; i < bytes; i++)
        row[k * bytes + i] = static_cast<unsigned char>(code >> 8 * i);
}

struct fill_operands {
    source s;
    tiles t;

    SHIM_FN void run(shim::place at) const
    {
        const uint32_t each = static_cast<uint32_t>(s.rows + s.columns);
        const uint64_t row_bytes = static_cast<uint64_t>(s.k) * static_cast<uint64_t>(t.code_bytes);
        for (uint32_t i = at.first(); i < t.count * each; i += at.stride()) {
            uint32_t tile = i / each;
            int row = static_cast<int>(i % each), side = row < s.rows ? SIDE_A : SIDE_B;
            uint64_t rows = static_cast<uint64_t>(side == SIDE_A ? s.rows : s.columns);
            row -= side == SIDE_A ? 0 : s.rows;
            unsigned char *to = (side == SIDE_A ? t.a : t.b) +
                                (tile * rows + static_cast<uint64_t>(row)) * row_bytes;
            for (int k = 0; k < s.k; k++)
                put(to, t.code_bytes, k, operand_code(s, t.number(tile), side, row, k));
        }
    }
};

/* Element i of a sweep's tiles: its operands. */
struct element {
    uint32_t tile;
    int row, column;
    sf8_mma_operands x;
};

MMA_FN element element_at(const source &s, const tiles &t, uint32_t i)
{
    const uint32_t each = static_cast<uint32_t>(s.rows * s.columns);
    const uint64_t row_bytes = static_cast<uint64_t>(s.k) * static_cast<uint64_t>(t.code_bytes);
    element e;
    e.tile = i / each;
    e.row = static_cast<int>(i % each) / s.columns;
    e.column = static_cast<int>(i % each) % s.columns;
    uint64_t rows = static_cast<uint64_t>(s.rows), columns = static_cast<uint64_t>(s.columns);
    e.x = {t.a + (e.tile * rows + static_cast<uint64_t>(e.row)) * row_bytes,
           t.b + (e.tile * columns + static_cast<uint64_t>(e.column)) * row_bytes, nullptr,
           nullptr};
    return e;
}

struct fill_accumulators {
    source s;
    tiles t;

    SHIM_FN void run(shim::place at) const
    {
        const uint32_t all = t.count * static_cast<uint32_t>(s.rows * s.columns);
        for (uint32_t i = at.first(); i < all; i += at.stride()) {
            element e = element_at(s, t, i);
            t.c[i] = accumulator_word(s, e.x, t.number(e.tile), e.row, e.column);
        }
    }
};

/* Compares with the unit. Differences are counted, and the first ones are kept by their index. */
struct judge {
    source s;
    tiles t;
    uint32_t flip_a, flip_b; /* the sign bits of codes, where the instruction negates them */
    uint64_t *differ;        /* the count, in a cell */
    uint64_t *kept;          /* indices: index and value; space for `room` of them */
    uint64_t room;

    SHIM_FN uint32_t right(const element &e, uint32_t c) const
    {
        unsigned char a[ROW_BYTES], b[ROW_BYTES];
        if (!flip_a && !flip_b)
            return dot(&s.unit, e.x, s.k, c);
        for (int k = 0; k < s.k; k++) {
            size_t at = static_cast<size_t>(k);
            put(a, t.code_bytes, k,
                static_cast<uint32_t>(sf8_mma_load(s.unit.a, e.x.a, at)) ^ flip_a);
            put(b, t.code_bytes, k,
                static_cast<uint32_t>(sf8_mma_load(s.unit.b, e.x.b, at)) ^ flip_b);
        }
        sf8_mma_operands x = {a, b, nullptr, nullptr};
        return dot(&s.unit, x, s.k, c);
    }

    SHIM_FN void run(shim::place at) const
    {
        const uint32_t all = t.count * static_cast<uint32_t>(s.rows * s.columns);
        for (uint32_t i = at.first(); i < all; i += at.stride()) {
            uint32_t word = right(element_at(s, t, i), t.c[i]);
            if (word == t.d[i])
                continue;
            uint64_t slot = shim::add(differ, 1);
            if (slot < room) {
                kept[2 * slot] = i;
                kept[2 * slot + 1] = word;
            }
        }
    }
};

} // namespace mma

#endif

/* SPDX-License-Identifier: MIT */
/* quantize.h -- the kernels: a matrix to blocks of codes with scales, and back
 *
 * A lane processes 16 bytes of the tensor at a time, a chunk. The lanes of a block are neighbours
 * and exchange the largest magnitude. A step is a piece of a row, `held` chunks for each lane of a
 * warp, 32 apart. Each row of codes begins with a new byte; rows of an odd number of 4-bit codes
 * end with an empty half byte.
 *
 *     lane   0 1 2 3 4 5 ...           f16 to NVFP4: 8 elements each, two lanes a block
 *            \-/ \-/ \-/
 *            one scale each
 *
 * There are two variants of a kernel: for rows of whole chunks (`whole`), and for any rows.
 */
#ifndef SOFTFP8_GPU_KERNELS_QUANTIZE_H
#define SOFTFP8_GPU_KERNELS_QUANTIZE_H

#include "kernels/rules.h"

namespace kernels
{

/* A matrix, its codes and scales. All arrays begin at multiples of 16 bytes. */
struct matrix {
    void *tensor; /* is only read if codes are written */
    uint8_t *codes, *scales;
    uint32_t rows, columns;
    uint32_t blocks;    /* of a row */
    uint32_t row_bytes; /* of codes */
    uint32_t tiled;     /* scales are in tiles of 128 x 4 */
    divider by_steps;   /* of a row */
    float g;

    /* The offset of the scale of a block. */
    SHIM_FN uint64_t place(uint32_t row, uint32_t block) const
    {
        if (!tiled)
            return static_cast<uint64_t>(row) * blocks + block;
        uint64_t tile = static_cast<uint64_t>(row / 128) * ((blocks + 3) / 4) + block / 4;
        return tile * 512 + row % 32 * 16 + row / 32 % 4 * 4 + block % 4;
    }

    /* The distance to the scale of a block that is a multiple of 4 blocks further on in the same
     * row. */
    SHIM_FN uint32_t further(uint32_t more) const
    {
        return tiled ? more * 128 : more;
    }

    /* Tiles are stored whole: places without a block get a 0. These are the places beyond the last
     * row, then those beyond the last block. */
    SHIM_FN void pad(shim::place at) const
    {
        if (!tiled)
            return;
        uint32_t below = (128 - rows % 128) % 128, across = (blocks + 3) / 4 * 4;
        for (uint32_t r = 0; r < below; r++)
            for (uint32_t i = at.first(); i < across; i += at.stride())
                scales[place(rows + r, i)] = 0;
        for (uint32_t b = blocks; b < across; b++)
            for (uint32_t i = at.first(); i < rows; i += at.stride())
                scales[place(i, b)] = 0;
    }
};

/* The chunks of a lane in a step: the first one; the k-th is 32 k further on in the row. */
struct part {
    uint32_t row, chunk;
};

template <int held> SHIM_FN inline part part_at(const matrix &m, uint32_t step, uint32_t number)
{
    uint32_t row = m.by_steps.of(step);
    return {row, (step - row * m.by_steps.by) * (32 * held) + number};
}

/* The number of elements of a chunk that exist. */
template <int each, bool whole> SHIM_FN inline int count_at(const matrix &m, uint32_t chunk)
{
    if (whole)
        return chunk < m.columns / each ? each : 0;
    uint32_t column = chunk * each;
    return column >= m.columns         ? 0
           : m.columns - column < each ? static_cast<int>(m.columns - column)
                                       : each;
}

/* The elements of a part, and its codes. */
template <class Word, int each> SHIM_FN inline Word *elements_at(const matrix &m, part p)
{
    return static_cast<Word *>(m.tensor) + static_cast<uint64_t>(p.row) * m.columns +
           static_cast<uint64_t>(p.chunk) * each;
}

template <int each, int bits> SHIM_FN inline uint8_t *codes_at(const matrix &m, part p)
{
    return m.codes + static_cast<uint64_t>(p.row) * m.row_bytes +
           static_cast<uint64_t>(p.chunk) * (each * bits / 8);
}

/* How many chunks a lane loads at once, 32 apart, so that several loads are in flight. */
constexpr int chunks_of(int each)
{
    return each == 4 ? 4 : 2;
}

/* ---- to codes -------------------------------------------------------------------------------- */

template <class From, class Rule, bool whole> struct quantize {
    static constexpr int each = From::each, held = chunks_of(each), bits = Rule::Element::bits;
    static constexpr int together = Rule::block / each, block = Rule::block;

    matrix m;
    uint32_t steps;

    struct lane {
        constants c;
        part at;
        packet x[held];
        uint32_t shared[held]; /* amax */
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = Rule::open(m.g);
    }

    /* An element that does not exist has no effect: it is NaN, or 0 if NaN counts. */
    SHIM_FN static packet load(const typename From::word *from, int count)
    {
        uint32_t none = Rule::nan_counts ? 0 : From::nan;
        packet p;
        for (int i = 0; i < 4; i++)
            p.word[i] = each == 4 ? none : none * 0x10001u;
        if constexpr (whole) {
            return count > 0 ? load16(from) : p;
        } else {
            for (int i = 0; i < each; i++) {
                uint32_t w = i < count ? from[i] : none;
                if (each == 4)
                    p.word[i & 3] = w;
                else
                    p.word[i / 2] = permute(p.word[i / 2], w, i & 1 ? 0x5410 : 0x3254);
            }
            return p;
        }
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        l.at = part_at<held>(m, step, number);
        const typename From::word *from = elements_at<typename From::word, each>(m, l.at);
        for (uint32_t k = 0; k < held; k++)
            l.x[k] = load(from + 32 * each * k, count_at<each, whole>(m, l.at.chunk + 32 * k));
        for (uint32_t k = 0; k < held; k++)
            l.shared[k] = Rule::nan_counts ? From::most_of_all(l.x[k]) : From::most_number(l.x[k]);
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t b)
    {
        if (Rule::nan_counts)
            return a > b ? a : b;
        return bits_of(most(float_of(a), float_of(b)));
    }

    SHIM_FN void store(uint32_t, uint32_t number, lane &l) const
    {
        uint8_t *scales = m.scales + m.place(l.at.row, l.at.chunk / together);
        uint8_t *to = codes_at<each, bits>(m, l.at);
        for (uint32_t k = 0; k < held; k++) {
            int count = count_at<each, whole>(m, l.at.chunk + 32 * k);
            uint32_t scale = Rule::scale(l.c, l.shared[k]);
            if (count > 0 && number % together == 0)
                scales[m.further(32 / together * k)] = static_cast<uint8_t>(scale);
            float factor = Rule::factor(l.c, scale), x[each];
            uint32_t codes[2] = {0, 0};
            for (int i = 0; i < each; i++) {
                x[i] = mul(From::at(l.x[k], i), factor);
                if (Rule::fits)
                    x[i] = most(least(x[i], 6.0f), -6.0f); /* and NaN becomes 6, as its code will
                                                              be */
            }
            if constexpr (bits == 4)
                codes[0] = pack_e2m1<each, Rule::fits>(x);
            else
                pack_bytes<typename Rule::Element, each>(codes, x);
            put(to + 32 * (each * bits / 8) * k, codes, count);
        }
    }

    SHIM_FN static void put(uint8_t *to, const uint32_t codes[2], int count)
    {
        if constexpr (whole) {
            if (count > 0)
                store_some<each * bits / 8>(to, codes);
        } else {
            int full = count * bits / 8;
            for (int i = 0; i < each * bits / 8; i++) {
                uint32_t byte = codes[i / 4] >> 8 * (i % 4) & 0xff;
                if (i < full)
                    to[i] = static_cast<uint8_t>(byte);
                else if (i == full && bits == 4 && count % 2 == 1)
                    to[i] = static_cast<uint8_t>(byte & 15);
            }
        }
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.pad(at);
    }
};

/* ---- and back -------------------------------------------------------------------------------- */

template <class To, class Rule, bool whole> struct dequantize {
    static constexpr int each = To::each, held = chunks_of(each), bits = Rule::Element::bits;
    static constexpr int together = 1, block = Rule::block;

    matrix m;
    uint32_t steps;

    struct lane {
        constants c;
        part at;
        uint32_t codes[held][2];
        uint32_t scale[held];
        uint32_t shared[held];
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = Rule::open(m.g);
    }

    SHIM_FN static void load(const uint8_t *from, uint32_t codes[2], int count)
    {
        codes[0] = codes[1] = 0;
        if constexpr (whole) {
            if (count > 0)
                load_some<each * bits / 8>(codes, from);
        } else {
            for (int i = 0; i < each * bits / 8; i++)
                if (i < (count * bits + 7) / 8)
                    codes[i / 4] |= static_cast<uint32_t>(from[i]) << 8 * (i % 4);
        }
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        constexpr uint32_t lanes = Rule::block / each;
        l.at = part_at<held>(m, step, number);
        const uint8_t *scales = m.scales + m.place(l.at.row, l.at.chunk / lanes);
        const uint8_t *from = codes_at<each, bits>(m, l.at);
        for (uint32_t k = 0; k < held; k++) {
            int count = count_at<each, whole>(m, l.at.chunk + 32 * k);
            load(from + 32 * (each * bits / 8) * k, l.codes[k], count);
            l.scale[k] = count > 0 ? scales[m.further(32 / lanes * k)] : 0;
            l.shared[k] = 0;
        }
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t)
    {
        return a;
    }

    /* One value after the other. */
    SHIM_FN packet by_value(constants c, const uint32_t codes[2], uint32_t scale) const
    {
        float x[each];
        if constexpr (bits == 4) {
            for (int i = 0; i < each; i++)
                x[i] = e2m1_wide(codes[0] >> 4 * i & 15);
        } else {
            unpack_bytes<typename Rule::Element, each>(x, codes);
        }
        for (int i = 0; i < each; i++)
            x[i] = Rule::value(c, scale, x[i]);
        return To::pack(x);
    }

    /* The eight magnitudes as 16-bit values, their low bytes and their high bytes; four codes
     * select four of each, and then signs are set. If none of a block is NaN, 0 is the first to
     * become one. */
    SHIM_FN packet by_table(constants c, const uint32_t codes[2], uint32_t scale) const
    {
        float v[8];
        Rule::values(c, scale, v);
        if (is_nan(v[0]))
            return by_value(c, codes, scale);
        uint32_t t[4], low[2], high[2];
        for (int i = 0; i < 4; i++)
            t[i] = To::narrow(v[2 * i], v[2 * i + 1]);
        for (int i = 0; i < 2; i++) {
            low[i] = permute(t[2 * i], t[2 * i + 1], 0x6420);
            high[i] = permute(t[2 * i], t[2 * i + 1], 0x7531);
        }
        packet p;
        for (int i = 0; i < 2; i++) {
            uint32_t four = codes[0] >> 16 * i, signs = permute(four << 4, four, 0xd9c8);
            uint32_t l = permute(low[0], low[1], four & 0x7777);
            uint32_t h = permute(high[0], high[1], four & 0x7777) ^ (signs & 0x80808080u);
            p.word[2 * i] = permute(l, h, 0x5140);
            p.word[2 * i + 1] = permute(l, h, 0x7362);
        }
        return p;
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        typename To::word *to = elements_at<typename To::word, each>(m, l.at);
        for (uint32_t k = 0; k < held; k++) {
            packet p;
            if constexpr (bits == 4 && each == 8)
                p = by_table(l.c, l.codes[k], l.scale[k]);
            else
                p = by_value(l.c, l.codes[k], l.scale[k]);
            put(to + 32 * each * k, p, count_at<each, whole>(m, l.at.chunk + 32 * k));
        }
    }

    SHIM_FN static void put(typename To::word *to, const packet &p, int count)
    {
        if constexpr (whole) {
            if (count > 0)
                store16(to, p);
        } else {
            for (int i = 0; i < each; i++)
                if (i < count)
                    to[i] = static_cast<typename To::word>(
                        each == 4 ? p.word[i & 3] : p.word[i / 2] >> 16 * (i & 1));
        }
    }

    SHIM_FN void rest(shim::place) const
    {
    }
};

/* ---- as a measure ---------------------------------------------------------------------------- */

/* Copies 16 bytes at a time, with the same access pattern as the other kernels. */
struct copy {
    static constexpr int held = 2, together = 1;

    const packet *from;
    packet *to;
    uint32_t all, steps;

    struct lane {
        packet x[held];
        uint32_t shared[held];
    };

    SHIM_FN void begin(lane &) const
    {
    }
    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        for (uint32_t k = 0; k < held; k++) {
            uint32_t i = (step * held + k) * 32 + number;
            if (i < all)
                l.x[k] = load16(from + i);
        }
    }
    SHIM_FN static uint32_t join(uint32_t a, uint32_t)
    {
        return a;
    }
    SHIM_FN void store(uint32_t step, uint32_t number, lane &l) const
    {
        for (uint32_t k = 0; k < held; k++) {
            uint32_t i = (step * held + k) * 32 + number;
            if (i < all)
                store16(to + i, l.x[k]);
        }
    }
    SHIM_FN void rest(shim::place) const
    {
    }
};

} // namespace kernels

#endif

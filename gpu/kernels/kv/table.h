/* SPDX-License-Identifier: MIT */
/* table.h -- gathers caches of e2m1 to 16 bits by looking values up
 *
 * The codes of a piece have one scale, so that there are eight magnitudes: they are computed once,
 * instead of a division for each element. A selection of bytes reads four at once.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_TABLE_H
#define SOFTFP8_GPU_KERNELS_KV_TABLE_H

#include "kernels/kv/kv.h"

namespace kernels
{

/* The eight magnitudes as 16-bit values, their low bytes and their high bytes. None may be NaN. */
template <class To> struct e2m1_table {
    uint32_t low[2], high[2];

    SHIM_FN static e2m1_table of(const float v[8])
    {
        e2m1_table t;
        uint32_t two[4];
        for (int i = 0; i < 4; i++)
            two[i] = To::narrow(v[2 * i], v[2 * i + 1]);
        for (int i = 0; i < 2; i++) {
            t.low[i] = permute(two[2 * i], two[2 * i + 1], 0x6420);
            t.high[i] = permute(two[2 * i], two[2 * i + 1], 0x7531);
        }
        return t;
    }

    /* Of eight codes: the bytes of four, and then their signs. */
    SHIM_FN packet at(uint32_t codes) const
    {
        packet p;
        for (int i = 0; i < 2; i++) {
            uint32_t four = codes >> 16 * i, signs = permute(four << 4, four, 0xd9c8);
            uint32_t l = permute(low[0], low[1], four & 0x7777);
            uint32_t h = permute(high[0], high[1], four & 0x7777) ^ (signs & 0x80808080u);
            p.word[2 * i] = permute(l, h, 0x5140);
            p.word[2 * i + 1] = permute(l, h, 0x7362);
        }
        return p;
    }
};

/* The magnitudes that codes have under a scale. If one is NaN, the first is: it is 0 times what the
 * others are multiples of. */
template <class Rule> struct kv_magnitudes;

template <class Rule, class Digits> struct kv_magnitudes<kv_blocks<Rule, Digits>> {
    SHIM_FN static void of(float v[8], constants c, uint32_t scale)
    {
        Rule::values(c, scale, v);
    }
};

template <> struct kv_magnitudes<kv_nvfp4_flashinfer> {
    SHIM_FN static void of(float v[8], constants c, uint32_t scale)
    {
        const float e[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
        for (int k = 0; k < 8; k++)
            v[k] = nvfp4_flashinfer::value(c, scale, e[k]);
    }
};

template <class To, class Rule> struct kv_gather_table : kv_gather_pair<To, Rule> {
    using pair = kv_gather_pair<To, Rule>;

    SHIM_FN void load(uint32_t step, uint32_t number, typename pair::lane &l) const
    {
        pair::load_by(step, number, l, by_table);
    }

    SHIM_FN static void by_table(packet *p, const uint32_t *codes, constants c, uint32_t scale)
    {
        float v[8];
        kv_magnitudes<Rule>::of(v, c, scale);
        if (is_nan(v[0])) {
            pair::decoded(p, codes, c, scale);
            return;
        }
        const e2m1_table<To> table = e2m1_table<To>::of(v);
        SHIM_UNROLL
        for (int i = 0; i < pair::packets; i++)
            p[i] = table.at(codes[i]);
    }
};

} // namespace kernels

#endif

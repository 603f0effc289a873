/* SPDX-License-Identifier: MIT */
/* kv.h -- the kernels: tokens into the image of a KV cache, and out of it, in one launch each
 *
 * Storing, `together` lanes have an item (kv_place.h): each takes a chunk of 16 bytes of its words,
 * and the one so many chunks on if a row is longer; they tell each other the largest magnitude, the
 * first writes the scale, each the codes of its chunks. Where the scale is given a lane is alone.
 * An item that is not there counts as one without elements. Gathering, a lane has a chunk of what
 * it writes. No lane has a fixed share of a token, so any heads and sizes are dealt with.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_H
#define SOFTFP8_GPU_KERNELS_KV_H

#include "kernels/kv_place.h"
#include "kernels/kv_rules.h"
#include "kernels/quantize.h"

namespace kernels
{

/* Elements from `first` on, of which there are `all`. */
template <int each> SHIM_FN inline int count_from(uint32_t first, uint32_t all)
{
    return first >= all ? 0 : all - first < each ? static_cast<int>(all - first) : each;
}

/* ---- to codes -------------------------------------------------------------------------------- */

template <class From, class Rule> struct kv_store {
    static constexpr int each = From::each, held = chunks_of(each), bits = Rule::bits;
    static constexpr int together = Rule::given ? 1 : (Rule::group ? Rule::group : 128) / each;
    static constexpr int spans = Rule::ranged ? 2 : 1;
    static constexpr uint32_t of_step = held * 32 / together; /* items */
    using word = typename From::word;

    cache m;
    uint32_t steps;

    struct lane {
        constants c;
        item at[held];
        packet x[held]; /* the first chunk */
        uint32_t shared[held * spans];
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = Rule::open(m.g[0]);
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t b)
    {
        if (Rule::nan_counts)
            return a > b ? a : b;
        return bits_of(most(float_of(a), float_of(b)));
    }

    /* An element that is not there does not count: NaN, or 0 where NaN counts. */
    SHIM_FN packet chunk(const item &t, uint32_t first) const
    {
        uint32_t none = Rule::nan_counts ? 0 : From::nan;
        return fetch(static_cast<const word *>(m.tensor) + t.offset + first,
                     count_from<each>(first, t.count), none);
    }

    SHIM_FN static void span(const packet &p, uint32_t *shared)
    {
        if constexpr (Rule::given) {
            shared[0] = 0;
        } else if constexpr (Rule::ranged) {
            float high = From::at(p, 0), low = negative(high);
            for (int i = 1; i < each; i++) {
                high = most(high, From::at(p, i));
                low = most(low, negative(From::at(p, i)));
            }
            shared[0] = bits_of(high);
            shared[1] = bits_of(low);
        } else {
            shared[0] = Rule::nan_counts ? From::most_of_all(p) : From::most_number(p);
        }
    }

    SHIM_FN static float negative(float x)
    {
        return float_of(bits_of(x) ^ 0x80000000u);
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        uint32_t first = number % together * each;
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            l.at[k] = m.find<bits>(step * of_step + (k * 32 + number) / together);
            l.x[k] = chunk(l.at[k], first);
        }
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            span(l.x[k], l.shared + k * spans);
            if constexpr (!Rule::given && Rule::group == 0) {
                for (uint32_t d = first + 128; d < l.at[k].count; d += 128) {
                    uint32_t more[spans];
                    span(chunk(l.at[k], d), more);
                    for (uint32_t i = 0; i < spans; i++)
                        l.shared[k * spans + i] = join(l.shared[k * spans + i], more[i]);
                }
            }
        }
    }

    SHIM_FN void put(const item &t, uint32_t first, const packet &p, coder c) const
    {
        uint32_t codes[4] = {0, 0, 0, 0};
        float x[each];
        for (int i = 0; i < each; i++)
            x[i] = From::at(p, i);
        Rule::template encode<each>(codes, x, c);
        put_codes<each, bits>(t.codes + static_cast<uint64_t>(first) * bits / 8, m.pitch(), codes,
                              count_from<each>(first, t.count));
    }

    SHIM_FN void store(uint32_t, uint32_t number, lane &l) const
    {
        uint32_t first = number % together * each;
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            const item &t = l.at[k];
            if (t.count == 0)
                continue;
            constants c = m.g_stride ? Rule::open(m.g[t.head * m.g_stride]) : l.c;
            uint32_t other = l.shared[k * spans + spans - 1];
            uint32_t scale = Rule::scale(c, l.shared[k * spans], other);
            coder how = Rule::code(c, scale);
            if constexpr (Rule::ranged) {
                uint32_t zero = Rule::zero(scale, other);
                how.o = of_whole(static_cast<int>(zero));
                scale = (scale & ~15u) | zero;
            }
            if (!Rule::given && first == 0)
                put_scale(m.scale(t, t.d / (Rule::group ? Rule::group : t.count)), scale,
                          m.scale_bytes);
            if (first < t.count)
                put(t, first, l.x[k], how);
            if constexpr (!Rule::given && Rule::group == 0)
                for (uint32_t d = first + 128; d < t.count; d += 128)
                    put(t, d, chunk(t, d), how);
        }
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, false);
    }
};

/* ---- and back -------------------------------------------------------------------------------- */

template <class To, class Rule> struct kv_gather {
    static constexpr int each = To::each, held = chunks_of(each), bits = Rule::bits;
    static constexpr int together = 1;
    static constexpr uint32_t of_step = held * 32;
    using word = typename To::word;

    cache m;
    uint32_t steps;

    struct lane {
        constants c;
        item at[held];
        uint32_t codes[held][4], scale[held];
        uint32_t shared[held];
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = Rule::open(m.g[0]);
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t)
    {
        return a;
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            item &t = l.at[k];
            t = m.find<bits>(step * of_step + k * 32 + number);
            get_codes<each, bits>(l.codes[k], t.codes, m.pitch(), static_cast<int>(t.count));
            l.scale[k] = l.shared[k] = 0;
            if (!Rule::given && t.count > 0)
                l.scale[k] = get_scale(m.scale(t, Rule::group ? t.d / Rule::group : 0),
                                       m.scale_bytes);
        }
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            const item &t = l.at[k];
            if (t.count == 0)
                continue;
            constants c = m.g_stride ? Rule::open(m.g[t.head * m.g_stride]) : l.c;
            float x[each];
            Rule::template decode<each>(x, l.codes[k], c, Rule::given ? bits_of(c.g) : l.scale[k]);
            deliver(static_cast<word *>(m.tensor) + t.offset, To::pack(x),
                    static_cast<int>(t.count));
        }
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, true);
    }
};

/* ---- as they are ----------------------------------------------------------------------------- */

template <class Word, bool out> struct kv_copy {
    static constexpr int each = 16 / sizeof(Word), held = 2, bits = 8 * sizeof(Word);
    static constexpr int together = 1;
    static constexpr uint32_t of_step = held * 32;

    cache m;
    uint32_t steps;

    struct lane {
        item at[held];
        packet x[held];
        uint32_t shared[held];
    };

    SHIM_FN void begin(lane &) const
    {
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t)
    {
        return a;
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            item &t = l.at[k];
            t = m.find<bits>(step * of_step + k * 32 + number);
            l.shared[k] = 0;
            if (out)
                get_codes<each, bits>(l.x[k].word, t.codes, m.pitch(), static_cast<int>(t.count));
            else
                l.x[k] = fetch(static_cast<const Word *>(m.tensor) + t.offset,
                               static_cast<int>(t.count), 0);
        }
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            const item &t = l.at[k];
            if (out)
                deliver(static_cast<Word *>(m.tensor) + t.offset, l.x[k],
                        static_cast<int>(t.count));
            else
                put_codes<each, bits>(t.codes, m.pitch(), l.x[k].word, static_cast<int>(t.count));
        }
    }

    SHIM_FN void rest(shim::place) const
    {
    }
};

/* ---- as a measure ---------------------------------------------------------------------------- */

/* The first of three launches of those who do not fuse: words divided and clamped, as words. */
template <class From> struct kv_clamp {
    const packet *from;
    packet *to;
    uint32_t all;
    float g;

    SHIM_FN void run(shim::place at) const
    {
        for (uint32_t i = at.first(); i < all; i += at.stride()) {
            packet p = load16(from + i);
            float x[From::each];
            for (int k = 0; k < From::each; k++)
                x[k] = most(least(div(From::at(p, k), g), 448.0f), -448.0f);
            store16(to + i, From::pack(x));
        }
    }
};

} // namespace kernels

#endif

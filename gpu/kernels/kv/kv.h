/* SPDX-License-Identifier: MIT */
/* kv.h -- the kernels: tokens into the image of a KV cache, and out of it, in one launch each
 *
 * A work item is the set of elements that share a scale. When storing, `together` lanes process an
 * item (place.h): each takes a piece of it, and then the piece `together` further on if there are
 * more. It keeps the first `held` of its pieces, and reads the others twice. Lanes exchange the
 * largest magnitude; the first lane writes the scale, and each writes the codes of its pieces.
 *
 * If the scale is given, an item is one piece and has one lane. The lane computes the reciprocal
 * once, unless heads have scales of their own. An item that does not exist has no elements. When
 * gathering, each lane has units of a row of the output. No lane has a fixed share of a token, so
 * that any number of heads and any size is possible.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_H
#define SOFTFP8_GPU_KERNELS_KV_H

#include "kernels/kv/place.h"
#include "kernels/kv/rules.h"

namespace kernels
{

/* The number of `count` elements that are in the i-th 16 bytes of `each` elements. */
template <int each> SHIM_FN inline int count_in(int i, int count)
{
    return count >= each * (i + 1) ? each : count > each * i ? count - each * i : 0;
}

/* ---- to codes -------------------------------------------------------------------------------- */

/* How many of its pieces a lane keeps; and lanes for a group, or for a row or token of 128
 * elements. A warp processes a larger one. */
template <class Rule> constexpr int kv_held = !Rule::given && Rule::group % 128 == 0 ? 2 : 1;
template <class Rule>
constexpr int kv_lanes = Rule::given ? 1
                                     : (Rule::group ? Rule::group : 128) /
                                           (kv_held<Rule> * static_cast<int>(kv_piece));

template <class From, class Rule, int lanes = kv_lanes<Rule>> struct kv_store {
    static constexpr int each = From::each, packets = kv_piece / each, bits = Rule::bits;
    static constexpr int together = lanes;
    static constexpr uint32_t held = kv_held<Rule>;
    static constexpr int spans = Rule::ranged ? 2 : 1;
    static constexpr bool more = !Rule::given && Rule::group == 0; /* pieces than are held */
    static constexpr bool single = Rule::given || Rule::group == kv_piece; /* an item is a piece */
    static constexpr uint32_t of_step = 32 / together;                     /* items */
    using word = typename From::word;

    cache m;
    uint32_t steps;

    struct lane {
        constants c;
        coder how; /* if the scale is given */
        item at;
        packet x[held][packets];
        uint32_t shared[spans];
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = kept(Rule::open(m.g[0]));
        if constexpr (Rule::given)
            l.how = Rule::code(l.c, bits_of(l.c.g));
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t b)
    {
        if (Rule::nan_counts)
            return a > b ? a : b;
        return bits_of(most(float_of(a), float_of(b)));
    }

    /* An element that does not exist has no effect: it is NaN, or 0 if NaN counts. */
    SHIM_FN void take(const item &t, uint32_t k, packet x[packets]) const
    {
        const uint32_t none = Rule::nan_counts ? 0 : From::nan;
        spot p = m.piece<bits, Rule::given>(t, k);
        const word *from = m.words<const word>(t.token, p.head, p.d);
        if (m.whole_words) {
            SHIM_UNROLL
            for (int i = 0; i < packets; i++)
                x[i] = p.count ? fetch_whole(from + i * each) : filled<word>(none);
            return;
        }
        SHIM_UNROLL
        for (int i = 0; i < packets; i++)
            x[i] = fetch(from + i * each, count_in<each>(i, p.count), none);
    }

    SHIM_FN static uint32_t amax(const packet &p)
    {
        return Rule::nan_counts ? From::most_of_all(p) : From::most_number(p);
    }

    SHIM_FN static void span(const packet *x, uint32_t *shared)
    {
        if constexpr (Rule::given) {
            shared[0] = 0;
        } else if constexpr (Rule::ranged) {
            float high = From::at(x[0], 0), low = negative(high);
            for (int i = 1; i < packets * each; i++) {
                float y = From::at(x[i / each], i % each);
                high = most(high, y);
                low = most(low, negative(y));
            }
            shared[0] = bits_of(high);
            shared[1] = bits_of(low);
        } else {
            shared[0] = amax(x[0]);
            for (int i = 1; i < packets; i++)
                shared[0] = join(shared[0], amax(x[i]));
        }
    }

    SHIM_FN static float negative(float x)
    {
        return float_of(bits_of(x) ^ 0x80000000u);
    }

    /* Adds to what is shared. */
    SHIM_FN static void join_span(const packet *x, uint32_t *shared)
    {
        uint32_t next[spans];
        span(x, next);
        for (int i = 0; i < spans; i++)
            shared[i] = join(shared[i], next[i]);
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        const uint32_t first = number % together;
        l.at = m.find<bits>(step * of_step + number / together);
        SHIM_UNROLL
        for (uint32_t i = 0; i < held; i++)
            take(l.at, first + i * together, l.x[i]);
        span(l.x[0], l.shared);
        SHIM_UNROLL
        for (uint32_t i = 1; i < held; i++)
            join_span(l.x[i], l.shared);
        if constexpr (more) {
            for (uint32_t k = first + held * together; k < m.pieces(l.at); k += together) {
                packet x[packets];
                take(l.at, k, x);
                join_span(x, l.shared);
            }
        }
    }

    SHIM_FN void put(const item &t, uint32_t k, const packet *p, coder how) const
    {
        uint32_t codes[4] = {0, 0, 0, 0};
        float x[kv_piece];
        spot to = m.piece<bits, Rule::given>(t, k);
        for (int i = 0; i < packets * each; i++)
            x[i] = From::at(p[i / each], i % each);
        Rule::encode(codes, x, how);
        if (m.whole_codes)
            put_whole<kv_piece * bits / 8>(to.codes, codes);
        else
            put_codes<kv_piece, bits>(to.codes, m.pitch(), codes, to.count);
    }

    /* The scale of an item, written by its first lane, and what elements are coded with. */
    SHIM_FN coder choose(const item &t, uint32_t first, const lane &l) const
    {
        constants c = m.g_stride ? Rule::open(m.g[t.head * m.g_stride]) : l.c;
        if constexpr (Rule::given) {
            return m.g_stride ? Rule::code(c, bits_of(c.g)) : l.how;
        } else {
            uint32_t other = l.shared[spans - 1];
            uint32_t scale = Rule::scale(c, l.shared[0], other);
            coder how = Rule::code(c, scale);
            if constexpr (Rule::ranged) {
                uint32_t zero = Rule::zero(scale, other);
                how.o = of_whole(static_cast<int>(zero));
                scale = (scale & ~15u) | zero;
            }
            if (first == 0)
                put_scale(m.scale(t, Rule::group ? t.d / Rule::group : 0), scale, m.scale_bytes);
            return how;
        }
    }

    SHIM_FN void store(uint32_t, uint32_t number, lane &l) const
    {
        const uint32_t first = number % together;
        const item &t = l.at;
        if (t.count == 0)
            return;
        coder how = choose(t, first, l);
        SHIM_UNROLL
        for (uint32_t i = 0; i < held; i++)
            if (single || first + i * together < m.pieces(t))
                put(t, first + i * together, l.x[i], how);
        if constexpr (more) {
            for (uint32_t k = first + held * together; k < m.pieces(t); k += together) {
                packet x[packets];
                take(t, k, x);
                put(t, k, x, how);
            }
        }
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, false);
    }
};

/* ---- and back -------------------------------------------------------------------------------- */

/* A lane has `units` of a row, each of them 16 bytes of the output. They are as far apart as the
 * row has lanes, so that the lanes of a row store neighbouring units at once: a part of a sector
 * would take as long as all of it. */
template <class To, class Rule> struct kv_gather {
    static constexpr int each = To::each, bits = Rule::bits, units = kv_piece / each;
    static constexpr int together = 1;
    static constexpr int scales = Rule::group ? units : 1; /* of a lane; 1: units have the same */
    static constexpr int bytes = each * bits / 8, code_words = (bytes + 3) / 4; /* of a unit */
    static constexpr uint32_t of_step = 32;
    using word = typename To::word;

    cache m;
    uint32_t steps;

    struct lane {
        constants c;
        item at;
        uint32_t share, codes[units][code_words], scale[scales];
        uint32_t shared[1];
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = kept(Rule::open(m.g[0]));
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t)
    {
        return a;
    }

    /* The first element of a lane's k-th unit; how many elements of the row are there. */
    SHIM_FN uint32_t element(uint32_t share, uint32_t k) const
    {
        return (share + k * m.by_groups.by) * each;
    }

    SHIM_FN static int count(const item &t, uint32_t d)
    {
        return d >= t.count ? 0 : t.count - d < each ? static_cast<int>(t.count - d) : each;
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        item &t = l.at;
        t = m.row_of(step * of_step + number, &l.share);
        l.shared[0] = 0;
        if (t.count == 0)
            return;
        SHIM_UNROLL
        for (uint32_t k = 0; k < units; k++) {
            const uint32_t d = element(l.share, k);
            const uint8_t *from = t.codes + m.within<bits>(t.slot, d);
            uint32_t now[4];
            if (m.whole_codes)
                get_whole<bytes>(now, from);
            else
                get_codes<each, bits>(now, from, m.pitch(), count(t, d));
            for (int i = 0; i < code_words; i++)
                l.codes[k][i] = now[i];
        }
        SHIM_UNROLL
        for (uint32_t k = 0; k < scales; k++) {
            const uint32_t d = element(l.share, k);
            l.scale[k] = 0;
            if (!Rule::given && d < t.count)
                l.scale[k] = get_scale(m.scale(t, Rule::group ? d / Rule::group : 0),
                                       m.scale_bytes);
        }
    }

    SHIM_FN void put(const lane &l, uint32_t k, const packet &p) const
    {
        const uint32_t d = element(l.share, k);
        word *to = m.words<word>(l.at.token, l.at.head, d);
        if (m.whole_words)
            put_whole<16>(to, p.word);
        else
            deliver(to, p, count(l.at, d));
    }

    SHIM_FN constants constants_of(const lane &l) const
    {
        return m.g_stride ? Rule::open(m.g[l.at.head * m.g_stride]) : l.c;
    }

    SHIM_FN static packet decoded(const lane &l, uint32_t k, constants c)
    {
        float x[each];
        Rule::template decode<each>(x, l.codes[k], c,
                                    Rule::given ? bits_of(c.g) : l.scale[scales > 1 ? k : 0]);
        return To::pack(x);
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        if (l.at.count == 0)
            return;
        const constants c = constants_of(l);
        SHIM_UNROLL
        for (uint32_t k = 0; k < units; k++)
            put(l, k, decoded(l, k, c));
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, true);
    }
};

/* Groups of 4 bits: a lane decodes a piece, which has one scale. Then two lanes whose pieces are
 * neighbours exchange half of their packets, so that both store parts of the same 32 bytes:
 *
 *     a lane decodes           A0 A1       its neighbour       B0 B1
 *     they store, first        A0          and                 A1
 *     and then                 B0          and                 B1
 *
 * If a row has an odd number of pieces, or one is not whole, each lane stores its own. */
template <class To, class Rule> struct kv_gather_pair {
    static constexpr int each = To::each, bits = Rule::bits, packets = kv_piece / each;
    static constexpr int together = 2, half = packets / 2;
    static constexpr uint32_t of_step = 32;
    using word = typename To::word;
    static_assert(Rule::group % kv_piece == 0, "a piece has several scales");

    cache m;
    uint32_t steps;

    struct lane {
        constants c;
        item at; /* count 0: nothing is left to store */
        packet keeps[half];
        uint32_t shared[4 * half]; /* for the neighbour; then what the neighbour had */
    };

    SHIM_FN void begin(lane &l) const
    {
        l.c = kept(Rule::open(m.g[0]));
    }

    SHIM_FN static uint32_t join(uint32_t, uint32_t neighbours)
    {
        return neighbours;
    }

    SHIM_FN static void decoded(packet p[packets], const uint32_t *codes, constants c,
                                uint32_t scale)
    {
        float x[kv_piece];
        Rule::template decode<kv_piece>(x, codes, c, scale);
        SHIM_UNROLL
        for (int i = 0; i < packets; i++)
            p[i] = To::pack(x + i * each);
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        load_by(step, number, l, decoded);
    }

    template <class Decode>
    SHIM_FN void load_by(uint32_t step, uint32_t number, lane &l, const Decode &decode) const
    {
        const bool odd = number % 2 != 0, paired = m.whole_words && m.by_groups.by % 2 == 0;
        packet p[packets];
        uint32_t codes[4];
        item &t = l.at;
        t = m.find<bits>(step * of_step + number);
        for (uint32_t &w : l.shared)
            w = 0;
        if (t.count == 0)
            return;
        if (m.whole_codes)
            get_whole<kv_piece * bits / 8>(codes, t.codes);
        else
            get_codes<kv_piece, bits>(codes, t.codes, m.pitch(), static_cast<int>(t.count));
        const uint32_t scale = get_scale(m.scale(t, t.d / Rule::group), m.scale_bytes);
        const constants c = m.g_stride ? Rule::open(m.g[t.head * m.g_stride]) : l.c;
        decode(p, codes, c, scale);
        if (!paired) {
            for (int i = 0; i < packets; i++)
                deliver(m.words<word>(t.token, t.head, t.d) + i * each, p[i],
                        count_in<each>(i, static_cast<int>(t.count)));
            t.count = 0;
            return;
        }
        SHIM_UNROLL
        for (int i = 0; i < half; i++) {
            l.keeps[i] = odd ? p[2 * i + 1] : p[2 * i];
            for (int w = 0; w < 4; w++)
                l.shared[4 * i + w] = odd ? p[2 * i].word[w] : p[2 * i + 1].word[w];
        }
    }

    SHIM_FN void store(uint32_t, uint32_t number, lane &l) const
    {
        const item &t = l.at;
        const bool odd = number % 2 != 0;
        if (t.count == 0)
            return;
        const uint32_t first = t.d - (odd ? kv_piece : 0) + (odd ? each : 0);
        SHIM_UNROLL
        for (int i = 0; i < packets; i++) {
            const bool own = (i < half) != odd;
            const uint32_t *keeps = l.keeps[i % half].word, *got = l.shared + 4 * (i % half);
            uint32_t now[4];
            for (int w = 0; w < 4; w++)
                now[w] = own ? keeps[w] : got[w];
            put_whole<16>(
                m.words<word>(t.token, t.head, first + static_cast<uint32_t>(i * 2 * each)), now);
        }
    }

    SHIM_FN void rest(shim::place at) const
    {
        m.move_tails(at, true);
    }
};

/* ---- as they are ----------------------------------------------------------------------------- */

/* An item is 16 bytes. */
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
                l.x[k] = fetch(m.words<const Word>(t.token, t.head, t.d), static_cast<int>(t.count),
                               0);
        }
    }

    SHIM_FN void store(uint32_t, uint32_t, lane &l) const
    {
        SHIM_UNROLL
        for (uint32_t k = 0; k < held; k++) {
            const item &t = l.at[k];
            if (out)
                deliver(m.words<Word>(t.token, t.head, t.d), l.x[k], static_cast<int>(t.count));
            else
                put_codes<each, bits>(t.codes, m.pitch(), l.x[k].word, static_cast<int>(t.count));
        }
    }

    SHIM_FN void rest(shim::place) const
    {
    }
};

/* ---- as a measure ---------------------------------------------------------------------------- */

/* The first of three launches of a store that is not fused: elements divided and clamped, in their
 * own format. */
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

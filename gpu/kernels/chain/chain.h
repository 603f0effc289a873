/* SPDX-License-Identifier: MIT */
/* chain.h -- the steps of "softfp8 kv chain" as kernels: computed by a GPU's own instructions
 *
 * A step maps some numbers of an item to others. Most are computed by one thread; a variance is
 * computed by a warp, so that its sums are those of a reduction by shuffles.
 */
#ifndef SOFTFP8_GPU_KERNELS_CHAIN_H
#define SOFTFP8_GPU_KERNELS_CHAIN_H

#include "kernels/chain/math.h"

namespace kernels
{

namespace links
{

/* ---- links ----------------------------------------------------------------------------------- */

/* amax; its scale by 200, by division and by multiplication; the codes of amax with each. */
struct scale {
    static constexpr int in = 1, out = 4;
    SHIM_FN static void run(const uint32_t *in_words, uint32_t *to)
    {
        float amax = float_of(in_words[0]), s = div(amax, 200.0f);
        float product = mul(amax, div(1.0f, 200.0f));
        to[0] = bits_of(s);
        to[1] = bits_of(product);
        to[2] = code_of(div(amax, s));
        to[3] = code_of(div(amax, product));
    }
};

/* A value and a scale; the result of the division, its code, and what both casts read back. */
struct cast {
    static constexpr int in = 2, out = 4;
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        float x = float_of(from[0]), s = float_of(from[1]), q = div(x, s);
        to[0] = bits_of(q);
        to[1] = code_of(q);
        to[2] = bits_of(stored(x, s, false));
        to[3] = bits_of(stored(x, s, true));
    }
};

/* Eight values and a scale; how many are read back as 448 times it, how many as NaN without
 * saturation, the least and the largest of those read back. */
struct identical {
    static constexpr int in = CHANNELS + 1, out = 4;
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        float s = float_of(from[CHANNELS]), largest = mul(448.0f, s), low = infinity(), high = 0.0f;
        to[0] = to[1] = 0;
        for (int i = 0; i < CHANNELS; i++) {
            float x = stored(float_of(from[i]), s, false);
            to[0] += bits_of(x) == bits_of(largest);
            to[1] += is_nan(stored(float_of(from[i]), s, true));
            low = least(low, x);
            high = kernels::most(high, x);
        }
        to[2] = bits_of(low);
        to[3] = bits_of(high);
    }
};

/* For 4096 numbers from a first one on: for how many x fl(x^2) - x^2 is below 0, and for how many
 * of these with 1e-12, 1e-6, 1e-5 added. */
struct scan {
    static constexpr int in = 1, out = 4;
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        const uint32_t eps[3] = {0x2b8cbcccu, 0x358637bdu, 0x3727c5acu};
        to[0] = to[1] = to[2] = to[3] = 0;
        for (uint32_t i = 0; i < 4096; i++) {
            float x = float_of(from[0] + i), v = fused(negative(x), x, mul(x, x));
            to[0] += v < 0.0f;
            for (int k = 0; k < 3; k++)
                to[1 + k] += is_nan(root(sum(v, float_of(eps[k]))));
        }
    }
};

/* Four scores and two channels of their values; the row, the outputs with a weight of 0 multiplied
 * and skipped, the last score with -infinity added, 1 added to the outputs. */
struct nan {
    static constexpr int in = 3 * TOKENS, out = 13;
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        float score[TOKENS], value[2 * TOKENS];
        for (int j = 0; j < TOKENS; j++)
            score[j] = float_of(from[j]);
        for (int j = 0; j < 2 * TOKENS; j++)
            value[j] = float_of(from[TOKENS + j]);
        row r = attend(score);
        to[0] = bits_of(r.most);
        to[1] = bits_of(r.all);
        to[2] = bits_of(r.lse);
        for (int j = 0; j < TOKENS; j++)
            to[3 + j] = bits_of(r.weight[j]);
        for (int c = 0; c < 2; c++) {
            to[7 + c] = bits_of(weighted(r, value + c, 2, false));
            to[9 + c] = bits_of(weighted(r, value + c, 2, true));
        }
        to[11] = bits_of(sum(score[TOKENS - 1], negative(infinity())));
        to[12] = bits_of(sum(1.0f, float_of(to[7])));
    }
};

/* A scale, the codes of four slots, their scores; the values, and the outputs as before. */
struct cached {
    static constexpr int in = 1 + 2 * TOKENS, out = TOKENS + 2;
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        float value[TOKENS], score[TOKENS];
        for (int j = 0; j < TOKENS; j++) {
            value[j] = mul(of_e4m3::wide(from[1 + j]), float_of(from[0]));
            score[j] = float_of(from[1 + TOKENS + j]);
            to[j] = bits_of(value[j]);
        }
        row r = attend(score);
        to[TOKENS] = bits_of(weighted(r, value, 1, false));
        to[TOKENS + 1] = bits_of(weighted(r, value, 1, true));
    }
};

/* Four logits; the argmax of PyTorch, and the simple loop from 0 and from 2. */
struct largest {
    static constexpr int in = 4, out = 3;
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        float x[4];
        for (int i = 0; i < 4; i++)
            x[i] = float_of(from[i]);
        to[0] = argmax(x, 4);
        to[1] = argmax_greater(x, 4, 0);
        to[2] = argmax_greater(x, 4, 2);
    }
};

/* ---- link 8 ---------------------------------------------------------------------------------- */

enum { EXACT, TOLD, LOCKED, NOSAT, BF16, REQUEST, ROW, APART, WAYS };

/* The scale of a row, amax / 448 and at least 1e-6, by the reciprocal. */
SHIM_FN inline void read_by_row(float *y, const float *x)
{
    float amax = 0.0f;
    for (int i = 0; i < CHANNELS; i++)
        amax = kernels::most(amax, magnitude(x[i]));
    float s = kernels::most(div(amax, 448.0f), float_of(0x358637bdu)), f = div(1.0f, s);
    for (int i = 0; i < CHANNELS; i++) {
        float q = kernels::most(least(mul(x[i], f), 448.0f), -448.0f);
        y[i] = mul(of_e4m3::wide(code_of(q)), s);
    }
}

SHIM_FN inline void read_row(float *y, const float *x, int way, float s)
{
    int at = 0;
    float rest[CHANNELS];
    for (int i = 0; i < CHANNELS; i++)
        at = magnitude(x[i]) > magnitude(x[at]) ? i : at;
    for (int i = 0; i < CHANNELS; i++) {
        rest[i] = way == APART && i == at ? 0.0f : x[i];
        y[i] = way == EXACT ? x[i] : way == BF16 ? via_bf16(x[i]) : stored(x[i], s, way == NOSAT);
    }
    if (way == ROW || way == APART)
        read_by_row(y, rest);
    if (way == APART)
        y[at] = via_bf16(x[at]);
}

/* By the tree of 8; with fma for the last step. */
SHIM_FN inline float variance_of(const float *x, float *mean)
{
    float a[CHANNELS], b[CHANNELS];
    for (int i = 0; i < CHANNELS; i++) {
        a[i] = x[i];
        b[i] = mul(x[i], x[i]);
    }
    for (int n = CHANNELS / 2; n > 0; n /= 2)
        for (int i = 0; i < n; i++) {
            a[i] = sum(a[2 * i], a[2 * i + 1]);
            b[i] = sum(b[2 * i], b[2 * i + 1]);
        }
    *mean = div(a[0], 8.0f);
    return fused(negative(*mean), *mean, div(b[0], 8.0f));
}

SHIM_FN inline uint32_t token_of(float out)
{
    float logit[VOCABULARY];
    for (int t = 0; t < VOCABULARY; t++)
        logit[t] = fused(static_cast<float>(t), out,
                         mul(static_cast<float>(-35 * (t - 1) * (t - 1)), 0.125f));
    return argmax(logit, VOCABULARY);
}

/* amax of the first request, and eight later values; for each way the values as read back, their
 * variance, and the tokens. */
struct cures {
    static constexpr int in = 1 + CHANNELS, of_way = 2 * CHANNELS + 1, out = WAYS * of_way;
    SHIM_FN static void run_way(const uint32_t *from, uint32_t *to, int way)
    {
        float v[TOKENS * CHANNELS], score[TOKENS], mean;
        float amax = float_of(from[0]), eighth = mul(amax, 0.125f), top = eighth;
        for (int i = 0; i < CHANNELS; i++)
            top = kernels::most(top, float_of(from[1 + i]));
        float s = div(way == REQUEST ? top : amax, 200.0f);
        for (int t = 0; t < TOKENS; t++) {
            float x[CHANNELS], key[CHANNELS], dot = 0.0f, *y = v + t * CHANNELS;
            for (int i = 0; i < CHANNELS; i++) {
                float e = i % 2 ? negative(eighth) : eighth;
                x[i] = t == 0   ? e
                       : t == 1 ? negative(e)
                       : t == 2 ? float_of(from[1 + i])
                                : mul(e, 0.5f);
            }
            read_row(y, x, way, s);
            float variance = variance_of(y, &mean);
            float rstd = div(1.0f, root(sum(variance, float_of(0x2b8cbcccu))));
            for (int i = 0; i < CHANNELS; i++) {
                key[i] = way == TOLD ? mul(less(y[i], mean), rstd) : y[i];
                dot = fused(0.25f, key[i], dot);
            }
            score[t] = dot;
            for (int i = 0; t == 2 && i < CHANNELS; i++)
                to[i] = bits_of(y[i]);
            if (t == 2)
                to[CHANNELS] = bits_of(variance);
        }
        row r = attend(score);
        for (int i = 0; i < CHANNELS; i++)
            to[CHANNELS + 1 + i] = token_of(weighted(r, v + i, CHANNELS, false));
    }
    SHIM_FN static void run(const uint32_t *from, uint32_t *to)
    {
        for (int way = 0; way < WAYS; way++)
            run_way(from, to + way * of_way, way);
    }
};

} // namespace links

/* ---- kernels --------------------------------------------------------------------------------- */

/* A step with one thread for each item. */
template <class Link> struct chain_items {
    const uint32_t *from;
    uint32_t *to;
    uint32_t count;

    SHIM_FN void run(shim::place at) const
    {
        for (uint32_t i = at.first(); i < count; i += at.stride())
            Link::run(from + i * Link::in, to + i * Link::out);
    }
};

/* Variances of n numbers, with one warp for each item: by one thread, by 32, by 1024, each with an
 * fma in the sum, for the last step, for both or none; by the tree with and without the latter; by
 * Welford's with and without an fma. A lane has 32 neighbours of the 1024 threads, and a 32nd part
 * of the tree, so that lanes exchange the last five levels of both. */
struct chain_variance {
    static constexpr int together = 32, out = 16;
    const uint32_t *from;
    uint32_t *to;
    uint32_t n, steps;

    struct lane {
        uint32_t shared[8]; /* sums, of squares, of squares by fma: of 32, 1024; sums of the tree */
    };

    /* Sums of x, of its squares, and of these by fma. */
    struct sums {
        float x, square, fused;

        SHIM_FN void add(float a)
        {
            x = kernels::sum(x, a);
            square = kernels::sum(square, mul(a, a));
            fused = kernels::fused(a, a, fused);
        }
    };

    SHIM_FN void begin(lane &) const
    {
    }

    SHIM_FN static uint32_t join(uint32_t a, uint32_t b)
    {
        return bits_of(kernels::sum(float_of(a), float_of(b)));
    }

    SHIM_FN float at(uint32_t step, uint32_t i) const
    {
        return i < n ? float_of(from[step * n + i]) : 0.0f;
    }

    SHIM_FN sums run_thread(uint32_t step, uint32_t first, uint32_t stride) const
    {
        sums s = {0.0f, 0.0f, 0.0f};
        for (uint32_t i = first; i < n; i += stride)
            s.add(at(step, i));
        return s;
    }

    SHIM_FN static void halve(float *x, int count)
    {
        for (int k = count / 2; k > 0; k /= 2)
            for (int i = 0; i < k; i++)
                x[i] = kernels::sum(x[2 * i], x[2 * i + 1]);
    }

    SHIM_FN void load_block(uint32_t step, uint32_t number, lane &l) const
    {
        float x[32], square[32], fused[32];
        for (uint32_t t = 0; t < 32; t++) {
            sums s = run_thread(step, 32 * number + t, 1024);
            x[t] = s.x;
            square[t] = s.square;
            fused[t] = s.fused;
        }
        halve(x, 32);
        halve(square, 32);
        halve(fused, 32);
        l.shared[3] = bits_of(x[0]);
        l.shared[4] = bits_of(square[0]);
        l.shared[5] = bits_of(fused[0]);
    }

    /* Missing numbers are 0, which changes no sum. */
    SHIM_FN void load_tree(uint32_t step, uint32_t number, lane &l) const
    {
        float x[16], square[16];
        uint32_t all = 32, depth = 0;
        while (all < n)
            all *= 2;
        for (uint32_t i = 0; i < all / 32; i++) {
            float a = at(step, number * (all / 32) + i);
            x[depth] = a;
            square[depth++] = mul(a, a);
            for (uint32_t carry = i + 1; !(carry & 1); carry >>= 1) {
                depth--;
                x[depth - 1] = kernels::sum(x[depth - 1], x[depth]);
                square[depth - 1] = kernels::sum(square[depth - 1], square[depth]);
            }
        }
        l.shared[6] = bits_of(x[0]);
        l.shared[7] = bits_of(square[0]);
    }

    SHIM_FN void load(uint32_t step, uint32_t number, lane &l) const
    {
        sums s = run_thread(step, number, 32);
        l.shared[0] = bits_of(s.x);
        l.shared[1] = bits_of(s.square);
        l.shared[2] = bits_of(s.fused);
        load_block(step, number, l);
        load_tree(step, number, l);
    }

    SHIM_FN uint32_t variance(float x, float square, bool last) const
    {
        float count = static_cast<float>(n), mean = div(x, count), squares = div(square, count);
        return bits_of(last ? kernels::fused(kernels::negative(mean), mean, squares)
                            : kernels::less(squares, mul(mean, mean)));
    }

    SHIM_FN uint32_t welford(uint32_t step, bool fuses) const
    {
        float mean = 0.0f, squares = 0.0f;
        for (uint32_t i = 0; i < n; i++) {
            float x = at(step, i), before = kernels::less(x, mean);
            mean = kernels::sum(mean, div(before, static_cast<float>(i + 1)));
            float after = kernels::less(x, mean);
            squares = fuses ? kernels::fused(before, after, squares)
                            : kernels::sum(squares, mul(before, after));
        }
        return bits_of(div(squares, static_cast<float>(n)));
    }

    SHIM_FN void put_four(uint32_t *four, sums s) const
    {
        for (int fuse = 0; fuse < 4; fuse++)
            four[fuse] = variance(s.x, fuse & 1 ? s.fused : s.square, (fuse & 2) != 0);
    }

    SHIM_FN void store(uint32_t step, uint32_t number, lane &l) const
    {
        uint32_t *out_words = to + step * out;
        const uint32_t *w = l.shared;
        if (number == 0) {
            put_four(out_words, run_thread(step, 0, 1));
        } else if (number == 1) {
            put_four(out_words + 4, {float_of(w[0]), float_of(w[1]), float_of(w[2])});
            put_four(out_words + 8, {float_of(w[3]), float_of(w[4]), float_of(w[5])});
            out_words[12] = variance(float_of(w[6]), float_of(w[7]), false);
            out_words[13] = variance(float_of(w[6]), float_of(w[7]), true);
        } else if (number < 4) {
            out_words[12 + number] = welford(step, number == 3);
        }
    }

    SHIM_FN void rest(shim::place) const
    {
    }
};

} // namespace kernels

#endif

/* SPDX-License-Identifier: MIT */
/* merge.h -- parts of rows of attention, each an output with its lse, joined by other stacks' rules
 *
 * The order of operations is that of each stack's kernel (docs/spec/attend/merging.md,
 * parts.md). Where that uses an approximate instruction, this code uses 2^x, e^x and the logarithms
 * of f32.h, and correctly rounded divisions. list.h says for each rule what its own kernel uses.
 */
#ifndef SOFTFP8_GPU_KERNELS_MERGE_H
#define SOFTFP8_GPU_KERNELS_MERGE_H

#include "kernels/codes.h"
#include "kernels/f32.h"

namespace kernels
{

namespace merging
{

constexpr uint32_t EACH = 4, MOST = 64; /* channels of a thread; parts */

/* ---- parts ----------------------------------------------------------------------------------- */

struct f32_words {
    using word = uint32_t;

    SHIM_FN static float wide(word w)
    {
        return float_of(w);
    }
    SHIM_FN static word narrow(float x)
    {
        return is_nan(x) ? of_f32::nan : bits_of(x);
    }
};

struct bf16_words {
    using word = uint16_t;

    SHIM_FN static float wide(word w)
    {
        return of_bf16::wide(w);
    }
    SHIM_FN static word narrow(float x)
    {
        return static_cast<word>(is_nan(x) ? of_bf16::nan : of_bf16::narrow(x, 0.0f));
    }
};

/* All parts of all rows, part by part: the element of part k of row r is at k rows + r. */
template <class Words> struct parts_of {
    const typename Words::word *out;
    const uint32_t *lse, *sums;
    uint32_t count, rows, channels, fuse;
};

/* Some channels of a row, `n` from `first` on. */
template <class Words> struct piece_of {
    const parts_of<Words> &all;
    uint32_t row, first, n;

    SHIM_FN uint64_t place(uint32_t k) const
    {
        return static_cast<uint64_t>(k) * all.rows + row;
    }
    /* Or the largest score. */
    SHIM_FN float lse(uint32_t k) const
    {
        return float_of(all.lse[place(k)]);
    }
    SHIM_FN float sum(uint32_t k) const
    {
        return float_of(all.sums[place(k)]);
    }
    SHIM_FN float at(uint32_t k, uint32_t c) const
    {
        return Words::wide(all.out[place(k) * all.channels + first + c]);
    }
    /* a b + c, with the product rounded or not. */
    SHIM_FN float plus(float a, float b, float c) const
    {
        return all.fuse ? fused(a, b, c) : kernels::sum(mul(a, b), c);
    }
    SHIM_FN float most() const
    {
        float m = negative(infinity());
        for (uint32_t k = 0; k < all.count; k++)
            m = kernels::most(m, lse(k));
        return m;
    }
};

SHIM_FN inline bool is_empty(float lse)
{
    return bits_of(lse) == 0xff800000u;
}

/* ---- two parts at a time --------------------------------------------------------------------- */

/* The factors of both outputs; `ends`: neither part has a key, and nothing is multiplied. */
struct weights {
    float a, b, lse;
    bool ends;
};

/* merge_attn_states.cu: an infinity of either sign is a part without keys. */
struct vllm_pair {
    static constexpr bool keeps = true; /* where it ends, the first output */

    SHIM_FN static weights of(float p, float s)
    {
        p = magnitude(p) == infinity() ? negative(infinity()) : p;
        s = magnitude(s) == infinity() ? negative(infinity()) : s;
        float m = most(p, s);
        if (is_empty(m))
            return {0.0f, 0.0f, m, true};
        float pe = exp_of(less(p, m)), se = exp_of(less(s, m)), all = kernels::sum(pe, se);
        return {div(pe, all), div(se, all), kernels::sum(log_of(all), m), false};
    }
};

/* triton_merge_attn_states.py: the same, except that the result is zeros if neither has a key. */
struct vllm_triton_pair : vllm_pair {
    static constexpr bool keeps = false;
};

/* cascade.cuh, MergeStateKernel: lse to base 2, and a NaN beside a number has no weight. */
struct flashinfer_pair {
    static constexpr bool keeps = false;

    SHIM_FN static float share(float s, float m)
    {
        return exp2_of(most(less(s, m), negative(infinity())));
    }
    SHIM_FN static weights of(float a, float b)
    {
        float m = most(a, b), ea = share(a, m), eb = share(b, m), d = kernels::sum(ea, eb);
        return {d > 0.0f ? div(ea, d) : 0.0f, d > 0.0f ? div(eb, d) : 0.0f,
                kernels::sum(log2_of(d), m), false};
    }
};

/* The result so far with the next part; between two of them nothing is rounded to the parts'
 * format. */
template <class Pair> struct in_turn {
    template <class Piece> SHIM_FN static float run(const Piece &p, float *x)
    {
        float lse = p.lse(0);
        for (uint32_t c = 0; c < p.n; c++)
            x[c] = p.at(0, c);
        for (uint32_t k = 1; k < p.all.count; k++) {
            weights w = Pair::of(lse, p.lse(k));
            for (uint32_t c = 0; c < p.n; c++) {
                if (!w.ends)
                    x[c] = p.plus(x[c], w.a, mul(p.at(k, c), w.b));
                else if (!Pair::keeps)
                    x[c] = 0.0f;
            }
            lse = w.lse;
        }
        return lse;
    }
};

using vllm = in_turn<vllm_pair>;
using vllm_triton = in_turn<vllm_triton_pair>;
using flashinfer = in_turn<flashinfer_pair>;

/* ---- all parts at once ----------------------------------------------------------------------- */

/* flash_fwd_combine_kernel.h: only parts with a weight above 0 are used. */
struct fa3 {
    template <class Piece> SHIM_FN static float run(const Piece &p, float *x)
    {
        const float most = p.most(), from = is_empty(most) ? 0.0f : most;
        float all = 0.0f;
        for (uint32_t k = 0; k < p.all.count; k++)
            all = kernels::sum(all, exp_of(less(p.lse(k), from)));
        const float inverse = all == 0.0f || is_nan(all) ? 0.0f : div(1.0f, all);
        for (uint32_t c = 0; c < p.n; c++)
            x[c] = 0.0f;
        for (uint32_t k = 0; k < p.all.count; k++) {
            float weight = mul(exp_of(less(p.lse(k), from)), inverse);
            for (uint32_t c = 0; c < p.n && weight > 0.0f; c++)
                x[c] = p.plus(weight, p.at(k, c), x[c]);
        }
        return kernels::sum(log_of(all), most);
    }
};

/* cascade.cuh, VariableLengthMergeStates: a state of largest score, sum and output, divided at the
 * end. */
struct flashinfer_states {
    template <class Piece> SHIM_FN static float run(const Piece &p, float *x)
    {
        float most = negative(infinity()), all = 1.0f;
        for (uint32_t c = 0; c < p.n; c++)
            x[c] = 0.0f;
        for (uint32_t k = 0; k < p.all.count; k++) {
            float larger = kernels::most(most, p.lse(k));
            float old = flashinfer_pair::share(most, larger);
            float fresh = flashinfer_pair::share(p.lse(k), larger);
            all = p.plus(all, old, fresh);
            for (uint32_t c = 0; c < p.n; c++)
                x[c] = p.plus(x[c], old, mul(p.at(k, c), fresh));
            most = larger;
        }
        for (uint32_t c = 0; c < p.n; c++)
            x[c] = all == 0.0f ? 0.0f : div(x[c], all);
        return kernels::sum(log2_of(all), most);
    }
};

/* The number with the bits of i in reverse order. */
SHIM_FN inline uint32_t reversed(uint32_t i, uint32_t bits)
{
    uint32_t r = 0;
    for (uint32_t b = 0; b < bits; b++)
        r |= (i >> b & 1u) << (bits - 1 - b);
    return r;
}

/* 2^bits rows of numbers added by halves: i and i + half of them first. With the bits of i reversed
 * these are neighbours, so that only log2 of them must be kept. */
template <int words, class Get> SHIM_FN void by_halves(float *to, uint32_t bits, const Get &get)
{
    float kept[7][words];
    uint32_t depth = 0;
    for (uint32_t i = 0; i < 1u << bits; i++) {
        get(reversed(i, bits), kept[depth++]);
        for (uint32_t carry = i + 1; depth > 1 && !(carry & 1); carry >>= 1) {
            depth--;
            for (int w = 0; w < words; w++)
                kept[depth - 1][w] = sum(kept[depth - 1][w], kept[depth][w]);
        }
    }
    for (int w = 0; w < words; w++)
        to[w] = kept[0][w];
}

/* triton_unified_attention.py, reduce_segments: a power of two of parts, with channels that are not
 * yet divided and with their sums. */
struct segments {
    template <class Piece> SHIM_FN static float run(const Piece &p, float *x)
    {
        const float most = p.most();
        float all[EACH + 1];
        uint32_t bits = 0;
        while (1u << bits < p.all.count)
            bits++;
        by_halves<EACH + 1>(all, bits, [&](uint32_t k, float *to) {
            float behind = is_empty(p.lse(k)) ? p.lse(k) : less(p.lse(k), most);
            float factor = exp2_of(mul(behind, float_of(0x3fb8aa3bu)));
            for (uint32_t c = 0; c < EACH; c++)
                to[c] = c < p.n ? mul(p.at(k, c), factor) : 0.0f;
            to[EACH] = mul(p.sum(k), factor);
        });
        for (uint32_t c = 0; c < p.n; c++)
            x[c] = all[EACH] == 0.0f ? 0.0f : div(all[c], all[EACH]);
        return is_empty(most) ? most : kernels::sum(most, log_of(all[EACH]));
    }
};

/* attention_kernels.cuh, v2's reduce: 128 threads add the sums, by halves in each 32 and then in 4.
 * With at most 64 partitions, two of the 4 are 0. */
struct partitions {
    template <class Piece> SHIM_FN static float run(const Piece &p, float *x)
    {
        const float most = p.most();
        auto share = [&](uint32_t k) { return mul(p.sum(k), exp_of(less(p.lse(k), most))); };
        float warp[2];
        for (uint32_t w = 0; w < 2; w++)
            by_halves<1>(warp + w, 5, [&](uint32_t i, float *to) {
                *to = 32 * w + i < p.all.count ? kernels::sum(0.0f, share(32 * w + i)) : 0.0f;
            });
        const float all = kernels::sum(warp[0], warp[1]);
        const float inverse = div(1.0f, kernels::sum(all, float_of(0x358637bdu)));
        for (uint32_t c = 0; c < p.n; c++)
            x[c] = 0.0f;
        for (uint32_t k = 0; k < p.all.count; k++) {
            float weight = share(k);
            for (uint32_t c = 0; c < p.n; c++)
                x[c] = p.plus(mul(p.at(k, c), weight), inverse, x[c]);
        }
        return kernels::sum(most, log_of(all));
    }
};

/* ---- the kernel ------------------------------------------------------------------------------ */

/* Rows from `joined` on are the last part's, bit for bit. */
template <class Rule, class Words> struct merge_rows {
    parts_of<Words> parts;
    typename Words::word *out;
    uint32_t *lse;
    uint32_t joined;
    divider by_pieces; /* of EACH channels a row */

    SHIM_FN void run(shim::place at) const
    {
        for (uint32_t i = at.first(); i < parts.rows * by_pieces.by; i += at.stride()) {
            uint32_t row = by_pieces.of(i), first = EACH * (i - row * by_pieces.by);
            uint32_t left = parts.channels - first;
            piece_of<Words> p = {parts, row, first, left < EACH ? left : EACH};
            row < joined ? join(p) : copy(p);
        }
    }
    SHIM_FN void join(const piece_of<Words> &p) const
    {
        float x[EACH], log = Rule::run(p, x);
        for (uint32_t c = 0; c < p.n; c++)
            out[p.place(0) * parts.channels + p.first + c] = Words::narrow(x[c]);
        if (p.first == 0)
            lse[p.row] = f32_words::narrow(log);
    }
    SHIM_FN void copy(const piece_of<Words> &p) const
    {
        const uint64_t to = p.place(0) * parts.channels + p.first;
        const uint64_t from = p.place(parts.count - 1) * parts.channels + p.first;
        for (uint32_t c = 0; c < p.n; c++)
            out[to + c] = parts.out[from + c];
        if (p.first == 0)
            lse[p.row] = parts.lse[p.place(parts.count - 1)];
    }
};

} // namespace merging

} // namespace kernels

#endif

/* SPDX-License-Identifier: MIT */
/* join.h -- the pieces of each row, joined, and its result */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_JOIN_H
#define SOFTFP8_GPU_KERNELS_ATTEND_JOIN_H

#include "kernels/attend/work.h"

namespace kernels
{

namespace attention
{

/* A piece of a row: where it is, and whether it begins a span. */
struct part {
    uint32_t piece, begins;
};

/* Result i belongs to a row of q, to head i % heads; it is written to out[out_at] and lse[i]. */
struct result {
    uint32_t first, count, head; /* of parts; of the queries */
    uint32_t kv_head;
    uint64_t out_at;
};

struct attend_join {
    enum { TOGETHER = 8 };
    const uint32_t *pieces;
    const part *parts;
    const result *results;
    const float *v_scale; /* of each head of the cache */
    const float *sinks;   /* of each head of the queries, or NULL */
    void *out;
    uint32_t *lse;
    divider by_dim;
    uint32_t count, out_bits, out_exp, base2;

    SHIM_FN head head_of(uint32_t piece) const
    {
        const uint32_t *at = pieces + static_cast<uint64_t>(piece) * (2 + by_dim.by);
        return {float_of(at[0]), float_of(at[1])};
    }

    SHIM_FN void put(uint64_t at, float x) const
    {
        if (out_bits == 32)
            static_cast<uint32_t *>(out)[at] = is_nan(x) ? SF8_F32_NAN : bits_of(x);
        else if (out_exp == 8)
            static_cast<uint16_t *>(out)[at] = static_cast<uint16_t>(
                is_nan(x) ? of_bf16::nan : of_bf16::narrow(x, 0.0f));
        else
            static_cast<uint16_t *>(out)[at] = static_cast<uint16_t>(
                is_nan(x) ? of_f16::nan : of_f16::narrow(x, 0.0f));
    }

    SHIM_FN void run(shim::place at) const
    {
        for (uint32_t i = at.first(); i < count * by_dim.by; i += at.stride()) {
            const uint32_t n = by_dim.of(i), channel = i - n * by_dim.by;
            row_of(results[n], n, channel);
        }
    }

    SHIM_FN static void add(head *h, float *sum, head after, float after_sum)
    {
        joint j = join_heads(*h, after);
        *sum = joined(j.take, *sum, j.before, after_sum, j.after);
        *h = j.both;
    }

    /* Several parts are loaded before the first one is joined. */
    SHIM_FN void row_of(const result &r, uint32_t n, uint32_t channel) const
    {
        head all = nothing(), span = nothing();
        float all_sum = 0.0f, span_sum = 0.0f;
        for (uint32_t k = 0; k < r.count; k += TOGETHER) {
            const uint32_t left = r.count - k;
            part p[TOGETHER];
            head of[TOGETHER];
            float x[TOGETHER];
            SHIM_UNROLL
            for (uint32_t i = 0; i < TOGETHER; i++)
                p[i] = parts[r.first + k + (i < left ? i : 0)];
            SHIM_UNROLL
            for (uint32_t i = 0; i < TOGETHER; i++) {
                of[i] = head_of(p[i].piece);
                x[i] = float_of(
                    pieces[static_cast<uint64_t>(p[i].piece) * (2 + by_dim.by) + 2 + channel]);
            }
            SHIM_UNROLL
            for (uint32_t i = 0; i < TOGETHER; i++) {
                if (i >= left)
                    continue;
                if (p[i].begins) {
                    add(&all, &all_sum, span, span_sum);
                    span = of[i];
                    span_sum = x[i];
                } else {
                    add(&span, &span_sum, of[i], x[i]);
                }
            }
        }
        add(&all, &all_sum, span, span_sum);
        if (sinks) {
            float sink = ::kernels::sum(mul(sinks[r.head], float_of(SF8_F32_LOG2E)), 0.0f);
            add(&all, &all_sum, {sink, 1.0f}, 0.0f);
        }
        put(r.out_at + channel,
            is_nothing(all) ? 0.0f : mul(div(all_sum, all.sum), v_scale[r.kv_head]));
        if (channel == 0)
            put_lse(n, all);
    }

    SHIM_FN void put_lse(uint32_t n, head h) const
    {
        float x = base2 ? ::kernels::sum(h.most, log2_of(h.sum))
                        : ::kernels::sum(mul(h.most, float_of(SF8_F32_LN2)), log_of(h.sum));
        lse[n] = is_nan(x) ? SF8_F32_NAN : bits_of(x);
    }
};

} // namespace attention

} // namespace kernels

#endif

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

/* An item is CHANNELS of a row, which share what is computed from the heads of the parts. */
struct attend_join {
    enum { TOGETHER = 8, CHANNELS = 4 };
    const uint32_t *pieces;
    const part *parts;
    const result *results;
    const float *v_scale; /* of each head of the cache */
    const float *sinks;   /* of each head of the queries, or NULL */
    void *out;
    uint32_t *lse;
    divider by_items; /* of a row */
    uint32_t count, dim, out_bits, out_exp, base2;

    SHIM_FN const uint32_t *at_piece(uint32_t piece) const
    {
        return pieces + static_cast<uint64_t>(piece) * (2 + dim);
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
        for (uint32_t i = at.first(); i < count * by_items.by; i += at.stride()) {
            const uint32_t n = by_items.of(i);
            row_of(results[n], n, (i - n * by_items.by) * CHANNELS);
        }
    }

    SHIM_FN static void add(head *h, float sum[CHANNELS], head after, const float *after_sum)
    {
        joint j = join_heads(*h, after);
        SHIM_UNROLL
        for (uint32_t c = 0; c < CHANNELS; c++)
            sum[c] = joined(j.take, sum[c], j.before, after_sum[c], j.after);
        *h = j.both;
    }

    /* Several parts are loaded before the first one is joined. Their words are at multiples of 8
     * bytes. */
    SHIM_FN void row_of(const result &r, uint32_t n, uint32_t channel) const
    {
        head all = nothing(), span = nothing();
        float all_sum[CHANNELS] = {}, span_sum[CHANNELS] = {};
        for (uint32_t k = 0; k < r.count; k += TOGETHER) {
            const uint32_t left = r.count - k;
            part p[TOGETHER];
            uint32_t of[TOGETHER][2], x[TOGETHER][CHANNELS];
            SHIM_UNROLL
            for (uint32_t i = 0; i < TOGETHER; i++)
                p[i] = parts[r.first + k + (i < left ? i : 0)];
            SHIM_UNROLL
            for (uint32_t i = 0; i < TOGETHER; i++) {
                const uint32_t *from = at_piece(p[i].piece);
                get8(of[i], from);
                get8(x[i], from + 2 + channel);
                get8(x[i] + 2, from + 4 + channel);
            }
            SHIM_UNROLL
            for (uint32_t i = 0; i < TOGETHER; i++) {
                if (i >= left)
                    continue;
                const head h = {float_of(of[i][0]), float_of(of[i][1])};
                float now[CHANNELS];
                for (uint32_t c = 0; c < CHANNELS; c++)
                    now[c] = float_of(x[i][c]);
                if (!p[i].begins) {
                    add(&span, span_sum, h, now);
                    continue;
                }
                add(&all, all_sum, span, span_sum);
                span = h;
                for (uint32_t c = 0; c < CHANNELS; c++)
                    span_sum[c] = now[c];
            }
        }
        add(&all, all_sum, span, span_sum);
        if (sinks) {
            const float none[CHANNELS] = {};
            float sink = ::kernels::sum(mul(sinks[r.head], float_of(SF8_F32_LOG2E)), 0.0f);
            add(&all, all_sum, {sink, 1.0f}, none);
        }
        SHIM_UNROLL
        for (uint32_t c = 0; c < CHANNELS; c++)
            put(r.out_at + channel + c,
                is_nothing(all) ? 0.0f : mul(div(all_sum[c], all.sum), v_scale[r.kv_head]));
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

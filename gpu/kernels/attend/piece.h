/* SPDX-License-Identifier: MIT */
/* piece.h -- what a block of a kernel of attention is: its phases, and what a lane keeps
 *
 * attend.h describes it. The functions of the phases are in files of their own.
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_PIECE_H
#define SOFTFP8_GPU_KERNELS_ATTEND_PIECE_H

#include "kernels/attend/stage.h"

namespace kernels
{

namespace attention
{

/* ---- a piece --------------------------------------------------------------------------------- */

/* Cache: read.h. Sums: by_fma, by_f16, by_bf16. tiles: of 8 rows; 1 with by_fma. wide: the number
 * of channels of a lane; 128 * wide are all channels. fixed: the number of elements of a key if it
 * is a constant, which is 128; else 0. */
template <class Cache, class Sums, int tiles, int wide, int fixed> struct attend_piece {
    static constexpr int threads = THREADS, rows = 8 * tiles;
    static constexpr uint32_t held = Sums::unit ? wide * 2 * tiles * 4 : wide * 8;
    static constexpr uint32_t rows_held = Sums::unit ? 2 * tiles : 8;
    static constexpr uint32_t each = rows / WARPS; /* rows whose weights a warp has */
    static constexpr bool packed = Cache::bits == 4 && fixed && Sums::unit && Sums::is_f16;
    /* Of a multiprocessor, at least. */
    static constexpr int blocks = tiles > 1 ? 2 : packed ? 5 : 4;
    static constexpr bool copied = packed || Cache::template copied<Sums>;
    static constexpr bool grouped = packed && Cache::grouped;
    static constexpr bool may_be_large = grouped && Cache::may_be_large;
    static constexpr uint32_t kept = packed ? 4 : Cache::kept; /* bits in shared memory */
    static constexpr uint32_t unit = kept / 8, units = fixed * kept / 128; /* bytes, 16 bytes */
    static_assert(!fixed || (fixed == THREADS && wide == 1 && tiles == 1), "not this number");

    /* SUMS is of one run of rows, MORE of several. LARGE_DOTS, and MORE, are also for chunks with
     * large scales. */
    enum {
        OPEN,
        STAGE,
        DOTS,
        LARGE_DOTS,
        SCORES,
        MOST,
        WEIGH,
        HEADS,
        SUMS,
        MORE,
        JOIN,
        CLOSE,
        phases
    };
    SHIM_BOTH static constexpr int unrolled(int p)
    {
        return tiles * wide > 1 ? 1 : p == SUMS || p == MORE ? 4 : is_dots(p) ? (fixed ? 8 : 2) : 1;
    }

    static constexpr int opening = STAGE, closing = CLOSE;

    /* Where in shared memory a lane reads and writes: codes of keys, without those of rows 8 more,
     * and of values; scores that it stores, and loads; weights likewise, of keys n and n + 32; B of
     * scores; factors; its row; factors that it prepares. */
    enum { K, V, DOT, SCORE, LOW, HIGH, WEIGHT, QUERY, K_FACTOR, V_FACTOR, ROW, FACTORS, AT };

    work w;
    uint32_t steps;

    struct lane {
        item t;
        sf8_attend_factor factor;
        uint32_t first, last; /* chunks of the piece */
        uint32_t block, slot; /* of a key of the chunk after the next */
        row_bases bases;      /* of keys, or of values */
        uint32_t place;       /* of its key, or value */
        uint32_t scale;       /* of a row of the next chunk, and its offset */
        uint32_t shared[each];
        uint32_t runs;                       /* of rows with equal masks, of this chunk */
        bool large, plain;                   /* a scale is, if DOTS is not run; one run, and no
                                                scale is */
        float score[each][2], highest[each]; /* of keys n and n + 32 of the warp's rows */
        float dot[Sums::unit ? 4 * tiles : 1];
        float sum[held], total[held]; /* of a chunk, of the span */
        head span;                    /* so far, of the lane's row of its warp */
        uint32_t a[Sums::unit ? 2 * wide : 1][4], b[Sums::unit ? tiles : 1][2];
        uint32_t b_next[2];              /* of the next step */
        uint32_t codes[4], factors[4];   /* of some steps, packed */
        scales_of<Cache, grouped> group; /* of the next chunk */
        uint32_t at[fixed ? AT : 1];     /* if they are kept */
        uint32_t places_at[2];           /* of the scales that it prepares */
    };

    template <int which> SHIM_FN static constexpr uint32_t offset(layout a, uint32_t number)
    {
        const uint32_t n = number % 32, warp = number / 32, r = n / 4, c = n % 4;
        switch (which) {
        case K:
            return (16 * warp + r) * a.k_stride + (packed ? 2 : 4 * unit) * c;
        case V:
            return a.v_at + (packed ? 16 * warp : c * a.v_stride + 4 * r);
        case DOT:
            return a.score_at + 4 * (2 * c * SCORE_STRIDE + 16 * warp + r);
        case SCORE:
            return a.score_at + 4 * (each * warp * SCORE_STRIDE + n);
        case LOW:
            return a.weight_at + each * warp * a.weight_stride + 2 * weight_place(n);
        case HIGH:
            return a.weight_at + each * warp * a.weight_stride + 2 * weight_place(n + 32);
        case WEIGHT:
            return a.weight_at + r * a.weight_stride + (fixed ? 32 : 8) * c;
        case QUERY:
            return a.q_at + r * a.q_stride + (fixed ? 16 : 8) * c;
        case K_FACTOR:
            return a.scale_at + (8 * warp + r) * (Cache::grouped ? 32 : 8);
        case V_FACTOR:
            return a.scale_at + PACKED_SCALES +
                   (Cache::grouped ? number / 16 * 128 + 32 * c : 64 * c);
        case FACTORS:
            if constexpr (grouped)
                return a.scale_at + group_scales<Cache>::factors_at(number);
            else
                return 0;
        default:
            return a.state_at + (each * warp + n % each) * static_cast<uint32_t>(sizeof(row_state));
        }
    }

    template <int which>
    SHIM_FN unsigned char *own(const lane &l, uint32_t number, unsigned char *shared) const
    {
        if constexpr (fixed)
            return shared + l.at[which];
        else
            return shared + offset<which>(w.lay, number);
    }

    template <int which> SHIM_FN void keep_all(lane &l, uint32_t number) const
    {
        if constexpr (which < AT) {
            l.at[which] = shim::keep(offset<which>(lay(), number));
            keep_all<which + 1>(l, number);
        }
    }

    SHIM_BOTH static constexpr layout laid_out(uint32_t dim)
    {
        return layout_of(dim, rows, kept, Sums::unit, copied, fixed != 0);
    }

    SHIM_FN layout lay() const
    {
        if constexpr (fixed) {
            constexpr layout all = laid_out(fixed);
            return all;
        } else {
            return w.lay;
        }
    }

    SHIM_BOTH static constexpr bool is_dots(int p)
    {
        return p == DOTS || p == LARGE_DOTS;
    }

    SHIM_BOTH static constexpr bool is_product(int p)
    {
        return is_dots(p) || p == SUMS || p == MORE;
    }

    SHIM_BOTH static constexpr int after(int p)
    {
        return p == MOST                     ? shim::HIGHEST
               : p == WEIGH                  ? shim::JOINED
               : Sums::unit && is_product(p) ? shim::EXECUTED
                                             : shim::ALONE;
    }

    /* Operands of later ones are loaded without conditions. */
    SHIM_BOTH static constexpr bool meets(int p, uint32_t i)
    {
        return !fixed || (is_dots(p) ? i == 0 : i % 4 == 0);
    }

    SHIM_BOTH static constexpr bool barrier(int p)
    {
        return p == OPEN || p == STAGE || p == SCORES || p == HEADS || p == JOIN || p == CLOSE;
    }

    uint32_t room() const
    {
        return w.lay.all;
    }

    /* -- chunks -- */

    SHIM_FN uint32_t first_chunk(const item &t) const
    {
        uint32_t first = t.from / CHUNK;
        return first > t.first_chunk ? first : t.first_chunk;
    }

    SHIM_FN uint32_t last_chunk(const item &t) const
    {
        uint32_t last = (t.to + CHUNK - 1) / CHUNK;
        return last < t.last_chunk ? last : t.last_chunk;
    }

    SHIM_FN uint32_t rounds(shim::stage at) const
    {
        const item &t = w.items[at.step];
        uint32_t first = first_chunk(t), last = last_chunk(t);
        return last > first ? last - first : 0;
    }

    /* The last chunk of a span, or of its part in this piece. */
    SHIM_FN bool ends(shim::stage at, const lane &l) const
    {
        const uint32_t next = l.first + at.round + 1;
        return (next & w.span_mask) == 0 || next == l.last;
    }

    SHIM_FN uint32_t first_key(shim::stage at, const lane &l) const
    {
        return (l.first + at.round) * CHUNK;
    }

    /* Each row sees all keys of the chunk. */
    SHIM_FN bool whole(shim::stage at, const lane &l) const
    {
        const uint32_t first = first_key(at, l);
        return l.t.inner_from <= first && first + CHUNK <= l.t.inner_to;
    }

    /* The chunk has a scale for which codes are enlarged. */
    SHIM_FN bool is_large(shim::stage at, unsigned char *shared) const
    {
        return may_be_large && state(shared).large == at.round + 1;
    }

    /* Scales of whole rows. */
    SHIM_FN static bool by_row(const side &s)
    {
        return Cache::bits == 4 ? !Cache::grouped : s.by_row != 0;
    }

    /* The places of the keys and values of this round. */
    SHIM_FN unsigned char *chunk_at(shim::stage at, unsigned char *shared) const
    {
        return shared + (at.round % 2) * lay().next;
    }

    SHIM_FN shared_state<rows> &state(unsigned char *shared) const
    {
        return *reinterpret_cast<shared_state<rows> *>(shared + lay().state_at);
    }

    SHIM_FN float *score(unsigned char *shared, uint32_t r) const
    {
        return reinterpret_cast<float *>(shared + lay().score_at) + r * SCORE_STRIDE;
    }

    /* -- phases -- */

    template <int p>
    SHIM_FN uint32_t times(shim::stage at, const lane &l, unsigned char *shared) const
    {
        if constexpr (p == DOTS)
            return !Sums::unit ? 1 : is_large(at, shared) ? 0 : lay().dim / 16;
        else if constexpr (p == LARGE_DOTS)
            return may_be_large && l.large ? lay().dim / 16 : 0;
        else if constexpr (p == SUMS)
            return !Sums::unit ? 1 : l.plain ? 4 : 0;
        else if constexpr (p == MORE)
            return Sums::unit && !l.plain ? 4 * l.runs : 0;
        else
            return 1;
    }

    template <int p>
    SHIM_FN void run(shim::stage at, uint32_t i, uint32_t number, lane &l,
                     unsigned char *shared) const
    {
        if constexpr (p == OPEN)
            open(at, number, l, shared);
        else if constexpr (p == STAGE)
            stage(at, number, l, shared);
        else if constexpr (p == DOTS && Sums::unit)
            dot_operands<false>(at, i, number, l, shared);
        else if constexpr (p == LARGE_DOTS && may_be_large)
            dot_operands<true>(at, i, number, l, shared);
        else if constexpr (p == LARGE_DOTS)
            (void)0;
        else if constexpr (p == DOTS)
            dots(at, number, l, shared);
        else if constexpr (p == SCORES)
            scores(at, number, l, shared);
        else if constexpr (p == MOST)
            find_most(at, number, l, shared);
        else if constexpr (p == WEIGH)
            weigh(at, number, l, shared);
        else if constexpr (p == HEADS)
            join_row(at, number, l, shared);
        else if constexpr (p == SUMS && Sums::unit)
            sum_operands<true>(at, 0, i, number, l, shared);
        else if constexpr (p == MORE && Sums::unit)
            sum_operands<false>(at, i / 4, i % 4, number, l, shared);
        else if constexpr (p == SUMS)
            sums(at, number, l, shared);
        else if constexpr (p == MORE)
            (void)0;
        else if constexpr (p == JOIN)
            join_last(at, number, l, shared);
        else
            close(at, number, l, shared);
    }

    template <int p> SHIM_FN static uint32_t join(uint32_t a, uint32_t b)
    {
        return bits_of(::kernels::sum(float_of(a), float_of(b)));
    }

#if defined(__CUDA_ARCH__)
    template <int p> static __device__ __forceinline__ void execute(lane &l)
    {
        if constexpr (is_dots(p)) {
#pragma unroll
            for (int t = 0; t < tiles; t++)
                multiply<Sums::is_f16>(l.dot + 4 * t, l.a[0], l.b[t]);
        } else {
#pragma unroll
            for (int m = 0; m < 2 * wide; m++)
#pragma unroll
                for (int t = 0; t < tiles; t++)
                    multiply<Sums::is_f16>(l.sum + 4 * (m * tiles + t), l.a[m], l.b[t]);
        }
    }
#elif defined(__CUDACC__)
    template <int p> static __device__ void execute(lane &)
    {
    }
#else
    template <int p> void execute_all(lane *l) const
    {
        for (int m = 0; m < (is_dots(p) ? 1 : 2 * wide); m++)
            for (int t = 0; t < tiles; t++) {
                registers r[32];
                for (int n = 0; n < 32; n++) {
                    float *d = is_dots(p) ? l[n].dot + 4 * t : l[n].sum + 4 * (m * tiles + t);
                    memcpy(r[n].a, l[n].a[m], sizeof r[n].a);
                    memcpy(r[n].b, l[n].b[t], sizeof r[n].b);
                    memcpy(r[n].d, d, sizeof r[n].d);
                }
                multiply_all(r);
                for (int n = 0; n < 32; n++)
                    memcpy(is_dots(p) ? l[n].dot + 4 * t : l[n].sum + 4 * (m * tiles + t), r[n].d,
                           sizeof r[n].d);
            }
    }
#endif

    /* -- begin.h -- */

    SHIM_FN void open(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    SHIM_FN static uint32_t query_place(uint32_t d);
    SHIM_FN void stage(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    SHIM_FN void read_scales(shim::stage at, uint32_t number, lane &l, bool more,
                             shared_state<rows> &s, unsigned char *factors) const;
    SHIM_FN void read_groups(shim::stage at, uint32_t number, lane &l, bool more,
                             shared_state<rows> &s, unsigned char *shared) const;

    /* -- scores.h -- */

    SHIM_FN float score_of(const sf8_attend_factor &f, float dot, float k_scale) const;
    SHIM_FN float with_cap(const lane &l, float x) const;
    template <bool large>
    SHIM_FN void dot_operands(shim::stage at, uint32_t i, uint32_t number, lane &l,
                              unsigned char *shared) const;
    SHIM_FN void get_tiles(lane &l, const unsigned char *from, uint32_t more) const;
    SHIM_FN void get_two(uint32_t i, lane &l, const unsigned char *from) const;
    template <bool large>
    SHIM_FN void packed_keys(shim::stage at, uint32_t i, uint32_t number, lane &l,
                             unsigned char *shared) const;
    SHIM_FN void get_factors(lane &l, const unsigned char *from) const;
    SHIM_FN void dots(shim::stage at, uint32_t number, const lane &l, unsigned char *shared) const;
    SHIM_FN void count_runs(shim::stage at, const lane &l, shared_state<rows> &s) const;
    SHIM_FN void scores(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    SHIM_FN static uint32_t key_of(uint32_t number, uint32_t i);

    /* -- weights.h -- */

    SHIM_FN bool looks(const row_state &s, uint32_t key) const;
    SHIM_FN void find_most(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    SHIM_FN void weigh(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    template <bool all>
    SHIM_FN void weigh_rows(uint32_t number, lane &l, unsigned char *shared) const;
    SHIM_FN static uint32_t weight_place(uint32_t key);
    SHIM_FN void put_weights(const lane &l, uint32_t i, uint32_t number, const float *weight,
                             unsigned char *shared) const;
    SHIM_FN float *weights_of(unsigned char *shared, uint32_t key) const;
    SHIM_FN void join_row(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;

    /* -- values.h -- */

    SHIM_FN static uint32_t channel_of(uint32_t number, uint32_t n);
    SHIM_FN static uint32_t row_of(uint32_t number, uint32_t n);
    SHIM_FN void four_values(uint32_t word[4], const unsigned char *from, uint64_t mask,
                             bool all) const;
    template <bool one>
    SHIM_FN void sum_operands(shim::stage at, uint32_t run, uint32_t block, uint32_t number,
                              lane &l, unsigned char *shared) const;
    template <bool one>
    SHIM_FN void packed_values(shim::stage at, uint32_t block, uint32_t number, lane &l,
                               unsigned char *shared, uint64_t mask) const;
    SHIM_FN static void mask_values(uint32_t block, lane &l, uint64_t mask);
    SHIM_FN void sums(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    template <bool all>
    SHIM_FN void sum_channel(float *sum, const unsigned char *v, unsigned char *shared) const;
    SHIM_FN void join_run(shim::stage at, uint32_t run, uint32_t number, lane &l,
                          unsigned char *shared) const;
    template <bool all>
    SHIM_FN void join_rows(uint32_t low, uint32_t high, uint32_t number, lane &l,
                           unsigned char *shared) const;
    SHIM_FN static uint32_t held_row(uint32_t number, uint32_t k);
    SHIM_BOTH static constexpr uint32_t row_number(uint32_t i);
    SHIM_FN void put_span(shim::stage at, uint32_t low, uint32_t high, uint32_t number, lane &l,
                          unsigned char *shared) const;
    SHIM_FN void join_last(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const;
    SHIM_FN void close(shim::stage at, uint32_t number, const lane &l, unsigned char *shared) const;
};

/* What its functions begin with, where they are defined. */
#define ATTEND_PIECE template <class Cache, class Sums, int tiles, int wide, int fixed>
#define ATTEND_OF attend_piece<Cache, Sums, tiles, wide, fixed>

} // namespace attention

} // namespace kernels

#endif

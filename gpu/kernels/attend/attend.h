/* SPDX-License-Identifier: MIT */
/* attend.h -- the kernels: attention over the image of a cache, by the definition of
 * <softfp8/attend/attend.h>
 *
 * A block has a piece: up to 8 * tiles rows, which are queries of one head of the cache, and some
 * consecutive chunks of its keys. Its 128 lanes copy 64 keys and values to shared memory (stage.h),
 * compute scores and weights from them, and then sums of values, which are joined in registers. At
 * the end of a span they are joined to the result of the piece in memory. So a piece is the whole
 * request, a span, or a chunk, and its rows are those of one request or of several that share these
 * keys. A second kernel joins the pieces of each row.
 *
 * With a unit the products are mma.m16n8k16: 16 keys are the rows of A for scores, 16 channels for
 * sums, and queries are the columns. The 16 products of one instruction are summed at once, so that
 * their assignment to registers is free. Lane r, c of a warp, r = lane / 4, c = lane % 4, has
 *
 *     A of scores, row r or r + 8   elements 4 c to 4 c + 3 of the block of 16, 4 bytes of 8 bits;
 *                                   packed ones in the order 0, 2, 1, 3
 *     A of sums, row r or r + 8     keys c, c + 4, c + 8, c + 12; for each the channels that a
 *                                   32-bit word has, four of 8 bits or two of 16: rows of one or
 *                                   two tiles. Packed: keys 2 c, 2 c + 1, 2 c + 8, 2 c + 9, four
 *                                   channels
 *     B                             the same elements, or keys, of row r of the piece
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_H
#define SOFTFP8_GPU_KERNELS_ATTEND_H

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
        bool large, plain;                   /* a scale is; one run, and no scale is */
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
            return is_large(at, shared) ? lay().dim / 16 : 0;
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

    /* -- keys, values, queries -- */

    /* Rows that do not exist have no output, and read what the last row reads. */
    SHIM_FN void open(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        l.t = w.items[at.step];
        l.first = shim::keep(first_chunk(l.t));
        l.last = shim::keep(last_chunk(l.t));
        l.span = nothing();
        l.large = false;
        for (float &x : l.total)
            x = 0.0f;
        l.factor = w.factors[l.t.head];
        if constexpr (fixed)
            keep_all<0>(l, number);
        if constexpr (grouped)
            for (int i = 0; i < 2; i++)
                l.places_at[i] = shim::keep(group_scales<Cache>::place_of(number, i));
        const item &t = l.t;
        if (number == 0)
            state(shared).large = 0;
        for (uint32_t r = number; r < rows; r += threads) {
            const row &from = w.rows[t.first_row + (r < t.rows ? r : t.rows - 1)];
            row_state s = {0, 0, 0, 0, nothing().most, 0, 0, 0, from.from, from.to, 0};
            state(shared).row[r] = s;
        }
        const uint32_t key = l.first * CHUNK + number; /* of two chunks */
        const uint32_t block = block_of(w, t, key), slot = slot_of(w, key);
        for (int value = 0; value < 2; value++)
            put_place<Cache>(w.of(value), bases_of(w, t, value), state(shared).at[number / CHUNK],
                             place_at(value, number % CHUNK), slot, block);
        const row_bases own_bases = bases_of(w, t, number >= CHUNK);
        l.bases = {shim::keep(own_bases.row), shim::keep(own_bases.scales)};
        l.place = shim::keep(place_at(number >= CHUNK, number % CHUNK));
        for (uint32_t i = number; i < rows * lay().dim / 2; i += threads) {
            uint32_t r = i / (lay().dim / 2), d = i % (lay().dim / 2) * 2;
            float low = 0.0f, high = 0.0f;
            if (r < t.rows) {
                low = query(w, w.rows[t.first_row + r].q_at + d);
                high = query(w, w.rows[t.first_row + r].q_at + d + 1);
            }
            unsigned char *to = shared + lay().q_at + r * lay().q_stride;
            if constexpr (fixed) {
                const uint32_t two = Sums::narrow(low, high);
                put2(to + query_place(d), two & 0xffff);
                put2(to + query_place(d + 1), two >> 16);
            } else if constexpr (Sums::unit) {
                put4(to + 2 * d, Sums::narrow(low, high));
            } else {
                put4(to + 4 * d, bits_of(low));
                put4(to + 4 * d + 4, bits_of(high));
            }
        }
    }

    /* Of an element of a query: those of two steps are together for each lane c. The packed codes
     * that a register has are not neighbours. */
    SHIM_FN static uint32_t query_place(uint32_t d)
    {
        const uint32_t k = packed ? d % 2 * 2 + d % 4 / 2 : d % 4;
        return d / 32 * 64 + d % 16 / 4 * 16 + d / 16 % 2 * 8 + 2 * k;
    }

    SHIM_FN void stage(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        shared_state<rows> &s = state(shared);
        const uint32_t first = first_key(at, l), next = first + CHUNK, which = at.round % 2;
        const bool more = l.first + at.round + 1 < l.last;
        if constexpr (copied) {
            if (at.round == 0) {
                bring_chunk<units>(w, lay(), l.t, s.at[0], first, number, shared);
                shim::commit(number);
            }
            if (more)
                bring_chunk<units>(w, lay(), l.t, s.at[1 - which], next, number,
                                   shared + (1 - which) * lay().next);
            shim::commit(number);
        } else {
            convert_chunk<Cache, Sums>(w, lay(), l.t, s.at[which], first, number, shared);
        }
        const uint32_t then = next + CHUNK + number % CHUNK;
        const uint32_t back = w.by_slots.of(then);
        const bool seen = looked_at(l.t, then);
        l.slot = then - back * w.by_slots.by;
        if constexpr (grouped)
            read_groups(at, number, l, more, s, shared);
        else
            read_scales(at, number, l, more, s, shared + lay().scale_at);
        /* Loaded last: the scales would be awaited together with it. */
        l.block = seen ? w.blocks[l.t.table + back] : 0;
        for (uint32_t r = number; r < rows && !whole(at, l); r += threads)
            s.row[r].mask = mask_of(first, s.row[r].from, s.row[r].to);
        if constexpr (copied)
            shim::template arrived<1>(number);
    }

    /* Those of the next chunk are loaded while lanes compute. */
    SHIM_FN void read_scales(shim::stage at, uint32_t number, lane &l, bool more,
                             shared_state<rows> &s, unsigned char *factors) const
    {
        const uint32_t first = first_key(at, l), which = at.round % 2;
        constexpr uint32_t offset = Cache::bits == 4 ? 15 : 0;
        if (at.round == 0)
            l.scale = own_scale<Cache>(w, l.t, s.at[0], first, number);
        (number < CHUNK ? s.k_scale : s.v_scale)[number % CHUNK] = float_of(l.scale & ~offset);
        if constexpr (packed)
            put_row_factors<Cache>(l.scale, number, factors);
        if (more)
            l.scale = own_scale<Cache>(w, l.t, s.at[1 - which], first + CHUNK, number);
    }

    SHIM_FN void read_groups(shim::stage at, uint32_t number, lane &l, bool more,
                             shared_state<rows> &s, unsigned char *shared) const
    {
        const uint32_t first = first_key(at, l), which = at.round % 2;
        if (at.round == 0)
            l.group.get(w, l.t, s.at[0], first, number, l.places_at);
        l.group.put(number, own<FACTORS>(l, number, shared), &s.large, at.round + 1);
        if (more)
            l.group.get(w, l.t, s.at[1 - which], first + CHUNK, number, l.places_at);
    }

    /* -- scores -- */

    SHIM_FN float score_of(const sf8_attend_factor &f, float dot, float k_scale) const
    {
        return mul(by_row(w.k) ? mul(dot, k_scale) : dot, float_of(f.scale));
    }

    SHIM_FN float with_cap(const lane &l, float x) const
    {
        return capped(x, float_of(l.factor.per_cap), float_of(l.factor.cap_log2e));
    }

    /* Lane r, c of warp n: keys 16 n + r and 8 more. */
    template <bool large>
    SHIM_FN void dot_operands(shim::stage at, uint32_t i, uint32_t number, lane &l,
                              unsigned char *shared) const
    {
        if (i == 0) {
            l.large = large;
            for (float &x : l.dot)
                x = 0.0f;
        }
        if constexpr (packed)
            packed_keys<large>(at, i, number, l, shared);
        SHIM_UNROLL
        for (uint32_t low = 0; low < 2 && !packed; low++) {
            const unsigned char *from = own<K>(l, number, chunk_at(at, shared)) +
                                        8 * low * lay().k_stride + 16 * i * unit;
            if constexpr (kept == 8) {
                uint32_t four = get4(from);
                l.a[0][low] = Cache::template operands<Sums>(four & 0xffff);
                l.a[0][low + 2] = Cache::template operands<Sums>(four >> 16);
            } else {
                uint32_t two[2];
                get8(two, from);
                l.a[0][low] = two[0];
                l.a[0][low + 2] = two[1];
            }
        }
        const unsigned char *queries = own<QUERY>(l, number, shared);
        if constexpr (fixed)
            get_two(i, l, queries + i / 2 * 64);
        else
            get_tiles(l, queries + 32 * i, 8 * lay().q_stride);
    }

    /* B of the tiles, whose rows are `more` bytes apart. */
    SHIM_FN void get_tiles(lane &l, const unsigned char *from, uint32_t more) const
    {
        SHIM_UNROLL
        for (uint32_t t = 0; t < tiles; t++)
            get8(l.b[t], from + t * more);
    }

    /* B of step i; with even i that of the next step too. */
    SHIM_FN void get_two(uint32_t i, lane &l, const unsigned char *from) const
    {
        if (i % 2) {
            l.b[0][0] = l.b_next[0];
            l.b[0][1] = l.b_next[1];
            return;
        }
        const packet p = get16(from);
        l.b[0][0] = p.word[0];
        l.b[0][1] = p.word[1];
        l.b_next[0] = p.word[2];
        l.b_next[1] = p.word[3];
    }

    /* Lane r, c: four codes of keys 16 n + r and 8 more, and their factors. */
    template <bool large>
    SHIM_FN void packed_keys(shim::stage at, uint32_t i, uint32_t number, lane &l,
                             unsigned char *shared) const
    {
        const unsigned char *from = own<K>(l, number, chunk_at(at, shared)) + 8 * i;
        const unsigned char *factors = own<K_FACTOR>(l, number, shared);
        if (Cache::grouped && i % 4 == 0)
            get_factors(l, factors + 4 * i);
        if (!Cache::grouped && i == 0)
            get8(l.factors, factors);
        Cache::template keys<large>(l.a[0], get2(from), get2(from + 8 * lay().k_stride),
                                    l.factors + (Cache::grouped ? i % 4 : 0));
    }

    SHIM_FN void get_factors(lane &l, const unsigned char *from) const
    {
        const packet p = get16(from);
        SHIM_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            l.factors[k] = p.word[k];
    }

    /* By fma: lane n has key n % 64 and four rows. Eighths are added as soon as two are
     * computed. */
    SHIM_FN void dots(shim::stage at, uint32_t number, const lane &l, unsigned char *shared) const
    {
        const uint32_t key = number % CHUNK, first = number / CHUNK * 4, eighth = lay().dim / 8;
        const unsigned char *k = chunk_at(at, shared) + key * lay().k_stride;
        const float *q = reinterpret_cast<const float *>(shared + lay().q_at) + first * lay().dim;
        float before[3][4], now[4] = {0, 0, 0, 0};
        SHIM_UNROLL
        for (uint32_t n = 0; n < 8; n++) {
            for (float &x : now)
                x = 0.0f;
            for (uint32_t d = n * eighth; d < (n + 1) * eighth; d += 2) {
                float x[2];
                Cache::wide2(x, k + d * unit);
                SHIM_UNROLL
                for (uint32_t r = 0; r < 4; r++) {
                    now[r] = fused(q[r * lay().dim + d], x[0], now[r]);
                    now[r] = fused(q[r * lay().dim + d + 1], x[1], now[r]);
                }
            }
            SHIM_UNROLL
            for (uint32_t r = 0; r < 4; r++) {
                if (n & 1)
                    now[r] = ::kernels::sum(before[0][r], now[r]);
                if ((n & 3) == 3)
                    now[r] = ::kernels::sum(before[1][r], now[r]);
                if ((n & 7) == 7)
                    now[r] = ::kernels::sum(before[2][r], now[r]);
                before[n & 1 ? n & 2 ? 2 : 1 : 0][r] = now[r];
            }
        }
        for (uint32_t r = 0; r < 4; r++) {
            const float x = score_of(l.factor, now[r], state(shared).k_scale[key]);
            score(shared, first + r)[key] = l.factor.per_cap == 0 ? x : with_cap(l, x);
        }
    }

    /* There are several runs only if the chunk is at the edge of what some rows see. Sums by fma
     * treat each row separately: one run. */
    SHIM_FN void count_runs(shim::stage at, const lane &l, shared_state<rows> &s) const
    {
        const item &t = l.t;
        const uint32_t first = first_key(at, l), end = first + CHUNK;
        uint32_t n = 0;
        bool same = (t.inner_from == t.from || t.inner_from <= first) &&
                    (t.inner_to == t.to || t.inner_to >= end);
        same = same || !Sums::unit;
        s.begin[n++] = 0;
        for (uint32_t r = 1; r < rows && !same; r++)
            if (s.row[r].mask != s.row[r - 1].mask)
                s.begin[n++] = r;
        s.runs = n;
        s.begin[n] = rows;
    }

    SHIM_FN void scores(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        shared_state<rows> &s = state(shared);
        if (number == 0 && !whole(at, l))
            count_runs(at, l, s);
        if constexpr (Sums::unit) {
            SHIM_UNROLL
            for (uint32_t i = 0; i < 4 * tiles; i++)
                l.dot[i] = score_of(l.factor, l.dot[i], s.k_scale[key_of(number, i)]);
            if (l.factor.per_cap != 0)
                for (float &x : l.dot)
                    x = with_cap(l, x);
            SHIM_UNROLL
            for (uint32_t i = 0; i < 4 * tiles; i++)
                reinterpret_cast<float *>(own<DOT>(
                    l, number,
                    shared))[(i / 4 * 8 + i % 2) * SCORE_STRIDE + (i & 2 ? 8 : 0)] = l.dot[i];
        }
    }

    /* Of a lane's i-th score. */
    SHIM_FN static uint32_t key_of(uint32_t number, uint32_t i)
    {
        return number / 32 * 16 + number % 32 / 4 + (i & 2 ? 8 : 0);
    }

    /* -- weights: a lane has keys n and n + 32 of each row of its warp -- */

    SHIM_FN bool looks(const row_state &s, uint32_t key) const
    {
        return (s.mask >> key & 1) != 0;
    }

    SHIM_FN void find_most(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        const uint32_t n = number % 32;
        const bool all = whole(at, l);
        l.runs = all ? 1 : state(shared).runs;
        l.plain = l.runs == 1 && !l.large;
        const float *own_scores = reinterpret_cast<const float *>(own<SCORE>(l, number, shared));
        SHIM_UNROLL
        for (uint32_t i = 0; i < each; i++) {
            const uint32_t r = number / 32 * each + i;
            const row_state &s = state(shared).row[r];
            uint32_t x[2];
            SHIM_UNROLL
            for (uint32_t k = 0; k < 2; k++) {
                l.score[i][k] = own_scores[i * SCORE_STRIDE + 32 * k];
                x[k] = ordered(l.score[i][k]);
            }
            if (!all) {
                const uint32_t least = ordered(nothing().most);
                x[0] = looks(s, n) ? x[0] : least;
                x[1] = looks(s, n + 32) ? x[1] : least;
            }
            l.shared[i] = x[0] > x[1] ? x[0] : x[1];
        }
    }

    SHIM_FN void weigh(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        if (whole(at, l))
            weigh_rows<true>(number, l, shared);
        else
            weigh_rows<false>(number, l, shared);
    }

    /* all: each row sees all keys. */
    template <bool all>
    SHIM_FN void weigh_rows(uint32_t number, lane &l, unsigned char *shared) const
    {
        const shared_state<rows> &s = state(shared);
        SHIM_UNROLL
        for (uint32_t i = 0; i < each; i++) {
            const uint32_t r = number / 32 * each + i;
            const float high = ::kernels::sum(float_of_ordered(l.shared[i]), 0.0f); /* no -0 */
            float weight[2], by_scale[2];
            SHIM_UNROLL
            for (uint32_t k = 0; k < 2; k++) {
                const uint32_t key = number % 32 + 32 * k;
                const bool takes = (all || looks(s.row[r], key)) && !is_nothing({high, 0.0f});
                const float power = power_to_one(less(l.score[i][k], high));
                weight[k] = takes ? power : 0.0f;
                by_scale[k] = weight[k];
                if (by_row(w.v))
                    by_scale[k] = takes ? mul(power, s.v_scale[key]) : 0.0f;
            }
            l.highest[i] = high;
            l.shared[i] = bits_of(::kernels::sum(weight[0], weight[1]));
            put_weights(l, i, number, by_scale, shared);
        }
    }

    /* Among the weights of a row. */
    SHIM_FN static uint32_t weight_place(uint32_t key)
    {
        const uint32_t block = key / 16, n = key % 16;
        if constexpr (packed)
            return n % 8 / 2 * 16 + 4 * block + n / 8 * 2 + n % 2;
        else if constexpr (fixed)
            return n % 4 * 16 + 4 * block + n / 4;
        else
            return 16 * block + n % 4 * 4 + n / 4;
    }

    /* Of keys n and n + 32, and the warp's row i. */
    SHIM_FN void put_weights(const lane &l, uint32_t i, uint32_t number, const float *weight,
                             unsigned char *shared) const
    {
        const uint32_t r = number / 32 * each + i, n = number % 32;
        if constexpr (Sums::unit) {
            const uint32_t both = Sums::narrow(weight[0], weight[1]);
            put2(own<LOW>(l, number, shared) + i * lay().weight_stride, both & 0xffff);
            put2(own<HIGH>(l, number, shared) + i * lay().weight_stride, both >> 16);
        } else {
            weights_of(shared, n)[r] = weight[0];
            weights_of(shared, n + 32)[r] = weight[1];
        }
    }

    /* By fma: the weights of 8 rows together. */
    SHIM_FN float *weights_of(unsigned char *shared, uint32_t key) const
    {
        return reinterpret_cast<float *>(shared + lay().weight_at) + key * rows;
    }

    /* Lane i of a warp has its i-th row. Values are selected by masks: a condition would require
     * that the lane's values have addresses. */
    SHIM_FN void join_row(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        uint32_t highest = 0, weights = 0;
        SHIM_UNROLL
        for (uint32_t i = 0; i < each; i++) {
            const uint32_t own = 0u - static_cast<uint32_t>(number % 32 == i);
            highest |= bits_of(l.highest[i]) & own;
            weights |= l.shared[i] & own;
        }
        if (number % 32 >= each)
            return;
        row_state &s = *reinterpret_cast<row_state *>(own<ROW>(l, number, shared));
        joint j = join_heads(l.span, {float_of(highest), float_of(weights)});
        put16(&s, {{bits_of(j.before), bits_of(j.after), j.take, 0}});
        l.span = j.both;
        if (!ends(at, l))
            return;
        j = join_spans({s.whole_most, s.whole_sum}, l.span);
        l.span = {nothing().most, 0.0f};
        s.whole_most = j.both.most;
        s.whole_sum = j.both.sum;
        s.whole_before = j.before;
        s.whole_after = j.after;
        s.whole_take = j.take;
    }

    /* -- sums of values -- */

    /* Where the n-th sum of a lane is: a channel, a row. */
    SHIM_FN static uint32_t channel_of(uint32_t number, uint32_t n)
    {
        if constexpr (!Sums::unit)
            return number + n / 8 * threads;
        const uint32_t m = n / (4 * tiles), r = number % 32 / 4, half = n % 4 / 2;
        const uint32_t group = 32 * (number / 32 + m / 2 * WARPS);
        if constexpr (kept <= 8)
            return group + 4 * r + m % 2 * 2 + half;
        return group + m % 2 * 16 + 2 * r + half;
    }

    SHIM_FN static uint32_t row_of(uint32_t number, uint32_t n)
    {
        if constexpr (!Sums::unit)
            return n % 8;
        return n / 4 % tiles * 8 + number % 4 * 2 + n % 2;
    }

    /* Values of four keys; those that the run does not see are 0. */
    SHIM_FN void four_values(uint32_t word[4], const unsigned char *from, uint64_t mask,
                             bool all) const
    {
        SHIM_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            word[k] = get4(from + 4 * k * lay().v_stride);
        if (all)
            return;
        SHIM_UNROLL
        for (uint32_t k = 0; k < 4; k++)
            if (!(mask >> 4 * k & 1))
                word[k] = 0;
    }

    /* Block `block` of a run of rows; one: it is the only one, and no scale is large. */
    template <bool one>
    SHIM_FN void sum_operands(shim::stage at, uint32_t run, uint32_t block, uint32_t number,
                              lane &l, unsigned char *shared) const
    {
        const uint32_t c = number % 4;
        uint64_t mask = ~uint64_t{0};
        if (!one && l.runs > 1) {
            const shared_state<rows> &s = state(shared);
            mask = s.row[s.begin[run]].mask >> (16 * block + (packed ? 2 * c : c));
        }
        if (block == 0) {
            if (run > 0)
                join_run(at, run - 1, number, l, shared);
            for (float &x : l.sum)
                x = 0.0f;
        }
        if constexpr (packed)
            packed_values<one>(at, block, number, l, shared, mask);
        SHIM_UNROLL
        for (uint32_t g = 0; g < wide && !packed; g++) {
            const uint32_t group = 32 * (number / 32 + g * WARPS);
            const unsigned char *from = own<V>(l, number, chunk_at(at, shared)) +
                                        16 * block * lay().v_stride;
            uint32_t word[4] = {0, 0, 0, 0};
            if constexpr (kept == 8) {
                if (group < lay().dim)
                    four_values(word, from + group, mask, one);
                SHIM_UNROLL
                for (uint32_t n = 0; n < 4; n++) {
                    uint32_t which = (4 + n) << 4 | n; /* byte n of two 32-bit words */
                    uint32_t two = permute(word[0], word[1], which);
                    uint32_t more = permute(word[2], word[3], which);
                    l.a[2 * g + n / 2][n % 2] = Cache::template operands<Sums>(two & 0xffff);
                    l.a[2 * g + n / 2][n % 2 + 2] = Cache::template operands<Sums>(more & 0xffff);
                }
            } else {
                SHIM_UNROLL
                for (uint32_t m = 0; m < 2; m++) {
                    if (group < lay().dim)
                        four_values(word, from + (group + 16 * m) * 2, mask, one);
                    for (uint32_t n = 0; n < 2; n++) {
                        uint32_t which = n ? 0x7632 : 0x5410;
                        l.a[2 * g + m][n] = permute(word[0], word[1], which);
                        l.a[2 * g + m][n + 2] = permute(word[2], word[3], which);
                    }
                }
            }
        }
        const unsigned char *weights = own<WEIGHT>(l, number, shared);
        if constexpr (fixed)
            get_two(block, l, weights + 8 * block);
        else
            get_tiles(l, weights + 32 * block, 8 * lay().weight_stride);
    }

    /* Lane r, c: channels 4 r to 4 r + 3 of the warp's 32, of keys 2 c, 2 c + 1, 2 c + 8 and 2 c +
     * 9 of the block. Codes of two blocks are loaded together. */
    template <bool one>
    SHIM_FN void packed_values(shim::stage at, uint32_t block, uint32_t number, lane &l,
                               unsigned char *shared, uint64_t mask) const
    {
        const unsigned char *factors = own<V_FACTOR>(l, number, shared);
        if (block % 2 == 0)
            shim::get_columns(number, l.codes,
                              own<V>(l, number, chunk_at(at, shared)) + 16 * block * lay().v_stride,
                              lay().v_stride);
        if (!Cache::grouped)
            get_factors(l, factors + 16 * block);
        else if (block % 2 == 0)
            get_factors(l, factors + 8 * block);
        if (!one)
            mask_values(block, l, mask);
        SHIM_UNROLL
        for (uint32_t h = 0; h < 2; h++) {
            uint32_t v[4];
            const uint32_t n = block % 2 * 2 + h;
            Cache::template values<may_be_large && !one>(v, l.codes[n],
                                                         l.factors + (Cache::grouped ? n : 2 * h));
            l.a[0][2 * h] = v[0];
            l.a[0][2 * h + 1] = v[1];
            l.a[1][2 * h] = v[2];
            l.a[1][2 * h + 1] = v[3];
        }
    }

    /* Values that the run does not see become 0: of the factors that were just loaded. */
    SHIM_FN static void mask_values(uint32_t block, lane &l, uint64_t mask)
    {
        if (Cache::grouped && block % 2)
            return;
        SHIM_UNROLL
        for (uint32_t h = 0; h < (Cache::grouped ? 4 : 2); h++) {
            const uint32_t seen = static_cast<uint32_t>(mask >> 8 * h);
            if (Cache::grouped)
                Cache::mask_values(l.codes[h], l.factors + h, seen);
            else
                Cache::mask_values(l.codes[block % 2 * 2 + h], l.factors + 2 * h, seen);
        }
    }

    SHIM_FN void sums(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        for (float &x : l.sum)
            x = 0.0f;
        SHIM_UNROLL
        for (uint32_t g = 0; g < wide; g++) {
            const uint32_t channel = number + g * threads;
            if (channel >= lay().dim)
                continue;
            const unsigned char *v = chunk_at(at, shared) + lay().v_at + channel * unit;
            if (whole(at, l))
                sum_channel<true>(l.sum + 8 * g, v, shared);
            else
                sum_channel<false>(l.sum + 8 * g, v, shared);
        }
    }

    /* For 8 rows; with `all` each sees all keys. */
    template <bool all>
    SHIM_FN void sum_channel(float *sum, const unsigned char *v, unsigned char *shared) const
    {
        const shared_state<rows> &s = state(shared);
        for (uint32_t j = 0; j < CHUNK; j++) {
            const packet *four = reinterpret_cast<const packet *>(weights_of(shared, j));
            const packet low = four[0], high = four[1];
            const float x = Cache::wide(v + j * lay().v_stride);
            SHIM_UNROLL
            for (uint32_t r = 0; r < 8; r++)
                if (all || looks(s.row[r], j))
                    sum[r] = fused(float_of(r < 4 ? low.word[r] : high.word[r - 4]), x, sum[r]);
        }
    }

    /* Joins the sums of the rows of a run to those of the span, and these to the piece's. The rows
     * of one tile are the lane's two columns. */
    SHIM_FN void join_run(shim::stage at, uint32_t run, uint32_t number, lane &l,
                          unsigned char *shared) const
    {
        const shared_state<rows> &s = state(shared);
        uint32_t low = 0, high = rows;
        if (Sums::unit && l.runs > 1) {
            low = s.begin[run];
            high = s.begin[run + 1];
            join_rows<false>(low, high, number, l, shared);
        } else {
            join_rows<true>(low, high, number, l, shared);
        }
        if (ends(at, l))
            put_span(at, low, high, number, l, shared);
    }

    /* all: of all rows; else of rows low to high - 1. Rows that have something before and after are
     * the usual case. */
    template <bool all>
    SHIM_FN void join_rows(uint32_t low, uint32_t high, uint32_t number, lane &l,
                           unsigned char *shared) const
    {
        packet of[rows_held]; /* before, after, take */
        uint32_t any = all ? 0 : 1;
        SHIM_UNROLL
        for (uint32_t k = 0; k < rows_held; k++) {
            of[k] = get16(&state(shared).row[held_row(number, k)]);
            any |= of[k].word[2];
        }
        static_assert(SF8_ATTEND_BOTH == 0, "not the usual case");
        SHIM_UNROLL
        for (uint32_t i = 0; i < held && !any; i++) {
            const uint32_t *word = of[row_number(i)].word;
            l.total[i] = fused(l.total[i], float_of(word[0]), mul(l.sum[i], float_of(word[1])));
        }
        SHIM_UNROLL
        for (uint32_t i = 0; i < held && any; i++) {
            const uint32_t k = row_number(i), r = held_row(number, k), *word = of[k].word;
            if (all || (r >= low && r < high))
                l.total[i] = joined(word[2], l.total[i], float_of(word[0]), l.sum[i],
                                    float_of(word[1]));
        }
    }

    /* The k-th row of a lane's sums. */
    SHIM_FN static uint32_t held_row(uint32_t number, uint32_t k)
    {
        return row_of(number, Sums::unit ? k / 2 * 4 + k % 2 : k);
    }

    /* The row of the lane to which its i-th sum belongs. */
    SHIM_BOTH static constexpr uint32_t row_number(uint32_t i)
    {
        return Sums::unit ? i / 4 % tiles * 2 + i % 2 : i % 8;
    }

    /* For rows low to high - 1. */
    SHIM_FN void put_span(shim::stage at, uint32_t low, uint32_t high, uint32_t number, lane &l,
                          unsigned char *shared) const
    {
        const shared_state<rows> &s = state(shared);
        const bool first = l.first >> w.span_shift == (l.first + at.round) >> w.span_shift;
        SHIM_UNROLL
        for (uint32_t i = 0; i < held; i++) {
            const uint32_t r = row_of(number, i), channel = channel_of(number, i);
            const row_state &of = s.row[r];
            if (r < low || r >= high || channel >= lay().dim || r >= l.t.rows)
                continue;
            uint32_t *to = w.pieces + static_cast<uint64_t>(l.t.piece + r) * (2 + lay().dim) + 2 +
                           channel;
            float before = first ? 0.0f : float_of(*to);
            *to = bits_of(
                joined(of.whole_take, before, of.whole_before, l.total[i], of.whole_after));
        }
    }

    SHIM_FN void join_last(shim::stage at, uint32_t number, lane &l, unsigned char *shared) const
    {
        shared_state<rows> &s = state(shared);
        join_run(at, Sums::unit ? l.runs - 1 : 0, number, l, shared);
        put_place<Cache>(w.of(number >= CHUNK), l.bases, s.at[at.round % 2], l.place, l.slot,
                         l.block);
    }

    SHIM_FN void close(shim::stage at, uint32_t number, const lane &l, unsigned char *shared) const
    {
        const item &t = l.t;
        const bool none = rounds(at) == 0;
        for (uint32_t i = number; none && i < t.rows * lay().dim; i += threads)
            w.pieces[static_cast<uint64_t>(t.piece + i / lay().dim) * (2 + lay().dim) + 2 +
                     i % lay().dim] = 0;
        for (uint32_t r = number; r < t.rows; r += threads) {
            uint32_t *to = w.pieces + static_cast<uint64_t>(t.piece + r) * (2 + lay().dim);
            to[0] = bits_of(state(shared).row[r].whole_most);
            to[1] = bits_of(state(shared).row[r].whole_sum);
        }
    }
};

} // namespace attention

} // namespace kernels

#endif

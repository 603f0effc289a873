/* SPDX-License-Identifier: MIT */
/* run.h -- the kernels of attention by their number in the list, and how requests are run
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_RUN_H
#define SOFTFP8_GPU_KERNELS_ATTEND_RUN_H

#include "kernels/attend/launch.h"
#include "kernels/attend/list.h"
#include "kernels/attend/plan.h"
#include "kernels/guarded.h"
#include "kernels/timing.h"

namespace kernels
{

namespace attention
{

constexpr uint64_t attend_most = UINT64_C(1) << 30;

/* ---- launching ------------------------------------------------------------------------------- */

struct launcher {
    const char *(*launch)(const work &w, uint32_t steps, bool prepare);
    bool unit;
};

#if defined(ATTEND_PARTS) /* attend_part.cu has them, since compiling all in one file takes long   \
                           */
#define ATTEND_ELSEWHERE(cache, sums, rows, type)                                                  \
    extern template const char *launch_wide<cache##_cache, type, rows>(const work &, uint32_t,     \
                                                                       bool);
ATTEND_LIST(ATTEND_ELSEWHERE)
#endif

#define ATTEND_LAUNCH(cache, sums, rows, type) {launch_wide<cache##_cache, type, rows>, type::unit},
static const launcher launchers[] = {ATTEND_LIST(ATTEND_LAUNCH)};
constexpr size_t launcher_count = sizeof launchers / sizeof launchers[0];

/* ---- what a kernel takes --------------------------------------------------------------------- */

inline bool same_format(sf8_format a, sf8_format b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Returns true if a cache is of the kernel's kind, whatever its scale. */
inline bool is_cache(const char *name, const sf8_attend_cache &c)
{
    const sf8_recipe *r = c.recipe;
    const sf8_kv_layout &l = c.image.layout;
    if (!r)
        return (strcmp(name, "f16") == 0 && same_format(c.words, SF8_F16)) ||
               (strcmp(name, "bf16") == 0 && same_format(c.words, SF8_BF16));
    const bool by_row = l.scales != SF8_KV_SCALES_GIVEN && l.group == l.dim;
    const bool given = l.scales == SF8_KV_SCALES_GIVEN;
    if (strcmp(name, "int4") == 0)
        return r->integer == 4 && !r->is_signed && r->offset_at == SF8_OFFSET_IN_SCALE && by_row &&
               same_format(r->scale, SF8_F32);
    if (r->integer || r->offset_at != SF8_OFFSET_NONE)
        return false;
    if (l.bits == 8)
        return ((strcmp(name, "e4m3") == 0 && same_format(r->element, SF8_E4M3)) ||
                (strcmp(name, "e5m2") == 0 && same_format(r->element, SF8_E5M2))) &&
               (given || (by_row && same_format(r->scale, SF8_F32)));
    if (!same_format(r->element, SF8_E2M1) || given || l.group % PIECE != 0 || l.group >= l.dim)
        return false;
    return (strcmp(name, "nvfp4") == 0 && same_format(r->scale, SF8_E4M3)) ||
           (strcmp(name, "mxfp4") == 0 && same_format(r->scale, SF8_E8M0));
}

inline bool is_words(sf8_format f)
{
    return same_format(f, SF8_F32) || same_format(f, SF8_F16) || same_format(f, SF8_BF16);
}

inline bool same_cache(const sf8_attend_cache &a, const sf8_attend_cache &b)
{
    return a.image.data == b.image.data && a.image.scales == b.image.scales &&
           a.image.size == b.image.size && a.image.scales_size == b.image.scales_size &&
           memcmp(&a.image.layout, &b.image.layout, sizeof a.image.layout) == 0 &&
           a.recipe == b.recipe && same_format(a.words, b.words) && a.scale == b.scale &&
           a.scales == b.scales;
}

/* Returns true if two requests agree in what the requests of one run must share. */
inline bool same_request(const sf8_attend &a, const sf8_attend &b)
{
    return a.sums == b.sums && a.scale == b.scale && a.cap == b.cap && a.q_scale == b.q_scale &&
           a.q_scales == b.q_scales && a.sinks == b.sinks && a.left == b.left &&
           a.right == b.right && a.heads == b.heads && same_cache(a.k, b.k) &&
           same_cache(a.v, b.v) && same_format(a.q_words, b.q_words) &&
           same_format(a.out_words, b.out_words) && a.lse_base2 == b.lse_base2;
}

inline bool shares(const gpu_attend *b, const sf8_attend &a)
{
    const sf8_attend &first = b->requests[0];
    const uint64_t keys = b->shared * CHUNK, slots = first.k.image.layout.slots;
    if (a.keys < keys)
        return false;
    return memcmp(a.blocks, first.blocks, (keys + slots - 1) / slots * sizeof a.blocks[0]) == 0;
}

inline const char *refuse_side(const gpu_attend *b, const sf8_attend_cache &c)
{
    const sf8_kv_layout &l = c.image.layout;
    if (!is_cache(b->kernel->cache, c) || l.order != SF8_KV_ROWS || l.tail)
        return "not a cache of this kernel";
    if (l.dim % 16 != 0 || l.dim > (b->kernel->rows == 8 ? 256u : 128u))
        return "not a size of this kernel";
    if (l.blocks * l.slots > attend_most || l.heads > attend_most / l.dim ||
        l.slot_stride > UINT32_MAX || l.scale_slot_stride > UINT32_MAX)
        return "too large a cache";
    return nullptr;
}

/* Returns NULL, or why the kernel does not support the batch. */
inline const char *refuse(const gpu_attend *b)
{
    if (b->count == 0 || b->splits == 0)
        return "no requests, or parts";
    const sf8_attend &a = b->requests[0];
    uint64_t rows = 0;
    for (size_t r = 0; r < b->count; r++) {
        const sf8_attend &x = b->requests[r];
        if (sf8_attend_check(&x) != SF8_ATTEND_GOOD)
            return sf8_attend_reason(sf8_attend_check(&x));
        if (!same_request(a, x))
            return "requests that are not alike";
        if (!x.lse)
            return "words that no kernel takes";
        if (x.keys > attend_most || x.queries > attend_most / x.heads)
            return "too large a request";
        rows += x.queries * x.heads;
        if (rows * a.q.dim > attend_most)
            return "too many queries";
        if (b->shared && !shares(b, x))
            return "requests that do not share their first keys";
    }
    if (strcmp(b->kernel->sums, sf8_attend_sums_name(a.sums)) != 0)
        return "not the sums of this kernel";
    if (!is_words(a.q_words) || !is_words(a.out_words))
        return "words that no kernel takes";
    if (a.k.image.layout.dim != a.v.image.layout.dim)
        return "not a size of this kernel";
    const char *error = refuse_side(b, a.k);
    return error ? error : refuse_side(b, a.v);
}

/* ---- arrays ---------------------------------------------------------------------------------- */

enum {
    A_K,
    A_K_SCALES,
    A_V,
    A_V_SCALES,
    A_Q,
    A_BLOCKS,
    A_ITEMS,
    A_ROWS,
    A_PARTS,
    A_RESULTS,
    A_FACTORS,
    A_V_FACTORS,
    A_SINKS,
    A_PIECES,
    A_OUT,
    A_LSE,
    A_ALL,
    A_IMAGES = A_Q /* the first ones */
};

struct run {
    const gpu_attend *b;
    const launcher *k;
    plan p;
    guarded a[A_ALL];
    unsigned char *q, *out; /* dense */
    uint32_t *lse, *pieces;
    sf8_attend_factor *factors;
    uint32_t *v_factors;
    size_t kv_heads, dim, count; /* count: rows of results */
};

inline size_t word_bytes(sf8_format f)
{
    return static_cast<size_t>(sf8_format_bits(f)) / 8;
}

inline uint32_t word_of(const uint32_t *scale, size_t scales, size_t kv)
{
    return scale ? scale[scales == 1 ? 0 : kv] : SF8_F32_ONE;
}

/* Copies the elements of the requests to a dense array, or back. */
inline void move_words(const run &r, bool back)
{
    size_t at = 0;
    for (size_t n = 0; n < r.b->count; n++) {
        const sf8_attend &a = r.b->requests[n];
        const size_t bytes = word_bytes(back ? a.out_words : a.q_words);
        for (size_t i = 0; i < a.queries * a.heads; i++, at++) {
            const size_t query = i / a.heads, h = i % a.heads, row = r.dim * bytes;
            if (back) {
                size_t to = query * a.out.token_stride + h * a.out.head_stride;
                memcpy(static_cast<unsigned char *>(a.out.words) + to * bytes, r.out + at * row,
                       row);
                a.lse[i] = r.lse[at];
            } else {
                size_t from = query * a.q.token_stride + h * a.q.head_stride;
                memcpy(r.q + at * row, static_cast<const unsigned char *>(a.q.words) + from * bytes,
                       row);
            }
        }
    }
}

inline const char *make_words(run *r)
{
    const sf8_attend &a = r->b->requests[0];
    const size_t out = r->count * r->dim * word_bytes(a.out_words);
    r->q = static_cast<unsigned char *>(malloc(r->count * r->dim * word_bytes(a.q_words) + 1));
    r->out = static_cast<unsigned char *>(malloc(out + 1));
    r->lse = static_cast<uint32_t *>(malloc(r->count * 4 + 1));
    r->pieces = static_cast<uint32_t *>(malloc(r->p.piece_rows * (2 + r->dim) * 4 + 1));
    r->factors = static_cast<sf8_attend_factor *>(malloc(r->kv_heads * sizeof *r->factors));
    r->v_factors = static_cast<uint32_t *>(malloc(r->kv_heads * 4));
    if (!r->q || !r->out || !r->lse || !r->pieces || !r->factors || !r->v_factors)
        return "no memory";
    memset(r->out, 0x5a, out);
    memset(r->lse, 0x5a, r->count * 4);
    memset(r->pieces, 0x5a, r->p.piece_rows * (2 + r->dim) * 4);
    move_words(*r, false);
    for (size_t kv = 0; kv < r->kv_heads; kv++) {
        r->factors[kv] = sf8_attend_factor_of(a.scale, word_of(a.q_scale, a.q_scales, kv),
                                              word_of(a.k.scale, a.k.scales, kv), a.cap);
        r->v_factors[kv] = word_of(a.v.scale, a.v.scales, kv);
    }
    return nullptr;
}

inline guarded only_read(const void *here, size_t bytes, const char *name)
{
    return {here, nullptr, bytes, 0, name, nullptr, nullptr, 1};
}

inline guarded written(void *here, size_t bytes, const char *name)
{
    return {here, here, bytes, 0, name, nullptr, nullptr, 1};
}

/* An image on its way to the device: as far from a multiple of 16 as the caller's. */
inline guarded image_of(const uint8_t *data, size_t bytes, const char *name)
{
    guarded g = only_read(data, bytes, name);
    g.skew = reinterpret_cast<uintptr_t>(data) % 16;
    return g;
}

inline void make_arrays(run *r)
{
    const sf8_attend &a = r->b->requests[0];
    const sf8_kv_image &k = a.k.image, &v = a.v.image;
    const bool k_apart = k.layout.scales == SF8_KV_SCALES_APART;
    const bool v_apart = v.layout.scales == SF8_KV_SCALES_APART;
    const plan &p = r->p;
    r->a[A_K] = image_of(k.data, k.size, "keys");
    r->a[A_V] = image_of(v.data, v.size, "values");
    r->a[A_K_SCALES] = image_of(k.scales, k_apart ? k.scales_size : 0, "scales of keys");
    r->a[A_V_SCALES] = image_of(v.scales, v_apart ? v.scales_size : 0, "scales of values");
    r->a[A_Q] = only_read(r->q, r->count * r->dim * word_bytes(a.q_words), "queries");
    r->a[A_BLOCKS] = only_read(p.blocks.at, p.blocks.count * sizeof *p.blocks.at, "blocks");
    r->a[A_ITEMS] = only_read(p.items.at, p.items.count * sizeof *p.items.at, "pieces");
    r->a[A_ROWS] = only_read(p.rows.at, p.rows.count * sizeof *p.rows.at, "rows");
    r->a[A_PARTS] = only_read(p.parts.at, p.parts.count * sizeof *p.parts.at, "parts");
    r->a[A_RESULTS] = only_read(p.results.at, p.results.count * sizeof *p.results.at, "results");
    r->a[A_FACTORS] = only_read(r->factors, r->kv_heads * sizeof *r->factors, "factors");
    r->a[A_V_FACTORS] = only_read(r->v_factors, r->kv_heads * 4, "factors");
    r->a[A_SINKS] = only_read(a.sinks, a.sinks ? a.heads * 4 : 0, "sinks");
    r->a[A_PIECES] = written(r->pieces, p.piece_rows * (2 + r->dim) * 4, "partial results");
    r->a[A_OUT] = written(r->out, r->count * r->dim * word_bytes(a.out_words), "output");
    r->a[A_LSE] = written(r->lse, r->count * 4, "lse");
}

template <class T> const T *there(const run &r, int array)
{
    return reinterpret_cast<const T *>(r.a[array].there);
}

inline side side_of(const run &r, const sf8_attend_cache &c, int image, int scales)
{
    const sf8_kv_layout &l = c.image.layout;
    side s = {};
    s.image = r.a[image].there;
    s.block_stride = l.block_stride;
    s.slot_stride = static_cast<uint32_t>(l.slot_stride);
    s.head_stride = l.head_stride;
    if (l.scales == SF8_KV_SCALES_GIVEN)
        return s;
    s.scales = r.a[l.scales == SF8_KV_SCALES_APART ? scales : image].there + l.scale_at;
    s.scale_block_stride = l.scale_block_stride;
    s.scale_slot_stride = static_cast<uint32_t>(l.scale_slot_stride);
    s.scale_head_stride = l.scale_head_stride;
    s.by_scale = divider_of(l.group < PIECE ? 1 : static_cast<uint32_t>(l.group) / PIECE);
    s.four = l.scale_order == SF8_LAYOUT_4TOKEN;
    s.scale_slots = s.four ? ~3u : ~0u;
    s.columns = static_cast<uint32_t>(sf8_kv_scale_columns(&l));
    s.by_row = l.group >= l.dim;
    return s;
}

inline bool rows_aligned(const side &s)
{
    return (reinterpret_cast<uintptr_t>(s.image) | s.block_stride | s.slot_stride | s.head_stride) %
               16 ==
           0;
}

/* ---- a run ----------------------------------------------------------------------------------- */

inline work work_of(const run &r)
{
    const sf8_attend &a = r.b->requests[0];
    work w = {};
    w.k = side_of(r, a.k, A_K, A_K_SCALES);
    w.v = side_of(r, a.v, A_V, A_V_SCALES);
    w.q = r.a[A_Q].there;
    w.blocks = there<uint32_t>(r, A_BLOCKS);
    w.items = there<item>(r, A_ITEMS);
    w.rows = there<row>(r, A_ROWS);
    w.factors = there<sf8_attend_factor>(r, A_FACTORS);
    w.pieces = reinterpret_cast<uint32_t *>(r.a[A_PIECES].there);
    w.by_slots = divider_of(static_cast<uint32_t>(a.k.image.layout.slots));
    w.by_parts = divider_of(static_cast<uint32_t>(r.dim / PIECE));
    w.q_bits = static_cast<uint32_t>(sf8_format_bits(a.q_words));
    w.q_exp = static_cast<uint32_t>(a.q_words.exp_bits);
    w.lay.dim = static_cast<uint32_t>(r.dim);
    w.span_shift = r.p.span == SPAN_CHUNKS ? 4 : 31;
    w.span_mask = (UINT32_C(1) << w.span_shift) - 1;
    w.aligned = rows_aligned(w.k) && rows_aligned(w.v);
    return w;
}

inline attend_join join_of(const run &r)
{
    const sf8_attend &a = r.b->requests[0];
    attend_join j = {};
    j.pieces = there<uint32_t>(r, A_PIECES);
    j.parts = there<part>(r, A_PARTS);
    j.results = there<result>(r, A_RESULTS);
    j.v_scale = there<float>(r, A_V_FACTORS);
    j.sinks = a.sinks ? there<float>(r, A_SINKS) : nullptr;
    j.out = r.a[A_OUT].there;
    j.lse = reinterpret_cast<uint32_t *>(r.a[A_LSE].there);
    j.dim = static_cast<uint32_t>(r.dim);
    j.by_items = divider_of(j.dim / attend_join::CHANNELS);
    j.count = static_cast<uint32_t>(r.count);
    j.out_bits = static_cast<uint32_t>(sf8_format_bits(a.out_words));
    j.out_exp = static_cast<uint32_t>(a.out_words.exp_bits);
    j.base2 = a.lse_base2 != 0;
    return j;
}

inline const char *launch_both(const run &r, double *seconds)
{
    const work w = work_of(r);
    const attend_join j = join_of(r);
    const uint32_t steps = static_cast<uint32_t>(r.p.items.count);
    const char *error = r.k->launch(w, steps, true);
    if (!error)
        error = shim::prepare<attend_join>();
    auto launch = [&] {
        const char *wrong = r.k->launch(w, steps, false);
        return wrong ? wrong : shim::launch(j, static_cast<uint64_t>(j.count) * j.by_items.by);
    };
    return error ? error : time_launches(launch, r.b->times, seconds);
}

/* Releases the arrays, except images that stay. Returns the error, or that of the release. */
inline const char *release_arrays(run *r, const char *error)
{
    for (int i = 0; i < A_ALL; i++) {
        const bool image = i < A_IMAGES && r->b->images;
        if (image)
            r->b->images->room[i] = error ? nullptr : r->a[i].room;
        const char *now = r->a[i].room && (error || !image) ? shim::release(r->a[i].room) : nullptr;
        error = error ? error : now;
    }
    return error;
}

inline const char *run_there(run *r, double *seconds)
{
    const char *error = make_words(r);
    if (error)
        return error;
    make_arrays(r);
    for (int i = 0; i < A_IMAGES && r->b->images; i++)
        r->a[i].room = r->b->images->room[i];
    for (guarded &array : r->a)
        error = error ? error : array.put();
    if (!error)
        error = launch_both(*r, seconds);
    for (const guarded &array : r->a) /* after a timed run only what it wrote */
        if (!error && (array.back || r->b->times == 0))
            error = array.get();
    static char kept[2 * GPU_TEXT]; /* the shim has a single buffer for messages */
    if (error) {
        snprintf(kept, sizeof kept, "%s", error);
        error = kept;
    }
    error = release_arrays(r, error);
    if (!error)
        move_words(*r, true);
    return error;
}

inline const char *run_attend(const gpu_attend *b, double *seconds)
{
    size_t count, number = static_cast<size_t>(b->kernel - gpu_attends(&count));
    if (number >= count || count != launcher_count)
        return "not a kernel of the list";
    run r = {};
    const char *error = refuse(b);
    if (error)
        return error;
#if !defined(__CUDACC__)
    if (launchers[number].unit && !b->unit)
        return "no model of the instruction";
    unit_model = b->unit;
#endif
    r.b = b;
    r.k = &launchers[number];
    r.kv_heads = b->requests[0].k.image.layout.heads;
    r.dim = b->requests[0].q.dim;
    for (size_t i = 0; i < b->count; i++)
        r.count += b->requests[i].queries * b->requests[i].heads;
    error = make_plan(b, &r.p);
    if (!error)
        error = run_there(&r, seconds);
    r.p.free_all();
    void *all[] = {r.q, r.out, r.lse, r.pieces, r.factors, r.v_factors};
    for (void *p : all)
        free(p);
    return error;
}

} // namespace attention

} // namespace kernels

const char *gpu_attend_images_free(gpu_attend_images *images)
{
    const char *error = nullptr;
    for (unsigned char *&room : images->room) {
        const char *now = room ? shim::release(room) : nullptr;
        error = error ? error : now;
        room = nullptr;
    }
    return error;
}

const char *gpu_attend_run(const gpu_attend *b, double *seconds)
{
    *seconds = 0;
    return kernels::attention::run_attend(b, seconds);
}

#endif

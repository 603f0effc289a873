/* SPDX-License-Identifier: MIT */
/* plan.h -- how requests are split into pieces, and which pieces make up a row's result
 *
 * A part is some chunks of keys for some rows: either the shared chunks for the rows of all
 * requests, or a share of a request's other chunks. Its pieces are the chunks of a span in whose
 * middle it begins, one each, then spans. The rows of a part are ordered by heads of the cache,
 * then requests, then queries, then heads.
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_PLAN_H
#define SOFTFP8_GPU_KERNELS_ATTEND_PLAN_H

#include "kernels/attend/join.h"

#include "softfp8_attend.h"

#include <stdlib.h>

namespace kernels
{

namespace attention
{

/* An array that grows; `failed` is set if memory is exhausted. */
template <class T> struct list {
    T *at;
    size_t count, room;
    bool failed;

    void add(const T &x)
    {
        if (count == room) {
            size_t more = room ? 2 * room : 64;
            T *now = static_cast<T *>(realloc(at, more * sizeof(T)));
            failed = failed || !now;
            if (!now)
                return;
            at = now;
            room = more;
        }
        at[count++] = x;
    }
};

struct plan {
    list<row> rows;
    list<item> items;
    list<part> parts;
    list<result> results;
    list<uint32_t> blocks;
    uint64_t piece_rows;
    uint32_t span;
    bool full; /* there are more pieces than can be counted */

    bool failed() const
    {
        return rows.failed || items.failed || parts.failed || results.failed || blocks.failed;
    }
    void free_all()
    {
        free(rows.at);
        free(items.at);
        free(parts.at);
        free(results.at);
        free(blocks.at);
    }
};

/* The inputs of a plan. */
struct planning {
    const gpu_attend *b;
    plan *p;
    size_t heads, kv_heads, group, dim;
    uint32_t *table;     /* of each request: its first block in plan.blocks */
    uint32_t *result_of; /* its first result */
};

constexpr uint32_t whole_pieces = 0x7fffffff;

inline uint32_t chunks_of(const sf8_attend &a)
{
    return static_cast<uint32_t>((a.keys + CHUNK - 1) / CHUNK);
}

/* The keys that a query sees; from 0 to 0 if it sees none. */
inline row row_of(const sf8_attend &a, size_t query, uint64_t q_at)
{
    const int64_t position = a.first + static_cast<int64_t>(query);
    const int64_t keys = static_cast<int64_t>(a.keys);
    int64_t from = a.left < 0 || position < a.left ? 0 : position - a.left;
    int64_t to = a.right < 0 || position >= keys - a.right ? keys : position + a.right + 1;
    if (from >= to)
        from = to = 0;
    return {static_cast<uint32_t>(q_at), static_cast<uint32_t>(from), static_cast<uint32_t>(to)};
}

/* The rows of requests `first` to `last` - 1. */
inline void add_rows(const planning &g, size_t first, size_t last)
{
    for (size_t kv = 0; kv < g.kv_heads; kv++)
        for (size_t r = first; r < last; r++)
            for (size_t i = 0; i < g.b->requests[r].queries * g.group; i++) {
                size_t query = i / g.group, at = query * g.heads + kv * g.group + i % g.group;
                g.p->rows.add(row_of(g.b->requests[r], query, (g.result_of[r] + at) * g.dim));
            }
}

/* A piece of consecutive rows, up to a maximum number, of one head of the cache. */
inline void add_items(const planning &g, item t, size_t rows)
{
    const uint32_t most = static_cast<uint32_t>(g.b->kernel->rows);
    const uint32_t first = t.first_row, piece = t.piece;
    for (uint32_t done = 0; done < rows; done += most) {
        t.first_row = first + done;
        t.piece = piece + done;
        t.rows = rows - done < most ? static_cast<uint32_t>(rows) - done : most;
        t.from = t.inner_to = UINT32_MAX;
        t.to = t.inner_from = 0;
        for (uint32_t i = 0; i < t.rows; i++) {
            const row &x = g.p->rows.at[t.first_row + i];
            t.inner_from = x.from > t.inner_from ? x.from : t.inner_from;
            t.inner_to = x.to < t.inner_to ? x.to : t.inner_to;
            if (x.from < x.to) {
                t.from = x.from < t.from ? x.from : t.from;
                t.to = x.to > t.to ? x.to : t.to;
            }
        }
        if (t.to == 0)
            t.from = 0;
        g.p->items.add(t);
    }
}

/* A piece of all rows of a part: where its first row is. */
inline uint32_t add_piece(const planning &g, item t, size_t rows)
{
    g.p->full = g.p->full || g.p->piece_rows + g.kv_heads * rows > UINT32_MAX / 2;
    if (g.p->full || g.p->failed())
        return 0; /* nothing will be run */
    const uint32_t first_row = t.first_row, base = static_cast<uint32_t>(g.p->piece_rows);
    for (size_t kv = 0; kv < g.kv_heads; kv++) {
        t.head = static_cast<uint32_t>(kv);
        t.first_row = first_row + static_cast<uint32_t>(kv * rows);
        t.piece = base + static_cast<uint32_t>(kv * rows);
        add_items(g, t, rows);
    }
    g.p->piece_rows += g.kv_heads * rows;
    return base;
}

/* Calls use(first chunk, last chunk, begins) for each piece of a part. `all`: the request's last.
 */
template <class Use>
void for_pieces(const gpu_attend *b, uint32_t first, uint32_t last, uint32_t all, const Use &use)
{
    if (b->free_order) {
        if (first < last)
            use(first, last, 1u);
        return;
    }
    while (first < last && first % SPAN_CHUNKS != 0) {
        use(first, first + 1, 0u);
        first++;
    }
    while (first < last) {
        uint32_t end = first + SPAN_CHUNKS;
        if (b->at_once && first == 0)
            end = last == all ? last : last / SPAN_CHUNKS * SPAN_CHUNKS;
        end = end == first || end > last ? last : end;
        use(first, end, 1u);
        first = end;
    }
}

/* A part: the rows of requests first to last - 1, which are in plan.rows from `row` on. */
struct part_of {
    size_t first, last, rows;
    uint32_t row, first_chunk, last_chunk, all;
};

/* The pieces of a part; `bases` receives the place of each. */
inline void add_part(const planning &g, const part_of &s, list<part> *bases)
{
    for_pieces(g.b, s.first_chunk, s.last_chunk, s.all,
               [&](uint32_t first, uint32_t last, uint32_t begins) {
                   item t = {};
                   t.first_row = s.row;
                   t.table = g.table[s.first];
                   t.first_chunk = first;
                   t.last_chunk = last;
                   bases->add({add_piece(g, t, s.rows), begins});
               });
}

/* The results of a request: for each row all pieces of the shared part, then its own. `before`: the
 * number of rows of a head of the cache that earlier requests have in the shared part, of
 * `shared`. */
inline void add_results(const planning &g, size_t r, const list<part> &shared_bases,
                        size_t shared_rows, size_t before, const list<part> &own)
{
    const sf8_attend &a = g.b->requests[r];
    for (size_t i = 0; i < a.queries * g.heads; i++) {
        const size_t query = i / g.heads, head = i % g.heads, kv = head / g.group;
        const size_t at = query * g.group + head % g.group, rows = a.queries * g.group;
        result x = {};
        x.first = static_cast<uint32_t>(g.p->parts.count);
        x.count = static_cast<uint32_t>(shared_bases.count + own.count);
        x.head = static_cast<uint32_t>(head);
        x.kv_head = static_cast<uint32_t>(kv);
        x.out_at = g.p->results.count * g.dim;
        g.p->results.add(x);
        for (size_t k = 0; k < shared_bases.count; k++)
            g.p->parts.add(
                {shared_bases.at[k].piece + static_cast<uint32_t>(kv * shared_rows + before + at),
                 shared_bases.at[k].begins});
        for (size_t k = 0; k < own.count; k++)
            g.p->parts.add(
                {own.at[k].piece + static_cast<uint32_t>(kv * rows + at), own.at[k].begins});
    }
}

inline void add_blocks(const planning &g)
{
    uint64_t first = 0;
    for (size_t r = 0; r < g.b->count; r++) {
        const sf8_attend &a = g.b->requests[r];
        g.table[r] = static_cast<uint32_t>(g.p->blocks.count);
        g.result_of[r] = static_cast<uint32_t>(first);
        first += a.queries * g.heads;
        for (size_t i = 0; i < a.block_count; i++)
            g.p->blocks.add(static_cast<uint32_t>(a.blocks[i]));
    }
}

inline void make_parts(const planning &g)
{
    const gpu_attend *b = g.b;
    const uint32_t shared = static_cast<uint32_t>(b->shared);
    size_t shared_rows = 0, before = 0;
    list<part> shared_bases = {};
    for (size_t r = 0; r < b->count; r++)
        shared_rows += b->requests[r].queries * g.group;
    if (shared) {
        part_of s = {0, b->count, shared_rows, static_cast<uint32_t>(g.p->rows.count),
                     0, shared,   UINT32_MAX};
        add_rows(g, 0, b->count);
        add_part(g, s, &shared_bases);
    }
    for (size_t r = 0; r < b->count; r++) {
        const uint32_t chunks = chunks_of(b->requests[r]);
        const size_t rows = b->requests[r].queries * g.group;
        const uint32_t row = static_cast<uint32_t>(g.p->rows.count);
        list<part> own = {};
        add_rows(g, r, r + 1);
        for (size_t i = 0; i < b->splits; i++) {
            uint64_t beyond = chunks - shared;
            part_of s = {r,
                         r + 1,
                         rows,
                         row,
                         shared + static_cast<uint32_t>(beyond * i / b->splits),
                         shared + static_cast<uint32_t>(beyond * (i + 1) / b->splits),
                         chunks};
            add_part(g, s, &own);
        }
        add_results(g, r, shared_bases, shared_rows, before, own);
        before += rows;
        g.p->rows.failed = g.p->rows.failed || own.failed;
        free(own.at);
    }
    g.p->rows.failed = g.p->rows.failed || shared_bases.failed;
    free(shared_bases.at);
}

/* Makes a plan. Returns NULL, or why it is impossible. The plan must be freed in either case. */
inline const char *make_plan(const gpu_attend *b, plan *p)
{
    const sf8_attend &a = b->requests[0];
    planning g = {};
    memset(static_cast<void *>(p), 0, sizeof *p);
    g.b = b;
    g.p = p;
    g.heads = a.heads;
    g.kv_heads = a.k.image.layout.heads;
    g.group = g.heads / g.kv_heads;
    g.dim = a.k.image.layout.dim;
    p->span = b->free_order ? whole_pieces : uint32_t{SPAN_CHUNKS};
    g.table = static_cast<uint32_t *>(calloc(2 * b->count, sizeof *g.table));
    if (!g.table)
        return "no memory";
    g.result_of = g.table + b->count;
    add_blocks(g);
    make_parts(g);
    free(g.table);
    return p->failed() ? "no memory" : p->full ? "too many pieces" : nullptr;
}

} // namespace attention

} // namespace kernels

#endif

/* SPDX-License-Identifier: MIT */
/* engine.h -- gpu_mma_run, gpu_mma_sweep_run: tiles to the device and back, or made and judged
 * there
 *
 * This text is compiled once for the GPU and once for this processor.
 */
#ifndef SOFTFP8_GPU_MMA_ENGINE_H
#define SOFTFP8_GPU_MMA_ENGINE_H

#include "mma/inputs.h"
#include "mma/multiply.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utility>

namespace mma
{

constexpr int poison = 0xa5;
constexpr uint64_t elements_most = UINT64_C(1) << 23; /* of a chunk of tiles */

/* ---- kernels by their number in the list ----------------------------------------------------- */

struct launcher {
    const char *(*prepare)(void);
    const char *(*launch)(const tiles &t, const sf8_mma &unit, uint32_t scale_d);
};

template <int row> const char *launch_row(const tiles &t, const sf8_mma &unit, uint32_t scale_d)
{
    multiply<row> body = {reinterpret_cast<const uint32_t *>(t.a),
                          reinterpret_cast<const uint32_t *>(t.b),
                          t.c,
                          t.d,
                          t.count,
                          scale_d,
                          unit};
    return shim::launch_groups(body);
}

template <class Numbers> struct launchers;
template <int... row> struct launchers<std::integer_sequence<int, row...>> {
    static constexpr launcher rows[] = {{shim::prepare_groups<multiply<row>>, launch_row<row>}...};
};

inline const launcher *launcher_of(const gpu_mma *m)
{
    size_t count, row = static_cast<size_t>(m - gpu_mmas(&count));
    if (row >= count || count != static_cast<size_t>(row_count))
        return nullptr;
    return &launchers<std::make_integer_sequence<int, row_count>>::rows[row];
}

/* ---- memory ---------------------------------------------------------------------------------- */

struct sizes {
    uint64_t a, b, d; /* bytes of a tile */
};

inline sizes sizes_of(const gpu_mma *m)
{
    uint64_t row = static_cast<uint64_t>(m->k) * static_cast<uint64_t>(m->a_bytes);
    uint64_t rows = static_cast<uint64_t>(m->rows), columns = static_cast<uint64_t>(m->columns);
    return {rows * row, columns * row, rows * columns * 4};
}

inline const char *allocate(tiles *t, const gpu_mma *m, uint64_t count)
{
    sizes s = sizes_of(m);
    t->code_bytes = m->a_bytes;
    const char *error = shim::allocate(&t->a, s.a * count);
    if (!error)
        error = shim::allocate(&t->b, s.b * count);
    if (!error)
        error = shim::allocate(&t->c, s.d * count);
    return error ? error : shim::allocate(&t->d, s.d * count);
}

/* Frees memory; an earlier error is kept, in a buffer of its own. */
inline const char *release(void *const *memory, int count, const char *error)
{
    static char before[2 * GPU_TEXT];
    if (error) {
        snprintf(before, sizeof before, "%s", error);
        error = before;
    }
    for (int i = 0; i < count; i++) {
        const char *now = memory[i] ? shim::release(memory[i]) : nullptr;
        error = error ? error : now;
    }
    return error;
}

/* ---- tiles of the caller's ------------------------------------------------------------------- */

inline const char *run_tiles(const gpu_mma_tiles *g)
{
    const launcher *l = launcher_of(g->mma);
    if (!l)
        return "not an instruction of the list";
    tiles t = {};
    sizes s = sizes_of(g->mma);
    t.count = g->count;
    const char *error = l->prepare();
    if (!error)
        error = allocate(&t, g->mma, g->count);
    if (!error)
        error = shim::upload(t.a, g->a, s.a * g->count);
    if (!error)
        error = shim::upload(t.b, g->b, s.b * g->count);
    if (!error)
        error = shim::upload(t.c, g->c, s.d * g->count);
    if (!error)
        error = shim::fill(t.d, poison, s.d * g->count);
    if (!error)
        error = l->launch(t, *g->unit, g->scale_d != 0);
    if (!error)
        error = shim::download(g->d, t.d, s.d * g->count);
    void *const memory[] = {t.a, t.b, t.c, t.d};
    return release(memory, 4, error);
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

struct sweep {
    const gpu_mma_sweep *s;
    gpu_mma_answer *answer;
    const launcher *l;
    source from;
    tiles t;
    uint64_t *differ, *kept; /* on the device */
    unsigned char *a, *b;    /* here, a tile */
    uint32_t *c, *d;
    shim::clock clock;
};

inline const char *fetch_tile(sweep *w, uint32_t i)
{
    sizes s = sizes_of(w->s->mma);
    const char *error = shim::download(w->a, w->t.a + s.a * i, s.a);
    if (!error)
        error = shim::download(w->b, w->t.b + s.b * i, s.b);
    if (!error)
        error = shim::download(w->c, w->t.c + s.d / 4 * i, s.d);
    return error ? error : shim::download(w->d, w->t.d + s.d / 4 * i, s.d);
}

inline const char *keep_miss(sweep *w, uint64_t index, uint64_t right)
{
    const gpu_mma *m = w->s->mma;
    element e = element_at(w->from, w->t, static_cast<uint32_t>(index));
    const char *error = fetch_tile(w, e.tile);
    size_t row = static_cast<size_t>(m->k * m->a_bytes);
    size_t at = static_cast<size_t>(e.row * m->columns + e.column);
    gpu_mma_miss *miss = &w->answer->miss[w->answer->misses++];
    miss->tile = w->t.number(e.tile);
    miss->row = e.row;
    miss->column = e.column;
    memcpy(miss->a, w->a + row * static_cast<size_t>(e.row), row);
    memcpy(miss->b, w->b + row * static_cast<size_t>(e.column), row);
    miss->c = w->c[at];
    miss->got = w->d[at];
    miss->right = static_cast<uint32_t>(right);
    return error;
}

/* The differences that were found in a chunk. */
inline const char *gather(sweep *w)
{
    uint64_t differ = 0, kept[2 * GPU_MMA_MISSES];
    const char *error = shim::download(&differ, w->differ, sizeof differ);
    if (error || differ == 0)
        return error;
    w->answer->differ += differ;
    error = shim::download(kept, w->kept, sizeof kept);
    for (uint64_t i = 0; i < differ && w->answer->misses < GPU_MMA_MISSES && !error; i++)
        error = keep_miss(w, kept[2 * i], kept[2 * i + 1]);
    return error;
}

inline const char *tell(sweep *w)
{
    const gpu_mma_sweep *s = w->s;
    const char *error = nullptr;
    for (uint32_t i = 0; i < w->t.count && !error; i++) {
        if (!s->tell || s->sample == 0 || mixed(s->seed ^ mixed(w->t.number(i))) % s->sample != 0)
            continue;
        error = fetch_tile(w, i);
        gpu_mma_tiles one = {s->mma, s->unit, w->a, w->b, w->c, w->d, 1, 1};
        if (!error)
            s->tell(s->context, w->t.number(i), &one);
    }
    return error;
}

inline uint32_t flip_of(int negate, sf8_format f)
{
    return negate ? static_cast<uint32_t>(sf8_format_sign_bit(f)) : 0;
}

/* Operands, products, and expected results. C is there, or is made. */
inline const char *step(sweep *w, bool accumulators)
{
    const gpu_mma *m = w->s->mma;
    uint64_t elements = static_cast<uint64_t>(m->rows * m->columns) * w->t.count;
    judge beside = {w->from,
                    w->t,
                    flip_of(m->negate_a, w->from.unit.a),
                    flip_of(m->negate_b, w->from.unit.b),
                    w->differ,
                    w->kept,
                    GPU_MMA_MISSES};
    const char *error = shim::fill(w->differ, 0, sizeof *w->differ);
    if (!error)
        error = shim::fill(w->t.d, poison, elements * 4);
    if (!error)
        error = w->clock.mark(0);
    if (!error)
        error = shim::launch(fill_operands{w->from, w->t}, elements);
    if (!error && accumulators)
        error = shim::launch(fill_accumulators{w->from, w->t}, elements);
    if (!error)
        error = w->clock.mark(1);
    if (!error)
        error = w->l->launch(w->t, w->from.unit, 1);
    if (!error)
        error = w->clock.mark(2);
    if (!error)
        error = shim::launch(beside, elements);
    if (!error)
        error = w->clock.mark(3);
    if (!error)
        error = w->clock.wait();
    double all = 0, mma = 0;
    if (!error)
        error = w->clock.seconds(0, 3, &all);
    if (!error)
        error = w->clock.seconds(1, 2, &mma);
    w->answer->seconds += all;
    w->answer->mma_seconds += mma;
    w->answer->elements += elements;
    if (!error)
        error = gather(w);
    return error ? error : tell(w);
}

/* In a chain D is the next C; the tiles of its steps have different numbers. */
inline const char *run_chunk(sweep *w)
{
    const uint64_t first = w->t.first;
    const int steps = w->s->kind == GPU_MMA_CHAIN ? GPU_MMA_STEPS : 1;
    const char *error = nullptr;
    for (int i = 0; i < steps && !error; i++) {
        w->t.first = first + (static_cast<uint64_t>(i) << 40);
        error = step(w, i == 0);
        if (steps > 1) {
            uint32_t *c = w->t.c;
            w->t.c = w->t.d;
            w->t.d = c;
        }
    }
    w->t.first = first;
    return error;
}

inline const char *begin(sweep *w, uint64_t chunk)
{
    sizes s = sizes_of(w->s->mma);
    const char *error = w->l->prepare();
    if (!error)
        error = shim::prepare<fill_operands>();
    if (!error)
        error = shim::prepare<fill_accumulators>();
    if (!error)
        error = shim::prepare<judge>();
    if (!error)
        error = w->clock.begin();
    if (!error)
        error = allocate(&w->t, w->s->mma, chunk);
    if (!error)
        error = shim::allocate(&w->differ, sizeof *w->differ);
    if (!error)
        error = shim::allocate(&w->kept, 2 * GPU_MMA_MISSES * sizeof *w->kept);
    w->a = static_cast<unsigned char *>(malloc(s.a + s.b + 2 * s.d));
    if (!w->a)
        return "malloc: out of memory";
    w->b = w->a + s.a;
    w->c = reinterpret_cast<uint32_t *>(w->b + s.b);
    w->d = w->c + s.d / 4;
    return error;
}

inline const char *run_sweep(const gpu_mma_sweep *s, gpu_mma_answer *answer)
{
    const gpu_mma *m = s->mma;
    sweep w = {};
    w.s = s;
    w.answer = answer;
    w.l = launcher_of(m);
    if (!w.l)
        return "not an instruction of the list";
    w.from = {s->kind, m->rows, m->columns, m->k, s->seed, *s->unit};
    uint64_t chunk = elements_most / static_cast<uint64_t>(m->rows * m->columns);
    chunk = chunk < s->count ? chunk : s->count;
    const char *error = begin(&w, chunk);
    for (uint64_t at = 0; at < s->count && !error; at += chunk) {
        w.t.first = s->first + at * s->stride;
        w.t.stride = s->stride;
        w.t.count = static_cast<uint32_t>(s->count - at < chunk ? s->count - at : chunk);
        error = run_chunk(&w);
    }
    void *const memory[] = {w.t.a, w.t.b, w.t.c, w.t.d, w.differ, w.kept};
    error = release(memory, 6, error);
    const char *now = w.clock.end();
    free(w.a);
    return error ? error : now;
}

} // namespace mma

const char *gpu_mma_run(const gpu_mma_tiles *t)
{
    return mma::run_tiles(t);
}

const char *gpu_mma_sweep_run(const gpu_mma_sweep *s, gpu_mma_answer *answer)
{
    memset(answer, 0, sizeof *answer);
    return mma::run_sweep(s, answer);
}

#endif

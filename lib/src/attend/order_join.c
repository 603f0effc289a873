/* SPDX-License-Identifier: MIT */
/* order_join.c -- attention in another stack's order: the parts of a row, and joining them */
#include "attend/order_job.h"
#include "softfp8_attend.h"
#include "softfp8_f32.h"

#include <string.h>

/* ---- parts ----------------------------------------------------------------------------------- */

static size_t sf8_order_quotient_up(size_t a, size_t b)
{
    return a / b + (a % b != 0);
}

static size_t sf8_order_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

SF8_PRIVATE size_t sf8_order_parts(const sf8_attend_order *o, size_t keys, size_t cut)
{
    switch (o->split) {
    case SF8_SPLIT_COUNT:
    case SF8_SPLIT_KEYS:
        return cut;
    case SF8_SPLIT_SEGMENTS:
        return (size_t)o->size;
    case SF8_SPLIT_SIZE:
        return keys ? sf8_order_quotient_up(keys, (size_t)o->size) : 1;
    case SF8_SPLIT_PREFIX:
        return 2;
    default:
        return 1;
    }
}

/* Begins with the tile that has the first key; tiles are counted from `origin`. */
static sf8_order_part sf8_order_begun(const sf8_order_job *job, size_t origin, size_t end)
{
    sf8_order_part p = {origin, end};
    size_t tile = (size_t)job->o->tile;
    if (tile && job->from > origin)
        p.first += (job->from - origin) / tile * tile;
    p.first = sf8_order_least(p.first, end);
    return p;
}

/* The i-th part by the number of tiles or keys, whether or not its keys take part. */
static sf8_order_part sf8_order_cut(const sf8_order_job *job, size_t i)
{
    const sf8_attend_order *o = job->o;
    size_t tile = (size_t)o->tile, to = job->to, size;
    sf8_order_part p = sf8_order_begun(job, 0, to);
    if (o->split == SF8_SPLIT_COUNT && job->cut > 1) {
        size = sf8_order_quotient_up(sf8_order_quotient_up(to - p.first, tile), job->cut) * tile;
        p.first = sf8_order_least(p.first + i * size, to);
        p.end = sf8_order_least(p.first + size, to);
    } else if (o->split == SF8_SPLIT_SEGMENTS) {
        size = sf8_order_quotient_up(job->a.keys, (size_t)o->size * tile) * tile;
        p = sf8_order_begun(job, i * size, sf8_order_least((i + 1) * size, to));
    } else if (o->split == SF8_SPLIT_KEYS) {
        size = sf8_order_quotient_up(to, job->cut);
        p.first = sf8_order_least(i * size, to);
        p = sf8_order_begun(job, p.first, sf8_order_least(p.first + size, to));
    } else if (o->split == SF8_SPLIT_SIZE) {
        size = (size_t)o->size;
        p.first = sf8_order_least(i * size, to);
        p.end = sf8_order_least(p.first + size, to);
    } else if (o->split == SF8_SPLIT_PREFIX) {
        p = i == 0 ? sf8_order_begun(job, 0, sf8_order_least(job->cut, to))
                   : sf8_order_begun(job, sf8_order_least(job->cut, to), to);
    }
    return p;
}

/* A part without keys that take part has no tile, so that none of its slots is read. */
SF8_PRIVATE sf8_order_part sf8_order_part_of(const sf8_order_job *job, size_t i)
{
    sf8_order_part p = sf8_order_cut(job, i);
    if (job->from >= p.end)
        p.first = p.end;
    return p;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* n parts of a row, each of 2 + columns values: maximum or lse, the sum, the channels. */
typedef struct sf8_joining {
    const uint32_t *parts;
    size_t n, columns;
    int32_t fuse, base2;
    uint32_t *out;
    const uint32_t *sink; /* NULL: none */
} sf8_joining;

static const uint32_t *sf8_join_part(const sf8_joining *j, size_t i)
{
    return j->parts + i * (2 + j->columns);
}

static uint32_t sf8_join_most(const sf8_joining *j)
{
    uint32_t most = SF8_F32_NEG_INF;
    for (size_t i = 0; i < j->n; i++)
        most = sf8_f32_most(most, sf8_join_part(j, i)[0]);
    return most;
}

/* a b + c, with the product rounded or not. */
static uint32_t sf8_join_add(const sf8_joining *j, uint32_t a, uint32_t b, uint32_t c)
{
    return j->fuse ? sf8_f32_fma(a, b, c) : sf8_f32_add(sf8_f32_mul(a, b), c);
}

static uint32_t sf8_join_vllm(const sf8_joining *j)
{
    uint32_t lse = sf8_join_part(j, 0)[0];
    memcpy(j->out, sf8_join_part(j, 0) + 2, j->columns * sizeof *j->out);
    for (size_t i = 1; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        sf8_merged m = sf8_f32_merge_fused_n(SF8_MERGE_VLLM, j->fuse, j->out, j->out, lse, part + 2,
                                             part[0], j->columns);
        lse = m.lse;
    }
    return lse;
}

/* e^(lse - from), as FlashAttention-3 or as FlashAttention-4 computes it. */
static uint32_t sf8_join_weight(uint32_t join, uint32_t lse, uint32_t from)
{
    if (join == SF8_JOIN_FA3)
        return sf8_f32_exp(sf8_f32_sub(lse, from));
    from = sf8_f32_mul(from, SF8_F32_LOG2E);
    return sf8_f32_exp2(sf8_f32_fma(lse, SF8_F32_LOG2E, from ^ 0x80000000u));
}

/* e^(lse - largest) of each part, times 1 / their sum. */
static uint32_t sf8_join_combine(const sf8_joining *j, uint32_t join)
{
    uint32_t most = sf8_join_most(j), from = most == SF8_F32_NEG_INF ? 0 : most, sum = 0, inverse;
    for (size_t i = 0; i < j->n; i++)
        sum = sf8_f32_add(sum, sf8_join_weight(join, sf8_join_part(j, i)[0], from));
    inverse = sf8_f32_is_nan(sum) || sf8_f32_magnitude(sum) == 0 ? 0
                                                                 : sf8_f32_div(SF8_F32_ONE, sum);
    memset(j->out, 0, j->columns * sizeof *j->out);
    for (size_t i = 0; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        uint32_t weight = sf8_f32_mul(sf8_join_weight(join, part[0], from), inverse);
        if (sf8_f32_is_nan(weight) || sf8_f32_order(weight) <= 0)
            continue;
        for (size_t c = 0; c < j->columns; c++)
            j->out[c] = sf8_join_add(j, weight, part[2 + c], j->out[c]);
    }
    return sf8_f32_add(sf8_f32_log(sum), most);
}

/* A state is the largest score, the sum and the output. The sum of a part is 1. */
static uint32_t sf8_join_flashinfer(const sf8_joining *j)
{
    uint32_t most = SF8_F32_NEG_INF, sum = SF8_F32_ONE;
    memset(j->out, 0, j->columns * sizeof *j->out);
    for (size_t i = 0; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        uint32_t larger = sf8_f32_most(most, part[0]);
        uint32_t old = sf8_f32_exp2(sf8_f32_most(sf8_f32_sub(most, larger), SF8_F32_NEG_INF));
        uint32_t fresh = sf8_f32_exp2(sf8_f32_most(sf8_f32_sub(part[0], larger), SF8_F32_NEG_INF));
        sum = sf8_join_add(j, sum, old, fresh);
        for (size_t c = 0; c < j->columns; c++)
            j->out[c] = sf8_join_add(j, j->out[c], old, sf8_f32_mul(part[2 + c], fresh));
        most = larger;
    }
    for (size_t c = 0; c < j->columns; c++)
        j->out[c] = sf8_f32_magnitude(sum) == 0 ? 0 : sf8_f32_div(j->out[c], sum);
    return sf8_f32_add(sf8_f32_log2(sum), most);
}

/* The result so far and the next part that has a key, each times e^(its lse - the larger). */
static uint32_t sf8_join_sglang(const sf8_joining *j)
{
    uint32_t most = SF8_F32_NEG_INF, sum = 0;
    memset(j->out, 0, j->columns * sizeof *j->out);
    for (size_t i = 0; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        uint32_t larger = sf8_f32_most(most, part[0]);
        uint32_t old = sf8_f32_mul(sf8_f32_sub(most, larger), SF8_F32_LOG2E);
        uint32_t fresh = sf8_f32_mul(sf8_f32_sub(part[0], larger), SF8_F32_LOG2E);
        if (part[0] == SF8_F32_NEG_INF)
            continue;
        old = sf8_f32_exp2(old);
        fresh = sf8_f32_exp2(fresh);
        sum = sf8_join_add(j, sum, old, fresh);
        for (size_t c = 0; c < j->columns; c++)
            j->out[c] = sf8_join_add(j, fresh, part[2 + c], sf8_f32_mul(j->out[c], old));
        most = larger;
    }
    if (j->sink)
        sum = sf8_f32_add(sum,
                          sf8_f32_exp2(sf8_f32_mul(sf8_f32_sub(*j->sink, most), SF8_F32_LOG2E)));
    for (size_t c = 0; c < j->columns; c++)
        j->out[c] = most == SF8_F32_NEG_INF ? 0 : sf8_f32_div(j->out[c], sum);
    return most == SF8_F32_NEG_INF ? most : sf8_f32_add(most, sf8_f32_log(sum));
}

/* To the base of the logarithms. */
static uint32_t sf8_join_power(const sf8_joining *j, uint32_t x)
{
    return j->base2 ? sf8_f32_exp2(x) : sf8_f32_exp(x);
}

static uint32_t sf8_join_log(const sf8_joining *j, uint32_t x)
{
    return j->base2 ? sf8_f32_log2(x) : sf8_f32_log(x);
}

/* 32 threads add the weights of their parts; then by halves. The logarithm of all has to be finite,
 * or no part counts. */
static uint32_t sf8_join_global(const sf8_joining *j)
{
    enum { THREADS = 32 };
    uint32_t most = sf8_join_most(j), from = most == SF8_F32_NEG_INF ? 0 : most;
    uint32_t lanes[THREADS] = {0}, all = SF8_F32_INF, lse = SF8_F32_NEG_INF, sink, sum;
    for (size_t i = 0; i < j->n; i++) {
        uint32_t share = sf8_join_power(j, sf8_f32_sub(sf8_join_part(j, i)[0], from));
        lanes[i % THREADS] = sf8_f32_add(lanes[i % THREADS], share);
    }
    sum = sf8_order_halves(lanes, THREADS);
    if (!sf8_f32_is_nan(sum) && sf8_f32_magnitude(sum) != 0)
        all = lse = sf8_f32_add(sf8_join_log(j, sum), from);
    if (j->sink && all != SF8_F32_INF) {
        sink = j->base2 ? sf8_f32_mul(*j->sink, SF8_F32_LOG2E) : *j->sink;
        sum = sf8_f32_add(SF8_F32_ONE, sf8_join_power(j, sf8_f32_sub(sink, all)));
        all = sf8_f32_add(all, sf8_join_log(j, sum));
    }
    memset(j->out, 0, j->columns * sizeof *j->out);
    for (size_t i = 0; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        uint32_t weight = sf8_join_power(j, sf8_f32_sub(part[0], all));
        for (size_t c = 0; c < j->columns; c++)
            j->out[c] = sf8_join_add(j, weight, part[2 + c], j->out[c]);
    }
    return lse;
}

/* Weights are e^(maximum - largest). The channels and sums of all parts are added by halves and
 * then divided. */
static uint32_t sf8_join_segments(const sf8_joining *j)
{
    uint32_t room[SF8_JOIN_SEGMENTS_MOST] = {0}, factor[SF8_JOIN_SEGMENTS_MOST];
    uint32_t most = sf8_join_most(j), sum;
    for (size_t i = 0; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        uint32_t less = part[0] == SF8_F32_NEG_INF ? SF8_F32_NEG_INF : sf8_f32_sub(part[0], most);
        factor[i] = sf8_f32_exp2(j->base2 ? less : sf8_f32_mul(less, SF8_F32_LOG2E));
        room[i] = sf8_f32_mul(part[1], factor[i]);
    }
    sum = sf8_order_halves(room, j->n);
    for (size_t c = 0; c < j->columns; c++) {
        for (size_t i = 0; i < j->n; i++)
            room[i] = sf8_f32_mul(sf8_join_part(j, i)[2 + c], factor[i]);
        j->out[c] = sf8_order_halves(room, j->n);
        j->out[c] = sf8_f32_magnitude(sum) == 0 ? 0 : sf8_f32_div(j->out[c], sum);
    }
    return most == SF8_F32_NEG_INF ? most : sf8_f32_add(most, sf8_join_log(j, sum));
}

static uint32_t sf8_join_share(const uint32_t *part, uint32_t most)
{
    return sf8_f32_mul(part[1], sf8_f32_exp(sf8_f32_sub(part[0], most)));
}

/* 128 threads add their partitions, as in a part. */
static uint32_t sf8_join_partitions(const sf8_joining *j)
{
    uint32_t most = sf8_join_most(j), lanes[SF8_ORDER_THREADS], sum, inverse;
    memset(lanes, 0, sizeof lanes);
    for (size_t i = 0; i < j->n; i++) {
        uint32_t *lane = lanes + i % SF8_ORDER_THREADS;
        *lane = sf8_f32_add(*lane, sf8_join_share(sf8_join_part(j, i), most));
    }
    sum = sf8_order_block_sum(lanes);
    inverse = sf8_f32_div(SF8_F32_ONE, sf8_f32_add(sum, 0x358637bdu)); /* 1e-6 */
    memset(j->out, 0, j->columns * sizeof *j->out);
    for (size_t i = 0; i < j->n; i++) {
        const uint32_t *part = sf8_join_part(j, i);
        uint32_t share = sf8_join_share(part, most);
        for (size_t c = 0; c < j->columns; c++)
            j->out[c] = sf8_join_add(j, sf8_f32_mul(part[2 + c], share), inverse, j->out[c]);
    }
    return sf8_f32_add(most, sf8_f32_log(sum));
}

static uint32_t sf8_join_all(const sf8_joining *j, uint32_t join)
{
    return join == SF8_JOIN_VLLM         ? sf8_join_vllm(j)
           : join == SF8_JOIN_FLASHINFER ? sf8_join_flashinfer(j)
           : join == SF8_JOIN_SEGMENTS   ? sf8_join_segments(j)
           : join == SF8_JOIN_PARTITIONS ? sf8_join_partitions(j)
           : join == SF8_JOIN_SGLANG     ? sf8_join_sglang(j)
           : join == SF8_JOIN_GLOBAL     ? sf8_join_global(j)
                                         : sf8_join_combine(j, join);
}

sf8_status sf8_attend_join_n(uint32_t join, int32_t fuse, uint32_t *out, uint32_t *lse,
                             const uint32_t *parts, size_t n, size_t columns)
{
    const sf8_joining j = {parts, n, columns, fuse != SF8_FUSE_NONE, 0, out, NULL};
    int32_t power = n > 0 && (n & (n - 1)) == 0;
    if (n == 0 || join > SF8_JOIN_GLOBAL || (fuse != SF8_FUSE_NONE && fuse != SF8_FUSE_SUM))
        return SF8_BAD_CALL;
    if (join == SF8_JOIN_SEGMENTS && (!power || n > SF8_JOIN_SEGMENTS_MOST))
        return SF8_BAD_CALL;
    *lse = sf8_join_all(&j, join);
    return SF8_OK;
}

SF8_PRIVATE uint32_t sf8_order_join(sf8_order_job *job, size_t n)
{
    const sf8_attend_order *o = job->o;
    const uint32_t *part = job->parts;
    int32_t sinks = job->sink && o->sink == SF8_SINK_JOINED;
    const sf8_joining all = {
        part, n, job->columns, 1, o->base2, job->out, sinks ? job->sink : NULL};
    if (o->join == SF8_JOIN_SEGMENTS && o->split == SF8_SPLIT_SEGMENTS)
        return sf8_join_segments(&all);
    if (n > 1 || (sinks && o->join == SF8_JOIN_SGLANG))
        return sf8_join_all(&all, o->join);
    memcpy(job->out, part + 2, job->columns * sizeof *job->out);
    if (o->join != SF8_JOIN_PARTITIONS)
        return part[0];
    return part[0] == SF8_F32_NEG_INF ? part[0] : sf8_f32_add(part[0], sf8_f32_log(part[1]));
}

/* SPDX-License-Identifier: MIT */
/* attend_order_join.c -- attention in another stack's order: parts of a row, and how they are
 * joined */
#include "attend_order_job.h"
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

/* From the tile on that has the first key; tiles are counted from `origin`. */
static sf8_order_part sf8_order_begun(const sf8_order_job *job, size_t origin, size_t end)
{
    sf8_order_part p = {origin, end};
    size_t tile = (size_t)job->o->tile;
    if (tile && job->from > origin)
        p.first += (job->from - origin) / tile * tile;
    p.first = sf8_order_least(p.first, end);
    return p;
}

/* The i-th part by the number of tiles or keys, whichever keys take part. */
static sf8_order_part sf8_order_cut(const sf8_order_job *job, size_t i)
{
    const sf8_attend_order *o = job->o;
    size_t tile = (size_t)o->tile, to = job->to, size;
    sf8_order_part p = sf8_order_begun(job, 0, to);
    if (o->split == SF8_SPLIT_COUNT) {
        size = sf8_order_quotient_up(sf8_order_quotient_up(to - p.first, tile), job->cut) * tile;
        p.first = sf8_order_least(p.first + i * size, to);
        p.end = sf8_order_least(p.first + size, to);
    } else if (o->split == SF8_SPLIT_SEGMENTS) {
        size = sf8_order_quotient_up(job->a.keys, (size_t)o->size * tile) * tile;
        p = sf8_order_begun(job, i * size, sf8_order_least((i + 1) * size, to));
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

/* A part in which no key takes part has no tile: none of its slots is read. */
SF8_PRIVATE sf8_order_part sf8_order_part_of(const sf8_order_job *job, size_t i)
{
    sf8_order_part p = sf8_order_cut(job, i);
    if (job->from >= p.end)
        p.first = p.end;
    return p;
}

/* ---- joining --------------------------------------------------------------------------------- */

/* The i-th part: most or lse, the sum, then its channels. */
static uint32_t *sf8_order_at(const sf8_order_job *job, size_t i)
{
    return job->parts + i * (2 + job->columns);
}

static uint32_t sf8_order_most_of(const sf8_order_job *job, size_t n)
{
    uint32_t most = SF8_F32_NEG_INF;
    for (size_t i = 0; i < n; i++)
        most = sf8_f32_most(most, sf8_order_at(job, i)[0]);
    return most;
}

static uint32_t sf8_order_join_vllm(sf8_order_job *job, size_t n)
{
    uint32_t lse = sf8_order_at(job, 0)[0];
    memcpy(job->out, sf8_order_at(job, 0) + 2, job->columns * sizeof *job->out);
    for (size_t i = 1; i < n; i++) {
        const uint32_t *part = sf8_order_at(job, i);
        sf8_merged m = sf8_f32_merge_n(SF8_MERGE_VLLM, job->out, job->out, lse, part + 2, part[0],
                                       job->columns);
        lse = m.lse;
    }
    return lse;
}

/* e^(lse - largest) of each part, times 1 / their sum; the weights go to the place of the sums. */
static uint32_t sf8_order_join_fa3(sf8_order_job *job, size_t n)
{
    uint32_t most = sf8_order_most_of(job, n), sum = 0, inverse;
    for (size_t i = 0; i < n; i++) {
        uint32_t *part = sf8_order_at(job, i);
        part[1] = sf8_f32_exp(sf8_f32_sub(part[0], most == SF8_F32_NEG_INF ? 0 : most));
        sum = sf8_f32_add(sum, part[1]);
    }
    inverse = sf8_f32_is_nan(sum) || sf8_f32_magnitude(sum) == 0 ? 0
                                                                 : sf8_f32_div(SF8_F32_ONE, sum);
    memset(job->out, 0, job->columns * sizeof *job->out);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *part = sf8_order_at(job, i);
        uint32_t weight = sf8_f32_mul(part[1], inverse);
        if (sf8_f32_is_nan(weight) || sf8_f32_order(weight) <= 0)
            continue;
        for (size_t c = 0; c < job->columns; c++)
            job->out[c] = sf8_f32_fma(weight, part[2 + c], job->out[c]);
    }
    return sf8_f32_add(sf8_f32_log(sum), most);
}

/* A state of largest, sum and output, the sum of a part being 1. */
static uint32_t sf8_order_join_flashinfer(sf8_order_job *job, size_t n)
{
    uint32_t most = SF8_F32_NEG_INF, sum = SF8_F32_ONE;
    memset(job->out, 0, job->columns * sizeof *job->out);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *part = sf8_order_at(job, i);
        uint32_t larger = sf8_f32_most(most, part[0]);
        uint32_t old = sf8_f32_exp2(sf8_f32_most(sf8_f32_sub(most, larger), SF8_F32_NEG_INF));
        uint32_t fresh = sf8_f32_exp2(sf8_f32_most(sf8_f32_sub(part[0], larger), SF8_F32_NEG_INF));
        sum = sf8_f32_fma(sum, old, fresh);
        for (size_t c = 0; c < job->columns; c++)
            job->out[c] = sf8_f32_fma(job->out[c], old, sf8_f32_mul(part[2 + c], fresh));
        most = larger;
    }
    for (size_t c = 0; c < job->columns; c++)
        job->out[c] = sf8_f32_magnitude(sum) == 0 ? 0 : sf8_f32_div(job->out[c], sum);
    return sf8_f32_add(sf8_f32_log2(sum), most);
}

/* Weights that are e^(most - largest); channels and sums of all parts by halves, then divided. */
static uint32_t sf8_order_join_segments(sf8_order_job *job, size_t n)
{
    enum { MOST = 64 };
    uint32_t most = sf8_order_most_of(job, n), room[MOST], factor[MOST], sum;
    for (size_t i = 0; i < n; i++) {
        const uint32_t *part = sf8_order_at(job, i);
        uint32_t less = part[0] == SF8_F32_NEG_INF ? SF8_F32_NEG_INF : sf8_f32_sub(part[0], most);
        factor[i] = sf8_f32_exp2(sf8_f32_mul(less, SF8_F32_LOG2E));
        room[i] = sf8_f32_mul(part[1], factor[i]);
    }
    sum = sf8_order_halves(room, n);
    for (size_t c = 0; c < job->columns; c++) {
        for (size_t i = 0; i < n; i++)
            room[i] = sf8_f32_mul(sf8_order_at(job, i)[2 + c], factor[i]);
        job->out[c] = sf8_order_halves(room, n);
        job->out[c] = sf8_f32_magnitude(sum) == 0 ? 0 : sf8_f32_div(job->out[c], sum);
    }
    return most == SF8_F32_NEG_INF ? most : sf8_f32_add(most, sf8_f32_log(sum));
}

/* 128 threads add what they have of the partitions, as in a part. */
static uint32_t sf8_order_join_partitions(sf8_order_job *job, size_t n)
{
    uint32_t most = sf8_order_most_of(job, n), lanes[SF8_ORDER_THREADS], sum, inverse;
    memset(lanes, 0, sizeof lanes);
    for (size_t i = 0; i < n; i++) {
        uint32_t *part = sf8_order_at(job, i);
        part[1] = sf8_f32_mul(part[1], sf8_f32_exp(sf8_f32_sub(part[0], most)));
        lanes[i % SF8_ORDER_THREADS] = sf8_f32_add(lanes[i % SF8_ORDER_THREADS], part[1]);
    }
    sum = sf8_order_block_sum(lanes);
    inverse = sf8_f32_div(SF8_F32_ONE, sf8_f32_add(sum, 0x358637bdu)); /* 1e-6 */
    memset(job->out, 0, job->columns * sizeof *job->out);
    for (size_t i = 0; i < n; i++) {
        const uint32_t *part = sf8_order_at(job, i);
        for (size_t c = 0; c < job->columns; c++)
            job->out[c] = sf8_f32_fma(sf8_f32_mul(part[2 + c], part[1]), inverse, job->out[c]);
    }
    return sf8_f32_add(most, sf8_f32_log(sum));
}

SF8_PRIVATE uint32_t sf8_order_join(sf8_order_job *job, size_t n)
{
    const sf8_attend_order *o = job->o;
    uint32_t *part = sf8_order_at(job, 0);
    if (n > 1 && o->join == SF8_JOIN_VLLM)
        return sf8_order_join_vllm(job, n);
    if (n > 1 && o->join == SF8_JOIN_FA3)
        return sf8_order_join_fa3(job, n);
    if (n > 1 && o->join == SF8_JOIN_FLASHINFER)
        return sf8_order_join_flashinfer(job, n);
    if (o->join == SF8_JOIN_SEGMENTS && o->split == SF8_SPLIT_SEGMENTS)
        return sf8_order_join_segments(job, n);
    if (n > 1)
        return sf8_order_join_partitions(job, n);
    memcpy(job->out, part + 2, job->columns * sizeof *job->out);
    if (o->join != SF8_JOIN_PARTITIONS)
        return part[0];
    return part[0] == SF8_F32_NEG_INF ? part[0] : sf8_f32_add(part[0], sf8_f32_log(part[1]));
}

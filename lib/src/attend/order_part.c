/* SPDX-License-Identifier: MIT */
/* order_part.c -- attention in another stack's order: one part of a row */
#include "attend/order_job.h"

#include <string.h>

/* ---- scores ---------------------------------------------------------------------------------- */

static uint32_t sf8_order_chain(const uint32_t *q, const uint32_t *k, size_t dim)
{
    uint32_t sum = 0;
    for (size_t d = 0; d < dim; d++)
        sum = sf8_f32_fma(q[d], k[d], sum);
    return sum;
}

/* Two threads take vectors of four elements alternately. Each adds its four sums; then the two
 * results are added. */
static uint32_t sf8_order_threads(const uint32_t *q, const uint32_t *k, size_t dim)
{
    uint32_t lane[SF8_ORDER_LANES] = {0};
    for (size_t d = 0; d < dim; d++)
        lane[d % SF8_ORDER_LANES] = sf8_f32_fma(q[d], k[d], lane[d % SF8_ORDER_LANES]);
    for (size_t l = 0; l < 8; l += 4)
        for (size_t i = 1; i < 4; i++)
            lane[l] = sf8_f32_add(lane[l], lane[l + i]);
    return sf8_f32_add(lane[0], lane[4]);
}

/* Four registers of eight sums. */
static uint32_t sf8_order_avx2(const uint32_t *q, const uint32_t *k, size_t dim)
{
    uint32_t lane[32] = {0};
    for (size_t d = 0; d < dim; d++)
        lane[d % 32] = sf8_f32_fma(q[d], k[d], lane[d % 32]);
    for (size_t half = 16; half > 2; half /= 2)
        for (size_t l = 0; l < half; l++)
            lane[l] = sf8_f32_add(lane[l], lane[l + half]);
    return sf8_f32_add(sf8_f32_add(lane[0], lane[1]), sf8_f32_add(lane[2], lane[3]));
}

/* The products of a query and n keys. */
static void sf8_order_unit_dots(sf8_order_job *job, size_t first, size_t n, uint32_t *dot)
{
    size_t dim = job->read.dim;
    sf8_mma_operands x = {job->q_operand, job->k_operand, NULL, NULL};
    if (sf8_order_panel_dots(job, first, n, dot)) {
        for (size_t j = 0; j < n; j++)
            dot[j] = sf8_order_canonical(dot[j]);
        return;
    }
    const uint32_t *keys = sf8_order_read(job, &job->read.k, first, SF8_ATTEND_CHUNK);
    for (size_t i = 0; i < SF8_ATTEND_CHUNK * dim; i++)
        sf8_order_put(job, job->k_operand, i, keys[i]);
    sf8_mma_matmul(&job->mma, NULL, dot, NULL, x, 1, SF8_ATTEND_CHUNK, dim);
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        dot[j] = sf8_order_canonical(dot[j]);
}

static uint32_t sf8_order_score(const sf8_order_job *job, uint32_t product)
{
    uint32_t score;
    if (job->cap_by && job->o->cap == SF8_CAP_PRODUCT)
        product = sf8_attend_order_capped(job->o, product, job->cap_by);
    score = sf8_attend_order_score(job->o, product, job->factor);
    return job->cap_by && job->o->cap == SF8_CAP_SCORE
               ? sf8_attend_order_capped(job->o, score, job->cap_by)
               : score;
}

/* Computes the scores of a tile and their maximum over the keys that take part. */
static uint32_t sf8_order_scores(sf8_order_job *job, size_t first, size_t tile)
{
    size_t dim = job->read.dim;
    uint32_t most = SF8_F32_NEG_INF;
    for (size_t at = 0; at < tile; at += SF8_ATTEND_CHUNK) {
        size_t rows = sf8_order_stretch(tile, at);
        const uint32_t *keys = NULL;
        uint32_t dot[SF8_ATTEND_CHUNK];
        if (job->o->dot == SF8_PRODUCTS_UNIT)
            sf8_order_unit_dots(job, first + at, rows, dot);
        else if (!sf8_order_panel_dots(job, first + at, rows, dot))
            keys = sf8_order_read(job, &job->read.k, first + at, rows);
        for (size_t j = 0; j < SF8_ATTEND_CHUNK && at + j < tile; j++) {
            if (!sf8_order_takes_part(job, first + at + j))
                continue;
            if (keys && job->o->dot == SF8_PRODUCTS_CHAIN)
                dot[j] = sf8_order_chain(job->q, keys + j * dim, dim);
            else if (keys && job->o->dot == SF8_PRODUCTS_THREADS)
                dot[j] = sf8_order_threads(job->q, keys + j * dim, dim);
            else if (keys)
                dot[j] = sf8_order_avx2(job->q, keys + j * dim, dim);
            job->scores[at + j] = sf8_order_score(job, dot[j]);
            most = sf8_f32_most(most, job->scores[at + j]);
        }
    }
    return most;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* What a row is while its tiles are computed. */
typedef struct sf8_order_row {
    uint32_t most, sum[SF8_ORDER_SUMS];
} sf8_order_row;

static uint32_t sf8_order_rounded(const sf8_order_job *job, uint32_t weight)
{
    if (job->o->weight == SF8_WEIGHT_HALF)
        return sf8_order_half(job, weight);
    return job->o->weight == SF8_WEIGHT_E4M3 ? sf8_order_via(job->codes, weight) : weight;
}

/* The rounded weights of a tile times 1. */
static uint32_t sf8_order_unit_sum(sf8_order_job *job, size_t tile, uint32_t sum)
{
    for (size_t at = 0; at < tile; at += SF8_ATTEND_CHUNK) {
        size_t n = sf8_order_stretch(tile, at);
        for (size_t j = 0; j < n; j++) {
            sf8_order_put(job, job->weight_operand, j, job->scores[at + j]);
            sf8_order_put(job, job->v_operand, j, SF8_F32_ONE);
        }
        sum = sf8_mma_dot(&job->mma, job->weight_operand, job->v_operand, NULL, NULL, n, sum);
    }
    return sf8_order_canonical(sum);
}

/* Adds the weights of a tile to the sums of the row. */
static void sf8_order_add_weights(sf8_order_job *job, sf8_order_row *row, size_t tile,
                                  uint32_t rescale)
{
    const uint32_t *w = job->scores;
    uint32_t *room = job->scores + tile;
    if (job->o->sum_rounded) {
        for (size_t j = 0; j < tile; j++)
            room[j] = sf8_order_rounded(job, w[j]);
        w = room;
    }
    if (job->o->sum == SF8_SUM_HALVES) {
        if (w != room)
            memcpy(room, w, tile * sizeof *w);
        row->sum[0] = sf8_f32_fma(row->sum[0], rescale, sf8_order_halves(room, tile));
    } else if (job->o->sum == SF8_SUM_UNIT) {
        row->sum[0] = sf8_f32_mul(row->sum[0], rescale);
    } else if (job->o->sum == SF8_SUM_GROUPS) {
        sf8_order_add_group(job, row->sum, w, tile, rescale);
    } else {
        sf8_order_add_lanes(job->o, row->sum, w, tile, rescale);
    }
}

/* Turns scores into weights, and returns the factor for earlier sums of the part. */
static uint32_t sf8_order_weigh(sf8_order_job *job, sf8_order_row *row, size_t first, size_t tile)
{
    uint32_t before = row->most, rescale;
    row->most = sf8_f32_most(before, sf8_order_scores(job, first, tile));
    rescale = sf8_attend_order_rescale(job->o, before, job->factor, &row->most);
    for (size_t j = 0; j < tile; j++)
        job->scores[j] = sf8_order_takes_part(job, first + j)
                             ? sf8_attend_order_weight(job->o, job->scores[j], job->factor,
                                                       row->most)
                             : 0;
    sf8_order_add_weights(job, row, tile, rescale);
    return rescale;
}

/* Adds all sums of the row. */
static uint32_t sf8_order_sum(const sf8_order_job *job, const sf8_order_row *row)
{
    return sf8_order_sum_all(job->o, row->sum);
}

/* ---- the end --------------------------------------------------------------------------------- */

/* Whether no weight counts. */
static int32_t sf8_order_is_zero_or_nan(uint32_t sum)
{
    return sf8_f32_is_nan(sum) || sf8_f32_magnitude(sum) == 0;
}

static uint32_t sf8_order_inverse(const sf8_order_job *job, uint32_t top, uint32_t sum)
{
    int32_t none = job->o->end == SF8_END_RECIPROCAL ? top == SF8_F32_NEG_INF
                                                     : sf8_order_is_zero_or_nan(sum);
    return sf8_f32_mul(none ? 0 : sf8_f32_div(SF8_F32_ONE, sum),
                       job->o->v_scale == SF8_V_IN_INVERSE ? job->v_scale : SF8_F32_ONE);
}

/* e^x, or 2^x if scores are folded. */
static uint32_t sf8_order_power(const sf8_order_job *job, uint32_t x)
{
    if (job->o->score == SF8_SCORE_NATURAL)
        return sf8_f32_exp(x);
    return sf8_f32_exp2(job->o->score == SF8_SCORE_SCALED ? sf8_f32_mul(x, SF8_F32_LOG2E) : x);
}

/* A sink to the base of scores. */
static uint32_t sf8_order_sink(const sf8_order_job *job)
{
    int32_t natural = job->o->score == SF8_SCORE_NATURAL || job->o->score == SF8_SCORE_SCALED;
    return natural ? *job->sink : sf8_f32_mul(*job->sink, SF8_F32_LOG2E);
}

/* The largest score of a row; if scores are folded, times the factor, to the base 2. */
static uint32_t sf8_order_top(const sf8_order_job *job, const sf8_order_row *row)
{
    return sf8_attend_order_scales(job->o) || row->most == SF8_F32_NEG_INF
               ? row->most
               : sf8_f32_mul(row->most, job->factor);
}

/* A sink that ends a part: *sum and *top as they are with it. Returns what channels are multiplied
 * by. */
static uint32_t sf8_order_end_sink(const sf8_order_job *job, sf8_order_row *row, uint32_t *sum,
                                   uint32_t *top)
{
    int32_t scaled = sf8_attend_order_scales(job->o);
    uint32_t sink = sf8_order_sink(job), offset, old, larger;
    if (job->o->sink == SF8_SINK_KEY) {
        larger = sf8_f32_most(*top, sink);
        if (larger == SF8_F32_NEG_INF)
            return SF8_F32_ONE;
        old = sf8_order_power(job, sf8_f32_sub(*top, larger));
        *sum = sf8_f32_fma(*sum, old, sf8_order_power(job, sf8_f32_sub(sink, larger)));
        *top = larger;
        return old;
    }
    if (row->most == SF8_F32_NEG_INF)
        row->most = *top = 0;
    if (scaled)
        sink = sf8_f32_sub(sink, row->most);
    if (!scaled) {
        offset = sf8_f32_of(job->o->offset) ^ 0x80000000u;
        larger = sf8_f32_fma(row->most, job->factor, offset) ^ 0x80000000u;
        sink = job->o->score == SF8_SCORE_FOLDED ? sf8_f32_fma(SF8_F32_LOG2E, *job->sink, larger)
                                                 : sf8_f32_add(sink, larger);
    }
    *sum = sf8_f32_add(*sum, sf8_order_power(job, sink));
    return SF8_F32_ONE;
}

/* The logarithm of the sum of the exponentials. */
static uint32_t sf8_order_lse(const sf8_order_job *job, const sf8_order_row *row, uint32_t top,
                              uint32_t sum)
{
    const sf8_attend_order *o = job->o;
    if (o->end == SF8_END_LOG2) {
        uint32_t log = sf8_f32_sub(sf8_f32_log2(sum), sf8_f32_of(o->offset));
        if (sf8_order_is_zero_or_nan(sum))
            return SF8_F32_NEG_INF;
        return sf8_f32_mul(sf8_f32_fma(row->most, job->factor, log), SF8_F32_LN2);
    }
    if (sf8_order_is_guarded(o)) {
        uint32_t least = (uint32_t)(127 - o->offset) << 23;
        uint32_t factor = o->end == SF8_END_SCALE ? job->scale
                                                  : sf8_f32_mul(job->factor, SF8_F32_LN2);
        sum = sf8_f32_mul(sum, least);
        if (sf8_order_is_zero_or_nan(sum))
            return SF8_F32_NEG_INF;
        return sf8_f32_fma(row->most, factor, sf8_f32_log(sum));
    }
    if (top == SF8_F32_NEG_INF)
        return sf8_f32_is_nan(sum) ? SF8_F32_NAN : SF8_F32_NEG_INF;
    if (o->base2)
        return sf8_f32_add(sf8_f32_log2(sum), top);
    if (!sf8_attend_order_scales(o) || o->score == SF8_SCORE_SCALED_2)
        return sf8_f32_add(sf8_f32_mul(top, SF8_F32_LN2), sf8_f32_log(sum));
    return sf8_f32_add(top, sf8_f32_log(sum));
}

/* Adds the lanes of SF8_VALUES_THREADS: the two of a warp, then warps 0 and 2, 1 and 3, then
 * both. */
static uint32_t sf8_order_channel(const sf8_order_job *job, size_t c)
{
    uint32_t warp[SF8_ORDER_WARPS];
    if (job->o->values != SF8_VALUES_THREADS)
        return job->sums[c];
    for (size_t w = 0; w < SF8_ORDER_WARPS; w++)
        warp[w] = sf8_f32_add(job->sums[2 * w * job->columns + c],
                              job->sums[(2 * w + 1) * job->columns + c]);
    return sf8_order_halves(warp, SF8_ORDER_WARPS);
}

/* Whether the sink of a row ends its only part, though it is one for parts that are joined. */
static int32_t sf8_order_sinks_alone(const sf8_order_job *job)
{
    return job->o->sink == SF8_SINK_JOINED && job->o->join == SF8_JOIN_GLOBAL &&
           job->parts_count == 1;
}

static void sf8_order_end(sf8_order_job *job, sf8_order_row *row, uint32_t sum, uint32_t *part)
{
    const sf8_attend_order *o = job->o;
    uint32_t inverse = 0, unfactor = sf8_f32_div(SF8_F32_ONE, sf8_f32_of(o->weight_factor));
    uint32_t top = sf8_order_top(job, row), sunk = SF8_F32_ONE;
    int32_t inverts = sf8_order_is_guarded(o) || o->end == SF8_END_RECIPROCAL;
    int32_t states = o->join == SF8_JOIN_SEGMENTS && o->split == SF8_SPLIT_SEGMENTS;
    int32_t ends = o->sink == SF8_SINK_LAST || o->sink == SF8_SINK_KEY;
    if (job->sink && ends && job->part == 0)
        sunk = sf8_order_end_sink(job, row, &sum, &top);
    part[0] = states || o->join == SF8_JOIN_PARTITIONS ? row->most
                                                       : sf8_order_lse(job, row, top, sum);
    if (job->sink && sf8_order_sinks_alone(job))
        sf8_order_end_sink(job, row, &sum, &top);
    if (inverts)
        inverse = sf8_order_inverse(job, top, sum);
    part[1] = sum;
    for (size_t c = 0; c < job->columns; c++) {
        uint32_t x = sf8_order_channel(job, c);
        if (sunk != SF8_F32_ONE)
            x = sf8_f32_mul(x, sunk);
        if (o->end == SF8_END_QUOTIENT && !states)
            x = sf8_f32_div(x, sum);
        else if (inverts)
            x = sf8_f32_mul(x, inverse);
        if (o->weight_factor > 1)
            x = sf8_f32_mul(x, unfactor);
        if (o->v_scale == SF8_V_IN_INVERSE && !inverts)
            x = sf8_f32_mul(x, job->v_scale);
        part[2 + c] = o->half_parts ? sf8_order_half(job, x) : x;
    }
}

/* The weights of all keys are computed before the first value is read. */
static void sf8_order_divide_weights(sf8_order_job *job, size_t tile, uint32_t sum)
{
    uint32_t more = job->o->end == SF8_END_WEIGHTS ? 0x358637bdu : 0; /* 1e-6 */
    uint32_t inverse = sf8_f32_div(SF8_F32_ONE, sf8_f32_add(sum, more));
    if (!more && sf8_order_is_zero_or_nan(sum))
        inverse = 0;
    for (size_t j = 0; j < tile; j++)
        job->scores[j] = sf8_f32_mul(job->scores[j], inverse);
}

/* Rounds the weights of a tile, as they are multiplied by values. */
static void sf8_order_round_weights(const sf8_order_job *job, uint32_t *weight, size_t tile)
{
    uint32_t factor = sf8_f32_of(job->o->weight_factor);
    for (size_t j = 0; j < tile; j++)
        weight[j] = sf8_order_rounded(
            job, job->o->weight_factor > 1 ? sf8_f32_mul(weight[j], factor) : weight[j]);
}

/* The i-th tile that is computed. */
static void sf8_order_run_tile(sf8_order_job *job, sf8_order_row *row, size_t first, size_t tile,
                               size_t i, int32_t last)
{
    uint32_t rescale = sf8_order_weigh(job, row, first, tile);
    if (sf8_order_divides_weights(job->o)) {
        row->sum[0] = sf8_order_sum(job, row);
        sf8_order_divide_weights(job, tile, row->sum[0]);
    }
    sf8_order_round_weights(job, job->scores, tile);
    if (job->o->sum == SF8_SUM_UNIT)
        row->sum[0] = sf8_order_unit_sum(job, tile, row->sum[0]);
    sf8_order_add_values(job, first, tile, rescale, i, last);
}

/* Two tiles of SF8_VALUES_GROUPS, of which the second may be missing. */
static void sf8_order_run_pair(sf8_order_job *job, sf8_order_row *row, size_t first, size_t second,
                               size_t tile, int32_t both)
{
    size_t half = job->columns / 2, rest = job->columns - half;
    uint32_t rescale = SF8_F32_ONE;
    job->is_second = 0;
    job->first_factor = sf8_order_weigh(job, row, first, tile);
    memcpy(job->before, job->scores, tile * sizeof *job->before);
    sf8_order_round_weights(job, job->scores, tile);
    sf8_order_add_half(job, first, tile, job->scores, job->first_factor, 0, half);
    if (both) {
        job->is_second = 1;
        rescale = sf8_order_weigh(job, row, second, tile);
        sf8_order_round_weights(job, job->scores, tile);
        sf8_order_add_half(job, second, tile, job->scores, rescale, 0, half);
        sf8_order_add_half(job, second, tile, job->scores, sf8_f32_mul(rescale, job->first_factor),
                           half, rest);
    } else {
        for (size_t l = 4; l < 8; l++)
            row->sum[l] = sf8_f32_mul(row->sum[l], job->first_factor);
    }
    for (size_t j = 0; j < tile; j++)
        job->before[j] = sf8_f32_mul(job->before[j], rescale);
    sf8_order_round_weights(job, job->before, tile);
    sf8_order_add_half(job, first, tile, job->before, both ? SF8_F32_ONE : job->first_factor, half,
                       rest);
}

SF8_PRIVATE void sf8_order_put_query(sf8_order_job *job)
{
    for (size_t d = 0; d < job->read.dim; d++)
        sf8_order_put(job, job->q_operand, d, job->q[d]);
}

/* The sums of a part before its first tile. */
static void sf8_order_row_start(const sf8_order_job *job, sf8_order_row *row)
{
    memset(row, 0, sizeof *row);
    row->most = SF8_F32_NEG_INF;
    row->sum[0] = job->o->end == SF8_END_QUOTIENT ? SF8_F32_ONE : 0;
    if (job->sink && job->o->sink == SF8_SINK_FIRST && job->part == 0) {
        row->most = sf8_order_sink(job);
        row->sum[0] = SF8_F32_ONE;
    }
}

SF8_PRIVATE void sf8_order_run_part(sf8_order_job *job, sf8_order_part p, uint32_t *part)
{
    const sf8_attend_order *o = job->o;
    sf8_order_row row;
    size_t tile = sf8_order_tile(o, p.end - p.first), step = o->values == SF8_VALUES_GROUPS ? 2 : 1;
    size_t tiles = p.end > p.first ? (p.end - p.first + tile - 1) / tile : 0;
    job->end = p.end;
    job->read_k = job->read_v = SIZE_MAX;
    sf8_order_row_start(job, &row);
    memset(job->sums, 0, SF8_ORDER_LANES * job->columns * sizeof *job->sums);
    for (size_t i = 0; i < tiles; i += step) {
        size_t t = o->descends ? tiles - 1 - i : i, next = o->descends ? t - 1 : t + 1;
        if (step == 2)
            sf8_order_run_pair(job, &row, p.first + t * tile, p.first + next * tile, tile,
                               i + 1 < tiles);
        else
            sf8_order_run_tile(job, &row, p.first + t * tile, tile, i, i + 1 == tiles);
    }
    sf8_order_end(job, &row, sf8_order_divides_weights(o) ? row.sum[0] : sf8_order_sum(job, &row),
                  part);
}

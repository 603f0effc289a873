/* SPDX-License-Identifier: MIT */
/* order_values.c -- attention in another stack's order: weights times values */
#include "attend/order_job.h"

static int32_t sf8_order_multiplied(const sf8_order_job *job, size_t position)
{
    return job->o->others == SF8_OTHERS_AS_THEY_ARE || sf8_order_takes_part(job, position);
}

/* The channels from `from` on, `columns` of them. */
static void sf8_order_unit_values(sf8_order_job *job, size_t first, const uint32_t *weight,
                                  size_t n, uint32_t *sum, size_t from, size_t columns)
{
    sf8_mma_operands x = {job->weight_operand, job->v_operand, NULL, NULL};
    size_t done = sf8_order_panel_values(job, first, weight, n, sum, from, columns);
    if (done == columns)
        return;
    from += done;
    columns -= done;
    const uint32_t *values = sf8_order_read(job, &job->read.v, first, n);
    for (size_t j = 0; j < n; j++) {
        const uint32_t *value = values + j * job->columns + from;
        int32_t multiplied = sf8_order_multiplied(job, first + j);
        sf8_order_put(job, job->weight_operand, j, weight[j]);
        for (size_t c = 0; c < columns; c++)
            sf8_order_put(job, job->v_operand, c * n + j, multiplied ? value[c] : 0);
    }
    sf8_mma_matmul(&job->mma, NULL, sum + from, sum + from, x, 1, columns, n);
}

/* A sum of values as it is kept between operations. */
static uint32_t sf8_order_kept(const sf8_order_job *job, uint32_t sum)
{
    return job->o->values == SF8_VALUES_CHAIN_HALF ? sf8_order_half(job, sum) : sum;
}

/* The keys j to end - 1 of a stretch. */
static void sf8_order_chain_some(sf8_order_job *job, size_t first, const uint32_t *weight, size_t n,
                                 size_t j, size_t end, uint32_t *sum)
{
    int32_t multiplied = j < end && sf8_order_multiplied(job, first + j);
    size_t done = 0;
    if (j == end || (job->o->others == SF8_OTHERS_LEFT_OUT && !multiplied))
        return;
    if (multiplied)
        done = sf8_order_loop_values(job, first + j, weight + j, end - j, sum);
    if (done == job->columns)
        return;
    const uint32_t *values = sf8_order_read(job, &job->read.v, first, n);
    for (; j < end; j++)
        for (size_t c = done; c < job->columns; c++) {
            uint32_t v = multiplied ? values[j * job->columns + c] : 0;
            sum[c] = sf8_order_kept(job, sf8_f32_fma(weight[j], v, sum[c]));
        }
}

/* Those before the first key that takes part, those that do, and those behind them. */
static void sf8_order_chain_values(sf8_order_job *job, size_t first, const uint32_t *weight,
                                   size_t n, uint32_t *sum)
{
    size_t from = job->from > first ? job->from - first : 0;
    size_t to = job->end > first ? job->end - first : 0;
    from = from < n ? from : n;
    to = to < from ? from : to < n ? to : n;
    if (job->o->others == SF8_OTHERS_AS_THEY_ARE) {
        from = 0;
        to = n;
    }
    sf8_order_chain_some(job, first, weight, n, 0, from, sum);
    sf8_order_chain_some(job, first, weight, n, from, to, sum);
    sf8_order_chain_some(job, first, weight, n, to, n, sum);
}

/* The sum of n products, n a power of two, each rounded to half: neighbours first, then one pair
 * after the other. */
static uint32_t sf8_order_eight(const sf8_order_job *job, const uint32_t *weight,
                                const uint32_t *value, size_t stride, const int32_t *multiplied)
{
    uint32_t sum = 0;
    for (size_t j = 0; j < 8; j += 2) {
        uint32_t pair[2];
        for (size_t i = 0; i < 2; i++)
            pair[i] = sf8_order_half(
                job, sf8_f32_mul(weight[j + i], multiplied[j + i] ? value[(j + i) * stride] : 0));
        pair[0] = sf8_f32_add(pair[0], pair[1]);
        sum = j == 0 ? pair[0] : sf8_f32_add(sum, pair[0]);
    }
    return sum;
}

/* Warps take blocks of 16 keys in turn; two of a warp's lanes take the two halves of a block. */
static void sf8_order_thread_values(sf8_order_job *job, size_t first, const uint32_t *weight,
                                    size_t at, size_t n)
{
    size_t columns = job->columns;
    for (size_t j = 0; j < n; j += 8) {
        int32_t multiplied[8], all = 1;
        size_t lane = (at + j) / 16 % SF8_ORDER_WARPS * 2 + (at + j) / 8 % 2;
        uint32_t *sum = job->sums + lane * columns;
        for (size_t i = 0; i < 8; i++)
            all &= multiplied[i] = sf8_order_multiplied(job, first + j + i);
        size_t c = all ? sf8_order_loop_values(job, first + j, weight + j, 8, sum) : 0;
        if (c == columns)
            continue;
        const uint32_t *values = sf8_order_read(job, &job->read.v, first, n);
        for (; c < columns; c++)
            sum[c] = sf8_f32_add(sum[c], sf8_order_eight(job, weight + j, values + j * columns + c,
                                                         columns, multiplied));
    }
}

SF8_PRIVATE void sf8_order_add_values(sf8_order_job *job, size_t first, size_t tile,
                                      uint32_t rescale, size_t i, int32_t last)
{
    size_t promote = (size_t)job->o->promote;
    int32_t alone = job->o->values == SF8_VALUES_UNIT_TILE && i >= promote;
    int32_t promoted = alone && (last || (i + 1) % promote == 0);
    uint32_t *sum = alone ? job->tile : job->sums;
    for (size_t c = 0; c < job->columns && job->o->values != SF8_VALUES_THREADS; c++) {
        job->sums[c] = sf8_order_kept(job, sf8_f32_mul(job->sums[c], rescale));
        job->tile[c] = i % promote == 0 ? 0 : sf8_f32_mul(job->tile[c], rescale);
    }
    for (size_t at = 0; at < tile; at += SF8_ATTEND_CHUNK) {
        size_t n = sf8_order_stretch(tile, at);
        if (job->o->values == SF8_VALUES_CHAIN || job->o->values == SF8_VALUES_CHAIN_HALF)
            sf8_order_chain_values(job, first + at, job->scores + at, n, sum);
        else if (job->o->values == SF8_VALUES_THREADS)
            sf8_order_thread_values(job, first + at, job->scores + at, at, n);
        else
            sf8_order_unit_values(job, first + at, job->scores + at, n, sum, 0, job->columns);
    }
    for (size_t c = 0; c < job->columns; c++)
        if (promoted)
            job->sums[c] = sf8_f32_add(job->tile[c], job->sums[c]);
        else
            sum[c] = sf8_order_canonical(sum[c]);
}

SF8_PRIVATE void sf8_order_add_half(sf8_order_job *job, size_t first, size_t tile,
                                    const uint32_t *weight, uint32_t rescale, size_t from,
                                    size_t columns)
{
    for (size_t c = from; c < from + columns; c++)
        job->sums[c] = sf8_f32_mul(job->sums[c], rescale);
    for (size_t at = 0; at < tile; at += SF8_ATTEND_CHUNK) {
        size_t n = sf8_order_stretch(tile, at);
        sf8_order_unit_values(job, first + at, weight + at, n, job->sums, from, columns);
    }
    for (size_t c = from; c < from + columns; c++)
        job->sums[c] = sf8_order_canonical(job->sums[c]);
}

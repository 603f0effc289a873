/* SPDX-License-Identifier: MIT */
/* order_sum.c -- attention in another stack's order: sums of weights that are kept apart */
#include "attend/order_job.h"

#include <string.h>

/* Adds a tile to four of eight sums, those of its group: neighbours, octet after octet, and that to
 * the sum times the factor. The other group is rescaled with the second tile of a pair. */
SF8_PRIVATE void sf8_order_add_group(const sf8_order_job *job, uint32_t *sum, const uint32_t *w,
                                     size_t tile, uint32_t rescale)
{
    uint32_t both = job->is_second ? sf8_f32_mul(rescale, job->first_factor) : rescale;
    for (size_t l = 0; l < 4; l++) {
        uint32_t own = 0, *to = job->is_second ? sum + 4 + l : sum + l;
        for (size_t j = 2 * l; j < tile; j += 8)
            own = sf8_f32_add(own, sf8_f32_add(w[j], w[j + 1]));
        *to = sf8_f32_fma(*to, both, own);
        if (job->is_second)
            sum[l] = sf8_f32_mul(sum[l], rescale);
    }
}

/* The digits of sum_bits, the last one first in `digit`; -1 if one is 0 or is there twice. */
SF8_PRIVATE int32_t sf8_order_sum_digits(const sf8_attend_order *o, int32_t digit[9])
{
    int32_t n = 0, seen = 0;
    for (int32_t bits = o->sum_bits; bits > 0; bits /= 10) {
        if (bits % 10 == 0 || n == 9 || (seen >> bits % 10 & 1))
            return -1;
        seen |= 1 << bits % 10;
        digit[n++] = bits % 10;
    }
    return n;
}

/* Several sums: the bits of a key's number that tell them apart, in the order in which they are
 * joined, and what they begin with. */
typedef struct sf8_order_summing {
    int32_t bit[9], n;
    uint32_t seed;
} sf8_order_summing;

static sf8_order_summing sf8_order_summing_of(const sf8_attend_order *o)
{
    static const struct {
        int32_t sum_bits;
        uint32_t seed;
    } named[] = {
        {0, SF8_SEED_KEPT},       /* chain */
        {32, SF8_SEED_KEPT},      /* quads */
        {0, SF8_SEED_KEPT},       /* halves: not by bits */
        {0, SF8_SEED_KEPT},       /* unit */
        {5432176, SF8_SEED_KEPT}, /* threads */
        {1, SF8_SEED_KEPT},       /* pairs */
        {231, SF8_SEED_FIRST},    /* octets */
        {4321, SF8_SEED_KEPT},    /* sixteens */
    };
    sf8_attend_order own = *o;
    sf8_order_summing s = {{0}, 0, o->sum_seed};
    int32_t digit[9];
    if (o->sum < SF8_SUM_BITS) {
        own.sum_bits = named[o->sum].sum_bits;
        s.seed = named[o->sum].seed;
    }
    s.n = sf8_order_sum_digits(&own, digit);
    for (int32_t i = 0; i < s.n; i++)
        s.bit[i] = digit[s.n - 1 - i] - 1;
    return s;
}

/* The sum to which a key of the tile belongs. Sums that differ in bit i are joined i-th. */
static size_t sf8_order_lane(const sf8_order_summing *s, size_t key)
{
    size_t lane = 0;
    for (int32_t i = 0; i < s->n; i++)
        lane |= (key >> s->bit[i] & 1) << i;
    return lane;
}

static uint32_t sf8_order_join_lanes(const sf8_order_summing *s, const uint32_t *from)
{
    uint32_t lane[SF8_ORDER_SUMS];
    memcpy(lane, from, (sizeof *lane) << s->n);
    for (int32_t i = 0; i < s->n; i++)
        for (size_t l = 0; l < (size_t)1 << s->n; l += (size_t)2 << i)
            lane[l] = sf8_f32_add(lane[l], lane[l + ((size_t)1 << i)]);
    return lane[0];
}

/* Adds the weights of a tile to several sums, which begin as the seed says. */
SF8_PRIVATE void sf8_order_add_lanes(const sf8_attend_order *o, uint32_t *sum, const uint32_t *w,
                                     size_t tile, uint32_t rescale)
{
    const sf8_order_summing s = sf8_order_summing_of(o);
    size_t lanes = (size_t)1 << s.n;
    uint32_t lane[SF8_ORDER_SUMS] = {0}, half = 0x3f000000u; /* 0.5 */
    if (s.seed == SF8_SEED_FIRST)
        lane[0] = sf8_f32_mul(sum[0], rescale);
    if (s.seed == SF8_SEED_PAIR)
        lane[0] = lane[lanes / 2] = sf8_f32_mul(sum[0], sf8_f32_mul(rescale, half));
    for (size_t l = 0; l < lanes && s.seed == SF8_SEED_KEPT; l++)
        lane[l] = sf8_f32_mul(sum[l], rescale);
    for (size_t j = 0; j < tile; j++) {
        uint32_t *to = &lane[sf8_order_lane(&s, j)];
        *to = sf8_f32_add(*to, w[j]);
    }
    if (s.seed == SF8_SEED_KEPT)
        memcpy(sum, lane, lanes * sizeof *lane);
    else if (s.seed == SF8_SEED_TILE)
        sum[0] = sf8_f32_fma(sum[0], rescale, sf8_order_join_lanes(&s, lane));
    else if (s.seed != SF8_SEED_OWN)
        sum[0] = sf8_order_join_lanes(&s, lane);
    for (size_t l = 0; l < lanes && s.seed == SF8_SEED_OWN; l++)
        sum[l] = sf8_f32_fma(sum[l], rescale, lane[l]);
}

SF8_PRIVATE uint32_t sf8_order_sum_all(const sf8_attend_order *o, const uint32_t *sum)
{
    const sf8_order_summing s = sf8_order_summing_of(o), group = {{0, 1}, 2, SF8_SEED_KEPT};
    if (o->sum == SF8_SUM_GROUPS)
        return sf8_f32_add(sf8_order_join_lanes(&group, sum),
                           sf8_order_join_lanes(&group, sum + 4));
    return s.seed == SF8_SEED_KEPT || s.seed == SF8_SEED_OWN ? sf8_order_join_lanes(&s, sum)
                                                             : sum[0];
}

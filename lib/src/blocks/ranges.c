/* SPDX-License-Identifier: MIT */
/* ranges.c -- the elements of a tensor as f32, and the ranges of its blocks: what sf8_block_take
 * does, for many blocks at once */
#include "blocks/block_vector.h"

#if SF8_HAS_X86

#include <string.h>

/* ---- the tensor's words ---------------------------------------------------------------------- */

SF8_PRIVATE const uint32_t *sf8_lanes_load(sf8_lanes *w, const unsigned char *src, size_t i,
                                           size_t n)
{
    uint16_t half[SF8_LANES_PIECE];
    uint32_t *words = w->words;
    if (sf8_format_bits(w->tensor) == 32) {
        const void *at = src + 4 * i;
        if ((uintptr_t)at % 4 == 0)
            return (const uint32_t *)at;
        memcpy(words, at, 4 * n);
        return words;
    }
    uint32_t left = w->tensor.exp_bits == 8 ? 16 : 0;
    memcpy(half, src + 2 * i, 2 * n);
    for (size_t k = 0; k < n; k++)
        words[k] = (uint32_t)half[k] << left;
    if (left == 0) {
        for (size_t k = n; k < sf8_lanes_whole(n); k++)
            words[k] = 0;
        w->ops->of_f16(words, words, words, words, sf8_lanes_whole(n));
    }
    return words;
}

/* ---- what blocks have ------------------------------------------------------------------------ */

static uint32_t sf8_lanes_word(int32_t order)
{
    return order < 0 ? 0x80000000u | (uint32_t)-order : (uint32_t)order;
}

/* The least or greatest element of a block that begins at the i-th element. Of several zeros it is
 * the first. */
static uint32_t sf8_lanes_end(sf8_lanes *w, int32_t order, const unsigned char *src, size_t i,
                              size_t count)
{
    for (size_t at = 0; order == 0 && at < count; at += SF8_LANES_PIECE) {
        size_t n = count - at < SF8_LANES_PIECE ? count - at : SF8_LANES_PIECE;
        const uint32_t *x = sf8_lanes_load(w, src, i + at, n);
        for (size_t k = 0; k < n; k++)
            if (sf8_f32_magnitude(sf8_lanes_at(x, k)) == 0)
                return sf8_lanes_at(x, k);
    }
    return sf8_lanes_word(order);
}

/* For a block of NaN only: its variables are the last element, or the NaN of the core. */
static void sf8_lanes_no_number(sf8_lanes *w, size_t block, const unsigned char *src, size_t i,
                                size_t count)
{
    uint32_t last = sf8_lanes_at(sf8_lanes_load(w, src, i + count - 1, 1), 0);
    int32_t made = w->r->amax_nan == SF8_AMAX_NAN && count > 1;
    w->block[SF8_VAR_amax][block] = made ? SF8_F32_NAN : sf8_f32_magnitude(last);
    w->block[SF8_VAR_low][block] = w->block[SF8_VAR_high][block] = made ? SF8_F32_NAN : last;
    w->block[SF8_VAR_peak][block] = made ? SF8_F32_NAN : last;
}

/* The first element of a given magnitude in a block that begins at the i-th element. There is
 * one. */
static uint32_t sf8_lanes_first(sf8_lanes *w, uint32_t magnitude, const unsigned char *src,
                                size_t i, size_t count)
{
    for (size_t at = 0; at < count; at += SF8_LANES_PIECE) {
        size_t n = count - at < SF8_LANES_PIECE ? count - at : SF8_LANES_PIECE;
        const uint32_t *x = sf8_lanes_load(w, src, i + at, n);
        for (size_t k = 0; k < n; k++)
            if (sf8_f32_magnitude(sf8_lanes_at(x, k)) == magnitude)
                return sf8_lanes_at(x, k);
    }
    return SF8_F32_NAN;
}

/* One block for which the common result does not suffice. */
static void sf8_lanes_set_range(sf8_lanes *w, size_t block, const sf8_lanes_range *range,
                                const unsigned char *src, size_t i, size_t count)
{
    int32_t most = range->most[block];
    if (w->r->amax_nan == SF8_AMAX_NAN ? most > (int32_t)SF8_F32_INF : most < 0) {
        sf8_lanes_no_number(w, block, src, i, count);
        return;
    }
    if (w->asked & SF8_LANES_ENDS) {
        w->block[SF8_VAR_low][block] = sf8_lanes_end(w, range->low[block], src, i, count);
        w->block[SF8_VAR_high][block] = sf8_lanes_end(w, range->high[block], src, i, count);
    }
    if (w->asked & SF8_LANES_PEAK)
        w->block[SF8_VAR_peak][block] = sf8_lanes_first(w, w->block[SF8_VAR_amax][block], src, i,
                                                        count);
}

/* The ranges of a group whose first element is the i-th of the tensor. `see_nan` is how they were
 * found. */
static void sf8_lanes_set_ranges(sf8_lanes *w, const sf8_lanes_group *group,
                                 const sf8_lanes_range *range, int32_t see_nan,
                                 const unsigned char *src, size_t i)
{
    uint32_t *amax = w->block[SF8_VAR_amax], any = w->asked & (SF8_LANES_ENDS | SF8_LANES_PEAK);
    if (!w->has_nan) {
        memcpy(amax, range->most, 4 * group->blocks);
    } else if (see_nan) {
        for (size_t b = 0; b < group->blocks; b++) {
            int32_t most = range->most[b];
            amax[b] = most > (int32_t)SF8_F32_INF ? SF8_F32_NAN : (uint32_t)most;
        }
        any |= group->count == 1;
    } else {
        for (size_t b = 0; b < group->blocks; b++) {
            amax[b] = (uint32_t)range->most[b] - SF8_LANES_ABOVE_INF;
            any |= range->most[b] < 0;
        }
    }
    for (size_t b = 0; any && b < group->blocks; b++)
        sf8_lanes_set_range(w, b, range, src, i + b * group->count, group->count);
}

static int32_t sf8_larger(int32_t a, int32_t b)
{
    return a > b ? a : b;
}

/* Finds the ranges of a group. Returns the largest `most`. */
static int32_t sf8_lanes_find_ranges(sf8_lanes *w, sf8_lanes_range *range,
                                     const sf8_lanes_group *group, int32_t see_nan,
                                     const unsigned char *src, size_t i)
{
    int32_t ends = (w->asked & SF8_LANES_ENDS) != 0;
    size_t n = group->count * group->blocks, at = n < SF8_LANES_PIECE ? n : SF8_LANES_PIECE;
    const uint32_t *x = sf8_lanes_load(w, src, i, at);
    int32_t most = w->ops->ranges(range, x, at / group->blocks, group->blocks, see_nan, ends);
    for (; at < n; at += SF8_LANES_PIECE) { /* of one block */
        size_t count = n - at < SF8_LANES_PIECE ? n - at : SF8_LANES_PIECE;
        sf8_lanes_range more;
        w->ops->ranges(&more, sf8_lanes_load(w, src, i + at, count), count, 1, see_nan, ends);
        most = range->most[0] = sf8_larger(range->most[0], more.most[0]);
        if (ends) {
            range->low[0] = -sf8_larger(-range->low[0], -more.low[0]);
            range->high[0] = sf8_larger(range->high[0], more.high[0]);
        }
    }
    return most;
}

/* As long as there is no NaN, it does not matter whether one would count. So the ranges are found
 * again if there is one, and it does not count. */
SF8_PRIVATE void sf8_lanes_ranges(sf8_lanes *w, const sf8_lanes_group *group,
                                  const unsigned char *src, size_t i)
{
    sf8_lanes_range range;
    int32_t see_nan = 1, most = sf8_lanes_find_ranges(w, &range, group, see_nan, src, i);
    w->has_nan = most > (int32_t)SF8_F32_INF;
    w->has_inf = most >= (int32_t)SF8_F32_INF;
    if (SF8_RARE(w->has_nan && w->r->amax_nan != SF8_AMAX_NAN)) {
        see_nan = 0;
        (void)sf8_lanes_find_ranges(w, &range, group, see_nan, src, i);
    }
    sf8_lanes_set_ranges(w, group, &range, see_nan, src, i);
}

#endif

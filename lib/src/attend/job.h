/* SPDX-License-Identifier: MIT */
/* job.h -- a request of attention while it is worked on */
#ifndef SF8_ATTEND_JOB_H
#define SF8_ATTEND_JOB_H

#include "levels/level.h"
#include "softfp8_attend.h"
#include "softfp8_kv_store.h"
#include "softfp8_mma.h"

/* The number of queries that are computed together, so that each chunk is read once for all of
 * them. */
enum { SF8_ATTEND_QUERIES = 16, SF8_ATTEND_MOST_DIM = 1024 };

/* The loops of a level for the orders of other stacks without a matrix unit: `dots` in the order of
 * SF8_PRODUCTS_..., of 64 keys that lie channel by channel, `stride` apart; `values` and `eight`
 * add weights times values to sums, as order_values.c does it, and return how many channels. Products
 * or sums are rounded to `half`. */
enum { SF8_ORDER_F32, SF8_ORDER_F16, SF8_ORDER_BF16 };
typedef struct sf8_order_loops {
    void (*dots[4])(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q, const uint32_t *keys,
                    size_t stride, size_t dim);
    size_t (*values)(uint32_t *sum, const uint32_t *weight, const uint32_t *values, size_t columns,
                     size_t keys, int32_t half);
    size_t (*eight)(uint32_t *sum, const uint32_t *weight, const uint32_t *values, size_t columns,
                    int32_t half);
} sf8_order_loops;

/* The functions of a level: the operations of <softfp8/attend/attend.h> on a whole chunk. Keys and
 * values are SF8_ATTEND_CHUNK rows of `dim` f32. Rows of keys that take no part are 0. If the level
 * has `turn`, `across` has the keys channel by channel. The score of a key that takes no part may
 * be anything. NaN is written as 7fc00000. */
typedef struct sf8_attend_ops {
    void (*turn)(uint32_t *across, const uint32_t *keys, size_t dim);
    void (*dots)(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q, const uint32_t *keys,
                 size_t dim);
    void (*scores)(uint32_t score[SF8_ATTEND_CHUNK], sf8_attend_factor f, const uint32_t *k_scale);
    sf8_attend_head (*weights)(uint32_t weight[SF8_ATTEND_CHUNK],
                               const uint32_t score[SF8_ATTEND_CHUNK], uint64_t mask);
    void (*scale)(uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *v_scale);
    void (*values)(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *values,
                   size_t dim, uint64_t mask);
    void (*join)(uint32_t *before, const uint32_t *after, sf8_attend_joint j, size_t n);
    const sf8_order_loops *orders; /* or NULL */
} sf8_attend_ops;

SF8_PRIVATE const sf8_attend_ops *sf8_attend_core_ops(void);

/* A partial result with `dim` channels of values. */
typedef struct sf8_attend_partial {
    sf8_attend_head head;
    uint32_t *sum;
} sf8_attend_partial;

/* One side, keys or values: how elements and scales of rows are read. */
typedef struct sf8_attend_side {
    const sf8_attend_cache *cache;
    sf8_recipe reader;
    int32_t by_row; /* rows have scales of their own, which elements do not include */
    size_t dim;
    uint32_t *words;  /* [heads of the cache][SF8_ATTEND_CHUNK][dim] */
    uint32_t *scales; /* [heads of the cache][SF8_ATTEND_CHUNK], if by_row */
} sf8_attend_side;

typedef struct sf8_attend_job {
    const sf8_attend *a;
    const sf8_attend_ops *ops;
    const char *level; /* of the unit's products */
    sf8_mma mma;
    size_t kv_heads, group, dim, columns; /* query heads for each head of the cache; of k, of v */
    sf8_attend_side k, v;
    uint32_t *q;             /* [queries of a tile][heads][dim]: f32, or operands of 16 bits */
    uint32_t *across;        /* transposed keys of a head, or its values */
    uint32_t *scores, *rows; /* [group][SF8_ATTEND_CHUNK]; partial results [group][2 + columns] */
    uint32_t *weights;       /* [group][SF8_ATTEND_CHUNK], for a unit, in 16 bits */
    uint32_t *sums;          /* [group][columns], for a unit */
    uint32_t *spans, *totals;
} sf8_attend_job;

/* Prepares a request and its scratch memory. Returns SF8_OK, SF8_UNKNOWN_NAME or SF8_BAD_CALL. */
SF8_PRIVATE sf8_status sf8_attend_begin(sf8_attend_job *job, const char *level, const sf8_attend *a,
                                        uint32_t *room, size_t room_words);
/* Reads keys or values `first` to `end` - 1, at most SF8_ATTEND_CHUNK, to `words` and `scales`; the
 * remaining ones up to SF8_ATTEND_CHUNK become 0. `end` may be beyond the last key, but not beyond
 * its block. */
SF8_PRIVATE void sf8_attend_read_keys(sf8_attend_job *job, sf8_attend_side *s, size_t first,
                                      size_t end);
/* Reads keys and values of a chunk, with their scales, into their sides. */
SF8_PRIVATE void sf8_attend_read_chunk(sf8_attend_job *job, size_t chunk);
/* Prepares one head, before its queries. */
SF8_PRIVATE void sf8_attend_turn(sf8_attend_job *job, size_t kv);
/* Computes job->rows for the queries `at` to at + group - 1 of the tile. */
SF8_PRIVATE void sf8_attend_group(sf8_attend_job *job, size_t kv, size_t at, uint64_t mask);
/* Returns an f32 as an operand of the unit. */
SF8_PRIVATE uint16_t sf8_attend_operand(const sf8_attend_job *job, uint32_t word);

/* The keys that a query can see are *from to *to - 1. */
SF8_PRIVATE void sf8_attend_range(const sf8_attend *a, size_t query, int64_t *from, int64_t *to);
/* Returns element i of the queries, as f32. */
SF8_PRIVATE uint32_t sf8_attend_query_word(const sf8_attend *a, size_t i);

/* Returns the scale of a head of the cache. */
SF8_FN uint32_t sf8_attend_scale_of(const uint32_t *scale, size_t scales, size_t kv)
{
    return !scale ? SF8_F32_ONE : scale[scales == 1 ? 0 : kv];
}

#endif

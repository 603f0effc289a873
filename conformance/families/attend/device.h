/* SPDX-License-Identifier: MIT */
/* device.h -- kernels of attention against the library: batches of requests, ways to split them
 *
 * The subject of a case of this family is a kernel of gpu_attends(). Batches are made here from
 * seeds, the same on every machine. The expected result is what sf8_attend_n computes for each
 * request by itself. A batch is run in many ways, and each must give the same bits.
 */
#ifndef SOFTFP8_CONFORM_ATTEND_DEVICE_H
#define SOFTFP8_CONFORM_ATTEND_DEVICE_H

#include "families/kernel_run.h"
#include "softfp8_attend.h"
#include "softfp8_mma.h"

/* ---- batches --------------------------------------------------------------------------------- */

enum { ATTEND_REQUESTS = 64, ATTEND_HEADS = 64 };

/* The kind of the codes that take part. All others are NaN, in formats with NaN. */
typedef enum attend_data {
    ATTEND_NUMBERS,
    ATTEND_SOME_NAN, /* one code in some hundreds is NaN or infinite */
    ATTEND_LARGE,    /* and scores differ by hundreds */
    ATTEND_DATA
} attend_data;

/* Request i has `keys` keys, or somewhat fewer the larger i is; `behind_keys` more follow its
 * queries. The first `prefix` chunks are the same blocks for all requests. */
typedef struct attend_set {
    size_t count, keys, queries, heads, kv_heads, dim, slots, prefix;
    int64_t left, right;
    uint32_t cap;
    int sinks, by_head, by_row, hnd, behind, four, base2, ragged;
    size_t behind_keys;
    size_t skew; /* distance of an image from a multiple of 16, in bytes */
    sf8_format q_words, out_words;
    attend_data data;
    uint64_t seed;
    int extra;    /* not part of the digest, and not always run on this processor */
    int always;   /* part of the digest nevertheless */
    int repeated; /* the contents of a few blocks, repeated */
} attend_set;

typedef struct attend_batch {
    sf8_attend request[ATTEND_REQUESTS];
    sf8_recipe recipe;
    sf8_mma unit;
    const sf8_mma *model; /* &unit, or NULL */
    uint8_t *k_room, *v_room, *k_scales, *v_scales;
    uint32_t k_scale[ATTEND_HEADS], v_scale[ATTEND_HEADS], q_scale[ATTEND_HEADS];
    uint32_t sinks[ATTEND_HEADS];
    int64_t *blocks;
    uint8_t *q, *out, *right; /* of all requests, in sequence */
    uint32_t *lse, *right_lse;
    size_t out_bytes, rows, out_at[ATTEND_REQUESTS], row_at[ATTEND_REQUESTS];
    uint64_t keys; /* the keys that rows see, added over all rows */
} attend_batch;

/* Makes a batch. Returns NULL, or what went wrong; the batch must be freed in either case. `right`:
 * whether the expected result is computed. */
const char *attend_batch_make(attend_batch *b, const gpu_attend_kernel *k, const attend_set *set,
                              int right);
/* Computes the expected result again, after the request was changed. */
const char *attend_batch_right(attend_batch *b, const attend_set *set);
void attend_batch_free(void *batch);

/* The i-th batch of a kernel; returns 0 if there are no more. */
int attend_set_at(const gpu_attend_kernel *k, conform_tier tier, int emulated, size_t i,
                  attend_set *set);

void attend_set_with_prefix(attend_set *set);
/* The ways that share the prefix: this many, beginning with the i-th. */
enum { ATTEND_SHARED_FIRST = 7, ATTEND_SHARED_WAYS = 4 };

/* ---- ways ------------------------------------------------------------------------------------ */

/* Requests `first` to last - 1, split in this way; unless `prompts` is 0, the queries of each as
 * that many requests. */
typedef struct attend_way {
    size_t first, last, splits, shared, prompts;
    int at_once;
} attend_way;

/* The i-th way to run a batch; returns 0 if there are no more. */
int attend_way_at(const attend_set *set, size_t i, attend_way *way);

/* ---- runs ------------------------------------------------------------------------------------ */

/* The kernel's caches: "e4m3". */
static inline const char *attend_cache(const kernel_run *r)
{
    return ((const gpu_attend_kernel *)r->kernel)->cache;
}

/* Runs a batch in one way, and counts wrong results. Returns NULL, or what went wrong. */
const char *attend_launch(kernel_run *r, const attend_set *set, const attend_way *way,
                          attend_batch *b);
/* Requests whose results can be computed by hand, or must equal those of another request. */
const char *attend_try_words(kernel_run *r);

/* ---- speed ----------------------------------------------------------------------------------- */

/* `torch`: whether PyTorch is timed as well. */
const char *attend_measure(const gpu_attend_kernel *k, const gpu_device *device, int torch,
                           conform_speed speed[CONFORM_SPEEDS], size_t *count);
/* The time that PyTorch takes for the queries of a set over keys and values of bf16; or why it is
 * not known. The last answer is kept, so that this process starts PyTorch once for equal sets. */
const char *attend_torch_seconds(const attend_set *set, double *seconds);
void attend_speed_text(char *text, size_t size, const conform_speed *speed, size_t count);

#endif

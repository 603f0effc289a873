/* SPDX-License-Identifier: MIT */
/* device.h -- kernels that join parts of attention, against the library
 *
 * A case of this family is a kernel of gpu_merges(), its subject. Parts are made here,
 * from lists and from seeds, the same on every machine; what is right is what sf8_attend_join_n and
 * sf8_f32_merge_fused_n make of each row.
 */
#ifndef SOFTFP8_CONFORM_MERGE_DEVICE_H
#define SOFTFP8_CONFORM_MERGE_DEVICE_H

#include "../../../gpu/device.h"
#include "record/record.h"
#include "suite/family.h"

extern const conform_family merge_family;
void merge_case_run(const conform_job *j);
void merge_replay(const conform_job *j);

/* ---- sets ------------------------------------------------------------------------------------ */

typedef enum merge_kind {
    MERGE_GOLDEN, /* pairs of lse that each rule has words of its own for */
    MERGE_PAIRS,  /* every two special lse, with every two special outputs */
    MERGE_SOME,   /* any of these, for more parts than two */
    MERGE_CHANCE, /* numbers whose lse are near each other; here and there a part without keys */
    MERGE_BITS    /* any words */
} merge_kind;

typedef struct merge_set {
    merge_kind kind;
    size_t parts, rows, channels, joined;
    int fuse;
    uint64_t seed;
    int extra; /* it is no part of the digest */
} merge_set;

/* The words of a set, part by part as in gpu_merge, and what is right: sums of kernels that have
 * them. A NaN that is due is 7fc00000 or 7fc0. */
typedef struct merge_words {
    uint8_t *part_out, *out, *right;
    uint32_t *part_lse, *part_sum, *lse, *right_lse;
    size_t bytes; /* of the outputs of all rows */
} merge_words;

/* The i-th set of a kernel; 0 if there are no more. */
int merge_set_at(const gpu_merge_kernel *k, conform_tier tier, int emulated, size_t i,
                 merge_set *set);
/* NULL, or what went wrong; to be freed in any case. */
const char *merge_words_make(merge_words *w, const gpu_merge_kernel *k, const merge_set *set);
void merge_words_free(merge_words *w);

#endif

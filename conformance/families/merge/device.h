/* SPDX-License-Identifier: MIT */
/* device.h -- kernels that join parts of attention, against the library
 *
 * The subject of a case of this family is a kernel of gpu_merges(). Parts are made here, from lists
 * and from seeds, the same on every machine. The expected result for each row is that of
 * sf8_attend_join_n and sf8_f32_merge_fused_n.
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
    MERGE_GOLDEN, /* pairs of lse for which each rule has known results */
    MERGE_PAIRS,  /* all pairs of special lse, with all pairs of special outputs */
    MERGE_SOME,   /* any of these, for more than two parts */
    MERGE_CHANCE, /* numbers whose lse are close to each other; some parts have no keys */
    MERGE_BITS    /* any bit patterns */
} merge_kind;

typedef struct merge_set {
    merge_kind kind;
    size_t parts, rows, channels, joined;
    int fuse;
    uint64_t seed;
    int extra; /* 1: not part of the digest */
} merge_set;

/* The contents of a set, part by part as in gpu_merge, and the expected results; sums only for
 * kernels that use them. An expected NaN is 7fc00000 or 7fc0. */
typedef struct merge_words {
    uint8_t *part_out, *out, *right;
    uint32_t *part_lse, *part_sum, *lse, *right_lse;
    size_t bytes; /* of the outputs of all rows */
} merge_words;

/* The i-th set of a kernel; returns 0 if there are no more. */
int merge_set_at(const gpu_merge_kernel *k, conform_tier tier, int emulated, size_t i,
                 merge_set *set);
/* Makes a set. Returns NULL, or what went wrong; it must be freed in either case. */
const char *merge_words_make(merge_words *w, const gpu_merge_kernel *k, const merge_set *set);
void merge_words_free(merge_words *w);

#endif

/* SPDX-License-Identifier: MIT */
/* device.h -- kernels that join parts of attention, against the library
 *
 * The subject of a case of this family is a kernel of gpu_merges(). Parts are made here, from lists
 * and from seeds, the same on every machine. The expected result for each row is that of
 * sf8_attend_join_n and sf8_f32_merge_fused_n.
 */
#ifndef SOFTFP8_CONFORM_MERGE_DEVICE_H
#define SOFTFP8_CONFORM_MERGE_DEVICE_H

#include "families/kernel_run.h"

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
} merge_set;

/* The contents of a set, part by part as in gpu_merge, and the expected results; sums only for
 * kernels that use them. An expected NaN is 7fc00000 or 7fc0. */
typedef struct merge_words {
    uint8_t *part_out, *out, *right;
    uint32_t *part_lse, *part_sum, *lse, *right_lse;
    size_t bytes; /* of the outputs of all rows */
} merge_words;

/* The functions of the kernel_family. */
int merge_set_at(const kernel_run *r, size_t i, void *set);
const char *merge_words_make(const kernel_run *r, const void *set, void *words);
void merge_words_free(void *words);

#endif

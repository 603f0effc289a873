/* SPDX-License-Identifier: MIT */
/* cliff.h -- softfp8 attend --cliff: how long a context may get before a cache loses a key
 */
#ifndef SOFTFP8_ATTEND_CLIFF_H
#define SOFTFP8_ATTEND_CLIFF_H

#include "files/tensor_file.h"

enum { CLIFF_LENGTHS = 8, CLIFF_DEPTHS = 16, CLIFF_CACHES = 7 };

typedef struct cliff_options {
    size_t lengths[CLIFF_LENGTHS], count; /* keys */
    size_t depths, trials;
    double outlier; /* of the channels that are, in standard deviations of the others */
    uint64_t seed;
    const char *json;
} cliff_options;

/* Found of trials, for each cache, length and depth. */
typedef struct cliff_result {
    size_t found[CLIFF_CACHES][CLIFF_LENGTHS][CLIFF_DEPTHS];
} cliff_result;

extern const char *const cliff_caches[CLIFF_CACHES];

/* "1024,4096"; fails. */
void cliff_lengths(cliff_options *o, const char *text);
void cliff_run(const cliff_options *o);

#endif

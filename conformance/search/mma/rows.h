/* SPDX-License-Identifier: MIT */
/* rows.h -- rows of operands, each with the word that a matrix unit made of it */
#ifndef SOFTFP8_SEARCH_MMA_ROWS_H
#define SOFTFP8_SEARCH_MMA_ROWS_H

#include "softfp8_mma.h"

/* A row: k products and c, as sf8_mma_dot takes them, and d, which came; c and d are words of the
 * unit's `out`. */
typedef struct mma_result {
    sf8_mma_operands x;
    size_t k;
    uint32_t c, d;
    uint64_t line; /* in the file that it is from */
} mma_result;

/* What the unit makes of the row. */
static inline uint32_t mma_model(const sf8_mma *m, const mma_result *r)
{
    return sf8_mma_dot(m, r->x.a, r->x.b, r->x.scale_a, r->x.scale_b, r->k, r->c);
}

#endif

/* SPDX-License-Identifier: MIT */
/* rows.h -- rows of operands, each with the word that a matrix unit made of it */
#ifndef SOFTFP8_DIAGNOSE_MMA_ROWS_H
#define SOFTFP8_DIAGNOSE_MMA_ROWS_H

#include "softfp8_mma.h"

/* What a kernel does with a sum in f32 before it stores it: nothing, or it rounds to nearest. */
typedef enum mma_stored { MMA_STORED, MMA_STORED_BF16, MMA_STORED_F16 } mma_stored;

/* A row: k products and c, as sf8_mma_dot takes them, and d, which came; c is a word of the unit's
 * `out`, d too, or a code of what is stored. */
typedef struct mma_result {
    sf8_mma_operands x;
    size_t k;
    uint32_t c, d;
    mma_stored stored;
    uint64_t line; /* in the file that it is from */
} mma_result;

/* The sum as it is stored. */
uint32_t mma_store(mma_stored stored, uint32_t sum);

/* What the unit makes of the row, before it is stored. */
static inline uint32_t mma_model(const sf8_mma *m, const mma_result *r)
{
    return sf8_mma_dot(m, r->x.a, r->x.b, r->x.scale_a, r->x.scale_b, r->k, r->c);
}

#endif

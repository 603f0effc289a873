/* SPDX-License-Identifier: MIT */
/* ref_mma.h -- the reference for matrix units: docs/spec/mma/units.md, computed with MPFR */
#ifndef PROOF_REF_MMA_H
#define PROOF_REF_MMA_H

#include "mpfr/ref.h"

enum { REF_MMA_MOST = 64 };

enum { REF_MMA_FUSED, REF_MMA_CHAIN, REF_MMA_INDEPENDENT, REF_MMA_TWO_STAGE, REF_MMA_INTERLEAVED };

/* A line of the table there. `kept` bits of mantissa are kept, toward zero for f32. `positive`: a
 * sum that rounds to zero is +0, whatever its sign was. */
typedef struct ref_mma_unit {
    const char *name, *in, *out;
    int k, length, fraction, zero, kept, order, positive;
    const char *scale; /* NULL: none */
    int block, group;
} ref_mma_unit;

/* The i-th, or NULL. */
const ref_mma_unit *ref_mma_at(int i);
/* The format of a unit's out, e4m3 and so on by name. */
int ref_mma_takes(const ref_mma_unit *u, const char *format);

/* The sum of k products and c; scales are one for each block. */
uint64_t ref_mma(const ref_mma_unit *u, const ref_format *fa, const ref_format *fb,
                 const uint32_t *a, const uint32_t *b, const uint32_t *scale_a,
                 const uint32_t *scale_b, int k, uint64_t c);

#endif

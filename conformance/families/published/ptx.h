/* SPDX-License-Identifier: MIT */
/* ptx.h -- instructions of PTX by name, on words of 32 bits: cvt.rn.f16.f32, fma.rn.relu.bf16x2 */
#ifndef SOFTFP8_CONFORM_PUBLISHED_PTX_H
#define SOFTFP8_CONFORM_PUBLISHED_PTX_H

#include "softfp8_vectors.h"

enum { PTX_LO = 1, PTX_HI };

typedef struct ptx_form {
    int op;            /* an enumerator of ptx.c */
    int comparison;    /* of set, setp, testp: what they accept, a set of enumerators */
    sf8_policy policy; /* rounding, flush */
    int integral;      /* .rni: rounds to an integer */
    int ftz, sat, relu, nan, xorsign, satfinite;
    sf8_word to, from;
    int lanes, packs; /* 2 for f16x2; packs: the lanes come from two operands */
    int part;         /* of a result of 64 bits: PTX_LO, PTX_HI; else 0 */
} ptx_form;

/* Reads a name: parts of PTX's, and at the end lo or hi for one half of a result of 64 bits.
 * Returns 0 for an instruction that is not modelled. */
int ptx_named(ptx_form *f, const char *name);
/* The word that the instruction leaves for the operands x. Operands of 64 bits are x[i] and x[i+1],
 * the low half first, where x[3] is x[0]. An instruction on 16 bits takes the low halves, and its
 * result is written into both halves. */
uint32_t ptx_word(const ptx_form *f, const uint32_t x[3]);

#endif

/* SPDX-License-Identifier: MIT */
/* toy.h -- small requests of attention, for cases that hold this build against known words
 */
#ifndef SOFTFP8_CONFORM_ATTEND_TOY_H
#define SOFTFP8_CONFORM_ATTEND_TOY_H

#include "families/kv/caches.h"
#include "softfp8_attend.h"

#include <string.h>

enum { TOY_KEYS = 2048, TOY_BLOCKS = 1024, TOY_IMAGE = 1 << 20, TOY_OUT = 1 << 14, TOY_HEADS = 8 };

typedef enum attend_kind { TOY_E4M3, TOY_BF16, TOY_F32 } attend_kind;

/* A request over blocks in no order, K and V in NHD; queries of bf16 have the last positions. The
 * scales are one for each head of the cache. */
typedef struct attend_toy {
    sf8_attend a;
    sf8_recipe recipe;
    attend_kind kind;
    uint8_t k[TOY_IMAGE], v[TOY_IMAGE];
    int64_t blocks[TOY_BLOCKS];
    uint16_t q[TOY_OUT];
    uint32_t k_scale[TOY_HEADS], v_scale[TOY_HEADS];
    uint32_t out[TOY_OUT], lse[TOY_OUT / 8];
} attend_toy;

typedef struct attend_sizes {
    size_t keys, queries, heads, kv_heads, dim, slots;
} attend_sizes;

static inline float value_of(uint32_t word)
{
    float f;
    memcpy(&f, &word, sizeof f);
    return f;
}

static inline uint32_t word_of(float f)
{
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

static inline uint32_t to_bf16(uint32_t word)
{
    return (uint32_t)sf8_convert(SF8_BF16, SF8_F32, word, SF8_OCP_NOSAT) << 16;
}

/* Words of chance, the same ones every time; all scales 1. */
void attend_toy_begin(attend_toy *t, attend_kind kind, attend_sizes z);
/* Where an element of K or V lies, and a number put there. */
uint8_t *attend_toy_at(attend_toy *t, uint8_t *side, size_t position, size_t head, size_t d);
void attend_toy_put(attend_toy *t, uint8_t *side, size_t position, size_t head, size_t d, float x);
/* One number for all of K or V; of all queries. */
void attend_toy_fill(attend_toy *t, uint8_t *side, float x);
void attend_toy_query(attend_toy *t, float x);

/* To out and lse: by the definition, whole (n 0) or in n parts; in another order. 0 if the library
 * refuses. */
int attend_toy_run(attend_toy *t, sf8_attend_sums sums, size_t n);
int attend_toy_level(attend_toy *t, sf8_attend_sums sums, const char *level); /* NULL: any */
int attend_toy_order(attend_toy *t, const sf8_attend_order *o, size_t cut);

/* How many words differ has to be 0; NaN is NaN. */
void attend_toy_same(caches_checks *c, const char *what, const uint32_t *got, const uint32_t *right,
                     size_t n);

#endif

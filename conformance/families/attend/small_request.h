/* SPDX-License-Identifier: MIT */
/* small_request.h -- small requests of attention, for cases that compare this build with known
 * results */
#ifndef SOFTFP8_CONFORM_ATTEND_SMALL_REQUEST_H
#define SOFTFP8_CONFORM_ATTEND_SMALL_REQUEST_H

#include "families/self/self.h"
#include "softfp8_attend.h"

#include <string.h>

enum {
    SMALL_KEYS = 2048,
    SMALL_BLOCKS = 1024,
    SMALL_IMAGE = 1 << 20,
    SMALL_OUT = 1 << 14,
    SMALL_HEADS = 8
};

typedef enum attend_kind { SMALL_E4M3, SMALL_BF16, SMALL_F32 } attend_kind;

/* A request over blocks in no order, K and V in NHD; queries of bf16 have the last positions. There
 * is one scale for each head of the cache. */
typedef struct attend_small {
    sf8_attend a;
    sf8_recipe recipe;
    attend_kind kind;
    uint8_t k[SMALL_IMAGE], v[SMALL_IMAGE];
    int64_t blocks[SMALL_BLOCKS];
    uint16_t q[SMALL_OUT];
    uint32_t k_scale[SMALL_HEADS], v_scale[SMALL_HEADS];
    uint32_t out[SMALL_OUT], lse[SMALL_OUT / 8];
} attend_small;

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

/* Random numbers, the same every time; all scales 1. */
void attend_small_begin(attend_small *t, attend_kind kind, attend_sizes z);
/* Where an element of K or V is, and a number written there. */
uint8_t *attend_small_at(attend_small *t, uint8_t *side, size_t position, size_t head, size_t d);
void attend_small_put(attend_small *t, uint8_t *side, size_t position, size_t head, size_t d,
                      float x);
/* Writes one number to all of K or V; to all queries. */
void attend_small_fill(attend_small *t, uint8_t *side, float x);
void attend_small_query(attend_small *t, float x);

/* Computes out and lse: by the definition, whole (n 0) or in n parts; or in another order. Returns
 * 0 if the library refuses the request. */
int attend_small_run(attend_small *t, sf8_attend_sums sums, size_t n);
int attend_small_level(attend_small *t, sf8_attend_sums sums, const char *level); /* NULL: any */
int attend_small_order(attend_small *t, const sf8_attend_order *o, size_t cut);

/* The number of bit patterns that differ must be 0; all NaN are equal. */
void attend_small_same(self_checks *c, const char *what, const uint32_t *got, const uint32_t *right,
                       size_t n);

#endif

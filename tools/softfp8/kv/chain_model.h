/* SPDX-License-Identifier: MIT */
/* chain_model.h -- from one locked scale to "!!!!!!": the numbers of each link
 *
 * All values are words of f32, computed by the library: nothing here depends on the processor.
 *
 *     chain_model.c      scales, codes, norms, a tiny model
 *     chain_model_nan.c  what NaN does in that model
 *     chain_scan.c       a variance of every number in [8, 16)
 */
#ifndef SOFTFP8_KV_CHAIN_MODEL_H
#define SOFTFP8_KV_CHAIN_MODEL_H

#include "softfp8_blocks.h"
#include "softfp8_f32.h"

enum {
    CHAIN_MOST = 64, /* later values */
    CHAIN_LINKS = 8, /* the last has the cures */
    CHAIN_TOKENS = 4,
    CHAIN_POISONED = 2, /* the token of the later values */
    CHAIN_NORMS = 10,
    CHAIN_TREE_FMA = 7,
    CHAIN_RMS = 9,
    CHAIN_SIZES = 8,
    CHAIN_EPS = 3,
    CHAIN_WAYS = 8,
    CHAIN_VOCABULARY = 14
};

/* How a variance is computed. */
typedef struct chain_norm {
    const char *name, *head;
    sf8_order order;
    int32_t fuse;
} chain_norm;

extern const chain_norm chain_norms[CHAIN_NORMS];
extern const size_t chain_sizes[CHAIN_SIZES];
extern const char *const chain_eps_texts[CHAIN_EPS];

typedef struct chain {
    uint32_t amax, value[CHAIN_MOST];
    size_t n;
    int nosat, norm;
    uint32_t eps;
    const char *eps_text;
} chain;

/* The word of a number; NaN where the text is none. */
uint32_t chain_word(const char *text);

/* ---- links 1 to 3: scales and codes ---------------------------------------------------------- */

typedef struct chain_scales {
    uint32_t scale;   /* amax / 200 */
    uint32_t product; /* amax (1/200) */
    uint32_t v_scale; /* amax / 100 */
} chain_scales;

chain_scales chain_scales_of(uint32_t amax);

/* Of the 128 mantissas of bf16 as amax, how many are stored as 74 and as 75, by the quotient and by
 * the product. */
void chain_largest(int count[2][2]);

/* A value stored and read back. */
typedef struct chain_stored {
    uint32_t quotient, code, element, value;
} chain_stored;

chain_stored chain_store(uint32_t x, uint32_t scale, int nosat);
/* (y - x) / x in percent; both finite. */
double chain_error(uint32_t x, uint32_t y);

/* ---- link 4: variances ----------------------------------------------------------------------- */

/* Of n times x, or of the values themselves. */
sf8_moments chain_variance(const chain_norm *norm, uint32_t x, size_t n);
sf8_moments chain_variance_of(const chain_norm *norm, const uint32_t *x, size_t n);
/* What the norm divides by: the variance, or the mean square. */
uint32_t chain_divisor(const chain_norm *norm, sf8_moments m);
/* Of the three eps, smallest first: how many leave the root NaN. */
int chain_lost(uint32_t variance);
/* The variance that the popular account prints: how many ways, of all sizes, give it; of how many,
 * and how many different numbers they give. */
int chain_claimed_variance(uint32_t x, int *of, int *numbers);

/* fl(x^2) - x^2, the variance by the tree and fma of 2^k times x, of each of the 2^23 numbers of
 * f32 in [8, 16). `lost`: with eps added it is below 0. */
typedef struct chain_scan {
    uint64_t numbers, negative, lost[CHAIN_EPS];
    uint32_t least;
} chain_scan;

chain_scan chain_scan_all(void);

/* ---- links 5 to 8: attention ----------------------------------------------------------------- */

/* How keys and values come back from the cache. */
typedef struct chain_way {
    const char *name;
    enum { WAY_EXACT, WAY_LOCKED, WAY_BF16, WAY_REQUEST, WAY_RECIPE, WAY_APART } how;
    int nosat, normed; /* casts without saturation; keys go through the norm first */
} chain_way;

extern const chain_way chain_ways[CHAIN_WAYS];

/* A cache of four tokens, and the row of each query: the later ones are masked. */
typedef struct chain_model {
    size_t channels;
    uint32_t k[CHAIN_TOKENS][CHAIN_MOST], v[CHAIN_TOKENS][CHAIN_MOST];
    uint32_t score[CHAIN_TOKENS][CHAIN_TOKENS], weight[CHAIN_TOKENS][CHAIN_TOKENS];
    uint32_t out[CHAIN_TOKENS][CHAIN_MOST];
    sf8_softmax row[CHAIN_TOKENS];
} chain_model;

/* What was read back of the later values, before any norm, to read[]. */
void chain_fill(chain_model *m, const chain *c, const chain_way *way, uint32_t *read);
/* The rows; `skip`: a weight of 0 is not multiplied. */
void chain_attend(chain_model *m, int skip);
int chain_has_nan(const uint32_t *x, size_t n);
/* The way that link 5 goes on with. */
const chain_way *chain_claimed_way(const chain *c);
/* The model of link 5, and the same with a clean token 2, of zeros. */
void chain_two_models(const chain *c, chain_model *m, chain_model *clean);
/* Are the outputs of queries 0 and 1, which do not see token 2, the same bits? */
int chain_same_rows(const chain_model *a, const chain_model *b);
/* What query 3 has of key 2 where the mask is added to its score. */
uint32_t chain_masked(const chain_model *m);
/* Query 3 in two parts, keys 0 and 1, and 2 and 3, whose lse is -inf: output and lse of the first
 * part, which a combine that leaves the other out gives, and what one that multiplies it by 0 does.
 */
typedef struct chain_parts {
    uint32_t out, lse, merged;
} chain_parts;
chain_parts chain_in_parts(const chain_model *m);
/* A value is NaN, in channel 0 of token 2, and every key is clean: what query 0 gets in that
 * channel with a weight of 0 multiplied, and skipped; is one of its other channels NaN? `clean` is
 * changed.
 */
typedef struct chain_value_nan {
    uint32_t multiplied, skipped;
    int others;
} chain_value_nan;
chain_value_nan chain_nan_in_v(chain_model *clean);
/* NaN after a clamp to 448 in which fmin and fmax pass over NaN. */
uint32_t chain_clamped_nan(void);
/* What the new owner of two slots reads in channel 0 where the others, masked, have what was there:
 * with a weight of 0 multiplied, and skipped. `clean` is changed. */
void chain_slot_reuse(const chain_model *m, chain_model *clean, uint32_t *multiplied,
                      uint32_t *skipped);
/* The worst error of values that came back, in percent, and how many are NaN. */
double chain_worst(const chain *c, const uint32_t *read, size_t *nan);
/* The logits that an output gives, and the tokens of all channels as text. */
void chain_logits(uint32_t logit[CHAIN_VOCABULARY], uint32_t out);
const char *chain_text(const chain_model *m, size_t query, char text[CHAIN_MOST + 1]);

#endif

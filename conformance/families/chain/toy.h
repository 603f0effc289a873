/* SPDX-License-Identifier: MIT */
/* toy.h -- link 8 of the chain by calls of the library: later values in other caches
 *
 * The toy has four tokens of eight channels and one head. Tokens 0, 1 and 3 are amax / 8 with
 * alternating signs, the opposite, and half of the first; token 2 is the later values. The last
 * query, 1/4 everywhere, finds token 2; what it reads in a channel, o, gives token t of 14 the
 * logit t o - 35/8 (t - 1)^2.
 */
#ifndef SOFTFP8_CONFORM_CHAIN_TOY_H
#define SOFTFP8_CONFORM_CHAIN_TOY_H

#include "softfp8.h"

enum { TOY_CHANNELS = 8, TOY_TOKENS = 4, TOY_VOCABULARY = 14 };

/* How keys and values come back. */
enum {
    TOY_EXACT,   /* as they are */
    TOY_TOLD,    /* by the scale amax / 200, saturating; and keys through the norm */
    TOY_LOCKED,  /* without that norm */
    TOY_NOSAT,   /* the same cast without saturation */
    TOY_BF16,    /* cure: no FP8 */
    TOY_REQUEST, /* cure: by the largest of this request / 200 */
    TOY_ROW,     /* cure: a scale of each token and head */
    TOY_APART,   /* cure: the same, the largest channel in bf16 */
    TOY_WAYS
};

/* What came back of the later values, their variance (by the tree, fma for the last step), and the
 * token of each channel. */
typedef struct toy_answer {
    uint32_t read[TOY_CHANNELS], variance, token[TOY_CHANNELS];
} toy_answer;

/* Words of amax of the first request and of the later values. */
void toy_run(toy_answer *a, int way, uint32_t amax, const uint32_t value[TOY_CHANNELS]);

#endif

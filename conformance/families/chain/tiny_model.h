/* SPDX-License-Identifier: MIT */
/* tiny_model.h -- step 8 of the chain by calls of the library: later values in other caches
 *
 * The tiny model has four tokens of eight channels and one head. Tokens 0, 1 and 3 are amax / 8
 * with alternating signs, the opposite, and half of the first. Token 2 is the later values. The
 * last query, 1/4 everywhere, attends to token 2. What it reads in a channel, o, gives token t of
 * 14 the logit t o - 35/8 (t - 1)^2.
 */
#ifndef SOFTFP8_CONFORM_CHAIN_TINY_MODEL_H
#define SOFTFP8_CONFORM_CHAIN_TINY_MODEL_H

#include "softfp8.h"

enum { TINY_CHANNELS = 8, TINY_TOKENS = 4, TINY_VOCABULARY = 14 };

/* How keys and values are read back. */
enum {
    TINY_EXACT,   /* as they are */
    TINY_TOLD,    /* by the scale amax / 200, saturating; and keys through the norm */
    TINY_LOCKED,  /* without that norm */
    TINY_NOSAT,   /* the same cast without saturation */
    TINY_BF16,    /* cure: no FP8 */
    TINY_REQUEST, /* cure: by the largest of this request / 200 */
    TINY_ROW,     /* cure: a scale of each token and head */
    TINY_APART,   /* cure: the same, the largest channel in bf16 */
    TINY_WAYS
};

/* The later values as read back, their variance (by the tree, with fma for the last step), and the
 * token of each channel. */
typedef struct tiny_answer {
    uint32_t read[TINY_CHANNELS], variance, token[TINY_CHANNELS];
} tiny_answer;

/* amax of the first request, and the later values, as f32. */
void tiny_run(tiny_answer *a, int way, uint32_t amax, const uint32_t value[TINY_CHANNELS]);

#endif

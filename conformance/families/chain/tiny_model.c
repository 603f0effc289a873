/* SPDX-License-Identifier: MIT */
/* tiny_model.c -- step 8 of the chain by calls of the library: later values in other caches */
#include "families/chain/tiny_model.h"
#include "softfp8/scalar.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"

#include <string.h>

enum { EIGHTH = 0x3e000000, QUARTER = 0x3e800000, TWO_HUNDRED = 0x43480000, EPS = 0x2b8cbccc };

/* A row through a recipe for rows. */
static void read_by(const char *name, uint32_t *y, const uint32_t *x, uint32_t g)
{
    sf8_recipe r;
    uint8_t codes[TINY_CHANNELS];
    uint32_t scale;
    if (sf8_recipe_named(&r, name) != SF8_OK)
        return;
    sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, 1, TINY_CHANNELS, sf8_f32_from_bits(g));
    sf8_dequantize_n(&r, SF8_F32, y, codes, &scale, NULL, 1, TINY_CHANNELS, sf8_f32_from_bits(g));
}

static void read_nosat(uint32_t *y, const uint32_t *x, uint32_t scale)
{
    for (int i = 0; i < TINY_CHANNELS; i++) {
        uint8_t code = sf8_f32bits_to_e4m3(sf8_f32_div(x[i], scale), SF8_CUDA_NOSAT);
        y[i] = sf8_f32_mul(sf8_e4m3_to_f32bits(code), scale);
    }
}

static void read_apart(uint32_t *y, const uint32_t *x)
{
    uint32_t rest[TINY_CHANNELS];
    int most = 0;
    for (int i = 0; i < TINY_CHANNELS; i++)
        most = sf8_f32_magnitude(x[i]) > sf8_f32_magnitude(x[most]) ? i : most;
    memcpy(rest, x, sizeof rest);
    rest[most] = 0;
    read_by("fp8-per-token-head-interpreted", y, rest, 0);
    y[most] = sf8_f32_via_bf16(x[most]);
}

static void read_row(uint32_t *y, const uint32_t *x, int way, uint32_t scale)
{
    switch (way) {
    case TINY_NOSAT:
        read_nosat(y, x, scale);
        break;
    case TINY_ROW:
        read_by("fp8-per-token-head-interpreted", y, x, 0);
        break;
    case TINY_APART:
        read_apart(y, x);
        break;
    case TINY_EXACT:
    case TINY_BF16:
        for (int i = 0; i < TINY_CHANNELS; i++)
            y[i] = way == TINY_EXACT ? x[i] : sf8_f32_via_bf16(x[i]);
        break;
    default:
        read_by("kv-vllm", y, x, scale);
    }
}

static uint32_t token_of(uint32_t out)
{
    uint32_t logit[TINY_VOCABULARY];
    for (int32_t t = 0; t < TINY_VOCABULARY; t++)
        logit[t] = sf8_f32_fma(sf8_f32_of(t), out,
                               sf8_f32_mul(sf8_f32_of(-35 * (t - 1) * (t - 1)), EIGHTH));
    return (uint32_t)sf8_f32_argmax(logit, TINY_VOCABULARY);
}

void tiny_run(tiny_answer *a, int way, uint32_t amax, const uint32_t value[TINY_CHANNELS])
{
    uint32_t x[TINY_TOKENS][TINY_CHANNELS], v[TINY_TOKENS][TINY_CHANNELS], key[TINY_CHANNELS];
    uint32_t query[TINY_CHANNELS], score[TINY_TOKENS], weight[TINY_TOKENS], out[TINY_CHANNELS];
    uint32_t eighth = sf8_f32_mul(amax, EIGHTH), most = eighth;
    for (int i = 0; i < TINY_CHANNELS; i++) {
        x[0][i] = eighth ^ (i % 2 ? 0x80000000u : 0);
        x[1][i] = x[0][i] ^ 0x80000000u;
        x[2][i] = value[i];
        x[3][i] = sf8_f32_mul(x[0][i], 0x3f000000u);
        query[i] = QUARTER;
        most = sf8_f32_most(most, value[i]);
    }
    uint32_t scale = sf8_f32_div(way == TINY_REQUEST ? most : amax, TWO_HUNDRED);
    for (int t = 0; t < TINY_TOKENS; t++) {
        read_row(v[t], x[t], way, scale);
        memcpy(key, v[t], sizeof key);
        sf8_moments m = sf8_f32_moments_n(SF8_ORDER_TREE, SF8_FUSE_LAST, key, TINY_CHANNELS);
        if (way == TINY_TOLD)
            sf8_f32_normalize_n(key, key, TINY_CHANNELS, m.mean, sf8_f32_rstd(m.variance, EPS));
        if (t == 2) {
            memcpy(a->read, v[t], sizeof a->read);
            a->variance = m.variance;
        }
        score[t] = sf8_f32_dot_n(SF8_ORDER_SEQUENTIAL, SF8_FUSE_SUM, query, key, TINY_CHANNELS);
    }
    sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, weight, score, TINY_TOKENS);
    sf8_f32_weighted_n(out, weight, v[0], TINY_TOKENS, TINY_CHANNELS, 0);
    for (int i = 0; i < TINY_CHANNELS; i++)
        a->token[i] = token_of(out[i]);
}

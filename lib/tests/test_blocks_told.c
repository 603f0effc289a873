/* SPDX-License-Identifier: MIT */
/* test_blocks_told.c -- each recipe told from its nearest relative, and how often they disagree */
#include "blocks.h"

#include <math.h>

/* ---- each recipe told from its nearest relative -----------------------------------------------
 */

static int same_block(const made *a, const made *b)
{
    return a->scale == b->scale && memcmp(a->code, b->code, a->n) == 0 &&
           memcmp(a->value, b->value, a->n * sizeof a->value[0]) == 0;
}

/* A block on which two recipes differ; what each gives for it is in test_blocks.c or held by
 * the proof. */
static const struct {
    const char *a, *b;
    float x[3], g_a, g_b;
} told[] = {
    {"nvfp4-vllm", "nvfp4-trtllm", {0x1p-9f, 0, 0}, 1, 1},
    {"nvfp4-vllm", "nvfp4-te", {0x1p-9f, 0, 0}, 1, 1},
    {"nvfp4-modelopt", "nvfp4-flashinfer", {0, 0, 0}, 1, 1},
    {"nvfp4-compressed", "nvfp4-te", {0, 0, 0}, 1, 1},
    {"nvfp4-torchao-bf16", "nvfp4-torchao", {7.8f, 0, 0}, .1f, .1f},
    {"nvfp4-compressed-bf16", "nvfp4-compressed", {6, 1.2501f, 0}, 448, 448},
    {"nvfp4-trtllm-ue8m0", "nvfp4-trtllm", {6, 1, 0}, 1, 1},
    {"mxfp4-trtllm", "mxfp4-rceil", {0x1p127f, 0, 0}, 8, 0},
    {"nvfp4-flashinfer-paged", "nvfp4-trtllm", {0x1.b6db6ep-7f, 0, 0}, 448, 448},
    {"mxfp4-microxcaling", "mxfp4-floor", {6, .25f, 0}, 0, 0},
    {"mxfp6-e3m2-microxcaling", "mxfp6-e3m2-floor", {16, 0x1p-5f, 0}, 0, 0},
    {"mxfp6-e2m3-microxcaling", "mxfp6-e2m3-floor", {4, 0x1p-4f, 0}, 0, 0},
    {"mxfp8-e4m3-microxcaling", "mxfp8-e4m3-floor", {256, 0x1p-10f, 0}, 0, 0},
    {"mxfp8-e5m2-microxcaling", "mxfp8-e5m2-floor", {0x1p15f, 0x1p-17f, 0}, 0, 0},
    {"mxint8-microxcaling", "mxint8-floor", {1, 0x1p-7f, 0}, 0, 0},
    {"nvfp4-torchao", "nvfp4-modelopt", {0, 0, 0}, 1, 1},
    {"mxfp4-floor", "mxfp4-even", {1.75f, 0, 0}, 0, 0},
    {"mxfp4-ceil", "mxfp4-rceil", {1.25f, 0, 0}, 0, 0},
    {"mxfp4-rceil", "mxfp4-even", {1.6f, 0, 0}, 0, 0},
    {"mxfp4-vllm", "mxfp4-even", {0x1p-125f, 0, 0}, 0, 0},
    {"sglang-kvfp4", "mxfp4-rceil", {6, .25f, 0}, 0, 0},
    {"mxfp6-e3m2-floor", "mxfp6-e3m2-even", {1.875f, 0, 0}, 0, 0},
    {"mxfp6-e3m2-ceil", "mxfp6-e3m2-rceil", {1.75f, 0, 0}, 0, 0},
    {"mxfp6-e3m2-rceil", "mxfp6-e3m2-even", {1.8f, 0, 0}, 0, 0},
    {"mxfp6-e2m3-floor", "mxfp6-e2m3-even", {1.9375f, 0, 0}, 0, 0},
    {"mxfp6-e2m3-ceil", "mxfp6-e2m3-rceil", {1.875f, 0, 0}, 0, 0},
    {"mxfp6-e2m3-rceil", "mxfp6-e2m3-even", {1.9f, 0, 0}, 0, 0},
    {"mxfp8-e4m3-floor", "mxfp8-e4m3-even", {1.9375f, 0, 0}, 0, 0},
    {"mxfp8-e4m3-ceil", "mxfp8-e4m3-rceil", {1.75f, 0, 0}, 0, 0},
    {"mxfp8-e4m3-rceil", "mxfp8-e4m3-even", {1.8f, 0, 0}, 0, 0},
    {"mxfp8-e5m2-floor", "mxfp8-e5m2-even", {1.875f, 0, 0}, 0, 0},
    {"mxfp8-e5m2-ceil", "mxfp8-e5m2-rceil", {1.75f, 0, 0}, 0, 0},
    {"mxfp8-e5m2-rceil", "mxfp8-e5m2-even", {1.8f, 0, 0}, 0, 0},
    {"mxint8-floor", "int8-per-token-head", {127, 2.5f, 0}, 0, 0},
    {"fp8-group128", "fp8-per-token", {1e-6f, 0, 0}, 0, 0},
    {"fp8-group128-ue8m0", "mxfp8-e4m3-rceil", {1e-12f, 0, 0}, 0, 0},
    {"fp8-per-token", "fp8-per-token-head", {1e-3f, 0, 0}, 0, 0},
    {"int4-per-token-head", "kvquant-int4", {1, 2, 3}, 0, 0},
    {"kivi-int4", "kivi-int2", {1, 2, 3}, 0, 0},
    {"kvquant-int4", "kvquant-int4-clamp", {-.625f, 3.125f, 0}, 0, 0},
    {"kv-vllm", "kv-vllm-scaled", {0x1.9ep-11f, 0, 0}, 0x1.3b6db6p-9f, 0x1.3b6db6p-9f},
    {"kv-vllm-triton", "kv-vllm-scaled", {0x1.9ep-11f, 0, 0}, 0x1.3b6db6p-9f, 0x1.3b6db6p-9f},
    {"kv-vllm-e5m2", "kv-vllm", {1, 0, 0}, 1, 1},
    {"kv-vllm-dynamic", "fp8-per-token-head", {0, 0, 0}, 0, 0},
    {"kv-vllm-token-bound", "fp8-per-token", {1, 0, 0}, .5f, 0},
    {"kv-vllm-ds-mla", "fp8-group128", {0, 0, 0}, 0, 0},
    {"kv-vllm-indexer", "kv-vllm-ds-mla", {0, 0, 0}, 0, 0},
    {"kv-vllm-indexer-ue8m0", "kv-vllm-indexer", {1, 0, 0}, 0, 0},
    {"kv-vllm-rocm", "kv-vllm", {1, 0, 0}, 1, 1},
    {"kv-vllm-rocm-f16", "kv-vllm-rocm", {0x1.1008p0f, 0, 0}, 1, 1},
    {"kv-vllm-rocm-scaled", "kv-vllm-rocm", {300, 0, 0}, 1, 1},
    {"kv-sglang-bf16", "kv-vllm", {0x1.1008p0f, 0, 0}, 1, 1},
    {"kv-sglang-f16", "kv-sglang-bf16", {0x1.104p0f, 0, 0}, 1, 1},
    {"kv-sglang-bf16-float", "kv-sglang-bf16", {0x1.0ep0f, 0, 0}, 0x1.294a52p-1f, 0x1.294a52p-1f},
    {"kv-sglang-f16-float", "kv-sglang-f16", {0x1.004p0f, 0, 0}, 0x1.8654bap-1f, 0x1.8654bap-1f},
    {"kv-sglang-bf16-2.12", "kv-sglang-bf16", {500, 0, 0}, 1, 1},
    {"kv-sglang-f16-2.12", "kv-sglang-f16", {500, 0, 0}, 1, 1},
    {"kv-sglang-bf16-float-2.12", "kv-sglang-bf16-float", {500, 0, 0}, 1, 1},
    {"kv-sglang-f16-float-2.12", "kv-sglang-f16-float", {500, 0, 0}, 1, 1},
    {"kv-trtllm-bf16", "kv-sglang-bf16", {0x1.ccp-11f, 0, 0}, .3f, .3f},
    {"kv-trtllm-f16", "kv-sglang-f16", {0x1.298p0f, 0, 0}, .3f, .3f},
    {"kv-trtllm-f16", "kv-trtllm-bf16", {0x1.66p-13f, 0, 0}, .025f, .025f},
    {"kv-trtllm-int8", "int8-per-token-head", {127, 2.5f, 0}, 1, 0},
    {"kv-minisgl", "kv-vllm", {-NAN, 0, 0}, 0, 1},
};

Test(blocks_told, apart)
{
    for (size_t i = 0; i < COUNT(told); i++) {
        made a = made_of(told[i].a, told[i].x, 3, told[i].g_a);
        made b = made_of(told[i].b, told[i].x, 3, told[i].g_b);
        EXPECT(!same_block(&a, &b), "%s is %s", told[i].a, told[i].b);
    }
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        size_t seen = 0;
        for (size_t k = 0; k < COUNT(told); k++)
            seen += strcmp(told[k].a, row->name) == 0 || strcmp(told[k].b, row->name) == 0;
        EXPECT(seen > 0, "%s is told from none", row->name);
    }
}

/* ---- how often stacks disagree --------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_word(void)
{
    uint64_t z = (random_state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

/* A sum of 12: nearly normal. */
static float normal(void)
{
    int64_t sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (int64_t)random_word() - 0x7fffffff;
    return (float)sum * 0x1p-32f;
}

static uint16_t to_bf16(float f)
{
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return (uint16_t)((word + 0x7fff + (word >> 16 & 1)) >> 16);
}

enum { TENSORS = 2500, BLOCKS = 40, ELEMENTS = 16 * BLOCKS };

typedef struct tally {
    double scales, codes; /* percent that differ */
} tally;

static void quantize(const sf8_recipe *r, uint8_t *codes, uint32_t *scales, const uint16_t *x,
                     float g)
{
    cr_assert(sf8_quantize_n(r, codes, scales, NULL, SF8_BF16, x, 1, ELEMENTS, g) == SF8_OK);
}

/* The second scale: that of the encoder, its inverse, or what the decoder's own formula gives. */
enum { ENCODE, INVERSE, DECODE };

/* nvfp4-vllm against another, on tensors of bf16, normally distributed; the tensor's largest
 * magnitude is any number of bf16, or one that makes the second scale a power of two. */
static tally disagreement(const char *name, int g, int power_of_two)
{
    static uint8_t a[ELEMENTS], b[ELEMENTS];
    static uint32_t scale_a[BLOCKS], scale_b[BLOCKS];
    static uint16_t x[ELEMENTS];
    sf8_recipe vllm = recipe_of("nvfp4-vllm"), other = recipe_of(name);
    size_t scales = 0, codes = 0;
    random_state = 1;
    for (int tensor = 0; tensor < TENSORS; tensor++) {
        float sigma = 1 + (float)random_word() * 0x1p-32f;
        float any = from_word((uint32_t)to_bf16(4 + (float)random_word() * 0x1p-30f) << 16);
        float amax = power_of_two ? 5.25f : any, encode = 2688 / amax;
        for (size_t i = 0; i < ELEMENTS; i++)
            x[i] = to_bf16(normal() * sigma);
        quantize(&vllm, a, scale_a, x, encode);
        quantize(&other, b, scale_b, x,
                 g == ENCODE    ? encode
                 : g == INVERSE ? 1 / encode
                                : amax / 2688);
        for (size_t i = 0; i < BLOCKS; i++)
            scales += scale_a[i] != scale_b[i];
        for (size_t i = 0; i < ELEMENTS; i++)
            codes += a[i] != b[i];
    }
    return (tally){100.0 * (double)scales / TENSORS / BLOCKS,
                   100.0 * (double)codes / TENSORS / ELEMENTS};
}

/* Measured elsewhere, in percent; 100,000 blocks here, so that chance moves a rate by a tenth. */
Test(blocks_told, rates)
{
    static const struct {
        const char *name;
        int g, power_of_two;
        double scales, codes;
    } rows[] = {
        {"nvfp4-te", ENCODE, 0, .10, .021},
        {"nvfp4-modelopt", DECODE, 0, .088, .058},
        {"nvfp4-flashinfer", INVERSE, 0, .064, .012},
        {"nvfp4-torchao", DECODE, 0, .083, .056},
        {"nvfp4-te", ENCODE, 1, 0, 0},
        {"nvfp4-modelopt", DECODE, 1, 0, .064},
        {"nvfp4-flashinfer", INVERSE, 1, 0, 0},
        {"nvfp4-torchao", DECODE, 1, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        tally t = disagreement(rows[i].name, rows[i].g, rows[i].power_of_two);
        EXPECT(t.scales >= .7 * rows[i].scales && t.scales <= 1.3 * rows[i].scales,
               "%s %d: scales %.4f %%, not %.3f %%", rows[i].name, rows[i].power_of_two, t.scales,
               rows[i].scales);
        EXPECT(t.codes >= .7 * rows[i].codes && t.codes <= 1.3 * rows[i].codes,
               "%s %d: codes %.4f %%, not %.3f %%", rows[i].name, rows[i].power_of_two, t.codes,
               rows[i].codes);
    }
}

/* SPDX-License-Identifier: MIT */
/* test_blocks_rates.c -- how often the recipes of NVFP4 disagree on tensors of normal numbers */
#include "blocks/blocks.h"

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

/* The global scale: that of the encoder, its inverse, or what the decoder's own formula gives. */
enum { ENCODE, INVERSE, DECODE };

/* nvfp4-vllm against another, on tensors of bf16, normally distributed; the tensor's largest
 * magnitude is any number of bf16, or one that makes the global scale a power of two. */
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
        float any = sf8_f32_from_bits((uint32_t)to_bf16(4 + (float)random_word() * 0x1p-30f) << 16);
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
    return (tally){100.0 * (double)scales / (TENSORS * BLOCKS),
                   100.0 * (double)codes / (TENSORS * ELEMENTS)};
}

/* Measured elsewhere, in percent; 100,000 blocks here, so that chance moves a rate by a tenth. */
Test(blocks_rates, nvfp4)
{
    static const struct {
        const char *name;
        int g, power_of_two;
        double scales, codes;
    } rows[] = {
        {"nvfp4-te", ENCODE, 0, .10, .021},
        {"nvfp4-modelopt", DECODE, 0, .088, .058},
        {"nvfp4-flashinfer-append", INVERSE, 0, .064, .012},
        {"nvfp4-torchao", DECODE, 0, .083, .056},
        {"nvfp4-te", ENCODE, 1, 0, 0},
        {"nvfp4-modelopt", DECODE, 1, 0, .064},
        {"nvfp4-flashinfer-append", INVERSE, 1, 0, 0},
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

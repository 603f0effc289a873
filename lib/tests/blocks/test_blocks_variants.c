/* SPDX-License-Identifier: MIT */
/* test_blocks_variants.c -- recipes for variants of a stack: what golden.txt cannot say
 *
 * Computed by hand from the stacks' sources; a literal that results from a division is IEEE's in
 * f32.
 */
#include "blocks/blocks.h"

/* What the weight's format makes of amax / 6: 0x1.7ap2 / 6 is 0x1.f8aaaap-1 in f32, 0x1.f8p-1 in
 * bf16, and the global scale 26880 makes of it 77 for 78 of e4m3. -0 is +0, what rounds to 0 keeps
 * its sign; values are of bf16. */
Test(blocks_variants, compressed)
{
    static const uint16_t amax[1] = {0xbd63}; /* -0.05541992 */
    float wide = sf8_f32_from_bits(0xbd630000u);
    sf8_recipe r = recipe_of("nvfp4-compressed");
    EXPECT(make(&r, SF8_BF16, amax, 1, 26880).scale == 0x77, "bf16");
    EXPECT(make(&r, SF8_F32, &wide, 1, 26880).scale == 0x78, "f32");
    made m = made_of("nvfp4-compressed", (const float[]){1}, 1, 448);
    EXPECT(m.scale == 0x69 && m.value[0] == 0x3f770000u, "%x %08x", m.scale, m.value[0]);
}

/* The global scale of amax 5 by the stacks' own formulas: torch divides a number by a tensor as a
 * product with the reciprocal. */
Test(blocks_variants, global_scales)
{
    static const struct {
        const char *name;
        uint32_t amax, f32, bf16, f16;
    } rows[] = {
        {"nvfp4-vllm", 0x40a00000, 0x44066667, 0x44066667, 0x44066667},
        {"nvfp4-te", 0x40a00000, 0x44066666, 0x44066666, 0x44066666},
        {"nvfp4-te", 0, 0x3f800000, 0x3f800000, 0x3f800000},
        {"nvfp4-te", 1, 0x7f7fffff, 0x7f7fffff, 0x7f7fffff},
        {"nvfp4-modelopt", 0x40a00000, 0x3af3cf3d, 0x3af3cf3d, 0x3af3cf3d},
        {"nvfp4-compressed", 0x40a00000, 0x44066667, 0x44070000, 0x44066000},
        {"nvfp4-compressed", 0, 0x3f800000, 0x3f800000, 0x3f800000},
        {"nvfp4-compressed", 0x3d20c49c, 0x4785c20a, 0x47860000, 0x3f800000}, /* above f16 */
        {"nvfp4-flashinfer-paged", 0x40000000, 0x43600000, 0x43600000, 0x43600000},
        {"kv-vllm", 0x40000000, 0x3b924925, 0x3b924925, 0x3b924925},
        {"kv-vllm-rocm", 0x40e00000, 0x3d000000, 0x3d000000, 0x3d000000},
        {"kv-vllm", 0, 0x3f800000, 0x3f800000, 0x3f800000},
    };
    const sf8_format formats[3] = {SF8_F32, SF8_BF16, SF8_F16};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_recipe r = recipe_of(rows[i].name);
        const uint32_t want[3] = {rows[i].f32, rows[i].bf16, rows[i].f16};
        for (size_t k = 0; k < 3; k++) {
            float g = -1;
            EXPECT(sf8_recipe_g(&r, formats[k], sf8_f32_from_bits(rows[i].amax), &g) == SF8_OK,
                   "%s", rows[i].name);
            EXPECT(sf8_f32_bits(g) == want[k], "%s of %08x, %zu: %08x", rows[i].name, rows[i].amax,
                   k, sf8_f32_bits(g));
        }
    }
    sf8_recipe none = recipe_of("mxfp4-floor"), r = recipe_of("nvfp4-te");
    float g = -1;
    EXPECT(sf8_recipe_g(&none, SF8_F32, 1, &g) == SF8_BAD_CALL && g == -1, "no global scale");
    EXPECT(sf8_recipe_g(&r, SF8_E4M3, 1, &g) == SF8_BAD_FORMAT && g == -1, "a tensor of e4m3");
    for (size_t i = 0; sf8_recipe_at(i); i++) {
        r = recipe_of(sf8_recipe_at(i)->name);
        EXPECT((r.has_g != SF8_G_NONE) == (r.g_of.count != 0), "%s", sf8_recipe_at(i)->name);
    }
}

Test(blocks_variants, trtllm_ue8m0)
{
    sf8_recipe sixteen = recipe_of("nvfp4-trtllm-ue8m0");
    sf8_recipe thirty_two = recipe_of("mxfp4-trtllm");
    EXPECT(sixteen.block == 16 && thirty_two.block == 32, "blocks");
}

Test(blocks_variants, flashinfer_paged)
{
    sf8_recipe r = recipe_of("nvfp4-flashinfer-paged");
    EXPECT(r.has_g == SF8_G_ENCODE, "%d", r.has_g);
    r = recipe_of("nvfp4-trtllm");
    EXPECT(r.has_g == SF8_G_ENCODE, "%d", r.has_g);
    r = recipe_of("nvfp4-torchao");
    EXPECT(r.has_g == SF8_G_DECODE, "%d", r.has_g);
}

/* They quantize alike: the same codes and scales on 20,000 blocks of random values. */
Test(blocks_variants, paged_is_trtllm)
{
    sf8_recipe paged = recipe_of("nvfp4-flashinfer-paged-0.7.2"), other = recipe_of("nvfp4-trtllm");
    uint32_t x[16], state = 1;
    for (int block = 0; block < 20000; block++) {
        for (size_t i = 0; i < 16; i++)
            x[i] = state = state * 1664525u + 1013904223u;
        made a = make(&paged, SF8_F32, x, 16, sf8_f32_from_bits(state >> 1 & 0x7f7fffffu));
        made b = make(&other, SF8_F32, x, 16, sf8_f32_from_bits(state >> 1 & 0x7f7fffffu));
        EXPECT(a.scale == b.scale && memcmp(a.code, b.code, 16) == 0, "%d", block);
    }
}

/* s = 13, g = .1: s g is 3fa66666; times 3 that is 3.9, in bf16 3.90625, in f16 3.900390625. */
Test(blocks_variants, torchao_reader)
{
    const uint8_t code = 5;
    const uint32_t scale = 0x55;
    sf8_recipe r = recipe_of("nvfp4-torchao");
    uint32_t f32 = 0;
    uint16_t bf16 = 0, f16 = 0;
    cr_assert(sf8_dequantize_n(&r, SF8_F32, &f32, &code, &scale, NULL, 1, 1, .1f) == SF8_OK);
    cr_assert(sf8_dequantize_n(&r, SF8_BF16, &bf16, &code, &scale, NULL, 1, 1, .1f) == SF8_OK);
    cr_assert(sf8_dequantize_n(&r, SF8_F16, &f16, &code, &scale, NULL, 1, 1, .1f) == SF8_OK);
    EXPECT(f32 == 0x4079999au && bf16 == 0x407a && f16 == 0x43cd, "%08x %x %x", f32, bf16, f16);
}

/* The last step is one rounding of the f32: 6 * 2^127 is infinite in f32, 6 * 2^14 in f16 alone;
 * NaN is 7fc0 in bf16, 7e00 in f16; what is subnormal in f16 is kept. */
Test(blocks_variants, last_rounding)
{
    static const struct {
        uint32_t scale, f32, bf16, f16;
    } rows[] = {{127 + 127, 0x7f800000, 0x7f80, 0x7c00}, {127 + 14, 0x47c00000, 0x47c0, 0x7c00},
                {127 + 13, 0x47400000, 0x4740, 0x7a00},  {255, 0x7fc00000, 0x7fc0, 0x7e00},
                {127 - 26, 0x33c00000, 0x33c0, 0x0002},  {0, 0x01c00000 - 0x800000, 0x0140, 0}};
    sf8_recipe r = recipe_of("mxfp4-floor");
    const uint8_t code = 7;
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t f32 = 0;
        uint16_t bf16 = 0, f16 = 0;
        const uint32_t *s = &rows[i].scale;
        cr_assert(sf8_dequantize_n(&r, SF8_F32, &f32, &code, s, NULL, 1, 1, 0) == SF8_OK);
        cr_assert(sf8_dequantize_n(&r, SF8_BF16, &bf16, &code, s, NULL, 1, 1, 0) == SF8_OK);
        cr_assert(sf8_dequantize_n(&r, SF8_F16, &f16, &code, s, NULL, 1, 1, 0) == SF8_OK);
        EXPECT(f32 == rows[i].f32 && bf16 == rows[i].bf16 && f16 == rows[i].f16,
               "%zu: %08x %04x %04x", i, f32, bf16, f16);
    }
}

/* ---- microxcaling ---------------------------------------------------------------------------- */

Test(blocks_variants, micro_scales)
{
    /* FLT_MAX has the log2 128: for int8 above 127 */
    EXPECT(made_of("mxint8-microxcaling", (const float[]){0x1.fffffep127f}, 1, 0).scale == 0xff,
           "");
    EXPECT(made_of("mxint8-floor", (const float[]){0x1.fffffep127f}, 1, 0).scale == 254, "");
}

/* log2 of what is just below 2^k, in f32: k where its neighbours are far enough apart. The
 * distances are those of f32: below 2 half of that above, below 8 2^-22, ... */
Test(blocks_variants, micro_log2)
{
    static const struct {
        float amax;
        int floor, micro;
    } rows[] = {
        {0x1.fffffep-1f, -1, -1},  {0x1.fffffep0f, 0, 0},       {0x1.fffffep1f, 1, 1},
        {0x1.fffffep2f, 2, 3},     {0x1.fffffcp2f, 2, 2},       {0x1.fffffep3f, 3, 4},
        {0x1.fffffep-2f, -2, -2},  {0x1.fffffep-3f, -3, -2},    {0x1.fffffcp-3f, -3, -3},
        {0x1.ffffa8p99f, 99, 100}, {0x1.ffffa6p99f, 99, 99},    {0x1.ffffd4p63f, 63, 64},
        {0x1.ffffd2p63f, 63, 63},  {0x1.ffffa8p-65f, -65, -64}, {0x1.ffffa6p-65f, -65, -65},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t floor = made_of("mxfp4-floor", &rows[i].amax, 1, 0).scale;
        uint32_t micro = made_of("mxfp4-microxcaling", &rows[i].amax, 1, 0).scale;
        EXPECT(floor == (uint32_t)(125 + rows[i].floor), "%a: %u", (double)rows[i].amax, floor);
        EXPECT(micro == (uint32_t)(125 + rows[i].micro), "%a: %u", (double)rows[i].amax, micro);
    }
}

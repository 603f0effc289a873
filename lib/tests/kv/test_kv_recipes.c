/* SPDX-License-Identifier: MIT */
/* test_kv_recipes.c -- how stores of keys and values differ: for how many values
 * of bf16 the codes differ
 *
 * Golden codes are in blocks/golden.txt. "Counted" marks numbers from a program of doubles, which
 * looks the nearest code up among all and shares nothing with the library.
 */
#include "blocks/blocks.h"

#include <math.h>

enum { FINITE = 65280 };

/* The code of one element by a recipe whose scale is given, on every level the same. */
static uint8_t code_of(const char *name, float x, float g)
{
    return made_of(name, &x, 1, g).code[0];
}

/* ---- divide or multiply ---------------------------------------------------------------------- */

/* Scales and values of bf16 whose division gives a tie or is next to one: by division, by
 * multiplication with the reciprocal; counted. Each is also true for the next two exponents of the
 * value. */
Test(kv_recipes, divide_or_multiply)
{
    static const struct {
        uint32_t scale, value;
        uint8_t divided, multiplied;
    } rows[] = {
        {0x3b1db6db, 0x3a4f, 0x2a, 0x2b}, {0x3bc66666, 0x3a1b, 0x1c, 0x1d},
        {0x3bcaaaab, 0x3a2b, 0x1e, 0x1d}, {0x3b966666, 0x3a6b, 0x25, 0x24},
        {0x3bb99999, 0x3a11, 0x1d, 0x1c}, {0x3c466666, 0x3a1b, 0x14, 0x15},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t e = 0; e < 3; e++) {
            float x = sf8_f32_from_bits((rows[i].value << 16) + (e << 23)),
                  g = sf8_f32_from_bits(rows[i].scale);
            uint8_t divided = code_of("kv-vllm", x, g),
                    multiplied = code_of("kv-vllm-scaled", x, g);
            EXPECT(divided == rows[i].divided + 8 * e, "%zu %u: %02x", i, e, divided);
            EXPECT(multiplied == rows[i].multiplied + 8 * e, "%zu %u: %02x", i, e, multiplied);
        }
}

/* ---- all values of bf16 ---------------------------------------------------------------------- */

static uint16_t finite[FINITE];

static void fill_finite(void)
{
    size_t n = 0;
    for (uint32_t word = 0; word < 0x10000; word++)
        if ((word & 0x7f80) != 0x7f80)
            finite[n++] = (uint16_t)word;
    cr_assert(n == FINITE);
}

static void store(const char *name, uint8_t *codes, float g)
{
    sf8_recipe r = recipe_of(name);
    uint32_t scale = 0;
    cr_assert(sf8_quantize_n(&r, codes, &scale, NULL, SF8_BF16, finite, 1, FINITE, g) == SF8_OK);
    EXPECT(scale == sf8_f32_bits(g), "%s: %08x", name, scale);
}

static unsigned different(const uint8_t *a, const uint8_t *b)
{
    unsigned n = 0;
    for (size_t i = 0; i < FINITE; i++)
        n += a[i] != b[i];
    return n;
}

/* Of how many values two stores have another code; counted. The last is the division against a
 * cast by which what is too large is NaN. */
Test(kv_recipes, disagreement)
{
    static const char *const names[] = {"kv-vllm", "kv-vllm-scaled", "kv-sglang-bf16",
                                        "kv-trtllm-bf16", "kv-sglang-bf16-2.12"};
    static const struct {
        float scale;
        unsigned scaled, sglang, trtllm, scaled_sglang, scaled_trtllm, sglang_trtllm, nosat;
    } rows[] = {
        {.025f, 0, 152, 152, 152, 152, 0, 32034},
        {.1f, 0, 152, 152, 152, 152, 0, 31522},
        {.3f, 2, 72, 70, 70, 68, 62, 31024},
        {1 / 3.0f, 0, 156, 156, 156, 156, 0, 31076},
        {.0123f, 0, 128, 126, 128, 126, 66, 32272},
        {.7071f, 0, 92, 94, 92, 94, 2, 30738},
        {1, 0, 0, 0, 0, 0, 0, 30510},
        {.5f, 0, 0, 0, 0, 0, 0, 30766},
    };
    static uint8_t code[5][FINITE];
    fill_finite();
    for (size_t i = 0; i < COUNT(rows); i++) {
        const unsigned want[] = {
            rows[i].scaled,        rows[i].sglang,        rows[i].trtllm, rows[i].scaled_sglang,
            rows[i].scaled_trtllm, rows[i].sglang_trtllm, rows[i].nosat};
        static const int a[] = {0, 0, 0, 1, 1, 2, 0}, b[] = {1, 2, 3, 2, 3, 3, 4};
        for (size_t k = 0; k < COUNT(names); k++)
            store(names[k], code[k], rows[i].scale);
        for (size_t k = 0; k < COUNT(want); k++)
            EXPECT(different(code[a[k]], code[b[k]]) == want[k], "%g, %s and %s: %u, not %u",
                   (double)rows[i].scale, names[a[k]], names[b[k]],
                   different(code[a[k]], code[b[k]]), want[k]);
    }
}

/* The same stores under another name, on all values of bf16: what is not the last bits of a
 * division, and a cast of torch with the scale 1. */
Test(kv_recipes, alike)
{
    static const float scales[] = {.025f, .1f, .3f, 1 / 3.0f, .0123f, .7071f, 1, .5f};
    static uint8_t a[FINITE], b[FINITE];
    fill_finite();
    for (size_t i = 0; i < COUNT(scales); i++) {
        store("kv-vllm", a, scales[i]);
        store("kv-vllm-triton", b, scales[i]);
        EXPECT(different(a, b) == 0, "%g", (double)scales[i]);
    }
    store("kv-sglang-bf16", a, 1);
    store("kv-minisgl", b, 1);
    EXPECT(different(a, b) == 0, "%u", different(a, b));
}

/* The largest relative error of all bf16 in [2^-7, 2]: the scale hardly matters; counted. */
Test(kv_recipes, relative_error)
{
    static const struct {
        float scale, worst;
    } rows[] = {{.25f, .0588f}, {.025f, .0569f}, {.01f, .0584f}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        double worst = 0;
        for (uint32_t word = 0x3c00; word <= 0x4000; word++) {
            float x = sf8_f32_from_bits(word << 16);
            made m = made_of("kv-vllm", &x, 1, rows[i].scale);
            double error = fabs((double)sf8_f32_from_bits(m.value[0]) - (double)x) / (double)x;
            worst = error > worst ? error : worst;
        }
        EXPECT(fabs(worst - (double)rows[i].worst) < 5e-5, "%g: %g", (double)rows[i].scale, worst);
    }
}

/* ---- blocks with a scale of their own -------------------------------------------------------- */

/* Scales of the indexer that are powers of two: just above 2^k the next one. */
Test(kv_recipes, indexer)
{
    static const char *const powers = "kv-vllm-indexer-ue8m0";
    for (int k = -20; k < 20; k++)
        for (int beside = -1; beside <= 1; beside++) {
            float amax = sf8_f32_from_bits(sf8_f32_bits(448 * ldexpf(1, k)) + (uint32_t)beside);
            uint32_t want = (uint32_t)(127 + k + (beside > 0)) << 23;
            EXPECT(made_of(powers, &amax, 1, 0).scale == want, "2^%d %+d", k, beside);
        }
}

/* ---- published examples ---------------------------------------------------------------------- */

/* The scale 5 / 200: the value that made it is stored as 192, for 200 is a tie, and read as 4.8;
 * all that is larger than 11.2, and 10.8 and 11 too, reads 11.2, which is 448 * 3ccccccd. */
Test(kv_recipes, five_by_200)
{
    static const struct {
        float x;
        uint8_t code;
        float value;
    } rows[] = {{5, 0x74, 4.8f},    {11.2f, 0x7e, 11.2f}, {15, 0x7e, 11.2f}, {20, 0x7e, 11.2f},
                {50, 0x7e, 11.2f},  {10.8f, 0x7e, 11.2f}, {11, 0x7e, 11.2f}, {10.7f, 0x7d, 10.4f},
                {.25f, 0x52, .25f}, {2, 0x6a, 2}};
    float g = 5 / 200.0f;
    EXPECT(sf8_f32_bits(g) == 0x3ccccccd, "%08x", sf8_f32_bits(g));
    for (size_t i = 0; i < COUNT(rows); i++) {
        made m = made_of("kv-vllm", &rows[i].x, 1, g);
        EXPECT(m.code[0] == rows[i].code &&
                   fabsf(sf8_f32_from_bits(m.value[0]) - rows[i].value) < 1e-6f,
               "%g: %02x, %g", (double)rows[i].x, m.code[0], (double)sf8_f32_from_bits(m.value[0]));
    }
    EXPECT(made_of("kv-vllm", &rows[4].x, 1, g).value[0] == 0x41333333, "11.2");
    EXPECT(made_of("kv-vllm", &rows[4].x, 1, 5 * (1 / 200.0f)).value[0] == 0x41333332, "3ccccccc");
}

/* ---- the scale as it is given ---------------------------------------------------------------- */

Test(kv_recipes, given)
{
    const sf8_recipe_row *row;
    size_t given = 0;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        sf8_recipe r = recipe_of(row->name);
        int is = strstr(row->properties, "g=given") != NULL;
        given += (size_t)is;
        EXPECT((r.has_g == SF8_G_GIVEN) == is, "%s", row->name);
        EXPECT(sf8_recipe_scale_given(&r) == (is && strcmp(row->scale_of, "g") == 0), "%s",
               row->name);
    }
    EXPECT(given == 27, "%zu", given);
    sf8_recipe bound = recipe_of("kv-vllm-token-bound");
    EXPECT(bound.has_g == SF8_G_GIVEN && !sf8_recipe_scale_given(&bound), "a bound is no scale");
}

Test(kv_recipes, wrong_given)
{
    static const char *const wrong[] = {"g=given/", "g=given/448", "g=givens", "g=give"};
    sf8_recipe_row row = *sf8_recipe_at(0);
    sf8_recipe r;
    row.properties = "g=given";
    EXPECT(sf8_recipe_read(&r, &row) == SF8_OK && r.has_g == SF8_G_GIVEN, "given");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        row.properties = wrong[i];
        EXPECT(sf8_recipe_read(&r, &row) == SF8_BAD_CALL, "%s", wrong[i]);
    }
}

/* What a row is, as the stack's kernel has it: which elements its scale is computed from, or, where
 * it is handed in, is one for. */
Test(kv_recipes, per)
{
    static const struct {
        const char *name;
        int32_t per;
    } rows[] = {
        {"kv-vllm", SF8_PER_TENSOR},           {"kv-trtllm-int8", SF8_PER_TENSOR},
        {"kv-sglang-bf16", SF8_PER_TENSOR},    {"kv-vllm-rocm", SF8_PER_TENSOR},
        {"kv-vllm-dynamic", SF8_PER_TENSOR},   {"kv-vllm-token-bound", SF8_PER_TOKEN},
        {"fp8-per-token", SF8_PER_TOKEN},      {"fp8-per-token-head", SF8_PER_TOKEN_HEAD},
        {"kvquant-int4", SF8_PER_TOKEN},       {"int8-per-token-head", SF8_PER_TOKEN_HEAD},
        {"kvquant-int4-clamp", SF8_PER_TOKEN}, {"int4-per-token-head", SF8_PER_TOKEN_HEAD},
        {"kv-minisgl", SF8_PER_NONE},          {"kv-vllm-ds-mla", SF8_PER_BLOCK},
        {"nvfp4-vllm", SF8_PER_BLOCK},         {"kivi-int4", SF8_PER_BLOCK},
    };
    const sf8_recipe_row *row;
    for (size_t i = 0; i < COUNT(rows); i++)
        EXPECT(recipe_of(rows[i].name).per == rows[i].per, "%s", rows[i].name);
    EXPECT(recipe_of("kv-vllm-ds-mla").block == 128, "the block of ds-mla");
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        sf8_recipe r = recipe_of(row->name);
        EXPECT((r.per == SF8_PER_BLOCK) == (row->block > 0), "%s", row->name);
        /* a row of a matrix, not of keys or values */
        EXPECT((r.per == SF8_PER_ROW) == (strstr(row->name, "-row-") != NULL ||
                                          strcmp(row->name, "fp8-compressed-channel") == 0),
               "%s does not say what a row is", row->name);
        EXPECT(!sf8_recipe_scale_given(&r) || r.per == SF8_PER_TENSOR, "%s", row->name);
    }
}

Test(kv_recipes, wrong_per)
{
    static const char *const wrong[] = {"per=",      "per=row", "per=block",
                                        "per=heads", "per",     "per=none per=x"};
    sf8_recipe_row row = *sf8_recipe_at(0);
    sf8_recipe r;
    row.properties = "per=token";
    EXPECT(sf8_recipe_read(&r, &row) == SF8_BAD_CALL, "of blocks it is known");
    row.block = 0;
    EXPECT(sf8_recipe_read(&r, &row) == SF8_OK && r.per == SF8_PER_TOKEN, "of rows it is not");
    row.properties = "";
    EXPECT(sf8_recipe_read(&r, &row) == SF8_OK && r.per == SF8_PER_ROW, "it may be left open");
    for (size_t i = 0; i < COUNT(wrong); i++) {
        row.properties = wrong[i];
        EXPECT(sf8_recipe_read(&r, &row) == SF8_BAD_CALL, "%s", wrong[i]);
    }
    EXPECT(!sf8_recipe_per_name(-1) && !sf8_recipe_per_name(SF8_PER_COUNT), "no name");
    EXPECT(strcmp(sf8_recipe_per_name(SF8_PER_TOKEN_HEAD), "token-head") == 0, "a name");
}

/* A product of two rows has the scales in it, and alpha is 1: 1 * 3 * .5 * .25. */
Test(kv_recipes, product)
{
    static const float one = .5f, three = .75f;
    made a = made_of("kv-vllm", &one, 1, .5f), b = made_of("kv-vllm", &three, 1, .25f);
    sf8_recipe r = recipe_of("kv-vllm");
    sf8_blocks x = {&r, a.code, &a.scale, NULL, .5f}, y = {&r, b.code, &b.scale, NULL, .25f};
    sf8_result result;
    float alpha = sf8_blocks_alpha(&x, &y);
    EXPECT(sf8_f32_bits(alpha) == 0x3f800000, "%g", (double)alpha);
    cr_assert(sf8_blocks_dot(SF8_F32, SF8_OCP_NOSAT, &result, &x, &y, 1, alpha) == SF8_OK);
    EXPECT(result.code == 0x3ec00000, "%08" PRIx64, result.code);
}

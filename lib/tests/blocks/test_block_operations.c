/* SPDX-License-Identifier: MIT */
/* test_block_operations.c -- each operation of programs on each level, compared with the core
 *
 * An element is a block: `low` is that element, including a NaN with its payload and sign, and the
 * result is a scale of f32 that keeps both. All pairs of the values below are tried, and for
 * log2-floor the values near every power of two.
 */
#include "check.h"
#include "softfp8_blocks.h"

enum { MOST = 512 };

/* Zeros, NaN, infinities, ends of the formats, ties, ends of what pow2 takes. */
static const uint32_t words[] = {
    0,          0x80000000, 0x7fc00000, 0xffc00000, 0x7fc54321, 0x7f800001, 0xff812345, 0x7fffffff,
    0xffffffff, 0x7f800000, 0xff800000, 0x7f7fffff, 0xff7fffff, 0x00000001, 0x80000001, 0x007fffff,
    0x807fffff, 0x00800000, 0x80800000, 0x00ffffff, 0x3f800000, 0xbf800000, 0x3f000000, 0xbf000000,
    0x3effffff, 0x3fc00000, 0xbfc00000, 0x40200000, 0xc0200000, 0x4b000000, 0x4affffff, 0x4a7fffff,
    0x4a800000, 0xcb000001, 0x42fe0000, 0x43000000, 0x4300ffff, 0xc3160000, 0xc3150000, 0xc3158000,
    0xc2fc0000, 0xc2ff0000, 0x477fefff, 0x477ff000, 0x387fffff, 0x38800000, 0x33000000, 0x33000001,
    0x337fffff, 0x3f7fffff, 0x3f807fff, 0x3f808000, 0x3f808001, 0x3f80f000, 0x3f801000, 0x7effffff,
    0x7f000000, 0x00400000, 0x80200000, 0x3eaaaaab, 0xc0c00000, 0x40000000, 0x3fffffff, 0xc0400000,
};

static size_t failures;

/* The operands: the element, g, the element's magnitude. */
static sf8_recipe recipe_of(uint32_t op, const char *name)
{
    static const char *const operands[] = {"", "low", "low g", "low g amax"};
    char text[64];
    sf8_recipe r;
    sf8_recipe_row row = {.name = name,
                          "e4m3",
                          "ocp-nosat",
                          "",
                          1,
                          "f32",
                          "ocp-nosat",
                          "nan_code=payload nan_sign=sign-bit",
                          text,
                          "",
                          "",
                          "x",
                          "e s *",
                          "g=encode"};
    snprintf(text, sizeof text, "%s %s", operands[sf8_term_operands(op)], name);
    cr_assert(sf8_recipe_read(&r, &row) == SF8_OK, "%s", text);
    return r;
}

static void check_words(uint32_t op, const char *name, const uint32_t *x, size_t n, uint32_t g)
{
    static uint8_t codes[MOST];
    static uint32_t scales[MOST], offsets[MOST];
    sf8_recipe r = recipe_of(op, name);
    const char *level;
    float second;
    memcpy(&second, &g, sizeof second);
    for (size_t at = 0; (level = sf8_simd_at(at)) != NULL; at++) {
        memset(scales, 0xa5, sizeof scales);
        cr_assert(sf8_quantize_n_at(level, &r, codes, scales, offsets, SF8_F32, x, 1, n, second) ==
                  SF8_OK);
        for (size_t i = 0; i < n; i++) {
            uint32_t word = sf8_term_result(op, x[i], g, sf8_f32_magnitude(x[i]));
            uint32_t want = sf8_block_stored(r.scale, r.scale_policy, word);
            if (scales[i] != want && ++failures <= 20)
                printf("%s, %s of %08" PRIx32 ", %08" PRIx32 ": %08" PRIx32 ", not %08" PRIx32 "\n",
                       level, name, x[i], g, scales[i], want);
        }
    }
}

Test(block_operations, pairs)
{
    static const char *const names[] = {
#define SF8_TERM(id, name, operands) name,
        SF8_PROGRAM_OPS(SF8_TERM)
#undef SF8_TERM
    };
    for (uint32_t i = 0; i < COUNT(names); i++)
        for (size_t k = 0; k < COUNT(words); k++)
            check_words(SF8_TERM_VARIABLE + 1 + i, names[i], words, COUNT(words), words[k]);
    EXPECT(failures == 0, "%zu differences", failures);
}

/* From 2^-149 to infinity. A subnormal power of two has few bits, and so have its neighbours. */
Test(block_operations, powers_of_two)
{
    static uint32_t x[MOST];
    for (uint32_t e = 0; e < 23 + 255; e++) {
        uint32_t power = e < 23 ? 1u << e : (e - 22) << 23;
        for (uint32_t i = 0; i < MOST; i++)
            x[i] = power - MOST / 2 + i;
        check_words(SF8_TERM_LOG2_FLOOR, "log2-floor", x, MOST, 0);
        check_words(SF8_TERM_LOG2_CEIL, "log2-ceil", x, MOST, 0);
    }
    EXPECT(failures == 0, "%zu differences", failures);
}

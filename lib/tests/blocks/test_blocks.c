/* SPDX-License-Identifier: MIT */
/* test_blocks.c -- recipes: golden blocks, which golden.txt has, and exponents of scales
 *
 * "Measured" means values that the stacks' own formulas printed in IEEE f32 elsewhere.
 */
#include "blocks/blocks.h"
#include "table.h"

#include <ctype.h>

/* Whether a word that is expected of a block holds: see golden.txt. */
static int holds(const made *m, const char *word)
{
    const char *value = strchr(word, '=');
    const uint32_t want = value ? (uint32_t)strtoul(value + 1, NULL, 16) : 0;
    if (strncmp(word, "offset=", 7) == 0)
        return m->offset == want;
    if (isdigit((unsigned char)*word))
        return m->value[strtoul(word, NULL, 10)] == want;
    for (size_t i = 0; i < m->n; i++)
        if ((value ? m->value[i] : m->value[i] & 0x7fffffffu) != want)
            return 0;
    return strcmp(word, "zero") == 0 || strncmp(word, "all=", 4) == 0;
}

static int is_expected(const char *word)
{
    return strchr(word, '=') || strcmp(word, "zero") == 0;
}

Test(blocks, golden)
{
    table known = table_read("blocks/golden.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        float v[BLOCK_MOST];
        char text[2 * BLOCK_MOST + 1];
        size_t n = 0;
        for (; 4 + n < x->count && !is_expected(x->word[4 + n]); n++)
            v[n] = strtof(x->word[4 + n], NULL);
        made m = made_of(x->word[0], v, n, strtof(x->word[1], NULL));
        codes_text(&m, (int)(strlen(x->word[3]) / n), text);
        int scale = strcmp(x->word[2], "?") == 0 || m.scale == table_hex(x, 2);
        EXPECT(scale && strcmp(text, x->word[3]) == 0, "line %zu: %s: scale %x codes %s", i,
               table_rest(x, 0), m.scale, text);
        for (size_t k = 4 + n; k < x->count; k++)
            EXPECT(holds(&m, x->word[k]), "line %zu: %s: not %s", i, table_rest(x, 0), x->word[k]);
    }
    cr_expect(known.count == 206, "%zu", known.count);
    table_free(&known);
}

/* g amax / 6 is 17.0000008, just above a tie of e4m3; in f32 amax / 6 loses that, g amax does not.
 */
Test(blocks, order_of_factors)
{
    float amax = sf8_f32_from_bits(0x42cbcbd4), g = sf8_f32_from_bits(0x3f8020c5);
    EXPECT(made_of("nvfp4-compressed", &amax, 1, g).scale == 0x58, "g (amax / 6): the even code");
}

/* ---- MX -------------------------------------------------------------------------------------- */

/* Exponents of the scale by floor, even, ceil, rceil, for e2m1. Measured, but for the last three:
 * just below a power of two log2 must not be that of the power. */
Test(blocks, mx_exponents)
{
    static const struct {
        float amax;
        int exponent[4];
    } rows[] = {
        {1.0f, {-2, -2, -2, -2}},
        {1.25f, {-2, -2, -1, -2}},
        {1.6f, {-2, -2, -1, -1}},
        {1.75f, {-2, -1, -1, -1}},
        {3.0f, {-1, -1, 0, -1}},
        {3.01f, {-1, -1, 0, 0}},
        {6.0f, {0, 0, 1, 0}},
        {6.5f, {0, 0, 1, 1}},
        {7.0f, {0, 1, 1, 1}},
        {8.0f, {1, 1, 1, 1}},
        {0x1.fffffep-1f, {-3, -2, -2, -2}},
        {0x1.000002p0f, {-2, -2, -1, -2}},
        {0x1.bffffep0f, {-2, -2, -1, -1}},
    };
    static const char *const names[4] = {"mxfp4-floor", "mxfp4-even", "mxfp4-ceil", "mxfp4-rceil"};
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t mode = 0; mode < 4; mode++) {
            made m = made_of(names[mode], &rows[i].amax, 1, 0);
            EXPECT(m.scale == (uint32_t)(127 + rows[i].exponent[mode]), "%s %a: %u", names[mode],
                   (double)rows[i].amax, m.scale);
        }
}

/* Where `even` goes up: at 2 - 2^-(M + 1), so at 1.75, 1.875, 1.9375; `rceil` above the largest
 * mantissa of a format: 1.5, 1.75, 1.875, 1.75, 1.75. Less emax: 2, 4, 2, 8, 15. */
Test(blocks, mx_formats)
{
    static const struct {
        const char *name;
        int emax;
        float even, rceil;
    } rows[] = {
        {"mxfp4", 2, 1.75f, 1.5f},          {"mxfp6-e3m2", 4, 1.875f, 1.75f},
        {"mxfp6-e2m3", 2, 1.9375f, 1.875f}, {"mxfp8-e4m3", 8, 1.9375f, 1.75f},
        {"mxfp8-e5m2", 15, 1.875f, 1.75f},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char even[32], rceil[32];
        uint32_t low = 127 - (uint32_t)rows[i].emax;
        float below = rows[i].even * (1 - 0x1p-23f), above = rows[i].rceil * 1.00001f;
        snprintf(even, sizeof even, "%s-even", rows[i].name);
        snprintf(rceil, sizeof rceil, "%s-rceil", rows[i].name);
        EXPECT(made_of(even, &below, 1, 0).scale == low, "%s", even);
        EXPECT(made_of(even, &rows[i].even, 1, 0).scale == low + 1, "%s", even);
        EXPECT(made_of(rceil, &rows[i].rceil, 1, 0).scale == low, "%s", rceil);
        EXPECT(made_of(rceil, &above, 1, 0).scale == low + 1, "%s", rceil);
    }
}

/* ---- codes of 8 bits ------------------------------------------------------------------------- */

/* Measured: value and scale for which dividing and multiplying by the reciprocal differ. */
Test(blocks, divide_or_multiply)
{
    static const struct {
        uint32_t scale, x, divided, multiplied;
    } rows[] = {
        {0x3b1db6db, 0x3a4f, 0x2a, 0x2b}, {0x3bc66666, 0x3a1b, 0x1c, 0x1d},
        {0x3bcaaaab, 0x3a2b, 0x1e, 0x1d}, {0x3b966666, 0x3a6b, 0x25, 0x24},
        {0x3bb99999, 0x3a11, 0x1d, 0x1c}, {0x3c466666, 0x3a1b, 0x14, 0x15},
    };
    sf8_recipe_row row = *sf8_recipe_at(0);
    sf8_recipe divide, multiply;
    row.element = "e4m3";
    row.block = 0;
    row.scale = "f32";
    row.scale_policy = "ocp-nosat";
    row.scale_of = "g";
    row.factor_of = "";
    row.value_of = "e s *";
    row.element_of = "x s /";
    cr_assert(sf8_recipe_read(&divide, &row) == SF8_OK);
    row.element_of = "x 1 s / *";
    cr_assert(sf8_recipe_read(&multiply, &row) == SF8_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint16_t x = (uint16_t)rows[i].x;
        float g = sf8_f32_from_bits(rows[i].scale);
        made d = make(&divide, SF8_BF16, &x, 1, g), m = make(&multiply, SF8_BF16, &x, 1, g);
        EXPECT(d.code[0] == rows[i].divided && m.code[0] == rows[i].multiplied, "%zu: %02x %02x", i,
               d.code[0], m.code[0]);
    }
    /* the first in its recipes: 1.078125 / 448 is that scale */
    uint16_t x[2] = {0x3f8a, 0x3a4f};
    sf8_recipe token = recipe_of("fp8-per-token");
    sf8_recipe head = recipe_of("fp8-per-token-head-interpreted");
    EXPECT_BLOCK(make(&token, SF8_BF16, x, 2, 0), 2, 0x3b1db6db, "7e2a");
    EXPECT_BLOCK(make(&head, SF8_BF16, x, 2, 0), 2, 0x3b1db6db, "7e2b");
    /* a product with 1/448, as vLLM's kernel has it on a GPU, gives the next scale */
    head = recipe_of("fp8-per-token-head");
    EXPECT_BLOCK(make(&head, SF8_BF16, x, 2, 0), 2, 0x3b1db6dc, "7e2a");
}

/* ---- integers with an offset ----------------------------------------------------------------- */

Test(blocks, kivi)
{
    /* 1/15 in f32, times 30 rounded to f16: 2; 0.5 and 1.5 steps go to the even code */
    static const uint16_t x[6] = {0xcc80 /* -18 */,   0x4a00 /* 12 */,  0xcc40 /* -17 */,
                                  0xcbc0 /* -15.5 */, 0xcb80 /* -15 */, 0xcc80};
    sf8_recipe four = recipe_of("kivi-int4"), two = recipe_of("kivi-int2");
    made m = make(&four, SF8_F16, x, 6, 0);
    EXPECT_BLOCK(m, 1, 0x4000, "0f0120");
    EXPECT(m.offset == 0xcc80 && m.value[1] == 0x41400000u, "%x %08x", m.offset, m.value[1]);
    m = make(&two, SF8_F16, x, 6, 0);
    EXPECT_BLOCK(m, 1, 0x4900, "030000"); /* 30 / 3 */
    /* all the same: the scale 0, the codes 0, the value the offset */
    static const uint16_t same[3] = {0x3e00, 0x3e00, 0x3e00};
    m = make(&four, SF8_F16, same, 3, 0);
    EXPECT_BLOCK(m, 1, 0, "000");
    EXPECT(m.offset == 0x3e00 && m.value[0] == 0x3fc00000u, "%x", m.offset);
}

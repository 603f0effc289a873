/* SPDX-License-Identifier: MIT */
/* test_blocks_wrong.c -- invalid recipes and programs, calls that are refused, odd sizes */
#include "blocks/blocks.h"
#include "table.h"

/* The value of a program, with e = 3, s = 2: what a reader gives by it. */
static uint32_t value_of(const char *text)
{
    static const uint8_t three = 0x44;
    static const uint32_t two = 0x40000000;
    sf8_recipe_row row = *sf8_recipe_at(0);
    sf8_recipe r;
    uint32_t value;
    row.element = "e4m3";
    row.scale = "f32";
    row.scale_policy = "ocp-nosat";
    row.factor_of = "";
    row.value_of = text;
    cr_assert(sf8_recipe_read(&r, &row) == SF8_OK, "%s", text);
    cr_assert(sf8_dequantize_n(&r, SF8_F32, &value, &three, &two, NULL, 1, 1, 0) == SF8_OK);
    return value;
}

/* Each operation. */
Test(blocks_wrong, operations)
{
    table known = table_read("blocks/programs.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        uint32_t value = value_of(table_rest(x, 1));
        EXPECT(value == table_hex(x, 0), "%s: %08x, not %s", table_rest(x, 1), value, x->word[0]);
    }
    cr_expect(known.count == 98, "%zu", known.count);
    table_free(&known);
}

Test(blocks_wrong, programs)
{
    static const char *const wrong[] = {
        "x y",                       /* no such operation */
        "X",                         /* nor this */
        "x +",                       /* an operand too few */
        "+",                         /* two */
        "x s ifzero",                /* one of three */
        "x s",                       /* two values at the end */
        "1 2 3 4 5 6 7 + + + + + +", /* deeper than 6 */
        "1 neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg", /* 21
                                                                                              */
        "1e", /* no number */
        "2^",
        "2^x",
        "0x",
        "flt_max",
        "1.000000000000000000000000001", /* a word of more than 23 characters */
    };
    sf8_program p;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        memset(&p, 0x5a, sizeof p);
        EXPECT(!sf8_program_read(&p, wrong[i]), "%s", wrong[i]);
        EXPECT(p.count == 0x5a5a5a5a, "%s: written to", wrong[i]);
    }
    EXPECT(sf8_program_read(&p, "") && p.count == 0, "no program");
    EXPECT(sf8_program_read(&p, "  x  ") && p.count == 1, "spaces");
    EXPECT(sf8_program_read(&p, "1 2 3 4 5 6 + + + + +") && p.count == 11, "as deep as may be");
    EXPECT(sf8_program_read(&p, "1 neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg neg "
                                "neg neg neg") &&
               p.count == 20,
           "as long as may be");
}

static void refused(const sf8_recipe_row *row, const char *what)
{
    sf8_recipe r;
    memset(&r, 0x5a, sizeof r);
    EXPECT(sf8_recipe_read(&r, row) == SF8_BAD_CALL, "%s", what);
    EXPECT(r.block == 0x5a5a5a5a, "%s: written to", what);
}

#define REFUSED(field, value)                                                                      \
    do {                                                                                           \
        sf8_recipe_row row_ = *sf8_recipe_at(0);                                                   \
        row_.field = value;                                                                        \
        refused(&row_, #field " = " #value);                                                       \
    } while (0)

Test(blocks_wrong, recipes)
{
    sf8_recipe r;
    cr_assert(sf8_recipe_read(&r, sf8_recipe_at(0)) == SF8_OK);
    EXPECT(sf8_recipe_named(&r, "nvfp4") == SF8_UNKNOWN_NAME, "no such name");
    EXPECT(sf8_recipe_named(&r, "") == SF8_UNKNOWN_NAME, "no name");
    EXPECT(sf8_recipe_at(10000) == NULL, "beyond the last");
    REFUSED(element, "e9m9");
    REFUSED(element, "f16"); /* more than 8 bits */
    REFUSED(element, "int");
    REFUSED(element, "int0");
    REFUSED(element, "uint9");
    REFUSED(element, "int44");
    REFUSED(element_policy, "nobody");
    REFUSED(element_fields, "round");
    REFUSED(element_fields, "round=best");
    REFUSED(element_fields, "round=sr");
    REFUSED(block, -1);
    REFUSED(scale, "f99");
    REFUSED(scale, "f64");
    REFUSED(scale_policy, "");
    REFUSED(scale_fields, "colour=red");
    REFUSED(scale_of, "");
    REFUSED(scale_of, "amax +");
    REFUSED(factor_of, "z");
    REFUSED(element_of, "");
    REFUSED(value_of, "");
    REFUSED(offset_of, "low"); /* and no code for it */
    REFUSED(properties, "g=both");
    REFUSED(g_of, "amax g *"); /* of amax alone */
    REFUSED(g_of, "amax +");
    REFUSED(properties, "offset=f16"); /* and no program */
    REFUSED(properties, "offset=f64");
    REFUSED(properties, "offset=nothing");
    REFUSED(properties, "zero=00"); /* is none */
    REFUSED(properties, "zero=3");
    REFUSED(properties, "zero=xy");
    REFUSED(properties, "amax=inf");
    REFUSED(element, NULL);
    REFUSED(element_policy, NULL);
    REFUSED(element_fields, NULL);
    REFUSED(scale, NULL);
    REFUSED(scale_policy, NULL);
    REFUSED(scale_fields, NULL);
    REFUSED(scale_of, NULL);
    REFUSED(properties, NULL);
}

Test(blocks_wrong, calls)
{
    static const float x[2] = {1, 2};
    uint8_t codes[4] = {0xaa, 0xaa, 0xaa, 0xaa};
    uint32_t scale = 0xaaaaaaaa;
    float back[2] = {-7, -7};
    sf8_recipe r = recipe_of("mxfp4-floor");
    size_t most = PTRDIFF_MAX;
    EXPECT(sf8_quantize_n(&r, codes, &scale, NULL, SF8_E4M3, x, 1, 2, 0) == SF8_BAD_FORMAT, "e4m3");
    EXPECT(sf8_quantize_n(&r, codes, &scale, NULL, SF8_F64, x, 1, 2, 0) == SF8_BAD_FORMAT, "f64");
    EXPECT(sf8_dequantize_n(&r, SF8_TF32, back, codes, &scale, NULL, 1, 2, 0) == SF8_BAD_FORMAT,
           "tf32");
    EXPECT(sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, most, 2, 0) == SF8_BAD_CALL, "rows");
    EXPECT(sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, 2, most, 0) == SF8_BAD_CALL, "row");
    EXPECT(sf8_dequantize_n(&r, SF8_F32, back, codes, &scale, NULL, 2, most, 0) == SF8_BAD_CALL,
           "row");
    /* none at all, and none is written */
    EXPECT(sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, 0, 2, 0) == SF8_OK, "no rows");
    EXPECT(sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, 2, 0, 0) == SF8_OK, "no columns");
    EXPECT(sf8_dequantize_n(&r, SF8_F32, back, codes, &scale, NULL, 0, 2, 0) == SF8_OK, "no rows");
    /* and it takes no time, however many rows there are of that */
    EXPECT(sf8_quantize_columns_n(&r, codes, &scale, NULL, SF8_F32, x, SIZE_MAX, 0, 0) == SF8_OK &&
               sf8_dequantize_columns_n(&r, SF8_F32, back, codes, &scale, NULL, SIZE_MAX, 0, 0) ==
                   SF8_OK,
           "many rows of no columns");
    EXPECT(codes[0] == 0xaa && scale == 0xaaaaaaaa && back[0] == -7, "written to");
}

/* 3 rows of 37 in blocks of 16: 16, 16, 5; each row begins a block. Row k is all (k + 1) but its
 * last element, 6: so the scales by `nvfp4-te` with G = 6 are 1, 1, 6 and so on. */
Test(blocks_wrong, short_last_block)
{
    float x[3 * 37], back[3 * 37];
    uint8_t codes[3 * 37 + 1];
    uint32_t scales[10];
    static const uint8_t want[9] = {0x38, 0x38, 0x4c, 0x40, 0x40, 0x4c, 0x44, 0x44, 0x4c};
    sf8_recipe r = recipe_of("nvfp4-te");
    for (size_t i = 0; i < COUNT(x); i++)
        x[i] = i % 37 == 36 ? 6 : (float)(i / 37 + 1);
    codes[111] = 0xaa;
    scales[9] = 0xaaaaaaaa;
    cr_assert(sf8_recipe_blocks(&r, 37) == 3 && sf8_recipe_blocks(&r, 32) == 2 &&
              sf8_recipe_blocks(&r, 0) == 0);
    cr_assert(sf8_quantize_n(&r, codes, scales, NULL, SF8_F32, x, 3, 37, 6) == SF8_OK);
    for (size_t i = 0; i < 9; i++)
        EXPECT(scales[i] == want[i], "%zu: %x, not %x", i, scales[i], want[i]);
    EXPECT(codes[111] == 0xaa && scales[9] == 0xaaaaaaaa, "beyond the end");
    cr_assert(sf8_dequantize_n(&r, SF8_F32, back, codes, scales, NULL, 3, 37, 6) == SF8_OK);
    for (size_t i = 0; i < COUNT(x); i++)
        EXPECT(back[i] == x[i], "%zu: %g, not %g", i, (double)back[i], (double)x[i]);
}

/* Block 0 is the row: two rows, two scales, and the offsets with their codes. */
Test(blocks_wrong, whole_rows)
{
    static const float x[8] = {-.5f, 3.25f, 0, 1, -1, 6.5f, 0, .5f};
    uint8_t codes[8];
    uint32_t scales[2], offsets[2];
    uint16_t back[8];
    sf8_recipe r = recipe_of("kvquant-int4");
    cr_assert(sf8_recipe_blocks(&r, 4) == 1 && sf8_recipe_blocks(&r, 0) == 0);
    cr_assert(sf8_quantize_n(&r, codes, scales, offsets, SF8_F32, x, 2, 4, 0) == SF8_OK);
    EXPECT(scales[0] == 0x40800000 && scales[1] == 0x40000000, "%x %x", scales[0], scales[1]);
    EXPECT(offsets[0] == 0xc0000000 && offsets[1] == 0xc0000000, "%x %x", offsets[0], offsets[1]);
    EXPECT(codes[1] == 15 && codes[5] == 15 && codes[2] == 2 && codes[7] == 3, "codes");
    cr_assert(sf8_dequantize_n(&r, SF8_BF16, back, codes, scales, offsets, 2, 4, 0) == SF8_OK);
    EXPECT(back[1] == 0x4050 && back[5] == 0x40d0 && back[3] == 0x3f80, "values");
}

/* A row of the caller's own: signed integers of 4 bits are two's complement in the low 4 bits. */
Test(blocks_wrong, own_row)
{
    static const float x[4] = {-1, 7, -8, 2.5f};
    sf8_recipe_row row = *sf8_recipe_at(0);
    sf8_recipe r;
    row.element = "int4";
    row.scale = "f16";
    row.scale_of = "1";
    row.factor_of = "";
    row.element_of = "x s /";
    row.value_of = "e s *";
    row.properties = "";
    cr_assert(sf8_recipe_read(&r, &row) == SF8_OK);
    made m = make(&r, SF8_F32, x, 4, 0);
    EXPECT_BLOCK(m, 2, 0x3c00, "0f070802");
    EXPECT(m.value[0] == 0xbf800000 && m.value[2] == 0xc1000000, "%08x", m.value[2]);
    m.code[0] = 0xf3; /* bits above the element's are not looked at */
    cr_assert(sf8_dequantize_n(&r, SF8_F32, m.value, m.code, &m.scale, NULL, 1, 4, 0) == SF8_OK);
    EXPECT(m.value[0] == 0x40400000, "%08x", m.value[0]);
}

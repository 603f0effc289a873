/* SPDX-License-Identifier: MIT */
/* test_layouts.c -- where the scales of blocks lie
 *
 * The proof walks through memory as the layouts are drawn, for every size.
 */
#include "check.h"
#include "softfp8_blocks.h"

enum { ROWS = 300, COLUMNS = 450 };

/* A place and the offset of what lies there say the same. */
Test(layouts, places)
{
    static const size_t sizes[][2] = {{4, 4}, {16, 8}, {132, 12}, {300, 28}};
    for (sf8_layout layout = 0; layout < SF8_LAYOUT_COUNT; layout++)
        for (size_t k = 0; k < COUNT(sizes); k++) {
            size_t rows = sizes[k][0], columns = sizes[k][1], real = 0;
            for (size_t i = 0; i < sf8_layout_size(layout, rows, columns); i++) {
                sf8_place p = sf8_layout_place(layout, columns, i);
                if (p.row >= rows || p.column >= columns)
                    continue;
                real++;
                EXPECT(sf8_layout_offset(layout, columns, p.row, p.column) == i,
                       "layout %u, %zu x %zu: %zu", layout, rows, columns, i);
            }
            EXPECT(real == rows * columns, "layout %u, %zu x %zu", layout, rows, columns);
        }
}

Test(layouts, sizes)
{
    for (size_t rows = 0; rows <= ROWS; rows++)
        for (size_t columns = 0; columns <= COLUMNS; columns++) {
            size_t tiles128 = 0, tiles8 = 0;
            for (size_t row = 0; row < rows; row += 8) {
                tiles128 += row % 128 == 0 ? (columns + 3) / 4 : 0;
                tiles8 += (columns + 3) / 4;
            }
            EXPECT(sf8_layout_size(SF8_LAYOUT_LINEAR, rows, columns) == rows * columns, "%zu",
                   rows);
            EXPECT(sf8_layout_size(SF8_LAYOUT_128X4, rows, columns) == 512 * tiles128, "%zu", rows);
            EXPECT(sf8_layout_size(SF8_LAYOUT_8X4, rows, columns) == 32 * tiles8, "%zu", rows);
        }
}

/* Literals: the first row of 128x4, which alone looks almost linear; what is where it is linearly.
 */
Test(layouts, literals)
{
    static const struct {
        sf8_layout layout;
        uint64_t columns, row, column, offset;
    } table[] = {
        {SF8_LAYOUT_128X4, 8, 0, 0, 0},      {SF8_LAYOUT_128X4, 8, 0, 3, 3},
        {SF8_LAYOUT_128X4, 8, 0, 4, 512},    {SF8_LAYOUT_128X4, 8, 0, 5, 513},
        {SF8_LAYOUT_128X4, 8, 1, 0, 16},     {SF8_LAYOUT_128X4, 8, 32, 0, 4},
        {SF8_LAYOUT_128X4, 8, 33, 5, 533},   {SF8_LAYOUT_128X4, 8, 127, 3, 511},
        {SF8_LAYOUT_128X4, 8, 128, 0, 1024}, {SF8_LAYOUT_128X4, 5, 128, 0, 1024},
        {SF8_LAYOUT_128X4, 4, 128, 0, 512},  {SF8_LAYOUT_8X4, 8, 1, 0, 4},
        {SF8_LAYOUT_8X4, 8, 0, 4, 32},       {SF8_LAYOUT_8X4, 8, 8, 0, 64},
        {SF8_LAYOUT_4TOKEN, 8, 1, 0, 1},     {SF8_LAYOUT_4TOKEN, 8, 0, 1, 4},
        {SF8_LAYOUT_4TOKEN, 8, 4, 0, 32},    {SF8_LAYOUT_4TOKEN, 4, 15, 3, 63},
    };
    for (size_t i = 0; i < COUNT(table); i++)
        EXPECT(sf8_layout_offset(table[i].layout, table[i].columns, table[i].row,
                                 table[i].column) == table[i].offset,
               "literal %zu", i);
}

/* The formula for V as it is written in caches, over a page of 16 tokens: how many scales meet one
 * that is there already, how many lie behind the page. */
static void follow_formula(size_t columns, size_t *met, size_t *outside)
{
    unsigned char used[1024] = {0};
    *met = *outside = 0;
    for (size_t t = 0; t < 16; t++)
        for (size_t s = 0; s < columns; s++) {
            size_t row = t / 4 * 4 + s / (columns / 4);
            size_t column = s % (columns / 4) * 4 + t % 4;
            size_t offset = row * columns + column;
            *met += used[offset];
            *outside += offset >= 16 * columns;
            used[offset] = 1;
            if (columns % 4 == 0)
                EXPECT(sf8_layout_offset(SF8_LAYOUT_4TOKEN, columns, t, s) == offset, "%zu",
                       offset);
        }
}

Test(layouts, the_formula_of_caches)
{
    size_t met, outside;
    for (size_t columns = 4; columns <= 32; columns += 4) {
        follow_formula(columns, &met, &outside);
        cr_expect(met == 0 && outside == 0, "%zu columns", columns);
    }
    follow_formula(5, &met, &outside);
    cr_expect(met == 12 && outside == 4, "5 columns: %zu %zu", met, outside);
    follow_formula(6, &met, &outside);
    cr_expect(met == 24 && outside == 8, "6 columns: %zu %zu", met, outside);
}

Test(layouts, what_does_not_fit)
{
    size_t size = 77;
    uint8_t byte = 0x5a;
    static const size_t wrong[][2] = {{16, 5}, {16, 6}, {16, 3}, {15, 8}, {2, 4}, {4, 1}};
    for (size_t i = 0; i < COUNT(wrong); i++) {
        cr_expect_eq(sf8_layout_places(SF8_LAYOUT_4TOKEN, wrong[i][0], wrong[i][1], &size),
                     SF8_BAD_CALL);
        cr_expect_eq(sf8_layout_store_n(SF8_LAYOUT_4TOKEN, &byte, &byte, wrong[i][0], wrong[i][1]),
                     SF8_BAD_CALL);
    }
    for (sf8_layout layout = 0; layout < SF8_LAYOUT_COUNT; layout++) {
        cr_expect_eq(sf8_layout_places(layout, SIZE_MAX / 4 * 4, 4, &size), SF8_BAD_CALL);
        cr_expect_eq(sf8_layout_places(layout, 4, SIZE_MAX / 4 * 4, &size), SF8_BAD_CALL);
        cr_expect_eq(sf8_layout_places(layout, (size_t)1 << 32, (size_t)1 << 32, &size),
                     SF8_BAD_CALL);
        cr_expect_eq(sf8_layout_load_n(layout, &byte, &byte, (size_t)1 << 40, (size_t)1 << 40),
                     SF8_BAD_CALL);
    }
    cr_expect_eq(sf8_layout_places(SF8_LAYOUT_COUNT, 4, 4, &size), SF8_BAD_CALL);
    cr_expect(size == 77 && byte == 0x5a);
}

Test(layouts, names)
{
    static const char *const names[] = {"linear", "128x4", "8x4", "4-token"};
    sf8_status status;
    for (sf8_layout layout = 0; layout < COUNT(names); layout++) {
        cr_expect_str_eq(sf8_layout_name(layout), names[layout]);
        cr_expect(sf8_layout_named(names[layout], &status) == layout && status == SF8_OK);
    }
    cr_expect(sf8_layout_named("128X4", &status) == SF8_LAYOUT_LINEAR);
    cr_expect(status == SF8_UNKNOWN_NAME);
    cr_expect_null(sf8_layout_name(SF8_LAYOUT_COUNT));
}

/* SPDX-License-Identifier: MIT */
/* test_layouts.c -- where the scales of blocks lie
 *
 * The reference writes the places down in the order of memory: loops over tiles, lines and the
 * elements of a line, one after the other, as the layouts are drawn. It has no index formula.
 */
#define _POSIX_C_SOURCE 200809L
#include "check.h"
#include "softfp8_blocks.h"

#include <stdlib.h>

enum { ROWS = 300, COLUMNS = 450, MOST = 384 * 452 };

static sf8_place drawn[MOST];
static size_t drawn_count;

static void draw(size_t row, size_t column)
{
    cr_assert(drawn_count < MOST);
    drawn[drawn_count].row = row;
    drawn[drawn_count++].column = column;
}

static void draw_128x4(size_t rows, size_t columns)
{
    for (size_t row = 0; row < rows; row += 128)
        for (size_t column = 0; column < columns; column += 4)
            for (size_t line = 0; line < 32; line++)
                for (size_t quarter = 0; quarter < 4; quarter++)
                    for (size_t c = 0; c < 4; c++)
                        draw(row + 32 * quarter + line, column + c);
}

static void draw_8x4(size_t rows, size_t columns)
{
    for (size_t row = 0; row < rows; row += 8)
        for (size_t column = 0; column < columns; column += 4)
            for (size_t r = 0; r < 8; r++)
                for (size_t c = 0; c < 4; c++)
                    draw(row + r, column + c);
}

static void draw_4token(size_t rows, size_t columns)
{
    for (size_t row = 0; row < rows; row += 4)
        for (size_t column = 0; column < columns; column++)
            for (size_t r = 0; r < 4; r++)
                draw(row + r, column);
}

static void draw_linear(size_t rows, size_t columns)
{
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            draw(row, column);
}

static void draw_layout(sf8_layout layout, size_t rows, size_t columns)
{
    static void (*const draws[])(size_t, size_t) = {draw_linear, draw_128x4, draw_8x4, draw_4token};
    drawn_count = 0;
    draws[layout](rows, columns);
}

static uint64_t seen[ROWS][COLUMNS];

/* One size: each place is what was drawn, each scale has one, and its offset is that place. */
static void check_size(sf8_layout layout, size_t rows, size_t columns)
{
    static uint64_t turn;
    size_t real = 0;
    turn++;
    draw_layout(layout, rows, columns);
    cr_assert(sf8_layout_size(layout, rows, columns) == drawn_count, "layout %u: %zu x %zu", layout,
              rows, columns);
    for (size_t i = 0; i < drawn_count; i++) {
        sf8_place p = sf8_layout_place(layout, columns, i);
        EXPECT(p.row == drawn[i].row && p.column == drawn[i].column, "layout %u, %zu x %zu: %zu",
               layout, rows, columns, i);
        if (p.row >= rows || p.column >= columns)
            continue;
        real++;
        EXPECT(seen[p.row][p.column] != turn, "layout %u, %zu x %zu: %zu twice", layout, rows,
               columns, i);
        seen[p.row][p.column] = turn;
        EXPECT(sf8_layout_offset(layout, columns, p.row, p.column) == i,
               "layout %u, %zu x %zu: %zu", layout, rows, columns, i);
    }
    EXPECT(real == rows * columns, "layout %u, %zu x %zu", layout, rows, columns);
}

/* The offset of a scale does not depend on the rows below it, and with a row the size grows: what
 * holds for the most rows, and for those where a tile ends or begins, holds for those between. */
Test(layouts, every_size)
{
    static const size_t rows[] = {1, 4, 7, 8, 9, 31, 32, 33, 127, 128, 129, 256, 257, 300};
    for (sf8_layout layout = 0; layout < SF8_LAYOUT_COUNT; layout++)
        for (size_t columns = 1; columns <= COLUMNS; columns++)
            for (size_t i = columns % one_in(5); i < COUNT(rows); i += one_in(5))
                if (sf8_layout_fits(layout, rows[i], columns))
                    check_size(layout, rows[i], columns);
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

static size_t fixed_points(sf8_layout layout, size_t rows, size_t columns)
{
    size_t fixed = 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            fixed += sf8_layout_offset(layout, columns, row, column) == row * columns + column;
    return fixed;
}

/* How much a reader of the wrong layout gets right by chance: 8 of a tile's 512, (0, 0..3) and
 * (127, 0..3); of a page of 16 tokens with 4, 8, 12, 16 scales a token 16, 8, 8, 16. */
Test(layouts, a_wrong_reader)
{
    cr_expect_eq(fixed_points(SF8_LAYOUT_128X4, 128, 4), 8);
    cr_expect_eq(fixed_points(SF8_LAYOUT_4TOKEN, 16, 4), 16);
    cr_expect_eq(fixed_points(SF8_LAYOUT_4TOKEN, 16, 8), 8);
    cr_expect_eq(fixed_points(SF8_LAYOUT_4TOKEN, 16, 12), 8);
    cr_expect_eq(fixed_points(SF8_LAYOUT_4TOKEN, 16, 16), 16);
}

/* A reader of 128x4 that ignores which quarter of the tile a row is in is right up to row 31, and
 * one that takes it for linear is right on a single row of four columns: 33 rows are needed to
 * notice both. */
Test(layouts, controls_need_33_rows)
{
    size_t wrong = 0;
    for (size_t row = 0; row < 33; row++)
        for (size_t column = 0; column < 4; column++) {
            uint64_t forgetful = row % 32 * 16 + column;
            wrong += sf8_layout_offset(SF8_LAYOUT_128X4, 4, row, column) != forgetful;
            cr_expect(row == 32 || wrong == 0, "row %zu", row);
        }
    cr_expect_eq(wrong, 4);
    cr_expect_eq(sf8_layout_offset(SF8_LAYOUT_128X4, 4, 32, 1), 5);
    cr_expect_eq(fixed_points(SF8_LAYOUT_128X4, 1, 4), 4);
    cr_expect_eq(fixed_points(SF8_LAYOUT_128X4, 33, 4), 4);
    cr_expect_eq(fixed_points(SF8_LAYOUT_8X4, 1, 8), 4);
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

/* A scale is named by its row and column; what lies between the scales is 0, what lies behind the
 * array is as it was. */
static void check_moved(sf8_layout layout, size_t rows, size_t columns)
{
    static uint8_t linear[ROWS * COLUMNS], moved[MOST + 16], back[ROWS * COLUMNS + 16];
    size_t size;
    for (size_t i = 0; i < rows * columns; i++)
        linear[i] = (uint8_t)(1 + i % 251);
    cr_assert(sf8_layout_places(layout, rows, columns, &size) == SF8_OK);
    memset(moved, 0xee, sizeof moved);
    memset(back, 0xee, sizeof back);
    cr_assert(sf8_layout_store_n(layout, moved, linear, rows, columns) == SF8_OK);
    draw_layout(layout, rows, columns);
    for (size_t i = 0; i < size; i++) {
        size_t row = drawn[i].row, column = drawn[i].column;
        int real = row < rows && column < columns;
        EXPECT(moved[i] == (real ? linear[row * columns + column] : 0), "layout %u, %zu x %zu: %zu",
               layout, rows, columns, i);
    }
    for (size_t i = 0; i < 16; i++)
        EXPECT(moved[size + i] == 0xee, "behind");
    for (size_t i = 0; i < size; i++) /* padding is not read */
        moved[i] = (uint8_t)(drawn[i].row < rows && drawn[i].column < columns ? moved[i] : 0xdd);
    cr_assert(sf8_layout_load_n(layout, back, moved, rows, columns) == SF8_OK);
    EXPECT(memcmp(back, linear, rows * columns) == 0, "layout %u, %zu x %zu", layout, rows,
           columns);
    for (size_t i = 0; i < 16; i++)
        EXPECT(back[rows * columns + i] == 0xee, "behind");
}

Test(layouts, moved)
{
    static const size_t rows[] = {0, 1, 31, 32, 33, 127, 128, 129, 300};
    static const size_t columns[] = {0, 1, 3, 4, 5, 8, 16, 448};
    for (sf8_layout layout = 0; layout < SF8_LAYOUT_COUNT; layout++)
        for (size_t i = 0; i < COUNT(rows); i++)
            for (size_t k = 0; k < COUNT(columns); k++)
                if (sf8_layout_fits(layout, rows[i], columns[k]))
                    check_moved(layout, rows[i], columns[k]);
}

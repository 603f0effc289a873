/* SPDX-License-Identifier: MIT */
/* test_spec.c -- the library compared with the tables of docs/spec
 *
 * docs/spec is normative: its tables of formats, of what the policies give, and of recipes are read
 * here. A table of policies has the format in its first cell, a row `f32 code` with the inputs, and
 * then one row a policy with cells code/flags. These cells were written out by the
 * library: they guard against drift and are no evidence of their own. That is in the measured
 * literals of test_policies.c and in the proof. A table of recipes has the names in its first cell,
 * and the scale of a block of zeros, or the codes of NaN, infinity and 0/0, in its last.
 */
#include "softfp8_blocks.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, CELL_SIZE = 320, LINE_SIZE = 1024 };

typedef struct line {
    char cell[CELLS][CELL_SIZE];
    size_t cells;
} line;

static FILE *open_page(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, SOFTFP8_SOURCE "/docs/spec/%s.md", name);
    FILE *page = fopen(path, "r");
    cr_assert(page, "%s", path);
    return page;
}

/* Takes a line of a table apart; another line has no cells. */
static void split(const char *text, line *row)
{
    row->cells = 0;
    if (text[0] != '|')
        return;
    const char *at = text + 1;
    while (row->cells < CELLS && *at && *at != '\n') {
        size_t length = strcspn(at, "|\n");
        const char *end = at + length;
        while (length && *at == ' ')
            at++, length--;
        while (length && at[length - 1] == ' ')
            length--;
        cr_assert(length < CELL_SIZE, "%s", text);
        memcpy(row->cell[row->cells], at, length);
        row->cell[row->cells++][length] = '\0';
        at = *end == '|' ? end + 1 : end;
    }
}

static int is_input_row(const line *row)
{
    return row->cells && strcmp(row->cell[0], "f32 code") == 0;
}

/* One policy's row for the inputs of `inputs`. */
static void check_policy(sf8_format f, const char *format, const line *inputs, const line *row)
{
    sf8_status status;
    sf8_policy policy = sf8_policy_named(row->cell[0], &status);
    cr_assert(status == SF8_OK, "no policy %s", row->cell[0]);
    cr_assert(row->cells == inputs->cells, "%s %s: cells", format, row->cell[0]);
    for (size_t i = 1; i < row->cells; i++) {
        char got[CELL_SIZE];
        uint64_t code = strtoull(inputs->cell[i], NULL, 16);
        sf8_result r = sf8_convert_flags(f, SF8_F32, code, policy);
        snprintf(got, sizeof got, "%02x/%02x", (unsigned)r.code, (unsigned)r.flags);
        cr_expect(strcmp(got, row->cell[i]) == 0, "%s %s %s: %s, docs/spec has %s", format,
                  row->cell[0], inputs->cell[i], got, row->cell[i]);
    }
}

Test(spec, policies)
{
    FILE *page = open_page("policy-results");
    char text[LINE_SIZE], format[CELL_SIZE] = "";
    line row, inputs = {.cells = 0};
    sf8_format f = SF8_E4M3;
    int tables = 0, rows = 0;
    while (fgets(text, sizeof text, page)) {
        split(text, &row);
        if (row.cells == 0) {
            inputs.cells = 0;
        } else if (is_input_row(&row)) {
            sf8_status status;
            f = sf8_format_named(format, &status);
            cr_assert(status == SF8_OK, "no format %s", format);
            inputs = row;
            tables++;
        } else if (inputs.cells) {
            check_policy(f, format, &inputs, &row);
            rows++;
        } else if (row.cell[0][0] != '-') {
            strcpy(format, row.cell[0]);
        }
    }
    fclose(page);
    cr_expect(tables == 5 && rows > 95, "%d tables, %d rows", tables, rows);
}

/* The table of formats: one row has the name of each and its numbers; those of P3109 share two. */
Test(spec, formats)
{
    static const char *const nans[] = {"none", "ieee", "top", "neg-zero"};
    char text[LINE_SIZE], want[512];
    sf8_format f;
    const char *name;
    for (size_t i = 0; (name = sf8_format_at(i, &f)) != NULL; i++) {
        int found = strncmp(name, "p3109_", 6) == 0;
        snprintf(want, sizeof want, "| %s | %d | %d | %s | %d | %s | %s | %s |\n", name, f.exp_bits,
                 f.man_bits, f.is_signed ? "yes" : "no", f.bias, nans[f.nan],
                 f.has_inf ? "yes" : "no", f.has_zero ? "yes" : "no");
        FILE *page = open_page("formats");
        while (fgets(text, sizeof text, page))
            found += strcmp(text, want) == 0;
        fclose(page);
        cr_expect(found == 1, "%d rows in docs/spec/formats.md: %s", found, want);
    }
}

/* Whether a cell begins with these digits. */
static int begins(const char *cell, const char *digits)
{
    return strncmp(cell, digits, strlen(digits)) == 0 && strchr("; ", cell[strlen(digits)]);
}

/* The scale of a block of zeros of f32 with g = 1, as the last cell of a recipe's row has it. */
static void check_zero_block(const sf8_recipe *recipe, const char *name, const line *row)
{
    static const float zeros[32];
    static uint8_t codes[32];
    uint32_t scales[2], offsets[2];
    char got[CELL_SIZE];
    const char *cell = row->cell[row->cells - 1];
    if (strcmp(cell, "by g") == 0) {
        cr_expect(recipe->has_g == SF8_G_GIVEN, "%s: %s", name, cell);
        return;
    }
    cr_assert(sf8_quantize_n(recipe, codes, scales, offsets, SF8_F32, zeros, 1, 32, 1) == SF8_OK);
    snprintf(got, sizeof got, "%0*x", (sf8_format_bits(recipe->scale) + 3) / 4,
             (unsigned)scales[0]);
    cr_expect(begins(cell, got), "%s: %s, docs/spec has %s", name, got, cell);
}

/* The codes of NaN and infinity with g = 1, and of 0 with g = 0, as the last three cells of the row
 * of a recipe of caches have them. */
static void check_specials(const sf8_recipe *recipe, const char *name, const line *row)
{
    static const uint32_t inputs[3] = {0x7fc00000, 0x7f800000, 0};
    for (size_t i = 0; i < 3; i++) {
        uint8_t code;
        uint32_t scale, offset;
        char got[CELL_SIZE];
        const char *cell = row->cell[row->cells - 3 + i];
        if (strcmp(cell, "-") == 0)
            continue;
        cr_assert(sf8_quantize_n(recipe, &code, &scale, &offset, SF8_F32, &inputs[i], 1, 1,
                                 i < 2) == SF8_OK);
        snprintf(got, sizeof got, "%02x", code);
        cr_expect(begins(cell, got), "%s, %08x: %s, docs/spec has %s", name, (unsigned)inputs[i],
                  got, cell);
    }
}

typedef void check_recipe(const sf8_recipe *recipe, const char *name, const line *row);

/* Every row of the tables of a page whose last column is `column`; counts the recipes found. */
static void check_page(const char *page_name, const char *column, check_recipe *check, int *found)
{
    char text[LINE_SIZE];
    line row;
    FILE *page = open_page(page_name);
    int inside = 0;
    while (fgets(text, sizeof text, page)) {
        split(text, &row);
        if (row.cells == 0 || strcmp(row.cell[0], "recipe") == 0) {
            inside = row.cells && strcmp(row.cell[row.cells - 1], column) == 0;
            continue;
        }
        if (!inside || row.cell[0][0] == '-')
            continue;
        for (char *name = strtok(row.cell[0], ", "); name; name = strtok(NULL, ", ")) {
            sf8_recipe recipe;
            cr_assert(sf8_recipe_named(&recipe, name) == SF8_OK, "no recipe %s", name);
            check(&recipe, name, &row);
            for (size_t r = 0; sf8_recipe_at(r); r++)
                found[r] += strcmp(sf8_recipe_at(r)->name, name) == 0;
        }
    }
    fclose(page);
}

/* Every recipe has its name in one row; those of torch-2.12 have that of the name without it. */
Test(spec, recipes)
{
    enum { RECIPES = 512 };
    static int found[RECIPES];
    size_t r;
    check_page("recipes/nvfp4", "zero block", check_zero_block, found);
    check_page("recipes/mx", "zero block", check_zero_block, found);
    check_page("recipes/groups", "zero block", check_zero_block, found);
    check_page("kv/stores", "0/0", check_specials, found);
    for (r = 0; sf8_recipe_at(r); r++) {
        const char *name = sf8_recipe_at(r)->name;
        cr_assert(r < RECIPES);
        cr_expect(found[r] == !strstr(name, "-2.12"), "%s: %d rows", name, found[r]);
    }
    cr_expect(r > 180, "%zu recipes", r);
}

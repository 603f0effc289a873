/* SPDX-License-Identifier: MIT */
/* test_spec.c -- the library held to the tables of SPEC.md
 *
 * SPEC.md is normative: its tables of formats and of what the policies give are read here as they
 * stand. A table of results has the format in its first cell, a row `f32 word` with the inputs, and
 * then one row a policy with cells code/flags. These cells were written out by the library: they
 * guard against drift and are no evidence of their own. That is in the measured literals of
 * test_policies.c and in the proof.
 */
#include "softfp8.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 16, CELL_SIZE = 160 };

typedef struct line {
    char cell[CELLS][CELL_SIZE];
    size_t cells;
} line;

/* Takes a line of a table apart; no cells if it is none. */
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
        cr_assert(length < CELL_SIZE);
        memcpy(row->cell[row->cells], at, length);
        row->cell[row->cells++][length] = '\0';
        at = *end == '|' ? end + 1 : end;
    }
}

static int is_word_row(const line *row)
{
    return row->cells && strcmp(row->cell[0], "f32 word") == 0;
}

/* One policy's row for the inputs in `words`. */
static void check_policy(sf8_format f, const char *format, const line *words, const line *row)
{
    sf8_status status;
    sf8_policy policy = sf8_policy_named(row->cell[0], &status);
    cr_assert(status == SF8_OK, "no policy %s", row->cell[0]);
    cr_assert(row->cells == words->cells, "%s %s: cells", format, row->cell[0]);
    for (size_t i = 1; i < row->cells; i++) {
        char got[CELL_SIZE];
        uint64_t word = strtoull(words->cell[i], NULL, 16);
        sf8_result r = sf8_convert_flags(f, SF8_F32, word, policy);
        snprintf(got, sizeof got, "%02x/%02x", (unsigned)r.code, (unsigned)r.flags);
        cr_expect(strcmp(got, row->cell[i]) == 0, "%s %s %s: %s, SPEC.md has %s", format,
                  row->cell[0], words->cell[i], got, row->cell[i]);
    }
}

Test(spec, policies)
{
    FILE *spec = fopen(SOFTFP8_SOURCE "/SPEC.md", "r");
    cr_assert(spec);
    char text[512], format[CELL_SIZE] = "";
    line row, words = {.cells = 0};
    sf8_format f = SF8_E4M3;
    int tables = 0, rows = 0;
    while (fgets(text, sizeof text, spec)) {
        split(text, &row);
        if (row.cells == 0) {
            words.cells = 0;
        } else if (is_word_row(&row)) {
            sf8_status status;
            f = sf8_format_named(format, &status);
            cr_assert(status == SF8_OK, "no format %s", format);
            words = row;
            tables++;
        } else if (words.cells) {
            check_policy(f, format, &words, &row);
            rows++;
        } else if (row.cell[0][0] != '-') {
            strcpy(format, row.cell[0]);
        }
    }
    fclose(spec);
    cr_expect(tables == 5 && rows > 60, "%d tables, %d rows", tables, rows);
}

/* The table of formats: one row has the name of each narrow one and its numbers; the families of
 * P3109 and of IEEE 754 have rows of their own. */
Test(spec, formats)
{
    static const char *const nans[] = {"none", "ieee", "top", "neg-zero"};
    char text[512], want[512];
    sf8_format f;
    const char *name;
    for (size_t i = 0; (name = sf8_format_at(i, &f)) != NULL; i++) {
        int found = sf8_format_bits(f) > 8 || strncmp(name, "p3109_", 6) == 0;
        snprintf(want, sizeof want, "| %s | %d | %d | %s | %d | %s | %s | %s |\n", name, f.exp_bits,
                 f.man_bits, f.is_signed ? "yes" : "no", f.bias, nans[f.nan],
                 f.has_inf ? "yes" : "no", f.has_zero ? "yes" : "no");
        FILE *spec = fopen(SOFTFP8_SOURCE "/SPEC.md", "r");
        cr_assert(spec);
        while (fgets(text, sizeof text, spec))
            found += strcmp(text, want) == 0;
        fclose(spec);
        cr_expect(found == 1, "%d rows in SPEC.md: %s", found, want);
    }
}

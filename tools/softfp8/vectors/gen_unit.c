/* SPDX-License-Identifier: MIT */
/* gen_unit.c -- what `gen mma --format text` and readmemh write: cases of a matrix unit, one a line
 *
 * A part of a line is a field of the case: a, b, their scales, c and d. Its codes are one number,
 * the first code in the lowest digits, as a packed array of Verilog has them. All lines are as
 * long, so that cases of more than one instruction are left out.
 */
#include "vectors/gen_unit.h"

#include <string.h>

static int is_one_instruction(const vector_group *g, vector_case *c)
{
    return case_field(g, c, "a")->count == (size_t)g->unit.k;
}

static void write_row(output *out, const vector_group *g, const vector_case *c, int is_text)
{
    char digits[20];
    for (int i = 0; i < g->fields; i++) {
        const vector_words *w = &c->field[i];
        for (size_t k = w->count; k-- > 0;) {
            *hex_write(digits, w->word[k], word_digits(g->field[i].bits),
                       is_text ? hex_upper : hex_lower) = '\0';
            output_print(out, "%s", digits);
        }
        output_print(out, "%s", i + 1 == g->fields ? "\n" : is_text ? " " : "_");
    }
}

/* "// mma hopper-qgmma e4m3 e4m3 f32: 59 words of 576 bits, {a[255:0], b[255:0], c[31:0], d[31:0]}"
 */
static void write_remark(output *out, const vector_group *g, const vector_case *c, uint64_t rows)
{
    size_t all = 0, bits[16];
    for (int i = 0; i < g->fields; i++) {
        bits[i] = 4 * c->field[i].count * (size_t)word_digits(g->field[i].bits);
        all += bits[i];
    }
    output_print(out, "// mma %s %s %s %s: %llu words of %zu bits, {", g->head[0], g->head[1],
                 g->head[2], g->head[3], (unsigned long long)rows, all);
    for (int i = 0; i < g->fields; i++)
        output_print(out, "%s%s[%zu:0]", i ? ", " : "", g->field[i].key, bits[i] - 1);
    output_print(out, "}\n");
}

uint64_t gen_unit_rows(output *out, const json_options *options, vector_form form)
{
    static vector_group g;
    vector_case c;
    char name[CASE_NAME];
    uint64_t rows = 0;
    memset(&c, 0, sizeof c);
    gen_kind_group(&g, "mma", options);
    for (size_t i = 0; g.kind->nth(&g, i, &c, name); i++)
        rows += (uint64_t)is_one_instruction(&g, &c);
    int begun = 0;
    for (size_t i = 0; g.kind->nth(&g, i, &c, name); i++) {
        const char *expected = g.kind->run(&g, &c);
        if (expected)
            fail("mma/%s: expected %s", name, expected);
        if (!is_one_instruction(&g, &c))
            continue;
        if (form == FORM_READMEMH && !begun++)
            write_remark(out, &g, &c, rows);
        write_row(out, &g, &c, form == FORM_TEXT);
    }
    case_free(&c);
    return rows;
}

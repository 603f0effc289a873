/* SPDX-License-Identifier: MIT */
/* gen_given.c -- results for operands that a file has */
#include "vectors/gen_given.h"

#include <string.h>

/* The result and the flags, behind the operands. */
static void fill(row *r, const sf8_function *f, sf8_policy policy, int random, int exact,
                 const layout *l)
{
    uint64_t operands[4] = {0, 0, 0, 0};
    memcpy(operands, r->value, (size_t)(f->operands + random) * sizeof operands[0]);
    uint32_t word = random ? (uint32_t)operands[f->operands] : 0;
    sf8_result z = sf8_function_call(f, operands, policy, word, exact);
    if (l->result >= 0)
        r->value[l->result] = z.code;
    if (l->flags >= 0)
        r->value[l->flags] = z.flags;
}

void gen_given(output *out, const char *path, const sf8_function *f, sf8_policy policy, int random,
               int exact, const layout *l)
{
    const layout form = layout_of(f, random, FORM_TEXT, COLUMNS_OPERANDS);
    vector_title title = {f, "", 0, {0, 0, 0}};
    vector_reader reader;
    input_error error;
    row r;
    int got;
    uint64_t lines = 0;
    input *in = input_open(path);
    memset(&r, 0, sizeof r);
    vectors_open(&reader, in, &form);
    vectors_begin(out, l, &title);
    while ((got = vectors_read(&reader, &r, &error)) == 1) {
        lines++;
        fill(&r, f, policy, random, exact, l);
        vectors_row(out, l, &r);
    }
    if (got < 0)
        fail_input(in->name, &error);
    if (lines == 0)
        fail_at(in->name, 0, "the file has no cases; expected operands in each line");
    vectors_end(out, l);
    input_close(in);
}

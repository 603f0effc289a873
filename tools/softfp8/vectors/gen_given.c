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

/* A file of operands while it is read. */
typedef struct given_file {
    input *in;
    vector_reader reader;
    layout form;
    uint64_t lines;
    int operands; /* and random numbers, of a line */
} given_file;

static void open_given(given_file *g, const char *path, const sf8_function *f, int random)
{
    memset(g, 0, sizeof *g);
    g->form = layout_of(f, random, FORM_TEXT, COLUMNS_OPERANDS);
    g->operands = f->operands + random;
    g->in = input_open(path);
    vectors_open(&g->reader, g->in, &g->form);
}

/* The operands of the next line; 0 behind the last. */
static int read_given(given_file *g, row *r)
{
    input_error error;
    int got = vectors_read(&g->reader, r, &error);
    if (got < 0)
        fail_input(g->in->name, &error);
    g->lines += (uint64_t)got;
    if (got == 0 && g->lines == 0)
        fail_at(g->in->name, 0, "the file has no cases; expected operands in each line");
    return got;
}

void gen_given(output *out, const char *path, const sf8_function *f, sf8_policy policy, int random,
               int exact, const layout *l)
{
    vector_title title = {f, "", 0, {0, 0, 0}};
    given_file g;
    row r;
    memset(&r, 0, sizeof r);
    open_given(&g, path, f, random);
    vectors_begin(out, l, &title);
    while (read_given(&g, &r)) {
        fill(&r, f, policy, random, exact, l);
        vectors_row(out, l, &r);
    }
    vectors_end(out, l);
    input_close(g.in);
}

static int next_given(void *context, uint64_t operands[4])
{
    given_file *g = context;
    row r;
    memset(&r, 0, sizeof r);
    if (!read_given(g, &r))
        return 0;
    memset(operands, 0, 4 * sizeof operands[0]);
    memcpy(operands, r.value, (size_t)g->operands * sizeof operands[0]);
    return 1;
}

void gen_given_json(output *out, const char *path, const sf8_function *f, const testfloat *t,
                    int random)
{
    given_file g;
    open_given(&g, path, f, random);
    gen_json_function(out, t, f, next_given, &g, 0);
    input_close(g.in);
}

/* SPDX-License-Identifier: MIT */
/* judge.c -- another kernel's output, read and judged */
#include "attend/attend.h"
#include "diagnose/attend/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const attend_bounds[ATTEND_ERROR_BOUNDS + 2] = {
    "f32", "f16", "bf16", "bf16-parts", "fp8-two", "fp8-one", "any", NULL};

/* Whether the axes of a file are these two, apart from those of 1. */
static int has_axes(const tensor *t, size_t first, size_t second)
{
    size_t want[2] = {first, second}, at = 0;
    for (int i = 0; i < t->dimensions; i++) {
        while (at < 2 && want[at] == 1)
            at++;
        if (t->axis[i] == 1)
            continue;
        if (at == 2 || t->axis[i] != want[at++])
            return 0;
    }
    while (at < 2 && want[at] == 1)
        at++;
    return at == 2;
}

/* The logarithms by rows, also of a file [heads][queries]: its shape decides. */
static tensor read_lse(const attend_request *r, const char *path)
{
    size_t rows = r->queries * r->heads;
    tensor t = tensor_read(path, NULL, (tensor_shape){0, 0});
    if (sf8_format_bits(t.format) != 32)
        fail_at(input_name(path), 0, "the format is %s; expected f32", t.format_name);
    if ((t.dimensions == 1 && t.axis[0] == rows) || has_axes(&t, r->queries, r->heads))
        return t;
    if (!has_axes(&t, r->heads, r->queries))
        fail_at(input_name(path), 0,
                "%zu rows of %zu; expected the shape (%zu, %zu): queries, heads; or (%zu, %zu)",
                t.shape.rows, t.shape.columns, r->queries, r->heads, r->heads, r->queries);
    uint32_t *turned = allocate(rows, sizeof *turned);
    for (size_t row = 0; row < rows; row++)
        turned[row] = ((uint32_t *)t.words)[row % r->heads * r->queries + row / r->heads];
    free(t.words);
    t.words = turned;
    return t;
}

static void read_judged(const attend_request *r, const attend_judged *what, tensor *out,
                        tensor *lse)
{
    size_t rows = r->queries * r->heads, columns = r->v.dim;
    memset(lse, 0, sizeof *lse);
    tensor_advice("--to", 0);
    *out = tensor_read(what->out, what->from, (tensor_shape){0, 0});
    if (out->dimensions == 3 && (out->axis[0] != r->queries || out->axis[1] != r->heads))
        fail_at(input_name(what->out), 0,
                "the shape is (%zu, %zu, %zu); expected (%zu, %zu, %zu): queries, heads, elements",
                out->axis[0], out->axis[1], out->axis[2], r->queries, r->heads, columns);
    if (out->shape.rows != rows || out->shape.columns != columns)
        fail_at(input_name(what->out), 0, "%zu rows of %zu; expected %zu of %zu, as in the request",
                out->shape.rows, out->shape.columns, rows, columns);
    if (what->lse)
        *lse = read_lse(r, what->lse);
}

/* ---- all ------------------------------------------------------------------------------------- */

int attend_find_verdict(attend_request *r, attend_judged *what, int errors)
{
    tensor out, lse;
    attend_verdict *v = &what->verdict;
    const attend_problem p = {r->queries,
                              r->heads,
                              r->kv_heads,
                              r->keys,
                              {r->k.dim, r->k.scale, r->k.values, r->k.given},
                              {r->v.dim, r->v.scale, r->v.values, r->v.given},
                              r->queries_f32,
                              r->a,
                              &cli_search,
                              r->q_given,
                              what->has_recipe,
                              NULL,
                              NULL};
    read_judged(r, what, &out, &lse);
    attend_ask(&what->asked, &p, out.format, what->by);
    what->queries = r->queries;
    what->heads = r->heads;
    what->asked.errors = errors ? allocate(r->queries * r->heads, sizeof(float)) : NULL;
    const attend_output given = {out.format, out.words, lse.words};
    const char *wrong = attend_judge(&p, &given, &what->asked, v);
    if (wrong)
        fail("%s", wrong);
    attend_text text = {.context = &cli_search};
    attend_put_all(&text, &p, v, &what->asked);
    what->words = text.text;
    tensor_free(&out);
    if (lse.words)
        tensor_free(&lse);
    return v->notes.good;
}

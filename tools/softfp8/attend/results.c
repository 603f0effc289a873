/* SPDX-License-Identifier: MIT */
/* results.c -- attention computed, and written as tensors */
#include "attend/attend.h"

#include <stdlib.h>
#include <string.h>

/* The axes of the queries, of which the last is a head's: `columns` in its place, or without it. */
static void take_axes(tensor *t, const tensor *queries, size_t columns)
{
    t->dimensions = queries->dimensions - (columns == 0);
    memcpy(t->axis, queries->axis, sizeof t->axis);
    if (columns)
        t->axis[t->dimensions - 1] = columns;
}

/* Words of f32 to the format of the output. */
static tensor tensor_of(const char *format, uint32_t *words, size_t rows, size_t columns)
{
    tensor t = {.format_name = format, .format = format_of_name(format), .shape = {rows, columns}};
    uint16_t *halves;
    t.words = words;
    if (sf8_format_bits(t.format) == 32)
        return t;
    halves = allocate(rows * columns, sizeof *halves);
    for (size_t i = 0; i < rows * columns; i++)
        halves[i] = (uint16_t)sf8_convert(t.format, SF8_F32, words[i], SF8_OCP_NOSAT);
    t.words = halves;
    return t;
}

static output *put_tensor(const char *path, const tensor *t)
{
    output *out = output_open(path);
    if (path)
        tensor_write_npy(out, t);
    else
        tensor_write_text(out, t);
    return out;
}

void attend_write_results(attend_request *r, const attend_results *o)
{
    size_t rows = r->queries * r->heads;
    uint32_t *out = allocate(rows * r->v.dim + 1, sizeof *out);
    uint32_t *lse = allocate(rows + 1, sizeof *lse);
    if (o->order)
        attend_run_order(r, o->order, o->cut, out, lse);
    else if (o->splits)
        attend_run_parts(r, o->splits, out, lse);
    else
        attend_run(r, r->a.sums, out, lse);
    tensor t = tensor_of(o->to ? o->to : "f32", out, rows, r->v.dim);
    tensor of_lse = tensor_of("f32", lse, r->queries, r->heads);
    if (r->q.dimensions >= 2)
        take_axes(&t, &r->q, r->v.dim);
    if (r->q.dimensions >= 3)
        take_axes(&of_lse, &r->q, 0);
    output *files[2] = {put_tensor(o->out, &t), o->lse ? put_tensor(o->lse, &of_lse) : NULL};
    outputs_close(files, 2);
    if (t.words != out)
        free(t.words);
    free(out);
    free(lse);
}

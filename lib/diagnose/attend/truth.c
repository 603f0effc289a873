/* SPDX-License-Identifier: MIT */
/* truth.c -- a row of attention in doubles, as it should be or with one thing otherwise */
#include "diagnose/attend/attend.h"

#include <math.h>
#include <stdlib.h>

attend_row attend_row_new(const attend_problem *r)
{
    attend_row row = {NULL, 0, NULL, 0, NULL, 0, r->context};
    row.out = search_allocate(r->context, r->v.dim, sizeof *row.out);
    row.spread = search_allocate(r->context, r->v.dim, sizeof *row.spread);
    row.weight = search_allocate(r->context, r->keys + 1, sizeof *row.weight);
    return row;
}

void attend_row_free(attend_row *row)
{
    search_free(row->context, row->out);
    search_free(row->context, row->spread);
    search_free(row->context, row->weight);
}

/* Whether key j takes part. */
static int takes_part(const attend_problem *r, const attend_change *c, size_t query, size_t j)
{
    int64_t position = r->a.first + (int64_t)query, p = (int64_t)j;
    int causal = r->a.right >= 0 && !c->no_mask;
    if (c->multiple && j >= r->keys - r->keys % c->multiple)
        return 0;
    if (c->missing == j + 1)
        return 0;
    if (causal && p > position + r->a.right + c->causal)
        return 0;
    return r->a.left < 0 || c->no_window || p >= position - r->a.left;
}

void attend_true(const attend_problem *r, const attend_change *c, size_t query, size_t head,
                 attend_row *row)
{
    size_t group = r->heads / r->kv_heads, dim = r->k.dim, columns = r->v.dim;
    size_t kv = c->interleaved ? head % r->kv_heads : head / group;
    const float *q = r->q + (query * r->heads + head) * dim;
    double scale = (double)sf8_f32_from_bits(r->a.scale) * (c->scores != 0 ? c->scores : 1);
    double cap = c->no_cap ? 0 : (double)sf8_f32_from_bits(r->a.cap), most = -INFINITY, sum = 0;
    int sink = r->a.sinks && !c->no_sinks;
    if (c->no_scores)
        scale = 0;
    row->taking = 0;
    row->most = 0;
    for (size_t j = 0; j < r->keys; j++) {
        const float *k = r->k.values + (j * r->kv_heads + kv) * dim;
        double dot = 0, magnitude = 0;
        row->weight[j] = -INFINITY;
        if (!takes_part(r, c, query, j))
            continue;
        for (size_t d = 0; d < dim; d++) {
            dot += (double)q[d] * (double)k[d];
            magnitude += fabs((double)q[d] * (double)k[d]);
        }
        magnitude *= fabs(scale);
        row->most = magnitude > row->most ? magnitude : row->most;
        row->weight[j] = cap > 0 ? cap * tanh(dot * scale / cap) : dot * scale;
        most = row->weight[j] > most || isnan(row->weight[j]) ? row->weight[j] : most;
        row->taking++;
    }
    if (sink && (double)sf8_f32_from_bits(r->a.sinks[head]) > most)
        most = (double)sf8_f32_from_bits(r->a.sinks[head]);
    if (sink)
        sum = exp((double)sf8_f32_from_bits(r->a.sinks[head]) - most);
    for (size_t j = 0; j < r->keys; j++) {
        row->weight[j] = isinf(row->weight[j]) ? 0 : exp(row->weight[j] - most);
        sum += row->weight[j];
    }
    row->lse = sum == 0 ? -INFINITY : most + log(sum);
    for (size_t i = 0; i < columns; i++)
        row->out[i] = row->spread[i] = 0;
    for (size_t j = 0; j < r->keys; j++) {
        const float *v = r->v.values + (j * r->kv_heads + kv) * columns;
        if (!takes_part(r, c, query, j))
            continue;
        row->weight[j] /= sum;
        for (size_t i = 0; i < columns; i++) {
            row->out[i] += row->weight[j] * (double)v[i];
            row->spread[i] += row->weight[j] * fabs((double)v[i]);
        }
    }
    for (size_t i = 0; i < columns && c->values != 0; i++) {
        row->out[i] *= c->values;
        row->spread[i] *= fabs(c->values);
    }
}

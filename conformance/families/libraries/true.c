/* SPDX-License-Identifier: MIT */
/* true.c -- a row of attention in doubles, whose errors are far below those of f32 */
#include "families/libraries/libraries.h"

#include <math.h>

/* The score of a key; *size receives the sum of the magnitudes of its terms. */
static double score_of(const float *q, const float *k, size_t dim, double scale, double *size)
{
    double dot = 0;
    *size = 0;
    for (size_t d = 0; d < dim; d++) {
        double term = (double)q[d] * (double)k[d];
        dot += term;
        *size += fabs(term);
    }
    *size *= scale;
    return dot * scale;
}

/* For two parts: the keys are the two parts, whose scores are their lse, with no error except that
 * of their encoding. */
static void true_parts(const attend_lib *lib, const attend_lib_set *s, const attend_lib_values *x,
                       size_t at, attend_lib_row *row)
{
    const double base = lib->lse_base == 2 ? 0.6931471805599453 : 1;
    const float *part[2] = {x->q + at * s->dim, x->k + at * s->dim};
    double lse[2], weight[2];
    row->keys = 2;
    row->dim = 1;
    row->nan = 0;
    row->most = 0;
    for (size_t i = 0; i < 2; i++) {
        lse[i] = (double)x->v[i * x->v_count / 2 + at] * base;
        row->most = isfinite(lse[i]) && fabs(lse[i]) > row->most ? fabs(lse[i]) : row->most;
    }
    double most = lse[0] > lse[1] ? lse[0] : lse[1];
    for (size_t i = 0; i < 2; i++)
        weight[i] = exp(lse[i] - most);
    row->lse = most + log(weight[0] + weight[1]);
    for (size_t c = 0; c < s->dim; c++) {
        row->out[c] = row->spread[c] = 0;
        for (size_t i = 0; i < 2; i++) {
            double v = weight[i] / (weight[0] + weight[1]) * (double)part[i][c];
            row->out[c] += v;
            row->spread[c] += fabs(v);
        }
    }
}

void attend_lib_true(const attend_lib *lib, const attend_lib_set *s, const attend_lib_values *x,
                     size_t request, size_t query, size_t head, attend_lib_row *row)
{
    const size_t kv = head / (s->heads / s->kv_heads), step = s->kv_heads * s->dim;
    const float *q = x->q + ((request * s->queries + query) * s->heads + head) * s->dim;
    const float *k = x->k + request * s->keys * step + kv * s->dim;
    const float *v = x->v + request * s->keys * step + kv * s->dim;
    double most = -INFINITY, sum = 0;
    if (s->kind == LIBS_PARTS) {
        true_parts(lib, s, x, (request * s->queries + query) * s->heads + head, row);
        return;
    }
    row->dim = s->dim;
    row->keys = s->causal ? s->keys - s->queries + query + 1 : s->keys;
    row->nan = 0;
    row->most = 0;
    for (size_t j = 0; j < s->keys; j++) {
        double size, score = score_of(q, k + j * step, s->dim, (double)x->scale, &size);
        if (isnan(score) && (j < row->keys || lib->nan == LIBS_NAN_ADDED))
            row->nan = 1;
        if (j >= row->keys)
            continue;
        row->weight[j] = score;
        most = score > most ? score : most;
        row->most = size > row->most ? size : row->most;
    }
    for (size_t j = 0; j < row->keys; j++) {
        row->weight[j] = exp(row->weight[j] - most);
        sum += row->weight[j];
    }
    row->lse = row->nan ? NAN : most + log(sum);
    for (size_t c = 0; c < s->dim; c++)
        row->out[c] = row->spread[c] = 0;
    for (size_t j = 0; j < row->keys; j++)
        for (size_t c = 0; c < s->dim; c++) {
            double part = row->weight[j] / sum * (double)v[j * step + c];
            row->out[c] += part;
            row->spread[c] += fabs(part);
        }
}

/* SPDX-License-Identifier: MIT */
/* sample.c -- the rows that stand for all while an explanation is looked for, and distances */
#include "diagnose/attend/explain.h"

#include <math.h>

/* ---- distances ------------------------------------------------------------------------------- */

double attend_square(double got, double right)
{
    double e = got - right;
    return got == right || (isnan(got) && isnan(right)) ? 0 : isnan(e) ? INFINITY : e * e;
}

/* What a row is away from its true value `t`. */
double attend_row_squares(const attend_judged_output *j, size_t row, const attend_row *t,
                          attend_channels of)
{
    double squares = 0;
    for (size_t c = of.first; c < of.first + of.count; c++) {
        double got = attend_got(j, row, c);
        if (!isinf(got) || attend_error(got, t->out[c], j->out->format) > 0)
            squares += attend_square(got, t->out[c]);
    }
    return squares;
}

double attend_squares(attend_explaining *e, size_t rows, attend_channels of,
                      const attend_change *change, double enough)
{
    double squares = 0;
    int measures = e->t->measures;
    size_t i = 0;
    e->t->measures = 0;
    for (; i < rows && squares <= enough; i++) {
        attend_true_channels(e->j, change, e->sample[i], of, e->t);
        squares += attend_row_squares(e->j, e->sample[i], e->t, of);
    }
    e->t->measures = measures;
    if (i == e->rows && of.count == e->channels.count && squares < e->least)
        e->least = squares;
    return squares;
}

/* The output itself. */
double attend_row_output(const attend_judged_output *j, size_t row)
{
    double squares = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double got = attend_got(j, row, c);
        squares += isfinite(got) ? got * got : 0;
    }
    return squares;
}

/* The squares that a kernel has by itself, about: its weights and scores are rounded at random, and
 * so is its output. */
double attend_own_squares(const attend_judged_output *j, const attend_error_bound *b,
                          const attend_row *t, const attend_change *change)
{
    static const double typical = 0.42; /* of the largest error of a number that is rounded */
    static const double often = 0.8;    /* of a deviation: a tie lies that near */
    double dim = (double)j->r->k.dim, weight = typical * b->weight + 0x1p-21;
    double score = typical * b->operand * 1.6 * t->most / sqrt(dim), out = 0, place;
    double sum = ceil((double)t->taking / b->sum) * b->sum_of;
    place = typical * ldexp(1, -1 - j->out->format.man_bits);
    for (size_t c = 0; c < j->columns; c++)
        out += t->out[c] * t->out[c];
    weight = weight * weight + score * score;
    double own = t->power * weight + out * (place * place + sum * sum), ties = 0;
    if (change->cast_out) {
        double deviation = sqrt(own / (double)j->columns);
        double scale = change->scale_out > 0 && !change->raw_out ? change->scale_out : 1;
        for (size_t c = 0; c < j->columns; c++)
            ties += often * deviation * scale *
                    attend_last_place(t->out[c] / scale, change->cast_out);
    }
    return own + ties;
}

/* ---- the sample ------------------------------------------------------------------------------ */

/* The worst rows, and others at equal distances. */
void attend_take_sample(attend_explaining *e)
{
    enum { LARGE = 1 << 18, FEW = 6, CHANNELS = 32 };
    const attend_judged_output *j = e->j;
    size_t cost = j->r->keys * (j->r->k.dim + j->columns);
    size_t most = cost > LARGE ? FEW : ATTEND_SAMPLE_MOST;
    e->is_large = cost > LARGE;
    e->channels = (attend_channels){0, j->columns};
    if (cost > LARGE && j->columns > CHANNELS) {
        e->channels.count = CHANNELS;
        e->channels.first = e->v->row[0].place / CHANNELS * CHANNELS;
        if (e->channels.first + CHANNELS > j->columns)
            e->channels.first = j->columns - CHANNELS;
    }
    for (size_t i = 0; i < e->v->rows; i++)
        e->sample[e->rows++] = e->v->row[i].row;
    for (size_t i = 0; i < most && e->rows < most && e->rows < j->rows; i++) {
        size_t row = j->rows <= most ? i : i * j->rows / most + i % j->r->heads, k = 0;
        row = row < j->rows ? row : j->rows - 1;
        while (k < e->rows && e->sample[k] != row)
            k++;
        if (k == e->rows)
            e->sample[e->rows++] = row;
    }
    /* rows of other queries and heads among the first three */
    for (size_t i = 1; i < 3 && e->rows > 3; i++) {
        size_t other = i == 1 ? e->rows - 1 : (e->rows + 3) / 2, row = e->sample[i];
        e->sample[i] = e->sample[other];
        e->sample[other] = row;
    }
    e->plain_row = search_allocate(j->r->context, j->rows + 1, sizeof *e->plain_row);
    attend_look_without(e);
}

void attend_look_without(attend_explaining *e)
{
    const attend_judged_output *j = e->j;
    const attend_channels whole = {0, j->columns};
    e->plain = e->noise = e->output = e->values = 0;
    for (size_t i = 0; i < e->rows; i++) {
        attend_true_row(e->j, &e->none.change, e->sample[i], e->t);
        e->plain += attend_row_squares(j, e->sample[i], e->t, e->channels);
        e->noise += attend_own_squares(j, &attend_error_bounds[0], e->t, &e->none.change) *
                    (double)e->channels.count / (double)j->columns;
        double even = 0; /* the inverse of how many keys have weight */
        for (size_t c = 0; c < e->channels.count; c++)
            e->output += e->t->out[e->channels.first + c] * e->t->out[e->channels.first + c];
        for (size_t k = 0; k < j->r->keys; k++)
            even += e->t->weight[k] * e->t->weight[k];
        e->values += fmin(even > 0 ? 1 / even : 0, (double)e->channels.count);
    }
    e->t->measures = 0;
    for (size_t row = 0; row < j->rows; row++) {
        attend_true_row(e->j, &e->none.change, row, e->t);
        e->plain_row[row] = attend_row_squares(j, row, e->t, whole);
    }
    e->t->measures = 1;
}

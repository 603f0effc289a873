/* SPDX-License-Identifier: MIT */
/* factors.c -- factors of the scores and of the output that no name is known for
 *
 * They are found by least squares. One explains no more than a name does, and is named only if
 * factors beside it leave more.
 */
#include "diagnose/attend/explain.h"

#include <math.h>

/* Factors of the scores and of the output. */
typedef struct fit {
    attend_explaining *e;
    size_t rows;
    int has_output; /* the factor of the output is free as well */
    double output;  /* it */
} fit;

/* What is left if the scores have a factor, with the best factor of the output if that is free. */
static double squares_at(fit *f, double scores)
{
    attend_change change = f->e->none.change;
    const attend_judged_output *j = f->e->j;
    const attend_channels of = f->e->channels;
    attend_row *t = f->e->t;
    double squares = 0, both = 0, right = 0;
    change.scores = scores;
    t->measures = 0;
    for (size_t i = 0; i < f->rows; i++) {
        size_t row = f->e->sample[i];
        attend_true_channels(f->e->j, &change, row, f->e->channels, t);
        squares += attend_row_squares(j, row, t, of);
        for (size_t c = of.first; c < of.first + of.count; c++) {
            double got = attend_got(j, row, c), out = t->out[c];
            both += isfinite(got) && isfinite(out) ? out * got : 0;
            right += isfinite(got) && isfinite(out) ? out * out : 0;
        }
    }
    t->measures = 1;
    f->output = 1;
    if (!f->has_output || !isfinite(squares) || !(right > 0))
        return squares;
    f->output = both / right;
    return squares - right * (1 - f->output) * (1 - f->output);
}

/* The factor of the scores from 2^-6 to 2^6 that leaves the least error: in steps of 2^(1/8), then
 * the interval around the best one is divided by the golden ratio. 1 if factors beside it leave
 * about as little. */
static double scores_factor(fit *f)
{
    enum { OCTAVES = 6, PER_OCTAVE = 8, ROUNDS = 22 };
    const double golden = 0.6180339887498949, step = 1.0 / PER_OCTAVE, same = 1.5;
    double best = INFINITY, at = 0;
    for (int i = -OCTAVES * PER_OCTAVE; i <= OCTAVES * PER_OCTAVE; i++) {
        double e = squares_at(f, exp2(i * step));
        if (e < best) {
            best = e;
            at = i * step;
        }
    }
    double low = at - step, high = at + step;
    for (int i = 0; i < ROUNDS; i++) {
        double x = high - golden * (high - low), y = low + golden * (high - low);
        if (squares_at(f, exp2(x)) < squares_at(f, exp2(y)))
            high = y;
        else
            low = x;
    }
    at = (low + high) / 2;
    best = squares_at(f, exp2(at));
    if (squares_at(f, exp2(at + step)) <= same * best ||
        squares_at(f, exp2(at - step)) <= same * best)
        return 1;
    return exp2(at);
}

size_t attend_explain_by_factor(attend_explaining *e, int of, attend_best *best)
{
    enum { FEW = 4 };
    fit f = {e, e->rows < FEW ? e->rows : FEW, of != 1, 1};
    attend_verdict *v = e->v;
    best->count = 0;
    if (!isfinite(e->plain))
        return 0;
    v->scores_factor = 1;
    if (of > 0)
        v->scores_factor = scores_factor(&f);
    squares_at(&f, v->scores_factor);
    v->factor = f.output;
    int is_scores = fabs(v->scores_factor - 1) > 0.005, is_output = fabs(v->factor - 1) > 0.01;
    if ((of > 0 && !is_scores) || (of != 1 && !is_output) || v->factor == 0)
        return 0;
    best->count = 1;
    best->of[0] = (attend_candidate){.guess = e->none};
    best->of[0].guess.change.scores = v->scores_factor;
    best->of[0].guess.change.values = v->factor;
    best->of[0].squares = attend_squares(e, e->rows, e->channels, &best->of[0].guess.change,
                                         INFINITY);
    return attend_those_that_explain(e, best);
}

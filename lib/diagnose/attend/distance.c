/* SPDX-License-Identifier: MIT */
/* distance.c -- how far a row of an output is from the true one, over each bound */
#include "diagnose/attend/output.h"

#include <math.h>

/* The least magnitude that is rounded to infinity. */
static double overflow_of(sf8_format f)
{
    int most = (1 << f.exp_bits) - 2 - f.bias;
    return ldexp(2, most) - ldexp(0.5, most - f.man_bits);
}

double attend_error(double got, double right, sf8_format f)
{
    if (isnan(got) || isnan(right))
        return isnan(got) && isnan(right) ? 0 : INFINITY;
    if (isinf(right))
        return got == right ? 0 : INFINITY;
    if (!isinf(got))
        return fabs(got - right);
    double least = overflow_of(f), beyond = got > 0 ? right : -right;
    return beyond >= least ? 0 : least - beyond;
}

static double bound_of(const attend_error_bound *b, const attend_problem *r, const attend_row *row,
                       size_t c, sf8_format out)
{
    const attend_error_row e = {row->most, row->spread[c], row->out[c], row->taking, r->k.dim};
    /* a weight is lost by its size beside the largest, which may be that of a sink */
    double lost = row->lost[c] - (double)row->taking * row->spread[c];
    return attend_error_out(b, &e, out) + (lost > 0 ? b->least * lost : 0);
}

void attend_row_errors(const attend_judged_output *j, size_t row, const attend_row *t,
                       double worst[ATTEND_ERROR_BOUNDS])
{
    for (size_t b = 0; b < ATTEND_ERROR_BOUNDS; b++)
        worst[b] = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double error = attend_error(attend_got(j, row, c), t->out[c], j->out->format);
        for (size_t b = 0; b < ATTEND_ERROR_BOUNDS && error > 0; b++) {
            double ratio = isinf(error) ? INFINITY
                                        : error / bound_of(&attend_error_bounds[b], j->r, t, c,
                                                           j->out->format);
            worst[b] = ratio > worst[b] ? ratio : worst[b];
        }
    }
}

/* SPDX-License-Identifier: MIT */
/* distance.c -- how far a row of an output is from the true one, over each bound */
#include "diagnose/attend/output.h"

#include <math.h>

static double bound_of(const attend_error_bound *b, const attend_problem *r, const attend_row *row,
                       size_t c, sf8_format out)
{
    const attend_error_row e = {row->most, row->spread[c], row->out[c], row->taking, r->k.dim};
    return attend_error_out(b, &e, out);
}

void attend_row_errors(const attend_judged_output *j, size_t row, const attend_row *t,
                       double worst[ATTEND_ERROR_BOUNDS])
{
    for (size_t b = 0; b < ATTEND_ERROR_BOUNDS; b++)
        worst[b] = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double got = attend_got(j, row, c), error = fabs(got - t->out[c]);
        if (isnan(got) && isnan(t->out[c]))
            continue;
        for (size_t b = 0; b < ATTEND_ERROR_BOUNDS; b++) {
            double ratio = isnan(error) ? INFINITY
                                        : error / bound_of(&attend_error_bounds[b], j->r, t, c,
                                                           j->out->format);
            worst[b] = ratio > worst[b] ? ratio : worst[b];
        }
    }
}

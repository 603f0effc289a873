/* SPDX-License-Identifier: MIT */
/* notes.c -- what is noted of an output besides its verdict: errors that lean to one side,
 * errors that are far smaller than a kernel's
 */
#include "diagnose/attend/attend.h"

#include <math.h>
#include <string.h>

/* Rounding to nearest errs to both sides; what cuts, or leaves keys out, does not. Channels of a
 * row are wrong together, so that standard errors alone say too much: the mean has to be a good
 * part of an error as well. Of a definition's own words nothing is said. */
int attend_notes_lean(const attend_notes *n, double *mean, double *errors)
{
    *mean = n->sum / n->n;
    *errors = fabs(*mean) / sqrt((n->squares / n->n - *mean * *mean) / n->n);
    return !n->same && n->n >= 256 && *errors > 4 && fabs(*mean) > 0.25 * sqrt(n->squares / n->n);
}

/* The true value in the output's format. */
static double rounded(double x, sf8_format f)
{
    uint64_t bits;
    if (sf8_format_bits(f) == 32)
        return (double)(float)x;
    memcpy(&bits, &x, sizeof bits);
    return (double)sf8_f32_from_bits((uint32_t)sf8_convert(
        SF8_F32, f, sf8_convert(f, SF8_F64, bits, SF8_OCP_NOSAT), SF8_OCP_NOSAT));
}

/* Errors over the spread of their channel, above 0 where the output is the larger in magnitude. */
void attend_notes_add(attend_notes *n, double got, double right, double spread, sf8_format f)
{
    double x = (got - right) / spread;
    n->words++;
    n->rounded += got == rounded(right, f) || (isnan(got) && isnan(right));
    if (!isfinite(x))
        return;
    x = right < 0 ? -x : x;
    n->sum += x;
    n->squares += x * x;
    n->n++;
}

int attend_notes_too_near(const attend_notes *n)
{
    return !n->same && n->bound && n->of_bound < 0.01;
}

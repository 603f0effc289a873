/* SPDX-License-Identifier: MIT */
/* notes.c -- what is noted of an output besides its verdict: errors that lean to one side,
 * errors that are far smaller than a kernel's; and the verdict as JSON
 */
#include "attend/attend.h"
#include "report/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rounding to nearest errs to both sides; what cuts, or leaves keys out, does not. Channels of a
 * row are wrong together, so that standard errors alone say too much: the mean has to be a good
 * part of an error as well. Of a definition's own words nothing is said. */
static int leans(const attend_notes *n, double *mean, double *errors)
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

/* What lies so far inside a bound shows nothing by it. */
static int is_too_near(const attend_notes *n)
{
    return !n->same && n->bound && n->of_bound < 0.01;
}

void attend_notes_say(const attend_notes *n)
{
    double mean, errors;
    if (leans(n, &mean, &errors))
        printf("the errors lean %s zero: %.2g of a channel's spread in the mean, which is %.3g "
               "standard errors\n",
               mean < 0 ? "toward" : "away from", fabs(mean), errors);
    if (is_too_near(n))
        printf(
            "no error is more than %.2g %% of that bound, and %zu of %zu words are the true value, "
            "rounded: this may be a definition of it rather than a kernel's output, or the "
            "bound is too wide to show a mistake\n",
            100 * n->of_bound, n->rounded, n->words);
}

void attend_notes_json(const attend_notes *n, output *out)
{
    double mean, errors;
    int lean = leans(n, &mean, &errors);
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_bool(&j, "good", n->good);
    jw_bool(&j, "same", n->same);
    jw_text(&j, "bound", n->bound);
    jw_real(&j, "of_bound", n->of_bound, 6);
    jw_bool(&j, "too_near", is_too_near(n));
    jw_unsigned(&j, "words", n->words);
    jw_unsigned(&j, "rounded", n->rounded);
    if (n->has_lse)
        jw_bool(&j, "lse", n->lse);
    else
        jw_null(&j, "lse");
    jw_real(&j, "mean", mean, 6);
    jw_real(&j, "standard_errors", errors, 6);
    jw_bool(&j, "leans", lean);
    jw_end(&j);
}

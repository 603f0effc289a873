/* SPDX-License-Identifier: MIT */
/* judge.c -- whether a layer can be a rounding of its reference, and if not, what explains it
 *
 * A layer is only judged by what its own format and scales allow. It is far from its reference if
 * the noise is more than that of one gap for each value: no rounding has so much, whichever mode it
 * has. A correction of errors from value to value, as by GPTQ, stays far below that.
 */
#include "checkpoint/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FEW = 32 }; /* fewer values explain nothing: a factor fits them by chance */

double fit_decibels(const layer_fit *fit)
{
    double noise = fit->noise + fit->cut;
    return noise == 0 ? INFINITY : 10 * log10(fit->factor * fit->factor * fit->signal / noise);
}

static double factor_of(const layer_fit *fit)
{
    return fit->signal > 0 ? fit->product / fit->signal : 0;
}

double found_factor(const found *f)
{
    return f->m.fit.signal > 0 ? factor_of(&f->m.fit) : NAN;
}

static int is_far(const layer_fit *fit)
{
    return fit->noise > fit->gaps;
}

/* More than a quantizer clips on purpose. */
static int clips_much(const layer_fit *fit)
{
    return fit->clipped > fit->values / 8;
}

/* Rounding to nearest has at most a quarter of the gaps, in squares. */
static int explains(const layer_fit *fit)
{
    return fit->values >= FEW && fit->factor != 0 && 3 * fit->noise <= fit->gaps &&
           !clips_much(fit);
}

/* Compares once more. */
static layer_fit compare(const checkpoint *c, const found *f, int swapped, double factor)
{
    layer_fit fit = {.factor = factor};
    layer_compare(&c->tensors, &f->layer, &c->reference, f->like, swapped, &fit);
    return fit;
}

/* Rounding moves the best factor a little. If the power of two beside it is nearly as good, it is
 * that. */
static layer_fit compare_scaled(const checkpoint *c, const found *f)
{
    double factor = factor_of(&f->m.fit);
    layer_fit best = compare(c, f, 0, factor);
    double even = factor == 0 ? 0 : copysign(exp2(round(log2(fabs(factor)))), factor);
    layer_fit plain = compare(c, f, 0, even);
    return explains(&plain) && fit_decibels(&plain) > fit_decibels(&best) - 0.5 ? plain : best;
}

static void judge_far(const checkpoint *c, const found *f, char *text, size_t size)
{
    const layer_fit *as_is = &f->m.fit;
    double before = fit_decibels(as_is);
    layer_fit scaled = compare_scaled(c, f);
    if (explains(&scaled)) {
        snprintf(
            text, size,
            "the values are about %.3g times those of the reference (SQNR %.2f dB; without the "
            "factor %.2f dB)",
            scaled.factor, before, fit_decibels(&scaled));
        return;
    }
    if (strcmp(f->layer.codes->dtype, "U8") == 0) {
        layer_fit swapped = compare(c, f, 1, 1);
        if (explains(&swapped)) {
            snprintf(text, size,
                     "swapped nibbles: the two codes of each byte have each other's place (SQNR "
                     "%.2f dB; exchanged %.2f dB)",
                     before, fit_decibels(&swapped));
            return;
        }
    }
    if (as_is->signal == 0 || as_is->gaps == 0)
        snprintf(text, size, "far from the reference, unexplained: all %s are 0",
                 as_is->gaps == 0 ? "scales" : "values of the reference");
    else
        snprintf(text, size,
                 "far from the reference, unexplained (SQNR %.2f dB; rounding alone, with these "
                 "scales, gives at least %.2f dB)",
                 before, 10 * log10(as_is->signal / as_is->gaps));
}

void checkpoint_clipped(const found *f, char *text, size_t size)
{
    const layer_fit *fit = &f->m.fit;
    text[0] = '\0';
    if (f->like && fit->clipped && fit->noise + fit->cut > fit->gaps)
        snprintf(text, size,
                 "%zu of %zu values are clipped: the reference is larger than the largest code "
                 "times its scale (SQNR %.2f dB)",
                 fit->clipped, fit->values, fit_decibels(fit));
}

int checkpoint_is_corrected(const found *f)
{
    const layer_fit *fit = &f->m.fit;
    return f->like && fit->beyond && fit->unlike > fit->values / 100;
}

void checkpoint_judge(const checkpoint *c, const found *f, char *text, size_t size)
{
    const layer_fit *fit = &f->m.fit;
    text[0] = '\0';
    if (!f->like || fit->values == 0)
        return;
    if (is_far(fit)) {
        judge_far(c, f, text, size);
    } else if (fit->lost) {
        snprintf(text, size,
                 "%zu of %zu values have a scale of 0, but are larger in the reference than what "
                 "is rounded to that",
                 fit->lost, fit->values);
    } else if (clips_much(fit)) {
        checkpoint_clipped(f, text, size);
    } else if (fit->beyond && !checkpoint_is_corrected(f)) {
        size_t columns = f->layer.shape.columns;
        snprintf(text, size,
                 "%zu of %zu values are more than one code away from the reference, the first in "
                 "row %zu, column %zu; the others are rounded to nearest",
                 fit->beyond, fit->values, fit->first / columns, fit->first % columns);
    }
}

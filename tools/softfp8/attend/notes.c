/* SPDX-License-Identifier: MIT */
/* notes.c -- what is noted of an output besides its verdict, as text; and the verdict as JSON */
#include "attend/attend.h"
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>

void attend_notes_say(const attend_notes *n)
{
    double mean, errors;
    if (attend_notes_lean(n, &mean, &errors))
        printf("the errors lean %s zero: by %.2g of a channel's spread on average, which is %.3g "
               "standard errors\n",
               mean < 0 ? "toward" : "away from", fabs(mean), errors);
    if (attend_notes_too_near(n))
        printf(
            "no error is more than %.2g %% of that bound, and %zu of %zu values are the true "
            "value, "
            "rounded: this may be a reference rather than a kernel's output, or the bound is too "
            "wide to show a mistake\n",
            100 * n->of_bound, n->rounded, n->words);
}

void attend_notes_json(const attend_notes *n, output *out)
{
    double mean, errors;
    int lean = attend_notes_lean(n, &mean, &errors);
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_bool(&j, "good", n->good);
    jw_bool(&j, "same", n->same);
    jw_text(&j, "bound", n->bound);
    jw_real(&j, "of_bound", n->of_bound, 6);
    jw_bool(&j, "too_near", attend_notes_too_near(n));
    jw_unsigned(&j, "values", n->words);
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

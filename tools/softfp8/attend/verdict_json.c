/* SPDX-License-Identifier: MIT */
/* verdict_json.c -- the verdict about an output as JSON */
#include "attend/attend.h"
#include "base/json_writer.h"
#include "diagnose/attend/words.h"

#include <math.h>

/* What kind of verdict it is, in a word. */
static const char *kind_of(const attend_verdict *v, const attend_question *asked)
{
    const attend_notes *n = &v->notes;
    if (v->changes && !(attend_is_factor(v) && n->bound))
        return "mistake";
    if (v->is_changed && (asked->order || v->loss || !n->bound))
        return "other-order";
    if (!n->same && !n->bound && !v->is_changed)
        return "unexplained";
    return n->lse ? "expected" : "lse";
}

/* The orders that it equals. */
static void put_orders(json_writer *j, const attend_verdict *v)
{
    char text[SF8_ORDER_TEXT_SIZE];
    jw_begin(j, "orders", '[');
    for (size_t i = 0; i < v->orders; i++) {
        sf8_attend_order_write(v->order[i], text, sizeof text);
        jw_text(j, NULL, text);
    }
    jw_end(j);
}

/* What explains it: names that stay, one or two together, and the words of the text. */
static void put_mistakes(json_writer *j, const attend_verdict *v)
{
    char text[256];
    attend_factors_text(v, text, sizeof text);
    jw_begin(j, "mistakes", '[');
    for (size_t i = 0; i < v->changes; i++) {
        jw_begin(j, NULL, '{');
        jw_begin(j, "names", '[');
        for (size_t k = 0; k < ATTEND_TOGETHER && v->mistake[i][k]; k++)
            jw_text(j, NULL, v->mistake[i][k]);
        jw_end(j);
        jw_text(j, "text", v->change[i][0] ? v->change[i] : text);
        jw_end(j);
    }
    jw_end(j);
    if (v->changes)
        jw_real(j, "left", v->left, 6);
    else
        jw_null(j, "left");
}

void attend_put_field(json_writer *j, const char *key, const char *name, const float *rows,
                      size_t queries, size_t heads)
{
    enum { MOST = 64 };
    size_t each = (queries + MOST - 1) / MOST;
    jw_begin(jw_space(j, "\n"), key, '{');
    jw_unsigned(j, "each", each);
    jw_begin(j, name, '[');
    for (size_t first = 0; first < queries; first += each) {
        jw_begin(j, NULL, '[');
        for (size_t head = 0; head < heads; head++) {
            double most = 0;
            for (size_t q = first; q < first + each && q < queries; q++)
                most = fmax(most, (double)rows[q * heads + head]);
            jw_real(j, NULL, most, 4);
        }
        jw_end(j);
    }
    jw_end(j);
    jw_end(j);
}

void attend_verdict_json(output *out, const void *judged)
{
    const attend_judged *what = judged;
    const attend_verdict *v = &what->verdict;
    const attend_notes *n = &v->notes;
    double mean, errors;
    int lean = attend_notes_lean(n, &mean, &errors);
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_bool(&j, "good", n->good);
    jw_text(&j, "verdict", kind_of(v, &what->asked));
    put_orders(&j, v);
    put_mistakes(&j, v);
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
    if (what->asked.errors)
        attend_put_field(&j, "errors", "of_bound", what->asked.errors, what->queries, what->heads);
    jw_end(&j);
}

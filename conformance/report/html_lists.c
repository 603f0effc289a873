/* SPDX-License-Identifier: MIT */
/* html_lists.c -- what was not run, what passed, what is right: lists, closed where long */
#include "report/html.h"

#include <string.h>

enum { OPEN_MOST = 40 };

static int same_reason(const conform_result *a, const conform_result *b)
{
    return a->status == CONFORM_NOT_RUN && b->status == CONFORM_NOT_RUN &&
           strcmp(a->why, b->why) == 0;
}

void html_not_run(const report_out *out, const report *r)
{
    char text[REPORT_TEXT];
    if (!count_of(r, NULL).of[CONFORM_NOT_RUN])
        return;
    out_text(out, "<section id=\"not-run\"><h2>Not run</h2>\n");
    for (size_t i = 0; i < r->count; i++) {
        size_t before = 0;
        while (before < i && !same_reason(&r->results[before], &r->results[i]))
            before++;
        if (before < i || r->results[i].status != CONFORM_NOT_RUN)
            continue;
        size_t count = 0;
        for (size_t k = i; k < r->count; k++)
            count += (size_t)same_reason(&r->results[i], &r->results[k]);
        out_print(out, "<details class=\"family\"%s><summary class=\"not-run\"><b>%s ",
                  count <= OPEN_MOST ? " open=\"open\"" : "", html_symbol(CONFORM_NOT_RUN));
        out_xml(out, r->results[i].why[0] ? r->results[i].why : "no reason was given");
        out_print(out,
                  "</b> <span class=\"count not-run\">%zu case%s</span></summary>\n"
                  "<ul class=\"list\">\n",
                  count, count == 1 ? "" : "s");
        for (size_t k = i; k < r->count; k++) {
            if (!same_reason(&r->results[i], &r->results[k]))
                continue;
            out_text(out, "<li id=\"");
            html_id(out, r->cases[k]->name);
            out_text(out, "\"><code>");
            html_name(out, r->cases[k]->name);
            out_text(out, "</code> <span>");
            out_xml(out, oracle_text(r->cases[k], text));
            out_text(out, "</span></li>\n");
        }
        out_text(out, "</ul></details>\n");
    }
    out_text(out, "</section>\n");
}

static int same_text(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

static int same_oracle(const conform_case *a, const conform_case *b)
{
    if (a->slices != b->slices || (a->slices != SLICES_NONE && a->rbits != b->rbits))
        return 0;
    for (int i = 0; i < CONFORM_STEPS; i++) {
        const conform_step *x = &a->oracle[i], *y = &b->oracle[i];
        if (!same_text(x->function, y->function) || !same_text(x->policy, y->policy) ||
            !same_text(x->fields, y->fields))
            return 0;
    }
    return 1;
}

/* The first case with the same oracle: the number of its drawing. */
static size_t drawing_of(const report *r, size_t i)
{
    size_t k = 0;
    while (k < i && !same_oracle(r->cases[k], r->cases[i]))
        k++;
    return k;
}

static void show_passed_case(const report_out *out, const report *r, size_t i)
{
    char text[REPORT_TEXT], number[32];
    report_case k = case_of(r, i);
    out_text(out, "<tr id=\"");
    html_id(out, k.c->name);
    out_text(out, "\"><th scope=\"row\"><code>");
    html_name(out, k.c->name);
    out_text(out, "</code></th><td>");
    out_xml(out, oracle_text(k.c, text));
    if (k.c->nan_class)
        out_text(out, "; any NaN");
    html_origin(out, &k);
    out_print(out, "</td><td class=\"n\">%s</td><td class=\"n\">%s</td><td>",
              grouped(k.r->inputs, number), html_time(k.r->seconds, text));
    if (html_has_map(&k))
        html_small_map(out, &k);
    else if (html_has_stairs(&k))
        out_print(out, "<a href=\"#steps-%zu\">steps</a>", drawing_of(r, i));
    out_text(out, "</td></tr>\n");
}

static void show_passed_family(const report_out *out, const report *r, size_t first)
{
    report_count n = count_of(r, r->cases[first]);
    char family[128], number[32];
    if (!n.of[CONFORM_PASSED])
        return;
    snprintf(family, sizeof family, "%.*s", (int)family_length(r->cases[first]),
             r->cases[first]->name);
    out_print(out, "<details class=\"family\"%s><summary><b>",
              n.of[CONFORM_PASSED] <= OPEN_MOST ? " open=\"open\"" : "");
    out_xml(out, family);
    out_print(out, "</b> <span class=\"count passed\">%s %s passed</span></summary>\n",
              html_symbol(CONFORM_PASSED), grouped(n.of[CONFORM_PASSED], number));
    out_text(out, "<table class=\"passed-list\"><thead>"
                  "<tr><th scope=\"col\">Case</th><th scope=\"col\">Oracle</th>"
                  "<th scope=\"col\" class=\"n\">Inputs</th><th scope=\"col\" class=\"n\">Time</th>"
                  "<th scope=\"col\">Codes</th></tr></thead><tbody>\n");
    for (size_t i = first; i < r->count; i++) {
        if (r->results[i].status == CONFORM_PASSED && same_family(r->cases[first], r->cases[i]))
            show_passed_case(out, r, i);
    }
    out_text(out, "</tbody></table></details>\n");
}

void html_passed(const report_out *out, const report *r)
{
    if (!count_of(r, NULL).of[CONFORM_PASSED])
        return;
    out_text(out, "<section id=\"passed\"><h2>Passed</h2>\n");
    for (size_t i = family_next(r, SIZE_MAX); i < r->count; i = family_next(r, i))
        show_passed_family(out, r, i);
    out_text(out, "</section>\n");
}

/* One drawing for each oracle. The differences are drawn with their cases. */
void html_oracles(const report_out *out, const report *r)
{
    char text[REPORT_TEXT];
    conform_result right;
    memset(&right, 0, sizeof right);
    int any = 0;
    for (size_t i = 0; i < r->count; i++) {
        report_case k = case_of(r, i);
        k.r = &right;
        if (!html_has_stairs(&k) || drawing_of(r, i) != i)
            continue;
        if (!any++)
            out_text(out,
                     "<section id=\"oracles\"><h2>What is right</h2>\n<p>The staircase of each "
                     "oracle: the code by the input. The axis is logarithmic by powers of two "
                     "and linear between them.</p>\n");
        out_print(out, "<details id=\"steps-%zu\"><summary>", i);
        out_xml(out, oracle_text(k.c, text));
        out_text(out, "</summary>");
        html_stairs(out, &k);
        out_text(out, "</details>\n");
    }
    out_text(out, any ? "</section>\n" : "");
}

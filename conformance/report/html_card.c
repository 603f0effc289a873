/* SPDX-License-Identifier: MIT */
/* html_card.c -- a case that did not pass: what differs, what explains it, how to see it */
#include "report/html.h"

#include <string.h>

enum { AT_ONCE = 10, EXPLAINED = 3, VALUE_MOST = 12 };

/* ---- ranges ---------------------------------------------------------------------------------- */

static void show_cell(const report_out *out, const char *label, const char *word, const char *value)
{
    out_print(out, "<td data-label=\"%s\"><code>%s</code> <span>%s</span></td>", label, word,
              value);
}

static void show_range(const report_out *out, const report_case *k, const conform_range *range)
{
    const sf8_word *source = oracle_source(&k->oracle), *target = oracle_target(&k->oracle);
    char a[32], b[32], x[96], y[96], words[80], values[224];
    int many = range->last != range->first;
    snprintf(words, sizeof words, "%s%s%s", word_hex(source, range->first, a),
             many ? "\xe2\x80\x93" : "", many ? word_hex(source, range->last, b) : "");
    word_value(source, range->first, VALUE_MOST, x);
    word_value(source, range->last, VALUE_MOST, y);
    many = strcmp(x, y) != 0;
    snprintf(values, sizeof values, "%s%s%s", x, many ? " to " : "", many ? y : "");
    out_text(out, "<tr>");
    show_cell(out, "Inputs", words, values);
    show_cell(out, "Got", word_hex(target, range->got, a),
              word_value(target, range->got, VALUE_MOST, x));
    show_cell(out, "Expected", word_hex(target, range->right, a),
              word_value(target, range->right, VALUE_MOST, x));
    out_text(out, "</tr>\n");
}

static void show_table(const report_out *out, const report_case *k, size_t from, size_t to)
{
    out_text(out,
             "<table class=\"ranges\"><thead><tr><th scope=\"col\">Inputs</th>"
             "<th scope=\"col\">Got</th><th scope=\"col\">Expected</th></tr></thead><tbody>\n");
    for (size_t i = from; i < to; i++)
        show_range(out, k, &k->r->range[i]);
    out_text(out, "</tbody></table>\n");
}

static void show_ranges(const report_out *out, const report_case *k)
{
    size_t kept = kept_ranges(k->r);
    if (kept == 0)
        return;
    show_table(out, k, 0, kept < AT_ONCE + 2 ? kept : AT_ONCE);
    if (kept >= AT_ONCE + 2) {
        out_print(out, "<details><summary>%zu more ranges</summary>\n", kept - AT_ONCE);
        show_table(out, k, AT_ONCE, kept);
        out_text(out, "</details>\n");
    }
    if (k->r->range_count > kept)
        out_print(out, "<p class=\"note\">And %llu ranges that were not kept.</p>\n",
                  (unsigned long long)(k->r->range_count - kept));
}

/* ---- explanations ---------------------------------------------------------------------------- */

static void show_causes(const report_out *out, const report_case *k)
{
    char text[REPORT_TEXT];
    size_t kept = kept_ranges(k->r), at = 0, i;
    if (kept == 0)
        return;
    out_text(out, "<ul class=\"causes\">\n");
    for (int n = 0; n < EXPLAINED && (i = cause_next(k, &at)) < kept; n++) {
        out_text(out, "<li>");
        out_xml(out, cause_text(k, &k->r->range[i], text));
        out_text(out, ".</li>\n");
    }
    out_text(out, "</ul>\n");
}

static void show_commands(const report_out *out, const report_case *k)
{
    char text[REPORT_TEXT];
    out_text(out, "<pre>");
    out_xml(out, run_command(k, text));
    out_text(out, "\n");
    for (int step = 0; k->known && k->r->range_count && step < k->oracle.steps; step++) {
        if (explain_command(k, step, k->r->range[0].first, text)) {
            out_xml(out, text);
            out_text(out, "\n");
        }
    }
    out_text(out, "</pre>\n");
}

/* A text in which an address is a link. */
static void show_linked(const report_out *out, const char *text)
{
    const char *at = strstr(text, "https://");
    char part[REPORT_TEXT];
    if (!at) {
        out_xml(out, text);
        return;
    }
    snprintf(part, sizeof part, "%.*s", (int)(at - text), text);
    out_xml(out, part);
    size_t n = strcspn(at, " \t\"<>");
    while (n > 0 && strchr(".,;:)", at[n - 1]))
        n--;
    snprintf(part, sizeof part, "%.*s", (int)n, at);
    out_text(out, "<a href=\"");
    out_xml(out, part);
    out_text(out, "\">");
    html_name(out, part);
    out_text(out, "</a>");
    out_xml(out, at + n);
}

/* ---- where it comes from --------------------------------------------------------------------- */

void html_origin(const report_out *out, const report_case *k)
{
    if (k->r->origin[0]) {
        out_text(out, "<span class=\"from\">Record of ");
        out_xml(out, k->r->origin);
        out_text(out, "</span>");
    }
    if (k->r->sass[0]) {
        out_text(out, "<span class=\"from\">Executed <code>");
        out_xml(out, k->r->sass);
        out_text(out, "</code></span>");
    }
}

const char *html_time(double seconds, char *text)
{
    if (seconds >= 1 || seconds <= 0)
        snprintf(text, 32, "%.1f s", seconds);
    else
        snprintf(text, 32, "%.*f ms", seconds < 0.01, seconds * 1000);
    return text;
}

/* ---- the card -------------------------------------------------------------------------------- */

static void show_title(const report_out *out, const report_case *k)
{
    char text[REPORT_TEXT], a[32], b[32];
    out_print(out, "<article class=\"card %s\" id=\"", status_key(k->r->status));
    html_id(out, k->c->name);
    out_print(out, "\">\n<h3><span class=\"badge\">%s %s</span> <a href=\"#",
              html_symbol(k->r->status), status_text(k->r->status));
    html_id(out, k->c->name);
    out_text(out, "\">");
    html_name(out, k->c->name);
    out_text(out, "</a></h3>\n<p class=\"oracle\">");
    out_xml(out, oracle_text(k->c, text));
    if (k->r->differ)
        out_print(out, " \xc2\xb7 %s of %s inputs differ", grouped(k->r->differ, a),
                  grouped(k->r->inputs, b));
    if (k->r->parts < k->r->of)
        out_print(out, " \xc2\xb7 %u of %u parts, from part %u on", k->r->parts, k->r->of,
                  k->r->first_part + 1);
    out_print(out, " \xc2\xb7 %s", html_time(k->r->seconds, a));
    if (k->r->subject_seconds > 0)
        out_print(out, ", %s of them the subject", html_time(k->r->subject_seconds, a));
    html_origin(out, k);
    out_text(out, "</p>\n");
}

/* A text without its capital and its full stop. */
static void show_sentence(const report_out *out, const char *text)
{
    char first[2] = {text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0], 0};
    out_xml(out, first);
    out_xml(out, text + 1);
    out_text(out, ".");
}

void html_card(const report_out *out, const report_case *k)
{
    show_title(out, k);
    if (k->c->known) {
        out_text(out, "<p class=\"why\">Known: ");
        show_linked(out, k->c->known->why);
        out_text(out, "</p>\n");
    }
    if (k->r->why[0]) {
        out_text(out, "<p class=\"why\">");
        out_xml(out, k->r->why);
        out_text(out, "</p>\n");
    }
    if (k->r->diagnosis[0]) {
        out_text(out, "<p class=\"diagnosis\">");
        show_sentence(out, k->r->diagnosis);
        out_text(out, "</p>\n");
    }
    if (k->known) {
        show_causes(out, k);
        if (k->r->range_count && html_has_stairs(k)) {
            html_stairs(out, k);
            out_text(
                out,
                "<p class=\"note\">Line: what is right. Hatched: inputs that differ. \xc3\x97: "
                "what came at the first of them.</p>\n");
        }
        if (k->r->range_count && html_has_map(k))
            html_map(out, k);
        show_ranges(out, k);
    }
    show_commands(out, k);
    out_text(out, "</article>\n");
}

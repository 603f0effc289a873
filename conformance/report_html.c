/* SPDX-License-Identifier: MIT */
/* report_html.c -- the report as a page: one file, nothing loaded, no script needed */
#include "report_html.h"

#include <string.h>

/* ---- small parts ----------------------------------------------------------------------------- */

const char *html_symbol(conform_status s)
{
    static const char *const symbols[] = {"\xe2\x9c\x93", "\xe2\x9c\x97", "\xce\x94",
                                          "\xe2\x97\x8b", "\xe2\x86\xbb", "!"};
    return symbols[s];
}

void html_id(const report_out *out, const char *name)
{
    char text[2] = "";
    for (; *name; name++) {
        int plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') ||
                    (*name >= '0' && *name <= '9') || strchr("/_.-", *name);
        text[0] = plain ? *name : '-';
        out_text(out, text);
    }
}

void html_name(const report_out *out, const char *name)
{
    char part[128];
    while (*name) {
        size_t n = strcspn(name, "/");
        n += name[n] == '/';
        snprintf(part, sizeof part, "%.*s", (int)(n < sizeof part ? n : sizeof part - 1), name);
        out_xml(out, part);
        name += n;
        if (*name)
            out_text(out, "<wbr/>");
    }
}

/* A case's name without its family. */
static const char *behind_family(const conform_case *c)
{
    size_t n = family_length(c);
    return c->name[n] ? c->name + n + 1 : c->name;
}

/* How much of that stands at the head of a row of the matrix: the first part; of four or more, as
 * "class/fp8_e4m3/from/half", all but the last. */
static size_t subject_length(const char *rest)
{
    size_t slashes = 0;
    for (const char *c = rest; *c; c++)
        slashes += *c == '/';
    return slashes < 3 ? strcspn(rest, "/") : (size_t)(strrchr(rest, '/') - rest);
}

static int same_subject(const conform_case *a, const conform_case *b)
{
    const char *x = behind_family(a), *y = behind_family(b);
    size_t n = subject_length(x);
    return same_family(a, b) && n == subject_length(y) && memcmp(x, y, n) == 0;
}

/* ---- the head -------------------------------------------------------------------------------- */

static void show_fact(const report_out *out, const char *name, const char *value)
{
    out_print(out, "<div><dt>%s</dt><dd>", name);
    out_xml(out, value);
    out_text(out, "</dd></div>");
}

static void show_facts(const report_out *out, const report *r)
{
    char text[REPORT_TEXT], number[32];
    report_count n = count_of(r, NULL);
    out_text(out, "<dl class=\"facts\">");
    snprintf(text, sizeof text, "%.10s%s%s", r->date ? r->date : "unknown",
             r->date && strlen(r->date) > 19 ? " " : "",
             r->date && strlen(r->date) > 19 ? r->date + 11 : "");
    show_fact(out, "Date", text);
    show_fact(out, "GPU", r->gpu ? r->gpu : "no GPU");
    if (r->driver)
        show_fact(out, "Driver", r->driver);
    show_fact(out, "CUDA headers", r->toolkit ? r->toolkit : r->missing ? r->missing : "none");
    snprintf(text, sizeof text, "%s%s", tier_text(r->tier), r->strict ? ", strict" : "");
    show_fact(out, "Tier", text);
    if (r->only)
        show_fact(out, "Only", r->only);
    if (r->shards > 1) {
        snprintf(text, sizeof text, "%u of %u", r->shard + 1, r->shards);
        show_fact(out, "Shard", text);
    }
    show_fact(out, "Cases", grouped(n.cases, number));
    show_fact(out, "Inputs", grouped(n.inputs, number));
    snprintf(text, sizeof text, "%.1f s", n.seconds);
    show_fact(out, "Time of all cases", text);
    out_text(out, "</dl>");
}

/* "5 failed, 1 broken; 2 could not be run." */
static void show_verdict(const report_out *out, const report_count *n)
{
    static const conform_status bad[] = {CONFORM_FAILED, CONFORM_BROKEN, CONFORM_STALE};
    int any = 0;
    out_text(out, "<p class=\"verdict\">");
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (!n->of[bad[i]])
            continue;
        out_print(out, "%s%llu %s", any++ ? ", " : "", (unsigned long long)n->of[bad[i]],
                  status_text(bad[i]));
    }
    if (!any)
        out_text(out, n->of[CONFORM_PASSED] + n->of[CONFORM_KNOWN] ? "What was run holds"
                                                                   : "Nothing was run");
    if (n->of[CONFORM_KNOWN])
        out_print(out, "; %llu differ%s as known", (unsigned long long)n->of[CONFORM_KNOWN],
                  n->of[CONFORM_KNOWN] == 1 ? "s" : "");
    if (n->of[CONFORM_NOT_RUN])
        out_print(out, "; %llu could not be run", (unsigned long long)n->of[CONFORM_NOT_RUN]);
    out_text(out, ".</p>\n");
}

static const char *section_of(conform_status s)
{
    return s == CONFORM_PASSED ? "passed" : s == CONFORM_NOT_RUN ? "not-run" : "differences";
}

static void show_totals(const report_out *out, const report_count *n)
{
    char number[32];
    out_text(out, "<ul class=\"totals\">");
    for (int i = 0; i < REPORT_STATUSES; i++) {
        conform_status s = (conform_status)i;
        out_print(out, "<li class=\"%s%s\">", status_key(s), n->of[s] ? "" : " none");
        if (n->of[s])
            out_print(out, "<a href=\"#%s\">", section_of(s));
        out_print(out, "<b>%s</b><span>%s %s</span>%s</li>", grouped(n->of[s], number),
                  html_symbol(s), status_text(s), n->of[s] ? "</a>" : "");
    }
    out_text(out, "</ul>\n");
}

static void show_head(const report_out *out, const report *r)
{
    report_count n = count_of(r, NULL);
    out_text(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"/>\n"
                  "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                  "<meta name=\"color-scheme\" content=\"light dark\"/>\n");
    out_print(out, "<title>softfp8 conformance: %llu passed, %llu failed, %llu not run</title>\n",
              (unsigned long long)n.of[CONFORM_PASSED], (unsigned long long)n.of[CONFORM_FAILED],
              (unsigned long long)n.of[CONFORM_NOT_RUN]);
    html_style(out);
    out_text(out, "</head>\n<body>\n");
    html_definitions(out);
    out_text(out, "<header><p class=\"mark\">softfp8 ");
    out_xml(out, r->version ? r->version : "");
    out_text(out, "</p>\n<h1>Conformance</h1>\n");
    show_verdict(out, &n);
    show_totals(out, &n);
    show_facts(out, r);
    out_text(out, "</header>\n<main>\n");
}

/* ---- the matrix ------------------------------------------------------------------------------ */

static void show_link(const report_out *out, const conform_case *c, conform_status s)
{
    const char *rest = behind_family(c), *variant = rest + subject_length(rest);
    out_print(out, "<a class=\"chip %s\" href=\"#", status_key(s));
    html_id(out, c->name);
    out_print(out, "\"><b title=\"%s\">%s</b> ", status_text(s), html_symbol(s));
    html_name(out, *variant ? variant + 1 : rest);
    if (s != CONFORM_PASSED)
        out_print(out, "<span class=\"hidden\">, %s</span>", status_text(s));
    out_text(out, "</a>\n");
}

static void show_subject(const report_out *out, const report *r, size_t first)
{
    const conform_case *c = r->cases[first];
    const char *rest = behind_family(c);
    char subject[128];
    snprintf(subject, sizeof subject, "%.*s", (int)subject_length(rest), rest);
    out_text(out, "<tr><th scope=\"row\">");
    html_name(out, subject);
    out_text(out, "</th><td>");
    for (size_t i = first; i < r->count; i++) {
        if (same_subject(c, r->cases[i]))
            show_link(out, r->cases[i], r->results[i].status);
    }
    out_text(out, "</td></tr>\n");
}

static void show_family(const report_out *out, const report *r, size_t first)
{
    const conform_case *c = r->cases[first];
    report_count n = count_of(r, c);
    char family[128];
    snprintf(family, sizeof family, "%.*s", (int)family_length(c), c->name);
    out_text(out, "<table class=\"matrix\"><caption><b>");
    out_xml(out, family);
    out_text(out, "</b> ");
    for (int s = 0, any = 0; s < REPORT_STATUSES; s++) {
        if (n.of[s])
            out_print(out, "%s%llu %s", any++ ? ", " : "", (unsigned long long)n.of[s],
                      status_text((conform_status)s));
    }
    out_text(out, "</caption><tbody>\n");
    for (size_t i = first; i < r->count; i++) {
        size_t before = first;
        while (before < i && !same_subject(r->cases[before], r->cases[i]))
            before++;
        if (before == i && same_family(c, r->cases[i]))
            show_subject(out, r, i);
    }
    out_text(out, "</tbody></table>\n");
}

static void show_matrix(const report_out *out, const report *r)
{
    out_text(out, "<section id=\"cases\"><h2>Cases</h2>\n<p class=\"filter\" hidden=\"hidden\">"
                  "<label>Filter <input type=\"search\" placeholder=\"e4m3 failed\" "
                  "autocomplete=\"off\"/></label> <output></output></p>\n");
    for (size_t i = family_next(r, SIZE_MAX); i < r->count; i = family_next(r, i))
        show_family(out, r, i);
    out_text(out, "</section>\n");
}

/* ---- the sections ---------------------------------------------------------------------------- */

static void show_differences(const report_out *out, const report *r)
{
    static const conform_status shown[] = {CONFORM_FAILED, CONFORM_BROKEN, CONFORM_STALE,
                                           CONFORM_KNOWN};
    report_count n = count_of(r, NULL);
    if (n.of[CONFORM_PASSED] + n.of[CONFORM_NOT_RUN] == n.cases)
        return;
    out_text(out, "<section id=\"differences\"><h2>What did not pass</h2>\n");
    for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++) {
        for (size_t i = 0; i < r->count; i++) {
            if (r->results[i].status != shown[s])
                continue;
            report_case k = case_of(r, i);
            html_card(out, &k);
        }
    }
    out_text(out, "</section>\n");
}

static int same_reason(const conform_result *a, const conform_result *b)
{
    return a->status == CONFORM_NOT_RUN && b->status == CONFORM_NOT_RUN &&
           strcmp(a->why, b->why) == 0;
}

static void show_not_run(const report_out *out, const report *r)
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
        out_print(out, "<h3 class=\"reason not-run\">%s ", html_symbol(CONFORM_NOT_RUN));
        out_xml(out, r->results[i].why[0] ? r->results[i].why : "no reason was given");
        out_text(out, "</h3>\n<ul class=\"list\">\n");
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
        out_text(out, "</ul>\n");
    }
    out_text(out, "</section>\n");
}

/* The first case with the same oracle: the number of its drawing. */
static size_t drawing_of(const report *r, size_t i)
{
    char text[REPORT_TEXT], other[REPORT_TEXT];
    oracle_text(r->cases[i], text);
    size_t k = 0;
    while (k < i && strcmp(oracle_text(r->cases[k], other), text) != 0)
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
    out_print(out, "</td><td class=\"n\">%s</td><td class=\"n\">%.1f s</td><td>",
              grouped(k.r->inputs, number), k.r->seconds);
    if (html_has_map(&k))
        html_small_map(out, &k);
    else if (html_has_stairs(&k))
        out_print(out, "<a href=\"#steps-%zu\">steps</a>", drawing_of(r, i));
    out_text(out, "</td></tr>\n");
}

static void show_passed(const report_out *out, const report *r)
{
    if (!count_of(r, NULL).of[CONFORM_PASSED])
        return;
    out_text(out, "<section id=\"passed\"><h2>Passed</h2>\n<table class=\"passed-list\"><thead>"
                  "<tr><th scope=\"col\">Case</th><th scope=\"col\">Oracle</th>"
                  "<th scope=\"col\" class=\"n\">Inputs</th><th scope=\"col\" class=\"n\">Time</th>"
                  "<th scope=\"col\">Codes</th></tr></thead><tbody>\n");
    for (size_t i = 0; i < r->count; i++) {
        if (r->results[i].status == CONFORM_PASSED)
            show_passed_case(out, r, i);
    }
    out_text(out, "</tbody></table></section>\n");
}

/* One drawing for each oracle. The differences are drawn with their cases. */
static void show_oracles(const report_out *out, const report *r)
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

void report_html(const report *r, report_put put, void *context)
{
    report_out out = {put, context};
    show_head(&out, r);
    show_matrix(&out, r);
    show_differences(&out, r);
    show_not_run(&out, r);
    show_passed(&out, r);
    show_oracles(&out, r);
    out_text(&out, "</main>\n<footer>Written by <code>softfp8 conform --html</code>. Words are "
                   "hexadecimal; a value behind ~ is rounded.</footer>\n");
    html_script(&out);
    out_text(&out, "</body></html>\n");
}

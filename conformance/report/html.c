/* SPDX-License-Identifier: MIT */
/* html.c -- the report as a page: one file, nothing loaded, no script needed */
#include "report/html.h"

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

/* ---- the head -------------------------------------------------------------------------------- */

static void show_fact(const report_out *out, const char *name, const char *value)
{
    out_print(out, "<div><dt>%s</dt><dd>", name);
    out_xml(out, value);
    out_text(out, "</dd></div>");
}

/* The GPUs of the records that were replayed, each once: none of them was there. */
static void show_origins(const report_out *out, const report *r)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t before = 0;
        while (before < i && strcmp(r->results[before].origin, r->results[i].origin) != 0)
            before++;
        if (before == i && r->results[i].origin[0])
            show_fact(out, "Replayed record of", r->results[i].origin);
    }
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
    show_origins(out, r);
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

void report_html(const report *r, report_put put, void *context)
{
    report_out out = {put, context};
    show_head(&out, r);
    html_matrix(&out, r);
    show_differences(&out, r);
    html_not_run(&out, r);
    html_passed(&out, r);
    html_oracles(&out, r);
    out_text(&out, "</main>\n<footer>Written by <code>softfp8 conform --html</code>. Words are "
                   "hexadecimal; a value behind ~ is rounded.</footer>\n");
    html_script(&out);
    out_text(&out, "</body></html>\n");
}

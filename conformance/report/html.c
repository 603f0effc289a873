/* SPDX-License-Identifier: MIT */
/* html.c -- the report as a page: the template, the report's JSON in it, and a summary in words
 *
 * The page draws itself from the JSON. The summary is there without JavaScript too.
 */
#include "report/html.h"
#include "report/parts.h"

#include <string.h>

const char *html_until(const char *text, const char *mark, report_put put, void *context)
{
    const char *at = strstr(text, mark);
    put(context, text, (size_t)(at - text));
    return at + strlen(mark);
}

static const char *template_named(const char *name)
{
    for (size_t i = 0; i < html_template_count; i++)
        if (strcmp(html_templates[i].name, name) == 0)
            return html_templates[i].text;
    return "";
}

const char *html_begin(const char *name, const char *mark, report_put put, void *context)
{
    const char *rest = html_until(template_named(name), "@STYLE@", put, context);
    put(context, template_named("style"), strlen(template_named("style")));
    return html_until(rest, mark, put, context);
}

/* Each character for which `replaced` has something is that instead. */
static void put_replaced(const char *text, size_t size, const char *(*replaced)(char),
                         report_put put, void *context)
{
    size_t from = 0;
    for (size_t i = 0; i < size; i++) {
        const char *other = replaced(text[i]);
        if (!other)
            continue;
        put(context, text + from, i - from);
        put(context, other, strlen(other));
        from = i + 1;
    }
    put(context, text + from, size - from);
}

static const char *replaced_in_json(char c)
{
    return c == '<' ? "\\u003c" : NULL;
}

static const char *replaced_in_text(char c)
{
    return c == '&'    ? "&amp;"
           : c == '<'  ? "&lt;"
           : c == '>'  ? "&gt;"
           : c == '"'  ? "&quot;"
           : c == '\'' ? "&#39;"
                       : NULL;
}

void html_json(const char *text, size_t size, report_put put, void *context)
{
    put_replaced(text, size, replaced_in_json, put, context);
}

void html_text(const char *text, size_t size, report_put put, void *context)
{
    put_replaced(text, size, replaced_in_text, put, context);
}

static void put_json(void *context, const char *text, size_t size)
{
    const report_out *out = context;
    html_json(text, size, out->put, out->context);
}

/* "5 failed, 1 broken; 1 known difference; 2 skipped." */
static void put_summary(const report_out *out, const report *r)
{
    static const conform_status bad[] = {CONFORM_FAILED, CONFORM_BROKEN, CONFORM_STALE};
    report_count n = count_of(r, NULL);
    const char *before = "";
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        if (!n.of[bad[i]])
            continue;
        out_print(out, "%s%llu %s", before, (unsigned long long)n.of[bad[i]], status_text(bad[i]));
        before = ", ";
    }
    if (!before[0])
        out_text(out, n.of[CONFORM_PASSED] + n.of[CONFORM_KNOWN] ? "All cases that were run passed"
                                                                 : "No case was run");
    if (n.of[CONFORM_KNOWN])
        out_print(out, "; %llu known difference%s", (unsigned long long)n.of[CONFORM_KNOWN],
                  n.of[CONFORM_KNOWN] == 1 ? "" : "s");
    if (n.of[CONFORM_NOT_RUN])
        out_print(out, "; %llu skipped", (unsigned long long)n.of[CONFORM_NOT_RUN]);
    out_text(out, ".");
}

void report_html(const report *r, report_put put, void *context)
{
    report_out out = {put, context};
    const char *rest = html_begin("report", "@SUMMARY@", put, context);
    put_summary(&out, r);
    rest = html_until(rest, "@JSON@", put, context);
    report_json(r, put_json, &out);
    out_text(&out, rest);
}

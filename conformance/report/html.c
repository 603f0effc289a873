/* SPDX-License-Identifier: MIT */
/* html.c -- the report as a page: the template, the report's JSON in it, and a summary in words
 *
 * The page draws itself from the JSON. The summary is there without JavaScript too.
 */
#include "report/html.h"
#include "report/parts.h"

#include <string.h>

/* JSON has "<" only in strings. There it is \u003c, so that no text can end the script element. */
static void put_in_script(void *context, const char *text, size_t size)
{
    const report_out *out = context;
    const char *end = text + size, *found;
    while ((found = memchr(text, '<', (size_t)(end - text))) != NULL) {
        out->put(out->context, text, (size_t)(found - text));
        out_text(out, "\\u003c");
        text = found + 1;
    }
    out->put(out->context, text, (size_t)(end - text));
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

/* The template up to a mark; returns what follows the mark. */
static const char *put_until(const report_out *out, const char *text, const char *mark)
{
    const char *at = strstr(text, mark);
    out->put(out->context, text, (size_t)(at - text));
    return at + strlen(mark);
}

void report_html(const report *r, report_put put, void *context)
{
    report_out out = {put, context};
    const char *rest = put_until(&out, html_templates[0].text, "@SUMMARY@");
    put_summary(&out, r);
    rest = put_until(&out, rest, "@JSON@");
    report_json(r, put_in_script, &out);
    out_text(&out, rest);
}

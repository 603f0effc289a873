/* SPDX-License-Identifier: MIT */
/* junit.c -- the report as JUnit XML, as GitLab, Jenkins and GitHub's reporters read it
 *
 * A family is a suite. Failed and stale cases are failures, broken ones errors; skipped cases
 * are skipped, and so is a known difference, with the reason as the message: both stay visible
 * there.
 */
#include "report/parts.h"

#include <string.h>

enum { RANGES_SHOWN = 16 };

static void show_attribute(const report_out *out, const char *name, const char *text)
{
    out_print(out, " %s=\"", name);
    out_xml(out, text);
    out_text(out, "\"");
}

static void show_counts(const report_out *out, const report_count *n)
{
    out_print(out,
              " tests=\"%llu\" failures=\"%llu\" errors=\"%llu\" skipped=\"%llu\" time=\"%.3f\"",
              (unsigned long long)n->cases,
              (unsigned long long)(n->of[CONFORM_FAILED] + n->of[CONFORM_STALE]),
              (unsigned long long)n->of[CONFORM_BROKEN],
              (unsigned long long)(n->of[CONFORM_NOT_RUN] + n->of[CONFORM_KNOWN]), n->seconds);
}

/* One line for lists: "3 of 256 inputs differ; on all 256 inputs tried it does ...", or without an
 * explanation "...; 7e gave ...". */
static void message_of(const report_case *k, char message[REPORT_TEXT])
{
    char a[32], b[32], cause[REPORT_TEXT] = "";
    const conform_result *r = k->r;
    if (!r->differ || r->status == CONFORM_STALE) {
        snprintf(message, REPORT_TEXT, "%s", r->why[0] ? r->why : status_text(r->status));
        return;
    }
    if (r->diagnosis[0])
        snprintf(cause, sizeof cause, "%s", r->diagnosis);
    else if (k->known && r->range_count)
        cause_text(k, &r->range[0], cause);
    snprintf(message, REPORT_TEXT, "%s of %s inputs differ%s%.1900s", grouped(r->differ, a),
             grouped(r->inputs, b), cause[0] ? "; " : "", cause);
}

static void show_line(const report_out *out, const char *what, const char *text)
{
    if (!text[0])
        return;
    out_text(out, what);
    out_xml(out, text);
    out_text(out, "\n");
}

static void show_details(const report_out *out, const report_case *k)
{
    char text[REPORT_TEXT], hex[4][32];
    show_line(out, "", oracle_text(k->c, text));
    show_line(out, "on ", k->r->origin);
    show_line(out, "executed: ", k->r->sass);
    show_line(out, "explained: ", k->r->diagnosis);
    size_t kept = k->known ? kept_ranges(k->r) : 0;
    kept = kept < RANGES_SHOWN ? kept : RANGES_SHOWN;
    for (size_t i = 0; i < kept; i++) {
        const conform_range *range = &k->r->range[i];
        const sf8_word *source = oracle_source(&k->oracle), *target = oracle_target(&k->oracle);
        out_print(out, "%s..%s: got %s, expected %s\n", word_hex(source, range->first, hex[0]),
                  word_hex(source, range->last, hex[1]), word_hex(target, range->got, hex[2]),
                  word_hex(target, range->right, hex[3]));
    }
    if (k->r->range_count > kept)
        out_print(out, "and %llu more ranges\n", (unsigned long long)(k->r->range_count - kept));
    if (kept)
        show_line(out, "", cause_text(k, &k->r->range[0], text));
    for (int step = 0; kept && step < k->oracle.steps; step++) {
        if (explain_command(k, step, k->r->range[0].first, text))
            show_line(out, "$ ", text);
    }
    show_line(out, "$ ", run_command(k, text));
}

/* <failure message="..." type="failed">details</failure> */
static void show_outcome(const report_out *out, const report_case *k, const char *element)
{
    char message[REPORT_TEXT];
    message_of(k, message);
    out_print(out, "      <%s", element);
    show_attribute(out, "message", message);
    show_attribute(out, "type", status_text(k->r->status));
    out_text(out, ">");
    show_details(out, k);
    out_print(out, "</%s>\n", element);
}

static void show_skipped(const report_out *out, const report_case *k)
{
    char message[REPORT_TEXT];
    snprintf(message, sizeof message, "%s: %.1900s", status_text(k->r->status),
             k->r->status == CONFORM_KNOWN ? k->c->known->why : k->r->why);
    out_text(out, "      <skipped");
    show_attribute(out, "message", message);
    out_text(out, "/>\n");
}

static void show_case(const report_out *out, const report_case *k)
{
    size_t family = family_length(k->c);
    const char *rest = k->c->name[family] ? k->c->name + family + 1 : k->c->name;
    char class[128];
    snprintf(class, sizeof class, "%.*s", (int)family, k->c->name);
    out_text(out, "    <testcase");
    show_attribute(out, "classname", class);
    show_attribute(out, "name", rest);
    out_print(out, " time=\"%.3f\"", k->r->seconds);
    if (k->r->status == CONFORM_PASSED) {
        out_text(out, "/>\n");
        return;
    }
    out_text(out, ">\n");
    if (k->r->status == CONFORM_BROKEN)
        show_outcome(out, k, "error");
    else if (k->r->status == CONFORM_KNOWN || k->r->status == CONFORM_NOT_RUN)
        show_skipped(out, k);
    else
        show_outcome(out, k, "failure");
    out_text(out, "    </testcase>\n");
}

static void show_suite(const report_out *out, const report *r, const conform_case *family)
{
    char name[128];
    report_count n = count_of(r, family);
    snprintf(name, sizeof name, "%.*s", (int)family_length(family), family->name);
    out_text(out, "  <testsuite");
    show_attribute(out, "name", name);
    show_counts(out, &n);
    if (r->date && strlen(r->date) >= 19) /* without the zone, as the schemas of JUnit want it */
        out_print(out, " timestamp=\"%.19s\"", r->date);
    out_text(out, ">\n");
    for (size_t i = 0; i < r->count; i++) {
        if (!same_family(family, r->cases[i]))
            continue;
        report_case k = case_of(r, i);
        show_case(out, &k);
    }
    out_text(out, "  </testsuite>\n");
}

void report_junit(const report *r, report_put put, void *context)
{
    report_out out = {put, context};
    report_count n = count_of(r, NULL);
    out_text(&out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                   "<testsuites name=\"softfp8 conform\"");
    show_counts(&out, &n);
    out_text(&out, ">\n");
    for (size_t i = family_next(r, SIZE_MAX); i < r->count; i = family_next(r, i))
        show_suite(&out, r, r->cases[i]);
    out_text(&out, "</testsuites>\n");
}

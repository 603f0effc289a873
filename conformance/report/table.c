/* SPDX-License-Identifier: MIT */
/* table.c -- the report for a terminal: counts by family, then every case that did not pass
 */
#include "report/parts.h"

#include <string.h>

enum { WIDTH = 96, EXPLAINED = 3, SHOWN = 16, VALUE_MOST = 12, SPEEDS_MOST = 24 };

/* ---- counts ---------------------------------------------------------------------------------- */

static void show_count(const report_out *out, const char *name, int length, int width,
                       const report_count *n)
{
    char number[32];
    out_print(out, "%-*.*s", width, length, name);
    for (int s = 0; s < REPORT_STATUSES; s++)
        out_print(out, " %7llu", (unsigned long long)n->of[s]);
    out_print(out, " %17s %9.1f\n", grouped(n->inputs, number), n->seconds);
}

static void show_counts(const report_out *out, const report *r)
{
    int width = 20;
    for (size_t i = 0; i < r->count; i++)
        width = (int)family_length(r->cases[i]) > width ? (int)family_length(r->cases[i]) : width;
    out_print(out, "%-*s", width, "family");
    for (int s = 0; s < REPORT_STATUSES; s++)
        out_print(out, " %7s", status_text((conform_status)s));
    out_print(out, " %17s %9s\n", "inputs", "seconds");
    size_t families = 0;
    for (size_t i = family_next(r, SIZE_MAX); i < r->count; i = family_next(r, i)) {
        report_count n = count_of(r, r->cases[i]);
        show_count(out, r->cases[i]->name, (int)family_length(r->cases[i]), width, &n);
        families++;
    }
    report_count n = count_of(r, NULL);
    if (families > 1)
        show_count(out, "all", 3, width, &n);
}

/* ---- a case that did not pass ---------------------------------------------------------------- */

/* "43e80001..7f7fffff  464.00003 .. 3.4028235e+38" */
static void range_text(const report_case *k, const conform_range *range, char span[64],
                       char values[200])
{
    const sf8_word *source = oracle_source(&k->oracle);
    char hex[32], value[96];
    int used = snprintf(span, 64, "%s", word_hex(source, range->first, hex));
    int at = snprintf(values, 200, "%s", word_value(source, range->first, VALUE_MOST, value));
    if (range->last == range->first)
        return;
    snprintf(span + used, 64 - (size_t)used, "..%s", word_hex(source, range->last, hex));
    word_value(source, range->last, VALUE_MOST, value);
    if (strcmp(value, values) != 0)
        snprintf(values + at, 200 - (size_t)at, " .. %s", value);
}

static int longest(int a, const char *text)
{
    int n = (int)strlen(text);
    return n > a ? n : a;
}

static void show_ranges(const report_out *out, const report_case *k)
{
    const sf8_word *target = oracle_target(&k->oracle);
    size_t shown = kept_ranges(k->r) < SHOWN ? kept_ranges(k->r) : SHOWN;
    char span[64], values[200], hex[32], value[96];
    int input_width = 6, value_width = 5;
    for (size_t i = 0; i < shown; i++) {
        range_text(k, &k->r->range[i], span, values);
        input_width = longest(input_width, span);
        value_width = longest(value_width, values);
    }
    if (shown)
        out_print(out, "  %-*s  %-*s  %-*s expected\n", input_width, "inputs", value_width, "value",
                  (target->bits + 3) / 4 + 14, "got");
    for (size_t i = 0; i < shown; i++) {
        const conform_range *range = &k->r->range[i];
        range_text(k, range, span, values);
        out_print(out, "  %-*s  %-*s", input_width, span, value_width, values);
        out_print(out, "  %s %-13s", word_hex(target, range->got, hex),
                  word_value(target, range->got, VALUE_MOST, value));
        out_print(out, " %s %s\n", word_hex(target, range->right, hex),
                  word_value(target, range->right, VALUE_MOST, value));
    }
    if (k->r->range_count > shown)
        out_print(out, "  and %llu more ranges\n", (unsigned long long)(k->r->range_count - shown));
}

static void show_causes(const report_out *out, const report_case *k)
{
    char text[REPORT_TEXT];
    size_t kept = kept_ranges(k->r), at = 0, first = kept;
    for (int n = 0; n < EXPLAINED; n++) {
        size_t i = cause_next(k, &at);
        if (i == kept)
            break;
        first = i < first ? i : first;
        out_text(out, "  ");
        out_wrapped(out, cause_text(k, &k->r->range[i], text), 2, 4, WIDTH);
        out_text(out, "\n");
    }
    for (int step = 0; first < kept && step < k->oracle.steps; step++) {
        if (explain_command(k, step, k->r->range[first].first, text))
            out_print(out, "  $ %s\n", text);
    }
}

static void show_text(const report_out *out, const char *what, const char *text)
{
    if (!text[0])
        return;
    out_print(out, "  %s", what);
    out_wrapped(out, text, 2 + (int)strlen(what), 4, WIDTH);
    out_text(out, "\n");
}

static void show_case(const report_out *out, const report_case *k)
{
    char text[REPORT_TEXT], a[32], b[32];
    out_print(out, "\n%s: %s\n", status_text(k->r->status), k->c->name);
    out_text(out, "  ");
    out_wrapped(out, oracle_text(k->c, text), 2, 4, WIDTH);
    out_text(out, "\n");
    if (k->r->differ)
        out_print(out, "  %s of %s inputs differ, %.1f s\n", grouped(k->r->differ, a),
                  grouped(k->r->inputs, b), k->r->seconds);
    if (k->r->parts < k->r->of)
        out_print(out, "  %u of %u parts were run, starting with part %u\n", k->r->parts, k->r->of,
                  k->r->first_part + 1);
    show_text(out, "known: ", k->c->known ? k->c->known->why : "");
    if (k->r->why[0])
        out_print(out, "  %s\n", k->r->why);
    show_text(out, "recorded on: ", k->r->origin);
    show_text(out, "executed: ", k->r->sass);
    show_text(out, "explained: ", k->r->diagnosis);
    if (k->known) {
        show_ranges(out, k);
        show_causes(out, k);
    }
    out_print(out, "  $ %s\n", run_command(k, text));
}

/* ---- what was skipped -------------------------------------------------------------------------
 */

static int same_reason(const report *r, size_t i, size_t k)
{
    return r->results[k].status == CONFORM_NOT_RUN &&
           strcmp(r->results[i].why, r->results[k].why) == 0;
}

/* Is no case before k, from i on, skipped for the same reason and of the same family? */
static int is_first_of_family(const report *r, size_t i, size_t k)
{
    for (size_t j = i; j < k; j++)
        if (same_reason(r, i, j) && same_family(r->cases[j], r->cases[k]))
            return 0;
    return 1;
}

/* The cases that are skipped as case i is, and their families. */
static void show_reason(const report_out *out, const report *r, size_t i)
{
    size_t cases = 0, families = 0;
    char number[32];
    for (size_t k = i; k < r->count; k++)
        if (same_reason(r, i, k)) {
            cases++;
            families += (size_t)is_first_of_family(r, i, k);
        }
    if (families > 1)
        out_print(out, "skipped: %zu families", families);
    else
        out_print(out, "skipped: %.*s", (int)family_length(r->cases[i]), r->cases[i]->name);
    out_print(out, ", %s case%s: %s\n", grouped(cases, number), cases == 1 ? "" : "s",
              r->results[i].why[0] ? r->results[i].why : "no reason was given");
}

/* A line for each reason; the counts above say which families have how many. */
static void show_not_run(const report_out *out, const report *r)
{
    int any = 0;
    for (size_t i = 0; i < r->count; i++) {
        if (r->results[i].status != CONFORM_NOT_RUN)
            continue;
        size_t before = 0;
        while (before < i && !same_reason(r, i, before))
            before++;
        if (before < i)
            continue;
        if (!any++)
            out_text(out, "\n");
        show_reason(out, r, i);
    }
}

/* What a case that passed has to say: how fast its kernel was, how near the error was to a bound,
 * ... If more than a few have a speed, one line says so. */
static void show_remarks(const report_out *out, const report *r)
{
    size_t speeds = 0, last = 0;
    int any = 0;
    for (size_t i = 0; i < r->count; i++)
        if (r->results[i].status == CONFORM_PASSED && r->results[i].speeds) {
            speeds++;
            last = i;
        }
    for (size_t i = 0; i < r->count; i++) {
        const conform_result *result = &r->results[i];
        if (result->status != CONFORM_PASSED || !result->why[0] ||
            (result->speeds && speeds > SPEEDS_MOST))
            continue;
        if (!any++)
            out_text(out, "\n");
        out_print(out, "%s: ", r->cases[i]->name);
        out_wrapped(out, r->results[i].why, (int)strlen(r->cases[i]->name) + 2, 4, WIDTH);
        out_text(out, "\n");
    }
    if (speeds > SPEEDS_MOST)
        out_print(out,
                  "\n%zu cases have the speed of a kernel. --html and --json write them, and a run "
                  "of at\nmost %d such cases prints them, for example --only %s\n",
                  speeds, (int)SPEEDS_MOST, r->cases[last]->name);
}

/* A line for each kind of evidence, if there are several. */
static void show_evidence(const report_out *out, const report *r)
{
    char count[32], results[32];
    int kinds = 0;
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++)
        kinds += evidence_count(r, kind).cases > 0;
    if (kinds < 2)
        return;
    out_print(out, "\n%-34s %7s %17s\n", "evidence", "cases", "inputs");
    for (int kind = 0; kind < EVIDENCE_KINDS; kind++) {
        report_count n = evidence_count(r, kind);
        if (n.cases > 0)
            out_print(out, "%-34s %7s %17s\n", evidence_text(kind), grouped(n.cases, count),
                      grouped(n.inputs, results));
    }
    report_count all = count_of(r, NULL);
    out_print(out, "%-34s %7s\n", "skipped", grouped(all.of[CONFORM_NOT_RUN], count));
}

void report_table(const report *r, report_put put, void *context)
{
    static const conform_status shown[] = {CONFORM_KNOWN, CONFORM_STALE, CONFORM_BROKEN,
                                           CONFORM_FAILED};
    report_out out = {put, context};
    report_count n = count_of(r, NULL);
    show_counts(&out, r);
    show_remarks(&out, r);
    for (size_t s = 0; s < sizeof shown / sizeof shown[0]; s++) {
        for (size_t i = 0; i < r->count; i++) {
            if (r->results[i].status != shown[s])
                continue;
            report_case k = case_of(r, i);
            show_case(&out, &k);
        }
    }
    show_not_run(&out, r);
    show_evidence(&out, r);
    out_print(&out, "\n%llu passed, %llu failed, %llu known, %llu skipped",
              (unsigned long long)n.of[CONFORM_PASSED], (unsigned long long)n.of[CONFORM_FAILED],
              (unsigned long long)n.of[CONFORM_KNOWN], (unsigned long long)n.of[CONFORM_NOT_RUN]);
    for (int s = CONFORM_STALE; s <= CONFORM_BROKEN; s++) {
        if (n.of[s])
            out_print(&out, ", %llu %s", (unsigned long long)n.of[s],
                      status_text((conform_status)s));
    }
    out_text(&out, "\n");
}

/* SPDX-License-Identifier: MIT */
/* report.c -- the machine, the table, and the same as JSON */
#include "bench.h"
#include "base/json_writer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifndef SOFTFP8_C_FLAGS
#define SOFTFP8_C_FLAGS ""
#endif

/* ---- the machine ----------------------------------------------------------------------------- */

/* The rest of the first line of a file that begins with `key`, behind ":" if there is one. */
static void line_of(const char *path, const char *key, char *text, size_t size)
{
    char line[512];
    FILE *file = fopen(path, "r");
    if (!file)
        return;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, key, strlen(key)) != 0)
            continue;
        const char *at = *key && strchr(line, ':') ? strchr(line, ':') + 1 : line;
        at += strspn(at, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(at, "\n"), at);
        break;
    }
    fclose(file);
}

void bench_machine_get(bench_machine *m, const char *level)
{
    time_t now = time(NULL);
    struct tm broken;
    memset(m, 0, sizeof *m);
    snprintf(m->processor, sizeof m->processor, "unknown");
    line_of("/proc/cpuinfo", "model name", m->processor, sizeof m->processor);
    line_of("/sys/kernel/mm/transparent_hugepage/enabled", "", m->pages, sizeof m->pages);
    line_of("/proc/loadavg", "", m->load, sizeof m->load);
    m->load[strcspn(m->load, " ")] = '\0';
#if defined(__clang__)
    snprintf(m->compiler, sizeof m->compiler, "clang %d.%d.%d", __clang_major__, __clang_minor__,
             __clang_patchlevel__);
#elif defined(__GNUC__)
    snprintf(m->compiler, sizeof m->compiler, "gcc %d.%d.%d", __GNUC__, __GNUC_MINOR__,
             __GNUC_PATCHLEVEL__);
#else
    snprintf(m->compiler, sizeof m->compiler, "unknown");
#endif
    snprintf(m->flags, sizeof m->flags, "%s", SOFTFP8_C_FLAGS);
    snprintf(m->level, sizeof m->level, "%s", level);
    strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &broken));
    m->processors = bench_processors();
}

/* ---- words ----------------------------------------------------------------------------------- */

const char *bench_size_text(uint64_t n, char text[32])
{
    unsigned zeros = 0;
    uint64_t rest = n;
    for (; rest && rest % 10 == 0; rest /= 10)
        zeros++;
    if (n == (uint64_t)1 << 32)
        snprintf(text, 32, "2^32");
    else if (n == (uint64_t)1 << 30)
        snprintf(text, 32, "2^30");
    else if (zeros >= 3)
        snprintf(text, 32, "%llue%u", (unsigned long long)rest, zeros);
    else
        snprintf(text, 32, "%llu", (unsigned long long)n);
    return text;
}

static const char *number(double x, char text[32])
{
    if (x <= 0)
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, x < 10 ? "%.3f" : x < 1000 ? "%.1f" : "%.0f", x);
    return text;
}

static const char *ratio(double x, char text[32])
{
    if (x <= 0)
        snprintf(text, 32, "-");
    else
        snprintf(text, 32, x < 10 ? "%.2f" : "%.1f", x);
    return text;
}

static int at_least(bench_measure m)
{
    return m == OVER_COPY || m == OVER_READ;
}

/* "copy 0.93", "ns 0.145" */
const char *bench_target_text(const bench_target *t, char text[64])
{
    snprintf(text, 64, "%s %s%g", bench_measures[t->measure], at_least(t->measure) ? ">" : "<",
             t->bound);
    return text;
}

/* ---- the table ------------------------------------------------------------------------------- */

void bench_table_head(output *out, const bench_machine *m)
{
    output_print(out, "softfp8 %s, %s, %d processors, load %s, array level %s\n", sf8_version(),
                 m->processor, m->processors, *m->load ? m->load : "unknown", m->level);
    output_print(out, "%s %s, %s\n\n", m->compiler, m->flags, m->date);
    output_print(out, "%-33s %5s %7s %7s %7s %6s %6s  %s\n", "row", "n", "ns", "median", "GB/s",
                 "/copy", "/read", "target");
    output_flush(out);
}

void bench_table_row(output *out, const bench_result *r)
{
    char n[32], a[32], b[32], c[32], d[32], e[32], target[64];
    output_print(out, "%-33s %5s", r->row->name, bench_size_text(r->n, n));
    if (r->status == BENCH_MEASURED)
        output_print(out, " %7s %7s %7s %6s %6s", number(r->least, a), number(r->median, b),
                     number(r->row->yardstick == YARD_MEMORY ? r->rate : 0, c),
                     ratio(r->over_copy, d), ratio(r->over_read, e));
    else
        output_print(out, "  %s", r->status == BENCH_WRONG ? "WRONG" : "skipped");
    for (int i = 0; i < r->verdicts; i++)
        output_print(out, "%s %s %s", i ? "," : " ",
                     bench_target_text(r->verdict[i].target, target),
                     r->verdict[i].met ? "ok" : "short");
    output_print(out, "\n");
    output_flush(out);
}

static void table_short(output *out, const bench_result *results, size_t count)
{
    int met = 0, total = 0;
    char n[32], target[64];
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < results[i].verdicts; k++) {
            total++;
            met += results[i].verdict[k].met;
        }
    if (total == 0)
        return;
    output_print(out, "\n%d of %d targets reached\n", met, total);
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < results[i].verdicts; k++) {
            const bench_verdict *v = &results[i].verdict[k];
            if (v->met)
                continue;
            output_print(out, "short: %-33s %5s  %.3g, target %s\n", results[i].row->name,
                         bench_size_text(results[i].n, n), v->got,
                         bench_target_text(v->target, target));
        }
}

void bench_table_end(output *out, const bench_result *results, size_t count)
{
    char n[32], a[32], b[32], c[32];
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (r->kinds[0] > 0)
            output_print(out, "%s: gauss %s, mixed %s, bits %s ns\n", r->row->name,
                         number(r->kinds[0], a), number(r->kinds[1], b), number(r->kinds[2], c));
    }
    table_short(out, results, count);
    for (size_t i = 0; i < count; i++) {
        const bench_result *r = &results[i];
        if (r->status != BENCH_MEASURED)
            output_print(out, "%s: %s, n = %s: %s\n",
                         r->status == BENCH_WRONG ? "WRONG" : "skipped", r->row->name,
                         bench_size_text(r->n, n), r->why);
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

/* Null for what was not measured. */
static void put_figure(json_writer *j, const char *key, double x)
{
    jw_real(j, key, x > 0 ? x : NAN, 6);
}

static void put_verdict(json_writer *j, const bench_verdict *v)
{
    jw_begin(j, NULL, '{');
    jw_text(j, "measure", bench_measures[v->target->measure]);
    jw_real(j, at_least(v->target->measure) ? "least" : "most", v->target->bound, 6);
    jw_real(j, "got", v->got, 6);
    jw_bool(j, "met", v->met);
    jw_end(j);
}

static void put_row(json_writer *j, const bench_result *r)
{
    static const char *const statuses[] = {"measured", "not_run", "wrong"};
    const bench_row *row = r->row;
    jw_begin(jw_space(j, "\n"), NULL, '{');
    jw_text(j, "name", row->name);
    jw_unsigned(j, "n", r->n);
    jw_text(j, "status", statuses[r->status]);
    jw_text(j, "why", r->status == BENCH_MEASURED ? NULL : r->why);
    jw_text(j, "from", row->from_name);
    jw_text(j, "to", row->to_name);
    jw_text(j, "policy", row->policy_name);
    jw_text(j, "round", row->round);
    jw_text(j, "level", row->yardstick == YARD_NONE ? NULL : row->level);
    jw_text(j, "data",
            row->yardstick == YARD_DATA ? "all"
            : r->data == DATA_CODES     ? "codes"
                                        : bench_data_names[r->data]);
    jw_signed(j, "repeats", r->repeats);
    put_figure(j, "ns_least", r->least);
    put_figure(j, "ns_median", r->median);
    put_figure(j, "gb_per_s", row->yardstick == YARD_MEMORY ? r->rate : 0);
    put_figure(j, "copy_gb_per_s", r->copy_rate);
    put_figure(j, "read_gb_per_s", r->read_rate);
    put_figure(j, "over_copy", r->over_copy);
    put_figure(j, "over_read", r->over_read);
    put_figure(j, "ns_gauss", r->kinds[DATA_GAUSS]);
    put_figure(j, "ns_mixed", r->kinds[DATA_MIXED]);
    put_figure(j, "ns_bits", r->kinds[DATA_BITS]);
    put_figure(j, "over_gauss", r->over_gauss);
    put_figure(j, "seconds", r->seconds);
    jw_begin(j, "targets", '[');
    for (int i = 0; i < r->verdicts; i++)
        put_verdict(j, &r->verdict[i]);
    jw_end(j);
    jw_end(j);
}

void bench_json(output *out, const bench_machine *m, const bench_options *o,
                const bench_result *results, size_t count)
{
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '{');
    jw_unsigned(&j, "schema", 1);
    jw_text(&j, "version", sf8_version());
    jw_text(&j, "date", m->date);
    jw_text(&j, "processor", m->processor);
    jw_signed(&j, "processors", m->processors);
    jw_text(&j, "load", *m->load ? m->load : NULL);
    jw_text(&j, "huge_pages", *m->pages ? m->pages : NULL);
    jw_text(&j, "compiler", m->compiler);
    jw_text(&j, "flags", m->flags);
    jw_text(&j, "level", m->level);
    jw_text(&j, "only", o->only);
    jw_begin(&j, "rows", '[');
    for (size_t i = 0; i < count; i++)
        put_row(&j, &results[i]);
    jw_end(jw_space(&j, "\n"));
    jw_end(&j);
}

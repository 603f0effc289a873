/* SPDX-License-Identifier: MIT */
/* bench.c -- softfp8-bench: what array operations cost, beside memcpy in the same run */
#include "bench.h"
#include "cli/options.h"
#include "files/page.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

/* "1e6", "1000", in a list; 0 if it is none of 1 to 1e9. */
static uint64_t size_of(const char *text, const char **end)
{
    uint64_t n = 0;
    const char *c = text;
    for (; *c >= '0' && *c <= '9' && n <= 1000000000; c++)
        n = 10 * n + (uint64_t)(*c - '0');
    if (c > text && (*c == 'e' || *c == 'E') && c[1] >= '0' && c[1] <= '9') {
        for (int zeros = c[1] - '0'; zeros > 0; zeros--)
            n *= 10;
        c += 2;
    }
    *end = c;
    return n <= 1000000000 ? n : 0;
}

static void take_sizes(void *place, const cli_option *option, const char *value)
{
    bench_options *o = place;
    (void)option;
    o->sizes = 0;
    for (const char *at = value, *end;; at = end + 1) {
        uint64_t n = size_of(at, &end);
        if (n == 0 || (*end && *end != ','))
            fail("expected numbers from 1 to 1e9, for example 1e3,1e6");
        if (o->sizes == BENCH_SIZES_MOST)
            fail("more than %d sizes", BENCH_SIZES_MOST);
        o->size[o->sizes++] = n;
        if (!*end)
            return;
    }
}

/* Without a level; the first call makes the list. */
static const char *all_rows_at(size_t i)
{
    static const bench_row *all;
    static size_t count;
    if (!all)
        all = bench_rows(NULL, &count);
    return i < count ? all[i].name : NULL;
}

static const cli_option options[] = {
    HEADING("What to measure"),
    {"--list", NULL, "lists the rows (name, formats, policy) and measures nothing",
     FLAG(bench_options, list)},
    {"--only", "GLOB", "selects the rows whose name matches; * matches any text, also /",
     TEXT(bench_options, only), .name_at = all_rows_at},
    {"--all", NULL,
     "measures all rows, with the sweeps of all 2^32 inputs that otherwise run only by name",
     FLAG(bench_options, all)},
    {"--sizes", "N,N,...",
     "the array lengths: up to 16 numbers up to 1e9. A length that needs too much memory is "
     "skipped. Default: 1e3,1e6,1e8",
     .kind = OPTION_CALL, .take = take_sizes},
    {"--data", NULL,
     "the values in arrays of f16, bf16, f32 and f64. mixed, the default: any sign and mantissa, "
     "exponents from 2^-17 to 2^12. gauss: a normal distribution. bits: random bits. Arrays of "
     "codes hold random codes",
     WORD(bench_options, data, bench_data_names)},
    {"--level", "NAME",
     "measures one instruction set (portable, avx2 or avx512) that this processor has. Default: "
     "rows that name one run on each, the others on the best",
     .kind = OPTION_NAME, .name_at = sf8_simd_at, OPTION_AT(bench_options, level)},
    {"--repeats", "N", "measures each row N times, at most 1000. Default: 9, fewer for slow rows",
     NUMBER(bench_options, repeats, 1, BENCH_REPEATS_MOST)},
    {"--quick", NULL, "measures three short repeats, and leaves out 1e8",
     FLAG(bench_options, quick)},
    HEADING("Output"),
    GROUP(bench_options, json, json_option),
    GROUP(bench_options, html, html_option),
    {.kind = OPTION_END},
};

static const command bench;

static bench_options options_of(int argc, char **argv)
{
    bench_options o;
    memset(&o, 0, sizeof o);
    o.data = DATA_MIXED;
    options_read(&bench, argc, argv, &o);
    outputs_check((const char *const[]){o.json, o.html}, 2, NULL, 0);
    return o;
}

/* Where nothing is said. */
static void usual_sizes(bench_options *o)
{
    static const uint64_t usual[] = {1000, 1000000, 100000000};
    if (o->sizes)
        return;
    for (int i = 0; i < (o->quick ? 2 : 3); i++)
        o->size[o->sizes++] = usual[i];
}

/* ---- rows ------------------------------------------------------------------------------------ */

static const bench_row *rows;
static size_t rows_count;

static const char *row_name_at(size_t i)
{
    return i < rows_count ? rows[i].name : NULL;
}

static int is_chosen(const bench_row *row, const bench_options *o)
{
    if (o->only)
        return fnmatch(o->only, row->name, 0) == 0;
    return o->all || row->yardstick != YARD_SWEEP;
}

static size_t chosen_count(const bench_options *o)
{
    size_t n = 0;
    for (size_t i = 0; i < rows_count; i++)
        n += (size_t)is_chosen(&rows[i], o);
    if (n > 0)
        return n;
    const char *near = nearest_name(o->only, row_name_at);
    if (near)
        fail("no row '%s'; did you mean '%s'?", o->only, near);
    fail("no row '%s'; 'softfp8-bench --list' lists them", o->only);
}

static int list_rows(const bench_options *o)
{
    output *out = output_open(NULL);
    for (size_t i = 0; i < rows_count; i++) {
        const bench_row *row = &rows[i];
        if (!is_chosen(row, o))
            continue;
        output_print(out, "%s", row->name);
        if (row->from_name)
            output_print(out, "  %s to %s", row->from_name, row->to_name ? row->to_name : "blocks");
        else if (row->to_name)
            output_print(out, "  blocks to %s", row->to_name);
        if (row->policy_name)
            output_print(out, "  %s%s%s", row->policy_name, row->round ? " " : "",
                         row->round ? row->round : "");
        output_print(out, "%s\n", row->operation && row->operation->missing ? "  skipped" : "");
    }
    output_close(out);
    return STATUS_HELD;
}

/* ---- the run --------------------------------------------------------------------------------- */

/* How many sizes the row is measured at, and the i-th. */
static int sizes_of(const bench_row *row, const bench_options *o)
{
    return row->yardstick == YARD_MEMORY ? o->sizes : 1;
}

static uint64_t size_at(const bench_row *row, const bench_options *o, int i)
{
    if (row->yardstick == YARD_SWEEP)
        return (uint64_t)1 << 32;
    if (row->yardstick == YARD_MATMUL)
        return (uint64_t)1 << 30;
    if (row->yardstick == YARD_ATTEND)
        return (uint64_t)1 << 24;
    return row->yardstick == YARD_MEMORY ? o->size[i] : BENCH_MILLION;
}

/* All results, shown as they come if `out` is not NULL. */
static size_t run_rows(const bench_options *o, output *out, bench_result *results)
{
    size_t count = 0;
    for (size_t i = 0; i < rows_count; i++) {
        if (!is_chosen(&rows[i], o))
            continue;
        for (int k = 0; k < sizes_of(&rows[i], o); k++) {
            progress(rows[i].name, i, rows_count);
            bench_measure_row(&rows[i], size_at(&rows[i], o, k), o, &results[count++]);
            bench_judge(results, count);
            progress_end();
            if (out)
                bench_table_row(out, &results[count - 1]);
        }
    }
    bench_room_free();
    return count;
}

static int status_of(const bench_options *o, const bench_result *results, size_t count)
{
    size_t measured = 0;
    for (size_t i = 0; i < count; i++) {
        if (results[i].status == BENCH_WRONG)
            return STATUS_MISMATCH;
        measured += results[i].status == BENCH_MEASURED;
    }
    return measured == 0 && o->only ? STATUS_NOT_RUN : STATUS_HELD;
}

typedef struct measured {
    const bench_options *o;
    const bench_machine *machine;
    const bench_result *results;
    size_t count;
} measured;

static void put_json(output *out, const void *report)
{
    const measured *m = report;
    bench_json(out, m->machine, m->o, m->results, m->count);
}

/* The table, which was printed row by row already. */
static void put_words(output *out, const void *report)
{
    const measured *m = report;
    bench_table_head(out, m->machine);
    for (size_t i = 0; i < m->count; i++)
        bench_table_row(out, &m->results[i]);
    bench_table_end(out, m->results, m->count);
}

static int run(int argc, char **argv)
{
    bench_machine machine;
    bench_options o = options_of(argc, argv);
    /* before the first array function looks for it */
    if (o.level && setenv("SOFTFP8_SIMD", o.level, 1) != 0)
        fail("not enough memory");
    usual_sizes(&o);
    rows = bench_rows(o.level, &rows_count);
    size_t chosen = chosen_count(&o);
    if (o.list)
        return list_rows(&o);
    bench_result *results = allocate(chosen * BENCH_SIZES_MOST, sizeof results[0]);
    bench_machine_get(&machine, sf8_simd());
    int is_quiet = output_is_standard(o.json) || output_is_standard(o.html);
    output *out = is_quiet ? NULL : output_open(NULL);
    if (out)
        bench_table_head(out, &machine);
    size_t count = run_rows(&o, out, results);
    if (out) {
        bench_table_end(out, results, count);
        output_close(out);
    }
    page_write(&(page_report){.command = "bench",
                              .json = o.json,
                              .html = o.html,
                              .is_quiet = 1,
                              .put_json = put_json,
                              .put_words = put_words,
                              .report = &(measured){&o, &machine, results, count}});
    int status = status_of(&o, results, count);
    free(results);
    free((void *)rows);
    return status;
}

static const command bench = {
    .name = "bench",
    .purpose = "Measures how fast the array functions are, compared with memcpy.",
    .example = "  $ softfp8-bench --only 'f32_to_e4m3/*' --sizes 1e3,1e6\n",
    .usage = "bench [options]",
    .about = "The table shows the least and the median time per value in ns, GB/s read and "
             "written, and the speed relative to two yardsticks that run in turn with the row: "
             "copy, a memcpy of as many bytes, and read, a sum of all bytes that the row reads. "
             "First the results of a row are compared with the function for single values; a row "
             "with wrong results is not measured. Rows for single values, for MPFR and for sums of "
             "matrix units use a million operands; matrix products have 2^30 products.\n"
             "A target is shown as ok or short; a short one is not a failure. The exit status is 1 "
             "if a result was wrong, and 3 if nothing that --only selects could run.",
    .more = "A target of a row is a speed relative to copy or read, the least ns for a value, the "
            "s of a "
            "sweep, gauss: the time with other data divided by that with gauss, or times: the time "
            "divided by that of another row.\n"
            "Rows that begin with call/ call a function for one value, not inlined, over a million "
            "operands; mpfr/ does the same with MPFR. data/ measures three kinds of data in turn. "
            "sweep/ converts all 2^32 inputs on one processor and checks all results; sweep-all/ "
            "does so on all processors. attend/ computes attention of one query of 32 heads over "
            "4,096 keys of 128 elements each, and compares the result with a slower "
            "implementation.\n",
    .options = options,
    .operands = "--only chooses rows",
    .run = run,
};

int main(int argc, char **argv)
{
    program_begin();
    command_is_program();
    return program_end(command_run(&bench, argc, argv));
}

/* SPDX-License-Identifier: MIT */
/* prove_tables.c -- step tables against the reference, and expanded against the converter
 *
 * table-f32, table-f64: the reference is compared at the first and the last input of each row, and
 * the table at each boundary of the target, one unit of the source to either side of it. Since the
 * right result is constant between two boundaries (prove_steps.c), this covers every input.
 * table-all: each of the 2^32 inputs of f32 is converted and looked up.
 */
#include "rows/rows.h"
#include "softfp8/scalar.h"

#include <stdlib.h>

/* 1,600 rows are the most that a format of 8 bits has; f64 adds the boundaries of nothing. */
enum { ROWS_MOST = 8192, SWEEP_PARTS = 64 };

typedef struct table {
    worker *w;
    const ref_format *source;
    sf8_format from;
    int mode, saturate;
    size_t count;
    sf8_step rows[ROWS_MOST];
    ref_work cut;
    ref_operand a;
} table;

static void make_table(table *t, sf8_format to, sf8_policy policy, uint32_t random)
{
    sf8_steps walk;
    t->count = 0;
    if (sf8_steps_begin(&walk, t->from, to, policy, random) != SF8_OK)
        abort();
    while (t->count < ROWS_MOST && sf8_steps_next(&walk, &t->rows[t->count]))
        t->count++;
    if (t->count == ROWS_MOST)
        abort();
}

/* Compares the table's result for an input with the reference. */
static void check_word(table *t, uint64_t word)
{
    worker *w = t->w;
    const sf8_step *step = &t->rows[sf8_steps_find(t->rows, t->count, word)];
    inputs(w, 1, word, 0, 0);
    ref_decode(t->source, word, &t->a);
    ref_convert(&w->ref, t->source, &t->a);
    ref_round(&w->ref);
    check(w, t->mode, t->saturate, ref_finish(&w->ref, t->mode, t->saturate),
          (sf8_result){step->code, step->flags});
}

static void check_boundary(void *data, mpfr_srcptr b)
{
    table *t = data;
    int64_t near = magnitude_below(&t->cut, b);
    for (int64_t magnitude = near - 1; magnitude <= near + 2; magnitude++) {
        if (magnitude < 0 || magnitude > (int64_t)t->source->top)
            continue;
        check_word(t, (uint64_t)magnitude);
        check_word(t, (uint64_t)magnitude | ref_sign_bit(t->source));
    }
}

static void run_table(worker *w)
{
    table *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->w = w;
    t->source = &ref_formats[w->row->work.arg];
    t->from = library_format(t->source);
    w->from = t->source->name;
    ref_open(&t->cut, t->source);
    ref_operand_init(&t->a);
    uint64_t mask = t->source->width == 64 ? UINT64_MAX : ((uint64_t)1 << t->source->width) - 1;
    for (t->mode = 0; t->mode < REF_MODES; t->mode++)
        for (t->saturate = 0; t->saturate < 2; t->saturate++) {
            make_table(t, w->sf, w->policy[t->mode][t->saturate], 0);
            for (size_t i = 0; i < t->count; i++) {
                check_word(t, t->rows[i].first);
                check_word(t, i + 1 < t->count ? t->rows[i + 1].first - 1 : mask);
            }
            each_boundary(w->f, check_boundary, t);
        }
    ref_operand_clear(&t->a);
    ref_close(&t->cut);
    free(t);
}

/* ---- every input ----------------------------------------------------------------------------- */

/* The loop over one slice. It is inlined with the converter, so that format, mode and policy are
 * constants: three times as fast as when they are chosen at run time. */
#define SWEEP(name, to, rounding, start)                                                           \
    static void name(worker *w, const table *t, range words)                                       \
    {                                                                                              \
        sf8_policy policy = start;                                                                 \
        policy.round = rounding;                                                                   \
        size_t i = sf8_steps_find(t->rows, t->count, words.begin);                                 \
        for (uint64_t word = words.begin; word < words.end; i++) {                                 \
            uint64_t end = i + 1 < t->count ? t->rows[i + 1].first : (uint64_t)1 << 32;            \
            ref_answer want = {.code = t->rows[i].code, .flags = t->rows[i].flags};                \
            for (end = end < words.end ? end : words.end; word < end; word++) {                    \
                sf8_result got = sf8_core_convert(to, SF8_F32, word, policy, 0);                   \
                if (got.code != want.code || got.flags != want.flags) {                            \
                    inputs(w, 1, word, 0, 0);                                                      \
                    mismatch(w, t->mode, t->saturate, want, got);                                  \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }
#define SWEEP_POLICIES(f, to, mode)                                                                \
    SWEEP(sweep_##f##_##mode##_nosat, to, SF8_##mode, SF8_OCP_NOSAT)                               \
    SWEEP(sweep_##f##_##mode##_sat, to, SF8_##mode, SF8_OCP)
REF_ROUNDINGS(SWEEP_POLICIES, e4m3, SF8_E4M3)
REF_ROUNDINGS(SWEEP_POLICIES, e5m2, SF8_E5M2)
REF_ROUNDINGS(SWEEP_POLICIES, e2m1, SF8_E2M1)

#define SWEEP_ROW(f, to, mode) [REF_##mode] = {sweep_##f##_##mode##_nosat, sweep_##f##_##mode##_sat},
#define SWEEP_TABLE(f) {REF_ROUNDINGS(SWEEP_ROW, f, )}

static void run_sweep(worker *w)
{
    static void (*const sweeps[3][REF_MODES][2])(worker *, const table *, range) = {
        SWEEP_TABLE(e4m3), SWEEP_TABLE(e5m2), SWEEP_TABLE(e2m1)};
    table *t = calloc(1, sizeof *t);
    if (!t)
        abort();
    t->source = ref_format_of("f32");
    t->from = library_format(t->source);
    w->from = "f32";
    range words = part_of(w, (uint64_t)1 << 32);
    /* the quick tier takes the beginning of each slice */
    if (w->tier != FULL)
        words.end = words.begin + (words.end - words.begin) / 4096;
    for (t->mode = 0; t->mode < REF_MODES; t->mode++)
        for (t->saturate = 0; t->saturate < 2; t->saturate++) {
            make_table(t, w->sf, w->policy[t->mode][t->saturate], 0);
            sweeps[w->row->work.arg][t->mode][t->saturate](w, t, words);
            w->found.cases += words.end - words.begin;
        }
    free(t);
}

void add_table_rows(void)
{
    static const char *const swept[] = {"e4m3", "e5m2", "e2m1"};
    work tables = {.modes = "7x2", .run = run_table};
    tables.arg = (int)(ref_format_of("f32") - ref_formats);
    add_rows("table-f32", tables);
    tables.arg = (int)(ref_format_of("f64") - ref_formats);
    add_rows("table-f64", tables);
    for (int i = 0; i < 3; i++)
        add_row("table-all", swept[i],
                (work){.modes = "7x2",
                       .run = run_sweep,
                       .arg = i,
                       .parts = SWEEP_PARTS,
                       .jobs = SWEEP_PARTS});
}

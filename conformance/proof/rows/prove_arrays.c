/* SPDX-License-Identifier: MIT */
/* prove_arrays.c -- conversions of arrays of f32, every input, on every level of this processor
 *
 * The right codes are the step table of the conversion, which other rows compare with the reference
 * (table-f32) and with the function for one value (table-all). They are constant over a row, so
 * that the sweep costs little more than the array call. The full tier has each of the 2^32 inputs
 * under five policies and seven roundings, the quick one a few stretches of them and both sides of
 * every step.
 */
#include "rows/rows.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A chunk, its codes and the expected codes fit into the nearest cache. */
enum { ROWS_MOST = 8192, CHUNK = 4096, SWEEP_PARTS = 256 };

static const char *const formats[] = {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "e8m0"};
static const char *const policies[] = {"ocp", "ocp-nosat", "cuda-satfinite", "cuda-nosat",
                                       "torch-2.13"};
enum { TABLES = sizeof policies / sizeof policies[0] * REF_MODES };

/* One policy and rounding: the right codes, and the row of the last chunk. */
typedef struct table {
    sf8_policy policy;
    int mode, saturate;
    size_t count, at;
    sf8_step rows[ROWS_MOST];
} table;

typedef struct sweep {
    worker *w;
    const char *level;
    uint32_t words[CHUNK];
    uint8_t want[CHUNK], got[CHUNK];
    table tables[TABLES];
} sweep;

static void make_table(const sweep *s, table *t, const char *policy_name, int mode)
{
    sf8_status status;
    sf8_steps walk;
    t->policy = sf8_policy_named(policy_name, &status);
    if (status != SF8_OK)
        abort();
    t->policy.round = (unsigned)library_mode(mode) & SF8_ROUND_MASK;
    t->mode = mode;
    t->saturate = t->policy.overflow == SF8_TO_MAX;
    t->count = t->at = 0;
    if (sf8_steps_begin(&walk, SF8_F32, s->w->sf, t->policy, 0) != SF8_OK)
        abort();
    while (t->count < ROWS_MOST && sf8_steps_next(&walk, &t->rows[t->count]))
        t->count++;
    if (t->count == ROWS_MOST)
        abort();
}

/* The right codes of the inputs from `first` on. */
static void fill_want(sweep *s, table *t, uint64_t first, size_t n)
{
    if (t->rows[t->at].first > first)
        t->at = 0;
    while (t->at + 1 < t->count && t->rows[t->at + 1].first <= first)
        t->at++;
    size_t at = t->at;
    for (size_t i = 0; i < n; at++) {
        uint64_t end = at + 1 < t->count ? t->rows[at + 1].first : (uint64_t)1 << 32;
        size_t length = end - first < n ? (size_t)(end - first) : n;
        memset(s->want + i, (int)t->rows[at].code, length - i);
        i = length;
    }
}

/* Converts the inputs from `first` on, which are already stored, by one call. */
static void check_chunk(sweep *s, table *t, uint64_t first, size_t n)
{
    fill_want(s, t, first, n);
    sf8_status status = sf8_convert_n_at(s->level, s->w->sf, s->got, SF8_F32, s->words, n,
                                         t->policy);
    s->w->found.cases += n;
    if (status == SF8_OK && memcmp(s->got, s->want, n) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (status == SF8_OK && s->got[i] == s->want[i])
            continue;
        inputs(s->w, 1, first + i, 0, 0);
        mismatch(s->w, t->mode, t->saturate, (ref_answer){.code = s->want[i]},
                 (sf8_result){s->got[i], 0});
    }
}

static void fill_words(sweep *s, uint64_t first, size_t n)
{
    for (size_t i = 0; i < n; i++)
        s->words[i] = (uint32_t)(first + i);
}

/* The inputs of a chunk are written once for all tables, since that costs as much as a
 * conversion. */
static void check_words(sweep *s, range words)
{
    for (uint64_t at = words.begin; at < words.end; at += CHUNK) {
        size_t n = words.end - at < CHUNK ? (size_t)(words.end - at) : CHUNK;
        fill_words(s, at, n);
        for (size_t i = 0; i < TABLES; i++)
            check_chunk(s, &s->tables[i], at, n);
    }
}

static void check_steps(sweep *s, table *t)
{
    for (size_t i = 1; i < t->count; i++) {
        uint64_t step = t->rows[i].first, first = step < 2 ? 0 : step - 2;
        if (first + 4 <= (uint64_t)1 << 32) {
            fill_words(s, first, 4);
            check_chunk(s, t, first, 4);
        }
    }
}

static void run_arrays(worker *w)
{
    sweep *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->w = w;
    s->level = sf8_simd_at((size_t)w->row->work.arg);
    w->from = "f32";
    for (int i = 0; i < TABLES; i++) {
        make_table(s, &s->tables[i], policies[i / REF_MODES], i % REF_MODES);
        if (w->part == 0)
            check_steps(s, &s->tables[i]);
    }
    range words = part_of(w, (uint64_t)1 << 32);
    if (w->tier != FULL)
        words.end = words.begin + (words.end - words.begin) / 8192;
    check_words(s, words);
    free(s);
}

void add_array_rows(int tier)
{
    for (size_t level = 0; sf8_simd_at(level); level++) {
        char name[32];
        snprintf(name, sizeof name, "arrays-f32-%s", sf8_simd_at(level));
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            add_row(name, formats[i],
                    (work){.modes = "7x5",
                           .run = run_arrays,
                           .arg = (int)level,
                           .parts = tier == FULL ? SWEEP_PARTS : 4,
                           .units = SWEEP_PARTS});
    }
}

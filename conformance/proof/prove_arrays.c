/* SPDX-License-Identifier: MIT */
/* prove_arrays.c -- conversions of arrays of f32, every input, on every level of this processor
 *
 * The right codes are the step table of the conversion, which other rows hold against the reference
 * (table-f32) and against the function for one value (table-all): constant over a row, so that the
 * sweep costs little more than the array call. The full tier has each of the 2^32 inputs under five
 * policies and six roundings, the quick one a few stretches of them and both sides of every step.
 */
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 8192, CHUNK = 8192, SWEEP_PARTS = 64 };

static const char *const formats[] = {"e4m3", "e5m2", "e3m2", "e2m3", "e2m1", "e8m0"};
static const char *const policies[] = {"ocp", "ocp-nosat", "cuda-satfinite", "cuda-nosat",
                                       "torch-2.13"};
enum { POLICIES = sizeof policies / sizeof policies[0] };

typedef struct sweep {
    worker *w;
    const char *level;
    sf8_env env;
    int mode, saturate;
    size_t count;
    sf8_step rows[ROWS_MOST];
    uint32_t words[CHUNK];
    uint8_t want[CHUNK], got[CHUNK];
} sweep;

static void make_rows(sweep *s)
{
    sf8_steps walk;
    s->count = 0;
    if (sf8_steps_begin(&walk, SF8_F32, s->w->sf, s->env, 0) != SF8_OK)
        abort();
    while (s->count < ROWS_MOST && sf8_steps_next(&walk, &s->rows[s->count]))
        s->count++;
    if (s->count == ROWS_MOST)
        abort();
}

/* The words from `first` on, at most 2^32; one call for all. */
static void check_chunk(sweep *s, uint64_t first, size_t n)
{
    size_t at = sf8_steps_find(s->rows, s->count, first);
    for (size_t i = 0; i < n; i++)
        s->words[i] = (uint32_t)(first + i);
    for (size_t i = 0; i < n; at++) {
        uint64_t end = at + 1 < s->count ? s->rows[at + 1].first : (uint64_t)1 << 32;
        size_t length = end - first < n ? (size_t)(end - first) : n;
        memset(s->want + i, (int)s->rows[at].code, length - i);
        i = length;
    }
    sf8_status status = sf8_convert_n_at(s->level, s->w->sf, s->got, SF8_F32, s->words, n, s->env);
    s->w->cases += n;
    if (status == SF8_OK && memcmp(s->got, s->want, n) == 0)
        return;
    for (size_t i = 0; i < n; i++) {
        if (status == SF8_OK && s->got[i] == s->want[i])
            continue;
        inputs(s->w, 1, first + i, 0, 0);
        mismatch(s->w, s->mode, s->saturate, (ref_answer){.code = s->want[i]},
                 (sf8_result){s->got[i], 0});
    }
}

static void check_words(sweep *s, range words)
{
    for (uint64_t at = words.begin; at < words.end; at += CHUNK)
        check_chunk(s, at, words.end - at < CHUNK ? (size_t)(words.end - at) : CHUNK);
}

static void check_steps(sweep *s)
{
    for (size_t i = 1; i < s->count; i++) {
        range around = {s->rows[i].first - 2, s->rows[i].first + 2};
        if (around.end <= (uint64_t)1 << 32)
            check_words(s, around);
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
    range words = part_of(w, (uint64_t)1 << 32);
    if (w->tier != FULL)
        words.end = words.begin + (words.end - words.begin) / 8192;
    for (int policy = 0; policy < POLICIES; policy++)
        for (s->mode = 0; s->mode < REF_MODES; s->mode++) {
            sf8_status status;
            s->env = sf8_policy(policies[policy], &status);
            if (status != SF8_OK)
                abort();
            s->env.round = (unsigned)library_mode(s->mode) & 7u;
            s->saturate = s->env.overflow == SF8_TO_MAX;
            make_rows(s);
            if (w->part == 0)
                check_steps(s);
            check_words(s, words);
        }
    free(s);
}

void add_array_rows(int tier)
{
    for (size_t level = 0; sf8_simd_at(level); level++) {
        char name[32];
        snprintf(name, sizeof name, "arrays-f32-%s", sf8_simd_at(level));
        for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
            add_row(name, formats[i],
                    (work){.modes = "6x5",
                           .run = run_arrays,
                           .arg = (int)level,
                           .parts = tier == FULL ? SWEEP_PARTS : 4});
    }
}

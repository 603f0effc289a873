/* SPDX-License-Identifier: MIT */
/* report.c -- the first mismatches of a row as text */
#define _POSIX_C_SOURCE 200809L
#include "rows/rows.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORTED = 6 };

/* Indexed by the library's numbers. */
static const char *const mode_names[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};

/* Protects the reports of all rows, since threads work on slices of one row. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void describe(const worker *w, int mode, int saturate, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "    %s%s%s %s", w->from ? w->from : "",
                                w->from ? " -> " : "", w->f->name, w->what ? w->what : "");
    for (int i = 0; i < w->inputs && n < size; i++)
        n += (size_t)snprintf(text + n, size - n, " %02llx", (unsigned long long)w->input[i]);
    if (n < size)
        snprintf(text + n, size - n, "  %s %s tiny-%s",
                 mode >= 0 && mode < REF_MODES ? mode_names[library_mode(mode)] : "-",
                 saturate ? "ocp" : "ocp-nosat", w->ref.tiny_before ? "before" : "after");
}

static void flag_letters(unsigned flags, char text[8])
{
    snprintf(text, 8, "%c%c%c%c%c%c", flags & REF_INVALID ? 'v' : '.',
             flags & REF_DIVBYZERO ? 'z' : '.', flags & REF_OVERFLOW ? 'o' : '.',
             flags & REF_UNDERFLOW ? 'u' : '.', flags & REF_INEXACT ? 'x' : '.',
             flags & SF8_UNSUPPORTED ? '!' : ' ');
}

void mismatch(worker *w, int mode, int saturate, ref_answer want, sf8_result got)
{
    char where[160], line[320], expected[8], found[8];
    w->mismatches++;
    if (w->mismatches > MAX_REPORTED)
        return;
    describe(w, mode, saturate, where, sizeof where);
    flag_letters(want.flags, expected);
    flag_letters(got.flags, found);
    int n = snprintf(line, sizeof line, "%s: expected %02llx %s found %02llx %s\n", where,
                     (unsigned long long)want.code, expected, (unsigned long long)got.code, found);
    pthread_mutex_lock(&lock);
    size_t old = w->row->report ? strlen(w->row->report) : 0;
    if (old < MAX_REPORTED * 120) {
        w->row->report = realloc(w->row->report, old + (size_t)n + 1);
        if (!w->row->report)
            abort();
        memcpy(w->row->report + old, line, (size_t)n + 1);
    }
    pthread_mutex_unlock(&lock);
}

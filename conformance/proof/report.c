/* SPDX-License-Identifier: MIT */
/* report.c -- what a slice found: the first mismatches as text, sums, and the text of a job */
#define _POSIX_C_SOURCE 200809L
#include "base/text.h"
#include "prove.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_REPORTED = 6 };

/* Indexed by the library's numbers. */
static const char *const mode_names[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};

static void describe(const worker *w, int mode, int saturate, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "    %s%s%s %s", w->from ? w->from : "",
                                w->from ? " -> " : "", w->to ? w->to : w->f->name,
                                w->what ? w->what : "");
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

/* Appends the lines that a report still lacks to MAX_REPORTED. */
static void add_lines(char **report, const char *lines)
{
    size_t old = *report ? strlen(*report) : 0, size = 0;
    int count = 0;
    for (size_t i = 0; i < old; i++)
        count += (*report)[i] == '\n';
    for (; count < MAX_REPORTED && lines[size]; count++)
        size += strcspn(lines + size, "\n") + 1;
    if (size == 0)
        return;
    char *longer = text_of("%s%.*s", *report ? *report : "", (int)size, lines);
    free(*report);
    *report = longer;
}

void mismatch(worker *w, int mode, int saturate, ref_answer want, sf8_result got)
{
    char where[160], line[320], expected[8], found[8];
    w->found.mismatches++;
    if (w->found.mismatches > MAX_REPORTED)
        return;
    describe(w, mode, saturate, where, sizeof where);
    flag_letters(want.flags, expected);
    flag_letters(got.flags, found);
    snprintf(line, sizeof line, "%s: expected %02llx %s found %02llx %s\n", where,
             (unsigned long long)want.code, expected, (unsigned long long)got.code, found);
    add_lines(&w->found.report, line);
}

void outcome_add(outcome *to, const outcome *more)
{
    to->cases += more->cases;
    to->mismatches += more->mismatches;
    to->seconds += more->seconds;
    if (more->report)
        add_lines(&to->report, more->report);
}

/* ---- as text --------------------------------------------------------------------------------- */

char *outcome_text(const outcome *o, const char *modes)
{
    return text_of("modes %s\ncases %llu\nmismatches %llu\n%s", modes, (unsigned long long)o->cases,
                   (unsigned long long)o->mismatches, o->report ? o->report : "");
}

bool outcome_read(outcome *o, char modes[MODES_SIZE], const char *text)
{
    unsigned long long cases, mismatches;
    int end = 0;
    memset(o, 0, sizeof *o);
    if (sscanf(text, "modes %23s\ncases %llu\nmismatches %llu%n", modes, &cases, &mismatches,
               &end) != 3 ||
        text[end] != '\n')
        return false;
    o->cases = cases;
    o->mismatches = mismatches;
    add_lines(&o->report, text + end + 1);
    return true;
}

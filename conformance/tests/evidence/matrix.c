/* SPDX-License-Identifier: MIT */
/* matrix.c -- reads docs/matrix/matrix.json, and says what it shows for a policy */
#include "matrix.h"

#include "base/disk.h"
#include "base/json_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MOST = 1 << 24, KEY = 32, DATE = 16, WIDE_FORMATS = 2, PLACE = 96 };

/* ---- reading --------------------------------------------------------------------------------- */

static void read_cell(json_reader *r, matrix_cell *c)
{
    char key[KEY];
    for (jr_begin(r, '{'); jr_member(r, key, sizeof key);) {
        if (strcmp(key, "from") == 0)
            jr_text(r, c->from, sizeof c->from);
        else if (strcmp(key, "to") == 0)
            jr_text(r, c->to, sizeof c->to);
        else if (strcmp(key, "status") == 0)
            jr_text(r, c->status, sizeof c->status);
        else if (strcmp(key, "device") == 0)
            jr_text(r, c->device, sizeof c->device);
        else if (strcmp(key, "operation") == 0)
            jr_text(r, c->operation, sizeof c->operation);
        else if (strcmp(key, "policy") == 0 || strcmp(key, "recipe") == 0)
            jr_text(r, c->policy, sizeof c->policy);
        else if (strcmp(key, "claimed") == 0)
            jr_text(r, c->claimed, sizeof c->claimed);
        else if (strcmp(key, "inputs") == 0)
            c->inputs = jr_unsigned(r);
        else if (strcmp(key, "all") == 0)
            c->all = jr_bool(r);
        else
            jr_skip(r);
    }
}

/* The name and the version of a package come before its cells. */
static void read_package(json_reader *r, matrix *m)
{
    char key[KEY];
    matrix_cell head = {.inputs = 0};
    for (jr_begin(r, '{'); jr_member(r, key, sizeof key);) {
        if (strcmp(key, "package") == 0)
            jr_text(r, head.package, sizeof head.package);
        else if (strcmp(key, "version") == 0)
            jr_text(r, head.version, sizeof head.version);
        else if (strcmp(key, "cells") != 0)
            jr_skip(r);
        else
            for (jr_begin(r, '['); jr_element(r);) {
                if (m->count == MATRIX_CELLS) {
                    jr_fail(r, "fewer cells");
                    return;
                }
                m->cell[m->count] = head;
                read_cell(r, &m->cell[m->count++]);
            }
    }
}

static void read_result(json_reader *r, matrix *m)
{
    char key[KEY], date[DATE] = "";
    for (jr_begin(r, '{'); jr_member(r, key, sizeof key);) {
        if (strcmp(key, "date") == 0)
            jr_text(r, date, sizeof date);
        else if (strcmp(key, "packages") != 0)
            jr_skip(r);
        else
            for (jr_begin(r, '['); jr_element(r);)
                read_package(r, m);
    }
    jr_end(r);
    snprintf(m->month, sizeof m->month, "%.7s", date);
}

const char *matrix_read(matrix *m, const char *path)
{
    static char why[DISK_WHY];
    size_t size;
    char *text = disk_read(path, SIZE_MOST, &size, why);
    m->count = 0;
    if (!text)
        return why;
    json_reader r = json_read(text, size);
    read_result(&r, m);
    snprintf(why, sizeof why, "%.700s:%zu: expected %s", path, jr_line(&r),
             r.expected ? r.expected : "");
    int good = !r.expected;
    free(text);
    return good ? NULL : why;
}

/* ---- what it shows --------------------------------------------------------------------------- */

/* Whether a text is this policy, alone or with changed fields: "ort-e8m0, round=rz". */
static int is_policy(const char *text, const char *policy)
{
    size_t n = strlen(policy);
    return strncmp(text, policy, n) == 0 && (text[n] == 0 || text[n] == ',');
}

static int is_known(const matrix_cell *c)
{
    return strcmp(c->status, "known") == 0;
}

int matrix_cell_follows(const matrix_cell *c, const char *policy)
{
    if (is_known(c))
        return is_policy(*c->claimed ? c->claimed : c->policy, policy);
    return strcmp(c->status, "equal") == 0 && is_policy(c->policy, policy);
}

int matrix_has(const matrix *m, const char *package, size_t length)
{
    for (size_t i = 0; i < m->count; i++)
        if (strlen(m->cell[i].package) == length &&
            memcmp(m->cell[i].package, package, length) == 0)
            return 1;
    return 0;
}

typedef struct summary {
    unsigned conversions, known; /* pairs of formats; those of them that differ in some mode */
    unsigned narrow;             /* cells from formats of 16 bits or less: these are always whole */
    uint64_t least[WIDE_FORMATS]; /* of the cells from f32 and f64 that are not whole; 0: none */
    unsigned whole[WIDE_FORMATS];
} summary;

static const char *const wide_formats[WIDE_FORMATS] = {"f32", "f64"};

int matrix_same_run(const matrix_cell *a, const matrix_cell *b)
{
    return strcmp(a->package, b->package) == 0 && strcmp(a->version, b->version) == 0 &&
           strcmp(a->device, b->device) == 0;
}

static int same_pair(const matrix_cell *a, const matrix_cell *b)
{
    return matrix_same_run(a, b) && strcmp(a->from, b->from) == 0 && strcmp(a->to, b->to) == 0;
}

/* Whether an earlier cell that follows the policy has the same pair of formats; with only_known,
 * one that differs. */
static int came_before(const matrix *m, size_t at, const char *policy, int only_known)
{
    for (size_t i = 0; i < at; i++)
        if (!*m->cell[i].operation && same_pair(&m->cell[i], &m->cell[at]) &&
            matrix_cell_follows(&m->cell[i], policy) && (!only_known || is_known(&m->cell[i])))
            return 1;
    return 0;
}

static void count_inputs(summary *s, const matrix_cell *c)
{
    for (size_t i = 0; i < WIDE_FORMATS; i++) {
        if (strcmp(c->from, wide_formats[i]) != 0)
            continue;
        if (c->all)
            s->whole[i]++;
        else if (s->least[i] == 0 || c->inputs < s->least[i])
            s->least[i] = c->inputs;
        return;
    }
    s->narrow++;
}

static summary summary_of(const matrix *m, const char *policy, const matrix_cell *run)
{
    summary s = {.conversions = 0};
    for (size_t i = 0; i < m->count; i++) {
        const matrix_cell *c = &m->cell[i];
        if (!matrix_same_run(c, run) || *c->operation || !matrix_cell_follows(c, policy))
            continue;
        s.conversions += !came_before(m, i, policy, 0);
        s.known += is_known(c) && !came_before(m, i, policy, 1);
        count_inputs(&s, c);
    }
    return s;
}

static unsigned log_of(uint64_t x)
{
    unsigned n = 0;
    while (x >>= 1)
        n++;
    return n;
}

/* "all inputs", or "all inputs of 16 bits, 2^24 of f32, 2^23 of f64". */
static void inputs_text(const summary *s, char *text, size_t size)
{
    size_t used = 0;
    text[0] = 0;
    if (s->least[0] == 0 && s->least[1] == 0)
        snprintf(text, size, ", all inputs");
    else if (s->narrow || s->whole[0])
        used = (size_t)snprintf(text, size, ", all inputs of %s bits",
                                s->whole[0] && s->least[0] == 0 ? "32" : "16");
    for (size_t i = 0; i < WIDE_FORMATS; i++)
        if (s->least[i])
            used += (size_t)snprintf(text + used, size - used, ", 2^%u of %s", log_of(s->least[i]),
                                     wide_formats[i]);
}

int matrix_item(const matrix *m, const char *policy, const matrix_cell *run, char *text,
                size_t size)
{
    char inputs[PLACE], known[PLACE] = "";
    summary s = summary_of(m, policy, run);
    inputs_text(&s, inputs, sizeof inputs);
    if (s.known)
        snprintf(known, sizeof known, ", %u with known differences", s.known);
    snprintf(text, size, "verified on a %s: %s %s%s%s, %u conversion%s%s%s, %s",
             *run->device ? "GPU" : "CPU", run->package, run->version, *run->device ? " on " : "",
             run->device, s.conversions, s.conversions == 1 ? "" : "s", known, inputs, m->month);
    return s.conversions > 0;
}

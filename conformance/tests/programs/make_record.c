/* SPDX-License-Identifier: MIT */
/* make_record.c -- a record without a GPU: the results of the CPU paths of the headers, for tests
 *
 *     softfp8-test-make_record FOLDER GLOB                          the device cases that match
 *     softfp8-test-make_record FOLDER GLOB alter NAME LANE WORD CODE
 *
 * If an operand has more than 20 bits the inputs are those of the quick tier. With `alter` the
 * record is that of a chip that returns another code in one row of one lane: the row that begins
 * with this input.
 */
#include "families/convert/convert.h"
#include "record/record.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

typedef struct alteration {
    const char *name;
    int lane;
    uint64_t word, code;
    int done;
} alteration;

static _Noreturn void stop(const char *what, const char *name)
{
    fprintf(stderr, "make_record: %s %s\n", what, name);
    exit(2);
}

static const gpu_subject *host_subject(const char *name)
{
    size_t count;
    const gpu_subject *s = gpu_host_subjects(&count);
    for (; count > 0; count--, s++) {
        if (strcmp(s->name, name) == 0)
            return s;
    }
    return NULL;
}

static const gpu_device_subject *device_subject(const char *name)
{
    size_t count;
    const gpu_device_subject *s = gpu_device_subjects(&count);
    for (; count > 0; count--, s++) {
        if (strcmp(s->name, name) == 0)
            return s;
    }
    return NULL;
}

static uint64_t word_at(const unsigned char *at, int bytes)
{
    uint64_t word = 0;
    memcpy(&word, at, (size_t)bytes); /* the tests run where the least significant byte is first */
    return word;
}

/* The rows of each lane, as the device would return them. */
static void sweep(const gpu_subject *s, const inputs *in, code_tables *tables)
{
    size_t lanes = (size_t)s->lanes, n = (size_t)in->count;
    unsigned char *from = calloc(n * lanes, 8), *to = calloc(n * lanes, 8);
    if (!from || !to)
        stop("no memory for", s->name);
    for (size_t i = 0; i < n * lanes; i++) {
        uint64_t word = inputs_at(in, i / lanes);
        memcpy(from + i * (size_t)s->in_bytes, &word, (size_t)s->in_bytes);
    }
    s->run(from, to, n * lanes);
    memset(tables, 0, sizeof *tables);
    tables->lanes = s->lanes;
    for (size_t lane = 0; lane < lanes; lane++) {
        gpu_row *row = calloc(n, sizeof row[0]);
        size_t rows = 0;
        if (!row)
            stop("no memory for", s->name);
        for (size_t i = 0; i < n; i++) {
            uint64_t code = word_at(to + (i * lanes + lane) * (size_t)s->out_bytes, s->out_bytes);
            if (i == 0 || row[rows - 1].code != code)
                row[rows++] = (gpu_row){i, code};
        }
        tables->row[lane] = row;
        tables->rows[lane] = rows;
    }
    free(from);
    free(to);
}

static void alter(alteration *a, const char *name, const inputs *in, const code_tables *tables)
{
    if (strcmp(a->name, name) != 0 || a->lane >= tables->lanes)
        return;
    gpu_row *row = (gpu_row *)(uintptr_t)tables->row[a->lane];
    for (size_t i = 0; i < tables->rows[a->lane]; i++) {
        if (inputs_at(in, row[i].index) == a->word) {
            row[i].code = a->code;
            a->done = 1;
        }
    }
}

static void add_case(record_writer *w, const conform_case *c, alteration *a)
{
    oracle o;
    inputs in;
    code_tables tables;
    conform_result result;
    char why[CONFORM_TEXT];
    const gpu_subject *host = host_subject(c->subject);
    const gpu_device_subject *device = device_subject(c->subject);
    if (!host || !device || !oracle_open(&o, c, why) ||
        !inputs_open(&in, &o, c->domain, TIER_QUICK, why))
        stop("cannot make", c->name);
    comparison k = {c, &o, &in, 0, in.count};
    sweep(host, &in, &tables);
    if (a)
        alter(a, c->name, &in, &tables);
    memset(&result, 0, sizeof result);
    compare_tables(&k, &tables, &result);
    char *text = record_case_text(&k, device, &tables, &result, 0.25);
    if (!text || !record_add(w, text, strlen(text)))
        stop("cannot add", c->name);
    free(text);
    for (int i = 0; i < tables.lanes; i++)
        free((void *)(uintptr_t)tables.row[i]);
    inputs_close(&in);
}

int main(int argc, char **argv)
{
    static const record_head head = {
        {"NVIDIA H200", "580.95.05", "sm_90a", 0}, "13.0", "2026-11-21", "0.1.0"};
    alteration a = {NULL, 0, 0, 0, 0};
    char why[CONFORM_LONG];
    if (argc == 8 && strcmp(argv[3], "alter") == 0)
        a = (alteration){argv[4], atoi(argv[5]), strtoull(argv[6], NULL, 16),
                         strtoull(argv[7], NULL, 16), 0};
    else if (argc != 3)
        stop("FOLDER GLOB", "[alter NAME LANE WORD CODE]");
    record_writer *w = record_begin(&head);
    if (!w)
        stop("no memory for", argv[1]);
    static case_list list = {.family = &cuda_device_family};
    case_list_all(&list);
    for (const conform_case *c = list.cases; c < list.cases + list.count; c++) {
        if (fnmatch(argv[2], c->name, 0) == 0)
            add_case(w, c, a.name ? &a : NULL);
    }
    if (a.name && !a.done)
        stop("no such row in", a.name);
    if (!record_write(w, argv[1], why))
        stop("cannot write:", why);
    record_free(w);
    return 0;
}

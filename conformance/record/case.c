/* SPDX-License-Identifier: MIT */
/* case.c -- what a device case leaves for a record: rows by index become rows by input */
#include "base/memory.h"
#include "record/text.h"
#include "suite/digest.h"

#include <stdlib.h>
#include <string.h>

/* A lane with the same rows as the previous lane shares its table. */
static int same_rows(const code_tables *tables, int a, int b)
{
    if (tables->rows[a] != tables->rows[b])
        return 0;
    for (size_t i = 0; i < tables->rows[a]; i++) {
        const gpu_row *x = &tables->row[a][i], *y = &tables->row[b][i];
        if (x->index != y->index || x->code != y->code)
            return 0;
    }
    return 1;
}

/* The rows of a lane, ordered by input. */
static void open_table(record_table *t, const comparison *k, const gpu_device_subject *subject,
                       const code_tables *tables, int lane)
{
    t->in_bytes = subject->in_bytes;
    t->out_bytes = subject->out_bytes;
    t->rows = tables->rows[lane];
    t->row = allocate(t->rows, sizeof t->row[0]);
    for (size_t i = 0; i < t->rows; i++)
        t->row[i] = (gpu_row){inputs_at(k->inputs, tables->row[lane][i].index),
                              tables->row[lane][i].code};
}

/* Writes only what the grammar can express. */
static void copy_sass(record_entry *e, const char *sass)
{
    e->sass_shown = sass != NULL;
    snprintf(e->sass, sizeof e->sass, "%s", sass ? sass : "");
    for (char *c = e->sass; *c; c++) {
        if (!(*c >= 'A' && *c <= 'Z') && !(*c >= 'a' && *c <= 'z') && !(*c >= '0' && *c <= '9') &&
            !strchr("._ ", *c))
            *c = '_';
    }
}

char *record_case_text(const comparison *k, const gpu_device_subject *subject,
                       const code_tables *tables, const conform_result *result, double seconds)
{
    record_table table[GPU_LANES];
    record_source source;
    record_entry e;
    const char *hash = gpu_source(subject->group);
    memset(&e, 0, sizeof e);
    memset(table, 0, sizeof table);
    snprintf(e.name, sizeof e.name, "%s", k->c->name);
    snprintf(source.group, sizeof source.group, "%s", subject->group);
    snprintf(source.digest, sizeof source.digest, "%s", hash ? hash : "");
    e.whole = !k->inputs->list;
    e.inputs = k->inputs->count;
    if (k->inputs->list)
        digest_inputs(k->inputs, e.list_digest);
    e.lanes = tables->lanes;
    memcpy(e.digest, result->digest, sizeof e.digest);
    e.differ = result->differ;
    e.microseconds = seconds > 0 ? (uint64_t)(seconds * 1e6 + 0.5) : 0;
    copy_sass(&e, gpu_device_sass(subject));
    for (int i = 0; i < e.lanes; i++) {
        e.table[i] = (size_t)i;
        if (i > 0 && same_rows(tables, i, i - 1))
            e.table[i] = e.table[i - 1];
        else
            open_table(&table[i], k, subject, tables, i);
    }
    char *text = record_entry_text(&e, &source, table);
    for (int i = 0; i < GPU_LANES; i++)
        free(table[i].row);
    return text;
}

void record_digest(const conform_job *j, const char *group, uint64_t elements)
{
    record_table none[1];
    record_source source;
    record_entry e;
    const conform_result *result = j->result;
    const char *hash = gpu_source(group);
    if (!j->record)
        return;
    memset(&e, 0, sizeof e);
    snprintf(e.name, sizeof e.name, "%s", j->c->name);
    snprintf(source.group, sizeof source.group, "%s", group);
    snprintf(source.digest, sizeof source.digest, "%s", hash ? hash : "");
    snprintf(e.kind, sizeof e.kind, "%s", j->c->family->inputs);
    e.inputs = elements;
    memcpy(e.digest, result->digest, sizeof e.digest);
    e.differ = result->differ < elements ? result->differ : elements;
    e.microseconds = result->seconds > 0 ? (uint64_t)(result->seconds * 1e6 + 0.5) : 0;
    copy_sass(&e, result->sass[0] ? result->sass : NULL);
    *j->record = record_entry_text(&e, &source, none);
}

static void write_speeds(const conform_job *j)
{
    text_buffer t = {NULL, 0, 0};
    record_entry e;
    if (!j->record)
        return;
    memset(&e, 0, sizeof e);
    snprintf(e.name, sizeof e.name, "%s", j->c->name);
    memcpy(e.speed, j->result->speed, sizeof e.speed);
    e.speeds = j->result->speeds;
    record_add_seconds(&t, &e);
    *j->record = t.bytes;
}

void record_speeds(const conform_job *j, const char *wrong)
{
    conform_result *result = j->result;
    for (size_t i = 0; i < result->speeds && !wrong; i++)
        result->seconds += (double)result->speed[i].took * 1e-9;
    if (j->device->emulated)
        result->speeds = 0;
    if (wrong)
        set_broken(result, "the device:", wrong);
    else
        write_speeds(j);
}

/* The place behind the name and the seconds. */
static size_t behind_seconds(const char *line)
{
    size_t name = strcspn(line, " \n"), seconds = line[name] == ' ';
    return name + seconds + strcspn(line + name + seconds, " \n");
}

char *record_join(const char *text, const char *speeds)
{
    text_buffer t = {NULL, 0, 0};
    size_t at = behind_seconds(text);
    text_add(&t, text, at);
    if (speeds) {
        const char *from = speeds + behind_seconds(speeds);
        text_add(&t, from, strcspn(from, "\n"));
    }
    text_add(&t, text + at, strlen(text + at));
    return t.bytes;
}

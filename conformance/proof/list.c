/* SPDX-License-Identifier: MIT */
/* list.c -- the list of rows: those of the files in rows/ that the options select */
#define _POSIX_C_SOURCE 200809L
#include "prove.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ROWS = 2000 };

static row rows[MAX_ROWS];
static size_t n_rows;

static row *new_row(const char *operation, const char *formats, work does)
{
    if (n_rows == MAX_ROWS)
        abort();
    row *r = &rows[n_rows++];
    snprintf(r->name, sizeof r->name, "%s/%s", operation, formats);
    r->work = does;
    if (r->work.parts == 0)
        r->work.parts = 1;
    r->formats = 1;
    return r;
}

void add_row_named(const char *operation, const char *name, const char *format, work does)
{
    new_row(operation, name, does)->first = (int)(ref_format_of(format) - ref_formats);
}

void add_row(const char *operation, const char *format, work does)
{
    add_row_named(operation, format, format, does);
}

static void add_group(const char *operation, const char *name, int first, int formats, work does)
{
    row *r = new_row(operation, name, does);
    r->first = first;
    r->formats = formats;
}

static void add_unnamed(const char *operation, work does)
{
    add_group(operation, "own", REF_FIRST_OWN, REF_OWN, does);
    add_group(operation, "p3109", REF_FIRST_P3109, REF_P3109, does);
}

void add_rows(const char *operation, work does)
{
    add_group(operation, "named", 0, REF_NARROW, does);
    add_unnamed(operation, does);
}

void add_rows_before(const char *operation, work does, int tier)
{
    does.tiny_before = 1;
    add_group(operation, "named", 0, REF_NARROW, does);
    if (tier == FULL)
        add_unnamed(operation, does);
}

void add_rows_each(const char *operation, work does)
{
    for (int i = 0; i < REF_NARROW; i++)
        add_row(operation, ref_formats[i].name, does);
    add_unnamed(operation, does);
}

/* Returns 1 if the name matches one of the patterns, which are separated by spaces. */
static bool matches(const char *patterns, const char *name)
{
    bool matched = false;
    for (const char *at = patterns; !matched && *at != '\0';) {
        size_t length = strcspn(at, " ");
        char *pattern = strndup(at, length);
        if (!pattern)
            abort();
        matched = fnmatch(pattern, name, 0) == 0;
        free(pattern);
        at += length + (at[length] == ' ');
    }
    return matched;
}

row *const *select_rows(const options *o, size_t *count)
{
    static row *selected[MAX_ROWS];
    *count = 0;
    for (size_t i = 0; i < n_rows; i++)
        if ((!o->only || matches(o->only, rows[i].name)) &&
            (!o->except || !matches(o->except, rows[i].name)))
            selected[(*count)++] = &rows[i];
    return selected;
}

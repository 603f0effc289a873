/* SPDX-License-Identifier: MIT */
/* table.c -- the table of results */
#include "base/text.h"
#include "prove.h"

#include <stdio.h>
#include <string.h>

void print_head(void)
{
    printf("%-16s %-15s %-8s %18s %11s %9s\n", "operation", "format", "modes", "cases",
           "mismatches", "seconds");
}

void print_row(const char *name, const char *modes, const outcome *o)
{
    char cases[32];
    const char *slash = strchr(name, '/');
    int length = slash ? (int)(slash - name) : (int)strlen(name);
    printf("%-16.*s %-15s %-8s %18s %11llu %9.2f\n", length, name, slash ? slash + 1 : "", modes,
           grouped(o->cases, cases), (unsigned long long)o->mismatches, o->seconds);
    if (o->report)
        fputs(o->report, stdout);
    fflush(stdout);
}

void add_total(totals *t, const outcome *o, bool passed)
{
    t->rows++;
    t->cases += o->cases;
    t->mismatches += o->mismatches;
    if (o->mismatches)
        t->failed++;
    else if (passed)
        t->passed++;
}

void print_totals(const totals *t)
{
    char text[2][32];
    size_t finished = t->passed + t->failed;
    if (finished < t->rows)
        printf("%zu rows were not finished\n", t->rows - finished);
    printf("total: %zu rows, %s cases, %s mismatches\n", finished, grouped(t->cases, text[0]),
           grouped(t->mismatches, text[1]));
    printf("%zu passed, %zu failed\n", t->passed, t->failed);
}

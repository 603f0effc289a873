/* SPDX-License-Identifier: MIT */
/* family.c -- lists of cases, as families make them, and the parts of cases */
#include "suite/family.h"
#include "base/memory.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

static void add(case_list *list, conform_case c)
{
    list->cases = grow(list->cases, list->count, &list->room, sizeof list->cases[0]);
    c.family = list->family;
    list->cases[list->count++] = c;
}

void case_list_add(case_list *list, conform_case c, const char *name, ...)
{
    char text[CONFORM_TEXT];
    va_list values;
    va_start(values, name);
    vsnprintf(text, sizeof text, name, values);
    va_end(values);
    c.name = text_of("%s", text);
    add(list, c);
}

void case_list_all(case_list *list)
{
    const conform_family *f = list->family;
    for (size_t i = 0; i < f->row_count; i++)
        add(list, f->rows[i]);
    if (f->cases)
        f->cases(list);
}

unsigned conform_parts(const conform_case *c, conform_tier tier)
{
    if (c->record)
        return 1;
    return c->family->parts ? c->family->parts(c, tier) : c->family->timed ? 2 : 1;
}

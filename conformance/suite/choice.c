/* SPDX-License-Identifier: MIT */
/* choice.c -- which cases the options select: families list theirs only if the pattern can match */
#include "suite/family.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists of families ----------------------------------------------------------------------- */

enum { FAMILIES_MOST = 64 };

static case_list listed[FAMILIES_MOST];
static size_t listed_count;

size_t conform_listed(void)
{
    return listed_count;
}

int conform_can_begin(const char *pattern, const char *begins)
{
    size_t n = strcspn(pattern, "*?[\\"), length;
    for (const char *at = begins; *at; at += length, at += strspn(at, " ")) {
        length = strcspn(at, " ");
        if (strncmp(pattern, at, n < length ? n : length) == 0 &&
            (n <= length || pattern[length] == '/'))
            return 1;
    }
    return 0;
}

static const char *begins_of(const conform_family *f)
{
    return f->begins ? f->begins : f->name;
}

static void check_names(const conform_family *f, const case_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        if (!conform_can_begin(list->cases[i].name, begins_of(f))) {
            fprintf(stderr, "%s: the family %s does not say that names begin like this\n",
                    list->cases[i].name, f->name);
            exit(2);
        }
    }
}

static const case_list *list_of(const conform_family *f)
{
    size_t i = 0;
    while (i < listed_count && listed[i].family != f)
        i++;
    if (i == listed_count) {
        if (i == FAMILIES_MOST) {
            fprintf(stderr, "more than %d families\n", FAMILIES_MOST);
            exit(2);
        }
        listed[i].family = f;
        case_list_all(&listed[i]);
        check_names(f, &listed[i]);
        listed_count++;
    }
    return &listed[i];
}

const conform_case *conform_find(const conform_catalog *catalog, const char *name)
{
    for (const conform_family *const *f = catalog->families; *f; f++) {
        const case_list *list = conform_can_begin(name, begins_of(*f)) ? list_of(*f) : NULL;
        for (size_t i = 0; list && i < list->count; i++) {
            if (strcmp(list->cases[i].name, name) == 0)
                return &list->cases[i];
        }
    }
    return NULL;
}

/* ---- the walk -------------------------------------------------------------------------------- */

static int is_chosen(const conform_options *o, const conform_case *c)
{
    return (!o->only || fnmatch(o->only, c->name, 0) == 0) &&
           (!o->device_only || conform_is_recorded(c));
}

/* The next case of any kind: of the family at which the walk is, or a later one, or of a record. */
static const conform_case *next_case(const conform_options *o, conform_choice *at)
{
    const conform_family *f;
    for (; (f = o->catalog->families[at->family]) != NULL; at->family++, at->next = 0) {
        if ((o->only && !conform_can_begin(o->only, begins_of(f))) ||
            (o->device_only && !f->replay))
            continue;
        const case_list *list = list_of(f);
        if (at->next < list->count)
            return &list->cases[at->next++];
    }
    return o->catalog->more ? o->catalog->more(at->next++) : NULL;
}

const conform_case *conform_next(const conform_options *o, conform_choice *at)
{
    const conform_case *c;
    while ((c = next_case(o, at)) != NULL) {
        if (is_chosen(o, c)) {
            at->of = conform_parts(c, o->tier);
            return c;
        }
    }
    return NULL;
}

int conform_prepare(const conform_options *o, char why[CONFORM_LONG])
{
    conform_choice at = {0, 0, 0};
    const conform_case *c;
    while ((c = conform_next(o, &at)) != NULL) {
        if (!c->record && c->family->prepare && !c->family->prepare(c, why))
            return 0;
    }
    return 1;
}

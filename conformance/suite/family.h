/* SPDX-License-Identifier: MIT */
/* family.h -- a family of cases as a value: all that the suite knows of it
 *
 * A family is a folder below families/ and a line of the table in families/families.c;
 * docs/adding/family.md has the steps. Suite, records and reports choose what they do by these
 * functions and texts alone.
 */
#ifndef SOFTFP8_CONFORM_FAMILY_H
#define SOFTFP8_CONFORM_FAMILY_H

#include "suite/conform.h"

struct gpu_device;
struct oracle;

/* A list of cases; { NULL, 0, 0 } is empty. */
typedef struct case_list {
    conform_case *cases;
    size_t count, room;
} case_list;

/* Both end the program if there is no memory. The first one prints the name of the case. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void case_list_add(case_list *list, conform_case c, const char *name, ...);
void case_list_rows(case_list *list, const conform_case *rows, size_t count);

/* A part of a case that is to be run, or a record of the case that is to be judged. */
typedef struct conform_job {
    const conform_case *c;
    const conform_options *o;
    conform_part part;
    const struct oracle *rule;       /* the case's steps, or others tried in their place; or NULL */
    const struct gpu_device *device; /* it is open; NULL unless the family is on_device */
    conform_result *result;          /* all 0, but for its parts */
    char **record;                   /* gets a text for the record, from malloc; may be NULL */
} conform_job;

/* A function or a text may be NULL where the comment says what holds then. */
typedef struct conform_family {
    const char *name;   /* what reports call the place of its cases: "arrays" */
    const char *inputs; /* what its cases count: "tokens". NULL: words, by the steps of the case */
    /* "the kernel", "the library's images": what is compared with what, in reports. NULL: the
     * subject needs no word before it; there are steps to be shown. */
    const char *subjects, *against;
    int on_device; /* the suite opens the GPU; without one the cases are not run */
    void (*cases)(case_list *list); /* adds its cases, each with its family */
    /* Into how many parts a case is cut. NULL: one. */
    unsigned (*parts)(const conform_case *c, conform_tier tier);
    /* Once for each case that is chosen, before any is run, as conform_prepare. NULL: nothing. */
    int (*prepare)(const conform_case *c, char why[CONFORM_LONG]);
    /* Whether a case uses a GPU by itself, so that no two such cases run at a time. NULL: none. */
    int (*uses_gpu)(const conform_case *c);
    void (*run)(const conform_job *job);
    /* Judges job->c->record, which is of the present source. NULL: its cases leave no record. */
    void (*replay)(const conform_job *job);
} conform_family;

/* The i-th case of all families, in the order of the table; NULL behind the last. */
const conform_case *families_at(size_t i);

/* It runs on the GPU that the suite opens. */
static inline int conform_on_device(const conform_case *c)
{
    return c->family->on_device && !c->record;
}

/* What it gives can be written into a record. */
static inline int conform_is_recorded(const conform_case *c)
{
    return c->family->replay && !c->record;
}

#endif

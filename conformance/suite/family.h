/* SPDX-License-Identifier: MIT */
/* family.h -- the interface of a family of cases: everything that the suite knows about it
 *
 * A family is a folder below families/ and a line of the table in families/families.c;
 * docs/adding/family.md has the steps. Suite, records and reports use a family only through these
 * functions and texts.
 */
#ifndef SOFTFP8_CONFORM_FAMILY_H
#define SOFTFP8_CONFORM_FAMILY_H

#include "suite/conform.h"

struct gpu_device;
struct oracle;

struct conform_family;

/* The cases of a family; { family, NULL, 0, 0 } is empty. */
typedef struct case_list {
    const struct conform_family *family;
    conform_case *cases;
    size_t count, room;
} case_list;

/* Both end the program if memory is exhausted. The first one adds a case, whose name it formats;
 * the second one adds all of the family. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void case_list_add(case_list *list, conform_case c, const char *name, ...);
void case_list_all(case_list *list);

/* A part of a case that is to be run, or a record of the case that is to be judged. */
typedef struct conform_job {
    const conform_case *c;
    const conform_options *o;
    conform_part part;
    const struct oracle *rule;       /* the case's steps, or others that are tried in their place;
                                        or NULL */
    const struct gpu_device *device; /* an open device; NULL unless the family is on_device */
    conform_result *result;          /* all 0 at first, except its parts */
    char **record;                   /* receives a text for the record, from malloc; may be NULL */
} conform_job;

/* A family. A function or a text may be NULL where its comment says so. */
typedef struct conform_family {
    const char *name;   /* what reports call the place of its cases: "arrays" */
    const char *begins; /* what the names of its cases have before the first "/", with blanks
                           between: "kv-store kv-gather". NULL: `name` */
    const char *inputs; /* what its cases count: "tokens". NULL: input values, by the steps of the
                           case */
    /* "the kernel", "the library's images": what is compared, for reports. NULL: the subject needs
     * no such word, and there are steps to show. */
    const char *subjects, *against;
    /* 1: a case has a second part, which measures its speed. It runs after all others, with nothing
     * beside it. */
    int timed;
    int on_device; /* 1: the suite opens the GPU; without a GPU the cases are skipped */
    /* Its cases, and a function that adds others. Either may be missing. */
    const conform_case *rows;
    size_t row_count;
    void (*cases)(case_list *list);
    /* Returns the number of parts of a case. NULL: one. */
    unsigned (*parts)(const conform_case *c, conform_tier tier);
    /* Called once for each selected case before any is run, like conform_prepare. NULL: nothing to
     * do. */
    int (*prepare)(const conform_case *c, char why[CONFORM_LONG]);
    /* Returns 1 if a case uses a GPU itself, so that no two such cases may run at a time. NULL:
     * none. */
    int (*uses_gpu)(const conform_case *c);
    const void *kernels; /* what families/kernel_run.h runs, if it is the driver; else NULL */
    void (*run)(const conform_job *job);
    /* Judges job->c->record, whose source is the present one. NULL: its cases leave no record. */
    void (*replay)(const conform_job *job);
} conform_family;

/* The rows of a family. */
#define FAMILY_ROWS(list) .rows = list, .row_count = sizeof(list) / sizeof(list)[0]

/* Returns 1 if a name that begins with one of the words of `begins` and "/" can match the pattern,
 * or be that name. */
int conform_can_begin(const char *pattern, const char *begins);
/* The case of a family that has this name, or NULL. */
const conform_case *conform_find(const conform_catalog *catalog, const char *name);
/* The number of families that have listed their cases so far, for tests. */
size_t conform_listed(void);

/* Returns 1 if it runs on the GPU that the suite opens. */
static inline int conform_on_device(const conform_case *c)
{
    return c->family->on_device && !c->record;
}

/* Returns 1 if the part measures a speed. */
static inline int conform_is_timed(const conform_case *c, conform_part part)
{
    return c->family->timed && part.index == 1;
}

/* Returns 1 if its results can be written into a record. */
static inline int conform_is_recorded(const conform_case *c)
{
    return c->family->replay && !c->record;
}

#endif

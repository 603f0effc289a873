/* SPDX-License-Identifier: MIT */
/* plan.h -- the plan of a run as the files of this folder see it */
#ifndef SOFTFP8_JOBS_PLAN_H
#define SOFTFP8_JOBS_PLAN_H

#include "jobs/jobs.h"

typedef struct plan_entry {
    char *name;
    unsigned of;
    size_t first; /* index of its first job */
} plan_entry;

typedef struct plan_pair {
    char *key, *value;
} plan_pair;

struct job_plan {
    plan_pair *terms;
    size_t term_count, term_room;
    plan_entry *entries;
    size_t entry_count, entry_room;
    size_t *slots; /* a hash table: index of an entry, plus 1; 0: free */
    size_t slot_count;
    size_t jobs;
};

/* The entry that a job belongs to. */
const plan_entry *plan_entry_of(const job_plan *plan, size_t index);
/* The text of the file, from malloc. Its last line has the digest of what is before. */
char *plan_text(const job_plan *plan, size_t *size);
/* The same from a text; NULL with the line and what was expected there. */
job_plan *plan_parse(const char *text, size_t size, size_t *line, const char **expected);
/* The SHA-256 of plan_text. */
void plan_digest(const job_plan *plan, char digest[65]);
/* Returns 1 if both are equal; otherwise 0 and in what they differ: "tier is 'full', not 'quick'",
 * a's value first. */
int plan_same(const job_plan *a, const job_plan *b, char how[JOBS_WHY]);

#endif

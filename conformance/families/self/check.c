/* SPDX-License-Identifier: MIT */
/* check.c -- runs one table of several, whose checks are counted and digested; the first that
 * fails is reported */
#include "families/self/self.h"
#include "suite/compare.h"
#include "suite/digest.h"

#include <string.h>

void self_check(self_checks *c, const char *what, uint64_t got, uint64_t right)
{
    digest_row(&c->hash, c->result->inputs++, got);
    if (got != right && c->result->differ++ == 0)
        snprintf(c->result->why, sizeof c->result->why, "%s: %llx, not %llx", what,
                 (unsigned long long)got, (unsigned long long)right);
}

void self_run_among(const conform_job *j, const self_table *const lists[], size_t count)
{
    conform_result *result = j->result;
    const self_table *table = NULL;
    self_checks checks = {.result = result};
    double began = seconds_now();
    for (size_t i = 0; i < count && !table; i++)
        for (const self_table *t = lists[i]; t->subject && !table; t++)
            if (strcmp(t->subject, j->c->subject) == 0)
                table = t;
    if (!table) {
        set_broken(result, "the row: no table", j->c->subject);
        return;
    }
    sf8_sha256_begin(&checks.hash);
    table->run(&checks);
    sf8_sha256_end(&checks.hash, result->digest);
    result->status = result->differ ? CONFORM_FAILED : CONFORM_PASSED;
    result->seconds = seconds_now() - began;
}

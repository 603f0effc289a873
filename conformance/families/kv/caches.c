/* SPDX-License-Identifier: MIT */
/* caches.c -- runs the table of a case about KV caches */
#include "families/kv/caches.h"
#include "suite/compare.h"

#include <string.h>

static const caches_table *table_of(const char *subject)
{
    const caches_table *const tables[] = {caches_policy,        caches_codes,  caches_scales,
                                          caches_store,         caches_attend, caches_attend_known,
                                          caches_attend_scales, caches_merge,  caches_poison};
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++)
        for (const caches_table *t = tables[i]; t->subject; t++)
            if (strcmp(t->subject, subject) == 0)
                return t;
    return NULL;
}

void caches_run(const conform_job *j)
{
    conform_result *result = j->result;
    const caches_table *t = table_of(j->c->subject);
    caches_checks checks = {.result = result};
    double began = seconds_now();
    if (!t) {
        set_broken(result, "the row: no table", j->c->subject);
        return;
    }
    sf8_sha256_begin(&checks.hash);
    t->run(&checks);
    sf8_sha256_end(&checks.hash, result->digest);
    result->status = result->differ ? CONFORM_FAILED : CONFORM_PASSED;
    result->seconds = seconds_now() - began;
}

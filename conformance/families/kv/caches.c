/* SPDX-License-Identifier: MIT */
/* caches.c -- runs the table of a case about KV caches */
#include "families/kv/caches.h"

void caches_run(const conform_job *j)
{
    const caches_table *const lists[] = {caches_policy,        caches_codes,  caches_scales,
                                         caches_store,         caches_attend, caches_attend_known,
                                         caches_attend_scales, caches_merge,  caches_poison};
    caches_run_among(j, lists, sizeof lists / sizeof lists[0]);
}

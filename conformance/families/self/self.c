/* SPDX-License-Identifier: MIT */
/* self.c -- runs the table of a case about KV caches */
#include "families/self/self.h"

void self_run(const conform_job *j)
{
    const self_table *const lists[] = {self_policy,        self_codes,  self_scales,
                                       self_store,         self_attend, self_attend_known,
                                       self_attend_scales, self_merge,  self_poison};
    self_run_among(j, lists, sizeof lists / sizeof lists[0]);
}

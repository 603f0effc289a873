/* SPDX-License-Identifier: MIT */
/* merge.c -- puts the units of several folders together */
#include "units/plan.h"
#include "units/text.h"

#include "base/memory.h"
#include "softfp8/sha256.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int refuse(char why[UNITS_WHY], const char *format, const unit *a, const unit *b)
{
    snprintf(why, UNITS_WHY, format, a->path, a->host, b->path, b->host);
    return 0;
}

static int add(const unit_folder *folder, const unit **whole, char why[UNITS_WHY])
{
    for (size_t i = 0; i < plan_units(units_plan(folder)); i++) {
        const unit *u = units_at(folder, i);
        if (!u)
            continue;
        if (whole[i] &&
            (whole[i]->size != u->size || memcmp(whole[i]->body, u->body, u->size) != 0))
            return refuse(why,
                          "the same unit has two results: %.350s of %.60s, and %.350s of %.60s; do "
                          "it again on both",
                          whole[i], u);
        if (!whole[i])
            whole[i] = u;
    }
    return 1;
}

static int check_gaps(const unit_plan *plan, const unit *const *whole, char why[UNITS_WHY])
{
    size_t missing = 0, first = 0;
    for (size_t i = plan_units(plan); i-- > 0;) {
        if (!whole[i]) {
            missing++;
            first = i;
        }
    }
    if (!missing)
        return 1;
    const plan_entry *e = plan_entry_of(plan, first);
    snprintf(why, UNITS_WHY,
             "%zu of %zu units are missing, the first is %s, part %zu of %u; the same command with "
             "the same folder does what is missing",
             missing, plan_units(plan), e->name, first - e->first + 1, e->of);
    return 0;
}

int units_merge(unit_folder *const *folders, size_t count, const unit ***whole, char why[UNITS_WHY])
{
    char how[UNITS_WHY];
    const unit_plan *plan = units_plan(folders[0]);
    const unit **list = allocate(plan_units(plan), sizeof list[0]);
    int good = 1;
    for (size_t i = 0; i < count && good; i++) {
        good = plan_same(units_plan(folders[i]), plan, how);
        if (!good)
            snprintf(why, UNITS_WHY,
                     "%.300s is the folder of another run than %.300s: there %.300s",
                     units_name(folders[i]), units_name(folders[0]), how);
        good = good && add(folders[i], list, why);
    }
    good = good && check_gaps(plan, list, why);
    if (good)
        *whole = list;
    else
        free(list);
    return good;
}

void units_digest(const unit_plan *plan, const unit *const *whole, char digest[65])
{
    sf8_sha256 hash;
    char text[65];
    plan_digest(plan, text);
    sf8_sha256_begin(&hash);
    sf8_sha256_add(&hash, text, 64);
    for (size_t i = 0; i < plan_units(plan); i++) {
        text_digest(whole[i]->body, whole[i]->size, text);
        sf8_sha256_add(&hash, text, 64);
    }
    sf8_sha256_end(&hash, digest);
}

/* SPDX-License-Identifier: MIT */
/* store.c -- the folder of units as the place where a run of the suite keeps its results */
#include "runs/store.h"

#include "runs/result.h"

#include <stdlib.h>
#include <string.h>

static const unit *unit_at(const run_store *s, size_t index)
{
    return s->whole ? s->whole[index] : units_at(s->folder, index);
}

static int find(void *context, const conform_case *c, conform_part part, conform_result *r)
{
    const run_store *s = context;
    size_t index = plan_index(s->plan, c->name, part.index);
    const unit *u = index == (size_t)-1 ? NULL : unit_at(s, index);
    return u && !result_read(u, r) && (s->whole || r->status != CONFORM_NOT_RUN);
}

static void keep(void *context, const conform_case *c, const conform_result *r, const char *text,
                 size_t size, double took)
{
    const run_store *s = context;
    char why[UNITS_WHY], *copy = text ? malloc(size + 1) : NULL;
    if (r->status == CONFORM_BROKEN || plan_index(s->plan, c->name, r->first_part) == (size_t)-1)
        return;
    if (copy) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    unit u = {.name = c->name, .part = r->first_part, .seconds = took};
    char *body = result_body(r, copy, &u.size), *about = result_about(r, copy);
    u.body = body;
    u.about = about;
    if (!units_keep(s->folder, &u, why))
        s->failed(why);
    free(copy);
    free(body);
    free(about);
}

static int check(const run_store *s, char why[UNITS_WHY])
{
    static conform_result r;
    for (size_t i = 0; i < plan_units(s->plan); i++) {
        const unit *u = unit_at(s, i);
        const char *expected = u ? result_read(u, &r) : NULL;
        if (expected) {
            snprintf(why, UNITS_WHY, "%.700s: expected %s", u->path, expected);
            return 0;
        }
    }
    return 1;
}

int run_store_open(run_store *s, unit_folder *folder, void (*failed)(const char *why),
                   char why[UNITS_WHY])
{
    *s = (run_store){{find, keep, s}, folder, units_plan(folder), NULL, failed};
    return check(s, why);
}

int run_store_merged(run_store *s, const unit_plan *plan, const unit *const *whole,
                     char why[UNITS_WHY])
{
    *s = (run_store){{find, keep, s}, NULL, plan, whole, NULL};
    return check(s, why);
}

int run_store_drop_failed(run_store *s, char why[UNITS_WHY])
{
    static conform_result r;
    for (size_t i = 0; i < plan_units(s->plan); i++) {
        const unit *u = units_at(s->folder, i);
        if (u && !result_read(u, &r) && (r.status == CONFORM_FAILED || r.status == CONFORM_STALE) &&
            !units_drop(s->folder, i, why))
            return 0;
    }
    return 1;
}

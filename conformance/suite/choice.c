/* SPDX-License-Identifier: MIT */
/* choice.c -- which cases the options select */
#include "suite/family.h"

#include <fnmatch.h>

static int is_chosen(const conform_options *o, const conform_case *c)
{
    return (!o->only || fnmatch(o->only, c->name, 0) == 0) &&
           (!o->device_only || conform_is_recorded(c));
}

const conform_case *conform_next(const conform_options *o, conform_choice *at)
{
    const conform_case *c;
    while ((c = conform_case_at(at->next)) != NULL) {
        at->next++;
        if (is_chosen(o, c)) {
            at->of = conform_parts(c, o->tier);
            return c;
        }
    }
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/* choice.c -- which cases, and which of their parts, the options select */
#include "suite/family.h"

#include <fnmatch.h>

static int is_chosen(const conform_options *o, const conform_case *c)
{
    return (!o->only || fnmatch(o->only, c->name, 0) == 0) &&
           (!o->device_only || conform_is_recorded(c));
}

/* The parts of a case are distributed over the shards in stretches. The first shard rotates, so
 * that short cases are distributed too. */
const conform_case *conform_next(const conform_options *o, conform_choice *at)
{
    const conform_case *c;
    while ((c = conform_case_at(at->next)) != NULL) {
        at->next++;
        if (!is_chosen(o, c))
            continue;
        uint64_t shards = o->shards ? o->shards : 1, shard = (o->shard + at->seen++) % shards;
        uint64_t parts = conform_parts(c, o->tier);
        at->first = (unsigned)(parts * shard / shards);
        at->end = (unsigned)(parts * (shard + 1) / shards);
        at->of = (unsigned)parts;
        if (at->first < at->end)
            return c;
    }
    return NULL;
}

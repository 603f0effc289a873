/* SPDX-License-Identifier: MIT */
/* hash_set.c -- a set of things, each known by a hash: an open table, at most half full */
#include "vectors/hash_set.h"
#include "base/memory.h"

#include <stdlib.h>

/* The place of the hash, or the empty one where it belongs. */
static size_t place_of(const hash_set *s, uint64_t hash)
{
    size_t i = (size_t)(hash >> 1) & (s->room - 1);
    while (s->hash[i] && s->hash[i] != hash)
        i = (i + 1) & (s->room - 1);
    return i;
}

int hash_set_has(const hash_set *s, uint64_t hash)
{
    return s->room && s->hash[place_of(s, hash | 1)];
}

static void enlarge(hash_set *s)
{
    hash_set old = *s;
    s->room = old.room ? 2 * old.room : 1024;
    s->hash = allocate(s->room, sizeof s->hash[0]);
    for (size_t i = 0; i < old.room; i++) {
        if (old.hash[i])
            s->hash[place_of(s, old.hash[i])] = old.hash[i];
    }
    free(old.hash);
}

int hash_set_add(hash_set *s, uint64_t hash)
{
    if (2 * s->count >= s->room)
        enlarge(s);
    uint64_t *place = &s->hash[place_of(s, hash | 1)];
    if (*place)
        return 0;
    *place = hash | 1;
    s->count++;
    return 1;
}

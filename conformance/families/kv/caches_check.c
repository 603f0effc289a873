/* SPDX-License-Identifier: MIT */
/* caches_check.c -- one check of a table of caches: counted, digested, and reported if it is the
 * first that fails */
#include "families/kv/caches.h"
#include "suite/digest.h"

void caches_check(caches_checks *c, const char *what, uint64_t got, uint64_t right)
{
    digest_row(&c->hash, c->result->inputs++, got);
    if (got != right && c->result->differ++ == 0)
        snprintf(c->result->why, sizeof c->result->why, "%s: %llx, not %llx", what,
                 (unsigned long long)got, (unsigned long long)right);
}

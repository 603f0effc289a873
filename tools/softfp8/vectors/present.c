/* SPDX-License-Identifier: MIT */
/* present.c -- which of the cases that `gen` writes a file has */
#include "vectors/present.h"
#include "suite/input_sets.h"

#include <stdlib.h>
#include <string.h>

/* A set beyond this is compared in gen's order only: to look for each of its cases takes long. */
enum { CHOSEN_MOST = 1 << 24 };

present present_open(cases *c)
{
    present p;
    memset(&p, 0, sizeof p);
    p.cases = c;
    if (c->whole)
        p.seen = allocate((size_t)(c->least + 7) / 8, 1);
    return p;
}

void present_close(present *p)
{
    free(p->seen);
    free(p->other.hash);
}

/* ---- whole tables ---------------------------------------------------------------------------- */

static uint64_t case_index(const present *p, const uint64_t *operands)
{
    const sf8_function *f = &p->cases->function;
    uint64_t index = 0;
    for (int i = 0; i < f->operands; i++)
        index = index << f->operand[i].bits | operands[i];
    return index;
}

static int is_seen(const present *p, uint64_t index)
{
    return p->seen[index >> 3] >> (index & 7) & 1;
}

void present_first_missing(const present *p, uint64_t operands[4])
{
    cases_rewind(p->cases);
    for (uint64_t i = 0; i < p->cases->least; i++) {
        cases_next(p->cases, operands);
        if (!is_seen(p, case_index(p, operands)))
            return;
    }
}

/* ---- chosen sets ----------------------------------------------------------------------------- */

static uint64_t hash_of(const present *p, const uint64_t *operands)
{
    uint64_t hash = 0;
    for (int i = 0; i < cases_operands(p->cases); i++) {
        hash ^= operands[i];
        hash = word_random(&hash);
    }
    return hash;
}

static void keep_other(present *p, const uint64_t *operands)
{
    p->others++;
    p->too_many |= p->cases->least > CHOSEN_MOST || p->others > 2 * p->cases->least;
    if (!p->too_many)
        hash_set_add(&p->other, hash_of(p, operands));
}

static void chosen_row(present *p, const uint64_t *operands)
{
    uint64_t expected[4];
    if (p->in_order == p->cases->least)
        return;
    if (p->others == 0) {
        cases_next(p->cases, expected);
        if (memcmp(operands, expected, sizeof(uint64_t) * (size_t)cases_operands(p->cases)) == 0) {
            p->in_order++;
            return;
        }
    }
    keep_other(p, operands);
}

static uint64_t chosen_count(present *p)
{
    uint64_t count = p->in_order, expected[4];
    if (p->too_many)
        return 0;
    if (p->others) {
        cases_seek(p->cases, p->in_order);
        for (uint64_t i = p->in_order; i < p->cases->least; i++) {
            cases_next(p->cases, expected);
            count += (uint64_t)hash_set_has(&p->other, hash_of(p, expected));
        }
    }
    return 2 * count >= p->in_order + p->others ? count : 0;
}

/* ---- both ------------------------------------------------------------------------------------ */

void present_row(present *p, const uint64_t *operands)
{
    if (!p->seen) {
        chosen_row(p, operands);
        return;
    }
    uint64_t index = case_index(p, operands);
    p->distinct += !is_seen(p, index);
    p->seen[index >> 3] |= (unsigned char)(1 << (index & 7));
}

uint64_t present_count(present *p)
{
    return p->seen ? p->distinct : chosen_count(p);
}

/* SPDX-License-Identifier: MIT */
/* neighbours.c -- whether a result depends on the other elements of its tuple
 *
 * A sweep pairs each input with one other input of the same chunk, so that two of unlike sign are
 * hardly ever paired. Therefore tuples are tested too, with each element drawn from a pool: the
 * special values and some of the boundaries. There are many more tuples than pairs of values.
 */
#include "suite/compare.h"
#include "suite/input_sets.h"

#include <stdlib.h>
#include <string.h>

enum { POOL_MOST = 192 };

/* At most `most` values of the set, evenly spaced. */
static size_t thin(const word_set *set, uint64_t *pool, size_t most)
{
    size_t n = set->count < most ? (size_t)set->count : most;
    for (size_t i = 0; i < n; i++)
        pool[i] = set->words[set->count * i / n];
    return n;
}

static size_t fill_pool(const oracle *o, uint64_t pool[POOL_MOST])
{
    const sf8_word *source = oracle_source(o), *target = &o->function[0].result;
    uint64_t mask = source->bits == 64 ? UINT64_MAX : (UINT64_C(1) << source->bits) - 1;
    word_set special = {NULL, 0, 0, mask}, border = {NULL, 0, 0, mask};
    if (source->kind == SF8_WORD_FLOAT)
        word_set_add_specials(&special, source->format);
    else
        word_set_add_integers(&special, source->bits);
    if (source->kind == SF8_WORD_FLOAT && target->kind == SF8_WORD_FLOAT && target->bits <= 20)
        word_set_add_critical(&border, source->format, target->format);
    word_set_sort(&special);
    word_set_sort(&border);
    size_t n = thin(&special, pool, POOL_MOST / 2);
    n += thin(&border, pool + n, POOL_MOST - n);
    free(special.words);
    free(border.words);
    return n;
}

void neighbours_fill(const oracle *o, uint64_t *words, size_t count)
{
    uint64_t pool[POOL_MOST], state = 2;
    size_t n = fill_pool(o, pool);
    for (size_t i = 0; i < count; i++)
        words[i] = pool[(word_random(&state) >> 32) % n];
}

void neighbours_check(const comparison *k, uint64_t word, int lane, uint64_t got,
                      conform_result *result)
{
    uint64_t right = oracle_call_lane(k->oracle, word, lane);
    if (is_good(k, got, right))
        return;
    result->status = CONFORM_FAILED;
    if (result->crossed++ == 0)
        snprintf(result->why, sizeof result->why,
                 "with other neighbours than in the sweep, input %llx in place %d gave %llx "
                 "instead of %llx",
                 (unsigned long long)word, lane, (unsigned long long)got,
                 (unsigned long long)right);
}

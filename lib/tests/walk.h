/* SPDX-License-Identifier: MIT */
/* walk.h -- step tables compared with the conversion itself
 *
 * A table is made by trying every input, or from stretch to stretch. Here either way can be forced
 * (`every`), since all inputs of a narrow source can be compared.
 */
#ifndef SF8_TEST_WALK_H
#define SF8_TEST_WALK_H

#include "check.h"
#include "random.h"
#include "softfp8_vectors.h"

/* One table: its conversion, and how it is walked. */
typedef struct table {
    sf8_format from, to;
    sf8_policy policy;
    uint32_t random;
    int32_t by_stretches;
    char name[96];
} table;

static inline sf8_steps begin(const table *t)
{
    sf8_steps walk;
    cr_assert(sf8_steps_begin(&walk, t->from, t->to, t->policy, t->random) == SF8_OK, "%s",
              t->name);
    if (sf8_format_bits(t->from) <= 20)
        walk.every = !t->by_stretches;
    return walk;
}

static inline int holds(const table *t, const sf8_step *row, uint64_t word)
{
    sf8_result r = sf8_convert_sr(t->to, t->from, word, t->policy, t->random);
    return r.code == row->code && r.flags == row->flags;
}

static inline int wrong(const table *t, const sf8_step *row, uint64_t word)
{
    sf8_result r = sf8_convert_sr(t->to, t->from, word, t->policy, t->random);
    EXPECT(0, "%s: %" PRIx64 " gives %" PRIx64 "/%02x, the row from %" PRIx64 " %" PRIx64 "/%02x",
           t->name, word, r.code, r.flags, row->first, row->code, row->flags);
    return 0;
}

/* The first input of the row and of the next one, or the end of the inputs. */
static inline int row_is_in_order(const table *t, const sf8_step *row, const sf8_step *next)
{
    int good = next->first > row->first && (next->code != row->code || next->flags != row->flags);
    EXPECT(good, "%s: rows from %" PRIx64 " and %" PRIx64, t->name, row->first, next->first);
    return good;
}

/* All inputs of a table of a narrow source. Stops at the first difference. */
static inline int check_every_word(const table *t)
{
    sf8_steps walk = begin(t);
    sf8_step row, next;
    cr_assert(sf8_steps_next(&walk, &row) && row.first == 0, "%s", t->name);
    for (int more = 1; more; row = next) {
        more = sf8_steps_next(&walk, &next);
        if (!more)
            next.first = sf8_format_code_mask(t->from) + 1;
        else if (!row_is_in_order(t, &row, &next))
            return 0;
        for (uint64_t word = row.first; word < next.first; word++) {
            if (!holds(t, &row, word))
                return wrong(t, &row, word);
        }
    }
    return 1;
}

static inline uint64_t pseudo_random_64(void)
{
    uint64_t high = pseudo_random();
    return high << 32 | pseudo_random();
}

/* Both ends of a row, their neighbours, the middle, and two random inputs. */
static inline int row_holds(const table *t, const sf8_step *row, uint64_t last)
{
    uint64_t length = last - row->first;
    const uint64_t at[] = {0,
                           length,
                           length > 1,
                           length > 2 ? 2 : 0,
                           length > 1 ? length - 1 : 0,
                           length > 2 ? length - 2 : 0,
                           length / 2,
                           length ? pseudo_random_64() % length : 0,
                           length ? pseudo_random_64() % length : 0};
    for (size_t i = 0; i < COUNT(at); i++) {
        if (!holds(t, row, row->first + at[i]))
            return wrong(t, row, row->first + at[i]);
    }
    return 1;
}

/* A table of any source, each row looked at in some places. Returns the number of rows. */
static inline size_t check_rows(const table *t)
{
    sf8_steps walk = begin(t);
    sf8_step row, next;
    size_t rows = 0;
    cr_assert(sf8_steps_next(&walk, &row) && row.first == 0, "%s", t->name);
    for (int more = 1; more; row = next) {
        more = sf8_steps_next(&walk, &next);
        uint64_t last = more ? next.first - 1 : sf8_format_code_mask(t->from);
        if ((more && !row_is_in_order(t, &row, &next)) || !row_holds(t, &row, last))
            return 0;
        rows++;
    }
    return rows;
}

static inline void name_table(table *t, size_t to, const char *from, const char *policy_name,
                              const char *round)
{
    const char *to_name = sf8_format_at(to, &t->to);
    t->from = format_of(from);
    snprintf(t->name, sizeof t->name, "%s to %s, %s %s, random %08" PRIx32, from, to_name,
             policy_name, round, t->random);
}

#endif

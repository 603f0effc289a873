/* SPDX-License-Identifier: MIT */
/* unit_apart.c -- rows on which rules of matrix units differ, taken from the pools of these rules
 */
#include "vectors/unit_apart.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* The pools of the first rules: the rules of a search are near each other, and so are their rows.
 */
enum { POOLS = 12 };

/* The first rule that had the class and gives the word. */
static size_t first_like(const size_t *old, const uint32_t *word, size_t class, uint32_t given)
{
    size_t i = 0;
    while (old[i] != class || word[i] != given)
        i++;
    return i;
}

/* Rules of one class that give different words on the row get different classes; the first rule
 * keeps its class. Returns how many classes are new. */
static size_t split_classes(unit_apart *t, const mma_rule *rule, size_t count,
                            const mma_result *row)
{
    uint32_t word[APART_RULES] = {0};
    size_t old[APART_RULES], members[APART_RULES] = {0}, before = t->classes;
    uint8_t kept[APART_RULES] = {0};
    memcpy(old, t->class_of, sizeof old);
    for (size_t i = 0; i < count; i++)
        members[old[i]]++;
    for (size_t i = 0; i < count; i++)
        if (members[old[i]] > 1)
            word[i] = mma_store(row->stored, mma_rule_word(&rule[i], row));
    for (size_t i = 0; i < count; i++) {
        size_t like = first_like(old, word, old[i], word[i]);
        if (like < i)
            t->class_of[i] = t->class_of[like];
        else if (kept[old[i]])
            t->class_of[i] = t->classes++;
        kept[old[i]] = 1;
    }
    return t->classes - before;
}

static void keep_row(unit_apart *t, const unit_row *row)
{
    t->row = grow(t->row, t->rows, &t->room, sizeof *t->row);
    t->row[t->rows++] = *row;
}

/* A row points into itself. */
static void mend_pointers(unit_apart *t)
{
    for (size_t i = 0; i < t->rows; i++) {
        unit_row *r = &t->row[i];
        r->x.x = (sf8_mma_operands){r->a, r->b, r->scale_a, r->scale_b};
    }
}

void unit_tell_apart(unit_apart *t, const mma_rule *rule, size_t count, mma_stored stored)
{
    unit_row row;
    int made = 0;
    memset(t, 0, sizeof *t);
    t->classes = 1;
    for (size_t pool = 0; pool < count && pool < POOLS; pool++)
        for (size_t i = 0; t->classes < count; i++) {
            if ((made = unit_pool_row(&rule[pool].m, i, &row)) < 0)
                break;
            row.x.stored = stored;
            if (made && split_classes(t, rule, count, &row.x))
                keep_row(t, &row);
        }
    mend_pointers(t);
}

void unit_apart_end(unit_apart *t)
{
    free(t->row);
    t->row = NULL;
}

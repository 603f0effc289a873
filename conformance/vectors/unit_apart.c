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

/* ---- rows that came before ------------------------------------------------------------------- */

/* Of each pool the digest of its i-th row, or 0: the pools of rules that are near each other have
 * many rows in common, and these tell nothing new. */
typedef struct seen_rows {
    uint64_t (*digest)[POOLS];
    size_t count, room;
} seen_rows;

static uint64_t digest_of(uint64_t digest, const void *bytes, size_t size)
{
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; i++)
        digest = (digest ^ p[i]) * UINT64_C(0x100000001b3);
    return digest;
}

static int was_seen(seen_rows *s, size_t pool, size_t i, const sf8_mma *m, const unit_row *row)
{
    size_t k = row->x.k, scales = m->scale_block ? k / (size_t)m->scale_block : 0;
    uint64_t digest = digest_of(UINT64_C(0xcbf29ce484222325), &row->x.c, sizeof row->x.c);
    digest = digest_of(digest, row->a, k * sf8_mma_code_bytes(m->a));
    digest = digest_of(digest, row->b, k * sf8_mma_code_bytes(m->b));
    digest = digest_of(digest_of(digest, row->scale_a, scales), row->scale_b, scales);
    for (; s->count <= i; s->count++) {
        s->digest = grow(s->digest, s->count, &s->room, sizeof s->digest[0]);
        memset(s->digest[s->count], 0, sizeof s->digest[0]);
    }
    for (size_t before = 0; before < pool; before++)
        if (s->digest[i][before] == digest)
            return 1;
    s->digest[i][pool] = digest;
    return 0;
}

void unit_tell_apart(unit_apart *t, const mma_rule *rule, size_t count, mma_stored stored)
{
    unit_row row;
    seen_rows seen = {NULL, 0, 0};
    int made = 0;
    memset(t, 0, sizeof *t);
    t->classes = 1;
    for (size_t pool = 0; pool < count && pool < POOLS; pool++)
        for (size_t i = 0; t->classes < count; i++) {
            if ((made = unit_pool_row(&rule[pool].m, i, &row)) < 0)
                break;
            row.x.stored = stored;
            if (made && !was_seen(&seen, pool, i, &rule[pool].m, &row) &&
                split_classes(t, rule, count, &row.x))
                keep_row(t, &row);
        }
    free(seen.digest);
    mend_pointers(t);
}

void unit_apart_end(unit_apart *t)
{
    free(t->row);
    t->row = NULL;
}

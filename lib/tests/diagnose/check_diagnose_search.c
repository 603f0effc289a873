/* SPDX-License-Identifier: MIT */
/* check_diagnose_search.c -- what all searches share: sorting leaves what is equal in its order */
#include "diagnose/search.h"
#include "diagnose_check.h"

enum { MOST = 70 };

typedef struct record {
    int key;
    unsigned at;
    char rest[5]; /* its size is no power of 2 */
} record;

static int by_key(const void *a, const void *b)
{
    return ((const record *)a)->key - ((const record *)b)->key;
}

/* How many records with a key come before, counted one by one. */
static unsigned place_of(const record *all, unsigned count, unsigned i)
{
    unsigned place = 0;
    for (unsigned k = 0; k < count; k++)
        place += all[k].key < all[i].key || (all[k].key == all[i].key && k < i);
    return place;
}

static void check_sort(unsigned count, unsigned keys)
{
    search_context context = {0};
    record all[MOST + 1] = {{0}}, sorted[MOST + 1];
    uint32_t random = count * 2654435761u + keys;
    for (unsigned i = 0; i < count; i++) {
        random = random * 1664525u + 1013904223u;
        all[i] = (record){(int)((random >> 16) % keys), i, "abcd"};
    }
    memcpy(sorted, all, sizeof all);
    search_sort(&context, sorted, count, sizeof *sorted, by_key);
    for (unsigned i = 0; i < count; i++)
        holds("a sorted record",
              memcmp(&sorted[place_of(all, count, i)], &all[i], sizeof *all) == 0);
    holds("nothing is written behind a list",
          memcmp(&sorted[count], &all[count], sizeof *all) == 0);
}

int main(void)
{
    for (unsigned count = 0; count <= MOST; count++) {
        for (unsigned keys = 1; keys <= 2 * MOST; keys *= 3)
            check_sort(count, keys);
    }
    printf("%d failures\n", failures);
    return failures > 0;
}

/* SPDX-License-Identifier: MIT */
/* search.h -- what all searches share: memory, the time that is left, how far a search is,
 * the best of what was tried
 *
 * A search prints nothing, knows nothing of the command, and has no state of its own. What is wrong
 * with its input it returns.
 */
#ifndef SOFTFP8_DIAGNOSE_SEARCH_H
#define SOFTFP8_DIAGNOSE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* What whoever starts a search gives it. All 0, or NULL in place of a context: there is no end to
 * its time, it reports nothing, and without memory the program aborts. */
typedef struct search_context {
    /* Called when an allocation of `bytes` bytes fails; it must not return. */
    void (*no_memory)(struct search_context *context, size_t bytes);
    /* Called from time to time while a search runs, and with done == total when it ends. */
    void (*progress)(void *user, const char *what, uint64_t done, uint64_t total);
    void *user;
    double deadline; /* by search_seconds(); 0: none */
    /* Whether the memory that is in use is kept in a list, for search_free_all(). */
    int tracks;
    void **block;
    size_t blocks, room;
} search_context;

/* Memory, all 0; a size of 0 is good. It may be freed by free() too, if it is not tracked. */
void *search_allocate(search_context *c, uint64_t count, size_t size);
void *search_reallocate(search_context *c, void *old, size_t count, size_t size);
void search_free(search_context *c, void *memory);
void search_free_all(search_context *c);

double search_seconds(void);
/* Whether the time is up. */
int search_is_over(const search_context *c);
void search_tell(const search_context *c, const char *what, uint64_t done, uint64_t total);

/* Puts an item in its place in a list of the best, which has room for `most`; of items that are
 * alike those that came first stay first. 0 if it is not among them. */
int search_keep(void *list, size_t *count, size_t most, size_t size, const void *item,
                int (*is_better)(const void *item, const void *other));

/* Sorts. What is equal stays in its order, which qsort() of some C libraries does not promise. */
void search_sort(search_context *c, void *list, size_t count, size_t size,
                 int (*compare)(const void *, const void *));

/* Words that are put together one by one; { NULL, 0, 0, context } is empty. */
typedef struct search_words {
    uint64_t *words;
    size_t count, room;
    search_context *context;
} search_words;

void search_words_add(search_words *set, uint64_t word);
/* Sorted, each once. */
void search_words_sort(search_words *set);
void search_words_free(search_words *set);

#endif

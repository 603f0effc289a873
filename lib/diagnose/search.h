/* SPDX-License-Identifier: MIT */
/* search.h -- what all searches share: memory, and how far a search is
 *
 * A search prints nothing and knows nothing of the command. What is wrong with its input it
 * returns.
 */
#ifndef SOFTFP8_DIAGNOSE_SEARCH_H
#define SOFTFP8_DIAGNOSE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

/* Memory, all 0; a size of 0 is good. */
void *search_allocate(size_t count, size_t size);
void *search_reallocate(void *old, size_t count, size_t size);
/* Sets what ends the program where there is no memory: it is given one line, and does not return.
 * Without it the program aborts. */
void search_on_no_memory(void (*end)(const char *message));

/* Called from time to time while a search runs, and with done == total when it ends. */
typedef void (*search_progress)(const char *what, uint64_t done, uint64_t total);

static inline void search_tell(search_progress told, const char *what, uint64_t done,
                               uint64_t total)
{
    if (told)
        told(what, done, total);
}

/* Words that are put together one by one; { NULL, 0, 0 } is empty. The user frees `words`. */
typedef struct search_words {
    uint64_t *words;
    size_t count, room;
} search_words;

void search_words_add(search_words *set, uint64_t word);
/* Sorted, each once. */
void search_words_sort(search_words *set);

#endif

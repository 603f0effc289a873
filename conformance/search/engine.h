/* SPDX-License-Identifier: MIT */
/* engine.h -- what all engines of this folder share: memory, and how far a search is
 *
 * An engine prints nothing and knows nothing of the command. What is wrong with its input it
 * returns; only a lack of memory ends the program.
 */
#ifndef SOFTFP8_SEARCH_ENGINE_H
#define SOFTFP8_SEARCH_ENGINE_H

#include <stddef.h>
#include <stdint.h>

/* Memory, all 0; a size of 0 is good. */
void *allocate(size_t count, size_t size);
void *reallocate(void *old, size_t count, size_t size);
/* What ends the program where there is no memory: it is given one line, and does not return.
 * Without it the line goes to stderr, and the status is 2. */
void memory_on_failure(void (*end)(const char *message));

/* Called from time to time while a search runs, and with done == total when it ends. */
typedef void (*search_progress)(const char *what, uint64_t done, uint64_t total);

static inline void search_tell(search_progress progress, const char *what, uint64_t done,
                               uint64_t total)
{
    if (progress)
        progress(what, done, total);
}

#endif

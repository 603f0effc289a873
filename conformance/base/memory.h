/* SPDX-License-Identifier: MIT */
/* memory.h -- memory, or the end of the program */
#ifndef SOFTFP8_BASE_MEMORY_H
#define SOFTFP8_BASE_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Memory, all 0; a size of 0 is good. */
void *allocate(size_t count, size_t size);
void *reallocate(void *old, size_t count, size_t size);
/* A list of `count` elements, with room for one more; *room is that of the list, in elements. */
void *grow(void *list, size_t count, size_t *room, size_t size);
/* What ends the program where there is no memory: it is given one line, and does not return.
 * Without it the line goes to stderr, and the status is 2. */
void memory_on_failure(void (*end)(const char *message));

#endif

/* SPDX-License-Identifier: MIT */
/* memory.c -- memory, or the end of the program */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static void (*on_failure)(const char *message);

void memory_on_failure(void (*end)(const char *message))
{
    on_failure = end;
}

static _Noreturn void failed(const char *message)
{
    if (on_failure)
        on_failure(message);
    fprintf(stderr, "%s\n", message);
    exit(2);
}

static void check(size_t count, size_t size)
{
    char message[96];
    if (!size || count <= SIZE_MAX / size)
        return;
    snprintf(message, sizeof message, "too large: %zu times %zu bytes", count, size);
    failed(message);
}

/* The memory, if there is any. */
static void *some(void *memory, size_t bytes)
{
    char message[96];
    if (memory)
        return memory;
    snprintf(message, sizeof message, "not enough memory for %zu bytes", bytes);
    failed(message);
}

void *reallocate(void *old, size_t count, size_t size)
{
    check(count, size);
    return some(realloc(old, count * size > 0 ? count * size : 1), count * size);
}

void *allocate(size_t count, size_t size)
{
    check(count, size);
    return some(calloc(count > 0 ? count : 1, size > 0 ? size : 1), count * size);
}

void *grow(void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    *room = 2 * *room + 16;
    return reallocate(list, *room, size);
}

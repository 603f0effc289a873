/* SPDX-License-Identifier: MIT */
/* engine.c -- memory for the engines, or the end of the program */
#include "search/engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void *reallocate(void *old, size_t count, size_t size)
{
    char message[96];
    if (size && count > SIZE_MAX / size) {
        snprintf(message, sizeof message, "too large: %zu times %zu bytes", count, size);
        failed(message);
    }
    size_t bytes = count * size;
    void *memory = realloc(old, bytes > 0 ? bytes : 1);
    if (!memory) {
        snprintf(message, sizeof message, "no memory for %zu bytes", bytes);
        failed(message);
    }
    return memory;
}

void *allocate(size_t count, size_t size)
{
    void *memory = reallocate(NULL, count, size);
    memset(memory, 0, count * size);
    return memory;
}

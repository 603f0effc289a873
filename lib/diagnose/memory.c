/* SPDX-License-Identifier: MIT */
/* memory.c -- memory for the searches, and lists of words that grow */
#include "diagnose/search.h"

#include <stdio.h>
#include <stdlib.h>

static void (*on_no_memory)(const char *message);

void search_on_no_memory(void (*end)(const char *message))
{
    on_no_memory = end;
}

static void *checked(void *memory, size_t count, size_t size)
{
    char message[96];
    if (memory)
        return memory;
    snprintf(message, sizeof message, "not enough memory for %zu times %zu bytes", count, size);
    if (on_no_memory)
        on_no_memory(message);
    abort();
}

void *search_reallocate(void *old, size_t count, size_t size)
{
    count += count == 0;
    return checked(count <= SIZE_MAX / size ? realloc(old, count * size) : NULL, count, size);
}

void *search_allocate(size_t count, size_t size)
{
    count += count == 0;
    return checked(calloc(count, size), count, size);
}

void search_words_add(search_words *set, uint64_t word)
{
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 1024;
        set->words = search_reallocate(set->words, set->room, sizeof set->words[0]);
    }
    set->words[set->count++] = word;
}

static int compare(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

void search_words_sort(search_words *set)
{
    size_t kept = 0;
    if (set->count > 0)
        qsort(set->words, set->count, sizeof set->words[0], compare);
    for (size_t i = 0; i < set->count; i++)
        if (kept == 0 || set->words[i] != set->words[kept - 1])
            set->words[kept++] = set->words[i];
    set->count = kept;
}

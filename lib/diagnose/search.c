/* SPDX-License-Identifier: MIT */
/* search.c -- memory for the searches, the time that is left, the best, lists of words that grow */
#include "diagnose/search.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- memory ---------------------------------------------------------------------------------- */

static void fail(search_context *c, size_t bytes)
{
    if (c && c->no_memory)
        c->no_memory(c, bytes);
    abort();
}

/* The place of a block in the list. One that was made late is freed soon. */
static size_t find(const search_context *c, const void *memory)
{
    size_t i = c->blocks;
    while (i > 0 && c->block[i - 1] != memory)
        i--;
    return i - 1;
}

static void track(search_context *c, void *memory, size_t bytes)
{
    if (!c || !c->tracks)
        return;
    if (c->blocks == c->room) {
        size_t room = c->room ? 2 * c->room : 64;
        void **more = realloc(c->block, room * sizeof *more);
        if (!more) {
            free(memory);
            fail(c, bytes);
            return;
        }
        c->block = more;
        c->room = room;
    }
    c->block[c->blocks++] = memory;
}

void *search_reallocate(search_context *c, void *old, size_t count, size_t size)
{
    size_t bytes = count <= SIZE_MAX / size ? count * size : SIZE_MAX;
    size_t at = old && c && c->tracks ? find(c, old) : 0;
    void *memory = bytes < SIZE_MAX ? realloc(old, bytes + (bytes == 0)) : NULL;
    if (!memory)
        fail(c, bytes);
    else if (old && c && c->tracks)
        c->block[at] = memory;
    else
        track(c, memory, bytes);
    return memory;
}

void *search_allocate(search_context *c, uint64_t count, size_t size)
{
    /* 2^30 words of a file do not fit where addresses have 32 bits. */
    const int fits = !size || count <= SIZE_MAX / size;
    void *memory = fits ? calloc((size_t)count + (count == 0), size) : NULL;
    if (!memory)
        fail(c, fits ? (size_t)count * size : SIZE_MAX);
    else
        track(c, memory, (size_t)count * size);
    return memory;
}

void search_free(search_context *c, void *memory)
{
    if (memory && c && c->tracks) {
        size_t at = find(c, memory);
        c->block[at] = c->block[--c->blocks];
    }
    free(memory);
}

void search_free_all(search_context *c)
{
    while (c->blocks > 0)
        free(c->block[--c->blocks]);
    free(c->block);
    c->block = NULL;
    c->room = 0;
}

/* ---- sorting --------------------------------------------------------------------------------- */

/* Two sorted pieces, the second from `middle` on, become one. */
static void merge(const char *from, char *to, size_t middle, size_t end, size_t size,
                  int (*compare)(const void *, const void *))
{
    size_t a = 0, b = middle;
    for (size_t k = 0; k < end; k++) {
        int first = b == end || (a < middle && compare(from + a * size, from + b * size) <= 0);
        memcpy(to + k * size, from + (first ? a++ : b++) * size, size);
    }
}

void search_sort(search_context *c, void *list, size_t count, size_t size,
                 int (*compare)(const void *, const void *))
{
    char *other = search_allocate(c, count, size), *from = list, *to = other;
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t at = 0; at < count; at += 2 * width) {
            size_t left = count - at, middle = width < left ? width : left;
            merge(from + at * size, to + at * size, middle, 2 * width < left ? 2 * width : left,
                  size, compare);
        }
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != list)
        memcpy(list, from, count * size);
    search_free(c, other);
}

/* ---- time ------------------------------------------------------------------------------------ */

double search_seconds(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int search_is_over(const search_context *c)
{
    return c && c->deadline > 0 && search_seconds() > c->deadline;
}

void search_tell(const search_context *c, const char *what, uint64_t done, uint64_t total)
{
    if (c && c->progress)
        c->progress(c->user, what, done, total);
}

/* ---- the best -------------------------------------------------------------------------------- */

int search_keep(void *list, size_t *count, size_t most, size_t size, const void *item,
                int (*is_better)(const void *item, const void *other))
{
    char *first = list;
    size_t at = *count;
    while (at > 0 && is_better(item, first + (at - 1) * size))
        at--;
    if (at == most)
        return 0;
    *count += *count < most;
    memmove(first + (at + 1) * size, first + at * size, (*count - 1 - at) * size);
    memcpy(first + at * size, item, size);
    return 1;
}

/* ---- words ----------------------------------------------------------------------------------- */

void search_words_add(search_words *set, uint64_t word)
{
    if (set->count == set->room) {
        set->room = set->room ? 2 * set->room : 1024;
        set->words = search_reallocate(set->context, set->words, set->room, sizeof set->words[0]);
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

void search_words_free(search_words *set)
{
    search_free(set->context, set->words);
    set->words = NULL;
    set->count = set->room = 0;
}

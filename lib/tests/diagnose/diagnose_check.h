/* SPDX-License-Identifier: MIT */
/* diagnose_check.h -- what the tests of diagnoses share: texts compared, allocations that fail */
#ifndef SOFTFP8_TESTS_DIAGNOSE_CHECK_H
#define SOFTFP8_TESTS_DIAGNOSE_CHECK_H

#include "softfp8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

static inline void same(const char *what, const char *expected, const char *got)
{
    if (strcmp(expected, got) == 0)
        return;
    failures++;
    printf("%s\n  expected %s\n  got      %s\n", what, expected, got);
}

static inline void holds(const char *what, int truth)
{
    failures += !truth;
    if (!truth)
        printf("%s: not so\n", what);
}

/* How many to step over in tests that someone waits for: n in the short tier of tools/test, else 1. */
static inline unsigned waited(unsigned n)
{
    const char *tier = getenv("SOFTFP8_TIER"), *is_long = getenv("SOFTFP8_LONG");
    return tier && strcmp(tier, "short") == 0 && !(is_long && is_long[0]) ? n : 1;
}

/* ---- progress -------------------------------------------------------------------------------- */

static size_t told;

static inline void tell(void *user, const char *what, uint64_t done, uint64_t total)
{
    holds("what is told", user == &told && what[0] && done <= total);
    told++;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* A diagnosis of a few results; its status. What it made it frees. */
typedef sf8_status (*diagnosed)(void);

#ifdef WRAPPED
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *memory);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *memory);

static long left = -1, blocks_in_use; /* calls until one fails */

void *__wrap_calloc(size_t n, size_t size)
{
    void *memory = left == 0 ? NULL : __real_calloc(n, size);
    left -= left > 0;
    blocks_in_use += memory != NULL;
    return memory;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *memory = left == 0 ? NULL : __real_realloc(old, size);
    left -= left > 0;
    blocks_in_use += memory && !old;
    return memory;
}

void __wrap_free(void *memory)
{
    blocks_in_use -= memory != NULL;
    __real_free(memory);
}

/* Allocations fail from the n-th on: it is a status, and nothing is lost. All of the first ten,
 * then some. */
static inline void check_memory(diagnosed diagnose)
{
    sf8_status status = SF8_NO_ROOM;
    long n = 0;
    for (; status == SF8_NO_ROOM && n < 100000; n += 1 + n / 10) {
        left = n;
        status = diagnose();
        left = -1;
        holds("nothing is lost", blocks_in_use == 0);
    }
    holds("it needs some memory, and then succeeds", status == SF8_OK && n > 5);
}
#else
static inline void check_memory(diagnosed diagnose)
{
    holds("it succeeds", diagnose() == SF8_OK);
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* fuzz_input.h -- numbers, formats and arrays out of the bytes that a fuzzer gives */
#ifndef SF8_TEST_FUZZ_INPUT_H
#define SF8_TEST_FUZZ_INPUT_H

#include <string.h>

#include "fuzz.h"
#include "softfp8.h"

typedef struct input {
    const uint8_t *at;
    size_t left;
} input;

/* The next bytes of the input, then zeros. */
static inline void take(input *in, void *to, size_t size)
{
    size_t some = size < in->left ? size : in->left;
    if (size)
        memset(to, 0, size);
    if (some)
        memcpy(to, in->at, some);
    in->at += some;
    in->left -= some;
}

static inline uint64_t word(input *in)
{
    uint64_t x;
    take(in, &x, sizeof x);
    return x;
}

static inline uint32_t small(input *in, uint32_t most)
{
    uint8_t x;
    take(in, &x, sizeof x);
    return x % (most + 1);
}

/* Memory for n elements and not a byte more, at any alignment. It is filled from the input and,
 * past its end, by a simple rule. */
typedef struct array {
    uint8_t *whole, *at;
} array;

static inline array array_of(input *in, size_t n, size_t width)
{
    uint64_t x = word(in);
    size_t offset = x & 7, size = n * width, given = in->left < size ? in->left : size;
    array a;
    a.whole = malloc(offset + size + (offset + size == 0));
    CHECK(a.whole);
    a.at = a.whole + offset;
    take(in, a.at, given);
    for (size_t i = given; i < size; i++) {
        x = x * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        a.at[i] = (uint8_t)(x >> 56);
    }
    return a;
}

/* n words that are aligned, made by a simple rule from a word of the input. */
static inline uint32_t *words_of(input *in, size_t n)
{
    uint32_t *words = malloc(n * 4 + (n == 0)), x = (uint32_t)word(in);
    CHECK(words);
    for (size_t i = 0; i < n; i++)
        words[i] = x = x * 1664525u + 1013904223u;
    return words;
}

#endif

/* SPDX-License-Identifier: MIT */
/* plant.h -- what the programs that plant a mistake share: its words, random bits, files */
#ifndef SOFTFP8_TESTS_PLANT_H
#define SOFTFP8_TESTS_PLANT_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *mistakes; /* words with "+" between them */

/* Whether the word is among the mistakes. */
static int is(const char *word)
{
    size_t length = strlen(word);
    for (const char *at = mistakes; at; at = strchr(at, '+') ? strchr(at, '+') + 1 : NULL) {
        if (strncmp(at, word, length) == 0 && (at[length] == '+' || at[length] == '\0'))
            return 1;
    }
    return 0;
}

static uint64_t seed = 88172645463325252u;

static uint32_t random_bits(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return (uint32_t)(seed >> 32);
}

static void save(const char *path, const void *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f) != 0)
        exit(2);
}

#endif

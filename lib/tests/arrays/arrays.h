/* SPDX-License-Identifier: MIT */
/* arrays.h -- array conversions compared with the function for one value, on every level */
#ifndef SF8_TEST_ARRAYS_H
#define SF8_TEST_ARRAYS_H

#include "check.h"
#include "random.h"
#include "softfp8_vectors.h"

#include <stdlib.h>

static inline size_t width_of(sf8_format f)
{
    int32_t bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static inline uint64_t element(const void *array, size_t i, size_t width)
{
    const unsigned char *at = (const unsigned char *)array + i * width;
    uint64_t w64 = 0;
    uint32_t w32 = 0;
    uint16_t w16 = 0;
    switch (width) {
    case 1:
        return *at;
    case 2:
        memcpy(&w16, at, sizeof w16);
        return w16;
    case 4:
        memcpy(&w32, at, sizeof w32);
        return w32;
    default:
        memcpy(&w64, at, sizeof w64);
        return w64;
    }
}

static inline void set_element(void *array, size_t i, size_t width, uint64_t word)
{
    uint32_t w32 = (uint32_t)word;
    uint16_t w16 = (uint16_t)word;
    uint8_t w8 = (uint8_t)word;
    void *at = (unsigned char *)array + i * width;
    memcpy(at,
           width == 8   ? (void *)&word
           : width == 4 ? (void *)&w32
           : width == 2 ? (void *)&w16
                        : (void *)&w8,
           width);
}

/* One conversion of an array, as a text for messages. */
typedef struct job {
    sf8_format to, from;
    sf8_policy policy;
    const char *text;
} job;

/* Some emulators have vectors that only round to nearest. There, other roundings are called but not
 * compared; the portable level, the first, asks for no direction of vectors. */
static int only_nearest;

static inline int is_compared(size_t level, sf8_policy policy)
{
    return !only_nearest || level == 0 || policy.round == SF8_RNE;
}

/* All inputs on all levels; `room` has space for the results. Stops at the first difference. A
 * level that gives the bytes of the level before, which are right, is right too.
 */
static inline int check_array(const job *j, const void *words, size_t n, void *room)
{
    size_t in = width_of(j->from), out = width_of(j->to);
    void *right = malloc(n * out + 1);
    cr_assert(right != NULL);
    int good = 1;
    for (size_t level = 0; good && sf8_simd_at(level); level++) {
        memset(room, 0x55, n * out);
        sf8_status status = sf8_convert_n_at(sf8_simd_at(level), j->to, room, j->from, words, n,
                                             j->policy);
        cr_assert(status == SF8_OK, "%s: status %d", j->text, (int)status);
        if ((level && memcmp(room, right, n * out) == 0) || !is_compared(level, j->policy))
            continue;
        memcpy(right, room, n * out);
        for (size_t i = 0; good && i < n; i++) {
            uint64_t word = element(words, i, in), code = element(room, i, out);
            uint64_t want = sf8_convert(j->to, j->from, word, j->policy);
            good = code == want;
            if (!good)
                EXPECT(0, "%s, %s: %" PRIx64 " gives %" PRIx64 ", not %" PRIx64, j->text,
                       sf8_simd_at(level), word, code, want);
        }
    }
    free(right);
    return good;
}

#endif

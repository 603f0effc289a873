/* SPDX-License-Identifier: MIT */
/* random.c -- random words, and conversions of arrays that are rounded by them */
#include "arrays/array.h"

#include <string.h>

void sf8_random_n(uint32_t *words, size_t n, uint64_t seed, uint64_t first)
{
    const sf8_kernels *k = sf8_level_now()->arrays;
    enum { BLOCK = 512 };
    uint32_t made[(size_t)BLOCK + SF8_GROUP];
    size_t skip = (size_t)(first % 4);
    if (!k->random)
        k = sf8_portable_kernels();
    for (size_t i = 0; i < n; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK;
        k->random(made, skip + count, seed, (first + i) / 4);
        memcpy(words + i, made + skip, 4 * count);
    }
}

sf8_status sf8_convert_seeded_n(sf8_format to, void *dst, sf8_format from, const void *src,
                                size_t n, sf8_policy policy, uint64_t seed, uint64_t first)
{
    enum { BLOCK = 4096 };
    uint32_t random[BLOCK];
    size_t wide = sf8_array_width(from), narrow = sf8_array_width(to);
    if (policy.round != SF8_SR)
        return sf8_convert_n(to, dst, from, src, n, policy);
    sf8_status status = sf8_array_check(to, from, n, 0);
    for (size_t i = 0; i < n && status == SF8_OK; i += BLOCK) {
        size_t count = n - i < (size_t)BLOCK ? n - i : (size_t)BLOCK;
        sf8_random_n(random, count, seed, first + i);
        status = sf8_convert_sr_n(to, (unsigned char *)dst + i * narrow, from,
                                  (const unsigned char *)src + i * wide, count, policy, random);
    }
    return status;
}

/* SPDX-License-Identifier: MIT */
/* broken_bench.c -- softfp8-bench over array functions that have one element wrong
 *
 * The linker's --wrap puts these between the program and the library. With BROKEN_END in the
 * environment conversions are wrong only of arrays that begin with one of the last words of f32.
 */
#include "softfp8.h"

#include <stdlib.h>
#include <string.h>

sf8_status __real_sf8_convert_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                                   const void *src, size_t n, sf8_policy policy);
sf8_status __wrap_sf8_convert_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                                   const void *src, size_t n, sf8_policy policy);
sf8_status __real_sf8_add_n(sf8_format f, void *dst, const void *a, const void *b, size_t n,
                            sf8_policy policy);
sf8_status __wrap_sf8_add_n(sf8_format f, void *dst, const void *a, const void *b, size_t n,
                            sf8_policy policy);
sf8_status __real_sf8_pack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);
sf8_status __wrap_sf8_pack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n);

/* The lowest bit of a byte in the middle. */
static void spoil(void *dst, size_t n)
{
    ((uint8_t *)dst)[n / 2] ^= 1;
}

sf8_status __wrap_sf8_convert_n_at(const char *level, sf8_format to, void *dst, sf8_format from,
                                   const void *src, size_t n, sf8_policy policy)
{
    sf8_status status = __real_sf8_convert_n_at(level, to, dst, from, src, n, policy);
    uint32_t first;
    memcpy(&first, src, sizeof first);
    if (!getenv("BROKEN_END") || first >= 0xfff00000)
        spoil(dst, n);
    return status;
}

sf8_status __wrap_sf8_add_n(sf8_format f, void *dst, const void *a, const void *b, size_t n,
                            sf8_policy policy)
{
    sf8_status status = __real_sf8_add_n(f, dst, a, b, n, policy);
    spoil(dst, n);
    return status;
}

sf8_status __wrap_sf8_pack_n(int32_t bits, uint8_t *dst, const uint8_t *src, size_t n)
{
    sf8_status status = __real_sf8_pack_n(bits, dst, src, n);
    spoil(dst, sf8_packed_size(bits, n) - 1);
    return status;
}

/* SPDX-License-Identifier: MIT */
/* array_portable.c -- the kernels in plain C, for any processor */
#include "array.h"

#include <string.h>

#if defined(__x86_64__) && !defined(__AVX2__)
#define SF8_SHIFTS 0 /* SSE2 shifts all lanes alike */
#else
#define SF8_SHIFTS 1
#endif
#define SF8_POWERS_ALONE 0
#define SF8_TARGET
#define SF8_LEVEL(name) sf8_portable_##name
#include "array_words.h"
#undef SF8_LEVEL
#undef SF8_TARGET
#undef SF8_POWERS_ALONE
#undef SF8_SHIFTS

static void sf8_portable_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                                const uint8_t *src, size_t n)
{
    if (!widen) {
        for (size_t i = 0; i < n; i++)
            memcpy(dst + 2 * i, &table[src[i]], 2);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t word = (uint32_t)table[src[i]] << 16;
        memcpy(dst + 4 * i, &word, 4);
    }
}

SF8_PRIVATE const sf8_kernels *sf8_portable_kernels(void)
{
    static const sf8_kernels kernels = {"portable", sf8_portable_encode, NULL,
                                        NULL,       sf8_portable_decode, sf8_portable_narrow};
    return &kernels;
}

/* SPDX-License-Identifier: MIT */
/* random.h -- random words for tests: the generator of Knuth's MMIX, its upper half */
#ifndef SF8_TEST_RANDOM_H
#define SF8_TEST_RANDOM_H

#include <stdint.h>

static uint64_t random_state = 1;

static inline uint32_t pseudo_random(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 32);
}

#endif

/* SPDX-License-Identifier: MIT */
/* random.h -- pseudo-random words: a seed gives the same ones everywhere */
#ifndef SOFTFP8_BASE_RANDOM_H
#define SOFTFP8_BASE_RANDOM_H

#include <stdint.h>

/* SplitMix64: shifts and multiplications of a counter. Every state is valid. */
#define WORD_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t word_random(uint64_t *state)
{
    uint64_t x = *state += WORD_RANDOM_STEP;
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* The linear congruential generator of sets whose results are recorded, and must not change. Its
 * high bits are the better ones. New sets take word_random. */
static inline uint64_t word_random_linear(uint64_t *state)
{
    return *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
}

#endif

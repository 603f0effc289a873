/* SPDX-License-Identifier: MIT */
/* groups.h -- the recipes with an f32 scale for a group, each beside the most similar one
 *
 * The rows are those of lib/core/softfp8/blocks/recipes_groups.h.
 */
#ifndef SF8_TEST_DISTINCT_GROUPS_H
#define SF8_TEST_DISTINCT_GROUPS_H

#include "blocks/distinct/pair.h"

static const distinct_pair distinct_groups[] = {
    /* x (1/s) is above a tie, x / s is below it */
    {{0x1.ap+1f, 0x1.38p-1f, 0},
     {"fp8-group64-sglang-triton", 0, 0x3bedb6db, 0, {0x7e, 0x6b, 0}, {0x40500000, 0x3f236db7, 0}},
     {"fp8-group128", 0, 0x3bedb6db, 0, {0x7e, 0x6a, 0}, {0x40500000, 0x3f149249, 0}}},
    {{0x1.ap+1f, 0x1.38p-1f, 0},
     {"fp8-group128-sglang-triton", 0, 0x3bedb6db, 0, {0x7e, 0x6b, 0}, {0x40500000, 0x3f236db7, 0}},
     {"fp8-group128", 0, 0x3bedb6db, 0, {0x7e, 0x6a, 0}, {0x40500000, 0x3f149249, 0}}},
    /* just above 2^20 the log2 is 20 */
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-group128-sglang-triton-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}},
     {"fp8-group128-sglang-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}}},
    /* 126.99 is 126: the code is cut off */
    {{52, 0x1.9p-2f, 0},
     {"int8-group128-sglang-triton", 0, 0x3ed1a347, 0, {0x7f, 0, 0}, {0x42500000, 0, 0}},
     {"int8-group128-vllm-triton", 0, 0x3ed1a347, 0, {0x7e, 0, 0}, {0x424e5cba, 0, 0}}},
    {{0x1.9p+2f, 0x1.6p-1f, 0},
     {"int8-per-token-sglang", 0, 0x3d499326, 0, {0x7f, 0xe, 0}, {0x40c80000, 0x3f3060c1, 0}},
     {"int8-group128-vllm-triton", 0, 0x3d499326, 0, {0x7f, 0xd, 0}, {0x40c80000, 0x3f23c78f, 0}}},
    /* amax (1/448); times 448 / amax, which is not 1/s */
    {{0x1.9p+2f, 0, 0},
     {"fp8-group128-sglang", 0, 0x3c64924a, 0, {0x7e, 0, 0}, {0x40c80001, 0, 0}},
     {"fp8-group128-sglang-triton", 0, 0x3c649249, 0, {0x7e, 0, 0}, {0x40c80000, 0, 0}}},
    {{0x1.5p+0f, 0x1.c8p-3f, 0},
     {"fp8-group128-sglang", 0, 0x3b400001, 0, {0x7e, 0x6a, 0}, {0x3fa80001, 0x3e700001, 0}},
     {"fp8-group128-vllm-triton", 0, 0x3b400001, 0, {0x7e, 0x69, 0}, {0x3fa80001, 0x3e580001, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"fp8-group128-sglang-ue8m0", 0, 0x3c800000, 0, {0x7c, 0, 0}, {0x40c00000, 0, 0}},
     {"fp8-group128-sglang", 0, 0x3c64924a, 0, {0x7e, 0, 0}, {0x40c80001, 0, 0}}},
    /* NaN goes to the upper bound */
    {{1, NAN, 0},
     {"fp8-group128-sglang-ue8m0-packed",
      0,
      0x3b800000,
      0,
      {0x78, 0x7e, 0},
      {0x3f800000, 0x3fe00000, 0}},
     {"fp8-group128-sglang-ue8m0", 0, 0x3b800000, 0, {0x78, 0xfe, 0}, {0x3f800000, 0xbfe00000, 0}}},
    {{13, 0, 0},
     {"int8-group128-sglang", 0, 0x3dd1a346, 0, {0x7f, 0, 0}, {0x414fffff, 0, 0}},
     {"int8-group128-vllm-triton", 0, 0x3dd1a347, 0, {0x7e, 0, 0}, {0x414e5cba, 0, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"fp8-group64-vllm-triton", 0, 0x3c64924a, 0, {0x7e, 0, 0}, {0x40c80001, 0, 0}},
     {"fp8-group128", 0, 0x3c649249, 0, {0x7e, 0, 0}, {0x40c80000, 0, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"fp8-group128-vllm-triton", 0, 0x3c64924a, 0, {0x7e, 0, 0}, {0x40c80001, 0, 0}},
     {"fp8-group128", 0, 0x3c649249, 0, {0x7e, 0, 0}, {0x40c80000, 0, 0}}},
    /* 448 times 2^-5 and 2 units of the last place: the product is farther above 2^-5 */
    {{0x1.c00004p+3f, 0, 0},
     {"fp8-group128-vllm-triton-ue8m0", 0, 0x3d800000, 0, {0x76, 0, 0}, {0x41600000, 0, 0}},
     {"fp8-group128-sglang-triton-ue8m0", 0, 0x3d000000, 0, {0x7e, 0, 0}, {0x41600000, 0, 0}}},
    /* amax is 1e-4 at the least */
    {{1e-5f, 0, 0},
     {"fp8-group128-deepseek", 0, 0x346facad, 0, {0x63, 0, 0}, {0x3724c6b7, 0, 0}},
     {"fp8-group128", 0, 0x32bfbd57, 0, {0x7e, 0, 0}, {0x3727c5ac, 0, 0}}},
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-group128-deepseek-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}},
     {"kv-vllm-indexer-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}}},
    /* x (1/s); powers of two by log2, by bits; x (448 / amax) */
    {{0x1.ap+1f, 0x1.38p-1f, 0},
     {"fp8-block128-vllm", 0, 0x3bedb6db, 0, {0x7e, 0x6b, 0}, {0x40500000, 0x3f236db7, 0}},
     {"fp8-group128-deepseek", 0, 0x3bedb6db, 0, {0x7e, 0x6a, 0}, {0x40500000, 0x3f149249, 0}}},
    {{0x1.ap+1f, 0x1.38p-1f, 0},
     {"fp8-group128-deepgemm", 0, 0x3bedb6db, 0, {0x7e, 0x6b, 0}, {0x40500000, 0x3f236db7, 0}},
     {"fp8-group128-deepseek", 0, 0x3bedb6db, 0, {0x7e, 0x6a, 0}, {0x40500000, 0x3f149249, 0}}},
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-group128-deepgemm-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}},
     {"fp8-group128-deepseek-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}}},
    {{0x1.8p+0f, -0x1.2p-3f, 0},
     {"fp8-block128-deepgemm", 0, 0x3b5b6db7, 0, {0x7e, 0xe2, 0}, {0x3fc00000, 0xbe092492, 0}},
     {"fp8-block128-sglang", 0, 0x3b5b6db7, 0, {0x7e, 0xe3, 0}, {0x3fc00000, 0xbe16db6e, 0}}},
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-block128-vllm-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}},
     {"fp8-block128-deepgemm-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}}},
    {{0x1.8p+0f, -0x1.2p-3f, 0},
     {"fp8-block128-sglang", 0, 0x3b5b6db7, 0, {0x7e, 0xe3, 0}, {0x3fc00000, 0xbe16db6e, 0}},
     {"fp8-block128-vllm", 0, 0x3b5b6db7, 0, {0x7e, 0xe2, 0}, {0x3fc00000, 0xbe092492, 0}}},
    /* amax (1/448); powers of two by the bits */
    {{.375f, 0, 0},
     {"fp8-group128-deepseek-v3.2", 0, 0x3a5b6db8, 0, {0x7e, 0, 0}, {0x3ec00001, 0, 0}},
     {"fp8-group128-deepseek", 0, 0x3a5b6db7, 0, {0x7e, 0, 0}, {0x3ec00000, 0, 0}}},
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-group128-deepseek-v3.2-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}},
     {"fp8-group128-deepseek-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}}},
};

#endif

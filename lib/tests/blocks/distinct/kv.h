/* SPDX-License-Identifier: MIT */
/* kv.h -- the stores of keys and values, each beside the most similar one
 *
 * The rows are those of lib/core/softfp8/kv/recipes.h.
 */
#ifndef SF8_TEST_DISTINCT_KV_H
#define SF8_TEST_DISTINCT_KV_H

#include "blocks/distinct/pair.h"

static const distinct_pair distinct_kv[] = {
    /* x / s is a tie, x (1/s) is above it; NaN is clamped */
    {{0x1.9ep-11f, 0, 0},
     {"kv-vllm", 0x1.3b6db6p-9f, 0x3b1db6db, 0, {0x2a, 0, 0}, {0x3a452492, 0, 0}},
     {"kv-vllm-scaled", 0x1.3b6db6p-9f, 0x3b1db6db, 0, {0x2b, 0, 0}, {0x3a58db6d, 0, 0}}},
    {{0x1.9ep-11f, -NAN, 0},
     {"kv-vllm-scaled",
      0x1.3b6db6p-9f,
      0x3b1db6db,
      0,
      {0x2b, 0x7e, 0},
      {0x3a58db6d, 0x3f8a0000, 0}},
     {"kv-vllm", 0x1.3b6db6p-9f, 0x3b1db6db, 0, {0x2a, 0x7f, 0}, {0x3a452492, 0x7fc00000, 0}}},
    /* an approximate division, while it rounds */
    {{0x1.9ep-11f, 0, 0},
     {"kv-vllm-triton", 0x1.3b6db6p-9f, 0x3b1db6db, 0, {0x2a, 0, 0}, {0x3a452492, 0, 0}},
     {"kv-vllm-scaled", 0x1.3b6db6p-9f, 0x3b1db6db, 0, {0x2b, 0, 0}, {0x3a58db6d, 0, 0}}},
    {{1, 0, 0},
     {"kv-vllm-e5m2", 1, 0x3f800000, 0, {0x3c, 0, 0}, {0x3f800000, 0, 0}},
     {"kv-vllm", 1, 0x3f800000, 0, {0x38, 0, 0}, {0x3f800000, 0, 0}}},
    /* the scale is 0, and 0 (1/0) NaN, which is clamped */
    {{0, 0, 0},
     {"kv-vllm-dynamic", 0, 0, 0, {0x7e, 0x7e, 0x7e}, {0, 0, 0}},
     {"fp8-per-token-head-interpreted", 0, 0x358637bd, 0, {0, 0, 0}, {0, 0, 0}}},
    /* amax is g at the most */
    {{1, 0, 0},
     {"kv-vllm-token-bound", .5f, 0x3a924925, 0, {0x7e, 0, 0}, {0x3f000000, 0, 0}},
     {"fp8-per-token", 0, 0x3b124925, 0, {0x7e, 0, 0}, {0x3f800000, 0, 0}}},
    /* FLT_MIN; 1e-10 / 448 */
    {{0, 0, 0},
     {"kv-vllm-ds-mla", 0, 0x800000, 0, {0, 0, 0}, {0, 0, 0}},
     {"fp8-group128", 0, 0x2a7b5123, 0, {0, 0, 0}, {0, 0, 0}}},
    /* 1e-4 / 448 */
    {{0, 0, 0},
     {"kv-vllm-indexer", 0, 0x346facad, 0, {0, 0, 0}, {0, 0, 0}},
     {"kv-vllm-ds-mla", 0, 0x800000, 0, {0, 0, 0}, {0, 0, 0}}},
    /* 1/448 goes up to 2^-8 */
    {{1, 0, 0},
     {"kv-vllm-indexer-ue8m0", 0, 0x3b800000, 0, {0x78, 0, 0}, {0x3f800000, 0, 0}},
     {"kv-vllm-indexer", 0, 0x3b124925, 0, {0x7e, 0, 0}, {0x3f800000, 0, 0}}},
    /* the bias is 8 */
    {{1, 0, 0},
     {"kv-vllm-rocm", 1, 0x3f800000, 0, {0x40, 0, 0}, {0x3f800000, 0, 0}},
     {"kv-vllm", 1, 0x3f800000, 0, {0x38, 0, 0}, {0x3f800000, 0, 0}}},
    /* 1.0625 + 2^-13 is 1.0625, a tie, in f16 */
    {{0x1.1008p0f, 0, 0},
     {"kv-vllm-rocm-f16", 1, 0x3f800000, 0, {0x40, 0, 0}, {0x3f800000, 0, 0}},
     {"kv-vllm-rocm", 1, 0x3f800000, 0, {0x41, 0, 0}, {0x3f900000, 0, 0}}},
    /* 240 is there, the clamp is at 224 */
    {{300, 0, 0},
     {"kv-vllm-rocm-scaled", 1, 0x3f800000, 0, {0x7e, 0, 0}, {0x43600000, 0, 0}},
     {"kv-vllm-rocm", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x43700000, 0, 0}}},
    /* 1.0625 + 2^-13 is a tie in bf16 */
    {{0x1.1008p0f, 0, 0},
     {"kv-sglang-bf16", 1, 0x3f800000, 0, {0x38, 0, 0}, {0x3f800000, 0, 0}},
     {"kv-vllm", 1, 0x3f800000, 0, {0x39, 0, 0}, {0x3f900000, 0, 0}}},
    /* f16 has 3 bits more */
    {{0x1.104p0f, 0, 0},
     {"kv-sglang-f16", 1, 0x3f800000, 0, {0x39, 0, 0}, {0x3f900000, 0, 0}},
     {"kv-sglang-bf16", 1, 0x3f800000, 0, {0x38, 0, 0}, {0x3f800000, 0, 0}}},
    /* the division is a tie in bf16, the product is above it */
    {{0x1.0ep0f, 0, 0},
     {"kv-sglang-bf16-float", 0x1.294a52p-1f, 0x3f14a529, 0, {0x3f, 0, 0}, {0x3f8b5ad6, 0, 0}},
     {"kv-sglang-bf16", 0x1.294a52p-1f, 0x3f14a529, 0, {0x3e, 0, 0}, {0x3f821084, 0, 0}}},
    /* the same in f16 */
    {{0x1.004p0f, 0, 0},
     {"kv-sglang-f16-float", 0x1.8654bap-1f, 0x3f432a5d, 0, {0x3b, 0, 0}, {0x3f862d20, 0, 0}},
     {"kv-sglang-f16", 0x1.8654bap-1f, 0x3f432a5d, 0, {0x3a, 0, 0}, {0x3f73f4f4, 0, 0}}},
    /* 500 is NaN */
    {{500, 0, 0},
     {"kv-sglang-bf16-2.12", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x7fc00000, 0, 0}},
     {"kv-sglang-bf16", 1, 0x3f800000, 0, {0x7e, 0, 0}, {0x43e00000, 0, 0}}},
    {{500, 0, 0},
     {"kv-sglang-f16-2.12", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x7fc00000, 0, 0}},
     {"kv-sglang-f16", 1, 0x3f800000, 0, {0x7e, 0, 0}, {0x43e00000, 0, 0}}},
    {{500, 0, 0},
     {"kv-sglang-bf16-float-2.12", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x7fc00000, 0, 0}},
     {"kv-sglang-bf16-float", 1, 0x3f800000, 0, {0x7e, 0, 0}, {0x43e00000, 0, 0}}},
    {{500, 0, 0},
     {"kv-sglang-f16-float-2.12", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x7fc00000, 0, 0}},
     {"kv-sglang-f16-float", 1, 0x3f800000, 0, {0x7e, 0, 0}, {0x43e00000, 0, 0}}},
    /* 1/s is 3.328125 in bf16 */
    {{0x1.ccp-11f, 0, 0},
     {"kv-trtllm-bf16", .3f, 0x3e99999a, 0, {0x1, 0, 0}, {0x3a19999a, 0, 0}},
     {"kv-sglang-bf16", .3f, 0x3e99999a, 0, {0x2, 0, 0}, {0x3a99999a, 0, 0}}},
    /* 1/s is 3.334 in f16 */
    {{0x1.298p0f, 0, 0},
     {"kv-trtllm-f16", .3f, 0x3e99999a, 0, {0x48, 0, 0}, {0x3f99999a, 0, 0}},
     {"kv-sglang-f16", .3f, 0x3e99999a, 0, {0x47, 0, 0}, {0x3f900000, 0, 0}}},
    /* the product has 8 bits, or 11 */
    {{0x1.66p-13f, 0, 0},
     {"kv-trtllm-f16", .025f, 0x3ccccccd, 0, {0x3, 0, 0}, {0x3919999a, 0, 0}},
     {"kv-trtllm-bf16", .025f, 0x3ccccccd, 0, {0x4, 0, 0}, {0x394ccccd, 0, 0}}},
    /* ties to even; away */
    {{127, 2.5f, 0},
     {"kv-trtllm-int8", 1, 0x3f800000, 0, {0x7f, 0x2, 0}, {0x42fe0000, 0x40000000, 0}},
     {"int8-per-token-head-interpreted", 0, 0x3f800000, 0, {0x7f, 0x3, 0}, {0x42fe0000, 0x40400000, 0}}},
    /* NaN has a sign */
    {{-NAN, 0, 0},
     {"kv-minisgl", 0, 0x3f800000, 0, {0xff, 0, 0}, {0x7fc00000, 0, 0}},
     {"kv-vllm", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x7fc00000, 0, 0}}},
};

#endif

/* SPDX-License-Identifier: MIT */
/* test_blocks_distinct.c -- each recipe is distinguished from the most similar one, by a block */
#include "blocks/blocks.h"

#include <math.h>

/* ---- each recipe and the most similar one ---------------------------------------------------- */

/* A block of a recipe: scale and offset, codes, and what they are read as. */
typedef struct distinct_block {
    const char *name;
    float g;
    uint32_t scale, offset;
    uint8_t code[3];
    uint32_t value[3];
} distinct_block;

/* The same three elements by two recipes. The results are those of the stacks' formulas, written
 * out as straight-line code on MPFR, which shares nothing with the library (conformance/proof,
 * ref_block*.c). The two blocks differ only in what is listed here. */
static const struct {
    float x[3];
    distinct_block a, b;
} distinct[] = {
    /* the scale is 0: elements are 0, or times 1/0, NaN being 6 */
    {{0x1p-9f, 0, 0},
     {"nvfp4-vllm", 1, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-trtllm", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}}},
    /* times FLT_MAX at the most */
    {{0x1p-9f, 0, 0},
     {"nvfp4-vllm", 1, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-te", 1, 0, 0, {0x7, 0, 0}, {0, 0, 0}}},
    /* -0 becomes +0; -2^-9 is 8 in both */
    {{6, -0.0f, -0x1p-9f},
     {"nvfp4-te-ref", 1, 0x38, 0, {0x7, 0, 0x8}, {0x40c00000, 0, 0x80000000}},
     {"nvfp4-te", 1, 0x38, 0, {0x7, 0x8, 0x8}, {0x40c00000, 0x80000000, 0x80000000}}},
    /* a scale of 0 is replaced by 1 */
    {{0, 0, 0},
     {"nvfp4-modelopt", 1, 0x38, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-flashinfer-append", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* ties go to the lower */
    {{6, .75f, -3.5f},
     {"nvfp4-argmin", 1, 0x38, 0, {0x7, 0x1, 0xd}, {0x40c00000, 0x3f000000, 0xc0400000}},
     {"nvfp4-modelopt", 1, 0x38, 0, {0x7, 0x2, 0xe}, {0x40c00000, 0x3f800000, 0xc0800000}}},
    /* by 1/8 */
    {{0, 0, 0},
     {"nvfp4-compressed", 1, 0x20, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-te", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* scales of powers of two */
    {{6, 1, 0},
     {"nvfp4-trtllm-ue8m0", 1, 0x7f, 0, {0x7, 0x2, 0}, {0x40c00000, 0x3f800000, 0}},
     {"nvfp4-trtllm", 1, 0x38, 0, {0x7, 0x2, 0}, {0x40c00000, 0x3f800000, 0}}},
    /* f32 ends below 6 times that */
    {{0x1p127f, 0, 0},
     {"mxfp4-trtllm", 8, 0xfe, 0, {0x7, 0, 0}, {0x7f800000, 0, 0}},
     {"mxfp4-rceil", 0, 0xfc, 0, {0x6, 0, 0}, {0x7f000000, 0, 0}}},
    /* a reader that multiplies by 1/g */
    {{0x1.b6db6ep-7f, 0, 0},
     {"nvfp4-flashinfer-paged", 448, 0x38, 0, {0x7, 0, 0}, {0x3c5b6db8, 0, 0}},
     {"nvfp4-trtllm", 448, 0x38, 0, {0x7, 0, 0}, {0x3c5b6db7, 0, 0}}},
    /* ties away from 0 */
    {{6, .25f, 0},
     {"mxfp4-microxcaling", 0, 0x7f, 0, {0x7, 0x1, 0}, {0x40c00000, 0x3f000000, 0}},
     {"mxfp4-floor", 0, 0x7f, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}}},
    {{16, 0x1p-5f, 0},
     {"mxfp6-e3m2-microxcaling", 0, 0x7f, 0, {0x1c, 0x1, 0}, {0x41800000, 0x3d800000, 0}},
     {"mxfp6-e3m2-floor", 0, 0x7f, 0, {0x1c, 0, 0}, {0x41800000, 0, 0}}},
    {{4, 0x1p-4f, 0},
     {"mxfp6-e2m3-microxcaling", 0, 0x7f, 0, {0x18, 0x1, 0}, {0x40800000, 0x3e000000, 0}},
     {"mxfp6-e2m3-floor", 0, 0x7f, 0, {0x18, 0, 0}, {0x40800000, 0, 0}}},
    {{256, 0x1p-10f, 0},
     {"mxfp8-e4m3-microxcaling", 0, 0x7f, 0, {0x78, 0x1, 0}, {0x43800000, 0x3b000000, 0}},
     {"mxfp8-e4m3-floor", 0, 0x7f, 0, {0x78, 0, 0}, {0x43800000, 0, 0}}},
    {{0x1p15f, 0x1p-17f, 0},
     {"mxfp8-e5m2-microxcaling", 0, 0x7f, 0, {0x78, 0x1, 0}, {0x47000000, 0x37800000, 0}},
     {"mxfp8-e5m2-floor", 0, 0x7f, 0, {0x78, 0, 0}, {0x47000000, 0, 0}}},
    {{1, 0x1p-7f, 0},
     {"mxint8-microxcaling", 0, 0x7f, 0, {0x40, 0x1, 0}, {0x3f800000, 0x3c800000, 0}},
     {"mxint8-floor", 0, 0x7f, 0, {0x40, 0, 0}, {0x3f800000, 0, 0}}},
    /* a scale is 2^-6 at the least */
    {{0, 0, 0},
     {"nvfp4-torchao", 1, 0x8, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-modelopt", 1, 0x38, 0, {0, 0, 0}, {0, 0, 0}}},
    /* 3/2 2^0 is the largest at the scale of floor, even rounds it up */
    {{1.75f, 0, 0},
     {"mxfp4-floor", 0, 0x7d, 0, {0x7, 0, 0}, {0x3fc00000, 0, 0}},
     {"mxfp4-even", 0, 0x7e, 0, {0x6, 0, 0}, {0x40000000, 0, 0}}},
    /* ceil counts any mantissa */
    {{1.25f, 0, 0},
     {"mxfp4-ceil", 0, 0x7e, 0, {0x4, 0, 0}, {0x3f800000, 0, 0}},
     {"mxfp4-rceil", 0, 0x7d, 0, {0x6, 0, 0}, {0x3f800000, 0, 0}}},
    /* 1.6 / 6 is above 1/4 */
    {{1.6f, 0, 0},
     {"mxfp4-rceil", 0, 0x7e, 0, {0x5, 0, 0}, {0x3fc00000, 0, 0}},
     {"mxfp4-even", 0, 0x7d, 0, {0x7, 0, 0}, {0x3fc00000, 0, 0}}},
    /* a scale below 2^-126 is 0 */
    {{0x1p-125f, 0, 0},
     {"mxfp4-vllm", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp4-even", 0, 0, 0, {0x6, 0, 0}, {0x1000000, 0, 0}}},
    /* ties away from 0 */
    {{6, .25f, 0},
     {"sglang-kvfp4", 0, 0x7f, 0, {0x7, 0x1, 0}, {0x40c00000, 0x3f000000, 0}},
     {"mxfp4-rceil", 0, 0x7f, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}}},
    {{1.875f, 0, 0},
     {"mxfp6-e3m2-floor", 0, 0x7b, 0, {0x1f, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp6-e3m2-even", 0, 0x7c, 0, {0x1c, 0, 0}, {0x40000000, 0, 0}}},
    {{1.75f, 0, 0},
     {"mxfp6-e3m2-ceil", 0, 0x7c, 0, {0x1b, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp6-e3m2-rceil", 0, 0x7b, 0, {0x1f, 0, 0}, {0x3fe00000, 0, 0}}},
    {{1.8f, 0, 0},
     {"mxfp6-e3m2-rceil", 0, 0x7c, 0, {0x1b, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp6-e3m2-even", 0, 0x7b, 0, {0x1f, 0, 0}, {0x3fe00000, 0, 0}}},
    {{1.9375f, 0, 0},
     {"mxfp6-e2m3-floor", 0, 0x7d, 0, {0x1f, 0, 0}, {0x3ff00000, 0, 0}},
     {"mxfp6-e2m3-even", 0, 0x7e, 0, {0x18, 0, 0}, {0x40000000, 0, 0}}},
    {{1.875f, 0, 0},
     {"mxfp6-e2m3-ceil", 0, 0x7e, 0, {0x17, 0, 0}, {0x3ff00000, 0, 0}},
     {"mxfp6-e2m3-rceil", 0, 0x7d, 0, {0x1f, 0, 0}, {0x3ff00000, 0, 0}}},
    {{1.9f, 0, 0},
     {"mxfp6-e2m3-rceil", 0, 0x7e, 0, {0x17, 0, 0}, {0x3ff00000, 0, 0}},
     {"mxfp6-e2m3-even", 0, 0x7d, 0, {0x1f, 0, 0}, {0x3ff00000, 0, 0}}},
    {{1.9375f, 0, 0},
     {"mxfp8-e4m3-floor", 0, 0x77, 0, {0x7e, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e4m3-even", 0, 0x78, 0, {0x78, 0, 0}, {0x40000000, 0, 0}}},
    {{1.75f, 0, 0},
     {"mxfp8-e4m3-ceil", 0, 0x78, 0, {0x76, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0x77, 0, {0x7e, 0, 0}, {0x3fe00000, 0, 0}}},
    {{1.8f, 0, 0},
     {"mxfp8-e4m3-rceil", 0, 0x78, 0, {0x76, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e4m3-even", 0, 0x77, 0, {0x7e, 0, 0}, {0x3fe00000, 0, 0}}},
    {{1.875f, 0, 0},
     {"mxfp8-e5m2-floor", 0, 0x70, 0, {0x7b, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e5m2-even", 0, 0x71, 0, {0x78, 0, 0}, {0x40000000, 0, 0}}},
    {{1.75f, 0, 0},
     {"mxfp8-e5m2-ceil", 0, 0x71, 0, {0x77, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e5m2-rceil", 0, 0x70, 0, {0x7b, 0, 0}, {0x3fe00000, 0, 0}}},
    {{1.8f, 0, 0},
     {"mxfp8-e5m2-rceil", 0, 0x71, 0, {0x77, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e5m2-even", 0, 0x70, 0, {0x7b, 0, 0}, {0x3fe00000, 0, 0}}},
    /* steps of 2; of amax / 127, ties away */
    {{127, 2.5f, 0},
     {"mxint8-floor", 0, 0x85, 0, {0x7f, 0x2, 0}, {0x42fe0000, 0x40000000, 0}},
     {"int8-per-token-head", 0, 0x3f800000, 0, {0x7f, 0x3, 0}, {0x42fe0000, 0x40400000, 0}}},
    /* amax is 1e-10 at the least, a scale 1 / (448 * 512) */
    {{1e-6f, 0, 0},
     {"fp8-group128", 0, 0x31196446, 0, {0x7e, 0, 0}, {0x358637bd, 0, 0}},
     {"fp8-per-token", 0, 0x36924925, 0, {0x27, 0, 0}, {0x35892493, 0, 0}}},
    /* the same, of powers of two */
    {{1e-12f, 0, 0},
     {"fp8-group128-ue8m0", 0, 0x5e, 0, {0x4, 0, 0}, {0x2b800000, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0x4f, 0, {0x79, 0, 0}, {0x2b900000, 0, 0}}},
    /* scales of 1e-6 and 1 / (448 * 512) at the least */
    {{1e-3f, 0, 0},
     {"fp8-per-token", 0, 0x36924925, 0, {0x76, 0, 0}, {0x3a800000, 0, 0}},
     {"fp8-per-token-head", 0, 0x3615cbed, 0, {0x7e, 0, 0}, {0x3a83126f, 0, 0}}},
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
    /* the last place above 2^20 is lost in the log2 */
    {{0x1.c00002p+28f, 0, 0},
     {"mxfp8-e4m3-vllm", 0, 0x93, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0x94, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}}},
    /* + 0 makes -0 +0 */
    {{6, -0.0f, 0},
     {"nvfp4-vllm-ref", 1, 0x38, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}},
     {"nvfp4-vllm", 1, 0x38, 0, {0x7, 0x8, 0}, {0x40c00000, 0x80000000, 0}}},
    /* amax rounds up to 2^128 */
    {{0x1.fp+127f, 0, 0},
     {"mxfp4-vllm-downcast", 0, 0xfe, 0, {0x4, 0, 0}, {0x7f800000, 0, 0}},
     {"mxfp4-even", 0, 0xfd, 0, {0x6, 0, 0}, {0x7f800000, 0, 0}}},
    /* the scale is rounded up */
    {{0x1.9p+2f, 0, 0},
     {"nvfp4-vllm-ds-mla", 1, 0x39, 0, {0x7, 0, 0}, {0x40d80000, 0, 0}},
     {"nvfp4-te", 1, 0x38, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}}},
    /* codes from the scale before it is f16, 1/2 and cut */
    {{1, 2, 3},
     {"int4-vllm-turboquant-values",
      0,
      0x3044,
      0x3c00,
      {0, 0x7, 0xf},
      {0x3f800000, 0x3ff77000, 0x403ff800}},
     {"kivi-int4", 0, 0x3044, 0x3c00, {0, 0x8, 0xf}, {0x3f800000, 0x40044000, 0x40400000}}},
    {{1, 2, 3},
     {"int3-vllm-turboquant-values",
      0,
      0x3492,
      0x3c00,
      {0, 0x3, 0x7},
      {0x3f800000, 0x3fedb000, 0x403ff800}},
     {"kivi-int2", 0, 0x3955, 0x3c00, {0, 0x2, 0x3}, {0x3f800000, 0x40154000, 0x40400000}}},
    /* ties away from 0 */
    {{6, 0x1p-2f, 0},
     {"mxfp4-triton-kernels", 0, 0x7f, 0, {0x7, 0x1, 0}, {0x40c00000, 0x3f000000, 0}},
     {"mxfp4-rceil", 0, 0x7f, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"mxfp4-triton-kernels-down", 0, 0x7f, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}},
     {"mxfp4-triton-kernels", 0, 0x80, 0, {0x5, 0, 0}, {0x40c00000, 0, 0}}},
    /* amax / 448 is subnormal, so more than 2^-127 */
    {{0x1p-120f, 0, 0},
     {"mxfp8-e4m3-triton-kernels", 0, 0x1, 0, {0x68, 0, 0}, {0x3800000, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0, 0, {0x70, 0, 0}, {0x3800000, 0, 0}}},
    /* the scale is 0 and amax is not */
    {{0x1p-9f, 0, 0},
     {"nvfp4-flashinfer", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}},
     {"nvfp4-flashinfer-append", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* amax / (6 g) is a tie, amax (1 / (6 g)) is not */
    {{0x1.3bp-1f, 0, 0},
     {"nvfp4-flashinfer-append-mla", 0x1.4p-4f, 0x3b, 0, {0x7, 0, 0}, {0x3f250000, 0, 0}},
     {"nvfp4-flashinfer-append", 0x1.4p-4f, 0x3a, 0, {0x7, 0, 0}, {0x3f160000, 0, 0}}},
    {{0x1p-9f, 0, 0},
     {"nvfp4-flashinfer-kv", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}},
     {"nvfp4-flashinfer-append", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* powers of two; eps; e5m2 */
    {{0x1.9p+2f, 0, 0},
     {"fp8-group128-te", 0, 0x3c800000, 0, {0x7c, 0, 0}, {0x40c00000, 0, 0}},
     {"fp8-group128-te-f32", 0, 0x3c649249, 0, {0x7e, 0, 0}, {0x40c80000, 0, 0}}},
    {{0x1.4f8b58p-17f, 0, 0},
     {"fp8-group128-te-eps", 0, 0x36800000, 0, {0x42, 0, 0}, {0x37200000, 0, 0}},
     {"fp8-group128-te", 0, 0x33000000, 0, {0x7a, 0, 0}, {0x37200000, 0, 0}}},
    {{0x1.6p+0f, 0, 0},
     {"fp8-group128-te-f32", 0, 0x3b492493, 0, {0x7e, 0, 0}, {0x3fb00001, 0, 0}},
     {"fp8-group128-sglang-triton", 0, 0x3b492492, 0, {0x7e, 0, 0}, {0x3fb00000, 0, 0}}},
    {{0x1.4f8b58p-17f, 0, 0},
     {"fp8-group128-te-f32-eps", 0, 0x3615cbed, 0, {0x49, 0, 0}, {0x3728856b, 0, 0}},
     {"fp8-group128-te-f32", 0, 0x32bfbd57, 0, {0x7e, 0, 0}, {0x3727c5ac, 0, 0}}},
    {{1, 0, 0},
     {"fp8-e5m2-group128-te", 0, 0x38000000, 0, {0x78, 0, 0}, {0x3f800000, 0, 0}},
     {"fp8-group128-te", 0, 0x3b800000, 0, {0x78, 0, 0}, {0x3f800000, 0, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"fp8-e5m2-group128-te-f32", 0, 0x38e49249, 0, {0x7b, 0, 0}, {0x40c80000, 0, 0}},
     {"fp8-e5m2-group128-te", 0, 0x39000000, 0, {0x7a, 0, 0}, {0x40c00000, 0, 0}}},
    {{0x1.800002p+22f, 0, 0},
     {"mxfp4-te", 0, 0x93, 0, {0x7, 0, 0}, {0x4ac00000, 0, 0}},
     {"mxfp4-rceil", 0, 0x94, 0, {0x5, 0, 0}, {0x4ac00000, 0, 0}}},
    /* 3 steps; offsets are integers in [-3, 0] */
    {{1, 2, 3},
     {"kvquant-int2",
      0,
      0x3fc00000,
      0x3fc00000,
      {0, 0x2, 0x3},
      {0x3f800000, 0x40155555, 0x40400000}},
     {"kvquant-int4",
      0,
      0x40f00000,
      0x40f00000,
      {0, 0x8, 0xf},
      {0x3f800000, 0x40044444, 0x40400000}}},
    {{-0x1.4p-1f, 0x1.9p+1f, 0},
     {"kvquant-int2-clamp", 0, 0x3f4cccce, 0xbf800000, {0, 0x3, 0x1}, {0xbf9fffff, 0x401fffff, 0}},
     {"kvquant-int2",
      0,
      0x3f4cccce,
      0xbf000001,
      {0, 0x3, 0x1},
      {0xbf200000, 0x4047ffff, 0x3f1ffffe}}},
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
    {{0x1.ap+1f, 0x1.38p-1f, 0},
     {"fp8-modelopt-export-block128",
      0,
      0x3bedb6db,
      0,
      {0x7e, 0x6a, 0},
      {0x40500000, 0x3f149249, 0}},
     {"fp8-block128-vllm", 0, 0x3bedb6db, 0, {0x7e, 0x6b, 0}, {0x40500000, 0x3f236db7, 0}}},
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-block128-vllm-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}},
     {"fp8-block128-deepgemm-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}}},
    {{0x1.8p+0f, -0x1.2p-3f, 0},
     {"fp8-block128-sglang", 0, 0x3b5b6db7, 0, {0x7e, 0xe3, 0}, {0x3fc00000, 0xbe16db6e, 0}},
     {"fp8-block128-vllm", 0, 0x3b5b6db7, 0, {0x7e, 0xe2, 0}, {0x3fc00000, 0xbe092492, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"fp8-block128-te", 0, 0x3c800000, 0, {0x7c, 0, 0}, {0x40c00000, 0, 0}},
     {"fp8-block128-te-f32", 0, 0x3c649249, 0, {0x7e, 0, 0}, {0x40c80000, 0, 0}}},
    {{0x1.4f8b58p-17f, 0, 0},
     {"fp8-block128-te-eps", 0, 0x36800000, 0, {0x42, 0, 0}, {0x37200000, 0, 0}},
     {"fp8-block128-te", 0, 0x33000000, 0, {0x7a, 0, 0}, {0x37200000, 0, 0}}},
    {{0x1.4f8b58p-17f, 0, 0},
     {"fp8-block128-te-f32-eps", 0, 0x3615cbed, 0, {0x49, 0, 0}, {0x3728856b, 0, 0}},
     {"fp8-block128-te-f32", 0, 0x32bfbd57, 0, {0x7e, 0, 0}, {0x3727c5ac, 0, 0}}},
    {{1, 0, 0},
     {"fp8-e5m2-block128-te", 0, 0x38000000, 0, {0x78, 0, 0}, {0x3f800000, 0, 0}},
     {"fp8-block128-te", 0, 0x3b800000, 0, {0x78, 0, 0}, {0x3f800000, 0, 0}}},
    {{0x1.9p+2f, 0, 0},
     {"fp8-e5m2-block128-te-f32", 0, 0x38e49249, 0, {0x7b, 0, 0}, {0x40c80000, 0, 0}},
     {"fp8-e5m2-block128-te", 0, 0x39000000, 0, {0x7a, 0, 0}, {0x40c00000, 0, 0}}},
    /* times FLT_MAX at the most */
    {{0x1p-9f, 0, 0},
     {"nvfp4-te-16x16", 1, 0, 0, {0x7, 0, 0}, {0, 0, 0}},
     {"nvfp4-vllm", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* 4 over 6: the amax of the tensor, the sum of the errors, of their squares; 256, 448 */
    {{0x1.d8p+2f, 0x1.48p+1f, 0x1.dp+1f},
     {"nvfp4-te-4over6", 8, 0x7b, 0, {0x6, 0x3, 0x4}, {0x40eaaaab, 0x40300000, 0x406aaaab}},
     {"nvfp4-te-4over6-mse", 8, 0x77, 0, {0x7, 0x4, 0x5}, {0x40f00000, 0x40200000, 0x40700000}}},
    {{0x1.9p+2f, 0, 0},
     {"nvfp4-te-4over6-448", 8, 0x7b, 0, {0x7, 0, 0}, {0x40c92492, 0, 0}},
     {"nvfp4-te-4over6", 8, 0x74, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}}},
    {{5, 0x1.6p+0f, 0x1.6p+0f},
     {"nvfp4-te-4over6-448-mse", 8, 0x79, 0, {0x7, 0x3, 0x3}, {0x40a49249, 0x3fa49249, 0x3fa49249}},
     {"nvfp4-te-4over6-448", 8, 0x7d, 0, {0x6, 0x2, 0x2}, {0x409e79e8, 0x3f9e79e8, 0x3f9e79e8}}},
    {{0x1.ccp+2f, 0x1.cp+1f, 0x1.fp+1f},
     {"nvfp4-te-4over6-fast", 16, 0x5e, 0, {0x6, 0x4, 0x4}, {0x40e00000, 0x40600000, 0x40600000}},
     {"nvfp4-te-4over6-mse-fast",
      16,
      0x5a,
      0,
      {0x7, 0x5, 0x5},
      {0x40f00000, 0x40700000, 0x40700000}}},
    {{0x1.28p+2f, 0x1.cp+1f, 0x1.ap-1f},
     {"nvfp4-te-4over6-fast", 16, 0x59, 0, {0x6, 0x5, 0x1}, {0x40900000, 0x40580000, 0x3f100000}},
     {"nvfp4-te", 16, 0x54, 0, {0x7, 0x6, 0x2}, {0x40900000, 0x40400000, 0x3f400000}}},
    {{0x1.ccp+2f, 0x1.cp+1f, 0x1.fp+1f},
     {"nvfp4-te-4over6-448-fast",
      16,
      0x5e,
      0,
      {0x6, 0x4, 0x4},
      {0x40e00000, 0x40600000, 0x40600000}},
     {"nvfp4-te-4over6-mse-fast",
      16,
      0x5a,
      0,
      {0x7, 0x5, 0x5},
      {0x40f00000, 0x40700000, 0x40700000}}},
    {{0x1.d8p+2f, 0x1.48p+1f, 0x1.dp+1f},
     {"nvfp4-te-16x16-4over6", 8, 0x7b, 0, {0x6, 0x3, 0x4}, {0x40eaaaab, 0x40300000, 0x406aaaab}},
     {"nvfp4-te-16x16-4over6-mse",
      8,
      0x77,
      0,
      {0x7, 0x4, 0x5},
      {0x40f00000, 0x40200000, 0x40700000}}},
    {{0x1.9p+2f, 0, 0},
     {"nvfp4-te-16x16-4over6-448", 8, 0x7b, 0, {0x7, 0, 0}, {0x40c92492, 0, 0}},
     {"nvfp4-te-16x16-4over6", 8, 0x74, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}}},
    {{0x1.ccp+2f, 0x1.cp+1f, 0x1.fp+1f},
     {"nvfp4-te-16x16-4over6-fast",
      16,
      0x5e,
      0,
      {0x6, 0x4, 0x4},
      {0x40e00000, 0x40600000, 0x40600000}},
     {"nvfp4-te-16x16-4over6-mse-fast",
      16,
      0x5a,
      0,
      {0x7, 0x5, 0x5},
      {0x40f00000, 0x40700000, 0x40700000}}},
    {{0x1.28p+2f, 0x1.cp+1f, 0x1.ap-1f},
     {"nvfp4-te-16x16-4over6-448-fast",
      16,
      0x59,
      0,
      {0x6, 0x5, 0x1},
      {0x40900000, 0x40580000, 0x3f100000}},
     {"nvfp4-te-16x16", 16, 0x54, 0, {0x7, 0x6, 0x2}, {0x40900000, 0x40400000, 0x3f400000}}},
    {{0x1.28p+2f, 0x1.cp+1f, 0x1.ap-1f},
     {"nvfp4-vllm-4over6", 16, 0x59, 0, {0x6, 0x5, 0x1}, {0x40900000, 0x40580000, 0x3f100000}},
     {"nvfp4-vllm", 16, 0x54, 0, {0x7, 0x6, 0x2}, {0x40900000, 0x40400000, 0x3f400000}}},
    {{0x1.28p+2f, 0x1.cp+1f, 0x1.ap-1f},
     {"nvfp4-flashinfer-4over6",
      16,
      0x59,
      0,
      {0x6, 0x5, 0x1},
      {0x40900000, 0x40580000, 0x3f100000}},
     {"nvfp4-flashinfer", 16, 0x54, 0, {0x7, 0x6, 0x2}, {0x40900000, 0x40400000, 0x3f400000}}},
    {{0x1.ccp+2f, 0x1.cp+1f, 0x1.fp+1f},
     {"nvfp4-flashinfer-4over6",
      16,
      0x5e,
      0,
      {0x6, 0x4, 0x4},
      {0x40e00000, 0x40600000, 0x40600000}},
     {"nvfp4-vllm-4over6", 16, 0x5a, 0, {0x7, 0x5, 0x5}, {0x40f00000, 0x40700000, 0x40700000}}},
    /* the offset is hidden in the scale */
    {{1, 2, 3},
     {"int4-per-token-head",
      0,
      0x3e088880,
      0,
      {0x7, 0xf, 0xf},
      {0x3f6eeee0, 0x3ffffff0, 0x3ffffff0}},
     {"kvquant-int4",
      0,
      0x40f00000,
      0x40f00000,
      {0, 0x8, 0xf},
      {0x3f800000, 0x40044444, 0x40400000}}},
    /* 15 steps and 3 */
    {{1, 2, 3},
     {"kivi-int4", 0, 0x3044, 0x3c00, {0, 0x8, 0xf}, {0x3f800000, 0x40044000, 0x40400000}},
     {"kivi-int2", 0, 0x3955, 0x3c00, {0, 0x2, 0x3}, {0x3f800000, 0x40154000, 0x40400000}}},
    /* offsets are integers in [-15, 0] */
    {{-.625f, 3.125f, 0},
     {"kvquant-int4",
      0,
      0x40800000,
      0xc0200000,
      {0, 0xf, 0x2},
      {0xbf200000, 0x40480000, 0xbe000000}},
     {"kvquant-int4-clamp", 0, 0x40800000, 0xc0000000, {0, 0xe, 0x2}, {0xbf000000, 0x40400000, 0}}},
    /* -0 becomes +0 */
    {{1, -0.0f, 0},
     {"mxfp4-compressed", 0, 0x7d, 0, {0x6, 0, 0}, {0x3f800000, 0, 0}},
     {"mxfp4-even", 0, 0x7d, 0, {0x6, 0x8, 0}, {0x3f800000, 0x80000000, 0}}},
    /* rounded to one bit of mantissa */
    {{1.75f, 0, 0},
     {"mxfp8-compressed", 0, 0x78, 0, {0x76, 0, 0}, {0x3fe00000, 0, 0}},
     {"mxfp8-e4m3-even", 0, 0x77, 0, {0x7e, 0, 0}, {0x3fe00000, 0, 0}}},
    /* a scale is 2^-9 at the least */
    {{0x1p-9f, 0, 0},
     {"nvfp4-modelopt", 1, 0x1, 0, {0x2, 0, 0}, {0x3b000000, 0, 0}},
     {"nvfp4-modelopt-0.44", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}}},
    /* the 1 in place of 0 is scaled too */
    {{1, -0.0f, -0x1p-20f},
     {"mxfp8-compressed", 0, 0x77, 0, {0x78, 0, 0x80}, {0x3f800000, 0, 0x80000000}},
     {"mxfp8-e4m3-even", 0, 0x77, 0, {0x78, 0x80, 0x80}, {0x3f800000, 0x80000000, 0x80000000}}},
    {{0, 0, 0},
     {"nvfp4-modelopt-static", 1, 0x7e, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-modelopt", 1, 0x38, 0, {0, 0, 0}, {0, 0, 0}}},
    /* log2 in f32 is 20 */
    {{0x1.c00002p28f, 0, 0},
     {"mxfp8-modelopt", 0, 0x93, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0x94, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}}},
    /* ties toward zero; zero has the code 8 */
    {{6, 1.25f, 0},
     {"mxfp4-modelopt", 0, 0x7f, 0, {0x7, 0x2, 0x8}, {0x40c00000, 0x3f800000, 0x80000000}},
     {"mxfp4-torchao-rceil", 0, 0x7f, 0, {0x7, 0x2, 0}, {0x40c00000, 0x3f800000, 0}}},
    /* 0 / 0 */
    {{0, 0, 0},
     {"fp8-modelopt-block128", 0, 0, 0, {0x7f, 0x7f, 0x7f}, {0x7fc00000, 0x7fc00000, 0x7fc00000}},
     {"fp8-group128", 0, 0x2a7b5123, 0, {0, 0, 0}, {0, 0, 0}}},
    /* a scale of 0 becomes 2^-23, and -0 becomes +0 */
    {{0, -0.0f, 0},
     {"fp8-compressed-channel", 0, 0x34000000, 0, {0, 0, 0}, {0, 0, 0}},
     {"fp8-group128-te-f32", 0, 0x3f800000, 0, {0, 0x80, 0}, {0, 0x80000000, 0}}},
    {{1, -0.0f, 0},
     {"fp8-compressed-block128", 0, 0x3b124925, 0, {0x7e, 0, 0}, {0x3f800000, 0, 0}},
     {"fp8-modelopt-block128", 0, 0x3b124925, 0, {0x7e, 0x80, 0}, {0x3f800000, 0x80000000, 0}}},
    /* ties toward zero, which is +0; 1 in place of a scale of 0 */
    {{6, 1.25f, -0x1p-9f},
     {"mxfp4-mlx", 0, 0x7f, 0, {0x7, 0x2, 0}, {0x40c00000, 0x3f800000, 0}},
     {"mxfp4-modelopt", 0, 0x7f, 0, {0x7, 0x2, 0x8}, {0x40c00000, 0x3f800000, 0x80000000}}},
    {{0, -0.0f, 0},
     {"mxfp4-mlx", 0, 0x7f, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp4-gguf", 0, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    {{0, -0.0f, 0},
     {"mxfp8-mlx", 0, 0x7f, 0, {0, 0x80, 0}, {0, 0x80000000, 0}},
     {"mxfp8-e4m3-rceil", 0, 0, 0, {0, 0x80, 0}, {0, 0x80000000, 0}}},
    /* a scale half way between 1 and 1.125 */
    {{6.375f, 0, 0},
     {"nvfp4-mlx", 0, 0x38, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}},
     {"nvfp4-gguf", 0, 0x39, 0, {0x7, 0, 0}, {0x40d80000, 0, 0}}},
    /* divided by 2^-126; by rceil times 1 */
    {{0x1p-125f, 0, 0},
     {"mxfp4-torchao-floor", 0, 0, 0, {0x4, 0, 0}, {0x800000, 0, 0}},
     {"mxfp4-floor", 0, 0, 0, {0x6, 0, 0}, {0x1000000, 0, 0}}},
    {{0x1p-125f, 0, 0},
     {"mxfp4-torchao-even", 0, 0, 0, {0x4, 0, 0}, {0x800000, 0, 0}},
     {"mxfp4-even", 0, 0, 0, {0x6, 0, 0}, {0x1000000, 0, 0}}},
    {{0x1p-125f, 0, 0},
     {"mxfp4-torchao-ceil", 0, 0, 0, {0x4, 0, 0}, {0x800000, 0, 0}},
     {"mxfp4-ceil", 0, 0, 0, {0x6, 0, 0}, {0x1000000, 0, 0}}},
    {{0x1p-125f, 0, 0},
     {"mxfp4-torchao-rceil", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp4-rceil", 0, 0, 0, {0x6, 0, 0}, {0x1000000, 0, 0}}},
    /* divided by 2^-126; by rceil times 1 */
    {{0x1p-123f, 0, 0},
     {"mxfp6-e3m2-torchao-floor", 0, 0, 0, {0x18, 0, 0}, {0x1800000, 0, 0}},
     {"mxfp6-e3m2-floor", 0, 0, 0, {0x1c, 0, 0}, {0x2000000, 0, 0}}},
    {{0x1p-123f, 0, 0},
     {"mxfp6-e3m2-torchao-even", 0, 0, 0, {0x18, 0, 0}, {0x1800000, 0, 0}},
     {"mxfp6-e3m2-even", 0, 0, 0, {0x1c, 0, 0}, {0x2000000, 0, 0}}},
    {{0x1p-123f, 0, 0},
     {"mxfp6-e3m2-torchao-ceil", 0, 0, 0, {0x18, 0, 0}, {0x1800000, 0, 0}},
     {"mxfp6-e3m2-ceil", 0, 0, 0, {0x1c, 0, 0}, {0x2000000, 0, 0}}},
    {{0x1p-123f, 0, 0},
     {"mxfp6-e3m2-torchao-rceil", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp6-e3m2-rceil", 0, 0, 0, {0x1c, 0, 0}, {0x2000000, 0, 0}}},
    /* divided by 2^-126; by rceil times 1 */
    {{0x1p-125f, 0, 0},
     {"mxfp6-e2m3-torchao-floor", 0, 0, 0, {0x10, 0, 0}, {0x800000, 0, 0}},
     {"mxfp6-e2m3-floor", 0, 0, 0, {0x18, 0, 0}, {0x1000000, 0, 0}}},
    {{0x1p-125f, 0, 0},
     {"mxfp6-e2m3-torchao-even", 0, 0, 0, {0x10, 0, 0}, {0x800000, 0, 0}},
     {"mxfp6-e2m3-even", 0, 0, 0, {0x18, 0, 0}, {0x1000000, 0, 0}}},
    {{0x1p-125f, 0, 0},
     {"mxfp6-e2m3-torchao-ceil", 0, 0, 0, {0x10, 0, 0}, {0x800000, 0, 0}},
     {"mxfp6-e2m3-ceil", 0, 0, 0, {0x18, 0, 0}, {0x1000000, 0, 0}}},
    {{0x1p-125f, 0, 0},
     {"mxfp6-e2m3-torchao-rceil", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp6-e2m3-rceil", 0, 0, 0, {0x18, 0, 0}, {0x1000000, 0, 0}}},
    /* divided by 2^-126; by rceil times 1 */
    {{0x1p-119f, 0, 0},
     {"mxfp8-e4m3-torchao-floor", 0, 0, 0, {0x70, 0, 0}, {0x3800000, 0, 0}},
     {"mxfp8-e4m3-floor", 0, 0, 0, {0x78, 0, 0}, {0x4000000, 0, 0}}},
    {{0x1p-119f, 0, 0},
     {"mxfp8-e4m3-torchao-even", 0, 0, 0, {0x70, 0, 0}, {0x3800000, 0, 0}},
     {"mxfp8-e4m3-even", 0, 0, 0, {0x78, 0, 0}, {0x4000000, 0, 0}}},
    {{0x1p-119f, 0, 0},
     {"mxfp8-e4m3-torchao-ceil", 0, 0, 0, {0x70, 0, 0}, {0x3800000, 0, 0}},
     {"mxfp8-e4m3-ceil", 0, 0, 0, {0x78, 0, 0}, {0x4000000, 0, 0}}},
    {{0x1p-119f, 0, 0},
     {"mxfp8-e4m3-torchao-rceil", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0, 0, {0x78, 0, 0}, {0x4000000, 0, 0}}},
    /* divided by 2^-126; by rceil times 1 */
    {{0x1p-112f, 0, 0},
     {"mxfp8-e5m2-torchao-floor", 0, 0, 0, {0x74, 0, 0}, {0x7000000, 0, 0}},
     {"mxfp8-e5m2-floor", 0, 0, 0, {0x78, 0, 0}, {0x7800000, 0, 0}}},
    {{0x1p-112f, 0, 0},
     {"mxfp8-e5m2-torchao-even", 0, 0, 0, {0x74, 0, 0}, {0x7000000, 0, 0}},
     {"mxfp8-e5m2-even", 0, 0, 0, {0x78, 0, 0}, {0x7800000, 0, 0}}},
    {{0x1p-112f, 0, 0},
     {"mxfp8-e5m2-torchao-ceil", 0, 0, 0, {0x74, 0, 0}, {0x7000000, 0, 0}},
     {"mxfp8-e5m2-ceil", 0, 0, 0, {0x78, 0, 0}, {0x7800000, 0, 0}}},
    {{0x1p-112f, 0, 0},
     {"mxfp8-e5m2-torchao-rceil", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp8-e5m2-rceil", 0, 0, 0, {0x78, 0, 0}, {0x7800000, 0, 0}}},
    /* bits that are shifted out do not count, so that this is a tie; no -0 */
    {{1, 0x1.000002p-7f, -0x1p-9f},
     {"bfp8-tenstorrent", 0, 0x7f, 0, {0x40, 0, 0}, {0x3f800000, 0, 0}},
     {"mxint8-floor", 0, 0x7f, 0, {0x40, 0x1, 0}, {0x3f800000, 0x3c800000, 0}}},
    {{1, 0x1.000002p-3f, -0x1p-3f},
     {"bfp4-tenstorrent", 0, 0x7f, 0, {0x4, 0, 0}, {0x3f800000, 0, 0}},
     {"bfp8-tenstorrent", 0, 0x7f, 0, {0x40, 0x8, 0x88}, {0x3f800000, 0x3e000000, 0xbe000000}}},
    {{1, .6f, -.4f},
     {"bfp2-tenstorrent", 0, 0x7f, 0, {0x1, 0x1, 0}, {0x3f800000, 0x3f800000, 0}},
     {"bfp4-tenstorrent", 0, 0x7f, 0, {0x4, 0x2, 0xa}, {0x3f800000, 0x3f000000, 0xbf000000}}},
    /* stored as f16; 0.49999997 is 0 */
    {{127, 2.5f, 0x1.fffffep-2f},
     {"q8_0-gguf", 0, 0x3c00, 0, {0x7f, 0x3, 0}, {0x42fe0000, 0x40400000, 0}},
     {"int8-per-token-head",
      0,
      0x3f800000,
      0,
      {0x7f, 0x3, 0x1},
      {0x42fe0000, 0x40400000, 0x3f800000}}},
    /* the value is not rounded to f16 */
    {{-1, 1, .125f},
     {"q4_1-gguf", 0, 0x3044, 0xbc00, {0, 0xf, 0x8}, {0xbf800000, 0x3f7fe000, 0x3d880000}},
     {"kivi-int4", 0, 0x3044, 0xbc00, {0, 0xf, 0x8}, {0xbf800000, 0x3f800000, 0x3d880000}}},
    /* amax (1/448); powers of two by the bits */
    {{.375f, 0, 0},
     {"fp8-group128-deepseek-v3.2", 0, 0x3a5b6db8, 0, {0x7e, 0, 0}, {0x3ec00001, 0, 0}},
     {"fp8-group128-deepseek", 0, 0x3a5b6db7, 0, {0x7e, 0, 0}, {0x3ec00000, 0, 0}}},
    {{0x1.c00002p+28f, 0, 0},
     {"fp8-group128-deepseek-v3.2-ue8m0", 0, 0x4a000000, 0, {0x76, 0, 0}, {0x4de00000, 0, 0}},
     {"fp8-group128-deepseek-ue8m0", 0, 0x49800000, 0, {0x7e, 0, 0}, {0x4de00000, 0, 0}}},
    /* -8 is the largest magnitude */
    {{8, -7, 1},
     {"q4_0-gguf", 0, 0xbc00, 0, {0, 0xf, 0x7}, {0x41000000, 0xc0e00000, 0x3f800000}},
     {"int4-per-token-head",
      0,
      0x3f800007,
      0,
      {0xf, 0, 0x8},
      {0x41000000, 0xc0e00000, 0x3f800000}}},
    /* ties toward zero, and no -0 */
    {{6, 1.25f, -.1f},
     {"mxfp4-gguf", 0, 0x7f, 0, {0x7, 0x2, 0}, {0x40c00000, 0x3f800000, 0}},
     {"mxfp4-floor", 0, 0x7f, 0, {0x7, 0x2, 0x8}, {0x40c00000, 0x3f800000, 0x80000000}}},
    /* from 248 on 448 */
    {{1500, 0, 0},
     {"nvfp4-gguf", 1, 0x7e, 0, {0x5, 0, 0}, {0x44a80000, 0, 0}},
     {"nvfp4-argmin", 1, 0x78, 0, {0x7, 0, 0}, {0x44c00000, 0, 0}}},
    /* no -0 */
    {{6, -.1f, 0},
     {"nvfp4-auto-round", 448, 0x7e, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}},
     {"nvfp4-vllm", 448, 0x7e, 0, {0x7, 0x8, 0}, {0x40c00000, 0x80000000, 0}}},
    /* ties to even */
    {{6, .25f, 0},
     {"mxfp4-auto-round", 0, 0x7f, 0, {0x7, 0, 0}, {0x40c00000, 0, 0}},
     {"mxfp4-microxcaling", 0, 0x7f, 0, {0x7, 0x1, 0}, {0x40c00000, 0x3f000000, 0}}},
    {{256, 0x1p-10f, 0},
     {"mxfp8-auto-round", 0, 0x7f, 0, {0x78, 0, 0}, {0x43800000, 0, 0}},
     {"mxfp8-e4m3-microxcaling", 0, 0x7f, 0, {0x78, 0x1, 0}, {0x43800000, 0x3b000000, 0}}},
    /* the exponent of zeros is 1 */
    {{0, 0, 0},
     {"mxfp4-auto-round-rceil", 0, 0x80, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp4-torchao-rceil", 0, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    {{0, 0, 0},
     {"mxfp8-auto-round-rceil", 0, 0x80, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp8-modelopt", 0, 0, 0, {0, 0, 0}, {0, 0, 0}}},
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
     {"fp8-per-token-head", 0, 0x358637bd, 0, {0, 0, 0}, {0, 0, 0}}},
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
     {"int8-per-token-head", 0, 0x3f800000, 0, {0x7f, 0x3, 0}, {0x42fe0000, 0x40400000, 0}}},
    /* NaN has a sign */
    {{-NAN, 0, 0},
     {"kv-minisgl", 0, 0x3f800000, 0, {0xff, 0, 0}, {0x7fc00000, 0, 0}},
     {"kv-vllm", 1, 0x3f800000, 0, {0x7f, 0, 0}, {0x7fc00000, 0, 0}}},
};

static void check_block(const float x[3], const distinct_block *want)
{
    made m = made_of(want->name, x, 3, want->g);
    EXPECT(m.scale == want->scale && m.offset == want->offset, "%s: scale %x, offset %x",
           want->name, m.scale, m.offset);
    for (size_t i = 0; i < 3; i++)
        EXPECT(m.code[i] == want->code[i] && m.value[i] == want->value[i],
               "%s, element %zu: %02x, %08x", want->name, i, m.code[i], m.value[i]);
}

static int same_block(const distinct_block *a, const distinct_block *b)
{
    return a->scale == b->scale && memcmp(a->code, b->code, sizeof a->code) == 0 &&
           memcmp(a->value, b->value, sizeof a->value) == 0;
}

Test(blocks_distinct, apart)
{
    for (size_t i = 0; i < COUNT(distinct); i++) {
        check_block(distinct[i].x, &distinct[i].a);
        check_block(distinct[i].x, &distinct[i].b);
        EXPECT(!same_block(&distinct[i].a, &distinct[i].b), "%s is %s", distinct[i].a.name,
               distinct[i].b.name);
    }
    const sf8_recipe_row *row;
    size_t of_caches = 0;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        size_t seen = 0, first = 0;
        for (size_t k = 0; k < COUNT(distinct); k++) {
            first += strcmp(distinct[k].a.name, row->name) == 0;
            seen += strcmp(distinct[k].b.name, row->name) == 0;
        }
        EXPECT(first + seen > 0, "%s is in no pair", row->name);
        if (strncmp(row->name, "kv-", 3) != 0)
            continue;
        of_caches++;
        EXPECT(first > 0, "%s has no literal block beside its nearest relative's", row->name);
    }
    EXPECT(of_caches == 24, "%zu stores of keys and values", of_caches);
}

/* A block of two rows has one scale, its relative of one row two. The largest magnitudes of the
 * rows are 7 and 3.5. */
Test(blocks_distinct, rows)
{
    static const struct {
        const char *tile, *row;
        uint32_t scale, below;
        float g;
    } pairs[] = {
        {"fp8-block128-vllm", "fp8-group128-deepseek", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-vllm-ue8m0", "fp8-group128-deepseek-ue8m0", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-deepgemm", "fp8-group128-deepgemm", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-deepgemm-ue8m0", "fp8-group128-deepgemm-ue8m0", 0x3c800000, 0x3c000000, 0},
        {"fp8-compressed-block128", "fp8-compressed-channel", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-sglang", "fp8-group128-deepseek", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te", "fp8-group128-te", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te-eps", "fp8-group128-te-eps", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te-f32", "fp8-group128-te-f32", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te-f32-eps", "fp8-group128-te-f32-eps", 0x3c800000, 0x3c000000, 0},
        {"fp8-e5m2-block128-te", "fp8-e5m2-group128-te", 0x39000000, 0x38800000, 0},
        {"fp8-e5m2-block128-te-f32", "fp8-e5m2-group128-te-f32", 0x39000000, 0x38800000, 0},
        {"nvfp4-te-16x16", "nvfp4-te", 0x39, 0x31, 1},
        {"nvfp4-te-16x16-4over6", "nvfp4-te-4over6", 0x76, 0x6e, 8},
        {"nvfp4-te-16x16-4over6-mse", "nvfp4-te-4over6-mse", 0x76, 0x6e, 8},
        {"nvfp4-te-16x16-4over6-448", "nvfp4-te-4over6-448", 0x7c, 0x74, 8},
        {"nvfp4-te-16x16-4over6-fast", "nvfp4-te-4over6-fast", 0x5e, 0x56, 16},
        {"nvfp4-te-16x16-4over6-mse-fast", "nvfp4-te-4over6-mse-fast", 0x5e, 0x56, 16},
        {"nvfp4-te-16x16-4over6-448-fast", "nvfp4-te-4over6-448-fast", 0x5e, 0x56, 16},
    };
    static const float x[4] = {7, 0, 3.5f, 0};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        sf8_recipe tile = recipe_of(pairs[i].tile), row = recipe_of(pairs[i].row);
        uint32_t one[2] = {0, 0}, two[2] = {0, 0};
        uint8_t codes[4];
        cr_assert(sf8_recipe_scale_rows(&tile, 2) == 1 && sf8_recipe_scale_rows(&row, 2) == 2);
        cr_assert(sf8_quantize_n(&tile, codes, one, NULL, SF8_F32, x, 2, 2, pairs[i].g) == SF8_OK);
        cr_assert(sf8_quantize_n(&row, codes, two, NULL, SF8_F32, x, 2, 2, pairs[i].g) == SF8_OK);
        EXPECT(one[0] == pairs[i].scale && one[1] == 0, "%s: %x", pairs[i].tile, one[0]);
        EXPECT(two[0] == pairs[i].scale && two[1] == pairs[i].below, "%s: %x %x", pairs[i].row,
               two[0], two[1]);
    }
}

/* kv-vllm-triton is kv-vllm except for one operation of its program, a division that may miss the
 * last bits. As long as that is correctly rounded, the two are the same store: all values of bf16,
 * NaN and infinities included, with scales of every kind and 1000 more, half of them subnormal or
 * with few bits. */
Test(blocks_distinct, a_division_that_rounds)
{
    static const uint32_t kinds[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000,
                                     0x3f800000, 0x3b1db6db, 0x3ccccccd, 0x7f7fffff, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0xbf800000};
    static uint16_t x[65536];
    static uint8_t a[65536], b[65536];
    sf8_recipe store = recipe_of("kv-vllm"), triton = recipe_of("kv-vllm-triton");
    uint32_t random = 1, scale_a, scale_b;
    for (size_t i = 0; i < 65536; i++)
        x[i] = (uint16_t)i;
    for (size_t i = 0; i < COUNT(kinds) + 1000 / one_in(20); i++) {
        random = random * 1664525 + 1013904223;
        float g = from_word(i < COUNT(kinds) ? kinds[i] : i % 2 ? random : random & 0x80ff0000);
        cr_assert(sf8_quantize_n(&store, a, &scale_a, NULL, SF8_BF16, x, 1, 65536, g) == SF8_OK &&
                  sf8_quantize_n(&triton, b, &scale_b, NULL, SF8_BF16, x, 1, 65536, g) == SF8_OK);
        EXPECT(scale_a == scale_b && memcmp(a, b, sizeof a) == 0, "g %08x", sf8_f32_bits(g));
    }
    EXPECT(triton.element_of.term[2].op == SF8_TERM_DIV_NEAR &&
               store.element_of.term[2].op == SF8_TERM_DIV,
           "other programs");
    triton.element_of.term[2].op = SF8_TERM_DIV;
    EXPECT(memcmp(&triton.element_of, &store.element_of, sizeof store.element_of) == 0 &&
               memcmp(&triton.element, &store.element, sizeof store.element) == 0 &&
               memcmp(&triton.value_of, &store.value_of, sizeof store.value_of) == 0,
           "more than the quotient");
}

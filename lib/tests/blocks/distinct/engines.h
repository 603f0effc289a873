/* SPDX-License-Identifier: MIT */
/* engines.h -- the recipes of serving engines, each beside the most similar one
 *
 * The rows are those of lib/core/softfp8/blocks/recipes_engines.h.
 */
#ifndef SF8_TEST_DISTINCT_ENGINES_H
#define SF8_TEST_DISTINCT_ENGINES_H

#include "blocks/distinct/pair.h"

static const distinct_pair distinct_engines[] = {
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
     {"nvfp4-flashinfer", 1, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-flashinfer-0.7.2", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}}},
    {{0x1p-9f, 0, 0},
     {"nvfp4-flashinfer-0.7.2", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}},
     {"nvfp4-vllm", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* amax / (6 g) is a tie, amax (1 / (6 g)) is not */
    {{0x1.3bp-1f, 0, 0},
     {"nvfp4-flashinfer-append-mla", 0x1.4p-4f, 0x3b, 0, {0x7, 0, 0}, {0x3f250000, 0, 0}},
     {"nvfp4-flashinfer-append", 0x1.4p-4f, 0x3a, 0, {0x7, 0, 0}, {0x3f160000, 0, 0}}},
    {{0x1p-9f, 0, 0},
     {"nvfp4-flashinfer-kv", 1, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"nvfp4-flashinfer-kv-0.7.2", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}}},
    {{0x1p-9f, 0, 0},
     {"nvfp4-flashinfer-kv-0.7.2", 1, 0, 0, {0x7, 0x7, 0x7}, {0, 0, 0}},
     {"nvfp4-flashinfer-append", 1, 0, 0, {0, 0, 0}, {0, 0, 0}}},
    /* the scale is 2^-127 */
    {{0x1.8p-126f, 0, 0},
     {"mxfp4-flashinfer", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp4-rceil", 0, 0, 0, {0x5, 0, 0}, {0x00c00000, 0, 0}}},
    {{INFINITY, 1, 0},
     {"mxfp4-flashinfer-invariant", 0, 0xfe, 0, {0x7, 0, 0}, {0x7f800000, 0, 0}},
     {"mxfp4-rceil", 0, 0xff, 0, {0x7, 0x7, 0x7}, {0x7fc00000, 0x7fc00000, 0x7fc00000}}},
    {{0x1p-120f, 0, 0},
     {"mxfp8-flashinfer", 0, 0, 0, {0, 0, 0}, {0, 0, 0}},
     {"mxfp8-e4m3-rceil", 0, 0, 0, {0x70, 0, 0}, {0x3800000, 0, 0}}},
    /* 4 over 6: the amax of the tensor, the sum of the errors, of their squares; 256, 448 */
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
    {{0x1.28p+2f, 0x1.cp+1f, 0x1.ap-1f},
     {"nvfp4-flashinfer-append-4over6",
      0x1p-4f,
      0x59,
      0,
      {0x6, 0x5, 0x1},
      {0x40900000, 0x40580000, 0x3f100000}},
     {"nvfp4-flashinfer-append",
      0x1p-4f,
      0x54,
      0,
      {0x7, 0x6, 0x2},
      {0x40900000, 0x40400000, 0x3f400000}}},
    {{0x1.ccp+2f, 0x1.cp+1f, 0x1.fp+1f},
     {"nvfp4-flashinfer-4over6",
      16,
      0x5e,
      0,
      {0x6, 0x4, 0x4},
      {0x40e00000, 0x40600000, 0x40600000}},
     {"nvfp4-vllm-4over6", 16, 0x5a, 0, {0x7, 0x5, 0x5}, {0x40f00000, 0x40700000, 0x40700000}}},
};

#endif

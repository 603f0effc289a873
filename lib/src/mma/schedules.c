/* SPDX-License-Identifier: MIT */
/* schedules.c -- the known schedules by which kernels form a product of matrices */
#include "softfp8_mma.h"

const sf8_mma_schedule_row *sf8_mma_schedule_at(size_t i)
{
    static const sf8_mma_schedule_row rows[] = {
        {"cutlass-fast", "hopper-qgmma", 0, 1, SF8_MMA_UNSCALED,
         "CUTLASS 3, sm_90, FP8 with FastAccum: one chain over K", ""},
        {"cutlass-promote4", "hopper-qgmma", 4, 1, SF8_MMA_UNSCALED,
         "CUTLASS 3, sm_90, FP8: mma_promotion_interval is 4, then FADD", ""},
        {"cutlass-blockwise", "hopper-qgmma", 4, 1, SF8_MMA_SUM_FIRST,
         "CUTLASS 3, sm_90, FP8 with block scales: FMUL(sum, sa), FFMA(that, sb, total)",
         "which of the two products the compiler fuses"},
        {"deepgemm-128", "hopper-qgmma", 4, 1, SF8_MMA_SCALES_FIRST,
         "DeepGEMM, sm_90: FMUL(sa, sb), FFMA(that, sum, total) every 128 of K", ""},
        {"cublaslt-fast", "hopper-qgmma", 0, 1, SF8_MMA_UNSCALED,
         "cuBLASLt 13.1 on an H100, FAST_ACCUM 1: 48 products of our record, 0 differ",
         "other versions; the splits of K, which it did not use"},
        {"cublaslt-promoted", "hopper-qgmma", 4, 1, SF8_MMA_UNSCALED,
         "cuBLASLt 13.1 on an H100, FAST_ACCUM 0: 48 products of our record, 0 differ",
         "other versions; the splits of K, which it did not use"},
    };
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

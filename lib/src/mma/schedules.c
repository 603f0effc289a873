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
         "cuBLASLt, sm_90, FAST_ACCUM 1: documented as not promoted", "the splits of K"},
        {"cublaslt-promoted", "hopper-qgmma", 4, 1, SF8_MMA_UNSCALED,
         "cuBLASLt, sm_90, FAST_ACCUM 0: documented as periodically promoted",
         "the interval; the splits of K"},
    };
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

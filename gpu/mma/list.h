/* SPDX-License-Identifier: MIT */
/* list.h -- the instructions of matrix units that are tested, numbered in this order
 *
 * X(kind, n, k, a, b, out, source, sign_a, sign_b, unit). kind: sync is mma.sync.m16n<n>k<k>, wgmma
 * is wgmma.m64n<n>k<k>. source: where A is; for sync whole or half a fragment of registers; for
 * wgmma ss, in shared memory, or rs, in registers. A sign is that of the instruction's immediate.
 * unit is the model on sm_90a, for which all of them are compiled.
 */
#ifndef SOFTFP8_GPU_MMA_LIST_H
#define SOFTFP8_GPU_MMA_LIST_H

#define MMA_SYNC(X, k, a, b, out, source, unit) X(sync, 8, k, a, b, out, source, plus, plus, unit)
#define MMA_SYNC_FP8(X, a, b)                                                                      \
    MMA_SYNC(X, 32, a, b, f32, whole, "hopper-mma-fp8")                                            \
    MMA_SYNC(X, 32, a, b, f16, whole, "hopper-mma-fp8")                                            \
    MMA_SYNC(X, 16, a, b, f32, half, "hopper-mma-fp8")                                             \
    MMA_SYNC(X, 16, a, b, f16, half, "hopper-mma-fp8")
#define MMA_SYNC_LIST(X)                                                                           \
    MMA_SYNC(X, 16, f16, f16, f32, whole, "hopper-hmma")                                           \
    MMA_SYNC(X, 16, f16, f16, f16, whole, "hopper-hmma")                                           \
    MMA_SYNC(X, 8, f16, f16, f32, half, "hopper-hmma")                                             \
    MMA_SYNC(X, 8, f16, f16, f16, half, "hopper-hmma")                                             \
    MMA_SYNC(X, 16, bf16, bf16, f32, whole, "hopper-hmma")                                         \
    MMA_SYNC(X, 8, bf16, bf16, f32, half, "hopper-hmma")                                           \
    MMA_SYNC(X, 8, tf32, tf32, f32, whole, "hopper-hmma")                                          \
    MMA_SYNC(X, 4, tf32, tf32, f32, half, "hopper-hmma")                                           \
    MMA_SYNC_FP8(X, e4m3, e4m3)                                                                    \
    MMA_SYNC_FP8(X, e4m3, e5m2)                                                                    \
    MMA_SYNC_FP8(X, e5m2, e4m3)                                                                    \
    MMA_SYNC_FP8(X, e5m2, e5m2)

#define MMA_WGMMA(X, n, k, a, b, out, source, unit)                                                \
    X(wgmma, n, k, a, b, out, source, plus, plus, unit)
#define MMA_WGMMA_64(X, k, a, b, out, unit)                                                        \
    MMA_WGMMA(X, 64, k, a, b, out, ss, unit)                                                       \
    MMA_WGMMA(X, 64, k, a, b, out, rs, unit)
/* Other widths, and signs. */
#define MMA_WGMMA_OTHERS(X, k, a, b, out, unit)                                                    \
    MMA_WGMMA(X, 8, k, a, b, out, ss, unit)                                                        \
    MMA_WGMMA(X, 8, k, a, b, out, rs, unit)                                                        \
    MMA_WGMMA(X, 256, k, a, b, out, ss, unit)                                                      \
    MMA_WGMMA(X, 256, k, a, b, out, rs, unit)                                                      \
    X(wgmma, 8, k, a, b, out, ss, minus, plus, unit)                                               \
    X(wgmma, 8, k, a, b, out, rs, plus, minus, unit)                                               \
    X(wgmma, 8, k, a, b, out, ss, minus, minus, unit)
#define MMA_WGMMA_ALL(X, k, a, b, out, unit)                                                       \
    MMA_WGMMA_64(X, k, a, b, out, unit)                                                            \
    MMA_WGMMA_OTHERS(X, k, a, b, out, unit)
#define MMA_WGMMA_LIST(X)                                                                          \
    MMA_WGMMA_ALL(X, 32, e4m3, e4m3, f32, "hopper-qgmma")                                          \
    MMA_WGMMA_ALL(X, 32, e4m3, e4m3, f16, "hopper-qgmma")                                          \
    MMA_WGMMA_64(X, 32, e4m3, e5m2, f32, "hopper-qgmma")                                           \
    MMA_WGMMA_64(X, 32, e4m3, e5m2, f16, "hopper-qgmma")                                           \
    MMA_WGMMA_64(X, 32, e5m2, e4m3, f32, "hopper-qgmma")                                           \
    MMA_WGMMA_64(X, 32, e5m2, e4m3, f16, "hopper-qgmma")                                           \
    MMA_WGMMA_64(X, 32, e5m2, e5m2, f32, "hopper-qgmma")                                           \
    MMA_WGMMA_64(X, 32, e5m2, e5m2, f16, "hopper-qgmma")                                           \
    MMA_WGMMA_ALL(X, 16, f16, f16, f32, "hopper-hgmma")                                            \
    MMA_WGMMA_64(X, 16, f16, f16, f16, "hopper-hgmma")                                             \
    MMA_WGMMA_64(X, 16, bf16, bf16, f32, "hopper-hgmma")                                           \
    MMA_WGMMA_64(X, 8, tf32, tf32, f32, "hopper-hgmma")

#define MMA_LIST(X) MMA_SYNC_LIST(X) MMA_WGMMA_LIST(X)

/* X(n, a, b, out, source): wgmma.sp.m64n<n>k64, with 32 of the 64 codes of A along k. */
#define MMA_SPARSE(X, a, b, out)                                                                   \
    X(8, a, b, out, ss)                                                                            \
    X(8, a, b, out, rs)                                                                            \
    X(64, a, b, out, ss)                                                                           \
    X(64, a, b, out, rs)
#define MMA_SPARSE_LIST(X)                                                                         \
    MMA_SPARSE(X, e4m3, e4m3, f32)                                                                 \
    MMA_SPARSE(X, e4m3, e4m3, f16)                                                                 \
    MMA_SPARSE(X, e4m3, e5m2, f32)                                                                 \
    MMA_SPARSE(X, e4m3, e5m2, f16)                                                                 \
    MMA_SPARSE(X, e5m2, e4m3, f32)                                                                 \
    MMA_SPARSE(X, e5m2, e4m3, f16)                                                                 \
    MMA_SPARSE(X, e5m2, e5m2, f32)                                                                 \
    MMA_SPARSE(X, e5m2, e5m2, f16)

#endif

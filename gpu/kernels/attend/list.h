/* SPDX-License-Identifier: MIT */
/* list.h -- the kernels of attention: X(cache, sums, rows, type of the sums)
 *
 * Kernels of 32 rows are for prompts and prefixes, where many queries see the same keys.
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_LIST_H
#define SOFTFP8_GPU_KERNELS_ATTEND_LIST_H

#define ATTEND_FEW(X, cache)                                                                       \
    X(cache, "exact", 8, by_fma)                                                                   \
    X(cache, "mma-f16", 8, by_f16)                                                                 \
    X(cache, "mma-bf16", 8, by_bf16)
#define ATTEND_MANY(X, cache)                                                                      \
    X(cache, "mma-f16", 32, by_f16)                                                                \
    X(cache, "mma-bf16", 32, by_bf16)
/* Named by the type of the cache in read.h. */
#define ATTEND_f16(X) ATTEND_FEW(X, f16)
#define ATTEND_bf16(X) ATTEND_FEW(X, bf16) ATTEND_MANY(X, bf16)
#define ATTEND_e4m3(X) ATTEND_FEW(X, e4m3) ATTEND_MANY(X, e4m3)
#define ATTEND_e5m2(X) ATTEND_FEW(X, e5m2)
#define ATTEND_nvfp4(X) ATTEND_FEW(X, nvfp4) ATTEND_MANY(X, nvfp4)
#define ATTEND_mxfp4(X) ATTEND_FEW(X, mxfp4)
#define ATTEND_int4(X) ATTEND_FEW(X, int4)
#define ATTEND_LIST(X)                                                                             \
    ATTEND_f16(X) ATTEND_bf16(X) ATTEND_e4m3(X) ATTEND_e5m2(X) ATTEND_nvfp4(X) ATTEND_mxfp4(X)     \
        ATTEND_int4(X)

#endif

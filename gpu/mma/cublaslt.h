/* SPDX-License-Identifier: MIT */
/* cublaslt.h -- finds and loads the library cuBLASLt while the program runs */
#ifndef SOFTFP8_GPU_MMA_CUBLASLT_H
#define SOFTFP8_GPU_MMA_CUBLASLT_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the library with this name, "libcublasLt.so.13", for dlsym. If the environment variable
 * SOFTFP8_CUBLASLT names its folder or the file, only there. Otherwise where the loader searches,
 * then from the file `built`, which was there when the program was built and may be "", then from
 * the packages of python3. Returns NULL, and in `why` where it was looked for. */
void *gpu_cublaslt_load(const char *name, const char *built, char *why, size_t size);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* gemm_absent.c -- products of matrices where cuBLASLt is missing or not used: returns the reason
 */
#include "device.h"

#include <string.h>

const char *gpu_gemm_missing(void)
{
    return SOFTFP8_GEMM_MISSING;
}

const char *gpu_gemm_run(const gpu_product *p, gpu_gemm_choice *choice)
{
    (void)p;
    memset(choice, 0, sizeof *choice);
    return SOFTFP8_GEMM_MISSING;
}

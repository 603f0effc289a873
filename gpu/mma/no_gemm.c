/* SPDX-License-Identifier: MIT */
/* no_gemm.c -- products of matrices where cuBLASLt was not there, or is not asked: it says so */
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

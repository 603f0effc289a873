/* SPDX-License-Identifier: MIT */
/* cuda_host.c -- rows: the CPU paths of the CUDA headers
 *
 * One row for each of the host subjects of gpu/. From double to e8m0 the headers cast to float.
 * Where subnormals are flushed, as in a program linked with -ffast-math, that would lose what lies
 * between 2^-127 and 2^-126; cases are run in the ordinary floating-point environment.
 */
#include "suite/cases.h"

#include <limits.h>

#define ROW(subject, domain, ...)                                                                  \
    {"cuda-host/" subject, subject, PLACE_HOST, domain, {__VA_ARGS__}, 0, NULL, SLICES_NONE, 0},
#define OPEN_ROW ROW

const conform_case cuda_host_cases[] = {
#include "families/convert/cuda_rows.h"
};
const size_t cuda_host_count = sizeof cuda_host_cases / sizeof cuda_host_cases[0];

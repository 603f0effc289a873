/* SPDX-License-Identifier: MIT */
/* cuda_host.c -- rows: the CPU paths of the CUDA headers
 *
 * One row for each of the host subjects of gpu/. From double to e8m0 the headers cast to float.
 * Where subnormals are flushed, as in a program linked with -ffast-math, that would lose values
 * between 2^-127 and 2^-126. Cases run in a standard floating-point environment.
 */
#include "families/convert/convert.h"

#include <limits.h>

#define CUDA_LATER 0
#define ROW(called, words, ...)                                                                    \
    {.name = "cuda-host/" called,                                                                  \
     .subject = called,                                                                            \
     .family = &cuda_host_family,                                                                  \
     .domain = words,                                                                              \
     .oracle = {__VA_ARGS__}},
#define OPEN_ROW ROW

static const conform_case rows[] = {
#include "families/convert/cuda_rows.h"
};

static void cases(case_list *list)
{
    case_list_rows(list, rows, sizeof rows / sizeof rows[0]);
}

const conform_family cuda_host_family = {
    .name = "host", .cases = cases, .parts = convert_parts, .run = convert_host_run};

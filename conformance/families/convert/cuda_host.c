/* SPDX-License-Identifier: MIT */
/* cuda_host.c -- rows: the CPU paths of the CUDA headers
 *
 * One row for each of the host subjects of gpu/. From double to e8m0 the headers cast to float.
 * Where subnormals are flushed, as in a program linked with -ffast-math, that would lose values
 * between 2^-127 and 2^-126. Cases run in a standard floating-point environment.
 *
 * What headers have since a version after 13.0 is skipped where they lack it. These cases have a
 * name of their own, so that all of cuda-host/ runs with any headers.
 */
#include "families/convert/convert.h"

#include <limits.h>

#define HOST_ROW(prefix, called, words, ...)                                                       \
    {.name = prefix called, .subject = called, .domain = words, .oracle = {__VA_ARGS__}},
#define OPEN_ROW ROW

#define CUDA_LATER 0
#define ROW(called, words, ...) HOST_ROW("cuda-host/", called, words, __VA_ARGS__)
static const conform_case rows[] = {
#include "families/convert/cuda_rows.h"
};
#undef ROW
#undef CUDA_LATER

#define CUDA_LATER 1
#define ROW(called, words, ...) HOST_ROW("cuda-later/", called, words, __VA_ARGS__)
static const conform_case later_rows[] = {
#include "families/convert/cuda_rows.h"
};

#define HOST_FAMILY(first, list, how)                                                              \
    {                                                                                              \
        .name = "host", .begins = first, FAMILY_ROWS(list), .parts = convert_parts, .run = how     \
    }
const conform_family cuda_host_family = HOST_FAMILY("cuda-host", rows, convert_host_run);
const conform_family cuda_later_family = HOST_FAMILY("cuda-later", later_rows, convert_later_run);

/* SPDX-License-Identifier: MIT */
/* cuda_later.c -- rows: CPU paths that the CUDA headers have since a version after 13.0
 *
 * With headers that lack a function, or its rounding, the case is skipped. They have a name of their
 * own, so that all of cuda-host/ runs with any headers.
 */
#include "families/convert/convert.h"

#include <limits.h>

#define CUDA_LATER 1
#define ROW(called, words, ...)                                                                    \
    {.name = "cuda-later/" called,                                                                 \
     .subject = called,                                                                            \
     .family = &cuda_later_family,                                                                 \
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

const conform_family cuda_later_family = {
    .name = "host", .cases = cases, .parts = convert_parts, .run = convert_later_run};

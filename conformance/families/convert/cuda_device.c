/* SPDX-License-Identifier: MIT */
/* cuda_device.c -- rows: the conversions of the CUDA headers, as the GPU executes them
 *
 * The same functions as in cuda_host.c. Where the headers use instructions, the NaN that results is
 * the hardware's: PTX does not say which one it is.
 */
#include "families/convert/convert.h"

#include <limits.h>

#define CUDA_LATER 0
#define DEVICE_ROW(called, words, nan, ...)                                                        \
    {.name = "cuda-device/" called,                                                                \
     .subject = called,                                                                            \
     .domain = words,                                                                              \
     .oracle = {__VA_ARGS__},                                                                      \
     .nan_class = nan},
#define ROW(subject, domain, ...) DEVICE_ROW(subject, domain, 0, __VA_ARGS__)
#define OPEN_ROW(subject, domain, ...) DEVICE_ROW(subject, domain, 1, __VA_ARGS__)

static const conform_case rows[] = {
#include "families/convert/cuda_rows.h"
};

const conform_family cuda_device_family = {.name = "cuda-device",
                                           .on_device = 1,
                                           FAMILY_ROWS(rows),
                                           .run = convert_device_run,
                                           .replay = convert_replay};

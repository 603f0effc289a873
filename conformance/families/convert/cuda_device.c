/* SPDX-License-Identifier: MIT */
/* cuda_device.c -- rows: the conversions of the CUDA headers, as the GPU executes them
 *
 * The same functions as in cuda_host.c. Where the headers have instructions for them the NaN that
 * comes out is the hardware's: PTX says that it is one, not which.
 */
#include "suite/cases.h"

#include <limits.h>

#define DEVICE_ROW(subject, domain, nan, ...)                                                      \
    {"cuda-device/" subject,                                                                       \
     subject,                                                                                      \
     PLACE_DEVICE,                                                                                 \
     domain,                                                                                       \
     {__VA_ARGS__},                                                                                \
     nan,                                                                                          \
     NULL,                                                                                         \
     SLICES_NONE,                                                                                  \
     0},
#define ROW(subject, domain, ...) DEVICE_ROW(subject, domain, 0, __VA_ARGS__)
#define OPEN_ROW(subject, domain, ...) DEVICE_ROW(subject, domain, 1, __VA_ARGS__)

const conform_case cuda_device_cases[] = {
#include "families/convert/cuda_rows.h"
};
const size_t cuda_device_count = sizeof cuda_device_cases / sizeof cuda_device_cases[0];

/* SPDX-License-Identifier: MIT */
/* host.cpp -- the host subjects: the CPU paths of the CUDA headers, by an ordinary C++ compiler
 *
 * No exceptions, no run-time types, nothing initialised at the start: a C program links it.
 */
#define __NV_NO_VECTOR_DEPRECATION_DIAG /* double4 has a constructor too, which is tested */
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>

#include "device.h"
#include "probes/probe.h"

#define SUBJECT(name, covers, in, out, ...)                                                        \
    {name,                                                                                         \
     covers,                                                                                       \
     static_cast<int>(sizeof(in::word)),                                                           \
     static_cast<int>(sizeof(out::word)),                                                          \
     in::lanes,                                                                                    \
     probe::run<in, out, __VA_ARGS__>},

static constexpr gpu_subject subjects[] = {
#include "probes/rows_fp8.h"
#include "probes/rows_fp6.h"
#include "probes/rows_fp4.h"
#include "probes/rows_later.h"
};

const char *gpu_toolkit(void)
{
    return SOFTFP8_CUDA_VERSION;
}

const char *gpu_host_missing(void)
{
    return nullptr;
}

const gpu_subject *gpu_host_subjects(size_t *count)
{
    *count = sizeof subjects / sizeof subjects[0];
    return subjects;
}

/* SPDX-License-Identifier: MIT */
/* subjects.h -- the rows of probes/rows_*.h, numbered
 *
 * subject<row> is the row with this number, from 0 in the order of the files. A kernel has its
 * row's number in its name, so that machine code can be assigned to rows. The macro GPU_SM_100A
 * says whether the target is sm_100a, which has instructions that others do not have.
 */
#ifndef SOFTFP8_GPU_SUBJECTS_H
#define SOFTFP8_GPU_SUBJECTS_H

#include "softfp8/core.h" /* before CUDA's type half, which its variables would hide */

#if !defined(__NV_NO_VECTOR_DEPRECATION_DIAG) /* double4 has a constructor too, which is tested */
#define __NV_NO_VECTOR_DEPRECATION_DIAG
#endif
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>

#include "device.h"
#include "probes/ptx.h"

namespace gpu
{

template <int row> struct subject;

/* One row: __COUNTER__ increases by one with each. */
#define ROW(text, vendor, target, in, out, ...)                                                    \
    template <> struct subject<__COUNTER__ - first_row> {                                          \
        using In = in;                                                                             \
        using Out = out;                                                                           \
        using Call = __VA_ARGS__;                                                                  \
        static constexpr const char *name = text, *covers = vendor, *needs = target;               \
        static constexpr const char *group = GROUP;                                                \
        static constexpr bool runs = needs == nullptr || GPU_SM_100A;                              \
    };
#define SUBJECT(name, covers, in, out, ...) ROW(name, covers, nullptr, in, out, __VA_ARGS__)
#define INSTRUCTION(name, needs, in, out, ...) ROW(name, nullptr, needs, in, out, __VA_ARGS__)

constexpr int first_row = __COUNTER__ + 1;
#define GROUP "fp8"
#include "probes/rows_fp8.h"
#undef GROUP
#define GROUP "fp6"
#include "probes/rows_fp6.h"
#undef GROUP
#define GROUP "fp4"
#include "probes/rows_fp4.h"
#undef GROUP
#define GROUP "ptx"
#include "probes/rows_ptx.h"
#undef GROUP
constexpr int row_count = __COUNTER__ - first_row;

#undef ROW
#undef SUBJECT
#undef INSTRUCTION

} // namespace gpu

#endif

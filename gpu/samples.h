/* SPDX-License-Identifier: MIT */
/* samples.h -- the kernels of the rows of one part, GPU_PART of GPU_PARTS */
#ifndef SOFTFP8_GPU_SAMPLES_H
#define SOFTFP8_GPU_SAMPLES_H

#include "sample.h"

#include <utility>

namespace gpu
{

/* The part is a parameter: two parts may have as many rows, and the linker keeps one table of each
 * type. */
template <int part, class Numbers> struct part_table;
template <int part, int... i> struct part_table<part, std::integer_sequence<int, i...>> {
    static constexpr sampler rows[] = {sampler_of<i * GPU_PARTS + part>()...};
};

template <> const sampler *samplers<GPU_PART>()
{
    constexpr int rows = (row_count - GPU_PART + GPU_PARTS - 1) / GPU_PARTS;
    return part_table<GPU_PART, std::make_integer_sequence<int, rows>>::rows;
}

} // namespace gpu

#endif

/* SPDX-License-Identifier: MIT */
/* list.cpp -- the device subjects: names and words, which need the CUDA headers alone */
#define GPU_SM_100A 0
#include "subjects.h"

#include <utility>

namespace gpu
{

template <class Numbers> struct list;
template <int... row> struct list<std::integer_sequence<int, row...>> {
    static constexpr gpu_device_subject rows[] = {
        {subject<row>::name, subject<row>::covers,
         static_cast<int>(sizeof(typename subject<row>::In::word)),
         static_cast<int>(sizeof(typename subject<row>::Out::word)), subject<row>::In::lanes,
         subject<row>::needs, subject<row>::group}...};
};

} // namespace gpu

const gpu_device_subject *gpu_device_subjects(size_t *count)
{
    *count = gpu::row_count;
    return gpu::list<std::make_integer_sequence<int, gpu::row_count>>::rows;
}

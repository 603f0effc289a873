/* SPDX-License-Identifier: MIT */
/* attend_shared.cpp -- how much shared memory each kernel of attention needs for a block */
#include "kernels/attend/attend.h"
#include "kernels/attend/list.h"
#include "device.h"

namespace kernels
{

namespace attention
{

/* The longest rows that refuse_side() of run.h lets pass. The kernels for rows of one length keep
 * less. */
template <class Cache, class Sums, int rows> constexpr uint64_t shared_of()
{
    using piece = attend_piece<Cache, Sums, rows / 8, rows == 8 ? 2 : 1, 0>;
    return piece::laid_out(rows == 8 ? 256 : 128).all;
}

#define ATTEND_SHARED(cache, sums, rows, type) shared_of<cache##_cache, type, rows>(),
static const uint64_t needs[] = {ATTEND_LIST(ATTEND_SHARED)};

} // namespace attention

} // namespace kernels

uint64_t gpu_attend_shared(const gpu_attend_kernel *kernel)
{
    size_t count, number = static_cast<size_t>(kernel - gpu_attends(&count));
    return number < count ? kernels::attention::needs[number] : 0;
}

/* SPDX-License-Identifier: MIT */
/* attend_part.cu -- the kernels of attention for some of the caches, by the number ATTEND_PART */
#include "kernels/attend/launch.h"
#include "kernels/attend/list.h"

namespace kernels
{

namespace attention
{

#define ATTEND_INSTANCE(cache, sums, rows, type)                                                   \
    template const char *launch_wide<cache##_cache, type, rows>(const work &, uint32_t, bool);
#if ATTEND_PART == 0
ATTEND_f16(ATTEND_INSTANCE) ATTEND_bf16(ATTEND_INSTANCE)
#elif ATTEND_PART == 1
ATTEND_e4m3(ATTEND_INSTANCE) ATTEND_e5m2(ATTEND_INSTANCE)
#else
ATTEND_nvfp4(ATTEND_INSTANCE) ATTEND_mxfp4(ATTEND_INSTANCE) ATTEND_int4(ATTEND_INSTANCE)
#endif

} // namespace attention

} // namespace kernels

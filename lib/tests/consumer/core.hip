// SPDX-License-Identifier: MIT
// core.hip -- the inline core in a kernel for AMD's GPUs, compiled without the headers of ROCm
//
// These declarations are what HIP's headers have.
#include <cstddef>
struct dim3 {
    unsigned x, y, z;
};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, size_t, void *);
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
static inline __device__ __attribute__((unused)) void *memcpy(void *to, const void *from, size_t n)
{
    return __builtin_memcpy(to, from, n);
}

#include <softfp8/attend/attend.h>
#include <softfp8/blocks/block.h>
#include <softfp8/core.h>
#include <softfp8/mma/mma.h>
#include <softfp8/number/policies.h>

__global__ void convert(uint8_t *codes, const float *x, uint32_t n, sf8_format f, sf8_policy policy)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t fixed = sf8_core_convert(SF8_E4M3, SF8_F32, sf8_f32_bits(x[i]), SF8_OCP, 0).code;
        codes[i] = (uint8_t)(fixed ^
                             sf8_core_convert(f, SF8_F32, sf8_f32_bits(x[i]), policy, 0).code);
    }
}

__global__ void calculate(uint64_t *c, uint64_t a, uint64_t b, sf8_format f, sf8_policy policy)
{
    c[0] = sf8_core_add(f, a, b, policy, 0).code;
    c[1] = sf8_core_mul(f, a, b, policy, 0).code;
    c[2] = sf8_core_div(f, a, b, policy, 0).code;
    c[3] = sf8_core_sqrt(f, a, policy, 0).code;
    c[4] = sf8_core_fma(f, a, b, a, policy, 0).code;
    c[5] = sf8_f32_bits((float)sf8_f64_from_bits(a));
}

__global__ void quantize(const sf8_recipe *recipe, sf8_block *block, uint32_t x)
{
    sf8_block_begin(block, 0);
    sf8_block_take(recipe, block, x, 1);
    sf8_block_scale(recipe, block);
    block->offset = sf8_block_code(recipe, block, x);
}

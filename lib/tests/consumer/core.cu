// SPDX-License-Identifier: MIT
// core.cu -- the inline core in a kernel, and the same text on the host
//
// Folds what every operation of the core gives for a and b, once for each (a, b), on the device
// and on the host; where there is a device the two digests must be equal.
#include <softfp8/core.h>
#include <softfp8/number/policies.h>

#include <cstdio>

__host__ __device__ static uint64_t fold(uint64_t digest, sf8_result r)
{
    return (digest ^ r.code ^ ((uint64_t)r.flags << 32)) * UINT64_C(0x100000001b3);
}

__host__ __device__ static uint64_t operations(sf8_format f, sf8_policy policy, uint64_t a,
                                               uint64_t b, uint32_t random)
{
    uint64_t d = UINT64_C(0xcbf29ce484222325);
    uint64_t wide = a << 24 | b << 16 | (random & 0xffff);
    d = fold(d, sf8_core_convert(f, SF8_F32, wide, policy, random));
    d = fold(d, sf8_core_convert(SF8_F32, f, a, policy, 0));
    d = fold(d, sf8_core_convert(f, SF8_F64, wide << 32 | wide, policy, random));
    d = fold(d, sf8_core_from_i64(f, (int64_t)a - (int64_t)b, policy, random));
    d = fold(d, sf8_core_from_u64(f, wide, policy, random));
    d = fold(d, sf8_core_to_integer(f, a, 8, 1, policy, 1, random));
    d = fold(d, sf8_core_rint(f, a, policy, 1, random));
    d = fold(d, sf8_core_add(f, a, b, policy, random));
    d = fold(d, sf8_core_sub(f, a, b, policy, random));
    d = fold(d, sf8_core_mul(f, a, b, policy, random));
    d = fold(d, sf8_core_div(f, a, b, policy, random));
    d = fold(d, sf8_core_rem(f, a, b, policy, random));
    d = fold(d, sf8_core_sqrt(f, a, policy, random));
    d = fold(d, sf8_core_fma(f, a, b, a ^ b, policy, random));
    d = fold(d, sf8_core_scalb(f, a, (int32_t)b - 128, policy, random));
    d = fold(d, sf8_core_extremum(f, a, b, 1, 0, 1, policy));
    d = fold(d, sf8_core_next(f, a, 1, policy));
    d = fold(d, sf8_core_compare(f, a, b, 0, policy));
    d = fold(d, sf8_core_negate(f, a, policy));
    d ^= sf8_core_total_order(f, a, b, policy) + 2 * sf8_core_copy_sign(f, a, b);
    d ^= (uint64_t)sf8_core_class(f, a, policy) << 16 ^ sf8_core_abs(f, a) << 24;
    return d;
}

/* A format known when compiling, and one that is not. */
__host__ __device__ static uint64_t both(sf8_format f, sf8_policy policy, uint32_t i)
{
    uint64_t fixed = operations(SF8_E4M3, SF8_OCP, i >> 8, i & 255, i * 2654435761u);
    return fixed + 3 * operations(f, policy, i >> 8, i & 255, i * 2654435761u);
}

__global__ void kernel(sf8_format f, sf8_policy policy, unsigned long long *sum)
{
    uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(sum, (unsigned long long)both(f, policy, i));
}

int main()
{
    int devices = 0;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::printf("no device: compiled, not run\n");
        return 0;
    }
    sf8_format f = SF8_E5M2;
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = SF8_SR;
    unsigned long long host = 0, device = 0, *sum = nullptr;
    cudaMalloc(&sum, sizeof *sum);
    cudaMemset(sum, 0, sizeof *sum);
    kernel<<<256, 256>>>(f, policy, sum);
    cudaError_t error = cudaMemcpy(&device, sum, sizeof device, cudaMemcpyDeviceToHost);
    for (uint32_t i = 0; i < 65536; i++)
        host += both(f, policy, i);
    std::printf("host %016llx, device %016llx, %s\n", host, device, cudaGetErrorString(error));
    return error == cudaSuccess && host == device ? 0 : 1;
}

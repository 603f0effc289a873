/* SPDX-License-Identifier: MIT */
/* shim_cuda.h -- shim.h on a GPU: the CUDA runtime, with every call checked
 *
 * GPU_TARGET is what the kernels are compiled for, "sm_90a". No setting of the device is changed,
 * and only ordinary memory and the default stream are used.
 */
#ifndef SOFTFP8_GPU_SHIM_CUDA_H
#define SOFTFP8_GPU_SHIM_CUDA_H

#include "device.h"
#include "driver.h"

#include <stdio.h>
#include <string.h>

namespace shim
{

enum { THREADS = 256, BLOCKS_EACH = 8 };

/* The failed call, followed by the runtime's message. */
inline const char *failure(const char *call, const char *why)
{
    static char text[2 * GPU_TEXT];
    snprintf(text, sizeof text, "%s: %s", call, why);
    return text;
}

inline const char *checked(cudaError_t error, const char *call)
{
    return error == cudaSuccess ? nullptr : failure(call, cudaGetErrorString(error));
}

static __device__ __forceinline__ uint64_t add(uint64_t *cell, uint64_t value)
{
    return atomicAdd(reinterpret_cast<unsigned long long *>(cell), value);
}

/* ---- copies beside the arithmetic ------------------------------------------------------------ */

static __device__ __forceinline__ void copy16(uint32_t, void *to, const void *from)
{
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(
                     static_cast<uint32_t>(__cvta_generic_to_shared(to))),
                 "l"(__cvta_generic_to_global(from))
                 : "memory");
}

static __device__ __forceinline__ void commit(uint32_t)
{
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <int groups> static __device__ __forceinline__ void arrived(uint32_t)
{
    asm volatile("cp.async.wait_group %0;" ::"n"(groups) : "memory");
}

static __device__ __forceinline__ uint32_t keep(uint32_t x)
{
    asm volatile("" : "+r"(x));
    return x;
}

static __device__ __forceinline__ const uint8_t *keep(const uint8_t *x)
{
    asm volatile("" : "+l"(x));
    return x;
}

static __device__ __forceinline__ void get_columns(uint32_t number, uint32_t to[4],
                                                   const unsigned char *from, uint32_t stride)
{
    const unsigned char *row = from + number % 32 * stride;
    __syncwarp();
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(row)))
                 : "memory");
}

/* ---- kernels --------------------------------------------------------------------------------- */

template <class Body> __global__ void __launch_bounds__(THREADS) grid(const Body body)
{
    body.run(place{blockIdx.x, threadIdx.x, gridDim.x, blockDim.x});
}

template <class Body> const char *prepare()
{
    cudaFuncAttributes attributes;
    return checked(cudaFuncGetAttributes(&attributes, grid<Body>), "cudaFuncGetAttributes");
}

/* The number of blocks for `threads` threads, with `each` on each multiprocessor. */
inline const char *blocks_for(uint64_t work, int each, unsigned int *blocks)
{
    int device = 0, processors = 0;
    const char *error = checked(cudaGetDevice(&device), "cudaGetDevice");
    if (!error)
        error = checked(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device),
                        "cudaDeviceGetAttribute");
    if (error)
        return error;
    uint64_t most = static_cast<uint64_t>(processors) * static_cast<uint64_t>(each);
    uint64_t wanted = (work + THREADS - 1) / THREADS;
    *blocks = static_cast<unsigned int>(wanted > most ? most : wanted);
    return nullptr;
}

template <class Body> const char *launch(const Body &body, uint64_t work)
{
    unsigned int blocks = 0;
    const char *error = blocks_for(work, BLOCKS_EACH, &blocks);
    if (error || blocks == 0)
        return error;
    grid<Body><<<blocks, THREADS>>>(body);
    return checked(cudaGetLastError(), "kernel launch");
}

template <class Body> __global__ void __launch_bounds__(THREADS) warps(const Body body)
{
    const place at = {blockIdx.x, threadIdx.x, gridDim.x, blockDim.x};
    const uint32_t number = threadIdx.x % 32, steps = body.steps, stride = at.stride() / 32;
    typename Body::lane lane;
    body.begin(lane);
    for (uint32_t step = at.first() / 32; step < steps; step += stride) {
        body.load(step, number, lane);
        for (int bit = 1; bit < Body::together; bit *= 2)
            for (uint32_t &word : lane.shared)
                word = Body::join(word, __shfl_xor_sync(~0u, word, bit));
        body.store(step, number, lane);
    }
    body.rest(at);
}

template <class Body> const char *prepare_warps()
{
    cudaFuncAttributes attributes;
    return checked(cudaFuncGetAttributes(&attributes, warps<Body>), "cudaFuncGetAttributes");
}

template <class Body> const char *launch_warps(const Body &body)
{
    unsigned int blocks = 0;
    int each = 0; /* as many as run at once: each does the same share of the work */
    const char *error = checked(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, warps<Body>, THREADS, 0),
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    if (!error)
        error = blocks_for(static_cast<uint64_t>(body.steps) * 32, each, &blocks);
    if (error || blocks == 0)
        return error;
    warps<Body><<<blocks, THREADS>>>(body);
    return checked(cudaGetLastError(), "kernel launch");
}

template <class Body> __global__ void __launch_bounds__(Body::threads) groups(const Body body)
{
    __shared__ __align__(128) unsigned char shared[Body::shared_bytes];
    typename Body::lane lane;
    const uint32_t number = threadIdx.x, steps = body.steps;
#pragma unroll 1 /* a single instruction, in the machine code too */
    for (uint32_t step = blockIdx.x; step < steps; step += gridDim.x) {
        body.load(step, number, lane, shared);
        Body::written();
        __syncthreads();
        body.execute(lane, shared);
        __syncthreads();
        body.store(step, number, lane);
    }
}

template <class Body> const char *prepare_groups()
{
    cudaFuncAttributes attributes;
    return checked(cudaFuncGetAttributes(&attributes, groups<Body>), "cudaFuncGetAttributes");
}

template <class Body> const char *launch_groups(const Body &body)
{
    unsigned int blocks = 0;
    uint64_t each = THREADS / Body::threads;
    const char *error = blocks_for(body.steps * UINT64_C(256), 16 * static_cast<int>(each),
                                   &blocks);
    if (error || blocks == 0)
        return error;
    groups<Body><<<blocks, Body::threads>>>(body);
    return checked(cudaGetLastError(), "kernel launch");
}

template <int p, class Body>
static __device__ __forceinline__ void run_phase(const Body &body, stage at, uint32_t number,
                                                 typename Body::lane &lane, unsigned char *shared)
{
    const uint32_t times = body.template times<p>(at, lane, shared);
    constexpr int together = Body::unrolled(p);
#pragma unroll together
    for (uint32_t i = 0; i < times; i++) {
        body.template run<p>(at, i, number, lane, shared);
        if constexpr (Body::after(p) == JOINED) {
#pragma unroll
            for (int bit = 16; bit > 0; bit /= 2)
#pragma unroll
                for (uint32_t &word : lane.shared)
                    word = Body::template join<p>(word, __shfl_xor_sync(~0u, word, bit));
        } else if constexpr (Body::after(p) == HIGHEST) {
#pragma unroll
            for (uint32_t &word : lane.shared)
                word = __reduce_max_sync(~0u, word);
        } else if constexpr (Body::after(p) == EXECUTED) {
            if (Body::meets(p, i))
                __syncwarp();
            body.template execute<p>(lane);
        }
    }
    if constexpr (Body::barrier(p))
        __syncthreads();
}

template <int p, int q, class Body>
static __device__ __forceinline__ void run_phases(const Body &body, stage at, uint32_t number,
                                                  typename Body::lane &lane, unsigned char *shared)
{
    if constexpr (p < q) {
        run_phase<p>(body, at, number, lane, shared);
        run_phases<p + 1, q>(body, at, number, lane, shared);
    }
}

template <class Body>
__global__ void __launch_bounds__(Body::threads, Body::blocks) phased(const Body body)
{
    extern __shared__ __align__(128) unsigned char phased_room[];
    typename Body::lane lane;
    for (uint32_t step = blockIdx.x; step < body.steps; step += gridDim.x) {
        stage at = {step, 0};
        run_phases<0, Body::opening>(body, at, threadIdx.x, lane, phased_room);
        const uint32_t rounds = body.rounds(at);
#pragma unroll 1
        for (; rounds > at.round; at.round++)
            run_phases<Body::opening, Body::closing>(body, at, threadIdx.x, lane, phased_room);
        run_phases<Body::closing, Body::phases>(body, at, threadIdx.x, lane, phased_room);
    }
}

/* Shared memory above 48 KiB must be requested, and the caches must leave all of it to sharing. */
template <class Body> const char *prepare_phases(const Body &body)
{
    const char *error = checked(
        cudaFuncSetAttribute(phased<Body>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             static_cast<int>(body.room())),
        "cudaFuncSetAttribute");
    return error ? error
                 : checked(cudaFuncSetAttribute(phased<Body>,
                                                cudaFuncAttributePreferredSharedMemoryCarveout,
                                                cudaSharedmemCarveoutMaxShared),
                           "cudaFuncSetAttribute");
}

/* A block for each step: the device gives the next step to the first block that is done. */
template <class Body> const char *launch_phases(const Body &body)
{
    (void)closed<Body>();
    if (body.steps == 0)
        return nullptr;
    phased<Body><<<body.steps, Body::threads, body.room()>>>(body);
    return checked(cudaGetLastError(), "kernel launch");
}

/* ---- the device ------------------------------------------------------------------------------ */

inline void describe_driver(char *driver)
{
    char text[4 * GPU_TEXT];
    size_t size = 0;
    FILE *file = fopen("/proc/driver/nvidia/version", "r");
    if (file) {
        size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[size] = 0;
    if (gpu_driver_version(text, driver, GPU_TEXT))
        return;
    int version = 0;
    if (cudaDriverGetVersion(&version) == cudaSuccess && version > 0)
        snprintf(driver, GPU_TEXT, "CUDA %d.%d", version / 1000, version % 1000 / 10);
    else
        snprintf(driver, GPU_TEXT, "unknown");
}

/* Why the runtime has no device. Without a driver it reports that version 0 of the driver is too
 * old. */
inline const char *no_device(cudaError_t error)
{
    int driver = 0;
    if (error == cudaSuccess || error == cudaErrorNoDevice)
        return "no GPU";
    if (error != cudaErrorInsufficientDriver)
        return checked(error, "cudaGetDeviceCount");
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0)
        return "no GPU";
    char why[GPU_TEXT];
    snprintf(why, sizeof why, "for CUDA %d.%d, the kernels need %d.%d", driver / 1000,
             driver % 1000 / 10, CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return failure("the GPU's driver is too old", why);
}

/* Any kernel, to test whether the device can run the target's code. */
struct nothing {
    SHIM_FN void run(place) const
    {
    }
};

inline const char *open(gpu_device *device)
{
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count == 0)
        return no_device(error);
    const char *why = checked(cudaSetDevice(0), "cudaSetDevice");
    if (why)
        return why;
    cudaDeviceProp properties;
    why = checked(cudaGetDeviceProperties(&properties, 0), "cudaGetDeviceProperties");
    if (why)
        return why;
    cudaFuncAttributes attributes;
    error = cudaFuncGetAttributes(&attributes, grid<nothing>);
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction) {
        static char text[GPU_TEXT];
        snprintf(text, sizeof text, "the GPU is sm_%d%d, the kernels are built for %s",
                 properties.major, properties.minor, GPU_TARGET);
        return text;
    }
    if (error != cudaSuccess)
        return checked(error, "cudaFuncGetAttributes");
    snprintf(device->name, sizeof device->name, "%.*s", GPU_TEXT - 1, properties.name);
    snprintf(device->target, sizeof device->target, "%s", GPU_TARGET);
    describe_driver(device->driver);
    device->emulated = 0;
    return nullptr;
}

/* ---- memory ---------------------------------------------------------------------------------- */

inline const char *free_bytes(uint64_t *bytes)
{
    size_t unused = 0, all = 0;
    const char *error = checked(cudaMemGetInfo(&unused, &all), "cudaMemGetInfo");
    *bytes = unused;
    return error;
}

template <class T> const char *allocate(T **pointer, uint64_t bytes)
{
    void *memory = nullptr;
    const char *error = checked(cudaMalloc(&memory, bytes ? bytes : 1), "cudaMalloc");
    *pointer = static_cast<T *>(memory);
    return error;
}

inline const char *release(void *pointer)
{
    return checked(cudaFree(pointer), "cudaFree");
}

inline const char *fill(void *to, int byte, uint64_t bytes)
{
    return checked(cudaMemset(to, byte, bytes), "cudaMemset");
}

inline const char *upload(void *to, const void *from, uint64_t bytes)
{
    return checked(cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice), "cudaMemcpy");
}

inline const char *download(void *to, const void *from, uint64_t bytes)
{
    return checked(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
}

/* ---- time ------------------------------------------------------------------------------------ */

struct clock {
    cudaEvent_t at[MARKS];

    const char *begin()
    {
        for (cudaEvent_t &event : at)
            event = nullptr;
        for (cudaEvent_t &event : at) {
            const char *error = checked(cudaEventCreate(&event), "cudaEventCreate");
            if (error)
                return error;
        }
        return nullptr;
    }
    const char *mark(int which)
    {
        return checked(cudaEventRecord(at[which]), "cudaEventRecord");
    }
    const char *wait()
    {
        return checked(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    }
    const char *seconds(int from, int to, double *seconds)
    {
        float milliseconds = 0;
        const char *error = checked(cudaEventElapsedTime(&milliseconds, at[from], at[to]),
                                    "cudaEventElapsedTime");
        *seconds = static_cast<double>(milliseconds) * 1e-3;
        return error;
    }
    const char *end()
    {
        const char *error = nullptr;
        for (cudaEvent_t event : at)
            if (event && !error)
                error = checked(cudaEventDestroy(event), "cudaEventDestroy");
        return error;
    }
};

constexpr double warm = 0.05;

/* About 50,000 cycles, 25 microseconds: longer than a launch takes. */
static __global__ void busy()
{
    const long long begin = clock64();
    while (clock64() - begin < 50000)
        continue;
}

inline const char *occupy()
{
    busy<<<1, 1>>>();
    return checked(cudaGetLastError(), "kernel launch");
}

inline uint64_t chunk_most()
{
    return UINT64_C(1) << 28;
}

} // namespace shim

#endif

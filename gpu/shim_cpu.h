/* SPDX-License-Identifier: MIT */
/* shim_cpu.h -- shim.h on this processor: memory is memory, a launch is two loops
 *
 * The grid is small and of odd shape, so that most threads have several pieces of work, and the
 * last ones fewer. Blocks and threads run from the last to the first, since no result may depend on
 * their order.
 */
#ifndef SOFTFP8_GPU_SHIM_CPU_H
#define SOFTFP8_GPU_SHIM_CPU_H

#include "device.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* For tests: the largest number of inputs of a chunk; 0: the default. */
extern "C" uint64_t gpu_shim_chunk;

namespace shim
{

inline uint64_t add(uint64_t *cell, uint64_t value)
{
    uint64_t before = *cell;
    *cell += value;
    return before;
}

/* All models run here, including those of sm_100a. */
inline const char *open(gpu_device *device)
{
    strcpy(device->name, "this processor");
    strcpy(device->driver, "none");
    strcpy(device->target, "sm_100a");
    device->emulated = 1;
    return nullptr;
}

inline const char *free_bytes(uint64_t *bytes)
{
    *bytes = UINT64_C(1) << 28;
    return nullptr;
}

template <class T> const char *allocate(T **pointer, uint64_t bytes)
{
    *pointer = static_cast<T *>(malloc(bytes ? bytes : 1));
    return *pointer ? nullptr : "malloc: out of memory";
}

inline const char *release(void *pointer)
{
    free(pointer);
    return nullptr;
}

inline const char *fill(void *to, int byte, uint64_t bytes)
{
    memset(to, byte, bytes);
    return nullptr;
}

inline const char *upload(void *to, const void *from, uint64_t bytes)
{
    memcpy(to, from, bytes);
    return nullptr;
}

inline const char *download(void *to, const void *from, uint64_t bytes)
{
    memcpy(to, from, bytes);
    return nullptr;
}

template <class Body> const char *prepare()
{
    return nullptr;
}

template <class Body> const char *launch(const Body &body, uint64_t)
{
    const uint32_t blocks = 3, threads = 5;
    for (uint32_t block = blocks; block-- > 0;)
        for (uint32_t thread = threads; thread-- > 0;)
            body.run(place{block, thread, blocks, threads});
    return nullptr;
}

template <class Body> const char *prepare_warps()
{
    return nullptr;
}

/* Three warps. Lanes run from the last to the first, and are combined as on the device: each with
 * the lane whose number differs in one bit. */
template <class Body> void run_warp(const Body &body, uint32_t warp, uint32_t warps)
{
    static typename Body::lane lane[32];
    const uint32_t words = sizeof lane[0].shared / sizeof lane[0].shared[0];
    for (uint32_t number = 32; number-- > 0;)
        body.begin(lane[number]);
    for (uint32_t step = warp; step < body.steps; step += warps) {
        for (uint32_t number = 32; number-- > 0;)
            body.load(step, number, lane[number]);
        for (uint32_t bit = 1; bit < Body::together; bit *= 2)
            for (uint32_t k = 0; k < words; k++) {
                uint32_t before[32];
                for (uint32_t number = 0; number < 32; number++)
                    before[number] = lane[number].shared[k];
                for (uint32_t number = 0; number < 32; number++)
                    lane[number].shared[k] = Body::join(before[number], before[number ^ bit]);
            }
        for (uint32_t number = 32; number-- > 0;)
            body.store(step, number, lane[number]);
    }
    for (uint32_t number = 32; number-- > 0;)
        body.rest(place{warp, number, warps, 32});
}

template <class Body> const char *launch_warps(const Body &body)
{
    for (uint32_t warp = 3; warp-- > 0;)
        run_warp(body, warp, 3);
    return nullptr;
}

template <class Body> const char *prepare_groups()
{
    return nullptr;
}

/* From the last step to the first, with all lanes in each. What one step leaves, as in registers
 * and shared memory, must not be needed by the next. */
template <class Body> const char *launch_groups(const Body &body)
{
    static typename Body::lane lane[Body::threads];
    alignas(16) static unsigned char shared[Body::shared_bytes];
    for (uint32_t step = body.steps; step-- > 0;) {
        memset(lane, 0x5a, sizeof lane);
        memset(shared, 0x5a, sizeof shared);
        for (uint32_t number = Body::threads; number-- > 0;)
            body.load(step, number, lane[number], shared);
        body.execute_all(lane, shared);
        for (uint32_t number = Body::threads; number-- > 0;)
            body.store(step, number, lane[number]);
    }
    return nullptr;
}

/* ---- copies beside the arithmetic: nothing is there before it is waited for ------------------ */

enum { COPY_LANES = 128, COPIES = 128 };

struct copies {
    struct {
        void *to;
        const void *from;
        uint32_t group;
    } at[COPIES];
    uint32_t begun, group;
};

inline copies on_their_way[COPY_LANES];

inline void copy16(uint32_t number, void *to, const void *from)
{
    copies &c = on_their_way[number];
    if (c.begun == COPIES || (reinterpret_cast<uintptr_t>(to) | reinterpret_cast<uintptr_t>(from)) % 16)
        abort();
    memset(to, 0x5a, 16);
    c.at[c.begun++] = {to, from, c.group};
}

inline void commit(uint32_t number)
{
    on_their_way[number].group++;
}

template <int groups> void arrived(uint32_t number)
{
    copies &c = on_their_way[number];
    uint32_t left = 0;
    for (uint32_t i = 0; i < c.begun; i++)
        if (c.at[i].group + groups < c.group)
            memcpy(c.at[i].to, c.at[i].from, 16);
        else
            c.at[left++] = c.at[i];
    c.begun = left;
}

inline uint32_t keep(uint32_t x)
{
    return x;
}

inline const uint8_t *keep(const uint8_t *x)
{
    return x;
}

inline void get_columns(uint32_t number, uint32_t to[4], const unsigned char *from, uint32_t stride)
{
    if ((reinterpret_cast<uintptr_t>(from) | stride) % 16)
        abort();
    for (uint32_t i = 0; i < 4; i++) {
        uint16_t two[2];
        for (uint32_t k = 0; k < 2; k++)
            memcpy(&two[k], from + (8 * i + 2 * (number % 4) + k) * stride + number % 32 / 4 * 2,
                   2);
        to[i] = static_cast<uint32_t>(two[1]) << 16 | two[0];
    }
}

/* Returns 1 if a lane began copies and did not wait for them. */
inline bool copies_left()
{
    bool left = false;
    for (copies &c : on_their_way) {
        left = left || c.begun > 0;
        c = {};
    }
    return left;
}

template <class Body> const char *prepare_phases(const Body &)
{
    return nullptr;
}

/* Combines the numbers of a warp as on the device. */
template <int p, class Body> void join_lanes(typename Body::lane *lane)
{
    const uint32_t words = sizeof lane[0].shared / sizeof lane[0].shared[0];
    for (uint32_t bit = 16; bit > 0; bit /= 2)
        for (uint32_t k = 0; k < words; k++) {
            uint32_t before[32];
            for (uint32_t number = 0; number < 32; number++)
                before[number] = lane[number].shared[k];
            for (uint32_t number = 0; number < 32; number++)
                lane[number].shared[k] = Body::template join<p>(before[number],
                                                                before[number ^ bit]);
        }
}

template <class Body> void find_highest(typename Body::lane *lane)
{
    const uint32_t words = sizeof lane[0].shared / sizeof lane[0].shared[0];
    for (uint32_t k = 0; k < words; k++) {
        uint32_t highest = 0;
        for (uint32_t number = 0; number < 32; number++)
            highest = lane[number].shared[k] > highest ? lane[number].shared[k] : highest;
        for (uint32_t number = 0; number < 32; number++)
            lane[number].shared[k] = highest;
    }
}

/* Where phases follow each other without a barrier, one warp runs ahead of the others, the last one
 * first. Within a phase the lanes of a warp do the same. */
template <int p, class Body>
void run_phase(const Body &body, stage at, uint32_t warp, typename Body::lane *lane,
               unsigned char *shared)
{
    typename Body::lane *first = lane + 32 * warp;
    const uint32_t times = body.template times<p>(at, *first, shared);
    for (uint32_t i = 0; i < times; i++) {
        for (uint32_t number = 32; number-- > 0;)
            body.template run<p>(at, i, 32 * warp + number, first[number], shared);
        if constexpr (Body::after(p) == JOINED)
            join_lanes<p, Body>(first);
        else if constexpr (Body::after(p) == HIGHEST)
            find_highest<Body>(first);
        else if constexpr (Body::after(p) == EXECUTED)
            body.template execute_all<p>(first);
    }
}

/* Phases p to q - 1 of one warp. */
template <int p, int q, class Body>
void run_phases(const Body &body, stage at, uint32_t warp, typename Body::lane *lane,
                unsigned char *shared)
{
    if constexpr (p < q) {
        run_phase<p>(body, at, warp, lane, shared);
        run_phases<p + 1, q>(body, at, warp, lane, shared);
    }
}

template <int p, int q, class Body> constexpr int until_barrier()
{
    if constexpr (p == q || Body::barrier(p))
        return p == q ? p : p + 1;
    else
        return until_barrier<p + 1, q, Body>();
}

template <int p, int q, class Body>
void run_blocks(const Body &body, stage at, typename Body::lane *lane, unsigned char *shared)
{
    if constexpr (p < q) {
        constexpr int end = until_barrier<p, q, Body>();
        for (uint32_t warp = Body::threads / 32; warp-- > 0;)
            run_phases<p, end>(body, at, warp, lane, shared);
        run_blocks<end, q>(body, at, lane, shared);
    }
}

/* From the last step to the first; what one step leaves must not be needed by the next. */
template <class Body> const char *launch_phases(const Body &body)
{
    (void)closed<Body>();
    static_assert(Body::threads <= COPY_LANES, "more lanes than can copy");
    static typename Body::lane lane[Body::threads];
    const char *error = nullptr;
    const uint64_t bytes = body.room();
    unsigned char *shared = static_cast<unsigned char *>(aligned_alloc(128, (bytes + 127) / 128 * 128));
    if (!shared)
        return "malloc: out of memory";
    for (uint32_t step = body.steps; step-- > 0;) {
        stage at = {step, 0};
        memset(static_cast<void *>(lane), 0x5a, sizeof lane);
        memset(shared, 0x5a, bytes);
        run_blocks<0, Body::opening>(body, at, lane, shared);
        const uint32_t rounds = body.rounds(at);
        for (; rounds > at.round; at.round++)
            run_blocks<Body::opening, Body::closing>(body, at, lane, shared);
        run_blocks<Body::closing, Body::phases>(body, at, lane, shared);
        if (copies_left())
            error = "a block ended before its copies";
    }
    free(shared);
    return error;
}

struct clock {
    double at[MARKS];

    const char *begin()
    {
        return nullptr;
    }
    const char *mark(int which)
    {
        timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        at[which] = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
        return nullptr;
    }
    const char *wait()
    {
        return nullptr;
    }
    const char *seconds(int from, int to, double *seconds)
    {
        *seconds = at[to] - at[from];
        return nullptr;
    }
    const char *end()
    {
        return nullptr;
    }
};

constexpr double warm = 0;

inline const char *occupy()
{
    return nullptr;
}

inline uint64_t chunk_most()
{
    return gpu_shim_chunk ? gpu_shim_chunk : UINT64_C(1) << 20;
}

} // namespace shim

#endif

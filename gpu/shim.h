/* SPDX-License-Identifier: MIT */
/* shim.h -- what kernels and their callers need of a device, on a GPU and on this processor
 *
 * A kernel is a struct, its Body: the fields are its parameters, run(place) is what one thread
 * does. It knows its place by explicit indices alone, so that the same text is a CUDA kernel
 * (shim_cuda.h) and a loop over blocks and threads (shim_cpu.h). Threads of one launch share
 * nothing but memory and add(). A function that can fail returns what went wrong, "cudaMemcpy: an
 * illegal memory access was encountered", or NULL.
 *
 * A Body by warps is what 32 lanes do in step. Each has a `lane` of its own; with begin(lane) it
 * starts, in step 0, 1, ... of `steps` it does load(step, number, lane), then each of the words
 * lane.shared is joined, by join(a, b), over groups of `together` neighbours, a power of two; then
 * store(step, number, lane); in the end rest(place). Warps take the steps in any order.
 *
 * A Body by groups is what Body::threads lanes do around one instruction of theirs: in step 0, 1,
 * ... of `steps` each does load(step, number, lane, shared), with Body::shared_bytes that all of
 * them have; when all are done the instruction, execute(lane, shared), and when that is done
 * store(step, number, lane). Here the instruction is its model, execute_all(lanes, shared).
 *
 *     SHIM_FN                     before a function that kernels call
 *     SHIM_UNROLL                 before a loop over registers, which have no addresses
 *     shim::add(cell, value)      adds to a cell of 64 bits in one step; gives what was there
 *     shim::open(device)          describes the device
 *     shim::free_bytes(bytes)     how much memory it has left
 *     shim::allocate(p, bytes)    shim::release(p)
 *     shim::fill(to, byte, n)     shim::upload(to, from, n), shim::download(to, from, n)
 *     shim::prepare<Body>()       loads the kernel, so that a launch costs no more than that
 *     shim::launch(body, work)    as many threads as are good for so many pieces of work
 *     shim::prepare_warps<Body>(), shim::launch_warps(body)   the same for a Body by warps
 *     shim::prepare_groups<Body>(), shim::launch_groups(body)   the same for a Body by groups
 *     shim::clock                 begin(), mark(which), wait(), seconds(from, to), end()
 *     shim::chunk_most()          the most inputs of a chunk
 */
#ifndef SOFTFP8_GPU_SHIM_H
#define SOFTFP8_GPU_SHIM_H

#include <stdint.h>

#if defined(__CUDACC__)
#define SHIM_FN __device__
#define SHIM_UNROLL _Pragma("unroll")
#else
#define SHIM_FN
#define SHIM_UNROLL
#endif

namespace shim
{

/* Where in the grid. Work is dealt out like this, so that neighbours take neighbouring pieces:
 * for (uint32_t i = at.first(); i < n; i += at.stride()), n < 2^31. */
struct place {
    uint32_t block, thread, blocks, threads;

    SHIM_FN uint32_t first() const
    {
        return block * threads + thread;
    }
    SHIM_FN uint32_t stride() const
    {
        return blocks * threads;
    }
};

enum { MARKS = 4 };

} // namespace shim

#if defined(__CUDACC__)
#include "shim_cuda.h"
#else
#include "shim_cpu.h"
#endif

#endif

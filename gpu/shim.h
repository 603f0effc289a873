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
 * A Body by phases is what Body::threads lanes, whole warps, do with shared memory, body.room() bytes
 * of it. In step 0, 1, ... of `steps` come the phases from 0 to `opening` - 1 once, those up to
 * `closing` - 1 again and again, body.rounds(at) times, then those up to `phases` - 1 once. A phase p
 * is times<p>(at, shared) times run<p>(at, i, number, lane, shared), `at` being a shim::stage; after
 * each the lanes of a warp do together what after(p) says:
 *
 *     shim::ALONE      nothing
 *     shim::JOINED     each of the words lane.shared is joined by join<p>(a, b): with the one whose
 *                      number differs in 16, then in 8, 4, 2, 1
 *     shim::HIGHEST    each of the words lane.shared becomes the highest of those
 *     shim::EXECUTED   an instruction, execute<p>(lane); here its model, execute_all<p>(lanes)
 *
 * On a GPU unrolled(p) of the times are compiled as one. If barrier(p) says so, all lanes have done a phase before one begins the next. What times, rounds
 * and steps tell is the same for all lanes. Body::blocks of such blocks shall have room on a
 * multiprocessor. Its lanes may begin to copy to shared memory and go on meanwhile: copy16, commit.
 *
 *     SHIM_FN                     before a function that kernels call
 *     SHIM_BOTH                   before one that is a constant of kernels and callers
 *     SHIM_UNROLL                 before a loop over registers, which have no addresses
 *     shim::add(cell, value)      adds to a cell of 64 bits in one step; gives what was there
 *     shim::copy16(n, to, from)   lane n begins to copy 16 bytes to shared memory, of addresses that
 *                                 are multiples of 16; shim::commit(n) ends a group of copies
 *     shim::arrived<m>(n)         lane n waits for its copies, but for those of its last m groups
 *     shim::open(device)          describes the device
 *     shim::free_bytes(bytes)     how much memory it has left
 *     shim::allocate(p, bytes)    shim::release(p)
 *     shim::fill(to, byte, n)     shim::upload(to, from, n), shim::download(to, from, n)
 *     shim::prepare<Body>()       loads the kernel, so that a launch costs no more than that
 *     shim::launch(body, work)    as many threads as are good for so many pieces of work
 *     shim::prepare_warps<Body>(), shim::launch_warps(body)   the same for a Body by warps
 *     shim::prepare_groups<Body>(), shim::launch_groups(body)   the same for a Body by groups
 *     shim::prepare_phases(body), shim::launch_phases(body)   the same for a Body by phases
 *     shim::clock                 begin(), mark(which), wait(), seconds(from, to), end()
 *     shim::occupy()              something to do for the device while more is launched
 *     shim::warm                  for how many seconds a device has to work to be as fast as it is
 *     shim::chunk_most()          the most inputs of a chunk
 */
#ifndef SOFTFP8_GPU_SHIM_H
#define SOFTFP8_GPU_SHIM_H

#include <stdint.h>

#if defined(__CUDACC__)
#define SHIM_FN __device__
#define SHIM_BOTH __host__ __device__
#define SHIM_UNROLL _Pragma("unroll")
#else
#define SHIM_FN
#define SHIM_BOTH
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

/* Where a lane is in a Body by phases. */
struct stage {
    uint32_t step, round;
};

enum { ALONE, JOINED, HIGHEST, EXECUTED };

/* What comes after the last phase of each of the three kinds may be any of the first: it has to have
 * a barrier. */
template <class Body> struct closed {
    static_assert(Body::barrier(Body::opening - 1) && Body::barrier(Body::closing - 1) &&
                      Body::barrier(Body::phases - 1),
                  "a barrier is missing");
};

enum { MARKS = 4 };

} // namespace shim

#if defined(__CUDACC__)
#include "shim_cuda.h"
#else
#include "shim_cpu.h"
#endif

#endif

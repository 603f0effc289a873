/* SPDX-License-Identifier: MIT */
/* shim.h -- what kernels and their callers need of a device, on a GPU and on this processor
 *
 * A kernel is a struct, its Body: the fields are its parameters, and run(place) is what one thread
 * does. It uses explicit indices only, so that the same text is a CUDA kernel (shim_cuda.h) and a
 * loop over blocks and threads (shim_cpu.h). Threads of one launch share nothing but memory and
 * add(). A function that can fail returns what went wrong, "cudaMemcpy: an illegal memory access
 * was encountered", or NULL.
 *
 * A Body by warps is what 32 lanes do in step. Each has a `lane` object. It begins with
 * begin(lane). In step 0, 1, ... of `steps` it does load(step, number, lane). Then each of the
 * numbers lane.shared is combined by join(a, b) over groups of `together` neighbours, a power of
 * two. Then it does store(step, number, lane), and at the end rest(place). Warps take the steps in
 * any order.
 *
 * A Body by groups is what Body::threads lanes do around one instruction that they share. In step
 * 0, 1, ... of `steps` each does load(step, number, lane, shared), where `shared` is
 * Body::shared_bytes of common memory. When all have done so, the instruction runs, execute(lane,
 * shared), and then each does store(step, number, lane). On this processor the instruction is its
 * model, execute_all(lanes, shared).
 *
 * A Body by phases is what Body::threads lanes, whole warps, do with shared memory of body.room()
 * bytes. In step 0, 1, ... of `steps`, the phases 0 to `opening` - 1 run once, those up to
 * `closing` - 1 run body.rounds(at) times, and those up to `phases` - 1 run once. A phase p is
 * times<p>(at, lane, shared) times run<p>(at, i, number, lane, shared), where `at` is a
 * shim::stage.
 * After each of these, the lanes of a warp do together what after(p) says:
 *
 *     shim::ALONE      nothing
 *     shim::JOINED     each of the numbers lane.shared is combined by join<p>(a, b): with the lane
 *                      whose number differs in 16, then in 8, 4, 2, 1
 *     shim::HIGHEST    each of the numbers lane.shared becomes the highest of the warp
 *     shim::EXECUTED   an instruction, execute<p>(lane); on this processor its model,
 *                      execute_all<p>(lanes)
 *
 * Before instruction i, lanes that have diverged meet if meets(p, i) is true.
 *
 * On a GPU the loop over `times` is unrolled by unrolled(p). If barrier(p) is true, all lanes
 * finish a phase before one begins the next. times, rounds and steps return the same for all lanes.
 * Body::blocks such blocks must fit on a multiprocessor. Lanes may begin to copy to shared memory
 * and continue meanwhile: copy16, commit.
 *
 *     SHIM_FN                     before a function that kernels call
 *     SHIM_BOTH                   before a function that is a constant of kernels and callers
 *     SHIM_UNROLL                 before a loop over registers, which have no addresses
 *     shim::add(cell, value)      atomically adds to a cell of 64 bits; returns its old value
 *     shim::copy16(n, to, from)   lane n begins to copy 16 bytes to shared memory; addresses are
 *                                 multiples of 16; shim::commit(n) ends a group of copies
 *     shim::arrived<m>(n)         lane n waits for its copies, except those of its last m groups
 *     shim::keep(x)               a number, or a pointer to bytes, that is not computed again
 *     shim::get_columns(n, to, from, stride)   32 rows of 16 bytes in shared memory, 8 columns of
 *                                 16 bits: of rows 8 i to 8 i + 7 lane n has in to[i] column
 *                                 n % 32 / 4 of rows 2 (n % 4) and 1 more; all lanes of a warp call
 *     shim::open(device)          describes the device
 *     shim::free_bytes(bytes)     how much memory it has left
 *     shim::allocate(p, bytes)    shim::release(p)
 *     shim::fill(to, byte, n)     shim::upload(to, from, n), shim::download(to, from, n)
 *     shim::prepare<Body>()       loads the kernel, so that a launch does not include that time
 *     shim::launch(body, work)    as many threads as are good for `work` pieces of work
 *     shim::prepare_warps<Body>(), shim::launch_warps(body)   the same for a Body by warps
 *     shim::prepare_groups<Body>(), shim::launch_groups(body)   the same for a Body by groups
 *     shim::prepare_phases(body), shim::launch_phases(body)   the same for a Body by phases
 *     shim::clock                 begin(), mark(which), wait(), seconds(from, to), end()
 *     shim::occupy()              keeps the device busy while more is launched
 *     shim::warm                  how many seconds a device must work to reach its full speed
 *     shim::chunk_most()          the largest number of inputs of a chunk
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

/* A thread's place in the grid. Work is distributed so that neighbours take neighbouring pieces:
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

/* Any phase of a kind may follow the last phase of the previous kind: that one needs a barrier. */
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

/* SPDX-License-Identifier: MIT */
/* layout.h -- where the elements of a tile are in registers and in shared memory
 *
 * PTX ISA 9.0, "Matrix Fragments for mma.m16n8k...", "Register Fragments for wgmma", "Shared Memory
 * Matrix Layout", "Matrix Descriptor". A register has 32 bits of a row: 4, 2 or 1 elements. A word
 * is such a piece of a row along k, numbered from 0.
 *
 *     lane of a warp     0  1  2  3    4 ...        a fragment of A, register r:
 *     word               0  1  2  3    0 ...            row  lane / 4, and 8 more for odd r
 *     row                0             1 ...            word lane % 4, and 4 more for r 2 and 3
 *
 * B is the same with columns, without the 8 more; A of wgmma has 16 rows for each of the four
 * warps. Element i of D of a lane is in row lane / 4 + 8 (i / 2 % 2) and column 8 (i / 4) + 2 (lane
 * % 4) + i % 2. In shared memory a row's 32 bytes along k are two chunks of 16. The chunks of eight
 * rows follow one another and are a core matrix; there is no swizzle.
 */
#ifndef SOFTFP8_GPU_MMA_LAYOUT_H
#define SOFTFP8_GPU_MMA_LAYOUT_H

#include <stdint.h>

#if defined(__CUDACC__)
#define MMA_FN __host__ __device__ inline
#else
#define MMA_FN inline
#endif

namespace mma
{

/* ---- registers; lane is that of the warp or of the four ------------------------------------- */

MMA_FN int a_row(int lane, int r)
{
    return lane / 32 * 16 + lane % 32 / 4 + r % 2 * 8;
}
MMA_FN int a_word(int lane, int r)
{
    return lane % 4 + r / 2 * 4;
}
MMA_FN int b_column(int lane)
{
    return lane / 4;
}
MMA_FN int b_word(int lane, int r)
{
    return lane % 4 + r * 4;
}
MMA_FN int d_row(int lane, int i)
{
    return lane / 32 * 16 + lane % 32 / 4 + i / 2 % 2 * 8;
}
MMA_FN int d_column(int lane, int i)
{
    return i / 4 * 8 + lane % 4 * 2 + i % 2;
}

/* ---- shared memory --------------------------------------------------------------------------- */

enum { ROW_BYTES = 32, CHUNK = 16, LEADING = 128, STRIDE = 256 };

/* Of one of the two chunks of a row. */
MMA_FN int chunk_place(int row, int chunk)
{
    return row / 8 * STRIDE + chunk * LEADING + row % 8 * CHUNK;
}

/* For wgmma: leading is from a core matrix to the next along k, stride to that of the next eight
 * rows; all in units of 16 bytes. */
MMA_FN uint64_t descriptor(uint32_t address)
{
    return (static_cast<uint64_t>(address & 0x3ffff) >> 4) |
           static_cast<uint64_t>(LEADING >> 4) << 16 | static_cast<uint64_t>(STRIDE >> 4) << 32;
}

/* ---- sparse A -------------------------------------------------------------------------------- */

/* A row of A has 32 of 64 codes along k, which are stored like the 32 of a dense row. A row of B
 * has 64 bytes, four chunks. The kept positions are 4 bits for each group of four along k: a lane
 * has those of a row and half of its groups, the first in the low bits. CUTLASS 3.6,
 * mma_traits_sm90_gmma_sparse.hpp, ELayout_64x64.
 *
 *     lane of a warp     0     1     2     3     4 ...
 *     row                0     8     0     8     1 ...
 *     groups             0-7   0-7   8-15  8-15  0-7 ...
 */
enum { WIDE_ROW_BYTES = 64, WIDE_STRIDE = 512, KEPT_BYTES = 8 };

MMA_FN int kept_row(int lane)
{
    return lane / 32 * 16 + lane % 32 / 4 + lane % 2 * 8;
}
/* Which of the two words of a row. */
MMA_FN int kept_word(int lane)
{
    return lane / 2 % 2;
}

/* Of one of the four chunks of a row of B. */
MMA_FN int wide_chunk_place(int row, int chunk)
{
    return row / 8 * WIDE_STRIDE + chunk * LEADING + row % 8 * CHUNK;
}
MMA_FN uint64_t wide_descriptor(uint32_t address)
{
    return descriptor(address) + (static_cast<uint64_t>((WIDE_STRIDE - STRIDE) >> 4) << 32);
}

} // namespace mma

#endif

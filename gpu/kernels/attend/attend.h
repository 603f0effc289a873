/* SPDX-License-Identifier: MIT */
/* attend.h -- the kernels: attention over the image of a cache, by the definition of
 * <softfp8/attend/attend.h>
 *
 * A block has a piece: up to 8 * tiles rows, which are queries of one head of the cache, and some
 * consecutive chunks of its keys. Its 128 lanes copy 64 keys and values to shared memory (stage.h),
 * compute scores and weights from them, and then sums of values, which are joined in registers. At
 * the end of a span they are joined to the result of the piece in memory. So a piece is the whole
 * request, a span, or a chunk, and its rows are those of one request or of several that share these
 * keys. A second kernel joins the pieces of each row.
 *
 * With a unit the products are mma.m16n8k16: 16 keys are the rows of A for scores, 16 channels for
 * sums, and queries are the columns. The 16 products of one instruction are summed at once, so that
 * their assignment to registers is free. Lane r, c of a warp, r = lane / 4, c = lane % 4, has
 *
 *     A of scores, row r or r + 8   elements 4 c to 4 c + 3 of the block of 16, 4 bytes of 8 bits;
 *                                   packed ones in the order 0, 2, 1, 3
 *     A of sums, row r or r + 8     keys c, c + 4, c + 8, c + 12; for each the channels that a
 *                                   32-bit word has, four of 8 bits or two of 16: rows of one or
 *                                   two tiles. Packed: keys 2 c, 2 c + 1, 2 c + 8, 2 c + 9, four
 *                                   channels
 *     B                             the same elements, or keys, of row r of the piece
 */
#ifndef SOFTFP8_GPU_KERNELS_ATTEND_H
#define SOFTFP8_GPU_KERNELS_ATTEND_H

#include "kernels/attend/begin.h"
#include "kernels/attend/scores.h"
#include "kernels/attend/values.h"
#include "kernels/attend/weights.h"

#endif

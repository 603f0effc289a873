/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_mma.h -- matrix units: sums of products, bit for bit as tensor cores form them
 *
 * softfp8/mma/mma.h defines how a unit adds, and softfp8/mma/units.h lists the units. Both are
 * inline and work on a device too. This header finds units by name and computes whole dot products
 * and matrix products.
 */
#ifndef SOFTFP8_MMA_H
#define SOFTFP8_MMA_H

#include "softfp8.h"
#include "softfp8/mma/mma.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A row of softfp8/mma/units.h: what one unit does for one kind of operands and results. A unit
 * may have several rows. The comment there explains the columns. */
typedef struct sf8_mma_row {
    const char *unit, *operands, *out;
    int32_t k, length, fraction, zero;
    const char *sum, *round, *underflow, *order, *scale;
    int32_t scale_block, group;
    const char *product, *versions, *source, *evidence, *open; /**< as in sf8_policy_row */
} sf8_mma_row;

/** Returns the i-th row, or NULL past the end. */
SF8_API const sf8_mma_row *sf8_mma_at(size_t i);
/** Returns 1 if a row is for operands of formats a and b and results of format out, else 0. */
SF8_API int32_t sf8_mma_takes(const sf8_mma_row *row, sf8_format a, sf8_format b, sf8_format out);
/** Makes a unit from a row of sf8_mma_at. Returns SF8_BAD_FORMAT, and leaves *mma unchanged, if the
 * row does not support these formats. */
SF8_API sf8_status sf8_mma_read(sf8_mma *mma, const sf8_mma_row *row, sf8_format a, sf8_format b,
                                sf8_format out);
/** Finds a unit by its name.
 *
 * @param mma  receives the unit; unchanged unless SF8_OK is returned
 * @param unit the name, such as "hopper-qgmma"
 * @param a    the format of the first operand
 * @param b    the format of the second operand
 * @param out  the format of accumulator and result: f32 or f16
 * @return SF8_UNKNOWN_NAME for an unknown name; SF8_BAD_FORMAT if the unit does not support these
 *     formats */
SF8_API sf8_status sf8_mma_named(sf8_mma *mma, const char *unit, sf8_format a, sf8_format b,
                                 sf8_format out);
/** Changes one property of a unit, to try what is not established or what another unit does.
 *
 *     lowering   chain or independent; for a unit whose products are lowered to f16
 *     underflow  signed or positive
 *     zero       the exponent of a zero: a number from -300 to 0
 *     fraction   the bits that a term keeps: a number from 1 to 40
 *     length     products of one sum, 1 to 64; for a unit without groups that is not lowered
 *     sum        the format a sum is rounded to, including e8m13 and the like
 *     round      a rounding mode other than sr
 *     order      fused, chain, independent, two-stage or interleaved; for a unit without scales
 *     cut        zero or down
 *     products   raw or normalised
 *
 * @param mma   the unit
 * @param name  the property
 * @param value its value as text
 * @return SF8_UNKNOWN_NAME for an unknown property; SF8_BAD_TEXT for a value that is unknown, out
 * of range or not possible for this unit */
SF8_API sf8_status sf8_mma_set(sf8_mma *mma, const char *name, const char *value);

/** Returns the dot product of k pairs of codes, plus c.
 *
 * @param mma     the unit
 * @param a       k codes: bytes for formats of up to 8 bits, uint16_t up to 16, uint32_t for tf32
 * @param b       k codes of the second operand
 * @param scale_a one byte for each block of mma->scale_block elements of a; not used by a unit
 *     without scales
 * @param scale_b likewise for b
 * @param k       the number of products: at most mma->k, or a multiple of it, which is one
 *     instruction after the other; where the unit has groups, a multiple of mma->group too
 * @param c       the accumulator: a bit pattern of mma->out
 * @return the result: a bit pattern of mma->out; SF8_UNSUPPORTED for another k. In f32 that is -0
 *     too, so a k that may be wrong has to be checked first. sf8_mma_matmul refuses it by a status;
 *     it takes whole instructions only. */
SF8_API uint32_t sf8_mma_dot(const sf8_mma *mma, const void *a, const void *b,
                             const uint8_t *scale_a, const uint8_t *scale_b, size_t k, uint32_t c);

/* ---- products of matrices -------------------------------------------------------------------- */

/** How the sum of a stretch of instructions is added to the second accumulator, `total`.
 * SF8_MMA_UNSCALED: total + sum. SF8_MMA_SCALES_FIRST: fma(scale_a * scale_b, sum, total).
 * SF8_MMA_SUM_FIRST: fma(scale_a * sum, scale_b, total). */
enum { SF8_MMA_UNSCALED, SF8_MMA_SCALES_FIRST, SF8_MMA_SUM_FIRST };

/** How a kernel forms a product from instructions. All fields 0: one chain of instructions over K.
 *
 * `promote` is the number of instructions of a stretch. A stretch begins with 0; its sum is added
 * to a second accumulator by IEEE 754 operations, which give the NaN of the units. With 0 there is
 * no second accumulator. `splits` is the number of parts of K that are computed separately and then
 * added in order; 0 and 1 mean one part. The scales are bit patterns of the unit's `out`: one for
 * each stretch of each row of a, and of each row of b. sf8_mma_stretches says how many stretches a
 * row has: the last one may be shorter than the others. */
typedef struct sf8_mma_schedule {
    size_t promote, splits;
    uint32_t scaling;
    const uint32_t *scale_a, *scale_b;
} sf8_mma_schedule;

/** A schedule that kernels are known, or documented, to use. `source` says where this is known
 * from; `open` says what is not established and therefore a guess. */
typedef struct sf8_mma_schedule_row {
    const char *name, *unit;
    size_t promote, splits;
    uint32_t scaling;
    const char *source, *open;
} sf8_mma_schedule_row;

/** Returns the i-th known schedule, or NULL past the end. */
SF8_API const sf8_mma_schedule_row *sf8_mma_schedule_at(size_t i);

/** Computes the matrix product d = a b + c.
 *
 * @param mma      the unit
 * @param schedule how a kernel combines instructions; NULL for one chain over K
 * @param d        receives rows * columns bit patterns of the unit's `out`, a uint32_t each
 * @param c        the accumulators, in the same form; NULL for 0; may equal d
 * @param x        a: `rows` rows of k codes; b: `columns` rows of k codes; the unit's block scales
 *     likewise along k
 * @param rows     the number of rows of a and d
 * @param columns  the number of rows of b, which are the columns of d
 * @param k        the number of products of an element of d
 * @return SF8_BAD_CALL if k is no multiple of the unit's or of the splits; with several splits, if a
 *     split is none of its stretches; if there are scales but no stretches; or if a size exceeds the
 *     address space */
SF8_API sf8_status sf8_mma_matmul(const sf8_mma *mma, const sf8_mma_schedule *schedule, uint32_t *d,
                                  const uint32_t *c, sf8_mma_operands x, size_t rows,
                                  size_t columns, size_t k);
/** Like sf8_mma_matmul, on a level by its name (see sf8_simd_at), or with "core" by the definition,
 * one sum at a time. Returns SF8_UNKNOWN_NAME for another level. */
SF8_API sf8_status sf8_mma_matmul_at(const char *level, const sf8_mma *mma,
                                     const sf8_mma_schedule *schedule, uint32_t *d,
                                     const uint32_t *c, sf8_mma_operands x, size_t rows,
                                     size_t columns, size_t k);

#ifdef __cplusplus
}
#endif

#endif

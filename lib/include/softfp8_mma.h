/* SPDX-License-Identifier: MIT */
/* softfp8_mma.h -- matrix units: sums of products, bit for bit as tensor cores form them
 *
 * <softfp8/mma/mma.h> says how a unit adds, <softfp8/mma/units.h> has the units; both are inline,
 * for use on a device too. Here are their names, and whole sums.
 */
#ifndef SOFTFP8_MMA_H
#define SOFTFP8_MMA_H

#include "softfp8.h"
#include "softfp8/mma/mma.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A row of <softfp8/mma/units.h>: a unit may have several. */
typedef struct sf8_mma_row {
    const char *unit, *operands, *out;
    int32_t k, length, fraction, zero;
    const char *sum, *round, *order, *scale;
    int32_t scale_block, group;
    const char *product, *versions, *source, *evidence, *open; /* as those of a policy */
} sf8_mma_row;

/* The i-th row, or NULL. */
SF8_API const sf8_mma_row *sf8_mma_at(size_t i);
/* Whether a row is for such operands and results. */
SF8_API int32_t sf8_mma_takes(const sf8_mma_row *row, sf8_format a, sf8_format b, sf8_format out);
SF8_API sf8_status sf8_mma_read(sf8_mma *mma, const sf8_mma_row *row, sf8_format a, sf8_format b,
                                sf8_format out);
/* A unit by name, for such operands and results. SF8_UNKNOWN_NAME if there is none of that name,
 * SF8_BAD_FORMAT if it does not take them; *mma is then as it was. */
SF8_API sf8_status sf8_mma_named(sf8_mma *mma, const char *unit, sf8_format a, sf8_format b,
                                 sf8_format out);
/* What is open, or a rival of it, by name: "lowering" chain or independent, of a unit that is
 * lowered; "underflow" signed or positive; "zero" and "fraction", numbers from -300 to 0 and from 1
 * to 40; "length", from 1 to 64, of a unit without groups that is not lowered; "sum", a
 * format, e8m13 and such among them; "round", a mode but sr; "order" fused, chain, independent,
 * two-stage or interleaved, of a unit without scales; "cut" zero or down; "products" raw or
 * normalised. SF8_UNKNOWN_NAME, SF8_BAD_TEXT. */
SF8_API sf8_status sf8_mma_set(sf8_mma *mma, const char *name, const char *value);

/* The sum of k products and c. Codes of at most 8 bits are bytes, of at most 16 uint16_t, of tf32
 * uint32_t; scales are bytes, as many as blocks of the unit's scale_block elements, and not looked
 * at where it has none. c and the result are words of the unit's `out`, f32 or f16. More than
 * mma->k products are one instruction after the other; k has to be a multiple of it or less, and
 * where the unit has groups a multiple of one. */
SF8_API uint32_t sf8_mma_dot(const sf8_mma *mma, const void *a, const void *b,
                             const uint8_t *scale_a, const uint8_t *scale_b, size_t k, uint32_t c);

/* ---- products of matrices -------------------------------------------------------------------- */

/* How what a stretch of instructions adds up to comes into the second accumulator: total + sum;
 * fma(scale_a * scale_b, sum, total); fma(scale_a * sum, scale_b, total). */
enum { SF8_MMA_UNSCALED, SF8_MMA_SCALES_FIRST, SF8_MMA_SUM_FIRST };

/* How a kernel puts a product together of instructions, all 0 for one chain over K.
 *
 * promote: so many instructions from 0 are a stretch, and its sum goes to a second accumulator by
 * operations of IEEE 754, whose NaN is the units'; 0: there is none. splits: parts of K, each by
 * itself, whose results are added in their order; 0 or 1: none. The scales, words of `out`, are one
 * for each stretch of each row of a and of each row of b. */
typedef struct sf8_mma_schedule {
    size_t promote, splits;
    uint32_t scaling;
    const uint32_t *scale_a, *scale_b;
} sf8_mma_schedule;

/* A schedule that kernels are known, or documented, to have; what it rests on, and what is open:
 * that is then a guess. */
typedef struct sf8_mma_schedule_row {
    const char *name, *unit;
    size_t promote, splits;
    uint32_t scaling;
    const char *source, *open;
} sf8_mma_schedule_row;

/* The i-th, or NULL. */
SF8_API const sf8_mma_schedule_row *sf8_mma_schedule_at(size_t i);

/* d = a b + c: a is `rows` rows of k codes, b `columns` rows of k codes, both along k, with a
 * unit's block scales likewise; c and d have rows * columns words of the unit's `out`, a uint32_t
 * each. c NULL is 0; d may be c. The schedule may be NULL. SF8_BAD_CALL, and nothing is written,
 * where k is no multiple of the unit's, of the splits, of the stretches of a split; where there are
 * scales but no stretches; for sizes beyond the address space. */
SF8_API sf8_status sf8_mma_matmul(const sf8_mma *mma, const sf8_mma_schedule *schedule, uint32_t *d,
                                  const uint32_t *c, sf8_mma_operands x, size_t rows,
                                  size_t columns, size_t k);
/* The same on a level by its name (sf8_simd_at), or with "core" by the definition, one sum at a
 * time; SF8_UNKNOWN_NAME if there is no such level. */
SF8_API sf8_status sf8_mma_matmul_at(const char *level, const sf8_mma *mma,
                                     const sf8_mma_schedule *schedule, uint32_t *d,
                                     const uint32_t *c, sf8_mma_operands x, size_t rows,
                                     size_t columns, size_t k);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_judge.h -- judges codes that differ in a few places: does rounding excuse them?
 *
 * A fused kernel keeps f32 where its reference rounds to bf16, or adds in another order. So a few
 * codes in a million differ, since their values lie next to a boundary between two codes. The judge
 * knows all boundaries. It is given exact values, the codes of the kernel, and how far the values
 * that the kernel rounds may be from the exact ones. A code is excused if some value that is not
 * farther away gives it. Every other code is wrong, however near it is.
 *
 *     sf8_uncertainty half = {.text = "bf16/2"}; // half a unit in the last place of bf16
 *     sf8_cast_flips cast = {.from = SF8_F32, .to = SF8_E4M3, .inputs = exact, .codes = got,
 *                            .count = n, .uncertainty = &half};
 *     sf8_judgement *j;
 *     if (sf8_judge_cast(&cast, &j) == SF8_OK) {
 *         if (j->verdict > SF8_JUDGED_EXCUSED)
 *             puts(j->message);
 *         sf8_judgement_free(j);
 *     }
 *
 * The functions are in the library softfp8_diagnose.
 */
#ifndef SOFTFP8_JUDGE_H
#define SOFTFP8_JUDGE_H

#include "softfp8_blocks.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- uncertainty ----------------------------------------------------------------------------- */

/** How far the values that are rounded may be from the exact ones. What is given is added up. */
typedef struct sf8_uncertainty {
    /** A sum of terms, joined by "+", or NULL:
     *
     *     bf16/2      half a unit in the last place of bf16, as rounding to bf16 once gives
     *     f32*4       four units in the last place of f32; of any format with a name
     *     rel=1e-3    a relative error
     *     abs=1e-6    an absolute error
     *
     * The unit in the last place is that of the binade of the exact value, and of a subnormal value
     * the smallest. Errors are computed in f64, and rounded up. */
    const char *text;
    const double *absolute; /**< an absolute error for each value, not negative; or NULL */
    /** Two computations of the values, in any order; or bounds. A value may be anything from one
     * to the other, and to the exact one. Both are NULL, or none. Where the exact value or one of
     * the two is NaN, the code has to be that of one of the three. */
    const void *between[2];
    sf8_format between_format; /**< of `between`; if it is that of the codes, they are codes */
} sf8_uncertainty;

/** Whether a text follows the grammar above. */
SF8_API int sf8_uncertainty_is_good(const char *text);

/* ---- what is judged -------------------------------------------------------------------------- */

/** The codes of a cast. Arrays have codes of 1, 2, 4 or 8 bytes, the fewest that hold one. */
typedef struct sf8_cast_flips {
    sf8_format from, to;
    const void *inputs; /**< the exact values */
    const void *codes;  /**< what the kernel returned */
    size_t count;
    /** The policy of the cast, as sf8_policy_for() takes it, and fields that are changed in it;
     * NULL: "ocp". Of stochastic rounding both neighbours of a value are right. */
    const char *policy;
    const sf8_uncertainty *uncertainty;
    int any_nan; /**< 1: all codes of NaN count as equal */
} sf8_cast_flips;

/** A matrix that was quantized in blocks with scales; see sf8_quantize_n. */
typedef struct sf8_block_flips {
    /** One without offsets, whose scales are computed from the largest magnitude or given. */
    const sf8_recipe *recipe;
    const char *recipe_name; /**< for messages; or NULL */
    sf8_format from;         /**< f32, bf16, f16 or f64 */
    const void *inputs;      /**< the exact values, row by row */
    size_t rows, columns;
    const uint8_t *codes; /**< what the kernel returned, one to a byte */
    /** The scale of each block, as the kernel stored it. NULL: they are not judged, and the codes
     * are judged with those of the recipe. */
    const uint32_t *scales;
    float g; /**< the global scale, as for sf8_quantize_n */
    const sf8_uncertainty *uncertainty;
} sf8_block_flips;

/* ---- what comes of it ------------------------------------------------------------------------ */

/** What a judgement comes to. */
typedef enum sf8_judged {
    SF8_JUDGED_EQUAL,     /**< every code, and every scale, is that of the exact values */
    SF8_JUDGED_EXCUSED,   /**< the uncertainty excuses all that differ */
    SF8_JUDGED_ONE_SIDED, /**< it does, but those of honest noise would fall on both sides */
    SF8_JUDGED_OUTSIDE    /**< it does not excuse all */
} sf8_judged;

/** One code, or one scale, that differs. */
typedef struct sf8_judged_one {
    size_t index;         /**< of the code, or of the scale */
    double input;         /**< the exact value; of a scale the largest magnitude of its block */
    double low, high;     /**< what reaches the rounding lies between these */
    uint64_t got, right;  /**< the code that came, and that of the exact value */
    uint64_t least, most; /**< the codes of `low` and `high` */
    /** How far the nearest value that gives the code is from the exact one, where 1 is as far as it
     * may be; infinity if no value gives it. */
    double of_allowed;
} sf8_judged_one;

/** Codes, or scales. */
typedef struct sf8_judged_part {
    size_t count, differ, excused, outside; /**< differ = excused + outside */
    /** Of those outside one that is farthest, or without these, of those excused. */
    sf8_judged_one worst;
} sf8_judged_part;

/** On which side of the boundaries the flips of codes fall. */
typedef struct sf8_judged_sides {
    size_t up, down;        /**< flips to a larger and to a smaller value */
    size_t larger, smaller; /**< and to a larger and to a smaller magnitude */
    int is_one_sided;
    /** Where they are one-sided, what noise would have to be on the average, where 1 is as far as a
     * value may be: of magnitudes if `is_of_magnitude`, else of values. */
    double mean;
    int is_of_magnitude;
    double scales; /**< what all scales are times the exact ones, if they are; then that is one-sided
                        too. Else 0 */
} sf8_judged_sides;

/** The result of a judgement. */
typedef struct sf8_judgement {
    sf8_judged verdict;
    sf8_judged_part codes, scales; /**< `scales` is all 0 where none were judged */
    sf8_judged_sides sides;
    /** What explains the codes and scales outside, or the one-sided ones; "" if nothing does. */
    const char *mistake;
    const char *message; /**< all of it in lines; the first is the verdict, the second what to do */
} sf8_judgement;

/** Judges the codes of a cast.
 *
 * The value that the kernel rounds is a number of f32, or of f64 if the inputs are: some number
 * within the uncertainty, rounded to that format. Where zero is within it, the codes of both zeros
 * are excused.
 *
 * @param flips     what came
 * @param judgement receives the result, which sf8_judgement_free() frees
 * @return SF8_OK; SF8_UNKNOWN_NAME for no policy for this conversion; SF8_BAD_TEXT for an
 *     uncertainty that does not follow its grammar; SF8_BAD_FORMAT; SF8_BAD_CALL for a pointer that
 *     is NULL, a code that is wider than its format, an absolute error that is negative or NaN, or
 *     a policy whose codes do not grow with the value; SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_judge_cast(const sf8_cast_flips *flips, sf8_judgement **judgement);

/** Judges scales and codes of blocks.
 *
 * First the scales: that of a block is right if some largest magnitude that the block may have
 * gives it. Then the codes, by the kernel's own scales, whether they are right or not. Parameters
 * and status are as those of sf8_judge_cast; SF8_BAD_CALL also for a recipe with offsets, or whose
 * scale depends on more than the largest magnitude. */
SF8_API sf8_status sf8_judge_blocks(const sf8_block_flips *flips, sf8_judgement **judgement);

/** Frees a judgement; NULL is good. */
SF8_API void sf8_judgement_free(sf8_judgement *judgement);

#ifdef __cplusplus
}
#endif

#endif

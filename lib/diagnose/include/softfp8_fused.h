/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_fused.h -- what a fused kernel computes before it quantizes, from its codes and scales
 *
 * The kernel should compute a stage and quantize the result by a recipe. The search compares its
 * codes and scales with those of the stage as stated. If they differ it changes one thing, then
 * two: the format of an intermediate result, the order of a sum, another activation, a weight or a
 * residual that is left out, w + 1, eps, which half is the gate, the order of two steps, the pairs
 * of rope; and of the quantizer, a factor or another rule of the scales, and what they are taken
 * from. The functions are in the library softfp8_diagnose.
 */
#ifndef SOFTFP8_FUSED_H
#define SOFTFP8_FUSED_H

#include "softfp8_blocks.h"
#include "softfp8_stages.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a fused kernel returned. */
typedef struct sf8_fused_results {
    const sf8_stage *stage; /**< what it should compute */
    const uint32_t *x;      /**< its input, f32 bit patterns, row by row */
    size_t rows, columns;
    const sf8_stage_input *inputs; /**< the arrays that the stage names */
    size_t input_count;
    const sf8_recipe *recipe;
    float g;              /**< the global scale, as for sf8_quantize_n */
    const uint8_t *codes; /**< one to a byte, for each element of the stage's result */
    /** The scale of each block. NULL: scales are not compared, and codes are those of the stage's
     * own scales. */
    const uint32_t *scales;
    double seconds; /**< the time to search for, about; 0: as long as it takes */
} sf8_fused_results;

/** What was found. */
typedef enum sf8_fused_verdict {
    SF8_FUSED_EQUAL,   /**< every code and scale is that of the stage as stated */
    SF8_FUSED_EXCUSED, /**< a few differ: rounding errors that the stage does not state excuse all
                        */
    SF8_FUSED_CHANGED, /**< with changes every code and scale comes out, or all that do not are
                            excused */
    SF8_FUSED_NEAREST, /**< nothing gives all; the list has what is nearest */
    SF8_FUSED_NONE,    /**< nothing is near; the list is empty */
    SF8_FUSED_UNTESTED /**< rounding errors excuse all, but they are so large that in some rows less
                            than half of the codes are known */
} sf8_fused_verdict;

/** A stage that is not as stated. */
typedef struct sf8_fused_explanation {
    const char *stage; /**< as text */
    const char *words; /**< "keeps f32 after rms-norm, where the stage rounds to bf16"; "" if the
                            stage is as stated */
    const char *quantizer; /**< "the scale is that of 2 times amax"; "" if scales and codes are
                              those of the recipe */
    size_t changes;        /**< how many things are changed */
    size_t codes;          /**< how many codes differ from it, by the scales of the kernel */
    size_t scales;         /**< how many scales differ from it */
    size_t outside;        /**< how many of these no rounding error excuses */
} sf8_fused_explanation;

/** The result of a diagnosis of a fused kernel. */
typedef struct sf8_fused_diagnosis {
    sf8_fused_verdict verdict;
    size_t codes, scales; /**< how many there are */
    size_t codes_differ;  /**< from the stage as stated, with its own scales */
    size_t scales_differ; /**< from the stage as stated */
    size_t outside;       /**< how many codes and scales no rounding error of it excuses */
    /** Where all are excused: how many only because functions are approximate, how many only
     * because sums may be formed in any order, how many of all codes can be one code only whatever
     * the rounding errors are, and in how many rows with excused codes less than half are so. */
    size_t by_functions, by_sums, pinned, untested;
    size_t count; /**< equally good explanations, the simplest first: */
    const sf8_fused_explanation *list;
    const char *message; /**< all of it in lines; the first is the verdict */
} sf8_fused_diagnosis;

/** Finds out what a fused kernel computed.
 *
 * The rounding errors that excuse a difference: each function is off by 2 numbers of f32, or by the
 * `ulps` of its step if that is more; each sum is formed in any order of a depth of 64. A change is
 * reported only if at most one in a thousand codes is then left, and rounding errors excuse each.
 *
 * @param results   what came
 * @param diagnosis receives what explains it, which sf8_fused_diagnosis_free() frees
 * @return SF8_OK; SF8_BAD_CALL for a pointer that is NULL, a stage that does not fit the tensor
 *     (sf8_stage_wrong), or a recipe with offsets; SF8_NO_ROOM without enough memory */
SF8_API sf8_status sf8_diagnose_fused(const sf8_fused_results *results,
                                      sf8_fused_diagnosis **diagnosis);
/** Frees a diagnosis; NULL is good. */
SF8_API void sf8_fused_diagnosis_free(sf8_fused_diagnosis *diagnosis);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_stages.h -- what happens before a quantizer: norms, activations, rope, as data
 *
 * A fused kernel computes a norm or an activation and quantizes the result. A stage says what it
 * computes, to which format each result is rounded, and in which order a row is summed:
 *
 *     sf8_stage stage;
 *     sf8_stage_read("add r=R | rms-norm w=W eps=1e-6 via=bf16", &stage, NULL);
 *
 * Values are f32 bit patterns in a uint32_t. Each operation rounds once to nearest even and is
 * computed with integers. docs/spec/stages.md defines the grammar and every kind of step.
 */
#ifndef SOFTFP8_STAGES_H
#define SOFTFP8_STAGES_H

#include "softfp8.h"
#include "softfp8/stages/step.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SF8_STAGE_STEPS = 8, SF8_STAGE_TEXT_SIZE = 1024 };

/** A stage: steps, the first one first. Without steps it changes nothing. */
typedef struct sf8_stage {
    int32_t count;
    sf8_stage_step step[SF8_STAGE_STEPS];
} sf8_stage;

/** A stage of a product. */
typedef struct sf8_stage_row {
    const char *name;     /**< "vllm-rms-norm" */
    const char *text;     /**< as sf8_stage_read reads it */
    const char *product;  /**< whose it is */
    const char *versions; /**< which were read or ran */
    const char *source;   /**< where the rule stands */
    const char *evidence; /**< how it was checked */
    const char *open;     /**< what is not established; "" for nothing */
} sf8_stage_row;

/** Returns the i-th stage of a product; NULL past the last. */
SF8_API const sf8_stage_row *sf8_stage_at(size_t i);
/** Returns the stage of this name, or NULL. */
SF8_API const sf8_stage_row *sf8_stage_named(const char *name);

/** @{ Returns the i-th field of a step, and its values separated by blanks; NULL past the last.
 * "N" stands for a number, "FORMAT" for a format with or without a rounding mode ("bf16:rz"),
 * "ORDER" for an order of sums, "NAME" for the name of an array. */
SF8_API const char *sf8_stage_field_at(size_t i);
SF8_API const char *sf8_stage_field_values(size_t i);
/** @} */

/** Reads a stage from text: steps that are separated by |. A step is a kind or the name of a row,
 * and FIELD=VALUE; or a rounding alone, via=FORMAT. A field after the name of a row changes the
 * last of its steps that has this field.
 *
 * @param text  such as "rms-norm w=W eps=1e-6 | via=bf16"
 * @param stage receives it
 * @param at    receives where reading stopped, or NULL
 * @return SF8_OK; SF8_UNKNOWN_NAME for a kind or a field that there is none of, or that does not
 *     belong to the kind; SF8_BAD_TEXT for a value that is not allowed, or a field that comes
 *     twice; SF8_NO_ROOM for too many steps */
SF8_API sf8_status sf8_stage_read(const char *text, sf8_stage *stage, size_t *at);
/** Writes a stage as text that sf8_stage_read reads; SF8_STAGE_TEXT_SIZE bytes are enough. Returns
 * SF8_NO_ROOM if `size` bytes are not. */
SF8_API sf8_status sf8_stage_write(const sf8_stage *stage, char *text, size_t size);

/** Returns the name of the i-th array that a stage needs, or NULL. */
SF8_API const char *sf8_stage_array(const sf8_stage *stage, size_t i);

/** An array that a step names: f32 bit patterns. `rows` is 1 or that of the tensor; `columns` is 1
 * or what the step has at that place. */
typedef struct sf8_stage_input {
    const char *name;
    const uint32_t *values;
    size_t rows, columns;
} sf8_stage_input;

/** Returns what is wrong with a call, in words, or NULL. If it is an array, *name receives its
 * name, else "". */
SF8_API const char *sf8_stage_wrong(const sf8_stage *stage, size_t rows, size_t columns,
                                    const sf8_stage_input *inputs, size_t count, const char **name);
/** Returns how many columns the result has: half of them for each step with a gate. */
SF8_API size_t sf8_stage_columns(const sf8_stage *stage, size_t columns);

/** Computes a stage.
 *
 * @param stage   the stage
 * @param out     receives rows * sf8_stage_columns(...) values
 * @param x       rows * columns values; may equal `out` if the stage has no gate
 * @param rows    the number of rows
 * @param columns the number of columns
 * @param inputs  the arrays that the stage names
 * @param count   how many
 * @param work    memory for 3 * columns intervals
 * @return SF8_BAD_CALL if sf8_stage_wrong finds something */
SF8_API sf8_status sf8_stage_run(const sf8_stage *stage, uint32_t *out, const uint32_t *x,
                                 size_t rows, size_t columns, const sf8_stage_input *inputs,
                                 size_t count, sf8_span *work);
/** Computes, for each element, an interval that contains every result of the stage: if its
 * approximate functions are off by up to `ulps`, and its sums of order `any` are formed in any
 * order. The interval may be larger than needed. Both ends are NaN if the result is, or if nothing
 * is known about it. Parameters and status as sf8_stage_run; `x_upper` may equal `x_lower`. */
SF8_API sf8_status sf8_stage_bounds(const sf8_stage *stage, uint32_t *lower, uint32_t *upper,
                                    const uint32_t *x_lower, const uint32_t *x_upper, size_t rows,
                                    size_t columns, const sf8_stage_input *inputs, size_t count,
                                    sf8_span *work);

#ifdef __cplusplus
}
#endif

#endif

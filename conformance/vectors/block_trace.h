/* SPDX-License-Identifier: MIT */
/* block_trace.h -- the programs of a recipe step by step, and what became of an element
 *
 * The same values as sf8_program_run leaves, with all that came before.
 */
#ifndef SOFTFP8_CONFORM_BLOCK_TRACE_H
#define SOFTFP8_CONFORM_BLOCK_TRACE_H

#include "softfp8_blocks.h"

/* An operation; its operands were made by the terms of these numbers. */
typedef struct trace_step {
    uint32_t op;
    int operands, term;
    int made_by[3];
    uint32_t operand[3], result;
} trace_step;

typedef struct trace {
    const sf8_program *program;
    int count;
    trace_step step[SF8_PROGRAM_TERMS];
    uint32_t result;
} trace;

trace trace_of(const sf8_program *program, const uint32_t *variable);

/* What became of an element x, a word of f32, in a block whose scale is known. */
typedef struct element_fate {
    uint32_t word; /* that was converted */
    uint32_t code;
    int is_nan;       /* the element itself */
    int is_saturated; /* a constant bound of the program, or the largest code, cut it off */
    int is_tie;       /* it was half way, where it was rounded to a code or an integer */
} element_fate;

element_fate element_fate_of(const sf8_recipe *r, sf8_block *b, uint32_t x);

/* Scale, offset and factor of a block of `count` elements in rows of `columns`. */
void block_of_rows(const sf8_recipe *r, sf8_block *b, const uint32_t *x, size_t count,
                   size_t columns, uint32_t g);
void block_of(const sf8_recipe *r, sf8_block *b, const uint32_t *x, size_t count, uint32_t g);
/* Of a row that chooses between two scales: which it takes, 0 or 1, and the errors of both. */
int block_choice(const sf8_recipe *r, const uint32_t *x, size_t count, uint32_t g,
                 uint32_t errors[2]);

#endif

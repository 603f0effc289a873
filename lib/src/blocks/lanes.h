/* SPDX-License-Identifier: MIT */
/* lanes.h -- blocks by the processor's floats: what the files of that way share
 *
 * A program of a recipe is run over many blocks, or many elements, at once: each of its operations
 * is a loop over lanes, words of f32. An instruction gives what the core does, but for which NaN it
 * makes, as long as MXCSR says to nearest and nothing of subnormals; so it is set and put back.
 * Another processor has no such loops: there the core does it.
 */
#ifndef SF8_BLOCK_LANES_H
#define SF8_BLOCK_LANES_H

#include "arrays/inline.h"
#include "softfp8_blocks.h"

#include <string.h>

/* A matrix to be quantized, or read back: the tensor, and where its codes and scales lie. Codes of
 * 8 bits, or one to a byte, have `bits` 8; of fewer, a row is what sf8_pack_n makes of it. Scales
 * are words, or bytes at scale_bytes. */
typedef struct sf8_quantizing {
    const sf8_recipe *r;
    sf8_format tensor;
    const unsigned char *src;
    size_t rows, columns;
    uint32_t g;
    uint8_t *codes;
    int32_t bits;
    uint32_t *scales, *offsets;
    uint8_t *scale_bytes;
} sf8_quantizing;

typedef struct sf8_reading {
    const sf8_recipe *r;
    sf8_format tensor;
    unsigned char *dst;
    size_t rows, columns;
    uint32_t g;
    const uint8_t *codes;
    int32_t bits;
    const uint32_t *scales, *offsets;
    const uint8_t *scale_bytes;
} sf8_reading;

/* n codes at a column of a row of so many bits each, to their places or from them. What lies behind
 * them in their last byte becomes 0. */
SF8_PRIVATE void sf8_codes_put(int32_t bits, uint8_t *row, size_t column, const uint8_t *codes,
                               size_t n);
SF8_PRIVATE void sf8_codes_get(int32_t bits, const uint8_t *row, size_t column, uint8_t *codes,
                               size_t n);

/* Whole matrices; 0 if this way has no loops for it, and nothing is written then. */
SF8_PRIVATE int32_t sf8_lanes_quantize(int32_t level, const sf8_quantizing *q);
SF8_PRIVATE int32_t sf8_lanes_dequantize(int32_t level, const sf8_reading *d);

/* The same for blocks of several rows too; the first may have written where it returns 0. */
SF8_PRIVATE int32_t sf8_tiles_quantize(int32_t level, const sf8_quantizing *q);
SF8_PRIVATE int32_t sf8_tiles_dequantize(int32_t level, const sf8_reading *d);

#if SF8_HAS_X86

/* Loops work in steps of so many words, so that arrays have room for whole steps. */
enum { SF8_LANES_STEP = 16, SF8_LANES_MOST = 256 };

/* Added to a magnitude it makes a negative word of each NaN, and of nothing else. */
#define SF8_LANES_ABOVE_INF 0x007fffffu

SF8_FN size_t sf8_lanes_whole(size_t n)
{
    return (n + SF8_LANES_STEP - 1) & ~(size_t)(SF8_LANES_STEP - 1);
}

/* r = op(a, b, c), n a multiple of SF8_LANES_STEP; r may be any of the operands. */
typedef void sf8_lanes_op(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                          size_t n);

/* What blocks have: the largest magnitude, and with `ends` the least and the greatest element as
 * sf8_f32_order has them. NaN is passed over, and `most` negative if there is nothing else; with
 * `see_nan` it is a magnitude like others. */
typedef struct sf8_lanes_range {
    int32_t most[SF8_LANES_MOST], low[SF8_LANES_MOST], high[SF8_LANES_MOST];
} sf8_lanes_range;

/* The loops of a level. */
typedef struct sf8_lanes_ops {
    sf8_lanes_op *op[SF8_TERM_COUNT]; /* NULL for a number and a variable */
    sf8_lanes_op *to_f16, *of_f16;    /* a word with the code of f16 */
    sf8_lanes_op *of_integer;         /* below 2^22 in magnitude */
    /* Integers of rne in two's complement; returns 0 if a word is out of reach of that. */
    int32_t (*integers)(uint32_t *words, size_t n, int32_t is_signed);
    /* Of so many blocks of `count` elements, one behind the other. */
    void (*ranges)(sf8_lanes_range *range, const uint32_t *x, size_t count, size_t blocks,
                   int32_t see_nan, int32_t ends);
    /* r = x times the factor of its block, of 2^shift words; n whole steps. A NaN of the factor is
     * the product's. */
    void (*scale)(uint32_t *r, const uint32_t *x, const uint32_t *factor, int32_t shift, size_t n);
    /* The products of the values of n codes, two to a byte, with the factors, or NULL. `value` has
     * 16 words. */
    void (*scale4)(void *dst, const uint8_t *codes, const uint32_t *value, const uint32_t *factor,
                   int32_t shift, size_t n);
    /* Scales of e8m0 that are powers of two by the exponents of amax, their values and inverses. */
    void (*powers)(uint32_t *codes, uint32_t *s, uint32_t *inverse, const uint32_t *amax,
                   uint32_t more, int32_t emax, size_t n);
} sf8_lanes_ops;

SF8_PRIVATE const sf8_lanes_ops *sf8_lanes_ops_of(int32_t level);

/* Variables that are no block's. */
#define SF8_LANES_ALIKE (1u << SF8_VAR_x | 1u << SF8_VAR_e | 1u << SF8_VAR_g)
#define SF8_LANES_ENDS (1u << SF8_VAR_low | 1u << SF8_VAR_high)
#define SF8_LANES_PEAK (1u << SF8_VAR_peak)

/* To nearest, subnormals kept, no exceptions; and bits that make 0 of what would be subnormal, of
 * results and of operands. */
enum { SF8_LANES_MXCSR = 0x1f80, SF8_LANES_NO_TINY = 0x8000, SF8_LANES_TAKE_NO_TINY = 0x40 };

/* Elements at a time, whole blocks where they fit. */
enum { SF8_LANES_PIECE = 4096 };

/* Blocks of the same length, one behind the other. One longer than a piece is by itself. */
typedef struct sf8_lanes_group {
    size_t count, blocks;
} sf8_lanes_group;

/* The next group, of blocks of such a length where so many elements of a row are left. */
SF8_PRIVATE sf8_lanes_group sf8_lanes_next(size_t block, size_t left);

/* A program over elements that is a product with what a block has, or a quotient by it. */
typedef struct sf8_lanes_product {
    int32_t is; /* 0: it is not */
    int32_t divide;
    uint32_t more; /* what is added: 0, or -0, which changes nothing */
    sf8_program factor_of;
} sf8_lanes_product;

/* What a call works with: words of variables, one for each block of a group, and one for each
 * element of a run. */
typedef struct sf8_lanes {
    const sf8_recipe *r;
    const sf8_lanes_ops *ops;
    const sf8_kernels *arrays;
    sf8_format tensor;
    uint32_t used, asked; /* by the program over elements, by any: a bit for each variable */
    sf8_lanes_product product;
    int32_t emax; /* scales are by `powers`, and so are the factors; or 0 */
    uint32_t more;
    int32_t inverse; /* the product is with 1 / s */
    sf8_plan element_plan, scale_plan;
    sf8_encoder *to_element, *to_scale; /* NULL: by the core, one by one */
    uint32_t block[SF8_VAR_COUNT][SF8_LANES_MOST];
    uint32_t element[SF8_VAR_COUNT][SF8_LANES_MOST];
    uint32_t stack[SF8_PROGRAM_STACK][SF8_LANES_MOST];
    uint32_t scale[SF8_LANES_MOST], offset[SF8_LANES_MOST], factor[SF8_LANES_MOST];
    uint32_t value[16]; /* of codes of 4 bits */
    uint32_t words[SF8_LANES_PIECE];
    uint8_t codes[SF8_LANES_PIECE];
} sf8_lanes;

/* A program without `own`, which changes nothing where it is still there. */
SF8_PRIVATE sf8_program sf8_lanes_of_f32(const sf8_program *p);
/* 0 if something that the recipe computes has no loop. `over` is its program over elements, of the
 * variable `of`; a row has at most `columns`. */
SF8_PRIVATE int32_t sf8_lanes_begin(sf8_lanes *w, int32_t level, const sf8_recipe *r,
                                    const sf8_program *over, uint32_t of, sf8_format tensor,
                                    size_t columns, uint32_t g);
/* The factors of n blocks at w->factor, NaN as the core makes it. The bits of what there is among
 * them: */
enum { SF8_FACTOR_ZERO = 1, SF8_FACTOR_INF = 2 };
SF8_PRIVATE int32_t sf8_lanes_factors(sf8_lanes *w, size_t n);
/* The logarithm of a block's length, if that is a power of two from 16 to 4096; else 0. */
SF8_PRIVATE int32_t sf8_lanes_shift(const sf8_recipe *r, const sf8_lanes_group *group);
/* Whether a matrix can be taken for one row. */
SF8_PRIVATE int32_t sf8_lanes_one_row(const sf8_recipe *r, size_t columns, int32_t bits);
/* The words of a program over n blocks, and over n elements whose first is `at` in the group. */
SF8_PRIVATE const uint32_t *sf8_lanes_of_blocks(sf8_lanes *w, const sf8_program *p, size_t n);
SF8_PRIVATE const uint32_t *sf8_lanes_of_elements(sf8_lanes *w, const sf8_program *p,
                                                  const sf8_lanes_group *group, size_t at,
                                                  size_t n);
/* n words of f32 of a tensor from the i-th on: where they are, or widened at w->words. Where they
 * are they may be floats to the caller, which an access by uint32_t would not see. */
SF8_PRIVATE const uint32_t *sf8_lanes_load(sf8_lanes *w, const unsigned char *src, size_t i,
                                           size_t n);
SF8_INLINED uint32_t sf8_lanes_at(const uint32_t *x, size_t i)
{
    uint32_t word;
    memcpy(&word, x + i, 4);
    return word;
}
/* The variables amax, low and high of a group's blocks, whose first element is the i-th. */
SF8_PRIVATE void sf8_lanes_ranges(sf8_lanes *w, const sf8_lanes_group *group,
                                  const unsigned char *src, size_t i);
/* The variable s of n blocks, from the words w->scale less the bits of `without`. */
SF8_PRIVATE void sf8_lanes_read_scales(sf8_lanes *w, uint32_t without, size_t n);

#endif
#endif

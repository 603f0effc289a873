/* SPDX-License-Identifier: MIT */
/* block_vector.h -- blocks by the processor's floats: declarations that these files share
 *
 * A program of a recipe runs over many blocks, or many elements, at once: each of its operations is
 * a loop over lanes, which are f32. An instruction gives what the core does, except that its NaN
 * may differ, as long as MXCSR says round to nearest and keep subnormals. Therefore MXCSR is set
 * and restored. Processors without such loops use the core.
 */
#ifndef SF8_BLOCK_LANES_H
#define SF8_BLOCK_LANES_H

#include "arrays/array.h"
#include "blocks/tile.h"
#include "softfp8_blocks.h"

#include <string.h>

/* A matrix that is quantized or read back: the tensor, and where its codes and scales are. `bits`
 * is 8 for codes of 8 bits and for codes of one to a byte; with fewer bits a row is packed as by
 * sf8_pack_n. Scales are uint32_t, or bytes at scale_bytes. What is only read is not const here:
 * quantizing reads `words` and writes the rest, reading back writes `words` alone. */
typedef struct sf8_in_blocks {
    int32_t back; /* it is read back */
    const sf8_recipe *r;
    sf8_format tensor;
    unsigned char *words; /* of the tensor */
    size_t rows, columns;
    uint32_t g;
    uint8_t *codes;
    int32_t bits;
    uint32_t *scales, *offsets;
    uint8_t *scale_bytes;
} sf8_in_blocks;

/* With codes of one to a byte. */
SF8_INLINED sf8_in_blocks sf8_in_blocks_of(int32_t back, const sf8_recipe *r, const uint8_t *codes,
                                           const uint32_t *scales, const uint32_t *offsets,
                                           sf8_format tensor, const void *words, size_t rows,
                                           size_t columns, float g)
{
    sf8_in_blocks m = {back,
                       r,
                       tensor,
                       (unsigned char *)words,
                       rows,
                       columns,
                       sf8_f32_bits(g),
                       (uint8_t *)codes,
                       8,
                       (uint32_t *)scales,
                       (uint32_t *)offsets,
                       NULL};
    return m;
}

/* Writes or reads n codes of `bits` bits at a column of a row. The rest of their last byte becomes
 * 0. */
SF8_PRIVATE void sf8_codes_put(int32_t bits, uint8_t *row, size_t column, const uint8_t *codes,
                               size_t n);
SF8_PRIVATE void sf8_codes_get(int32_t bits, const uint8_t *row, size_t column, uint8_t *codes,
                               size_t n);

/* The core quantizes a block, number `at`. The values are word(from, row, column). */
SF8_INLINED void sf8_quantize_tile(const sf8_in_blocks *q, sf8_tile t, size_t at,
                                   sf8_tile_word *word, void *from)
{
    size_t bytes = sf8_packed_size(q->bits, q->columns);
    sf8_block b;
    sf8_tile_scale(q->r, &b, q->g, t, word, from);
    for (size_t row = t.row; row < t.row_end; row++)
        for (size_t column = t.column; column < t.column_end; column++) {
            uint8_t code = (uint8_t)sf8_block_code(q->r, &b, word(from, row, column));
            sf8_codes_put(q->bits, q->codes + row * bytes, column, &code, 1);
        }
    if (q->scale_bytes)
        q->scale_bytes[at] = (uint8_t)b.scale;
    else
        q->scales[at] = b.scale;
    if (q->r->offset_at == SF8_OFFSET_WORD)
        q->offsets[at] = b.offset;
}

/* The same for a matrix in blocks of `high` rows and `wide` columns, whatever the recipe says of
 * these. */
SF8_INLINED void sf8_quantize_tiles(const sf8_in_blocks *q, size_t high, size_t wide,
                                    sf8_tile_word *word, void *from)
{
    sf8_tile t;
    size_t at = 0;
    for (sf8_tile_first(&t); sf8_tile_next(&t, high, wide, q->rows, q->columns); at++)
        sf8_quantize_tile(q, t, at, word, from);
}

/* The core converts a matrix in memory, in such blocks. */
SF8_PRIVATE void sf8_blocks_by_core(sf8_in_blocks *m, size_t high, size_t wide);
/* Converts a whole matrix by loops over lanes. Returns 0 if there are none for the recipe; if its
 * blocks have several rows, something may have been written by then. */
SF8_PRIVATE int32_t sf8_tiles_convert(const sf8_level *level, const sf8_in_blocks *m);

#if SF8_HAS_X86

/* Loops process this many lanes at a time, so that arrays have space for whole steps. */
enum { SF8_LANES_STEP = 16, SF8_LANES_MOST = 256 };

/* Added to a magnitude, it gives a negative integer for NaN, and for nothing else. */
#define SF8_LANES_ABOVE_INF 0x007fffffu

SF8_FN size_t sf8_lanes_whole(size_t n)
{
    return (n + SF8_LANES_STEP - 1) & ~(size_t)(SF8_LANES_STEP - 1);
}

/* r = op(a, b, c), n a multiple of SF8_LANES_STEP; r may be any of the operands. */
typedef void sf8_lanes_op(uint32_t *r, const uint32_t *a, const uint32_t *b, const uint32_t *c,
                          size_t n);

/* What is known about the elements of blocks: the largest magnitude, and with `ends` the least and
 * the greatest element as integers of sf8_f32_order. NaN is ignored; if a block has nothing else,
 * `most` is negative. With `see_nan` NaN counts as a magnitude like others. */
typedef struct sf8_lanes_range {
    int32_t most[SF8_LANES_MOST], low[SF8_LANES_MOST], high[SF8_LANES_MOST];
} sf8_lanes_range;

/* How codes of at most 8 bits become f32. The magnitude is shifted up by `up` bits to where f32 has
 * it, and `add` is the difference of the exponents. The sign is shifted to the top of a word.
 * `least` is the value of magnitude 0. Magnitudes above `most` are NaN, or infinite if equal to
 * `inf`. */
typedef struct sf8_lanes_decoding {
    int32_t is; /* 0: such codes cannot be read in this way */
    int32_t to_top, up, magnitude, most, inf;
    uint32_t sign, add, least;
} sf8_lanes_decoding;

/* What occurs among factors; `most` is the largest magnitude that is not NaN. */
enum { SF8_FACTOR_ZERO = 1, SF8_FACTOR_INF = 2, SF8_FACTOR_SUBNORMAL = 4 };
typedef struct sf8_lanes_gauge {
    int32_t has;
    uint32_t most;
} sf8_lanes_gauge;

/* The loops of a level. */
typedef struct sf8_lanes_ops {
    sf8_lanes_op *op[SF8_TERM_COUNT]; /* NULL for numbers and variables */
    sf8_lanes_op *to_f16, *of_f16;    /* the f16 code of a value, in an uint32_t */
    sf8_lanes_op *of_integer;         /* below 2^22 in magnitude */
    /* Integers by rne in two's complement; returns 0 if a value is out of the range of that. */
    int32_t (*integers)(uint32_t *words, size_t n, int32_t is_signed);
    /* For `blocks` blocks of `count` elements that follow one another. Returns the largest
     * `most`. */
    int32_t (*ranges)(sf8_lanes_range *range, const uint32_t *x, size_t count, size_t blocks,
                      int32_t see_nan, int32_t ends);
    /* r = x times the factor of its block of 2^shift elements; n is whole steps. A NaN of the
     * factor is the NaN of the product. */
    void (*scale)(uint32_t *r, const uint32_t *x, const uint32_t *factor, int32_t shift, size_t n);
    /* The values of n codes, two to a byte, times the factors, or NULL. `value` has the 16 values,
     * whose low 16 bits are 0. */
    void (*scale4)(void *dst, const uint8_t *codes, const uint32_t *value, const uint32_t *factor,
                   int32_t shift, size_t n);
    /* The values of n such codes, of the 16 that `rows` has for each code of a scale, or NULL. */
    void (*find4)(void *dst, const uint8_t *codes, const uint32_t *rows, const uint32_t *scale,
                  int32_t shift, size_t n);
    /* Scales of e8m0, computed as powers of two from the exponents of amax; their values and
     * inverses. */
    void (*powers)(uint32_t *codes, uint32_t *s, uint32_t *inverse, const uint32_t *amax,
                   uint32_t more, int32_t emax, size_t n);
    /* For each element from `at` on, a multiple of 16, the word of its block of 2^shift. n is whole
     * steps. */
    void (*spread)(uint32_t *r, const uint32_t *words, int32_t shift, size_t at, size_t n);
    /* Copies factors, with the NaN of the core; r may be x. n is whole steps. */
    sf8_lanes_gauge (*factors)(uint32_t *r, const uint32_t *x, size_t n);
    /* The values of codes, one to a byte; and these times the factors, as `scale` does it. n is
     * whole steps. */
    void (*decode)(uint32_t *r, const uint8_t *codes, const sf8_lanes_decoding *c, size_t n);
    void (*scale8)(uint32_t *r, const uint8_t *codes, const sf8_lanes_decoding *c,
                   const uint32_t *factor, int32_t shift, size_t n);
} sf8_lanes_ops;

/* The variables that do not belong to a block. */
#define SF8_LANES_ALIKE (1u << SF8_VAR_x | 1u << SF8_VAR_e | 1u << SF8_VAR_g)
#define SF8_LANES_ENDS (1u << SF8_VAR_low | 1u << SF8_VAR_high)
#define SF8_LANES_PEAK (1u << SF8_VAR_peak)

/* Bits of MXCSR that flush subnormal results and operands to 0. */
enum { SF8_LANES_NO_TINY = 0x8000, SF8_LANES_TAKE_NO_TINY = 0x40 };

/* Convert a whole matrix whose blocks have one row. They return 0, and write nothing, if there is
 * no loop for the recipe. */
SF8_PRIVATE int32_t sf8_lanes_quantize(const sf8_level *level, const sf8_in_blocks *q);
SF8_PRIVATE int32_t sf8_lanes_dequantize(const sf8_level *level, const sf8_in_blocks *d);

/* The elements processed at a time, whole blocks if they fit. */
enum { SF8_LANES_PIECE = 4096 };

/* Blocks of the same length that follow one another. A block longer than a piece is a group by
 * itself. */
typedef struct sf8_lanes_group {
    size_t count, blocks;
} sf8_lanes_group;

/* The next group, of blocks of length `block` with `left` elements left in the row. */
SF8_PRIVATE sf8_lanes_group sf8_lanes_next(size_t block, size_t left);

/* A program over elements that multiplies or divides by a per-block value. */
typedef struct sf8_lanes_product {
    int32_t is; /* 0: it is not */
    int32_t divide;
    uint32_t more; /* what is added: 0, or -0, which changes nothing */
    sf8_program factor_of;
} sf8_lanes_product;

/* The working memory of a call: the variables for each block of a group, and for each element of a
 * run. Behind the former are numbers of the programs over blocks. */
enum { SF8_LANES_NUMBERS = 4 };
typedef struct sf8_lanes {
    const sf8_recipe *r;
    const sf8_lanes_ops *ops;
    const sf8_kernels *arrays;
    sf8_format tensor;
    uint32_t used, asked; /* used by the program over elements, used by any program: one bit for
                             each variable */
    sf8_lanes_product product;
    sf8_program scale_of, factor_of; /* of the recipe, with constants computed */
    sf8_lanes_decoding scale_codes, element_codes;
    int32_t has_inf, has_nan; /* about the group: some amax is not a number below infinity; some
                                 element is NaN */
    int32_t emax;             /* scales and factors are computed by `powers`; or 0 */
    uint32_t more;
    int32_t inverse; /* the factor is 1 / s */
    sf8_plan element_plan, scale_plan;
    sf8_encoder *to_element, *to_scale; /* NULL: by the core, one element at a time */
    size_t lanes, numbers; /* the blocks of the largest group, in whole steps; the numbers among
                              `block` */
    uint32_t block[SF8_VAR_COUNT + SF8_LANES_NUMBERS][SF8_LANES_MOST];
    uint32_t element[SF8_VAR_COUNT][SF8_LANES_MOST];
    uint32_t stack[SF8_PROGRAM_STACK][SF8_LANES_MOST];
    uint32_t scale[SF8_LANES_MOST], offset[SF8_LANES_MOST], factor[SF8_LANES_MOST];
    uint32_t value[16];   /* for codes of 4 bits */
    int32_t by_halves;    /* these are for scale4 */
    const uint32_t *rows; /* NULL, or the values of these codes by each code of a scale */
    uint32_t words[SF8_LANES_PIECE];
    uint8_t codes[SF8_LANES_PIECE];
} sf8_lanes;

/* Makes q the program without `own`. Where `own` is still there it changes nothing. */
SF8_PRIVATE void sf8_lanes_of_f32(sf8_program *q, const sf8_program *p);
/* How the codes of a format are read. */
SF8_PRIVATE sf8_lanes_decoding sf8_lanes_decoding_of(sf8_format f);
/* Prepares a recipe, with MXCSR set. Returns 0 if it computes something for which there is no loop.
 * `over` is its program over elements, `of` the variable of an element; a row has at most
 * `columns`. */
SF8_PRIVATE int32_t sf8_lanes_begin(sf8_lanes *w, const sf8_level *level, const sf8_recipe *r,
                                    const sf8_program *over, uint32_t of, sf8_format tensor,
                                    size_t columns, uint32_t g);
/* Computes the factors of n blocks at w->factor, with the core's NaN. Lanes behind them count too,
 * up to whole steps: a gauge may name what no block has. */
SF8_PRIVATE sf8_lanes_gauge sf8_lanes_factors(sf8_lanes *w, size_t n);
/* The logarithm of a block's length if that is a power of two from 16 to 4096; else 0. */
SF8_PRIVATE int32_t sf8_lanes_shift(const sf8_recipe *r, const sf8_lanes_group *group);
/* Returns 1 if a matrix can be processed as one row. */
SF8_PRIVATE int32_t sf8_lanes_one_row(const sf8_recipe *r, size_t columns, int32_t bits);
/* Run a program over n blocks, and over n elements of which the first is element `at` of the
 * group. */
SF8_PRIVATE const uint32_t *sf8_lanes_of_blocks(sf8_lanes *w, const sf8_program *p, size_t n);
SF8_PRIVATE const uint32_t *sf8_lanes_of_elements(sf8_lanes *w, const sf8_program *p,
                                                  const sf8_lanes_group *group, size_t at,
                                                  size_t n);
/* Returns n values of a tensor as f32, beginning with the i-th: in place, or widened at w->words.
 * In place they may be floats of the caller, which a plain access by uint32_t may not read. */
SF8_PRIVATE const uint32_t *sf8_lanes_load(sf8_lanes *w, const unsigned char *src, size_t i,
                                           size_t n);
SF8_INLINED uint32_t sf8_lanes_at(const uint32_t *x, size_t i)
{
    uint32_t word;
    memcpy(&word, x + i, 4);
    return word;
}
/* Computes the variables amax, low and high of the blocks of a group whose first element is the
 * i-th. */
SF8_PRIVATE void sf8_lanes_ranges(sf8_lanes *w, const sf8_lanes_group *group,
                                  const unsigned char *src, size_t i);
/* Computes the variable s of n blocks from w->scale, without the bits of `without`. */
SF8_PRIVATE void sf8_lanes_read_scales(sf8_lanes *w, uint32_t without, size_t n);

#endif
#endif

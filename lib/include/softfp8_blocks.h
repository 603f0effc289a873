/* SPDX-License-Identifier: MIT */
/* softfp8_blocks.h -- blocks of narrow codes with a scale: recipes, and layouts of the scales
 *
 * A recipe says how a block is quantized and read back, <softfp8/blocks/block.h> what it consists
 * of, <softfp8/blocks/layout.h> which layouts there are. Both are inline, for use on a device too;
 * here are their names and whole arrays. As everywhere in the library nothing is allocated.
 */
#ifndef SOFTFP8_BLOCKS_H
#define SOFTFP8_BLOCKS_H

#include "softfp8.h"
#include "softfp8/blocks/block.h"
#include "softfp8/blocks/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- recipes --------------------------------------------------------------------------------- */

/* What is said of a recipe, as its row in <softfp8/blocks/recipes.h> has it. In a row of the
 * caller's own `product` and what follows may be NULL. */
typedef struct sf8_recipe_row {
    const char *name;
    const char *element, *element_policy, *element_fields; /* "e2m1" or "int4", "uint2" */
    int32_t block;
    const char *scale, *scale_policy, *scale_fields;
    const char *scale_of, *offset_of, *factor_of, *element_of, *value_of; /* programs */
    const char *properties; /* "g=decode amax=nan zero=38", "per=token-head" */
    const char *product, *versions; /* "vLLM", "0.33.0"; "not recorded" */
    const char *source;   /* which function of the product, or what else the rule comes from */
    const char *evidence; /* items "ran: ...", "hardware: ...", "source: ...", "document: ...",
                             separated by "; " */
    const char *open;     /* what in it is not established, or "" */
    const char *g_of;     /* the program of the second scale; NULL: there is none */
    const char *second_of, *error_of; /* where there is a choice between two scales, or NULL */
} sf8_recipe_row;

/* The i-th row, or NULL. */
SF8_API const sf8_recipe_row *sf8_recipe_at(size_t i);
/* A recipe by name, or from a row of the caller's own, ready for use. SF8_UNKNOWN_NAME if there is
 * none of that name; SF8_BAD_CALL if the row says what there is not; *recipe then is as it was. */
SF8_API sf8_status sf8_recipe_named(sf8_recipe *recipe, const char *name);
SF8_API sf8_status sf8_recipe_read(sf8_recipe *recipe, const sf8_recipe_row *row);
/* A program from its text; 0, and *program as it was, if it is none. */
SF8_API int32_t sf8_program_read(sf8_program *program, const char *text);

/* What a row is, of SF8_PER_ROW ...: "row", "none", "tensor", "token", "token-head", "block"; NULL
 * for another number. */
SF8_API const char *sf8_recipe_per_name(int32_t per);

/* The second scale of a tensor of f32, bf16 or f16 from its largest magnitude, as the recipe's
 * stack computes it, to *g. SF8_BAD_FORMAT for another format; SF8_BAD_CALL where the recipe does
 * not say how; *g is as it was then. */
SF8_API sf8_status sf8_recipe_g(const sf8_recipe *recipe, sf8_format tensor, float amax, float *g);

/* How many blocks a row of so many elements has: the last may be short. */
SF8_API size_t sf8_recipe_blocks(const sf8_recipe *recipe, size_t columns);
/* How many rows of scales a matrix with `rows` rows has: as many, or where a block has several rows
 * fewer. Scales are a matrix of sf8_recipe_scale_rows x sf8_recipe_blocks. */
SF8_API size_t sf8_recipe_scale_rows(const sf8_recipe *recipe, size_t rows);

/* Quantizes a matrix of words of the format `from` (f32, bf16, f16): codes, one to a byte, and for
 * each block, in rows of blocks, the scale's code and, where the recipe has offsets with a word of
 * their own, the offset's. `g` is the second scale; without one it is not looked at. And back, to
 * words of the format `to`, through f32. No arrays may overlap. SF8_BAD_FORMAT for another format,
 * SF8_BAD_CALL for sizes beyond the address space; nothing is written then. */
SF8_API sf8_status sf8_quantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                  uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                                  size_t columns, float g);
SF8_API sf8_status sf8_dequantize_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                    const uint8_t *codes, const uint32_t *scales,
                                    const uint32_t *offsets, size_t rows, size_t columns, float g);

/* The same on a level by its name (sf8_simd_at), or with "core" by the core, one value at a time;
 * SF8_UNKNOWN_NAME for another. */
SF8_API sf8_status sf8_quantize_n_at(const char *level, const sf8_recipe *recipe, uint8_t *codes,
                                     uint32_t *scales, uint32_t *offsets, sf8_format from,
                                     const void *src, size_t rows, size_t columns, float g);
SF8_API sf8_status sf8_dequantize_n_at(const char *level, const sf8_recipe *recipe, sf8_format to,
                                       void *dst, const uint8_t *codes, const uint32_t *scales,
                                       const uint32_t *offsets, size_t rows, size_t columns,
                                       float g);

/* As sf8_quantize_n and sf8_dequantize_n, with each row of codes as sf8_pack_n packs it, so that it
 * begins with a byte of its own, and a scale to a byte. SF8_BAD_CALL for a recipe whose scales have
 * more than 8 bits, or which has offsets; by nibbles=half also where blocks are not whole. */
SF8_API sf8_status sf8_quantize_packed_n(const sf8_recipe *recipe, uint8_t *packed, uint8_t *scales,
                                         sf8_format from, const void *src, size_t rows,
                                         size_t columns, float g);
SF8_API sf8_status sf8_dequantize_packed_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                           const uint8_t *packed, const uint8_t *scales,
                                           size_t rows, size_t columns, float g);
SF8_API sf8_status sf8_quantize_packed_n_at(const char *level, const sf8_recipe *recipe,
                                            uint8_t *packed, uint8_t *scales, sf8_format from,
                                            const void *src, size_t rows, size_t columns, float g);
SF8_API sf8_status sf8_dequantize_packed_n_at(const char *level, const sf8_recipe *recipe,
                                              sf8_format to, void *dst, const uint8_t *packed,
                                              const uint8_t *scales, size_t rows, size_t columns,
                                              float g);

/* As sf8_quantize_n and sf8_dequantize_n, with blocks along columns, as caches keep keys: a row is
 * a token, and a block of the recipe's size goes down a column. The code of an element stays at its
 * place; the scale of a block is at [first row / block][column], so that there are
 * sf8_recipe_blocks(recipe, rows) rows of `columns` scales. SF8_BAD_CALL for a recipe whose blocks
 * have several rows, or which chooses between two scales. */
SF8_API sf8_status sf8_quantize_columns_n(const sf8_recipe *recipe, uint8_t *codes,
                                          uint32_t *scales, uint32_t *offsets, sf8_format from,
                                          const void *src, size_t rows, size_t columns, float g);
SF8_API sf8_status sf8_dequantize_columns_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                            const uint8_t *codes, const uint32_t *scales,
                                            const uint32_t *offsets, size_t rows, size_t columns,
                                            float g);

/* ---- codes in bytes, and images ------------------------------------------------------------- */

/* A row of codes as sf8_pack_n packs it, or by nibbles=half with element j of a block in the low
 * half of its byte j and element j + block / 2 in the high half. And back. SF8_BAD_CALL by
 * nibbles=half where blocks are not whole; nothing is written then. */
SF8_API sf8_status sf8_recipe_pack_n(const sf8_recipe *recipe, uint8_t *packed,
                                     const uint8_t *codes, size_t columns);
SF8_API sf8_status sf8_recipe_unpack_n(const sf8_recipe *recipe, uint8_t *codes,
                                       const uint8_t *packed, size_t columns);

/* The image of a matrix where scales stand before the codes of their blocks, as in files of GGUF:
 * by image=N the scales of N blocks, each followed by its offset if there is one, words of 1, 2 or
 * 4 bytes, the least first; then the packed codes of these blocks. Its size to *size; to an image;
 * and back. SF8_BAD_CALL for a recipe without image=N, where a row is no whole number of such
 * groups, or for sizes beyond the address space; nothing is written then. */
SF8_API sf8_status sf8_blocks_image_size(const sf8_recipe *recipe, size_t rows, size_t columns,
                                         size_t *size);
SF8_API sf8_status sf8_blocks_image_store(const sf8_recipe *recipe, uint8_t *image,
                                          const uint8_t *codes, const uint32_t *scales,
                                          const uint32_t *offsets, size_t rows, size_t columns);
SF8_API sf8_status sf8_blocks_image_load(const sf8_recipe *recipe, uint8_t *codes,
                                         uint32_t *scales, uint32_t *offsets,
                                         const uint8_t *image, size_t rows, size_t columns);

/* ---- KIVI ------------------------------------------------------------------------------------ */

/* How KIVI packs codes of `bits` (2 or 4) of a matrix of tokens x channels into words of 32 bits,
 * the first in the lowest bits: keys along tokens, channel by channel, as [channels][tokens * bits
 * / 32]; values along channels, as [tokens][channels * bits / 32]. And back, a code to a byte.
 * SF8_BAD_CALL for other bits, or if words would not be full; nothing is written then. */
SF8_API sf8_status sf8_kivi_pack_keys(uint32_t *words, const uint8_t *codes, size_t tokens,
                                      size_t channels, int32_t bits);
SF8_API sf8_status sf8_kivi_pack_values(uint32_t *words, const uint8_t *codes, size_t tokens,
                                        size_t channels, int32_t bits);
SF8_API sf8_status sf8_kivi_unpack_keys(uint8_t *codes, const uint32_t *words, size_t tokens,
                                        size_t channels, int32_t bits);
SF8_API sf8_status sf8_kivi_unpack_values(uint8_t *codes, const uint32_t *words, size_t tokens,
                                          size_t channels, int32_t bits);

/* How many of the newest tokens are not quantized yet, with a residual length: of keys the tail is
 * quantized whole whenever it is full, of values one token a step once it is full. */
SF8_API size_t sf8_kivi_tail_keys(size_t tokens, size_t residual);
SF8_API size_t sf8_kivi_tail_values(size_t tokens, size_t residual);

/* ---- what was quantized ---------------------------------------------------------------------- */

/* A matrix as sf8_quantize_n wrote it. `offsets` is looked at where the recipe has them with a word
 * of their own; `g` is the second scale, where it has one. */
typedef struct sf8_blocks {
    const sf8_recipe *recipe;
    const uint8_t *codes;
    const uint32_t *scales, *offsets;
    float g;
} sf8_blocks;

/* From one recipe to another: each element is read as f32, and the matrix of these quantized as by
 * sf8_quantize_n. Blocks may be of different sizes. No arrays may overlap. As sf8_quantize_n. */
SF8_API sf8_status sf8_requantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                    uint32_t *offsets, float g, const sf8_blocks *from, size_t rows,
                                    size_t columns);

/* What quantizing cost, element by element: x the tensor's, v what it is read back as, as f32. The
 * sums are in double, in the order of the elements, over those where both are finite. */
typedef struct sf8_block_report {
    uint64_t count;
    uint64_t nan;        /* x or v is NaN */
    uint64_t infinite;   /* x or v is infinite, and neither is NaN */
    uint64_t saturated;  /* the code is a largest of its format, or an end of its integers, and v
                            is nearer to zero than x */
    uint64_t zeros_lost; /* v is zero and x is not */
    double most;         /* the largest |x - v| */
    double sum_x2, sum_error2; /* of x^2 and (x - v)^2: their ratio is the SQNR */
} sf8_block_report;

/* SF8_BAD_FORMAT and SF8_BAD_CALL as sf8_quantize_n; *report is as it was then. */
SF8_API sf8_status sf8_block_errors(sf8_block_report *report, const sf8_blocks *blocks,
                                    sf8_format from, const void *src, size_t rows, size_t columns);

/* ---- exact products -------------------------------------------------------------------------- */

/* The dot product of two quantized rows: alpha times the sum of (code of a * scale of a) * (code of
 * b * scale of b), every value exact, the sum too, and one rounding to `to`: f64, f32, bf16, f16.
 * An integer counts as such, so that the 2^-6 of MXINT8 belongs to alpha. g is not looked at: see
 * sf8_blocks_alpha. A NaN, infinity times zero and infinities of both signs give NaN; a sum that is
 * zero is +0. SF8_BAD_CALL where a recipe has offsets, or with rounding SF8_SR; SF8_BAD_FORMAT for
 * another format. */
SF8_API sf8_status sf8_blocks_dot(sf8_format to, sf8_policy policy, sf8_result *result,
                                  const sf8_blocks *a, const sf8_blocks *b, size_t columns,
                                  float alpha);

/* The matrix product: row i of a (m rows) with row j of b (n rows), both of k columns, to
 * word i * n + j of dst. As sf8_blocks_dot; nothing is written where that refuses. */
SF8_API sf8_status sf8_blocks_matmul(sf8_format to, sf8_policy policy, void *dst,
                                     const sf8_blocks *a, size_t m, const sf8_blocks *b, size_t n,
                                     size_t k, float alpha);

/* What alpha has to be for the second scales of both: in f32 the product of those that decode over
 * the product of those that encode, each operation rounded to nearest, 1 where there is none, or
 * where it is given (SF8_G_GIVEN), which the scales know of. */
SF8_API float sf8_blocks_alpha(const sf8_blocks *a, const sf8_blocks *b);

/* ---- layouts --------------------------------------------------------------------------------- */

/* "linear", "128x4", "8x4", "4-token"; SF8_UNKNOWN_NAME for any other. The name of a layout, or
 * NULL. */
SF8_API sf8_layout sf8_layout_named(const char *name, sf8_status *status);
SF8_API const char *sf8_layout_name(sf8_layout which);

/* How many places the scales of a matrix take, padding included, to *size. SF8_BAD_CALL if the
 * layout has no place for each of them (4-token: where rows or columns are no multiple of 4), or if
 * so many do not fit the address space. */
SF8_API sf8_status sf8_layout_places(sf8_layout which, size_t rows, size_t columns, size_t *size);

/* Moves the scales of a matrix, one byte each, row by row at `src`, to their places; padding
 * becomes 0. And back: padding is not read. The arrays may not overlap. As sf8_layout_places, and
 * nothing is written then. */
SF8_API sf8_status sf8_layout_store_n(sf8_layout which, uint8_t *dst, const uint8_t *src,
                                      size_t rows, size_t columns);
SF8_API sf8_status sf8_layout_load_n(sf8_layout which, uint8_t *dst, const uint8_t *src,
                                     size_t rows, size_t columns);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/** @file
 * softfp8_blocks.h -- blocks of narrow codes with a scale: recipes, and layouts of the scales
 *
 * A recipe says how a block is quantized and read back. softfp8/blocks/block.h defines what it
 * consists of; softfp8/blocks/layout.h defines the layouts of scales. Both are inline and work on a
 * device too. This header finds recipes by name and converts whole arrays.
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

/** A recipe as text, as its row in softfp8/blocks/recipes.h has it. In a row that the caller makes,
 * `product` and all later fields may be NULL. */
typedef struct sf8_recipe_row {
    const char *name;
    /** A format, "e2m1", or an integer type, "int4", "uint2"; a policy; "field=value ..." for the
     * fields of the policy that differ. */
    const char *element, *element_policy, *element_fields;
    int32_t block; /**< elements with one scale; 0: a whole row */
    const char *scale, *scale_policy, *scale_fields;
    const char *scale_of, *offset_of, *factor_of, *element_of, *value_of; /**< programs */
    const char *properties;         /**< "g=decode amax=nan zero=38", "per=token-head" */
    const char *product, *versions; /**< "vLLM", "0.33.0"; "not recorded" */
    const char *source;             /**< the function of the product, or another origin */
    const char *evidence; /**< items "ran: ...", "hardware: ...", "source: ...", "document: ...",
                               separated by "; " */
    const char *open;     /**< what is not established, or "" */
    const char *g_of;     /**< the program of the global scale; NULL: there is none */
    const char *second_of, *error_of; /**< programs of the choice between two scales, or NULL */
} sf8_recipe_row;

/** Returns the i-th row, or NULL past the end. */
SF8_API const sf8_recipe_row *sf8_recipe_at(size_t i);
/** Finds a recipe by its name. Returns SF8_UNKNOWN_NAME, and leaves *recipe unchanged, if there is
 * none. */
SF8_API sf8_status sf8_recipe_named(sf8_recipe *recipe, const char *name);
/** Makes a recipe from a row, which may be the caller's own. Returns SF8_BAD_CALL, and leaves
 * *recipe unchanged, if a field of the row is invalid. */
SF8_API sf8_status sf8_recipe_read(sf8_recipe *recipe, const sf8_recipe_row *row);
/** Reads a program (softfp8/blocks/program.h) from its text. Returns 1, or 0 if the text is no
 * valid program; *program is then unchanged. This is not an sf8_status, whose SF8_OK is 0. */
SF8_API int32_t sf8_program_read(sf8_program *program, const char *text);

/** Returns the name of what a row of the recipe is: "row", "none", "tensor", "token", "token-head"
 * or "block" for SF8_PER_ROW, ...; NULL for another number. */
SF8_API const char *sf8_recipe_per_name(int32_t per);

/** Computes the global scale of a tensor from its largest magnitude, as the recipe's stack does.
 *
 * @param recipe the recipe
 * @param tensor the format of the tensor: f32, bf16 or f16
 * @param amax   the largest magnitude
 * @param g      receives the global scale
 * @return SF8_BAD_FORMAT for another format; SF8_BAD_CALL if the recipe does not say how */
SF8_API sf8_status sf8_recipe_g(const sf8_recipe *recipe, sf8_format tensor, float amax, float *g);

/** Returns how many blocks a row of `columns` elements has. The last one may be short. */
SF8_API size_t sf8_recipe_blocks(const sf8_recipe *recipe, size_t columns);
/** Returns how many rows of scales a matrix with `rows` rows has: as many, or fewer where a block
 * spans several rows. Scales are a matrix of sf8_recipe_scale_rows x sf8_recipe_blocks. */
SF8_API size_t sf8_recipe_scale_rows(const sf8_recipe *recipe, size_t rows);

/** Quantizes a matrix. No arrays may overlap.
 *
 * Functions that quantize, or read or compare a quantized matrix, return SF8_BAD_CALL for a recipe
 * that is NULL. They do so for an array that is NULL too, if the matrix has elements. Only
 * `offsets` may be NULL then, for a recipe that does not store them separately. Functions
 * of codes in bytes, of images and of KIVI do not check this.
 *
 * @param recipe  the recipe
 * @param codes   receives rows * columns codes, one to a byte
 * @param scales  receives the code of the scale of each block, row by row
 * @param offsets receives the code of the offset of each block, if the recipe stores offsets
 *     separately (SF8_OFFSET_WORD); otherwise not used
 * @param from    the format of the matrix: f32, bf16 or f16
 * @param src     the matrix, row by row
 * @param rows    its number of rows
 * @param columns its number of columns
 * @param g       the global scale; ignored by a recipe without one
 * @return SF8_BAD_FORMAT for another format; SF8_BAD_CALL if a size exceeds the address space, or
 *     for a pointer that is NULL, as said above */
SF8_API sf8_status sf8_quantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                  uint32_t *offsets, sf8_format from, const void *src, size_t rows,
                                  size_t columns, float g);
/** Reads a quantized matrix back: each value is computed in f32 and converted to `to`, which is
 * f32, bf16 or f16. Parameters and status are as those of sf8_quantize_n. */
SF8_API sf8_status sf8_dequantize_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                    const uint8_t *codes, const uint32_t *scales,
                                    const uint32_t *offsets, size_t rows, size_t columns, float g);

/** @{ Like sf8_quantize_n and sf8_dequantize_n, on a level by its name (see sf8_simd_at), or with
 * "core" by the definition, one value at a time. Returns SF8_UNKNOWN_NAME for another level. */
SF8_API sf8_status sf8_quantize_n_at(const char *level, const sf8_recipe *recipe, uint8_t *codes,
                                     uint32_t *scales, uint32_t *offsets, sf8_format from,
                                     const void *src, size_t rows, size_t columns, float g);
SF8_API sf8_status sf8_dequantize_n_at(const char *level, const sf8_recipe *recipe, sf8_format to,
                                       void *dst, const uint8_t *codes, const uint32_t *scales,
                                       const uint32_t *offsets, size_t rows, size_t columns,
                                       float g);

/** @} */

/** @{ Like sf8_quantize_n and sf8_dequantize_n, with packed codes and a scale to a byte.
 *
 * Each row of codes is packed as sf8_pack_n does it, so that it begins with a new byte. So `packed`
 * has rows * sf8_packed_size(bits, columns) bytes, where bits is sf8_recipe_bits(recipe). `scales`
 * has sf8_recipe_scale_rows(recipe, rows) * sf8_recipe_blocks(recipe, columns) bytes. Returns
 * SF8_BAD_CALL for a recipe with offsets or with scales of more than 8 bits, and for nibbles=half
 * if the blocks of a row are not all whole. */
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

/** @} */

/** @{ Like sf8_quantize_n and sf8_dequantize_n, with blocks along columns, as caches store keys.
 *
 * A row is a token, and a block of the recipe's size goes down a column. The code of an element
 * keeps its place. The scale of a block is at [first row / block][column], so that there are
 * sf8_recipe_blocks(recipe, rows) rows of `columns` scales. Returns SF8_BAD_CALL for a recipe whose
 * blocks span several rows, or which chooses between two scales. */
SF8_API sf8_status sf8_quantize_columns_n(const sf8_recipe *recipe, uint8_t *codes,
                                          uint32_t *scales, uint32_t *offsets, sf8_format from,
                                          const void *src, size_t rows, size_t columns, float g);
SF8_API sf8_status sf8_dequantize_columns_n(const sf8_recipe *recipe, sf8_format to, void *dst,
                                            const uint8_t *codes, const uint32_t *scales,
                                            const uint32_t *offsets, size_t rows, size_t columns,
                                            float g);

/** @} */

/* ---- codes in bytes, and images -------------------------------------------------------------- */

/** @{ Packs one row of codes into bytes, and unpacks it.
 *
 * `packed` has sf8_packed_size(bits, columns) bytes, where bits is sf8_recipe_bits(recipe). Codes
 * are packed as sf8_pack_n does it. With nibbles=half, element j of a block lies in the low half of
 * byte j of the block and element j + block / 2 in the high half. SF8_BAD_CALL is returned if the
 * blocks of the row are then not all whole, and if a size exceeds the address space. */
SF8_API sf8_status sf8_recipe_pack_n(const sf8_recipe *recipe, uint8_t *packed,
                                     const uint8_t *codes, size_t columns);
SF8_API sf8_status sf8_recipe_unpack_n(const sf8_recipe *recipe, uint8_t *codes,
                                       const uint8_t *packed, size_t columns);

/** @} */

/** @{ The image of a matrix whose scales stand before the codes of their blocks, as in GGUF files.
 *
 * With image=N, an image is a sequence of groups of N blocks: the scales of the N blocks, each
 * followed by its offset if there is one, as little-endian numbers of 1, 2 or 4 bytes; then the
 * packed codes of these blocks. The functions return its size in bytes, write an image, and read
 * one. They return SF8_BAD_CALL for a recipe without image=N, for a row that is no whole number of
 * groups, and if a size exceeds the address space. */
SF8_API sf8_status sf8_blocks_image_size(const sf8_recipe *recipe, size_t rows, size_t columns,
                                         size_t *size);
SF8_API sf8_status sf8_blocks_image_store(const sf8_recipe *recipe, uint8_t *image,
                                          const uint8_t *codes, const uint32_t *scales,
                                          const uint32_t *offsets, size_t rows, size_t columns);
SF8_API sf8_status sf8_blocks_image_load(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                         uint32_t *offsets, const uint8_t *image, size_t rows,
                                         size_t columns);

/** @} */

/* ---- KIVI ------------------------------------------------------------------------------------ */

/** @{ Packs codes into 32-bit words as KIVI does, the first in the lowest bits, and unpacks them.
 *
 * Keys are packed along tokens, channel by channel: [channels][tokens * bits / 32]. Values are
 * packed along channels: [tokens][channels * bits / 32]. Unpacked codes are a matrix of tokens x
 * channels, one code to a byte. Returns SF8_BAD_CALL if `bits` is not 2 or 4, or if a word would
 * not be full. */
SF8_API sf8_status sf8_kivi_pack_keys(uint32_t *words, const uint8_t *codes, size_t tokens,
                                      size_t channels, int32_t bits);
SF8_API sf8_status sf8_kivi_pack_values(uint32_t *words, const uint8_t *codes, size_t tokens,
                                        size_t channels, int32_t bits);
SF8_API sf8_status sf8_kivi_unpack_keys(uint8_t *codes, const uint32_t *words, size_t tokens,
                                        size_t channels, int32_t bits);
SF8_API sf8_status sf8_kivi_unpack_values(uint8_t *codes, const uint32_t *words, size_t tokens,
                                          size_t channels, int32_t bits);

/** @} */
/** Returns how many of the newest tokens KIVI has not quantized yet. The keys of the tail are
 * quantized together whenever `residual` tokens are there. */
SF8_API size_t sf8_kivi_tail_keys(size_t tokens, size_t residual);
/** The same for values, which are quantized one token a step once `residual` tokens are there. */
SF8_API size_t sf8_kivi_tail_values(size_t tokens, size_t residual);

/* ---- requantizing, and errors ---------------------------------------------------------------- */

/** A matrix as sf8_quantize_n wrote it. `offsets` is used if the recipe stores offsets separately;
 * `g` is the global scale, if the recipe has one. */
typedef struct sf8_blocks {
    const sf8_recipe *recipe;
    const uint8_t *codes;
    const uint32_t *scales, *offsets;
    float g;
} sf8_blocks;

/** Quantizes a quantized matrix again, by another recipe. Each element is read as f32, and the
 * matrix of these is quantized as by sf8_quantize_n, which documents the parameters; `from` is the
 * quantized matrix. Blocks of the two recipes may differ in size. No arrays may overlap. */
SF8_API sf8_status sf8_requantize_n(const sf8_recipe *recipe, uint8_t *codes, uint32_t *scales,
                                    uint32_t *offsets, float g, const sf8_blocks *from, size_t rows,
                                    size_t columns);

/** What quantizing cost. For each element, x is the value of the tensor and v the value that is
 * read back, both as f32. The sums are computed in double, in the order of the elements, over those
 * where x and v are finite. */
typedef struct sf8_block_report {
    uint64_t count;            /**< the number of elements */
    uint64_t nan;              /**< x or v is NaN */
    uint64_t infinite;         /**< x or v is infinite, and neither is NaN */
    uint64_t saturated;        /**< the code is the largest of its format, or an end of the integer
                                    range, and v is nearer to zero than x */
    uint64_t zeros_lost;       /**< v is zero and x is not */
    double most;               /**< the largest |x - v| */
    double sum_x2, sum_error2; /**< of x^2 and (x - v)^2: their ratio is the SQNR */
} sf8_block_report;

/** Compares a quantized matrix with the matrix `src` of format `from` that it was made of. Status
 * as sf8_quantize_n; *report is unchanged unless SF8_OK is returned. */
SF8_API sf8_status sf8_block_errors(sf8_block_report *report, const sf8_blocks *blocks,
                                    sf8_format from, const void *src, size_t rows, size_t columns);

/* ---- exact products -------------------------------------------------------------------------- */

/** Computes the exact dot product of two quantized rows: alpha times the sum of (code of a * scale
 * of a) * (code of b * scale of b), rounded once.
 *
 * All values and the sum are exact. An integer code counts as that integer, so that the 2^-6 of
 * MXINT8 belongs to alpha. The global scales are not applied either: see sf8_blocks_alpha. NaN,
 * infinity times zero, and infinities of both signs give NaN. A sum that is zero is +0.
 *
 * @param to      the format of the result: f64, f32, bf16 or f16
 * @param policy  its rounding; SF8_SR gives SF8_BAD_CALL
 * @param result  receives the code and the flags
 * @param a       the first row
 * @param b       the second row
 * @param columns the number of elements
 * @param alpha   a factor
 * @return SF8_BAD_CALL if a recipe has offsets; SF8_BAD_FORMAT for another format */
SF8_API sf8_status sf8_blocks_dot(sf8_format to, sf8_policy policy, sf8_result *result,
                                  const sf8_blocks *a, const sf8_blocks *b, size_t columns,
                                  float alpha);

/** Computes a matrix product: element i * n + j of `dst` is the dot product of row i of a (m rows)
 * and row j of b (n rows), both of k columns, as sf8_blocks_dot computes it. */
SF8_API sf8_status sf8_blocks_matmul(sf8_format to, sf8_policy policy, void *dst,
                                     const sf8_blocks *a, size_t m, const sf8_blocks *b, size_t n,
                                     size_t k, float alpha);

/** Returns the alpha that applies the global scales of a and b: in f32, the product of those that
 * decode divided by the product of those that encode, each operation rounded to nearest. A global
 * scale counts as 1 if there is none, or if it is given (SF8_G_GIVEN), since the scales then
 * include it. */
SF8_API float sf8_blocks_alpha(const sf8_blocks *a, const sf8_blocks *b);

/* ---- layouts --------------------------------------------------------------------------------- */

/** Returns a layout of scales by its name: "linear", "128x4", "8x4" or "4-token". If `status` is
 * not NULL, it receives SF8_OK, or SF8_UNKNOWN_NAME; then SF8_LAYOUT_LINEAR is returned. */
SF8_API sf8_layout sf8_layout_named(const char *name, sf8_status *status);
/** Returns the name of a layout, or NULL. */
SF8_API const char *sf8_layout_name(sf8_layout which);

/** Computes how many bytes the scales of a matrix take in a layout, padding included, to *size.
 * Returns SF8_BAD_CALL if the layout does not fit the matrix (4-token needs rows and columns that
 * are multiples of 4), or if the size exceeds the address space. */
SF8_API sf8_status sf8_layout_places(sf8_layout which, size_t rows, size_t columns, size_t *size);

/** @{ Moves the scales of a matrix between row-by-row order and a layout, one byte each.
 *
 * sf8_layout_store_n reads them row by row from `src` and writes them to their places in `dst`;
 * padding becomes 0. sf8_layout_load_n does the reverse and does not read padding. The arrays may
 * not overlap. Status as sf8_layout_places. */
SF8_API sf8_status sf8_layout_store_n(sf8_layout which, uint8_t *dst, const uint8_t *src,
                                      size_t rows, size_t columns);
SF8_API sf8_status sf8_layout_load_n(sf8_layout which, uint8_t *dst, const uint8_t *src,
                                     size_t rows, size_t columns);
/** @} */

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* softfp8_blocks.h -- blocks of narrow codes with a scale: recipes, and layouts of the scales
 *
 * A recipe says how a block is quantized and read back, <softfp8/block.h> what it consists of,
 * <softfp8/layout.h> which layouts there are. Both are inline, for use on a device too; here are
 * their names and whole arrays. As everywhere in the library nothing is allocated.
 */
#ifndef SOFTFP8_BLOCKS_H
#define SOFTFP8_BLOCKS_H

#include "softfp8.h"
#include "softfp8/block.h"
#include "softfp8/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- recipes --------------------------------------------------------------------------------- */

/* What is said of a recipe, as its row in <softfp8/recipes.h> has it. */
typedef struct sf8_recipe_row {
    const char *name;
    const char *element, *element_policy, *element_fields; /* "e2m1" or "int4", "uint2" */
    int32_t block;
    const char *scale, *scale_policy, *scale_fields;
    const char *scale_of, *offset_of, *factor_of, *element_of, *value_of; /* programs */
    const char *properties; /* "g=decode amax=nan zero=38" */
    const char *source;     /* where the rule comes from */
    const char *open;       /* what in it is not established, or "" */
} sf8_recipe_row;

/* The i-th row, or NULL. */
SF8_API const sf8_recipe_row *sf8_recipe_at(size_t i);
/* A recipe by name, or from a row of the caller's own, ready for use. SF8_UNKNOWN_NAME if there is
 * none of that name; SF8_BAD_CALL if the row says what there is not; *recipe then is as it was. */
SF8_API sf8_status sf8_recipe_named(sf8_recipe *recipe, const char *name);
SF8_API sf8_status sf8_recipe_read(sf8_recipe *recipe, const sf8_recipe_row *row);
/* A program from its text; 0, and *program as it was, if it is none. */
SF8_API int32_t sf8_program_read(sf8_program *program, const char *text);

/* How many blocks a row of so many elements has: the last may be short. */
SF8_API size_t sf8_recipe_blocks(const sf8_recipe *recipe, size_t columns);

/* Quantizes a matrix, row by row, of words of the format `from` (f32, bf16, f16): codes, one to a
 * byte, and for each block the scale's code and, where the recipe has offsets with a word of their
 * own, the offset's. `g` is the second scale; without one it is not looked at. And back, to words
 * of the format `to`, through f32. No arrays may overlap. SF8_BAD_FORMAT for another format,
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
 * more than 8 bits, or which has offsets. */
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

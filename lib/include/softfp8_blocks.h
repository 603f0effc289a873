/* SPDX-License-Identifier: MIT */
/* softfp8_blocks.h -- blocks of narrow codes with a scale: layouts of the scales
 *
 * <softfp8/layout.h> says which layouts there are; their index functions are inline, for use on a
 * device too. Here whole arrays are moved.
 */
#ifndef SOFTFP8_BLOCKS_H
#define SOFTFP8_BLOCKS_H

#include "softfp8.h"
#include "softfp8/layout.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- layouts --------------------------------------------------------------------------------- */

/* "linear", "128x4", "8x4", "4-token"; SF8_UNKNOWN_NAME for any other. The name of a layout, or
 * NULL. */
SF8_API sf8_layout sf8_layout_named(const char *name, sf8_status *status);
SF8_API const char *sf8_layout_name(sf8_layout layout);

/* How many places the scales of a matrix take, padding included, to *size. SF8_BAD_CALL if the
 * layout has no place for each of them (4-token: where rows or columns are no multiple of 4), or if
 * so many do not fit the address space. */
SF8_API sf8_status sf8_layout_places(sf8_layout layout, size_t rows, size_t columns, size_t *size);

/* Moves the scales of a matrix, one byte each, row by row at `src`, to their places; padding
 * becomes 0. And back: padding is not read. The arrays may not overlap. As sf8_layout_places, and
 * nothing is written then. */
SF8_API sf8_status sf8_layout_store_n(sf8_layout layout, uint8_t *dst, const uint8_t *src,
                                      size_t rows, size_t columns);
SF8_API sf8_status sf8_layout_load_n(sf8_layout layout, uint8_t *dst, const uint8_t *src,
                                     size_t rows, size_t columns);

#ifdef __cplusplus
}
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* layouts.c -- layouts of scales by name, and whole arrays of scales moved between them */
#include "softfp8_blocks.h"
#include "text/names.h"

#include <string.h>

const char *sf8_layout_name(sf8_layout layout)
{
    static const char *const names[] = {"linear", "128x4", "8x4", "4-token"};
    return layout < SF8_LAYOUT_COUNT ? names[layout] : NULL;
}

sf8_layout sf8_layout_named(const char *name, sf8_status *status)
{
    sf8_layout layout = 0;
    while (layout < SF8_LAYOUT_COUNT && !sf8_is_named(sf8_layout_name(layout), name))
        layout++;
    if (status)
        *status = layout < SF8_LAYOUT_COUNT ? SF8_OK : SF8_UNKNOWN_NAME;
    return layout < SF8_LAYOUT_COUNT ? layout : (sf8_layout)SF8_LAYOUT_LINEAR;
}

sf8_status sf8_layout_places(sf8_layout layout, size_t rows, size_t columns, size_t *size)
{
    if (!sf8_layout_fits(layout, rows, columns))
        return SF8_BAD_CALL;
    uint64_t places = sf8_layout_size(layout, rows, columns);
    if (places > PTRDIFF_MAX)
        return SF8_BAD_CALL;
    *size = (size_t)places;
    return SF8_OK;
}

sf8_status sf8_layout_store_n(sf8_layout layout, uint8_t *dst, const uint8_t *src, size_t rows,
                              size_t columns)
{
    size_t size;
    sf8_status status = sf8_layout_places(layout, rows, columns, &size);
    if (status != SF8_OK || size == 0)
        return status;
    if (sf8_layout_tile_rows(layout) != 0)
        memset(dst, 0, size);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            dst[sf8_layout_offset(layout, columns, row, column)] = src[row * columns + column];
    return SF8_OK;
}

sf8_status sf8_layout_load_n(sf8_layout layout, uint8_t *dst, const uint8_t *src, size_t rows,
                             size_t columns)
{
    size_t size;
    sf8_status status = sf8_layout_places(layout, rows, columns, &size);
    if (status != SF8_OK || size == 0)
        return status;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++)
            dst[row * columns + column] = src[sf8_layout_offset(layout, columns, row, column)];
    return SF8_OK;
}

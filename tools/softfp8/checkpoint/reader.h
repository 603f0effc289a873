/* SPDX-License-Identifier: MIT */
/* reader.h -- the values of a quantized layer, one tile of the matrix after the other */
#ifndef SOFTFP8_CLI_CHECKPOINT_READER_H
#define SOFTFP8_CLI_CHECKPOINT_READER_H

#include "checkpoint/layers.h"

typedef struct layer_reader {
    const safetensors *files;
    const layer *l;
    sf8_recipe recipe;
    float g; /* the global scale, or 1 */
    /* Of the whole layer, as codes of recipe.scale; one if it is that of all. Of blocks of a .gguf
     * file those of the tile, in f32 if there is no recipe. */
    uint32_t *scales;
    size_t scale_count;
    uint32_t *offsets; /* as many, of blocks that have a second number; else 0 */
    uint8_t *image;    /* the blocks of a .gguf file */
    float *gaps;       /* of their values, if there is no recipe */
    int swapped;       /* set by the caller: the two codes of a byte change places */
    size_t row, rows, column, columns; /* the tile */
    size_t most;                       /* values of a tile, at most */
    uint8_t *codes;                    /* of the tile, in bytes or packed */
    uint32_t *x;                       /* its values, f32 */
    size_t rows_most, columns_most;
    uint32_t *tile_scales;
    uint8_t *narrow_scales;
} layer_reader;

void layer_open(layer_reader *r, const safetensors *files, const layer *l);
/* The next tile, or 0 behind the last. */
int layer_next(layer_reader *r);
/* What a code of 1 is worth at each place of the tile: `most` values of f32. */
void layer_units(const layer_reader *r, uint32_t *units);
/* The values that a tensor of the same shape has in this tile. */
void layer_plain_tile(const layer_reader *r, const safetensors *files, const safetensor *t,
                      float *values);
void layer_close(layer_reader *r);

#endif

/* SPDX-License-Identifier: MIT */
/* blocks_file.h -- quantized matrices in files: one with a head, or codes, scales and offsets raw
 *
 * Codes are packed row by row, each row padded to a byte. Scales and offsets are words of 1, 2 or 4
 * bytes, the least first; scales lie in the layout chosen, padding is 0, offsets row by row. A file
 * with a head is
 *
 *     softfp8-blocks 1
 *     recipe nvfp4-vllm
 *     from f32              the format of the tensor that was quantized
 *     rows 33
 *     columns 64
 *     g 43e00000            the global scale as a word of f32, or "none"
 *     layout 128x4
 *     codes 1056            bytes of each part
 *     scales 512
 *     offsets 0
 *     sha256 HEX            of the three parts together
 *
 * an empty line, and the parts in that order. Lines are in this order and end with "\n".
 */
#ifndef SOFTFP8_BLOCKS_FILE_H
#define SOFTFP8_BLOCKS_FILE_H

#include "recipes/recipes.h"
#include "files/tensor_file.h"

/* The names of the layouts, by their numbers, and NULL. */
extern const char *const blocks_layouts[];

/* What was quantized, and how; all sizes follow from it. */
typedef struct blocks_head {
    const sf8_recipe_row *row;
    sf8_recipe recipe;
    const char *from;
    tensor_shape shape;
    uint32_t g;
    sf8_layout layout;
    size_t blocks, scale_rows;     /* scales in a row, and rows of them */
    size_t codes, scales, offsets; /* bytes */
    char sha256[65];
    size_t data; /* of a head that was read: where the parts begin */
} blocks_head;

/* Works out blocks and sizes; 0 and why not, to be put behind "4-token: ", if the layout has no
 * place for the scales or no memory holds them. */
int blocks_measure(blocks_head *head, const char **why);
/* A head that is what it says; 1, or 0 and *error. Of the parts nothing is known yet. */
int blocks_head_read(const void *bytes, size_t size, blocks_head *head, input_error *error);
void blocks_head_write(output *out, const blocks_head *head);

/* A matrix with a code to a byte, and words. */
typedef struct blocks {
    blocks_head head;
    uint8_t *codes;
    uint32_t *scales, *offsets;
} blocks;

/* Room for it, once it is measured. */
void blocks_allocate(blocks *b);
void blocks_free(blocks *b);

/* The files; with one NULL there is none of it. */
typedef struct blocks_paths {
    const char *whole; /* with a head */
    const char *codes, *scales, *offsets;
    const char *image; /* scales before the codes of their blocks, as in GGUF */
} blocks_paths;

/* Fails before anything is written where one could not be. */
void blocks_write(blocks *b, const blocks_paths *paths);
/* Of raw files the head is the caller's, measured. */
void blocks_read(blocks *b, const blocks_paths *paths);

#endif

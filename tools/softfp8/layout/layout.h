/* SPDX-License-Identifier: MIT */
/* layout.h -- softfp8 layout identify: files in, a report out; the search is sf8_diagnose_layout */
#ifndef SOFTFP8_LAYOUT_COMMAND_H
#define SOFTFP8_LAYOUT_COMMAND_H

#include "files/tensor_file.h"
#include "softfp8_diagnose.h"

/* A file without its head, if it is .npy. It holds `what`, in words of `width` bytes, or of any
 * number of bytes if that is 0. */
uint8_t *layout_bytes(const char *path, const char *what, size_t width, size_t *size);
/* The scales, and in `width` the bytes of one: 1, 2 (bf16) or 4 (f32); 0 if the file does not say.
 */
uint8_t *layout_scale_file(const char *path, size_t *size, size_t *width);
/* The values as f32, with their shape, which `shape` gives where the file has none, and format;
 * fails if they are of another shape. from: "f32", "bf16", "f16" or NULL, which is what the head
 * says, else f32. */
float *layout_values(sf8_layout_results *r, const char *path, const char *from, tensor_shape shape);

void layout_print(const sf8_layout_results *results, const sf8_layout_diagnosis *d);
void layout_json(const char *path, const sf8_layout_results *results,
                 const sf8_layout_diagnosis *d);

extern const command layout_identify;

#endif

/* SPDX-License-Identifier: MIT */
/* layout.h -- softfp8 layout identify: files in, a report out; the search is that of the suite */
#ifndef SOFTFP8_LAYOUT_COMMAND_H
#define SOFTFP8_LAYOUT_COMMAND_H

#include "files/io.h"
#include "diagnose/layout/layout.h"

/* A file without its head, if it is .npy. It holds `what`, in words of `width` bytes, or of any
 * number of bytes if that is 0. */
uint8_t *layout_bytes(const char *path, const char *what, size_t width, size_t *size);
/* The scales, and in `width` the bytes of one: 1, 2 (bf16) or 4 (f32); 0 if the file does not say.
 */
uint8_t *layout_scale_file(const char *path, size_t *size, size_t *width);
/* The values as f32, and their shape where d has none; fails if they are not rows * columns of
 * them. from: "f32", "bf16", "f16" or NULL, which is what the head says, else f32. */
void layout_values(layout_data *d, const char *path, const char *from);

/* "scales 128x4, g inverted"; "plain" */
const char *layout_label(const layout_data *d, const layout_found *f, char text[512]);
/* `scales` is the file of the scales. */
void layout_print(const layout_data *d, const layout_result *r, const char *scales);
void layout_json(const char *path, const layout_data *d, const layout_result *r);

extern const command layout_identify;

#endif

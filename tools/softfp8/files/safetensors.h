/* SPDX-License-Identifier: MIT */
/* safetensors.h -- the tensors of .safetensors and .gguf files: names, dtypes, shapes, and bytes
 *
 * Such a file has 8 bytes, the length of the head; the head, a JSON object that says for each name
 * the dtype, the shape, and from which byte to which behind the head the tensor lies; the data.
 * Several files are one set, as the parts of a checkpoint are. A .gguf file is described in gguf.h.
 */
#ifndef SOFTFP8_SAFETENSORS_H
#define SOFTFP8_SAFETENSORS_H

#include "files/tensor_file.h"

#include <stdio.h>

enum { SAFETENSORS_NAME = 256, SAFETENSORS_AXES = 8, SAFETENSORS_HEAD_MOST = 100 << 20 };

typedef struct safetensor {
    char name[SAFETENSORS_NAME];
    char dtype[16]; /* as it is written: "F8_E4M3" */
    int dimensions;
    size_t axis[SAFETENSORS_AXES];
    size_t count;          /* elements */
    uint64_t begin, bytes; /* in its file; first behind the head */
    size_t file;
} safetensor;

typedef struct safetensors {
    safetensor *tensor; /* in the order of their names, once safetensors_sort was called */
    size_t count, room;
    char **path;
    FILE **stream;
    size_t files;
} safetensors;

/* Adds what the head of a file says; `data` is how many bytes follow it. 1, or 0 and *error. */
int safetensors_parse(safetensors *s, const char *head, size_t size, uint64_t data,
                      input_error *error);
/* Opens a file, or each .safetensors file of a folder, or each .gguf file of one that has no such
 * file, and adds its tensors. Of a .gguf file that is a part of a model it opens all parts. Fails
 * on anything that is not as it says. */
void safetensors_add(safetensors *s, const char *path);
/* Fails where two tensors have one name. */
void safetensors_sort(safetensors *s);
/* Bits of an element; 0 for a dtype that is not known, whose size is not checked. */
unsigned safetensors_bits(const char *dtype);
/* The tensor of a name, or NULL. */
const safetensor *safetensors_find(const safetensors *s, const char *name);
/* The same, but fails, with the nearest name; messages call the files `path`. */
const safetensor *safetensors_named(const safetensors *s, const char *path, const char *name);
/* The whole tensor as a .npy file: codes are bytes, and bf16 has the dtype `bf16`. */
char *safetensors_npy(const safetensors *s, const safetensor *t, const char *bf16, size_t *size);
/* `size` bytes of a tensor from its byte `at` on. */
void safetensors_read(const safetensors *s, const safetensor *t, uint64_t at, void *bytes,
                      size_t size);
void safetensors_close(safetensors *s);

#endif

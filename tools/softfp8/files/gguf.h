/* SPDX-License-Identifier: MIT */
/* gguf.h -- the tensors of .gguf files, the models of llama.cpp
 *
 * Such a file has the word GGUF, a version, the numbers of tensors and of metadata; the metadata;
 * for each tensor its name, axes (the last of other files first), type and place; and the data,
 * each tensor at a multiple of the alignment. Types and rules are those of ggml's gguf.cpp. The
 * dtype of a tensor is the name of its type without GGML_TYPE_; a type that is not known is
 * "type 99".
 */
#ifndef SOFTFP8_GGUF_H
#define SOFTFP8_GGUF_H

#include "files/safetensors.h"

enum { GGUF_AXES = 4, GGUF_NAME = 64 };

/* Blocks of a type: how many elements, in how many bytes. */
typedef struct gguf_type {
    uint32_t number;
    const char *name;
    size_t elements, bytes;
} gguf_type;

/* What the metadata says about a model in several files; 0 where it says nothing. */
typedef struct gguf_parts {
    uint64_t count, tensors;
} gguf_parts;

/* Whether a file begins so; of at least 4 bytes. */
int gguf_is(const void *bytes);
/* NULL: no such type. */
const gguf_type *gguf_type_named(const char *name);
/* The bytes of a row if a tensor has a type of blocks and is as long as they say; 0: not so. */
size_t gguf_row(const safetensor *t);
/* Adds the tensors of a file of `size` bytes. 1, or 0 and *error. */
int gguf_read(safetensors *s, FILE *stream, uint64_t size, gguf_parts *parts, input_error *error);
/* How many parts the name of a file says: 3 of "x-00002-of-00003.gguf"; 0: none. */
size_t gguf_part_count(const char *path);
/* The name of a part, from 1 on, of which `path` is one. */
char *gguf_part(const char *path, size_t part);

#endif

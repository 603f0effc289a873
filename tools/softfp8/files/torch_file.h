/* SPDX-License-Identifier: MIT */
/* torch_file.h -- the tensors of a file that torch.save wrote: names, dtypes, shapes, places
 *
 * Such a file is a zip archive that is not compressed. In it data.pkl says what was saved, in the
 * language of Python's pickle, and data/KEY has the bytes of a storage. Nothing is called or built
 * here: of the pickle only tensors are kept, alone or in lists and dictionaries, by their keys.
 */
#ifndef SOFTFP8_TORCH_FILE_H
#define SOFTFP8_TORCH_FILE_H

#include "base/error.h"

enum { TORCH_NAME = 256, TORCH_AXES = 8 };

typedef struct torch_tensor {
    char name[TORCH_NAME]; /* its key; "" for a tensor alone */
    const char *dtype;     /* as .npy has it: "|u1" of codes, "bf16" */
    int dimensions;
    size_t axis[TORCH_AXES];
    size_t begin, bytes; /* in the file */
} torch_tensor;

typedef struct torch_file {
    torch_tensor *tensor;
    size_t count, room;
} torch_file;

/* Whether a zip archive begins so. */
int torch_is(const char *bytes, size_t size);
/* 1, or 0 and *error. The tensors are to be freed in both cases. */
int torch_read(const char *bytes, size_t size, torch_file *file, input_error *error);

#endif

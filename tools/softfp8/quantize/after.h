/* SPDX-License-Identifier: MIT */
/* after.h -- --after and --with: a stage that is computed before a tensor is quantized */
#ifndef SOFTFP8_QUANTIZE_AFTER_H
#define SOFTFP8_QUANTIZE_AFTER_H

#include "cli/options.h"
#include "files/tensor_file.h"

enum { AFTER_ARRAYS = 16, AFTER_NAME = 16 };

/* What the options say. */
typedef struct after_choice {
    const char *stage; /* its text, or NULL */
    int lists;         /* --stages */
    size_t count;
    struct {
        char name[AFTER_NAME];
        const char *path;
    } array[AFTER_ARRAYS];
} after_choice;

extern const cli_option after_options[];

/* Fails unless the stage can be read, and --with names its arrays. */
void after_check(const after_choice *after);
/* The tensor after the stage, in the format of its last step; frees the one it gets. */
tensor after_computed(const after_choice *after, const char *path, tensor t);
/* Writes the stages of products to standard output. */
void after_list(void);

#endif

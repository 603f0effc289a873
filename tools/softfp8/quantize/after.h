/* SPDX-License-Identifier: MIT */
/* after.h -- --after and --with: a stage that is computed before a tensor is quantized */
#ifndef SOFTFP8_QUANTIZE_AFTER_H
#define SOFTFP8_QUANTIZE_AFTER_H

#include "cli/options.h"
#include "files/tensor_file.h"
#include "softfp8_stages.h"

enum { AFTER_ARRAYS = 16, AFTER_NAME = 16 };

/* What the options say. */
typedef struct after_choice {
    const char *stage; /* its text, or NULL */
    size_t count;
    struct {
        char name[AFTER_NAME];
        const char *path;
    } array[AFTER_ARRAYS];
} after_choice;

extern const cli_option after_options[];
/* Takes the value of --with. */
void after_take_with(void *place, const cli_option *o, const char *text);

/* The arrays of --with, as f32. */
typedef struct after_arrays {
    size_t count;
    sf8_stage_input input[AFTER_ARRAYS];
    uint32_t *words[AFTER_ARRAYS];
} after_arrays;

/* The stage that --after says; fails if it is none. */
sf8_stage after_stage(const after_choice *after);
/* The name of the format of the last step. */
const char *after_format(const sf8_stage *stage);
after_arrays after_read(const after_choice *after);
void after_free(after_arrays *all);
/* Fails unless the arrays go with a tensor of this shape, which comes from `path`. */
void after_fits(const after_choice *after, const after_arrays *all, const char *path,
                tensor_shape shape);

/* Fails unless the stage can be read, and --with names its arrays. */
void after_check(const after_choice *after);
/* The tensor after the stage, in the format of its last step; frees the one it gets. */
tensor after_computed(const after_choice *after, const char *path, tensor t);
/* Writes the stages of products to standard output. */
void after_list(void);

#endif

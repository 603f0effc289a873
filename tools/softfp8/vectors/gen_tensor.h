/* SPDX-License-Identifier: MIT */
/* gen_tensor.h -- what `gen quantize --format npy` writes: a tensor that is hard to quantize right
 */
#ifndef SOFTFP8_GEN_TENSOR_H
#define SOFTFP8_GEN_TENSOR_H

#include "quantize/after.h"
#include "vectors/gen_json.h"

/* --global-scale, --blocks, --names, --after and --with. */
typedef struct tensor_options {
    const char *g, *blocks, *names;
    after_choice after;
} tensor_options;

extern const cli_option tensor_own_options[];

/* True if one of them is given. */
int gen_tensor_given(const tensor_options *o);
/* Writes the tensor to `path`, NULL for standard output, and what else the options say. */
void gen_tensor(const char *path, const json_options *kind, const tensor_options *o);

#endif

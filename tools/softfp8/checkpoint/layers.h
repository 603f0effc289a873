/* SPDX-License-Identifier: MIT */
/* layers.h -- the quantized matrices of a checkpoint: how its tensors say that, and what they hold */
#ifndef SOFTFP8_CLI_LAYERS_H
#define SOFTFP8_CLI_LAYERS_H

#include "files/safetensors.h"
#include "softfp8_blocks.h"

/* How the product that wrote a checkpoint names a quantized matrix. */
typedef struct layer_scheme {
    const char *name;                  /* "NVFP4, ModelOpt" */
    const char *codes, *scale, *second; /* ends of the names; second: NULL, or that of g */
    const char *code_dtypes, *scale_dtypes; /* separated by blanks */
    int per_tensor;                    /* one scale for all */
    const char *recipe;                /* reads it */
    const char *source;                /* where the names are from */
} layer_scheme;

const layer_scheme *layer_scheme_at(size_t i);

typedef struct layer {
    char name[SAFETENSORS_NAME];
    const layer_scheme *scheme; /* NULL: none fits */
    const safetensor *codes, *scale, *second;
    tensor_shape shape; /* of the values */
    size_t matrix;      /* rows of each matrix; a block never has rows of two */
    char why[160];      /* of one that has scales and fits no scheme */
} layer;

/* The layer whose codes a tensor holds: 1; 0 if it is no such tensor, as one without scales. */
int layer_of(const safetensors *s, const safetensor *codes, layer *l);

/* What is in the codes and scales of a layer, and how far its values are from others. */
typedef struct layer_measure {
    size_t nan_codes;
    size_t scales, nan_scales, zero_scales, negative_scales;
    double least_scale, largest_scale; /* of the positive ones; 0: none */
    float g;                           /* the second scale, or 1 */
    double amax;                       /* of the values that are numbers */
    size_t compared;                   /* values, with a reference */
    double signal, noise, worst;       /* sums of squares; the largest difference */
} layer_measure;

/* Reads a layer by its scheme. If `other` is not NULL, its tensor `like` has the values that the
 * layer stands for, in f32, bf16 or f16. With `values` all values go there, as f32. */
void layer_measure_all(const safetensors *s, const layer *l, const safetensors *other,
                       const safetensor *like, float *values, layer_measure *m);
/* The values of a tensor in f32, bf16 or f16, from the element `at` on. 0 for another dtype. */
int layer_plain(const safetensors *s, const safetensor *t, size_t at, size_t count, float *values);

#endif

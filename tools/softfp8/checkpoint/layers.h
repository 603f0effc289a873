/* SPDX-License-Identifier: MIT */
/* layers.h -- the quantized matrices of a checkpoint: how its tensors say that, and what they hold
 */
#ifndef SOFTFP8_CLI_LAYERS_H
#define SOFTFP8_CLI_LAYERS_H

#include "checkpoint/gguf_blocks.h"
#include "softfp8_blocks.h"

/* How the product that wrote a checkpoint names a quantized matrix. */
typedef struct layer_scheme {
    const char *name;                       /* "NVFP4, ModelOpt" */
    const char *codes, *scale, *second;     /* ends of the names; second: NULL, or that of g.
                                               scale NULL: blocks of a .gguf file, of any name */
    const char *code_dtypes, *scale_dtypes; /* separated by blanks */
    int per_tensor;                         /* one scale for all */
    int is_common;                          /* other tensors have such names: dtypes decide */
    const char *recipe;                     /* reads it; NULL: none, see gguf_blocks.h */
    const char *source;                     /* where the names are from */
} layer_scheme;

const layer_scheme *layer_scheme_at(size_t i);

typedef struct layer {
    char name[SAFETENSORS_NAME];
    const layer_scheme *scheme; /* NULL: none fits */
    const gguf_block *block;    /* of a .gguf file, whose scales are among the codes; or NULL */
    const safetensor *codes, *scale, *second;
    tensor_shape shape; /* of the values */
    size_t matrix;      /* rows of each matrix; a block never has rows of two, nor has a tile */
    char why[160];      /* of one that has scales and fits no scheme */
} layer;

/* The layer whose codes a tensor holds: 1; 0 if it is no such tensor, as one without scales. */
int layer_of(const safetensors *s, const safetensor *codes, layer *l);
/* Whether its values are read, or its scales alone. */
int layer_has_values(const layer *l);

/* How the values of a layer compare with its reference times a factor. A gap is the distance of
 * the two values next to that of the reference which the layer's own scales and codes can give: no
 * rounding has a larger error, whichever mode it has, unless a value is clipped. Only places where
 * both are finite count. */
typedef struct layer_fit {
    double factor;
    size_t values;
    double signal, own, product; /* sums: reference squared, layer squared, one times the other */
    double noise, gaps;          /* sums: error squared, gap squared; both unclipped */
    double cut;                  /* sum: error squared of clipped values */
    size_t clipped;              /* values that are too large for the largest code */
    size_t unlike;               /* values with an error of more than half a gap, unclipped */
    size_t lost;                 /* values too large for their scale of 0 */
    size_t beyond, first;        /* of more than one gap; the place of the first */
} layer_fit;

/* What is in the codes and scales of a layer, and how far its values are from others. */
typedef struct layer_measure {
    size_t codes,
        largest_codes; /* those that a recipe reads, and the ones at an end of its range */
    size_t nan_codes, nan_values, infinite_values;
    size_t scales, nan_scales, zero_scales, negative_scales, nan_offsets;
    double least_scale, largest_scale; /* of the positive ones; 0: none */
    float g;                           /* the global scale, or 1; of several the first odd one */
    double amax;          /* infinite if a value is; NaN if none is a number, or none is read */
    double rms;           /* of the finite values; 0: there are none */
    size_t nan_reference; /* values of the reference that are NaN or infinite */
    double worst;         /* the largest difference */
    layer_fit fit;        /* with a reference: with the factor 1 */
} layer_measure;

/* Reads a layer by its scheme. If `other` is not NULL, its tensor `like` has the values that the
 * layer stands for, in f32, bf16 or f16. With `values` all values go there, as f32. */
void layer_measure_all(const safetensors *s, const layer *l, const safetensors *other,
                       const safetensor *like, float *values, layer_measure *m);
/* Compares it with its reference times fit->factor; if `swapped`, with the two codes of each byte
 * exchanged. */
void layer_compare(const safetensors *s, const layer *l, const safetensors *other,
                   const safetensor *like, int swapped, layer_fit *fit);
/* The values of a tensor in f32, bf16 or f16, from the element `at` on. 0 for another dtype. */
int layer_plain(const safetensors *s, const safetensor *t, size_t at, size_t count, float *values);

#endif

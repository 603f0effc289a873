/* SPDX-License-Identifier: MIT */
/* schemes.c -- which tensors of a checkpoint are a quantized matrix, by their names and shapes */
#include "checkpoint/layers.h"
#include "recipes/recipes.h"

#include <stdio.h>
#include <string.h>

#define MODELOPT                                                                                   \
    "ran: ModelOpt 0.47.0, NVFP4QTensor.quantize and dequantize, 98,304 values equal, 2026-11-28"
#define COMPRESSED                                                                                 \
    "ran: compressed-tensors 0.20.1, compress and decompress, 98,304 values equal, 2026-11-28"
/* With scales in bf16 it returns values in bf16; those here are the f32 values, unrounded. */
#define COMPRESSED_FP8                                                                             \
    "ran: compressed-tensors 0.20.1, compress and decompress, 98,304 values equal after rounding " \
    "to bf16, 2026-11-28"
#define MODELOPT_FP8 "source: ModelOpt 0.47.0, modelopt/torch/export/quant_utils.py"
#define MXFP8 "source: compressed-tensors 0.20.1, compressed_tensors/compressors"
#define FINEGRAINED "source: Transformers 5.24.0, integrations/finegrained_fp8.py"
#define MXFP4_MOE "source: Transformers 5.24.0, integrations/mxfp4.py"
#define DEEPSEEK_V4                                                                                \
    "source: vLLM 0.33.0, models/deepseek_v4; Transformers 5.24.0, "                               \
    "integrations/finegrained_fp8.py"
#define COMFYUI "source: ComfyUI, comfy/model_detection.py: scaled_fp8, and NAME.scale_weight"
#define MLX                                                                                        \
    "ran: MLX 0.32.4, mx.quantize, save_safetensors and dequantize, 24,576 values equal, "         \
    "2026-11-30"
#define FLOATS "F32 BF16 F16"

/* Blocks of .gguf files. */
#define GGUF_RAN                                                                                   \
    "ran: gguf 0.19.0, GGUFWriter, quantize and dequantize, all values equal, 2026-12-01"
#define GGUF_READ                                                                                  \
    "ran: gguf 0.19.0, GGUFWriter and dequantize of random blocks, all values equal, 2026-12-01"
#define GGUF_SOURCE "source: llama.cpp 01243c58, ggml/src/ggml-common.h"
#define GGUF_NVFP4 GGUF_RAN "; source: llama.cpp 00bd27a6, conversion/base.py: NAME.scale"
#define GGUF_OF(type, recipe, source)                                                              \
    {                                                                                              \
        type ", GGUF", "", NULL, NULL, type, "", 0, 0, recipe, source                              \
    }

/* The first that fits counts. Several shapes of scales have the same names, so the rows with blocks
 * come before those with a scale for a row, and for a tensor. */
static const layer_scheme schemes[] = {
    {"NVFP4, ModelOpt", ".weight", ".weight_scale", ".weight_scale_2", "U8", "F8_E4M3", 0, 0,
     "nvfp4-modelopt", MODELOPT},
    {"NVFP4, compressed-tensors", ".weight_packed", ".weight_scale", ".weight_global_scale", "U8",
     "F8_E4M3", 0, 0, "nvfp4-compressed", COMPRESSED},
    {"MXFP4, compressed-tensors", ".weight_packed", ".weight_scale", NULL, "U8", "U8 F8_E8M0", 0, 0,
     "mxfp4-compressed", COMPRESSED},
    {"MXFP4, gpt-oss", "_blocks", "_scales", NULL, "U8", "U8 F8_E8M0", 0, 0, "mxfp4-triton-kernels",
     MXFP4_MOE},
    {"MXFP8, compressed-tensors", ".weight", ".weight_scale", NULL, "F8_E4M3", "U8 F8_E8M0", 0, 0,
     "mxfp8-compressed", MXFP8},
    {"FP8 by blocks, DeepSeek", ".weight", ".weight_scale_inv", NULL, "F8_E4M3", FLOATS, 0, 0,
     "fp8-block128-vllm", FINEGRAINED},
    {"FP8 by blocks, compressed-tensors", ".weight", ".weight_scale", NULL, "F8_E4M3", FLOATS, 0, 0,
     "fp8-compressed-block128", COMPRESSED_FP8},
    {"FP8 by rows, compressed-tensors", ".weight", ".weight_scale", NULL, "F8_E4M3", FLOATS, 0, 0,
     "fp8-compressed-channel", COMPRESSED_FP8},
    {"FP8, one scale", ".weight", ".weight_scale", NULL, "F8_E4M3", FLOATS, 1, 0,
     "fp8-compressed-channel", MODELOPT_FP8 "; " COMPRESSED_FP8},
    {"FP8 by blocks, DeepSeek-V4", ".weight", ".scale", NULL, "F8_E4M3", "F8_E8M0", 0, 1,
     "fp8-block128-transformers-ue8m0", DEEPSEEK_V4},
    {"MXFP4, DeepSeek-V4", ".weight", ".scale", NULL, "I8", "F8_E8M0", 0, 1, "mxfp4-triton-kernels",
     DEEPSEEK_V4},
    {"FP8, one scale, ComfyUI", ".weight", ".scale_weight", NULL, "F8_E4M3", FLOATS, 1, 0,
     "fp8-compressed-channel", COMFYUI},
    {"MXFP4, MLX", ".weight", ".scales", NULL, "U32", "U8", 0, 1, "mxfp4-mlx", MLX},
    {"MXFP8, MLX", ".weight", ".scales", NULL, "U32", "U8", 0, 1, "mxfp8-mlx", MLX},
    {"NVFP4, MLX", ".weight", ".scales", NULL, "U32", "U8", 0, 1, "nvfp4-mlx", MLX},
    {"NVFP4, GGUF", "", NULL, ".scale", "NVFP4", "", 0, 0, "nvfp4-gguf", GGUF_NVFP4},
    GGUF_OF("MXFP4", "mxfp4-gguf", GGUF_RAN),
    GGUF_OF("Q8_0", "q8_0-gguf", GGUF_RAN),
    GGUF_OF("Q4_0", "q4_0-gguf", GGUF_RAN),
    GGUF_OF("Q4_1", "q4_1-gguf", GGUF_RAN),
    GGUF_OF("Q5_0", NULL, GGUF_READ),
    GGUF_OF("Q5_1", NULL, GGUF_READ),
    GGUF_OF("Q8_1", NULL, GGUF_SOURCE),
    GGUF_OF("Q2_K", NULL, GGUF_READ),
    GGUF_OF("Q3_K", NULL, GGUF_READ),
    GGUF_OF("Q4_K", NULL, GGUF_READ),
    GGUF_OF("Q5_K", NULL, GGUF_READ),
    GGUF_OF("Q6_K", NULL, GGUF_READ),
    GGUF_OF("Q8_K", NULL, GGUF_SOURCE),
    GGUF_OF("IQ4_NL", NULL, GGUF_READ),
    GGUF_OF("IQ4_XS", NULL, GGUF_READ),
    GGUF_OF("TQ2_0", NULL, GGUF_READ),
    GGUF_OF("TQ1_0", NULL, GGUF_SOURCE),
    GGUF_OF("IQ1_S", NULL, GGUF_SOURCE),
    GGUF_OF("IQ1_M", NULL, GGUF_SOURCE),
    GGUF_OF("IQ2_XXS", NULL, GGUF_SOURCE),
    GGUF_OF("IQ2_XS", NULL, GGUF_SOURCE),
    GGUF_OF("IQ2_S", NULL, GGUF_SOURCE),
    GGUF_OF("IQ3_XXS", NULL, GGUF_SOURCE),
    GGUF_OF("IQ3_S", NULL, GGUF_SOURCE),
    GGUF_OF("Q1_0", NULL, GGUF_SOURCE),
    GGUF_OF("Q2_0", NULL, GGUF_SOURCE),
};

const layer_scheme *layer_scheme_at(size_t i)
{
    return i < sizeof schemes / sizeof schemes[0] ? &schemes[i] : NULL;
}

/* ---- names ----------------------------------------------------------------------------------- */

/* The end of a name as it is alone: a file with one matrix may have "weight" for ".weight". */
static const char *alone(const char *end)
{
    return end[0] == '.' ? end + 1 : end;
}

/* Whether a name has the end, and how much stands before it. */
static int has_end(const char *name, const char *end, size_t *length)
{
    size_t n = strlen(name), m = strlen(end);
    *length = n > m ? n - m : 0;
    return *length ? strcmp(name + *length, end) == 0
                   : end[0] == '.' && strcmp(name, alone(end)) == 0;
}

static const safetensor *sibling(const safetensors *s, const char *name, size_t length,
                                 const char *end)
{
    char full[SAFETENSORS_NAME + 32];
    snprintf(full, sizeof full, "%.*s%s", (int)length, name, length ? end : alone(end));
    return safetensors_find(s, full);
}

static int lists(const char *words, const char *word)
{
    size_t n = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += n)
        if ((at == words || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return 1;
    return 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/* The values of a tensor of codes; axes before the last are rows. In "_blocks" the last two axes
 * are the bytes of a row. */
static tensor_shape values_of(const layer_scheme *scheme, const sf8_recipe *recipe,
                              const safetensor *codes)
{
    tensor_shape shape = {1, 1};
    int columns = strcmp(scheme->codes, "_blocks") == 0 ? 2 : 1;
    for (int i = 0; i < codes->dimensions; i++)
        *(i < codes->dimensions - columns ? &shape.rows : &shape.columns) *= codes->axis[i];
    shape.columns *= (strcmp(codes->dtype, "U32") == 0 ? 32 : 8) / sf8_recipe_bits(recipe);
    return shape;
}

/* The rows of each matrix, where a block has several rows: with a third axis, as for experts, each
 * matrix begins a block of its own. Else all rows. */
static size_t matrix_of(const sf8_recipe *recipe, tensor_shape values, const safetensor *codes)
{
    int several = sf8_recipe_rows(recipe) > 1 && codes->dimensions > 2;
    return several ? codes->axis[codes->dimensions - 2] : values.rows;
}

/* Whether a tensor of scales is that of such values: a matrix, or a column without its axis if
 * there is one for each row. */
static int fits(const layer_scheme *scheme, const sf8_recipe *recipe, tensor_shape values,
                size_t matrix, const safetensor *scale)
{
    size_t rows = matrix ? values.rows / matrix * sf8_recipe_scale_rows(recipe, matrix) : 0;
    size_t blocks = sf8_recipe_blocks(recipe, values.columns);
    if (scheme->per_tensor)
        return scale->count == 1;
    if (scale->count != rows * blocks || scale->dimensions == 0)
        return 0;
    if (scale->dimensions == 1)
        return recipe->block == 0 && (rows > 1 || values.rows == 1);
    return scale->axis[scale->dimensions - 1] == blocks;
}

static void tell_shape(char *text, size_t size, const safetensor *t)
{
    size_t used = (size_t)snprintf(text, size, "%s [", t->dtype);
    for (int i = 0; i < t->dimensions && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%zu", i ? ", " : "", t->axis[i]);
    if (used < size)
        snprintf(text + used, size - used, "]");
}

static void tell_why(layer *l, const safetensor *scale)
{
    char first[56], second[56];
    tell_shape(first, sizeof first, l->codes);
    tell_shape(second, sizeof second, scale);
    snprintf(l->why, sizeof l->why, "codes %s and scales %s", first, second);
}

int layer_has_values(const layer *l)
{
    return !l->block || l->block->recipe || l->block->values;
}

/* The layer of a tensor of blocks. Its global scale, if there is one, is a number, or one for each
 * matrix. */
static void take_blocks(const safetensors *s, const safetensor *codes, layer *l)
{
    size_t length = strlen(codes->name), matrices = 1;
    l->block = gguf_block_of(codes);
    l->scale = codes;
    has_end(codes->name, ".weight", &length);
    snprintf(l->name, sizeof l->name, "%.*s", (int)length, codes->name);
    if (!length || strcmp(codes->name + length, ".weight") != 0)
        snprintf(l->name, sizeof l->name, "%s", codes->name);
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0]; i++)
        if (!schemes[i].scale && strcmp(schemes[i].code_dtypes, codes->dtype) == 0)
            l->scheme = &schemes[i];
    l->shape.columns = codes->axis[codes->dimensions - 1];
    l->shape.rows = l->shape.columns ? codes->count / l->shape.columns : 0;
    for (int i = 0; i < codes->dimensions - 2; i++)
        matrices *= codes->axis[i];
    if (l->scheme->second)
        l->second = sibling(s, l->name, strlen(l->name), l->scheme->second);
    if (l->scheme->second && !l->second) /* some converters keep ".weight" before it */
        l->second = sibling(s, codes->name, strlen(codes->name), l->scheme->second);
    l->matrix = l->second && matrices ? l->shape.rows / matrices : l->shape.rows;
    if (l->second && (strcmp(l->second->dtype, "F32") != 0 ||
                      (l->second->count != 1 && l->second->count != matrices))) {
        tell_why(l, l->second);
        l->scheme = NULL;
    }
}

int layer_of(const safetensors *s, const safetensor *codes, layer *l)
{
    const safetensor *scale = NULL;
    memset(l, 0, sizeof *l);
    l->codes = codes;
    if (gguf_block_of(codes)) {
        take_blocks(s, codes, l);
        return 1;
    }
    for (size_t i = 0; i < sizeof schemes / sizeof schemes[0] && !l->scheme; i++) {
        const layer_scheme *scheme = &schemes[i];
        size_t length;
        const safetensor *here = scheme->scale && has_end(codes->name, scheme->codes, &length)
                                     ? sibling(s, codes->name, length, scheme->scale)
                                     : NULL;
        sf8_recipe recipe;
        int is_like = here && lists(scheme->code_dtypes, codes->dtype) &&
                      lists(scheme->scale_dtypes, here->dtype);
        if (!here || codes->dimensions < 1 || (scheme->is_common && !is_like))
            continue;
        scale = here;
        snprintf(l->name, sizeof l->name, "%.*s", (int)(length ? length : 6),
                 length ? codes->name : "weight");
        l->second = scheme->second ? sibling(s, codes->name, length, scheme->second) : NULL;
        recipe_of_name(scheme->recipe, &recipe);
        if (!is_like || (scheme->second && (!l->second || l->second->count != 1)))
            continue;
        l->shape = values_of(scheme, &recipe, codes);
        l->matrix = matrix_of(&recipe, l->shape, codes);
        if (fits(scheme, &recipe, l->shape, l->matrix, here))
            l->scheme = scheme;
    }
    l->scale = scale;
    if (scale && !l->scheme)
        tell_why(l, scale);
    return scale != NULL;
}

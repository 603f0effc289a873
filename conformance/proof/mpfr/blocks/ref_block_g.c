/* SPDX-License-Identifier: MIT */
/* ref_block_g.c -- the global scales of tensors as the stacks compute them, and scales that have to
 * be chosen
 */
#include "mpfr/blocks/ref_block_recipes.h"

#include <string.h>

/* min(2688 / amax, FLT_MAX); 1 of a tensor of zeros. */
static word encode(word amax)
{
    return amax == 0 ? REF_1 : ref_f32_min(ref_f32_div(ref_number(2688), amax), REF_FLT_MAX);
}

/* The same with 6 * 256. */
static word encode_256(word amax)
{
    return amax == 0 ? REF_1 : ref_f32_min(ref_f32_div(ref_number(1536), amax), REF_FLT_MAX);
}

/* The recipe uses the amax of the tensor itself. */
static word as_it_is(word amax)
{
    return amax;
}

/* amax / 2688; 1 of a tensor of zeros. */
static word decode(word amax)
{
    return amax == 0 ? REF_1 : ref_f32_div(amax, ref_number(2688));
}

/* torch: (448 * 6) / amax is amax.reciprocal() * 2688. */
static word vllm(word amax)
{
    return ref_f32_mul(ref_f32_div(REF_1, amax), ref_number(2688));
}

/* 448 / max(amax, 1e-12) */
static word paged(word amax)
{
    return ref_f32_div(REF_448, ref_f32_max(amax, ref_f32_ratio(1, 1000000000000)));
}

/* A given scale, where nobody has chosen one: amax over the largest number. */
static word over(word amax, long most)
{
    return amax == 0 ? REF_1 : ref_f32_div(amax, ref_number(most));
}

static word over_448(word amax)
{
    return over(amax, 448);
}

static word over_224(word amax)
{
    return over(amax, 224);
}

static word over_57344(word amax)
{
    return over(amax, 57344);
}

static word over_127(word amax)
{
    return over(amax, 127);
}

static word itself(word amax)
{
    return over(amax, 1);
}

ref_global_scale *ref_recipe_g(const char *name)
{
    static const struct {
        const char *name;
        ref_global_scale *g;
    } rows[] = {
        {"nvfp4-vllm", vllm},
        {"nvfp4-trtllm", encode},
        {"nvfp4-te", encode},
        {"nvfp4-te-ref", encode},
        {"nvfp4-trtllm-ue8m0", encode},
        {"mxfp4-trtllm", encode},
        {"nvfp4-argmin", decode},
        {"nvfp4-jax", decode},
        {"nvfp4-flashinfer", encode},
        {"nvfp4-flashinfer-0.7.2", encode},
        {"nvfp4-flashinfer-append", decode},
        {"nvfp4-flashinfer-append-mla", decode},
        {"nvfp4-flashinfer-append-4over6", decode},
        {"nvfp4-flashinfer-kv", decode},
        {"nvfp4-flashinfer-kv-0.7.2", decode},
        {"nvfp4-vllm-ref", vllm},
        {"nvfp4-te-4over6", as_it_is},
        {"nvfp4-te-4over6-fast", encode_256},
        {"nvfp4-te-4over6-mse", as_it_is},
        {"nvfp4-te-4over6-mse-fast", encode_256},
        {"nvfp4-te-4over6-448", as_it_is},
        {"nvfp4-te-4over6-448-fast", encode},
        {"nvfp4-te-4over6-448-mse", as_it_is},
        {"nvfp4-te-16x16-4over6", as_it_is},
        {"nvfp4-te-16x16-4over6-fast", encode_256},
        {"nvfp4-te-16x16-4over6-mse", as_it_is},
        {"nvfp4-te-16x16-4over6-mse-fast", encode_256},
        {"nvfp4-te-16x16-4over6-448", as_it_is},
        {"nvfp4-te-16x16-4over6-448-fast", encode},
        {"nvfp4-te-16x16", encode},
        {"nvfp4-vllm-4over6", encode},
        {"nvfp4-flashinfer-4over6", encode},
        {"nvfp4-flashinfer-paged", paged},
        {"nvfp4-flashinfer-paged-0.7.2", paged},
        {"kv-vllm-e5m2", over_57344},
        {"kv-vllm-token-bound", itself},
        {"kv-vllm-rocm", over_224},
        {"kv-vllm-rocm-f16", over_224},
        {"kv-vllm-rocm-scaled", over_224},
        {"kv-trtllm-int8", over_127},
        {"kv-vllm", over_448},
        {"kv-vllm-triton", over_448},
        {"kv-vllm-scaled", over_448},
        {"kv-sglang-bf16", over_448},
        {"kv-sglang-f16", over_448},
        {"kv-sglang-bf16-2.12", over_448},
        {"kv-sglang-f16-2.12", over_448},
        {"kv-sglang-bf16-float", over_448},
        {"kv-sglang-f16-float", over_448},
        {"kv-sglang-bf16-float-2.12", over_448},
        {"kv-sglang-f16-float-2.12", over_448},
        {"kv-trtllm-bf16", over_448},
        {"kv-trtllm-f16", over_448},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(name, rows[i].name) == 0)
            return rows[i].g;
    ref_global_scale *g = ref_framework_g(name);
    return g ? g : ref_weights_g(name);
}

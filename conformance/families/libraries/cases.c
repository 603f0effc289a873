/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: attention of other libraries
 *
 * Of those that need a GPU, only PyTorch's have been run. The calls of the others follow public
 * signatures, and what they do with NaN is what their sources say.
 *
 * PyTorch's math back end takes bf16 and f16 to f32 (2.15 does; before 2.5 it did not). It adds its
 * mask to the scores, so that a key that is NaN reaches queries that do not see it. FlashInfer
 * reads a code of 8 bits that is NaN as a number (vec_dtypes.cuh, fast_dequant_f8f16x4).
 * PagedAttention adds 1e-6 to the sum of 64 or more weights, which is gone in f32.
 */
#include "families/libraries/libraries.h"

/* clang-format off */
#define ALL(words) .q = words, .kv = words, .out = words

/* A module of the user's own, named by SOFTFP8_ATTEND. */
#define OWN(X, name, key, value, limit, ...)                                                       \
    X("own-" name, .program = "own", .q = key, .kv = value, .out = key, .bound = limit,            \
      .mask = LIBS_LOWER_RIGHT, .lse_base = 1, __VA_ARGS__)

#define SDPA(X, place, on, back_end, words, limit, with_nan, ...)                                  \
    X("torch-" on "-" back_end "-" words, .module = "torch", .program = "torch_sdpa",              \
      .options = {place, back_end}, ALL(words), .bound = limit, .mask = LIBS_UPPER_LEFT,           \
      .nan = with_nan, .tensors = 1, __VA_ARGS__)
#define SDPA_CPU(X, back_end, words, limit, with_nan)                                              \
    SDPA(X, "cpu", "cpu", back_end, words, limit, with_nan, .gpu = 0)
#define SDPA_GPU(X, back_end, words, limit, with_nan)                                              \
    SDPA(X, "cuda", "gpu", back_end, words, limit, with_nan, .gpu = 1)

#define JAX(X, place, implementation, words, ...)                                                  \
    X("jax-" place "-" implementation "-" words, .module = "jax", .program = "jax_nn",             \
      .options = {place, implementation}, ALL(words), .bound = words, .mask = LIBS_UPPER_LEFT,     \
      __VA_ARGS__)

#define GPU(X, name, from, file, option, key, value, limit, ...)                                   \
    X(name, .module = from, .program = file, .options = {option}, .q = key, .kv = value,           \
      .out = "bf16", .bound = limit, .gpu = 1, .tensors = 1, __VA_ARGS__)
#define FLASH(X, name, option)                                                                     \
    GPU(X, "flash-attn-" name "-bf16", "flash_attn", "flash_attn2", option, "bf16", "bf16",        \
        "bf16", .mask = LIBS_LOWER_RIGHT, .lse_base = 1)
#define FLASH_3(X, words, limit)                                                                   \
    GPU(X, "flash-attn-3-" words, "flash_attn_interface", "flash_attn3", NULL, words, words,       \
        limit, .mask = LIBS_LOWER_RIGHT, .lse_base = 1)
#define FLASHINFER(X, name, option, value, with_nan)                                               \
    GPU(X, "flashinfer-" name "-" value, "flashinfer", "flashinfer_decode", option, "bf16", value, \
        "bf16", .one_query = 1, .lse_base = 2, .nan = with_nan)
#define PAGED(X, version, value, limit, few)                                                          \
    GPU(X, "vllm-paged-" version "-" value, "vllm", "vllm_paged", version, "bf16", value, limit,   \
        .one_query = 1, .few_keys = few)
#define MERGE(X, from, base)                                                                       \
    GPU(X, from "-merge-bf16", from, "merge_states", from, "bf16", "bf16", "f32", .merges = 1,     \
        .lse_base = base)

#define LIBS(X)                                                                                    \
    OWN(X, "f32", "f32", "f32", "f32", .merges = 0)                                                \
    OWN(X, "bf16", "bf16", "bf16", "bf16", .merges = 0)                                            \
    OWN(X, "e4m3", "bf16", "e4m3", "bf16", .merges = 0)                                            \
    OWN(X, "e5m2", "bf16", "e5m2", "bf16", .merges = 0)                                            \
    OWN(X, "merge-bf16", "bf16", "bf16", "f32", .merges = 1, .options = {"merge"})                 \
    SDPA_CPU(X, "flash", "f32", "f32", LIBS_NAN_SEEN)                                              \
    SDPA_CPU(X, "math", "f32", "f32", LIBS_NAN_ADDED)                                              \
    SDPA_CPU(X, "flash", "bf16", "bf16", LIBS_NAN_SEEN)                                            \
    SDPA_CPU(X, "math", "bf16", "f32", LIBS_NAN_ADDED)                                             \
    SDPA_CPU(X, "flash", "f16", "f16", LIBS_NAN_SEEN)                                              \
    SDPA_GPU(X, "math", "bf16", "f32", LIBS_NAN_ADDED)                                             \
    SDPA_GPU(X, "flash", "bf16", "bf16", LIBS_NAN_SEEN)                                            \
    SDPA_GPU(X, "efficient", "bf16", "bf16", LIBS_NAN_SEEN)                                        \
    SDPA_GPU(X, "cudnn", "bf16", "bf16", LIBS_NAN_SEEN)                                            \
    SDPA_GPU(X, "math", "f16", "f32", LIBS_NAN_ADDED)                                              \
    SDPA_GPU(X, "flash", "f16", "f16", LIBS_NAN_SEEN)                                              \
    SDPA_GPU(X, "efficient", "f16", "f16", LIBS_NAN_SEEN)                                          \
    SDPA_GPU(X, "cudnn", "f16", "f16", LIBS_NAN_SEEN)                                              \
    JAX(X, "cpu", "xla", "f32", .gpu = 0)                                                          \
    JAX(X, "cpu", "xla", "bf16", .gpu = 0)                                                         \
    JAX(X, "gpu", "xla", "bf16", .gpu = 1)                                                         \
    JAX(X, "gpu", "cudnn", "bf16", .gpu = 1)                                                       \
    JAX(X, "gpu", "cudnn", "f16", .gpu = 1)                                                        \
    FLASH(X, "func", "func")                                                                       \
    FLASH(X, "kvcache", "kvcache")                                                                 \
    FLASH_3(X, "bf16", "bf16")                                                                     \
    FLASH_3(X, "e4m3", "fp8-one")                                                                  \
    FLASHINFER(X, "single", "single", "bf16", LIBS_NAN_SEEN)                                       \
    FLASHINFER(X, "paged", "paged", "bf16", LIBS_NAN_SEEN)                                         \
    FLASHINFER(X, "paged", "paged", "e4m3", LIBS_NAN_READ)                                         \
    FLASHINFER(X, "paged", "paged", "e5m2", LIBS_NAN_READ)                                         \
    MERGE(X, "flashinfer", 2)                                                                      \
    PAGED(X, "v1", "bf16", "bf16", 1)                                                              \
    PAGED(X, "v1", "e4m3", "bf16", 1)                                                              \
    PAGED(X, "v2", "bf16", "bf16-parts", 0)                                                        \
    GPU(X, "vllm-triton-bf16", "vllm", "vllm_paged", "triton", "bf16", "bf16", "bf16",             \
        .mask = LIBS_ALWAYS)                                                                       \
    MERGE(X, "vllm", 1)

#define ROW(title, ...) {.name = title, __VA_ARGS__},
/* clang-format on */

static const attend_lib libs[] = {LIBS(ROW)};

static void cases(case_list *list)
{
    for (const attend_lib *lib = libs; lib < libs + sizeof libs / sizeof libs[0]; lib++) {
        const conform_case c = {.subject = lib->name, .data = lib};
        case_list_add(list, c, "attend-libs/%s", lib->name);
    }
}

const conform_family libraries_family = {.name = "libs",
                                         .begins = "attend-libs",
                                         .inputs = "rows",
                                         .against = "true values, within a bound",
                                         .cases = cases,
                                         .prepare = attend_lib_prepare,
                                         .uses_gpu = attend_lib_uses_gpu,
                                         .run = attend_lib_run};

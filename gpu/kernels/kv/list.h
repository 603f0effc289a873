/* SPDX-License-Identifier: MIT */
/* list.h -- the kernels of KV caches: X(recipe, rule, bits of an element)
 *
 * KV_STORE and KV_GATHER have a kernel each for tensors of f32, bf16 and f16; KV_STORE_OF,
 * X(recipe, rule, bits, format), has one for a single format. KV_STORE_FOUR has those that store 4
 * bits, which have another source for bf16, and KV_GATHER_TABLE those that look values of bf16 and
 * f16 up, which are sources of their own too. KV_COPY, X(name, bits), moves
 * elements of `bits` bits unchanged, in both directions. A recipe that reads like another one uses
 * its kernel.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_LIST_H
#define SOFTFP8_GPU_KERNELS_KV_LIST_H

#define KV_STORE(X)                                                                                \
    X("kv-vllm", kv_vllm, 8)                                                                       \
    X("kv-vllm-e5m2", kv_vllm_e5m2, 8)                                                             \
    X("kv-vllm-scaled", kv_vllm_scaled, 8)                                                         \
    X("kv-vllm-dynamic", kv_vllm_dynamic, 8)                                                       \
    X("kv-vllm-token-bound", kv_vllm_token_bound, 8)                                               \
    X("kv-nosat", kv_nosat, 8)                                                                     \
    X("kv-nosat-e5m2", kv_nosat_e5m2, 8)                                                           \
    X("kv-minisgl", kv_minisgl, 8)                                                                 \
    X("kv-trtllm-int8", kv_trtllm_int8, 8)                                                         \
    X("kv-vllm-rocm", kv_vllm_rocm, 8)                                                             \
    X("kv-vllm-rocm-scaled", kv_vllm_rocm_scaled, 8)                                               \
    X("fp8-per-token", fp8_per_token, 8)                                                           \
    X("fp8-per-token-head-interpreted", fp8_per_token_head, 8)                                     \
    X("int8-per-token-head-interpreted", int8_per_token_head, 8)                                   \
    X("fp8-group128", fp8_group128, 8)                                                             \
    X("kv-vllm-ds-mla", kv_ds_mla, 8)                                                              \
    X("kv-vllm-indexer", kv_indexer, 8)                                                            \
    X("kv-vllm-indexer-ue8m0", kv_indexer_ue8m0, 8)
#define KV_STORE_FOUR(X)                                                                           \
    X("int4-per-token-head-interpreted", int4_per_token_head, 4)                                   \
    X("nvfp4-te", kv_nvfp4_te, 4)                                                                  \
    X("nvfp4-vllm", kv_nvfp4_vllm, 4)                                                              \
    X("nvfp4-trtllm", kv_nvfp4_trtllm, 4)                                                          \
    X("nvfp4-flashinfer-append", kv_nvfp4_flashinfer, 4)                                           \
    X("mxfp4-even", kv_mxfp4_even, 4)                                                              \
    X("mxfp4-vllm", kv_mxfp4_vllm, 4)                                                              \
    X("sglang-kvfp4", kv_sglang_kvfp4, 4)
#define KV_STORE_OF(X)                                                                             \
    X("kv-sglang-bf16", kv_sglang_bf16, 8, bf16)                                                   \
    X("kv-sglang-f16", kv_sglang_f16, 8, f16)                                                      \
    X("kv-sglang-bf16-float", kv_sglang_bf16_float, 8, bf16)                                       \
    X("kv-sglang-f16-float", kv_sglang_f16_float, 8, f16)                                          \
    X("kv-sglang-bf16-2.12", kv_sglang_bf16_nosat, 8, bf16)                                        \
    X("kv-sglang-f16-2.12", kv_sglang_f16_nosat, 8, f16)                                           \
    X("kv-sglang-bf16-float-2.12", kv_sglang_bf16_float_nosat, 8, bf16)                            \
    X("kv-sglang-f16-float-2.12", kv_sglang_f16_float_nosat, 8, f16)                               \
    X("kv-trtllm-bf16", kv_trtllm_bf16, 8, bf16)                                                   \
    X("kv-trtllm-f16", kv_trtllm_f16, 8, f16)                                                      \
    X("kv-vllm-rocm-f16", kv_vllm_rocm_f16, 8, f16)
#define KV_GATHER(X)                                                                               \
    X("kv-vllm", kv_vllm, 8)                                                                       \
    X("kv-vllm-e5m2", kv_vllm_e5m2, 8)                                                             \
    X("kv-flashinfer", kv_flashinfer, 8)                                                           \
    X("kv-flashinfer-e5m2", kv_flashinfer_e5m2, 8)                                                 \
    X("kv-trtllm-int8", kv_trtllm_int8, 8)                                                         \
    X("kv-vllm-rocm", kv_vllm_rocm, 8)                                                             \
    X("fp8-per-token-head-interpreted", fp8_per_token_head, 8)                                     \
    X("int8-per-token-head-interpreted", int8_per_token_head, 8)                                   \
    X("int4-per-token-head-interpreted", int4_per_token_head, 4)                                   \
    X("mxfp4-vllm", kv_mxfp4_vllm, 4)                                                              \
    X("kv-vllm-ds-mla", kv_ds_mla, 8)
#define KV_GATHER_TABLE(X)                                                                         \
    X("nvfp4-te", kv_nvfp4_te, 4)                                                                  \
    X("nvfp4-flashinfer-append", kv_nvfp4_flashinfer, 4)                                           \
    X("mxfp4-even", kv_mxfp4_even, 4)                                                              \
    X("sglang-kvfp4", kv_sglang_kvfp4, 4)
#define KV_COPY(X)                                                                                 \
    X("copy8", 8)                                                                                  \
    X("copy16", 16)                                                                                \
    X("copy32", 32)

#endif

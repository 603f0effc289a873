/* SPDX-License-Identifier: MIT */
/* kv_list.h -- the kernels of KV caches: X(recipe, rule)
 *
 * KV_STORE and KV_GATHER are for words of f32, bf16, f16 each; KV_COPY, X(name, bits), moves words
 * of so many bits as they are, both ways. A recipe that reads as another one does has its kernel.
 */
#ifndef SOFTFP8_GPU_KERNELS_KV_LIST_H
#define SOFTFP8_GPU_KERNELS_KV_LIST_H

#define KV_STORE(X)                                                                                \
    X("kv-vllm", kv_vllm)                                                                          \
    X("kv-vllm-e5m2", kv_vllm_e5m2)                                                                \
    X("kv-vllm-scaled", kv_vllm_scaled)                                                            \
    X("kv-nosat", kv_nosat)                                                                        \
    X("fp8-per-token-head", fp8_per_token_head)                                                    \
    X("int8-per-token-head", int8_per_token_head)                                                  \
    X("int4-per-token-head", int4_per_token_head)                                                  \
    X("nvfp4-te", kv_nvfp4_te)                                                                     \
    X("mxfp4-even", kv_mxfp4_even)                                                                 \
    X("kv-vllm-ds-mla", kv_ds_mla)                                                                 \
    X("kv-vllm-indexer", kv_indexer)
#define KV_GATHER(X)                                                                               \
    X("kv-vllm", kv_vllm)                                                                          \
    X("kv-vllm-e5m2", kv_vllm_e5m2)                                                                \
    X("fp8-per-token-head", fp8_per_token_head)                                                    \
    X("int8-per-token-head", int8_per_token_head)                                                  \
    X("int4-per-token-head", int4_per_token_head)                                                  \
    X("nvfp4-te", kv_nvfp4_te)                                                                     \
    X("mxfp4-even", kv_mxfp4_even)                                                                 \
    X("kv-vllm-ds-mla", kv_ds_mla)
#define KV_COPY(X)                                                                                 \
    X("copy8", 8)                                                                                  \
    X("copy16", 16)                                                                                \
    X("copy32", 32)

#endif

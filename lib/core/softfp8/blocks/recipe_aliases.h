/* SPDX-License-Identifier: MIT */
/* recipe_aliases.h -- other names by which people look for recipes
 *
 * An alias is another name of a product, a model or a library that uses someone else's recipe, or a
 * format. It is followed by patterns, separated by spaces. A pattern is the name of a recipe, in
 * which one * matches any text, or ends in @ and a product. Names are compared without case, and
 * only letters and digits count. Products need no line: a name with which a product begins finds
 * its recipes, and these come before those of an alias.
 */
#ifndef SOFTFP8_RECIPE_ALIASES_H
#define SOFTFP8_RECIPE_ALIASES_H

#define SF8_RECIPE_ALIASES(X)                                                                      \
    X("deepseek",                                                                                  \
      "fp8-group128* fp8-block128-vllm* *-deepseek-v4* kv-vllm-indexer* kv-vllm-ds-mla @DeepGEMM") \
    X("deepgemm", "fp8-block128-vllm*")                                                            \
    X("sglang", "mxfp4-modelopt nvfp4-flashinfer-kv-0.7.2")                                        \
    X("trtllm", "@TensorRT-LLM")                                                                   \
    X("llm-compressor", "@compressed-tensors")                                                     \
    X("llmcompressor", "@compressed-tensors")                                                      \
    X("nvidia-modelopt", "@ModelOpt")                                                              \
    X("model-optimizer", "@ModelOpt")                                                              \
    X("tensorrt-model-optimizer", "@ModelOpt")                                                     \
    X("te", "@Transformer Engine")                                                                 \
    X("gpt-oss", "mxfp4-triton-kernels")                                                           \
    X("fbgemm", "fp8-per-token")                                                                   \
    X("quark", "mxfp4-even mxfp6-e3m2-even mxfp6-e2m3-even mxfp8-e4m3-even mxfp8-e5m2-even")       \
    X("dsv4", "*-deepseek-v4*")                                                                    \
    X("jax", "nvfp4-jax mxfp8-e4m3-rceil mxfp4-rceil")                                             \
    X("openvino", "@NNCF")                                                                         \
    X("quanto", "@optimum-quanto")                                                                 \
    X("ollama", "*-gguf")                                                                          \
    X("llama.cpp", "*-gguf")                                                                       \
    X("ggml", "*-gguf")                                                                            \
    X("gguf", "*-gguf")                                                                            \
    X("turboquant", "*turboquant*")                                                                \
    X("autoround", "@auto-round")                                                                  \
    X("mx", "mx*")                                                                                 \
    X("mxfp4", "mxfp4*")                                                                           \
    X("mxfp6", "mxfp6*")                                                                           \
    X("mxfp8", "mxfp8*")                                                                           \
    X("mxint8", "mxint8*")                                                                         \
    X("nvfp4", "nvfp4*")                                                                           \
    X("fp8", "*fp8-*")                                                                             \
    X("int8", "*int8* q8_0*")                                                                      \
    X("int4", "*int4* q4_0*")                                                                      \
    X("int2", "*int2*")                                                                            \
    X("kv", "kv-* *-head *-interpreted sglang-kvfp4 kivi-* kvquant-*")                             \
    X("tenstorrent", "*-tenstorrent")                                                              \
    X("ttnn", "*-tenstorrent")                                                                     \
    X("bfp", "bfp*")                                                                               \
    X("bfloat8_b", "bfp8-tenstorrent")                                                             \
    X("bfloat4_b", "bfp4-tenstorrent")                                                             \
    X("q8_0", "q8_0*")                                                                             \
    X("q4_0", "q4_0*")

#endif

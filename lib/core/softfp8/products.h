/* SPDX-License-Identifier: MIT */
/* products.h -- products by name, and which policy each of their conversions has
 *
 * A policy is one rule. A product often has several: PyTorch saturates when it converts to e4m3,
 * and not when it converts to e5m2. A row here says: the product, in the versions from the first to
 * the last (empty: no limit), when it converts to one of these formats from one of those (empty:
 * any), has this policy. The first row that fits holds. The row of the newest release comes first,
 * so that the plain name of a product stands for it.
 */
#ifndef SOFTFP8_PRODUCTS_H
#define SOFTFP8_PRODUCTS_H

#define SF8_FNUZ "e4m3fnuz e5m2fnuz e4m3b11fnuz"
#define SF8_FNUZ_AND_E8M0 SF8_FNUZ " e8m0"
#define SF8_WIDE "f16 bf16 f32 f64"
/* From these XLA writes a NaN of e5m2 with all mantissa bits. */
#define SF8_XLA_ONES "f16 bf16 e4m3 e4m3ieee e3m4 e8m0 " SF8_FNUZ

/*    product, first version, last version, to, from, policy */
#define SF8_PRODUCTS(X)                                                                            \
    X("torch", "2.13", "", "e4m3", "", "torch-2.13")                                               \
    X("torch", "", "", "bf16", "e4m3 e5m2", "ocp-nosat")                                           \
    X("torch", "", "", "f16 f32 f64", "e4m3 e5m2", "torch-decode")                                 \
    X("torch", "", "", "f16 bf16 f32 f64", SF8_FNUZ_AND_E8M0, "torch-decode-fnuz")                 \
    X("torch", "", "", "", "", "torch-2.12")                                                       \
    X("xla", "", "", "e5m2", SF8_XLA_ONES, "cuda-nosat")                                           \
    X("xla", "", "", "", SF8_FNUZ, "xla-fnuz")                                                     \
    X("xla", "", "", "e8m0", "f64", "xla-e8m0")                                                    \
    X("xla", "", "", "", "", "xla")                                                                \
    X("tensorflow", "", "", "e5m2", "f16", "cuda-nosat-f64")                                       \
    X("tensorflow", "", "", "", "", "ml_dtypes-direct")                                            \
    X("onnx", "", "", SF8_WIDE, "", "ml_dtypes")                                                   \
    X("onnx", "", "", "e8m0", "", "onnx-saturate-e8m0")                                            \
    X("onnx", "", "", "", "", "onnx-saturate")                                                     \
    X("onnx-nosat", "", "", "e8m0", "", "onnx-nosat-e8m0")                                         \
    X("onnx-saturate", "", "", "e8m0", "", "onnx-saturate-e8m0")                                   \
    X("onnxruntime", "", "", SF8_WIDE, "", "ml_dtypes")                                            \
    X("onnxruntime", "", "", "e8m0", "", "ort-e8m0")                                               \
    X("onnxruntime", "", "", "", "", "onnxruntime")                                                \
    X("onnxruntime-nosat", "", "", "e8m0", "", "ort-nosat-e8m0")                                   \
    X("onnxruntime-nosat", "", "", "", "bf16", "ort-nosat-bf16")                                   \
    X("openvino", "", "", "f16 f64", "e5m2", "torch-decode")                                       \
    X("openvino", "", "", "bf16 f32", "e5m2", "openvino-e5m2")                                     \
    X("openvino", "", "", SF8_WIDE, "e4m3", "ml_dtypes")                                           \
    X("openvino", "", "", SF8_WIDE, "", "ocp-nosat")                                               \
    X("openvino", "", "", "e5m2", "", "openvino-e5m2")                                             \
    X("openvino", "", "", "e2m1", "", "cutlass")                                                   \
    X("openvino", "", "", "e8m0", "", "ocp")                                                       \
    X("openvino", "", "", "e4m3", "", "openvino")                                                  \
    X("paddle", "", "", "bf16", "e4m3 e5m2", "cuda-nosat")                                         \
    X("paddle", "", "", "f16 f32", "e5m2", "openvino-e5m2")                                        \
    X("paddle", "", "", SF8_WIDE, "e4m3 e5m2", "torch-decode")                                     \
    X("paddle", "", "", "e5m2", "", "paddle-e5m2")                                                 \
    X("paddle", "", "", "e4m3", "", "paddle")                                                      \
    X("numkong", "", "", "f64", "e4m3 e5m2", "ml_dtypes")                                          \
    X("numkong", "", "", SF8_WIDE, "e5m2", "torch-decode")                                         \
    X("numkong", "", "", SF8_WIDE, "e4m3", "ocp-nosat")                                            \
    X("numkong", "", "", "e5m2", "f64", "torch-decode-fnuz")                                       \
    X("numkong", "", "", "e5m2", "", "numkong-e5m2")                                               \
    X("numkong", "", "", "e4m3", "f64", "torch-2.13")                                              \
    X("numkong", "", "", "e4m3", "", "hip-fnuz")                                                   \
    X("numkong", "", "", "", "", "cutlass")                                                        \
    X("mlx", "", "", "e4m3", "f32 f16 bf16", "fbgemm")                                             \
    X("tinygrad", "", "", "e4m3 e5m2 e4m3fnuz e5m2fnuz", "", "hip-ocp")                            \
    X("cuda", "", "", "", "f64", "cuda-satfinite-f64")                                             \
    X("cuda", "", "", "", "", "cuda-satfinite")                                                    \
    X("hip", "", "", "", "", "hip-ocp")                                                            \
    X("ggml", "", "", "ue4m3", "", "ggml-ue4m3")                                                   \
    X("p3109", "", "", "", "", "p3109-satfinite")

/* Other names of the same: an alias, and the product or policy it stands for. */
#define SF8_PRODUCT_ALIASES(X)                                                                     \
    X("pytorch", "torch")                                                                          \
    X("aten", "torch")                                                                             \
    X("jax", "xla")                                                                                \
    X("xla-cpu", "xla")                                                                            \
    X("openxla", "xla")                                                                            \
    X("tf", "tensorflow")                                                                          \
    X("numpy", "ml_dtypes")                                                                        \
    X("ort", "onnxruntime")                                                                        \
    X("paddlepaddle", "paddle")                                                                    \
    X("simsimd", "numkong")                                                                        \
    X("gguf", "ggml")                                                                              \
    X("llama.cpp", "ggml")                                                                         \
    X("ollama", "ggml")                                                                            \
    X("nvidia", "cuda")                                                                            \
    X("cuda-fp8", "cuda")                                                                          \
    X("rocm", "hip")                                                                               \
    X("amd", "hip")                                                                                \
    X("apfloat", "llvm")                                                                           \
    X("mlir", "llvm")                                                                              \
    X("ofp8", "ocp")                                                                               \
    X("spike", "riscv")                                                                            \
    X("risc-v", "riscv")                                                                           \
    X("zvfofp8min", "riscv")                                                                       \
    X("aarch64", "arm")                                                                            \
    X("qemu", "arm")                                                                               \
    X("ieee-p3109", "p3109")                                                                       \
    X("gfloat", "p3109")

#endif

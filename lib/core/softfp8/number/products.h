/* SPDX-License-Identifier: MIT */
/* products.h -- products by name, and which policy each of their conversions has
 *
 * A policy is one rule. A product often has several: PyTorch saturates when it converts to e4m3,
 * and does not when it converts to e5m2. A row here says which policy a product uses in the
 * versions from the first to the last (empty: no limit), for conversions to one of these formats
 * from one of those (empty: any; "p3109": every format of P3109). The first row that matches
 * applies. The row of the newest release
 * comes first, so that the plain name of a product means its newest release.
 */
#ifndef SOFTFP8_PRODUCTS_H
#define SOFTFP8_PRODUCTS_H

#define SF8_FNUZ "e4m3fnuz e5m2fnuz e4m3b11fnuz"
#define SF8_WIDE "f16 bf16 f32 f64"
/* The formats that a product has, and that were run. */
#define SF8_TORCH_SPECIAL "e4m3fnuz e5m2fnuz e8m0"
#define SF8_TORCH_ALL SF8_WIDE " e4m3 e5m2 " SF8_TORCH_SPECIAL
#define SF8_XLA_ALL SF8_WIDE " e4m3 e5m2 e4m3ieee e3m4 e2m1 e8m0 " SF8_FNUZ
#define SF8_ML_DTYPES_ALL SF8_XLA_ALL " e2m3 e3m2"
#define SF8_TENSORFLOW_ALL SF8_WIDE " e4m3 e5m2"
#define SF8_ORT_NARROW "e4m3 e5m2 e4m3fnuz e5m2fnuz"
#define SF8_ONNX_NARROW SF8_ORT_NARROW " e2m1"
#define SF8_OPENVINO_NARROW "e4m3 e5m2 e2m1 e8m0"
#define SF8_NUMKONG_NARROW "e4m3 e5m2 e2m3 e3m2"
#define SF8_CUDA_ALL SF8_WIDE " tf32 e4m3 e5m2 e2m3 e3m2 e2m1 e8m0 ue4m3"
/* amd_hip_fp8.h has no other narrow formats. */
#define SF8_HIP_NARROW "e4m3 e5m2 e4m3fnuz e5m2fnuz"
/* From these formats XLA converts a NaN to the e5m2 NaN with all mantissa bits. */
#define SF8_XLA_ONES "f16 bf16 e4m3 e4m3ieee e3m4 e8m0 " SF8_FNUZ

/*    product, first version, last version, to, from, policy */
#define SF8_PRODUCTS(X)                                                                            \
    X("torch", "2.13", "", "e4m3", SF8_TORCH_ALL, "torch-2.13")                                    \
    X("torch", "", "", "bf16", "e4m3 e5m2", "ocp-nosat")                                           \
    X("torch", "", "", "f16 f32 f64", "e4m3 e5m2", "torch-decode")                                 \
    X("torch", "", "", SF8_WIDE, SF8_TORCH_SPECIAL, "torch-decode-fnuz")                           \
    X("torch", "", "", SF8_TORCH_ALL, SF8_TORCH_ALL, "torch-2.12")                                 \
    X("xla", "", "", "e5m2", SF8_XLA_ONES, "cuda-nosat")                                           \
    X("xla", "", "", SF8_XLA_ALL, SF8_FNUZ, "xla-fnuz")                                            \
    X("xla", "0.12", "", "e2m3 e3m2", SF8_XLA_ALL, "xla-fp6")                                      \
    X("xla", "", "", "e8m0", "f64", "xla-e8m0")                                                    \
    X("xla", "", "", SF8_XLA_ALL, SF8_XLA_ALL, "xla")                                              \
    X("ml_dtypes", "", "", SF8_ML_DTYPES_ALL, SF8_ML_DTYPES_ALL, "ml_dtypes")                      \
    X("llvm", "", "", "e4m3", SF8_FNUZ, "llvm-fnuz")                                               \
    X("tensorflow", "", "", "e5m2", "f16", "cuda-nosat-f64")                                       \
    X("tensorflow", "", "", SF8_TENSORFLOW_ALL, SF8_TENSORFLOW_ALL, "ml_dtypes-direct")            \
    X("onnx", "", "", SF8_WIDE, SF8_ONNX_NARROW " e8m0", "ml_dtypes")                              \
    X("onnx", "", "", "e8m0", SF8_WIDE, "onnx-saturate-e8m0")                                      \
    X("onnx", "", "", SF8_ONNX_NARROW, SF8_WIDE, "onnx-saturate")                                  \
    X("onnx-nosat", "", "", "e8m0", SF8_WIDE, "onnx-nosat-e8m0")                                   \
    X("onnx-nosat", "", "", SF8_ONNX_NARROW, SF8_WIDE, "onnx-nosat")                               \
    X("onnx-saturate", "", "", "e8m0", SF8_WIDE, "onnx-saturate-e8m0")                             \
    X("onnx-saturate", "", "", SF8_ONNX_NARROW, SF8_WIDE, "onnx-saturate")                         \
    X("onnxruntime", "", "", SF8_WIDE, SF8_ORT_NARROW " e8m0", "ml_dtypes")                        \
    X("onnxruntime", "", "", "e8m0", SF8_WIDE, "ort-e8m0")                                         \
    X("onnxruntime", "", "", SF8_ORT_NARROW, SF8_WIDE, "onnxruntime")                              \
    X("onnxruntime-nosat", "", "", "e8m0", SF8_WIDE, "ort-nosat-e8m0")                             \
    X("onnxruntime-nosat", "", "", SF8_ORT_NARROW, "bf16", "ort-nosat-bf16")                       \
    X("onnxruntime-nosat", "", "", SF8_ORT_NARROW, "f16 f32 f64", "onnxruntime-nosat")             \
    X("openvino", "", "", "f16 f64", "e5m2", "torch-decode")                                       \
    X("openvino", "", "", "bf16 f32", "e5m2", "openvino-e5m2")                                     \
    X("openvino", "", "", SF8_WIDE, "e4m3", "ml_dtypes")                                           \
    X("openvino", "", "", SF8_WIDE, SF8_OPENVINO_NARROW, "ocp-nosat")                              \
    X("openvino", "", "", "e5m2", SF8_WIDE, "openvino-e5m2")                                       \
    X("openvino", "", "", "e2m1", "f16 bf16 f32", "cutlass")                                       \
    X("openvino", "", "", "e8m0", "f16 bf16 f32", "ocp")                                           \
    X("openvino", "", "", "e4m3", SF8_WIDE, "openvino")                                            \
    X("paddle", "", "", "bf16", "e4m3 e5m2", "cuda-nosat")                                         \
    X("paddle", "", "", "f16 f32", "e5m2", "openvino-e5m2")                                        \
    X("paddle", "", "", SF8_WIDE, "e4m3 e5m2", "torch-decode")                                     \
    X("paddle", "", "", "e5m2", SF8_WIDE, "paddle-e5m2")                                           \
    X("paddle", "", "", "e4m3", SF8_WIDE, "paddle")                                                \
    X("numkong", "", "", "f64", "e4m3 e5m2", "ml_dtypes")                                          \
    X("numkong", "", "", SF8_WIDE, "e5m2", "torch-decode")                                         \
    X("numkong", "", "", SF8_WIDE, "e4m3", "ocp-nosat")                                            \
    X("numkong", "", "", "e5m2", "f64", "torch-decode-fnuz")                                       \
    X("numkong", "", "", "e5m2", "f16 bf16 f32 " SF8_NUMKONG_NARROW, "numkong-e5m2")               \
    X("numkong", "", "", "e4m3", "f64", "torch-2.13")                                              \
    X("numkong", "", "", "e4m3", "f16 bf16 f32 " SF8_NUMKONG_NARROW, "hip-fnuz")                   \
    X("numkong", "", "", SF8_WIDE " e2m3 e3m2", SF8_WIDE " " SF8_NUMKONG_NARROW, "cutlass")        \
    X("mlx", "", "", "e4m3", "f32 f16 bf16", "fbgemm")                                             \
    X("tinygrad", "", "", "e4m3 e5m2 e4m3fnuz e5m2fnuz", SF8_WIDE, "hip-ocp")                      \
    X("cuda", "", "", SF8_CUDA_ALL, "f64", "cuda-satfinite-f64")                                   \
    X("cuda", "", "", SF8_CUDA_ALL, SF8_CUDA_ALL, "cuda-satfinite")                                \
    X("hip", "", "", SF8_HIP_NARROW, SF8_WIDE " " SF8_HIP_NARROW, "hip-ocp")                       \
    X("hip", "", "", SF8_WIDE, SF8_HIP_NARROW, "hip-ocp")                                          \
    X("triton-sm89", "", "", "e4m3 e5m2", "f32", "triton-sm89")                                    \
    X("ggml", "", "", "ue4m3", "f32 f16 bf16", "ggml-ue4m3")                                       \
    X("en_dtypes", "", "", "hif8", "f16 f32 f64", "en-dtypes")                                     \
    X("p3109", "", "", "p3109", "p3109 " SF8_WIDE, "p3109-satfinite")                              \
    X("p3109", "", "", SF8_WIDE, "p3109", "p3109-satfinite")

/* What the name of a product means for conversions that the product does not have: its rule for
 * others, in rows of the same kind. They are no claim about the product. */
#define SF8_PRODUCTS_ELSEWHERE(X)                                                                  \
    X("cuda", "", "", "", "f64", "cuda-satfinite-f64")                                             \
    X("cuda", "", "", "", "", "cuda-satfinite")                                                    \
    X("hip", "", "", "", "", "hip-ocp")                                                            \
    X("p3109", "", "", "", "", "p3109-satfinite")

/* Aliases: X(alias, the product or policy that it stands for). */
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
    X("gfloat", "p3109")                                                                           \
    X("SatFinite", "p3109-satfinite")                                                              \
    X("satfinite", "p3109-satfinite")                                                              \
    X("SatPropagate", "p3109-satpropagate")                                                        \
    X("satpropagate", "p3109-satpropagate")                                                        \
    X("SatNone", "p3109-satnone")                                                                  \
    X("satnone", "p3109-satnone")                                                                  \
    X("OvfInf", "p3109-4.0-satnone")                                                               \
    X("ovfinf", "p3109-4.0-satnone")

#endif

/* SPDX-License-Identifier: MIT */
/* policies.h -- the named policies
 *
 * A policy is a row: its C name and its name, the fields that differ from `ocp`, the product and
 * its versions, the formats, the origin of the rule, the evidence, and what is not established. The
 * formats are two lists: those that the product converts to by this rule, and those that it
 * converts from. An empty list means any format. A row with lists describes only some conversions
 * of its product, and is not offered as an explanation for others (sf8_policy_holds). Where an
 * implementation converts in two steps, through f32 or f16, `via` says so.
 * lib/tests/policies/test_policy_pairs.c has, for each policy, a test vector that distinguishes it
 * from the most similar ones.
 */
#ifndef SOFTFP8_NUMBER_POLICIES_H
#define SOFTFP8_NUMBER_POLICIES_H

#include "softfp8/number/policy.h"

/* conformance/records/h100, which is replayed. */
#define SF8_RECORDED_BY_H100                                                                       \
    "hardware: H100, driver 580.159.04, CUDA 13.0, our record of 2026-11-27: 0 differ; "

/* The cases cuda-host of the suite, with the headers of each of these versions. */
#define SF8_CUDA_HOST "ran on a CPU: CUDA 13.0, 13.4 and 13.5 headers on the host, "

#define SF8_FIELDS_NOSAT                                                                           \
    e.overflow = SF8_TO_SPECIAL;                                                                   \
    e.inf = SF8_TO_SPECIAL;
/* The implementation has no status flags. Therefore a lost infinity or NaN raises none here
 * either. */
#define SF8_FIELDS_SILENT                                                                          \
    e.inf_flags = SF8_LOST_NONE;                                                                   \
    e.nan_flags = SF8_LOST_NONE;
#define SF8_FIELDS_CUDA                                                                            \
    e.nan_code = SF8_NAN_ONES;                                                                     \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.negative = SF8_NEG_ABS;                                                                      \
    e.integer = SF8_INT_PTX;                                                                       \
    SF8_FIELDS_SILENT
#define SF8_FIELDS_CUDA_F64                                                                        \
    SF8_FIELDS_CUDA                                                                                \
    e.nan_code = SF8_NAN_PAYLOAD;                                                                  \
    e.nan_sign = SF8_NAN_SIGNED;
#define SF8_FIELDS_TORCH                                                                           \
    e.nan_code = SF8_NAN_ONES;                                                                     \
    e.nan_sign = SF8_NAN_SIGNED;                                                                   \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.negative = SF8_NEG_ABS;                                                                      \
    e.tie_p1 = SF8_TIE_AWAY;                                                                       \
    e.via = SF8_VIA_F32;                                                                           \
    e.above_least = SF8_ABOVE_UP;                                                                  \
    SF8_FIELDS_SILENT
#define SF8_FIELDS_ML_DTYPES                                                                       \
    e.inf = SF8_TO_SPECIAL;                                                                        \
    e.nan_sign = SF8_NAN_SIGN_BIT;                                                                 \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.missing_nan = SF8_MISSING_OPPOSITE_ZERO;                                                     \
    e.tie_p1 = SF8_TIE_AWAY;                                                                       \
    e.via = SF8_VIA_F32;                                                                           \
    e.above_least = SF8_ABOVE_UP;                                                                  \
    SF8_FIELDS_SILENT
#define SF8_FIELDS_LLVM                                                                            \
    e.overflow = SF8_TO_SPECIAL;                                                                   \
    e.inf = SF8_TO_ZERO;                                                                           \
    e.nan_code = SF8_NAN_PAYLOAD;                                                                  \
    e.nan_sign = SF8_NAN_SIGNED;                                                                   \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.missing_nan = SF8_MISSING_SIGNED_ZERO;                                                       \
    e.tie_p1 = SF8_TIE_AWAY;                                                                       \
    e.inf_flags = SF8_LOST_INEXACT;
#define SF8_FIELDS_ONNX                                                                            \
    e.nan_sign = SF8_NAN_SIGN_BIT;                                                                 \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.missing_nan = SF8_MISSING_OPPOSITE_ZERO;                                                     \
    e.negative = SF8_NEG_ABS;                                                                      \
    e.tie_p1 = SF8_TIE_AWAY;                                                                       \
    e.above_least = SF8_ABOVE_UP;                                                                  \
    e.via = SF8_VIA_F32;                                                                           \
    SF8_FIELDS_SILENT
#define SF8_FIELDS_ORT                                                                             \
    e.nan_code = SF8_NAN_ONES;                                                                     \
    e.nan_sign = SF8_NAN_SIGNED;                                                                   \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.tie_p1 = SF8_TIE_AWAY;                                                                       \
    e.via = SF8_VIA_F32;                                                                           \
    SF8_FIELDS_SILENT
/* The code of the largest number, OR-ed with the code that stands for an overflow. */
#define SF8_FIELDS_ORT_NOSAT                                                                       \
    SF8_FIELDS_ORT                                                                                 \
    SF8_FIELDS_NOSAT                                                                               \
    e.round_past_max = SF8_ROUND_PAST_MAX_NAN;                                                     \
    e.beyond_max = SF8_BEYOND_MAX_MAX;                                                             \
    e.negative = SF8_NEG_NAN_ALL;                                                                  \
    e.missing_zero = SF8_ZERO_NAN_BELOW;
#define SF8_FIELDS_OPENVINO                                                                        \
    SF8_FIELDS_NOSAT                                                                               \
    e.nan_sign = SF8_NAN_SIGNED;                                                                   \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    e.via = SF8_VIA_F32_F16;                                                                       \
    SF8_FIELDS_SILENT
/* Compared with the multiple after the largest number; a value that rounds up to that multiple does
 * not count. */
#define SF8_FIELDS_PADDLE                                                                          \
    e.nan_code = SF8_NAN_ONES;                                                                     \
    e.nan_sign = SF8_NAN_SIGNED;                                                                   \
    e.round_past_max = SF8_ROUND_PAST_MAX_NEXT;                                                    \
    e.via = SF8_VIA_F32;                                                                           \
    SF8_FIELDS_SILENT
#define SF8_FIELDS_HIP                                                                             \
    e.overflow_test = SF8_OVERFLOW_TEST_EXACT;                                                     \
    e.inf = SF8_TO_SPECIAL;                                                                        \
    e.nan_code = SF8_NAN_ONES;                                                                     \
    e.nan_sign = SF8_NAN_SIGNED;                                                                   \
    e.made_nan_sign = SF8_MADE_SIGNED;                                                             \
    SF8_FIELDS_SILENT
#define SF8_FIELDS_RISCV                                                                           \
    e.nan_code = SF8_NAN_ONES;                                                                     \
    e.quiet = 1;                                                                                   \
    e.inf_flags = SF8_LOST_NONE;                                                                   \
    e.integer = SF8_INT_MAX;
#define SF8_FIELDS_ARM                                                                             \
    e.tininess = SF8_TINY_BEFORE;                                                                  \
    e.inf_flags = SF8_LOST_NONE;
#define SF8_FIELDS_P3109                                                                           \
    e.dialect = SF8_DIALECT_P3109;                                                                 \
    SF8_FIELDS_SILENT

/* clang-format off */
#define SF8_POLICIES(X)                                                                            \
    X(ocp, "ocp",                                                                                  \
      ,                                                                                            \
      "OCP OFP8, MX", "1.0", "", "",                                                               \
      "nearest-even, the saturating conversions",                                                  \
      "document: OCP 8-bit Floating Point 1.0, section 5; document: OCP Microscaling Formats "     \
      "1.0, section 5",                                                                            \
      "sign and payload of NaN are left open there: canonical and positive here")                  \
    X(ocp_nosat, "ocp-nosat",                                                                      \
      SF8_FIELDS_NOSAT,                                                                            \
      "OCP OFP8", "1.0", "", "",                                                                   \
      "the non-saturating conversions",                                                            \
      "document: OCP 8-bit Floating Point 1.0, section 5",                                         \
      "sign and payload of NaN are left open there: canonical and positive here")                  \
    X(cuda_satfinite, "cuda-satfinite",                                                            \
      SF8_FIELDS_CUDA,                                                                             \
      "CUDA headers", "13.0 to 13.5", "", "",                                                      \
      "__NV_SATFINITE, from float, half, bfloat16 (e8m0: --round rz or ru; 13.5: or rna)",         \
      SF8_RECORDED_BY_H100 SF8_CUDA_HOST "every word of half and bfloat16, 2^18 or more of "       \
      "float, 2026-11-28",                                                                         \
      "e8m0 and ue5m3 to f32 go through bf16, so their NaN reads 7fff0000")                        \
    X(cuda_nosat, "cuda-nosat",                                                                    \
      SF8_FIELDS_CUDA SF8_FIELDS_NOSAT,                                                            \
      "CUDA headers", "13.0 to 13.5", "", "",                                                      \
      "__NV_NOSAT, from float, half, bfloat16",                                                    \
      SF8_RECORDED_BY_H100 SF8_CUDA_HOST "every word of half and bfloat16, 2^18 or more of "       \
      "float, 2026-11-28",                                                                         \
      "")                                                                                          \
    X(cuda_satfinite_f64, "cuda-satfinite-f64",                                                    \
      SF8_FIELDS_CUDA_F64,                                                                         \
      "CUDA headers", "13.0 to 13.5", "", "f64",                                                   \
      "__NV_SATFINITE, from double: keeps the NaN's sign and leading bits",                        \
      SF8_RECORDED_BY_H100 SF8_CUDA_HOST "2^18 words of double, 2026-11-28",                       \
      "")                                                                                          \
    X(cuda_nosat_f64, "cuda-nosat-f64",                                                            \
      SF8_FIELDS_CUDA_F64 SF8_FIELDS_NOSAT,                                                        \
      "CUDA headers", "13.0 to 13.5", "", "f64",                                                   \
      "__NV_NOSAT, from double",                                                                   \
      SF8_RECORDED_BY_H100 SF8_CUDA_HOST "2^18 words of double, 2026-11-28",                       \
      "")                                                                                          \
    X(ptx, "ptx",                                                                                  \
      SF8_FIELDS_CUDA,                                                                             \
      "PTX ISA", "9.0", "", "",                                                                    \
      "cvt.rn.satfinite to FP8, FP6 and FP4, cvt.rz and .rp to ue8m0",                             \
      SF8_RECORDED_BY_H100 "document: PTX ISA 9.0, cvt",                                           \
      "conversions to FP6, FP4 and ue8m0 need sm_100a, which has not run")                         \
    X(torch_2_12, "torch-2.12",                                                                    \
      SF8_FIELDS_TORCH SF8_FIELDS_NOSAT,                                                           \
      "PyTorch, CPU", "up to 2.12; from 2.13 all formats but e4m3", "", "",                        \
      "Tensor.to, overflow gives NaN or infinity",                                                 \
      "verified on a CPU: torch 2.15.0, 32 conversions, all inputs of 16 bits, 2^24 of f32, "      \
      "2^24 of f64, "                                                                              \
      "2026-11; verified on a CPU: torch 2.12.1, 40 conversions, all inputs of 16 bits, 2^24 of "  \
      "f32, "                                                                                      \
      "2^24 of f64, 2026-11; verified on a GPU: torch 2.11.0 on NVIDIA H100 80GB HBM3, 38 "        \
      "conversions, "                                                                              \
      "all inputs of 16 bits, 2^24 of f32, 2^24 of f64, 2026-11; ran on a CPU: torch 2.12.1 to "   \
      "e4m3 and "                                                                                  \
      "torch 2.15.0 to e5m2, e4m3fnuz, e5m2fnuz, e8m0, 2^32 words of float each, 2026-11-22",      \
      "")                                                                                          \
    X(torch_2_13, "torch-2.13",                                                                    \
      SF8_FIELDS_TORCH,                                                                            \
      "PyTorch, CPU", "2.13 to 2.15", "e4m3", "",                                                  \
      "Tensor.to, to e4m3 only, which saturates; other formats as torch-2.12",                     \
      "verified on a CPU: torch 2.15.0, 8 conversions, all inputs of 16 bits, 2^24 of f32, 2^24 "  \
      "of f64, "                                                                                   \
      "2026-11; ran on a CPU: torch 2.15.0, 2^32 words of float, 2026-11-22; source: "             \
      "c10/util/Float8_e4m3fn.h of 2.12.0 and 2.13.0",                                             \
      "")                                                                                          \
    X(torch_decode, "torch-decode",                                                                \
      SF8_FIELDS_TORCH SF8_FIELDS_NOSAT e.nan_code = SF8_NAN_PAYLOAD;,                             \
      "PyTorch, CPU", "2.12 to 2.15", "f16 f32 f64", "e4m3 e5m2",                                  \
      "Tensor.to, e4m3 and e5m2 to float: the NaN's mantissa bits are kept",                       \
      "verified on a CPU: torch 2.15.0, 6 conversions, 3 with known differences, all inputs, "     \
      "2026-11; "                                                                                  \
      "verified on a CPU: torch 2.12.1, 6 conversions, all inputs, 2026-11; verified on a GPU: "   \
      "torch 2.11.0 on "                                                                           \
      "NVIDIA H100 80GB HBM3, 4 conversions, 2 with known differences, all inputs, 2026-11",       \
      "to bfloat16 every NaN reads 7fc0; to float16 one value at a time 7e00 or fe00; e4m3 to "    \
      "float by torch.compile with AVX-512 7fc00000 or ffc00000; on an H100 a NaN reads 7fff in "  \
      "float16 and bfloat16, that of e5m2 7fffffff in float")                                      \
    X(torch_decode_fnuz, "torch-decode-fnuz",                                                      \
      SF8_FIELDS_TORCH SF8_FIELDS_NOSAT e.nan_code = SF8_NAN_SIGNALING;,                           \
      "PyTorch, CPU", "2.12 to 2.15", "f16 bf16 f32 f64", "e4m3fnuz e5m2fnuz e4m3b11fnuz e8m0",    \
      "Tensor.to, FNUZ and e8m0 to float: the NaN is the signaling 7f800001 (HIP too)",            \
      "verified on a CPU: torch 2.15.0, 12 conversions, all inputs, 2026-11; verified on a CPU: "  \
      "torch 2.12.1, 12 "                                                                          \
      "conversions, all inputs, 2026-11; verified on a GPU: torch 2.11.0 on NVIDIA H100 80GB "     \
      "HBM3, 6 "                                                                                   \
      "conversions, all inputs, 2026-11",                                                          \
      "to double the NaN of FNUZ reads 7ff8000020000000; on an H100 the NaN reads 7fff in "        \
      "float16 and bfloat16")                                                                      \
    X(ml_dtypes, "ml_dtypes",                                                                      \
      SF8_FIELDS_ML_DTYPES SF8_FIELDS_NOSAT e.negative = SF8_NEG_NAN;                              \
      e.missing_zero = SF8_ZERO_NAN_EXACT;,                                                        \
      "ml_dtypes", "0.6", "", "",                                                                  \
      "numpy astype from float",                                                                   \
      "verified on a CPU: ml_dtypes 0.6.0, 178 conversions, all inputs of 16 bits, 2^24 of f32, "  \
      "2^24 of "                                                                                   \
      "f64, 2026-11; verified on a CPU: ml_dtypes 0.5.4, 178 conversions, all inputs of 16 "       \
      "bits, 2^24 "                                                                                \
      "of f32, 2^24 of f64, 2026-11; verified on a CPU: ml_dtypes 0.4.1, 60 conversions, all "     \
      "inputs of "                                                                                 \
      "16 bits, 2^24 of f32, 2^24 of f64, 2026-11; verified on a CPU: ml_dtypes 0.3.2, 60 "        \
      "conversions, "                                                                              \
      "all inputs of 16 bits, 2^24 of f32, 2^24 of f64, 2026-11; verified on a CPU: ml_dtypes "    \
      "0.2.0, 60 "                                                                                 \
      "conversions, all inputs of 16 bits, 2^24 of f32, 2^24 of f64, 2026-11; ran on a CPU: "      \
      "ml_dtypes "                                                                                 \
      "0.6.0, 2^32 words of float to each of 11 formats, 2026-11-22",                              \
      "-0 operands of fnuz")                                                                       \
    X(ml_dtypes_sat, "ml_dtypes-sat",                                                              \
      SF8_FIELDS_ML_DTYPES,                                                                        \
      "ml_dtypes", "0.6", "", "",                                                                  \
      "C++ ConvertTo with kSaturate: finite overflow saturates, infinity does not",                \
      "source: ml_dtypes/include/float8.h of 0.6.0, the header alone was also compiled and run",   \
      "not reached from Python")                                                                   \
    X(llvm, "llvm",                                                                                \
      SF8_FIELDS_LLVM,                                                                             \
      "LLVM APFloat", "22", "", "",                                                                \
      "APFloat::convert, release build: infinity and NaN to FP6 and FP4 give zero",                \
      "verified on a CPU: jaxlib 0.10.2, 33 conversions, 3 with known differences, all inputs "    \
      "of 16 bits, "                                                                               \
      "2^22 of f64, 2026-11; source: llvm/lib/Support/APFloat.cpp of 22, also compiled and run "   \
      "over literal vectors",                                                                      \
      "NaN to FP6, FP4: undefined; corrupted: negatives to e8m0; status of overflow differs")      \
    X(llvm_fnuz, "llvm-fnuz",                                                                      \
      SF8_FIELDS_LLVM e.nan_sign = SF8_NAN_SIGN_BIT;,                                              \
      "LLVM APFloat", "22", "e4m3", "e4m3fnuz e5m2fnuz e4m3b11fnuz",                               \
      "APFloat::convert from FNUZ formats to e4m3, which keeps the sign bit of their NaN",         \
      "source: llvm/lib/Support/APFloat.cpp of 22.1.8, also compiled for x86-64 and run over all " \
      "inputs",                                                                                    \
      "")                                                                                          \
    X(onnx_saturate, "onnx-saturate",                                                              \
      SF8_FIELDS_ONNX,                                                                             \
      "ONNX", "1.23, opset 25", "", "",                                                            \
      "Cast, saturate=1; to e8m0 round_mode=nearest",                                              \
      "verified on a CPU: onnx 1.23.2, 20 conversions, all inputs of 16 bits, 2^24 of f32, 2^24 "  \
      "of f64, "                                                                                   \
      "2026-11; document: Operators.md of opset 25, Cast",                                         \
      "FNUZ infinity (float8.md: NaN); e8m0: the reference has infinity ff")                       \
    X(onnx_saturate_e8m0, "onnx-saturate-e8m0",                                                    \
      SF8_FIELDS_ONNX e.round = SF8_RU;,                                                           \
      "ONNX", "1.23, opset 25", "e8m0", "",                                                        \
      "Cast to e8m0, saturate=1, round_mode=up, the default of both",                              \
      "verified on a CPU: onnx 1.23.2, 4 conversions, 4 with known differences, all inputs of "    \
      "16 bits, "                                                                                  \
      "2^24 of f32, 2^24 of f64, 2026-11; document: Operators.md of opset 25, Cast",               \
      "the reference gives 01 for 2^-127 and for all below it but zero, and ff for infinity; "     \
      "here Operators.md is followed")                                                             \
    X(onnx_nosat, "onnx-nosat",                                                                    \
      SF8_FIELDS_ONNX SF8_FIELDS_NOSAT e.missing_zero = SF8_ZERO_NAN_BELOW;,                       \
      "ONNX", "1.23, opset 25", "", "",                                                            \
      "Cast, saturate=0; to e8m0 round_mode=nearest",                                              \
      "verified on a CPU: onnx 1.23.2, 20 conversions, all inputs of 16 bits, 2^24 of f32, 2^24 "  \
      "of f64, "                                                                                   \
      "2026-11; document: Operators.md of opset 25, Cast",                                         \
      "e8m0: the reference gives 00 for zero and all below 2^-127; negatives")                     \
    X(onnx_nosat_e8m0, "onnx-nosat-e8m0",                                                          \
      SF8_FIELDS_ONNX SF8_FIELDS_NOSAT e.missing_zero = SF8_ZERO_NAN_BELOW;                        \
      e.round = SF8_RU;,                                                                           \
      "ONNX", "1.23, opset 25", "e8m0", "",                                                        \
      "Cast to e8m0, saturate=0, round_mode=up, the default",                                      \
      "verified on a CPU: onnx 1.23.2, 4 conversions, 4 with known differences, all inputs of "    \
      "16 bits, "                                                                                  \
      "2^24 of f32, 2^24 of f64, 2026-11; document: Operators.md of opset 25, Cast",               \
      "the reference gives 00 for zero and 01 for all others up to 2^-127; here Operators.md "     \
      "is followed")                                                                               \
    X(cutlass, "cutlass",                                                                          \
      SF8_FIELDS_CUDA e.missing_nan = SF8_MISSING_SIGNED_MAX; e.via = SF8_VIA_F32;,                \
      "CUTLASS", "4", "", "",                                                                      \
      "host types, from float",                                                                    \
      "source: include/cutlass/float8.h and exmy_base.h of 4",                                     \
      "ue8m0 is not covered: infinity gives ff there")                                             \
    X(hip_ocp, "hip-ocp",                                                                          \
      SF8_FIELDS_HIP,                                                                              \
      "HIP", "amd_hip_fp8.h of ROCm 6 and 7", "", "",                                              \
      "software path, saturating: finite values above max, before rounding",                       \
      "source: amd_hip_fp8.h",                                                                     \
      "not modelled: |x| < 1.7e-21, a shift beyond the width; e8m0")                               \
    X(hip_nosat, "hip-nosat",                                                                      \
      SF8_FIELDS_HIP SF8_FIELDS_NOSAT,                                                             \
      "HIP", "amd_hip_fp8.h of ROCm 6 and 7", "", "",                                              \
      "software path, not saturating, OCP and FNUZ",                                               \
      "source: amd_hip_fp8.h",                                                                     \
      "not modelled: |x| < 1.7e-21, a shift beyond the width; e8m0")                               \
    X(hip_fnuz, "hip-fnuz",                                                                        \
      SF8_FIELDS_HIP e.inf = SF8_TO_MAX; e.nan = SF8_NAN_AS_MISSING;                               \
      e.missing_nan = SF8_MISSING_SIGNED_MAX;,                                                     \
      "HIP", "amd_hip_fp8.h of 2024", "e4m3fnuz e5m2fnuz", "",                                     \
      "FNUZ saturating: infinity and NaN give the largest",                                        \
      "source: amd_hip_fp8.h of 2024",                                                             \
      "later headers give 80 for both: use hip-ocp")                                               \
    X(riscv, "riscv",                                                                              \
      SF8_FIELDS_RISCV SF8_FIELDS_NOSAT,                                                           \
      "RISC-V Zvfofp8min", "0.2.1 and 0.9", "", "",                                                \
      "canonical NaN 7f, also for overflow of either sign",                                        \
      "document: RISC-V Zvfofp8min 0.2.1; document: RISC-V Zvfofp8min 0.9, a draft of the "        \
      "riscv-isa-manual with the same conversions; source: Spike, its conversions of FP8",         \
      "overflow in directed modes is disputed; widening to bf16 is another rule: NaN 7fc0 "        \
      "there")                                                                                     \
    X(riscv_sat, "riscv-sat",                                                                      \
      SF8_FIELDS_RISCV,                                                                            \
      "RISC-V Zvfofp8min", "0.2.1 and 0.9", "", "",                                                \
      "the .sat instructions",                                                                     \
      "document: RISC-V Zvfofp8min 0.2.1; document: RISC-V Zvfofp8min 0.9, a draft of the "        \
      "riscv-isa-manual with the same conversions; source: Spike, its conversions of FP8",         \
      "widening to bf16 is another rule: NaN 7fc0 there")                                          \
    X(arm, "arm",                                                                                  \
      SF8_FIELDS_ARM SF8_FIELDS_NOSAT,                                                             \
      "Arm FEAT_FP8", "FPMR.OSC = 0", "", "",                                                      \
      "default NaN, no flag for infinity",                                                         \
      "source: QEMU, target/arm and fpu, its FEAT_FP8",                                            \
      "tininess before rounding is Arm's rule elsewhere, not verified for FP8")                    \
    X(arm_sat, "arm-sat",                                                                          \
      SF8_FIELDS_ARM,                                                                              \
      "Arm FEAT_FP8", "FPMR.OSC = 1", "", "",                                                      \
      "the saturating conversions",                                                                \
      "source: QEMU, target/arm and fpu, its FEAT_FP8",                                            \
      "tininess before rounding is Arm's rule elsewhere, not verified for FP8")                    \
    X(fbgemm, "fbgemm",                                                                            \
      e.nan = SF8_NAN_AS_MISSING; e.missing_nan = SF8_MISSING_SIGNED_MAX; SF8_FIELDS_SILENT,       \
      "FBGEMM", "1.9", "", "",                                                                     \
      "float_to_hfp8, FloatToFloat8_ref: clamped first, NaN becomes the largest with its sign",    \
      "ran on a CPU: FBGEMM 1.9.0, 1.5 million words of float to e5m2, e3m4 and e4m3ieee, "        \
      "2026-11-22",                                                                                \
      "a signaling NaN gives the low byte of its word: 7f8005aa gives aa")                         \
    X(onnxruntime, "onnxruntime",                                                                  \
      SF8_FIELDS_ORT,                                                                              \
      "ONNX Runtime, CPU", "1.32", "", "",                                                         \
      "Cast, saturate=1",                                                                          \
      "verified on a CPU: onnxruntime 1.32.0, 16 conversions, all inputs of 16 bits, 2^24 of "     \
      "f32, 2^24 "                                                                                 \
      "of f64, 2026-11",                                                                           \
      "")                                                                                          \
    X(onnxruntime_e8m0, "ort-e8m0",                                                                \
      SF8_FIELDS_ORT e.round = SF8_RU;,                                                            \
      "ONNX Runtime, CPU", "1.32", "e8m0", "",                                                     \
      "Cast to e8m0, saturate=1, round_mode=up, the default of both",                              \
      "verified on a CPU: onnxruntime 1.32.0, 4 conversions, all inputs of 16 bits, 2^24 of "      \
      "f32, 2^24 "                                                                                 \
      "of f64, 2026-11",                                                                           \
      "")                                                                                          \
    X(onnxruntime_nosat, "onnxruntime-nosat",                                                      \
      SF8_FIELDS_ORT_NOSAT,                                                                        \
      "ONNX Runtime, CPU", "1.32", "", "",                                                         \
      "Cast, saturate=0: 464 to 480 NaN, 480 to 496 the largest, in e5m2 61440 to 65536 NaN",      \
      "verified on a CPU: onnxruntime 1.32.0, 12 conversions, all inputs of 16 bits, 2^24 of "     \
      "f32, 2^24 "                                                                                 \
      "of f64, 2026-11; ran on a CPU: onnxruntime 1.32.0, 2^32 words of float to e4m3 and e5m2, "  \
      "every "                                                                                     \
      "word of half, 842340 of double, 2026-11-22",                                                \
      "")                                                                                          \
    X(onnxruntime_nosat_bf16, "ort-nosat-bf16",                                                    \
      SF8_FIELDS_ORT_NOSAT e.nan_sign = SF8_NAN_POSITIVE;,                                         \
      "ONNX Runtime, CPU", "1.32", "", "bf16",                                                     \
      "Cast, saturate=0, from bfloat16, where NaN loses its sign",                                 \
      "verified on a CPU: onnxruntime 1.32.0, 4 conversions, all inputs, 2026-11",                 \
      "")                                                                                          \
    X(onnxruntime_nosat_e8m0, "ort-nosat-e8m0",                                                    \
      SF8_FIELDS_ORT_NOSAT e.round = SF8_RU; e.overflow_test = SF8_OVERFLOW_TEST_EXACT;,           \
      "ONNX Runtime, CPU", "1.32", "e8m0", "",                                                     \
      "Cast to e8m0, saturate=0, round_mode=up, the default",                                      \
      "verified on a CPU: onnxruntime 1.32.0, 4 conversions, 3 with known differences, all "       \
      "inputs of 16 "                                                                              \
      "bits, 2^24 of f32, 2^24 of f64, 2026-11",                                                   \
      "")                                                                                          \
    X(openvino, "openvino",                                                                        \
      SF8_FIELDS_OPENVINO e.nan_code = SF8_NAN_ONES;,                                              \
      "OpenVINO, CPU", "2026.4", "e4m3", "",                                                       \
      "Convert to e4m3: float goes through half, double through float and half",                   \
      "verified on a CPU: openvino 2026.4.1, 4 conversions, all inputs of 16 bits, 2^24 of f32, "  \
      "2^24 of "                                                                                   \
      "f64, 2026-11; ran on a CPU: openvino 2026.4.1, 2^32 words of float, every word of half "    \
      "and "                                                                                       \
      "bfloat16, 842340 of double, 2026-11-22",                                                    \
      "")                                                                                          \
    X(openvino_e5m2, "openvino-e5m2",                                                              \
      SF8_FIELDS_OPENVINO e.nan_code = SF8_NAN_BITS;,                                              \
      "OpenVINO, CPU", "2026.4", "e5m2", "",                                                       \
      "Convert to e5m2: a NaN whose leading bits are 0 becomes infinity",                          \
      "verified on a CPU: openvino 2026.4.1, 6 conversions, 3 with known differences, all "        \
      "inputs of 16 "                                                                              \
      "bits, 2^24 of f32, 2^24 of f64, 2026-11",                                                   \
      "its float to half is wrong just below 2^-17, 2^-16 and 2^-15: 36fffffe gives 01; from "     \
      "half the CPU plugin makes NaN quiet")                                                       \
    X(xla, "xla",                                                                                  \
      SF8_FIELDS_ML_DTYPES SF8_FIELDS_NOSAT e.negative = SF8_NEG_NAN;                              \
      e.missing_zero = SF8_ZERO_NAN_EXACT; e.missing_nan = SF8_MISSING_NEG_ZERO;                   \
      e.via = SF8_VIA_NONE;,                                                                       \
      "XLA, CPU", "jax 0.12.0", "", "",                                                            \
      "lax.convert_element_type, jitted or not, double directly",                                  \
      "verified on a CPU: jax 0.10.2, 101 conversions, all inputs of 16 bits, 2^24 of f32, "       \
      "2^24 of f64, 2026-11; verified on a CPU: jax 0.12.0.1, 101 conversions, all inputs of "     \
      "16 bits, 2^24 of f32, 2^24 of f64, 2026-11; verified on a GPU: jax 0.11.2 on NVIDIA "       \
      "H100 80GB HBM3, 110 conversions, 28 with known differences, all inputs of 16 bits, "        \
      "2^24 of f32, 2^24 of f64, 2026-11",                                                         \
      "FP6 is refused by 0.10.2; 0.12 has xla-fp6; jax 0.11.2 on an H100 converts to FP6, "        \
      "wrongly")                                                                                   \
    X(xla_fp6, "xla-fp6",                                                                          \
      SF8_FIELDS_ML_DTYPES e.via = SF8_VIA_NONE; e.overflow = e.inf = SF8_TO_ZERO;                 \
      e.nan_sign = SF8_NAN_SIGNED; e.missing_nan = SF8_MISSING_SIGNED_ZERO;,                       \
      "XLA, CPU", "jax 0.12.0", "e2m3 e3m2", "",                                                   \
      "lax.convert_element_type to FP6: overflow, infinity and NaN become zero with their sign",   \
      "verified on a CPU: jax 0.12.0.1, 26 conversions, all inputs of 16 bits, 2^24 of f32, "      \
      "2^24 of f64, 2026-11",                                                                      \
      "between FP6 formats and from them it does not compile")                                     \
    X(xla_e8m0, "xla-e8m0",                                                                        \
      SF8_FIELDS_ML_DTYPES SF8_FIELDS_NOSAT e.negative = SF8_NEG_NAN;                              \
      e.missing_zero = SF8_ZERO_NAN_BELOW; e.via = SF8_VIA_NONE;,                                  \
      "XLA, CPU", "jax 0.12.0", "e8m0", "f64",                                                     \
      "lax.convert_element_type from double to e8m0",                                              \
      "verified on a CPU: jax 0.10.2, 1 conversion, 2^24 of f64, 2026-11; verified on a CPU: "     \
      "jax 0.12.0.1, 1 conversion, 2^24 of f64, 2026-11; verified on a GPU: jax 0.11.2 on "        \
      "NVIDIA H100 80GB HBM3, 1 conversion, 2^24 of f64, 2026-11",                                 \
      "")                                                                                          \
    X(xla_fnuz, "xla-fnuz",                                                                        \
      SF8_FIELDS_ML_DTYPES SF8_FIELDS_NOSAT e.negative = SF8_NEG_NAN;                              \
      e.missing_zero = SF8_ZERO_NAN_EXACT; e.via = SF8_VIA_NONE; e.nan_sign = SF8_NAN_POSITIVE;,   \
      "XLA, CPU", "jax 0.12.0", "", "e4m3fnuz e5m2fnuz e4m3b11fnuz",                               \
      "lax.convert_element_type from FNUZ formats, whose NaN is positive",                         \
      "verified on a CPU: jax 0.10.2, 33 conversions, all inputs, 2026-11; verified on a "         \
      "CPU: jax 0.12.0.1, 33 conversions, all inputs, 2026-11; verified on a GPU: jax 0.11.2 "     \
      "on NVIDIA H100 80GB HBM3, 33 conversions, all inputs, 2026-11",                             \
      "")                                                                                          \
    X(ml_dtypes_direct, "ml_dtypes-direct",                                                        \
      SF8_FIELDS_ML_DTYPES SF8_FIELDS_NOSAT e.negative = SF8_NEG_NAN;                              \
      e.missing_zero = SF8_ZERO_NAN_EXACT; e.via = SF8_VIA_NONE;,                                  \
      "ml_dtypes", "0.6", "", "",                                                                  \
      "TYPE(x), np.array([x], TYPE) and item assignment: double directly",                         \
      "verified on a CPU: ml_dtypes 0.6.0, 11 conversions, 1 with known differences, 2^24 of "     \
      "f64, "                                                                                      \
      "2026-11; verified on a CPU: ml_dtypes 0.5.4, 11 conversions, 2^24 of f64, 2026-11; "        \
      "verified on a CPU: "                                                                        \
      "ml_dtypes 0.4.1, 5 conversions, 2^24 of f64, 2026-11; verified on a CPU: ml_dtypes "        \
      "0.3.2, 5 "                                                                                  \
      "conversions, 2^24 of f64, 2026-11; verified on a CPU: ml_dtypes 0.2.0, 5 conversions, "     \
      "2^24 of "                                                                                   \
      "f64, 2026-11",                                                                              \
      "")                                                                                          \
    X(paddle, "paddle",                                                                            \
      SF8_FIELDS_PADDLE e.nan = SF8_NAN_AS_MISSING;                                                \
      e.missing_nan = SF8_MISSING_SIGNED_MAX;,                                                     \
      "PaddlePaddle, CPU", "3.3", "e4m3", "",                                                      \
      "cast to e4m3: 464 to 480 gives NaN, above 448",                                             \
      "verified on a CPU: paddle 3.3.1, 4 conversions, all inputs of 16 bits, 2^24 of f32, 2^24 "  \
      "of f64, "                                                                                   \
      "2026-11; ran on a CPU: paddle 3.3.1, 2^32 words of float, every word of half and "          \
      "bfloat16, "                                                                                 \
      "842340 of double, 2026-11-22",                                                              \
      "")                                                                                          \
    X(paddle_e5m2, "paddle-e5m2",                                                                  \
      SF8_FIELDS_PADDLE,                                                                           \
      "PaddlePaddle, CPU", "3.3", "e5m2", "",                                                      \
      "cast to e5m2: 61440 to 65536 gives infinity, above 57344",                                  \
      "verified on a CPU: paddle 3.3.1, 4 conversions, all inputs of 16 bits, 2^24 of f32, 2^24 "  \
      "of f64, "                                                                                   \
      "2026-11",                                                                                   \
      "")                                                                                          \
    X(numkong_e5m2, "numkong-e5m2",                                                                \
      e.overflow = SF8_TO_SPECIAL; e.inf = SF8_TO_SPECIAL; e.nan = SF8_NAN_AS_MISSING;             \
      e.missing_nan = SF8_MISSING_INF; e.round_past_max = SF8_ROUND_PAST_MAX_NEXT;                 \
      e.beyond_max = SF8_BEYOND_MAX_NEXT;                                                          \
      SF8_FIELDS_SILENT,                                                                           \
      "NumKong, AVX2 and AVX-512", "7.8", "e5m2", "",                                              \
      "cast to e5m2 from float, half, bfloat16: 73728 to 122880 gives NaN, NaN gives infinity",    \
      "verified on a CPU: numkong 7.8.6, 6 conversions, 4 with known differences, all inputs of "  \
      "16 "                                                                                        \
      "bits, 2^24 of f32, 2026-11; ran on a CPU: numkong 7.8.6, 2^32 words of float, every word "  \
      "of half "                                                                                   \
      "and bfloat16, 2026-11-22",                                                                  \
      "")                                                                                          \
    X(ggml_ue4m3, "ggml-ue4m3",                                                                    \
      e.round = SF8_RNA; e.overflow_test = SF8_OVERFLOW_TEST_EXPONENT;                             \
      e.below_normal = SF8_BELOW_STAY;                                                             \
      e.nan = SF8_NAN_AS_MISSING; SF8_FIELDS_SILENT,                                               \
      "ggml, gguf", "0.19", "ue4m3", "",                                                           \
      "the encoder of ue4m3 scales: ties away, all from 248 on give 7e, just below 2^-6 07",       \
      "verified on a CPU: gguf 0.19.0, 1 conversion, 1 with known differences, 2^24 of f32, "      \
      "2026-11",                                                                                   \
      "3a7fffff, just below 2^-10, gives 01 there")                                                \
    X(triton_sm89, "triton-sm89",                                                                  \
      SF8_FIELDS_CUDA e.via = SF8_VIA_F16_RZ;,                                                     \
      "Triton, on a GPU of sm_89", "main at 0043a8d8", "e4m3 e5m2", "f32",                         \
      "tensor.to in a kernel: cvt.rz.f16.f32, then cvt.rn.satfinite from half",                    \
      "source: third_party/nvidia/lib/TritonNVIDIAGPUToLLVM/ElementwiseOpToLLVM.cpp",              \
      "it was not run; from sm_90 on Triton converts f32 at once")                                 \
    X(en_dtypes, "en-dtypes",                                                                      \
      e.round = SF8_RNA; e.via = SF8_VIA_F32; SF8_FIELDS_NOSAT SF8_FIELDS_SILENT,                  \
      "en_dtypes", "0.0.4", "hif8", "f16 f32 f64",                                                 \
      "numpy astype to hifloat8; CANN's cast to HiF8 without saturation is documented alike",      \
      "verified on a CPU: en_dtypes 0.0.4, 6 conversions, all inputs of 16 bits, 2^24 of f32, "    \
      "2^24 of f64, "                                                                              \
      "2026-11; ran on a CPU: en_dtypes 0.0.4, 2^32 words of float, 2026-11-25; document: CANN "   \
      "asc_float2hif8, rounding mode ROUND",                                                       \
      "")                                                                                          \
    X(ascend_sat, "ascend-sat",                                                                    \
      e.round = SF8_RNA; e.nan = SF8_NAN_AS_MISSING; e.missing_nan = SF8_MISSING_ZERO;             \
      SF8_FIELDS_SILENT,                                                                           \
      "CANN, Ascend 950", "asc-devkit of 2026-11", "hif8", "f16 bf16 f32",                         \
      "asc_float2hif8_rna_sat: saturates, NaN gives zero",                                         \
      "document: CANN asc_float2hif8, rounding mode ROUND, saturating",                            \
      "not run on hardware; the rounding mode HYBRID (random numbers of the device) has no row")   \
    X(p3109_satfinite, "p3109-satfinite",                                                          \
      SF8_FIELDS_P3109,                                                                            \
      "IEEE P3109", "D1 of July 2026, interim report 4.0", "", "",                                 \
      "SatFinite",                                                                                 \
      "verified on a CPU: gfloat 0.5.2, 20 conversions, all inputs of 16 bits, 2^24 of f32, "      \
      "2^24 of f64, 2026-11; document: IEEE P3109/D1 and interim report 4.0; ran on a CPU: "       \
      "gfloat 0.5.2, 11.4 million words of float in 270 cases, 2026-11-22",                        \
      "")                                                                                          \
    X(p3109_satpropagate, "p3109-satpropagate",                                                    \
      SF8_FIELDS_P3109 e.inf = SF8_TO_INF;,                                                        \
      "IEEE P3109", "D1 of July 2026, interim report 4.0", "", "",                                 \
      "SatPropagate",                                                                              \
      "verified on a CPU: pychop 0.6.2, 10 conversions, all inputs of 16 bits, 2^24 of f32, "      \
      "2026-11; document: IEEE P3109/D1 and interim report 4.0; ran on a CPU: pychop 0.6.2, 119 "  \
      "million words of float in 2160 cases, 2026-11-22",                                          \
      "")                                                                                          \
    X(p3109_satnone, "p3109-satnone",                                                              \
      SF8_FIELDS_P3109 SF8_FIELDS_NOSAT e.negative = SF8_NEG_NAN;,                                 \
      "IEEE P3109", "D1 of July 2026", "", "",                                                     \
      "SatNone: in finite formats an overflow and an infinity give NaN",                           \
      "verified on a CPU: gfloat 0.5.2, 12 conversions, all inputs of 16 bits, 2^24 of f32, "      \
      "2^24 of f64, 2026-11; document: IEEE P3109/D1, 4.7.5; ran on a CPU: gfloat 0.5.2, 11.4 "    \
      "million words of float in 270 cases, 2026-11-22",                                           \
      "the interim report 4.0 has another rule: p3109-4.0-satnone")                                \
    X(p3109_4_0_satnone, "p3109-4.0-satnone",                                                      \
      SF8_FIELDS_P3109 e.overflow = SF8_TO_INF; e.inf = SF8_TO_INF; e.negative = SF8_NEG_NAN;      \
      e.odd = SF8_ODD_BOUNDED;,                                                                    \
      "IEEE P3109", "interim report 4.0 of June 2026", "", "",                                     \
      "SatNone (OvfInf before): in finite formats both give the largest number",                   \
      "document: IEEE P3109 interim report 4.0, 4.7.5",                                            \
      "rounding to odd beyond the largest number of f16, bf16, f32 or f64 gives that number; the " \
      "report has infinity")
/* clang-format on */

#define SF8_POLICY_FUNCTION(id, name, fields, product, versions, to, from, source, evidence, open) \
    SF8_FN sf8_policy sf8_policy_##id(void)                                                        \
    {                                                                                              \
        sf8_policy e = sf8_policy_default();                                                       \
        fields return e;                                                                           \
    }
SF8_POLICIES(SF8_POLICY_FUNCTION)
#undef SF8_POLICY_FUNCTION

/* The policies as expressions that fold when inlined. */
#define SF8_OCP sf8_policy_ocp()
#define SF8_OCP_NOSAT sf8_policy_ocp_nosat()
#define SF8_CUDA_SATFINITE sf8_policy_cuda_satfinite()
#define SF8_CUDA_NOSAT sf8_policy_cuda_nosat()
#define SF8_CUDA_SATFINITE_F64 sf8_policy_cuda_satfinite_f64()
#define SF8_CUDA_NOSAT_F64 sf8_policy_cuda_nosat_f64()
#define SF8_PTX sf8_policy_ptx()
#define SF8_TORCH_2_12 sf8_policy_torch_2_12()
#define SF8_TORCH_2_13 sf8_policy_torch_2_13()
#define SF8_TORCH_DECODE sf8_policy_torch_decode()
#define SF8_TORCH_DECODE_FNUZ sf8_policy_torch_decode_fnuz()
#define SF8_ML_DTYPES sf8_policy_ml_dtypes()
#define SF8_ML_DTYPES_SAT sf8_policy_ml_dtypes_sat()
#define SF8_LLVM sf8_policy_llvm()
#define SF8_LLVM_FNUZ sf8_policy_llvm_fnuz()
#define SF8_ONNX_SATURATE sf8_policy_onnx_saturate()
#define SF8_ONNX_SATURATE_E8M0 sf8_policy_onnx_saturate_e8m0()
#define SF8_ONNX_NOSAT sf8_policy_onnx_nosat()
#define SF8_ONNX_NOSAT_E8M0 sf8_policy_onnx_nosat_e8m0()
#define SF8_CUTLASS sf8_policy_cutlass()
#define SF8_HIP_OCP sf8_policy_hip_ocp()
#define SF8_HIP_NOSAT sf8_policy_hip_nosat()
#define SF8_HIP_FNUZ sf8_policy_hip_fnuz()
#define SF8_RISCV sf8_policy_riscv()
#define SF8_RISCV_SAT sf8_policy_riscv_sat()
#define SF8_ARM sf8_policy_arm()
#define SF8_ARM_SAT sf8_policy_arm_sat()
#define SF8_FBGEMM sf8_policy_fbgemm()
#define SF8_ONNXRUNTIME sf8_policy_onnxruntime()
#define SF8_ONNXRUNTIME_E8M0 sf8_policy_onnxruntime_e8m0()
#define SF8_ONNXRUNTIME_NOSAT sf8_policy_onnxruntime_nosat()
#define SF8_ONNXRUNTIME_NOSAT_BF16 sf8_policy_onnxruntime_nosat_bf16()
#define SF8_ONNXRUNTIME_NOSAT_E8M0 sf8_policy_onnxruntime_nosat_e8m0()
#define SF8_OPENVINO sf8_policy_openvino()
#define SF8_OPENVINO_E5M2 sf8_policy_openvino_e5m2()
#define SF8_XLA sf8_policy_xla()
#define SF8_XLA_E8M0 sf8_policy_xla_e8m0()
#define SF8_XLA_FNUZ sf8_policy_xla_fnuz()
#define SF8_ML_DTYPES_DIRECT sf8_policy_ml_dtypes_direct()
#define SF8_PADDLE sf8_policy_paddle()
#define SF8_PADDLE_E5M2 sf8_policy_paddle_e5m2()
#define SF8_NUMKONG_E5M2 sf8_policy_numkong_e5m2()
#define SF8_GGML_UE4M3 sf8_policy_ggml_ue4m3()
#define SF8_TRITON_SM89 sf8_policy_triton_sm89()
#define SF8_EN_DTYPES sf8_policy_en_dtypes()
#define SF8_ASCEND_SAT sf8_policy_ascend_sat()
#define SF8_P3109_SATFINITE sf8_policy_p3109_satfinite()
#define SF8_P3109_SATPROPAGATE sf8_policy_p3109_satpropagate()
#define SF8_P3109_SATNONE sf8_policy_p3109_satnone()
#define SF8_P3109_4_0_SATNONE sf8_policy_p3109_4_0_satnone()

#endif

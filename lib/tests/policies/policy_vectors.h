/* SPDX-License-Identifier: MIT */
/* policy_vectors.h -- vectors of the policies that have no column in the tables, and decodings */
#ifndef SF8_TEST_POLICY_VECTORS_H
#define SF8_TEST_POLICY_VECTORS_H

#include "check.h"

/* clang-format off */
static const vector policy_vectors[] = {
#define PTX_DOC "PTX ISA 9.0, cvt, .satfinite"
    {"ptx", "e4m3", "f32", 0x43e80001, 0x7e, ANY, PTX_DOC}, /* beyond the largest: MAX_NORM */
    {"ptx", "e4m3", "f32", 0xff800000, 0xfe, ANY, PTX_DOC}, /* the sign is kept */
    {"ptx", "e5m2", "f32", 0x7f800000, 0x7b, ANY, PTX_DOC},
    {"ptx", "e5m2", "f32", 0xc7700000, 0xfb, ANY, PTX_DOC},
    {"ptx", "e4m3", "f32", 0x7fc00000, 0x7f, ANY, PTX_DOC}, /* NaN to NaN */
    {"ptx", "e5m2", "f16", 0x7c01, 0x7f, ANY, PTX_DOC},
    {"ptx", "e2m1", "f32", 0x7fc00000, 0x07, ANY, PTX_DOC}, /* NaN to positive MAX_NORM */
    {"ptx", "e2m1", "f32", 0xffc00000, 0x07, ANY, PTX_DOC},
    {"ptx", "e2m3", "f32", 0xffc00000, 0x1f, ANY, PTX_DOC},
    {"ptx", "e3m2", "f32", 0xffc00000, 0x1f, ANY, PTX_DOC},
    {"ptx", "e2m1", "f32", 0xff800000, 0x0f, ANY, PTX_DOC},
    {"ptx", "e2m1", "f32", 0x40a00000, 0x06, ANY, PTX_DOC}, /* rn: 5 is a tie */
    {"ptx", "e4m3", "f32", 0x3b400000, 0x02, ANY, PTX_DOC}, /* subnormals are supported */
    {"ptx round=rz", "e8m0", "f32", 0x7fc00000, 0xff, ANY, PTX_DOC},
    {"ptx round=rz", "e8m0", "f32", 0xff800000, 0xfe, ANY, PTX_DOC}, /* positive MAX_NORM */
    {"ptx round=ru", "e8m0", "f32", 0x7f7fffff, 0xfe, ANY, PTX_DOC},
    {"ptx round=ru", "e8m0", "bf16", 0x3fc0, 0x80, ANY, PTX_DOC},
    {"ptx round=rz", "e8m0", "bf16", 0x3fc0, 0x7f, ANY, PTX_DOC},

#define LLVM "LLVM 22.1.8 APFloat, compiled for x86-64, run"
    {"llvm-fnuz", "e4m3", "e4m3fnuz", 0x80, 0xff, ANY, LLVM}, /* the sign bit of NaN stays */
    {"llvm-fnuz", "e4m3", "e5m2fnuz", 0x80, 0xff, ANY, LLVM},
    {"llvm-fnuz", "e4m3", "e4m3b11fnuz", 0x80, 0xff, ANY, LLVM},
    {"llvm-fnuz", "e4m3", "e4m3fnuz", 0x40, 0x38, ANY, LLVM}, /* 1 */
    {"llvm-fnuz", "e4m3", "e4m3fnuz", 0xff, 0xf7, ANY, LLVM}, /* -240 */
    {"llvm-fnuz", "e4m3", "e5m2fnuz", 0x7f, 0x7f, ANY, LLVM}, /* 57344: an overflow */
    {"llvm-fnuz", "e4m3", "e4m3b11fnuz", 0x7f, 0x5f, ANY, LLVM}, /* 30 */
    {"llvm", "e5m2", "e4m3fnuz", 0x80, 0x7e, ANY, LLVM}, /* elsewhere it does not */
    {"llvm", "f32", "e4m3fnuz", 0x80, 0x7fc00000, ANY, LLVM},
    {"llvm", "e2m1", "f32", 0x7fc00000, 0x00, ANY, LLVM}, /* undefined there; what it gave */
    {"llvm", "e3m2", "f32", 0x7fc00000, 0x00, ANY, LLVM},

#define EN "en_dtypes 0.0.4, numpy astype"
#define CANN "CANN, asc_float2hif8_rna_sat"
    {"en-dtypes", "hif8", "f32", 0x00000000, 0x00, ANY, EN},
    {"en-dtypes", "hif8", "f32", 0x80000000, 0x00, ANY, EN}, /* there is no -0 */
    {"en-dtypes", "hif8", "f32", 0x33ffffff, 0x00, ANY, EN}, /* just below 2^-23 */
    {"en-dtypes", "hif8", "f32", 0x34000000, 0x01, ANY, EN}, /* 2^-23: away from zero */
    {"en-dtypes", "hif8", "f32", 0x34c00000, 0x02, ANY, EN}, /* 1.5 * 2^-22 */
    {"en-dtypes", "hif8", "f32", 0x3f880000, 0x09, ANY, EN}, /* 1.0625: a tie */
    {"en-dtypes", "hif8", "f32", 0xbf880000, 0x89, ANY, EN},
    {"en-dtypes", "hif8", "f32", 0x3f980000, 0x0a, ANY, EN}, /* 1.1875: a tie */
    {"en-dtypes", "hif8", "f32", 0x40840000, 0x20, ANY, EN}, /* 4.125: the step is 1/2 */
    {"en-dtypes", "hif8", "f32", 0x47200000, 0x6f, ANY, EN}, /* 1.25 * 2^15: infinity */
    {"en-dtypes", "hif8", "f32", 0x471fffff, 0x6e, ANY, EN},
    {"en-dtypes", "hif8", "f32", 0xff800000, 0xef, ANY, EN},
    {"en-dtypes", "hif8", "f32", 0x7fc00000, 0x80, ANY, EN},
    {"en-dtypes", "hif8", "f64", 0x3ff0ffffffff0000, 0x09, ANY, EN}, /* rounded to f32 first */
    {"ascend-sat", "hif8", "f32", 0x7f7fffff, 0x6e, ANY, CANN},
    {"ascend-sat", "hif8", "f32", 0xff800000, 0xee, ANY, CANN},
    {"ascend-sat", "hif8", "f32", 0x7fc00000, 0x00, ANY, CANN},
    {"ascend-sat", "hif8", "f16", 0xfc01, 0x00, ANY, CANN},
    {"ascend-sat", "hif8", "bf16", 0x4780, 0x6e, ANY, CANN},
    {"ascend-sat", "hif8", "f32", 0x3f880000, 0x09, ANY, CANN},
    {"ascend-sat", "hif8", "f32", 0x80000000, 0x00, ANY, CANN},

#define QEMU "QEMU 21da8ac7 softfloat-parts.c.inc, 0e81c215 fp8_helper.c, read"
#define ARM_TINY "Arm ARM, FPCR.AH = 0: tininess is detected before rounding"
    {"arm", "e5m2", "f32", 0x47700000, 0x7c, OF | NX, QEMU},
    {"arm", "e5m2", "f32", 0xc7700000, 0xfc, OF | NX, QEMU},
    {"arm", "e4m3", "f32", 0x43e88000, 0x7f, OF | NX, QEMU}, /* default NaN, without the sign */
    {"arm", "e4m3", "f32", 0xc3e88000, 0x7f, OF | NX, QEMU},
    {"arm", "e5m2", "f32", 0x7f800000, 0x7c, 0, QEMU},
    {"arm", "e5m2", "f32", 0xff800000, 0xfc, 0, QEMU},
    {"arm", "e4m3", "f32", 0x7f800000, 0x7f, 0, QEMU},
    {"arm", "e4m3", "f32", 0xff800000, 0x7f, 0, QEMU},
    {"arm", "e5m2", "f32", 0x7fffffff, 0x7e, 0, QEMU}, /* default NaN */
    {"arm", "e5m2", "f32", 0xffc00000, 0x7e, 0, QEMU},
    {"arm", "e5m2", "f16", 0xfc01, 0x7e, NV, QEMU},
    {"arm", "e4m3", "f32", 0x7f800001, 0x7f, NV, QEMU},
    {"arm", "f16", "e5m2", 0x7d, 0x7e00, NV, QEMU}, /* E5M2 7D is signaling */
    {"arm", "f16", "e5m2", 0xfd, 0x7e00, NV, QEMU},
    {"arm", "f16", "e5m2", 0x7e, 0x7e00, 0, QEMU},
    {"arm", "bf16", "e5m2", 0xff, 0x7fc0, 0, QEMU},
    {"arm", "bf16", "e4m3", 0xff, 0x7fc0, 0, QEMU},
    {"arm", "e4m3", "f32", 0x3c7fffff, 0x08, UF | NX, ARM_TINY},
    {"arm-sat", "e5m2", "f32", 0x47700000, 0x7b, OF | NX, QEMU},
    {"arm-sat", "e4m3", "f32", 0x43e88000, 0x7e, OF | NX, QEMU},
    {"arm-sat", "e4m3", "f32", 0xc3e88000, 0xfe, OF | NX, QEMU},
    {"arm-sat", "e5m2", "f32", 0x7f800000, 0x7b, 0, QEMU},
    {"arm-sat", "e5m2", "f32", 0xff800000, 0xfb, 0, QEMU},
    {"arm-sat", "e4m3", "f32", 0xff800000, 0xfe, 0, QEMU},
    {"arm-sat", "e5m2", "f32", 0xffffffff, 0x7e, 0, QEMU},
    {"arm-sat", "e4m3", "f32", 0xff800001, 0x7f, NV, QEMU},
    {"arm-sat", "e4m3", "f32", 0x3c7fffff, 0x08, UF | NX, ARM_TINY},

#define ML_SAT "ml_dtypes b793a6e, ConvertTo<kSaturate>, compiled and run"
    {"ml_dtypes-sat", "e4m3", "f32", 0x43fa0000, 0x7e, ANY, ML_SAT},
    {"ml_dtypes-sat", "e4m3", "f32", 0xc3fa0000, 0xfe, ANY, ML_SAT},
    {"ml_dtypes-sat", "e4m3", "f32", 0x7f800000, 0x7f, ANY, ML_SAT}, /* infinity does not */
    {"ml_dtypes-sat", "e4m3", "f32", 0xff800000, 0xff, ANY, ML_SAT},
    {"ml_dtypes-sat", "e5m2", "f32", 0x47700000, 0x7b, ANY, ML_SAT},
    {"ml_dtypes-sat", "e5m2", "f32", 0x7f800000, 0x7c, ANY, ML_SAT},
    {"ml_dtypes-sat", "e5m2", "f32", 0xff800000, 0xfc, ANY, ML_SAT},
    {"ml_dtypes-sat", "e5m2", "f32", 0xffc00000, 0xfe, ANY, ML_SAT},
    {"ml_dtypes-sat", "e4m3fnuz", "f32", 0x43fa0000, 0x7f, ANY, ML_SAT},
    {"ml_dtypes-sat", "e4m3fnuz", "f32", 0x7f800000, 0x80, ANY, ML_SAT},
    {"ml_dtypes-sat", "e2m1", "f32", 0x7f800000, 0x07, ANY, ML_SAT},
    {"ml_dtypes-sat", "e2m1", "f32", 0x7fc00000, 0x08, ANY, ML_SAT}, /* NaN to -0 */
    {"ml_dtypes-sat", "e2m1", "f32", 0xffc00000, 0x00, ANY, ML_SAT},
    {"ml_dtypes-sat", "e8m0", "f32", 0x00000000, 0x00, ANY, ML_SAT},
    {"ml_dtypes-sat", "e8m0", "f32", 0xbf800000, 0x00, ANY, ML_SAT},
    {"ml_dtypes-sat", "e8m0", "f32", 0x7f800000, 0xff, ANY, ML_SAT},

#define HIP_2024 "ROCm/clr f9f995c amd_hip_fp8.h, compiled and run"
    {"hip-fnuz", "e4m3fnuz", "f32", 0x7f800000, 0x7f, ANY, HIP_2024},
    {"hip-fnuz", "e4m3fnuz", "f32", 0xff800000, 0xff, ANY, HIP_2024},
    {"hip-fnuz", "e4m3fnuz", "f32", 0x7fc00000, 0x7f, ANY, HIP_2024},
    {"hip-fnuz", "e4m3fnuz", "f32", 0xffc00000, 0xff, ANY, HIP_2024},
    {"hip-fnuz", "e5m2fnuz", "f32", 0x7f800000, 0x7f, ANY, HIP_2024},
    {"hip-fnuz", "e5m2fnuz", "f32", 0xffc00000, 0xff, ANY, HIP_2024},
    {"hip-fnuz", "e4m3fnuz", "f32", 0x43fa0000, 0x7f, ANY, HIP_2024},
    {"hip-fnuz", "e4m3fnuz", "f32", 0xc3fa0000, 0xff, ANY, HIP_2024},
    {"hip-fnuz", "e4m3fnuz", "f32", 0x80000000, 0x00, ANY, HIP_2024},

#define TORCH "PyTorch 2.15 CPU, run"
    {"torch-decode", "f32", "e4m3", 0x7f, 0x7ff00000, ANY, TORCH},
    {"torch-decode", "f32", "e4m3", 0xff, 0xfff00000, ANY, TORCH},
    {"torch-decode", "f16", "e4m3", 0x7f, 0x7f80, ANY, TORCH},
    {"torch-decode", "f16", "e4m3", 0xff, 0xff80, ANY, TORCH},
    {"torch-decode", "f64", "e4m3", 0x7f, 0x7ffe000000000000, ANY, TORCH},
    {"torch-decode", "f32", "e5m2", 0x7c, 0x7f800000, ANY, TORCH},
    {"torch-decode", "f32", "e5m2", 0x7d, 0x7fe00000, ANY, TORCH},
    {"torch-decode", "f32", "e5m2", 0x7e, 0x7fc00000, ANY, TORCH},
    {"torch-decode", "f32", "e5m2", 0x7f, 0x7fe00000, ANY, TORCH},
    {"torch-decode", "f32", "e5m2", 0xfe, 0xffc00000, ANY, TORCH},
    {"torch-decode", "f16", "e5m2", 0x7d, 0x7f00, ANY, TORCH},
    {"torch-decode", "f64", "e5m2", 0xff, 0xfffc000000000000, ANY, TORCH},
    {"torch-decode-fnuz", "f32", "e4m3fnuz", 0x80, 0x7f800001, ANY, TORCH},
    {"torch-decode-fnuz", "f32", "e5m2fnuz", 0x80, 0x7f800001, ANY, TORCH},
    {"torch-decode-fnuz", "f32", "e8m0", 0xff, 0x7f800001, ANY, TORCH},
    {"torch-decode-fnuz", "f32", "e8m0", 0x00, 0x00400000, ANY, TORCH},
    {"torch-decode-fnuz", "f16", "e8m0", 0x00, 0x0000, ANY, TORCH},
    {"torch-decode-fnuz", "f16", "e4m3fnuz", 0x80, 0x7e00, ANY, TORCH},
    {"torch-decode-fnuz", "bf16", "e5m2fnuz", 0x80, 0x7fc0, ANY, TORCH},
    {"torch-decode-fnuz", "f64", "e4m3fnuz", 0x80, 0x7ff8000020000000, ANY, TORCH},
    {"torch-decode-fnuz", "f64", "e8m0", 0xff, 0x7ff8000020000000, ANY, TORCH},

#define ML "ml_dtypes 0.6.0, run"
    {"ml_dtypes", "f32", "e4m3", 0x7f, 0x7fc00000, ANY, ML},
    {"ml_dtypes", "f32", "e4m3", 0xff, 0xffc00000, ANY, ML},
    {"ml_dtypes", "f16", "e4m3", 0xff, 0xfe00, ANY, ML},
    {"ml_dtypes", "bf16", "e4m3", 0xff, 0xffc0, ANY, ML},
    {"ml_dtypes", "f64", "e4m3", 0xff, 0xfff8000000000000, ANY, ML},
    {"ml_dtypes", "f32", "e5m2", 0x7c, 0x7f800000, ANY, ML},
    {"ml_dtypes", "f32", "e5m2", 0x7d, 0x7fc00000, ANY, ML}, /* the payload is dropped */
    {"ml_dtypes", "f32", "e5m2", 0x7f, 0x7fc00000, ANY, ML},
    {"ml_dtypes", "f32", "e5m2", 0xfd, 0xffc00000, ANY, ML},
    {"ml_dtypes", "f16", "e5m2", 0xfc, 0xfc00, ANY, ML},
    {"ml_dtypes", "f32", "e4m3fnuz", 0x80, 0xffc00000, ANY, ML}, /* the sign bit counts */
    {"ml_dtypes", "f16", "e5m2fnuz", 0x80, 0xfe00, ANY, ML},
    {"ml_dtypes", "bf16", "e4m3b11fnuz", 0x80, 0xffc0, ANY, ML},
    {"ml_dtypes", "f64", "e4m3fnuz", 0x80, 0xfff8000000000000, ANY, ML},
    {"ml_dtypes", "f32", "e4m3ieee", 0x79, 0x7fc00000, ANY, ML},
    {"ml_dtypes", "f32", "e4m3ieee", 0xff, 0xffc00000, ANY, ML},
    {"ml_dtypes", "f32", "e3m4", 0x70, 0x7f800000, ANY, ML},
    {"ml_dtypes", "f32", "e3m4", 0x71, 0x7fc00000, ANY, ML},
    {"ml_dtypes", "f32", "e8m0", 0xff, 0x7fc00000, ANY, ML},
    {"ml_dtypes", "f32", "e8m0", 0x00, 0x00400000, ANY, ML},
    {"ml_dtypes", "f16", "e8m0", 0x00, 0x0000, ANY, ML},
    {"ml_dtypes", "bf16", "e8m0", 0x00, 0x0040, ANY, ML},

#define ONNX_DOC "ONNX Operators.md, Cast, opset 25"
#define ONNX_FP4 "ONNX float4.md, Cast"
#define ONNX_RUN "onnx 1.23.2 reference, run"
    {"onnx-saturate", "e2m1", "f32", 0x7fc00000, 0x08, ANY, ONNX_RUN},
    {"onnx-saturate", "e2m1", "f32", 0xffc00000, 0x00, ANY, ONNX_RUN},
    {"onnx-saturate", "e2m1", "f32", 0x7f800000, 0x07, ANY, ONNX_FP4},
    {"onnx-saturate", "e2m1", "f32", 0xff800000, 0x0f, ANY, ONNX_FP4},
    {"onnx-saturate", "e2m1", "f32", 0x80000000, 0x08, ANY, ONNX_FP4},
    {"onnx-saturate round=ru", "e8m0", "f32", 0x00000000, 0x00, ANY, ONNX_DOC},
    {"onnx-saturate round=ru", "e8m0", "f32", 0x7f800000, 0xfe, ANY, ONNX_DOC},
    {"onnx-nosat", "e8m0", "f32", 0x00000000, 0xff, ANY, ONNX_DOC},
    {"onnx-nosat", "e8m0", "f32", 0x7f800000, 0xff, ANY, ONNX_DOC},
    {"onnx-nosat", "e8m0", "f32", 0x00000001, 0xff, ANY, ONNX_DOC},
    {"onnx-nosat", "e8m0", "f32", 0x3fc00000, 0x80, ANY, ONNX_DOC}, /* ties up */

#define CUTLASS_HOST "CUTLASS exmy_base.h, float8.h, host, run"
    {"cutlass", "e2m1", "f32", 0x7fc00000, 0x07, ANY, CUTLASS_HOST},
    {"cutlass", "e2m1", "f32", 0xffc00000, 0x0f, ANY, CUTLASS_HOST}, /* -NaN to -max */
    {"cutlass", "e2m3", "f32", 0xffc00000, 0x3f, ANY, CUTLASS_HOST},
    {"cutlass", "e3m2", "f32", 0xffc00000, 0x3f, ANY, CUTLASS_HOST},
    {"cutlass", "e2m1", "f32", 0xff800000, 0x0f, ANY, CUTLASS_HOST},
    {"cutlass", "ue4m3", "f32", 0xc3e00000, 0x7e, ANY, CUTLASS_HOST}, /* the sign is dropped */
    {"cutlass", "f32", "e4m3", 0xff, 0x7fffffff, ANY, CUTLASS_HOST},
    {"cutlass", "f32", "e5m2", 0x7d, 0x7fffffff, ANY, CUTLASS_HOST},
};
/* clang-format on */

/* Integers to a format. */
typedef struct integer_vector {
    const char *policy;
    const char *to;
    int32_t is_unsigned;
    uint64_t in; /* two's complement where signed */
    uint64_t out;
    const char *source;
} integer_vector;

#define CUDA_INT "CUDA 13.0 headers, class constructors, host, run"
#define INT_(x) 0, (uint64_t)INT64_C(x)
#define UINT_(x) 1, UINT64_C(x)
/* clang-format off */
static const integer_vector integer_vectors[] = {
    {"cuda-satfinite", "e4m3", INT_(464), 0x7e, CUDA_INT},
    {"cuda-satfinite", "e4m3", INT_(465), 0x7e, CUDA_INT},
    {"cuda-satfinite", "e4m3", INT_(-465), 0xfe, CUDA_INT},
    {"cuda-satfinite", "e4m3", INT_(-2147483648), 0xfe, CUDA_INT},
    {"cuda-satfinite", "e4m3", UINT_(0xffffffffffffffff), 0x7e, CUDA_INT},
    {"cuda-satfinite", "e4m3", UINT_(200), 0x74, CUDA_INT},
    {"cuda-satfinite", "e4m3", INT_(1), 0x38, CUDA_INT},
    {"cuda-satfinite", "e4m3", INT_(-3), 0xc4, CUDA_INT},
    {"cuda-satfinite", "e5m2", INT_(61439), 0x7b, CUDA_INT},
    {"cuda-satfinite", "e5m2", INT_(61440), 0x7b, CUDA_INT},
    {"cuda-satfinite", "e5m2", INT_(65536), 0x7b, CUDA_INT},
    {"cuda-satfinite", "e5m2", UINT_(0xffffffffffffffff), 0x7b, CUDA_INT},
    {"cuda-satfinite", "e2m1", INT_(5), 0x06, CUDA_INT},
    {"cuda-satfinite", "e2m1", INT_(7), 0x07, CUDA_INT},
    {"cuda-satfinite", "e2m1", INT_(100), 0x07, CUDA_INT},
    {"cuda-satfinite", "e2m1", INT_(-100), 0x0f, CUDA_INT},
    {"cuda-satfinite", "e2m1", INT_(0), 0x00, CUDA_INT},
    {"cuda-satfinite", "e3m2", INT_(29), 0x1f, CUDA_INT},
    {"cuda-satfinite", "e2m3", INT_(8), 0x1f, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", INT_(0), 0x00, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", INT_(1), 0x7f, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", INT_(3), 0x81, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", INT_(-3), 0x81, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", INT_(16777217), 0x98, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", INT_(-2147483648), 0x9e, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", UINT_(4294967295), 0x9f, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", UINT_(0xffffffffffffffff), 0xbf, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", 0, UINT64_C(1) << 63, 0xbe, CUDA_INT},
    {"cuda-satfinite round=ru", "e8m0", UINT_(0x8000000000000001), 0xbf, CUDA_INT},
    {"torch-2.13", "e4m3", INT_(449), 0x7e, TORCH},
    {"torch-2.13", "e4m3", INT_(465), 0x7e, TORCH},
    {"torch-2.13", "e4m3", INT_(-1000000), 0xfe, TORCH},
    {"ml_dtypes", "e8m0", INT_(0), 0xff, ML},
    {"ml_dtypes", "e8m0", INT_(-1), 0xff, ML},
    {"ml_dtypes", "e8m0", INT_(1), 0x7f, ML},
    {"ml_dtypes", "e8m0", INT_(3), 0x81, ML},
    {"ml_dtypes", "e8m0", INT_(5), 0x81, ML},
    {"ml_dtypes", "e8m0", INT_(6), 0x82, ML},
    {"ml_dtypes", "e8m0", INT_(7), 0x82, ML},
    {"ml_dtypes", "e8m0", INT_(4611686018427387904), 0xbd, ML},
};
/* clang-format on */

#endif

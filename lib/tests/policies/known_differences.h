/* SPDX-License-Identifier: MIT */
/* known_differences.h -- cells of the tables that a policy does not reproduce
 *
 * Both halves are asserted: what the implementation gives (the cell of the table) and what the
 * policy gives. A cell that comes to agree must leave this list.
 */
#ifndef SF8_TEST_KNOWN_DIFFERENCES_H
#define SF8_TEST_KNOWN_DIFFERENCES_H

#include "matrix.h"

typedef struct known_difference {
    const char *policy, *to, *round, *from;
    uint64_t in;
    int32_t theirs, ours;
} known_difference;

typedef struct known_group {
    const char *why;
    size_t count;
    const known_difference *rows;
} known_group;

/* clang-format off */
static const known_difference fbgemm_signaling[] = {
    {"fbgemm", "e4m3", NULL, "f32", 0x7f800001, 0x01, 0x7e}, /* sNaN */
    {"fbgemm", "e4m3", NULL, "f32", 0xff800001, 0x81, 0xfe}, /* -sNaN */
    {"fbgemm", "e5m2", NULL, "f32", 0x7f800001, 0x01, 0x7b}, /* sNaN */
    {"fbgemm", "e5m2", NULL, "f32", 0xff800001, 0x81, 0xfb}, /* -sNaN */
    {"fbgemm", "e4m3ieee", NULL, "f32", 0x7f800001, 0x01, 0x77}, /* sNaN */
    {"fbgemm", "e4m3ieee", NULL, "f32", 0xff800001, 0x81, 0xf7}, /* -sNaN */
};

static const known_difference onnx_e8m0[] = {
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00000000, 0x00, 0xff}, /* 0 */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00000000, 0x00, 0xff}, /* 0 */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00000000, 0x00, 0xff}, /* 0 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x80000000, 0x00, 0xff}, /* -0 */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x80000000, 0x00, 0xff}, /* -0 */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x80000000, 0x00, 0xff}, /* -0 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00000001, 0x01, 0x00}, /* minsub */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00000001, 0x01, 0xff}, /* minsub */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00000001, 0x00, 0xff}, /* minsub */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00000001, 0x00, 0xff}, /* minsub */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00000200, 0x01, 0x00}, /* 2^-140 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00000200, 0x01, 0xff}, /* 2^-140 */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00000200, 0x00, 0xff}, /* 2^-140 */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00000200, 0x00, 0xff}, /* 2^-140 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00100000, 0x01, 0x00}, /* 2^-129 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00100000, 0x01, 0xff}, /* 2^-129 */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00100000, 0x00, 0xff}, /* 2^-129 */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00100000, 0x00, 0xff}, /* 2^-129 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00200000, 0x01, 0x00}, /* 2^-128 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00200000, 0x01, 0xff}, /* 2^-128 */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00200000, 0x00, 0xff}, /* 2^-128 */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00200000, 0x00, 0xff}, /* 2^-128 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00200001, 0x01, 0x00}, /* 2^-128+ulp */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00200001, 0x01, 0xff}, /* 2^-128+ulp */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00200001, 0x00, 0xff}, /* 2^-128+ulp */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00200001, 0x00, 0xff}, /* 2^-128+ulp */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00300000, 0x01, 0x00}, /* 0.75*2^-127 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00300000, 0x01, 0xff}, /* 0.75*2^-127 */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x00300000, 0x00, 0xff}, /* 0.75*2^-127 */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x00300000, 0x00, 0xff}, /* 0.75*2^-127 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x003fffff, 0x01, 0x00}, /* 2^-127-ulp */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x003fffff, 0x01, 0xff}, /* 2^-127-ulp */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x003fffff, 0x00, 0xff}, /* 2^-127-ulp */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x003fffff, 0x00, 0xff}, /* 2^-127-ulp */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x00400000, 0x01, 0x00}, /* 2^-127 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x00400000, 0x01, 0x00}, /* 2^-127 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x7f800000, 0xff, 0xfe}, /* +Inf */
    {"onnx-saturate", "e8m0", "rz", "f32", 0x7f800000, 0xff, 0xfe}, /* +Inf */
    {"onnx-saturate", "e8m0", "rne", "f32", 0x7f800000, 0xff, 0xfe}, /* +Inf */
    {"onnx-saturate", "e8m0", "ru", "f32", 0xff800000, 0xff, 0xfe}, /* -Inf */
    {"onnx-saturate", "e8m0", "rz", "f32", 0xff800000, 0xff, 0xfe}, /* -Inf */
    {"onnx-saturate", "e8m0", "rne", "f32", 0xff800000, 0xff, 0xfe}, /* -Inf */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x80400000, 0x01, 0x00}, /* -2^-127 */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x80400000, 0x01, 0x00}, /* -2^-127 */
    {"onnx-saturate", "e8m0", "ru", "f32", 0x80000001, 0x01, 0x00}, /* -minsub */
    {"onnx-nosat", "e8m0", "ru", "f32", 0x80000001, 0x01, 0xff}, /* -minsub */
    {"onnx-nosat", "e8m0", "rz", "f32", 0x80000001, 0x00, 0xff}, /* -minsub */
    {"onnx-nosat", "e8m0", "rne", "f32", 0x80000001, 0x00, 0xff}, /* -minsub */
};

static const known_difference llvm_e8m0_negative[] = {
    {"llvm", "e8m0", NULL, "f32", 0xff800000, 0xff, 0x00}, /* -Inf */
    {"llvm", "e8m0", NULL, "f32", 0xbf800000, 0xff, 0x00}, /* -1 */
    {"llvm", "e8m0", NULL, "f32", 0xbfc00000, 0x80, 0x00}, /* -1.5 */
    {"llvm", "e8m0", NULL, "f32", 0x80400000, 0x80, 0x00}, /* -2^-127 */
    {"llvm", "e8m0", NULL, "f32", 0xff7fffff, 0xff, 0x00}, /* -FLT_MAX */
    {"llvm", "e8m0", NULL, "f32", 0xc2c80000, 0x86, 0x00}, /* -100 */
    {"llvm", "e8m0", NULL, "f32", 0xc3e80001, 0x88, 0x00}, /* -(464+ulp) */
    {"llvm", "e8m0", NULL, "f32", 0xc7700000, 0x8f, 0x00}, /* -61440 */
    {"llvm", "e8m0", NULL, "f32", 0xc3fa0000, 0x88, 0x00}, /* -500 */
    {"llvm", "e8m0", NULL, "f32", 0xb5800000, 0xeb, 0x00}, /* -2^-20 */
    {"llvm", "e8m0", NULL, "f32", 0xba800000, 0xf5, 0x00}, /* -2^-10 */
    {"llvm", "e8m0", "rz", "f32", 0xff7fffff, 0xfe, 0x00}, /* -FLT_MAX */
    {"llvm", "e8m0", "rz", "f32", 0xff800000, 0xff, 0x00}, /* -Inf */
    {"llvm", "e8m0", "rz", "f32", 0xb5800000, 0xeb, 0x00}, /* -2^-20 */
    {"llvm", "e8m0", "ru", "f32", 0xff7fffff, 0xfe, 0x00}, /* -FLT_MAX */
    {"llvm", "e8m0", "ru", "f32", 0xff800000, 0xff, 0x00}, /* -Inf */
    {"llvm", "e8m0", "ru", "f32", 0xb5800000, 0xeb, 0x00}, /* -2^-20 */
    {"llvm", "e8m0", "rd", "f32", 0xff7fffff, 0xff, 0x00}, /* -FLT_MAX */
    {"llvm", "e8m0", "rd", "f32", 0xff800000, 0xff, 0x00}, /* -Inf */
    {"llvm", "e8m0", "rd", "f32", 0xb5800000, 0xeb, 0x00}, /* -2^-20 */
    {"llvm", "e8m0", "rna", "f32", 0xff7fffff, 0xff, 0x00}, /* -FLT_MAX */
    {"llvm", "e8m0", "rna", "f32", 0xff800000, 0xff, 0x00}, /* -Inf */
    {"llvm", "e8m0", "rna", "f32", 0xb5800000, 0xeb, 0x00}, /* -2^-20 */
};

static const known_difference gfloat_nan[] = {
    {"ocp", "e4m3", NULL, "f64", 0x7ff8000000000000, 0xff, 0x7f}, /* NaN */
    {"ocp", "e5m2", NULL, "f64", 0x7ff8000000000000, 0xff, 0x7e}, /* NaN */
    {"ocp", "e4m3", NULL, "f64", 0xfff8000000000000, 0xff, 0x7f}, /* -NaN */
    {"ocp", "e5m2", NULL, "f64", 0xfff8000000000000, 0xff, 0x7e}, /* -NaN */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x407d000020000000, 0xff, 0x7f}, /* 464.00003 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x407e000000000000, 0xff, 0x7f}, /* 480 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40e8000000000000, 0xff, 0x7f}, /* 49152 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40ea000000000000, 0xff, 0x7f}, /* 53248 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40ea000020000000, 0xff, 0x7f}, /* 53248.004 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40ec000000000000, 0xff, 0x7f}, /* 57344 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40edffffe0000000, 0xff, 0x7f}, /* 61439.996 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40ee000000000000, 0xff, 0x7f}, /* 61440 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x40f0000000000000, 0xff, 0x7f}, /* 65536 */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x47efffffe0000000, 0xff, 0x7f}, /* FLT_MAX */
    {"ocp-nosat", "e4m3", NULL, "f64", 0xc7efffffe0000000, 0xff, 0x7f}, /* -FLT_MAX */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x7ff0000000000000, 0xff, 0x7f}, /* Inf */
    {"ocp-nosat", "e4m3", NULL, "f64", 0xfff0000000000000, 0xff, 0x7f}, /* -Inf */
    {"ocp-nosat", "e4m3", NULL, "f64", 0x7ff8000000000000, 0xff, 0x7f}, /* NaN */
    {"ocp-nosat", "e5m2", NULL, "f64", 0x7ff8000000000000, 0xff, 0x7e}, /* NaN */
    {"ocp-nosat", "e4m3", NULL, "f64", 0xfff8000000000000, 0xff, 0x7f}, /* -NaN */
    {"ocp-nosat", "e5m2", NULL, "f64", 0xfff8000000000000, 0xff, 0x7e}, /* -NaN */
};

static const known_difference gfloat_e8m0[] = {
    {"ocp", "e8m0", NULL, "f64", 0x0000000000000000, 0xff, 0x00}, /* 0 */
    {"ocp", "e8m0", NULL, "f64", 0x8000000000000000, 0xff, 0x00}, /* -0 */
    {"ocp", "e8m0", NULL, "f64", 0xc7efffffe0000000, 0xff, 0x00}, /* -FLT_MAX */
    {"ocp", "e8m0", NULL, "f64", 0xfff0000000000000, 0xfe, 0x00}, /* -Inf */
    {"ocp", "e8m0", NULL, "f64", 0x37f0000000000000, 0xff, 0x00}, /* 2^-128 */
    {"ocp", "e8m0", NULL, "f64", 0xbff0000000000000, 0xff, 0x00}, /* -1 */
    {"ocp", "e8m0", NULL, "f64", 0xbeb0000000000000, 0xff, 0x00}, /* -2^-20 */
    {"ocp", "e8m0", NULL, "f64", 0xbff8000000000000, 0xff, 0x00}, /* -1.5 */
    {"ocp-nosat", "e8m0", NULL, "f64", 0x0000000000000000, 0xff, 0x00}, /* 0 */
    {"ocp-nosat", "e8m0", NULL, "f64", 0x8000000000000000, 0xff, 0x00}, /* -0 */
    {"ocp-nosat", "e8m0", NULL, "f64", 0xc7efffffe0000000, 0xff, 0x00}, /* -FLT_MAX */
    {"ocp-nosat", "e8m0", NULL, "f64", 0xfff0000000000000, 0xff, 0x00}, /* -Inf */
    {"ocp-nosat", "e8m0", NULL, "f64", 0x37f0000000000000, 0xff, 0x00}, /* 2^-128 */
    {"ocp-nosat", "e8m0", NULL, "f64", 0xbff0000000000000, 0xff, 0x00}, /* -1 */
    {"ocp-nosat", "e8m0", NULL, "f64", 0xbeb0000000000000, 0xff, 0x00}, /* -2^-20 */
    {"ocp-nosat", "e8m0", NULL, "f64", 0xbff8000000000000, 0xff, 0x00}, /* -1.5 */
};

static const known_difference gfloat_unsigned[] = {
    {"p3109-satfinite", "p3109_k8p4uf", NULL, "f64", 0xc7efffffe0000000, 0xff, 0x00}, /* -FLT_MAX */
    {"p3109-satfinite", "p3109_k8p1uf", NULL, "f64", 0xc7efffffe0000000, 0xff, 0x00}, /* -FLT_MAX */
    {"p3109-satfinite", "p3109_k8p4ue", NULL, "f64", 0xfff0000000000000, 0xfd, 0x00}, /* -Inf */
    {"p3109-satfinite", "p3109_k8p4uf", NULL, "f64", 0xfff0000000000000, 0xfe, 0x00}, /* -Inf */
    {"p3109-satfinite", "p3109_k8p1uf", NULL, "f64", 0xfff0000000000000, 0xfe, 0x00}, /* -Inf */
    {"p3109-satfinite", "p3109_k8p1ue", NULL, "f64", 0xfff0000000000000, 0xfd, 0x00}, /* -Inf */
    {"p3109-satfinite", "p3109_k8p4uf", NULL, "f64", 0xbff0000000000000, 0xff, 0x00}, /* -1 */
    {"p3109-satfinite", "p3109_k8p1uf", NULL, "f64", 0xbff0000000000000, 0xff, 0x00}, /* -1 */
    {"p3109-satfinite", "p3109_k8p1uf", NULL, "f64", 0xbeb0000000000000, 0xff, 0x00}, /* -2^-20 */
    {"p3109-satfinite", "p3109_k8p4uf", NULL, "f64", 0xbff8000000000000, 0xff, 0x00}, /* -1.5 */
    {"p3109-satfinite", "p3109_k8p1uf", NULL, "f64", 0xbff8000000000000, 0xff, 0x00}, /* -1.5 */
    {"p3109-satnone", "p3109_k8p4ue", NULL, "f64", 0xfff0000000000000, 0xfe, 0xff}, /* -Inf */
    {"p3109-satnone", "p3109_k8p1ue", NULL, "f64", 0xfff0000000000000, 0xfe, 0xff}, /* -Inf */
};

static const known_group known_groups[] = {
    {"FBGEMM: fminf quiets a signaling NaN and its low bits leak; the C library decides",
     COUNT(fbgemm_signaling), fbgemm_signaling},
    {"ONNX reference, e8m0: an exponent field trick; the policy follows Operators.md",
     COUNT(onnx_e8m0), onnx_e8m0},
    {"LLVM, e8m0: the sign is ORed into the exponent",
     COUNT(llvm_e8m0_negative), llvm_e8m0_negative},
    {"gfloat gives OCP NaN the code ff, also for an overflow; OCP leaves sign and payload open",
     COUNT(gfloat_nan), gfloat_nan},
    {"gfloat, e8m0: zero, negative values and those that round to zero are NaN",
     COUNT(gfloat_e8m0), gfloat_e8m0},
    {"gfloat, unsigned P3109: negative values give NaN in every mode, -inf loses its sign",
     COUNT(gfloat_unsigned), gfloat_unsigned},
};

/* LLVM's status differs from the flags by rule; the number of cells of the tables that show it. */
typedef struct flag_difference {
    const char *to; /* NULL: every format not named above it */
    uint32_t theirs, ours;
    size_t cells;
    const char *why;
} flag_difference;

static const flag_difference llvm_flags[] = {
    {"e2m1", 0x01, 0x05, 88, "overflow of a format without infinity and NaN is inexact alone"},
    {"e2m3", 0x01, 0x05, 82, "the same"},
    {"e3m2", 0x01, 0x05, 71, "the same"},
    {NULL, 0x01, 0x05, 92, "overflow that is rounded toward zero is inexact alone"},
    {"e2m1", 0x00, 0x01, 10, "infinity that becomes zero raises nothing"},
    {"e2m3", 0x00, 0x01, 10, "the same"},
    {"e3m2", 0x00, 0x01, 10, "the same"},
    {"e2m1", 0x01, 0x03, 1, "a tiny value that rounds to a normal one is not an underflow"},
    {"e8m0", 0x00, 0x03, 2, "zero becomes 2^-127 and raises nothing"},
    {"e8m0", 0x01, 0x03, 2, "a value that rounds to 2^-127 from below is not an underflow"},
    {"e8m0", 0x03, 0x10, 1, "a tiny negative value is an underflow"},
    {NULL, 0x01, 0x00, 3, "-0 to FNUZ is inexact"},
};
/* clang-format on */

#endif

/* SPDX-License-Identifier: MIT */
/* units.h -- the matrix units: what each does with which formats
 *
 * There is one row for each unit and each kind of operands and results, with these columns: the
 * name; the formats of the operands; the format of the result; the products of one instruction, and
 * of one fused sum; the fraction bits of a term; the exponent of a zero; the format a sum is
 * rounded to, and how; the sign of a sum that rounds to zero; the order; the format of the scales,
 * their block and group; the product, which model of it, and the instruction; the evidence; what is
 * not established.
 *
 * Operands "f16 bf16" means both of the same format; "e4m3+e5m2" means any combination of them.
 * "e8m13" is f32 with 13 bits of mantissa; the other bits are 0.
 *
 * The evidence is either results of real units that others published, which the row reproduces bit
 * for bit, or a model that others published and that was run beside the row.
 */
#ifndef SOFTFP8_MMA_UNITS_H
#define SOFTFP8_MMA_UNITS_H

#define SF8_MMA_FP8 "e4m3+e5m2"
#define SF8_MMA_FP864 "e4m3+e5m2+e2m1+e3m2+e2m3"

#define SF8_MMA_REPLAYED(gpus)                                                                     \
    "hardware: " gpus ", results of MATLAB-tensor-core at b12b5a7, replayed: 0 differ"
#define SF8_MMA_PUBLISHED                                                                          \
    "ran on a CPU: MMA-Sim at c785138, about 120000 rows over all units it shares, 2026-11-22"

/* conformance/records/h100, which is replayed. */
#define SF8_MMA_RECORDED "hardware: H100, driver 580.159.04, our record of 2026-11-27: 0 differ"
#define SF8_MMA_TINY "the sign of a sum that rounds to zero: +0 on Hopper, -0 by MMA-Sim"

/*    name, operands, out, k, length, fraction, zero, sum, round, underflow, order, scale, block,
 *    group, product, versions, source, evidence, open */
#define SF8_MMA_UNITS_F16(X)                                                                       \
    X("volta-hmma", "f16", "f32", 4, 4, 23, -131, "f32", "rz", "signed", "fused", "", 0, 0,        \
      "NVIDIA Volta tensor cores", "V100", "HMMA.884",                                             \
      SF8_MMA_REPLAYED("V100"), "")                                                                \
    X("volta-hmma", "f16", "f16", 4, 4, 23, -20, "f16", "rne", "signed", "fused", "", 0, 0,        \
      "NVIDIA Volta tensor cores", "V100", "HMMA.884",                                             \
      SF8_MMA_REPLAYED("V100"), SF8_MMA_TINY)                                                      \
    X("turing-hmma", "f16", "f32", 8, 8, 24, -132, "f32", "rz", "signed", "fused", "", 0, 0,       \
      "NVIDIA Turing tensor cores", "T4", "HMMA.1688",                                             \
      SF8_MMA_PUBLISHED, "")                                                                       \
    X("turing-hmma", "f16", "f16", 8, 8, 24, -21, "f16", "rne", "signed", "fused", "", 0, 0,       \
      "NVIDIA Turing tensor cores", "T4", "HMMA.1688",                                             \
      SF8_MMA_PUBLISHED, SF8_MMA_TINY)                                                             \
    X("ampere-hmma", "f16 bf16", "f32", 16, 8, 24, -132, "f32", "rz", "signed",                    \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Ampere tensor cores", "A100, A2", "HMMA.16816",                                      \
      SF8_MMA_REPLAYED("A100, A2"), SF8_MMA_TINY)                                                  \
    X("ampere-hmma", "tf32", "f32", 8, 4, 24, -132, "f32", "rz", "signed", "fused", "", 0, 0,      \
      "NVIDIA Ampere tensor cores", "A100, A2", "HMMA.1688",                                       \
      SF8_MMA_REPLAYED("A100, A2"), SF8_MMA_TINY)                                                  \
    X("ampere-hmma", "f16", "f16", 16, 8, 24, -21, "f16", "rne", "signed", "fused", "", 0, 0,      \
      "NVIDIA Ampere tensor cores", "A100, A2", "HMMA.16816",                                      \
      SF8_MMA_REPLAYED("A100, A2"),                                                                \
      "the exponent of zero: -21, or -20; " SF8_MMA_TINY)                                          \
    X("ada-hmma", "f16 bf16", "f32", 16, 8, 24, -132, "f32", "rz", "signed", "fused", "", 0, 0,    \
      "NVIDIA Ada tensor cores", "Ada, L40S", "HMMA.16816",                                        \
      SF8_MMA_REPLAYED("Ada, L40S"), SF8_MMA_TINY)                                                 \
    X("ada-hmma", "tf32", "f32", 8, 4, 24, -132, "f32", "rz", "signed", "fused", "", 0, 0,         \
      "NVIDIA Ada tensor cores", "Ada, L40S", "HMMA.1688",                                         \
      SF8_MMA_REPLAYED("Ada, L40S"), SF8_MMA_TINY)                                                 \
    X("ada-hmma", "f16", "f16", 16, 8, 24, -21, "f16", "rne", "signed", "fused", "", 0, 0,         \
      "NVIDIA Ada tensor cores", "Ada, L40S", "HMMA.16816",                                        \
      SF8_MMA_REPLAYED("Ada, L40S"),                                                               \
      "the exponent of zero: -21, or -20; " SF8_MMA_TINY)                                          \
    X("hopper-hmma", "f16 bf16", "f32", 16, 16, 25, -133, "f32", "rz", "positive",                 \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "H100, H200", "HMMA.16816",                                    \
      SF8_MMA_REPLAYED("H100, H200") "; " SF8_MMA_RECORDED, "")                                    \
    X("hopper-hmma", "tf32", "f32", 8, 8, 25, -133, "f32", "rz", "positive", "fused", "", 0, 0,    \
      "NVIDIA Hopper tensor cores", "H100, H200", "HMMA.1688",                                     \
      SF8_MMA_REPLAYED("H100, H200") "; " SF8_MMA_RECORDED, "")                                    \
    X("hopper-hmma", "f16", "f16", 16, 16, 25, -21, "f16", "rne", "positive", "fused", "", 0, 0,   \
      "NVIDIA Hopper tensor cores", "H100, H200", "HMMA.16816",                                    \
      SF8_MMA_REPLAYED("H100, H200") "; " SF8_MMA_RECORDED, "")                                    \
    X("hopper-hgmma", "f16 bf16", "f32", 16, 16, 25, -133, "f32", "rz", "positive",                \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "sm_90a", "wgmma, HGMMA",                                      \
      SF8_MMA_RECORDED, "")                                                                        \
    X("hopper-hgmma", "tf32", "f32", 8, 8, 25, -133, "f32", "rz", "positive", "fused", "", 0, 0,   \
      "NVIDIA Hopper tensor cores", "sm_90a", "wgmma, HGMMA",                                      \
      SF8_MMA_RECORDED, "")                                                                        \
    X("hopper-hgmma", "f16", "f16", 16, 16, 25, -133, "f16", "rne", "positive",                    \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "sm_90a", "wgmma, HGMMA",                                      \
      SF8_MMA_RECORDED, "")                                                                        \
    X("blackwell-hmma", "f16 bf16", "f32", 16, 16, 25, -133, "f32", "rz", "signed",                \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Blackwell tensor cores", "B200", "HMMA.16816",                                       \
      SF8_MMA_REPLAYED("B200"), SF8_MMA_TINY)                                                      \
    X("blackwell-hmma", "tf32", "f32", 8, 8, 25, -133, "f32", "rz", "signed", "fused", "", 0, 0,   \
      "NVIDIA Blackwell tensor cores", "B200", "HMMA.1688",                                        \
      SF8_MMA_REPLAYED("B200"),                                                                    \
      "more than 4 products that are not zero; " SF8_MMA_TINY)                                     \
    X("blackwell-hmma", "f16", "f16", 16, 16, 25, -22, "f16", "rne", "signed", "fused", "", 0, 0,  \
      "NVIDIA Blackwell tensor cores", "B200", "HMMA.16816",                                       \
      SF8_MMA_REPLAYED("B200"),                                                                    \
      "the exponent of zero; " SF8_MMA_TINY)

#define SF8_MMA_UNITS_FP8(X)                                                                       \
    X("ada-qmma", SF8_MMA_FP8, "f32", 32, 16, 13, -132, "e8m13", "rz", "signed",                   \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Ada tensor cores", "Ada, L40S", "mma.sync, QMMA.16832",                              \
      SF8_MMA_REPLAYED("Ada, L40S"), "")                                                           \
    X("ada-qmma", SF8_MMA_FP8, "f16", 32, 16, 13, -21, "f16", "rne", "signed", "fused", "", 0, 0,  \
      "NVIDIA Ada tensor cores", "Ada", "mma.sync, QMMA.16832",                                    \
      SF8_MMA_REPLAYED("Ada"),                                                                     \
      "the exponent of zero: -21, or -132; " SF8_MMA_TINY)                                         \
    X("hopper-qgmma", SF8_MMA_FP8, "f32", 32, 32, 13, -133, "e8m13", "rz", "positive",             \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "H100, H200", "wgmma, QGMMA.64xNx32",                          \
      SF8_MMA_REPLAYED("H100, H200") "; " SF8_MMA_RECORDED, "")                                    \
    X("hopper-qgmma", SF8_MMA_FP8, "f16", 32, 32, 13, -133, "f16", "rne", "positive",              \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "sm_90a", "wgmma, QGMMA.64xNx32",                              \
      SF8_MMA_RECORDED, "")                                                                        \
    X("hopper-mma-fp8", SF8_MMA_FP8, "f32", 32, 16, 25, -133, "f32", "rz", "positive",             \
      "chain", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "H100, H200", "mma.sync, two HMMA and FADD by ptxas 13.0",     \
      SF8_MMA_REPLAYED("H100, H200") "; " SF8_MMA_RECORDED,                                        \
      "the order by other ptxas: 12.4 makes them independent")                                     \
    X("hopper-mma-fp8", SF8_MMA_FP8, "f16", 32, 16, 25, -21, "f16", "rne", "positive",             \
      "chain", "", 0, 0,                                                                           \
      "NVIDIA Hopper tensor cores", "H100, H200", "mma.sync, two HMMA and HADD2 by ptxas 13.0",    \
      SF8_MMA_REPLAYED("H100, H200") "; " SF8_MMA_RECORDED,                                        \
      "the order by other ptxas")                                                                  \
    X("blackwell-mma-fp8", SF8_MMA_FP8, "f32", 32, 16, 25, -133, "f32", "rz", "signed",            \
      "chain", "", 0, 0,                                                                           \
      "NVIDIA Blackwell tensor cores", "B200", "mma.sync, two HMMA and FADD by ptxas 13.0",        \
      SF8_MMA_REPLAYED("B200"),                                                                    \
      "the order by other ptxas")                                                                  \
    X("blackwell-mma-fp8", SF8_MMA_FP8, "f16", 32, 16, 25, -22, "f16", "rne", "signed",            \
      "chain", "", 0, 0,                                                                           \
      "NVIDIA Blackwell tensor cores", "B200", "mma.sync, two HMMA and HADD2 by ptxas 13.0",       \
      SF8_MMA_REPLAYED("B200"),                                                                    \
      "the order by other ptxas; the exponent of zero; " SF8_MMA_TINY)                             \
    X("blackwell-tcgen05", SF8_MMA_FP864, "f32", 32, 32, 25, -133, "f32", "rz", "signed",          \
      "fused", "", 0,                                                                              \
      0,                                                                                           \
      "NVIDIA Blackwell tensor cores", "sm_100a", "tcgen05 kind::f8f6f4",                          \
      SF8_MMA_PUBLISHED,                                                                           \
      "e3m2 and e2m3")                                                                             \
    X("blackwell-tcgen05", SF8_MMA_FP864, "f16", 32, 32, 25, -133, "f16", "rne", "signed",         \
      "fused", "",                                                                                 \
      0, 0,                                                                                        \
      "NVIDIA Blackwell tensor cores", "sm_100a", "tcgen05 kind::f8f6f4",                          \
      SF8_MMA_PUBLISHED,                                                                           \
      "e3m2 and e2m3; " SF8_MMA_TINY)                                                              \
    X("sm120-qmma", SF8_MMA_FP864, "f32", 32, 32, 25, -133, "f32", "rz", "signed",                 \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Blackwell tensor cores", "sm_120a", "mma kind::f8f6f4",                              \
      SF8_MMA_PUBLISHED,                                                                           \
      "e3m2 and e2m3")                                                                             \
    X("sm120-qmma", SF8_MMA_FP864, "f16", 32, 32, 25, -22, "f16", "rne", "signed",                 \
      "fused", "", 0, 0,                                                                           \
      "NVIDIA Blackwell tensor cores", "sm_120a", "mma kind::f8f6f4",                              \
      SF8_MMA_PUBLISHED,                                                                           \
      "e3m2 and e2m3; " SF8_MMA_TINY)                                                              \
    X("sm120-mxf8f6f4", SF8_MMA_FP864, "f32", 32, 32, 25, -133, "f32", "rz", "signed", "fused",    \
      "e8m0",                                                                                      \
      32, 0,                                                                                       \
      "NVIDIA Blackwell tensor cores", "sm_120a", "mma kind::mxf8f6f4, tcgen05 likewise",          \
      SF8_MMA_PUBLISHED,                                                                           \
      "e3m2 and e2m3; " SF8_MMA_TINY)                                                              \
    X("sm120-mxf4nvf4", "e2m1", "f32", 64, 64, 35, -139, "f32", "rz", "signed", "fused",           \
      "ue4m3", 16, 16,                                                                             \
      "NVIDIA Blackwell tensor cores", "sm_120a", "mma kind::mxf4nvf4, tcgen05 likewise",          \
      SF8_MMA_PUBLISHED, SF8_MMA_TINY)                                                             \
    X("sm120-mxf4", "e2m1", "f32", 64, 64, 35, -139, "f32", "rz", "signed", "fused", "e8m0",       \
      32, 16,                                                                                      \
      "NVIDIA Blackwell tensor cores", "sm_120a", "mma kind::mxf4, tcgen05 likewise",              \
      SF8_MMA_PUBLISHED, SF8_MMA_TINY)

#define SF8_MMA_UNITS_CDNA(X)                                                                      \
    X("cdna3-f16", "f16 bf16", "f32", 8, 8, 24, -126, "f32", "rne", "signed",                      \
      "two-stage", "", 0, 0,                                                                       \
      "AMD CDNA3 matrix cores", "MI300", "MFMA",                                                   \
      SF8_MMA_PUBLISHED,                                                                           \
      "the last cut, which versions of the model have at 31 or 32 bits; an infinite accumulator "  \
      "beside a product of 2^128 of the other sign: NaN here and in mmasim 2.1.1 of PyPI, the "    \
      "infinity in MMA-Sim at c785138")                                                            \
    X("cdna3-f16", "tf32", "f32", 4, 4, 24, -126, "f32", "rne", "signed", "two-stage", "", 0, 0,   \
      "AMD CDNA3 matrix cores", "MI300", "MFMA xf32",                                              \
      SF8_MMA_PUBLISHED,                                                                           \
      "as for f16")                                                                                \
    X("cdna3-fp8", "e4m3fnuz+e5m2fnuz", "f32", 16, 16, 24, -126, "f32", "rne", "signed",           \
      "interleaved",                                                                               \
      "", 0, 0,                                                                                    \
      "AMD CDNA3 matrix cores", "MI300", "MFMA",                                                   \
      SF8_MMA_PUBLISHED,                                                                           \
      "as for cdna3-f16")

#define SF8_MMA_UNITS(X)                                                                           \
    SF8_MMA_UNITS_F16(X)                                                                           \
    SF8_MMA_UNITS_FP8(X)                                                                           \
    SF8_MMA_UNITS_CDNA(X)

#endif

/* SPDX-License-Identifier: MIT */
/* mma_units.h -- the matrix units: what each does with which formats
 *
 * A unit is one row for each kind of operands and results: its name; the formats of the operands;
 * those of the result; products of one instruction, of one fused sum; the fraction bits of a term;
 * the exponent of a zero; what a sum is rounded to and how; the order; scales, their block and
 * group; other properties; what it rests on; what is not established.
 *
 * Operands "f16 bf16": both of the same format; "e4m3+e5m2": any two of them.
 * "e8m13" is f32 with 13 bits of mantissa; the others of the word are 0.
 *
 * Evidence: "replayed", results of real units that others published; "published", a model alone.
 */
#ifndef SOFTFP8_MMA_UNITS_H
#define SOFTFP8_MMA_UNITS_H

#define SF8_MMA_FP8 "e4m3+e5m2"
#define SF8_MMA_FP864 "e4m3+e5m2+e2m1+e3m2+e2m3"

/*    name, operands, out, k, length, fraction, zero, sum, round, order, scale, block, group,
 *    evidence, source, open */
#define SF8_MMA_UNITS_F16(X)                                                                       \
    X("volta-hmma", "f16", "f32", 4, 4, 23, -131, "f32", "rz", "fused", "", 0, 0, "replayed",      \
      "V100, HMMA.884", "")                                                                        \
    X("volta-hmma", "f16", "f16", 4, 4, 23, -20, "f16", "rne", "fused", "", 0, 0, "replayed",      \
      "V100, HMMA.884", "")                                                                        \
    X("turing-hmma", "f16", "f32", 8, 8, 24, -132, "f32", "rz", "fused", "", 0, 0, "published",    \
      "T4, HMMA.1688: MMA-Sim", "")                                                                \
    X("turing-hmma", "f16", "f16", 8, 8, 24, -21, "f16", "rne", "fused", "", 0, 0, "published",    \
      "T4, HMMA.1688: MMA-Sim", "")                                                                \
    X("ampere-hmma", "f16 bf16", "f32", 16, 8, 24, -132, "f32", "rz", "fused", "", 0, 0,           \
      "replayed", "A100, A2, HMMA.16816", "")                                                      \
    X("ampere-hmma", "tf32", "f32", 8, 4, 24, -132, "f32", "rz", "fused", "", 0, 0, "replayed",    \
      "A100, A2, HMMA.1688", "")                                                                   \
    X("ampere-hmma", "f16", "f16", 16, 8, 24, -21, "f16", "rne", "fused", "", 0, 0, "replayed",    \
      "A100, A2, HMMA.16816", "the exponent of zero: -21, or -20")                                 \
    X("ada-hmma", "f16 bf16", "f32", 16, 8, 24, -132, "f32", "rz", "fused", "", 0, 0, "replayed",  \
      "Ada, L40S, HMMA.16816", "")                                                                 \
    X("ada-hmma", "tf32", "f32", 8, 4, 24, -132, "f32", "rz", "fused", "", 0, 0, "replayed",       \
      "Ada, L40S, HMMA.1688", "")                                                                  \
    X("ada-hmma", "f16", "f16", 16, 8, 24, -21, "f16", "rne", "fused", "", 0, 0, "replayed",       \
      "Ada, L40S, HMMA.16816", "the exponent of zero: -21, or -20")                                \
    X("hopper-hmma", "f16 bf16", "f32", 16, 16, 25, -133, "f32", "rz", "fused", "", 0, 0,          \
      "replayed", "H100, H200, HMMA.16816", "")                                                    \
    X("hopper-hmma", "tf32", "f32", 8, 8, 25, -133, "f32", "rz", "fused", "", 0, 0, "replayed",    \
      "H100, H200, HMMA.1688", "more than 4 products that are not zero")                           \
    X("hopper-hmma", "f16", "f16", 16, 16, 25, -22, "f16", "rne", "fused", "", 0, 0, "replayed",   \
      "H100, H200, HMMA.16816", "the exponent of zero: -22, or -21")                               \
    X("hopper-hgmma", "f16 bf16", "f32", 16, 16, 25, -133, "f32", "rz", "fused", "", 0, 0,         \
      "published", "wgmma, HGMMA: MMA-Sim", "")                                                    \
    X("hopper-hgmma", "tf32", "f32", 8, 8, 25, -133, "f32", "rz", "fused", "", 0, 0, "published",  \
      "wgmma, HGMMA: MMA-Sim", "")                                                                 \
    X("hopper-hgmma", "f16", "f16", 16, 16, 25, -133, "f16", "rne", "fused", "", 0, 0,             \
      "published", "wgmma, HGMMA: MMA-Sim", "")                                                    \
    X("blackwell-hmma", "f16 bf16", "f32", 16, 16, 25, -133, "f32", "rz", "fused", "", 0, 0,       \
      "replayed", "B200, HMMA.16816", "")                                                          \
    X("blackwell-hmma", "tf32", "f32", 8, 8, 25, -133, "f32", "rz", "fused", "", 0, 0, "replayed", \
      "B200, HMMA.1688", "more than 4 products that are not zero")                                 \
    X("blackwell-hmma", "f16", "f16", 16, 16, 25, -22, "f16", "rne", "fused", "", 0, 0,            \
      "replayed", "B200, HMMA.16816", "the exponent of zero")

#define SF8_MMA_UNITS_FP8(X)                                                                       \
    X("ada-qmma", SF8_MMA_FP8, "f32", 32, 16, 13, -132, "e8m13", "rz", "fused", "", 0, 0,          \
      "replayed", "Ada, L40S, mma.sync, QMMA.16832", "")                                           \
    X("ada-qmma", SF8_MMA_FP8, "f16", 32, 16, 13, -21, "f16", "rne", "fused", "", 0, 0,            \
      "replayed", "Ada, mma.sync, QMMA.16832", "the exponent of zero: -21, or -132")               \
    X("hopper-qgmma", SF8_MMA_FP8, "f32", 32, 32, 13, -133, "e8m13", "rz", "fused", "", 0, 0,      \
      "replayed", "H100, H200, wgmma, QGMMA.64xNx32",                                              \
      "sums of random operands with an accumulator that is not 0")                                 \
    X("hopper-qgmma", SF8_MMA_FP8, "f16", 32, 32, 13, -133, "f16", "rne", "fused", "", 0, 0,       \
      "published", "wgmma, QGMMA.64xNx32: MMA-Sim", "the sign of what underflows")                 \
    X("hopper-mma-fp8", SF8_MMA_FP8, "f32", 32, 16, 25, -133, "f32", "rz", "chain", "", 0, 0,      \
      "replayed", "H100, H200, mma.sync, two HMMA and FADD by ptxas 13.0",                         \
      "the order by other ptxas: 12.4 makes them independent")                                     \
    X("hopper-mma-fp8", SF8_MMA_FP8, "f16", 32, 16, 25, -22, "f16", "rne", "chain", "", 0, 0,      \
      "replayed", "H100, H200, mma.sync, two HMMA and HADD2 by ptxas 13.0",                        \
      "the order by other ptxas; the exponent of zero")                                            \
    X("blackwell-mma-fp8", SF8_MMA_FP8, "f32", 32, 16, 25, -133, "f32", "rz", "chain", "", 0, 0,   \
      "replayed", "B200, mma.sync, two HMMA and FADD by ptxas 13.0", "the order by other ptxas")   \
    X("blackwell-mma-fp8", SF8_MMA_FP8, "f16", 32, 16, 25, -22, "f16", "rne", "chain", "", 0, 0,   \
      "replayed", "B200, mma.sync, two HMMA and HADD2 by ptxas 13.0",                              \
      "the order by other ptxas; the exponent of zero")                                            \
    X("blackwell-tcgen05", SF8_MMA_FP864, "f32", 32, 32, 25, -133, "f32", "rz", "fused", "", 0, 0, \
      "published", "tcgen05 kind::f8f6f4: MMA-Sim", "e3m2 and e2m3")                               \
    X("blackwell-tcgen05", SF8_MMA_FP864, "f16", 32, 32, 25, -133, "f16", "rne", "fused", "", 0,   \
      0, "published", "tcgen05 kind::f8f6f4: MMA-Sim", "e3m2 and e2m3")                            \
    X("sm120-qmma", SF8_MMA_FP864, "f32", 32, 32, 25, -133, "f32", "rz", "fused", "", 0, 0,        \
      "published", "mma kind::f8f6f4: MMA-Sim", "e3m2 and e2m3")                                   \
    X("sm120-qmma", SF8_MMA_FP864, "f16", 32, 32, 25, -22, "f16", "rne", "fused", "", 0, 0,        \
      "published", "mma kind::f8f6f4: MMA-Sim", "e3m2 and e2m3")                                   \
    X("sm120-mxf8f6f4", SF8_MMA_FP864, "f32", 32, 32, 25, -133, "f32", "rz", "fused", "e8m0", 32,  \
      0, "published", "mma kind::mxf8f6f4, tcgen05 likewise: MMA-Sim", "e3m2 and e2m3")            \
    X("sm120-mxf4nvf4", "e2m1", "f32", 64, 64, 35, -139, "f32", "rz", "fused", "ue4m3", 16, 16,    \
      "published", "mma kind::mxf4nvf4, tcgen05 likewise: MMA-Sim", "")                            \
    X("sm120-mxf4", "e2m1", "f32", 64, 64, 35, -139, "f32", "rz", "fused", "e8m0", 32, 16,         \
      "published", "mma kind::mxf4, tcgen05 likewise: MMA-Sim", "")

#define SF8_MMA_UNITS_CDNA(X)                                                                      \
    X("cdna3-f16", "f16 bf16", "f32", 8, 8, 24, -126, "f32", "rne", "two-stage", "", 0, 0,         \
      "published", "MI300, MFMA: MMA-Sim",                                                         \
      "the last cut, which versions of the model have at "                                         \
      "31 or 32 bits; NaN")                                                                        \
    X("cdna3-f16", "tf32", "f32", 4, 4, 24, -126, "f32", "rne", "two-stage", "", 0, 0,             \
      "published", "MI300, MFMA xf32: MMA-Sim", "as for f16")                                      \
    X("cdna3-fp8", "e4m3fnuz+e5m2fnuz", "f32", 16, 16, 24, -126, "f32", "rne", "interleaved", "",  \
      0, 0, "published", "MI300, MFMA: MMA-Sim", "as for cdna3-f16")

#define SF8_MMA_UNITS(X)                                                                           \
    SF8_MMA_UNITS_F16(X)                                                                           \
    SF8_MMA_UNITS_FP8(X)                                                                           \
    SF8_MMA_UNITS_CDNA(X)

#endif

/* SPDX-License-Identifier: MIT */
/* ptx.c -- rows: the conversion instructions of PTX, each by itself
 *
 * PTX ISA 9.0, "cvt". With .satfinite a value that is too large, also infinity, gives the largest
 * number. NaN gives a NaN, which one is unspecified; in a format without NaN it gives the largest
 * number, positive. .relu turns values below zero into 0. Only conversions to ue8m0 have forms
 * without .satfinite.
 *
 * For cvt.rs the document gives the bits with which each result is rounded, not the rule. The rows
 * say that each result has 16 bits, which two results share in opposite order, and that they are
 * added below the last place. Others found this on sm_100a; it is unconfirmed until measured. The
 * bits for formats of 6 bits are assumed to be those for 8.
 */
#include "families/convert/convert.h"

#define ROW_OF(instruction, nan, bits, word, ...)                                                  \
    {.name = "ptx/" instruction,                                                                   \
     .subject = instruction,                                                                       \
     .oracle = {__VA_ARGS__},                                                                      \
     .nan_class = nan,                                                                             \
     .slices = bits,                                                                               \
     .rbits = word},
#define ROW(subject, ...) ROW_OF(subject, 1, SLICES_NONE, 0, __VA_ARGS__)

/* clang-format off */
#define RELU {"relu", "ptx", NULL}
#define FROM_F32(to)                                                                               \
    ROW("cvt.rn.satfinite." to "x2.f32", {"f32_to_" to, "ptx", NULL})                              \
    ROW("cvt.rn.satfinite.relu." to "x2.f32", {"f32_to_" to, "ptx", NULL}, RELU)
#define FROM_F16(to)                                                                               \
    ROW("cvt.rn.satfinite." to "x2.f16x2", {"f16_to_" to, "ptx", NULL})                            \
    ROW("cvt.rn.satfinite.relu." to "x2.f16x2", {"f16_to_" to, "ptx", NULL}, RELU)
#define TO_F16(from)                                                                               \
    ROW("cvt.rn.f16x2." from "x2", {from "_to_f16", "cuda-nosat", NULL})                           \
    ROW("cvt.rn.relu.f16x2." from "x2", {from "_to_f16", "cuda-nosat", NULL}, RELU)
#define E8M0(modifiers, policy, round)                                                             \
    ROW("cvt." modifiers ".ue8m0x2.f32", {"f32_to_e8m0", policy, round})                           \
    ROW("cvt." modifiers ".ue8m0x2.bf16x2", {"bf16_to_e8m0", policy, round})

#define SR "round=sr sr_rule=a sr_bits=16"
#define RS_WORD(to, slices, rbits)                                                                 \
    ROW_OF("cvt.rs.satfinite." to "x4.f32/rbits=" #rbits, 1, slices, 0x##rbits,                    \
           {"f32_to_" to, "ptx", SR})                                                              \
    ROW_OF("cvt.rs.relu.satfinite." to "x4.f32/rbits=" #rbits, 1, slices, 0x##rbits,               \
           {"f32_to_" to, "ptx", SR}, RELU)
#define RS(to, slices)                                                                             \
    RS_WORD(to, slices, 00000000)                                                                  \
    RS_WORD(to, slices, ffffffff)                                                                  \
    RS_WORD(to, slices, 80008000)                                                                  \
    RS_WORD(to, slices, 00010001)                                                                  \
    RS_WORD(to, slices, 12345678)                                                                  \
    RS_WORD(to, slices, 80000001)

static const conform_case rows[] = {
    FROM_F32("e4m3")
    FROM_F16("e4m3")
    TO_F16("e4m3")
    FROM_F32("e5m2")
    FROM_F16("e5m2")
    TO_F16("e5m2")
    FROM_F32("e2m1")
    FROM_F16("e2m1")
    TO_F16("e2m1")
    FROM_F32("e2m3")
    TO_F16("e2m3")
    FROM_F32("e3m2")
    TO_F16("e3m2")
    E8M0("rz", "cuda-nosat", "round=rz")
    E8M0("rz.satfinite", "cuda-satfinite", "round=rz")
    E8M0("rp", "cuda-nosat", "round=ru")
    E8M0("rp.satfinite", "cuda-satfinite", "round=ru")
    ROW("cvt.rn.bf16x2.ue8m0x2", {"e8m0_to_bf16", "cuda-nosat", NULL})
    RS("e4m3", SLICES_BYTES)
    RS("e5m2", SLICES_BYTES)
    RS("e2m3", SLICES_BYTES)
    RS("e3m2", SLICES_BYTES)
    RS("e2m1", SLICES_NIBBLES)
};
/* clang-format on */

const conform_family ptx_family = {.name = "ptx",
                                   .on_device = 1,
                                   FAMILY_ROWS(rows),
                                   .run = convert_device_run,
                                   .replay = convert_replay};

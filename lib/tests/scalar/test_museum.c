/* SPDX-License-Identifier: MIT */
/* test_museum.c -- bugs of other implementations, each with where it was reported
 *
 * A test here is named after the fault and checks the right result.
 */
#include "check.h"

/* Every value from 256 to 448 became 448: the exponent field 15 was taken for special.
 * https://github.com/tile-ai/tilelang-metax/pull/140
 * https://github.com/sgl-project/sglang/pull/40581 */
Test(museum, top_binade_lost)
{
    static const float values[] = {256, 288, 320, 352, 384, 416, 448};
    for (uint8_t i = 0; i < 7; i++) {
        cr_expect(sf8_f32_to_e4m3(values[i], SF8_OCP) == 0x78 + i);
        cr_expect(sf8_f32_to_e4m3(-values[i], SF8_OCP_NOSAT) == 0xf8 + i);
        EXPECT(sf8_convert(SF8_F32, SF8_E4M3, 0x78u + i, SF8_OCP) ==
                   0x43800000u + ((uint32_t)i << 20),
               "%02x", 0x78u + i);
    }
}

/* The overflow was decided before rounding: 58000 became infinity, 449 NaN.
 * https://github.com/stillwater-sc/universal/issues/1302
 * https://github.com/stillwater-sc/universal/pull/1351 */
Test(museum, overflow_before_rounding)
{
    sf8_result r = sf8_f32_to_e5m2_flags(58000, SF8_OCP_NOSAT);
    cr_expect(r.code == 0x7b && r.flags == NX);
    r = sf8_f32_to_e4m3_flags(449, SF8_OCP_NOSAT);
    cr_expect(r.code == 0x7e && r.flags == NX);
    cr_expect(sf8_f32_to_e4m3(463.99997f, SF8_OCP_NOSAT) == 0x7e);
    cr_expect(sf8_f32_to_e4m3(464, SF8_OCP_NOSAT) == 0x7e);
    cr_expect(sf8_f32_to_e4m3(464.00003f, SF8_OCP_NOSAT) == 0x7f);
    cr_expect(sf8_f32_to_e5m2(61439.996f, SF8_OCP_NOSAT) == 0x7b);
    cr_expect(sf8_f32_to_e5m2(61440, SF8_OCP_NOSAT) == 0x7c);
}

/* E4M3 reached 480, the value its NaN code would have.
 * https://github.com/north-numerical-computing/cpfloat (its E4M3 preset, run) */
Test(museum, e4m3_reaches_480)
{
    /* rne rna rz ru rd ro rnz */
    static const uint8_t nosat[] = {0x7f, 0x7f, 0x7e, 0x7f, 0x7e, 0x7f, 0x7f};
    for (uint32_t mode = SF8_RNE; mode < COUNT(nosat); mode++) {
        sf8_policy sat = SF8_OCP, special = SF8_OCP_NOSAT;
        sat.round = special.round = mode & SF8_ROUND_MASK;
        for (float x = 465; x <= 500; x += 5) {
            EXPECT(sf8_f32_to_e4m3(x, sat) == 0x7e, "%g, mode %u", (double)x, mode);
            EXPECT(sf8_f32_to_e4m3(x, special) == nosat[mode], "%g, mode %u", (double)x, mode);
        }
    }
}

/* Ties away from zero, or half up on a truncated mantissa, instead of to even.
 * https://github.com/ahrefs/ocannl/issues/646
 * https://github.com/sgl-project/sglang/pull/40581
 * https://github.com/Tiiiger/QPyTorch/issues/23
 * https://github.com/microsoft/onnxruntime/pull/16940 */
Test(museum, ties_away)
{
    cr_expect(sf8_f32_to_e4m3(1.0625f, SF8_OCP) == 0x38);
    cr_expect(sf8_f32_to_e4m3(1.1875f, SF8_OCP) == 0x3a);
    cr_expect(sf8_f32_to_e4m3(-1.0625f, SF8_OCP) == 0xb8);
    cr_expect(sf8_f32_to_e4m3(1.0625001f, SF8_OCP) == 0x39);
    cr_expect(sf8_f32_to_e5m2(1.125f, SF8_OCP) == 0x3c);
    cr_expect(sf8_f32_to_e5m2(1.375f, SF8_OCP) == 0x3e);
    cr_expect(sf8_f16_to_e5m2(0x3c80, SF8_OCP) == 0x3c);
    cr_expect(sf8_f16_to_e5m2(0x3c81, SF8_OCP) == 0x3d);
    cr_expect(sf8_f16_to_e5m2(0x3d80, SF8_OCP) == 0x3e);
    cr_expect(sf8_f32_to_e2m1(2.5f, SF8_OCP) == 0x04);
    cr_expect(sf8_f32_to_e2m1(3.5f, SF8_OCP) == 0x06);
    cr_expect(sf8_f32_to_e2m1(5, SF8_OCP) == 0x06);
}

/* Subnormals flushed, a binade too small, or their sticky bits dropped.
 * https://github.com/ahrefs/ocannl/issues/646
 * https://github.com/tenstorrent/tt-metal/issues/51971
 * https://github.com/Tiiiger/QPyTorch/issues/24 */
Test(museum, subnormals)
{
    for (uint8_t k = 0; k <= 8; k++) {
        cr_expect(sf8_f32_to_e4m3((float)k * 0x1p-9f, SF8_OCP) == k);
        cr_expect(sf8_f32_to_e4m3((float)k * 0x1p-9f + 0x1.8p-11f, SF8_OCP) == k);
        cr_expect(sf8_f32_to_e4m3((float)k * 0x1p-9f + 0x1.0001p-10f, SF8_OCP) == k + 1);
    }
    for (uint8_t k = 0; k <= 4; k++)
        cr_expect(sf8_f32_to_e5m2((float)k * 0x1p-16f, SF8_OCP) == k);
    cr_expect(sf8_f32_to_e4m3(0x1p-10f, SF8_OCP) == 0x00);
    cr_expect(sf8_f32_to_e4m3(0x1.8p-9f, SF8_OCP) == 0x02);
    cr_expect(sf8_f64_to_e4m3(0x1p-10 + 0x1p-60, SF8_OCP) == 0x01);
}

/* A shift by the width or more: values around 1e-24 gave codes like 04 (exponent fields 46 to 49).
 * https://github.com/ROCm/rocm-systems/issues/10591 */
Test(museum, shift_by_the_width)
{
    for (uint32_t field = 1; field < 100; field++) {
        for (uint32_t m = 0; m < 23; m++) {
            uint32_t x = field << 23 | 1u << m;
            EXPECT(sf8_f32bits_to_e4m3(x, SF8_OCP) == 0x00, "%08x", x);
            EXPECT(sf8_f32bits_to_e5m2(x | 0x80000000, SF8_OCP) == 0x80, "-%08x", x);
            EXPECT(sf8_f32bits_to_e4m3fnuz(x | 0x80000000, SF8_OCP) == 0x00, "-%08x", x);
        }
    }
    cr_expect(sf8_f32_to_e4m3(3.3e-24f, SF8_OCP) == 0x00);
    cr_expect(sf8_f32_to_e5m2(3.3e-24f, SF8_OCP) == 0x00);
}

/* FNUZ: a negative value that underflows became 80, which is NaN; NaN became -0 on the way up.
 * https://github.com/microsoft/onnxruntime/pull/18473
 * https://github.com/onnx/onnx/pull/5764
 * https://github.com/triton-lang/triton/pull/10778
 * https://github.com/intel/torch-xpu-ops/issues/2951 */
Test(museum, fnuz_negative_zero)
{
    cr_expect(sf8_f32_to_e4m3fnuz(-0x1p-20f, SF8_OCP) == 0x00);
    cr_expect(sf8_f32_to_e4m3fnuz(-0x1p-11f, SF8_OCP) == 0x00);
    cr_expect(sf8_f32_to_e4m3fnuz(-0x1.8p-11f, SF8_OCP) == 0x81);
    cr_expect(sf8_f32_to_e5m2fnuz(-0.0f, SF8_OCP) == 0x00);
    cr_expect(sf8_f16_to_e4m3fnuz(0x8000, SF8_OCP) == 0x00);
    cr_expect(sf8_f16_to_e4m3fnuz(0x8001, SF8_OCP) == 0x00);
    cr_expect(sf8_e4m3fnuz_to_f32bits(0x80) == 0x7fc00000);
    cr_expect(sf8_e5m2fnuz_to_f16(0x80) == 0x7e00);
    cr_expect(sf8_e4m3fnuz_mul(0xc0, 0x00, SF8_OCP) == 0x00);
}

/* Rounded twice on the way: f64 by f32, integers by f32, f32 by bf16.
 * https://github.com/flagos-ai/FlagTree/pull/1116
 * https://github.com/triton-lang/triton/pull/2583
 * https://github.com/riscv-software-src/riscv-isa-sim/pull/1902
 * https://github.com/MurrellGroup/Microfloats.jl/pull/25 */
Test(museum, double_rounding)
{
    double little = 0x1p-6;
    for (int k = 6; k <= 52; k++, little /= 2) {
        EXPECT(sf8_f64_to_e4m3(1.0625 + little, SF8_OCP) == 0x39, "+2^-%d", k);
        EXPECT(sf8_f64_to_e4m3(1.0625 - little, SF8_OCP) == 0x38, "-2^-%d", k);
        EXPECT(sf8_f64_to_e4m3(1.1875 - little, SF8_OCP) == 0x39, "-2^-%d", k);
    }
    cr_expect(sf8_f32bits_to_e4m3(0x3f880001, SF8_OCP) == 0x39);
    cr_expect(sf8_convert(SF8_BF16, SF8_F64, UINT64_C(0x3ff0100000000001), SF8_OCP) == 0x3f81);
    /* 2^39 + 2^31 + 1 is above a tie of bf16, at which f32 puts it. */
    cr_expect(sf8_from_i64(SF8_BF16, INT64_C(0x8080000001), SF8_OCP).code == 0x5301);
}

/* A fused multiply-add that is a product, rounded, and a sum.
 * https://github.com/arch-hdl-lang/arch-com/pull/628 */
Test(museum, fma_not_fused)
{
    cr_expect(sf8_e4m3_mul(0x39, 0x39, SF8_OCP) == 0x3a);       /* 1.125^2 = 1.265625: 1.25 */
    cr_expect(sf8_e4m3_fma(0x39, 0x39, 0xba, SF8_OCP) == 0x08); /* less 1.25: 2^-6 */
    cr_expect(sf8_fma(SF8_BF16, 0x3f81, 0x3f81, 0xbf82, SF8_OCP).code == 0x3880);
    cr_expect(sf8_fma(SF8_F32, 0x3f800001, 0x3f800001, 0xbf800002, SF8_OCP).code == 0x28800000);
    cr_expect(sf8_e5m2_fma(0x1e, 0x7a, 0x01, SF8_OCP) == 0x5d);
}

/* An assertion in the significand's addition.
 * https://github.com/llvm/llvm-project/issues/63895 */
Test(museum, fma_of_almost_nothing)
{
    sf8_result r = sf8_e4m3_fma_flags(0x0d, 0x1a, 0x81, SF8_OCP); /* 2^-15 is left */
    cr_expect(r.code == 0x00 && r.flags == (UF | NX));
    cr_expect(sf8_e4m3_fma(0x8d, 0x1a, 0x01, SF8_OCP) == 0x80);
}

/* Rounding to an integer beyond the format's own range.
 * https://github.com/llvm/llvm-project/issues/224353 */
Test(museum, round_to_integral_overflows)
{
    sf8_result r = sf8_e3m4_rint_flags(0x6f, SF8_OCP, 0); /* 15.5: 16 */
    cr_expect(r.code == 0x6f && r.flags == (OF | NX));
    r = sf8_e3m4_rint_flags(0xef, SF8_OCP_NOSAT, 0);
    cr_expect(r.code == 0xf0 && r.flags == (OF | NX));
    r = sf8_e2m3_rint_flags(0x1f, SF8_OCP, 0); /* 7.5: 8 */
    cr_expect(r.code == 0x1f && r.flags == (OF | NX));
    sf8_policy policy = SF8_OCP;
    policy.round = SF8_RZ;
    cr_expect(sf8_e3m4_rint(0x6f, policy) == 0x6e && sf8_e2m3_rint(0x3f, policy) == 0x3e);
}

/* Unsigned formats: the sign ORed into the exponent; NaN without mantissa widened to infinity.
 * https://github.com/llvm/llvm-project/pull/223286
 * https://github.com/llvm/llvm-project/pull/214919 */
Test(museum, unsigned_formats)
{
    cr_expect(sf8_f32_to_e8m0(-1.5f, SF8_OCP) == 0x00);
    cr_expect(sf8_f32_to_ue5m3(-1, SF8_OCP) == 0x00);
    cr_expect(sf8_f32_to_ue5m3(-0.0f, SF8_OCP) == 0x00);
    cr_expect(sf8_ue5m3_to_f32bits(0x80) == 0x40000000);
    cr_expect(sf8_e8m0_to_f32bits(0x80) == 0x40000000);
    cr_expect(sf8_e8m0_to_f16(0xff) == 0x7e00);
    cr_expect(sf8_e8m0_to_bf16(0xff) == 0x7fc0);
    cr_expect(sf8_e8m0_to_f32bits(0xff) == 0x7fc00000);
    cr_expect(sf8_e8m0_to_f64bits(0xff) == UINT64_C(0x7ff8000000000000));
    cr_expect(sf8_convert(SF8_E5M2, SF8_E8M0, 0xff, SF8_OCP) == 0x7e);
}

/* E8M0 rounded up by a mask, 0x4fffff, that misses bits of the mantissa.
 * https://github.com/onnx/onnx/pull/7784 */
Test(museum, e8m0_round_up_mask)
{
    sf8_policy up = SF8_OCP, down = SF8_OCP;
    up.round = SF8_RU;
    down.round = SF8_RZ;
    for (uint32_t bit = 0; bit < 23; bit++) {
        EXPECT(sf8_f32bits_to_e8m0(0x3f800000 | 1u << bit, up) == 0x80, "bit %u", bit);
        EXPECT(sf8_f32bits_to_e8m0(0x3f800000 | 1u << bit, down) == 0x7f, "bit %u", bit);
        EXPECT(sf8_f32bits_to_e8m0(1u << bit, up) == 0x00, "bit %u", bit);
    }
    cr_expect(sf8_f32bits_to_e8m0(0x3f800000, up) == 0x7f);
    cr_expect(sf8_f32bits_to_e8m0(0x00400001, up) == 0x01);
}

/* Stochastic rounding: the carry masked off, a result above the largest.
 * https://github.com/ROCm/llvm-project/pull/3275
 * https://github.com/ROCm/rocm-systems/pull/8800 */
Test(museum, stochastic_carry)
{
    sf8_policy policy = SF8_PTX;
    policy.round = SF8_SR;
    cr_expect(sf8_f32_to_e4m3_sr(1.9999999f, policy, 0xffff) == 0x40);
    cr_expect(sf8_f32_to_e4m3_sr(1.9999999f, policy, 0x0000) == 0x3f);
    cr_expect(sf8_f32_to_e4m3_sr(0x1.fp-7f, policy, 0xffff) == 0x08);
    cr_expect(sf8_f32_to_e4m3_sr(479, policy, 0xffff) == 0x7e);
    cr_expect(sf8_f32_to_e4m3_sr(-479, policy, 0xffff) == 0xfe);
    policy.overflow = SF8_TO_SPECIAL;
    cr_expect(sf8_f32_to_e4m3_sr(479, policy, 0xffff) == 0x7f);
    cr_expect(sf8_f32_to_e4m3_sr(479, policy, 0x0000) == 0x7e);
    uint32_t away = 0;
    for (uint32_t random = 0; random < 0x10000; random++)
        away += sf8_f32_to_e4m3_sr(1.0390625f, policy, random) == 0x39; /* nu = 5/16 */
    cr_expect(away == 20480, "%" PRIu32, away);
}

/* Overflow that ignores the rounding mode; saturation that misses 512 to 57344.
 * https://github.com/ucb-bar/saturn-vectors/pull/101 */
Test(museum, overflow_in_directed_modes)
{
    static const struct {
        uint32_t mode;
        uint8_t plus, minus; /* not saturating: 7f for NaN of either sign */
    } rows[] = {
        {SF8_RNE, 0x7f, 0x7f}, {SF8_RNA, 0x7f, 0x7f}, {SF8_RZ, 0x7e, 0xfe},
        {SF8_RU, 0x7f, 0xfe},  {SF8_RD, 0x7e, 0x7f},
    };
    static const float values[] = {512, 4096, 57344, 65536, 1e30f};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_policy policy = SF8_RISCV, sat = SF8_RISCV_SAT;
        policy.round = sat.round = rows[i].mode & SF8_ROUND_MASK;
        for (size_t k = 0; k < COUNT(values); k++) {
            sf8_result r = sf8_f32_to_e4m3_flags(values[k], policy);
            EXPECT(r.code == rows[i].plus && r.flags == (OF | NX), "mode %u", rows[i].mode);
            r = sf8_f32_to_e4m3_flags(-values[k], policy);
            EXPECT(r.code == rows[i].minus && r.flags == (OF | NX), "mode %u", rows[i].mode);
            EXPECT(sf8_f32_to_e4m3(values[k], sat) == 0x7e, "mode %u", rows[i].mode);
            EXPECT(sf8_f32_to_e4m3(-values[k], sat) == 0xfe, "mode %u", rows[i].mode);
        }
    }
}

/* Twins of one codec that differ in the sign of a NaN they make.
 * https://github.com/ahrefs/ocannl/issues/657 (and Spike and LLVM, run) */
Test(museum, nan_signs)
{
    cr_expect(sf8_f32_to_e4m3(-480, SF8_RISCV) == 0x7f);
    cr_expect(sf8_f32_to_e4m3(-480, SF8_LLVM) == 0xff);
    cr_expect(sf8_f32_to_e4m3(-480, SF8_CUDA_NOSAT) == 0xff);
    cr_expect(sf8_f32bits_to_e4m3(0xffc00000, SF8_RISCV) == 0x7f);
    cr_expect(sf8_f32bits_to_e4m3(0xffc00000, SF8_LLVM) == 0xff);
    cr_expect(sf8_f32bits_to_e4m3(0xffc00000, SF8_CUDA_NOSAT) == 0x7f);
    cr_expect(sf8_f64bits_to_e4m3(UINT64_C(0xfff8000000000000), SF8_CUDA_NOSAT_F64) == 0xff);
}

/* A largest number of 416 or 49152; an exponent off by another format's bias; bool(0.5) = false.
 * https://github.com/tracel-ai/cubecl/pull/1472 (and CUTLASS float8.h, host, run) */
Test(museum, wrong_constants)
{
    cr_expect(sf8_format_max(SF8_E4M3) == 0x7e && sf8_e4m3_to_f32(0x7e) == 448.0f);
    cr_expect(sf8_format_max(SF8_E5M2) == 0x7b && sf8_e5m2_to_f32(0x7b) == 57344.0f);
    cr_expect(sf8_e4m3_to_f32(0x7d) == 416.0f && sf8_e5m2_to_f32(0x7a) == 49152.0f);
    cr_expect(sf8_e4m3_to_f32bits(0x38) == 0x3f800000);
    cr_expect(sf8_e4m3_to_f32bits(0x30) == 0x3f000000);
    cr_expect(!sf8_e4m3_eq(0x30, 0x00));
}

/* The sign of a zero sum that is exact: -0 - 0 is -0, and under rounding down so is 0 + -0.
 * https://github.com/raphaelPinheiro26/tt_um_fp8_fpu (its Golden_model/fp8_math.py at e5c4ad8) */
Test(museum, signs_of_zero)
{
    static const uint32_t modes[] = {SF8_RNE, SF8_RZ, SF8_RU, SF8_RD, SF8_RO};
    sf8_policy policy = SF8_OCP_NOSAT;
    for (size_t i = 0; i < COUNT(modes); i++) {
        policy.round = modes[i] & SF8_ROUND_MASK;
        uint64_t mixed = modes[i] == SF8_RD ? 0x80 : 0;
        EXPECT(sf8_sub(SF8_E4M3IEEE, 0x80, 0x00, policy).code == 0x80, "mode %u", modes[i]);
        EXPECT(sf8_sub(SF8_E4M3IEEE, 0x00, 0x80, policy).code == 0x00, "mode %u", modes[i]);
        EXPECT(sf8_add(SF8_E4M3IEEE, 0x00, 0x80, policy).code == mixed, "mode %u", modes[i]);
        EXPECT(sf8_add(SF8_E4M3IEEE, 0x80, 0x00, policy).code == mixed, "mode %u", modes[i]);
    }
}

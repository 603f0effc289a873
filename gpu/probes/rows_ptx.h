/* SPDX-License-Identifier: MIT */
/* rows_ptx.h -- rows: the conversion instructions of PTX, spelled as in PTX
 *
 * The file that includes this one defines SUBJECT and INSTRUCTION(name, needs, In, Out, Call...).
 * cvt.rs has a row for each of six fixed random numbers.
 */

#define FP8(to)                                                                                    \
    INSTRUCTION("cvt.rn.satfinite." #to "x2.f32", nullptr, probe::words<float2>, probe::code8x2,   \
                ptx::to##x2_f32)                                                                   \
    INSTRUCTION("cvt.rn.satfinite.relu." #to "x2.f32", nullptr, probe::words<float2>,              \
                probe::code8x2, ptx::to##x2_f32_relu)                                              \
    INSTRUCTION("cvt.rn.satfinite." #to "x2.f16x2", nullptr, probe::words<__half2_raw>,            \
                probe::code8x2, ptx::to##x2_f16x2)                                                 \
    INSTRUCTION("cvt.rn.satfinite.relu." #to "x2.f16x2", nullptr, probe::words<__half2_raw>,       \
                probe::code8x2, ptx::to##x2_f16x2_relu)                                            \
    INSTRUCTION("cvt.rn.f16x2." #to "x2", nullptr, probe::code8x2, probe::words<__half2_raw>,      \
                ptx::f16x2_##to##x2)                                                               \
    INSTRUCTION("cvt.rn.relu.f16x2." #to "x2", nullptr, probe::code8x2, probe::words<__half2_raw>, \
                ptx::f16x2_##to##x2_relu)
FP8(e4m3)
FP8(e5m2)
#undef FP8

#define NARROW(to, codes)                                                                          \
    INSTRUCTION("cvt.rn.satfinite." #to "x2.f32", "sm_100a", probe::words<float2>, codes,          \
                ptx::to##x2_f32)                                                                   \
    INSTRUCTION("cvt.rn.satfinite.relu." #to "x2.f32", "sm_100a", probe::words<float2>, codes,     \
                ptx::to##x2_f32_relu)                                                              \
    INSTRUCTION("cvt.rn.f16x2." #to "x2", "sm_100a", codes, probe::words<__half2_raw>,             \
                ptx::f16x2_##to##x2)                                                               \
    INSTRUCTION("cvt.rn.relu.f16x2." #to "x2", "sm_100a", codes, probe::words<__half2_raw>,        \
                ptx::f16x2_##to##x2_relu)
NARROW(e2m1, probe::code4x2)
NARROW(e2m3, probe::code8x2)
NARROW(e3m2, probe::code8x2)
#undef NARROW

INSTRUCTION("cvt.rn.satfinite.e2m1x2.f16x2", "sm_100a", probe::words<__half2_raw>, probe::code4x2,
            ptx::e2m1x2_f16x2)
INSTRUCTION("cvt.rn.satfinite.relu.e2m1x2.f16x2", "sm_100a", probe::words<__half2_raw>,
            probe::code4x2, ptx::e2m1x2_f16x2_relu)

#define E8M0(modifiers, suffix)                                                                    \
    INSTRUCTION("cvt." modifiers ".ue8m0x2.f32", "sm_100a", probe::words<float2>, probe::code8x2,  \
                ptx::ue8m0x2_f32_##suffix)                                                         \
    INSTRUCTION("cvt." modifiers ".ue8m0x2.bf16x2", "sm_100a", probe::words<__nv_bfloat162_raw>,   \
                probe::code8x2, ptx::ue8m0x2_bf16x2_##suffix)
E8M0("rz", rz)
E8M0("rz.satfinite", rz_satfinite)
E8M0("rp", rp)
E8M0("rp.satfinite", rp_satfinite)
INSTRUCTION("cvt.rn.bf16x2.ue8m0x2", "sm_100a", probe::code8x2, probe::words<__nv_bfloat162_raw>,
            ptx::bf16x2_ue8m0x2)
#undef E8M0

#define STOCHASTIC_ROW(instruction, function, codes, rbits)                                        \
    INSTRUCTION(instruction "/rbits=" #rbits, "sm_100a", probe::words<float4>, codes,              \
                ptx::function<0x##rbits>)
#define STOCHASTIC_WORDS(instruction, function, codes)                                             \
    STOCHASTIC_ROW(instruction, function, codes, 00000000)                                         \
    STOCHASTIC_ROW(instruction, function, codes, ffffffff)                                         \
    STOCHASTIC_ROW(instruction, function, codes, 80008000)                                         \
    STOCHASTIC_ROW(instruction, function, codes, 00010001)                                         \
    STOCHASTIC_ROW(instruction, function, codes, 12345678)                                         \
    STOCHASTIC_ROW(instruction, function, codes, 80000001)
#define STOCHASTIC(to, codes)                                                                      \
    STOCHASTIC_WORDS("cvt.rs.satfinite." #to "x4.f32", to##x4_rs, codes)                           \
    STOCHASTIC_WORDS("cvt.rs.relu.satfinite." #to "x4.f32", to##x4_rs_relu, codes)
STOCHASTIC(e4m3, probe::code8x4)
STOCHASTIC(e5m2, probe::code8x4)
STOCHASTIC(e2m3, probe::code8x4)
STOCHASTIC(e3m2, probe::code8x4)
STOCHASTIC(e2m1, probe::code4x4)
#undef STOCHASTIC
#undef STOCHASTIC_WORDS
#undef STOCHASTIC_ROW

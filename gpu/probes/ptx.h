/* SPDX-License-Identifier: MIT */
/* ptx.h -- the conversion instructions of PTX, each behind one small function
 *
 * On the device of() is the instruction and nothing else. On the host it is its model: the CPU path
 * of the CUDA headers if they have it, else the core. Element 0 is the one in the low bits. PTX
 * counts from the other end: cvt d, a, b puts a in the upper part, so that a is element 1.
 * Instructions that need sm_100a are left out of the code for other targets. The CUDA headers come
 * first.
 */
#ifndef SOFTFP8_GPU_PTX_H
#define SOFTFP8_GPU_PTX_H

#include "probes/probe.h"
#include "random_bits.h"

#include "softfp8/core.h"
#include "softfp8/number/policies.h"

/* Statements for the instruction: on any target, on sm_100a; and for its model. */
#if defined(__CUDA_ARCH__)
#define PTX_ANY(...) __VA_ARGS__
#define PTX_MODEL(...)
#else
#define PTX_ANY(...)
#define PTX_MODEL(...) __VA_ARGS__
#endif
#if defined(__CUDA_ARCH__) && GPU_SM_100A
#define PTX_100A(...) __VA_ARGS__
#elif defined(__CUDA_ARCH__)
#define PTX_100A(...) return {};
#else
#define PTX_100A(...)
#endif

namespace ptx
{

/* ---- models ---------------------------------------------------------------------------------- */

enum { PLAIN, RELU };

#define PTX_FORMAT(name, row)                                                                      \
    struct name {                                                                                  \
        static PROBE_FN sf8_format format()                                                        \
        {                                                                                          \
            return row;                                                                            \
        }                                                                                          \
    };
PTX_FORMAT(e4m3, SF8_E4M3)
PTX_FORMAT(e5m2, SF8_E5M2)
PTX_FORMAT(e2m3, SF8_E2M3)
PTX_FORMAT(e3m2, SF8_E3M2)
PTX_FORMAT(e2m1, SF8_E2M1)
#undef PTX_FORMAT

/* .relu: values below zero become 0, -0 too; a NaN stays. */
PROBE_FN inline uint32_t clamped(sf8_format f, uint64_t code, int relu)
{
    return relu && sf8_core_sign(f, code) && !sf8_is_nan(f, code) ? 0 : static_cast<uint32_t>(code);
}

template <class To>
PROBE_FN inline uint32_t narrow(sf8_format from, uint32_t bits, sf8_policy policy, uint32_t random,
                                int relu)
{
    return clamped(To::format(), sf8_core_convert(To::format(), from, bits, policy, random).code,
                   relu);
}

/* The two elements, `bits` bits apart. */
template <class To, int bits> PROBE_FN inline uint16_t relu_pair(float2 x)
{
    uint32_t lo = narrow<To>(SF8_F32, sf8_f32_bits(x.x), SF8_PTX, 0, RELU);
    uint32_t hi = narrow<To>(SF8_F32, sf8_f32_bits(x.y), SF8_PTX, 0, RELU);
    return static_cast<uint16_t>(lo | hi << bits);
}
template <class To, int bits> PROBE_FN inline uint16_t relu_pair(__half2_raw x)
{
    uint32_t lo = narrow<To>(SF8_F16, x.x, SF8_PTX, 0, RELU);
    uint32_t hi = narrow<To>(SF8_F16, x.y, SF8_PTX, 0, RELU);
    return static_cast<uint16_t>(lo | hi << bits);
}

/* Widening: exact, infinities kept, NaN 7fff. */
template <class From, int bits> PROBE_FN inline __half2_raw relu_halves(uint32_t codes)
{
    sf8_format from = From::format();
    __half2_raw x;
    x.x = static_cast<uint16_t>(
        clamped(SF8_F16, sf8_core_convert(SF8_F16, from, codes, SF8_CUDA_NOSAT, 0).code, RELU));
    x.y = static_cast<uint16_t>(clamped(
        SF8_F16, sf8_core_convert(SF8_F16, from, codes >> bits, SF8_CUDA_NOSAT, 0).code, RELU));
    return x;
}

/* .rs: StochasticA on the 16 bits that belong to the element. */
template <class To, int bits>
PROBE_FN inline uint32_t stochastic(float4 x, uint32_t rbits, int relu)
{
    const float element[4] = {x.x, x.y, x.z, x.w};
    sf8_policy policy = SF8_PTX;
    policy.round = SF8_SR;
    policy.sr_rule = SF8_SR_A;
    policy.sr_bits = 16;
    uint32_t codes = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t random = rbits_slice(bits == 8, rbits, i);
        codes |= narrow<To>(SF8_F32, sf8_f32_bits(element[i]), policy, random, relu) << (i * bits);
    }
    return codes;
}

/* ---- instructions ----------------------------------------------------------------------------
 * A name is the types and what is said beside them: e4m3x2_f32_relu. */

PROBE_FN inline uint32_t word(__half2_raw x)
{
    return x.x | static_cast<uint32_t>(x.y) << 16;
}
PROBE_FN inline uint32_t word(__nv_bfloat162_raw x)
{
    return x.x | static_cast<uint32_t>(x.y) << 16;
}
template <class T> PROBE_FN inline T pair(uint32_t word)
{
    T x;
    x.x = static_cast<unsigned short>(word);
    x.y = static_cast<unsigned short>(word >> 16);
    return x;
}

/* From two floats to two bytes. */
#define PTX_FROM_F32(name, ON, instruction, model)                                                 \
    struct name {                                                                                  \
        static PROBE_FN unsigned short of(float2 x)                                                \
        {                                                                                          \
            ON(unsigned short d; asm(instruction " %0, %1, %2;"                                    \
                                     : "=h"(d)                                                     \
                                     : "f"(x.y), "f"(x.x));                                        \
               return d;)                                                                          \
            PTX_MODEL(return model;)                                                               \
        }                                                                                          \
    };

/* From f16x2 or bf16x2 to two bytes. */
#define PTX_FROM_16(name, ON, type, instruction, model)                                            \
    struct name {                                                                                  \
        static PROBE_FN unsigned short of(type x)                                                  \
        {                                                                                          \
            ON(unsigned short d; asm(instruction " %0, %1;" : "=h"(d) : "r"(word(x))); return d;)  \
            PTX_MODEL(return model;)                                                               \
        }                                                                                          \
    };

/* From two bytes to f16x2 or bf16x2. */
#define PTX_TO_16(name, ON, type, instruction, model)                                              \
    struct name {                                                                                  \
        static PROBE_FN type of(unsigned short x)                                                  \
        {                                                                                          \
            ON(unsigned int d; asm(instruction " %0, %1;"                                          \
                                   : "=r"(d)                                                       \
                                   : "h"(x));                                                      \
               return pair<type>(d);)                                                              \
            PTX_MODEL(return model;)                                                               \
        }                                                                                          \
    };

/* Two codes of 4 bits are a .b8, which has no registers of its own in C. */
#define PTX_TO_FP4(name, source, operands, instruction, model, ...)                                \
    struct name {                                                                                  \
        static PROBE_FN unsigned char of(source x)                                                 \
        {                                                                                          \
            PTX_100A(unsigned short d; asm("{ .reg .b8 t; " instruction " t, " operands ";"        \
                                           " mov.b16 %0, {t, 0}; }"                                \
                                           : "=h"(d)                                               \
                                           : __VA_ARGS__);                                         \
                     return static_cast<unsigned char>(d);)                                        \
            PTX_MODEL(return static_cast<unsigned char>(model);)                                   \
        }                                                                                          \
    };
#define PTX_FROM_FP4(name, instruction, model)                                                     \
    struct name {                                                                                  \
        static PROBE_FN __half2_raw of(unsigned char x)                                            \
        {                                                                                          \
            PTX_100A(unsigned int d;                                                               \
                     asm("{ .reg .b8 t, u; mov.b16 {t, u}, %1; " instruction " %0, t; }"           \
                         : "=r"(d)                                                                 \
                         : "h"(static_cast<unsigned short>(x)));                                   \
                     return pair<__half2_raw>(d);)                                                 \
            PTX_MODEL(return model;)                                                               \
        }                                                                                          \
    };

/* From four floats and random bits to four codes; {a, b, e, f}: a is element 3. */
#define PTX_STOCHASTIC(name, to, bits, storage, constraint, instruction, relu)                     \
    template <uint32_t rbits> struct name {                                                        \
        static PROBE_FN storage of(float4 x)                                                       \
        {                                                                                          \
            PTX_100A(storage d; asm(instruction " %0, {%1, %2, %3, %4}, %5;"                       \
                                    : constraint(d)                                                \
                                    : "f"(x.w), "f"(x.z), "f"(x.y), "f"(x.x), "r"(rbits));         \
                     return d;)                                                                    \
            PTX_MODEL(return static_cast<storage>(stochastic<to, bits>(x, rbits, relu));)          \
        }                                                                                          \
    };

#define PTX_FP8(to, TO)                                                                            \
    PTX_FROM_F32(to##x2_f32, PTX_ANY, "cvt.rn.satfinite." #to "x2.f32",                            \
                 __nv_cvt_float2_to_fp8x2(x, __NV_SATFINITE, TO))                                  \
    PTX_FROM_F32(to##x2_f32_relu, PTX_ANY, "cvt.rn.satfinite.relu." #to "x2.f32",                  \
                 (relu_pair<to, 8>(x)))                                                            \
    PTX_FROM_16(to##x2_f16x2, PTX_ANY, __half2_raw, "cvt.rn.satfinite." #to "x2.f16x2",            \
                __nv_cvt_halfraw2_to_fp8x2(x, __NV_SATFINITE, TO))                                 \
    PTX_FROM_16(to##x2_f16x2_relu, PTX_ANY, __half2_raw, "cvt.rn.satfinite.relu." #to "x2.f16x2",  \
                (relu_pair<to, 8>(x)))                                                             \
    PTX_TO_16(f16x2_##to##x2, PTX_ANY, __half2_raw, "cvt.rn.f16x2." #to "x2",                      \
              __nv_cvt_fp8x2_to_halfraw2(x, TO))                                                   \
    PTX_TO_16(f16x2_##to##x2_relu, PTX_ANY, __half2_raw, "cvt.rn.relu.f16x2." #to "x2",            \
              (relu_halves<to, 8>(x)))                                                             \
    PTX_STOCHASTIC(to##x4_rs, to, 8, unsigned int, "=r", "cvt.rs.satfinite." #to "x4.f32", PLAIN)  \
    PTX_STOCHASTIC(to##x4_rs_relu, to, 8, unsigned int, "=r",                                      \
                   "cvt.rs.relu.satfinite." #to "x4.f32", RELU)
PTX_FP8(e4m3, __NV_E4M3)
PTX_FP8(e5m2, __NV_E5M2)

#define PTX_FP6(to, TO)                                                                            \
    PTX_FROM_F32(to##x2_f32, PTX_100A, "cvt.rn.satfinite." #to "x2.f32",                           \
                 __nv_cvt_float2_to_fp6x2(x, TO, cudaRoundNearest))                                \
    PTX_FROM_F32(to##x2_f32_relu, PTX_100A, "cvt.rn.satfinite.relu." #to "x2.f32",                 \
                 (relu_pair<to, 8>(x)))                                                            \
    PTX_TO_16(f16x2_##to##x2, PTX_100A, __half2_raw, "cvt.rn.f16x2." #to "x2",                     \
              __nv_cvt_fp6x2_to_halfraw2(x, TO))                                                   \
    PTX_TO_16(f16x2_##to##x2_relu, PTX_100A, __half2_raw, "cvt.rn.relu.f16x2." #to "x2",           \
              (relu_halves<to, 8>(x)))                                                             \
    PTX_STOCHASTIC(to##x4_rs, to, 8, unsigned int, "=r", "cvt.rs.satfinite." #to "x4.f32", PLAIN)  \
    PTX_STOCHASTIC(to##x4_rs_relu, to, 8, unsigned int, "=r",                                      \
                   "cvt.rs.relu.satfinite." #to "x4.f32", RELU)
PTX_FP6(e2m3, __NV_E2M3)
PTX_FP6(e3m2, __NV_E3M2)

PTX_TO_FP4(e2m1x2_f32, float2, "%1, %2", "cvt.rn.satfinite.e2m1x2.f32",
           __nv_cvt_float2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest), "f"(x.y), "f"(x.x))
PTX_TO_FP4(e2m1x2_f32_relu, float2, "%1, %2", "cvt.rn.satfinite.relu.e2m1x2.f32",
           (relu_pair<e2m1, 4>(x)), "f"(x.y), "f"(x.x))
PTX_TO_FP4(e2m1x2_f16x2, __half2_raw, "%1", "cvt.rn.satfinite.e2m1x2.f16x2",
           __nv_cvt_halfraw2_to_fp4x2(x, __NV_E2M1, cudaRoundNearest), "r"(word(x)))
PTX_TO_FP4(e2m1x2_f16x2_relu, __half2_raw, "%1", "cvt.rn.satfinite.relu.e2m1x2.f16x2",
           (relu_pair<e2m1, 4>(x)), "r"(word(x)))
PTX_FROM_FP4(f16x2_e2m1x2, "cvt.rn.f16x2.e2m1x2", __nv_cvt_fp4x2_to_halfraw2(x, __NV_E2M1))
PTX_FROM_FP4(f16x2_e2m1x2_relu, "cvt.rn.relu.f16x2.e2m1x2", (relu_halves<e2m1, 4>(x)))
PTX_STOCHASTIC(e2m1x4_rs, e2m1, 4, unsigned short, "=h", "cvt.rs.satfinite.e2m1x4.f32", PLAIN)
PTX_STOCHASTIC(e2m1x4_rs_relu, e2m1, 4, unsigned short, "=h", "cvt.rs.relu.satfinite.e2m1x4.f32",
               RELU)

#define PTX_E8M0(suffix, modifiers, saturation, rounding)                                          \
    PTX_FROM_F32(ue8m0x2_f32_##suffix, PTX_100A, "cvt." modifiers ".ue8m0x2.f32",                  \
                 __nv_cvt_float2_to_e8m0x2(x, saturation, rounding))                               \
    PTX_FROM_16(ue8m0x2_bf16x2_##suffix, PTX_100A, __nv_bfloat162_raw,                             \
                "cvt." modifiers ".ue8m0x2.bf16x2",                                                \
                __nv_cvt_bfloat162raw_to_e8m0x2(x, saturation, rounding))
PTX_E8M0(rz, "rz", __NV_NOSAT, cudaRoundZero)
PTX_E8M0(rz_satfinite, "rz.satfinite", __NV_SATFINITE, cudaRoundZero)
PTX_E8M0(rp, "rp", __NV_NOSAT, cudaRoundPosInf)
PTX_E8M0(rp_satfinite, "rp.satfinite", __NV_SATFINITE, cudaRoundPosInf)
PTX_TO_16(bf16x2_ue8m0x2, PTX_100A, __nv_bfloat162_raw, "cvt.rn.bf16x2.ue8m0x2",
          __nv_cvt_e8m0x2_to_bf162raw(x))

} // namespace ptx

#endif

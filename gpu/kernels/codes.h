/* SPDX-License-Identifier: MIT */
/* codes.h -- tensors of f32, bf16, f16 in packets, and the narrow codes: reading and writing
 *
 * A tensor type defines how many elements 16 bytes have, and converts them from and to f32. An
 * element type packs its codes into one or two 32-bit words, and unpacks them.
 */
#ifndef SOFTFP8_GPU_KERNELS_CODES_H
#define SOFTFP8_GPU_KERNELS_CODES_H

#include "kernels/lane.h"

#if !defined(GPU_SM_100A)
#define GPU_SM_100A 0
#endif

namespace kernels
{

/* ---- tensors --------------------------------------------------------------------------------- */

/* By the core, the model of a conversion. */
SHIM_FN inline uint32_t model(sf8_format to, sf8_format from, uint32_t bits, sf8_policy policy)
{
    return static_cast<uint32_t>(sf8_core_convert(to, from, bits, policy, 0).code);
}

/* The same of all codes, 2^bits of them: each is computed once. */
#if defined(__CUDACC__)
template <int bits>
SHIM_FN inline uint32_t model_of(sf8_format to, sf8_format from, uint32_t code, sf8_policy policy)
{
    return model(to, from, code & ((1u << bits) - 1), policy);
}
#define MODEL_OF(bits, to, from, code, policy) model_of<bits>(to, from, code, policy)
#else
template <int bits> struct model_table {
    uint32_t code[1 << bits];

    model_table(sf8_format to, sf8_format from, sf8_policy policy)
    {
        for (uint32_t i = 0; i < 1u << bits; i++)
            code[i] = model(to, from, i, policy);
    }
};
#define MODEL_OF(bits, to, from, i, policy)                                                        \
    ([](uint32_t n) {                                                                              \
        static const model_table<bits> table(to, from, policy);                                    \
        return table.code[n & ((1u << (bits)) - 1)];                                               \
    }(i))
#endif

struct of_f32 {
    static constexpr int each = 4;
    static constexpr uint32_t nan = 0x7fc00000u;
    using word = uint32_t;

    SHIM_FN static float at(const packet &p, int i)
    {
        return float_of(p.word[i]);
    }
    /* The largest magnitude as f32: NaN is ignored if there is a number; or the result is NaN if
     * one is. */
    SHIM_FN static uint32_t most_number(const packet &p)
    {
        float a = most(magnitude(at(p, 0)), magnitude(at(p, 1)));
        return bits_of(most(a, most(magnitude(at(p, 2)), magnitude(at(p, 3)))));
    }
    SHIM_FN static uint32_t most_of_all(const packet &p)
    {
        uint32_t a = 0;
        for (uint32_t w : p.word)
            a = (w & 0x7fffffffu) > a ? w & 0x7fffffffu : a;
        return a;
    }
    SHIM_FN static packet pack(const float *x)
    {
        packet p;
        for (int i = 0; i < each; i++)
            p.word[i] = is_nan(x[i]) ? nan : bits_of(x[i]);
        return p;
    }
};

/* Two 16-bit values in a 32-bit word, the first in the low half. */
template <class Half> struct of_halves {
    static constexpr int each = 8;
    using word = uint16_t;

    SHIM_FN static float at(const packet &p, int i)
    {
        return Half::wide(i & 1 ? p.word[i / 2] >> 16 : p.word[i / 2] & 0xffff);
    }
    SHIM_FN static uint32_t most_number(const packet &p)
    {
        uint32_t a = p.word[0] & 0x7fff7fffu;
        for (int i = 1; i < 4; i++)
            a = Half::most_pair(a, p.word[i] & 0x7fff7fffu);
        return bits_of(most(Half::wide(a & 0xffff), Half::wide(a >> 16)));
    }
    SHIM_FN static uint32_t most_of_all(const packet &p)
    {
        uint32_t a = p.word[0] & 0x7fff7fffu;
        for (int i = 1; i < 4; i++)
            a = larger_pair(a, p.word[i] & 0x7fff7fffu);
        uint32_t high = a >> 16, low = a & 0xffff;
        return bits_of(Half::wide(high > low ? high : low));
    }
    SHIM_FN static uint32_t larger_pair(uint32_t a, uint32_t b)
    {
        LANE_GPU(return __vmaxu2(a, b);)
        LANE_MODEL(uint32_t high = a >> 16 > b >> 16 ? a : b;
                   uint32_t low = (a & 0xffff) > (b & 0xffff) ? a : b;
                   return (high & 0xffff0000u) | (low & 0xffff);)
    }
    /* Two magnitudes each, compared as f32, in which they have the same order. */
    SHIM_FN static uint32_t most_pair_model(uint32_t a, uint32_t b)
    {
        float high = Half::wide(a >> 16), low = Half::wide(a & 0xffff);
        uint32_t upper = is_nan(high) || Half::wide(b >> 16) > high ? b : a;
        uint32_t lower = is_nan(low) || Half::wide(b & 0xffff) > low ? b : a;
        return (upper & 0xffff0000u) | (lower & 0xffff);
    }
    SHIM_FN static packet pack(const float *x)
    {
        packet p;
        for (int i = 0; i < 4; i++) {
            uint32_t two = Half::narrow(x[2 * i], x[2 * i + 1]);
            if (is_nan(x[2 * i]))
                two = (two & 0xffff0000u) | Half::nan;
            if (is_nan(x[2 * i + 1]))
                two = (two & 0xffff) | Half::nan << 16;
            p.word[i] = two;
        }
        return p;
    }
};

struct of_bf16 : of_halves<of_bf16> {
    static constexpr uint32_t nan = 0x7fc0;

    SHIM_FN static float wide(uint32_t half)
    {
        return float_of(half << 16);
    }
    SHIM_FN static uint32_t most_pair(uint32_t a, uint32_t b)
    {
        LANE_GPU(uint32_t d; asm("max.bf16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
        LANE_MODEL(return most_pair_model(a, b);)
    }
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        LANE_GPU(uint32_t d; asm("cvt.rn.bf16x2.f32 %0, %1, %2;"
                                 : "=r"(d)
                                 : "f"(high), "f"(low));
                 return d;)
        LANE_MODEL(return model(SF8_BF16, SF8_F32, bits_of(low), SF8_OCP_NOSAT) |
                              model(SF8_BF16, SF8_F32, bits_of(high), SF8_OCP_NOSAT) << 16;)
    }
};

struct of_f16 : of_halves<of_f16> {
    static constexpr uint32_t nan = 0x7e00;

    SHIM_FN static float wide(uint32_t half)
    {
        LANE_GPU(float x; asm("cvt.f32.f16 %0, %1;"
                              : "=f"(x)
                              : "h"(static_cast<unsigned short>(half)));
                 return x;)
        LANE_MODEL(return float_of(MODEL_OF(16, SF8_F32, SF8_F16, half, SF8_OCP_NOSAT));)
    }
    SHIM_FN static uint32_t most_pair(uint32_t a, uint32_t b)
    {
        LANE_GPU(uint32_t d; asm("max.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b)); return d;)
        LANE_MODEL(return most_pair_model(a, b);)
    }
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        LANE_GPU(uint32_t d; asm("cvt.rn.f16x2.f32 %0, %1, %2;"
                                 : "=r"(d)
                                 : "f"(high), "f"(low));
                 return d;)
        LANE_MODEL(return model(SF8_F16, SF8_F32, bits_of(low), SF8_OCP_NOSAT) |
                              model(SF8_F16, SF8_F32, bits_of(high), SF8_OCP_NOSAT) << 16;)
    }
};

/* ---- 8 bits ---------------------------------------------------------------------------------- */

struct of_e4m3 {
    static constexpr int bits = 8;

    /* The codes of two f32, to nearest, saturating; NaN is 7f. */
    SHIM_FN static uint32_t narrow(float low, float high)
    {
        LANE_GPU(unsigned short d; asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;"
                                       : "=h"(d)
                                       : "f"(high), "f"(low));
                 return d;)
        LANE_MODEL(return model(SF8_E4M3, SF8_F32, bits_of(low), SF8_CUDA_SATFINITE) |
                              model(SF8_E4M3, SF8_F32, bits_of(high), SF8_CUDA_SATFINITE) << 8;)
    }
    /* The values of two codes, as f16, in which they are exact. */
    SHIM_FN static uint32_t halves(uint32_t codes)
    {
        LANE_GPU(uint32_t d; asm("cvt.rn.f16x2.e4m3x2 %0, %1;"
                                 : "=r"(d)
                                 : "h"(static_cast<unsigned short>(codes)));
                 return d;)
        LANE_MODEL(return MODEL_OF(8, SF8_F16, SF8_E4M3, codes, SF8_CUDA_NOSAT) |
                              MODEL_OF(8, SF8_F16, SF8_E4M3, codes >> 8, SF8_CUDA_NOSAT) << 16;)
    }
    SHIM_FN static float wide(uint32_t code)
    {
        return of_f16::wide(halves(code) & 0xffff);
    }
};

struct of_e5m2 {
    static constexpr int bits = 8;

    SHIM_FN static uint32_t narrow(float low, float high)
    {
        LANE_GPU(unsigned short d; asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;"
                                       : "=h"(d)
                                       : "f"(high), "f"(low));
                 return d;)
        LANE_MODEL(return model(SF8_E5M2, SF8_F32, bits_of(low), SF8_CUDA_SATFINITE) |
                              model(SF8_E5M2, SF8_F32, bits_of(high), SF8_CUDA_SATFINITE) << 8;)
    }
    SHIM_FN static uint32_t halves(uint32_t codes)
    {
        LANE_GPU(uint32_t d; asm("cvt.rn.f16x2.e5m2x2 %0, %1;"
                                 : "=r"(d)
                                 : "h"(static_cast<unsigned short>(codes)));
                 return d;)
        LANE_MODEL(return MODEL_OF(8, SF8_F16, SF8_E5M2, codes, SF8_CUDA_NOSAT) |
                              MODEL_OF(8, SF8_F16, SF8_E5M2, codes >> 8, SF8_CUDA_NOSAT) << 16;)
    }
};

/* `each` codes in word[0], for 8 of them in word[1] too. */
template <class Element, int each> SHIM_FN inline void pack_bytes(uint32_t word[2], const float *x)
{
    word[1] = 0;
    for (int i = 0; i < each; i += 4) {
        uint32_t low = Element::narrow(x[i], x[i + 1]), high = Element::narrow(x[i + 2], x[i + 3]);
        word[i / 4] = permute(low, high, 0x5410);
    }
}

template <class Element, int each>
SHIM_FN inline void unpack_bytes(float *x, const uint32_t word[2])
{
    for (int i = 0; i < each; i += 2) {
        uint32_t two = Element::halves(word[i / 4] >> (i & 2 ? 16 : 0) & 0xffff);
        x[i] = of_f16::wide(two & 0xffff);
        x[i + 1] = of_f16::wide(two >> 16);
    }
}

/* ---- e2m1 ------------------------------------------------------------------------------------ */

/* A magnitude y of at most 6, rounded to nearest even. With 2^e its power of two, or 1 for smaller
 * y, the codes in [2^e, 2^(e+1)) are 2^(e-1) apart. That is the last place of 2^(e+22), to which y
 * is added. The sum's last bits are then n = y / 2^(e-1), which is even where the code is, and the
 * code is n + 2e. Its exponent field, 2e above the mantissa's first bit, is added to n:
 *
 *     sum   0 eeeeeeee 0000 ... nnn        sum + (sum >> 22) = ... n + 2e + 2 (22 + 127)
 *
 * The caller removes the upper bits.
 */
SHIM_FN inline uint32_t e2m1_digit(float y)
{
    uint32_t power = bits_of(y) & 0x7f800000u;
    power = power > 0x3f800000u ? power : 0x3f800000u;
    LANE_GPU(float sum = __fmaf_rn(float_of(power), 4194304.0f, y);)
    LANE_MODEL(float sum = float_of(power) * 4194304.0f + y;) /* the product is exact */
    return bits_of(sum) + (bits_of(sum) >> 22);
}

constexpr uint32_t e2m1_digit_more = 2 * (22 + 127);

/* `each` codes, the first in the lowest 4 bits. NaN is 7, a value that is too large 7 or f. With
 * `fits` no magnitude is above 6, and none is NaN. Codes are combined like the digits of a number;
 * bits above their 4 are shifted out on the left, except those of the last three, from which they
 * are subtracted. */
template <int each, bool fits> SHIM_FN inline uint32_t pack_e2m1_by_hand(const float *x)
{
    uint32_t codes = 0, signs = 0;
    for (int i = each - 1; i >= 0; i--) {
        float y = fits ? magnitude(x[i]) : least(magnitude(x[i]), 6.0f);
        uint32_t digit = e2m1_digit(y);
        codes = codes * 16 + (i < 3 ? digit & 0x007fffffu : digit);
        signs = push4(signs, bits_of(x[i]));
    }
    uint32_t more = 0, mask = each < 8 ? (1u << 4 * (each & 7)) - 1 : ~0u;
    for (int i = 0; i < each; i++)
        more = more * 16 + e2m1_digit_more;
    return ((codes - more) & mask) | (signs & 0x88888888u & mask);
}

#if defined(__CUDA_ARCH__) && GPU_SM_100A
/* NaN is 7, positive, -0 is 8. */
template <int each> SHIM_FN inline uint32_t pack_e2m1_by_unit(const float *x)
{
    uint32_t codes = 0;
    for (int i = 0; i < each; i += 2) {
        uint32_t two;
        asm("{ .reg .b8 t; cvt.rn.satfinite.e2m1x2.f32 t, %1, %2; cvt.u32.u8 %0, t; }"
            : "=r"(two)
            : "f"(x[i + 1]), "f"(x[i]));
        codes |= two << 4 * i;
    }
    return codes;
}
#endif

template <int each, bool fits> SHIM_FN inline uint32_t pack_e2m1(const float *x)
{
#if defined(__CUDA_ARCH__) && GPU_SM_100A
    return pack_e2m1_by_unit<each>(x);
#else
    return pack_e2m1_by_hand<each, fits>(x);
#endif
}

/* The value of a code: its bits as those of a subnormal number, times the factor that makes 2
 * become 1. */
SHIM_FN inline float e2m1_wide(uint32_t code)
{
    return mul(float_of((code & 7) << 22 | (code & 8) << 28), 0x1p126f);
}

struct of_e2m1 {
    static constexpr int bits = 4;
};

} // namespace kernels

#endif

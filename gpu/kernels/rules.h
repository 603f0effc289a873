/* SPDX-License-Identifier: MIT */
/* rules.h -- the recipes for the kernels: scale, factor, values
 *
 * Each is the straight-line form of a row in <softfp8/blocks/recipes.h>, with the same name:
 *
 *     Element, block    codes, and how many have one scale
 *     nan_counts        a NaN of the block makes its amax NaN (amax=nan)
 *     fits              elements are clamped to the element's range before they are converted
 *     open(g)           what depends on g alone
 *     scale(g, amax)    the code of the scale; amax as bits of f32
 *     factor(g, code)   the factor of an element, before it is converted
 *     value(g, code, e) of a code with value e
 *     values(g, code, v) of the eight magnitudes of e2m1, if they are not NaN
 */
#ifndef SOFTFP8_GPU_KERNELS_RULES_H
#define SOFTFP8_GPU_KERNELS_RULES_H

#include "kernels/codes.h"
#include "kernels/divide.h"

namespace kernels
{

/* What depends on g alone. r: reciprocal_for(g), where elements are divided by g. */
struct constants {
    float g, a, b, r = 0.0f;
};

/* The same numbers, which are not computed again where they are used. */
SHIM_FN inline float kept(float x)
{
    return float_of(shim::keep(bits_of(x)));
}

SHIM_FN inline constants kept(constants c)
{
    return {kept(c.g), kept(c.a), kept(c.b), kept(c.r)};
}

SHIM_FN inline uint32_t e4m3_scale(float x)
{
    return of_e4m3::narrow(x, 0.0f) & 0xff;
}

constexpr float f32_max = 0x1.fffffep127f;

/* ---- NVFP4 ----------------------------------------------------------------------------------- */

/* (k s) / g for the magnitudes k of e2m1, which are 0, 1, or 3 times powers of two. So s / g and
 * 3 s / g give all, exactly: where c.r is not 0 no quotient is near the ends of f32's range. */
SHIM_FN inline void nvfp4_quotients(constants c, float s, float *v)
{
    const float e[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
    if (c.r == 0.0f) {
        for (int k = 0; k < 8; k++)
            v[k] = div(mul(e[k], s), c.g);
        return;
    }
    const float one = quotient(s, c.g, c.r), three = quotient(mul(3.0f, s), c.g, c.r);
    const float third[8] = {0, 0, 0, 0.5f, 0, 1.0f, 0, 2.0f};
    for (int k = 0; k < 8; k++)
        v[k] = third[k] > 0.0f ? mul(third[k], three) : mul(e[k], one);
}

struct nvfp4 {
    using Element = of_e2m1;
    static constexpr int block = 16;
    static constexpr bool nan_counts = false, fits = false;

    SHIM_FN static float scale_of(uint32_t code)
    {
        return of_e4m3::wide(code);
    }
    /* (e s) / g */
    SHIM_FN static float value(constants c, uint32_t code, float e)
    {
        const float x = mul(e, scale_of(code));
        return c.r == 0.0f ? div(x, c.g) : quotient(x, c.g, c.r);
    }
    SHIM_FN static void values(constants c, uint32_t code, float *v)
    {
        nvfp4_quotients(c, scale_of(code), v);
    }
};

struct nvfp4_te : nvfp4 {
    SHIM_FN static constants open(float g)
    {
        return {g, mul(g, div(1.0f, 6.0f)), div(1.0f, g), reciprocal_for(g)};
    }
    SHIM_FN static uint32_t scale(constants c, uint32_t amax)
    {
        return e4m3_scale(least(mul(float_of(amax), c.a), f32_max));
    }
    SHIM_FN static float factor(constants c, uint32_t code)
    {
        return least(rcp(mul(scale_of(code), c.b)), f32_max);
    }
};

/* 1/a by the instruction, and correctly rounded. */
struct rcp_by_unit {
    SHIM_FN static float of(float a)
    {
        return rcp_near(a);
    }
};

struct rcp_flushed {
    SHIM_FN static float of(float a)
    {
        return flushed(rcp(flushed(a)));
    }
};

template <class Reciprocal> struct nvfp4_vllm_by : nvfp4 {
    SHIM_FN static constants open(float g)
    {
        return {g, Reciprocal::of(6.0f), Reciprocal::of(g), reciprocal_for(g)};
    }
    SHIM_FN static uint32_t scale(constants c, uint32_t amax)
    {
        return e4m3_scale(mul(c.g, mul(float_of(amax), c.a)));
    }
    SHIM_FN static float factor(constants c, uint32_t code)
    {
        float s = scale_of(code);
        return s == 0.0f ? 0.0f : Reciprocal::of(mul(s, c.b));
    }
};

using nvfp4_vllm = nvfp4_vllm_by<rcp_by_unit>;

struct nvfp4_torchao : nvfp4 {
    static constexpr bool nan_counts = true, fits = true;

    SHIM_FN static constants open(float g)
    {
        return {g, div(1.0f, g), 0.0f};
    }
    SHIM_FN static uint32_t scale(constants c, uint32_t amax)
    {
        float x = div(div(float_of(amax), 6.0f), c.g);
        return e4m3_scale(is_nan(x) ? x : least(most(x, 0x1p-6f), 448.0f));
    }
    SHIM_FN static float factor(constants c, uint32_t code)
    {
        return div(c.a, scale_of(code));
    }
    /* e (s g) */
    SHIM_FN static float value(constants c, uint32_t code, float e)
    {
        return mul(e, mul(scale_of(code), c.g));
    }
    SHIM_FN static void values(constants c, uint32_t code, float *v)
    {
        float sg = mul(scale_of(code), c.g);
        const float e[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
        for (int k = 0; k < 8; k++)
            v[k] = mul(e[k], sg);
    }
};

/* ---- MX -------------------------------------------------------------------------------------- */

/* A scale of e8m0 has the exponent field of its f32 as its code; 00 is 2^-127, ff NaN. */
SHIM_FN inline float e8m0_wide(uint32_t code)
{
    return float_of(code == 0xff ? 0x7fc00000u : code == 0 ? 0x00400000u : code << 23);
}

/* 1 / scale: a normal number for codes up to 253, and there are no larger ones. So x / s equals x
 * times it, bit for bit. */
SHIM_FN inline float e8m0_inverse(uint32_t code)
{
    return float_of(code == 0xff ? 0x7fc00000u : (254 - code) << 23);
}

/* The exponent field after `more` was added to the bit pattern, less that of the largest number. */
template <int emax> SHIM_FN inline uint32_t e8m0_scale(uint32_t amax, uint32_t more)
{
    uint32_t field = (amax + more) >> 23;
    return amax >= 0x7f800000u ? 0xff : field > emax ? field - emax : 0;
}

template <int emax> struct by_floor {
    SHIM_FN static uint32_t scale(uint32_t amax)
    {
        return e8m0_scale<emax>(amax, 0);
    }
};

template <int emax, int mantissa> struct by_even {
    SHIM_FN static uint32_t scale(uint32_t amax)
    {
        return e8m0_scale<emax>(amax, 1u << (22 - mantissa));
    }
};

template <int emax> struct by_ceil {
    SHIM_FN static uint32_t scale(uint32_t amax)
    {
        return e8m0_scale<emax>(amax, 0x007fffffu);
    }
};

/* amax (1 / max), rounded up: for subnormals 2^-127 is a code, and larger values go to the next. */
template <int most> struct by_rceil {
    SHIM_FN static uint32_t scale(uint32_t amax)
    {
        uint32_t x = bits_of(mul(float_of(amax), 1.0f / static_cast<float>(most)));
        uint32_t field = (x + 0x007fffffu) >> 23;
        return x >= 0x7f800000u ? 0xff : x <= 0x00400000u ? 0 : field;
    }
};

template <class To, class Scale> struct mx {
    using Element = To;
    static constexpr int block = 32;
    static constexpr bool nan_counts = true, fits = false;

    SHIM_FN static constants open(float)
    {
        return {0.0f, 0.0f, 0.0f};
    }
    SHIM_FN static uint32_t scale(constants, uint32_t amax)
    {
        return Scale::scale(amax);
    }
    SHIM_FN static float factor(constants, uint32_t code)
    {
        return e8m0_inverse(code);
    }
    SHIM_FN static float value(constants, uint32_t code, float e)
    {
        return mul(e, e8m0_wide(code));
    }
    SHIM_FN static void values(constants, uint32_t code, float *v)
    {
        float s = e8m0_wide(code);
        const float e[8] = {0.0f, 0.5f, 1.0f, 1.5f, 2.0f, 3.0f, 4.0f, 6.0f};
        for (int k = 0; k < 8; k++)
            v[k] = mul(e[k], s);
    }
};

using mxfp4_floor = mx<of_e2m1, by_floor<2>>;
using mxfp4_even = mx<of_e2m1, by_even<2, 1>>;
using mxfp4_ceil = mx<of_e2m1, by_ceil<2>>;
using mxfp4_rceil = mx<of_e2m1, by_rceil<6>>;
using mxfp8_e4m3_floor = mx<of_e4m3, by_floor<8>>;
using mxfp8_e4m3_even = mx<of_e4m3, by_even<8, 3>>;
using mxfp8_e4m3_ceil = mx<of_e4m3, by_ceil<8>>;
using mxfp8_e4m3_rceil = mx<of_e4m3, by_rceil<448>>;
using mxfp8_e5m2_floor = mx<of_e5m2, by_floor<15>>;
using mxfp8_e5m2_even = mx<of_e5m2, by_even<15, 2>>;
using mxfp8_e5m2_ceil = mx<of_e5m2, by_ceil<15>>;
using mxfp8_e5m2_rceil = mx<of_e5m2, by_rceil<57344>>;

} // namespace kernels

#endif

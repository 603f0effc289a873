/* SPDX-License-Identifier: MIT */
/* lane.h -- the operations of one lane of a block kernel: f32, narrow codes, 16 bytes at once
 *
 * On the device each function is one or a few instructions; on the host it is their model. f32
 * arithmetic is that of IEEE 754, rounded to nearest, with subnormals and without contraction:
 * intrinsics on the device, and plain operations in a file with its own flags on the host. A NaN
 * result is the positive NaN of a GPU, so that its sign is known; code that stores results decides
 * which NaN they must be.
 */
#ifndef SOFTFP8_GPU_KERNELS_LANE_H
#define SOFTFP8_GPU_KERNELS_LANE_H

#include "shim.h"

#include "softfp8/core.h"
#include "softfp8/number/policies.h"

#include <string.h>

#if !defined(__CUDACC__)
#include <float.h>
#if defined(__FAST_MATH__) || FLT_EVAL_METHOD != 0
#error "the arithmetic of the kernels is that of IEEE 754"
#endif
#endif

/* Statements for the device, and for its model. */
#if defined(__CUDA_ARCH__)
#define LANE_GPU(...) __VA_ARGS__
#define LANE_MODEL(...)
#else
#define LANE_GPU(...)
#define LANE_MODEL(...) __VA_ARGS__
#endif

namespace kernels
{

/* ---- f32 ------------------------------------------------------------------------------------- */

SHIM_FN inline float float_of(uint32_t bits)
{
    LANE_GPU(return __uint_as_float(bits);)
    LANE_MODEL(float x; memcpy(&x, &bits, sizeof x); return x;)
}

SHIM_FN inline uint32_t bits_of(float x)
{
    LANE_GPU(return __float_as_uint(x);)
    LANE_MODEL(uint32_t bits; memcpy(&bits, &x, sizeof bits); return bits;)
}

SHIM_FN inline bool is_nan(float x)
{
    return (bits_of(x) & 0x7fffffffu) > 0x7f800000u;
}

SHIM_FN inline float made(float x)
{
    return is_nan(x) ? float_of(0x7fffffffu) : x;
}

SHIM_FN inline float mul(float a, float b)
{
    LANE_GPU(return __fmul_rn(a, b);)
    LANE_MODEL(return made(a * b);)
}

SHIM_FN inline float div(float a, float b)
{
    LANE_GPU(return __fdiv_rn(a, b);)
    LANE_MODEL(return made(a / b);)
}

SHIM_FN inline float rcp(float a)
{
    LANE_GPU(return __frcp_rn(a);)
    LANE_MODEL(return made(1.0f / a);)
}

/* a, or zero if a is subnormal. */
SHIM_FN inline float flushed(float a)
{
    return (bits_of(a) & 0x7f800000u) == 0 ? float_of(bits_of(a) & 0x80000000u) : a;
}

/* 1/a by the instruction that may miss the last bit; its model is correctly rounded. */
SHIM_FN inline float rcp_near(float a)
{
    LANE_GPU(float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(a)); return y;)
    LANE_MODEL(return flushed(made(1.0f / flushed(a)));)
}

/* Of a number and NaN the number. */
SHIM_FN inline float least(float a, float b)
{
    LANE_GPU(return fminf(a, b);)
    LANE_MODEL(return is_nan(a) ? b : b < a ? b : a;)
}

SHIM_FN inline float most(float a, float b)
{
    LANE_GPU(return fmaxf(a, b);)
    LANE_MODEL(return is_nan(a) ? b : b > a ? b : a;)
}

SHIM_FN inline float magnitude(float a)
{
    LANE_GPU(return fabsf(a);) /* part of the instruction that takes it */
    LANE_MODEL(return float_of(bits_of(a) & 0x7fffffffu);)
}

/* ---- bits ------------------------------------------------------------------------------------ */

/* The bytes of b:a that the digits of the selector name; a digit of 8 and more gives the sign of
 * its byte, eight times. */
SHIM_FN inline uint32_t permute(uint32_t a, uint32_t b, uint32_t selector)
{
    LANE_GPU(uint32_t d; asm("prmt.b32 %0, %1, %2, %3;"
                             : "=r"(d)
                             : "r"(a), "r"(b), "r"(selector));
             return d;)
    LANE_MODEL(uint64_t bytes = static_cast<uint64_t>(b) << 32 | a; uint32_t result = 0;
               for (int i = 0; i < 4; i++) {
                   uint32_t which = selector >> 4 * i & 15;
                   uint32_t byte = static_cast<uint32_t>(bytes >> 8 * (which & 7) & 0xff);
                   byte = which & 8 ? (byte >> 7) * 0xffu : byte;
                   result |= byte << 8 * i;
               } return result;)
}

/* The word shifted left by 4 bits, with the upper 4 bits of `below` behind it. */
SHIM_FN inline uint32_t push4(uint32_t word, uint32_t below)
{
    LANE_GPU(return __funnelshift_l(below, word, 4);)
    LANE_MODEL(return word << 4 | below >> 28;)
}

/* a / b by a multiplication, for a < 2^31 and one b >= 1; prepared on the host. */
struct divider {
    uint32_t by, factor, shift;

    SHIM_FN uint32_t of(uint32_t a) const
    {
        LANE_GPU(uint32_t high = __umulhi(a, factor);)
        LANE_MODEL(uint32_t high = static_cast<uint32_t>(static_cast<uint64_t>(a) * factor >> 32);)
        return (high + a) >> shift;
    }
};

inline divider divider_of(uint32_t by)
{
    uint32_t shift = 0;
    while (shift < 31 && UINT64_C(1) << shift < by)
        shift++;
    uint64_t over = (UINT64_C(1) << shift) - by;
    return {by, static_cast<uint32_t>((over << 32) / by + 1), shift};
}

/* ---- 16 bytes -------------------------------------------------------------------------------- */

struct alignas(16) packet {
    uint32_t word[4];
};

/* Read once, so that it need not stay in a cache. */
SHIM_FN inline packet load16(const void *from)
{
    LANE_GPU(uint4 v = __ldcs(static_cast<const uint4 *>(from)); return {{v.x, v.y, v.z, v.w}};)
    LANE_MODEL(packet p; memcpy(&p, from, sizeof p); return p;)
}

SHIM_FN inline void store16(void *to, packet p)
{
    LANE_GPU(
        __stcs(static_cast<uint4 *>(to), make_uint4(p.word[0], p.word[1], p.word[2], p.word[3]));)
    LANE_MODEL(memcpy(to, &p, sizeof p);)
}

/* 2, 4 or 8 bytes in the low bits of one or two words. */
template <int bytes> SHIM_FN inline void load_some(uint32_t word[2], const void *from)
{
    word[0] = word[1] = 0;
#if defined(__CUDA_ARCH__)
    if constexpr (bytes == 8) {
        uint2 v = __ldcs(static_cast<const uint2 *>(from));
        word[0] = v.x;
        word[1] = v.y;
    } else if constexpr (bytes == 4) {
        word[0] = __ldcs(static_cast<const unsigned int *>(from));
    } else {
        word[0] = __ldcs(static_cast<const unsigned short *>(from));
    }
#else
    memcpy(word, from, bytes); /* the low bytes first, as on the device */
#endif
}

template <int bytes> SHIM_FN inline void store_some(void *to, const uint32_t word[2])
{
#if defined(__CUDA_ARCH__)
    if constexpr (bytes == 8)
        __stcs(static_cast<uint2 *>(to), make_uint2(word[0], word[1]));
    else if constexpr (bytes == 4)
        __stcs(static_cast<unsigned int *>(to), word[0]);
    else
        __stcs(static_cast<unsigned short *>(to), static_cast<unsigned short>(word[0]));
#else
    memcpy(to, word, bytes);
#endif
}

} // namespace kernels

#endif

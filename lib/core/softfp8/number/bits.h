/* SPDX-License-Identifier: MIT */
/* bits.h -- what differs between C11, C++17, CUDA and HIP, and a few integer helpers
 *
 * Every other core header is the common subset of these languages; all conditional
 * compilation of the core is in this file. No floating-point arithmetic is done in the core:
 * a float or double is copied to and from its bits and never computed with, so no compiler
 * flag (fast-math, contraction, FTZ) can change a result.
 */
#ifndef SOFTFP8_BITS_H
#define SOFTFP8_BITS_H

#include <stdint.h>
#include <string.h>

/* From C++20 on the core can be computed in constant expressions. */
#if defined(__cplusplus) && __cplusplus >= 202002L && !defined(__CUDACC__) && !defined(__HIP__)
#define SF8_CONSTEXPR constexpr
#define SF8_TABLE constexpr
#define SF8_BIT_CAST /* for memcpy, which is none */
#else
#define SF8_CONSTEXPR
#define SF8_TABLE static const /* a table in a function */
#if defined(__HIP__) /* in device code memcpy needs HIP's headers; the compiler is always clang */
#define SF8_BIT_CAST
#endif
#endif

#if defined(__CUDACC__)
#define SF8_FN static __host__ __device__ __forceinline__
#define SF8_LONG SF8_FN
#define SF8_WHOLE SF8_FN
#define SF8_COLD static __host__ __device__ __noinline__
#elif defined(__HIP__) /* __host__ and __device__ are macros of headers that may come later */
#define SF8_LONG static __attribute__((host, device, unused)) inline
#define SF8_FN SF8_LONG __attribute__((always_inline))
#define SF8_WHOLE SF8_FN
#define SF8_COLD static __attribute__((host, device, noinline, unused))
#elif defined(__GNUC__)
#if defined(__OPTIMIZE__) && !defined(SF8_CORE_CALLS)
#define SF8_FN static SF8_CONSTEXPR inline __attribute__((always_inline, unused))
#define SF8_WHOLE SF8_FN
#else /* with SF8_CORE_CALLS the compiler decides, for code whose formats are not constants */
#define SF8_FN static SF8_CONSTEXPR inline __attribute__((unused))
/* A function whose formats and policy are constants: it calls only what is SF8_COLD. */
#define SF8_WHOLE static SF8_CONSTEXPR __attribute__((noinline, flatten, unused))
#endif
#define SF8_LONG static SF8_CONSTEXPR inline __attribute__((unused))
#define SF8_COLD static SF8_CONSTEXPR __attribute__((noinline, cold, unused))
#else
#define SF8_FN static SF8_CONSTEXPR inline
#define SF8_WHOLE SF8_FN
#define SF8_LONG static SF8_CONSTEXPR inline
#define SF8_COLD static SF8_CONSTEXPR inline
#endif

#if defined(__GNUC__)
#define SF8_NOINLINE __attribute__((noinline))
#else
#define SF8_NOINLINE
#endif

#if defined(__GNUC__)
#define SF8_RARE(condition) __builtin_expect(!!(condition), 0)
#else
#define SF8_RARE(condition) (condition)
#endif

/* Number of zero bits above the leading one; `a` must not be zero. */
SF8_FN int32_t sf8_clz64(uint64_t a)
{
#if defined(__CUDA_ARCH__)
    return __clzll((long long)a);
#elif defined(__GNUC__)
    return __builtin_clzll(a);
#else
    int32_t n = 0;
    while (!(a >> 63)) {
        a <<= 1;
        n++;
    }
    return n;
#endif
}

/* Position of the leading one; `a` must not be zero. */
SF8_FN int32_t sf8_msb64(uint64_t a)
{
    return 63 ^ sf8_clz64(a);
}

/* Selections without a branch: the direction of a rounding is as random as the data, so a branch
 * would often be mispredicted. */
SF8_FN uint64_t sf8_select(uint32_t condition, uint64_t yes, uint64_t no)
{
    return no ^ ((yes ^ no) & (UINT64_C(0) - condition));
}

SF8_FN int32_t sf8_negative_part(int32_t a)
{
    return a & -(int32_t)(a < 0);
}

SF8_FN int32_t sf8_min(int32_t a, int32_t b)
{
    return a < b ? a : b; /* compilers select here, too */
}

/* Shifts right by `distance` >= 0, which may be large. If a one is shifted out, the least
 * significant bit becomes one ("jammed"), so that a later rounding still knows that the value was
 * not exact and on which side of a midpoint it lies. */
SF8_FN uint64_t sf8_shift_right_jam(uint64_t a, int32_t distance)
{
    if (distance > 63)
        return a != 0;
    return (a >> distance) | ((a & ((UINT64_C(1) << distance) - 1)) != 0);
}

/* Small tables in memory are faster on a CPU. On a device computing is as fast. */
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
#define SF8_USE_TABLES 0
#else
#define SF8_USE_TABLES 1
#endif

SF8_FN uint32_t sf8_f32_bits(float x)
{
#if defined(__CUDA_ARCH__)
    return __float_as_uint(x);
#elif defined(SF8_BIT_CAST)
    return __builtin_bit_cast(uint32_t, x);
#else
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

SF8_FN float sf8_f32_from_bits(uint32_t bits)
{
#if defined(__CUDA_ARCH__)
    return __uint_as_float(bits);
#elif defined(SF8_BIT_CAST)
    return __builtin_bit_cast(float, bits);
#else
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

SF8_FN uint64_t sf8_f64_bits(double x)
{
#if defined(__CUDA_ARCH__)
    return (uint64_t)__double_as_longlong(x);
#elif defined(SF8_BIT_CAST)
    return __builtin_bit_cast(uint64_t, x);
#else
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
#endif
}

SF8_FN double sf8_f64_from_bits(uint64_t bits)
{
#if defined(__CUDA_ARCH__)
    return __longlong_as_double((long long)bits);
#elif defined(SF8_BIT_CAST)
    return __builtin_bit_cast(double, bits);
#else
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}

#endif

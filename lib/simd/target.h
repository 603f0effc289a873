/* SPDX-License-Identifier: MIT */
/* target.h -- which levels are compiled, for which processors, and how their loops are */
#ifndef SF8_SIMD_TARGET_H
#define SF8_SIMD_TARGET_H

#include "softfp8/number/policy.h"

#include <stdint.h>
#include <string.h>

/* SF8_SIMD=0 leaves out what is written for one processor. So does C++, where the single header may
 * be compiled: gcc 12 warns there about its own intrinsics. The single header has the portable
 * level alone, unless SF8_ALL_LEVELS is defined: the others take most of the time of compiling it.
 */
#ifndef SF8_SIMD
#define SF8_SIMD 1
#endif
#if SF8_SIMD && defined(__GNUC__) && defined(__x86_64__) && !defined(__cplusplus)
#define SF8_HAS_X86 1
#else
#define SF8_HAS_X86 0
#endif
#if !defined(SOFTFP8_SINGLE_H) || defined(SF8_ALL_LEVELS)
#define SF8_OTHER_LEVELS 1
#else
#define SF8_OTHER_LEVELS 0
#endif
#define SF8_HAS_AVX (SF8_HAS_X86 && SF8_OTHER_LEVELS)
#if SF8_SIMD && SF8_OTHER_LEVELS && defined(__GNUC__) && defined(__AARCH64EL__) &&                 \
    defined(__ARM_NEON) && !defined(__cplusplus)
#define SF8_HAS_NEON 1
#include <arm_neon.h>
#else
#define SF8_HAS_NEON 0
#endif

/* Whether loops are compiled that use the compiler's own vectors alone. Not without optimization:
 * gcc 12 then fails on comparisons of vectors of 64 bytes. Not where gcc evaluates float in a wider
 * type, as for s390x and the x87: vectors and scalars then do not mix. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__cplusplus) && __FLT_EVAL_METHOD__ == 0
#define SF8_HAS_VECTORS 1
#else
#define SF8_HAS_VECTORS 0
#endif

/* What a kernel reads; f64 only when it is narrowed to f32. */
enum { SF8_SOURCE_F32, SF8_SOURCE_BF16, SF8_SOURCE_F16, SF8_SOURCE_F64 };

#if defined(__GNUC__)
#define SF8_INLINED static inline __attribute__((always_inline))
#else
#define SF8_INLINED static inline
#endif

/* Sets MXCSR to nearest, without exceptions, subnormal numbers kept, and returns what it was; sets
 * it back. Also where there are no loops for x86: conversions to integers raise flags, and may not
 * trap. */
#if defined(__GNUC__) && defined(__SSE__) && !defined(__cplusplus)
#include <immintrin.h>
enum { SF8_MXCSR_NEAREST = 0x1f80 };
static inline unsigned int sf8_floats_begin(void)
{
    unsigned int before = _mm_getcsr();
    _mm_setcsr(SF8_MXCSR_NEAREST);
    return before;
}

static inline void sf8_floats_end(unsigned int before)
{
    _mm_setcsr(before);
}
#else
static inline unsigned int sf8_floats_begin(void)
{
    return 0;
}

static inline void sf8_floats_end(unsigned int before)
{
    (void)before;
}
#endif

#if SF8_HAS_X86
/* The text of an instruction on vectors of AVX, r = a op b, with operands "=x"(r) : "x"(a), "x"(b).
 * The long form is demanded, because newer assemblers of LLVM exchange a and b of a sum or product
 * where that gives a shorter one. But the result is a, if both are NaN. */
#define SF8_AVX_TEXT(op) "%{vex3%} v" op "ps {%2, %1, %0|%0, %1, %2}"

/* The text of an instruction on four floats, a = a op b, with operands "+x"(a) : "x"(b). */
#if defined(__AVX__)
#define SF8_SSE_TEXT(op) "%{vex3%} v" op "ps {%1, %0, %0|%0, %0, %1}"
#else
#define SF8_SSE_TEXT(op) op "ps {%1, %0|%0, %1}"
#endif

enum { SF8_MXCSR_DOWN = 0x3f80, SF8_MXCSR_UP = 0x5f80, SF8_MXCSR_ZERO = 0x7f80 };

/* For a mode that no instruction has: toward zero. */
SF8_FN unsigned int sf8_mxcsr(int32_t round)
{
    return round == SF8_RNE  ? SF8_MXCSR_NEAREST
           : round == SF8_RU ? SF8_MXCSR_UP
           : round == SF8_RD ? SF8_MXCSR_DOWN
                             : SF8_MXCSR_ZERO;
}
#endif

#endif

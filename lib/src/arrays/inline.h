/* SPDX-License-Identifier: MIT */
/* inline.h -- how the loops of arithmetic and packing are compiled */
#ifndef SF8_ARRAY_INLINE_H
#define SF8_ARRAY_INLINE_H

#include "arrays/array.h"

#if SF8_HAS_X86
#define SF8_AVX2 __attribute__((target("avx2,fma")))
#define SF8_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#endif

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

#if defined(__GNUC__)
#define SF8_INLINED static inline __attribute__((always_inline))
#else
#define SF8_INLINED static inline
#endif

#endif

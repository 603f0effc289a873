/* SPDX-License-Identifier: MIT */
/* inline.h -- how the loops of arithmetic and packing are compiled */
#ifndef SF8_ARRAY_INLINE_H
#define SF8_ARRAY_INLINE_H

#include "arrays/array.h"

#if SF8_HAS_X86
#define SF8_AVX2 __attribute__((target("avx2,fma")))
#define SF8_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#endif

/* The text of an instruction on four floats, a = a op b, with operands "+x"(a) : "x"(b). */
#if defined(__AVX__)
#define SF8_SSE_TEXT(op) "v" op "ps {%1, %0, %0|%0, %0, %1}"
#else
#define SF8_SSE_TEXT(op) op "ps {%1, %0|%0, %1}"
#endif

#if defined(__GNUC__)
#define SF8_INLINED static inline __attribute__((always_inline))
#else
#define SF8_INLINED static inline
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* array_inline.h -- how the loops of arithmetic and packing are compiled */
#ifndef SF8_ARRAY_INLINE_H
#define SF8_ARRAY_INLINE_H

#include "array.h"

#if SF8_HAS_X86
#define SF8_AVX2 __attribute__((target("avx2,fma")))
#define SF8_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi")))
#endif

#if defined(__GNUC__)
#define SF8_INLINED static inline __attribute__((always_inline))
#else
#define SF8_INLINED static inline
#endif

#endif

/* SPDX-License-Identifier: MIT */
/* avx2.c -- the level avx2 */
#include "levels/loops.h"

#if SF8_HAS_AVX
#include "simd/avx2.h"

#define SF8_SHIFTS 1
#define SF8_SR_TOO 0
#define SF8_F16C 1
#include "arrays/round_kernel.h"
#include "arrays/wide_kernel.h"
#undef SF8_F16C
#undef SF8_SR_TOO
#undef SF8_SHIFTS
#include "arrays/f32_kernel.h"
#include "arrays/scaled_kernel.h"
#include "arrays/stochastic_kernel.h"
#include "arrays/avx2.h"
#include "arrays/arith_kernel.h"
#include "attend/chunk_kernel.h"
#include "blocks/four_bits_avx2.h"
#include "blocks/block_kernel.h"
#include "mma/mma_columns.h"

SF8_PRIVATE const sf8_level *sf8_level_avx2(void)
{
    static const sf8_kernels arrays = {
        SF8_KERNEL(encode), SF8_KERNEL(rne_clamp), SF8_KERNEL(general), SF8_ON(decode),
        SF8_ON(narrow),     SF8_KERNEL(scaled),    SF8_PLAIN(wide),     SF8_KERNEL(sr),
        SF8_ON(random),     SF8_ON(byte_table)};
    static const sf8_level level = {"avx2", &arrays,       SF8_ARITH(bytes), NULL,
                                    NULL,   &SF8_OPS(ops), SF8_MMA_LOOPS,    &SF8_ATT(ops)};
    return &level;
}

#include "simd/end.h"
#endif

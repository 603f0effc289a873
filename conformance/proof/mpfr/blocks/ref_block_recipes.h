/* SPDX-License-Identifier: MIT */
/* ref_block_recipes.h -- what the files of reference recipes share */
#ifndef PROOF_REF_BLOCK_RECIPES_H
#define PROOF_REF_BLOCK_RECIPES_H

#include "mpfr/blocks/ref_block.h"

#define REF_NAN 0x7fc00000u
#define REF_INF 0x7f800000u
#define REF_FLT_MAX 0x7f7fffffu
#define REF_1 0x3f800000u
#define REF_2 0x40000000u
#define REF_6 0x40c00000u
#define REF_448 0x43e00000u

/* A recipe's functions: a store by these statements, of b, x, n and g; the value of a code. */
#define REF_STORE(name, ...)                                                                       \
    static void name(ref_block *b, const word *x, size_t n, word g)                                \
    {                                                                                              \
        (void)g;                                                                                   \
        __VA_ARGS__;                                                                               \
    }
#define REF_VALUE(name, value)                                                                     \
    static inline word name(uint32_t scale, uint32_t offset, word g, uint32_t code)                \
    {                                                                                              \
        (void)scale, (void)offset, (void)g, (void)code;                                            \
        return value;                                                                              \
    }

/* The largest magnitude of the numbers; NaN if there is a NaN that counts, or no number. */
word ref_amax(const word *x, size_t n, int nan_counts);

/* The exponent of an MX scale: floor(log2 amax); one more where amax rounds up to the next power of
 * two at the precision of the elements (even), or is not a power of two (ceil). */
enum ref_mx_mode { REF_MX_FLOOR, REF_MX_EVEN, REF_MX_CEIL };
/* The e8m0 code of it less emax, within [-127, 127]; 255 is NaN. */
uint32_t ref_mx_scale(const word *x, size_t n, enum ref_mx_mode mode, int emax, int man_bits);
/* The same by microxcaling: floor(log2f(amax)) - emax, where amax is 2^-126 instead of 0; NaN above
 * 127, -127 below that. */
uint32_t ref_micro_scale(const word *x, size_t n, int emax);

/* The low bits of an integer; of NaN, of 0. */
uint32_t ref_integer(word y, int bits);
/* An integer, and one of 8 bits in two's complement, as f32. */
word ref_number(long n);
word ref_from_int8(uint32_t code);
/* What a code of these formats means. */
word ref_e2m1(uint32_t code);
word ref_e4m3(uint32_t code);
word ref_e8m0(uint32_t code);
/* A reader of NVFP4: (e SF) / g. */
word ref_over_g(uint32_t scale, uint32_t offset, word g, uint32_t code);
/* b becomes a if its error is smaller; no comparison with NaN holds. */
void ref_choose(ref_block *b, const ref_block *a, word error_a, word error_b);
/* Rounded to these formats, ties to even. */
word ref_f16(word y);
word ref_bf16(word y);

/* The recipes of each file; the last one has no name. */
extern const ref_recipe ref_other_recipes[], ref_kv_recipes[], ref_weights_recipes[],
    ref_gguf_recipes[], ref_torchao_recipes[], ref_shifts_recipes[], ref_group_recipes[],
    ref_engine_recipes[], ref_choice_recipes[], ref_flashinfer_recipes[], ref_framework_recipes[];
ref_global_scale *ref_weights_g(const char *name), *ref_framework_g(const char *name);

#endif

/* SPDX-License-Identifier: MIT */
/* array.h -- what the files of the array functions share: plans, levels, kernels
 *
 * A conversion to a format of 8 bits or less depends, for a deterministic rounding, on a few
 * numbers: where rounding begins, which magnitudes of the source overflow, are infinite, are NaN,
 * and the codes for those. A plan holds them; array_plan.c asks the core for the codes. A kernel
 * carries out a plan; what no plan describes goes through the core element by element.
 *
 * The magnitude of a source word is the word without its sign, and as an integer it grows with the
 * absolute value, so every "beyond" is a comparison of integers.
 */
#ifndef SF8_ARRAY_H
#define SF8_ARRAY_H

#include "softfp8.h"
#include "softfp8/scalar.h"

/* SF8_SIMD=0 leaves out what is written for one processor. So does C++, where the one header may be
 * compiled: gcc 12 warns there of its own intrinsics. */
#ifndef SF8_SIMD
#define SF8_SIMD 1
#endif
#if SF8_SIMD && defined(__GNUC__) && defined(__x86_64__) && !defined(__cplusplus)
#define SF8_HAS_X86 1
#else
#define SF8_HAS_X86 0
#endif
#if SF8_SIMD && defined(__GNUC__) && defined(__AARCH64EL__) && defined(__ARM_NEON) &&              \
    !defined(__cplusplus)
#define SF8_HAS_NEON 1
#else
#define SF8_HAS_NEON 0
#endif

/* What is shared between files but nobody else's. */
#if defined(SF8_STATIC)
#define SF8_PRIVATE SF8_API
#elif defined(__GNUC__)
#define SF8_PRIVATE __attribute__((visibility("hidden")))
#else
#define SF8_PRIVATE
#endif

/* The levels of this architecture, in the order of the table in array_dispatch.c. */
#if SF8_HAS_X86
enum { SF8_LEVEL_PORTABLE, SF8_LEVEL_AVX2, SF8_LEVEL_AVX512, SF8_LEVELS };
#elif SF8_HAS_NEON
enum { SF8_LEVEL_PORTABLE, SF8_LEVEL_NEON, SF8_LEVELS };
#else
enum { SF8_LEVEL_PORTABLE, SF8_LEVELS };
#endif

/* The codes of a class of operands, all magnitudes above `above`. */
typedef struct sf8_class_codes {
    int32_t above;
    int32_t positive;
    int32_t differs; /* positive ^ negative */
} sf8_class_codes;

typedef struct sf8_plan {
    int32_t powers; /* to e8m0: only encode does such a plan */
    int32_t round;
    int32_t man_bits;
    int32_t least;      /* the source's exponent field of the target's smallest normal number */
    int32_t cut;        /* 30 - man_bits: what is cut off of a significand with its one at bit 30 */
    int32_t flush_in;   /* lower magnitudes of the source count as zero */
    int32_t flush_out;  /* lower magnitudes of the target become zero */
    uint32_t keep_sign; /* mask of the source's word: without its sign where that is dropped */
    int32_t zero_sign;  /* not 0 if zero takes the sign */
    int32_t neg_keep, neg_add; /* a negative result from its magnitude: (m & neg_keep) | neg_add */
    sf8_class_codes over, inf, nan; /* the later one counts */
    /* Where all that can be said with fewer words: magnitudes are clamped, what is above `special`
     * has a code of its own, with the sign if special_sign, everything else its sign. */
    int32_t plain;
    int32_t clamp, special, special_code, special_sign, sign;
    /* Where even fewer do, by rne: SF8_BY_WORD, what is above `special` is as good as the word
     * special_word; SF8_BY_CLAMP, it is as good as what the clamp gives. Then the code `bare` has
     * no sign. */
    int32_t shortcut, special_word, bare;
    int32_t top; /* a magnitude beyond all that do not overflow, with an ordinary exponent */
} sf8_plan;

/* The shortcuts, the way of a plan that is not plain, and that of a plain one where no NaN of
 * negative sign can come and the clamp's code is as good for another. */
enum { SF8_NO_SHORTCUT, SF8_BY_WORD, SF8_BY_CLAMP, SF8_BY_CLASS, SF8_BY_MAGNITUDE };

/* Fills in the plan to convert from `from`, which is f32, bf16 or f16; returns 0 if no plan
 * exists. */
SF8_PRIVATE int32_t sf8_plan_make(sf8_plan *plan, sf8_format to, sf8_format from,
                                  sf8_policy policy);

/* What a kernel reads; f64 only when narrowed to f32. */
enum { SF8_SOURCE_F32, SF8_SOURCE_BF16, SF8_SOURCE_F16, SF8_SOURCE_F64 };

typedef void sf8_encoder(const sf8_plan *plan, int32_t source, uint8_t *dst,
                         const unsigned char *src, size_t n);

/* How words of f32 are scaled, in blocks of 2^shift of them, at least 16: multiplied with the
 * factor of their block, or divided by it and `more` added, which is 0 or -0; and how converted: by
 * the shortcut `how`, to codes two to a byte if `packed`. */
typedef struct sf8_scaling {
    int32_t how, divide, packed, shift;
    uint32_t more;
} sf8_scaling;

typedef void sf8_scaler(const sf8_plan *plan, const sf8_scaling *s, uint8_t *dst, const uint32_t *x,
                        const uint32_t *factor, size_t n);

/* The kernels of a level. dst may be src. encode does any plan for the source's own words. The next
 * two, which may be NULL, do a plan that was made for f32, from any of the sources: plain a plain
 * one by rne, other any. decode looks up 16 bits for each byte, and writes these or, widened below
 * with zeros, 32 bits. narrow, or NULL, makes words of f32 of those of f64, rounded to odd; a
 * number with an upper half below `least` becomes zero. scaled, or NULL, does plain plans by rne;
 * MXCSR is set to nearest by its caller. */
typedef struct sf8_kernels {
    const char *name;
    sf8_encoder *encode, *plain, *other;
    void (*decode)(const uint16_t *table, int32_t widen, unsigned char *dst, const uint8_t *src,
                   size_t n);
    void (*narrow)(uint32_t *dst, const unsigned char *src, size_t n, int32_t least);
    sf8_scaler *scaled;
} sf8_kernels;

/* Beyond this many bytes of output nothing that is written will be read from a cache. */
#define SF8_STREAM_BYTES ((size_t)16 << 20)

/* Every code of a format as words of `to`, f16 or bf16, under ocp-nosat; or NULL. */
SF8_PRIVATE const uint16_t *sf8_table_of(sf8_format to, sf8_format from);

/* The kernel for a plan that was made for f32, from words of f32. */
SF8_PRIVATE sf8_encoder *sf8_array_encoder(const sf8_kernels *k, const sf8_plan *plan);

SF8_PRIVATE int32_t sf8_level(void);
SF8_PRIVATE int32_t sf8_level_highest(void);
SF8_PRIVATE const sf8_kernels *sf8_kernels_of(int32_t level);

SF8_PRIVATE const sf8_kernels *sf8_portable_kernels(void);
#if SF8_HAS_X86
SF8_PRIVATE sf8_scaler sf8_scaled_sse2;
SF8_PRIVATE const sf8_kernels *sf8_avx2_kernels(void);
SF8_PRIVATE const sf8_kernels *sf8_avx512_kernels(void);
#elif SF8_HAS_NEON
SF8_PRIVATE const sf8_kernels *sf8_neon_kernels(void);
#endif

#endif

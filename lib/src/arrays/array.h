/* SPDX-License-Identifier: MIT */
/* array.h -- what the files of the array functions share: plans, levels, kernels
 *
 * A conversion to a format of 8 bits or less with a deterministic rounding depends on a few
 * numbers: where rounding begins, which magnitudes of the source overflow, are infinite, are NaN,
 * and the codes for those. A plan holds them; plan.c gets the codes from the core. A kernel carries
 * out a plan. Conversions that no plan describes go through the core element by element.
 *
 * The magnitude of a source element is its bit pattern without the sign. As an integer it grows
 * with the absolute value, so that every "beyond" is a comparison of integers.
 */
#ifndef SF8_ARRAY_H
#define SF8_ARRAY_H

#include "levels/level.h"
#include "softfp8/number/hif8.h"
#include "softfp8/scalar.h"

/* How elements of a format lie in memory: their width in bytes; the i-th one. */
SF8_FN size_t sf8_array_width(sf8_format f)
{
    int32_t bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

SF8_FN uint64_t sf8_array_load(const void *src, size_t i, size_t width)
{
    const unsigned char *at = (const unsigned char *)src + i * width;
    uint64_t word;
    uint32_t word32;
    uint16_t word16;
    switch (width) {
    case 1:
        return *at;
    case 2:
        memcpy(&word16, at, 2);
        return word16;
    case 4:
        memcpy(&word32, at, 4);
        return word32;
    default:
        memcpy(&word, at, 8);
        return word;
    }
}

SF8_FN void sf8_array_store(void *dst, size_t i, size_t width, uint64_t word)
{
    unsigned char *at = (unsigned char *)dst + i * width;
    uint32_t word32 = (uint32_t)word;
    uint16_t word16 = (uint16_t)word;
    switch (width) {
    case 1:
        *at = (unsigned char)word;
        break;
    case 2:
        memcpy(at, &word16, 2);
        break;
    case 4:
        memcpy(at, &word32, 4);
        break;
    default:
        memcpy(at, &word, 8);
        break;
    }
}

/* Returns why a call is refused, or SF8_OK. */
static inline sf8_status sf8_array_check(sf8_format to, sf8_format from, size_t n, int32_t no_words)
{
    if (!sf8_format_converts(to) || !sf8_format_converts(from))
        return SF8_BAD_FORMAT;
    size_t width = sf8_array_width(to) | sf8_array_width(from) | 4;
    return no_words || n > PTRDIFF_MAX / width ? SF8_BAD_CALL : SF8_OK;
}

/* The codes of a class of operands: all magnitudes above `above`. */
typedef struct sf8_class_codes {
    int32_t above;
    int32_t positive;
    int32_t differs; /* positive ^ negative */
} sf8_class_codes;

typedef struct sf8_plan {
    int32_t powers; /* to e8m0 */
    int32_t round;
    int32_t man_bits;
    int32_t least;      /* the source's exponent field of the target's smallest normal number */
    int32_t cut;        /* 30 - man_bits: the bits cut off a significand whose leading one is bit
                           30 */
    int32_t flush_in;   /* lower magnitudes of the source count as zero */
    int32_t flush_out;  /* lower magnitudes of the target become zero */
    uint32_t keep_sign; /* mask of the source's bits: without its sign if that is dropped */
    int32_t zero_sign;  /* not 0 if zero keeps the sign */
    int32_t neg_keep, neg_add; /* a negative result from its magnitude: (m & neg_keep) | neg_add */
    sf8_class_codes over, inf, nan; /* the later class that matches counts */
    /* A plain plan, which needs fewer numbers: magnitudes are clamped; those above `special` have a
     * code of their own, with the sign if special_sign; everything else has its sign. */
    int32_t plain;
    int32_t clamp, special, special_code, special_sign, sign;
    /* Shortcuts for rne. SF8_BY_WORD: magnitudes above `special` may be replaced by special_word.
     * SF8_BY_CLAMP: by what the clamp gives. Then the code `bare` has no sign. Without -0 that is
     * the code of zero, and the plan is not plain. SF8_BY_POSITIVE: the same for what is above
     * `special`; other negative elements become zero. */
    int32_t shortcut, special_word, bare;
    int32_t top; /* a magnitude above all that do not overflow, with an ordinary exponent */
    /* To e8m0: magnitudes below zero_below have the code zero_code; those above `lower` are at
     * least the second number. */
    int32_t zero_below, zero_code, lower;
    /* For the kernels `wide` and `sr`: the code of a NaN depends on its payload; how far a
     * significand is shifted at the most; what is made of random bits and added to it. For `sr` the
     * class `over` is one of results. */
    int32_t nan_varies, far, sr_shift;
    uint32_t sr_mask, sr_add, sr_less;
} sf8_plan;

/* The shortcuts; how to do a plan that is not plain, one to e8m0, one to e8m0 by the shortcut
 * SF8_BY_POSITIVE, and a plain one where no NaN of negative sign can occur and NaN has the code
 * that the clamp gives. */
enum {
    SF8_NO_SHORTCUT,
    SF8_BY_WORD,
    SF8_BY_CLAMP,
    SF8_BY_POSITIVE,
    SF8_BY_CLASS,
    SF8_BY_POWER,
    SF8_BY_POSITIVE_POWER,
    SF8_BY_MAGNITUDE
};

/* Returns 1 if the policy has no -0 though the format has one. No kernel does that. */
SF8_FN int32_t sf8_array_drops_neg_zero(sf8_format to, sf8_policy policy)
{
    return sf8_format_has_neg_zero(to) && !sf8_core_signs_zero(to, policy);
}

/* Fills in the plan to convert from `from`, which is f32, bf16 or f16; returns 0 if no plan
 * exists. */
SF8_PRIVATE int32_t sf8_plan_make(sf8_plan *plan, sf8_format to, sf8_format from,
                                  sf8_policy policy);

/* The same from f32, for the kernel `wide` to a format of more than 8 bits, or for `sr`. */
SF8_PRIVATE int32_t sf8_plan_make_wide(sf8_plan *plan, sf8_format to, sf8_policy policy);

typedef void sf8_encoder(const sf8_plan *plan, int32_t source, uint8_t *dst,
                         const unsigned char *src, size_t n);

/* How f32 elements are scaled, in blocks of 2^shift, at least 16: multiplied by the factor of their
 * block; or divided by it, with `more`, which is 0 or -0, added. And how they are converted: by the
 * shortcut `how`, to codes two to a byte if `packed`. The elements `ahead` bytes behind these come
 * next; they may be fetched into the cache. */
typedef struct sf8_scaling {
    int32_t how, divide, packed, shift;
    uint32_t more;
    size_t ahead;
} sf8_scaling;

typedef void sf8_scaler(const sf8_plan *plan, const sf8_scaling *s, uint8_t *dst, const uint32_t *x,
                        const uint32_t *factor, size_t n);

enum { SF8_GROUP = 64 };

/* For `narrow`: to odd, to 21 bits of significand or more, for a target of at most 19 bits whose
 * numbers are far above the subnormal ones of f32 and far below its largest. At the ends of
 * f32's range it need not be exact. */
enum { SF8_NARROW_FAR = -1 };

/* The largest number of f32. */
enum { SF8_F32_LARGEST = 0x7f7fffff };

/* The kernels of a level. dst may be src. encode supports any plan for the source's own elements.
 * rne_clamp and general, which may be NULL, support a plan that was made for f32, from any of the
 * sources: rne_clamp a plain one by rne, general any. If there is `general`, `rne_clamp` supports
 * the shortcuts, also of plans that are not plain. decode looks up 16 bits for each byte, and
 * writes these, or 32 bits with zeros below. narrow, or NULL, makes f32 of f64 by any rounding but
 * SR, or to odd as SF8_NARROW_FAR; a number whose upper half is below `least` becomes zero, one
 * beyond the range infinite or the largest. It returns 1 if a magnitude may be that of the largest
 * number or above. scaled, or NULL, does plain plans by rne; its caller sets MXCSR to nearest. wide
 * writes codes of 2 or 4 bytes (`width`); sr, by stochastic rounding, of 1, 2 or 4. random writes
 * the words of sf8_random_n from a counter on. Arrays of these three have room for n rounded up to
 * a multiple of SF8_GROUP, because a second loop for the elements at the end would double the code.
 * bytes, or NULL, looks up a byte for each byte. */
typedef struct sf8_kernels {
    sf8_encoder *encode, *rne_clamp, *general;
    void (*decode)(const uint16_t *table, int32_t widen, unsigned char *dst, const uint8_t *src,
                   size_t n);
    int32_t (*narrow)(unsigned char *dst, const unsigned char *src, size_t n, int32_t least,
                      int32_t round);
    sf8_scaler *scaled;
    void (*wide)(const sf8_plan *plan, size_t width, unsigned char *dst, const unsigned char *src,
                 size_t n);
    void (*sr)(const sf8_plan *plan, size_t width, unsigned char *dst, const uint32_t *words,
               const uint32_t *random, size_t n);
    void (*random)(uint32_t *words, size_t n, uint64_t seed, uint64_t counter);
    void (*bytes)(const uint8_t *table, uint8_t *dst, const uint8_t *src, size_t n);
} sf8_kernels;

/* With more bytes of output than this, nothing that is written will be read from a cache. */
#define SF8_STREAM_BYTES ((size_t)16 << 20)

/* Every code of a format as `to`, f16 or bf16, under ocp-nosat; or NULL. */
SF8_PRIVATE const uint16_t *sf8_table_of(sf8_format to, sf8_format from);

/* What each byte becomes, from the calls that kept it: the first few conversions that come with a
 * table (`made`) do. NULL if it is not there. */
SF8_PRIVATE const uint8_t *sf8_byte_table_of(const sf8_kernels *level, sf8_format to,
                                             sf8_format from, sf8_policy policy,
                                             const uint8_t *made);

/* The kernel for a plan that was made for f32, with f32 elements. */
SF8_PRIVATE sf8_encoder *sf8_array_encoder(const sf8_kernels *k, const sf8_plan *plan);

/* The kernels of the portable level. */
SF8_PRIVATE const sf8_kernels *sf8_portable_kernels(void);

#endif

/* SPDX-License-Identifier: MIT */
/* terms.h -- matrix units: what a unit is, and the terms that it adds
 *
 * mma.h has the rule. A term is a significand that is not normalised, with the exponent of its
 * fields.
 */
#ifndef SOFTFP8_CORE_MMA_TERMS_H
#define SOFTFP8_CORE_MMA_TERMS_H

#include "softfp8/number/arith.h"
#include "softfp8/number/policies.h"

/* order: how the terms are added.
 *
 *     fused         the accumulator is a term of each sum
 *     chain         operands are converted to f16. Of each four k, the first two are added to 0,
 *                   and the other two to that sum. The accumulator is added separately at the end.
 *     independent   the same, but both sums begin with 0 and are then added
 *     two-stage     products are summed without the accumulator; then both are truncated by
 *                   rounding down: CDNA3
 *     interleaved   the same, but products of even and of odd k are first summed separately
 */
enum { SF8_MMA_FUSED, SF8_MMA_CHAIN, SF8_MMA_INDEPENDENT, SF8_MMA_TWO_STAGE, SF8_MMA_INTERLEAVED };

/* underflow: the sign of a sum that is not zero but rounds to zero. */
enum { SF8_MMA_KEEPS_SIGN, SF8_MMA_POSITIVE };

/* Two properties that no known unit has. Results are compared with them too, to show that they can
 * be excluded.
 *
 * cut: terms are truncated toward zero, or toward minus infinity.
 *
 * products: the exponent of a product is the sum of the fields, or that of the product after
 * normalisation.
 */
enum { SF8_MMA_CUT_ZERO, SF8_MMA_CUT_DOWN };
enum { SF8_MMA_RAW, SF8_MMA_NORMALISED };

typedef struct sf8_mma {
    sf8_format a, b;  /* formats of the operands */
    sf8_format out;   /* format of accumulator and result */
    sf8_format sum;   /* format that a sum is rounded to: `out`, or one with fewer bits of
                         mantissa */
    sf8_format scale; /* format of the scales, one for scale_block elements of a and of b; 0:
                         none */
    int32_t scale_block;
    int32_t group;    /* products that are summed exactly, with one scale, to one term; 0: each is a
                         term */
    int32_t k;        /* products of one instruction */
    int32_t length;   /* products of one sum */
    int32_t fraction; /* bits that a term keeps below e_max */
    int32_t zero;     /* the exponent of a term that is zero */
    uint32_t round;   /* SF8_RZ or SF8_RNE */
    uint32_t order, underflow, cut, products;
} sf8_mma;

/* The operands. Codes of up to 8 bits are bytes, of up to 16 bits two bytes, others four; scales
 * are bytes. */
typedef struct sf8_mma_operands {
    const void *a, *b;
    const uint8_t *scale_a, *scale_b;
} sf8_mma_operands;

/* A term: significand * 2^(exponent - point), and what kind it is. */
typedef struct sf8_mma_term {
    int64_t significand;
    int32_t exponent, point;
    uint32_t kind;
} sf8_mma_term;

/* The kinds of the terms of a sum are OR-ed. Several of them may make the sum NaN. */
enum { SF8_MMA_FINITE = 0, SF8_MMA_NAN = 1, SF8_MMA_INF = 2, SF8_MMA_MINUS_INF = 4 };

/* Which products a sum has: all; of each four the first two or the last two; the even or the odd
 * ones. */
enum { SF8_MMA_ALL, SF8_MMA_LOW, SF8_MMA_HIGH, SF8_MMA_EVEN, SF8_MMA_ODD };

SF8_FN size_t sf8_mma_index(uint32_t set, size_t i)
{
    switch (set) {
    case SF8_MMA_LOW:
        return i / 2 * 4 + i % 2;
    case SF8_MMA_HIGH:
        return i / 2 * 4 + i % 2 + 2;
    case SF8_MMA_EVEN:
        return 2 * i;
    case SF8_MMA_ODD:
        return 2 * i + 1;
    default:
        return i;
    }
}

/* ---- terms ----------------------------------------------------------------------------------- */

/* The bytes of a code in memory. */
SF8_FN size_t sf8_mma_code_bytes(sf8_format f)
{
    int32_t bits = sf8_format_bits(f);
    return bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
}

SF8_FN uint64_t sf8_mma_load(sf8_format f, const void *codes, size_t i)
{
    const unsigned char *p = (const unsigned char *)codes;
    int32_t bits = sf8_format_bits(f);
    uint16_t half = 0;
    uint32_t word = bits <= 8 ? p[i] : 0;
    if (bits > 16) {
        memcpy(&word, p + 4 * i, 4);
    } else if (bits > 8) {
        memcpy(&half, p + 2 * i, 2);
        word = half;
    }
    return word & sf8_format_code_mask(f);
}

SF8_FN uint32_t sf8_mma_kind(sf8_format f, uint64_t code)
{
    if (!sf8_is_special(f, code))
        return SF8_MMA_FINITE;
    if (!sf8_is_inf(f, code))
        return SF8_MMA_NAN;
    return sf8_core_sign(f, code) ? SF8_MMA_MINUS_INF : SF8_MMA_INF;
}

/* The term of a single code. Here a zero has the exponent of its field. */
SF8_FN sf8_mma_term sf8_mma_code(sf8_format f, uint64_t code)
{
    sf8_number x = sf8_core_unpack(f, code, SF8_OCP_NOSAT);
    sf8_mma_term t;
    t.kind = sf8_mma_kind(f, code);
    t.significand = x.sign ? -(int64_t)x.sig : (int64_t)x.sig;
    t.exponent = x.exponent + f.man_bits;
    t.point = f.man_bits;
    return t;
}

/* The kind of a product with an infinity: infinity times a number has the sign of the product;
 * times zero it is NaN. */
SF8_FN uint32_t sf8_mma_kind_of_product(sf8_mma_term a, sf8_mma_term b)
{
    if ((a.kind | b.kind) == SF8_MMA_FINITE)
        return SF8_MMA_FINITE;
    if ((a.kind | b.kind) & SF8_MMA_NAN)
        return SF8_MMA_NAN;
    if ((a.kind == SF8_MMA_FINITE && a.significand == 0) ||
        (b.kind == SF8_MMA_FINITE && b.significand == 0))
        return SF8_MMA_NAN;
    return (a.significand < 0) == (b.significand < 0) ? SF8_MMA_INF : SF8_MMA_MINUS_INF;
}

SF8_FN sf8_mma_term sf8_mma_times(sf8_mma_term a, sf8_mma_term b)
{
    sf8_mma_term t;
    t.kind = sf8_mma_kind_of_product(a, b);
    t.significand = a.significand * b.significand;
    t.exponent = a.exponent + b.exponent;
    t.point = a.point + b.point;
    return t;
}

/* The term of one element. For a lowered product it is first converted to f16. */
SF8_FN sf8_mma_term sf8_mma_element(const sf8_mma *m, sf8_format f, const void *codes, size_t i)
{
    uint64_t code = sf8_mma_load(f, codes, i);
    if (m->order != SF8_MMA_CHAIN && m->order != SF8_MMA_INDEPENDENT)
        return sf8_mma_code(f, code);
    return sf8_mma_code(SF8_F16, sf8_core_convert(SF8_F16, f, code, SF8_OCP_NOSAT, 0).code);
}

SF8_FN sf8_mma_term sf8_mma_scale(const sf8_mma *m, sf8_mma_operands x, size_t i)
{
    size_t block = i / (size_t)m->scale_block;
    return sf8_mma_times(sf8_mma_code(m->scale, sf8_mma_load(m->scale, x.scale_a, block)),
                         sf8_mma_code(m->scale, sf8_mma_load(m->scale, x.scale_b, block)));
}

/* The product of the elements i, with their scales. */
SF8_FN sf8_mma_term sf8_mma_product(const sf8_mma *m, sf8_mma_operands x, size_t i)
{
    sf8_mma_term t = sf8_mma_times(sf8_mma_element(m, m->a, x.a, i),
                                   sf8_mma_element(m, m->b, x.b, i));
    if (m->scale_block) {
        sf8_mma_term scale = sf8_mma_scale(m, x, i);
        t.kind |= scale.kind;
        t.significand *= scale.significand;
        t.exponent += scale.exponent;
        t.point += scale.point;
    }
    if (m->products == SF8_MMA_NORMALISED && sf8_core_magnitude(t.significand) >> t.point >= 2) {
        t.exponent++;
        t.point++;
    }
    if (t.significand == 0)
        t.exponent = m->zero;
    return t;
}

/* The products of a group, beginning with element i, as one term. They are summed exactly in units
 * of the least product, and multiplied by the two scales. The exponent of the term is that of the
 * scales; it does not depend on the sum, so that a group which cancels out keeps it. Only if every
 * product of the group is zero, the exponent is `zero`. */
SF8_FN sf8_mma_term sf8_mma_group(const sf8_mma *m, sf8_mma_operands x, size_t i)
{
    sf8_mma_term t = sf8_mma_scale(m, x, i);
    int32_t least = sf8_format_emin(m->a) + sf8_format_emin(m->b);
    int64_t sum = 0;
    uint32_t any = 0;
    for (size_t j = 0; j < (size_t)m->group; j++) {
        sf8_mma_term p = sf8_mma_times(sf8_mma_code(m->a, sf8_mma_load(m->a, x.a, i + j)),
                                       sf8_mma_code(m->b, sf8_mma_load(m->b, x.b, i + j)));
        t.kind |= p.kind;
        any |= p.significand != 0;
        sum += p.significand * (INT64_C(1) << (p.exponent - least));
    }
    any &= t.significand != 0;
    t.significand *= sum;
    t.point += m->a.man_bits + m->b.man_bits - least;
    if (!any)
        t.exponent = m->zero;
    return t;
}

SF8_FN sf8_mma_term sf8_mma_nth(const sf8_mma *m, sf8_mma_operands x, size_t first, uint32_t set,
                                size_t i)
{
    if (m->group)
        return sf8_mma_group(m, x, first + i * (size_t)m->group);
    return sf8_mma_product(m, x, first + sf8_mma_index(set, i));
}

#endif

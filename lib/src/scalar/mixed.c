/* SPDX-License-Identifier: MIT */
/* mixed.c -- operations on mixed formats, and sums and products of elements with a scale */
#include "softfp8.h"
#include "softfp8/number/exact.h"

#include <string.h>

static int sf8_mixed_has(sf8_format f)
{
    return sf8_format_valid(f) && f.man_bits < SF8_ARITH_PRECISION;
}

static int sf8_mixed_takes(sf8_format f, sf8_format scale)
{
    static const sf8_format none = {0, 0, 0, 0, 0, 0, 0};
    return sf8_mixed_has(f) && (memcmp(&scale, &none, sizeof none) == 0 || sf8_mixed_has(scale));
}

sf8_result sf8_mixed(sf8_mixed_op op, sf8_format to, const sf8_operand *operands, sf8_policy policy,
                     uint32_t random)
{
    sf8_exact e;
    uint32_t count = sf8_mixed_operands((uint32_t)op);
    int takes = count != 0 && sf8_mixed_has(to);
    for (uint32_t i = 0; takes && i < count; i++)
        takes = sf8_mixed_takes(operands[i].format, operands[i].scale_format);
    if (!takes)
        return sf8_result_of(0, SF8_UNSUPPORTED);
    sf8_exact_begin(&e, to, policy);
    return sf8_exact_operate(&e, (uint32_t)op, operands, random);
}

/* ---- elements -------------------------------------------------------------------------------- */

static uint64_t sf8_mixed_code(const sf8_scaled_codes *x, size_t i)
{
    int32_t bits = sf8_format_bits(x->format);
    size_t size = bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
    const unsigned char *at = (const unsigned char *)x->codes + size * i;
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    switch (size) {
    case 1:
        return *at;
    case 2:
        memcpy(&two, at, size);
        return two;
    case 4:
        memcpy(&four, at, size);
        return four;
    default:
        memcpy(&eight, at, size);
        return eight;
    }
}

static sf8_real sf8_mixed_element(sf8_exact *e, const sf8_scaled_codes *x, size_t i)
{
    sf8_operand operand;
    operand.format = x->format;
    operand.scale_format = x->scale_format;
    operand.code = sf8_mixed_code(x, i);
    operand.scale = x->scale;
    return sf8_exact_read_scaled(e, operand);
}

/* The sum of x[i] y[i], or without `y` of x[i]. Each term is measured, then added. */
static sf8_result sf8_mixed_sum(sf8_exact *e, const sf8_scaled_codes *x, const sf8_scaled_codes *y,
                                size_t n, uint32_t random)
{
    const sf8_real one = sf8_real_of(SF8_REAL_FINITE, 0, 0, 1);
    sf8_exact_measure(e, one, sf8_real_of(SF8_REAL_FINITE, 0, 0, 0));
    for (int adds = 0; adds < 2; adds++) {
        if (adds)
            sf8_exact_make_room(e);
        for (size_t i = 0; i < n; i++) {
            sf8_real a = sf8_mixed_element(e, x, i), b = y ? sf8_mixed_element(e, y, i) : one;
            if (adds)
                sf8_exact_add(e, a, b);
            else
                sf8_exact_measure(e, a, b);
        }
    }
    return sf8_exact_round(e, one, 0, random);
}

sf8_result sf8_reduce_add(sf8_format to, const sf8_scaled_codes *x, size_t n, sf8_policy policy,
                          uint32_t random)
{
    sf8_exact e;
    if (!sf8_mixed_has(to) || !sf8_mixed_takes(x->format, x->scale_format))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    sf8_exact_begin(&e, to, policy);
    return sf8_mixed_sum(&e, x, NULL, n, random);
}

sf8_result sf8_dot(sf8_format to, const sf8_scaled_codes *x, const sf8_scaled_codes *y, size_t n,
                   sf8_policy policy, uint32_t random)
{
    sf8_exact e;
    if (!sf8_mixed_has(to) || !sf8_mixed_takes(x->format, x->scale_format) ||
        !sf8_mixed_takes(y->format, y->scale_format))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    sf8_exact_begin(&e, to, policy);
    return sf8_mixed_sum(&e, x, y, n, random);
}

/* A product of numbers. Its kind and its sign are in `real`, whose significand is 0 if the product
 * is 0. The magnitude is in `e`, unless it does not fit. */
typedef struct sf8_mixed_product {
    sf8_real real;
    int fits;
} sf8_mixed_product;

/* Multiplies by a number. Only the odd part of its significand is a factor of the integer, since
 * powers of 2 count in its exponent. */
static void sf8_mixed_multiply(sf8_exact *e, sf8_real x, sf8_mixed_product *product)
{
    sf8_real *real = &product->real;
    real->kind = sf8_real_product(*real, x);
    real->keeps |= x.keeps;
    real->number.sign ^= x.number.sign;
    if (sf8_real_is_zero(x))
        real->number.sig = 0;
    if (real->kind != SF8_REAL_FINITE || real->number.sig == 0 || !product->fits)
        return;
    while ((x.number.sig & 1) == 0) {
        x.number.sig >>= 1;
        x.number.exponent++;
    }
    e->low += x.number.exponent;
    product->fits = x.number.sig == 1 || sf8_exact_scale(e, x.number.sig);
}

sf8_result sf8_reduce_mul(sf8_format to, const sf8_scaled_codes *x, size_t n, sf8_policy policy,
                          uint32_t random)
{
    sf8_exact e;
    sf8_mixed_product product;
    if (!sf8_mixed_has(to) || !sf8_mixed_takes(x->format, x->scale_format))
        return sf8_result_of(0, SF8_UNSUPPORTED);
    sf8_exact_begin(&e, to, policy);
    e.low = 0;
    e.words = 1;
    e.word[0] = 1;
    product.real = sf8_real_of(SF8_REAL_FINITE, 0, 0, 1);
    product.fits = 1;
    for (size_t i = 0; i < n; i++) {
        sf8_mixed_multiply(&e, sf8_exact_read(&e, x->format, sf8_mixed_code(x, i)), &product);
        if (x->scale_format.exp_bits != 0)
            sf8_mixed_multiply(&e, sf8_exact_read(&e, x->scale_format, x->scale), &product);
    }
    if (product.real.kind != SF8_REAL_FINITE || product.real.number.sig == 0)
        return sf8_exact_round_real(&e, product.real, random);
    if (!product.fits)
        return sf8_result_of(0, SF8_UNSUPPORTED);
    e.word[e.words++] = 0; /* room for a sign */
    return sf8_exact_round(&e, product.real, 0, random);
}

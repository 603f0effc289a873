/* SPDX-License-Identifier: MIT */
/* arith.c -- arithmetic over arrays: the functions for any format
 *
 * Where there is no fast loop, the core computes element by element; or in long arrays a table of
 * all pairs is used, which the core fills first.
 */
#include "arrays/arith.h"
#include "arrays/array.h"
#include "softfp8/scalar.h"

#include <string.h>

static int sf8_is_extremum(sf8_array_op op)
{
    return op > SF8_ARRAY_rem;
}

/* Returns 1 if the arguments of a call are valid. */
static sf8_status sf8_array_status(sf8_array_op op, sf8_format f, size_t n, sf8_policy policy,
                                   int has_random)
{
    if (!sf8_format_valid(f))
        return SF8_BAD_FORMAT;
    if (!sf8_is_extremum(op) && f.man_bits >= SF8_ARITH_PRECISION)
        return SF8_BAD_FORMAT;
    if (n > PTRDIFF_MAX / (has_random ? sizeof(uint64_t) : sf8_array_width(f)))
        return SF8_BAD_CALL;
    if (!sf8_is_extremum(op) && policy.round == SF8_SR && !has_random)
        return SF8_BAD_CALL;
    return SF8_OK;
}

static void sf8_array_by_core(sf8_array_op op, sf8_format f, void *dst, const void *a,
                              const void *b, const void *c, size_t n, sf8_policy policy)
{
    size_t size = sf8_array_width(f);
    for (size_t i = 0; i < n; i++) {
        uint64_t x = sf8_array_load(a, i, size), y = sf8_array_load(b, i, size);
        uint64_t z = c ? sf8_array_load(c, i, size) : 0;
        sf8_array_store(dst, i, size, sf8_array_one(op, f, x, y, z, policy));
    }
}

/* A table of all pairs of codes, at most 64 KiB, for arrays that are long enough to justify filling
 * it. */
static SF8_NOINLINE void sf8_array_by_table(sf8_array_op op, sf8_format f, uint8_t *dst,
                                            const uint8_t *a, const uint8_t *b, size_t n,
                                            sf8_policy policy)
{
    uint8_t table[65536], first[256], second[256];
    int32_t bits = sf8_format_bits(f);
    uint32_t codes = 1u << bits, mask = codes - 1;
    for (uint32_t y = 0; y < codes; y++)
        second[y] = (uint8_t)y;
    for (uint32_t x = 0; x < codes; x++) {
        memset(first, (int)x, codes);
        sf8_array_by_core(op, f, table + (x << bits), first, second, NULL, codes, policy);
    }
    for (size_t i = 0; i < n; i++)
        dst[i] = table[(a[i] & mask) << bits | (b[i] & mask)];
}

static void sf8_array_arith_bytes(sf8_array_op op, sf8_format f, uint8_t *dst, const uint8_t *a,
                                  const uint8_t *b, const uint8_t *c, size_t n, sf8_policy policy)
{
    int32_t bits = sf8_format_bits(f);
    const sf8_level *level = sf8_level_now();
    if (level->arith && n >= SF8_ARITH_SHORT && sf8_arith_can(f, policy, op)) {
        sf8_arith_plan plan = sf8_arith_make(f, policy, op, n);
        level->arith(&plan, dst, a, b, c);
        return;
    }
    if (op == SF8_ARRAY_fma || n < (size_t)3 << (2 * bits - 1))
        sf8_array_by_core(op, f, dst, a, b, c, n, policy);
    else
        sf8_array_by_table(op, f, dst, a, b, n, policy);
}

static sf8_status sf8_array_arith(sf8_array_op op, sf8_format f, void *dst, const void *a,
                                  const void *b, const void *c, size_t n, sf8_policy policy)
{
    sf8_status status = sf8_array_status(op, f, n, policy, 0);
    if (status != SF8_OK || n == 0)
        return status;
    if (!dst || !a || !b || (op == SF8_ARRAY_fma && !c))
        return SF8_BAD_CALL;
    if (sf8_format_bits(f) > 8)
        sf8_array_by_core(op, f, dst, a, b, c, n, policy);
    else
        sf8_array_arith_bytes(op, f, (uint8_t *)dst, (const uint8_t *)a, (const uint8_t *)b,
                              (const uint8_t *)c, n, policy);
    return SF8_OK;
}

#define SF8_DEFINE(any, op)                                                                        \
    sf8_status sf8_##op##_n(sf8_format f, void *dst, const void *a, const void *b, size_t n,       \
                            sf8_policy policy)                                                     \
    {                                                                                              \
        return sf8_array_arith(SF8_ARRAY_##op, f, dst, a, b, NULL, n, policy);                     \
    }
#define SF8_DEFINE_EXTREMUM(any, op, greater, magnitude, number) SF8_DEFINE(any, op)
SF8_BINARY_ARITHMETIC(SF8_DEFINE, any)
SF8_EXTREMA(SF8_DEFINE_EXTREMUM, any)
#undef SF8_DEFINE
#undef SF8_DEFINE_EXTREMUM

sf8_status sf8_fma_n(sf8_format f, void *dst, const void *a, const void *b, const void *c, size_t n,
                     sf8_policy policy)
{
    return sf8_array_arith(SF8_ARRAY_fma, f, dst, a, b, c, n, policy);
}

/* ---- stochastic rounding --------------------------------------------------------------------- */

#define SF8_DEFINE(any, op)                                                                        \
    sf8_status sf8_##op##_sr_n(sf8_format f, void *dst, const void *a, const void *b, size_t n,    \
                               sf8_policy policy, const uint32_t *random)                          \
    {                                                                                              \
        sf8_status status = sf8_array_status(SF8_ARRAY_##op, f, n, policy, 1);                     \
        if (status == SF8_OK && n != 0 &&                                                          \
            (!dst || !a || !b || (policy.round == SF8_SR && !random)))                             \
            return SF8_BAD_CALL;                                                                   \
        size_t size = sf8_array_width(f);                                                          \
        for (size_t i = 0; status == SF8_OK && i < n; i++) {                                       \
            uint64_t x = sf8_array_load(a, i, size), y = sf8_array_load(b, i, size);               \
            sf8_array_store(dst, i, size,                                                          \
                            sf8_##op##_sr(f, x, y, policy, random ? random[i] : 0).code);          \
        }                                                                                          \
        return status;                                                                             \
    }
SF8_BINARY_ARITHMETIC(SF8_DEFINE, any)
#undef SF8_DEFINE

sf8_status sf8_fma_sr_n(sf8_format f, void *dst, const void *a, const void *b, const void *c,
                        size_t n, sf8_policy policy, const uint32_t *random)
{
    sf8_status status = sf8_array_status(SF8_ARRAY_fma, f, n, policy, 1);
    if (status == SF8_OK && n != 0 &&
        (!dst || !a || !b || !c || (policy.round == SF8_SR && !random)))
        return SF8_BAD_CALL;
    size_t size = sf8_array_width(f);
    for (size_t i = 0; status == SF8_OK && i < n; i++) {
        uint64_t x = sf8_array_load(a, i, size), y = sf8_array_load(b, i, size);
        uint64_t z = sf8_array_load(c, i, size);
        sf8_array_store(dst, i, size, sf8_fma_sr(f, x, y, z, policy, random ? random[i] : 0).code);
    }
    return status;
}

/* ---- one operand ----------------------------------------------------------------------------- */

typedef enum sf8_array_unary { SF8_ARRAY_sqrt, SF8_ARRAY_rint, SF8_ARRAY_scalb } sf8_array_unary;

static sf8_status sf8_unary_status(sf8_array_unary op, sf8_format f, size_t n, sf8_policy policy,
                                   int has_random)
{
    if (!sf8_format_valid(f))
        return SF8_BAD_FORMAT;
    if (op == SF8_ARRAY_sqrt && f.man_bits >= SF8_ARITH_PRECISION)
        return SF8_BAD_FORMAT;
    if (n > PTRDIFF_MAX / sizeof(uint64_t) || (policy.round == SF8_SR && !has_random))
        return SF8_BAD_CALL;
    return SF8_OK;
}

static uint64_t sf8_unary_one(sf8_array_unary op, sf8_format f, uint64_t a, int32_t exponent,
                              sf8_policy policy, uint32_t random)
{
    switch (op) {
    case SF8_ARRAY_sqrt:
        return sf8_sqrt_sr(f, a, policy, random).code;
    case SF8_ARRAY_rint:
        return sf8_rint_sr(f, a, policy, 0, random).code;
    default:
        return sf8_scalb_sr(f, a, exponent, policy, random).code;
    }
}

/* By a table of all codes, if that is less work. */
static void sf8_unary_by_table(sf8_array_unary op, sf8_format f, uint8_t *dst, const uint8_t *a,
                               size_t n, sf8_policy policy)
{
    uint8_t table[256];
    uint32_t codes = 1u << sf8_format_bits(f);
    for (uint32_t code = 0; code < 256; code++)
        table[code] = code < codes ? (uint8_t)sf8_unary_one(op, f, code, 0, policy, 0)
                                   : table[code & (codes - 1)];
    for (size_t i = 0; i < n; i++)
        dst[i] = table[a[i]];
}

static sf8_status sf8_array_unary_n(sf8_array_unary op, sf8_format f, void *dst, const void *a,
                                    const int32_t *exponents, size_t n, sf8_policy policy,
                                    const uint32_t *random)
{
    sf8_status status = sf8_unary_status(op, f, n, policy, random != NULL);
    size_t size = sf8_array_width(f);
    if (status != SF8_OK || n == 0)
        return status;
    if (!dst || !a || (op == SF8_ARRAY_scalb && !exponents))
        return SF8_BAD_CALL;
    if (size == 1 && !exponents && !random && n > (size_t)1 << sf8_format_bits(f)) {
        sf8_unary_by_table(op, f, (uint8_t *)dst, (const uint8_t *)a, n, policy);
        return SF8_OK;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t x = sf8_array_load(a, i, size);
        sf8_array_store(
            dst, i, size,
            sf8_unary_one(op, f, x, exponents ? exponents[i] : 0, policy, random ? random[i] : 0));
    }
    return SF8_OK;
}

#define SF8_DEFINE(op)                                                                             \
    sf8_status sf8_##op##_n(sf8_format f, void *dst, const void *a, size_t n, sf8_policy policy)   \
    {                                                                                              \
        return sf8_array_unary_n(SF8_ARRAY_##op, f, dst, a, NULL, n, policy, NULL);                \
    }                                                                                              \
    sf8_status sf8_##op##_sr_n(sf8_format f, void *dst, const void *a, size_t n,                   \
                               sf8_policy policy, const uint32_t *random)                          \
    {                                                                                              \
        return sf8_array_unary_n(SF8_ARRAY_##op, f, dst, a, NULL, n, policy, random);              \
    }
SF8_DEFINE(sqrt)
SF8_DEFINE(rint)
#undef SF8_DEFINE

sf8_status sf8_scalb_n(sf8_format f, void *dst, const void *a, const int32_t *exponents, size_t n,
                       sf8_policy policy)
{
    return sf8_array_unary_n(SF8_ARRAY_scalb, f, dst, a, exponents, n, policy, NULL);
}

sf8_status sf8_scalb_sr_n(sf8_format f, void *dst, const void *a, const int32_t *exponents,
                          size_t n, sf8_policy policy, const uint32_t *random)
{
    return sf8_array_unary_n(SF8_ARRAY_scalb, f, dst, a, exponents, n, policy, random);
}

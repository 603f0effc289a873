/* SPDX-License-Identifier: MIT */
/* core.c -- the functions of the core that proofs by machine are about, each as one entry
 *
 * core.py reads what clang makes of this file. An entry takes operands, the fields of a policy one
 * after the other (the first one in the lowest bits), and random bits. The order of the fields is
 * that of docs/spec/policies.md.
 */
#include "softfp8/number/arith.h"
#include "softfp8/number/compare.h"

static sf8_policy policy_of(uint64_t fields)
{
    sf8_policy policy = sf8_policy_default();
#define TAKE(name, width, values)                                                                  \
    policy.name = (unsigned)(fields & ((UINT64_C(1) << (width)) - 1));                             \
    fields >>= (width);
    SF8_POLICY_FIELDS(TAKE)
#undef TAKE
    return policy;
}

/* The fields of a row: 4 bits of exp_bits, 6 of man_bits, signed, 2 of nan, inf, zero, 16 of
 * bias. */
static sf8_format format_of(uint64_t row)
{
    sf8_format f;
    f.exp_bits = row & 15;
    f.man_bits = row >> 4 & 63;
    f.is_signed = row >> 10 & 1;
    f.nan = row >> 11 & 3;
    f.has_inf = row >> 13 & 1;
    f.has_zero = row >> 14 & 1;
    f.bias = (int16_t)(row >> 16 & 0xffff);
    return f;
}

/* ---- named formats */

#define CONVERT(from, to)                                                                          \
    sf8_result from##_to_##to(uint64_t x, uint64_t fields, uint32_t random)                        \
    {                                                                                              \
        return sf8_core_convert(sf8_##to##_format(), sf8_##from##_format(), x, policy_of(fields),  \
                                random);                                                           \
    }
#define CONVERSIONS(f)                                                                             \
    CONVERT(f64, f)                                                                                \
    CONVERT(f32, f)                                                                                \
    CONVERT(f, f32)                                                                                \
    CONVERT(f, f64)
#define OPERATIONS(f)                                                                              \
    sf8_result f##_add(uint64_t a, uint64_t b, uint64_t fields, uint32_t random)                   \
    {                                                                                              \
        return sf8_core_add(sf8_##f##_format(), a, b, policy_of(fields), random);                  \
    }                                                                                              \
    sf8_result f##_sub(uint64_t a, uint64_t b, uint64_t fields, uint32_t random)                   \
    {                                                                                              \
        return sf8_core_sub(sf8_##f##_format(), a, b, policy_of(fields), random);                  \
    }                                                                                              \
    sf8_result f##_mul(uint64_t a, uint64_t b, uint64_t fields, uint32_t random)                   \
    {                                                                                              \
        return sf8_core_mul(sf8_##f##_format(), a, b, policy_of(fields), random);                  \
    }                                                                                              \
    sf8_result f##_fma(uint64_t a, uint64_t b, uint64_t c, uint64_t fields, uint32_t random)       \
    {                                                                                              \
        return sf8_core_fma(sf8_##f##_format(), a, b, c, policy_of(fields), random);               \
    }                                                                                              \
    sf8_result f##_div(uint64_t a, uint64_t b, uint64_t fields, uint32_t random)                   \
    {                                                                                              \
        return sf8_core_div(sf8_##f##_format(), a, b, policy_of(fields), random);                  \
    }                                                                                              \
    sf8_result f##_sqrt(uint64_t a, uint64_t fields, uint32_t random)                              \
    {                                                                                              \
        return sf8_core_sqrt(sf8_##f##_format(), a, policy_of(fields), random);                    \
    }                                                                                              \
    sf8_result f##_rem(uint64_t a, uint64_t b, uint64_t fields, uint32_t random)                   \
    {                                                                                              \
        return sf8_core_rem(sf8_##f##_format(), a, b, policy_of(fields), random);                  \
    }                                                                                              \
    sf8_result f##_rint(uint64_t a, uint64_t fields, int32_t exact, uint32_t random)               \
    {                                                                                              \
        return sf8_core_rint(sf8_##f##_format(), a, policy_of(fields), exact, random);             \
    }                                                                                              \
    sf8_result f##_scalb(uint64_t a, int32_t n, uint64_t fields, uint32_t random)                  \
    {                                                                                              \
        return sf8_core_scalb(sf8_##f##_format(), a, n, policy_of(fields), random);                \
    }                                                                                              \
    sf8_result i64_to_##f(uint64_t x, uint64_t fields, uint32_t random)                            \
    {                                                                                              \
        return sf8_core_from_i64(sf8_##f##_format(), (int64_t)x, policy_of(fields), random);       \
    }                                                                                              \
    sf8_result u64_to_##f(uint64_t x, uint64_t fields, uint32_t random)                            \
    {                                                                                              \
        return sf8_core_from_u64(sf8_##f##_format(), x, policy_of(fields), random);                \
    }                                                                                              \
    sf8_result f##_to_i64(uint64_t x, uint64_t fields, int32_t exact, uint32_t random)             \
    {                                                                                              \
        return sf8_core_to_integer(sf8_##f##_format(), x, 64, 1, policy_of(fields), exact,         \
                                   random);                                                        \
    }                                                                                              \
    sf8_result f##_to_u64(uint64_t x, uint64_t fields, int32_t exact, uint32_t random)             \
    {                                                                                              \
        return sf8_core_to_integer(sf8_##f##_format(), x, 64, 0, policy_of(fields), exact,         \
                                   random);                                                        \
    }

/* The functions that round, for the proofs in two steps. */
#define ROUNDING(f)                                                                                \
    sf8_result f##_round_number(uint32_t sign, int32_t exponent, uint64_t sig, uint64_t fields,    \
                                uint32_t random)                                                   \
    {                                                                                              \
        return sf8_core_round_number(sf8_##f##_format(), policy_of(fields), sign, exponent, sig,   \
                                     random);                                                      \
    }                                                                                              \
    sf8_result f##_round_fixed(uint32_t sign, int32_t exponent, uint64_t sig, uint64_t fields,     \
                               uint32_t random)                                                    \
    {                                                                                              \
        return sf8_core_round_fixed(sf8_##f##_format(), policy_of(fields), sign, exponent, sig,    \
                                    random);                                                       \
    }                                                                                              \
    sf8_result f##_round_normal(uint32_t sign, int32_t exponent, uint64_t sig, uint64_t fields,    \
                                uint32_t random)                                                   \
    {                                                                                              \
        return sf8_core_round_normal(sf8_##f##_format(), policy_of(fields), sign, exponent, sig,   \
                                     random);                                                      \
    }

CONVERSIONS(e4m3)
OPERATIONS(e4m3)
ROUNDING(e4m3)
CONVERSIONS(e5m2)
OPERATIONS(e5m2)
ROUNDING(e5m2)
CONVERSIONS(e2m1)
OPERATIONS(e2m1)
ROUNDING(e2m1)
CONVERSIONS(e3m2)
OPERATIONS(e3m2)
ROUNDING(e3m2)
CONVERSIONS(e2m3)
OPERATIONS(e2m3)
ROUNDING(e2m3)
CONVERSIONS(e8m0)
OPERATIONS(e8m0)
CONVERSIONS(e4m3fnuz)
OPERATIONS(e4m3fnuz)
ROUNDING(e4m3fnuz)
CONVERSIONS(f16)
OPERATIONS(f16)
ROUNDING(f16)
CONVERSIONS(bf16)
OPERATIONS(bf16)
ROUNDING(bf16)
OPERATIONS(f32)
ROUNDING(f32)
CONVERT(f64, f32)
CONVERT(f32, f64)
CONVERT(f64, tf32)
CONVERT(f32, tf32)

/* ---- any valid row */

int32_t row_valid(uint64_t row)
{
    return sf8_format_valid(format_of(row));
}

sf8_result row_convert(uint64_t to, uint64_t from, uint64_t x, uint64_t fields, uint32_t random)
{
    return sf8_core_convert(format_of(to), format_of(from), x, policy_of(fields), random);
}

sf8_result row_convert_once(uint64_t to, uint64_t from, uint64_t x, uint64_t fields,
                            uint32_t random)
{
    return sf8_core_convert_once(format_of(to), format_of(from), x, policy_of(fields), random);
}

sf8_result row_from_i64(uint64_t to, uint64_t x, uint64_t fields, uint32_t random)
{
    return sf8_core_from_i64(format_of(to), (int64_t)x, policy_of(fields), random);
}

sf8_result row_from_u64(uint64_t to, uint64_t x, uint64_t fields, uint32_t random)
{
    return sf8_core_from_u64(format_of(to), x, policy_of(fields), random);
}

/* `width` is 0 to 3, for 8 to 64 bits. */
sf8_result row_to_integer(uint64_t from, uint64_t x, int32_t width, int32_t is_signed,
                          uint64_t fields, int32_t exact, uint32_t random)
{
    return sf8_core_to_integer(format_of(from), x, 8 << (width & 3), is_signed & 1,
                               policy_of(fields), exact, random);
}

sf8_result row_next(uint64_t row, uint64_t a, int32_t up, uint64_t fields)
{
    return sf8_core_next(format_of(row), a, up, policy_of(fields));
}

sf8_result row_compare(uint64_t row, uint64_t a, uint64_t b, int32_t signaling, uint64_t fields)
{
    return sf8_core_compare(format_of(row), a, b, signaling, policy_of(fields));
}

sf8_result row_extremum(uint64_t row, uint64_t a, uint64_t b, int32_t which, uint64_t fields)
{
    return sf8_core_extremum(format_of(row), a, b, which & 1, which >> 1 & 1, which >> 2 & 1,
                             policy_of(fields));
}

int32_t row_class(uint64_t row, uint64_t a, uint64_t fields)
{
    return sf8_core_class(format_of(row), a, policy_of(fields));
}

uint32_t row_total_order(uint64_t row, uint64_t a, uint64_t b, uint64_t fields)
{
    return sf8_core_total_order(format_of(row), a, b, policy_of(fields));
}

sf8_result row_negate(uint64_t row, uint64_t a, uint64_t fields)
{
    return sf8_core_negate(format_of(row), a, policy_of(fields));
}

uint64_t row_copy_sign(uint64_t row, uint64_t a, uint64_t b)
{
    return sf8_core_copy_sign(format_of(row), a, b);
}

uint64_t row_abs(uint64_t row, uint64_t a)
{
    return sf8_core_abs(format_of(row), a);
}

sf8_result row_copy_sign_flags(uint64_t row, uint64_t a, uint64_t b, uint64_t fields)
{
    return sf8_core_copy_sign_flags(format_of(row), a, b, policy_of(fields));
}

sf8_result row_abs_flags(uint64_t row, uint64_t a, uint64_t fields)
{
    return sf8_core_abs_flags(format_of(row), a, policy_of(fields));
}

/* SPDX-License-Identifier: MIT */
/* api.c -- the operations for any format, chosen at run time
 *
 * An invalid row, and an operation that the format does not have, are refused here. Everything else
 * is the core.
 */
#include "softfp8.h"
#include "softfp8/number/hif8.h"
#include "softfp8/scalar.h"

const char *sf8_version(void)
{
    return SF8_VERSION;
}

static int sf8_has_arithmetic(sf8_format f)
{
    return sf8_format_valid(f) && f.man_bits < SF8_ARITH_PRECISION;
}

static sf8_result sf8_unsupported(void)
{
    return sf8_result_of(0, SF8_UNSUPPORTED);
}

sf8_result sf8_convert_sr(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy,
                          uint32_t random)
{
    if (sf8_format_valid(to) && sf8_format_valid(from))
        return sf8_core_convert(to, from, bits, policy, random);
    if (sf8_format_converts(to) && sf8_format_converts(from))
        return sf8_core_convert_hif8(to, from, bits, policy, random);
    return sf8_unsupported();
}

sf8_result sf8_convert_flags(sf8_format to, sf8_format from, uint64_t bits, sf8_policy policy)
{
    return sf8_convert_sr(to, from, bits, policy, 0);
}

sf8_result sf8_from_i64_sr(sf8_format to, int64_t x, sf8_policy policy, uint32_t random)
{
    return sf8_format_valid(to) ? sf8_core_from_i64(to, x, policy, random) : sf8_unsupported();
}

sf8_result sf8_from_u64_sr(sf8_format to, uint64_t x, sf8_policy policy, uint32_t random)
{
    return sf8_format_valid(to) ? sf8_core_from_u64(to, x, policy, random) : sf8_unsupported();
}

sf8_result sf8_from_i64(sf8_format to, int64_t x, sf8_policy policy)
{
    return sf8_from_i64_sr(to, x, policy, 0);
}

sf8_result sf8_from_u64(sf8_format to, uint64_t x, sf8_policy policy)
{
    return sf8_from_u64_sr(to, x, policy, 0);
}

sf8_result sf8_to_integer(sf8_format from, uint64_t code, int32_t width, int32_t is_signed,
                          sf8_policy policy, int32_t exact)
{
    if (!sf8_format_valid(from) || (width != 8 && width != 16 && width != 32 && width != 64))
        return sf8_unsupported();
    return sf8_core_to_integer(from, code, width, is_signed, policy, exact, 0);
}

#define SF8_DEFINE(any, op)                                                                        \
    sf8_result sf8_##op##_sr(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,              \
                             uint32_t random)                                                      \
    {                                                                                              \
        return sf8_has_arithmetic(f) ? sf8_core_##op(f, a, b, policy, random) : sf8_unsupported(); \
    }
SF8_BINARY_ARITHMETIC(SF8_DEFINE, any)
#undef SF8_DEFINE

sf8_result sf8_sqrt_sr(sf8_format f, uint64_t a, sf8_policy policy, uint32_t random)
{
    return sf8_has_arithmetic(f) ? sf8_core_sqrt(f, a, policy, random) : sf8_unsupported();
}

sf8_result sf8_sqrt(sf8_format f, uint64_t a, sf8_policy policy)
{
    return sf8_sqrt_sr(f, a, policy, 0);
}

sf8_result sf8_fma_sr(sf8_format f, uint64_t a, uint64_t b, uint64_t c, sf8_policy policy,
                      uint32_t random)
{
    return sf8_has_arithmetic(f) ? sf8_core_fma(f, a, b, c, policy, random) : sf8_unsupported();
}

sf8_result sf8_rint_sr(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact, uint32_t random)
{
    return sf8_format_valid(f) ? sf8_core_rint(f, a, policy, exact, random) : sf8_unsupported();
}

sf8_result sf8_rint(sf8_format f, uint64_t a, sf8_policy policy, int32_t exact)
{
    return sf8_rint_sr(f, a, policy, exact, 0);
}

sf8_result sf8_scalb_sr(sf8_format f, uint64_t a, int32_t n, sf8_policy policy, uint32_t random)
{
    return sf8_format_valid(f) ? sf8_core_scalb(f, a, n, policy, random) : sf8_unsupported();
}

sf8_result sf8_scalb(sf8_format f, uint64_t a, int32_t n, sf8_policy policy)
{
    return sf8_scalb_sr(f, a, n, policy, 0);
}

#define SF8_DEFINE(any, op, greater, magnitude, number)                                            \
    sf8_result sf8_##op(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)                   \
    {                                                                                              \
        return sf8_format_valid(f)                                                                 \
                   ? sf8_core_extremum(f, a, b, greater, magnitude, number, policy)                \
                   : sf8_unsupported();                                                            \
    }
SF8_EXTREMA(SF8_DEFINE, any)
#undef SF8_DEFINE

sf8_result sf8_next_up(sf8_format f, uint64_t a, sf8_policy policy)
{
    return sf8_format_valid(f) ? sf8_core_next(f, a, 1, policy) : sf8_unsupported();
}

sf8_result sf8_next_down(sf8_format f, uint64_t a, sf8_policy policy)
{
    return sf8_format_valid(f) ? sf8_core_next(f, a, 0, policy) : sf8_unsupported();
}

static int32_t sf8_compare_any(sf8_format f, uint64_t a, uint64_t b, int32_t signaling,
                               sf8_policy policy, uint32_t *flags)
{
    sf8_result r = sf8_result_of(SF8_UNORDERED, SF8_UNSUPPORTED);
    if (sf8_format_valid(f))
        r = sf8_core_compare(f, a, b, signaling, policy);
    if (flags)
        *flags = r.flags;
    return (int32_t)(int64_t)r.code;
}

int32_t sf8_compare(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy, uint32_t *flags)
{
    return sf8_compare_any(f, a, b, 0, policy, flags);
}

int32_t sf8_compare_signaling(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy,
                              uint32_t *flags)
{
    return sf8_compare_any(f, a, b, 1, policy, flags);
}

int32_t sf8_total_order(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    return sf8_format_valid(f) && sf8_core_total_order(f, a, b, policy);
}

int32_t sf8_class(sf8_format f, uint64_t a, sf8_policy policy)
{
    return sf8_format_valid(f) ? sf8_core_class(f, a, policy) : -1;
}

sf8_result sf8_negate(sf8_format f, uint64_t a, sf8_policy policy)
{
    return sf8_format_valid(f) ? sf8_core_negate(f, a, policy) : sf8_unsupported();
}

uint64_t sf8_abs(sf8_format f, uint64_t a)
{
    return sf8_format_valid(f) ? sf8_core_abs(f, a) : 0;
}

uint64_t sf8_copy_sign(sf8_format f, uint64_t a, uint64_t b)
{
    return sf8_format_valid(f) ? sf8_core_copy_sign(f, a, b) : 0;
}

sf8_result sf8_abs_flags(sf8_format f, uint64_t a, sf8_policy policy)
{
    return sf8_format_valid(f) ? sf8_core_abs_flags(f, a, policy) : sf8_unsupported();
}

sf8_result sf8_copy_sign_flags(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy)
{
    return sf8_format_valid(f) ? sf8_core_copy_sign_flags(f, a, b, policy) : sf8_unsupported();
}

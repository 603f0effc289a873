/* SPDX-License-Identifier: MIT */
/* format.h -- a format is a row of data; everything else about it is computed from the row
 *
 * A code has, from the top, an optional sign, `exp_bits` of exponent field e and `man_bits` of
 * mantissa m. The low bits without the sign are the magnitude; as an integer it grows with the
 * absolute value, in every format, which is what rounding relies on. For a finite code
 *
 *     e > 0                   |value| = 2^(e - bias) * (1 + m / 2^man_bits)
 *     e = 0 and has_zero      |value| = 2^(1 - bias) * m / 2^man_bits       (zero, subnormals)
 *     e = 0, not has_zero     |value| = 2^(0 - bias) * (1 + m / 2^man_bits) (E8M0)
 *
 * The largest magnitudes may be an infinity and NaNs, as `has_inf` and `nan` say:
 *
 *     SF8_NANS_NONE      no NaN                        an infinity would be the top magnitude
 *     SF8_NANS_IEEE      e all ones: m = 0 infinity, else NaN; the leading bit of m means quiet
 *     SF8_NANS_TOP       the top magnitude is NaN      an infinity is the one below it
 *     SF8_NANS_NEG_ZERO  the code of -0 is the NaN     an infinity is the top magnitude
 *
 * A format has a negative zero if it is signed and that code is not its NaN.
 */
#ifndef SOFTFP8_FORMAT_H
#define SOFTFP8_FORMAT_H

#include "softfp8/number/bits.h"

enum { SF8_NANS_NONE, SF8_NANS_IEEE, SF8_NANS_TOP, SF8_NANS_NEG_ZERO };

typedef struct sf8_format {
    uint8_t exp_bits;
    uint8_t man_bits;
    uint8_t is_signed;
    uint8_t nan;      /* SF8_NANS_* */
    uint8_t has_inf;
    uint8_t has_zero;
    int16_t bias;
} sf8_format;

/*       name          e  m  signed nan       inf zero bias */
#define SF8_NARROW_FORMATS(X)                                                                      \
    X(e4m3,            4, 3, 1, SF8_NANS_TOP,      0, 1, 7)                                        \
    X(e5m2,            5, 2, 1, SF8_NANS_IEEE,     1, 1, 15)                                       \
    X(e2m1,            2, 1, 1, SF8_NANS_NONE,     0, 1, 1)                                        \
    X(e3m2,            3, 2, 1, SF8_NANS_NONE,     0, 1, 3)                                        \
    X(e2m3,            2, 3, 1, SF8_NANS_NONE,     0, 1, 1)                                        \
    X(e8m0,            8, 0, 0, SF8_NANS_TOP,      0, 0, 127)                                      \
    X(ue4m3,           4, 3, 0, SF8_NANS_TOP,      0, 1, 7)                                        \
    X(ue5m3,           5, 3, 0, SF8_NANS_TOP,      0, 1, 15)                                       \
    X(e4m3fnuz,        4, 3, 1, SF8_NANS_NEG_ZERO, 0, 1, 8)                                        \
    X(e5m2fnuz,        5, 2, 1, SF8_NANS_NEG_ZERO, 0, 1, 16)                                       \
    X(e4m3b11fnuz,     4, 3, 1, SF8_NANS_NEG_ZERO, 0, 1, 11)                                       \
    X(e4m3ieee,        4, 3, 1, SF8_NANS_IEEE,     1, 1, 7)                                        \
    X(e3m4,            3, 4, 1, SF8_NANS_IEEE,     1, 1, 3)                                        \
    X(p3109_k8p4se,    4, 3, 1, SF8_NANS_NEG_ZERO, 1, 1, 8)                                        \
    X(p3109_k8p3se,    5, 2, 1, SF8_NANS_NEG_ZERO, 1, 1, 16)                                       \
    X(p3109_k8p4sf,    4, 3, 1, SF8_NANS_NEG_ZERO, 0, 1, 8)                                        \
    X(p3109_k8p3sf,    5, 2, 1, SF8_NANS_NEG_ZERO, 0, 1, 16)

#define SF8_WIDE_FORMATS(X)                                                                        \
    X(f16,             5, 10, 1, SF8_NANS_IEEE, 1, 1, 15)                                          \
    X(bf16,            8, 7,  1, SF8_NANS_IEEE, 1, 1, 127)                                         \
    X(tf32,            8, 10, 1, SF8_NANS_IEEE, 1, 1, 127)                                         \
    X(f32,             8, 23, 1, SF8_NANS_IEEE, 1, 1, 127)                                         \
    X(f64,            11, 52, 1, SF8_NANS_IEEE, 1, 1, 1023)

SF8_FN sf8_format sf8_format_row(int32_t exp_bits, int32_t man_bits, int32_t is_signed, int32_t nan,
                                 int32_t has_inf, int32_t has_zero, int32_t bias)
{
    sf8_format f;
    f.exp_bits = (uint8_t)exp_bits;
    f.man_bits = (uint8_t)man_bits;
    f.is_signed = (uint8_t)is_signed;
    f.nan = (uint8_t)nan;
    f.has_inf = (uint8_t)has_inf;
    f.has_zero = (uint8_t)has_zero;
    f.bias = (int16_t)bias;
    return f;
}

/* sf8_e4m3_format() and so on: the rows as constants that fold when inlined. */
#define SF8_ROW_FUNCTION(name, e, m, s, nan, inf, zero, bias)                                      \
    SF8_FN sf8_format sf8_##name##_format(void)                                                    \
    {                                                                                              \
        return sf8_format_row(e, m, s, nan, inf, zero, bias);                                      \
    }
SF8_NARROW_FORMATS(SF8_ROW_FUNCTION)
SF8_WIDE_FORMATS(SF8_ROW_FUNCTION)
#undef SF8_ROW_FUNCTION

#define SF8_E4M3 sf8_e4m3_format()
#define SF8_E5M2 sf8_e5m2_format()
#define SF8_E2M1 sf8_e2m1_format()
#define SF8_E3M2 sf8_e3m2_format()
#define SF8_E2M3 sf8_e2m3_format()
#define SF8_E8M0 sf8_e8m0_format()
#define SF8_UE4M3 sf8_ue4m3_format()
#define SF8_UE5M3 sf8_ue5m3_format()
#define SF8_E4M3FNUZ sf8_e4m3fnuz_format()
#define SF8_E5M2FNUZ sf8_e5m2fnuz_format()
#define SF8_E4M3B11FNUZ sf8_e4m3b11fnuz_format()
#define SF8_E4M3IEEE sf8_e4m3ieee_format()
#define SF8_E3M4 sf8_e3m4_format()
#define SF8_F16 sf8_f16_format()
#define SF8_BF16 sf8_bf16_format()
#define SF8_TF32 sf8_tf32_format()
#define SF8_F32 sf8_f32_format()
#define SF8_F64 sf8_f64_format()

/* IEEE P3109 Binary<k>p<p>{s,u}{e,f}. The arguments must satisfy sf8_p3109_exists(). */
SF8_FN int32_t sf8_p3109_exists(int32_t k, int32_t p, int32_t is_signed)
{
    return k >= 3 && k <= 8 && p >= 1 && (is_signed ? p < k : p <= k);
}

SF8_FN sf8_format sf8_p3109_format(int32_t k, int32_t p, int32_t is_signed, int32_t extended)
{
    int32_t exp_bits = is_signed ? k - p : k - p + 1;
    return sf8_format_row(exp_bits, p - 1, is_signed,
                          is_signed ? SF8_NANS_NEG_ZERO : SF8_NANS_TOP, extended, 1,
                          1 << (exp_bits - 1));
}

/* What the row implies. */

SF8_FN int32_t sf8_format_mag_bits(sf8_format f)
{
    return f.exp_bits + f.man_bits;
}

SF8_FN int32_t sf8_format_bits(sf8_format f)
{
    return f.is_signed + f.exp_bits + f.man_bits;
}

SF8_FN uint64_t sf8_format_mag_mask(sf8_format f)
{
    return (UINT64_C(1) << sf8_format_mag_bits(f)) - 1;
}

/* The sign bit of a signed format, 0 for an unsigned one. */
SF8_FN uint64_t sf8_format_sign_bit(sf8_format f)
{
    return (uint64_t)f.is_signed << sf8_format_mag_bits(f);
}

SF8_FN uint64_t sf8_format_code_mask(sf8_format f)
{
    return sf8_format_mag_mask(f) | sf8_format_sign_bit(f);
}

/* Exponent of the smallest normal number. */
SF8_FN int32_t sf8_format_emin(sf8_format f)
{
    return f.has_zero - f.bias;
}

/* Magnitude of the largest finite number. */
SF8_FN uint64_t sf8_format_max(sf8_format f)
{
    if (f.nan == SF8_NANS_IEEE)
        return (((UINT64_C(1) << f.exp_bits) - 1) << f.man_bits) - 1;
    return sf8_format_mag_mask(f) - (f.nan == SF8_NANS_TOP) - f.has_inf;
}

/* Magnitude of infinity; meaningful only where has_inf. */
SF8_FN uint64_t sf8_format_inf(sf8_format f)
{
    return sf8_format_max(f) + 1;
}

/* Magnitude of the smallest normal number; smaller nonzero magnitudes are subnormal. */
SF8_FN uint64_t sf8_format_min_normal(sf8_format f)
{
    return f.has_zero ? UINT64_C(1) << f.man_bits : 0;
}

/* Exponent of the largest finite number. */
SF8_FN int32_t sf8_format_emax(sf8_format f)
{
    int32_t e = (int32_t)(sf8_format_max(f) >> f.man_bits);
    return (e == 0 && f.has_zero ? 1 : e) - f.bias;
}

SF8_FN int32_t sf8_format_has_neg_zero(sf8_format f)
{
    return f.is_signed && f.has_zero && f.nan != SF8_NANS_NEG_ZERO;
}

/* True for NaN and infinity, the codes without a finite value. */
SF8_FN int32_t sf8_is_special(sf8_format f, uint64_t code)
{
    if (f.nan == SF8_NANS_NEG_ZERO && code == sf8_format_sign_bit(f))
        return 1;
    return (code & sf8_format_mag_mask(f)) > sf8_format_max(f);
}

SF8_FN int32_t sf8_is_inf(sf8_format f, uint64_t code)
{
    return f.has_inf && (code & sf8_format_mag_mask(f)) == sf8_format_inf(f);
}

SF8_FN int32_t sf8_is_nan(sf8_format f, uint64_t code)
{
    return sf8_is_special(f, code) && !sf8_is_inf(f, code);
}

/* A row that a user made at run time must satisfy this before any other function sees it. */
SF8_FN int32_t sf8_format_valid(sf8_format f)
{
    if (f.exp_bits < 1 || f.exp_bits > 11 || f.man_bits > 52 || f.is_signed > 1 ||
        f.has_inf > 1 || f.has_zero > 1 || f.nan > SF8_NANS_NEG_ZERO)
        return 0;
    if (f.bias < -2048 || f.bias > 2048)
        return 0;
    if (f.nan != SF8_NANS_IEEE && sf8_format_mag_bits(f) > 62)
        return 0; /* the magnitude after the largest one has to fit too */
    if (f.nan == SF8_NANS_IEEE && (!f.has_inf || !f.has_zero || f.man_bits == 0))
        return 0;
    if (f.nan == SF8_NANS_NEG_ZERO && !(f.is_signed && f.has_zero))
        return 0;
    if (!f.has_zero && (f.is_signed || f.man_bits != 0))
        return 0;
    return sf8_format_mag_mask(f) >= 2u + (f.nan == SF8_NANS_TOP) + f.has_inf;
}

#endif

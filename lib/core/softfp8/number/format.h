/* SPDX-License-Identifier: MIT */
/** @file
 * format.h -- a format is a row of data; everything else about it is computed from the row
 *
 * A code consists, from the top, of an optional sign, `exp_bits` bits of exponent field e, and
 * `man_bits` bits of mantissa m. The bits below the sign are the magnitude. In every format the
 * magnitude as an integer grows with the absolute value; rounding relies on that. A finite code has
 *
 *     e > 0                   |value| = 2^(e - bias) * (1 + m / 2^man_bits)
 *     e = 0 and has_zero      |value| = 2^(1 - bias) * m / 2^man_bits       (zero, subnormals)
 *     e = 0, not has_zero     |value| = 2^(0 - bias) * (1 + m / 2^man_bits) (E8M0)
 *
 * The largest magnitudes may be an infinity and NaNs, depending on `has_inf` and `nan`:
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

/** Which codes are NaN. SF8_NANS_HIF8 marks the one format that is no row: see hif8.h. */
enum { SF8_NANS_NONE, SF8_NANS_IEEE, SF8_NANS_TOP, SF8_NANS_NEG_ZERO, SF8_NANS_HIF8 };

/** A format; the head of this file explains it. */
typedef struct sf8_format {
    uint8_t exp_bits;
    uint8_t man_bits;
    uint8_t is_signed;
    uint8_t nan; /**< SF8_NANS_* */
    uint8_t has_inf;
    uint8_t has_zero;
    int16_t bias;
} sf8_format;

/** The narrow formats: X(name, e, m, signed, nan, inf, zero, bias). */
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
    X(e4m3b15,         4, 3, 1, SF8_NANS_NONE,     0, 1, 15)                                       \
    X(p3109_k8p4se,    4, 3, 1, SF8_NANS_NEG_ZERO, 1, 1, 8)                                        \
    X(p3109_k8p3se,    5, 2, 1, SF8_NANS_NEG_ZERO, 1, 1, 16)                                       \
    X(p3109_k8p4sf,    4, 3, 1, SF8_NANS_NEG_ZERO, 0, 1, 8)                                        \
    X(p3109_k8p3sf,    5, 2, 1, SF8_NANS_NEG_ZERO, 0, 1, 16)

/** The wide formats likewise. */
#define SF8_WIDE_FORMATS(X)                                                                        \
    X(f16,             5, 10, 1, SF8_NANS_IEEE, 1, 1, 15)                                          \
    X(bf16,            8, 7,  1, SF8_NANS_IEEE, 1, 1, 127)                                         \
    X(tf32,            8, 10, 1, SF8_NANS_IEEE, 1, 1, 127)                                         \
    X(f32,             8, 23, 1, SF8_NANS_IEEE, 1, 1, 127)                                         \
    X(f64,            11, 52, 1, SF8_NANS_IEEE, 1, 1, 1023)

/** Returns a format from its fields. See sf8_format_valid. */
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

#define SF8_ROW_FUNCTION(name, e, m, s, nan, inf, zero, bias)                                      \
    SF8_FN sf8_format sf8_##name##_format(void)                                                    \
    {                                                                                              \
        return sf8_format_row(e, m, s, nan, inf, zero, bias);                                      \
    }
/** @{ Returns a named format; as a constant it folds when inlined. */
SF8_NARROW_FORMATS(SF8_ROW_FUNCTION)
SF8_WIDE_FORMATS(SF8_ROW_FUNCTION)
/** @} */
#undef SF8_ROW_FUNCTION

/** @{ A short name of a format. */
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
/** @} */

/** Returns 1 if P3109 defines a format of k bits and precision p, signed or unsigned, that this
 * library has; else 0. It has those of 3 to 16 bits whose exponent has at most 11 bits. */
SF8_FN int32_t sf8_p3109_exists(int32_t k, int32_t p, int32_t is_signed)
{
    int32_t exp_bits = is_signed ? k - p : k - p + 1;
    return k >= 3 && k <= 16 && p >= 1 && exp_bits >= 1 && exp_bits <= 11;
}

/** Returns the P3109 format Binary<k>p<p>{s,u}{e,f}. The arguments must satisfy sf8_p3109_exists.
 * With `extended` 1 it has infinities (e), else it is finite (f). */
SF8_FN sf8_format sf8_p3109_format(int32_t k, int32_t p, int32_t is_signed, int32_t extended)
{
    int32_t exp_bits = is_signed ? k - p : k - p + 1;
    return sf8_format_row(exp_bits, p - 1, is_signed,
                          is_signed ? SF8_NANS_NEG_ZERO : SF8_NANS_TOP, extended, 1,
                          1 << (exp_bits - 1));
}

/* ---- derived properties ---------------------------------------------------------------------- */

/* The codes of HiF8, about which its fields say nothing but their width. */
enum { SF8_HIF8_MAX = 0x6e, SF8_HIF8_MIN_NORMAL = 0x7e, SF8_HIF8_EMAX = 15 };

/** Returns the bits of a magnitude. */
SF8_FN int32_t sf8_format_mag_bits(sf8_format f)
{
    return f.exp_bits + f.man_bits;
}

/** Returns the bits of a code. */
SF8_FN int32_t sf8_format_bits(sf8_format f)
{
    return f.is_signed + f.exp_bits + f.man_bits;
}

/** Returns the mask of the magnitude. */
SF8_FN uint64_t sf8_format_mag_mask(sf8_format f)
{
    return (UINT64_C(1) << sf8_format_mag_bits(f)) - 1;
}

/** Returns the sign bit of a signed format; 0 for an unsigned one. */
SF8_FN uint64_t sf8_format_sign_bit(sf8_format f)
{
    return (uint64_t)f.is_signed << sf8_format_mag_bits(f);
}

/** Returns the mask of a code. */
SF8_FN uint64_t sf8_format_code_mask(sf8_format f)
{
    return sf8_format_mag_mask(f) | sf8_format_sign_bit(f);
}

/** Returns the exponent of the smallest normal number. */
SF8_FN int32_t sf8_format_emin(sf8_format f)
{
    return f.has_zero - f.bias;
}

/** Returns the magnitude of the largest finite number. */
SF8_FN uint64_t sf8_format_max(sf8_format f)
{
    if (f.nan == SF8_NANS_IEEE)
        return (((UINT64_C(1) << f.exp_bits) - 1) << f.man_bits) - 1;
    if (f.nan == SF8_NANS_HIF8)
        return SF8_HIF8_MAX;
    return sf8_format_mag_mask(f) - (f.nan == SF8_NANS_TOP) - f.has_inf;
}

/** Returns the magnitude of infinity. It has a meaning only if the format has infinity. */
SF8_FN uint64_t sf8_format_inf(sf8_format f)
{
    return sf8_format_max(f) + 1;
}

/** Returns the magnitude of the smallest normal number. Smaller nonzero ones are subnormal. */
SF8_FN uint64_t sf8_format_min_normal(sf8_format f)
{
    if (f.nan == SF8_NANS_HIF8)
        return SF8_HIF8_MIN_NORMAL;
    return f.has_zero ? UINT64_C(1) << f.man_bits : 0;
}

/** Returns the exponent of the largest finite number. */
SF8_FN int32_t sf8_format_emax(sf8_format f)
{
    int32_t e = (int32_t)(sf8_format_max(f) >> f.man_bits);
    if (f.nan == SF8_NANS_HIF8)
        return SF8_HIF8_EMAX;
    return (e == 0 && f.has_zero ? 1 : e) - f.bias;
}

/** Returns 1 if the format has a negative zero. */
SF8_FN int32_t sf8_format_has_neg_zero(sf8_format f)
{
    return f.is_signed && f.has_zero && f.nan < SF8_NANS_NEG_ZERO;
}

/** Returns 1 for NaN and infinity, the codes without a finite value. Bits above the format must be
 * 0. */
SF8_FN int32_t sf8_is_special(sf8_format f, uint64_t code)
{
    uint64_t mag = code & sf8_format_mag_mask(f), max = sf8_format_max(f);
    if (f.nan >= SF8_NANS_NEG_ZERO && code == sf8_format_sign_bit(f))
        return 1;
    return f.nan == SF8_NANS_HIF8 ? mag == max + 1 : mag > max;
}

/** Returns 1 if a code is an infinity. */
SF8_FN int32_t sf8_is_inf(sf8_format f, uint64_t code)
{
    return f.has_inf && (code & sf8_format_mag_mask(f)) == sf8_format_inf(f);
}

/** Returns 1 if a code is a NaN. Bits above the format must be 0; sf8_class ignores them. */
SF8_FN int32_t sf8_is_nan(sf8_format f, uint64_t code)
{
    return sf8_is_special(f, code) && !sf8_is_inf(f, code);
}

/** Returns 1 if a row is a format that this library can compute with. A row that is made at run
 * time must satisfy this before it is passed to any other function of the core. */
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
    uint64_t specials = (uint64_t)(f.nan == SF8_NANS_TOP) + f.has_inf; /* of magnitudes */
    return sf8_format_mag_mask(f) >= (UINT64_C(1) << f.man_bits) + specials;
}

#endif

/* SPDX-License-Identifier: MIT */
/* test_formats.c -- what the rows of the formats imply, against literals
 *
 * Sources: OCP OFP8 1.0 and MX 1.0 as ml_dtypes float8.h and gfloat 0.5.2 formats.py have them;
 * LLVM APFloat.h (fnuz, e4m3 with infinity, e3m4, f8E5M3FNU); PTX ISA 5.2.3 (ue4m3) and its tf32;
 * IEEE P3109 interim report 4.0 and its value tables; IEEE 754. Of e4m3b15: the decoders of
 * float8e4b15 in Triton, which shift a code to an f16 (language/extra/cuda/utils.py, 0075f6bb).
 */
#include "check.h"

/* Codes from lo to hi. */
typedef struct range {
    uint64_t lo, hi;
} range;

typedef struct format_row {
    const char *name;
    int32_t bits, bias, emin, emax;
    uint64_t max;
    double max_value;
    uint64_t min_normal;
    double min_normal_value, least; /* least: the value of code 1 */
    uint64_t one, quiet_nan;        /* quiet_nan 0: the format has no NaN */
    double threshold;               /* the first |x| that RNE does not leave in range, or its tie */
    uint64_t at_threshold;          /* under ocp-nosat */
    range nan[2], inf[2];           /* {1, 0}: none */
    uint64_t finite;                /* codes, 0: too many to count */
    const char *relative;           /* reads a code differently: what both give as f32 */
    uint64_t distinct;
    uint32_t is_f32, relative_f32;
} format_row;

/* clang-format off */
#define NO {1, 0}
static const format_row format_rows[] = {
    {"e4m3", 8, 7, -6, 8, 0x7e, 448, 0x08, 0x1p-6, 0x1p-9, 0x38, 0x7f, 464, 0x7e,
     {{0x7f, 0x7f}, {0xff, 0xff}}, {NO, NO}, 254,
     "e4m3ieee", 0x7e, 0x43e00000, 0x7fc00000},
    {"e5m2", 8, 15, -14, 15, 0x7b, 57344, 0x04, 0x1p-14, 0x1p-16, 0x3c, 0x7e, 61440, 0x7c,
     {{0x7d, 0x7f}, {0xfd, 0xff}}, {{0x7c, 0x7c}, {0xfc, 0xfc}}, 248,
     "p3109_k8p3se", 0x7b, 0x47600000, 0x46e00000},
    {"e2m1", 4, 1, 0, 2, 0x7, 6, 0x2, 1, 0.5, 0x2, 0, 7, 0x7, {NO, NO}, {NO, NO}, 16,
     "p3109_k4p2sf", 0x07, 0x40c00000, 0x40400000},
    {"e3m2", 6, 3, -2, 4, 0x1f, 28, 0x04, 0x1p-2, 0x1p-4, 0x0c, 0, 30, 0x1f,
     {NO, NO}, {NO, NO}, 64,
     "e2m3", 0x1f, 0x41e00000, 0x40f00000},
    {"e2m3", 6, 1, 0, 2, 0x1f, 7.5, 0x08, 1, 0x1p-3, 0x08, 0, 7.75, 0x1f,
     {NO, NO}, {NO, NO}, 64,
     "e3m2", 0x08, 0x3f800000, 0x3f000000},
    {"e8m0", 8, 127, -127, 127, 0xfe, 0x1p127, 0x00, 0x1p-127, 0x1p-126, 0x7f, 0xff, 0x1.8p127,
     0xfe, {{0xff, 0xff}, NO}, {NO, NO}, 255,
     "p3109_k8p1uf", 0x00, 0x00400000, 0x00000000},
    {"ue4m3", 7, 7, -6, 8, 0x7e, 448, 0x08, 0x1p-6, 0x1p-9, 0x38, 0x7f, 464, 0x7e,
     {{0x7f, 0x7f}, NO}, {NO, NO}, 127,
     "e4m3", 0x80, 0x00000000, 0x80000000},
    {"ue5m3", 8, 15, -14, 16, 0xfe, 114688, 0x08, 0x1p-14, 0x1p-17, 0x78, 0xff, 118784, 0xfe,
     {{0xff, 0xff}, NO}, {NO, NO}, 255,
     "ue4m3", 0x7e, 0x3fe00000, 0x43e00000},
    {"e4m3fnuz", 8, 8, -7, 7, 0x7f, 240, 0x08, 0x1p-7, 0x1p-10, 0x40, 0x80, 248, 0x80,
     {{0x80, 0x80}, NO}, {NO, NO}, 255,
     "p3109_k8p4se", 0x7f, 0x43700000, 0x7f800000},
    {"e5m2fnuz", 8, 16, -15, 15, 0x7f, 57344, 0x04, 0x1p-15, 0x1p-17, 0x40, 0x80, 61440, 0x80,
     {{0x80, 0x80}, NO}, {NO, NO}, 255,
     "p3109_k8p3se", 0x7f, 0x47600000, 0x7f800000},
    {"e4m3b11fnuz", 8, 11, -10, 4, 0x7f, 30, 0x08, 0x1p-10, 0x1p-13, 0x58, 0x80, 31, 0x80,
     {{0x80, 0x80}, NO}, {NO, NO}, 255,
     "e4m3fnuz", 0x7f, 0x41f00000, 0x43700000},
    {"e4m3ieee", 8, 7, -6, 7, 0x77, 240, 0x08, 0x1p-6, 0x1p-9, 0x38, 0x7c, 248, 0x78,
     {{0x79, 0x7f}, {0xf9, 0xff}}, {{0x78, 0x78}, {0xf8, 0xf8}}, 240,
     "e4m3", 0x78, 0x7f800000, 0x43800000},
    {"e3m4", 8, 3, -2, 3, 0x6f, 15.5, 0x10, 0x1p-2, 0x1p-6, 0x30, 0x78, 15.75, 0x70,
     {{0x71, 0x7f}, {0xf1, 0xff}}, {{0x70, 0x70}, {0xf0, 0xf0}}, 224,
     "e4m3ieee", 0x6f, 0x41780000, 0x42f00000},
    {"e4m3b15", 8, 15, -14, 0, 0x7f, 1.875, 0x08, 0x1p-14, 0x1p-17, 0x78, 0, 1.9375, 0x7f,
     {NO, NO}, {NO, NO}, 256,
     "e4m3", 0x7f, 0x3ff00000, 0x7fc00000},
    {"p3109_k8p4se", 8, 8, -7, 7, 0x7e, 224, 0x08, 0x1p-7, 0x1p-10, 0x40, 0x80, 232, 0x7e,
     {{0x80, 0x80}, NO}, {{0x7f, 0x7f}, {0xff, 0xff}}, 253,
     "e4m3fnuz", 0xff, 0xff800000, 0xc3700000},
    {"p3109_k8p3se", 8, 16, -15, 15, 0x7e, 49152, 0x04, 0x1p-15, 0x1p-17, 0x40, 0x80, 53248, 0x7e,
     {{0x80, 0x80}, NO}, {{0x7f, 0x7f}, {0xff, 0xff}}, 253,
     "e5m2fnuz", 0xff, 0xff800000, 0xc7600000},
    {"p3109_k8p4sf", 8, 8, -7, 7, 0x7f, 240, 0x08, 0x1p-7, 0x1p-10, 0x40, 0x80, 248, 0x80,
     {{0x80, 0x80}, NO}, {NO, NO}, 255,
     "e4m3", 0x40, 0x3f800000, 0x40000000},
    {"p3109_k8p3sf", 8, 16, -15, 15, 0x7f, 57344, 0x04, 0x1p-15, 0x1p-17, 0x40, 0x80, 61440, 0x80,
     {{0x80, 0x80}, NO}, {NO, NO}, 255,
     "e5m2", 0x40, 0x3f800000, 0x40000000},
    {"f16", 16, 15, -14, 15, 0x7bff, 65504, 0x0400, 0x1p-14, 0x1p-24, 0x3c00, 0x7e00, 65520, 0x7c00,
     {{0x7c01, 0x7fff}, {0xfc01, 0xffff}}, {{0x7c00, 0x7c00}, {0xfc00, 0xfc00}}, 63488,
     "bf16", 0x3c00, 0x3f800000, 0x3c000000},
    {"bf16", 16, 127, -126, 127, 0x7f7f, 0x1.fep127, 0x0080, 0x1p-126, 0x1p-133, 0x3f80, 0x7fc0,
     0x1.ffp127, 0x7f80,
     {{0x7f81, 0x7fff}, {0xff81, 0xffff}}, {{0x7f80, 0x7f80}, {0xff80, 0xff80}}, 65280,
     "f16", 0x3f80, 0x3f800000, 0x3ff00000},
    {"tf32", 19, 127, -126, 127, 0x3fbff, 0x1.ffcp127, 0x00400, 0x1p-126, 0x1p-136, 0x1fc00,
     0x3fe00, 0x1.ffep127, 0x3fc00,
     {{0x3fc01, 0x3ffff}, {0x7fc01, 0x7ffff}}, {{0x3fc00, 0x3fc00}, {0x7fc00, 0x7fc00}}, 522240,
     "f16", 0x1fc00, 0x3f800000, 0xff800000},
    {"f32", 32, 127, -126, 127, 0x7f7fffff, 0x1.fffffep127, 0x00800000, 0x1p-126, 0x1p-149,
     0x3f800000, 0x7fc00000, 0x1.ffffffp127, 0x7f800000,
     {{0x7f800001, 0x7fffffff}, {0xff800001, 0xffffffff}},
     {{0x7f800000, 0x7f800000}, {0xff800000, 0xff800000}}, 0,
     "f64", 0x3f800000, 0x3f800000, 0x00000000},
    {"f64", 64, 1023, -1022, 1023, 0x7fefffffffffffff, 0x1.fffffffffffffp1023, 0x0010000000000000,
     0x1p-1022, 0x1p-1074, 0x3ff0000000000000, 0x7ff8000000000000, 0x1.fffffffffffffp1023,
     0x7fefffffffffffff,
     {{0x7ff0000000000001, 0x7fffffffffffffff}, {0xfff0000000000001, 0xffffffffffffffff}},
     {{0x7ff0000000000000, 0x7ff0000000000000}, {0xfff0000000000000, 0xfff0000000000000}}, 0,
     "f32", 0x3ff0000000000000, 0x3f800000, 0x00000000},
};
/* clang-format on */

static int in_ranges(const range *r, uint64_t code)
{
    return (code >= r[0].lo && code <= r[0].hi) || (code >= r[1].lo && code <= r[1].hi);
}

static int reads(sf8_format f, uint64_t code, double value)
{
    sf8_result r = sf8_convert_flags(SF8_F64, f, code, SF8_OCP);
    return r.code == sf8_f64_bits(value) && r.flags == 0;
}

static int writes(sf8_format f, double value, uint64_t code)
{
    return sf8_convert(f, SF8_F64, sf8_f64_bits(value), SF8_OCP_NOSAT) == code;
}

Test(formats, rows)
{
    for (size_t i = 0; i < COUNT(format_rows); i++) {
        const format_row *x = &format_rows[i];
        sf8_format f = format_of(x->name);
        EXPECT(sf8_format_valid(f), "%s", x->name);
        EXPECT(sf8_format_bits(f) == x->bits, "%s: bits", x->name);
        EXPECT(f.bias == x->bias, "%s: bias", x->name);
        EXPECT(sf8_format_emin(f) == x->emin, "%s: emin", x->name);
        EXPECT(sf8_format_emax(f) == x->emax, "%s: emax", x->name);
        EXPECT(sf8_format_max(f) == x->max, "%s: max", x->name);
        EXPECT(sf8_format_min_normal(f) == x->min_normal, "%s: min normal", x->name);
        EXPECT(reads(f, x->max, x->max_value), "%s: value of max", x->name);
        EXPECT(reads(f, x->min_normal, x->min_normal_value), "%s: value of min normal", x->name);
        EXPECT(reads(f, 1, x->least), "%s: value of 1", x->name);
        EXPECT(reads(f, x->one, 1), "%s: one", x->name);
        EXPECT(writes(f, 1, x->one), "%s: one", x->name);
        EXPECT(writes(f, x->max_value, x->max), "%s: max", x->name);
        EXPECT(writes(f, x->least, 1), "%s: least", x->name);
        EXPECT(writes(f, x->threshold, x->at_threshold), "%s: threshold", x->name);
    }
}

/* Just below the threshold the largest number is left; just above it is not, where there is
 * anything else. */
Test(formats, thresholds)
{
    for (size_t i = 0; i < COUNT(format_rows); i++) {
        const format_row *x = &format_rows[i];
        sf8_format f = format_of(x->name);
        uint64_t at = sf8_f64_bits(x->threshold);
        if (strcmp(x->name, "f64") == 0)
            continue;
        sf8_result below = sf8_convert_flags(f, SF8_F64, at - 1, SF8_OCP_NOSAT);
        sf8_result above = sf8_convert_flags(f, SF8_F64, at + 1, SF8_OCP_NOSAT);
        EXPECT(below.code == x->max && below.flags == NX, "%s below", x->name);
        EXPECT(above.flags == (OF | NX), "%s above", x->name);
        EXPECT((above.code == x->max) == (x->quiet_nan == 0), "%s above", x->name);
    }
}

Test(formats, nan_and_infinity)
{
    for (size_t i = 0; i < COUNT(format_rows); i++) {
        const format_row *x = &format_rows[i];
        sf8_format f = format_of(x->name);
        sf8_result nan = sf8_convert_flags(f, SF8_F64, UINT64_C(0x7ff8000000000000), SF8_OCP);
        if (x->quiet_nan)
            EXPECT(nan.code == x->quiet_nan && nan.flags == 0, "%s", x->name);
        else
            EXPECT(nan.code == x->max && nan.flags == NV, "%s", x->name);
        for (size_t k = 0; k < 2; k++) {
            uint64_t ends[] = {x->nan[k].lo, x->nan[k].hi, x->inf[k].lo};
            if (x->nan[k].hi)
                EXPECT(sf8_is_nan(f, ends[0]) && sf8_is_nan(f, ends[1]), "%s", x->name);
            if (x->inf[k].hi)
                EXPECT(sf8_is_inf(f, ends[2]) && !sf8_is_nan(f, ends[2]), "%s", x->name);
        }
    }
}

Test(formats, every_code)
{
    for (size_t i = 0; i < COUNT(format_rows); i++) {
        const format_row *x = &format_rows[i];
        sf8_format f = format_of(x->name);
        uint64_t finite = 0;
        for (uint64_t code = 0; x->finite && code >> x->bits == 0; code++) {
            int nan = in_ranges(x->nan, code), inf = in_ranges(x->inf, code);
            EXPECT(sf8_is_nan(f, code) == nan, "%s %" PRIx64, x->name, code);
            EXPECT(sf8_is_inf(f, code) == inf, "%s %" PRIx64, x->name, code);
            finite += !nan && !inf;
            /* Every number reads exactly and comes back as the code that it was. */
            if (!nan) {
                sf8_result wide = sf8_convert_flags(SF8_F64, f, code, SF8_OCP_NOSAT);
                sf8_result back = sf8_convert_flags(f, SF8_F64, wide.code, SF8_OCP_NOSAT);
                EXPECT(wide.flags == 0 && back.flags == 0 && back.code == code, "%s %" PRIx64,
                       x->name, code);
            }
        }
        EXPECT(finite == x->finite, "%s: %" PRIu64 " finite codes", x->name, finite);
    }
}

Test(formats, every_named_format_has_a_row)
{
    const char *name;
    size_t i = 0;
    for (; (name = sf8_format_at(i, NULL)) != NULL; i++) {
        size_t found = 0;
        for (size_t k = 0; k < COUNT(format_rows); k++)
            found += strcmp(format_rows[k].name, name) == 0;
        EXPECT(found == 1, "%s: %zu rows", name, found);
    }
    cr_expect(i == COUNT(format_rows), "%zu formats", i);
}

/* The code that distinguishes the format from the most similar one. */
Test(formats, tellings)
{
    for (size_t i = 0; i < COUNT(format_rows); i++) {
        const format_row *x = &format_rows[i];
        uint64_t own = sf8_convert(SF8_F32, format_of(x->name), x->distinct, SF8_OCP_NOSAT);
        uint64_t other = sf8_convert(SF8_F32, format_of(x->relative), x->distinct, SF8_OCP_NOSAT);
        cr_assert(x->is_f32 != x->relative_f32);
        EXPECT(own == x->is_f32 && other == x->relative_f32, "%s: %08" PRIx64 ", %s: %08" PRIx64,
               x->name, own, x->relative, other);
    }
}

/* Two names of one format: what AMD calls fnuz is in IEEE P3109 Binary8p4sf, Binary8p3sf. */
static void check_twins(sf8_format a, sf8_format b)
{
    for (uint32_t x = 0; x < 0x10000; x++) {
        EXPECT(sf8_convert(a, SF8_F16, x, SF8_OCP_NOSAT) ==
                   sf8_convert(b, SF8_F16, x, SF8_OCP_NOSAT),
               "f16 %04x", x);
        EXPECT(sf8_convert(a, SF8_BF16, x, SF8_OCP) == sf8_convert(b, SF8_BF16, x, SF8_OCP),
               "bf16 %04x", x);
        sf8_result p = sf8_mul(a, x >> 8, x & 0xff, SF8_OCP);
        sf8_result q = sf8_mul(b, x >> 8, x & 0xff, SF8_OCP);
        EXPECT(p.code == q.code && p.flags == q.flags, "mul %04x", x);
    }
    for (uint32_t code = 0; code < 256; code++)
        EXPECT(sf8_convert(SF8_F64, a, code, SF8_ML_DTYPES) ==
                   sf8_convert(SF8_F64, b, code, SF8_ML_DTYPES),
               "%02x", code);
}

Test(formats, fnuz_is_p3109)
{
    check_twins(SF8_E4M3FNUZ, sf8_p3109_format(8, 4, 1, 0));
    check_twins(SF8_E5M2FNUZ, sf8_p3109_format(8, 3, 1, 0));
}

/* SPDX-License-Identifier: MIT */
/* test_verdict_p3109.c -- IEEE P3109's operations on all operands of its formats of up to 8 bits
 *
 * The reference is written from the text of P3109/D1 (July 2026) and of the interim report 4.0, and
 * uses nothing of the library. A value is a double, which has all values of these formats and the
 * points between them. The sections of D1 are named where they are transcribed.
 */
#include "check.h"
#include "softfp8_vectors.h"

#include <float.h>
#include <math.h>

enum { FINITE, PROPAGATE, NONE, NONE_4_0, SATURATIONS };
static const char *const saturation_names[] = {"p3109-satfinite", "p3109-satpropagate",
                                               "p3109-satnone", "p3109-4.0-satnone"};
/* The rounding modes by the library's names. */
enum { RNE, RNA, RZ, RU, RD, RO, MODES };
static const char *const modes[] = {"rne", "rna", "rz", "ru", "rd", "ro"};

typedef struct binary {
    int k, p, is_signed, extended, bias, codes, most, least_code, nan;
    double value[256], least, largest;
    char name[24];
    sf8_format format;
} binary;

/* 4.7.2, DecodeAux: the value of a code that is finite and not negative. */
static double finite_value(const binary *f, int code)
{
    int units = 1 << (f->p - 1), t = code % units, e = code / units;
    return e == 0 ? ldexp(t, 1 - f->p + 1 - f->bias) : ldexp(units + t, 1 - f->p + e - f->bias);
}

static int open_format(binary *f, int k, int p, int is_signed, int extended)
{
    if (!sf8_p3109_exists(k, p, is_signed))
        return 0;
    *f = (binary){.k = k, .p = p, .is_signed = is_signed, .extended = extended};
    int half = 1 << (k - 1);
    f->codes = 2 * half;
    f->bias = is_signed ? 1 << (k - p - 1) : 1 << (k - p);
    f->nan = is_signed ? half : f->codes - 1;
    f->most = f->nan - 1 - extended;
    f->least_code = is_signed ? half + f->most : 0;
    for (int code = 0; code < f->nan; code++) {
        double v = code > f->most ? INFINITY : finite_value(f, code);
        f->value[code] = v;
        if (is_signed)
            f->value[code + half] = -v;
    }
    f->value[f->nan] = NAN;
    f->largest = f->value[f->most];
    f->least = is_signed ? -f->largest : 0;
    snprintf(f->name, sizeof f->name, "Binary%dp%d%c%c", k, p, is_signed ? 's' : 'u',
             extended ? 'e' : 'f');
    f->format = format_of(f->name);
    return 1;
}

/* Calls visit for each format of `from` to 8 bits. */
static void each_format(int from, void (*visit)(const binary *f))
{
    binary f;
    for (int k = from; k <= 8; k++)
        for (int p = 1; p <= k; p++)
            for (int kind = 0; kind < 4; kind++)
                if (open_format(&f, k, p, kind & 1, kind >> 1))
                    visit(&f);
}

/* 4.7.6, Encode: the code of a datum of the format. */
static int encode(const binary *f, double x)
{
    if (isnan(x))
        return f->nan;
    int half = f->codes / 2;
    for (int code = x < 0 ? half + 1 : 0; code < f->codes; code++)
        if (f->value[code] == x)
            return code;
    cr_assert(0, "%s has no %a", f->name, x);
    return 0;
}

/* 4.7.4, RoundToPrecision */
static double round_to_precision(const binary *f, int mode, double x)
{
    int exponent;
    if (x == 0 || !isfinite(x))
        return x;
    frexp(x, &exponent); /* floor(log2 |x|) + 1 */
    int e = exponent - 1 > 1 - f->bias ? exponent - 1 : 1 - f->bias, q = e - f->p + 1;
    double scaled = ldexp(fabs(x), -q), floored = floor(scaled), nu = scaled - floored;
    int even = f->p > 1 ? fmod(floored, 2) == 0 : floored == 0 || (q + f->bias) % 2 == 0;
    int away = mode == RNE   ? nu > 0.5 || (nu == 0.5 && !even)
               : mode == RNA ? nu >= 0.5
               : mode == RZ  ? 0
               : mode == RU  ? nu > 0 && x > 0
               : mode == RD  ? nu > 0 && x < 0
                             : nu > 0 && even;
    return copysign(ldexp(floored + away, q), x);
}

/* 4.7.5, Saturate; its last part is that of the interim report 4.0 for NONE_4_0. */
static double saturate(const binary *f, int sat, int mode, double x)
{
    double lo = f->least, hi = f->largest;
    if (isnan(x) || (lo <= x && x <= hi))
        return x;
    if (sat == FINITE)
        return x < lo ? lo : hi;
    if (sat == PROPAGATE)
        return isinf(x) && f->extended && (x > 0 || f->is_signed) ? x : x < lo ? lo : hi;
    if (sat == NONE && (mode == RZ || mode == RD) && x > hi && !isinf(x))
        return hi;
    if (sat == NONE && (mode == RZ || mode == RU) && x < lo && !isinf(x))
        return lo;
    if (sat == NONE) {
        if (!f->extended)
            return NAN;
        return x > hi ? INFINITY : f->is_signed ? -INFINITY : NAN;
    }
    if (isinf(x) && x > 0)
        return f->extended ? x : hi;
    if (isinf(x))
        return !f->is_signed ? NAN : f->extended ? x : lo;
    if (mode == RO && !f->is_signed && f->extended && x > hi)
        return hi;
    if ((mode == RZ || mode == RD) && x > hi)
        return hi;
    if ((mode == RZ || mode == RU) && x < lo)
        return lo;
    if (x < lo)
        return !f->is_signed ? NAN : f->extended ? -INFINITY : lo;
    return f->extended ? INFINITY : hi;
}

/* 4.7.3, Project */
static uint64_t project(const binary *f, int sat, int mode, double x)
{
    return (uint64_t)encode(f, saturate(f, sat, mode, round_to_precision(f, mode, x)));
}

static sf8_policy policy_for(int sat, int mode)
{
    char text[64];
    snprintf(text, sizeof text, "%s round=%s", saturation_names[sat], modes[mode]);
    return policy_of(text);
}

#define AT "%s, %s, %s: "
#define NAMES f->name, saturation_names[sat], modes[mode]

/* ---- Convert, 4.9 ---------------------------------------------------------------------------- */

static void convert(const binary *f, int sat, int mode, sf8_policy policy, double x)
{
    uint64_t bits, want = project(f, sat, mode, x);
    memcpy(&bits, &x, sizeof bits);
    uint64_t got = sf8_convert(f->format, SF8_F64, bits, policy);
    EXPECT(got == want, AT "%a gives %02" PRIx64 " instead of %02" PRIx64, NAMES, x, got, want);
}

/* The codes' values, the points half way between them, the doubles beside both, and what lies
 * beyond them. */
static void convert_all(const binary *f)
{
    static const double others[] = {0.0, -0.0, 1e-300, -1e-300, 1e300, INFINITY, NAN};
    for (int sat = 0; sat < SATURATIONS; sat++)
        for (int mode = 0; mode < MODES; mode++) {
            sf8_policy policy = policy_for(sat, mode);
            for (size_t i = 0; i < COUNT(others); i++)
                convert(f, sat, mode, policy, others[i]);
            for (int code = 1; code <= f->most + 2; code++) {
                double v = finite_value(f, code), below = finite_value(f, code - 1);
                double at[] = {v, v / 2 + below / 2};
                for (int i = 0; i < 6; i++) {
                    double x = at[i / 3] * (i % 3 == 0   ? 1
                                            : i % 3 == 1 ? 1 + DBL_EPSILON
                                                         : 1 - DBL_EPSILON);
                    convert(f, sat, mode, policy, x);
                    convert(f, sat, mode, policy, -x);
                }
            }
            convert(f, sat, mode, policy, -INFINITY);
        }
}

Test(verdict_p3109, convert)
{
    each_format(3, convert_all);
}

/* ---- Abs, Negate, NextGreaterThan, NextLessThan: 4.10.1, 4.16 -------------------------------- */

static uint64_t next_greater(const binary *f, int x)
{
    int half = f->codes / 2, most = f->extended ? f->most + 1 : f->most;
    if (x == f->nan || x == most)
        return (uint64_t)f->nan;
    if (f->is_signed && x == half + 1)
        return 0;
    return (uint64_t)(f->is_signed && x > half ? x - 1 : x + 1);
}

static uint64_t next_less(const binary *f, int x)
{
    int half = f->codes / 2,
        least = f->is_signed && f->extended ? f->least_code + 1 : f->least_code;
    if (x == f->nan || x == least)
        return (uint64_t)f->nan;
    if (x == 0)
        return (uint64_t)half + 1;
    return (uint64_t)(f->is_signed && x > half ? x + 1 : x - 1);
}

static void one_operand(const binary *f)
{
    for (int sat = 0; sat < SATURATIONS; sat++)
        for (int mode = 0; mode < MODES; mode++) {
            sf8_policy policy = policy_for(sat, mode);
            for (int a = 0; a < f->codes; a++) {
                uint64_t x = (uint64_t)a;
                double v = f->value[a];
                EXPECT(sf8_abs_flags(f->format, x, policy).code == project(f, sat, mode, fabs(v)),
                       AT "abs %02x", NAMES, a);
                EXPECT(sf8_negate(f->format, x, policy).code == project(f, sat, mode, -v),
                       AT "negate %02x", NAMES, a);
                EXPECT(sf8_next_up(f->format, x, policy).code == next_greater(f, a),
                       AT "next_up %02x", NAMES, a);
                EXPECT(sf8_next_down(f->format, x, policy).code == next_less(f, a),
                       AT "next_down %02x", NAMES, a);
            }
        }
}

Test(verdict_p3109, one_operand)
{
    each_format(3, one_operand);
}

/* ---- CopySign, Divide, minimum and maximum: 4.10.2, 4.10.5, 4.11 ----------------------------- */

static double copied(double x, double y)
{
    return isnan(y) ? NAN : y < 0 ? -fabs(x) : fabs(x);
}

/* Divide of operands one of which is infinite, NaN or zero. */
static double divided(double x, double y)
{
    if (isnan(x) || isnan(y) || (isinf(x) && isinf(y)) || y == 0)
        return NAN;
    return isinf(x) ? (y > 0 ? x : -x) : 0;
}

static double extremum(double x, double y, int greater, int magnitude, int number)
{
    if (isnan(x) || isnan(y))
        return !number ? NAN : isnan(x) ? y : x;
    if (magnitude && fabs(x) != fabs(y))
        return (fabs(x) < fabs(y)) != greater ? x : y;
    return (x < y) != greater ? x : y;
}

typedef struct operation {
    const char *name;
    sf8_result (*run)(sf8_format f, uint64_t a, uint64_t b, sf8_policy policy);
    int greater, magnitude, number;
} operation;

#define EXTREMUM(any, op, greater, magnitude, number) {#op, sf8_##op, greater, magnitude, number},
static const operation extrema[] = {SF8_EXTREMA(EXTREMUM, any)};

/* What an operation should give for each code, by the value that it has before it is projected: a
 * value of the format, or below zero in an unsigned one. */
static void pairs(const binary *f, int sat, int mode)
{
    sf8_policy policy = policy_for(sat, mode);
    uint64_t kept[256], negated[256];
    for (int a = 0; a < f->codes; a++) {
        kept[a] = project(f, sat, mode, f->value[a]);
        negated[a] = project(f, sat, mode, -f->value[a]);
    }
    for (int a = 0; a < f->codes; a++)
        for (int b = 0; b < f->codes; b++) {
            double x = f->value[a], y = f->value[b], sign = copied(x, y);
            uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
            uint64_t want = isnan(sign) ? (uint64_t)f->nan : sign == x ? kept[a] : negated[a];
            EXPECT(sf8_copy_sign_flags(f->format, ua, ub, policy).code == want,
                   AT "copy_sign %02x %02x", NAMES, a, b);
            if (!isfinite(x) || !isfinite(y) || x == 0 || y == 0)
                EXPECT(sf8_div(f->format, ua, ub, policy).code ==
                           project(f, sat, mode, divided(x, y)),
                       AT "div %02x %02x", NAMES, a, b);
            for (size_t i = 0; i < COUNT(extrema); i++) {
                const operation *op = &extrema[i];
                double e = extremum(x, y, op->greater, op->magnitude, op->number);
                want = isnan(e) ? (uint64_t)f->nan : e == x ? kept[a] : kept[b];
                EXPECT(op->run(f->format, ua, ub, policy).code == want, AT "%s %02x %02x", NAMES,
                       op->name, a, b);
            }
        }
}

/* The rounding mode matters where a negative value is cut off alone: copy_sign does not give one
 * in an unsigned format, since its second operand is not negative. */
static void two_operands(const binary *f)
{
    for (int sat = 0; sat < SATURATIONS; sat++)
        if (f->k < 8 || sat == FINITE || sat == NONE)
            pairs(f, sat, (f->p + sat) % MODES);
}

Test(verdict_p3109, two_operands)
{
    each_format(3, two_operands);
}

/* ---- zero: there is no -0, 4.8.2 ------------------------------------------------------------- */

static sf8_policy dialect(const char *policy, int on)
{
    sf8_policy p = policy_of(policy);
    p.dialect = on ? SF8_DIALECT_P3109 : SF8_DIALECT_IEEE;
    return p;
}

/* The external formats have -0, but a result that is zero is +0; nothing else of a number changes.
 * The formats of 8 bits or less that are not P3109's keep it. */
Test(verdict_p3109, external_formats)
{
    static const char *const names[] = {"f16", "bf16", "f32", "e4m3", "e5m2", "e3m2", "e2m1"};
    for (size_t i = 0; i < COUNT(names) * COUNT(names); i++) {
        sf8_format to = format_of(names[i % COUNT(names)]);
        sf8_format from = format_of(names[i / COUNT(names)]);
        uint64_t minus = sf8_format_sign_bit(to);
        uint64_t words = sf8_format_bits(from) <= 8 ? UINT64_C(1) << sf8_format_bits(from) : 65536;
        for (uint64_t word = 0; word < words; word += words == 65536 ? 7 : 1) {
            uint64_t a = sf8_format_bits(from) == 32 ? word << 16 | (word & 1) : word;
            if (sf8_is_inf(from, a))
                continue;
            for (int mode = 0; mode < MODES; mode++) {
                char text[32];
                snprintf(text, sizeof text, "ocp round=%s", modes[mode]);
                uint64_t want = sf8_convert(to, from, a, dialect(text, 0));
                if (want == minus && sf8_format_bits(to) > 8)
                    want = 0;
                EXPECT(sf8_convert(to, from, a, dialect(text, 1)) == want, "%s from %s: %" PRIx64,
                       names[i % COUNT(names)], names[i / COUNT(names)], a);
            }
        }
    }
    sf8_policy none = policy_of("p3109-satnone"), ru = policy_of("p3109-satnone round=ru");
    cr_expect(sf8_convert(SF8_F16, SF8_F32, 0x80000000, none) == 0);
    cr_expect(sf8_convert(SF8_F16, SF8_F32, 0x80000001, none) == 0);
    cr_expect(sf8_convert(SF8_F16, SF8_F32, 0xff800000, none) == 0xfc00);
    cr_expect(sf8_negate(SF8_F16, 0, none).code == 0);
    cr_expect(sf8_abs_flags(SF8_F16, 0x8000, none).code == 0);
    cr_expect(sf8_copy_sign_flags(SF8_F16, 0x3c00, 0x8000, none).code == 0x3c00);
    cr_expect(sf8_copy_sign_flags(SF8_F16, 0x3c00, 0x8001, none).code == 0xbc00);
    cr_expect(sf8_mul(SF8_F16, 0x8001, 0x0001, ru).code == 0);
    cr_expect(sf8_add(SF8_F16, 0x8000, 0x8000, none).code == 0);
    cr_expect(sf8_sqrt(SF8_F16, 0x8000, none).code == 0);
    cr_expect(sf8_rint(SF8_F16, 0xb400, none, 0).code == 0);
    cr_expect(sf8_minimum(SF8_F16, 0x8000, 0x8000, none).code == 0);
    cr_expect(sf8_next_up(SF8_F16, 0x8001, none).code == 0);
    cr_expect(sf8_total_order(SF8_F16, 0x0000, 0x8000, none) == 1);
    cr_expect(sf8_total_order(SF8_F16, 0x8001, 0x8000, none) == 1);
    cr_expect(sf8_total_order(SF8_F16, 0x8000, 0x8001, none) == 0);
    cr_expect(sf8_total_order(SF8_F16, 0x7e00, 0xfc00, none) == 1);
    cr_expect(sf8_copy_sign_flags(SF8_E4M3, 0x38, 0x80, none).code == 0xb8);
    cr_expect(sf8_negate(SF8_E4M3, 0x00, none).code == 0x80);
    cr_expect(sf8_next_up(SF8_E4M3, 0x81, none).code == 0x80);
    cr_expect(sf8_total_order(SF8_E4M3, 0x00, 0x80, none) == 0);
}

/* Arrays give what the functions of one value give. */
Test(verdict_p3109, arrays)
{
    enum { N = 512 };
    static const char *const names[] = {"f16",  "bf16", "f32",      "f64",         "e4m3",
                                        "e5m2", "e2m1", "e4m3fnuz", "Binary8p1se", "Binary8p3se"};
    unsigned char src[8 * N], dst[8 * N];
    for (size_t i = 0; i < COUNT(names) * COUNT(names); i++) {
        const char *to_name = names[i % COUNT(names)], *from_name = names[i / COUNT(names)];
        sf8_format to = format_of(to_name), from = format_of(from_name);
        size_t wide = sf8_format_bits(from) <= 8 ? 1 : (size_t)sf8_format_bits(from) / 8;
        size_t narrow = sf8_format_bits(to) <= 8 ? 1 : (size_t)sf8_format_bits(to) / 8;
        for (int sat = 0; sat < 3; sat++) {
            sf8_policy policy = policy_for(sat, sat == NONE ? RNE : (int)(i % MODES));
            uint64_t words[N];
            for (uint64_t j = 0; j < N; j++) { /* the leading bits vary: -0, and tiny values */
                int32_t bits = sf8_format_bits(from);
                words[j] = bits <= 9 ? j & sf8_format_code_mask(from) : (j << (bits - 9)) | (j & 1);
                memcpy(src + wide * j, &words[j], wide);
            }
            cr_assert(sf8_convert_n(to, dst, from, src, N, policy) == SF8_OK);
            for (size_t j = 0; j < N; j++) {
                uint64_t got = 0, want = sf8_convert(to, from, words[j], policy);
                memcpy(&got, dst + narrow * j, narrow);
                EXPECT(got == want, "%s from %s, %" PRIx64 ": %" PRIx64 " instead of %" PRIx64,
                       to_name, from_name, words[j], got, want);
            }
        }
    }
}

/* ---- the examples of the report -------------------------------------------------------------- */

Test(verdict_p3109, examples)
{
    sf8_format se = format_of("Binary8p3se"), sf = format_of("Binary4p2sf"),
               ue = format_of("Binary8p4ue");
    sf8_policy none = policy_of("p3109-satnone"), finite = policy_of("p3109-satfinite");
    cr_expect(sf8_div(se, 0x7f, 0x00, none).code == 0x80);
    cr_expect(sf8_div(SF8_F16, 0x7c00, 0x0000, SF8_OCP_NOSAT).code == 0x7c00);
    cr_expect(sf8_div(SF8_F16, 0x7c00, 0x8000, SF8_OCP_NOSAT).code == 0xfc00);
    cr_expect(sf8_div(SF8_F16, 0x7c00, 0x0000, SF8_OCP_NOSAT).flags == 0);
    cr_expect(sf8_next_up(sf, 0x7, none).code == 0x8);
    cr_expect(sf8_next_down(format_of("Binary8p4sf"), 0xff, none).code == 0x80);
    cr_expect(sf8_next_down(ue, 0x00, finite).code == 0xff);
    cr_expect(sf8_copy_sign_flags(se, 0xc0, 0x80, none).code == 0x80);
    cr_expect(sf8_copy_sign(se, 0xc0, 0x80) == 0x40); /* without a policy: as IEEE 754 */
    cr_expect(sf8_abs_flags(se, 0xff, finite).code == 0x7e);
    cr_expect(sf8_abs_flags(se, 0xff, SF8_OCP).code == 0x7f);
    cr_expect(sf8_negate(ue, 0x80, policy_of("p3109-satnone round=rz")).code == 0x00);
    cr_expect(sf8_negate(ue, 0x80, policy_of("p3109-satnone round=rd")).code == 0xff);
    uint64_t hundred = 0x4059000000000000;
    cr_expect(sf8_convert(sf, SF8_F64, hundred, none) == 0x8);
    cr_expect(sf8_convert(sf, SF8_F64, hundred, SF8_P3109_4_0_SATNONE) == 0x7);
    cr_expect(sf8_convert(sf, SF8_F64, hundred, policy_of("p3109-satnone round=rz")) == 0x7);
}

/* What `softfp8 gen FUNCTION` calls. */
static uint64_t called(const char *name, uint64_t a, uint64_t b, sf8_policy policy)
{
    sf8_function f;
    const uint64_t operands[] = {a, b};
    cr_assert(sf8_function_named(name, &f) == SF8_OK);
    return sf8_function_call(&f, operands, policy, 0, 0).code;
}

Test(verdict_p3109, functions_by_name)
{
    sf8_policy none = policy_of("p3109-satnone"), finite = policy_of("p3109-satfinite");
    cr_expect(called("Binary8p3se_abs", 0xff, 0, finite) == 0x7e);
    cr_expect(called("Binary8p3se_abs", 0xff, 0, none) == 0x7f);
    cr_expect(called("Binary8p3se_copy_sign", 0xc0, 0x80, none) == 0x80);
    cr_expect(called("Binary8p3se_copy_sign", 0xc0, 0x80, SF8_OCP) == 0x40);
    cr_expect(called("Binary8p3se_copy_sign", 0x7f, 0xc0, finite) == 0xfe);
}

/* SPDX-License-Identifier: MIT */
/* uncertain.c -- a stated uncertainty as an interval for each value
 *
 * Errors are computed in f64, and every operation is rounded up, so that an error is never too
 * small: by a few units in the last place of f64 at most it is too large. Units in the last place
 * are exact, and so are their sums as long as they have 53 bits. The ends of the interval, the
 * exact value plus and less the error, are rounded to odd. What is rounded to odd keeps the side of
 * each number with two bits less on which the exact sum lies, and it is such a number only if the
 * sum is. So the code of an end is that of the exact sum, for every narrower format: no boundary is
 * crossed, and no tie appears or disappears.
 */
#include "diagnose/judge/judge.h"

#include <math.h>
#include <string.h>

enum { UNITS, RELATIVE, ABSOLUTE };

/* ---- arithmetic ------------------------------------------------------------------------------ */

static double sum_up(double a, double b)
{
    double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
    return error > 0 ? nextafter(sum, INFINITY) : sum;
}

static double product_up(double a, double b)
{
    double product = a * b;
    return product == 0 || product < 1e-280 || fma(a, b, -product) > 0
               ? (a == 0 || b == 0 ? 0 : nextafter(product, INFINITY))
               : product;
}

static double reciprocal_up(double a)
{
    double inverse = 1 / a;
    return fma(inverse, a, -1) < 0 ? nextafter(inverse, INFINITY) : inverse;
}

/* The sum of two finite numbers, rounded to odd. */
static double sum_to_odd(double a, double b)
{
    double sum = a + b, part = sum - a, error = (a - (sum - part)) + (b - part);
    uint64_t bits;
    if (isinf(sum))
        return copysign(0x1.fffffffffffffp1023, sum);
    memcpy(&bits, &sum, sizeof bits);
    if (error != 0 && bits % 2 == 0) {
        bits = (error > 0) == (sum > 0) ? bits + 1 : bits - 1;
        memcpy(&sum, &bits, sizeof sum);
    }
    return sum;
}

/* ---- the grammar ----------------------------------------------------------------------------- */

enum { WORD = 64 };

/* A number above 0, or 0 too; rounded up. 1, or 0 if it is no such number. */
static int read_number(const char *text, double *number)
{
    sf8_policy up = SF8_OCP_NOSAT;
    sf8_result result;
    up.round = SF8_RU;
    if (sf8_from_text(SF8_F64, text, up, &result, NULL) != SF8_OK)
        return 0;
    memcpy(number, &result.code, sizeof *number);
    return *number >= 0 && !isinf(*number);
}

static int read_term(const char *text, judge_term *term)
{
    char name[WORD];
    size_t size = strcspn(text, "*/=");
    sf8_status status;
    char mark = text[size];
    memcpy(name, text, size);
    name[size] = '\0';
    if (mark == '=') {
        term->kind = strcmp(name, "rel") == 0 ? RELATIVE : ABSOLUTE;
        return (term->kind == RELATIVE || strcmp(name, "abs") == 0) &&
               read_number(text + size + 1, &term->number);
    }
    term->kind = UNITS;
    term->number = 1;
    term->of = sf8_format_named(name, &status);
    if (status != SF8_OK || term->of.nan == SF8_NANS_HIF8)
        return 0;
    if (mark && !read_number(text + size + 1, &term->number))
        return 0;
    if (mark == '/') {
        if (term->number == 0)
            return 0;
        term->number = reciprocal_up(term->number);
    }
    return 1;
}

/* Where a term ends: at a "+" that is no part of a number such as 1e+3. */
static size_t term_size(const char *text)
{
    size_t size = strcspn(text, "+");
    int after_e = size > 1 && (text[size - 1] == 'e' || text[size - 1] == 'E') &&
                  ((text[size - 2] >= '0' && text[size - 2] <= '9') || text[size - 2] == '.');
    return text[size] && after_e && strchr(text, '=') && strchr(text, '=') < text + size
               ? size + 1 + strcspn(text + size + 1, "+")
               : size;
}

static int read_text(const char *text, judge_uncertain *u)
{
    for (;;) {
        char word[WORD];
        size_t size = term_size(text), used = 0;
        for (size_t i = 0; i < size; i++)
            if (text[i] != ' ' && used < WORD - 1)
                word[used++] = text[i];
        word[used] = '\0';
        if (used == 0 || used == WORD - 1 || u->count == JUDGE_TERMS ||
            !read_term(word, &u->term[u->count++]))
            return 0;
        if (!text[size])
            return 1;
        text += size + 1;
    }
}

int sf8_uncertainty_is_good(const char *text)
{
    judge_uncertain u = {.count = 0};
    return text && read_text(text, &u);
}

sf8_status judge_uncertain_read(const sf8_uncertainty *given, judge_uncertain *u)
{
    if (!given || (!given->between[0]) != (!given->between[1]))
        return SF8_BAD_CALL;
    u->given = given;
    u->count = 0;
    if (given->between[0] && !sf8_format_valid(given->between_format))
        return SF8_BAD_FORMAT;
    if (!given->text && !given->absolute && !given->between[0])
        return SF8_BAD_CALL;
    return !given->text || read_text(given->text, u) ? SF8_OK : SF8_BAD_TEXT;
}

/* ---- intervals ------------------------------------------------------------------------------- */

uint64_t judge_load(const void *array, size_t i, sf8_format f)
{
    int bits = sf8_format_bits(f);
    uint16_t two;
    uint32_t four;
    uint64_t eight;
    if (bits <= 8)
        return ((const unsigned char *)array)[i];
    if (bits <= 16) {
        memcpy(&two, (const unsigned char *)array + 2 * i, sizeof two);
        return two;
    }
    if (bits <= 32) {
        memcpy(&four, (const unsigned char *)array + 4 * i, sizeof four);
        return four;
    }
    memcpy(&eight, (const unsigned char *)array + 8 * i, sizeof eight);
    return eight;
}

double judge_value(sf8_format f, uint64_t code)
{
    int bits_of = sf8_format_bits(f);
    double value;
    if (bits_of == 32 && f.exp_bits == 8)
        return sf8_f32_from_bits((uint32_t)code);
    uint64_t bits = bits_of == 64 ? code : sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT);
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The unit in the last place of a format for a number. */
static double unit_of(sf8_format f, double x)
{
    int exponent, least = sf8_format_emin(f);
    (void)frexp(x, &exponent);
    exponent = x == 0 || exponent - 1 < least ? least : exponent - 1;
    return ldexp(1, exponent - f.man_bits);
}

static double error_of(const judge_uncertain *u, double x, size_t i)
{
    double error = u->given->absolute ? u->given->absolute[i] : 0;
    for (size_t k = 0; k < u->count; k++) {
        const judge_term *t = &u->term[k];
        double by = t->kind == UNITS ? unit_of(t->of, x) : t->kind == RELATIVE ? fabs(x) : 1;
        error = sum_up(error, product_up(t->number, by));
    }
    return error;
}

judge_interval judge_interval_of(const judge_uncertain *u, double x, size_t i)
{
    judge_interval v = {x, x};
    if (u->given->between[0]) {
        double a = judge_value(u->given->between_format,
                               judge_load(u->given->between[0], i, u->given->between_format)),
               b = judge_value(u->given->between_format,
                               judge_load(u->given->between[1], i, u->given->between_format));
        if (isnan(a) || isnan(b))
            return (judge_interval){NAN, isnan(a) ? b : a};
        v.low = fmin(x, fmin(a, b));
        v.high = fmax(x, fmax(a, b));
    }
    if (isnan(x) || (u->count == 0 && !u->given->absolute))
        return v;
    double error = isinf(x) ? 0 : error_of(u, x, i);
    return (judge_interval){isinf(v.low) || error == 0 ? v.low : sum_to_odd(v.low, -error),
                            isinf(v.high) || error == 0 ? v.high : sum_to_odd(v.high, error)};
}

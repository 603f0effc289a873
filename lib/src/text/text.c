/* SPDX-License-Identifier: MIT */
/* text.c -- values as text and back, exact in both directions
 *
 * Reading takes the whole text apart as an integer, a power of ten or two, and a sticky digit, and
 * rounds once. Any length of text is read in bounded memory and any exponent is accepted. What is
 * refused is refused at the end of the longest prefix that could still have become a number.
 *
 * Writing SHORTEST gives, of the decimals with the fewest digits that round to nearest-even to the
 * code, the one nearest to its value (in a tie the one with the even last digit). For the largest
 * finite number they must do so without overflowing, so that the text is read back by saturating
 * and other policies alike.
 *
 * Nothing depends on the locale, and no floating-point arithmetic is done.
 */
#include "text/bignum.h"
#include "text/decimal.h"
#include "softfp8.h"
#include "softfp8/number/hif8.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* The output of characters. With text = NULL they are only counted. */
typedef struct sf8_writer {
    char *text;
    size_t length;
} sf8_writer;

static void sf8_put_char(sf8_writer *w, char c)
{
    if (w->text)
        w->text[w->length] = c;
    w->length++;
}

static void sf8_put_string(sf8_writer *w, const char *s)
{
    while (*s)
        sf8_put_char(w, *s++);
}

static void sf8_put_zeros(sf8_writer *w, int32_t n)
{
    while (n-- > 0)
        sf8_put_char(w, '0');
}

static void sf8_put_exponent(sf8_writer *w, char letter, int32_t exponent, int32_t with_plus)
{
    sf8_put_char(w, letter);
    if (exponent < 0)
        sf8_put_char(w, '-');
    else if (with_plus)
        sf8_put_char(w, '+');
    int32_t rest = exponent < 0 ? -exponent : exponent;
    int32_t unit = 1;
    while (unit <= rest / 10)
        unit *= 10;
    for (; unit; unit /= 10)
        sf8_put_char(w, (char)('0' + rest / unit % 10));
}

static void sf8_put_decimal(sf8_writer *w, const sf8_decimal *d)
{
    int32_t before = d->plain ? d->exponent + 1 : 1; /* digits before the point */
    if (before <= 0)
        sf8_put_char(w, '0');
    if (before < 0) {
        sf8_put_char(w, '.');
        sf8_put_zeros(w, -before);
    }
    for (int32_t i = d->first; i <= d->last; i++) {
        if (i - d->first == before)
            sf8_put_char(w, '.');
        sf8_put_char(w, (char)('0' + d->digit[i]));
    }
    sf8_put_zeros(w, before - (d->last - d->first + 1));
    if (!d->plain)
        sf8_put_exponent(w, 'e', d->exponent, 0);
}

static void sf8_put_hex(sf8_writer *w, sf8_format f, uint64_t magnitude)
{
    sf8_number x = sf8_core_unpack(f, magnitude, SF8_OCP);
    if (x.sig == 0) {
        sf8_put_string(w, "0x0p+0");
        return;
    }
    int32_t up = sf8_clz64(x.sig);
    uint64_t fraction = (x.sig << up) << 1;
    sf8_put_string(w, fraction ? "0x1." : "0x1");
    for (; fraction; fraction <<= 4)
        sf8_put_char(w, "0123456789abcdef"[fraction >> 60]);
    sf8_put_exponent(w, 'p', x.exponent + 63 - up, 1);
}

static void sf8_put_value(sf8_writer *w, sf8_format f, uint64_t code, const sf8_decimal *d)
{
    uint64_t magnitude = code & sf8_format_mag_mask(f);
    /* The NaN that is the code of -0 has no sign. */
    if (sf8_core_sign(f, code) && (magnitude || f.nan != SF8_NANS_NEG_ZERO))
        sf8_put_char(w, '-');
    if (sf8_is_special(f, code))
        sf8_put_string(w, sf8_is_inf(f, code) ? "inf" : "nan");
    else if (d)
        sf8_put_decimal(w, d);
    else
        sf8_put_hex(w, f, magnitude);
}

sf8_status sf8_to_text(sf8_format f, uint64_t code, sf8_text_style style, char *text, size_t size,
                       size_t *length)
{
    if (sf8_is_hif8(f))
        code = sf8_hif8_unpack(code, &f);
    if (!sf8_format_valid(f))
        return SF8_BAD_FORMAT;
    code &= sf8_format_code_mask(f);
    sf8_decimal digits;
    const sf8_decimal *d = NULL;
    if (style != SF8_TEXT_HEX && !sf8_is_special(f, code)) {
        sf8_decimal_of(&digits, f, code & sf8_format_mag_mask(f), style == SF8_TEXT_SHORTEST);
        d = &digits;
    }
    sf8_writer w = {NULL, 0};
    sf8_put_value(&w, f, code, d);
    if (w.length >= size)
        return SF8_NO_ROOM;
    w.text = text;
    w.length = 0;
    sf8_put_value(&w, f, code, d);
    text[w.length] = 0;
    if (length)
        *length = w.length;
    return SF8_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* This many digits are enough. Every boundary of a rounding, also of stochastic rounding by 32
 * bits, is a decimal of at most 1550 digits. A longer decimal lies on the same side of all of them
 * as its first digits followed by a 1. For hexadecimal digits the same is true of 62 bits. */
#define SF8_READ_DECIMAL_DIGITS SF8_BIG_READ_DIGITS
#define SF8_READ_HEX_DIGITS 32
/* Decimal exponents beyond these limits all give the same result. */
#define SF8_READ_HUGE_EXPONENT 1300
#define SF8_READ_TINY_EXPONENT (-700)
/* Stands in for every binary exponent beyond it, and for no other. */
#define SF8_READ_FAR 10000

/* digits * base^scale * 2^exponent */
typedef struct sf8_read_number {
    sf8_big digits;
    int32_t count; /* of digits, in the base */
    uint32_t base;
    int64_t scale;
    int64_t exponent;
} sf8_read_number;

static uint32_t sf8_digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0');
    if (c >= 'a' && c <= 'f')
        return (uint32_t)(c - 'a') + 10;
    if (c >= 'A' && c <= 'F')
        return (uint32_t)(c - 'A') + 10;
    return UINT32_MAX;
}

static int32_t sf8_is_letter(char c, char lower)
{
    return c == lower || c == lower - 'a' + 'A';
}

/* Returns how many characters of `text` match `word`, which is in lower case. */
static size_t sf8_match(const char *text, const char *word)
{
    size_t n = 0;
    while (word[n] && sf8_is_letter(text[n], word[n]))
        n++;
    return n;
}

/* Reads digits with at most one point, from text[*at] on; returns 0 if there is no digit. Digits
 * are added to the bignum in groups that fit a limb. */
static int32_t sf8_scan_digits(sf8_read_number *x, const char *text, size_t *at)
{
    int32_t limit = x->base == 10 ? SF8_READ_DECIMAL_DIGITS : SF8_READ_HEX_DIGITS;
    int32_t any = 0, point = 0;
    uint32_t group = 0, unit = 1, beyond = 0;
    for (;; ++*at) {
        uint32_t digit = sf8_digit_of(text[*at]);
        if (text[*at] == '.' && !point) {
            point = 1;
            continue;
        }
        if (digit >= x->base)
            break;
        any = 1;
        x->scale -= point;
        if (x->count == limit) {
            beyond |= digit;
            x->scale++;
        } else if (digit || x->count) {
            group = group * x->base + digit;
            unit *= x->base;
            x->count++;
        }
        if (unit >= 100000000) {
            sf8_big_mul_add(&x->digits, unit, group);
            group = 0;
            unit = 1;
        }
    }
    sf8_big_mul_add(&x->digits, unit, group);
    if (beyond) {
        sf8_big_mul_add(&x->digits, x->base, 1);
        x->count++;
        x->scale--;
    }
    return any;
}

/* Reads an optional exponent after `letter`; returns 0 if it has no digit. It stops growing at a
 * value that no text is long enough to compensate. */
static int32_t sf8_scan_exponent(int64_t *exponent, char letter, const char *text, size_t *at)
{
    *exponent = 0;
    if (!sf8_is_letter(text[*at], letter))
        return 1;
    ++*at;
    int32_t negative = text[*at] == '-';
    if (negative || text[*at] == '+')
        ++*at;
    if (sf8_digit_of(text[*at]) >= 10)
        return 0;
    for (; sf8_digit_of(text[*at]) < 10; ++*at) {
        if (*exponent < INT64_C(100000000000000000))
            *exponent = *exponent * 10 + (int64_t)sf8_digit_of(text[*at]);
    }
    if (negative)
        *exponent = -*exponent;
    return 1;
}

static int32_t sf8_scan_number(sf8_read_number *x, const char *text, size_t *at)
{
    int32_t hex = text[*at] == '0' && sf8_is_letter(text[*at + 1], 'x');
    sf8_big_set(&x->digits, 0);
    x->base = hex ? 16 : 10;
    x->count = 0;
    x->scale = 0;
    x->exponent = 0;
    if (hex)
        *at += 2;
    if (!sf8_scan_digits(x, text, at))
        return 0;
    int64_t exponent;
    if (!sf8_scan_exponent(&exponent, hex ? 'p' : 'e', text, at))
        return 0;
    if (hex)
        x->exponent = exponent;
    else
        x->scale += exponent;
    return 1;
}

/* Makes the base a power of two: the value is digits * 2^exponent, and the returned sticky bit says
 * whether there is more. A division computes 64 bits. */
static uint32_t sf8_to_binary(sf8_read_number *x)
{
    if (x->base == 16) {
        x->exponent += 4 * x->scale;
        return 0;
    }
    int64_t size = x->count + x->scale;
    if (size > SF8_READ_HUGE_EXPONENT || size < SF8_READ_TINY_EXPONENT) {
        x->exponent = size > 0 ? SF8_READ_FAR : -SF8_READ_FAR;
        return 0;
    }
    int32_t n = (int32_t)x->scale;
    x->exponent = n;
    if (n >= 0) {
        sf8_big_mul_pow5(&x->digits, n);
        return 0;
    }
    int32_t missing = -n * 7 / 3 + 1 + 64 - sf8_big_bits(&x->digits); /* 5^3 < 2^7 */
    int32_t limbs = missing > 0 ? (missing + 31) / 32 : 0;
    sf8_big_raise(&x->digits, limbs);
    x->exponent -= 32 * limbs;
    return sf8_big_div_pow5(&x->digits, -n);
}

static sf8_result round_number(sf8_format f, sf8_policy policy, uint32_t sign, sf8_read_number *x)
{
    int32_t hif8 = sf8_is_hif8(f);
    if (x->digits.count == 0)
        return hif8 ? sf8_hif8_round(policy, sign, 0, 0, 0)
                    : sf8_core_round_normal(f, policy, sign, sf8_format_emin(f), 0, 0);
    uint32_t sticky = sf8_to_binary(x);
    uint32_t rest;
    uint64_t sig = sf8_big_top(&x->digits, &rest);
    int64_t exponent = x->exponent + sf8_big_bits(&x->digits) - 1;
    /* The core counts codes up to the next exponent above the largest; everything beyond is treated
     * alike. */
    int32_t most = (hif8 ? 15 : sf8_format_emax(f)) + 1;
    if (exponent > most)
        exponent = most;
    if (exponent < -SF8_READ_FAR)
        exponent = -SF8_READ_FAR;
    sig = sf8_shift_right_jam(sig, 63 - SF8_POINT) | rest | sticky;
    if (hif8)
        return sf8_hif8_round(policy, sign, (int32_t)exponent, sig, 0);
    return sf8_core_round_normal(f, policy, sign, (int32_t)exponent, sig, 0);
}

/* "inf", "infinity" or "nan", which are those of f64 converted. */
static int32_t sf8_scan_special(uint64_t *code, const char *text, size_t *at)
{
    int32_t inf = sf8_is_letter(text[*at], 'i');
    size_t n = sf8_match(text + *at, inf ? "infinity" : "nan");
    *code = UINT64_C(0x7ff) << 52 | (inf ? 0 : UINT64_C(1) << 51);
    *at += n;
    return n == 3 || n == 8;
}

sf8_status sf8_from_text(sf8_format f, const char *text, sf8_policy policy, sf8_result *result,
                         size_t *error)
{
    if (!sf8_format_converts(f))
        return SF8_BAD_FORMAT;
    if (!text) {
        if (error)
            *error = 0;
        return SF8_BAD_TEXT;
    }
    uint32_t sign = text[0] == '-';
    size_t at = sign || text[0] == '+';
    int32_t special = sf8_is_letter(text[at], 'i') || sf8_is_letter(text[at], 'n');
    uint64_t code;
    sf8_read_number x;
    int32_t good = special ? sf8_scan_special(&code, text, &at) : sf8_scan_number(&x, text, &at);
    if (!good || text[at]) {
        if (error)
            *error = at;
        return SF8_BAD_TEXT;
    }
    code |= (uint64_t)sign << 63;
    if (special && sf8_is_hif8(f))
        *result = sf8_hif8_special(SF8_F64, code, policy);
    else if (special)
        *result = sf8_core_convert_special(f, SF8_F64, code, policy);
    else
        *result = round_number(f, policy, sign, &x);
    return SF8_OK;
}

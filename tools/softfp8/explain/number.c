/* SPDX-License-Identifier: MIT */
/* number.c -- numbers and codes as text, and adding to a text */
#include "explain/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* "0x1.8p-3"; if it is cut eight digits and "...", "0x1.0624dd2f...p-10". */
static const char *hex_text(sf8_number x, int cut, char text[NUMBER_TEXT])
{
    char *to = text;
    if (x.sign)
        *to++ = '-';
    if (x.sig == 0)
        return strcpy(to, "0"), text;
    int up = sf8_clz64(x.sig);
    uint64_t fraction = (x.sig << up) << 1;
    to += sprintf(to, fraction || cut ? "0x1." : "0x1");
    for (int i = 0; cut ? i < 8 : fraction != 0; i++, fraction <<= 4)
        *to++ = hex_lower[fraction >> 60];
    sprintf(to, "%sp%+d", cut ? "..." : "", x.exponent + 63 - up);
    return text;
}

const char *number_hex(sf8_number x, char text[NUMBER_TEXT])
{
    return hex_text(x, 0, text);
}

const char *exact_hex(exact_number x, char text[NUMBER_TEXT])
{
    uint64_t sig = x.cut ? x.sig - 1 : x.sig;
    return hex_text(sf8_core_number(x.sign, x.exponent - SF8_POINT, sig), x.cut, text);
}

/* The code of x in f64, if that is exact. */
static int is_f64(sf8_number x, uint64_t *code)
{
    sf8_result r = sf8_core_round_number(SF8_F64, SF8_OCP, x.sign, x.exponent, x.sig, 0);
    *code = r.code;
    return r.flags == 0;
}

const char *short_decimal(sf8_number x, size_t most, char text[NUMBER_TEXT])
{
    char all[1600];
    uint64_t code;
    size_t length;
    text[0] = '\0';
    if (is_f64(x, &code) &&
        sf8_to_text(SF8_F64, code, SF8_TEXT_EXACT, all, sizeof all, &length) == SF8_OK &&
        length <= most + x.sign && !strchr(all, 'e'))
        memcpy(text, all, length + 1);
    return text;
}

const char *number_text(sf8_number x, char text[NUMBER_TEXT])
{
    uint64_t code;
    if (short_decimal(x, 18, text)[0])
        return text;
    if ((x.sig & (x.sig - 1)) == 0) {
        sprintf(text, "%s2^%d", x.sign ? "-" : "", x.exponent + sf8_msb64(x.sig));
        return text;
    }
    number_hex(x, text);
    while (!(x.sig & 1)) {
        x.sig >>= 1;
        x.exponent++;
    }
    /* 9 digits tell numbers of 24 bits and their midpoints apart, 17 those of 53. */
    if (is_f64(x, &code))
        snprintf(text + strlen(text), NUMBER_TEXT - strlen(text), " (~%.*g)", x.sig >> 25 ? 17 : 9,
                 sf8_f64_from_bits(code));
    return text;
}

sf8_number number_of(sf8_format f, uint64_t code)
{
    return sf8_core_unpack(f, code, SF8_OCP);
}

const char *code_text(sf8_format f, uint64_t code, char text[NUMBER_TEXT])
{
    const char *sign = sf8_core_sign(f, code) && f.nan != SF8_NANS_NEG_ZERO ? "-" : "";
    if (!sf8_is_special(f, code))
        return number_text(number_of(f, code), text);
    if (sf8_is_inf(f, code))
        sprintf(text, "%sinf", sf8_core_sign(f, code) ? "-" : "");
    else
        sprintf(text, "%s%s", sign, sf8_core_is_signaling(f, code, SF8_OCP) ? "sNaN" : "NaN");
    return text;
}

const char *code_short(sf8_format f, uint64_t code, char text[NUMBER_TEXT])
{
    code_text(f, code, text);
    text[strcspn(text, " ")] = '\0';
    return text;
}

static char *put_bits(char *to, uint64_t code, int low, int count)
{
    for (int i = low + count - 1; i >= low; i--)
        *to++ = (char)('0' + (code >> i & 1));
    return to;
}

const char *fields_text(sf8_format f, uint64_t code, char text[FIELDS_TEXT])
{
    char *to = text;
    if (f.is_signed) {
        to = put_bits(to, code, sf8_format_mag_bits(f), 1);
        *to++ = ' ';
    }
    to = put_bits(to, code, f.man_bits, f.exp_bits);
    if (f.man_bits) {
        *to++ = ' ';
        to = put_bits(to, code, 0, f.man_bits);
    }
    *to = '\0';
    return text;
}

void add_text(char *text, size_t size, const char *format, ...)
{
    size_t used = strlen(text);
    va_list list;
    va_start(list, format);
    vsnprintf(text + used, size - used, format, list);
    va_end(list);
}

/* SPDX-License-Identifier: MIT */
/* exact.c -- a number as text, exactly: its leading bits, and whether there are more
 *
 * 1e-3 is no binary number, so neighbours and midpoints can not be compared with a rounded copy of
 * it. All digits of the text become one integer, which is multiplied by a power of five, or divided
 * by one with 64 bits or more of quotient; nothing is rounded. What does not fit into 62 bits is
 * kept as one sticky bit.
 *
 * That is enough: every boundary that is compared with (a code, a midpoint, what a random word
 * decides) is a multiple of 2^(exponent - 60) if the number's leading bit is 2^exponent, and thus
 * never strictly between two neighbouring values of the 62 bits but with the sticky bit set.
 */
#include "explain/explain.h"

#include <stdlib.h>
#include <string.h>

/* ---- an unsigned integer without limit ------------------------------------------------------- */

typedef struct integer {
    uint32_t *limb; /* the lowest first; the top one is not 0 */
    size_t count, room;
} integer;

static void integer_append(integer *a, uint32_t limb)
{
    a->limb = grow(a->limb, a->count, &a->room, sizeof a->limb[0]);
    a->limb[a->count++] = limb;
}

static void integer_multiply_add(integer *a, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (size_t i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        integer_append(a, (uint32_t)carry);
}

/* Keeps the quotient and returns the remainder. */
static uint32_t integer_divide(integer *a, uint32_t divisor)
{
    uint64_t rest = 0;
    for (size_t i = a->count; i-- > 0;) {
        rest = rest << 32 | a->limb[i];
        a->limb[i] = (uint32_t)(rest / divisor);
        rest %= divisor;
    }
    while (a->count && a->limb[a->count - 1] == 0)
        a->count--;
    return (uint32_t)rest;
}

/* Times 2^32. */
static void integer_raise(integer *a)
{
    integer_append(a, 0);
    memmove(a->limb + 1, a->limb, (a->count - 1) * sizeof a->limb[0]);
    a->limb[0] = 0;
}

static int64_t integer_bits(const integer *a)
{
    return 32 * (int64_t)a->count - (sf8_clz64(a->limb[a->count - 1]) - 32);
}

static uint32_t bit_of(const integer *a, int64_t i)
{
    return i < 0 ? 0 : a->limb[i / 32] >> (i % 32) & 1;
}

/* ---- reading --------------------------------------------------------------------------------- */

enum {
    POW5_13 = 1220703125, /* 5^13, the largest that fits a limb */
    FAR = 20000           /* an exponent of two beyond every format and boundary */
};

/* digits * base^scale * 2^exponent */
typedef struct scanned {
    integer digits;
    int64_t count; /* of digits, without leading zeros */
    uint32_t base;
    int64_t scale;
    int64_t exponent;
} scanned;

static const char *scan_digits(scanned *s, const char *text)
{
    uint32_t group = 0, unit = 1;
    int point = 0;
    for (;; text++) {
        uint32_t digit = hex_values[(unsigned char)*text];
        if (*text == '.')
            point = 1;
        else if (digit >= s->base)
            break;
        if (*text == '.')
            continue;
        s->scale -= point;
        s->count += s->count || digit;
        group = group * s->base + digit;
        unit *= s->base;
        if (unit >= 10000000) {
            integer_multiply_add(&s->digits, unit, group);
            group = 0;
            unit = 1;
        }
    }
    integer_multiply_add(&s->digits, unit, group);
    return text;
}

/* The exponent behind `p` or `e`, held where no text is long enough to matter. */
static int64_t scan_exponent(const char *text)
{
    int64_t exponent = 0;
    if (!*text)
        return 0;
    int negative = text[1] == '-';
    for (text += 1 + (text[1] == '-' || text[1] == '+'); *text; text++) {
        if (exponent < INT64_C(100000000000000))
            exponent = 10 * exponent + (*text - '0');
    }
    return negative ? -exponent : exponent;
}

static scanned scan(const char *text)
{
    int hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
    scanned s = {{NULL, 0, 0}, 0, hex ? 16 : 10, 0, 0};
    text = scan_digits(&s, text + 2 * hex);
    if (hex)
        s.exponent = 4 * s.scale + scan_exponent(text);
    else
        s.scale += scan_exponent(text);
    return s;
}

/* Replaces 10^scale by 2^scale. Returns whether a division left a remainder; of a floor of a floor
 * that is so if any step leaves one. */
static int remove_fives(scanned *s)
{
    uint32_t rest = 0;
    int64_t n = s->scale < 0 ? -s->scale : s->scale;
    s->exponent += s->scale;
    /* 5^3 < 2^7: the quotient has 64 bits or more. */
    if (s->scale < 0) {
        while (integer_bits(&s->digits) < n * 7 / 3 + 1 + 64) {
            integer_raise(&s->digits);
            s->exponent -= 32;
        }
    }
    while (n > 0) {
        uint32_t power = 1;
        for (int i = 0; i < 13 && n > 0; i++, n--)
            power *= 5;
        if (s->scale < 0)
            rest |= integer_divide(&s->digits, power);
        else
            integer_multiply_add(&s->digits, power, 0);
    }
    return rest != 0;
}

static exact_number leading_bits(const integer *a, int64_t exponent, int cut)
{
    exact_number x = {0, cut, cut, 0, 0, 0};
    int64_t bits = integer_bits(a);
    for (int64_t i = bits - 1; i >= bits - 1 - SF8_POINT; i--)
        x.sig = x.sig << 1 | bit_of(a, i);
    for (int64_t i = bits - 2 - SF8_POINT; i >= 0 && !x.cut; i--)
        x.cut = (int)bit_of(a, i);
    x.sig |= (uint32_t)x.cut;
    exponent += bits - 1;
    x.far = exponent > FAR || exponent < -FAR;
    x.exponent = (int32_t)(exponent > FAR ? FAR : exponent < -FAR ? -FAR : exponent);
    return x;
}

exact_number exact_of_text(const char *text)
{
    exact_number x = {0, 0, 0, 0, 0, 0};
    uint32_t sign = text[0] == '-';
    scanned s = scan(text + (text[0] == '-' || text[0] == '+'));
    if (s.digits.count) {
        /* Decimal digits that are all too far away would only cost time. */
        int64_t size = s.base == 10 ? s.count + s.scale : 0;
        if (size > FAR || size < -FAR) {
            x.sig = (UINT64_C(1) << SF8_POINT) + 1;
            x.cut = x.far = 1;
            x.exponent = size > 0 ? FAR : -FAR;
        } else {
            int cut = s.base == 10 ? remove_fives(&s) : 0;
            x = leading_bits(&s.digits, s.exponent, cut);
        }
    }
    x.sign = sign;
    free(s.digits.limb);
    return x;
}

exact_number exact_of_bits(uint32_t sign, int32_t exponent, uint64_t sig, int cut)
{
    exact_number x = {sign, cut, 0, 0, 0, 0};
    int32_t msb = sf8_msb64(sig);
    x.exponent = exponent + msb;
    x.far = x.exponent > FAR || x.exponent < -FAR;
    x.sig = msb > SF8_POINT ? sig >> (msb - SF8_POINT) : sig << (SF8_POINT - msb);
    x.sig |= (uint32_t)cut;
    return x;
}

exact_number exact_of_number(sf8_number n)
{
    exact_number zero = {n.sign, 0, 0, 0, 0, 0};
    return n.sig == 0 ? zero : exact_of_bits(n.sign, n.exponent, n.sig, 0);
}

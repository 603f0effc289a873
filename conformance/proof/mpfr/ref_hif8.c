/* SPDX-License-Identifier: MIT */
/* ref_hif8.c -- HiF8: a table of its numbers, and rounding to the nearest of two neighbours in it
 *
 * The table is written down as the paper describes the format (arXiv 2409.16626, table 2): each
 * code is a string of bits of its dot field, its exponent and its mantissa. Nothing else is known
 * of the format here: a result is found by comparing the exact value with the table's.
 */
#include "mpfr/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS = 127, GRID = NUMBERS + 2 };

/* The magnitudes in ascending order: the finite ones, that of infinity, and one beyond. Between two
 * is their middle. */
static mpfr_t values[GRID], middles[GRID - 1];
static mpfr_t half, half_middle; /* 2^-23, and what lies between it and 2^-22 */
static uint64_t codes[GRID];
static ref_operand operands[256];
static ref_format format = {.name = "hif8",
                            .man_bits = 3,
                            .is_signed = 1,
                            .width = 8,
                            .has_inf = 1,
                            .has_zero = 1,
                            .nans = REF_NANS_NEG_ZERO,
                            .top = 127};

static uint64_t bits_of(const char *dot, const char *exponent, int mantissa, int mantissa_bits)
{
    char text[16];
    int used = snprintf(text, sizeof text, "%s%s", dot, exponent);
    for (int i = mantissa_bits - 1; i >= 0; i--)
        text[used++] = mantissa >> i & 1 ? '1' : '0';
    text[used] = '\0';
    if (used != 7)
        abort();
    return strtoull(text, NULL, 2);
}

/* The numbers of one exponent: (1 + m / 2^bits) * 2^exponent. */
static void add_binade(int *count, const char *dot, const char *field, long exponent, int bits)
{
    for (int m = 0; m < 1 << bits; m++, ++*count) {
        codes[*count] = bits_of(dot, field, m, bits);
        mpfr_set_ui_2exp(values[*count], (unsigned)((1 << bits) + m), exponent - bits, MPFR_RNDZ);
    }
}

/* The exponent field of a magnitude from 1 to 15: its sign, and its digits after the first. */
static void add_exponent(int *count, long exponent)
{
    static const char *const dots[] = {"0001", "001", "01", "10", "11"};
    static const int mantissas[] = {3, 3, 3, 2, 1};
    char field[8];
    long size = labs(exponent);
    int length = 0;
    while (size >> length)
        length++;
    field[0] = exponent < 0 ? '1' : '0';
    for (int i = 1; i < length; i++)
        field[i] = size >> (length - 1 - i) & 1 ? '1' : '0';
    field[length] = '\0';
    add_binade(count, dots[length], size ? field : "", exponent, mantissas[length]);
}

static void set_middle(mpfr_t middle, mpfr_srcptr lo, mpfr_srcptr hi)
{
    mpfr_add(middle, lo, hi, MPFR_RNDZ);
    mpfr_div_2ui(middle, middle, 1, MPFR_RNDZ);
}

static void set_operand(uint64_t code, mpfr_srcptr value, int negative)
{
    ref_operand *o = &operands[code];
    o->code = code;
    o->negative = negative;
    mpfr_set(o->value, value, MPFR_RNDZ);
    mpfr_setsign(o->value, o->value, negative, MPFR_RNDZ);
}

const ref_format *ref_hif8(void)
{
    return &format;
}

int ref_hif8_start(void)
{
    int count = 0, bad = 0;
    for (int i = 0; i < GRID; i++)
        mpfr_init2(values[i], 64);
    for (int m = 0; m < 8; m++) { /* the dot field 0000 */
        codes[count] = bits_of("0000", "", m, 3);
        mpfr_set_ui_2exp(values[count++], m > 0, m - 23, MPFR_RNDZ);
    }
    for (long exponent = -15; exponent <= 15; exponent++)
        add_exponent(&count, exponent);
    /* 1.5 * 2^15 is infinity */
    mpfr_set_ui_2exp(values[GRID - 1], 1, 16, MPFR_RNDZ);
    bad |= count != GRID - 1;
    for (int i = 1; i < GRID; i++) {
        bad |= mpfr_cmp(values[i - 1], values[i]) >= 0;
        mpfr_init2(middles[i - 1], 64);
        set_middle(middles[i - 1], values[i - 1], values[i]);
    }
    mpfr_init2(half, 64);
    mpfr_init2(half_middle, 64);
    mpfr_set_ui_2exp(half, 1, -23, MPFR_RNDZ);
    set_middle(half_middle, half, values[1]);
    for (int i = 0; i < 256; i++)
        ref_operand_init(&operands[i]);
    for (int i = 0; i < NUMBERS; i++)
        for (int negative = 0; negative < 2; negative++)
            set_operand(codes[i] | (negative ? 128 : 0), values[i], negative);
    mpfr_set_inf(operands[codes[NUMBERS]].value, 1);
    set_operand(codes[NUMBERS], operands[codes[NUMBERS]].value, 0);
    set_operand(codes[NUMBERS] | 128, operands[codes[NUMBERS]].value, 1);
    mpfr_set_nan(operands[128].value);
    operands[128].code = 128;
    operands[128].negative = 1;
    format.table = operands;
    return bad;
}

void ref_hif8_each_boundary(void (*visit)(void *data, mpfr_srcptr b), void *data)
{
    for (int i = 0; i < GRID; i++) {
        visit(data, values[i]);
        if (i + 1 < GRID)
            visit(data, middles[i]);
    }
    visit(data, half_middle); /* where tininess is decided */
}

/* Does a number between lo and hi, to whose middle it compares as `side`, round up? */
static int goes_up(int mode, int negative, int side, int lo_is_odd)
{
    switch (mode) {
    case REF_RNE:
        return side > 0 || (side == 0 && lo_is_odd);
    case REF_RNA:
        return side >= 0;
    case REF_RNZ:
        return side > 0;
    case REF_RU:
        return !negative;
    case REF_RD:
        return negative;
    case REF_RO:
        return !lo_is_odd;
    default: /* REF_RZ */
        return 0;
    }
}

/* Is a number below 2^-22 still below it when it is rounded to one bit? 2^-23 would be the number
 * before 2^-22, with an even code. */
static int is_tiny(const ref_work *w, const ref_hif8_place *p, int mode)
{
    return p->below_half || (p->small && !goes_up(mode, w->negative, p->half_side, 0));
}

static ref_answer overflow(const ref_work *w, int mode, int saturate)
{
    int inward = mode == REF_RZ || (mode == REF_RU && w->negative) ||
                 (mode == REF_RD && !w->negative);
    ref_answer a = {codes[saturate || inward ? NUMBERS - 1 : NUMBERS] | (w->negative ? 128 : 0),
                    REF_OVERFLOW | REF_INEXACT};
    return a;
}

void ref_hif8_find(const ref_work *w, ref_hif8_place *p)
{
    int lo = 0, end = GRID; /* values[lo] is not above, and values[end] is */
    if (w->kind != REF_IS_NUMBER)
        return;
    while (end - lo > 1) {
        int at = (lo + end) / 2;
        if (mpfr_cmpabs(values[at], w->x) > 0)
            end = at;
        else
            lo = at;
    }
    p->lo = lo;
    p->exact = mpfr_cmpabs(values[lo], w->x) == 0;
    p->side = lo < GRID - 1 ? mpfr_cmpabs(w->x, middles[lo]) : 0;
    p->small = mpfr_cmpabs(w->x, values[1]) < 0;
    p->below_half = p->small && mpfr_cmpabs(w->x, half) <= 0;
    p->half_side = p->small ? mpfr_cmpabs(w->x, half_middle) : 0;
}

static ref_answer finite(const ref_work *w, const ref_hif8_place *p, int mode, int saturate)
{
    ref_answer a = {0, 0};
    int at = p->lo;
    if (at == GRID - 1)
        return overflow(w, mode, saturate);
    if (!p->exact)
        at += goes_up(mode, w->negative, p->side, (int)(codes[at] & 1));
    if (at >= NUMBERS)
        return overflow(w, mode, saturate);
    a.code = codes[at] | (w->negative && at > 0 ? 128 : 0);
    if (!p->exact)
        a.flags = is_tiny(w, p, mode) ? REF_INEXACT | REF_UNDERFLOW : REF_INEXACT;
    return a;
}

ref_answer ref_hif8_finish(const ref_work *w, const ref_hif8_place *p, int mode, int saturate)
{
    ref_answer a = {w->negative ? 128 : 0, w->flags};
    switch (w->kind) {
    case REF_IS_NUMBER:
        return finite(w, p, mode, saturate);
    case REF_IS_ZERO:
        a.code = 0;
        return a;
    case REF_IS_INFINITE:
        a.code |= codes[saturate ? NUMBERS - 1 : NUMBERS];
        a.flags |= saturate ? REF_INVALID : 0;
        return a;
    default:
        a.code = 128;
        return a;
    }
}

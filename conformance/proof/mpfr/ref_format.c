/* SPDX-License-Identifier: MIT */
/* ref_format.c -- what follows from the rows of the formats, and the value of every code
 *
 * The value of a code is computed from the definition, 2^(e - bias) * (1 + m / 2^M), by MPFR.
 */
#include "mpfr/ref.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

ref_format ref_formats[REF_FORMATS];

static const struct {
    const char *name;
    int exp_bits, man_bits, is_signed, bias, nans, has_inf, has_zero;
} rows[] = {
#define REF_ROW(name, ...) {#name, __VA_ARGS__},
    REF_NARROW_ROWS(REF_ROW) REF_WIDE_ROWS(REF_ROW) REF_LONG_ROWS(REF_ROW) REF_OWN_ROWS(REF_ROW)
#undef REF_ROW
};

/* emin, and where the finite magnitudes end. */
static void derive(ref_format *f)
{
    f->width = f->is_signed + f->exp_bits + f->man_bits;
    f->emin = (f->has_zero ? 1 : 0) - f->bias;
    f->top = ((uint64_t)1 << (f->exp_bits + f->man_bits)) - 1;
    switch (f->nans) {
    case REF_NANS_IEEE:
        f->inf = (((uint64_t)1 << f->exp_bits) - 1) << f->man_bits;
        f->max = f->inf - 1;
        return;
    case REF_NANS_TOP:
        f->inf = f->top - 1;
        break;
    default: /* none and neg-zero */
        f->inf = f->top;
        break;
    }
    f->max = f->has_inf ? f->inf - 1 : f->inf;
}

static void set_row(ref_format *f, size_t i)
{
    snprintf(f->name, sizeof f->name, "%s", rows[i].name);
    f->exp_bits = rows[i].exp_bits;
    f->man_bits = rows[i].man_bits;
    f->is_signed = rows[i].is_signed;
    f->bias = rows[i].bias;
    f->nans = rows[i].nans;
    f->has_inf = rows[i].has_inf;
    f->has_zero = rows[i].has_zero;
    derive(f);
}

static void set_p3109(ref_format *f, int k, int p, int is_signed, int extended)
{
    snprintf(f->name, sizeof f->name, "p3109_k%dp%d%c%c", k, p, is_signed ? 's' : 'u',
             extended ? 'e' : 'f');
    f->exp_bits = is_signed ? k - p : k - p + 1;
    f->man_bits = p - 1;
    f->is_signed = is_signed;
    f->bias = 1 << (is_signed ? k - p - 1 : k - p);
    f->nans = is_signed ? REF_NANS_NEG_ZERO : REF_NANS_TOP;
    f->has_inf = extended;
    f->has_zero = 1;
    derive(f);
}

/* 3 <= K <= 8; 1 <= P < K signed, 1 <= P <= K unsigned. */
static ref_format *set_family(ref_format *f)
{
    for (int k = 3; k <= 8; k++)
        for (int is_signed = 0; is_signed <= 1; is_signed++)
            for (int p = 1; p <= k - is_signed; p++)
                for (int extended = 0; extended <= 1; extended++)
                    set_p3109(f++, k, p, is_signed, extended);
    return f;
}

void ref_operand_init(ref_operand *o)
{
    memset(o, 0, sizeof *o);
    mpfr_init2(o->value, 64);
}

void ref_operand_clear(ref_operand *o)
{
    mpfr_clear(o->value);
}

void ref_value(const ref_format *f, uint64_t magnitude, mpfr_t v)
{
    uint64_t e = magnitude >> f->man_bits;
    uint64_t m = magnitude - (e << f->man_bits);
    int subnormal = f->has_zero && e == 0;
    mpfr_set_uj(v, m, MPFR_RNDZ);
    mpfr_div_2si(v, v, f->man_bits, MPFR_RNDZ);
    if (!subnormal)
        mpfr_add_ui(v, v, 1, MPFR_RNDZ);
    mpfr_mul_2si(v, v, (subnormal ? 1 : (long)e) - f->bias, MPFR_RNDZ);
}

/* Is the operand's code a NaN, and is that signaling? */
static int nan_code(const ref_format *f, ref_operand *o, uint64_t magnitude)
{
    switch (f->nans) {
    case REF_NANS_IEEE:
        o->signaling = magnitude > f->inf && !(magnitude >> (f->man_bits - 1) & 1);
        return magnitude > f->inf;
    case REF_NANS_TOP:
        return magnitude == f->top;
    case REF_NANS_NEG_ZERO:
        return o->negative && magnitude == 0;
    default:
        return 0;
    }
}

void ref_decode(const ref_format *f, uint64_t code, ref_operand *o)
{
    uint64_t magnitude = code & f->top;
    o->code = code & (f->top | ref_sign_bit(f));
    o->negative = o->code != magnitude;
    o->signaling = 0;
    if (nan_code(f, o, magnitude))
        mpfr_set_nan(o->value);
    else if (f->has_inf && magnitude == f->inf)
        mpfr_set_inf(o->value, 1);
    else
        ref_value(f, magnitude, o->value);
    mpfr_setsign(o->value, o->value, o->negative, MPFR_RNDZ);
}

/* The significand of a number of at most 64 bits, with its leading one in bit 63. */
static uint64_t leading_bits(mpfr_srcptr v)
{
    const mp_limb_t *limb = mpfr_custom_get_significand(v);
    long limbs = (mpfr_get_prec(v) + GMP_NUMB_BITS - 1) / GMP_NUMB_BITS;
    uint64_t high = (uint64_t)limb[limbs - 1] << (64 - GMP_NUMB_BITS);
    return limbs == 1 ? high : high | limb[limbs - 2];
}

int64_t ref_magnitude(const ref_format *f, mpfr_srcptr v, int bounded)
{
    if (mpfr_zero_p(v))
        return f->has_zero ? 0 : -1;
    /* |v| = significand * 2^(e - M), the significand having M + 1 bits */
    int64_t significand = (int64_t)(leading_bits(v) >> (63 - f->man_bits));
    int64_t e = (int64_t)mpfr_get_exp(v) - 1 - f->emin;
    if (bounded && e < 0) {
        significand = -e > f->man_bits ? 0 : significand >> -e;
        e = 0;
    }
    if (f->man_bits > 30 && (e > 2046 || e < -2046)) /* f64: far outside, and so is this */
        e = e > 0 ? 2046 : -2046;
    return f->has_zero ? e * ((int64_t)1 << f->man_bits) + significand : e;
}

long ref_exact_bits(const ref_format *f)
{
    /* from the lowest bit of the smallest, or of its square, to the carry above the largest */
    long high = (long)(f->max >> f->man_bits) - f->bias + 2;
    long low = f->emin - f->man_bits;
    long bits = (high > 0 ? 2 * high : high) - (low < 0 ? 2 * low : low);
    return bits < 64 ? 64 : bits;
}

uint64_t ref_sign_bit(const ref_format *f)
{
    return f->is_signed ? f->top + 1 : 0;
}

int ref_has_neg_zero(const ref_format *f)
{
    return f->is_signed && f->has_zero && f->nans != REF_NANS_NEG_ZERO;
}

const ref_format *ref_format_of(const char *name)
{
    for (size_t i = 0; i < REF_FORMATS; i++)
        if (strcmp(ref_formats[i].name, name) == 0)
            return &ref_formats[i];
    return NULL;
}

/* Builds the table of a narrow format; returns 0 if each finite value has its own magnitude as its
 * code. */
static int fill_table(ref_format *f)
{
    size_t size = (size_t)1 << f->width;
    int bad = 0;
    mpfr_t v;
    mpfr_init2(v, f->man_bits + 1);
    f->table = calloc(size, sizeof *f->table);
    if (!f->table)
        abort();
    for (uint64_t code = 0; code < size; code++) {
        ref_operand *o = &f->table[code];
        ref_operand_init(o);
        ref_decode(f, code, o);
        if (!mpfr_number_p(o->value))
            continue;
        bad |= mpfr_set(v, o->value, MPFR_RNDZ) != 0;
        bad |= ref_magnitude(f, v, 1) != (int64_t)(code & f->top);
    }
    mpfr_clear(v);
    return bad;
}

void ref_start_thread(void)
{
    mpfr_set_emin(mpfr_get_emin_min());
    mpfr_set_emax(mpfr_get_emax_max());
}

int ref_start(void)
{
    int bad = 0;
    ref_start_thread();
    for (size_t i = 0; i < REF_NARROW; i++)
        set_row(&ref_formats[i], i);
    ref_format *end = set_family(&ref_formats[REF_FIRST_P3109]);
    bad |= end != &ref_formats[REF_FIRST_WIDE];
    for (size_t i = 0; i < REF_WIDE + REF_LONG + REF_OWN; i++)
        set_row(&ref_formats[REF_FIRST_WIDE + i], REF_NARROW + i);
    for (size_t i = 0; i < REF_FORMATS; i++)
        if (ref_formats[i].width <= 8)
            bad |= fill_table(&ref_formats[i]);
    return bad;
}

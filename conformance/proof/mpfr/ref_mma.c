/* SPDX-License-Identifier: MIT */
/* ref_mma.c -- the reference for matrix units
 *
 * Values are exact numbers of MPFR; a term is a value with the exponent that the unit gives it. A
 * term is truncated by rounding its multiple of a quantum to an integer. 2,500 bits hold any sum
 * here.
 */
#include "mpfr/ref_mma.h"

#include <string.h>

enum { EXACT = 2500, NOWHERE = -100000 };
enum { SIGNED, POSITIVE };

#define FP8 "e4m3 e5m2"
#define FP864 "e4m3 e5m2 e2m1 e3m2 e2m3"

static const ref_mma_unit units[] = {
    {"volta-hmma", "f16", "f32", 4, 4, 23, -131, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"volta-hmma", "f16", "f16", 4, 4, 23, -20, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"turing-hmma", "f16", "f32", 8, 8, 24, -132, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"turing-hmma", "f16", "f16", 8, 8, 24, -21, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ampere-hmma", "f16 bf16", "f32", 16, 8, 24, -132, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ampere-hmma", "tf32", "f32", 8, 4, 24, -132, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ampere-hmma", "f16", "f16", 16, 8, 24, -21, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ada-hmma", "f16 bf16", "f32", 16, 8, 24, -132, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ada-hmma", "tf32", "f32", 8, 4, 24, -132, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ada-hmma", "f16", "f16", 16, 8, 24, -21, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"hopper-hmma", "f16 bf16", "f32", 16, 16, 25, -133, 23, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-hmma", "tf32", "f32", 8, 8, 25, -133, 23, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-hmma", "f16", "f16", 16, 16, 25, -21, 10, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-hgmma", "f16 bf16", "f32", 16, 16, 25, -133, 23, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-hgmma", "tf32", "f32", 8, 8, 25, -133, 23, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-hgmma", "f16", "f16", 16, 16, 25, -133, 10, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"blackwell-hmma", "f16 bf16", "f32", 16, 16, 25, -133, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"blackwell-hmma", "tf32", "f32", 8, 8, 25, -133, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"blackwell-hmma", "f16", "f16", 16, 16, 25, -22, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ada-qmma", FP8, "f32", 32, 16, 13, -132, 13, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"ada-qmma", FP8, "f16", 32, 16, 13, -21, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"hopper-qgmma", FP8, "f32", 32, 32, 13, -133, 13, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-qgmma", FP8, "f16", 32, 32, 13, -133, 10, REF_MMA_FUSED, POSITIVE, NULL, 0, 0},
    {"hopper-mma-fp8", FP8, "f32", 32, 16, 25, -133, 23, REF_MMA_CHAIN, POSITIVE, NULL, 0, 0},
    {"hopper-mma-fp8", FP8, "f16", 32, 16, 25, -21, 10, REF_MMA_CHAIN, POSITIVE, NULL, 0, 0},
    {"blackwell-mma-fp8", FP8, "f32", 32, 16, 25, -133, 23, REF_MMA_CHAIN, SIGNED, NULL, 0, 0},
    {"blackwell-mma-fp8", FP8, "f16", 32, 16, 25, -22, 10, REF_MMA_CHAIN, SIGNED, NULL, 0, 0},
    {"blackwell-tcgen05", FP864, "f32", 32, 32, 25, -133, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"blackwell-tcgen05", FP864, "f16", 32, 32, 25, -133, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"sm120-qmma", FP864, "f32", 32, 32, 25, -133, 23, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"sm120-qmma", FP864, "f16", 32, 32, 25, -22, 10, REF_MMA_FUSED, SIGNED, NULL, 0, 0},
    {"sm120-mxf8f6f4", FP864, "f32", 32, 32, 25, -133, 23, REF_MMA_FUSED, SIGNED, "e8m0", 32, 0},
    {"sm120-mxf4nvf4", "e2m1", "f32", 64, 64, 35, -139, 23, REF_MMA_FUSED, SIGNED, "ue4m3", 16, 16},
    {"sm120-mxf4", "e2m1", "f32", 64, 64, 35, -139, 23, REF_MMA_FUSED, SIGNED, "e8m0", 32, 16},
    {"cdna3-f16", "f16 bf16", "f32", 8, 8, 24, -126, 23, REF_MMA_TWO_STAGE, SIGNED, NULL, 0, 0},
    {"cdna3-f16", "tf32", "f32", 4, 4, 24, -126, 23, REF_MMA_TWO_STAGE, SIGNED, NULL, 0, 0},
    {"cdna3-fp8", "e4m3fnuz e5m2fnuz", "f32", 16, 16, 24, -126, 23, REF_MMA_INTERLEAVED, SIGNED,
     NULL, 0, 0},
};

const ref_mma_unit *ref_mma_at(int i)
{
    return i < (int)(sizeof units / sizeof units[0]) ? &units[i] : NULL;
}

int ref_mma_takes(const ref_mma_unit *u, const char *format)
{
    size_t length = strlen(format);
    for (const char *at = u->in; (at = strstr(at, format)) != NULL; at += length)
        if ((at == u->in || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

/* ---- terms ----------------------------------------------------------------------------------- */

typedef struct term {
    mpfr_t v;
    long e; /* NOWHERE for a zero without one */
} term;

/* The exponent of a code's field. */
static long field_exponent(const ref_format *f, uint64_t code)
{
    long field = (long)((code & f->top) >> f->man_bits);
    return f->has_zero && field == 0 ? 1 - f->bias : field - f->bias;
}

static void open_terms(term *t, int n)
{
    for (int i = 0; i < n; i++) {
        mpfr_init2(t[i].v, EXACT);
        mpfr_set_zero(t[i].v, 1);
        t[i].e = NOWHERE;
    }
}

static void close_terms(term *t, int n)
{
    for (int i = 0; i < n; i++)
        mpfr_clear(t[i].v);
}

static void term_of(term *t, const ref_format *f, uint64_t code)
{
    ref_operand o;
    ref_operand_init(&o);
    ref_decode(f, code, &o);
    mpfr_set(t->v, o.value, MPFR_RNDN);
    t->e = field_exponent(f, code);
    ref_operand_clear(&o);
}

/* As an f16 it is the same number, with the exponent that it has there. */
static void lower(term *t)
{
    if (mpfr_regular_p(t->v)) {
        t->e = mpfr_get_exp(t->v) - 1;
        if (t->e < -14)
            t->e = -14;
    }
}

/* t times a code; NaN, infinities and zeros as in MPFR, which is as in IEEE 754. */
static void times(term *t, const ref_format *f, uint64_t code, int lowered)
{
    term other;
    open_terms(&other, 1);
    term_of(&other, f, code);
    if (lowered)
        lower(&other);
    mpfr_mul(t->v, t->v, other.v, MPFR_RNDN);
    t->e += other.e;
    close_terms(&other, 1);
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* Terms truncated at 2^(top - fraction) and added; top is their largest exponent. */
static void cut_sum(mpfr_t sum, const term *t, int n, long top, int fraction, mpfr_rnd_t cut)
{
    mpfr_t part;
    mpfr_init2(part, EXACT);
    mpfr_set_zero(sum, 1);
    for (int i = 0; i < n; i++) {
        mpfr_mul_2si(part, t[i].v, fraction - top, MPFR_RNDN);
        mpfr_rint(part, part, cut);
        mpfr_mul_2si(part, part, top - fraction, MPFR_RNDN);
        mpfr_add(sum, sum, part, MPFR_RNDN);
    }
    mpfr_clear(part);
}

static long top_of(const term *t, int n)
{
    long top = NOWHERE;
    for (int i = 0; i < n; i++)
        top = t[i].e > top ? t[i].e : top;
    return top;
}

/* A number as a bit pattern of `out`, with `kept` bits of mantissa. */
static uint64_t word_of(mpfr_srcptr x, int is_f16, int kept, mpfr_rnd_t round)
{
    int man = is_f16 ? 10 : 23, bias = is_f16 ? 15 : 127, sign_at = is_f16 ? 15 : 31;
    uint64_t inf = (uint64_t)(2 * bias + 1) << man, sign = (uint64_t)(mpfr_signbit(x) != 0)
                                                           << sign_at;
    if (mpfr_nan_p(x))
        return (UINT64_C(1) << sign_at) - 1;
    if (mpfr_inf_p(x))
        return inf | sign;
    if (mpfr_zero_p(x))
        return 0;
    long e = mpfr_get_exp(x) - 1;
    e = e < 1 - bias ? 1 - bias : e;
    mpfr_t m;
    mpfr_init2(m, EXACT);
    mpfr_abs(m, x, MPFR_RNDN);
    mpfr_mul_2si(m, m, kept - e, MPFR_RNDN);
    mpfr_rint(m, m, round);
    uint64_t steps = mpfr_get_ui(m, MPFR_RNDZ);
    mpfr_clear(m);
    /* The leading one of a normal number adds 1 to the field, a carry one more. */
    uint64_t magnitude = ((uint64_t)(e + bias - 1) << man) + (steps << (man - kept));
    return (magnitude > inf ? inf : magnitude) | sign;
}

static const ref_format *format_of_out(const ref_mma_unit *u)
{
    return ref_format_of(u->out);
}

static int is_f16(const ref_mma_unit *u)
{
    return strcmp(u->out, "f16") == 0;
}

static uint64_t rounded(const ref_mma_unit *u, mpfr_srcptr sum)
{
    mpfr_rnd_t round = is_f16(u) || u->order >= REF_MMA_TWO_STAGE ? MPFR_RNDN : MPFR_RNDZ;
    uint64_t word = word_of(sum, is_f16(u), u->kept, round);
    return u->positive && word == (is_f16(u) ? 0x8000 : 0x80000000u) ? 0 : word;
}

/* A zero has the unit's exponent, whatever its field is. */
static void zero_exponent(const ref_mma_unit *u, term *t)
{
    if (mpfr_zero_p(t->v))
        t->e = u->zero;
}

typedef struct operands {
    const ref_format *fa, *fb;
    const uint32_t *a, *b, *scale_a, *scale_b;
} operands;

/* The product at position k, with its scales. */
static void product(const ref_mma_unit *u, const operands *x, int k, term *t)
{
    int lowered = u->order == REF_MMA_CHAIN || u->order == REF_MMA_INDEPENDENT;
    mpfr_set_ui(t->v, 1, MPFR_RNDN);
    t->e = 0;
    times(t, x->fa, x->a[k], lowered);
    times(t, x->fb, x->b[k], lowered);
    if (u->scale) {
        times(t, ref_format_of(u->scale), x->scale_a[k / u->block], 0);
        times(t, ref_format_of(u->scale), x->scale_b[k / u->block], 0);
    }
    zero_exponent(u, t);
}

/* A group from k on: an exact sum, and the exponents of its scales. */
static void group(const ref_mma_unit *u, const operands *x, int k, term *t)
{
    term p;
    int any = 0;
    mpfr_t scales;
    mpfr_init2(scales, EXACT);
    open_terms(&p, 1);
    mpfr_set_ui(p.v, 1, MPFR_RNDN);
    p.e = 0;
    times(&p, ref_format_of(u->scale), x->scale_a[k / u->block], 0);
    times(&p, ref_format_of(u->scale), x->scale_b[k / u->block], 0);
    mpfr_set(scales, p.v, MPFR_RNDN);
    t->e = p.e;
    mpfr_set_zero(t->v, 1);
    for (int i = k; i < k + u->group; i++) {
        term_of(&p, x->fa, x->a[i]);
        times(&p, x->fb, x->b[i], 0);
        any |= !mpfr_zero_p(p.v);
        mpfr_add(t->v, t->v, p.v, MPFR_RNDN);
    }
    mpfr_mul(t->v, t->v, scales, MPFR_RNDN);
    if (!any || mpfr_zero_p(scales))
        t->e = u->zero;
    close_terms(&p, 1);
    mpfr_clear(scales);
}

/* Stores the products at positions first, first + step, ... below end that `wanted` names, and c
 * unless it is NULL, as terms; returns how many. */
static int gather(const ref_mma_unit *u, const operands *x, int first, int end, const char *wanted,
                  const uint64_t *c, term *t)
{
    int n = 0;
    if (c) {
        term_of(&t[n], format_of_out(u), *c);
        zero_exponent(u, &t[n++]);
    }
    for (int k = first; k < end; k += u->group ? u->group : 1) {
        int at = (k - first) % 4;
        if (u->group)
            group(u, x, k, &t[n++]);
        else if (wanted[at] == '1')
            product(u, x, k, &t[n++]);
    }
    return n;
}

static uint64_t fused(const ref_mma_unit *u, const operands *x, int first, int end,
                      const char *wanted, uint64_t c)
{
    term t[REF_MMA_MOST + 1];
    mpfr_t sum;
    mpfr_init2(sum, EXACT);
    open_terms(t, REF_MMA_MOST + 1);
    int n = gather(u, x, first, end, wanted, &c, t);
    cut_sum(sum, t, n, top_of(t, n), u->fraction, MPFR_RNDZ);
    uint64_t d = rounded(u, sum);
    close_terms(t, REF_MMA_MOST + 1);
    mpfr_clear(sum);
    return d;
}

/* IEEE 754's sum of two words; of opposite numbers +0, of -0 and -0 -0. */
static uint64_t added(const ref_mma_unit *u, uint64_t a, uint64_t b)
{
    term t[2];
    mpfr_t sum;
    mpfr_init2(sum, EXACT);
    open_terms(t, 2);
    term_of(&t[0], format_of_out(u), a);
    term_of(&t[1], format_of_out(u), b);
    mpfr_add(sum, t[0].v, t[1].v, MPFR_RNDN);
    uint64_t d = word_of(sum, is_f16(u), is_f16(u) ? 10 : 23, MPFR_RNDN);
    if (mpfr_zero_p(sum) && mpfr_signbit(sum))
        d = is_f16(u) ? 0x8000 : 0x80000000u;
    close_terms(t, 2);
    mpfr_clear(sum);
    return d;
}

static uint64_t lowered(const ref_mma_unit *u, const operands *x, int first, int end, uint64_t c)
{
    uint64_t low = fused(u, x, first, end, "1100", 0);
    uint64_t high = fused(u, x, first, end, "0011", u->order == REF_MMA_CHAIN ? low : 0);
    if (u->order == REF_MMA_INDEPENDENT)
        high = added(u, low, high);
    return added(u, c, high);
}

/* ---- two stages ------------------------------------------------------------------------------ */

/* The sum of some products, without c, as a term with the exponent at which it was truncated. A
 * product beyond f32 is first made infinite. */
static void dot(const ref_mma_unit *u, const operands *x, int first, int end, const char *wanted,
                term *d)
{
    term t[REF_MMA_MOST + 1];
    open_terms(t, REF_MMA_MOST + 1);
    int n = gather(u, x, first, end, wanted, NULL, t);
    for (int i = 0; i < n; i++)
        if (mpfr_regular_p(t[i].v) && mpfr_get_exp(t[i].v) > 128)
            mpfr_set_inf(t[i].v, mpfr_signbit(t[i].v) ? -1 : 1);
    d->e = top_of(t, n);
    cut_sum(d->v, t, n, d->e, u->fraction, MPFR_RNDZ);
    close_terms(t, REF_MMA_MOST + 1);
}

/* Rounded down to a multiple of 2^(top - fraction). */
static void floored(mpfr_t v, long top, long fraction)
{
    mpfr_mul_2si(v, v, fraction - top, MPFR_RNDN);
    mpfr_rint(v, v, MPFR_RNDD);
    mpfr_mul_2si(v, v, top - fraction, MPFR_RNDN);
}

static uint64_t two_stage(const ref_mma_unit *u, const operands *x, int first, int end, uint64_t c)
{
    term t[3];
    open_terms(t, 3);
    if (u->order == REF_MMA_INTERLEAVED) {
        dot(u, x, first, end, "1010", &t[0]);
        dot(u, x, first, end, "0101", &t[1]);
        long top = top_of(t, 2);
        floored(t[0].v, top, u->fraction);
        floored(t[1].v, top, u->fraction);
        mpfr_add(t[0].v, t[0].v, t[1].v, MPFR_RNDN);
        t[0].e = top;
    } else {
        dot(u, x, first, end, "1111", &t[0]);
    }
    term_of(&t[1], format_of_out(u), c);
    zero_exponent(u, &t[1]);
    if (u->order == REF_MMA_INTERLEAVED && mpfr_number_p(t[1].v) && t[1].e < t[0].e - 25)
        mpfr_set_zero(t[1].v, 1);
    long top = top_of(t, 2);
    floored(t[0].v, top, 32);
    floored(t[1].v, top, 24);
    mpfr_add(t[2].v, t[0].v, t[1].v, MPFR_RNDN);
    if (mpfr_regular_p(t[2].v))
        floored(t[2].v, mpfr_get_exp(t[2].v) - 1, 31);
    uint64_t d = rounded(u, t[2].v);
    close_terms(t, 3);
    return d;
}

uint64_t ref_mma(const ref_mma_unit *u, const ref_format *fa, const ref_format *fb,
                 const uint32_t *a, const uint32_t *b, const uint32_t *scale_a,
                 const uint32_t *scale_b, int k, uint64_t c)
{
    operands x = {fa, fb, a, b, scale_a, scale_b};
    int is_lowered = u->order == REF_MMA_CHAIN || u->order == REF_MMA_INDEPENDENT;
    int step = is_lowered ? u->k : u->length;
    for (int at = 0; at < k; at += step) {
        int end = at + step < k ? at + step : k;
        c = is_lowered                      ? lowered(u, &x, at, end, c)
            : u->order >= REF_MMA_TWO_STAGE ? two_stage(u, &x, at, end, c)
                                            : fused(u, &x, at, end, "1111", c);
    }
    return c;
}

/* SPDX-License-Identifier: MIT */
/* prove_steps.c -- conversions from formats with too many codes to try them all: step tables
 *
 * In a mode other than the stochastic ones the result of a rounding is a monotone step function of
 * the input. Its steps, and the changes of its flags, lie at boundaries: the values of the target
 * and the midpoints between neighbours. (docs/spec/rounding.md compares x with nothing else. Tininess
 * after rounding compares it with midpoints on the finer grid below 2^emin, which are boundaries
 * except the last, 2^emin less a quarter of the quantum; that one is added.) So a conversion is
 * right if it is right at each boundary, and one unit of the source on either side of it, and is
 * monotone in between. Monotony is also tested: each boundary is tried at plus and minus every
 * power of two of units, up to the distance where the leading bit changes. These are points of many
 * bit patterns inside of each step.
 */
#include "rows/rows.h"

#include <stdlib.h>

void each_boundary(const ref_format *f, void (*visit)(void *data, mpfr_srcptr b), void *data)
{
    mpfr_t lo, hi;
    mpfr_inits2(64, lo, hi, (mpfr_ptr)0);
    /* halfway between 2^emin and the number of p bits below it */
    mpfr_set_ui_2exp(lo, 1, f->emin, MPFR_RNDZ);
    mpfr_set_ui_2exp(hi, 1, f->emin - f->man_bits - 2, MPFR_RNDZ);
    mpfr_sub(hi, lo, hi, MPFR_RNDZ);
    visit(data, hi);
    mpfr_set_zero(lo, 1);
    visit(data, lo);
    for (uint64_t k = f->has_zero ? 1 : 0; k <= f->max + 2; k++) {
        ref_value(f, k, hi);
        mpfr_add(lo, lo, hi, MPFR_RNDZ);
        mpfr_div_2ui(lo, lo, 1, MPFR_RNDZ);
        visit(data, lo);
        visit(data, hi);
        mpfr_set(lo, hi, MPFR_RNDZ);
    }
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

typedef struct steps {
    worker *w;
    const ref_format *source;
    sf8_format from;
    ref_work cut; /* rounds a boundary to the source */
    ref_operand a;
} steps;

/* A magnitude of the source with both signs. */
static void visit_magnitude(steps *s, int64_t magnitude)
{
    if (magnitude < 0 || magnitude > (int64_t)s->source->max)
        return;
    for (int negative = 0; negative < 2; negative++) {
        ref_decode(s->source, (uint64_t)magnitude | (negative ? ref_sign_bit(s->source) : 0),
                   &s->a);
        check_convert(s->w, s->source, s->from, &s->a);
    }
}

static void visit_boundary(void *data, mpfr_srcptr b)
{
    steps *s = data;
    int64_t near = magnitude_below(&s->cut, b);
    if (near > (int64_t)s->source->inf)
        near = (int64_t)s->source->inf; /* beyond the source: about its largest number */
    visit_magnitude(s, near);
    visit_magnitude(s, near - 3);
    visit_magnitude(s, near + 3);
    for (int j = 0; j <= s->source->man_bits; j++) {
        int64_t step = (int64_t)1 << j;
        visit_magnitude(s, near - step);
        if (near <= INT64_MAX - step)
            visit_magnitude(s, near + step);
    }
}

/* Ends of the source's range, infinity, NaNs quiet and signaling, of all bits and of one. */
static void visit_special(steps *s)
{
    const ref_format *f = s->source;
    uint64_t quiet = (uint64_t)1 << (f->man_bits - 1), normal = quiet << 1;
    const uint64_t codes[] = {f->max,     f->max - 1,         normal,      normal - 1,
                              f->inf,     f->inf | 1,         f->inf | quiet, f->top,
                              f->inf | (quiet - 1), f->inf | quiet | 1, f->inf | quiet >> 1};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        for (int negative = 0; negative < 2; negative++) {
            ref_decode(f, codes[i] | (negative ? ref_sign_bit(f) : 0), &s->a);
            check_convert(s->w, s->source, s->from, &s->a);
        }
}

static void run_steps(worker *w)
{
    steps s;
    s.w = w;
    s.source = &ref_formats[w->row->work.arg];
    s.from = library_format(s.source);
    w->from = s.source->name;
    ref_open(&s.cut, s.source);
    ref_operand_init(&s.a);
    each_boundary(w->f, visit_boundary, &s);
    visit_special(&s);
    ref_operand_clear(&s.a);
    ref_close(&s.cut);
}

void add_step_rows(int tier)
{
    static const char *const names[REF_WIDE] = {"steps-f16", "steps-bf16", "steps-tf32",
                                                "steps-f32", "steps-f64"};
    work table = {.modes = "7x2", .run = run_steps};
    for (int i = 0; i < REF_WIDE; i++) {
        table.arg = REF_FIRST_WIDE + i;
        add_rows(names[i], table);
    }
    add_rows_before("steps-f64-before", table, tier);
}

/* SPDX-License-Identifier: MIT */
/* prove_integer.c -- conversions from integers at every boundary, and to integers from every code
 */
#include "rows/rows.h"

#include <stddef.h>

static void check_integer(worker *w, uint64_t n, int is_signed)
{
    inputs(w, 1, n, 0, 0);
    w->what = is_signed ? "i64" : "u64";
    if (is_signed)
        ref_from_signed(&w->ref, (int64_t)n);
    else
        ref_from_unsigned(&w->ref, n);
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++) {
            sf8_policy policy = w->policy[mode][saturate];
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  is_signed ? sf8_from_i64(w->sf, (int64_t)n, policy)
                            : sf8_from_u64(w->sf, n, policy));
        }
}

/* n, and the bits of n and of -n as signed integers. */
static void check_all(worker *w, uint64_t n)
{
    check_integer(w, n, 0);
    check_integer(w, n, 1);
    check_integer(w, 0 - n, 1);
}

static void visit_integer(void *data, mpfr_srcptr b)
{
    worker *w = data;
    if (!mpfr_fits_uintmax_p(b, MPFR_RNDZ))
        return;
    uint64_t n = mpfr_get_uj(b, MPFR_RNDZ);
    check_all(w, n);
    if (n == 0)
        return;
    /* both sides; where that passes 0 or 2^64 it is one more integer */
    for (int j = 0; j < 64 && (uint64_t)1 << j <= n; j++) {
        check_all(w, n - ((uint64_t)1 << j));
        check_all(w, n + ((uint64_t)1 << j));
    }
}

static void run_from_integer(worker *w)
{
    for (uint64_t n = 0; n <= 520; n++)
        check_all(w, n);
    for (int j = 0; j < 64; j++)
        for (uint64_t d = 0; d <= 2; d++) {
            check_all(w, ((uint64_t)1 << j) - d);
            check_all(w, ((uint64_t)1 << j) + d);
        }
    if (w->f->table)
        each_boundary(w->f, visit_integer, w);
}

/* Random integers of every length into the wide formats. */
static void run_from_integer_wide(worker *w)
{
    uint64_t state = 2024;
    run_from_integer(w);
    for (unsigned i = 0; i < by_tier(w, 300000, 6000, 1500); i++) {
        uint64_t n = word_random(&state) >> (word_random(&state) & 63);
        uint64_t coarse = word_random(&state) & 63;
        check_all(w, n >> coarse << coarse);
    }
}

static void check_to_integer(worker *w, const ref_operand *a, int width, int is_signed)
{
    w->what = is_signed ? "signed" : "unsigned";
    for (int exact = 0; exact < 2; exact++) {
        inputs(w, 3, a->code, (uint64_t)width, (uint64_t)exact);
        for (int mode = 0; mode < REF_MODES; mode++) {
            ref_answer want = ref_to_integer(a, width, is_signed, mode, exact);
            for (int saturate = 0; saturate < 2; saturate++)
                check(w, mode, saturate, want,
                      sf8_to_integer(w->sf, a->code, width, is_signed, w->policy[mode][saturate],
                                     exact));
        }
    }
}

static void all_types(worker *w, const ref_operand *a)
{
    for (int width = 8; width <= 64; width *= 2)
        for (int is_signed = 0; is_signed < 2; is_signed++)
            check_to_integer(w, a, width, is_signed);
}

static void run_to_integer(worker *w)
{
    for (uint64_t a = 0; a < codes_of(w->f); a++)
        all_types(w, &w->f->table[a]);
}

/* Magnitudes at and about 2^(j-1) and 2^j - 1/2, 2^j + 1/2, 2^j - 1, of both signs: ends of types
 * and ties; then random ones of moderate exponents; then any. */
static uint64_t wide_code(const ref_format *f, uint64_t i, uint64_t *state)
{
    uint64_t r = word_random(state);
    uint64_t sign = r & 1 ? ref_sign_bit(f) : 0;
    uint64_t one = (uint64_t)f->bias << f->man_bits;
    uint64_t exponent = (i % 68) << f->man_bits;
    uint64_t mantissa = ((uint64_t)1 << f->man_bits) - 1;
    switch (r >> 1 & 3) {
    case 0: /* near a power of two */
        return sign | ((one + exponent - ((uint64_t)2 << f->man_bits) + (r >> 8 & 7) - 3) & f->top);
    case 1: /* trailing bits of the mantissa clear or set: integers, halves, and beside them */
        r = word_random(state);
        return sign |
               ((one + exponent + ((r & mantissa) >> (r >> 58) << (r >> 58)) + (r >> 56 & 3) - 1) &
                f->top);
    case 2:
        return sign | ((one + exponent + (word_random(state) & mantissa)) & f->top);
    default:
        return word_random(state) & (f->top | sign);
    }
}

static void run_to_integer_wide(worker *w)
{
    uint64_t state = 7, n = w->f->width <= 16 ? 65536 : by_tier(w, 400000, 12000, 3000);
    uint64_t step = n == 65536 ? by_tier(w, 1, 5, 23) : 1;
    ref_operand a;
    ref_operand_init(&a);
    for (uint64_t i = 0; i < n; i += step) {
        ref_decode(w->f, n == 65536 ? i : wide_code(w->f, i, &state), &a);
        all_types(w, &a);
    }
    ref_operand_clear(&a);
}

void add_integer_rows(void)
{
    add_rows("from-int", (work){.modes = "7x2", .run = run_from_integer});
    add_rows("to-int", (work){.modes = "7x2", .run = run_to_integer});
    for (int i = REF_FIRST_WIDE; i < REF_FIRST_OWN; i++) {
        const char *name = ref_formats[i].name;
        add_row("from-int", name, (work){.modes = "7x2", .run = run_from_integer_wide});
        add_row("to-int", name, (work){.modes = "7x2", .run = run_to_integer_wide});
    }
}

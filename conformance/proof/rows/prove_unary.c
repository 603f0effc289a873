/* SPDX-License-Identifier: MIT */
/* prove_unary.c -- sqrt, rint, scalb, next_up, next_down on all codes; what is unsupported
 */
#include "rows/rows.h"

#include <string.h>

static void run_sqrt(worker *w)
{
    for (uint64_t a = 0; a < codes_of(w->f); a++) {
        inputs(w, 1, a, 0, 0);
        ref_arithmetic(&w->ref, REF_SQRT, &w->f->table[a], NULL, NULL);
        ref_round(&w->ref);
        for (int mode = 0; mode < REF_MODES; mode++)
            for (int saturate = 0; saturate < 2; saturate++)
                check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                      sf8_sqrt(w->sf, a, w->policy[mode][saturate]));
    }
}

static void run_rint(worker *w)
{
    for (uint64_t a = 0; a < codes_of(w->f); a++)
        for (int exact = 0; exact < 2; exact++) {
            inputs(w, 2, a, (uint64_t)exact, 0);
            ref_convert(&w->ref, w->f, &w->f->table[a]);
            ref_round_integral(&w->ref, exact);
            for (int mode = 0; mode < REF_MODES; mode++)
                for (int saturate = 0; saturate < 2; saturate++)
                    check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                          sf8_rint(w->sf, a, w->policy[mode][saturate], exact));
        }
}

static void check_scalb(worker *w, uint64_t a, int32_t n)
{
    inputs(w, 2, a, (uint64_t)(uint32_t)n, 0);
    ref_scalb(&w->ref, &w->f->table[a], n);
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  sf8_scalb(w->sf, a, n, w->policy[mode][saturate]));
}

/* Every shift that leads from one end of the range to beyond the other, and the extreme ones. */
static void run_scalb(worker *w)
{
    static const int32_t far[] = {INT32_MIN, INT32_MIN + 1, -70000, -4096, -1100,
                                  1100, 4096, 70000, INT32_MAX - 1, INT32_MAX};
    int32_t span = (int32_t)((w->f->max >> w->f->man_bits) + (uint64_t)w->f->man_bits) + 4;
    for (uint64_t a = 0; a < codes_of(w->f); a++) {
        for (int32_t n = -span; n <= span; n++)
            check_scalb(w, a, n);
        for (size_t i = 0; i < sizeof far / sizeof far[0]; i++)
            check_scalb(w, a, far[i]);
    }
}

/* The rounding mode must not matter. */
static void run_next(worker *w)
{
    static const unary_fn next[] = {sf8_next_down, sf8_next_up};
    for (uint64_t a = 0; a < codes_of(w->f); a++)
        for (int up = 0; up < 2; up++)
            for (int saturate = 0; saturate < 2; saturate++) {
                inputs(w, 1, a, 0, 0);
                w->what = up ? "up" : "down";
                ref_answer want = ref_next(&w->ref, &w->f->table[a], up, saturate);
                for (int mode = 0; mode < REF_MODES; mode++)
                    check(w, mode, saturate, want, next[up](w->sf, a, w->policy[mode][saturate]));
            }
}

/* Operands above W bits: those bits are ignored. */
static void run_high_bits(worker *w)
{
    uint64_t garbage = ~(codes_of(w->f) - 1);
    sf8_policy e = w->policy[REF_RNE][1];
    for (uint64_t a = 0; a < codes_of(w->f); a++) {
        uint64_t b = codes_of(w->f) - 1 - a;
        inputs(w, 2, a | garbage, b | garbage, 0);
        ref_arithmetic(&w->ref, REF_ADD, &w->f->table[a], &w->f->table[b], NULL);
        ref_round(&w->ref);
        check(w, REF_RNE, 1, ref_finish(&w->ref, REF_RNE, 1),
              sf8_add(w->sf, a | garbage, b | garbage, e));
        ref_convert(&w->ref, w->f, &w->f->table[a]);
        ref_round(&w->ref);
        ref_answer want = ref_finish(&w->ref, REF_RNE, 1);
        sf8_result got = sf8_convert_flags(w->sf, w->sf, a | garbage, e);
        check(w, REF_RNE, 1, want, got);
        got.code = sf8_convert(w->sf, w->sf, a | garbage, e);
        check(w, REF_RNE, 1, want, got);
    }
}

/* Arithmetic at more than 24 bits: code 0 and the flag of its own. */
static void run_unsupported(worker *w)
{
    sf8_policy e = w->policy[REF_RNE][1];
    uint64_t one = UINT64_C(0x3ff0000000000000);
    ref_answer want = {0, SF8_UNSUPPORTED};
    inputs(w, 1, one, 0, 0);
    check(w, 0, 1, want, sf8_add(w->sf, one, one, e));
    check(w, 0, 1, want, sf8_sub(w->sf, one, one, e));
    check(w, 0, 1, want, sf8_mul(w->sf, one, one, e));
    check(w, 0, 1, want, sf8_div(w->sf, one, one, e));
    check(w, 0, 1, want, sf8_rem(w->sf, one, one, e));
    check(w, 0, 1, want, sf8_sqrt(w->sf, one, e));
    check(w, 0, 1, want, sf8_fma(w->sf, one, one, one, e));
    sf8_format bad;
    memset(&bad, 0, sizeof bad);
    check(w, 0, 1, want, sf8_add(bad, 1, 1, e));
    check(w, 0, 1, want, sf8_mul(bad, 1, 1, e));
}

void add_unary_rows(int tier)
{
    add_rows("sqrt", (work){.modes = "7x2", .run = run_sqrt});
    add_rows("rint", (work){.modes = "7x2", .run = run_rint});
    add_rows("scalb", (work){.modes = "7x2", .run = run_scalb});
    add_rows_before("scalb-before", (work){.modes = "7x2", .run = run_scalb}, tier);
    add_rows("next", (work){.modes = "7x2", .run = run_next});
    add_rows("high-bits", (work){.modes = "1x1", .run = run_high_bits});
    add_row("unsupported", "f64", (work){.modes = "1x1", .run = run_unsupported});
}

/* SPDX-License-Identifier: MIT */
/* prove_array_arith.c -- arithmetic over arrays against the reference
 *
 * An array call takes one a (and b) and all codes of the last operand, in all modes and policies.
 * The vector instructions are those of this machine, or those that SOFTFP8_SIMD selects.
 */
#include "rows/rows.h"

#include <string.h>

enum { CODES = 256 };
enum { UNARY_SQRT, UNARY_RINT, UNARY_SCALB };

typedef sf8_status (*array_fn)(sf8_format, void *, const void *, const void *, size_t, sf8_policy);

static const array_fn arrays[] = {
    [REF_ADD] = sf8_add_n, [REF_SUB] = sf8_sub_n, [REF_MUL] = sf8_mul_n,
    [REF_DIV] = sf8_div_n, [REF_REM] = sf8_rem_n,
};

typedef struct block {
    uint8_t first[CODES], second[CODES], last[CODES], got[CODES];
    uint8_t want[REF_MODES][2][CODES];
} block;

/* Does the reference's part of one element. */
static void want_element(worker *w, block *k, uint64_t i)
{
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            k->want[mode][saturate][i] = (uint8_t)ref_finish(&w->ref, mode, saturate).code;
}

static void check_block(worker *w, block *k, int operands, uint64_t n, int mode, int saturate)
{
    for (uint64_t i = 0; i < n; i++) {
        ref_answer want = {.code = k->want[mode][saturate][i]};
        if (operands == 2)
            inputs(w, 2, k->first[i], k->last[i], 0);
        else
            inputs(w, 3, k->first[i], k->second[i], k->last[i]);
        check(w, mode, saturate, want, (sf8_result){.code = k->got[i]});
    }
}

static void run_pairs(worker *w)
{
    const ref_operand *table = w->f->table;
    uint64_t n = codes_of(w->f);
    range as = part_of(w, n);
    block k;
    for (uint64_t i = 0; i < n; i++)
        k.last[i] = (uint8_t)i;
    for (uint64_t a = as.begin; a < as.end; a++) {
        memset(k.first, (int)a, sizeof k.first);
        for (uint64_t b = 0; b < n; b++) {
            ref_arithmetic(&w->ref, w->row->work.arg, &table[a], &table[b], NULL);
            want_element(w, &k, b);
        }
        for (int mode = 0; mode < REF_MODES; mode++)
            for (int saturate = 0; saturate < 2; saturate++) {
                memset(k.got, 0, sizeof k.got);
                arrays[w->row->work.arg](w->sf, k.got, k.first, k.last, (size_t)n,
                                         w->policy[mode][saturate]);
                check_block(w, &k, 2, n, mode, saturate);
            }
    }
}

/* All triples; in the quick tier all c with one pair in 61. */
static void run_fma(worker *w)
{
    const ref_operand *table = w->f->table;
    uint64_t n = codes_of(w->f), step = by_tier(w, 1, 61, 241);
    range pairs = part_of(w, n * n);
    block k;
    for (uint64_t i = 0; i < n; i++)
        k.last[i] = (uint8_t)i;
    for (uint64_t pair = pairs.begin + pairs.begin % step; pair < pairs.end; pair += step) {
        uint64_t a = pair / n, b = pair % n;
        memset(k.first, (int)a, sizeof k.first);
        memset(k.second, (int)b, sizeof k.second);
        for (uint64_t c = 0; c < n; c++) {
            ref_arithmetic(&w->ref, REF_FMA, &table[a], &table[b], &table[c]);
            want_element(w, &k, c);
        }
        for (int mode = 0; mode < REF_MODES; mode++)
            for (int saturate = 0; saturate < 2; saturate++) {
                memset(k.got, 0, sizeof k.got);
                sf8_fma_n(w->sf, k.got, k.first, k.second, k.last, (size_t)n,
                          w->policy[mode][saturate]);
                check_block(w, &k, 3, n, mode, saturate);
            }
    }
}

static void want_unary(worker *w, int op, uint64_t a, int32_t e)
{
    const ref_operand *operand = &w->f->table[a];
    if (op == UNARY_SQRT)
        ref_arithmetic(&w->ref, REF_SQRT, operand, NULL, NULL);
    else if (op == UNARY_RINT)
        ref_convert(&w->ref, w->f, operand);
    else
        ref_scalb(&w->ref, operand, e);
    if (op == UNARY_RINT)
        ref_round_integral(&w->ref, 0);
    else
        ref_round(&w->ref);
}

static void call_unary(const worker *w, int op, uint8_t *dst, const uint8_t *a,
                       const int32_t *exponents, size_t n, sf8_policy policy)
{
    if (op == UNARY_SQRT)
        sf8_sqrt_n(w->sf, dst, a, n, policy);
    else if (op == UNARY_RINT)
        sf8_rint_n(w->sf, dst, a, n, policy);
    else
        sf8_scalb_n(w->sf, dst, a, exponents, n, policy);
}

/* All codes twice over, which is long enough for a table, and all codes but one. scalb by the
 * exponents that take the largest number to zero and the smallest beyond the range. */
static void run_unary(worker *w)
{
    enum { SHIFTS = 41 };
    uint64_t n = codes_of(w->f);
    int op = w->row->work.arg;
    uint8_t codes[2 * CODES], got[2 * CODES];
    int32_t exponents[2 * CODES];
    static _Thread_local block k;
    for (uint64_t i = 0; i < 2 * n; i++)
        codes[i] = (uint8_t)(i % n);
    for (int shift = 0; shift < (op == UNARY_SCALB ? SHIFTS : 1); shift++) {
        for (uint64_t a = 0; a < n; a++) {
            exponents[a] = exponents[n + a] = (shift - SHIFTS / 2) * (int32_t)(1 + a % 13);
            want_unary(w, op, a, exponents[a]);
            for (int mode = 0; mode < REF_MODES; mode++)
                for (int saturate = 0; saturate < 2; saturate++)
                    k.want[mode][saturate][a] = (uint8_t)ref_finish(&w->ref, mode, saturate).code;
        }
        for (int mode = 0; mode < REF_MODES; mode++)
            for (int saturate = 0; saturate < 2; saturate++)
                for (size_t count = (size_t)n - 1; count <= 2 * n; count += (size_t)n + 1) {
                    memset(got, 0xa5, sizeof got);
                    call_unary(w, op, got, codes, exponents, count, w->policy[mode][saturate]);
                    for (uint64_t i = 0; i < count; i++) {
                        ref_answer want = {.code = k.want[mode][saturate][i % n]};
                        inputs(w, op == UNARY_SCALB ? 2 : 1, codes[i], (uint32_t)exponents[i], 0);
                        check(w, mode, saturate, want, (sf8_result){.code = got[i]});
                    }
                }
    }
}

void add_array_arith_rows(void)
{
    static const char *const unary[] = {"array-sqrt", "array-rint", "array-scalb"};
    static const char *const names[] = {"array-add", "array-sub", "array-mul", "array-div",
                                        "array-rem"};
    for (int op = REF_ADD; op <= REF_REM; op++)
        for (int i = 0; i < REF_NARROW; i++)
            add_row(names[op], ref_formats[i].name,
                    (work){.modes = "7x2", .run = run_pairs, .arg = op, .parts = 4});
    for (int i = 0; i < REF_NARROW; i++)
        add_row("array-fma", ref_formats[i].name,
                (work){.modes = "7x2", .run = run_fma, .parts = 64, .jobs = 16});
    for (int op = UNARY_SQRT; op <= UNARY_SCALB; op++)
        for (int i = 0; i < REF_NARROW; i++)
            add_row(unary[op], ref_formats[i].name,
                    (work){.modes = "7x2", .run = run_unary, .arg = op});
}

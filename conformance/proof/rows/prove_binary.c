/* SPDX-License-Identifier: MIT */
/* prove_binary.c -- add, sub, mul, div, rem on all pairs; fma on triples
 */
#include "rows/rows.h"

static const binary_fn binary[] = {
    [REF_ADD] = sf8_add, [REF_SUB] = sf8_sub, [REF_MUL] = sf8_mul,
    [REF_DIV] = sf8_div, [REF_REM] = sf8_rem,
};

static void run_pairs(worker *w)
{
    const ref_operand *table = w->f->table;
    binary_fn op = binary[w->row->work.arg];
    range as = part_of(w, codes_of(w->f));
    for (uint64_t a = as.begin; a < as.end; a++)
        for (uint64_t b = 0; b < codes_of(w->f); b++) {
            inputs(w, 2, a, b, 0);
            ref_arithmetic(&w->ref, w->row->work.arg, &table[a], &table[b], NULL);
            ref_round(&w->ref);
            for (int mode = 0; mode < REF_MODES; mode++)
                for (int saturate = 0; saturate < 2; saturate++)
                    check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                          op(w->sf, a, b, w->policy[mode][saturate]));
        }
}

void add_binary_rows(int tier)
{
    static const char *const names[] = {"add", "sub", "mul", "div", "rem"};
    static const char *const before[] = {"add-before", "sub-before", "mul-before", "div-before"};
    for (int op = REF_ADD; op <= REF_REM; op++)
        add_rows_each(names[op], (work){.modes = "7x2", .run = run_pairs, .arg = op, .parts = 4});
    for (int op = REF_ADD; op <= REF_DIV; op++)
        add_rows_before(before[op], (work){.modes = "7x2", .run = run_pairs, .arg = op}, tier);
}

static void check_fma(worker *w, uint64_t a, uint64_t b, uint64_t c)
{
    const ref_operand *table = w->f->table;
    inputs(w, 3, a, b, c);
    ref_arithmetic(&w->ref, REF_FMA, &table[a], &table[b], &table[c]);
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  sf8_fma(w->sf, a, b, c, w->policy[mode][saturate]));
}

/* Zeros, the ends of the subnormals and of the range, 1 and what is beside it, infinity, NaN. */
static int is_critical(const ref_format *f, uint64_t code)
{
    uint64_t magnitude = code & f->top;
    uint64_t normal = (uint64_t)1 << f->man_bits;
    uint64_t one = (uint64_t)f->bias << f->man_bits;
    return magnitude <= 1 || magnitude + 1 >= f->max || magnitude + 1 == normal ||
           magnitude == normal || magnitude == one || magnitude == one + 1;
}

/* All triples; of formats of 7 and 8 bits in the quick tier one in 331, prime to the number
 * of codes, and all critical c with one pair in 61. */
static void run_fma(worker *w)
{
    uint64_t n = codes_of(w->f), stride = by_tier(w, 1, 331, 1327), pairs = by_tier(w, 1, 61, 241);
    range as = part_of(w, n);
    int all = w->tier == FULL || n < 128;
    for (uint64_t a = as.begin; a < as.end; a++)
        for (uint64_t b = 0; b < n; b++)
            for (uint64_t c = 0; c < n; c++)
                if (all || ((a * n + b) * n + c) % stride == 0 ||
                    ((a * 5 + b) % pairs == 0 && is_critical(w->f, c)))
                    check_fma(w, a, b, c);
}

/* The P3109 family, our own rows, and tininess before rounding: all triples up to 5 bits, in the
 * full tier up to 7, else at a stride. */
static void run_fma_some(worker *w)
{
    uint64_t n = codes_of(w->f), stride = n <= 32 ? 1 : n == 64 ? 7 : 331;
    if (w->tier == FULL)
        stride = n <= 128 ? 1 : 41;
    range triples = part_of(w, n * n * n / stride);
    for (uint64_t t = triples.begin; t < triples.end; t++) {
        uint64_t i = t * stride;
        check_fma(w, i / n / n, i / n % n, i % n);
    }
}

static void run_fma_row(worker *w)
{
    if (in_family(w))
        run_fma_some(w);
    else
        run_fma(w);
}

void add_fma_rows(int tier)
{
    add_rows_before("fma-before", (work){.modes = "7x2", .run = run_fma_some}, tier);
    add_rows_each("fma", (work){.modes = "7x2", .run = run_fma_row, .parts = 64, .jobs = 16});
}

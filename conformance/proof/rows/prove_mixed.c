/* SPDX-License-Identifier: MIT */
/* prove_mixed.c -- recip, rsqrt, hypot, faa; arithmetic on mixed formats
 */
#include "rows/rows.h"

#include <string.h>

static const sf8_mixed_op library_op[] = {
    [REF_ADD] = SF8_MIXED_add,     [REF_SUB] = SF8_MIXED_sub,     [REF_MUL] = SF8_MIXED_mul,
    [REF_DIV] = SF8_MIXED_div,     [REF_SQRT] = SF8_MIXED_sqrt,   [REF_FMA] = SF8_MIXED_fma,
    [REF_RECIP] = SF8_MIXED_recip, [REF_RSQRT] = SF8_MIXED_rsqrt, [REF_HYPOT] = SF8_MIXED_hypot,
    [REF_FAA] = SF8_MIXED_faa,
};

/* An infinite operand stays infinite if the result's format holds all numbers of its own. In a sum
 * of several infinities one such operand is enough. */
static void keep_infinity(worker *w, int count, const ref_format *const f[3],
                          const uint64_t code[3])
{
    int keeps = 0;
    for (int i = 0; i < count; i++)
        if (mpfr_inf_p(f[i]->table[code[i]].value)) {
            ref_from(&w->ref, f[i]);
            keeps |= w->ref.keeps_infinity;
        }
    w->ref.keeps_infinity = keeps;
}

static void check_mixed(worker *w, int op, int count, const ref_format *const f[3],
                        const sf8_format sf[3], const uint64_t code[3])
{
    sf8_operand x[3];
    memset(x, 0, sizeof x);
    for (int i = 0; i < 3; i++) {
        x[i].format = sf[i];
        x[i].code = code[i];
    }
    inputs(w, count, code[0], code[1], code[2]);
    ref_arithmetic(&w->ref, op, &f[0]->table[code[0]], &f[1]->table[code[1]],
                   &f[2]->table[code[2]]);
    keep_infinity(w, count, f, code);
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  sf8_mixed(library_op[op], w->sf, x, w->policy[mode][saturate], 0));
}

static int count_of(int op)
{
    return op == REF_FMA || op == REF_FAA                         ? 3
           : op == REF_SQRT || op == REF_RECIP || op == REF_RSQRT ? 1
                                                                  : 2;
}

/* One format: every operand of one, and of more every one in the full tier, up to 7 bits. */
static void run_same(worker *w)
{
    const ref_format *const f[3] = {w->f, w->f, w->f};
    const sf8_format sf[3] = {w->sf, w->sf, w->sf};
    int op = w->row->work.arg, count = count_of(op);
    uint64_t n = codes_of(w->f), all = count == 1 ? n : count == 2 ? n * n : n * n * n;
    uint64_t stride = count == 1 ? 1 : by_tier(w, 1, 61, 541);
    if (count == 3 && n > 64)
        stride *= 331;
    range part = part_of(w, all / stride);
    for (uint64_t t = part.begin; t < part.end; t++) {
        uint64_t i = t * stride, code[3] = {i % n, i / n % n, i / n / n};
        check_mixed(w, op, count, f, sf, code);
    }
}

/* Operands in any narrow formats. */
static void run_mixed(worker *w)
{
    static const int ops[] = {REF_ADD, REF_SUB,   REF_MUL,   REF_DIV,   REF_SQRT,
                              REF_FMA, REF_RECIP, REF_RSQRT, REF_HYPOT, REF_FAA};
    uint64_t state = 1 + (uint64_t)(w->f - ref_formats) * 1000003;
    unsigned cases = by_tier(w, 50000, 5000, 1000);
    mpfr_set_prec(w->ref.x, 2000); /* for sums and products of e8m0 and e2m3 */
    for (unsigned t = 0; t < cases; t++) {
        const ref_format *f[3];
        sf8_format sf[3];
        uint64_t code[3];
        for (int i = 0; i < 3; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            f[i] = &ref_formats[(state >> 33) % REF_NARROW];
            sf[i] = library_format(f[i]);
            code[i] = (state >> 50) % codes_of(f[i]);
        }
        int op = ops[t % (sizeof ops / sizeof ops[0])];
        check_mixed(w, op, count_of(op), f, sf, code);
    }
}

void add_mixed_rows(void)
{
    static const char *const wide[] = {"f16", "bf16", "tf32", "f32"};
    static const char *const names[] = {
        [REF_RECIP] = "recip", [REF_RSQRT] = "rsqrt", [REF_HYPOT] = "hypot", [REF_FAA] = "faa"};
    for (int op = REF_RECIP; op <= REF_FAA; op++)
        add_rows(
            names[op],
            (work){.modes = "7x2", .run = run_same, .arg = op, .parts = op < REF_HYPOT ? 1 : 4});
    add_rows("mixed", (work){.modes = "7x2", .run = run_mixed});
    for (size_t i = 0; i < sizeof wide / sizeof wide[0]; i++)
        add_row("mixed", wide[i], (work){.modes = "7x2", .run = run_mixed});
}

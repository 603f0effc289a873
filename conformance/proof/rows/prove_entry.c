/* SPDX-License-Identifier: MIT */
/* prove_entry.c -- the functions of one format give what the generic ones give
 *
 * sf8_e4m3_add(a, b, policy) is compared with sf8_add(SF8_E4M3, a, b, policy) and so on, with flags
 * and without. The other rows compare the generic functions with the reference. The table below is
 * made from the library's list of narrow formats.
 */
#include "rows/rows.h"

typedef uint8_t (*code_1)(uint8_t, sf8_policy);
typedef uint8_t (*code_2)(uint8_t, uint8_t, sf8_policy);
typedef sf8_result (*flags_1)(uint8_t, sf8_policy);
typedef sf8_result (*flags_2)(uint8_t, uint8_t, sf8_policy);

/* Each takes a macro for the operations of two operands: M(f, op), and M_EXTREMUM for extrema. */
#define BINARY(M, f) SF8_BINARY_ARITHMETIC(M, f) SF8_EXTREMA(M##_EXTREMUM, f)
#define UNARY(M, f) M(f, sqrt) M(f, next_up) M(f, next_down)
#define ONE(f, op) +1
#define ONE_EXTREMUM(f, op, greater, magnitude, number) ONE(f, op)
enum { N_BINARY = BINARY(ONE, ), N_UNARY = UNARY(ONE, ) };

typedef struct entry {
    const char *name;
    code_2 code2[N_BINARY];
    flags_2 flags2[N_BINARY];
    code_1 code1[N_UNARY];
    flags_1 flags1[N_UNARY];
    uint8_t (*fma)(uint8_t, uint8_t, uint8_t, sf8_policy);
    sf8_result (*fma_flags)(uint8_t, uint8_t, uint8_t, sf8_policy);
    code_1 rint, negate;
    sf8_result (*rint_flags)(uint8_t, sf8_policy, int32_t);
    uint8_t (*scalb)(uint8_t, int32_t, sf8_policy);
    sf8_result (*scalb_flags)(uint8_t, int32_t, sf8_policy);
    uint8_t (*abs)(uint8_t);
    uint8_t (*copy_sign)(uint8_t, uint8_t);
    int32_t (*class_)(uint8_t);
    int32_t (*compare)(uint8_t, uint8_t);
    int32_t (*eq)(uint8_t, uint8_t);
    int32_t (*lt)(uint8_t, uint8_t);
    int32_t (*le)(uint8_t, uint8_t);
    int32_t (*total_order)(uint8_t, uint8_t);
} entry;

#define CODE(f, op) sf8_##f##_##op,
#define FLAGS(f, op) sf8_##f##_##op##_flags,
#define CODE_EXTREMUM(f, op, greater, magnitude, number) CODE(f, op)
#define FLAGS_EXTREMUM(f, op, greater, magnitude, number) FLAGS(f, op)
#define ENTRY(f, e, m, s, nan, inf, zero, bias)                                                    \
    {#f,                                                                                           \
     {BINARY(CODE, f)},                                                                            \
     {BINARY(FLAGS, f)},                                                                           \
     {UNARY(CODE, f)},                                                                             \
     {UNARY(FLAGS, f)},                                                                            \
     sf8_##f##_fma,                                                                                \
     sf8_##f##_fma_flags,                                                                          \
     sf8_##f##_rint,                                                                               \
     sf8_##f##_negate,                                                                             \
     sf8_##f##_rint_flags,                                                                         \
     sf8_##f##_scalb,                                                                              \
     sf8_##f##_scalb_flags,                                                                        \
     sf8_##f##_abs,                                                                                \
     sf8_##f##_copy_sign,                                                                          \
     sf8_##f##_class,                                                                              \
     sf8_##f##_compare,                                                                            \
     sf8_##f##_eq,                                                                                 \
     sf8_##f##_lt,                                                                                 \
     sf8_##f##_le,                                                                                 \
     sf8_##f##_total_order},

static const entry entries[] = {SF8_NARROW_FORMATS(ENTRY)};

#define GENERIC(f, op) sf8_##op,
#define GENERIC_EXTREMUM(f, op, greater, magnitude, number) GENERIC(f, op)
static const binary_fn generic2[N_BINARY] = {BINARY(GENERIC, )};
static const unary_fn generic1[N_UNARY] = {UNARY(GENERIC, )};

static void same_result(worker *w, int mode, int saturate, sf8_result want, sf8_result got,
                        uint64_t code)
{
    ref_answer a = {want.code, want.flags};
    check(w, mode, saturate, a, got);
    got.code = code;
    check(w, mode, saturate, a, got);
}

static void same_code(worker *w, uint64_t want, uint64_t got)
{
    ref_answer a = {want, 0};
    sf8_result g = {got, 0};
    check(w, -1, 0, a, g);
}

static void entry_pairs(worker *w, const entry *t)
{
    for (uint64_t i = 0; i < codes_of(w->f) * codes_of(w->f); i++) {
        uint64_t a = i >> w->f->width, b = i & (codes_of(w->f) - 1);
        uint8_t x = (uint8_t)a, y = (uint8_t)b;
        inputs(w, 2, a, b, 0);
        int mode = (int)(word_random(&(uint64_t){i}) % REF_MODES);
        for (int op = 0; op < N_BINARY; op++)
            for (int saturate = 0; saturate < 2; saturate++) {
                sf8_policy e = w->policy[mode][saturate];
                same_result(w, mode, saturate, generic2[op](w->sf, a, b, e), t->flags2[op](x, y, e),
                            t->code2[op](x, y, e));
            }
    }
}

static void entry_compare(worker *w, const entry *t, uint8_t a, uint8_t b)
{
    sf8_policy e = w->policy[REF_RNE][1];
    int32_t order = sf8_compare(w->sf, a, b, e, NULL);
    w->what = "compare";
    inputs(w, 2, a, b, 0);
    same_code(w, (uint32_t)order, (uint32_t)t->compare(a, b));
    same_code(w, order == SF8_EQUAL, (uint32_t)t->eq(a, b));
    same_code(w, order == SF8_LESS, (uint32_t)t->lt(a, b));
    same_code(w, order == SF8_LESS || order == SF8_EQUAL, (uint32_t)t->le(a, b));
    same_code(w, (uint32_t)sf8_total_order(w->sf, a, b, e), (uint32_t)t->total_order(a, b));
    same_code(w, sf8_copy_sign(w->sf, a, b), t->copy_sign(a, b));
}

static void entry_fma(worker *w, const entry *t)
{
    uint64_t n = codes_of(w->f), stride = n <= 64 ? 1 : by_tier(w, 1, 67, 1021);
    w->what = "fma";
    for (uint64_t i = 0; i < n * n * n; i += stride) {
        uint64_t a = i / n / n, b = i / n % n, c = i % n;
        int mode = (int)(i / stride % REF_MODES), saturate = (int)(i / stride / REF_MODES % 2);
        sf8_policy e = w->policy[mode][saturate];
        inputs(w, 3, a, b, c);
        same_result(w, mode, saturate, sf8_fma(w->sf, a, b, c, e),
                    t->fma_flags((uint8_t)a, (uint8_t)b, (uint8_t)c, e),
                    t->fma((uint8_t)a, (uint8_t)b, (uint8_t)c, e));
    }
}

/* Operations on one code in one environment. */
static void entry_unary(worker *w, const entry *t, uint8_t a, int mode, int saturate)
{
    sf8_policy e = w->policy[mode][saturate];
    w->what = "unary";
    inputs(w, 1, a, 0, 0);
    for (int op = 0; op < N_UNARY; op++)
        same_result(w, mode, saturate, generic1[op](w->sf, a, e), t->flags1[op](a, e),
                    t->code1[op](a, e));
    for (int exact = 0; exact < 2; exact++)
        same_result(w, mode, saturate, sf8_rint(w->sf, a, e, exact), t->rint_flags(a, e, exact),
                    t->rint(a, e));
    for (int32_t n = -300; n <= 300; n += w->tier == FULL ? 1 : 7)
        same_result(w, mode, saturate, sf8_scalb(w->sf, a, n, e), t->scalb_flags(a, n, e),
                    t->scalb(a, n, e));
    same_code(w, sf8_negate(w->sf, a, e).code, t->negate(a, e));
    same_code(w, sf8_abs(w->sf, a), t->abs(a));
    same_code(w, (uint32_t)sf8_class(w->sf, a, e), (uint32_t)t->class_(a));
}

static void run_entry(worker *w)
{
    const entry *t = &entries[w->row->work.arg];
    entry_pairs(w, t);
    entry_fma(w, t);
    for (uint64_t a = 0; a < codes_of(w->f); a++) {
        for (uint64_t b = 0; b < codes_of(w->f); b++)
            entry_compare(w, t, (uint8_t)a, (uint8_t)b);
        for (int mode = 0; mode < REF_MODES; mode++)
            for (int saturate = 0; saturate < 2; saturate++)
                entry_unary(w, t, (uint8_t)a, mode, saturate);
    }
}

void add_entry_rows(void)
{
    for (int i = 0; i < (int)(sizeof entries / sizeof entries[0]); i++)
        add_row("entry", entries[i].name, (work){.modes = "7x2", .run = run_entry, .arg = i});
}

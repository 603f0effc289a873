/* SPDX-License-Identifier: MIT */
/* prove_order.c -- comparisons, total order, class, signs, minimum and maximum on all pairs
 */
#include "rows/rows.h"

static sf8_result plain(uint64_t code, uint32_t flags)
{
    sf8_result r;
    r.code = code;
    r.flags = flags;
    return r;
}

static ref_answer wanted(uint64_t code, unsigned flags)
{
    ref_answer a = {code, flags};
    return a;
}

/* The library's numbers are part of its interface: docs/spec has none for orders and classes. */
static uint64_t order_number(int order)
{
    static const int32_t numbers[] = {SF8_LESS, SF8_EQUAL, SF8_GREATER, SF8_UNORDERED};
    return (uint32_t)numbers[order];
}

static void check_order(worker *w, uint64_t a, uint64_t b, int saturate)
{
    const ref_operand *x = &w->f->table[a], *y = &w->f->table[b];
    sf8_policy e = w->policy[REF_RNE][saturate];
    for (int signaling = 0; signaling < 2; signaling++) {
        unsigned flags;
        uint32_t found;
        int32_t order = signaling ? sf8_compare_signaling(w->sf, a, b, e, &found)
                                  : sf8_compare(w->sf, a, b, e, &found);
        uint64_t want = order_number(ref_compare(x, y, signaling, &flags));
        w->what = signaling ? "compare_signaling" : "compare";
        check(w, -1, saturate, wanted(want, flags), plain((uint32_t)order, found));
    }
    w->what = "total_order";
    check(w, -1, saturate, wanted((uint64_t)ref_total_order(w->f, x, y), 0),
          plain((uint64_t)sf8_total_order(w->sf, a, b, e), 0));
}

static void run_compare(worker *w)
{
    for (uint64_t a = 0; a < codes_of(w->f); a++)
        for (uint64_t b = 0; b < codes_of(w->f); b++)
            for (int saturate = 0; saturate < 2; saturate++) {
                inputs(w, 2, a, b, 0);
                check_order(w, a, b, saturate);
            }
}

static int32_t class_number(int class_)
{
    static const int32_t numbers[] = {
        [REF_SIGNALING_NAN] = SF8_CLASS_SIGNALING_NAN,
        [REF_QUIET_NAN] = SF8_CLASS_QUIET_NAN,
        [REF_NEG_INFINITY] = SF8_CLASS_NEG_INFINITY,
        [REF_NEG_NORMAL] = SF8_CLASS_NEG_NORMAL,
        [REF_NEG_SUBNORMAL] = SF8_CLASS_NEG_SUBNORMAL,
        [REF_NEG_ZERO] = SF8_CLASS_NEG_ZERO,
        [REF_POS_ZERO] = SF8_CLASS_POS_ZERO,
        [REF_POS_SUBNORMAL] = SF8_CLASS_POS_SUBNORMAL,
        [REF_POS_NORMAL] = SF8_CLASS_POS_NORMAL,
        [REF_POS_INFINITY] = SF8_CLASS_POS_INFINITY,
    };
    return numbers[class_];
}

static void check_sign(worker *w, uint64_t a)
{
    const ref_operand *x = &w->f->table[a];
    for (int saturate = 0; saturate < 2; saturate++) {
        sf8_policy e = w->policy[REF_RNE][saturate];
        w->what = "class";
        check(w, -1, saturate, wanted((uint64_t)class_number(ref_class(w->f, x)), 0),
              plain((uint64_t)sf8_class(w->sf, a, e), 0));
        w->what = "negate";
        check(w, -1, saturate, ref_negate(w->f, x), sf8_negate(w->sf, a, e));
    }
    w->what = "abs";
    check(w, -1, 0, wanted(ref_abs(w->f, x), 0), plain(sf8_abs(w->sf, a), 0));
}

static void run_sign(worker *w)
{
    const ref_operand *table = w->f->table;
    for (uint64_t a = 0; a < codes_of(w->f); a++) {
        inputs(w, 1, a, 0, 0);
        check_sign(w, a);
        w->what = "copy_sign";
        for (uint64_t b = 0; b < codes_of(w->f); b++) {
            inputs(w, 2, a, b, 0);
            check(w, -1, 0, wanted(ref_copy_sign(w->f, &table[a], &table[b]), 0),
                  plain(sf8_copy_sign(w->sf, a, b), 0));
        }
    }
}

typedef struct extremum {
    const char *name;
    binary_fn fn;
    int greater, magnitude, number;
} extremum;

static const extremum extrema[] = {
    {"minimum", sf8_minimum, 0, 0, 0},
    {"maximum", sf8_maximum, 1, 0, 0},
    {"minimum_number", sf8_minimum_number, 0, 0, 1},
    {"maximum_number", sf8_maximum_number, 1, 0, 1},
    {"minimum_magnitude", sf8_minimum_magnitude, 0, 1, 0},
    {"maximum_magnitude", sf8_maximum_magnitude, 1, 1, 0},
    {"minimum_magnitude_number", sf8_minimum_magnitude_number, 0, 1, 1},
    {"maximum_magnitude_number", sf8_maximum_magnitude_number, 1, 1, 1},
};

static void run_extrema(worker *w)
{
    const ref_operand *table = w->f->table;
    for (size_t i = 0; i < sizeof extrema / sizeof extrema[0]; i++) {
        const extremum *op = &extrema[i];
        w->what = op->name;
        for (uint64_t a = 0; a < codes_of(w->f); a++)
            for (uint64_t b = 0; b < codes_of(w->f); b++) {
                inputs(w, 2, a, b, 0);
                ref_answer want = ref_extremum(w->f, &table[a], &table[b], op->greater,
                                               op->magnitude, op->number);
                for (int saturate = 0; saturate < 2; saturate++)
                    check(w, -1, saturate, want, op->fn(w->sf, a, b, w->policy[REF_RNE][saturate]));
            }
    }
}

void add_order_rows(void)
{
    add_rows("sign", (work){.modes = "1x2", .run = run_sign});
    add_rows("compare", (work){.modes = "1x2", .run = run_compare});
    add_rows("minmax", (work){.modes = "1x2", .run = run_extrema});
}

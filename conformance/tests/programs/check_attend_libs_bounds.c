/* SPDX-License-Identifier: MIT */
/* check_attend_libs_bounds.c -- how attend-libs judges: bounds, true values, requests, verdicts
 *
 * Bounds are those of the formulas in attend_error.h, computed by a program in another language.
 */
#include "families/libraries/libraries.h"
#include "checks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void near(double got, double right, const char *what)
{
    char text[64];
    snprintf(text, sizeof text, "%.9g, not %.9g", got, right);
    check(fabs(got - right) <= 1e-6 * right, what, text);
}

/* 80 elements, magnitudes 4, 1000 keys, a spread of 2, an output of 3/4. */
static void bounds(void)
{
    static const struct {
        const char *word, *format;
        double score, out;
    } rows[] = {
        {"f32", "f32", 1.9073486e-05, 0.00031569746},
        {"f16", "f16", 3.5762787e-06, 0.0015044213},
        {"bf16", "bf16", 3.5762787e-06, 0.0099301339},
        {"bf16-parts", "bf16", 3.5762787e-06, 0.017742634},
        {"fp8-two", "bf16", 0.0029296875, 0.14743239},
        {"fp8-one", "bf16", 0.0029296875, 0.15426833},
    };
    const attend_error_row row = {4, 2, 0.75, 1000, 80};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const attend_error_bound *b = attend_error_bound_named(rows[i].word);
        check(b != NULL, rows[i].word, "no bound");
        if (!b)
            continue;
        near(attend_error_score(b, &row), rows[i].score, rows[i].word);
        near(attend_error_out(b, &row, attend_lib_format(rows[i].format)), rows[i].out,
             rows[i].word);
    }
    check(!attend_error_bound_named("fp8"), "fp8", "a bound");
}

static attend_lib lib(attend_lib_mask mask, attend_lib_nan nan)
{
    attend_lib l;
    memset(&l, 0, sizeof l);
    l.name = "test";
    l.q = l.kv = l.out = l.bound = "f32";
    l.mask = mask;
    l.nan = nan;
    return l;
}

/* Two queries of two heads on one over two keys, scores 0 and ln 2 of the second head, values 3 and
 * 6, -3 and 6 of two channels: 5, and 3; the first head is 4.5 and 1.5. The first query sees one
 * key. */
static void true_values(void)
{
    float q[8] = {0, 0, 0.69314718f, 0, 0, 0, 0.69314718f, 0}, k[4] = {0, 0, 1, 0};
    float v[4] = {3, -3, 6, 6};
    static attend_lib_row row;
    double weight[2];
    attend_lib_values x;
    attend_lib_set s = {LIBS_RANDOM, 1, 2, 2, 2, 1, 2, 1, 0, 0};
    attend_lib seen = lib(LIBS_UPPER_LEFT, LIBS_NAN_SEEN);
    attend_lib added = lib(LIBS_UPPER_LEFT, LIBS_NAN_ADDED);
    memset(&x, 0, sizeof x);
    x.q = q;
    x.k = k;
    x.v = v;
    x.scale = 1;
    row.weight = weight;
    attend_lib_true(&seen, &s, &x, 0, 1, 1, &row);
    near(row.out[0], 5, "a channel");
    near(row.out[1], 3, "another");
    near(row.spread[1], 5, "its spread");
    near(row.most, 0.69314718, "the largest magnitude");
    near(row.lse, 1.0986123, "lse");
    check(row.keys == 2 && !row.nan, "the last query", "does not see two keys");
    attend_lib_true(&seen, &s, &x, 0, 1, 0, &row);
    near(row.out[0], 4.5, "the other head");
    attend_lib_true(&seen, &s, &x, 0, 0, 1, &row);
    near(row.out[0], 3, "the first query");
    check(row.keys == 1, "the first query", "sees more than a key");
    k[3] = NAN;
    attend_lib_true(&seen, &s, &x, 0, 0, 0, &row);
    check(!row.nan, "the first query", "NaN that it does not see");
    attend_lib_true(&added, &s, &x, 0, 0, 0, &row);
    check(row.nan, "the first query", "no NaN of a mask that is added");
    attend_lib_true(&seen, &s, &x, 0, 1, 0, &row);
    check(row.nan, "the last query", "no NaN");
}

/* Two parts with sums 2 and 8, of 0 and 10, give 8; their lse in base 2 and in base e. */
static void parts(void)
{
    float a[1] = {0}, b[1] = {10};
    static attend_lib_row row;
    const attend_lib_set s = {LIBS_PARTS, 1, 1, 1, 1, 1, 1, 0, 0, 0};
    for (int base = 1; base <= 2; base++) {
        float lse[2] = {base == 2 ? 1 : 0.69314718f, base == 2 ? 3 : 2.0794415f};
        attend_lib l = lib(LIBS_NO_MASK, LIBS_NAN_SEEN);
        attend_lib_values x;
        memset(&x, 0, sizeof x);
        x.q = a;
        x.k = b;
        x.v = lse;
        x.v_count = 2;
        l.merges = 1;
        l.lse_base = base;
        attend_lib_true(&l, &s, &x, 0, 0, 0, &row);
        near(row.out[0], 8, "two parts");
        near(row.lse, 2.302585093, "their lse, in base e");
        near(row.most, 2.0794415, "the largest magnitude");
    }
}

/* Which requests a row gets: how many with masks, with masks and fewer queries than keys, with more
 * than one query and no mask, and with more than 100,000 keys. */
static void requests(void)
{
    static const struct {
        attend_lib_mask mask;
        int one, gpu;
        conform_tier tier;
        int masks, fewer, none, longest;
    } rows[] = {
        {LIBS_LOWER_RIGHT, 0, 0, TIER_QUICK, 9, 3, 2, 0},
        {LIBS_UPPER_LEFT, 0, 0, TIER_FULL, 6, 0, 2, 1},
        {LIBS_NO_MASK, 0, 1, TIER_QUICK, 0, 0, 2, 1},
        {LIBS_ALWAYS, 0, 0, TIER_QUICK, 9, 3, 0, 0},
        {LIBS_NO_MASK, 1, 0, TIER_QUICK, 0, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        attend_lib l = lib(rows[i].mask, LIBS_NAN_SEEN);
        attend_lib_set s;
        int masks = 0, fewer = 0, none = 0, longest = 0;
        char text[64];
        l.one_query = rows[i].one;
        l.gpu = rows[i].gpu;
        for (size_t k = 0; attend_lib_set_at(&l, rows[i].tier, k, &s); k++) {
            masks += s.causal;
            fewer += s.causal && s.queries < s.keys;
            none += !s.causal && s.queries > 1;
            longest += s.keys > 100000;
        }
        snprintf(text, sizeof text, "%d %d %d %d", masks, fewer, none, longest);
        check(masks == rows[i].masks && fewer == rows[i].fewer && none == rows[i].none &&
                  longest == rows[i].longest,
              "requests", text);
    }
}

/* Every value can be represented in every format of a row: e5m2 has most exponents. */
static void words(void)
{
    static const char *const formats[] = {"f32", "bf16", "f16", "e4m3", "e5m2"};
    for (size_t i = 0; i < 5; i++) {
        attend_lib l = lib(LIBS_LOWER_RIGHT, LIBS_NAN_READ);
        attend_lib_set s;
        l.kv = formats[i];
        l.q = i < 4 ? formats[i] : "bf16";
        for (size_t k = 0; attend_lib_set_at(&l, TIER_QUICK, k, &s); k++) {
            attend_lib_values x;
            void *q = NULL, *k_words = NULL, *v = NULL;
            char text[128];
            attend_lib_set_text(&s, text, sizeof text);
            if (attend_lib_fill(&l, &s, &x)) {
                q = attend_lib_words(l.q, x.q, x.q_count, x.q_scale);
                k_words = attend_lib_words(l.kv, x.k, x.k_count, x.k_scale);
                v = attend_lib_words(l.kv, x.v, x.v_count, x.v_scale);
            }
            check(q && k_words && v, formats[i], text);
            if (s.kind == LIBS_NAN && k_words) {
                check(isnan(x.k[x.nan_at]), formats[i], "no NaN");
                attend_lib_read(&l, &s, &x);
                near((double)x.k[x.nan_at], i == 4 ? 49152 : i == 3 ? 240 : 480, formats[i]);
            }
            free(q);
            free(k_words);
            free(v);
            attend_lib_values_free(&x);
        }
    }
    const float third[1] = {1.0f / 3};
    check(!attend_lib_words("bf16", third, 1, 1), "1 / 3", "is in bf16");
}

/* The verdict from the largest share of a bound, from errors to one side, and from a base of
 * lse. */
static void verdicts(void)
{
    static const struct {
        const char *bound, *said;
        double largest, lean;
        conform_status right;
    } rows[] = {
        {"bf16", "", 0.5, 0.1, CONFORM_PASSED},
        {"bf16", "so near", 0.009, 0.1, CONFORM_FAILED},
        {"bf16", "", 0.011, 0.1, CONFORM_PASSED},
        {"bf16", "the errors lean toward zero", 0.5, -0.8, CONFORM_FAILED},
        {"bf16", "the errors lean away from zero", 0.5, 0.8, CONFORM_FAILED},
        {"fp8-one", "", 0.5, -0.8, CONFORM_PASSED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        static conform_result result;
        attend_lib l = lib(LIBS_LOWER_RIGHT, LIBS_NAN_SEEN);
        attend_lib_tally t;
        memset(&t, 0, sizeof t);
        memset(&result, 0, sizeof result);
        t.lib = &l;
        t.bound = attend_error_bound_named(rows[i].bound);
        t.result = &result;
        t.largest = rows[i].largest;
        t.rows = 100; /* with one error each, of which this part is to one side */
        t.words = 6400;
        t.errors = 6400;
        t.lean = 100 * rows[i].lean;
        t.squares = 100 * (rows[i].lean * rows[i].lean + 0.01);
        attend_lib_conclude(&t);
        check(result.status == rows[i].right &&
                  strncmp(result.diagnosis, rows[i].said, strlen(rows[i].said)) == 0 &&
                  (rows[i].said[0] != 0) == (result.diagnosis[0] != 0),
              "a verdict", result.diagnosis);
    }
}

int main(void)
{
    bounds();
    true_values();
    parts();
    requests();
    words();
    verdicts();
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}

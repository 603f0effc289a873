/* SPDX-License-Identifier: MIT */
/* report.c -- what the search found, as text */
#include "layout/layout.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 8 };

typedef sf8_layout_diagnosis diagnosis;
typedef sf8_layout_reading reading;

/* ---- the verdict ----------------------------------------------------------------------------- */

static void print_change(const sf8_layout_change *c, int has_recipe)
{
    printf("mismatch: %s\n", c->words);
    if (c->advice[0])
        printf("  to do: %s\n", c->advice);
    if (strcmp(c->axis, "g") == 0 && c->factor == 0 && !has_recipe)
        printf("  without --recipe, codes times scales are multiplied by g\n");
}

static void print_verdict(const diagnosis *d, int has_recipe)
{
    if (d->verdict == SF8_VERDICT_POLICY)
        printf("explained: the expected reading is right\n");
    if (d->verdict == SF8_VERDICT_NEAREST)
        printf("unexplained: no reading explains every element; the closest is: %s\n",
               d->list[0].words);
    if (d->verdict == SF8_VERDICT_NEAREST && d->expected && d->expected->relative_l2 == 1 &&
        d->expected->cosine == 0)
        printf("every value that is read is 0: were the codes and the scales written?\n");
    for (size_t i = 0; i < d->list[0].count && d->verdict == SF8_VERDICT_CHANGED; i++)
        print_change(&d->list[0].change[i], has_recipe);
}

static double percent(const reading *r)
{
    return 100 * (r->counted ? (double)r->explained / (double)r->counted : 1);
}

/* How many elements the first reading explains, and how many the expected one. */
static void print_explained(const diagnosis *d, size_t scales_size)
{
    const reading *first = &d->list[0];
    printf("%s: %llu of %llu elements, %.4f %%",
           d->verdict == SF8_VERDICT_NEAREST ? "explained by the closest" : "explained",
           (unsigned long long)first->explained, (unsigned long long)first->counted,
           percent(first));
    if (first->count && d->expected)
        printf("; by the expected reading %.4f %%", percent(d->expected));
    else if (!d->expected && d->expected_size != scales_size)
        printf("; the expected reading needs %llu bytes of scales, not %zu",
               (unsigned long long)d->expected_size, scales_size);
    else if (!d->expected)
        printf("; the expected reading is impossible for such a matrix");
    printf("\n");
}

static void print_twins(const diagnosis *d, size_t rows)
{
    size_t count = 0;
    for (size_t i = 1; i < d->count && d->verdict <= SF8_VERDICT_CHANGED; i++) {
        if (d->list[i].is_twin)
            printf("%s%s",
                   count++ ? "; " : "this data cannot distinguish it from: ", d->list[i].words);
    }
    if (count)
        printf("%s\n", rows == 1 ? " (there is one row)" : "");
}

/* ---- recipes --------------------------------------------------------------------------------- */

static uint64_t differ(const sf8_layout_recipe *r)
{
    return r->codes_differ + r->scales_differ;
}

static void print_rows_compared(const diagnosis *d)
{
    if (d->rows_compared < d->all_rows)
        printf(" of %zu rows", d->rows_compared);
    printf("\n");
}

/* Codes and scales apart: which of them are not as the expected recipe has them. */
static void print_apart(const diagnosis *d, const sf8_layout_recipe *r)
{
    unsigned long long codes = r->codes_differ, own = r->codes_differ_for_scales;
    printf("scales: %llu of %zu differ from those of %s", (unsigned long long)r->scales_differ,
           d->scales_compared, r->name);
    print_rows_compared(d);
    if (own == 0)
        printf("codes: all are right for your scales; %llu of %zu differ from those of %s", codes,
               d->codes_compared, r->name);
    else if (r->scales_differ == 0)
        printf("codes: %llu of %zu differ from those of %s", codes, d->codes_compared, r->name);
    else
        printf("codes: %llu of %zu are wrong for your scales; %llu differ from those of %s", own,
               d->codes_compared, codes, r->name);
    print_rows_compared(d);
}

static void print_exact(const diagnosis *d)
{
    printf("quantized as if by");
    for (size_t i = 0; i < d->recipe_count && differ(&d->recipes[i]) == 0; i++)
        printf("%s %s", i ? "," : "", d->recipes[i].name);
    printf(": every code and scale is equal");
    print_rows_compared(d);
}

/* What a reader made of the codes was not quantized: that no recipe gives the codes again means
 * nothing then. */
static void print_recipes(const diagnosis *d)
{
    const sf8_layout_recipe *best = &d->recipes[0], *expected = d->expected_recipe;
    if (d->recipe_count == 0 || (d->list[0].relative_l2 == 0 && differ(best) > 0))
        return;
    if (expected && !expected->is_folded && differ(expected) > 0)
        print_apart(d, expected);
    if (differ(best) == 0) {
        print_exact(d);
    } else if (!expected || expected->is_folded || differ(expected) > differ(best)) {
        printf(
            "quantized by no known recipe; of the nearest, %s, %llu codes and %llu scales differ",
            best->name, (unsigned long long)best->codes_differ,
            (unsigned long long)best->scales_differ);
        print_rows_compared(d);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Its figures; how many elements it reads otherwise than the first, and how many of these each of
 * the two explains. */
static void print_line(const reading *r, int is_first)
{
    double all = r->differ ? (double)r->differ : 1, l2 = r->relative_l2, cosine = r->cosine;
    char l2_text[24] = "-", cosine_text[24] = "-"; /* a reading may give NaN or infinity */
    if (l2 - l2 == 0)
        snprintf(l2_text, sizeof l2_text, "%.4g", l2);
    if (cosine - cosine == 0)
        snprintf(cosine_text, sizeof cosine_text, "%.5f", cosine);
    printf("%9.4f %%  %8s  %8s  ", percent(r), l2_text, cosine_text);
    if (is_first || r->differ == 0)
        printf("%10s %9s %9s", is_first ? "" : "0", "", "");
    else
        printf("%10llu %7.2f %% %7.2f %%", (unsigned long long)r->differ,
               100 * (double)r->differ_explained / all, 100 * (double)r->differ_by_first / all);
    printf("  %s\n", r->words);
}

void layout_print(const sf8_layout_results *results, const diagnosis *d)
{
    size_t shown = 0;
    print_verdict(d, results->recipe != NULL);
    print_explained(d, results->scales_size);
    print_twins(d, results->rows);
    print_recipes(d);
    if (d->not_counted)
        printf("not counted: %zu values that are NaN or infinite\n", d->not_counted);
    printf("\n%11s  %8s  %8s  %10s %9s %9s  reading, of %zu tried\n", "explained", "rel. L2",
           "cosine", "differ", "by it", "by first", d->tried);
    for (size_t i = 0; i < d->count && shown < SHOWN; i++) {
        if (i > 0 && d->list[i].differ == 0 && !d->list[i].is_twin)
            continue; /* changes that undo each other */
        print_line(&d->list[i], i == 0);
        shown++;
    }
}

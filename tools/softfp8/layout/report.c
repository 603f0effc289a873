/* SPDX-License-Identifier: MIT */
/* report.c -- what the search found, in words */
#include "layout/layout.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN = 8 };

static void append(char text[512], const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, 512 - used, "%s", more);
}

const char *layout_label(const layout_data *d, const layout_found *f, char text[512])
{
    text[0] = '\0';
    for (int axis = 0; axis < AXES; axis++) {
        if (f->reading.at[axis] == f->plain.at[axis])
            continue;
        append(text, text[0] ? ", " : "");
        if (axis == AXIS_G && f->reading.at[axis] == G_FREE) {
            char factor[48];
            snprintf(factor, sizeof factor, "%s factor of %.4g", d->has_g ? "g off by a" : "a",
                     (double)f->reading.factor);
            append(text, factor);
            continue;
        }
        append(text, layout_axis_name(axis));
        append(text, " ");
        append(text, layout_value_at(axis, d->bits, f->reading.at[axis])->name);
    }
    append(text, text[0] ? "" : "as expected");
    return text;
}

/* What to do about a change of anything but g; `scales` is their file. */
static void advise(const layout_data *d, const layout_found *f, int axis, const char *scales,
                   char text[512])
{
    int value = f->reading.at[axis], plain = f->plain.at[axis];
    size_t stored[2];
    layout_stored(d, &f->reading, stored);
    snprintf(text, 512, "%s", layout_value_at(axis, d->bits, value)->advice);
    if (axis == AXIS_PLACE && value != PLACE_PADDED && value <= PLACE_4TOKEN)
        snprintf(text, 512, "softfp8 layout move --from %s --to %s",
                 layout_value_at(axis, d->bits, value)->name,
                 layout_value_at(axis, d->bits, plain)->name);
    if (axis == AXIS_PLACE && plain == PLACE_4TOKEN &&
        !sf8_layout_fits(SF8_LAYOUT_4TOKEN, stored[0], stored[1])) {
        snprintf(text, 512, "give --layout %s: such a matrix cannot have the layout 4-token",
                 layout_value_at(axis, d->bits, value)->name);
    } else if (axis == AXIS_PLACE && value != PLACE_PADDED && value != PLACE_WORDS) {
        size_t used = strlen(text);
        used += (size_t)snprintf(text + used, 512 - used, " --shape %zu,%zu", stored[0], stored[1]);
        if (value <= PLACE_4TOKEN && used < 512)
            snprintf(text + used, 512 - used, " %s -o moved.bin",
                     strcmp(scales, "-") == 0 ? "FILE" : scales);
    }
}

/* Whether a line of the table is the same as the first: nearly as simple, never different, and no
 * better. */
static int is_twin(const layout_result *r, size_t i)
{
    const layout_found *f = &r->list[i], *first = &r->list[0];
    int most = first->cost > 12 ? first->cost : 12;
    return i != 0 && f->differ == 0 && f->score.explained == first->score.explained &&
           f->cost <= most;
}

/* ---- the verdict ----------------------------------------------------------------------------- */

static int has_g(const sf8_recipe_row *recipe)
{
    return recipe && strstr(recipe->properties, "g=") != NULL;
}

/* A factor in words: "g is 16 times too small". */
static void print_factor(const layout_data *d, const layout_result *r, double factor)
{
    if (d->has_g && has_g(d->recipe)) {
        double more = r->g > 0 ? r->g / (double)d->g : d->rule.divides ? 1 / factor : factor;
        printf("mismatch: g is %.4g times too %s\n", more > 1 ? more : 1 / more,
               more > 1 ? "small" : "large");
        return;
    }
    printf("mismatch: the values are %.4g times what is read%s\n", factor,
           has_g(d->recipe) ? " without g" : "");
}

static void print_factor_todo(const layout_data *d, const layout_result *r, double factor)
{
    const sf8_recipe_row *recipe = d->recipe;
    if (r->g > 0 && r->g_is_exact)
        printf("  to do: give --global-scale %.9g, with which %s gives every code and scale\n",
               r->g, recipe->name);
    else if (r->g > 0 && recipe)
        printf("  to do: give --global-scale %.9g, an estimate with which every element is "
               "explained\n",
               r->g);
    else if (r->g > 0)
        printf("  to do: give --global-scale %.9g, the factor for codes times scales (or --recipe "
               "NAME and its "
               "own g)\n",
               r->g);
    else if (!has_g(recipe) && recipe)
        printf("  to do: multiply codes times scales by %.4g; %s itself has no global scale\n",
               factor, recipe->name);
    else if (!recipe)
        printf("  to do: multiply codes times scales by %.4g\n", factor);
}

/* What became of values beyond the largest code. Saturation is advice only if the largest code
 * explains them all; the recipe's scales only if the codes are right for others. */
static void print_overflow(const layout_data *d, const layout_result *r)
{
    const layout_found *f = &r->list[0];
    const layout_recipe *expected = layout_expected(d, &r->recipes);
    const layout_value *value = layout_value_at(AXIS_OVERFLOW, d->bits,
                                                f->reading.at[AXIS_OVERFLOW]);
    layout_meaning m;
    layout_meaning_of(d, &f->reading, &m);
    printf("mismatch: %llu %s: their values are at least %.6g times their scale\n",
           (unsigned long long)f->score.beyond, value->found, (double)layout_over(&m));
    if (value->advice[0] && f->score.fits == f->score.beyond)
        printf("  to do: %s\n", value->advice);
    else if (expected && expected->own_codes == 0 && expected->scales > 0)
        printf("  to do: compute the scales as %s does\n", expected->name);
}

static void print_change(const layout_data *d, const layout_result *r, int axis, const char *scales)
{
    const layout_found *first = &r->list[0];
    int v = first->reading.at[axis], plain = first->plain.at[axis];
    char text[512];
    if (axis == AXIS_OVERFLOW) {
        print_overflow(d, r);
        return;
    }
    if (axis == AXIS_G && v == G_FREE) {
        print_factor(d, r, (double)first->reading.factor);
        print_factor_todo(d, r, (double)first->reading.factor);
        return;
    }
    advise(d, first, axis, scales, text);
    printf("mismatch: %s, and %s\n", layout_value_at(axis, d->bits, v)->found,
           layout_value_at(axis, d->bits, plain)->instead);
    printf("  to do: %s", text);
    if (axis == AXIS_G && v != G_NONE && r->g > 0)
        printf(": --global-scale %.9g", r->g);
    printf("\n");
    if (axis == AXIS_G && !d->recipe)
        printf("  without --recipe, codes times scales are multiplied by g\n");
}

static void print_verdict(const layout_data *d, const layout_result *r, const char *scales)
{
    const layout_found *first = &r->list[0];
    char text[512];
    if (r->verdict == LAYOUT_EXPECTED)
        printf("explained: the expected reading is right\n");
    if (r->verdict > LAYOUT_MISMATCH)
        printf("unexplained: no reading explains every element; the closest is: %s\n",
               layout_label(d, first, text));
    for (int axis = 0; axis < AXES && r->verdict == LAYOUT_MISMATCH; axis++) {
        if (first->reading.at[axis] != first->plain.at[axis])
            print_change(d, r, axis, scales);
    }
}

/* How many elements the first reading explains, and how many the expected one. */
static void print_explained(const layout_data *d, const layout_result *r)
{
    const layout_found *first = &r->list[0];
    const layout_score *s = &first->score;
    printf("%s: %llu of %llu elements, %.4f %%",
           r->verdict > LAYOUT_MISMATCH ? "explained by the closest" : "explained",
           (unsigned long long)s->explained, (unsigned long long)s->counted, 100 * layout_share(s));
    if (first->cost && r->has_plain)
        printf("; by the expected reading %.4f %%", 100 * layout_share(&r->plain.score));
    else if (!r->has_plain && layout_scale_bytes(d, &first->plain) != d->scales_size)
        printf("; the expected reading needs %zu bytes of scales, not %zu",
               layout_scale_bytes(d, &first->plain), d->scales_size);
    else if (!r->has_plain)
        printf("; the expected reading is impossible for such a matrix");
    printf("\n");
}

static void print_twins(const layout_data *d, const layout_result *r)
{
    char text[512];
    size_t count = 0;
    for (size_t i = 1; i < r->count && r->verdict <= LAYOUT_MISMATCH; i++) {
        if (is_twin(r, i))
            printf("%s%s", count++ ? "; " : "this data cannot distinguish it from: ",
                   layout_label(d, &r->list[i], text));
    }
    if (count)
        printf("%s\n", d->rows == 1 ? " (there is one row)" : "");
}

/* ---- recipes --------------------------------------------------------------------------------- */

static void print_rows_compared(const layout_recipes *recipes)
{
    if (recipes->rows < recipes->all)
        printf(" of %zu rows", recipes->rows);
    printf("\n");
}

/* Codes and scales apart: which of them are not as the expected recipe has them. */
static void print_apart(const layout_recipes *recipes, const layout_recipe *r)
{
    printf("scales: %llu of %zu differ from those of %s", (unsigned long long)r->scales,
           recipes->scales, r->name);
    print_rows_compared(recipes);
    if (r->own_codes == 0)
        printf("codes: all are right for your scales; %llu of %zu differ from those of %s",
               (unsigned long long)r->codes, recipes->elements, r->name);
    else if (r->scales == 0)
        printf("codes: %llu of %zu differ from those of %s", (unsigned long long)r->codes,
               recipes->elements, r->name);
    else
        printf("codes: %llu of %zu are wrong for your scales; %llu differ from those of %s",
               (unsigned long long)r->own_codes, recipes->elements, (unsigned long long)r->codes,
               r->name);
    print_rows_compared(recipes);
}

static void print_exact(const layout_recipes *recipes)
{
    printf("quantized as if by");
    for (size_t i = 0; i < recipes->count; i++) {
        const layout_recipe *r = &recipes->list[i];
        if (r->codes + r->scales == 0)
            printf("%s %s", i ? "," : "", r->name);
    }
    printf(": every code and scale is equal");
    print_rows_compared(recipes);
}

/* What a reader made of the codes was not quantized: that no recipe gives the codes again means
 * nothing then. */
static void print_recipes(const layout_data *d, const layout_recipes *recipes, int is_read_back)
{
    const layout_recipe *best = &recipes->list[0], *expected = layout_expected(d, recipes);
    uint64_t least = best->codes + best->scales;
    if (recipes->count == 0 || (is_read_back && least > 0))
        return;
    if (expected && !expected->folded && expected->codes + expected->scales > 0)
        print_apart(recipes, expected);
    if (least == 0) {
        print_exact(recipes);
    } else if (!expected || expected->folded || expected->codes + expected->scales > least) {
        printf(
            "quantized by no known recipe; of the nearest, %s, %llu codes and %llu scales differ",
            best->name, (unsigned long long)best->codes, (unsigned long long)best->scales);
        print_rows_compared(recipes);
    }
}

/* ---- the table ------------------------------------------------------------------------------- */

/* Its figures; how many elements it reads otherwise than the first, and how many of these each of
 * the two explains. */
static void print_line(const layout_data *d, const layout_found *f, int is_first)
{
    char text[512];
    const layout_score *s = &f->score;
    double differ = f->differ ? (double)f->differ : 1, l2 = layout_l2(s), cosine = layout_cosine(s);
    char l2_text[24] = "-", cosine_text[24] = "-"; /* a reading may give NaN or infinity */
    if (l2 - l2 == 0)
        snprintf(l2_text, sizeof l2_text, "%.4g", l2);
    if (cosine - cosine == 0)
        snprintf(cosine_text, sizeof cosine_text, "%.5f", cosine);
    printf("%9.4f %%  %8s  %8s  ", 100 * layout_share(s), l2_text, cosine_text);
    if (is_first || f->differ == 0)
        printf("%10s %9s %9s", is_first ? "" : "0", "", "");
    else
        printf("%10llu %7.2f %% %7.2f %%", (unsigned long long)f->differ,
               100 * (double)f->by_this / differ, 100 * (double)f->by_first / differ);
    printf("  %s\n", layout_label(d, f, text));
}

void layout_print(const layout_data *d, const layout_result *r, const char *scales)
{
    size_t shown = 0;
    print_verdict(d, r, scales);
    print_explained(d, r);
    print_twins(d, r);
    print_recipes(d, &r->recipes, layout_l2(&r->list[0].score) == 0);
    if (r->wrong)
        printf("not counted: %zu values that are NaN or infinite\n", r->wrong);
    printf("\n%11s  %8s  %8s  %10s %9s %9s  reading, of %zu tried\n", "explained", "rel. L2",
           "cosine", "differ", "by it", "by first", r->tried);
    for (size_t i = 0; i < r->count && shown < SHOWN; i++) {
        if (i > 0 && r->list[i].differ == 0 && !is_twin(r, i))
            continue; /* changes that undo each other */
        print_line(d, &r->list[i], i == 0);
        shown++;
    }
}

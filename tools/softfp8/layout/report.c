/* SPDX-License-Identifier: MIT */
/* report.c -- what the search found, in words and as JSON */
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
        append(text, layout_axis_name(axis));
        append(text, " ");
        append(text, layout_value_at(axis, d->bits, f->reading.at[axis])->name);
    }
    append(text, text[0] ? "" : "as expected");
    return text;
}

/* What to do about a change; `scales` is their file. */
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

/* Whether a line of the table is the same as the first: as simple, and never different. Whether g
 * is in the scales or was not used is no difference of values, but the first explains more. */
static int is_twin(const layout_result *r, size_t i)
{
    const layout_found *f = &r->list[i];
    int folded = f->reading.at[AXIS_G] == G_FOLDED,
        first = r->list[0].reading.at[AXIS_G] == G_FOLDED;
    return folded == first && i != 0 && f->differ == 0 &&
           f->cost <= (r->list[0].cost ? r->list[0].cost : 1);
}

/* ---- text ------------------------------------------------------------------------------------ */

/* The one near the estimate with which the recipe is exact, if there is one. */
static void print_second_scale(const layout_data *d, const layout_reading *h, double estimate,
                               const sf8_recipe_row *expected)
{
    double exact = (double)layout_exact_g(d, h, expected, (float)estimate);
    if (exact > 0)
        printf("give --g %.9g, with which %s gives every code and scale", exact, expected->name);
    else
        printf("give --g %.4g, an estimate", estimate);
}

/* The --g with which codes times scales would be multiplied by `factor`. */
static void print_g(const layout_data *d, const layout_reading *h, double factor,
                    const sf8_recipe_row *expected)
{
    if (!expected)
        printf("give --g %.4g, the factor for codes times scales (or --recipe NAME and its own g)",
               factor);
    else if (!strstr(expected->properties, "g="))
        printf("multiply codes times scales by %.4g; %s itself has no second scale", factor,
               expected->name);
    else
        print_second_scale(d, h, strstr(expected->properties, "g=encode") ? 1 / factor : factor,
                           expected);
}

int layout_holds(const layout_result *r, const layout_recipes *recipes)
{
    const layout_score *s = &r->list[0].score;
    int by_recipe = recipes->count && recipes->list[0].codes + recipes->list[0].scales == 0;
    return r->explained && r->list[0].cost == 0 && (s->explained == s->counted || by_recipe);
}

static void print_verdict(const layout_data *d, const layout_result *r,
                          const layout_recipes *recipes, const sf8_recipe_row *expected,
                          const char *scales)
{
    const layout_found *first = &r->list[0];
    char text[512];
    if (r->factor != 0) {
        printf("mismatch: the values are about %.4g times what is read; with that factor the best "
               "reading is: %s\n",
               (double)r->factor, layout_label(d, &r->scaled, text));
        printf("  to do: ");
        print_g(d, &r->scaled.reading,
                (double)(r->factor * layout_decode(d, r->scaled.reading.at[AXIS_G])), expected);
        printf("; this explains %llu of %llu elements\n",
               (unsigned long long)r->scaled.score.explained,
               (unsigned long long)r->scaled.score.counted);
        return;
    }
    if (!r->explained) {
        printf("unexplained: no reading explains the data; the closest is: %s\n",
               layout_label(d, first, text));
        return;
    }
    if (first->cost == 0 && layout_holds(r, recipes)) {
        printf("explained: the expected reading is right\n");
        return;
    }
    if (first->cost == 0) {
        printf("mismatch: the expected reading is right for all but %llu elements\n",
               (unsigned long long)(first->score.counted - first->score.explained));
        return;
    }
    for (int axis = 0; axis < AXES; axis++) {
        int v = first->reading.at[axis], plain = first->plain.at[axis];
        if (v == plain)
            continue;
        advise(d, first, axis, scales, text);
        printf("mismatch: %s, and %s\n", layout_value_at(axis, d->bits, v)->found,
               layout_value_at(axis, d->bits, plain)->instead);
        printf("  to do: %s\n", text);
        if (axis == AXIS_G && !expected)
            printf("  without --recipe, codes times scales are multiplied by g\n");
    }
}

static void print_twins(const layout_data *d, const layout_result *r)
{
    char text[512];
    size_t count = 0;
    for (size_t i = 1; i < r->count && r->explained; i++) {
        if (is_twin(r, i))
            printf("%s%s", count++ ? "; " : "this data cannot distinguish it from: ",
                   layout_label(d, &r->list[i], text));
    }
    if (count)
        printf("%s\n", d->rows == 1 ? " (there is one row)" : "");
}

/* What a reader made of the codes was not quantized: that no recipe gives the codes again means
 * nothing then. */
static void print_recipes(const layout_recipes *recipes, int is_read_back)
{
    const layout_recipe *best = &recipes->list[0];
    if (recipes->count == 0 || (is_read_back && best->codes + best->scales > 0))
        return;
    if (best->codes + best->scales == 0) {
        printf("quantized as if by");
        for (size_t i = 0; i < recipes->count; i++) {
            const layout_recipe *r = &recipes->list[i];
            if (r->codes + r->scales == 0)
                printf("%s %s", i ? "," : "", r->name);
        }
        printf(": every code and scale is equal");
    } else {
        printf(
            "quantized by no known recipe; of the nearest, %s, %llu codes and %llu scales differ",
            best->name, (unsigned long long)best->codes, (unsigned long long)best->scales);
    }
    if (recipes->rows < recipes->all)
        printf(" of %zu rows", recipes->rows);
    printf("\n");
}

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

void layout_print(const layout_data *d, const layout_result *r, const layout_recipes *recipes,
                  const sf8_recipe_row *expected, const char *scales)
{
    const layout_found *first = &r->list[0];
    size_t shown = 0;
    print_verdict(d, r, recipes, expected, scales);
    printf("%s: %llu of %llu elements, %.4f %%",
           r->explained     ? "explained"
           : r->factor != 0 ? "explained without that factor"
                            : "explained by the closest",
           (unsigned long long)first->score.explained, (unsigned long long)first->score.counted,
           100 * layout_share(&first->score));
    if (first->cost && r->has_plain)
        printf("; by the expected reading %.4f %%", 100 * layout_share(&r->plain.score));
    else if (!r->has_plain && layout_scale_bytes(d, &first->plain) != d->scales_size)
        printf("; the expected reading needs %zu bytes of scales, not %zu",
               layout_scale_bytes(d, &first->plain), d->scales_size);
    else if (!r->has_plain)
        printf("; the expected reading is impossible for such a matrix");
    printf("\n");
    print_twins(d, r);
    if (r->explained)
        print_recipes(recipes, layout_l2(&first->score) == 0);
    if (r->wrong)
        printf("not counted: %zu values that are NaN or infinite\n", r->wrong);
    printf("\n%11s  %8s  %8s  %10s %9s %9s  reading%s, of %zu tried\n", "explained", "rel. L2",
           "cosine", "differ", "by it", "by first", r->factor != 0 ? " without that factor" : "",
           r->tried);
    for (size_t i = 0; i < r->count && shown < SHOWN; i++, shown++)
        print_line(d, &r->list[i], i == 0);
}

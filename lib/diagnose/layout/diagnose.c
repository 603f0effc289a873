/* SPDX-License-Identifier: MIT */
/* diagnose.c -- sf8_diagnose_layout: how codes and scales must be read, for users, in words */
#include "diagnose/diagnosis.h"
#include "diagnose/layout/layout.h"
#include "diagnose/policy/identify.h"
#include "softfp8_diagnose.h"

#include <stdio.h>
#include <string.h>

enum { TEXT = 512 };

/* What a change or a reading is told of. */
typedef struct telling {
    diagnosis_run *run;
    const layout_data *d;
    const layout_result *r;
    const char *scales; /* their file */
} telling;

/* ---- the words of a reading ------------------------------------------------------------------ */

static void append(char text[TEXT], const char *more)
{
    size_t used = strlen(text);
    snprintf(text + used, TEXT - used, "%s", more);
}

static const char *label_of(const telling *t, const layout_found *f)
{
    char text[TEXT] = "";
    for (int axis = 0; axis < AXES; axis++) {
        if (f->reading.at[axis] == f->plain.at[axis])
            continue;
        append(text, text[0] ? ", " : "");
        if (axis == AXIS_G && f->reading.at[axis] == G_FREE) {
            char factor[48];
            snprintf(factor, sizeof factor, "%s factor of %.4g", t->d->has_g ? "g off by a" : "a",
                     (double)f->reading.factor);
            append(text, factor);
            continue;
        }
        append(text, layout_axis_name(axis));
        append(text, " ");
        append(text, layout_value_at(axis, t->d->bits, f->reading.at[axis])->name);
    }
    return diagnosis_text(t->run, "%s", text[0] ? text : "as expected");
}

/* Whether it is the same as the first: nearly as simple, never different, and no better. */
static int is_twin(const layout_result *r, const layout_found *f)
{
    const layout_found *first = &r->list[0];
    int most = first->cost > 15 ? first->cost : 15;
    return f != first && f->differ == 0 && f->score.explained == first->score.explained &&
           f->cost <= most;
}

/* ---- the global scale ------------------------------------------------------------------------ */

static int has_g(const sf8_recipe_row *recipe)
{
    return recipe && strstr(recipe->properties, "g=") != NULL;
}

/* A factor in words: "g is 16 times too small". */
static const char *factor_words(const telling *t, const layout_found *f)
{
    const layout_data *d = t->d;
    double factor = (double)f->reading.factor;
    if (d->has_g && has_g(d->recipe)) {
        double g = f == t->r->list ? t->r->g : 0;
        double more = g > 0 ? g / (double)d->g : d->rule.divides ? 1 / factor : factor;
        return diagnosis_text(t->run, "g is %.4g times too %s", more > 1 ? more : 1 / more,
                              more > 1 ? "small" : "large");
    }
    return diagnosis_text(t->run, "the values are %.4g times what is read%s", factor,
                          has_g(d->recipe) ? " without g" : "");
}

static const char *factor_advice(const telling *t, const layout_found *f)
{
    const sf8_recipe_row *recipe = t->d->recipe;
    double g = t->r->g, factor = (double)f->reading.factor;
    if (g > 0 && t->r->g_is_exact)
        return diagnosis_text(t->run,
                              "give --global-scale %.9g, with which %s gives every code and scale",
                              g, recipe->name);
    if (g > 0 && recipe)
        return diagnosis_text(t->run,
                              "give --global-scale %.9g, an estimate with which every element is "
                              "explained",
                              g);
    if (g > 0)
        return diagnosis_text(t->run,
                              "give --global-scale %.9g, the factor for codes times scales (or "
                              "--recipe NAME and its own g)",
                              g);
    if (!recipe)
        return diagnosis_text(t->run, "multiply codes times scales by %.4g", factor);
    if (has_g(recipe))
        return "";
    return diagnosis_text(t->run,
                          "multiply codes times scales by %.4g; %s itself has no global scale",
                          factor, recipe->name);
}

/* ---- what overflowed ------------------------------------------------------------------------- */

static const char *overflow_words(const telling *t, const layout_found *f)
{
    layout_meaning m;
    layout_meaning_of(t->d, &f->reading, &m);
    return diagnosis_text(
        t->run, "%llu %s: their values are at least %.6g times their scale",
        (unsigned long long)f->score.beyond,
        layout_value_at(AXIS_OVERFLOW, t->d->bits, f->reading.at[AXIS_OVERFLOW])->found,
        (double)layout_over(&m));
}

/* Saturation is advice only if the largest code explains them all; the recipe's scales only if the
 * codes are right for others. */
static const char *overflow_advice(const telling *t, const layout_found *f)
{
    const layout_recipe *expected = layout_expected(t->d, &t->r->recipes);
    const char *advice =
        layout_value_at(AXIS_OVERFLOW, t->d->bits, f->reading.at[AXIS_OVERFLOW])->advice;
    if (advice[0] && f->score.fits == f->score.beyond)
        return advice;
    if (expected && expected->own_codes == 0 && expected->scales > 0)
        return diagnosis_text(t->run, "compute the scales as %s does", expected->name);
    return "";
}

/* ---- other changes --------------------------------------------------------------------------- */

static const char *advice_of(const telling *t, const layout_found *f, int axis)
{
    const layout_data *d = t->d;
    int value = f->reading.at[axis], plain = f->plain.at[axis];
    const layout_value *is = layout_value_at(axis, d->bits, value);
    size_t stored[2];
    if (axis == AXIS_G && value != G_NONE && t->r->g > 0)
        return diagnosis_text(t->run, "%s: --global-scale %.9g", is->advice, t->r->g);
    if (axis != AXIS_PLACE || value == PLACE_PADDED)
        return is->advice;
    layout_stored(d, &f->reading, stored);
    if (plain == PLACE_4TOKEN && !sf8_layout_fits(SF8_LAYOUT_4TOKEN, stored[0], stored[1]))
        return diagnosis_text(
            t->run, "give --layout %s: such a matrix cannot have the layout 4-token", is->name);
    if (value <= PLACE_4TOKEN)
        return diagnosis_text(
            t->run,
            "softfp8 layout move --from-layout %s --to-layout %s --shape %zu,%zu %s -o moved.bin",
            is->name, layout_value_at(axis, d->bits, plain)->name, stored[0], stored[1],
            t->scales ? t->scales : "FILE");
    if (value == PLACE_WORDS)
        return is->advice;
    return diagnosis_text(t->run, "%s --shape %zu,%zu", is->advice, stored[0], stored[1]);
}

static void tell_change(const telling *t, const layout_found *f, int axis, sf8_layout_change *c)
{
    int value = f->reading.at[axis], is_free = axis == AXIS_G && value == G_FREE;
    int is_proved = f == t->r->list && t->r->verdict == LAYOUT_MISMATCH;
    const layout_value *is = layout_value_at(axis, t->d->bits, value);
    const layout_value *plain = layout_value_at(axis, t->d->bits, f->plain.at[axis]);
    c->axis = layout_axis_name(axis);
    c->is = is->name;
    c->read_as = plain->name;
    c->advice = "";
    if (axis == AXIS_OVERFLOW) {
        c->elements = f->score.beyond;
        c->words = overflow_words(t, f);
    } else if (is_free) {
        c->factor = (double)f->reading.factor;
        c->words = factor_words(t, f);
    } else {
        c->words = diagnosis_text(t->run, "%s, and %s", is->found, plain->instead);
    }
    if (is_proved)
        c->advice = axis == AXIS_OVERFLOW ? overflow_advice(t, f)
                    : is_free             ? factor_advice(t, f)
                                          : advice_of(t, f, axis);
}

static sf8_layout_reading tell_reading(const telling *t, const layout_found *f)
{
    const layout_score *s = &f->score;
    sf8_layout_reading to = {.words = label_of(t, f),
                             .counted = s->counted,
                             .explained = s->explained,
                             .relative_l2 = layout_l2(s),
                             .cosine = layout_cosine(s),
                             .differ = f->differ,
                             .differ_explained = f->by_this,
                             .differ_by_first = f->by_first,
                             .is_twin = is_twin(t->r, f)};
    for (int axis = 0; axis < AXES; axis++)
        if (f->reading.at[axis] != f->plain.at[axis])
            tell_change(t, f, axis, &to.change[to.count++]);
    return to;
}

/* ---- the diagnosis --------------------------------------------------------------------------- */

static void tell_recipes(const telling *t, sf8_layout_diagnosis *to)
{
    const layout_recipes *from = &t->r->recipes;
    const layout_recipe *expected = layout_expected(t->d, from);
    sf8_layout_recipe *list = diagnosis_allocate(t->run, from->count, sizeof *list);
    for (size_t i = 0; i < from->count; i++) {
        const layout_recipe *r = &from->list[i];
        list[i] = (sf8_layout_recipe){r->name, r->codes, r->scales, r->own_codes, r->folded};
    }
    to->recipes = list;
    to->recipe_count = from->count;
    to->expected_recipe = expected ? &list[expected - from->list] : NULL;
    to->rows_compared = from->rows;
    to->all_rows = from->all;
    to->codes_compared = from->elements;
    to->scales_compared = from->scales;
}

static void tell_readings(const telling *t, sf8_layout_diagnosis *to)
{
    const layout_result *r = t->r;
    sf8_layout_reading *list = diagnosis_allocate(t->run, r->count + 1, sizeof *list);
    for (size_t i = 0; i < r->count; i++)
        list[i] = tell_reading(t, &r->list[i]);
    to->list = list;
    to->count = r->count;
    to->expected_size = layout_scale_bytes(t->d, &r->list[0].plain);
    if (!r->has_plain)
        return;
    list[r->count] = tell_reading(t, &r->plain);
    to->expected = &list[r->count];
}

/* A size that there could have been, once: families have blocks of the same size. */
static void append_size(char text[TEXT], const layout_data *d, const layout_reading *h,
                        const char *layout)
{
    size_t sides[2];
    char entry[64];
    layout_sides(d, h, sides);
    if (d->width > 1)
        snprintf(entry, sizeof entry, "%zu (f32 for %zu x %zu)", layout_scale_bytes(d, h), sides[0],
                 sides[1]);
    else
        snprintf(entry, sizeof entry, "%zu (%s of %zu)", layout_scale_bytes(d, h), layout,
                 layout_block(d, h));
    if (strstr(text, entry))
        return;
    append(text, text[0] ? ", " : "");
    append(text, entry);
}

static const char *sizes_of(diagnosis_run *run, layout_data *d, int place)
{
    static const uint8_t places[] = {PLACE_LINEAR, PLACE_128X4, PLACE_8X4, PLACE_4TOKEN};
    char text[TEXT] = "";
    size_t last = d->recipe ? d->width : d->bits == 8 ? 4 : 1;
    for (d->width = d->recipe ? d->width : 1; d->width <= last; d->width += 3) {
        layout_reading list[LAYOUT_FAMILIES];
        size_t count = layout_families(d, place, list);
        for (size_t i = 0; i < count; i++)
            for (int p = 0; p < (d->width > 1 ? 1 : 4); p++) {
                size_t stored[2];
                list[i].at[AXIS_PLACE] = places[p];
                layout_stored(d, &list[i], stored);
                if (sf8_layout_fits((sf8_layout)p, stored[0], stored[1]))
                    append_size(text, d, &list[i], sf8_layout_name((sf8_layout)p));
            }
    }
    return diagnosis_text(run, "%s", text);
}

static void tell(const telling *t, sf8_layout_diagnosis *to)
{
    static const sf8_verdict verdicts[] = {SF8_VERDICT_POLICY, SF8_VERDICT_CHANGED,
                                           SF8_VERDICT_NEAREST, SF8_VERDICT_NEAREST};
    const layout_result *r = t->r;
    to->verdict = verdicts[r->verdict];
    to->is_expected = r->verdict == LAYOUT_EXPECTED;
    to->tried = r->tried;
    to->not_counted = r->wrong;
    to->global_scale = r->g;
    to->is_exact = r->g_is_exact;
    tell_readings(t, to);
    tell_recipes(t, to);
}

/* ---- what came ------------------------------------------------------------------------------- */

static int is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0)
        names++;
    return *names != NULL;
}

int layout_has_recipe(const sf8_recipe_row *row)
{
    static const char *const elements[] = {"e2m1", "e4m3", "e5m2", NULL}, *const bytes[] = {
                                                                              "e4m3", "e8m0", NULL};
    int is_float = strcmp(row->scale, "f32") == 0 && strcmp(row->element, "e2m1") != 0;
    int is_block = row->block == 16 || row->block == 32 || row->block == 64 || row->block == 128 ||
                   (row->block == 0 && strstr(row->properties, "per=token"));
    return is_one_of(row->element, elements) && (is_one_of(row->scale, bytes) || is_float) &&
           is_block;
}

/* The global scale, or 1 times codes times scales. */
static int take_g(layout_data *d, float g)
{
    d->rule = layout_g_rule_of(d->recipe);
    d->has_g = g != 0;
    d->g = g != 0 ? g : layout_g_of(d->rule, 1);
    float inverse = 1 / d->g;
    return g == 0 ||
           ((!d->recipe || has_g(d->recipe)) && g > 0 && g - g == 0 && inverse - inverse == 0);
}

/* Whether a value is a number other than 0. */
static int has_values(const layout_data *d)
{
    for (size_t i = 0; i < d->rows * d->columns; i++)
        if (d->x[i] != 0 && d->x[i] - d->x[i] == 0)
            return 1;
    return 0;
}

/* Whether a scale has to be a byte. */
static int has_bytes(const layout_data *d)
{
    return d->bits == 4 || (d->recipe && strcmp(d->recipe->scale, "f32") != 0);
}

static sf8_status take(layout_data *d, const sf8_layout_results *r)
{
    size_t count = r->columns && r->rows <= SIZE_MAX / r->columns ? r->rows * r->columns : 0;
    for (size_t i = 0; r->recipe && (d->recipe = sf8_recipe_at(i)) != NULL; i++)
        if (strcmp(d->recipe->name, r->recipe) == 0)
            break;
    if (r->recipe && (!d->recipe || !layout_has_recipe(d->recipe)))
        return SF8_UNKNOWN_NAME;
    d->bits = (d->recipe ? strcmp(d->recipe->element, "e2m1") != 0 : r->codes_size == count) ? 8
                                                                                             : 4;
    d->rows = r->rows;
    d->columns = r->columns;
    d->codes = r->codes;
    d->codes_size = r->codes_size;
    d->scales = r->scales;
    d->scales_size = r->scales_size;
    d->x = r->values;
    d->from = r->from;
    if (!identify_same_format(r->from, SF8_F32) && !identify_same_format(r->from, SF8_BF16) &&
        !identify_same_format(r->from, SF8_F16))
        return SF8_BAD_FORMAT;
    if (count == 0 || (d->bits == 4 && (d->columns % 2 != 0 || r->codes_size != count / 2)) ||
        (d->bits == 8 && r->codes_size != count) || r->layout > SF8_LAYOUT_4TOKEN ||
        r->scale_width == 3 || r->scale_width > 4 || (r->scale_width > 1 && has_bytes(d)))
        return SF8_BAD_CALL;
    return take_g(d, r->global_scale) && has_values(d) ? SF8_OK : SF8_BAD_CALL;
}

static sf8_status search(diagnosis_run *run, const void *results, void *diagnosis)
{
    static const uint8_t places[] = {PLACE_LINEAR, PLACE_128X4, PLACE_8X4, PLACE_4TOKEN};
    const sf8_layout_results *r = results;
    sf8_layout_diagnosis *to = diagnosis;
    layout_data d = {.context = &run->context};
    sf8_status status = take(&d, r);
    if (status != SF8_OK)
        return status;
    layout_result found = layout_search(&d, places[r->layout], has_bytes(&d) ? 1 : r->scale_width,
                                        r->is_quick);
    to->bits = d.bits;
    to->is_cut_short = search_is_over(&run->context);
    to->verdict = SF8_VERDICT_NONE;
    to->sizes = "";
    if (found.count)
        tell(&(telling){run, &d, &found, r->scales_file}, to);
    else
        to->sizes = sizes_of(run, &d, places[r->layout]);
    return SF8_OK;
}

sf8_status sf8_diagnose_layout(const sf8_layout_results *results, sf8_layout_diagnosis **diagnosis)
{
    void *d;
    sf8_status status = diagnosis_make(
        diagnosis_limits(results->seconds, results->progress, results->user), search, results,
        sizeof **diagnosis, &d);
    *diagnosis = d;
    return status;
}

void sf8_layout_diagnosis_free(sf8_layout_diagnosis *diagnosis)
{
    diagnosis_free(diagnosis);
}

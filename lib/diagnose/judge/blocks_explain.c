/* SPDX-License-Identifier: MIT */
/* blocks_explain.c -- what explains codes and scales of blocks that nothing excuses */
#include "diagnose/judge/blocks.h"
#include "diagnose/numbers.h"
#include "diagnose/scales/scales.h"

#include <math.h>
#include <string.h>

enum { SAMPLE = 1 << 14, SOME = 3, MANY = 16, READ = 1 << 22 };

/* The k-th block of the sample: those with codes outside, then others. */
static size_t sampled(const blocking *c, size_t k, size_t size, size_t scales)
{
    return k < c->outsides ? c->outside[k]
                           : (size_t)((double)(k - c->outsides) / (double)size * (double)scales);
}

static size_t others(const blocking *c, size_t scales)
{
    size_t most = SAMPLE / (c->high * c->wide) + 1;
    return scales < most ? scales : most;
}

static void place(blocking *c, size_t k, judged_block *b)
{
    double of;
    sf8_block made;
    size_t at = sampled(c, k, others(c, blocks_scales(c)), blocks_scales(c));
    *b = blocks_at(c, at);
    blocks_take(c, b);
    b->right = blocks_scale(c, b, &c->recipe->scale_of, (judge_key)b->taken.variable[SF8_VAR_amax],
                            &made);
    b->scale = c->f->scales && !c->by_right ? c->f->scales[at] : b->right;
    (void)blocks_know(c, b, &of);
    blocks_use(c, b, 0);
}

static int each(judge_trial *t, sf8_policy policy, const judge_change *change, judge_visit visit,
                void *user)
{
    blocking *c = t->user;
    const sf8_recipe *before = c->r.recipe;
    sf8_recipe changed = *before;
    int good = 1;
    changed.element_policy = policy;
    c->r.recipe = &changed;
    for (size_t k = 0; k < c->outsides + others(c, blocks_scales(c)) && good; k++) {
        judged_block b;
        place(c, k, &b);
        for (size_t e = 0; e < b.rows * b.columns && good; e++) {
            size_t i = blocks_index(c, &b, e);
            double x = blocks_value(c, i);
            judge_interval v = judge_interval_of(&c->u, x, i);
            judge_changed(change, &x, &v);
            good = visit(&c->r, x, v, c->f->codes[i], user);
        }
    }
    c->r.recipe = before;
    return good;
}

/* Whether the scales of the sample are those of other values. */
static int scales_hold_for(blocking *c, const judge_change *change)
{
    for (size_t k = 0; k < c->outsides + others(c, blocks_scales(c)); k++) {
        size_t at = sampled(c, k, others(c, blocks_scales(c)), blocks_scales(c));
        judged_block b = blocks_at(c, at);
        sf8_block made;
        sf8_block_begin(&b.taken, c->g);
        for (size_t e = 0; e < b.rows * b.columns; e++) {
            double x = blocks_value(c, blocks_index(c, &b, e));
            judge_interval v = {x, x};
            judge_changed(change, &x, &v);
            sf8_block_take(c->recipe, &b.taken, sf8_f32_bits((float)x), e == 0);
        }
        uint32_t amax = b.taken.variable[SF8_VAR_amax], came = c->f->scales[at];
        if (blocks_scale(c, &b, blocks_program(c, 0), amax, &made) != came &&
            (!blocks_program(c, 1)->count ||
             blocks_scale(c, &b, blocks_program(c, 1), amax, &made) != came))
            return 0;
    }
    return 1;
}

/* ---- scales ---------------------------------------------------------------------------------- */

static void value_of(void *user, size_t index, double ends[2])
{
    const blocking *c = user;
    judge_interval v = judge_interval_of(&c->u, blocks_value(c, index), index);
    ends[0] = v.low;
    ends[1] = v.high;
}

static scales_grid grid_of(blocking *c)
{
    size_t rows = READ / (c->f->columns ? c->f->columns : 1) / c->high * c->high;
    rows = rows == 0 ? c->high : rows;
    return (scales_grid){.recipe = c->recipe,
                         .g = c->g,
                         .rows = rows < c->f->rows ? rows : c->f->rows,
                         .columns = c->f->columns,
                         .high = c->high,
                         .wide = c->wide,
                         .across = c->across,
                         .got = c->f->scales,
                         .value = value_of,
                         .user = c};
}

/* What gives all scales, within the uncertainty. Few that are outside fit many rules. */
static const char *ruled_scales(blocking *c, const sf8_judgement *j, double *factor)
{
    const scales_grid grid = grid_of(c);
    int many = 4 * j->scales.outside >= j->scales.count && j->scales.outside >= SOME;
    *factor = 0;
    return many || j->scales.outside >= MANY ? scales_explained(c->run, &grid, many, factor) : "";
}

/* What explains the scales, in words; or "". */
static const char *explained_scales(blocking *c, const sf8_judgement *j, double *factor)
{
    judge_change change;
    const char *words;
    int is_narrow = sf8_format_bits(c->recipe->scale) <= 8; /* of which a few tell little */
    *factor = 0;
    for (size_t i = 0; (words = judge_values_at(i, &change)) != NULL; i++)
        if ((!is_narrow || j->scales.outside >= SOME) && scales_hold_for(c, &change))
            return j->codes.differ == 0 ? diagnosis_text(c->run, "amax is %s", words)
                                        : judge_values_say(c->run, words, &change);
    words = ruled_scales(c, j, factor);
    if (words[0])
        return words;
    return c->most_ratio - c->least_ratio > 1e-6 * c->most_ratio || !(c->least_ratio > 0) ||
                   fabs(c->most_ratio - 1) < 1e-6 || j->scales.outside < SOME ||
                   (is_narrow && j->scales.outside < j->scales.count)
               ? ""
               : diagnosis_text(c->run, "the scales that are outside are %.7g times the exact ones",
                                c->most_ratio);
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* `factor`: of the scales, or 0. */
static const char *explained_codes(blocking *c, const sf8_judgement *j, double factor)
{
    const judge_change nothing = {.factor = 1, .left = 1}, before = {.factor = factor, .left = 1};
    judge_trial t = {
        .policy = c->recipe->element_policy, .to = c->recipe->element, .each = each, .user = c};
    if (j->codes.outside == 0 && (j->verdict != SF8_JUDGED_ONE_SIDED || j->sides.scales > 0))
        return "";
    c->by_right = j->scales.outside > 0 && j->codes.outside >= MANY;
    int is_right = c->by_right && judge_holds(&t, t.policy, &nothing);
    c->by_right = 0;
    if (factor > 0 && judge_holds(&t, t.policy, &before))
        return "they belong to the scales without this factor";
    return is_right ? "they belong to the scales of the exact values, not to those that are stored"
                    : judge_explain(c->run, &t, j);
}

/* ---- the global scale ------------------------------------------------------------------------ */

/* Of two operations of f32, in elements and in scales. */
#define SLACK 0x1p-20
#define OPEN 1e6 /* times the other end: this one comes of the largest number of f32 */

/* Whether nothing is outside with another global scale. */
static int holds_with(const blocking *c, uint32_t g)
{
    sf8_block_flips f = *c->f;
    sf8_judgement j;
    blocking *other = search_allocate(&c->run->context, 1, sizeof *other);
    memset(&j, 0, sizeof j);
    memcpy(&f.g, &g, sizeof g);
    other->run = c->run;
    other->f = &f;
    int holds = g > 0 && g < SF8_F32_INF && blocks_judge(other, &j, 0) == SF8_OK &&
                j.codes.outside + j.scales.outside == 0;
    search_free(&c->run->context, other);
    return holds;
}

/* Elements and scales are multiplied by the same number if the global scale is another one. So both
 * say by which. 0 if they exclude it, or every element is zero. */
static int find_factors(blocking *c, double ends[2])
{
    const judge_change nothing = {.factor = 1, .left = 1};
    const scales_grid grid = grid_of(c);
    judge_trial t = {
        .policy = c->recipe->element_policy, .to = c->recipe->element, .each = each, .user = c};
    double of_scales[2];
    if (!judge_factors(&t, &nothing, ends))
        return 0;
    scales_factors(c->run, &grid, of_scales);
    ends[0] = fmax(ends[0], of_scales[0]) * (1 - SLACK);
    ends[1] = fmin(ends[1], of_scales[1]) * (1 + SLACK);
    return ends[0] > 0 && ends[0] <= ends[1] && !(ends[0] <= 1 && ends[1] >= 1);
}

/* A factor in words, one that is short if such a number lies in the interval. *number receives it.
 * Where all is saturated, so that the interval has one end only, `known` is that end. */
static const char *factor_text(const blocking *c, double low, double high, double known,
                               double *number)
{
    char text[NUMBER_TEXT];
    if (high > OPEN * low) {
        *number = known == low ? 1.001 * low : high / 1.001;
        return diagnosis_text(c->run, "at %s %.3g", known == low ? "least" : "most", known);
    }
    for (int digits = 1; digits <= 2; digits++) {
        *number = number_of_digits(low, high, digits);
        if (*number >= low && *number <= high)
            return diagnosis_text(c->run, "%g", *number);
    }
    *number = (low + high) / 2;
    return diagnosis_text(c->run, "%s", number_interval(low, high, text));
}

/* What the global scale is, if it is from `low` to `high` times the one that is given. */
static const char *global_between(const blocking *c, double low, double high, double known)
{
    const char *found = "", *words, *text;
    double g = sf8_f32_from_bits(c->g), number;
    uint32_t other;
    for (size_t i = 0; (words = scales_global_at(i, c->g, &other)) != NULL; i++) {
        number = sf8_f32_from_bits(other) / g;
        if (number >= low && number <= high && holds_with(c, other))
            found = diagnosis_text(c->run,
                                   "%s%sthe global scale is %.4g times the one that is given, as "
                                   "if it were %s",
                                   found, found[0] ? "; or " : "", number, words);
    }
    if (found[0])
        return found;
    text = factor_text(c, low, high, known, &number);
    return holds_with(c, sf8_f32_bits((float)(g * number)))
               ? diagnosis_text(c->run, "the global scale is %s times the one that is given", text)
               : "";
}

/* With which global scale nothing is outside, in words; or "". Recipes multiply by it, or divide.
 */
static const char *explained_global(blocking *c, const sf8_judgement *j)
{
    double ends[2], worst = fmax(j->codes.worst.of_allowed, j->scales.worst.of_allowed);
    int is_evident = j->codes.outside + j->scales.outside >= MANY && j->scales.count >= SOME &&
                     (worst > JUDGE_FAR || j->sides.is_one_sided ||
                      4 * j->scales.outside >= j->scales.count);
    if (c->recipe->has_g == SF8_G_NONE || !c->f->scales || !is_evident || !find_factors(c, ends))
        return "";
    const char *words = global_between(c, ends[0], ends[1], ends[0]);
    return words[0] ? words : global_between(c, 1 / ends[1], 1 / ends[0], 1 / ends[0]);
}

/* ---- both ------------------------------------------------------------------------------------ */

const char *blocks_explained(blocking *c, const sf8_judgement *j)
{
    double factor = 0;
    const char *global = explained_global(c, j);
    if (global[0] && j->codes.outside > 0)
        return global; /* another rule of the scales alone would leave the codes outside */
    const char *scales = j->scales.outside ? explained_scales(c, j, &factor) : "";
    const char *codes = explained_codes(c, j, factor);
    if (global[0])
        return scales[0] ? diagnosis_text(c->run, "%s; or %s", scales, global) : global;
    if (j->scales.outside == 0 || strcmp(codes, scales) == 0)
        return codes;
    if (j->codes.outside == 0)
        return scales;
    return diagnosis_text(c->run, "%s; codes: %s", scales[0] ? scales : "scales: unexplained",
                          codes[0] ? codes : "unexplained");
}

/* The factor of all scales, if each is as many times the exact one. Honest noise moves scales with
 * other significands by other amounts. */
double blocks_factor_of_scales(const blocking *c, const sf8_judgement *j)
{
    enum { SIGNIFICANDS = 16 };
    double least = c->least_of_all, most = c->most_of_all;
    return j->scales.differ == j->scales.count && c->significands >= SIGNIFICANDS && least > 0 &&
                   most - least < 1e-6 * most && fabs(most - 1) > 1e-6
               ? most
               : 0;
}

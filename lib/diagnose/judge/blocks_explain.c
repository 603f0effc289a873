/* SPDX-License-Identifier: MIT */
/* blocks_explain.c -- what explains codes and scales of blocks that nothing excuses */
#include "diagnose/judge/blocks.h"
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

/* What gives all scales, within the uncertainty. Few that are outside fit many rules. */
static const char *ruled_scales(blocking *c, const sf8_judgement *j, double *factor)
{
    size_t rows = READ / (c->f->columns ? c->f->columns : 1) / c->high * c->high;
    rows = rows == 0 ? c->high : rows;
    const scales_grid grid = {.recipe = c->recipe,
                              .g = c->g,
                              .rows = rows < c->f->rows ? rows : c->f->rows,
                              .columns = c->f->columns,
                              .high = c->high,
                              .wide = c->wide,
                              .across = c->across,
                              .got = c->f->scales,
                              .value = value_of,
                              .user = c};
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

const char *blocks_explained(blocking *c, const sf8_judgement *j)
{
    double factor = 0;
    const char *scales = j->scales.outside ? explained_scales(c, j, &factor) : "";
    const char *codes = explained_codes(c, j, factor);
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

/* SPDX-License-Identifier: MIT */
/* blocks.c -- sf8_judge_blocks: scales and codes of blocks
 *
 * The largest magnitude of a block, amax, lies between the largest of the least magnitudes of its
 * elements and the largest of the greatest. A scale grows with amax, or falls. So the values of
 * amax that give a scale are an interval, which bisection finds, and the scale is right if it meets
 * the other one. Where a recipe chooses between two scales either is right.
 *
 * The codes are judged by the scale that the kernel stored, whether it is right or not. Some
 * recipes do not divide by the stored scale, but by a number that they compute from amax as well.
 * It may be that of each amax that gives the stored scale. The code of an element then lies between
 * those of the two ends, since it grows with the factor, or falls.
 */
#include "diagnose/judge/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16, SEEN = 1 << 22, SAMPLE = 1 << 14, OUTSIDE = 1 << 8, SOME = 3 };

typedef struct blocking {
    diagnosis_run *run;
    const sf8_block_flips *f;
    judge_uncertain u;
    judge_rounding r;
    judge_key narrow[256];
    sf8_recipe room;
    const sf8_recipe *recipe; /* for the format of the tensor */
    sf8_format tensor;
    uint32_t g;
    size_t high, wide, across; /* rows and columns of a block; blocks in a row */
    int has_factor;            /* that comes of amax */
    int by_right;              /* elements of a sample are judged by the recipe's own scales */
    judge_sides *sides;
    size_t outside[OUTSIDE], outsides; /* blocks with codes outside, the first of them */
    double least_ratio, most_ratio;    /* of scales outside to the exact ones */
    double least_of_all, most_of_all;  /* of all scales that differ */
    double significand;                /* of the exact scale before; so often it was another one: */
    size_t significands;
} blocking;

/* A block that is judged. */
typedef struct judged_block {
    size_t row, column, rows, columns; /* where it lies, and how large it is */
    sf8_block taken;                   /* with all its elements */
    uint32_t scale, right;             /* as it came, and that of the exact values */
    judge_interval amax;
    sf8_block at[2]; /* ready for elements: at the ends of what amax may be */
    sf8_block exact; /* for the exact amax, if that gives the scale */
    int is_known;    /* at[] is filled in */
} judged_block;

/* ---- elements -------------------------------------------------------------------------------- */

static uint64_t block_code(const judge_rounding *r, uint64_t bits, int end)
{
    sf8_block b = r->block[0];
    uint64_t code = sf8_block_code(r->recipe, &b, (uint32_t)bits), other;
    if (!r->has_two)
        return code;
    b = r->block[1];
    other = sf8_block_code(r->recipe, &b, (uint32_t)bits);
    judge_key one = judge_code_key(r, code), two = judge_code_key(r, other);
    return (end ? two > one : two < one) ? other : code;
}

static double value_at(const blocking *c, size_t i)
{
    return judge_value(c->f->from, judge_load(c->f->inputs, i, c->f->from));
}

/* As the recipe reads it. */
static uint32_t word_at(const blocking *c, size_t i)
{
    return (uint32_t)sf8_convert(SF8_F32, c->f->from, judge_load(c->f->inputs, i, c->f->from),
                                 SF8_OCP_NOSAT);
}

static size_t index_of(const blocking *c, const judged_block *b, size_t k)
{
    return (b->row + k / b->columns) * c->f->columns + b->column + k % b->columns;
}

/* ---- scales ---------------------------------------------------------------------------------- */

static uint32_t scale_of(const blocking *c, const judged_block *b, const sf8_program *by,
                         judge_key amax, sf8_block *made)
{
    *made = b->taken;
    made->variable[SF8_VAR_amax] = (uint32_t)amax;
    sf8_block_scale_by(c->recipe, made, by);
    return made->scale;
}

static judge_key scale_key(const blocking *c, uint32_t code)
{
    double value = judge_value(c->recipe->scale, code);
    judge_rounding f64 = {.reach = SF8_F64};
    return isnan(value) ? JUDGE_BEYOND : judge_reach(&f64, value);
}

/* The values of amax from `ends[0]` to `ends[1]` that give the scale: into `ends`. 0 if none do. */
static int amax_of(const blocking *c, const judged_block *b, const sf8_program *by,
                   judge_key ends[2])
{
    sf8_block made;
    judge_key want = scale_key(c, b->scale), found[2];
    judge_key first = scale_key(c, scale_of(c, b, by, ends[0], &made)),
              last = scale_key(c, scale_of(c, b, by, ends[1], &made));
    judge_key sign = first <= last ? 1 : -1;
    if (want == JUDGE_BEYOND || sign * first > sign * want || sign * last < sign * want)
        return 0;
    for (int k = 0; k < 2; k++) { /* the first that reaches it, and the first that exceeds it */
        judge_key low = ends[0], high = ends[1] + 1;
        while (low < high) {
            judge_key middle = judge_middle(low, high);
            judge_key key = scale_key(c, scale_of(c, b, by, middle, &made));
            if (k ? sign * key > sign * want : sign * key >= sign * want)
                high = middle;
            else
                low = middle + 1;
        }
        found[k] = low;
    }
    if (found[0] >= found[1])
        return 0;
    ends[0] = found[0];
    ends[1] = found[1] - 1;
    return 1;
}

static void find_amax(const blocking *c, judged_block *b)
{
    double low = 0, high = 0;
    for (size_t k = 0; k < b->rows * b->columns; k++) {
        size_t i = index_of(c, b, k);
        judge_interval v = judge_interval_of(&c->u, value_at(c, i), i);
        if (isnan(v.low))
            continue; /* it is NaN in all that was computed, or the amax of the others counts */
        double least = v.low <= 0 && v.high >= 0 ? 0 : fmin(fabs(v.low), fabs(v.high));
        low = fmax(low, least);
        high = fmax(high, fmax(fabs(v.low), fabs(v.high)));
    }
    b->amax = (judge_interval){low, high};
}

static const sf8_program *program_at(const blocking *c, int k)
{
    return k == 0 ? &c->recipe->scale_of : &c->recipe->second_of;
}

/* Fills in how elements of the block are rounded. 1 if its scale is excused, and how far amax has
 * to be from the exact one. */
static int know(const blocking *c, judged_block *b, double *of)
{
    judge_rounding f32 = {.reach = SF8_F32};
    judge_key exact = (judge_key)b->taken.variable[SF8_VAR_amax];
    int found = 0;
    *of = INFINITY;
    b->is_known = 1;
    find_amax(c, b);
    judge_key low = judge_reach(&f32, b->amax.low), high = judge_reach(&f32, b->amax.high);
    low = low < exact ? low : exact;
    high = high > exact ? high : exact;
    for (int p = 0; p < 2 && program_at(c, p)->count && exact <= (judge_key)SF8_F32_INF; p++) {
        judge_key ends[2] = {low, high};
        if (!amax_of(c, b, program_at(c, p), ends)) {
            judge_key all[2] = {0, (judge_key)SF8_F32_INF - 1};
            if (!found && amax_of(c, b, program_at(c, p), all)) {
                double x = judge_reached(&f32, exact);
                double away = all[0] > high ? (judge_reached(&f32, all[0]) - x) / (b->amax.high - x)
                                            : (x - judge_reached(&f32, all[1])) / (x - b->amax.low);
                *of = fmin(*of, fmax(away, nextafter(1, 2)));
            }
            continue;
        }
        double x = judge_reached(&f32, exact), away = 0;
        if (ends[0] > exact)
            away = fmin(1, (judge_reached(&f32, ends[0]) - x) / (b->amax.high - x));
        if (ends[1] < exact)
            away = fmin(1, (x - judge_reached(&f32, ends[1])) / (x - b->amax.low));
        if (!found || away < *of) {
            *of = away;
            scale_of(c, b, program_at(c, p), ends[0], &b->at[0]);
            scale_of(c, b, program_at(c, p), ends[1], &b->at[1]);
            scale_of(c, b, program_at(c, p),
                     exact < ends[0]   ? ends[0]
                     : exact > ends[1] ? ends[1]
                                       : exact,
                     &b->exact);
        }
        found = 1;
    }
    if (!found) {
        b->exact = b->taken;
        sf8_block_give_scale(c->recipe, &b->exact, b->scale, 0);
        b->at[0] = b->at[1] = b->exact;
    }
    return found || b->scale == b->right;
}

/* ---- a block --------------------------------------------------------------------------------- */

static void take(const blocking *c, judged_block *b)
{
    sf8_block_begin(&b->taken, c->g);
    for (size_t k = 0; k < b->rows * b->columns; k++)
        sf8_block_take(c->recipe, &b->taken, word_at(c, index_of(c, b, k)), k == 0);
}

static void use(blocking *c, const judged_block *b, int exact)
{
    c->r.has_two = !exact && c->has_factor;
    c->r.block[0] = exact ? b->exact : b->at[0];
    c->r.block[1] = b->at[1];
}

static void remember(blocking *c, size_t block)
{
    if (c->outsides < OUTSIDE && (c->outsides == 0 || c->outside[c->outsides - 1] != block))
        c->outside[c->outsides++] = block;
}

static void note(blocking *c, sf8_judgement *j, const sf8_judged_one *one, int excused,
                 size_t block)
{
    judge_key to = judge_code_key(&c->r, one->got), from = judge_code_key(&c->r, one->right);
    judge_count(&j->codes, one, excused);
    if (!excused)
        remember(c, block);
    if (!excused || to == JUDGE_BEYOND || from == JUDGE_BEYOND)
        return;
    int up = to > from, larger = one->input < 0 ? !up : up;
    j->sides.up += (size_t)up;
    j->sides.down += (size_t)!up;
    j->sides.larger += (size_t)larger;
    j->sides.smaller += (size_t)!larger;
}

static void judge_scale(blocking *c, sf8_judgement *j, const judged_block *b, size_t at,
                        int excused, double of)
{
    judge_rounding f32 = {.reach = SF8_F32};
    sf8_block made;
    sf8_judged_one one = {.index = at,
                          .input = judge_reached(&f32, (judge_key)b->taken.variable[SF8_VAR_amax]),
                          .low = b->amax.low,
                          .high = b->amax.high,
                          .got = b->scale,
                          .right = b->right,
                          .of_allowed = of};
    one.least = scale_of(c, b, program_at(c, 0), judge_reach(&f32, b->amax.low), &made);
    one.most = scale_of(c, b, program_at(c, 0), judge_reach(&f32, b->amax.high), &made);
    judge_count(&j->scales, &one, excused);
    double right = judge_value(c->recipe->scale, b->right);
    double ratio = judge_value(c->recipe->scale, b->scale) / right;
    int exponent;
    double significand = isfinite(right) ? frexp(right, &exponent) : 0;
    ratio = isfinite(ratio) ? ratio : 0; /* no factor */
    c->significands += fabs(significand - c->significand) > 1e-3;
    c->significand = significand;
    c->least_of_all = fmin(c->least_of_all, ratio);
    c->most_of_all = fmax(c->most_of_all, ratio);
    if (!excused) {
        remember(c, at);
        c->least_ratio = fmin(c->least_ratio, ratio);
        c->most_ratio = fmax(c->most_ratio, ratio);
    }
}

/* `want` are the codes of the block's rows by the exact values, `sees` whether all codes count for
 * the sides of flips. */
static void judge_block(blocking *c, sf8_judgement *j, judged_block *b, size_t at,
                        const uint8_t *want, int sees)
{
    double of = 0;
    int differs = b->scale != b->right, excused = 1;
    if (differs || sees) {
        take(c, b);
        excused = know(c, b, &of);
        if (differs)
            judge_scale(c, j, b, at, excused, of);
    }
    judge_rounding f32 = {.reach = SF8_F32};
    double largest = sees ? judge_reached(&f32, (judge_key)b->taken.variable[SF8_VAR_amax]) : 0;
    for (size_t k = 0; k < b->rows * b->columns; k++) {
        size_t i = index_of(c, b, k);
        sf8_judged_one one;
        uint64_t got = c->f->codes[i],
                 right = want[k / b->columns * c->f->columns + k % b->columns];
        if (differs) { /* the code of the exact value under this scale */
            use(c, b, 1);
            right = block_code(&c->r, word_at(c, i), 0);
        }
        if (got != right) {
            if (!b->is_known) {
                take(c, b);
                (void)know(c, b, &of);
            }
            use(c, b, 0);
            double x = value_at(c, i);
            int good = judge_element(&c->r, x, judge_interval_of(&c->u, x, i), got, right, &one);
            one.index = i;
            note(c, j, &one, good, at);
        }
        if (sees && excused) {
            double x = value_at(c, i);
            use(c, b, 1);
            /* The largest element lies where the scale puts it, and moves with it. */
            if (fabs(x) < largest)
                judge_sides_see(c->sides, &c->r, x, judge_interval_of(&c->u, x, i), got);
        }
    }
}

/* Places the block that has the scale `at`. */
static judged_block block_at(const blocking *c, size_t at)
{
    judged_block b;
    memset(&b, 0, sizeof b);
    b.row = at / c->across * c->high;
    b.column = at % c->across * c->wide;
    b.rows = c->f->rows - b.row < c->high ? c->f->rows - b.row : c->high;
    b.columns = c->f->columns - b.column < c->wide ? c->f->columns - b.column : c->wide;
    return b;
}

/* ---- an explanation -------------------------------------------------------------------------- */

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

static size_t scales_of(const blocking *c)
{
    return sf8_recipe_scale_rows(c->f->recipe, c->f->rows) * c->across;
}

static void place(blocking *c, size_t k, judged_block *b)
{
    double of;
    sf8_block made;
    size_t at = sampled(c, k, others(c, scales_of(c)), scales_of(c));
    *b = block_at(c, at);
    take(c, b);
    b->right = scale_of(c, b, &c->recipe->scale_of, (judge_key)b->taken.variable[SF8_VAR_amax],
                        &made);
    b->scale = c->f->scales && !c->by_right ? c->f->scales[at] : b->right;
    (void)know(c, b, &of);
    use(c, b, 0);
}

static int holds(judge_trial *t, sf8_policy policy, const judge_change *change)
{
    blocking *c = t->user;
    const sf8_recipe *before = c->r.recipe;
    sf8_recipe changed = *before;
    int good = 1;
    changed.element_policy = policy;
    c->r.recipe = &changed;
    for (size_t k = 0; k < c->outsides + others(c, scales_of(c)) && good; k++) {
        judged_block b;
        sf8_judged_one one;
        place(c, k, &b);
        for (size_t e = 0; e < b.rows * b.columns && good; e++) {
            size_t i = index_of(c, &b, e);
            double x = value_at(c, i);
            judge_interval v = judge_interval_of(&c->u, x, i);
            judge_changed(change, &x, &v);
            good = judge_element(&c->r, x, v, c->f->codes[i], 0, &one);
        }
    }
    c->r.recipe = before;
    return good;
}

static int narrow(judge_trial *t, const judge_change *change, double factors[2])
{
    blocking *c = t->user;
    int good = 1;
    for (size_t k = 0; k < c->outsides + others(c, scales_of(c)) && good; k++) {
        judged_block b;
        place(c, k, &b);
        for (size_t e = 0; e < b.rows * b.columns && good; e++) {
            size_t i = index_of(c, &b, e);
            double x = value_at(c, i);
            judge_interval v = judge_interval_of(&c->u, x, i);
            judge_changed(change, &x, &v);
            good = judge_narrow_factors(&c->r, v, c->f->codes[i], factors);
        }
    }
    return good;
}

/* Whether the scales of the sample are those of other values. */
static int scales_hold(blocking *c, const judge_change *change)
{
    for (size_t k = 0; k < c->outsides + others(c, scales_of(c)); k++) {
        size_t at = sampled(c, k, others(c, scales_of(c)), scales_of(c));
        judged_block b = block_at(c, at);
        sf8_block made;
        sf8_block_begin(&b.taken, c->g);
        for (size_t e = 0; e < b.rows * b.columns; e++) {
            double x = value_at(c, index_of(c, &b, e));
            judge_interval v = {x, x};
            judge_changed(change, &x, &v);
            sf8_block_take(c->recipe, &b.taken, sf8_f32_bits((float)x), e == 0);
        }
        uint32_t amax = b.taken.variable[SF8_VAR_amax], came = c->f->scales[at];
        if (scale_of(c, &b, program_at(c, 0), amax, &made) != came &&
            (!program_at(c, 1)->count || scale_of(c, &b, program_at(c, 1), amax, &made) != came))
            return 0;
    }
    return 1;
}

/* What explains the scales, in words; or "". */
static const char *explained_scales(blocking *c, const sf8_judgement *j)
{
    judge_change change;
    const char *words;
    int is_narrow = sf8_format_bits(c->recipe->scale) <= 8; /* of which a few tell little */
    for (size_t i = 0; (words = judge_values_at(i, &change)) != NULL; i++)
        if ((!is_narrow || j->scales.outside >= SOME) && scales_hold(c, &change))
            return diagnosis_text(c->run, "%s %s",
                                  j->codes.differ == 0 ? "amax is" : "the values are", words);
    return c->most_ratio - c->least_ratio > 1e-6 * c->most_ratio || !(c->least_ratio > 0) ||
                   j->scales.outside < SOME || (is_narrow && j->scales.outside < j->scales.count)
               ? ""
               : diagnosis_text(c->run, "the scales that are outside are %.7g times the exact ones",
                                c->most_ratio);
}

static const char *explained_codes(blocking *c, const sf8_judgement *j)
{
    const judge_change nothing = {.factor = 1, .left = 1};
    judge_trial t = {.policy = c->recipe->element_policy,
                     .to = c->recipe->element,
                     .holds = holds,
                     .narrow = narrow,
                     .user = c};
    if (j->codes.outside == 0 && (j->verdict != SF8_JUDGED_ONE_SIDED || j->sides.scales > 0))
        return "";
    c->by_right = j->scales.outside > 0;
    int is_right = c->by_right && holds(&t, t.policy, &nothing);
    c->by_right = 0;
    return is_right ? "they belong to the scales of the exact values, not to those that are stored"
                    : judge_explain(c->run, &t, j);
}

static const char *explained(blocking *c, const sf8_judgement *j)
{
    const char *codes = explained_codes(c, j);
    const char *scales = j->scales.outside ? explained_scales(c, j) : "";
    if (j->scales.outside == 0 || strcmp(codes, scales) == 0)
        return codes;
    return diagnosis_text(c->run, "%s%s%s%s", scales, scales[0] && codes[0] ? "; " : "",
                          codes[0] ? "codes: " : "", codes);
}

/* The factor of all scales, if each is as many times the exact one. Honest noise moves scales with
 * other significands by other amounts. */
static double factor_of_scales(const blocking *c, const sf8_judgement *j)
{
    enum { SIGNIFICANDS = 16 };
    double least = c->least_of_all, most = c->most_of_all;
    return j->scales.differ == j->scales.count && c->significands >= SIGNIFICANDS && least > 0 &&
                   most - least < 1e-6 * most && fabs(most - 1) > 1e-6
               ? most
               : 0;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static int reads(const sf8_program *p, const uint32_t *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (sf8_program_reads(p, list[i]) >= 0)
            return 1;
    return 0;
}

static sf8_status begin(blocking *c)
{
    static const uint32_t others_read[] = {SF8_VAR_peak, SF8_VAR_low, SF8_VAR_high, SF8_VAR_o},
                          amax[] = {SF8_VAR_amax};
    const sf8_block_flips *f = c->f;
    const sf8_recipe *r = f->recipe;
    int bits = sf8_format_bits(f->from);
    sf8_status status;
    if (!r || (f->rows * f->columns > 0 && (!f->inputs || !f->codes)) ||
        r->offset_at != SF8_OFFSET_NONE || r->element_policy.round == SF8_SR)
        return SF8_BAD_CALL;
    if (bits != 16 && bits != 32 && bits != 64)
        return SF8_BAD_FORMAT;
    status = judge_uncertain_read(f->uncertainty, &c->u);
    if (status != SF8_OK)
        return status;
    for (size_t i = 0; f->uncertainty->absolute && i < f->rows * f->columns; i++)
        if (!(f->uncertainty->absolute[i] >= 0))
            return SF8_BAD_CALL;
    c->tensor = bits == 64 ? SF8_F32 : f->from;
    c->recipe = sf8_recipe_for(r, c->tensor, &c->room);
    memcpy(&c->g, &f->g, sizeof f->g);
    c->high = r->rows > 1 ? (size_t)r->rows : 1;
    c->wide = r->block ? (size_t)r->block : f->columns;
    c->across = sf8_recipe_blocks(r, f->columns);
    c->has_factor = reads(&r->factor_of, amax, 1) || reads(&r->element_of, amax, 1);
    c->least_ratio = c->least_of_all = INFINITY;
    if (reads(&r->scale_of, others_read, 4) || reads(&r->second_of, others_read, 4) ||
        reads(&r->factor_of, others_read, 4) || reads(&r->element_of, others_read, 4))
        return SF8_BAD_CALL;
    c->r = (judge_rounding){.reach = SF8_F32,
                            .code_of = block_code,
                            .to = r->element,
                            .bits = (int)sf8_recipe_bits(r),
                            .is_integer = r->integer ? 1 + (r->is_signed != 0) : 0,
                            .recipe = c->recipe};
    sf8_policy ends[2];
    if (!r->integer && !judge_policies(r->element_policy, r->element, ends))
        return SF8_BAD_CALL;
    for (size_t i = 0; i < f->rows * f->columns; i++)
        if (f->codes[i] >> c->r.bits)
            return SF8_BAD_CALL;
    judge_keys_of_codes(&c->r, c->narrow);
    return SF8_OK;
}

/* Codes and scales of some rows by the exact values. */
static sf8_status quantize(const blocking *c, uint8_t *codes, uint32_t *scales, uint32_t *words,
                           size_t row, size_t rows)
{
    const sf8_block_flips *f = c->f;
    size_t bytes = (size_t)sf8_format_bits(f->from) / 8;
    const void *src = (const unsigned char *)f->inputs + row * f->columns * bytes;
    if (bytes == 8) {
        sf8_status status = sf8_convert_n(SF8_F32, words, SF8_F64, src, rows * f->columns,
                                          SF8_OCP_NOSAT);
        if (status != SF8_OK)
            return status;
        src = words;
    }
    return sf8_quantize_n(f->recipe, codes, scales, NULL, c->tensor, src, rows, f->columns, f->g);
}

static void judge_rows(blocking *c, sf8_judgement *j, const uint8_t *want, const uint32_t *scales,
                       size_t row, size_t rows, int sees)
{
    size_t first = row / c->high * c->across, count = (rows + c->high - 1) / c->high * c->across;
    size_t begin_code = row * c->f->columns, columns = c->f->columns;
    if (!sees && memcmp(want, c->f->codes + begin_code, rows * columns) == 0 &&
        (!c->f->scales || memcmp(scales, c->f->scales + first, count * sizeof *scales) == 0))
        return;
    for (size_t k = 0; k < count; k++) {
        judged_block b = block_at(c, first + k);
        b.right = scales[k];
        b.scale = c->f->scales ? c->f->scales[first + k] : b.right;
        judge_block(c, j, &b, first + k, want + (b.row - row) * columns + b.column, sees);
    }
}

static sf8_status judge(diagnosis_run *run, const void *results, void *made)
{
    blocking *c = search_allocate(&run->context, 1, sizeof *c);
    sf8_judgement *j = made;
    c->run = run;
    c->f = results;
    sf8_status status = begin(c);
    if (status != SF8_OK)
        return status;
    size_t rows = c->f->rows, columns = c->f->columns;
    size_t piece = PIECE / (columns ? columns : 1) / c->high * c->high;
    piece = piece ? piece : c->high;
    size_t pieces = columns ? (rows + piece - 1) / piece : 0;
    size_t step = rows * columns / SEEN + 1;
    uint8_t *want = search_allocate(&run->context, piece, columns);
    uint32_t *scales = search_allocate(&run->context, piece / c->high * c->across, sizeof *scales);
    uint32_t *words = search_allocate(
        &run->context, sf8_format_bits(c->f->from) == 64 ? piece * columns : 0, sizeof *words);
    c->sides = judge_sides_begin(run);
    j->codes.count = rows * columns;
    j->scales.count = c->f->scales ? scales_of(c) : 0;
    for (size_t p = 0; p < pieces; p++) {
        size_t row = p * piece, n = rows - row < piece ? rows - row : piece;
        status = quantize(c, want, scales, words, row, n);
        if (status != SF8_OK)
            return status;
        judge_rows(c, j, want, scales, row, n, p % step == 0);
    }
    judge_sides_end(c->sides, &j->sides);
    j->sides.scales = factor_of_scales(c, j);
    j->sides.is_one_sided |= j->sides.scales > 0;
    judge_decide(j);
    j->mistake = j->verdict > SF8_JUDGED_EXCUSED ? explained(c, j) : "";
    judge_said said = {
        .rounding = &c->r,
        .expected = diagnosis_text(run, "recipe %s",
                                   c->f->recipe_name ? c->f->recipe_name : "without a name"),
        .scale = c->recipe->scale,
        .uncertainty = c->f->uncertainty,
        .shape = &c->f->rows,
        .scale_columns = c->across};
    judge_say(run, &said, j);
    return SF8_OK;
}

sf8_status sf8_judge_blocks(const sf8_block_flips *flips, sf8_judgement **judgement)
{
    void *made;
    sf8_status status = diagnosis_make(diagnosis_limits(0, NULL, NULL), judge, flips,
                                       sizeof **judgement, &made);
    *judgement = made;
    return status;
}

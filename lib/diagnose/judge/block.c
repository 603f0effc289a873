/* SPDX-License-Identifier: MIT */
/* block.c -- a block that is judged: its scale, and how its elements are rounded */
#include "diagnose/judge/blocks.h"

#include <math.h>
#include <string.h>

/* ---- elements -------------------------------------------------------------------------------- */

uint64_t blocks_code(const judge_rounding *r, uint64_t bits, int end)
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

double blocks_value(const blocking *c, size_t i)
{
    return judge_value(c->f->from, judge_load(c->f->inputs, i, c->f->from));
}

/* As the recipe reads it. */
uint32_t blocks_word(const blocking *c, size_t i)
{
    return (uint32_t)sf8_convert(SF8_F32, c->f->from, judge_load(c->f->inputs, i, c->f->from),
                                 SF8_OCP_NOSAT);
}

size_t blocks_index(const blocking *c, const judged_block *b, size_t k)
{
    return (b->row + k / b->columns) * c->f->columns + b->column + k % b->columns;
}

/* ---- scales ---------------------------------------------------------------------------------- */

uint32_t blocks_scale(const blocking *c, const judged_block *b, const sf8_program *by,
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
    judge_key first = scale_key(c, blocks_scale(c, b, by, ends[0], &made)),
              last = scale_key(c, blocks_scale(c, b, by, ends[1], &made));
    judge_key sign = first <= last ? 1 : -1;
    if (want == JUDGE_BEYOND || sign * first > sign * want || sign * last < sign * want)
        return 0;
    for (int k = 0; k < 2; k++) { /* the first that reaches it, and the first that exceeds it */
        judge_key low = ends[0], high = ends[1] + 1;
        while (low < high) {
            judge_key middle = judge_middle(low, high);
            judge_key key = scale_key(c, blocks_scale(c, b, by, middle, &made));
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
        size_t i = blocks_index(c, b, k);
        judge_interval v = judge_interval_of(&c->u, blocks_value(c, i), i);
        if (isnan(v.low))
            continue; /* it is NaN in all that was computed, or the amax of the others counts */
        double least = v.low <= 0 && v.high >= 0 ? 0 : fmin(fabs(v.low), fabs(v.high));
        low = fmax(low, least);
        high = fmax(high, fmax(fabs(v.low), fabs(v.high)));
    }
    b->amax = (judge_interval){low, high};
}

const sf8_program *blocks_program(const blocking *c, int k)
{
    return k == 0 ? &c->recipe->scale_of : &c->recipe->second_of;
}

/* Fills in how elements of the block are rounded. 1 if its scale is excused, and how far amax has
 * to be from the exact one. */
int blocks_know(const blocking *c, judged_block *b, double *of)
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
    for (int p = 0; p < 2 && blocks_program(c, p)->count && exact <= (judge_key)SF8_F32_INF; p++) {
        judge_key ends[2] = {low, high};
        if (!amax_of(c, b, blocks_program(c, p), ends)) {
            judge_key all[2] = {0, (judge_key)SF8_F32_INF - 1};
            if (!found && amax_of(c, b, blocks_program(c, p), all)) {
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
            blocks_scale(c, b, blocks_program(c, p), ends[0], &b->at[0]);
            blocks_scale(c, b, blocks_program(c, p), ends[1], &b->at[1]);
            blocks_scale(c, b, blocks_program(c, p),
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

void blocks_take(const blocking *c, judged_block *b)
{
    sf8_block_begin(&b->taken, c->g);
    for (size_t k = 0; k < b->rows * b->columns; k++)
        sf8_block_take(c->recipe, &b->taken, blocks_word(c, blocks_index(c, b, k)), k == 0);
}

void blocks_use(blocking *c, const judged_block *b, int exact)
{
    c->r.has_two = !exact && c->has_factor;
    c->r.block[0] = exact ? b->exact : b->at[0];
    c->r.block[1] = b->at[1];
}
/* Places the block that has the scale `at`. */
judged_block blocks_at(const blocking *c, size_t at)
{
    judged_block b;
    memset(&b, 0, sizeof b);
    b.row = at / c->across * c->high;
    b.column = at % c->across * c->wide;
    b.rows = c->f->rows - b.row < c->high ? c->f->rows - b.row : c->high;
    b.columns = c->f->columns - b.column < c->wide ? c->f->columns - b.column : c->wide;
    return b;
}

size_t blocks_scales(const blocking *c)
{
    return sf8_recipe_scale_rows(c->f->recipe, c->f->rows) * c->across;
}

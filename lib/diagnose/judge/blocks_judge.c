/* SPDX-License-Identifier: MIT */
/* blocks_judge.c -- judges the scales and the codes of all blocks */
#include "diagnose/judge/blocks.h"

#include <math.h>
#include <string.h>

enum { PIECE = 1 << 16, SEEN = 1 << 22 };

static void remember(blocking *c, size_t block)
{
    if (c->outsides < BLOCKS_OUTSIDE && (c->outsides == 0 || c->outside[c->outsides - 1] != block))
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
    one.least = blocks_scale(c, b, blocks_program(c, 0), judge_reach(&f32, b->amax.low), &made);
    one.most = blocks_scale(c, b, blocks_program(c, 0), judge_reach(&f32, b->amax.high), &made);
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
        blocks_take(c, b);
        excused = blocks_know(c, b, &of);
        if (differs)
            judge_scale(c, j, b, at, excused, of);
    }
    judge_rounding f32 = {.reach = SF8_F32};
    double largest = sees ? judge_reached(&f32, (judge_key)b->taken.variable[SF8_VAR_amax]) : 0;
    for (size_t k = 0; k < b->rows * b->columns; k++) {
        size_t i = blocks_index(c, b, k);
        sf8_judged_one one;
        uint64_t got = c->f->codes[i],
                 right = want[k / b->columns * c->f->columns + k % b->columns];
        if (differs) { /* the code of the exact value under this scale */
            blocks_use(c, b, 1);
            right = blocks_code(&c->r, blocks_word(c, i), 0);
        }
        if (got != right) {
            if (!b->is_known) {
                blocks_take(c, b);
                (void)blocks_know(c, b, &of);
            }
            blocks_use(c, b, 0);
            double x = blocks_value(c, i);
            int good = judge_element(&c->r, x, judge_interval_of(&c->u, x, i), got, right, &one);
            one.index = i;
            note(c, j, &one, good, at);
        }
        if (sees && excused) {
            double x = blocks_value(c, i);
            blocks_use(c, b, 1);
            /* The largest element lies where the scale puts it, and moves with it. */
            if (fabs(x) < largest)
                judge_sides_see(c->sides, &c->r, x, judge_interval_of(&c->u, x, i), got);
        }
    }
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
                            .code_of = blocks_code,
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
        judged_block b = blocks_at(c, first + k);
        b.right = scales[k];
        b.scale = c->f->scales ? c->f->scales[first + k] : b.right;
        judge_block(c, j, &b, first + k, want + (b.row - row) * columns + b.column, sees);
    }
}

sf8_status blocks_judge(blocking *c, sf8_judgement *j, int sees)
{
    diagnosis_run *run = c->run;
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
    c->sides = sees ? judge_sides_begin(run) : NULL;
    j->codes.count = rows * columns;
    j->scales.count = c->f->scales ? blocks_scales(c) : 0;
    for (size_t p = 0; p < pieces; p++) {
        size_t row = p * piece, n = rows - row < piece ? rows - row : piece;
        status = quantize(c, want, scales, words, row, n);
        if (status != SF8_OK)
            return status;
        judge_rows(c, j, want, scales, row, n, sees && p % step == 0);
    }
    return SF8_OK;
}

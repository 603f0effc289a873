/* SPDX-License-Identifier: MIT */
/* quantizer.c -- other scales, and other codes, of a stage that is right
 *
 * Codes are compared first, since they tell whether the stage is right: by the scales that came, by
 * those of the recipe, by these before they are rounded, by multiples, and with another rounding.
 * Nearly all of these fail at the first elements. Then the scales: those of a result of an earlier
 * step, or by another rule.
 */
#include "diagnose/policy/identify.h"
#include "diagnose/scales/scales.h"
#include "diagnose/stages/fused.h"

#include <string.h>

typedef struct quantizing {
    fused_search *s;
    const fused_try *t;
    const fused_part *p;
    const sf8_recipe *recipe; /* for the format of the tensor */
    sf8_recipe room, by;      /* by: with scales of f32 */
    uint32_t g;
    size_t blocks;
} quantizing;

/* The fields of a policy that a cast has otherwise; their words are those of the table of causes.
 */
static const char *const roundings[][2] = {{"round", "rz"},     {"round", "rne"}, {"round", "rna"},
                                           {"round", "rnz"},    {"via", "f16"},   {"via", "bf16"},
                                           {"flush", "outputs"}};

enum { ROUNDINGS = sizeof roundings / sizeof roundings[0] };

/* The policy of elements with the k-th of them; 0 if that is the recipe's. */
static int round_elements(sf8_recipe *r, size_t k)
{
    sf8_policy before = r->element_policy;
    sf8_policy_set(&r->element_policy, roundings[k][0], roundings[k][1]);
    return !identify_same_policy(r->element_policy, before);
}

/* ---- codes by a scale ------------------------------------------------------------------------ */

enum { BY_GOT, BY_FACTOR, BY_INVERSE, BY_ONE, BY_SQUARE, BY_UNROUNDED };

static uint32_t value_of_scale(const quantizing *q, uint32_t code)
{
    return (uint32_t)sf8_convert(SF8_F32, q->recipe->scale, code, SF8_OCP_NOSAT);
}

static uint32_t other_scale(const quantizing *q, int how, uint32_t factor, uint32_t code)
{
    uint32_t one = 0x3f800000u, value = value_of_scale(q, code);
    return how == BY_FACTOR    ? sf8_f32_mul(value, factor)
           : how == BY_INVERSE ? sf8_f32_div(one, value)
           : how == BY_SQUARE  ? sf8_f32_mul(value, value)
                               : one;
}

/* Fills in a block: its largest magnitude, and how its elements are rounded. */
static void know(const quantizing *q, size_t at, int how, uint32_t factor, sf8_block *b)
{
    const fused_search *s = q->s;
    size_t row = at / s->across * s->high, column = at % s->across * s->wide;
    const sf8_recipe *r = how == BY_GOT ? q->recipe : &q->by;
    sf8_block_begin(b, q->g);
    for (size_t i = row; i < row + s->high && i < q->p->rows; i++)
        for (size_t j = column; j < column + s->wide && j < s->width; j++)
            sf8_block_take(r, b, s->y[i * s->width + j], i == row && j == column);
    uint32_t code = q->p->scales ? q->p->scales[at] : s->scales[at];
    if (how == BY_GOT)
        sf8_block_give_scale(r, b, code, 0);
    else if (how == BY_UNROUNDED)
        sf8_block_scale(r, b);
    else
        sf8_block_give_scale(r, b, other_scale(q, how, factor, code), 0);
}

/* Whether all codes are those by such a scale, with the elements rounded by a recipe. */
static int codes_hold_by(const quantizing *q, const sf8_recipe *r, int how, uint32_t factor)
{
    const fused_search *s = q->s;
    for (size_t at = 0; at < q->blocks; at++) {
        size_t row = at / s->across * s->high, column = at % s->across * s->wide;
        sf8_block b;
        know(q, at, how, factor, &b);
        for (size_t i = row; i < row + s->high && i < q->p->rows; i++)
            for (size_t j = column; j < column + s->wide && j < s->width; j++)
                if (sf8_block_code(r, &b, s->y[i * s->width + j]) != q->p->codes[i * s->width + j])
                    return 0;
    }
    return 1;
}

static int codes_hold(const quantizing *q, int how, uint32_t factor)
{
    return codes_hold_by(q, how == BY_GOT ? q->recipe : &q->by, how, factor);
}

/* How a kernel rounds elements by the scales that came, in words; or NULL. One code that differs
 * often fits several. */
static const char *explained_rounding(const quantizing *q)
{
    const char *words = NULL;
    for (size_t k = 0; k < ROUNDINGS && !q->recipe->integer; k++) {
        sf8_recipe r = *q->recipe;
        const identify_cause *cause = identify_cause_of(roundings[k][0], roundings[k][1]);
        if (!round_elements(&r, k) || !codes_hold_by(q, &r, BY_GOT, 0))
            continue;
        words = words ? diagnosis_text(q->s->run, "%s, or %s", words, cause->words)
                      : diagnosis_text(q->s->run, "its cast: %s", cause->words);
    }
    return words;
}

/* Factors that come of a constant: of e4m3, e2m1, int8 and others. */
static const struct {
    float factor;
    const char *text;
} factors[] = {{2, "2"},
               {0.5F, "1/2"},
               {4, "4"},
               {0.25F, "1/4"},
               {448, "448"},
               {1 / 448.0F, "1/448"},
               {6, "6"},
               {1 / 6.0F, "1/6"},
               {2688, "2688"},
               {1 / 2688.0F, "1/2688"},
               {127, "127"},
               {1 / 127.0F, "1/127"},
               {127 / 128.0F, "127/128"},
               {128 / 127.0F, "128/127"},
               {240 / 448.0F, "240/448"},
               {448 / 240.0F, "448/240"},
               {1.004F, "1.004"},
               {0.996F, "0.996"}};

enum { FACTORS = sizeof factors / sizeof factors[0] };

/* What the codes belong to, in words; NULL if it is not found. They are not those by the scales
 * that came. */
static const char *explained_codes(const quantizing *q)
{
    diagnosis_run *run = q->s->run;
    if (q->t->codes == 0)
        return "its codes belong to the scales of the recipe, not to those that it stores";
    for (size_t i = 0; i < FACTORS; i++)
        if (codes_hold(q, BY_FACTOR, sf8_f32_bits(factors[i].factor)))
            return diagnosis_text(run, "its codes are those by %s times the scales that it stores",
                                  factors[i].text);
    if (codes_hold(q, BY_UNROUNDED, 0))
        return "its codes belong to the scales before they are rounded to their format";
    if (codes_hold(q, BY_INVERSE, 0))
        return "its codes are those by the inverse of the scales that it stores";
    if (codes_hold(q, BY_ONE, 0))
        return "its codes are those without a scale";
    if (codes_hold(q, BY_SQUARE, 0))
        return "its codes have the scale twice";
    return q->t->scales == 0 || q->s->casts ? explained_rounding(q) : NULL;
}

/* ---- scales ---------------------------------------------------------------------------------- */

static void value_at(void *user, size_t index, double ends[2])
{
    ends[0] = ends[1] = sf8_f32_from_bits(((const uint32_t *)user)[index]);
}

static scales_grid grid_of(const quantizing *q, uint32_t *values)
{
    const fused_search *s = q->s;
    return (scales_grid){.recipe = q->recipe,
                         .g = q->g,
                         .rows = q->p->rows,
                         .columns = s->width,
                         .high = s->high,
                         .wide = s->wide,
                         .across = s->across,
                         .got = q->p->scales,
                         .value = value_at,
                         .user = values};
}

static int scales_of(const quantizing *q, const uint32_t *values)
{
    const fused_search *s = q->s;
    uint32_t *scales = search_allocate(&s->run->context, q->blocks, sizeof *scales);
    int same = sf8_quantize_n(q->recipe, s->codes, scales, NULL, SF8_F32, values, q->p->rows,
                              s->width, s->f->g) == SF8_OK &&
               memcmp(scales, q->p->scales, q->blocks * sizeof *scales) == 0;
    search_free(&s->run->context, scales);
    return same;
}

static const char *kind_of(const sf8_stage_step *s)
{
#define KIND_NAME(id, name) name,
    static const char *const names[] = {SF8_STEP_KINDS(KIND_NAME)};
#undef KIND_NAME
    return names[s->kind];
}

static int is_twice_as_wide(const sf8_stage_step *s)
{
    return s->gate >= SF8_GATE_FIRST && s->gate <= SF8_GATE_ODD;
}

/* Parts of a row from which a gate makes one: its halves or each second element, as the magnitudes
 * of one part, or the larger ones of both. */
enum { GATE, UP, BOTH, PARTS };

static void take_part(const quantizing *q, const sf8_stage_step *s, int part)
{
    size_t width = q->s->width;
    int is_woven = s->gate == SF8_GATE_EVEN || s->gate == SF8_GATE_ODD;
    int is_second = s->gate == SF8_GATE_SECOND || s->gate == SF8_GATE_ODD;
    for (size_t row = 0; row < q->p->rows; row++)
        for (size_t i = 0; i < width; i++) {
            const uint32_t *x = q->s->before + row * 2 * width;
            uint32_t first = x[is_woven ? 2 * i : i] & 0x7fffffffu,
                     second = x[is_woven ? 2 * i + 1 : width + i] & 0x7fffffffu;
            uint32_t gate = is_second ? second : first, up = is_second ? first : second;
            q->s->lower[row * width + i] = part == GATE ? gate
                                           : part == UP ? up
                                           : gate > up  ? gate
                                                        : up;
        }
}

/* The scales of what was computed before a step, in words; or NULL. */
static const char *scales_before(const quantizing *q)
{
    static const char *const parts[PARTS] = {"the gate", "the factor of the gate",
                                             "the gate and its factor"};
    fused_search *s = q->s;
    for (int32_t k = q->t->stage.count - 1; k >= 0; k--) {
        sf8_stage early = q->t->stage;
        const sf8_stage_step *step = &q->t->stage.step[k];
        early.count = k;
        size_t width = sf8_stage_columns(&early, s->f->columns);
        if (sf8_stage_run(&early, s->before, q->p->x, q->p->rows, s->f->columns, q->p->inputs,
                          s->input_count, s->work) != SF8_OK)
            return NULL;
        if (width == s->width && scales_of(q, s->before))
            return diagnosis_text(s->run, "it takes the scales from what it has before %s",
                                  kind_of(step));
        for (int part = 0; part < PARTS && width == 2 * s->width && is_twice_as_wide(step);
             part++) {
            take_part(q, step, part);
            if (scales_of(q, s->lower))
                return diagnosis_text(s->run, "it takes the scales from %s, before %s", parts[part],
                                      kind_of(step));
        }
    }
    return NULL;
}

/* The scales of the result before its last rounding, in words; or NULL. */
static const char *scales_unrounded(const quantizing *q)
{
    fused_search *s = q->s;
    sf8_stage early = q->t->stage;
    if (early.count == 0 || early.step[early.count - 1].via == SF8_STEP_F32)
        return NULL;
    early.step[early.count - 1].via = SF8_STEP_F32;
    if (sf8_stage_run(&early, s->before, q->p->x, q->p->rows, s->f->columns, q->p->inputs,
                      s->input_count, s->work) != SF8_OK ||
        !scales_of(q, s->before))
        return NULL;
    return diagnosis_text(s->run, "it takes the scales from the result of %s before it is rounded",
                          kind_of(&early.step[early.count - 1]));
}

static const char *explained_scales(const quantizing *q)
{
    const scales_grid grid = grid_of(q, q->s->y);
    double factor;
    const char *words = scales_unrounded(q);
    if (!words && sf8_recipe_scale_given(q->recipe))
        return NULL;
    words = words ? words : scales_explained(q->s->run, &grid, 1, &factor);
    return words[0] ? words : scales_before(q);
}

/* ---- a global scale -------------------------------------------------------------------------- */

static int holds_with(const quantizing *q, uint32_t g)
{
    fused_search *s = q->s;
    float by = sf8_f32_from_bits(g);
    uint32_t *scales = search_allocate(&s->run->context, q->blocks, sizeof *scales);
    int same = g > 0 && g < SF8_F32_INF &&
               sf8_quantize_n(q->recipe, s->codes, scales, NULL, SF8_F32, s->y, q->p->rows,
                              s->width, by) == SF8_OK &&
               memcmp(s->codes, q->p->codes, q->p->rows * s->width) == 0 &&
               (!q->p->scales || sf8_recipe_scale_given(q->recipe) ||
                memcmp(scales, q->p->scales, q->blocks * sizeof *scales) == 0);
    search_free(&s->run->context, scales);
    return same;
}

static const char *explained_global(const quantizing *q)
{
    const char *words;
    uint32_t other;
    if (q->recipe->has_g == SF8_G_NONE)
        return NULL;
    for (size_t i = 0; (words = scales_global_at(i, q->g, &other)) != NULL; i++)
        if (other != q->g && holds_with(q, other))
            return diagnosis_text(q->s->run, "the global scale is %s", words);
    for (size_t i = 0; i < FACTORS; i++)
        if (holds_with(q, sf8_f32_mul(q->g, sf8_f32_bits(factors[i].factor))))
            return diagnosis_text(q->s->run, "the global scale is %s times the one that is given",
                                  factors[i].text);
    return NULL;
}

/* ---- both ------------------------------------------------------------------------------------ */

const char *fused_quantizer(fused_search *s, const fused_try *t, const fused_part *p, int *follows)
{
    quantizing q = {.s = s, .t = t, .p = p};
    q.recipe = sf8_recipe_for(s->f->recipe, fused_format(&t->stage), &q.room);
    q.by = *q.recipe;
    q.by.scale = SF8_F32;
    q.by.scale_policy = SF8_OCP_NOSAT;
    q.by.scale_zero = 0;
    memcpy(&q.g, &s->f->g, sizeof q.g);
    q.blocks = (p->rows + s->high - 1) / s->high * s->across;
    *follows = 0;
    if (p->rows == 0)
        return NULL;
    *follows = codes_hold(&q, BY_GOT, 0);
    const char *global = *follows ? NULL : explained_global(&q);
    const char *codes = *follows ? "" : global ? global : explained_codes(&q);
    if (global || !codes)
        return global;
    const char *scales = p->scales && t->scales > 0 ? explained_scales(&q) : "";
    if (!scales || (!scales[0] && !codes[0]))
        return NULL;
    return diagnosis_text(s->run, "%s%s%s", scales, scales[0] && codes[0] ? ", and " : "", codes);
}

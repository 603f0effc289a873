/* SPDX-License-Identifier: MIT */
/* changes.c -- the things that can be otherwise in a stage */
#include "diagnose/stages/fused.h"

#include <stdio.h>
#include <string.h>

static const char *const formats[] = {"f32", "bf16", "f16"};

static const char *const kind_names[] = {
#define KIND_NAME(id, name) name,
    SF8_STEP_KINDS(KIND_NAME)
#undef KIND_NAME
};

static const char *kind_of(const sf8_stage_step *s)
{
    return kind_names[s->kind];
}

static int is_norm(const sf8_stage_step *s)
{
    return s->kind == SF8_STEP_RMS_NORM || s->kind == SF8_STEP_LAYER_NORM;
}

static int is_gated(const sf8_stage_step *s)
{
    return s->kind >= SF8_STEP_RELU && s->kind <= SF8_STEP_SWIGLU_CLAMP && s->gate != SF8_GATE_NONE;
}

static int has_sum(const sf8_stage_step *s)
{
    return is_norm(s) || s->kind == SF8_STEP_SOFTMAX || s->kind == SF8_STEP_HADAMARD;
}

static int has_mid(const sf8_stage_step *s)
{
    return (is_norm(s) && (s->array[0][0] || s->array[1][0])) || s->kind == SF8_STEP_RELU2 ||
           is_gated(s) || s->kind == SF8_STEP_ROPE || s->kind == SF8_STEP_HADAMARD;
}

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct lister {
    fused_change *list;
    size_t count;
} lister;

static fused_change *add(lister *l, int32_t step, int32_t field, uint32_t value)
{
    fused_change *c = &l->list[l->count < FUSED_CHANGES ? l->count++ : FUSED_CHANGES - 1];
    *c = (fused_change){.step = step, .field = field, .value = {value, 0, 0, 0}};
    return c;
}

static void add_formats(lister *l, const sf8_stage *stage, int32_t i, int32_t field)
{
    const sf8_stage_step *s = &stage->step[i];
    uint32_t stated = field == FUSED_VIA ? s->via : s->mid;
    uint32_t mode = field == FUSED_VIA ? s->via_round : s->mid_round;
    const char *where = field == FUSED_VIA ? "after" : "within";
    for (uint32_t f = SF8_STEP_F32; f <= SF8_STEP_F16; f++) {
        if (f == stated && (f == SF8_STEP_F32 || mode == SF8_RNE))
            continue;
        fused_change *c = add(l, i, field, f);
        if (f == SF8_STEP_F32)
            snprintf(c->words, sizeof c->words, "keeps f32 %s %s, where the stage rounds to %s",
                     where, kind_of(s), formats[stated]);
        else if (stated == SF8_STEP_F32)
            snprintf(c->words, sizeof c->words, "rounds to %s %s %s, where the stage keeps f32",
                     formats[f], where, kind_of(s));
        else
            snprintf(c->words, sizeof c->words,
                     "rounds to %s to nearest %s %s, not to %s as stated", formats[f], where,
                     kind_of(s), formats[stated]);
    }
}

static void add_orders(lister *l, const sf8_stage *stage, int32_t i)
{
    static const struct {
        uint32_t value[4];
        const char *words;
    } orders[] = {
        {{SF8_SUMS_EXACT, 0, 0, 0}, "exactly, as in f64"},
        {{SF8_SUMS_SEQUENTIAL, 0, 0, 0}, "one element after the other"},
        {{SF8_SUMS_TREE, 0, 0, 0}, "as a tree of neighbours"},
        {{SF8_SUMS_TORCH, 8, 0, 0}, "as PyTorch does on a CPU with AVX2"},
        {{SF8_SUMS_TORCH, 16, 0, 0}, "as PyTorch does on a CPU with AVX-512"},
        {{SF8_SUMS_LANES, 32, 1, SF8_JOINS_NEIGHBOURS}, "by 32 threads (order=32x1)"},
        {{SF8_SUMS_LANES, 32, 1, SF8_JOINS_HALVES}, "by 32 threads (order=32x1/halves)"},
        {{SF8_SUMS_LANES, 128, 1, SF8_JOINS_HALVES}, "by 128 threads (order=128x1/halves)"},
        {{SF8_SUMS_LANES, 256, 1, SF8_JOINS_HALVES}, "by 256 threads (order=256x1/halves)"},
        {{SF8_SUMS_LANES, 1024, 1, SF8_JOINS_NEIGHBOURS}, "by 1,024 threads (order=1024x1)"},
        {{SF8_SUMS_LANES, 1024, 1, SF8_JOINS_HALVES}, "by 1,024 threads (order=1024x1/halves)"},
        {{SF8_SUMS_LANES, 256, 8, SF8_JOINS_NEIGHBOURS}, "by 256 threads (order=256x8)"},
        {{SF8_SUMS_LANES, 1024, 8, SF8_JOINS_NEIGHBOURS}, "by 1,024 threads (order=1024x8)"},
    };
    const sf8_stage_step *s = &stage->step[i];
    const uint32_t stated[4] = {s->sums, s->lanes, s->each, s->join};
    for (size_t k = 0; k < sizeof orders / sizeof orders[0]; k++) {
        if (memcmp(stated, orders[k].value, sizeof stated) == 0)
            continue;
        fused_change *c = add(l, i, FUSED_ORDER, 0);
        memcpy(c->value, orders[k].value, sizeof c->value);
        snprintf(c->words, sizeof c->words, "sums the row of %s %s", kind_of(s), orders[k].words);
    }
}

static void add_words(lister *l, int32_t i, int32_t field, uint32_t value, const char *words,
                      const char *kind)
{
    fused_change *c = add(l, i, field, value);
    snprintf(c->words, sizeof c->words, words, kind);
}

static void add_norm(lister *l, const sf8_stage *stage, int32_t i)
{
    static const struct {
        uint32_t eps;
        const char *words;
    } usual[] = {{0x358637bdu, "has an eps of 1e-6 in %s"},
                 {0x3727c5acu, "has an eps of 1e-5 in %s"},
                 {0x3a83126fu, "has an eps of 1e-3 in %s"},
                 {0x322bcc77u, "has an eps of 1e-8 in %s"},
                 {0x2b8cbcccu, "has an eps of 1e-12 in %s"}};
    const sf8_stage_step *s = &stage->step[i];
    const char *kind = kind_of(s);
    if (s->array[0][0])
        add_words(l, i, FUSED_WEIGHT, !s->plus_one,
                  s->plus_one ? "multiplies by w in %s, where the stage has w + 1"
                              : "multiplies by w + 1 in %s, where the stage has w",
                  kind);
    add_words(l, i, FUSED_EPS_AT, !s->eps_at,
              s->eps_at ? "adds eps of %s inside the root, not outside"
                        : "adds eps of %s outside the root, not inside",
              kind);
    if (s->eps)
        add_words(l, i, FUSED_EPS, 0, "leaves out eps of %s", kind);
    for (size_t k = 0; k < sizeof usual / sizeof usual[0]; k++)
        if (s->eps != usual[k].eps)
            add_words(l, i, FUSED_EPS, usual[k].eps, usual[k].words, kind);
    add_words(l, i, FUSED_RSTD, !s->rstd,
              s->rstd ? "rounds the reciprocal root of %s once, not twice"
                      : "rounds the reciprocal root of %s twice, not once",
              kind);
    add_words(l, i, FUSED_FUSE, !s->fuse,
              s->fuse ? "rounds the products of %s, which the stage adds by an fma"
                      : "adds the products of %s by an fma, which the stage rounds",
              kind);
}

static void add_activation(lister *l, const sf8_stage *stage, int32_t i)
{
    static const uint32_t other[] = {[SF8_GATE_FIRST] = SF8_GATE_SECOND,
                                     [SF8_GATE_SECOND] = SF8_GATE_FIRST,
                                     [SF8_GATE_EVEN] = SF8_GATE_ODD,
                                     [SF8_GATE_ODD] = SF8_GATE_EVEN};
    static const uint32_t woven[] = {[SF8_GATE_FIRST] = SF8_GATE_EVEN,
                                     [SF8_GATE_SECOND] = SF8_GATE_EVEN,
                                     [SF8_GATE_EVEN] = SF8_GATE_FIRST,
                                     [SF8_GATE_ODD] = SF8_GATE_FIRST};
    const sf8_stage_step *s = &stage->step[i];
    const char *kind = kind_of(s);
    if (s->kind == SF8_STEP_SILU || s->kind == SF8_STEP_SWIGLU_CLAMP ||
        s->kind == SF8_STEP_SOFTMAX) {
        add_words(l, i, FUSED_FORM, !s->form,
                  s->form ? "divides in %s, where the stage multiplies by a reciprocal"
                          : "multiplies by a reciprocal in %s, where the stage divides",
                  kind);
        add_words(l, i, FUSED_EXP, !s->exp,
                  s->exp ? "computes e^x in %s, not 2^(x log2 e)"
                         : "computes 2^(x log2 e) in %s, not e^x",
                  kind);
    }
    if (is_gated(s) && s->gate != SF8_GATE_ARRAY) {
        add_words(l, i, FUSED_GATE, other[s->gate], "takes the other half for the gate of %s",
                  kind);
        add_words(l, i, FUSED_GATE, woven[s->gate],
                  s->gate <= SF8_GATE_SECOND ? "takes even elements for the gate of %s, not a half"
                                             : "takes the first half for the gate of %s",
                  kind);
    }
    if (s->kind == SF8_STEP_ROPE)
        add_words(l, i, FUSED_STYLE, !s->style,
                  s->style ? "turns halves in %s, not neighbours"
                           : "turns neighbours in %s, not halves",
                  kind);
}

/* ---- other kinds, and arrays -------------------------------------------------------------------
 */

/* Kinds that are taken for each other, with the same fields. */
static const uint32_t alike[][8] = {{SF8_STEP_RMS_NORM, SF8_STEP_LAYER_NORM, SF8_STEP_KIND_COUNT},
                                    {SF8_STEP_MULTIPLY, SF8_STEP_DIVIDE, SF8_STEP_KIND_COUNT},
                                    {SF8_STEP_RELU, SF8_STEP_RELU2, SF8_STEP_SILU, SF8_STEP_GELU,
                                     SF8_STEP_GELU_TANH, SF8_STEP_SWIGLU_CLAMP,
                                     SF8_STEP_KIND_COUNT}};

static void add_kinds(lister *l, const sf8_stage *stage, int32_t i)
{
    uint32_t kind = stage->step[i].kind;
    for (size_t row = 0; row < sizeof alike / sizeof alike[0]; row++) {
        int has = 0;
        for (size_t k = 0; alike[row][k] != SF8_STEP_KIND_COUNT; k++)
            has |= alike[row][k] == kind;
        for (size_t k = 0; has && alike[row][k] != SF8_STEP_KIND_COUNT; k++) {
            uint32_t other = alike[row][k];
            if (other == kind || (other == SF8_STEP_SWIGLU_CLAMP && !is_gated(&stage->step[i])))
                continue;
            fused_change *c = add(l, i, FUSED_KIND, other);
            snprintf(c->words, sizeof c->words, "computes %s, where the stage has %s",
                     kind_names[other], kind_names[kind]);
        }
    }
}

static void add_arrays(lister *l, const sf8_stage *stage, int32_t i)
{
    const sf8_stage_step *s = &stage->step[i];
    const char *kind = kind_of(s);
    if (is_norm(s) && s->array[0][0])
        add_words(l, i, FUSED_NO_ARRAY, 0, "leaves out the weight of %s", kind);
    if (is_norm(s) && s->array[1][0])
        add_words(l, i, FUSED_NO_ARRAY, 1, "leaves out the bias of %s", kind);
    if (s->kind == SF8_STEP_HADAMARD && s->array[0][0])
        add_words(l, i, FUSED_NO_ARRAY, 0, "leaves out the signs of %s", kind);
    if (s->kind == SF8_STEP_ADD)
        add_words(l, i, FUSED_NEGATED, 0, "subtracts %s, which the stage adds", s->array[0]);
    if (s->kind == SF8_STEP_ROPE) {
        add_words(l, i, FUSED_NEGATED, 1,
                  "turns the other way in %s, as with the wrong sign of sin", kind);
        add_words(l, i, FUSED_EXCHANGED, 0, "exchanges cos and sin in %s", kind);
    }
    if (s->kind == SF8_STEP_SWIGLU_CLAMP)
        add_words(l, i, FUSED_LIMIT, 0x7f7fffffu, "does not clamp in %s", kind);
}

/* Whether the elements of a row stay where they are, each for itself. */
static int is_of_elements(const sf8_stage_step *s)
{
    return !s->array[0][0] && !s->array[1][0] && !has_sum(s) && !is_gated(s) &&
           s->kind != SF8_STEP_ROPE;
}

static void add_places(lister *l, const sf8_stage *stage, int32_t i)
{
    if (stage->step[i].kind != SF8_STEP_ROPE)
        return;
    for (int32_t k = i + 1; k < stage->count; k++)
        if (!is_of_elements(&stage->step[k]))
            return;
    add_words(l, i, FUSED_PLACES, FUSED_HALVES, "exchanges the halves of what %s gives", "rope");
    add_words(l, i, FUSED_PLACES, FUSED_WOVEN,
              "writes what %s gives in pairs of neighbours, not in "
              "halves",
              "rope");
    add_words(l, i, FUSED_PLACES, FUSED_UNWOVEN,
              "writes what %s gives in halves, not in pairs of "
              "neighbours",
              "rope");
}

static void add_swap(lister *l, const sf8_stage *stage, int32_t i)
{
    const sf8_stage_step *s = &stage->step[i];
    if (i + 1 == stage->count || s->kind == SF8_STEP_ROUND || s[1].kind == SF8_STEP_ROUND)
        return;
    fused_change *c = add(l, i, FUSED_SWAP, 0);
    snprintf(c->words, sizeof c->words, "computes %s before %s", kind_of(&s[1]), kind_of(s));
}

static void add_step(lister *l, const sf8_stage *stage, int32_t i)
{
    const sf8_stage_step *s = &stage->step[i];
    add_formats(l, stage, i, FUSED_VIA);
    if (has_mid(s))
        add_formats(l, stage, i, FUSED_MID);
    if (is_norm(s))
        add_norm(l, stage, i);
    add_activation(l, stage, i);
    if (has_sum(s))
        add_orders(l, stage, i);
    if (s->kind != SF8_STEP_ROUND && (!is_gated(s) || s->gate == SF8_GATE_ARRAY))
        add_words(l, i, FUSED_MISSING, 0, "leaves out %s", kind_of(s));
    add_kinds(l, stage, i);
    add_arrays(l, stage, i);
    add_swap(l, stage, i);
    add_places(l, stage, i);
}

size_t fused_changes(const sf8_stage *stage, fused_change list[FUSED_CHANGES])
{
    lister l = {list, 0};
    for (int32_t i = 0; i < stage->count; i++)
        add_step(&l, stage, i);
    for (uint32_t f = SF8_STEP_BF16; f <= SF8_STEP_F16; f++) {
        fused_change *c = add(&l, -1, FUSED_INPUT, f);
        snprintf(c->words, sizeof c->words, "rounds its input to %s first", formats[f]);
    }
    return l.count;
}

int fused_go_together(const fused_change *a, const fused_change *b)
{
    const fused_change *first = a->step <= b->step ? a : b, *last = first == a ? b : a;
    if (a->step != b->step)
        return first->field != FUSED_SWAP || last->step > first->step + 1;
    return a->field != b->field && a->field != FUSED_SWAP && b->field != FUSED_SWAP &&
           a->field != FUSED_MISSING && b->field != FUSED_MISSING;
}

/* ---- applied --------------------------------------------------------------------------------- */

static int insert_first(sf8_stage *stage, uint32_t format)
{
    if (stage->count == SF8_STAGE_STEPS)
        return 0;
    memmove(stage->step + 1, stage->step, (size_t)stage->count * sizeof stage->step[0]);
    stage->count++;
    stage->step[0] = (sf8_stage_step){.kind = SF8_STEP_ROUND, .via = format};
    return 1;
}

int fused_apply(sf8_stage *stage, const fused_change *c)
{
    sf8_stage_step *s = &stage->step[c->step < 0 ? 0 : c->step];
    switch (c->field) {
    case FUSED_INPUT:
        return insert_first(stage, c->value[0]);
    case FUSED_MISSING: /* its rounding stays */
        *s = (sf8_stage_step){.kind = SF8_STEP_ROUND, .via = s->via, .via_round = s->via_round};
        return 1;
    case FUSED_VIA:
        s->via = c->value[0];
        s->via_round = SF8_RNE;
        return 1;
    case FUSED_MID:
        s->mid = c->value[0];
        s->mid_round = SF8_RNE;
        return 1;
    case FUSED_ORDER:
        s->sums = c->value[0];
        s->lanes = c->value[1];
        s->each = c->value[2];
        s->join = c->value[3];
        return 1;
    case FUSED_KIND: {
        static const sf8_stage_step gates = {.alpha = 0x3fd9db23u, .limit = 0x40e00000u};
        int is_clamped = c->value[0] == SF8_STEP_SWIGLU_CLAMP;
        int has_exp = is_clamped || c->value[0] == SF8_STEP_SILU;
        s->kind = c->value[0];
        s->form = is_clamped ? SF8_FORM_PRODUCT : has_exp ? s->form : SF8_FORM_QUOTIENT;
        s->exp = has_exp ? s->exp : SF8_EXP_E;
        s->alpha = is_clamped ? gates.alpha : 0;
        s->limit = is_clamped ? gates.limit : 0;
        return 1;
    }
    case FUSED_NO_ARRAY:
        memset(s->array[c->value[0]], 0, sizeof s->array[0]);
        return 1;
    case FUSED_NEGATED: /* the search has an array of this name */
        if (strlen(s->array[c->value[0]]) + 2 > sizeof s->array[0])
            return 0;
        memmove(s->array[c->value[0]] + 1, s->array[c->value[0]], sizeof s->array[0] - 1);
        s->array[c->value[0]][0] = '-';
        return 1;
    case FUSED_EXCHANGED: {
        char name[SF8_STEP_NAME];
        memcpy(name, s->array[0], sizeof name);
        memcpy(s->array[0], s->array[1], sizeof name);
        memcpy(s->array[1], name, sizeof name);
        return 1;
    }
    case FUSED_SWAP: {
        sf8_stage_step first = s[0];
        s[0] = s[1];
        s[1] = first;
        return 1;
    }
    case FUSED_PLACES:
        return 1;
    default:
        break;
    }
    uint32_t *const members[] = {
        [FUSED_WEIGHT] = &s->plus_one, [FUSED_EPS_AT] = &s->eps_at, [FUSED_EPS] = &s->eps,
        [FUSED_RSTD] = &s->rstd,       [FUSED_FORM] = &s->form,     [FUSED_EXP] = &s->exp,
        [FUSED_FUSE] = &s->fuse,       [FUSED_GATE] = &s->gate,     [FUSED_STYLE] = &s->style,
        [FUSED_LIMIT] = &s->limit};
    *members[c->field] = c->value[0];
    return 1;
}

sf8_stage fused_uncertain(const sf8_stage *stage, int functions, int sums)
{
    sf8_stage u = *stage;
    for (int32_t i = 0; i < u.count; i++) {
        sf8_stage_step *s = &u.step[i];
        s->ulps = functions ? (s->ulps < 2 ? 2 : s->ulps) : 0;
        if (has_sum(s) && sums && s->sums != SF8_SUMS_ANY) {
            s->sums = SF8_SUMS_ANY;
            s->depth = 64;
        } else if (!sums && s->sums == SF8_SUMS_ANY) {
            s->sums = SF8_SUMS_EXACT;
        }
    }
    return u;
}

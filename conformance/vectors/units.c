/* SPDX-License-Identifier: MIT */
/* units.c -- cases of matrix units: a row of products and an accumulator; their tags
 *
 * A tag of the sum says that a unit with one property changed would return something else. The
 * inputs are the directed probes of the family mma, special values, and rows drawn with a fixed
 * seed. Between these are rows for the changes that they do not show: one change of one parameter,
 * and the first row of a pool on which the changed unit gives another result.
 */
#include "vectors/unit_probes.h"
#include "base/memory.h"
#include "suite/input_sets.h"
#include "vectors/kinds.h"
#include "vectors/unit_cases.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 8 };

/* Reads "hopper-qgmma fraction=20": a unit, and the parameters that differ from it. */
static const char *read_unit(vector_group *g, const sf8_format format[3])
{
    char text[HEAD_TEXT], *next = text;
    snprintf(text, sizeof text, "%s", g->head[0]);
    for (char *word; (word = next) != NULL;) {
        if ((next = strchr(word, ' ')) != NULL)
            *next++ = '\0';
        char *value = strchr(word, '=');
        if (word == text) {
            if (sf8_mma_named(&g->unit, word, format[0], format[1], format[2]) != SF8_OK)
                return "a unit that 'softfp8 mma --list' lists, with formats that it takes";
            continue;
        }
        if (value)
            *value++ = '\0';
        if (sf8_mma_set(&g->unit, word, value) != SF8_OK)
            return "parameters that 'softfp8 mma --set' can change for this unit, one blank before "
                   "each: \"hopper-qgmma fraction=20\"";
    }
    return NULL;
}

static const char *open_unit(vector_group *g)
{
    sf8_format format[3];
    for (int i = 0; i < 3; i++) {
        sf8_status status;
        format[i] = sf8_format_named(g->head[1 + i], &status);
        if (status != SF8_OK)
            return "formats that 'softfp8 formats' lists";
    }
    const char *expected = read_unit(g, format);
    if (expected)
        return expected;
    group_field(g, "a", sf8_format_bits(format[0]), 0, 0);
    group_field(g, "b", sf8_format_bits(format[1]), 0, 0);
    if (g->unit.scale_block) {
        group_field(g, "scale_a", 8, 0, 0);
        group_field(g, "scale_b", 8, 0, 0);
    }
    group_field(g, "c", sf8_format_bits(format[2]), 1, 0);
    group_field(g, "d", sf8_format_bits(format[2]), 1, 1);
    return NULL;
}

static void bytes_of(uint8_t *to, const vector_words *w)
{
    for (size_t i = 0; w && i < w->count; i++)
        to[i] = (uint8_t)w->word[i];
}

static const char *row_of(const vector_group *g, vector_case *c, unit_row *row)
{
    const vector_words *a = case_field(g, c, "a"), *b = case_field(g, c, "b");
    const vector_words *sa = case_field(g, c, "scale_a"), *sb = case_field(g, c, "scale_b");
    size_t k = a->count;
    if (k == 0 || k > UNIT_K_MOST || k % (size_t)g->unit.k != 0 || b->count != k)
        return "as many codes of a as of b, whole instructions of the unit, at most 1024";
    if (sa && (sa->count != k / (size_t)g->unit.scale_block || sb->count != sa->count))
        return "a scale of a and of b for each block of the unit";
    unit_row_begin(&g->unit, k, row);
    for (size_t i = 0; i < k; i++) {
        mma_code_put(g->unit.a, row->a, i, (uint32_t)a->word[i]);
        mma_code_put(g->unit.b, row->b, i, (uint32_t)b->word[i]);
    }
    bytes_of(row->scale_a, sa);
    bytes_of(row->scale_b, sb);
    row->x.c = (uint32_t)case_field(g, c, "c")->word[0];
    return NULL;
}

static const char *run_unit(const vector_group *g, vector_case *c)
{
    unit_row row;
    const char *expected = row_of(g, c, &row);
    vector_words *d = case_field(g, c, "d");
    words_resize(d, 1);
    if (!expected)
        d->word[0] = mma_model(&g->unit, &row.x);
    return expected;
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* The unit with each change that makes it another one; how many. */
static size_t changed_units(const sf8_mma *u, mma_rule rule[MMA_CHANGES],
                            mma_change change[MMA_CHANGES])
{
    size_t count = 0, all = mma_list_changes(change, u);
    for (size_t i = 0; i < all; i++) {
        mma_rule *r = &rule[count];
        memset(r, 0, sizeof *r);
        r->m = *u;
        if (!mma_apply_change(r, &change[i]) ||
            (!r->by_itself && memcmp(&r->m, u, sizeof r->m) == 0))
            continue;
        change[count++] = change[i];
    }
    return count;
}

static int mantissa_distance(const sf8_mma *u, const mma_rule *rule)
{
    return abs(u->sum.man_bits - rule->m.sum.man_bits);
}

/* The tag of a case that shows this change; 0 where the change is far from the unit. */
static vector_tags tag_of_change(const sf8_mma *u, const mma_change *change, const mma_rule *rule)
{
    switch (change->axis) {
    case MMA_AXIS_FRACTION:
        return tag_if(change->distance == 1, TAG_FRACTION);
    case MMA_AXIS_LENGTH:
        return tag_if(1, TAG_SUM_LENGTH);
    case MMA_AXIS_ORDER:
    case MMA_AXIS_C:
        return tag_if(1, TAG_ORDER);
    case MMA_AXIS_CUT:
        return tag_if(1, TAG_SUM_CUT);
    case MMA_AXIS_PRODUCTS:
        return tag_if(1, TAG_SUM_PRODUCTS);
    case MMA_AXIS_SUM:
        return tag_if(mantissa_distance(u, rule) == 1 || rule->m.sum.man_bits == u->out.man_bits,
                      TAG_SUM_FORMAT);
    case MMA_AXIS_ROUND:
        return tag_if(1, TAG_SUM_ROUND);
    case MMA_AXIS_UNDERFLOW:
        return tag_if(1, TAG_SUM_UNDERFLOW);
    default:
        return tag_if(1, TAG_SUM_ZERO);
    }
}

/* Which changes of the unit the row shows. */
static vector_tags sum_tags(const sf8_mma *u, const unit_row *row, uint32_t d)
{
    mma_rule *rule = allocate(MMA_CHANGES, sizeof *rule);
    mma_change change[MMA_CHANGES];
    vector_tags tags = 0;
    size_t count = changed_units(u, rule, change);
    for (size_t i = 0; i < count; i++) {
        vector_tags tag = tag_of_change(u, &change[i], &rule[i]);
        if (tag & ~tags && mma_rule_word(&rule[i], &row->x) != d)
            tags |= tag;
    }
    free(rule);
    return tags;
}

static vector_tags input_tags(sf8_format f, const vector_words *w)
{
    vector_tags tags = 0;
    for (size_t i = 0; i < w->count; i++) {
        int zero = (w->word[i] & sf8_format_mag_mask(f)) == 0 && !sf8_is_special(f, w->word[i]);
        tags |= tag_if(sf8_is_nan(f, w->word[i]) != 0, TAG_NAN) |
                tag_if(sf8_is_inf(f, w->word[i]) != 0, TAG_INFINITE) |
                tag_if(zero && w->word[i] != 0, TAG_NEG_ZERO);
    }
    return tags;
}

/* A byte has one bit more than a scale without a sign; the unit does not look at it. */
static vector_tags scale_tags(sf8_format f, const vector_words *w)
{
    vector_tags tags = 0;
    for (size_t i = 0; w && i < w->count; i++) {
        uint64_t code = w->word[i] & sf8_format_code_mask(f);
        tags |= tag_if(sf8_is_nan(f, code) != 0, TAG_SCALE_NAN) |
                tag_if(code != 0 && code < sf8_format_min_normal(f), TAG_SCALE_SUBNORMAL);
    }
    return tags;
}

static vector_tags result_tags(const sf8_mma *u, uint32_t d)
{
    uint64_t magnitude = d & sf8_format_mag_mask(u->out);
    return tag_if(magnitude == 0 && d != 0, TAG_NEG_ZERO) |
           tag_if(magnitude != 0 && magnitude < sf8_format_min_normal(u->out), TAG_SUBNORMAL);
}

static vector_tags tags_of_unit(const vector_group *g, vector_case *c)
{
    unit_row row;
    const sf8_mma *u = &g->unit;
    uint32_t d = (uint32_t)case_field(g, c, "d")->word[0];
    const vector_tags not_finite = tag_if(1, TAG_NAN) | tag_if(1, TAG_SCALE_NAN);
    vector_tags tags = input_tags(u->a, case_field(g, c, "a")) |
                       input_tags(u->b, case_field(g, c, "b")) |
                       input_tags(u->out, case_field(g, c, "c")) |
                       scale_tags(u->scale, case_field(g, c, "scale_a")) |
                       scale_tags(u->scale, case_field(g, c, "scale_b"));
    row_of(g, c, &row);
    tags |= tag_if(sf8_is_inf(u->out, d) && !(tags >> TAG_INFINITE & 1), TAG_OVERFLOW_TO_INFINITY) |
            tag_if(sf8_is_nan(u->out, d) && !(tags & not_finite), TAG_INVALID) | result_tags(u, d) |
            sum_tags(u, &row, d);
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

/* The i-th probe of this unit with these formats, or NULL. */
static const mma_probe *probe_of(const vector_group *g, size_t i)
{
    const mma_probe *p;
    for (size_t k = 0; (p = mma_probe_at(k)) != NULL; k++) {
        int same = strcmp(p->unit, g->head[0]) == 0 && strcmp(p->a, g->head[1]) == 0 &&
                   strcmp(p->b, g->head[2]) == 0 && strcmp(p->out, g->head[3]) == 0;
        if (same && !g->unit.scale_block && p->k % (size_t)g->unit.k == 0 && i-- == 0)
            return p;
    }
    return NULL;
}

static void put_words(vector_words *to, const uint8_t *bytes, size_t count)
{
    words_resize(to, count);
    for (size_t i = 0; i < count; i++)
        to->word[i] = bytes[i];
}

static void put_row(const vector_group *g, const mma_result *x, vector_case *c)
{
    vector_words *a = case_field(g, c, "a"), *b = case_field(g, c, "b");
    words_resize(a, x->k);
    words_resize(b, x->k);
    for (size_t i = 0; i < x->k; i++) {
        a->word[i] = mma_code_get(g->unit.a, x->x.a, i);
        b->word[i] = mma_code_get(g->unit.b, x->x.b, i);
    }
    if (g->unit.scale_block) {
        size_t count = x->k / (size_t)g->unit.scale_block;
        put_words(case_field(g, c, "scale_a"), x->x.scale_a, count);
        put_words(case_field(g, c, "scale_b"), x->x.scale_b, count);
    }
    words_resize(case_field(g, c, "c"), 1);
    case_field(g, c, "c")->word[0] = x->c;
}

/* Finite codes, and an accumulator of about the size of the products. */
static void draw(sf8_format f, vector_words *w, size_t count, uint64_t *state)
{
    words_resize(w, count);
    for (size_t i = 0; i < count; i++) {
        do
            w->word[i] = word_random(state) & sf8_format_code_mask(f);
        while (sf8_is_special(f, w->word[i]));
    }
}

static void put_drawn(const vector_group *g, size_t i, vector_case *c)
{
    uint64_t state = i;
    const sf8_mma *u = &g->unit;
    size_t k = (size_t)u->k;
    draw(u->a, case_field(g, c, "a"), k, &state);
    draw(u->b, case_field(g, c, "b"), k, &state);
    vector_words *acc = case_field(g, c, "c");
    words_resize(acc, 1);
    acc->word[0] = sf8_convert(u->out, u->a, case_field(g, c, "a")->word[0], SF8_OCP_NOSAT);
    acc->word[0] += u->out.man_bits > 10 ? word_random(&state) & 0xfffff : 0;
    for (int side = 0; side < 2 && u->scale_block; side++) {
        vector_words *s = case_field(g, c, side ? "scale_b" : "scale_a");
        words_resize(s, k / (size_t)u->scale_block);
        for (size_t n = 0; n < s->count; n++)
            s->word[n] = (u->scale.man_bits ? 0x38 : 0x7f) + word_random(&state) % 8 - 4;
    }
}

/* ---- which rows ------------------------------------------------------------------------------ */

/* The i-th of the rows that every file of this unit has: probes, then special values. Returns 0
 * past the last. */
static int given_row(const vector_group *g, size_t i, unit_row *row, char name[CASE_NAME])
{
    size_t probes = 0;
    const char *special;
    int made;
    for (const mma_probe *p; (p = probe_of(g, probes)) != NULL; probes++) {
        mma_probe_row codes;
        if (probes != i)
            continue;
        mma_probe_open(p, &codes);
        unit_row_begin(&g->unit, p->k, row);
        memcpy(row->a, codes.a, sizeof codes.a);
        memcpy(row->b, codes.b, sizeof codes.b);
        row->x.c = p->c;
        snprintf(name, CASE_NAME, "%s", p->name);
        return 1;
    }
    i -= probes;
    for (size_t k = 0; (made = unit_special_row(&g->unit, k, row, &special)) >= 0; k++)
        if (made && i-- == 0) {
            snprintf(name, CASE_NAME, "%s", special);
            return 1;
        }
    return 0;
}

typedef struct choice {
    mma_change change[MMA_CHANGES];
    mma_rule rule[MMA_CHANGES];
    uint8_t shown[MMA_CHANGES];
    size_t count, left;
} choice;

/* Notes which changes the row shows. Returns the first that no row before has shown, or the number
 * of changes. */
static size_t note_shown(choice *s, const sf8_mma *u, const mma_result *x)
{
    size_t first = s->count;
    uint32_t d = mma_model(u, x);
    for (size_t i = 0; i < s->count; i++) {
        if (s->shown[i] || mma_rule_word(&s->rule[i], x) == d)
            continue;
        s->shown[i] = 1;
        s->left--;
        first = first == s->count ? i : first;
    }
    return first;
}

static void choose_rows(vector_group *g)
{
    choice *s = allocate(1, sizeof *s);
    unit_row row;
    char name[CASE_NAME];
    int made = 1;
    s->count = s->left = changed_units(&g->unit, s->rule, s->change);
    for (size_t i = 0; given_row(g, i, &row, name); i++)
        note_shown(s, &g->unit, &row.x);
    for (size_t i = 0; s->left > 0 && made >= 0; i++) {
        if ((made = unit_pool_row(&g->unit, i, &row)) <= 0)
            continue;
        size_t first = note_shown(s, &g->unit, &row.x);
        if (first == s->count || g->chosen_count == CHOSEN_MOST)
            continue;
        g->chosen[g->chosen_count][0] = (uint16_t)i;
        g->chosen[g->chosen_count++][1] = (uint16_t)first;
    }
    free(s);
}

/* A row of the pool, named after the change that it was chosen for: "fraction=24". */
static void chosen_row(const vector_group *g, size_t i, unit_row *row, char name[CASE_NAME])
{
    choice *s = allocate(1, sizeof *s);
    changed_units(&g->unit, s->rule, s->change);
    const mma_change *c = &s->change[g->chosen[i][1]];
    unit_pool_row(&g->unit, g->chosen[i][0], row);
    snprintf(name, CASE_NAME, "%s=%s", c->name, c->value);
    free(s);
}

static int nth_unit(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    unit_row row;
    size_t given = 0;
    for (; given_row(g, given, &row, name); given++)
        if (given == i) {
            put_row(g, &row.x, c);
            return 1;
        }
    i -= given;
    if (i < g->chosen_count) {
        chosen_row(g, i, &row, name);
        put_row(g, &row.x, c);
        return 1;
    }
    i -= g->chosen_count;
    if (i >= DRAWN)
        return 0;
    put_drawn(g, i, c);
    snprintf(name, CASE_NAME, "drawn-%zu", i);
    return 1;
}

const vector_kind kind_mma = {
    .name = "mma",
    .head = {{"unit", 's', 0}, {"a_format", 's', 0}, {"b_format", 's', 0}, {"out_format", 's', 0}},
    .open = open_unit,
    .run = run_unit,
    .tags = tags_of_unit,
    .nth = nth_unit,
    .choose = choose_rows,
};

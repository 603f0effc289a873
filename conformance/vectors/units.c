/* SPDX-License-Identifier: MIT */
/* units.c -- cases of matrix units: a row of products and an accumulator; their tags
 *
 * A tag of the sum says that a unit with one property changed would return something else. The
 * inputs are the directed probes of the family mma, and rows of codes drawn with a fixed seed.
 */
#include "families/mma/probes.h"
#include "suite/input_sets.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DRAWN = 24, K_MOST = 1024 };

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

/* A row as sf8_mma_dot takes it. */
typedef struct unit_row {
    unsigned char a[4 * K_MOST], b[4 * K_MOST];
    uint8_t scale_a[K_MOST], scale_b[K_MOST];
    size_t k;
    uint32_t c;
} unit_row;

static void bytes_of(uint8_t *to, const vector_words *w)
{
    for (size_t i = 0; w && i < w->count; i++)
        to[i] = (uint8_t)w->word[i];
}

static const char *row_of(const vector_group *g, vector_case *c, unit_row *row)
{
    const vector_words *a = case_field(g, c, "a"), *b = case_field(g, c, "b");
    const vector_words *sa = case_field(g, c, "scale_a"), *sb = case_field(g, c, "scale_b");
    row->k = a->count;
    if (row->k == 0 || row->k > K_MOST || row->k % (size_t)g->unit.k != 0 || b->count != row->k)
        return "as many codes of a as of b, whole instructions of the unit, at most 1024";
    if (sa && (sa->count != row->k / (size_t)g->unit.scale_block || sb->count != sa->count))
        return "a scale of a and of b for each block of the unit";
    for (size_t i = 0; i < row->k; i++) {
        mma_code_put(g->unit.a, row->a, i, (uint32_t)a->word[i]);
        mma_code_put(g->unit.b, row->b, i, (uint32_t)b->word[i]);
    }
    bytes_of(row->scale_a, sa);
    bytes_of(row->scale_b, sb);
    row->c = (uint32_t)case_field(g, c, "c")->word[0];
    return NULL;
}

static uint32_t dot(const sf8_mma *unit, const unit_row *row)
{
    return sf8_mma_dot(unit, row->a, row->b, row->scale_a, row->scale_b, row->k, row->c);
}

static const char *run_unit(const vector_group *g, vector_case *c)
{
    unit_row row;
    const char *expected = row_of(g, c, &row);
    vector_words *d = case_field(g, c, "d");
    words_resize(d, 1);
    if (!expected)
        d->word[0] = dot(&g->unit, &row);
    return expected;
}

/* ---- tags ------------------------------------------------------------------------------------ */

/* The result if the unit had another property. A value that is not possible changes nothing. */
static int differs(const vector_group *g, const unit_row *row, const char *name, const char *value,
                   uint32_t d)
{
    sf8_mma unit = g->unit;
    return sf8_mma_set(&unit, name, value) == SF8_OK && dot(&unit, row) != d;
}

static int differs_by(const vector_group *g, const unit_row *row, const char *name, int32_t value,
                      uint32_t d)
{
    char text[16];
    snprintf(text, sizeof text, "%d", (int)value);
    return differs(g, row, name, text, d);
}

static vector_tags input_tags(sf8_format f, const vector_words *w)
{
    vector_tags tags = 0;
    for (size_t i = 0; i < w->count; i++)
        tags |= tag_if(sf8_is_nan(f, w->word[i]) != 0, TAG_NAN) |
                tag_if(sf8_is_inf(f, w->word[i]) != 0, TAG_INFINITE);
    return tags;
}

static vector_tags tags_of_unit(const vector_group *g, vector_case *c)
{
    unit_row row;
    const sf8_mma *u = &g->unit;
    uint32_t d = (uint32_t)case_field(g, c, "d")->word[0];
    vector_tags tags = input_tags(u->a, case_field(g, c, "a")) |
                       input_tags(u->b, case_field(g, c, "b")) |
                       input_tags(u->out, case_field(g, c, "c"));
    row_of(g, c, &row);
    int length = differs_by(g, &row, "length", u->length / 2, d) ||
                 differs_by(g, &row, "length", u->length * 2, d);
    int order = differs(g, &row, "order", "chain", d) ||
                differs(g, &row, "order", "independent", d) ||
                differs(g, &row, "order", "fused", d) || differs(g, &row, "lowering", "chain", d) ||
                differs(g, &row, "lowering", "independent", d);
    int zero = differs_by(g, &row, "zero", 0, d) || differs_by(g, &row, "zero", -300, d);
    int fraction = differs_by(g, &row, "fraction", u->fraction - 1, d) ||
                   differs_by(g, &row, "fraction", u->fraction + 1, d);
    tags |= tag_if(sf8_is_inf(u->out, d) && !tags, TAG_OVERFLOW_TO_INFINITY) |
            tag_if(sf8_is_nan(u->out, d) && !(tags >> TAG_NAN & 1), TAG_INVALID) |
            tag_if(length, TAG_SUM_LENGTH) | tag_if(order, TAG_ORDER) | tag_if(zero, TAG_SUM_ZERO) |
            tag_if(differs(g, &row, "sum", g->head[3], d), TAG_SUM_FORMAT) |
            tag_if(fraction, TAG_FRACTION) |
            tag_if(differs(g, &row, "round", u->round == SF8_RNE ? "rz" : "rne", d),
                   TAG_SUM_ROUND) |
            tag_if(differs(g, &row, "cut", u->cut ? "zero" : "down", d), TAG_SUM_CUT);
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

static void put_probe(const vector_group *g, const mma_probe *p, vector_case *c)
{
    mma_probe_row row;
    vector_words *a = case_field(g, c, "a"), *b = case_field(g, c, "b");
    mma_probe_open(p, &row);
    words_resize(a, p->k);
    words_resize(b, p->k);
    for (size_t i = 0; i < p->k; i++) {
        a->word[i] = mma_code_get(g->unit.a, row.a, i);
        b->word[i] = mma_code_get(g->unit.b, row.b, i);
    }
    words_resize(case_field(g, c, "c"), 1);
    case_field(g, c, "c")->word[0] = p->c;
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

static int nth_unit(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    size_t probes = 0;
    while (probe_of(g, probes))
        probes++;
    if (i >= probes + DRAWN)
        return 0;
    if (i < probes) {
        put_probe(g, probe_of(g, i), c);
        snprintf(name, CASE_NAME, "%s", probe_of(g, i)->name);
    } else {
        put_drawn(g, i - probes, c);
        snprintf(name, CASE_NAME, "drawn-%zu", i - probes);
    }
    return 1;
}

const vector_kind kind_mma = {
    .name = "mma",
    .head = {{"unit", 's', 0}, {"a_format", 's', 0}, {"b_format", 's', 0}, {"out_format", 's', 0}},
    .open = open_unit,
    .run = run_unit,
    .tags = tags_of_unit,
    .nth = nth_unit,
};

/* SPDX-License-Identifier: MIT */
/* block.c -- why the elements of a block have their scale and their codes
 *
 * Numbers are in the fewest decimal digits that read back as the same word of f32.
 */
#include "explain/explain.h"
#include "recipes/recipes.h"
#include "vectors/block_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHORT_NUMBER = SF8_TEXT_SIZE, LINE = 1024 };

/* A block at hand. */
typedef struct subject {
    const block_question *q;
    const sf8_recipe_row *row;
    sf8_format from;
    sf8_recipe recipe, reader; /* of tensors of `from`; of what is read back, which is f32 */
    uint32_t g, row_amax;
    size_t first, count; /* its elements in the row */
    const uint32_t *x;   /* the first of them, as f32 */
    sf8_block written, read;
} subject;

/* ---- text ------------------------------------------------------------------------------------ */

static const char *f32_text(uint32_t word, char text[SHORT_NUMBER])
{
    size_t length;
    if (sf8_to_text(SF8_F32, word, SF8_TEXT_SHORTEST, text, SHORT_NUMBER, &length) != SF8_OK)
        fail("internal error: an f32 value has no text");
    return text;
}

/* The i-th word of a program's text. */
static void add_term(char line[LINE], const char *program, int i)
{
    for (; i > 0; i--)
        program += strcspn(program, " ") + 1;
    add_text(line, LINE, "%.*s", (int)strcspn(program, " "), program);
}

/* "7e" */
static void add_code(char line[LINE], const sf8_recipe *r, uint32_t code)
{
    add_text(line, LINE, "%0*x", word_digits((int)sf8_recipe_bits(r)), (unsigned)code);
}

/* ---- programs -------------------------------------------------------------------------------- */

/* "40c00000  amax 6 * = 36" for each operation. */
static void show_steps(output *out, const trace *t, const char *program)
{
    for (int i = 0; i < t->count; i++) {
        const trace_step *s = &t->step[i];
        char line[LINE] = "", number[SHORT_NUMBER];
        add_text(line, LINE, "%08x  ", (unsigned)s->result);
        for (int k = 0; k < s->operands; k++) {
            uint32_t op = t->program->term[s->made_by[k]].op;
            if (op == SF8_TERM_NUMBER || op == SF8_TERM_VARIABLE)
                add_term(line, program, s->made_by[k]);
            else
                add_text(line, LINE, "%s", f32_text(s->operand[k], number));
            add_text(line, LINE, " ");
        }
        add_term(line, program, s->term);
        add_text(line, LINE, " = %s", f32_text(s->result, number));
        put_line(out, "", line);
    }
}

static uint32_t show_program(output *out, const char *label, const sf8_program *p,
                             const char *program, const uint32_t *variable)
{
    trace t = trace_of(p, variable);
    put_line(out, label, program);
    show_steps(out, &t, program);
    return t.result;
}

static int uses(const sf8_program *p, uint32_t variable)
{
    for (int32_t i = 0; i < p->count; i++) {
        if (p->term[i].op == SF8_TERM_VARIABLE && p->term[i].word == variable)
            return 1;
    }
    return 0;
}

/* ---- what is of the whole block -------------------------------------------------------------- */

/* How a word of f32 became a code of a narrower format. */
static void show_conversion(output *out, sf8_format to, const char *to_name,
                            const char *policy_name, sf8_policy policy, uint32_t word)
{
    question q = {.to = to, .from = SF8_F32, .to_name = to_name, .from_name = "f32", .codes = 1};
    q.policy_name = policy_name;
    q.policy = policy;
    uint64_t code = word;
    answer a = answer_of(&q, "", &code);
    show_rounding(out, &a);
}

/* One of amax, low, high: and which element it is. */
static void show_extreme(output *out, const subject *s, const char *label, uint32_t variable)
{
    char line[LINE] = "", number[SHORT_NUMBER];
    uint32_t word = s->written.variable[variable];
    size_t i = 0;
    if (!uses(&s->recipe.scale_of, variable) && !uses(&s->recipe.second_of, variable) &&
        !uses(&s->recipe.offset_of, variable) && !uses(&s->recipe.factor_of, variable))
        return;
    while (i < s->count &&
           (variable == SF8_VAR_amax ? sf8_f32_magnitude(s->x[i]) : s->x[i]) != word)
        i++;
    add_text(line, LINE, "%08x  %s", (unsigned)word, f32_text(word, number));
    if (i < s->count)
        add_text(line, LINE, ", element %zu", s->first + i);
    else
        add_text(line, LINE, ", because of a NaN");
    put_line(out, label, line);
}

/* Which of two scales it is, if there are two: 1 if it is the second. */
static int show_choice(output *out, const subject *s)
{
    char line[LINE] = "", first[SHORT_NUMBER], other[SHORT_NUMBER];
    uint32_t errors[2];
    if (!sf8_recipe_chooses(&s->recipe))
        return 0;
    int second = block_choice(&s->recipe, s->x, s->count, s->g, errors);
    add_text(line, LINE, "%s", s->row->error_of);
    put_line(out, "error", line);
    line[0] = '\0';
    add_text(line, LINE, "%s with the scale %s, %s with %s: the %s is taken",
             f32_text(errors[0], first), s->row->scale_of, f32_text(errors[1], other),
             s->row->second_of, second ? "second" : "first");
    put_line(out, "choice", line);
    return second;
}

static void show_scale(output *out, const subject *s)
{
    const sf8_recipe *r = &s->recipe;
    const uint32_t *v = s->written.variable;
    char line[LINE] = "", number[SHORT_NUMBER];
    int second = show_choice(out, s);
    uint32_t word = show_program(out, "scale", second ? &r->second_of : &r->scale_of,
                                 second ? s->row->second_of : s->row->scale_of, v);
    sf8_result c = sf8_core_convert(r->scale, SF8_F32, word, r->scale_policy, 0);
    if (sf8_format_bits(r->scale) < 32)
        show_conversion(out, r->scale, s->row->scale, s->row->scale_policy, r->scale_policy, word);
    add_text(line, LINE, "%0*x  %s by %s%s%s: s = %s", word_digits(sf8_format_bits(r->scale)),
             (unsigned)s->written.scale, s->row->scale, s->row->scale_policy,
             *s->row->scale_fields ? " " : "", s->row->scale_fields,
             f32_text(v[SF8_VAR_s], number));
    if (c.flags & SF8_OVERFLOW)
        add_text(line, LINE, ", saturated");
    if (r->scale_zero && s->written.scale != c.code)
        add_text(line, LINE, ", used instead of zero");
    put_line(out, "stored", line);
}

static void show_offset(output *out, const subject *s)
{
    const sf8_recipe *r = &s->recipe;
    const uint32_t *v = s->written.variable;
    char line[LINE] = "", number[SHORT_NUMBER];
    if (r->offset_at == SF8_OFFSET_NONE)
        return;
    show_program(out, "offset", &r->offset_of, s->row->offset_of, v);
    if (r->offset_at == SF8_OFFSET_IN_SCALE)
        add_text(line, LINE, "%x  in the last 4 bits of the scale %08x, which is read back as %s",
                 (unsigned)s->written.offset, (unsigned)s->written.scale,
                 f32_text(s->read.variable[SF8_VAR_s], number));
    else
        add_text(line, LINE, "%0*x  o = %s", word_digits(sf8_format_bits(r->offset)),
                 (unsigned)s->written.offset, f32_text(v[SF8_VAR_o], number));
    put_line(out, "stored", line);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* Code, value and error of an element. */
typedef struct outcome {
    element_fate fate;
    uint32_t value;
    char error[32];
    char remarks[64];
} outcome;

static outcome outcome_of(subject *s, size_t i)
{
    outcome o = {.fate = element_fate_of(&s->recipe, &s->written, s->x[i])};
    o.value = sf8_block_value(&s->reader, &s->read, o.fate.code);
    double x = (double)sf8_f32_from_bits(s->x[i]), y = (double)sf8_f32_from_bits(o.value);
    if (sf8_f32_magnitude(s->x[i]) < SF8_F32_INF && sf8_f32_magnitude(o.value) < SF8_F32_INF)
        snprintf(o.error, sizeof o.error, "%.6g", y - x);
    else
        snprintf(o.error, sizeof o.error, "--");
    snprintf(o.remarks, sizeof o.remarks, "%s%s%s", o.fate.is_tie ? "tie " : "",
             o.fate.is_saturated ? "saturated " : "", o.fate.is_nan ? "NaN" : "");
    return o;
}

static void show_table(output *out, subject *s)
{
    char x[SHORT_NUMBER], word[SHORT_NUMBER], value[SHORT_NUMBER];
    put_line(out, "elements", s->row->element_of);
    output_print(out, "%12s  %-14s  %-14s  %-4s  %-14s  error\n", "at", "x", "converted", "code",
                 "read back");
    for (size_t i = 0; i < s->count; i++) {
        outcome o = outcome_of(s, i);
        char code[LINE] = "", line[LINE] = "";
        add_code(code, &s->recipe, o.fate.code);
        add_text(line, LINE, "%12zu  %-14s  %-14s  %-4s  %-14s  %-12s  %s", s->first + i,
                 f32_text(s->x[i], x), f32_text(o.fate.word, word), code, f32_text(o.value, value),
                 o.error, o.remarks);
        size_t length = strlen(line);
        while (length > 0 && line[length - 1] == ' ')
            length--;
        output_print(out, "%.*s\n", (int)length, line);
    }
}

static void show_element(output *out, subject *s, size_t i)
{
    const sf8_recipe *r = &s->recipe;
    char line[LINE] = "", number[SHORT_NUMBER];
    outcome o = outcome_of(s, i);
    add_text(line, LINE, "%zu: x = %s = %08x", s->first + i, f32_text(s->x[i], number),
             (unsigned)s->x[i]);
    put_line(out, "element", line);
    show_program(out, "", &r->element_of, s->row->element_of, s->written.variable);
    if (!r->integer)
        show_conversion(out, r->element, s->row->element, s->row->element_policy, r->element_policy,
                        o.fate.word);
    line[0] = '\0';
    add_code(line, r, o.fate.code);
    add_text(line, LINE, "  %s by %s%s%s: e = %s%s%s", s->row->element, s->row->element_policy,
             *s->row->element_fields ? " " : "", s->row->element_fields,
             f32_text(s->read.variable[SF8_VAR_e], number), *o.remarks ? ", " : "", o.remarks);
    put_line(out, "code", line);
    show_program(out, "read back", &s->reader.value_of, s->row->value_of, s->read.variable);
    line[0] = '\0';
    add_text(line, LINE, "%s, error %s", f32_text(o.value, number), o.error);
    put_line(out, "value", line);
}

/* ---- other recipes --------------------------------------------------------------------------- */

/* The global scale that means the same to the other recipe; 0 if there is none. A scale that is
 * given has nothing in common with one that a row is computed for. */
static int other_g(const subject *s, const sf8_recipe_row *row, const sf8_recipe *r, uint32_t *g)
{
    *g = 0;
    if (recipe_given(row) != recipe_given(s->row) ||
        sf8_recipe_scale_given(r) != sf8_recipe_scale_given(&s->recipe))
        return 0;
    if (!r->has_g)
        return 1;
    if (recipe_given(row))
        *g = s->g;
    else if (s->recipe.has_g)
        *g = recipe_encodes(row) == recipe_encodes(s->row) ? s->g : sf8_f32_div(0x3f800000u, s->g);
    else
        *g = recipe_g_auto_of(row, s->from, s->row_amax);
    return *g != 0 && !sf8_f32_is_nan(*g);
}

/* What another recipe gives, if it differs; 0 if scale, offset and codes are the same. */
static int differs(const subject *s, const sf8_recipe_row *row, const sf8_recipe *r, uint32_t g,
                   char line[LINE])
{
    enum { SHOWN = 4 };
    sf8_block b, mine = s->written;
    char number[SHORT_NUMBER];
    size_t different = 0;
    block_of(r, &b, s->x, s->count, g);
    add_text(line, LINE, "%s: ", row->name);
    int other_scale = strcmp(row->scale, s->row->scale) != 0 || b.scale != s->written.scale;
    int other_offset = r->offset_at == SF8_OFFSET_WORD && s->recipe.offset_at == r->offset_at &&
                       b.offset != s->written.offset;
    if (other_scale)
        add_text(line, LINE, "scale %0*x = %s; ", word_digits(sf8_format_bits(r->scale)),
                 (unsigned)b.scale, f32_text(b.variable[SF8_VAR_s], number));
    if (other_offset)
        add_text(line, LINE, "offset %0*x = %s; ", word_digits(sf8_format_bits(r->offset)),
                 (unsigned)b.offset, f32_text(b.variable[SF8_VAR_o], number));
    for (size_t i = 0; i < s->count; i++) {
        uint32_t code = sf8_block_code(r, &b, s->x[i]);
        if (code == sf8_block_code(&s->recipe, &mine, s->x[i]) ||
            (s->q->at >= 0 && s->first + i != (size_t)s->q->at))
            continue;
        if (different++ < SHOWN) {
            add_text(line, LINE, "%s", different > 1 ? ", " : "code ");
            add_code(line, r, code);
            add_text(line, LINE, " at %zu", s->first + i);
        }
    }
    if (different > SHOWN)
        add_text(line, LINE, " and %zu more", different - SHOWN);
    else if (!different)
        add_text(line, LINE, "same codes");
    return other_scale || other_offset || different;
}

/* Whether blocks of a row have as many rows. */
static int as_high(const sf8_recipe_row *row, const sf8_recipe *r)
{
    sf8_recipe other;
    recipe_of_name(row->name, &other);
    return sf8_recipe_rows(&other) == sf8_recipe_rows(r);
}

/* The recipe for tensors of a format. */
static const sf8_recipe_row *recipe_of_tensor(const char *name, sf8_recipe *recipe, sf8_format from)
{
    sf8_recipe any, room;
    const sf8_recipe_row *row = recipe_of_name(name, &any);
    *recipe = *sf8_recipe_for(&any, from, &room);
    return row;
}

/* Recipes with the same elements and as large a block. */
static void show_others(output *out, const subject *s)
{
    char same[LINE] = "";
    const char *label = "recipes";
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        sf8_recipe r;
        uint32_t g;
        char line[LINE] = "";
        if (row == s->row || row->block != s->row->block || !as_high(row, &s->recipe) ||
            strcmp(row->element, s->row->element) != 0)
            continue;
        recipe_of_tensor(row->name, &r, s->from);
        if (!other_g(s, row, &r, &g))
            continue;
        if (!differs(s, row, &r, g, line)) {
            add_text(same, LINE, " %s", row->name);
            continue;
        }
        put_line(out, label, line);
        label = "";
    }
    char line[LINE] = "same scale and codes:";
    add_text(line, LINE, "%s", same);
    if (*same)
        put_line(out, label, line);
}

/* ---- the command ----------------------------------------------------------------------------- */

static void show_block(output *out, subject *s)
{
    char line[LINE] = "", number[SHORT_NUMBER];
    block_of(&s->recipe, &s->written, s->x, s->count, s->g);
    sf8_block_read(&s->reader, &s->read, s->written.scale, s->written.offset, s->g);
    add_text(line, LINE, "%s: element%s %zu", s->row->name, s->count > 1 ? "s" : "", s->first);
    if (s->count > 1)
        add_text(line, LINE, " to %zu", s->first + s->count - 1);
    add_text(line, LINE, ", %s", s->q->from ? s->q->from : "f32");
    if (s->recipe.has_g)
        add_text(line, LINE, ", g = %s = %08x", f32_text(s->g, number), (unsigned)s->g);
    output_print(out, "%s\n", line);
    show_extreme(out, s, "amax", SF8_VAR_amax);
    show_extreme(out, s, "peak", SF8_VAR_peak);
    show_extreme(out, s, "low", SF8_VAR_low);
    show_extreme(out, s, "high", SF8_VAR_high);
    show_scale(out, s);
    show_offset(out, s);
    if (s->recipe.factor_of.count)
        show_program(out, "factor", &s->recipe.factor_of, s->row->factor_of, s->written.variable);
    if (s->q->at >= 0)
        show_element(out, s, (size_t)s->q->at - s->first);
    else
        show_table(out, s);
    show_others(out, s);
}

/* The values as words of f32, rounded to the format of --from first. */
static uint32_t *words_of(const block_question *q)
{
    uint32_t *x = allocate((size_t)q->count, sizeof x[0]);
    sf8_format from = format_of_name(q->from ? q->from : "f32");
    for (int i = 0; i < q->count; i++) {
        sf8_result r;
        sf8_from_text(from, q->values[i], SF8_OCP_NOSAT, &r, NULL);
        x[i] = (uint32_t)sf8_core_convert(SF8_F32, from, r.code, SF8_OCP_NOSAT, 0).code;
    }
    return x;
}

void explain_blocks(const block_question *q)
{
    subject s = {.q = q, .row_amax = SF8_F32_NAN};
    s.from = format_of_name(q->from ? q->from : "f32");
    s.row = recipe_of_tensor(q->recipe, &s.recipe, s.from);
    recipe_of_name(q->recipe, &s.reader);
    size_t count = (size_t)q->count, block = s.recipe.block ? (size_t)s.recipe.block : count;
    if (q->at >= q->count)
        fail("--at %lld: expected an element from 0 to %d", (long long)q->at, q->count - 1);
    uint32_t *x = words_of(q);
    for (size_t i = 0; i < count; i++)
        s.row_amax = sf8_f32_most(s.row_amax, sf8_f32_magnitude(x[i]));
    s.g = recipe_g(s.row, q->g, s.from, s.row_amax);
    output *out = output_open(NULL);
    int shown = 0;
    for (s.first = 0; s.first < count; s.first += block) {
        s.x = x + s.first;
        s.count = count - s.first < block ? count - s.first : block;
        if (q->at >= 0 && (size_t)q->at / block != s.first / block)
            continue;
        if (shown++)
            output_print(out, "\n");
        show_block(out, &s);
    }
    output_close(out);
    free(x);
}

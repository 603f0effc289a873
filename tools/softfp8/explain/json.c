/* SPDX-License-Identifier: MIT */
/* json.c -- the answer for programs: an object on one line, always with the same keys
 *
 * An operation has three more: "function", "operands" and "operation".
 *
 * Codes are hexadecimal strings of the format's width, numbers strings in hexadecimal floating
 * point, exact ("..." where a decimal has no end in binary); what does not apply is null.
 */
#include "explain/explain.h"
#include "base/json_writer.h"

#include <string.h>

static void put_code(json_writer *j, sf8_format f, uint64_t code)
{
    jw_hex(j, "code", code, word_digits(sf8_format_bits(f)));
}

/* Its value: a number, or a word. */
static void put_code_value(json_writer *j, sf8_format f, uint64_t code)
{
    char text[NUMBER_TEXT], fields[FIELDS_TEXT];
    jw_text(j, "fields", fields_text(f, code, fields));
    jw_text(j, "value",
            sf8_is_special(f, code) ? code_text(f, code, text)
                                    : number_hex(number_of(f, code), text));
}

/* With the reasons if they are those of the result of an operation. */
static void put_flags(json_writer *j, uint32_t flags, const answer *reasons)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{SF8_INVALID, "invalid"},
                 {SF8_DIVBYZERO, "divbyzero"},
                 {SF8_OVERFLOW, "overflow"},
                 {SF8_UNDERFLOW, "underflow"},
                 {SF8_INEXACT, "inexact"}};
    jw_begin(j, "flags", '{');
    jw_hex(j, "bits", flags, 2);
    jw_begin(j, "names", '[');
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (flags & names[i].bit)
            jw_text(j, NULL, names[i].name);
    }
    jw_end(j);
    if (reasons) {
        jw_begin(j, "reasons", '[');
        for (int bit = FLAG_BITS - 1; bit >= 0; bit--) {
            char text[RULE_TEXT];
            const char *reason = flag_reason(reasons, bit, text);
            if (reason)
                jw_text(j, NULL, reason);
        }
        jw_end(j);
    }
    jw_end(j);
}

/* The last value of each field that was set. */
static void put_changes(json_writer *j, const question *q)
{
    jw_begin(j, "changes", '{');
    for (int i = 0; i < q->choice.changes; i++) {
        int again = 0;
        for (int k = i + 1; k < q->choice.changes; k++)
            again |= strcmp(q->choice.change[k].field, q->choice.change[i].field) == 0;
        if (!again)
            jw_text(j, q->choice.change[i].field, q->choice.change[i].value);
    }
    jw_end(j);
}

/* The operands, and the operation with its exact result: "1 / 1.5 = 2/3 = ...". */
static void put_operation(json_writer *j, const answer *a)
{
    const question *q = a->q;
    jw_text(j, "function", q->function->name);
    jw_begin(j, "operands", '[');
    for (int i = 0; i < q->function->operands; i++) {
        jw_begin(j, NULL, '{');
        put_code(j, q->to, a->operands[i]);
        put_code_value(j, q->to, a->operands[i]);
        jw_end(j);
    }
    jw_end(j);
    jw_text(j, "operation", a->exact);
}

static void put_question(json_writer *j, const answer *a)
{
    const question *q = a->q;
    jw_text(j, "given", a->given);
    jw_text(j, "to", q->to_name);
    jw_text(j, "policy", q->policy_name);
    put_changes(j, q);
    if (q->function)
        put_operation(j, a);
    if (!q->from_name) {
        jw_null(j, "from");
        return;
    }
    jw_begin(j, "from", '{');
    put_code(j, q->from, a->word);
    put_code_value(j, q->from, a->word);
    jw_text(j, "format", q->from_name);
    put_flags(j, a->first_flags, NULL);
    jw_end(j);
}

static void put_value(json_writer *j, const answer *a)
{
    static const char *const kinds[] = {"finite", "zero", "infinity", "nan"};
    char text[NUMBER_TEXT];
    int number = a->kind == VALUE_ZERO || (a->kind == VALUE_FINITE && !a->x.far);
    exact_number x = a->x;
    x.sign = a->sign;
    jw_text(j, "class", kinds[a->kind]);
    jw_text(j, "sign", a->sign ? "-" : "+");
    jw_text(j, "value", number ? exact_hex(x, text) : NULL);
    jw_bool(j, "exact",
            a->kind == VALUE_ZERO ? a->q->to.has_zero : a->kind == VALUE_FINITE && a->is_exact);
}

static void put_neighbour(json_writer *j, const answer *a, const char *key, const neighbour *n)
{
    char text[NUMBER_TEXT];
    if (!n) {
        jw_null(j, key);
        return;
    }
    jw_begin(j, key, '{');
    if (n->exists)
        put_code(j, a->q->to, n->code);
    else
        jw_null(j, "code");
    jw_text(j, "value", number_hex(n->value, text));
    jw_end(j);
}

static void put_neighbours(json_writer *j, const answer *a)
{
    static const char *const sides[] = {"below", "at", "above"};
    char text[NUMBER_TEXT];
    int shown = answer_has_neighbours(a), flip = (int)a->round_sign;
    sf8_number gap = sf8_core_number(0, a->lo.value.exponent, 1);
    put_neighbour(j, a, "below", !shown ? NULL : flip ? &a->hi : &a->lo);
    put_neighbour(j, a, "above", !shown ? NULL : flip ? &a->lo : &a->hi);
    jw_text(j, "gap", shown ? number_hex(gap, text) : NULL);
    jw_text(j, "midpoint", shown ? number_hex(a->middle, text) : NULL);
    jw_text(j, "side", shown ? sides[(flip ? -a->side : a->side) + 1] : NULL);
}

static void put_rules(json_writer *j, const answer *a)
{
    jw_begin(j, "rules", '[');
    for (int i = 0; i < a->rule_count; i++) {
        const rule *r = &a->rules[i];
        jw_begin(j, NULL, '{');
        jw_text(j, "text", r->text);
        jw_text(j, "field", r->field);
        jw_text(j, "setting", r->field ? r->value : NULL);
        jw_end(j);
    }
    jw_end(j);
}

static void put_policies(json_writer *j, const answer *a)
{
    policy_group groups[POLICIES_MOST];
    int count = policy_groups(a, groups);
    jw_begin(j, "policies", '[');
    for (int g = 0; g < count; g++) {
        jw_begin(j, NULL, '{');
        put_code(j, a->q->to, groups[g].code);
        jw_begin(j, "names", '[');
        for (int i = 0; i < groups[g].count; i++)
            jw_text(j, NULL, groups[g].names[i]);
        jw_end(j);
        jw_end(j);
    }
    jw_end(j);
}

void show_json(output *out, const answer *a)
{
    json_writer j = {.put = output_put, .context = out, .compact = 1};
    jw_begin(&j, NULL, '{');
    put_question(&j, a);
    put_value(&j, a);
    put_neighbours(&j, a);
    jw_bool(&j, "overflow_range", a->above_max);
    jw_begin(&j, "result", '{');
    put_code(&j, a->q->to, a->result.code);
    put_code_value(&j, a->q->to, a->result.code);
    put_flags(&j, a->result.flags, a->q->function ? a : NULL);
    jw_end(&j);
    put_rules(&j, a);
    put_policies(&j, a);
    jw_end(&j);
}

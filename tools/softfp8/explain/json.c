/* SPDX-License-Identifier: MIT */
/* json.c -- the answer for programs: an object on one line, always with the same keys
 *
 * Codes are hexadecimal strings of the format's width, numbers strings in hexadecimal floating
 * point, exact ("..." where a decimal has no end in binary); what does not apply is null.
 */
#include "explain/explain.h"

#include <stdio.h>
#include <string.h>

static void put_string(output *out, const char *text)
{
    output_print(out, "\"");
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            output_print(out, "\\%c", c);
        else if (c < ' ' || c >= 127)
            output_print(out, "\\u%04x", c);
        else
            output_write(out, text, 1);
    }
    output_print(out, "\"");
}

static void put_key(output *out, const char *key)
{
    output_print(out, ",\"%s\":", key);
}

static void put_pair(output *out, const char *key, const char *text)
{
    put_key(out, key);
    if (text)
        put_string(out, text);
    else
        output_print(out, "null");
}

static void put_boolean(output *out, const char *key, int value)
{
    put_key(out, key);
    output_print(out, value ? "true" : "false");
}

/* The first pair of an object. */
static void put_code(output *out, sf8_format f, uint64_t code)
{
    char text[20];
    *hex_write(text, code, word_digits(sf8_format_bits(f)), hex_lower) = '\0';
    output_print(out, "{\"code\":\"%s\"", text);
}

/* Its value: a number, or a word. */
static void put_code_value(output *out, sf8_format f, uint64_t code)
{
    char text[NUMBER_TEXT], fields[FIELDS_TEXT];
    put_pair(out, "fields", fields_text(f, code, fields));
    put_pair(out, "value",
             sf8_is_special(f, code) ? code_text(f, code, text)
                                     : number_hex(number_of(f, code), text));
}

static void put_flags(output *out, uint32_t flags)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {{SF8_INVALID, "invalid"},
                 {SF8_DIVBYZERO, "divbyzero"},
                 {SF8_OVERFLOW, "overflow"},
                 {SF8_UNDERFLOW, "underflow"},
                 {SF8_INEXACT, "inexact"}};
    const char *comma = "";
    output_print(out, "{\"bits\":\"%02x\",\"names\":[", (unsigned)flags);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (flags & names[i].bit) {
            output_print(out, "%s\"%s\"", comma, names[i].name);
            comma = ",";
        }
    }
    output_print(out, "]}");
}

static void put_question(output *out, const answer *a)
{
    const question *q = a->q;
    const char *comma = "";
    output_print(out, "{\"given\":");
    put_string(out, a->given);
    put_pair(out, "to", q->to_name);
    put_pair(out, "policy", q->policy_name);
    put_key(out, "changes");
    output_print(out, "{");
    for (int i = 0; i < q->choice.changes; i++) {
        int again = 0;
        for (int k = i + 1; k < q->choice.changes; k++)
            again |= strcmp(q->choice.change[k].field, q->choice.change[i].field) == 0;
        if (again)
            continue;
        output_print(out, "%s\"%s\":\"%s\"", comma, q->choice.change[i].field,
                     q->choice.change[i].value);
        comma = ",";
    }
    output_print(out, "}");
    put_key(out, "from");
    if (!q->from_name) {
        output_print(out, "null");
        return;
    }
    put_code(out, q->from, a->word);
    put_code_value(out, q->from, a->word);
    put_pair(out, "format", q->from_name);
    put_key(out, "flags");
    put_flags(out, a->first_flags);
    output_print(out, "}");
}

static void put_value(output *out, const answer *a)
{
    static const char *const kinds[] = {"finite", "zero", "infinity", "nan"};
    char text[NUMBER_TEXT];
    int number = a->kind == VALUE_ZERO || (a->kind == VALUE_FINITE && !a->x.far);
    exact_number x = a->x;
    x.sign = a->sign;
    put_pair(out, "class", kinds[a->kind]);
    put_pair(out, "sign", a->sign ? "-" : "+");
    put_pair(out, "value", number ? exact_hex(x, text) : NULL);
    put_boolean(out, "exact",
                a->kind == VALUE_ZERO ? a->q->to.has_zero : a->kind == VALUE_FINITE && a->is_exact);
}

static void put_neighbour(output *out, const answer *a, const char *key, const neighbour *n)
{
    char text[NUMBER_TEXT];
    put_key(out, key);
    if (!n) {
        output_print(out, "null");
        return;
    }
    if (n->exists)
        put_code(out, a->q->to, n->code);
    else
        output_print(out, "{\"code\":null");
    put_pair(out, "value", number_hex(n->value, text));
    output_print(out, "}");
}

static void put_neighbours(output *out, const answer *a)
{
    static const char *const sides[] = {"below", "at", "above"};
    char text[NUMBER_TEXT];
    int shown = answer_has_neighbours(a), flip = (int)a->round_sign;
    sf8_number gap = sf8_core_number(0, a->lo.value.exponent, 1);
    put_neighbour(out, a, "below", !shown ? NULL : flip ? &a->hi : &a->lo);
    put_neighbour(out, a, "above", !shown ? NULL : flip ? &a->lo : &a->hi);
    put_pair(out, "gap", shown ? number_hex(gap, text) : NULL);
    put_pair(out, "midpoint", shown ? number_hex(a->middle, text) : NULL);
    put_pair(out, "side", shown ? sides[(flip ? -a->side : a->side) + 1] : NULL);
}

static void put_rules(output *out, const answer *a)
{
    put_key(out, "rules");
    output_print(out, "[");
    for (int i = 0; i < a->rule_count; i++) {
        const rule *r = &a->rules[i];
        output_print(out, "%s{\"text\":", i ? "," : "");
        put_string(out, r->text);
        put_pair(out, "field", r->field);
        put_pair(out, "setting", r->field ? r->value : NULL);
        output_print(out, "}");
    }
    output_print(out, "]");
}

static void put_policies(output *out, const answer *a)
{
    policy_group groups[POLICIES_MOST];
    int count = policy_groups(a, groups);
    put_key(out, "policies");
    output_print(out, "[");
    for (int g = 0; g < count; g++) {
        if (g)
            output_print(out, ",");
        put_code(out, a->q->to, groups[g].code);
        put_key(out, "names");
        output_print(out, "[");
        for (int i = 0; i < groups[g].count; i++)
            output_print(out, "%s\"%s\"", i ? "," : "", groups[g].names[i]);
        output_print(out, "]}");
    }
    output_print(out, "]");
}

void show_json(output *out, const answer *a)
{
    put_question(out, a);
    put_value(out, a);
    put_neighbours(out, a);
    put_boolean(out, "overflow_range", a->above_max);
    put_key(out, "result");
    put_code(out, a->q->to, a->result.code);
    put_code_value(out, a->q->to, a->result.code);
    put_key(out, "flags");
    put_flags(out, a->result.flags);
    output_print(out, "}");
    put_rules(out, a);
    put_policies(out, a);
    output_print(out, "}\n");
}

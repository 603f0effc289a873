/* SPDX-License-Identifier: MIT */
/* text.c -- the answer for people */
#include "explain/explain.h"

#include <stdio.h>
#include <string.h>

enum { COLUMNS = 96, INDENT = LABEL_WIDTH, GIVEN_MOST = 40 };

/* ---- lines ----------------------------------------------------------------------------------- */

void put_wrapped(output *out, const char *text, int first, int indent)
{
    int column = first;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > first && column + 1 + word > COLUMNS) {
            output_print(out, "\n%*s", indent, "");
            column = first = indent;
        } else if (column > first) {
            output_print(out, " ");
            column++;
        }
        output_write(out, text, (size_t)word);
        column += word;
        text += word;
        text += *text == ' ';
    }
    output_print(out, "\n");
}

void put_label(output *out, const char *label)
{
    output_print(out, "  %-*s", INDENT - 2, label);
}

void put_line(output *out, const char *label, const char *text)
{
    put_label(out, label);
    put_wrapped(out, text, INDENT, INDENT);
}

static void code_digits(sf8_format f, uint64_t code, char text[20])
{
    *hex_write(text, code, word_digits(sf8_format_bits(f)), hex_lower) = '\0';
}

/* "7e  0 1111 110", without the fields in a format of more than `most` bits. */
static void code_and_fields(sf8_format f, uint64_t code, int most, char text[128])
{
    char digits[20], fields[FIELDS_TEXT];
    code_digits(f, code, digits);
    fields_text(f, code, fields);
    snprintf(text, 128, sf8_format_bits(f) > most ? "%s" : "%s  %s", digits, fields);
}

static const char *given_text(const answer *a, char text[GIVEN_MOST + 4])
{
    size_t length = strlen(a->given);
    if (length <= GIVEN_MOST)
        return memcpy(text, a->given, length + 1);
    memcpy(text, a->given, GIVEN_MOST);
    return memcpy(text + GIVEN_MOST, "...", 4), text;
}

/* ---- the parts of an answer ------------------------------------------------------------------ */

static void show_head(output *out, const answer *a)
{
    const question *q = a->q;
    char line[4096] = "", given[GIVEN_MOST + 4], digits[20], value[NUMBER_TEXT];
    if (q->codes)
        add_text(line, sizeof line, "%s ", q->from_name);
    add_text(line, sizeof line, "%s -> ", given_text(a, given));
    if (q->from_name && !q->codes) {
        code_digits(q->from, a->word, digits);
        add_text(line, sizeof line, "%s %s -> ", q->from_name, digits);
    }
    code_digits(q->to, a->result.code, digits);
    add_text(line, sizeof line, "%s %s = %s  (policy %s", q->to_name, digits,
             code_short(q->to, a->result.code, value), q->policy_name);
    for (int i = 0; i < q->choice.changes; i++)
        add_text(line, sizeof line, ", %s=%s", q->choice.change[i].field,
                 q->choice.change[i].value);
    add_text(line, sizeof line, ")");
    put_wrapped(out, line, 0, 4);
}

/* "5e2 = 500 = 0x1.f4p+8", of the text itself, whatever it is rounded to first. */
static void show_text_value(output *out, const answer *a)
{
    char line[256] = "", hex[NUMBER_TEXT], decimal[NUMBER_TEXT] = "";
    char given[GIVEN_MOST + 4];
    add_text(line, sizeof line, "%s", given_text(a, given));
    if (strpbrk(given, "0123456789")) {
        exact_number x = exact_of_text(a->given);
        sf8_number whole = sf8_core_number(x.sign, x.exponent - SF8_POINT, x.sig);
        if (!x.cut)
            short_decimal(whole, 20, decimal);
        if (decimal[0] && strcmp(decimal, given) != 0)
            add_text(line, sizeof line, " = %s", decimal);
        if (!x.far && x.sig && strcmp(exact_hex(x, hex), given) != 0)
            add_text(line, sizeof line, " = %s", hex);
        if (x.endless)
            add_text(line, sizeof line, ", not a finite binary fraction");
    }
    put_line(out, "value", line);
}

/* The word of --from, and how the text became it. */
static void show_word(output *out, const answer *a)
{
    const question *q = a->q;
    char line[256], word[128], value[NUMBER_TEXT], flags[64];
    code_and_fields(q->from, a->word, 32, word);
    code_text(q->from, a->word, value);
    put_label(out, strlen(q->from_name) < INDENT - 2 ? q->from_name : "from");
    output_print(out, "%s  %s\n", word, value);
    if (a->first_flags) {
        snprintf(line, sizeof line, "the text rounded to %s, to nearest even: %s", q->from_name,
                 flags_text(a->first_flags, flags));
        put_line(out, "", line);
    }
}

/* The operands of an operation, and its exact result. */
static void show_operation(output *out, const answer *a)
{
    char word[128], value[NUMBER_TEXT];
    for (int i = 0; i < a->q->function->operands; i++) {
        code_and_fields(a->q->to, a->operands[i], 32, word);
        put_label(out, i ? "" : "operands");
        output_print(out, "%s  %s\n", word, code_text(a->q->to, a->operands[i], value));
    }
    put_line(out, "exact", a->exact);
}

/* Below the flags of an operation: what raised each. */
static void show_reasons(output *out, const answer *a)
{
    for (int bit = FLAG_BITS - 1; bit >= 0; bit--) {
        char name[64], text[RULE_TEXT], line[RULE_TEXT + 64];
        const char *reason = flag_reason(a, bit, text);
        if (!reason)
            continue;
        snprintf(line, sizeof line, "%s: %s", flags_text(UINT32_C(1) << bit, name), reason);
        put_line(out, "", line);
    }
}

/* What the policy's `via` makes of the word, from which the result is rounded. */
static void show_via(output *out, const answer *a)
{
    char word[128], value[NUMBER_TEXT];
    sf8_format via = a->operand_format;
    code_and_fields(via, a->operand, 32, word);
    code_text(via, a->operand, value);
    put_label(out, via.man_bits == 23 ? "via f32" : via.man_bits == 10 ? "via f16" : "via bf16");
    output_print(out, "%s  %s\n", word, value);
}

/* Why a neighbour has no code. */
static void missing_text(const answer *a, const neighbour *n, char text[128])
{
    sf8_format f = a->q->to;
    char digits[20];
    if (answer_is_negative(a))
        snprintf(text, 128, "%s has no negative numbers", a->q->to_name);
    else if (n->value.sig == 0)
        snprintf(text, 128, "%s has no zero", a->q->to_name);
    else if ((sf8_format_max(f) & sf8_format_mag_mask(f)) == sf8_format_mag_mask(f))
        snprintf(text, 128, "%s ends there", a->q->to_name);
    else {
        code_digits(f, n->code, digits);
        snprintf(text, 128, "not in %s: %s is %s", a->q->to_name, digits,
                 f.has_inf ? "infinity" : "NaN");
    }
}

static void show_neighbour(output *out, const answer *a, const char *label, const neighbour *n,
                           int width, const char *remark)
{
    char code[128], value[NUMBER_TEXT], missing[128] = "";
    sf8_format f = a->q->to;
    code_and_fields(f, n->exists ? n->code : 0, 16, code);
    if (!n->exists) {
        memset(code, ' ', strlen(code));
        memcpy(code, "--", 2);
        missing_text(a, n, missing);
        remark = missing;
    }
    put_label(out, label);
    output_print(out, "%s  ", code);
    number_text(n->value, value);
    if (!*remark)
        output_print(out, "%s\n", value);
    else if (INDENT + strlen(code) + 2 + (size_t)width + 2 + strlen(remark) <= COLUMNS)
        output_print(out, "%-*s  %s\n", width, value, remark);
    else
        output_print(out, "%s\n%*s%s\n", value, INDENT, "", remark);
}

/* Beyond the next number: from where on values overflow. */
static void show_limit(output *out, const answer *a)
{
    char max[NUMBER_TEXT], middle[NUMBER_TEXT], next[NUMBER_TEXT], line[256];
    const question *q = a->q;
    unsigned round = q->policy.round;
    uint64_t top = sf8_format_max(q->to);
    int inward = round == SF8_RZ || (round == SF8_RU && a->round_sign) ||
                 (round == SF8_RD && !a->round_sign) || (round == SF8_RO && (top & 1));
    int nearest = sf8_rounds_to_nearest(round);
    int tie_leaves = round == SF8_RNA || (top & 1) || (!q->to.man_bits && q->policy.tie_p1);
    tie_leaves &= round != SF8_RNZ;
    const char *side = a->round_sign ? "below" : "above";
    number_text(a->lo.value, max);
    number_text(a->middle, middle);
    number_text(a->hi.value, next);
    if (q->policy.overflow_test == SF8_OVERFLOW_TEST_EXACT)
        snprintf(line, sizeof line, "%s: with overflow_test=exact every value %s it overflows", max,
                 side);
    else if (nearest)
        snprintf(line, sizeof line, "%s, halfway to %s: values %s overflow", middle, next,
                 tie_leaves      ? "from there on"
                 : a->round_sign ? "below it"
                                 : "above it");
    else if (round == SF8_SR)
        snprintf(line, sizeof line, "%s: values from there on overflow, nearer ones by chance",
                 next);
    else if (inward)
        snprintf(line, sizeof line, "%s: values from there on overflow", next);
    else
        snprintf(line, sizeof line, "%s: values %s it overflow", max, side);
    strcat(line, ", as this one does");
    put_line(out, "limit", line);
}

static void show_neighbours(output *out, const answer *a)
{
    char text[NUMBER_TEXT], line[256], gap[128];
    int lo_width = (int)strlen(number_text(a->lo.value, text));
    int hi_width = (int)strlen(number_text(a->hi.value, text));
    int width = lo_width > hi_width ? lo_width : hi_width;
    const neighbour *below = a->round_sign ? &a->hi : &a->lo;
    const neighbour *above = a->round_sign ? &a->lo : &a->hi;
    sf8_number step = sf8_core_number(0, a->lo.value.exponent, 1);
    snprintf(gap, sizeof gap, "gap %s", number_text(step, text));
    const char *remark = a->above_max ? "the largest finite number" : "";
    show_neighbour(out, a, "below", below, width, a->round_sign ? "" : remark);
    show_neighbour(out, a, "above", above, width,
                   !a->above_max   ? gap
                   : a->round_sign ? remark
                                   : "");
    if (a->beyond) {
        show_limit(out, a);
        return;
    }
    int side = a->round_sign ? -a->side : a->side;
    snprintf(line, sizeof line, "%s: the value is %s", number_text(a->middle, text),
             side < 0   ? "below it"
             : side > 0 ? "above it"
                        : "exactly there");
    put_line(out, "midpoint", line);
}

static void show_rules(output *out, const answer *a)
{
    for (int i = 0; i < a->rule_count; i++) {
        const rule *r = &a->rules[i];
        char line[RULE_TEXT + 64];
        if (r->field)
            snprintf(line, sizeof line, "%s=%s: %s", r->field, r->value, r->text);
        else
            snprintf(line, sizeof line, "%s", r->text);
        put_line(out, i ? "" : "rule", line);
    }
}

static void show_result(output *out, const answer *a)
{
    char code[128], value[NUMBER_TEXT], line[128], flags[64];
    code_and_fields(a->q->to, a->result.code, 32, code);
    put_label(out, "result");
    output_print(out, "%s  %s\n", code, code_text(a->q->to, a->result.code, value));
    snprintf(line, sizeof line, "%02x %s", (unsigned)a->result.flags,
             flags_text(a->result.flags, flags));
    put_line(out, "flags", line);
}

/* A group of more than half of the policies is not listed: it is all that the other groups lack. */
static int is_rest(const policy_group *group, int policies)
{
    return 2 * group->count > policies;
}

static void show_group(output *out, const answer *a, const policy_group *group, int width, int rest,
                       const char *label)
{
    char digits[20], value[NUMBER_TEXT], names[2048] = "";
    int indent;
    code_digits(a->q->to, group->code, digits);
    code_short(a->q->to, group->code, value);
    put_label(out, label);
    output_print(out, "%s  %-*s  ", digits, width, value);
    if (rest) {
        output_print(out, "the other %d policies\n", group->count);
        return;
    }
    for (int i = 0; i < group->count; i++)
        add_text(names, sizeof names, "%s%s", i ? " " : "", group->names[i]);
    indent = INDENT + (int)strlen(digits) + 2 + width + 2;
    put_wrapped(out, names, indent, indent);
}

static void show_policies(output *out, const answer *a)
{
    policy_group groups[POLICIES_MOST];
    int count = policy_groups(a, groups), width = 0, policies = 0;
    char digits[20], value[NUMBER_TEXT], line[128], round[32] = "";
    const char *label = "policies";
    if (a->q->round_given)
        (void)sf8_policy_get(a->q->policy, "round", round, sizeof round);
    if (count == 1) {
        code_digits(a->q->to, groups[0].code, digits);
        snprintf(line, sizeof line, "all %d policies for these formats%s%s%s give %s",
                 groups[0].count, *round ? ", each with round=" : "", round, *round ? "," : "",
                 digits);
        put_line(out, "policies", line);
        return;
    }
    for (int g = 0; g < count; g++) {
        int length = (int)strlen(code_short(a->q->to, groups[g].code, value));
        width = length > width ? length : width;
        policies += groups[g].count;
    }
    if (*round) {
        snprintf(line, sizeof line, "each with round=%s instead of its own rounding:", round);
        put_line(out, label, line);
        label = "";
    }
    /* "the other" comes after those it is other than. */
    for (int rest = 0; rest < 2; rest++) {
        for (int g = 0; g < count; g++) {
            if (is_rest(&groups[g], policies) != rest)
                continue;
            show_group(out, a, &groups[g], width, rest, label);
            label = "";
        }
    }
}

void show_rounding(output *out, const answer *a)
{
    if (answer_has_neighbours(a))
        show_neighbours(out, a);
    show_rules(out, a);
}

void show_text(output *out, const answer *a)
{
    show_head(out, a);
    if (a->q->function)
        show_operation(out, a);
    else if (!a->q->codes)
        show_text_value(out, a);
    if (a->q->from_name)
        show_word(out, a);
    if (answer_took_via(a))
        show_via(out, a);
    show_rounding(out, a);
    show_result(out, a);
    if (a->q->function)
        show_reasons(out, a);
    show_policies(out, a);
}

/* SPDX-License-Identifier: MIT */
/* operation.c -- which policy an operation follows, by its results */
#include "diagnose/policy/operation.h"
#include "diagnose/policy/identify.h"
#include "softfp8/core.h"

#include <string.h>

typedef struct search {
    operation_findings *f;
    const sf8_function *function;
    const operation_row *rows;
    size_t count;
    int exact, has_flags;
} search;

sf8_result operation_result(const sf8_function *function, const operation_rule *rule,
                            const uint64_t *operand, int exact)
{
    if (!rule->through)
        return sf8_function_call(function, operand, rule->policy, 0, exact);
    sf8_function wide = *function;
    uint64_t x[3] = {0, 0, 0};
    wide.result = rule->wide;
    for (int i = 0; i < function->operands; i++) {
        x[i] = operand[i];
        if (function->operand[i].kind != SF8_WORD_FLOAT) /* an integer, of a conversion */
            continue;
        wide.operand[i] = rule->wide;
        x[i] = sf8_convert(rule->wide.format, function->operand[i].format, operand[i],
                           sf8_core_via_step());
    }
    sf8_result first = sf8_function_call(&wide, x, sf8_core_via_step(), 0, exact);
    sf8_result r = sf8_convert_sr(function->result.format, rule->wide.format, first.code,
                                  rule->policy, 0);
    return (sf8_result){r.code, first.flags | r.flags};
}

/* Counts what the rule gives; 0 if it cannot give as many codes, or flags, as are asked for. */
static int count_rows(const search *s, operation_rule *rule, size_t least, size_t least_flags)
{
    rule->codes = rule->flags = 0;
    for (size_t i = 0; i < s->count; i++) {
        const operation_row *row = &s->rows[i];
        sf8_result r = operation_result(s->function, rule, row->operand, s->exact);
        int same = r.code == row->code;
        rule->codes += (size_t)same;
        rule->flags += same && (!s->has_flags || r.flags == row->flags);
        size_t rest = s->count - 1 - i;
        if (rule->codes + rest < least || rule->flags + rest < least_flags)
            return 0;
    }
    return 1;
}

static int is_better(const operation_rule *a, const operation_rule *b)
{
    return a->codes != b->codes ? a->codes > b->codes : a->flags > b->flags;
}

/* Into its place among the best; rules that are alike stay in the order in which they came. */
static void keep(operation_findings *f, const operation_rule *rule)
{
    size_t at = f->found < OPERATION_RULES ? f->found : OPERATION_RULES - 1;
    if (f->found == OPERATION_RULES && !is_better(rule, &f->rule[at]))
        return;
    f->found += f->found < OPERATION_RULES;
    for (; at > 0 && is_better(rule, &f->rule[at - 1]); at--)
        f->rule[at] = f->rule[at - 1];
    f->rule[at] = *rule;
}

/* `base` is the rule that was changed, or NULL: a change has to give more than it. */
static void try_rule(search *s, operation_rule *rule, const operation_rule *base)
{
    operation_findings *f = s->f;
    for (size_t i = 0; i < f->found; i++)
        if (identify_same_policy(f->rule[i].policy, rule->policy) &&
            f->rule[i].through == rule->through)
            return;
    size_t least = f->found == OPERATION_RULES ? f->rule[OPERATION_RULES - 1].codes : 0;
    size_t flags = base && base->codes == s->count ? base->flags + 1 : 0;
    f->tried++;
    if (count_rows(s, rule, flags ? s->count : least, flags) && (!base || is_better(rule, base)))
        keep(f, rule);
}

static sf8_format format_of(const sf8_function *function)
{
    return function->result.kind == SF8_WORD_FLOAT ? function->result.format
                                                   : function->operand[0].format;
}

static void try_named(search *s)
{
    const sf8_policy_row *row;
    sf8_format f = format_of(s->function);
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        operation_rule rule = {.policy_name = row->name,
                               .policy = sf8_policy_named(row->name, NULL)};
        if (!sf8_policy_holds(row, f, f))
            continue;
        rule.policy.via = SF8_VIA_NONE; /* of conversions alone */
        for (unsigned round = 0; round < SF8_SR; round++) {
            rule.policy.round = round & 7;
            try_rule(s, &rule, NULL);
        }
    }
}

/* The values of a field, one after the other: 1, or 0 past the last. */
static int value_at(const char *values, size_t i, char value[24])
{
    for (;; i--) {
        size_t n = strcspn(values, " ");
        if (n == 0 || n >= 24)
            return 0;
        memcpy(value, values, n);
        value[n] = '\0';
        if (i == 0)
            return 1;
        values += n + (values[n] == ' ');
    }
}

/* Fields that change nothing in an operation, or that were tried. */
static int is_idle(const char *field)
{
    return strcmp(field, "via") == 0 || strcmp(field, "round") == 0 ||
           strncmp(field, "sr_", 3) == 0;
}

/* Fields that change flags alone. */
static int is_of_flags(const char *field)
{
    return strcmp(field, "tininess") == 0 || strcmp(field, "quiet") == 0 ||
           strcmp(field, "inf_flags") == 0 || strcmp(field, "nan_flags") == 0;
}

/* Of a base that gives all codes only what changes its flags. */
static void try_changes(search *s, const operation_rule *base)
{
    int codes = base->codes == s->count;
    for (size_t i = 0; sf8_policy_field_at(i); i++)
        for (size_t k = 0; k < 8; k++) {
            operation_rule rule = *base;
            char value[24];
            rule.field = sf8_policy_field_at(i);
            if (is_idle(rule.field) || (codes && !is_of_flags(rule.field)) ||
                !value_at(sf8_policy_field_values(i), k, value) ||
                sf8_policy_set(&rule.policy, rule.field, value) != SF8_OK ||
                identify_same_policy(rule.policy, base->policy))
                continue;
            try_rule(s, &rule, base);
        }
}

/* Operations whose result is rounded. */
static int rounds(const sf8_function *f)
{
    return f->op == SF8_OP_FROM_INTEGER || f->op == SF8_OP_add || f->op == SF8_OP_sub ||
           f->op == SF8_OP_mul || f->op == SF8_OP_mulAdd || f->op == SF8_OP_div ||
           f->op == SF8_OP_sqrt;
}

/* Whether each number of a format is one of the other. */
static int holds_format(sf8_format wide, sf8_format f)
{
    return sf8_format_bits(wide) > sf8_format_bits(f) && wide.man_bits >= f.man_bits &&
           sf8_format_emax(wide) >= sf8_format_emax(f) &&
           1 - wide.bias - (int)wide.man_bits <= 1 - f.bias - (int)f.man_bits;
}

/* As software does that has no arithmetic of the format: in a wider one, and rounded again, as the
 * base does or to the nearest. */
static void try_through(search *s, const operation_rule *base)
{
    static const char *const names[] = {"bf16", "f16", "f32"};
    if (!rounds(s->function))
        return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        operation_rule rule = *base;
        rule.through = names[i];
        sf8_word_named(names[i], &rule.wide);
        if (!holds_format(rule.wide.format, format_of(s->function)))
            continue;
        try_rule(s, &rule, base);
        rule.policy.round = SF8_RNE;
        try_rule(s, &rule, base);
    }
}

void operation_search(operation_findings *f, const sf8_function *function, int exact,
                      const operation_row *rows, size_t count, int has_flags)
{
    search s = {f, function, rows, count, exact, has_flags};
    memset(f, 0, sizeof *f);
    f->rows = count;
    try_named(&s);
    enum { BASES = 4 };
    operation_rule base[BASES];
    size_t bases = f->found < BASES ? f->found : BASES;
    memcpy(base, f->rule, bases * sizeof base[0]);
    for (size_t i = 0; i < bases && f->rule[0].codes < count; i++)
        try_through(&s, &base[i]);
    for (size_t i = 0; i < bases && f->rule[0].flags < count; i++)
        try_changes(&s, &base[i]);
}

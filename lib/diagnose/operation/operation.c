/* SPDX-License-Identifier: MIT */
/* operation.c -- which policy an operation follows, by its results */
#include "diagnose/operation/rules.h"
#include "softfp8/core.h"

#include <string.h>

enum { KEPT = 16, BASES = 4 };

/* ---- what a rule gives ----------------------------------------------------------------------- */

/* In a wider format first, and rounded again. */
static sf8_result through(const sf8_function *function, sf8_format format, sf8_policy policy,
                          const uint64_t *operand)
{
    sf8_function wide = *function;
    uint64_t x[3] = {0, 0, 0};
    wide.result = (sf8_word){SF8_WORD_FLOAT, sf8_format_bits(format), format};
    for (int i = 0; i < function->operands; i++) {
        x[i] = operand[i];
        if (function->operand[i].kind != SF8_WORD_FLOAT) /* an integer, of a conversion */
            continue;
        wide.operand[i] = wide.result;
        x[i] = sf8_convert(format, function->operand[i].format, operand[i], sf8_core_via_step());
    }
    sf8_result first = sf8_function_call(&wide, x, sf8_core_via_step(), 0, 0);
    sf8_result r = sf8_convert_sr(function->result.format, format, first.code, policy, 0);
    return (sf8_result){r.code, first.flags | r.flags};
}

static sf8_format format_of_way(rules_way way)
{
    return way == RULES_BF16 ? SF8_BF16 : way == RULES_F16 ? SF8_F16 : SF8_F32;
}

static int is_nan(const sf8_word *word, uint64_t code)
{
    return word->kind == SF8_WORD_FLOAT && sf8_is_nan(word->format, code);
}

/* The sign of a NaN is set, unless an operand is NaN. */
static sf8_result with_negative_nan(const rules_results *r, sf8_result result,
                                    const uint64_t *operand)
{
    const sf8_function *f = &r->function;
    int made = is_nan(&f->result, result.code) && f->result.format.is_signed;
    for (int i = 0; i < f->operands; i++)
        made &= !is_nan(&f->operand[i], operand[i]);
    result.code |= made ? sf8_format_sign_bit(f->result.format) : 0;
    return result;
}

/* The format in which results are, or the operands of what gives no number of a format. */
static sf8_format format_of(const sf8_function *f)
{
    return f->result.kind == SF8_WORD_FLOAT ? f->result.format : f->operand[0].format;
}

/* The function, if its format had another bias. */
static sf8_function biased(const sf8_function *function, int more)
{
    sf8_format format = format_of(function);
    sf8_function f = *function;
    for (int i = 0; i <= f.operands; i++) {
        sf8_word *word = i < f.operands ? &f.operand[i] : &f.result;
        if (word->kind == SF8_WORD_FLOAT && identify_same_format(word->format, format))
            word->format.bias = (int16_t)(word->format.bias + more);
    }
    return f;
}

static sf8_result compute(const rules_results *r, const rules_rule *rule, const rules_row *row)
{
    const sf8_function f = biased(&r->function, rule->bias);
    if (rule->way != RULES_PLAIN && rule->way != RULES_NAN_NEGATIVE)
        return through(&f, format_of_way(rule->way), rule->policy, row->operand);
    sf8_result result = sf8_function_call(&f, row->operand, rule->policy, 0, 0);
    return rule->way == RULES_PLAIN ? result : with_negative_nan(r, result, row->operand);
}

/* ---- the rules ------------------------------------------------------------------------------- */

/* Tries a rule, unless one that is the same is kept. */
static void try_new(const rules_search *s, rules_rule *rule, const rules_rule *base)
{
    const rules_found *f = s->f;
    for (size_t i = 0; i < f->found; i++)
        if (identify_same_policy(f->rule[i].policy, rule->policy) && f->rule[i].way == rule->way &&
            f->rule[i].bias == rule->bias)
            return;
    rules_try(s, rule, base);
}

/* `base`: NULL, or a rule whose bias they take. */
static void try_named(const rules_search *s, sf8_format f, const rules_rule *base)
{
    const sf8_policy_row *row;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++)
        for (uint32_t round = 0; round < SF8_SR && sf8_policy_holds(row, f, f); round++) {
            rules_rule rule = rules_named(row->name, round);
            rule.policy.via = SF8_VIA_NONE; /* of conversions alone */
            rule.bias = base ? s->f->rule[0].bias : 0;
            try_new(s, &rule, base);
        }
}

/* Fields that change nothing in an operation, or that were tried. */
static int is_idle(const char *field)
{
    return strcmp(field, "via") == 0 || strcmp(field, "round") == 0 ||
           strncmp(field, "sr_", 3) == 0;
}

/* Of a base that gives all codes only what changes its flags. */
static void try_changes(const rules_search *s, const rules_rule *base)
{
    const identify_cause *cause;
    int codes = base->codes == s->r->count;
    for (size_t i = 0; (cause = identify_cause_at(i)) != NULL; i++) {
        rules_rule rule = *base;
        rule.cause = cause;
        if (!cause->apply && !is_idle(cause->name) && (!codes || cause->of == IDENTIFY_OF_FLAGS) &&
            sf8_policy_set(&rule.policy, cause->name, cause->value) == SF8_OK &&
            !identify_same_policy(rule.policy, base->policy))
            try_new(s, &rule, base);
    }
}

/* Whether software without the operation can compute it in a wider format, and round again. */
static int rounds(const sf8_function *f)
{
    return sf8_function_rounds(f) && f->op != SF8_OP_CONVERT && f->op != SF8_OP_TO_INTEGER &&
           f->op != SF8_OP_roundToInt;
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
static void try_through(const rules_search *s, sf8_format f, const rules_rule *base)
{
    for (rules_way way = RULES_BF16; way <= RULES_F32; way++) {
        rules_rule rule = *base;
        rule.way = way;
        if (!rounds(&s->r->function) || !holds_format(format_of_way(way), f))
            continue;
        try_new(s, &rule, base);
        rule.policy.round = SF8_RNE;
        try_new(s, &rule, base);
    }
}

enum { BIASES = 8, RESULTS_FOR_BIAS = 16 };

/* As if the format had another bias, which a few results fit by chance; and with the sign that x86
 * gives a NaN. */
static void try_sign_and_bias(const rules_search *s, const rules_rule *base)
{
    sf8_format f = format_of(&s->r->function);
    rules_rule rule = *base;
    rule.way = RULES_NAN_NEGATIVE;
    if (!sf8_function_rounds(&s->r->function))
        return;
    try_new(s, &rule, base);
    for (int more = -BIASES; more <= BIASES && s->r->count >= RESULTS_FOR_BIAS; more++) {
        sf8_format other = f;
        other.bias = (int16_t)(f.bias + more);
        rule = *base;
        rule.bias = more;
        if (more && sf8_format_valid(other))
            try_new(s, &rule, base);
    }
}

/* The policies for the function's format with each rounding; if none gives all, the best of them
 * with the operation computed in a wider format first, with another sign of NaN or another bias,
 * and with one field changed. */
void operation_search(rules_results *r, rules_found *f)
{
    sf8_format format = format_of(&r->function);
    rules_rule base[BASES];
    rules_search s = rules_begin(r, f, KEPT, KEPT, 0);
    r->compute = compute;
    try_named(&s, format, NULL);
    size_t bases = f->found < BASES ? f->found : BASES;
    memcpy(base, f->rule, bases * sizeof base[0]);
    for (size_t i = 0; i < bases && f->rule[0].codes < r->count; i++)
        try_through(&s, format, &base[i]);
    for (size_t i = 0; i < bases && f->rule[0].codes < r->count; i++)
        try_sign_and_bias(&s, &base[i]);
    if (f->found && f->rule[0].bias && f->rule[0].codes < r->count)
        try_named(&s, format, &base[0]);
    for (size_t i = 0; i < bases && f->rule[0].flags < r->count; i++)
        try_changes(&s, &base[i]);
    rules_end(&s);
}

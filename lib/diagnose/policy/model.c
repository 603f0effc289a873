/* SPDX-License-Identifier: MIT */
/* model.c -- a converter as a policy and the mistakes in it: the code it gives */
#include "diagnose/policy/operand.h"

/* Makes the mistake of a group, if the model has one: whether that decided the code. */
static int makes(const identify_model *m, identify_group group, identify_operand *x)
{
    const identify_cause *mistake = identify_mistake_of(m, group);
    return mistake && mistake->apply(x);
}

/* Where infinity is treated as an overflow a code that was seen for that is infinity's, too. */
static int overflows_to_seen(const identify_model *m, identify_operand *x)
{
    const identify_cause *mistake = identify_mistake_of(m, IDENTIFY_GROUP_OVER);
    if (!mistake || !mistake->seen || x->policy.inf != x->policy.overflow)
        return 0;
    x->code = x->seen->code[mistake->seen][x->sign];
    return 1;
}

static void convert_special(const identify_model *m, identify_operand *x)
{
    int is_nan = sf8_is_nan(x->from, x->word);
    if (!makes(m, is_nan ? IDENTIFY_GROUP_NAN : IDENTIFY_GROUP_INF, x) &&
        (is_nan || !overflows_to_seen(m, x)))
        x->code = operand_convert(x, x->word);
}

static void convert_finite(const identify_model *m, identify_operand *x)
{
    x->value = operand_value_of(x->from, x->word);
    makes(m, IDENTIFY_GROUP_TIE, x);
    if (!makes(m, IDENTIFY_GROUP_CARRY, x) && !makes(m, IDENTIFY_GROUP_SUB, x) &&
        !makes(m, IDENTIFY_GROUP_OVER, x))
        x->code = operand_convert(x, x->word);
    if (x->value.sig == 0 || (x->code & ~sf8_format_sign_bit(x->to)) == 0)
        makes(m, IDENTIFY_GROUP_ZERO, x);
}

/* Of two steps a mistake is made in the second. */
static void take_first_step(identify_operand *x)
{
    if (!sf8_core_takes_via(x->from, x->policy))
        return;
    x->word = sf8_core_first_step(x->from, x->word, x->policy);
    x->from = sf8_core_via_format(x->policy);
    x->policy.via = SF8_VIA_NONE;
}

uint64_t identify_code(const identify_model *m, const identify_seen *seen, sf8_format from,
                       sf8_format to, uint64_t word)
{
    if (m->mistakes == 0)
        return sf8_core_convert(to, from, word, m->policy, 0).code;
    identify_operand x = {.seen = seen,
                          .from = from,
                          .to = to,
                          .word = word & sf8_format_code_mask(from),
                          .policy = m->policy};
    take_first_step(&x);
    x.sign = sf8_core_sign(x.from, x.word);
    if (sf8_is_special(x.from, x.word))
        convert_special(m, &x);
    else
        convert_finite(m, &x);
    makes(m, IDENTIFY_GROUP_LAST, &x);
    return x.code;
}

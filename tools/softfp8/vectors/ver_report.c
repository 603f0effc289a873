/* SPDX-License-Identifier: MIT */
/* ver_report.c -- what both ways of `ver` need: the policy and title of a run, the lines of errors */
#include "vectors/ver.h"

#include <string.h>

static int is_narrow(const sf8_word *word)
{
    return word->kind == SF8_WORD_FLOAT && sf8_format_bits(word->format) <= 8;
}

/* What TestFloat knows is checked as loosely as TestFloat does it; what it does not, strictly. */
static void choose_strictness(verification *v)
{
    int strict = is_narrow(&v->function.operand[0]) || is_narrow(&v->function.result);
    if (v->check_nans < 0)
        v->check_nans = strict;
    if (v->check_integers < 0)
        v->check_integers = strict;
    v->partial |= !strict;
}

void ver_prepare(verification *v)
{
    v->policy = testfloat_policy(&v->t, &v->function, &v->base);
    v->stochastic = v->policy.round == SF8_SR;
    choose_strictness(v);
    testfloat_title(&v->t, &v->function, v->policy, v->base, v->title, sizeof v->title);
}

char *ver_operands(char *at, const verification *v, const uint64_t *operands)
{
    for (int i = 0; i < v->function.operands; i++) {
        if (i)
            at = (char *)memcpy(at, "  ", 2) + 2;
        at = testfloat_word(at, &v->function.operand[i], operands[i]);
    }
    if (v->stochastic) {
        at = (char *)memcpy(at, "  ", 2) + 2;
        at = hex_write(at, operands[v->function.operands], 8, hex_upper);
    }
    return at;
}

int ver_error(verification *v)
{
    if (v->errors++ == 0)
        output_print(v->out, "Errors found in %s:\n", v->title);
    return v->most_errors && v->errors == v->most_errors;
}

void ver_result(verification *v, const uint64_t *operands, const sf8_result *found,
                const sf8_result *right, const char *more)
{
    char text[256], *at = ver_operands(text, v, operands);
    int flags = v->layout.flags >= 0;
    at = (char *)memcpy(at, "  => ", 5) + 5;
    at = testfloat_word(at, &v->function.result, found->code);
    if (flags)
        at = testfloat_flags((*at = ' ', at + 1), found->flags);
    at = (char *)memcpy(at, "  expected ", 11) + 11;
    at = testfloat_word(at, &v->function.result, right->code);
    if (flags)
        at = testfloat_flags((*at = ' ', at + 1), right->flags);
    *at = '\0';
    output_print(v->out, "%s%s\n", text, more);
    output_flush(v->out); /* what is found is seen, whatever comes after it */
}

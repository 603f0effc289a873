/* SPDX-License-Identifier: MIT */
/* testfloat.c -- TestFloat's options and its way to write a case */
#include "files/testfloat.h"
#include "softfp8/core.h"

#include <stdio.h>
#include <string.h>

testfloat testfloat_defaults(void)
{
    testfloat t;
    memset(&t, 0, sizeof t);
    t.level = 1;
    t.seed = 1;
    t.columns = COLUMNS_ALL;
    return t;
}

/* ---- options --------------------------------------------------------------------------------- */

typedef struct spelling {
    const char *option, *field, *value;
} spelling;

/* TestFloat takes several spellings of some. */
static const spelling roundings[] = {
    {"rnear_even", "round", "rne"},
    {"rneareven", "round", "rne"},
    {"rnearest_even", "round", "rne"},
    {"rminMag", "round", "rz"},
    {"rminmag", "round", "rz"},
    {"rmin", "round", "rd"},
    {"rmax", "round", "ru"},
    {"rnear_maxMag", "round", "rna"},
    {"rnear_maxmag", "round", "rna"},
    {"rnearmaxmag", "round", "rna"},
    {"rnearest_maxmag", "round", "rna"},
    {"rnearest_maxMag", "round", "rna"},
    {"rodd", "round", "ro"},
    {"roddinf", "round", "ro"},
    {"tininessbefore", "tininess", "before"},
    {"tininessafter", "tininess", "after"},
};

static int spelled(arguments *a, testfloat *t)
{
    for (size_t i = 0; i < sizeof roundings / sizeof roundings[0]; i++) {
        const spelling *s = &roundings[i];
        if (!argument_flag(a, s->option))
            continue;
        policy_change(&t->choice, s->field, s->value);
        if (strcmp(s->field, "round") == 0)
            t->odd = strcmp(s->option, "rodd") == 0;
        if (strcmp(s->value, "ro") == 0)
            policy_change(&t->choice, "odd", t->odd ? "bounded" : "neighbour");
        return 1;
    }
    return 0;
}

static void saturation(arguments *a, testfloat *t)
{
    static const char *const words[] = {"none", "finite", "all", NULL};
    int which = argument_word(a, words);
    policy_change(&t->choice, "overflow", which == 0 ? "special" : "max");
    policy_change(&t->choice, "inf", which == 2 ? "max" : "special");
}

static void nan_sign(arguments *a, testfloat *t)
{
    static const char *const words[] = {"keep", "pos", "canonical", NULL};
    int which = argument_word(a, words);
    policy_change(&t->choice, "nan_sign", which == 0 ? "signed" : "positive");
    if (which == 2)
        policy_change(&t->choice, "nan_code", "quiet");
}

int testfloat_argument(arguments *a, testfloat *t)
{
    if (spelled(a, t))
        return 1;
    if (argument_is(a, "rstoch")) {
        policy_change(&t->choice, "round", "sr");
        policy_change(&t->choice, "sr_bits", argument_value(a));
    } else if (argument_flag(a, "exact"))
        t->exact = 1;
    else if (argument_flag(a, "notexact"))
        t->exact = 0;
    else if (argument_is(a, "level"))
        t->level = (int)argument_number(a, 1, 2);
    else if (argument_flag(a, "level1"))
        t->level = 1;
    else if (argument_flag(a, "level2"))
        t->level = 2;
    else if (argument_is(a, "seed"))
        t->seed = argument_number(a, 0, UINT64_MAX);
    else if (argument_is(a, "sat"))
        saturation(a, t);
    else if (argument_is(a, "nansign"))
        nan_sign(a, t);
    else if (argument_flag(a, "critical"))
        t->critical = 1;
    else if (argument_is(a, "format"))
        t->form = (vector_form)argument_word(a, vector_forms);
    else if (argument_is(a, "columns"))
        t->columns = columns_of_text(argument_value(a));
    else
        return policy_argument(a, &t->choice);
    return 1;
}

/* ---- functions ------------------------------------------------------------------------------- */

/* The rest of `name` after the longest format or integer and "_" that begin it, or NULL. */
static const char *after_word(const char *name)
{
    const char *rest = NULL;
    for (const char *at = strchr(name, '_'); at; at = strchr(at + 1, '_')) {
        char word[SF8_NAME_SIZE];
        sf8_word w;
        snprintf(word, sizeof word, "%.*s", (int)(at - name), name);
        if (at - name < SF8_NAME_SIZE && sf8_word_named(word, &w) == SF8_OK)
            rest = at + 1;
    }
    return rest;
}

static _Noreturn void no_function(const char *name)
{
    const char *rest = after_word(name);
    const char *near = rest ? nearest_name(rest, sf8_function_op_at) : NULL;
    if (rest && strncmp(rest, "to_", 3) == 0 && !near)
        near = nearest_name(rest + 3, format_name_at);
    else if (!rest) {
        char word[SF8_NAME_SIZE];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "_"), name);
        near = nearest_name(word, format_name_at);
    }
    if (near && !rest)
        fail("no function '%s': it begins with a format; '%s'?", name, near);
    if (near)
        fail("no function '%s'; '%s' in place of '%s'?", name, near, rest);
    fail("no function '%s'; 'softfp8 gen -list' lists them", name);
}

sf8_function testfloat_function(const char *name)
{
    sf8_function f;
    sf8_status status = sf8_function_named(name, &f);
    if (status == SF8_BAD_FORMAT)
        fail("no function '%s': operations need a precision of 24 bits or less", name);
    if (status != SF8_OK)
        no_function(name);
    return f;
}

static sf8_format policy_format(const sf8_function *f)
{
    return f->result.kind == SF8_WORD_FLOAT ? f->result.format : f->operand[0].format;
}

static int gives_integer(const sf8_function *f)
{
    return f->op == SF8_OP_TO_INTEGER || f->op == SF8_OP_roundToInt;
}

sf8_policy testfloat_policy(const testfloat *t, const sf8_function *function, const char **base)
{
    const sf8_word *operand = &function->operand[0];
    sf8_format to = policy_format(function);
    sf8_format from = operand->kind == SF8_WORD_FLOAT ? operand->format : to;
    sf8_policy policy = policy_resolve(&t->choice, to, from, base);
    if (t->odd && policy.round == SF8_RO && gives_integer(function))
        policy.round = SF8_RZ;
    return policy;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The operations whose result is never rounded. */
static int rounds(const sf8_function *f)
{
    switch (f->op) {
    case SF8_OP_CONVERT:
    case SF8_OP_FROM_INTEGER:
    case SF8_OP_TO_INTEGER:
    case SF8_OP_add:
    case SF8_OP_sub:
    case SF8_OP_mul:
    case SF8_OP_mulAdd:
    case SF8_OP_div:
    case SF8_OP_sqrt:
    case SF8_OP_roundToInt:
        return 1;
    default:
        return 0;
    }
}

/* The policy without what the title says in words of its own. */
static sf8_policy policy_shown(sf8_policy policy, const char *base)
{
    sf8_policy b = sf8_policy_named(base, NULL);
    policy.round = b.round;
    policy.tininess = b.tininess;
    return policy;
}

void testfloat_title(const testfloat *t, const sf8_function *f, sf8_policy policy, const char *base,
                     char *text, size_t size)
{
    static const char *const modes[] = {"near_even", "near_maxMag", "minMag",      "max",
                                        "min",       "odd",         "near_minMag", "stochastic"};
    size_t used = (size_t)snprintf(text, size, "%s", f->name);
    if (rounds(f))
        used += (size_t)snprintf(text + used, size - used, ", rounding %s", modes[policy.round]);
    if (rounds(f) && !gives_integer(f))
        used += (size_t)snprintf(text + used, size - used, ", tininess %s rounding",
                                 policy.tininess == SF8_TINY_BEFORE ? "before" : "after");
    if (gives_integer(f))
        used += (size_t)snprintf(text + used, size - used, ", %s",
                                 t->exact ? "exact" : "not exact");
    char fields[1024];
    snprintf(text + used, size - used, ", policy %s",
             policy_text(base, policy_shown(policy, base), fields));
}

char *testfloat_word(char *at, const sf8_word *word, uint64_t value)
{
    if (word->kind != SF8_WORD_FLOAT)
        return hex_write(at, value, word_digits(word->bits), hex_upper);
    sf8_format f = word->format;
    uint64_t magnitude = value & sf8_format_mag_mask(f);
    *at++ = sf8_core_sign(f, value) ? '-' : '+';
    at = hex_write(at, magnitude >> f.man_bits, word_digits(f.exp_bits), hex_upper);
    *at++ = '.';
    return hex_write(at, magnitude & ((UINT64_C(1) << f.man_bits) - 1), word_digits(f.man_bits),
                     hex_upper);
}

char *testfloat_flags(char *at, uint32_t flags)
{
    static const char letters[] = "vioux";
    for (int i = 0; i < 5; i++)
        *at++ = flags >> (4 - i) & 1 ? letters[i] : '.';
    return at;
}

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

/* round=text; -rodd and -roddinf differ in overflow. */
static void take_rounding(void *place, const cli_option *o, const char *value)
{
    testfloat *t = place;
    (void)value;
    policy_change(&t->choice, "round", o->text);
    if (strcmp(o->text, "ro") == 0)
        policy_change(&t->choice, "odd", option_is(o, "rodd", 4) ? "bounded" : "neighbour");
}

static void take_tininess(void *place, const cli_option *o, const char *value)
{
    testfloat *t = place;
    (void)value;
    policy_change(&t->choice, "tininess", o->text);
}

static void take_random_bits(void *place, const cli_option *o, const char *value)
{
    testfloat *t = place;
    (void)o;
    policy_change(&t->choice, "round", "sr");
    policy_change(&t->choice, "sr_bits", value);
}

static void take_saturation(void *place, const cli_option *o, const char *value)
{
    testfloat *t = place;
    (void)o;
    policy_change(&t->choice, "overflow", strcmp(value, "none") == 0 ? "special" : "max");
    policy_change(&t->choice, "inf", strcmp(value, "all") == 0 ? "max" : "special");
}

static void take_nan_sign(void *place, const cli_option *o, const char *value)
{
    testfloat *t = place;
    (void)o;
    policy_change(&t->choice, "nan_sign", strcmp(value, "keep") == 0 ? "signed" : "positive");
    if (strcmp(value, "canonical") == 0)
        policy_change(&t->choice, "nan_code", "quiet");
}

static const char *const saturations[] = {"none", "finite", "all", NULL};
static const char *const nan_signs[] = {"keep", "pos", "canonical", NULL};

/* After "/" stand other spellings that TestFloat takes. */
const cli_option testfloat_own_options[] = {
    HEADING("Rounding and overflow, as TestFloat names them"),
    {"-rnear_even / -rneareven -rnearest_even", NULL, "rounds to nearest, ties to even",
     .kind = OPTION_CALL, .take = take_rounding, .text = "rne"},
    {"-rnear_maxMag / -rnear_maxmag -rnearmaxmag -rnearest_maxmag -rnearest_maxMag", NULL,
     "rounds to nearest, ties away from zero", .kind = OPTION_CALL, .take = take_rounding,
     .text = "rna"},
    {"-rminMag / -rminmag", NULL, "rounds toward zero", .kind = OPTION_CALL, .take = take_rounding,
     .text = "rz"},
    {"-rmin", NULL, "rounds down", .kind = OPTION_CALL, .take = take_rounding, .text = "rd"},
    {"-rmax", NULL, "rounds up", .kind = OPTION_CALL, .take = take_rounding, .text = "ru"},
    {"-rodd", NULL,
     "rounds to odd as TestFloat does: overflow gives the largest number if its code is odd "
     "(odd=bounded)",
     .kind = OPTION_CALL, .take = take_rounding, .text = "ro"},
    {"-roddinf", NULL, "rounds to odd as --round ro does (odd=neighbour)", .kind = OPTION_CALL,
     .take = take_rounding, .text = "ro"},
    {"-rstoch", "BITS",
     "rounds stochastically with this many random bits, 16 with --round sr. Each case has one more "
     "operand, a random number of 8 digits whose low BITS bits count; a step table has one value "
     "for all inputs",
     .kind = OPTION_CALL, .take = take_random_bits},
    {"-tininessbefore", NULL, "underflow is detected before rounding", .kind = OPTION_CALL,
     .take = take_tininess, .text = "before"},
    {"-tininessafter", NULL, "underflow is detected after rounding", .kind = OPTION_CALL,
     .take = take_tininess, .text = "after"},
    {"-exact", NULL, "rounding to an integer raises inexact", FLAG(testfloat, exact)},
    {"-notexact", NULL, "rounding to an integer does not raise inexact (the default)",
     FLAG_AS(testfloat, exact, 0)},
    {"-sat", NULL, "the same as --overflow ieee, clip or sat", .kind = OPTION_CALL,
     .take = take_saturation, .words = saturations},
    {"-nansign", NULL,
     "keep sets nan_sign=signed; pos sets nan_sign=positive; canonical also sets nan_code=quiet",
     .kind = OPTION_CALL, .take = take_nan_sign, .words = nan_signs},
    {.kind = OPTION_END},
};

const cli_option testfloat_options[] = {
    HEADING("Which cases, in which format"),
    GROUP(testfloat, form, form_option),
    GROUP(testfloat, columns, columns_option),
    {"--critical", NULL,
     "uses the critical set even if all cases could be written, as for f16, bf16 and e4m3_fma",
     FLAG(testfloat, critical)},
    {"-level", "1|2", "level 2 has more cases", NUMBER(testfloat, level, 1, 2), .complete = "1 2"},
    {"/ -level1", NULL, "-level 1", FLAG_AS(testfloat, level, 1)},
    {"/ -level2", NULL, "-level 2", FLAG_AS(testfloat, level, 2)},
    {"-seed", "N",
     "the seed of the random cases; equal seeds give equal cases everywhere. Default: 1",
     NUMBER(testfloat, seed, 0, UINT64_MAX)},
    {.kind = OPTION_GROUP, .group = testfloat_own_options},
    GROUP(testfloat, choice, policy_options),
    {.kind = OPTION_END},
};

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

/* Formats that are written by their fields: says what is wrong in them. */
static void check_fields(const char *name)
{
    char part[2 * SF8_NAME_SIZE];
    const char *to = strstr(name, "_to_");
    const char *const texts[] = {name, to ? to + 4 : ""};
    const size_t lengths[] = {to ? (size_t)(to - name) : strcspn(name, "_"), strlen(texts[1])};
    for (int i = 0; i < 2; i++) {
        snprintf(part, sizeof part, "%.*s", (int)lengths[i], texts[i]);
        if (strchr(part, '='))
            format_of_name(part);
    }
}

/* The operations, and the two that have a second name. */
static const char *op_name_at(size_t i)
{
    static const char *const second[] = {"fma", "rint", NULL};
    const size_t first = SF8_OP_COUNT - (SF8_OP_TO_INTEGER + 1);
    return i < first ? sf8_function_op_at(i) : second[i - first];
}

static _Noreturn void no_function(const char *name)
{
    check_fields(name);
    const char *rest = after_word(name);
    const char *near = rest ? nearest_name(rest, op_name_at) : NULL;
    if (rest && strncmp(rest, "to_", 3) == 0 && !near)
        near = nearest_name(rest + 3, format_name_at);
    else if (!rest) {
        char word[SF8_NAME_SIZE];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(name, "_"), name);
        near = nearest_name(word, format_name_at);
    }
    if (near && !rest)
        fail("no function '%s'; its name begins with a format: did you mean '%s'?", name, near);
    if (near)
        fail("no function '%s'; did you mean '%s' instead of '%s'?", name, near, rest);
    if (rest && strncmp(rest, "to_", 3) != 0 && strstr(rest, "_to_"))
        fail("no function '%s'; operations on mixed formats are named "
             "FORMAT[_FORMAT...]_OP_to_FORMAT, with one format for all operands or one for each, "
             "such as e4m3_e5m2_mul_to_f32",
             name);
    fail("no function '%s'; 'softfp8 gen -list' lists them", name);
}

sf8_function testfloat_function(const char *name)
{
    sf8_function f;
    name = in_one_word(name);
    sf8_status status = sf8_function_named(name, &f);
    if (status == SF8_BAD_FORMAT && strstr(name, "hif"))
        fail("no function '%s': hif8 has only conversions to and from formats, such as "
             "f32_to_hif8",
             name);
    if (status == SF8_BAD_FORMAT)
        fail("no function '%s': arithmetic needs a format of at most 24 bits of precision, such as "
             "f32",
             name);
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

void testfloat_check_via(const sf8_function *function, sf8_policy policy, const char *base)
{
    if (function->op != SF8_OP_CONVERT && policy.via != SF8_VIA_NONE &&
        policy.via != sf8_policy_named(base, NULL).via)
        fail("--via: %s is no conversion between formats of floating-point numbers, and rounds "
             "once",
             function->name);
}

sf8_policy testfloat_policy(const testfloat *t, const sf8_function *function, const char **base)
{
    const sf8_word *operand = &function->operand[0];
    sf8_format to = policy_format(function);
    sf8_format from = operand->kind == SF8_WORD_FLOAT ? operand->format : to;
    const char *name;
    sf8_policy policy = policy_resolve(&t->choice, to, from, &name);
    testfloat_check_via(function, policy, name);
    policy_remark(&t->choice, function->name, name);
    if (base)
        *base = name;
    return policy;
}

/* ---- reports --------------------------------------------------------------------------------- */

/* The policy without what the title says in words of its own. Stochastic rounding stays: its random
 * bits belong to it. */
static sf8_policy policy_shown(sf8_policy policy, const char *base)
{
    sf8_policy b = sf8_policy_named(base, NULL);
    policy.round = policy.round == SF8_SR ? SF8_SR : b.round;
    policy.tininess = b.tininess;
    return policy;
}

void testfloat_title(const testfloat *t, const sf8_function *f, sf8_policy policy, const char *base,
                     char *text, size_t size)
{
    static const char *const modes[] = {"near_even", "near_maxMag", "minMag",      "max",
                                        "min",       "odd",         "near_minMag", "stochastic"};
    size_t used = (size_t)snprintf(text, size, "%s", f->name);
    if (sf8_function_rounds(f))
        used += (size_t)snprintf(text + used, size - used, ", rounding %s", modes[policy.round]);
    if (sf8_function_rounds(f) && !gives_integer(f))
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

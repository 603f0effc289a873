/* SPDX-License-Identifier: MIT */
/* policy.c -- formats and policies as the command line names them */
#include "cli/options.h"
#include "recipes/find.h"
#include "softfp8_mma.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* ---- names ----------------------------------------------------------------------------------- */

const char *format_name_at(size_t i)
{
    return sf8_format_at(i, NULL);
}

const char *policy_row_name_at(size_t i)
{
    const sf8_policy_row *row = sf8_policy_at(i);
    return row ? row->name : NULL;
}

/* Policies, then products, whose rows stand together, then aliases. */
const char *policy_name_at(size_t i)
{
    const sf8_policy_row *row = sf8_policy_at(i);
    const sf8_product_row *product;
    size_t policies = 0, products = 0;
    if (row)
        return row->name;
    while (sf8_policy_at(policies))
        policies++;
    if ((product = sf8_product_at(i - policies)) != NULL)
        return product->product;
    while (sf8_product_at(products))
        products++;
    return sf8_product_alias_at(i - policies - products, NULL);
}

/* Found whatever the case of its letters: E4M3, BF16. */
static sf8_format find_format(const char *name, sf8_status *status)
{
    const char *known;
    for (size_t i = 0; (known = sf8_format_at(i, NULL)) != NULL; i++)
        if (strcasecmp(known, name) == 0)
            return sf8_format_named(known, status);
    for (size_t i = 0; (known = sf8_format_alias_at(i, NULL)) != NULL; i++)
        if (strcasecmp(known, name) == 0)
            return sf8_format_named(known, status);
    return sf8_format_named(name, status);
}

/* The words of an option that were not written like this by the user. */
static char *keep(const char *text, size_t length)
{
    static char kept[1 << 14];
    static size_t used;
    if (length >= sizeof kept - used)
        fail("the formats and policies in this command are too long");
    char *copy = kept + used;
    memcpy(copy, text, length);
    copy[length] = '\0';
    used += length + 1;
    return copy;
}

const char *in_one_word(const char *text)
{
    static const char separators[] = " ,";
    if (!strchr(text, '=') || !strchr(text, ' '))
        return text;
    char *copy = keep(text, strlen(text)), *end = copy;
    for (const char *word = text + strspn(text, separators); *word;) {
        size_t length = strcspn(word, separators);
        memmove(end, copy + (word - text), length);
        end += length;
        word += length;
        word += strspn(word, separators);
        if (*word)
            *end++ = ',';
    }
    *end = '\0';
    return copy;
}

/* The word at which sf8_format_read or sf8_policy_read stopped. */
static const char *word_at(const char *text, size_t at, char word[64])
{
    snprintf(word, 64, "%.*s", (int)strcspn(text + at, " ,"), text + at);
    return word;
}

/* "e m bias ...", each name that `at` lists. */
static const char *listed(const char *(*at)(size_t i), char text[256])
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; at(i) && used < 256; i++)
        used += (size_t)snprintf(text + used, 256 - used, "%s%s", i ? " " : "", at(i));
    return text;
}

/* What a field may have, or NULL if there is no such field. */
static const char *values_of_format(const char *field, size_t length)
{
    for (size_t i = 0; sf8_format_field_at(i); i++) {
        const char *name = sf8_format_field_at(i);
        if (strlen(name) == length && memcmp(name, field, length) == 0)
            return sf8_format_field_values(i)[0] ? sf8_format_field_values(i) : "a number";
    }
    return NULL;
}

static _Noreturn void fail_row(const char *text, size_t at, sf8_status status)
{
    char word[64], names[256];
    word_at(text, at, word);
    const char *equals = strchr(word, '=');
    const char *values = values_of_format(word, strcspn(word, "="));
    if (status == SF8_BAD_FORMAT) {
        char why[BAD_FORMAT_SIZE];
        bad_format_reason(text, why);
        fail("format '%s': %s", text, why);
    }
    if (!word[0])
        fail("no format '%s'; 'softfp8 formats' lists them", text);
    if (!equals)
        fail("format '%s': '%s' is no format; expected a name, then FIELD=VALUE", text, word);
    if (!values)
        fail("format '%s': no field '%.*s'; the fields are %s", text, (int)(equals - word), word,
             listed(sf8_format_field_at, names));
    (void)status;
    fail("format '%s': %s: expected %s%s, and each field once", text, word,
         strcmp(values, "a number") == 0 ? "" : "one of ", values);
}

/* Fields, perhaps after a name. */
static sf8_format format_of_fields(const char *text)
{
    sf8_format f;
    size_t at = 0;
    sf8_status status = sf8_format_read(text, &f, &at);
    if (status != SF8_OK)
        fail_row(text, at, status);
    return f;
}

sf8_format format_of_name(const char *name)
{
    sf8_format f = format_to_convert(name);
    if (!sf8_format_valid(f))
        fail("format %s can only be converted, by 'softfp8 convert', 'gen' and 'ver', and shown by "
             "'softfp8 table'",
             name);
    return f;
}

static _Noreturn void fail_unknown(const char *name)
{
    char own[OWN_FORMAT_SIZE];
    const char *near = nearest_name(name, format_name_at), *fields = own_format_of(name, own);
    if (near && fields)
        fail("no format '%s'; did you mean '%s'? '%s' is a format of your own like those of IEEE "
             "754",
             name, near, fields);
    if (near)
        fail("no format '%s'; did you mean '%s'?", name, near);
    if (fields)
        fail("no format '%s'; write '%s' for one like those of IEEE 754", name, fields);
    fail("no format '%s'; 'softfp8 formats' lists them", name);
}

sf8_format format_to_convert(const char *name)
{
    sf8_status status;
    if (strchr(name, '='))
        return format_of_fields(name);
    sf8_format f = find_format(name, &status);
    if (status == SF8_OK)
        return f;
    const char *hint = no_single_format(name) ? no_single_format(name) : integer_hint(name);
    if (hint)
        fail("'%s' is %s", name, hint);
    fail_unknown(name);
}

int format_is_wide(sf8_format f)
{
    return sf8_format_bits(f) > 8;
}

const char *flags_text(uint32_t flags, char text[64])
{
    static const char *const names[] = {"inexact", "underflow", "overflow", "divbyzero", "invalid"};
    text[0] = '\0';
    for (int i = 4; i >= 0; i--) {
        if (!(flags >> i & 1))
            continue;
        if (text[0])
            strcat(text, " ");
        strcat(text, names[i]);
    }
    return text[0] ? text : strcpy(text, "none");
}

/* ---- policies -------------------------------------------------------------------------------- */

/* The name of a format that `via` has, for another name of it: f32 for float32. */
static const char *via_value(const char *value)
{
    static const char *const names[] = {"f32", "f16", "bf16"};
    sf8_status status;
    sf8_format f = find_format(value, &status);
    for (size_t i = 0; status == SF8_OK && i < sizeof names / sizeof names[0]; i++) {
        sf8_format named = sf8_format_named(names[i], NULL);
        if (memcmp(&f, &named, sizeof f) == 0)
            return names[i];
    }
    return value;
}

void policy_change(policy_choice *p, const char *field, const char *value)
{
    if (strcmp(field, "via") == 0)
        value = via_value(value);
    if (strcmp(field, "round") == 0)
        value = rounding_name(value);
    if (p->changes == sizeof p->change / sizeof p->change[0])
        fail("more than 64 options that change the policy");
    p->change[p->changes].field = field;
    p->change[p->changes].value = value;
    p->changes++;
}

/* The field that the option names. */
static void take_field(void *place, const cli_option *o, const char *value)
{
    policy_change(place, o->text, value);
}

static void take_overflow(void *place, const cli_option *o, const char *value)
{
    int saturate = strcmp(value, "sat") == 0, clip = strcmp(value, "clip") == 0;
    (void)o;
    policy_change(place, "overflow", saturate || clip ? "max" : "special");
    policy_change(place, "inf", saturate ? "max" : "special");
}

static int is_unit_parameter(const char *text, size_t length)
{
    char name[32];
    sf8_mma unit;
    memset(&unit, 0, sizeof unit);
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    return sf8_mma_set(&unit, name, "") != SF8_UNKNOWN_NAME;
}

/* FIELD=VALUE; the field's name is found in the library's list, so that it can be kept. */
static void take_change(void *place, const cli_option *o, const char *text)
{
    const char *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : 0;
    (void)o;
    if (!equals)
        fail("expected FIELD=VALUE, for example round=rz");
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        const char *field = sf8_policy_field_at(i);
        if (strlen(field) == length && memcmp(field, text, length) == 0) {
            policy_change(place, field, equals + 1);
            return;
        }
    }
    if (is_unit_parameter(text, length))
        fail("a parameter of matrix units, not a field of a policy; gen takes it in --unit 'UNIT "
             "%s'",
             text);
    static const char *const renamed[][2] = {
        {"early=", "overflow_test"}, {"carry=", "round_past_max"}, {"band=", "beyond_max"}};
    for (size_t i = 0; i < sizeof renamed / sizeof renamed[0]; i++)
        if (strncmp(text, renamed[i][0], strlen(renamed[i][0])) == 0)
            fail("'%s': no such field; it is %s now", text, renamed[i][1]);
    fail("'%s': no such field; 'softfp8 policies --fields' lists all", text);
}

/* A name, or FIELD=VALUE, or a name and then these: "ocp round=rz". */
static void take_policy(void *place, const cli_option *o, const char *text)
{
    policy_choice *p = place;
    size_t at = strspn(text, " ,"), length;
    if (!strchr(text, '=')) {
        p->name = text;
        return;
    }
    for (; (length = strcspn(text + at, " ,")) > 0; at += length, at += strspn(text + at, " ,")) {
        const char *word = keep(text + at, length);
        if (strchr(word, '='))
            take_change(place, o, word);
        else if (at == strspn(text, " ,"))
            p->name = word;
        else
            fail("'%s': expected FIELD=VALUE, for example round=rz", word);
    }
}

policy_choice policy_choice_of(const char *text)
{
    policy_choice p;
    memset(&p, 0, sizeof p);
    take_policy(&p, NULL, text);
    return p;
}

static const char *const roundings[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME) "sr", NULL};
static const char *const overflows[] = {"sat", "clip", "ieee", NULL};
const cli_option policy_options[] = {
    HEADING("Rounding and overflow rules"),
    {"--policy", "NAME",
     "a policy, or a product with or without its version, such as torch-2.12 or cuda ('softfp8 "
     "policies' lists all). Default: ocp, or ocp-nosat for a result of more than 8 bits. The "
     "options below change the policy, in the order given; so do fields after the name, as in "
     "\"ocp round=rz\"",
     .kind = OPTION_CALL, .take = take_policy, .name_at = policy_row_name_at},
    {"--round", "MODE",
     "the rounding mode. To nearest: rne (ties to even), rna (ties away from zero), rnz (ties "
     "toward zero). Directed: rz (toward zero), ru (up), rd (down). ro: to odd; sr: stochastic. "
     "Names of IEEE P3109 are accepted, too: NearestTiesToEven, ToOdd",
     .kind = OPTION_CALL, .take = take_field, .text = "round", .words = roundings,
     .other_name = rounding_name},
    {"--overflow", "RULE",
     "what overflow gives. sat: the largest number, also for infinity. clip: the largest number, "
     "but infinity stays. ieee: infinity, or NaN in formats without infinity",
     .kind = OPTION_CALL, .take = take_overflow, .words = overflows},
    {"--via", "FORMAT",
     "first rounds to this format if the source does not fit into it: none, f32, f16, bf16 or "
     "f32-f16; f16:rz and bf16:rz round toward zero",
     .kind = OPTION_CALL, .take = take_field, .text = "via",
     .complete = "none f32 f16 bf16 f32-f16 f16:rz bf16:rz"},
    {"--set", "FIELD=VALUE", "sets any field of the policy ('softfp8 policies --fields' lists all)",
     .kind = OPTION_CALL, .take = take_change, .complete = "field"},
    {.kind = OPTION_END},
};

static const char *values_of(const char *field)
{
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        if (strcmp(field, sf8_policy_field_at(i)) == 0 && sf8_policy_field_values(i)[0])
            return sf8_policy_field_values(i);
    }
    return "1 to 32";
}

int is_policy_name(const char *name)
{
    for (size_t i = 0; policy_name_at(i); i++)
        if (strcmp(policy_name_at(i), name) == 0)
            return 1;
    return 0;
}

/* A name of a format, or of several, is no policy. */
static void fail_other_name(const char *name)
{
    sf8_status status;
    sf8_format f = find_format(name, &status);
    if (status == SF8_OK && !format_is_wide(f))
        fail("'%s' is a format, not a policy; 'softfp8 policies --for %s' compares policies for it",
             name, name);
    if (status == SF8_OK)
        fail("'%s' is a format, not a policy; 'softfp8 formats %s' describes it", name, name);
    if (no_single_format(name))
        fail("no policy '%s'; it is %s", name, no_single_format(name));
}

const char *policy_for(const char *name, sf8_format to, sf8_format from)
{
    const char *policy_name = sf8_policy_for(name, to, from);
    if (policy_name)
        return policy_name;
    if (is_policy_name(name))
        fail("the policy of '%s' for this conversion is not known; 'softfp8 policies %s' lists the "
             "known ones",
             name, name);
    fail_other_name(name);
    const char *near = nearest_name(name, policy_name_at);
    if (near)
        fail("no policy '%s'; did you mean '%s'?", name, near);
    if (recipe_found_count(name))
        fail("no policy '%s'; 'softfp8 recipes %s' lists recipes", name, name);
    fail("no policy '%s'; 'softfp8 policies' lists them", name);
}

/* On standard error, once. */
static void remark_version(const char *name)
{
    static int said;
    char remark[VERSION_REMARK];
    if (!said && name && *policy_version_remark(name, remark)) {
        note("%s: %s", name, remark);
        said = 1;
    }
}

sf8_policy policy_resolve(const policy_choice *p, sf8_format to, sf8_format from, const char **name)
{
    const char *base = policy_for(p->name              ? p->name
                                  : format_is_wide(to) ? "ocp-nosat"
                                                       : "ocp",
                                  to, from);
    sf8_policy policy = sf8_policy_named(base, NULL);
    remark_version(p->name);
    for (int i = 0; i < p->changes; i++) {
        const char *field = p->change[i].field, *value = p->change[i].value;
        if (sf8_policy_set(&policy, field, value) != SF8_OK)
            fail("%s '%s': expected one of %s", field, value, values_of(field));
    }
    if (name)
        *name = base;
    return policy;
}

const char *policy_source(sf8_policy policy)
{
    switch (policy.via) {
    case SF8_VIA_NONE:
        return NULL;
    case SF8_VIA_F16:
    case SF8_VIA_F16_RZ:
        return "f16";
    case SF8_VIA_BF16:
    case SF8_VIA_BF16_RZ:
        return "bf16";
    default: /* f32, and f32 before f16 */
        return "f32";
    }
}

sf8_result policy_first_step(sf8_format first, const char *text)
{
    sf8_result r = {0, 0};
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.nan_sign = SF8_NAN_SIGNED;
    policy.made_nan_sign = SF8_MADE_SIGNED;
    sf8_from_text(first, text, policy, &r, NULL);
    return r;
}

const char *policy_text(const char *name, sf8_policy policy, char text[1024])
{
    sf8_policy base = sf8_policy_named(name, NULL);
    size_t used = (size_t)snprintf(text, 1024, "%s", name);
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        const char *field = sf8_policy_field_at(i);
        char ours[32] = "", theirs[32] = "";
        sf8_policy_get(policy, field, ours, sizeof ours);
        sf8_policy_get(base, field, theirs, sizeof theirs);
        /* How many random bits count is part of what they mean. */
        int counts = policy.round == SF8_SR && strcmp(field, "sr_bits") == 0;
        if ((counts || strcmp(ours, theirs) != 0) && used < 1024)
            used += (size_t)snprintf(text + used, 1024 - used, " %s=%s", field, ours);
    }
    return text;
}

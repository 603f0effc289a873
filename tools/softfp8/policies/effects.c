/* SPDX-License-Identifier: MIT */
/* effects.c -- a few inputs in which the policies differ, and what each gives for them */
#include "policies/policies.h"
#include "cli/rows.h"

#include <stdio.h>

static void add(effects *e, const char *label, uint64_t word)
{
    e->label[e->count] = label;
    e->word[e->count++] = word;
}

/* The word of sig * 2^exponent, or the one below; *exact tells which. */
static uint64_t word_of(sf8_format f, uint64_t sig, int exponent, int *exact)
{
    char text[64];
    sf8_result r;
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = SF8_RZ;
    snprintf(text, sizeof text, "0x%llxp%d", (unsigned long long)sig, exponent);
    if (sf8_from_text(f, text, policy, &r, NULL) != SF8_OK)
        fail("internal error: cannot read %s", text);
    *exact = !(r.flags & SF8_INEXACT);
    return r.code;
}

static int overflows(sf8_format to, sf8_format from)
{
    int to_max = sf8_format_emax(to), from_max = sf8_format_emax(from);
    return from_max > to_max || (from_max == to_max && from.man_bits > to.man_bits + 1);
}

static void add_finite(effects *e)
{
    int exponent, exact;
    uint64_t sig = value_parts(e->to, sf8_format_max(e->to), &exponent);
    add(e, ">max", word_of(e->from, sig, exponent, &exact) + 1);
    uint64_t tie = word_of(e->from, 2 * sig + 1, exponent - 1, &exact);
    if (exact) {
        add(e, "tie", tie);
        add(e, ">tie", tie + 1);
    }
    if (e->from.is_signed)
        add(e, "-huge", sf8_format_max(e->from) | sf8_format_sign_bit(e->from));
}

static void add_special(effects *e)
{
    sf8_format from = e->from;
    uint64_t sign = sf8_format_sign_bit(from), nan = sf8_format_mag_mask(from);
    if (from.has_inf)
        add(e, "inf", sf8_format_inf(from));
    if (from.has_inf && from.is_signed)
        add(e, "-inf", sf8_format_inf(from) | sign);
    if (from.nan == SF8_NANS_IEEE)
        nan = sf8_format_inf(from) | UINT64_C(1) << (from.man_bits - 1);
    if (from.nan == SF8_NANS_NEG_ZERO)
        nan = sign;
    if (from.nan != SF8_NANS_NONE)
        add(e, "nan", nan);
    if (from.nan != SF8_NANS_NONE && from.is_signed && nan != sign)
        add(e, "-nan", nan | sign);
    if (sf8_format_has_neg_zero(from))
        add(e, "-0", sign);
}

effects effects_of(sf8_format to, sf8_format from, const char *from_name, const char *to_name)
{
    effects e = {.from = from, .to = to};
    if (!overflows(to, from))
        fail("no %s value is too large for %s; choose another --from", from_name, to_name);
    add_finite(&e);
    add_special(&e);
    return e;
}

/* Cells stand behind a blank and a tab, in the order of the inputs. */
text_table *effects_table(const effects *e)
{
    int digits = word_digits(sf8_format_bits(e->from));
    int cell = word_digits(sf8_format_bits(e->to)) + 3, width = digits > cell ? digits : cell;
    char layout[512] = "%-18s", labels[512] = "", words[512] = "input";
    for (int i = 0; i < e->count; i++) {
        snprintf(layout + strlen(layout), sizeof layout - strlen(layout), " %%%ds", width);
        snprintf(labels + strlen(labels), sizeof labels - strlen(labels), "\t%s", e->label[i]);
        snprintf(words + strlen(words), sizeof words - strlen(words), "\t%0*llx", digits,
                 (unsigned long long)e->word[i]);
    }
    text_table *table = text_table_new(layout);
    text_table_row(table, "%s", labels);
    text_table_row(table, "%s", words);
    return table;
}

void effects_row(text_table *table, const effects *e, const char *policy_name)
{
    int digits = word_digits(sf8_format_bits(e->to));
    sf8_policy policy = sf8_policy_named(policy_name, NULL);
    char text[512];
    snprintf(text, sizeof text, "%s", policy_name);
    for (int i = 0; i < e->count; i++) {
        sf8_result r = sf8_convert_flags(e->to, e->from, e->word[i], policy);
        snprintf(text + strlen(text), sizeof text - strlen(text), "\t%0*llx/%02x", digits,
                 (unsigned long long)r.code, r.flags);
    }
    text_table_row(table, "%s", text);
}

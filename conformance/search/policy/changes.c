/* SPDX-License-Identifier: MIT */
/* changes.c -- what can be changed in a policy, and how that is said */
#include "search/policy/identify.h"

#include <stdio.h>
#include <string.h>

/* Of each group a model has one at most; every field is a group of its own. */
enum {
    GROUP_VIA,
    GROUP_TIE,
    GROUP_SUB,
    GROUP_ZERO,
    GROUP_NAN,
    GROUP_OVER,
    GROUP_SIGN,
    GROUP_INF,
    GROUP_FIELDS
};
/* What is often wrong is thought of first. */
enum { COST_OFTEN = 1, COST_FIELD = 2, COST_DEFECT = 3, COST_SEEN = 6 };
enum { TABLE_BITS = 20 }; /* the wider rows of the models exist up to here */

typedef struct defect_row {
    const char *name;
    int group;
    const char *words;
} defect_row;

#define ROW(name, group, words) {#name, GROUP_##group, words},
static const defect_row rows[] = {IDENTIFY_DEFECTS(ROW)};
#undef ROW

const char *identify_defect_name(int defect)
{
    return rows[defect].name;
}

/* ---- fields ---------------------------------------------------------------------------------- */

/* What a field set to a value means, where it can matter for a code. */
static const struct field_words {
    const char *field, *value, *words;
    int often;
} field_words[] = {
    {"overflow", "max", "overflow gives the largest finite number", 0},
    {"overflow", "special", "overflow gives infinity, or NaN where there is none", 0},
    {"overflow", "inf", "overflow gives infinity, or the largest number where there is none", 0},
    {"overflow", "zero", "overflow gives infinity, NaN, or zero where there is neither", 0},
    {"inf", "max", "infinity gives the largest finite number", 0},
    {"inf", "special", "infinity stays, or gives NaN where there is none", 0},
    {"inf", "inf", "infinity stays, or gives the largest number where there is none", 0},
    {"inf", "zero", "infinity stays, or gives NaN, or zero where there is neither", 0},
    {"nan", "kept", "NaN gives NaN", 0},
    {"nan", "as-missing", "NaN gives a number", 0},
    {"nan_code", "quiet", "NaN has the quiet bit alone", 0},
    {"nan_code", "ones", "NaN has every mantissa bit set", 0},
    {"nan_code", "payload", "NaN keeps its leading mantissa bits", 0},
    {"nan_code", "signaling", "NaN has the last mantissa bit alone", 0},
    {"nan_code", "bits", "NaN keeps its leading mantissa bits; if all are 0 it becomes infinity", 0},
    {"nan_sign", "positive", "the sign of NaN is dropped", 1},
    {"nan_sign", "signed", "the sign of NaN is kept", 0},
    {"nan_sign", "sign-bit", "the sign bit of NaN is kept", 0},
    {"made_nan_sign", "positive", "a NaN made from an overflow or an infinity has no sign", 0},
    {"made_nan_sign", "signed", "a NaN made from an overflow or an infinity has its sign", 0},
    {"missing_nan", "max", "NaN gives the largest number", 0},
    {"missing_nan", "signed-max", "NaN gives the largest number with its sign", 0},
    {"missing_nan", "zero", "NaN gives +0", 0},
    {"missing_nan", "signed-zero", "NaN gives zero with its sign", 0},
    {"missing_nan", "opposite-zero", "NaN gives zero with the opposite sign", 0},
    {"missing_nan", "inf", "NaN gives infinity, or the largest number where there is none", 0},
    {"missing_nan", "neg-zero", "NaN gives -0", 0},
    {"negative", "clamp", "negative values give 0", 0},
    {"negative", "abs", "the sign of negative values is dropped", 0},
    {"negative", "nan", "negative values give NaN, but 0 where they are rounded toward zero", 0},
    {"negative", "nan-all", "negative values give NaN", 0},
    {"missing_zero", "min", "zero gives the smallest number", 0},
    {"missing_zero", "nan", "zero, and what rounds to it, gives NaN", 0},
    {"missing_zero", "nan-exact", "an exact zero gives NaN", 0},
    {"missing_zero", "nan-below", "zero, and all below the smallest number, gives NaN", 0},
    {"tie_p1", "code", "ties go to the even code", 0},
    {"tie_p1", "away", "ties go up", 0},
    {"odd", "neighbour", "rounding to odd goes beyond the largest number", 0},
    {"odd", "bounded", "rounding to odd stays at the largest number", 0},
    {"early", "no", "overflow is tested after rounding", 0},
    {"early", "yes", "overflow is tested before rounding", 1},
    {"early", "exponent", "every number with the largest exponent counts as an overflow", 0},
    {"flush", "none", "subnormal numbers are not flushed", 0},
    {"flush", "inputs", "subnormal operands are flushed to zero", 1},
    {"flush", "outputs", "subnormal results are flushed to zero", 1},
    {"flush", "both", "subnormal operands and results are flushed to zero", 0},
    {"via", "none", "rounded once", 0},
    {"via", "f32", "rounded twice, first to f32", 0},
    {"via", "f16", "rounded twice, first to f16", 0},
    {"via", "bf16", "rounded twice, first to bf16", 0},
    {"via", "f32-f16", "rounded three times, first to f32, then to f16", 0},
    {"carry", "overflow", "what is rounded up from the largest number overflows", 0},
    {"carry", "next", "what is rounded up from the largest number gives the next code", 0},
    {"carry", "nan", "what is rounded up from the largest number gives NaN", 0},
    {"band", "overflow", "everything above the largest number overflows", 0},
    {"band", "next", "above the largest number the codes count on to the last", 0},
    {"band", "max",
     "above the largest number, as far as the exponent field goes, it saturates", 0},
    {"above_least", "nearest", "between the two smallest numbers the nearer is taken", 0},
    {"above_least", "up", "between the two smallest numbers the upper one is taken", 0},
    {"below_normal", "round", "subnormal numbers round up to the smallest normal number", 0},
    {"below_normal", "stay", "no subnormal number rounds up to the smallest normal number", 0},
};

static int add_fields(identify_change *list)
{
    int n = 0;
    for (size_t i = 0; i < sizeof field_words / sizeof field_words[0]; i++, n++) {
        list[n].field = field_words[i].field;
        snprintf(list[n].value, sizeof list[n].value, "%s", field_words[i].value);
        list[n].defect = -1;
        list[n].cost = field_words[i].often ? COST_OFTEN : COST_FIELD;
        int group = GROUP_FIELDS;
        while (strcmp(sf8_policy_field_at((size_t)(group - GROUP_FIELDS)), list[n].field) != 0)
            group++;
        list[n].group = group;
    }
    return n;
}

/* ---- defects --------------------------------------------------------------------------------- */

static int applies(int defect, const identify_set *set, const identify_seen *seen)
{
    sf8_format from = set->from, to = set->to;
    switch (rows[defect].group) {
    case GROUP_VIA:
        return identify_cuts_bf16(from);
    case GROUP_NAN:
        if (defect == IDENTIFY_N_nan_code)
            return seen->has_nan;
        return from.has_inf && (defect != IDENTIFY_N_nan_cut || to.nan == SF8_NANS_IEEE);
    case GROUP_INF:
        return seen->has_inf;
    case GROUP_OVER:
        if (defect == IDENTIFY_N_wrap || defect == IDENTIFY_N_wrap_or)
            return seen->wraps && sf8_format_bits(to) <= TABLE_BITS;
        return seen->has_over && (defect != IDENTIFY_N_clamp || sf8_format_bits(to) <= TABLE_BITS);
    case GROUP_ZERO:
        if (defect == IDENTIFY_N_zero_signed || defect == IDENTIFY_N_exact_zero_signed)
            return to.nan == SF8_NANS_NEG_ZERO;
        return sf8_format_has_neg_zero(to);
    case GROUP_SIGN:
        return to.is_signed && from.is_signed;
    default:
        return to.has_zero && sf8_format_bits(to) <= TABLE_BITS;
    }
}

int identify_changes(const identify_set *set, const identify_seen *seen,
                     identify_change list[IDENTIFY_CHANGES_MOST])
{
    int n = add_fields(list);
    for (int defect = 0; defect < IDENTIFY_DEFECT_COUNT; defect++) {
        if (!applies(defect, set, seen))
            continue;
        list[n].field = NULL;
        list[n].value[0] = '\0';
        list[n].defect = defect;
        list[n].group = rows[defect].group;
        list[n].cost = defect >= IDENTIFY_N_clamp ? COST_SEEN : COST_DEFECT;
        n++;
    }
    return n;
}

/* ---- words ----------------------------------------------------------------------------------- */

static const char *seen_words(int defect, const uint64_t codes[2], sf8_format to, char text[160])
{
    int digits = (sf8_format_bits(to) + 3) / 4;
    char number[SF8_TEXT_SIZE] = "";
    sf8_to_text(to, codes[0], SF8_TEXT_EXACT, number, sizeof number, NULL);
    if (strlen(number) > 24)
        number[0] = '\0';
    int n = snprintf(text, 160, "%s %0*llx", rows[defect].words, digits,
                     (unsigned long long)codes[0]);
    if (number[0])
        n += snprintf(text + n, 160 - (size_t)n, " (%s)", number);
    if (codes[1] != codes[0])
        snprintf(text + n, 160 - (size_t)n, ", with a sign %0*llx", digits,
                 (unsigned long long)codes[1]);
    return text;
}

const char *identify_words(const identify_change *change, const identify_seen *seen, sf8_format to,
                           char text[160])
{
    if (change->field) {
        for (size_t i = 0; i < sizeof field_words / sizeof field_words[0]; i++) {
            if (strcmp(field_words[i].field, change->field) == 0 &&
                strcmp(field_words[i].value, change->value) == 0)
                return field_words[i].words;
        }
        return "";
    }
    switch (change->defect) {
    case IDENTIFY_N_clamp:
    case IDENTIFY_N_over_code:
        return seen_words(change->defect, seen->over, to, text);
    case IDENTIFY_N_inf_code:
        return seen_words(change->defect, seen->inf, to, text);
    case IDENTIFY_N_nan_code:
        return seen_words(change->defect, seen->nan, to, text);
    default:
        return rows[change->defect].words;
    }
}

/* SPDX-License-Identifier: MIT */
/* fields.c -- what a field of a policy set to a value means, in words */
#include "diagnose/policy/fields.h"

#include <string.h>

/* clang-format off */
static const policy_words rows[] = {
    {"overflow", "max", WORDS_SOUGHT, "a finite overflow gives the largest finite number"},
    {"overflow", "special", WORDS_SOUGHT,
     "a finite overflow gives infinity, or NaN where there is none"},
    {"overflow", "inf", WORDS_SOUGHT,
     "a finite overflow gives infinity, or the largest finite number where there is none"},
    {"overflow", "zero", WORDS_SOUGHT,
     "a finite overflow gives infinity, NaN, or zero where there is neither"},
    {"inf", "max", WORDS_SOUGHT, "infinity gives the largest finite number"},
    {"inf", "special", WORDS_SOUGHT, "infinity stays, or gives NaN where there is none"},
    {"inf", "inf", WORDS_SOUGHT,
     "infinity stays, or gives the largest finite number where there is none"},
    {"inf", "zero", WORDS_SOUGHT, "infinity stays, or gives NaN, or zero where there is neither"},
    {"nan", "kept", WORDS_SOUGHT, "NaN gives NaN"},
    {"nan", "as-missing", WORDS_SOUGHT, "NaN gives a number"},
    {"nan_code", "quiet", WORDS_SOUGHT, "NaN has the quiet bit alone"},
    {"nan_code", "ones", WORDS_SOUGHT, "NaN has every mantissa bit set"},
    {"nan_code", "payload", WORDS_SOUGHT, "NaN keeps its leading mantissa bits"},
    {"nan_code", "signaling", WORDS_SOUGHT, "NaN has the last mantissa bit alone"},
    {"nan_code", "bits", WORDS_SOUGHT,
     "NaN keeps its leading mantissa bits; if all are 0 it becomes infinity"},
    {"nan_sign", "positive", WORDS_OFTEN, "NaN loses its sign"},
    {"nan_sign", "signed", WORDS_SOUGHT, "NaN keeps its sign"},
    {"nan_sign", "sign-bit", WORDS_SOUGHT, "NaN keeps its sign bit"},
    {"made_nan_sign", "positive", WORDS_SOUGHT,
     "a NaN made from an overflow or an infinity has no sign"},
    {"made_nan_sign", "signed", WORDS_SOUGHT,
     "a NaN made from an overflow or an infinity has its sign"},
    {"missing_nan", "max", WORDS_SOUGHT, "NaN gives the largest finite number"},
    {"missing_nan", "signed-max", WORDS_SOUGHT,
     "NaN gives the largest finite number, with its sign"},
    {"missing_nan", "zero", WORDS_SOUGHT, "NaN gives +0"},
    {"missing_nan", "signed-zero", WORDS_SOUGHT, "NaN gives zero, with its sign"},
    {"missing_nan", "opposite-zero", WORDS_SOUGHT, "NaN gives zero, with the other sign"},
    {"missing_nan", "inf", WORDS_SOUGHT,
     "NaN gives infinity, or the largest finite number where there is none"},
    {"missing_nan", "neg-zero", WORDS_SOUGHT, "NaN gives -0"},
    {"negative", "clamp", WORDS_SOUGHT, "a negative value gives 0"},
    {"negative", "abs", WORDS_SOUGHT, "a negative value loses its sign"},
    {"negative", "nan", WORDS_SOUGHT,
     "a negative value gives NaN, but 0 where it is rounded toward zero"},
    {"negative", "nan-all", WORDS_SOUGHT, "a negative value gives NaN"},
    {"missing_zero", "min", WORDS_SOUGHT, "zero gives the smallest number"},
    {"missing_zero", "nan", WORDS_SOUGHT, "zero, and what rounds to it, gives NaN"},
    {"missing_zero", "nan-exact", WORDS_SOUGHT, "an exact zero gives NaN"},
    {"missing_zero", "nan-below", WORDS_SOUGHT,
     "zero, and all below the smallest number, gives NaN"},
    {"tie_p1", "code", WORDS_SOUGHT, "ties go to the even code"},
    {"tie_p1", "away", WORDS_SOUGHT, "ties go away from zero"},
    {"odd", "neighbour", WORDS_SOUGHT, "rounding to odd goes beyond the largest finite number"},
    {"odd", "bounded", WORDS_SOUGHT, "rounding to odd stays at the largest finite number"},
    {"overflow_test", "rounded", WORDS_SOUGHT, "overflow is tested after rounding"},
    {"overflow_test", "exact", WORDS_OFTEN, "overflow is tested before rounding"},
    {"overflow_test", "exponent", WORDS_SOUGHT,
     "every number with the largest exponent counts as an overflow"},
    {"flush", "none", WORDS_SOUGHT, "subnormal numbers are not flushed"},
    {"flush", "inputs", WORDS_OFTEN, "subnormal operands are flushed to zero"},
    {"flush", "outputs", WORDS_OFTEN, "subnormal results are flushed to zero"},
    {"flush", "both", WORDS_SOUGHT, "subnormal operands and results are flushed to zero"},
    {"via", "none", WORDS_SOUGHT, "rounds once"},
    {"via", "f32", WORDS_SOUGHT, "rounds twice, first to f32"},
    {"via", "f16", WORDS_SOUGHT, "rounds twice, first to f16"},
    {"via", "bf16", WORDS_SOUGHT, "rounds twice, first to bf16"},
    {"via", "f32-f16", WORDS_SOUGHT, "rounds three times, first to f32, then to f16"},
    {"round_past_max", "overflow", WORDS_SOUGHT, "what is rounded up from the largest number overflows"},
    {"round_past_max", "next", WORDS_SOUGHT,
     "what is rounded up from the largest number gives the next code"},
    {"round_past_max", "nan", WORDS_SOUGHT, "what is rounded up from the largest number gives NaN"},
    {"beyond_max", "overflow", WORDS_SOUGHT, "everything above the largest number overflows"},
    {"beyond_max", "next", WORDS_SOUGHT, "above the largest number the codes count on to the last"},
    {"beyond_max", "max", WORDS_SOUGHT,
     "above the largest number, as far as the exponent field goes, it saturates"},
    {"above_least", "nearest", WORDS_SOUGHT,
     "between the two smallest numbers the nearer is taken"},
    {"above_least", "up", WORDS_SOUGHT, "between the two smallest numbers the upper one is taken"},
    {"below_normal", "round", WORDS_SOUGHT,
     "subnormal numbers round up to the smallest normal number"},
    {"below_normal", "stay", WORDS_SOUGHT,
     "no subnormal number rounds up to the smallest normal number"},
    {"round", "rne", WORDS_OF_A_ROW, "rounds to nearest, ties to even"},
    {"round", "rna", WORDS_OF_A_ROW, "ties go away from zero"},
    {"round", "rz", WORDS_OF_A_ROW, "rounds toward zero"},
    {"round", "ru", WORDS_OF_A_ROW, "rounds toward +infinity"},
    {"round", "rd", WORDS_OF_A_ROW, "rounds toward -infinity"},
    {"round", "ro", WORDS_OF_A_ROW, "rounds to odd"},
    {"round", "rnz", WORDS_OF_A_ROW, "ties go toward zero"},
    {"round", "sr", WORDS_OF_A_ROW, "rounds stochastically"},
    {"sr_rule", "a", WORDS_OF_A_ROW, "stochastic rounding by rule A"},
    {"sr_rule", "b", WORDS_OF_A_ROW, "stochastic rounding by rule B"},
    {"sr_rule", "c", WORDS_OF_A_ROW, "stochastic rounding by rule C"},
    {"sr_bits", NULL, WORDS_OF_A_ROW, "stochastic rounding looks at another number of random bits"},
    {"integer", "zero", WORDS_OF_A_ROW, "NaN gives 0, and what is out of range saturates"},
    {"integer", "max", WORDS_OF_A_ROW, "NaN gives the largest integer"},
    {"integer", "indefinite", WORDS_OF_A_ROW,
     "NaN and what is out of range give the indefinite integer of x86"},
    {"integer", "ptx", WORDS_OF_A_ROW, "NaN gives 0, from f64 or to 64 bits the top bit"},
    {"dialect", "ieee", WORDS_OF_A_ROW,
     "division by zero and the order of NaN are those of IEEE 754"},
    {"dialect", "p3109", WORDS_OF_A_ROW,
     "division by zero and the order of NaN are those of IEEE P3109"},
};
/* clang-format on */

const policy_words *policy_words_at(size_t i)
{
    return i < sizeof rows / sizeof rows[0] ? &rows[i] : NULL;
}

const policy_words *policy_words_of(const char *field, const char *value)
{
    const policy_words *row;
    for (size_t i = 0; (row = policy_words_at(i)) != NULL; i++) {
        if (strcmp(row->field, field) == 0 && (!row->value || strcmp(row->value, value) == 0))
            return row;
    }
    return NULL;
}

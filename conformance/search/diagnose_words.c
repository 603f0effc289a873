/* SPDX-License-Identifier: MIT */
/* diagnose_words.c -- a candidate in words */
#include "search/diagnose_search.h"

#include <string.h>

/* ---- fields ---------------------------------------------------------------------------------- */

/* Only fields that can change a code. */
static const struct row {
    const char *field, *value, *words;
} rows[] = {
    {"round", "rne", "rounds to nearest, ties to even"},
    {"round", "rna", "ties go away from zero"},
    {"round", "rz", "rounds toward zero"},
    {"round", "ru", "rounds toward +infinity"},
    {"round", "rd", "rounds toward -infinity"},
    {"round", "ro", "rounds to odd"},
    {"round", "rnz", "ties go toward zero"},
    {"round", "sr", "rounds stochastically"},
    {"overflow", "max", "a finite overflow gives the largest finite number"},
    {"overflow", "special", "a finite overflow gives infinity, or NaN where there is none"},
    {"overflow", "inf", "a finite overflow gives infinity where there is one"},
    {"overflow", "zero", "a finite overflow gives infinity, NaN, or zero where there is neither"},
    {"inf", "max", "infinity gives the largest finite number"},
    {"inf", "special", "infinity stays, or gives NaN where there is none"},
    {"inf", "inf", "infinity stays where there is one"},
    {"inf", "zero", "infinity stays, or gives NaN, or zero where there is neither"},
    {"nan", "kept", "NaN gives NaN"},
    {"nan", "as-missing", "NaN gives a number"},
    {"nan_code", "quiet", "NaN has the quiet bit alone"},
    {"nan_code", "ones", "NaN has every mantissa bit set"},
    {"nan_code", "payload", "NaN keeps its leading mantissa bits"},
    {"nan_code", "signaling", "NaN has the last mantissa bit alone"},
    {"nan_code", "bits", "NaN keeps its leading mantissa bits; if all are 0 it becomes infinity"},
    {"nan_sign", "positive", "NaN loses its sign"},
    {"nan_sign", "signed", "NaN keeps its sign"},
    {"nan_sign", "sign-bit", "NaN keeps its sign bit"},
    {"made_nan_sign", "positive", "a NaN made from an overflow or an infinity has no sign"},
    {"made_nan_sign", "signed", "a NaN made from an overflow or an infinity has its sign"},
    {"missing_nan", "max", "NaN gives the largest finite number"},
    {"missing_nan", "signed-max", "NaN gives the largest finite number, with its sign"},
    {"missing_nan", "zero", "NaN gives +0"},
    {"missing_nan", "signed-zero", "NaN gives zero, with its sign"},
    {"missing_nan", "opposite-zero", "NaN gives zero, with the other sign"},
    {"missing_nan", "inf", "NaN gives infinity, or the largest number where there is none"},
    {"missing_nan", "neg-zero", "NaN gives -0"},
    {"negative", "clamp", "a negative value gives 0"},
    {"negative", "abs", "a negative value loses its sign"},
    {"negative", "nan", "a negative value gives NaN, but 0 where it is rounded toward zero"},
    {"negative", "nan-all", "a negative value gives NaN"},
    {"missing_zero", "min", "zero gives the smallest number"},
    {"missing_zero", "nan", "zero, and what rounds to it, gives NaN"},
    {"missing_zero", "nan-exact", "an exact zero gives NaN"},
    {"missing_zero", "nan-below", "zero, and all below the smallest number, gives NaN"},
    {"tie_p1", "code", "ties go to the even code"},
    {"tie_p1", "away", "ties go away from zero"},
    {"odd", "neighbour", "rounding to odd goes beyond the largest finite number"},
    {"odd", "bounded", "rounding to odd stays at the largest finite number"},
    {"early", "no", "overflow is tested after rounding"},
    {"early", "yes", "overflow is tested before rounding"},
    {"early", "exponent", "every number with the largest exponent counts as an overflow"},
    {"via", "none", "rounds once"},
    {"via", "f32", "rounds twice, first to f32"},
    {"via", "f16", "rounds twice, first to f16"},
    {"via", "bf16", "rounds twice, first to bf16"},
    {"via", "f32-f16", "rounds three times, first to f32, then to f16"},
    {"carry", "overflow", "what is rounded up from the largest number overflows"},
    {"carry", "next", "what is rounded up from the largest number gives the next code"},
    {"carry", "nan", "what is rounded up from the largest number gives NaN"},
    {"band", "overflow", "everything above the largest number overflows"},
    {"band", "next", "above the largest number the codes count on to the last"},
    {"band", "max", "above the largest number, as far as the exponent field goes, it saturates"},
    {"above_least", "nearest", "between the two smallest numbers the nearer is taken"},
    {"above_least", "up", "between the two smallest numbers the upper one is taken"},
    {"below_normal", "round", "subnormal numbers round up to the smallest normal number"},
    {"below_normal", "stay", "no subnormal number rounds up to the smallest normal number"},
    {"flush", "none", "subnormal numbers are not flushed"},
    {"flush", "inputs", "subnormal operands are flushed to zero"},
    {"flush", "outputs", "subnormal results are flushed to zero"},
    {"flush", "both", "subnormal operands and results are flushed to zero"},
    {"sr_rule", "a", "stochastic rounding by rule A"},
    {"sr_rule", "b", "stochastic rounding by rule B"},
    {"sr_rule", "c", "stochastic rounding by rule C"},
    {"sr_bits", NULL, "stochastic rounding looks at another number of random bits"},
    {"integer", "zero", "NaN gives 0, and what is out of range saturates"},
    {"integer", "max", "NaN gives the largest integer"},
    {"integer", "indefinite", "NaN and what is out of range give the indefinite integer of x86"},
    {"integer", "ptx", "NaN gives 0, of 64 bits 2^63"},
};

/* A field with this value; "" where nothing is to be said. */
static const char *meaning_of(const char *field, const char *value)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].field, field) == 0 &&
            (!rows[i].value || strcmp(rows[i].value, value) == 0))
            return rows[i].words;
    }
    return "";
}

/* ---- candidates ------------------------------------------------------------------------------ */

void words_add(words *w, const char *text)
{
    size_t n = strlen(text);
    if (n >= CONFORM_LONG - w->used)
        return;
    memcpy(w->text + w->used, text, n + 1);
    w->used += n;
}

static int is_changed(const candidate *d, const char *field, size_t length)
{
    for (int i = 0; i < d->changes; i++) {
        const char *name = d->change[i]->field;
        if (strlen(name) == length && strncmp(name, field, length) == 0)
            return 1;
    }
    return 0;
}

/* The policy that it begins with: "cuda-nosat round=rz", without the fields that are changed. Of
 * another policy than the row's only the rounding is the row's. */
static void add_policy(words *w, const search *s, const candidate *d)
{
    const conform_step *step = &s->c->oracle[d->step];
    char field[80];
    words_add(w, d->policy ? d->policy : step->policy);
    for (const char *at = step->fields ? step->fields : ""; *at;) {
        size_t n = strcspn(at, " "), name = strcspn(at, "=");
        int rounding = strncmp(at, "round", name) == 0 || strncmp(at, "sr_", 3) == 0;
        snprintf(field, sizeof field, " %.*s", (int)n, at);
        if (!is_changed(d, at, name) && (!d->policy || rounding))
            words_add(w, field);
        at += n + (at[n] == ' ');
    }
}

/* "does what cuda-satfinite does with round=rna: ties go away from zero" */
static void add_changes(words *w, const search *s, const candidate *d)
{
    words_add(w, "does what ");
    add_policy(w, s, d);
    words_add(w, " does with");
    for (int i = 0; i < d->changes; i++) {
        words_add(w, " ");
        words_add(w, d->change[i]->field);
        words_add(w, "=");
        words_add(w, d->change[i]->value);
    }
    if (s->step > 0) {
        words_add(w, " in the step ");
        words_add(w, s->c->oracle[d->step].function);
    }
    for (int i = 0; i < d->changes; i++) {
        const char *meaning = meaning_of(d->change[i]->field, d->change[i]->value);
        words_add(w, *meaning ? i ? ", and " : ": " : "");
        words_add(w, meaning);
    }
}

void words_add_candidate(words *w, const search *s, const candidate *d)
{
    if (d->via) {
        words_add(w, "rounds twice, through ");
        words_add(w, d->via);
        words_add(w, " (");
        words_add(w, d->via_round);
        words_add(w, "), and then does what ");
        add_policy(w, s, d);
        words_add(w, " does");
    } else if (d->once) {
        words_add(w, "rounds once, straight from the operand, as ");
        add_policy(w, s, d);
        words_add(w, " does");
    } else if (d->changes) {
        add_changes(w, s, d);
    } else {
        words_add(w, "does exactly what the policy ");
        add_policy(w, s, d);
        words_add(w, " does");
    }
}

void words_add_number(words *w, uint64_t n)
{
    char text[32];
    words_add(w, grouped(n, text));
}

/* SPDX-License-Identifier: MIT */
/* explanation.c -- an explanation for users, put together */
#include "diagnose/policy/explanation.h"

void explanation_add(sf8_explanation *e, const char *name, const char *value, const char *words)
{
    e->cause[e->count++] = (sf8_cause){name, value, words};
}

const char *explanation_causes(diagnosis_run *run, const sf8_explanation *e, const char *between)
{
    const char *text = "";
    for (size_t i = 0; i < e->count; i++)
        text = diagnosis_text(run, "%s%s%s", text, i ? between : "", e->cause[i].words);
    return text;
}

void explanation_say(diagnosis_run *run, sf8_explanation *e)
{
    const char *text = e->policy;
    for (size_t i = 0; i < e->count; i++) {
        const sf8_cause *c = &e->cause[i];
        text = diagnosis_text(run, "%s%s%s%s%s", text, i ? " " : " with ", c->name,
                              c->value[0] ? "=" : "", c->value);
    }
    e->words = e->count == 0
                   ? text
                   : diagnosis_text(run, "%s: %s", text, explanation_causes(run, e, ", and "));
}

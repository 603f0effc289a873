/* SPDX-License-Identifier: MIT */
/* change.c -- the oracle of a row with the changes that a model of identify has */
#include "failing/row.h"

#include <string.h>

/* ---- a converter in the place of a step ------------------------------------------------------ */

static uint64_t converted(const void *of_model, uint64_t word)
{
    const converter *x = of_model;
    const identify_reading *r = x->reading;
    word = r && r->swap_words ? identify_swapped(word) : word;
    uint64_t code = identify_code(x->m, x->seen, x->from, x->to, word);
    return r && r->swap_codes ? identify_swapped(code) : code;
}

static int put_converter(failing *f, int step)
{
    oracle *o = &f->tried;
    const identify_reading *r = f->converter.reading;
    const sf8_function *function = &o->function[step];
    f->converter.from = r ? r->from : function->operand[0].format;
    f->converter.to = r ? r->to : function->result.format;
    o->model = converted;
    o->of_model = &f->converter;
    o->model_step = step;
    return o->policy[step].round != SF8_SR;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* Rounded to the format `via` first, as an assignment to a variable of that type would. */
static int put_via(oracle *o, int step, const char *via, const char *round)
{
    const sf8_function f = o->function[step];
    sf8_format middle = sf8_format_named(via, NULL);
    if (o->steps == CONFORM_STEPS)
        return 0;
    for (int i = o->steps; i > step; i--) {
        o->function[i] = o->function[i - 1];
        o->policy[i] = o->policy[i - 1];
    }
    o->steps++;
    o->function[step] = sf8_function_convert(f.operand[0].format, middle);
    o->function[step + 1] = sf8_function_convert(middle, f.result.format);
    o->policy[step] = sf8_policy_named("ocp-nosat", NULL);
    return sf8_policy_set(&o->policy[step], "nan_sign", "signed") == SF8_OK &&
           sf8_policy_set(&o->policy[step], "nan_code", "payload") == SF8_OK &&
           sf8_policy_set(&o->policy[step], "round", round) == SF8_OK;
}

/* The last conversion from the operand of the first step; a relu behind it stays. */
static int put_once(const failing *f, oracle *o)
{
    char name[64];
    int step = f->row.step;
    const char *from = f->c->oracle[0].function, *to = f->c->oracle[step].function;
    const char *from_end = strstr(from, "_to_");
    to = strstr(to, "_to_");
    if (!from_end || !to)
        return 0;
    snprintf(name, sizeof name, "%.*s%s", (int)(from_end - from), from, to);
    if (sf8_function_named(name, &o->function[0]) != SF8_OK)
        return 0;
    o->policy[0] = o->policy[step];
    for (int i = step + 1; i < o->steps; i++) {
        o->function[i - step] = o->function[i];
        o->policy[i - step] = o->policy[i];
    }
    o->steps -= step;
    return 1;
}

/* ---- all changes ----------------------------------------------------------------------------- */

int change_oracle(failing *f, const identify_seen *seen, const identify_diagnosis *d,
                  const identify_model *m)
{
    oracle *o = &f->tried;
    int step = f->row.step, good = 1;
    f->converter = (converter){.m = m, .seen = seen};
    *o = f->oracle;
    o->policy[step] = m->policy;
    for (int i = 0; i < m->changes; i++) {
        const identify_change *c = &d->list[m->change[i]];
        if (identify_is_field(c) && c->step != step)
            good &= sf8_policy_set(&o->policy[c->step], c->cause->name, c->value) == SF8_OK;
        else if (c->via && *c->via)
            good &= put_via(o, step++, c->via, c->value);
        else if (c->reading)
            f->converter.reading = c->reading;
    }
    for (int i = 0; i < m->changes; i++) {
        const char *via = d->list[m->change[i]].via;
        if (via && !*via) {
            good &= put_once(f, o);
            step = 0;
        }
    }
    return good && ((!m->mistakes && !f->converter.reading) || put_converter(f, step));
}

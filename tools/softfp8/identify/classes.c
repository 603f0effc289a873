/* SPDX-License-Identifier: MIT */
/* classes.c -- which policies give the same codes for every input of a set, as text and as JSON */
#include "identify/identify.h"
#include "base/json_writer.h"

#include <stdio.h>
#include <stdlib.h>

/* The policies that give the same codes as the first of them. */
static void print_class(output *out, const identify_equals *c, size_t first)
{
    const char *before = "  ";
    for (size_t i = first; i < c->policies; i++) {
        if (c->first[i] != first)
            continue;
        output_print(out, "%s%s", before, sf8_policy_at(i)->name);
        before = " ";
    }
    output_print(out, "\n");
}

static void put_class(json_writer *j, const identify_equals *c, size_t first)
{
    jw_begin(jw_space(j, "\n    "), NULL, '[');
    for (size_t i = first; i < c->policies; i++) {
        if (c->first[i] == first)
            jw_text(j, NULL, sf8_policy_at(i)->name);
    }
    jw_end(j);
}

static void print_round(output *out, const identify_equals *c, size_t round)
{
    output_print(out, "%s:\n", identify_roundings[round]);
    for (size_t i = 0; i < c->policies; i++) {
        if (c->first[i] == i)
            print_class(out, c, i);
    }
}

static void put_round(json_writer *j, const identify_equals *c, size_t round)
{
    if (round > 0)
        jw_space(j, "\n");
    jw_begin(j, NULL, '{');
    jw_text(j, "round", identify_roundings[round]);
    jw_begin(j, "policies", '[');
    for (size_t i = 0; i < c->policies; i++) {
        if (c->first[i] == i)
            put_class(j, c, i);
    }
    jw_end(j);
    jw_end(j);
}

static void put_head(json_writer *j, const identify_set *set, const char *total)
{
    jw_begin(j, NULL, '{');
    jw_text(j, "from", set->from_name);
    jw_text(j, "to", set->to_name);
    jw_text(j, "inputs", total);
    jw_begin(j, "classes", '[');
}

void identify_print_classes(const identify_set *set, int all_roundings, int json)
{
    char total[24] = "2^64";
    sf8_steps walk;
    if (!set->words && sf8_steps_begin(&walk, set->from, set->to, SF8_OCP, 0) != SF8_OK)
        fail("all inputs of %s to %s are too many; give a file of pairs", set->from_name,
             set->to_name);
    if (set->inputs != UINT64_MAX)
        snprintf(total, sizeof total, "%llu", (unsigned long long)set->inputs);
    output *out = output_open(NULL);
    json_writer j = {.put = output_put, .context = out};
    if (json)
        put_head(&j, set, total);
    else
        output_print(out,
                     "policies that give the same code for each of %s%s inputs, %s to %s, with\n",
                     set->words ? "these " : "all ", total, set->from_name, set->to_name);
    for (size_t round = 0; round < (all_roundings ? IDENTIFY_ROUNDINGS : 1); round++) {
        identify_equals c = identify_equal_policies(set, round);
        if (json)
            put_round(&j, &c, round);
        else
            print_round(out, &c, round);
        free(c.first);
    }
    while (j.depth > 0)
        jw_end(&j);
    output_close(out);
}

/* SPDX-License-Identifier: MIT */
/* classes.c -- which policies give the same codes for every input of a set */
#include "identify/identify.h"
#include "report/json_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIGEST = 65 };
#define LEFT_OUT SIZE_MAX /* not meant for the conversion */

static void add_number(sf8_sha256 *state, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++)
        bytes[i] = (unsigned char)(number >> (8 * i) & 0xff);
    sf8_sha256_add(state, bytes, sizeof bytes);
}

/* The SHA-256 of all codes: of each where it changes, or for listed inputs of each. */
static void digest_of(const identify_set *set, sf8_policy policy, char digest[DIGEST])
{
    sf8_sha256 state;
    sf8_steps walk;
    sf8_step step;
    uint64_t code = 0;
    int begun = 0;
    sf8_sha256_begin(&state);
    for (uint64_t i = 0; set->words && i < set->inputs; i++)
        add_number(&state, sf8_core_convert(set->to, set->from, set->words[i], policy, 0).code);
    if (!set->words)
        sf8_steps_begin(&walk, set->from, set->to, policy, 0);
    while (!set->words && sf8_steps_next(&walk, &step)) {
        if (begun && step.code == code)
            continue;
        begun = 1;
        code = step.code;
        add_number(&state, step.first);
        add_number(&state, code);
    }
    sf8_sha256_end(&state, digest);
}

typedef struct classes {
    size_t policies;
    size_t *class; /* of each policy: the first policy that gives the same codes, or LEFT_OUT */
} classes;

static classes classes_of(const identify_set *set, size_t round)
{
    classes c = {0, NULL};
    while (sf8_policy_at(c.policies))
        c.policies++;
    c.class = allocate(c.policies, sizeof c.class[0]);
    char(*digests)[DIGEST] = allocate(c.policies, DIGEST);
    for (size_t i = 0; i < c.policies; i++) {
        sf8_policy policy = sf8_policy_named(sf8_policy_at(i)->name, NULL);
        policy.round = (unsigned)round & SF8_ROUND_MASK;
        if (!identify_is_meant(set, sf8_policy_at(i))) {
            c.class[i] = LEFT_OUT;
            continue;
        }
        digest_of(set, policy, digests[i]);
        while (c.class[c.class[i]] == LEFT_OUT || strcmp(digests[c.class[i]], digests[i]) != 0)
            c.class[i]++;
    }
    free(digests);
    return c;
}

/* The policies that give the same codes as the first of them. */
static void print_class(output *out, const classes *c, size_t first)
{
    const char *before = "  ";
    for (size_t i = first; i < c->policies; i++) {
        if (c->class[i] != first)
            continue;
        output_print(out, "%s%s", before, sf8_policy_at(i)->name);
        before = " ";
    }
    output_print(out, "\n");
}

static void put_class(json_writer *j, const classes *c, size_t first)
{
    jw_begin(jw_space(j, "\n    "), NULL, '[');
    for (size_t i = first; i < c->policies; i++) {
        if (c->class[i] == first)
            jw_text(j, NULL, sf8_policy_at(i)->name);
    }
    jw_end(j);
}

static void print_round(output *out, const classes *c, size_t round)
{
    output_print(out, "%s:\n", identify_roundings[round]);
    for (size_t i = 0; i < c->policies; i++) {
        if (c->class[i] == i)
            print_class(out, c, i);
    }
}

static void put_round(json_writer *j, const classes *c, size_t round)
{
    if (round > 0)
        jw_space(j, "\n");
    jw_begin(j, NULL, '{');
    jw_text(j, "round", identify_roundings[round]);
    jw_begin(j, "policies", '[');
    for (size_t i = 0; i < c->policies; i++) {
        if (c->class[i] == i)
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
        classes c = classes_of(set, round);
        if (json)
            put_round(&j, &c, round);
        else
            print_round(out, &c, round);
        free(c.class);
    }
    while (j.depth > 0)
        jw_end(&j);
    output_close(out);
}

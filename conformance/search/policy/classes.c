/* SPDX-License-Identifier: MIT */
/* classes.c -- which policies give the same codes for every input of a set */
#include "search/policy/identify.h"
#include "softfp8/sha256.h"

#include <stdlib.h>
#include <string.h>

enum { DIGEST = 65 };

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

identify_equals identify_equal_policies(const identify_set *set, size_t round)
{
    identify_equals c = {0, NULL};
    while (sf8_policy_at(c.policies))
        c.policies++;
    c.first = allocate(c.policies, sizeof c.first[0]);
    char(*digests)[DIGEST] = allocate(c.policies, DIGEST);
    for (size_t i = 0; i < c.policies; i++) {
        sf8_policy policy = sf8_policy_named(sf8_policy_at(i)->name, NULL);
        policy.round = (unsigned)round & SF8_ROUND_MASK;
        if (!identify_is_meant(set, sf8_policy_at(i))) {
            c.first[i] = IDENTIFY_LEFT_OUT;
            continue;
        }
        digest_of(set, policy, digests[i]);
        while (c.first[c.first[i]] == IDENTIFY_LEFT_OUT || strcmp(digests[c.first[i]], digests[i]) != 0)
            c.first[i]++;
    }
    free(digests);
    return c;
}

int identify_lacks_inputs(const identify_set *set, const identify_candidate **matches, size_t count)
{
    identify_set all = *set;
    sf8_steps walk;
    char first[DIGEST], other[DIGEST];
    all.words = NULL;
    if (set->inputs == identify_words_of(set->from) ||
        sf8_steps_begin(&walk, set->from, set->to, SF8_OCP, 0) != SF8_OK)
        return 0;
    digest_of(&all, matches[0]->policy, first);
    for (size_t i = 1; i < count; i++) {
        digest_of(&all, matches[i]->policy, other);
        if (strcmp(first, other) != 0)
            return 1;
    }
    return 0;
}

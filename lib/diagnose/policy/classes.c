/* SPDX-License-Identifier: MIT */
/* classes.c -- which policies give the same codes for every input of a set */
#include "diagnose/policy/identify.h"
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
    c.first = search_allocate(set->context, c.policies, sizeof c.first[0]);
    char(*digests)[DIGEST] = search_allocate(set->context, c.policies, DIGEST);
    for (size_t i = 0; i < c.policies; i++) {
        sf8_policy policy = sf8_policy_named(sf8_policy_at(i)->name, NULL);
        policy.round = (unsigned)round & SF8_ROUND_MASK;
        if (!identify_is_meant(set, sf8_policy_at(i))) {
            c.first[i] = IDENTIFY_LEFT_OUT;
            continue;
        }
        digest_of(set, policy, digests[i]);
        while (c.first[c.first[i]] == IDENTIFY_LEFT_OUT ||
               strcmp(digests[c.first[i]], digests[i]) != 0)
            c.first[i]++;
    }
    search_free(set->context, digests);
    return c;
}

/* The first input for which two policies give other codes; 0 if there is none. */
static int first_difference(const identify_set *set, sf8_policy one, sf8_policy two, uint64_t *word)
{
    const sf8_policy policies[2] = {one, two};
    sf8_steps walk[2];
    sf8_step now[2], next[2];
    int more[2];
    for (int i = 0; i < 2; i++) {
        if (sf8_steps_begin(&walk[i], set->from, set->to, policies[i], 0) != SF8_OK ||
            !sf8_steps_next(&walk[i], &now[i]))
            return 0;
        more[i] = sf8_steps_next(&walk[i], &next[i]);
    }
    while (now[0].code == now[1].code) {
        if (!more[0] && !more[1])
            return 0;
        uint64_t at = !more[0] || (more[1] && next[1].first < next[0].first) ? next[1].first
                                                                             : next[0].first;
        for (int i = 0; i < 2; i++) {
            if (!more[i] || next[i].first != at)
                continue;
            now[i] = next[i];
            more[i] = sf8_steps_next(&walk[i], &next[i]);
        }
    }
    *word = now[0].first > now[1].first ? now[0].first : now[1].first;
    return 1;
}

static uint64_t code_of(const identify_set *set, uint64_t word, const identify_candidate *c)
{
    return sf8_core_convert(set->to, set->from, word, c->policy, 0).code;
}

size_t identify_tell_apart(const identify_set *set, const identify_candidate **matches,
                           size_t count, identify_apart *apart, size_t most)
{
    size_t n = 0;
    if (!set->words || set->inputs == identify_words_of(set->from))
        return 0;
    for (size_t i = 1; i < count && n < most; i++) {
        int known = 0;
        for (size_t k = 0; k < n; k++)
            known |= code_of(set, apart[k].word, matches[i]) != apart[k].code[0];
        if (known || !first_difference(set, matches[0]->policy, matches[i]->policy, &apart[n].word))
            continue;
        apart[n].other = matches[i];
        apart[n].code[0] = code_of(set, apart[n].word, matches[0]);
        apart[n].code[1] = code_of(set, apart[n].word, matches[i]);
        n++;
    }
    return n;
}

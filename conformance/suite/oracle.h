/* SPDX-License-Identifier: MIT */
/* oracle.h -- what a case should give: its steps, resolved; the inputs it is asked */
#ifndef SOFTFP8_CONFORM_ORACLE_H
#define SOFTFP8_CONFORM_ORACLE_H

#include "../../gpu/device.h"
#include "suite/conform.h"

typedef struct oracle {
    int steps;
    sf8_function function[CONFORM_STEPS];
    sf8_policy policy[CONFORM_STEPS];
    uint32_t random[GPU_LANES]; /* for stochastic rounding, in each lane */
    int alike;                  /* all lanes have the same */
    /* In the place of a step a converter that is no function under a policy; or NULL. */
    uint64_t (*model)(const void *of_model, uint64_t word);
    const void *of_model;
    int model_step;
    /* Told of the inputs that differ, in their order, and what came in the first lane that does; or
     * NULL. Between two words are no inputs, or all gave the same. */
    void (*differs)(void *watcher, uint64_t first, uint64_t last, uint64_t got);
    void *watcher;
} oracle;

/* Resolves the names of a row; on failure 0, and what is wrong in `why`. */
int oracle_open(oracle *o, const conform_case *c, char why[CONFORM_TEXT]);
/* The result for one word in lane 0: each step takes the code of the one before. */
uint64_t oracle_call(const oracle *o, uint64_t word);
uint64_t oracle_call_lane(const oracle *o, uint64_t word, int lane);
/* The steps from the second on. */
uint64_t oracle_rest(const oracle *o, uint64_t code);
const sf8_word *oracle_source(const oracle *o);
const sf8_word *oracle_target(const oracle *o);
/* The whole of it is one conversion between formats, or that and a relu. */
int oracle_is_conversion(const oracle *o);
/* Whether a policy is meant for the formats that the row converts; integers do not count. */
int oracle_policy_holds(const oracle *o, const sf8_policy_row *row);
/* The last step is a relu. */
int oracle_is_relu(const oracle *o);

/* The words of a domain in ascending order, by chunks. */
typedef struct inputs {
    uint64_t *list; /* sorted, each once; NULL: all words from 0 */
    uint64_t count; /* of the words in all; 2^32 at the most */
} inputs;

/* All words, or the set: where `all` is asked of 32 bits and the tier is quick, a set as well. */
int inputs_open(inputs *in, const oracle *o, conform_domain domain, conform_tier tier,
                char why[CONFORM_TEXT]);
void inputs_close(inputs *in);
static inline uint64_t inputs_at(const inputs *in, uint64_t i)
{
    return in->list ? in->list[i] : i;
}

#endif

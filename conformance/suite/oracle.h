/* SPDX-License-Identifier: MIT */
/* oracle.h -- the expected result of a case: its steps, resolved; and its inputs */
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
    /* A converter that replaces a step and is not a function under a policy; or NULL. */
    uint64_t (*model)(const void *of_model, uint64_t word);
    const void *of_model;
    int model_step;
    /* Called with the inputs that differ, in order, and the code of the first lane that differs; or
     * NULL. Between two of them there are no inputs, or all returned the same. */
    void (*differs)(void *watcher, uint64_t first, uint64_t last, uint64_t got);
    void *watcher;
} oracle;

/* Resolves the names of a row. Returns 0 on failure, with the reason in `why`. */
int oracle_open(oracle *o, const conform_case *c, char why[CONFORM_TEXT]);
/* The result for one input in lane 0: each step takes the code of the previous one. */
uint64_t oracle_call(const oracle *o, uint64_t word);
uint64_t oracle_call_lane(const oracle *o, uint64_t word, int lane);
/* The steps from the second on. */
uint64_t oracle_rest(const oracle *o, uint64_t code);
const sf8_word *oracle_source(const oracle *o);
const sf8_word *oracle_target(const oracle *o);
/* Returns 1 if all steps together are one conversion between formats, or one followed by a relu. */
int oracle_is_conversion(const oracle *o);
/* Returns 1 if a policy is meant for the formats that the row converts; integers do not count. */
int oracle_policy_holds(const oracle *o, const sf8_policy_row *row);
/* Returns 1 if the last step is a relu. */
int oracle_is_relu(const oracle *o);

/* The inputs of a domain in ascending order, in chunks. */
typedef struct inputs {
    uint64_t *list; /* sorted and unique; NULL: all values from 0 */
    uint64_t count; /* the number of inputs, at most 2^32 */
} inputs;

/* All values, or the set. In the quick tier a domain of 2^32 values is replaced by a set too. */
int inputs_open(inputs *in, const oracle *o, conform_domain domain, conform_tier tier,
                char why[CONFORM_TEXT]);
void inputs_close(inputs *in);
static inline uint64_t inputs_at(const inputs *in, uint64_t i)
{
    return in->list ? in->list[i] : i;
}

#endif

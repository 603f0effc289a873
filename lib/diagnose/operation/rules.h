/* SPDX-License-Identifier: MIT */
/* rules.h -- which rule gave rows of results: a policy, a rounding, and what is changed in them
 *
 * The rows are those of an operation (operation.c), or of conversions with random numbers
 * (stochastic.c). Each of the two lists the rules to try; rules.c counts the rows that a rule
 * gives, and keeps the best.
 */
#ifndef SOFTFP8_DIAGNOSE_OPERATION_RULES_H
#define SOFTFP8_DIAGNOSE_OPERATION_RULES_H

#include "diagnose/policy/identify.h"
#include "softfp8_vectors.h"

typedef struct rules_row {
    uint64_t operand[3], code, line;
    uint32_t flags;
    uint32_t random; /* the random number of a conversion */
} rules_row;

/* How a rule is computed, besides its policy: a row of rules_ways[]. */
typedef enum rules_way {
    RULES_PLAIN,
    RULES_BF16, /* in this format first, and then rounded again */
    RULES_F16,
    RULES_F32,
    RULES_NAN_NEGATIVE, /* a NaN that no operand was has its sign set */
    RULES_LOW,          /* which bits of a random number count */
    RULES_HIGH,
    RULES_LOW_INVERTED,
    RULES_HIGH_INVERTED,
    RULES_WAYS
} rules_way;

/* As what the other causes are (identify_cause): name, value and words. */
extern const identify_cause rules_ways[RULES_WAYS];

typedef struct rules_rule {
    const char *policy_name;
    sf8_policy policy;           /* with the rounding and the changes */
    const identify_cause *cause; /* a field of it that was changed; or NULL */
    rules_way way;
    int bias;            /* of the format: how much more than its own */
    size_t codes, flags; /* rows whose code, and whose flags too, it gives */
} rules_rule;

/* What is to be explained. */
typedef struct rules_results {
    sf8_function function;
    const rules_row *row;
    size_t count;
    int has_flags; /* without, flags count as given */
    int width;     /* of the random numbers, in bits; 0 of an operation */
    search_context *context;
    sf8_result (*compute)(const struct rules_results *r, const rules_rule *rule,
                          const rules_row *row);
} rules_results;

typedef struct rules_found {
    rules_rule *rule; /* the best first; of those that are alike in the order in which they came */
    size_t found, tried;
    size_t complete; /* of the first of them, which give every code */
    size_t closest;  /* rows whose code a policy gives without changes, at most */
    int is_fixed;    /* a rounding without random numbers gives every code: `fixed` */
    rules_rule fixed;
} rules_found;

/* Sets `compute`, and finds what gives the rows. rules_free() frees it. */
void operation_search(rules_results *r, rules_found *f);
void stochastic_search(rules_results *r, rules_found *f);
void rules_free(const rules_results *r, rules_found *f);

/* ---- for those who list rules ---------------------------------------------------------------- */

typedef struct rules_search {
    const rules_results *r;
    rules_found *f;
    size_t most, partial; /* rules to keep; of those that do not give every code */
    size_t least;         /* rows that a rule has to give */
} rules_search;

rules_search rules_begin(const rules_results *r, rules_found *f, size_t most, size_t partial,
                         size_t least);
void rules_end(const rules_search *s);
/* `base` is the rule that was changed, or NULL: a change has to give more than it. */
void rules_try(const rules_search *s, rules_rule *rule, const rules_rule *base);
/* Counts what a rule gives; 0 if it cannot give as many codes, or flags, as are asked for. */
int rules_count(const rules_results *r, rules_rule *rule, size_t codes, size_t flags);
/* The policy of that name, with a rounding. */
rules_rule rules_named(const char *policy_name, uint32_t round);

#endif

/* SPDX-License-Identifier: MIT */
/* expected.h -- how results differ from those of the policy that was expected */
#ifndef SOFTFP8_DIAGNOSE_POLICY_EXPECTED_H
#define SOFTFP8_DIAGNOSE_POLICY_EXPECTED_H

#include "diagnose/policy/identify.h"

enum { EXPECTED_CHANGES = 32, EXPECTED_TEXT = 1024 };

/* One change of the expected policy: another value of a field; or with `row` NULL another reading
 * of the codes, or a factor of the operands. */
typedef struct expected_change {
    const identify_cause *row;
    sf8_format to; /* of that reading */
    char factor[32], words[256];
    sf8_policy policy;
} expected_change;

/* Reads a policy for a conversion: a name or a product, and fields. Writes it with the name of the
 * policy. Returns that name, or NULL if there is no such policy. */
const char *expected_read(const char *text, sf8_format to, sf8_format from,
                          char full[EXPECTED_TEXT], sf8_policy *rules);
/* Each change of the policy set->rules that explains every input. */
size_t expected_changes(const identify_set *set, expected_change found[EXPECTED_CHANGES]);
/* Whether a factor of the operands explains every input: factor.c. */
int expected_factor(const identify_set *set, expected_change *change);
/* The fields to change in set->rules, the fewest, so that it gives what another policy gives, which
 * explains every input. */
size_t expected_apart(const identify_set *set, sf8_policy other,
                      const identify_cause *found[EXPECTED_CHANGES]);

/* Writes the policy that a text names, with this rounding and perhaps a change:
 * "ocp, rz, flush=outputs". */
void expected_rule(const char *text, size_t round, const identify_cause *change, char *rule,
                   size_t size);

#endif

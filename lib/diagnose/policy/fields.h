/* SPDX-License-Identifier: MIT */
/* fields.h -- what a field of a policy set to a value means, in words */
#ifndef SOFTFP8_DIAGNOSE_POLICY_FIELDS_H
#define SOFTFP8_DIAGNOSE_POLICY_FIELDS_H

#include <stddef.h>

typedef struct policy_words {
    const char *field, *value; /* value NULL: any */
    /* Sought in the changes to a row alone, where also the rounding is one; or in all; or often
     * wrong, and thought of first. */
    enum { WORDS_OF_A_ROW, WORDS_SOUGHT, WORDS_OFTEN } when;
    const char *words; /* of a converter: "NaN keeps its sign" */
} policy_words;

/* Fields that can change a code. The i-th row, or NULL. */
const policy_words *policy_words_at(size_t i);
/* The row of a field with this value, or NULL. */
const policy_words *policy_words_of(const char *field, const char *value);

#endif

/* SPDX-License-Identifier: MIT */
/* fields.h -- what a field of a policy set to a value means, in words */
#ifndef SOFTFP8_SEARCH_POLICY_FIELDS_H
#define SOFTFP8_SEARCH_POLICY_FIELDS_H

#include <stddef.h>

typedef struct policy_words {
    const char *field, *value; /* value NULL: any */
    const char *words; /* of a policy: "the sign of NaN is kept"; NULL: not sought by itself */
    const char *does;  /* of a converter: "NaN keeps its sign"; NULL: the same words */
    int often;         /* is often wrong, and thought of first */
} policy_words;

/* Fields that can change a code. The i-th row, or NULL. */
const policy_words *policy_words_at(size_t i);
/* The row of a field with this value, or NULL. */
const policy_words *policy_words_of(const char *field, const char *value);

#endif

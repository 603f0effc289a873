/* SPDX-License-Identifier: MIT */
/* policies.h -- a few inputs in which the policies differ, and what each gives for them */
#ifndef SOFTFP8_POLICIES_H
#define SOFTFP8_POLICIES_H

#include "cli/text_table.h"

enum { FIELD_SIZE = 32, EFFECTS_MOST = 12 };

typedef struct effects {
    sf8_format from, to;
    int count;
    const char *label[EFFECTS_MOST];
    uint64_t word[EFFECTS_MOST];
} effects;

/* Fails where nothing in `from` lies above the largest number of `to`. */
effects effects_of(sf8_format to, sf8_format from, const char *from_name, const char *to_name);
/* A table with the inputs at its head, and a row for a policy. */
text_table *effects_table(const effects *e);
void effects_row(text_table *table, const effects *e, const char *policy);

#endif

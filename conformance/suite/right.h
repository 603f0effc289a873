/* SPDX-License-Identifier: MIT */
/* right.h -- the right codes of a sequence of inputs, by stretches over which they are constant */
#ifndef SOFTFP8_CONFORM_RIGHT_H
#define SOFTFP8_CONFORM_RIGHT_H

#include "suite/oracle.h"

typedef struct right_codes {
    const oracle *oracle;
    const inputs *inputs;
    int lane;
    int walked; /* the first step is a walk over the steps of a conversion */
    sf8_steps walk;
    sf8_step row, next;
    int more;      /* `next` is one */
    uint64_t code; /* of `row`, after all steps */
} right_codes;

void right_open(right_codes *r, const oracle *o, const inputs *in, int lane);
/* Returns the right code of the input with this index; *end receives the index up to which it stays
 * the same. Indices ascend from call to call. */
uint64_t right_at(right_codes *r, uint64_t index, uint64_t *end);

#endif

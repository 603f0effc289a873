/* SPDX-License-Identifier: MIT */
/* unit_apart.h -- rows on which rules of matrix units differ */
#ifndef SOFTFP8_CONFORM_UNIT_APART_H
#define SOFTFP8_CONFORM_UNIT_APART_H

#include "vectors/unit_cases.h"

enum { APART_RULES = 256 };

/* Rules with one class give the same words on every row that was tried. The rules of a search have
 * the same formats and scales. */
typedef struct unit_apart {
    size_t classes, class_of[APART_RULES];
    unit_row *row; /* fewer than there are classes */
    size_t rows, room;
} unit_apart;

/* Finds rows that tell `count` rules apart, at most APART_RULES, by the results as they are stored.
 * The first rule has the class 0. */
void unit_tell_apart(unit_apart *t, const mma_rule *rule, size_t count, mma_stored stored);
void unit_apart_end(unit_apart *t);

#endif

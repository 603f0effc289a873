/* SPDX-License-Identifier: MIT */
/* rules.h -- the rules that are near that of a unit: one parameter changed
 *
 * Parameters are those of sf8_mma_set, and c added by itself: the products are summed from 0, and c
 * is added to that by an addition of IEEE 754 to nearest even.
 */
#ifndef SOFTFP8_DIAGNOSE_MMA_RULES_H
#define SOFTFP8_DIAGNOSE_MMA_RULES_H

#include "diagnose/mma/rows.h"

enum { MMA_RULE_NAME = 96, MMA_CHANGES = 256 };

typedef struct mma_rule {
    sf8_mma m;
    int by_itself;            /* c is */
    int changes;              /* a unit of another name is one */
    char name[MMA_RULE_NAME]; /* "fraction=12", "unit=ada-qmma sum=f32", "c=by-itself" */
    size_t explained;         /* rows */
} mma_rule;

typedef enum mma_axis {
    MMA_AXIS_FRACTION,
    MMA_AXIS_LENGTH,
    MMA_AXIS_ORDER,
    MMA_AXIS_CUT,
    MMA_AXIS_PRODUCTS,
    MMA_AXIS_SUM,
    MMA_AXIS_ROUND,
    MMA_AXIS_C,
    MMA_AXIS_UNDERFLOW,
    MMA_AXIS_ZERO
} mma_axis;

/* A change of one parameter. */
typedef struct mma_change {
    char name[16], value[16];
    mma_axis axis;
    int with_others; /* it is tried together with changes of other parameters */
    int distance;    /* of a number from the unit's */
} mma_change;

/* The changes that are tried for a unit, its own values among them; how many. */
size_t mma_list_changes(mma_change list[MMA_CHANGES], const sf8_mma *m);
/* Returns 0 if the unit cannot be changed so. */
int mma_apply_change(mma_rule *rule, const mma_change *c);
/* What a row gives by the rule. */
uint32_t mma_rule_word(const mma_rule *rule, const mma_result *row);

#endif

/* SPDX-License-Identifier: MIT */
/* case_parts.c -- into how many parts a case is cut */
#include "families/mma/mma.h"

enum { PARTS = 16 };

unsigned conform_parts(const conform_case *c, conform_tier tier)
{
    sf8_function first;
    if (c->place == PLACE_DEVICE && c->domain == DOMAIN_MMA)
        return mma_parts(c, tier);
    if ((c->place != PLACE_HOST && c->place != PLACE_ARRAYS) || c->domain != DOMAIN_ALL ||
        tier == TIER_QUICK || sf8_function_named(c->oracle[0].function, &first) != SF8_OK ||
        first.operand[0].bits < 32)
        return 1;
    return PARTS;
}

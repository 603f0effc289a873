/* SPDX-License-Identifier: MIT */
/* case_parts.c -- into how many parts a case is cut */
#include "suite/family.h"

unsigned conform_parts(const conform_case *c, conform_tier tier)
{
    return c->family->parts && !c->record ? c->family->parts(c, tier) : 1;
}

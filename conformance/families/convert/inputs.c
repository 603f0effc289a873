/* SPDX-License-Identifier: MIT */
/* inputs.c -- the inputs of a conversion: of a case, and of a part of it */
#include "families/convert/convert.h"

enum { PARTS = 16 };

unsigned convert_parts(const conform_case *c, conform_tier tier)
{
    sf8_function first;
    if (c->domain != DOMAIN_ALL || tier == TIER_QUICK ||
        sf8_function_named(c->oracle[0].function, &first) != SF8_OK || first.operand[0].bits < 32)
        return 1;
    return PARTS;
}

int convert_open(comparison *k, inputs *in, const conform_job *j, conform_tier tier)
{
    oracle row;
    char why[CONFORM_TEXT];
    const conform_part part = j->part;
    if (!oracle_open(&row, j->c, why) || !inputs_open(in, &row, j->c->domain, tier, why))
        return set_broken(j->result, "the row:", why);
    *k = (comparison){j->c, j->rule, in, in->count / part.of * part.index, in->count};
    if (part.index + 1 < part.of)
        k->end = in->count / part.of * (part.index + 1);
    return 1;
}

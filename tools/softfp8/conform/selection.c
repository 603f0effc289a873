/* SPDX-License-Identifier: MIT */
/* selection.c -- the options that conform and record share: which cases, for how long */
#include "conform/selection.h"
#include "suite/conform.h"

const char *conform_name_at(size_t i)
{
    const conform_case *c = conform_case_at(i);
    return c ? c->name : NULL;
}

const cli_option conform_selection[] = {
    {"--only", "GLOB", "the cases whose name fits; * stands for any text, / too",
     TEXT(conform_options, only), .name_at = conform_name_at},
    {"--limit", "SECONDS",
     "the time that a case may take, or a sixteenth of one of 2^32 inputs; 120, 600 and 6000 in "
     "the three tiers if not given",
     REAL(conform_options, limit, 1, 1000000)},
    {.kind = OPTION_END},
};

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
    {"--only", "GLOB", "selects the cases whose name matches; * matches any text, also /",
     TEXT(conform_options, only), .name_at = conform_name_at},
    {"--limit", "SECONDS",
     "stops a case that takes longer; a case of 2^32 inputs may take 16 times as long. Default: "
     "120, 600 or 6000, by tier",
     REAL(conform_options, limit, 1, 1000000)},
    {.kind = OPTION_END},
};

/* SPDX-License-Identifier: MIT */
/* chain.c -- rows: the links from a locked scale to NaN and argmax, on this processor */
#include "cases.h"

#define CASE(subject)                                                                              \
    {                                                                                              \
        "chain/" subject, subject, PLACE_CHAIN, DOMAIN_ROWS, {{NULL, NULL, NULL}}, 0, NULL,        \
            SLICES_NONE, 0                                                                         \
    }

const conform_case chain_cases[] = {
    CASE("scale"), CASE("cast"),  CASE("identical"), CASE("variance"),
    CASE("nan"),   CASE("cache"), CASE("argmax"),    CASE("cures"),
};
const size_t chain_count = sizeof chain_cases / sizeof chain_cases[0];

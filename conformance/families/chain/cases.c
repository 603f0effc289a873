/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the links from a locked scale to NaN and argmax, on this processor and the GPU
 */
#include "suite/cases.h"

#define ON_DEVICE(subject)                                                                         \
    {                                                                                              \
        "chain-device/" subject, subject, PLACE_DEVICE, DOMAIN_ROWS, {{NULL, NULL, NULL}}, 0,      \
            NULL, SLICES_NONE, 0                                                                   \
    }
#define CASE(subject)                                                                              \
    {                                                                                              \
        "chain/" subject, subject, PLACE_CHAIN, DOMAIN_ROWS, {{NULL, NULL, NULL}}, 0, NULL,        \
            SLICES_NONE, 0                                                                         \
    }

const conform_case chain_cases[] = {
    CASE("scale"),      CASE("cast"),      CASE("identical"),      CASE("variance"),
    CASE("nan"),        CASE("cache"),     CASE("argmax"),         CASE("cures"),
    ON_DEVICE("scale"), ON_DEVICE("cast"), ON_DEVICE("identical"), ON_DEVICE("variance"),
    ON_DEVICE("scan"),  ON_DEVICE("nan"),  ON_DEVICE("cache"),     ON_DEVICE("argmax"),
    ON_DEVICE("cures"),
};
const size_t chain_count = sizeof chain_cases / sizeof chain_cases[0];

/* SPDX-License-Identifier: MIT */
/* cases.c -- rows: the steps from a locked scale to NaN and argmax, on this processor and the
 * GPU */
#include "families/chain/chain.h"

#define CASE(link)                                                                                 \
    {                                                                                              \
        .name = "chain/" link, .subject = link                                                     \
    }
#define ON_DEVICE(link)                                                                            \
    {                                                                                              \
        .name = "chain-device/" link, .subject = link                                              \
    }

static const conform_case rows[] = {
    CASE("scale"), CASE("cast"),  CASE("identical"), CASE("variance"),
    CASE("nan"),   CASE("cache"), CASE("argmax"),    CASE("cures"),
};
static const conform_case device_rows[] = {
    ON_DEVICE("scale"),    ON_DEVICE("cast"),   ON_DEVICE("identical"),
    ON_DEVICE("variance"), ON_DEVICE("scan"),   ON_DEVICE("nan"),
    ON_DEVICE("cache"),    ON_DEVICE("argmax"), ON_DEVICE("cures"),
};

const conform_family chain_family = {.name = "chain",
                                     .inputs = "rows",
                                     .subjects = "the library's",
                                     .against = "known values",
                                     FAMILY_ROWS(rows),
                                     .run = chain_run};
const conform_family chain_device_family = {.name = "chain-device",
                                            .inputs = "rows",
                                            .on_device = 1,
                                            FAMILY_ROWS(device_rows),
                                            .kernels = &chain_kernels,
                                            .run = kernel_case_run};

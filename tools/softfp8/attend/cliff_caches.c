/* SPDX-License-Identifier: MIT */
/* cliff_caches.c -- the names of the caches in which a key is looked for */
#include "attend/cliff.h"

const char *const cliff_caches[CLIFF_CACHES] = {"bf16",  "e4m3", "e5m2",     "nvfp4",
                                                "mxfp4", "int4", "kivi-int4"};

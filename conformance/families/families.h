/* SPDX-License-Identifier: MIT */
/* families.h -- the catalog of all cases */
#ifndef SOFTFP8_CONFORM_FAMILIES_H
#define SOFTFP8_CONFORM_FAMILIES_H

#include "suite/family.h"

extern const conform_catalog conform_all;

#endif

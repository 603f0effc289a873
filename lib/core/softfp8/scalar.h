/* SPDX-License-Identifier: MIT */
/* scalar.h -- the core of single numbers: conversions, arithmetic, order, named policies */
#ifndef SOFTFP8_SCALAR_H
#define SOFTFP8_SCALAR_H

#include "softfp8/number/arith.h"
#include "softfp8/number/compare.h"
#include "softfp8/number/policies.h"

#endif

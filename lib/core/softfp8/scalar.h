/* SPDX-License-Identifier: MIT */
/* scalar.h -- the core of single numbers: conversions, arithmetic, order, named policies */
#ifndef SOFTFP8_SCALAR_H
#define SOFTFP8_SCALAR_H

#include "arith.h"
#include "compare.h"
#include "presets.h"

#endif

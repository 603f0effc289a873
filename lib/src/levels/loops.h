/* SPDX-License-Identifier: MIT */
/* loops.h -- what the loops of all levels need, before a vocabulary */
#ifndef SF8_LEVEL_LOOPS_H
#define SF8_LEVEL_LOOPS_H

#include "arrays/arith.h"
#include "arrays/array.h"
#include "arrays/narrow.h"
#include "attend/job.h"
#include "blocks/block_vector.h"
#include "mma/tile.h"
#include "softfp8/scalar.h"

#endif

/* SPDX-License-Identifier: MIT */
/* core.h -- the whole inline core, for use where format and policy are constants, or on a device */
#ifndef SOFTFP8_CORE_H
#define SOFTFP8_CORE_H

#include "attend.h"
#include "block.h"
#include "exp2.h"
#include "kv_words.h"
#include "layout.h"
#include "mma.h"
#include "scalar.h"

#endif

/* SPDX-License-Identifier: MIT */
/* core.h -- the whole inline core, for use where format and policy are constants, or on a device */
#ifndef SOFTFP8_CORE_H
#define SOFTFP8_CORE_H

#include "softfp8/attend/attend.h"
#include "softfp8/blocks/block.h"
#include "softfp8/f32/elementary.h"
#include "softfp8/kv/image.h"
#include "softfp8/blocks/layout.h"
#include "softfp8/mma/mma.h"
#include "softfp8/scalar.h"

#endif

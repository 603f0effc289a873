/* SPDX-License-Identifier: MIT */
/* shim_blocks.cpp -- the block kernels, for this processor */
#include "kernels/blocks/blocks.h"

/* SPDX-License-Identifier: MIT */
/* blocks.cu -- the block kernels, for the GPU */
#include "kernels/blocks/blocks.h"

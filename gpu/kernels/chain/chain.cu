/* SPDX-License-Identifier: MIT */
/* chain.cu -- the links of the chain, for the GPU */
#include "kernels/chain/run.h"

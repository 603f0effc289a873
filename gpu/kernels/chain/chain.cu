/* SPDX-License-Identifier: MIT */
/* chain.cu -- the steps of the chain, for the GPU */
#include "kernels/chain/run.h"

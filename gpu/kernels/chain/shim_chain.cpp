/* SPDX-License-Identifier: MIT */
/* shim_chain.cpp -- the links of the chain, for this processor */
#include "kernels/chain/run.h"

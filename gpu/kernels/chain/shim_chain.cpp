/* SPDX-License-Identifier: MIT */
/* shim_chain.cpp -- the steps of the chain, for this processor */
#include "kernels/chain/run.h"

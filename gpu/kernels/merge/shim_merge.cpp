/* SPDX-License-Identifier: MIT */
/* shim_merge.cpp -- parts of attention joined, for this processor */
#include "kernels/merge/run.h"

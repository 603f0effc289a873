/* SPDX-License-Identifier: MIT */
/* shim_attend.cpp -- the kernels of attention, for this processor */
#include "kernels/attend/run.h"

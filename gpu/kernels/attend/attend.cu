/* SPDX-License-Identifier: MIT */
/* attend.cu -- the kernels of attention, for the GPU */
#include "kernels/attend/run.h"

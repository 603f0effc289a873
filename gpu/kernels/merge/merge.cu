/* SPDX-License-Identifier: MIT */
/* merge.cu -- parts of attention joined, for the GPU */
#include "kernels/merge/run.h"

/* SPDX-License-Identifier: MIT */
/* samples.cu -- the kernels of one part of the rows, for the GPU */
#include "samples.h"

/* SPDX-License-Identifier: MIT */
/* kv.cu -- the kernels of KV caches, for the GPU */
#include "kernels/kv/run.h"

/* SPDX-License-Identifier: MIT */
/* shim_kv.cpp -- the kernels of KV caches for this processor */
#include "kernels/kv/run.h"

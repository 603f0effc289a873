/* SPDX-License-Identifier: MIT */
/* shim_kv.cpp -- the kernels of KV caches for this processor
 *
 * A change of kv.h makes what GPUs recorded stale. So clang's warning about an `int` that is never
 * negative, in an index there, is left out here until the next record.
 */
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wsign-conversion"
#endif
#include "kernels/kv/run.h"

/* SPDX-License-Identifier: MIT */
/* call.c -- the call of a kernel of KV caches for a set and its arrays */
#include "families/kv/kv.h"

#include <string.h>

gpu_kv kv_call_of(const kv_subject *s, const kv_set *set, const kv_arrays *a, const kv_came *here)
{
    gpu_kv b;
    memset(&b, 0, sizeof b);
    b.kernel = s->kernel;
    b.layout = &a->layout;
    b.tokens = set->tokens;
    b.slots = a->slot;
    b.g = a->g;
    b.g_count = a->g_count;
    b.tensor = here->tensor;
    b.tail = here->tail;
    b.tensor_bytes = a->tensor_bytes;
    b.tail_bytes = a->tail_bytes;
    b.tensor_at = a->tensor_at;
    b.token_stride = a->token_stride;
    b.head_stride = a->head_stride;
    b.tail_stride = a->tail_stride;
    b.second = set->second;
    b.image = here->image;
    b.scales = here->scales;
    b.image_bytes = a->image_bytes;
    b.scale_bytes = a->scale_bytes;
    b.tensor_skew = set->skew * kv_width(s);
    b.image_skew = set->image_skew;
    return b;
}

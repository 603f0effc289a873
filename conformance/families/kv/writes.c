/* SPDX-License-Identifier: MIT */
/* writes.c -- how often each byte must be written: once, if a token of the call has it */
#include "families/kv/kv.h"

size_t kv_array_bytes(const kv_arrays *a, int which)
{
    return which == GPU_KV_TENSOR  ? a->tensor_bytes
           : which == GPU_KV_TAIL  ? a->tail_bytes
           : which == GPU_KV_IMAGE ? a->image_bytes
                                   : a->scale_bytes;
}

static void add_bytes(unsigned char *times, size_t at, size_t bytes)
{
    for (size_t i = at; i < at + bytes; i++)
        times[i]++;
}

/* The bytes of a token in the image: elements, in pairs if they have 4 bits, its tail, its
 * scales. */
static void expect_stored(const kv_arrays *a, uint64_t block, uint64_t slot,
                          unsigned char *const times[GPU_KV_ARRAYS])
{
    const sf8_kv_layout *l = &a->layout;
    uint64_t two = l->bits == 4 ? 2 : 1, bytes = l->bits == 4 ? 1 : l->bits / 8;
    for (uint64_t h = 0; h < l->heads; h++)
        for (uint64_t d = 0; d < l->dim; d += two)
            add_bytes(times[GPU_KV_IMAGE], (size_t)sf8_kv_element_at(l, block, slot, h, d),
                      (size_t)bytes);
    if (l->tail)
        add_bytes(times[GPU_KV_IMAGE], (size_t)sf8_kv_tail_offset(l, block, slot, 0),
                  (size_t)(l->tail * l->tail_bits / 8));
    if (l->scales == SF8_KV_SCALES_GIVEN)
        return;
    int where = l->scales == SF8_KV_SCALES_APART ? GPU_KV_SCALES : GPU_KV_IMAGE;
    for (uint64_t h = 0; h < sf8_kv_scale_heads(l); h++)
        for (uint64_t k = 0; k < sf8_kv_scale_columns(l); k++)
            add_bytes(times[where], (size_t)sf8_kv_scale_at(l, block, slot, h, k),
                      l->scale_bits / 8);
}

void kv_expected_writes(const kv_arrays *a, const kv_subject *s, const kv_set *set,
                        unsigned char *const times[GPU_KV_ARRAYS])
{
    const sf8_kv_layout *l = &a->layout;
    size_t width = kv_width(s), row = (set->dim - set->second) * width;
    for (size_t i = 0; i < set->tokens; i++) {
        uint64_t place = (uint64_t)a->slot[i];
        if (place >= l->blocks * l->slots) /* negative ones too */
            continue;
        if (!s->kernel->back) {
            expect_stored(a, place / l->slots, place % l->slots, times);
            continue;
        }
        for (size_t h = 0; h < set->heads; h++)
            add_bytes(times[GPU_KV_TENSOR], kv_word_index(a, i, h, 0) * width, row);
        add_bytes(times[GPU_KV_TAIL], i * a->tail_stride * width, a->parts * width);
    }
}

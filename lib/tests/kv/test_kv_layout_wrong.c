/* SPDX-License-Identifier: MIT */
/* test_kv_layout_wrong.c -- invalid layouts of a KV cache, and the reasons */
#include "check.h"
#include "softfp8_kv_store.h"

/* What the library says of it: of a layout that is good, that the image is too short for it. */
static uint32_t library_says(const sf8_kv_layout *l)
{
    const sf8_kv_slots none = {NULL, 0, 0, 0, NULL, 0};
    sf8_kv_error error;
    sf8_kv_store s;
    memset(&s, 0, sizeof s);
    s.image.layout = *l;
    s.from = SF8_F64; /* which nothing takes */
    cr_assert(sf8_kv_store_n(&s, 1, &none, &error) != SF8_OK);
    return error.reason == SF8_KV_SHORT_IMAGE || error.reason == SF8_KV_BAD_FORMAT ? SF8_KV_GOOD
                                                                                   : error.reason;
}

#define REFUSED(reason, layout)                                                                    \
    do {                                                                                           \
        sf8_kv_layout refused_ = (layout);                                                         \
        EXPECT(sf8_kv_check(&refused_) == SF8_KV_##reason, "line %d: %u", __LINE__,                \
               sf8_kv_check(&refused_));                                                           \
        EXPECT(library_says(&refused_) == SF8_KV_##reason, "line %d: %u", __LINE__,                \
               library_says(&refused_));                                                           \
    } while (0)

Test(kv_layout_wrong, shapes_refused)
{
    REFUSED(BAD_SHAPE, sf8_kv_nhd(1, 0, 1, 64, 8));
    REFUSED(BAD_SHAPE, sf8_kv_nhd(1, 129, 1, 64, 8));
    REFUSED(BAD_SHAPE, sf8_kv_nhd(1, 16, 0, 64, 8));
    REFUSED(BAD_SHAPE, sf8_kv_hnd(1, 16, 1, 0, 8));
    REFUSED(BAD_BITS, sf8_kv_nhd(1, 16, 1, 64, 6));
    REFUSED(BAD_BITS, sf8_kv_nhd(1, 16, 1, 64, 0));
    REFUSED(BAD_BITS, sf8_kv_nhd(1, 16, 1, 64, 64));
    REFUSED(BAD_BITS, sf8_kv_nhd(1, 16, 1, 63, 4));
    REFUSED(BAD_BITS, sf8_kv_xpacked(1, 16, 1, 64, 4));
    REFUSED(BAD_BITS, sf8_kv_columns(1, 16, 1, 64, 4));
    REFUSED(BAD_X, sf8_kv_xpacked(1, 16, 1, 72, 8));
    REFUSED(GOOD, sf8_kv_xpacked(1, 16, 1, 72, 16));
    REFUSED(BAD_X, sf8_kv_xpacked(1, 16, 1, 68, 16));
    REFUSED(BAD_ORDER, sf8_kv_dense(SF8_KV_ORDERS, 0, 1, 16, 1, 64, 8));
    REFUSED(GOOD, sf8_kv_nhd(0, 16, 1, 64, 8));
}

Test(kv_layout_wrong, scales_refused)
{
    sf8_kv_layout l = sf8_kv_hnd(2, 16, 3, 80, 4), m;
    REFUSED(BAD_GROUP, sf8_kv_with_scales(l, 0, 8, 1));
    REFUSED(BAD_GROUP, sf8_kv_with_scales(l, 32, 8, 1));
    REFUSED(BAD_GROUP, sf8_kv_with_scales(l, 160, 32, 1));
    REFUSED(GOOD, sf8_kv_with_scales(l, 240, 32, 1));
    REFUSED(BAD_GROUP, sf8_kv_with_scales(l, 5, 8, 1)); /* half a byte */
    REFUSED(BAD_GROUP, sf8_kv_with_scales(l, 16, 4, 1));
    REFUSED(BAD_GROUP, sf8_kv_with_scales(l, 16, 64, 1));
    m = sf8_kv_with_scales(l, 16, 8, 1);
    m.scale_order = SF8_LAYOUT_128X4;
    REFUSED(BAD_ORDER, m);
    m.scale_order = SF8_LAYOUT_4TOKEN; /* 5 scales: 12 collisions, 4 of 80 outside the page */
    REFUSED(BAD_4TOKEN, m);
    m = sf8_kv_with_scales(sf8_kv_hnd(2, 16, 3, 96, 4), 16, 8, 1); /* 6 scales: 24 and 8 */
    m.scale_order = SF8_LAYOUT_4TOKEN;
    REFUSED(BAD_4TOKEN, m);
    m = sf8_kv_with_scales(sf8_kv_hnd(2, 16, 3, 32, 4), 16, 8, 1); /* 2 scales: S / 4 is 0 */
    m.scale_order = SF8_LAYOUT_4TOKEN;
    REFUSED(BAD_4TOKEN, m);
    m = sf8_kv_with_scales(sf8_kv_hnd(2, 1, 3, 64, 4), 16, 8, 1);
    m.scale_order = SF8_LAYOUT_4TOKEN;
    REFUSED(BAD_4TOKEN, m);
}

Test(kv_layout_wrong, overlaps_refused)
{
    sf8_kv_layout l = sf8_kv_nhd(2, 16, 3, 64, 8), m = l, ds = sf8_kv_ds_mla(2, 16);
    m.head_stride = 63;
    REFUSED(OVERLAP, m);
    m = l;
    m.slot_stride = 3 * 64 - 1;
    REFUSED(OVERLAP, m);
    m = l;
    m.block_stride = 16 * 3 * 64 - 1;
    REFUSED(OVERLAP, m);
    m.blocks = 1;
    REFUSED(GOOD, m);
    m = sf8_kv_hnd(2, 16, 3, 64, 8);
    m.head_stride = 16 * 64 - 1;
    REFUSED(OVERLAP, m);
    m = sf8_kv_columns(2, 16, 3, 64, 8);
    m.head_stride = 16 * 64 - 1;
    REFUSED(OVERLAP, m);
    m = sf8_kv_with_scales(l, 64, 32, 0);
    m.scale_slot_stride = 11;
    REFUSED(OVERLAP, m);
    m = sf8_kv_with_scales(l, 64, 32, 0);
    m.scale_block_stride = 16 * 12 - 1;
    REFUSED(OVERLAP, m);
    m = sf8_kv_behind(sf8_kv_with_scales(l, 64, 32, 0));
    REFUSED(GOOD, m);
    m.scale_at--;
    REFUSED(OVERLAP, m);
    m = sf8_kv_behind(sf8_kv_with_scales(l, 64, 32, 0));
    m.scale_block_stride++;
    REFUSED(OVERLAP, m);
    m = ds;
    m.scale_at = 508;
    REFUSED(OVERLAP, m);
    m = ds;
    m.scale_at = 516;
    REFUSED(OVERLAP, m);
    m = ds;
    m.tail_at = 511;
    REFUSED(BAD_TAIL, m);
    m = ds;
    m.slot_stride = m.scale_slot_stride = 655;
    m.head_stride = m.scale_head_stride = 655;
    REFUSED(OVERLAP, m);
    m = ds;
    m.heads = 2;
    REFUSED(BAD_TAIL, m);
    m = ds;
    m.tail_bits = 12;
    REFUSED(BAD_TAIL, m);
    m = ds; /* the tail first */
    m.tail_at = 512;
    m.scale_at = 640;
    REFUSED(GOOD, m);
}

/* Whatever overflows is too large, and not something else. */
Test(kv_layout_wrong, sizes_refused)
{
    const uint64_t half = UINT64_C(1) << 32, most = UINT64_MAX / 2;
    sf8_kv_layout m;
    REFUSED(TOO_LARGE, sf8_kv_nhd(half, 128, half, 64, 8));
    REFUSED(TOO_LARGE, sf8_kv_hnd(half, 128, half, 64, 8));
    REFUSED(TOO_LARGE, sf8_kv_columns(UINT64_MAX, 16, 8, 64, 8));
    REFUSED(TOO_LARGE, sf8_kv_columns(1, 16, 1, UINT64_C(1) << 60, 8)); /* 2^64 bytes, not 0 */
    REFUSED(TOO_LARGE, sf8_kv_nhd(1, 1, 1, UINT64_MAX, 8));
    REFUSED(TOO_LARGE, sf8_kv_nhd(1, 1, 1, UINT64_MAX / 2 + 1, 8));
    REFUSED(TOO_LARGE, sf8_kv_nhd(0, 16, half, half, 8));
    REFUSED(TOO_LARGE, sf8_kv_nhd(1, 1, UINT64_MAX, UINT64_MAX, 32));
    REFUSED(GOOD, sf8_kv_nhd(1, 1, 1, most, 8));
    REFUSED(TOO_LARGE, sf8_kv_nhd(2, 1, 1, most, 8));
    m = sf8_kv_nhd(4, 16, 8, 128, 8);
    m.block_stride = most / 2;
    REFUSED(TOO_LARGE, m);
    m.block_stride = most / 4;
    REFUSED(GOOD, m);
    m.slot_stride = most;
    REFUSED(TOO_LARGE, m);
    m = sf8_kv_with_scales(sf8_kv_nhd(4, 16, 8, 128, 8), 128, 32, 0);
    m.scale_block_stride = most / 2;
    REFUSED(TOO_LARGE, m);
    m.scale_block_stride = m.slots * 32;
    m.scale_at = most;
    REFUSED(TOO_LARGE, m);
    m = sf8_kv_ds_mla(2, 16);
    m.tail_at = UINT64_MAX - 8;
    REFUSED(TOO_LARGE, m);
}

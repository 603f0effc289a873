/* SPDX-License-Identifier: MIT */
/* fuzz_kv_calls.c -- libFuzzer: stores and gathers of KV caches with any layout, slots and recipe
 *
 * A layout that sf8_kv_check accepts never leads outside of an image of its size. What is copied in
 * comes back, and bytes that belong to no token stay as they were.
 */
#include "fuzz_input.h"
#include "softfp8_blocks.h"
#include "softfp8_kv.h"
#include "softfp8_kv_policy.h"
#include "softfp8_kv_store.h"

enum { LARGEST = 1 << 14 };

/* One of the layouts of the library, with a few fields of any bits. */
static sf8_kv_layout any_layout(input *in)
{
    static const char *const names[] = {"nhd", "hnd", "x-packed", "columns", "ds-mla", "indexer"};
    static const int32_t bits[] = {8, 16, 4, 32, 7};
    sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, 0, 1, 1, 1, 16, 8);
    uint32_t which = small(in, 5), one = which > 3;
    (void)sf8_kv_layout_named(
        &l, names[which], 1 + small(in, 3), 1 + small(in, 16), one ? 1 : 1 + small(in, 3),
        which == 4 ? 512 : 16 * (1 + small(in, 3)), one ? 8 : bits[small(in, 4)]);
    if (small(in, 1) == 0)
        return l;
    for (uint32_t n = small(in, 3); n > 0; n--) {
        uint64_t value = small(in, 1) ? word(in) : small(in, 255);
        size_t at = small(in, 5) * sizeof(uint32_t);
        if (small(in, 1)) { /* a field of 32 bits, or one of the 64-bit fields behind them */
            uint32_t low = (uint32_t)value;
            memcpy((char *)&l + at, &low, sizeof low);
        } else {
            at = offsetof(sf8_kv_layout, blocks) + small(in, 13) * sizeof(uint64_t);
            memcpy((char *)&l + at, &value, sizeof value);
        }
    }
    return l;
}

static const sf8_recipe *any_recipe(input *in, sf8_recipe *room)
{
    size_t rows = 0, i = (size_t)word(in);
    while (sf8_recipe_at(rows))
        rows++;
    if (small(in, 1) == 0)
        return NULL;
    CHECK(sf8_recipe_named(room, sf8_recipe_at(i % rows)->name) == SF8_OK);
    return room;
}

static sf8_format any_words(input *in, uint32_t bits)
{
    if (small(in, 7) == 7)
        return SF8_F64; /* refused */
    return bits == 16 ? (small(in, 1) ? SF8_F16 : SF8_BF16) : bits == 32 ? SF8_F32 : SF8_E4M3;
}

static size_t width_of(sf8_format f)
{
    return sf8_format_bits(f) <= 8 ? 1 : (size_t)sf8_format_bits(f) / 8;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    sf8_recipe room;
    sf8_kv_layout l = any_layout(&in);
    uint32_t good = sf8_kv_check(&l);
    CHECK(good == SF8_KV_GOOD || sf8_kv_reason(good));
    CHECK((sf8_kv_seen_size(&l) == SIZE_MAX) == (good != SF8_KV_GOOD));
    if (good == SF8_KV_GOOD &&
        (sf8_kv_size(&l) > LARGEST || sf8_kv_scales_size(&l) > LARGEST ||
         sf8_kv_seen_size(&l) > LARGEST || l.heads * l.dim + l.tail > LARGEST))
        return 0; /* valid, and more than is worth the time */
    if (good != SF8_KV_GOOD && (l.heads > 64 || l.dim > 1024 || l.tail > 1024))
        return 0;
    const sf8_recipe *recipe = any_recipe(&in, &room);
    sf8_format f = any_words(&in, recipe ? (small(&in, 1) ? 16 : 32) : l.bits);
    sf8_format tail = l.tail_bits == l.bits ? f : any_words(&in, l.tail_bits);
    size_t tokens = 1 + small(&in, 6), count = small(&in, (uint32_t)tokens + (small(&in, 7) == 7)),
           row = (size_t)(l.heads * l.dim);
    size_t widest = width_of(f) > width_of(tail) ? width_of(f) : width_of(tail);

    sf8_kv_image image = {.layout = l};
    image.size = good == SF8_KV_GOOD ? (size_t)sf8_kv_size(&l) : small(&in, 255);
    image.scales_size = good == SF8_KV_GOOD ? (size_t)sf8_kv_scales_size(&l) : small(&in, 255);
    if (small(&in, 15) == 15 && image.size)
        image.size--; /* refused */
    array bytes = array_of(&in, image.size, 1), scales = array_of(&in, image.scales_size, 1);
    array before = array_of(&in, image.size, 1), source = array_of(&in, tokens * row, widest);
    array second = array_of(&in, tokens * (size_t)l.tail, widest), back, seen;
    image.data = bytes.at;
    image.scales = scales.at;
    if (image.size)
        memcpy(before.at, bytes.at, image.size);
    back = array_of(&in, tokens * row, widest);
    seen = array_of(&in, good == SF8_KV_GOOD ? sf8_kv_seen_size(&l) : 0, 1);

    int64_t slot[8];
    for (size_t i = 0; i < 8; i++) {
        uint64_t any = word(&in);
        slot[i] = any % 16 ? (int64_t)(any >> 4 & 31) : (int64_t)any;
    }
    sf8_kv_slots slots = {.slot = slot,
                          .count = count,
                          .outside = small(&in, 2),
                          .twice = small(&in, 2),
                          .seen = seen.at,
                          .seen_size = good == SF8_KV_GOOD ? sf8_kv_seen_size(&l) : 0};
    float g[4] = {1, 0.5f, 2, 0};
    sf8_kv_store store = {.image = image, .recipe = recipe, .from = f};
    store.first = (sf8_kv_words){source.at, tokens, (size_t)l.dim, row, (size_t)l.dim};
    if (l.tail)
        store.second = (sf8_kv_words){second.at, tokens, (size_t)l.tail, (size_t)l.tail, 0};
    if (small(&in, 1)) {
        store.g = g;
        store.g_count = small(&in, 4);
    }
    sf8_kv_error error = {77, 77, 77};
    sf8_status status = sf8_kv_store_n(&store, 1, &slots, &error);
    CHECK(good == SF8_KV_GOOD || status != SF8_OK);
    if (status != SF8_OK)
        CHECK(image.size == 0 || memcmp(before.at, bytes.at, image.size) == 0);
    CHECK(status == SF8_OK || sf8_kv_reason(error.reason));
    for (size_t i = 0; status == SF8_OK && i < count; i++) {
        CHECK(slots.outside == SF8_KV_OUTSIDE_SKIP || slot[i] < (int64_t)(l.blocks * l.slots));
        for (size_t j = 0; slots.twice != SF8_KV_TWICE_LAST && slot[i] >= 0 && j < i; j++)
            CHECK(slot[i] != slot[j] || slot[i] >= (int64_t)(l.blocks * l.slots));
    }

    sf8_kv_gather gather = {.image = image, .recipe = recipe, .to = f};
    gather.first = (sf8_kv_room){back.at, tokens, (size_t)l.dim, row, (size_t)l.dim};
    if (l.tail)
        gather.second = (sf8_kv_room){second.at, tokens, (size_t)l.tail, (size_t)l.tail, 0};
    gather.g = store.g;
    gather.g_count = store.g_count;
    sf8_status gathered = sf8_kv_gather_n(&gather, 1, &slots, &error);
    CHECK(good == SF8_KV_GOOD || gathered != SF8_OK);
    if (status == SF8_OK && gathered == SF8_OK && !recipe && slots.twice == SF8_KV_TWICE_REFUSE) {
        size_t width = width_of(f), places = (size_t)(l.blocks * l.slots);
        for (size_t i = 0; i < count && i < tokens; i++)
            if (slot[i] >= 0 && (uint64_t)slot[i] < places)
                CHECK(memcmp(source.at + i * row * width, back.at + i * row * width, row * width) ==
                      0);
    }
    sf8_kv_pool pool = {.layout = l, .recipe = recipe, .words = f, .scale = NULL, .count = 0};
    CHECK(sf8_kv_unlike(&pool, &pool) == 0);
    free(bytes.whole);
    free(scales.whole);
    free(before.whole);
    free(source.whole);
    free(second.whole);
    free(back.whole);
    free(seen.whole);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* fuzz_attend_calls.c -- libFuzzer: attention over any cache, with any shape, window and order
 *
 * A request that the check refuses is refused by every function. Another one gives the same bits on
 * every level, and in parts that are joined.
 */
#include "fuzz_input.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

enum { KEYS = 70, ROOM = 1 << 18, BLOCKS = 4 };

static sf8_format any_words(input *in)
{
    switch (small(in, 4)) {
    case 0:
        return SF8_F32;
    case 1:
        return SF8_F16;
    case 2:
        return SF8_BF16;
    case 3:
        return SF8_E4M3;
    default:
        return SF8_TF32;
    }
}

/* A cache with its memory; `recipe` is room for its recipe. */
static sf8_attend_cache any_cache(input *in, sf8_recipe *recipe, uint32_t slots, array *memory)
{
    static const char *const names[] = {"nhd", "hnd", "x-packed", "columns"};
    static const char *const recipes[] = {"kv-vllm", "kv-vllm-e5m2", "fp8-per-token-head"};
    static const uint32_t scale[4] = {0x3f800000, 0x3f000000, 0x7f800000, 0x40490fdb};
    sf8_attend_cache c = {.words = any_words(in)};
    uint32_t bits = (uint32_t)sf8_format_bits(c.words);
    if (small(in, 1)) {
        CHECK(sf8_recipe_named(recipe, recipes[small(in, 2)]) == SF8_OK);
        c.recipe = recipe;
        bits = 8;
    }
    (void)sf8_kv_layout_named(&c.image.layout, names[small(in, 3)], BLOCKS, slots,
                              small(in, 1) + 1u, 16 * (small(in, 1) + 1u), (int32_t)bits);
    uint64_t size = sf8_kv_check(&c.image.layout) == SF8_KV_GOOD ? sf8_kv_size(&c.image.layout) : 0;
    CHECK(size <= ROOM);
    *memory = array_of(in, (size_t)size, 1);
    c.image.data = memory->at;
    c.image.size = (size_t)size - (size && small(in, 31) == 31);
    if (small(in, 1)) {
        c.scale = scale;
        c.scales = 1 + small(in, 3);
    }
    return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    sf8_recipe k_recipe, v_recipe;
    array k, v, q, out, again;
    int64_t blocks[BLOCKS * 2];
    uint32_t slots = 1 + small(&in, 31), sinks[16];
    sf8_attend a = {.sums = (sf8_attend_sums)small(&in, SF8_ATTEND_SUMS_COUNT)};
    a.k = any_cache(&in, &k_recipe, slots, &k);
    a.v = any_cache(&in, &v_recipe, small(&in, 15) < 15 ? slots : 1 + small(&in, 31), &v);
    for (size_t i = 0; i < BLOCKS * 2; i++) {
        uint64_t any = word(&in);
        blocks[i] = any % 64 ? (int64_t)(any >> 6 & 3) : (int64_t)any;
    }
    take(&in, sinks, sizeof sinks);
    a.scale = small(&in, 1) ? 0x3e000000 : (uint32_t)word(&in);
    a.cap = small(&in, 1) ? 0 : (uint32_t)word(&in);
    a.sinks = small(&in, 1) ? sinks : NULL;
    a.left = small(&in, 1) ? -1 : (int64_t)word(&in);
    a.right = small(&in, 1) ? 0 : (int64_t)word(&in);
    a.first = small(&in, 1) ? (int64_t)small(&in, KEYS) : (int64_t)word(&in);
    a.keys = small(&in, KEYS);
    a.queries = small(&in, 3);
    a.heads = 2 * small(&in, 2) + 2;
    a.blocks = blocks;
    a.block_count = BLOCKS * 2 - small(&in, BLOCKS * 2);
    a.q_words = any_words(&in);
    a.out_words = any_words(&in);
    a.lse_base2 = (int32_t)small(&in, 1);
    size_t dim = (size_t)a.k.image.layout.dim, wide = (size_t)a.v.image.layout.dim;
    size_t rows = a.queries * a.heads;
    q = array_of(&in, rows * dim, 4);
    out = array_of(&in, rows * wide, 4);
    again = array_of(&in, rows * wide, 4);
    uint32_t *lse = words_of(&in, rows), *lse_again = words_of(&in, rows);
    a.q = (sf8_kv_words){q.at, a.queries, dim, a.heads * dim, dim};
    a.out = (sf8_kv_room){out.at, a.queries, wide, a.heads * wide, wide};
    a.lse = lse;

    uint32_t reason = sf8_attend_check(&a);
    size_t words = reason == SF8_ATTEND_GOOD ? sf8_attend_room(&a) : 16;
    uint32_t *room = words_of(&in, words <= ROOM ? words : 0);
    CHECK(sf8_attend_reason(reason));
    if (reason != SF8_ATTEND_GOOD) {
        CHECK(sf8_attend_n(&a, room, words) != SF8_OK);
    } else if (words <= ROOM) {
        size_t bytes = rows * wide * (sf8_format_bits(a.out_words) > 16 ? 4 : 2);
        sf8_attend b = a;
        b.out.words = again.at;
        b.lse = lse_again;
        CHECK(words == 0 || sf8_attend_n(&a, room, words - 1) != SF8_OK);
        CHECK(sf8_attend_at("core", &a, room, words) == SF8_OK);
        for (size_t i = 0; sf8_simd_at(i); i++) {
            CHECK(sf8_attend_at(sf8_simd_at(i), &b, room, words) == SF8_OK);
            CHECK(bytes == 0 || memcmp(out.at, again.at, bytes) == 0);
            CHECK(rows == 0 || memcmp(lse, lse_again, rows * sizeof *lse) == 0);
        }
        size_t chunks = sf8_attend_chunks(&a), cut = chunks ? (size_t)word(&in) % (chunks + 1) : 0;
        uint32_t *pieces[2];
        sf8_attend_parted parts[2] = {{0, cut, NULL}, {cut, chunks, NULL}};
        for (int i = 0; i < 2; i++) {
            size_t n = sf8_attend_pieces(&a, parts[i].first_chunk, parts[i].last_chunk);
            parts[i].pieces = pieces[i] = words_of(&in, n * sf8_attend_piece_words(&a));
            CHECK(sf8_attend_part(&a, parts[i].first_chunk, parts[i].last_chunk, pieces[i], room,
                                  words) == SF8_OK);
        }
        CHECK(sf8_attend_joined(&b, parts, 2, room, words) == SF8_OK);
        CHECK(bytes == 0 || memcmp(out.at, again.at, bytes) == 0);
        CHECK(sf8_attend_part(&a, 0, chunks + 1, pieces[0], room, words) != SF8_OK);
        free(pieces[0]);
        free(pieces[1]);
    }
    free(room);

    /* Another order, with up to one choice of any bits. */
    size_t orders = 0, i = (size_t)word(&in), cut = small(&in, 80);
    while (sf8_attend_order_at(orders))
        orders++;
    sf8_attend_order order = *sf8_attend_order_at(i % orders);
    uint32_t *choices[] = {&order.operands, &order.dot,    &order.score, &order.sum,
                           &order.weight,   &order.values, &order.end,   &order.v_scale,
                           &order.others,   &order.split,  &order.join};
    if (small(&in, 1))
        *choices[small(&in, sizeof choices / sizeof choices[0] - 1)] = small(&in, 3)
                                                                           ? small(&in, 5)
                                                                           : (uint32_t)word(&in);
    if (small(&in, 7) == 0)
        order.tile = (int32_t)word(&in);
    reason = sf8_attend_order_check(&order, &a, cut);
    words = reason == SF8_ATTEND_GOOD ? sf8_attend_order_room(&order, &a, cut) : 16;
    room = words_of(&in, words <= ROOM ? words : 0);
    if (words <= ROOM)
        CHECK((sf8_attend_order_n(&order, &a, cut, room, words) == SF8_OK) ==
              (reason == SF8_ATTEND_GOOD));
    free(room);
    free(lse);
    free(lse_again);
    free(k.whole);
    free(v.whole);
    free(q.whole);
    free(out.whole);
    free(again.whole);
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* test_kv_gather_wrong.c -- refused calls for images of KV caches write nothing */
#include "kv/kv.h"

enum { BLOCKS = 3, SLOTS = 16, HEADS = 4, DIM = 64, ROW = HEADS * DIM, TOKENS = BLOCKS * SLOTS };

static float out[TOKENS * ROW + 2 * GUARD];
static sf8_recipe recipe;

static sf8_kv_gather gather_of(const sf8_kv_layout *l, const float *g, size_t count)
{
    sf8_kv_gather r;
    memset(&r, 0, sizeof r);
    r.image = image_of(l, image, NULL);
    r.recipe = &recipe;
    r.to = SF8_F32;
    r.first.words = out + GUARD;
    r.first.tokens = TOKENS;
    r.first.dim = r.first.head_stride = DIM;
    r.first.token_stride = ROW;
    r.g = g;
    r.g_count = count;
    return r;
}

static sf8_kv_gather pair[2];
static sf8_kv_slots slots;
static float other[TOKENS * ROW];
static uint8_t scale_room[TOKENS * HEADS * 4];

static void begin(void)
{
    static const float g = .3f;
    sf8_kv_layout nhd = sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8);
    recipe = given_divide("e4m3");
    images_begin((size_t)sf8_kv_size(&nhd));
    memset(out, CANARY, sizeof out);
    memset(other, CANARY, sizeof other);
    pair[0] = gather_of(&nhd, &g, 1);
    pair[1] = pair[0];
    pair[1].first.words = other;
    slots = in_order(TOKENS);
    slots.seen = NULL;
}

static size_t touched(const void *array, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((const uint8_t *)array)[i] != CANARY;
    return n;
}

static void refused(int line, uint32_t reason, size_t item, size_t token)
{
    sf8_kv_error error = {77, 77, 77};
    EXPECT(sf8_kv_gather_n(pair, 2, &slots, &error) != SF8_OK, "line %d", line);
    EXPECT(error.reason == reason && error.item == item && error.token == token,
           "line %d: %s, item %zu, token %zu", line, sf8_kv_reason(error.reason), error.item,
           error.token);
    EXPECT(touched(out, sizeof out) + touched(other, sizeof other) == 0, "line %d: written", line);
}

#define REFUSED(reason, item, token) refused(__LINE__, SF8_KV_##reason, item, token)

/* Of two gathers the second is refused, and nothing of the first is written. */
Test(kv_gather_wrong, gathers_refused)
{
    sf8_recipe head = recipe_called("fp8-per-token-head");
    begin();
    slot_room[TOKENS - 1] = TOKENS;
    REFUSED(OUTSIDE, 0, TOKENS - 1);
    slots.outside = SF8_KV_OUTSIDE_SKIP;
    EXPECT(sf8_kv_gather_n(pair, 2, &slots, NULL) == SF8_OK, "passed over");
    EXPECT(touched(out, sizeof out) > 0 &&
               touched(out + GUARD + (TOKENS - 1) * ROW, (ROW + GUARD) * sizeof out[0]) == 0,
           "a token that is passed over");
    begin();
    pair[1].image.size--;
    REFUSED(SHORT_IMAGE, 1, 0);
    begin();
    pair[1].image.layout = sf8_kv_nhd(UINT64_MAX / 4, SLOTS, HEADS, DIM, 8);
    REFUSED(TOO_LARGE, 1, 0);
    begin();
    pair[1].image.layout = sf8_kv_nhd(BLOCKS, SLOTS, HEADS, UINT64_MAX - 1, 8);
    REFUSED(TOO_LARGE, 1, 0);
    begin();
    pair[1].image.layout = sf8_kv_nhd(BLOCKS - 1, SLOTS, HEADS, DIM, 8);
    REFUSED(OUTSIDE, 1, TOKENS - SLOTS);
    begin();
    pair[1].first.tokens = TOKENS - 1;
    REFUSED(FEW_TOKENS, 1, 0);
    begin();
    pair[1].first.dim--;
    REFUSED(BAD_WORDS, 1, 0);
    begin();
    pair[1].first.token_stride = SIZE_MAX / 8;
    REFUSED(BAD_WORDS, 1, 0);
    begin();
    pair[1].recipe = &head; /* its scales have to be somewhere */
    pair[1].image.layout = sf8_kv_with_scales(pair[1].image.layout, DIM, 32, 0);
    pair[1].image.scales = scale_room;
    pair[1].image.scales_size = sizeof scale_room - 1;
    REFUSED(SHORT_SCALES, 1, 0);
}

/* fp8_ds_mla: a tail that is missing, or of another width; and a token with too few elements. */
Test(kv_gather_wrong, tails_refused)
{
    static uint16_t nope[2 * 512], rope[2 * 64];
    sf8_kv_layout l = sf8_kv_ds_mla(1, 4);
    sf8_recipe r = recipe_called("kv-vllm-ds-mla");
    sf8_kv_slots two = in_order(2);
    sf8_kv_error error;
    for (int i = 0; i < 6; i++) {
        sf8_kv_store s;
        memset(&s, 0, sizeof s);
        s.image = image_of(&l, image, NULL);
        s.recipe = &r;
        s.from = SF8_BF16;
        s.first.words = nope;
        s.first.tokens = s.second.tokens = 2;
        s.first.dim = s.first.head_stride = s.first.token_stride = 512;
        s.second.words = rope;
        s.second.dim = s.second.head_stride = s.second.token_stride = 64;
        images_begin(s.image.size);
        s.second.dim = i == 1 ? 0 : i == 2 ? 63 : i == 3 ? 65 : 64;
        s.second.tokens = i == 4 ? 1 : 2;
        s.image.size -= i == 5;
        sf8_status status = sf8_kv_store_n(&s, 1, &two, &error);
        EXPECT((status == SF8_OK) == (i == 0), "%d: %s", i, sf8_kv_reason(error.reason));
        EXPECT(images_same(s.image.size) == (i != 0), "%d: %s", i,
               i ? "something was written" : "nothing was written");
    }
}

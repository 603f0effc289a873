/* SPDX-License-Identifier: MIT */
/* test_kv_store_wrong.c -- slots that are invalid, repeated or too many, and impossible calls: a
 * refused store or gather writes nothing */
#include "kv/kv.h"

enum { BLOCKS = 3, SLOTS = 16, HEADS = 2, DIM = 64, ROW = HEADS * DIM, TOKENS = 20 };

static float words[TOKENS * ROW], out[TOKENS * ROW];
static uint8_t k_data[BLOCKS * SLOTS * ROW], v_data[BLOCKS * SLOTS * ROW];
static uint8_t scale_data[BLOCKS * SLOTS * HEADS * 8];
static sf8_recipe recipe, per_head;
static sf8_kv_store pair[2];
static sf8_kv_slots slots;

/* K and V of which all is right. */
static void begin(void)
{
    sf8_kv_layout nhd = sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8);
    sf8_kv_layout v = sf8_kv_columns(BLOCKS, SLOTS, HEADS, DIM, 8);
    recipe = given_divide("e4m3");
    per_head = recipe_called("fp8-per-token-head");
    memset(k_data, CANARY, sizeof k_data);
    memset(v_data, CANARY, sizeof v_data);
    memset(scale_data, CANARY, sizeof scale_data);
    memset(out, CANARY, sizeof out);
    for (size_t i = 0; i < COUNT(words); i++)
        words[i] = 1;
    memset(pair, 0, sizeof pair);
    pair[0].image = image_of(&nhd, k_data, scale_data);
    pair[0].recipe = &recipe;
    pair[0].from = SF8_F32;
    pair[0].first.words = words;
    pair[0].first.tokens = TOKENS;
    pair[0].first.dim = pair[0].first.head_stride = DIM;
    pair[0].first.token_stride = ROW;
    pair[1] = pair[0];
    pair[1].image = image_of(&v, v_data, NULL);
    slots = permuted(TOKENS, BLOCKS * SLOTS);
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
    sf8_status status = reason == SF8_KV_BAD_FORMAT ? SF8_BAD_FORMAT : SF8_BAD_CALL;
    cr_expect_eq(sf8_kv_store_n(pair, 2, &slots, &error), status, "line %d", line);
    cr_expect(error.reason == reason && error.item == item && error.token == token,
              "line %d: %s, item %u, token %u", line, sf8_kv_reason(error.reason),
              (unsigned)error.item, (unsigned)error.token);
    cr_expect_eq(sf8_kv_store_n(pair, 2, &slots, NULL), status);
    cr_expect(touched(k_data, sizeof k_data) + touched(v_data, sizeof v_data) +
                      touched(scale_data, sizeof scale_data) ==
                  0,
              "line %d: something was written", line);
}

#define REFUSED(reason, item, token) refused(__LINE__, SF8_KV_##reason, item, token)

static void stored(int line, size_t tokens)
{
    sf8_kv_error error = {77, 77, 77};
    cr_expect_eq(sf8_kv_store_n(pair, 2, &slots, &error), SF8_OK, "line %d: %s", line,
                 sf8_kv_reason(error.reason));
    cr_expect_eq(error.reason, SF8_KV_GOOD);
    cr_expect_eq(touched(k_data, sizeof k_data), tokens * ROW, "line %d", line);
    cr_expect_eq(touched(v_data, sizeof v_data), tokens * ROW, "line %d", line);
}

#define STORED(tokens) stored(__LINE__, tokens)

Test(kv_store_wrong, slots)
{
    begin();
    STORED(16); /* 4 of 20 have none */
    begin();
    slot_room[7] = BLOCKS * SLOTS;
    REFUSED(OUTSIDE, 0, 7);
    slot_room[7] = INT64_MAX;
    REFUSED(OUTSIDE, 0, 7);
    slots.outside = SF8_KV_OUTSIDE_SKIP;
    STORED(15);
    begin();
    slot_room[7] = -2;
    STORED(15);
    begin();
    slot_room[11] = slot_room[2];
    REFUSED(TWICE, 0, 11);
    slot_room[1] = BLOCKS * SLOTS; /* a slot outside is reported first */
    REFUSED(OUTSIDE, 0, 1);
    slots.outside = SF8_KV_OUTSIDE_SKIP;
    REFUSED(TWICE, 0, 11);
}

/* Each byte of `seen` counts, whatever is in it; none is touched behind. */
Test(kv_store_wrong, room_for_seen)
{
    begin();
    sf8_kv_layout l = pair[0].image.layout;
    size_t size = sf8_kv_seen_size(&l);
    cr_assert(size == BLOCKS * SLOTS / 8 + 1);
    slots.seen_size = size - 1;
    REFUSED(NO_SEEN, 0, 0);
    slots.seen_size = size;
    slots.seen = NULL;
    REFUSED(NO_SEEN, 0, 0);
    slots.twice = SF8_KV_TWICE_LAST;
    STORED(16);
    begin();
    slots.seen_size = size;
    memset(seen_room, 0x5a, sizeof seen_room);
    STORED(16);
    cr_expect(seen_room[size] == 0x5a);
    begin();
    slots.count = 1;
    slots.seen = NULL;
    STORED(1);
    l.slots = 0;
    cr_expect_eq(sf8_kv_seen_size(&l), SIZE_MAX);
}

/* All slots of a cache of many blocks, each once; then the last of them again. */
Test(kv_store_wrong, every_slot_once)
{
    begin();
    slots = in_order(BLOCKS * SLOTS);
    slots.count = TOKENS;
    for (int64_t first = 0; first <= BLOCKS * SLOTS - TOKENS; first++) {
        for (int64_t i = 0; i < TOKENS; i++)
            slot_room[i] = first + i;
        cr_assert(sf8_kv_store_n(pair, 2, &slots, NULL) == SF8_OK);
    }
    cr_expect_eq(touched(k_data, sizeof k_data), sizeof k_data);
    for (int64_t i = 0; i < TOKENS - 1; i++) {
        begin();
        for (int64_t k = 0; k < TOKENS; k++)
            slot_room[k] = BLOCKS * SLOTS - 1 - k;
        slot_room[TOKENS - 1] = slot_room[i];
        REFUSED(TWICE, 0, TOKENS - 1);
    }
}

Test(kv_store_wrong, the_last_of_two)
{
    begin();
    slots.twice = SF8_KV_TWICE_LAST;
    slot_room[12] = slot_room[3];
    for (size_t i = 0; i < ROW; i++)
        words[12 * ROW + i] = 2;
    STORED(15);
    size_t at = (size_t)slot_room[3] * ROW;
    for (size_t i = 0; i < ROW; i++)
        EXPECT(k_data[at + i] == 0x40, "%02x", k_data[at + i]);
}

/* The mapping may be shorter than the tokens, not longer. */
Test(kv_store_wrong, tokens)
{
    begin();
    slots.count = 11;
    STORED(9);
    begin();
    slots.count = 0;
    STORED(0);
    begin();
    pair[1].first.tokens = TOKENS - 1;
    REFUSED(FEW_TOKENS, 1, 0);
}

Test(kv_store_wrong, arrays)
{
    begin();
    pair[0].image.size--;
    REFUSED(SHORT_IMAGE, 0, 0);
    begin();
    pair[1].image.size--;
    REFUSED(SHORT_IMAGE, 1, 0);
    begin();
    pair[1].image.layout.blocks--;
    REFUSED(UNLIKE, 1, 0);
    begin();
    pair[1].image.layout = sf8_kv_columns(BLOCKS * 2, SLOTS / 2, HEADS, DIM, 8);
    REFUSED(UNLIKE, 1, 0);
    begin();
    pair[0].image.layout.slots = 0;
    REFUSED(BAD_SHAPE, 0, 0);
    begin();
    pair[0].image.layout = sf8_kv_nhd(UINT64_MAX / 2, SLOTS, HEADS, DIM, 8);
    REFUSED(TOO_LARGE, 0, 0);
    begin();
    pair[0].recipe = &per_head;
    pair[0].image.layout = sf8_kv_with_scales(pair[0].image.layout, DIM, 32, 0);
    pair[0].image.scales_size = BLOCKS * SLOTS * HEADS * 4 - 1;
    REFUSED(SHORT_SCALES, 0, 0);
    pair[0].image.scales_size++;
    STORED(16);
    cr_expect_eq(touched(scale_data, sizeof scale_data), 16 * HEADS * 4);
}

Test(kv_store_wrong, words)
{
    begin();
    pair[1].first.dim--;
    REFUSED(BAD_WORDS, 1, 0);
    pair[1].first.dim += 2;
    REFUSED(BAD_WORDS, 1, 0);
    begin();
    pair[1].second.dim = 1;
    REFUSED(BAD_WORDS, 1, 0);
    begin();
    pair[0].first.token_stride = PTRDIFF_MAX / 64;
    REFUSED(BAD_WORDS, 0, 0);
    begin();
    pair[0].first.head_stride = SIZE_MAX - 8;
    REFUSED(BAD_WORDS, 0, 0);
    begin();
    pair[0].first.dim = SIZE_MAX;
    pair[0].second.dim = DIM + 1;
    REFUSED(BAD_WORDS, 0, 0);
    begin(); /* the same elements for every token, and every head */
    pair[0].first.token_stride = pair[0].first.head_stride = 0;
    STORED(16);
}

Test(kv_store_wrong, formats)
{
    begin();
    pair[0].from = SF8_F64;
    REFUSED(BAD_FORMAT, 0, 0);
    pair[0].from = SF8_E4M3;
    REFUSED(BAD_FORMAT, 0, 0);
    pair[0].from = SF8_F32;
    pair[1].recipe = NULL; /* 32 bits into 8 */
    REFUSED(BAD_FORMAT, 1, 0);
    pair[1].from = SF8_BF16;
    REFUSED(BAD_FORMAT, 1, 0);
    pair[1].from = SF8_E5M2;
    STORED(16);
}

Test(kv_store_wrong, recipes)
{
    sf8_recipe kivi = recipe_called("kivi-int4"), nvfp4 = recipe_called("nvfp4-vllm");
    sf8_recipe trtllm = recipe_called("nvfp4-trtllm"), group = recipe_called("fp8-group128");
    sf8_recipe amax_of = given_divide("e4m3");
    static const uint32_t range[] = {SF8_VAR_amax, SF8_VAR_low, SF8_VAR_high};
    begin();
    pair[0].image.scales_size = sizeof scale_data;
    pair[0].recipe = &per_head; /* has to make a scale, and there is no place for it */
    REFUSED(BAD_RECIPE, 0, 0);
    for (size_t i = 0; i < COUNT(range); i++) {
        amax_of = given_divide("e4m3");
        amax_of.element_of.term[1].word = range[i];
        pair[0].recipe = &amax_of;
        REFUSED(BAD_RECIPE, 0, 0);
        amax_of = given_divide("e4m3");
        amax_of.factor_of = amax_of.scale_of;
        amax_of.factor_of.term[0].word = range[i];
        REFUSED(BAD_RECIPE, 0, 0);
    }
    pair[0].recipe = &kivi;
    REFUSED(BAD_RECIPE, 0, 0);
    pair[0].recipe = &group;
    pair[0].image.layout = sf8_kv_with_scales(pair[0].image.layout, DIM, 32, 0);
    REFUSED(BAD_RECIPE, 0, 0); /* 128 elements with a scale, not 64 */
    pair[0].recipe = &per_head;
    pair[0].image.layout = sf8_kv_with_scales(sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8), DIM / 2, 32,
                                              0);
    REFUSED(BAD_RECIPE, 0, 0);
    pair[0].image.layout = sf8_kv_with_scales(sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8), DIM, 16, 0);
    REFUSED(BAD_RECIPE, 0, 0); /* a scale of 32 bits into 16 */
    pair[0].image.layout = sf8_kv_with_scales(sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 4), DIM, 32, 0);
    REFUSED(BAD_RECIPE, 0, 0); /* a code of 8 bits into 4 */
    pair[0].recipe = &trtllm;
    REFUSED(BAD_RECIPE, 0, 0);
    pair[0].image.layout = sf8_kv_with_scales(sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 4), 16, 8, 0);
    cr_expect_eq(sf8_kv_store_n(pair, 2, &slots, NULL), SF8_OK);
    pair[0].recipe = &nvfp4;
    cr_expect_eq(sf8_kv_store_n(pair, 2, &slots, NULL), SF8_OK);
}

/* A page of NVFP4 whose V has 5 or 6 scales a token: they would collide. */
Test(kv_store_wrong, v_scales_that_collide)
{
    sf8_recipe nvfp4 = recipe_called("nvfp4-flashinfer-append");
    for (uint64_t columns = 5; columns <= 6; columns++) {
        begin();
        sf8_kv_layout l = sf8_kv_nhd(BLOCKS, SLOTS, 1, 16 * columns, 4);
        pair[1].image.layout = sf8_kv_behind(sf8_kv_with_scales(l, 16, 8, 0));
        pair[1].image.layout.scale_order = SF8_LAYOUT_4TOKEN;
        pair[1].recipe = &nvfp4;
        pair[1].first.dim = 16 * (size_t)columns;
        REFUSED(BAD_4TOKEN, 1, 0);
    }
}

Test(kv_store_wrong, g)
{
    static const float g[3] = {1, 2, 3};
    begin();
    pair[0].g_count = 1;
    REFUSED(BAD_G, 0, 0);
    pair[0].g = g;
    pair[0].g_count = 0;
    REFUSED(BAD_G, 0, 0);
    pair[0].g_count = 3;
    REFUSED(BAD_G, 0, 0);
    pair[0].g_count = 2;
    STORED(16);
    begin();
    per_head.block = 0; /* one scale for both heads cannot be made of two g */
    pair[0].recipe = &per_head;
    pair[0].image.layout = sf8_kv_with_scales(pair[0].image.layout, ROW, 32, 0);
    pair[0].image.scales_size = sizeof scale_data;
    pair[0].g = g;
    pair[0].g_count = 2;
    REFUSED(BAD_G, 0, 0);
    pair[0].g_count = 1;
    STORED(16);
}

/* ---- gathering ------------------------------------------------------------------------------- */

static sf8_kv_gather back;

static void begin_gather(void)
{
    begin();
    memset(&back, 0, sizeof back);
    back.image = pair[0].image;
    back.recipe = &recipe;
    back.to = SF8_F32;
    back.first.words = out;
    back.first.tokens = TOKENS;
    back.first.dim = back.first.head_stride = DIM;
    back.first.token_stride = ROW;
    slots.seen = NULL;
}

#define GATHER_REFUSED(why, token_)                                                                \
    do {                                                                                           \
        sf8_kv_error error = {77, 77, 77};                                                         \
        cr_expect(sf8_kv_gather_n(&back, 1, &slots, &error) != SF8_OK, "line %d", __LINE__);       \
        cr_expect(error.reason == SF8_KV_##why && error.item == 0 && error.token == (token_),      \
                  "line %d: %s", __LINE__, sf8_kv_reason(error.reason));                           \
        cr_expect_eq(touched(out, sizeof out), 0);                                                 \
    } while (0)

Test(kv_store_wrong, gathers)
{
    begin_gather();
    slot_room[6] = BLOCKS * SLOTS;
    GATHER_REFUSED(OUTSIDE, 6);
    begin_gather();
    back.image.size--;
    GATHER_REFUSED(SHORT_IMAGE, 0);
    begin_gather();
    back.first.tokens = TOKENS - 1;
    GATHER_REFUSED(FEW_TOKENS, 0);
    begin_gather();
    back.first.token_stride = ROW - 1; /* two tokens would meet */
    GATHER_REFUSED(BAD_WORDS, 0);
    begin_gather();
    back.to = SF8_E4M3;
    GATHER_REFUSED(BAD_FORMAT, 0);
    begin_gather();
    back.recipe = &per_head; /* whose scales are nowhere */
    GATHER_REFUSED(BAD_RECIPE, 0);
    begin_gather();
    back.g_count = 2;
    GATHER_REFUSED(BAD_G, 0);
    begin_gather(); /* twice is right */
    slot_room[9] = slot_room[7];
    cr_expect_eq(sf8_kv_gather_n(&back, 1, &slots, NULL), SF8_OK);
}

Test(kv_store_wrong, names)
{
    sf8_kv_layout l = sf8_kv_nhd(1, 2, 3, 4, 8), same = l;
    cr_expect_eq(sf8_kv_layout_named(&l, "nhdx", 1, 16, 1, 64, 8), SF8_UNKNOWN_NAME);
    cr_expect_eq(sf8_kv_layout_named(&l, "nhd", 1, 0, 1, 64, 8), SF8_BAD_CALL);
    cr_expect_eq(sf8_kv_layout_named(&l, "ds-mla", 1, 64, 1, 576, 8), SF8_BAD_CALL);
    cr_expect_eq(sf8_kv_layout_named(&l, "indexer", 1, 64, 2, 128, 8), SF8_BAD_CALL);
    cr_expect(memcmp(&l, &same, sizeof l) == 0);
    cr_expect_eq(sf8_kv_layout_named(&l, "ds-mla", 1, 64, 1, 512, 8), SF8_OK);
    cr_expect_str_eq(sf8_kv_reason(SF8_KV_TWICE), "a slot that comes twice");
    cr_expect_null(sf8_kv_reason(SF8_KV_REASON_COUNT));
}

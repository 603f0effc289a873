/* SPDX-License-Identifier: MIT */
/* test_kv_controls.c -- wrong readers of a right image are noticed; refused calls write nothing
 *
 * Each control is a mistake that was made with such caches. The test must notice it: a test that a
 * wrong reader passes proves nothing about the right one.
 */
#include "kv/kv.h"

enum { BLOCKS = 3, SLOTS = 16, HEADS = 4, DIM = 64, ROW = HEADS * DIM, TOKENS = BLOCKS * SLOTS };

static float words[TOKENS * ROW], out[TOKENS * ROW + 2 * GUARD];
static sf8_recipe recipe;

/* ---- wrong readers --------------------------------------------------------------------------- */

/* An element of each place: token, head and element as a number that e4m3 has, 1 to 15 of a power
 * of two each; the scales do not change it. */
static void fill(void)
{
    for (size_t t = 0; t < TOKENS; t++)
        for (size_t h = 0; h < HEADS; h++)
            for (size_t d = 0; d < DIM; d++) {
                uint32_t hash = (uint32_t)((t * HEADS + h) * DIM + d) * 2654435761u;
                float x = (float)(8 + (hash >> 20) % 8) *
                          sf8_f32_from_bits((120 + (hash >> 28 & 7)) << 23);
                words[(t * HEADS + h) * DIM + d] = hash >> 31 ? -x : x;
            }
}

static void store_all(const sf8_kv_layout *l, const float *g, size_t count)
{
    sf8_kv_slots slots = in_order(TOKENS);
    sf8_kv_store s;
    recipe = given_divide("e4m3");
    fill();
    memset(&s, 0, sizeof s);
    s.image = image_of(l, image, NULL);
    s.recipe = &recipe;
    s.from = SF8_F32;
    s.first.words = words;
    s.first.tokens = TOKENS;
    s.first.dim = s.first.head_stride = DIM;
    s.first.token_stride = ROW;
    s.g = g;
    s.g_count = count;
    images_begin(s.image.size);
    cr_assert(sf8_kv_store_n(&s, 1, &slots, NULL) == SF8_OK);
}

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

/* How many elements come back as the code of x under the scale that it was stored by says. */
static size_t right_ones(const sf8_kv_gather *reader, const sf8_kv_slots *slots, const float *g,
                         size_t count)
{
    size_t right = 0;
    memset(out, CANARY, sizeof out);
    cr_assert(sf8_kv_gather_n(reader, 1, slots, NULL) == SF8_OK);
    for (size_t i = 0; i < TOKENS * ROW; i++) {
        float scale = g[count > 1 ? i / DIM % HEADS : 0];
        uint8_t code = sf8_f32_to_e4m3(words[i] / scale, SF8_CUDA_SATFINITE);
        right += sf8_f32_bits(out[GUARD + i]) == sf8_f32_bits(sf8_e4m3_to_f32(code) * scale);
    }
    return right;
}

Test(kv_controls, readers)
{
    const float g[HEADS] = {.3f, 3, .1f, 7}, squared[HEADS] = {.3f * .3f, 9, .1f * .1f, 49};
    const float inverse[HEADS] = {1 / .3f, 1 / 3.0f, 10, 1 / 7.0f}, one = 1, most = 7;
    sf8_kv_layout nhd = sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8);
    sf8_kv_layout hnd = sf8_kv_hnd(BLOCKS, SLOTS, HEADS, DIM, 8);
    sf8_kv_layout x_packed = sf8_kv_xpacked(BLOCKS, SLOTS, HEADS, DIM, 8);
    sf8_kv_slots slots = in_order(TOKENS);
    const struct {
        const char *what;
        const sf8_kv_layout *layout;
        const float *g;
        size_t count, most_right;
    } rows[] = {
        {"as it was stored", &nhd, g, HEADS, TOKENS * ROW},
        {"NHD read as HND", &hnd, g, HEADS, TOKENS * ROW / 4},
        {"NHD read as x-packed", &x_packed, g, HEADS, TOKENS * ROW / 4},
        {"a scale twice", &nhd, squared, HEADS, 0},
        {"the inverse of a scale", &nhd, inverse, HEADS, 0},
        {"no scale", &nhd, &one, 1, 0},
        {"the largest scale for all heads", &nhd, &most, 1, TOKENS * DIM},
    };
    store_all(&nhd, g, HEADS);
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_gather r = gather_of(rows[i].layout, rows[i].g, rows[i].count);
        size_t right = right_ones(&r, &slots, g, HEADS);
        EXPECT(i == 0 || rows[i].count == 1 ? right == rows[i].most_right
                                            : right <= rows[i].most_right,
               "%s: %zu of %d are right", rows[i].what, right, TOKENS * ROW);
    }
    for (size_t i = 0; i < TOKENS; i++)
        slot_room[i] = (int64_t)((i + 1) % TOKENS);
    sf8_kv_gather r = gather_of(&nhd, g, HEADS);
    size_t right = right_ones(&r, &slots, g, HEADS);
    EXPECT(right <= TOKENS * ROW / 4, "a slot off by one: %zu are right", right);
}

/* ---- refused --------------------------------------------------------------------------------- */

static sf8_kv_gather pair[2];
static sf8_kv_slots slots;
static float other[TOKENS * ROW];
static uint8_t scale_room[TOKENS * HEADS * 4];

static void begin(void)
{
    static const float g = .3f;
    sf8_kv_layout nhd = sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8);
    store_all(&nhd, &g, 1);
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
Test(kv_controls, gathers_refused)
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
Test(kv_controls, tails_refused)
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

/* SPDX-License-Identifier: MIT */
/* test_kv_wrong.c -- layouts of a KV cache, stores and gathers that are refused, and why; a refused
 * call writes nothing
 *
 * wrong.txt has them: a line changes fields of what is right.
 */
#include "kv/kv.h"
#include "table.h"

enum { BLOCKS = 3, SLOTS = 16, HEADS = 2, DIM = 64, ROW = HEADS * DIM, TOKENS = 20 };

static float words[TOKENS * ROW], out[2][TOKENS * ROW];
static uint8_t data[2][BLOCKS * SLOTS * ROW], scale_data[BLOCKS * SLOTS * HEADS * 8];
static sf8_recipe recipes[2];
static sf8_kv_store pair[2]; /* K and V */
static sf8_kv_slots slots;

static void begin(void)
{
    const sf8_kv_layout layouts[2] = {sf8_kv_nhd(BLOCKS, SLOTS, HEADS, DIM, 8),
                                      sf8_kv_columns(BLOCKS, SLOTS, HEADS, DIM, 8)};
    memset(data, CANARY, sizeof data);
    memset(scale_data, CANARY, sizeof scale_data);
    memset(out, CANARY, sizeof out);
    for (size_t i = 0; i < COUNT(words); i++)
        words[i] = 1;
    memset(pair, 0, sizeof pair);
    for (size_t i = 0; i < 2; i++) {
        recipes[i] = given_divide("e4m3");
        pair[i].image = image_of(&layouts[i], data[i], i ? NULL : scale_data);
        pair[i].recipe = &recipes[i];
        pair[i].from = SF8_F32;
        pair[i].first = (sf8_kv_words){words, TOKENS, DIM, ROW, DIM};
    }
    slots = permuted(TOKENS, BLOCKS * SLOTS);
}

static size_t touched(const void *array, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++)
        n += ((const uint8_t *)array)[i] != CANARY;
    return n;
}

/* ---- changes --------------------------------------------------------------------------------- */

typedef struct field {
    const char *name;
    size_t at, size;
} field;

#define FIELD(type, name)                                                                          \
    {                                                                                              \
#name, offsetof(type, name), sizeof(((type *)NULL)->name)                                  \
    }
#define LAYOUT_FIELD(name) FIELD(sf8_kv_layout, name) /* a layout is what a store begins with */
#define STORE_FIELD(name) FIELD(sf8_kv_store, name)
#define SLOTS_FIELD(name) FIELD(sf8_kv_slots, name)

static const field fields[] = {
    LAYOUT_FIELD(order),
    LAYOUT_FIELD(scale_order),
    LAYOUT_FIELD(tail_bits),
    LAYOUT_FIELD(blocks),
    LAYOUT_FIELD(slots),
    LAYOUT_FIELD(heads),
    LAYOUT_FIELD(block_stride),
    LAYOUT_FIELD(slot_stride),
    LAYOUT_FIELD(head_stride),
    LAYOUT_FIELD(scale_at),
    LAYOUT_FIELD(scale_block_stride),
    LAYOUT_FIELD(scale_slot_stride),
    LAYOUT_FIELD(scale_head_stride),
    LAYOUT_FIELD(tail_at),
    STORE_FIELD(image.size),
    STORE_FIELD(image.scales_size),
    STORE_FIELD(first.tokens),
    STORE_FIELD(first.dim),
    STORE_FIELD(first.token_stride),
    STORE_FIELD(first.head_stride),
    STORE_FIELD(second.dim),
    STORE_FIELD(g_count),
};
static const field slot_fields[] = {
    SLOTS_FIELD(count),
    SLOTS_FIELD(outside),
    SLOTS_FIELD(twice),
    SLOTS_FIELD(seen_size),
};

static void set_number(void *base, const field *list, size_t count, const char *name, uint64_t n)
{
    size_t i = 0;
    while (i < count && strcmp(list[i].name, name) != 0)
        i++;
    cr_assert(i < count, "no field %s", name);
    uint32_t low = (uint32_t)n;
    memcpy((char *)base + list[i].at, list[i].size == 4 ? (void *)&low : (void *)&n, list[i].size);
}

/* "nhd:BLOCKS,SLOTS,HEADS,DIM,BITS", and likewise; "ds-mla:BLOCKS,SLOTS". */
static sf8_kv_layout layout_read(const char *text)
{
    uint64_t n[5] = {0};
    const char *at = strchr(text, ':');
    cr_assert(at != NULL, "%s", text);
    for (size_t i = 0; i < 5 && at; i++, at = strchr(at, ','))
        n[i] = strtoull(at + 1, (char **)&at, 0);
    const uint32_t bits = (uint32_t)n[4];
    switch (text[0]) {
    case 'n':
        return sf8_kv_nhd(n[0], n[1], n[2], n[3], bits);
    case 'h':
        return sf8_kv_hnd(n[0], n[1], n[2], n[3], bits);
    case 'x':
        return sf8_kv_xpacked(n[0], n[1], n[2], n[3], bits);
    case 'c':
        return sf8_kv_columns(n[0], n[1], n[2], n[3], bits);
    default:
        return sf8_kv_ds_mla(n[0], n[1]);
    }
}

/* Beside fields: a layout; scales=GROUP,BITS,BY_HEAD; behind; a recipe, or none; from; g. */
static void change(size_t item, const char *name, const char *value)
{
    static const float g[3] = {1, 2, 3};
    sf8_kv_store *s = &pair[item];
    sf8_kv_layout *l = &s->image.layout;
    if (strcmp(name, "layout") == 0) {
        *l = layout_read(value);
    } else if (strcmp(name, "scales") == 0) {
        unsigned long long group, bits, by_head;
        cr_assert(sscanf(value, "%llu,%llu,%llu", &group, &bits, &by_head) == 3, "%s", value);
        *l = sf8_kv_with_scales(*l, group, (uint32_t)bits, (uint32_t)by_head);
    } else if (strcmp(name, "behind") == 0) {
        *l = sf8_kv_behind(*l);
    } else if (strcmp(name, "recipe") == 0) {
        s->recipe = strcmp(value, "none") == 0 ? NULL : &recipes[item];
        if (s->recipe)
            recipes[item] = recipe_called(value);
    } else if (strcmp(name, "from") == 0) {
        s->from = format_of(value);
    } else if (strcmp(name, "g") == 0) {
        s->g = g;
    } else {
        set_number(s, fields, COUNT(fields), name, strtoull(value, NULL, 0));
    }
}

/* The words of a line from the third on: "k.NAME=VALUE" and "v.NAME=VALUE", "slot.I=VALUE", and of
 * `slots` by name. */
static void change_all(const table_line *x)
{
    for (size_t i = x->word[0][0] == 'l' ? 2 : 4; i < x->count; i++) {
        char name[64], *value, *rest;
        snprintf(name, sizeof name, "%s", x->word[i]);
        value = strchr(name, '=');
        cr_assert(value != NULL, "%s", name);
        *value++ = '\0';
        rest = strchr(name, '.') + 1;
        if (strncmp(name, "slot.", 5) == 0)
            slot_room[atoi(rest)] = (int64_t)strtoull(value, NULL, 0);
        else if (strcmp(name, "slots.seen") == 0)
            slots.seen = NULL;
        else if (strncmp(name, "slots.", 6) == 0)
            set_number(&slots, slot_fields, COUNT(slot_fields), rest, strtoull(value, NULL, 0));
        else
            change(name[0] == 'v', rest, value);
    }
}

static uint32_t reason_of(const char *name)
{
#define REASON(id, text) #id,
    static const char *const names[] = {SF8_KV_REASONS(REASON)};
#undef REASON
    uint32_t i = 0;
    while (i < COUNT(names) && strcmp(names[i], name) != 0)
        i++;
    cr_assert(i < COUNT(names), "no reason %s", name);
    return i;
}

/* ---- calls ----------------------------------------------------------------------------------- */

/* What the library says of a layout: of a good one, that the image is too short for it. */
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

static void check_layout(const char *line, uint32_t reason)
{
    const sf8_kv_layout *l = &pair[0].image.layout;
    EXPECT(sf8_kv_check(l) == reason, "%s: %s", line, sf8_kv_reason(sf8_kv_check(l)));
    EXPECT(library_says(l) == reason, "%s: %s", line, sf8_kv_reason(library_says(l)));
}

static void check_error(const char *line, uint32_t reason, const char *item, const char *token,
                        sf8_status got, sf8_kv_error error)
{
    sf8_status status = reason == SF8_KV_GOOD         ? SF8_OK
                        : reason == SF8_KV_BAD_FORMAT ? SF8_BAD_FORMAT
                                                      : SF8_BAD_CALL;
    EXPECT(got == status && error.reason == reason, "%s: %s", line, sf8_kv_reason(error.reason));
    EXPECT(reason == SF8_KV_GOOD ||
               (error.item == (size_t)atoi(item) && error.token == (size_t)atoi(token)),
           "%s: item %zu, token %zu", line, error.item, error.token);
}

/* Where nothing is wrong the line has, instead of an item and a token, how many bytes of scales are
 * written, and how many tokens; "any" of layouts with other rows. */
static void check_store(const char *line, uint32_t reason, const char *item, const char *token)
{
    sf8_kv_error error = {77, 77, 77};
    sf8_status status = sf8_kv_store_n(pair, 2, &slots, &error);
    check_error(line, reason, item, token, status, error);
    size_t scales = 0, tokens = 0;
    if (reason == SF8_KV_GOOD) {
        if (strcmp(token, "any") == 0)
            return;
        scales = (size_t)atoi(item);
        tokens = (size_t)atoi(token);
    } else {
        EXPECT(sf8_kv_store_n(pair, 2, &slots, NULL) == status, "%s: without an error", line);
    }
    for (size_t i = 0; i < 2; i++)
        EXPECT(touched(data[i], sizeof data[i]) == tokens * ROW, "%s: %zu bytes of %zu", line,
               touched(data[i], sizeof data[i]), i);
    EXPECT(touched(scale_data, sizeof scale_data) == scales, "%s: scales", line);
}

/* Where nothing is wrong tokens without a slot stay what they were. */
static void check_gather(const char *line, uint32_t reason, const char *item, const char *token)
{
    sf8_kv_gather back[2];
    sf8_kv_error error = {77, 77, 77};
    for (size_t i = 0; i < 2; i++) {
        const sf8_kv_words *w = &pair[i].first;
        memset(&back[i], 0, sizeof back[i]);
        back[i].image = pair[i].image;
        back[i].recipe = pair[i].recipe;
        back[i].to = pair[i].from;
        back[i].first = (sf8_kv_room){out[i], w->tokens, w->dim, w->token_stride, w->head_stride};
        back[i].g = pair[i].g;
        back[i].g_count = pair[i].g_count;
    }
    slots.seen = NULL;
    check_error(line, reason, item, token, sf8_kv_gather_n(back, 2, &slots, &error), error);
    for (size_t i = 0; i < 2 * TOKENS; i++) {
        uint64_t slot = (uint64_t)slot_room[i % TOKENS];
        int is = reason == SF8_KV_GOOD && slot < BLOCKS * SLOTS;
        EXPECT((touched(&out[i / TOKENS][i % TOKENS * ROW], ROW * sizeof(float)) > 0) == is,
               "%s: token %zu", line, i);
    }
}

Test(kv_wrong, refused)
{
    size_t counts[3] = {0};
    table known = table_read("kv/wrong.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        uint32_t reason = reason_of(x->word[1]);
        char line[128];
        snprintf(line, sizeof line, "%zu, %s %s %s", i, x->word[0], x->word[1], x->note);
        begin();
        change_all(x);
        if (strcmp(x->word[0], "layout") == 0)
            check_layout(line, reason);
        else if (strcmp(x->word[0], "store") == 0)
            check_store(line, reason, x->word[2], x->word[3]);
        else
            check_gather(line, reason, x->word[2], x->word[3]);
        counts[x->word[0][0] == 'l' ? 0 : x->word[0][0] == 's' ? 1 : 2]++;
    }
    EXPECT(counts[0] == 61 && counts[1] == 52 && counts[2] == 19, "%zu %zu %zu", counts[0],
           counts[1], counts[2]);
    table_free(&known);
}

/* A recipe that asks for the range of values, where a scale is given. */
Test(kv_wrong, range_of_values)
{
    static const uint32_t range[] = {SF8_VAR_amax, SF8_VAR_low, SF8_VAR_high};
    for (size_t i = 0; i < 2 * COUNT(range); i++) {
        begin();
        recipes[0].factor_of = recipes[0].scale_of;
        if (i % 2)
            recipes[0].factor_of.term[0].word = range[i / 2];
        else
            recipes[0].element_of.term[1].word = range[i / 2];
        check_store("range", SF8_KV_BAD_RECIPE, "0", "0");
    }
}

/* Each byte of `seen` counts, whatever is in it; none is touched behind. */
Test(kv_wrong, room_for_seen)
{
    begin();
    sf8_kv_layout l = pair[0].image.layout;
    size_t size = sf8_kv_seen_size(&l);
    cr_assert(size == BLOCKS * SLOTS / 8 + 1);
    slots.seen_size = size;
    memset(seen_room, 0x5a, sizeof seen_room);
    check_store("seen", SF8_KV_GOOD, "0", "16");
    cr_expect(seen_room[size] == 0x5a);
    l.slots = 0;
    cr_expect_eq(sf8_kv_seen_size(&l), SIZE_MAX);
}

/* All slots of a cache of many blocks, each once; then the last of them again. */
Test(kv_wrong, every_slot_once)
{
    begin();
    slots = in_order(BLOCKS * SLOTS);
    slots.count = TOKENS;
    for (int64_t first = 0; first <= BLOCKS * SLOTS - TOKENS; first++) {
        for (int64_t i = 0; i < TOKENS; i++)
            slot_room[i] = first + i;
        cr_assert(sf8_kv_store_n(pair, 2, &slots, NULL) == SF8_OK);
    }
    cr_expect_eq(touched(data[0], sizeof data[0]), sizeof data[0]);
    for (int64_t i = 0; i < TOKENS - 1; i++) {
        begin();
        for (int64_t k = 0; k < TOKENS; k++)
            slot_room[k] = BLOCKS * SLOTS - 1 - k;
        slot_room[TOKENS - 1] = slot_room[i];
        check_store("twice", SF8_KV_TWICE, "0", "19");
    }
}

Test(kv_wrong, the_last_of_two)
{
    begin();
    slots.twice = SF8_KV_TWICE_LAST;
    slot_room[12] = slot_room[3];
    for (size_t i = 0; i < ROW; i++)
        words[12 * ROW + i] = 2;
    check_store("the last", SF8_KV_GOOD, "0", "15");
    for (size_t i = 0; i < ROW; i++)
        EXPECT(data[0][(size_t)slot_room[3] * ROW + i] == 0x40, "%zu", i);
}

/* fp8_ds_mla: a tail that is missing, or of another width; and a token with too few elements. */
Test(kv_wrong, tails)
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
        s.first = (sf8_kv_words){nope, 2, 512, 512, 512};
        s.second = (sf8_kv_words){rope, 2, 64, 64, 64};
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

Test(kv_wrong, names)
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

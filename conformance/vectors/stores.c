/* SPDX-License-Identifier: MIT */
/* stores.c -- cases of storing tokens in the image of a KV cache; their tags
 *
 * The scale is given, and every byte of the cache is aa before, so that a byte that is written by
 * mistake shows.
 */
#include "base/memory.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"
#include "suite/input_sets.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BEFORE = 0xaa, IMAGE_MOST = 65536, NO_SLOT = -1 };

/* The shape of a cache: BLOCKSxSLOTSxHEADSxDIM. Returns 0 if it is none, or too large. */
static int shape_of(const char *text, size_t shape[4])
{
    size_t all = 1;
    for (int i = 0; i < 4; i++) {
        char *end;
        shape[i] = strtoul(text, &end, 10);
        if (end == text || *text == '-' || shape[i] == 0 || shape[i] > IMAGE_MOST / all ||
            *end != (i < 3 ? 'x' : '\0'))
            return 0;
        all *= shape[i];
        text = end + 1;
    }
    return 1;
}

/* The layout that the head says. */
static sf8_status layout_of(const vector_group *g, sf8_kv_layout *layout)
{
    size_t shape[4];
    if (!shape_of(g->head[3], shape))
        return SF8_BAD_TEXT;
    return sf8_kv_layout_named(layout, g->head[0], shape[0], shape[1], shape[2], shape[3],
                               (int32_t)sf8_recipe_bits(&g->recipe));
}

static const char *open_store(vector_group *g)
{
    sf8_kv_layout layout;
    sf8_status status;
    if (sf8_recipe_named(&g->recipe, g->head[1]) != SF8_OK || !sf8_recipe_scale_given(&g->recipe))
        return "a recipe whose scale is given, such as kv-vllm";
    if (!tensor_format(g->head[2], &g->tensor))
        return "f32, bf16 or f16 as the format of the values";
    status = layout_of(g, &layout);
    if (status == SF8_BAD_TEXT)
        return "a shape of BLOCKSxSLOTSxHEADSxDIM, at most 65536 elements";
    if (status != SF8_OK || layout.scales != SF8_KV_SCALES_GIVEN || layout.tail)
        return "the layout nhd, hnd, x-packed or columns, and a shape that it has";
    group_field(g, "values", sf8_format_bits(g->tensor), 0, 0);
    group_field(g, "slots", 32, 0, 0);
    group_field(g, "g", 32, 1, 0);
    group_field(g, "image", 8, (size_t)sf8_kv_size(&layout), 1);
    return NULL;
}

static int32_t slot_of(uint64_t word)
{
    uint32_t low = (uint32_t)word;
    return low >> 31 ? NO_SLOT : (int32_t)low;
}

static const char *run_store(const vector_group *g, vector_case *c)
{
    const vector_words *values = case_field(g, c, "values"), *slots = case_field(g, c, "slots");
    vector_words *image = case_field(g, c, "image");
    sf8_kv_store s;
    memset(&s, 0, sizeof s);
    layout_of(g, &s.image.layout);
    size_t heads = (size_t)s.image.layout.heads, dim = (size_t)s.image.layout.dim;
    size_t width = (size_t)sf8_format_bits(g->tensor) / 8, tokens = values->count / (heads * dim);
    if (tokens == 0 || values->count != tokens * heads * dim || slots->count > tokens)
        return "the values of one token or more, and no more slots than tokens";
    float scale = sf8_f32_from_bits((uint32_t)case_field(g, c, "g")->word[0]);
    void *words = allocate(values->count, width);
    int64_t *slot = allocate(slots->count + 1, sizeof slot[0]);
    s.image.size = (size_t)sf8_kv_size(&s.image.layout);
    s.image.data = allocate(s.image.size, 1);
    memset(s.image.data, BEFORE, s.image.size);
    for (size_t i = 0; i < values->count; i++)
        array_put(g->tensor, words, i, values->word[i]);
    for (size_t i = 0; i < slots->count; i++)
        slot[i] = slot_of(slots->word[i]);
    s.recipe = &g->recipe;
    s.from = g->tensor;
    s.first = (sf8_kv_words){words, tokens, dim, heads * dim, dim};
    s.g = &scale;
    s.g_count = 1;
    size_t seen = sf8_kv_seen_size(&s.image.layout);
    sf8_kv_slots where = {
        slot, slots->count, SF8_KV_OUTSIDE_REFUSE, SF8_KV_TWICE_REFUSE, allocate(seen, 1), seen};
    sf8_status status = sf8_kv_store_n(&s, 1, &where, NULL);
    words_resize(image, s.image.size);
    for (size_t i = 0; i < s.image.size; i++)
        image->word[i] = s.image.data[i];
    free(words);
    free(slot);
    free(where.seen);
    free(s.image.data);
    return status == SF8_OK ? NULL : "slots of the cache, each once, and values that it can store";
}

static vector_tags tags_of_store(const vector_group *g, vector_case *c)
{
    const vector_words *values = case_field(g, c, "values"), *slots = case_field(g, c, "slots");
    sf8_kv_layout layout;
    layout_of(g, &layout);
    size_t token = (size_t)(layout.heads * layout.dim), tokens = values->count / token;
    vector_tags tags = tag_if(slots->count < tokens, TAG_SKIPPED_TOKEN);
    int32_t last = NO_SLOT;
    for (size_t i = 0; i < slots->count; i++) {
        int32_t slot = slot_of(slots->word[i]);
        if (slot == NO_SLOT) {
            tags |= tag_if(1, TAG_SKIPPED_TOKEN);
            continue;
        }
        tags |= tag_if(last != NO_SLOT && slot != last + 1, TAG_SLOTS_ORDER);
        last = slot;
        tags |= tags_of_block(g, values->word + i * token, token,
                              (uint32_t)case_field(g, c, "g")->word[0]);
    }
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

/* ---- inputs ---------------------------------------------------------------------------------- */

enum { TOKENS = 4 };

/* Where the tokens go: in a row, backwards over all blocks, one nowhere, one without a slot. */
static void put_slots(vector_words *w, size_t which, uint32_t slots)
{
    words_resize(w, which == 3 ? TOKENS - 1 : TOKENS);
    for (uint32_t i = 0; i < w->count; i++)
        w->word[i] = which == 1 ? slots - 1 - i * ((slots - 1) / TOKENS) : i + (which == 0);
    if (which == 2)
        w->word[1] = 0xffffffff;
}

static int nth_store(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME])
{
    static const char *const names[] = {"in-a-row", "backwards", "one-nowhere", "padding"};
    /* 0, -0, 448 times the scale and beside it, 464, 1e6, infinity, NaN, ties and small numbers */
    static const uint32_t special[] = {0,          0x80000000, 0x43e00000, 0x43e80000, 0x43e80001,
                                       0xc3e7ffff, 0x49742400, 0x7f800000, 0xff800000, 0x7fc00000,
                                       0x3f880000, 0xbf980000, 0x3a800000, 0x3b000000, 0x3c780000};
    enum { SPECIAL = sizeof special / sizeof special[0] };
    static const uint32_t scales[] = {0x3f800000, 0x3f99999a, 0x3dcccccd}; /* 1, 1.2, 0.1 */
    sf8_kv_layout layout;
    uint64_t state = i;
    vector_words *values = case_field(g, c, "values"), *scale = case_field(g, c, "g");
    if (i >= 12)
        return 0;
    layout_of(g, &layout);
    words_resize(values, TOKENS * (size_t)(layout.heads * layout.dim));
    for (size_t k = 0; k < values->count; k++) {
        uint64_t random = word_random(&state);
        uint32_t word = k % 3 ? 0x3c000000 + (uint32_t)(random & 0x87ffffff)
                              : special[(random >> 8) % SPECIAL];
        values->word[k] = sf8_convert(g->tensor, SF8_F32, word, SF8_OCP_NOSAT);
    }
    put_slots(case_field(g, c, "slots"), i % 4, (uint32_t)(layout.blocks * layout.slots));
    words_resize(scale, 1);
    scale->word[0] = scales[i / 4];
    snprintf(name, CASE_NAME, "%s-g-%08x", names[i % 4], (unsigned)scales[i / 4]);
    return 1;
}

const vector_kind kind_kv_store = {
    .name = "kv-store",
    .head = {{"layout", 's', 0}, {"recipe", 's', 0}, {"from", 's', 0}, {"shape", 's', 0}},
    .open = open_store,
    .run = run_store,
    .tags = tags_of_store,
    .nth = nth_store,
};

/* SPDX-License-Identifier: MIT */
/* sets.c -- the batches of requests for a kernel of attention, and the ways to split them */
#include "base/random.h"
#include "families/attend/device.h"

#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ---- directed -------------------------------------------------------------------------------- */

/* Sizes near the ends of chunks and spans. */
static const size_t edges[] = {0, 1, 15, 16, 17, 63, 64, 65, 255, 256, 257, 1023, 1024, 1025};

static void plain(attend_set *set)
{
    memset(set, 0, sizeof *set);
    set->count = 1;
    set->queries = 1;
    set->heads = 8;
    set->kv_heads = 1;
    set->dim = 64;
    set->slots = 16;
    set->left = set->right = -1;
    set->q_words = set->out_words = SF8_F32;
}

/* Next to a chunk or a span, each with a different size of a head. */
static void edge(attend_set *set, const gpu_attend_kernel *k, size_t i)
{
    static const size_t few[] = {64, 192, 96, 128, 80, 256}, many[] = {64, 96, 128, 80};
    plain(set);
    set->keys = edges[i];
    set->seed = i;
    set->extra = set->keys != 65 && set->keys != 257;
    set->dim = k->rows == 8 ? few[i % COUNT(few)] : many[i % COUNT(many)];
    if (set->keys == 65)
        set->dim = 80;
    if (set->keys == 257)
        set->dim = 128;
    set->always = set->keys == 255;
    if (set->keys == 255 && k->rows == 8)
        set->dim = 256;
    if (set->dim == 80 && strcmp(k->cache, "mxfp4") == 0)
        set->dim = 96;
}

/* As many requests as there are sizes of batches, of at least a chunk. */
static void batch(attend_set *set)
{
    plain(set);
    set->count = ATTEND_REQUESTS;
    set->keys = 150;
    set->ragged = 1;
    set->extra = 1;
    set->dim = 128;
}

/* 17, 8 and 64 requests after 256 or 320 keys that they share, each with 45 to 480 of its own. */
static void shared_batch(attend_set *set, size_t i)
{
    plain(set);
    set->count = i == 0 ? 17 : i == 1 ? 8 : 64;
    set->prefix = i == 1 ? 5 : 4;
    set->keys = set->prefix * SF8_ATTEND_CHUNK + 480;
    set->heads = 2;
    set->ragged = 1;
    set->right = 0;
    set->extra = 1;
    set->seed = i;
}

/* 128 spans of keys. */
static void longest(attend_set *set)
{
    plain(set);
    set->keys = 131072;
    set->slots = 128;
    set->extra = 1;
}

/* Prompts, over many blocks. */
static void prompt(attend_set *set, size_t i)
{
    static const size_t slots[] = {16, 32, 128};
    plain(set);
    set->keys = 4097;
    set->queries = 128;
    set->kv_heads = 2;
    set->heads = 16;
    set->dim = 128;
    set->slots = slots[i];
    set->right = 0;
    set->extra = 1;
    set->behind_keys = i == 1 ? 100 : 0;
}

/* Three requests that share 64, 128 or 1,088 keys, of about 1,500. */
static void cascade(attend_set *set, size_t i)
{
    plain(set);
    set->count = 3;
    set->keys = 1500;
    set->prefix = i == 0 ? 1 : i == 1 ? 2 : 17;
    set->heads = 4;
    set->kv_heads = 2;
    set->ragged = 1;
    set->right = 0;
    set->by_head = 1;
}

void attend_set_with_prefix(attend_set *set)
{
    cascade(set, 1);
}

/* One request for each feature, the first one with all of them. */
static void special(attend_set *set, size_t i)
{
    plain(set);
    set->keys = 200;
    set->queries = 9;
    set->heads = 6;
    set->kv_heads = 2;
    set->right = 0;
    set->cap = i <= 1 ? 0x41f00000 : 0; /* 30 */
    set->sinks = i == 0 || i == 2;
    set->left = i == 0 || i == 3 ? 70 : -1;
    set->base2 = i == 0 || i == 4;
    set->by_row = i == 0 || i == 5;
    set->four = set->behind = i == 0 || i == 6;
    set->hnd = i == 0 || i == 7;
    set->skew = i == 8 ? 1 : 0;
    set->behind_keys = i == 0 || i == 13 ? 50 : 0;
    set->data = i == 9 ? ATTEND_SOME_NAN : i == 10 ? ATTEND_LARGE : ATTEND_NUMBERS;
    set->q_words = i == 11 ? SF8_BF16 : i == 12 ? SF8_F16 : SF8_F32;
    set->out_words = i == 11 ? SF8_F16 : i == 12 ? SF8_BF16 : SF8_F32;
    set->seed = i;
}

enum { CASCADES = 3, SPECIALS = 14, SHARED_BATCHES = 3, PROMPTS = 3 };

/* ---- of chance ------------------------------------------------------------------------------- */

static uint32_t draw(uint64_t *state, uint32_t n)
{
    return (uint32_t)(word_random_linear(state) >> 33) % n;
}

static void by_chance(attend_set *set, const gpu_attend_kernel *k, uint64_t seed, size_t most)
{
    static const size_t dims[] = {64, 80, 96, 128, 192, 256}, slots[] = {1, 8, 16, 32, 64, 128};
    static const size_t groups[] = {1, 2, 3, 4, 8, 11};
    const sf8_format words[] = {SF8_F32, SF8_BF16, SF8_F16};
    uint64_t s = seed * 977 + 3;
    plain(set);
    set->seed = seed;
    set->extra = 1;
    set->count = 1 + draw(&s, 5);
    set->kv_heads = 1 + draw(&s, 3);
    set->heads = set->kv_heads * groups[draw(&s, COUNT(groups))];
    set->dim = dims[draw(&s, k->rows == 8 ? COUNT(dims) : 4)];
    if (set->dim % 32 != 0 && strcmp(k->cache, "mxfp4") == 0)
        set->dim += 16;
    set->slots = slots[draw(&s, COUNT(slots))];
    set->queries = draw(&s, 2) ? 1 : 1 + draw(&s, 20);
    set->keys = set->queries + draw(&s, (uint32_t)most);
    set->behind_keys = draw(&s, 3) ? 0 : draw(&s, 200);
    set->prefix = draw(&s, 2) ? draw(&s, (uint32_t)(set->keys / SF8_ATTEND_CHUNK) + 1) : 0;
    set->right = draw(&s, 3) ? 0 : -1;
    set->left = draw(&s, 3) ? -1 : (int64_t)draw(&s, 300);
    set->cap = draw(&s, 4) ? 0 : 0x42480000;
    set->sinks = draw(&s, 3) == 0;
    set->by_head = (int)draw(&s, 2);
    set->by_row = (int)draw(&s, 2) && strcmp(k->cache, "e4m3") == 0;
    set->hnd = (int)draw(&s, 2);
    set->behind = (int)draw(&s, 2);
    set->four = draw(&s, 2) && set->slots % 4 == 0 && set->dim % 128 == 0;
    set->base2 = (int)draw(&s, 2);
    set->ragged = (int)draw(&s, 2);
    set->skew = draw(&s, 3) ? 0 : draw(&s, 16);
    set->q_words = words[draw(&s, 3)];
    set->out_words = words[draw(&s, 3)];
    set->data = (attend_data)draw(&s, ATTEND_DATA);
}

int attend_set_at(const gpu_attend_kernel *k, conform_tier tier, int emulated, size_t i,
                  attend_set *set)
{
    const size_t chances = emulated ? (tier == TIER_SOAK ? 40 : 4) : tier == TIER_QUICK ? 60 : 600;
    const size_t longs = emulated ? 0 : 1;
    const size_t prompts = emulated && tier != TIER_SOAK ? 0 : PROMPTS;
    if (i < COUNT(edges)) {
        edge(set, k, i);
    } else if ((i -= COUNT(edges)) < CASCADES) {
        cascade(set, i);
        set->extra = i != 1;
    } else if ((i -= CASCADES) < SPECIALS) {
        special(set, i);
        set->extra = i != 0 && i != 9;
        set->by_row &= strcmp(k->cache, "e4m3") == 0;
        set->four &= strcmp(k->cache, "nvfp4") == 0;
    } else if ((i -= SPECIALS) < 1) {
        batch(set);
    } else if ((i -= 1) < SHARED_BATCHES) {
        shared_batch(set, i);
    } else if ((i -= SHARED_BATCHES) < prompts) {
        prompt(set, i);
    } else if ((i -= prompts) < longs) {
        longest(set);
    } else if ((i -= longs) < chances) {
        by_chance(set, k, i, emulated ? 700 : 9000);
    } else {
        return 0;
    }
    return 1;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* Batches of each size from 1 to all, or each request alone; one prompt as three. */
static int batch_way(const attend_set *set, size_t i, attend_way *w)
{
    const size_t batches = set->count > 1 ? set->count : 0;
    if (i < batches) {
        size_t n = set->count == ATTEND_REQUESTS ? i + 1 : 1;
        w->first = n == 1 ? i : i * 11 % (set->count - n + 1);
        w->last = w->first + n;
        w->splits = i % 4 + 1;
        return 1;
    }
    w->prompts = 3;
    w->splits = 2;
    return i == batches && set->queries > 2 && set->count * 3 <= ATTEND_REQUESTS;
}

/* All at once in one part, and each span by itself; parts; parts after a prefix; then batches. */
int attend_way_at(const attend_set *set, size_t i, attend_way *way)
{
    static const size_t splits[ATTEND_SHARED_FIRST] = {1, 1, 2, 3, 7, 16, 64};
    attend_way w = {0, set->count, 1, 0, 0, 0};
    size_t shared = set->prefix ? ATTEND_SHARED_WAYS : 0;
    if (i < COUNT(splits)) {
        w.splits = splits[i];
        w.at_once = i == 0 || i == 3;
    } else if ((i -= COUNT(splits)) < shared) {
        w.splits = i == 3 ? 5 : 1;
        w.at_once = i == 0;
        w.shared = i == 2 ? (set->prefix + 1) / 2 : set->prefix;
    } else if (!batch_way(set, i - shared, &w)) {
        return 0;
    }
    *way = w;
    return 1;
}

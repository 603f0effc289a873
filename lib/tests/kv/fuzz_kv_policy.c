/* SPDX-License-Identifier: MIT */
/* fuzz_kv_policy.c -- libFuzzer: the functions of softfp8_kv_policy.h with any arguments
 *
 * A decision is computed again: for cascades in 128 bits, for splits in float and double, as
 * FlashAttention-3 writes them. Arguments that the header refuses are refused, and write nothing.
 * Two pools differ in the field that was changed, and in nothing else.
 */
#include "fuzz_input.h"
#include "softfp8_blocks.h"
#include "softfp8_kv.h"
#include "softfp8_kv_policy.h"

#include <math.h>

__extension__ typedef unsigned __int128 wide;

/* Any bits, the numbers around a limit, or a small number. */
static uint32_t any_number(input *in)
{
    static const uint32_t limits[] = {0, 8, 128, 256, 65535, 1u << 24, 1u << 31, 50u << 20};
    switch (small(in, 7)) {
    case 0:
        return (uint32_t)word(in);
    case 1:
        return limits[small(in, 7)] + small(in, 2) - 1;
    case 2:
        return (uint32_t)word(in) % 65536;
    default:
        return small(in, 200);
    }
}

static int is_counted(uint32_t n)
{
    return n >= 1 && n <= 65535;
}

static wide ceil_div(wide a, wide b)
{
    return (a + b - 1) / b;
}

static void check_cascades(input *in)
{
    sf8_kv_batch b = {.prefix = any_number(in), .requests = any_number(in)};
    b.heads = any_number(in);
    b.query_heads = small(in, 3) ? b.heads * (1 + small(in, 9)) : any_number(in);
    b.processors = any_number(in);
    b.ranks = small(in, 3) ? 1 : any_number(in);
    b.decodes = (int32_t)small(in, 3);
    b.special = small(in, 7) == 7;
    int32_t got = 77, want;
    int valid = is_counted(b.heads) && is_counted(b.query_heads) && is_counted(b.processors) &&
                b.query_heads % b.heads == 0 && b.prefix < 1u << 24 && b.requests < 1u << 24;
    sf8_status status = sf8_kv_cascades(&b, &got);
    CHECK(status == (valid ? SF8_OK : SF8_BAD_CALL));
    if (!valid) {
        CHECK(got == 77);
        return;
    }
    if (b.prefix < 256 || b.requests < 8 || b.ranks > 1 || b.special) {
        want = 0;
    } else if (b.query_heads == b.heads || !b.decodes) {
        want = 1;
    } else {
        wide prefix = ceil_div(b.prefix, 128), group = b.query_heads / b.heads;
        wide shared = ceil_div(b.query_heads * ceil_div(b.requests, 128), b.processors) * prefix;
        wide apart = b.requests * (wide)b.heads * ceil_div(group, 128) * prefix;
        want = shared < ceil_div(apart, b.processors);
    }
    CHECK(got == want);
}

/* The part of the rounds that is full. */
static float fullness(const sf8_kv_tiles *t, uint32_t splits)
{
    float waves = (float)((uint64_t)t->blocks * splits) / (float)t->processors;
    return waves / ceilf(waves);
}

static uint32_t splits_of(const sf8_kv_tiles *t)
{
    uint32_t limit = t->most < t->processors ? t->most : t->processors, n;
    float most = 0;
    if ((float)t->blocks >= 0.8f * (float)t->processors) {
        uint32_t parts = (uint32_t)ceil_div(t->head_bytes, 50 << 20);
        if (t->head_bytes <= 50 << 20 || t->causal || t->query_blocks < 2 * (uint64_t)t->processors)
            return 1;
        return parts < t->most ? parts : t->most;
    }
    if (t->key_blocks <= 4)
        return 1;
    limit = limit < t->key_blocks ? limit : t->key_blocks;
    for (n = 1; n <= limit; n++)
        most = fmaxf(most, fullness(t, n));
    for (n = 1; n < limit && (double)fullness(t, n) < 0.85 * (double)most;)
        n++;
    return n;
}

static void check_splits(input *in)
{
    sf8_kv_tiles t = {.blocks = any_number(in), .query_blocks = any_number(in)};
    t.processors = any_number(in);
    t.key_blocks = any_number(in);
    t.head_bytes = small(in, 1) ? any_number(in) : (uint32_t)word(in) >> 1;
    t.most = any_number(in);
    t.causal = (int32_t)small(in, 1);
    if (small(in, 15) == 15) { /* counts whose product exceeds 31 bits */
        t.processors = 65535 - small(in, 255);
        t.key_blocks = 65535 - small(in, 1) * 30000;
        t.most = 65535;
    }
    if (small(in, 1) && is_counted(t.processors)) { /* n splits fill m rounds to 17/20, or nearly */
        uint32_t n = 1 + small(in, 19), m = 1 + small(in, n - 1);
        t.blocks = t.processors * m * 17 / (n * 20) + small(in, 1);
    }
    uint32_t got = 77;
    int valid = is_counted(t.blocks) && is_counted(t.processors) && is_counted(t.key_blocks) &&
                is_counted(t.most) && t.head_bytes < 1u << 31;
    CHECK(sf8_kv_splits(&t, &got) == (valid ? SF8_OK : SF8_BAD_CALL));
    CHECK(got == (valid ? splits_of(&t) : 77));
}

/* ---- pools ----------------------------------------------------------------------------------- */

static const sf8_recipe *any_recipe(input *in, sf8_recipe *room)
{
    size_t rows = 0, i = (size_t)word(in);
    while (sf8_recipe_at(rows))
        rows++;
    CHECK(sf8_recipe_named(room, sf8_recipe_at(i % rows)->name) == SF8_OK);
    return small(in, 3) ? room : NULL;
}

/* A field of a layout, and what it belongs to. `slots` and strides also decide the order. */
#define FIELD(name, bit)                                                                           \
    {                                                                                              \
        offsetof(sf8_kv_layout, name), bit                                                         \
    }
static const struct {
    size_t at;
    uint32_t unlike;
} fields[] = {
    FIELD(blocks, 0),
    FIELD(slots, SF8_KV_UNLIKE_PAGE),
    FIELD(block_stride, SF8_KV_UNLIKE_PAGE),
    FIELD(slot_stride, SF8_KV_UNLIKE_PAGE),
    FIELD(head_stride, SF8_KV_UNLIKE_PAGE),
    FIELD(scale_at, SF8_KV_UNLIKE_PAGE),
    FIELD(tail_at, SF8_KV_UNLIKE_PAGE),
    FIELD(heads, SF8_KV_UNLIKE_SHAPE),
    FIELD(dim, SF8_KV_UNLIKE_SHAPE),
    FIELD(bits, SF8_KV_UNLIKE_SHAPE),
    FIELD(group, SF8_KV_UNLIKE_SHAPE),
    FIELD(tail, SF8_KV_UNLIKE_SHAPE),
    FIELD(order, SF8_KV_UNLIKE_ORDER),
    FIELD(scales, SF8_KV_UNLIKE_ORDER),
};

static void check_pools(input *in)
{
    sf8_recipe room[2];
    sf8_kv_pool a = {.words = SF8_BF16}, b;
    a.count = small(in, 9);
    uint32_t *scales = words_of(in, a.count), *changed = words_of(in, a.count);
    take(in, &a.layout, sizeof a.layout);
    a.recipe = any_recipe(in, &room[0]);
    a.scale = scales;
    CHECK(sf8_kv_unlike(&a, &a) == 0);
    b = a;
    uint32_t which = small(in, sizeof fields / sizeof fields[0] - 1);
    uint8_t *at = (uint8_t *)&b.layout + fields[which].at;
    *at = (uint8_t)(*at ^ (1 + small(in, 254)));
    uint32_t unlike = sf8_kv_unlike(&a, &b), more = SF8_KV_UNLIKE_ORDER;
    CHECK((unlike & ~more) == (fields[which].unlike & ~more));
    CHECK(!(fields[which].unlike & more) || unlike == more);
    CHECK(unlike == sf8_kv_unlike(&b, &a));
    b = a;
    memcpy(changed, scales, a.count * sizeof *changed);
    b.scale = changed;
    CHECK(sf8_kv_unlike(&a, &b) == 0);
    if (a.count) {
        changed[small(in, (uint32_t)a.count - 1)] ^= 1u << small(in, 31);
        CHECK(sf8_kv_unlike(&a, &b) == SF8_KV_UNLIKE_SCALES);
        b.count = small(in, (uint32_t)a.count - 1);
        CHECK(sf8_kv_unlike(&a, &b) == SF8_KV_UNLIKE_SCALES);
    }
    b = a;
    b.recipe = any_recipe(in, &room[1]);
    CHECK((sf8_kv_unlike(&a, &b) & ~(uint32_t)SF8_KV_UNLIKE_CODES) == 0);
    CHECK(sf8_kv_unlike(&a, &b) == sf8_kv_unlike(&b, &a));
    CHECK(!a.recipe == !b.recipe || sf8_kv_unlike(&a, &b) == SF8_KV_UNLIKE_CODES);
    free(scales);
    free(changed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    static void (*const checks[])(input *) = {check_cascades, check_splits, check_pools};
    checks[small(&in, sizeof checks / sizeof checks[0] - 1)](&in);
    return 0;
}

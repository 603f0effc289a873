/* SPDX-License-Identifier: MIT */
/* policy.c -- what schedulers decide about a cache: cascades, splits, and whether pools can share
 * blocks */
#include "softfp8_kv_policy.h"

static uint64_t sf8_kv_ceil_div(uint64_t a, uint64_t b)
{
    return (a + b - 1) / b;
}

static int32_t sf8_kv_16_bits(uint32_t n)
{
    return n >= 1 && n <= 65535;
}

/* ---- cascades -------------------------------------------------------------------------------- */

/* In tiles of 128 queries and 128 keys, and in rounds of all multiprocessors: the cost of reading
 * the prefix once for all requests, and of reading it for each request. */
static int32_t sf8_kv_cascade_is_faster(const sf8_kv_batch *b)
{
    uint64_t prefix = sf8_kv_ceil_div(b->prefix, 128), group = b->query_heads / b->heads;
    uint64_t shared = b->query_heads * sf8_kv_ceil_div(b->requests, 128);
    uint64_t apart = (uint64_t)b->requests * b->heads * sf8_kv_ceil_div(group, 128) * prefix;
    return sf8_kv_ceil_div(shared, b->processors) * prefix < sf8_kv_ceil_div(apart, b->processors);
}

sf8_status sf8_kv_cascades(const sf8_kv_batch *b, int32_t *cascades)
{
    if (!sf8_kv_16_bits(b->query_heads) || !sf8_kv_16_bits(b->heads) ||
        !sf8_kv_16_bits(b->processors) || b->query_heads % b->heads != 0 || b->prefix >> 24 ||
        b->requests >> 24)
        return SF8_BAD_CALL;
    if (b->prefix < 256 || b->requests < 8 || b->ranks > 1 || b->special)
        *cascades = 0;
    else if (b->query_heads == b->heads || !b->decodes)
        *cascades = 1;
    else
        *cascades = sf8_kv_cascade_is_faster(b);
    return SF8_OK;
}

/* ---- splits ---------------------------------------------------------------------------------- */

enum { SF8_KV_L2 = 50 << 20 };

/* How full the rounds are: waves / ceil(waves), where waves = rn(blocks splits) / processors, all
 * in f32. Positive bit patterns compare like their numbers. */
static uint32_t sf8_kv_fullness(const sf8_kv_tiles *t, uint32_t splits)
{
    uint32_t processors = sf8_f32_of((int32_t)t->processors);
    uint64_t parts = (uint64_t)t->blocks * splits; /* above 2^31 where both have 16 bits */
    uint32_t count = (uint32_t)sf8_core_from_u64(SF8_F32, parts, SF8_OCP_NOSAT, 0).code;
    uint32_t waves = sf8_f32_div(count, processors);
    uint32_t whole = sf8_f32_integer(waves, SF8_RU);
    return sf8_f32_div(waves, whole);
}

/* fullness >= 0.85 most, where the right side is computed in double. That is the same as fullness
 * >= 17/20 most. In units of the last place of f32, 17/20 of a 24-bit significand either is an f32
 * or differs from each f32 by at least 1/40. 0.85, rounded down, and the product, rounded once
 * more, differ by less than 2^-28. Both numbers are normal, and fullness is not above most. */
static int32_t sf8_kv_full_enough(uint32_t fullness, uint32_t most)
{
    uint32_t below = (most >> 23) - (fullness >> 23);
    uint64_t a = (fullness & 0x7fffffu) | 0x800000u, b = (most & 0x7fffffu) | 0x800000u;
    return below < 2 && a * 20 >= (b * 17) << below;
}

static uint32_t sf8_kv_splits_of_few(const sf8_kv_tiles *t)
{
    uint32_t limit = t->most < t->processors ? t->most : t->processors, most = 0;
    limit = limit < t->key_blocks ? limit : t->key_blocks;
    for (uint32_t n = 1; n <= limit; n++) {
        uint32_t fullness = sf8_kv_fullness(t, n);
        most = fullness > most ? fullness : most;
    }
    for (uint32_t n = 1; n <= limit; n++)
        if (sf8_kv_full_enough(sf8_kv_fullness(t, n), most))
            return n;
    return 1;
}

sf8_status sf8_kv_splits(const sf8_kv_tiles *t, uint32_t *splits)
{
    if (!sf8_kv_16_bits(t->blocks) || !sf8_kv_16_bits(t->processors) ||
        !sf8_kv_16_bits(t->key_blocks) || !sf8_kv_16_bits(t->most) || t->head_bytes >> 31)
        return SF8_BAD_CALL;
    uint32_t nearly_all = sf8_f32_mul(0x3f4ccccdu, sf8_f32_of((int32_t)t->processors)); /* 0.8 */
    if (sf8_f32_of((int32_t)t->blocks) >= nearly_all) {
        uint64_t parts = sf8_kv_ceil_div(t->head_bytes, SF8_KV_L2);
        int32_t worth = t->head_bytes > SF8_KV_L2 && !t->causal &&
                        t->query_blocks >= 2 * (uint64_t)t->processors;
        *splits = !worth ? 1 : parts < t->most ? (uint32_t)parts : t->most;
    } else if (t->key_blocks <= 4) {
        *splits = 1;
    } else {
        *splits = sf8_kv_splits_of_few(t);
    }
    return SF8_OK;
}

/* ---- pools ----------------------------------------------------------------------------------- */

static int32_t sf8_kv_same_format(sf8_format a, sf8_format b)
{
    return a.exp_bits == b.exp_bits && a.man_bits == b.man_bits && a.bias == b.bias &&
           a.is_signed == b.is_signed && a.nan == b.nan && a.has_inf == b.has_inf &&
           a.has_zero == b.has_zero;
}

static int32_t sf8_kv_same_program(const sf8_program *a, const sf8_program *b)
{
    int32_t same = a->count == b->count;
    for (int32_t i = 0; same && i < a->count; i++)
        same = a->term[i].op == b->term[i].op && a->term[i].word == b->term[i].word;
    return same;
}

/* Returns 1 if two readers read every code as the same number. */
static int32_t sf8_kv_same_codes(const sf8_kv_pool *a, const sf8_kv_pool *b)
{
    const sf8_recipe *p = a->recipe, *q = b->recipe;
    if (!p || !q)
        return !p && !q && sf8_kv_same_format(a->words, b->words);
    return sf8_kv_same_format(p->element, q->element) && p->integer == q->integer &&
           p->is_signed == q->is_signed && p->block == q->block && p->has_g == q->has_g &&
           sf8_kv_same_format(p->scale, q->scale) && p->offset_at == q->offset_at &&
           sf8_kv_same_program(&p->value_of, &q->value_of);
}

static int32_t sf8_kv_same_scales(const sf8_kv_pool *a, const sf8_kv_pool *b)
{
    if (a->count != b->count)
        return 0;
    for (size_t i = 0; i < a->count; i++)
        if (a->scale[i] != b->scale[i])
            return 0;
    return 1;
}

/* HND and not NHD: the slots of a head are contiguous. */
static int32_t sf8_kv_is_by_head(const sf8_kv_layout *l)
{
    return l->order == SF8_KV_ROWS && l->heads > 1 && l->slots > 1 &&
           l->head_stride > l->slot_stride;
}

static int32_t sf8_kv_same_order(const sf8_kv_layout *a, const sf8_kv_layout *b)
{
    return a->order == b->order && a->scales == b->scales && a->scale_order == b->scale_order &&
           sf8_kv_is_by_head(a) == sf8_kv_is_by_head(b);
}

/* The size of a page, and the strides in it. */
static int32_t sf8_kv_same_page(const sf8_kv_layout *a, const sf8_kv_layout *b)
{
    return a->slots == b->slots && a->block_stride == b->block_stride &&
           a->slot_stride == b->slot_stride && a->head_stride == b->head_stride &&
           a->scale_at == b->scale_at && a->scale_block_stride == b->scale_block_stride &&
           a->scale_slot_stride == b->scale_slot_stride &&
           a->scale_head_stride == b->scale_head_stride && a->tail_at == b->tail_at;
}

static int32_t sf8_kv_same_shape(const sf8_kv_layout *a, const sf8_kv_layout *b)
{
    return a->heads == b->heads && a->dim == b->dim && a->bits == b->bits && a->group == b->group &&
           a->scale_bits == b->scale_bits && a->tail == b->tail && a->tail_bits == b->tail_bits;
}

uint32_t sf8_kv_unlike(const sf8_kv_pool *a, const sf8_kv_pool *b)
{
    uint32_t unlike = 0;
    if (!sf8_kv_same_codes(a, b))
        unlike |= SF8_KV_UNLIKE_CODES;
    if (!sf8_kv_same_scales(a, b))
        unlike |= SF8_KV_UNLIKE_SCALES;
    if (!sf8_kv_same_order(&a->layout, &b->layout))
        unlike |= SF8_KV_UNLIKE_ORDER;
    if (!sf8_kv_same_page(&a->layout, &b->layout))
        unlike |= SF8_KV_UNLIKE_PAGE;
    if (!sf8_kv_same_shape(&a->layout, &b->layout))
        unlike |= SF8_KV_UNLIKE_SHAPE;
    return unlike;
}

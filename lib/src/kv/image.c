/* SPDX-License-Identifier: MIT */
/* image.c -- images of KV caches: layouts by name, checks of a call, rows written and read */
#include "kv/image.h"
#include "scalar/tensor_word.h"
#include "text/names.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

sf8_status sf8_kv_layout_named(sf8_kv_layout *layout, const char *name, size_t blocks, size_t slots,
                               size_t heads, size_t dim, int32_t bits)
{
    sf8_kv_layout l;
    uint32_t b = (uint32_t)bits;
    if (sf8_is_named("nhd", name))
        l = sf8_kv_nhd(blocks, slots, heads, dim, b);
    else if (sf8_is_named("hnd", name))
        l = sf8_kv_hnd(blocks, slots, heads, dim, b);
    else if (sf8_is_named("x-packed", name))
        l = sf8_kv_xpacked(blocks, slots, heads, dim, b);
    else if (sf8_is_named("columns", name))
        l = sf8_kv_columns(blocks, slots, heads, dim, b);
    else if (sf8_is_named("ds-mla", name))
        l = sf8_kv_ds_mla(blocks, slots);
    else if (sf8_is_named("indexer", name))
        l = sf8_kv_indexer(blocks, slots, dim, dim);
    else
        return SF8_UNKNOWN_NAME;
    if (l.heads != heads || l.dim != dim || l.bits != b || sf8_kv_check(&l) != SF8_KV_GOOD)
        return SF8_BAD_CALL;
    *layout = l;
    return SF8_OK;
}

const char *sf8_kv_reason(uint32_t reason)
{
    static const char *const texts[] = {
#define SF8_KV_REASON(id, text) text,
        SF8_KV_REASONS(SF8_KV_REASON)
#undef SF8_KV_REASON
    };
    return reason < SF8_KV_REASON_COUNT ? texts[reason] : NULL;
}

SF8_PRIVATE sf8_status sf8_kv_told(sf8_kv_error *error, uint32_t reason, size_t item, size_t token)
{
    if (error) {
        error->reason = reason;
        error->item = item;
        error->token = token;
    }
    return reason == SF8_KV_GOOD         ? SF8_OK
           : reason == SF8_KV_BAD_FORMAT ? SF8_BAD_FORMAT
                                         : SF8_BAD_CALL;
}

/* ---- what a call may ask --------------------------------------------------------------------- */

/* Bytes of an element, or of a code, of `bits` bits. */
static uint32_t sf8_kv_width(int32_t bits)
{
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

SF8_PRIVATE sf8_kv_call sf8_kv_call_of(const sf8_kv_image *image, const sf8_recipe *recipe,
                                       sf8_format format, const float *g, size_t g_count)
{
    sf8_kv_call c;
    memset(&c, 0, sizeof c);
    c.l = image->layout;
    c.data = image->data;
    c.size = image->size;
    c.scales = image->scales;
    c.scales_size = image->scales_size;
    c.recipe = recipe;
    c.format = format;
    c.width = sf8_kv_width(sf8_format_bits(format));
    c.g = g;
    c.g_count = g_count;
    return c;
}

/* Returns 1 if the elements of `tokens` tokens are there and fit the address space. */
static int32_t sf8_kv_words_fit(const sf8_kv_call *c, const sf8_kv_words *w, size_t count)
{
    uint64_t span;
    if (w->dim == 0 || count == 0)
        return 1;
    span = sf8_kv_span(count, w->token_stride, c->l.heads, w->head_stride, w->dim);
    if (sf8_kv_times(span, c->width) > PTRDIFF_MAX)
        return 0;
    return !c->gathers || sf8_kv_nested(count, w->token_stride, c->l.heads, w->head_stride, w->dim);
}

static uint32_t sf8_kv_check_words(const sf8_kv_call *c, size_t count)
{
    const sf8_kv_layout *l = &c->l;
    if (sf8_kv_plus(c->first.dim, c->second.dim) != sf8_kv_plus(l->dim, l->tail) ||
        (l->tail != 0 && c->second.dim != l->tail) || !sf8_kv_words_fit(c, &c->first, count) ||
        !sf8_kv_words_fit(c, &c->second, count))
        return SF8_KV_BAD_WORDS;
    if ((c->first.dim != 0 && c->first.tokens < count) ||
        (c->second.dim != 0 && c->second.tokens < count))
        return SF8_KV_FEW_TOKENS;
    return SF8_KV_GOOD;
}

static uint32_t sf8_kv_check_format(const sf8_kv_call *c)
{
    if (c->recipe ? sf8_matrix_check(c->format, 0, 0) != SF8_OK
                  : !sf8_format_valid(c->format) || c->width * 8 != c->l.bits)
        return SF8_KV_BAD_FORMAT;
    if (c->l.tail != 0 && c->width * 8 != c->l.tail_bits)
        return SF8_KV_BAD_FORMAT;
    return SF8_KV_GOOD;
}

/* Returns 1 if a program uses one of these variables, one bit each. */
static int32_t sf8_kv_asks(const sf8_program *p, uint32_t variables)
{
    for (int32_t i = 0; i < p->count; i++)
        if (p->term[i].op == SF8_TERM_VARIABLE && variables >> p->term[i].word & 1)
            return 1;
    return 0;
}

static uint32_t sf8_kv_check_recipe(const sf8_kv_call *c)
{
    const uint32_t range = 1u << SF8_VAR_amax | 1u << SF8_VAR_peak | 1u << SF8_VAR_low |
                           1u << SF8_VAR_high;
    const sf8_kv_layout *l = &c->l;
    const sf8_recipe *r = c->recipe;
    uint32_t bits = sf8_recipe_bits(r), stores = !c->gathers;
    if (sf8_recipe_rows(r) > 1 || sf8_recipe_chooses(r) || r->nibbles != SF8_NIBBLES_NEXT)
        return SF8_KV_BAD_RECIPE;
    if (r->offset_at == SF8_OFFSET_WORD || l->bits > 8 || (l->bits == 4 ? bits != 4 : bits > 8))
        return SF8_KV_BAD_RECIPE;
    if (l->scales == SF8_KV_SCALES_GIVEN)
        return r->offset_at != SF8_OFFSET_NONE || sf8_kv_asks(&r->scale_of, range) ||
                       (stores && sf8_kv_asks(&r->factor_of, range)) ||
                       (stores && sf8_kv_asks(&r->element_of, range))
                   ? SF8_KV_BAD_RECIPE
                   : SF8_KV_GOOD;
    if (8 * sf8_kv_width(sf8_format_bits(r->scale)) != l->scale_bits)
        return SF8_KV_BAD_RECIPE;
    if (stores && (r->block != 0 ? (uint64_t)r->block != l->group
                                 : l->group != l->dim && l->group != l->heads * l->dim))
        return SF8_KV_BAD_RECIPE;
    return SF8_KV_GOOD;
}

/* Elements with one scale have one g. */
static uint32_t sf8_kv_check_g(const sf8_kv_call *c)
{
    const sf8_kv_layout *l = &c->l;
    if (c->g ? c->g_count != 1 && c->g_count != l->heads : c->g_count != 0)
        return SF8_KV_BAD_G;
    return l->scales != SF8_KV_SCALES_GIVEN && l->group > l->dim && c->g_count > 1 ? SF8_KV_BAD_G
                                                                                   : SF8_KV_GOOD;
}

SF8_PRIVATE uint32_t sf8_kv_check_call(const sf8_kv_call *c, size_t count)
{
    uint32_t reason = sf8_kv_check(&c->l);
    if (reason != SF8_KV_GOOD)
        return reason;
    if (sf8_kv_size(&c->l) > c->size)
        return SF8_KV_SHORT_IMAGE;
    if (sf8_kv_scales_size(&c->l) > c->scales_size)
        return SF8_KV_SHORT_SCALES;
    reason = sf8_kv_check_format(c);
    if (reason == SF8_KV_GOOD && c->recipe)
        reason = sf8_kv_check_recipe(c);
    if (reason == SF8_KV_GOOD)
        reason = sf8_kv_check_words(c, count);
    return reason == SF8_KV_GOOD && c->recipe ? sf8_kv_check_g(c) : reason;
}

/* ---- slots ----------------------------------------------------------------------------------- */

size_t sf8_kv_seen_size(const sf8_kv_layout *layout)
{
    if (sf8_kv_check(layout) != SF8_KV_GOOD)
        return SIZE_MAX;
    uint64_t bytes = layout->blocks * layout->slots / 8 + 1;
    return bytes > PTRDIFF_MAX ? SIZE_MAX : (size_t)bytes;
}

/* The first token whose slot another token had before. Only the bits of the slots used are read,
 * and they are cleared first. */
static uint32_t sf8_kv_check_twice(const sf8_kv_slots *slots, uint64_t total, size_t *token)
{
    if (slots->count < 2)
        return SF8_KV_GOOD;
    if (!slots->seen || slots->seen_size <= total / 8)
        return SF8_KV_NO_SEEN;
    for (size_t i = 0; i < slots->count; i++) {
        uint64_t place = (uint64_t)slots->slot[i];
        if (place < total)
            slots->seen[place / 8] &= (uint8_t) ~(1u << place % 8);
    }
    for (size_t i = 0; i < slots->count; i++) {
        uint64_t place = (uint64_t)slots->slot[i];
        if (place >= total)
            continue;
        if (slots->seen[place / 8] >> place % 8 & 1) {
            *token = i;
            return SF8_KV_TWICE;
        }
        slots->seen[place / 8] |= (uint8_t)(1u << place % 8);
    }
    return SF8_KV_GOOD;
}

SF8_PRIVATE uint32_t sf8_kv_check_slots(const sf8_kv_slots *slots, uint64_t total, int32_t gathers,
                                        size_t *token)
{
    *token = 0;
    for (size_t i = 0; i < slots->count && slots->outside != SF8_KV_OUTSIDE_SKIP; i++)
        if (slots->slot[i] >= 0 && (uint64_t)slots->slot[i] >= total) {
            *token = i;
            return SF8_KV_OUTSIDE;
        }
    if (gathers || slots->twice == SF8_KV_TWICE_LAST)
        return SF8_KV_GOOD;
    return sf8_kv_check_twice(slots, total, token);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/* Copies bytes that are `step` apart, as columns of 8 bits are. */
static void sf8_kv_scatter(uint8_t *to, size_t step, const unsigned char *from, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i * step] = from[i];
}

static void sf8_kv_collect(unsigned char *to, const uint8_t *from, size_t step, size_t n)
{
    for (size_t i = 0; i < n; i++)
        to[i] = from[i * step];
}

/* How many of n elements, beginning with d, are contiguous in the image. */
static size_t sf8_kv_together(const sf8_kv_layout *l, uint64_t d, size_t n)
{
    uint64_t most = n;
    if (l->order == SF8_KV_XPACKED)
        most = sf8_kv_x(l) - d % sf8_kv_x(l);
    else if (l->order == SF8_KV_COLUMNS)
        most = 1;
    return most < n ? (size_t)most : n;
}

SF8_PRIVATE void sf8_kv_put(const sf8_kv_layout *l, uint8_t *data, uint64_t block, uint64_t slot,
                            uint64_t head, uint64_t d, const unsigned char *from, size_t n)
{
    size_t width = l->bits / 8, some;
    if (l->bits == 4) {
        (void)sf8_pack_n(4, data + sf8_kv_element_at(l, block, slot, head, d), from, n);
        return;
    }
    if (l->order == SF8_KV_COLUMNS && width == 1) {
        sf8_kv_scatter(data + sf8_kv_element_at(l, block, slot, head, d), (size_t)l->slots, from,
                       n);
        return;
    }
    for (; n != 0; n -= some, d += some, from += some * width) {
        some = sf8_kv_together(l, d, n);
        memcpy(data + sf8_kv_element_at(l, block, slot, head, d), from, some * width);
    }
}

SF8_PRIVATE void sf8_kv_get(const sf8_kv_layout *l, const uint8_t *data, uint64_t block,
                            uint64_t slot, uint64_t head, uint64_t d, unsigned char *to, size_t n)
{
    size_t width = l->bits / 8, some;
    if (l->bits == 4) {
        (void)sf8_unpack_n(4, to, data + sf8_kv_element_at(l, block, slot, head, d), n);
        return;
    }
    if (l->order == SF8_KV_COLUMNS && width == 1) {
        sf8_kv_collect(to, data + sf8_kv_element_at(l, block, slot, head, d), (size_t)l->slots, n);
        return;
    }
    for (; n != 0; n -= some, d += some, to += some * width) {
        some = sf8_kv_together(l, d, n);
        memcpy(to, data + sf8_kv_element_at(l, block, slot, head, d), some * width);
    }
}

SF8_PRIVATE size_t sf8_kv_word(const sf8_kv_call *c, size_t token, size_t head, size_t d,
                               const unsigned char **at, size_t n)
{
    const sf8_kv_words *w = d < c->first.dim ? &c->first : &c->second;
    size_t in = d < c->first.dim ? d : d - c->first.dim, left = w->dim - in;
    size_t i = token * w->token_stride + head * w->head_stride + in;
    *at = (const unsigned char *)w->words + i * c->width;
    return left < n ? left : n;
}

SF8_PRIVATE size_t sf8_kv_room_at(const sf8_kv_call *c, size_t token, size_t head, size_t d,
                                  unsigned char **at, size_t n)
{
    const unsigned char *word;
    n = sf8_kv_word(c, token, head, d, &word, n);
    *at = (unsigned char *)(uintptr_t)word; /* it was passed as a sf8_kv_room */
    return n;
}

SF8_PRIVATE void sf8_kv_copy(const sf8_kv_call *c, const sf8_kv_slots *slots)
{
    uint64_t block, slot;
    unsigned char *at;
    for (size_t token = 0; token < slots->count; token++) {
        if (!sf8_kv_find(&c->l, slots, token, &block, &slot))
            continue;
        for (size_t head = 0; head < c->l.heads; head++)
            for (size_t d = 0, n; d < c->l.dim; d += n) {
                n = sf8_kv_room_at(c, token, head, d, &at, (size_t)c->l.dim - d);
                if (c->gathers)
                    sf8_kv_get(&c->l, c->data, block, slot, head, d, at, n);
                else
                    sf8_kv_put(&c->l, c->data, block, slot, head, d, at, n);
            }
    }
}

SF8_PRIVATE void sf8_kv_copy_tails(const sf8_kv_call *c, const sf8_kv_slots *slots)
{
    size_t bytes = (size_t)c->l.tail * c->width;
    uint64_t block, slot;
    unsigned char *at;
    for (size_t token = 0; token < slots->count && bytes != 0; token++) {
        if (!sf8_kv_find(&c->l, slots, token, &block, &slot))
            continue;
        uint8_t *tail = c->data + sf8_kv_tail_offset(&c->l, block, slot, 0);
        (void)sf8_kv_room_at(c, token, 0, (size_t)c->l.dim, &at, 1);
        memcpy(c->gathers ? at : tail, c->gathers ? tail : at, bytes);
    }
}

SF8_PRIVATE int32_t sf8_kv_next_part(const sf8_kv_call *c, size_t most, size_t count,
                                     sf8_kv_part *part)
{
    size_t heads = (size_t)c->l.heads, few = c->l.dim < most ? most / (size_t)c->l.dim : 1;
    int32_t one = c->g_count <= 1, begins = part->to == 0;
    if (begins || part->to == heads) {
        part->first = part->last;
        part->last = one || count - part->first < few ? count : part->first + few;
        part->to = 0;
    }
    part->from = part->to;
    part->to = one ? heads : part->from + 1;
    part->g = one ? (c->g ? c->g[0] : 1) : c->g[part->from];
    return part->first < count;
}

SF8_PRIVATE void sf8_kv_merge(sf8_kv_call *c)
{
    sf8_kv_layout *l = &c->l;
    if (l->heads == 1 || l->order != SF8_KV_ROWS ||
        l->head_stride != sf8_kv_bytes(l->dim, l->bits) || c->second.dim != 0 ||
        c->first.head_stride != l->dim || c->g_count > 1)
        return;
    if (l->scales != SF8_KV_SCALES_GIVEN && sf8_kv_scale_heads(l) > 1 &&
        (l->scale_order != SF8_LAYOUT_LINEAR || l->scale_head_stride != sf8_kv_scale_row(l)))
        return;
    c->first.dim *= (size_t)l->heads;
    l->dim *= l->heads;
    l->heads = 1;
}

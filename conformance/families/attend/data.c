/* SPDX-License-Identifier: MIT */
/* data.c -- batches of requests of attention: caches, queries, and expected results */
#include "base/random.h"
#include "families/attend/device.h"

#include "softfp8/kv/caches.h"
#include "softfp8_blocks.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK = SF8_ATTEND_CHUNK, REPEATED = 8 };

static uint32_t next(uint64_t *state)
{
    return (uint32_t)(word_random(state) >> 16);
}

/* A number whose exponent is one of `count`, beginning with `first`, with any sign and mantissa. */
static uint32_t number(sf8_format f, uint64_t *state, int first, uint32_t count)
{
    uint32_t r = next(state), mantissa = r & ((1u << f.man_bits) - 1);
    uint32_t sign = (r >> 31) << (f.exp_bits + f.man_bits);
    int field = f.bias + first + (int)(next(state) % count);
    field = field < 0 ? 0 : field;
    return sign | (uint32_t)field << f.man_bits | mantissa;
}

/* A positive f32 from 2^first on; its last bits are where INT4 stores its offset. */
static uint32_t scale(uint64_t *state, int first, uint32_t count)
{
    return number(SF8_F32, state, first, count) & 0x7fffffff;
}

/* ---- codes ----------------------------------------------------------------------------------- */

static int is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static sf8_format element_of(const gpu_attend_kernel *k)
{
    return is(k->cache, "f16")    ? SF8_F16
           : is(k->cache, "bf16") ? SF8_BF16
           : is(k->cache, "e4m3") ? SF8_E4M3
                                  : SF8_E5M2;
}

static uint32_t bits_of(const gpu_attend_kernel *k)
{
    return is(k->cache, "f16") || is(k->cache, "bf16") ? 16 : k->cache[0] == 'e' ? 8 : 4;
}

/* All codes in bytes: NaN for every format except those of 4 bits. */
static void fill_with_nan(const gpu_attend_kernel *k, uint8_t *data, size_t bytes)
{
    memset(data, bits_of(k) == 4 ? 0x77 : 0xff, bytes);
}

/* One row of codes; its first byte is at this address. */
static void put_row(const gpu_attend_kernel *k, const attend_set *set, uint64_t *state,
                    uint8_t *row)
{
    for (size_t d = 0; d < set->dim; d++) {
        int bad = set->data == ATTEND_SOME_NAN && next(state) % (64 * set->dim) == 0;
        uint32_t count = set->data == ATTEND_LARGE ? 7 : 5;
        if (bits_of(k) == 4) {
            if (d % 2 == 0)
                row[d / 2] = (uint8_t)next(state);
            continue;
        }
        sf8_format f = element_of(k);
        uint32_t word = number(f, state, -3, count);
        if (bad)
            word = (1u << (f.exp_bits + f.man_bits)) - 1 -
                   (next(state) & 1 ? 0 : (1u << f.man_bits) - 1);
        if (f.exp_bits + f.man_bits == 15) {
            uint16_t half = (uint16_t)word;
            memcpy(row + 2 * d, &half, 2);
        } else {
            row[d] = (uint8_t)word;
        }
    }
}

/* The scales of a row: bytes, or one f32. Scale 4 s + t of four tokens lies as blocks/layout.h
 * says. */
static void put_scales(const gpu_attend_kernel *k, const attend_set *set, uint64_t *state,
                       const sf8_kv_layout *l, uint8_t *scales, const size_t place[3])
{
    size_t n = l->scale_bits == 32 ? 1 : (size_t)(l->dim / l->group);
    for (size_t i = 0; i < n; i++) {
        uint8_t *at = scales + sf8_kv_scale_at(l, place[0], place[1], place[2], i);
        int bad = set->data == ATTEND_SOME_NAN && next(state) % 1024 == 0;
        uint32_t word = scale(state, -4, 5);
        if (l->scale_bits == 32)
            memcpy(at, bad ? (const uint32_t[1]){0x7fc00010} : &word, 4);
        else if (is(k->cache, "nvfp4"))
            *at = bad ? 0x7f : (uint8_t)(0x20 + next(state) % 0x20);
        else
            *at = bad ? 0xff : (uint8_t)(0x7c + next(state) % 6);
    }
}

/* ---- caches ---------------------------------------------------------------------------------- */

static sf8_kv_layout layout_of(const gpu_attend_kernel *k, const attend_set *set, size_t blocks,
                               int values)
{
    sf8_kv_layout l = sf8_kv_dense(SF8_KV_ROWS, (uint32_t)set->hnd, blocks, set->slots,
                                   set->kv_heads, set->dim, bits_of(k));
    uint32_t by_head = (uint32_t)set->hnd;
    if (is(k->cache, "nvfp4"))
        l = sf8_kv_with_scales(l, 16, 8, by_head);
    else if (is(k->cache, "mxfp4"))
        l = sf8_kv_with_scales(l, 32, 8, by_head);
    else if (is(k->cache, "int4") || (set->by_row && bits_of(k) == 8))
        l = sf8_kv_with_scales(l, set->dim, 32, by_head);
    if (l.scales == SF8_KV_SCALES_GIVEN)
        return l;
    if (values && set->four && l.scale_bits == 8)
        l.scale_order = SF8_LAYOUT_4TOKEN;
    return set->behind ? sf8_kv_behind(l) : l;
}

static const char *recipe_of(const gpu_attend_kernel *k, const attend_set *set)
{
    return is(k->cache, "nvfp4")   ? "nvfp4-flashinfer-append"
           : is(k->cache, "mxfp4") ? "mxfp4-even"
           : is(k->cache, "int4")  ? "int4-per-token-head-interpreted"
           : is(k->cache, "e4m3")  ? (set->by_row ? "fp8-per-token-head-interpreted" : "kv-vllm")
           : is(k->cache, "e5m2")  ? "kv-vllm-e5m2"
                                   : NULL;
}

/* Memory of at least this many bytes, filled with poison; NULL if memory is exhausted. */
static void *room(size_t bytes)
{
    void *p = malloc(bytes + 64);
    if (p)
        memset(p, 0xa5, bytes + 64);
    return p;
}

/* Requests that are only timed need no new random numbers, which would take longer than all
 * launches. */
static void repeat_blocks(const sf8_kv_image *image, size_t own, size_t blocks)
{
    const size_t bytes = (size_t)image->layout.block_stride;
    const size_t scales = (size_t)image->layout.scale_block_stride;
    const int apart = image->layout.scales == SF8_KV_SCALES_APART;
    for (size_t i = own; i < blocks; i++) {
        memcpy(image->data + i * bytes, image->data + i % own * bytes, bytes);
        if (apart)
            memcpy(image->scales + i * scales, image->scales + i % own * scales, scales);
    }
}

/* One side of the cache: rows of the slots that are used, and NaN in the others. */
static const char *make_side(attend_batch *b, const gpu_attend_kernel *k, const attend_set *set,
                             int values, const uint8_t *used, size_t blocks)
{
    sf8_attend_cache c;
    uint8_t **data = values ? &b->v_room : &b->k_room;
    uint8_t **scales = values ? &b->v_scales : &b->k_scales;
    uint64_t state = set->seed * 2 + (uint64_t)values;
    memset(&c, 0, sizeof c);
    c.image.layout = layout_of(k, set, blocks, values);
    const sf8_kv_layout *l = &c.image.layout;
    c.image.size = (size_t)sf8_kv_size(l);
    c.image.scales_size = (size_t)sf8_kv_scales_size(l);
    *data = room(c.image.size);
    *scales = room(c.image.scales_size);
    if (!*data || !*scales)
        return "not enough memory for a set";
    c.image.data = (uint8_t *)(((uintptr_t)*data + 15) / 16 * 16) + set->skew;
    c.image.scales = *scales;
    fill_with_nan(k, c.image.data, c.image.size);
    memset(c.image.scales, 0xff, c.image.scales_size);
    const size_t own = set->repeated && blocks > REPEATED ? REPEATED : blocks;
    for (size_t slot = 0; slot < own * set->slots; slot++)
        for (size_t head = 0; (used[slot] || own < blocks) && head < set->kv_heads; head++) {
            size_t place[3] = {slot / set->slots, slot % set->slots, head};
            put_row(k, set, &state,
                    c.image.data + sf8_kv_element_at(l, place[0], place[1], head, 0));
            if (l->scales != SF8_KV_SCALES_GIVEN)
                put_scales(k, set, &state, l,
                           l->scales == SF8_KV_SCALES_APART ? c.image.scales : c.image.data, place);
        }
    repeat_blocks(&c.image, own, blocks);
    c.words = bits_of(k) == 16 ? element_of(k) : SF8_F32;
    c.recipe = recipe_of(k, set) ? &b->recipe : NULL;
    c.scale = values ? b->v_scale : b->k_scale;
    c.scales = set->by_head ? set->kv_heads : 1;
    for (size_t i = 0; i < set->count; i++)
        *(values ? &b->request[i].v : &b->request[i].k) = c;
    return NULL;
}

/* ---- requests -------------------------------------------------------------------------------- */

static size_t keys_of(const attend_set *set, size_t i)
{
    size_t least = set->prefix * CHUNK, less = set->ragged ? i % 16 * 29 : 0;
    least = least > set->queries ? least : set->queries;
    return set->keys > least + less ? set->keys - less : least > set->keys ? set->keys : least;
}

/* Blocks in no order, those of the prefix first; some belong to nobody. */
static const char *make_blocks(attend_batch *b, const attend_set *set, uint8_t **used,
                               size_t *blocks)
{
    const size_t shared = (set->prefix * CHUNK + set->slots - 1) / set->slots;
    size_t each = (set->keys + set->slots - 1) / set->slots, all = shared + 3;
    uint64_t state = set->seed + 77;
    all += set->count * each;
    int64_t *order = room(all * sizeof *order);
    b->blocks = room(set->count * each * sizeof *b->blocks);
    *used = calloc(all, set->slots);
    if (!order || !b->blocks || !*used) {
        free(order);
        return "not enough memory for a set";
    }
    for (size_t i = 0; i < all; i++) {
        size_t j = next(&state) % (i + 1);
        order[i] = order[j];
        order[j] = (int64_t)i;
    }
    for (size_t r = 0, taken = shared; r < set->count; r++) {
        sf8_attend *a = &b->request[r];
        int64_t *to = b->blocks + r * each;
        a->keys = keys_of(set, r);
        a->block_count = (a->keys + set->slots - 1) / set->slots;
        a->blocks = to;
        for (size_t i = 0; i < a->block_count; i++)
            to[i] = i < shared ? order[i] : order[taken++];
        for (size_t key = 0; key < a->keys; key++)
            (*used)[(size_t)to[key / set->slots] * set->slots + key % set->slots] = 1;
    }
    free(order);
    *blocks = all;
    return NULL;
}

static void make_words(attend_batch *b, const attend_set *set, uint64_t *state)
{
    const size_t width = (size_t)sf8_format_bits(set->q_words) / 8;
    for (size_t i = 0; i < b->rows * set->dim; i++) {
        uint32_t word = number(set->q_words, state, -3, set->data == ATTEND_LARGE ? 7 : 4);
        uint16_t half = (uint16_t)word;
        memcpy(b->q + i * width, width == 4 ? (const void *)&word : (const void *)&half, width);
    }
    for (size_t i = 0; i < ATTEND_HEADS; i++) {
        b->q_scale[i] = scale(state, -2, 3);
        b->k_scale[i] = scale(state, -2, 3);
        b->v_scale[i] = scale(state, -3, 6);
        b->sinks[i] = number(SF8_F32, state, -2, 4);
    }
}

static const char *make_queries(attend_batch *b, const attend_set *set)
{
    const size_t row = set->heads * set->dim;
    const size_t q = (size_t)sf8_format_bits(set->q_words) / 8;
    const size_t out = (size_t)sf8_format_bits(set->out_words) / 8;
    uint64_t state = set->seed + 5;
    b->rows = set->count * set->queries * set->heads;
    b->out_bytes = b->rows * set->dim * out;
    b->q = room(b->rows * set->dim * q);
    b->out = room(b->out_bytes);
    b->right = room(b->out_bytes);
    b->lse = room(b->rows * 4);
    b->right_lse = room(b->rows * 4);
    if (!b->q || !b->out || !b->right || !b->lse || !b->right_lse)
        return "not enough memory for a set";
    make_words(b, set, &state);
    for (size_t i = 0; i < set->count; i++) {
        sf8_attend *a = &b->request[i];
        b->row_at[i] = i * set->queries * set->heads;
        b->out_at[i] = b->row_at[i] * set->dim * out;
        a->q = (sf8_kv_words){b->q + b->row_at[i] * set->dim * q, set->queries, set->dim, row,
                              set->dim};
        a->out = (sf8_kv_room){b->out + b->out_at[i], set->queries, set->dim, row, set->dim};
        a->lse = b->lse + b->row_at[i];
    }
    return NULL;
}

static void make_request(attend_batch *b, const attend_set *set, const gpu_attend_kernel *k,
                         sf8_attend *a)
{
    sf8_status status;
    a->sums = sf8_attend_sums_named(k->sums, &status);
    /* about 1 / sqrt(dim), and no power of two */
    a->scale = set->dim > 128 ? 0x3d851eb8 : 0x3db504f3;
    a->cap = set->cap;
    a->q_scale = b->q_scale;
    a->q_scales = set->by_head ? set->kv_heads : 1;
    a->sinks = set->sinks ? b->sinks : NULL;
    a->left = set->left;
    a->right = set->right;
    a->queries = set->queries;
    a->first = (int64_t)(a->keys > set->queries ? a->keys - set->queries : 0);
    a->first -= a->first < (int64_t)set->behind_keys ? a->first : (int64_t)set->behind_keys;
    a->heads = set->heads;
    a->q_words = set->q_words;
    a->out_words = set->out_words;
    a->lse_base2 = set->base2;
}

/* ---- what is right --------------------------------------------------------------------------- */

/* Computes each request by itself; what it writes is the expected result. */
const char *attend_batch_right(attend_batch *b, const attend_set *set)
{
    for (size_t i = 0; i < set->count; i++) {
        const sf8_attend *a = &b->request[i];
        size_t words = sf8_attend_room(a);
        uint32_t *r = malloc((words + 1) * sizeof *r);
        sf8_status status = r ? sf8_attend_n(a, r, words) : SF8_BAD_CALL;
        free(r);
        if (status != SF8_OK)
            return r ? sf8_attend_reason(sf8_attend_check(a)) : "not enough memory for a set";
    }
    memcpy(b->right, b->out, b->out_bytes);
    memcpy(b->right_lse, b->lse, b->rows * 4);
    return NULL;
}

const char *attend_batch_make(attend_batch *b, const gpu_attend_kernel *k, const attend_set *set,
                              int right)
{
    uint8_t *used = NULL;
    size_t blocks = 0;
    memset(b, 0, sizeof *b);
    if (set->count > ATTEND_REQUESTS || set->heads > ATTEND_HEADS)
        return "a set that is too large";
    if (recipe_of(k, set) && sf8_recipe_named(&b->recipe, recipe_of(k, set)) != SF8_OK)
        return "no recipe for a set";
    const char *wrong = make_blocks(b, set, &used, &blocks);
    if (!wrong)
        wrong = make_side(b, k, set, 0, used, blocks);
    if (!wrong)
        wrong = make_side(b, k, set, 1, used, blocks);
    free(used);
    if (!wrong)
        wrong = make_queries(b, set);
    for (size_t i = 0; i < set->count && !wrong; i++) {
        make_request(b, set, k, &b->request[i]);
        b->keys += b->request[i].keys * b->request[i].queries * b->request[i].heads;
    }
    if (!wrong && b->request[0].sums != SF8_ATTEND_EXACT) {
        sf8_format f = b->request[0].sums == SF8_ATTEND_MMA_F16 ? SF8_F16 : SF8_BF16;
        b->model = &b->unit;
        if (sf8_mma_named(&b->unit, "hopper-hmma", f, f, SF8_F32) != SF8_OK)
            wrong = "no unit for a set";
    }
    return wrong || !right ? wrong : attend_batch_right(b, set);
}

void attend_batch_free(void *batch)
{
    attend_batch *b = batch;
    void *all[] = {b->k_room, b->v_room, b->k_scales, b->v_scales, b->blocks,
                   b->q,      b->out,    b->right,    b->lse,      b->right_lse};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        free(all[i]);
}

/* SPDX-License-Identifier: MIT */
/* order.c -- attention in another stack's order: names, whether a request is valid, rows */
#include "attend/order_job.h"
#include "attend/order_rows.h"
#include "scalar/tensor_word.h"
#include "text/names.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static const sf8_attend_order sf8_attend_orders[] = {
#define SF8_ATTEND_ORDER(...) {__VA_ARGS__},
    SF8_ATTEND_ORDERS(SF8_ATTEND_ORDER) SF8_ATTEND_ORDERS_2026(SF8_ATTEND_ORDER)
#undef SF8_ATTEND_ORDER
};

const sf8_attend_order *sf8_attend_order_at(size_t i)
{
    return i < sizeof sf8_attend_orders / sizeof sf8_attend_orders[0] ? &sf8_attend_orders[i]
                                                                      : NULL;
}

const sf8_attend_order *sf8_attend_order_named(const char *name)
{
    size_t i = 0;
    while (sf8_attend_order_at(i) && !sf8_is_named(sf8_attend_orders[i].name, name))
        i++;
    return sf8_attend_order_at(i);
}

/* ---- what a request has to be ---------------------------------------------------------------- */

static sf8_attend sf8_order_exact(const sf8_attend *a)
{
    sf8_attend exact = *a;
    exact.sums = SF8_ATTEND_EXACT;
    return exact;
}

static sf8_format sf8_order_half_of(const sf8_attend *a)
{
    return sf8_same_format(a->q_words, SF8_F16) ? SF8_F16 : SF8_BF16;
}

/* Codes are of the format of the keys: e4m3, or e4m3fnuz, which CDNA3 multiplies. */
static sf8_format sf8_order_operand_of(const sf8_attend_order *o, const sf8_attend *a)
{
    int32_t fnuz = a->k.recipe && sf8_same_format(a->k.recipe->element, SF8_E4M3FNUZ);
    if (o->operands != SF8_OPERANDS_CODES)
        return sf8_order_half_of(a);
    return fnuz ? SF8_E4M3FNUZ : SF8_E4M3;
}

/* The order with the tile that it takes for a request. */
static sf8_attend_order sf8_order_for(const sf8_attend_order *o, const sf8_attend *a)
{
    sf8_attend_order own = *o;
    if (a->queries == 1 && o->decode_tile)
        own.tile = o->decode_tile;
    else if (a->right < 0 && a->left < 0 && o->full_tile)
        own.tile = o->full_tile;
    return own;
}

/* Each of these returns NULL, or why the order cannot compute the request. */

static const char *sf8_order_refuses_cache(const sf8_attend_order *o, const sf8_attend *a,
                                           const sf8_attend_cache *cache)
{
    const sf8_kv_layout *l = &cache->image.layout;
    int32_t codes = o->operands == SF8_OPERANDS_CODES;
    if (!cache->recipe)
        return codes ? "operands=codes needs caches of e4m3 or e4m3fnuz" : NULL;
    if (l->scales != SF8_KV_SCALES_GIVEN && l->group >= l->dim)
        return "orders take no scales of single rows";
    if (codes && !(l->scales == SF8_KV_SCALES_GIVEN &&
                   sf8_same_format(cache->recipe->element, sf8_order_operand_of(o, a))))
        return "operands=codes needs caches of e4m3, or both of e4m3fnuz, with scales that are "
               "given";
    return NULL;
}

static const char *sf8_order_refuses_unit(const sf8_attend_order *o, const sf8_attend *a)
{
    sf8_format operand = sf8_order_operand_of(o, a);
    int32_t values = o->values == SF8_VALUES_UNIT || o->values == SF8_VALUES_UNIT_TILE ||
                     o->values == SF8_VALUES_GROUPS;
    int32_t needed = o->dot == SF8_PRODUCTS_UNIT || values || o->sum == SF8_SUM_UNIT;
    sf8_mma m;
    if (!o->unit)
        return "there is no such unit";
    if (!o->unit[0])
        return needed ? "a unit is needed: unit=NAME" : NULL;
    if (o->operands == SF8_OPERANDS_F32)
        return "a unit takes no operands=f32";
    if (sf8_mma_named(&m, o->unit, operand, operand, SF8_F32) != SF8_OK)
        return "the unit does not take these operands";
    if (m.scale_block != 0 || SF8_ATTEND_CHUNK % m.k != 0)
        return "orders take no units with scales, and none of more than 64 products";
    if (o->tile % m.k != 0 || (o->tile == 0 && o->end != SF8_END_NORMALISED))
        return "the tile is no multiple of the products of one instruction";
    if (o->dot == SF8_PRODUCTS_UNIT && a->k.image.layout.dim % (uint64_t)m.k != 0)
        return "a head is no multiple of the products of one instruction";
    return NULL;
}

static const char *sf8_order_refuses_cut(const sf8_attend_order *o, const sf8_attend *a, size_t cut)
{
    switch (o->split) {
    case SF8_SPLIT_COUNT:
    case SF8_SPLIT_KEYS:
        return o->tile == 0 && cut != 1   ? "tile=0 has one part"
               : cut >= 1 && cut <= 65536 ? NULL
                                          : "the number of parts is 1 to 65536";
    case SF8_SPLIT_SEGMENTS:
        return o->tile != 0 && o->size >= 1 && o->size <= 64 && (o->size & (o->size - 1)) == 0
                   ? NULL
                   : "split=segments needs a tile, and a size that is a power of two up to 64";
    case SF8_SPLIT_SIZE:
        return o->size >= 16 && o->size % 16 == 0 ? NULL
                                                  : "split=size needs a size that 16 divides";
    case SF8_SPLIT_PREFIX:
        return cut <= a->keys ? NULL : "the first part has at most all keys";
    default:
        return NULL;
    }
}

/* Every choice exists. */
static const char *sf8_order_refuses_choices(const sf8_attend_order *o)
{
    int32_t words = o->operands <= SF8_OPERANDS_CODES && o->dot <= SF8_PRODUCTS_AVX2 &&
                    o->score <= SF8_SCORE_FOLDED_ROUNDED && o->sum <= SF8_SUM_GROUPS &&
                    o->weight <= SF8_WEIGHT_E4M3 && o->values <= SF8_VALUES_GROUPS &&
                    o->end <= SF8_END_SCALE && o->v_scale <= SF8_V_ON_JOINED &&
                    o->others <= SF8_OTHERS_AS_THEY_ARE && o->split <= SF8_SPLIT_KEYS &&
                    o->join <= SF8_JOIN_GLOBAL && o->sum_seed <= SF8_SEED_OWN &&
                    o->cap <= SF8_CAP_SCORE && o->sink <= SF8_SINK_JOINED;
    int32_t numbers = o->offset >= -126 && o->offset <= 126 && o->tile >= 0 && o->tile <= 4096 &&
                      o->rescale_after >= 0 && o->rescale_after <= 126 && o->sum_rounded >= 0 &&
                      o->sum_rounded <= 1 && o->promote >= 1 && o->promote <= 4096 &&
                      o->weight_factor >= 1 && o->weight_factor <= 4096 && o->scale_on >= 0 &&
                      o->scale_on <= SF8_SCALE_ON_BOTH && o->out_e4m3 >= 0 && o->out_e4m3 <= 1;
    return words && numbers ? NULL : "a field has a value that it does not take";
}

/* The bits of keys are those of a tile; a scale of the output is a number above 0. */
static const char *sf8_order_refuses_fields(const sf8_attend_order *o)
{
    int32_t digit[9], n = sf8_order_sum_digits(o, digit);
    uint32_t scale = o->out_scale;
    if (n < 0 || (o->sum == SF8_SUM_BITS) != (n > 0))
        return o->sum == SF8_SUM_BITS ? "sum=bits needs sum-bits: up to 8 digits from 1 to 9, each "
                                        "once"
                                      : "sum-bits needs sum=bits";
    for (int32_t i = 0; i < n; i++)
        if (n > 8 || o->tile == 0 || o->tile % (1 << digit[i]) != 0)
            return "sum-bits needs a tile that is a multiple of 2 to the power of each digit";
    if (o->sum_seed != SF8_SEED_KEPT && o->sum != SF8_SUM_BITS)
        return "sum-seed needs sum=bits";
    if (scale &&
        (!o->out_e4m3 || scale >= SF8_F32_INF || sf8_f32_div(SF8_F32_ONE, scale) >= SF8_F32_INF))
        return "out-scale needs out=e4m3, and a finite number above 0 whose inverse is finite";
    return NULL;
}

/* The choices fit together: an end needs the logarithm of its scores, and a joining what parts pass
 * on. */
static const char *sf8_order_refuses_end(const sf8_attend_order *o)
{
    int32_t scaled = sf8_attend_order_scales(o), one = o->split == SF8_SPLIT_NONE;
    int32_t segments = o->join == SF8_JOIN_SEGMENTS, base2 = o->base2 != 0;
    int32_t scaled_values = o->operands == SF8_OPERANDS_F32 || o->operands == SF8_OPERANDS_SCALED;
    int32_t two = o->score == SF8_SCORE_SCALED_2;
    int32_t guarded = sf8_order_is_guarded(o), groups = o->values == SF8_VALUES_GROUPS;
    if (guarded && (scaled || base2))
        return "end=guarded, log2 and scale need folded scores and lse=e";
    if (!guarded && o->offset != 0)
        return "an offset needs end=guarded, log2 or scale";
    if (groups != (o->sum == SF8_SUM_GROUPS) ||
        (groups && (o->tile == 0 || o->tile % 8 != 0 || sf8_order_divides_weights(o))))
        return "values=groups and sum=groups need each other, and a tile that 8 divides";
    if (base2 && scaled && !two)
        return "lse=2 needs folded scores, or scores=scaled-2";
    if (o->scale_on == SF8_SCALE_ON_BOTH && (!(scaled && scaled_values) || two))
        return "score-scale=both needs scores=scaled or natural, and operands=f32 or scaled";
    if (sf8_order_divides_weights(o) && o->tile != 0)
        return "weights that are divided before they are rounded need tile=0";
    if (scaled_values != (o->v_scale == SF8_V_IN_VALUES))
        return scaled_values ? "operands=f32 and scaled need v-scale=values"
                             : "operands=elements and codes need v-scale=inverse, output or joined";
    if (o->weight_factor > 1 && (o->sum_rounded || o->sum == SF8_SUM_UNIT))
        return "a weight-factor needs sums of weights that are not rounded";
    if (o->promote > 1 && o->values != SF8_VALUES_UNIT_TILE)
        return "promote needs values=two-levels";
    if (segments && o->split == SF8_SPLIT_SEGMENTS)
        return scaled && o->end == SF8_END_QUOTIENT && two == base2
                   ? NULL
                   : "join=segments needs end=quotient, and scores=scaled or natural, or scaled-2 "
                     "with lse=2";
    if (o->join == SF8_JOIN_PARTITIONS)
        return scaled && !two ? NULL : "join=partitions needs scores=scaled or natural";
    if (!one && segments)
        return "join=segments needs split=segments";
    if (!one && o->join != SF8_JOIN_GLOBAL && (o->join == SF8_JOIN_FLASHINFER) != base2)
        return "lse=2 goes with join=flashinfer and global, and with no other";
    return NULL;
}

/* Caps and sinks, if the request has some. */
static const char *sf8_order_refuses_scores(const sf8_attend_order *o, const sf8_attend *a)
{
    int32_t scaled = sf8_attend_order_scales(o);
    int32_t joins = o->join == SF8_JOIN_SGLANG || o->join == SF8_JOIN_GLOBAL;
    if ((a->cap || a->sinks) && o->scale_on == SF8_SCALE_ON_BOTH)
        return "score-scale=both takes no cap and no sinks";
    if (a->cap && o->cap == SF8_CAP_NONE)
        return "this order has no cap of scores: cap=product or score";
    if (a->cap && o->cap == SF8_CAP_SCORE && (!scaled || o->score == SF8_SCORE_SCALED_2))
        return "cap=score needs scores=scaled or natural";
    if (a->sinks && o->sink == SF8_SINK_NONE)
        return "this order has no sinks: sink=first, last, key or joined";
    if (a->sinks && o->sink == SF8_SINK_FIRST && !scaled)
        return "sink=first needs scores=scaled, scaled-2 or natural";
    if (a->sinks && o->sink == SF8_SINK_KEY && sf8_order_is_guarded(o))
        return "sink=key needs an end that takes no offset";
    if (a->sinks && o->sink == SF8_SINK_JOINED && !joins)
        return "sink=joined needs join=sglang or global";
    if (a->sinks && sf8_order_divides_weights(o))
        return "weights that are divided before they are rounded take no sinks";
    return NULL;
}

static const char *sf8_order_refuses(const sf8_attend_order *o, const sf8_attend *a, size_t cut)
{
    int32_t q8 = sf8_format_bits(a->q_words) <= 8;
    const char *why = sf8_order_refuses_choices(o);
    if (!why)
        why = sf8_order_refuses_fields(o);
    if (!why)
        why = sf8_order_refuses_end(o);
    if (!why)
        why = sf8_order_refuses_scores(o, a);
    if (why)
        return why;
    if (q8 && o->operands != SF8_OPERANDS_F32 &&
        !(o->operands == SF8_OPERANDS_CODES &&
          sf8_same_format(a->q_words, sf8_order_operand_of(o, a))))
        return "queries of 8 bits need operands=f32, or operands=codes and the format of the keys";
    if (o->values == SF8_VALUES_THREADS && o->tile != 0)
        return "values=threads needs tile=0";
    if (o->values == SF8_VALUES_THREADS && a->left >= 0)
        return "values=threads takes no window";
    if (o->dot == SF8_PRODUCTS_AVX2 && a->k.image.layout.dim % 32 != 0)
        return "products=avx2 needs heads of a multiple of 32 elements";
    if (o->sum == SF8_SUM_HALVES && (o->tile == 0 || (o->tile & (o->tile - 1)) != 0))
        return "sum=halves needs a tile that is a power of two";
    why = sf8_order_refuses_cache(o, a, &a->k);
    if (!why)
        why = sf8_order_refuses_cache(o, a, &a->v);
    if (!why)
        why = sf8_order_refuses_unit(o, a);
    return why ? why : sf8_order_refuses_cut(o, a, cut);
}

const char *sf8_attend_order_reason(const sf8_attend_order *order, const sf8_attend *a, size_t cut)
{
    const sf8_attend_order own = sf8_order_for(order, a);
    const sf8_attend exact = sf8_order_exact(a);
    uint32_t reason = sf8_attend_check(&exact);
    return reason != SF8_ATTEND_GOOD ? sf8_attend_reason(reason) : sf8_order_refuses(&own, a, cut);
}

uint32_t sf8_attend_order_check(const sf8_attend_order *order, const sf8_attend *a, size_t cut)
{
    const sf8_attend_order own = sf8_order_for(order, a);
    const sf8_attend exact = sf8_order_exact(a);
    uint32_t reason = sf8_attend_check(&exact);
    if (reason != SF8_ATTEND_GOOD)
        return reason;
    return sf8_order_refuses(&own, a, cut) ? SF8_ATTEND_BAD_ORDER : SF8_ATTEND_GOOD;
}

/* ---- scratch memory -------------------------------------------------------------------------- */

/* Computes where the parts of the scratch memory begin, in uint32_t; the last one is its size. */
typedef struct sf8_order_rooms {
    uint64_t read, q, q_operand, k, v, weights, scores, before, sums, tile, parts, out, panels, all;
} sf8_order_rooms;

static sf8_order_rooms sf8_order_rooms_of(const sf8_attend_order *o, const sf8_attend *a,
                                          size_t cut)
{
    sf8_attend exact = sf8_order_exact(a);
    uint64_t dim = a->k.image.layout.dim, columns = a->v.image.layout.dim;
    uint64_t chunk = SF8_ATTEND_CHUNK, at = 0;
    uint64_t tile = o->tile ? (uint64_t)o->tile : sf8_kv_plus(a->keys, SF8_ATTEND_CHUNK - 1);
    sf8_order_rooms r;
#define SF8_ORDER_ROOM(name, words) r.name = at, at = sf8_kv_plus(at, words)
    SF8_ORDER_ROOM(read, sf8_attend_room(&exact));
    SF8_ORDER_ROOM(q, dim);
    SF8_ORDER_ROOM(q_operand, dim);
    SF8_ORDER_ROOM(k, chunk * dim);
    SF8_ORDER_ROOM(v, chunk * columns);
    SF8_ORDER_ROOM(weights, chunk);
    SF8_ORDER_ROOM(scores, sf8_kv_times(2, tile));
    SF8_ORDER_ROOM(before, o->values == SF8_VALUES_GROUPS ? tile : 0);
    SF8_ORDER_ROOM(sums, SF8_ORDER_LANES * columns);
    SF8_ORDER_ROOM(tile, columns);
    SF8_ORDER_ROOM(parts, sf8_kv_times(sf8_order_parts(o, a->keys, cut), 2 + columns));
    SF8_ORDER_ROOM(out, columns);
    SF8_ORDER_ROOM(panels, sf8_order_panels_room(o, a));
#undef SF8_ORDER_ROOM
    r.all = at;
    return r;
}

size_t sf8_attend_order_room(const sf8_attend_order *o, const sf8_attend *a, size_t cut)
{
    const sf8_attend_order own = sf8_order_for(o, a);
    uint64_t all;
    if (a->k.image.layout.heads == 0)
        return 0;
    all = sf8_order_rooms_of(&own, a, cut).all;
    return all > PTRDIFF_MAX / 4 ? SIZE_MAX : (size_t)all;
}

static sf8_status sf8_order_begin(sf8_order_job *job, const sf8_attend_order *o,
                                  const sf8_attend *a, size_t cut, uint32_t *room,
                                  sf8_mma_tiles *tiles)
{
    sf8_order_rooms r = sf8_order_rooms_of(o, a, cut);
    sf8_status status;
    memset(job, 0, sizeof *job);
    job->o = o;
    job->a = sf8_order_exact(a);
    job->half = sf8_order_half_of(a);
    job->operand = sf8_order_operand_of(o, a);
    job->codes = o->operands == SF8_OPERANDS_CODES ? job->operand : SF8_E4M3;
    job->cut = cut;
    job->columns = (size_t)a->v.image.layout.dim;
    status = sf8_attend_begin(&job->read, sf8_simd(), &job->a, room, sf8_attend_room(&job->a));
    if (status != SF8_OK)
        return status;
    job->q = room + r.q;
    job->q_operand = room + r.q_operand;
    job->k_operand = room + r.k;
    job->v_operand = room + r.v;
    job->weight_operand = room + r.weights;
    job->scores = room + r.scores;
    job->before = room + r.before;
    job->sums = room + r.sums;
    job->tile = room + r.tile;
    job->parts = room + r.parts;
    job->out = room + r.out;
    job->root = sf8_f32_sqrt(a->scale);
    job->all_numbers = o->all_numbers && (a->k.recipe || a->v.recipe) &&
                       sf8_same_format(job->half, SF8_BF16);
    if (o->unit[0])
        status = sf8_mma_named(&job->mma, o->unit, job->operand, job->operand, SF8_F32);
    if (status == SF8_OK)
        sf8_order_panels_begin(job, tiles, room + r.panels);
    return status;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static void sf8_order_load_query(sf8_order_job *job, size_t query, size_t head, uint32_t q_scale)
{
    const sf8_attend *a = &job->a;
    uint32_t operands = job->o->operands;
    size_t at = query * a->q.token_stride + head * a->q.head_stride;
    uint32_t inverse = sf8_f32_div(SF8_F32_ONE, q_scale);
    int32_t both = job->o->scale_on == SF8_SCALE_ON_BOTH;
    int32_t codes = sf8_format_bits(a->q_words) <= 8;
    for (size_t d = 0; d < job->read.dim; d++) {
        uint32_t word = sf8_attend_query_word(a, at + d);
        if (both)
            word = sf8_f32_mul(word, job->root);
        if (operands == SF8_OPERANDS_CODES && !codes)
            word = sf8_f32_mul(word, inverse);
        else if (operands != SF8_OPERANDS_F32 && !codes)
            word = sf8_order_half(job, word);
        job->q[d] = word;
    }
    if (job->o->unit[0])
        sf8_order_put_query(job);
}

static void sf8_order_row_begin(sf8_order_job *job, size_t query, size_t head)
{
    const sf8_attend *a = &job->a;
    const sf8_attend_order *o = job->o;
    int64_t from, to;
    uint32_t q_scale, k_scale;
    job->kv = head / job->read.group;
    sf8_attend_range(a, query, &from, &to);
    job->to = to > 0 ? (size_t)to : 0;
    job->from = from < to ? (size_t)from : job->to;
    q_scale = sf8_attend_scale_of(a->q_scale, a->q_scales, job->kv);
    k_scale = sf8_attend_scale_of(a->k.scale, a->k.scales, job->kv);
    if (o->operands == SF8_OPERANDS_F32 || o->operands == SF8_OPERANDS_SCALED)
        k_scale = SF8_F32_ONE; /* included in the keys */
    job->scale = o->scale_on == SF8_SCALE_ON_BOTH
                     ? SF8_F32_ONE
                     : sf8_f32_mul(a->scale, sf8_f32_mul(q_scale, k_scale));
    job->factor = sf8_attend_order_factor(o, a->scale, q_scale, k_scale);
    job->cap_by = a->cap;
    if (a->cap && o->cap == SF8_CAP_PRODUCT) {
        job->cap_by = sf8_f32_mul(sf8_f32_div(a->scale, a->cap), sf8_f32_mul(q_scale, k_scale));
        job->scale = a->cap;
        job->factor = sf8_attend_order_factor(o, a->cap, SF8_F32_ONE, SF8_F32_ONE);
    }
    job->sink = a->sinks ? a->sinks + head : NULL;
    job->v_scale = o->v_scale == SF8_V_IN_VALUES
                       ? SF8_F32_ONE
                       : sf8_attend_scale_of(a->v.scale, a->v.scales, job->kv);
    sf8_order_load_query(job, query, head, q_scale);
}

static void sf8_order_put_result(sf8_order_job *job, size_t query, size_t head, uint32_t lse)
{
    const sf8_attend *a = &job->a;
    size_t at = query * a->out.token_stride + head * a->out.head_stride;
    sf8_format words = sf8_format_bits(a->out_words) == 16 ? a->out_words : job->half;
    for (size_t c = 0; c < job->columns; c++) {
        uint32_t x = job->out[c];
        if (job->o->v_scale == SF8_V_ON_OUTPUT)
            x = sf8_f32_via_half(words, sf8_f32_mul(sf8_f32_via_half(words, x), job->v_scale));
        else if (job->o->v_scale == SF8_V_ON_JOINED)
            x = sf8_f32_mul(x, job->v_scale);
        if (job->o->out_scale)
            x = sf8_f32_mul(x, sf8_f32_div(SF8_F32_ONE, job->o->out_scale));
        if (job->o->out_e4m3)
            x = sf8_order_via(SF8_E4M3, x);
        sf8_word_store(a->out_words, a->out.words, at + c, x);
    }
    if (a->lse)
        a->lse[query * a->heads + head] = lse;
}

static void sf8_order_run_row(sf8_order_job *job, size_t query, size_t head)
{
    const sf8_attend_order *o = job->o;
    size_t n;
    sf8_order_row_begin(job, query, head);
    n = sf8_order_parts(o, o->split == SF8_SPLIT_SIZE ? job->to : job->a.keys, job->cut);
    job->parts_count = n;
    for (size_t i = 0; i < n; i++) {
        job->part = i;
        sf8_order_run_part(job, sf8_order_part_of(job, i), job->parts + i * (2 + job->columns));
    }
    sf8_order_put_result(job, query, head, sf8_order_join(job, n));
}

sf8_status sf8_attend_order_n(const sf8_attend_order *order, const sf8_attend *a, size_t cut,
                              uint32_t *room, size_t room_words)
{
    sf8_order_job job;
    sf8_mma_tiles tiles;
    sf8_status status;
    if (sf8_attend_order_check(order, a, cut) != SF8_ATTEND_GOOD ||
        room_words < sf8_attend_order_room(order, a, cut))
        return SF8_BAD_CALL;
    const sf8_attend_order own = sf8_order_for(order, a), *o = &own;
    status = sf8_order_begin(&job, o, a, cut, room, &tiles);
    if (status != SF8_OK)
        return status;
    for (size_t kv = 0; kv < job.read.kv_heads; kv++) {
        sf8_order_panels_fill(&job, kv);
        for (size_t query = 0; query < a->queries; query++)
            for (size_t g = 0; g < job.read.group; g++)
                sf8_order_run_row(&job, query, kv * job.read.group + g);
    }
    return SF8_OK;
}

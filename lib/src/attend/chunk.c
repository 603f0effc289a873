/* SPDX-License-Identifier: MIT */
/* chunk.c -- attention: whether a request is valid, and one chunk of it */
#include "attend/job.h"
#include "softfp8_blocks.h"
#include "scalar/tensor_word.h"
#include "text/names.h"

#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const sf8_attend_names[SF8_ATTEND_SUMS_COUNT] = {"exact", "mma-f16", "mma-bf16"};

const char *sf8_attend_sums_name(sf8_attend_sums sums)
{
    return (size_t)sums < SF8_ATTEND_SUMS_COUNT ? sf8_attend_names[sums] : NULL;
}

sf8_attend_sums sf8_attend_sums_named(const char *name, sf8_status *status)
{
    size_t i = 0;
    while (i < SF8_ATTEND_SUMS_COUNT && !sf8_is_named(sf8_attend_names[i], name))
        i++;
    if (status)
        *status = i < SF8_ATTEND_SUMS_COUNT ? SF8_OK : SF8_UNKNOWN_NAME;
    return i < SF8_ATTEND_SUMS_COUNT ? (sf8_attend_sums)i : SF8_ATTEND_EXACT;
}

const char *sf8_attend_reason(uint32_t reason)
{
    static const char *const text[SF8_ATTEND_REASON_COUNT] = {
#define SF8_ATTEND_TEXT(id, words) words,
        SF8_ATTEND_REASONS(SF8_ATTEND_TEXT)
#undef SF8_ATTEND_TEXT
    };
    return reason < SF8_ATTEND_REASON_COUNT ? text[reason] : NULL;
}

/* ---- sides ----------------------------------------------------------------------------------- */

static sf8_format sf8_attend_operand_format(sf8_attend_sums sums)
{
    return sums == SF8_ATTEND_EXACT ? SF8_F32 : sums == SF8_ATTEND_MMA_F16 ? SF8_F16 : SF8_BF16;
}

/* Prepares how a cache is read: the recipe's codes and scales, with a program for attention.
 * Returns 0 if the recipe stores offsets separately. */
static int32_t sf8_attend_side_of(sf8_attend_side *s, const sf8_attend_cache *cache)
{
    const sf8_kv_layout *l = &cache->image.layout;
    memset(s, 0, sizeof *s);
    s->cache = cache;
    s->dim = (size_t)l->dim;
    if (!cache->recipe)
        return 1;
    s->reader = *cache->recipe;
    s->by_row = l->scales != SF8_KV_SCALES_GIVEN && l->group >= l->dim;
    s->reader.factor_of.count = 0;
    return s->reader.offset_at != SF8_OFFSET_WORD &&
           sf8_program_read(&s->reader.value_of,
                            l->scales != SF8_KV_SCALES_GIVEN && !s->by_row ? "e s *"
                            : s->reader.offset_at == SF8_OFFSET_IN_SCALE   ? "e o -"
                                                                           : "e");
}

/* The recipe's value of e = s = 1. What rounds it to a format rounds what is read, not the factor.
 */
uint32_t sf8_attend_cache_scale(const sf8_recipe *recipe, uint32_t g)
{
    sf8_recipe r;
    sf8_block b;
    int32_t count = 0;
    if (!recipe)
        return SF8_F32_ONE;
    r = *recipe;
    for (int32_t i = 0; i < recipe->value_of.count; i++) {
        sf8_term t = recipe->value_of.term[i];
        if (t.op != SF8_TERM_BF16 && t.op != SF8_TERM_F16 && t.op != SF8_TERM_OWN)
            r.value_of.term[count++] = t;
    }
    r.value_of.count = count;
    sf8_block_begin(&b, g);
    b.variable[SF8_VAR_e] = SF8_F32_ONE;
    b.variable[SF8_VAR_o] = 0;
    b.variable[SF8_VAR_s] = sf8_recipe_scale_given(recipe) ? g : SF8_F32_ONE;
    if (r.factor_of.count)
        b.variable[SF8_VAR_f] = sf8_program_run(&r.factor_of, b.variable);
    return sf8_program_run(&r.value_of, b.variable);
}

static sf8_kv_gather sf8_attend_gather(const sf8_attend_side *s, sf8_format to)
{
    sf8_kv_gather g;
    memset(&g, 0, sizeof g);
    g.image = s->cache->image;
    g.recipe = s->cache->recipe ? &s->reader : NULL;
    g.to = s->cache->recipe ? to : s->cache->words;
    g.first.words = s->words;
    g.first.tokens = SF8_ATTEND_CHUNK;
    g.first.dim = g.first.token_stride = s->dim;
    g.first.head_stride = SF8_ATTEND_CHUNK * s->dim;
    return g;
}

/* ---- what a request has to be ---------------------------------------------------------------- */

static int32_t sf8_attend_is_words(sf8_format f)
{
    return sf8_same_format(f, SF8_F32) || sf8_same_format(f, SF8_F16) ||
           sf8_same_format(f, SF8_BF16);
}

/* Returns 1 if `tokens` rows of `heads` heads of `dim` elements fit into memory. */
static int32_t sf8_attend_fits(size_t tokens, size_t heads, size_t dim, size_t token_stride,
                               size_t head_stride)
{
    uint64_t end = sf8_kv_plus(
        dim, sf8_kv_plus(sf8_kv_times(tokens, token_stride), sf8_kv_times(heads, head_stride)));
    return end <= PTRDIFF_MAX / 4;
}

static uint32_t sf8_attend_check_words(const sf8_attend *a)
{
    if ((!sf8_attend_is_words(a->q_words) && sf8_format_bits(a->q_words) > 8) ||
        !sf8_attend_is_words(a->out_words) || a->q.dim != a->k.image.layout.dim ||
        a->out.dim != a->v.image.layout.dim || a->q.tokens != a->queries ||
        a->out.tokens != a->queries ||
        !sf8_attend_fits(a->queries, a->heads, a->q.dim, a->q.token_stride, a->q.head_stride) ||
        !sf8_attend_fits(a->queries, a->heads, a->out.dim, a->out.token_stride,
                         a->out.head_stride) ||
        sf8_kv_times(sf8_kv_times(a->queries, a->heads), a->out.dim + 2) > PTRDIFF_MAX / 4)
        return SF8_ATTEND_BAD_WORDS;
    return SF8_ATTEND_GOOD;
}

static int32_t sf8_attend_bad_scales(const uint32_t *scale, size_t scales, uint64_t heads)
{
    return scale && scales != 1 && scales != heads;
}

/* Returns 1 for +0, and for a cap whose constants are finite. An infinite cap has an infinite
 * cap_log2e. */
static int32_t sf8_attend_bad_cap(uint32_t cap)
{
    sf8_attend_factor f = sf8_attend_factor_of(SF8_F32_ONE, SF8_F32_ONE, SF8_F32_ONE, cap);
    if (cap == 0)
        return 0;
    return cap >> 31 || f.per_cap >= SF8_F32_INF || f.cap_log2e >= SF8_F32_INF;
}

static uint32_t sf8_attend_check_cache(const sf8_attend *a, const sf8_attend_cache *cache)
{
    static const int64_t none = 0;
    sf8_kv_slots slots = {&none, 0, SF8_KV_OUTSIDE_REFUSE, SF8_KV_TWICE_REFUSE, NULL, 0};
    sf8_attend_side side;
    sf8_kv_gather g;
    uint32_t room;
    if (!sf8_attend_side_of(&side, cache) || (!cache->recipe && !sf8_attend_is_words(cache->words)))
        return SF8_ATTEND_BAD_CACHE;
    side.words = &room; /* belongs to no token */
    g = sf8_attend_gather(&side, sf8_attend_operand_format(a->sums));
    return sf8_kv_gather_n(&g, 1, &slots, NULL) == SF8_OK ? SF8_ATTEND_GOOD : SF8_ATTEND_BAD_CACHE;
}

static uint32_t sf8_attend_check_shape(const sf8_attend *a)
{
    const sf8_kv_layout *k = &a->k.image.layout, *v = &a->v.image.layout;
    uint64_t of = a->sums == SF8_ATTEND_EXACT ? 8 : 16;
    if ((size_t)a->sums >= SF8_ATTEND_SUMS_COUNT)
        return SF8_ATTEND_BAD_SUMS;
    if (k->heads != v->heads || k->slots != v->slots || k->slots == 0)
        return SF8_ATTEND_UNLIKE;
    if (a->heads == 0 || k->heads == 0 || a->heads % k->heads != 0)
        return SF8_ATTEND_BAD_SHAPE;
    if (k->dim == 0 || v->dim == 0 || k->dim % of != 0 || v->dim % 8 != 0 ||
        k->dim > SF8_ATTEND_MOST_DIM || v->dim > SF8_ATTEND_MOST_DIM)
        return SF8_ATTEND_BAD_DIM;
    if (sf8_attend_bad_scales(a->q_scale, a->q_scales, k->heads) ||
        sf8_attend_bad_scales(a->k.scale, a->k.scales, k->heads) ||
        sf8_attend_bad_scales(a->v.scale, a->v.scales, k->heads) || sf8_attend_bad_cap(a->cap))
        return SF8_ATTEND_BAD_SCALE;
    return SF8_ATTEND_GOOD;
}

static uint32_t sf8_attend_check_blocks(const sf8_attend *a)
{
    const int64_t most = INT64_C(1) << 61;
    uint64_t slots = a->k.image.layout.slots, blocks = a->k.image.layout.blocks;
    if (a->first < 0 || a->first > most || a->left > most || a->right > most ||
        a->keys > (uint64_t)most || a->queries > (uint64_t)most)
        return SF8_ATTEND_BAD_POSITION;
    if (a->keys != 0 && a->block_count < (a->keys - 1) / slots + 1)
        return SF8_ATTEND_FEW_BLOCKS;
    if (blocks > a->v.image.layout.blocks)
        blocks = a->v.image.layout.blocks;
    for (size_t i = 0; i < a->keys; i += (size_t)slots)
        if (a->blocks[i / slots] < 0 || (uint64_t)a->blocks[i / slots] >= blocks)
            return SF8_ATTEND_BAD_BLOCK;
    return SF8_ATTEND_GOOD;
}

uint32_t sf8_attend_check(const sf8_attend *a)
{
    uint32_t reason = sf8_attend_check_shape(a);
    if (reason == SF8_ATTEND_GOOD)
        reason = sf8_attend_check_words(a);
    if (reason == SF8_ATTEND_GOOD)
        reason = sf8_attend_check_cache(a, &a->k);
    if (reason == SF8_ATTEND_GOOD)
        reason = sf8_attend_check_cache(a, &a->v);
    return reason == SF8_ATTEND_GOOD ? sf8_attend_check_blocks(a) : reason;
}

/* ---- scratch memory -------------------------------------------------------------------------- */

static uint64_t sf8_attend_product(uint64_t a, uint64_t b, uint64_t c)
{
    return sf8_kv_times(a, sf8_kv_times(b, c));
}

/* Computes where the parts of the scratch memory begin, in uint32_t; the last one is its size. */
typedef struct sf8_attend_rooms {
    uint64_t q, k, v, k_scales, v_scales, across, operands, spans, totals, all;
} sf8_attend_rooms;

static sf8_attend_rooms sf8_attend_rooms_of(const sf8_attend *a)
{
    const uint64_t most = SF8_ATTEND_QUERIES;
    uint64_t tile = a->queries < most ? a->queries : most;
    uint64_t kv_heads = a->k.image.layout.heads, group = a->heads / kv_heads;
    uint64_t dim = a->k.image.layout.dim, columns = a->v.image.layout.dim;
    uint64_t chunk = SF8_ATTEND_CHUNK, at = 0;
    uint64_t row = dim > columns ? dim : columns;
    sf8_attend_rooms r;
#define SF8_ATTEND_ROOM(name, words) r.name = at, at = sf8_kv_plus(at, words)
    SF8_ATTEND_ROOM(q, sf8_attend_product(tile, a->heads, dim));
    SF8_ATTEND_ROOM(k, sf8_attend_product(kv_heads, chunk, dim));
    SF8_ATTEND_ROOM(v, sf8_attend_product(kv_heads, chunk, columns));
    SF8_ATTEND_ROOM(k_scales, sf8_kv_times(kv_heads, chunk));
    SF8_ATTEND_ROOM(v_scales, sf8_kv_times(kv_heads, chunk));
    SF8_ATTEND_ROOM(across, sf8_kv_times(chunk, row));
    SF8_ATTEND_ROOM(operands, sf8_kv_times(group, sf8_kv_plus(2 * chunk, 2 + 2 * columns)));
    SF8_ATTEND_ROOM(spans, sf8_attend_product(tile, a->heads, 2 + columns));
    SF8_ATTEND_ROOM(totals, sf8_attend_product(tile, a->heads, 2 + columns));
#undef SF8_ATTEND_ROOM
    r.all = at;
    return r;
}

/* SIZE_MAX if the size does not fit. */
size_t sf8_attend_room(const sf8_attend *a)
{
    uint64_t all;
    if (a->k.image.layout.heads == 0)
        return 0;
    all = sf8_attend_rooms_of(a).all;
    return all > PTRDIFF_MAX / 4 ? SIZE_MAX : (size_t)all;
}

/* ---- beginning ------------------------------------------------------------------------------- */

static const sf8_attend_ops *sf8_attend_ops_named(const char *level)
{
    const sf8_level *at = sf8_level_named(level);
    return !at ? NULL : at->attend ? at->attend : sf8_attend_core_ops();
}

static void sf8_attend_lay_out(sf8_attend_job *job, uint32_t *room)
{
    sf8_attend_rooms r = sf8_attend_rooms_of(job->a);
    job->q = room + r.q;
    job->k.words = room + r.k;
    job->v.words = room + r.v;
    job->k.scales = room + r.k_scales;
    job->v.scales = room + r.v_scales;
    job->across = room + r.across;
    job->scores = room + r.operands;
    job->weights = job->scores + job->group * SF8_ATTEND_CHUNK;
    job->sums = job->weights + job->group * SF8_ATTEND_CHUNK;
    job->rows = job->sums + job->group * job->columns;
    job->spans = room + r.spans;
    job->totals = room + r.totals;
}

SF8_PRIVATE sf8_status sf8_attend_begin(sf8_attend_job *job, const char *level, const sf8_attend *a,
                                        uint32_t *room, size_t room_words)
{
    sf8_format operand = sf8_attend_operand_format(a->sums);
    memset(job, 0, sizeof *job);
    job->ops = sf8_attend_ops_named(level);
    if (!job->ops)
        return SF8_UNKNOWN_NAME;
    if (sf8_attend_check(a) != SF8_ATTEND_GOOD || room_words < sf8_attend_room(a))
        return SF8_BAD_CALL;
    job->a = a;
    job->level = level;
    job->kv_heads = (size_t)a->k.image.layout.heads;
    job->group = a->heads / job->kv_heads;
    job->dim = (size_t)a->k.image.layout.dim;
    job->columns = (size_t)a->v.image.layout.dim;
    sf8_attend_side_of(&job->k, &a->k);
    sf8_attend_side_of(&job->v, &a->v);
    sf8_attend_lay_out(job, room);
    if (a->sums == SF8_ATTEND_EXACT)
        return SF8_OK;
    return sf8_mma_named(&job->mma, "hopper-hmma", operand, operand, SF8_F32);
}

/* ---- reading --------------------------------------------------------------------------------- */

SF8_PRIVATE uint16_t sf8_attend_operand(const sf8_attend_job *job, uint32_t word)
{
    sf8_format f = sf8_attend_operand_format(job->a->sums);
    return (uint16_t)sf8_core_convert(f, SF8_F32, word, SF8_OCP_NOSAT, 0).code;
}

/* Returns the scale of a row, as f32; where all heads of a token share one, that one. */
static uint32_t sf8_attend_row_scale(const sf8_attend_side *s, uint64_t block, uint64_t slot,
                                     uint64_t head)
{
    const sf8_kv_image *image = &s->cache->image;
    const sf8_kv_layout *l = &image->layout;
    const uint8_t *at = l->scales == SF8_KV_SCALES_APART ? image->scales : image->data;
    uint32_t code = 0;
    uint16_t half;
    sf8_block b;
    at += sf8_kv_scale_at(l, block, slot, l->group <= l->dim ? head : 0, 0);
    if (l->scale_bits == 8) {
        code = *at;
    } else if (l->scale_bits == 16) {
        memcpy(&half, at, 2);
        code = half;
    } else {
        memcpy(&code, at, 4);
    }
    sf8_block_read(&s->reader, &b, code, 0, SF8_F32_ONE);
    return b.variable[SF8_VAR_s];
}

/* Converts elements that were copied to the form that the sums need. Elements that become wider are
 * converted from the last one on. */
static void sf8_attend_recast(const sf8_attend_job *job, const sf8_attend_side *s, size_t n)
{
    sf8_format from = s->cache->words, to = sf8_attend_operand_format(job->a->sums);
    if (s->cache->recipe || sf8_same_format(from, to))
        return;
    if (sf8_format_bits(to) == 32) {
        for (size_t i = n; i-- > 0;)
            s->words[i] = sf8_word_load(from, s->words, i);
    } else {
        for (size_t i = 0; i < n; i++)
            sf8_word_store(to, s->words, i, sf8_word_load(from, s->words, i));
    }
}

static void sf8_attend_read_side(sf8_attend_job *job, sf8_attend_side *s, const int64_t *slot,
                                 size_t keys)
{
    sf8_kv_slots slots = {slot, keys, SF8_KV_OUTSIDE_REFUSE, SF8_KV_TWICE_REFUSE, NULL, 0};
    sf8_kv_gather g = sf8_attend_gather(s, sf8_attend_operand_format(job->a->sums));
    uint64_t of = s->cache->image.layout.slots;
    size_t words = job->kv_heads * SF8_ATTEND_CHUNK * s->dim;
    if (keys < SF8_ATTEND_CHUNK)
        memset(s->words, 0, words * sizeof *s->words);
    sf8_kv_gather_n(&g, 1, &slots, NULL);
    sf8_attend_recast(job, s, words);
    for (size_t kv = 0; s->by_row && kv < job->kv_heads; kv++)
        for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
            s->scales[kv * SF8_ATTEND_CHUNK + j] =
                j < keys
                    ? sf8_attend_row_scale(s, (uint64_t)slot[j] / of, (uint64_t)slot[j] % of, kv)
                    : 0;
}

SF8_PRIVATE void sf8_attend_read_keys(sf8_attend_job *job, sf8_attend_side *s, size_t first,
                                      size_t end)
{
    const sf8_attend *a = job->a;
    int64_t slot[SF8_ATTEND_CHUNK], of = (int64_t)a->k.image.layout.slots;
    size_t keys = end > first ? end - first : 0;
    if (keys > SF8_ATTEND_CHUNK)
        keys = SF8_ATTEND_CHUNK;
    for (size_t j = 0; j < keys; j++) {
        int64_t position = (int64_t)(first + j);
        slot[j] = a->blocks[position / of] * of + position % of;
    }
    sf8_attend_read_side(job, s, slot, keys);
}

SF8_PRIVATE void sf8_attend_read_chunk(sf8_attend_job *job, size_t chunk)
{
    sf8_attend_read_keys(job, &job->k, chunk * SF8_ATTEND_CHUNK, job->a->keys);
    sf8_attend_read_keys(job, &job->v, chunk * SF8_ATTEND_CHUNK, job->a->keys);
}

/* ---- a chunk --------------------------------------------------------------------------------- */

/* Stores values as the unit needs them, channel by channel; 0 for keys that take no part. */
static void sf8_attend_turn_values(const sf8_attend_job *job, size_t kv, uint64_t mask)
{
    size_t n = SF8_ATTEND_CHUNK, columns = job->columns;
    const uint16_t *from = (const uint16_t *)(const void *)job->v.words + kv * n * columns;
    uint16_t *to = (uint16_t *)(void *)job->across;
    for (size_t j = 0; j < n; j++)
        for (size_t c = 0; c < columns; c++)
            to[c * n + j] = mask >> j & 1 ? from[j * columns + c] : (uint16_t)0;
}

SF8_PRIVATE void sf8_attend_turn(sf8_attend_job *job, size_t kv)
{
    if (job->a->sums == SF8_ATTEND_EXACT && job->ops->turn)
        job->ops->turn(job->across, job->k.words + kv * SF8_ATTEND_CHUNK * job->dim, job->dim);
}

/* Turns products into weights, which include the scales of their values. */
static void sf8_attend_weigh(sf8_attend_job *job, size_t kv, size_t g, sf8_attend_factor f,
                             uint64_t mask)
{
    uint32_t *score = job->scores + g * SF8_ATTEND_CHUNK, *row = job->rows;
    sf8_attend_head h;
    row += g * (2 + job->columns);
    job->ops->scores(score, f, job->k.by_row ? job->k.scales + kv * SF8_ATTEND_CHUNK : NULL);
    h = job->ops->weights(score, score, mask);
    row[0] = h.most;
    row[1] = h.sum;
    if (job->v.by_row)
        job->ops->scale(score, job->v.scales + kv * SF8_ATTEND_CHUNK);
}

static void sf8_attend_exact(sf8_attend_job *job, size_t kv, size_t at, sf8_attend_factor f,
                             uint64_t mask)
{
    size_t n = SF8_ATTEND_CHUNK;
    const uint32_t *keys = job->ops->turn ? job->across : job->k.words + kv * n * job->dim;
    for (size_t g = 0; g < job->group; g++) {
        job->ops->dots(job->scores + g * n, job->q + (at + g) * job->dim, keys, job->dim);
        sf8_attend_weigh(job, kv, g, f, mask);
        job->ops->values(job->rows + g * (2 + job->columns) + 2, job->scores + g * n,
                         job->v.words + kv * n * job->columns, job->columns, mask);
    }
}

static void sf8_attend_by_unit(sf8_attend_job *job, size_t kv, size_t at, sf8_attend_factor f,
                               uint64_t mask)
{
    size_t n = SF8_ATTEND_CHUNK, columns = job->columns;
    uint16_t *weights = (uint16_t *)(void *)job->weights;
    sf8_mma_operands x = {(const uint16_t *)(const void *)job->q + at * job->dim,
                          (const uint16_t *)(const void *)job->k.words + kv * n * job->dim, NULL,
                          NULL};
    sf8_mma_matmul_at(job->level, &job->mma, NULL, job->scores, NULL, x, job->group, n, job->dim);
    for (size_t g = 0; g < job->group; g++) {
        sf8_attend_weigh(job, kv, g, f, mask);
        for (size_t j = 0; j < n; j++)
            weights[g * n + j] = mask >> j & 1 ? sf8_attend_operand(job, job->scores[g * n + j])
                                               : (uint16_t)0;
    }
    sf8_attend_turn_values(job, kv, mask);
    x.a = weights;
    x.b = job->across;
    sf8_mma_matmul_at(job->level, &job->mma, NULL, job->sums, NULL, x, job->group, columns, n);
    for (size_t i = 0; i < job->group * columns; i++) {
        uint32_t *sum = job->rows + i / columns * (2 + columns) + 2 + i % columns;
        *sum = sf8_f32_is_nan(job->sums[i]) ? SF8_F32_NAN : job->sums[i];
    }
}

SF8_PRIVATE void sf8_attend_group(sf8_attend_job *job, size_t kv, size_t at, uint64_t mask)
{
    const sf8_attend *a = job->a;
    sf8_attend_factor f = sf8_attend_factor_of(
        a->scale, sf8_attend_scale_of(a->q_scale, a->q_scales, kv),
        sf8_attend_scale_of(a->k.scale, a->k.scales, kv), a->cap);
    if (a->sums == SF8_ATTEND_EXACT)
        sf8_attend_exact(job, kv, at, f, mask);
    else
        sf8_attend_by_unit(job, kv, at, f, mask);
}

/* SPDX-License-Identifier: MIT */
/* small_request.c -- small requests of attention: made, and run by the library */
#include "base/random.h"
#include "families/attend/small_request.h"
#include "softfp8_blocks.h"
#include "softfp8_kv_store.h"

#include <stdlib.h>
#include <string.h>

static uint64_t state;

static uint32_t chance(void)
{
    return (uint32_t)(word_random_linear(&state) >> 32);
}

/* About normal, the variance 1. */
static float normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)chance() * 0x1p-32;
    return (float)sum;
}

static size_t bytes_of(const attend_small *t)
{
    return t->kind == SMALL_E4M3 ? 1 : t->kind == SMALL_BF16 ? 2 : 4;
}

static void write_number(attend_small *t, uint8_t *to, float x)
{
    uint32_t word;
    uint16_t half;
    memcpy(&word, &x, sizeof word);
    half = (uint16_t)sf8_convert(SF8_BF16, SF8_F32, word, SF8_OCP_NOSAT);
    if (t->kind == SMALL_E4M3)
        *to = sf8_f32_to_e4m3(x, SF8_OCP);
    else if (t->kind == SMALL_BF16)
        memcpy(to, &half, sizeof half);
    else
        memcpy(to, &word, sizeof word);
}

uint8_t *attend_small_at(attend_small *t, uint8_t *side, size_t position, size_t head, size_t d)
{
    const sf8_kv_layout *l = &t->a.k.image.layout;
    size_t slot = (size_t)t->blocks[position / l->slots] * l->slots + position % l->slots;
    return side + ((slot * l->heads + head) * l->dim + d) * bytes_of(t);
}

void attend_small_put(attend_small *t, uint8_t *side, size_t position, size_t head, size_t d,
                      float x)
{
    write_number(t, attend_small_at(t, side, position, head, d), x);
}

void attend_small_fill(attend_small *t, uint8_t *side, float x)
{
    size_t size = t->a.k.image.size;
    for (size_t i = 0; i < size; i += bytes_of(t))
        write_number(t, side + i, x);
}

void attend_small_query(attend_small *t, float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    for (size_t i = 0; i < SMALL_OUT; i++)
        t->q[i] = (uint16_t)(word >> 16);
}

static void cache_of(attend_small *t, sf8_attend_cache *c, uint8_t *data, uint32_t *scale,
                     attend_sizes z, size_t blocks)
{
    memset(c, 0, sizeof *c);
    c->image.layout = sf8_kv_nhd(blocks, z.slots, z.kv_heads, z.dim, (uint32_t)(8 * bytes_of(t)));
    c->image.data = data;
    c->image.size = (size_t)sf8_kv_size(&c->image.layout);
    c->recipe = t->kind == SMALL_E4M3 ? &t->recipe : NULL;
    c->words = t->kind == SMALL_BF16 ? SF8_BF16 : SF8_F32;
    c->scale = scale;
    c->scales = z.kv_heads;
}

void attend_small_begin(attend_small *t, attend_kind kind, attend_sizes z)
{
    size_t needed = (z.keys + z.slots - 1) / z.slots, blocks = needed + 2;
    memset(&t->a, 0, sizeof t->a);
    state = 0;
    t->kind = kind;
    sf8_recipe_named(&t->recipe, "kv-vllm");
    cache_of(t, &t->a.k, t->k, t->k_scale, z, blocks);
    cache_of(t, &t->a.v, t->v, t->v_scale, z, blocks);
    for (size_t i = 0; i < blocks; i++) { /* none of them block 0 */
        size_t j = chance() % (i + 1);
        t->blocks[i] = t->blocks[j];
        t->blocks[j] = (int64_t)i;
    }
    for (size_t i = 0; i < blocks; i++)
        if (t->blocks[i] == 0) {
            t->blocks[i] = t->blocks[blocks - 1];
            t->blocks[blocks - 1] = 0;
        }
    for (size_t i = 0; i < t->a.k.image.size; i += bytes_of(t)) {
        write_number(t, t->k + i, normal());
        write_number(t, t->v + i, normal());
    }
    for (size_t i = 0; i < SMALL_OUT; i++) {
        float x = normal();
        uint32_t word;
        memcpy(&word, &x, sizeof word);
        t->q[i] = (uint16_t)(word >> 16);
    }
    for (size_t i = 0; i < SMALL_HEADS; i++)
        t->k_scale[i] = t->v_scale[i] = 0x3f800000;
    t->a.blocks = t->blocks;
    t->a.block_count = needed;
    t->a.scale = z.dim == 64 ? 0x3e000000 : z.dim == 16 ? 0x3e800000 : 0x3db504f3;
    t->a.left = -1;
    t->a.first = (int64_t)(z.keys - z.queries);
    t->a.keys = z.keys;
    t->a.queries = z.queries;
    t->a.heads = z.heads;
    t->a.q_words = SF8_BF16;
    t->a.out_words = SF8_F32;
    t->a.q = (sf8_kv_words){t->q, z.queries, z.dim, z.heads * z.dim, z.dim};
    t->a.out = (sf8_kv_room){t->out, z.queries, z.dim, z.heads * z.dim, z.dim};
    t->a.lse = t->lse;
}

/* ---- runs ------------------------------------------------------------------------------------ */

enum { PARTS = 64 };

static sf8_status run_parts(attend_small *t, size_t n, uint32_t *room, size_t words)
{
    size_t chunks = sf8_attend_chunks(&t->a), piece = sf8_attend_piece_words(&t->a);
    sf8_attend_parted parts[PARTS];
    uint32_t *pieces[PARTS];
    sf8_status status = SF8_OK;
    for (size_t i = 0; i < n; i++) {
        size_t first = i * chunks / n, last = (i + 1) * chunks / n;
        pieces[i] = malloc((sf8_attend_pieces(&t->a, first, last) * piece + 1) * sizeof **pieces);
        if (pieces[i] && status == SF8_OK)
            status = sf8_attend_part(&t->a, first, last, pieces[i], room, words);
        parts[i] = (sf8_attend_parted){first, last, pieces[i]};
    }
    if (status == SF8_OK)
        status = sf8_attend_joined(&t->a, parts, n, room, words);
    for (size_t i = 0; i < n; i++)
        free(pieces[i]);
    return status;
}

int attend_small_level(attend_small *t, sf8_attend_sums sums, const char *level)
{
    uint32_t *room;
    size_t words;
    sf8_status status;
    t->a.sums = sums;
    words = sf8_attend_room(&t->a);
    room = malloc((words + 1) * sizeof *room);
    if (!room)
        abort();
    memset(t->out, 0xa5, sizeof t->out);
    status = level ? sf8_attend_at(level, &t->a, room, words) : sf8_attend_n(&t->a, room, words);
    free(room);
    return status == SF8_OK;
}

int attend_small_run(attend_small *t, sf8_attend_sums sums, size_t n)
{
    uint32_t *room;
    size_t words;
    sf8_status status;
    if (n == 0)
        return attend_small_level(t, sums, NULL);
    t->a.sums = sums;
    words = sf8_attend_room(&t->a);
    room = malloc((words + 1) * sizeof *room);
    if (!room || n > PARTS)
        abort();
    memset(t->out, 0xa5, sizeof t->out);
    status = run_parts(t, n, room, words);
    free(room);
    return status == SF8_OK;
}

int attend_small_order(attend_small *t, const sf8_attend_order *o, size_t cut)
{
    size_t words = sf8_attend_order_room(o, &t->a, cut);
    uint32_t *room = malloc((words + 1) * sizeof *room);
    sf8_status status;
    if (!room)
        abort();
    memset(t->out, 0xa5, sizeof t->out);
    status = sf8_attend_order_n(o, &t->a, cut, room, words);
    free(room);
    return status == SF8_OK;
}

static int is_nan(uint32_t word)
{
    return (word & 0x7fffffff) > 0x7f800000;
}

void attend_small_same(self_checks *c, const char *what, const uint32_t *got, const uint32_t *right,
                       size_t n)
{
    uint64_t differ = 0;
    for (size_t i = 0; i < n; i++)
        differ += got[i] != right[i] && !(is_nan(got[i]) && is_nan(right[i]));
    self_check(c, what, differ, 0);
}

/* SPDX-License-Identifier: MIT */
/* attend.c -- attention over a cache of e4m3 as rows of the benchmark: one query of 32 heads,
 * 4,096 keys of 128 elements for each head, by one process
 */
#include "bench.h"
#include "softfp8/kv/caches.h"
#include "softfp8_attend.h"

#include <stdlib.h>
#include <string.h>

enum { HEADS = 32, KEYS = 4096, DIM = 128, SLOTS = 16, WORDS = HEADS * DIM };

typedef struct bench_request {
    sf8_attend a;
    sf8_recipe recipe;
    uint8_t *image[2];
    uint32_t *room;
    int64_t blocks[KEYS / SLOTS];
    uint32_t q[WORDS], out[WORDS], lse[HEADS], k_scale, v_scale;
} bench_request;

static void make_cache(bench_request *r, sf8_attend_cache *c, int side, const uint32_t *scale)
{
    size_t bytes = (size_t)HEADS * KEYS * DIM;
    r->image[side] = allocate(bytes, 1);
    bench_fill(r->image[side], SF8_E4M3, DATA_GAUSS, bytes, 1 + (uint64_t)side);
    c->image.layout = sf8_kv_nhd(KEYS / SLOTS, SLOTS, HEADS, DIM, 8);
    c->image.data = r->image[side];
    c->image.size = bytes;
    c->recipe = &r->recipe;
    c->words = SF8_F32;
    c->scale = scale;
    c->scales = 1;
}

/* Every head has a head of the cache to itself. */
static void make_request(bench_request *r, const char *sums)
{
    sf8_status status = SF8_OK, more = SF8_OK;
    memset(r, 0, sizeof *r);
    r->a.sums = sf8_attend_sums_named(sums, &status);
    more = sf8_recipe_named(&r->recipe, "kv-vllm");
    if (status != SF8_OK || more != SF8_OK)
        abort();
    r->a.scale = 0x3db504f3; /* 1 / sqrt(128) */
    r->k_scale = r->v_scale = 0x3d4ccccd;
    make_cache(r, &r->a.k, 0, &r->k_scale);
    make_cache(r, &r->a.v, 1, &r->v_scale);
    for (size_t i = 0; i < KEYS / SLOTS; i++)
        r->blocks[i] = (int64_t)(KEYS / SLOTS - 1 - i);
    bench_fill((uint8_t *)(void *)r->q, SF8_F32, DATA_GAUSS, WORDS, 3);
    r->a.blocks = r->blocks;
    r->a.block_count = KEYS / SLOTS;
    r->a.left = r->a.right = -1;
    r->a.first = KEYS - 1;
    r->a.keys = KEYS;
    r->a.queries = 1;
    r->a.heads = HEADS;
    r->a.q_words = r->a.out_words = SF8_F32;
    r->a.q = (sf8_kv_words){r->q, 1, DIM, WORDS, DIM};
    r->a.out = (sf8_kv_room){r->out, 1, DIM, WORDS, DIM};
    r->a.lse = r->lse;
    r->room = allocate(sf8_attend_room(&r->a), sizeof r->room[0]);
}

/* Whether the definition, one operation of integers at a time, has the same words. */
static int holds(bench_request *r)
{
    static uint32_t out[WORDS], lse[HEADS];
    memcpy(out, r->out, sizeof out);
    memcpy(lse, r->lse, sizeof lse);
    return sf8_attend_at("core", &r->a, r->room, sf8_attend_room(&r->a)) == SF8_OK &&
           memcmp(out, r->out, sizeof out) == 0 && memcmp(lse, r->lse, sizeof lse) == 0;
}

double bench_attend(const bench_row *row, int *right)
{
    bench_request *r = allocate(1, sizeof *r);
    make_request(r, row->sums);
    double begin = bench_seconds();
    *right = sf8_attend_at(row->level, &r->a, r->room, sf8_attend_room(&r->a)) == SF8_OK;
    double seconds = bench_seconds() - begin;
    *right = *right && holds(r);
    free(r->image[0]);
    free(r->image[1]);
    free(r->room);
    free(r);
    return seconds;
}

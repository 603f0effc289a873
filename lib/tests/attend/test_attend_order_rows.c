/* SPDX-License-Identifier: MIT */
/* test_attend_order_rows.c -- orders of other stacks: many rows are computed faster than one, and
 * have the same bits
 *
 * Where several rows have the same keys, these are read and decoded once for all of them, and the
 * products go through loops of their own. A single query of two heads goes the plain way, which
 * test_attend_order.c compares with a reference.
 */
#include "attend/attend_order_run.h"

enum { QUERIES = 5, HEADS = 4, KV_HEADS = 2 };

/* Puts a code or a number into a cache, at one element of a token. */
static void put_element(side *s, size_t key, size_t head, size_t d, float x)
{
    size_t at = element_at(s, key, head, d);
    uint32_t word = sf8_f32_bits(x);
    uint16_t half = (uint16_t)sf8_convert(s->kind.words, SF8_F32, word, SF8_OCP_NOSAT);
    if (s->kind.bits == 8)
        s->data[at] = (uint8_t)sf8_convert(s->recipe.element, SF8_F32, word, SF8_OCP_NOSAT);
    else if (s->kind.bits == 16)
        memcpy(s->data + 2 * at, &half, 2);
    else
        memcpy(s->data + 4 * at, &word, 4);
}

/* What loops leave to the definition: NaN, infinities, numbers whose sums overflow, zeros. */
static void plant(size_t i, size_t keys)
{
    static const float odd[] = {NAN, INFINITY, -INFINITY, 3e38f, -3e38f, 1e-39f, 0};
    float x = odd[i % COUNT(odd)];
    size_t key = i * 13 % keys;
    if (i % 3 == 0)
        return;
    if (i % 3 == 1)
        put_element(&r.v, key, i % KV_HEADS, i * 7 % r.v.s.dim, x);
    else
        put_element(&r.k, key, i % KV_HEADS, i * 7 % r.k.s.dim, x);
    for (size_t d = 0; i % 5 == 4 && d < r.v.s.dim; d++)
        put_element(&r.v, (key + 1) % keys, 0, d, d % 2 ? -3e38f : 3e38f);
}

/* Each query by itself has the bits that it has among all. */
static void alone(const sf8_attend_order *o, size_t cut, const char *what, size_t i)
{
    const sf8_attend all = r.a;
    sf8_attend_order own = *o;
    own.decode_tile = 0; /* one query takes the tile of several */
    own.full_tile = 0;
    run_order(&own, cut);
    keep();
    for (size_t query = 0; query < QUERIES; query++) {
        size_t row = HEADS * r.v.s.dim;
        r.a = all;
        r.a.queries = r.a.q.tokens = r.a.out.tokens = 1;
        r.a.first += (int64_t)query;
        r.a.q.words = (const char *)all.q.words +
                      query * all.q.token_stride * (size_t)sf8_format_bits(all.q_words) / 8;
        run_order(&own, cut);
        for (size_t c = 0; c < row; c++)
            EXPECT(r.out[c] == kept_out[query * row + c],
                   "%s%s %zu, query %zu, head %zu, channel %zu: %08x, not %08x", o->name, what, i,
                   query, c / r.v.s.dim, c % r.v.s.dim, kept_out[query * row + c], r.out[c]);
        for (size_t head = 0; head < HEADS; head++)
            EXPECT(r.lse[head] == kept_lse[query * HEADS + head], "%s%s %zu: lse", o->name, what,
                   i);
    }
    r.a = all;
}

static size_t cut_of(const sf8_attend_order *o, size_t i, size_t keys)
{
    return o->split == SF8_SPLIT_PREFIX ? i * 37 % keys : 1 + i % 3;
}

Test(attend_order_rows, alone)
{
    static const size_t lengths[] = {5, 33, 64, 90, 150, 161, 330};
    static const int kinds_of[] = {E4M3_CACHE, BF16_CACHE, E5M2_CACHE, F16_CACHE, F32_CACHE};
    for (size_t n = 0; sf8_attend_order_at(n); n++)
        for (size_t i = n % every(3); i < 15; i += every(3)) {
            const sf8_attend_order *o = sf8_attend_order_at(n);
            sizes z = {lengths[(i + n) % 7], QUERIES, HEADS, KV_HEADS, 64, i % 2 ? 72 : 40, 16};
            request_begin(&r, z, cache_for(o, kinds_of[i % 5]), NHD, SF8_ATTEND_EXACT,
                          i % 4 == 3 ? SF8_F16 : SF8_BF16);
            plant(i, z.keys);
            if (o->values != SF8_VALUES_THREADS && i % 5 == 3)
                r.a.left = (int64_t)(z.keys / 2);
            alone(o, cut_of(o, i, z.keys), "", i);
        }
}

/* Tiles that begin between two chunks, and between two instructions. */
Test(attend_order_rows, tiles)
{
    static const struct {
        const char *order;
        size_t cut;
    } rows[] = {{"fa3-fp8 tile=96", 3},       {"fa3-fp8 tile=224", 2},
                {"fa3-bf16 tile=176", 4},     {"flashinfer tile=16", 2},
                {"cascade-bf16 tile=48", 7},  {"cascade-bf16", 16},
                {"split-f32 tile=40", 3},     {"torch-math", 1},
                {"vllm-triton-decode", 5},    {"flashmla tile=32", 3},
                {"fa3-fp8-vllm promote=2", 1}};
    for (size_t n = 0; n < COUNT(rows); n++)
        for (size_t i = 0; i < 4; i += one_in(3)) {
            sf8_attend_order o;
            sizes z = {460 + 7 * i, QUERIES, HEADS, KV_HEADS, 64, 64, 16};
            sf8_status status = sf8_attend_order_read(rows[n].order, &o, NULL);
            cr_assert(status == SF8_OK, "%s", rows[n].order);
            request_begin(&r, z, cache_for(&o, BF16_CACHE), NHD, SF8_ATTEND_EXACT, SF8_BF16);
            plant(i, z.keys);
            if (i % 3 == 0) /* of the tile of keys 7 to 54, which ends between two instructions */
                put_element(&r.v, 50, 0, 5, NAN);
            alone(&o, rows[n].cut, rows[n].order, i);
        }
}

/* Weights are 1, and the sum of two values is half way between the largest number of f16 and the
 * next power of two: it is infinite. */
Test(attend_order_rows, overflow)
{
    static const float values[] = {32752, 32768, 0, 0, 0, 0};
    const sf8_attend_order *o = sf8_attend_order_named("llama-cpp");
    sizes z = {COUNT(values), QUERIES, HEADS, KV_HEADS, 64, 64, 16};
    request_begin(&r, z, F16_CACHE, NHD, SF8_ATTEND_EXACT, SF8_F16);
    memset(r.q16, 0, sizeof r.q16);
    r.a.k.scale = r.a.v.scale = NULL;
    for (size_t key = 0; key < z.keys; key++)
        for (size_t head = 0; head < KV_HEADS; head++)
            for (size_t c = 0; c < 64; c++)
                put_element(&r.v, key, head, c, values[key]);
    alone(o, 1, "", 0);
    for (size_t c = 0; c < 64; c++)
        EXPECT(kept_out[c] == SF8_F32_INF, "channel %zu: %08x", c, kept_out[c]);
}

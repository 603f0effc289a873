/* SPDX-License-Identifier: MIT */
/* test_attend.c -- attention: requests against the reference, levels, splits, prefixes, poison */
#define _POSIX_C_SOURCE 200809L

#include "attend.h"

static request r;

/* Of requests of chance: one of so many, unless SOFTFP8_TIER is full. */
static size_t every(size_t n)
{
    const char *tier = getenv("SOFTFP8_TIER");
    return tier && strcmp(tier, "full") == 0 ? 1 : n * one_in(3);
}

static const size_t dims[] = {64, 80, 96, 128, 192, 256};

static sizes sizes_of(size_t i)
{
    static const size_t lengths[] = {1,   15,  16,  17,   63,   64,   65,
                                     255, 256, 257, 1023, 1024, 1025, 2100};
    static const size_t pages[] = {1, 8, 16, 32, 64, 128};
    sizes z;
    z.keys = lengths[i % COUNT(lengths)];
    z.queries = i % 3 == 0 ? 1 : 1 + i % 19;
    z.queries = z.queries < z.keys ? z.queries : z.keys;
    z.kv_heads = 1 + i % 2;
    z.heads = z.kv_heads * (1 + i % 4);
    z.dim = dims[i / 2 % COUNT(dims)];
    z.columns = i % 7 == 0 ? dims[i / 3 % COUNT(dims)] : z.dim;
    z.slots = pages[i % COUNT(pages)];
    return z;
}

/* Masks, caps and sinks of all kinds. */
static void vary(request *x, size_t i)
{
    x->a.right = i % 4 == 3 ? -1 : 0;
    x->a.left = i % 5 == 2 ? (int64_t)(i * 37 % 300) : -1;
    x->a.cap = i % 6 == 1 ? kv_bits(30) : 0;
    x->a.sinks = i % 3 == 1 ? x->sinks : NULL;
    x->a.lse_base2 = i % 2 == 1;
    if (i % 4 == 2) {
        x->a.q_scale = x->q_scale;
        x->a.q_scales = x->k.s.heads;
        x->a.k.scales = x->a.v.scales = 1;
    }
}

static int fits(sizes *z, int kind)
{
    size_t of = kind == MXFP4_CACHE ? 32 : 16;
    z->dim -= z->dim % of;
    z->columns -= z->columns % of;
    return z->queries * z->heads * z->dim <= WORDS_MOST && z->keys * z->kv_heads * z->dim < 1 << 19;
}

static void against_reference(size_t i, const char *what)
{
    static float row[1024];
    size_t columns = r.v.s.dim, heads = r.a.heads, step = r.a.queries > 2 ? r.a.queries - 1 : 1;
    for (size_t query = 0; query < r.a.queries; query += step)
        for (size_t head = 0; head < heads; head++) {
            float lse = ref_attend(&r, query, head, row);
            size_t at = query * heads + head;
            EXPECT(r.lse[at] == ref_word(lse), "%s %zu: row %zu: lse %08x, not %08x", what, i, at,
                   r.lse[at], ref_word(lse));
            for (size_t c = 0; c < columns; c++)
                EXPECT(r.out[at * columns + c] == ref_word(row[c]),
                       "%s %zu: row %zu: channel %zu: %08x, not %08x", what, i, at, c,
                       r.out[at * columns + c], ref_word(row[c]));
        }
}

/* Every cache, way to sum, order of the cache and of queries. */
Test(attend, reference)
{
    size_t n = 0;
    for (size_t i = 0; i < 14 * 30; i += every(11)) {
        int kind = (int)(i % CACHES), order = (int)(i / 3 % 3);
        sf8_attend_sums sums = (sf8_attend_sums)(i / CACHES % 3);
        sf8_format words = i % 11 == 3 ? SF8_F32 : i % 11 == 5 ? SF8_F16 : SF8_BF16;
        sizes z = sizes_of(i);
        if (!fits(&z, kind) || (z.keys > 300 && sums != SF8_ATTEND_EXACT && i % 4 != 0))
            continue;
        request_begin(&r, z, kind, order, sums, words);
        vary(&r, i);
        run_whole(&r, i % 2 ? NULL : "core");
        against_reference(i, r.k.kind.name);
        n++;
    }
    cr_assert(n * every(11) >= 280, "%zu", n);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static uint32_t kept_out[WORDS_MOST], kept_lse[ROWS_MOST];

static void keep(void)
{
    memcpy(kept_out, r.out, sizeof kept_out);
    memcpy(kept_lse, r.lse, sizeof kept_lse);
}

static int kept(void)
{
    return memcmp(kept_out, r.out, sizeof kept_out) == 0 &&
           memcmp(kept_lse, r.lse, sizeof kept_lse) == 0;
}

static uint32_t special(size_t i)
{
    static const uint32_t words[] = {0x7fc00000, 0x7f800000, 0xff800000, 0xffc12345, 0,
                                     0x80000000, 1,          0x80000001, 0x7f7fffff, 0xff7fffff,
                                     0x00800000, 0x3f800000, 0x42b00000, 0xc2fe0000};
    return words[i % COUNT(words)];
}

/* NaN, infinities, what overflows and what is subnormal, anywhere. */
static void strew(size_t i)
{
    size_t size = sf8_kv_size(&r.a.k.image.layout) / 4;
    for (size_t n = 0; n < i % 7; n++) {
        uint32_t k = special(kv_random()), v = special(kv_random());
        memcpy(r.k.data + 4 * (kv_random() % size), &k, 4);
        if (i % 2)
            memcpy(r.v.data + 4 * (kv_random() % size), &v, 4);
        if (i % 3 == 0)
            r.q32[kv_random() % (r.a.queries * r.a.heads * r.k.s.dim)] = special(kv_random());
    }
    if (i % 11 == 0)
        r.a.scale = special(i / 11);
    if (i % 13 == 0)
        r.v.scale[0] = special(i / 13);
}

Test(attend, levels)
{
    for (size_t i = 0; i < 400; i += every(11)) {
        sizes z = sizes_of(i);
        const char *level;
        if (!fits(&z, F32_CACHE) || z.keys > 300)
            continue;
        request_begin(&r, z, i % 5 ? F32_CACHE : FP8_ROW_CACHE, (int)(i / 3 % 3),
                      i % 10 == 1 ? SF8_ATTEND_MMA_BF16 : SF8_ATTEND_EXACT, SF8_F32);
        vary(&r, i);
        strew(i);
        run_whole(&r, "core");
        keep();
        if (i % 8 == 0 && r.a.sums == SF8_ATTEND_EXACT)
            against_reference(i, "special");
        for (size_t l = 0; (level = sf8_simd_at(l)); l++) {
            run_whole(&r, level);
            EXPECT(kept(), "%zu: %s differs", i, level);
        }
    }
}

/* ---- parts ----------------------------------------------------------------------------------- */

enum { PARTS_MOST = 64 };

/* In `n` parts, the last first; the bounds at chunk edges that depend on i. */
static void run_parts(size_t i, size_t n)
{
    sf8_attend_parted parts[PARTS_MOST];
    uint32_t *pieces[PARTS_MOST];
    size_t chunks = sf8_attend_chunks(&r.a), words = sf8_attend_piece_words(&r.a);
    room_for(&r.a);
    for (size_t p = n; p-- > 0;) {
        size_t first = p * chunks / n, last = (p + 1) * chunks / n;
        if (i % 2 && first > 0 && first + 1 < last)
            first++;
        if (i % 2 && p + 1 < n && last + 1 < (p + 2) * chunks / n)
            last++;
        pieces[p] = malloc((sf8_attend_pieces(&r.a, first, last) * words + 1) * sizeof **pieces);
        parts[p] = (sf8_attend_parted){first, last, pieces[p]};
        sf8_status status = sf8_attend_part(&r.a, first, last, pieces[p], attend_room,
                                            attend_room_words);
        cr_assert(status == SF8_OK);
    }
    memset(r.out, CANARY, sizeof r.out);
    memset(r.lse, CANARY, sizeof r.lse);
    sf8_status status = sf8_attend_joined(&r.a, parts, n, attend_room, attend_room_words);
    cr_assert(status == SF8_OK, "%zu parts", n);
    for (size_t p = 0; p < n; p++)
        free(pieces[p]);
}

Test(attend, splits)
{
    static const size_t splits[] = {1, 2, 3, 7, 16, 64};
    for (size_t i = 0; i < 60; i += every(11)) {
        sizes z = sizes_of(3 * i + 1);
        z.keys = 1 + kv_random() % 4000;
        z.queries = z.queries < z.keys ? z.queries : z.keys;
        if (!fits(&z, (int)(i % CACHES)))
            continue;
        request_begin(&r, z, (int)(i % CACHES), (int)(i / 3 % 3), (sf8_attend_sums)(i % 3),
                      SF8_BF16);
        vary(&r, i);
        run_whole(&r, NULL);
        keep();
        for (size_t n = 0; n < COUNT(splits); n++) {
            run_parts(i, splits[n]);
            EXPECT(kept(), "%zu: %zu parts differ", i, splits[n]);
        }
    }
}

/* What a piece has to be: one more chunk within it than there is is another result. */
Test(attend, pieces)
{
    static const size_t table[][3] = {{0, 0, 0},   {0, 1, 1},   {0, 16, 1},  {0, 17, 2},
                                      {0, 33, 3},  {1, 2, 1},   {1, 16, 15}, {1, 17, 16},
                                      {15, 32, 2}, {16, 32, 1}, {17, 33, 16}};
    sizes z = {33 * 64, 1, 1, 1, 64, 64, 16};
    request_begin(&r, z, BF16_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    cr_assert(sf8_attend_chunks(&r.a) == 33);
    for (size_t i = 0; i < COUNT(table); i++)
        cr_expect(sf8_attend_pieces(&r.a, table[i][0], table[i][1]) == table[i][2], "%zu to %zu",
                  table[i][0], table[i][1]);
    cr_expect(sf8_attend_pieces(&r.a, 3, 2) == 0 && sf8_attend_pieces(&r.a, 0, 34) == 0);
    cr_expect(sf8_attend_piece_words(&r.a) == 66);
}

/* The prefix of several requests, of whole chunks, once for the queries of all of them; each goes
 * on by itself. */
Test(attend, prefix)
{
    enum { REQUESTS = 5 };
    for (size_t i = 0; i < 24; i += one_in(6)) {
        static const size_t prefixes[] = {1, 2, 15, 16, 17, 20};
        size_t prefix = prefixes[i % COUNT(prefixes)], words, first_words;
        sizes z = {prefix * 64 + 200, REQUESTS, 4, 2, 64, 64, 16};
        uint32_t *shared, *own;
        request_begin(&r, z, (int)(i % CACHES), NHD, (sf8_attend_sums)(i % 3), SF8_BF16);
        sf8_attend all = r.a, one;
        all.keys = prefix * 64;
        all.right = -1;
        room_for(&r.a);
        words = sf8_attend_piece_words(&all);
        shared = malloc(sf8_attend_pieces(&all, 0, prefix) * words * sizeof *shared);
        cr_assert(sf8_attend_part(&all, 0, prefix, shared, attend_room, attend_room_words) ==
                  SF8_OK);
        for (size_t q = 0; q < REQUESTS; q++) { /* each with other keys behind the prefix */
            size_t pieces = sf8_attend_pieces(&all, 0, prefix), chunks;
            one = r.a;
            one.keys = prefix * 64 + 1 + q * 41;
            one.queries = one.q.tokens = one.out.tokens = 1;
            one.first = (int64_t)one.keys - 1;
            one.q.words = (const char *)r.a.q.words + 2 * q * r.a.q.token_stride;
            chunks = sf8_attend_chunks(&one);
            first_words = sf8_attend_piece_words(&one);
            own = malloc((pieces + sf8_attend_pieces(&one, prefix, chunks)) * first_words *
                         sizeof *own);
            for (size_t p = 0; p < pieces; p++)
                memcpy(own + p * first_words, shared + p * words + q * first_words,
                       first_words * sizeof *own);
            cr_assert(sf8_attend_n(&one, attend_room, attend_room_words) == SF8_OK);
            keep();
            cr_assert(sf8_attend_part(&one, prefix, chunks, own + pieces * first_words, attend_room,
                                      attend_room_words) == SF8_OK);
            sf8_attend_parted parts[2] = {{0, prefix, own},
                                          {prefix, chunks, own + pieces * first_words}};
            memset(r.out, CANARY, 4 * one.heads * 64);
            cr_assert(sf8_attend_joined(&one, parts, 2, attend_room, attend_room_words) == SF8_OK);
            EXPECT(kept(), "prefix of %zu chunks, request %zu", prefix, q);
            free(own);
        }
        free(shared);
    }
}

/* ---- a part of the whole --------------------------------------------------------------------- */

/* A prefill in pieces, and each query alone, give the rows of the whole. */
Test(attend, chunked)
{
    for (size_t i = 0; i < 20; i += every(3)) {
        sizes z = {900, 70, 4, 2, 64, 64, 32};
        size_t row = 4 * 64;
        request_begin(&r, z, (int)(i % CACHES), (int)(i % 3), (sf8_attend_sums)(i % 3), SF8_BF16);
        r.a.left = i % 2 ? 300 : -1;
        run_whole(&r, NULL);
        keep();
        for (size_t at = 0, n; at < 70; at += n) {
            sf8_attend some = r.a;
            n = at + 17 < 70 ? 17 : 70 - at;
            some.queries = some.q.tokens = some.out.tokens = n;
            some.first += (int64_t)at;
            some.keys = (size_t)some.first + n; /* what is there by then */
            some.q.words = (const char *)some.q.words + 2 * at * row;
            some.out.words = (char *)some.out.words + 4 * at * row;
            some.lse += at * 4;
            memset(some.out.words, CANARY, 4 * n * row);
            cr_assert(sf8_attend_n(&some, attend_room, attend_room_words) == SF8_OK);
        }
        EXPECT(kept(), "%zu", i);
    }
}

/* ---- poison ---------------------------------------------------------------------------------- */

/* All bytes of slots that no position uses, and scales of them. */
static void poison_unused(side *s, uint8_t byte)
{
    for (size_t block = 0; block < s->s.blocks; block++)
        for (size_t slot = 0; slot < s->s.slots; slot++) {
            int used = 0;
            for (size_t b = 0; b < r.a.block_count; b++)
                used |= r.blocks[b] == (int64_t)block && b * s->s.slots + slot < r.a.keys;
            if (used)
                continue;
            for (size_t h = 0; h < s->s.heads; h++) {
                size_t row = ref_row(s, block, slot, h);
                size_t scales = s->kind.group == 0   ? 0
                                : s->kind.group == 1 ? 4
                                                     : s->s.dim / s->kind.group;
                memset(s->scales + row * scales, byte, scales);
                for (size_t d = 0; d < s->s.dim; d++) {
                    shape bytes = s->s;
                    bytes.bits = s->kind.bits < 8 ? 8 : s->kind.bits;
                    uint64_t at = formula(s->order, &bytes, block, slot, h, d);
                    if (s->kind.bits < 8)
                        s->data[at / 2] = byte;
                    else
                        memset(s->data + at * s->kind.bits / 8, byte, s->kind.bits / 8);
                }
            }
        }
}

Test(attend, unused_slots)
{
    static const uint8_t bytes[] = {0x7f, 0xff, 0x7c, 0xfe};
    for (size_t i = 0; i < 60; i += one_in(10)) {
        sizes z = {1 + kv_random() % 300, 1 + i % 3, 4, 2, 64, 64, 32};
        z.queries = z.queries < z.keys ? z.queries : z.keys;
        request_begin(&r, z, (int)(i % CACHES), (int)(i / 10 % 3), (sf8_attend_sums)(i / 3 % 3),
                      SF8_BF16);
        run_whole(&r, NULL);
        keep();
        poison_unused(&r.k, bytes[i % 4]);
        poison_unused(&r.v, bytes[i / 4 % 4]);
        run_whole(&r, NULL);
        EXPECT(kept(), "%s, %zu keys", r.k.kind.name, z.keys);
    }
}

static size_t element_at(const side *s, size_t position, size_t head, size_t d)
{
    return (size_t)formula(s->order, &s->s, (uint64_t)r.blocks[position / s->s.slots],
                           position % s->s.slots, head, d);
}

/* One NaN in a key: rows from its position on are NaN, in all channels; in a value: in its channel
 * alone. Rows before are what they were. */
Test(attend, one_nan)
{
    for (size_t i = 0; i < 36; i += one_in(6)) {
        sizes z = {100, 100, 2, 1, 64, 64, 16};
        size_t position = i * 7 % 100, channel = i % 64;
        int in_key = i % 2;
        request_begin(&r, z, E4M3_CACHE, (int)(i / 2 % 3), (sf8_attend_sums)(i / 6 % 3), SF8_BF16);
        run_whole(&r, i % 4 < 2 ? NULL : "core");
        keep();
        side *s = in_key ? &r.k : &r.v;
        s->data[element_at(s, position, 0, channel)] = 0x7f;
        run_whole(&r, i % 4 < 2 ? NULL : "core");
        for (size_t row = 0; row < 200; row++)
            for (size_t c = 0; c < 64; c++) {
                int nan = row / 2 >= position && (in_key || c == channel);
                uint32_t right = nan ? 0x7fc00000 : kept_out[row * 64 + c];
                EXPECT(r.out[row * 64 + c] == right, "%zu: row %zu, channel %zu: %08x, not %08x", i,
                       row, c, r.out[row * 64 + c], right);
            }
        for (size_t row = 0; row < 200; row++)
            EXPECT(r.lse[row] == (in_key && row / 2 >= position ? 0x7fc00000 : kept_lse[row]),
                   "%zu: lse %zu", i, row);
    }
}

/* ---- what anyone can compute ----------------------------------------------------------------- */

/* Keys of 0: each weight is 1, the mean of integers is exact in every order. */
Test(attend, uniform)
{
    for (size_t i = 0; i < 30; i += one_in(5)) {
        sizes z = {(size_t)1 << i % 12, 1, 2, 1, 64, 64, 16};
        request_begin(&r, z, BF16_CACHE, NHD, (sf8_attend_sums)(i % 3), SF8_BF16);
        memset(r.k.data, 0, sizeof r.k.data);
        for (size_t p = 0; p < z.keys; p++)
            for (size_t c = 0; c < 64; c++) {
                uint16_t word = (uint16_t)(kv_bits((float)((p + c) % 2 * 8)) >> 16);
                memcpy(r.v.data + 2 * element_at(&r.v, p, 0, c), &word, 2);
            }
        r.a.v.scale = NULL;
        run_whole(&r, NULL);
        float lse = kv_float(r.lse[0]), right = logf((float)z.keys);
        cr_expect(fabsf(lse - right) <= 0x1p-22f * right, "%zu keys: lse %a", z.keys, (double)lse);
        for (size_t c = 0; c < 64; c++)
            EXPECT(r.out[c] == (z.keys == 1 ? kv_bits((float)(c % 2 * 8)) : 0x40800000),
                   "%zu keys: channel %zu: %08x", z.keys, c, r.out[c]);
    }
}

/* Keys of one element, so far apart that all weights but one are 0. */
Test(attend, one_hot)
{
    for (size_t i = 0; i < 12; i++) {
        sizes z = {500, 1, 1, 1, 64, 64, 16};
        size_t chosen = i * 41;
        uint16_t big = 0x4480, one = 0x3f80; /* 1024, 1 */
        request_begin(&r, z, BF16_CACHE, HND, (sf8_attend_sums)(i % 3), SF8_BF16);
        memset(r.k.data, 0, sizeof r.k.data);
        memset(r.q16, 0, sizeof r.q16);
        r.q16[5] = one;
        r.a.scale = kv_bits(1);
        r.a.k.scale = r.a.v.scale = NULL;
        memcpy(r.k.data + 2 * element_at(&r.k, chosen, 0, 5), &big, 2);
        run_whole(&r, NULL);
        for (size_t c = 0; c < 64; c++) {
            uint16_t value;
            memcpy(&value, r.v.data + 2 * element_at(&r.v, chosen, 0, c), 2);
            EXPECT(r.out[c] == (uint32_t)value << 16, "key %zu, channel %zu: %08x", chosen, c,
                   r.out[c]);
        }
        /* log2 e rounded, times 1024, times ln 2 rounded: 1024 - 2^-14 */
        cr_expect(r.lse[0] == kv_bits(mul(mul(1024, LOG2E), LN2)), "%08x", r.lse[0]);
    }
}

/* No key at all: 0 and -infinity; with a sink its lse. */
Test(attend, nothing)
{
    sizes z = {64, 1, 2, 1, 64, 64, 16};
    request_begin(&r, z, BF16_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    for (int i = 0; i < 2; i++) {
        r.a.keys = i ? 64 : 0;
        r.a.first = 200; /* the window has gone past all of them */
        r.a.left = 10;
        run_whole(&r, NULL);
        for (size_t c = 0; c < 128; c++)
            EXPECT(r.out[c] == 0, "channel %zu: %08x", c, r.out[c]);
        cr_expect(r.lse[0] == 0xff800000 && r.lse[1] == 0xff800000);
    }
    r.a.sinks = r.sinks;
    r.sinks[0] = 0;
    r.sinks[1] = 0xff800000;
    run_whole(&r, NULL);
    cr_expect(r.out[0] == 0 && r.lse[0] == 0 && r.lse[1] == 0xff800000, "%08x %08x", r.lse[0],
              r.lse[1]);
}

/* A maximum of -0 is +0 in a piece; a channel of -0 stays so if nothing is joined to it. */
static void signs_of_zero(void)
{
    sizes z = {200, 1, 1, 1, 64, 64, 16};
    static uint32_t piece[66];
    request_begin(&r, z, F32_CACHE, NHD, SF8_ATTEND_EXACT, SF8_F32);
    memset(r.k.data, 0, sizeof r.k.data);
    memset(r.q32, 0, sizeof r.q32);
    r.q32[0] = kv_bits(1);
    r.a.scale = kv_bits(-1);
    r.a.k.scale = r.a.v.scale = NULL;
    r.a.first = 3; /* the other chunks are nothing */
    for (size_t p = 0; p < 4; p++)
        for (size_t c = 0; c < 64; c++) {
            /* the weight of key 0 is 1, of others 0.14: their products round to -0 */
            uint32_t value = p ? 0x80000001 : 0, key = p ? kv_bits(2) : 0;
            memcpy(r.v.data + 4 * element_at(&r.v, p, 0, c), &value, 4);
            memcpy(r.k.data + 4 * element_at(&r.k, p, 0, 0), &key, 4);
        }
    for (size_t parts = 0; parts < 4; parts++) {
        if (parts == 0)
            run_whole(&r, NULL);
        else
            run_parts(0, parts);
        for (size_t c = 0; c < 64; c++)
            EXPECT(r.out[c] == 0x80000000, "%zu parts: channel %zu: %08x", parts, c, r.out[c]);
    }
    cr_expect(sf8_attend_part(&r.a, 0, 1, piece, attend_room, attend_room_words) == SF8_OK);
    cr_expect(piece[0] == 0, "%08x", piece[0]);
}

Test(attend, signs_of_zero)
{
    signs_of_zero();
}

/* By the definition: a test is a process of its own, and no level was chosen in it yet. */
Test(attend, signs_of_zero_portable)
{
    setenv("SOFTFP8_SIMD", "portable", 1);
    signs_of_zero();
}

/* Scales that are powers of two: as if the elements had them. */
Test(attend, powers_of_two)
{
    sizes z = {300, 2, 4, 2, 64, 64, 16};
    for (int sums = 0; sums < 3; sums++) {
        request_begin(&r, z, F32_CACHE, NHD, (sf8_attend_sums)sums, SF8_BF16);
        r.k.scale[0] = r.k.scale[1] = kv_bits(4);
        r.v.scale[0] = kv_bits(0.5f);
        r.v.scale[1] = kv_bits(2);
        run_whole(&r, NULL);
        keep();
        for (size_t p = 0; p < z.keys; p++)
            for (size_t h = 0; h < 2; h++)
                for (size_t d = 0; d < 64; d++) {
                    float word;
                    uint8_t *k = r.k.data + 4 * element_at(&r.k, p, h, d);
                    uint8_t *v = r.v.data + 4 * element_at(&r.v, p, h, d);
                    memcpy(&word, k, 4);
                    word *= 4;
                    memcpy(k, &word, 4);
                    memcpy(&word, v, 4);
                    word *= h ? 2 : 0.5f;
                    memcpy(v, &word, 4);
                }
        r.a.k.scale = r.a.v.scale = NULL;
        run_whole(&r, NULL);
        cr_expect(kept(), "%s", sf8_attend_sums_name((sf8_attend_sums)sums));
    }
}

/* ---- formats of the result ------------------------------------------------------------------- */

Test(attend, out_words)
{
    sizes z = {70, 3, 2, 1, 64, 64, 16};
    const sf8_format formats[] = {SF8_F16, SF8_BF16};
    for (size_t f = 0; f < COUNT(formats); f++) {
        request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
        run_whole(&r, NULL);
        keep();
        r.a.out_words = formats[f];
        r.a.out.head_stride = 67; /* with room between heads, at an odd place */
        r.a.out.token_stride = 150;
        r.a.out.words = (char *)r.out + 1;
        run_whole(&r, NULL);
        for (size_t row = 0; row < 6; row++)
            for (size_t c = 0; c < 67; c++) {
                uint16_t word, right = 0xa5a5;
                memcpy(&word, (char *)r.out + 1 + 2 * (row / 2 * 150 + row % 2 * 67 + c), 2);
                if (c < 64)
                    right = (uint16_t)sf8_convert(formats[f], SF8_F32, kept_out[row * 64 + c],
                                                  SF8_OCP_NOSAT);
                EXPECT(word == right, "row %zu, channel %zu: %04x, not %04x", row, c, word, right);
            }
    }
}

/* Queries of 8 bits, with a scale. */
Test(attend, queries_of_8_bits)
{
    sizes z = {130, 2, 4, 2, 128, 128, 16};
    static uint8_t codes[2 * 4 * 128];
    for (int sums = 0; sums < 3; sums++) {
        request_begin(&r, z, E4M3_CACHE, NHD, (sf8_attend_sums)sums, SF8_BF16);
        for (size_t i = 0; i < sizeof codes; i++)
            codes[i] = (uint8_t)(kv_random() % 0x7e | (kv_random() & 0x80));
        r.a.q_words = SF8_E4M3;
        r.a.q.words = codes;
        r.a.q_scale = r.q_scale;
        r.a.q_scales = 2;
        run_whole(&r, NULL);
        against_reference((size_t)sums, "e4m3 queries");
    }
}

/* ---- refused --------------------------------------------------------------------------------- */

static void refused(const char *what, uint32_t reason)
{
    uint32_t got = sf8_attend_check(&r.a);
    cr_expect(got == reason, "%s: %s", what, sf8_attend_reason(got));
    memset(r.out, CANARY, sizeof r.out);
    cr_expect(sf8_attend_n(&r.a, attend_room, attend_room_words) == SF8_BAD_CALL, "%s", what);
    for (size_t i = 0; i < 1000; i++)
        EXPECT(r.out[i] == 0xa5a5a5a5, "%s: word %zu", what, i);
}

#define REFUSED(change, reason)                                                                    \
    do {                                                                                           \
        r.a = good;                                                                                \
        change;                                                                                    \
        refused(#change, SF8_ATTEND_##reason);                                                     \
    } while (0)

Test(attend, wrong)
{
    sizes z = {100, 2, 4, 2, 64, 64, 16};
    request_begin(&r, z, E4M3_CACHE, NHD, SF8_ATTEND_EXACT, SF8_BF16);
    run_whole(&r, NULL);
    sf8_attend good = r.a;
    int64_t bad_blocks[7] = {0, 1, 2, 3, 4, 5, 99};
    REFUSED(r.a.sums = (sf8_attend_sums)3, BAD_SUMS);
    REFUSED(r.a.heads = 3, BAD_SHAPE);
    REFUSED(r.a.heads = 0, BAD_SHAPE);
    REFUSED(r.a.v.image.layout.heads = 1, UNLIKE);
    REFUSED(r.a.v.image.layout.slots = 8, UNLIKE);
    REFUSED(r.a.k.image.layout.dim = 60, BAD_DIM);
    REFUSED(r.a.q.dim = 32, BAD_WORDS);
    REFUSED(r.a.q.tokens = 1, BAD_WORDS);
    REFUSED(r.a.out_words = SF8_E4M3, BAD_WORDS);
    REFUSED(r.a.q.token_stride = SIZE_MAX / 2, BAD_WORDS);
    REFUSED((r.a.q_scale = r.q_scale, r.a.q_scales = 3), BAD_SCALE);
    REFUSED(r.a.k.scales = 0, BAD_SCALE);
    REFUSED(r.a.cap = 0xbf800000, BAD_SCALE);
    REFUSED(r.a.cap = 0x7fc00000, BAD_SCALE);
    REFUSED(r.a.first = -1, BAD_POSITION);
    REFUSED(r.a.left = INT64_MAX, BAD_POSITION);
    REFUSED(r.a.k.image.size -= 1, BAD_CACHE);
    REFUSED(r.a.v.image.layout.head_stride = 1, BAD_CACHE);
    REFUSED((r.a.k.recipe = NULL, r.a.k.words = SF8_F32), BAD_CACHE);
    REFUSED(r.a.block_count = 6, FEW_BLOCKS);
    REFUSED(r.a.blocks = bad_blocks, BAD_BLOCK);
    REFUSED((bad_blocks[6] = -1, r.a.blocks = bad_blocks), BAD_BLOCK);
    r.a = good;
    cr_expect(sf8_attend_n(&r.a, attend_room, attend_room_words - 1) == SF8_BAD_CALL);
    cr_expect(sf8_attend_at("none", &r.a, attend_room, attend_room_words) == SF8_UNKNOWN_NAME);
    sf8_attend_parted parts[2] = {{0, 1, NULL}, {1, 1, NULL}};
    cr_expect(sf8_attend_joined(&r.a, parts, 2, attend_room, attend_room_words) == SF8_BAD_CALL);
    cr_expect(sf8_attend_part(&r.a, 1, 3, NULL, attend_room, attend_room_words) == SF8_BAD_CALL);
}

Test(attend, names)
{
    static const char *const names[] = {"exact", "mma-f16", "mma-bf16"};
    sf8_status status;
    for (int i = 0; i < 3; i++) {
        cr_expect_str_eq(sf8_attend_sums_name((sf8_attend_sums)i), names[i]);
        cr_expect(sf8_attend_sums_named(names[i], &status) == (sf8_attend_sums)i);
        cr_expect(status == SF8_OK);
    }
    cr_expect(!sf8_attend_sums_name((sf8_attend_sums)3));
    sf8_attend_sums_named("mma", &status);
    cr_expect(status == SF8_UNKNOWN_NAME);
    cr_expect(!sf8_attend_reason(SF8_ATTEND_REASON_COUNT));
}

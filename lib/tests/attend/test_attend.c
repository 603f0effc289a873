/* SPDX-License-Identifier: MIT */
/* test_attend.c -- attention: requests against the reference, levels, splits, prefixes */
#include "attend/attend_run.h"

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
    x->a.cap = i % 6 == 1 ? sf8_f32_bits(30) : 0;
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
        uint32_t k = special(pseudo_random()), v = special(pseudo_random());
        memcpy(r.k.data + 4 * (pseudo_random() % size), &k, 4);
        if (i % 2)
            memcpy(r.v.data + 4 * (pseudo_random() % size), &v, 4);
        if (i % 3 == 0)
            r.q32[pseudo_random() % (r.a.queries * r.a.heads * r.k.s.dim)] = special(
                pseudo_random());
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

Test(attend, splits)
{
    static const size_t splits[] = {1, 2, 3, 7, 16, 64};
    for (size_t i = 0; i < 60; i += every(11)) {
        sizes z = sizes_of(3 * i + 1);
        z.keys = 1 + pseudo_random() % 4000;
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

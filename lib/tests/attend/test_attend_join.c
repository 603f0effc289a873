/* SPDX-License-Identifier: MIT */
/* test_attend_join.c -- sf8_attend_join_n joins parts of a row: known results
 *
 * The results for two parts are those of glibc's expf and logf by each kernel's formula, as in
 * test_f32_merge.c. test_attend_order.c compares whole requests in the orders of other stacks, and
 * thereby many parts, with a second implementation.
 */
#include "check.h"
#include "softfp8_attend.h"
#include "softfp8_f32.h"

#define N SF8_F32_NAN
#define EMPTY SF8_F32_NEG_INF
#define ONE SF8_F32_ONE
#define TWO UINT32_C(0x40000000)
#define THREE UINT32_C(0x40400000)
#define FIVE UINT32_C(0x40a00000)

enum { BASE_E = 1 << SF8_JOIN_VLLM | 1 << SF8_JOIN_FA3, STATES = 1 << SF8_JOIN_FLASHINFER };

/* Two parts whose outputs are 1 and 2. The number between, which would be the sum, is ignored. */
Test(attend_join, of_two)
{
    static const struct {
        unsigned joins;
        uint32_t lse_a, lse_b, out, lse;
    } rows[] = {
        {BASE_E, 0, 0, 0x3fc00000, 0x3f317218},
        {BASE_E, FIVE, 0, 0x3f80db50, 0x40a03703},
        {BASE_E, 0, FIVE, 0x3fff24b1, 0x40a03703},
        {BASE_E | STATES, 0x42b00000, 0, ONE, 0x42b00000},
        {BASE_E | STATES, EMPTY, THREE, TWO, THREE},
        {BASE_E | STATES, THREE, EMPTY, ONE, THREE},
        {BASE_E, 0x7149f2ca, 0xf149f2ca, ONE, 0x7149f2ca},
        {STATES, 0, 0, 0x3fc00000, ONE},
        {STATES, N, THREE, TWO, THREE},
        {1 << SF8_JOIN_VLLM, N, THREE, N, N},
        {1 << SF8_JOIN_VLLM, EMPTY, EMPTY, ONE, EMPTY},
        {1 << SF8_JOIN_FA3, N, THREE, 0, N},
        {1 << SF8_JOIN_FA3, EMPTY, EMPTY, 0, EMPTY},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t join = 0; join <= SF8_JOIN_FLASHINFER; join++) {
            const uint32_t parts[] = {rows[i].lse_a, 7, ONE, rows[i].lse_b, 7, TWO};
            uint32_t out = 7, lse = 7;
            if (!(rows[i].joins >> join & 1))
                continue;
            sf8_status status = sf8_attend_join_n(join, SF8_FUSE_SUM, &out, &lse, parts, 2, 1);
            EXPECT(status == SF8_OK && out == rows[i].out && lse == rows[i].lse,
                   "%u of %zu: %08x, lse %08x", join, i, out, lse);
        }
}

/* Which product is rounded, if one is; weights 3f7e4961 and 3bdb4fb4. */
Test(attend_join, fma)
{
    static const struct {
        uint32_t a, b, vllm, fa3, none;
    } rows[] = {
        {0x3f810000, 0x42c00000, 0x3fd260dd, 0x3fd260de, 0x3fd260de},
        {ONE, 0x42ff0000, 0x3fec5ee2, 0x3fec5ee3, 0x3fec5ee2},
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (int32_t way = 0; way < 4; way++) {
            const uint32_t parts[] = {FIVE, 0, rows[i].a, 0, 0, rows[i].b};
            uint32_t out = 7, lse = 7,
                     due = way & 2 ? rows[i].none
                           : way   ? rows[i].fa3
                                   : rows[i].vllm;
            sf8_attend_join_n(way & 1 ? SF8_JOIN_FA3 : SF8_JOIN_VLLM,
                              way & 2 ? SF8_FUSE_NONE : SF8_FUSE_SUM, &out, &lse, parts, 2, 1);
            EXPECT(out == due, "%zu %d: %08x", i, way, out);
        }
}

/* 64 parts of 1 with the sum 1 and the largest score 0: their mean, and 6 log 2; the sums 2 of
 * channels that are 2 before they are divided: 7 log 2. */
Test(attend_join, of_64)
{
    static const struct {
        uint32_t join, word, sum, out, lse;
    } rows[] = {{SF8_JOIN_FA3, ONE, 0, ONE, 0x40851592},
                {SF8_JOIN_FLASHINFER, ONE, 0, ONE, 0x40c00000},
                {SF8_JOIN_SEGMENTS, TWO, TWO, ONE, 0x409b43d5},
                {SF8_JOIN_PARTITIONS, ONE, ONE, ONE, 0x40851592},
                {SF8_JOIN_FA4, ONE, 0, ONE, 0x40851592},
                {SF8_JOIN_SGLANG, ONE, 0, ONE, 0x40851592}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t parts[64 * 3], out = 7, lse = 7;
        for (size_t k = 0; k < 64; k++) {
            parts[3 * k] = 0;
            parts[3 * k + 1] = rows[i].sum;
            parts[3 * k + 2] = rows[i].word;
        }
        sf8_attend_join_n(rows[i].join, SF8_FUSE_SUM, &out, &lse, parts, 64, 1);
        EXPECT(out == rows[i].out && lse == rows[i].lse, "%zu: %08x, lse %08x", i, out, lse);
    }
}

Test(attend_join, refused)
{
    static const uint32_t parts[65 * 3];
    static const struct {
        uint32_t join;
        int32_t fuse;
        size_t n;
    } rows[] = {{SF8_JOIN_VLLM, SF8_FUSE_SUM, 0},
                {SF8_JOIN_GLOBAL + 1, SF8_FUSE_SUM, 2},
                {SF8_JOIN_FA3, SF8_FUSE_LAST, 2},
                {SF8_JOIN_SEGMENTS, SF8_FUSE_SUM, 3},
                {SF8_JOIN_SEGMENTS, SF8_FUSE_SUM, 128}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint32_t out = 7, lse = 7;
        EXPECT(sf8_attend_join_n(rows[i].join, rows[i].fuse, &out, &lse, parts, rows[i].n, 1) ==
                       SF8_BAD_CALL &&
                   out == 7 && lse == 7,
               "row %zu is taken", i);
    }
}

/* SPDX-License-Identifier: MIT */
/* check_mma.c -- sweeps of the instructions of matrix units: what a sweep passes on, where it
 * begins, which digits it has, and launches for compute-sanitizer
 *
 * The suite's cases mma-* compare every instruction with the library.
 */
#include "device.h"
#include "expect.h"
#include "softfp8_mma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TILES = 2, ROWS = 64, COLUMNS = 256, ROW = 32 };

static unsigned char a[TILES * ROWS * ROW], b[TILES * COLUMNS * ROW];
static uint32_t c[TILES * ROWS * COLUMNS], d[TILES * ROWS * COLUMNS];

static sf8_mma unit_of(const gpu_mma *m)
{
    sf8_mma unit;
    sf8_status status = sf8_mma_named(&unit, m->unit, sf8_format_named(m->a, NULL),
                                      sf8_format_named(m->b, NULL), sf8_format_named(m->out, NULL));
    EXPECT(status == SF8_OK, "%s: no unit %s", m->name, m->unit);
    return unit;
}

static uint32_t dot(const gpu_mma *m, const sf8_mma *unit, size_t row, size_t column, uint32_t from)
{
    unsigned char x[ROW], y[ROW];
    size_t bytes = (size_t)(m->k * m->a_bytes);
    memcpy(x, a + row * bytes, bytes);
    memcpy(y, b + column * bytes, bytes);
    for (size_t k = 1; k <= (size_t)m->k; k++) {
        size_t last = k * (size_t)m->a_bytes - 1;
        uint32_t sign = (uint32_t)sf8_format_sign_bit(unit->a) >> 8 * (m->a_bytes - 1);
        if (m->a_bytes == 4) /* tf32: bit 18 */
            last -= 1, sign = 4;
        x[last] ^= (unsigned char)(m->negate_a ? sign : 0);
        y[last] ^= (unsigned char)(m->negate_b ? sign : 0);
    }
    return sf8_mma_dot(unit, x, y, NULL, NULL, (size_t)m->k, from);
}

typedef struct sweep_state {
    const gpu_mma *m;
    uint64_t tiles, hash, differ;
    int chain;
} sweep_state;

/* What a tile has, in a number; and whether the library has it. */
static void take(void *context, uint64_t tile, const gpu_mma_tiles *t)
{
    sweep_state *k = context;
    size_t rows = (size_t)k->m->rows, columns = (size_t)k->m->columns;
    size_t row = (size_t)(k->m->k * k->m->a_bytes);
    memcpy(a, t->a, rows * row);
    memcpy(b, t->b, columns * row);
    if (k->chain && k->tiles > 0) /* the next step adds to this result */
        k->differ += memcmp(d, t->c, rows * columns * sizeof d[0]) != 0;
    memcpy(d, t->d, rows * columns * sizeof d[0]);
    for (size_t i = 0; i < rows * columns; i++) {
        k->differ += t->d[i] != dot(k->m, t->unit, i / columns, i % columns, t->c[i]);
        k->hash = (k->hash ^ t->d[i] ^ (uint64_t)t->c[i] << 32 ^ tile) * UINT64_C(0x100000001b3);
    }
    k->tiles++;
}

static sweep_state swept(const gpu_mma *m, int kind, uint64_t first, uint64_t count,
                         uint64_t *differ)
{
    sf8_mma unit = unit_of(m);
    gpu_mma_answer answer;
    sweep_state k = {m, 0, 0, 0, kind == GPU_MMA_CHAIN};
    gpu_mma_sweep s = {m, &unit, kind, 7, first, 1, count, 1, take, &k};
    const char *why = gpu_mma_sweep_run(&s, &answer);
    EXPECT(!why, "%s: %s", m->name, why);
    EXPECT(answer.elements == k.tiles * (uint64_t)m->rows * (uint64_t)m->columns, "%s", m->name);
    *differ = answer.differ;
    return k;
}

/* All kinds are right here, are not the same, and begin anywhere with the same tiles. */
static void sweeps(const gpu_mma *m)
{
    uint64_t before = 0, differ;
    for (int kind = 0; kind < GPU_MMA_KINDS; kind++) {
        if ((kind == GPU_MMA_PAIRS || kind == GPU_MMA_TRIPLES) && m->a_bytes > 1)
            continue;
        uint64_t count = kind == GPU_MMA_CHAIN ? 1 : 3;
        sweep_state all = swept(m, kind, 0, count, &differ);
        EXPECT(differ == 0 && all.differ == 0, "%s, kind %d", m->name, kind);
        EXPECT(all.tiles == (kind == GPU_MMA_CHAIN ? GPU_MMA_STEPS : 3), "kind %d", kind);
        EXPECT(all.hash != before, "kind %d is as the one before", kind);
        before = all.hash;
        sweep_state last = swept(m, kind, 2, 1, &differ), again = swept(m, kind, 2, 1, &differ);
        EXPECT(last.hash == again.hash && last.hash != all.hash, "kind %d", kind);
    }
}

/* ---- triples --------------------------------------------------------------------------------- */

/* The codes of a row that are not 0 are those digits, in any order. */
static void has_digits(const unsigned char *row, const int digit[3])
{
    int left[256] = {0}, wrong = 0;
    for (int i = 0; i < 3; i++)
        left[digit[i]]++;
    for (int k = 0; k < 32; k++)
        wrong += row[k] != 0 && --left[row[k]] < 0;
    for (int i = 1; i < 256; i++)
        wrong += left[i] > 0;
    EXPECT(wrong == 0, "%02x %02x %02x", digit[0], digit[1], digit[2]);
}

/* m16n8k32, e4m3 by e4m3: 32 codes of B, 32768 columns, 4096 tiles across. */
static void triples(const gpu_mma *m)
{
    uint64_t differ;
    swept(m, GPU_MMA_TRIPLES, 5 * 4096 + 7, 1, &differ);
    for (int row = 0; row < 16; row++) {
        int digit[3] = {5 * 16 + row, 0, 0};
        has_digits(a + 32 * row, digit);
    }
    for (int column = 0; column < 8; column++) { /* 56 to 63: digits 24 to 31, and 1 */
        int digit[3] = {0x78 + column, 0x01, 0};
        has_digits(b + 32 * column, digit);
    }
    swept(m, GPU_MMA_TRIPLES, UINT64_C(1048575) * 4096 + 4095, 1, &differ);
    for (int row = 0; row < 16; row++) {
        int digit[3] = {0xf0 + row, 0xff, 0xff};
        has_digits(a + 32 * row, digit);
    }
    for (int column = 0; column < 8; column++) {
        int digit[3] = {0x78 + column, 0x7f, 0x7f};
        has_digits(b + 32 * column, digit);
    }
}

/* ---- sparse A -------------------------------------------------------------------------------- */

static uint32_t random_word(void)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 32);
}

/* Ordinary numbers, so that a product in a wrong place is seen in the sum: exponents near 0. */
static void fill_codes(unsigned char *codes, size_t count, sf8_format f, int bytes)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word = random_word();
        uint32_t exponent = (uint32_t)(f.bias - 2) + (word >> 20) % 4;
        uint32_t code = exponent << f.man_bits | (word & ((1u << f.man_bits) - 1)) |
                        (word >> 31) << (f.man_bits + f.exp_bits);
        for (int j = 0; j < bytes; j++)
            codes[i * (size_t)bytes + (size_t)j] = (unsigned char)(code >> 8 * j);
    }
}

/* Every element of tiles of random words, the pairs of places that are kept random too: c and the
 * products of the kept codes, by hand. */
static void sparse_tiles_of(const gpu_mma *m)
{
    static const unsigned char pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    static unsigned char kept[TILES * ROWS * 8], place[TILES * ROWS][ROW];
    sf8_mma unit = unit_of(m);
    size_t rows = (size_t)m->rows, columns = (size_t)m->columns, wrong = 0;
    fill_codes(a, TILES * rows * ROW, unit.a, 1);
    fill_codes(b, TILES * columns * 2 * ROW, unit.b, 1);
    fill_codes((unsigned char *)c, TILES * rows * columns, unit.out, 4);
    memset(kept, 0, sizeof kept);
    for (size_t i = 0; i < TILES * rows * 16; i++) {
        const unsigned char *pair = pairs[random_word() % 6];
        place[i / 16][i % 16 * 2] = (unsigned char)(i % 16 * 4 + pair[0]);
        place[i / 16][i % 16 * 2 + 1] = (unsigned char)(i % 16 * 4 + pair[1]);
        kept[i / 2] |= (unsigned char)((pair[0] + 4 * pair[1]) << (i % 2 ? 4 : 0));
    }
    for (int scale = 0; scale < 2; scale++) {
        gpu_mma_sparse_tiles t = {m, &unit, a, kept, b, c, d, TILES, scale};
        const char *why = gpu_mma_sparse_run(&t);
        EXPECT(!why, "%s: %s", m->name, why);
        for (size_t i = 0; i < TILES * rows * columns; i++) {
            size_t row = i / columns, column = i / (rows * columns) * columns + i % columns;
            unsigned char y[ROW];
            for (size_t k = 0; k < ROW; k++)
                y[k] = b[column * 2 * ROW + place[row][k]];
            wrong += d[i] !=
                     sf8_mma_dot(&unit, a + row * ROW, y, NULL, NULL, ROW, scale ? c[i] : 0);
        }
    }
    EXPECT(wrong == 0, "%s: %zu elements", m->name, wrong);
}

int main(void)
{
    size_t count;
    uint64_t differ;
    const gpu_mma *list = gpu_mmas(&count);
    open_device();
    need_target("sm_90a");
    for (size_t i = 0; i < count; i++) {
        (void)swept(&list[i], GPU_MMA_FINITE, 0, 1, &differ);
        EXPECT(differ == 0, "%s", list[i].name);
        if (strcmp(list[i].name, "mma.sync.m16n8k32/e4m3.e5m2/f32") == 0 ||
            strcmp(list[i].name, "mma.sync.m16n8k8/tf32.tf32/f32") == 0 ||
            strcmp(list[i].name, "wgmma.m64n8k32/e4m3.e4m3/f16/ss/neg-a") == 0)
            sweeps(&list[i]);
        if (strcmp(list[i].name, "mma.sync.m16n8k32/e4m3.e4m3/f32") == 0)
            triples(&list[i]);
    }
    list = gpu_mma_sparses(&count);
    for (size_t i = 0; i < count; i++)
        sparse_tiles_of(&list[i]);
    EXPECT(count == 32, "sparse instructions");
    printf("%d checks, %d failures\n", checks, failures);
    return failures != 0;
}

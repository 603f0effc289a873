/* SPDX-License-Identifier: MIT */
/* sparse.c -- wgmma with sparse A: tiles made by the suite, sums of the kept products (T15)
 *
 * The unit sums the 32 products of the kept codes, in their order along k, like those of a dense
 * row. Codes of B where nothing is kept must have no effect.
 */
#include "base/random.h"
#include "families/mma/mma.h"
#include "vectors/unit_probes.h"

#include <stdlib.h>
#include <string.h>

enum { KEPT = 32, WIDE = 64, GROUPS = 16, BYTES = 8 };

/* The two positions of a group in 4 bits, the first in the low two; all possible pairs. */
static const unsigned char patterns[6] = {0x4, 0x8, 0xc, 0x9, 0xd, 0xe};

typedef struct sparse_set {
    mma_run_state *r;
    size_t rows, columns;
    unsigned char *a, *kept, *b;
    uint32_t *c;
    uint32_t count;
} sparse_set;

/* ---- rows ------------------------------------------------------------------------------------ */

size_t mma_sparse_place(const unsigned char *kept, size_t i)
{
    unsigned four = kept[i / 4] >> i / 2 % 2 * 4 & 15;
    return i / 2 * 4 + (i % 2 ? four >> 2 : four & 3);
}

void mma_sparse_gather(const unsigned char *kept, const unsigned char *b, unsigned char *codes)
{
    for (size_t i = 0; i < KEPT; i++)
        codes[i] = b[mma_sparse_place(kept, i)];
}

/* ---- sets ------------------------------------------------------------------------------------ */

static uint32_t drawn(uint64_t *state)
{
    return (uint32_t)(word_random_linear(state) >> 33);
}

/* Any patterns, different for each row and group; B is `rest` everywhere. */
static int set_open(sparse_set *t, mma_run_state *r, size_t count, unsigned char rest)
{
    uint64_t state = 15;
    memset(t, 0, sizeof *t);
    t->r = r;
    t->rows = (size_t)r->mma->rows;
    t->columns = (size_t)r->mma->columns;
    t->count = (uint32_t)count;
    t->a = calloc(count * t->rows, KEPT);
    t->kept = calloc(count * t->rows, BYTES);
    t->b = calloc(count * t->columns, WIDE);
    t->c = calloc(count * t->rows * t->columns, sizeof t->c[0]);
    if (!t->a || !t->kept || !t->b || !t->c)
        return 0;
    memset(t->b, rest, count * t->columns * WIDE);
    for (size_t i = 0; i < count * t->rows * GROUPS; i++)
        t->kept[i / 2] |= (unsigned char)(patterns[drawn(&state) % 6] << i % 2 * 4);
    return 1;
}

static void set_close(sparse_set *t)
{
    free(t->a);
    free(t->kept);
    free(t->b);
    free(t->c);
}

/* A row's kept codes, and the codes of a column by which they are multiplied. */
static void put(sparse_set *t, size_t row, size_t column, const unsigned char *a,
                const unsigned char *b)
{
    const unsigned char *kept = t->kept + row * BYTES;
    memcpy(t->a + row * KEPT, a, KEPT);
    for (size_t i = 0; i < KEPT; i++)
        t->b[column * WIDE + mma_sparse_place(kept, i)] = b[i];
}

static void multiply(const sparse_set *t, uint32_t *d, int scale_d)
{
    size_t each = t->rows * t->columns;
    unsigned char b[KEPT];
    for (size_t i = 0; i < t->count * each; i++) {
        size_t row = i / t->columns, column = i / each * t->columns + i % t->columns;
        mma_sparse_gather(t->kept + row * BYTES, t->b + column * WIDE, b);
        d[i] = sf8_mma_dot(&t->r->unit, t->a + row * KEPT, b, NULL, NULL, KEPT,
                           scale_d ? t->c[i] : 0);
    }
}

/* Compares results with the expected ones. A row that differs is reported with the codes that were
 * kept. */
static void compare(sparse_set *t, const uint32_t *d, const uint32_t *right, int scale_d,
                    const char *what)
{
    size_t each = t->rows * t->columns;
    for (size_t i = 0; i < t->count * each; i++) {
        size_t row = i / t->columns, column = i / each * t->columns + i % t->columns;
        gpu_mma_miss miss;
        if (d[i] == right[i])
            continue;
        memset(&miss, 0, sizeof miss);
        memcpy(miss.a, t->a + row * KEPT, KEPT);
        mma_sparse_gather(t->kept + row * BYTES, t->b + column * WIDE, miss.b);
        miss.row = (int)(row % t->rows);
        miss.column = (int)(i % t->columns);
        miss.c = scale_d ? t->c[i] : 0;
        miss.got = d[i];
        miss.right = right[i];
        mma_missed(t->r, &miss, what);
    }
    sf8_sha256_add(t->r->hash, d, t->count * each * sizeof d[0]);
}

static void run(sparse_set *t, int good, int scale_d, const char *what)
{
    mma_run_state *r = t->r;
    size_t elements = t->rows * t->columns * t->count;
    uint32_t *d = good ? malloc(2 * elements * sizeof d[0]) : NULL;
    if (!d && !r->wrong)
        r->wrong = "no memory";
    if (!r->wrong) {
        uint32_t *right = d + elements;
        gpu_mma_sparse_tiles g = {r->mma, &r->unit, t->a,     t->kept, t->b,
                                  t->c,   d,        t->count, scale_d};
        multiply(t, right, scale_d);
        if (!r->device)
            memcpy(d, right, elements * sizeof d[0]);
        else
            r->wrong = gpu_mma_sparse_run(&g);
        if (!r->wrong)
            compare(t, d, right, scale_d, what);
        r->result->inputs += elements;
    }
    free(d);
    set_close(t);
}

/* ---- what is asked --------------------------------------------------------------------------- */

static unsigned char code_of(sf8_format f, uint32_t f32)
{
    return (unsigned char)sf8_convert(f, SF8_F32, f32, SF8_OCP_NOSAT);
}

/* 2^14 and -2^14 at kept positions i and j, where j = 32 means c; 2^-18 elsewhere. NaN is where
 * nothing is kept. */
static void run_pairs(mma_run_state *r)
{
    sparse_set t;
    size_t pairs = KEPT * (KEPT + 1) / 2, at = 0, each = (size_t)r->mma->columns;
    int good = set_open(&t, r, (pairs + each - 1) / each, 0x7f);
    for (size_t i = 0; i < KEPT && good; i++)
        for (size_t j = i + 1; j <= KEPT; j++, at++) {
            unsigned char a[KEPT], b[KEPT];
            size_t row = at / each * t.rows + (at % each * 9 + at / each) % t.rows;
            size_t column = at / each * t.columns + at % each;
            for (size_t k = 0; k < KEPT; k++) {
                uint32_t word = k == i ? 0x43000000 : k == j ? 0xc3000000 : 0x3b000000;
                a[k] = code_of(r->unit.a, word);
                b[k] = code_of(r->unit.b, word & 0x7fffffff);
            }
            put(&t, row, column, a, b);
            if (j == KEPT)
                t.c[row * t.columns + at % each] = (uint32_t)sf8_convert(r->unit.out, SF8_F32,
                                                                         0xc6800000, SF8_OCP_NOSAT);
        }
    run(&t, good, 1, "T15");
}

/* The probes of the unit, with all rows and columns equal. The largest code is where nothing is
 * kept. */
static void run_probe(mma_run_state *r, const mma_probe *p)
{
    sparse_set t;
    mma_probe_row probe;
    int good = set_open(&t, r, 1, (unsigned char)sf8_format_max(r->unit.b)) &&
               mma_probe_open(p, &probe);
    for (size_t row = 1; good && row < t.rows; row++) /* a column is for one pattern alone */
        memcpy(t.kept + row * BYTES, t.kept, BYTES);
    for (size_t i = 0; good && i < t.rows; i++)
        put(&t, i, i % t.columns, probe.a, probe.b);
    for (size_t i = 0; good && i < t.rows * t.columns; i++)
        t.c[i] = p->c;
    run(&t, good, 1, p->name);
}

/* Random numbers and patterns: a code of A at a wrong position, or of what is not kept, changes the
 * result. Finally any codes, with C left out and NaN in it. */
static void run_random(mma_run_state *r, int any, int scale_d)
{
    sparse_set t;
    uint64_t state = 20261122;
    int good = set_open(&t, r, 8, 0);
    for (size_t i = 0; good && i < t.count * t.rows * KEPT; i++)
        t.a[i] = (unsigned char)drawn(&state);
    for (size_t i = 0; good && i < t.count * t.columns * WIDE; i++)
        t.b[i] = (unsigned char)drawn(&state);
    for (size_t i = 0; good && !any && i < t.count * t.rows * KEPT; i++)
        t.a[i] = (unsigned char)((t.a[i] & 0x87) | (r->unit.a.man_bits == 3 ? 0x30 : 0x38));
    for (size_t i = 0; good && !any && i < t.count * t.columns * WIDE; i++)
        t.b[i] = (unsigned char)((t.b[i] & 0x87) | (r->unit.b.man_bits == 3 ? 0x30 : 0x38));
    for (size_t i = 0; good && i < t.count * t.rows * t.columns; i++)
        t.c[i] = !scale_d ? (uint32_t)sf8_format_mag_mask(r->unit.out)
                 : any    ? drawn(&state) & (uint32_t)sf8_format_code_mask(r->unit.out)
                          : (uint32_t)sf8_convert(r->unit.out, SF8_F32,
                                                  0x3f800000 | drawn(&state) >> 8, SF8_OCP_NOSAT);
    run(&t, good, scale_d, !scale_d ? "without c" : any ? "any codes" : "random numbers");
}

void mma_sparse(mma_run_state *r)
{
    const mma_probe *p;
    for (size_t i = 0; (p = mma_probe_at(i)) != NULL; i++)
        if (strcmp(p->unit, r->mma->unit) == 0 && strcmp(p->a, r->mma->a) == 0 &&
            strcmp(p->b, r->mma->b) == 0 && strcmp(p->out, r->mma->out) == 0 && p->k == KEPT)
            run_probe(r, p);
    run_pairs(r);
    run_random(r, 0, 1);
    run_random(r, 1, 1);
    run_random(r, 1, 0);
}

/* What the device computes for a row of kept codes, at the place where it was wrong. */
uint32_t mma_sparse_on_device(mma_run_state *r, const mma_result *row)
{
    sparse_set t;
    uint32_t got = 0, *d = NULL;
    size_t at_row = (size_t)r->miss[0].row, at_column = (size_t)r->miss[0].column;
    int good = set_open(&t, r, 1, 0);
    if (good)
        d = malloc(t.rows * t.columns * sizeof d[0]);
    if (!d && !r->wrong)
        r->wrong = "no memory";
    if (!r->wrong) {
        gpu_mma_sparse_tiles g = {r->mma, &r->unit, t.a, t.kept, t.b, t.c, d, 1, 1};
        put(&t, at_row, at_column, row->x.a, row->x.b);
        t.c[at_row * t.columns + at_column] = row->c;
        r->wrong = gpu_mma_sparse_run(&g);
        got = r->wrong ? 0 : d[at_row * t.columns + at_column];
    }
    free(d);
    set_close(&t);
    return got;
}

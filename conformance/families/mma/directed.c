/* SPDX-License-Identifier: MIT */
/* directed.c -- tiles made by the suite: probes, pairs that cancel, special codes, single products
 *
 * Rows are arranged so that every element of a tile is a test. Where rows and columns belong
 * together, these are the elements of the diagonal, and the others combine any two of them.
 */
#include "families/mma/mma.h"
#include "vectors/unit_probes.h"

#include <stdlib.h>
#include <string.h>

/* Tiles under construction. */
typedef struct tile_set {
    const gpu_mma *mma;
    sf8_format fa, fb;
    size_t rows, columns, k;
    unsigned char *a, *b;
    uint32_t *c;
    uint32_t count;
} tile_set;

static int set_open(tile_set *t, const mma_run_state *r, size_t count)
{
    const gpu_mma *m = r->mma;
    size_t row = (size_t)(m->k * m->a_bytes);
    memset(t, 0, sizeof *t);
    t->mma = m;
    t->fa = r->unit.a;
    t->fb = r->unit.b;
    t->rows = (size_t)m->rows;
    t->columns = (size_t)m->columns;
    t->k = (size_t)m->k;
    t->count = (uint32_t)count;
    t->a = calloc(count * t->rows, row);
    t->b = calloc(count * t->columns, row);
    t->c = calloc(count * t->rows * t->columns, sizeof t->c[0]);
    return t->a && t->b && t->c;
}

static void set_close(tile_set *t)
{
    free(t->a);
    free(t->b);
    free(t->c);
}

static void put_a(tile_set *t, size_t row, size_t k, uint32_t code)
{
    mma_code_put(t->fa, t->a, row * t->k + k, code);
}

static void put_b(tile_set *t, size_t column, size_t k, uint32_t code)
{
    mma_code_put(t->fb, t->b, column * t->k + k, code);
}

/* Runs the set, unless memory was exhausted, and frees it. */
static void set_run(tile_set *t, mma_run_state *r, int good, int scale_d, const char *what)
{
    if (!good && !r->wrong)
        r->wrong = "no memory";
    if (good)
        mma_try(r, t->a, t->b, t->c, t->count, scale_d, what);
    set_close(t);
}

/* ---- probes ---------------------------------------------------------------------------------- */

static int is_for(const mma_probe *p, const gpu_mma *m)
{
    return strcmp(p->unit, m->unit) == 0 && strcmp(p->a, m->a) == 0 && strcmp(p->b, m->b) == 0 &&
           strcmp(p->out, m->out) == 0 && p->k == (size_t)m->k;
}

/* All elements of a tile are the probe; then only its corner, with this row and this column. */
static void run_probe(mma_run_state *r, const mma_probe *p)
{
    tile_set t;
    mma_probe_row row;
    int good = set_open(&t, r, 2) && mma_probe_open(p, &row);
    size_t bytes = good ? t.k * (size_t)r->mma->a_bytes : 0;
    for (size_t i = 0; good && i <= t.rows; i++)
        memcpy(t.a + (i < t.rows ? i : 2 * t.rows - 1) * bytes, row.a, bytes);
    for (size_t i = 0; good && i <= t.columns; i++)
        memcpy(t.b + (i < t.columns ? i : 2 * t.columns - 1) * bytes, row.b, bytes);
    for (size_t i = 0; good && i < t.rows * t.columns; i++)
        t.c[i] = p->c;
    if (good)
        t.c[2 * t.rows * t.columns - 1] = p->c;
    set_run(&t, r, good, 1, p->name);
}

/* ---- pairs that cancel ----------------------------------------------------------------------- */

static uint32_t code_of(sf8_format f, uint32_t f32)
{
    return (uint32_t)sf8_convert(f, SF8_F32, f32, SF8_OCP_NOSAT);
}

/* 2^14 and -2^14 in places i and j, where j is k in c; 2^-18 elsewhere. */
static void put_pair(tile_set *t, sf8_format out, size_t tile, size_t at, size_t i, size_t j)
{
    size_t row = tile * t->rows + at, column = tile * t->columns + at;
    for (size_t k = 0; k < t->k; k++) {
        uint32_t a = k == i ? 0x43000000 : k == j ? 0xc3000000 : 0x3b000000;
        put_a(t, row, k, code_of(t->fa, a));
        put_b(t, column, k, code_of(t->fb, a & 0x7fffffff));
    }
    if (j == t->k)
        t->c[row * t->columns + at] = code_of(out, 0xc6800000);
}

static void run_pairs(mma_run_state *r)
{
    tile_set t;
    size_t k = (size_t)r->mma->k, pairs = k * (k + 1) / 2, at = 0;
    size_t each = (size_t)(r->mma->rows < r->mma->columns ? r->mma->rows : r->mma->columns);
    int good = set_open(&t, r, (pairs + each - 1) / each);
    for (size_t i = 0; i < k && good; i++)
        for (size_t j = i + 1; j <= k; j++, at++)
            put_pair(&t, r->unit.out, at / each, at % each, i, j);
    set_run(&t, r, good, 1, "T2");
}

/* ---- special codes --------------------------------------------------------------------------- */

enum { SPECIALS = 12 };

/* Zeros, ones, the largest, the smallest, infinities and NaN. If a format does not have one,
 * another code replaces it. */
static uint32_t special(sf8_format f, size_t i)
{
    uint32_t sign = i & 1 ? (uint32_t)sf8_format_sign_bit(f) : 0;
    switch (i / 2 % 6) {
    case 0:
        return sign;
    case 1:
        return code_of(f, 0x3f800000) | sign;
    case 2:
        return (uint32_t)sf8_format_max(f) | sign;
    case 3:
        return 1 | sign;
    case 4:
        return (uint32_t)(f.has_inf ? sf8_format_inf(f) : sf8_format_max(f) - 1) | sign;
    default:
        return (uint32_t)sf8_format_mag_mask(f) | sign;
    }
}

/* Two special codes in each row and column, at two positions that the tile determines; any special
 * c, or NaN. */
static void fill_specials(tile_set *t, sf8_format out, int all_nan)
{
    size_t across = (SPECIALS * SPECIALS + t->columns - 1) / t->columns;
    for (size_t tile = 0; tile < t->count; tile++) {
        size_t p = tile % t->k, q = (tile * 5 + 1 + p) % t->k;
        for (size_t i = 0; i < t->rows; i++) {
            size_t n = tile / across * t->rows + i;
            put_a(t, tile * t->rows + i, p, special(t->fa, n % SPECIALS));
            if (q != p)
                put_a(t, tile * t->rows + i, q, special(t->fa, n / SPECIALS % SPECIALS));
        }
        for (size_t j = 0; j < t->columns; j++) {
            size_t n = tile % across * t->columns + j;
            put_b(t, tile * t->columns + j, p, special(t->fb, n % SPECIALS));
            if (q != p)
                put_b(t, tile * t->columns + j, q, special(t->fb, n / SPECIALS % SPECIALS));
        }
        for (size_t i = 0; i < t->rows * t->columns; i++)
            t->c[tile * t->rows * t->columns + i] = special(
                out, all_nan ? 10 + i % 2 : (i * 7 + i / t->columns + tile) % SPECIALS);
    }
}

static void run_specials(mma_run_state *r, int scale_d)
{
    tile_set t;
    size_t rows = (size_t)r->mma->rows, columns = (size_t)r->mma->columns;
    size_t count = (SPECIALS * SPECIALS + rows - 1) / rows *
                   ((SPECIALS * SPECIALS + columns - 1) / columns);
    int good = set_open(&t, r, count);
    if (good)
        fill_specials(&t, r->unit.out, !scale_d);
    set_run(&t, r, good, scale_d, scale_d ? "special codes" : "without c");
}

void mma_directed(mma_run_state *r)
{
    const mma_probe *p;
    for (size_t i = 0; (p = mma_probe_at(i)) != NULL; i++) {
        if (is_for(p, r->mma))
            run_probe(r, p);
    }
    run_pairs(r);
    run_specials(r, 1);
    if (r->mma->scales)
        run_specials(r, 0);
}

/* ---- single products ------------------------------------------------------------------------- */

/* Every code of a with every code of b, at a position that the tile determines; c is a zero of
 * either sign. */
void mma_single(mma_run_state *r)
{
    tile_set t;
    size_t rows = (size_t)r->mma->rows, columns = (size_t)r->mma->columns;
    size_t across = 256 / columns, count = 256 / rows * across;
    int good = set_open(&t, r, count);
    for (size_t tile = 0; tile < count && good; tile++) {
        size_t place = tile * 7 % t.k;
        for (size_t i = 0; i < rows; i++)
            put_a(&t, tile * rows + i, place, (uint32_t)(tile / across * rows + i));
        for (size_t j = 0; j < columns; j++)
            put_b(&t, tile * columns + j, place, (uint32_t)(tile % across * columns + j));
        for (size_t i = 0; i < rows * columns; i++)
            t.c[tile * rows * columns + i] = i % 3 ? 0 : (uint32_t)sf8_format_sign_bit(r->unit.out);
    }
    set_run(&t, r, good, 1, "one product");
}

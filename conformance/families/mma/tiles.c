/* SPDX-License-Identifier: MIT */
/* tiles.c -- tiles of an instruction, run and compared with the library element by element */
#include "families/mma/mma.h"

#include <stdlib.h>
#include <string.h>

enum { ROW = MMA_ROW };

/* ---- what differs ---------------------------------------------------------------------------- */

void mma_row_text(char text[MMA_ROW_TEXT], const unsigned char *codes, const gpu_mma *m)
{
    size_t used = 0, bytes = (size_t)m->a_bytes;
    for (size_t k = 0; k < (size_t)m->k; k++) {
        if (m->a_bytes == 4) { /* tf32 has 19 bits */
            uint32_t code;
            memcpy(&code, codes + 4 * k, 4);
            used += (size_t)snprintf(text + used, 2 * ROW + 1 - used, "%05x", (unsigned)code);
            continue;
        }
        for (size_t i = bytes; i-- > 0;)
            used += (size_t)snprintf(text + used, 2 * ROW + 1 - used, "%02x",
                                     (unsigned)codes[k * bytes + i]);
    }
}

void mma_differs(mma_run_state *r, const gpu_mma_miss *miss, const char *what)
{
    char a[MMA_ROW_TEXT], b[MMA_ROW_TEXT];
    int digits = strcmp(r->mma->out, "f16") == 0 ? 4 : 8;
    mma_row_text(a, miss->a, r->mma);
    mma_row_text(b, miss->b, r->mma);
    if (r->result->status == CONFORM_PASSED)
        snprintf(r->result->why, sizeof r->result->why, "%.60s: %s %s %0*x gives %0*x, not %0*x",
                 what, a, b, digits, (unsigned)miss->c, digits, (unsigned)miss->got, digits,
                 (unsigned)miss->right);
    r->result->status = CONFORM_FAILED;
}

void mma_missed(mma_run_state *r, const gpu_mma_miss *miss, const char *what)
{
    r->result->differ++;
    if (r->misses < GPU_MMA_MISSES)
        r->miss[r->misses++] = *miss;
    mma_differs(r, miss, what);
}

/* ---- tiles ----------------------------------------------------------------------------------- */

static void negate(unsigned char *row, sf8_format f, const gpu_mma *m)
{
    uint32_t sign = (uint32_t)sf8_format_sign_bit(f);
    for (size_t k = 0; k < (size_t)m->k; k++)
        for (size_t i = 0; i < (size_t)m->a_bytes; i++)
            row[k * (size_t)m->a_bytes + i] ^= (unsigned char)(sign >> 8 * i);
}

void mma_sign_codes(const mma_run_state *r, unsigned char *a, unsigned char *b)
{
    if (r->mma->negate_a)
        negate(a, r->unit.a, r->mma);
    if (r->mma->negate_b)
        negate(b, r->unit.b, r->mma);
}

/* The expected result of an element, by the library. */
static uint32_t right_word(const mma_run_state *r, const unsigned char *a, const unsigned char *b,
                           uint32_t c)
{
    unsigned char row_a[ROW], row_b[ROW];
    size_t bytes = (size_t)(r->mma->k * r->mma->a_bytes);
    memcpy(row_a, a, bytes);
    memcpy(row_b, b, bytes);
    mma_sign_codes(r, row_a, row_b);
    return sf8_mma_dot(&r->unit, row_a, row_b, NULL, NULL, (size_t)r->mma->k, c);
}

/* The operands of element i of the tiles. */
static const unsigned char *row_at(const mma_run_state *r, const gpu_mma_tiles *t, size_t i)
{
    size_t rows = (size_t)r->mma->rows, columns = (size_t)r->mma->columns;
    size_t tile = i / (rows * columns), row = i / columns % rows;
    return (const unsigned char *)t->a +
           (tile * rows + row) * (size_t)(r->mma->k * r->mma->a_bytes);
}

static const unsigned char *column_at(const mma_run_state *r, const gpu_mma_tiles *t, size_t i)
{
    size_t columns = (size_t)r->mma->columns, tile = i / ((size_t)r->mma->rows * columns);
    return (const unsigned char *)t->b +
           (tile * columns + i % columns) * (size_t)(r->mma->k * r->mma->a_bytes);
}

static uint32_t addend_at(const gpu_mma_tiles *t, size_t i)
{
    return t->scale_d ? t->c[i] : 0;
}

static int same_operands(const mma_run_state *r, const gpu_mma_tiles *t, size_t i, size_t j)
{
    size_t bytes = (size_t)(r->mma->k * r->mma->a_bytes);
    return addend_at(t, i) == addend_at(t, j) &&
           memcmp(row_at(r, t, i), row_at(r, t, j), bytes) == 0 &&
           memcmp(column_at(r, t, i), column_at(r, t, j), bytes) == 0;
}

/* The tiles of the suite often repeat an element. */
static void multiply_here(const mma_run_state *r, const gpu_mma_tiles *t)
{
    size_t each = (size_t)r->mma->rows * (size_t)r->mma->columns;
    for (size_t i = 0; i < t->count * each; i++)
        t->d[i] = i > 0 && same_operands(r, t, i, i - 1)
                      ? t->d[i - 1]
                      : right_word(r, row_at(r, t, i), column_at(r, t, i), addend_at(t, i));
}

static void add_words(mma_run_state *r, const gpu_mma_tiles *t)
{
    size_t each = (size_t)r->mma->rows * (size_t)r->mma->columns;
    sf8_sha256_add(r->hash, t->d, t->count * each * sizeof t->d[0]);
}

void mma_compare(mma_run_state *r, const gpu_mma_tiles *t, const char *what)
{
    size_t bytes = (size_t)(r->mma->k * r->mma->a_bytes);
    size_t rows = (size_t)r->mma->rows, columns = (size_t)r->mma->columns;
    for (size_t i = 0; i < t->count * rows * columns; i++) {
        gpu_mma_miss miss;
        const unsigned char *a = row_at(r, t, i), *b = column_at(r, t, i);
        uint32_t right = right_word(r, a, b, addend_at(t, i));
        if (t->d[i] == right)
            continue;
        memcpy(miss.a, a, bytes);
        memcpy(miss.b, b, bytes);
        miss.c = t->c[i];
        miss.got = t->d[i];
        miss.right = right;
        miss.row = (int)(i / columns % rows);
        miss.column = (int)(i % columns);
        if (t->scale_d) {
            mma_missed(r, &miss, what);
        } else { /* it is not reported as a row that can be tested again */
            r->result->differ++;
            mma_differs(r, &miss, what);
        }
    }
    add_words(r, t);
}

void mma_try(mma_run_state *r, const void *a, const void *b, const uint32_t *c, uint32_t count,
             int scale_d, const char *what)
{
    size_t elements = (size_t)r->mma->rows * (size_t)r->mma->columns * count;
    uint32_t *d = malloc(elements * sizeof d[0]);
    gpu_mma_tiles t = {r->mma, &r->unit, a, b, c, d, count, scale_d};
    if (!r->wrong && !d)
        r->wrong = "no memory";
    if (!r->wrong && !r->device) {
        multiply_here(r, &t);
        add_words(r, &t);
    } else if (!r->wrong) {
        r->wrong = gpu_mma_run(&t);
        if (!r->wrong)
            mma_compare(r, &t, what);
    }
    r->result->inputs += elements;
    free(d);
}

/* SPDX-License-Identifier: MIT */
/* matmul.c -- products of matrices, formed from a unit's instructions as a kernel does it
 *
 * sf8_core_mma_dot is the definition. The fast way (tile.c) computes a tile of the result at a
 * time: the products of one instruction for the whole tile, then those of the next. It gives the
 * same bits.
 */
#include "mma/tile.h"
#include "text/names.h"

#include <string.h>

typedef struct sf8_mma_job {
    const sf8_mma *m;
    const sf8_mma_schedule *schedule;
    size_t rows, columns, k;
    sf8_mma_tiles tiles;
} sf8_mma_job;

/* ---- schedules ------------------------------------------------------------------------------- */

/* Adds the sum of a stretch to the second accumulator; a NaN is that of a unit. */
static uint32_t sf8_mma_promoted(const sf8_mma_job *j, size_t row, size_t column, size_t stretch,
                                 size_t stretches, uint32_t sum, uint32_t total)
{
    const sf8_mma_schedule *s = j->schedule;
    sf8_format f = j->m->out;
    if (s->scaling == SF8_MMA_UNSCALED)
        return sf8_mma_added(j->m, total, sum);
    uint64_t a = s->scale_a[row * stretches + stretch],
             b = s->scale_b[column * stretches + stretch];
    uint64_t factor = s->scaling == SF8_MMA_SCALES_FIRST ? b : sum;
    uint64_t product = sf8_core_mul(f, a, factor, SF8_OCP_NOSAT, 0).code;
    uint64_t last = s->scaling == SF8_MMA_SCALES_FIRST ? sum : b;
    uint64_t next = sf8_core_fma(f, product, last, total, SF8_OCP_NOSAT, 0).code;
    return sf8_is_nan(f, next) ? sf8_mma_nan(f) : (uint32_t)next;
}

/* The products k to end - 1 in stretches of `promote` instructions. */
static void sf8_mma_block_stretches(sf8_mma_job *j, sf8_mma_block at, size_t k, size_t end,
                                    uint32_t c[][SF8_TILE_COLUMNS])
{
    size_t stretch = j->schedule->promote * (size_t)j->m->k;
    size_t stretches = sf8_mma_stretches(j->m, j->schedule->promote, j->k);
    if (stretch == 0) {
        sf8_mma_tiles_sum(&j->tiles, at, k, end, c);
        return;
    }
    for (; k < end; k += stretch) {
        uint32_t sum[SF8_TILE_ROWS][SF8_TILE_COLUMNS];
        memset(sum, 0, sizeof sum);
        sf8_mma_tiles_sum(&j->tiles, at, k, end - k < stretch ? end : k + stretch, sum);
        for (size_t r = 0; r < at.rows; r++)
            for (size_t i = 0; i < at.columns; i++)
                c[r][i] = sf8_mma_promoted(j, at.row + r, at.column + i, k / stretch, stretches,
                                           sum[r][i], c[r][i]);
    }
}

/* A tile of the result: each part of K by itself, then the parts are added in order. */
static void sf8_mma_block_all(sf8_mma_job *j, sf8_mma_block at, uint32_t *d, const uint32_t *c)
{
    size_t splits = j->schedule->splits ? j->schedule->splits : 1, part = j->k / splits;
    if (part == 0 && splits > 2) /* sums of no products: adding 0 once more changes nothing */
        splits = 2;
    uint32_t total[SF8_TILE_ROWS][SF8_TILE_COLUMNS];
    for (size_t split = 0; split < splits; split++) {
        uint32_t sum[SF8_TILE_ROWS][SF8_TILE_COLUMNS];
        memset(sum, 0, sizeof sum);
        for (size_t r = 0; split == 0 && c && r < at.rows; r++)
            memcpy(sum[r], c + (at.row + r) * j->columns + at.column, at.columns * sizeof *c);
        sf8_mma_block_stretches(j, at, split * part, (split + 1) * part, sum);
        for (size_t r = 0; r < at.rows; r++)
            for (size_t i = 0; i < at.columns; i++)
                total[r][i] = split ? sf8_mma_added(j->m, total[r][i], sum[r][i]) : sum[r][i];
    }
    for (size_t r = 0; r < at.rows; r++)
        memcpy(d + (at.row + r) * j->columns + at.column, total[r], at.columns * sizeof *d);
}

/* ---- the product ----------------------------------------------------------------------------- */

static int32_t sf8_mma_overflows(size_t a, size_t b)
{
    return a != 0 && b > PTRDIFF_MAX / 4 / a;
}

static sf8_status sf8_mma_check(const sf8_mma *m, const sf8_mma_schedule *s, size_t rows,
                                size_t columns, size_t k)
{
    size_t splits = s->splits ? s->splits : 1, unit = (size_t)m->k;
    if (sf8_mma_overflows(rows, k) || sf8_mma_overflows(columns, k) ||
        sf8_mma_overflows(rows, columns))
        return SF8_BAD_CALL;
    if (k % unit != 0 || k / unit % splits != 0 || s->promote > SIZE_MAX / unit ||
        s->scaling > SF8_MMA_SUM_FIRST || (s->scaling && s->promote == 0))
        return SF8_BAD_CALL;
    if (s->promote && splits > 1 && k / unit / splits % s->promote != 0)
        return SF8_BAD_CALL;
    return SF8_OK;
}

static sf8_status sf8_mma_matmul_level(const sf8_level *level, const sf8_mma *mma,
                                       const sf8_mma_schedule *schedule, uint32_t *d,
                                       const uint32_t *c, sf8_mma_operands x, size_t rows,
                                       size_t columns, size_t k)
{
    static const sf8_mma_schedule plain = {0, 0, SF8_MMA_UNSCALED, NULL, NULL};
    sf8_mma_job j;
    j.m = mma;
    j.schedule = schedule ? schedule : &plain;
    sf8_status status = sf8_mma_check(mma, j.schedule, rows, columns, k);
    if (status != SF8_OK)
        return status;
    if (rows == 0 || columns == 0)
        return SF8_OK;
    j.rows = rows;
    j.columns = columns;
    j.k = k;
    unsigned int before = sf8_floats_begin();
    sf8_mma_tiles_begin(&j.tiles, mma, x, k, level);
    for (size_t column = 0; column < columns; column += SF8_TILE_COLUMNS)
        for (size_t row = 0; row < rows; row += SF8_TILE_ROWS) {
            sf8_mma_block at = {row, rows - row, column, columns - column};
            at.rows = sf8_mma_least_size(at.rows, SF8_TILE_ROWS);
            at.columns = sf8_mma_least_size(at.columns, SF8_TILE_COLUMNS);
            sf8_mma_block_all(&j, at, d, c);
        }
    sf8_floats_end(before);
    return SF8_OK;
}

sf8_status sf8_mma_matmul(const sf8_mma *mma, const sf8_mma_schedule *schedule, uint32_t *d,
                          const uint32_t *c, sf8_mma_operands x, size_t rows, size_t columns,
                          size_t k)
{
    return sf8_mma_matmul_level(sf8_level_now(), mma, schedule, d, c, x, rows, columns, k);
}

sf8_status sf8_mma_matmul_at(const char *level, const sf8_mma *mma,
                             const sf8_mma_schedule *schedule, uint32_t *d, const uint32_t *c,
                             sf8_mma_operands x, size_t rows, size_t columns, size_t k)
{
    const sf8_level *at = sf8_level_named(level);
    return at ? sf8_mma_matmul_level(at, mma, schedule, d, c, x, rows, columns, k)
              : SF8_UNKNOWN_NAME;
}

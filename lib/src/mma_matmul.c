/* SPDX-License-Identifier: MIT */
/* mma_matmul.c -- products of matrices, as a kernel puts them together of a unit's instructions
 *
 * sf8_core_mma_dot is the definition. What is faster here does a tile of the result at a time, an
 * instruction's products for all of it and then the next ones, and gives the same words.
 */
#include "array.h"
#include "softfp8_mma.h"

#include <string.h>

enum { SF8_TILE_ROWS = 16, SF8_TILE_COLUMNS = 16, SF8_TILE_K = 64 };

/* The operands of one sum of each element of a tile. b is turned, so that columns are neighbours.
 */
typedef struct sf8_mma_tile {
    int32_t length, fraction, kept;
    float b[SF8_TILE_K][SF8_TILE_COLUMNS];
    int32_t b_exp[SF8_TILE_K][SF8_TILE_COLUMNS];
    float a[SF8_TILE_ROWS][SF8_TILE_K];
    int32_t a_exp[SF8_TILE_ROWS][SF8_TILE_K];
} sf8_mma_tile;

typedef void sf8_mma_sums(const sf8_mma_tile *t, const float *a, const int32_t *a_exp, uint32_t *c);

/* ---- levels ---------------------------------------------------------------------------------- */

/* Not without optimizing: gcc 12 then fails on comparisons of vectors of 64 bytes. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__cplusplus)
#define SF8_MMA_LANES 1
#if SF8_HAS_X86
#define SF8_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#define SF8_LANES 16
#define SF8_LEVEL(name) sf8_mma_avx512_##name
#include "mma_lanes.h"
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_LEVEL
#define SF8_TARGET __attribute__((target("avx2")))
#define SF8_LANES 8
#define SF8_LEVEL(name) sf8_mma_avx2_##name
#include "mma_lanes.h"
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_LEVEL
#endif
#define SF8_TARGET
#define SF8_LANES 4
#define SF8_LEVEL(name) sf8_mma_portable_##name
#include "mma_lanes.h"
#undef SF8_TARGET
#undef SF8_LANES
#undef SF8_LEVEL

static sf8_mma_sums *sf8_mma_sums_here(void)
{
#if SF8_HAS_X86
    if (sf8_level() == SF8_LEVEL_AVX512)
        return sf8_mma_avx512_sums;
    if (sf8_level() == SF8_LEVEL_AVX2)
        return sf8_mma_avx2_sums;
#endif
    return sf8_mma_portable_sums;
}
#else
#define SF8_MMA_LANES 0
#endif

/* ---- tiles ----------------------------------------------------------------------------------- */

/* The exponent of a zero: a sum with it is below every other. */
enum { SF8_ZERO_EXPONENT = -100 };

/* A code as a float and the exponent of its field; 0 if it is NaN or infinite. */
static int32_t sf8_mma_decode(sf8_format f, uint64_t code, float *value, int32_t *exponent)
{
    sf8_mma_term t = sf8_mma_code(f, code);
    if (t.kind != SF8_MMA_FINITE)
        return 0;
    int32_t shift = t.exponent - t.point;
    *value = (float)t.significand * sf8_f32_from_bits((uint32_t)(127 + shift) << 23);
    *exponent = t.significand ? t.exponent : SF8_ZERO_EXPONENT;
    return 1;
}

/* All codes of a format of 8 bits or less. */
typedef struct sf8_mma_decoded {
    int32_t is_table;
    uint8_t finite[256];
    float value[256];
    int32_t exponent[256];
} sf8_mma_decoded;

#if SF8_MMA_LANES
static void sf8_mma_decode_all(sf8_mma_decoded *all, sf8_format f)
{
    all->is_table = sf8_format_bits(f) <= 8;
    for (uint64_t code = 0; all->is_table && code < 256; code++) {
        int32_t exponent = SF8_ZERO_EXPONENT;
        float value = 0;
        all->finite[code] = (uint8_t)sf8_mma_decode(f, code & sf8_format_code_mask(f), &value,
                                                    &exponent);
        all->value[code] = value;
        all->exponent[code] = exponent;
    }
}
#endif

static int32_t sf8_mma_get(const sf8_mma_decoded *all, sf8_format f, const void *codes, size_t i,
                           float *value, int32_t *exponent)
{
    if (!all->is_table)
        return sf8_mma_decode(f, sf8_mma_load(f, codes, i), value, exponent);
    uint8_t code = ((const uint8_t *)codes)[i];
    *value = all->value[code];
    *exponent = all->exponent[code];
    return all->finite[code];
}

typedef struct sf8_mma_job {
    const sf8_mma *m;
    const sf8_mma_schedule *schedule;
    sf8_mma_operands x;
    size_t rows, columns, k;
    sf8_mma_sums *sums; /* NULL: only the definition */
    sf8_mma_decoded a, b;
} sf8_mma_job;

#if SF8_MMA_LANES
/* Whether the sums of mma_lanes.h are those of the unit. */
static int32_t sf8_mma_fits(const sf8_mma *m)
{
    const sf8_format operand[2] = {m->a, m->b};
    for (int32_t i = 0; i < 2; i++)
        if (sf8_format_emin(operand[i]) < -15 || sf8_format_emax(operand[i]) > 16 ||
            operand[i].man_bits > 10 || !operand[i].has_zero)
            return 0;
    return m->order == SF8_MMA_FUSED && m->scale_block == 0 && m->group == 0 &&
           m->out.man_bits == 23 && m->round == SF8_RZ && m->cut == SF8_MMA_CUT_ZERO &&
           m->products == SF8_MMA_RAW && m->zero < -60 && m->fraction >= 8 && m->fraction <= 25 &&
           m->length <= 32 && m->length % 2 == 0 && m->k % m->length == 0;
}
#endif

/* An accumulator of a tile: zero, or of an exponent that is neither very high nor very low. The
 * sums of codes as sf8_mma_fits takes them stay within that. */
static int32_t sf8_mma_moderate(uint32_t word)
{
    int32_t exponent = (int32_t)(word >> 23 & 255) - 127;
    return (word & 0x7fffffffu) == 0 || (exponent >= -60 && exponent <= 60);
}

/* The products k to k + length of a tile; 0 if there is a code that is not finite. */
static int32_t sf8_mma_tile_load(sf8_mma_tile *t, const sf8_mma_job *j, size_t row, size_t rows,
                                 size_t column, size_t columns, size_t k)
{
    int32_t finite = 1;
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < (size_t)t->length; i++)
            finite &= sf8_mma_get(&j->a, j->m->a, j->x.a, (row + r) * j->k + k + i, &t->a[r][i],
                                  &t->a_exp[r][i]);
    for (size_t c = 0; c < columns; c++)
        for (size_t i = 0; i < (size_t)t->length; i++)
            finite &= sf8_mma_get(&j->b, j->m->b, j->x.b, (column + c) * j->k + k + i, &t->b[i][c],
                                  &t->b_exp[i][c]);
    return finite;
}

typedef struct sf8_mma_block {
    size_t row, rows, column, columns;
} sf8_mma_block;

/* Products k to end, from the words of the tile on, as the definition has them. */
static void sf8_mma_block_plain(const sf8_mma_job *j, sf8_mma_block at, size_t k, size_t end,
                                uint32_t c[][SF8_TILE_COLUMNS])
{
    size_t width_a = (size_t)(sf8_format_bits(j->m->a) + 7) / 8;
    size_t width_b = (size_t)(sf8_format_bits(j->m->b) + 7) / 8;
    size_t scales = j->m->scale_block ? j->k / (size_t)j->m->scale_block : 0;
    width_a += width_a == 3;
    width_b += width_b == 3;
    for (size_t r = 0; r < at.rows; r++)
        for (size_t i = 0; i < at.columns; i++) {
            sf8_mma_operands x = j->x;
            x.a = (const uint8_t *)x.a + (at.row + r) * j->k * width_a;
            x.b = (const uint8_t *)x.b + (at.column + i) * j->k * width_b;
            if (scales) {
                x.scale_a += (at.row + r) * scales;
                x.scale_b += (at.column + i) * scales;
            }
            c[r][i] = sf8_core_mma_dot(j->m, x, k, end - k, c[r][i]);
        }
}

/* The same, by lanes where they can do it. */
static void sf8_mma_block_sum(const sf8_mma_job *j, sf8_mma_tile *t, sf8_mma_block at, size_t k,
                              size_t end, uint32_t c[][SF8_TILE_COLUMNS])
{
    int32_t moderate = j->sums != NULL;
    for (size_t r = 0; moderate && r < at.rows; r++)
        for (size_t i = 0; i < at.columns; i++)
            moderate &= sf8_mma_moderate(c[r][i]);
    for (; moderate && k < end; k += (size_t)t->length) {
        if (!sf8_mma_tile_load(t, j, at.row, at.rows, at.column, at.columns, k))
            break;
        for (size_t r = 0; r < at.rows; r++)
            j->sums(t, t->a[r], t->a_exp[r], c[r]);
    }
    if (k < end)
        sf8_mma_block_plain(j, at, k, end, c);
}

/* ---- schedules ------------------------------------------------------------------------------- */

/* The sum of a stretch into the second accumulator; a NaN is that of a unit. */
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

/* The products k to end in stretches of `promote` instructions. */
static void sf8_mma_block_stretches(const sf8_mma_job *j, sf8_mma_tile *t, sf8_mma_block at,
                                    size_t k, size_t end, uint32_t c[][SF8_TILE_COLUMNS])
{
    size_t stretch = j->schedule->promote * (size_t)j->m->k;
    size_t stretches = stretch ? j->k / stretch + (j->k % stretch != 0) : 0;
    if (stretch == 0) {
        sf8_mma_block_sum(j, t, at, k, end, c);
        return;
    }
    for (; k < end; k += stretch) {
        uint32_t sum[SF8_TILE_ROWS][SF8_TILE_COLUMNS];
        memset(sum, 0, sizeof sum);
        sf8_mma_block_sum(j, t, at, k, end - k < stretch ? end : k + stretch, sum);
        for (size_t r = 0; r < at.rows; r++)
            for (size_t i = 0; i < at.columns; i++)
                c[r][i] = sf8_mma_promoted(j, at.row + r, at.column + i, k / stretch, stretches,
                                           sum[r][i], c[r][i]);
    }
}

/* A tile of the result: each part of K by itself, the parts added in their order. */
static void sf8_mma_block_all(const sf8_mma_job *j, sf8_mma_tile *t, sf8_mma_block at, uint32_t *d,
                              const uint32_t *c)
{
    size_t splits = j->schedule->splits ? j->schedule->splits : 1, part = j->k / splits;
    uint32_t total[SF8_TILE_ROWS][SF8_TILE_COLUMNS];
    for (size_t split = 0; split < splits; split++) {
        uint32_t sum[SF8_TILE_ROWS][SF8_TILE_COLUMNS];
        memset(sum, 0, sizeof sum);
        for (size_t r = 0; split == 0 && c && r < at.rows; r++)
            memcpy(sum[r], c + (at.row + r) * j->columns + at.column, at.columns * sizeof *c);
        sf8_mma_block_stretches(j, t, at, split * part, (split + 1) * part, sum);
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

sf8_status sf8_mma_matmul(const sf8_mma *mma, const sf8_mma_schedule *schedule, uint32_t *d,
                          const uint32_t *c, sf8_mma_operands x, size_t rows, size_t columns,
                          size_t k)
{
    static const sf8_mma_schedule plain = {0, 0, SF8_MMA_UNSCALED, NULL, NULL};
    sf8_mma_job j;
    sf8_mma_tile t;
    j.m = mma;
    j.schedule = schedule ? schedule : &plain;
    sf8_status status = sf8_mma_check(mma, j.schedule, rows, columns, k);
    if (status != SF8_OK)
        return status;
    j.x = x;
    j.rows = rows;
    j.columns = columns;
    j.k = k;
    j.sums = NULL;
#if SF8_MMA_LANES
    if (sf8_mma_fits(mma)) {
        j.sums = sf8_mma_sums_here();
        sf8_mma_decode_all(&j.a, mma->a);
        sf8_mma_decode_all(&j.b, mma->b);
    }
#endif
    memset(&t, 0, sizeof t);
    t.length = mma->length;
    t.fraction = mma->fraction;
    t.kept = mma->sum.man_bits;
    for (size_t column = 0; column < columns; column += SF8_TILE_COLUMNS)
        for (size_t row = 0; row < rows; row += SF8_TILE_ROWS) {
            sf8_mma_block at = {row, rows - row, column, columns - column};
            at.rows = sf8_mma_least_size(at.rows, SF8_TILE_ROWS);
            at.columns = sf8_mma_least_size(at.columns, SF8_TILE_COLUMNS);
            sf8_mma_block_all(&j, &t, at, d, c);
        }
    return SF8_OK;
}

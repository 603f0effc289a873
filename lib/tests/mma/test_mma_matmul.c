/* SPDX-License-Identifier: MIT */
/* test_mma_matmul.c -- products of matrices: the fast tiles against one sum at a time, schedules
 * against floats
 *
 * SOFTFP8_SIMD selects the vectors; ctest runs this file for each level.
 */
#include "check.h"
#include "softfp8_mma.h"

#include <math.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { MOST = 40 * 256 };

static uint64_t state = 1;

/* splitmix64 */
static uint64_t random_word(void)
{
    uint64_t z = state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* What codes and accumulators are like. */
enum { BITS, FINITE, NEAR_ONE, MANY_ZEROS, PAIRS, KINDS };

static uint32_t code(sf8_format f, int kind, uint32_t before)
{
    uint32_t mask = (uint32_t)sf8_format_code_mask(f), c = (uint32_t)random_word() & mask;
    while (kind != BITS && sf8_is_special(f, c))
        c = (uint32_t)random_word() & mask;
    if (kind == NEAR_ONE)
        c = (c & ((1u << f.man_bits) - 1)) | (uint32_t)sf8_format_sign_bit(f) * (c & 1) |
            (uint32_t)(f.bias - 1 + (int32_t)(c >> 1 & 1)) << f.man_bits;
    if (kind == MANY_ZEROS && random_word() % 2)
        c &= (uint32_t)sf8_format_sign_bit(f);
    if (kind == PAIRS && random_word() % 4) /* the one before, negative: sums cancel */
        c = before ^ (uint32_t)sf8_format_sign_bit(f);
    return c;
}

static void put(sf8_format f, void *codes, size_t i, uint32_t c)
{
    if (sf8_format_bits(f) <= 8)
        ((uint8_t *)codes)[i] = (uint8_t)c;
    else if (sf8_format_bits(f) <= 16)
        ((uint16_t *)codes)[i] = (uint16_t)c;
    else
        ((uint32_t *)codes)[i] = c;
}

static uint32_t a[MOST], b[MOST], c_words[MOST], d[MOST];
static uint8_t scale_a[MOST], scale_b[MOST];

static void fill(const sf8_mma *m, size_t rows, size_t columns, size_t k, int kind)
{
    uint32_t before = 0;
    for (size_t i = 0; i < rows * k; i++)
        put(m->a, a, i, before = code(m->a, kind, before));
    for (size_t i = 0; i < columns * k; i++)
        put(m->b, b, i, before = code(m->b, i % k && kind == PAIRS ? FINITE : kind, before));
    for (size_t i = 0; i < rows * columns; i++) {
        uint32_t word = (uint32_t)random_word();
        if (kind == MANY_ZEROS)
            word &= 0x80000000u;
        else if (kind != BITS)
            word = (word & 0x807fffffu) | (uint32_t)(110 + random_word() % 40) << 23;
        c_words[i] = word & (uint32_t)sf8_format_code_mask(m->out);
    }
    for (size_t i = 0; i < MOST; i++) {
        scale_a[i] = (uint8_t)(120 + random_word() % 8);
        scale_b[i] = (uint8_t)(120 + random_word() % 8);
    }
}

static const void *row_of(sf8_format f, const void *codes, size_t row, size_t k)
{
    size_t bits = (size_t)sf8_format_bits(f), width = bits <= 8 ? 1 : bits <= 16 ? 2 : 4;
    return (const uint8_t *)codes + row * k * width;
}

static uint32_t one(const sf8_mma *m, size_t row, size_t column, size_t k, size_t first,
                    size_t last, uint32_t from)
{
    const uint8_t *left = row_of(m->a, a, row, k), *right = row_of(m->b, b, column, k);
    size_t scales = m->scale_block ? k / (size_t)m->scale_block : 0;
    size_t begin = scales ? first / (size_t)m->scale_block : 0;
    return sf8_mma_dot(m, row_of(m->a, left, 1, first), row_of(m->b, right, 1, first),
                       scale_a + row * scales + begin, scale_b + column * scales + begin,
                       last - first, from);
}

static sf8_mma_operands operands(void)
{
    sf8_mma_operands x = {a, b, scale_a, scale_b};
    return x;
}

static void hold(const sf8_mma *m, const char *what, size_t rows, size_t columns, size_t k)
{
    cr_assert(sf8_mma_matmul(m, NULL, d, c_words, operands(), rows, columns, k) == SF8_OK, "%s",
              what);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < columns; i++) {
            uint32_t right = one(m, r, i, k, 0, k, c_words[r * columns + i]);
            EXPECT(d[r * columns + i] == right, "%s %zu %zu %zu: [%zu, %zu] %08x, not %08x", what,
                   rows, columns, k, r, i, d[r * columns + i], right);
        }
}

/* Every unit, every format that it takes, every kind of data, tiles that are not full. */
Test(mma_matmul, as_one_by_one)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e2m1", "e3m2",    "e2m3",
                                          "f16",  "bf16", "tf32", "e4m3fnuz"};
    const sf8_mma_row *row;
    size_t held = 0;
    for (size_t u = 0; (row = sf8_mma_at(u)) != NULL; u++)
        for (size_t i = 0; i < COUNT(formats); i++)
            for (size_t j = 0; j < COUNT(formats); j++) {
                sf8_mma m;
                if (sf8_mma_read(&m, row, format_of(formats[i]), format_of(formats[j]),
                                 format_of(row->out)) != SF8_OK)
                    continue;
                for (int kind = 0; kind < KINDS; kind++) {
                    size_t k = 3 * (size_t)m.k;
                    fill(&m, 19, 21, k, kind);
                    hold(&m, row->unit, 19, 21, k);
                    hold(&m, row->unit, 1, 1, (size_t)m.k);
                    held++;
                }
            }
    cr_expect(held >= 5 * 100, "%zu", held);
}

/* No known unit lowers products of these formats, but its order can be set. */
Test(mma_matmul, lowered_products_of_a_wide_range)
{
    const sf8_format wide[] = {SF8_BF16, SF8_TF32};
    for (size_t i = 0; i < 2; i++)
        for (int kind = 0; kind < 3; kind++) {
            sf8_mma m;
            cr_assert(sf8_mma_named(&m, "hopper-hmma", wide[i], wide[i], SF8_F32) == SF8_OK);
            cr_assert(sf8_mma_set(&m, "order", kind == 1 ? "independent" : "chain") == SF8_OK);
            fill(&m, 9, 17, (size_t)m.k, kind);
            hold(&m, "lowered", 9, 17, (size_t)m.k);
        }
}

/* ---- schedules ------------------------------------------------------------------------------- */

static float value(uint32_t word)
{
    return sf8_f32_from_bits(word);
}

static uint32_t scales_a[MOST], scales_b[MOST];

/* The second accumulator by the processor's floats, to nearest even. */
static float promoted(const sf8_mma_schedule *s, float total, float sum, float x, float y)
{
    volatile float product;
    switch (s->scaling) {
    case SF8_MMA_SCALES_FIRST:
        product = x * y;
        return fmaf(product, sum, total);
    case SF8_MMA_SUM_FIRST:
        product = x * sum;
        return fmaf(product, y, total);
    default:
        product = total + sum;
        return product;
    }
}

static void hold_schedule(const sf8_mma *m, const sf8_mma_schedule *s, size_t rows, size_t columns,
                          size_t k)
{
    size_t splits = s->splits ? s->splits : 1, part = k / splits;
    size_t stretch = s->promote ? s->promote * (size_t)m->k : part;
    size_t stretches = k / stretch + (k % stretch != 0);
    cr_assert(sf8_mma_matmul(m, s, d, c_words, operands(), rows, columns, k) == SF8_OK);
    for (size_t r = 0; r < rows; r++)
        for (size_t i = 0; i < columns; i++) {
            float total = 0;
            for (size_t split = 0; split < splits; split++) {
                float sum = split ? 0 : value(c_words[r * columns + i]);
                for (size_t at = split * part; at < (split + 1) * part; at += stretch) {
                    size_t end = at + stretch < (split + 1) * part ? at + stretch
                                                                   : (split + 1) * part;
                    uint32_t from = s->promote ? 0 : sf8_f32_bits(sum);
                    float term = value(one(m, r, i, k, at, end, from));
                    sum = s->promote ? promoted(s, sum, term,
                                                value(scales_a[r * stretches + at / stretch]),
                                                value(scales_b[i * stretches + at / stretch]))
                                     : term;
                }
                volatile float both = total + sum;
                total = split ? both : sum;
            }
            EXPECT(d[r * columns + i] == sf8_f32_bits(total), "promote %zu splits %zu scaling %u",
                   s->promote, s->splits, (unsigned)s->scaling);
        }
}

Test(mma_matmul, schedules)
{
    static const size_t promote[] = {0, 1, 2, 4, 8}, splits[] = {0, 1, 2, 4};
    sf8_mma m;
    size_t differ = 0;
    for (size_t i = 0; i < MOST; i++) {
        scales_a[i] = 0x3f000000u + ((uint32_t)random_word() & 0xffffffu);
        scales_b[i] = 0x3f000000u + ((uint32_t)random_word() & 0xffffffu);
    }
    cr_assert(sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    fill(&m, 18, 17, 256, FINITE);
    uint32_t first[18 * 17];
    for (size_t p = 0; p < COUNT(promote); p++)
        for (size_t q = 0; q < COUNT(splits); q++)
            for (uint32_t scaling = 0; scaling <= SF8_MMA_SUM_FIRST; scaling++) {
                sf8_mma_schedule s = {promote[p], splits[q], scaling, scales_a, scales_b};
                size_t parts = splits[q] ? splits[q] : 1;
                if ((scaling && !s.promote) || (s.promote && parts > 1 && 8 / parts % s.promote))
                    continue;
                hold_schedule(&m, &s, 18, 17, 256);
                if (scaling == SF8_MMA_SCALES_FIRST)
                    memcpy(first, d, sizeof first);
                if (scaling == SF8_MMA_SUM_FIRST)
                    differ += memcmp(first, d, sizeof first) != 0;
            }
    cr_expect(differ > 0, "the order of the scales is not seen");
    /* 5 instructions: the last stretch is short */
    sf8_mma_schedule s = {2, 0, SF8_MMA_SUM_FIRST, scales_a, scales_b};
    hold_schedule(&m, &s, 18, 17, 160);
}

/* Four products of 1.125 * 1.125, 81/64, in each of 128 instructions. By hand, in 64ths: the chain
 * is exact up to step 51, 16524, beyond 256.0 where terms are cut off to multiples of 2, 80 for 81;
 * 320 a step from there to step 128: 41164, or 643.1875. Stretches of 4 are exact, and so is their
 * sum, 648. */
Test(mma_matmul, promotion_keeps_what_a_chain_loses)
{
    sf8_mma m;
    sf8_mma_schedule s = {4, 0, SF8_MMA_UNSCALED, NULL, NULL};
    memset(a, 0, sizeof a);
    memset(b, 0, sizeof b);
    for (size_t k = 0; k < 4096; k++)
        if (k % 32 < 4)
            ((uint8_t *)a)[k] = ((uint8_t *)b)[k] = 0x39;
    cr_assert(sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    cr_assert(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 4096) == SF8_OK);
    cr_expect(d[0] == 0x44220000, "%08x", d[0]);
    cr_assert(sf8_mma_matmul(&m, NULL, d, NULL, operands(), 1, 1, 4096) == SF8_OK);
    cr_expect(d[0] == 0x4420cc00, "%08x", d[0]);
}

/* A NaN that an add or an fma makes or hands on is that of the units, of a GPU's FADD and FFMA too.
 */
Test(mma_matmul, a_nan_is_the_units)
{
    sf8_mma m;
    static const uint32_t ones[2] = {0x3f800000, 0x3f800000};
    static const uint8_t first[] = {0x7e, 0x7c, 0x3c}, later[] = {0x3c, 0xfc, 0x7f};
    cr_assert(sf8_mma_named(&m, "hopper-qgmma", SF8_E5M2, SF8_E5M2, SF8_F32) == SF8_OK);
    for (int i = 0; i < 3; i++)
        for (uint32_t scaling = 0; scaling < 4; scaling++) {
            sf8_mma_schedule s = {1, 0, scaling, ones, ones};
            if (scaling == 3)
                s = (sf8_mma_schedule){0, 2, SF8_MMA_UNSCALED, NULL, NULL};
            memset(a, 0, 64);
            memset(b, 0x3c, 64);
            ((uint8_t *)a)[0] = first[i];
            ((uint8_t *)a)[32] = later[i];
            cr_assert(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 64) == SF8_OK);
            cr_expect(d[0] == 0x7fffffff, "case %d, scaling %u: %08x", i, scaling, d[0]);
        }
}

/* With exceptions unmasked and rounded up: the same bits, no trap, and MXCSR is as before. */
Test(mma_matmul, environment)
{
#if defined(__x86_64__)
    static const char *const units[] = {"hopper-qgmma", "hopper-hmma"};
    enum { ROWS = 9, COLUMNS = 33, K = 64, SIZE = ROWS * COLUMNS };
    uint32_t want[SIZE];
    for (size_t i = 0; i < 2; i++) {
        sf8_mma m;
        sf8_format f = i ? SF8_F16 : SF8_E4M3;
        cr_assert(sf8_mma_named(&m, units[i], f, f, SF8_F32) == SF8_OK);
        for (size_t k = 0; k < COLUMNS * K / 2; k++)
            a[k] = b[k] = (uint32_t)random_word() & (i ? 0x37ff37ffu : 0x77777777u);
        cr_assert(sf8_mma_matmul_at("core", &m, NULL, want, NULL, operands(), ROWS, COLUMNS, K) ==
                  SF8_OK);
        unsigned before = _mm_getcsr();
        _mm_setcsr(0x4000);
        sf8_status status = sf8_mma_matmul(&m, NULL, d, NULL, operands(), ROWS, COLUMNS, K);
        unsigned after = _mm_getcsr();
        _mm_setcsr(before);
        EXPECT(status == SF8_OK && after == 0x4000 && memcmp(d, want, sizeof want) == 0, "%s: %x",
               units[i], after);
    }
#endif
}

Test(mma_matmul, wrong_calls)
{
    sf8_mma m;
    sf8_mma_schedule s = {0, 0, SF8_MMA_UNSCALED, NULL, NULL};
    cr_assert(sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    d[0] = 0x12345678;
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 48) == SF8_BAD_CALL);
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), SIZE_MAX / 32, 1, 64) == SF8_BAD_CALL);
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), (size_t)1 << 32, (size_t)1 << 31, 0) ==
              SF8_BAD_CALL);
    s.splits = 3;
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 64) == SF8_BAD_CALL);
    s.splits = 2;
    s.promote = 4;
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 256 + 64) == SF8_BAD_CALL);
    s.splits = 0;
    s.promote = 0;
    s.scaling = SF8_MMA_SUM_FIRST;
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 64) == SF8_BAD_CALL);
    s.scaling = 3;
    s.promote = 1;
    cr_expect(sf8_mma_matmul(&m, &s, d, NULL, operands(), 1, 1, 64) == SF8_BAD_CALL);
    cr_expect(d[0] == 0x12345678);
    cr_expect(sf8_mma_matmul(&m, NULL, d, NULL, operands(), 0, 5, 64) == SF8_OK);
    cr_expect(sf8_mma_matmul(&m, NULL, d, NULL, operands(), 0, SIZE_MAX, 0) == SF8_OK);
    cr_expect(sf8_mma_matmul(&m, NULL, d, NULL, operands(), SIZE_MAX, 0, 0) == SF8_OK);
    cr_expect(d[0] == 0x12345678);
    cr_expect(sf8_mma_matmul(&m, NULL, d, NULL, operands(), 1, 1, 0) == SF8_OK);
    cr_expect(d[0] == 0);
}

/* The results of the named schedules: 2^14 in the first of 32 instructions, -2^14 in the last, 1 in
 * each between. A 1 counts if its chain has neither of these; three beside -2^14 count as two. And
 * 3.515625 with two scales, whose products are rounded one after the other. */
Test(mma_matmul, named_schedules)
{
    static const struct {
        const char *name;
        uint32_t ladder, scaled;
    } rows[] = {
        {"cutlass-fast", 0x00000000, 0},      {"cutlass-promote4", 0x41d00000, 0},
        {"cutlass-blockwise", 0, 0x40e84f3a}, {"deepgemm-128", 0, 0x40e84f3c},
        {"cublaslt-fast", 0x00000000, 0},     {"cublaslt-promoted", 0x41d00000, 0},
    };
    static uint8_t x[1024], y[1024];
    static const uint32_t sa = 0x3f9d140f, sb = 0x3fd762e3;
    const sf8_mma_schedule_row *s;
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL; i++) {
        sf8_mma m;
        sf8_mma_schedule how = {s->promote, s->splits, s->scaling, &sa, &sb};
        uint32_t word = 0xffffffffu;
        cr_assert(i < sizeof rows / sizeof rows[0]);
        cr_assert_str_eq(s->name, rows[i].name);
        cr_assert(sf8_mma_named(&m, s->unit, SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
        memset(x, 0, sizeof x);
        for (size_t k = 0; k < sizeof x; k += 32)
            x[k] = 0x38;
        x[0] = x[992] = 0x70;
        memcpy(y, x, sizeof y);
        y[992] = 0xf0;
        if (s->scaling) {
            memset(x, 0, sizeof x);
            x[0] = y[0] = 0x3f;
        }
        sf8_mma_operands o = {x, y, NULL, NULL};
        cr_expect(sf8_mma_matmul(&m, &how, &word, NULL, o, 1, 1, s->scaling ? 128 : 1024) ==
                  SF8_OK);
        cr_expect(word == (s->scaling ? rows[i].scaled : rows[i].ladder), "%s: %08x", s->name,
                  word);
    }
    cr_expect(sf8_mma_schedule_at(sizeof rows / sizeof rows[0]) == NULL);
}

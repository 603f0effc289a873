/* SPDX-License-Identifier: MIT */
/* test_steps.c -- step tables of wide sources, tables by hand, the calls */
#include "walk.h"

#define MOST_ROWS 20000
static sf8_step rows[MOST_ROWS];

static size_t collect(const table *t)
{
    sf8_steps walk = begin(t);
    size_t count = 0;
    while (count < MOST_ROWS && sf8_steps_next(&walk, &rows[count]))
        count++;
    cr_assert(count < MOST_ROWS, "%s", t->name);
    return count;
}

/* Words found in the table through sf8_steps_find. */
static void check_words(const table *t, size_t random_words, int patterns)
{
    static const uint32_t lows[] = {0x0000, 0xffff, 0x8000};
    size_t count = collect(t);
    uint64_t mask = sf8_format_code_mask(t->from);
    for (size_t i = 0; i < random_words; i++) {
        uint64_t word = pseudo_random_64() & mask;
        const sf8_step *row = &rows[sf8_steps_find(rows, count, word)];
        if (!holds(t, row, word)) {
            wrong(t, row, word);
            return;
        }
    }
    for (uint64_t high = 0; patterns && high < 65536; high++) {
        for (size_t i = 0; i < COUNT(lows); i++) {
            uint64_t word = high << (sf8_format_bits(t->from) - 16) | lows[i];
            const sf8_step *row = &rows[sf8_steps_find(rows, count, word)];
            if (!holds(t, row, word)) {
                wrong(t, row, word);
                return;
            }
        }
    }
}

/* ---- f32 and f64 ----------------------------------------------------------------------------- */

static void check_wide(const char *from)
{
    static const char *const policies[] = {"ocp",   "ocp-nosat",    "cuda-nosat-f64", "ml_dtypes",
                                           "llvm",  "torch-decode", "hip-nosat",      "arm",
                                           "riscv", "fbgemm",       "p3109-satnone"};
    static const uint32_t words[] = {0, 0x12345678, 0xffffffff};
    for (size_t to = 0; to < NARROW; to++) {
        for (size_t p = 0; p < COUNT(policies); p++) {
            for (size_t r = 0; r < COUNT(roundings) + 3; r++) {
                table t = {.policy = policy_of(policies[p])};
                int stochastic = r >= COUNT(roundings);
                t.policy.round = (stochastic ? SF8_SR : (unsigned)r) & SF8_ROUND_MASK;
                t.policy.sr_rule = r % 3u & 3;
                t.policy.sr_bits = 1 + (to * 5 + p * 7) % 32u;
                t.random = stochastic ? words[(r + p + to) % 3] : 0;
                name_table(&t, to, from, policies[p], stochastic ? "sr" : roundings[r]);
                if (check_rows(&t) == 0)
                    return;
                if ((to + p + r) % 8 == 0)
                    check_words(&t, 4000, 0);
            }
        }
    }
}

Test(steps, f32)
{
    check_wide("f32");
}

Test(steps, f64)
{
    check_wide("f64");
}

/* A regular lattice of inputs, three for each of the leading 16 bits. */
Test(steps, leading_16_bits)
{
    static const char *const froms[] = {"f32", "f64", "f32", "f32"};
    static const size_t tos[] = {0, 1, 2, 5};
    for (size_t i = 0; i < COUNT(froms); i++) {
        table t = {.policy = policy_of(i % 2 ? "ocp-nosat" : "ocp flush=both")};
        name_table(&t, tos[i], froms[i], "ocp", "rne");
        check_words(&t, 100000, 1);
    }
}

/* Targets of 16 and 19 bits. In each of the 2^15 - 2^8 finite positive codes of bf16 two or three
 * rows begin: exact, inexact up to the midpoint, inexact beyond it. */
Test(steps, wide_targets)
{
    static const struct {
        const char *from, *to, *policy;
        size_t least;
    } wide[] = {
        {"f32", "bf16", "ocp", 2 * 2 * 32512},
        {"f32", "f16", "ocp-nosat round=sr sr_rule=c", 2 * 2 * 31744},
        {"f64", "f16", "cuda-nosat-f64 round=ru tininess=before", 2 * 2 * 31744},
        {"f32", "tf32", "ocp-nosat nan_code=payload nan_sign=signed round=ro", 2 * 2 * 260096},
    };
    for (size_t i = 0; i < COUNT(wide); i++) {
        table t = {.from = format_of(wide[i].from),
                   .to = format_of(wide[i].to),
                   .policy = policy_of(wide[i].policy),
                   .random = 0xdeadbeef};
        snprintf(t.name, sizeof t.name, "%s to %s, %s", wide[i].from, wide[i].to, wide[i].policy);
        size_t count = check_rows(&t);
        EXPECT(count > wide[i].least && count < 2 * wide[i].least, "%s: %zu", t.name, count);
    }
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* To e2m1 by rne under ocp. Its values are 0 0.5 1 1.5 2 3 4 6, codes 0 to 7; 8 would be next. The
 * input that is a value, or with A the one after it; the negative half is the mirror image except
 * for NaN. */
typedef struct by_hand {
    uint64_t f16, f32, f64;
    uint64_t after;
    uint64_t code;
    uint32_t flags;
} by_hand;

/* clang-format off */
static const by_hand e2m1_rows[] = {
    {0x0000, 0x00000000, 0x0000000000000000, 0, 0, 0},       /* zero */
    {0x0000, 0x00000000, 0x0000000000000000, 1, 0, NX | UF}, /* up to 0.25, the tie to even 0 */
    {0x3400, 0x3e800000, 0x3fd0000000000000, 1, 1, NX | UF},
    {0x3800, 0x3f000000, 0x3fe0000000000000, 0, 1, 0},       /* 0.5 */
    {0x3800, 0x3f000000, 0x3fe0000000000000, 1, 1, NX | UF},
    {0x3a00, 0x3f400000, 0x3fe8000000000000, 0, 2, NX | UF}, /* 0.75, the tie to even 2 */
    {0x3b00, 0x3f600000, 0x3fec000000000000, 0, 2, NX},      /* 0.875 rounds to 1 with 2 bits too */
    {0x3c00, 0x3f800000, 0x3ff0000000000000, 0, 2, 0},       /* 1 */
    {0x3c00, 0x3f800000, 0x3ff0000000000000, 1, 2, NX},      /* up to 1.25, the tie */
    {0x3d00, 0x3fa00000, 0x3ff4000000000000, 1, 3, NX},
    {0x3e00, 0x3fc00000, 0x3ff8000000000000, 0, 3, 0},       /* 1.5 */
    {0x3e00, 0x3fc00000, 0x3ff8000000000000, 1, 3, NX},
    {0x3f00, 0x3fe00000, 0x3ffc000000000000, 0, 4, NX},      /* 1.75, the tie */
    {0x4000, 0x40000000, 0x4000000000000000, 0, 4, 0},       /* 2 */
    {0x4000, 0x40000000, 0x4000000000000000, 1, 4, NX},      /* up to 2.5 */
    {0x4100, 0x40200000, 0x4004000000000000, 1, 5, NX},
    {0x4200, 0x40400000, 0x4008000000000000, 0, 5, 0},       /* 3 */
    {0x4200, 0x40400000, 0x4008000000000000, 1, 5, NX},
    {0x4300, 0x40600000, 0x400c000000000000, 0, 6, NX},      /* 3.5 */
    {0x4400, 0x40800000, 0x4010000000000000, 0, 6, 0},       /* 4 */
    {0x4400, 0x40800000, 0x4010000000000000, 1, 6, NX},      /* up to 5 */
    {0x4500, 0x40a00000, 0x4014000000000000, 1, 7, NX},
    {0x4600, 0x40c00000, 0x4018000000000000, 0, 7, 0},       /* 6 */
    {0x4600, 0x40c00000, 0x4018000000000000, 1, 7, NX},
    {0x4700, 0x40e00000, 0x401c000000000000, 0, 7, NX | OF}, /* 7, the tie to the code of 8 */
    {0x7c00, 0x7f800000, 0x7ff0000000000000, 0, 7, NV},      /* infinity, and all NaN */
};
/* clang-format on */

static uint64_t by_hand_word(const by_hand *row, const char *from)
{
    uint64_t value = strcmp(from, "f16") == 0   ? row->f16
                     : strcmp(from, "f32") == 0 ? row->f32
                                                : row->f64;
    return value + row->after;
}

static void check_by_hand(const char *from, int by_stretches)
{
    table t = {
        .to = SF8_E2M1, .from = format_of(from), .policy = SF8_OCP, .by_stretches = by_stretches};
    size_t n = COUNT(e2m1_rows), count = collect(&t);
    uint64_t sign = sf8_format_sign_bit(t.from);
    cr_assert(count == 2 * n + 1, "%s: %zu rows", from, count);
    for (size_t i = 0; i < n; i++) {
        const by_hand *row = &e2m1_rows[i];
        uint64_t word = by_hand_word(row, from);
        EXPECT(rows[i].first == word && rows[i].code == row->code && rows[i].flags == row->flags,
               "%s: row %zu from %" PRIx64, from, i, rows[i].first);
        EXPECT(rows[n + i].first == (sign | word) && rows[n + i].code == (8 | row->code) &&
                   rows[n + i].flags == row->flags,
               "%s: row %zu from %" PRIx64, from, n + i, rows[n + i].first);
    }
    /* A negative NaN gives the largest number, positive: missing_nan = max. */
    uint64_t first_nan = sign | (by_hand_word(&e2m1_rows[n - 1], from) + 1);
    cr_expect(rows[2 * n].first == first_nan && rows[2 * n].code == 7 && rows[2 * n].flags == NV);
}

Test(steps, e2m1_by_hand)
{
    check_by_hand("f16", 0);
    check_by_hand("f16", 1);
    check_by_hand("f32", 0);
    check_by_hand("f64", 0);
}

/* From f32 to e4m3 the payload of NaN does not matter; to e5m2 under cuda-nosat-f64 it gives two
 * bits: signaling ..80 and ..a0 (0 and 1 of the leading two), quiet ..c0 and ..e0. */
Test(steps, nan_payloads)
{
    static const sf8_step expected[] = {
        {0x7f800000, 0x7c, 0}, {0x7f800001, 0x7e, NV}, {0x7fa00000, 0x7f, NV},
        {0x7fc00000, 0x7e, 0}, {0x7fe00000, 0x7f, 0},
    };
    table t = {.from = SF8_F32, .to = SF8_E5M2, .policy = SF8_CUDA_NOSAT_F64};
    size_t count = collect(&t), i = sf8_steps_find(rows, count, 0x7f800000);
    for (size_t k = 0; k < COUNT(expected); k++, i++)
        EXPECT(rows[i].first == expected[k].first && rows[i].code == expected[k].code &&
                   rows[i].flags == expected[k].flags,
               "%" PRIx64 " %" PRIx64 " %x", rows[i].first, rows[i].code, rows[i].flags);
    cr_expect(rows[i].first == 0x80000000);
}

/* ---- the interface --------------------------------------------------------------------------- */

Test(steps, refused)
{
    sf8_steps walk;
    sf8_step step;
    sf8_format bad = SF8_E4M3;
    bad.exp_bits = 0;
    cr_expect(sf8_steps_begin(&walk, SF8_F32, SF8_F64, SF8_OCP, 0) == SF8_BAD_FORMAT);
    cr_expect(sf8_steps_next(&walk, &step) == 0, "a walk that was refused has no rows");
    cr_expect(sf8_steps_begin(&walk, SF8_F32, SF8_F32, SF8_OCP, 0) == SF8_BAD_FORMAT);
    cr_expect(sf8_steps_begin(&walk, bad, SF8_E4M3, SF8_OCP, 0) == SF8_BAD_FORMAT);
    cr_expect(sf8_steps_begin(&walk, SF8_F32, bad, SF8_OCP, 0) == SF8_BAD_FORMAT);
    cr_expect(sf8_steps_begin(&walk, SF8_TF32, SF8_F64, SF8_OCP, 0) == SF8_OK);
    /* One bit more than 20 on both sides, and 20 on one. */
    sf8_format bits_21 = sf8_format_row(8, 12, 1, SF8_NANS_IEEE, 1, 1, 127);
    sf8_format bits_20 = sf8_format_row(8, 11, 1, SF8_NANS_IEEE, 1, 1, 127);
    cr_expect(sf8_steps_begin(&walk, bits_21, bits_21, SF8_OCP, 0) == SF8_BAD_FORMAT);
    cr_expect(sf8_steps_begin(&walk, bits_21, bits_20, SF8_OCP, 0) == SF8_OK);
    cr_expect(sf8_steps_begin(&walk, bits_20, bits_21, SF8_OCP, 0) == SF8_OK);
}

Test(steps, the_end_stays)
{
    sf8_steps walk;
    sf8_step step;
    size_t count = 0;
    cr_assert(sf8_steps_begin(&walk, SF8_E2M1, SF8_E2M1, SF8_OCP, 0) == SF8_OK);
    while (sf8_steps_next(&walk, &step)) {
        EXPECT(step.first == count && step.code == count && step.flags == 0, "%zu", count);
        count++;
    }
    cr_expect(count == 16);
    cr_expect(sf8_steps_next(&walk, &step) == 0);
}

Test(steps, find)
{
    static const sf8_step some[] = {{0, 0, 0}, {10, 1, 0}, {11, 2, 0}, {UINT64_MAX, 3, 0}};
    static const struct {
        uint64_t word;
        size_t count, index;
    } cases[] = {
        {0, 4, 0},  {9, 4, 0},  {10, 4, 1}, {11, 4, 2},         {12, 4, 2},
        {10, 2, 1}, {99, 2, 1}, {99, 1, 0}, {UINT64_MAX, 4, 3}, {UINT64_MAX - 1, 4, 2},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        EXPECT(sf8_steps_find(some, cases[i].count, cases[i].word) == cases[i].index, "%zu", i);
}

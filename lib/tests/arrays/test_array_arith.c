/* SPDX-License-Identifier: MIT */
/* test_array_arith.c -- arithmetic over arrays gives what the functions of one element give
 *
 * Those are proved against MPFR, so that their results are the expected ones; a table of literals
 * is tested on arrays too. The rows array-* of the proof have all pairs, and triples, of each
 * format; test_array_edges.c has the lengths. Each test is a separate process, which may choose the
 * vector instructions before its first call.
 */
#define _POSIX_C_SOURCE 200809L
#include "arrays/arithmetic.h"
#include "table.h"
#include "scalar/operation.h"

#include <stdlib.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { ROUNDINGS = SF8_SR, FAST = 4, PAIRS = 65536 };

static uint8_t operand_a[PAIRS], operand_b[PAIRS], result[PAIRS];

static void fill_pairs(void)
{
    for (size_t i = 0; i < PAIRS; i++) {
        operand_a[i] = (uint8_t)(i >> 8);
        operand_b[i] = (uint8_t)i;
    }
}

static void check_pairs(const operation *op, sf8_format f, const char *name,
                        const char *policy_name, sf8_policy policy)
{
    memset(result, 0xa5, sizeof result);
    EXPECT(op->array(f, result, operand_a, operand_b, PAIRS, policy) == SF8_OK, "%s %s", name,
           op->name);
    for (size_t i = 0; i < PAIRS; i++) {
        uint64_t want = op->scalar(f, operand_a[i], operand_b[i], policy).code;
        if (result[i] != want) {
            EXPECT(0, "%s %s %s round %u: %02x, %02x: %02x, not %02x", name, op->name, policy_name,
                   policy.round, operand_a[i], operand_b[i], result[i], (unsigned)want);
            return;
        }
    }
}

Test(array_arith, every_policy)
{
    static const char *const formats[] = {"e4m3", "e5m2",         "e2m3",         "e4m3fnuz",
                                          "e3m4", "p3109_k8p4se", "p3109_k8p1se", "p3109_k8p4ue"};
    const sf8_policy_row *row;
    fill_pairs();
    for (size_t p = 0; (row = sf8_policy_at(p)) != NULL; p++)
        for (size_t i = p % one_in(3); i < COUNT(formats); i += one_in(3))
            for (size_t op = 0; op < FAST; op++)
                check_pairs(&operations[op], format_of(formats[i]), formats[i], row->name,
                            policy_of(row->name));
}

/* Fields that take another way or another code. */
static void check_fields(void)
{
    static const char *const policies[] = {"ocp flush=inputs",
                                           "ocp flush=outputs",
                                           "ocp overflow_test=exact",
                                           "ocp-nosat nan_code=payload",
                                           "ocp-nosat odd=bounded",
                                           "ocp nan=as-missing",
                                           "ocp inf=inf via=f16",
                                           "ocp-nosat dialect=p3109",
                                           "ocp-nosat nan_sign=sign-bit",
                                           "ocp-nosat made_nan_sign=signed"};
    static const char *const formats[] = {"e4m3",     "e5m2",         "e3m4",
                                          "e5m2fnuz", "p3109_k8p3se", "p3109_k6p3se"};
    fill_pairs();
    for (size_t p = 0; p < COUNT(policies); p++)
        for (uint32_t round = 0; round < ROUNDINGS; round++)
            for (size_t i = (p + round) % every(2); i < COUNT(formats); i += every(2)) {
                sf8_policy policy = policy_of(policies[p]);
                policy.round = round & SF8_ROUND_MASK;
                for (size_t op = 0; op < FAST; op++)
                    check_pairs(&operations[op], format_of(formats[i]), formats[i], policies[p],
                                policy);
            }
}

Test(array_arith, fields)
{
    check_fields();
}

Test(array_arith, fields_avx2)
{
    use_level("avx2");
    check_fields();
}

/* A row of our own: exponents so large that f32 could not hold a product. */
Test(array_arith, rows_made_at_run_time)
{
    static const int biases[] = {-60, -45, -30, 20, 40, 49, 60, 75, 126};
    fill_pairs();
    for (size_t i = 0; i < COUNT(biases); i++)
        for (uint32_t round = 0; round < ROUNDINGS; round++) {
            sf8_policy policy = SF8_OCP_NOSAT;
            policy.round = round & SF8_ROUND_MASK;
            sf8_format f = sf8_format_row(4, 3, 1, SF8_NANS_IEEE, 1, 1, biases[i]);
            for (size_t op = 0; op < FAST; op++)
                check_pairs(&operations[op], f, "e4m3 with another bias", "ocp-nosat", policy);
        }
}

static void check_other_operations(void)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e8m0", "e2m1"};
    fill_pairs();
    for (size_t i = 0; i < COUNT(formats); i++)
        for (size_t op = 0; op < COUNT(operations); op++)
            check_pairs(&operations[op], format_of(formats[i]), formats[i], "ocp", SF8_OCP);
}

Test(array_arith, every_operation)
{
    check_other_operations();
}

Test(array_arith, every_operation_portable)
{
    use_level("portable");
    check_other_operations();
}

Test(array_arith, every_operation_avx2)
{
    use_level("avx2");
    check_other_operations();
}

/* The literals, as an element among others. */
Test(array_arith, known_results)
{
    size_t done = 0;
    table known = table_read("scalar/operations.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        const char *name = x->word[0];
        sf8_format f = format_of(x->word[1]);
        sf8_policy policy = policy_of(table_rest(x, 7));
        uint8_t a[70], b[70], c[70];
        if (sf8_format_bits(f) > 8)
            continue;
        memset(a, (int)table_hex(x, 2), sizeof a);
        memset(b, (int)(table_hex(x, 3) & 0xff), sizeof b);
        memset(c, (int)table_hex(x, 4), sizeof c);
        int found = strcmp(name, "fma") == 0;
        if (found)
            cr_assert(sf8_fma_n(f, a, a, b, c, sizeof a, policy) == SF8_OK);
        for (size_t op = 0; op < COUNT(operations); op++)
            if (strcmp(name, operations[op].name) == 0) {
                cr_assert(operations[op].array(f, a, a, b, sizeof a, policy) == SF8_OK);
                found = 1;
            }
        done += (size_t)found;
        for (size_t k = 0; found && k < sizeof a; k++)
            EXPECT(a[k] == table_hex(x, 5), "%s %s %s %s %s, place %zu: %02x, not %s", x->word[1],
                   name, x->word[2], x->word[3], x->word[4], k, a[k], x->word[5]);
    }
    cr_expect(done > 100, "%zu", done);
    table_free(&known);
}

/* 1.5 * 2^-8 times 49152 is 288, halfway between 256 and 320 (5c and 5d); f32's fma, rounded to
 * nearest, loses the 2^-16 that is added, and the tie would go to 5c. */
Test(array_arith, fma_not_rounded_twice)
{
    uint8_t a = 0x1e, b = 0x7a, c = 0x01, r = 0;
    cr_expect(sf8_e5m2_fma_n(&r, &a, &b, &c, 1, SF8_OCP_NOSAT) == SF8_OK && r == 0x5d);
}

Test(array_arith, in_place)
{
    uint8_t x[3][300], want[300];
    for (int target = 0; target < 3; target++) {
        for (size_t i = 0; i < sizeof want; i++) {
            x[0][i] = (uint8_t)(i * 73);
            x[1][i] = (uint8_t)(i * 151 + 5);
            x[2][i] = (uint8_t)(i * 29 + 1);
            want[i] = sf8_e4m3_fma(x[0][i], x[1][i], x[2][i], SF8_OCP);
        }
        cr_assert(sf8_e4m3_fma_n(x[target], x[0], x[1], x[2], sizeof want, SF8_OCP) == SF8_OK);
        cr_expect(memcmp(x[target], want, sizeof want) == 0, "target %d", target);
    }
}

/* ---- what does not matter, and what is refused ----------------------------------------------- */

/* Neither the processor's rounding nor its treatment of subnormal numbers matters, and what is in
 * its control register afterwards was there before: no exception more has been raised, nor traps
 * where all of them do. */
static void check_control_register(void)
{
#if defined(__x86_64__)
    enum { NO_TRAPS = 0x1f80, RAISED = 0x15 };
    static const unsigned ways[] = {NO_TRAPS,          NO_TRAPS | 0x2000, NO_TRAPS | 0x4000,
                                    NO_TRAPS | 0x6000, NO_TRAPS | 0x8040, NO_TRAPS | 0xe040,
                                    RAISED | 0x4000};
    static const char *const formats[] = {"e4m3", "e5m2"};
    uint8_t want[PAIRS];
    unsigned before = _mm_getcsr();
    fill_pairs();
    for (size_t i = 0; i < 2; i++)
        for (uint32_t round = 0; round < ROUNDINGS; round++)
            for (size_t op = 0; op < COUNT(operations) + 1; op++) {
                /* the slow ones: the first way and the last */
                int fast = op < FAST || op == COUNT(operations);
                for (size_t k = 0; k < COUNT(ways); k += fast ? 1 : COUNT(ways) - 1) {
                    sf8_format f = format_of(formats[i]);
                    sf8_policy policy = SF8_OCP_NOSAT;
                    policy.round = round & SF8_ROUND_MASK;
                    _mm_setcsr(ways[k]);
                    sf8_status status =
                        op < COUNT(operations)
                            ? operations[op].array(f, result, operand_a, operand_b, PAIRS, policy)
                            : sf8_fma_n(f, result, operand_a, operand_b, operand_b, PAIRS, policy);
                    unsigned after = _mm_getcsr();
                    _mm_setcsr(before);
                    cr_assert(status == SF8_OK);
                    EXPECT(after == ways[k], "%x to %x", ways[k], after);
                    if (k == 0)
                        memcpy(want, result, sizeof want);
                    EXPECT(memcmp(want, result, sizeof want) == 0, "%s op %zu round %u csr %x",
                           formats[i], op, round, ways[k]);
                }
            }
#endif
}

Test(array_arith, control_register)
{
    check_control_register();
}

Test(array_arith, control_register_avx2)
{
    use_level("avx2");
    check_control_register();
}

Test(array_arith, refused)
{
    uint8_t a = 0x38, r = 0xa5;
    uint64_t wide = 0;
    sf8_policy random = SF8_OCP;
    random.round = SF8_SR;
    sf8_format none = format_of("e4m3");
    none.exp_bits = 0;
    cr_expect(sf8_add_n(none, &r, &a, &a, 1, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_fma_n(none, &r, &a, &a, &a, 1, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_mul_n(format_of("f64"), &wide, &wide, &wide, 1, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_e4m3_add_n(&r, &a, &a, 1, random) == SF8_BAD_CALL);
    cr_expect(sf8_e4m3_fma_n(&r, &a, &a, &a, 1, random) == SF8_BAD_CALL);
    cr_expect(sf8_e4m3_maximum_n(&r, &a, &a, 0, random) == SF8_OK);
    cr_expect(sf8_e4m3_add_n(NULL, NULL, NULL, SIZE_MAX, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_add_n(format_of("f32"), NULL, NULL, NULL, SIZE_MAX / 4, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_e4m3_div_n(NULL, NULL, NULL, 0, SF8_OCP) == SF8_OK);
    cr_expect(sf8_e4m3_fma_n(NULL, NULL, NULL, NULL, 0, SF8_OCP) == SF8_OK);
    cr_expect(r == 0xa5 && wide == 0);
}

Test(array_arith, stochastic)
{
    enum { N = 4096 };
    static uint8_t a[N], b[N], c[N], r[N];
    static uint32_t word[N];
    sf8_policy policy = policy_of("ocp round=sr sr_rule=b sr_bits=8");
    sf8_format f = format_of("e5m2");
    for (uint32_t i = 0; i < N; i++) {
        a[i] = (uint8_t)(i * 40503u >> 3);
        b[i] = (uint8_t)(i * 30011u >> 5);
        c[i] = (uint8_t)(i * 2654435761u >> 9);
        word[i] = i * 2246822519u;
    }
    cr_assert(sf8_add_sr_n(f, r, a, b, N, policy, word) == SF8_OK);
    for (size_t i = 0; i < N; i++)
        EXPECT(r[i] == sf8_add_sr(f, a[i], b[i], policy, word[i]).code, "%zu", i);
    cr_assert(sf8_fma_sr_n(f, r, a, b, c, N, policy, word) == SF8_OK);
    for (size_t i = 0; i < N; i++)
        EXPECT(r[i] == sf8_fma_sr(f, a[i], b[i], c[i], policy, word[i]).code, "%zu", i);
}

/* Literals, by the functions of a format, in place, with random numbers, and refused calls. */
Test(array_arith, one_operand_known)
{
    uint8_t a[] = {0x48, 0x38, 0xb8, 0x7f}, r[4];
    uint16_t h[] = {0x4400, 0x4500, 0xfc00};
    const uint32_t word[] = {0, UINT32_MAX, 5, 9};
    const int32_t e[] = {1, -1, 3, 2, -30};
    uint64_t wide = 0;
    sf8_policy random = policy_of("ocp round=sr sr_bits=8");
    cr_assert(sf8_e4m3_sqrt_n(r, a, 4, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0x40 && r[1] == 0x38 && r[2] == 0x7f && r[3] == 0x7f); /* 2 1 NaN NaN */
    cr_assert(sf8_e4m3_scalb_n(r, a, e, 4, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0x50 && r[1] == 0x30 && r[2] == 0xd0 && r[3] == 0x7f); /* 8 1/2 -8 NaN */
    r[0] = 0x3c, r[1] = 0x34, r[2] = 0xbc;                                   /* 1.5, 0.75, -1.5 */
    cr_assert(sf8_e4m3_rint_n(r, r, 3, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0x40 && r[1] == 0x38 && r[2] == 0xc0);
    cr_assert(sf8_sqrt_n(format_of("f16"), h, h, 3, SF8_OCP) == SF8_OK);
    cr_expect(h[0] == 0x4000 && h[1] == 0x4079 && h[2] == 0x7e00); /* 2, sqrt 5, NaN */
    for (size_t i = 0; i < 4; i++)
        a[i] = (uint8_t)(0x31 + i);
    cr_assert(sf8_sqrt_sr_n(format_of("e4m3"), r, a, 4, random, word) == SF8_OK);
    for (size_t i = 0; i < 4; i++)
        cr_expect(r[i] == sf8_sqrt_sr(format_of("e4m3"), a[i], random, word[i]).code);
    cr_assert(sf8_rint_sr_n(format_of("e4m3"), r, a, 4, random, word) == SF8_OK);
    for (size_t i = 0; i < 4; i++)
        cr_expect(r[i] == sf8_rint_sr(format_of("e4m3"), a[i], random, 0, word[i]).code);
    cr_assert(sf8_scalb_sr_n(format_of("e4m3"), r, a, e + 1, 4, random, word) == SF8_OK);
    for (size_t i = 0; i < 4; i++)
        cr_expect(r[i] == sf8_scalb_sr(format_of("e4m3"), a[i], e[i + 1], random, word[i]).code);
    r[0] = 0xa5;
    cr_expect(sf8_e4m3_sqrt_n(r, a, 1, random) == SF8_BAD_CALL);
    cr_expect(sf8_e4m3_rint_n(r, a, 1, random) == SF8_BAD_CALL);
    cr_expect(sf8_e4m3_scalb_n(r, a, e, 1, random) == SF8_BAD_CALL);
    cr_expect(sf8_e4m3_scalb_n(r, a, e, SIZE_MAX / 4, SF8_OCP) == SF8_BAD_CALL);
    cr_expect(sf8_sqrt_n(format_of("f64"), &wide, &wide, 1, SF8_OCP) == SF8_BAD_FORMAT);
    cr_expect(sf8_rint_n(format_of("f64"), &wide, &wide, 1, SF8_OCP) == SF8_OK);
    cr_expect(sf8_e4m3_sqrt_n(NULL, NULL, 0, SF8_OCP) == SF8_OK);
    cr_expect(sf8_e4m3_scalb_n(NULL, NULL, NULL, 0, SF8_OCP) == SF8_OK);
    cr_expect(r[0] == 0xa5 && wide == 0);
}

/* Elements of 2, 4 and 8 bytes. */
Test(array_arith, wide_elements)
{
    uint16_t h[3] = {0x3c00, 0x3e00, 0xbc00}, hr[3];
    uint32_t s[2] = {0x3f800000, 0x40400000}, sr[2];
    float x[2] = {1.0f, -2.5f}, y[2] = {0.25f, 3.0f}, xr[2];
    uint64_t d[1] = {UINT64_C(0x3ff0000000000000)}, d2[1] = {UINT64_C(0x4000000000000000)}, dr[1];
    cr_assert(sf8_add_n(format_of("f16"), hr, h, h, 3, SF8_OCP) == SF8_OK);
    cr_expect(hr[0] == 0x4000 && hr[1] == 0x4200 && hr[2] == 0xc000);
    cr_assert(sf8_div_n(format_of("f32"), sr, s, s, 2, SF8_OCP) == SF8_OK);
    cr_expect(sr[0] == 0x3f800000 && sr[1] == 0x3f800000);
    cr_assert(sf8_fma_n(format_of("f32"), xr, x, y, x, 2, SF8_OCP) == SF8_OK);
    cr_expect(xr[0] == 1.25f && xr[1] == -10.0f);
    cr_assert(sf8_mul_n(format_of("tf32"), sr, s, s, 0, SF8_OCP) == SF8_OK);
    cr_assert(sf8_maximum_n(format_of("f64"), dr, d, d2, 1, SF8_OCP) == SF8_OK);
    cr_expect(dr[0] == d2[0]);
}

/* SPDX-License-Identifier: MIT */
/* test_rounding.c -- rounding modes, stochastic rounding, overflow, tininess, flushing */
#include "table.h"

#include <math.h>

#define MODES SF8_SR
static const char *const mode_names[MODES] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};
static table modes_table;

static void read_modes(void)
{
    modes_table = table_read("scalar/rounding.txt");
    cr_expect(modes_table.count == 224, "%zu", modes_table.count);
}

static void free_modes(void)
{
    table_free(&modes_table);
}

Test(rounding, modes, .init = read_modes, .fini = free_modes)
{
    for (size_t i = 0; i < modes_table.count; i++) {
        const table_line *row = &modes_table.line[i];
        for (size_t m = 0; m < MODES; m++) {
            sf8_policy policy = SF8_OCP_NOSAT;
            cr_assert(sf8_policy_set(&policy, "round", mode_names[m]) == SF8_OK);
            sf8_result r = sf8_convert_flags(format_of(row->word[0]), SF8_F64, table_hex(row, 1),
                                             policy);
            EXPECT((r.flags << 8 | r.code) == table_hex(row, 2 + m),
                   "%s to %s, %s: %03" PRIx64 ", not %s", row->note, row->word[0], mode_names[m],
                   (uint64_t)r.flags << 8 | r.code, row->word[2 + m]);
        }
    }
}

static uint64_t word_of(double x)
{
    uint64_t word;
    memcpy(&word, &x, sizeof word);
    return word;
}

static double value_at(sf8_format f, uint64_t code)
{
    uint64_t word = sf8_convert(SF8_F64, f, code, SF8_OCP_NOSAT);
    double x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* What x gives by rnz, of either sign: the largest finite number, or what a number beyond gives. */
static void check_end(const char *name, sf8_format f, const sf8_policy_row *policy_name, double x,
                      double beyond, int over)
{
    for (int minus = 0; minus <= f.is_signed; minus++) {
        sf8_policy policy = sf8_policy_named(policy_name->name, NULL);
        uint64_t max = sf8_format_max(f) | (minus ? sf8_format_sign_bit(f) : 0);
        policy.via = SF8_VIA_NONE; /* the middle of another format is no tie of this one */
        policy.round = SF8_RNE;
        sf8_result out = sf8_convert_flags(f, SF8_F64, word_of(minus ? -beyond : beyond), policy);
        policy.round = SF8_RNZ;
        sf8_result r = sf8_convert_flags(f, SF8_F64, word_of(minus ? -x : x), policy);
        EXPECT(r.code == (over ? out.code : max) && !(r.flags & OF) == !over && r.flags & NX,
               "%s, %s, %a: %02" PRIx64 "/%02x", name, policy_name->name, minus ? -x : x, r.code,
               r.flags);
    }
}

/* The exponent of the largest number is all ones, which overflow_test=exponent takes for overflow.
 */
static int ends_in_the_last_exponent(sf8_format f)
{
    return sf8_format_max(f) >> f.man_bits == sf8_format_mag_mask(f) >> f.man_bits;
}

/* IEEE 754-2019, 9.5: of roundTiesToTowardZero only what is above the middle between the largest
 * finite number and the next overflows. Every format, every policy. */
Test(rounding, ties_to_zero_end_at_the_largest)
{
    const char *name;
    const sf8_policy_row *policy_name;
    sf8_format f;
    size_t formats = 0;
    for (size_t i = 0; (name = sf8_format_at(i, &f)) != NULL; i++) {
        if (f.man_bits > 40)
            continue;
        double max = value_at(f, sf8_format_max(f));
        int exponent = ilogb(max) < sf8_format_emin(f) ? sf8_format_emin(f) : ilogb(max);
        double half = ldexp(1, exponent - f.man_bits - 1), tie = max + half;
        formats++;
        for (size_t p = 0; (policy_name = sf8_policy_at(p)) != NULL; p++) {
            sf8_policy policy = sf8_policy_named(policy_name->name, NULL);
            int early = policy.overflow_test == SF8_OVERFLOW_TEST_EXACT ||
                        (policy.overflow_test == SF8_OVERFLOW_TEST_EXPONENT &&
                         ends_in_the_last_exponent(f));
            /* A carry beyond the largest: what overflows further gives other codes. */
            double beyond = policy.round_past_max ? nextafter(tie, INFINITY) : tie + half;
            check_end(name, f, policy_name, nextafter(tie, 0), beyond, early);
            check_end(name, f, policy_name, tie, beyond, early);
            check_end(name, f, policy_name, nextafter(tie, INFINITY), beyond, 1);
        }
    }
    cr_expect(formats > 20);
}

/* The nearest of the magnitudes of e2m1 in ascending order, the first of two that are as near: what
 * a search by argmin over the distances in f32 gives. From 2^25 on distances can round to the same
 * number. */
static uint32_t nearest_of_eight(float x)
{
    static const float values[8] = {0, 0.5f, 1, 1.5f, 2, 3, 4, 6};
    uint32_t best = 0;
    for (uint32_t i = 1; i < 8; i++)
        if (fabsf(fabsf(x) - values[i]) < fabsf(fabsf(x) - values[best]))
            best = i;
    return best | (signbit(x) ? 8 : 0);
}

Test(rounding, ties_to_zero_are_the_first_of_the_nearest)
{
    static const float ties[7] = {0.25f, 0.75f, 1.25f, 1.75f, 2.5f, 3.5f, 5};
    sf8_policy policy = SF8_OCP, even = SF8_OCP, away = SF8_OCP;
    unsigned from_even = 0, from_away = 0;
    policy.round = SF8_RNZ;
    away.round = SF8_RNA;
    for (uint32_t i = 0; i < 7; i++) {
        cr_expect(sf8_f32_to_e2m1(ties[i], policy) == i, "%g", (double)ties[i]);
        cr_expect(sf8_f32_to_e2m1(-ties[i], policy) == (i | 8));
        cr_expect(sf8_f32_to_e2m1(nextafterf(ties[i], 0), policy) == i);
        cr_expect(sf8_f32_to_e2m1(nextafterf(ties[i], 8), policy) == i + 1);
    }
    for (uint32_t word = 0; word < 0x10000; word++) {
        uint32_t bits = word << 16;
        float x;
        memcpy(&x, &bits, sizeof x);
        if (fabsf(x) <= 0x1p25f)
            EXPECT(sf8_f32_to_e2m1(x, policy) == nearest_of_eight(x), "%a", (double)x);
        from_even += sf8_f32_to_e2m1(x, policy) != sf8_f32_to_e2m1(x, even);
        from_away += sf8_f32_to_e2m1(x, policy) != sf8_f32_to_e2m1(x, away);
    }
    cr_expect(from_even == 6 && from_away == 14, "%u %u", from_even, from_away);
}

/* gfloat 0.5.2, run: the first random number, of n = 1, 2, 3 bits, with which the rules a, b, c
 * round away from zero; 2^n: none. Its StochasticFastest is a, StochasticFast b, Stochastic c.
 * Where 463 becomes 480, an overflow, gfloat has ff with sat=False, the policy here 7f. */
typedef struct sr_row {
    const char *note;
    uint32_t in; /* f32 */
    uint8_t lo, hi;
    uint32_t first[9]; /* a1 a2 a3 b1 b2 b3 c1 c2 c3 */
} sr_row;

/* clang-format off */
static const sr_row sr_rows[] = {
    {"1+1/32", 0x3f840000, 0x38, 0x39, {2, 3, 6, 1, 3, 6, 2, 3, 6}},
    {"1+1/64", 0x3f820000, 0x38, 0x39, {2, 4, 7, 2, 3, 7, 2, 4, 7}},
    {"1+3/64", 0x3f860000, 0x38, 0x39, {2, 3, 5, 1, 2, 5, 1, 2, 5}},
    {"1+1/16", 0x3f880000, 0x38, 0x39, {1, 2, 4, 1, 2, 4, 1, 2, 4}},
    {"1+1/8-2^-20", 0x3f8ffff8, 0x38, 0x39, {1, 1, 1, 0, 0, 0, 0, 0, 0}},
    {"1+2^-20", 0x3f800008, 0x38, 0x39, {2, 4, 8, 2, 4, 8, 2, 4, 8}},
    {"1.0", 0x3f800000, 0x38, 0x39, {2, 4, 8, 2, 4, 8, 2, 4, 8}},
    {"1.125+3/64", 0x3f960000, 0x39, 0x3a, {2, 3, 5, 1, 2, 5, 1, 2, 5}},
    {"-(1+3/64)", 0xbf860000, 0xb8, 0xb9, {2, 3, 5, 1, 2, 5, 1, 2, 5}},
    {"449", 0x43e08000, 0x7e, 0x7f, {2, 4, 8, 2, 4, 8, 2, 4, 8}},
    {"463", 0x43e78000, 0x7e, 0x7f, {2, 3, 5, 1, 2, 4, 1, 2, 4}},
    {"2^-10", 0x3a800000, 0x00, 0x01, {1, 2, 4, 1, 2, 4, 1, 2, 4}},
    {"2^-13", 0x39000000, 0x00, 0x01, {2, 4, 8, 2, 4, 7, 2, 4, 8}},
};
/* clang-format on */

static sf8_policy stochastic(uint32_t rule, uint32_t bits)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = SF8_SR;
    policy.sr_rule = rule & 3;
    policy.sr_bits = bits & 63;
    return policy;
}

Test(rounding, stochastic_rules)
{
    for (size_t i = 0; i < COUNT(sr_rows); i++) {
        for (uint32_t k = 0; k < 9; k++) {
            uint32_t bits = k % 3 + 1;
            for (uint32_t random = 0; random < 1u << bits; random++) {
                /* Bits above n do not count. */
                sf8_result r = sf8_convert_sr(SF8_E4M3, SF8_F32, sr_rows[i].in,
                                              stochastic(k / 3, bits), random | ~0u << bits);
                uint8_t want = random >= sr_rows[i].first[k] ? sr_rows[i].hi : sr_rows[i].lo;
                EXPECT(r.code == want, "%s, rule %c, %u bits, R = %u: %02" PRIx64 ", not %02x",
                       sr_rows[i].note, (int)('a' + k / 3), bits, random, r.code, want);
            }
        }
    }
}

/* Each two of the rules differ in some row and number of bits. */
Test(rounding, stochastic_rules_differ)
{
    size_t differ[3] = {0, 0, 0};
    for (size_t i = 0; i < COUNT(sr_rows); i++) {
        for (size_t n = 0; n < 3; n++) {
            const uint32_t *first = sr_rows[i].first;
            differ[0] += first[n] != first[3 + n];
            differ[1] += first[3 + n] != first[6 + n];
            differ[2] += first[n] != first[6 + n];
        }
    }
    cr_expect(differ[0] > 3 && differ[1] > 1 && differ[2] > 3);
}

/* No random bits, as in a policy of all zeros: rule a truncates; b compares floor(2 nu) + 1 with 2,
 * which is to nearest with ties away from zero, and c does the same. 192 and 208 are 74 and 75. */
Test(rounding, stochastic_without_bits)
{
    static const struct {
        uint32_t in;
        uint8_t out[3];
    } rows[] = {
        {0x43460000, {0x74, 0x74, 0x74}}, /* 198 */
        {0x43480000, {0x74, 0x75, 0x75}}, /* 200, a tie */
        {0x434a0000, {0x74, 0x75, 0x75}}, /* 202 */
        {0x434f0000, {0x74, 0x75, 0x75}}, /* 207 */
    };
    for (size_t i = 0; i < COUNT(rows); i++)
        for (uint32_t rule = SF8_SR_A; rule <= SF8_SR_C; rule++) {
            sf8_result r = sf8_convert_sr(SF8_E4M3, SF8_F32, rows[i].in, stochastic(rule, 0), ~0u);
            EXPECT(r.code == rows[i].out[rule], "%08x, rule %u: %02" PRIx64, rows[i].in, rule,
                   r.code);
        }
}

/* The model of cvt.rs.satfinite on sm_100a. */
Test(rounding, stochastic_of_16_bits)
{
    sf8_policy policy = SF8_PTX;
    policy.round = SF8_SR;
    cr_expect(policy.sr_bits == 16 && policy.sr_rule == SF8_SR_A);
    table known = table_read("scalar/stochastic_16.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_result r = sf8_convert_sr(format_of(x->word[0]), SF8_F32, table_hex(x, 1), policy,
                                      (uint32_t)table_hex(x, 2));
        EXPECT(r.code == table_hex(x, 3), "%s, R = %s: %02" PRIx64 ", not %s", x->word[1],
               x->word[2], r.code, x->word[3]);
    }
    cr_expect(known.count == 18, "%zu", known.count);
    table_free(&known);
}

/* The _sr functions of one format do the same; bits of the random number above 16 are ignored. */
Test(rounding, stochastic_functions)
{
    sf8_policy policy = SF8_PTX;
    policy.round = SF8_SR;
    cr_expect(sf8_f32_to_e4m3_sr(1.0625f, policy, 0xffff7fff) == 0x38);
    cr_expect(sf8_f32_to_e4m3_sr(1.0625f, policy, 0x00008000) == 0x39);
    cr_expect(sf8_f64_to_e2m1_sr(5.0, policy, 0x8000) == 0x07);
    cr_expect(sf8_add_sr(SF8_E4M3, 0x38, 0x18, policy, 0x7fff).code == 0x38); /* 1 + 2^-4 */
    cr_expect(sf8_add_sr(SF8_E4M3, 0x38, 0x18, policy, 0x8000).code == 0x39);
    cr_expect(sf8_div_sr(SF8_E4M3, 0x38, 0x44, policy, 0x5555).code == 0x2a); /* 1 / 3 */
    cr_expect(sf8_div_sr(SF8_E4M3, 0x38, 0x44, policy, 0x5556).code == 0x2b);
    cr_expect(sf8_sqrt_sr(SF8_E4M3, 0x40, policy, 0xafb0).code == 0x3b); /* sqrt 2: nu 0.31370849 */
    cr_expect(sf8_sqrt_sr(SF8_E4M3, 0x40, policy, 0xafb1).code == 0x3c);
    cr_expect(sf8_rint_sr(SF8_E4M3, 0x3c, policy, 0, 0x7fff).code == 0x38); /* 1.5 */
    cr_expect(sf8_rint_sr(SF8_E4M3, 0x3c, policy, 0, 0x8000).code == 0x40);
    cr_expect(sf8_from_i64_sr(SF8_E4M3, 17, policy, 0x8000).code == 0x59);
    cr_expect(sf8_from_i64_sr(SF8_E4M3, 17, policy, 0x7fff).code == 0x58);
}

/* Sums below the smallest normal number are exact, but not if they are flushed. */
Test(rounding, flushed_sums)
{
    sf8_policy flush = SF8_OCP;
    flush.flush = SF8_FLUSH_OUTPUTS;
    sf8_result kept = sf8_add(SF8_E4M3, 0x01, 0x83, SF8_OCP);
    sf8_result none = sf8_add(SF8_E4M3, 0x01, 0x83, flush);
    EXPECT(kept.code == 0x82 && kept.flags == 0, "%" PRIx64 ", flags %x", kept.code, kept.flags);
    EXPECT(none.code == 0x80 && none.flags == (SF8_UNDERFLOW | SF8_INEXACT),
           "%" PRIx64 ", flags %x", none.code, none.flags);
}

/* A little more than half of the smallest number. The last bit of f64 is 52 bits below the first,
 * so that a number shifted to where the target has it needs 62 bits and more. */
Test(rounding, last_bit_below_the_subnormals)
{
    for (int32_t p = 6; p <= 13; p++) {
        sf8_format f = sf8_p3109_format(16, p, 1, 1);
        int32_t half = sf8_format_emin(f) - f.man_bits - 1;
        uint64_t tie = (uint64_t)(1023 + half) << 52;
        EXPECT(sf8_convert(f, SF8_F64, tie, SF8_OCP) == 0, "p = %d", p);
        EXPECT(sf8_convert(f, SF8_F64, tie + 1, SF8_OCP) == 1, "p = %d", p);
        EXPECT(sf8_convert(f, SF8_F64, tie - 1, SF8_OCP) == 0, "p = %d", p);
    }
}

/* A format of the powers of two from 2^-7 to 2^7 without zero, whose sums are computed as integers.
 * Differences that are zero, which it lacks, underflow. */
Test(rounding, no_zero_among_integers)
{
    sf8_format f = sf8_format_row(4, 0, 0, SF8_NANS_TOP, 0, 0, 7);
    cr_assert(sf8_format_valid(f));
    for (uint64_t a = 0; a < 15; a++) {
        sf8_result none = sf8_sub(f, a, a, SF8_OCP_NOSAT);
        EXPECT(none.code == 0 && none.flags == (SF8_UNDERFLOW | SF8_INEXACT),
               "%" PRIu64 ": %" PRIx64 ", flags %x", a, none.code, none.flags);
        sf8_result twice = sf8_add(f, a, a, SF8_OCP);
        EXPECT(twice.code == (a < 14 ? a + 1 : 14) && (twice.flags == 0) == (a < 14),
               "%" PRIu64 ": %" PRIx64 ", flags %x", a, twice.code, twice.flags);
    }
}

/* 6 is the largest number of e2m1, and its code the last: what rounding takes beyond it has no
 * code, with round_past_max=next either. */
Test(rounding, past_the_last_code)
{
    sf8_policy next = SF8_OCP;
    next.round_past_max = SF8_ROUND_PAST_MAX_NEXT;
    for (uint32_t word = 0x40e00000; word <= 0x40ff0000; word += 0x10000) { /* 7 to 7.97 */
        sf8_result up = sf8_convert_flags(SF8_E2M1, SF8_F32, word, next);
        sf8_result down = sf8_convert_flags(SF8_E2M1, SF8_F32, word | 0x80000000, next);
        EXPECT(up.code == 7 && down.code == 15, "%" PRIx32 ": %" PRIx64 " %" PRIx64, word, up.code,
               down.code);
    }
}

/* f64 with another bias, so that 2^54 * 1.9... is its largest number: the codes that greater values
 * would have, did the exponent field not end, do not all fit 63 bits. */
Test(rounding, beyond_a_wide_row)
{
    const uint64_t max = 0x7fefffffffffffff, inf = 0x7ff0000000000000, sign = UINT64_C(1) << 63;
    sf8_format f = sf8_format_row(11, 52, 1, SF8_NANS_IEEE, 1, 1, 1992);
    sf8_policy next = SF8_OCP, special = SF8_OCP_NOSAT;
    next.beyond_max = SF8_BEYOND_MAX_NEXT;
    const struct {
        int64_t in;
        uint64_t ocp, nosat, next;
    } rows[] = {
        {(INT64_C(1) << 55) - 4, max, max, max},
        {(INT64_C(1) << 55) - 2, max, inf, max}, /* a tie: the carry is not of the band */
        {INT64_C(1) << 55, max, inf, inf},
        {-(INT64_C(3) << 54), max | sign, inf | sign, inf | sign | (UINT64_C(1) << 51)},
        {(INT64_C(1) << 56) - 1, max, inf, max},
        {INT64_C(1) << 56, max, inf, max},
        {INT64_MAX, max, inf, max},
        {INT64_MIN, max | sign, inf | sign, max | sign},
    };
    cr_assert(sf8_format_valid(f));
    for (size_t i = 0; i < COUNT(rows); i++) {
        uint64_t ocp = sf8_from_i64(f, rows[i].in, SF8_OCP).code;
        uint64_t nosat = sf8_from_i64(f, rows[i].in, special).code;
        uint64_t band = sf8_from_i64(f, rows[i].in, next).code;
        EXPECT(ocp == rows[i].ocp && nosat == rows[i].nosat && band == rows[i].next,
               "%" PRIx64 ": %" PRIx64 " %" PRIx64 " %" PRIx64, (uint64_t)rows[i].in, ocp, nosat,
               band);
    }
}

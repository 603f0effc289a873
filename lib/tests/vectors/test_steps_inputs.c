/* SPDX-License-Identifier: MIT */
/* test_steps_inputs.c -- step tables compared on every input; random rows and policies */
#include "walk.h"

/* ---- every word ------------------------------------------------------------------------------ */

static void check_16_bits(const char *from, int by_stretches, size_t policy_step)
{
    const sf8_policy_row *row;
    size_t shift = strcmp(from, "f16") == 0;
    for (size_t to = 0; to < NARROW; to++) {
        for (size_t p = to % policy_step; (row = sf8_policy_at(p)) != NULL; p += policy_step) {
            for (size_t r = (to + p + shift) % every(3); r < COUNT(roundings); r += every(3)) {
                table t = {.policy = sf8_policy_named(row->name, NULL),
                           .by_stretches = by_stretches};
                t.policy.round = (unsigned)r & SF8_ROUND_MASK;
                name_table(&t, to, from, row->name, roundings[r]);
                if (!check_every_word(&t))
                    return;
            }
        }
    }
}

/* The way that a table of them is really made. */
Test(steps_inputs, f16_by_stretches_is_the_conversion)
{
    check_16_bits("f16", 1, 1);
}

Test(steps_inputs, bf16_by_stretches_is_the_conversion)
{
    check_16_bits("bf16", 1, 1);
}

Test(steps_inputs, f16_and_bf16_input_by_input)
{
    check_16_bits("f16", 0, 9);
    check_16_bits("bf16", 0, 9);
}

Test(steps_inputs, narrow_to_all)
{
    for (size_t from = 0; from < NARROW; from++) {
        for (size_t to = 0; sf8_format_at(to, NULL); to++) {
            for (size_t p = (from + to) % 2; sf8_policy_at(p); p += 2 * one_in(7)) {
                table t = {.policy = sf8_policy_named(sf8_policy_at(p)->name, NULL)};
                t.policy.round = (from + to + p) % SF8_SR & SF8_ROUND_MASK;
                t.policy.sr_bits = 4;
                t.random = 5;
                name_table(&t, to, sf8_format_at(from, NULL), sf8_policy_at(p)->name, "some");
                check_every_word(&t);
                t.by_stretches = sf8_format_bits(t.to) <= 20;
                check_every_word(&t);
            }
        }
    }
}

/* Stochastic rounding: every rule, few bits and many, random numbers at both ends. */
Test(steps_inputs, stochastic_by_stretches)
{
    static const uint32_t bits[] = {1, 2, 5, 16, 31, 32};
    static const uint32_t words[] = {0, 1, 0x5a5a5a5a, 0x7fffffff, 0x80000001, 0xffffffff};
    for (size_t to = 0; to < NARROW; to++) {
        for (size_t i = 0; i < 3 * COUNT(bits); i++) {
            table t = {.policy = SF8_OCP_NOSAT, .by_stretches = 1};
            t.random = words[(to + i) % COUNT(words)];
            t.policy.round = SF8_SR;
            t.policy.sr_rule = i % 3u & 3;
            t.policy.sr_bits = bits[i / 3] & 63;
            t.policy.flush = to % 4u & 3;
            t.policy.tininess = i / 3 % 2u & 1;
            name_table(&t, to, i % 2 ? "f16" : "bf16", "ocp-nosat", "sr");
            check_every_word(&t);
        }
    }
}

/* ---- rows and policies made up ----------------------------------------------------------------
 */

static sf8_format made_up_format(int32_t least_bits, int32_t most_bits)
{
    for (;;) {
        sf8_format f;
        f.exp_bits = (uint8_t)(1 + pseudo_random() % 11);
        f.man_bits = (uint8_t)(pseudo_random() % 4 ? pseudo_random() % 8 : pseudo_random() % 53);
        if (least_bits > 20)
            f.man_bits = (uint8_t)(10 + pseudo_random() % 43);
        f.is_signed = pseudo_random() & 1;
        f.nan = pseudo_random() & 3;
        f.has_inf = pseudo_random() & 1;
        f.has_zero = pseudo_random() % 8 != 0;
        f.bias = (int16_t)(pseudo_random() % 4
                               ? (1 << (f.exp_bits - 1)) - 1 + (int32_t)(pseudo_random() % 21) - 10
                               : (int32_t)(pseudo_random() % 4097) - 2048);
        if (sf8_format_valid(f) && sf8_format_bits(f) >= least_bits &&
            sf8_format_bits(f) <= most_bits)
            return f;
    }
}

static sf8_policy made_up_policy(void)
{
    sf8_policy policy = sf8_policy_default();
    for (size_t i = 0; sf8_policy_field_at(i); i++) {
        char value[32];
        const char *values = sf8_policy_field_values(i);
        snprintf(value, sizeof value, "%u", 1 + pseudo_random() % 32);
        for (uint32_t skip = pseudo_random() % 8; *values; skip--) {
            size_t n = strcspn(values, " ");
            memcpy(value, values, n);
            value[n] = '\0';
            values += n + (values[n] == ' ');
            if (skip == 0 || *values == '\0')
                break;
        }
        cr_assert(sf8_policy_set(&policy, sf8_policy_field_at(i), value) == SF8_OK, "%s", value);
    }
    return policy;
}

static void name_made_up(table *t, uint64_t seed)
{
    snprintf(t->name, sizeof t->name,
             "made up by %" PRIx64 ": from e%um%u bias %d to e%um%u bias %d", seed,
             t->from.exp_bits, t->from.man_bits, t->from.bias, t->to.exp_bits, t->to.man_bits,
             t->to.bias);
}

/* Random fields of the rows and of the policy, every input. */
Test(steps_inputs, made_up)
{
    random_state = 20240601;
    for (size_t i = 0; i < 20000 / one_in(8); i++) {
        uint64_t seed = random_state;
        table t = {.from = made_up_format(2, i % 16 ? 12 : 16),
                   .to = made_up_format(2, i % 8 ? 10 : 20),
                   .policy = made_up_policy(),
                   .random = pseudo_random(),
                   .by_stretches = 1};
        name_made_up(&t, seed);
        if (!check_every_word(&t))
            return;
    }
}

Test(steps_inputs, made_up_wide)
{
    random_state = 77;
    for (size_t i = 0; i < 6000 / one_in(8); i++) {
        uint64_t seed = random_state;
        table t = {.from = made_up_format(21, 64),
                   .to = made_up_format(2, i % 16 ? 9 : 14),
                   .policy = made_up_policy(),
                   .random = pseudo_random()};
        name_made_up(&t, seed);
        if (check_rows(&t) == 0)
            return;
    }
}

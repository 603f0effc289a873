/* SPDX-License-Identifier: MIT */
/* test_arrays_codes.c -- array conversions from 8-bit codes, and of formats at the ends of a range
 *
 * The expected results are those of the function for one value, which the proof compares with the
 * reference.
 */
#include "arrays/arrays.h"

/* Every code to the wide formats and to some narrow ones, by every policy, in arrays that are worth
 * a table and in one that is not. */
Test(arrays_codes, every_code)
{
    static const char *const targets[] = {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e2m1"};
    uint8_t code[1280];
    uint64_t room[1280];
    for (size_t i = 0; i < COUNT(code); i++)
        code[i] = (uint8_t)(i * 37);
    for (size_t from = 0; from < NARROW; from++)
        for (size_t t = from % one_in(3); t < COUNT(targets); t += one_in(3)) {
            char text[128];
            job j = {.to = format_of(targets[t]), .text = text};
            const char *name = sf8_format_at(from, &j.from);
            const sf8_policy_row *policy_name;
            for (size_t p = 0; (policy_name = sf8_policy_at(p)); p++)
                for (size_t r = 0; r < COUNT(roundings); r += t == 0 ? 1 : 5) {
                    j.policy = policy_of(policy_name->name);
                    cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
                    snprintf(text, sizeof text, "%s to %s, %s %s", name, targets[t],
                             policy_name->name, roundings[r]);
                    check_array(&j, code, r == 0 ? COUNT(code) : 256, room);
                }
        }
}

/* Subnormal numbers of a narrow format, which in a wider one are none, where operands are flushed.
 */
Test(arrays_codes, flushed_codes)
{
    static const char *const formats[] = {"e4m3", "e5m2", "e3m4", "e4m3fnuz", "p3109_k6p3se"};
    uint8_t code[256];
    uint64_t room[256];
    for (size_t i = 0; i < COUNT(code); i++)
        code[i] = (uint8_t)i;
    for (size_t from = 0; from < COUNT(formats); from++)
        for (size_t to = 0; to < COUNT(formats); to++) {
            job j = {
                .to = format_of(formats[to]), .from = format_of(formats[from]), .text = "flush"};
            j.policy = policy_of("ocp flush=inputs");
            check_array(&j, code, COUNT(code), room);
        }
}

/* All numbers of a row are subnormal in f16, which are flushed; they do not overflow. */
Test(arrays_codes, flushed_beyond_the_range)
{
    static uint16_t half[1 << 16];
    static uint8_t room[1 << 16];
    job j = {sf8_format_row(2, 1, 1, SF8_NANS_TOP, 0, 1, 20), SF8_F16,
             policy_of("ocp flush=inputs"), "f16 to a row of small numbers"};
    for (uint32_t i = 0; i < COUNT(half); i++)
        half[i] = (uint16_t)i;
    for (size_t r = 0; r < COUNT(roundings); r++) {
        cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
        check_array(&j, half, COUNT(half), room);
    }
}

/* The largest number of e8m0 without NaN is beyond those of f32. */
Test(arrays_codes, powers_beyond_f32)
{
    uint64_t word[600], room[600];
    job j = {sf8_format_row(8, 0, 0, 0, 0, 0, 127), SF8_F64, SF8_OCP, "f64 to 8 bits of exponent"};
    for (size_t i = 0; i < COUNT(word); i++)
        word[i] = (uint64_t)(1023 + 120 + i / 40) << 52 | (uint64_t)(i % 40) << 47;
    for (size_t r = 0; r < COUNT(roundings); r++) {
        cr_assert(sf8_policy_set(&j.policy, "round", roundings[r]) == SF8_OK);
        check_array(&j, word, COUNT(word), room);
    }
}

/* Only ue5m3 has numbers beyond f16. */
Test(arrays_codes, tables_and_overflow)
{
    static const char *const all[] = {"ocp-nosat round_past_max=next beyond_max=next",
                                      "ocp-nosat beyond_max=max", "ocp-nosat round_past_max=nan"};
    uint8_t code[512];
    uint16_t room[512];
    for (size_t i = 0; i < COUNT(code); i++)
        code[i] = (uint8_t)i;
    for (size_t p = 0; p < COUNT(all); p++) {
        job j = {SF8_F16, format_of("ue5m3"), policy_of(all[p]), all[p]};
        check_array(&j, code, COUNT(code), room);
    }
}

/* The rest goes element by element. */
Test(arrays_codes, other_pairs)
{
    static const char *const names[] = {"f16", "bf16", "tf32", "f32", "f64", "e4m3", "e8m0"};
    uint64_t word[300], room[300];
    for (size_t a = 0; a < COUNT(names); a++)
        for (size_t b = 0; b < COUNT(names); b++) {
            job j = {.to = format_of(names[b]), .from = format_of(names[a]), .policy = SF8_LLVM};
            j.text = names[a];
            for (size_t i = 0; i < 300; i++)
                set_element(word, i, width_of(j.from),
                            (uint64_t)pseudo_random() << 32 | pseudo_random());
            check_array(&j, word, 300, room);
        }
}

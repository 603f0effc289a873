/* SPDX-License-Identifier: MIT */
/* test_arrays_policies.c -- array conversions: every field of a policy, and formats without a name
 *
 * The expected results are those of the function for one value, which the proof compares with the
 * reference.
 */
#include "arrays/steps.h"

enum {
#define ONE(name, width, values) FIELD_##name,
    SF8_POLICY_FIELDS(ONE) FIELDS
#undef ONE
};

/* Every value of every field alone, and pairs of them at random, upon two policies. */
Test(arrays_policies, every_field)
{
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    char text[160], values[64];
    static const char *const sources[] = {"f32", "f16", "bf16", "f64"};
    for (size_t round = 0; round < 4000 / one_in(4); round++) {
        job j = {.text = text};
        const char *name = sf8_format_at(pseudo_random() % NARROW, &j.to);
        const char *from = sources[pseudo_random() % COUNT(sources)];
        j.from = format_of(from);
        j.policy = pseudo_random() & 1 ? SF8_OCP : SF8_OCP_NOSAT;
        int used = snprintf(text, sizeof text, "%s to %s:", from, name);
        for (size_t k = 0; k < 1 + round % 4; k++) {
            size_t field = pseudo_random() % FIELDS;
            const char *names = sf8_policy_field_values(field);
            cr_assert(names != NULL && strlen(names) < sizeof values);
            if (!*names)
                continue;
            strcpy(values, names);
            size_t count = 1;
            for (const char *c = values; *c; c++)
                count += *c == ' ';
            char *value = strtok(values, " ");
            for (size_t skip = pseudo_random() % count; skip; skip--)
                value = strtok(NULL, " ");
            if (strcmp(value, "sr") == 0)
                continue;
            cr_assert(sf8_policy_set(&j.policy, sf8_policy_field_at(field), value) == SF8_OK);
            used += snprintf(text + used, sizeof text - (size_t)used, " %s=%s",
                             sf8_policy_field_at(field), value);
        }
        if (width_of(j.from) >= 4) {
            check_steps(&j, w);
            continue;
        }
        uint16_t word[1024];
        for (size_t i = 0; i < 1024; i++)
            word[i] = (uint16_t)(i << 6 | (pseudo_random() & 63));
        check_array(&j, word, 1024, w->room);
    }
    free(w);
}

/* Sets a field to a number, which may have no name. Returns 0 if the field has no such number. */
static int set_number(sf8_policy *policy, size_t field, unsigned number)
{
    switch (field) {
#define ONE(name, width, values)                                                                   \
    case FIELD_##name:                                                                             \
        policy->name = number & ((1u << (width)) - 1);                                             \
        return number < 1u << (width);
        SF8_POLICY_FIELDS(ONE)
#undef ONE
    default:
        return 0;
    }
}

/* A field of k bits has 2^k values, of which not all have names. Whatever the others mean, they
 * mean the same to arrays. */
Test(arrays_policies, values_without_a_name)
{
    static const char *const targets[] = {"e4m3",  "e2m1", "e8m0", "e5m2fnuz",
                                          "ue4m3", "f16",  "bf16", "f32"};
    /* Beyond the largest numbers of f16 and bf16, and nearest to them. */
    static const uint32_t beyond[] = {0x477fe001, 0xc77fefff, 0x7f7f0001, 0xff7f7fff};
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    char text[160];
    uint64_t doubles[900];
    for (size_t i = 0; i < COUNT(doubles); i++) /* every exponent around those of f32 */
        doubles[i] = (uint64_t)(i % 2048 / 3 + 870) << 52 | (uint64_t)(i & 1) << 63 |
                     (uint64_t)(pseudo_random() & 7) << 49 | (uint64_t)(i % 3) << 28;
    doubles[0] = 1, doubles[1] = 0xfff0000000000000, doubles[2] = 0x7ff0000000000001;
    doubles[3] = 0x380fffffffffffff; /* rounds to the smallest normal number of f32 */
    for (size_t to = 0; to < COUNT(targets); to++) {
        for (size_t field = 0; field < FIELDS; field++) {
            job j = {format_of(targets[to]), SF8_F32, SF8_OCP_NOSAT, text};
            for (unsigned number = 0; set_number(&j.policy, field, number); number++) {
                if (field == FIELD_sr_bits || j.policy.round == SF8_SR)
                    continue;
                snprintf(text, sizeof text, "f32 to %s: %s is %u", targets[to],
                         sf8_policy_field_at(field), number);
                if (sf8_format_bits(j.to) <= 8)
                    check_steps(&j, w);
                for (uint32_t i = 0; i < MOST / 16; i++)
                    set_element(w->word, i, 4, i << 20 | (pseudo_random() & 0xfffff));
                for (size_t i = 0; i < COUNT(beyond); i++)
                    set_element(w->word, i, 4, beyond[i]);
                check_array(&j, w->word, MOST / 16, w->room);
                j.from = SF8_F16;
                for (uint32_t i = 0; i < MOST / 16; i++)
                    set_element(w->word, i, 2, i << 4 | (pseudo_random() & 15));
                check_array(&j, w->word, MOST / 16, w->room);
                j.from = SF8_F64;
                check_array(&j, doubles, COUNT(doubles), w->room);
                j.from = SF8_F32;
            }
        }
    }
    free(w);
}

/* Rows of no name, of every width: the family of P3109, and a few of our own. */
Test(arrays_policies, formats_of_no_name)
{
    words *w = malloc(sizeof *w);
    cr_assert(w != NULL);
    for (int32_t k = 3; k <= 8; k++)
        for (int32_t p = 1; p <= k; p++)
            for (int32_t kind = 0; kind < 4; kind++) {
                if (!sf8_p3109_exists(k, p, kind & 1))
                    continue;
                char text[64];
                job j = {.to = sf8_p3109_format(k, p, kind & 1, kind >> 1),
                         .from = SF8_F32,
                         .text = text};
                for (unsigned r = 0; r < COUNT(roundings); r++) {
                    j.policy = (r + (unsigned)p) % 2 ? SF8_P3109_SATNONE : SF8_P3109_SATPROPAGATE;
                    snprintf(text, sizeof text, "p3109 k %d p %d kind %d %s", (int)k, (int)p,
                             (int)kind, roundings[r]);
                    j.policy.round = r & SF8_ROUND_MASK;
                    check_steps(&j, w);
                }
            }
    for (int32_t bias = -80; bias <= 120; bias += 5) {
        char text[64];
        job j = {.to = sf8_format_row(4, 3, 1, SF8_NANS_TOP, 0, 1, bias),
                 .from = SF8_F32,
                 .policy = SF8_CUDA_NOSAT,
                 .text = text};
        snprintf(text, sizeof text, "4, 3, bias %d", (int)bias);
        check_steps(&j, w);
        j.policy.round = SF8_RU;
        check_steps(&j, w);
    }
    free(w);
}

/* An infinity of f16 need not be an overflow. */
Test(arrays_policies, f16_to_larger_ranges)
{
    static uint8_t room[MOST];
    static uint16_t word[MOST];
    for (size_t i = 0; i < MOST; i++)
        word[i] = (uint16_t)i;
    for (int32_t bias = -20; bias <= 20; bias++) {
        char text[64];
        job j = {.to = sf8_format_row(5, 2, 1, SF8_NANS_TOP, 0, 1, bias),
                 .from = SF8_F16,
                 .policy = bias & 1 ? SF8_OCP : SF8_OCP_NOSAT,
                 .text = text};
        snprintf(text, sizeof text, "f16 to 5, 2, bias %d", (int)bias);
        check_array(&j, word, MOST, room);
    }
}

/* Formats of 16 bits that differ from f16 or bf16 in a bias, or in what their largest codes are. */
Test(arrays_policies, own_halves)
{
    static const char *const fields[] = {"nan=ieee", "nan=top", "nan=none"};
    static const struct {
        int exp_bits, man_bits, least, most;
    } kinds[] = {{5, 10, 13, 17}, {8, 7, 126, 130}};
    enum { WORDS = 4096 };
    static uint32_t word[WORDS];
    static uint64_t room[WORDS];
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t bits = i * 2654435761u, exponent = i % 3 ? 100 + bits % 48 : bits >> 24;
        word[i] = (i & 1) << 31 | exponent << 23 | (bits >> 9 & 0x7fffff & ~((1u << i % 16) - 1));
    }
    for (size_t k = 0; k < COUNT(kinds); k++)
        for (int bias = kinds[k].least; bias <= kinds[k].most; bias++)
            for (size_t f = 0; f < COUNT(fields); f++)
                for (size_t r = 0; r < 2; r++) {
                    char text[64];
                    job j = {.from = SF8_F32, .policy = r ? SF8_OCP : SF8_OCP_NOSAT, .text = text};
                    snprintf(text, sizeof text, "e=%d m=%d bias=%d %s", kinds[k].exp_bits,
                             kinds[k].man_bits, bias, fields[f]);
                    cr_assert(sf8_format_read(text, &j.to, NULL) == SF8_OK, "%s", text);
                    check_array(&j, word, WORDS, room);
                }
}

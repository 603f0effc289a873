/* SPDX-License-Identifier: MIT */
/* check_map.c -- that the table of a conversion gives what the library gives, for every policy
 *
 * Sources of 16 bits: every word. Wider ones: every prefix of 16 bits, with words from both of its
 * ends and its middle, and random ones. The library is the reference here: what it gives has tests
 * of its own. In the short tier one policy in four is taken.
 */
#include "base/random.h"
#include "convert/map.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t checks, failures;

static void check(const convert_map *map, const char *what, uint64_t word)
{
    uint64_t expected = sf8_convert(map->to, map->from, word, map->policy);
    uint64_t got = convert_map_code(map, word);
    checks++;
    if (got == expected)
        return;
    if (failures++ < 20)
        printf("%s: %llx gives %llx instead of %llx\n", what, (unsigned long long)word,
               (unsigned long long)got, (unsigned long long)expected);
}

static uint64_t random_word(void)
{
    static uint64_t state = 1;
    return word_random_linear(&state) >> 16;
}

/* Few entries may say MAP_ASK: the table would be right, and no use. */
static void check_use(const convert_map *map, const char *what, uint64_t entries)
{
    uint64_t asking = 0;
    for (uint64_t i = 0; i < entries; i++)
        asking += map->entry[i] == MAP_ASK;
    checks++;
    if (asking <= entries / 50)
        return;
    failures++;
    printf("%s: %llu entries of %llu are not known\n", what, (unsigned long long)asking,
           (unsigned long long)entries);
}

static void check_pair(const char *from, const char *to, sf8_policy policy, const char *policy_name)
{
    char what[128];
    snprintf(what, sizeof what, "%s to %s, %s", from, to, policy_name);
    sf8_format f = format_of_name(from);
    int bits = sf8_format_bits(f), wide = bits > 16;
    convert_map map;
    if (!convert_map_make(&map, f, format_of_name(to), policy)) {
        failures++;
        printf("%s: no table\n", what);
        return;
    }
    uint64_t entries = UINT64_C(1) << (wide ? 16 : bits), rest = (UINT64_C(1) << map.shift) - 1;
    check_use(&map, what, entries);
    for (uint64_t i = 0; i < entries; i++) {
        uint64_t word = i << map.shift, half = (rest + 1) / 2;
        check(&map, what, word);
        if (!wide)
            continue;
        uint64_t low[] = {1, half - 1, half, half + 1, rest, random_word() & rest};
        for (size_t k = 0; k < sizeof low / sizeof low[0]; k++)
            check(&map, what, word | low[k]);
    }
    convert_map_free(&map);
}

static void check_pairs(sf8_policy policy, const char *policy_name, int all_sources)
{
    static const char *const targets[] = {"e4m3", "e5m2", "e2m1", "e8m0", "e4m3fnuz"};
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++) {
        check_pair("f32", targets[t], policy, policy_name);
        if (!all_sources)
            continue;
        check_pair("f16", targets[t], policy, policy_name);
        check_pair("bf16", targets[t], policy, policy_name);
    }
}

int main(void)
{
    fail_as("check_map");
    const char *tier = getenv("SOFTFP8_TIER");
    size_t step = tier && strcmp(tier, "short") == 0 ? 4 : 1;
    for (size_t i = 0; policy_name_at(i); i += step)
        check_pairs(sf8_policy_named(policy_name_at(i), NULL), policy_name_at(i), i % 8 == 0);
    static const char *const rounds[] = {SF8_ROUNDINGS(SF8_ROUNDING_NAME)};
    for (size_t i = 1; i < sizeof rounds / sizeof rounds[0]; i++) {
        sf8_policy policy = sf8_policy_named("p3109-satnone", NULL);
        policy.flush = i % 2 ? SF8_FLUSH_INPUTS : SF8_FLUSH_BOTH;
        if (sf8_policy_set(&policy, "round", rounds[i]) != SF8_OK)
            return STATUS_USAGE;
        check_pairs(policy, rounds[i], i == 1);
    }
    check_pair("f64", "e4m3", SF8_OCP, "ocp");
    check_pair("f64", "e8m0", SF8_ML_DTYPES, "ml_dtypes");
    check_pair("f32", "p3109_k3p1ue", SF8_P3109_SATNONE, "p3109-satnone");
    check_pair("e4m3", "f32", SF8_OCP_NOSAT, "ocp-nosat");
    check_pair("f16", "tf32", SF8_TORCH_DECODE, "torch-decode");
    printf("%llu checks, %llu failed\n", (unsigned long long)checks, (unsigned long long)failures);
    return failures ? STATUS_MISMATCH : STATUS_HELD;
}

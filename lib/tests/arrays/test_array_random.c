/* SPDX-License-Identifier: MIT */
/* test_array_random.c -- random words and seeded conversions: published words, pieces, every level
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* setenv */
#endif
#include "arrays/arrays.h"
#include "arrays/level.h"

/* Philox4x32-10 as Salmon, Moraes, Dror and Shaw describe it (SC11, 2011). */
static void philox(uint32_t words[4], const uint32_t counter[4], const uint32_t key[2])
{
    uint32_t k0 = key[0], k1 = key[1];
    memcpy(words, counter, 16);
    for (int round = 0; round < 10; round++) {
        uint64_t a = (uint64_t)0xd2511f53 * words[0], b = (uint64_t)0xcd9e8d57 * words[2];
        uint32_t next[4] = {(uint32_t)(b >> 32) ^ words[1] ^ k0, (uint32_t)b,
                            (uint32_t)(a >> 32) ^ words[3] ^ k1, (uint32_t)a};
        memcpy(words, next, 16);
        k0 += 0x9e3779b9;
        k1 += 0xbb67ae85;
    }
}

/* The known answers of Random123 1.14.0, tests/kat_vectors. */
Test(array_random, published_words)
{
    static const struct known {
        uint32_t counter[4], key[2], words[4];
    } rows[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    uint32_t words[4];
    for (size_t i = 0; i < COUNT(rows); i++) {
        philox(words, rows[i].counter, rows[i].key);
        cr_expect(memcmp(words, rows[i].words, 16) == 0, "row %zu", i);
    }
    sf8_random_n(words, 4, 0, 0);
    cr_expect(memcmp(words, rows[0].words, 16) == 0);
}

static uint32_t word_at(uint64_t seed, uint64_t place)
{
    uint64_t block = place / 4;
    const uint32_t counter[4] = {(uint32_t)block, (uint32_t)(block >> 32), 0, 0};
    const uint32_t key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    uint32_t words[4];
    philox(words, counter, key);
    return words[place % 4];
}

/* Every length, from places around each carry of the counter. */
static void check_level(const char *level)
{
    enum { MOST = 700 };
    static const uint64_t seeds[] = {0, 1, 0x123456789abcdef0, UINT64_MAX};
    static const uint64_t firsts[] = {0,
                                      1,
                                      2,
                                      3,
                                      63,
                                      511,
                                      ((uint64_t)1 << 34) - 6,
                                      ((uint64_t)1 << 34) - 300,
                                      ((uint64_t)1 << 63) + 5};
    uint32_t words[MOST + 1];
    use_level(level);
    for (size_t s = 0; s < COUNT(seeds); s++)
        for (size_t f = 0; f < COUNT(firsts); f++)
            for (size_t n = 0; n <= MOST; n += n < 140 ? 1 : 61) {
                memset(words, 0xa5, sizeof words);
                sf8_random_n(words, n, seeds[s], firsts[f]);
                for (size_t i = 0; i < n; i++)
                    EXPECT(words[i] == word_at(seeds[s], firsts[f] + i), "%s, %zu of %zu, seed %zu",
                           level, i, n, s);
                EXPECT(words[n] == 0xa5a5a5a5, "%s, behind %zu", level, n);
            }
}

Test(array_random, portable)
{
    check_level("portable");
}

Test(array_random, avx2)
{
    check_level("avx2");
}

Test(array_random, avx512)
{
    check_level("avx512");
}

Test(array_random, neon)
{
    check_level("neon");
}

/* As with an array of the words, whole and cut at any place. */
Test(array_random, seeded_conversions)
{
    enum { N = 9000, SEED = 20261126, FIRST = 77 };
    static const char *const targets[] = {"e4m3", "bf16", "e2m1", "tf32"};
    static uint32_t src[N], random[N];
    static unsigned char want[4 * N], got[4 * N];
    sf8_policy policy = policy_of("ocp round=sr");
    for (size_t i = 0; i < N; i++)
        src[i] = pseudo_random();
    sf8_random_n(random, N, SEED, FIRST);
    for (size_t t = 0; t < COUNT(targets); t++) {
        sf8_format to = format_of(targets[t]);
        size_t width = width_of(to), cut = 4095 + t;
        cr_expect(sf8_convert_sr_n(to, want, SF8_F32, src, N, policy, random) == SF8_OK);
        cr_expect(sf8_convert_seeded_n(to, got, SF8_F32, src, N, policy, SEED, FIRST) == SF8_OK);
        cr_expect(memcmp(got, want, N * width) == 0, "%s", targets[t]);
        memset(got, 0, sizeof got);
        cr_expect(sf8_convert_seeded_n(to, got, SF8_F32, src, cut, policy, SEED, FIRST) == SF8_OK);
        cr_expect(sf8_convert_seeded_n(to, got + cut * width, SF8_F32, src + cut, N - cut, policy,
                                       SEED, FIRST + cut) == SF8_OK);
        cr_expect(memcmp(got, want, N * width) == 0, "%s in two pieces", targets[t]);
    }
    cr_expect(sf8_convert_seeded_n(SF8_E4M3, got, SF8_F32, src, N, SF8_OCP, SEED, 0) == SF8_OK);
    cr_expect(sf8_convert_n(SF8_E4M3, want, SF8_F32, src, N, SF8_OCP) == SF8_OK);
    cr_expect(memcmp(got, want, N) == 0, "a rounding that takes no random words");
}

/* A policy has room for four rules and names for three: the fourth is A everywhere. */
Test(array_random, rules)
{
    enum { N = 4096 };
    static uint32_t src[N], random[N];
    static uint16_t got[N];
    static const int32_t bits[] = {1, 4, 7, 13};
    sf8_policy policy = policy_of("ocp round=sr");
    for (size_t i = 0; i < N; i++) {
        src[i] = i % 2 ? pseudo_random() : 0x38000000 + (pseudo_random() >> 4);
        random[i] = pseudo_random();
    }
    for (uint32_t k = 0; k < 4 * COUNT(bits); k++) {
        policy.sr_rule = k & 3;
        policy.sr_bits = (uint32_t)bits[k / 4] & 63;
        cr_expect(sf8_convert_sr_n(SF8_BF16, got, SF8_F32, src, N, policy, random) == SF8_OK);
        for (size_t i = 0; i < N; i++) {
            sf8_result want = sf8_convert_sr(SF8_BF16, SF8_F32, src[i], policy, random[i]);
            cr_assert(got[i] == want.code, "rule %u, %d bits, %08x", k & 3, bits[k / 4], src[i]);
        }
    }
}

/* Policies that decide what becomes of large and small results, and of no numbers. */
Test(array_random, policies)
{
    enum { N = 4096 };
    static const char *const targets[] = {"e4m3", "e5m2", "e4m3fnuz", "e2m1", "f16", "tf32"};
    static const char *const all[] = {"ocp round=sr",
                                      "ocp-nosat round=sr",
                                      "ocp-nosat round=sr overflow=special made_nan_sign=signed",
                                      "ocp round=sr overflow=zero inf=zero",
                                      "ocp round=sr flush=inputs",
                                      "ocp-nosat round=sr flush=outputs inf=max",
                                      "ocp-nosat round=sr sr_rule=c nan_sign=signed"};
    static uint32_t src[N], random[N];
    static unsigned char got[4 * N];
    for (size_t i = 0; i < N; i++) {
        src[i] = i % 4 ? 0x30000000 + (pseudo_random() >> 3) : pseudo_random();
        src[i] |= pseudo_random() << 31;
        random[i] = pseudo_random();
    }
    src[0] = 0x7f800000, src[1] = 0xff800000, src[2] = 0x80000000, src[3] = 0xffc00000;
    for (size_t k = 0; k < COUNT(targets) * COUNT(all); k++) {
        sf8_format to = format_of(targets[k / COUNT(all)]);
        sf8_policy policy = policy_of(all[k % COUNT(all)]);
        cr_expect(sf8_convert_sr_n(to, got, SF8_F32, src, N, policy, random) == SF8_OK);
        for (size_t i = 0; i < N; i++) {
            sf8_result want = sf8_convert_sr(to, SF8_F32, src[i], policy, random[i]);
            cr_assert(element(got, i, width_of(to)) == want.code, "%s, %s, %08x",
                      targets[k / COUNT(all)], all[k % COUNT(all)], src[i]);
        }
    }
}

Test(array_random, refusals)
{
    sf8_policy policy = policy_of("ocp round=sr");
    sf8_format bad = sf8_format_row(0, 3, 1, 0, 0, 1, 7);
    unsigned char byte = 1;
    cr_expect(sf8_convert_seeded_n(SF8_E4M3, NULL, SF8_F32, NULL, 0, policy, 1, 2) == SF8_OK);
    cr_expect(sf8_convert_seeded_n(bad, &byte, SF8_F32, &byte, 1, policy, 1, 2) == SF8_BAD_FORMAT);
    cr_expect(sf8_convert_seeded_n(SF8_E4M3, &byte, SF8_F32, &byte, SIZE_MAX / 2, policy, 1, 2) ==
              SF8_BAD_CALL);
    sf8_random_n(NULL, 0, 1, 2);
    cr_expect(byte == 1);
}

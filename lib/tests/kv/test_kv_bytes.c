/* SPDX-License-Identifier: MIT */
/* test_kv_bytes.c -- bytes of a token in a cache: published figures, and figures computed by
 * hand */
#include "softfp8_kv.h"
#include "table.h"

static sf8_kv_type type_of(const char *name)
{
    sf8_kv_type t;
    cr_assert(sf8_kv_type_named(&t, name) == SF8_OK, "no type %s", name);
    return t;
}

static const sf8_kv_shape model_70b = {80, 8, 128, 0, 0}; /* 80 layers, 8 heads of 128 */
static const sf8_kv_shape model_28 = {28, 8, 128, 0, 0};
static const sf8_kv_shape one_vector = {1, 1, 128, 0, 0};
static const sf8_kv_shape deepseek = {1, 0, 0, 512, 64};

static const sf8_kv_shape *shape_of(const char *name)
{
    return strcmp(name, "70b") == 0   ? &model_70b
           : strcmp(name, "28") == 0  ? &model_28
           : strcmp(name, "one") == 0 ? &one_vector
                                      : &deepseek;
}

Test(kv_bytes, of_a_token)
{
    table known = table_read("kv/token_bytes.txt");
    size_t n = 0;
    for (size_t i = 0; i < known.count; i++) {
        char *const *word = known.line[i].word;
        sf8_kv_type t = type_of(word[0]);
        uint64_t num = 0, den = 0;
        cr_assert(sf8_kv_token_bytes(&t, shape_of(word[1]), &num, &den) == SF8_OK);
        EXPECT(num == strtoull(word[2], NULL, 10) && den == 1, "%s: %" PRIu64 " / %" PRIu64,
               word[0], num, den);
    }
    for (const sf8_kv_type *t; (t = sf8_kv_type_at(n)) != NULL; n++) {
        size_t seen = 0;
        for (size_t i = 0; i < known.count; i++)
            seen += strcmp(known.line[i].word[0], t->name) == 0;
        EXPECT(seen > 0 && t->source[0], "%s is not in the test", t->name);
    }
    table_free(&known);
}

/* Keys along tokens: a group of 32 tokens has 4 bytes for each of 40 channels, so a token 5.
 * Values: 40 channels are two groups. 20 channels of 2 bits: 5 + 2.5 and 5 + 4. An odd size, and
 * one that is not a whole number of groups. */
Test(kv_bytes, odd_sizes)
{
    static const struct {
        const char *type;
        uint32_t size;
        uint64_t num, den;
    } rows[] = {
        {"kivi-int4", 40, 20 + 5 + 20 + 8, 1},
        {"kivi-int4", 4, 2 * 2 * 2 + 1 + 8, 2},
        {"kivi-int2", 20, 33, 2},
        {"nvfp4", 20, 2 * (10 + 2), 1},
        {"indexer", 130, 130 + 8, 1},
        {"fp8-per-token-head", 7, 2 * 11, 1},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_type t = type_of(rows[i].type);
        sf8_kv_shape shape = {1, 1, rows[i].size, 0, 0};
        uint64_t num = 0, den = 0;
        cr_assert(sf8_kv_token_bytes(&t, &shape, &num, &den) == SF8_OK, "%zu", i);
        EXPECT(num == rows[i].num && den == rows[i].den, "%zu: %" PRIu64 " / %" PRIu64, i, num,
               den);
    }
}

/* 8.5 bytes of one head are 17 of two, and 51 / 2 of three. */
Test(kv_bytes, lowest_terms)
{
    sf8_kv_type t = type_of("kivi-int4");
    for (uint32_t heads = 1; heads < 4; heads++) {
        sf8_kv_shape shape = {1, heads, 4, 0, 0};
        uint64_t num = 0, den = 0;
        cr_assert(sf8_kv_token_bytes(&t, &shape, &num, &den) == SF8_OK);
        EXPECT(num == (heads == 2 ? 17 : 17 * heads) && den == (heads == 2 ? 1 : 2),
               "%u: %" PRIu64 " / %" PRIu64, heads, num, den);
    }
}

/* Ratios to bf16: 132 / 256, 68 / 256, .625 / 2, .5625 / 2. */
Test(kv_bytes, ratios)
{
    static const struct {
        const char *type;
        uint64_t of_256;
    } rows[] = {{"fp8", 128},  {"fp8-per-token-head", 132}, {"int4-per-token-head", 68},
                {"nvfp4", 72}, {"kivi-int4", 80},           {"kivi-int2", 48}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_type t = type_of(rows[i].type), bf16 = type_of("bf16");
        uint64_t num, den, all, one;
        cr_assert(sf8_kv_token_bytes(&t, &model_70b, &num, &den) == SF8_OK);
        cr_assert(sf8_kv_token_bytes(&bf16, &model_70b, &all, &one) == SF8_OK);
        EXPECT(num * 256 == all * den * rows[i].of_256, "%s", rows[i].type);
    }
}

/* 131,072 tokens are 40 GiB and 20; 43,928 tokens of 114,688 bytes 4.69 GiB. A pool whose tokens of
 * bf16 end in a half or more has one more than twice as many of FP8. */
Test(kv_bytes, tokens)
{
    static const struct {
        const char *type;
        const sf8_kv_shape *shape;
        uint64_t bytes, tokens;
    } rows[] = {
        {"bf16", &model_70b, UINT64_C(40) << 30, 131072},
        {"fp8", &model_70b, UINT64_C(20) << 30, 131072},
        {"fp8", &model_70b, (UINT64_C(20) << 30) - 1, 131071},
        {"bf16", &model_28, UINT64_C(43928) * 114688, 43928},
        {"fp8", &model_28, UINT64_C(43928) * 114688, 87856},
        {"bf16", &model_28, UINT64_C(43928) * 114688 + 57344, 43928},
        {"fp8", &model_28, UINT64_C(43928) * 114688 + 57344, 87857},
        {"bf16", &model_28, UINT64_C(24436) * 114688 + 57343, 24436},
        {"fp8", &model_28, UINT64_C(24436) * 114688 + 57343, 48872},
        {"fp8", &model_28, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_type t = type_of(rows[i].type);
        uint64_t tokens = 0;
        cr_assert(sf8_kv_tokens(&t, rows[i].shape, rows[i].bytes, &tokens) == SF8_OK);
        EXPECT(tokens == rows[i].tokens, "%zu: %" PRIu64, i, tokens);
    }
    uint64_t hundredths = UINT64_C(43928) * 114688 * 100 >> 30;
    EXPECT(hundredths == 469, "%" PRIu64, hundredths);
}

/* Types of one's own whose tokens are fractions of 500, 1021 and 1024 parts, and any number of
 * bytes; in fractions. */
Test(kv_bytes, any_number_of_bytes)
{
    static const struct {
        uint32_t bits, group, more, size, heads, layers;
        uint64_t num, den, tokens[4];
    } rows[] = {
        {4,
         1000,
         7,
         6,
         1,
         1,
         6521,
         500,
         {76675, UINT64_C(5525041714302095), UINT64_C(5525041714302095),
          UINT64_C(1414410678861336575)}},
        {4,
         1021,
         7,
         6,
         1,
         1,
         13315,
         1021,
         {76680, UINT64_C(5525407699040512), UINT64_C(5525407699040512),
          UINT64_C(1414504370954371175)}},
        {8,
         1024,
         1,
         3,
         1,
         1,
         7171,
         1024,
         {142797, UINT64_C(10289635517339032), UINT64_C(10289635517339033),
          UINT64_C(2634146692438792477)}},
        {4,
         1000,
         7,
         6,
         3,
         5,
         19563,
         100,
         {5111, UINT64_C(368336114286806), UINT64_C(368336114286806), UINT64_C(94294045257422438)}},
    };
    const uint64_t bytes[4] = {1000000, (UINT64_C(1) << 56) - 1, UINT64_C(1) << 56, UINT64_MAX};
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_type t = {"own", SF8_KV_KEYS_VALUES, rows[i].bits, rows[i].group, rows[i].more, 1, 0,
                         "test"};
        sf8_kv_shape shape = {rows[i].layers, rows[i].heads, rows[i].size, 0, 0};
        uint64_t num = 0, den = 0, tokens = 0;
        cr_assert(sf8_kv_token_bytes(&t, &shape, &num, &den) == SF8_OK);
        EXPECT(num == rows[i].num && den == rows[i].den, "%zu: %" PRIu64 " / %" PRIu64, i, num,
               den);
        for (size_t k = 0; k < 4; k++) {
            cr_assert(sf8_kv_tokens(&t, &shape, bytes[k], &tokens) == SF8_OK);
            EXPECT(tokens == rows[i].tokens[k], "%zu %zu: %" PRIu64, i, k, tokens);
        }
    }
}

/* 32 layers, 32 heads: half a MiB; 4,000 tokens 2.1 GB, 32 such users 67.1. */
Test(kv_bytes, multi_head)
{
    sf8_kv_shape shape = {32, 32, 128, 0, 0};
    sf8_kv_type t = type_of("bf16");
    uint64_t num, den;
    cr_assert(sf8_kv_token_bytes(&t, &shape, &num, &den) == SF8_OK);
    EXPECT(num == 524288 && den == 1, "%" PRIu64, num);
    EXPECT(num * 4000 * 32 == UINT64_C(67108864000), "%" PRIu64, num * 4000 * 32);
}

Test(kv_bytes, refused)
{
    static const struct {
        const char *type;
        sf8_kv_shape shape;
    } rows[] = {
        {"bf16", {0, 8, 128, 0, 0}},       {"bf16", {80, 0, 128, 0, 0}},
        {"bf16", {80, 8, 0, 0, 0}},        {"bf16", {65536, 8, 128, 0, 0}},
        {"bf16", {80, 65536, 128, 0, 0}},  {"bf16", {80, 8, 65536, 0, 0}},
        {"nvfp4", {80, 8, 127, 0, 0}},     {"kivi-int2", {80, 8, 126, 0, 0}},
        {"mla-bf16", {61, 1, 128, 0, 64}}, {"mla-bf16", {61, 0, 0, 512, 65536}},
    };
    uint64_t num = 7, den = 7, tokens = 7;
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_kv_type t = type_of(rows[i].type);
        EXPECT(sf8_kv_token_bytes(&t, &rows[i].shape, &num, &den) == SF8_BAD_CALL, "%zu", i);
        EXPECT(sf8_kv_tokens(&t, &rows[i].shape, 1, &tokens) == SF8_BAD_CALL, "%zu", i);
    }
    sf8_kv_type t = type_of("bf16");
    EXPECT(num == 7 && den == 7 && tokens == 7, "written to");
    for (int i = 0; i < 6; i++) { /* a type of one's own that cannot be */
        t = type_of("mla-fp8-ds");
        *(i == 0   ? &t.bits
          : i == 1 ? &t.bits
          : i == 2 ? &t.group
          : i == 3 ? &t.more
          : i == 4 ? &t.rope_bits
                   : &t.bits) = (const uint32_t[]){0, 65, 1025, 65, 65, UINT32_MAX}[i];
        EXPECT(sf8_kv_token_bytes(&t, &deepseek, &num, &den) == SF8_BAD_CALL, "%d", i);
    }
    EXPECT(num == 7 && den == 7, "written to");
    t.bits = 99;
    EXPECT(sf8_kv_type_named(&t, "fp7") == SF8_UNKNOWN_NAME && t.bits == 99, "fp7");
    sf8_kv_shape largest = {65535, 65535, 65535, 0, 0}, plain = {61, 0, 0, 512, 0};
    t = type_of("f32");
    EXPECT(sf8_kv_token_bytes(&t, &largest, &num, &den) == SF8_OK &&
               num == UINT64_C(65535) * 65535 * 65535 * 8,
           "%" PRIu64, num);
    t = type_of("mla-bf16");
    EXPECT(sf8_kv_token_bytes(&t, &plain, &num, &den) == SF8_OK && num == 61 * 1024, "no rope");
}

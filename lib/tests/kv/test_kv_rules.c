/* SPDX-License-Identifier: MIT */
/* test_kv_rules.c -- readers of caches and scale rules
 *
 * Readers are compared with a decoder and roundings of this file, in double, where every product of
 * a code and an f32 is exact; values that are not numbers with literals.
 */
#include "softfp8_blocks.h"
#include "softfp8_kv.h"
#include "table.h"

#include <math.h>

/* ---- readers --------------------------------------------------------------------------------- */

/* The value of a code without NaN and infinity: sign, exponent field, mantissa. */
static double plain_value(uint32_t code, int man_bits, int bias)
{
    int m = (int)(code & ((1u << man_bits) - 1)), e = (int)(code & 0x7f) >> man_bits;
    double v = e ? ldexp((1 << man_bits) + m, e - bias - man_bits) : ldexp(m, 1 - bias - man_bits);
    return code & 0x80 ? -v : v;
}

/* Rounds to nearest even with this many bits and this smallest last place; infinity at `limit` and
 * beyond. */
static double rounded(double x, int bits, int least, double limit)
{
    int e;
    if (x == 0)
        return x;
    frexp(x, &e);
    e = e - bits < least ? least : e - bits;
    double y = ldexp(nearbyint(ldexp(x, -e)), e);
    return fabs(y) >= limit ? copysign(INFINITY, x) : y;
}

static uint32_t f16_word(double x)
{
    uint32_t sign = signbit(x) ? 0x8000 : 0;
    int e;
    x = fabs(rounded(x, 11, -24, 65536));
    if (x == 0 || isinf(x))
        return sign | (x == 0 ? 0 : 0x7c00);
    frexp(x, &e);
    return sign | (e < -13 ? (uint32_t)ldexp(x, 24)
                           : (uint32_t)((e + 14) << 10) + (uint32_t)ldexp(x, 11 - e) - 1024);
}

static uint32_t bf16_word(double x)
{
    return sf8_f32_bits((float)rounded(x, 8, -133, 0x1p128)) >> 16;
}

static sf8_kv_reader reader_of(const char *name)
{
    sf8_kv_reader r;
    cr_assert(sf8_kv_reader_named(&r, name) == SF8_OK, "no reader %s", name);
    return r;
}

static uint32_t read_one(const char *name, uint32_t code, float s)
{
    sf8_kv_reader r = reader_of(name);
    uint8_t byte = (uint8_t)code;
    uint32_t word = 0;
    uint16_t half = 0;
    if (sf8_format_bits(r.out) == 32) {
        sf8_kv_read_n(&r, &word, &byte, 1, s);
        return word;
    }
    sf8_kv_read_n(&r, &half, &byte, 1, s);
    return half;
}

/* How each of them reads a number. */
enum { TO_HALF, TO_BF16, TO_FLOAT, BY_HALF };
static const struct {
    const char *name;
    int man_bits, bias, out, folded, all_numbers;
} readers[] = {
    {"vllm-half", 3, 7, TO_HALF, 0, 0},         {"vllm-bf16", 3, 7, TO_BF16, 0, 0},
    {"vllm-float", 3, 7, TO_FLOAT, 0, 0},       {"vllm-float2", 3, 7, BY_HALF, 0, 0},
    {"vllm-half-e5m2", 2, 15, TO_HALF, 0, 0},   {"vllm-bf16-e5m2", 2, 15, TO_BF16, 0, 0},
    {"vllm-float-e5m2", 2, 15, TO_FLOAT, 0, 0}, {"vllm-float2-e5m2", 2, 15, BY_HALF, 0, 0},
    {"vllm-rocm-half", 3, 8, TO_HALF, 0, 0},    {"vllm-rocm-bf16", 3, 8, TO_BF16, 0, 0},
    {"vllm-rocm-float", 3, 8, TO_FLOAT, 0, 0},  {"vllm-triton-half", 3, 7, TO_HALF, 0, 0},
    {"vllm-triton-bf16", 3, 7, TO_BF16, 0, 0},  {"vllm-ds-mla", 3, 7, TO_BF16, 0, 0},
    {"flashinfer-bf16", 3, 7, TO_BF16, 1, 1},   {"flashinfer-bf16-e5m2", 2, 15, TO_BF16, 1, 1},
    {"flashinfer-half", 3, 7, TO_HALF, 1, 1},   {"flashinfer-half-e5m2", 2, 15, TO_HALF, 1, 0},
    {"sglang-half", 3, 7, TO_HALF, 1, 0},       {"sglang-bf16", 3, 7, TO_BF16, 1, 0},
    {"minisgl-bf16", 3, 7, TO_BF16, 1, 0},      {"fa3", 3, 7, TO_FLOAT, 1, 0},
};

/* The value read for a code, or UINT32_MAX: any NaN. */
static uint32_t expected(size_t i, uint32_t code, float s)
{
    uint32_t m = code & 0x7f;
    int e5m2 = readers[i].man_bits == 2, fnuz = readers[i].bias == 8;
    int nan = fnuz ? code == 0x80 : e5m2 ? m > 0x7c : m == 0x7f;
    double x = plain_value(code, readers[i].man_bits, readers[i].bias);
    if (nan && !readers[i].all_numbers)
        return UINT32_MAX;
    if (e5m2 && m == 0x7c && !readers[i].all_numbers)
        x = copysign(INFINITY, x);
    if (!readers[i].folded)
        x = isinf(x) ? x : (double)(float)(x * (double)s);
    switch (readers[i].out) {
    case TO_HALF:
        return isinf(x) ? (x < 0 ? 0xfc00 : 0x7c00) : f16_word(x);
    case TO_BF16:
        return isinf(x) ? (x < 0 ? 0xff80 : 0x7f80) : bf16_word(x);
    case BY_HALF:
        return sf8_f32_bits((float)(isinf(x) ? x : rounded(x, 11, -24, 65536)));
    default:
        return sf8_f32_bits((float)x);
    }
}

static int is_nan_word(size_t i, uint32_t word)
{
    int half = readers[i].out == TO_HALF, bf16 = readers[i].out == TO_BF16;
    return half   ? (word & 0x7fff) > 0x7c00
           : bf16 ? (word & 0x7fff) > 0x7f80
                  : (word & 0x7fffffff) > 0x7f800000;
}

Test(kv_rules, readers)
{
    static const float scales[] = {1,     .025f, .1f,      .3f,   1 / 3.0f, .0123f,    .7071f,
                                   200.f, 1e-6f, 0x1p-20f, 3e38f, 1e-30f,   0x1p-140f, 147.5f};
    for (size_t i = 0; i < COUNT(readers); i++)
        for (size_t k = 0; k < COUNT(scales); k++)
            for (uint32_t code = 0; code < 256; code++) {
                uint32_t got = read_one(readers[i].name, code, scales[k]);
                uint32_t want = expected(i, code, scales[k]);
                EXPECT(want == UINT32_MAX ? is_nan_word(i, got) : got == want,
                       "%s, %02x, %g: %x, not %x", readers[i].name, code, (double)scales[k], got,
                       want);
            }
}

/* Many codes are read by a table: the same values, and nothing written beside them. */
Test(kv_rules, many_codes)
{
    static uint8_t codes[1000];
    static uint32_t words[1001];
    static uint16_t halves[1001];
    for (size_t i = 0; i < COUNT(codes); i++)
        codes[i] = (uint8_t)(i * 7);
    for (size_t i = 0; i < COUNT(readers); i++) {
        sf8_kv_reader r = reader_of(readers[i].name);
        int wide = sf8_format_bits(r.out) == 32;
        words[1000] = 0xa5a5a5a5u;
        halves[1000] = 0xa5a5;
        sf8_kv_read_n(&r, wide ? (void *)words : (void *)halves, codes, 1000, .3f);
        for (size_t k = 0; k < COUNT(codes); k++)
            EXPECT((wide ? words[k] : halves[k]) == read_one(readers[i].name, codes[k], .3f),
                   "%s, %zu", readers[i].name, k);
        EXPECT(words[1000] == 0xa5a5a5a5u && halves[1000] == 0xa5a5, "beyond the end");
    }
}

/* All rows are in the table above, each is distinguished from a similar one, and they say whether
 * they fold. */
Test(kv_rules, reader_rows)
{
    size_t n = 0;
    for (const sf8_kv_reader_row *row; (row = sf8_kv_reader_at(n)) != NULL; n++) {
        size_t seen = 0;
        for (size_t i = 0; i < COUNT(readers); i++)
            if (strcmp(readers[i].name, row->name) == 0) {
                sf8_kv_reader r = reader_of(row->name);
                EXPECT(sf8_kv_folds(&r) == readers[i].folded, "%s", row->name);
                seen++;
            }
        EXPECT(seen == 1, "%s is %zu times in the test", row->name, seen);
        EXPECT(row->source[0], "%s has no source", row->name);
    }
    EXPECT(n == COUNT(readers), "%zu rows", n);
    sf8_kv_reader r;
    memset(&r, 0x5a, sizeof r);
    EXPECT(sf8_kv_reader_named(&r, "vllm") == SF8_UNKNOWN_NAME && r.out.exp_bits == 0x5a, "vllm");
}

/* A NaN in the cache is a number to a reader that moves bits, and so is infinity. */
Test(kv_rules, launder)
{
    table known = table_read("kv/moved_bits.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        uint32_t word = read_one(x->word[0], (uint32_t)table_hex(x, 1), 1);
        EXPECT(word == table_hex(x, 2), "%s %s: %x, not %s", x->word[0], x->word[1], word,
               x->word[2]);
    }
    cr_expect(known.count == 13, "%zu", known.count);
    table_free(&known);
}

/* One float, and the two that go by way of half2: .025 is 2666 in half, 448 * 200 is infinite
 * there, 2^-29 is 0. */
Test(kv_rules, one_float_or_two)
{
    EXPECT(read_one("vllm-float", 0x38, .025f) == 0x3ccccccd, "");
    EXPECT(read_one("vllm-float2", 0x38, .025f) == 0x3cccc000, "");
    EXPECT(read_one("vllm-float", 0x7e, 200) == 0x47af0000, "");
    EXPECT(read_one("vllm-float2", 0x7e, 200) == 0x7f800000, "");
    EXPECT(read_one("vllm-float", 0x01, 0x1p-20f) == 0x31000000, "");
    EXPECT(read_one("vllm-float2", 0x01, 0x1p-20f) == 0, "");
}

/* ---- rules ----------------------------------------------------------------------------------- */

static sf8_kv_rule rule_of(const char *name)
{
    sf8_kv_rule r;
    cr_assert(sf8_kv_rule_named(&r, name) == SF8_OK, "no rule %s", name);
    return r;
}

/* By the library, of a tensor of one element. */
static uint32_t scale_of(const char *name, uint32_t amax)
{
    sf8_kv_rule r = rule_of(name);
    uint32_t scale = 0;
    cr_assert(sf8_kv_scales_n(&r, SF8_KV_PER_TENSOR, &scale, SF8_F32, &amax, 1, 1, 1) == SF8_OK);
    EXPECT(scale == sf8_kv_scale_of(&r, sf8_f32_magnitude(amax)), "%s", name);
    return scale;
}

/* Of how many of 256 numbers of bf16, two exponents, division and the product with the reciprocal
 * give another scale; counted elsewhere. 6 is by what NVFP4 divides. */
Test(kv_rules, divide_or_multiply)
{
    static const struct {
        const char *divides, *multiplies;
        unsigned count;
    } rows[] = {{"amax-200", "amax-200-rcp", 70},
                {"amax-448", "amax-448-rcp", 142},
                {"amax-100", "amax-100-rcp", 70}};
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned count = 0;
        for (uint32_t k = 0; k < 256; k++) {
            uint32_t amax = 0x3f800000 + (k << 16);
            count += scale_of(rows[i].divides, amax) != scale_of(rows[i].multiplies, amax);
        }
        EXPECT(count == rows[i].count, "%s: %u", rows[i].divides, count);
    }
    EXPECT(scale_of("amax-200", 0x40a00000) == 0x3ccccccd, "5 / 200");
    EXPECT(scale_of("amax-200-rcp", 0x40a00000) == 0x3ccccccc, "5 * (1 / 200)");
    unsigned sixths = 0;
    sf8_kv_rule r = {.amax_nan = SF8_AMAX_NAN}, s = r;
    cr_assert(sf8_program_read(&r.scale_of, "amax 6 /"));
    cr_assert(sf8_program_read(&s.scale_of, "amax 1 6 / *"));
    for (uint32_t k = 0; k < 256; k++)
        sixths += sf8_kv_scale_of(&r, 0x3f800000 + (k << 16)) !=
                  sf8_kv_scale_of(&s, 0x3f800000 + (k << 16));
    EXPECT(sixths == 84, "%u", sixths);
}

/* 200 and 100 are ties of e4m3, so that the element that made the scale goes to 192 or 208, 96 or
 * 104, by the last bit of the scale. Of the 128 mantissas of bf16; counted. */
Test(kv_rules, largest_element)
{
    static const struct {
        const char *rule;
        uint32_t range;
        unsigned less, equal, more;
        uint8_t down, up;
    } rows[] = {{"amax-200", 0x43480000, 9, 111, 8, 0x74, 0x75},
                {"amax-200-rcp", 0x43480000, 0, 89, 39, 0x74, 0x75},
                {"amax-100", 0x42c80000, 9, 111, 8, 0x6c, 0x6d},
                {"amax-100-rcp", 0x42c80000, 0, 89, 39, 0x6c, 0x6d}};
    sf8_recipe store;
    cr_assert(sf8_recipe_named(&store, "kv-vllm") == SF8_OK);
    for (size_t i = 0; i < COUNT(rows); i++) {
        unsigned less = 0, equal = 0, more = 0, up = 0, down = 0;
        for (uint32_t k = 0; k < 128; k++) {
            uint16_t bf16 = (uint16_t)(0x3f80 + k);
            uint32_t amax = (uint32_t)bf16 << 16, scale = scale_of(rows[i].rule, amax), stored;
            float quotient = sf8_f32_from_bits(amax) / sf8_f32_from_bits(scale);
            uint8_t code;
            less += quotient < sf8_f32_from_bits(rows[i].range);
            equal += sf8_f32_bits(quotient) == rows[i].range;
            more += quotient > sf8_f32_from_bits(rows[i].range);
            cr_assert(sf8_quantize_n(&store, &code, &stored, NULL, SF8_BF16, &bf16, 1, 1,
                                     sf8_f32_from_bits(scale)) == SF8_OK);
            down += code == rows[i].down;
            up += code == rows[i].up;
        }
        EXPECT(less == rows[i].less && equal == rows[i].equal && more == rows[i].more,
               "%s: %u %u %u", rows[i].rule, less, equal, more);
        EXPECT(down == less + equal && up == more, "%s: %u down, %u up", rows[i].rule, down, up);
    }
}

/* amax 0, infinite, NaN among 1, NaN alone; what torch computes hands NaN on. */
Test(kv_rules, guards)
{
    static const uint32_t pairs[2][2] = {{0x3f800000, 0xffc00000}, {0x7fc12345, 0xbf800000}};
    size_t n = 0;
    table known = table_read("kv/guarded_scales.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        sf8_kv_rule r = rule_of(x->word[0]);
        EXPECT(scale_of(x->word[0], 0x80000000) == table_hex(x, 1), "%s of 0", x->word[0]);
        EXPECT(scale_of(x->word[0], 0xff800000) == table_hex(x, 2), "%s of inf", x->word[0]);
        EXPECT(scale_of(x->word[0], 0xffc00000) == table_hex(x, 4), "%s of NaN", x->word[0]);
        for (size_t k = 0; k < 2; k++) {
            uint32_t scale = 0;
            cr_assert(sf8_kv_scales_n(&r, SF8_KV_PER_TENSOR, &scale, SF8_F32, pairs[k], 2, 1, 1) ==
                      SF8_OK);
            EXPECT(scale == table_hex(x, 3), "%s of 1 and NaN: %08x", x->word[0], scale);
        }
    }
    cr_expect(known.count == 12, "%zu", known.count);
    table_free(&known);
    for (const sf8_kv_rule_row *row; (row = sf8_kv_rule_at(n)) != NULL; n++)
        EXPECT(row->source[0], "%s has no source", row->name);
    EXPECT(n == 12, "%zu rules", n);
    sf8_kv_rule none = rule_of("token");
    EXPECT(sf8_kv_rule_named(&none, "amax") == SF8_UNKNOWN_NAME && none.scale_of.count == 7,
           "amax");
}

/* A rule is the scale's program of the recipe with the same source. */
Test(kv_rules, as_recipes)
{
    static const char *const pairs[][2] = {{"tensor", "kv-vllm-dynamic"},
                                           {"token", "fp8-per-token"},
                                           {"token-head", "fp8-per-token-head-interpreted"},
                                           {"token-head-int8", "int8-per-token-head-interpreted"},
                                           {"ds-mla", "kv-vllm-ds-mla"},
                                           {"indexer", "kv-vllm-indexer"}};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        sf8_kv_rule rule = rule_of(pairs[i][0]);
        sf8_recipe recipe;
        cr_assert(sf8_recipe_named(&recipe, pairs[i][1]) == SF8_OK);
        EXPECT(memcmp(&rule.scale_of, &recipe.scale_of, sizeof rule.scale_of) == 0 &&
                   rule.amax_nan == recipe.amax_nan,
               "%s", pairs[i][0]);
    }
}

/* 3 tokens, 2 heads, 2 elements: for each of four ways the scales by hand, amax / 448 with
 * magnitudes that are multiples of 448; in all three formats. */
Test(kv_rules, shapes)
{
    static const float x[12] = {1, -2, 3, 0, -4, 1, 0, -8, 2, 0, 5, -5};
    static const struct {
        int32_t per;
        size_t count;
        float amax[6];
    } rows[] = {{SF8_KV_PER_TENSOR, 1, {8}},
                {SF8_KV_PER_HEAD, 2, {4, 8}},
                {SF8_KV_PER_TOKEN, 3, {3, 8, 5}},
                {SF8_KV_PER_TOKEN_HEAD, 6, {2, 3, 4, 8, 2, 5}}};
    const sf8_format formats[] = {SF8_F32, SF8_BF16, SF8_F16};
    sf8_kv_rule rule = {.amax_nan = SF8_AMAX_NAN};
    cr_assert(sf8_program_read(&rule.scale_of, "amax"));
    for (size_t i = 0; i < COUNT(rows); i++)
        for (size_t f = 0; f < COUNT(formats); f++) {
            uint32_t scales[7], src[12];
            memset(scales, 0xa5, sizeof scales);
            for (size_t k = 0; k < 12; k++) {
                uint16_t half = (uint16_t)(f == 1 ? sf8_f32_bits(x[k]) >> 16
                                                  : f16_word((double)x[k]));
                if (f == 0)
                    src[k] = sf8_f32_bits(x[k]);
                else
                    memcpy((char *)src + 2 * k, &half, 2);
            }
            cr_assert(sf8_kv_scales_n(&rule, rows[i].per, scales, formats[f], src, 3, 2, 2) ==
                      SF8_OK);
            EXPECT(sf8_kv_scale_count(rows[i].per, 3, 2) == rows[i].count, "%zu", i);
            for (size_t k = 0; k < rows[i].count; k++)
                EXPECT(scales[k] == sf8_f32_bits(rows[i].amax[k]), "%zu, %zu: %08x", i, k,
                       scales[k]);
            EXPECT(scales[rows[i].count] == 0xa5a5a5a5u, "beyond the end");
        }
    uint32_t scale = 7;
    EXPECT(sf8_kv_scales_n(&rule, 4, &scale, SF8_F32, x, 1, 1, 1) == SF8_BAD_CALL && scale == 7,
           "a fifth way");
    EXPECT(sf8_kv_scales_n(&rule, -1, &scale, SF8_F32, x, 1, 1, 1) == SF8_BAD_CALL, "none");
    EXPECT(sf8_kv_scales_n(&rule, 0, &scale, SF8_E4M3, x, 1, 1, 1) == SF8_BAD_FORMAT, "e4m3");
    EXPECT(sf8_kv_scales_n(&rule, 0, &scale, SF8_F32, x, SIZE_MAX / 2, 3, 5) == SF8_BAD_CALL, "");
    EXPECT(sf8_kv_scales_n(&rule, 0, &scale, SF8_F32, x, 1, SIZE_MAX / 2, 5) == SF8_BAD_CALL, "");
    EXPECT(sf8_kv_scales_n(&rule, SF8_KV_PER_TOKEN, &scale, SF8_F32, x, SIZE_MAX, 1, 0) ==
               SF8_BAD_CALL,
           "more scales than memory");
    EXPECT(scale == 7, "written to");
    EXPECT(sf8_kv_scales_n(&rule, 0, &scale, SF8_F32, x, 0, 2, 2) == SF8_OK && scale == 7, "none");
    EXPECT(sf8_kv_scales_n(&rule, 0, &scale, SF8_F32, x, SIZE_MAX, 0, 2) == SF8_OK && scale == 7,
           "many tokens without heads");
    EXPECT(sf8_kv_scales_n(&rule, 0, &scale, SF8_F32, x, PTRDIFF_MAX / 4, 1, 0) == SF8_OK &&
               scale != 7,
           "many tokens of no elements have one scale");
}

/* A NaN of one head, or token, is not that of another. */
Test(kv_rules, nan_of_one)
{
    static const float x[4] = {1, NAN, 2, 3}; /* 2 tokens, 2 heads */
    static const char *const want[] = {"n", "2n", "n3", "1n23"};
    sf8_kv_rule rule = {.amax_nan = SF8_AMAX_NAN};
    cr_assert(sf8_program_read(&rule.scale_of, "amax"));
    for (int32_t per = 0; per < 4; per++) {
        uint32_t scales[4];
        cr_assert(sf8_kv_scales_n(&rule, per, scales, SF8_F32, x, 2, 2, 1) == SF8_OK);
        for (size_t i = 0; want[per][i]; i++)
            EXPECT(want[per][i] == 'n' ? scales[i] == 0x7fc00000
                                       : scales[i] == sf8_f32_bits((float)(want[per][i] - '0')),
                   "%d, %zu: %08x", per, i, scales[i]);
    }
}

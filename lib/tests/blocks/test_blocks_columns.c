/* SPDX-License-Identifier: MIT */
/* test_blocks_columns.c -- blocks along columns; KIVI's groups, words and windows */
#include "blocks/blocks.h"

#include <math.h>

/* 66 tokens of 5 channels in groups of 32 along tokens: as rows of the transposed matrix. Scales
 * are group by group. A channel with an outlier leaves the others as they are. */
Test(blocks_columns, transposed)
{
    enum { T = 66, D = 5, GROUPS = 3 };
    static const char *const names[] = {"kivi-int4", "kivi-int2", "kvquant-int4", "mxfp4-even"};
    float x[T * D], xt[D * T], v[T * D], vt[D * T];
    uint8_t codes[T * D], codes_t[D * T];
    uint32_t s[GROUPS * D], o[GROUPS * D], st[D * GROUPS], ot[D * GROUPS];
    for (size_t t = 0; t < T; t++)
        for (size_t d = 0; d < D; d++)
            xt[d * T + t] = x[t * D + d] = (float)((int)((t * 7919 + d * 104729) % 257) - 128) *
                                           (d == 2 ? 64 : 1) / 32;
    for (size_t i = 0; i < COUNT(names); i++) {
        sf8_recipe r = recipe_of(names[i]);
        size_t groups = sf8_recipe_blocks(&r, T);
        memset(o, 0, sizeof o), memset(ot, 0, sizeof ot);
        cr_assert(sf8_quantize_columns_n(&r, codes, s, o, SF8_F32, x, T, D, 0) == SF8_OK);
        cr_assert(sf8_quantize_n(&r, codes_t, st, ot, SF8_F32, xt, D, T, 0) == SF8_OK);
        cr_assert(sf8_dequantize_columns_n(&r, SF8_F32, v, codes, s, o, T, D, 0) == SF8_OK);
        cr_assert(sf8_dequantize_n(&r, SF8_F32, vt, codes_t, st, ot, D, T, 0) == SF8_OK);
        for (size_t t = 0; t < T; t++)
            for (size_t d = 0; d < D; d++) {
                EXPECT(codes[t * D + d] == codes_t[d * T + t], "%s %zu %zu", names[i], t, d);
                EXPECT(memcmp(&v[t * D + d], &vt[d * T + t], 4) == 0, "%s %zu %zu", names[i], t, d);
            }
        for (size_t k = 0; k < groups; k++)
            for (size_t d = 0; d < D; d++)
                EXPECT(s[k * D + d] == st[d * groups + k] && o[k * D + d] == ot[d * groups + k],
                       "%s %zu %zu", names[i], k, d);
    }
}

/* Two channels, three tokens: -1 2 5 and 10 10.5 17.5, so the scales are 6/15 and 7.5/15 = 1/2. */
Test(blocks_columns, keys_by_hand)
{
    static const uint16_t x[6] = {0xbc00, 0x4900, 0x4000, 0x4940, 0x4500, 0x4c60};
    static const uint8_t want[6] = {0, 0, 8, 1, 15, 15}; /* 3 / .4 is 7.5, f16's .4 is less: 8 */
    uint8_t codes[6];
    uint16_t back[6];
    uint32_t s[2], o[2];
    sf8_recipe r = recipe_of("kivi-int4");
    cr_assert(sf8_quantize_columns_n(&r, codes, s, o, SF8_F16, x, 3, 2, 0) == SF8_OK);
    EXPECT(memcmp(codes, want, 6) == 0, "%d %d %d", codes[2], codes[3], codes[5]);
    EXPECT(s[0] == 0x3666 && s[1] == 0x3800 && o[0] == 0xbc00 && o[1] == 0x4900, "%x %x", s[0],
           s[1]);
    cr_assert(sf8_dequantize_columns_n(&r, SF8_F16, back, codes, s, o, 3, 2, 0) == SF8_OK);
    EXPECT(back[1] == 0x4900 && back[3] == 0x4940 && back[5] == 0x4c60, "exact with 1/2");
    EXPECT(sf8_quantize_columns_n(&r, codes, s, o, SF8_F64, x, 3, 2, 0) == SF8_BAD_FORMAT, "f64");
    EXPECT(sf8_quantize_columns_n(&r, codes, s, o, SF8_F16, x, 3, PTRDIFF_MAX, 0) == SF8_BAD_CALL,
           "sizes");
    EXPECT(sf8_dequantize_columns_n(&r, SF8_E4M3, back, codes, s, o, 3, 2, 0) == SF8_BAD_FORMAT,
           "e4m3");
    EXPECT(sf8_quantize_columns_n(&r, codes, s, o, SF8_F16, x, 0, 2, 0) == SF8_OK, "none");
}

/* Beyond f16's range: 65504 + 65504 is infinite, so is the scale, and nothing can be read back. */
Test(blocks_columns, kivi_range)
{
    static const uint16_t x[3] = {0xfbff, 0x7bff, 0};
    sf8_recipe r = recipe_of("kivi-int4");
    made m = make(&r, SF8_F16, x, 3, 0);
    EXPECT_BLOCK(m, 1, 0x7c00, "000");
    EXPECT(m.offset == 0xfbff && m.value[0] == 0x7fc00000u, "%x %08x", m.offset, m.value[0]);
}

/* 8 tokens of 16 channels, code (t + d) % 16: the first code of a word is in its lowest bits. */
Test(blocks_columns, kivi_words)
{
    enum { T = 8, D = 16 };
    uint8_t codes[T * D], back[T * D], packed[T * D / 2];
    uint32_t keys[D], values[T * 2], pairs[T];
    for (size_t i = 0; i < T * D; i++)
        codes[i] = (uint8_t)((i / D + i % D) % 16);
    cr_assert(sf8_kivi_pack_keys(keys, codes, T, D, 4) == SF8_OK);
    cr_assert(sf8_kivi_pack_values(values, codes, T, D, 4) == SF8_OK);
    EXPECT(keys[0] == 0x76543210u && keys[15] == 0x6543210fu && keys[3] == 0xa9876543u, "%08x",
           keys[15]);
    EXPECT(values[0] == 0x76543210u && values[1] == 0xfedcba98u && values[15] == 0x6543210fu,
           "%08x", values[15]);
    cr_assert(sf8_kivi_unpack_keys(back, keys, T, D, 4) == SF8_OK);
    EXPECT(memcmp(back, codes, sizeof codes) == 0, "keys");
    memset(back, 0xee, sizeof back);
    cr_assert(sf8_kivi_unpack_values(back, values, T, D, 4) == SF8_OK);
    EXPECT(memcmp(back, codes, sizeof codes) == 0, "values");
    /* the bytes of values, low first, are those of two codes each */
    sf8_pack_n(4, packed, codes, T * D);
    for (size_t i = 0; i < sizeof packed; i++)
        EXPECT(packed[i] == (values[i / 4] >> 8 * (i % 4) & 255), "byte %zu", i);
    /* 2 bits: 16 to a word; the bits above are ignored */
    cr_assert(sf8_kivi_pack_values(pairs, codes, T, D, 2) == SF8_OK);
    EXPECT(pairs[0] == 0xe4e4e4e4u && pairs[1] == 0x39393939u, "%08x %08x", pairs[0], pairs[1]);
    cr_assert(sf8_kivi_unpack_values(back, pairs, T, D, 2) == SF8_OK);
    for (size_t i = 0; i < T * D; i++)
        EXPECT(back[i] == codes[i] % 4, "%zu", i);
    keys[0] = 77;
    EXPECT(sf8_kivi_pack_keys(keys, codes, T, D, 2) == SF8_BAD_CALL, "8 tokens, 16 to a word");
    EXPECT(sf8_kivi_pack_keys(keys, codes, T, D, 3) == SF8_BAD_CALL, "3 bits");
    EXPECT(sf8_kivi_pack_values(keys, codes, T, 12, 4) == SF8_BAD_CALL, "12 channels");
    EXPECT(sf8_kivi_unpack_keys(back, keys, 12, D, 4) == SF8_BAD_CALL, "12 tokens");
    EXPECT(sf8_kivi_unpack_values(back, keys, SIZE_MAX / 8, 64, 4) == SF8_BAD_CALL, "sizes");
    EXPECT(keys[0] == 77, "written to");
    /* very many lines of nothing */
    EXPECT(sf8_kivi_pack_keys(keys, codes, 0, SIZE_MAX, 4) == SF8_OK &&
               sf8_kivi_unpack_values(codes, keys, SIZE_MAX, 0, 2) == SF8_OK,
           "no element");
}

/* Token by token: the keys' tail is quantized when it is full, the values' gives one up. */
Test(blocks_columns, kivi_windows)
{
    static const size_t residuals[] = {1, 32, 128};
    for (size_t i = 0; i < COUNT(residuals); i++) {
        size_t r = residuals[i], keys = 0, values = 0;
        for (size_t t = 0; t <= 2 * r + 1; t++) {
            EXPECT(sf8_kivi_tail_keys(t, r) == keys && sf8_kivi_tail_values(t, r) == values,
                   "%zu of %zu: %zu %zu", t, r, sf8_kivi_tail_keys(t, r),
                   sf8_kivi_tail_values(t, r));
            keys = keys + 1 == r ? 0 : keys + 1;
            values = values == r ? r : values + 1;
        }
    }
    EXPECT(sf8_kivi_tail_keys(130, 32) == 2 && sf8_kivi_tail_values(130, 32) == 32, "130");
    EXPECT(sf8_kivi_tail_keys(5, 0) == 0 && sf8_kivi_tail_values(5, 0) == 0, "no window");
}

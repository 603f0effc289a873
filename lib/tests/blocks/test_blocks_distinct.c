/* SPDX-License-Identifier: MIT */
/* test_blocks_distinct.c -- each recipe is distinguished from the most similar one, by a block */
#include "blocks/blocks.h"
#include "table.h"

/* ---- each recipe and the most similar one ---------------------------------------------------- */

enum { PAIR_LINES = 3, BLOCK_WORDS = 10 };

static table pairs_table;

static void read_pairs(void)
{
    pairs_table = table_read("blocks/distinct.txt");
    cr_assert(pairs_table.count % PAIR_LINES == 0);
    for (size_t i = 0; i < pairs_table.count; i++)
        cr_assert(pairs_table.line[i].count == (i % PAIR_LINES ? BLOCK_WORDS : 3), "line %zu: %s",
                  i, pairs_table.line[i].word[0]);
}

static void free_pairs(void)
{
    table_free(&pairs_table);
}

static void check_block(const table_line *x, const table_line *want)
{
    float values[3];
    for (size_t i = 0; i < 3; i++)
        values[i] = strtof(x->word[i], NULL);
    made m = made_of(want->word[0], values, 3, strtof(want->word[1], NULL));
    EXPECT(m.scale == table_hex(want, 2) && m.offset == table_hex(want, 3),
           "%s: scale %x, offset %x", want->word[0], m.scale, m.offset);
    for (size_t i = 0; i < 3; i++)
        EXPECT(m.code[i] == table_hex(want, 4 + i) && m.value[i] == table_hex(want, 7 + i),
               "%s, element %zu: %02x, %08x", want->word[0], i, m.code[i], m.value[i]);
}

/* The same scale, codes and values. */
static int same_block(const table_line *a, const table_line *b)
{
    int same = table_hex(a, 2) == table_hex(b, 2);
    for (size_t i = 4; i < BLOCK_WORDS; i++)
        same &= table_hex(a, i) == table_hex(b, i);
    return same;
}

/* How many blocks of this place in a pair a recipe has. */
static size_t blocks_of(const char *recipe, size_t place)
{
    size_t n = 0;
    for (size_t i = place; i < pairs_table.count; i += PAIR_LINES)
        n += strcmp(pairs_table.line[i].word[0], recipe) == 0;
    return n;
}

Test(blocks_distinct, apart, .init = read_pairs, .fini = free_pairs)
{
    for (size_t i = 0; i < pairs_table.count; i += PAIR_LINES) {
        const table_line *pair = &pairs_table.line[i];
        check_block(&pair[0], &pair[1]);
        check_block(&pair[0], &pair[2]);
        EXPECT(!same_block(&pair[1], &pair[2]), "%s is %s", pair[1].word[0], pair[2].word[0]);
    }
    const sf8_recipe_row *row;
    size_t of_caches = 0;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        size_t first = blocks_of(row->name, 1);
        EXPECT(first + blocks_of(row->name, 2) > 0, "%s is in no pair", row->name);
        if (strncmp(row->name, "kv-", 3) != 0)
            continue;
        of_caches++;
        EXPECT(first > 0, "%s has no literal block beside its nearest relative's", row->name);
    }
    EXPECT(of_caches == 24, "%zu stores of keys and values", of_caches);
}

/* A block of two rows has one scale, its relative of one row two. The largest magnitudes of the
 * rows are 7 and 3.5. */
Test(blocks_distinct, rows)
{
    static const struct {
        const char *tile, *row;
        uint32_t scale, below;
        float g;
    } pairs[] = {
        {"fp8-block128-vllm", "fp8-group128-deepseek", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-vllm-ue8m0", "fp8-group128-deepseek-ue8m0", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-deepgemm", "fp8-group128-deepgemm", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-deepgemm-ue8m0", "fp8-group128-deepgemm-ue8m0", 0x3c800000, 0x3c000000, 0},
        {"fp8-compressed-block128", "fp8-compressed-channel", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-sglang", "fp8-group128-deepseek", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-torchao", "fp8-group128-torchao", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te", "fp8-group128-te", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te-eps", "fp8-group128-te-eps", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te-f32", "fp8-group128-te-f32", 0x3c800000, 0x3c000000, 0},
        {"fp8-block128-te-f32-eps", "fp8-group128-te-f32-eps", 0x3c800000, 0x3c000000, 0},
        {"fp8-e5m2-block128-te", "fp8-e5m2-group128-te", 0x39000000, 0x38800000, 0},
        {"fp8-e5m2-block128-te-f32", "fp8-e5m2-group128-te-f32", 0x39000000, 0x38800000, 0},
        {"nvfp4-te-16x16", "nvfp4-te", 0x39, 0x31, 1},
        {"nvfp4-te-16x16-4over6", "nvfp4-te-4over6", 0x76, 0x6e, 8},
        {"nvfp4-te-16x16-4over6-mse", "nvfp4-te-4over6-mse", 0x76, 0x6e, 8},
        {"nvfp4-te-16x16-4over6-448", "nvfp4-te-4over6-448", 0x7c, 0x74, 8},
        {"nvfp4-te-16x16-4over6-fast", "nvfp4-te-4over6-fast", 0x5e, 0x56, 16},
        {"nvfp4-te-16x16-4over6-mse-fast", "nvfp4-te-4over6-mse-fast", 0x5e, 0x56, 16},
        {"nvfp4-te-16x16-4over6-448-fast", "nvfp4-te-4over6-448-fast", 0x5e, 0x56, 16},
    };
    static const float x[4] = {7, 0, 3.5f, 0};
    for (size_t i = 0; i < COUNT(pairs); i++) {
        sf8_recipe tile = recipe_of(pairs[i].tile), row = recipe_of(pairs[i].row);
        uint32_t one[2] = {0, 0}, two[2] = {0, 0};
        uint8_t codes[4];
        cr_assert(sf8_recipe_scale_rows(&tile, 2) == 1 && sf8_recipe_scale_rows(&row, 2) == 2);
        cr_assert(sf8_quantize_n(&tile, codes, one, NULL, SF8_F32, x, 2, 2, pairs[i].g) == SF8_OK);
        cr_assert(sf8_quantize_n(&row, codes, two, NULL, SF8_F32, x, 2, 2, pairs[i].g) == SF8_OK);
        EXPECT(one[0] == pairs[i].scale && one[1] == 0, "%s: %x", pairs[i].tile, one[0]);
        EXPECT(two[0] == pairs[i].scale && two[1] == pairs[i].below, "%s: %x %x", pairs[i].row,
               two[0], two[1]);
    }
}

/* kv-vllm-triton is kv-vllm except for one operation of its program, a division that may miss the
 * last bits. As long as that is correctly rounded, the two are the same store: all values of bf16,
 * NaN and infinities included, with scales of every kind and 1000 more, half of them subnormal or
 * with few bits. */
Test(blocks_distinct, a_division_that_rounds)
{
    static const uint32_t kinds[] = {0,          0x80000000, 1,          0x007fffff, 0x00800000,
                                     0x3f800000, 0x3b1db6db, 0x3ccccccd, 0x7f7fffff, 0x7f800000,
                                     0xff800000, 0x7fc00000, 0xbf800000};
    static uint16_t x[65536];
    static uint8_t a[65536], b[65536];
    sf8_recipe store = recipe_of("kv-vllm"), triton = recipe_of("kv-vllm-triton");
    uint32_t random = 1, scale_a, scale_b;
    for (size_t i = 0; i < 65536; i++)
        x[i] = (uint16_t)i;
    for (size_t i = 0; i < COUNT(kinds) + 1000 / one_in(20); i++) {
        random = random * 1664525 + 1013904223;
        float g = sf8_f32_from_bits(i < COUNT(kinds) ? kinds[i]
                                    : i % 2          ? random
                                                     : random & 0x80ff0000);
        cr_assert(sf8_quantize_n(&store, a, &scale_a, NULL, SF8_BF16, x, 1, 65536, g) == SF8_OK &&
                  sf8_quantize_n(&triton, b, &scale_b, NULL, SF8_BF16, x, 1, 65536, g) == SF8_OK);
        EXPECT(scale_a == scale_b && memcmp(a, b, sizeof a) == 0, "g %08x", sf8_f32_bits(g));
    }
    EXPECT(triton.element_of.term[2].op == SF8_TERM_DIV_NEAR &&
               store.element_of.term[2].op == SF8_TERM_DIV,
           "other programs");
    triton.element_of.term[2].op = SF8_TERM_DIV;
    EXPECT(memcmp(&triton.element_of, &store.element_of, sizeof store.element_of) == 0 &&
               memcmp(&triton.element, &store.element, sizeof store.element) == 0 &&
               memcmp(&triton.value_of, &store.value_of, sizeof store.value_of) == 0,
           "more than the quotient");
}

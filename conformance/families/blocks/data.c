/* SPDX-License-Identifier: MIT */
/* data.c -- the matrices of the block kernels, and the library's results */
#include "base/memory.h"
#include "base/random.h"
#include "families/blocks/blocks.h"

#include <stdlib.h>
#include <string.h>

/* ---- which ----------------------------------------------------------------------------------- */

enum { WORDS = 1 << 16, WIDE = 4096 };

static const struct {
    size_t rows, columns;
} shapes[] = {
    {1, 1},    {1, 15},   {2, 33},   {7, 8},     {5, 1000},  {33, 64},    {3, 40},
    {128, 64}, {129, 96}, {2, 2052}, {127, 448}, {300, 450}, {257, 1024},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Global scales, as bits: ordinary ones; some that make scales saturate, underflow or become NaN; a
 * negative one. */
static const uint32_t scales_of_tensor[] = {
    0x3f800000, 0x4435a0d0, 0x3ebd70a4, 0x45280000, 0x3e000000, 0x4b000000, 0x2b8cbccc,
    0xc0200000, 0x00400000, 0x00000000, 0x7e967699, 0x7f7fffff, 0x7f800000, 0x7fc00000,
};
enum { TENSOR_SCALES = sizeof scales_of_tensor / sizeof scales_of_tensor[0] };

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static size_t width_of(const gpu_kernel *kernel)
{
    return strcmp(kernel->tensor, "f32") == 0 ? 4 : 2;
}

int block_matrix_at(const gpu_kernel *kernel, const sf8_recipe *recipe, size_t i, block_matrix *m)
{
    size_t times = recipe->has_g ? 3 : 1; /* how often a shape is used */
    memset(m, 0, sizeof *m);
    m->seed = i + 1;
    m->g = float_of(scales_of_tensor[i % TENSOR_SCALES]);
    if (i < SHAPES * times) {
        m->rows = shapes[i % SHAPES].rows;
        m->columns = shapes[i % SHAPES].columns;
        return 1;
    }
    i -= SHAPES * times;
    size_t all = recipe->has_g ? TENSOR_SCALES : 1;
    if (i < all) { /* every global scale, on a matrix with all kinds of blocks */
        m->rows = 33;
        m->columns = 64;
        m->g = float_of(scales_of_tensor[i]);
        return 1;
    }
    i -= all;
    if (kernel->back) {
        /* 256 scales, one for each row; all codes, in several positions */
        m->data = BLOCKS_CODES;
        m->rows = 256;
        m->columns = sf8_recipe_bits(recipe) == 8 ? 512 : 128;
        m->g = float_of(scales_of_tensor[i % TENSOR_SCALES]);
        return i < all;
    }
    m->data = BLOCKS_WORDS;
    m->rows = (size_t)recipe->block;
    m->columns = width_of(kernel) == 2 ? WORDS : WORDS / 4;
    m->g = float_of(i == 0 ? 0x43800000 : 0x4435a0d0);
    return i < (recipe->has_g ? 2 : 1);
}

/* ---- words ----------------------------------------------------------------------------------- */

enum { ORDINARY, ZERO, OUTLIER, SUBNORMAL, WITH_NAN, WITH_INF, POWER, ANY, ALL_NAN, TIES, KINDS };

/* A number of the format with an exponent `power` above that of 1. */
static uint32_t word_with(sf8_format f, uint64_t random, int exponent)
{
    uint32_t mantissa = (uint32_t)random & ((1u << f.man_bits) - 1);
    uint32_t sign = (uint32_t)(random >> 40 & 1) << (f.exp_bits + f.man_bits);
    int field = exponent + f.bias, most = (1 << f.exp_bits) - 2;
    field = field < 0 ? 0 : field > most ? most : field;
    return sign | (uint32_t)field << f.man_bits | mantissa;
}

/* One element of a block of a kind, the `at`-th of `of`; `place` and `power` belong to the
 * block. */
static uint32_t seeded_word(sf8_format f, unsigned kind, size_t at, size_t place, int power,
                            uint64_t *state)
{
    uint64_t random = word_random(state);
    uint32_t sign = (uint32_t)(random >> 40 & 1) << (f.exp_bits + f.man_bits);
    uint32_t inf = ((1u << f.exp_bits) - 1) << f.man_bits;
    switch (kind) {
    case ZERO:
        return sign;
    case OUTLIER:
        return word_with(f, random, at == place ? 9 : (int)(random >> 50) % 4 - 4);
    case SUBNORMAL:
        return sign | ((uint32_t)random & ((1u << f.man_bits) - 1)) >> (random >> 60);
    case WITH_NAN:
        if (at == place || random >> 62 == 0)
            return sign | inf | 1 | ((uint32_t)random & ((1u << f.man_bits) - 1));
        return word_with(f, random, (int)(random >> 50) % 7 - 3);
    case WITH_INF:
        return at == place ? sign | inf : word_with(f, random, (int)(random >> 50) % 7 - 3);
    case POWER: /* the largest is a power of two, or next to one */
        if (at == place)
            return sign | (((uint32_t)(power + f.bias) << f.man_bits) + (uint32_t)(random % 3) - 1);
        return word_with(f, random, power - 1 - (int)(random >> 50) % 5);
    case ANY:
        return (uint32_t)random & (sign | (inf << 1) | (inf - 1) | inf);
    case ALL_NAN:
        return sign | inf | (1u << (f.man_bits - 1));
    case TIES: { /* multiples of 1/4 up to 7, in a block with 6 or so */
        uint32_t quarters = at == place ? 24 : (uint32_t)(random >> 20) % 29;
        /* the integer times 2^-2 */
        uint32_t word = sf8_f32_of((int32_t)quarters) - (quarters ? 2u << 23 : 0);
        return sign | (uint32_t)sf8_convert(f, SF8_F32, word, SF8_OCP);
    }
    default:
        return word_with(f, random, (int)(random >> 50) % 9 - 4);
    }
}

static void put_word(void *tensor, size_t width, size_t i, uint32_t word)
{
    uint16_t half = (uint16_t)word;
    memcpy((unsigned char *)tensor + width * i, width == 4 ? (void *)&word : (void *)&half, width);
}

static void fill_seeded(void *tensor, size_t width, sf8_format f, const sf8_recipe *recipe,
                        const block_matrix *m, size_t rows)
{
    uint64_t state = m->seed * 977;
    size_t block = (size_t)recipe->block;
    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < m->columns; column += block) {
            size_t count = m->columns - column < block ? m->columns - column : block;
            uint64_t random = word_random(&state);
            unsigned kind = m->period ? ORDINARY : (unsigned)(random % KINDS);
            size_t place = (size_t)(random >> 8) % count;
            int power = (int)((random >> 32) % ((1u << f.exp_bits) - 2)) + 1 - f.bias;
            for (size_t k = 0; k < count; k++)
                put_word(tensor, width, row * m->columns + column + k,
                         seeded_word(f, kind, k, place, power, &state));
        }
    }
}

/* A row has all 16-bit values, in order or by large steps. Each row is rotated by one more, so that
 * each value is at every position of a block. Values of f32 have them as upper halves, every
 * fourth, and below them 0 or random bits. */
static void fill_words(void *tensor, size_t width, const block_matrix *m)
{
    uint64_t state = m->seed;
    for (size_t row = 0; row < m->rows; row++)
        for (size_t i = 0; i < m->columns; i++) {
            uint32_t word = (uint32_t)(i + row) & 0xffff;
            if (width == 4)
                word = (word << 18) | (row & 1 ? (uint32_t)word_random(&state) & 0x3ffff : 0);
            put_word(tensor, width, row * m->columns + i, word);
        }
}

/* ---- what the library makes of them ---------------------------------------------------------- */

static void pack_rows(block_arrays *a, const block_matrix *m, int bits, size_t rows)
{
    for (size_t row = 0; row < rows; row++)
        sf8_pack_n(bits, a->codes + row * a->row_bytes, a->loose + row * m->columns, m->columns);
}

static void fill_codes(block_arrays *a, const sf8_recipe *recipe, const block_matrix *m,
                       size_t rows)
{
    uint64_t state = m->seed * 31;
    uint32_t mask = (1u << sf8_recipe_bits(recipe)) - 1;
    size_t blocks = sf8_recipe_blocks(recipe, m->columns);
    for (size_t row = 0; row < rows; row++) {
        for (size_t i = 0; i < m->columns; i++) {
            uint64_t code = m->data == BLOCKS_CODES ? i * 17 + i / 16 + row : word_random(&state);
            a->loose[row * m->columns + i] = (uint8_t)(code & mask);
        }
        for (size_t i = 0; i < blocks; i++) {
            uint64_t random = word_random(&state);
            uint64_t ordinary = (recipe->scale.man_bits ? 0x30 : 0x78) + random % 16; /* about 1 */
            a->scales[row * blocks + i] = (uint8_t)(m->data == BLOCKS_CODES ? row
                                                    : m->period             ? ordinary
                                                                            : random);
        }
    }
}

static void quantize_rows(block_arrays *a, const sf8_recipe *recipe, sf8_format tensor,
                          const block_matrix *m, size_t rows)
{
    size_t count = rows * sf8_recipe_blocks(recipe, m->columns);
    uint32_t *scales = allocate(count, sizeof scales[0]);
    sf8_quantize_n(recipe, a->loose, scales, NULL, tensor, a->tensor, rows, m->columns, m->g);
    for (size_t i = 0; i < count; i++)
        a->scales[i] = (uint8_t)scales[i];
    free(scales);
}

static void dequantize_rows(block_arrays *a, const sf8_recipe *recipe, sf8_format tensor,
                            const block_matrix *m, size_t rows)
{
    size_t count = rows * sf8_recipe_blocks(recipe, m->columns);
    uint32_t *scales = allocate(count, sizeof scales[0]);
    for (size_t i = 0; i < count; i++)
        scales[i] = a->scales[i];
    sf8_dequantize_n(recipe, tensor, a->tensor, a->loose, scales, NULL, rows, m->columns, m->g);
    free(scales);
}

/* The first rows, repeated. */
static void repeat_rows(void *array, size_t row_bytes, const block_matrix *m)
{
    unsigned char *bytes = array;
    for (size_t row = m->period; m->period && row < m->rows; row++)
        memcpy(bytes + row * row_bytes, bytes + (row - m->period) * row_bytes, row_bytes);
}

static void make_room(block_arrays *a, const sf8_recipe *recipe, size_t width,
                      const block_matrix *m)
{
    size_t blocks = sf8_recipe_blocks(recipe, m->columns);
    memset(a, 0, sizeof *a);
    a->tensor_bytes = m->rows * m->columns * width;
    a->row_bytes = sf8_packed_size((int32_t)sf8_recipe_bits(recipe), m->columns);
    a->code_bytes = m->rows * a->row_bytes;
    a->scale_count = m->rows * blocks;
    sf8_layout_places(SF8_LAYOUT_128X4, m->rows, blocks, &a->tiled_bytes);
    a->tensor = allocate(1, a->tensor_bytes);
    a->codes = allocate(1, a->code_bytes);
    a->scales = allocate(1, a->scale_count);
    a->tiled = allocate(1, a->tiled_bytes);
    a->loose = allocate(1, m->rows * m->columns);
}

int block_arrays_make(block_arrays *a, const gpu_kernel *kernel, const sf8_recipe *recipe,
                      const block_matrix *m)
{
    size_t width = width_of(kernel), rows = m->period ? m->period : m->rows;
    size_t blocks = sf8_recipe_blocks(recipe, m->columns);
    sf8_format tensor = sf8_format_named(kernel->tensor, NULL);
    make_room(a, recipe, width, m);
    if (kernel->back) {
        fill_codes(a, recipe, m, rows);
        dequantize_rows(a, recipe, tensor, m, rows);
    } else {
        if (m->data == BLOCKS_WORDS)
            fill_words(a->tensor, width, m);
        else
            fill_seeded(a->tensor, width, tensor, recipe, m, rows);
        quantize_rows(a, recipe, tensor, m, rows);
    }
    pack_rows(a, m, (int)sf8_recipe_bits(recipe), rows);
    repeat_rows(a->tensor, m->columns * width, m);
    repeat_rows(a->codes, a->row_bytes, m);
    repeat_rows(a->scales, blocks, m);
    return sf8_layout_store_n(SF8_LAYOUT_128X4, a->tiled, a->scales, m->rows, blocks) == SF8_OK;
}

void block_arrays_free(void *arrays)
{
    block_arrays *a = arrays;
    free(a->tensor);
    free(a->codes);
    free(a->scales);
    free(a->tiled);
    free(a->loose);
    memset(a, 0, sizeof *a);
}

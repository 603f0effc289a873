/* SPDX-License-Identifier: MIT */
/* test_blocks_tiles.c -- blocks of several rows, the choice between two scales, codes by halves and
 * images. The proof has the products' own choices between scales. */
#include "blocks/blocks.h"
#include "random.h"

#include <math.h>

enum { MOST = 40000 };

/* Numbers of many sizes, a few of them specials. */
static void fill(float *x, size_t n, int specials)
{
    static const uint32_t words[] = {0,          0x80000000, 0x7fc00000, 0x7f800000,
                                     0xff800000, 1,          0x7f7fffff};
    for (size_t i = 0; i < n; i++) {
        uint32_t r = pseudo_random();
        uint32_t exponent = 120 + (r >> 8) % 12;
        x[i] = sf8_f32_from_bits(specials && r % 50 == 0 ? words[r / 50 % COUNT(words)]
                                                         : (r & 0x80000000u) | exponent << 23 |
                                                               (pseudo_random() & 0x7fffffu));
    }
}

static sf8_recipe read_row(sf8_recipe_row row)
{
    sf8_recipe r;
    cr_assert(sf8_recipe_read(&r, &row) == SF8_OK, "%s", row.name);
    return r;
}

/* ---- several rows ---------------------------------------------------------------------------- */

static sf8_recipe tiles_of(const char *element, int32_t block, const char *properties)
{
    /* clang-format off */
    const sf8_recipe_row row = {.name = "tiles", element, "cuda-satfinite", "", block, "f32",
        "ocp-nosat", "", "amax 1e-4 max 448 /", "", "1 s /", "x f *", "e s *", properties};
    /* clang-format on */
    return read_row(row);
}

/* The scale of each tile and the code of each element: amax over the tile in plain loops. */
static void check_tiles(const sf8_recipe *r, size_t high, size_t wide, const float *x, size_t rows,
                        size_t columns, const char *level)
{
    static uint8_t codes[MOST + 1];
    static uint32_t scales[MOST + 1];
    static float back[MOST + 1];
    size_t across = (columns + wide - 1) / wide, down = (rows + high - 1) / high;
    memset(codes, 0xaa, sizeof codes);
    memset(scales, 0xaa, sizeof scales);
    cr_assert(sf8_recipe_blocks(r, columns) == across && sf8_recipe_scale_rows(r, rows) == down);
    cr_assert(sf8_quantize_n_at(level, r, codes, scales, NULL, SF8_F32, x, rows, columns, 0) ==
              SF8_OK);
    EXPECT(codes[rows * columns] == 0xaa && scales[across * down] == 0xaaaaaaaa, "beyond the end");
    cr_assert(sf8_dequantize_n_at(level, r, SF8_F32, back, codes, scales, NULL, rows, columns, 0) ==
              SF8_OK);
    for (size_t k = 0; k < across * down; k++) {
        size_t top = k / across * high, left = k % across * wide;
        float amax = 0;
        for (size_t i = top; i < top + high && i < rows; i++)
            for (size_t j = left; j < left + wide && j < columns; j++)
                amax = fmaxf(amax, fabsf(x[i * columns + j]));
        volatile float s = fmaxf(amax, 1e-4f) / 448;
        EXPECT(scales[k] == sf8_f32_bits(s), "%s, %zu x %zu, scale %zu: %08x, not %08x", level,
               rows, columns, k, scales[k], sf8_f32_bits(s));
        for (size_t i = top; i < top + high && i < rows; i++)
            for (size_t j = left; j < left + wide && j < columns; j++) {
                volatile float f = 1 / s, y = x[i * columns + j] * f;
                size_t at = i * columns + j;
                uint8_t want = sf8_f32_to_e4m3(y, sf8_policy_named("cuda-satfinite", NULL));
                volatile float v = sf8_e4m3_to_f32(codes[at]) * s;
                EXPECT(codes[at] == want, "%s: code at %zu, %zu", level, i, j);
                EXPECT(sf8_f32_bits(back[at]) == sf8_f32_bits(v), "%s: value at %zu, %zu", level, i,
                       j);
            }
    }
}

static const struct {
    size_t rows, columns;
} shapes[] = {{1, 1},     {16, 16},   {15, 17},  {33, 50}, {2, 200}, {200, 3},
              {128, 130}, {130, 128}, {64, 600}, {5, 0},   {0, 5}};

Test(blocks_tiles, rows)
{
    static float x[MOST];
    sf8_recipe small = tiles_of("e4m3", 16, "rows=16"), large = tiles_of("e4m3", 128, "rows=128");
    sf8_recipe wide = tiles_of("e4m3", 4096, "rows=64"), row = tiles_of("e4m3", 0, "rows=4");
    for (size_t i = 0; i < COUNT(shapes); i++) {
        size_t rows = shapes[i].rows, columns = shapes[i].columns;
        fill(x, rows * columns, 0);
        for (size_t k = 0;; k++) {
            const char *level = k ? sf8_simd_at(k - 1) : "core";
            if (!level)
                break;
            check_tiles(&small, 16, 16, x, rows, columns, level);
            check_tiles(&large, 128, 128, x, rows, columns, level);
            check_tiles(&wide, 64, 4096, x, rows, columns, level);
            if (columns)
                check_tiles(&row, 4, columns, x, rows, columns, level);
        }
    }
}

/* Random values, any recipe's programs, packed too: all levels give the same as the core. */
static void check_levels(const sf8_recipe *r, sf8_format tensor, const void *x, size_t rows,
                         size_t columns)
{
    static uint8_t want[MOST], got[MOST], packed[MOST], packed_got[MOST], bytes[MOST];
    static uint32_t scales[MOST], offsets[MOST], got_s[MOST], got_o[MOST];
    size_t n = sf8_recipe_scale_rows(r, rows) * sf8_recipe_blocks(r, columns);
    int32_t bits = (int32_t)sf8_recipe_bits(r);
    size_t row = sf8_packed_size(bits, columns);
    cr_assert(sf8_quantize_n_at("core", r, want, scales, offsets, tensor, x, rows, columns, 448) ==
              SF8_OK);
    for (size_t i = 0; i < rows; i++)
        cr_assert(sf8_recipe_pack_n(r, packed + i * row, want + i * columns, columns) == SF8_OK);
    for (size_t k = 0; k < 5; k++) {
        const char *level = k ? sf8_simd_at(k - 1) : "core";
        if (!level)
            break;
        memset(got_o, 0, sizeof got_o);
        cr_assert(sf8_quantize_n_at(level, r, got, got_s, got_o, tensor, x, rows, columns, 448) ==
                  SF8_OK);
        EXPECT(memcmp(got, want, rows * columns) == 0, "%s: codes", level);
        EXPECT(memcmp(got_s, scales, 4 * n) == 0, "%s: scales", level);
        EXPECT(r->offset_at != SF8_OFFSET_WORD || memcmp(got_o, offsets, 4 * n) == 0, "%s: offsets",
               level);
        if (sf8_format_bits(r->scale) > 8 || r->offset_at != SF8_OFFSET_NONE)
            continue;
        cr_assert(sf8_quantize_packed_n_at(level, r, packed_got, bytes, tensor, x, rows, columns,
                                           448) == SF8_OK);
        EXPECT(memcmp(packed_got, packed, rows * row) == 0, "%s: packed codes", level);
        for (size_t i = 0; i < n; i++)
            EXPECT(bytes[i] == scales[i], "%s: scale %zu", level, i);
        static float a[MOST], b[MOST];
        cr_assert(sf8_dequantize_packed_n_at(level, r, SF8_F32, a, packed, bytes, rows, columns,
                                             448) == SF8_OK &&
                  sf8_dequantize_n_at("core", r, SF8_F32, b, want, scales, NULL, rows, columns,
                                      448) == SF8_OK);
        EXPECT(memcmp(a, b, 4 * rows * columns) == 0, "%s: values", level);
    }
}

Test(blocks_tiles, levels)
{
    static const sf8_recipe_row made_up[] = {
        /* clang-format off */
        {.name = "te 16 x 16", "e2m1", "cuda-satfinite", "", 16, "e4m3", "cuda-satfinite", "",
         "amax g 1 6 / * * FLT_MAX min", "", "1 s 1 g / * / FLT_MAX min", "x f *", "e s * g /",
         "g=encode rows=16"},
        {.name = "an offset, odd sizes", "uint3", "ocp", "", 7, "f16", "ocp", "",
         "high low - 7 / own", "low own", "", "x o - s / own round 0 max 7 min", "e s * o +",
         "offset=f16 rows=3"},
        {.name = "peak", "int5", "ocp", "", 9, "e8m0", "ocp", "", "peak neg log2-ceil pow2", "", "",
         "x s / rint 15 nmin -16 nmax", "e s *", "rows=2 amax=nan"},
        {.name = "too large to be laid out", "e4m3", "ocp", "", 4096, "f32", "ocp-nosat", "",
         "amax 448 /", "", "", "x s /", "e s *", "rows=5"},
        {.name = "halves", "e2m1", "ocp", "", 32, "e8m0", "ocp", "", "amax 6 / log2-ceil pow2", "",
         "", "x s /", "e s *", "nibbles=half"},
        {.name = "a choice", "e2m1", "ocp", "", 16, "e4m3", "ocp", "", "amax 6 /", "", "", "x s /",
         "e s *", "errors=pairs", .second_of = "amax 4 /", .error_of = "e s * x - e s * x - *"},
        /* clang-format on */
    };
    static float x[MOST];
    static uint16_t half[MOST];
    for (size_t i = 0; i < COUNT(made_up); i++) {
        sf8_recipe r = read_row(made_up[i]);
        for (size_t k = 0; k < COUNT(shapes); k++) {
            size_t rows = shapes[k].rows, columns = shapes[k].columns;
            if (r.nibbles == SF8_NIBBLES_HALF)
                columns = columns / 32 * 32;
            fill(x, rows * columns, (int)(k & 1));
            for (size_t j = 0; j < rows * columns; j++)
                half[j] = (uint16_t)(sf8_f32_bits(x[j]) >> 16);
            check_levels(&r, SF8_F32, x, rows, columns);
            check_levels(&r, SF8_BF16, half, rows, columns);
        }
    }
}

/* The products' rows of tiles and of choices, which test_block_levels.c leaves to this test. */
Test(blocks_tiles, levels_of_products)
{
    static float x[MOST];
    const sf8_recipe_row *row;
    size_t tried = 0;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++) {
        sf8_recipe r = read_row(*row);
        if (sf8_recipe_rows(&r) == 1 && !sf8_recipe_chooses(&r))
            continue;
        tried++;
        for (size_t k = tried % one_in(4); k < COUNT(shapes); k += one_in(4)) {
            fill(x, shapes[k].rows * shapes[k].columns, (int)(k & 1));
            check_levels(&r, SF8_F32, x, shapes[k].rows, shapes[k].columns);
        }
    }
    cr_expect(tried > 2, "%zu", tried);
}

/* Products, errors and other recipes of tiles: as of the same matrix with a scale for each row. */
Test(blocks_tiles, products)
{
    enum { ROWS = 5, COLUMNS = 24 };
    static float x[ROWS * COLUMNS];
    uint8_t codes[ROWS * COLUMNS], again[ROWS * COLUMNS];
    uint32_t scales[9], spread[ROWS * 3], scales_again[9];
    sf8_recipe tiles = tiles_of("e4m3", 8, "rows=2"), rows = tiles_of("e4m3", 8, "");
    sf8_blocks a = {&tiles, codes, scales, NULL, 0}, b = {&rows, codes, spread, NULL, 0};
    uint32_t product[2][ROWS * ROWS];
    sf8_block_report report[2];
    fill(x, COUNT(x), 0);
    cr_assert(sf8_quantize_n(&tiles, codes, scales, NULL, SF8_F32, x, ROWS, COLUMNS, 0) == SF8_OK);
    for (size_t i = 0; i < ROWS * 3; i++)
        spread[i] = scales[i / 3 / 2 * 3 + i % 3];
    cr_assert(
        sf8_blocks_matmul(SF8_F32, SF8_OCP, product[0], &a, ROWS, &a, ROWS, COLUMNS, 1) == SF8_OK &&
        sf8_blocks_matmul(SF8_F32, SF8_OCP, product[1], &b, ROWS, &b, ROWS, COLUMNS, 1) == SF8_OK);
    EXPECT(memcmp(product[0], product[1], sizeof product[0]) == 0, "products");
    cr_assert(sf8_block_errors(&report[0], &a, SF8_F32, x, ROWS, COLUMNS) == SF8_OK &&
              sf8_block_errors(&report[1], &b, SF8_F32, x, ROWS, COLUMNS) == SF8_OK);
    EXPECT(report[0].sum_error2 == report[1].sum_error2 && report[0].sum_error2 > 0, "errors");
    cr_assert(sf8_requantize_n(&tiles, again, scales_again, NULL, 0, &b, ROWS, COLUMNS) == SF8_OK);
    EXPECT(memcmp(again, codes, sizeof codes) == 0 &&
               memcmp(scales_again, scales, sizeof scales) == 0,
           "what was read is quantized to the same");
    EXPECT(sf8_quantize_columns_n(&tiles, again, scales_again, NULL, SF8_F32, x, ROWS, COLUMNS,
                                  0) == SF8_BAD_CALL &&
               sf8_dequantize_columns_n(&tiles, SF8_F32, x, again, scales_again, NULL, ROWS,
                                        COLUMNS, 0) == SF8_BAD_CALL,
           "blocks along columns");
}

/* ---- 4 over 6 -------------------------------------------------------------------------------- */

/* The orders of a sum: 2^24, 1 and 1, and 1 for the first scale, 2^24 + 2 for the other. */
static uint32_t chosen(const char *properties, const char *error_of, const float *x, size_t n)
{
    /* clang-format off */
    const sf8_recipe_row row = {.name = "orders", "e4m3", "ocp", "", 0, "f32", "ocp-nosat", "", "1",
        "", "", "x 0 *", "e s *", properties, .second_of = "2", .error_of = error_of};
    /* clang-format on */
    sf8_recipe r = read_row(row);
    uint8_t codes[16];
    uint32_t scale;
    cr_assert(sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, 1, n, 0) == SF8_OK);
    return scale;
}

/* The errors of the first scale are x, those of the second 2^21, of 8 elements 2^24 in any order.
 * To 2^24 one 1 after the other adds nothing, 1 + 1 adds 2. */
Test(blocks_tiles, orders_of_errors)
{
    const uint32_t first = 0x3f800000, second = 0x40000000;
    static const char *const error = "s 1 - x 2097152 ifzero";
    static const float together[8] = {0x1p24f, 0, 1, 1, 0, 0, 0, 0};
    static const float apart[8] = {0x1p24f, 0, 0, 0, 0, 1, 1, 0}, nan[2] = {NAN, 1};
    EXPECT(chosen("", error, together, 8) == first, "a tie");
    EXPECT(chosen("tie=second", error, together, 8) == second, "a tie is the second's");
    EXPECT(chosen("errors=pairs", error, together, 8) == second, "2^24 + (1 + 1)");
    EXPECT(chosen("errors=halves", error, together, 8) == first, "the ones are in its half");
    EXPECT(chosen("errors=pairs", error, apart, 8) == first, "2^24 + (0 + 1) + (1 + 0)");
    EXPECT(chosen("errors=halves", error, apart, 8) == second, "2^24 + (0 + 1 + 1 + 0)");
    EXPECT(chosen("errors=sum", error, apart, 8) == first, "in order");
    EXPECT(chosen("errors=most", error, apart, 8) == second, "2^24 and 2^21");
    EXPECT(chosen("errors=pairs", "s 1 - x 4 ifzero", (const float[]){1, 1, 9}, 3) == first,
           "11 and 12");
    EXPECT(chosen("errors=pairs", "s 1 - x 3 ifzero", (const float[]){1, 1, 9}, 3) == second,
           "11 and 9");
    EXPECT(chosen("", "x", nan, 2) == first && chosen("errors=most", "x", nan, 2) == first &&
               chosen("tie=second", "x", nan, 2) == first,
           "NaN");
}

/* A block of vLLM's cache at whose errors the order decides. In pairs the squares sum to 0x1.dp-1
 * with either scale, and 6 is taken; one after the other the second sum is 2^-24 less. Computed
 * with NumPy's float32, line by line as the kernel has it. */
Test(blocks_tiles, vllm_adds_errors_in_pairs)
{
    static const float x[16] = {-2.625f, .5f,   -.125f, -1.25f, -2, 3.875f, 7.5f,  .125f,
                                -3.125f, 2.75f, 1.375f, 2.875f, 1,  -7.25f, -1.5f, -3.875f};
    static const uint8_t codes[16] = {0xc, 1, 8, 0xa, 0xb, 5, 7, 0, 0xc, 4, 2, 4, 2, 0xf, 0xa, 0xd};
    made m = made_of("nvfp4-vllm-4over6", x, 16, 16);
    EXPECT(m.scale == 0x5a, "scale %x, 5f is that of 4", m.scale);
    EXPECT(memcmp(m.code, codes, 16) == 0, "codes");
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/* GGUF's blocks. Of 32: a scale of f16 and 16 bytes, j low and j + 16 high. Of 4 times 16: four
 * bytes of scales and 4 x 8. With an offset both scale and offset come first. */
Test(blocks_tiles, images)
{
    const sf8_recipe_row rows[] = {
        /* clang-format off */
        {.name = "q4_0", "uint4", "ocp", "", 32, "f16", "ocp-nosat", "", "peak -8 /", "", "",
         "x s / 8.5 + trunc 15 min 0 max", "e 8 - s *", "nibbles=half image=1"},
        {.name = "nvfp4", "e2m1", "ocp", "", 16, "e4m3", "ocp", "", "amax 6 /", "", "", "x s /",
         "e s *", "nibbles=half image=4"},
        {.name = "q4_1", "uint4", "ocp", "", 32, "f16", "ocp-nosat", "", "high low - 15 /", "low",
         "", "x o - s / 0.5 + trunc 15 min", "e s * o +", "nibbles=half image=1 offset=f16"},
        {.name = "q8_0", "int8", "ocp", "", 32, "f16", "ocp-nosat", "", "amax 127 /", "", "",
         "x s / round", "e s *", "image=1"},
        /* clang-format on */
    };
    static const size_t bytes[4] = {18, 36, 20, 34}, elements[4] = {32, 64, 32, 32};
    static const size_t scale[4] = {2, 1, 2, 2}, offset[4] = {0, 0, 2, 0}, of[4] = {1, 4, 1, 1};
    for (size_t k = 0; k < 4; k++) {
        uint8_t codes[256], image[200], again[256];
        uint32_t scales[16], offsets[16], scales_again[16], offsets_again[16];
        size_t size, n = 2 * elements[k];
        sf8_recipe r = read_row(rows[k]);
        memset(image, 0xaa, sizeof image);
        memset(offsets, 0, sizeof offsets), memset(offsets_again, 0, sizeof offsets_again);
        for (size_t i = 0; i < 2 * n; i++)
            codes[i] = (uint8_t)(pseudo_random() & (k == 3 ? 255 : 15));
        for (size_t i = 0; i < 16; i++)
            scales[i] = pseudo_random() & (k == 1 ? 255 : 65535), offsets[i] = 0x1234 + (uint32_t)i;
        cr_assert(sf8_blocks_image_size(&r, 2, n, &size) == SF8_OK && size == 4 * bytes[k]);
        cr_assert(sf8_blocks_image_store(&r, image, codes, scales, offsets, 2, n) == SF8_OK);
        EXPECT(image[size] == 0xaa, "%s: beyond the end", rows[k].name);
        for (size_t g = 0; g < 4; g++) {
            const uint8_t *at = image + g * bytes[k];
            for (size_t b = 0; b < of[k]; b++, at += scale[k] + offset[k])
                for (size_t i = 0; i < scale[k] + offset[k]; i++) {
                    uint32_t word = i < scale[k] ? scales[g * of[k] + b] >> 8 * i
                                                 : offsets[g * of[k] + b] >> 8 * (i - scale[k]);
                    EXPECT(at[i] == (word & 255), "%s: scale %zu", rows[k].name, b);
                }
            for (size_t i = 0; i < elements[k]; i++) {
                size_t block = (size_t)r.block, half = block / 2, j = i % block;
                uint8_t code = codes[g * elements[k] + i];
                uint8_t byte = k == 3 ? at[i] : at[i / block * half + j % half];
                EXPECT(code == (k == 3     ? byte
                                : j < half ? byte & 15
                                           : byte >> 4),
                       "%s: code %zu", rows[k].name, i);
            }
        }
        cr_assert(sf8_blocks_image_load(&r, again, scales_again, offsets_again, image, 2, n) ==
                  SF8_OK);
        EXPECT(memcmp(again, codes, 2 * n) == 0 &&
                   memcmp(scales_again, scales, 4 * 4 * of[k]) == 0 &&
                   (k != 2 || memcmp(offsets_again, offsets, 16) == 0),
               "%s: back", rows[k].name);
        EXPECT(sf8_blocks_image_size(&r, 1, n + 16, &size) == SF8_BAD_CALL &&
                   sf8_blocks_image_size(&r, PTRDIFF_MAX, n, &size) == SF8_BAD_CALL &&
                   sf8_blocks_image_store(&r, image, codes, scales, offsets, 1, 8) == SF8_BAD_CALL,
               "%s: no whole groups", rows[k].name);
        if (k != 3) {
            EXPECT(sf8_recipe_pack_n(&r, image, codes, 24) == SF8_BAD_CALL &&
                       sf8_recipe_unpack_n(&r, codes, image, 24) == SF8_BAD_CALL,
                   "%s: half a block", rows[k].name);
        }
    }
    sf8_recipe none = recipe_of("mxfp4-floor");
    size_t size = 1;
    EXPECT(sf8_blocks_image_size(&none, 1, 32, &size) == SF8_BAD_CALL && size == 1, "no image");
}

/* ---- rows that are refused ------------------------------------------------------------------- */

Test(blocks_tiles, refused)
{
    static const struct {
        const char *properties, *second_of, *error_of;
    } wrong[] = {
        {"rows=0", NULL, NULL},
        {"rows=1", NULL, NULL},
        {"rows=x", NULL, NULL},
        {"rows=5000", NULL, NULL},
        {"rows=", NULL, NULL},
        {"image=0", NULL, NULL},
        {"nibbles=both", NULL, NULL},
        {"errors=least", "amax", "x"},
        {"tie=first", "amax", "x"},
        {"", "amax", NULL},
        {"", NULL, "x"},
        {"", "amax +", "x"},
        {"rows=3", "amax", "x"},
        {"rows=256", "amax", "x"},
        {"rows=2 nibbles=half", NULL, NULL},
        {"rows=2 image=1", NULL, NULL},
    };
    for (size_t i = 0; i < COUNT(wrong); i++) {
        sf8_recipe r;
        /* clang-format off */
        sf8_recipe_row row = {.name = "wrong", "e2m1", "ocp", "", 16, "f32", "ocp", "", "amax", "",
            "", "x s /", "e s *", wrong[i].properties};
        /* clang-format on */
        row.second_of = wrong[i].second_of;
        row.error_of = wrong[i].error_of;
        EXPECT(sf8_recipe_read(&r, &row) == SF8_BAD_CALL, "%s, %zu", wrong[i].properties, i);
    }
}

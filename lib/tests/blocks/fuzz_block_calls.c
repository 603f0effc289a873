/* SPDX-License-Identifier: MIT */
/* fuzz_block_calls.c -- libFuzzer: the functions of softfp8_blocks.h with any recipe, size and bits
 *
 * Arrays have the size that the header states and not a byte more. Every level gives what the core
 * gives. Sizes that no memory has are refused before a pointer is used.
 */
#include "fuzz_input.h"
#include "softfp8_blocks.h"

static sf8_format any_tensor(input *in)
{
    switch (small(in, 3)) {
    case 0:
        return SF8_F32;
    case 1:
        return SF8_BF16;
    case 2:
        return SF8_F16;
    default:
        return SF8_E4M3; /* refused */
    }
}

static sf8_recipe any_recipe(input *in)
{
    sf8_recipe r;
    size_t rows = 0, i = (size_t)word(in);
    while (sf8_recipe_at(rows))
        rows++;
    CHECK(sf8_recipe_named(&r, sf8_recipe_at(i % rows)->name) == SF8_OK);
    return r;
}

static float any_float(input *in)
{
    return sf8_f32_from_bits((uint32_t)word(in));
}

static size_t width_of(sf8_format f)
{
    return sf8_format_bits(f) > 16 ? 4 : sf8_format_bits(f) > 8 ? 2 : 1;
}

/* A quantized matrix, and what it was made of. */
typedef struct matrix {
    size_t rows, columns, scales;
    array src, codes;
    uint32_t *scale, *offset;
} matrix;

static matrix matrix_of(input *in, const sf8_recipe *r, size_t width)
{
    matrix m = {.rows = small(in, 9), .columns = small(in, 70)};
    m.scales = sf8_recipe_scale_rows(r, m.rows) * sf8_recipe_blocks(r, m.columns);
    m.src = array_of(in, m.rows * m.columns, width);
    m.codes = array_of(in, m.rows * m.columns, 1);
    m.scale = words_of(in, m.scales);
    m.offset = words_of(in, m.scales);
    return m;
}

static void release(matrix *m)
{
    free(m->src.whole);
    free(m->codes.whole);
    free(m->scale);
    free(m->offset);
}

/* Words of any bits: codes of 8 bits, of 16, or what no format has. */
static void any_words(input *in, uint32_t *words, size_t n)
{
    uint32_t shift = 8 * small(in, 3);
    for (size_t i = 0; i < n; i++)
        words[i] = ((uint32_t)word(in) ^ words[i]) >> shift;
}

static void check_levels(input *in)
{
    sf8_recipe r = any_recipe(in);
    sf8_format f = any_tensor(in);
    float g = any_float(in);
    matrix m = matrix_of(in, &r, width_of(f));
    size_t n = m.rows * m.columns, width = width_of(f);
    array codes = array_of(in, n, 1), core = array_of(in, n, width), back = array_of(in, n, width);
    uint32_t *scale = words_of(in, m.scales), *offset = words_of(in, m.scales);
    sf8_status status = sf8_quantize_n_at("core", &r, m.codes.at, m.scale, m.offset, f, m.src.at,
                                          m.rows, m.columns, g);
    CHECK((status == SF8_OK) == (width > 1));
    for (size_t i = 0; sf8_simd_at(i) && status == SF8_OK; i++) {
        CHECK(sf8_quantize_n_at(sf8_simd_at(i), &r, codes.at, scale, offset, f, m.src.at, m.rows,
                                m.columns, g) == SF8_OK);
        CHECK(memcmp(scale, m.scale, m.scales * sizeof *scale) == 0);
        CHECK(r.offset_at != SF8_OFFSET_WORD ||
              memcmp(offset, m.offset, m.scales * sizeof *offset) == 0);
    }
    if (small(in, 1)) /* codes of any bits are read too, and scales that nobody computed */
        take(in, m.codes.at, n);
    if (small(in, 1))
        any_words(in, m.scale, m.scales);
    if (small(in, 1))
        any_words(in, m.offset, m.scales);
    CHECK(sf8_dequantize_n_at("core", &r, f, core.at, m.codes.at, m.scale, m.offset, m.rows,
                              m.columns, g) == status);
    for (size_t i = 0; sf8_simd_at(i) && status == SF8_OK; i++) {
        CHECK(sf8_dequantize_n_at(sf8_simd_at(i), &r, f, back.at, m.codes.at, m.scale, m.offset,
                                  m.rows, m.columns, g) == SF8_OK);
        CHECK(memcmp(back.at, core.at, n * width) == 0);
    }
    free(scale);
    free(offset);
    free(codes.whole);
    free(core.whole);
    free(back.whole);
    release(&m);
}

/* Packed codes with scales of a byte: every level quantizes as the core does, and reads any bytes
 * as the core does. */
static void check_packed(input *in)
{
    sf8_recipe r = any_recipe(in);
    sf8_format f = any_tensor(in);
    float g = any_float(in);
    matrix m = matrix_of(in, &r, width_of(f));
    size_t n = m.rows * m.columns, width = width_of(f);
    size_t bytes = m.rows * sf8_packed_size((int32_t)sf8_recipe_bits(&r), m.columns);
    array core = array_of(in, bytes, 1), codes = array_of(in, bytes, 1);
    array core_scales = array_of(in, m.scales, 1), scales = array_of(in, m.scales, 1);
    array read = array_of(in, n, width), again = array_of(in, n, width);
    sf8_status status = sf8_quantize_packed_n_at("core", &r, core.at, core_scales.at, f, m.src.at,
                                                 m.rows, m.columns, g);
    for (size_t i = 0; sf8_simd_at(i); i++) {
        CHECK(sf8_quantize_packed_n_at(sf8_simd_at(i), &r, codes.at, scales.at, f, m.src.at, m.rows,
                                       m.columns, g) == status);
        CHECK(status != SF8_OK || memcmp(codes.at, core.at, bytes) == 0);
        CHECK(status != SF8_OK || memcmp(scales.at, core_scales.at, m.scales) == 0);
    }
    if (small(in, 1))
        take(in, core.at, bytes);
    if (small(in, 1))
        take(in, core_scales.at, m.scales);
    CHECK(sf8_dequantize_packed_n_at("core", &r, f, read.at, core.at, core_scales.at, m.rows,
                                     m.columns, g) == status);
    for (size_t i = 0; sf8_simd_at(i) && status == SF8_OK; i++) {
        CHECK(sf8_dequantize_packed_n_at(sf8_simd_at(i), &r, f, again.at, core.at, core_scales.at,
                                         m.rows, m.columns, g) == SF8_OK);
        CHECK(memcmp(again.at, read.at, n * width) == 0);
    }
    free(core.whole);
    free(codes.whole);
    free(core_scales.whole);
    free(scales.whole);
    free(read.whole);
    free(again.whole);
    release(&m);
}

/* Blocks along columns, with scales and offsets of any bits. */
static void check_columns(input *in)
{
    sf8_recipe r = any_recipe(in);
    sf8_format f = any_tensor(in);
    float g = any_float(in);
    matrix m = matrix_of(in, &r, width_of(f));
    size_t n = m.columns * sf8_recipe_blocks(&r, m.rows);
    uint32_t *scale = words_of(in, n), *offset = words_of(in, n);
    sf8_status status = sf8_quantize_columns_n(&r, m.codes.at, scale, offset, f, m.src.at, m.rows,
                                               m.columns, g);
    if (small(in, 1))
        any_words(in, scale, n);
    if (small(in, 1))
        any_words(in, offset, n);
    sf8_status back = sf8_dequantize_columns_n(&r, f, m.src.at, m.codes.at, scale, offset, m.rows,
                                               m.columns, g);
    CHECK(back == SF8_OK || status != SF8_OK);
    free(scale);
    free(offset);
    release(&m);
}

/* Codes in bytes and in images come back. */
static void check_bytes(input *in)
{
    sf8_recipe r = any_recipe(in);
    matrix m = matrix_of(in, &r, 1);
    size_t n = m.rows * m.columns, size = 0;
    uint32_t mask = (2u << (sf8_recipe_bits(&r) - 1)) - 1;
    array packed = array_of(in, sf8_packed_size((int32_t)sf8_recipe_bits(&r), m.columns), 1);
    array back = array_of(in, n, 1);
    if (m.rows && sf8_recipe_pack_n(&r, packed.at, m.codes.at, m.columns) == SF8_OK) {
        CHECK(sf8_recipe_unpack_n(&r, back.at, packed.at, m.columns) == SF8_OK);
        for (size_t i = 0; i < m.columns; i++)
            CHECK(back.at[i] == (m.codes.at[i] & mask));
    }
    if (sf8_blocks_image_size(&r, m.rows, m.columns, &size) == SF8_OK) {
        array image = array_of(in, size, 1);
        uint32_t *scale = words_of(in, m.scales), *offset = words_of(in, m.scales);
        CHECK(sf8_blocks_image_store(&r, image.at, m.codes.at, m.scale, m.offset, m.rows,
                                     m.columns) == SF8_OK);
        CHECK(sf8_blocks_image_load(&r, back.at, scale, offset, image.at, m.rows, m.columns) ==
              SF8_OK);
        for (size_t i = 0; i < n; i++)
            CHECK(back.at[i] == (m.codes.at[i] & mask));
        free(image.whole);
        free(scale);
        free(offset);
    }
    free(packed.whole);
    free(back.whole);
    release(&m);
}

static void check_requantized(input *in)
{
    sf8_recipe r = any_recipe(in), to = any_recipe(in);
    sf8_format f = any_tensor(in);
    sf8_policy policy;
    sf8_block_report report;
    sf8_result dot;
    take(in, &policy, sizeof policy);
    matrix m = matrix_of(in, &r, width_of(f));
    size_t scales = sf8_recipe_scale_rows(&to, m.rows) * sf8_recipe_blocks(&to, m.columns);
    array codes = array_of(in, m.rows * m.columns, 1);
    uint32_t *scale = words_of(in, scales), *offset = words_of(in, scales);
    sf8_blocks from = {&r, m.codes.at, m.scale, m.offset, any_float(in)};
    CHECK(sf8_requantize_n(&to, codes.at, scale, offset, any_float(in), &from, m.rows, m.columns) ==
          SF8_OK);
    if (sf8_block_errors(&report, &from, f, m.src.at, m.rows, m.columns) == SF8_OK)
        CHECK(report.count == m.rows * m.columns);
    if (m.rows) /* the first row with itself */
        (void)sf8_blocks_dot(f, policy, &dot, &from, &from, m.columns, any_float(in));
    free(codes.whole);
    free(scale);
    free(offset);
    release(&m);
}

/* What no memory can hold. */
static void check_sizes(input *in)
{
    sf8_recipe r = any_recipe(in);
    sf8_format f = any_tensor(in);
    size_t n = (size_t)word(in) | (size_t)PTRDIFF_MAX + 1, size, some = small(in, 70) + 1u;
    size_t rows = small(in, 1) ? n : some, columns = rows == n ? some : n;
    uint8_t none[4] = {0};
    uint32_t words[1] = {0};
    CHECK(sf8_quantize_n(&r, none, words, words, f, none, rows, columns, 1) != SF8_OK);
    CHECK(sf8_dequantize_n(&r, f, none, none, words, words, rows, columns, 1) != SF8_OK);
    CHECK(sf8_quantize_packed_n(&r, none, none, f, none, rows, columns, 1) != SF8_OK);
    CHECK(sf8_dequantize_packed_n(&r, f, none, none, none, rows, columns, 1) != SF8_OK);
    CHECK(sf8_quantize_columns_n(&r, none, words, words, f, none, rows, columns, 1) != SF8_OK);
    CHECK(sf8_dequantize_columns_n(&r, f, none, none, words, words, rows, columns, 1) != SF8_OK);
    if (sf8_blocks_image_size(&r, rows, columns, &size) == SF8_OK)
        CHECK(size <= PTRDIFF_MAX);
    (void)sf8_kivi_tail_keys(n, some);
    (void)sf8_kivi_tail_values(n, some);
    CHECK(sf8_kivi_pack_keys(words, none, rows, columns, 2) != SF8_OK);
    CHECK(sf8_kivi_unpack_values(none, words, rows, columns, 4) != SF8_OK);
}

static void check_layout(input *in)
{
    sf8_layout which = small(in, 1) ? (sf8_layout)word(in) : small(in, SF8_LAYOUT_COUNT);
    size_t rows = small(in, 140), columns = small(in, 20), size = 0;
    if (sf8_layout_places(which, rows, columns, &size) == SF8_OK) {
        array src = array_of(in, rows * columns, 1), back = array_of(in, rows * columns, 1);
        array dst = array_of(in, size, 1);
        CHECK(sf8_layout_store_n(which, dst.at, src.at, rows, columns) == SF8_OK);
        CHECK(sf8_layout_load_n(which, back.at, dst.at, rows, columns) == SF8_OK);
        CHECK(rows * columns == 0 || memcmp(src.at, back.at, rows * columns) == 0);
        free(src.whole);
        free(back.whole);
        free(dst.whole);
    }
    uint8_t none[1] = {0};
    rows = (size_t)word(in) | (size_t)PTRDIFF_MAX + 1;
    CHECK(sf8_layout_store_n(which, none, none, rows, columns + 1) != SF8_OK);
}

/* A row of the caller's own, one of whose texts is of any bytes. */
static void check_row(input *in)
{
    sf8_recipe r;
    sf8_program program;
    char text[64];
    size_t rows = 0;
    while (sf8_recipe_at(rows))
        rows++;
    sf8_recipe_row row = *sf8_recipe_at((size_t)word(in) % rows);
    const char **texts[] = {&row.element,    &row.element_policy, &row.element_fields,
                            &row.scale,      &row.scale_policy,   &row.scale_fields,
                            &row.scale_of,   &row.offset_of,      &row.factor_of,
                            &row.element_of, &row.value_of,       &row.properties,
                            &row.g_of,       &row.second_of,      &row.error_of};
    uint32_t which = small(in, sizeof texts / sizeof texts[0] - 1);
    if (small(in, 1))
        row.block = (int32_t)word(in);
    take(in, text, sizeof text);
    text[sizeof text - 1] = 0;
    if (sf8_program_read(&program, text)) {
        uint32_t variable[SF8_VAR_COUNT];
        take(in, variable, sizeof variable);
        CHECK(program.count >= 0 && program.count <= SF8_PROGRAM_TERMS);
        if (program.count)
            (void)sf8_program_run(&program, variable);
    }
    *texts[which] = text;
    if (sf8_recipe_read(&r, &row) != SF8_OK)
        return;
    matrix m = matrix_of(in, &r, 4);
    CHECK(sf8_quantize_n(&r, m.codes.at, m.scale, m.offset, SF8_F32, m.src.at, m.rows, m.columns,
                         any_float(in)) == SF8_OK);
    CHECK(sf8_dequantize_n(&r, SF8_F32, m.src.at, m.codes.at, m.scale, m.offset, m.rows, m.columns,
                           any_float(in)) == SF8_OK);
    release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input in = {data, size};
    static void (*const checks[])(input *) = {check_levels, check_packed,      check_columns,
                                              check_bytes,  check_requantized, check_sizes,
                                              check_layout, check_row};
    checks[small(&in, sizeof checks / sizeof checks[0] - 1)](&in);
    return 0;
}

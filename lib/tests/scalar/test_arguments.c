/* SPDX-License-Identifier: MIT */
/* test_arguments.c -- arguments that are NULL: names, levels, texts and the pointers of arrays
 *
 * fuzz_api.c tries formats, policies and sizes of any bits.
 */
#include "check.h"
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"
#include "softfp8_kv.h"
#include "softfp8_kv_store.h"
#include "softfp8_mma.h"
#include "softfp8_vectors.h"

#define UNKNOWN(call) EXPECT((call) == SF8_UNKNOWN_NAME, "%s", #call)
#define REFUSED(call) EXPECT((call) == SF8_BAD_CALL, "%s", #call)

Test(arguments, no_name)
{
    sf8_status status = SF8_OK;
    size_t at = 77;
    sf8_policy policy = SF8_OCP;
    sf8_format format = SF8_E4M3;
    sf8_result result;
    UNKNOWN((sf8_format_named(NULL, &status), status));
    UNKNOWN((sf8_policy_named(NULL, &status), status));
    UNKNOWN((sf8_layout_named(NULL, &status), status));
    UNKNOWN((sf8_order_named(NULL, &status), status));
    UNKNOWN((sf8_merge_named(NULL, &status), status));
    UNKNOWN((sf8_attend_sums_named(NULL, &status), status));
    /* What they return then, as their headers say. */
    EXPECT(sf8_layout_named("none", NULL) == SF8_LAYOUT_LINEAR, "a layout");
    EXPECT(sf8_order_named("none", NULL) == SF8_ORDER_SEQUENTIAL, "an order");
    EXPECT(sf8_merge_named("none", NULL) == SF8_MERGE_VLLM, "a rule of merging");
    EXPECT(sf8_attend_sums_named("none", NULL) == SF8_ATTEND_EXACT, "a way to sum");
    UNKNOWN(sf8_format_read(NULL, &format, &at));
    EXPECT(at == 0, "at %zu", at);
    UNKNOWN(sf8_policy_read(NULL, &policy, NULL));
    UNKNOWN(sf8_policy_get(policy, NULL, NULL, 0));
    UNKNOWN(sf8_policy_set(&policy, NULL, "rz"));
    EXPECT(sf8_policy_set(&policy, "round", NULL) == SF8_BAD_TEXT, "a value that is NULL");
    EXPECT(sf8_policy_set(&policy, "sr_bits", NULL) == SF8_BAD_TEXT, "a number that is NULL");
    at = 77;
    EXPECT(sf8_from_text(SF8_E4M3, NULL, policy, &result, &at) == SF8_BAD_TEXT && at == 0,
           "a text that is NULL");
    EXPECT(!sf8_policy_for(NULL, SF8_E4M3, SF8_F32), "a product that is NULL");
    EXPECT(sf8_structure_size(NULL) == 0, "a structure that is NULL");
    EXPECT(sf8_evidence_rank(NULL) == 0, "an evidence that is NULL");
    EXPECT(!sf8_attend_order_named(NULL), "an order that is NULL");
}

Test(arguments, no_name_of_a_structure)
{
    sf8_recipe recipe;
    sf8_program program;
    sf8_mma mma;
    sf8_function function;
    sf8_word word;
    sf8_kv_layout layout;
    sf8_kv_reader reader;
    sf8_kv_rule rule;
    sf8_kv_type type;
    UNKNOWN(sf8_recipe_named(&recipe, NULL));
    EXPECT(!sf8_program_read(&program, NULL), "a program that is NULL");
    UNKNOWN(sf8_mma_named(&mma, NULL, SF8_E4M3, SF8_E4M3, SF8_F32));
    cr_assert(sf8_mma_named(&mma, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    UNKNOWN(sf8_mma_set(&mma, NULL, "1"));
    EXPECT(sf8_mma_set(&mma, "length", NULL) == SF8_BAD_TEXT, "a value that is NULL");
    UNKNOWN(sf8_function_named(NULL, &function));
    UNKNOWN(sf8_word_named(NULL, &word));
    UNKNOWN(sf8_kv_layout_named(&layout, NULL, 1, 1, 1, 1, 8));
    UNKNOWN(sf8_kv_reader_named(&reader, NULL));
    UNKNOWN(sf8_kv_rule_named(&rule, NULL));
    UNKNOWN(sf8_kv_type_named(&type, NULL));
}

Test(arguments, no_level)
{
    uint8_t codes[4] = {0};
    uint32_t words[4] = {0};
    UNKNOWN(sf8_convert_n_at(NULL, SF8_E4M3, codes, SF8_F32, words, 4, SF8_OCP));
    UNKNOWN(sf8_convert_sr_n_at(NULL, SF8_E4M3, codes, SF8_F32, words, 4, SF8_OCP, words));
}

/* Each pointer of an array function in turn. Where random numbers are not used they may be NULL. */
Test(arguments, no_array)
{
    uint8_t x[4] = {0};
    uint32_t words[4] = {0};
    int32_t exponents[4] = {0};
    sf8_policy p = SF8_OCP, sr = SF8_OCP;
    sr.round = SF8_SR;
    REFUSED(sf8_convert_n(SF8_E4M3, NULL, SF8_F32, words, 4, p));
    REFUSED(sf8_convert_n(SF8_E4M3, x, SF8_F32, NULL, 4, p));
    REFUSED(sf8_convert_sr_n(SF8_E4M3, NULL, SF8_F32, words, 4, sr, words));
    REFUSED(sf8_convert_sr_n(SF8_E4M3, x, SF8_F32, NULL, 4, sr, words));
    REFUSED(sf8_convert_sr_n(SF8_E4M3, x, SF8_F32, words, 4, sr, NULL));
    REFUSED(sf8_convert_strided_n(SF8_E4M3, NULL, 2, SF8_F32, words, 1, 2, p));
    REFUSED(sf8_convert_strided_n(SF8_E4M3, x, 2, SF8_F32, NULL, 1, 2, p));
#define EACH(any, op)                                                                              \
    REFUSED(sf8_##op##_n(SF8_E4M3, NULL, x, x, 4, p));                                             \
    REFUSED(sf8_##op##_n(SF8_E4M3, x, NULL, x, 4, p));                                             \
    REFUSED(sf8_##op##_n(SF8_E4M3, x, x, NULL, 4, p));
#define EACH_SR(any, op)                                                                           \
    EACH(any, op)                                                                                  \
    REFUSED(sf8_##op##_sr_n(SF8_E4M3, NULL, x, x, 4, sr, words));                                  \
    REFUSED(sf8_##op##_sr_n(SF8_E4M3, x, NULL, x, 4, sr, words));                                  \
    REFUSED(sf8_##op##_sr_n(SF8_E4M3, x, x, NULL, 4, sr, words));                                  \
    REFUSED(sf8_##op##_sr_n(SF8_E4M3, x, x, x, 4, sr, NULL));
#define EACH_EXTREMUM(any, op, greater, magnitude, number) EACH(any, op)
    SF8_BINARY_ARITHMETIC(EACH_SR, any)
    SF8_EXTREMA(EACH_EXTREMUM, any)
    REFUSED(sf8_fma_n(SF8_E4M3, x, x, x, NULL, 4, p));
    REFUSED(sf8_fma_sr_n(SF8_E4M3, x, x, x, NULL, 4, sr, words));
    REFUSED(sf8_sqrt_n(SF8_E4M3, NULL, x, 4, p));
    REFUSED(sf8_sqrt_n(SF8_E4M3, x, NULL, 4, p));
    REFUSED(sf8_sqrt_sr_n(SF8_E4M3, x, x, 4, sr, NULL));
    REFUSED(sf8_rint_n(SF8_E4M3, x, NULL, 4, p));
    REFUSED(sf8_scalb_n(SF8_E4M3, x, x, NULL, 4, p));
    REFUSED(sf8_scalb_sr_n(SF8_E4M3, x, x, exponents, 4, sr, NULL));
    REFUSED(sf8_pack_n(4, NULL, x, 4));
    REFUSED(sf8_pack_n(4, x, NULL, 4));
    REFUSED(sf8_unpack_n(6, NULL, x, 4));
    REFUSED(sf8_unpack_n(6, x, NULL, 4));
}

/* Each pointer of a function for matrices in blocks in turn, with a recipe that stores offsets
 * beside the scales, and with one that does not. Without elements the recipe alone is needed. */
Test(arguments, no_matrix)
{
    uint8_t c[64] = {0};
    uint32_t w[64] = {0};
    const char *const names[] = {"q4_1-gguf", "mxfp4-floor"};
    for (int plain = 0; plain < 2; plain++) {
        sf8_recipe r;
        sf8_block_report report;
        sf8_result result;
        cr_assert(sf8_recipe_named(&r, names[plain]) == SF8_OK);
        cr_assert((r.offset_at == SF8_OFFSET_WORD) == !plain);
        uint32_t *o = plain ? NULL : w;
        sf8_blocks b = {&r, c, w, o, 1};
        sf8_format f = SF8_F32;
        EXPECT(sf8_quantize_n(&r, c, w, o, f, w, 1, 32, 1) == SF8_OK, "nothing is missing");
        REFUSED(sf8_quantize_n(NULL, c, w, o, f, w, 1, 32, 1));
        REFUSED(sf8_quantize_n(&r, NULL, w, o, f, w, 1, 32, 1));
        REFUSED(sf8_quantize_n(&r, c, NULL, o, f, w, 1, 32, 1));
        REFUSED(sf8_quantize_n(&r, c, w, o, f, NULL, 1, 32, 1));
        REFUSED(sf8_quantize_n_at("core", &r, c, NULL, o, f, w, 1, 32, 1));
        EXPECT(sf8_dequantize_n(&r, f, w + 32, c, w, o, 1, 32, 1) == SF8_OK, "nothing is missing");
        REFUSED(sf8_dequantize_n(NULL, f, w + 32, c, w, o, 1, 32, 1));
        REFUSED(sf8_dequantize_n(&r, f, NULL, c, w, o, 1, 32, 1));
        REFUSED(sf8_dequantize_n(&r, f, w + 32, NULL, w, o, 1, 32, 1));
        REFUSED(sf8_dequantize_n(&r, f, w + 32, c, NULL, o, 1, 32, 1));
        REFUSED(sf8_dequantize_n_at("core", &r, f, NULL, c, w, o, 1, 32, 1));
        REFUSED(sf8_quantize_columns_n(NULL, c, w, o, f, w, 32, 1, 1));
        REFUSED(sf8_quantize_columns_n(&r, NULL, w, o, f, w, 32, 1, 1));
        REFUSED(sf8_dequantize_columns_n(NULL, f, w + 32, c, w, o, 32, 1, 1));
        REFUSED(sf8_dequantize_columns_n(&r, f, w + 32, c, NULL, o, 32, 1, 1));
        REFUSED(sf8_quantize_packed_n(NULL, c, c, f, w, 1, 32, 1));
        REFUSED(sf8_quantize_packed_n(&r, NULL, c, f, w, 1, 32, 1));
        REFUSED(sf8_dequantize_packed_n(NULL, f, w, c, c, 1, 32, 1));
        REFUSED(sf8_dequantize_packed_n(&r, f, w, c, NULL, 1, 32, 1));
        REFUSED(sf8_requantize_n(NULL, c, w, o, 1, &b, 1, 32));
        REFUSED(sf8_requantize_n(&r, c, NULL, o, 1, &b, 1, 32));
        REFUSED(sf8_requantize_n(&r, c, w, o, 1, NULL, 1, 32));
        REFUSED(sf8_block_errors(&report, NULL, f, w, 1, 32));
        REFUSED(sf8_block_errors(&report, &b, f, NULL, 1, 32));
        REFUSED(sf8_blocks_dot(f, SF8_OCP, NULL, &b, &b, 32, 1));
        REFUSED(sf8_blocks_dot(f, SF8_OCP, &result, &b, NULL, 32, 1));
        REFUSED(sf8_blocks_matmul(f, SF8_OCP, w, NULL, 1, &b, 1, 32, 1));
        EXPECT(sf8_quantize_n(&r, NULL, NULL, NULL, f, NULL, 0, 32, 1) == SF8_OK, "no rows");
        EXPECT(sf8_dequantize_n(&r, f, NULL, NULL, NULL, NULL, 1, 0, 1) == SF8_OK, "no columns");
        if (!plain) {
            REFUSED(sf8_quantize_n(&r, c, w, NULL, f, w, 1, 32, 1));
            REFUSED(sf8_quantize_n_at("core", &r, c, w, NULL, f, w, 1, 32, 1));
            REFUSED(sf8_dequantize_n(&r, f, w + 32, c, w, NULL, 1, 32, 1));
            REFUSED(sf8_quantize_columns_n(&r, c, w, NULL, f, w, 32, 1, 1));
            REFUSED(sf8_dequantize_columns_n(&r, f, w + 32, c, w, NULL, 32, 1, 1));
            b.offsets = NULL;
            REFUSED(sf8_requantize_n(&r, c, w, w, 1, &b, 1, 32));
            REFUSED(sf8_block_errors(&report, &b, f, w, 1, 32));
        }
    }
}

/* Matrices that no memory holds: of too many rows, of rows too long, and with a product of both that
 * is small again when 64 bits overflow. */
static const size_t huge[][2] = {{SIZE_MAX, 32},
                                 {32, SIZE_MAX},
                                 {SIZE_MAX, SIZE_MAX},
                                 {SIZE_MAX / 32 + 1, 32},
                                 {32, SIZE_MAX / 32 + 1},
                                 {(SIZE_MAX >> 1) / 64 + 1, 64},
                                 {64, (SIZE_MAX >> 1) / 64 + 1}};

Test(arguments, matrices_beyond_memory)
{
    uint8_t codes[64] = {0};
    uint32_t words[64] = {0};
    sf8_recipe recipe;
    const sf8_recipe_row *row;
    for (size_t i = 0; (row = sf8_recipe_at(i)) != NULL; i++)
        for (size_t j = 0; j < COUNT(huge); j++) {
            size_t rows = huge[j][0], columns = huge[j][1], size;
            cr_assert(sf8_recipe_named(&recipe, row->name) == SF8_OK);
            sf8_blocks blocks = {&recipe, codes, words, words, 1};
            sf8_block_report report;
#define NOT_OK(call) EXPECT((call) != SF8_OK, "%s %zu: %s", row->name, j, #call)
            NOT_OK(sf8_quantize_n(&recipe, codes, words, words, SF8_F32, words, rows, columns, 1));
            NOT_OK(sf8_dequantize_n(&recipe, SF8_F32, words, codes, words, words, rows, columns, 1));
            NOT_OK(sf8_quantize_packed_n(&recipe, codes, codes, SF8_F32, words, rows, columns, 1));
            NOT_OK(sf8_dequantize_packed_n(&recipe, SF8_F32, words, codes, codes, rows, columns, 1));
            NOT_OK(sf8_quantize_columns_n(&recipe, codes, words, words, SF8_F32, words, rows,
                                          columns, 1));
            NOT_OK(sf8_dequantize_columns_n(&recipe, SF8_F32, words, codes, words, words, rows,
                                            columns, 1));
            NOT_OK(sf8_blocks_image_size(&recipe, rows, columns, &size));
            NOT_OK(sf8_blocks_image_store(&recipe, codes, codes, words, words, rows, columns));
            NOT_OK(sf8_blocks_image_load(&recipe, codes, words, words, codes, rows, columns));
            NOT_OK(sf8_requantize_n(&recipe, codes, words, words, 1, &blocks, rows, columns));
            NOT_OK(sf8_block_errors(&report, &blocks, SF8_F32, words, rows, columns));
            NOT_OK(sf8_blocks_matmul(SF8_F32, SF8_OCP, words, &blocks, rows, &blocks, columns, 64, 1));
            NOT_OK(sf8_blocks_matmul(SF8_F32, SF8_OCP, words, &blocks, rows, &blocks, 1, columns, 1));
            NOT_OK(sf8_recipe_pack_n(&recipe, codes, codes, rows | columns | ~(SIZE_MAX >> 1)));
            NOT_OK(sf8_recipe_unpack_n(&recipe, codes, codes, rows | columns | ~(SIZE_MAX >> 1)));
        }
}

Test(arguments, layouts_beyond_memory)
{
    uint8_t codes[64] = {0};
    uint32_t words[64] = {0};
    for (size_t j = 0; j < COUNT(huge); j++) {
        size_t rows = huge[j][0], columns = huge[j][1], size;
        for (int32_t layout = 0; layout < SF8_LAYOUT_COUNT; layout++) {
            EXPECT(sf8_layout_places((sf8_layout)layout, rows, columns, &size) == SF8_BAD_CALL,
                   "places %d %zu", layout, j);
            REFUSED(sf8_layout_store_n((sf8_layout)layout, codes, codes, rows, columns));
            REFUSED(sf8_layout_load_n((sf8_layout)layout, codes, codes, rows, columns));
        }
        REFUSED(sf8_layout_places((sf8_layout)SF8_LAYOUT_COUNT, 4, 4, &size));
        REFUSED(sf8_kivi_pack_keys(words, codes, rows & ~(size_t)31, columns & ~(size_t)31, 2));
        REFUSED(sf8_kivi_pack_values(words, codes, rows & ~(size_t)31, columns & ~(size_t)31, 2));
        REFUSED(sf8_kivi_unpack_keys(codes, words, rows & ~(size_t)31, columns & ~(size_t)31, 4));
        REFUSED(sf8_kivi_unpack_values(codes, words, rows & ~(size_t)31, columns & ~(size_t)31, 4));
    }
}

Test(arguments, products_beyond_memory)
{
    uint32_t words[64] = {0};
    sf8_mma mma;
    cr_assert(sf8_mma_named(&mma, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    sf8_mma_operands x = {words, words, NULL, NULL};
    for (size_t j = 0; j < COUNT(huge); j++) {
        size_t rows = huge[j][0], columns = huge[j][1];
        REFUSED(sf8_mma_matmul(&mma, NULL, words, NULL, x, rows, columns, 32));
        REFUSED(sf8_mma_matmul(&mma, NULL, words, NULL, x, rows, 1, columns & ~(size_t)31));
        REFUSED(sf8_mma_matmul(&mma, NULL, words, NULL, x, 1, columns, rows & ~(size_t)31));
    }
}

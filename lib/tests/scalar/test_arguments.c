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

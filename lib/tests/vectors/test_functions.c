/* SPDX-License-Identifier: MIT */
/* test_functions.c -- functions by name: which names there are, and what is called */
#include "softfp8_vectors.h"
#include "table.h"

static sf8_function function_of(const char *name)
{
    sf8_function function;
    cr_assert(sf8_function_named(name, &function) == SF8_OK, "no function %s", name);
    return function;
}

/* ---- names ----------------------------------------------------------------------------------- */

static const char *const integers[] = {"i8", "i16", "i32", "i64", "ui8", "ui16", "ui32", "ui64"};

static int is_float(const sf8_word *word, sf8_format f)
{
    return word->kind == SF8_WORD_FLOAT && word->bits == sf8_format_bits(f) &&
           memcmp(&word->format, &f, sizeof f) == 0;
}

static int is_arithmetic(const char *op)
{
    static const char *const ops[] = {
        "add",   "sub", "mul",   "mulAdd",         "div",           "rem", "sqrt", "recip", "rsqrt",
        "hypot", "faa", "clamp", "minimum_finite", "maximum_finite"};
    for (size_t i = 0; i < COUNT(ops); i++) {
        if (strcmp(op, ops[i]) == 0)
            return 1;
    }
    return 0;
}

Test(functions, every_operation_of_every_format)
{
    const char *format, *op;
    sf8_format f;
    size_t ops = 0;
    for (size_t i = 0; (format = sf8_format_at(i, &f)) != NULL; i++) {
        for (ops = 0; (op = sf8_function_op_at(ops)) != NULL; ops++) {
            char name[SF8_NAME_SIZE];
            sf8_function function;
            snprintf(name, sizeof name, "%s_%s", format, op);
            sf8_status status = sf8_function_named(name, &function);
            if (strcmp(format, "f64") == 0 && is_arithmetic(op)) {
                EXPECT(status == SF8_BAD_FORMAT, "%s", name);
                continue;
            }
            EXPECT(status == SF8_OK && strcmp(function.name, name) == 0, "%s", name);
            EXPECT((size_t)function.op == SF8_OP_add + ops, "%s", name);
            for (int32_t k = 0; k < function.operands; k++)
                EXPECT(is_float(&function.operand[k], f), "%s", name);
        }
    }
    cr_expect(ops == 37, "%zu operations", ops);
    cr_expect(sf8_function_op_at(SIZE_MAX) == NULL);
}

Test(functions, every_conversion)
{
    const char *from, *to;
    sf8_format f, g;
    char name[SF8_NAME_SIZE];
    for (size_t i = 0; (from = sf8_format_at(i, &f)) != NULL; i++) {
        for (size_t k = 0; (to = sf8_format_at(k, &g)) != NULL; k++) {
            snprintf(name, sizeof name, "%s_to_%s", from, to);
            sf8_function function = function_of(name);
            EXPECT(function.op == SF8_OP_CONVERT && function.operands == 1 &&
                       strcmp(function.name, name) == 0 && is_float(&function.operand[0], f) &&
                       is_float(&function.result, g),
                   "%s", name);
        }
        for (size_t k = 0; k < COUNT(integers); k++) {
            sf8_word_kind kind = k < 4 ? SF8_WORD_SIGNED : SF8_WORD_UNSIGNED;
            snprintf(name, sizeof name, "%s_to_%s", from, integers[k]);
            sf8_function function = function_of(name);
            EXPECT(function.op == SF8_OP_TO_INTEGER && is_float(&function.operand[0], f) &&
                       function.result.kind == kind && function.result.bits == 8 << k % 4,
                   "%s", name);
            snprintf(name, sizeof name, "%s_to_%s", integers[k], from);
            function = function_of(name);
            EXPECT(function.op == SF8_OP_FROM_INTEGER && is_float(&function.result, f) &&
                       function.operand[0].kind == kind && function.operand[0].bits == 8 << k % 4,
                   "%s", name);
        }
    }
}

Test(functions, operands_and_results)
{
    cr_expect(function_of("e4m3_add").operands == 2);
    cr_expect(function_of("e4m3_mulAdd").operands == 3);
    cr_expect(function_of("e4m3_sqrt").operands == 1);
    cr_expect(function_of("e4m3_roundToInt").operands == 1);
    cr_expect(function_of("e4m3_next_down").operands == 1);
    sf8_function add = function_of("e5m2_add"), eq = function_of("e5m2_eq");
    cr_expect(is_float(&add.result, SF8_E5M2));
    cr_expect(eq.result.kind == SF8_WORD_BOOL && eq.result.bits == 1 && eq.operands == 2);
    sf8_function class = function_of("e5m2_class");
    cr_expect(class.result.kind == SF8_WORD_CLASS && class.result.bits == 4);
}

Test(functions, other_names)
{
    static const struct {
        const char *name, *means;
    } same[] = {
        {"e4m3_fma", "e4m3_mulAdd"},
        {"f16_rint", "f16_roundToInt"},
        {"p3109_k8p4se_fma", "p3109_k8p4se_mulAdd"},
    };
    for (size_t i = 0; i < COUNT(same); i++) {
        sf8_function function = function_of(same[i].name), meant = function_of(same[i].means);
        EXPECT(strcmp(function.name, same[i].means) == 0 && function.op == meant.op, "%s",
               same[i].name);
    }
    sf8_function k3 = function_of("f16_to_p3109_k3p2uf");
    cr_expect(is_float(&k3.result, sf8_p3109_format(3, 2, 0, 0)));
    sf8_function longest = function_of("p3109_k5p2ue_minimum_magnitude_number");
    cr_expect(is_float(&longest.operand[1], sf8_p3109_format(5, 2, 0, 1)));
    cr_expect(longest.op == SF8_OP_minimum_magnitude_number);
    cr_expect(function_of("p3109_k8p4se_to_f32").op == SF8_OP_CONVERT);
}

/* A format for each operand and for the result. Some names of formats have underscores. */
Test(functions, mixed_formats)
{
    sf8_function mul = function_of("p3109_k8p4se_Binary8p3se_mul_to_f32");
    cr_expect(mul.op == SF8_OP_mul && is_float(&mul.operand[0], format_of("Binary8p4se")));
    cr_expect(is_float(&mul.operand[1], format_of("Binary8p3se")) &&
              is_float(&mul.result, SF8_F32));
    sf8_function fma = function_of("e4m3_p3109_k8p3sf_f32_fma_to_bf16");
    cr_expect(strcmp(fma.name, "e4m3_p3109_k8p3sf_f32_mulAdd_to_bf16") == 0);
    cr_expect(is_float(&fma.operand[1], format_of("Binary8p3sf")));
    cr_expect(is_float(&fma.operand[2], SF8_F32) && is_float(&fma.result, SF8_BF16));
    sf8_function clamp = function_of("f32_clamp_to_e4m3");
    cr_expect(clamp.operands == 3 && is_float(&clamp.operand[2], SF8_F32));
    cr_expect(function_of("f32_maximum_magnitude_number_to_f16").op ==
              SF8_OP_maximum_magnitude_number);
    cr_expect(is_float(&function_of("f32_e4m3_copy_sign_to_f16").operand[1], SF8_E4M3));
}

/* Formats that are written by their fields; the longest such name fits. */
Test(functions, own_formats)
{
    sf8_function function;
    sf8_format own = sf8_format_row(4, 3, 1, SF8_NANS_TOP, 0, 1, 11);
    cr_expect(sf8_function_named("f32_to_e=4,m=3,bias=11,nan=top", &function) == SF8_OK);
    cr_expect(memcmp(&function.result.format, &own, sizeof own) == 0);
    cr_expect(strcmp(function.name, "f32_to_e=4,m=3,bias=11,nan=top") == 0);
    cr_expect(sf8_function_named("e4m3,bias=11_add", &function) == SF8_OK);
    cr_expect(memcmp(&function.operand[1].format, &own, sizeof own) == 0);
    cr_expect(sf8_function_named("e=11,m=51,bias=-1023,signed=1,nan=neg-zero,inf=1,zero=1_to_"
                                 "e=11,m=50,bias=-1023,signed=1,nan=neg-zero,inf=1,zero=1",
                                 &function) == SF8_OK);
}

/* Names of any length are refused as such. */
Test(functions, long_names)
{
    static const char *const frames[] = {"e4m3_add_%s", "e4m3_to_%s", "%s_to_e4m3", "%s_add"};
    sf8_function function;
    for (int length = 1; length < 3 * SF8_NAME_SIZE; length++)
        for (size_t i = 0; i < COUNT(frames); i++) {
            char letters[3 * SF8_NAME_SIZE], name[4 * SF8_NAME_SIZE];
            memset(letters, 'a', sizeof letters);
            letters[length] = '\0';
            snprintf(name, sizeof name, frames[i], letters);
            EXPECT(sf8_function_named(name, &function) == SF8_UNKNOWN_NAME, "%s", name);
        }
}

/* Some operations have two names, and the longer one is kept: it must have its place too. */
Test(functions, names_that_become_longer)
{
    static const char *const short_names[] = {"rint", "fma"};
    static const char *const long_names[] = {"_roundToInt", "_mulAdd"};
    for (size_t i = 0; i < COUNT(short_names); i++)
        for (int commas = 1; commas < SF8_NAME_SIZE; commas++) {
            char format[2 * SF8_NAME_SIZE], name[3 * SF8_NAME_SIZE];
            sf8_function function;
            snprintf(format, sizeof format, "e4m3%0*dbias=11", commas, 0);
            memset(format + 4, ',', (size_t)commas);
            snprintf(name, sizeof name, "%s_%s", format, short_names[i]);
            int fits = strlen(format) + strlen(long_names[i]) < SF8_NAME_SIZE;
            sf8_status status = sf8_function_named(name, &function);
            EXPECT(status == (fits ? SF8_OK : SF8_UNKNOWN_NAME), "%d commas, %s", commas, name);
            if (status == SF8_OK)
                EXPECT(strncmp(function.name, format, strlen(format)) == 0 &&
                           strcmp(function.name + strlen(format), long_names[i]) == 0 &&
                           function.operands == (i == 0 ? 1 : 3),
                       "%d commas, %s", commas, name);
        }
}

/* What is refused has written nothing. */
Test(functions, refused_unchanged)
{
    static const char *const refused[] = {"hif8_to_i8", "i8_to_hif8", "hif8_add", "e4m3_plus"};
    for (size_t i = 0; i < COUNT(refused); i++) {
        sf8_function function, before;
        memset(&function, 0x5a, sizeof function);
        memcpy(&before, &function, sizeof function);
        EXPECT(sf8_function_named(refused[i], &function) != SF8_OK &&
                   memcmp(&function, &before, sizeof function) == 0,
               "%s", refused[i]);
    }
}

Test(functions, no_such_function)
{
    /* clang-format off */
    static const char *const unknown[] = {
        "", "_", "e4m3", "add", "_add", "e4m3_", "e4m3_plus", "e4m3_ADD", "e4m3_add ", " e4m3_add",
        "e4m3__add", "e4m3add", "e4m3-add", "e4m3xadd", "e4m3_muladd", "e4m3_number", "E4M3_add",
        "i8_add", "i8_to_i8", "i8_to_ui16", "ui64_to_i64", "u8_to_e4m3", "i128_to_e4m3",
        "e4m3_to_u8", "e4m3_to_", "_to_e4m3", "_to_", "e4m3_to", "e4m3_to_e4m4", "e4m4_to_e4m3",
        "f64_to_f32_to_f16", "e4m3_to_e5m2_add", "p3109_k17p4se_add", "p3109_k8p8se_to_f32",
        "e4m3_e5m2_mul", "e4m3_e5m2_e4m3_mul_to_f32", "e4m3_e5m2_mulAdd_to_f32", "e4m3_lt_to_f32",
        "e4m3_class_to_f32", "e4m3_rem_to_f32", "e4m3_mul_to_i8", "i8_mul_to_f32", "e4m3__mul_to_f32",
        "e4m3_e5m2_mul_to_", "e4m3_next_up_to_f16", "e4m3_mul_to_f16_to_f32", "e4m3_f32_to_f16",
        "f64_addd", "e=4,m=3_ad", "e=4_to_e4m3", "e4m3_to_e=4,m=3,k=5",
    };
    /* clang-format on */
    static const char *const without[] = {"f64_add",
                                          "f64_sub",
                                          "f64_mul",
                                          "f64_mulAdd",
                                          "f64_fma",
                                          "f64_div",
                                          "f64_rem",
                                          "f64_sqrt",
                                          "f64_recip",
                                          "f64_add_to_f32",
                                          "e4m3_mul_to_f64",
                                          "hif8_mul_to_f32",
                                          "e4m3_hif8_mul_to_f32"};
    sf8_function function;
    for (size_t i = 0; i < COUNT(unknown); i++)
        EXPECT(sf8_function_named(unknown[i], &function) == SF8_UNKNOWN_NAME, "\"%s\"", unknown[i]);
    for (size_t i = 0; i < COUNT(without); i++)
        EXPECT(sf8_function_named(without[i], &function) == SF8_BAD_FORMAT, "%s", without[i]);
}

Test(functions, words)
{
    sf8_word word;
    cr_expect(sf8_word_named("e3m2", &word) == SF8_OK && is_float(&word, SF8_E3M2));
    cr_expect(sf8_word_named("ui32", &word) == SF8_OK && word.kind == SF8_WORD_UNSIGNED &&
              word.bits == 32);
    cr_expect(sf8_word_named("i8", &word) == SF8_OK && word.kind == SF8_WORD_SIGNED &&
              word.bits == 8);
    cr_expect(sf8_word_named("u32", &word) == SF8_UNKNOWN_NAME);
    cr_expect(sf8_word_named("", &word) == SF8_UNKNOWN_NAME);
}

/* ---- results --------------------------------------------------------------------------------- */

Test(functions, results)
{
    table calls = table_read("vectors/calls.txt");
    for (size_t i = 0; i < calls.count; i++) {
        const table_line *c = &calls.line[i];
        sf8_function function = function_of(c->word[0]);
        const uint64_t operands[] = {table_hex(c, 1), table_hex(c, 2), table_hex(c, 3)};
        sf8_result r = sf8_function_call(&function, operands, policy_of(table_rest(c, 8)),
                                         (uint32_t)table_hex(c, 4), (int32_t)table_hex(c, 5));
        EXPECT(r.code == table_hex(c, 6) && r.flags == (uint32_t)table_flags(c->word[7]),
               "%s(%s, %s, %s) %s: %" PRIx64 "/%02x", c->word[0], c->word[1], c->word[2],
               c->word[3], table_rest(c, 8), r.code, r.flags);
    }
    cr_expect(calls.count == 136, "%zu", calls.count);
    for (size_t op = 0; sf8_function_op_at(op); op++) {
        int found = 0;
        for (size_t i = 0; i < calls.count; i++)
            found |= (size_t)function_of(calls.line[i].word[0]).op == SF8_OP_add + op;
        EXPECT(found, "no result of %s", sf8_function_op_at(op));
    }
    table_free(&calls);
}

/* Operands that a function does not have are not looked at. */
Test(functions, one_operand_is_enough)
{
    sf8_function function = function_of("e4m3_sqrt");
    const uint64_t operand[1] = {0x40};
    cr_expect(sf8_function_call(&function, operand, SF8_OCP, 0, 0).code == 0x3b);
}

Test(functions, rounds)
{
    static const char *const rounded[] = {
        "e4m3_add",   "f32_to_e4m3", "i8_to_e4m3", "e4m3_to_i8",        "e4m3_rint",
        "e4m3_recip", "e4m3_rsqrt",  "e4m3_hypot", "e4m3_faa",          "f32_negate_to_e4m3",
        "e4m3_fma",   "e4m3_sqrt",   "e4m3_div",   "f32_clamp_to_e4m3", "e4m3_f32_maximum_to_f32",
    };
    static const char *const exact[] = {
        "e4m3_negate", "e4m3_maximum", "e4m3_clamp",   "e4m3_rem",
        "e4m3_eq",     "e4m3_class",   "e4m3_next_up", "e4m3_maximum_to_e4m3"};
    for (size_t i = 0; i < COUNT(rounded); i++) {
        sf8_function function = function_of(rounded[i]);
        EXPECT(sf8_function_rounds(&function), "%s", rounded[i]);
    }
    for (size_t i = 0; i < COUNT(exact); i++) {
        sf8_function function = function_of(exact[i]);
        EXPECT(!sf8_function_rounds(&function), "%s", exact[i]);
    }
}

/* Functions made up of rows that are none. */
Test(functions, invalid_rows)
{
    static const char *const names[] = {"e4m3_add", "e4m3_eq",     "e4m3_class",
                                        "e4m3_abs", "e4m3_is_one", "e4m3_rint",
                                        "e4m3_fma", "e4m3_to_i8",  "e4m3_copy_sign"};
    const uint64_t operands[3] = {0x38, 0x38, 0x38};
    sf8_format bad = SF8_E4M3;
    bad.exp_bits = 0;
    sf8_function convert = sf8_function_convert(SF8_F32, bad);
    sf8_result r = sf8_function_call(&convert, operands, SF8_OCP, 0, 0);
    cr_expect(r.code == 0 && r.flags == SF8_UNSUPPORTED);
    cr_expect(convert.name[0] == '\0' && convert.operands == 1);
    for (size_t i = 0; i < COUNT(names); i++) {
        sf8_function function = function_of(names[i]);
        function.operand[0].format = bad;
        r = sf8_function_call(&function, operands, SF8_OCP, 0, 0);
        EXPECT(r.code == 0 && r.flags == SF8_UNSUPPORTED, "%s", names[i]);
    }
    sf8_function one = function_of("e4m3_is_one"); /* a width that no shift has */
    one.operand[0].format.exp_bits = one.operand[0].format.man_bits = 60;
    r = sf8_function_call(&one, operands, SF8_OCP, 0, 0);
    cr_expect(r.code == 0 && r.flags == SF8_UNSUPPORTED);
    sf8_function none = function_of("e4m3_add");
    cr_expect(sf8_function_rounds(&none));
    none.op = SF8_OP_COUNT;
    cr_expect(sf8_function_call(&none, operands, SF8_OCP, 0, 0).flags == SF8_UNSUPPORTED);
}

/* SPDX-License-Identifier: MIT */
/* test_names.c -- formats, policies and their fields by name: good names, bad ones, round trips */
#include "table.h"

#include <ctype.h>

Test(names, formats_by_name)
{
    sf8_format f;
    const char *name;
    size_t i = 0;
    for (; (name = sf8_format_at(i, &f)) != NULL; i++) {
        sf8_status status = SF8_BAD_TEXT;
        EXPECT(same_format(sf8_format_named(name, &status), f) && status == SF8_OK, "%s", name);
        for (size_t k = 0; k < i; k++)
            EXPECT(strcmp(name, sf8_format_at(k, NULL)) != 0, "%s twice", name);
    }
    cr_expect(i == FORMATS, "%zu formats", i);
    cr_expect(sf8_format_at(1000, &f) == NULL);
    cr_expect(same_format(sf8_format_named("e4m3", NULL), SF8_E4M3));
    cr_expect(same_format(sf8_format_named("e8m0", NULL), SF8_E8M0));
    cr_expect(same_format(sf8_format_named("f64", NULL), SF8_F64));
    cr_expect(same_format(sf8_format_named("p3109_k4p2sf", NULL), sf8_p3109_format(4, 2, 1, 0)));
    cr_expect(same_format(sf8_format_named("p3109_k8p8ue", NULL), sf8_p3109_format(8, 8, 0, 1)));
    cr_expect(same_format(sf8_format_named("p3109_k8p4sf", NULL), SF8_E4M3FNUZ));
    cr_expect(
        same_format(sf8_format_named("p3109_k16p11se", NULL), sf8_p3109_format(16, 11, 1, 1)));
    cr_expect(same_format(sf8_format_named("p3109_k16p5se", NULL), sf8_p3109_format(16, 5, 1, 1)));
    cr_expect(same_format(sf8_format_named("p3109_k10p9uf", NULL), sf8_p3109_format(10, 9, 0, 0)));
}

/* What other projects call a format. */
Test(names, formats_of_other_projects)
{
    table known = table_read("text/format_names.txt");
    for (size_t i = 0; i < known.count; i++) {
        char *const *word = known.line[i].word;
        sf8_status status = SF8_BAD_TEXT;
        sf8_format f = sf8_format_named(word[0], &status);
        EXPECT(status == SF8_OK && same_format(f, format_of(word[1])), "%s", word[0]);
    }
    cr_expect(known.count == 99, "%zu", known.count);
    table_free(&known);
}

static int same_letters(const char *a, const char *b)
{
    while (*a && tolower((unsigned char)*a) == tolower((unsigned char)*b))
        a++, b++;
    return *a == *b;
}

/* <f4 of NumPy is f32, safetensors' F4 is e2m1. CUDA gives UE4M3 the value of E4M3, which has a
 * sign. */
Test(names, names_of_two_formats)
{
    static const char *const names[] = {"F4", "f4", "F8", "CUDA_R_8F_UE4M3"};
    for (size_t i = 0; i < COUNT(names); i++) {
        sf8_status status = SF8_OK;
        sf8_format_named(names[i], &status);
        EXPECT(status == SF8_UNKNOWN_NAME, "%s", names[i]);
    }
}

/* Each alias is there once, stands for a format, and is not that of another one in other letters:
 * the command takes names in any case. */
Test(names, aliases_of_formats)
{
    const char *alias, *name, *other;
    for (size_t i = 0; (alias = sf8_format_alias_at(i, &name)) != NULL; i++) {
        sf8_status status = SF8_BAD_TEXT;
        sf8_format_named(name, &status);
        EXPECT(status == SF8_OK, "%s: %s", alias, name);
        for (size_t k = 0; k < i; k++)
            EXPECT(!same_letters(alias, sf8_format_alias_at(k, NULL)), "%s", alias);
        for (size_t k = 0; (other = sf8_format_at(k, NULL)) != NULL; k++)
            EXPECT(!same_letters(alias, other), "%s", alias);
    }
}

/* The names of IEEE P3109, and those of its earlier drafts. */
Test(names, formats_of_p3109)
{
    static const char *const rows[][2] = {
        {"Binary8p3se", "p3109_k8p3se"}, {"Binary8p4uf", "p3109_k8p4uf"},
        {"binary8p3se", "p3109_k8p3se"}, {"binary8p3", "p3109_k8p3se"},
        {"Binary4p2", "p3109_k4p2se"},   {"Binary16p11se", "p3109_k16p11se"},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_status status = SF8_BAD_TEXT;
        sf8_format f = sf8_format_named(rows[i][0], &status);
        sf8_format own = sf8_format_named(rows[i][1], NULL);
        EXPECT(status == SF8_OK && memcmp(&f, &own, sizeof f) == 0, "%s", rows[i][0]);
    }
}

/* An unknown name gives the status, and e4m3, so that a careless caller has a valid format. */
Test(names, no_such_format)
{
    /* clang-format off */
    static const char *const bad[] = {
        "", "e4m3 ", " e4m3", "E4M3", "e4m3fnu", "e4m", "e4m33", "p3109_", "p3109_k8p4s",
        "Binary8p4s", "Binary8p8se", "Binary8", "binary08p3", "BINARY8p3se", "p3109_k8p4",
        "p3109_k8p4see", "p3109_k2p1se", "p3109_k17p8se", "p3109_k16p4se", "p3109_k13p2uf",
        "p3109_k8p04se", "p3109_k016p8se", "p3109_k116p8se", "p3109_k8p8se", "p3109_k8p0se",
        "p3109_k8p9uf", "p3109_k8p4xe", "p3109_k8p4sx", "P3109_k8p4se", "p3109_k 8p4se",
        "p3109_k08p4se", "p3109_kap4se", "p3109_k8p-1se", "p3109_k8q4se", "ocp",
    };
    /* clang-format on */
    for (size_t i = 0; i < COUNT(bad); i++) {
        sf8_status status = SF8_OK;
        sf8_format f = sf8_format_named(bad[i], &status);
        EXPECT(status == SF8_UNKNOWN_NAME, "\"%s\"", bad[i]);
        EXPECT(same_format(f, SF8_E4M3), "\"%s\"", bad[i]);
    }
}

Test(names, policies_by_name)
{
    const sf8_policy_row *row;
    size_t i = 0;
    for (; (row = sf8_policy_at(i)) != NULL; i++) {
        sf8_status status = SF8_BAD_TEXT;
        sf8_policy_named(row->name, &status);
        EXPECT(status == SF8_OK, "%s", row->name);
        for (size_t k = 0; k < i; k++)
            EXPECT(strcmp(row->name, sf8_policy_at(k)->name) != 0, "%s twice", row->name);
    }
    cr_expect(i == POLICIES, "%zu policies", i);
    cr_expect(sf8_policy_at(1000) == NULL);
    cr_expect(same_policy(sf8_policy_named("ocp", NULL), sf8_policy_default()));
    cr_expect(same_policy(sf8_policy_named("ocp-nosat", NULL), SF8_OCP_NOSAT));
    cr_expect(same_policy(sf8_policy_named("cuda-satfinite", NULL), SF8_CUDA_SATFINITE));
    cr_expect(same_policy(sf8_policy_named("p3109-satnone", NULL), SF8_P3109_SATNONE));
    cr_expect(same_policy(sf8_policy_named("hip-fnuz", NULL), SF8_HIP_FNUZ));
}

/* Lists of formats in rows are names with one blank between them. */
static void check_list(const char *policy_name, const char *list)
{
    while (*list) {
        char name[24] = "";
        size_t n = strcspn(list, " ");
        sf8_status status = SF8_BAD_TEXT;
        snprintf(name, sizeof name, "%.*s", (int)n, list);
        sf8_format_named(name, &status);
        if (strcmp(policy_name, "p3109") == 0 && strcmp(name, "p3109") == 0)
            status = SF8_OK; /* the family */
        EXPECT(status == SF8_OK, "%s: format \"%s\"", policy_name, name);
        list += n + (list[n] == ' ');
    }
}

Test(names, formats_of_policies)
{
    const sf8_policy_row *row;
    const sf8_product_row *product;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        check_list(row->name, row->to);
        check_list(row->name, row->from);
    }
    for (size_t i = 0; (product = sf8_product_at(i)) != NULL; i++) {
        check_list(product->product, product->to);
        check_list(product->product, product->from);
    }
}

typedef struct meant {
    const char *policy_name;
    sf8_format to, from;
    int32_t holds;
} meant;

Test(names, policies_hold_for_their_formats)
{
    const meant rows[] = {
        {"ocp", SF8_E8M0, SF8_F64, 1},
        {"llvm", SF8_E2M1, SF8_E5M2, 1},
        {"ort-e8m0", SF8_E8M0, SF8_BF16, 1},
        {"ort-e8m0", SF8_E4M3, SF8_BF16, 0},
        {"cuda-nosat-f64", SF8_E4M3, SF8_F64, 1},
        {"cuda-nosat-f64", SF8_E4M3, SF8_F32, 0},
        {"xla-e8m0", SF8_E8M0, SF8_F64, 1},
        {"xla-e8m0", SF8_E8M0, SF8_F32, 0},
        {"xla-e8m0", SF8_E4M3, SF8_F64, 0},
        {"torch-decode", SF8_F32, SF8_E5M2, 1},
        {"torch-decode", SF8_F32, SF8_E4M3FNUZ, 0},
        {"torch-decode", SF8_E5M2, SF8_F32, 0},
        {"ggml-ue4m3", SF8_E4M3, SF8_F32, 0},
        /* TensorFlow and PaddlePaddle have these policies for conversions that are not listed. */
        {"cuda-nosat-f64", SF8_E5M2, SF8_F16, 1},
        {"openvino-e5m2", SF8_F32, SF8_E5M2, 1},
        {"openvino-e5m2", SF8_BF16, SF8_E4M3, 0},
    };
    const sf8_format p3109 = sf8_format_named("p3109_k8p3se", NULL);
    const sf8_policy_row lists = {.name = "", .to = "p3109", .from = "f32"};
    EXPECT(sf8_policy_holds(&lists, p3109, SF8_F32), "the family of P3109");
    EXPECT(!sf8_policy_holds(&lists, SF8_E4M3, SF8_F32), "e4m3 is no format of P3109");
    for (size_t i = 0; i < COUNT(rows); i++) {
        const sf8_policy_row *row;
        size_t at = 0;
        while ((row = sf8_policy_at(at)) != NULL && strcmp(row->name, rows[i].policy_name) != 0)
            at++;
        cr_assert(row, "%s", rows[i].policy_name);
        EXPECT(sf8_policy_holds(row, rows[i].to, rows[i].from) == rows[i].holds, "row %zu: %s", i,
               row->name);
    }
}

Test(names, no_such_policy)
{
    static const char *const bad[] = {"",        "OCP",     "ocp ",        "ocp_nosat",
                                      "ocp-sat", "e4m3",    "ml-dtypes",   "cuda",
                                      "p3109",   "torch-2", "torch-2.13.0"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        sf8_status status = SF8_OK;
        sf8_policy policy = sf8_policy_named(bad[i], &status);
        EXPECT(status == SF8_UNKNOWN_NAME, "\"%s\"", bad[i]);
        EXPECT(same_policy(policy, SF8_OCP), "\"%s\"", bad[i]);
    }
}

/* What no file of vectors/products asks: the products without one, and other names of a product. */
Test(names, policy_of_a_product)
{
    table known = table_read("text/product_names.txt");
    for (size_t i = 0; i < known.count; i++) {
        char *const *word = known.line[i].word;
        const char *name = sf8_policy_for(word[0], format_of(word[1]), format_of(word[2]));
        EXPECT(strcmp(name ? name : "none", word[3]) == 0, "%s, %s to %s: %s", word[0], word[2],
               word[1], name ? name : "none");
    }
    cr_expect(known.count == 52, "%zu", known.count);
    table_free(&known);
}

/* The fields of a policy as text, one by one, make the policy again. */
Test(names, policies_round_trip)
{
    const sf8_policy_row *row;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        sf8_policy policy = sf8_policy_named(row->name, NULL), copy;
        memset(&copy, 0, sizeof copy);
        for (size_t k = 0; sf8_policy_field_at(k); k++) {
            char text[32];
            const char *field = sf8_policy_field_at(k);
            cr_assert(sf8_policy_get(policy, field, text, sizeof text) == SF8_OK);
            cr_assert(sf8_policy_set(&copy, field, text) == SF8_OK, "%s=%s", field, text);
        }
        EXPECT(same_policy(policy, copy), "%s", row->name);
    }
}

Test(names, fields)
{
    table known = table_read("text/field_values.txt");
    for (size_t i = 0; i < known.count; i++) {
        const table_line *x = &known.line[i];
        char text[16];
        cr_assert(sf8_policy_get(policy_of(table_rest(x, 2)), x->word[0], text, sizeof text) ==
                  SF8_OK);
        EXPECT(strcmp(text, x->word[1]) == 0, "%s %s: %s, not %s", table_rest(x, 2), x->word[0],
               text, x->word[1]);
    }
    cr_expect(known.count == 18, "%zu", known.count);
    table_free(&known);
    cr_expect(sf8_policy_field_at(27) == NULL && sf8_policy_field_values(27) == NULL);
    cr_expect(strcmp(sf8_policy_field_at(0), "round") == 0);
    cr_expect(strcmp(sf8_policy_field_at(21), "dialect") == 0);
    cr_expect(strcmp(sf8_policy_field_values(0), "rne rna rz ru rd ro rnz sr") == 0);
    cr_expect(strcmp(sf8_policy_field_values(2), "") == 0);
}

typedef struct bad_field {
    const char *field, *value;
    sf8_status status;
} bad_field;

/* A refused value leaves the policy as it was. */
Test(names, bad_fields)
{
    static const bad_field rows[] = {
        {"", "rne", SF8_UNKNOWN_NAME},       {"Round", "rne", SF8_UNKNOWN_NAME},
        {"rounds", "rne", SF8_UNKNOWN_NAME}, {"round ", "rne", SF8_UNKNOWN_NAME},
        {"round", "", SF8_BAD_TEXT},         {"round", "rn", SF8_BAD_TEXT},
        {"round", "rnee", SF8_BAD_TEXT},     {"round", "RNE", SF8_BAD_TEXT},
        {"round", "rne rna", SF8_BAD_TEXT},  {"round", "0", SF8_BAD_TEXT},
        {"round", "rz ", SF8_BAD_TEXT},      {"overflow", "nan", SF8_BAD_TEXT},
        {"sr_bits", "0", SF8_BAD_TEXT},      {"sr_bits", "33", SF8_BAD_TEXT},
        {"sr_bits", "", SF8_BAD_TEXT},       {"sr_bits", "-1", SF8_BAD_TEXT},
        {"sr_bits", "016", SF8_BAD_TEXT},    {"sr_bits", "1x", SF8_BAD_TEXT},
        {"sr_bits", "100", SF8_BAD_TEXT},    {"sr_bits", " 8", SF8_BAD_TEXT},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        sf8_policy policy = SF8_LLVM;
        EXPECT(sf8_policy_set(&policy, rows[i].field, rows[i].value) == rows[i].status, "%s=%s",
               rows[i].field, rows[i].value);
        EXPECT(same_policy(policy, SF8_LLVM), "%s=%s", rows[i].field, rows[i].value);
    }
}

/* A value that has no name is not read as one; a buffer that is too small is not written. */
Test(names, bad_reads)
{
    char text[8] = "before";
    sf8_policy policy = SF8_OCP;
    cr_expect(sf8_policy_get(policy, "nothing", text, sizeof text) == SF8_UNKNOWN_NAME);
    cr_expect(sf8_policy_get(policy, "round", text, 3) == SF8_NO_ROOM);
    cr_expect(sf8_policy_get(policy, "sr_bits", text, 2) == SF8_NO_ROOM);
    cr_expect(sf8_policy_get(policy, "round", text, 0) == SF8_NO_ROOM);
    policy.missing_nan = 7;
    cr_expect(sf8_policy_get(policy, "missing_nan", text, sizeof text) == SF8_BAD_TEXT);
    cr_expect(strcmp(text, "before") == 0);
    cr_expect(sf8_policy_get(policy, "sr_bits", text, 3) == SF8_OK && strcmp(text, "16") == 0);
    cr_expect(sf8_policy_get(SF8_OCP, "round", text, 4) == SF8_OK && strcmp(text, "rne") == 0);
}

Test(names, version_and_status)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", SF8_VERSION_MAJOR, SF8_VERSION_MINOR,
             SF8_VERSION_PATCH);
    cr_expect(strcmp(sf8_version(), SF8_VERSION) == 0 && strcmp(version, SF8_VERSION) == 0);
    cr_expect(SF8_OK == 0 && SF8_UNKNOWN_NAME == 1 && SF8_BAD_TEXT == 2 && SF8_NO_ROOM == 3 &&
              SF8_BAD_FORMAT == 4);
}

/* SPDX-License-Identifier: MIT */
/* smt.c -- softfp8 export smt: a function as a definition in SMT-LIB 2 */
#include "export/export.h"
#include "files/testfloat.h"
#include "vectors/smt/smt.h"

#include <stdio.h>
#include <string.h>

typedef struct settings {
    const char *from, *to, *path;
    policy_choice choice;
} settings;

static const cli_option options[] = {
    {"--from", "FORMAT", "with --to: the format that the conversion reads", FORMAT(settings, from)},
    {"--to", "FORMAT", "with --from: the format that it writes", FORMAT(settings, to)},
    GROUP(settings, path, output_option),
    GROUP(settings, choice, policy_options),
    {.kind = OPTION_END},
};

/* The name of the format that `name` means: e4m3 for E4M3. */
static const char *known_name(const char *name)
{
    sf8_format meant = format_of_name(name);
    const char *known;
    for (size_t i = 0; (known = format_name_at(i)) != NULL; i++) {
        sf8_format f = format_of_name(known);
        if (memcmp(&f, &meant, sizeof f) == 0)
            return known;
    }
    return name;
}

static sf8_function function_of(const settings *s, const char *name)
{
    char text[2 * SF8_NAME_SIZE];
    if (name && (s->from || s->to))
        fail("expected a FUNCTION, or --from and --to, not both");
    if (name)
        return testfloat_function(name);
    if (!s->from || !s->to)
        fail("no function given: expected a FUNCTION such as e4m3_add, or --from and --to");
    snprintf(text, sizeof text, "%s_to_%s", known_name(s->from), known_name(s->to));
    return testfloat_function(text);
}

static int run(int argc, char **argv)
{
    settings s = {0};
    char fields[1024];
    const char *base;
    const char *name = options_read(&export_smt, argc, argv, &s) ? argv[0] : NULL;
    sf8_function f = function_of(&s, name);
    testfloat t = testfloat_defaults();
    t.choice = s.choice;
    smt_function definition = {&f, sf8_policy_default(), ""};
    const char *expected = smt_expects(&definition);
    if (expected)
        fail("%s: expected %s", f.name, expected);
    definition.policy = testfloat_policy(&t, &f, &base);
    definition.policy_text = policy_text(base, definition.policy, fields);
    expected = smt_expects(&definition);
    if (expected)
        fail("%s: expected %s", definition.policy_text, expected);
    output *out = output_open(s.path);
    smt_write(&definition, output_put, out);
    output_close(out);
    return STATUS_HELD;
}

const command export_smt = {
    .name = "export smt",
    .purpose = "Writes a function as a definition in SMT-LIB 2, logic QF_BV.",
    .example = "  $ softfp8 export smt --from f32 --to e4m3 -o cast.smt2\n",
    .usage = "export smt [options] FUNCTION\n"
             "export smt [options] --from FORMAT --to FORMAT",
    .about =
        "SMT-LIB has no sort for small formats such as e4m3. The file defines the function on "
        "codes, which are bit vectors: for f32_to_e4m3 a define-fun f32_to_e4m3 of 32 bits, "
        "and f32_to_e4m3.flags for the exception flags. Your assertions follow it. FUNCTION "
        "is a conversion between two formats, or FORMAT_add, FORMAT_sub or FORMAT_mul. The "
        "definition is made of the fields of the formats and of the policy: it unpacks the "
        "codes, forms the exact result, and rounds once. Stochastic rounding is not supported.",
    .more = "  $ softfp8 export smt e4m3_add --round rz -o add.smt2\n"
            "  $ softfp8 export smt --from f16 --to e5m2 --policy ocp-nosat\n",
    .options = options,
    .operands = "FUNCTION",
    .operands_most = 1,
    .complete = "function",
    .run = run,
};

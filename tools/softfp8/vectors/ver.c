/* SPDX-License-Identifier: MIT */
/* ver.c -- softfp8 ver: checks cases that somebody else computed */
#include "vectors/ver.h"

#include <string.h>

/* ---- arguments ------------------------------------------------------------------------------- */

static void take_all_checks(void *place, const cli_option *o, const char *value)
{
    verification *v = place;
    (void)o, (void)value;
    v->check_nans = v->check_integers = 1;
}

static const cli_option ver_options[] = {
    HEADING("What to check"),
    {"--steps", NULL,
     "FILE is a step table. Every input of it is checked, with the policy that its header names or "
     "the one given here",
     FLAG(verification, steps)},
    {"-inorder", NULL,
     "the cases must be those of gen with the same --critical, -level and -seed, complete and in "
     "order",
     FLAG(verification, in_order)},
    {"-partial", NULL, "accepts an incomplete table and reports how many cases were present",
     FLAG(verification, partial)},
    {"-errors", "N", "stops after N errors; 0 never stops. Default: 20",
     NUMBER(verification, most_errors, 0, UINT64_MAX)},
    {"--as-numbers", NULL,
     "adds a line to each error: the line of the file, hexadecimal codes, and values as decimal "
     "numbers",
     FLAG(verification, values)},
    {"-checkNaNs / -checknans", NULL,
     "checks every bit of a NaN; the default for formats of 8 bits or less",
     FLAG(verification, check_nans)},
    {"-checkInvInts", NULL, "checks every bit of the integer that an invalid conversion gives",
     FLAG(verification, check_integers)},
    {"-checkAll", NULL, "does both of these checks", .kind = OPTION_CALL, .take = take_all_checks},
    {"-nocheckNaNs", NULL, "accepts any quiet NaN", FLAG_AS(verification, check_nans, 0)},
    GROUP(verification, t, testfloat_options),
    {.kind = OPTION_END},
};

static void read_arguments(int argc, char **argv, verification *v)
{
    sf8_function f;
    size_t count = options_read(&command_ver, argc, argv, v);
    v->json = v->t.form == FORM_JSON || (count == 1 && ver_is_json(argv[0]));
    for (size_t i = 0; i < count; i++) {
        if (!v->name && !v->json && (!v->steps || sf8_function_named(argv[i], &f) == SF8_OK))
            v->name = in_one_word(argv[i]);
        else if (!v->t.path)
            v->t.path = argv[i];
        else
            fail("expected one file, got '%s' and '%s'", v->t.path, argv[i]);
    }
    if (v->steps && (v->t.form != FORM_TEXT || v->t.columns != COLUMNS_ALL || v->in_order ||
                     v->t.critical || v->t.level != 1 || v->check_nans == 0))
        fail("a step table holds all cases: leave out the options that choose cases");
    if (v->name && strcmp(v->name, "-") == 0)
        fail("'-' is standard input: expected a function before it, or --format json for JSON");
    if (!v->name && !v->steps && !v->json)
        fail("no function given; 'softfp8 gen -list' lists all");
}

/* ---- the command ----------------------------------------------------------------------------- */

/* The summary has TestFloat's form and goes to its streams; what else there is to say follows. */
static void say_summary(verification *v)
{
    if (v->errors)
        note("%llu tests performed; %llu error%s found.", (unsigned long long)v->tests,
             (unsigned long long)v->errors, v->errors == 1 ? "" : "s");
    else
        output_print(v->out, "In %llu tests, no errors found in %s.\n",
                     (unsigned long long)v->tests, v->title);
    output_close(v->out);
    if (v->stopped)
        note("stopped after %llu error%s; -errors 0 shows all", (unsigned long long)v->errors,
             v->errors == 1 ? "" : "s");
    if (v->of)
        note("%llu of the %llu cases %s were present", (unsigned long long)v->had,
             (unsigned long long)v->of, v->cases_name);
    if (v->lacks)
        note("-partial accepts a part of the table");
    if (v->errors && !v->values && !v->json)
        note("--as-numbers adds line numbers, codes and decimal values to the errors");
}

static int run(int argc, char **argv)
{
    static verification v;
    memset(&v, 0, sizeof v);
    v.t = testfloat_defaults();
    v.most_errors = 20;
    v.check_nans = v.check_integers = -1;
    read_arguments(argc, argv, &v);
    v.out = output_open(NULL);
    if (v.json) {
        verify_json(&v);
    } else if (v.steps) {
        verify_steps(&v);
    } else {
        v.function = testfloat_function(v.name);
        ver_prepare(&v);
        verify_cases(&v);
    }
    say_summary(&v);
    return v.errors ? STATUS_MISMATCH : STATUS_HELD;
}

const command command_ver = {
    .name = "ver",
    .purpose = "Checks test vectors that another implementation computed.",
    .example = "  $ softfp8 gen e4m3_mul | ./dut | softfp8 ver e4m3_mul\n",
    .usage = "ver [options] FUNCTION [FILE]\n"
             "ver [options] --steps FILE\n"
             "ver [options] [--format json] FILE.json",
    .about = "Each line has these columns in hexadecimal, as for testfloat_ver, with blanks, "
             "tabs or commas between them, and with 0x or without:\n"
             "  a, b, c   the operands, as many as the function has\n"
             "  random    with stochastic rounding: the random bits\n"
             "  result    what the implementation computed\n"
             "  flags     2 digits: 10 invalid, 08 division by zero, 04 overflow,\n"
             "            02 underflow, 01 inexact, or a sum of these\n"
             "'38 38 40 00' is e4m3_add with a = b = 1, result 2 and no flag. --columns says "
             "which of the groups operands, result and flags a file has. Blank lines are skipped; # "
             "and // begin a comment. For each wrong case "
             "a line on standard output shows the operands, what was found and what is right. "
             "Values are shown as sign, exponent field and fraction; flags are letters: v "
             "invalid, i division by zero, o overflow, u underflow, x inexact. The exit status is "
             "1 if any case is wrong.\n"
             "Digits x and z in a result or in flags, which a simulator writes for bits that it "
             "does not know, make the case wrong.\n"
             "Where gen writes all cases, all of them must be present, in any order. Where it "
             "writes a chosen set, a note says how many of the set were present, unless most cases "
             "of the file are others. A file without cases is bad input, and so is one with the "
             "remarks of gen --header that name another function or policy. If --columns lacks "
             "operands, the cases are those of gen with the same options; if it lacks flags, these "
             "are not checked.\n"
             "A JSON file, as gen --format json writes it, says itself which functions and "
             "policies its cases have. Every output is compared bit for bit, and each tag in "
             "`why` must hold. With -nocheckNaNs functions may return any quiet NaN, and with "
             "--columns operands,result flags may be missing and are not compared.",
    .more = "  $ softfp8 ver vectors/json/e2m1_add-ocp.json\n"
            "  $ softfp8 ver --steps vectors/steps/f32_to_e4m3-ocp.steps\n",
    .options = ver_options,
    .operands = "FUNCTION FILE",
    .operands_most = 2,
    .complete = "file",
    .run = run,
};

/* SPDX-License-Identifier: MIT */
/* ver.c -- softfp8 ver: checks cases that somebody else computed */
#include "vectors/ver.h"
#include "softfp8/core.h"

#include <stdio.h>
#include <stdlib.h>
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
    if (!v->name && !v->steps && !v->json)
        fail("no function given; 'softfp8 gen -list' lists all");
}

/* ---- cases ----------------------------------------------------------------------------------- */

static int is_nan(const sf8_word *word, uint64_t value)
{
    return word->kind == SF8_WORD_FLOAT && sf8_is_nan(word->format, value);
}

static int is_signaling(const sf8_word *word, uint64_t value)
{
    return sf8_core_is_signaling(word->format, value, SF8_OCP) != 0;
}

/* An integer that TestFloat takes for an invalid one: the ends of its range, for NaN zero too. */
static int is_invalid_integer(const sf8_word *word, uint64_t found, int of_nan)
{
    uint64_t all = word->bits == 64 ? UINT64_MAX : (UINT64_C(1) << word->bits) - 1;
    if (word->kind == SF8_WORD_UNSIGNED)
        return found == all;
    return found == all >> 1 || found == (all >> 1) + 1 || (of_nan && found == 0);
}

/* Whether the result may differ from the right one. The flags agree. */
static int is_forgiven(const verification *v, const uint64_t *operands, sf8_result right,
                       uint64_t found)
{
    const sf8_word *word = &v->function.result;
    if (is_nan(word, right.code))
        return !v->check_nans && is_nan(word, found) && !is_signaling(word, found);
    return v->function.op == SF8_OP_TO_INTEGER && !v->check_integers &&
           (right.flags & SF8_INVALID) &&
           is_invalid_integer(word, found, is_nan(&v->function.operand[0], operands[0]));
}

/* The bit of a case in the map of those that were seen; whole tables only. */
static uint64_t case_index(const verification *v, const uint64_t *operands)
{
    uint64_t index = 0;
    for (int i = 0; i < v->function.operands; i++)
        index = index << v->function.operand[i].bits | operands[i];
    return index;
}

static void mark_seen(verification *v, const uint64_t *operands)
{
    if (!v->seen)
        return;
    uint64_t index = case_index(v, operands);
    unsigned char bit = (unsigned char)(1 << (index & 7));
    v->distinct += !(v->seen[index >> 3] & bit);
    v->seen[index >> 3] |= bit;
}

/* 1 if this was one error too many. */
static int check_row(verification *v, const row *r)
{
    const layout *l = &v->layout;
    uint64_t expected[4], operands[4];
    if (v->in_order || !l->operands)
        cases_next(v->cases, expected);
    memcpy(operands, l->operands ? r->value : expected, sizeof operands);
    mark_seen(v, operands);
    if (v->in_order && memcmp(operands, expected, sizeof(uint64_t) * (size_t)l->operands) != 0) {
        char found[128], want[128];
        *ver_operands(found, v, operands) = '\0';
        *ver_operands(want, v, expected) = '\0';
        int stop = ver_error(v);
        output_print(v->out, "%s  is not the next case, expected %s\n", found, want);
        return stop;
    }
    uint32_t random = v->stochastic ? (uint32_t)operands[v->function.operands] : 0;
    sf8_result right = sf8_function_call(&v->function, operands, v->policy, random, v->t.exact);
    sf8_result found = right;
    if (l->result >= 0)
        found.code = r->value[l->result];
    if (l->flags >= 0)
        found.flags = (uint32_t)r->value[l->flags];
    if (found.code == right.code && found.flags == right.flags)
        return 0;
    if (found.flags == right.flags && is_forgiven(v, operands, right, found.code))
        return 0;
    int stop = ver_error(v);
    ver_result(v, operands, &found, &right, "");
    return stop;
}

/* Cases of a whole table that are missing are errors too, unless -partial allows it, or the
 * function is one of TestFloat's, which has samples of it. */
static void check_complete(verification *v)
{
    if (v->tests == 0)
        fail_at(v->reader.in->name, 0, "the file has no cases");
    if (!v->seen || v->distinct == v->cases->least)
        return;
    if (v->tests < v->cases->least && v->partial) {
        note("%llu of the %llu cases of the whole table were present",
             (unsigned long long)v->distinct, (unsigned long long)v->cases->least);
        return;
    }
    cases_rewind(v->cases);
    for (uint64_t i = 0; i < v->cases->least; i++) {
        uint64_t operands[4];
        cases_next(v->cases, operands);
        uint64_t index = case_index(v, operands);
        if (v->seen[index >> 3] >> (index & 7) & 1)
            continue;
        char text[128];
        *ver_operands(text, v, operands) = '\0';
        int stop = ver_error(v);
        output_print(v->out, "%s  is missing\n", text);
        output_flush(v->out);
        if (stop)
            return;
    }
}

static void say_bad_row(const verification *v, const vector_error *e)
{
    const char *quote = e->found[0] ? "'" : "", *after = e->found[0] ? "': " : "";
    if (e->line)
        fail_at(v->reader.in->name, e->line, "%s%s%sexpected %s", quote, e->found, after,
                e->expected);
    fail_at(v->reader.in->name, 0, "byte %llu: %s%s%sexpected %s", (unsigned long long)e->byte,
            quote, e->found, after, e->expected);
}

static void verify_cases(verification *v)
{
    cases_options options = {v->t.level, v->t.critical, v->stochastic, v->t.seed};
    v->cases = cases_open(&v->function, options);
    v->layout = layout_of(&v->function, v->stochastic, v->t.form, v->t.columns);
    if (v->layout.result < 0 && v->layout.flags < 0)
        fail("--columns: nothing to check; expected result, flags or both");
    if (v->in_order && !v->layout.operands)
        fail("-inorder needs operands in --columns");
    if (v->cases->whole && v->layout.operands)
        v->seen = allocate((size_t)(v->cases->least + 7) / 8, 1);
    input *in = input_open(v->t.path);
    vectors_open(&v->reader, in, &v->layout);
    row r;
    vector_error error;
    int got = 0, stop = 0;
    memset(&r, 0, sizeof r);
    while (!stop && (got = vectors_read(&v->reader, &r, &error)) == 1) {
        v->tests++;
        stop = check_row(v, &r);
        if (v->tests % (1 << 16) == 0)
            progress("cases", v->tests, v->cases->whole ? v->cases->least : 0);
    }
    progress_end();
    if (got < 0)
        say_bad_row(v, &error);
    if ((v->in_order || !v->layout.operands) && !stop && v->tests < v->cases->least)
        fail_at(in->name, 0, "%llu cases, expected %llu", (unsigned long long)v->tests,
                (unsigned long long)v->cases->least);
    if (!stop)
        check_complete(v);
    input_close(in);
    cases_close(v->cases);
    free(v->seen);
}

/* ---- the command ----------------------------------------------------------------------------- */

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
    if (v.errors)
        note("%llu tests performed; %llu error%s found.", (unsigned long long)v.tests,
             (unsigned long long)v.errors, v.errors == 1 ? "" : "s");
    else
        output_print(v.out, "In %llu tests, no errors found in %s.\n", (unsigned long long)v.tests,
                     v.title);
    output_close(v.out);
    return v.errors ? STATUS_MISMATCH : STATUS_HELD;
}

const command command_ver = {
    .name = "ver",
    .purpose = "Checks test vectors that another implementation computed.",
    .example = "  $ softfp8 gen e4m3_mul | ./dut | softfp8 ver e4m3_mul\n",
    .usage = "ver [options] FUNCTION [FILE]\n"
             "ver [options] --steps FILE\n"
             "ver [-errors N] [--format json] FILE.json",
    .about = "Each line has operands, result and flags in hexadecimal, in the format of "
             "testfloat_ver. Blank lines are skipped, and so are lines before the first case that "
             "begin with # or //. For each wrong case a line on standard output shows the "
             "operands, what was found and what is right. Values are shown as sign, exponent field "
             "and fraction; flags are letters: v invalid, i division by zero, o overflow, u "
             "underflow, x inexact. The exit status is 1 if any case is wrong.\n"
             "Where gen writes all cases, all of them must be present, in any order. A file "
             "without cases is bad input. If --columns lacks operands, the cases are those of gen "
             "with the same options; if it lacks flags, these are not checked.\n"
             "A JSON file, as gen --format json writes it, says itself which functions and "
             "policies its cases have. Every output is compared bit for bit, and each tag in "
             "`why` must hold.",
    .more = "  $ softfp8 ver vectors/json/e2m1_add-ocp.json\n"
            "  $ softfp8 ver --steps vectors/steps/f32_to_e4m3-ocp.steps\n",
    .options = ver_options,
    .operands = "FUNCTION FILE",
    .operands_most = 2,
    .complete = "file",
    .run = run,
};

/* SPDX-License-Identifier: MIT */
/* identify.c -- softfp8 identify: which policy made these codes? */
#include "cli/options.h"
#include "files/page.h"
#include "identify/identify.h"
#include "identify/rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct settings {
    const char *from_name, *to_name, *values, *file, *product, *function, *html;
    int kind; /* -1: to be found out */
    int json, all, classes, random;
} settings;

static const cli_option options[] = {
    HEADING("The conversion"),
    {"--from", "FORMAT", "the format of the inputs; a step table names its own",
     FORMAT(settings, from_name)},
    {"--to", "FORMAT", "the format of the codes", FORMAT(settings, to_name)},
    {"--as-values", "FORMAT",
     "FILE has values of this format (f32) as results instead of codes of --to, as emulators "
     "return "
     "them. All have to be values of --to",
     FORMAT(settings, values)},
    {"--input", NULL,
     "the kind of FILE; detected if not given. raw: the codes of all inputs in order, "
     "little-endian "
     "(65536 of them for f16), or a .npy file of them. words: the same as text, one hexadecimal "
     "code per line. pairs: "
     "lines of input, code and optional flags, for any inputs in any order, as text or as CSV, "
     "which may begin with a,result,flags. Codes may begin with 0x; # and // begin a comment. "
     "steps: a step table, "
     "as 'softfp8 gen --steps' writes it. raw and words are for inputs of up to 20 bits",
     WORD(settings, kind, identify_kinds)},
    {"--function", "NAME",
     "instead of a conversion an operation such as e4m3_mul ('softfp8 gen -list' lists them): FILE "
     "has lines of operands, result and perhaps flags, as 'softfp8 gen' writes them",
     TEXT(settings, function), .complete = "function"},
    {"--stochastic", NULL,
     "FILE has lines of input, random number and code, from stochastic rounding. The number may "
     "have up to 8 digits. Finds the rule, how many random bits count, and which they are",
     FLAG(settings, random)},
    HEADING("The report"),
    {"--product", "NAME",
     "first compares with this product or policy (torch, torch-2.12, jax), or with rules of your "
     "own (\"ocp flush=outputs\"), and reports how many inputs differ. Exit status 1 if the code "
     "of "
     "any differs, or its flags where FILE has them; else 0",
     TEXT(settings, product), .name_at = policy_name_at},
    {"--all", NULL, "shows all ranges that differ; with --classes, all roundings",
     FLAG(settings, all)},
    {"--json", NULL, "writes the result as JSON", FLAG(settings, json)},
    GROUP(settings, html, html_option),
    {"--classes", NULL,
     "shows which policies give the same codes for all inputs, or for those of FILE. Policies that "
     "are meant for other formats are left out",
     FLAG(settings, classes)},
    {.kind = OPTION_END},
};

static settings settings_of(int argc, char **argv)
{
    static const char *const needed[] = {"from", "to"};
    settings o;
    memset(&o, 0, sizeof o);
    o.kind = -1;
    o.file = options_read(&command_identify, argc, argv, &o) ? argv[0] : NULL;
    if (o.product && o.classes)
        fail("--product and --classes exclude each other");
    if (o.html && o.classes)
        fail("--html and --classes exclude each other");
    if (!o.file && !o.classes)
        fail("no FILE given: expected a file of codes ('softfp8 identify --help' describes it)");
    if (o.random && (o.product || o.classes || o.json || o.html || o.all || o.kind >= 0))
        fail("--stochastic can be combined only with --from and --to");
    if (o.function && (o.product || o.classes || o.json || o.html || o.all || o.kind >= 0 ||
                       o.random || o.from_name || o.to_name))
        fail("--function excludes the other options");
    outputs_check(&o.html, 1, &o.file, 1);
    if (o.values && (!o.to_name || !o.file || o.classes || o.random || o.function))
        fail("--as-values needs --to and a FILE of a conversion");
    if (!o.function && (!o.file || o.random))
        options_need(needed, 2, "the formats of inputs and codes");
    return o;
}

/* Refuses a product that is not known, or of which this conversion is not. */
static void check_product(const char *name, const identify_set *set)
{
    if (!name || sf8_policy_for(name, set->to, set->from))
        return;
    if (is_policy_name(name))
        fail("--product %s: its policy for %s to %s is not known; 'softfp8 policies %s' lists the "
             "known ones",
             name, set->from_name, set->to_name, name);
    const char *near = nearest_name(name, policy_name_at);
    if (near)
        fail("--product %s: no such product or policy; did you mean '%s'?", name, near);
    fail("--product %s: no such product or policy; 'softfp8 policies' lists them", name);
}

/* Takes a name, or a name with fields. Until the formats are known the name alone is. */
static void set_product(identify_set *set, const char *text)
{
    set->product = text;
    if (text && strchr(text, '=')) {
        set->changed = text;
        set->product = policy_choice_of(text).name; /* NULL: the default of the format */
    }
}

/* The code of a value, which the format has but for the sign of zero; 0 if it has not. */
static int encode(sf8_format to, sf8_format values, uint64_t word, uint64_t *code)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.nan_sign = SF8_NAN_SIGNED;
    *code = sf8_convert(to, values, word, policy);
    uint64_t back = sf8_convert(values, to, *code, SF8_OCP_NOSAT);
    return back == word || (sf8_is_nan(values, back) && sf8_is_nan(values, word)) ||
           ((back | word) & sf8_format_mag_mask(values)) == 0;
}

/* Puts the codes of a set in the place of its values. */
static int encode_values(identify_set *set, sf8_format values, input_error *error)
{
    uint64_t wrong = 0, word = 0, value = 0;
    char text[SF8_TEXT_SIZE];
    for (size_t i = 0; i < set->count; i++) {
        identify_run *run = &set->runs[i];
        uint64_t code;
        if (!encode(set->to, values, run->code, &code)) {
            word = wrong ? word : run->first;
            value = wrong ? value : run->code;
            wrong += identify_count(set, run, run->first, run->last);
        }
        run->code = code;
    }
    if (wrong == 0)
        return 1;
    sf8_to_text(values, value, SF8_TEXT_SHORTEST, text, sizeof text, NULL);
    return input_wrong(
        error, 0, "%llu of %llu results are no values of %s; the first, of input %0*llx, is %s",
        (unsigned long long)wrong, (unsigned long long)set->inputs, set->to_name,
        word_digits(sf8_format_bits(set->from)), (unsigned long long)word, text);
}

static identify_set read_set(const settings *o, identify_given *given)
{
    identify_set set;
    memset(&set, 0, sizeof set);
    memset(given, 0, sizeof *given);
    given->file = o->file;
    set.context = &cli_search;
    set_product(&set, o->product);
    if (o->from_name) {
        set.from = format_of_name(o->from_name);
        snprintf(set.from_name, sizeof set.from_name, "%s", o->from_name);
    }
    if (o->to_name) {
        set.to = format_of_name(o->to_name);
        snprintf(set.to_name, sizeof set.to_name, "%s", o->to_name);
    }
    if (!o->file) {
        set.inputs = identify_words_of(set.from);
        return set;
    }
    size_t size;
    input_error error;
    char *data = input_whole(o->file, &size, SIZE_MAX / 4);
    given->kind = o->kind < 0 ? identify_detect(data, size) : (identify_kind)o->kind;
    sf8_format to = set.to;
    if (o->values)
        set.to = format_of_name(o->values);
    int good = identify_read(data, size, given, &set, &error);
    if (o->values) {
        sf8_format values = set.to;
        set.to = to;
        good = good && encode_values(&set, values, &error);
    }
    free(data);
    if (!good)
        fail_input(input_name(o->file), &error);
    return set;
}

static int identify(int argc, char **argv)
{
    settings o = settings_of(argc, argv);
    if (o.function)
        return identify_operation(o.file, o.function);
    if (o.random)
        return identify_random(o.file, o.to_name, o.from_name);
    identify_given given;
    identify_set set = read_set(&o, &given);
    check_product(set.product, &set);
    if (set.changed) {
        policy_choice rules = policy_choice_of(set.changed);
        set.rules = policy_resolve(&rules, set.to, set.from, &set.product);
        if (set.rules.round == SF8_SR)
            fail("--product %s: stochastic rounding gives no code that could be compared",
                 set.changed);
    }
    if (o.classes) {
        identify_print_classes(&set, o.all, o.json);
        identify_free(&set);
        return STATUS_HELD;
    }
    identify_findings *f = allocate(1, sizeof *f);
    identify_explain(&set, f);
    page_write(&(page_report){.command = "identify",
                              .json = o.json ? "-" : NULL,
                              .html = o.html,
                              .put_json = identify_print_json,
                              .put_words = identify_print,
                              .report = &(identify_report){f, &given, o.all}});
    /* f->product.flags counts codes too; without a column of flags nothing else. */
    int differs = o.product ? f->product.flags > 0 : f->plain.closest->codes > 0;
    int status = differs ? STATUS_MISMATCH : STATUS_HELD;
    identify_findings_free(f);
    free(f);
    identify_free(&set);
    return status;
}

const command command_identify = {
    .name = "identify",
    .purpose = "Finds out which rules produced the codes of a conversion.",
    .example = "  $ softfp8 identify --from f16 --to e4m3 codes.bin\n"
               "  input: codes.bin, raw, f16 to e4m3, all 65536 inputs\n"
               "  explained: torch-2.12, rne\n",
    .usage = "identify --from FORMAT --to FORMAT [options] FILE\n"
             "identify --function NAME FILE\n"
             "identify --classes --from FORMAT --to FORMAT [FILE]",
    .about =
        "FILE (or - for standard input) holds the output of some implementation of a conversion. "
        "The report names the policies and roundings that give the same code for every input, and "
        "the products that follow them. Policies for this conversion come first, then those with "
        "the stronger evidence. Policies that are meant for other formats are named only if no "
        "other policy explains the codes.\n"
        "If no policy does, the report looks for what would explain the codes: for example another "
        "rounding, rounding twice, or bytes in another order. What explains every input is the "
        "diagnosis and comes first; what explains only some is called nearest. The report also "
        "has the closest policy and the inputs that differ from it. Flags, if FILE has any, are "
        "reported separately: the policies that give "
        "them "
        "too, or the policy that does with the fewest changed fields.",
    .more = "Exit status: 0 explained by a named policy; 1 not explained, or not what --product "
            "gives (codes, and flags where FILE has them); 2 bad usage or input.",
    .options = options,
    .operands = "FILE",
    .operands_most = 1,
    .complete = "file",
    .run = identify,
};

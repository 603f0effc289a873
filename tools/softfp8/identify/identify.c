/* SPDX-License-Identifier: MIT */
/* identify.c -- softfp8 identify: which policy made these codes? */
#include "identify/identify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: softfp8 identify --from F --to F [options] FILE\n"
    "       softfp8 identify --classes --from F --to F [FILE]\n"
    "\n"
    "FILE (- is standard input) holds what some implementation of a conversion gave.\n"
    "Names the policies and roundings that give the same code for every input, the\n"
    "best established first, and the products that have them; if there is none the\n"
    "closest, the inputs that differ, and what explains them.\n"
    "\n"
    "  --from F --to F  the formats (a step table names its own)\n"
    "  --input KIND     of FILE; found out if not given\n"
    "      raw          the codes of all inputs in order, 1, 2, 4 or 8 bytes each,\n"
    "                   little-endian: 65536 of them for f16, 256 for e4m3\n"
    "      words        the same as text, one hexadecimal code a line: 8 digits for\n"
    "                   f32, 5 for tf32, 2 for e4m3; so in pairs\n"
    "      pairs        lines: input code [flags]; any inputs, in any order\n"
    "      steps        a step table, as 'softfp8 gen --steps' writes it\n"
    "  --product NAME   compare with this product first: a product (torch, jax), with\n"
    "                   its version or without, a policy or another name of one\n"
    "  --all            all ranges that differ; with --classes all roundings\n"
    "  --json           the result as JSON\n"
    "  --classes        which policies give the same codes for all inputs, or for\n"
    "                   those of FILE\n"
    "\n"
    "example: what does this converter do with all 65536 values of f16?\n"
    "  $ softfp8 identify --from f16 --to e4m3 codes.bin\n"
    "  input: codes.bin, raw, f16 to e4m3, all 65536 inputs\n"
    "  explained: torch-2.12, rne\n"
    "\n"
    "Exit status: 0 explained by a named policy, 1 not, 2 bad usage or input.\n";

typedef struct options {
    sf8_format from, to;
    const char *from_name, *to_name, *file, *product;
    int kind; /* -1: to be found out */
    int json, all, classes;
} options;

static options read_options(int argc, char **argv)
{
    options o;
    memset(&o, 0, sizeof o);
    o.kind = -1;
    arguments a = arguments_of(argc, argv);
    while (arguments_next(&a)) {
        if (argument_is(&a, "from"))
            o.from = argument_format(&a, &o.from_name);
        else if (argument_is(&a, "to"))
            o.to = argument_format(&a, &o.to_name);
        else if (argument_is(&a, "input"))
            o.kind = argument_word(&a, identify_kinds);
        else if (argument_is(&a, "product"))
            o.product = argument_value(&a);
        else if (argument_flag(&a, "json"))
            o.json = 1;
        else if (argument_flag(&a, "all"))
            o.all = 1;
        else if (argument_flag(&a, "classes"))
            o.classes = 1;
        else if (argument_help(&a, &command_identify))
            continue;
        else if (a.option)
            argument_unknown(&a);
        else if (o.file)
            fail("one FILE, not two: %s and %s", o.file, a.text);
        else
            o.file = a.text;
    }
    if (o.product && o.classes)
        fail("--product and --classes exclude each other");
    if (!o.file && !o.classes)
        fail("a FILE is needed; 'softfp8 identify --help' tells more");
    if (!o.file && (!o.from_name || !o.to_name))
        fail("--from and --to are needed");
    return o;
}

/* Refuses a product that is not known, or of which this conversion is not. */
static void check_product(const char *name, const identify_set *set)
{
    if (!name || sf8_policy_for(name, set->to, set->from))
        return;
    if (is_policy_name(name))
        fail("--product %s: what it gives for %s to %s is not known; 'softfp8 policies %s' says "
             "what is",
             name, set->from_name, set->to_name, name);
    const char *near = nearest_name(name, policy_name_at);
    if (near)
        fail("--product %s: no such product or policy; did you mean '%s'?", name, near);
    fail("--product %s: no such product or policy; 'softfp8 policies' lists them", name);
}

static identify_set read_set(const options *o, identify_given *given)
{
    identify_set set;
    memset(&set, 0, sizeof set);
    memset(given, 0, sizeof *given);
    given->file = o->file;
    set.progress = progress_of_search;
    set.from = o->from;
    set.to = o->to;
    set.product = o->product;
    if (o->from_name)
        snprintf(set.from_name, sizeof set.from_name, "%s", o->from_name);
    if (o->to_name)
        snprintf(set.to_name, sizeof set.to_name, "%s", o->to_name);
    if (!o->file) {
        set.inputs = identify_words_of(set.from);
        return set;
    }
    size_t size;
    identify_error error;
    char *data = input_whole(o->file, &size, SIZE_MAX / 4);
    given->kind = o->kind < 0 ? identify_detect(data, size) : (identify_kind)o->kind;
    int good = identify_read(data, size, given, &set, &error);
    free(data);
    if (!good)
        fail_at(input_name(o->file), error.line, "%s", error.text);
    return set;
}

static int identify(int argc, char **argv)
{
    options o = read_options(argc, argv);
    identify_given given;
    identify_set set = read_set(&o, &given);
    check_product(o.product, &set);
    if (o.classes) {
        identify_print_classes(&set, o.all, o.json);
        identify_free(&set);
        return STATUS_HELD;
    }
    identify_findings *f = allocate(1, sizeof *f);
    identify_explain(&set, f);
    if (o.json)
        identify_print_json(f, &given);
    else
        identify_print(f, &given, o.all);
    int status = f->closest->codes == 0 ? STATUS_HELD : STATUS_MISMATCH;
    identify_findings_free(f);
    free(f);
    identify_free(&set);
    return status;
}

const command command_identify = {"identify", "which policy made these codes?", help, identify};

/* SPDX-License-Identifier: MIT */
/* policies.c -- softfp8 policies: the named policies, their fields, and how they differ */
#include "policies/policies.h"
#include "cli/options.h"
#include "cli/rows.h"
#include "cli/text_table.h"

#include <string.h>

typedef struct settings {
    int names, json, fields;
    const char *to, *from, *path;
    char **list;
    int count;
} settings;

static const sf8_policy_row *row_of(const char *name)
{
    const sf8_policy_row *row;
    for (size_t i = 0; (row = sf8_policy_at(i)) != NULL; i++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

/* The product that a name is, or an alias of it is, or NULL. */
static const char *product_of(const char *name)
{
    const char *alias, *real;
    const sf8_product_row *row;
    for (size_t i = 0; (alias = sf8_product_alias_at(i, &real)) != NULL; i++)
        if (strcmp(alias, name) == 0)
            name = real;
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++)
        if (strcmp(row->product, name) == 0)
            return row->product;
    return NULL;
}

/* Whether the i-th name is a product, whose conversions are listed: with --for and --json, and
 * where a policy has this name too, it is one policy. */
static int lists_product(const settings *o, size_t i)
{
    return !o->to && !o->json && !o->names && product_of(o->list[i]) && !row_of(o->list[i]);
}

/* The i-th of the policies that were asked for, or NULL. A product is the policy that it has for
 * the conversion: of f32 to e4m3 where --for does not name another. */
static const sf8_policy_row *asked(const settings *o, size_t i)
{
    if (o->count == 0)
        return sf8_policy_at(i);
    if (i >= (size_t)o->count)
        return NULL;
    if (lists_product(o, i))
        return sf8_policy_at(0); /* not read: its conversions are */
    return row_of(policy_for(o->list[i], format_of_name(o->to ? o->to : "e4m3"),
                             format_of_name(o->from ? o->from : "f32")));
}

static void print_versions(output *out, const sf8_product_row *row)
{
    if (*row->first && *row->last)
        output_print(out, "  %s to %s", row->first, row->last);
    else if (*row->first)
        output_print(out, "  from %s on", row->first);
    else if (*row->last)
        output_print(out, "  up to %s", row->last);
    else
        output_print(out, "  any version");
}

/* Whether a row of the product names the policy. */
static int product_has(const char *product, const char *policy_name)
{
    const sf8_product_row *row;
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++)
        if (strcmp(row->product, product) == 0 && strcmp(row->policy_name, policy_name) == 0)
            return 1;
    return 0;
}

/* What the product's name means for a format that it lacks, and the policies that only their own
 * name gives: "cuda-nosat" of cuda. */
static void print_other_policies(output *out, const char *product)
{
    sf8_format own = sf8_format_named("e=4 m=3 bias=12 nan=top", NULL);
    const char *policy_name = sf8_policy_for(product, own, SF8_F32);
    const sf8_policy_row *row;
    size_t length = strlen(product);
    if (policy_name)
        output_print(out, "  formats that it lacks: %s\n", policy_name);
    for (size_t i = 0, n = 0; (row = sf8_policy_at(i)) != NULL; i++) {
        if (strncmp(row->name, product, length) != 0 || row->name[length] != '-' ||
            product_has(product, row->name))
            continue;
        if (n++ == 0)
            output_print(out, "Other policies of it have to be named:\n");
        output_print(out, "  %s: %s\n", row->name, row->source);
    }
}

/* The conversions of a product, each with its policy. */
static void print_product(output *out, const char *product)
{
    const sf8_product_row *row;
    output_print(out, "%s is a product. The first line that fits a conversion names its policy.\n",
                 product);
    for (size_t i = 0; (row = sf8_product_at(i)) != NULL; i++) {
        if (strcmp(row->product, product) != 0)
            continue;
        print_versions(out, row);
        output_print(out, ", to %s", *row->to ? row->to : "any format");
        if (*row->from)
            output_print(out, ", from %s", row->from);
        output_print(out, ": %s\n", row->policy_name);
    }
    print_other_policies(out, product);
    output_print(out, "'softfp8 policies NAME' shows the fields and the evidence of a policy.\n");
}

static void field_text(sf8_policy policy, const char *field, char text[FIELD_SIZE])
{
    if (sf8_policy_get(policy, field, text, FIELD_SIZE) != SF8_OK)
        fail("internal error: the field %s has no value", field);
}

static void print_fields(output *out)
{
    text_table *table = text_table_new("%-13s  %s");
    const char *field;
    for (size_t i = 0; (field = sf8_policy_field_at(i)) != NULL; i++) {
        const char *values = sf8_policy_field_values(i);
        text_table_row(table, "%s\t%s", field, *values ? values : "1 to 32 (16)");
    }
    text_table_write(table, out);
}

/* `name` is what the user called the policy. */
static void print_full(output *out, const char *name, const sf8_policy_row *row)
{
    sf8_policy policy = sf8_policy_named(row->name, NULL);
    text_table *table = text_table_new("  %1s %-13s  %-13s%s");
    const char *field;
    char remark[VERSION_REMARK];
    if (strcmp(name, row->name) != 0)
        output_print(out, "%s follows %s for f32 to e4m3:\n", name, row->name);
    output_print(out, "%s\n", row->name);
    if (*policy_version_remark(name, remark))
        output_print(out, "  note        %s\n", remark);
    if (*row->to || *row->from)
        output_print(out, "  formats     to %s, from %s\n", *row->to ? row->to : "any format",
                     *row->from ? row->from : "any format");
    evidence_print(out, row->product, row->versions, row->source, row->evidence, row->open);
    output_print(out, "  fields      * marks those that differ from ocp\n");
    for (size_t i = 0; (field = sf8_policy_field_at(i)) != NULL; i++) {
        char value[FIELD_SIZE], usual[FIELD_SIZE];
        field_text(policy, field, value);
        field_text(SF8_OCP, field, usual);
        if (strcmp(value, usual) == 0)
            text_table_row(table, "\t%s\t%s", field, value);
        else
            text_table_row(table, "*\t%s\t%s\t  (ocp: %s)", field, value, usual);
    }
    text_table_write(table, out);
}

static void put_policy(json_writer *j, const sf8_policy_row *row)
{
    sf8_policy policy = sf8_policy_named(row->name, NULL);
    const char *field;
    jw_begin(j, NULL, '{');
    jw_text(j, "name", row->name);
    evidence_put(j, row->product, row->versions, row->source, row->evidence, row->open);
    jw_text(j, "to", row->to);
    jw_text(j, "from", row->from);
    jw_begin(j, "fields", '{');
    for (size_t i = 0; (field = sf8_policy_field_at(i)) != NULL; i++) {
        char value[FIELD_SIZE];
        field_text(policy, field, value);
        if (*sf8_policy_field_values(i))
            jw_text(j, field, value);
        else
            jw_number(j, field, value);
    }
    jw_end(j);
    jw_end(j);
}

static void put_policies(output *out, const settings *o)
{
    const sf8_policy_row *row;
    json_writer j = {.put = output_put, .context = out};
    jw_begin(&j, NULL, '[');
    for (size_t i = 0; (row = asked(o, i)) != NULL; i++) {
        if (i)
            jw_space(&j, "\n ");
        put_policy(&j, row);
    }
    jw_end(&j);
}

static void print_policies(output *out, const settings *o)
{
    const sf8_policy_row *row;
    text_table *table = text_table_new("%-18s  %-8s  %s");
    for (size_t i = 0; (row = asked(o, i)) != NULL; i++) {
        if (o->names) {
            output_print(out, "%s\n", row->name);
        } else if (o->count && lists_product(o, i)) {
            output_print(out, i ? "\n" : "");
            print_product(out, product_of(o->list[i]));
        } else if (o->count) {
            output_print(out, i ? "\n" : "");
            print_full(out, o->list[i], row);
        } else {
            text_table_row(table, "%s\t%s\t%s %s: %s", row->name,
                           evidence_words(row->evidence), row->product,
                           row->versions, row->source);
        }
    }
    text_table_write(table, out);
}

static void print_effects(output *out, const settings *o)
{
    const sf8_policy_row *row;
    sf8_format to = format_of_name(o->to);
    effects inputs = effects_of(to, format_of_name(o->from), o->from, o->to);
    text_table *table = effects_table(&inputs);
    for (size_t i = 0; (row = asked(o, i)) != NULL; i++)
        if (o->count || sf8_policy_holds(row, to, inputs.from))
            effects_row(table, &inputs, row->name);
    text_table_write(table, out);
}

static const cli_option options[] = {
    HEADING("What to show"),
    {"--names", NULL, "lists only the names", FLAG(settings, names)},
    {"--fields", NULL, "lists the fields that --set takes and their values, the one of ocp first",
     FLAG(settings, fields)},
    {"--json", NULL, "writes JSON: a list of objects", FLAG(settings, json)},
    {"--for", "FORMAT",
     "compares policies: shows code and flags in FORMAT for inputs that distinguish them. These "
     "are the value after its largest number, the tie halfway to the next and the value after it "
     "(tie, >tie), the largest negative number (-huge), infinities, quiet NaNs and -0. Without "
     "NAME only the policies for these formats are compared",
     FORMAT(settings, to)},
    {"--from", "FORMAT", "with --for: the format of the inputs. Default: f32",
     FORMAT(settings, from)},
    GROUP(settings, path, output_option),
    {.kind = OPTION_END},
};

static void check_options(const settings *o)
{
    if (o->names + o->json + o->fields + (o->to != NULL) > 1)
        fail("--names, --json, --fields and --for exclude each other");
    if (o->from && !o->to)
        fail("--from needs --for FORMAT");
    if (o->fields && o->count)
        fail("--fields takes no NAME, got '%s'", o->list[0]);
    for (size_t i = 0; asked(o, i); i++)
        continue; /* an unknown one is refused before anything is written */
}

static int run(int argc, char **argv)
{
    settings o = {.list = argv};
    o.count = (int)options_read(&command_policies, argc, argv, &o);
    check_options(&o);
    if (!o.from)
        o.from = "f32";
    output *out = output_open(o.path);
    if (o.fields)
        print_fields(out);
    else if (o.to)
        print_effects(out, &o);
    else if (o.json)
        put_policies(out, &o);
    else
        print_policies(out, &o);
    output_close(out);
    return STATUS_HELD;
}

const command command_policies = {
    .name = "policies",
    .purpose = "Lists and compares the rules (policies) of products.",
    .example = "  $ softfp8 policies cuda-nosat\n",
    .usage = "policies [NAME...] [--names | --json]\n"
             "policies --fields\n"
             "policies --for FORMAT [--from FORMAT] [NAME...]",
    .about =
        "A policy says how an operation rounds, and what happens on overflow and for NaN and "
        "infinity. Without NAME each policy is listed with the product that behaves so and the "
        "kind of evidence: hardware, verified (the product was run, and this project keeps the "
        "result), ran (the product was run), source (its source was read) or document. With NAME "
        "the output shows the evidence, what is still open, and every field; * marks fields that "
        "differ from ocp.\n"
        "NAME can be a product, with its version or without (torch, torch-2.12, cuda). Then the "
        "policies of its conversions are listed. A version newer than all that are known counts as "
        "the newest, and torch-2 means torch-2.0; a note says so. Other "
        "commands accept such a name as a policy.",
    .more = "  $ softfp8 policies torch\n"
            "  $ softfp8 policies --for e4m3 ocp torch-2.12 torch-2.13\n",
    .options = options,
    .operands = "NAME",
    .operands_most = OPERANDS_ANY,
    .operand_at = policy_row_name_at,
    .run = run,
};

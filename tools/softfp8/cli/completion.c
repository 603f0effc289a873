/* SPDX-License-Identifier: MIT */
/* completion.c -- softfp8 completion: the tables for the completion of bash, and names for it
 *
 * For each command a line for each option, "--round rne rna rz", and one for its operands,
 * "MOST KIND". Behind the option stands what its value is: nothing for a flag, a list of words, or
 *
 *     file names columns field free
 *
 * of which `names` is asked of `softfp8 completion COMMAND --OPTION`.
 */
#include "cli/options.h"
#include "files/io.h"

#include <string.h>

static void put_kind(output *out, const cli_option *o)
{
    if (o->complete)
        output_print(out, " %s", o->complete);
    else if (o->kind == OPTION_FILE)
        output_print(out, " file");
    else if (o->name_at || o->kind == OPTION_FORMAT)
        output_print(out, " names");
    else if (!o->words)
        output_print(out, " free");
    for (size_t i = 0; !o->complete && o->words && o->words[i]; i++)
        output_print(out, " %s", o->words[i]);
}

static void put_options(output *out, const command *c)
{
    const cli_option *o;
    size_t at, n;
    option_walk walk = option_walk_of(c->options);
    while ((o = option_next(&walk, &at)) != NULL) {
        const char *names = o->names, *spelling;
        while (names && (n = option_spelling(&names, &spelling)) > 0 && *spelling != '/') {
            output_print(out, " \\\n            '%.*s", (int)n, spelling);
            if (option_takes_value(o))
                put_kind(out, o);
            output_print(out, "'");
        }
    }
}

static void put_operands(output *out, const command *c)
{
    output_print(out, " \\\n            'operands %zu", c->verbs ? 1 : c->operands_most);
    if (c->operands_most && !c->verbs)
        output_print(out, " %s", c->complete ? c->complete : c->operand_at ? "names" : "free");
    for (size_t i = 0; c->verbs && c->verbs[i]; i++)
        output_print(out, " %s", strchr(c->verbs[i]->name, ' ') + 1);
    output_print(out, "'");
}

static void put_commands(output *out, const command *const *commands)
{
    for (size_t i = 0; commands && commands[i]; i++) {
        output_print(out, "        \"%s\") printf '%%s\\n'", commands[i]->name);
        put_operands(out, commands[i]);
        if (commands[i]->options)
            put_options(out, commands[i]);
        output_print(out, " ;;\n");
        put_commands(out, commands[i]->verbs);
    }
}

static void put_tables(output *out, const command *const *commands)
{
    output_print(out, "_softfp8_commands=\"");
    for (size_t i = 0; commands[i]; i++)
        output_print(out, i ? " %s" : "%s", commands[i]->name);
    output_print(out, "\"\n_softfp8_table() {\n    case $1 in\n");
    put_commands(out, commands);
    output_print(out, "    esac\n}\n");
}

static void fill(const command *const *commands, const char *path)
{
    input *in = input_open(path);
    output *out = output_open(NULL);
    const char *line;
    size_t length;
    while ((line = input_line(in, &length)) != NULL) {
        if (strcmp(line, "# @tables@") == 0)
            put_tables(out, commands);
        else
            output_print(out, "%s\n", line);
    }
    output_close(out);
    input_close(in);
}

/* The names of one list. */
static void put_names(const command *c, const char *name)
{
    const cli_option *o = NULL;
    size_t at, dashes = name ? strspn(name, "-") : 0;
    const char *value;
    option_walk walk = option_walk_of(c->options);
    while (name && (o = option_next(&walk, &at)) != NULL &&
           !option_is(o, name + dashes, strlen(name + dashes)))
        continue;
    if (name && !o)
        fail("%s has no option %s", c->name, name);
    output *out = output_open(NULL);
    for (size_t i = 0; (value = o               ? option_value_at(o, i)
                                : c->operand_at ? c->operand_at(i)
                                                : NULL) != NULL;
         i++)
        output_print(out, "%s\n", value);
    output_close(out);
}

int completion_run(const command *const *commands, int argc, char **argv)
{
    fail_as("completion");
    for (size_t i = 0; argc > 1 && commands[i]; i++) {
        const command *c = commands[i];
        int at = 2;
        if (strcmp(argv[1], c->name) != 0)
            continue;
        for (size_t k = 0; argc > 2 && c->verbs && c->verbs[k]; k++)
            if (strcmp(strchr(c->verbs[k]->name, ' ') + 1, argv[2]) == 0) {
                c = c->verbs[k];
                at = 3;
                break;
            }
        put_names(c, argv[at]);
        return STATUS_HELD;
    }
    if (argc != 2)
        fail("expected one FILE: the template softfp8.bash.in");
    fill(commands, argv[1]);
    return STATUS_HELD;
}

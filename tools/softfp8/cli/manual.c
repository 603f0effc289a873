/* SPDX-License-Identifier: MIT */
/* manual.c -- softfp8 manual: the manual page, its lists of options filled in from the tables
 *
 * Lines of the template that ask for one:
 *
 *     .\" synopsis           how each command is called
 *     .\" command NAME       purpose, text and options of a command
 *     .\" options NAME       the options of a group: policy, testfloat
 */
#include "cli/options.h"
#include "files/io.h"
#include "files/testfloat.h"

#include <string.h>

/* Text for mdoc: a period at the beginning of a line is no request, a dash no hyphen. */
static void put_escaped(output *out, const char *text, size_t length)
{
    if (length && (*text == '.' || *text == '\''))
        output_print(out, "\\&");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '-')
            output_print(out, "\\-");
        else if (text[i] == '\\')
            output_print(out, "\\e");
        else
            output_write(out, text + i, 1);
    }
}

/* Paragraphs; lines that begin with blanks stay as they are. */
static void put_text(output *out, const char *text)
{
    int literal = 0;
    for (int first = 1; text && *text; first = 0) {
        size_t n = strcspn(text, "\n");
        if (literal && *text != ' ')
            output_print(out, ".Ed\n");
        if (!literal && *text == ' ')
            output_print(out, ".Bd -literal\n");
        if (*text != ' ' && !first)
            output_print(out, ".Pp\n");
        literal = *text == ' ';
        put_escaped(out, text + 2 * literal, n - 2 * (size_t)literal);
        output_print(out, "\n");
        text += n;
        text += *text == '\n';
    }
    if (literal)
        output_print(out, ".Ed\n");
}

static void put_item(output *out, const cli_option *o)
{
    char value[256];
    const char *names = o->names, *spelling;
    output_print(out, ".It");
    for (size_t n; (n = option_spelling(&names, &spelling)) > 0 && *spelling != '/';)
        output_print(out, "%s %.*s", spelling == o->names ? " Fl" : " , Fl", (int)n - 1,
                     spelling + 1);
    if (option_takes_value(o)) {
        output_print(out, " Ar ");
        put_escaped(out, option_placeholder(o, value), strlen(option_placeholder(o, value)));
    }
    output_print(out, "\n");
    put_escaped(out, o->help, strlen(o->help));
    output_print(out, "\n");
}

/* Groups that have a section of their own are named behind the list. */
static const struct {
    const cli_option *table;
    const char *name;
} sections[] = {{testfloat_own_options, "TESTFLOAT OPTIONS"}, {policy_options, "POLICY OPTIONS"}};

enum { SECTIONS = sizeof sections / sizeof sections[0] };

static void put_items(output *out, const cli_option *table, int *named)
{
    for (const cli_option *o = table; o->kind != OPTION_END; o++) {
        int inside = o->kind == OPTION_GROUP;
        for (int i = 0; i < SECTIONS && o->kind == OPTION_GROUP; i++)
            if (o->group == sections[i].table) {
                *named |= 1 << i;
                inside = 0;
            }
        if (inside)
            put_items(out, o->group, named);
        else if (o->names && *o->names != '/')
            put_item(out, o);
    }
}

static void put_options(output *out, const cli_option *table)
{
    int named = 0;
    output_print(out, ".Bl -tag -width Ds\n");
    put_items(out, table, &named);
    output_print(out, ".El\n");
    for (int i = 0; i < SECTIONS; i++)
        if (named >> i & 1)
            output_print(out, ".Pp\nIt also takes the options of\n.Sx %s .\n", sections[i].name);
}

static void put_command(output *out, const command *c)
{
    output_print(out, ".Ss %s\n", c->name);
    put_text(out, c->purpose);
    if (c->about) {
        output_print(out, ".Pp\n");
        put_text(out, c->about);
    }
    if (c->options)
        put_options(out, c->options);
}

static void put_synopsis(output *out, const command *c)
{
    for (const char *line = c->usage; line && *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n"), name = strlen(c->name);
        output_print(out, ".Nm\n.Cm %s\n", c->name);
        put_escaped(out, line + name + 1, n > name ? n - name - 1 : 0);
        output_print(out, n > name ? "\n" : "");
        line += n;
    }
    for (size_t i = 0; c->verbs && c->verbs[i]; i++)
        put_synopsis(out, c->verbs[i]);
}

/* The command, or the one of its subcommands, that has this name. */
static const command *find(const command *const *commands, const char *name)
{
    const command *found = NULL;
    for (size_t i = 0; !found && commands && commands[i]; i++)
        found = strcmp(commands[i]->name, name) == 0 ? commands[i] : find(commands[i]->verbs, name);
    return found;
}

static void put_request(output *out, const command *const *commands, const char *what)
{
    const command *c = strncmp(what, "command ", 8) == 0 ? find(commands, what + 8) : NULL;
    if (c)
        put_command(out, c);
    else if (strcmp(what, "synopsis") == 0)
        for (size_t i = 0; commands[i]; i++)
            put_synopsis(out, commands[i]);
    else if (strcmp(what, "options policy") == 0)
        put_options(out, policy_options);
    else if (strcmp(what, "options testfloat") == 0)
        put_options(out, testfloat_own_options);
    else
        output_print(out, ".\\\" %s\n", what);
}

int manual_run(const command *const *commands, int argc, char **argv)
{
    fail_as("manual");
    if (argc != 2)
        fail("expected one FILE: the template softfp8.1.in");
    input *in = input_open(argv[1]);
    output *out = output_open(NULL);
    const char *line;
    size_t length;
    while ((line = input_line(in, &length)) != NULL) {
        if (strncmp(line, ".\\\" ", 4) == 0)
            put_request(out, commands, line + 4);
        else
            output_print(out, "%s\n", line);
    }
    output_close(out);
    input_close(in);
    return STATUS_HELD;
}

/* SPDX-License-Identifier: MIT */
/* help.c -- --help of a subcommand, from its table */
#include "cli/options.h"
#include "cli/text_table.h"
#include "files/io.h"

#include <stdlib.h>
#include <string.h>

enum { WIDTH = 80, COLUMN = 22 };

/* Paragraphs, with an empty line before each; lines that begin with blanks stay as they are. */
static void put_text(output *out, const char *text)
{
    int was_plain = 1;
    for (; text && *text; text += *text == '\n') {
        size_t n = strcspn(text, "\n");
        int plain = *text != ' ';
        if (plain || was_plain)
            output_print(out, "\n");
        if (plain)
            text_wrap(out, text, n, 0, 0, WIDTH);
        else
            output_print(out, "%.*s\n", (int)n, text);
        was_plain = plain;
        text += n;
    }
}

static void put_option(output *out, const cli_option *o)
{
    char value[256];
    const char *names = o->names, *spelling;
    int at = 0;
    for (size_t n; (n = option_spelling(&names, &spelling)) > 0 && *spelling != '/';) {
        output_print(out, "%s%.*s", spelling == o->names ? "  " : ", ", (int)n, spelling);
        at += (int)n + 2;
    }
    if (option_takes_value(o)) {
        output_print(out, " %s", option_placeholder(o, value));
        at += 1 + (int)strlen(option_placeholder(o, value));
    }
    if (at + 2 > COLUMN)
        output_print(out, "\n%*s", COLUMN, "");
    else
        output_print(out, "%*s", COLUMN - at, "");
    text_wrap(out, o->help, strlen(o->help), COLUMN, COLUMN, WIDTH);
}

static void put_options(output *out, const cli_option *table)
{
    const cli_option *o;
    size_t at;
    int headed = 0;
    option_walk walk = option_walk_of(table);
    while ((o = option_next(&walk, &at)) != NULL) {
        if (o->kind == OPTION_HEADING)
            output_print(out, "\n%s:\n", o->help);
        else if (*o->names != '/' && !headed)
            output_print(out, "\nOptions:\n");
        headed = 1;
        if (o->kind != OPTION_HEADING && *o->names != '/')
            put_option(out, o);
    }
}

static void put_usage(output *out, const command *c)
{
    for (const char *line = c->usage; line && *line; line += *line == '\n') {
        size_t n = strcspn(line, "\n");
        output_print(out, "  softfp8%c%.*s\n", command_separator(), (int)n, line);
        line += n;
    }
    for (size_t i = 0; c->verbs && c->verbs[i]; i++)
        put_usage(out, c->verbs[i]);
}

void command_help(const command *c)
{
    output *out = output_open(NULL);
    text_wrap(out, c->purpose, strlen(c->purpose), 0, 0, WIDTH);
    output_print(out, "\n%s\nUsage:\n", c->example);
    put_usage(out, c);
    put_text(out, c->about);
    for (size_t i = 0; c->verbs && c->verbs[i]; i++) {
        const command *verb = c->verbs[i];
        output_print(out, "%s  %-*s", i ? "" : "\n", COLUMN - 2, verb->name);
        text_wrap(out, verb->purpose, strlen(verb->purpose), COLUMN, COLUMN, WIDTH);
    }
    if (c->options)
        put_options(out, c->options);
    put_text(out, c->more);
    output_close(out);
    exit(STATUS_HELD);
}

/* SPDX-License-Identifier: MIT */
/* option.c -- tables of options: going through them, spellings, values */
#include "cli/options.h"

#include <stdio.h>
#include <string.h>

option_walk option_walk_of(const cli_option *table)
{
    option_walk w = {.next = {table}};
    return w;
}

const cli_option *option_next(option_walk *w, size_t *at)
{
    while (w->depth >= 0) {
        const cli_option *o = w->next[w->depth]++;
        size_t base = w->base[w->depth];
        if (o->kind == OPTION_END) {
            w->depth--;
        } else if (o->kind == OPTION_GROUP) {
            w->next[++w->depth] = o->group;
            w->base[w->depth] = base + o->at;
        } else {
            *at = base;
            return o;
        }
    }
    return NULL;
}

int option_takes_value(const cli_option *o)
{
    return o->kind != OPTION_FLAG && (o->value || o->words || o->name_at);
}

size_t option_spelling(const char **names, const char **spelling)
{
    *names += strspn(*names, " ");
    *spelling = *names;
    size_t length = strcspn(*names, " ");
    *names += length;
    return length;
}

int option_is(const cli_option *o, const char *name, size_t length)
{
    const char *names = o->names, *spelling;
    for (size_t n; names && (n = option_spelling(&names, &spelling)) > 0;) {
        size_t dashes = strspn(spelling, "-");
        if (n - dashes == length && memcmp(spelling + dashes, name, length) == 0)
            return 1;
    }
    return 0;
}

const char *option_value_at(const cli_option *o, size_t i)
{
    return o->name_at                 ? o->name_at(i)
           : o->kind == OPTION_FORMAT ? format_name_at(i)
           : o->words                 ? o->words[i]
                                      : NULL;
}

const char *option_words(const cli_option *o, char between, char text[256])
{
    size_t used = 0;
    const char *word;
    text[0] = '\0';
    for (size_t i = 0; (word = option_value_at(o, i)) != NULL && used < 255; i++) {
        if (i)
            text[used++] = between;
        used += (size_t)snprintf(text + used, 256 - used, "%s", word);
    }
    return text;
}

const char *option_placeholder(const cli_option *o, char text[256])
{
    return o->value ? o->value : option_words(o, '|', text);
}

/* ---- groups of several commands -------------------------------------------------------------- */

const cli_option output_option[] = {
    {"-o --output", "FILE", "writes to FILE, which appears only when it is complete",
     .kind = OPTION_FILE, .size = sizeof(char *)},
    {.kind = OPTION_END},
};

const cli_option json_option[] = {
    {"--json", "FILE",
     "also writes JSON to FILE; - writes it to standard output instead of the text",
     .kind = OPTION_FILE, .size = sizeof(char *)},
    {.kind = OPTION_END},
};

const cli_option html_option[] = {
    {"--html", "FILE", "also writes a page with pictures to FILE, which needs nothing else",
     .kind = OPTION_FILE, .size = sizeof(char *)},
    {.kind = OPTION_END},
};

/* SPDX-License-Identifier: MIT */
/* words.c -- lines of hexadecimal words, for identify */
#include "identify/words.h"
#include "cli/cli.h"

#include <string.h>

int identify_split(char *text, const char **word, int most)
{
    int n = 0;
    for (char *at = strtok(text, " \t\r,"); at; at = strtok(NULL, " \t\r,")) {
        if (n == most)
            return most + 1;
        int prefix = at[0] == '0' && (at[1] == 'x' || at[1] == 'X') && at[2];
        word[n++] = prefix ? at + 2 : at;
    }
    return n;
}

uint64_t identify_hex(const input *in, const char *text, int digits, uint64_t mask,
                       const char *what)
{
    uint64_t word;
    if (strlen(text) != (size_t)digits || !hex_read(text, digits, &word) || word & ~mask)
        fail_at(in->name, in->line, "%s '%s': expected %d hexadecimal digit%s", what, text, digits,
                digits == 1 ? "" : "s");
    return word;
}

void identify_lines(const char *path, void *context,
                    void (*take)(void *context, const input *in, char *text))
{
    char *text;
    size_t length;
    input *in = input_open(path);
    while ((text = input_line(in, &length)) != NULL) {
        if (strlen(text) != length)
            fail_at(in->name, in->line, "expected text");
        take(context, in, text);
    }
    input_close(in);
}

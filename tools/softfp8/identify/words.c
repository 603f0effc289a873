/* SPDX-License-Identifier: MIT */
/* words.c -- lines of hexadecimal words, for identify */
#include "identify/words.h"
#include "cli/cli.h"

#include <string.h>

uint64_t identify_hex(const input *in, text_word word, int digits, uint64_t mask, const char *what)
{
    uint64_t value;
    input_error error;
    if (words_hex(word, digits, &value) && !(value & ~mask))
        return value;
    word_expected(&error, what, word, "%d hexadecimal digit%s", digits, digits == 1 ? "" : "s");
    error.line = in->line;
    fail_input(in->name, &error);
}

void identify_lines(const char *path, void *context,
                    void (*take)(void *context, const input *in, const text_word *words, int n))
{
    const char *text;
    size_t length;
    input *in = input_open(path);
    while ((text = input_line(in, &length)) != NULL) {
        text_word words[IDENTIFY_FIELDS];
        int n = (int)words_split(text, length, words, IDENTIFY_FIELDS);
        if (memchr(text, 0, length))
            fail_at(in->name, in->line, "expected text");
        if (n > 0)
            take(context, in, words, n);
    }
    input_close(in);
}

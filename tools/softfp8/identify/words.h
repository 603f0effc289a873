/* SPDX-License-Identifier: MIT */
/* words.h -- lines of hexadecimal words, for identify */
#ifndef SOFTFP8_CLI_IDENTIFY_WORDS_H
#define SOFTFP8_CLI_IDENTIFY_WORDS_H

#include "files/io.h"

/* The words of a line, which is changed: how many, or most + 1 for more than `most`. */
int identify_split(char *text, const char **word, int most);
/* Gives each line of a file to `take`, which may change it. Fails on lines that are no text. */
void identify_lines(const char *path, void *context,
                    void (*take)(void *context, const input *in, char *text));
/* Reads a code of `digits` digits, within `mask`. Fails with a message about `what` otherwise. */
uint64_t identify_hex(const input *in, const char *text, int digits, uint64_t mask,
                       const char *what);

#endif

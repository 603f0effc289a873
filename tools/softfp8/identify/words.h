/* SPDX-License-Identifier: MIT */
/* words.h -- lines of hexadecimal words, for identify */
#ifndef SOFTFP8_CLI_IDENTIFY_WORDS_H
#define SOFTFP8_CLI_IDENTIFY_WORDS_H

#include "files/io.h"
#include "base/words.h"

enum { IDENTIFY_FIELDS = 5 };

/* Gives the words of each line of a file that has any to `take`: their number is at most
 * IDENTIFY_FIELDS + 1. */
void identify_lines(const char *path, void *context,
                    void (*take)(void *context, const input *in, const text_word *words, int n));
/* Reads a code of `digits` digits, within `mask`. Fails with a message about `what` otherwise. */
uint64_t identify_hex(const input *in, text_word word, int digits, uint64_t mask, const char *what);

#endif

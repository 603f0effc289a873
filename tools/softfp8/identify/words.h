/* SPDX-License-Identifier: MIT */
/* words.h -- lines of hexadecimal words, for identify */
#ifndef SOFTFP8_CLI_IDENTIFY_WORDS_H
#define SOFTFP8_CLI_IDENTIFY_WORDS_H

#include "files/io.h"

/* The words of a line, which is changed: how many, or most + 1 for more than `most`. */
int identify_split(char *text, const char **word, int most);
/* A code of so many digits, within `mask`. Fails and calls it `what` if it is none. */
uint64_t identify_hex(const input *in, const char *text, int digits, uint64_t mask,
                       const char *what);

#endif

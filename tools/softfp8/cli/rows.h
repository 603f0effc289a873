/* SPDX-License-Identifier: MIT */
/* rows.h -- values and rows of the tables in few characters, nothing rounded */
#ifndef SOFTFP8_ROWS_H
#define SOFTFP8_ROWS_H

#include "files/io.h"
#include "base/json_writer.h"

enum { SHORT_SIZE = 48 };

/* The value of a finite positive code is the result times 2^*exponent. */
uint64_t value_parts(sf8_format f, uint64_t code, int *exponent);
/* The value of a finite positive code, exactly: "448", "2^127", "3*2^31",
 * "2^128-2^104", or hexadecimal. */
const char *short_value(sf8_format f, uint64_t code, char text[SHORT_SIZE]);
/* The same as a power of two, where it is one; for what is best known so. */
const char *short_power(sf8_format f, uint64_t code, char text[SHORT_SIZE]);

/* The smallest positive code, and the smallest normal one; 0 to *code if there is none. */
uint64_t code_smallest(sf8_format f);
int code_normal(sf8_format f, uint64_t *code);

/* "none", "ieee", "top", "neg-zero". */
const char *nan_kind(sf8_format f);

/* The best evidence in a few words: "source", "verified on a CPU", "ran interpreted". Valid until
 * the next call. */
enum { EVIDENCE_WORDS = 48 };
const char *evidence_words(const char *evidence);
/* What a row says of its product: lines behind two blanks, or members of an object. */
void evidence_print(output *out, const char *product, const char *versions, const char *source,
                    const char *evidence, const char *open);
void evidence_put(json_writer *j, const char *product, const char *versions, const char *source,
                  const char *evidence, const char *open);

#endif

/* SPDX-License-Identifier: MIT */
/* gen_given.h -- results for operands that a file has */
#ifndef SOFTFP8_GEN_GIVEN_H
#define SOFTFP8_GEN_GIVEN_H

#include "vectors/gen_json.h"
#include "vectors/vectors.h"

/* Writes a row of `l` for each row of the file at `path`, which has the operands as text: with
 * `random` the random word too. */
void gen_given(output *out, const char *path, const sf8_function *f, sf8_policy policy, int random,
               int exact, const layout *l);
/* The same as JSON. */
void gen_given_json(output *out, const char *path, const sf8_function *f, const testfloat *t,
                    int random);

#endif

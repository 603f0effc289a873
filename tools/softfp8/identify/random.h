/* SPDX-License-Identifier: MIT */
/* random.h -- softfp8 identify --stochastic */
#ifndef SOFTFP8_CLI_RANDOM_H
#define SOFTFP8_CLI_RANDOM_H

#include "cli/options.h"
#include "files/io.h"

/* Reads lines of input, random number and code, and reports which rule of stochastic rounding gives
 * the codes. Returns the exit status. */
int identify_random(const char *path, const char *to_name, const char *from_name);

#endif

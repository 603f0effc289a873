/* SPDX-License-Identifier: MIT */
/* rules.h -- softfp8 identify --function and --stochastic */
#ifndef SOFTFP8_CLI_RULES_H
#define SOFTFP8_CLI_RULES_H

/* Reads lines of operands, result and perhaps flags of a function, and reports which policy gives
 * them. Returns the exit status. */
int identify_operation(const char *path, const char *function);
/* Reads lines of input, random number and code, and reports which rule of stochastic rounding gives
 * the codes. Returns the exit status. */
int identify_random(const char *path, const char *to_name, const char *from_name);

#endif

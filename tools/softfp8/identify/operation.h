/* SPDX-License-Identifier: MIT */
/* operation.h -- softfp8 identify --function */
#ifndef SOFTFP8_CLI_OPERATION_H
#define SOFTFP8_CLI_OPERATION_H

#include "cli/options.h"

/* Reads lines of operands, result and perhaps flags of a function, and reports which policy gives
 * them. Returns the exit status. */
int identify_operation(const char *path, const char *function);

#endif

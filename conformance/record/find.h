/* SPDX-License-Identifier: MIT */
/* find.h -- where the records of GPUs are that are replayed */
#ifndef SOFTFP8_RECORD_FIND_H
#define SOFTFP8_RECORD_FIND_H

#include "suite/conform.h"

/* Adds the cases of the records to the suite; 0 and why, with the file and the line, if one is
 * wrong. `given` is what the user asks for: a folder or "none"; NULL: the one of the environment,
 * else that of the installation, else `sources`. */
int records_open(const char *given, const char *sources, char why[CONFORM_LONG]);

#endif

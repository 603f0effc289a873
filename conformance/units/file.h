/* SPDX-License-Identifier: MIT */
/* file.h -- the file of a finished unit: its name and its text */
#ifndef SOFTFP8_UNITS_FILE_H
#define SOFTFP8_UNITS_FILE_H

#include "units/units.h"

enum { UNIT_FILE_NAME = 3 * UNIT_NAME + 40, UNIT_SIZE = 1 << 28 };

/* "cuda-host+float_to_fp8+e4m3@3-of-16.unit". */
void unit_file_name(const unit *u, char name[UNIT_FILE_NAME]);
/* The text of the file, from malloc; `plan` is the digest of the plan. */
char *unit_file_text(const unit *u, const char plan[65], size_t *size);
/* Reads such a text. *u receives pointers into one piece of memory, which is returned; the path is
 * not set. NULL with the line and what was expected there. */
char *unit_file_parse(const char *text, size_t size, const char plan[65], unit *u, size_t *line,
                      const char **expected);

#endif

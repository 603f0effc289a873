/* SPDX-License-Identifier: MIT */
/* parse.h -- the lines of a record's files that have a check */
#ifndef SOFTFP8_CONFORM_RECORD_PARSE_H
#define SOFTFP8_CONFORM_RECORD_PARSE_H

#include "base/lines.h"
#include "record/text.h"

/* line_next, which also removes the check of the line. */
int line_next_checked(line_reader *r, const char *expected);
/* All tables of a file, in order, to r->table. */
int record_read_tables(record_contents *r, line_reader *lines);

#endif

/* SPDX-License-Identifier: MIT */
/* files.h -- the folder of a record: its files read whole, and replaced whole */
#ifndef SOFTFP8_CONFORM_RECORD_FILES_H
#define SOFTFP8_CONFORM_RECORD_FILES_H

#include "record/text.h"

/* Whether one of the files of a record is in a folder. */
int record_is_there(const char *folder);
/* Reads them. 0 and why, as "FILE:LINE: ...". */
int record_load(record_contents *r, const char *folder, char why[CONFORM_LONG]);

#endif

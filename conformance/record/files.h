/* SPDX-License-Identifier: MIT */
/* files.h -- the folder of a record: its files are read whole and replaced whole */
#ifndef SOFTFP8_CONFORM_RECORD_FILES_H
#define SOFTFP8_CONFORM_RECORD_FILES_H

#include "record/text.h"

/* Returns 1 if a folder has at least one of the files of a record. */
int record_is_there(const char *folder);
/* Reads them. Returns 0 and the reason, as "FILE:LINE: ...". */
int record_load(record_contents *r, const char *folder, char why[CONFORM_LONG]);

#endif

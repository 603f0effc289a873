/* SPDX-License-Identifier: MIT */
/* find.h -- where the GPU records are that are replayed */
#ifndef SOFTFP8_RECORD_FIND_H
#define SOFTFP8_RECORD_FIND_H

#include "suite/conform.h"

/* Reads the records, for records_at. Returns 0 and the reason, with the file and the line, if one
 * is damaged. `given` is what the user asked for: a folder or "none". NULL means the folder of the
 * environment variable; else that of the installation, else `sources`, unless the options select
 * none of their cases. The first call that reads counts. */
int records_open(const conform_options *o, const char *given, const char *sources,
                 char why[CONFORM_LONG]);

enum { RECORD_PATH = 4096 };

int records_is_folder(const char *path);
/* Writes the path "BIN/../share/softfp8/records", where BIN has the program that runs. Returns 0 if
 * there is no such folder. */
int records_installed(char path[RECORD_PATH]);

#endif

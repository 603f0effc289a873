/* SPDX-License-Identifier: MIT */
/* join.h -- softfp8 conform --join: the report or record of a run that several machines shared */
#ifndef SOFTFP8_CONFORM_JOIN_H
#define SOFTFP8_CONFORM_JOIN_H

#include "conform/reports.h"

typedef struct join_request {
    conform_options o;            /* of conform_begin, and strict; the folders say the rest */
    const char *records, *record; /* the folder that is read; the one that is written, or NULL */
    const report_paths *reports;
} join_request;

/* Reports what one machine would have reported that had done all of the run; the exit status. */
int join_folders(join_request *q, char *const *paths, size_t count);

#endif

/* SPDX-License-Identifier: MIT */
/* merge.h -- the reports of all shards of a run, put together */
#ifndef SOFTFP8_CONFORM_MERGE_H
#define SOFTFP8_CONFORM_MERGE_H

#include "cli/cli.h"
#include "report/report.h"

/* Reads reports written with --json; r gets what one run would have reported. Ends the program if
 * they are not the shards of one run, all of them. What r points to stays. */
void conform_merge_reports(char *const *paths, size_t count, report *r);

#endif

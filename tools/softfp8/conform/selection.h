/* SPDX-License-Identifier: MIT */
/* selection.h -- the options that conform and record share: which cases, for how long */
#ifndef SOFTFP8_CONFORM_SELECTION_H
#define SOFTFP8_CONFORM_SELECTION_H

#include "cli/options.h"
#include "suite/conform.h"

/* --only and --limit: a conform_options. */
extern const cli_option conform_selection[];
/* --jobs and --shard: a conform_options. */
extern const cli_option conform_sharing[];
/* --records: a const char *. */
extern const cli_option conform_records[];
/* The options of a run of all cases. */
conform_options conform_begin(void);
/* The i-th of all cases and its name, or NULL. */
const conform_case *conform_case_at(size_t i);
const char *conform_name_at(size_t i);

#endif

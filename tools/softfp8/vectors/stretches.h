/* SPDX-License-Identifier: MIT */
/* stretches.h -- a large table of cases, written in stretches that are kept in a folder
 *
 * A stretch is STRETCH cases. Its text is a file of its own in DIR/cases; the unit in DIR has the
 * size and the SHA-256 of it. All stretches one after the other are the table.
 */
#ifndef SOFTFP8_STRETCHES_H
#define SOFTFP8_STRETCHES_H

#include "cli/options.h"
#include "files/io.h"
#include "units/units.h"

enum { STRETCH = 1 << 20 };

typedef struct stretches {
    const char *folder;
    unsigned shard, shards; /* shard counts from 0 */
    double budget;          /* seconds; 0: no limit */
} stretches;

/* --keep, --shard and --budget: stretches. */
extern const cli_option stretches_options[];

/* Writes the cases [first, end) of the table. */
typedef void stretch_write(void *context, output *out, uint64_t first, uint64_t end);

/* Writes the stretches that the folder lacks; the exit status. The plan has the terms of the table;
 * its units are added. */
int stretches_run(const stretches *s, unit_plan *plan, const char *name, uint64_t cases,
                  stretch_write *write, void *context);
/* Writes the table whose stretches are in these folders together. */
void stretches_merge(char *const *names, size_t count, const char *path);

#endif

/* SPDX-License-Identifier: MIT */
/* records.h -- where the records of GPUs are that conform replays */
#ifndef SOFTFP8_RECORDS_H
#define SOFTFP8_RECORDS_H

/* Adds the cases of the records to the suite, or fails with the file and the line that is wrong.
 * `given` is what --records says: a folder or "none"; NULL: the one of the environment, else that
 * of the installation, else that of the sources. */
void records_open(const char *given);

#endif

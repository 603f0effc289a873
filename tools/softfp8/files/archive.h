/* SPDX-License-Identifier: MIT */
/* archive.h -- the entries of a zip archive that is not compressed, in memory */
#ifndef SOFTFP8_ARCHIVE_H
#define SOFTFP8_ARCHIVE_H

#include "base/error.h"

typedef struct archive {
    const unsigned char *bytes;
    size_t size, entries, directory; /* where the list of entries begins */
    input_error *error;
} archive;

typedef struct archive_entry {
    const unsigned char *name;
    size_t name_length, begin, size;
} archive_entry;

/* A number of n bytes, the least one first. */
uint64_t archive_little(const unsigned char *bytes, int n);
/* Finds the list of entries: of an archive with its bytes, size and error. 1, or 0 and the error.
 */
int archive_open(archive *a);
/* The entry in the folder of the archive, "/data.pkl" or "/data/0"; 0 and the error if there is
 * none. */
int archive_find(const archive *a, const char *name, archive_entry *e);

#endif

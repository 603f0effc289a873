/* SPDX-License-Identifier: MIT */
/* disk.h -- files that are read whole, and written beside the place where they are to stand */
#ifndef SOFTFP8_BASE_DISK_H
#define SOFTFP8_BASE_DISK_H

#include <stddef.h>

enum { DISK_WHY = 1024 };

/* The text of a file of at most `most` bytes and a closing 0, from malloc; NULL and *why, beginning
 * with "PATH:1: ", if it cannot be read. */
char *disk_read(const char *path, size_t most, size_t *size, char why[DISK_WHY]);
/* Writes a new file whose text is on the disk when this returns. `path` is a template for mkstemp,
 * and receives the name. Returns 0 and sets errno if that failed; a file that was made is removed,
 * and the name is then empty. */
int disk_write(char *path, const char *text, size_t size);
/* Removes a file that nobody has written to for ten minutes: a process left it that was killed. */
void disk_remove_abandoned(const char *path);

#endif

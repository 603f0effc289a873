/* SPDX-License-Identifier: MIT */
/* unfinished.h -- files that are still being written, removed when the process fails or is stopped */
#ifndef SOFTFP8_FILES_UNFINISHED_H
#define SOFTFP8_FILES_UNFINISHED_H

/* Notes a path, which has to stay where it is in memory. Its place in the list; -1 if that is
 * full. */
int unfinished_add(char *path);
void unfinished_forget(int place);
/* Removes all files of the list; a signal handler may call it. */
void unfinished_remove(void);

#endif

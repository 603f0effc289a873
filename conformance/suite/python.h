/* SPDX-License-Identifier: MIT */
/* python.h -- runs a program by the python3 of PATH, in a private folder and for a limited time
 *
 * The program is a file in that folder, so that Python does not look for modules in the user's
 * current folder.
 */
#ifndef SOFTFP8_CONFORM_PYTHON_H
#define SOFTFP8_CONFORM_PYTHON_H

#include <stddef.h>

enum { PYTHON_PATH = 1024, PYTHON_ARGUMENTS = 8, PYTHON_PIECES = 4 };

/* The files of conformance/python/, as text. */
typedef struct python_source {
    const char *name; /* "frame" */
    const char *text;
} python_source;

extern const python_source python_sources[];
extern const size_t python_source_count;

/* Creates a private folder; returns 0 if that is not possible. */
int python_folder(char folder[PYTHON_PATH]);
/* Removes it with the files in it. */
void python_folder_remove(const char *folder);

int python_write(const char *folder, const char *name, const void *data, size_t size);
/* The file's contents from malloc, followed by a 0; NULL if it does not exist or is larger than
 * `most`. */
char *python_read(const char *folder, const char *name, size_t most, size_t *size);

/* Runs the pieces, one behind the other, with these arguments; both lists end with NULL. The
 * program's output is in the files "stdout" and "stderr". Returns NULL if it exited with 0; else
 * what happened, with the last line of its stderr. */
const char *python_run(const char *folder, const char *const pieces[PYTHON_PIECES],
                       const char *const arguments[PYTHON_ARGUMENTS], double limit, char *why,
                       size_t size);
/* The message of python_run if there is no python3. */
extern const char python_missing[];

#endif

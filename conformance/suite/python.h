/* SPDX-License-Identifier: MIT */
/* python.h -- a program that python3 of the PATH runs, in a folder of its own and for a limited
 * time
 *
 * The program is a file in that folder, so that no module is looked for where the user stands.
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

/* A private folder; 0 if there is none to be had. */
int python_folder(char folder[PYTHON_PATH]);
/* Removes it with the files in it. */
void python_folder_remove(const char *folder);

int python_write(const char *folder, const char *name, const void *data, size_t size);
/* The file's bytes from malloc, with a 0 behind them; NULL if it is not there or above `most`. */
char *python_read(const char *folder, const char *name, size_t most, size_t *size);

/* Runs the pieces, one behind the other, with these arguments; both lists end with NULL. What the
 * program says is in the files "stdout" and "stderr". NULL if it ended with 0, or what became of
 * it, with the last line of its stderr. */
const char *python_run(const char *folder, const char *const pieces[PYTHON_PIECES],
                       const char *const arguments[PYTHON_ARGUMENTS], double limit, char *why,
                       size_t size);
/* What python_run says where there is no such program. */
extern const char python_missing[];

#endif

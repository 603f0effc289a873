/* SPDX-License-Identifier: MIT */
/* steps_file.h -- a step table from a file */
#ifndef SOFTFP8_STEPS_FILE_H
#define SOFTFP8_STEPS_FILE_H

#include "files/io.h"

typedef struct steps_file {
    sf8_steps_head head;
    sf8_step *steps;
    size_t count;
} steps_file;

/* Reads it, or fails with file and line. The caller frees steps. */
steps_file steps_file_read(const char *path);
/* The last input word that has the result of row i. */
uint64_t steps_file_last(const steps_file *file, size_t i);

#endif

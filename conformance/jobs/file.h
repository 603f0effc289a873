/* SPDX-License-Identifier: MIT */
/* file.h -- the file of a finished job: its name and its text */
#ifndef SOFTFP8_JOBS_FILE_H
#define SOFTFP8_JOBS_FILE_H

#include "jobs/jobs.h"

enum { JOB_FILE_NAME = 3 * JOB_NAME + 40, JOB_SIZE = 1 << 28 };

/* "cuda-host+float_to_fp8+e4m3@3-of-16.job". */
void job_file_name(const kept_job *job, char name[JOB_FILE_NAME]);
/* The text of the file, from malloc; `plan` is the digest of the plan. */
char *job_file_text(const kept_job *job, const char plan[65], size_t *size);
/* Reads such a text. *job receives pointers into one piece of memory, which is returned; the path
 * is not set. NULL with the line and what was expected there. */
char *job_file_parse(const char *text, size_t size, const char plan[65], kept_job *job,
                     size_t *line, const char **expected);

#endif

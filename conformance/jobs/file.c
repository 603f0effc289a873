/* SPDX-License-Identifier: MIT */
/* file.c -- the file of a finished job: its name and its text */
#include "jobs/file.h"

#include "base/memory.h"
#include "jobs/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "/" becomes "+"; what is not usual in names of files becomes %XX. */
void job_file_name(const kept_job *job, char name[JOB_FILE_NAME])
{
    static const char usual[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._=-";
    size_t k = 0;
    for (const char *c = job->name; *c; c++) {
        if (*c == '/')
            name[k++] = '+';
        else if (strchr(usual, *c) && !(k == 0 && *c == '.'))
            name[k++] = *c;
        else
            k += (size_t)snprintf(name + k, 4, "%%%02X", (unsigned char)*c);
    }
    snprintf(name + k, JOB_FILE_NAME - k, "@%u-of-%u.job", job->part + 1, job->of);
}

char *job_file_text(const kept_job *job, const char plan[65], size_t *size)
{
    text_buffer t = {NULL, 0, 0};
    text_print(&t, "softfp8-job 1\nplan %s\njob %s\npart %u of %u\n", plan, job->name,
               job->part + 1, job->of);
    text_print(&t, "host %s\nseconds %.6f\nabout %zu\n", job->host, job->seconds,
               strlen(job->about));
    text_add(&t, job->about, strlen(job->about));
    text_print(&t, "\nbody %zu\n", job->size);
    text_add(&t, job->body, job->size);
    text_print(&t, "\n");
    text_end(&t);
    *size = t.size;
    return t.bytes;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* "part 3 of 16" */
static int parse_part(line_reader *r, kept_job *job)
{
    uint64_t part, of;
    if (!line_next(r, "part") || !line_take(r, "part ") || !line_take_number(r, JOB_PARTS, &part) ||
        !line_take(r, " of ") || !line_take_number(r, JOB_PARTS, &of) || !line_is_done(r) ||
        part < 1 || part > of)
        return 0;
    job->part = (unsigned)part - 1;
    job->of = (unsigned)of;
    return 1;
}

static int parse_seconds(const char *text, double *seconds)
{
    char *end;
    if (!text || text[0] < '0' || text[0] > '9')
        return 0;
    *seconds = strtod(text, &end);
    return !*end && *seconds < 1e9;
}

/* "about N" or "body N", then as many bytes and a newline. */
static char *parse_bytes(line_reader *r, char *bytes, const char *key, size_t *size)
{
    uint64_t n;
    if (!line_next(r, key) || !line_take(r, key) || !line_take(r, " ") ||
        !line_take_number(r, JOB_SIZE, &n) || !line_is_done(r))
        return NULL;
    *size = (size_t)n;
    char *begin = bytes + r->next;
    r->line++;
    if (n >= r->size - r->next || begin[n] != '\n')
        return NULL;
    begin[n] = '\0';
    r->next += *size + 1;
    return begin;
}

static const char *parse(line_reader *r, char *bytes, const char plan[65], kept_job *job)
{
    size_t about;
    const char *digest;
    if (!line_next(r, "the head") || !line_take(r, "softfp8-job 1") || !line_is_done(r))
        return "'softfp8-job 1'";
    if (!(digest = line_value(r, bytes, "plan")) || strcmp(digest, plan) != 0)
        return "the plan of this folder: the job is that of another run";
    if (!(job->name = line_value(r, bytes, "job")) || !job->name[0] || strlen(job->name) > JOB_NAME)
        return "'job NAME'";
    if (!parse_part(r, job))
        return "'part N of M'";
    if (!(job->host = line_value(r, bytes, "host")))
        return "'host NAME'";
    if (!parse_seconds(line_value(r, bytes, "seconds"), &job->seconds))
        return "'seconds NUMBER'";
    if (!(job->about = parse_bytes(r, bytes, "about", &about)) || strlen(job->about) != about)
        return "'about BYTES' and as many bytes";
    if (!(job->body = parse_bytes(r, bytes, "body", &job->size)))
        return "'body BYTES' and as many bytes";
    return r->next == r->size ? NULL : "the end";
}

char *job_file_parse(const char *text, size_t size, const char plan[65], kept_job *job,
                     size_t *line, const char **expected)
{
    line_reader r;
    input_error error;
    char *bytes = allocate(size, 1);
    memcpy(bytes, text, size);
    memset(job, 0, sizeof *job);
    *expected = "a last line with the digest of the lines before: the file is cut or edited";
    *line = 1;
    if (lines_open(&r, bytes, size, &error)) {
        *expected = parse(&r, bytes, plan, job);
        *line = r.line;
    }
    if (!*expected)
        return bytes;
    free(bytes);
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/* record.h -- what a GPU returned: recorded when its cases run, replayed where there is no GPU
 *
 * A record is a folder of text files. It says what the GPU was. For each device case it has the
 * step table of what the GPU returned, the instructions executed, and the digest of the kernel's
 * source. conformance/records has one for each GPU; conformance/records/README.md has the
 * grammar.
 */
#ifndef SOFTFP8_CONFORM_RECORD_H
#define SOFTFP8_CONFORM_RECORD_H

#include "suite/compare.h"
#include "suite/family.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Makes the text that a device case leaves, from malloc, or NULL if memory is exhausted. `seconds`
 * is the device's time. */
char *record_case_text(const comparison *k, const gpu_device_subject *subject,
                       const code_tables *tables, const conform_result *result, double seconds);

/* If the job wants a record: the same text for a case that leaves a digest and no tables.
 * `elements` counts the inputs of its family; `group` is the kernel's group in gpu_source(). */
void record_digest(const conform_job *j, const char *group, uint64_t elements);

/* The same for the part of a case that measures its speeds, which are in the result, or `wrong` says
 * why not: a line, which record_join puts into the text of the other part. An emulated device has no
 * speeds. */
void record_speeds(const conform_job *j, const char *wrong);
/* The text of a case with the speeds of `speeds`, which may be NULL; from malloc, or NULL if memory
 * is exhausted. */
char *record_join(const char *text, const char *speeds);

typedef struct record_head {
    gpu_device device;
    const char *toolkit;
    const char *date; /* "2026-11-21" */
    const char *version;
} record_head;

/* A record under construction: texts are added in the order of the cases. */
typedef struct record_writer record_writer;
record_writer *record_begin(const record_head *head);
int record_add(record_writer *w, const char *text, size_t size);
/* Writes the files into the folder, which is created if necessary. A file of the same name is
 * replaced once all of its new text is on the disk. Returns 0 and the reason on failure. */
int record_write(record_writer *w, const char *folder, char why[CONFORM_LONG]);
void record_free(record_writer *w);

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads every record in a folder of records. Makes a case of each of its cases, named "record/"
 * FOLDER "/" and the device case's name, after the rows of all families. Returns 0 and the reason,
 * as "FILE:LINE: ...", if a file is damaged. A folder may have no records. */
int records_add(const char *folder, char why[CONFORM_LONG]);
/* The i-th of these cases, or NULL. */
const conform_case *records_at(size_t i);

/* The digest of all that was added: the files with the cases, which have those of the others. */
void records_digest(char digest[65]);

/* What a record says about one of its cases; conform_case points to it. */
typedef struct record_case {
    const char *origin; /* "NVIDIA H200, driver 580.95.05, CUDA 13.0, 2026-11-21" */
    const char *sass;   /* or NULL: not reported */
    const char *group;  /* of the sources of its kernel then */
    const char *stale;  /* why it proves nothing about the present source, or NULL */
    int emulated;       /* recorded on a processor: a set of inputs is accepted in place of all
                           inputs */
    int whole;          /* every value was an input; else the set with `list_digest` */
    uint64_t inputs;
    const char *list_digest;
    const char *digest; /* of the results, see digest.h */
    const conform_speed *speed;
    size_t speeds;
    code_tables tables; /* their `index` is the input word: record_index() makes it one */
} record_case;

/* Of a replay that has its digest and inputs, "rows": whether they are the record's; if not the
 * result says so. */
int record_agrees(const conform_job *j, const char *what);
/* The tables by index, for these inputs, from malloc, in one piece that *tables points into.
 * Returns NULL, and the reason, if they are not the inputs of the record or memory is exhausted. */
void *record_index(const record_case *r, const inputs *in, code_tables *tables,
                   char why[CONFORM_TEXT]);

#endif

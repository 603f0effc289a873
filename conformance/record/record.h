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
#include "suite/recorded.h"

/* ---- writing --------------------------------------------------------------------------------- */

/* Makes the text that a device case leaves, from malloc. `seconds` is the device's time. */
char *record_case_text(const comparison *k, const gpu_device_subject *subject,
                       const code_tables *tables, const conform_result *result, double seconds);

/* If the job wants a record: the same text for a case that leaves a digest and no tables.
 * `elements` counts the inputs of its family; `group` is the kernel's group in gpu_source(). */
void record_digest(const conform_job *j, const char *group, uint64_t elements);

/* The same for the part of a case that measures its speeds, which are in the result, or `wrong`
 * says why not: a line, which record_join puts into the text of the other part. An emulated device
 * has no speeds. */
void record_speeds(const conform_job *j, const char *wrong);
/* The text of a case with the speeds of `speeds`, which may be NULL; from malloc. */
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
 * FOLDER "/" and the name of the device case among the families. Returns 0 and the reason, as
 * "FILE:LINE: ...", if a file is damaged. A folder may have no records. */
int records_add(const conform_catalog *catalog, const char *folder, char why[CONFORM_LONG]);
/* The i-th of these cases, or NULL. */
const conform_case *records_at(size_t i);

/* The digest of all that was added: the files with the cases, which have those of the others. */
void records_digest(char digest[65]);

#endif

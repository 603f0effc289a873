/* SPDX-License-Identifier: MIT */
/* text.h -- records as text: their grammar, as it is written and as it is read
 *
 * records/README.md is the grammar. What is read is byte for byte what is written of it. All here
 * works on memory; record_files.h has the folder.
 */
#ifndef SOFTFP8_CONFORM_RECORD_TEXT_H
#define SOFTFP8_CONFORM_RECORD_TEXT_H

#include "base/error.h"
#include "base/text.h"
#include "record/record.h"

/* The files of a record. */
enum { RECORD_CASES, RECORD_TABLES, RECORD_SECONDS, RECORD_FILES };
extern const char *const record_file_name[RECORD_FILES];

enum {
    RECORD_NAME = 120,    /* characters of a name at the most */
    RECORD_GROUP = 16,    /* of the group of a source */
    RECORD_GROUPS = 16,   /* groups in a record */
    RECORD_MOST = 4096,   /* cases in a record */
    RECORD_SIZE = 1 << 26 /* bytes of a file */
};

/* ---- what a record says ---------------------------------------------------------------------- */

/* A step table, of as many cases as have it. The `index` of its rows is the input word. */
typedef struct record_table {
    uint64_t id; /* the first digits of the SHA-256 of its text */
    int in_bytes, out_bytes;
    gpu_row *row;
    size_t rows;
    size_t line; /* of its head in the file */
} record_table;

typedef struct record_source {
    char group[RECORD_GROUP + 1];
    char digest[65];
} record_source;

typedef struct record_entry {
    char name[RECORD_NAME + 1];
    size_t source; /* which of the record's */
    /* What was counted: "tokens", as the family of the case says; there are no tables then. "": the
     * inputs were words. */
    char kind[RECORD_GROUP + 1];
    int whole; /* every word was an input; else the set with `list_digest` */
    uint64_t inputs;
    char list_digest[65];
    int lanes;
    size_t table[GPU_LANES]; /* which of the record's */
    char digest[65];
    uint64_t differ;
    uint64_t microseconds;
    conform_speed speed[CONFORM_SPEEDS];
    size_t speeds;
    int sass_shown;
    char sass[CONFORM_LONG]; /* with a blank between */
} record_entry;

typedef struct record_contents {
    gpu_device device;
    char toolkit[GPU_TEXT], date[GPU_TEXT], version[GPU_TEXT];
    record_source source[RECORD_GROUPS];
    size_t sources;
    record_table *table;
    size_t tables;
    record_entry *entry;
    size_t entries;
    char digest[65]; /* of the file with the cases, which has those of the other files */
} record_contents;

/* Parses the texts of the three files. Returns 0, and *error, if one of them is damaged, or if they
 * do not belong together. The texts need no closing 0 and are not kept. */
int record_read(record_contents *r, const char *const text[RECORD_FILES],
                const size_t size[RECORD_FILES], input_error *error);
void record_contents_free(record_contents *r);

/* ---- writing --------------------------------------------------------------------------------- */

/* The text of a case for record_add, from malloc. `table` is the list that the entry points into;
 * the ids are not used. */
char *record_entry_text(const record_entry *e, const record_source *source,
                        const record_table *table);
/* "NAME SECONDS" and the speeds of the entry. */
void record_add_seconds(text_buffer *t, const record_entry *e);
/* The texts of the files, from malloc. Returns 0 and the reason if there is no case, or if a text
 * could not be read again. */
int record_compose(record_writer *w, char *text[RECORD_FILES], size_t size[RECORD_FILES],
                   char why[CONFORM_LONG]);

/* ---- what both know -------------------------------------------------------------------------- */

/* A valid name of a case: characters [a-z0-9._/=-], beginning with a family, and not leaving the
 * folder. */
int record_is_case_name(const char *text, size_t length);
/* A valid name of a folder: the same characters without the slash. */
int record_is_folder_name(const char *text, size_t length);
/* The eight digits that end a line; `before` is the first word of the previous line, of `word`
 * bytes. */
void record_check(const char *before, size_t word, const char *line, size_t size, char check[9]);
/* The first 16 digits of the SHA-256 of a text. */
uint64_t record_id(const char *text, size_t size);

#endif

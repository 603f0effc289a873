/* SPDX-License-Identifier: MIT */
/* record.h -- softfp8 kv inspect --mla: caches whose tokens are records of codes, scales and
 * values
 *
 * A record is written as its fields, in the order of their bytes:
 *
 *     448 e4m3 latent, 64 bf16 rope | 7 e8m0 scale/64, 1 pad
 *
 * A field has a count and a format. Up to 8 bits are codes, more are values. scale/64 belongs to 64
 * elements of the codes before it; pad is bytes. A word names the field. Behind "|" stands a second
 * part: in a page, the first parts of all tokens come before the second parts.
 */
#ifndef SOFTFP8_INSPECT_RECORD_H
#define SOFTFP8_INSPECT_RECORD_H

#include "inspect/inspect.h"

enum { RECORD_FIELDS = 8, RECORD_PARTS = 2, RECORD_NAME = 16, RECORD_MOST = 1 << 20 };

typedef enum record_kind { RECORD_CODES, RECORD_SCALES, RECORD_VALUES, RECORD_PAD } record_kind;

typedef struct record_field {
    record_kind kind;
    char name[RECORD_NAME], format_name[RECORD_NAME];
    sf8_format format;
    int part;
    size_t offset, count, bytes; /* in the part of a token */
    size_t of;                   /* elements of a scale */
    int codes;                   /* of a scale: the field of its elements */
} record_field;

typedef struct record_layout {
    const char *name; /* or the text that a user wrote */
    record_field field[RECORD_FIELDS];
    int fields, parts;
    size_t part[RECORD_PARTS], bytes; /* of a token */
} record_layout;

/* A product's. */
typedef struct record_row {
    const char *name, *text, *source;
} record_row;

const record_row *record_row_at(size_t i);
/* A name, a number of bytes, or fields; fails. */
record_layout record_of_text(const char *text);

/* ---- what is in a file ----------------------------------------------------------------------- */

typedef struct record_place {
    size_t token, element;
} record_place;

typedef struct record_tally {
    uint64_t count;
    record_place first;
} record_tally;

typedef struct record_counts {
    uint64_t values;
    record_tally kind[CODE_KINDS];
    double least, largest; /* magnitudes that are positive numbers; 0: none */
    /* Of scales: negative ones; those that are 0, though not all their codes are; tiles none of
     * whose codes reaches half the largest one, but for the least scale, which is a limit; rows
     * that repeat those of the token before, though the codes do not. Of padding: not 0. */
    record_tally negative, lost, loose, loose_least, repeated, filled;
} record_counts;

typedef struct record_report {
    const char *path;
    record_layout layout;
    size_t slots, page; /* tokens of a page, and its bytes */
    size_t tokens, empty;
    record_counts of[RECORD_FIELDS];
    char finding[16][320];
    int findings, problems;
} record_report;

/* Reads a file; fails. */
void record_count(record_report *r, const char *path, const record_layout *layout, size_t slots,
                  const inspect_options *o);
void record_judge(record_report *r);
void record_text(output *out, const record_report *r);
void record_json(output *out, const record_report *list, size_t count);
/* The name of the record that has `bytes` bytes, or NULL. */
const char *record_of_bytes(size_t bytes);
/* The records that have names, on standard output. */
void record_list(void);

#endif

/* SPDX-License-Identifier: MIT */
/* inspect.h -- a dump of cache codes: its axes, and what was counted along them */
#ifndef SOFTFP8_INSPECT_H
#define SOFTFP8_INSPECT_H

#include "files/tensor_file.h"

enum { INSPECT_AXES = 6 };

/* What a code can be; the others are numbers in between. */
typedef enum code_kind { CODE_NAN, CODE_INFINITE, CODE_LARGEST, CODE_ZERO, CODE_KINDS } code_kind;

/* The names that axes have: the words of --axes. Keys and values are the two of "kv". */
extern const char *const inspect_names[];

typedef struct inspect_axis {
    const char *name;
    size_t length;
    uint64_t *codes;             /* of each index */
    uint64_t *count[CODE_KINDS]; /* of them, those of a kind */
} inspect_axis;

typedef struct inspect_options {
    const char *format, *axes, *json, *html, *record;
    const char *stored[2], *type; /* --keys and --values: what was stored */
    size_t sides[INSPECT_AXES];   /* --shape */
    int side_count;
    uint32_t *pages; /* --block-table: blocks in the order of their tokens */
    size_t page_count;
    size_t tokens; /* of the sequence; 0: all */
    size_t slots;  /* of a page of records */
    int strict, records;
} inspect_options;

typedef struct inspect_report {
    const char *path, *format_name;
    sf8_format format;
    int axes;
    inspect_axis axis[INSPECT_AXES]; /* the last one is the fastest */
    uint64_t codes, count[CODE_KINDS], each[256];
    size_t first[CODE_KINDS][INSPECT_AXES];
    uint64_t rows, rows_of_largest; /* of the last axis; those that have the largest number */
    /* A paged cache: the place of a block in the sequence, or SIZE_MAX. Then the axis of tokens is
     * that of the sequence, `slots` in a block. */
    size_t *place, slots, blocks;
    /* The codes of keys and of values, [token][head][channel], where they are to be compared. */
    unsigned char *kept[2];
    size_t kept_count, heads, channels;
    char finding[8][320]; /* sentences, the worst first */
    int findings;
    int problems; /* NaN, infinities, values that were clipped */
} inspect_report;

/* Opens the file, chooses the axes, and counts all codes; fails. */
void inspect_count(inspect_report *r, const char *path, const inspect_options *o);
/* The sides of a file of codes, from which `in` has read: how many. */
int inspect_sides(input *in, const char *path, const inspect_options *o, size_t *side);
/* The sentences. */
void inspect_judge(inspect_report *r);
void inspect_say(inspect_report *r, const char *format, ...) CLI_PRINTF(2, 3);
/* Which scale the codes have, if the values that were stored are given: a sentence. */
void inspect_fit(inspect_report *r, const inspect_options *o);
/* "block 3, values, token 5, head 1, channel 17": of what has more than one. */
enum { INSPECT_PLACE = 160 };
const char *inspect_place(const inspect_report *r, const size_t *index, char text[INSPECT_PLACE]);
/* One index alone: "block 3", "values". */
const char *inspect_index(const inspect_axis *a, size_t index, char text[INSPECT_PLACE]);
double inspect_value(const inspect_report *r, uint64_t code);
/* The axis of that name, or -1. */
int inspect_find(const inspect_report *r, const char *name);

void inspect_text(output *out, const inspect_report *r);
void inspect_json(output *out, const inspect_report *list, size_t count);
void inspect_free(inspect_report *r);

#endif

/* SPDX-License-Identifier: MIT */
/* identify.h -- softfp8 identify: what its files share
 *
 *     input.c     the bytes of a file, of whatever kind, as a set of observed results
 *     report.c    what was found, as text; json.c: as JSON
 *     rounding.c  a rounding that no mode describes, as text
 *     classes.c   which policies give the same codes, as text and as JSON
 *     identify.c  the subcommand
 */
#ifndef SOFTFP8_IDENTIFY_H
#define SOFTFP8_IDENTIFY_H

#include "files/io.h"
#include "diagnose/policy/identify.h"

/* ---- input ----------------------------------------------------------------------------------- */

typedef enum identify_kind {
    IDENTIFY_RAW,   /* the codes of all inputs, as bytes */
    IDENTIFY_WORDS, /* the same, one a line */
    IDENTIFY_PAIRS, /* lines: input, code, perhaps flags */
    IDENTIFY_STEPS  /* a step table */
} identify_kind;
extern const char *const identify_kinds[];

/* How the set was given. */
typedef struct identify_given {
    const char *file;
    identify_kind kind;
    char policy_name[SF8_NAME_SIZE]; /* named in the head of a step table, else "" */
} identify_given;

/* What kind of input this looks like. */
identify_kind identify_detect(const char *data, size_t size);
/* Reads a whole input into *set, where from, to and their names stand already (for a step table
 * the names may be "": then it brings them). `data` has a 0 behind its end. 0 and *error if it is
 * not well formed. */
int identify_read(const char *data, size_t size, identify_given *given, identify_set *set,
                  input_error *error);
/* The kinds that are lines of text. */
int identify_read_words(const char *data, size_t size, identify_set *set, input_error *error);
int identify_read_pairs(const char *data, size_t size, identify_set *set, input_error *error);

/* ---- reports --------------------------------------------------------------------------------- */

typedef struct identify_report {
    const identify_findings *f;
    const identify_given *given;
    int all; /* every range that differs */
} identify_report;

/* Parts of a page, of an identify_report. */
void identify_print(output *out, const void *report);
void identify_print_json(output *out, const void *report);
/* The diagnosis where every code is one of the two nearest its value, and no mode explains all. */
void identify_print_rounding(output *out, const identify_findings *f);
/* Which policies give the same codes on the inputs of the set (all of them if it has no runs), for
 * one rounding or all. */
void identify_print_classes(const identify_set *set, int all_roundings, int json);

#endif

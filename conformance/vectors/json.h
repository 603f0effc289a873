/* SPDX-License-Identifier: MIT */
/* json.h -- files of JSON vectors: writing one, and checking one
 *
 * vectors/json/README.md describes the form, and vectors/json/schema has it as JSON Schema.
 */
#ifndef SOFTFP8_CONFORM_VECTORS_JSON_H
#define SOFTFP8_CONFORM_VECTORS_JSON_H

#include "base/json_writer.h"
#include "vectors/kinds.h"

/* ---- writing --------------------------------------------------------------------------------- */

typedef struct vectors_writer {
    json_writer j;
    uint64_t count;
    vector_tags used;
    char *text; /* room for the words of a field */
    size_t room;
} vectors_writer;

/* The head of a file. {.j = {.put = ..., .context = ...}} is a new writer. */
void vectors_write_begin(vectors_writer *w, const char *title);
void vectors_write_group(vectors_writer *w, const vector_group *g);
/* A case with its outputs. */
void vectors_write_case(vectors_writer *w, const vector_group *g, const char *id, vector_case *c);
void vectors_write_group_end(vectors_writer *w);
void vectors_write_end(vectors_writer *w);

/* ---- checking -------------------------------------------------------------------------------- */

enum { CASE_ID = 200, CHECK_TEXT = 512 };

/* A check of a file. The first four fields are the caller's. */
typedef struct vectors_check {
    /* Called for each case that is wrong, with what is wrong; another value than 0 stops. */
    int (*differs)(void *context, const char *id, const char *text);
    void *context;
    int any_nan;  /* the result of a function may be any quiet NaN where NaN is right */
    int no_flags; /* flags are not compared, and cases may leave them out */
    uint64_t tests;
    size_t line; /* of a file whose form is wrong: where, and what was expected */
    char expected[CHECK_TEXT];
} vectors_check;

/* Computes every case of a file again. Returns 0 if the form of the file is wrong. */
int vectors_check_text(vectors_check *v, const char *text, size_t size);

#endif

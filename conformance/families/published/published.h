/* SPDX-License-Identifier: MIT */
/* published.h -- results that others published: hardware in published/NAME/..., models in
 * models/NAME/...
 *
 * The files of conformance/records/published are text: lines of printable ASCII, one blank between
 * two words.
 *
 *     softfp8-published 1
 *     hardware NVIDIA GeForce RTX 3060 (sm_86)     or: model ...
 *     name rtx3060
 *     source https://github.com/OWNER/NAME PATH
 *     commit 4d61dd72...                           the commit of the source, 40 digits
 *     licence none stated
 *     measured ...                                 what was measured; as many such lines as needed
 *     case cvt.rn.f16.f32 by=ptx hash=7b7844bb74f9b1bc
 *     list f16 type=f16 words=38 rows=4            a list of inputs, and its rows
 *     ...
 *     end 2                                        how many lists and cases there are
 *
 * An item is a list or a case: its name, its properties, and as many rows as `rows` says. `by`
 * names the kind of a case, and a kind defines its properties and rows.
 */
#ifndef SOFTFP8_CONFORM_PUBLISHED_H
#define SOFTFP8_CONFORM_PUBLISHED_H

#include "suite/family.h"

enum { PUBLISHED_PROPERTIES = 16, PUBLISHED_NAME = 64 };

typedef struct published_file published_file;
typedef struct published_kind published_kind;

typedef struct published_property {
    char *key, *value;
    int used; /* a kind asked for it */
} published_property;

typedef struct published_item {
    const published_file *file;
    char *name;
    int is_case;
    published_property property[PUBLISHED_PROPERTIES];
    size_t properties;
    size_t line; /* in the file, from 1; its rows follow */
    const char *rows;
    size_t size, row_count; /* the bytes of the rows, and how many there are */
    const published_kind *kind;
    void *data; /* what the kind made of it */
} published_item;

struct published_file {
    char path[512];
    char *hardware, *name, *source, *commit; /* of a model: what it is */
    int is_model;
    published_item *item;
    size_t count;
    char why[CONFORM_LONG]; /* "FILE:LINE: ...", or "" if the file is valid */
};

/* A way in which results were published. */
struct published_kind {
    const char *name;
    const char *subject; /* the property that is the subject of the case; NULL: its name */
    int rows;            /* 1: its cases may have rows */
    /* Reads the properties and rows. Returns 0 and "FILE:LINE: ..." if they are not valid. */
    int (*open)(published_item *item, char why[CONFORM_LONG]);
    void (*run)(const published_item *item, conform_result *result);
    void (*close)(void *data); /* frees item->data, also after open returned 0 */
};

/* Reads a text with a closing 0, which is changed and stays in use. What is wrong with it goes to file->why; items
 * before that place are kept. */
void published_read(published_file *file, char *text, size_t size);
/* Adds what is wrong with an item, or with a row of it (from 1), to `why`. Returns 0. */
int published_wrong(const published_item *item, size_t row, char why[CONFORM_LONG],
                    const char *format, ...);
/* The value of a property, or NULL. */
const char *published_get(published_item *item, const char *key);
/* The same where a case must have it: NULL after `why` was written. */
const char *published_need(published_item *item, const char *key, char why[CONFORM_LONG]);
/* A decimal number from 1 to `most`; 0 after `why` was written. */
uint64_t published_number(published_item *item, const char *key, uint64_t most,
                          char why[CONFORM_LONG]);
/* Returns 1 if every property was asked for; else 0 after `why` was written. */
int published_complete(const published_item *item, char why[CONFORM_LONG]);
/* The list of this name in the same file, or NULL. */
published_item *published_list(const published_item *item, const char *name);
/* Reads the words of the rows, hexadecimal of `digits` digits: 0 if they are not as many as
 * `count`. */
int published_words(const published_item *item, size_t digits, uint64_t *words, size_t count,
                    char why[CONFORM_LONG]);

extern const published_kind published_mma, published_ptx, published_call, published_quantize;

#endif

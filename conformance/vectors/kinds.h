/* SPDX-License-Identifier: MIT */
/* kinds.h -- the kinds of operations that JSON vectors have: what a case consists of
 *
 *   tags.c      why a case is worth testing
 *   list.c      the table of kinds
 *   kinds.c     the fields of a group, the words of a case
 *   functions.c convert, unary, binary, fma
 *   blocks.c    quantize, dequantize; block_cases.c chooses their inputs
 *   units.c     mma; unit_cases.c constructs rows
 *   merges.c    merge
 *   attends.c   attend
 *   stores.c    kv-store
 *   write.c     writes a file
 *   check.c     checks a file: every rule of its form, every output and tag
 *   hash_set.c  a set of hashes, of ids and of operands
 *
 * smt.c, smt_text.c and smt_round.c are about another form, definitions in SMT-LIB: see smt.h.
 *
 * A kind is a value. `gen` and `ver` know kinds only through it, and so does the file's form; a new
 * kind is a row of the table, a source file and a schema in vectors/json/schema.
 */
#ifndef SOFTFP8_CONFORM_KINDS_H
#define SOFTFP8_CONFORM_KINDS_H

#include "softfp8_blocks.h"
#include "softfp8_mma.h"
#include "softfp8_vectors.h"
#include "vectors/tags.h"

enum { HEAD_MOST = 4, HEAD_TEXT = 1024, FIELDS_MOST = 6, CASE_NAME = 64, CHOSEN_MOST = 128 };

/* An input or an output of a case. */
typedef struct vector_field {
    const char *key;
    int bits;     /* of a word */
    size_t count; /* of words; 0: as many as the case says */
    int output;
} vector_field;

typedef struct vector_kind vector_kind;

/* What the cases of a group have in common. */
typedef struct vector_group {
    const vector_kind *kind;
    char head[HEAD_MOST][HEAD_TEXT]; /* the kind's members; "" for one that is left out */
    vector_field field[FIELDS_MOST];
    int fields;
    /* the kind's own: */
    sf8_function function;
    sf8_policy policy;
    int exact, stochastic;
    const sf8_recipe_row *row;
    sf8_recipe recipe;
    sf8_format tensor;
    size_t rows;
    int has_recipe;   /* of attend: keys and values are codes of `recipe`, else words of `cache` */
    sf8_format cache;
    uint32_t second; /* the global scale of all cases, a word of f32; 0: each case its own */
    sf8_mma unit;
    uint16_t chosen[CHOSEN_MOST][2]; /* of mma: rows of the pool, and the change that each shows */
    size_t chosen_count;
} vector_group;

typedef struct vector_words {
    uint64_t *word;
    size_t count, room;
} vector_words;

typedef struct vector_case {
    vector_words field[FIELDS_MOST]; /* in the order of the group's */
} vector_case;

/* A member of a group's head: a string, true or false, or a number. */
typedef struct head_member {
    const char *key;
    char type; /* 's', 'b', 'n' */
    int optional;
} head_member;

struct vector_kind {
    const char *name;
    head_member head[HEAD_MOST];
    /* Fills the group in from its head. Returns NULL, or what was expected. */
    const char *(*open)(vector_group *g);
    /* Computes the outputs from the inputs. Returns NULL, or what was expected of the inputs. */
    const char *(*run)(const vector_group *g, vector_case *c);
    /* The tags of a case with right outputs; at least one. */
    vector_tags (*tags)(const vector_group *g, vector_case *c);
    /* The inputs of the i-th case that `gen` writes, and what its id ends with; 0 past the last.
     * NULL: `gen` chooses the inputs itself. */
    int (*nth)(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME]);
    /* Chooses cases; called once before nth. NULL: nth needs no choice. */
    void (*choose)(vector_group *g);
};

/* block_cases.c */
int nth_quantize(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME]);
int nth_dequantize(const vector_group *g, size_t i, vector_case *c, char name[CASE_NAME]);

/* What holds of a block of `count` elements in a row, with the global scale; blocks.c. */
vector_tags tags_of_block(const vector_group *g, const uint64_t *word, size_t count,
                          uint32_t second);

/* Whether a NaN is right, and a quiet one was found; functions.c. */
int word_is_any_nan(const sf8_word *word, uint64_t found, uint64_t right);

/* Where the exact value of a word lies among the numbers of `to`; functions.c. */
int conversion_is_tie(sf8_format to, sf8_format from, uint64_t word);
int conversion_is_inexact(sf8_format to, sf8_format from, uint64_t word);

extern const vector_kind kind_convert, kind_unary, kind_binary, kind_fma, kind_quantize,
    kind_dequantize, kind_mma, kind_merge, kind_attend, kind_kv_store;

/* The i-th kind, or NULL. One by its name, or NULL. */
const vector_kind *kind_at(size_t i);
const vector_kind *kind_named(const char *name);
/* The kind of a function. */
const vector_kind *kind_of_function(const sf8_function *f);

/* Begins a group of a kind whose head is to be filled in. */
void group_begin(vector_group *g, const vector_kind *kind);
/* A member of the head as text. */
void group_set(vector_group *g, const char *key, const char *text);
/* Adds a field. */
void group_field(vector_group *g, const char *key, int bits, size_t count, int output);
/* The index of a field, or -1. */
int group_find(const vector_group *g, const char *key);
/* The words of a field, or NULL if the group has no such field. */
vector_words *case_field(const vector_group *g, vector_case *c, const char *key);

/* Room for `count` words; the count is set, the words are not. */
void words_resize(vector_words *w, size_t count);
int words_equal(const vector_words *a, const vector_words *b);
/* A word of an array of 8, 16 or 32 bits each, as the format has. */
void array_put(sf8_format f, void *array, size_t i, uint64_t word);
uint64_t array_get(sf8_format f, const void *array, size_t i);
/* f32, bf16 or f16, the formats of tensors; returns 0 for another name. */
int tensor_format(const char *name, sf8_format *f);
/* Copies the inputs of a case, so that `run` can compute its outputs. */
void case_copy_inputs(const vector_group *g, vector_case *to, const vector_case *from);
void case_free(vector_case *c);

#endif

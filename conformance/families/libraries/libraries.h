/* SPDX-License-Identifier: MIT */
/* libraries.h -- attention of other libraries, where python3 can import them, within error bounds
 *
 * A case is a row: a function of a library in python/, the formats it supports, and the errors that
 * its output may have. The suite makes requests from seeds, python3 computes them, and each value
 * is judged here. It is compared with the exact result if every order of sums gives the same;
 * otherwise with the true value in double, within the bound of the row (attend_error.h). Rows of
 * NaN and the mean of all errors are judged too. A library that is not installed is skipped.
 */
#ifndef SOFTFP8_CONFORM_ATTEND_LIBS_H
#define SOFTFP8_CONFORM_ATTEND_LIBS_H

#include <stdint.h>

#include "diagnose/attend/error.h"
#include "suite/family.h"
#include "suite/python.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Where the mask begins if there are fewer queries than keys: at the upper left, or so that the
 * last query sees the last key; whether a mask is possible or required. */
typedef enum attend_lib_mask {
    LIBS_NO_MASK,
    LIBS_UPPER_LEFT,
    LIBS_LOWER_RIGHT,
    LIBS_ALWAYS /* as lower right; a single query sees all keys */
} attend_lib_mask;

/* What a NaN key does: queries that see it become NaN; all of its request and head become NaN,
 * since a mask is added to its score; or its code is read as a number, 480 of e4m3, 98304 of
 * e5m2. */
typedef enum attend_lib_nan { LIBS_NAN_SEEN, LIBS_NAN_ADDED, LIBS_NAN_READ } attend_lib_nan;

typedef struct attend_lib {
    const char *name;                 /* name of the case after "attend-libs/" */
    const char *module;               /* that python3 must have; NULL: SOFTFP8_ATTEND names it */
    const char *program, *options[2]; /* file in python/, and its options */
    const char *q, *kv, *out;         /* formats: "bf16", of codes "e4m3" */
    const char *bound;                /* of attend_error_bounds */
    attend_lib_mask mask;
    attend_lib_nan nan;
    int gpu, tensors;        /* 1: it needs a GPU; it uses torch_words.py */
    int few_keys;            /* 1: the scores of all keys must fit into shared memory */
    int one_query, lse_base; /* 1: not more than one; the base of lse: 0 for none, 2, or 1 for e */
    int merges;              /* 1: it joins parts: q and k have their outputs, v their lse */
} attend_lib;

/* ---- requests -------------------------------------------------------------------------------- */

typedef enum attend_lib_kind {
    LIBS_ONE_KEY, /* weights 0 and 1: the value of one key, exactly */
    LIBS_UNIFORM, /* 2^k equal weights: a mean that is exact */
    LIBS_RANDOM,
    LIBS_NEEDLE, /* many keys, one of which matters */
    LIBS_NAN,    /* an element of a key is NaN, for one request and one head */
    LIBS_PARTS   /* two partial results are joined */
} attend_lib_kind;

typedef struct attend_lib_set {
    attend_lib_kind kind;
    size_t batch, queries, keys, heads, kv_heads, dim;
    int causal;
    uint64_t seed;
    int flat; /* 1: scores are small, so that the bound is tight */
} attend_lib_set;

/* The i-th request of a row; returns 0 if there are no more. */
int attend_lib_set_at(const attend_lib *lib, conform_tier tier, size_t i, attend_lib_set *set);
/* "random 8 on 2 heads of 64, 1 query, 129 keys" */
void attend_lib_set_text(const attend_lib_set *set, char *text, size_t size);

/* The values of a request: [batch][token][head][dim], scales included. */
typedef struct attend_lib_values {
    float *q, *k, *v, *right; /* right: for sets that are exact, else NULL */
    size_t q_count, k_count, v_count;
    float scale, q_scale, k_scale, v_scale;
    size_t nan_at; /* index in k of the NaN element, if there is one */
} attend_lib_values;

/* Returns 0 if memory is exhausted; the values must be freed in any case. */
int attend_lib_fill(const attend_lib *lib, const attend_lib_set *set, attend_lib_values *x);
void attend_lib_values_free(attend_lib_values *x);
/* Replaces the values by what a row reads in their encoded form. */
void attend_lib_read(const attend_lib *lib, const attend_lib_set *set, attend_lib_values *x);
/* Encodes values divided by a scale in a format, 1, 2 or 4 bytes each. Returns NULL if memory is
 * exhausted, or if the format does not have one of the values. */
void *attend_lib_words(const char *format, const float *x, size_t count, float scale);
sf8_format attend_lib_format(const char *name);

/* ---- true values ----------------------------------------------------------------------------- */

typedef struct attend_lib_row {
    double out[256], spread[256]; /* of each channel: attend_error.h */
    double *weight;               /* [keys], scratch */
    double lse, most;
    size_t keys, dim;
    int nan;
} attend_lib_row;

enum { LIBS_DIM_MOST = 256 };

void attend_lib_true(const attend_lib *lib, const attend_lib_set *set, const attend_lib_values *x,
                     size_t request, size_t query, size_t head, attend_lib_row *row);

/* ---- verdicts -------------------------------------------------------------------------------- */

/* The state of a row after some of its requests. */
typedef struct attend_lib_tally {
    const attend_lib *lib;
    const attend_error_bound *bound;
    sf8_format out;
    conform_result *result;      /* values seen, wrong ones, the first of these */
    double largest, largest_lse; /* largest error relative to its bound */
    char at[128];                /* the request where it occurred */
    double lean, squares, rows;  /* sum of the mean errors of rows, above 0 where magnitudes are too
                                    large */
    double errors, words;        /* sum of the squares of all errors in these rows */
    size_t lse_rows, lse_other;  /* rows, and rows that only fit the other base */
} attend_lib_tally;

/* Judges a request's output and lse, which may be NULL. */
void attend_lib_judge(attend_lib_tally *t, const attend_lib_set *set, attend_lib_values *x,
                      const void *out, const void *lse);
/* Judges all of them together: too close, leaning to one side, another base; writes the verdict of
 * the row. */
void attend_lib_conclude(attend_lib_tally *t);

/* ---- cases ----------------------------------------------------------------------------------- */

/* The data of a case is its row. */
extern const conform_family libraries_family;
/* Tests with python3 for the modules of all rows, once. A case does it if nobody did before. */
int attend_lib_prepare(const conform_case *c, char why[CONFORM_LONG]);
int attend_lib_uses_gpu(const conform_case *c);
void attend_lib_run(const conform_job *j);

#endif

/* SPDX-License-Identifier: MIT */
/* libraries.h -- attention of other libraries, where python3 can import them, inside bounds
 *
 * A case is a row: a function of a library in python/, the formats it takes, and what
 * its output may be wrong by. The suite makes requests from seeds, python3 answers them, and each
 * word is judged here: against what is exact in anybody's order where there is such a thing, else
 * against the true value in doubles within the bound of the row (attend_error.h), by rows of NaN,
 * and by the mean of all errors. A library that is not there is not run.
 */
#ifndef SOFTFP8_CONFORM_ATTEND_LIBS_H
#define SOFTFP8_CONFORM_ATTEND_LIBS_H

#include <stdint.h>

#include "search/attend/error.h"
#include "suite/family.h"
#include "suite/python.h"

/* ---- rows ------------------------------------------------------------------------------------ */

/* Where the mask begins if there are fewer queries than keys: at the upper left, or so that the
 * last query sees the last key; whether there is one that is, or must be. */
typedef enum attend_lib_mask {
    LIBS_NO_MASK,
    LIBS_UPPER_LEFT,
    LIBS_LOWER_RIGHT,
    LIBS_ALWAYS /* as lower right; a single query sees all keys */
} attend_lib_mask;

/* What becomes of a key that is NaN: queries that see it are; all of the request and head are, for
 * a mask is added to its score; its code is read as that of a number, 480 of e4m3, 98304 of e5m2.
 */
typedef enum attend_lib_nan { LIBS_NAN_SEEN, LIBS_NAN_ADDED, LIBS_NAN_READ } attend_lib_nan;

typedef struct attend_lib {
    const char *name;                 /* of the case, behind "attend-libs/" */
    const char *module;               /* that python3 has to have; NULL: SOFTFP8_ATTEND names it */
    const char *program, *options[2]; /* of python/, and what it is told */
    const char *q, *kv, *out;         /* formats: "bf16", of codes "e4m3" */
    const char *bound;                /* of attend_error_bounds */
    attend_lib_mask mask;
    attend_lib_nan nan;
    int gpu, tensors;        /* it needs a GPU; torch_words.py */
    int few_keys;            /* scores of all keys have to have room in shared memory */
    int one_query, lse_base; /* no more than one; 0 it gives none, 2, or 1 for e */
    int merges;              /* it puts parts together: q and k have their outputs, v their lse */
} attend_lib;

/* ---- requests -------------------------------------------------------------------------------- */

typedef enum attend_lib_kind {
    LIBS_ONE_KEY, /* weights 0 and 1: the value of one key, exactly */
    LIBS_UNIFORM, /* 2^k weights that are the same: a mean that is exact */
    LIBS_RANDOM,
    LIBS_NEEDLE, /* many keys, one of which matters */
    LIBS_NAN,    /* an element of a key is NaN, of one request and one head */
    LIBS_PARTS   /* two partial results are put together */
} attend_lib_kind;

typedef struct attend_lib_set {
    attend_lib_kind kind;
    size_t batch, queries, keys, heads, kv_heads, dim;
    int causal;
    uint64_t seed;
    int flat; /* scores are small, so that the bound is narrow */
} attend_lib_set;

/* The i-th request of a row; 0 if there are no more. */
int attend_lib_set_at(const attend_lib *lib, conform_tier tier, size_t i, attend_lib_set *set);
/* "random 8 on 2 heads of 64, 1 query, 129 keys" */
void attend_lib_set_text(const attend_lib_set *set, char *text, size_t size);

/* What is in the words: [batch][token][head][dim], scales in them. */
typedef struct attend_lib_values {
    float *q, *k, *v, *right; /* right: of sets that are exact, else NULL */
    size_t q_count, k_count, v_count;
    float scale, q_scale, k_scale, v_scale;
    size_t nan_at; /* of k, where there is one: its word is NaN, and NAN its value */
} attend_lib_values;

/* 0 for want of memory; to be freed in any case. */
int attend_lib_fill(const attend_lib *lib, const attend_lib_set *set, attend_lib_values *x);
void attend_lib_values_free(attend_lib_values *x);
/* Has the values be what a row reads in their words. */
void attend_lib_read(const attend_lib *lib, const attend_lib_set *set, attend_lib_values *x);
/* The words of some values over a scale in a format, 1, 2 or 4 bytes each; NULL for want of memory,
 * or where the format does not have one of the values. */
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

/* What has been seen of a row's requests so far. */
typedef struct attend_lib_tally {
    const attend_lib *lib;
    const attend_error_bound *bound;
    sf8_format out;
    conform_result *result;      /* words that came, those that are wrong, the first of them */
    double largest, largest_lse; /* error over its bound */
    char at[128];                /* the request that it is of */
    double lean, squares, rows;  /* mean errors of rows, above 0 where too large in magnitude */
    double errors, words;        /* the squares of those of all words in these rows */
    size_t lse_rows, lse_other;  /* rows, and those that fit the other base alone */
} attend_lib_tally;

/* A request's output and lse, or NULL. */
void attend_lib_judge(attend_lib_tally *t, const attend_lib_set *set, attend_lib_values *x,
                      const void *out, const void *lse);
/* After all of them: too near, too far to one side, another base; what is said of the row. */
void attend_lib_conclude(attend_lib_tally *t);

/* ---- cases ----------------------------------------------------------------------------------- */

/* The data of a case is its row. */
extern const conform_family libraries_family;
/* Asks python3 for the modules of all rows, once. A case does it where nobody has. */
int attend_lib_prepare(const conform_case *c, char why[CONFORM_LONG]);
int attend_lib_uses_gpu(const conform_case *c);
void attend_lib_run(const conform_job *j);

#endif

/* SPDX-License-Identifier: MIT */
/* attend.h -- what softfp8 attend consists of: a request read from files, its true value, verdicts
 */
#ifndef SOFTFP8_ATTEND_CLI_H
#define SOFTFP8_ATTEND_CLI_H

#include "recipes/recipes.h"
#include "softfp8_attend.h"
#include "softfp8_kv_store.h"
#include "files/tensor_file.h"

/* ---- a request ------------------------------------------------------------------------------- */

typedef struct attend_options {
    const char *q, *k, *v, *from, *recipe, *sinks;
    tensor_shape q_shape, k_shape; /* of raw words; v as k */
    size_t heads, kv_heads;        /* 0: what the file says */
    const char *k_scale, *v_scale, *scale, *cap;
    sf8_attend_sums sums;
    int64_t left, first; /* first -1: the last positions of the keys */
    int causal, base2;
} attend_options;

/* Keys or values: the tensor, the image that it was stored in, and what is read back, as floats. */
typedef struct attend_side {
    tensor t;
    size_t dim;
    sf8_recipe recipe;
    uint8_t *data, *scales;
    uint32_t scale; /* of the reader */
    float *values;  /* [keys][kv heads][dim], scales in them */
} attend_side;

typedef struct attend_request {
    tensor q, sinks;
    attend_side k, v;
    size_t queries, heads, kv_heads, keys;
    int64_t *blocks;
    float *queries_f32;
    sf8_attend a; /* out and lse are not set */
} attend_request;

/* Fails on what is not a request. */
void attend_read(attend_request *r, const attend_options *o);
void attend_free(attend_request *r);
/* Runs it: `out` [queries][heads][dim of v] and `lse` [queries][heads], words of f32. */
void attend_run(attend_request *r, sf8_attend_sums sums, uint32_t *out, uint32_t *lse);
/* The same from `n` parts of about as many chunks. */
void attend_run_parts(attend_request *r, size_t n, uint32_t *out, uint32_t *lse);

/* ---- other orders ----------------------------------------------------------------------------
 */

/* The orders of other stacks, to standard output. One by name, or fails. */
void attend_orders_list(void);
const sf8_attend_order *attend_order_of_name(const char *name);
/* The cut that an order takes, of --splits (0: not given) and --prefix; fails on what is none. */
size_t attend_order_cut(const sf8_attend_order *o, size_t splits, size_t prefix, int has_prefix);
/* As attend_run, in that order. */
void attend_run_order(attend_request *r, const sf8_attend_order *o, size_t cut, uint32_t *out,
                      uint32_t *lse);
/* Whether an output is that of an order, which is said. Without --splits up to 4 are tried; orders
 * with a prefix are if it is given. */
int attend_judge_orders(attend_request *r, const tensor *out, size_t splits, size_t prefix,
                        int has_prefix);

/* ---- its true value --------------------------------------------------------------------------
 *
 * In doubles, from what is read back of the cache: the errors of that are far below those of f32.
 */

/* What a kernel may have done instead: 0 and 1 are nothing. */
typedef struct attend_change {
    const char *name;
    double scores, values; /* factors of scores, of the output */
    int64_t causal;        /* keys more behind a query's own, or fewer */
    size_t multiple;       /* keys behind the last whole multiple are dropped */
    int no_mask, no_window, no_cap, no_sinks, interleaved;
} attend_change;

typedef struct attend_row {
    double *out;    /* [dim of v] */
    double lse;     /* base e; -infinity if no key takes part */
    double *weight; /* [keys], of the key; their sum and that of the sink is 1 */
    double most;    /* the largest sum of the magnitudes of a score's terms */
    double *spread; /* [dim of v], the sum of weight times |value| */
    size_t taking;  /* keys */
} attend_row;

attend_row attend_row_new(const attend_request *r);
void attend_row_free(attend_row *row);
void attend_true(const attend_request *r, const attend_change *change, size_t query, size_t head,
                 attend_row *row);

/* ---- verdicts -------------------------------------------------------------------------------- */

/* The bounds, each with a word, closed with NULL; the first that an output lies in is told. */
extern const char *const attend_bounds[];

/* What is noted beside the verdict. */
typedef struct attend_notes {
    int good, same, has_lse, lse; /* same: the bits of a definition or an order */
    const char *bound;            /* that it lies in, or NULL */
    double of_bound;              /* the largest error, of that or the widest that was asked */
    size_t words, rounded;        /* that are the true value, rounded to nearest */
    double sum, squares, n;       /* of errors over spreads */
} attend_notes;

void attend_notes_add(attend_notes *n, double got, double right, double spread, sf8_format f);
void attend_notes_say(const attend_notes *n);
void attend_notes_json(const attend_notes *n, output *out);

/* What is judged: an output, of a format; its lse, or NULL; into how many parts it may have been
 * split, 0: that is not known; if `has_by`, by which of the bounds alone. */
typedef struct attend_judged {
    const char *out, *lse, *from;
    size_t splits, prefix;
    int has_prefix, has_by;
    size_t by;
    attend_notes notes; /* all 0 */
} attend_judged;

/* Says what a kernel's output is. 1 if it is one of the definitions or orders, or inside a bound,
 * and its lse, if there is one, has the base of the request in all rows. */
int attend_judge(attend_request *r, attend_judged *what);

#endif

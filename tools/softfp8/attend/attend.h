/* SPDX-License-Identifier: MIT */
/* attend.h -- what softfp8 attend consists of: a request read from files, verdicts in words
 */
#ifndef SOFTFP8_ATTEND_CLI_H
#define SOFTFP8_ATTEND_CLI_H

#include "base/json_writer.h"
#include "recipes/recipes.h"
#include "diagnose/attend/attend.h"
#include "softfp8_kv_store.h"
#include "files/tensor_file.h"

/* ---- a request ------------------------------------------------------------------------------- */

typedef struct attend_options {
    const char *q, *k, *v, *from, *recipe, *sinks;
    const char *k_recipe, *v_recipe; /* or a format; NULL: recipe */
    tensor_shape q_shape, k_shape;   /* of raw words; v as k */
    size_t heads, kv_heads;          /* 0: what the file says */
    const char *q_scale, *k_scale, *v_scale, *scale, *cap;
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
    float *given;   /* the same before they were stored */
} attend_side;

typedef struct attend_request {
    tensor q, sinks;
    attend_side k, v;
    size_t queries, heads, kv_heads, keys;
    int64_t *blocks;
    uint32_t *q_scales; /* of queries that were cast to 8 bits; else NULL */
    float *queries_f32; /* scales in them */
    float *q_given;     /* before they were cast to 8 bits; else NULL */
    sf8_attend a;       /* out and lse are not set */
} attend_request;

/* Casts queries to e4m3 with the scales that `text` gives (--q-scale): they become codes, and the
 * request gets the scales. */
void attend_cast_queries(attend_request *r, const char *text);
/* The number in a text of an option, as f32; or fails. */
uint32_t attend_number(const char *option, const char *text);

/* Fails on what is not a request. */
void attend_read(attend_request *r, const attend_options *o);
void attend_free(attend_request *r);
/* Runs it: `out` [queries][heads][dim of v] and `lse` [queries][heads], words of f32. */
void attend_run(attend_request *r, sf8_attend_sums sums, uint32_t *out, uint32_t *lse);
/* The same from `n` parts of about as many chunks. */
void attend_run_parts(attend_request *r, size_t n, uint32_t *out, uint32_t *lse);

/* ---- other orders ----------------------------------------------------------------------------
 */

/* The orders of other stacks, to standard output: one by its name with all its fields, or all if
 * that is NULL. One by a text as sf8_attend_order_read has it, or fails. */
void attend_orders_list(const char *name);
sf8_attend_order attend_order_of_text(const char *text);
/* The cut that an order takes, of --splits (0: not given) and --prefix-keys; fails on what is none.
 */
size_t attend_order_cut(const sf8_attend_order *o, size_t splits, size_t prefix, int has_prefix);
/* Fails with the reason if an order cannot compute the request. */
void attend_need_order(const attend_request *r, const sf8_attend_order *o, size_t cut);
/* As attend_run, in that order. */
void attend_run_order(attend_request *r, const sf8_attend_order *o, size_t cut, uint32_t *out,
                      uint32_t *lse);

/* ---- results --------------------------------------------------------------------------------- */

/* What is written: files for the output and the logarithms, or NULL; the format, NULL: f32; the
 * order and its cut, or NULL and the number of parts, 0: one. */
typedef struct attend_results {
    const char *out, *lse, *to;
    const sf8_attend_order *order;
    size_t cut, splits;
} attend_results;

void attend_write_results(attend_request *r, const attend_results *o);

/* ---- verdicts -------------------------------------------------------------------------------- */

/* The names of the bounds, closed with NULL; the first that holds for an output is reported. */
extern const char *const attend_bounds[];

/* What is judged: an output, of a format; its lse, or NULL. */
typedef struct attend_judged {
    const char *out, *lse, *from;
    const char *by;         /* of attend_bounds, or NULL */
    attend_question asked;  /* its bound follows from that */
    int has_recipe;         /* the cache is read as a recipe stored it */
    attend_verdict verdict; /* all 0 */
    size_t queries, heads;  /* as attend_find_verdict found them, and the words of the report */
    char *words;
} attend_judged;

/* Finds out what a kernel's output is. Whether it is good, as attend_judge has it. With `errors`
 * those of all rows are kept, for a page. */
int attend_find_verdict(attend_request *r, attend_judged *what, int errors);
/* A number of each row as JSON, of a few queries together: for each head the largest of them. */
void attend_put_field(json_writer *j, const char *key, const char *name, const float *rows,
                      size_t queries, size_t heads);
/* Writes it, a page_part of an attend_judged. */
void attend_verdict_json(output *out, const void *judged);

/* ---- two outputs ----------------------------------------------------------------------------- */

/* Two outputs of one request; the format of their values, where the files do not contain it; where
 * the verdict goes as JSON, or NULL; the heads, where the files do not contain them; without the
 * request the number of keys, or 0. */
typedef struct same_choice {
    int same;
    const char *a, *b, *from, *json, *html;
    size_t heads, keys, splits;
} same_choice;

/* The options for `same` and `keys`. */
extern const cli_option same_options[];
/* Fails on options that do not go with --same. */
void same_check(void);

/* Says where they differ; `r` is their request, or NULL. Whether they are equal. */
int attend_say_same(const same_choice *c, attend_request *r);

#endif

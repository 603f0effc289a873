/* SPDX-License-Identifier: MIT */
/* same.h -- two outputs of one request: where they differ, in which pattern, in which orders they
 * were computed
 *
 * What a pattern says holds for every difference. It is named only if differences at random places
 * would follow it with a probability below 1e-5.
 */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_SAME_H
#define SOFTFP8_DIAGNOSE_ATTEND_SAME_H

#include "diagnose/attend/attend.h"
#include "diagnose/attend/text.h"

/* ---- differences ----------------------------------------------------------------------------- */

/* A is [0], B is [1]; both [queries][heads][channels]. */
typedef struct same_outputs {
    size_t queries, heads, channels;
    attend_output of[2];
} same_outputs;

enum { SAME_QUERIES, SAME_HEADS, SAME_CHANNELS, SAME_AXES };
enum { SAME_LISTED = 4 }; /* units that are listed one by one */

/* The differences along one axis: its units, and those in which something differs. */
typedef struct same_axis {
    size_t count, differ;
    uint8_t *unit; /* [count]: 1 if it differs */
    /* The logarithm of the probability that differences at random places stay within these units,
     * if those are given: a product over the lines across the axis. */
    double confined;
} same_axis;

typedef struct same_differences {
    size_t rows, values;        /* that differ */
    uint8_t *row;               /* [queries * heads]: 1 if it differs */
    size_t first, first_values; /* the first row that differs, and its values that do */
    same_axis axis[SAME_AXES];
    size_t nans;          /* values that are NaN in both */
    size_t not_finite[2]; /* of the values that differ */
    size_t finite;        /* of the values that differ, those finite in both */
    size_t apart[33];     /* of these, by the number of bits of their distance in ulps */
    uint64_t ulps;        /* the most */
    double relative;      /* the most, of the larger one; at this value: */
    size_t largest;
    double of_row; /* the most, of the largest value of its row */
} same_differences;

/* All NaNs count as equal. */
void same_compare(search_context *context, const same_outputs *o, same_differences *d);
void same_free(search_context *context, same_differences *d);

/* ---- patterns -------------------------------------------------------------------------------- */

/* A set of units of an axis, and the words for it. */
typedef enum same_shape {
    SAME_NONE,   /* no pattern, or all units */
    SAME_FROM,   /* from `first` on */
    SAME_UP_TO,  /* up to `last` */
    SAME_RANGE,  /* from `first` to `last` */
    SAME_PERIOD, /* those whose number modulo `period` is from `first` to `last` */
    SAME_SOME    /* those that differ */
} same_shape;

typedef struct same_pattern {
    same_shape shape;
    size_t first, last, period;
} same_pattern;

same_pattern same_pattern_of(const same_differences *d, int axis);

/* ---- orders ---------------------------------------------------------------------------------- */

/* One way to compute the request: an order, or if `sums` is not -1 a definition. */
typedef struct same_order {
    sf8_attend_order order;
    int sums;
    size_t cut;
    int changes;       /* fields that a known order has otherwise */
    int is_alone;      /* each query by itself, with the tile of decode */
    signed char is[2]; /* whether all of A, or of B, has its bits; -1: not known */
} same_order;

enum { SAME_PAIRS = 4 };

/* The orders of both outputs. Without a pair, what one of them is alone. */
typedef struct same_orders {
    same_order pair[SAME_PAIRS][2];
    size_t pairs, more; /* that are listed, and further ones of the same rank */
    int has[2];         /* of pair[0] */
    size_t queries;     /* that were computed */
    size_t keys;        /* of the request */
    int is_cut_short;
} same_orders;

void same_find_orders(const attend_problem *r, const same_outputs *o, const same_differences *d,
                      size_t splits, same_orders *found);
/* The words of one of a pair; it names the fields that the other one has otherwise, if these are
 * few. `keys` are those of the request. */
void same_order_text(const same_order *o, const same_order *other, size_t keys, char *text,
                     size_t size);

/* ---- words ----------------------------------------------------------------------------------- */

/* What is known of the keys: query i has the position first + i, and sees the keys from left
 * before it to right behind it; a negative one is no limit. */
typedef struct same_known {
    int has_keys;
    int64_t left, right, first, keys;
} same_known;

/* How many keys a query sees. */
size_t same_keys_of(const same_known *k, size_t query);

/* The lines of the verdict, and the words of one pattern. `list` has those of all patterns. */
void same_put_pattern(attend_text *w, const same_outputs *o, const same_differences *d,
                      const same_known *k, int axis, const same_pattern *p);
void same_put_verdict(attend_text *w, const same_outputs *o, const same_differences *d,
                      const same_known *k, const same_pattern *of_queries, const char *const *list,
                      size_t count);
void same_put_first(attend_text *w, const same_outputs *o, const same_differences *d,
                    const same_known *k, int is_said);
void same_put_counts(attend_text *w, const same_outputs *o, const same_differences *d);
void same_put_sizes(attend_text *w, const same_outputs *o, const same_differences *d);
void same_put_nans(attend_text *w, const same_differences *d);
void same_put_orders(attend_text *w, const same_outputs *o, const same_orders *f);
/* "s" unless it is one. */
const char *same_s(size_t n);

#endif

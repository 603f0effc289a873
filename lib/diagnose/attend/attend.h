/* SPDX-License-Identifier: MIT */
/* attend.h -- another kernel's attention: what it is, or how far it is off, and by which mistake
 *
 * First the bits: those of a definition, or of another stack's order, rounded to the output's
 * format. Else the distance from the true value in doubles, compared with bounds for the ways that
 * kernels sum (error.h). Then the change of the request that explains the errors
 * (explain.c), or none.
 */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_H
#define SOFTFP8_DIAGNOSE_ATTEND_H

#include "diagnose/attend/error.h"
#include "diagnose/search.h"
#include "softfp8_attend.h"

/* ---- a request ------------------------------------------------------------------------------- */

/* Keys or values as they are read back of the cache. */
typedef struct attend_kept {
    size_t dim;
    uint32_t scale;      /* of the reader */
    const float *values; /* [keys][kv heads][dim], scales in them */
    const float *given;  /* the same before they were stored; or NULL */
} attend_kept;

/* Heads of the same as they would be, stored in other ways; stores.h. */
typedef struct attend_kept_otherwise attend_kept_otherwise;

typedef struct attend_problem {
    size_t queries, heads, kv_heads, keys;
    attend_kept k, v;
    const float *q; /* [queries][heads][dim of k], scales in them */
    sf8_attend a;   /* out and lse are not set */
    search_context *context;
    const float *q_given;             /* the same before they were cast to codes; or NULL */
    int has_recipe;                   /* a cache is read as a recipe stored it */
    attend_kept_otherwise *otherwise; /* [2]: of keys, of values */
    double *own_sinks;                /* [heads], that explain an output */
} attend_problem;

/* The scale that the queries include of this key/value head's group; 1 without. */
static inline double attend_q_scale(const attend_problem *r, size_t kv)
{
    return r->a.q_scale ? (double)sf8_f32_from_bits(r->a.q_scale[r->a.q_scales > 1 ? kv : 0]) : 1;
}

/* Runs it: `out` [queries][heads][dim of v] and `lse` [queries][heads], words of f32, or NULL.
 * NULL, or why it cannot be run. */
const char *attend_compute(const sf8_attend *given, sf8_attend_sums sums, uint32_t *out,
                           uint32_t *lse);
/* The same in another stack's order. */
const char *attend_compute_order(const sf8_attend *given, const sf8_attend_order *o, size_t cut,
                                 uint32_t *out, uint32_t *lse);

/* One row of it: a query, and the first head. */
sf8_attend attend_one_row(const attend_problem *r, size_t query);
/* The order with the tile that it takes for the whole request, also for one row of it. */
sf8_attend_order attend_order_of_request(const attend_problem *r, const sf8_attend_order *o);
/* The order with the i-th change of one field that kernels may have; 0 past the last. */
int attend_order_changed(const sf8_attend_order *o, size_t i, sf8_attend_order *own);

/* What was asked of a public function; or SF8_BAD_CALL. */
sf8_status attend_problem_of(search_context *context, const sf8_attend *a, attend_problem *p);

/* ---- what a kernel may have done instead ------------------------------------------------------
 */

/* Formats that something may have been rounded to; it saturates. */
enum { ATTEND_AS_IT_IS, ATTEND_E4M3, ATTEND_E5M2, ATTEND_BF16, ATTEND_F16, ATTEND_E4M3FNUZ };
/* Which key/value head a query head uses: that of its group; all heads in turn; the first; the one
 * behind it, or before it; the other of two neighbours; two heads are exchanged; one is read as
 * another. */
enum {
    ATTEND_GROUPED,
    ATTEND_IN_TURN,
    ATTEND_FIRST_HEAD,
    ATTEND_NEXT_HEAD,
    ATTEND_LAST_HEAD,
    ATTEND_NEIGHBOUR_HEAD,
    ATTEND_HEADS_EXCHANGED,
    ATTEND_HEAD_REPLACED
};
typedef struct attend_head_map {
    int32_t kind, first, second;
} attend_head_map;
/* Which elements of a head are used: all; one half; both halves, exchanged; those in pairs that lie
 * in halves, or the reverse, as two ways to rotate have them; as many as values have, or the rest.
 */
enum {
    ATTEND_WHOLE_HEAD,
    ATTEND_FIRST_HALF,
    ATTEND_SECOND_HALF,
    ATTEND_HALVES_EXCHANGED,
    ATTEND_PAIRS_AS_HALVES,
    ATTEND_HALVES_AS_PAIRS,
    ATTEND_WITHOUT_REST,
    ATTEND_REST_ALONE
};
/* Whose output a row has. */
enum { ATTEND_OWN_ROW, ATTEND_ROW_OF_NEXT_HEAD, ATTEND_ROW_OF_NEXT_QUERY, ATTEND_TRANSPOSED };
/* What happened to two pages: the first is read as the second; they are exchanged, of the values
 * alone or of the keys alone, which is the same where no mask cuts them. */
enum {
    ATTEND_PAGES_RIGHT,
    ATTEND_PAGE_REPEATED,
    ATTEND_V_PAGES_EXCHANGED,
    ATTEND_K_PAGES_EXCHANGED
};

/* What the products of queries and keys depend on. A clip of 0 is none. Queries are cast with the
 * scale 1, as orders of codes cast those that are no codes yet. */
typedef struct attend_reads {
    attend_head_map heads;
    int32_t dims, values_as_keys, cast_q, cast_k;
    int32_t q_given;                /* as they were before they were cast */
    int32_t stored_k;               /* in another way (stores.h); 0: as they are */
    int32_t unused;                 /* compared as memory, so nothing is left out */
    double clip_q, clip_k, scale_k; /* keys are cast with this scale; 0: 1 */
} attend_reads;

/* How weights are rounded before they are multiplied by values. */
typedef struct attend_weights {
    int format;
    size_t tile; /* keys that have the maximum up to them; 0: all */
    int descends, is_normalised;
    double factor; /* by which they are multiplied before */
    double lag;    /* a maximum that is larger by less, to base 2, is not taken over */
    int sum_rounded;
    size_t parts, part; /* that have maxima of their own: how many; keys of one; 0: one */
    int has_prefix;     /* the second part has all other keys */
} attend_weights;

/* All 0 is nothing: a factor of 0 is 1. */
typedef struct attend_change {
    double scores, values;  /* factors of scores, of the output */
    int q_scores, q_values; /* and powers of the scale of queries in them */
    int no_scores;
    int no_mask, mask_first; /* none; as if the first query were at the first key */
    int64_t causal, window;  /* keys more behind a query's own, and before it */
    int mask_added;          /* 1: a causal mask; 2: one from the first key on */
    int64_t own_window; /* one more than its keys before a query's own; 0: that of the request */
    double own_cap;     /* 0: that of the request */
    int no_window, no_cap, no_sinks;
    int sinks_added; /* 1: of this score; 2: of those that were found for each head */
    double sink;
    size_t zero_from, zero_to; /* keys that are read as zeros: */
    int zero_k, zero_v;        /* as keys, as values */
    size_t multiple;           /* keys behind the last whole multiple are dropped */
    size_t from, to;           /* keys that are dropped; to 0: none */
    int pages;                 /* what happened to these, of `page` keys */
    size_t page, first, second;
    attend_reads reads;
    int keys_as_values;
    attend_head_map v_heads;
    int v_dims;
    int32_t cast_v, stored_v;
    double clip_v, scale_v;
    attend_weights weights;
    int rows, not_divided, cast_out;
    double clip_out, scale_out; /* a cast has a scale; 0: 1 */
    int raw_out;                /* which is not applied to what was cast */
} attend_change;

/* ---- verdicts -------------------------------------------------------------------------------- */

/* An output that is judged, in the order of `out` and `lse` above. */
typedef struct attend_output {
    sf8_format format;
    const void *words;   /* uint32_t or uint16_t */
    const uint32_t *lse; /* or NULL */
} attend_output;

/* Into how many parts it may have been split, 0: that is not known; orders with a prefix are tried
 * if there is one; which bound it must lie in: `by`, or with `wider` that or one before it, or with
 * `by_order` that of the order. */
typedef struct attend_question {
    const sf8_attend_order *order; /* in which it should be; NULL: in any known one */
    size_t splits, prefix, by;
    int has_prefix, wider, by_order;
    float *errors; /* room for the error of each row over that bound; NULL: not wanted */
} attend_question;

enum {
    ATTEND_WORST = 4,    /* rows that are named */
    ATTEND_TIED = 4,     /* changes that are named */
    ATTEND_ORDERS = 64,  /* at least as many as there are */
    ATTEND_OWN = 4,      /* with a changed field that are named */
    ATTEND_TOGETHER = 2, /* changes that may come together */
    ATTEND_TEXT = 192,
    ATTEND_PAGE = 16, /* keys of the least that may be exchanged */
    ATTEND_BASES = 3  /* of the log of the sums: e, 2, and 2 taken to e twice */
};

/* A row by the bound that was asked. */
typedef struct attend_worst {
    size_t row;
    double error; /* over that bound */
    size_t nans;  /* channels that no key makes NaN */
    size_t place; /* the channel that is farthest off */
    double got, right;
    int is_missing; /* as if `key`, of that weight, were not there */
    size_t key;
    double weight;
} attend_worst;

/* What is noted beside the verdict. */
typedef struct attend_notes {
    int good, same, has_lse, lse; /* same: the bits of a definition or an order */
    const char *bound;            /* that it lies in, or NULL */
    double of_bound;              /* the largest error, of that or the one that was asked */
    size_t words, rounded;        /* that are the true value, rounded to nearest */
    double sum, squares, n;       /* of errors over spreads */
} attend_notes;

typedef struct attend_verdict {
    size_t words;
    /* the definitions, by their sums: whether there is one of such a request; words that are the
     * same, and that were compared: of a large request those of one row come first */
    int tried[SF8_ATTEND_SUMS_COUNT];
    size_t same[SF8_ATTEND_SUMS_COUNT], compared[SF8_ATTEND_SUMS_COUNT];
    /* of a definition that gives most words, but not all: the query with most of the others, and
     * one more; 0: there is none */
    size_t odd_query;
    /* the orders that it is, and their cuts; else the nearest, by the words of one row */
    const sf8_attend_order *order[ATTEND_ORDERS], *nearest;
    size_t cut[ATTEND_ORDERS], orders, nearest_same;
    /* whether these are not what was asked: other orders, or known ones with one field changed,
     * which lie in `own`; and whether that is a note about an output inside the bound of the order
     * that was asked */
    int is_changed, is_noted;
    const char *loss; /* the mistake that all of these make that are in `own`, or NULL */
    sf8_attend_order own[ATTEND_OWN];
    /* the first bound that it lies in, ATTEND_ERROR_BOUNDS for none; the largest error over each */
    size_t inside;
    /* whether all errors together are as large as that bound's kernels have them, not larger */
    int is_usual;
    /* keys of the request that are zeros, as values too: the longest run of them, if it is long */
    size_t zero_from, zero_to;
    double worst[ATTEND_ERROR_BOUNDS], of_order; /* and over that of the order, if there is one */
    /* rows whose log of the sums fits each base; the base that all have in place of the one that is
     * due, or -1 */
    size_t fits[ATTEND_BASES];
    int due, other_base;
    /* what the logarithms of all rows are off by in this base; 0: that differs, or is nothing */
    double lse_offset;
    int offset_base;
    /* whether changes were tried; the names of those that explain the output, which these values do
     * not tell apart. Without a known one, `factor` and `scores_factor` are those of the output and
     * of the scores that explain it, and the name is "" */
    int has_changes;
    char change[ATTEND_TIED][ATTEND_TEXT];
    size_t changes;
    const char *mistake[ATTEND_TIED][ATTEND_TOGETHER]; /* short names, or NULL */
    double factor, scores_factor;
    /* with the first of them: what is left of the worst rows' error; the first bound that all rows
     * lie in, ATTEND_ERROR_BOUNDS for none, and how much of it the largest error is */
    double left;
    size_t corrected;
    double of_corrected;
    attend_worst row[ATTEND_WORST];
    size_t rows;
    attend_notes notes;
} attend_verdict;

/* Whether what explains the output is a factor of the output, and nothing else. */
static inline int attend_is_factor(const attend_verdict *v)
{
    return v->changes && !v->change[0][0] && v->scores_factor == 1;
}

/* The factor whose logarithm that is, if it is a power of two, or 448; else 0. */
double attend_factor_of(double offset, int base);
/* Completes a question, which has the order or NULL, by the bound of a word; NULL: that of the
 * order, or that of the output's format, or a narrower one. 0 if there is no such bound. */
int attend_ask(attend_question *asked, const attend_problem *r, sf8_format out, const char *bound);
/* NULL, or why it cannot be judged. It is good (notes.good) if it is one of the definitions or
 * orders, or inside a bound that was asked and no change explains it; and its lse, if there is one,
 * has the base of the request in all rows. */
const char *attend_judge(const attend_problem *r, const attend_output *given,
                         const attend_question *asked, attend_verdict *v);
/* Whether an order has a bound of its own: its operations are among those that claim.c knows. */
int attend_can_claim(const sf8_attend_order *o);
/* The definitions alone. NULL, or why they cannot be computed. */
const char *attend_judge_definitions(const attend_problem *r, const attend_output *given,
                                     attend_verdict *v);
/* The orders alone: fills in what is said of them; 1 if it is one of them. */
int attend_judge_orders(const attend_problem *r, const attend_output *given,
                        const attend_question *asked, attend_verdict *v);

void attend_notes_add(attend_notes *n, double got, double right, double spread, sf8_format f);
/* Whether the errors lean to one side: their mean, and by how many standard errors. */
int attend_notes_lean(const attend_notes *n, double *mean, double *errors);
/* Whether it lies so far inside a bound that this shows nothing. */
int attend_notes_too_near(const attend_notes *n);

#endif

/* SPDX-License-Identifier: MIT */
/* doctor_measure.h -- what becomes of a tensor in a cache: ways to store it, what is counted, the
 * advice
 *
 * A tensor is [tokens][heads][size]; the channels of a token are its heads' elements in that order.
 * Counts are of integers on codes, sums that decide are exact; what is in doubles says its order.
 */
#ifndef SOFTFP8_KV_DOCTOR_MEASURE_H
#define SOFTFP8_KV_DOCTOR_MEASURE_H

#include "base/memory.h"
#include "kv/exact_sum.h"
#include "softfp8_blocks.h"
#include "softfp8_f32.h"

/* ---- thresholds ------------------------------------------------------------------------------ */

enum {
    DOCTOR_OUTLIER = 8,   /* an outlier channel: amax above 8 times the median amax */
    DOCTOR_FLUSHED = 100, /* advice: at most one value in 100 may become zero */
    DOCTOR_WORST = 5,     /* channels and tokens that are named */
    DOCTOR_GROUP = 32,    /* tokens with one scale a channel; a piece is a multiple of it */
    DOCTOR_CHANNELS = 1 << 16,
};
/* 1 dB as a ratio of squares: 10^(1/10). */
#define DOCTOR_DECIBEL 1.2589254117941673

/* ---- a tensor -------------------------------------------------------------------------------- */

typedef struct kv_shape {
    size_t tokens, heads, size, channels; /* heads times size */
} kv_shape;

/* A place is the number of a value in the tensor; there is none. */
#define KV_NOWHERE SIZE_MAX

typedef struct kv_channel {
    uint32_t amax;  /* of the finite values */
    uint64_t wrong; /* NaN or infinite, or read back so */
    uint64_t clipped, flushed;
    double squares, energy; /* of the errors, of the values: in double, in the order of tokens */
} kv_channel;

/* The tensor itself, whatever it is stored as. */
typedef struct kv_values {
    uint64_t count, nan, infinite, zero;
    uint32_t amax;          /* infinity counts, NaN does not; NaN if there is nothing else */
    size_t amax_at, bad_at; /* bad: the first NaN or infinity */
    uint32_t *head_amax;
    kv_channel *channel;
} kv_values;

/* ---- ways to store it ------------------------------------------------------------------------ */

/* What has one scale, or one row of blocks. */
enum { KV_TENSOR, KV_HEADS, KV_TOKEN, KV_TOKEN_HEAD, KV_CHANNEL, KV_NONE };

/* Where the scale, or the global scale g, comes from: the recipe, from each row; the caller; amax
 * of the tensor; the recipe, from amax of the tensor; amax, for g; the caller, for g, who has to
 * say. */
enum { KV_ITSELF, KV_GIVEN, KV_BY_AMAX, KV_OF_TENSOR, KV_G_AUTO, KV_G_ASKED };

typedef struct kv_way {
    char name[64];
    const sf8_recipe_row *row; /* of a recipe with a name, or NULL */
    sf8_recipe recipe;
    int unit, scale;
    float divisor;   /* KV_BY_AMAX: the scale is amax by this */
    int nan_reaches; /* a NaN is the largest magnitude there */
    uint32_t g;      /* the word of the scale */
    uint32_t *head_g;
    int is_offset;    /* the values of codes are not multiples of a scale */
    double half[256]; /* half a step at an end of the codes over its value; 0: no end */
} kv_way;

/* Adds those of the format that was asked for, if it is not NULL, and the ways of the table, with
 * `all` also every other recipe that there is, those whose scale is given by amax of the tensor.
 * Those that need this amax first are left out in one pass. */
void kv_ways(kv_way *ways, size_t *count, const char *format, int one_pass, int all);
enum { KV_WAYS_MOST = 256 };
/* A store by a scale that is given: x / scale by IEEE division, cast to `format` by `policy`. 0 if
 * there is no such store. */
int kv_way_store(kv_way *way, const char *format, const char *policy);
/* A recipe of the table. */
void kv_way_recipe(kv_way *way, const sf8_recipe_row *row);
/* True if it needs the tensor's amax before its first element. */
int kv_way_needs_amax(const kv_way *way);
/* Once the tensor was seen: scales by amax. 0 if the recipe has more for a tensor than one scale of
 * f32. */
int kv_way_settle(kv_way *way, const kv_values *values, const kv_shape *shape);
void kv_way_free(kv_way *way);

/* ---- what became of the values --------------------------------------------------------------- */

typedef struct kv_tally {
    uint64_t count, compared; /* compared: a number that is read back as one */
    uint64_t made_wrong;      /* a number that is read back as NaN or infinite */
    uint64_t lost_nan;        /* NaN that is read back as a number */
    uint64_t above;           /* beyond the largest value of its block, by over 2^-20 of it, also if
                                 it became NaN or infinite */
    uint64_t clipped;         /* farther beyond it than half a step, which no rounding would do */
    uint64_t flushed;         /* not zero, and read back as zero */
    uint64_t subnormal;       /* stored as a subnormal code */
    uint64_t cast_nan, cast_infinite; /* what a cast without saturation makes of numbers */
    uint64_t codes[256];              /* how often each is used */
    uint64_t bytes;
    double most_absolute, most_relative;
    size_t absolute_at;
    exact_sum *errors, *squares, *energy;
} kv_tally;

void kv_tally_begin(kv_tally *t);
void kv_tally_free(kv_tally *t);
/* An element x, its code and value, and the value of the code one step inward where the way has
 * offsets. Returns what it counted. */
enum { KV_WRONG = 1, KV_CLIPPED = 2, KV_FLUSHED = 4 };
unsigned kv_tally_add(kv_tally *t, const kv_way *w, uint32_t x, uint32_t code, uint32_t value,
                      uint32_t inward, size_t at);
/* Finite numbers and magnitudes above zero among the codes used, and in all. */
typedef struct kv_used {
    int numbers, numbers_of, magnitudes, magnitudes_of;
} kv_used;
kv_used kv_tally_used(const kv_tally *t, const kv_way *w);

/* Sums of a tally, and the SQNR as a ratio; the latter is infinite without an error and 0 where
 * there is nothing to compare with. */
typedef struct kv_sums {
    double error, squares, energy;
} kv_sums;
kv_sums kv_tally_sums(const kv_tally *t);
/* "31.50", "inf" without errors, "none" without energy. */
const char *kv_decibels(double squares, double energy, char text[32]);

/* ---- a report -------------------------------------------------------------------------------- */

typedef struct kv_worst {
    size_t at;
    kv_channel sums;
} kv_worst;

/* Squares of errors over those of values in the median channel, of those that are not all zero: an
 * outlying channel has no part in it, as it has in the SQNR. */
typedef struct kv_noise {
    int is_there;
    double ratio;
} kv_noise;

/* Magnitudes by floor(log2), from 2^-149 to 2^127. */
enum { KV_BINS = 277, KV_BIN_0 = 149 };

/* Where the values come from. */
typedef struct kv_source {
    size_t words; /* in all */
    /* Reads up to `most` values as f32; returns how many, 0 at the end. */
    size_t (*read)(void *context, uint32_t *words, size_t most);
    void (*rewind)(void *context); /* to the first word again */
    void *context;
    void (*progress)(const char *what, uint64_t done, uint64_t total); /* or NULL */
} kv_source;

typedef struct kv_report {
    const char *path, *format_name; /* of the words */
    kv_source source;
    kv_shape shape;
    kv_values values;
    kv_way ways[KV_WAYS_MOST]; /* the first as asked for */
    kv_tally tally[KV_WAYS_MOST];
    kv_sums sums[KV_WAYS_MOST];
    kv_noise noise[KV_WAYS_MOST];
    size_t count;
    kv_worst token[DOCTOR_WORST], channel[DOCTOR_WORST], outlier[DOCTOR_WORST];
    size_t tokens, channels, outliers, outliers_named;
    uint32_t median;        /* of the channels' amax */
    uint64_t bins[KV_BINS]; /* of |x / scale| if is_scaled, else of |x| */
    int is_scaled;
    char advice[512];
} kv_report;

/* A piece of a tensor: whole tokens, a multiple of DOCTOR_GROUP but for the last piece. */
typedef struct kv_work {
    kv_report *r;
    size_t first, tokens, count; /* the piece: its first token; how many; values */
    uint32_t *x;                 /* as f32 */
    uint32_t *arranged;          /* in the order of a way */
    uint32_t *place;             /* of these in the piece; NULL: as they are */
    uint32_t *places;            /* memory for it */
    uint8_t *codes, *other;
    uint32_t *values, *inward, *scales, *offsets;
    kv_channel *token; /* of the piece */
    double *noise;     /* of each way and channel: squares of errors, of values */
} kv_work;
/* Stores the piece in the i-th way, and counts what became of it. */
void kv_take_way(kv_work *w, size_t i);

/* Reads the tensor, once or twice, in pieces of about `piece` tokens; 0 means pieces of any size.
 * Returns 0, with the reason in `why`, if a way cannot store a tensor. */
int kv_doctor_measure(kv_report *r, size_t piece, int one_pass, char why[160]);
/* One sentence, by the thresholds above. */
void kv_doctor_advice(kv_report *r);

#endif

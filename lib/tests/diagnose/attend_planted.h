/* SPDX-License-Identifier: MIT */
/* attend_planted.h -- attention in doubles with planted mistakes, for the test of its verdicts
 *
 * Everything here is computed from the formula. Nothing of the library is used.
 */
#ifndef SOFTFP8_TESTS_ATTEND_PLANTED_H
#define SOFTFP8_TESTS_ATTEND_PLANTED_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- random numbers and formats -------------------------------------------------------------- */

static uint64_t planted_state = 1;

static inline uint64_t random_word(void)
{
    planted_state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = planted_state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static inline size_t random_below(size_t n)
{
    return (size_t)(random_word() >> 33) % n;
}

/* About normal: the sum of twelve. */
static inline double normal(void)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (double)(random_word() >> 40) * 0x1p-24;
    return sum;
}

/* Rounded to `bits` bits of significand, to nearest even; below 2^least they become fewer. */
static inline double narrow(double x, int bits, int least)
{
    int exponent;
    frexp(x, &exponent);
    exponent = exponent - 1 < least ? least : exponent - 1;
    return isfinite(x) && x != 0
               ? ldexp(nearbyint(ldexp(x, bits - 1 - exponent)), exponent - bits + 1)
               : x;
}

static inline double at_most(double x, double most)
{
    return x > most ? most : x < -most ? -most : x;
}

static inline double to_e4m3(double x)
{
    return at_most(narrow(x, 4, -6), 448);
}

static inline double to_e4m3fnuz(double x)
{
    return at_most(narrow(x, 4, -7), 240);
}

static inline double to_e5m2(double x)
{
    return at_most(narrow(x, 3, -14), 57344);
}

static inline double to_bf16(double x)
{
    return narrow(x, 8, -126);
}

static inline double to_f16(double x)
{
    return narrow(x, 11, -14);
}

/* ---- a request ------------------------------------------------------------------------------- */

enum { QUERIES_MOST = 4, HEADS_MOST = 4, KEYS_MOST = 512, DIM_MOST = 64, PAGE = 16 };
enum { CACHE_F32, CACHE_BF16, CACHE_E4M3, CACHE_E4M3FNUZ };
enum { KERNEL_F32, KERNEL_BF16, KERNEL_E4M3 };

typedef struct planted_request {
    size_t queries, heads, kv_heads, keys, dim;
    int cache, kernel;
    double k_scale, v_scale, scale, cap;
    int is_causal, window; /* -1: none */
    int has_sinks;
    double sinks[HEADS_MOST];
    double q[QUERIES_MOST * HEADS_MOST * DIM_MOST];
    /* elements of the cache, without their scales */
    double k[KEYS_MOST * HEADS_MOST * DIM_MOST], v[KEYS_MOST * HEADS_MOST * DIM_MOST];
    /* what they were before they were stored */
    double k_given[KEYS_MOST * HEADS_MOST * DIM_MOST], v_given[KEYS_MOST * HEADS_MOST * DIM_MOST];
    /* what a mistake takes */
    size_t page, other;
    double limit, own_cap, out_scale;
    int own_window;
} planted_request;

enum {
    RIGHT,
    K_FORGOTTEN,
    V_FORGOTTEN,
    BOTH_FORGOTTEN,
    K_TWICE,
    V_TWICE,
    BOTH_TWICE,
    EXCHANGED,
    K_OF_V,
    V_OF_K,
    NO_SCALE,
    SCALE_TWICE,
    BASE_2,
    ALL_EQUAL,
    NO_MASK,
    MASK_LESS,
    MASK_MORE,
    MASK_FIRST,
    NO_WINDOW,
    WINDOW_LESS,
    WINDOW_MORE,
    NO_CAP,
    NO_SINKS,
    HEADS_IN_TURN,
    HEADS_FIRST,
    HEADS_NEXT,
    TAIL_16,
    TAIL_64,
    TAIL_128,
    PAGE_DROPPED,
    TILE_DROPPED,
    PAGE_TWICE,
    K_PAGES,
    V_PAGES,
    KEY_MISSING,
    V_AS_K,
    K_AS_V,
    OUT_448,
    OUT_E4M3,
    OUT_E5M2,
    OUT_NOT_DIVIDED,
    OUT_HALF,
    ROWS_NEXT_HEAD,
    ROWS_TRANSPOSED,
    K_CLIPPED,
    V_CLIPPED,
    Q_CLIPPED,
    V_E4M3,
    K_E4M3,
    K_KEPT,
    V_KEPT,
    KV_KEPT,
    K_STORED_E5M2,
    V_STORED_E5M2,
    K_STORED_1,
    KV_STORED_1,
    K_HEADS_IN_TURN,
    V_HEADS_IN_TURN,
    K_HEADS_NEXT,
    V_HEADS_NEXT,
    V_HEADS_FIRST,
    K_HALF,
    V_HALF,
    K_HALVES,
    V_HALVES,
    K_PAIRS,
    V_PAIRS,
    K_NEOX,
    MASK_ADDED,
    MASK_ADDED_FIRST,
    WINDOW_ADDED,
    WINDOW_OTHER,
    CAP_ADDED,
    CAP_OTHER,
    SINK_ADDED,
    SINKS_ADDED,
    PAGE_ZERO,
    V_PAGE_ZERO,
    OUT_E4M3_SCALED,
    OUT_E4M3_RAW,
    P_NO_FACTOR,
    P_NO_FACTOR_TILE,
    P_CLIPPED,
    P_NORMALISED,
    MISTAKES
};

static int planted[2]; /* the mistakes that the next output has */

static inline int has(int mistake)
{
    return planted[0] == mistake || planted[1] == mistake;
}

/* ---- what a kernel reads --------------------------------------------------------------------- */

static inline size_t kv_head(const planted_request *r, size_t head, int is_v)
{
    size_t group = r->heads / r->kv_heads;
    if (has(HEADS_IN_TURN) || has(is_v ? V_HEADS_IN_TURN : K_HEADS_IN_TURN))
        return head % r->kv_heads;
    if (has(HEADS_FIRST) || (is_v && has(V_HEADS_FIRST)))
        return 0;
    int is_next = has(HEADS_NEXT) || has(is_v ? V_HEADS_NEXT : K_HEADS_NEXT);
    return (head / group + (size_t)is_next) % r->kv_heads;
}

/* The element of a head that is read for the d-th: halves are exchanged; what lies in pairs is read
 * as if it lay in halves, or the reverse. */
static inline size_t element_of(const planted_request *r, size_t d, int is_v)
{
    size_t half = r->dim / 2;
    if (has(is_v ? V_HALVES : K_HALVES))
        return d < half ? d + half : d - half;
    if (has(is_v ? V_PAIRS : K_PAIRS))
        return d < half ? 2 * d : 2 * (d - half) + 1;
    if (!is_v && has(K_NEOX))
        return d % 2 ? half + d / 2 : d / 2;
    return d;
}

/* An element that is stored in e5m2 with a scale, or in e4m3 with the scale 1, instead. */
static inline double stored_otherwise(double given, double scale, int is_e5m2, int is_1,
                                      int is_kept)
{
    return is_kept ? given : is_e5m2 ? to_e5m2(given / scale) * scale : is_1 ? to_e4m3(given) : 0;
}

/* The key that is read at position j, of keys or values. */
static inline size_t read_at(const planted_request *r, size_t j, int is_v)
{
    size_t page = j / PAGE, other = r->other;
    if (has(PAGE_TWICE) && page == r->page)
        return other * PAGE + j % PAGE;
    if (has(is_v ? V_PAGES : K_PAGES) && (page == r->page || page == other))
        return (page == other ? r->page : other) * PAGE + j % PAGE;
    return j;
}

static inline double key_of(const planted_request *r, size_t j, size_t kv, size_t d)
{
    double k = r->k_scale, v = r->v_scale;
    size_t at = (read_at(r, j, 0) * r->kv_heads + kv) * r->dim + element_of(r, d, 0);
    double x = (has(V_AS_K) ? r->v : r->k)[at];
    int is_kept = has(K_KEPT) || has(KV_KEPT), is_1 = has(K_STORED_1) || has(KV_STORED_1);
    if (is_kept || is_1 || has(K_STORED_E5M2))
        x = stored_otherwise(r->k_given[at], k, has(K_STORED_E5M2), is_1, is_kept) / k;
    x = has(K_HALF) && d >= r->dim / 2 ? 0 : x;
    x = has(K_CLIPPED) ? at_most(x, r->limit) : has(K_E4M3) ? to_e4m3(x) : x;
    if (has(V_AS_K))
        return x * v;
    x *= has(K_FORGOTTEN) || has(BOTH_FORGOTTEN) ? 1 : has(K_TWICE) || has(BOTH_TWICE) ? k * k : k;
    return has(EXCHANGED) || has(K_OF_V) ? x / k * v : x;
}

static inline double value_of(const planted_request *r, size_t j, size_t kv, size_t d)
{
    double k = r->k_scale, v = r->v_scale;
    size_t at = (read_at(r, j, 1) * r->kv_heads + kv) * r->dim + element_of(r, d, 1);
    double x = (has(K_AS_V) ? r->k : r->v)[at];
    int is_kept = has(V_KEPT) || has(KV_KEPT), is_1 = has(KV_STORED_1);
    if (is_kept || is_1 || has(V_STORED_E5M2))
        x = stored_otherwise(r->v_given[at], v, has(V_STORED_E5M2), is_1, is_kept) / v;
    x = has(V_HALF) && d >= r->dim / 2 ? 0 : x;
    x = has(V_CLIPPED) ? at_most(x, r->limit) : has(V_E4M3) ? to_e4m3(x) : x;
    if (has(K_AS_V))
        return x * k;
    x *= has(V_FORGOTTEN) || has(BOTH_FORGOTTEN) ? 1 : has(V_TWICE) || has(BOTH_TWICE) ? v * v : v;
    return has(EXCHANGED) || has(V_OF_K) ? x / v * k : x;
}

static inline int takes_part(const planted_request *r, size_t query, size_t j)
{
    long position = (long)(r->keys - r->queries + query), p = (long)j;
    long last = position + has(MASK_MORE) - has(MASK_LESS);
    last = has(MASK_FIRST) || has(MASK_ADDED_FIRST) ? (long)query : last;
    int is_causal = r->is_causal || has(MASK_ADDED) || has(MASK_ADDED_FIRST);
    if (is_causal && !has(NO_MASK) && p > last)
        return 0;
    if (has(WINDOW_ADDED) || has(WINDOW_OTHER))
        return p >= position - r->own_window;
    if (r->window >= 0 && !has(NO_WINDOW) &&
        p < position - r->window - has(WINDOW_MORE) + has(WINDOW_LESS))
        return 0;
    size_t of = has(TAIL_16) ? 16 : has(TAIL_64) ? 64 : has(TAIL_128) ? 128 : 0;
    if (of && j >= r->keys / of * of)
        return 0;
    if ((has(PAGE_DROPPED) && j / PAGE == r->page) || (has(KEY_MISSING) && j == r->page * PAGE + 3))
        return 0;
    return !(has(TILE_DROPPED) && j < 64);
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* The weights of a row, 2^... of the largest, as a kernel of `kernel` rounds them; returns their
 * sum. `x` are scores. */
static inline double weigh(const double *x, size_t keys, double *p, int kernel)
{
    double most = -INFINITY, sum = 0, all = -INFINITY;
    size_t tile = has(P_NO_FACTOR_TILE) || has(P_CLIPPED) ? 64 : keys;
    double factor = has(P_NO_FACTOR) || has(P_NO_FACTOR_TILE) || has(P_NORMALISED) ? 1 : 256;
    static double at[KEYS_MOST];
    for (size_t j = 0; j < keys; j++)
        all = x[j] > all ? x[j] : all;
    for (size_t first = 0; first < keys; first += tile) {
        double here = most;
        for (size_t j = first; j < first + tile && j < keys; j++)
            here = x[j] > here ? x[j] : here;
        if (!(has(P_CLIPPED) && here - most <= 4 * log(2)))
            most = here;
        for (size_t j = first; j < first + tile && j < keys; j++)
            at[j] = most;
    }
    for (size_t j = 0; j < keys; j++)
        sum += exp(x[j] - all);
    for (size_t j = 0; j < keys; j++) {
        double w = exp(x[j] - at[j]), back = exp(at[j] - all);
        p[j] = isinf(x[j]) ? 0 : w * back;
        if (kernel == KERNEL_BF16)
            p[j] = to_bf16(w) * back;
        else if (kernel == KERNEL_E4M3 && has(P_NORMALISED))
            p[j] = to_e4m3(exp(x[j] - all) / sum) * sum;
        else if (kernel == KERNEL_E4M3)
            p[j] = to_e4m3(w * factor) / factor * back;
        p[j] = isinf(x[j]) ? 0 : p[j];
    }
    return sum;
}

static inline void planted_row(const planted_request *r, size_t query, size_t head, int kernel,
                               double *out)
{
    static double x[KEYS_MOST], p[KEYS_MOST];
    size_t kv = kv_head(r, head, 0), of_v = kv_head(r, head, 1), dim = r->dim;
    double scale = has(NO_SCALE)      ? 1
                   : has(SCALE_TWICE) ? r->scale * r->scale
                                      : r->scale,
           all = -INFINITY;
    scale *= has(BASE_2) ? log(2) : 1;
    for (size_t j = 0; j < r->keys; j++) {
        double dot = 0;
        x[j] = -INFINITY;
        if (!takes_part(r, query, j))
            continue;
        for (size_t d = 0; d < dim; d++) {
            double q = r->q[(query * r->heads + head) * dim + d];
            dot += (has(Q_CLIPPED) ? at_most(q, r->limit) : q) * key_of(r, j, kv, d);
        }
        x[j] = has(ALL_EQUAL) || (has(PAGE_ZERO) && j / PAGE == r->page) ? 0 : dot * scale;
        double cap = has(CAP_ADDED) || has(CAP_OTHER) ? r->own_cap : r->cap;
        if (cap > 0 && !has(NO_CAP))
            x[j] = cap * tanh(x[j] / cap);
        all = x[j] > all ? x[j] : all;
    }
    double sum = isinf(all) ? 1 : weigh(x, r->keys, p, kernel);
    if ((r->has_sinks && !has(NO_SINKS)) || has(SINKS_ADDED))
        sum += exp(r->sinks[head] - all);
    sum += has(SINK_ADDED) ? exp(r->sinks[0] - all) : 0;
    for (size_t d = 0; d < dim; d++) {
        double o = 0;
        for (size_t j = 0; j < r->keys && !isinf(all); j++)
            if (p[j] != 0 && !((has(PAGE_ZERO) || has(V_PAGE_ZERO)) && j / PAGE == r->page))
                o += p[j] * value_of(r, j, of_v, d);
        o /= has(OUT_NOT_DIVIDED) ? 1 : sum;
        o = has(OUT_HALF) ? o / 2 : o;
        o = has(OUT_448)    ? at_most(o, 448)
            : has(OUT_E4M3) ? to_e4m3(o)
            : has(OUT_E5M2) ? to_e5m2(o)
                            : o;
        if (has(OUT_E4M3_SCALED) || has(OUT_E4M3_RAW))
            o = to_e4m3(o / r->out_scale) * (has(OUT_E4M3_RAW) ? 1 : r->out_scale);
        out[d] = kernel == KERNEL_F32 ? (double)(float)o : to_bf16(o);
    }
}

/* The output [queries][heads][dim] with these mistakes. */
static inline void planted_output(const planted_request *r, int mistake, int second, int kernel,
                                  double *out)
{
    planted[0] = mistake;
    planted[1] = second;
    for (size_t i = 0; i < r->queries * r->heads; i++) {
        size_t query = i / r->heads, head = i % r->heads;
        if (has(ROWS_NEXT_HEAD))
            head = (head + 1) % r->heads;
        if (has(ROWS_TRANSPOSED)) {
            query = i % r->queries;
            head = i / r->queries;
        }
        planted_row(r, query, head, kernel, out + i * r->dim);
    }
    planted[0] = planted[1] = RIGHT;
}

#endif

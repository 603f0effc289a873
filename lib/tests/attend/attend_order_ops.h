/* SPDX-License-Identifier: MIT */
/* attend_order_ops.h -- operations of attention in float and double, without anything of the
 * library: 2^x, logarithms, roundings, a matrix unit, a row */
#ifndef SF8_TEST_ATTEND_ORDER_OPS_H
#define SF8_TEST_ATTEND_ORDER_OPS_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* One operation each, nothing to contract. */
#define OP(name, op)                                                                               \
    static inline float name(float a, float b)                                                     \
    {                                                                                              \
        volatile float r = a op b;                                                                 \
        return r;                                                                                  \
    }
OP(o_add, +)
OP(o_sub, -)
OP(o_mul, *)
OP(o_div, /)
#undef OP

static const float O_LOG2E = 0x1.715476p+0f;

/* Polynomials of 2^x and e^x as docs/spec/f32/functions.md has them. */
static inline float o_pow2_of(float k, float f)
{
    static const float factor[6] = {0x1.3a6660p-13f, 0x1.5ed662p-10f, 0x1.3b34e4p-7f,
                                    0x1.c6afb8p-5f,  0x1.ebfbd8p-3f,  0x1.62e430p-1f};
    float p = factor[0];
    for (int i = 1; i < 6; i++)
        p = fmaf(p, f, factor[i]);
    return ldexpf(fmaf(p, f, 1), (int)k);
}

static inline float o_exp2(float x)
{
    float k;
    if (isnan(x) || x >= 128)
        return isnan(x) ? NAN : INFINITY;
    if (x < -151)
        return 0;
    k = o_sub(o_add(x, 12582912), 12582912);
    return o_pow2_of(k, o_sub(x, k));
}

static inline float o_exp(float x)
{
    float k;
    if (isnan(x) || x > 89)
        return isnan(x) ? NAN : INFINITY;
    if (x < -104)
        return 0;
    k = o_sub(fmaf(x, O_LOG2E, 12582912), 12582912);
    return o_pow2_of(k, fmaf(x, 0x1.4ae0c0p-26f, fmaf(x, O_LOG2E, -k)));
}

/* log m, and k in *k: x is m 2^k, m in [2/3, 4/3). */
static inline float o_log_of(float x, float *k)
{
    int e;
    float m = frexpf(x, &e), s, r, p = 0x1.c71c72p-3f;
    if (m >= 0x1.555556p-1f) {
        *k = (float)e;
    } else {
        m *= 2;
        *k = (float)(e - 1);
    }
    s = o_div(o_sub(m, 1), o_add(m, 1));
    r = o_mul(s, s);
    p = fmaf(p, r, 0x1.24924ap-2f);
    p = fmaf(p, r, 0x1.99999ap-2f);
    p = fmaf(p, r, 0x1.555556p-1f);
    return fmaf(o_mul(p, r), s, o_add(s, s));
}

static inline float o_log(float x)
{
    float k, log;
    if (isnan(x) || x < 0 || x == 0 || isinf(x))
        return x == 0 ? -INFINITY : x > 0 ? x : NAN;
    log = o_log_of(x, &k);
    return fmaf(k, 0x1.62e430p-1f, log);
}

static inline float o_log2(float x)
{
    float k, log;
    if (isnan(x) || x < 0 || x == 0 || isinf(x))
        return x == 0 ? -INFINITY : x > 0 ? x : NAN;
    log = o_log_of(x, &k);
    return fmaf(log, O_LOG2E, k);
}

static inline float o_tanh(float x)
{
    static const float factor[5] = {-0x1.226e36p-7f, 0x1.664f48p-6f, -0x1.ba1ba2p-5f,
                                    0x1.111112p-3f, -0x1.555556p-2f};
    float p = factor[0], square = o_mul(x, x), e;
    if (isnan(x))
        return NAN;
    if (fabsf(x) < 0.25f) {
        for (int i = 1; i < 5; i++)
            p = fmaf(p, square, factor[i]);
        return copysignf(fmaf(o_mul(p, square), x, x), x);
    }
    e = o_exp2(o_mul(fabsf(x), -2 * O_LOG2E));
    return copysignf(o_div(o_sub(1, e), o_add(1, e)), x);
}

/* fmaxf, by its text. */
static inline float o_max(float a, float b)
{
    return isnan(a) ? b : !isnan(b) && b > a ? b : a;
}

/* Rounds to nearest even with this many bits, down to 2^least of the smallest exponent. */
static inline float o_narrow(float x, int bits, int least, double largest)
{
    int e;
    double r;
    if (x == 0 || isnan(x) || isinf(x))
        return x;
    frexp((double)x, &e);
    e = e - 1 < least ? least : e - 1;
    r = ldexp(nearbyint(ldexp((double)x, bits - 1 - e)), e - bits + 1);
    return fabs(r) > largest ? copysignf(INFINITY, x) : (float)r;
}

static inline float o_e4m3(float x)
{
    float r = o_narrow(x, 4, -6, INFINITY);
    return fabsf(r) > 448 ? copysignf(448, r) : r;
}

/* ---- a matrix unit --------------------------------------------------------------------------- */

typedef struct o_unit {
    int length, fraction, sum_bits; /* products of a sum, bits kept, bits of the result */
    int least;                      /* exponent of the operands' subnormal numbers */
} o_unit;

static const o_unit o_hgmma = {16, 25, 24, -126}, o_qgmma = {32, 13, 14, -6},
                    o_tcgen05 = {32, 25, 24, -6};

static inline int o_field(float x, int least)
{
    int e;
    frexp((double)x, &e);
    return e - 1 < least ? least : e - 1;
}

/* c + a b of one sum: each term cut off below 2^(largest exponent - fraction), toward zero; so is
 * the result. */
static inline float o_fused(const o_unit *u, const float *a, const float *b, size_t n, float c)
{
    int largest = c == 0 ? -1000 : o_field(c, -126), e;
    double sum, top;
    for (size_t i = 0; i < n; i++) {
        if (isnan(a[i]) || isnan(b[i]) || isnan(c) || isinf(a[i]) || isinf(b[i]) || isinf(c))
            return NAN;
        if (a[i] != 0 && b[i] != 0) {
            e = o_field(a[i], u->least) + o_field(b[i], u->least);
            largest = e > largest ? e : largest;
        }
    }
    if (largest == -1000)
        return 0;
    sum = trunc(ldexp((double)c, u->fraction - largest));
    for (size_t i = 0; i < n; i++)
        sum += trunc(ldexp((double)a[i] * (double)b[i], u->fraction - largest));
    if (sum == 0)
        return 0;
    frexp(sum, &e);
    top = e > u->sum_bits ? ldexp(1, e - u->sum_bits) : 1;
    return (float)ldexp(trunc(sum / top) * top, largest - u->fraction);
}

static inline float o_sum(const o_unit *u, const float *a, const float *b, size_t n, float c)
{
    for (size_t i = 0; i < n; i += (size_t)u->length)
        c = o_fused(u, a + i, b + i, (size_t)u->length, c);
    return c;
}

/* e4m3 by a unit for f16, 32 products at a time: those with i mod 4 < 2, then the others beginning
 * with that sum; then c is added, to nearest. */
static inline float o_lowered(const float *a, const float *b, size_t n, float c)
{
    for (size_t i = 0; i < n; i += 32) {
        float x[2][16], y[2][16];
        for (size_t k = 0; k < 32; k++) {
            x[k % 4 / 2][k / 4 * 2 + k % 2] = a[i + k];
            y[k % 4 / 2][k / 4 * 2 + k % 2] = b[i + k];
        }
        c = o_add(c, o_fused(&o_hgmma, x[1], y[1], 16, o_fused(&o_hgmma, x[0], y[0], 16, 0)));
    }
    return c;
}

/* ---- rows ------------------------------------------------------------------------------------ */

enum { O_KEYS = 4200, O_DIM = 256, O_PARTS = 80 };

/* A row of a request: keys [keys][dim] and values [columns][keys], elements without scales; behind
 * the last key there may be what lies in its block. Keys from `from` to `to` - 1 take part. */
typedef struct o_row {
    size_t queries; /* of the request */
    size_t keys, from, to, dim, columns;
    size_t end;             /* of a prefix while that is computed; 0: no such end */
    const float *q, *k, *v; /* v: stride O_KEYS + 512 for a channel */
    float scale, q_scale, k_scale, v_scale;
    float cap, sink; /* cap 0: none */
    int f16, has_sink;
    size_t part; /* of those the row is cut into */
    float out[O_DIM], lse;
} o_row;

enum { O_STRIDE = O_KEYS + 512 };

static inline float o_half(const o_row *r, float x)
{
    return r->f16 ? o_narrow(x, 11, -14, 65504) : o_narrow(x, 8, -126, 0x1.fep127);
}

static inline int o_takes(const o_row *r, size_t j)
{
    return j >= r->from && j < r->to && (r->end == 0 || j < r->end);
}

/* Scores as softcapping changes them: the product before it is scaled by the cap, which replaces
 * the scale; or the scaled score. */
static inline float o_capped_product(const o_row *r, float product, float k_scale)
{
    if (r->cap == 0)
        return product;
    return o_tanh(o_mul(product, o_mul(o_div(r->scale, r->cap), o_mul(r->q_scale, k_scale))));
}

static inline float o_capped_score(const o_row *r, float score)
{
    return r->cap == 0 ? score : o_mul(r->cap, o_tanh(o_div(score, r->cap)));
}

/* The scale of the scores and of operands, or the cap in their place. */
static inline float o_scale(const o_row *r, float k_scale)
{
    return r->cap == 0 ? o_mul(r->scale, o_mul(r->q_scale, k_scale)) : r->cap;
}

/* The same, times log2 e, which is multiplied by the scale of the scores first. */
static inline float o_scale_log2(const o_row *r, float k_scale)
{
    return r->cap == 0 ? o_mul(o_mul(r->scale, O_LOG2E), o_mul(r->q_scale, k_scale))
                       : o_mul(r->cap, O_LOG2E);
}

/* What a part leaves: largest, sum, lse where it is a number, channels. */
typedef struct o_part {
    float most, sum, lse, out[O_DIM];
    float acc[O_DIM]; /* before it is divided, where that is wanted */
} o_part;

/* The outputs of parts by their weights, of which `sum` is the sum. */
static inline void o_join_parts(o_row *r, const o_part *part, const float *weight, size_t parts,
                                float sum)
{
    float inverse = sum == 0 || isnan(sum) ? 0 : o_div(1, sum);
    memset(r->out, 0, sizeof r->out);
    for (size_t i = 0; i < parts; i++)
        for (size_t x = 0; x < r->columns && o_mul(weight[i], inverse) > 0; x++)
            r->out[x] = fmaf(o_mul(weight[i], inverse), part[i].out[x], r->out[x]);
}

#endif

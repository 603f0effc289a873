/* SPDX-License-Identifier: MIT */
/* chain_reference.h -- the chain of kv chain once more, by plain float and double
 *
 * No header of the library is included, and nothing here is taken from it: each operation of f32 is
 * one of C on volatile floats, codes of e4m3 are rounded in double, e^x is the C library's. To be
 * compiled without liberties: -fno-fast-math -ffp-contract=off.
 */
#ifndef SOFTFP8_TESTS_CHAIN_REFERENCE_H
#define SOFTFP8_TESTS_CHAIN_REFERENCE_H

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { REF_TOKENS = 4, REF_MOST = 64, REF_VOCABULARY = 14 };

static float ref_float(uint32_t word)
{
    float x;
    memcpy(&x, &word, sizeof x);
    return x;
}

/* The word; of a NaN the one that the tool has. */
static uint32_t ref_word(float x)
{
    uint32_t word;
    memcpy(&word, &x, sizeof word);
    return x != x ? 0x7fc00000u : word;
}

static float ref_div(float a, float b)
{
    volatile float q = a / b;
    return q;
}

static float ref_mul(float a, float b)
{
    volatile float p = a * b;
    return p;
}

static float ref_add(float a, float b)
{
    volatile float s = a + b;
    return s;
}

/* ---- codes ----------------------------------------------------------------------------------- */

/* The value of e4m3 nearest to q, ties to even: 8 steps an octave, from 2^-6 downwards those of
 * that octave. What would be 480 or more is 448, or NaN. */
static float ref_e4m3(double q, int nosat)
{
    double size = fabs(q);
    if (q != q)
        return (float)q;
    int octave = size < 0x1p-6 ? -6 : ilogb(size);
    double step = ldexp(1, octave - 3), value = nearbyint(size / step) * step;
    if (value > 448)
        value = nosat ? (double)NAN : 448;
    return (float)copysign(value, q);
}

/* Stored by division and read back. */
static float ref_stored(float x, float scale, int nosat)
{
    return ref_mul(ref_e4m3((double)ref_div(x, scale), nosat), scale);
}

static float ref_bf16(float x)
{
    int exponent;
    double m = frexp((double)x, &exponent);
    return (float)ldexp(nearbyint(ldexp(m, 8)), exponent - 8);
}

/* A row with a scale of its own: amax / 448, at least 1e-6, by the reciprocal. */
static void ref_row(float *y, const float *x, size_t n)
{
    float amax = 0;
    for (size_t i = 0; i < n; i++)
        amax = fabsf(x[i]) > amax ? fabsf(x[i]) : amax;
    float scale = ref_mul(amax, ref_div(1, 448)), inverse; /* as Triton compiles amax / 448 */
    scale = scale < 1e-6f ? 1e-6f : scale;
    inverse = ref_div(1, scale);
    for (size_t i = 0; i < n; i++) {
        float q = ref_mul(x[i], inverse);
        q = q > 448 ? 448 : q < -448 ? -448 : q;
        y[i] = ref_mul(ref_e4m3((double)q, 0), scale);
    }
}

/* ---- norm ------------------------------------------------------------------------------------ */

/* Pairs of neighbours, level by level; one that is left goes up as it is. */
static float ref_tree(float *level, size_t n)
{
    for (; n > 1; n = (n + 1) / 2) {
        for (size_t i = 0; i + 1 < n; i += 2)
            level[i / 2] = ref_add(level[i], level[i + 1]);
        if (n % 2)
            level[n / 2] = level[n - 1];
    }
    return level[0];
}

static float ref_variance(const float *x, size_t n, float *mean)
{
    float level[REF_MOST];
    memcpy(level, x, n * sizeof *x);
    *mean = ref_div(ref_tree(level, n), (float)n);
    for (size_t i = 0; i < n; i++)
        level[i] = ref_mul(x[i], x[i]);
    volatile float v = fmaf(-*mean, *mean, ref_div(ref_tree(level, n), (float)n));
    return v;
}

static void ref_norm(float *x, size_t n, float eps)
{
    float mean, variance = ref_variance(x, n, &mean);
    volatile float root = sqrtf(ref_add(variance, eps));
    float rstd = ref_div(1, root);
    for (size_t i = 0; i < n; i++)
        x[i] = ref_mul(ref_add(x[i], -mean), rstd);
}

/* ---- the tiny model
 * --------------------------------------------------------------------------------- */

typedef enum ref_how { REF_EXACT, REF_LOCKED, REF_BF16, REF_REQUEST, REF_ROW, REF_APART } ref_how;

typedef struct ref_model {
    size_t n;
    float k[REF_TOKENS][REF_MOST], v[REF_TOKENS][REF_MOST];
    double most[REF_TOKENS], sum[REF_TOKENS], weight[REF_TOKENS][REF_TOKENS];
    double out[REF_TOKENS][REF_MOST];
} ref_model;

static void ref_read(float *y, const float *x, size_t n, ref_how how, int nosat, float scale)
{
    float rest[REF_MOST];
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        at = fabsf(x[i]) > fabsf(x[at]) ? i : at;
        y[i] = how == REF_EXACT  ? x[i]
               : how == REF_BF16 ? ref_bf16(x[i])
                                 : ref_stored(x[i], scale, nosat);
    }
    if (how != REF_ROW && how != REF_APART)
        return;
    memcpy(rest, x, n * sizeof *x);
    if (how == REF_APART)
        rest[at] = 0;
    ref_row(y, rest, n);
    if (how == REF_APART)
        y[at] = ref_bf16(x[at]);
}

/* Tokens 0, 1 and 3 are amax / 8, the same with other signs, and half of the first; token 2 is the
 * later values. `read` gets what comes back of these. */
static void ref_fill(ref_model *m, float amax, const float *value, size_t n, ref_how how, int nosat,
                     int normed, float eps, float *read)
{
    float x[REF_TOKENS][REF_MOST], most = 0;
    m->n = n;
    for (size_t i = 0; i < n; i++) {
        x[0][i] = amax / 8 * (i % 2 ? -1 : 1);
        x[1][i] = -x[0][i];
        x[2][i] = value[i];
        x[3][i] = x[0][i] / 2;
        most = value[i] > most ? value[i] : most;
    }
    most = amax / 8 > most ? amax / 8 : most;
    float scale = ref_div(how == REF_REQUEST ? most : amax, 200);
    for (size_t t = 0; t < REF_TOKENS; t++) {
        ref_read(m->v[t], x[t], n, how, nosat, scale);
        memcpy(m->k[t], m->v[t], n * sizeof m->k[t][0]);
        if (t == 2)
            memcpy(read, m->v[t], n * sizeof *read);
        if (normed)
            ref_norm(m->k[t], n, eps);
    }
}

/* A causal mask that is selected; the maximum passes over NaN; a weight of 0 is multiplied, unless
 * it is skipped. */
static void ref_attend(ref_model *m, int skip)
{
    for (size_t i = 0; i < REF_TOKENS; i++) {
        double score[REF_TOKENS];
        m->most[i] = -(double)INFINITY;
        m->sum[i] = 0;
        for (size_t j = 0; j <= i; j++) {
            score[j] = 0;
            for (size_t c = 0; c < m->n; c++)
                score[j] += (double)m->k[j][c] / 4;
            if (score[j] > m->most[i])
                m->most[i] = score[j];
        }
        for (size_t j = 0; j < REF_TOKENS; j++) {
            m->weight[i][j] = j <= i ? exp(score[j] - m->most[i]) : 0;
            m->sum[i] += m->weight[i][j];
        }
        for (size_t j = 0; j < REF_TOKENS; j++)
            m->weight[i][j] /= m->sum[i];
        for (size_t c = 0; c < m->n; c++) {
            m->out[i][c] = 0;
            for (size_t j = 0; j < REF_TOKENS; j++)
                if (!skip || m->weight[i][j] != 0)
                    m->out[i][c] += m->weight[i][j] * (double)m->v[j][c];
        }
    }
}

/* The token whose logit t o - 35/8 (t - 1)^2 is the largest, which is where o is nearest to 35/4
 * (t - 1); the first of NaN. *far: how far o is from where another would be. */
static size_t ref_token(double o, double *far)
{
    double t = o / 8.75 + 1, nearest = nearbyint(t);
    *far = o != o ? 1 : fabs(fabs(t - nearest) - .5);
    return o != o || nearest < 0       ? 0
           : nearest >= REF_VOCABULARY ? REF_VOCABULARY - 1
                                       : (size_t)nearest;
}

/* ---- situations ------------------------------------------------------------------------------ */

/* The sum of n times x or x x by that many threads, each of which begins with 0; 0 threads: by the
 * tree. */
static float ref_equal_sum(size_t threads, int squares, int fused, float x, size_t n)
{
    static float level[8192];
    memset(level, 0, sizeof level);
    for (size_t i = 0; i < n; i++) {
        volatile float *sum = &level[threads ? i % threads : i];
        if (squares && fused)
            *sum = fmaf(x, x, *sum);
        else
            *sum = ref_add(*sum, squares ? ref_mul(x, x) : x);
    }
    return ref_tree(level, threads ? threads : n);
}

static float ref_equal_welford(int fused, float x, size_t n)
{
    volatile float mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        float before = ref_add(x, -mean), after;
        mean = ref_add(mean, ref_div(before, (float)(i + 1)));
        after = ref_add(x, -mean);
        squares = fused ? fmaf(before, after, squares) : ref_add(squares, ref_mul(before, after));
    }
    return ref_div(squares, (float)n);
}

/* How many different variances the orders give for n times x: by one thread, 32, 1024, the tree and
 * Welford's, with an fma in the sums or not, for the last step or not. */
static int ref_numbers(float x, const size_t *sizes, size_t count)
{
    static const size_t threads[] = {1, 32, 1024, 0};
    uint32_t seen[256];
    int n = 0;
    for (size_t s = 0; s < count; s++)
        for (int i = 0; i < 18; i++) {
            size_t size = sizes[s];
            float v;
            int k = 0;
            if (i < 16) {
                float mean = ref_div(ref_equal_sum(threads[i / 4], 0, 0, x, size), (float)size);
                float square = ref_div(ref_equal_sum(threads[i / 4], 1, i & 1, x, size),
                                       (float)size);
                v = i & 2 ? fmaf(-mean, mean, square) : ref_add(square, -ref_mul(mean, mean));
            } else {
                v = ref_equal_welford(i & 1, x, size);
            }
            while (k < n && seen[k] != ref_word(v))
                k++;
            seen[k] = ref_word(v);
            n += k == n;
        }
    return n;
}

#endif

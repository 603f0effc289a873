/* SPDX-License-Identifier: MIT */
/* f32.c -- softmax of a row, merging two parts of one, and argmax in f32 */
#include "softfp8_f32.h"
#include "text/names.h"

void sf8_f32_exp2_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_exp2(x[i]);
}

void sf8_f32_exp_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_exp(x[i]);
}

void sf8_f32_log2_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_log2(x[i]);
}

void sf8_f32_log_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_log(x[i]);
}

void sf8_f32_tanh_n(uint32_t *y, const uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        y[i] = sf8_f32_tanh(x[i]);
}

sf8_softmax sf8_f32_softmax_n(sf8_order order, uint32_t *weights, const uint32_t *scores, size_t n)
{
    sf8_softmax row = {SF8_F32_NEG_INF, 0, SF8_F32_NEG_INF};
    uint32_t any = 0;
    for (size_t j = 0; j < n; j++) {
        row.most = sf8_f32_most(row.most, scores[j]);
        any |= scores[j] != SF8_F32_NEG_INF;
    }
    for (size_t j = 0; j < n; j++) {
        uint32_t less = sf8_f32_mul(sf8_f32_sub(scores[j], row.most), SF8_F32_LOG2E);
        weights[j] = scores[j] == SF8_F32_NEG_INF ? 0 : sf8_f32_exp2(less);
    }
    if (!any)
        return row;
    row.sum = sf8_f32_sum_n(order, weights, n);
    row.lse = sf8_f32_add(row.most, sf8_f32_log(row.sum));
    for (size_t j = 0; j < n; j++)
        weights[j] = sf8_f32_div(weights[j], row.sum);
    return row;
}

void sf8_f32_weighted_n(uint32_t *out, const uint32_t *weights, const uint32_t *values, size_t keys,
                        size_t channels, int32_t skip)
{
    for (size_t c = 0; c < channels; c++) {
        uint32_t sum = 0;
        for (size_t j = 0; j < keys; j++) {
            if (!skip || sf8_f32_magnitude(weights[j]) != 0)
                sum = sf8_f32_fma(weights[j], values[j * channels + c], sum);
        }
        out[c] = sum;
    }
}

/* ---- merging --------------------------------------------------------------------------------- */

/* How a rule differs from the common formula, which has lse to base e, takes infinite lse as they
 * are, continues if the larger lse is -infinity, divides to get weights, and multiplies by a weight
 * of 0. */
typedef struct sf8_merge_row {
    const char *name;
    int32_t base_2;
    int32_t inf_is_empty; /* +infinity means that there was no key, as in FlashAttention-2 */
    int32_t empty_ends;   /* if neither side has keys: the lse is -infinity and the output is 0, */
    int32_t empty_is_a;   /* or the output of a, whatever it is */
    int32_t drops_nan;    /* max(difference, -infinity) turns NaN into the weight 0 */
    int32_t guarded;      /* a sum that is not above 0 gives the weights 0 */
    int32_t inverse;      /* e^difference times 1 / sum, which is 0 if the sum is 0 or NaN */
    int32_t skips;        /* only a weight above 0 is multiplied, and b comes last */
} sf8_merge_row;

static const sf8_merge_row sf8_merge_rows[SF8_MERGE_COUNT] = {
    /* name          base 2, +inf, ends, a, NaN, guarded, inverse, skips */
    {"vllm", 0, 1, 1, 1, 0, 0, 0, 0},
    {"vllm-triton", 0, 1, 1, 0, 0, 0, 0, 0},
    {"flashinfer", 1, 0, 0, 0, 1, 1, 0, 0},
    {"fa3", 0, 0, 0, 0, 0, 0, 1, 1},
};

sf8_merge sf8_merge_named(const char *name, sf8_status *status)
{
    for (int32_t i = 0; i < SF8_MERGE_COUNT; i++) {
        if (sf8_is_named(sf8_merge_rows[i].name, name)) {
            if (status)
                *status = SF8_OK;
            return (sf8_merge)i;
        }
    }
    if (status)
        *status = SF8_UNKNOWN_NAME;
    return SF8_MERGE_VLLM;
}

const char *sf8_merge_name(sf8_merge rule)
{
    return (uint32_t)rule < SF8_MERGE_COUNT ? sf8_merge_rows[rule].name : NULL;
}

static int32_t sf8_f32_above_0(uint32_t a)
{
    return !sf8_f32_is_nan(a) && sf8_f32_order(a) > 0;
}

/* The exponential of the difference of an lse from the larger one. */
static uint32_t sf8_merge_share(const sf8_merge_row *r, uint32_t lse, uint32_t most)
{
    uint32_t less = sf8_f32_sub(lse, most);
    if (r->drops_nan)
        less = sf8_f32_most(less, SF8_F32_NEG_INF);
    return r->base_2 ? sf8_f32_exp2(less) : sf8_f32_exp(less);
}

static uint32_t sf8_merge_weight(const sf8_merge_row *r, uint32_t share, uint32_t sum)
{
    if (r->inverse) {
        int32_t none = sf8_f32_is_nan(sum) || sf8_f32_magnitude(sum) == 0;
        return sf8_f32_mul(share, none ? 0 : sf8_f32_div(SF8_F32_ONE, sum));
    }
    return r->guarded && !sf8_f32_above_0(sum) ? 0 : sf8_f32_div(share, sum);
}

static sf8_merged sf8_merge_weights(const sf8_merge_row *r, const uint32_t lse[2], uint32_t most)
{
    sf8_merged m;
    uint32_t from = r->inverse && most == SF8_F32_NEG_INF ? 0 : most;
    uint32_t share[2] = {sf8_merge_share(r, lse[0], from), sf8_merge_share(r, lse[1], from)};
    uint32_t sum = sf8_f32_add(share[0], share[1]);
    m.weight[0] = sf8_merge_weight(r, share[0], sum);
    m.weight[1] = sf8_merge_weight(r, share[1], sum);
    m.lse = sf8_f32_add(r->base_2 ? sf8_f32_log2(sum) : sf8_f32_log(sum), most);
    return m;
}

/* a b + c, with the product rounded or not. */
static uint32_t sf8_merge_add(int32_t fuse, uint32_t a, uint32_t b, uint32_t c)
{
    return fuse == SF8_FUSE_NONE ? sf8_f32_add(sf8_f32_mul(a, b), c) : sf8_f32_fma(a, b, c);
}

/* nvcc makes the fma so that the second product is rounded and the first one enters the sum
 * unrounded. In a sum over parts it is the other way round. */
static uint32_t sf8_merge_channel(const sf8_merge_row *r, int32_t fuse, const sf8_merged *m,
                                  uint32_t a, uint32_t b)
{
    uint32_t out = 0;
    if (!r->skips)
        return sf8_merge_add(fuse, a, m->weight[0], sf8_f32_mul(b, m->weight[1]));
    if (sf8_f32_above_0(m->weight[0]))
        out = sf8_merge_add(fuse, m->weight[0], a, out);
    if (sf8_f32_above_0(m->weight[1]))
        out = sf8_merge_add(fuse, m->weight[1], b, out);
    return out;
}

sf8_merged sf8_f32_merge_fused_n(sf8_merge rule, int32_t fuse, uint32_t *out, const uint32_t *a,
                                 uint32_t lse_a, const uint32_t *b, uint32_t lse_b, size_t channels)
{
    const sf8_merge_row *r = &sf8_merge_rows[(uint32_t)rule < SF8_MERGE_COUNT ? rule : 0];
    uint32_t lse[2] = {lse_a, lse_b};
    for (int32_t i = 0; i < 2; i++)
        if (r->inf_is_empty && lse[i] == SF8_F32_INF)
            lse[i] = SF8_F32_NEG_INF;
    uint32_t most = sf8_f32_most(lse[0], lse[1]);
    sf8_merged m = {{0, 0}, SF8_F32_NEG_INF};
    int32_t ends = r->empty_ends && most == SF8_F32_NEG_INF;
    if (!ends)
        m = sf8_merge_weights(r, lse, most);
    for (size_t c = 0; c < channels; c++) {
        if (ends)
            out[c] = r->empty_is_a ? a[c] : 0;
        else
            out[c] = sf8_merge_channel(r, fuse, &m, a[c], b[c]);
    }
    return m;
}

sf8_merged sf8_f32_merge_n(sf8_merge rule, uint32_t *out, const uint32_t *a, uint32_t lse_a,
                           const uint32_t *b, uint32_t lse_b, size_t channels)
{
    return sf8_f32_merge_fused_n(rule, SF8_FUSE_SUM, out, a, lse_a, b, lse_b, channels);
}

/* ---- argmax ---------------------------------------------------------------------------------- */

size_t sf8_f32_argmax(const uint32_t *x, size_t n)
{
    size_t best = 0;
    for (size_t i = 0; i < n; i++) {
        if (sf8_f32_is_nan(x[i]))
            return i;
        if (sf8_f32_order(x[i]) > sf8_f32_order(x[best]))
            best = i;
    }
    return best;
}

size_t sf8_f32_argmax_greater(const uint32_t *x, size_t n, size_t start)
{
    uint32_t best = SF8_F32_NEG_INF;
    for (size_t i = 0; i < n; i++) {
        if (!sf8_f32_is_nan(x[i]) && sf8_f32_order(x[i]) > sf8_f32_order(best)) {
            best = x[i];
            start = i;
        }
    }
    return start;
}

/* SPDX-License-Identifier: MIT */
/* chain_model.c -- the chain computed: scales, codes, norms, and a tiny model
 *
 * The tiny model has one head, and as many channels as there are later values. Tokens 0, 1 and 3
 * are small, with alternating signs; token 2 has the later values as its key and its value. Every
 * query is 1/4 in all channels, so that the last one finds token 2. Step i then reads channel i of
 * what it found: token t of "!_abc..." has the logit t o - 35/8 (t - 1)^2, all of it exact but for
 * a rounding, and so stands for o = 35/4 (t - 1). Errors of FP8 are too small to move one.
 */
#include "kv/chain_model.h"
#include "softfp8/scalar.h"

#include <string.h>

const chain_norm chain_norms[CHAIN_NORMS] = {
    {"sequential", "sequential", SF8_ORDER_SEQUENTIAL, SF8_FUSE_NONE},
    {"sequential-fma", "seq+fma", SF8_ORDER_SEQUENTIAL, SF8_FUSE_LAST},
    {"warp", "warp", SF8_ORDER_WARP, SF8_FUSE_NONE},
    {"warp-fma", "warp+fma", SF8_ORDER_WARP, SF8_FUSE_LAST},
    {"block", "block", SF8_ORDER_BLOCK, SF8_FUSE_NONE},
    {"block-fma", "block+fma", SF8_ORDER_BLOCK, SF8_FUSE_LAST},
    {"tree", "tree", SF8_ORDER_TREE, SF8_FUSE_NONE},
    {"tree-fma", "tree+fma", SF8_ORDER_TREE, SF8_FUSE_LAST},
    {"welford", "Welford", SF8_ORDER_WELFORD, SF8_FUSE_NONE},
    {"rms", "RMS norm", SF8_ORDER_TREE, SF8_FUSE_NONE},
};

const size_t chain_sizes[CHAIN_SIZES] = {8, 64, 128, 896, 1024, 4096, 5120, 8192};

const char *const chain_eps_texts[CHAIN_EPS] = {"1e-12", "1e-6", "1e-5"};

uint32_t chain_word(const char *text)
{
    sf8_result r;
    if (sf8_from_text(SF8_F32, text, SF8_OCP_NOSAT, &r, NULL) != SF8_OK)
        return SF8_F32_NAN;
    return (uint32_t)r.code;
}

/* ---- scales and codes ------------------------------------------------------------------------ */

enum { HUNDRED = 0x42c80000, TWO_HUNDRED = 0x43480000, QUARTER = 0x3e800000 };

chain_scales chain_scales_of(uint32_t amax)
{
    chain_scales s;
    s.scale = sf8_f32_div(amax, TWO_HUNDRED);
    s.product = sf8_f32_mul(amax, sf8_f32_div(SF8_F32_ONE, TWO_HUNDRED));
    s.v_scale = sf8_f32_div(amax, HUNDRED);
    return s;
}

chain_stored chain_store(uint32_t x, uint32_t scale, int nosat)
{
    chain_stored s;
    sf8_policy policy = nosat ? SF8_CUDA_NOSAT : SF8_CUDA_SATFINITE;
    s.quotient = sf8_f32_div(x, scale);
    s.code = (uint32_t)sf8_core_convert(SF8_E4M3, SF8_F32, s.quotient, policy, 0).code;
    s.element = (uint32_t)sf8_core_convert(SF8_F32, SF8_E4M3, s.code, SF8_OCP_NOSAT, 0).code;
    s.value = sf8_f32_mul(s.element, scale);
    return s;
}

void chain_largest(int count[2][2])
{
    memset(count, 0, 4 * sizeof count[0][0]);
    for (uint32_t mantissa = 0; mantissa < 128; mantissa++) {
        uint32_t amax = SF8_F32_ONE | mantissa << 16;
        chain_scales s = chain_scales_of(amax);
        for (int i = 0; i < 2; i++) {
            uint32_t code = chain_store(amax, i ? s.product : s.scale, 0).code;
            count[i][0] += code == 0x74;
            count[i][1] += code == 0x75;
        }
    }
}

double chain_error(uint32_t x, uint32_t y)
{
    double from = (double)sf8_f32_from_bits(x), to = (double)sf8_f32_from_bits(y);
    return (to - from) / from * 100;
}

/* ---- norms ----------------------------------------------------------------------------------- */

sf8_moments chain_variance_of(const chain_norm *norm, const uint32_t *x, size_t n)
{
    return sf8_f32_moments_n(norm->order, norm->fuse, x, n);
}

sf8_moments chain_variance(const chain_norm *norm, uint32_t x, size_t n)
{
    static uint32_t all[8192];
    for (size_t i = 0; i < n; i++)
        all[i] = x;
    return chain_variance_of(norm, all, n);
}

uint32_t chain_divisor(const chain_norm *norm, sf8_moments m)
{
    return norm == &chain_norms[CHAIN_RMS] ? m.mean_square : m.variance;
}

int chain_lost(uint32_t variance)
{
    int lost = 0;
    for (int i = 0; i < CHAIN_EPS; i++)
        lost += (int)sf8_f32_is_nan(sf8_f32_rstd(variance, chain_word(chain_eps_texts[i])));
    return lost;
}

/* Whether a norm with an fma in its sums, or without, does what another does: the tree adds
 * products that are rounded, and threads that have one product each are the tree. */
static int is_repeated(const chain_norm *norm, int32_t sum, size_t n)
{
    size_t threads = norm->order == SF8_ORDER_WARP ? 32 : norm->order == SF8_ORDER_BLOCK ? 1024 : 0;
    return threads >= n || (norm->order == SF8_ORDER_TREE && sum);
}

int chain_claimed_variance(uint32_t x, int *of, int *numbers)
{
    uint32_t claimed = chain_word("-0.000000317835426"), seen[2 * CHAIN_RMS * CHAIN_SIZES];
    int found = 0;
    *of = *numbers = 0;
    for (int i = 0; i < CHAIN_RMS; i++) {
        for (int j = 0; j < CHAIN_SIZES; j++) {
            for (int32_t sum = SF8_FUSE_NONE; sum <= SF8_FUSE_SUM; sum++) {
                chain_norm norm = chain_norms[i];
                int k = 0;
                if (is_repeated(&norm, sum, chain_sizes[j]))
                    continue;
                norm.fuse |= sum;
                uint32_t v = chain_variance(&norm, x, chain_sizes[j]).variance;
                found += v == claimed;
                ++*of;
                while (k < *numbers && seen[k] != v)
                    k++;
                seen[k] = v;
                *numbers += k == *numbers;
            }
        }
    }
    return found;
}

/* ---- the cache ------------------------------------------------------------------------------- */

const chain_way chain_ways[CHAIN_WAYS] = {
    {"exact, f32", WAY_EXACT, 0, 0},
    {"fixed scale, keys through the norm (claimed)", WAY_LOCKED, 0, 1},
    {"fixed scale, satfinite, no norm", WAY_LOCKED, 0, 0},
    {"fixed scale, nosat, no norm", WAY_LOCKED, 1, 0},
    {"cure: bf16, no FP8", WAY_BF16, 0, 0},
    {"cure: a scale for each request", WAY_REQUEST, 0, 0},
    {"cure: fp8-per-token-head", WAY_RECIPE, 0, 0},
    {"cure: fp8-per-token-head, largest channel bf16", WAY_APART, 0, 0},
};

const chain_way *chain_claimed_way(const chain *c)
{
    return &chain_ways[c->nosat ? 3 : 1];
}

static uint32_t bf16_of(uint32_t x)
{
    return sf8_f32_via_bf16(x);
}

/* A row through a recipe for rows. */
static void read_recipe(uint32_t *y, const uint32_t *x, size_t n)
{
    sf8_recipe r;
    uint8_t codes[CHAIN_MOST];
    uint32_t scale;
    sf8_recipe_named(&r, "fp8-per-token-head");
    sf8_quantize_n(&r, codes, &scale, NULL, SF8_F32, x, 1, n, 1);
    sf8_dequantize_n(&r, SF8_F32, y, codes, &scale, NULL, 1, n, 1);
}

static void read_apart(uint32_t *y, const uint32_t *x, size_t n)
{
    uint32_t rest[CHAIN_MOST];
    size_t largest = 0;
    for (size_t i = 0; i < n; i++)
        if (sf8_f32_magnitude(x[i]) > sf8_f32_magnitude(x[largest]))
            largest = i;
    memcpy(rest, x, n * sizeof *x);
    rest[largest] = 0;
    read_recipe(y, rest, n);
    y[largest] = bf16_of(x[largest]);
}

/* A row of a token, stored and read back. `most` is the largest magnitude of the request. */
static void read_row(uint32_t *y, const uint32_t *x, const chain *c, const chain_way *way,
                     uint32_t most)
{
    uint32_t scale = chain_scales_of(way->how == WAY_REQUEST ? most : c->amax).scale;
    if (way->how == WAY_RECIPE) {
        read_recipe(y, x, c->n);
        return;
    }
    if (way->how == WAY_APART) {
        read_apart(y, x, c->n);
        return;
    }
    for (size_t i = 0; i < c->n; i++)
        y[i] = way->how == WAY_EXACT  ? x[i]
               : way->how == WAY_BF16 ? bf16_of(x[i])
                                      : chain_store(x[i], scale, way->nosat).value;
}

void chain_fill(chain_model *m, const chain *c, const chain_way *way, uint32_t *read)
{
    const chain_norm *norm = &chain_norms[c->norm];
    uint32_t x[CHAIN_TOKENS][CHAIN_MOST], most = 0;
    m->channels = c->n;
    for (size_t i = 0; i < c->n; i++) {
        uint32_t sign = i % 2 ? 0x80000000u : 0, eighth = sf8_f32_mul(c->amax, 0x3e000000u);
        x[0][i] = eighth ^ sign;
        x[1][i] = x[0][i] ^ 0x80000000u;
        x[CHAIN_POISONED][i] = c->value[i];
        x[3][i] = sf8_f32_mul(x[0][i], 0x3f000000u);
        most = sf8_f32_most(most, sf8_f32_most(c->value[i], eighth));
    }
    for (size_t t = 0; t < CHAIN_TOKENS; t++) {
        read_row(m->v[t], x[t], c, way, most);
        memcpy(m->k[t], m->v[t], c->n * sizeof m->k[t][0]);
        if (t == CHAIN_POISONED && read)
            memcpy(read, m->v[t], c->n * sizeof *read);
        if (!way->normed)
            continue;
        sf8_moments moments = chain_variance_of(norm, m->k[t], c->n);
        uint32_t rstd = sf8_f32_rstd(chain_divisor(norm, moments), c->eps);
        uint32_t mean = norm == &chain_norms[CHAIN_RMS] ? 0 : moments.mean;
        sf8_f32_normalize_n(m->k[t], m->k[t], c->n, mean, rstd);
    }
}

/* ---- attention ------------------------------------------------------------------------------- */

void chain_attend(chain_model *m, int skip)
{
    uint32_t query[CHAIN_MOST], values[CHAIN_TOKENS * CHAIN_MOST];
    for (size_t c = 0; c < m->channels; c++) {
        query[c] = QUARTER;
        for (size_t j = 0; j < CHAIN_TOKENS; j++)
            values[j * m->channels + c] = m->v[j][c];
    }
    for (size_t i = 0; i < CHAIN_TOKENS; i++) {
        for (size_t j = 0; j < CHAIN_TOKENS; j++)
            m->score[i][j] = j > i ? SF8_F32_NEG_INF
                                   : sf8_f32_dot_n(SF8_ORDER_SEQUENTIAL, SF8_FUSE_SUM, query,
                                                   m->k[j], m->channels);
        m->row[i] = sf8_f32_softmax_n(SF8_ORDER_SEQUENTIAL, m->weight[i], m->score[i],
                                      CHAIN_TOKENS);
        sf8_f32_weighted_n(m->out[i], m->weight[i], values, CHAIN_TOKENS, m->channels, skip);
    }
}

void chain_logits(uint32_t logit[CHAIN_VOCABULARY], uint32_t out)
{
    for (int32_t t = 0; t < CHAIN_VOCABULARY; t++)
        logit[t] = sf8_f32_fma(sf8_f32_of(t), out,
                               sf8_f32_mul(sf8_f32_of(-35 * (t - 1) * (t - 1)), 0x3e000000u));
}

const char *chain_text(const chain_model *m, size_t query, char text[CHAIN_MOST + 1])
{
    static const char vocabulary[] = "!_abcdefghijkl";
    for (size_t c = 0; c < m->channels; c++) {
        uint32_t logit[CHAIN_VOCABULARY];
        chain_logits(logit, m->out[query][c]);
        text[c] = vocabulary[sf8_f32_argmax(logit, CHAIN_VOCABULARY)];
    }
    text[m->channels] = '\0';
    return text;
}

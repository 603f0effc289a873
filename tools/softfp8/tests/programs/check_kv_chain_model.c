/* SPDX-License-Identifier: MIT */
/* check_kv_chain_model.c -- the numbers of kv chain against plain float and double
 * (chain_reference.h)
 *
 * Words that come from the cache, variances and tokens have to be the same; weights and sums of e^x
 * near; NaN where NaN is. The literals of kv_chain.session are printed by the same numbers.
 */
#include "base/random.h"
#include "chain_reference.h"
#include "kv/chain.h"
#include "softfp8/scalar.h"

#include <stdio.h>

static int failures;

static void same(const char *what, size_t i, uint64_t want, uint64_t got)
{
    if (want == got)
        return;
    printf("FAILED: %s %zu: %llx instead of %llx\n", what, i, (unsigned long long)got,
           (unsigned long long)want);
    failures++;
}

static void near(const char *what, size_t i, double want, uint32_t got)
{
    double x = (double)sf8_f32_from_bits(got);
    if (want != want ? x != x : fabs(x - want) <= 1e-5 * (1 + fabs(want)))
        return;
    printf("FAILED: %s %zu: %g instead of %g\n", what, i, x, want);
    failures++;
}

/* ---- ways ------------------------------------------------------------------------------------ */

/* In the order of the tool's list; how a key and a value come back. */
static const struct {
    ref_how how;
    int nosat, normed;
} ways[CHAIN_WAYS] = {
    {REF_EXACT, 0, 0}, {REF_LOCKED, 0, 1},  {REF_LOCKED, 0, 0}, {REF_LOCKED, 1, 0},
    {REF_BF16, 0, 0},  {REF_REQUEST, 0, 0}, {REF_ROW, 0, 0},    {REF_APART, 0, 0},
};

static void check_attention(const chain_model *m, ref_model *r, const char *name)
{
    for (size_t i = 0; i < CHAIN_TOKENS; i++) {
        near(name, i, r->most[i], m->row[i].most);
        near(name, i, r->most[i] + log(r->sum[i]), m->row[i].lse);
        for (size_t j = 0; j < CHAIN_TOKENS; j++)
            near(name, i, r->weight[i][j], m->weight[i][j]);
        for (size_t c = 0; c < m->channels; c++)
            near(name, i, r->out[i][c], m->out[i][c]);
    }
}

static void check_way(const chain *c, size_t way)
{
    static chain_model m;
    static ref_model r;
    float value[CHAIN_MOST], read[CHAIN_MOST], amax = ref_float(c->amax);
    uint32_t got[CHAIN_MOST];
    char text[CHAIN_MOST + 1];
    for (size_t i = 0; i < c->n; i++)
        value[i] = ref_float(c->value[i]);
    chain_fill(&m, c, &chain_ways[way], got);
    ref_fill(&r, amax, value, c->n, ways[way].how, ways[way].nosat, ways[way].normed,
             ref_float(c->eps), read);
    for (size_t i = 0; i < c->n; i++)
        same(chain_ways[way].name, i, ref_word(read[i]), got[i]);
    for (size_t t = 0; t < CHAIN_TOKENS; t++)
        for (size_t i = 0; i < c->n; i++) {
            same("a key of token", t, ref_word(r.k[t][i]), m.k[t][i]);
            same("a value of token", t, ref_word(r.v[t][i]), m.v[t][i]);
        }
    float mean;
    same("variance", way, ref_word(ref_variance(read, c->n, &mean)),
         chain_variance_of(&chain_norms[CHAIN_TREE_FMA], got, c->n).variance);
    for (int skip = 0; skip < 2; skip++) {
        chain_attend(&m, skip);
        ref_attend(&r, skip);
        check_attention(&m, &r, skip ? "skipped, query" : "query");
    }
    chain_text(&m, CHAIN_TOKENS - 1, text);
    for (size_t i = 0; i < c->n; i++) {
        double far;
        size_t token = ref_token(r.out[CHAIN_TOKENS - 1][i], &far);
        if (far > 1e-4)
            same("token", i, (unsigned char)"!_abcdefghijkl"[token], (unsigned char)text[i]);
    }
}

static void check_values(uint32_t amax, const float *value, size_t n)
{
    chain c = {.eps_text = "1e-12"};
    c.eps = chain_word("1e-12");
    c.norm = CHAIN_TREE_FMA;
    c.amax = amax;
    c.n = n;
    for (size_t i = 0; i < n; i++)
        c.value[i] = ref_word(value[i]);
    for (size_t way = 0; way < CHAIN_WAYS; way++)
        check_way(&c, way);
}

/* Numbers from 0.001 to 100, of all octaves. */
static float any(uint64_t *seed)
{
    uint32_t r = (uint32_t)(word_random_linear(seed) >> 32);
    float x = ref_float((r & 0x7fffffu) | (118 + (r >> 23) % 15) << 23);
    return x < 0.001f ? 0.001f : x > 100 ? 100 : x;
}

static void check_ways(void)
{
    static const float usual[8] = {15.3f, 18.7f, 12.1f, 19.5f, 16.8f, 20, 14.2f, 17.9f};
    static const float near_by[3] = {11, 9, 9.5f};
    float value[CHAIN_MOST];
    uint64_t seed = 1;
    check_values(ref_word(5), usual, 8);
    check_values(ref_word(5), near_by, 3);
    for (int i = 0; i < 300; i++) {
        size_t n = 2 + (size_t)i % 63;
        uint32_t amax = ref_word(any(&seed));
        for (size_t k = 0; k < n; k++)
            value[k] = i % 3 ? any(&seed) : usual[k % 8] * (1 + (float)(k / 8) / 64);
        check_values(amax, value, n);
    }
}

/* ---- link 4 ---------------------------------------------------------------------------------- */

/* By hand: of 8 sizes one thread has 4 situations, 32 threads 4 where there are more inputs than
 * threads, which is 7 times, 1024 threads where there are more than 1024, 3 times; the tree has 2,
 * for its products meet no sum, and so has Welford, which has no last step: 32 + 28 + 12 + 16 + 16.
 */
static void check_situations(void)
{
    int of, numbers, found = chain_claimed_variance(0x41333333, &of, &numbers);
    same("by hand", 0, 32 + 28 + 12 + 16 + 16, (uint64_t)of);
    same("the one that is claimed", 0, 0, (uint64_t)found);
    same("numbers", 0, (uint64_t)ref_numbers(11.2f, chain_sizes, CHAIN_SIZES), (uint64_t)numbers);
    same("numbers, as they are printed", 0, 28, (uint64_t)numbers);
}

int main(void)
{
    check_ways();
    check_situations();
    printf("%d failed\n", failures);
    return failures != 0;
}

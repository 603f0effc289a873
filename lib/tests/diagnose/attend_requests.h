/* SPDX-License-Identifier: MIT */
/* attend_requests.h -- requests of attention for tests of verdicts: drawn at random, diagnosed, and
 * what was named
 *
 * attend_planted.h computes their outputs.
 */
#ifndef SF8_TEST_ATTEND_REQUESTS_H
#define SF8_TEST_ATTEND_REQUESTS_H

#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_diagnose.h"

#include "attend_planted.h"
#include "diagnose_check.h"

/* ---- the mistakes ---------------------------------------------------------------------------- */

enum { ANY, SCALED, PLAIN, E4M3 }; /* caches: with scales, without, and kernels of 8 bits */
static int is_fnuz;                /* caches of 8 bits are of e4m3fnuz */

typedef struct mistake_row {
    int mistake;
    const char *name, *expected; /* the words with which its name begins; for some a second name */
    int needs;
} mistake_row;

static const mistake_row rows[] = {
    {K_FORGOTTEN, "K scale forgotten", "the scale of keys forgotten", SCALED},
    {V_FORGOTTEN, "V scale forgotten", "the scale of values forgotten", SCALED},
    {BOTH_FORGOTTEN, "both scales forgotten", "the scales of keys and values forgotten", SCALED},
    {K_TWICE, "K scale twice", "the scale of keys applied twice", SCALED},
    {V_TWICE, "V scale twice", "the scale of values applied twice", SCALED},
    {BOTH_TWICE, "both scales twice", "the scales of keys and values applied twice", SCALED},
    {EXCHANGED, "scales exchanged", "the scales of keys and values exchanged", SCALED},
    {K_OF_V, "K with V's scale", "keys read with the scale of values", SCALED},
    {V_OF_K, "V with K's scale", "values read with the scale of keys", SCALED},
    {NO_SCALE, "no 1 / sqrt(d)", "the scale of scores forgotten", ANY},
    {SCALE_TWICE, "1 / sqrt(d) twice", "the scale of scores applied twice", ANY},
    {BASE_2, "base 2", "scores in base 2", ANY},
    {ALL_EQUAL, "equal scores", "all scores are equal", ANY},
    {NO_MASK, "no mask", "no causal mask", ANY},
    {MASK_LESS, "mask: one less", "a query does not see its own key", ANY},
    {MASK_MORE, "mask: one more", "a query sees the key after its own", ANY},
    {MASK_FIRST, "mask: top left", "the causal mask begins at the first key", ANY},
    {NO_WINDOW, "no window", "no window", ANY},
    {WINDOW_LESS, "window: one less", "the window is one key shorter", ANY},
    {WINDOW_MORE, "window: one more", "the window is one key longer", ANY},
    {NO_CAP, "no cap", "scores not capped", ANY},
    {NO_SINKS, "no sinks", "no sinks", ANY},
    {HEADS_IN_TURN, "heads in turn", "query heads use key/value heads in turn", ANY},
    {HEADS_FIRST, "heads: the first", "all query heads use the first key/value head", ANY},
    {HEADS_NEXT, "heads: the next", "query heads use the next key/value head", ANY},
    {TAIL_16, "tail of 16 dropped", "keys after the last full 16 dropped", ANY},
    {TAIL_64, "tail of 64 dropped", "keys after the last full 64 dropped", ANY},
    {TAIL_128, "tail of 128 dropped", "keys after the last full 128 dropped", ANY},
    {PAGE_DROPPED, "page dropped", "keys % to % missing", ANY},
    {TILE_DROPPED, "tile dropped", "keys 0 to 63 missing", ANY},
    {PAGE_TWICE, "page read twice", "keys % to % read in place of keys % to %", ANY},
    {K_PAGES, "pages of K exchanged", "keys or values of % to % and % to % exchanged", ANY},
    {V_PAGES, "pages of V exchanged", "keys or values of % to % and % to % exchanged", ANY},
    {KEY_MISSING, "key missing", "the same key is missing in every row: key %", ANY},
    {V_AS_K, "V as K", "values used as keys", ANY},
    {K_AS_V, "K as V", "keys used as values", ANY},
    {OUT_448, "output saturated", "the output is clipped at 448", ANY},
    {OUT_E4M3, "output to e4m3", "the output is rounded to e4m3", ANY},
    {OUT_E5M2, "output to e5m2", "the output is rounded to e5m2", ANY},
    {OUT_NOT_DIVIDED, "not divided", "the output is not divided by the sum of weights", ANY},
    {OUT_HALF, "half the output", "the output is 0.", ANY},
    {ROWS_NEXT_HEAD, "rows: next head", "each output is that of the next head", ANY},
    {ROWS_TRANSPOSED, "rows transposed", "queries and heads of the output exchanged", ANY},
    {K_CLIPPED, "K clipped", "keys clipped at ", ANY},
    {V_CLIPPED, "V clipped", "values clipped at ", ANY},
    {Q_CLIPPED, "Q clipped", "queries clipped at ", ANY},
    {V_E4M3, "V to e4m3", "values rounded to e4m3", PLAIN},
    {K_E4M3, "K to e4m3", "keys rounded to e4m3", PLAIN},
    {K_KEPT, "K in 16 bits", "keys are kept in bf16", SCALED},
    {V_KEPT, "V in 16 bits", "values are kept in bf16", SCALED},
    {KV_KEPT, "K and V in 16 bits", "keys and values are kept in bf16", SCALED},
    {K_STORED_E5M2, "K in e5m2", "keys are stored in e5m2 with their scale", SCALED},
    {V_STORED_E5M2, "V in e5m2", "values are stored in e5m2 with their scale", SCALED},
    {K_STORED_1, "K stored with 1", "keys are stored with scale 1", SCALED},
    {KV_STORED_1, "both stored with 1", "keys and values are stored with scale 1", SCALED},
    {K_HEADS_IN_TURN, "K heads in turn", "query heads use heads of keys in turn", ANY},
    {V_HEADS_IN_TURN, "V heads in turn", "query heads use heads of values in turn", ANY},
    {K_HEADS_NEXT, "K heads: the next", "query heads use the next head of keys", ANY},
    {V_HEADS_NEXT, "V heads: the next", "query heads use the next head of values", ANY},
    {V_HEADS_FIRST, "V heads: the first", "all query heads use the first head of values", ANY},
    {K_HALF, "half of K", "only the first half of a head is used in scores", ANY},
    {V_HALF, "half of V", "only the first half of a head of values", ANY},
    {K_HALVES, "halves of K", "the halves of each head of keys exchanged", ANY},
    {V_HALVES, "halves of V", "the halves of each head of values exchanged", ANY},
    {K_PAIRS, "pairs of K", "keys have pairs that are interleaved", ANY},
    {V_PAIRS, "pairs of V", "values have pairs that are interleaved", ANY},
    {K_NEOX, "halves as pairs", "keys have halves where queries have pairs", ANY},
    {MASK_ADDED, "a mask added", "a causal mask that the request does not have", ANY},
    {MASK_ADDED_FIRST, "a mask from the first", "a causal mask that begins at the first key, which",
     ANY},
    {WINDOW_ADDED, "a window added", "a window of % keys, which the request does not have", ANY},
    {WINDOW_OTHER, "another window", "a window of % keys, not %", ANY},
    {CAP_ADDED, "a cap added", "scores capped at %, which the request does not ask for", ANY},
    {CAP_OTHER, "another cap", "scores capped at %, not at %", ANY},
    {SINK_ADDED, "a sink added", "a sink of the score ", ANY},
    {SINKS_ADDED, "sinks added", "a sink in each head, which the request does not have", ANY},
    {PAGE_ZERO, "page of zeros", "keys and values % to % read as zeros", ANY},
    {V_PAGE_ZERO, "V page of zeros", "values of keys % to % read as zeros", ANY},
    {OUT_E4M3_SCALED, "output e4m3, scale", "the output is rounded to e4m3 with the scale 0.", ANY},
    {OUT_E4M3_RAW, "output e4m3, no scale", "the output is in e4m3 without its scale", ANY},
    {P_NO_FACTOR, "P without factor", "weights rounded to e4m3 without a factor", E4M3},
    {P_NO_FACTOR_TILE, "the same, tiles", "weights rounded to e4m3 without a factor", E4M3},
    {P_CLIPPED, "P clips", "weights clip at 448", E4M3},
    {P_NORMALISED, "P normalised", "weights divided by their sum before they are rounded to e4m3",
     E4M3},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Whether a text begins so; % is any number. */
static inline int begins(const char *text, const char *pattern)
{
    for (; *pattern; pattern++) {
        if (*pattern != '%') {
            if (*text++ != *pattern)
                return 0;
            continue;
        }
        if (*text < '0' || *text > '9')
            return 0;
        while (*text >= '0' && *text <= '9')
            text++;
    }
    return 1;
}

/* ---- requests -------------------------------------------------------------------------------- */

static planted_request request;
static double right[QUERIES_MOST * HEADS_MOST * DIM_MOST], wrong[sizeof right / sizeof right[0]];

/* An element of the cache. */
static inline double element(double x)
{
    return request.cache == CACHE_E4M3FNUZ ? to_e4m3fnuz(x)
           : request.cache == CACHE_E4M3   ? to_e4m3(x)
           : request.cache == CACHE_BF16   ? to_bf16(x)
                                           : x;
}

static inline void set_key(size_t i, double x)
{
    request.k_given[i] = to_bf16(x);
    request.k[i] = element(x / request.k_scale);
}

static inline void make_request(int mistake, int second)
{
    planted_request *r = &request;
    static const size_t lengths[] = {97, 130, 200, 231, 300};
    int needs = ANY;
    memset(r, 0, sizeof *r);
    r->dim = DIM_MOST;
    r->queries = 1 + random_below(QUERIES_MOST);
    r->heads = 4;
    r->kv_heads = random_below(3) ? 2 : 4;
    r->keys = lengths[random_below(5)];
    if ((mistake == TAIL_128 || second == TAIL_128) && r->keys < 128)
        r->keys = 300;
    for (size_t i = 0; i < ROWS; i++)
        if ((rows[i].mistake == mistake || rows[i].mistake == second) && rows[i].needs != ANY)
            needs = rows[i].needs;
    r->cache = (int)random_below(3);
    r->cache = needs == SCALED || needs == E4M3 ? CACHE_E4M3
               : needs == PLAIN                 ? CACHE_BF16
                                                : r->cache;
    r->kernel = r->cache == CACHE_F32    ? KERNEL_F32
                : r->cache == CACHE_BF16 ? KERNEL_BF16
                : random_below(2)        ? KERNEL_E4M3
                                         : KERNEL_BF16;
    r->kernel = needs == E4M3 ? KERNEL_E4M3 : r->kernel;
    if (mistake >= K_KEPT && mistake <= KV_STORED_1) /* those of 8 bits hide them */
        r->kernel = KERNEL_BF16;
    r->cache = r->cache == CACHE_E4M3 && is_fnuz ? CACHE_E4M3FNUZ : r->cache;
    r->scale = 1 / sqrt((double)r->dim);
    r->is_causal = 1;
    r->window = -1;
#define EITHER(x) (mistake == (x) || second == (x))
    if (EITHER(NO_WINDOW) || EITHER(WINDOW_LESS) || EITHER(WINDOW_MORE))
        r->window = 16 + (int)random_below(48);
    if (EITHER(NO_CAP) || EITHER(CAP_OTHER))
        r->cap = 2 + (double)random_below(4);
    if (EITHER(WINDOW_OTHER))
        r->window = 16 + (int)random_below(16);
    r->own_window = 35 + (int)random_below(40);
    r->own_cap = EITHER(CAP_OTHER) ? r->cap + 2 : 2 + (double)random_below(3);
    r->out_scale = 0.01 + 0.001 * (double)random_below(10);
    if (EITHER(MASK_ADDED) || EITHER(MASK_ADDED_FIRST)) {
        r->is_causal = 0;
        r->queries = QUERIES_MOST;
    }
    if (EITHER(SINKS_ADDED))
        r->queries = QUERIES_MOST;
    if (EITHER(NO_SINKS))
        r->has_sinks = 1;
    if (EITHER(HEADS_IN_TURN) || EITHER(HEADS_FIRST) || EITHER(HEADS_NEXT) ||
        EITHER(K_HEADS_IN_TURN) || EITHER(V_HEADS_IN_TURN) || EITHER(K_HEADS_NEXT) ||
        EITHER(V_HEADS_NEXT) || EITHER(V_HEADS_FIRST))
        r->kv_heads = 2;
    if (EITHER(NO_MASK) || EITHER(MASK_LESS) || EITHER(MASK_MORE) || EITHER(MASK_FIRST) ||
        EITHER(ROWS_TRANSPOSED))
        r->queries = QUERIES_MOST;
    for (size_t h = 0; h < r->heads; h++)
        r->sinks[h] = 3 + normal();
    r->k_scale = r->v_scale = 1;
    if (r->cache >= CACHE_E4M3) {
        r->k_scale = (double)(float)(0.01 * exp((double)random_below(37000) / 10000));
        r->v_scale = (double)(float)(0.013 * exp((double)random_below(37000) / 10000));
    }
    double loud = EITHER(OUT_448) || EITHER(OUT_E4M3) || EITHER(OUT_E5M2) ? 1500 : 1;
    if (loud > 1 && r->cache == CACHE_E4M3)
        r->v_scale = 20;
    for (size_t i = 0; i < r->queries * r->heads * r->dim; i++)
        r->q[i] = r->cache == CACHE_F32 ? (double)(float)(2 * normal()) : to_bf16(2 * normal());
    for (size_t i = 0; i < r->keys * r->kv_heads * r->dim; i++) {
        r->k_given[i] = to_bf16(normal());
        r->v_given[i] = to_bf16(loud * normal());
        r->k[i] = element(r->k_given[i] / r->k_scale);
        r->v[i] = element(r->v_given[i] / r->v_scale);
        if (r->cache == CACHE_F32) {
            r->k[i] = (double)(float)r->k[i];
            r->v[i] = (double)(float)r->v[i];
        }
    }
    size_t pages = r->keys / PAGE;
    r->page = random_below(pages - 1);
    r->other = (r->page + 1 + random_below(pages - 1)) % pages;
    if (EITHER(KEY_MISSING)) /* one that has some weight */
        for (size_t h = 0; h < r->kv_heads; h++)
            for (size_t d = 0; d < r->dim; d++)
                set_key(((r->page * PAGE + 3) * r->kv_heads + h) * r->dim + d,
                        r->q[h * (r->heads / r->kv_heads) * r->dim + d] / 4);
    r->limit = EITHER(Q_CLIPPED)   ? 2
               : EITHER(K_CLIPPED) ? element(1 / r->k_scale)
                                   : element(1.25 * loud / r->v_scale);
#undef EITHER
}

static inline uint32_t word_of(double x)
{
    return sf8_f32_bits((float)x);
}

static inline uint16_t bf16_of(double x)
{
    return (uint16_t)(word_of(to_bf16(x)) >> 16);
}

/* The code of a number of e4m3, or with bias 8 of e4m3fnuz, which has no negative zero. */
static inline uint8_t code_of(double x, int bias)
{
    unsigned sign = signbit(x) ? 0x80 : 0, code = 0;
    int exponent;
    x = fabs(x);
    if (x >= ldexp(1, 1 - bias)) {
        double m = frexp(x, &exponent);
        code = (unsigned)(exponent - 1 + bias) << 3 | ((unsigned)(m * 16) & 7);
    } else {
        code = (unsigned)ldexp(x, bias + 2);
    }
    return (uint8_t)(code || bias == 7 ? sign | code : 0);
}

static uint32_t q_words[QUERIES_MOST * HEADS_MOST * DIM_MOST],
    k_words[KEYS_MOST * HEADS_MOST * DIM_MOST], v_words[KEYS_MOST * HEADS_MOST * DIM_MOST],
    scales[2], sinks[HEADS_MOST], out_words[QUERIES_MOST * HEADS_MOST * DIM_MOST];
static float k_given[KEYS_MOST * HEADS_MOST * DIM_MOST], v_given[sizeof k_given / sizeof *k_given];
static int64_t blocks[KEYS_MOST / PAGE];
static sf8_recipe recipes[2]; /* of e4m3 and of e4m3fnuz */

static inline sf8_attend_cache cache_of(const double *elements, uint32_t *words, uint32_t *scale,
                                        double s)
{
    const planted_request *r = &request;
    size_t count = r->keys * r->kv_heads * r->dim, pages = (r->keys + PAGE - 1) / PAGE;
    static const uint32_t bits[] = {32, 16, 8, 8};
    sf8_attend_cache c;
    memset(&c, 0, sizeof c);
    memset(words, 0, KEYS_MOST * HEADS_MOST * DIM_MOST * sizeof *words);
    for (size_t i = 0; i < count; i++)
        if (r->cache == CACHE_F32)
            words[i] = word_of(elements[i]);
        else if (r->cache == CACHE_BF16)
            ((uint16_t *)(void *)words)[i] = bf16_of(elements[i]);
        else
            ((uint8_t *)(void *)words)[i] = code_of(elements[i], r->cache == CACHE_E4M3 ? 7 : 8);
    c.image.layout = sf8_kv_nhd(pages, PAGE, r->kv_heads, r->dim, bits[r->cache]);
    c.image.data = (uint8_t *)words;
    c.image.size = pages * PAGE * r->kv_heads * r->dim * bits[r->cache] / 8;
    c.words = r->cache == CACHE_F32 ? SF8_F32 : SF8_BF16;
    *scale = word_of(s);
    if (r->cache >= CACHE_E4M3) {
        c.recipe = &recipes[r->cache - CACHE_E4M3];
        c.scale = scale;
        c.scales = 1;
    }
    return c;
}

static inline sf8_attend make_attend(void)
{
    const planted_request *r = &request;
    sf8_attend a;
    memset(&a, 0, sizeof a);
    a.scale = word_of(r->scale);
    a.cap = word_of(r->cap);
    a.left = r->window;
    a.right = r->is_causal ? 0 : -1;
    a.first = (int64_t)(r->keys - r->queries);
    a.keys = r->keys;
    a.queries = r->queries;
    a.heads = r->heads;
    for (size_t h = 0; h < r->heads; h++)
        sinks[h] = word_of(r->sinks[h]);
    a.sinks = r->has_sinks ? sinks : NULL;
    a.k = cache_of(r->k, k_words, &scales[0], r->k_scale);
    a.v = cache_of(r->v, v_words, &scales[1], r->v_scale);
    a.block_count = (r->keys + PAGE - 1) / PAGE;
    for (size_t i = 0; i < a.block_count; i++)
        blocks[i] = (int64_t)i;
    a.blocks = blocks;
    size_t row = r->heads * r->dim;
    for (size_t i = 0; i < r->queries * row; i++)
        if (r->cache == CACHE_F32)
            q_words[i] = word_of(r->q[i]);
        else
            ((uint16_t *)(void *)q_words)[i] = bf16_of(r->q[i]);
    a.q_words = r->cache == CACHE_F32 ? SF8_F32 : SF8_BF16;
    a.out_words = SF8_F32;
    a.q = (sf8_kv_words){q_words, r->queries, r->dim, row, r->dim};
    a.out = (sf8_kv_room){NULL, r->queries, r->dim, row, r->dim};
    return a;
}

static const char *const bound_of[] = {"f32", "bf16", "fp8-one"};

static const char *claimed; /* the order in which the output should be computed */
static size_t claimed_parts, prefix;

static inline sf8_attention_diagnosis *diagnose(const double *out, const char *bound)
{
    const planted_request *r = &request;
    sf8_attend a = make_attend();
    for (size_t i = 0; i < r->keys * r->kv_heads * r->dim; i++) {
        k_given[i] = (float)r->k_given[i];
        v_given[i] = (float)r->v_given[i];
    }
    for (size_t i = 0; i < r->queries * r->heads * r->dim; i++)
        if (r->kernel == KERNEL_F32)
            out_words[i] = word_of(out[i]);
        else
            ((uint16_t *)(void *)out_words)[i] = bf16_of(out[i]);
    const sf8_attention_results given = {.request = &a,
                                         .keys = r->cache >= CACHE_E4M3 ? k_given : NULL,
                                         .values = r->cache >= CACHE_E4M3 ? v_given : NULL,
                                         .stored = r->kernel == KERNEL_F32 ? SF8_F32 : SF8_BF16,
                                         .out = out_words,
                                         .bound = bound,
                                         .order = claimed,
                                         .splits = claimed_parts,
                                         .prefix = prefix};
    sf8_attention_diagnosis *d = NULL;
    holds("it is diagnosed", sf8_diagnose_attention(&given, &d) == SF8_OK && d);
    if (!d)
        exit(1);
    return d;
}

/* The root of the mean square of what two outputs are apart. */
static inline double apart(const double *a, const double *b)
{
    double sum = 0;
    size_t n = request.queries * request.heads * request.dim;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)n);
}

static inline double size_of(const double *a)
{
    static const double zero[sizeof right / sizeof right[0]];
    return apart(a, zero);
}

/* ---- what is named --------------------------------------------------------------------------- */

typedef struct score {
    size_t planted, hidden, named, other, none, names;
} score;

static inline void print_names(const char *what, const sf8_attention_diagnosis *d, uint64_t seed)
{
    printf("    %s, seed %llu (%zu queries, %zu/%zu heads, %zu keys, cache %d, kernel %d):", what,
           (unsigned long long)seed, request.queries, request.heads, request.kv_heads, request.keys,
           request.cache, request.kernel);
    if (!d->count)
        printf(" nothing; %s %.3g", d->bound ? d->bound : "no bound", d->of_bound);
    for (size_t i = 0; i < d->count; i++)
        printf("%s %s", i ? ";" : "", d->list[i]);
    for (size_t i = 0; i < d->order_count; i++)
        printf(" order %s", d->orders[i]);
    printf("\n");
}

static inline int is_named(const sf8_attention_diagnosis *d, const char *expected)
{
    for (size_t i = 0; i < d->count; i++)
        if (begins(d->list[i], expected))
            return 1;
    return 0;
}

/* At least 95 in a hundred, and one more may be missed where that is less than one. */
static inline void enough(const char *what, const score *s)
{
    size_t shows = s->planted - s->hidden;
    holds(what, shows > 0 && (shows - s->named) * 20 <= shows + 20);
}

/* The arguments: rounds, the first seed, parts. */
typedef struct arguments {
    size_t rounds, first;
    const char *part;
} arguments;

static inline arguments arguments_of(int argc, char **argv, const char *parts)
{
    const char *tier = getenv("SOFTFP8_TIER");
    int is_full = tier && strcmp(tier, "full") == 0;
    if (sf8_recipe_named(&recipes[0], "kv-vllm") != SF8_OK ||
        sf8_recipe_named(&recipes[1], "kv-vllm-rocm") != SF8_OK)
        exit(2);
    return (arguments){argc > 1  ? (size_t)strtoul(argv[1], NULL, 10)
                       : is_full ? 6
                                 : 1,
                       argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 1,
                       argc > 3 ? argv[3] : parts};
}

#endif

/* SPDX-License-Identifier: MIT */
/* check_attend_mistakes.c -- the names of planted mistakes of attention: how many are right
 *
 * attend_planted.h computes the outputs. Prints a row for each mistake: how often it was planted
 * where it shows, named, named otherwise, and not named. What is right, and noise, has no name.
 *
 *     check_attend_mistakes [ROUNDS [FIRST [PARTS]]]
 *
 * how often each is planted; the first seed; s singles, p pairs, o orders, r what is right, i the
 * same and noise of each order
 */
#include "softfp8_attend.h"
#include "softfp8_blocks.h"
#include "softfp8_diagnose.h"

#include "attend_planted.h"
#include "diagnose_check.h"

/* ---- the mistakes ---------------------------------------------------------------------------- */

enum { ANY, SCALED, PLAIN, E4M3 }; /* caches: with scales, without, and kernels of 8 bits */

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
    {KEY_MISSING, "key missing", "the same key is missing in every row", ANY},
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
    {P_NO_FACTOR, "P without factor", "weights rounded to e4m3 without a factor", E4M3},
    {P_NO_FACTOR_TILE, "the same, tiles", "weights rounded to e4m3 without a factor", E4M3},
    {P_CLIPPED, "P clips", "weights clip at 448", E4M3},
    {P_NORMALISED, "P normalised", "weights divided by their sum before they are rounded to e4m3",
     E4M3},
};
enum { ROWS = sizeof rows / sizeof rows[0] };

/* Whether a text begins so; % is any number. */
static int begins(const char *text, const char *pattern)
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
static double right[QUERIES_MOST * HEADS_MOST * DIM_MOST], wrong[sizeof right / sizeof right[0]],
    exact[sizeof right / sizeof right[0]], other[sizeof right / sizeof right[0]];

/* An element of the cache. */
static double element(double x)
{
    return request.cache == CACHE_E4M3 ? to_e4m3(x) : request.cache == CACHE_BF16 ? to_bf16(x) : x;
}

static void make_request(int mistake, int second)
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
    r->scale = 1 / sqrt((double)r->dim);
    r->is_causal = 1;
    r->window = -1;
#define EITHER(x) (mistake == (x) || second == (x))
    if (EITHER(NO_WINDOW) || EITHER(WINDOW_LESS) || EITHER(WINDOW_MORE))
        r->window = 16 + (int)random_below(48);
    if (EITHER(NO_CAP))
        r->cap = 2 + (double)random_below(4);
    if (EITHER(NO_SINKS))
        r->has_sinks = 1;
    if (EITHER(HEADS_IN_TURN) || EITHER(HEADS_FIRST) || EITHER(HEADS_NEXT))
        r->kv_heads = 2;
    if (EITHER(NO_MASK) || EITHER(MASK_LESS) || EITHER(MASK_MORE) || EITHER(MASK_FIRST) ||
        EITHER(ROWS_TRANSPOSED))
        r->queries = QUERIES_MOST;
    for (size_t h = 0; h < r->heads; h++)
        r->sinks[h] = 3 + normal();
    r->k_scale = r->v_scale = 1;
    if (r->cache == CACHE_E4M3) {
        r->k_scale = (double)(float)(0.01 * exp((double)random_below(37000) / 10000));
        r->v_scale = (double)(float)(0.013 * exp((double)random_below(37000) / 10000));
    }
    double loud = EITHER(OUT_448) || EITHER(OUT_E4M3) || EITHER(OUT_E5M2) ? 1500 : 1;
    if (loud > 1 && r->cache == CACHE_E4M3)
        r->v_scale = 20;
    for (size_t i = 0; i < r->queries * r->heads * r->dim; i++)
        r->q[i] = r->cache == CACHE_F32 ? (double)(float)(2 * normal()) : to_bf16(2 * normal());
    for (size_t i = 0; i < r->keys * r->kv_heads * r->dim; i++) {
        r->k[i] = element(normal() / r->k_scale);
        r->v[i] = element(loud * normal() / r->v_scale);
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
                r->k[((r->page * PAGE + 3) * r->kv_heads + h) * r->dim + d] = element(
                    r->q[h * (r->heads / r->kv_heads) * r->dim + d] / 4 / r->k_scale);
    r->limit = EITHER(Q_CLIPPED)   ? 2
               : EITHER(K_CLIPPED) ? element(1 / r->k_scale)
                                   : element(1.25 * loud / r->v_scale);
#undef EITHER
}

static uint32_t word_of(double x)
{
    return sf8_f32_bits((float)x);
}

static uint16_t bf16_of(double x)
{
    return (uint16_t)(word_of(to_bf16(x)) >> 16);
}

/* The code of a number of e4m3. */
static uint8_t e4m3_of(double x)
{
    unsigned sign = signbit(x) ? 0x80 : 0, code = 0;
    int exponent;
    x = fabs(x);
    if (x >= 0x1p-6) {
        double m = frexp(x, &exponent);
        code = (unsigned)(exponent - 1 + 7) << 3 | ((unsigned)(m * 16) & 7);
    } else {
        code = (unsigned)(x * 512);
    }
    return (uint8_t)(sign | code);
}

static uint32_t q_words[QUERIES_MOST * HEADS_MOST * DIM_MOST],
    k_words[KEYS_MOST * HEADS_MOST * DIM_MOST], v_words[KEYS_MOST * HEADS_MOST * DIM_MOST],
    scales[2], sinks[HEADS_MOST], out_words[QUERIES_MOST * HEADS_MOST * DIM_MOST];
static int64_t blocks[KEYS_MOST / PAGE];
static sf8_recipe recipe;

static sf8_attend_cache cache_of(const double *elements, uint32_t *words, uint32_t *scale, double s)
{
    const planted_request *r = &request;
    size_t count = r->keys * r->kv_heads * r->dim, pages = (r->keys + PAGE - 1) / PAGE;
    static const uint32_t bits[] = {32, 16, 8};
    sf8_attend_cache c;
    memset(&c, 0, sizeof c);
    memset(words, 0, KEYS_MOST * HEADS_MOST * DIM_MOST * sizeof *words);
    for (size_t i = 0; i < count; i++)
        if (r->cache == CACHE_F32)
            words[i] = word_of(elements[i]);
        else if (r->cache == CACHE_BF16)
            ((uint16_t *)(void *)words)[i] = bf16_of(elements[i]);
        else
            ((uint8_t *)(void *)words)[i] = e4m3_of(elements[i]);
    c.image.layout = sf8_kv_nhd(pages, PAGE, r->kv_heads, r->dim, bits[r->cache]);
    c.image.data = (uint8_t *)words;
    c.image.size = pages * PAGE * r->kv_heads * r->dim * bits[r->cache] / 8;
    c.words = r->cache == CACHE_F32 ? SF8_F32 : SF8_BF16;
    *scale = word_of(s);
    if (r->cache == CACHE_E4M3) {
        c.recipe = &recipe;
        c.scale = scale;
        c.scales = 1;
    }
    return c;
}

static sf8_attend make_attend(void)
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
static size_t claimed_parts;

static sf8_attention_diagnosis *diagnose(const double *out, const char *bound)
{
    const planted_request *r = &request;
    sf8_attend a = make_attend();
    for (size_t i = 0; i < r->queries * r->heads * r->dim; i++)
        if (r->kernel == KERNEL_F32)
            out_words[i] = word_of(out[i]);
        else
            ((uint16_t *)(void *)out_words)[i] = bf16_of(out[i]);
    const sf8_attention_results given = {.request = &a,
                                         .stored = r->kernel == KERNEL_F32 ? SF8_F32 : SF8_BF16,
                                         .out = out_words,
                                         .bound = bound,
                                         .order = claimed,
                                         .splits = claimed_parts};
    sf8_attention_diagnosis *d = NULL;
    holds("it is diagnosed", sf8_diagnose_attention(&given, &d) == SF8_OK && d);
    if (!d)
        exit(1);
    return d;
}

/* The root of the mean square of what two outputs are apart. */
static double apart(const double *a, const double *b)
{
    double sum = 0;
    size_t n = request.queries * request.heads * request.dim;
    for (size_t i = 0; i < n; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum / (double)n);
}

static double size_of(const double *a)
{
    static const double zero[sizeof right / sizeof right[0]];
    return apart(a, zero);
}

/* ---- what is named --------------------------------------------------------------------------- */

typedef struct score {
    size_t planted, hidden, named, other, none, names;
} score;

static void print_names(const char *what, const sf8_attention_diagnosis *d, uint64_t seed)
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

/* Whether a mistake shows: five times as much as the kernel's own errors, or half of them if it is
 * how weights are rounded. */
static int shows(int mistake, int second)
{
    planted_output(&request, RIGHT, RIGHT, KERNEL_F32, exact);
    planted_output(&request, RIGHT, RIGHT, request.kernel, right);
    planted_output(&request, mistake, second, request.kernel, wrong);
    planted_output(&request, mistake, second, KERNEL_F32, other);
    double own = fmax(apart(right, exact), 1e-5 * size_of(exact)); /* f32 sums scores as well */
    return mistake >= P_NO_FACTOR ? apart(wrong, right) > own : apart(other, exact) > 5 * own;
}

static int is_named(const sf8_attention_diagnosis *d, const char *expected)
{
    for (size_t i = 0; i < d->count; i++)
        if (begins(d->list[i], expected))
            return 1;
    return 0;
}

static void plant(const mistake_row *row, uint64_t seed, score *s)
{
    planted_state = seed * 1000003 + (uint64_t)row->mistake;
    make_request(row->mistake, row->mistake);
    s->planted++;
    if (!shows(row->mistake, row->mistake)) {
        s->hidden++;
        return;
    }
    sf8_attention_diagnosis *d = diagnose(wrong, bound_of[request.kernel]);
    /* how weights are rounded may also be known by its bits, as a field of an order */
    int is_right = is_named(d, row->expected) || (row->mistake >= P_NO_FACTOR && d->order_count);
    s->named += (size_t)is_right;
    s->other += d->count && !is_right;
    s->none += !d->count;
    s->names += is_right ? d->count : 0;
    if (!is_right)
        print_names(row->name, d, seed);
    sf8_attention_diagnosis_free(d);
}

static score plant_all(size_t first, size_t rounds)
{
    score all = {0, 0, 0, 0, 0, 0};
    printf("%-22s %7s %6s %6s %6s %6s %6s\n", "planted", "", "shows", "named", "other", "none",
           "names");
    for (size_t i = 0; i < ROWS; i++) {
        score s = {0, 0, 0, 0, 0, 0};
        for (size_t n = 0; n < rounds; n++)
            plant(&rows[i], first + n, &s);
        printf("%-22s %7zu %6zu %6zu %6zu %6zu %6.2f\n", rows[i].name, s.planted,
               s.planted - s.hidden, s.named, s.other, s.none,
               s.named ? (double)s.names / (double)s.named : 0);
        all.planted += s.planted;
        all.hidden += s.hidden;
        all.named += s.named;
        all.other += s.other;
        all.none += s.none;
        all.names += s.names;
    }
    printf("%-22s %7zu %6zu %6zu %6zu %6zu\n", "all", all.planted, all.planted - all.hidden,
           all.named, all.other, all.none);
    return all;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* What a mistake changes: the keys that take part, the output, the factor of keys or of values. Two
 * that change the same are one: other keys that are missing, another factor. */
enum { OF_KEYS = 1, OF_OUTPUT = 2, OF_K_FACTOR = 4, OF_V_FACTOR = 8 };

static int changed_by(int mistake)
{
    int of = 0;
    of |= mistake >= TAIL_16 && mistake <= KEY_MISSING ? OF_KEYS : 0;
    of |= mistake >= OUT_448 && mistake <= OUT_HALF ? OF_OUTPUT : 0;
    of |= mistake == K_FORGOTTEN || mistake == BOTH_FORGOTTEN || mistake == K_TWICE ||
                  mistake == BOTH_TWICE || mistake == EXCHANGED || mistake == K_OF_V
              ? OF_K_FACTOR
              : 0;
    of |= mistake == V_FORGOTTEN || mistake == BOTH_FORGOTTEN || mistake == V_TWICE ||
                  mistake == BOTH_TWICE || mistake == EXCHANGED || mistake == V_OF_K ||
                  mistake == OUT_HALF
              ? OF_V_FACTOR
              : 0;
    return of;
}

/* The mistakes whose names these are, of which the second may be RIGHT; 0 without them. */
static int mistakes_of(const char *text, int *one, int *two)
{
    const char *with = strstr(text, "; and: ");
    *one = *two = RIGHT;
    for (size_t i = 0; i < ROWS; i++) {
        if (begins(text, rows[i].expected))
            *one = rows[i].mistake;
        if (with && begins(with + strlen("; and: "), rows[i].expected))
            *two = rows[i].mistake;
    }
    return *one != RIGHT && (!with || *two != RIGHT);
}

/* Whether a name that was not planted gives the same output: nothing tells the two apart. */
static int is_equal(const sf8_attention_diagnosis *d, int one, int two)
{
    int a, b;
    planted_output(&request, one, two, KERNEL_F32, exact);
    double own = apart(wrong, exact);
    for (size_t i = 0; i < d->count; i++)
        if (mistakes_of(d->list[i], &a, &b)) {
            planted_output(&request, a, b, request.kernel, other);
            if (apart(other, wrong) <= own)
                return 1;
        }
    return 0;
}

static score plant_pairs(size_t first, size_t count)
{
    score s = {0, 0, 0, 0, 0, 0};
    for (size_t n = 0; s.planted - s.hidden < count && n < 20 * count; n++) {
        planted_state = (first + n) * 7919;
        const mistake_row *one = &rows[random_below(ROWS - 4)],
                          *two = &rows[random_below(ROWS - 4)];
        if (one == two || one->needs + two->needs == SCALED + PLAIN ||
            (changed_by(one->mistake) & changed_by(two->mistake)) != 0)
            continue;
        make_request(one->mistake, two->mistake);
        s.planted++;
        /* Both show, and neither alone is the output. */
        int both = 1;
        for (int k = 0; k < 2; k++) {
            planted_output(&request, (k ? one : two)->mistake, RIGHT, request.kernel, right);
            planted_output(&request, one->mistake, two->mistake, request.kernel, wrong);
            planted_output(&request, (k ? one : two)->mistake, RIGHT, KERNEL_F32, exact);
            both = both &&
                   apart(wrong, right) > 5 * fmax(apart(right, exact), 1e-5 * size_of(exact));
        }
        if (!both || !shows(one->mistake, two->mistake) || size_of(wrong) == 0) {
            s.hidden++;
            continue;
        }
        sf8_attention_diagnosis *d = diagnose(wrong, bound_of[request.kernel]);
        int is_right = 0;
        for (size_t i = 0; i < d->count; i++) {
            const char *with = strstr(d->list[i], "; and: ");
            is_right |= with && ((begins(d->list[i], one->expected) &&
                                  begins(with + strlen("; and: "), two->expected)) ||
                                 (begins(d->list[i], two->expected) &&
                                  begins(with + strlen("; and: "), one->expected)));
        }
        is_right = is_right || is_equal(d, one->mistake, two->mistake);
        s.named += (size_t)is_right;
        s.other += d->count && !is_right;
        s.none += !d->count;
        if (!is_right) {
            char what[64];
            snprintf(what, sizeof what, "%s + %s", one->name, two->name);
            print_names(what, d, first + n);
        }
        sf8_attention_diagnosis_free(d);
    }
    printf("%-22s %7zu %6zu %6zu %6zu %6zu\n", "pairs", s.planted, s.planted - s.hidden, s.named,
           s.other, s.none);
    return s;
}

/* ---- what is right, and noise ---------------------------------------------------------------- */

static size_t accused;

/* What has no mistake. */
static void innocent(const char *what, const double *out, const char *bound, uint64_t seed,
                     int good)
{
    sf8_attention_diagnosis *d = diagnose(out, bound);
    int is_right = d->count == 0 && d->is_expected == good;
    accused += !is_right;
    if (!is_right) {
        printf("    %s: ", d->is_expected ? "as expected" : "not as expected");
        print_names(what, d, seed);
    }
    sf8_attention_diagnosis_free(d);
}

/* The outputs of a definition or an order, in doubles; 0 if it does not support the request. */
static int library_output(const sf8_attend_order *o, sf8_attend_sums sums, size_t cut, double *to)
{
    sf8_attend a = make_attend();
    static uint32_t words[QUERIES_MOST * HEADS_MOST * DIM_MOST];
    a.out.words = words;
    a.sums = sums;
    if (o ? sf8_attend_order_check(o, &a, cut) : sf8_attend_check(&a))
        return 0;
    size_t size = o ? sf8_attend_order_room(o, &a, cut) : sf8_attend_room(&a);
    uint32_t *room = malloc((size + 1) * sizeof *room);
    sf8_status status = !room ? SF8_NO_ROOM
                        : o   ? sf8_attend_order_n(o, &a, cut, room, size)
                              : sf8_attend_n(&a, room, size);
    free(room);
    for (size_t i = 0; i < request.queries * request.heads * request.dim; i++)
        to[i] = (double)sf8_f32_from_bits(words[i]);
    return status == SF8_OK;
}

static size_t check_right(uint64_t first, size_t rounds)
{
    size_t count = 0;
    const sf8_attend_order *o;
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        planted_state = seed * 31337;
        make_request(RIGHT, RIGHT);
        planted_output(&request, RIGHT, RIGHT, request.kernel, right);
        innocent("a kernel", right, bound_of[request.kernel], seed, 1);
        for (int sums = 0; sums < 3; sums++)
            if (library_output(NULL, (sf8_attend_sums)sums, 1, right)) {
                innocent("a definition", right, NULL, seed, 1);
                count++;
            }
        for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
            size_t cut = 1 + (size_t)seed % 4;
            if (o->split != SF8_SPLIT_PREFIX && library_output(o, SF8_ATTEND_EXACT, cut, right)) {
                innocent(o->name, right, NULL, seed, 1);
                count++;
            }
        }
        count++;
    }
    return count;
}

/* ---- orders that are claimed ----------------------------------------------------------------- */

/* The keys of each 16, in another order: every instruction and every tile has the same ones. Of one
 * query, which sees all of them. */
static void permute(void)
{
    planted_request *r = &request;
    size_t row = r->kv_heads * r->dim;
    for (size_t from = 0; from + PAGE <= r->keys; from += PAGE)
        for (size_t i = PAGE - 1; i > 0; i--) {
            size_t a = (from + i) * row, b = (from + random_below(i + 1)) * row;
            for (size_t d = 0; d < row; d++) {
                double k = r->k[a + d], v = r->v[a + d];
                r->k[a + d] = r->k[b + d];
                r->v[a + d] = r->v[b + d];
                r->k[b + d] = k;
                r->v[b + d] = v;
            }
        }
}

static double most_of_order;

/* What an order gives with its keys permuted is inside its bound, and no other's. */
static size_t check_orders(uint64_t first, size_t rounds)
{
    const sf8_attend_order *o;
    size_t count = 0;
    for (uint64_t seed = first; seed < first + rounds; seed++)
        for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
            static planted_request kept;
            planted_state = seed * 65537 + i;
            make_request(RIGHT, RIGHT);
            if (o->operands == SF8_OPERANDS_CODES)
                make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.queries = 1;
            request.kernel = seed % 2 ? KERNEL_F32 : request.kernel; /* how the output is stored */
            claimed_parts = sf8_attend_order_counts(o) ? 1 + (size_t)seed % 3 : 0;
            kept = request;
            permute();
            int is_supported = o->split != SF8_SPLIT_PREFIX &&
                               library_output(o, SF8_ATTEND_EXACT,
                                              claimed_parts ? claimed_parts : 1, right);
            request = kept;
            if (is_supported) {
                claimed = o->name;
                sf8_attention_diagnosis *d = diagnose(right, NULL);
                most_of_order = d->of_bound > most_of_order ? d->of_bound : most_of_order;
                int is_other = d->is_same && d->order_count &&
                               d->bound; /* a row may have its bits */
                sf8_attention_diagnosis_free(d);
                if (!is_other)
                    innocent(o->name, right, NULL, seed, 1);
                count++;
            }
            claimed = NULL;
            claimed_parts = 0;
        }
    return count;
}

/* Another field than claimed is named, without equal bits. */
static score check_fields(uint64_t first, size_t rounds)
{
    static const struct {
        const char *claimed, *is;
    } fields[] = {
        {"fa3-fp8", "fa3-fp8 offset=0"},        {"fa3-fp8", "fa3-fp8 tile=96"},
        {"fa3-fp8", "fa3-fp8 tile=64"},         {"fa3-fp8", "fa3-fp8 ascending"},
        {"fa3-fp8", "fa3-fp8 rescale-after=8"}, {"fa3-fp8-two-level", "fa3-fp8-two-level offset=0"},
    };
    score s = {0, 0, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            static planted_request kept;
            sf8_attend_order own;
            planted_state = seed * 104729 + i;
            make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.queries = 1;
            request.keys = 300;
            request.kernel = seed % 2 ? KERNEL_F32 : request.kernel;
            kept = request;
            if (sf8_attend_order_read(fields[i].is, &own, NULL) != SF8_OK)
                exit(2);
            permute();
            int is_supported = library_output(&own, SF8_ATTEND_EXACT, 1, wrong);
            request = kept;
            claimed = fields[i].claimed;
            claimed_parts = 1;
            s.planted++;
            sf8_attention_diagnosis *d = diagnose(wrong, NULL);
            char expected[128];
            snprintf(expected, sizeof expected, "the order %s", fields[i].is);
            int is_right = is_supported && is_named(d, expected);
            /* or by its bits, where the others are rounded off; a row may have them too */
            is_right = is_right || (d->order_count && !d->is_expected);
            int is_hidden = d->is_same && d->is_expected;
            s.hidden += (size_t)is_hidden;
            s.named += (size_t)is_right;
            s.other += d->count && !is_right;
            s.none += (size_t)(!d->count && !is_right && !is_hidden);
            s.names += is_right ? d->count : 0;
            if (!is_right && !is_hidden)
                print_names(fields[i].is, d, seed);
            sf8_attention_diagnosis_free(d);
            claimed = NULL;
            claimed_parts = 0;
        }
    printf("%-22s %7zu %6zu %6zu %6zu %6zu %6.2f\n", "fields of an order", s.planted,
           s.planted - s.hidden, s.named, s.other, s.none,
           s.named ? (double)s.names / (double)s.named : 0);
    return s;
}

static size_t check_noise(uint64_t first, size_t rounds)
{
    for (uint64_t seed = first; seed < first + rounds; seed++) {
        planted_state = seed * 271828;
        make_request(RIGHT, RIGHT);
        double size = exp(log(1e-3) + (double)random_below(1000) / 1000 * log(1e6));
        if (seed % 4 == 0) { /* values without their scale would be as small as the noise */
            make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.v_scale = 300;
            size = 0.1;
        }
        for (size_t i = 0; i < request.queries * request.heads * request.dim; i++)
            right[i] = request.kernel == KERNEL_F32 ? (double)(float)(normal() * size)
                                                    : to_bf16(normal() * size);
        innocent("noise", right, seed % 3 == 0 ? "fp8-one" : NULL, seed, 0);
    }
    return rounds;
}

/* Small requests. What an order gives is as expected, with the order claimed or without; noise has
 * no name, whatever order is claimed. Returns how many outputs there were. */
static size_t check_innocent(uint64_t first, size_t rounds)
{
    const sf8_attend_order *o;
    size_t count = 0;
    for (size_t i = 0; (o = sf8_attend_order_at(i)); i++) {
        size_t of_order = 0;
        for (uint64_t seed = first; seed < first + rounds; seed++) {
            planted_state = seed * 15485863 + i;
            make_request(RIGHT, RIGHT);
            if (o->operands == SF8_OPERANDS_CODES)
                make_request(P_NO_FACTOR, P_NO_FACTOR);
            request.queries = 1 + (size_t)seed % 2;
            request.keys = 33 + random_below(80);
            claimed_parts = o->split == SF8_SPLIT_COUNT ? 1 + (size_t)seed % 3 : 0;
            if (o->split == SF8_SPLIT_PREFIX ||
                !library_output(o, SF8_ATTEND_EXACT, claimed_parts ? claimed_parts : 1, right))
                continue;
            claimed = seed % 2 ? o->name : NULL;
            innocent(o->name, right, NULL, seed, 1);
            claimed = o->name;
            double size = exp(log(1e-2) + (double)random_below(1000) / 1000 * log(1e4));
            for (size_t k = 0; k < request.queries * request.heads * request.dim; k++)
                right[k] = to_bf16(normal() * size);
            innocent("noise", right, NULL, seed, 0);
            of_order += 2;
        }
        claimed = NULL;
        claimed_parts = 0;
        printf("%-22s %7zu\n", o->name, of_order);
        count += of_order;
    }
    return count;
}

/* At least 95 in a hundred, and one more may be missed where that is less than one. */
static void enough(const char *what, const score *s)
{
    size_t shows = s->planted - s->hidden;
    holds(what, shows > 0 && (shows - s->named) * 20 <= shows + 20);
}

int main(int argc, char **argv)
{
    const char *tier = getenv("SOFTFP8_TIER");
    int is_full = tier && strcmp(tier, "full") == 0;
    size_t rounds = argc > 1 ? (size_t)strtoul(argv[1], NULL, 10) : is_full ? 6 : 1;
    size_t first = argc > 2 ? (size_t)strtoul(argv[2], NULL, 10) : 1;
    const char *part = argc > 3 ? argv[3] : "spor";
    if (sf8_recipe_named(&recipe, "kv-vllm") != SF8_OK)
        return 2;
    if (strchr(part, 's')) {
        score s = plant_all(first, rounds);
        enough("single mistakes are named", &s);
        holds("none has another's name", s.other == 0);
    }
    if (strchr(part, 'p')) {
        score s = plant_pairs(first, 5 * rounds);
        enough("pairs are named", &s);
        holds("none has another's name, or one of a hundred", s.other * 100 <= s.planted);
    }
    if (strchr(part, 'o')) {
        size_t count = check_orders(first, rounds);
        printf("claimed orders: %zu, at most %.3g of their bounds\n", count, most_of_order);
        score s = check_fields(first, rounds);
        enough("fields of an order are named", &s);
        holds("none has another's name", s.other == 0);
    }
    if (strchr(part, 'r')) {
        size_t count = check_right(first, rounds), noise = check_noise(first, 10 * rounds);
        printf("right outputs: %zu, noise: %zu; accused: %zu\n", count, noise, accused);
    }
    if (strchr(part, 'i'))
        printf("right outputs and noise: %zu; accused: %zu\n", check_innocent(first, rounds),
               accused);
    holds("nothing right is accused", accused == 0);
    return failures > 0;
}

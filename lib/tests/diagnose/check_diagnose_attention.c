/* SPDX-License-Identifier: MIT */
/* check_diagnose_attention.c -- sf8_diagnose_attention: planted mistakes are named, what is right
 * is not accused
 *
 * The outputs are computed here in doubles, without the library, from keys and values in f32.
 */
#include "softfp8_test.h"
#include "diagnose_check.h"

#include <math.h>

enum { QUERIES = 3, KEYS = 40, SLOTS = 16, BLOCKS = 3, DIM = 16, COUNT = QUERIES * DIM };

static float q[COUNT], k[BLOCKS * SLOTS * DIM], v[BLOCKS * SLOTS * DIM], out[COUNT];
static uint32_t lse[QUERIES];

static float random_float(void)
{
    static uint64_t state = UINT64_C(88172645463325252);
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (float)((double)(int32_t)(state >> 32) / 1073741824.0);
}

/* Blocks in the order 2, 0, 1. */
static const int64_t order[BLOCKS] = {2, 0, 1};

static size_t at(size_t key)
{
    return ((size_t)order[key / SLOTS] * SLOTS + key % SLOTS) * DIM;
}

static uint32_t bits_of(double x)
{
    float f = (float)x;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* Causal attention: query i sees the keys up to 37 + i, or `more`. */
static void attend(double scale, size_t more)
{
    for (size_t i = 0; i < QUERIES; i++) {
        double sum = 0, total[DIM] = {0};
        for (size_t key = 0; key <= KEYS - QUERIES + i + more && key < KEYS; key++) {
            double score = 0;
            for (size_t c = 0; c < DIM; c++)
                score += (double)q[i * DIM + c] * (double)k[at(key) + c];
            double weight = exp(score * scale);
            sum += weight;
            for (size_t c = 0; c < DIM; c++)
                total[c] += weight * (double)v[at(key) + c];
        }
        for (size_t c = 0; c < DIM; c++)
            out[i * DIM + c] = (float)(total[c] / sum);
        lse[i] = bits_of(log(sum));
    }
}

static sf8_attend request;

static sf8_attend_cache cache_of(float *words)
{
    sf8_attend_cache c;
    memset(&c, 0, sizeof c);
    c.image.layout = sf8_kv_nhd(BLOCKS, SLOTS, 1, DIM, 32);
    c.image.data = (uint8_t *)words;
    c.image.size = sizeof k;
    c.words = SF8_F32;
    return c;
}

static sf8_attention_results make(void)
{
    for (size_t i = 0; i < COUNT; i++)
        q[i] = 2 * random_float();
    for (size_t i = 0; i < BLOCKS * SLOTS * DIM; i++) {
        k[i] = random_float();
        v[i] = random_float();
    }
    memset(&request, 0, sizeof request);
    request.scale = bits_of(0.25);
    request.left = -1;
    request.first = KEYS - QUERIES;
    request.keys = KEYS;
    request.queries = QUERIES;
    request.heads = 1;
    request.k = cache_of(k);
    request.v = cache_of(v);
    request.blocks = order;
    request.block_count = BLOCKS;
    request.q_words = request.out_words = SF8_F32;
    request.q = (sf8_kv_words){q, QUERIES, DIM, DIM, DIM};
    request.out = (sf8_kv_room){NULL, QUERIES, DIM, DIM, DIM};
    attend(0.25, 0);
    return (sf8_attention_results){.request = &request, .stored = SF8_F32, .out = out, .lse = lse};
}

static sf8_attention_diagnosis *diagnose(const sf8_attention_results *r)
{
    sf8_attention_diagnosis *d = NULL;
    holds("it is diagnosed", sf8_diagnose_attention(r, &d) == SF8_OK && d);
    if (!d)
        exit(1);
    return d;
}

static int names(const sf8_attention_diagnosis *d, const char *words)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->list[i], words) == 0)
            return 1;
    return 0;
}

/* Keys that are zeros, as values too, are said of the request; fewer than eight are not, nor those
 * whose values are none. */
static void check_zeros(void)
{
    static const struct {
        size_t from, to; /* keys; values up to 31 */
        const char *line;
    } cases[] = {
        {16, 32, "\nkeys 16 to 31 of the request are zeros, as values too"},
        {24, 32, "\nkeys 24 to 31 of the request are zeros, as values too"},
        {25, 32, NULL},
        {32, 32, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sf8_attention_results r = make();
        for (size_t key = 16; key < 32; key++) {
            memset(v + at(key), 0, DIM * sizeof *v);
            if (key >= cases[i].from && key < cases[i].to)
                memset(k + at(key), 0, DIM * sizeof *k);
        }
        attend(0.25, 0);
        sf8_attention_diagnosis *d = diagnose(&r);
        holds("a page of zeros is no mistake", d->is_expected && d->count == 0);
        const char *line = strstr(d->message, " of the request are zeros");
        holds("keys that are zeros are said",
              cases[i].line ? strstr(d->message, cases[i].line) != NULL : line == NULL);
        sf8_attention_diagnosis_free(d);
    }
}

static void check_planted(void)
{
    sf8_attention_results r = make();
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("what is right", d->is_expected && d->verdict == SF8_VERDICT_POLICY && d->is_lse_right);
    same("what is right", "f32", d->bound ? d->bound : "none");
    sf8_attention_diagnosis_free(d);
    attend(1, 0);
    d = diagnose(&r);
    holds("no scale", d->verdict == SF8_VERDICT_CHANGED && !d->is_expected && !d->bound);
    holds("no scale", names(d, "the scale of scores forgotten"));
    sf8_attention_diagnosis_free(d);
    attend(0.25, 0);
    for (size_t i = 0; i < COUNT; i++)
        out[i] *= 3;
    d = diagnose(&r);
    holds("a factor", d->verdict == SF8_VERDICT_CHANGED && d->count == 1);
    same("a factor", "the output is 3 times the true value", d->count ? d->list[0] : "");
    sf8_attention_diagnosis_free(d);
    attend(0.25, 0);
    lse[1] ^= 0x00400000;
    d = diagnose(&r);
    holds("the log of a sum",
          d->verdict == SF8_VERDICT_POLICY && !d->is_expected && !d->is_lse_right);
    sf8_attention_diagnosis_free(d);
    for (size_t i = 0; i < COUNT; i++)
        out[i] = random_float();
    d = diagnose(&r);
    holds("noise", d->verdict == SF8_VERDICT_NONE && d->count == 0 && d->of_bound > 1);
    sf8_attention_diagnosis_free(d);
}

/* ---- infinities and sinks -------------------------------------------------------------------- */

static int is_expected(const sf8_attention_results *r)
{
    sf8_attention_diagnosis *d = diagnose(r);
    int expected = d->is_expected && d->count == 0;
    sf8_attention_diagnosis_free(d);
    return expected;
}

/* A value of infinity makes its channel infinite, and nothing else. */
static void check_infinities(void)
{
    sf8_attention_results r = make();
    v[at(5) + 3] = -INFINITY;
    attend(0.25, 0);
    holds("an infinity that is due", isinf(out[3]) && is_expected(&r));
    out[3] = INFINITY;
    holds("an infinity of the other sign", !is_expected(&r));
    out[3] = -1e30F;
    holds("a number in place of an infinity", !is_expected(&r));
    out[3] = NAN;
    holds("NaN in place of an infinity", !is_expected(&r));
    out[3] = -INFINITY;
    out[4] = -INFINITY;
    holds("an infinity too many", !is_expected(&r));
}

/* An output of f16 in which one channel of all values is `x`, the others 1.875, and has this word.
 * One word is the next number, so that it has the bits of no definition. */
static int is_expected_f16(float x, uint16_t word)
{
    uint16_t words[COUNT];
    sf8_attention_results r = make();
    for (size_t i = 0; i < BLOCKS * SLOTS * DIM; i++)
        v[i] = i % DIM == 3 ? x : 1.875F;
    for (size_t i = 0; i < COUNT; i++)
        words[i] = i % DIM == 3 ? word : i == 0 ? 0x3f81 : 0x3f80;
    r.stored = SF8_F16;
    r.out = words;
    attend(0.25, 0);
    return is_expected(&r);
}

static void check_overflow(void)
{
    holds("65504", is_expected_f16(65504, 0x7bff));
    holds("what overflows f16", is_expected_f16(1e5F, 0x7c00));
    holds("what overflows f16, below 0", is_expected_f16(-1e5F, 0xfc00));
    holds("what is off by little, and overflows", is_expected_f16(65512, 0x7c00));
    holds("what does not overflow", !is_expected_f16(60000, 0x7c00));
    holds("an overflow to the other side", !is_expected_f16(1e5F, 0xfc00));
}

/* Weights in f16 beside a sink with nearly all the weight: many become 0, and others keep few bits.
 */
static void attend_beside_sink(double sink, double fails)
{
    for (size_t i = 0; i < QUERIES; i++) {
        double sum = 1, total[DIM] = {0};
        for (size_t key = 0; key <= KEYS - QUERIES + i; key++) {
            double score = 0;
            for (size_t c = 0; c < DIM; c++)
                score += (double)q[i * DIM + c] * (double)k[at(key) + c];
            double weight = exp(score * 0.25 - sink);
            sum += weight;
            for (size_t c = 0; c < DIM; c++)
                total[c] += ldexp(nearbyint(ldexp(weight, 24)), -24) * (double)v[at(key) + c];
        }
        for (size_t c = 0; c < DIM; c++)
            out[i * DIM + c] = (float)(total[c] / sum * fails);
        lse[i] = bits_of(log(sum) + sink);
    }
}

static void check_sink(void)
{
    sf8_attention_results r = make();
    for (int sink = 12; sink <= 16; sink++) {
        uint32_t word = bits_of(sink);
        request.sinks = &word;
        r.bound = "f16";
        attend_beside_sink(sink, 1);
        holds("weights in f16 beside a sink", is_expected(&r));
        if (sink <= 12) {
            attend_beside_sink(sink, 1.2);
            sf8_attention_diagnosis *d = diagnose(&r);
            holds("a factor beside a sink", d->of_bound > 1);
            sf8_attention_diagnosis_free(d);
        }
    }
    request.sinks = NULL;
}

/* ---- messages -------------------------------------------------------------------------------- */

/* Whether a message begins with this line. */
static int begins(const char *message, const char *line)
{
    size_t length = strlen(line);
    return message && strncmp(message, line, length) == 0 && message[length] == '\n';
}

static void check_messages(void)
{
    sf8_attention_results r = make();
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("the message of what is right",
          strncmp(d->message, "as expected: inside the error bound of: f32 throughout (", 56) == 0);
    holds("its last line has no end", d->message[strlen(d->message) - 1] != '\n');
    sf8_attention_diagnosis_free(d);
    holds("the check of what is right", sf8_check_attention(&r) == NULL);
    SF8_ASSERT_ATTENTION(&r);
    attend(1, 0);
    char *why = sf8_check_attention(&r);
    holds("the message of a mistake", begins(why, "likely mistake: the scale of scores forgotten"));
    sf8_check_free(why);
    r.bound = "f64";
    why = sf8_check_attention(&r);
    same("an unknown bound", "there is no such error bound", why ? why : "");
    sf8_check_free(why);
    r.bound = NULL;
    r.order = "none";
    why = sf8_check_attention(&r);
    same("an unknown order", "there is no such order", why ? why : "");
    sf8_check_free(why);
}

/* What is 1.02 times too large is inside the widest bound alone. */
static void check_any(void)
{
    sf8_attention_results r = make();
    for (size_t i = 0; i < COUNT; i++)
        out[i] *= 1.02F;
    holds("a factor", !is_expected(&r));
    r.bound = "any";
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("any bound", d->is_expected);
    sf8_attention_diagnosis_free(d);
}

/* An output that has every bit of another order than the one that is claimed. */
static void check_other_order(void)
{
    sf8_attention_results r = make();
    const sf8_attend_order *given = sf8_attend_order_named("paged-v1");
    size_t words = sf8_attend_order_room(given, &request, 0);
    uint32_t *room = calloc(words, sizeof *room);
    request.out.words = out;
    request.lse = lse;
    holds("an order", sf8_attend_order_n(given, &request, 0, room, words) == SF8_OK);
    request.out.words = NULL;
    request.lse = NULL;
    free(room);
    r.order = given->name;
    holds("the order that is claimed", is_expected(&r));
    r.order = "fa3-bf16";
    char *why = sf8_check_attention(&r);
    holds("another order",
          why && strncmp(why, "another order: every bit equals the order paged-v1", 50) == 0);
    sf8_check_free(why);
}

/* A causal mask in the output alone: each query ends at its own key, which is not its number. */
static void check_added_mask(void)
{
    sf8_attention_results r = make();
    request.right = -1;
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("a mask that is not asked for", names(d, "a causal mask that the request does not have"));
    sf8_attention_diagnosis_free(d);
}

/* ---- one rule each --------------------------------------------------------------------------- */

/* To three bits, which numbers of e4m3 have too. */
static void check_narrow_output(void)
{
    sf8_attention_results r = make();
    for (size_t i = 0; i < COUNT; i++) {
        int exponent;
        double m = frexp((double)out[i], &exponent);
        out[i] = (float)ldexp(nearbyint(m * 8), exponent - 3);
    }
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("an output in e5m2", d->count && strstr(d->list[0], "e5m2") != NULL);
    sf8_attention_diagnosis_free(d);
}

/* A mistake that hides in the widest bound is one all the same. */
static void check_hidden(void)
{
    sf8_attention_results r = make();
    r.bound = "any";
    attend(0.25, 1);
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("a mistake inside the bound", d->bound && d->count && !d->is_expected);
    sf8_attention_diagnosis_free(d);
}

/* Weights that keep a factor leave it in the log of their sums. What differs from row to row is no
 * such factor. */
static void check_offsets(void)
{
    static const struct {
        double factor;
        int base2, is_each;
        const char *words;
    } offsets[] = {
        {256, 0, 1,
         "likely mistake: lse: base e, too large by 5.545 in every row: the logarithm of 256, as "
         "if the sum of weights had this factor"},
        {256, 1, 1,
         "likely mistake: lse: base 2, too large by 8 in every row: the logarithm of 256, as if "
         "the sum of weights had this factor"},
        {0.00390625, 0, 1,
         "likely mistake: lse: base e, too small by 5.545 in every row: the logarithm of "
         "0.00390625, as if the sum of weights had this factor"},
        {448, 0, 1,
         "likely mistake: lse: base e, too large by 6.105 in every row: the logarithm of 448, as "
         "if the sum of weights had this factor"},
        {1.5, 0, 1, "likely mistake: lse: base e, too large by 0.4055 in every row"},
        {256, 0, 0, "unexplained: lse: wrong; 1 of 3 rows fit base e, 0 base 2"},
    };
    sf8_attention_results r = make();
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        double base = offsets[i].base2 ? log(2) : 1;
        attend(0.25, 0);
        for (size_t row = offsets[i].is_each ? 0 : 1; row < QUERIES; row++)
            lse[row] = bits_of(((double)sf8_f32_from_bits(lse[row]) + log(offsets[i].factor)) /
                               base);
        request.lse_base2 = offsets[i].base2;
        sf8_attention_diagnosis *d = diagnose(&r);
        holds("an offset of the lse", !d->is_lse_right && !d->is_expected);
        holds("and its words", begins(d->message, offsets[i].words));
        sf8_attention_diagnosis_free(d);
    }
    request.lse_base2 = 0;
    /* the bound of FP8 allows an error of a score that is as large as log 256; the factor shows */
    r.bound = "fp8-two";
    for (int is_factor = 0; is_factor < 2; is_factor++) {
        for (size_t i = 0; i < COUNT; i++)
            q[i] = 60 * random_float();
        attend(0.25, 0);
        for (size_t row = 0; row < QUERIES; row++)
            lse[row] = bits_of((double)sf8_f32_from_bits(lse[row]) +
                               (is_factor ? log(256) : 3 + (double)row / 4));
        sf8_attention_diagnosis *d = diagnose(&r);
        holds("an offset inside the bound", d->is_lse_right == !is_factor);
        sf8_attention_diagnosis_free(d);
    }
}

/* The base of the log of the sums is that of the request. */
static void check_bases(void)
{
    sf8_attention_results r = make();
    for (int base2 = 0; base2 < 2; base2++)
        for (int two = 0; two < 2; two++) {
            attend(0.25, 0);
            for (size_t i = 0; two && i < QUERIES; i++)
                lse[i] = bits_of((double)sf8_f32_from_bits(lse[i]) / log(2));
            request.lse_base2 = base2;
            sf8_attention_diagnosis *d = diagnose(&r);
            holds("the base of the lse",
                  d->is_lse_right == (two == base2) && d->is_expected == (two == base2));
            if (two != base2)
                holds("its words", begins(d->message, two ? "likely mistake: lse: base 2, expected "
                                                            "base e"
                                                          : "likely mistake: lse: base e, expected "
                                                            "base 2"));
            sf8_attention_diagnosis_free(d);
        }
    request.lse_base2 = 0;
}

/* An output in bf16 that is nearer than units of bf16 are lies in a narrower bound. */
static void check_narrower(void)
{
    uint16_t words[COUNT];
    sf8_attention_results r = make();
    for (size_t i = 0; i < COUNT; i++)
        words[i] = (uint16_t)sf8_convert(SF8_BF16, SF8_F32, bits_of((double)out[i]), SF8_OCP_NOSAT);
    r.stored = SF8_BF16;
    r.out = words;
    sf8_attention_diagnosis *d = diagnose(&r);
    same("an output in bf16", "f32", d->bound ? d->bound : "none");
    sf8_attention_diagnosis_free(d);
}

/* One row without a key that has much weight, which the others share. */
static void check_missing_key(void)
{
    enum { KEY = 5 };
    sf8_attention_results r = make();
    for (size_t c = 0; c < DIM; c++)
        k[at(KEY) + c] = q[DIM + c] / 2;
    attend(0.25, 0);
    double sum = 0, total[DIM] = {0};
    for (size_t key = 0; key <= KEYS - QUERIES + 1; key++) {
        double score = 0;
        for (size_t c = 0; c < DIM; c++)
            score += (double)q[DIM + c] * (double)k[at(key) + c];
        double weight = key == KEY ? 0 : exp(score * 0.25);
        sum += weight;
        for (size_t c = 0; c < DIM; c++)
            total[c] += weight * (double)v[at(key) + c];
    }
    for (size_t c = 0; c < DIM; c++)
        out[DIM + c] = (float)(total[c] / sum);
    sf8_attention_diagnosis *d = diagnose(&r);
    holds("a key that is missing in one row", strstr(d->message, "; key 5, of weight 0.") != NULL);
    sf8_attention_diagnosis_free(d);
}

static void check_two(void)
{
    float other[COUNT];
    make();
    memcpy(other, out, sizeof other);
    sf8_same_attention_results two = {
        .queries = QUERIES, .heads = 1, .dim = DIM, .stored = SF8_F32, .a = out, .b = other};
    SF8_ASSERT_SAME_ATTENTION(&two);
    other[DIM + 2] += 1;
    char *why = sf8_check_same_attention(&two);
    holds("two outputs that differ", why && strncmp(why, "different in 1 of 3 rows", 24) == 0);
    sf8_check_free(why);
    two.stored = SF8_E4M3;
    why = sf8_check_same_attention(&two);
    same("outputs of e4m3", "expected outputs of f32, f16 or bf16", why ? why : "");
    sf8_check_free(why);
}

static void refuses(const char *what, sf8_status status, sf8_attention_results r)
{
    sf8_attention_diagnosis *d = (sf8_attention_diagnosis *)&r;
    holds(what, sf8_diagnose_attention(&r, &d) == status && !d);
}

static void check_calls(void)
{
    sf8_attention_results r = make();
    r.stored = SF8_E4M3;
    refuses("an output of e4m3", SF8_BAD_FORMAT, r);
    r = make();
    r.bound = "f64";
    refuses("an unknown bound", SF8_UNKNOWN_NAME, r);
    r = make();
    request.block_count = 2;
    refuses("too few blocks", SF8_BAD_CALL, r);
    r = make();
    request.q_scale = lse;
    request.q_scales = 2;
    refuses("two scales of queries", SF8_BAD_CALL, r);
    sf8_attention_diagnosis_free(NULL);
}

static sf8_status diagnose_right(void)
{
    const sf8_attention_results r = make();
    sf8_attention_diagnosis *d;
    sf8_status status = sf8_diagnose_attention(&r, &d);
    sf8_attention_diagnosis_free(d);
    return status;
}

int main(void)
{
    check_memory(diagnose_right);
    check_calls();
    check_planted();
    check_infinities();
    check_overflow();
    check_sink();
    check_messages();
    check_any();
    check_other_order();
    check_added_mask();
    check_two();
    check_narrow_output();
    check_hidden();
    check_bases();
    check_offsets();
    check_narrower();
    check_missing_key();
    printf("%d failures\n", failures);
    check_zeros();
    return failures > 0;
}

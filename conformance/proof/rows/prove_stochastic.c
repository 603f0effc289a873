/* SPDX-License-Identifier: MIT */
/* prove_stochastic.c -- stochastic rounding: every result, and how many random numbers round up
 *
 * For a point between two neighbours of the target all 2^8 random numbers of 8 bits are tried. Each
 * result is compared with the reference's, and the number of those rounded up with the number that
 * theory gives. For other lengths the random numbers on both sides of the threshold are tried.
 */
#include "rows/rows.h"

#include <string.h>

enum { SR_WORDS = 256 };

/* The longest random number of a target, and the length of which all values are tried. */
static int longest_word(const ref_format *f)
{
    return f->width == 64 ? 6 : 32;
}

static int tried_word(const ref_format *f)
{
    return f->width == 64 ? 6 : 8;
}

typedef sf8_result (*sr_call)(const worker *w, sf8_policy policy, uint32_t word);

static sf8_policy sr_policy(int rule, int bits, int saturate)
{
    static const unsigned rules[] = {SF8_SR_A, SF8_SR_B, SF8_SR_C};
    sf8_policy e = saturate ? SF8_OCP : SF8_OCP_NOSAT;
    e.round = SF8_SR;
    e.sr_rule = rules[rule] & 3u;
    e.sr_bits = (unsigned)bits & 63u;
    return e;
}

/* The number of the library's results that are the upper neighbour, against theory. */
static void check_count(worker *w, int rule, int saturate, const uint64_t codes[SR_WORDS],
                        uint64_t upper)
{
    ref_answer want = {ref_sr_count(&w->ref), 0};
    sf8_result got = {0, 0};
    for (int word = 0; word < 1 << tried_word(w->f); word++)
        got.code += codes[word] == upper;
    check(w, REF_MODES + rule, saturate, want, got);
}

/* All random numbers of 8 bits (6 for f64), with higher bits that must have no effect; and the
 * count, where the two neighbours have codes of their own. */
static void all_words(worker *w, sr_call call, int rule, int saturate)
{
    sf8_policy e = sr_policy(rule, tried_word(w->f), saturate);
    uint64_t codes[SR_WORDS], neighbour[2] = {0, 0};
    unsigned seen = 0;
    for (uint32_t word = 0; word < 1u << tried_word(w->f); word++) {
        uint32_t noisy = word | (word * 2654435761u << tried_word(w->f));
        int up;
        ref_answer want = ref_sr_finish(&w->ref, noisy, saturate, &up);
        sf8_result got = call(w, e, noisy);
        w->input[3] = noisy;
        check(w, REF_MODES + rule, saturate, want, got);
        codes[word] = got.code;
        neighbour[up] = want.code;
        seen |= 1u << up;
    }
    if (seen == 3 && neighbour[0] != neighbour[1])
        check_count(w, rule, saturate, codes, neighbour[1]);
}

/* Random numbers next to the threshold, and the ends. */
static void threshold_words(worker *w, sr_call call, int rule, int bits)
{
    uint64_t one = (uint64_t)1 << bits, first = one - ref_sr_count(&w->ref);
    const uint64_t words[] = {first - 1, first, first + 1, 0, one - 1, one / 2};
    sf8_policy e = sr_policy(rule, bits, 1);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int up;
        uint32_t word = (uint32_t)words[i];
        ref_answer want = ref_sr_finish(&w->ref, word, 1, &up);
        w->input[3] = word;
        check(w, REF_MODES + rule, 1, want, call(w, e, word));
    }
}

/* The current exact result by all rules; `round` is ref_sr_round or its integral form. */
static void every_rule(worker *w, sr_call call, void (*round)(ref_work *, int, int), int both)
{
    static const int lengths[] = {1, 2, 3, 5, 8, 10, 16, 23, 24, 31, 32};
    static const char *const names[] = {"sr-a", "sr-b", "sr-c"};
    const size_t n = sizeof lengths / sizeof lengths[0], step = w->tier == FULL ? 1 : 4;
    w->inputs = MAX_INPUTS;
    for (int rule = 0; rule < 3; rule++) {
        w->what = names[rule];
        round(&w->ref, rule, tried_word(w->f));
        all_words(w, call, rule, 0);
        if (both)
            all_words(w, call, rule, 1);
        for (size_t i = w->turn++ % step; i < n; i += step) { /* they take turns */
            if (lengths[i] > longest_word(w->f))
                continue;
            round(&w->ref, rule, lengths[i]);
            if (w->ref.kind == REF_IS_NUMBER)
                threshold_words(w, call, rule, lengths[i]);
        }
    }
}

/* ---- conversions ----------------------------------------------------------------------------- */

static sf8_result call_convert(const worker *w, sf8_policy policy, uint32_t word)
{
    return sf8_convert_sr(w->sf, SF8_F64, w->input[0], policy, word);
}

/* x, exact in f64, with one sign or both. */
static void sr_point(worker *w, mpfr_srcptr x, int negative, int both_signs, int both_policies)
{
    const ref_format *f64 = ref_format_of("f64");
    ref_operand o;
    double d = mpfr_get_d(x, MPFR_RNDZ);
    if (mpfr_cmp_d(x, d) != 0)
        return; /* a format that reaches beyond f64 */
    d = negative ? -d : d;
    ref_operand_init(&o);
    for (int sign = 0; sign <= both_signs; sign++) {
        memcpy(&w->input[0], &d, sizeof d);
        ref_decode(f64, w->input[0], &o);
        ref_convert(&w->ref, f64, &o);
        every_rule(w, call_convert, ref_sr_round, both_policies);
        d = -d;
    }
    ref_operand_clear(&o);
}

/* The points between neighbours, n * 2^exponent of the way: k/16; ties of rules b and c, odd/512;
 * just beside a code. The first ones are all that the P3109 family gets in the quick tier. */
enum { FEW = 5 };
static const struct {
    long n, exponent;
} fractions[] = {
    {1, -4},   {1, -1},   {1, -9},   {0xffff, -16}, {1, -36},       {0, 0},  {2, -4},
    {3, -4},   {4, -4},   {5, -4},   {6, -4},       {7, -4},        {9, -4}, {10, -4},
    {11, -4},  {12, -4},  {13, -4},  {14, -4},      {15, -4},       {3, -9}, {255, -9},
    {257, -9}, {509, -9}, {511, -9}, {1, -8},       {0x7ffff, -20},
};

static void points_between(worker *w, mpfr_srcptr lo, mpfr_srcptr hi, int few, int both_policies)
{
    size_t n = few ? FEW : sizeof fractions / sizeof fractions[0];
    mpfr_t x, gap;
    mpfr_inits2(64, x, gap, (mpfr_ptr)0);
    mpfr_sub(gap, hi, lo, MPFR_RNDZ);
    for (size_t i = 0; i < n; i++) {
        mpfr_mul_si(x, gap, fractions[i].n, MPFR_RNDZ);
        mpfr_mul_2si(x, x, fractions[i].exponent, MPFR_RNDZ);
        mpfr_add(x, x, lo, MPFR_RNDZ);
        sr_point(w, x, w->turn & 1, w->tier == FULL, both_policies);
    }
    mpfr_clears(x, gap, (mpfr_ptr)0);
}

/* Between all neighbours from 0 to two beyond the largest finite number; in the quick tier a few
 * points for the P3109 family. Both policies at the top of the range, where they differ. */
static void run_sr_convert(worker *w)
{
    const ref_format *f = w->f;
    int few = in_family(w) && w->tier != FULL;
    mpfr_t lo, hi;
    mpfr_inits2(64, lo, hi, (mpfr_ptr)0);
    mpfr_set_zero(lo, 1);
    w->from = "f64";
    for (uint64_t k = f->has_zero ? 1 : 0; k <= f->max + 2; k++) {
        ref_value(f, k, hi);
        points_between(w, lo, hi, few, k >= f->max);
        mpfr_set(lo, hi, MPFR_RNDZ);
    }
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

/* ---- operations ------------------------------------------------------------------------------ */

static sf8_result call_operation(const worker *w, sf8_policy policy, uint32_t word)
{
    const uint64_t *x = w->input;
    switch (w->row->work.arg) {
    case REF_ADD:
        return sf8_add_sr(w->sf, x[0], x[1], policy, word);
    case REF_SUB:
        return sf8_sub_sr(w->sf, x[0], x[1], policy, word);
    case REF_MUL:
        return sf8_mul_sr(w->sf, x[0], x[1], policy, word);
    case REF_DIV:
        return sf8_div_sr(w->sf, x[0], x[1], policy, word);
    case REF_REM:
        return sf8_rem_sr(w->sf, x[0], x[1], policy, word);
    case REF_SQRT:
        return sf8_sqrt_sr(w->sf, x[0], policy, word);
    default:
        return sf8_fma_sr(w->sf, x[0], x[1], x[2], policy, word);
    }
}

/* Random operands: of a narrow format, or of a wide one with exponents near to each other. */
static void random_operand(const ref_format *f, uint64_t *state, ref_operand *o)
{
    uint64_t r = word_random(state), mantissa = ((uint64_t)1 << f->man_bits) - 1;
    uint64_t exponent = (uint64_t)f->bias + (r >> 8 & 7) - 4;
    uint64_t near_one = (exponent << f->man_bits) + (word_random(state) & mantissa);
    if (f->width > 8 && (r & 15) != 0)
        r = near_one | (r >> 63 ? ref_sign_bit(f) : 0);
    ref_decode(f, r, o);
}

static void run_sr_operation(worker *w)
{
    uint64_t state = (uint64_t)w->row->work.arg * 1000 + (uint64_t)w->f->width;
    int n = (int)by_tier(w, 400, 40, 5) * (in_family(w) ? 1 : 4);
    ref_operand o[3];
    for (int i = 0; i < 3; i++)
        ref_operand_init(&o[i]);
    for (; n > 0; n--) {
        for (int i = 0; i < 3; i++) {
            random_operand(w->f, &state, &o[i]);
            w->input[i] = o[i].code;
        }
        ref_arithmetic(&w->ref, w->row->work.arg, &o[0], &o[1], &o[2]);
        every_rule(w, call_operation, ref_sr_round, n & 1);
    }
    for (int i = 0; i < 3; i++)
        ref_operand_clear(&o[i]);
}

static sf8_result call_scalb(const worker *w, sf8_policy policy, uint32_t word)
{
    return sf8_scalb_sr(w->sf, w->input[0], (int32_t)w->input[1], policy, word);
}

static sf8_result call_rint(const worker *w, sf8_policy policy, uint32_t word)
{
    return sf8_rint_sr(w->sf, w->input[0], policy, 0, word);
}

/* Every code scaled to near the bottom of the range, and rounded to an integer. */
static void run_sr_unary(worker *w)
{
    uint64_t step = w->f->width == 8 ? by_tier(w, 1, 3, 11) : 1;
    for (uint64_t a = 0; a < codes_of(w->f); a += step) {
        const ref_operand *o = &w->f->table[a];
        long e = mpfr_regular_p(o->value) ? (long)mpfr_get_exp(o->value) : 0;
        inputs(w, 2, a, (uint32_t)(int32_t)(w->f->emin - e - (long)(a & 7) + 2), 0);
        ref_scalb(&w->ref, o, (int32_t)w->input[1]);
        every_rule(w, call_scalb, ref_sr_round, 0);
        ref_convert(&w->ref, w->f, o);
        every_rule(w, call_rint, ref_sr_round_integral, 1);
    }
}

static sf8_result call_from_signed(const worker *w, sf8_policy policy, uint32_t word)
{
    return sf8_from_i64_sr(w->sf, (int64_t)w->input[0], policy, word);
}

static sf8_result call_from_unsigned(const worker *w, sf8_policy policy, uint32_t word)
{
    return sf8_from_u64_sr(w->sf, w->input[0], policy, word);
}

static void run_sr_integer(worker *w)
{
    uint64_t state = 99;
    for (unsigned i = 0; i < by_tier(w, 1000, 60, 8); i++) {
        uint64_t n = word_random(&state) >> (i % 56);
        inputs(w, 1, n, 0, 0);
        ref_from_signed(&w->ref, (int64_t)n);
        every_rule(w, call_from_signed, ref_sr_round, 1);
        ref_from_unsigned(&w->ref, n);
        every_rule(w, call_from_unsigned, ref_sr_round, 1);
    }
}

void add_stochastic_rows(void)
{
    static const char *const names[] = {"sr-add", "sr-sub",  "sr-mul", "sr-div",
                                        "sr-rem", "sr-sqrt", "sr-fma"};
    work integer = {.modes = "3x2", .run = run_sr_integer};
    work operation = {.modes = "3x2", .run = run_sr_operation};
    add_rows("sr-convert", (work){.modes = "3x2", .run = run_sr_convert});
    add_rows("sr-unary", (work){.modes = "3x2", .run = run_sr_unary});
    add_rows("sr-from-int", integer);
    add_row("sr-from-int", "f16", integer);
    add_row("sr-from-int", "f32", integer);
    add_row("sr-from-int", "f64", integer);
    for (int op = REF_ADD; op <= REF_FMA; op++) {
        operation.arg = op;
        add_rows(names[op], operation);
        add_row(names[op], "bf16", operation);
        add_row(names[op], "f32", operation);
    }
}

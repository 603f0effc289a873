/* SPDX-License-Identifier: MIT */
/* check_diagnose_rules.c -- sf8_diagnose_operation and sf8_diagnose_random: what was done is named
 *
 * The results are computed without the library, as those of bad_converters.h are.
 */
#include "bad_converters.h"
#include "diagnose_check.h"
#include "softfp8_diagnose.h"

/* Checks the verdict and the first explanation, and frees the diagnosis. */
static void says(const char *what, sf8_status status, sf8_diagnosis *d, sf8_verdict verdict,
                 const char *words)
{
    holds(what, status == SF8_OK && d->verdict == verdict);
    same(what, words, status == SF8_OK && d->count ? d->list[0].words : "");
    sf8_diagnosis_free(d);
}

/* ---- operations ------------------------------------------------------------------------------ */

enum { CODES = 0x7f, ROWS = 4 * CODES * CODES };

static uint64_t operands[2 * ROWS], codes[ROWS];

static double value_of(uint32_t code)
{
    double x = decode(code & 0x7f, 4, 3);
    /* decode() takes the largest exponent for infinity and NaN */
    x = (code & 0x78) == 0x78 ? 256 + 32 * (code & 7) : x;
    return code & 0x80 ? -x : x;
}

static uint32_t truncated(double x, uint32_t sign)
{
    double r = round_to(x, 4, -6, floor);
    return sign | (r > 448 ? (uint32_t)MAX_CODE : encode(r));
}

static uint32_t one_is_two(double x, uint32_t sign)
{
    return x == 1 ? sign | 0x40 : good(x, sign);
}

static uint32_t half_is_noise(double x, uint32_t sign)
{
    return x > 2 ? noise(x, sign) : good(x, sign);
}

/* Operands and results have the bias 8, so a product of the values with bias 7 is 4 times too
 * large, and its code stands for half of that. */
static uint32_t another_bias(double x, uint32_t sign)
{
    return good(x / 2, sign);
}

static uint32_t negative_nan(double x, uint32_t sign)
{
    uint32_t code = torch_before(x, sign);
    return (code & 0x7f) == NAN_CODE ? 0xff : code;
}

/* All pairs of numbers. */
static sf8_operation_results results(const char *function, converter convert)
{
    int sums = strcmp(function, "e4m3_add") == 0;
    size_t n = 0;
    for (uint32_t a = 0; a < 0x100; a++)
        for (uint32_t b = 0; b < 0x100; b++) {
            if ((a & 0x7f) == 0x7f || (b & 0x7f) == 0x7f)
                continue;
            double x = sums ? value_of(a) + value_of(b) : value_of(a) * value_of(b);
            operands[2 * n] = a;
            operands[2 * n + 1] = b;
            codes[n++] = convert(fabs(x), signbit(x) ? 0x80 : 0);
        }
    return (sf8_operation_results){
        .function = function, .operands = operands, .codes = codes, .count = n};
}

static const struct {
    const char *what, *function;
    converter convert;
    sf8_verdict verdict;
    const char *words;
} planted[] = {
    {"right products", "e4m3_mul", good, SF8_VERDICT_POLICY, "ocp"},
    {"right sums", "e4m3_add", good, SF8_VERDICT_POLICY, "ocp"},
    {"truncated", "e4m3_mul", truncated, SF8_VERDICT_POLICY,
     "ocp with round=rz: rounds toward zero"},
    {"flushed", "e4m3_mul", flush, SF8_VERDICT_CHANGED,
     "ocp with flush=outputs: subnormal results are flushed to zero"},
    {"in bf16 first", "e4m3_add", via_bf16, SF8_VERDICT_CHANGED,
     "ocp with through=bf16: computed in bf16 and rounded again"},
    {"another bias", "e4m3_mul", another_bias, SF8_VERDICT_CHANGED,
     "ocp with bias=8: the exponents have another bias"},
    {"negative NaN", "e4m3_mul", negative_nan, SF8_VERDICT_CHANGED,
     "cuda-nosat with made_nan=negative: a NaN made of numbers or infinities has its sign set, as "
     "on x86"},
    {"one is two", "e4m3_mul", one_is_two, SF8_VERDICT_NEAREST, "ocp"},
    {"mostly noise", "e4m3_mul", half_is_noise, SF8_VERDICT_NONE, ""},
};

static void check_operations(void)
{
    for (size_t i = 0; i < sizeof planted / sizeof planted[0]; i++) {
        sf8_diagnosis *d;
        const sf8_operation_results r = results(planted[i].function, planted[i].convert);
        sf8_status status = sf8_diagnose_operation(&r, &d);
        says(planted[i].what, status, d, planted[i].verdict, planted[i].words);
    }
}

static void check_expected(void)
{
    sf8_diagnosis *d;
    sf8_operation_results r = results("e4m3_mul", truncated);
    r.expected = "ocp round=rz";
    holds("it is as expected",
          sf8_diagnose_operation(&r, &d) == SF8_OK && d->is_expected && d->wrong == 0);
    sf8_diagnosis_free(d);
    r.expected = "ocp";
    holds("it is not as expected", sf8_diagnose_operation(&r, &d) == SF8_OK && !d->is_expected &&
                                       d->wrong > 0 &&
                                       strcmp(d->mistake, "rounds toward zero") == 0);
    sf8_diagnosis_free(d);
    r.seconds = 1e-9;
    holds("no time", sf8_diagnose_operation(&r, &d) == SF8_OK && d->is_cut_short);
    sf8_diagnosis_free(d);
}

/* ---- random rounding ------------------------------------------------------------------------- */

static uint32_t random_words[ROWS];

/* x >= 0 is rounded up if the part that does not fit, in units of 2^-bits, and a random number of
 * as many bits have a carry. */
static uint32_t carried(double x, uint32_t sign, int bits, uint32_t random)
{
    double below = round_to(x, 4, -6, floor), above = round_to(x, 4, -6, ceil);
    double part = above > below ? (x - below) / (above - below) : 0;
    double r = floor(ldexp(part, bits)) + random >= ldexp(1, bits) ? above : below;
    return sign | encode(r);
}

/* Every seventh number of f16 that e4m3 reaches; the random words have eight bits. */
static sf8_random_results randomly(int bits, int high, int fixed)
{
    size_t n = 0;
    uint32_t state = 1;
    for (uint32_t word = 0; word < 0x10000; word += 7) {
        double x = decode(word & 0x7fff, 5, 10);
        state = state * 1664525 + 1013904223;
        if (!(x <= 448))
            continue;
        uint32_t random = state >> 24, sign = word >> 15 << 7;
        operands[n] = word;
        random_words[n] = random;
        codes[n++] = fixed ? truncated(x, sign)
                           : carried(x, sign, bits,
                                     high ? random >> (8 - bits) : random & ((1u << bits) - 1));
    }
    return (sf8_random_results){.from = SF8_F16,
                                .to = SF8_E4M3,
                                .inputs = operands,
                                .random = random_words,
                                .width = 8,
                                .codes = codes,
                                .count = n};
}

static const struct {
    const char *what;
    int bits, high, fixed;
    const char *words;
} rules[] = {
    {"eight bits", 8, 0, 0,
     "ocp with round=sr sr_rule=a sr_bits=8: rounds stochastically, and stochastic rounding by "
     "rule A, and 8 random bits count"},
    {"five low bits", 5, 0, 0,
     "ocp with round=sr sr_rule=a sr_bits=5 bits=lowest: rounds stochastically, and stochastic "
     "rounding by rule A, and 5 random bits count, and of the random number the lowest bits count"},
    {"three high bits", 3, 1, 0,
     "ocp with round=sr sr_rule=a sr_bits=3 bits=highest: rounds stochastically, and stochastic "
     "rounding by rule A, and 3 random bits count, and of the random number the highest bits "
     "count"},
    {"no random numbers", 0, 0, 1, "ocp with round=rz: rounds toward zero"},
};

static void check_random(void)
{
    sf8_diagnosis *d;
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        const sf8_random_results r = randomly(rules[i].bits, rules[i].high, rules[i].fixed);
        sf8_status status = sf8_diagnose_random(&r, &d);
        says(rules[i].what, status, d, SF8_VERDICT_POLICY, rules[i].words);
    }
    sf8_random_results r = randomly(8, 0, 0);
    r.expected = "ocp round=sr sr_bits=8";
    holds("random as expected", sf8_diagnose_random(&r, &d) == SF8_OK && d->is_expected);
    sf8_diagnosis_free(d);
    r.expected = "ocp round=sr sr_bits=7";
    holds("not as expected", sf8_diagnose_random(&r, &d) == SF8_OK && !d->is_expected && d->wrong);
    sf8_diagnosis_free(d);
    r.width = 7;
    holds("a random number of 8 bits", sf8_diagnose_random(&r, &d) == SF8_BAD_CALL && !d);
    r.width = 33;
    holds("random numbers of 33 bits", sf8_diagnose_random(&r, &d) == SF8_BAD_CALL && !d);
    r.from.exp_bits = 0;
    holds("no format", sf8_diagnose_random(&r, &d) == SF8_BAD_FORMAT && !d);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void refuses(const char *what, sf8_status status, const char *function, uint64_t operand,
                    uint64_t code, size_t count, const char *expected)
{
    const uint64_t x[] = {operand, 0x38}, y[] = {code};
    sf8_operation_results r = {
        .function = function, .operands = x, .codes = y, .count = count, .expected = expected};
    sf8_diagnosis *d = (sf8_diagnosis *)&r;
    holds(what, sf8_diagnose_operation(&r, &d) == status && !d);
}

static void check_calls(void)
{
    refuses("no function", SF8_UNKNOWN_NAME, "e4m3_mull", 0x38, 0x38, 1, NULL);
    refuses("a conversion", SF8_BAD_CALL, "e4m3_to_f16", 0x38, 0x38, 1, NULL);
    refuses("a wide operand", SF8_BAD_CALL, "e4m3_mul", 0x138, 0x38, 1, NULL);
    refuses("a wide code", SF8_BAD_CALL, "e4m3_mul", 0x38, 0x138, 1, NULL);
    refuses("nothing", SF8_BAD_CALL, "e4m3_mul", 0x38, 0x38, 0, NULL);
    refuses("no such policy", SF8_UNKNOWN_NAME, "e4m3_mul", 0x38, 0x38, 1, "no such policy");
}

static sf8_status diagnose_two(void)
{
    static const uint64_t x[] = {0x39, 0x3c, 0x39, 0x39}, y[] = {0x3e, 0x3a};
    static const uint32_t random[] = {0x12, 0xe0};
    const sf8_operation_results r = {.function = "e4m3_mul",
                                     .operands = x,
                                     .codes = y,
                                     .count = 2,
                                     .progress = tell,
                                     .user = &told};
    const sf8_random_results of_random = {.from = SF8_E4M3,
                                          .to = SF8_E4M3,
                                          .inputs = x,
                                          .random = random,
                                          .width = 8,
                                          .codes = x,
                                          .count = 2};
    sf8_diagnosis *d;
    sf8_status status = sf8_diagnose_operation(&r, &d);
    sf8_diagnosis_free(d);
    if (status != SF8_OK)
        return status;
    status = sf8_diagnose_random(&of_random, &d);
    sf8_diagnosis_free(d);
    return status;
}

int main(void)
{
    check_memory(diagnose_two);
    holds("progress", told > 0);
    check_operations();
    check_expected();
    check_random();
    check_calls();
    printf("%d failures\n", failures);
    return failures > 0;
}

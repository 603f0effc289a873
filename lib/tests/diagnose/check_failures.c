/* SPDX-License-Identifier: MIT */
/* check_failures.c -- sf8_test_results: what is right passes, what is wrong is said in a message
 *
 * The converters of bad_converters.h are written without the library. The messages are written by
 * hand.
 */
#include "bad_converters.h"
#include "diagnose_check.h"
#include "softfp8_test.h"

enum { MANY = 0x10000 };

static uint16_t halves[MANY];
static uint8_t codes[MANY], right[MANY];

/* Every f16 through two converters. */
static void convert_all(converter one, converter two)
{
    for (uint32_t word = 0; word < MANY; word++) {
        uint32_t sign = word >> 8 & 0x80;
        halves[word] = (uint16_t)word;
        codes[word] = (uint8_t)one(decode(word, 5, 10), sign);
        right[word] = (uint8_t)two(decode(word, 5, 10), sign);
    }
}

static sf8_failure *failure_of(const char *what, const sf8_test *t)
{
    sf8_failure *f = NULL;
    holds(what, sf8_test_results(t, &f) == SF8_OK && f);
    return f;
}

static void fails(const char *mistake, const sf8_test *t)
{
    sf8_failure *f = failure_of(mistake, t);
    same("likely mistake", mistake, f ? f->mistake : "");
    sf8_failure_free(f);
}

/* ---- messages -------------------------------------------------------------------------------- */

static void check_whole_message(void)
{
    static const float x[] = {1, 17, 18, -19, 0.3F, -17};
    static const uint8_t cut[] = {0x38, 0x58, 0x59, 0xd9, 0x29, 0xd8};
    static const size_t shape[] = {2, 3};
    const sf8_test t = {.to = SF8_E4M3,
                        .got = cut,
                        .count = 6,
                        .from = SF8_F32,
                        .operand = {x},
                        .shape = shape,
                        .axes = 2};
    sf8_failure *f = failure_of("a truncated cast", &t);
    same("message",
         "2 of 6 codes of e4m3 differ (33.3 %)\n"
         "  expected: f32 to e4m3, policy ocp, rne\n"
         "  inputs that differ, 2 ranges of f32:\n"
         "    3e99999a  (0.3)  got 29  expected 2a\n"
         "    c1980000  (-19)  got d9  expected da\n"
         "  elements that differ:\n"
         "    [1, 0]  input c1980000 = -19  got d9 = -18      expected da = -20\n"
         "    [1, 1]  input 3e99999a = 0.3  got 29 = 0.28125  expected 2a = 0.3125\n"
         "  matches instead: ocp, rz, on all inputs\n"
         "  likely mistake: rounds toward zero",
         f ? f->message : "");
    holds("its fields", f && f->differ == 2 && f->range_count == 2 &&
                            f->ranges[1].element[0] == 3 && f->ranges[0].expected[1] == 0x2a);
    sf8_failure_free(f);
    char *why = sf8_check_cast(SF8_F32, x, SF8_E4M3, cut, 6, "ocp round=rz");
    holds("what it matches passes", !why);
    why = sf8_check_cast(SF8_F32, x, SF8_E4M3, cut, 6, "none such");
    same("a policy", "there is no such policy for this conversion", why ? why : "");
    sf8_check_free(why);
}

/* What the message of a long array begins and ends with. */
static void check_long_message(void)
{
    convert_all(flush, good);
    char *why = sf8_check_cast(SF8_F16, halves, SF8_E4M3, codes, MANY, NULL);
    /* of each sign 0x1401 to 0x23ff, those above half of the least subnormal number that do not
     * round up to a normal number: to 0x237f */
    static const char head[] = "7,934 of 65,536 codes of e4m3 differ (12.1 %)\n"
                               "  expected: f16 to e4m3, policy ocp, rne\n"
                               "  inputs that differ, 2 ranges of f16:\n"
                               "    1401..237f  (0.0009775 .. 0.01464)    got 00  expected 01..07\n"
                               "    9401..a37f  (-0.0009775 .. -0.01464)  got 80  expected 81..87\n"
                               "  the first 4 of 7,934 elements that differ:\n"
                               "    [5121]  input 1401 = 0.0009775  got 00 = 0  expected 01 = "
                               "0.001953125\n";
    static const char end[] = "\n  matches instead: ocp, rne, flush=outputs, on all inputs\n"
                              "  likely mistake: subnormal results are flushed to zero";
    holds("a message", why && strlen(why) > sizeof head + sizeof end);
    if (why) {
        same("its end", end, why + strlen(why) - strlen(end));
        why[sizeof head - 1] = '\0';
        same("its head", head, why);
    }
    sf8_check_free(why);
}

/* A format without a sign has no negative half that would end a range. */
static void check_unsigned_range(void)
{
    uint8_t in[256], got[256];
    sf8_status known;
    sf8_format from = sf8_format_named("p3109_k8p4ue", &known);
    holds("a format", known == SF8_OK);
    for (unsigned i = 0; i < 256; i++) {
        uint8_t code = (uint8_t)sf8_convert(SF8_E5M2, from, i, SF8_OCP);
        in[i] = (uint8_t)i;
        got[i] = i < 0x78 || i > 0x88 ? code : (uint8_t)(code ^ 1);
    }
    const sf8_test t = {
        .to = SF8_E5M2, .got = got, .count = 256, .from = from, .operand = {in}, .policy = "ocp"};
    sf8_failure *f = failure_of("an unsigned format", &t);
    holds("one range", f && f->range_count == 1);
    sf8_failure_free(f);
}

/* What a few codes would also fit is not said. */
static void check_few(void)
{
    static const float one[] = {1}, some[] = {1, 2, 3, 4, 5, 6, 7, 8};
    static const uint8_t wrong[] = {0x7f};
    static const uint8_t nans[] = {0x7f, 0xff}, largest[] = {0x7e, 0xfe};
    uint8_t fnuz[8];
    sf8_format other = sf8_format_named("e4m3fnuz", NULL);
    char *why = sf8_check_cast(SF8_F32, one, SF8_E4M3, wrong, 1, NULL);
    holds("no other format of one code", why && !strstr(why, "these are codes of"));
    sf8_check_free(why);
    for (int i = 0; i < 8; i++)
        fnuz[i] = (uint8_t)sf8_convert(other, SF8_F32, sf8_f32_bits(some[i]), SF8_OCP);
    why = sf8_check_cast(SF8_F32, some, SF8_E4M3, fnuz, 8, NULL);
    holds("of eight", why && strstr(why, "these are codes of e4m3fnuz"));
    sf8_check_free(why);
    static const float up[] = {17.1F, 1, 2}; /* 0x58 = 16, 0x59 = 18 */
    static const uint8_t down[] = {0x58, 0x38, 0x40};
    why = sf8_check_cast(SF8_F32, up, SF8_E4M3, down, 3, NULL);
    holds("one input", why && strstr(why, "(only one input differs, so that there may be other"));
    sf8_check_free(why);
    why = sf8_check_codes(SF8_E4M3, nans, largest, 2);
    holds("NaN is not one too large", why && !strstr(why, "one too"));
    sf8_check_free(why);
    static const uint8_t zero[] = {8, 8, 1}, six[] = {7, 7, 1};
    why = sf8_check_codes(SF8_E2M1, zero, six, 3);
    holds("nor is -0 beside the largest number", why && !strstr(why, "one too"));
    sf8_check_free(why);
}

/* ---- casts ----------------------------------------------------------------------------------- */

/* The expected codes are given: the policy is the one that gives them. */
static void check_wanted(void)
{
    convert_all(ties_away, good);
    const sf8_test t = {.to = SF8_E4M3,
                        .got = codes,
                        .want = right,
                        .count = MANY,
                        .from = SF8_F16,
                        .operand = {halves}};
    fails("ties go away from zero", &t);
    for (uint32_t i = 0; i < MANY; i++) { /* a reference of other values is no cast of these */
        codes[i] = (uint8_t)ties_away(1.3 * decode(i, 5, 10), i >> 8 & 0x80);
        right[i] = (uint8_t)good(1.3 * decode(i, 5, 10), i >> 8 & 0x80);
    }
    sf8_failure *f = failure_of("a reference", &t);
    holds("it is said", f && !f->mistake[0] && !f->matches[0] && !f->nearest[0] &&
                            strstr(f->seen, "no policy gives the codes in want for these inputs"));
    sf8_failure_free(f);
}

static void check_scaled(void)
{
    static float x[2000];
    static uint8_t got[2000];
    for (size_t i = 0; i < 2000; i++) {
        x[i] = (float)i / 16 - 50;
        double scaled = fabs(x[i]) * 0.3;
        got[i] = (uint8_t)good(scaled, x[i] < 0 ? 0x80 : 0);
    }
    sf8_test t = {.to = SF8_E4M3, .got = got, .count = 2000, .from = SF8_F32, .operand = {x}};
    sf8_failure *f = failure_of("a factor", &t);
    holds("the factor is named",
          f &&
              strncmp(f->mistake,
                      "the codes are those of 0.3 times the inputs, as with a scale of "
                      "3.3",
                      66) == 0 &&
              strstr(f->mistake, ": all are consistent with a factor ") &&
              strcmp(f->matches, "ocp, rne, with the inputs times 0.3, on all inputs") == 0);
    sf8_failure_free(f);
    got[1999] ^= 1;
    f = failure_of("a factor but for one element", &t);
    holds("no element may be an exception", f && !f->mistake[0]);
    sf8_failure_free(f);
}

static void check_nearest(void)
{
    convert_all(ties_away, good);
    codes[0x3000] ^= 1;
    codes[0xb123] ^= 1;
    const sf8_test t = {
        .to = SF8_E4M3, .got = codes, .count = MANY, .from = SF8_F16, .operand = {halves}};
    sf8_failure *f = failure_of("two codes are wrong", &t);
    char expected[200];
    snprintf(expected, sizeof expected,
             "ocp, rna (ties go away from zero) gives all but 2 of 65,536 inputs; the expected "
             "policy all but %zu",
             f ? f->differ : 0);
    same("nearest", expected, f ? f->nearest : "");
    holds("nobody is accused", f && !f->mistake[0] && !f->matches[0]);
    sf8_failure_free(f);
}

static void check_two_codes(void)
{
    static const float x[] = {1, 2, 1};
    static const uint8_t got[] = {0x38, 0x40, 0x39};
    const sf8_test t = {.to = SF8_E4M3, .got = got, .count = 3, .from = SF8_F32, .operand = {x}};
    fails("the result depends on more than the input: 3f800000 = 1 gave 38 in element 0 and 39 in "
          "element 2",
          &t);
}

/* ---- codes alone ----------------------------------------------------------------------------- */

static void check_orders(void)
{
    static const uint8_t want[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 0},
                         pairs[] = {2, 1, 4, 3, 6, 5, 8, 7, 10, 9, 12, 11, 14, 13, 0, 15},
                         turned[] = {1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15, 4, 8, 12, 0},
                         shifted[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                         same_code[16] = {0};
    static const uint16_t wide[] = {0x3c00, 0x4000}, swapped[] = {0x003c, 0x0040};
    static const size_t shape[] = {4, 4};
    sf8_test t = {.to = SF8_E2M1, .got = pairs, .want = want, .count = 16};
    fails("nibbles swapped: the codes of each pair have changed places", &t);
    t.to = SF8_E4M3;
    fails("the codes of each pair have changed places", &t);
    t.got = turned;
    t.shape = shape;
    t.axes = 2;
    fails("the tensor is transposed", &t);
    t.got = shifted;
    fails("the expected codes, in another order", &t);
    t.got = same_code;
    fails("every result is 00 = 0: perhaps the kernel did not run, or wrote elsewhere", &t);
    t = (sf8_test){.to = SF8_F16, .got = swapped, .want = wide, .count = 2};
    fails("the bytes of each code are swapped", &t);
}

static void check_kinds(void)
{
    static const uint8_t want[] = {0x01, 0x07, 0x83, 0x38, 0x7e, 0xfe, 0x7f, 0x7e},
                         flushed[] = {0x00, 0x00, 0x80, 0x38, 0x7e, 0xfe, 0x7f, 0x7e},
                         unsaturated[] = {0x01, 0x07, 0x83, 0x38, 0x7f, 0xff, 0x7f, 0x7f},
                         one[] = {0x00, 0x07, 0x83, 0x38, 0x7e, 0xfe, 0x7f, 0x7e},
                         steps[] = {0x02, 0x07, 0x83, 0x38, 0x7e, 0xfd, 0x7f, 0x7e},
                         nan[] = {0x01, 0x07, 0x83, 0x38, 0x7e, 0xfe, 0xff, 0x7e};
    sf8_test t = {.to = SF8_E4M3, .got = flushed, .want = want, .count = 8};
    fails("subnormal results are flushed to zero", &t);
    t.got = unsaturated;
    fails("NaN instead of saturation: what is too large gives NaN", &t);
    t.got = nan;
    fails("NaN has another sign or payload (any_nan accepts it)", &t);
    t.any_nan = 1;
    sf8_failure *f = NULL;
    holds("any NaN", sf8_test_results(&t, &f) == SF8_OK && !f);
    t.got = one; /* one subnormal number alone: the others are right */
    f = failure_of("one code", &t);
    holds("nobody is accused", f && !f->mistake[0]);
    sf8_failure_free(f);
    t.got = steps;
    f = failure_of("steps", &t);
    same("seen",
         "each code that differs is one too large or too small, as with another rounding, or with "
         "slightly other values",
         f ? f->seen : "");
    sf8_failure_free(f);
}

/* With a bias that is larger by one each code is, and as codes of e4m3 they are of twice the
 * values; but 80 of e4m3fnuz is NaN, which is no number's double. */
static void check_other_format(void)
{
    static uint8_t want[0x70], got[0x70];
    for (uint32_t i = 0; i < 0x70; i++) {
        want[i] = (uint8_t)(i < 8 ? 0 : i);
        got[i] = (uint8_t)(i < 8 ? 0 : i + 8);
    }
    const sf8_test t = {.to = SF8_E4M3, .got = got, .want = want, .count = 0x70};
    fails("these are codes of e4m3fnuz, which have the expected values; or all are codes of 2 "
          "times the expected values",
          &t);
    want[0] = 0x7f;
    got[0] = 0x80;
    sf8_failure *f = failure_of("a NaN of e4m3fnuz", &t);
    holds("a NaN of e4m3fnuz alone", f && strstr(f->mistake, "these are codes of e4m3fnuz") &&
                                         !strstr(f->mistake, "times the expected"));
    sf8_failure_free(f);
}

/* Two operands: the elements have both. */
static void check_operands(void)
{
    static const uint8_t a[] = {0x38, 0x40}, b[] = {0x38, 0x38}, got[] = {0x40, 0x45},
                         want[] = {0x40, 0x44};
    const sf8_test t = {
        .to = SF8_E4M3, .got = got, .want = want, .count = 2, .from = SF8_E4M3, .operand = {a, b}};
    sf8_failure *f = failure_of("a sum", &t);
    holds("both operands are shown",
          f && strstr(f->message, "[1]  inputs[0] 40 = 2  inputs[1] 38 = 1  got 45 = 3.25  "
                                  "expected 44 = 3\n  unexplained: each code that differs is one "
                                  "too large"));
    sf8_failure_free(f);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void refuses(const char *what, sf8_status status, sf8_test t)
{
    sf8_failure *f = (sf8_failure *)&t;
    holds(what, sf8_test_results(&t, &f) == status && !f);
}

static void check_calls(void)
{
    static const uint8_t three[] = {1, 2, 0x1f}, other[] = {1, 2, 3};
    const sf8_test t = {.to = SF8_E2M1, .got = three, .want = other, .count = 3};
    sf8_test u = t;
    refuses("a code that is too wide", SF8_BAD_CALL, t);
    u.want = three;
    refuses("codes that are equal, and too wide", SF8_BAD_CALL, u);
    u.got = u.want = other;
    u.shape = (const size_t[]){2, 2};
    u.axes = 2;
    refuses("a shape of another size", SF8_BAD_CALL, u);
    u.shape = (const size_t[]){0, 3};
    refuses("a shape of nothing", SF8_BAD_CALL, u);
    u.shape = NULL;
    u.count = 0;
    u.got = u.want = NULL;
    refuses("nothing, which is right", SF8_OK, u);
    u.got = other;
    u.count = 3;
    refuses("nothing to compare with", SF8_BAD_CALL, u);
    u.operand[0] = other;
    u.from = SF8_E2M1;
    u.policy = "ocp overflow=none";
    refuses("a policy", SF8_UNKNOWN_NAME, u);
    u.policy = "ocp round=sr";
    refuses("random numbers that are not given", SF8_BAD_CALL, u);
    u.to.exp_bits = 0;
    refuses("a format", SF8_BAD_FORMAT, u);
    u = t;
    u.count = 0;
    sf8_failure *f = NULL;
    holds("no element", sf8_test_results(&u, &f) == SF8_OK && !f);
    sf8_failure_free(NULL);
    sf8_check_free(NULL);
    SF8_ASSERT_CODES(SF8_E4M3, other, other, 3);
}

static sf8_status diagnose_few(void)
{
    static const uint16_t in[] = {0, 0x3c00, 0x3c40, 0x4000, 0x8000, 0x8001};
    static const uint8_t out[] = {0, 0x38, 0x38, 0x40, 0, 0};
    const sf8_test t = {.to = SF8_E4M3, .got = out, .count = 6, .from = SF8_F16, .operand = {in}};
    sf8_failure *f = NULL;
    sf8_status status = sf8_test_results(&t, &f);
    sf8_failure_free(f);
    return status;
}

int main(void)
{
    check_memory(diagnose_few);
    check_calls();
    check_whole_message();
    check_long_message();
    check_unsigned_range();
    check_few();
    check_wanted();
    check_scaled();
    check_nearest();
    check_two_codes();
    check_orders();
    check_kinds();
    check_other_format();
    check_operands();
    printf("%d failures\n", failures);
    return failures > 0;
}

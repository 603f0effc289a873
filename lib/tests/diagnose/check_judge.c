/* SPDX-License-Identifier: MIT */
/* check_judge.c -- the judge of flips: exactly what the uncertainty allows is excused
 *
 * For f32 inputs around every boundary, and around the places from which a boundary can just be
 * reached, exact integers say which codes are possible. They share nothing with the library: values
 * are multiples of 2^-104 in 128 bits, a format is a list of its values, and rounding to f32 is
 * written anew.
 */
#include "diagnose_check.h"
#include "softfp8_test.h"

#include <math.h>

#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 exact;
#endif

/* ---- what is exact --------------------------------------------------------------------------- */

enum { POINT = 104, NEAR = 12 };

typedef struct narrow {
    const char *name;
    int exponent, mantissa, bias, codes; /* codes: magnitudes that are numbers */
    double value[128];
} narrow;

static narrow formats[] = {
    {"e4m3", 4, 3, 7, 127, {0}}, {"e5m2", 5, 2, 15, 124, {0}}, {"e2m1", 2, 1, 1, 8, {0}}};

static void list_values(narrow *f)
{
    for (int code = 0; code < f->codes; code++) {
        int field = code >> f->mantissa, low = code & ((1 << f->mantissa) - 1);
        f->value[code] = field ? ldexp((1 << f->mantissa) + low, field - f->bias - f->mantissa)
                               : ldexp(low, 1 - f->bias - f->mantissa);
    }
}

static double tie(const narrow *f, int code)
{
    return (f->value[code] + f->value[code + 1]) / 2;
}

#if defined(__SIZEOF_INT128__)
static exact exactly(double x)
{
    int exponent;
    double mantissa = frexp(x, &exponent);
    exact whole = (exact)ldexp(mantissa, 53);
    int shift = exponent - 53 + POINT;
    holds("the value is a multiple of 2^-104", shift >= 0 || whole % ((exact)1 << -shift) == 0);
    return shift >= 0 ? whole * ((exact)1 << shift) : whole / ((exact)1 << -shift);
}

/* x * y: that of 24 and 53 bits. */
static exact product(double x, double y)
{
    int e, d;
    exact a = (exact)ldexp(frexp(x, &e), 53), b = (exact)ldexp(frexp(y, &d), 53), p;
    while (a && a % 2 == 0) {
        a /= 2;
        e++;
    }
    p = a * b;
    e += d - 53 - 53 + POINT;
    for (; e < 0 && p % 2 == 0; e++)
        p /= 2;
    holds("the product is a multiple of 2^-104", e >= 0 || p == 0);
    return e >= 0 ? p * ((exact)1 << e) : 0;
}

/* To f32, to nearest even. */
static float rounded(exact x)
{
    exact magnitude = x < 0 ? -x : x, rest;
    int shift = 0;
    while (magnitude >> shift >> 24)
        shift++;
    rest = magnitude - (magnitude >> shift << shift);
    magnitude >>= shift;
    if (shift > 0 &&
        (rest > (exact)1 << (shift - 1) || (rest == (exact)1 << (shift - 1) && magnitude % 2)))
        magnitude++;
    float value = (float)ldexp((double)magnitude, shift - POINT);
    return x < 0 ? -value : value;
}

/* ---- uncertainties --------------------------------------------------------------------------- */

static double unit(double x, int mantissa, int least)
{
    int exponent;
    (void)frexp(x, &exponent);
    exponent = x == 0 || exponent - 1 < least ? least : exponent - 1;
    return ldexp(1, exponent - mantissa);
}

enum { HALF_BF16, HALF_F16, FOUR_F32, RELATIVE, ABSOLUTE, SUM, ARRAY, PATHS, FORMS };
static const char *const texts[FORMS] = {
    "bf16/2", "f16/2", "f32*4", "rel=1e-3", "abs=0.01", "bf16/2 + f32*4 + abs=1e-2", NULL, NULL};

static exact error_of(int form, double x)
{
    switch (form) {
    case HALF_BF16:
        return exactly(unit(x, 7, -126) / 2);
    case HALF_F16:
        return exactly(unit(x, 10, -14) / 2);
    case FOUR_F32:
        return exactly(unit(x, 23, -126) * 4);
    case RELATIVE:
        return product(fabs(x), 1e-3);
    case ABSOLUTE:
        return exactly(0.01);
    case SUM:
        return exactly(unit(x, 7, -126) / 2) + exactly(unit(x, 23, -126) * 4) + exactly(0.01);
    default:
        return exactly(fabs(x) / 256);
    }
}

/* ---- which codes are possible ---------------------------------------------------------------- */

/* The f32 numbers that are rounded to a code: a magnitude and a sign. */
static void cell(const narrow *f, int code, int sign, float ends[2])
{
    float low = code ? (float)tie(f, code - 1) : 0,
          high = code + 1 < f->codes ? (float)tie(f, code) : INFINITY;
    if (code % 2) { /* the ties are the neighbours' */
        low = nextafterf(low, INFINITY);
        high = isinf(high) ? high : nextafterf(high, 0);
    }
    ends[0] = sign ? -high : low;
    ends[1] = sign ? -low : high;
}

static int is_possible(const narrow *f, int code, int sign, exact low, exact high)
{
    float ends[2];
    cell(f, code, sign, ends);
    return rounded(low) <= ends[1] && rounded(high) >= ends[0];
}

/* ---- all of them ----------------------------------------------------------------------------- */

enum { MOST = 1 << 20 };

typedef struct pairs {
    float x[MOST], low[MOST], high[MOST];
    double error[MOST];
    uint8_t code[MOST];
    size_t count;
} pairs;

static pairs possible, impossible;

static void add(pairs *p, float x, exact low, exact high, int code)
{
    if (p->count == MOST)
        exit(2);
    p->x[p->count] = x;
    p->low[p->count] = rounded(low);
    p->high[p->count] = rounded(high);
    p->error[p->count] = fabs((double)x) / 256;
    p->code[p->count++] = (uint8_t)code;
}

static void add_input(const narrow *f, int form, float x, int at)
{
    exact error = error_of(form, x), low = exactly(x) - error, high = exactly(x) + error;
    if (form == PATHS) { /* one computation is exact, the other lower or higher */
        if (at % 2)
            low = exactly(x);
        else
            high = exactly(x);
    }
    int sign_bit = 1 << (f->exponent + f->mantissa), first = at > 3 ? at - 3 : 0;
    for (int code = first; code < f->codes && code < at + 4; code++)
        for (int sign = 0; sign < 2; sign++)
            add(is_possible(f, code, sign, low, high) ? &possible : &impossible, x, low, high,
                code + (sign ? sign_bit : 0));
    if (f->codes != 8) /* no NaN and no infinity */
        add(&impossible, x, low, high, f->codes);
}

static void add_around(const narrow *f, int form, double center, int at)
{
    float x = (float)center, y = x;
    for (int k = 0; k < NEAR; k++) {
        add_input(f, form, x, at);
        add_input(f, form, -y, at);
        x = nextafterf(x, INFINITY);
        y = nextafterf(y, 0);
    }
}

static sf8_judgement *judged(const narrow *f, int form, const pairs *p)
{
    sf8_uncertainty u = {.text = texts[form], .absolute = form == ARRAY ? p->error : NULL};
    sf8_cast_flips flips = {.from = SF8_F32,
                            .to = sf8_format_named(f->name, NULL),
                            .inputs = p->x,
                            .codes = p->code,
                            .count = p->count,
                            .uncertainty = &u};
    sf8_judgement *j = NULL;
    if (form == PATHS) {
        u.between[0] = p->high;
        u.between[1] = p->low;
        u.between_format = SF8_F32;
    }
    holds("it is judged", sf8_judge_cast(&flips, &j) == SF8_OK);
    return j;
}

static void check_form(const narrow *f, int form)
{
    possible.count = impossible.count = 0;
    for (int at = 0; at + 1 < f->codes; at++) {
        double t = tie(f, at), error = (double)error_of(form, t) * ldexp(1, -POINT);
        add_around(f, form, t, at);
        add_around(f, form, t - error, at);
        add_around(f, form, t + error, at);
    }
    sf8_judgement *good = judged(f, form, &possible), *bad = judged(f, form, &impossible);
    if (good->codes.outside || bad->codes.outside != impossible.count) {
        failures++;
        printf("%s, form %d: %zu of %zu possible are outside, %zu of %zu impossible ones\n%s\n",
               f->name, form, good->codes.outside, possible.count, bad->codes.outside,
               impossible.count, good->message);
    }
    holds("enough is tried", possible.count > 500 && impossible.count > 500);
    sf8_judgement_free(good);
    sf8_judgement_free(bad);
}
#endif

static void check_boundaries(void)
{
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
        list_values(&formats[k]);
#if defined(__SIZEOF_INT128__)
    for (size_t k = 0; k < sizeof formats / sizeof formats[0]; k++)
        for (int form = 0; form < FORMS; form++)
            check_form(&formats[k], form);
#endif
}

/* ---- by hand --------------------------------------------------------------------------------- */

/* 17 is a tie of e4m3, between 16 (58) and 18 (59). */
static void check_by_hand(void)
{
    static const struct {
        float x;
        uint8_t got;
        const char *uncertainty, *policy;
        sf8_judged verdict;
        double of;
    } rows[] = {
        {17.0F, 0x58, "abs=0.25", NULL, SF8_JUDGED_EQUAL, 0},
        {17.0F, 0x59, "abs=0.25", NULL, SF8_JUDGED_EXCUSED, 0x1p-19 / 0.25},
        {17.125F, 0x58, "abs=0.25", NULL, SF8_JUDGED_EXCUSED, 0.5},
        {17.25F, 0x58, "abs=0.25", NULL, SF8_JUDGED_EXCUSED, 1},
        {17.5F, 0x58, "abs=0.25", NULL, SF8_JUDGED_OUTSIDE, 2},
        {-17.5F, 0xd8, "abs=0.25", NULL, SF8_JUDGED_OUTSIDE, 2},
        {17.0625F, 0x58, "bf16/2", NULL, SF8_JUDGED_EXCUSED, 1},
        {17.125F, 0x58, "bf16/2", NULL, SF8_JUDGED_OUTSIDE, 2},
        {17.125F, 0x58, "bf16", NULL, SF8_JUDGED_EXCUSED, 1},
        {17.125F, 0x58, "f16*8", NULL, SF8_JUDGED_EXCUSED, 1},
        {17.125F, 0x58, "bf16/2+abs=0.0625", NULL, SF8_JUDGED_EXCUSED, 1},
        {16.0F, 0x59, "rel=0.0625", NULL, SF8_JUDGED_OUTSIDE, (1 + 0x1p-19) / 1},
        {16.0F, 0x59, "rel=0.07", NULL, SF8_JUDGED_EXCUSED, 1 / 1.12},
        {500.0F, 0x7f, "abs=100", NULL, SF8_JUDGED_OUTSIDE, INFINITY},
        {460.0F, 0x7f, "abs=8", "ocp-nosat", SF8_JUDGED_EXCUSED, 0.5},
        {440.0F, 0x7f, "abs=8", "ocp-nosat", SF8_JUDGED_OUTSIDE, 3},
        {-460.0F, 0xff, "abs=8", "ocp-nosat", SF8_JUDGED_EXCUSED, 0.5},
        {0.0F, 0x80, "abs=1e-9", NULL, SF8_JUDGED_EXCUSED, 0},
        {0.0F, 0x80, "rel=0.1", NULL, SF8_JUDGED_EXCUSED, 0},
        {1e-9F, 0x80, "rel=0.1", NULL, SF8_JUDGED_OUTSIDE, 10},
        {-1e-9F, 0x00, "abs=4e-9", NULL, SF8_JUDGED_EXCUSED, 0.25},
        {0.0156F, 0x07, "abs=1", "ocp flush=outputs", SF8_JUDGED_OUTSIDE, INFINITY},
        {1.0F, 0x38, "abs=1", "ocp round=sr", SF8_JUDGED_EQUAL, 0},
        {1.01F, 0x39, "abs=1e-9", "ocp round=sr", SF8_JUDGED_EQUAL, 0},
        {1.2F, 0x38, "abs=0.1", "ocp round=sr", SF8_JUDGED_EXCUSED, 0.75},
        {1.2F, 0x3b, "abs=0.02", "ocp round=sr", SF8_JUDGED_OUTSIDE, 2.5},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const sf8_uncertainty u = {.text = rows[i].uncertainty};
        const sf8_cast_flips flips = {.from = SF8_F32,
                                      .to = SF8_E4M3,
                                      .inputs = &rows[i].x,
                                      .codes = &rows[i].got,
                                      .count = 1,
                                      .policy = rows[i].policy,
                                      .uncertainty = &u};
        sf8_judgement *j;
        sf8_status status = sf8_judge_cast(&flips, &j);
        double of = status == SF8_OK ? j->codes.worst.of_allowed : -1;
        if (status != SF8_OK || j->verdict != rows[i].verdict ||
            (of != rows[i].of && !(fabs(of - rows[i].of) < 1e-4 * rows[i].of))) {
            failures++;
            printf("row %zu: status %d, of allowed %.9g, expected %.9g\n%s\n", i, (int)status, of,
                   rows[i].of, status == SF8_OK ? j->message : "");
        }
        if (status == SF8_OK)
            sf8_judgement_free(j);
    }
}

static sf8_status status_of(const char *uncertainty, const char *policy, sf8_format to)
{
    static const float x = 1;
    static const uint8_t code[8] = {0x38};
    const sf8_uncertainty u = {.text = uncertainty};
    const sf8_cast_flips flips = {.from = SF8_F32,
                                  .to = to,
                                  .inputs = &x,
                                  .codes = code,
                                  .count = 1,
                                  .policy = policy,
                                  .uncertainty = &u};
    sf8_judgement *j;
    sf8_status status = sf8_judge_cast(&flips, &j);
    sf8_judgement_free(j);
    return status;
}

static void check_refused(void)
{
    static const char *const bad[] = {"",        "bf16/",     "bf16/0", "bf16*-1",   "bf16//2",
                                      "rel",     "rel=",      "rel=x",  "rel=-1e-3", "abs=nan",
                                      "abs=inf", "bf17/2",    "+",      "bf16/2+",   "bf16/2 abs=1",
                                      "hif8*1",  "rel=1e-3+", "abs=1e+"};
    static const char *const good[] = {"bf16/2",         " bf16 / 2 + rel=1e-3 ",
                                       "abs=1e+3+f32*4", "f32",
                                       "e4m3/2",         "tf32*0.5",
                                       "rel=0",          "abs=0x1p-3"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        holds(bad[i], !sf8_uncertainty_is_good(bad[i]));
        holds(bad[i], status_of(bad[i], NULL, SF8_E4M3) == SF8_BAD_TEXT);
    }
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        holds(good[i], sf8_uncertainty_is_good(good[i]));
        holds(good[i], status_of(good[i], NULL, SF8_E4M3) == SF8_OK);
    }
    holds("no text", !sf8_uncertainty_is_good(NULL));
    holds("no policy", status_of("abs=1", "no such", SF8_E4M3) == SF8_UNKNOWN_NAME);
    holds("no uncertainty", status_of(NULL, NULL, SF8_E4M3) == SF8_BAD_CALL);
    holds("too wide", status_of("abs=1", NULL, SF8_E2M1) == SF8_BAD_CALL);
    holds("codes that fall", status_of("abs=1", "ocp overflow=zero", SF8_E4M3) == SF8_BAD_CALL);
}

/* ---- blocks ---------------------------------------------------------------------------------- */

enum { BLOCK = 128 };

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static sf8_judgement *judged_block(const char *recipe, const float *x, const uint8_t *codes,
                                   uint32_t scale, const char *uncertain)
{
    sf8_recipe r;
    sf8_judgement *j = NULL;
    const sf8_uncertainty u = {.text = uncertain};
    holds(recipe, sf8_recipe_named(&r, recipe) == SF8_OK);
    const sf8_block_flips flips = {.recipe = &r,
                                   .recipe_name = recipe,
                                   .from = SF8_F32,
                                   .inputs = x,
                                   .rows = 1,
                                   .columns = r.block ? (size_t)r.block : BLOCK,
                                   .codes = codes,
                                   .scales = &scale,
                                   .g = 1,
                                   .uncertainty = &u};
    holds(recipe, sf8_judge_blocks(&flips, &j) == SF8_OK);
    return j;
}

/* One block: the largest element, then others that are all `x`, which became `got`; the scale that
 * came; what is expected of scales and codes: how many are outside, and how far they are. */
static void check_block(const char *recipe, float largest, float x, uint8_t top, uint8_t got,
                        uint32_t scale, const char *uncertain, size_t scales, double scale_of,
                        size_t codes, double code_of)
{
    static float values[BLOCK];
    static uint8_t all[BLOCK];
    for (int i = 0; i < BLOCK; i++) {
        values[i] = i ? x : largest;
        all[i] = i ? got : top;
    }
    sf8_judgement *j = judged_block(recipe, values, all, scale, uncertain);
    double of = j->scales.worst.of_allowed, at = j->codes.worst.of_allowed;
    if (j->scales.outside != scales || j->codes.outside != codes ||
        fabs(of - scale_of) > 1e-3 * scale_of || fabs(at - code_of) > 1e-3 * code_of) {
        failures++;
        printf("%s, %s: scales %zu outside, %.6g of what is allowed; codes %zu, %.6g\n%s\n", recipe,
               uncertain, j->scales.outside, of, j->codes.outside, at, j->message);
    }
    sf8_judgement_free(j);
}

static void check_blocks(void)
{
    static const char deepseek[] = "fp8-group128-deepseek", up[] = "mxfp8-te";
    const uint32_t one = bits_of(1), above = bits_of(449.0F / 448.0F);
    /* amax / 448, and elements divided by it. */
    check_block(deepseek, 448, 17.125F, 0x7e, 0x59, one, "abs=1", 0, 0, 0, 0);
    check_block(deepseek, 448, 17.125F, 0x7e, 0x58, one, "abs=1", 0, 0, 0, 0.125);
    check_block(deepseek, 448, 17.125F, 0x7e, 0x58, one, "abs=0.0625", 0, 0, 127, 2);
    check_block(deepseek, 448, 17.5F, 0x7e, 0x59, above, "abs=1", 0, 1, 0, 0);
    check_block(deepseek, 448, 17.5F, 0x7e, 0x59, above, "abs=0.5", 1, 2, 0, 0);
    check_block(deepseek, 448, 17.5F, 0x7e, 0x5a, above, "abs=0.5", 1, 2, 127,
                (19.0424 - 17.5) / 0.5);
    /* A power of two, rounded up: 448 needs 2^0, and what is larger 2^1. */
    check_block(up, 448, 17, 0x7e, 0x58, 127, "abs=1", 0, 0, 0, 0);
    check_block(up, 447, 17, 0x7e, 0x50, 128, "abs=2", 0, 0.5, 1, (864 - 447) / 2.0);
    check_block(up, 447, 17, 0x76, 0x50, 128, "abs=2", 0, 0.5, 0, 0);
    check_block(up, 447, 17, 0x76, 0x50, 128, "abs=0.5", 1, 2, 0, 0);
    check_block(up, 448, 17, 0x6e, 0x48, 129, "abs=1", 1, 448, 0, 0);
    check_block(up, 449, 17, 0x7e, 0x58, 127, "abs=1", 0, 1, 0, 0);
}

/* A scale between two possible ones, which no amax gives: 447 and 449 need 1 and 2. */
static void check_scale_between(void)
{
    check_block("fp8-group128-deepseek-ue8m0", 447, 17, 0x79, 0x53, bits_of(1.5F), "abs=2", 1,
                INFINITY, 0, 0);
}

/* The end is 17 + 2^-55, which lies above the tie, though the nearest number of f64 is the tie. */
static void check_end_by_a_tie(void)
{
    static const double x = 17.25;
    static const uint8_t below = 0x58;
    sf8_uncertainty u = {.text = "abs=0x1.fffffffffffffp-3"};
    const sf8_cast_flips flips = {.from = SF8_F64,
                                  .to = SF8_E4M3,
                                  .inputs = &x,
                                  .codes = &below,
                                  .count = 1,
                                  .uncertainty = &u};
    sf8_judgement *j = NULL;
    holds("the judge", sf8_judge_cast(&flips, &j) == SF8_OK && j->codes.outside == 1);
    sf8_judgement_free(j);
    u.text = "abs=0.25";
    holds("the judge", sf8_judge_cast(&flips, &j) == SF8_OK && j->codes.outside == 0);
    sf8_judgement_free(j);
}

static sf8_status judge_few(void)
{
    static const float x[] = {17.125F, 1, 2};
    static const uint8_t codes[] = {0x58, 0x38, 0x47};
    const sf8_uncertainty u = {.text = "abs=0.25"};
    const sf8_cast_flips flips = {.from = SF8_F32,
                                  .to = SF8_E4M3,
                                  .inputs = x,
                                  .codes = codes,
                                  .count = 3,
                                  .uncertainty = &u};
    sf8_judgement *j;
    sf8_status status = sf8_judge_cast(&flips, &j);
    if (status == SF8_OK)
        holds("one is outside", j->codes.outside == 1 && j->codes.worst.index == 2);
    sf8_judgement_free(j);
    return status;
}

static void check_messages(void)
{
    static const float x[] = {17.125F, 1, 2};
    static const uint8_t good[] = {0x58, 0x38, 0x40}, bad[] = {0x58, 0x38, 0x47};
    char *why = sf8_check_cast_within(SF8_F32, x, SF8_E4M3, good, 3, NULL, "abs=0.25");
    holds("it is excused", why == NULL);
    sf8_check_free(why);
    why = sf8_check_cast_within(SF8_F32, x, SF8_E4M3, bad, 3, NULL, "abs=0.25");
    same("message",
         "outside: the uncertainty does not excuse 1 of 3 codes\n"
         "  to do: look at the element below; no known mistake explains all\n"
         "  expected: f32 to e4m3, policy ocp; uncertain: abs=0.25\n"
         "  codes: 2 of 3 differ, 1 excused, 1 outside\n"
         "  the worst is element 2: input 2, got 47 = 3.75, exact 40 = 2, possible from 3e = 1.75 "
         "to 41 = 2.25; 6.5 of what is allowed\n"
         "  flips: 0 up, 1 down; 0 to larger magnitudes, 1 to smaller ones",
         why ? why : "");
    sf8_check_free(why);
    why = sf8_check_cast_within(SF8_F32, x, SF8_E4M3, bad, 3, NULL, "halves");
    holds("it is refused", why && strstr(why, "expected for example bf16/2"));
    sf8_check_free(why);
}

int main(void)
{
    check_boundaries();
    check_by_hand();
    check_refused();
    check_blocks();
    check_scale_between();
    check_end_by_a_tie();
    check_messages();
    check_memory(judge_few);
    if (failures == 0)
        puts("held");
    return failures != 0;
}

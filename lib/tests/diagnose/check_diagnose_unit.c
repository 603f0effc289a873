/* SPDX-License-Identifier: MIT */
/* check_diagnose_unit.c -- sf8_diagnose_unit: planted changes of a matrix unit are named, what is
 * right is not accused
 *
 * The unit is hopper-qgmma, of e4m3 to f32: 32 products are added with 13 bits below the largest,
 * and the sum is cut to them. The sums are computed here, without the library, of products that are
 * powers of two.
 */
#include "softfp8_diagnose.h"
#include "diagnose_check.h"

#include <math.h>

enum { K = 32, ROWS = 60 };

static uint8_t a[ROWS * K], b[ROWS * K];
static uint32_t results[ROWS];

static uint32_t word_of(double x)
{
    float f = (float)x;
    uint32_t word;
    memcpy(&word, &f, sizeof word);
    return word;
}

/* Each term is cut to a multiple of 2^-fraction of the largest one's power of two. */
static double sum_of(const double *term, size_t count, int fraction)
{
    int most = -1000;
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        if (term[i] != 0 && ilogb(term[i]) > most)
            most = ilogb(term[i]);
    for (size_t i = 0; i < count; i++)
        sum += ldexp(trunc(ldexp(term[i], fraction - most)), most - fraction);
    return sum;
}

/* Row i has 2^8, and 2^-(i % 12) in several places: with fewer bits some of these are lost. */
static sf8_unit_results make(int fraction, size_t length)
{
    for (size_t row = 0; row < ROWS; row++) {
        double term[K], sum = 0;
        for (size_t i = 0; i < K; i++) {
            int exponent = i == row % K ? 4 : i % 3 == row % 3 ? -(int)(row % 6) : -100;
            a[row * K + i] = b[row * K + i] = (uint8_t)(exponent < -6 ? 0 : (exponent + 7) << 3);
            term[i] = exponent < -6 ? 0 : ldexp(1, 2 * exponent);
        }
        for (size_t at = 0; at < K; at += length) {
            double part[K + 1];
            memcpy(part, term + at, length * sizeof *part);
            part[length] = sum;
            sum = sum_of(part, length + 1, fraction);
        }
        results[row] = word_of(sum);
    }
    return (sf8_unit_results){.unit = "hopper-qgmma",
                              .a = SF8_E4M3,
                              .b = SF8_E4M3,
                              .out = SF8_F32,
                              .stored = SF8_F32,
                              .codes_a = a,
                              .codes_b = b,
                              .results = results,
                              .k = K,
                              .count = ROWS};
}

static sf8_unit_diagnosis *diagnose(const sf8_unit_results *r)
{
    sf8_unit_diagnosis *d = NULL;
    holds("it is diagnosed", sf8_diagnose_unit(r, &d) == SF8_OK && d);
    if (!d)
        exit(1);
    return d;
}

static int names(const sf8_unit_diagnosis *d, const char *words)
{
    for (size_t i = 0; i < d->count; i++)
        if (strcmp(d->list[i].words, words) == 0)
            return 1;
    return 0;
}

/* ---- what is named --------------------------------------------------------------------------- */

static void check_planted(void)
{
    sf8_unit_results r = make(13, 32);
    sf8_unit_diagnosis *d = diagnose(&r);
    holds("the unit", d->is_expected && d->verdict == SF8_VERDICT_POLICY && d->explained == ROWS &&
                          d->first == ROWS);
    sf8_unit_diagnosis_free(d);
    r = make(11, 32);
    d = diagnose(&r);
    holds("11 bits", d->verdict == SF8_VERDICT_CHANGED && d->explained < ROWS && d->first < ROWS &&
                         d->list[0].explained == ROWS);
    same("11 bits", "fraction=11", d->list[0].words);
    sf8_unit_diagnosis_free(d);
    r = make(9, 16);
    d = diagnose(&r);
    holds("9 bits of 16", d->verdict == SF8_VERDICT_CHANGED && d->list[0].explained == ROWS);
    holds("9 bits of 16", names(d, "fraction=9 length=16"));
    sf8_unit_diagnosis_free(d);
}

/* The sums as bf16: cut to 16 bits, which is exact here but for ties and more. */
static void check_stored(void)
{
    sf8_unit_results r = make(13, 32);
    r.stored = SF8_BF16;
    for (size_t i = 0; i < ROWS; i++) {
        uint32_t even = results[i] >> 16 & 1;
        results[i] = (results[i] + 0x7fff + even) >> 16;
    }
    sf8_unit_diagnosis *d = diagnose(&r);
    holds("stored as bf16", d->is_expected);
    sf8_unit_diagnosis_free(d);
}

static void check_noise(void)
{
    sf8_unit_results r = make(13, 32);
    for (size_t i = 0; i < ROWS; i++)
        results[i] = (uint32_t)(0x3f800000 + 2654435761u * (i + 1) % 0x800000);
    sf8_unit_diagnosis *d = diagnose(&r);
    holds("noise", d->verdict == SF8_VERDICT_NONE && d->count == 0 && d->tried > 1000);
    sf8_unit_diagnosis_free(d);
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void refuses(const char *what, sf8_status status, sf8_unit_results r)
{
    sf8_unit_diagnosis *d = (sf8_unit_diagnosis *)&r;
    holds(what, sf8_diagnose_unit(&r, &d) == status && !d);
}

static void check_calls(void)
{
    const sf8_unit_results good = make(9, 16);
    sf8_unit_results r = good;
    r.unit = "no such unit";
    refuses("an unknown unit", SF8_UNKNOWN_NAME, r);
    r = good;
    r.a = SF8_BF16;
    refuses("operands that it does not take", SF8_BAD_FORMAT, r);
    r = good;
    r.stored = SF8_E4M3;
    refuses("stored as e4m3", SF8_BAD_FORMAT, r);
    r = good;
    r.count = 0;
    refuses("no rows", SF8_BAD_CALL, r);
    r = good;
    r.k = 33;
    refuses("33 products", SF8_BAD_CALL, r);
    r = good;
    r.unit = "sm120-mxf4nvf4";
    r.a = r.b = sf8_format_named("e2m1", NULL);
    r.k = 64;
    refuses("no scales", SF8_BAD_CALL, r);
    sf8_unit_diagnosis_free(NULL);

    r = good;
    r.seconds = 1e-9;
    r.progress = tell;
    r.user = &told;
    sf8_unit_diagnosis *d = diagnose(&r);
    holds("the time was up", d->is_cut_short && !names(d, "fraction=9 length=16") && told);
    sf8_unit_diagnosis_free(d);
}

static sf8_status diagnose_right(void)
{
    const sf8_unit_results r = make(13, 32);
    sf8_unit_diagnosis *d;
    sf8_status status = sf8_diagnose_unit(&r, &d);
    sf8_unit_diagnosis_free(d);
    return status;
}

int main(void)
{
    check_memory(diagnose_right);
    check_calls();
    check_planted();
    check_stored();
    check_noise();
    printf("%d failures\n", failures);
    return failures > 0;
}

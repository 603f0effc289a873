/* SPDX-License-Identifier: MIT */
/* check_mma_diagnose.c -- results computed by another rule: the rule must be named; rows are
 * reduced
 *
 * The rows are of e4m3 with results of f32. They are summed here in double, where each step is
 * exact: only the form of a row is shared with the library.
 */
#include "base/random.h"
#include "diagnose/mma/diagnose.h"
#include "checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { K = 32, ROWS = 400 };

/* ---- a unit in doubles ----------------------------------------------------------------------- */

typedef struct plant {
    const char *name;
    int fraction, length, bits; /* bits: of the sum's mantissa */
    int down, normalised, nearest, by_itself;
} plant;

/* The value of a code, and the exponent of its field. */
static double decode(unsigned code, int *e)
{
    int field = code >> 3 & 15;
    double x = field ? 1 + (code & 7) / 8.0 : (code & 7) / 8.0;
    *e = field ? field - 7 : -6;
    return ldexp(code & 128 ? -x : x, *e);
}

static double double_of(uint32_t word)
{
    float x;
    memcpy(&x, &word, 4);
    return x;
}

static uint32_t word_of(double x)
{
    float narrow = (float)x; /* exact, or rounded to nearest even if requested */
    uint32_t word;
    memcpy(&word, &narrow, 4);
    return x == 0 ? 0 : word;
}

static double cut(const plant *p, double x, int exponent)
{
    double units = ldexp(x, p->fraction - exponent);
    return ldexp(p->down ? floor(units) : trunc(units), exponent - p->fraction);
}

static double rounded(const plant *p, double x)
{
    int e;
    double units = ldexp(frexp(x, &e), p->bits + 1);
    return ldexp(p->nearest ? nearbyint(units) : trunc(units), e - p->bits - 1);
}

static double sum_of(const plant *p, const unsigned char *a, const unsigned char *b, double c)
{
    double term[K + 1], sum = 0;
    int exponent[K + 1], most = -133;
    for (int i = 0; i <= p->length; i++) {
        int e = 0, f = 0;
        term[i] = i < p->length ? decode(a[i], &e) * decode(b[i], &f) : c;
        exponent[i] = e + f;
        if (i == p->length && c != 0)
            exponent[i] = ilogb(c);
        if (p->normalised && i < p->length && fabs(ldexp(term[i], -exponent[i])) >= 2)
            exponent[i]++;
        if (term[i] != 0 && exponent[i] > most)
            most = exponent[i];
    }
    for (int i = 0; i <= p->length; i++)
        sum += cut(p, term[i], most);
    return rounded(p, sum);
}

static uint32_t word_by(const plant *p, const mma_result *r)
{
    double c = p->by_itself ? 0 : double_of(r->c);
    for (int at = 0; at < K; at += p->length)
        c = sum_of(p, (const unsigned char *)r->x.a + at, (const unsigned char *)r->x.b + at, c);
    return word_of(p->by_itself ? c + double_of(r->c) : c);
}

static uint32_t evaluate(void *context, const mma_result *row)
{
    return word_by(context, row);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static unsigned char codes[ROWS][2][K];
static mma_result rows[ROWS];
static uint64_t seed;

static uint32_t draw(void)
{
    return (uint32_t)(word_random_linear(&seed) >> 33);
}

/* Finite codes of all exponents, pairs that cancel, an accumulator near the products. */
static void fill_rows(void)
{
    seed = 20261121;
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < K; k++) {
            codes[i][0][k] = (unsigned char)(draw() % 127 + (draw() & 128));
            codes[i][1][k] = (unsigned char)(draw() % 127 + (draw() & 128));
        }
        for (int k = 0; k + 1 < K && i % 2; k += 2) {
            codes[i][0][k + 1] = codes[i][0][k] ^ 128;
            codes[i][1][k + 1] = draw() % 8 ? codes[i][1][k] : codes[i][1][k + 1];
        }
        rows[i].x.a = codes[i][0];
        rows[i].x.b = codes[i][1];
        rows[i].k = K;
        rows[i].c = i % 4 ? (draw() & 0x807fffffu) | (115 + draw() % 30) << 23 : 0;
        rows[i].line = (uint64_t)i + 1;
    }
}

static void plant_words(const plant *p, int noise)
{
    for (int i = 0; i < ROWS; i++) {
        rows[i].d = word_by(p, &rows[i]);
        if (i % 100 < noise)
            rows[i].d = draw() << 8 | (draw() & 255);
    }
}

static sf8_mma unit_of(const char *name)
{
    sf8_mma m;
    memset(&m, 0, sizeof m);
    check(sf8_mma_named(&m, name, SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK, name, "no such unit");
    return m;
}

/* ---- what is named --------------------------------------------------------------------------- */

static mma_diagnosis d;
static char text[1024];

static void diagnose(const char *unit)
{
    sf8_mma m = unit_of(unit);
    mma_diagnose(&d, NULL, unit, &m, rows, ROWS);
    mma_diagnosis_text(&d, text, sizeof text);
}

/* Each by hand: hopper-qgmma except for the one or two properties in the name. */
static const plant plants[] = {
    {"fraction=12", 12, 32, 13, 0, 0, 0, 0},
    {"fraction=14", 14, 32, 13, 0, 0, 0, 0},
    {"unit=ada-qmma", 13, 16, 13, 0, 0, 0, 0},
    {"length=8", 13, 8, 13, 0, 0, 0, 0},
    {"cut=down", 13, 32, 13, 1, 0, 0, 0},
    {"products=normalised", 13, 32, 13, 0, 1, 0, 0},
    {"sum=f32", 13, 32, 23, 0, 0, 0, 0},
    {"sum=e8m12", 13, 32, 12, 0, 0, 0, 0},
    {"round=rne", 13, 32, 13, 0, 0, 1, 0},
    {"c=by-itself", 13, 32, 13, 0, 0, 0, 1},
    {"unit=blackwell-tcgen05", 25, 32, 23, 0, 0, 0, 0},
    {"fraction=11 cut=down", 11, 32, 13, 1, 0, 0, 0},
    {"unit=ada-qmma fraction=20", 20, 16, 13, 0, 0, 0, 0},
    {"products=normalised sum=f32", 13, 32, 23, 0, 1, 0, 0},
    {"fraction=11 length=8 sum=e8m12", 11, 8, 12, 0, 0, 0, 0},
};
static const plant itself = {"", 13, 32, 13, 0, 0, 0, 0};

/* Where the tier is short, of one plant in three. */
static void check_named(void)
{
    const char *tier = getenv("SOFTFP8_TIER");
    size_t step = tier && strcmp(tier, "short") == 0 ? 3 : 1;
    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i += step) {
        plant_words(&plants[i], 0);
        diagnose("hopper-qgmma");
        check(d.found && strcmp(d.rule[0].name, plants[i].name) == 0, plants[i].name, text);
        check(d.rule[0].explained == ROWS, "all rows", text);
        check(d.explained < ROWS, "not the unit", text);
        for (size_t k = 1; k < d.found && k < MMA_RULES; k++)
            check(d.rule[k].explained == ROWS, "others that explain all", d.rule[k].name);
        if (i % 3)
            continue;
        plant_words(&plants[i], 10);
        diagnose("hopper-qgmma");
        check(d.found && strcmp(d.rule[0].name, plants[i].name) == 0, "beside noise", text);
        check(d.rule[0].explained == ROWS * 9 / 10, "but the noise", text);
    }
}

static void check_none(void)
{
    plant_words(&itself, 0);
    diagnose("hopper-qgmma");
    check(d.explained == ROWS && d.found == 0, "the unit itself", text);
    check(strcmp(text, "the unit explains all 400 rows") == 0, "said", text);
    plant_words(&itself, 20);
    diagnose("hopper-qgmma");
    check(d.explained == ROWS * 4 / 5 && d.found == 0, "the unit and noise", text);
    plant_words(&itself, 100);
    diagnose("hopper-qgmma");
    check(d.explained == 0 && d.found == 0, "noise", text);
    check(strncmp(text, "no rule of ", 11) == 0 && d.tried > 1000, "none is said", text);
}

/* ---- rows made small ------------------------------------------------------------------------- */

/* The reduced row has as few terms as can show the difference, and needs all of them. */
static void check_small(size_t index, size_t least, size_t most)
{
    unsigned char a[K], b[K];
    const plant *p = &plants[index];
    plant copy = *p;
    sf8_mma m = unit_of("hopper-qgmma");
    int tried = 0;
    for (int i = 0; i < ROWS && tried < 20; i++) {
        mma_result small;
        if (word_by(p, &rows[i]) == mma_model(&m, &rows[i]))
            continue;
        tried++;
        size_t terms = mma_minimise(&m, &rows[i], evaluate, &copy, a, b, &small);
        snprintf(text, sizeof text, "row %d has %zu terms", i, terms);
        check(terms >= least && terms <= most && terms == mma_live(&m, &small), p->name, text);
        check(small.d == word_by(p, &small) && small.d != mma_model(&m, &small), p->name, "word");
        for (int k = 0; k < K; k++) {
            mma_result less = small;
            unsigned char was = a[k];
            a[k] = 0;
            check(!was || word_by(p, &less) == mma_model(&m, &less) || mma_live(&m, &less) == terms,
                  p->name, "a term can be left out");
            a[k] = was;
        }
        check(a[0] == codes[i][0][0] || a[0] == 0, "codes of the row", p->name);
    }
    check(tried > 0, p->name, "no row differs");
}

static void check_minimise(void)
{
    unsigned char a[K], b[K];
    mma_result small;
    plant copy = itself;
    sf8_mma m = unit_of("hopper-qgmma");
    check(mma_minimise(&m, &rows[0], evaluate, &copy, a, b, &small) == 0, "as the model", "it is");
    check_small(0, 1, 2);  /* c alone, or two products */
    check_small(4, 2, 3);  /* one beside a larger: rounded down */
    check_small(2, 2, 33); /* c and a product of the second block, or more */
    check_small(6, 1, 2);  /* c alone, or a sum of two, has more than 13 bits */
}

int main(void)
{
    fill_rows();
    check_named();
    check_none();
    check_minimise();
    printf("%d checks, %d failed\n", checks, failures);
    return failures != 0;
}

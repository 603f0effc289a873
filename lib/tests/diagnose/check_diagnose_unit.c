/* SPDX-License-Identifier: MIT */
/* check_diagnose_unit.c -- sf8_diagnose_unit: planted changes of a matrix unit are named, what is
 * right is not accused; rows are reduced
 *
 * The unit is hopper-qgmma, of e4m3 to f32: 32 products are added with 13 bits below the largest,
 * and the sum is cut to them. The sums are computed here in double, where each step is exact,
 * without the library.
 */
#include "softfp8_diagnose.h"
#include "diagnose/mma/diagnose.h"
#include "diagnose_check.h"
#include "random.h"

#include <math.h>

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

/* The word that the changed unit gives; `row` has K products. */
static uint32_t word_by(void *planted, const mma_result *row)
{
    const plant *p = planted;
    double c = p->by_itself ? 0 : double_of(row->c);
    for (int at = 0; at < K; at += p->length)
        c = sum_of(p, (const unsigned char *)row->x.a + at, (const unsigned char *)row->x.b + at,
                   c);
    return word_of(p->by_itself ? c + double_of(row->c) : c);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static unsigned char codes_a[ROWS][K], codes_b[ROWS][K];
static uint32_t accumulators[ROWS], results[ROWS];

/* Finite codes of all exponents, pairs that cancel, an accumulator near the products. */
static void fill_rows(void)
{
    for (int i = 0; i < ROWS; i++) {
        for (int k = 0; k < K; k++) {
            codes_a[i][k] = (unsigned char)(pseudo_random() % 127 + (pseudo_random() & 128));
            codes_b[i][k] = (unsigned char)(pseudo_random() % 127 + (pseudo_random() & 128));
        }
        for (int k = 0; k + 1 < K && i % 2; k += 2) {
            codes_a[i][k + 1] = codes_a[i][k] ^ 128;
            codes_b[i][k + 1] = pseudo_random() % 8 ? codes_b[i][k] : codes_b[i][k + 1];
        }
        uint32_t c = (pseudo_random() & 0x7fffffu) | (115 + pseudo_random() % 30) << 23;
        accumulators[i] = i % 4 ? c : 0;
    }
}

static mma_result row_at(int i)
{
    return (mma_result){.x.a = codes_a[i], .x.b = codes_b[i], .k = K, .c = accumulators[i]};
}

/* What the changed unit gives; `noise` of a hundred results are any bits. */
static sf8_unit_results plant_words(const plant *p, int noise)
{
    plant copy = *p;
    for (int i = 0; i < ROWS; i++) {
        mma_result row = row_at(i);
        results[i] = i % 100 < noise ? pseudo_random() : word_by(&copy, &row);
    }
    return (sf8_unit_results){.unit = "hopper-qgmma",
                              .a = SF8_E4M3,
                              .b = SF8_E4M3,
                              .out = SF8_F32,
                              .stored = SF8_F32,
                              .codes_a = codes_a,
                              .codes_b = codes_b,
                              .c = accumulators,
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

/* ---- what is named --------------------------------------------------------------------------- */

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

static sf8_verdict verdict_of(const plant *p, int noise, size_t explained, size_t listed)
{
    sf8_unit_results r = plant_words(p, noise);
    sf8_unit_diagnosis *d = diagnose(&r);
    const char *found = d->count ? d->list[0].words : "";
    if (listed && (strcmp(found, p->name) != 0 || d->list[0].explained != listed))
        printf("beside %d of noise, %zu rows by %s\n", noise, d->count ? d->list[0].explained : 0,
               found);
    if (listed) {
        same("the change", p->name, found);
        holds("its rows", d->count && d->list[0].explained == listed);
    } else {
        holds("the unit's rows", d->explained == explained);
    }
    for (size_t k = 1; k < d->count && listed == ROWS; k++)
        holds("others that explain all", d->list[k].explained == ROWS);
    holds("as the rows are",
          d->is_expected == (d->explained == ROWS) && (d->first < ROWS) == !d->is_expected);
    holds("rules are tried", d->explained || listed || d->tried > 1000);
    sf8_verdict verdict = d->verdict;
    sf8_unit_diagnosis_free(d);
    return verdict;
}

/* Where the tier is short, of one plant in three, and without noise beside them: that takes
 * seconds. */
static void check_named(void)
{
    const char *tier = getenv("SOFTFP8_TIER");
    size_t step = tier && strcmp(tier, "short") == 0 ? 3 : 1;
    for (size_t i = 0; i < sizeof plants / sizeof plants[0]; i += step) {
        holds(plants[i].name, verdict_of(&plants[i], 0, 0, ROWS) == SF8_VERDICT_CHANGED);
        if (i % 3 == 0 && step == 1)
            holds("beside noise",
                  verdict_of(&plants[i], 10, 0, ROWS * 9 / 10) == SF8_VERDICT_NEAREST);
    }
    holds("the unit itself", verdict_of(&itself, 0, ROWS, 0) == SF8_VERDICT_POLICY);
    if (step == 1)
        holds("the unit and noise", verdict_of(&itself, 20, ROWS * 4 / 5, 0) == SF8_VERDICT_NONE);
    holds("noise", verdict_of(&itself, 100, 0, 0) == SF8_VERDICT_NONE);
}

static void check_texts(void)
{
    char text[1024];
    mma_diagnosis d;
    memset(&d, 0, sizeof d);
    d.rows = d.explained = ROWS;
    mma_diagnosis_text(&d, text, sizeof text);
    same("explained", "the unit explains all 400 rows", text);
    d.explained = 0;
    d.tried = 1234;
    mma_diagnosis_text(&d, text, sizeof text);
    holds("not explained", strncmp(text, "no rule of ", 11) == 0);
}

/* The sums as bf16. */
static void check_stored(void)
{
    sf8_unit_results r = plant_words(&itself, 0);
    r.stored = SF8_BF16;
    for (size_t i = 0; i < ROWS; i++)
        results[i] = (results[i] + 0x7fff + (results[i] >> 16 & 1)) >> 16;
    sf8_unit_diagnosis *d = diagnose(&r);
    holds("stored as bf16", d->is_expected);
    sf8_unit_diagnosis_free(d);
}

/* ---- rows made small ------------------------------------------------------------------------- */

static sf8_mma hopper(void)
{
    sf8_mma m;
    holds("a unit", sf8_mma_named(&m, "hopper-qgmma", SF8_E4M3, SF8_E4M3, SF8_F32) == SF8_OK);
    return m;
}

/* The reduced row has as few terms as can show the difference, and needs all of them. */
static void check_small(size_t index, size_t least, size_t most)
{
    char text[64];
    unsigned char a[K], b[K];
    const plant *p = &plants[index];
    plant copy = *p;
    sf8_mma m = hopper();
    int tried = 0;
    for (int i = 0; i < ROWS && tried < 20; i++) {
        mma_result small, row = row_at(i);
        if (word_by(&copy, &row) == mma_model(&m, &row))
            continue;
        tried++;
        size_t terms = mma_minimise(&m, &row, word_by, &copy, a, b, &small);
        snprintf(text, sizeof text, "row %d has %zu terms", i, terms);
        holds(text, terms >= least && terms <= most && terms == mma_live(&m, &small));
        holds(p->name, small.d == word_by(&copy, &small) && small.d != mma_model(&m, &small));
        for (int k = 0; k < K; k++) {
            mma_result less = small;
            unsigned char was = a[k];
            a[k] = 0;
            holds("no term can be left out", !was ||
                                                 word_by(&copy, &less) == mma_model(&m, &less) ||
                                                 mma_live(&m, &less) == terms);
            a[k] = was;
        }
        holds("codes of the row", a[0] == codes_a[i][0] || a[0] == 0);
    }
    holds(p->name, tried > 0);
}

static void check_minimise(void)
{
    unsigned char a[K], b[K];
    mma_result small, row = row_at(0);
    plant copy = itself;
    sf8_mma m = hopper();
    holds("as the model", mma_minimise(&m, &row, word_by, &copy, a, b, &small) == 0);
    check_small(0, 1, 2);  /* c alone, or two products */
    check_small(4, 2, 3);  /* one beside a larger: rounded down */
    check_small(2, 2, 33); /* c and a product of the second block, or more */
    check_small(6, 1, 2);  /* c alone, or a sum of two, has more than 13 bits */
}

/* ---- calls ----------------------------------------------------------------------------------- */

static void refuses(const char *what, sf8_status status, sf8_unit_results r)
{
    sf8_unit_diagnosis *d = (sf8_unit_diagnosis *)&r;
    holds(what, sf8_diagnose_unit(&r, &d) == status && !d);
}

static void check_calls(void)
{
    const sf8_unit_results good = plant_words(&plants[3], 0);
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
    holds("the time was up", d->is_cut_short && told);
    sf8_unit_diagnosis_free(d);
}

static sf8_status diagnose_right(void)
{
    sf8_unit_results r = plant_words(&itself, 0);
    sf8_unit_diagnosis *d;
    r.count = 10;
    sf8_status status = sf8_diagnose_unit(&r, &d);
    sf8_unit_diagnosis_free(d);
    return status;
}

int main(void)
{
    fill_rows();
    check_memory(diagnose_right);
    check_calls();
    check_named();
    check_texts();
    check_stored();
    check_minimise();
    printf("%d failures\n", failures);
    return failures > 0;
}

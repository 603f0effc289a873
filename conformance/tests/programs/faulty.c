/* SPDX-License-Identifier: MIT */
/* faulty.c -- the command conform on converters with planted faults
 *
 *     softfp8-test-faulty ARGUMENT...    as softfp8 conform
 *
 * The converters are written in the usual way: the value as a double, scaled and rounded; they use
 * nothing of the library. Each has one fault, or two, or none. The rows and the subjects here
 * replace those of the suite.
 */
#include "cli/cli.h"
#include "device.h"
#include "families/convert/convert.h"
#include "families/families.h"
#include "suite/compare.h"
#include "suite/family.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- a converter ----------------------------------------------------------------------------- */

typedef enum rounding { TO_EVEN, TO_AWAY, TO_ZERO, TIES_DOWN } rounding;

typedef struct target {
    int mantissa, emin; /* its bits; the exponent of the smallest normal number */
    double max;
    uint32_t sign, max_code, over_code, nan_code;
    int over_signed; /* without saturation a value that is too large gives a result with a sign */
} target;

static const target e4m3 = {3, -6, 448, 0x80, 0x7e, 0x7f, 0x7f, 0};
static const target e5m2 = {2, -14, 57344, 0x80, 0x7b, 0x7c, 0x7e, 1};
static const target e4m3_bias_8 = {3, -7, 224, 0x80, 0x7e, 0x7f, 0x7f, 0};
static const target e4m3_to_240 = {3, -6, 240, 0x80, 0x77, 0x7f, 0x7f, 0};
static const target e2m1 = {1, 0, 6, 0x8, 0x7, 0x7, 0x7, 0};

typedef struct faults {
    rounding round;
    int saturates;
    int early;         /* overflow is detected before rounding */
    int flush_inputs;  /* subnormal numbers of f16 */
    int flush_outputs; /* of the target */
    int nan_sign;      /* NaN keeps its sign */
    int via_f16;       /* rounded to f16 first */
    int cut_f16;       /* truncated to f16 first */
    int cut_f32;       /* truncated to f32 first */
    int through_f32;   /* rounded to f32 first */
    int relu;          /* values below zero become 0 */
    int ties_up;       /* toward +infinity */
    uint32_t mutant;   /* this code is replaced by the one below */
    uint32_t scramble; /* these bits of every eighth code are flipped */
} faults;

/* x >= 0, finite, to a significand of `bits` bits, the exponent not below emin. */
static double round_to(double x, int bits, int emin, rounding how)
{
    int e;
    if (x == 0)
        return x;
    frexp(x, &e);
    e = e - 1 > emin ? e - 1 : emin;
    double unit = ldexp(1, e - bits + 1), low = floor(x / unit), rest = x / unit - low;
    int up = rest > 0.5 ||
             (rest == 0.5 && (how == TO_AWAY || (how != TIES_DOWN && fmod(low, 2) == 1)));
    return (low + (how != TO_ZERO && up)) * unit;
}

static uint32_t code_of(double x, const target *t)
{
    int e;
    if (x < ldexp(1, t->emin))
        return (uint32_t)ldexp(x, t->mantissa - t->emin);
    double m = frexp(x, &e); /* from 1/2 to 1 */
    return (uint32_t)ldexp(e - 1 - t->emin, t->mantissa) + (uint32_t)ldexp(m, t->mantissa + 1);
}

static uint32_t convert(double x, int negative, const target *t, const faults *f)
{
    uint32_t sign = negative ? t->sign : 0;
    if (isnan(x))
        return t->nan_code | (f->nan_sign ? sign : 0);
    if (f->relu && negative)
        return 0;
    if (f->via_f16 && !isinf(x)) {
        x = round_to(x, 11, -14, TO_EVEN);
        x = x > 65504 ? INFINITY : x;
    }
    if (f->cut_f16 && !isinf(x))
        x = fmin(round_to(x, 11, -14, TO_ZERO), 65504);
    rounding how = !f->ties_up ? f->round : negative ? TIES_DOWN : TO_AWAY;
    double r = isinf(x) ? x : round_to(x, t->mantissa + 1, t->emin, how);
    if ((f->early ? x : r) > t->max)
        return f->saturates ? sign | t->max_code
                            : t->over_code | (t->over_signed || f->nan_sign ? sign : 0);
    if (f->flush_outputs && r < ldexp(1, t->emin))
        r = 0;
    uint32_t code = code_of(r, t);
    if (code % 8 == 5)
        code ^= f->scramble;
    return sign | (f->mutant && code == f->mutant ? code - 1 : code);
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t from_f32(uint32_t word, const target *t, const faults *f)
{
    float x;
    memcpy(&x, &word, sizeof x);
    return convert(fabs((double)x), word >> 31 != 0, t, f);
}

static uint32_t from_f64(uint64_t word, const target *t, const faults *f)
{
    double x;
    memcpy(&x, &word, sizeof x);
    if (f->cut_f32 && isfinite(x)) {
        float cut = (float)x;
        x = fabs((double)cut) > fabs(x) ? (double)nextafterf(cut, 0) : (double)cut;
    }
    if (f->through_f32)
        x = (double)(float)x;
    return convert(fabs(x), word >> 63 != 0, t, f);
}

static uint32_t from_f16(uint16_t word, const target *t, const faults *f)
{
    int exponent = word >> 10 & 31, mantissa = word & 0x3ff;
    double x = exponent == 31 ? mantissa ? NAN : INFINITY
               : exponent     ? ldexp(1024 + mantissa, exponent - 25)
                              : ldexp(mantissa, -24);
    if (f->flush_inputs && exponent == 0)
        x = 0;
    return convert(x, word >> 15 != 0, t, f);
}

/* The same word as bf16. */
static uint32_t from_bf16(uint16_t word, const target *t, const faults *f)
{
    return from_f32((uint32_t)word << 16, t, f);
}

/* clang-format off */
/* Name, from, its words, the target, lanes; the faults. */
#define CONVERTERS(X) \
    X(right, from_f32, uint32_t, e4m3, 2, .saturates = 1) \
    X(ties_away, from_f32, uint32_t, e4m3, 1, .saturates = 1, .round = TO_AWAY) \
    X(truncates, from_f32, uint32_t, e4m3, 4, .saturates = 1, .round = TO_ZERO) \
    X(early, from_f32, uint32_t, e4m3, 1, .early = 1) \
    X(saturates, from_f32, uint32_t, e4m3, 2, .saturates = 1) \
    X(nan_sign, from_f32, uint32_t, e4m3, 1, .saturates = 1, .nan_sign = 1) \
    X(flush_outputs, from_f32, uint32_t, e5m2, 1, .saturates = 1, .flush_outputs = 1) \
    X(flush_inputs, from_f16, uint16_t, e5m2, 2, .saturates = 1, .flush_inputs = 1) \
    X(ties_away_e2m1, from_f32, uint32_t, e2m1, 1, .saturates = 1, .round = TO_AWAY) \
    X(twice, from_f32, uint32_t, e4m3, 1, .saturates = 1, .via_f16 = 1) \
    X(once, from_f64, uint64_t, e4m3, 1, .saturates = 1) \
    X(two_faults, from_f32, uint32_t, e4m3, 1, .saturates = 1, .nan_sign = 1, .flush_outputs = 1) \
    X(mutant, from_f16, uint16_t, e4m3, 1, .saturates = 1, .mutant = 0x3d) \
    X(many, from_f16, uint16_t, e4m3, 1, .early = 1, .scramble = 4) \
    X(first_step, from_f64, uint64_t, e4m3, 1, .saturates = 1, .cut_f32 = 1) \
    X(open_nan, from_f32, uint32_t, e4m3, 1, .nan_sign = 1) \
    X(relu, from_f32, uint32_t, e4m3, 2, .saturates = 1, .round = TO_AWAY, .relu = 1) \
    X(ties_up, from_f32, uint32_t, e4m3, 2, .saturates = 1, .ties_up = 1) \
    X(both_steps, from_f64, uint64_t, e4m3, 1, .saturates = 1, .cut_f32 = 1, .nan_sign = 1) \
    X(second_step, from_f64, uint64_t, e4m3, 1, .saturates = 1, .through_f32 = 1, .ties_up = 1) \
    X(clamped, from_f32, uint32_t, e4m3_to_240, 1, .saturates = 1) \
    X(other_format, from_f16, uint16_t, e5m2, 1, .saturates = 1) \
    X(twice_cut, from_f32, uint32_t, e4m3, 1, .saturates = 1, .cut_f16 = 1) \
    X(policy_ties_away, from_f32, uint32_t, e4m3, 1, .saturates = 1, .round = TO_AWAY) \
    X(three_faults, from_f32, uint32_t, e4m3, 1, .saturates = 1, .nan_sign = 1, .flush_outputs = 1, \
      .round = TO_AWAY) \
    X(other_format_cut, from_f16, uint16_t, e5m2, 1, .saturates = 1, .round = TO_ZERO) \
    X(other_inputs, from_bf16, uint16_t, e4m3, 1, .saturates = 1) \
    X(other_bias, from_f16, uint16_t, e4m3_bias_8, 1, .saturates = 1) \
    X(almost, from_f32, uint32_t, e4m3, 1, .saturates = 1, .round = TO_AWAY, .mutant = 0x3d)
/* clang-format on */

#define CONVERTER(name, from, word, to, lanes, ...)                                                \
    static void name(const void *in, void *out, size_t n)                                          \
    {                                                                                              \
        static const faults f = {__VA_ARGS__};                                                     \
        const word *a = in;                                                                        \
        uint8_t *b = out;                                                                          \
        for (size_t i = 0; i < n; i++)                                                             \
            b[i] = (uint8_t)from(a[i], &to, &f);                                                   \
    }
CONVERTERS(CONVERTER)

/* The two of a pair change places. */
static void swapped(const void *in, void *out, size_t n)
{
    uint8_t *b = out;
    right(in, out, n);
    for (size_t i = 0; i + 1 < n; i += 2) {
        uint8_t first = b[i];
        b[i] = b[i + 1];
        b[i + 1] = first;
    }
}

/* The numbers of e4m3 in f16; the subnormal ones are lost. */
static void lost(const void *in, void *out, size_t n)
{
    const uint8_t *a = in;
    uint16_t *b = out;
    for (size_t i = 0; i < n; i++) {
        unsigned magnitude = a[i] & 0x7f, sign = (a[i] & 0x80u) << 8;
        unsigned number = magnitude < 8 ? 0 : (magnitude << 7) + (8u << 10);
        b[i] = (uint16_t)(magnitude == 0x7f ? 0x7e00 : sign | number);
    }
}

/* The same with all numbers, and the two bytes of each in the other order. */
static void swapped_bytes(const void *in, void *out, size_t n)
{
    const uint8_t *a = in;
    uint8_t *b = out;
    for (size_t i = 0; i < n; i++) {
        unsigned magnitude = a[i] & 0x7f, shift = 0;
        while (magnitude > 0 && magnitude << shift < 8)
            shift++;
        unsigned number = magnitude == 0x7f ? 0x7e00
                          : magnitude == 0  ? 0
                          : magnitude < 8 ? (((magnitude << shift) - 8) << 7) + ((9 - shift) << 10)
                                          : (magnitude << 7) + (8u << 10);
        number |= magnitude == 0x7f ? 0 : (a[i] & 0x80u) << 8;
        b[2 * i] = (uint8_t)(number >> 8);
        b[2 * i + 1] = (uint8_t)(number & 0xff);
    }
}

/* To i32 as x86 does it: NaN and what is out of range give the most negative one. */
static void indefinite(const void *in, void *out, size_t n)
{
    const uint32_t *a = in;
    uint32_t *b = out;
    for (size_t i = 0; i < n; i++) {
        float x;
        memcpy(&x, &a[i], sizeof x);
        double r = round_to(fmin(fabs((double)x), 0x1p40), 64, 0, TO_EVEN);
        double integer = x < 0 ? -r : r;
        int good = !isnan(x) && integer >= -0x1p31 && integer < 0x1p31;
        b[i] = good ? (uint32_t)(int32_t)integer : UINT32_C(0x80000000);
    }
}

/* From i32 to f32, what is too much is cut off. */
static void integer_cut(const void *in, void *out, size_t n)
{
    const uint32_t *a = in;
    float *b = out;
    for (size_t i = 0; i < n; i++) {
        int negative = a[i] >> 31 != 0;
        double x = (double)(negative ? UINT64_C(0x100000000) - a[i] : a[i]);
        x = round_to(x, 24, 0, TO_ZERO);
        b[i] = (float)(negative ? -x : x);
    }
}

static void crash(const void *in, void *out, size_t n)
{
    (void)in, (void)out, (void)n;
    abort();
}

static void hang(const void *in, void *out, size_t n)
{
    volatile int forever = 1;
    (void)in, (void)out, (void)n;
    while (forever)
        continue;
}

/* ---- lanes with random words of their own ---------------------------------------------------- */

/* Converters that round at random are compared by tables of each lane, as those of a device. These
 * are the library's under another policy: that stands in the case's data. */
static void run_lanes(const conform_job *j)
{
    static gpu_row rows[GPU_LANES][1 << 16];
    oracle wrong;
    inputs in;
    char why[CONFORM_TEXT];
    code_tables tables = {.lanes = GPU_LANES};
    const char *const *change = j->c->data;
    if (!oracle_open(&wrong, j->c, why) ||
        sf8_policy_set(&wrong.policy[0], change[0], change[1]) != SF8_OK ||
        !inputs_open(&in, &wrong, j->c->domain, TIER_QUICK, why)) {
        set_broken(j->result, "cannot make", j->c->name);
        return;
    }
    for (int lane = 0; lane < GPU_LANES; lane++) {
        for (uint64_t i = 0; i < in.count; i++)
            rows[lane][i] = (gpu_row){i, oracle_call_lane(&wrong, inputs_at(&in, i), lane)};
        tables.row[lane] = rows[lane];
        tables.rows[lane] = (size_t)in.count;
    }
    comparison k = {j->c, j->rule, &in, 0, in.count};
    compare_tables(&k, &tables, j->result);
    inputs_close(&in);
}

static const conform_family lanes_family = {.name = "lanes", .run = run_lanes};
static const char *const fewer_bits[] = {"sr_bits", "6"}, *const other_rule[] = {"sr_rule", "b"},
                         *const keeps_sign[] = {"nan_sign", "signed"};

/* ---- what stands in the place of gpu/ and of the rows ---------------------------------------- */

#define SUBJECT(name, from, word, to, lanes, ...) {#name, NULL, sizeof(word), 1, lanes, name},
static const gpu_subject subjects[] = {
    /* clang-format off */
    CONVERTERS(SUBJECT)
    /* clang-format on */
    {"swapped_bytes", NULL, 1, 2, 1, swapped_bytes},
    {"indefinite", NULL, 4, 4, 1, indefinite},
    {"integer_cut", NULL, 4, 4, 1, integer_cut},
    {"swapped", NULL, 4, 1, 2, swapped},
    {"lost", NULL, 1, 2, 1, lost},
    {"crash", NULL, 4, 1, 1, crash},
    {"hang", NULL, 4, 1, 1, hang},
};

#define ROW_OF(from_to, called, words, nan, ...)                                                   \
    {.name = "faulty/" from_to "/" called,                                                         \
     .subject = called,                                                                            \
     .family = &cuda_host_family,                                                                  \
     .domain = words,                                                                              \
     .oracle = {__VA_ARGS__},                                                                      \
     .nan_class = nan},
#define ROW(from_to, subject, policy)                                                              \
    ROW_OF(from_to, subject, DOMAIN_ALL, 0, {from_to, policy, NULL})
#define LANES(called, change)                                                                      \
    {.name = "faulty/f16_to_e4m3/" called,                                                         \
     .subject = called,                                                                            \
     .family = &lanes_family,                                                                      \
     .oracle = {{"f16_to_e4m3", "ocp", "round=sr sr_rule=a sr_bits=8"}},                           \
     .slices = SLICES_BYTES,                                                                       \
     .rbits = 0x12345678,                                                                          \
     .data = change},
#define KNOWN(way, called, as)                                                                     \
    {.name = "faulty/f32_to_e4m3/" way,                                                            \
     .subject = called,                                                                            \
     .family = &cuda_host_family,                                                                  \
     .oracle = {{"f32_to_e4m3", "ocp", NULL}},                                                     \
     .known = as},

static const conform_known ties = {"ties go away from zero there",
                                   {{"f32_to_e4m3", "ocp", "round=rna"}}};

/* clang-format off */
static const conform_case cases[] = {
    ROW("f32_to_e4m3", "right", "ocp")
    ROW("f32_to_e4m3", "ties_away", "ocp")
    ROW("f32_to_e4m3", "truncates", "ocp")
    ROW("f32_to_e4m3", "early", "ocp-nosat")
    ROW("f32_to_e4m3", "saturates", "ocp-nosat")
    ROW("f32_to_e4m3", "nan_sign", "ocp")
    ROW("f32_to_e5m2", "flush_outputs", "ocp")
    ROW("f16_to_e5m2", "flush_inputs", "ocp")
    ROW("f32_to_e2m1", "ties_away_e2m1", "ocp")
    ROW("f32_to_e4m3", "twice", "ocp")
    ROW_OF("f64_to_e4m3", "once", DOMAIN_SET, 0,
           {"f64_to_f32", "ocp-nosat", NULL}, {"f32_to_e4m3", "ocp", NULL})
    ROW_OF("f64_to_e4m3", "first_step", DOMAIN_SET, 0,
           {"f64_to_f32", "ocp-nosat", NULL}, {"f32_to_e4m3", "ocp", NULL})
    ROW_OF("f64_to_e4m3", "both_steps", DOMAIN_SET, 0,
           {"f64_to_f32", "ocp-nosat", "nan_sign=signed"}, {"f32_to_e4m3", "ocp", NULL})
    ROW_OF("f64_to_e4m3", "second_step", DOMAIN_SET, 0,
           {"f64_to_f32", "ocp-nosat", NULL}, {"f32_to_e4m3", "ocp", NULL})
    ROW_OF("f32_to_e4m3", "open_nan", DOMAIN_ALL, 1, {"f32_to_e4m3", "ocp", NULL})
    ROW_OF("f32_to_e4m3", "relu", DOMAIN_ALL, 0, {"f32_to_e4m3", "ocp", NULL}, {"relu", "ocp", NULL})
    ROW("f32_to_e4m3", "two_faults", "ocp")
    ROW("f16_to_e4m3", "mutant", "ocp")
    ROW("f16_to_e4m3", "many", "ocp-nosat")
    ROW("f32_to_e4m3", "ties_up", "ocp")
    ROW("f32_to_e4m3", "clamped", "ocp")
    ROW("f16_to_e4m3", "other_format", "ocp")
    ROW("f32_to_e4m3", "twice_cut", "ocp")
    ROW("f32_to_e4m3", "policy_ties_away", "ocp-nosat")
    ROW("f32_to_e4m3", "three_faults", "ocp")
    ROW("f16_to_e4m3", "other_format_cut", "ocp")
    ROW("f16_to_e4m3", "other_inputs", "ocp")
    ROW("f16_to_e4m3", "other_bias", "ocp")
    ROW("e4m3_to_f16", "swapped_bytes", "ocp")
    ROW("f32_to_i32", "indefinite", "ocp")
    ROW("i32_to_f32", "integer_cut", "ocp")
    LANES("sr_bits", fewer_bits)
    LANES("sr_rule", other_rule)
    LANES("sr_nan_sign", keeps_sign)
    ROW("f32_to_e4m3", "almost", "ocp")
    ROW("f32_to_e4m3", "swapped", "ocp")
    ROW("e4m3_to_f16", "lost", "ocp-nosat")
    KNOWN("as-known", "ties_away", &ties)
    KNOWN("not-as-known", "almost", &ties)
    KNOWN("no-more", "right", &ties)
    ROW("f32_to_e4m3", "crash", "ocp")
    ROW("f32_to_e4m3", "hang", "ocp")
};
/* clang-format on */

static const conform_case *case_at(size_t i)
{
    return i < sizeof cases / sizeof cases[0] ? &cases[i] : NULL;
}

static const conform_family *const none = NULL;
const conform_catalog conform_all = {&none, case_at};

const char *gpu_toolkit(void)
{
    return NULL;
}

const char *gpu_host_missing(void)
{
    return NULL;
}

const gpu_subject *gpu_host_subjects(size_t *count)
{
    *count = sizeof subjects / sizeof subjects[0];
    return subjects;
}

int main(int argc, char **argv)
{
    fail_as("conform");
    return command_conform.run(argc, argv);
}

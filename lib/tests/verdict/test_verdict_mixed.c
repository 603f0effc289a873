/* SPDX-License-Identifier: MIT */
/* test_verdict_mixed.c -- IEEE P3109's operations on mixed formats, with scales, and on blocks
 *
 * The reference is written from the text of P3109/D1 (July 2026) in exact fractions of GMP, and
 * uses nothing of the library. A datum is a fraction, the square root of one, an infinity or NaN.
 * The sections of D1 are named where they are transcribed. The full tier takes all operands of one
 * and two operands in all formats of up to 8 bits.
 */
#include "check.h"
#include "random.h"
#include "softfp8_vectors.h"

#include <gmp.h>

enum { FINITE, PROPAGATE, NONE, NONE_4_0, SATURATIONS };
static const char *const saturations[] = {"p3109-satfinite", "p3109-satpropagate", "p3109-satnone",
                                          "p3109-4.0-satnone"};
enum { RNE, RNA, RZ, RU, RD, RO, MODES };
static const char *const modes[] = {"rne", "rna", "rz", "ru", "rd", "ro"};

typedef struct datum {
    enum { NUMBER, PLUS_INF, MINUS_INF, NOT_A_NUMBER } kind;
    int is_root; /* the square root of q, which is not negative */
    mpq_t q;
} datum;

typedef struct binary {
    int k, p, is_signed, extended, external, bias;
    int64_t most; /* the code of the largest number */
    sf8_format format;
    char name[24];
    datum *value; /* of each code, in formats of up to 8 bits */
} binary;

/* ---- decoding, 4.7.2 and 4.8.1 --------------------------------------------------------------- */

static void set_power(datum *x, int64_t units, int64_t exponent)
{
    mpq_set_si(x->q, (long)units, 1);
    if (exponent >= 0)
        mpq_mul_2exp(x->q, x->q, (mp_bitcnt_t)exponent);
    else
        mpq_div_2exp(x->q, x->q, (mp_bitcnt_t)-exponent);
}

static void decode(const binary *f, uint64_t code, datum *x)
{
    uint64_t half = UINT64_C(1) << (f->k - 1), units = UINT64_C(1) << (f->p - 1);
    uint64_t magnitude = f->is_signed ? code & (half - 1) : code;
    int negative = f->is_signed && code >= half;
    x->is_root = 0;
    x->kind = NUMBER;
    if (f->external ? magnitude > (uint64_t)f->most + 1
                    : code == (f->is_signed ? half : 2 * half - 1))
        x->kind = NOT_A_NUMBER;
    else if (f->extended && magnitude == (uint64_t)f->most + 1)
        x->kind = negative ? MINUS_INF : PLUS_INF;
    else {
        int64_t t = (int64_t)(magnitude % units), e = (int64_t)(magnitude / units);
        set_power(x, e == 0 ? t : t + (int64_t)units, 1 - f->p + (e == 0 ? 1 : e) - f->bias);
        if (negative)
            mpq_neg(x->q, x->q);
    }
}

static int open_format(binary *f, const char *name)
{
    char kind[3];
    memset(f, 0, sizeof *f);
    snprintf(f->name, sizeof f->name, "%s", name);
    if (sscanf(name, "Binary%dp%d%2s", &f->k, &f->p, kind) == 3) {
        f->is_signed = kind[0] == 's';
        f->extended = kind[1] == 'e';
        if (!sf8_p3109_exists(f->k, f->p, f->is_signed))
            return 0;
        f->bias = 1 << (f->k - f->p - f->is_signed);
        f->most = (1 << (f->k - f->is_signed)) - 1 - !f->is_signed - f->extended;
    } else {
        f->external = f->is_signed = f->extended = 1;
        f->k = strcmp(name, "f32") == 0 ? 32 : 16;
        f->p = strcmp(name, "f32") == 0 ? 24 : strcmp(name, "f16") == 0 ? 11 : 8;
        f->bias = strcmp(name, "f16") == 0 ? 15 : 127;
        f->most = ((int64_t)(2 * f->bias + 1) << (f->p - 1)) - 1;
    }
    f->format = format_of(name);
    if (f->k <= 8) {
        f->value = calloc((size_t)1 << f->k, sizeof f->value[0]);
        for (uint64_t code = 0; code < UINT64_C(1) << f->k; code++) {
            mpq_init(f->value[code].q);
            decode(f, code, &f->value[code]);
        }
    }
    return 1;
}

static void get(const binary *f, uint64_t code, datum *x)
{
    if (!f->value) {
        decode(f, code, x);
        return;
    }
    x->kind = f->value[code].kind;
    x->is_root = 0;
    mpq_set(x->q, f->value[code].q);
}

/* ---- projection, 4.7.3 to 4.7.6 and 4.8.2 ---------------------------------------------------- */

static mpz_t scaled_number, part;
static mpq_t scaled, boundary;

/* floor(log2 q) */
static int64_t exponent_of(const mpq_t q)
{
    int64_t e = (int64_t)mpz_sizeinbase(mpq_numref(q), 2) -
                (int64_t)mpz_sizeinbase(mpq_denref(q), 2);
    if (e >= 0) {
        mpz_mul_2exp(part, mpq_denref(q), (mp_bitcnt_t)e);
        return mpz_cmp(mpq_numref(q), part) < 0 ? e - 1 : e;
    }
    mpz_mul_2exp(part, mpq_numref(q), (mp_bitcnt_t)-e);
    return mpz_cmp(part, mpq_denref(q)) < 0 ? e - 1 : e;
}

/* RoundToPrecision of a positive number: the code that its magnitude has, which may be too large.
 * *inexact says whether it was rounded. */
static int64_t rounded(const binary *f, int mode, const datum *x, int negative)
{
    int64_t e = exponent_of(x->q);
    if (x->is_root)
        e = e >= 0 ? e / 2 : -((1 - e) / 2);
    if (e < 1 - f->bias)
        e = 1 - f->bias;
    int64_t quantum = e - f->p + 1, up = x->is_root ? 2 * quantum : quantum;
    if (up >= 0)
        mpq_div_2exp(scaled, x->q, (mp_bitcnt_t)up);
    else
        mpq_mul_2exp(scaled, x->q, (mp_bitcnt_t)-up);
    mpz_fdiv_q(scaled_number, mpq_numref(scaled), mpq_denref(scaled));
    if (x->is_root)
        mpz_sqrt(scaled_number, scaled_number);
    int64_t kept = (int64_t)mpz_get_ui(scaled_number);
    /* Where the number lies: at kept (0), below (1), at (2) or above (3) kept + 1/2. */
    mpq_set_si(boundary, (long)kept, 1);
    if (x->is_root)
        mpq_mul(boundary, boundary, boundary);
    int place = mpq_cmp(scaled, boundary) != 0;
    mpq_set_si(boundary, (long)(2 * kept + 1), 2);
    mpq_canonicalize(boundary);
    if (x->is_root)
        mpq_mul(boundary, boundary, boundary);
    int half = mpq_cmp(scaled, boundary);
    place = place ? 2 + (half > 0) - (half < 0) : 0;
    int even = f->p > 1 ? kept % 2 == 0 : kept == 0 || (quantum + f->bias) % 2 == 0;
    int away = mode == RNE   ? place == 3 || (place == 2 && !even)
               : mode == RNA ? place >= 2
               : mode == RZ  ? 0
               : mode == RU  ? place && !negative
               : mode == RD  ? place && negative
                             : place && even;
    kept += away;
    int64_t units = INT64_C(1) << (f->p - 1);
    if (kept == 2 * units) {
        kept = units;
        e++;
    }
    return kept < units ? kept : (e + f->bias) * units + kept - units;
}

/* Saturate: what becomes of a datum out of range. */
enum { TO_LIMIT, TO_INFINITY, TO_NAN };

static int saturated(const binary *f, int sat, int mode, int infinite, int negative)
{
    int below_zero = negative && !f->is_signed, inward;
    if (sat == FINITE)
        return TO_LIMIT;
    if (sat == PROPAGATE)
        return infinite && f->extended && !below_zero ? TO_INFINITY : TO_LIMIT;
    inward = !infinite && (mode == RZ || mode == (negative ? RU : RD));
    if (inward)
        return TO_LIMIT;
    if (sat == NONE)
        return f->extended && !below_zero ? TO_INFINITY : TO_NAN;
    if (below_zero)
        return TO_NAN;
    if (!infinite && mode == RO && !f->is_signed && f->extended)
        return TO_LIMIT;
    return f->extended ? TO_INFINITY : TO_LIMIT;
}

static uint64_t project(const binary *f, int sat, int mode, const datum *x)
{
    uint64_t half = UINT64_C(1) << (f->k - 1);
    uint64_t nan = f->external    ? (uint64_t)(f->most + 1) | (UINT64_C(1) << (f->p - 2))
                   : f->is_signed ? half
                                  : 2 * half - 1;
    int infinite = x->kind == PLUS_INF || x->kind == MINUS_INF;
    if (x->kind == NOT_A_NUMBER)
        return nan;
    int negative = infinite ? x->kind == MINUS_INF : mpq_sgn(x->q) < 0;
    int64_t code = 0;
    if (!infinite && mpq_sgn(x->q) != 0) {
        datum magnitude = *x;
        mpq_init(magnitude.q);
        mpq_abs(magnitude.q, x->q);
        code = rounded(f, mode, &magnitude, negative);
        mpq_clear(magnitude.q);
    }
    if (infinite || code > f->most || (negative && !f->is_signed && code > 0)) {
        int becomes = saturated(f, sat, mode, infinite, negative);
        if (becomes == TO_NAN)
            return nan;
        code = negative && !f->is_signed ? 0 : f->most + (becomes == TO_INFINITY);
    }
    return (uint64_t)code | (negative && f->is_signed && code != 0 ? half : 0);
}

/* ---- operations, 4.10 and 4.11 --------------------------------------------------------------- */

static int is_nan(const datum *x)
{
    return x->kind == NOT_A_NUMBER;
}

static int is_inf(const datum *x)
{
    return x->kind == PLUS_INF || x->kind == MINUS_INF;
}

static int sign_of(const datum *x)
{
    return x->kind == PLUS_INF ? 1 : x->kind == MINUS_INF ? -1 : mpq_sgn(x->q);
}

static void set_inf(datum *r, int sign)
{
    r->kind = sign > 0 ? PLUS_INF : sign < 0 ? MINUS_INF : NOT_A_NUMBER;
}

static void copy(datum *r, const datum *x)
{
    r->kind = x->kind;
    r->is_root = x->is_root;
    mpq_set(r->q, x->q);
}

static void add(datum *r, const datum *x, const datum *y)
{
    if (is_nan(x) || is_nan(y) || (is_inf(x) && is_inf(y) && x->kind != y->kind))
        r->kind = NOT_A_NUMBER;
    else if (is_inf(x) || is_inf(y))
        set_inf(r, sign_of(is_inf(x) ? x : y));
    else {
        mpq_add(r->q, x->q, y->q);
        r->kind = NUMBER;
    }
}

static void multiply(datum *r, const datum *x, const datum *y)
{
    if (is_nan(x) || is_nan(y))
        r->kind = NOT_A_NUMBER;
    else if (is_inf(x) || is_inf(y))
        set_inf(r, sign_of(x) * sign_of(y));
    else {
        mpq_mul(r->q, x->q, y->q);
        r->kind = NUMBER;
    }
}

static void divide(datum *r, const datum *x, const datum *y)
{
    if (is_nan(x) || is_nan(y) || (is_inf(x) && is_inf(y)) || (!is_inf(y) && sign_of(y) == 0))
        r->kind = NOT_A_NUMBER;
    else if (is_inf(x))
        set_inf(r, sign_of(x) * sign_of(y));
    else {
        r->kind = NUMBER;
        if (is_inf(y))
            mpq_set_ui(r->q, 0, 1);
        else
            mpq_div(r->q, x->q, y->q);
    }
}

static void negate(datum *r, const datum *x)
{
    copy(r, x);
    mpq_neg(r->q, r->q);
    if (is_inf(x))
        set_inf(r, -sign_of(x));
}

static void root(datum *r)
{
    if (!is_nan(r) && sign_of(r) < 0)
        r->kind = NOT_A_NUMBER;
    r->is_root = r->kind == NUMBER;
}

/* x < y; magnitudes if asked. */
static int less(const datum *x, const datum *y, int magnitude)
{
    if (is_inf(x) || is_inf(y)) {
        int sx = is_inf(x) ? sign_of(x) : 0, sy = is_inf(y) ? sign_of(y) : 0;
        return magnitude ? abs(sx) < abs(sy) : sx < sy;
    }
    if (!magnitude)
        return mpq_cmp(x->q, y->q) < 0;
    mpq_abs(scaled, x->q);
    mpq_abs(boundary, y->q);
    return mpq_cmp(scaled, boundary) < 0;
}

static void extremum(datum *r, const datum *x, const datum *y, int greater, int magnitude,
                     int prefers)
{
    if (is_nan(x) || is_nan(y))
        copy(r, (prefers != 0) == is_nan(x) ? y : x);
    else if (prefers == 2 && is_inf(x) != is_inf(y))
        copy(r, is_inf(x) ? y : x);
    else if (magnitude && (less(x, y, 1) || less(y, x, 1)))
        copy(r, less(x, y, 1) != greater ? x : y);
    else
        copy(r, less(x, y, 0) != greater ? x : y);
}

static void clamp(datum *r, const datum *x, const datum *low, const datum *high)
{
    r->kind = NOT_A_NUMBER;
    if (!is_nan(x) && !is_nan(low) && !is_nan(high) && !less(high, low, 0))
        copy(r, !less(low, x, 0) ? low : !less(x, high, 0) ? high : x);
}

static void copy_sign(datum *r, const datum *x, const datum *y)
{
    copy(r, x);
    if (is_nan(x) || is_nan(y))
        r->kind = NOT_A_NUMBER;
    else if ((sign_of(x) < 0) != (sign_of(y) < 0))
        negate(r, x);
}

static datum constant[2]; /* 0 and 1 */
static datum first, second;

static void apply(sf8_mixed_op op, datum *r, const datum *x)
{
    r->is_root = 0;
    switch (op) {
    case SF8_MIXED_sub:
        negate(&first, &x[1]);
        add(r, &x[0], &first);
        break;
    case SF8_MIXED_add:
        add(r, &x[0], &x[1]);
        break;
    case SF8_MIXED_mul:
        multiply(r, &x[0], &x[1]);
        break;
    case SF8_MIXED_div:
        divide(r, &x[0], &x[1]);
        break;
    case SF8_MIXED_fma:
        multiply(&first, &x[0], &x[1]);
        add(r, &first, &x[2]);
        break;
    case SF8_MIXED_faa:
        add(&first, &x[0], &x[1]);
        add(r, &first, &x[2]);
        break;
    case SF8_MIXED_rsqrt:
    case SF8_MIXED_recip:
        divide(r, &constant[1], &x[0]);
        if (op == SF8_MIXED_rsqrt && !is_nan(&x[0]) && sign_of(&x[0]) <= 0)
            r->kind = NOT_A_NUMBER;
        else if (op == SF8_MIXED_rsqrt)
            root(r);
        break;
    case SF8_MIXED_sqrt:
        copy(r, &x[0]);
        root(r);
        break;
    case SF8_MIXED_hypot:
        multiply(&first, &x[0], &x[0]);
        multiply(&second, &x[1], &x[1]);
        add(r, &first, &second);
        root(r);
        break;
    case SF8_MIXED_convert:
        copy(r, &x[0]);
        break;
    case SF8_MIXED_negate:
        negate(r, &x[0]);
        break;
    case SF8_MIXED_abs:
        copy(r, &x[0]);
        if (!is_nan(r) && sign_of(r) < 0)
            negate(r, &x[0]);
        break;
    case SF8_MIXED_copy_sign:
        copy_sign(r, &x[0], &x[1]);
        break;
    case SF8_MIXED_clamp:
        clamp(r, &x[0], &x[1], &x[2]);
        break;
#define EXTREMUM(name, greater, magnitude, prefers)                                                \
    case SF8_MIXED_##name:                                                                         \
        extremum(r, &x[0], &x[1], greater, magnitude, prefers);                                    \
        break;
        EXTREMUM(minimum, 0, 0, 0)
        EXTREMUM(maximum, 1, 0, 0)
        EXTREMUM(minimum_number, 0, 0, 1)
        EXTREMUM(maximum_number, 1, 0, 1)
        EXTREMUM(minimum_magnitude, 0, 1, 0)
        EXTREMUM(maximum_magnitude, 1, 1, 0)
        EXTREMUM(minimum_magnitude_number, 0, 1, 1)
        EXTREMUM(maximum_magnitude_number, 1, 1, 1)
        EXTREMUM(minimum_finite, 0, 0, 2)
        EXTREMUM(maximum_finite, 1, 0, 2)
    case SF8_MIXED_COUNT:
        break;
    }
}

static const struct {
    sf8_mixed_op op;
    const char *name;
    int operands;
} operations[] = {
    {SF8_MIXED_convert, "Convert", 1},
    {SF8_MIXED_abs, "Abs", 1},
    {SF8_MIXED_negate, "Negate", 1},
    {SF8_MIXED_recip, "Recip", 1},
    {SF8_MIXED_sqrt, "Sqrt", 1},
    {SF8_MIXED_rsqrt, "RSqrt", 1},
    {SF8_MIXED_add, "Add", 2},
    {SF8_MIXED_sub, "Subtract", 2},
    {SF8_MIXED_mul, "Multiply", 2},
    {SF8_MIXED_div, "Divide", 2},
    {SF8_MIXED_hypot, "Hypot", 2},
    {SF8_MIXED_copy_sign, "CopySign", 2},
    {SF8_MIXED_minimum, "Minimum", 2},
    {SF8_MIXED_maximum, "Maximum", 2},
    {SF8_MIXED_minimum_number, "MinimumNumber", 2},
    {SF8_MIXED_maximum_number, "MaximumNumber", 2},
    {SF8_MIXED_minimum_magnitude, "MinimumMagnitude", 2},
    {SF8_MIXED_maximum_magnitude, "MaximumMagnitude", 2},
    {SF8_MIXED_minimum_magnitude_number, "MinimumMagnitudeNumber", 2},
    {SF8_MIXED_maximum_magnitude_number, "MaximumMagnitudeNumber", 2},
    {SF8_MIXED_minimum_finite, "MinimumFinite", 2},
    {SF8_MIXED_maximum_finite, "MaximumFinite", 2},
    {SF8_MIXED_fma, "FMA", 3},
    {SF8_MIXED_faa, "FAA", 3},
    {SF8_MIXED_clamp, "Clamp", 3},
};
enum { OPERATIONS = COUNT(operations) };

/* ---- comparing ------------------------------------------------------------------------------- */

enum { MOST_FORMATS = 160 };
static binary formats[MOST_FORMATS];
static size_t format_count;
static uint64_t compared;

/* Binary8p1uf comes first, then F4, F8 and FX of 4.5. */
enum { SCALE, F4, F8, F8_TOO, F16, BF16, F32, REQUIRED };

static void open_all(void)
{
    static const char *const required[] = {
        "Binary8p1uf", "Binary4p2sf", "Binary8p4se", "Binary8p3se", "f16", "bf16", "f32"};
    mpz_inits(scaled_number, part, NULL);
    mpq_inits(scaled, boundary, constant[0].q, constant[1].q, first.q, second.q, NULL);
    mpq_set_ui(constant[1].q, 1, 1);
    for (size_t i = 0; i < REQUIRED; i++)
        open_format(&formats[format_count++], required[i]);
    for (int k = 3; k <= 8; k++)
        for (int p = 1; p <= k; p++)
            for (int kind = 0; kind < 4; kind++) {
                char name[32];
                snprintf(name, sizeof name, "Binary%dp%d%c%c", k, p, "us"[kind & 1],
                         "fe"[kind >> 1]);
                format_count += (size_t)open_format(&formats[format_count], name);
            }
}

typedef struct request {
    size_t operation;
    const binary *x[3], *scale[3], *to;
    int sat, mode;
    sf8_policy policy;
} request;

static request request_of(size_t operation, const binary *x, const binary *y, const binary *z,
                          const binary *to, size_t turn)
{
    request r = {operation, {x, y, z}, {NULL, NULL, NULL}, to, 0, 0, SF8_OCP};
    char text[64];
    r.sat = (int)(turn % SATURATIONS);
    r.mode = (int)(turn / SATURATIONS % MODES);
    /* Beyond the largest number of an external format; see the remark of the policy. */
    if (to->external && r.sat == NONE_4_0 && r.mode == RO)
        r.mode = RNE;
    snprintf(text, sizeof text, "%s round=%s", saturations[r.sat], modes[r.mode]);
    r.policy = policy_of(text);
    return r;
}

static datum operand[3], result;

static void compare(const request *r, const uint64_t *code, const uint64_t *scale)
{
    sf8_operand x[3];
    for (int i = 0; i < operations[r->operation].operands; i++) {
        memset(&x[i], 0, sizeof x[i]);
        x[i].format = r->x[i]->format;
        x[i].code = code[i];
        get(r->x[i], code[i], &operand[i]);
        if (r->scale[i]) {
            x[i].scale_format = r->scale[i]->format;
            x[i].scale = scale[i];
            get(r->scale[i], scale[i], &first);
            multiply(&operand[i], &first, &operand[i]);
        }
    }
    apply(operations[r->operation].op, &result, operand);
    uint64_t want = project(r->to, r->sat, r->mode, &result);
    uint64_t got = sf8_mixed(operations[r->operation].op, r->to->format, x, r->policy, 0).code;
    compared++;
    EXPECT(got == want,
           "%s of %s %" PRIx64 ", %s %" PRIx64 ", %s %" PRIx64 " to %s, %s %s: %" PRIx64
           " instead of %" PRIx64,
           operations[r->operation].name, r->x[0]->name, code[0], r->x[1]->name, code[1],
           r->x[2]->name, code[2], r->to->name, saturations[r->sat], modes[r->mode], got, want);
}

static uint64_t codes(const binary *f)
{
    return UINT64_C(1) << f->k;
}

/* All operands, or one in `step`; of three operands, and of formats above 8 bits, `step` is
 * larger. */
static void sweep(const request *r, uint64_t step)
{
    int count = operations[r->operation].operands;
    uint64_t all = 1, code[3] = {0, 0, 0};
    for (int i = 0; i < count; i++)
        all *= codes(r->x[i]);
    if (all > UINT64_C(1) << 16)
        step *= all >> 16;
    for (uint64_t at = step > 1 ? (uint64_t)r->mode : 0; at < all; at += step) {
        uint64_t rest = at;
        for (int i = 0; i < count; i++) {
            code[i] = rest % codes(r->x[i]);
            rest /= codes(r->x[i]);
        }
        compare(r, code, NULL);
    }
}

static void begin(void)
{
    for (int i = 0; i < 3; i++)
        mpq_init(operand[i].q);
    mpq_init(result.q);
    open_all();
}

TestSuite(verdict_mixed, .init = begin);

/* One format, and then others in turn for each operand and the result. */
Test(verdict_mixed, all_formats)
{
    size_t step = every(997);
    for (size_t i = REQUIRED; i < format_count; i++)
        for (size_t op = 0; op < OPERATIONS; op++) {
            const binary *x = &formats[i];
            size_t n = format_count;
            request same = request_of(op, x, x, x, x, 5 * i + op);
            request other = request_of(op, x, &formats[(7 * i + 3 * op) % n],
                                       &formats[(11 * i + op) % n], &formats[(5 * i + 13 * op) % n],
                                       7 * i + op);
            sweep(&same, step);
            if (other.x[1]->k <= 8 || operations[op].operands < 2)
                sweep(&other, step);
        }
    cr_log_info("%" PRIu64 " comparisons", compared);
}

/* 4.5: what an implementation shall provide, with NearestTiesToEven and SatNone. */
Test(verdict_mixed, required)
{
    static const sf8_mixed_op two[] = {SF8_MIXED_add, SF8_MIXED_sub, SF8_MIXED_mul};
    size_t step = every(2003);
    for (size_t op = 0; op < OPERATIONS; op++)
        for (size_t a = F4; a < REQUIRED; a++)
            for (size_t b = F4; b <= F8_TOO; b++)
                for (size_t to = F4; to < REQUIRED; to++) {
                    int is_fma = operations[op].op == SF8_MIXED_fma ||
                                 operations[op].op == SF8_MIXED_faa;
                    int wide = a > F8_TOO, one = operations[op].operands == 1 && b == F4;
                    int is_two = operations[op].op == two[0] || operations[op].op == two[1] ||
                                 operations[op].op == two[2];
                    request r = request_of(op, &formats[a], &formats[b], &formats[to], &formats[to],
                                           NONE);
                    if (one || (is_two && !wide) || (is_fma && !wide && to > F8_TOO))
                        sweep(&r, step);
                }
}

static uint64_t some_code(const binary *f)
{
    return pseudo_random() & (codes(f) - 1);
}

/* 5.5: scaled operations, in the required formats and in all. */
Test(verdict_mixed, scaled)
{
    size_t count = 4000000 / every(100);
    for (size_t i = 0; i < count; i++) {
        size_t n = i % 2 ? format_count : REQUIRED;
        uint64_t code[3], scale[3];
        request r = request_of(i % OPERATIONS, &formats[pseudo_random() % n],
                               &formats[pseudo_random() % n], &formats[pseudo_random() % n],
                               &formats[pseudo_random() % n], i / OPERATIONS);
        for (int k = 0; k < 3; k++) {
            r.scale[k] = &formats[i % 2 ? pseudo_random() % n : SCALE];
            code[k] = some_code(r.x[k]);
            /* Scales near 1 give numbers that fit into the result. */
            scale[k] = i % 3 ? some_code(r.scale[k])
                             : (codes(r.scale[k]) / (r.scale[k]->is_signed ? 4 : 2) - 4 +
                                pseudo_random() % 8) &
                                   (codes(r.scale[k]) - 1);
        }
        compare(&r, code, scale);
    }
}

/* ---- blocks, 5.3 ----------------------------------------------------------------------------- */

enum { LONGEST = 40 };

static void store(unsigned char *at, const binary *f, size_t i, uint64_t code)
{
    uint16_t two = (uint16_t)code;
    uint32_t four = (uint32_t)code;
    if (f->k <= 8)
        at[i] = (unsigned char)code;
    else if (f->k == 16)
        memcpy(at + 2 * i, &two, 2);
    else
        memcpy(at + 4 * i, &four, 4);
}

/* NaN and infinity are rare, and half of the blocks have elements of like size. */
static uint64_t block_code(const binary *f, int narrow)
{
    uint64_t code = some_code(f), middle = codes(f) >> (f->is_signed ? 2 : 1);
    if (narrow)
        code = ((middle + pseudo_random() % (codes(f) / 8 + 1)) % codes(f)) |
               (f->is_signed && pseudo_random() % 2 ? codes(f) / 2 : 0);
    get(f, code, &first);
    return first.kind == NUMBER || pseudo_random() % 16 == 0 ? code : middle;
}

Test(verdict_mixed, blocks)
{
    unsigned char x[4 * LONGEST], y[4 * LONGEST];
    size_t count = 400000 / every(200);
    datum sum, product, dot, a, b;
    mpq_inits(sum.q, product.q, dot.q, a.q, b.q, NULL);
    for (size_t i = 0; i < count; i++) {
        const binary *fx = &formats[pseudo_random() % format_count],
                     *to = &formats[pseudo_random() % format_count];
        const binary *fy = &formats[pseudo_random() % format_count],
                     *fs = i % 2 ? &formats[SCALE] : fx;
        request r = request_of(0, fx, fy, fy, to, i);
        size_t n = pseudo_random() % (LONGEST + 1);
        sf8_scaled_codes of_x = {fx->format, fs->format, x, block_code(fs, 1)};
        sf8_scaled_codes of_y = {fy->format, fs->format, y, block_code(fs, 1)};
        copy(&sum, &constant[0]);
        copy(&dot, &constant[0]);
        copy(&product, &constant[1]);
        sum.is_root = dot.is_root = product.is_root = 0;
        for (size_t k = 0; k < n; k++) {
            uint64_t codes_of[] = {block_code(fx, i % 4 < 3), block_code(fy, i % 4 < 3)};
            store(x, fx, k, codes_of[0]);
            store(y, fy, k, codes_of[1]);
            get(fs, of_x.scale, &a);
            get(fx, codes_of[0], &b);
            multiply(&a, &a, &b);
            add(&sum, &sum, &a);
            multiply(&product, &product, &a);
            get(fs, of_y.scale, &first);
            get(fy, codes_of[1], &b);
            multiply(&b, &first, &b);
            multiply(&a, &a, &b);
            add(&dot, &dot, &a);
        }
        uint64_t got[] = {sf8_reduce_add(to->format, &of_x, n, r.policy, 0).code,
                          sf8_reduce_mul(to->format, &of_x, n, r.policy, 0).code,
                          sf8_dot(to->format, &of_x, &of_y, n, r.policy, 0).code};
        const datum *right[] = {&sum, &product, &dot};
        for (int k = 0; k < 3; k++) {
            uint64_t want = project(to, r.sat, r.mode, right[k]);
            EXPECT(got[k] == want,
                   "%d of %zu elements of %s and %s, scale %s %" PRIx64 " to %s, %s %s: %" PRIx64
                   " instead of %" PRIx64,
                   k, n, fx->name, fy->name, fs->name, of_x.scale, to->name, saturations[r.sat],
                   modes[r.mode], got[k], want);
        }
    }
    mpq_clears(sum.q, product.q, dot.q, a.q, b.q, NULL);
}

/* SPDX-License-Identifier: MIT */
/* prove_wide.c -- arithmetic of formats of 9 to 32 bits on structured pseudo-random operands
 *
 * Operands are drawn from codes of all kinds: any bits; ends of ranges and special codes; few
 * mantissa bits or runs of ones; near to one; near to the operand before, for cancellation. The
 * addend of fma is often near to minus the product. Unary operations on formats of 16 bits take
 * all codes. The generator has a fixed seed, so that a failing case comes back.
 */
#include "rows/rows.h"

#include <string.h>

enum { WIDE_PARTS = 16 };
enum { WIDE_RINT = REF_FMA + 1, WIDE_SCALB, WIDE_EXTREMA, WIDE_NEXT, WIDE_CLASS, WIDE_OPS };

typedef struct wide {
    worker *w;
    uint64_t state;
    ref_operand o[3];
} wide;

static uint64_t special_code(const ref_format *f, uint64_t r)
{
    uint64_t normal = (uint64_t)1 << f->man_bits, one = (uint64_t)f->bias << f->man_bits;
    const uint64_t codes[] = {0,      1,      2,      normal - 1, normal,     one,
                              f->max, f->inf, f->top, f->inf | 1, f->max - 1, f->inf | normal >> 1};
    return codes[r % (sizeof codes / sizeof codes[0])];
}

/* A mantissa of few bits, or of leading ones. */
static uint64_t sparse_mantissa(const ref_format *f, uint64_t r)
{
    uint64_t mask = ((uint64_t)1 << f->man_bits) - 1, bits = mask ? (uint64_t)f->man_bits : 1;
    uint64_t sparse = (uint64_t)1 << r % bits | (uint64_t)1 << (r >> 8) % bits;
    uint64_t ones = mask >> (r >> 16) % bits << (r >> 24) % bits;
    return (r >> 32 & 1 ? sparse : ones ^ (r >> 33 & 1)) & mask;
}

static uint64_t any_code(wide *d, uint64_t before)
{
    const ref_format *f = d->w->f;
    uint64_t r = word_random(&d->state), bits = word_random(&d->state);
    uint64_t sign = bits & ref_sign_bit(f), mask = ((uint64_t)1 << f->man_bits) - 1;
    uint64_t exponents = f->top >> f->man_bits;
    switch (r & 7) {
    case 0:
        return sign | special_code(f, r >> 8);
    case 1: /* any exponent */
        return sign | (bits % exponents << f->man_bits) | sparse_mantissa(f, r);
    case 2: /* next to the one before */
        return (before ^ sign) + (r >> 8 & 7) - 3;
    case 3: /* an exponent near to that of the one before */
        return sign | ((before & f->top & ~mask) + ((r >> 8) % 60 << f->man_bits) -
                       ((uint64_t)30 << f->man_bits) + (r >> 16 & mask));
    case 4: /* near to one */
        return sign | ((((uint64_t)f->bias + (r >> 8) % 8 - 4) << f->man_bits) + (r >> 16 & mask));
    case 5: /* the bottom of the range */
        return sign | ((r >> 8) % ((uint64_t)4 << f->man_bits));
    default:
        return bits;
    }
}

/* c near to -a * b, by the reference, or as the others. */
static uint64_t addend(wide *d)
{
    ref_work *r = &d->w->ref;
    uint64_t pick = word_random(&d->state);
    if (pick & 1) {
        ref_arithmetic(r, REF_MUL, &d->o[0], &d->o[1], NULL);
        if (r->kind == REF_IS_NUMBER) {
            ref_round_in(r, REF_RZ);
            uint64_t code = ref_finish(r, REF_RZ, 1).code ^ ref_sign_bit(d->w->f);
            return code + (pick >> 8) % 5 - 2;
        }
    }
    return any_code(d, d->o[0].code);
}

static void draw(wide *d)
{
    const ref_format *f = d->w->f;
    ref_decode(f, any_code(d, d->o[2].code), &d->o[0]);
    ref_decode(f, any_code(d, d->o[0].code), &d->o[1]);
    ref_decode(f, d->w->row->work.arg == REF_FMA ? addend(d) : 0, &d->o[2]);
}

static sf8_result library(worker *w, int op, const uint64_t *x, sf8_policy e)
{
    switch (op) {
    case REF_ADD:
        return sf8_add(w->sf, x[0], x[1], e);
    case REF_SUB:
        return sf8_sub(w->sf, x[0], x[1], e);
    case REF_MUL:
        return sf8_mul(w->sf, x[0], x[1], e);
    case REF_DIV:
        return sf8_div(w->sf, x[0], x[1], e);
    case REF_REM:
        return sf8_rem(w->sf, x[0], x[1], e);
    case REF_SQRT:
        return sf8_sqrt(w->sf, x[0], e);
    case REF_FMA:
        return sf8_fma(w->sf, x[0], x[1], x[2], e);
    case WIDE_RINT:
        return sf8_rint(w->sf, x[0], e, (int32_t)x[1]);
    default:
        return sf8_scalb(w->sf, x[0], (int32_t)x[1], e);
    }
}

/* The reference's exact result, rounded in all modes. */
static void reference(wide *d, int op)
{
    worker *w = d->w;
    if (op <= REF_FMA) {
        inputs(w,
               op == REF_SQRT  ? 1
               : op == REF_FMA ? 3
                               : 2,
               d->o[0].code, d->o[1].code, d->o[2].code);
        ref_arithmetic(&w->ref, op, &d->o[0], &d->o[1], &d->o[2]);
        ref_round(&w->ref);
        return;
    }
    uint64_t r = word_random(&d->state);
    if (op == WIDE_RINT) {
        inputs(w, 2, d->o[0].code, r & 1, 0);
        ref_convert(&w->ref, w->f, &d->o[0]);
        ref_round_integral(&w->ref, (int)(r & 1));
        return;
    }
    int64_t shift = (int64_t)(r % 700) - 350;
    inputs(w, 2, d->o[0].code, (uint32_t)(int32_t)shift, 0);
    ref_scalb(&w->ref, &d->o[0], (long)shift);
    ref_round(&w->ref);
}

static void check_rounded(wide *d)
{
    worker *w = d->w;
    int op = w->row->work.arg;
    reference(d, op);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++)
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  library(w, op, w->input, w->policy[mode][saturate]));
}

static sf8_result as_result(int64_t code, uint32_t flags)
{
    sf8_result r = {(uint64_t)code, flags};
    return r;
}

static void check_order(wide *d)
{
    static const int64_t orders[] = {SF8_LESS, SF8_EQUAL, SF8_GREATER, SF8_UNORDERED};
    worker *w = d->w;
    const ref_operand *a = &d->o[0], *b = &d->o[1];
    inputs(w, 2, a->code, b->code, 0);
    for (int saturate = 0; saturate < 2; saturate++) {
        sf8_policy e = w->policy[REF_RNE][saturate];
        unsigned flags;
        uint32_t found;
        int64_t order = orders[ref_compare(a, b, 0, &flags)];
        ref_answer want = {(uint64_t)order, flags};
        int64_t got = sf8_compare(w->sf, a->code, b->code, e, &found);
        check(w, -1, saturate, want, as_result(got, found));
        ref_answer total = {(uint64_t)ref_total_order(w->f, a, b), 0};
        check(w, -1, saturate, total, as_result(sf8_total_order(w->sf, a->code, b->code, e), 0));
        check(w, -1, saturate, ref_extremum(w->f, a, b, 0, 0, 0),
              sf8_minimum(w->sf, a->code, b->code, e));
        check(w, -1, saturate, ref_extremum(w->f, a, b, 1, 1, 1),
              sf8_maximum_magnitude_number(w->sf, a->code, b->code, e));
    }
}

static void check_next(wide *d)
{
    worker *w = d->w;
    inputs(w, 1, d->o[0].code, 0, 0);
    for (int saturate = 0; saturate < 2; saturate++) {
        sf8_policy e = w->policy[REF_RNE][saturate];
        check(w, -1, saturate, ref_next(&w->ref, &d->o[0], 1, saturate),
              sf8_next_up(w->sf, d->o[0].code, e));
        check(w, -1, saturate, ref_next(&w->ref, &d->o[0], 0, saturate),
              sf8_next_down(w->sf, d->o[0].code, e));
    }
}

static void check_sign(wide *d)
{
    worker *w = d->w;
    const ref_operand *a = &d->o[0];
    sf8_policy e = w->policy[REF_RNE][0];
    inputs(w, 2, a->code, d->o[1].code, 0);
    ref_answer want = {ref_abs(w->f, a), 0};
    check(w, -1, 0, want, as_result((int64_t)sf8_abs(w->sf, a->code), 0));
    want.code = ref_copy_sign(w->f, a, &d->o[1]);
    check(w, -1, 0, want, as_result((int64_t)sf8_copy_sign(w->sf, a->code, d->o[1].code), 0));
    check(w, -1, 0, ref_negate(w->f, a), sf8_negate(w->sf, a->code, e));
    want.code = (uint64_t)ref_class(w->f, a); /* both number the classes in the order of IEEE 754 */
    check(w, -1, 0, want, as_result(sf8_class(w->sf, a->code, e), 0));
}

static void check_case(wide *d)
{
    switch (d->w->row->work.arg) {
    case WIDE_EXTREMA:
        check_order(d);
        break;
    case WIDE_NEXT:
        check_next(d);
        break;
    case WIDE_CLASS:
        check_sign(d);
        break;
    default:
        check_rounded(d);
        break;
    }
}

static int takes_all_codes(const worker *w)
{
    int op = w->row->work.arg;
    return w->f->width == 16 &&
           (op == REF_SQRT || op == WIDE_RINT || op == WIDE_NEXT || op == WIDE_CLASS);
}

static void run_wide(worker *w)
{
    wide d;
    d.w = w;
    d.state = (uint64_t)w->row->work.arg * 7919 + w->part * 104729 + (uint64_t)w->row->first;
    for (int i = 0; i < 3; i++) {
        ref_operand_init(&d.o[i]);
        ref_decode(w->f, 0, &d.o[i]);
    }
    int n = (int)by_tier(w, 40000, 1200, 300);
    for (int i = 0; i < n; i++) {
        draw(&d);
        check_case(&d);
    }
    if (takes_all_codes(w)) {
        range all = part_of(w, 65536);
        for (uint64_t a = all.begin; a < all.end; a++) {
            ref_decode(w->f, a, &d.o[0]);
            check_case(&d);
        }
    }
    for (int i = 0; i < 3; i++)
        ref_operand_clear(&d.o[i]);
}

/* Between the wide formats: random codes of the source. */
static void run_wide_convert(worker *w)
{
    wide d;
    worker source_worker; /* any_code() draws codes of its format */
    memset(&source_worker, 0, sizeof source_worker);
    d.w = &source_worker;
    d.state = 31 + w->part;
    ref_operand_init(&d.o[0]);
    for (int i = 0; i < REF_WIDE + REF_LONG; i++) {
        source_worker.f = &ref_formats[REF_FIRST_WIDE + i];
        w->from = source_worker.f->name;
        sf8_format from = library_format(source_worker.f);
        for (unsigned k = by_tier(w, 40000, 1200, 300); k > 0; k--) {
            ref_decode(source_worker.f, any_code(&d, d.o[0].code), &d.o[0]);
            check_convert(w, source_worker.f, from, &d.o[0]);
        }
    }
    ref_operand_clear(&d.o[0]);
}

void add_wide_rows(void)
{
    static const char *const names[WIDE_OPS] = {"add", "sub",  "mul",   "div",     "rem",  "sqrt",
                                                "fma", "rint", "scalb", "compare", "next", "sign"};
    work sample = {.run = run_wide, .parts = WIDE_PARTS};
    for (sample.arg = 0; sample.arg < WIDE_OPS; sample.arg++)
        for (int i = REF_FIRST_WIDE; i < REF_FIRST_OWN; i++) {
            sample.modes = sample.arg < WIDE_EXTREMA ? "7x2" : "1x2";
            if (ref_formats[i].width < 64)
                add_row(names[sample.arg], ref_formats[i].name, sample);
        }
    work convert = {.modes = "7x2", .run = run_wide_convert, .parts = WIDE_PARTS};
    for (int i = 0; i < REF_WIDE + REF_LONG; i++)
        add_row("wide-convert", ref_formats[REF_FIRST_WIDE + i].name, convert);
}

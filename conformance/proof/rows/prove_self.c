/* SPDX-License-Identifier: MIT */
/* prove_self.c -- the reference against facts that it was not made from
 *
 * Values that the standards print for particular codes; and nearest-even rounding done in two ways,
 * by MPFR's mode with mpfr_subnormalize, and as the nearer of MPFR's results toward and away from
 * zero.
 */
#include "rows/rows.h"

/* The ranges as OCP OFP8 and MX, IEEE 754 and P3109 tabulate them; as text, since the smallest
 * number of f64 is no constant to rely on under every flag. */
static const struct {
    const char *format;
    uint64_t code;
    const char *value;
} anchors[] = {
    {"e4m3", 0x7e, "448"},
    {"e4m3", 0x08, "0x1p-6"},
    {"e4m3", 0x01, "0x1p-9"},
    {"e4m3", 0xb8, "-1"},
    {"e5m2", 0x7b, "57344"},
    {"e5m2", 0x04, "0x1p-14"},
    {"e5m2", 0x01, "0x1p-16"},
    {"e2m1", 0x7, "6"},
    {"e2m1", 0x1, "0.5"},
    {"e3m2", 0x1f, "28"},
    {"e3m2", 0x01, "0.0625"},
    {"e2m3", 0x1f, "7.5"},
    {"e2m3", 0x01, "0.125"},
    {"e8m0", 0x00, "0x1p-127"},
    {"e8m0", 0x7f, "1"},
    {"e8m0", 0xfe, "0x1p127"},
    {"e4m3fnuz", 0x7f, "240"},
    {"e4m3fnuz", 0x01, "0x1p-10"},
    {"e5m2fnuz", 0x7f, "57344"},
    {"e5m2fnuz", 0x01, "0x1p-17"},
    {"e4m3b11fnuz", 0x7f, "30"},
    {"e4m3ieee", 0x77, "240"},
    {"e3m4", 0x6f, "15.5"},
    {"p3109_k8p4se", 0x7e, "224"},
    {"p3109_k8p3se", 0x7e, "49152"},
    {"p3109_k8p1uf", 0xfe, "0x1p126"},
    {"f16", 0x7bff, "65504"},
    {"bf16", 0x3f80, "1"},
    {"f32", 0x7f7fffff, "0x1.fffffep127"},
    {"f32", 1, "0x1p-149"},
    {"f64", 1, "0x1p-1074"},
    {"p3109_k8p1ue", 0x80, "1"},
    {"p3109_k8p4se", 0x40, "1"},
};

static void compare(worker *w, uint64_t want, uint64_t got)
{
    ref_answer a = {want, 0};
    sf8_result g = {got, 0};
    check(w, -1, 0, a, g);
}

static void run_anchors(worker *w)
{
    ref_operand o;
    mpfr_t want;
    ref_operand_init(&o);
    mpfr_init2(want, 64);
    for (size_t i = 0; i < sizeof anchors / sizeof anchors[0]; i++) {
        inputs(w, 2, i, anchors[i].code, 0);
        w->what = anchors[i].format;
        ref_decode(ref_format_of(anchors[i].format), anchors[i].code, &o);
        mpfr_strtofr(want, anchors[i].value, NULL, 0, MPFR_RNDN);
        compare(w, 1, mpfr_equal_p(o.value, want) != 0);
    }
    mpfr_clear(want);
    ref_operand_clear(&o);
}

static void two_ways(worker *w, mpfr_srcptr x)
{
    ref_work *r = &w->ref;
    mpfr_set(r->x, x, MPFR_RNDZ);
    for (int bounded = 0; bounded < 2; bounded++) {
        ref_mpfr_round(r->r[REF_RZ], x, MPFR_RNDZ, w->f, bounded);
        ref_mpfr_round(r->r[REF_RU], x, MPFR_RNDA, w->f, bounded);
        ref_mpfr_round(r->r[REF_RNE], x, MPFR_RNDN, w->f, bounded);
        ref_nearest_even(r, r->r[REF_RO], r->r[REF_RZ], r->r[REF_RU], bounded);
        compare(w, (uint64_t)ref_magnitude(w->f, r->r[REF_RO], bounded),
                (uint64_t)ref_magnitude(w->f, r->r[REF_RNE], bounded));
    }
}

/* A boundary and points at both sides of it. */
static void visit(void *data, mpfr_srcptr b)
{
    worker *w = data;
    mpfr_t x;
    if (mpfr_zero_p(b))
        return;
    mpfr_init2(x, 64);
    mpfr_set(x, b, MPFR_RNDZ);
    two_ways(w, x);
    mpfr_nextabove(x);
    two_ways(w, x);
    mpfr_set(x, b, MPFR_RNDZ);
    mpfr_nextbelow(x);
    two_ways(w, x);
    mpfr_clear(x);
}

static void run_two_ways(worker *w)
{
    w->what = "two ways";
    if (w->f->man_bits > 0) /* at a precision of 1 bit MPFR's ties are others */
        each_boundary(w->f, visit, w);
}

void add_self_rows(void)
{
    add_row("reference", "f64", (work){.modes = "-", .run = run_anchors});
    add_rows("reference", (work){.modes = "1", .run = run_two_ways});
}

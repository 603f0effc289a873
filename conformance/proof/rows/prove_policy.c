/* SPDX-License-Identifier: MIT */
/* prove_policy.c -- the fields of a policy beyond those of ocp and ocp-nosat
 *
 *     via-f32, via-f16, via-bf16, via-f32-f16   conversions by way of another format, from the
 *                                               sources that fit into that and those that do not
 *     via-f16-rz, via-bf16-rz                   the same, of which the first step truncates
 *     via-widen                                 from 8 bits by way of f32 to another wide format
 *     rules-f16, rules-bf16, rules-f32          round_past_max, beyond_max, above_least,
 *                                               below_normal, overflow_test = exponent,
 *                                               missing_zero = nan-below
 *
 * The result of two roundings changes at the boundaries of the target and where the first rounding
 * goes to one or the other side of such a boundary. These lie half a unit of the first format from
 * it, which is a power of two of units of the source. So each boundary is tried at plus and minus
 * each power of two, and one unit to either side of those. Near the ends of the first format its
 * own boundaries are tried too, and random words.
 */
#include "rows/rows.h"

enum { RANDOM_WORDS = 1500, ENDS = 20 };

typedef struct two_steps {
    worker *w;
    const ref_format *source;
    sf8_format from;
    unsigned via;
    ref_work cut;           /* rounds a boundary to the source */
    ref_work first, before; /* the first step, and what comes before it in f32-f16 */
    ref_operand a, b, c;
} two_steps;

/* What the policy's first step passes to the last one; its format goes to *from. */
static const ref_operand *first_step(two_steps *s, const ref_format **from)
{
    const ref_operand *a = &s->a;
    const ref_format *source = s->source;
    *from = source;
    if (ref_fits(source, s->first.f))
        return a;
    if (s->via == SF8_VIA_F32_F16 && !ref_fits(source, s->before.f)) {
        ref_first_step(&s->before, source, a, REF_RNE, &s->b);
        source = s->before.f;
        a = &s->b;
    }
    ref_first_step(&s->first, source, a, s->via >= SF8_VIA_F16_RZ ? REF_RZ : REF_RNE, &s->c);
    *from = s->first.f;
    return &s->c;
}

static void check_word(two_steps *s, uint64_t word)
{
    worker *w = s->w;
    const ref_format *from;
    ref_decode(s->source, word, &s->a);
    inputs(w, 1, s->a.code, 0, 0);
    const ref_operand *a = first_step(s, &from);
    ref_convert(&w->ref, from, a);
    ref_round(&w->ref);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++) {
            sf8_policy policy = w->policy[mode][saturate];
            policy.via = s->via & 7;
            check(w, mode, saturate, ref_finish(&w->ref, mode, saturate),
                  sf8_convert_flags(w->sf, s->from, s->a.code, policy));
        }
}

/* With nan_sign = signed and nan_code = payload the result shows what the first step passes on. */
static void check_nan(two_steps *s, uint64_t word)
{
    worker *w = s->w;
    const ref_format *f = w->f;
    ref_decode(s->source, word, &s->a);
    if (!mpfr_nan_p(s->a.value) || !f->is_signed || f->man_bits == 0)
        return;
    const ref_format *via;
    const ref_operand *b = first_step(s, &via);
    uint64_t leading = f->top & ~f->inf, sign = b->negative ? ref_sign_bit(f) : 0;
    ref_answer want = {sign | f->top, b->signaling ? REF_INVALID : 0};
    if (f->nans == REF_NANS_IEEE)
        want.code = sign | f->inf | (uint64_t)1 << (f->man_bits - 1) |
                    (b->code >> (via->man_bits - f->man_bits) & leading);
    else if (f->nans != REF_NANS_TOP)
        return;
    sf8_policy policy = w->policy[REF_RNE][0];
    policy.via = s->via & 7;
    policy.nan_sign = SF8_NAN_SIGNED;
    policy.nan_code = SF8_NAN_PAYLOAD;
    inputs(w, 1, s->a.code, 0, 0);
    check(w, REF_RNE, 0, want, sf8_convert_flags(w->sf, s->from, s->a.code, policy));
}

static void check_magnitude(two_steps *s, int64_t magnitude)
{
    if (magnitude < 0 || magnitude > (int64_t)s->source->inf)
        return;
    check_word(s, (uint64_t)magnitude);
    check_word(s, (uint64_t)magnitude | ref_sign_bit(s->source));
}

/* magnitude_below(), at most infinity. */
static int64_t magnitude_of(ref_work *cut, mpfr_srcptr b)
{
    int64_t near = magnitude_below(cut, b), inf = (int64_t)cut->f->inf;
    return near < inf ? near : inf;
}

static void visit_boundary(void *data, mpfr_srcptr b)
{
    two_steps *s = data;
    int64_t near = magnitude_of(&s->cut, b);
    for (int64_t side = -1; side <= 1; side++) {
        check_magnitude(s, near + side);
        for (int j = 1; j <= s->source->man_bits; j++) {
            check_magnitude(s, near + ((int64_t)1 << j) + side);
            check_magnitude(s, near - ((int64_t)1 << j) + side);
        }
    }
}

/* The least numbers of the first format, its largest, and those halfway. */
static void visit_ends(two_steps *s, const ref_format *f)
{
    mpfr_t lo, hi;
    mpfr_inits2(64, lo, hi, (mpfr_ptr)0);
    for (uint64_t i = 0; i < ENDS; i++) {
        uint64_t k = i < ENDS / 2 ? i : f->max - ENDS / 2 + 2 + (i - ENDS / 2);
        ref_value(f, k, lo);
        ref_value(f, k + 1, hi);
        mpfr_add(hi, hi, lo, MPFR_RNDZ);
        mpfr_div_2ui(hi, hi, 1, MPFR_RNDZ);
        for (int64_t side = -1; side <= 1; side++) {
            check_magnitude(s, magnitude_of(&s->cut, lo) + side);
            check_magnitude(s, magnitude_of(&s->cut, hi) + side);
        }
    }
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

static void visit_nans(two_steps *s)
{
    const ref_format *f = s->source;
    uint64_t quiet = (uint64_t)1 << (f->man_bits - 1);
    const uint64_t codes[] = {f->inf, f->inf | 1, f->inf | quiet, f->top, f->inf | quiet >> 1};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        check_word(s, codes[i]);
        check_word(s, codes[i] | ref_sign_bit(f));
        check_nan(s, codes[i]);
        check_nan(s, codes[i] | ref_sign_bit(f));
    }
}

static void visit_random(two_steps *s)
{
    uint64_t state = s->source->top + s->via;
    for (unsigned n = by_tier(s->w, 10 * RANDOM_WORDS, RANDOM_WORDS, RANDOM_WORDS / 4); n > 0; n--)
        check_word(s, word_random(&state));
}

/* From one source: all 16-bit values, or else those where the result can change. */
static void from_source(two_steps *s, const char *name)
{
    worker *w = s->w;
    s->source = ref_format_of(name);
    s->from = library_format(s->source);
    w->from = name;
    ref_open(&s->cut, s->source);
    if (s->source->width <= 16) {
        unsigned stride = s->source->width <= 8 ? 1 : by_tier(w, 1, 3, 13);
        for (uint64_t word = 0; word < codes_of(s->source); word += stride)
            check_word(s, word);
    } else {
        each_boundary(w->f, visit_boundary, s);
        visit_ends(s, s->first.f);
        visit_nans(s);
        visit_random(s);
    }
    ref_close(&s->cut);
}

static void run_via(worker *w)
{
    static const char *const formats[] = {"", "f32", "f16", "bf16", "f16", "f16", "bf16"};
    /* The largest numbers of ue5m3 do not fit into f16. */
    static const char *const sources[] = {"f64", "f32", "f16", "bf16", "ue5m3"};
    two_steps s;
    s.w = w;
    s.via = (unsigned)w->row->work.arg;
    ref_open(&s.first, ref_format_of(formats[s.via]));
    ref_open(&s.before, ref_format_of("f32"));
    ref_operand_init(&s.a);
    ref_operand_init(&s.b);
    ref_operand_init(&s.c);
    for (size_t i = 0; i < sizeof sources / sizeof sources[0]; i++)
        from_source(&s, sources[i]);
    ref_operand_clear(&s.a);
    ref_operand_clear(&s.b);
    ref_operand_clear(&s.c);
    ref_close(&s.first);
    ref_close(&s.before);
}

/* The policy converts to f32, and the flags are those of that; the plain rule does the rest. */
static void check_widened(worker *w, ref_work *f32, const ref_format *source, const ref_operand *a,
                          ref_operand *b, ref_operand *c)
{
    inputs(w, 1, a->code, 0, 0);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++) {
            sf8_policy policy = w->policy[mode][saturate];
            policy.via = SF8_VIA_F32;
            ref_convert(f32, source, a);
            ref_round(f32);
            ref_answer want = ref_finish(f32, mode, saturate);
            ref_decode(f32->f, want.code, b);
            ref_first_step(&w->ref, f32->f, b, REF_RNE, c);
            want.code = c->code;
            check(w, mode, saturate, want,
                  sf8_convert_flags(w->sf, library_format(source), a->code, policy));
        }
}

static void run_widen(worker *w)
{
    ref_work f32;
    ref_operand b, c;
    ref_open(&f32, ref_format_of("f32"));
    ref_operand_init(&b);
    ref_operand_init(&c);
    for (int i = 0; i < REF_NARROW; i++) {
        const ref_format *source = &ref_formats[i];
        w->from = source->name;
        for (uint64_t code = 0; code < codes_of(source); code++)
            check_widened(w, &f32, source, &source->table[code], &b, &c);
    }
    ref_operand_clear(&b);
    ref_operand_clear(&c);
    ref_close(&f32);
}

/* ---- rules for the ends of the range --------------------------------------------------------- */

/* Each with what it is in a policy. */
static const struct rules_row {
    const char *name;
    ref_rules reference;
    struct {
        unsigned round_past_max, beyond_max, above_least, below_normal, overflow_test, missing_zero;
    } field;
} rules[] = {
    {"round_past_max=next",
     {.round_past_max = REF_ROUND_PAST_MAX_NEXT},
     {.round_past_max = SF8_ROUND_PAST_MAX_NEXT}},
    {"round_past_max=nan",
     {.round_past_max = REF_ROUND_PAST_MAX_NAN},
     {.round_past_max = SF8_ROUND_PAST_MAX_NAN}},
    {"beyond_max=next", {.beyond_max = REF_BEYOND_MAX_NEXT}, {.beyond_max = SF8_BEYOND_MAX_NEXT}},
    {"beyond_max=max", {.beyond_max = REF_BEYOND_MAX_MAX}, {.beyond_max = SF8_BEYOND_MAX_MAX}},
    {"round_past_max=next beyond_max=next",
     {.round_past_max = REF_ROUND_PAST_MAX_NEXT, .beyond_max = REF_BEYOND_MAX_NEXT},
     {.round_past_max = SF8_ROUND_PAST_MAX_NEXT, .beyond_max = SF8_BEYOND_MAX_NEXT}},
    {"round_past_max=nan beyond_max=max",
     {.round_past_max = REF_ROUND_PAST_MAX_NAN, .beyond_max = REF_BEYOND_MAX_MAX},
     {.round_past_max = SF8_ROUND_PAST_MAX_NAN, .beyond_max = SF8_BEYOND_MAX_MAX}},
    {"above_least=up", {.above_least_up = 1}, {.above_least = SF8_ABOVE_UP}},
    {"below_normal=stay", {.below_normal_stay = 1}, {.below_normal = SF8_BELOW_STAY}},
    {"overflow_test=exponent",
     {.early_exponent = 1},
     {.overflow_test = SF8_OVERFLOW_TEST_EXPONENT}},
    {"missing_zero=nan-below", {.nan_below = 1}, {.missing_zero = SF8_ZERO_NAN_BELOW}},
};

static sf8_policy with_rules(sf8_policy policy, const struct rules_row *r)
{
    policy.round_past_max = r->field.round_past_max & 3;
    policy.beyond_max = r->field.beyond_max & 3;
    policy.above_least = r->field.above_least & 1;
    policy.below_normal = r->field.below_normal & 1;
    policy.overflow_test = r->field.overflow_test & 3;
    policy.missing_zero = r->field.missing_zero & 3;
    return policy;
}

static void check_rules(two_steps *s, uint64_t word)
{
    worker *w = s->w;
    ref_decode(s->source, word, &s->a);
    inputs(w, 1, s->a.code, 0, 0);
    ref_convert(&w->ref, s->source, &s->a);
    ref_round(&w->ref);
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        w->what = rules[i].name;
        for (int mode = 0; mode < REF_MODES; mode++)
            for (int saturate = 0; saturate < 2; saturate++)
                check(w, mode, saturate,
                      ref_finish_rules(&w->ref, mode, saturate, rules[i].reference),
                      sf8_convert_flags(w->sf, s->from, s->a.code,
                                        with_rules(w->policy[mode][saturate], &rules[i])));
    }
    w->what = NULL;
}

static void visit_rules(void *data, mpfr_srcptr b)
{
    two_steps *s = data;
    int64_t near = magnitude_of(&s->cut, b);
    for (int64_t magnitude = near - 2; magnitude <= near + 2; magnitude++) {
        if (magnitude < 0 || magnitude > (int64_t)s->source->inf)
            continue;
        check_rules(s, (uint64_t)magnitude);
        check_rules(s, (uint64_t)magnitude | ref_sign_bit(s->source));
    }
}

/* The multiples above the largest number, to the end of the exponent field, and those halfway. */
static void visit_beyond(two_steps *s)
{
    const ref_format *f = s->w->f;
    mpfr_t lo, hi;
    mpfr_inits2(64, lo, hi, (mpfr_ptr)0);
    for (uint64_t k = f->max; k <= f->top + 2; k++) {
        ref_value(f, k, lo);
        ref_value(f, k + 1, hi);
        visit_rules(s, lo);
        mpfr_add(hi, hi, lo, MPFR_RNDZ);
        mpfr_div_2ui(hi, hi, 1, MPFR_RNDZ);
        visit_rules(s, hi);
    }
    mpfr_clears(lo, hi, (mpfr_ptr)0);
}

static void run_rules(worker *w)
{
    two_steps s;
    s.w = w;
    s.source = &ref_formats[w->row->work.arg];
    s.from = library_format(s.source);
    w->from = s.source->name;
    ref_operand_init(&s.a);
    ref_open(&s.cut, s.source);
    if (s.source->width <= 16) {
        for (uint64_t word = 0; word < codes_of(s.source); word += by_tier(w, 1, 1, 5))
            check_rules(&s, word);
    } else {
        each_boundary(w->f, visit_rules, &s);
        visit_beyond(&s);
    }
    ref_close(&s.cut);
    ref_operand_clear(&s.a);
}

void add_policy_rows(void)
{
    static const char *const vias[] = {
        "", "via-f32", "via-f16", "via-bf16", "via-f32-f16", "via-f16-rz", "via-bf16-rz"};
    static const char *const targets[] = {"e4m3", "e5m2", "e2m1",    "e3m2",
                                          "e2m3", "e8m0", "e4m3fnuz"};
    static const char *const widened[] = {"f16", "bf16", "f64"};
    static const char *const sources[] = {"f16", "bf16", "f32"};
    static const char *const operations[] = {"rules-f16", "rules-bf16", "rules-f32"};
    static const char *const ruled[] = {"e4m3", "e5m2", "e8m0", "ue4m3", "e2m1"};
    for (int via = SF8_VIA_F32; via <= SF8_VIA_BF16_RZ; via++)
        for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++)
            add_row(vias[via], targets[i], (work){.modes = "7x2", .run = run_via, .arg = via});
    for (size_t i = 0; i < 3; i++)
        add_row("via-widen", widened[i], (work){.modes = "7x2", .run = run_widen});
    for (size_t i = 0; i < 3; i++) {
        work rule = {.modes = "7x20", .run = run_rules};
        rule.arg = (int)(ref_format_of(sources[i]) - ref_formats);
        for (size_t k = 0; k < sizeof ruled / sizeof ruled[0]; k++)
            add_row(operations[i], ruled[k], rule);
    }
}

/* SPDX-License-Identifier: MIT */
/* prove_entry_convert.c -- conversions compiled for one format against the generic ones
 *
 * From f16 and bf16 all codes; from tf32, f32, f64 codes about every boundary of the format; to the
 * wide formats all codes; to and from integers all of 8 and 16 bits, and the boundaries of others.
 */
#include "rows/rows.h"

#include <string.h>

/* A wide partner: tag, C type, unsigned type of its bits, format. */
#define PARTNERS(X, f)                                                                             \
    X(f, f16, uint16_t, uint16_t, SF8_F16)                                                         \
    X(f, bf16, uint16_t, uint16_t, SF8_BF16)                                                       \
    X(f, tf32, uint32_t, uint32_t, SF8_TF32)                                                       \
    X(f, f32, float, uint32_t, SF8_F32)                                                            \
    X(f, f64, double, uint64_t, SF8_F64)                                                           \
    X(f, f32bits, uint32_t, uint32_t, SF8_F32)                                                     \
    X(f, f64bits, uint64_t, uint64_t, SF8_F64)

enum { N_PARTNERS = 7, N_INTEGERS = 8 };

/* Every function under one shape. */
typedef struct shape {
    const char *tag;
    uint64_t (*code)(uint64_t, sf8_policy);
    sf8_result (*flags)(uint64_t, sf8_policy);
    uint64_t (*sr)(uint64_t, sf8_policy, uint32_t);
    uint64_t (*back)(uint64_t, sf8_policy);
} shape;

#define PARTNER_SHAPE(f, tag, type, bits, wide)                                                    \
    static uint64_t f##_##tag##_code(uint64_t x, sf8_policy policy)                                \
    {                                                                                              \
        type v;                                                                                    \
        bits b = (bits)x;                                                                          \
        memcpy(&v, &b, sizeof v);                                                                  \
        return sf8_##tag##_to_##f(v, policy);                                                      \
    }                                                                                              \
    static sf8_result f##_##tag##_flags(uint64_t x, sf8_policy policy)                             \
    {                                                                                              \
        type v;                                                                                    \
        bits b = (bits)x;                                                                          \
        memcpy(&v, &b, sizeof v);                                                                  \
        return sf8_##tag##_to_##f##_flags(v, policy);                                              \
    }                                                                                              \
    static uint64_t f##_##tag##_sr(uint64_t x, sf8_policy policy, uint32_t random)                 \
    {                                                                                              \
        type v;                                                                                    \
        bits b = (bits)x;                                                                          \
        memcpy(&v, &b, sizeof v);                                                                  \
        return sf8_##tag##_to_##f##_sr(v, policy, random);                                         \
    }                                                                                              \
    static uint64_t f##_##tag##_back(uint64_t a, sf8_policy policy)                                \
    {                                                                                              \
        type v = sf8_##f##_to_##tag((uint8_t)a);                                                   \
        bits b;                                                                                    \
        (void)policy;                                                                              \
        memcpy(&b, &v, sizeof b);                                                                  \
        return b;                                                                                  \
    }

#define INTEGER_SHAPE(tag, type, width, is_signed, f)                                              \
    static uint64_t f##_##tag##_code(uint64_t x, sf8_policy policy)                                \
    {                                                                                              \
        return sf8_##tag##_to_##f((type)x, policy);                                                \
    }                                                                                              \
    static uint64_t f##_##tag##_back(uint64_t a, sf8_policy policy)                                \
    {                                                                                              \
        return (uint64_t)sf8_##f##_to_##tag((uint8_t)a, policy) & (UINT64_MAX >> (64 - (width)));  \
    }

#define INTEGERS(X, f)                                                                             \
    X(i8, int8_t, 8, 1, f) X(i16, int16_t, 16, 1, f) X(i32, int32_t, 32, 1, f)                     \
    X(i64, int64_t, 64, 1, f) X(u8, uint8_t, 8, 0, f) X(u16, uint16_t, 16, 0, f)                   \
    X(u32, uint32_t, 32, 0, f) X(u64, uint64_t, 64, 0, f)

#define SHAPES(f, e, m, s, nan, inf, zero, bias)                                                   \
    PARTNERS(PARTNER_SHAPE, f) INTEGERS(INTEGER_SHAPE, f)
SF8_NARROW_FORMATS(SHAPES)

typedef struct entry {
    const char *name;
    shape partner[N_PARTNERS];
    shape integer[N_INTEGERS];
} entry;

#define PARTNER_ROW(f, tag, type, bits, wide)                                                      \
    {#tag, f##_##tag##_code, f##_##tag##_flags, f##_##tag##_sr, f##_##tag##_back},
#define INTEGER_ROW(tag, type, width, is_signed, f)                                                \
    {#tag, f##_##tag##_code, NULL, NULL, f##_##tag##_back},
#define ENTRY(f, e, m, s, nan, inf, zero, bias)                                                    \
    {#f, {PARTNERS(PARTNER_ROW, f)}, {INTEGERS(INTEGER_ROW, f)}},

static const entry entries[] = {SF8_NARROW_FORMATS(ENTRY)};

static const char *const partner_format[N_PARTNERS] = {"f16", "bf16", "tf32", "f32",
                                                       "f64", "f32",  "f64"};

static void same_code(worker *w, int mode, int saturate, uint64_t want, uint64_t got)
{
    ref_answer a = {want, 0};
    sf8_result g = {got, 0};
    check(w, mode, saturate, a, g);
}

typedef struct visit {
    worker *w;
    const shape *s;
    const ref_format *source;
    sf8_format from;
    ref_work cut;
    int integer; /* which, for integers */
} visit;

/* One code of the wide format in all environments, and with a random number. */
static void check_partner(visit *v, uint64_t x)
{
    worker *w = v->w;
    inputs(w, 1, x, 0, 0);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++) {
            sf8_policy e = w->policy[mode][saturate];
            sf8_result r = sf8_convert_flags(w->sf, v->from, x, e);
            ref_answer want = {r.code, r.flags};
            check(w, mode, saturate, want, v->s->flags(x, e));
            same_code(w, mode, saturate, r.code, v->s->code(x, e));
        }
    sf8_policy e = SF8_OCP_NOSAT;
    uint32_t word = (uint32_t)x * 2654435761u;
    e.round = SF8_SR;
    e.sr_bits = (1 + (word >> 27)) & 63u;
    same_code(w, -1, 0, sf8_convert_sr(w->sf, v->from, x, e, word).code, v->s->sr(x, e, word));
}

/* About a boundary: to f16 and bf16 all codes are tried instead. */
static void visit_boundary(void *data, mpfr_srcptr b)
{
    visit *v = data;
    int64_t near = magnitude_below(&v->cut, b);
    for (int64_t m = near < 2 ? 0 : near - 2; m <= near + 2 && m <= (int64_t)v->source->top; m++) {
        check_partner(v, (uint64_t)m);
        check_partner(v, (uint64_t)m | ref_sign_bit(v->source));
    }
}

static void check_specials(visit *v)
{
    const ref_format *f = v->source;
    const uint64_t codes[] = {f->max, f->inf, f->inf | 1, f->top, f->inf | f->inf >> 1};
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        check_partner(v, codes[i] & f->top);
        check_partner(v, (codes[i] & f->top) | ref_sign_bit(f));
    }
}

/* Every code to the partner: by ocp-nosat. */
static void check_back(visit *v)
{
    worker *w = v->w;
    sf8_policy e = SF8_OCP_NOSAT;
    for (uint64_t a = 0; a < codes_of(w->f); a++) {
        inputs(w, 1, a, 0, 0);
        same_code(w, REF_RNE, 0, sf8_convert(v->from, w->sf, a, e), v->s->back(a, e));
    }
}

static void run_partner(visit *v, int i)
{
    worker *w = v->w;
    v->s = &entries[w->row->work.arg].partner[i];
    v->source = ref_format_of(partner_format[i]);
    v->from = library_format(v->source);
    w->from = v->s->tag;
    if (v->source->width == 16)
        for (uint64_t x = 0; x < 65536; x++)
            check_partner(v, x);
    else {
        ref_open(&v->cut, v->source);
        each_boundary(w->f, visit_boundary, v);
        ref_close(&v->cut);
        check_specials(v);
    }
    check_back(v);
}

/* ---- integers -------------------------------------------------------------------------------- */

static int width_of(int integer)
{
    return 8 << (integer & 3);
}

static void check_integer(visit *v, uint64_t n)
{
    worker *w = v->w;
    int width = width_of(v->integer), is_signed = v->integer < 4;
    uint64_t bits = n & (UINT64_MAX >> (64 - width)), top = (uint64_t)1 << (width - 1);
    int64_t value = (int64_t)((bits ^ top) - top);
    inputs(w, 1, bits, 0, 0);
    for (int mode = 0; mode < REF_MODES; mode++)
        for (int saturate = 0; saturate < 2; saturate++) {
            sf8_policy e = w->policy[mode][saturate];
            sf8_result r = is_signed ? sf8_from_i64(w->sf, value, e) : sf8_from_u64(w->sf, bits, e);
            same_code(w, mode, saturate, r.code, v->s->code(bits, e));
        }
}

static void visit_integer(void *data, mpfr_srcptr b)
{
    if (!mpfr_fits_uintmax_p(b, MPFR_RNDZ))
        return;
    uint64_t n = mpfr_get_uj(b, MPFR_RNDZ);
    for (uint64_t d = 0; d < 3; d++) {
        check_integer(data, n + d);
        check_integer(data, n - d);
        check_integer(data, 0 - n - d);
    }
}

static void run_integer(visit *v, int i)
{
    worker *w = v->w;
    int width = width_of(i), is_signed = i < 4;
    v->s = &entries[w->row->work.arg].integer[i];
    v->integer = i;
    w->from = v->s->tag;
    if (width <= 16)
        for (uint64_t n = 0; n < (uint64_t)1 << width; n++)
            check_integer(v, n);
    else
        each_boundary(w->f, visit_integer, v);
    for (uint64_t a = 0; a < codes_of(w->f); a++)
        for (int mode = 0; mode < REF_MODES; mode++) {
            sf8_policy e = w->policy[mode][1];
            inputs(w, 1, a, 0, 0);
            same_code(w, mode, 1, sf8_to_integer(w->sf, a, width, is_signed, e, 0).code,
                      v->s->back(a, e));
        }
}

static void run_entry_convert(worker *w)
{
    visit v;
    memset(&v, 0, sizeof v);
    v.w = w;
    for (int i = 0; i < N_PARTNERS; i++)
        run_partner(&v, i);
    for (int i = 0; i < N_INTEGERS; i++)
        run_integer(&v, i);
}

void add_entry_convert_rows(void)
{
    for (int i = 0; i < (int)(sizeof entries / sizeof entries[0]); i++)
        add_row("entry-convert", entries[i].name,
                (work){.modes = "7x2", .run = run_entry_convert, .arg = i});
}

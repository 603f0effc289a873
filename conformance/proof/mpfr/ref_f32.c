/* SPDX-License-Identifier: MIT */
/* ref_f32.c -- f32 operations on bit patterns, each by MPFR, and conversions to narrow codes
 *
 * MPFR rounds to 24 bits with an open exponent range. The range is then narrowed to f32's, where
 * mpfr_check_range and mpfr_subnormalize finish the rounding from the ternary value (see
 * ref_round.c).
 */
#include "mpfr/blocks/ref_block.h"

static const char *const names[REF_NARROWS] = {"e2m1",     "e3m2", "e2m3", "e4m3", "e5m2",
                                               "e4m3fnuz", "e8m0", "f16",  "bf16"};

/* A word of f32 as a number whose significand is in `limb`, so that nothing is allocated. */
typedef struct number {
    mpfr_t value;
    mp_limb_t limb;
} number;

static _Thread_local struct {
    number first, second, third;
    mpfr_ptr a, b; /* the values of the first two */
    mpfr_t r;
    const ref_format *f32;
    ref_operand operand, word;
    mp_limb_t word_limb;
    ref_work work[REF_NARROWS];
    int tensor; /* the format of the current tensor, or REF_NARROWS */
    size_t columns;
} own;

void ref_f32_open(void)
{
    mpfr_init2(own.r, 24);
    own.a = own.first.value;
    own.b = own.second.value;
    own.f32 = ref_format_of("f32");
    ref_operand_init(&own.operand);
    own.tensor = REF_NARROWS;
    for (int f = 0; f < REF_NARROWS; f++)
        ref_open(&own.work[f], ref_format_of(names[f]));
}

void ref_f32_close(void)
{
    mpfr_clear(own.r);
    ref_operand_clear(&own.operand);
    for (int f = 0; f < REF_NARROWS; f++)
        ref_close(&own.work[f]);
}

/* ---- words and numbers ----------------------------------------------------------------------- */

/* MPFR's significand has its leading one in the top bit, and its exponent is that of a number
 * between 1/2 and 1. */
static void get_into(mpfr_ptr r, mp_limb_t *limb, word a)
{
    long e = a >> 23 & 255, m = a & 0x7fffff;
    int kind = e == 255 ? (m ? MPFR_NAN_KIND : MPFR_INF_KIND)
                        : (e | m ? MPFR_REGULAR_KIND : MPFR_ZERO_KIND);
    mp_limb_t significand = (mp_limb_t)(e ? m | 0x800000 : m);
    e = (e ? e : 1) - 126;
    if (kind == MPFR_REGULAR_KIND)
        for (; significand < 0x800000; significand <<= 1)
            e--;
    *limb = significand << (GMP_NUMB_BITS - 24);
    mpfr_custom_init_set(r, a >> 31 ? -kind : kind, e, 24, limb);
}

static void get_first(word a)
{
    get_into(own.a, &own.first.limb, a);
}

/* The bit pattern of a number that f32 can represent. */
static word put_exact(mpfr_srcptr r)
{
    word sign = mpfr_signbit(r) ? 0x80000000u : 0;
    if (mpfr_nan_p(r))
        return 0x7fc00000u;
    if (mpfr_inf_p(r))
        return sign | 0x7f800000u;
    if (mpfr_zero_p(r))
        return sign;
    long e = mpfr_get_exp(r) - 1;
    const mp_limb_t *limb = mpfr_custom_get_significand(r);
    word m = (word)(limb[(mpfr_get_prec(r) - 1) / GMP_NUMB_BITS] >> (GMP_NUMB_BITS - 24));
    if (e < -126)
        return sign | m >> (-126 - e);
    return sign | (((word)(e + 126) << 23) + m);
}

/* The bit pattern of own.r, which was rounded to 24 bits. It is final if it is normal in f32. */
static word put(int ternary)
{
    if (mpfr_regular_p(own.r) && mpfr_get_exp(own.r) > -126 && mpfr_get_exp(own.r) <= 128)
        return put_exact(own.r);
    mpfr_set_emin(-148);
    mpfr_set_emax(128);
    ternary = mpfr_check_range(own.r, ternary, MPFR_RNDN);
    mpfr_subnormalize(own.r, ternary, MPFR_RNDN);
    ref_start_thread();
    return put_exact(own.r);
}

static void get2(word a, word b)
{
    get_first(a);
    get_into(own.b, &own.second.limb, b);
}

word ref_f32_add(word a, word b)
{
    get2(a, b);
    return put(mpfr_add(own.r, own.a, own.b, MPFR_RNDN));
}

word ref_f32_sub(word a, word b)
{
    get2(a, b);
    return put(mpfr_sub(own.r, own.a, own.b, MPFR_RNDN));
}

word ref_f32_mul(word a, word b)
{
    get2(a, b);
    return put(mpfr_mul(own.r, own.a, own.b, MPFR_RNDN));
}

word ref_f32_fma(word a, word b, word c)
{
    get2(a, b);
    get_into(own.third.value, &own.third.limb, c);
    return put(mpfr_fma(own.r, own.a, own.b, own.third.value, MPFR_RNDN));
}

word ref_f32_div(word a, word b)
{
    get2(a, b);
    return put(mpfr_div(own.r, own.a, own.b, MPFR_RNDN));
}

static word flushed(word a)
{
    return (a & 0x7f800000u) == 0 ? a & 0x80000000u : a;
}

word ref_f32_rcp_flushed(word a)
{
    return flushed(ref_f32_div(0x3f800000u, flushed(a)));
}

int ref_f32_is_nan(word a)
{
    get_first(a);
    return mpfr_nan_p(own.a) != 0;
}

int ref_f32_less(word a, word b)
{
    get2(a, b);
    return mpfr_less_p(own.a, own.b) != 0;
}

word ref_f32_min(word a, word b)
{
    get2(a, b);
    return mpfr_nan_p(own.a) || mpfr_less_p(own.b, own.a) ? b : a;
}

word ref_f32_max(word a, word b)
{
    get2(a, b);
    return mpfr_nan_p(own.a) || mpfr_greater_p(own.b, own.a) ? b : a;
}

word ref_f32_nan_min(word a, word b)
{
    return ref_f32_is_nan(a) || ref_f32_is_nan(b) ? 0x7fc00000u : ref_f32_min(a, b);
}

word ref_f32_nan_max(word a, word b)
{
    return ref_f32_is_nan(a) || ref_f32_is_nan(b) ? 0x7fc00000u : ref_f32_max(a, b);
}

word ref_f32_abs(word a)
{
    return a & 0x7fffffffu;
}

word ref_f32_neg(word a)
{
    return a ^ 0x80000000u;
}

word ref_f32_trunc(word a)
{
    get_first(a);
    mpfr_rint(own.r, own.a, MPFR_RNDZ);
    return put_exact(own.r);
}

word ref_f32_rint(word a)
{
    get_first(a);
    mpfr_rint(own.r, own.a, MPFR_RNDN);
    return put_exact(own.r);
}

word ref_f32_ratio(unsigned long p, uint64_t q)
{
    mpfr_set_ui(own.r, p, MPFR_RNDN);
    if ((unsigned long)q == q)
        return put(mpfr_div_ui(own.r, own.r, (unsigned long)q, MPFR_RNDN));
    mpfr_t divisor; /* where a long has 32 bits */
    mpfr_init2(divisor, 64);
    mpfr_set_uj(divisor, q, MPFR_RNDN);
    int ternary = mpfr_div(own.r, own.r, divisor, MPFR_RNDN);
    mpfr_clear(divisor);
    return put(ternary);
}

word ref_f32_pow2(long n)
{
    if (n < -149)
        return 0;
    if (n > 127)
        return 0x7f800000u;
    mpfr_set_ui_2exp(own.r, 1, n, MPFR_RNDZ);
    return put_exact(own.r);
}

long ref_f32_log2(word a, int *power)
{
    get_first(a);
    long e = mpfr_get_exp(own.a) - 1;
    *power = mpfr_cmp_ui_2exp(own.a, 1, e) == 0;
    return e;
}

word ref_f32_log2_floor(word a)
{
    get_first(a);
    mpfr_log2(own.r, own.a, MPFR_RNDN);
    mpfr_floor(own.r, own.r);
    return put_exact(own.r);
}

word ref_f32_log2_ceil(word a)
{
    get_first(a);
    mpfr_log2(own.r, own.a, MPFR_RNDN);
    mpfr_ceil(own.r, own.r);
    return put_exact(own.r);
}

word ref_f32_round(word a)
{
    get_first(a);
    mpfr_round(own.r, own.a);
    return put_exact(own.r);
}

/* ---- narrow codes ---------------------------------------------------------------------------- */

/* What CUDA writes for NaN, and e8m0's; of f16 and bf16 the positive quiet one. */
static const uint32_t nans[REF_NARROWS] = {0x7,  0x1f, 0x1f,   0x7f,  0x7f,
                                           0x80, 0xff, 0x7e00, 0x7fc0};

uint32_t ref_narrowed(enum ref_narrow f, word a, int mode)
{
    ref_work *w = &own.work[f];
    int saturate = f < REF_E8M0;
    get_into(own.word.value, &own.word_limb, a);
    own.word.negative = (int)(a >> 31);
    if (mpfr_nan_p(own.word.value))
        return nans[f];
    ref_convert(w, own.f32, &own.word);
    if (mode == REF_RNA || mode == REF_RNZ)
        ref_round(w);
    else
        ref_round_in(w, mode);
    return (uint32_t)ref_finish(w, mode, saturate).code;
}

word ref_widened(enum ref_narrow f, uint32_t code)
{
    const ref_format *format = own.work[f].f;
    if (format->table)
        return put_exact(format->table[code].value);
    ref_decode(format, code, &own.operand);
    return put_exact(own.operand.value);
}

void ref_shape(size_t columns)
{
    own.columns = columns;
}

size_t ref_columns(void)
{
    return own.columns;
}

void ref_tensor(int format)
{
    own.tensor = format;
}

word ref_own(word a)
{
    if (own.tensor == REF_NARROWS)
        return a;
    enum ref_narrow f = (enum ref_narrow)own.tensor;
    return ref_widened(f, ref_narrowed(f, a, REF_RNE));
}

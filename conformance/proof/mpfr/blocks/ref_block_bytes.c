/* SPDX-License-Identifier: MIT */
/* ref_block_bytes.c -- how the stacks quantize to 8-bit codes with a scale of f32, and to integers
 */
#include "mpfr/blocks/ref_block_recipes.h"

#define REF_15 0x41700000u
#define REF_127 0x42fe0000u
#define REF_HALF 0x3f000000u

static word clamp(word y, word low, word high)
{
    return ref_f32_max(ref_f32_min(y, high), low);
}

/* trunc(y + 1/2 of its sign) */
static word half_away(word y)
{
    return ref_f32_trunc(ref_f32_add(y, REF_HALF | (y & 0x80000000u)));
}

/* nan_counts: as in ref_amax. */
static word least(const word *x, size_t n, int nan_counts)
{
    word low = REF_NAN;
    if (nan_counts && ref_f32_is_nan(ref_amax(x, n, 1)))
        return REF_NAN;
    for (size_t i = 0; i < n; i++)
        low = ref_f32_min(low, x[i]);
    return ref_f32_is_nan(low) ? REF_NAN : low;
}

static word greatest(const word *x, size_t n, int nan_counts)
{
    word high = REF_NAN;
    if (nan_counts && ref_f32_is_nan(ref_amax(x, n, 1)))
        return REF_NAN;
    for (size_t i = 0; i < n; i++)
        high = ref_f32_max(high, x[i]);
    return ref_f32_is_nan(high) ? REF_NAN : high;
}

/* ---- 8 bits ---------------------------------------------------------------------------------- */

static void fp8_over(ref_block *b, const word *x, size_t n, word s)
{
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && x[i] == x[i - 1]) {
            b->code[i] = b->code[i - 1];
            continue;
        }
        word y = clamp(ref_f32_div(x[i], s), ref_f32_neg(REF_448), REF_448);
        b->code[i] = ref_narrowed(REF_E4M3, y, REF_RNE);
    }
}

static word group_scale(const word *x, size_t n)
{
    word eps = ref_f32_ratio(1, 10000000000u);
    return ref_f32_div(ref_f32_max(ref_amax(x, n, 0), eps), REF_448);
}

/* max(amax, 1e-10) / 448 */
static void group128(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = group_scale(x, n);
    fp8_over(b, x, n, b->scale);
}

/* exp2(ceil(log2(max(that, 1e-10)))) */
static void group128_ue8m0(ref_block *b, const word *x, size_t n, word g)
{
    int power;
    (void)g;
    word s = ref_f32_max(group_scale(x, n), ref_f32_ratio(1, 10000000000u));
    b->scale = 255;
    if (s != REF_INF) {
        long e = ref_f32_log2(s, &power);
        b->scale = (uint32_t)(e + !power + 127);
    }
    fp8_over(b, x, n, ref_e8m0(b->scale));
}

/* max(amax / 448, 1 / (448 * 512)); x / s */
static void per_token(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_f32_max(ref_f32_div(ref_amax(x, n, 0), REF_448), ref_f32_ratio(1, 448 * 512));
    fp8_over(b, x, n, b->scale);
}

/* max(amax * (1 / 448), 1e-6); x * (1 / s) */
static void per_token_head(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word scale = ref_f32_mul(ref_amax(x, n, 0), ref_f32_ratio(1, 448));
    b->scale = ref_f32_max(scale, ref_f32_ratio(1, 1000000));
    word factor = ref_f32_rcp_flushed(b->scale);
    for (size_t i = 0; i < n; i++) {
        word y = clamp(ref_f32_mul(x[i], factor), ref_f32_neg(REF_448), REF_448);
        b->code[i] = ref_narrowed(REF_E4M3, y, REF_RNE);
    }
}

/* max(amax / 448, 1e-6); x * (1 / s) */
static void per_token_head_interpreted(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_f32_max(ref_f32_div(ref_amax(x, n, 0), REF_448), ref_f32_ratio(1, 1000000));
    word factor = ref_f32_div(REF_1, b->scale);
    for (size_t i = 0; i < n; i++) {
        word y = clamp(ref_f32_mul(x[i], factor), ref_f32_neg(REF_448), REF_448);
        b->code[i] = ref_narrowed(REF_E4M3, y, REF_RNE);
    }
}

REF_VALUE(fp8_value, ref_f32_mul(ref_e4m3(code), scale))
REF_VALUE(fp8_e8m0_value, ref_f32_mul(ref_e4m3(code), ref_e8m0(scale)))

/* max(amax * (1 / 127), 1e-6); trunc of x * (1 / s) +- 1/2, rounded once, in [-128, 127]. Up to 1/2
 * the result is 0, whichever the sign. */
static void int8_per_token_head(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word scale = ref_f32_mul(ref_amax(x, n, 0), ref_f32_ratio(1, 127));
    b->scale = ref_f32_max(scale, ref_f32_ratio(1, 1000000));
    word factor = ref_f32_rcp_flushed(b->scale);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_fma(x[i], factor, REF_HALF | (x[i] & 0x80000000u));
        y = ref_f32_is_nan(y) ? ref_number(-128) : clamp(y, ref_number(-128), REF_127);
        b->code[i] = ref_integer(y, 8);
    }
}

/* max(amax / 127, 1e-6); trunc(x * (1 / s) +- 1/2) in [-128, 127] */
static void int8_per_token_head_interpreted(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_f32_max(ref_f32_div(ref_amax(x, n, 0), REF_127), ref_f32_ratio(1, 1000000));
    word factor = ref_f32_div(REF_1, b->scale);
    for (size_t i = 0; i < n; i++) {
        word y = half_away(ref_f32_mul(x[i], factor));
        b->code[i] = ref_integer(clamp(y, ref_number(-128), REF_127), 8);
    }
}

REF_VALUE(int8_value, ref_f32_mul(ref_from_int8(code), scale))

/* OCP MX: the codes are multiples of 2^-6, here without -128. */
static void mxint8(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_mx_scale(x, n, REF_MX_FLOOR, 0, 0);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_e8m0(b->scale));
        y = ref_f32_rint(ref_f32_mul(y, ref_f32_pow2(6)));
        b->code[i] = ref_integer(clamp(y, ref_number(-127), REF_127), 8);
    }
}

/* The same with floor(|y| + 1/2). */
static void mxint8_micro(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    b->scale = ref_micro_scale(x, n, 0);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f32_div(x[i], ref_e8m0(b->scale));
        y = half_away(ref_f32_mul(y, ref_f32_pow2(6)));
        y = ref_f32_is_nan(y) ? 0 : clamp(y, ref_number(-127), REF_127);
        b->code[i] = ref_integer(y, 8);
    }
}

static word mxint8_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)offset, (void)g;
    word e = ref_f32_div(ref_from_int8(code), ref_f32_pow2(6));
    return ref_f32_mul(e, ref_e8m0(scale));
}

/* ---- 4 and 2 bits with an offset ------------------------------------------------------------- */

/* s = max((max - min) * (1/15), 1e-6); zp = trunc(-min * (1/s) +- 1/2), x * (1/s) + zp, rounded
 * once, likewise, both in [0, 15]; zp replaces the last 4 bits of s. */
static void int4_per_token_head(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word low = least(x, n, 0), range = ref_f32_sub(greatest(x, n, 0), low);
    word s = ref_f32_max(ref_f32_mul(range, ref_f32_ratio(1, 15)), ref_f32_ratio(1, 1000000));
    word factor = ref_f32_rcp_flushed(s);
    word zp = clamp(half_away(ref_f32_mul(ref_f32_neg(low), factor)), 0, REF_15);
    for (size_t i = 0; i < n; i++) {
        word y = half_away(ref_f32_fma(x[i], factor, zp));
        b->code[i] = ref_integer(clamp(y, 0, REF_15), 4);
    }
    b->scale = s / 16 * 16 + ref_integer(zp, 4);
}

/* s = max((max - min) / 15, 1e-6); zp = trunc(-min / s +- 1/2), x * (1/s) + zp likewise, both in
 * [0, 15]; zp replaces the last 4 bits of s. */
static void int4_per_token_head_interpreted(ref_block *b, const word *x, size_t n, word g)
{
    (void)g;
    word low = least(x, n, 0), range = ref_f32_sub(greatest(x, n, 0), low);
    word s = ref_f32_max(ref_f32_div(range, REF_15), ref_f32_ratio(1, 1000000));
    word zp = clamp(half_away(ref_f32_div(ref_f32_neg(low), s)), 0, REF_15);
    word factor = ref_f32_div(REF_1, s);
    for (size_t i = 0; i < n; i++) {
        word y = half_away(ref_f32_add(ref_f32_mul(x[i], factor), zp));
        b->code[i] = ref_integer(clamp(y, 0, REF_15), 4);
    }
    b->scale = s / 16 * 16 + ref_integer(zp, 4);
}

REF_VALUE(int4_value, ref_f32_mul(ref_number((long)code - (long)(scale % 16)), scale / 16 * 16))

/* scale = f16(f16(max - min) * (1 / (2^b - 1))); d = f16(x - min), f16(d / scale), then in
 * [0, 2^b - 1], then rounded, ties to even. */
static void kivi(ref_block *b, const word *x, size_t n, unsigned long top)
{
    word low = least(x, n, 0), range = ref_f16(ref_f32_sub(greatest(x, n, 0), low));
    b->scale = ref_narrowed(REF_F16, ref_f32_mul(range, ref_f32_ratio(1, top)), REF_RNE);
    b->offset = ref_narrowed(REF_F16, low, REF_RNE);
    for (size_t i = 0; i < n; i++) {
        word y = ref_f16(
            ref_f32_div(ref_f16(ref_f32_sub(x[i], low)), ref_widened(REF_F16, b->scale)));
        if (ref_f32_is_nan(y))
            b->code[i] = 0; /* by the conversion to an integer on a GPU */
        else
            b->code[i] = ref_integer(ref_f32_rint(clamp(y, 0, ref_f32_ratio(top, 1))), 4);
    }
}

REF_STORE(kivi_int4, kivi(b, x, n, 15))
REF_STORE(kivi_int2, kivi(b, x, n, 3))

static word kivi_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)g;
    word y = ref_f16(ref_f32_mul(ref_number((long)code), ref_widened(REF_F16, scale)));
    return ref_f16(ref_f32_add(y, ref_widened(REF_F16, offset)));
}

/* qx = (2^b - 1) / (max - min), which torch computes as 1 / (max - min) times that number; offset =
 * min qx; clip(round(qx x - offset)), which keeps NaN. The value of a NaN is 0; so is that of
 * infinity. All in the format of the tensor. NaN has no code: 0 here. */
static void kvquant(ref_block *b, const word *x, size_t n, unsigned long most, int rounded)
{
    word low = least(x, n, 1), top = ref_f32_ratio(most, 1);
    word range = ref_own(ref_f32_sub(greatest(x, n, 1), low));
    b->scale = ref_own(ref_f32_mul(ref_own(ref_f32_div(REF_1, range)), top));
    b->offset = ref_own(ref_f32_mul(low, b->scale));
    if (rounded)
        b->offset = ref_f32_nan_min(ref_f32_nan_max(ref_f32_rint(b->offset), ref_f32_neg(top)), 0);
    for (size_t i = 0; i < n; i++) {
        word y = ref_own(ref_f32_mul(b->scale, x[i]));
        y = ref_own(ref_f32_sub(y, b->offset));
        b->code[i] = ref_f32_is_nan(y) ? 0 : ref_integer(clamp(ref_f32_rint(y), 0, top), 4);
    }
}

#define KVQUANT(name, most, rounded)                                                               \
    static void name(ref_block *b, const word *x, size_t n, word g)                                \
    {                                                                                              \
        (void)g;                                                                                   \
        kvquant(b, x, n, most, rounded);                                                           \
    }
KVQUANT(kvquant_free, 15, 0)
KVQUANT(kvquant_clamp, 15, 1)
KVQUANT(kvquant_int2, 3, 0)
KVQUANT(kvquant_int2_clamp, 3, 1)

static word kvquant_value(uint32_t scale, uint32_t offset, word g, uint32_t code)
{
    (void)g;
    word y = ref_own(ref_f32_add(ref_number((long)code), offset));
    y = ref_own(ref_f32_div(y, scale));
    return ref_f32_is_nan(y) || ref_f32_abs(y) == REF_INF ? 0 : y;
}

const ref_recipe ref_other_recipes[] = {
    {"mxint8-floor", "e4m3", 32, 0, 0, 8, 8, mxint8, mxint8_value},
    {"mxint8-microxcaling", "e4m3", 32, 0, 0, 8, 8, mxint8_micro, mxint8_value},
    {"fp8-group128", "e4m3", 128, 0, 0, 8, 32, group128, fp8_value},
    {"fp8-group128-ue8m0", "e4m3", 128, 0, 0, 8, 8, group128_ue8m0, fp8_e8m0_value},
    {"fp8-per-token", "e4m3", 0, 0, 0, 8, 32, per_token, fp8_value},
    {"fp8-per-token-head", "e4m3", 0, 0, 0, 8, 32, per_token_head, fp8_value},
    {"fp8-per-token-head-interpreted", "e4m3", 0, 0, 0, 8, 32, per_token_head_interpreted,
     fp8_value},
    {"int8-per-token-head", "e4m3", 0, 0, 0, 8, 32, int8_per_token_head, int8_value},
    {"int8-per-token-head-interpreted", "e4m3", 0, 0, 0, 8, 32, int8_per_token_head_interpreted,
     int8_value},
    {"int4-per-token-head", "e2m1", 0, 0, 0, 4, 32, int4_per_token_head, int4_value},
    {"int4-per-token-head-interpreted", "e2m1", 0, 0, 0, 4, 32, int4_per_token_head_interpreted,
     int4_value},
    {"kivi-int4", "e2m1", 32, 0, 0, 4, 16, kivi_int4, kivi_value},
    {"kivi-int2", "e2m1", 32, 0, 0, 2, 16, kivi_int2, kivi_value},
    {"kvquant-int4", "e2m1", 0, 0, 0, 4, 32, kvquant_free, kvquant_value},
    {"kvquant-int4-clamp", "e2m1", 0, 0, 0, 4, 32, kvquant_clamp, kvquant_value},
    {"kvquant-int2", "e2m1", 0, 0, 0, 2, 32, kvquant_int2, kvquant_value},
    {"kvquant-int2-clamp", "e2m1", 0, 0, 0, 2, 32, kvquant_int2_clamp, kvquant_value},
    {0},
};

/* SPDX-License-Identifier: MIT */
/* arith_avx2.c -- arithmetic over arrays of bytes, 32 elements at a step
 *
 * The way of array_arith_avx512.c with eight lanes. Here an operation rounds as MXCSR says, so
 * MXCSR is set for the loop and put back, flags included; the loop is called through a pointer, so
 * that nothing of it can be moved out. Where rounding matters the instruction is written out: a
 * compiler takes it that all is rounded to nearest, and with -ffast-math divides by a reciprocal
 * and drops what is negated twice.
 *
 * Directed modes, and to nearest even where the operation cannot be rounded wrongly first, are the
 * processor's. The others (SF8_ARITH_ODD) round down, and up by rounding the negated result down:
 * the odd one of the two, first of the operation, then of the sum with a power of two that leaves
 * two bits more than the code has, from which an integer step rounds.
 */
#include "arrays/arith.h"

#if SF8_HAS_X86
#include <immintrin.h>
#include <string.h>

#include "softfp8/scalar.h"

typedef struct sf8_a256_constants {
    int32_t sign_up; /* from a code's sign to bit 31 */
    __m256i mag_mask, normal, offset, shift, least, up, base;
    __m256 quantum;
    __m256i sign_bit, mag_bytes, code_bytes, beyond, over[2], order;
} sf8_a256_constants;

SF8_AVX2 static inline void sf8_a256_set_constants(sf8_a256_constants *k,
                                                   const sf8_arith_plan *plan, int odd)
{
    sf8_format f = plan->f;
    int32_t field = sf8_format_emin(f) + 127;
    k->sign_up = 31 - sf8_format_mag_bits(f);
    k->mag_mask = _mm256_set1_epi32(plan->mag_mask);
    k->normal = _mm256_set1_epi32((1 << f.man_bits) - 1);
    k->offset = _mm256_set1_epi32((127 - f.bias) << 23);
    k->shift = _mm256_set1_epi32(23 - f.man_bits);
    k->least = _mm256_set1_epi32(field << 23);
    k->up = _mm256_set1_epi32((23 - f.man_bits - (odd ? 2 : 0)) << 23);
    k->base = _mm256_set1_epi16((short)(field << f.man_bits));
    k->quantum = _mm256_castsi256_ps(_mm256_set1_epi32((field - f.man_bits) << 23));
    k->sign_bit = _mm256_set1_epi8((char)plan->sign_bit);
    k->mag_bytes = _mm256_set1_epi8((char)plan->mag_mask);
    k->code_bytes = _mm256_set1_epi8((char)(plan->mag_mask | plan->sign_bit));
    k->beyond = _mm256_set1_epi8((char)(plan->max + 1));
    k->over[0] = _mm256_set1_epi8((char)plan->over[0]);
    k->over[1] = _mm256_set1_epi8((char)plan->over[1]);
    k->order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
}

#define SF8_A256_ROUNDED(name, instruction)                                                        \
    SF8_AVX2 SF8_INLINED __m256 sf8_a256_##name(__m256 a, __m256 b)                                \
    {                                                                                              \
        __m256 r;                                                                                  \
        __asm__(SF8_AVX_TEXT(instruction) : "=x"(r) : "x"(a), "x"(b));                             \
        return r;                                                                                  \
    }
SF8_A256_ROUNDED(add, "add")
SF8_A256_ROUNDED(sub, "sub")
SF8_A256_ROUNDED(mul, "mul")
SF8_A256_ROUNDED(div, "div")
#undef SF8_A256_ROUNDED

/* a * b + c */
SF8_AVX2 SF8_INLINED __m256 sf8_a256_fma(__m256 a, __m256 b, __m256 c)
{
    __asm__("vfmadd213ps {%2, %1, %0|%0, %1, %2}" : "+x"(a) : "x"(b), "x"(c));
    return a;
}

/* The values of 8 codes: normal ones by putting the magnitude in place, others as small integers
 * times the quantum. */
SF8_AVX2 SF8_INLINED __m256 sf8_a256_decode8(const sf8_a256_constants *k, const uint8_t *from)
{
    __m256i code = _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)from));
    __m256i mag = _mm256_and_si256(code, k->mag_mask);
    __m256i bits = _mm256_add_epi32(_mm256_sllv_epi32(mag, k->shift), k->offset);
    __m256 small = _mm256_mul_ps(_mm256_cvtepi32_ps(mag), k->quantum);
    __m256i is_normal = _mm256_cmpgt_epi32(mag, k->normal);
    __m256 value = _mm256_blendv_ps(small, _mm256_castsi256_ps(bits),
                                    _mm256_castsi256_ps(is_normal));
    __m256i sign = _mm256_and_si256(_mm256_sll_epi32(code, _mm_cvtsi32_si128(k->sign_up)),
                                    _mm256_set1_epi32(INT32_MIN));
    return _mm256_or_ps(value, _mm256_castsi256_ps(sign));
}

/* Of a number rounded down and up the odd one, or the second if they are equal. */
SF8_AVX2 SF8_INLINED __m256 sf8_a256_odd8(__m256 down, __m256 up)
{
    __m256i odd = _mm256_slli_epi32(_mm256_castps_si256(down), 31);
    return _mm256_blendv_ps(up, down, _mm256_castsi256_ps(odd));
}

SF8_AVX2 SF8_INLINED __m256 sf8_a256_negated(__m256 x)
{
    return _mm256_xor_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MIN)));
}

SF8_AVX2 SF8_INLINED __m256 sf8_a256_once8(int op, __m256 a, __m256 b, __m256 c)
{
    switch (op) {
    case SF8_ARRAY_add:
        return sf8_a256_add(a, b);
    case SF8_ARRAY_sub:
        return sf8_a256_sub(a, b);
    case SF8_ARRAY_mul:
        return sf8_a256_mul(a, b);
    case SF8_ARRAY_div:
        return sf8_a256_div(a, b);
    default:
        return sf8_a256_fma(a, b, c);
    }
}

SF8_AVX2 SF8_INLINED __m256 sf8_a256_operate8(int op, int odd, __m256 a, __m256 b, __m256 c)
{
    __m256 down = sf8_a256_once8(op, a, b, c);
    if (!odd || op == SF8_ARRAY_mul)
        return down;
    __m256 other = op == SF8_ARRAY_add || op == SF8_ARRAY_sub ? sf8_a256_negated(b) : b;
    __m256 up = sf8_a256_once8(op, sf8_a256_negated(a), other, sf8_a256_negated(c));
    return sf8_a256_odd8(down, sf8_a256_negated(up));
}

/* From the magnitude in quarters, rounded to odd. */
SF8_AVX2 SF8_INLINED __m256i sf8_a256_quarters8(uint32_t round, __m256i q)
{
    __m256i whole = _mm256_srli_epi32(q, 2), one = _mm256_set1_epi32(1);
    if (round == SF8_RNA)
        return _mm256_srli_epi32(_mm256_add_epi32(q, _mm256_set1_epi32(2)), 2);
    if (round == SF8_RNE) {
        q = _mm256_add_epi32(_mm256_add_epi32(q, one), _mm256_and_si256(whole, one));
        return _mm256_srli_epi32(q, 2);
    }
    if (round == SF8_RNZ)
        return _mm256_srli_epi32(_mm256_add_epi32(q, one), 2);
    __m256i rest = _mm256_and_si256(q, _mm256_set1_epi32(3));
    return _mm256_or_si256(whole,
                           _mm256_and_si256(_mm256_cmpgt_epi32(rest, _mm256_setzero_si256()), one));
}

/* Magnitudes plus the constant k->base. */
SF8_AVX2 SF8_INLINED __m256i sf8_a256_encode8(const sf8_a256_constants *k, int odd, uint32_t round,
                                              __m256 r)
{
    __m256i bits = _mm256_castps_si256(r), sign = _mm256_set1_epi32(INT32_MIN);
    __m256i e = _mm256_and_si256(bits, _mm256_set1_epi32(0x7f800000));
    e = _mm256_max_epi32(e, k->least);
    __m256i m = _mm256_add_epi32(e, k->up), q;
    if (odd) {
        __m256 x = _mm256_castsi256_ps(_mm256_andnot_si256(sign, bits));
        __m256 y = _mm256_castsi256_ps(m);
        __m256 up = sf8_a256_sub(sf8_a256_negated(x), y);
        __m256 sum = sf8_a256_odd8(sf8_a256_add(x, y), sf8_a256_negated(up));
        q = sf8_a256_quarters8(round, _mm256_sub_epi32(_mm256_castps_si256(sum), m));
    } else {
        m = _mm256_or_si256(m, _mm256_and_si256(bits, sign));
        q = _mm256_castps_si256(sf8_a256_add(r, _mm256_castsi256_ps(m)));
        q = _mm256_sub_epi32(q, m);
    }
    return _mm256_add_epi32(q, _mm256_srlv_epi32(e, k->shift));
}

SF8_AVX2 SF8_INLINED __m256i sf8_a256_beyond(__m256i x, __m256i least)
{
    return _mm256_cmpeq_epi8(_mm256_max_epu8(x, least), x);
}

/* Codes of 32 results. */
SF8_AVX2 SF8_INLINED __m256i sf8_a256_encode32(const sf8_a256_constants *k, int odd, uint32_t round,
                                               int keep_neg_zero, const __m256 *r)
{
    __m256i word0 = _mm256_packus_epi32(sf8_a256_encode8(k, odd, round, r[0]),
                                        sf8_a256_encode8(k, odd, round, r[1]));
    __m256i word1 = _mm256_packus_epi32(sf8_a256_encode8(k, odd, round, r[2]),
                                        sf8_a256_encode8(k, odd, round, r[3]));
    __m256i code = _mm256_packus_epi16(_mm256_sub_epi16(word0, k->base),
                                       _mm256_sub_epi16(word1, k->base));
    __m256i s0 = _mm256_packs_epi32(_mm256_castps_si256(r[0]), _mm256_castps_si256(r[1]));
    __m256i s1 = _mm256_packs_epi32(_mm256_castps_si256(r[2]), _mm256_castps_si256(r[3]));
    __m256i zero = _mm256_setzero_si256();
    __m256i sign = _mm256_cmpgt_epi8(zero, _mm256_packs_epi16(s0, s1));
    __m256i over = sf8_a256_beyond(code, k->beyond);
    __m256i shown = _mm256_and_si256(sign, k->sign_bit);
    if (!keep_neg_zero)
        shown = _mm256_andnot_si256(_mm256_cmpeq_epi8(code, zero), shown);
    code = _mm256_blendv_epi8(_mm256_or_si256(code, shown),
                              _mm256_blendv_epi8(k->over[0], k->over[1], sign), over);
    return _mm256_permutevar8x32_epi32(code, k->order);
}

/* Which of 32 elements are special, as bits. */
SF8_AVX2 SF8_INLINED uint32_t sf8_a256_special32(const sf8_a256_constants *k, int op,
                                                 int nan_is_neg_zero, const uint8_t *const from[3])
{
    __m256i zero = _mm256_setzero_si256(), special = zero, mag = zero;
    for (int i = 0; i < (op == SF8_ARRAY_fma ? 3 : 2); i++) {
        __m256i code = _mm256_loadu_si256((const __m256i *)(const void *)from[i]);
        mag = _mm256_and_si256(code, k->mag_bytes);
        special = _mm256_or_si256(special, sf8_a256_beyond(mag, k->beyond));
        if (nan_is_neg_zero) {
            code = _mm256_and_si256(code, k->code_bytes);
            special = _mm256_or_si256(special, _mm256_cmpeq_epi8(code, k->sign_bit));
        }
    }
    if (op == SF8_ARRAY_div)
        special = _mm256_or_si256(special, _mm256_cmpeq_epi8(mag, zero));
    return (uint32_t)_mm256_movemask_epi8(special);
}

typedef struct sf8_a256_loop {
    const sf8_arith_plan *plan;
    sf8_a256_constants k;
    int specials; /* how many there were while the table was not filled; -1 if it is */
    sf8_arith_specials table;
} sf8_a256_loop;

static uint8_t sf8_a256_special(const sf8_arith_specials *t, sf8_array_op op, uint8_t a, uint8_t b,
                                uint8_t c)
{
    uint32_t x = t->of[a], y = t->of[b];
    if (op == SF8_ARRAY_fma && x != SF8_ARITH_NAN && y != SF8_ARITH_NAN) {
        x = t->product[8 * x + y];
        y = t->of[c];
        b = c;
    }
    return x == SF8_ARITH_NAN ? t->nan[a] : y == SF8_ARITH_NAN ? t->nan[b] : t->pair[8 * x + y];
}

/* The results of the special ones of 32 elements into `out`. */
static SF8_NOINLINE void sf8_a256_patch(sf8_a256_loop *loop, uint8_t *out,
                                        const uint8_t *const from[3], uint32_t special)
{
    const sf8_arith_plan *plan = loop->plan;
    if (loop->specials >= 0) {
        loop->specials += __builtin_popcount(special);
        if (loop->specials > SF8_ARITH_FEW) {
            sf8_arith_fill(plan, &loop->table);
            loop->specials = -1;
        }
    }
    for (; special != 0; special &= special - 1) {
        int i = __builtin_ctz(special);
        uint8_t a = from[0][i], b = from[1][i], c = from[2][i];
        out[i] = loop->specials < 0
                     ? sf8_a256_special(&loop->table, plan->op, a, b, c)
                     : (uint8_t)sf8_array_one(plan->op, plan->f, a, b, c, plan->policy);
    }
}

SF8_AVX2 SF8_INLINED void sf8_a256_step(sf8_a256_loop *loop, int op, int odd, uint8_t *dst,
                                        const uint8_t *const from[3], uint32_t live)
{
    const sf8_a256_constants *k = &loop->k;
    int nan_is_neg_zero = loop->plan->nan_is_neg_zero;
    uint32_t special = sf8_a256_special32(k, op, nan_is_neg_zero, from) & live;
    __m256 r[4];
    for (int i = 0; i < 4; i++) {
        __m256 a = sf8_a256_decode8(k, from[0] + 8 * i), b = sf8_a256_decode8(k, from[1] + 8 * i);
        __m256 c = op == SF8_ARRAY_fma ? sf8_a256_decode8(k, from[2] + 8 * i) : a;
        r[i] = sf8_a256_operate8(op, odd, a, b, c);
    }
    __m256i code = sf8_a256_encode32(k, odd, loop->plan->policy.round, !nan_is_neg_zero, r);
    if (SF8_RARE(special != 0)) {
        uint8_t out[32];
        _mm256_storeu_si256((__m256i *)(void *)out, code);
        sf8_a256_patch(loop, out, from, special);
        code = _mm256_loadu_si256((const __m256i *)(const void *)out);
    }
    _mm256_storeu_si256((__m256i *)(void *)dst, code);
}

/* The loop runs twice, so that it is compiled once: over whole steps, and over what is less than
 * one, in memory of our own. */
SF8_AVX2 SF8_INLINED void sf8_a256_run(int op, int odd, const sf8_arith_plan *plan, uint8_t *dst,
                                       const uint8_t *a, const uint8_t *b, const uint8_t *c)
{
    sf8_a256_loop loop;
    uint8_t last[4][32], *to = dst;
    size_t rest = plan->n % 32, whole = plan->n - rest, count = whole;
    uint32_t live = UINT32_MAX;
    loop.plan = plan;
    loop.specials = 0;
    sf8_a256_set_constants(&loop.k, plan, odd);
    for (;;) {
        for (size_t i = 0; i < count; i += 32) {
            const uint8_t *const from[3] = {a + i, b + i, op == SF8_ARRAY_fma ? c + i : a + i};
            sf8_a256_step(&loop, op, odd, to + i, from, live);
        }
        if (rest == 0 || to != dst)
            break;
        memset(last, 0, sizeof last);
        memcpy(last[0], a + whole, rest);
        memcpy(last[1], b + whole, rest);
        if (op == SF8_ARRAY_fma)
            memcpy(last[2], c + whole, rest);
        a = last[0];
        b = last[1];
        c = last[2];
        to = last[3];
        live = (1u << rest) - 1;
        count = 32;
    }
    if (rest != 0)
        memcpy(dst + whole, to, rest);
}

#define SF8_A256_LOOP(op, odd)                                                                     \
    SF8_AVX2 static void sf8_a256_##op##_##odd(const sf8_arith_plan *plan, uint8_t *dst,           \
                                               const uint8_t *a, const uint8_t *b,                 \
                                               const uint8_t *c)                                   \
    {                                                                                              \
        sf8_a256_run(SF8_ARRAY_##op, odd, plan, dst, a, b, c);                                     \
    }
#define SF8_A256_LOOPS(op)                                                                         \
    SF8_A256_LOOP(op, 0)                                                                           \
    SF8_A256_LOOP(op, 1)
SF8_A256_LOOPS(add)
SF8_A256_LOOPS(sub)
SF8_A256_LOOPS(mul)
SF8_A256_LOOPS(div)
SF8_A256_LOOPS(fma)

SF8_PRIVATE void sf8_arith_avx2(const sf8_arith_plan *plan, uint8_t *dst, const uint8_t *a,
                                const uint8_t *b, const uint8_t *c)
{
#define SF8_A256_ROW(op)                                                                           \
    {                                                                                              \
        sf8_a256_##op##_0, sf8_a256_##op##_1                                                       \
    }
    static const sf8_arith_loop loops[SF8_ARRAY_fma + 1][2] = {SF8_A256_ROW(add), SF8_A256_ROW(sub),
                                                               SF8_A256_ROW(mul), SF8_A256_ROW(div),
                                                               SF8_A256_ROW(fma)};
    uint32_t round = plan->policy.round;
    int odd = round == SF8_RNA || round == SF8_RNZ || round == SF8_RO ||
              (round == SF8_RNE && plan->op == SF8_ARRAY_fma);
    unsigned control = 0x1f80; /* to nearest, no exception traps, subnormal numbers as they are */
    if (round == SF8_RD || odd)
        control |= 0x2000;
    else if (round == SF8_RU)
        control |= 0x4000;
    else if (round == SF8_RZ)
        control |= 0x6000;
    sf8_arith_loop volatile loop = loops[plan->op][odd];
    unsigned before = _mm_getcsr();
    _mm_setcsr(control);
    loop(plan, dst, a, b, c);
    _mm_setcsr(before);
}

#undef SF8_A256_LOOP
#undef SF8_A256_LOOPS
#undef SF8_A256_ROW
#endif

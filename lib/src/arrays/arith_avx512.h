/* SPDX-License-Identifier: MIT */
/* arith_avx512.h -- arithmetic over arrays of bytes by rne, 64 elements at a step
 *
 * The other roundings are left to AVX2: they are seldom used, and a loop for each of them would be
 * most of the library's compile time.
 *
 * A byte is decoded by two tables of 128 entries in registers to the upper half of an f32. Every
 * operation on f32 names its rounding, so that MXCSR does not matter. No operation has a subnormal
 * operand or result, for which it would matter.
 *
 * Where the f32 operation can be inexact and its rounding would change the result, which is only in
 * fma, the result is rounded to odd: of the sums rounded down and up, which are equal if exact, the
 * odd one. Rounding to odd with 24 bits and then to p bits is one rounding.
 *
 * The code: let E be the exponent of the result r, or that of the least normal number if that is
 * greater, and m = 2^(E + 23 - M) with the sign of r. The sum r + m is r rounded to a multiple of
 * the quantum 2^(E - M), and bits(r + m) - bits(m) is that multiple. The magnitude code is that
 * plus (E - emin) * 2^M. The rest is done on bytes: overflow, signs, special codes.
 */
#define SF8_A512_NEAREST (_MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define SF8_A512_UP (_MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC)
#define SF8_A512_DOWN (_MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC)

typedef struct sf8_a512_constants {
    __m512i low[2], high[2]; /* bits 16 to 23, and 24 to 31, of the f32 of a magnitude */
    __m512i sign8;           /* bits of a byte that go to the f32's sign: 80, or none */
    __m512i least;           /* the exponent field of the least normal number, in place */
    __m512i up;              /* what to add to an exponent for that of m */
    __m512i shift;           /* 23 - M */
    __m512i base;            /* (field of emin) * 2^M, in words */
    __m512i sign_bit, mag_mask, max, over[2];
} sf8_a512_constants;

/* 16 magnitudes as f32: a small integer times a power of two. */
SF8_TARGET static inline __m512i sf8_a512_values16(sf8_format f, __m512i code)
{
    __m512i mantissa = _mm512_set1_epi32((1 << f.man_bits) - 1);
    __m512i field = _mm512_srlv_epi32(code, _mm512_set1_epi32(f.man_bits));
    field = _mm512_and_epi32(field, _mm512_set1_epi32((1 << f.exp_bits) - 1));
    __mmask16 normal = _mm512_test_epi32_mask(field, field);
    __m512i sig = _mm512_and_epi32(code, mantissa);
    sig = _mm512_mask_or_epi32(sig, normal, sig, _mm512_set1_epi32(1 << f.man_bits));
    __m512i exponent = _mm512_max_epi32(field, _mm512_set1_epi32(1));
    exponent = _mm512_add_epi32(exponent, _mm512_set1_epi32(-f.bias - f.man_bits));
    __m512i bits = _mm512_castps_si512(_mm512_cvtepi32_ps(sig));
    bits = _mm512_mask_add_epi32(bits, _mm512_test_epi32_mask(sig, sig), bits,
                                 _mm512_slli_epi32(exponent, 23));
    __m512i sign = _mm512_and_epi32(code, _mm512_set1_epi32((int)sf8_format_sign_bit(f)));
    return _mm512_mask_or_epi32(bits, _mm512_test_epi32_mask(sign, sign), bits,
                                _mm512_set1_epi32(INT32_MIN));
}

/* The tables are those of bytes 0 to 127. In a format of 8 bits the sign is added later. In others
 * it is among the lower bits, and the bits above the code are ignored. */
SF8_TARGET static inline void sf8_a512_decode_tables(sf8_a512_constants *k, sf8_format f)
{
    uint8_t low[128], high[128];
    __m512i step = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int i = 0; i < 8; i++) {
        __m512i bits = sf8_a512_values16(f, _mm512_add_epi32(step, _mm512_set1_epi32(16 * i)));
        _mm_storeu_si128((__m128i *)(void *)(low + 16 * i),
                         _mm512_cvtepi32_epi8(_mm512_srli_epi32(bits, 16)));
        _mm_storeu_si128((__m128i *)(void *)(high + 16 * i),
                         _mm512_cvtepi32_epi8(_mm512_srli_epi32(bits, 24)));
    }
    for (int i = 0; i < 2; i++) {
        k->low[i] = _mm512_loadu_si512(low + 64 * i);
        k->high[i] = _mm512_loadu_si512(high + 64 * i);
    }
    k->sign8 = _mm512_set1_epi8((char)(sf8_format_bits(f) == 8 ? 0x80 : 0));
}

SF8_TARGET static inline void sf8_a512_set_constants(sf8_a512_constants *k,
                                                     const sf8_arith_plan *plan)
{
    sf8_format f = plan->f;
    int32_t field = sf8_format_emin(f) + 127;
    sf8_a512_decode_tables(k, f);
    k->least = _mm512_set1_epi32(field << 23);
    k->up = _mm512_set1_epi32((23 - f.man_bits) << 23);
    k->shift = _mm512_set1_epi32(23 - f.man_bits);
    k->base = _mm512_set1_epi16((short)(field << f.man_bits));
    k->sign_bit = _mm512_set1_epi8((char)plan->sign_bit);
    k->mag_mask = _mm512_set1_epi8((char)plan->mag_mask);
    k->max = _mm512_set1_epi8((char)plan->max);
    k->over[0] = _mm512_set1_epi8((char)plan->over[0]);
    k->over[1] = _mm512_set1_epi8((char)plan->over[1]);
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* 64 values as upper halves of f32, in the order that the unpacking by lanes of 16 bytes gives,
 * which the packing at the end undoes. */
typedef struct sf8_a512_halves {
    __m512i of[2];
} sf8_a512_halves;

SF8_TARGET SF8_INLINED sf8_a512_halves sf8_a512_decode64(const sf8_a512_constants *k, __m512i code)
{
    __m512i low = _mm512_permutex2var_epi8(k->low[0], code, k->low[1]);
    __m512i high = _mm512_permutex2var_epi8(k->high[0], code, k->high[1]);
    high = _mm512_ternarylogic_epi32(high, code, k->sign8, 0xf8); /* high | (code & sign8) */
    sf8_a512_halves r;
    r.of[0] = _mm512_unpacklo_epi8(low, high);
    r.of[1] = _mm512_unpackhi_epi8(low, high);
    return r;
}

SF8_TARGET SF8_INLINED __m512 sf8_a512_quarter(const sf8_a512_halves *x, int i)
{
    __m512i zero = _mm512_setzero_si512();
    __m512i r = i & 1 ? _mm512_unpackhi_epi16(zero, x->of[i >> 1])
                      : _mm512_unpacklo_epi16(zero, x->of[i >> 1]);
    return _mm512_castsi512_ps(r);
}

/* ---- operating ------------------------------------------------------------------------------- */

/* The odd one of two neighbouring numbers; either if they are equal. An odd one is not zero; of a
 * zero rounded both ways the second is taken. */
SF8_TARGET SF8_INLINED __m512 sf8_a512_odd16(__m512 down, __m512 up)
{
    __mmask16 odd = _mm512_test_epi32_mask(_mm512_castps_si512(down), _mm512_set1_epi32(1));
    return _mm512_mask_mov_ps(up, odd, down);
}

SF8_TARGET SF8_INLINED __m512 sf8_a512_operate16(int op, __m512 a, __m512 b, __m512 c)
{
    if (op == SF8_ARRAY_add)
        return _mm512_add_round_ps(a, b, SF8_A512_NEAREST);
    if (op == SF8_ARRAY_sub)
        return _mm512_sub_round_ps(a, b, SF8_A512_NEAREST);
    if (op == SF8_ARRAY_mul) /* exact */
        return _mm512_mul_round_ps(a, b, SF8_A512_NEAREST);
    if (op == SF8_ARRAY_div)
        return _mm512_div_round_ps(a, b, SF8_A512_NEAREST);
    return sf8_a512_odd16(_mm512_fmadd_round_ps(a, b, c, SF8_A512_DOWN),
                          _mm512_fmadd_round_ps(a, b, c, SF8_A512_UP));
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* Magnitudes plus the constant k->base; signs in bit 31 of r. */
SF8_TARGET SF8_INLINED __m512i sf8_a512_encode16(const sf8_a512_constants *k, __m512 r)
{
    __m512i bits = _mm512_castps_si512(r);
    __m512i e = _mm512_and_epi32(bits, _mm512_set1_epi32(0x7f800000));
    e = _mm512_max_epu32(e, k->least);
    __m512i m = _mm512_add_epi32(e, k->up);
    m = _mm512_ternarylogic_epi32(m, bits, _mm512_set1_epi32(INT32_MIN), 0xf8);
    __m512 sum = _mm512_add_round_ps(r, _mm512_castsi512_ps(m), SF8_A512_NEAREST);
    __m512i q = _mm512_sub_epi32(_mm512_castps_si512(sum), m);
    return _mm512_add_epi32(q, _mm512_srlv_epi32(e, k->shift));
}

/* Codes of 64 results. */
SF8_TARGET SF8_INLINED __m512i sf8_a512_encode64(const sf8_a512_constants *k, int keep_neg_zero,
                                                 __m512 r0, __m512 r1, __m512 r2, __m512 r3)
{
    __m512i word0 = _mm512_packus_epi32(sf8_a512_encode16(k, r0), sf8_a512_encode16(k, r1));
    __m512i word1 = _mm512_packus_epi32(sf8_a512_encode16(k, r2), sf8_a512_encode16(k, r3));
    __m512i code = _mm512_packus_epi16(_mm512_sub_epi16(word0, k->base),
                                       _mm512_sub_epi16(word1, k->base));
    __m512i s0 = _mm512_packs_epi32(_mm512_castps_si512(r0), _mm512_castps_si512(r1));
    __m512i s1 = _mm512_packs_epi32(_mm512_castps_si512(r2), _mm512_castps_si512(r3));
    __mmask64 sign = _mm512_movepi8_mask(_mm512_packs_epi16(s0, s1));
    __mmask64 over = _mm512_cmpgt_epu8_mask(code, k->max);
    __mmask64 shown = sign;
    if (!keep_neg_zero)
        shown &= _mm512_test_epi8_mask(code, code);
    code = _mm512_mask_mov_epi8(code, over & ~sign, k->over[0]);
    code = _mm512_mask_mov_epi8(code, over & sign, k->over[1]);
    return _mm512_mask_add_epi8(code, shown & ~over, code, k->sign_bit);
}

/* ---- special elements ------------------------------------------------------------------------ */

typedef struct sf8_a512_block {
    __m512i a, b, c;
} sf8_a512_block;

SF8_TARGET SF8_INLINED __mmask64 sf8_a512_special64(const sf8_a512_constants *k, int op,
                                                    int nan_is_neg_zero, const sf8_a512_block *x)
{
    __m512i a = _mm512_and_si512(x->a, k->mag_mask), b = _mm512_and_si512(x->b, k->mag_mask);
    __m512i c = _mm512_and_si512(x->c, k->mag_mask);
    __m512i most = _mm512_max_epu8(a, b);
    if (op == SF8_ARRAY_fma)
        most = _mm512_max_epu8(most, c);
    __mmask64 special = _mm512_cmpgt_epu8_mask(most, k->max);
    if (op == SF8_ARRAY_div)
        special |= _mm512_testn_epi8_mask(b, b);
    if (nan_is_neg_zero) {
        __mmask64 a0 = _mm512_testn_epi8_mask(a, a), b0 = _mm512_testn_epi8_mask(b, b);
        special |= _mm512_mask_test_epi8_mask(a0, x->a, k->sign_bit);
        special |= _mm512_mask_test_epi8_mask(b0, x->b, k->sign_bit);
        if (op == SF8_ARRAY_fma)
            special |= _mm512_mask_test_epi8_mask(_mm512_testn_epi8_mask(c, c), x->c, k->sign_bit);
    }
    return special;
}

SF8_TARGET static inline __m512i sf8_a512_lookup256(const uint8_t *table, __m512i index)
{
    __m512i low = _mm512_permutex2var_epi8(_mm512_loadu_si512(table), index,
                                           _mm512_loadu_si512(table + 64));
    __m512i high = _mm512_permutex2var_epi8(_mm512_loadu_si512(table + 128), index,
                                            _mm512_loadu_si512(table + 192));
    return _mm512_mask_mov_epi8(low, _mm512_movepi8_mask(index), high);
}

SF8_TARGET static inline __m512i sf8_a512_pair64(const uint8_t *table, __m512i a, __m512i b)
{
    __m512i index = _mm512_add_epi8(_mm512_slli_epi16(a, 3), b); /* classes are below 8 */
    return _mm512_permutexvar_epi8(index, _mm512_loadu_si512(table));
}

/* The results of a block as if every element were special. */
SF8_TARGET static SF8_NOINLINE __m512i sf8_a512_special_codes(const sf8_arith_specials *t, int op,
                                                              const sf8_a512_block *x)
{
    __m512i nan = _mm512_set1_epi8(SF8_ARITH_NAN);
    __m512i a = sf8_a512_lookup256(t->of, x->a), b = sf8_a512_lookup256(t->of, x->b);
    __m512i code;
    if (op == SF8_ARRAY_fma) {
        __m512i c = sf8_a512_lookup256(t->of, x->c);
        code = sf8_a512_pair64(t->pair, sf8_a512_pair64(t->product, a, b), c);
        code = _mm512_mask_mov_epi8(code, _mm512_cmpeq_epi8_mask(c, nan),
                                    sf8_a512_lookup256(t->nan, x->c));
    } else {
        code = sf8_a512_pair64(t->pair, a, b);
    }
    code = _mm512_mask_mov_epi8(code, _mm512_cmpeq_epi8_mask(b, nan),
                                sf8_a512_lookup256(t->nan, x->b));
    return _mm512_mask_mov_epi8(code, _mm512_cmpeq_epi8_mask(a, nan),
                                sf8_a512_lookup256(t->nan, x->a));
}

/* Computes the special elements of a block one by one. */
SF8_TARGET static SF8_NOINLINE __m512i sf8_a512_special_ones(const sf8_arith_plan *plan,
                                                             const sf8_a512_block *x, __m512i code,
                                                             uint64_t special)
{
    uint8_t a[64], b[64], c[64], out[64];
    _mm512_storeu_si512(a, x->a);
    _mm512_storeu_si512(b, x->b);
    _mm512_storeu_si512(c, x->c);
    _mm512_storeu_si512(out, code);
    for (; special != 0; special &= special - 1) {
        int i = __builtin_ctzll(special);
        out[i] = (uint8_t)sf8_array_one(plan->op, plan->f, a[i], b[i], c[i], plan->policy);
    }
    return _mm512_loadu_si512(out);
}

/* ---- the loops ------------------------------------------------------------------------------- */

typedef struct sf8_a512_loop {
    const sf8_arith_plan *plan;
    sf8_a512_constants k;
    int specials; /* their number while the table is not filled; -1 if it is */
    sf8_arith_specials table;
} sf8_a512_loop;

SF8_TARGET static SF8_NOINLINE __m512i sf8_a512_patch(sf8_a512_loop *loop, const sf8_a512_block *x,
                                                      __m512i code, uint64_t special)
{
    if (loop->specials >= 0) {
        loop->specials += __builtin_popcountll(special);
        if (loop->specials <= SF8_ARITH_FEW)
            return sf8_a512_special_ones(loop->plan, x, code, special);
        sf8_arith_fill(loop->plan, &loop->table);
        loop->specials = -1;
    }
    return _mm512_mask_mov_epi8(code, special,
                                sf8_a512_special_codes(&loop->table, (int)loop->plan->op, x));
}

SF8_TARGET SF8_INLINED __m512i sf8_a512_step(sf8_a512_loop *loop, int op, int nan_is_neg_zero,
                                             __mmask64 live, const sf8_a512_block *x)
{
    const sf8_a512_constants *k = &loop->k;
    sf8_a512_halves a = sf8_a512_decode64(k, x->a), b = sf8_a512_decode64(k, x->b);
    sf8_a512_halves c = op == SF8_ARRAY_fma ? sf8_a512_decode64(k, x->c) : a;
#define SF8_A512_QUARTER(i)                                                                        \
    sf8_a512_operate16(op, sf8_a512_quarter(&a, i), sf8_a512_quarter(&b, i),                       \
                       sf8_a512_quarter(&c, i))
    __m512i code = sf8_a512_encode64(k, !nan_is_neg_zero, SF8_A512_QUARTER(0), SF8_A512_QUARTER(1),
                                     SF8_A512_QUARTER(2), SF8_A512_QUARTER(3));
#undef SF8_A512_QUARTER
    __mmask64 special = sf8_a512_special64(k, op, nan_is_neg_zero, x) & live;
    if (SF8_RARE(special != 0))
        code = sf8_a512_patch(loop, x, code, special);
    return code;
}

SF8_TARGET SF8_INLINED void sf8_a512_run(int op, int nan_is_neg_zero, const sf8_arith_plan *plan,
                                         uint8_t *dst, const uint8_t *a, const uint8_t *b,
                                         const uint8_t *c)
{
    sf8_a512_loop loop;
    size_t n = plan->n, i = 0;
    sf8_a512_block x;
    loop.plan = plan;
    loop.specials = 0;
    sf8_a512_set_constants(&loop.k, plan);
    for (; n - i >= 64; i += 64) {
        x.a = _mm512_loadu_si512(a + i);
        x.b = _mm512_loadu_si512(b + i);
        x.c = op == SF8_ARRAY_fma ? _mm512_loadu_si512(c + i) : x.a;
        _mm512_storeu_si512(dst + i, sf8_a512_step(&loop, op, nan_is_neg_zero, ~UINT64_C(0), &x));
    }
    if (i < n) {
        __mmask64 live = (UINT64_C(1) << (n - i)) - 1;
        x.a = _mm512_maskz_loadu_epi8(live, a + i);
        x.b = _mm512_maskz_loadu_epi8(live, b + i);
        x.c = op == SF8_ARRAY_fma ? _mm512_maskz_loadu_epi8(live, c + i) : x.a;
        _mm512_mask_storeu_epi8(dst + i, live, sf8_a512_step(&loop, op, nan_is_neg_zero, live, &x));
    }
}

#define SF8_A512_LOOP(op)                                                                          \
    SF8_TARGET static void sf8_a512_##op(const sf8_arith_plan *plan, uint8_t *dst,                 \
                                         const uint8_t *a, const uint8_t *b, const uint8_t *c)     \
    {                                                                                              \
        if (plan->nan_is_neg_zero)                                                                 \
            sf8_a512_run(SF8_ARRAY_##op, 1, plan, dst, a, b, c);                                   \
        else                                                                                       \
            sf8_a512_run(SF8_ARRAY_##op, 0, plan, dst, a, b, c);                                   \
    }
SF8_A512_LOOP(add)
SF8_A512_LOOP(sub)
SF8_A512_LOOP(mul)
SF8_A512_LOOP(div)
SF8_A512_LOOP(fma)

static void SF8_ARITH(bytes)(const sf8_arith_plan *plan, uint8_t *dst, const uint8_t *a,
                             const uint8_t *b, const uint8_t *c)
{
    static const sf8_arith_loop loops[SF8_ARRAY_fma + 1] = {
        sf8_a512_add, sf8_a512_sub, sf8_a512_mul, sf8_a512_div, sf8_a512_fma};
    (plan->policy.round == SF8_RNE ? loops[plan->op] : sf8_level_avx2()->arith)(plan, dst, a, b, c);
}

#undef SF8_A512_NEAREST
#undef SF8_A512_UP
#undef SF8_A512_DOWN
#undef SF8_A512_LOOP

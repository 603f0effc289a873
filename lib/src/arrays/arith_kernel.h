/* SPDX-License-Identifier: MIT */
/* arith_kernel.h -- arithmetic over arrays of bytes, 32 elements at a step
 *
 * A format with M <= 3 is decoded in words of 16 bits, the upper halves of its values as f32. The
 * magnitude is shifted into place. Then a word is added: the offset of the exponents for normal
 * numbers, an entry of a table for smaller ones. Formats with a greater M are decoded in a function
 * of their own.
 *
 * Here an operation rounds as MXCSR says, so MXCSR is set for the loop and put back, flags
 * included. The loop is called through a pointer, so that nothing of it can be moved out. Where
 * rounding matters the instruction is written out: a compiler assumes that all is rounded to
 * nearest, and with -ffast-math divides by a reciprocal and drops what is negated twice. No
 * operation has a subnormal operand or result.
 *
 * The code: let E be the exponent of the result r, or that of the least normal number if that is
 * greater, and m = 1.5 * 2^(E + 23 - M). The sum r + m is r rounded to a multiple of the quantum
 * 2^(E - M), and its low bits are that multiple as a signed number. The magnitude code is its
 * absolute value plus (E - emin) * 2^M. That is done in words of 16 bits, the rest in bytes.
 *
 * Modes up, down, and mostly nearest even (see sf8_a256_by_odd) are the processor's rounding. The
 * other modes round to odd first. They compute a number rounded down, and rounded up by rounding
 * the negated one down, and take the odd one of the two. They do so for the operation, then for the
 * sum of |r| and an m that keeps two more bits than the code has. From those an integer step
 * rounds.
 */
typedef struct sf8_a256_constants {
    __m256i mag_bytes, code_bytes, sign_bit;
    __m256i to_top;    /* added to a special magnitude it gives at least 80, else less */
    __m256i low, high; /* bytes that turn a magnitude in place into half of an f32; the last one is
                        * for all magnitudes from 15 on */
    __m256i places;    /* multiplies a magnitude at the top of a word; the upper half is in place */
    __m256i least, m;  /* upper halves: of the least normal number's exponent, and of its m */
    __m256i drop;      /* multiplies an exponent in place; the upper half is in the code's place */
    __m256i over[2], beyond;
    __m256i nan;                 /* if one_nan */
    __m256i last, top, exponent; /* the same for all formats; a compiler would build them anew */
    __m128i sign_up;             /* how far a code's sign is from the top of the byte */
    int narrow;                  /* the format has less than 8 bits */
    int over_apart;              /* the codes of an overflow are not the two of one magnitude that
                                  * all higher ones can be lowered to */
    int nan_is_neg_zero;
    int one_nan; /* what is special is that NaN */
    int any;     /* decode with these: */
    __m256i normal, offset, shift;
    __m256 quantum;
} sf8_a256_constants;

/* The tables of a format with at most 8 numbers below the least normal one: for each of them what
 * its f32 has more than the magnitude in place, for others the offset of the exponents. */
SF8_TARGET static inline void sf8_a256_set_tables(sf8_a256_constants *k, sf8_format f)
{
    __m256i mag = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    __m256i offset = _mm256_set1_epi32((127 - f.bias) << 7);
    __m256i bits = _mm256_castps_si256(_mm256_cvtepi32_ps(mag));
    bits = _mm256_add_epi32(bits, _mm256_set1_epi32((sf8_format_emin(f) - f.man_bits) * (1 << 23)));
    bits = _mm256_srli_epi32(bits, 16);
    bits = _mm256_sub_epi32(bits, _mm256_sll_epi32(mag, _mm_cvtsi32_si128(7 - f.man_bits)));
    bits = _mm256_blendv_epi8(bits, offset, _mm256_cmpgt_epi32(mag, k->normal));
    bits = _mm256_andnot_si256(_mm256_cmpeq_epi32(mag, _mm256_setzero_si256()), bits);
    __m256i words = _mm256_permute4x64_epi64(_mm256_packus_epi32(bits, offset), 0xd8);
    __m128i first = _mm256_castsi256_si128(words), last = _mm256_extracti128_si256(words, 1);
    __m128i byte = _mm_set1_epi16(255);
    k->low = _mm256_broadcastsi128_si256(
        _mm_packus_epi16(_mm_and_si128(first, byte), _mm_and_si128(last, byte)));
    k->high = _mm256_broadcastsi128_si256(
        _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(last, 8)));
}

SF8_TARGET static inline void sf8_a256_set_constants(sf8_a256_constants *k,
                                                     const sf8_arith_plan *plan, int odd)
{
    sf8_format f = plan->f;
    int32_t field = sf8_format_emin(f) + 127, up = 23 - f.man_bits - (odd ? 2 : 0);
    k->mag_bytes = _mm256_set1_epi8((char)plan->mag_mask);
    k->code_bytes = _mm256_set1_epi8((char)(plan->mag_mask | plan->sign_bit));
    k->sign_bit = _mm256_set1_epi8((char)plan->sign_bit);
    k->to_top = _mm256_set1_epi8((char)(0x7f - plan->max));
    k->places = _mm256_set1_epi16((short)(1 << (15 - f.man_bits)));
    k->least = _mm256_set1_epi16((short)(field << 7));
    k->m = _mm256_set1_epi16((short)((field + up) << 7 | 1 << 6));
    k->drop = _mm256_set1_epi16((short)(1 << (9 + f.man_bits)));
    k->over[0] = _mm256_set1_epi8((char)plan->over[0]);
    k->over[1] = _mm256_set1_epi8((char)plan->over[1]);
    k->beyond = _mm256_set1_epi8((char)(plan->max + 1));
    k->last = _mm256_set1_epi8(15);
    k->top = _mm256_set1_epi8(-128);
    k->exponent = _mm256_set1_epi16(0x7f80);
    k->sign_up = _mm_cvtsi32_si128(7 - sf8_format_mag_bits(f));
    k->narrow = sf8_format_bits(f) < 8;
    k->over_apart = plan->over[1] != (plan->over[0] | plan->sign_bit) ||
                    (plan->over[0] != plan->max && plan->over[0] != plan->max + 1);
    k->nan_is_neg_zero = plan->nan_is_neg_zero;
    k->one_nan = plan->one_nan >= 0;
    k->nan = _mm256_set1_epi8((char)plan->one_nan);
    k->any = f.man_bits > 3;
    k->normal = _mm256_set1_epi32((1 << f.man_bits) - 1);
    k->offset = _mm256_set1_epi32((127 - f.bias) << 23);
    k->shift = _mm256_set1_epi32(23 - f.man_bits);
    k->quantum = _mm256_castsi256_ps(_mm256_set1_epi32((field - f.man_bits) << 23));
    if (!k->any)
        sf8_a256_set_tables(k, f);
}

/* ---- operations that round ------------------------------------------------------------------- */

#define SF8_A256_ROUNDED(name, instruction)                                                        \
    SF8_TARGET SF8_INLINED __m256 sf8_a256_##name(__m256 a, __m256 b)                              \
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
SF8_TARGET SF8_INLINED __m256 sf8_a256_fma(__m256 a, __m256 b, __m256 c)
{
    __asm__("vfmadd213ps {%2, %1, %0|%0, %1, %2}" : "+x"(a) : "x"(b), "x"(c));
    return a;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* 32 values in the order that splitting into words, and those into even and odd ones, gives. The
 * packing at the end undoes it. */
typedef struct sf8_a256_values {
    __m256 of[4];
} sf8_a256_values;

/* From words in the order of unpacking, lower and upper ones. */
SF8_TARGET SF8_INLINED sf8_a256_values sf8_a256_split(__m256i low, __m256i high)
{
    sf8_a256_values r;
    r.of[0] = _mm256_castsi256_ps(_mm256_slli_epi32(low, 16));
    r.of[1] = _mm256_castsi256_ps(_mm256_and_si256(low, _mm256_set1_epi32(-65536)));
    r.of[2] = _mm256_castsi256_ps(_mm256_slli_epi32(high, 16));
    r.of[3] = _mm256_castsi256_ps(_mm256_and_si256(high, _mm256_set1_epi32(-65536)));
    return r;
}

/* Any format: normal numbers by putting the magnitude in place, others as small integers times the
 * quantum. The argument has the codes in the upper bytes of its halves. */
SF8_TARGET SF8_INLINED __m256 sf8_a256_decode8(const sf8_a256_constants *k, __m256 x)
{
    __m256i code = _mm256_srli_epi32(_mm256_castps_si256(x), 24);
    __m256i mag = _mm256_and_si256(code, _mm256_srli_epi32(k->mag_bytes, 24));
    __m256i bits = _mm256_add_epi32(_mm256_sllv_epi32(mag, k->shift), k->offset);
    __m256 small = _mm256_mul_ps(_mm256_cvtepi32_ps(mag), k->quantum);
    __m256i is_normal = _mm256_cmpgt_epi32(mag, k->normal);
    __m256 value = _mm256_blendv_ps(small, _mm256_castsi256_ps(bits),
                                    _mm256_castsi256_ps(is_normal));
    __m256i sign = _mm256_sll_epi32(_mm256_castps_si256(x), k->sign_up);
    sign = _mm256_and_si256(sign, _mm256_set1_epi32(INT32_MIN));
    return _mm256_or_ps(value, _mm256_castsi256_ps(sign));
}

SF8_TARGET static SF8_NOINLINE sf8_a256_values sf8_a256_decode_any(const sf8_a256_constants *k,
                                                                   __m256i code)
{
    __m256i zero = _mm256_setzero_si256();
    sf8_a256_values r = sf8_a256_split(_mm256_unpacklo_epi8(zero, code),
                                       _mm256_unpackhi_epi8(zero, code));
    for (int i = 0; i < 4; i++)
        r.of[i] = sf8_a256_decode8(k, r.of[i]);
    return r;
}

/* The signs are the highest bits of the bytes `sign`, or all values are positive. If k->any, the
 * signs are those of the codes. */
SF8_TARGET SF8_INLINED sf8_a256_values sf8_a256_decode32(const sf8_a256_constants *k, __m256i code,
                                                         __m256i sign, int has_sign)
{
    if (SF8_RARE(k->any))
        return sf8_a256_decode_any(k, code);
    __m256i zero = _mm256_setzero_si256();
    __m256i mag = _mm256_and_si256(code, k->mag_bytes);
    __m256i index = _mm256_min_epu8(mag, k->last);
    __m256i low = _mm256_shuffle_epi8(k->low, index);
    __m256i high = _mm256_shuffle_epi8(k->high, index);
    if (has_sign)
        high = _mm256_or_si256(high, _mm256_and_si256(sign, k->top));
    __m256i w0 = _mm256_mulhi_epu16(_mm256_unpacklo_epi8(zero, mag), k->places);
    __m256i w1 = _mm256_mulhi_epu16(_mm256_unpackhi_epi8(zero, mag), k->places);
    return sf8_a256_split(_mm256_add_epi16(w0, _mm256_unpacklo_epi8(low, high)),
                          _mm256_add_epi16(w1, _mm256_unpackhi_epi8(low, high)));
}

/* ---- operating ------------------------------------------------------------------------------- */

/* Of a number rounded down and up the odd one, or the second if they are equal. */
SF8_TARGET SF8_INLINED __m256 sf8_a256_odd8(__m256 down, __m256 up)
{
    __m256i odd = _mm256_slli_epi32(_mm256_castps_si256(down), 31);
    return _mm256_blendv_ps(up, down, _mm256_castsi256_ps(odd));
}

SF8_TARGET SF8_INLINED __m256 sf8_a256_negated(__m256 x)
{
    return _mm256_xor_ps(x, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MIN)));
}

SF8_TARGET SF8_INLINED __m256 sf8_a256_once8(int op, __m256 a, __m256 b, __m256 c)
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

SF8_TARGET SF8_INLINED __m256 sf8_a256_operate8(int op, int odd, __m256 a, __m256 b, __m256 c)
{
    __m256 down = sf8_a256_once8(op, a, b, c);
    if (!odd || op == SF8_ARRAY_mul)
        return down;
    __m256 other = op == SF8_ARRAY_add || op == SF8_ARRAY_sub ? sf8_a256_negated(b) : b;
    __m256 up = sf8_a256_once8(op, sf8_a256_negated(a), other, sf8_a256_negated(c));
    return sf8_a256_odd8(down, sf8_a256_negated(up));
}

/* ---- encoding -------------------------------------------------------------------------------- */

/* From the magnitudes in quarters, rounded to odd. */
SF8_TARGET SF8_INLINED __m256i sf8_a256_quarters16(uint32_t round, __m256i q)
{
    __m256i whole = _mm256_srli_epi16(q, 2), one = _mm256_set1_epi16(1);
    if (round == SF8_RZ)
        return whole;
    if (round == SF8_RNA)
        return _mm256_srli_epi16(_mm256_add_epi16(q, _mm256_set1_epi16(2)), 2);
    if (round == SF8_RNE) {
        q = _mm256_add_epi16(_mm256_add_epi16(q, one), _mm256_and_si256(whole, one));
        return _mm256_srli_epi16(q, 2);
    }
    if (round == SF8_RNZ)
        return _mm256_srli_epi16(_mm256_add_epi16(q, one), 2);
    __m256i rest = _mm256_and_si256(q, _mm256_set1_epi16(3));
    return _mm256_or_si256(whole,
                           _mm256_and_si256(_mm256_cmpgt_epi16(rest, _mm256_setzero_si256()), one));
}

/* A number whose low bits are r in units of the last place of m; for `odd`, |r|. */
SF8_TARGET SF8_INLINED __m256i sf8_a256_sum8(int odd, __m256 r, __m256i m)
{
    __m256 y = _mm256_castsi256_ps(m);
    if (!odd)
        return _mm256_castps_si256(sf8_a256_add(r, y));
    __m256 x = _mm256_and_ps(r, _mm256_castsi256_ps(_mm256_set1_epi32(INT32_MAX)));
    __m256 up = sf8_a256_sub(sf8_a256_negated(x), y);
    return _mm256_castps_si256(sf8_a256_odd8(sf8_a256_add(x, y), sf8_a256_negated(up)));
}

/* The magnitude codes of the results in even and in odd words, as words. `upper` has their upper
 * halves. None is above 32767. */
SF8_TARGET SF8_INLINED __m256i sf8_a256_encode16(const sf8_a256_constants *k, int odd,
                                                 uint32_t round, __m256i upper, __m256 even,
                                                 __m256 odd_ones)
{
    __m256i e = _mm256_and_si256(upper, k->exponent);
    __m256i above = _mm256_subs_epu16(e, k->least); /* E - emin, in the place of the exponent */
    __m256i m = _mm256_add_epi16(above, k->m);
    __m256i s0 = sf8_a256_sum8(odd, even, _mm256_slli_epi32(m, 16));
    __m256i s1 = sf8_a256_sum8(odd, odd_ones, _mm256_and_si256(m, _mm256_set1_epi32(-65536)));
    __m256i q = _mm256_blend_epi16(s0, _mm256_slli_epi32(s1, 16), 0xaa);
    q = odd ? sf8_a256_quarters16(round, q) : _mm256_sign_epi16(q, upper);
    return _mm256_add_epi16(q, _mm256_mulhi_epu16(above, k->drop));
}

SF8_TARGET SF8_INLINED __m256i sf8_a256_uppers(__m256 even, __m256 odd_ones)
{
    return _mm256_blend_epi16(_mm256_srli_epi32(_mm256_castps_si256(even), 16),
                              _mm256_castps_si256(odd_ones), 0xaa);
}

/* Codes of 32 results. */
SF8_TARGET SF8_INLINED __m256i sf8_a256_encode32(const sf8_a256_constants *k, int odd,
                                                 uint32_t round, const sf8_a256_values *r)
{
    __m256i upper0 = sf8_a256_uppers(r->of[0], r->of[1]);
    __m256i upper1 = sf8_a256_uppers(r->of[2], r->of[3]);
    __m256i code = _mm256_packus_epi16(
        sf8_a256_encode16(k, odd, round, upper0, r->of[0], r->of[1]),
        sf8_a256_encode16(k, odd, round, upper1, r->of[2], r->of[3]));
    __m256i zero = _mm256_setzero_si256();
    __m256i sign = _mm256_cmpgt_epi8(zero, _mm256_packs_epi16(upper0, upper1));
    __m256i shown = _mm256_and_si256(sign, k->sign_bit);
    if (k->nan_is_neg_zero)
        shown = _mm256_andnot_si256(_mm256_cmpeq_epi8(code, zero), shown);
    if (SF8_RARE(k->over_apart)) {
        __m256i over = _mm256_cmpeq_epi8(_mm256_max_epu8(code, k->beyond), code);
        return _mm256_blendv_epi8(_mm256_or_si256(code, shown),
                                  _mm256_blendv_epi8(k->over[0], k->over[1], sign), over);
    }
    return _mm256_or_si256(_mm256_min_epu8(code, k->over[0]), shown);
}

/* ---- special elements ------------------------------------------------------------------------ */

/* The codes of 32 elements. */
typedef struct sf8_a256_block {
    __m256i of[3];
} sf8_a256_block;

/* Which of 32 elements are special: the highest bits of bytes. */
SF8_TARGET SF8_INLINED __m256i sf8_a256_special32(const sf8_a256_constants *k, int op,
                                                  const sf8_a256_block *x)
{
    __m256i b = _mm256_and_si256(x->of[1], k->mag_bytes);
    __m256i most = _mm256_max_epu8(_mm256_and_si256(x->of[0], k->mag_bytes), b);
    if (op == SF8_ARRAY_fma)
        most = _mm256_max_epu8(most, _mm256_and_si256(x->of[2], k->mag_bytes));
    __m256i special = _mm256_add_epi8(most, k->to_top);
    if (op == SF8_ARRAY_div) { /* by zero, or 0 / 0 */
        __m256i zero = _mm256_cmpeq_epi8(k->one_nan ? most : b, _mm256_setzero_si256());
        special = _mm256_or_si256(special, zero);
    }
    for (int i = 0; k->nan_is_neg_zero && i < (op == SF8_ARRAY_fma ? 3 : 2); i++) {
        __m256i code = _mm256_and_si256(x->of[i], k->code_bytes);
        special = _mm256_or_si256(special, _mm256_cmpeq_epi8(code, k->sign_bit));
    }
    return special;
}

/* The arrays of the operands; c is a where an operation has two. */
typedef struct sf8_a256_operands {
    const uint8_t *a, *b, *c;
} sf8_a256_operands;

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

/* The codes of the 32 elements from i on with the results of the special ones. */
SF8_TARGET static SF8_NOINLINE __m256i sf8_a256_patched(sf8_a256_loop *loop,
                                                        const sf8_a256_operands *from, size_t at,
                                                        __m256i code, uint32_t special)
{
    const sf8_arith_plan *plan = loop->plan;
    uint8_t out[32];
    _mm256_storeu_si256((__m256i *)(void *)out, code);
    if (loop->specials >= 0) {
        loop->specials += __builtin_popcount(special);
        if (loop->specials > SF8_ARITH_FEW) {
            sf8_arith_fill(plan, &loop->table);
            loop->specials = -1;
        }
    }
    for (; special != 0; special &= special - 1) {
        size_t i = (size_t)__builtin_ctz(special);
        uint8_t a = from->a[at + i], b = from->b[at + i], c = from->c[at + i];
        out[i] = loop->specials < 0
                     ? sf8_a256_special(&loop->table, plan->op, a, b, c)
                     : (uint8_t)sf8_array_one(plan->op, plan->f, a, b, c, plan->policy);
    }
    return _mm256_loadu_si256((const __m256i *)(const void *)out);
}

/* The codes, with what is special among those that are `live`. */
SF8_TARGET SF8_INLINED __m256i sf8_a256_finished(sf8_a256_loop *loop, const sf8_a256_operands *from,
                                                 size_t at, __m256i code, __m256i special,
                                                 uint32_t live)
{
    if (loop->k.one_nan)
        return _mm256_blendv_epi8(code, loop->k.nan, special);
    uint32_t which = (uint32_t)_mm256_movemask_epi8(special) & live;
    return SF8_RARE(which != 0) ? sf8_a256_patched(loop, from, at, code, which) : code;
}

/* ---- the loops ------------------------------------------------------------------------------- */

SF8_TARGET SF8_INLINED sf8_a256_block sf8_a256_load(const sf8_a256_operands *from, size_t i)
{
    sf8_a256_block x;
    x.of[0] = _mm256_loadu_si256((const __m256i *)(const void *)(from->a + i));
    x.of[1] = _mm256_loadu_si256((const __m256i *)(const void *)(from->b + i));
    x.of[2] = _mm256_loadu_si256((const __m256i *)(const void *)(from->c + i));
    return x;
}

/* The results of 32 elements. In products and divisions a has both signs. */
SF8_TARGET SF8_INLINED sf8_a256_values sf8_a256_results32(const sf8_a256_constants *k, int op,
                                                          int odd, const sf8_a256_block *x)
{
    int sum = op == SF8_ARRAY_add || op == SF8_ARRAY_sub;
    __m256i sign_a = sum ? x->of[0] : _mm256_xor_si256(x->of[0], x->of[1]);
    __m256i sign_b = x->of[1], sign_c = x->of[2];
    if (SF8_RARE(k->narrow)) {
        sign_a = _mm256_sll_epi16(sign_a, k->sign_up);
        sign_b = _mm256_sll_epi16(sign_b, k->sign_up);
        sign_c = _mm256_sll_epi16(sign_c, k->sign_up);
    }
    sf8_a256_values a = sf8_a256_decode32(k, x->of[0], sign_a, 1);
    sf8_a256_values b = sf8_a256_decode32(k, x->of[1], sign_b, sum), c = a, r;
    if (op == SF8_ARRAY_fma)
        c = sf8_a256_decode32(k, x->of[2], sign_c, 1);
    r.of[0] = sf8_a256_operate8(op, odd, a.of[0], b.of[0], c.of[0]);
    r.of[1] = sf8_a256_operate8(op, odd, a.of[1], b.of[1], c.of[1]);
    r.of[2] = sf8_a256_operate8(op, odd, a.of[2], b.of[2], c.of[2]);
    r.of[3] = sf8_a256_operate8(op, odd, a.of[3], b.of[3], c.of[3]);
    return r;
}

/* Goes through `count` elements, a multiple of 32 and not 0. Those that are not `live` are not
 * special. The results of a step are computed before the codes of the previous one. The two do not
 * depend on each other, so the processor can overlap them. */
SF8_TARGET SF8_INLINED void sf8_a256_steps(sf8_a256_loop *loop, int op, int odd, uint32_t live,
                                           uint8_t *dst, const sf8_a256_operands *from,
                                           size_t count)
{
    const sf8_a256_constants *k = &loop->k;
    sf8_a256_block x = sf8_a256_load(from, 0);
    sf8_a256_values r = sf8_a256_results32(k, op, odd, &x);
    __m256i special = sf8_a256_special32(k, op, &x);
    for (size_t i = 0; i < count; i += 32) {
        x = sf8_a256_load(from, i + 32 < count ? i + 32 : i);
        sf8_a256_values next = sf8_a256_results32(k, op, odd, &x);
        __m256i next_special = sf8_a256_special32(k, op, &x);
        __m256i code = sf8_a256_encode32(k, odd, loop->plan->policy.round, &r);
        code = sf8_a256_finished(loop, from, i, code, special, live);
        _mm256_storeu_si256((__m256i *)(void *)(dst + i), code);
        r = next;
        special = next_special;
    }
}

/* The steps run twice, so that they are compiled once: over whole steps, and over what is less than
 * one, in memory of our own. */
SF8_TARGET SF8_INLINED void sf8_a256_run(int op, int odd, const sf8_arith_plan *plan, uint8_t *dst,
                                         const uint8_t *a, const uint8_t *b, const uint8_t *c)
{
    sf8_a256_loop loop;
    sf8_a256_operands from = {a, b, op == SF8_ARRAY_fma ? c : a};
    uint8_t last[4][32], *to = dst;
    size_t rest = plan->n % 32, whole = plan->n - rest, count = whole;
    uint32_t live = UINT32_MAX;
    loop.plan = plan;
    loop.specials = 0;
    sf8_a256_set_constants(&loop.k, plan, odd);
    for (;;) {
        if (count != 0)
            sf8_a256_steps(&loop, op, odd, live, to, &from, count);
        if (rest == 0 || to != dst)
            break;
        memset(last, 0, sizeof last);
        memcpy(last[0], from.a + whole, rest);
        memcpy(last[1], from.b + whole, rest);
        memcpy(last[2], from.c + whole, rest);
        from.a = last[0];
        from.b = last[1];
        from.c = last[2];
        to = last[3];
        live = (1u << rest) - 1;
        count = 32;
    }
    if (rest != 0)
        memcpy(dst + whole, to, rest);
}

#define SF8_A256_LOOP(op, odd)                                                                     \
    SF8_TARGET static void sf8_a256_##op##_##odd(const sf8_arith_plan *plan, uint8_t *dst,         \
                                                 const uint8_t *a, const uint8_t *b,               \
                                                 const uint8_t *c)                                 \
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

/* Returns 1 if results are first rounded to odd. To nearest, f32 rounds products not at all, and
 * sums and divisions harmlessly (see sf8_arith_can). A fused product and sum, p + c, with s for the
 * exact result and P for the bits of a significand:
 *
 * Where |s| >= 2^(emax + 2), s overflows, and so does s rounded to f32. Otherwise the last place of
 * s in f32 is at most 2^(emax - 22). If the quantum of the format, 2^(emin - M), is not below
 * that, c is a multiple of the last place, so only p can make s inexact. Then |p|, which is below
 * 2^(2P) times its own last place, is below 2^(2P - 23) |s|, which is at most 2^-11 |s|. So s lies
 * next to c. c is a number of the format, and a midpoint differs from it by at least
 * 2^(-P - 1) |c|, which is at least 2^-7 |c|. Both s and s rounded to f32 round to c.
 *
 * In formats with more exponents p may be a midpoint, and c below what f32 keeps. */
static int sf8_a256_by_odd(sf8_format f, sf8_array_op op, uint32_t round)
{
    if (round == SF8_RNE)
        return op == SF8_ARRAY_fma && sf8_format_emax(f) - 22 > sf8_format_emin(f) - f.man_bits;
    return round == SF8_RNA || round == SF8_RZ || round == SF8_RNZ || round == SF8_RO;
}

static void SF8_ARITH(bytes)(const sf8_arith_plan *plan, uint8_t *dst, const uint8_t *a,
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
    int odd = sf8_a256_by_odd(plan->f, plan->op, round);
    unsigned control = 0x1f80; /* to nearest, no exception traps, subnormal numbers as they are */
    if (round == SF8_RD || odd)
        control |= 0x2000;
    else if (round == SF8_RU)
        control |= 0x4000;
    sf8_arith_loop volatile loop = loops[plan->op][odd];
    unsigned before = _mm_getcsr();
    _mm_setcsr(control);
    loop(plan, dst, a, b, c);
    _mm_setcsr(before);
}

#undef SF8_A256_LOOP
#undef SF8_A256_LOOPS
#undef SF8_A256_ROW

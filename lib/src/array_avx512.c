/* SPDX-License-Identifier: MIT */
/* array_avx512.c -- the kernels for AVX-512 with VBMI
 *
 * Rounding is one addition of floats: to |x|, clamped, is added the power of two m whose last place
 * is the target's last place at x, so that the sum is rounded where the code ends, and its low bits
 * are the significand. The exponents of m are bounded from below by the target's smallest, which
 * makes subnormals. As m is the power of two of x times a constant, it is a multiply-add. The
 * instruction names its rounding and raises no flag. Numbers below 2^-126, which DAZ would read as
 * zero, are as good as zero to nearest, and as 2^-126 in the modes that tell them from zero.
 */
#include "array.h"

#if SF8_HAS_X86

#include <immintrin.h>
#include <string.h>

#define SF8_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,f16c")))
#define SF8_512 SF8_TARGET static inline __attribute__((always_inline))

/* ---- encode ---------------------------------------------------------------------------------- */

typedef struct sf8_wide_plan {
    __m512i magnitude, clamp, exponent, least, special, special_word, bare, shift;
    __m512i special_positive, special_negative, sign;
    __m512i low, high; /* the places of bytes 0 and 3 */
    __m512 magic;
} sf8_wide_plan;

/* The places of byte `byte` of each of the 32 words of two registers, in the lower half. */
SF8_512 __m512i sf8_512_places(int32_t byte)
{
    const __m512i words = _mm512_set_epi64(0, 0, 0, 0, 0x7c7874706c686460, 0x5c5854504c484440,
                                           0x3c3834302c282420, 0x1c1814100c080400);
    return _mm512_add_epi8(words, _mm512_set1_epi8((char)byte));
}

SF8_512 sf8_wide_plan sf8_512_plan(const sf8_plan *p)
{
    sf8_wide_plan w;
    int32_t drop = 23 - p->man_bits;
    /* what the code of the smallest normal number begins with, taken off in the sum */
    int32_t code_base = (int32_t)(0u - ((uint32_t)p->least << p->man_bits)) & 255;
    w.magnitude = _mm512_set1_epi32(0x7fffffff);
    w.exponent = _mm512_set1_epi32(0x7f800000);
    w.clamp = _mm512_set1_epi32(p->clamp);
    w.least = _mm512_set1_epi32(p->least << 23);
    w.magic = _mm512_castsi512_ps(_mm512_set1_epi32(((127 + drop) << 23) + code_base));
    w.special = _mm512_set1_epi32(p->special);
    w.special_word = _mm512_set1_epi32(p->special_word);
    w.bare = _mm512_set1_epi8((char)p->bare);
    w.special_positive = _mm512_set1_epi8((char)p->special_code);
    w.special_negative = _mm512_set1_epi8((char)(p->special_code | p->special_sign));
    w.sign = _mm512_set1_epi8((char)p->sign);
    w.low = sf8_512_places(0);
    w.high = sf8_512_places(3);
    w.shift = _mm512_set1_epi32(drop);
    return w;
}

SF8_512 __m512i sf8_512_pack(__m512i places, __m512i a, __m512i b, __m512i c, __m512i d)
{
    __m512i first = _mm512_permutex2var_epi8(a, places, b);
    __m512i second = _mm512_permutex2var_epi8(c, places, d);
    return _mm512_inserti64x4(first, _mm512_castsi512_si256(second), 1);
}

/* The low byte of each lane is the magnitude of the code. */
SF8_512 __m512i sf8_512_codes(const sf8_wide_plan *w, __m512i magnitude, int32_t shortcut)
{
    __m512i a = _mm512_min_epu32(magnitude, w->clamp);
    if (shortcut == SF8_BY_WORD) {
        __mmask16 ordinary = _mm512_cmple_epi32_mask(magnitude, w->special);
        a = _mm512_mask_min_epu32(w->special_word, ordinary, magnitude, w->clamp);
    }
    __m512i field = _mm512_max_epu32(_mm512_and_si512(a, w->exponent), w->least);
    __m512 sum = _mm512_fmadd_round_ps(_mm512_castsi512_ps(field), w->magic, _mm512_castsi512_ps(a),
                                       _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
    return _mm512_add_epi32(_mm512_castps_si512(sum), _mm512_srlv_epi32(field, w->shift));
}

SF8_512 __mmask64 sf8_512_above(__m512i bound, __m512i a, __m512i b, __m512i c, __m512i d)
{
    __mmask32 low = _mm512_kunpackw(_mm512_cmpgt_epi32_mask(b, bound),
                                    _mm512_cmpgt_epi32_mask(a, bound));
    __mmask32 high = _mm512_kunpackw(_mm512_cmpgt_epi32_mask(d, bound),
                                     _mm512_cmpgt_epi32_mask(c, bound));
    return _mm512_kunpackd(high, low);
}

/* 64 codes from the words of f32. */
SF8_512 __m512i sf8_512_step(const sf8_wide_plan *w, int32_t shortcut, const __m512i x[4])
{
    __m512i a = _mm512_and_si512(x[0], w->magnitude), b = _mm512_and_si512(x[1], w->magnitude);
    __m512i c = _mm512_and_si512(x[2], w->magnitude), d = _mm512_and_si512(x[3], w->magnitude);
    __m512i codes = sf8_512_pack(w->low, sf8_512_codes(w, a, shortcut),
                                 sf8_512_codes(w, b, shortcut), sf8_512_codes(w, c, shortcut),
                                 sf8_512_codes(w, d, shortcut));
    __mmask64 negative = _mm512_movepi8_mask(sf8_512_pack(w->high, x[0], x[1], x[2], x[3]));
    if (shortcut) {
        __mmask64 changes = _mm512_mask_cmpneq_epi8_mask(negative, codes, w->bare);
        return _mm512_mask_add_epi8(codes, changes, codes, w->sign);
    }
    codes = _mm512_mask_add_epi8(codes, negative, codes, w->sign);
    __m512i other = _mm512_mask_mov_epi8(w->special_positive, negative, w->special_negative);
    return _mm512_mask_mov_epi8(codes, sf8_512_above(w->special, a, b, c, d), other);
}

SF8_512 __m512i sf8_512_load(const unsigned char *src, size_t at, int32_t source, uint64_t mask)
{
    __mmask16 m = (__mmask16)mask;
    at = m ? at : 0; /* lanes left out are slow where they lie in a page that is not there */
    if (source == SF8_SOURCE_F32)
        return _mm512_maskz_loadu_epi32(m, src + 4 * at);
    __m256i half = _mm256_maskz_loadu_epi16(m, src + 2 * at);
    if (source == SF8_SOURCE_BF16)
        return _mm512_slli_epi32(_mm512_cvtepu16_epi32(half), 16);
    return _mm512_castps_si512(_mm512_cvt_roundph_ps(half, _MM_FROUND_NO_EXC));
}

/* `count` codes, at most 64. */
SF8_512 void sf8_512_some(const sf8_wide_plan *w, int32_t shortcut, int32_t source, uint8_t *dst,
                          const unsigned char *src, size_t count)
{
    uint64_t mask = UINT64_MAX >> (64 - count);
    __m512i x[4];
    for (size_t i = 0; i < 4; i++)
        x[i] = sf8_512_load(src, 16 * i, source, mask >> 16 * i);
    _mm512_mask_storeu_epi8(dst, mask, sf8_512_step(w, shortcut, x));
}

SF8_512 size_t sf8_512_loop(const sf8_wide_plan *w, int32_t shortcut, int32_t source, uint8_t *dst,
                            const unsigned char *src, size_t n, int32_t ahead, int32_t stream)
{
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2, i = 0;
    for (; n - i >= 64; i += 64) {
        if (ahead)
            for (size_t line = 0; line < 64 * width; line += 64)
                _mm_prefetch((const char *)((uintptr_t)(src + i * width) + 2048 + line),
                             _MM_HINT_T0);
        __m512i x[4];
        for (size_t j = 0; j < 4; j++)
            x[j] = sf8_512_load(src, i + 16 * j, source, 0xffff);
        __m512i codes = sf8_512_step(w, shortcut, x);
        if (stream)
            _mm512_stream_si512((__m512i *)(void *)(dst + i), codes);
        else
            _mm512_storeu_si512(dst + i, codes);
    }
    return i;
}

SF8_512 void sf8_512_array(const sf8_plan *plan, int32_t shortcut, int32_t source, uint8_t *dst,
                           const unsigned char *src, size_t n)
{
    const sf8_wide_plan w = sf8_512_plan(plan);
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2, i;
    if (n >= SF8_STREAM_BYTES) {
        size_t head = (0 - (size_t)(uintptr_t)dst) & 63;
        if (head)
            sf8_512_some(&w, shortcut, source, dst, src, head);
        dst += head;
        src += head * width;
        n -= head;
        i = sf8_512_loop(&w, shortcut, source, dst, src, n, 1, 1);
        _mm_sfence();
    } else if (n >= 16384) {
        i = sf8_512_loop(&w, shortcut, source, dst, src, n, 1, 0);
    } else {
        i = sf8_512_loop(&w, shortcut, source, dst, src, n, 0, 0);
    }
    if (i < n)
        sf8_512_some(&w, shortcut, source, dst + i, src + i * width, n - i);
}

SF8_512 void sf8_512_source(const sf8_plan *plan, int32_t shortcut, int32_t source, uint8_t *dst,
                            const unsigned char *src, size_t n)
{
    if (source == SF8_SOURCE_F32)
        sf8_512_array(plan, shortcut, SF8_SOURCE_F32, dst, src, n);
    else if (source == SF8_SOURCE_BF16)
        sf8_512_array(plan, shortcut, SF8_SOURCE_BF16, dst, src, n);
    else
        sf8_512_array(plan, shortcut, SF8_SOURCE_F16, dst, src, n);
}

SF8_TARGET static void sf8_avx512_plain(const sf8_plan *plan, int32_t source, uint8_t *dst,
                                        const unsigned char *src, size_t n)
{
    if (plan->shortcut == SF8_BY_WORD)
        sf8_512_source(plan, SF8_BY_WORD, source, dst, src, n);
    else if (plan->shortcut == SF8_BY_CLAMP)
        sf8_512_source(plan, SF8_BY_CLAMP, source, dst, src, n);
    else
        sf8_512_source(plan, SF8_NO_SHORTCUT, source, dst, src, n);
}

/* ---- encode, any plan ------------------------------------------------------------------------ */

typedef struct sf8_wide_class {
    __m512i above, positive, differs;
} sf8_wide_class;

typedef struct sf8_wide_rules {
    sf8_wide_class over, inf, nan;
    __m512i keep_sign, flush_in, flush_out, top, zero_sign, neg_keep, neg_add, half;
} sf8_wide_rules;

SF8_512 sf8_wide_class sf8_512_class(const sf8_class_codes *c)
{
    sf8_wide_class w = {_mm512_set1_epi32(c->above), _mm512_set1_epi32(c->positive),
                        _mm512_set1_epi32(c->differs)};
    return w;
}

SF8_512 sf8_wide_rules sf8_512_rules(const sf8_plan *p)
{
    sf8_wide_rules w = {sf8_512_class(&p->over),
                        sf8_512_class(&p->inf),
                        sf8_512_class(&p->nan),
                        _mm512_set1_epi32((int32_t)p->keep_sign),
                        _mm512_set1_epi32(p->flush_in),
                        _mm512_set1_epi32(p->flush_out),
                        _mm512_set1_epi32(p->top),
                        _mm512_set1_epi32(p->zero_sign),
                        _mm512_set1_epi32(p->neg_keep),
                        _mm512_set1_epi32(p->neg_add),
                        _mm512_set1_epi32((p->man_bits + 1) << 23)};
    return w;
}

SF8_512 __m512i sf8_512_classed(const sf8_wide_class *c, __m512i magnitude, __m512i negative,
                                __m512i codes)
{
    __mmask16 is = _mm512_cmpgt_epi32_mask(magnitude, c->above);
    __m512i its = _mm512_xor_si512(c->positive, _mm512_and_si512(negative, c->differs));
    return _mm512_mask_mov_epi32(codes, is, its);
}

#define SF8_TO(mode) (_MM_FROUND_TO_##mode | _MM_FROUND_NO_EXC)

/* The sum whose low bits are the significand, and to odd its last bit in `codes`. In the modes that
 * depend on the sign, all has it. */
SF8_512 __m512i sf8_512_rounded(const sf8_wide_plan *w, const sf8_wide_rules *r, __m512i x,
                                __m512i a, int32_t round)
{
    if (round == SF8_RU || round == SF8_RD || round == SF8_RO)
        a = _mm512_mask_max_epu32(a, _mm512_test_epi32_mask(a, a), a,
                                  _mm512_set1_epi32(0x00800000));
    __m512i field = _mm512_max_epu32(_mm512_and_si512(a, w->exponent), w->least);
    __m512 power = _mm512_castsi512_ps(field), number = _mm512_castsi512_ps(a), sum;
    if (round == SF8_RU || round == SF8_RD) {
        __m512i sign = _mm512_andnot_si512(w->magnitude, x);
        power = _mm512_castsi512_ps(_mm512_or_si512(field, sign));
        number = _mm512_castsi512_ps(_mm512_or_si512(a, sign));
    }
    if (round == SF8_RNA) /* half of the last place more, then toward zero */
        number = _mm512_add_round_ps(number, _mm512_castsi512_ps(_mm512_sub_epi32(field, r->half)),
                                     SF8_TO(ZERO));
    switch (round) {
    case SF8_RNE:
        sum = _mm512_fmadd_round_ps(power, w->magic, number, SF8_TO(NEAREST_INT));
        break;
    case SF8_RU:
        sum = _mm512_fmadd_round_ps(power, w->magic, number, SF8_TO(POS_INF));
        break;
    case SF8_RD:
        sum = _mm512_fmadd_round_ps(power, w->magic, number, SF8_TO(NEG_INF));
        break;
    default:
        sum = _mm512_fmadd_round_ps(power, w->magic, number, SF8_TO(ZERO));
        break;
    }
    __m512i codes = _mm512_castps_si512(sum);
    codes = _mm512_add_epi32(codes, _mm512_srlv_epi32(field, w->shift));
    if (round == SF8_RO) {
        __m512 kept = _mm512_fnmadd_round_ps(power, w->magic, sum, SF8_TO(ZERO));
        __mmask16 inexact = _mm512_cmpneq_epi32_mask(_mm512_castps_si512(kept), a);
        codes = _mm512_mask_or_epi32(codes, inexact, codes, _mm512_set1_epi32(1));
    }
    return _mm512_and_si512(codes, _mm512_set1_epi32(255));
}

#undef SF8_TO

SF8_512 __m512i sf8_512_other(const sf8_wide_plan *w, const sf8_wide_rules *r, __m512i x,
                              int32_t round)
{
    x = _mm512_and_si512(x, r->keep_sign);
    __m512i magnitude = _mm512_and_si512(x, w->magnitude), negative = _mm512_srai_epi32(x, 31);
    __mmask16 counts = _mm512_cmpge_epi32_mask(magnitude, r->flush_in);
    __m512i a = _mm512_maskz_min_epu32(counts, magnitude, r->top);
    __m512i codes = sf8_512_rounded(w, r, x, a, round);
    codes = _mm512_maskz_mov_epi32(_mm512_cmpge_epi32_mask(codes, r->flush_out), codes);
    __m512i signs = _mm512_or_si512(codes, r->zero_sign);
    __mmask16 changes = _mm512_mask_test_epi32_mask(_mm512_movepi32_mask(x), signs, signs);
    codes = _mm512_mask_ternarylogic_epi32(codes, changes, r->neg_keep, r->neg_add, 0xea);
    codes = sf8_512_classed(&r->over, magnitude, negative, codes);
    codes = sf8_512_classed(&r->inf, magnitude, negative, codes);
    return sf8_512_classed(&r->nan, magnitude, negative, codes);
}

SF8_512 void sf8_512_other_array(const sf8_plan *plan, int32_t source, int32_t round, uint8_t *dst,
                                 const unsigned char *src, size_t n)
{
    const sf8_wide_plan w = sf8_512_plan(plan);
    const sf8_wide_rules r = sf8_512_rules(plan);
    size_t width = source == SF8_SOURCE_F32 ? 4 : 2;
    for (size_t i = 0; i < n; i += 64) {
        uint64_t mask = n - i < 64 ? UINT64_MAX >> (64 - (n - i)) : UINT64_MAX;
        const unsigned char *from = src + i * width;
        for (size_t line = 0; line < 64 * width; line += 64)
            _mm_prefetch((const char *)((uintptr_t)from + 2048 + line), _MM_HINT_T0);
        __m512i codes[4];
        for (size_t j = 0; j < 4; j++)
            codes[j] = sf8_512_other(&w, &r, sf8_512_load(from, 16 * j, source, mask >> 16 * j),
                                     round);
        _mm512_mask_storeu_epi8(dst + i, mask,
                                sf8_512_pack(w.low, codes[0], codes[1], codes[2], codes[3]));
    }
}

#define SF8_SOURCE(name, source)                                                                   \
    SF8_TARGET static void name(const sf8_plan *plan, uint8_t *dst, const unsigned char *src,      \
                                size_t n)                                                          \
    {                                                                                              \
        switch (plan->round) {                                                                     \
        case SF8_RNE:                                                                              \
            sf8_512_other_array(plan, source, SF8_RNE, dst, src, n);                               \
            break;                                                                                 \
        case SF8_RNA:                                                                              \
            sf8_512_other_array(plan, source, SF8_RNA, dst, src, n);                               \
            break;                                                                                 \
        case SF8_RZ:                                                                               \
            sf8_512_other_array(plan, source, SF8_RZ, dst, src, n);                                \
            break;                                                                                 \
        case SF8_RU:                                                                               \
            sf8_512_other_array(plan, source, SF8_RU, dst, src, n);                                \
            break;                                                                                 \
        case SF8_RD:                                                                               \
            sf8_512_other_array(plan, source, SF8_RD, dst, src, n);                                \
            break;                                                                                 \
        default:                                                                                   \
            sf8_512_other_array(plan, source, SF8_RO, dst, src, n);                                \
            break;                                                                                 \
        }                                                                                          \
    }
SF8_SOURCE(sf8_512_other_f32, SF8_SOURCE_F32)
SF8_SOURCE(sf8_512_other_bf16, SF8_SOURCE_BF16)
SF8_SOURCE(sf8_512_other_f16, SF8_SOURCE_F16)
#undef SF8_SOURCE

static void sf8_avx512_other(const sf8_plan *plan, int32_t source, uint8_t *dst,
                             const unsigned char *src, size_t n)
{
    if (source == SF8_SOURCE_F32)
        sf8_512_other_f32(plan, dst, src, n);
    else if (source == SF8_SOURCE_BF16)
        sf8_512_other_bf16(plan, dst, src, n);
    else
        sf8_512_other_f16(plan, dst, src, n);
}

/* To e8m0, and plans that f32 has no room for. */
static void sf8_avx512_encode(const sf8_plan *plan, int32_t source, uint8_t *dst,
                              const unsigned char *src, size_t n)
{
    sf8_avx2_kernels()->encode(plan, source, dst, src, n);
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* The low and the high bytes of a table of 256 words, 64 to a register. */
typedef struct sf8_wide_table {
    __m512i low[4], high[4];
} sf8_wide_table;

SF8_512 void sf8_512_table(sf8_wide_table *t, const uint16_t *table)
{
    const __m512i even = _mm512_set_epi8(
        126, 124, 122, 120, 118, 116, 114, 112, 110, 108, 106, 104, 102, 100, 98, 96, 94, 92, 90,
        88, 86, 84, 82, 80, 78, 76, 74, 72, 70, 68, 66, 64, 62, 60, 58, 56, 54, 52, 50, 48, 46, 44,
        42, 40, 38, 36, 34, 32, 30, 28, 26, 24, 22, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2, 0);
    const __m512i odd = _mm512_add_epi8(even, _mm512_set1_epi8(1));
    for (size_t i = 0; i < 4; i++) {
        __m512i a = _mm512_loadu_si512(table + 64 * i);
        __m512i b = _mm512_loadu_si512(table + 64 * i + 32);
        t->low[i] = _mm512_permutex2var_epi8(a, even, b);
        t->high[i] = _mm512_permutex2var_epi8(a, odd, b);
    }
}

SF8_512 __m512i sf8_512_look_up(const __m512i *half, __m512i codes, __mmask64 upper)
{
    return _mm512_mask_mov_epi8(_mm512_permutex2var_epi8(half[0], codes, half[1]), upper,
                                _mm512_permutex2var_epi8(half[2], codes, half[3]));
}

/* 64 codes to two registers of 16-bit words or four of 32-bit words. Unpacking works in quarters
 * of a register, so the codes are first put where it takes them from. */
SF8_512 void sf8_512_words(const sf8_wide_table *t, __m512i codes, int32_t widen, __m512i *words)
{
    const __m512i narrow = _mm512_set_epi64(7, 3, 6, 2, 5, 1, 4, 0);
    const __m512i wide = _mm512_set_epi32(15, 11, 7, 3, 14, 10, 6, 2, 13, 9, 5, 1, 12, 8, 4, 0);
    codes = widen ? _mm512_maskz_permutexvar_epi32(0xffff, wide, codes)
                  : _mm512_permutexvar_epi64(narrow, codes);
    __mmask64 upper = _mm512_movepi8_mask(codes);
    __m512i low = sf8_512_look_up(t->low, codes, upper);
    __m512i high = sf8_512_look_up(t->high, codes, upper);
    __m512i first = _mm512_unpacklo_epi8(low, high), second = _mm512_unpackhi_epi8(low, high);
    if (!widen) {
        words[0] = first;
        words[1] = second;
        return;
    }
    const __m512i zero = _mm512_setzero_si512();
    words[0] = _mm512_unpacklo_epi16(zero, first);
    words[1] = _mm512_unpackhi_epi16(zero, first);
    words[2] = _mm512_unpacklo_epi16(zero, second);
    words[3] = _mm512_unpackhi_epi16(zero, second);
}

/* `count` words, at most 64. */
SF8_512 void sf8_512_some_words(const sf8_wide_table *t, int32_t widen, unsigned char *dst,
                                const uint8_t *src, size_t count)
{
    uint64_t mask = UINT64_MAX >> (64 - count);
    __m512i words[4];
    sf8_512_words(t, _mm512_maskz_loadu_epi8(mask, src), widen, words);
    if (widen) {
        for (size_t i = 0; i < 4; i++)
            _mm512_mask_storeu_epi32(dst + 64 * i, (__mmask16)(mask >> 16 * i), words[i]);
    } else {
        for (size_t i = 0; i < 2; i++)
            _mm512_mask_storeu_epi16(dst + 64 * i, (__mmask32)(mask >> 32 * i), words[i]);
    }
}

SF8_512 size_t sf8_512_decode_loop(const sf8_wide_table *t, int32_t widen, unsigned char *dst,
                                   const uint8_t *src, size_t n, int32_t stream)
{
    size_t count = widen ? 4 : 2, i = 0;
    __m512i words[4];
    for (; n - i >= 64; i += 64) {
        sf8_512_words(t, _mm512_loadu_si512(src + i), widen, words);
        for (size_t j = 0; j < count; j++) {
            unsigned char *to = dst + (i * count + 64 * j);
            if (stream)
                _mm512_stream_si512((__m512i *)(void *)to, words[j]);
            else
                _mm512_storeu_si512(to, words[j]);
        }
    }
    return i;
}

SF8_512 void sf8_512_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                            const uint8_t *src, size_t n)
{
    size_t width = widen ? 4 : 2, i;
    sf8_wide_table t;
    sf8_512_table(&t, table);
    /* to stream, a destination has to be aligned in steps of its elements */
    if (n >= SF8_STREAM_BYTES / width && (uintptr_t)dst % width == 0) {
        size_t head = ((0 - (size_t)(uintptr_t)dst) & 63) / width;
        if (head)
            sf8_512_some_words(&t, widen, dst, src, head);
        dst += head * width;
        src += head;
        n -= head;
        i = sf8_512_decode_loop(&t, widen, dst, src, n, 1);
        _mm_sfence();
    } else {
        i = sf8_512_decode_loop(&t, widen, dst, src, n, 0);
    }
    if (i < n)
        sf8_512_some_words(&t, widen, dst + i * width, src + i, n - i);
}

SF8_TARGET static void sf8_avx512_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                                         const uint8_t *src, size_t n)
{
    if (widen)
        sf8_512_decode(table, 1, dst, src, n);
    else
        sf8_512_decode(table, 0, dst, src, n);
}

SF8_PRIVATE const sf8_kernels *sf8_avx512_kernels(void)
{
    static const sf8_kernels kernels = {"avx512", sf8_avx512_encode, sf8_avx512_plain,
                                        sf8_avx512_other, sf8_avx512_decode};
    return &kernels;
}

#undef SF8_512
#undef SF8_TARGET
#endif

/* SPDX-License-Identifier: MIT */
/* avx2.c -- the kernels for AVX2: what lanes.h needs, with eight lanes
 *
 * An addition rounds as MXCSR says and sets flags there. Therefore MXCSR is set for the loop, to
 * the rounding that is needed and without exceptions, and restored. The loops are separate
 * functions, so that the compiler cannot move code out of them.
 */
#include "arrays/narrow.h"

#if SF8_HAS_AVX

#include <immintrin.h>
#include <string.h>

#define SF8_TARGET __attribute__((target("avx2,f16c,fma")))
#define SF8_SHIFTS 1
#define SF8_SR_TOO 0
#define SF8_F16C 1
#define SF8_LEVEL(name) sf8_avx2_##name
#include "arrays/round_kernel.h"
#include "arrays/wide_kernel.h"
#undef SF8_SR_TOO
#undef SF8_LEVEL
#undef SF8_F16C
#undef SF8_SHIFTS

#define SF8_256 SF8_TARGET static inline __attribute__((always_inline))

/* ---- eight words ----------------------------------------------------------------------------- */

SF8_256 __m256i sf8_256_set(int32_t word)
{
    return _mm256_set1_epi32(word);
}

SF8_256 __m256i sf8_256_set_bytes(int32_t byte)
{
    return _mm256_set1_epi8((char)byte);
}

SF8_256 __m256i sf8_256_add(__m256i a, __m256i b)
{
    return _mm256_add_epi32(a, b);
}

SF8_256 __m256i sf8_256_sub(__m256i a, __m256i b)
{
    return _mm256_sub_epi32(a, b);
}

SF8_256 __m256i sf8_256_min(__m256i a, __m256i b)
{
    return _mm256_min_epi32(a, b);
}

SF8_256 __m256i sf8_256_max(__m256i a, __m256i b)
{
    return _mm256_max_epi32(a, b);
}

SF8_256 __m256i sf8_256_above(__m256i a, __m256i b)
{
    return _mm256_cmpgt_epi32(a, b);
}

SF8_256 __m256i sf8_256_select(__m256i mask, __m256i a, __m256i b)
{
    return _mm256_blendv_epi8(b, a, mask);
}

SF8_256 __m256i sf8_256_choose(__m256i mask, __m256i a, __m256i b)
{
    return _mm256_blendv_epi8(b, a, mask);
}

SF8_256 __m256i sf8_256_shift(__m256i a, __m256i distance)
{
    return _mm256_srlv_epi32(a, distance);
}

SF8_256 __m256i sf8_256_raise(__m256i a, __m256i distance)
{
    return _mm256_sllv_epi32(a, distance);
}

SF8_256 __m256i sf8_256_where(__m256i mask, __m256i a)
{
    return mask & a;
}

SF8_256 int32_t sf8_256_has(__m256i mask)
{
    return !_mm256_testz_si256(mask, mask);
}

SF8_256 __m256i sf8_256_fma(__m256i a, __m256i b, __m256i c, int32_t round)
{
    (void)round; /* MXCSR has the rounding */
    return _mm256_castps_si256(
        _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(c)));
}

SF8_256 __m256i sf8_256_rest(__m256i a, __m256i b, __m256i c)
{
    return _mm256_castps_si256(
        _mm256_fnmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), _mm256_castsi256_ps(c)));
}

SF8_256 __m256i sf8_256_plus(__m256i a, __m256i b)
{
    return _mm256_castps_si256(_mm256_add_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b)));
}

SF8_256 __m256i sf8_256_load(const unsigned char *src, size_t at, int32_t source)
{
    if (source == SF8_SOURCE_F32)
        return _mm256_loadu_si256((const __m256i *)(const void *)(src + 4 * at));
    __m128i half = _mm_loadu_si128((const __m128i *)(const void *)(src + 2 * at));
    if (source == SF8_SOURCE_BF16)
        return _mm256_slli_epi32(_mm256_cvtepu16_epi32(half), 16);
    return _mm256_castps_si256(_mm256_cvtph_ps(half));
}

/* ---- 32 bytes, in the order that packing leaves ---------------------------------------------- */

SF8_256 __m256i sf8_256_pack(const __m256i a[4])
{
    const __m256i low = _mm256_set1_epi32(255);
    return _mm256_packus_epi16(_mm256_packus_epi32(a[0] & low, a[1] & low),
                               _mm256_packus_epi32(a[2] & low, a[3] & low));
}

/* Packing with saturation keeps signs and masks. */
SF8_256 __m256i sf8_256_masks(const __m256i a[4])
{
    return _mm256_packs_epi16(_mm256_packs_epi32(a[0], a[1]), _mm256_packs_epi32(a[2], a[3]));
}

SF8_256 __m256i sf8_256_signs(const __m256i a[4])
{
    return _mm256_cmpgt_epi8(_mm256_setzero_si256(), sf8_256_masks(a));
}

SF8_256 __m256i sf8_256_put_where(__m256i mask, __m256i codes, __m256i sign)
{
    return codes | (mask & sign);
}

SF8_256 __m256i sf8_256_unlike(__m256i mask, __m256i a, __m256i b)
{
    return _mm256_andnot_si256(_mm256_cmpeq_epi8(a, b), mask);
}

SF8_256 __m256i sf8_256_at_least(__m256i a, __m256i b)
{
    return _mm256_cmpeq_epi8(_mm256_max_epu8(a, b), a);
}

SF8_256 __m256i sf8_256_in_order(__m256i codes)
{
    return _mm256_permutevar8x32_epi32(codes, _mm256_set_epi32(7, 3, 6, 2, 5, 1, 4, 0));
}

SF8_256 void sf8_256_store(uint8_t *dst, __m256i codes)
{
    _mm256_storeu_si256((__m256i *)(void *)dst, sf8_256_in_order(codes));
}

SF8_256 void sf8_256_stream(uint8_t *dst, __m256i codes)
{
    _mm256_stream_si256((__m256i *)(void *)dst, sf8_256_in_order(codes));
}

SF8_256 void sf8_256_store16(unsigned char *dst, const __m256i codes[4])
{
    for (size_t i = 0; i < 2; i++) {
        __m256i pair = _mm256_packus_epi32(codes[2 * i], codes[2 * i + 1]);
        pair = _mm256_permute4x64_epi64(pair, 0xd8);
        _mm256_storeu_si256((__m256i *)(void *)(dst + 32 * i), pair);
    }
}

SF8_256 void sf8_256_store32(unsigned char *dst, const __m256i codes[4])
{
    for (size_t i = 0; i < 4; i++)
        _mm256_storeu_si256((__m256i *)(void *)(dst + 32 * i), codes[i]);
}

/* ---- blocks: as MXCSR rounds, written out for what a compiler may make of them ------------------
 */

SF8_256 __m256i sf8_256_times(__m256i x, __m256i factor)
{
    __m256i r;
    __asm__(SF8_AVX_TEXT("mul") : "=x"(r) : "x"(factor), "x"(x));
    return r;
}

SF8_256 __m256i sf8_256_over(__m256i x, __m256i divisor, __m256i more)
{
    __m256i r;
    __asm__(SF8_AVX_TEXT("div") : "=x"(r) : "x"(x), "x"(divisor));
    __asm__(SF8_AVX_TEXT("add") : "=x"(r) : "x"(r), "x"(more));
    return r;
}

SF8_256 void sf8_256_store4(uint8_t *dst, __m256i codes)
{
    __m256i pairs = _mm256_maddubs_epi16(sf8_256_in_order(codes), _mm256_set1_epi16(0x1001));
    pairs = _mm256_permute4x64_epi64(_mm256_packus_epi16(pairs, pairs), 8);
    _mm_storeu_si128((__m128i *)(void *)dst, _mm256_castsi256_si128(pairs));
}

#define SF8_LANES(name) sf8_256_##name
#define SF8_LANES_FN SF8_256
#define SF8_LANES_EACH 8
#define SF8_V __m256i
#define SF8_M __m256i
#define SF8_BM __m256i
#include "arrays/lanes.h"
#include "arrays/scaled.h"
#include "arrays/sr.h"
#undef SF8_BM
#undef SF8_M
#undef SF8_V
#undef SF8_LANES_EACH
#undef SF8_LANES_FN
#undef SF8_LANES

/* ---- with MXCSR set -------------------------------------------------------------------------- */

/* Plans that f32 has no space for. */
static void sf8_avx2_encode(const sf8_plan *plan, int32_t source, uint8_t *dst,
                            const unsigned char *src, size_t n)
{
    sf8_portable_kernels()->encode(plan, source, dst, src, n);
}

static void sf8_avx2_plain(const sf8_plan *plan, int32_t source, uint8_t *dst,
                           const unsigned char *src, size_t n)
{
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(SF8_MXCSR_NEAREST);
    sf8_256_plain(plan, source, dst, src, n);
    _mm_setcsr(mxcsr);
}

static void sf8_avx2_other(const sf8_plan *plan, int32_t source, uint8_t *dst,
                           const unsigned char *src, size_t n)
{
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(sf8_mxcsr(plan->round));
    sf8_256_other(plan, source, dst, src, n);
    _mm_setcsr(mxcsr);
}

/* ---- f64 ------------------------------------------------------------------------------------- */

/* As MXCSR rounds; *cut: where that changes a number. Whether it does, the number itself says,
 * widened again. */
SF8_256 __m128 sf8_256_cut(__m256d x, __m256 *cut)
{
    __m128 y = _mm256_cvtpd_ps(x);
    *cut = _mm256_castpd_ps(_mm256_cmp_pd(_mm256_cvtps_pd(y), x, _CMP_NEQ_UQ));
    return y;
}

/* sf8_narrow_half says what is added. */
SF8_256 __m256d sf8_256_away(__m256d x, __m256d half)
{
    const __m256d field = _mm256_castsi256_pd(_mm256_set1_epi64x(SF8_F64_FIELD));
    const __m256d least = _mm256_castsi256_pd(_mm256_set1_epi64x(SF8_F64_LEAST));
    const __m256d sign = _mm256_castsi256_pd(_mm256_set1_epi64x(INT64_MIN));
    __m256d unit = _mm256_max_pd(_mm256_and_pd(x, field), least);
    return _mm256_add_pd(x, _mm256_or_pd(_mm256_mul_pd(unit, half), _mm256_and_pd(x, sign)));
}

/* Eight numbers. To odd: where one is changed, its last bit becomes 1. Else MXCSR has the mode.
 * What is below `bound` is found as an integer, since a compiler may assume that no float is NaN.
 */
SF8_256 __m256i sf8_256_eight(const unsigned char *src, __m256i bound, int32_t round, __m256d half)
{
    const __m256i magnitude = _mm256_set1_epi64x(INT64_MAX);
    __m128 y[2];
    __m256 cut[2];
    for (int32_t i = 0; i < 2; i++) {
        __m256i bits = _mm256_loadu_si256((const __m256i *)(const void *)(src + 32 * i));
        __m256i below = _mm256_cmpgt_epi64(bound, _mm256_and_si256(bits, magnitude));
        bits = _mm256_andnot_si256(_mm256_and_si256(below, magnitude), bits);
        __m256d x = _mm256_castsi256_pd(bits);
        if (round == SF8_RNA)
            x = sf8_256_away(x, half);
        y[i] = sf8_256_cut(x, &cut[i]);
    }
    __m256i word = _mm256_castps_si256(_mm256_set_m128(y[1], y[0]));
    if (round == SF8_RO) {
        __m256i odd = _mm256_castps_si256(_mm256_shuffle_ps(cut[0], cut[1], 0x88));
        odd = _mm256_srli_epi32(_mm256_permute4x64_epi64(odd, 0xd8), 31);
        word = _mm256_or_si256(word, odd);
    }
    return word;
}

/* The same as SF8_NARROW_FAR, from the upper halves. A lower half that is not 0 sets the last bit,
 * so that 21 bits of the significand are left. The exponent loses the difference of the biases,
 * 896, and is kept within f32's. What is infinite or NaN loses 1792, which gives less than that in
 * any number. */
SF8_256 __m256i sf8_256_eight_far(const unsigned char *src, __m256i bound, __m256i *most)
{
    enum { ONE = 1 << 20, LARGEST = 255 * ONE - 1 };
    const __m256 *from = (const __m256 *)(const void *)src;
    __m256 a = _mm256_loadu_ps((const float *)from), b = _mm256_loadu_ps((const float *)(from + 1));
    __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
    __m256i x = (high & sf8_256_set(INT32_MAX)) | _mm256_min_epu32(low, sf8_256_set(1));
    *most = sf8_256_max(*most, x);
    __m256i word = sf8_256_max(sf8_256_sub(x, sf8_256_set(896 * ONE)), sf8_256_set(ONE));
    word = sf8_256_min(word, sf8_256_set(LARGEST));
    word = sf8_256_max(word, sf8_256_sub(x, sf8_256_set(1792 * ONE)));
    word = _mm256_andnot_si256(sf8_256_above(bound, x), word);
    word = _mm256_slli_epi32(word, 3) | (high & sf8_256_set(INT32_MIN));
    return _mm256_permute4x64_epi64(word, 0xd8);
}

/* The constants of a loop, and the largest magnitude so far, for SF8_NARROW_FAR of an upper half.
 */
typedef struct sf8_256_narrowing {
    int32_t round;
    __m256i bound, most;
    __m256d half;
} sf8_256_narrowing;

SF8_256 void sf8_256_narrow_step(sf8_256_narrowing *w, unsigned char *dst, const unsigned char *src)
{
    __m256i word;
    if (w->round == SF8_NARROW_FAR) {
        word = sf8_256_eight_far(src, w->bound, &w->most);
    } else {
        word = sf8_256_eight(src, w->bound, w->round, w->half);
        w->most = sf8_256_max(w->most, word & sf8_256_set(INT32_MAX));
    }
    _mm256_storeu_si256((__m256i *)(void *)dst, word);
}

SF8_256 int32_t sf8_256_narrowed(unsigned char *dst, const unsigned char *src, size_t n,
                                 int32_t least, int32_t round, double half)
{
    sf8_256_narrowing w = {round, _mm256_set1_epi64x((long long)least << 32),
                           _mm256_setzero_si256(), _mm256_set1_pd(half)};
    int32_t largest = SF8_F32_LARGEST;
    unsigned char last[64] = {0}, words[32];
    size_t rest = n % 8, whole = n - rest;
    if (round == SF8_NARROW_FAR) {
        w.bound = sf8_256_set(least ? least : 1); /* zero stays zero */
        largest = (896 + 255) << 20;
    }
    for (size_t i = 0; i < whole; i += 8)
        sf8_256_narrow_step(&w, dst + 4 * i, src + 8 * i);
    if (rest) {
        memcpy(last, src + 8 * whole, 8 * rest);
        sf8_256_narrow_step(&w, words, last);
        memcpy(dst + 4 * whole, words, 4 * rest);
    }
    __m256i any = sf8_256_above(w.most, sf8_256_set(largest - 1));
    return sf8_256_has(any);
}

SF8_TARGET static __attribute__((noinline)) int32_t
sf8_256_narrow(unsigned char *dst, const unsigned char *src, size_t n, int32_t least, int32_t round)
{
    if (round == SF8_RNA || round == SF8_RNZ)
        return sf8_256_narrowed(dst, src, n, least, SF8_RNA, sf8_narrow_half(round));
    if (round == SF8_NARROW_FAR)
        return sf8_256_narrowed(dst, src, n, least, SF8_NARROW_FAR, 0);
    if (round == SF8_RO)
        return sf8_256_narrowed(dst, src, n, least, SF8_RO, 0);
    return sf8_256_narrowed(dst, src, n, least, SF8_RNE, 0);
}

static int32_t sf8_avx2_narrow(unsigned char *dst, const unsigned char *src, size_t n,
                               int32_t least, int32_t round)
{
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(sf8_mxcsr(round));
    int32_t any = sf8_256_narrow(dst, src, n, least, round);
    _mm_setcsr(mxcsr);
    return any;
}

/* ---- decode ---------------------------------------------------------------------------------- */

/* A shuffle looks up 16 bytes, a row of the table, and gives 0 where the index has its top bit set.
 *
 * The elements of most formats lie on a line: the code's lower seven bits, shifted, and a constant.
 * Codes with the top bit change an element, mostly by its sign: by `top`. What remains are
 * subnormal numbers at one end, and infinities and NaN at the other. So a row has the codes from 8
 * below a multiple of 16 on, and one row has both ends: 120 to 127 and 0 to 7.
 *
 * Formats of fewer bits repeat their elements, and need fewer rows: of a code, `kept` is used.
 *
 * `unlike` has the rows where an element is not what line and top say, as what is to be changed.
 * The first `lower` of them are for codes with and without the top bit. Any line is right: with a
 * bad one, more rows are unlike.
 */
enum { SF8_256_WORTH = 256, SF8_256_HALF = 128, SF8_256_ROWS = 8, SF8_256_TURN = 8 };

/* The bytes of elements. */
typedef struct sf8_half_row {
    __m128i low, high;
} sf8_half_row;

typedef struct sf8_half_words {
    __m256i low, high;
} sf8_half_words;

typedef struct sf8_half_table {
    sf8_half_row unlike[2 * SF8_256_ROWS];
    uint8_t first[2 * SF8_256_ROWS]; /* where the row begins: its first code plus SF8_256_TURN */
    size_t lower, unlikes;
    __m256i kept, top_low, top_high;
    __m256i code_add, low_mask, high_mask, high_add; /* of the line */
    __m128i left, right;                             /* its shifts for the low and the high byte */
} sf8_half_table;

/* The line through the elements of the codes 64 and 65, if there is one. Since no byte carries into
 * the next, what the low byte is to get is added to the code before that is shifted. */
SF8_256 void sf8_256_line(sf8_half_table *t, const uint16_t *table)
{
    enum { MIDDLE = 64 };
    int32_t slope = table[MIDDLE + 1] - table[MIDDLE];
    int32_t shift = __builtin_ctz((unsigned int)slope | 256);
    int32_t add = (table[MIDDLE] - (MIDDLE << shift)) & 0xffff;
    t->left = _mm_cvtsi32_si128(shift);
    t->right = _mm_cvtsi32_si128(8 - shift);
    t->code_add = _mm256_set1_epi8((char)((add & 255) >> shift));
    t->low_mask = _mm256_set1_epi8((char)(255 << shift & 255));
    t->high_mask = _mm256_set1_epi8((char)(255 >> (8 - shift)));
    t->high_add = _mm256_set1_epi8((char)(add >> 8));
}

SF8_256 sf8_half_words sf8_256_on_line(const sf8_half_table *t, __m256i below)
{
    __m256i code = _mm256_add_epi8(below, t->code_add);
    __m256i high = _mm256_srl_epi16(code, t->right) & t->high_mask;
    sf8_half_words w = {_mm256_sll_epi16(code, t->left) & t->low_mask,
                        _mm256_add_epi8(high, t->high_add)};
    return w;
}

/* The bytes of eight elements from a on and eight from b on. */
SF8_256 sf8_half_row sf8_256_row(const uint16_t *a, const uint16_t *b)
{
    const __m128i low_byte = _mm_set1_epi16(255);
    __m128i first = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i second = _mm_loadu_si128((const __m128i *)(const void *)b);
    sf8_half_row row = {_mm_packus_epi16(first & low_byte, second & low_byte),
                        _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8))};
    return row;
}

/* The row of the table that begins at `first`, of codes with or without the top bit. */
SF8_256 sf8_half_row sf8_256_row_at(const uint16_t *table, size_t first)
{
    return sf8_256_row(table + (first - SF8_256_TURN) % SF8_256_HALF, table + first);
}

SF8_256 void sf8_256_add_row(sf8_half_table *t, size_t first, sf8_half_row a, __m128i low,
                             __m128i high)
{
    sf8_half_row change = {a.low ^ low, a.high ^ high};
    if (_mm_testz_si128(change.low | change.high, change.low | change.high))
        return;
    t->first[t->unlikes] = (uint8_t)first;
    t->unlike[t->unlikes++] = change;
}

/* The lower bits of a code on which its element depends: 4, 6 or 7, the top bit apart. */
static int32_t sf8_256_kept(const uint16_t *table)
{
    for (int32_t bits = 4; bits < 8; bits += 2) {
        size_t count = (size_t)1 << bits;
        if (memcmp(table, table + count, (2 * SF8_256_HALF - count) * sizeof(*table)) == 0)
            return (1 << bits) - 1;
    }
    return SF8_256_HALF - 1;
}

SF8_256 void sf8_256_table(sf8_half_table *t, const uint16_t *table)
{
    const __m128i sixteen = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    int32_t top = table[1] ^ table[SF8_256_HALF + 1], kept = sf8_256_kept(table);
    t->kept = _mm256_set1_epi8((char)kept);
    t->unlikes = 0;
    t->top_low = _mm256_set1_epi8((char)(top & 255));
    t->top_high = _mm256_set1_epi8((char)(top >> 8));
    sf8_256_line(t, table);
    for (size_t i = 0; i <= (size_t)kept; i += 16) {
        __m128i codes = _mm_add_epi8(sixteen, _mm_set1_epi8((char)(i - SF8_256_TURN)));
        codes &= _mm256_castsi256_si128(t->kept);
        sf8_half_words line = sf8_256_on_line(t, _mm256_broadcastsi128_si256(codes));
        sf8_256_add_row(t, i, sf8_256_row_at(table, i), _mm256_castsi256_si128(line.low),
                        _mm256_castsi256_si128(line.high));
    }
    t->lower = t->unlikes;
    for (size_t i = 0; i < SF8_256_HALF; i += 16) {
        sf8_half_row with = sf8_256_row_at(table + SF8_256_HALF, i);
        sf8_half_row without = sf8_256_row_at(table, i);
        sf8_256_add_row(t, SF8_256_HALF + i, with, without.low ^ _mm256_castsi256_si128(t->top_low),
                        without.high ^ _mm256_castsi256_si128(t->top_high));
    }
}

/* `at` is a code plus SF8_256_TURN, of which some bits are kept. Adding 112 with saturation sets
 * the top bit of what is not in the row. */
SF8_256 void sf8_256_shuffle(sf8_half_words *w, const sf8_half_table *t, size_t i, __m256i at)
{
    const __m256i most = _mm256_set1_epi8(112), first = _mm256_set1_epi8((char)t->first[i]);
    __m256i index = _mm256_adds_epu8(at ^ first, most);
    w->low ^= _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t->unlike[i].low), index);
    w->high ^= _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t->unlike[i].high), index);
}

SF8_256 sf8_half_words sf8_256_look_up(const sf8_half_table *t, __m256i codes)
{
    const __m256i turn = _mm256_set1_epi8(SF8_256_TURN);
    __m256i is_top = _mm256_cmpgt_epi8(_mm256_setzero_si256(), codes), below = codes & t->kept;
    __m256i at = _mm256_add_epi8(below, turn) & t->kept;
    sf8_half_words w = sf8_256_on_line(t, below);
    w.low ^= is_top & t->top_low;
    w.high ^= is_top & t->top_high;
    for (size_t i = 0; i < t->lower; i++)
        sf8_256_shuffle(&w, t, i, at);
    for (size_t i = t->lower; i < t->unlikes; i++)
        sf8_256_shuffle(&w, t, i, at | _mm256_andnot_si256(t->kept, codes));
    return w;
}

SF8_256 void sf8_256_put(unsigned char *dst, __m256i words, int32_t stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)(void *)dst, words);
    else
        _mm256_storeu_si256((__m256i *)(void *)dst, words);
}

/* 32 codes. Unpacking works in the halves of a register, so that the codes are first moved to where
 * it reads them. */
SF8_256 void sf8_256_words(const sf8_half_table *t, int32_t widen, unsigned char *to,
                           const uint8_t *src, int32_t stream)
{
    const __m256i zero = _mm256_setzero_si256(), wide = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
    __m256i codes = _mm256_loadu_si256((const __m256i *)(const void *)src);
    codes = widen ? _mm256_permutevar8x32_epi32(codes, wide)
                  : _mm256_permute4x64_epi64(codes, 0xd8);
    sf8_half_words w = sf8_256_look_up(t, codes);
    __m256i first = _mm256_unpacklo_epi8(w.low, w.high);
    __m256i second = _mm256_unpackhi_epi8(w.low, w.high);
    sf8_256_put(to, widen ? _mm256_unpacklo_epi16(zero, first) : first, stream);
    sf8_256_put(to + 32, widen ? _mm256_unpackhi_epi16(zero, first) : second, stream);
    if (widen) {
        sf8_256_put(to + 64, _mm256_unpacklo_epi16(zero, second), stream);
        sf8_256_put(to + 96, _mm256_unpackhi_epi16(zero, second), stream);
    }
}

/* Returns how many codes that were. */
SF8_256 size_t sf8_256_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                              const uint8_t *src, size_t n, int32_t stream)
{
    sf8_half_table t;
    size_t i = 0, width = widen ? 4 : 2;
    sf8_256_table(&t, table);
    for (; n - i >= 32; i += 32)
        sf8_256_words(&t, widen, dst + width * i, src + i, stream);
    return i;
}

/* Streaming stores need an aligned address. The first codes up to one are decoded apart. */
SF8_TARGET static size_t sf8_256_streamed(const uint16_t *table, int32_t widen, unsigned char *dst,
                                          const uint8_t *src, size_t n)
{
    size_t width = widen ? 4 : 2, first = (0 - (uintptr_t)dst) % 32 / width, done;
    sf8_portable_kernels()->decode(table, widen, dst, src, first);
    dst += width * first;
    src += first;
    if (widen)
        done = sf8_256_decode(table, 1, dst, src, n - first, 1);
    else
        done = sf8_256_decode(table, 0, dst, src, n - first, 1);
    _mm_sfence();
    return first + done;
}

SF8_TARGET static void sf8_avx2_decode(const uint16_t *table, int32_t widen, unsigned char *dst,
                                       const uint8_t *src, size_t n)
{
    size_t i = 0, width = widen ? 4 : 2;
    if (n * width >= SF8_STREAM_BYTES && (uintptr_t)dst % width == 0)
        i = sf8_256_streamed(table, widen, dst, src, n);
    else if (n >= SF8_256_WORTH && widen)
        i = sf8_256_decode(table, 1, dst, src, n, 0);
    else if (n >= SF8_256_WORTH)
        i = sf8_256_decode(table, 0, dst, src, n, 0);
    sf8_portable_kernels()->decode(table, widen, dst + width * i, src + i, n - i);
}

/* As sf8_half_table, for a table of bytes. */
typedef struct sf8_byte_rows {
    __m128i row[SF8_256_ROWS], unlike[SF8_256_ROWS];
    uint8_t first[SF8_256_ROWS];
    size_t unlikes;
    __m256i top;
} sf8_byte_rows;

SF8_256 void sf8_256_byte_rows(sf8_byte_rows *t, const uint8_t *table)
{
    enum { HALF = 128 };
    const __m128i *rows = (const __m128i *)(const void *)table;
    const __m128i *upper = (const __m128i *)(const void *)(table + HALF);
    const __m128i top = _mm_set1_epi8((char)(table[1] ^ table[HALF + 1]));
    t->unlikes = 0;
    t->top = _mm256_broadcastsi128_si256(top);
    for (size_t i = 0; i < SF8_256_ROWS; i++) {
        __m128i row = _mm_loadu_si128(rows + i);
        __m128i unlike = row ^ top ^ _mm_loadu_si128(upper + i);
        if (!_mm_testz_si128(unlike, unlike)) {
            t->first[t->unlikes] = (uint8_t)(HALF + 16 * i);
            t->unlike[t->unlikes++] = unlike;
        }
        t->row[i] = row;
        if (i > 0)
            t->row[i - 1] ^= row;
    }
}

/* What a row adds to the bytes at `at`. */
SF8_256 __m256i sf8_256_byte_row(__m128i row, __m256i at)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(row), at);
}

SF8_256 __m256i sf8_256_bytes(const sf8_byte_rows *t, __m256i codes)
{
    const __m256i most = _mm256_set1_epi8(112);
    __m256i found = _mm256_cmpgt_epi8(_mm256_setzero_si256(), codes) & t->top;
    __m256i below = codes & _mm256_set1_epi8(127);
    for (size_t i = 0; i < SF8_256_ROWS; i++) {
        const __m256i up = _mm256_set1_epi8((char)(112 - 16 * i));
        found ^= sf8_256_byte_row(t->row[i], _mm256_adds_epu8(below, up));
    }
    for (size_t i = 0; i < t->unlikes; i++) {
        __m256i first = _mm256_set1_epi8((char)t->first[i]);
        found ^= sf8_256_byte_row(t->unlike[i], _mm256_adds_epu8(codes ^ first, most));
    }
    return found;
}

SF8_TARGET static void sf8_avx2_bytes(const uint8_t *table, uint8_t *dst, const uint8_t *src,
                                      size_t n)
{
    sf8_byte_rows t;
    size_t i = 0;
    sf8_256_byte_rows(&t, table);
    for (; n - i >= 32; i += 32) {
        __m256i codes = _mm256_loadu_si256((const __m256i *)(const void *)(src + i));
        _mm256_storeu_si256((__m256i *)(void *)(dst + i), sf8_256_bytes(&t, codes));
    }
    sf8_portable_kernels()->bytes(table, dst + i, src + i, n - i);
}

/* ---- random words ---------------------------------------------------------------------------- */

/* Philox with a word in the lower half of 64 bits: the upper half may be anything, for products
 * read the lower one. Eight counters at a time. */
SF8_256 void sf8_256_philox(__m256i x[4], __m256i low_key, __m256i high_key)
{
    __m256i a = _mm256_mul_epu32(x[0], _mm256_set1_epi64x(0xd2511f53));
    __m256i b = _mm256_mul_epu32(x[2], _mm256_set1_epi64x(0xcd9e8d57));
    x[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), x[1]), low_key);
    x[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), x[3]), high_key);
    x[1] = b;
    x[3] = a;
}

SF8_256 void sf8_256_put_words(uint32_t *words, const __m256i x[4])
{
    __m256i p = _mm256_blend_epi32(x[0], _mm256_slli_epi64(x[1], 32), 0xaa);
    __m256i q = _mm256_blend_epi32(x[2], _mm256_slli_epi64(x[3], 32), 0xaa);
    __m256i even = _mm256_unpacklo_epi64(p, q), odd = _mm256_unpackhi_epi64(p, q);
    _mm256_storeu_si256((__m256i *)(void *)words, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(words + 8), _mm256_permute2x128_si256(even, odd, 0x31));
}

SF8_TARGET static void sf8_avx2_random(uint32_t *words, size_t n, uint64_t seed, uint64_t counter)
{
    __m256i at = _mm256_add_epi64(_mm256_set1_epi64x((long long)counter),
                                  _mm256_setr_epi64x(0, 1, 2, 3));
    for (size_t i = 0; i < n; i += 32) {
        __m256i low_key = _mm256_set1_epi64x((long long)(seed & UINT32_MAX));
        __m256i high_key = _mm256_set1_epi64x((long long)(seed >> 32));
        __m256i more = _mm256_add_epi64(at, _mm256_set1_epi64x(4)), zero = _mm256_setzero_si256();
        __m256i x[4] = {at, _mm256_srli_epi64(at, 32), zero, zero};
        __m256i y[4] = {more, _mm256_srli_epi64(more, 32), zero, zero};
        for (int32_t round = 0; round < 10; round++) {
            sf8_256_philox(x, low_key, high_key);
            sf8_256_philox(y, low_key, high_key);
            low_key = _mm256_add_epi64(low_key, _mm256_set1_epi64x(0x9e3779b9));
            high_key = _mm256_add_epi64(high_key, _mm256_set1_epi64x(0xbb67ae85));
        }
        sf8_256_put_words(words + i, x);
        sf8_256_put_words(words + i + 16, y);
        at = _mm256_add_epi64(at, _mm256_set1_epi64x(8));
    }
}

SF8_PRIVATE const sf8_kernels *sf8_avx2_kernels(void)
{
    static const sf8_kernels kernels = {"avx2",          sf8_avx2_encode, sf8_avx2_plain,
                                        sf8_avx2_other,  sf8_avx2_decode, sf8_avx2_narrow,
                                        sf8_256_scaled,  sf8_avx2_wide,   sf8_256_sr,
                                        sf8_avx2_random, sf8_avx2_bytes};
    return &kernels;
}

#undef SF8_256
#undef SF8_TARGET
#endif

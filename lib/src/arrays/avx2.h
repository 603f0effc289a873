/* SPDX-License-Identifier: MIT */
/* avx2.h -- loops over arrays that AVX2 does in its own way: f64, bytes looked up, random words */
/* ---- f64 ------------------------------------------------------------------------------------- */

/* As MXCSR rounds; *cut: where that changes a number. Whether it does, the number itself says,
 * widened again. */
SF8_ON_FN __m128 SF8_ON(cut)(__m256d x, __m256 *cut)
{
    __m128 y = _mm256_cvtpd_ps(x);
    *cut = _mm256_castpd_ps(_mm256_cmp_pd(_mm256_cvtps_pd(y), x, _CMP_NEQ_UQ));
    return y;
}

/* sf8_narrow_half says what is added. */
SF8_ON_FN __m256d SF8_ON(away)(__m256d x, __m256d half)
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
SF8_ON_FN __m256i SF8_ON(eight)(const unsigned char *src, __m256i bound, int32_t round,
                                __m256d half)
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
            x = SF8_ON(away)(x, half);
        y[i] = SF8_ON(cut)(x, &cut[i]);
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
SF8_ON_FN __m256i SF8_ON(eight_far)(const unsigned char *src, __m256i bound, __m256i *most)
{
    enum { ONE = 1 << 20, LARGEST = 255 * ONE - 1 };
    const __m256 *from = (const __m256 *)(const void *)src;
    __m256 a = _mm256_loadu_ps((const float *)from), b = _mm256_loadu_ps((const float *)(from + 1));
    __m256i low = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88));
    __m256i high = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0xdd));
    __m256i x = (high & _mm256_set1_epi32(INT32_MAX)) | _mm256_min_epu32(low, _mm256_set1_epi32(1));
    *most = _mm256_max_epi32(*most, x);
    __m256i word = _mm256_max_epi32(_mm256_sub_epi32(x, _mm256_set1_epi32(896 * ONE)),
                                    _mm256_set1_epi32(ONE));
    word = _mm256_min_epi32(word, _mm256_set1_epi32(LARGEST));
    word = _mm256_max_epi32(word, _mm256_sub_epi32(x, _mm256_set1_epi32(1792 * ONE)));
    word = _mm256_andnot_si256(_mm256_cmpgt_epi32(bound, x), word);
    word = _mm256_slli_epi32(word, 3) | (high & _mm256_set1_epi32(INT32_MIN));
    return _mm256_permute4x64_epi64(word, 0xd8);
}

/* The constants of a loop, and the largest magnitude so far, for SF8_NARROW_FAR of an upper half.
 */
typedef struct SF8_ON(narrowing) {
    int32_t round;
    __m256i bound, most;
    __m256d half;
} SF8_ON(narrowing);

SF8_ON_FN void SF8_ON(narrow_step)(SF8_ON(narrowing) * w, unsigned char *dst,
                                   const unsigned char *src)
{
    __m256i word;
    if (w->round == SF8_NARROW_FAR) {
        word = SF8_ON(eight_far)(src, w->bound, &w->most);
    } else {
        word = SF8_ON(eight)(src, w->bound, w->round, w->half);
        w->most = _mm256_max_epi32(w->most, word & _mm256_set1_epi32(INT32_MAX));
    }
    _mm256_storeu_si256((__m256i *)(void *)dst, word);
}

SF8_ON_FN int32_t SF8_ON(narrowed)(unsigned char *dst, const unsigned char *src, size_t n,
                                   int32_t least, int32_t round, double half)
{
    SF8_ON(narrowing)
    w = {round, _mm256_set1_epi64x((long long)least << 32), _mm256_setzero_si256(),
         _mm256_set1_pd(half)};
    int32_t largest = SF8_F32_LARGEST;
    unsigned char last[64] = {0}, words[32];
    size_t rest = n % 8, whole = n - rest;
    if (round == SF8_NARROW_FAR) {
        w.bound = _mm256_set1_epi32(least ? least : 1); /* zero stays zero */
        largest = (896 + 255) << 20;
    }
    for (size_t i = 0; i < whole; i += 8)
        SF8_ON(narrow_step)(&w, dst + 4 * i, src + 8 * i);
    if (rest) {
        memcpy(last, src + 8 * whole, 8 * rest);
        SF8_ON(narrow_step)(&w, words, last);
        memcpy(dst + 4 * whole, words, 4 * rest);
    }
    __m256i any = _mm256_cmpgt_epi32(w.most, _mm256_set1_epi32(largest - 1));
    return SF8_ON(has)((SF8_U)any);
}

SF8_TARGET static SF8_NOINLINE int32_t SF8_ON(narrow_loop)(unsigned char *dst,
                                                           const unsigned char *src, size_t n,
                                                           int32_t least, int32_t round)
{
    if (round == SF8_RNA || round == SF8_RNZ)
        return SF8_ON(narrowed)(dst, src, n, least, SF8_RNA, sf8_narrow_half(round));
    if (round == SF8_NARROW_FAR)
        return SF8_ON(narrowed)(dst, src, n, least, SF8_NARROW_FAR, 0);
    if (round == SF8_RO)
        return SF8_ON(narrowed)(dst, src, n, least, SF8_RO, 0);
    return SF8_ON(narrowed)(dst, src, n, least, SF8_RNE, 0);
}

static int32_t SF8_ON(narrow)(unsigned char *dst, const unsigned char *src, size_t n, int32_t least,
                              int32_t round)
{
    unsigned int mxcsr = _mm_getcsr();
    _mm_setcsr(sf8_mxcsr(round));
    int32_t any = SF8_ON(narrow_loop)(dst, src, n, least, round);
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
SF8_ON_FN void SF8_ON(line)(sf8_half_table *t, const uint16_t *table)
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

SF8_ON_FN sf8_half_words SF8_ON(on_line)(const sf8_half_table *t, __m256i below)
{
    __m256i code = _mm256_add_epi8(below, t->code_add);
    __m256i high = _mm256_srl_epi16(code, t->right) & t->high_mask;
    sf8_half_words w = {_mm256_sll_epi16(code, t->left) & t->low_mask,
                        _mm256_add_epi8(high, t->high_add)};
    return w;
}

/* The bytes of eight elements from a on and eight from b on. */
SF8_ON_FN sf8_half_row SF8_ON(row)(const uint16_t *a, const uint16_t *b)
{
    const __m128i low_byte = _mm_set1_epi16(255);
    __m128i first = _mm_loadu_si128((const __m128i *)(const void *)a);
    __m128i second = _mm_loadu_si128((const __m128i *)(const void *)b);
    sf8_half_row row = {_mm_packus_epi16(first & low_byte, second & low_byte),
                        _mm_packus_epi16(_mm_srli_epi16(first, 8), _mm_srli_epi16(second, 8))};
    return row;
}

/* The row of the table that begins at `first`, of codes with or without the top bit. */
SF8_ON_FN sf8_half_row SF8_ON(row_at)(const uint16_t *table, size_t first)
{
    return SF8_ON(row)(table + (first - SF8_256_TURN) % SF8_256_HALF, table + first);
}

SF8_ON_FN void SF8_ON(add_row)(sf8_half_table *t, size_t first, sf8_half_row a, __m128i low,
                               __m128i high)
{
    sf8_half_row change = {a.low ^ low, a.high ^ high};
    if (_mm_testz_si128(change.low | change.high, change.low | change.high))
        return;
    t->first[t->unlikes] = (uint8_t)first;
    t->unlike[t->unlikes++] = change;
}

/* The lower bits of a code on which its element depends: 4, 6 or 7, the top bit apart. */
static int32_t SF8_ON(kept)(const uint16_t *table)
{
    for (int32_t bits = 4; bits < 8; bits += 2) {
        size_t count = (size_t)1 << bits;
        if (memcmp(table, table + count, (2 * SF8_256_HALF - count) * sizeof(*table)) == 0)
            return (1 << bits) - 1;
    }
    return SF8_256_HALF - 1;
}

SF8_ON_FN void SF8_ON(table)(sf8_half_table *t, const uint16_t *table)
{
    const __m128i sixteen = _mm_set_epi8(15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    int32_t top = table[1] ^ table[SF8_256_HALF + 1], kept = SF8_ON(kept)(table);
    t->kept = _mm256_set1_epi8((char)kept);
    t->unlikes = 0;
    t->top_low = _mm256_set1_epi8((char)(top & 255));
    t->top_high = _mm256_set1_epi8((char)(top >> 8));
    SF8_ON(line)(t, table);
    for (size_t i = 0; i <= (size_t)kept; i += 16) {
        __m128i codes = _mm_add_epi8(sixteen, _mm_set1_epi8((char)(i - SF8_256_TURN)));
        codes &= _mm256_castsi256_si128(t->kept);
        sf8_half_words line = SF8_ON(on_line)(t, _mm256_broadcastsi128_si256(codes));
        SF8_ON(add_row)
        (t, i, SF8_ON(row_at)(table, i), _mm256_castsi256_si128(line.low),
         _mm256_castsi256_si128(line.high));
    }
    t->lower = t->unlikes;
    for (size_t i = 0; i < SF8_256_HALF; i += 16) {
        sf8_half_row with = SF8_ON(row_at)(table + SF8_256_HALF, i);
        sf8_half_row without = SF8_ON(row_at)(table, i);
        SF8_ON(add_row)
        (t, SF8_256_HALF + i, with, without.low ^ _mm256_castsi256_si128(t->top_low),
         without.high ^ _mm256_castsi256_si128(t->top_high));
    }
}

/* `at` is a code plus SF8_256_TURN, of which some bits are kept. Adding 112 with saturation sets
 * the top bit of what is not in the row. */
SF8_ON_FN void SF8_ON(shuffle)(sf8_half_words *w, const sf8_half_table *t, size_t i, __m256i at)
{
    const __m256i most = _mm256_set1_epi8(112), first = _mm256_set1_epi8((char)t->first[i]);
    __m256i index = _mm256_adds_epu8(at ^ first, most);
    w->low ^= _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t->unlike[i].low), index);
    w->high ^= _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(t->unlike[i].high), index);
}

SF8_ON_FN sf8_half_words SF8_ON(look_up)(const sf8_half_table *t, __m256i codes)
{
    const __m256i turn = _mm256_set1_epi8(SF8_256_TURN);
    __m256i is_top = _mm256_cmpgt_epi8(_mm256_setzero_si256(), codes), below = codes & t->kept;
    __m256i at = _mm256_add_epi8(below, turn) & t->kept;
    sf8_half_words w = SF8_ON(on_line)(t, below);
    w.low ^= is_top & t->top_low;
    w.high ^= is_top & t->top_high;
    for (size_t i = 0; i < t->lower; i++)
        SF8_ON(shuffle)(&w, t, i, at);
    for (size_t i = t->lower; i < t->unlikes; i++)
        SF8_ON(shuffle)(&w, t, i, at | _mm256_andnot_si256(t->kept, codes));
    return w;
}

SF8_ON_FN void SF8_ON(put)(unsigned char *dst, __m256i words, int32_t stream)
{
    if (stream)
        _mm256_stream_si256((__m256i *)(void *)dst, words);
    else
        _mm256_storeu_si256((__m256i *)(void *)dst, words);
}

/* 32 codes. Unpacking works in the halves of a register, so that the codes are first moved to where
 * it reads them. */
SF8_ON_FN void SF8_ON(words)(const sf8_half_table *t, int32_t widen, unsigned char *to,
                             const uint8_t *src, int32_t stream)
{
    const __m256i zero = _mm256_setzero_si256(), wide = _mm256_set_epi32(7, 5, 3, 1, 6, 4, 2, 0);
    __m256i codes = _mm256_loadu_si256((const __m256i *)(const void *)src);
    codes = widen ? _mm256_permutevar8x32_epi32(codes, wide)
                  : _mm256_permute4x64_epi64(codes, 0xd8);
    sf8_half_words w = SF8_ON(look_up)(t, codes);
    __m256i first = _mm256_unpacklo_epi8(w.low, w.high);
    __m256i second = _mm256_unpackhi_epi8(w.low, w.high);
    SF8_ON(put)(to, widen ? _mm256_unpacklo_epi16(zero, first) : first, stream);
    SF8_ON(put)(to + 32, widen ? _mm256_unpackhi_epi16(zero, first) : second, stream);
    if (widen) {
        SF8_ON(put)(to + 64, _mm256_unpacklo_epi16(zero, second), stream);
        SF8_ON(put)(to + 96, _mm256_unpackhi_epi16(zero, second), stream);
    }
}

/* Returns how many codes that were. */
SF8_ON_FN size_t SF8_ON(decoded)(const uint16_t *table, int32_t widen, unsigned char *dst,
                                 const uint8_t *src, size_t n, int32_t stream)
{
    sf8_half_table t;
    size_t i = 0, width = widen ? 4 : 2;
    SF8_ON(table)(&t, table);
    for (; n - i >= 32; i += 32)
        SF8_ON(words)(&t, widen, dst + width * i, src + i, stream);
    return i;
}

/* Streaming stores need an aligned address. The first codes up to one are decoded apart. */
SF8_TARGET static size_t SF8_ON(streamed)(const uint16_t *table, int32_t widen, unsigned char *dst,
                                          const uint8_t *src, size_t n)
{
    size_t width = widen ? 4 : 2, first = (0 - (uintptr_t)dst) % 32 / width, done;
    sf8_portable_kernels()->decode(table, widen, dst, src, first);
    dst += width * first;
    src += first;
    if (widen)
        done = SF8_ON(decoded)(table, 1, dst, src, n - first, 1);
    else
        done = SF8_ON(decoded)(table, 0, dst, src, n - first, 1);
    _mm_sfence();
    return first + done;
}

SF8_TARGET static void SF8_ON(decode)(const uint16_t *table, int32_t widen, unsigned char *dst,
                                      const uint8_t *src, size_t n)
{
    size_t i = 0, width = widen ? 4 : 2;
    if (n * width >= SF8_STREAM_BYTES && (uintptr_t)dst % width == 0)
        i = SF8_ON(streamed)(table, widen, dst, src, n);
    else if (n >= SF8_256_WORTH && widen)
        i = SF8_ON(decoded)(table, 1, dst, src, n, 0);
    else if (n >= SF8_256_WORTH)
        i = SF8_ON(decoded)(table, 0, dst, src, n, 0);
    sf8_portable_kernels()->decode(table, widen, dst + width * i, src + i, n - i);
}

/* As sf8_half_table, for a table of bytes. */
typedef struct sf8_byte_rows {
    __m128i row[SF8_256_ROWS], unlike[SF8_256_ROWS];
    uint8_t first[SF8_256_ROWS];
    size_t unlikes;
    __m256i top;
} sf8_byte_rows;

SF8_ON_FN void SF8_ON(byte_rows)(sf8_byte_rows *t, const uint8_t *table)
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
SF8_ON_FN __m256i SF8_ON(byte_row)(__m128i row, __m256i at)
{
    return _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(row), at);
}

SF8_ON_FN __m256i SF8_ON(found)(const sf8_byte_rows *t, __m256i codes)
{
    const __m256i most = _mm256_set1_epi8(112);
    __m256i found = _mm256_cmpgt_epi8(_mm256_setzero_si256(), codes) & t->top;
    __m256i below = codes & _mm256_set1_epi8(127);
    for (size_t i = 0; i < SF8_256_ROWS; i++) {
        const __m256i up = _mm256_set1_epi8((char)(112 - 16 * i));
        found ^= SF8_ON(byte_row)(t->row[i], _mm256_adds_epu8(below, up));
    }
    for (size_t i = 0; i < t->unlikes; i++) {
        __m256i first = _mm256_set1_epi8((char)t->first[i]);
        found ^= SF8_ON(byte_row)(t->unlike[i], _mm256_adds_epu8(codes ^ first, most));
    }
    return found;
}

SF8_TARGET static void SF8_ON(byte_table)(const uint8_t *table, uint8_t *dst, const uint8_t *src,
                                          size_t n)
{
    sf8_byte_rows t;
    size_t i = 0;
    SF8_ON(byte_rows)(&t, table);
    for (; n - i >= 32; i += 32) {
        __m256i codes = _mm256_loadu_si256((const __m256i *)(const void *)(src + i));
        _mm256_storeu_si256((__m256i *)(void *)(dst + i), SF8_ON(found)(&t, codes));
    }
    sf8_portable_kernels()->bytes(table, dst + i, src + i, n - i);
}

/* ---- random words ---------------------------------------------------------------------------- */

/* Philox with a word in the lower half of 64 bits: the upper half may be anything, for products
 * read the lower one. Eight counters at a time. */
SF8_ON_FN void SF8_ON(philox)(__m256i x[4], __m256i low_key, __m256i high_key)
{
    __m256i a = _mm256_mul_epu32(x[0], _mm256_set1_epi64x(0xd2511f53));
    __m256i b = _mm256_mul_epu32(x[2], _mm256_set1_epi64x(0xcd9e8d57));
    x[0] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(b, 32), x[1]), low_key);
    x[2] = _mm256_xor_si256(_mm256_xor_si256(_mm256_srli_epi64(a, 32), x[3]), high_key);
    x[1] = b;
    x[3] = a;
}

SF8_ON_FN void SF8_ON(put_words)(uint32_t *words, const __m256i x[4])
{
    __m256i p = _mm256_blend_epi32(x[0], _mm256_slli_epi64(x[1], 32), 0xaa);
    __m256i q = _mm256_blend_epi32(x[2], _mm256_slli_epi64(x[3], 32), 0xaa);
    __m256i even = _mm256_unpacklo_epi64(p, q), odd = _mm256_unpackhi_epi64(p, q);
    _mm256_storeu_si256((__m256i *)(void *)words, _mm256_permute2x128_si256(even, odd, 0x20));
    _mm256_storeu_si256((__m256i *)(void *)(words + 8), _mm256_permute2x128_si256(even, odd, 0x31));
}

SF8_TARGET static void SF8_ON(random)(uint32_t *words, size_t n, uint64_t seed, uint64_t counter)
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
            SF8_ON(philox)(x, low_key, high_key);
            SF8_ON(philox)(y, low_key, high_key);
            low_key = _mm256_add_epi64(low_key, _mm256_set1_epi64x(0x9e3779b9));
            high_key = _mm256_add_epi64(high_key, _mm256_set1_epi64x(0xbb67ae85));
        }
        SF8_ON(put_words)(words + i, x);
        SF8_ON(put_words)(words + i + 16, y);
        at = _mm256_add_epi64(at, _mm256_set1_epi64x(8));
    }
}

/* SPDX-License-Identifier: MIT */
/* avx2.c -- the operations of attention on a chunk, eight at a time
 *
 * Keys are stored channel by channel, so that a vector is one channel of eight keys and no lane
 * adds to another. The order is therefore that of <softfp8/attend/attend.h>, operation by
 * operation. The operations are written as intrinsics, so that the compiler may not reorder them.
 * MXCSR is set for each loop, which is called through a pointer. A NaN that is made here may have
 * any sign and payload until it is stored.
 */
#include "attend/job.h"

#include <string.h>

#if SF8_HAS_AVX

#include <immintrin.h>

#define SF8_ATT SF8_AVX2 SF8_INLINED

enum { SF8_ATT_LANES = 8, SF8_ATT_VECTORS = SF8_ATTEND_CHUNK / SF8_ATT_LANES };

#define SF8_ATT_OP(name)                                                                           \
    SF8_ATT __m256 sf8_att_##name(__m256 a, __m256 b)                                              \
    {                                                                                              \
        __m256 r;                                                                                  \
        __asm__(SF8_AVX_TEXT(#name) : "=x"(r) : "x"(a), "x"(b));                                   \
        return r;                                                                                  \
    }
SF8_ATT_OP(add)
SF8_ATT_OP(sub)
SF8_ATT_OP(mul)
#undef SF8_ATT_OP

/* a * b + c. */
SF8_ATT __m256 sf8_att_fma(__m256 a, __m256 b, __m256 c)
{
    __asm__("vfmadd231ps {%2, %1, %0|%0, %1, %2}" : "+x"(c) : "x"(a), "x"(b));
    return c;
}

SF8_ATT __m256 sf8_att_of(uint32_t word)
{
    return _mm256_castsi256_ps(_mm256_set1_epi32((int32_t)word));
}

SF8_ATT __m256 sf8_att_load(const uint32_t *x)
{
    return _mm256_castsi256_ps(_mm256_loadu_si256((const __m256i *)(const void *)x));
}

SF8_ATT __m256i sf8_att_magnitude(__m256 x)
{
    return _mm256_and_si256(_mm256_castps_si256(x), _mm256_set1_epi32(0x7fffffff));
}

/* All ones where x is NaN. */
SF8_ATT __m256i sf8_att_nan(__m256 x)
{
    return _mm256_cmpgt_epi32(sf8_att_magnitude(x), _mm256_set1_epi32(0x7f800000));
}

SF8_ATT __m256 sf8_att_choose(__m256i where, __m256 yes, __m256 no)
{
    return _mm256_castsi256_ps(
        _mm256_blendv_epi8(_mm256_castps_si256(no), _mm256_castps_si256(yes), where));
}

SF8_ATT void sf8_att_store(uint32_t *to, __m256 x)
{
    x = sf8_att_choose(sf8_att_nan(x), sf8_att_of(SF8_F32_NAN), x);
    _mm256_storeu_si256((__m256i *)(void *)to, _mm256_castps_si256(x));
}

/* sf8_f32_exp2, with its branches as selections. sf8_f32_order makes integers that compare like the
 * numbers. */
SF8_ATT __m256i sf8_att_order(__m256 x)
{
    __m256i magnitude = sf8_att_magnitude(x), sign = _mm256_srai_epi32(_mm256_castps_si256(x), 31);
    return _mm256_sub_epi32(_mm256_xor_si256(magnitude, sign), sign);
}

SF8_ATT __m256 sf8_att_pow2(__m256i k)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(k, _mm256_set1_epi32(127)), 23));
}

SF8_ATT __m256 sf8_att_exp2(__m256 x)
{
    __m256 big = sf8_att_of(0x4b400000u), shifted = sf8_att_add(x, big);
    __m256 f = sf8_att_sub(x, sf8_att_sub(shifted, big)), p = sf8_att_of(0x391d3330u);
    p = sf8_att_fma(p, f, sf8_att_of(0x3aaf6b31u));
    p = sf8_att_fma(p, f, sf8_att_of(0x3c1d9a72u));
    p = sf8_att_fma(p, f, sf8_att_of(0x3d6357dcu));
    p = sf8_att_fma(p, f, sf8_att_of(0x3e75fdecu));
    p = sf8_att_fma(p, f, sf8_att_of(0x3f317218u));
    p = sf8_att_fma(p, f, sf8_att_of(SF8_F32_ONE));
    __m256i k = _mm256_sub_epi32(_mm256_castps_si256(shifted), _mm256_set1_epi32(0x4b400000));
    __m256i half = _mm256_srai_epi32(_mm256_add_epi32(k, _mm256_srli_epi32(k, 31)), 1);
    p = sf8_att_mul(p, sf8_att_pow2(half));
    p = sf8_att_mul(p, sf8_att_pow2(_mm256_sub_epi32(k, half)));
    __m256i order = sf8_att_order(x);
    p = sf8_att_choose(_mm256_cmpgt_epi32(order, _mm256_set1_epi32(0x42ffffff)),
                       sf8_att_of(SF8_F32_INF), p);
    p = sf8_att_choose(_mm256_cmpgt_epi32(_mm256_set1_epi32(-0x43170000), order),
                       _mm256_setzero_ps(), p);
    return sf8_att_choose(sf8_att_nan(x), sf8_att_of(SF8_F32_NAN), p);
}

/* ---- loops ----------------------------------------------------------------------------------- */

static void sf8_att_turn(uint32_t *across, const uint32_t *keys, size_t dim)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        for (size_t d = 0; d < dim; d++)
            across[d * SF8_ATTEND_CHUNK + j] = keys[j * dim + d];
}

SF8_AVX2 static void sf8_att_dots_loop(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q,
                                       const uint32_t *across, size_t dim)
{
    size_t each = dim / SF8_ATTEND_LANES;
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_ATT_LANES) {
        __m256 lane[SF8_ATTEND_LANES];
        for (size_t l = 0; l < SF8_ATTEND_LANES; l++)
            lane[l] = _mm256_setzero_ps();
        for (size_t d = 0; d < each; d++)
            for (size_t l = 0; l < SF8_ATTEND_LANES; l++)
                lane[l] = sf8_att_fma(sf8_att_of(q[l * each + d]),
                                      sf8_att_load(across + (l * each + d) * SF8_ATTEND_CHUNK + j),
                                      lane[l]);
        for (size_t n = SF8_ATTEND_LANES; n > 1; n /= 2)
            for (size_t l = 0; l < n / 2; l++)
                lane[l] = sf8_att_add(lane[2 * l], lane[2 * l + 1]);
        sf8_att_store(dot + j, lane[0]);
    }
}

SF8_AVX2 static void sf8_att_scores_loop(uint32_t score[SF8_ATTEND_CHUNK], sf8_attend_factor f,
                                         const uint32_t *k_scale)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_ATT_LANES) {
        __m256 x = sf8_att_load(score + j);
        if (k_scale)
            x = sf8_att_mul(x, sf8_att_load(k_scale + j));
        sf8_att_store(score + j, sf8_att_mul(x, sf8_att_of(f.scale)));
    }
    for (size_t j = 0; f.per_cap && j < SF8_ATTEND_CHUNK; j++)
        score[j] = sf8_f32_mul(sf8_f32_tanh(sf8_f32_mul(score[j], f.per_cap)), f.cap_log2e);
}

/* Half of the vectors are added to the other half, and so on; then the lanes of the last one. */
SF8_ATT uint32_t sf8_att_sum(__m256 w[SF8_ATT_VECTORS])
{
    for (size_t n = SF8_ATT_VECTORS / 2; n > 0; n /= 2)
        for (size_t i = 0; i < n; i++)
            w[i] = sf8_att_add(w[i], w[i + n]);
    __m256 x = w[0];
    x = sf8_att_add(x, _mm256_permute2f128_ps(x, x, 1));
    x = sf8_att_add(x, _mm256_permute_ps(x, 0x4e));
    x = sf8_att_add(x, _mm256_permute_ps(x, 0xb1));
    uint32_t word = (uint32_t)_mm256_extract_epi32(_mm256_castps_si256(x), 0);
    return sf8_f32_is_nan(word) ? SF8_F32_NAN : word;
}

/* The maximum of the keys that take part: NaN if one is NaN, and +0 for -0. */
SF8_ATT uint32_t sf8_att_most(const uint32_t score[SF8_ATTEND_CHUNK],
                              const __m256i where[SF8_ATT_VECTORS])
{
    __m256i most = _mm256_set1_epi32(-0x7f800000), nan = _mm256_setzero_si256();
    int32_t lane[SF8_ATT_LANES], largest = -0x7f800000;
    for (size_t i = 0; i < SF8_ATT_VECTORS; i++) {
        __m256 x = sf8_att_load(score + i * SF8_ATT_LANES);
        __m256i order = sf8_att_order(x);
        nan = _mm256_or_si256(nan, _mm256_and_si256(where[i], sf8_att_nan(x)));
        most = _mm256_max_epi32(
            most, _mm256_blendv_epi8(_mm256_set1_epi32(-0x7f800000), order, where[i]));
    }
    if (!_mm256_testz_si256(nan, nan))
        return SF8_F32_NAN;
    _mm256_storeu_si256((__m256i *)(void *)lane, most);
    for (size_t i = 0; i < SF8_ATT_LANES; i++)
        largest = lane[i] > largest ? lane[i] : largest;
    return largest < 0 ? 0x80000000u | (uint32_t)-largest : (uint32_t)largest;
}

SF8_AVX2 static sf8_attend_head sf8_att_weights_loop(uint32_t weight[SF8_ATTEND_CHUNK],
                                                     const uint32_t score[SF8_ATTEND_CHUNK],
                                                     uint64_t mask)
{
    const __m256i bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
    __m256i where[SF8_ATT_VECTORS];
    __m256 w[SF8_ATT_VECTORS];
    sf8_attend_head h;
    for (size_t i = 0; i < SF8_ATT_VECTORS; i++) {
        __m256i some = _mm256_set1_epi32((int32_t)(mask >> (SF8_ATT_LANES * i) & 255));
        where[i] = _mm256_cmpeq_epi32(_mm256_and_si256(some, bits), bits);
    }
    h.most = sf8_att_most(score, where);
    for (size_t i = 0; i < SF8_ATT_VECTORS; i++) {
        __m256 x = sf8_att_sub(sf8_att_load(score + i * SF8_ATT_LANES), sf8_att_of(h.most));
        __m256i some = sf8_attend_is_nothing(h) ? _mm256_setzero_si256() : where[i];
        w[i] = sf8_att_choose(some, sf8_att_exp2(x), _mm256_setzero_ps());
        sf8_att_store(weight + i * SF8_ATT_LANES, w[i]);
    }
    h.sum = sf8_att_sum(w);
    return h;
}

SF8_AVX2 static void sf8_att_scale_loop(uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *v_scale)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_ATT_LANES)
        sf8_att_store(weight + j, sf8_att_mul(sf8_att_load(weight + j), sf8_att_load(v_scale + j)));
}

enum { SF8_ATT_COLUMNS = 8 }; /* vectors of channels at a time */

/* The channels c to c + 8 n - 1. */
SF8_ATT void sf8_att_channels(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK],
                              const uint32_t *values, size_t dim, uint64_t mask, size_t c, size_t n)
{
    __m256 of[SF8_ATT_COLUMNS];
    for (size_t i = 0; i < n; i++)
        of[i] = _mm256_setzero_ps();
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++) {
        __m256 w = sf8_att_of(weight[j]);
        if (!(mask >> j & 1))
            continue;
        for (size_t i = 0; i < n; i++)
            of[i] = sf8_att_fma(w, sf8_att_load(values + j * dim + c + i * SF8_ATT_LANES), of[i]);
    }
    for (size_t i = 0; i < n; i++)
        sf8_att_store(sum + c + i * SF8_ATT_LANES, of[i]);
}

SF8_AVX2 static void sf8_att_values_loop(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK],
                                         const uint32_t *values, size_t dim, uint64_t mask)
{
    size_t c = 0;
    for (; dim - c >= SF8_ATT_COLUMNS * SF8_ATT_LANES; c += SF8_ATT_COLUMNS * SF8_ATT_LANES)
        sf8_att_channels(sum, weight, values, dim, mask, c, SF8_ATT_COLUMNS);
    for (; c < dim; c += SF8_ATT_LANES)
        sf8_att_channels(sum, weight, values, dim, mask, c, 1);
}

SF8_AVX2 static void sf8_att_join_loop(uint32_t *before, const uint32_t *after, sf8_attend_joint j,
                                       size_t n)
{
    for (size_t c = 0; c < n; c += SF8_ATT_LANES) {
        __m256 scaled = sf8_att_mul(sf8_att_load(after + c), sf8_att_of(j.after));
        sf8_att_store(before + c,
                      sf8_att_fma(sf8_att_load(before + c), sf8_att_of(j.before), scaled));
    }
}

/* ---- with MXCSR set -------------------------------------------------------------------------- */

enum { SF8_ATT_NEAREST = 0x1f80 };

#define SF8_ATT_WITH(call)                                                                         \
    do {                                                                                           \
        unsigned int mxcsr = _mm_getcsr();                                                         \
        _mm_setcsr(SF8_ATT_NEAREST);                                                               \
        call;                                                                                      \
        _mm_setcsr(mxcsr);                                                                         \
    } while (0)

static void sf8_att_dots(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q, const uint32_t *across,
                         size_t dim)
{
    void (*volatile loop)(uint32_t *, const uint32_t *, const uint32_t *,
                          size_t) = sf8_att_dots_loop;
    SF8_ATT_WITH(loop(dot, q, across, dim));
}

static void sf8_att_scores(uint32_t score[SF8_ATTEND_CHUNK], sf8_attend_factor f,
                           const uint32_t *k_scale)
{
    void (*volatile loop)(uint32_t *, sf8_attend_factor, const uint32_t *) = sf8_att_scores_loop;
    SF8_ATT_WITH(loop(score, f, k_scale));
}

static sf8_attend_head sf8_att_weights(uint32_t weight[SF8_ATTEND_CHUNK],
                                       const uint32_t score[SF8_ATTEND_CHUNK], uint64_t mask)
{
    sf8_attend_head (*volatile loop)(uint32_t *, const uint32_t *, uint64_t) = sf8_att_weights_loop;
    sf8_attend_head h;
    SF8_ATT_WITH(h = loop(weight, score, mask));
    return h;
}

static void sf8_att_scale(uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *v_scale)
{
    void (*volatile loop)(uint32_t *, const uint32_t *) = sf8_att_scale_loop;
    SF8_ATT_WITH(loop(weight, v_scale));
}

static void sf8_att_values(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK],
                           const uint32_t *values, size_t dim, uint64_t mask)
{
    void (*volatile loop)(uint32_t *, const uint32_t *, const uint32_t *, size_t,
                          uint64_t) = sf8_att_values_loop;
    SF8_ATT_WITH(loop(sum, weight, values, dim, mask));
}

static void sf8_att_join(uint32_t *before, const uint32_t *after, sf8_attend_joint j, size_t n)
{
    void (*volatile loop)(uint32_t *, const uint32_t *, sf8_attend_joint,
                          size_t) = sf8_att_join_loop;
    SF8_ATT_WITH(loop(before, after, j, n));
}

SF8_PRIVATE const sf8_attend_ops *sf8_attend_level_ops(int32_t level)
{
    static const sf8_attend_ops ops = {sf8_att_turn,    sf8_att_dots,  sf8_att_scores,
                                       sf8_att_weights, sf8_att_scale, sf8_att_values,
                                       sf8_att_join};
    return level >= SF8_LEVEL_AVX2 ? &ops : NULL;
}

#else

SF8_PRIVATE const sf8_attend_ops *sf8_attend_level_ops(int32_t level)
{
    (void)level;
    return NULL;
}

#endif

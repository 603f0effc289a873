/* SPDX-License-Identifier: MIT */
/* chunk_kernel.h -- the operations of attention on a chunk; included once for each level
 *
 * Keys are stored channel by channel, so that a vector is one channel of several keys and no lane
 * adds to another. The order is therefore that of <softfp8/attend/attend.h>, operation by
 * operation. They round as MXCSR says, which sf8_attend_at sets; a loop is called through a
 * pointer, so that the compiler cannot move code out of it. A NaN that is made here may have any
 * sign and payload until it is stored.
 */
enum { SF8_ATT(vectors) = SF8_ATTEND_CHUNK / SF8_LANES };

SF8_ON_FN void SF8_ATT(store)(uint32_t *to, SF8_U x)
{
    SF8_ON(store)(to, SF8_ON(made)(x));
}

SF8_ON_FN SF8_U SF8_ATT(pow2)(SF8_I k)
{
    return (SF8_U)(k + 127) << 23;
}

/* sf8_f32_exp2, with its branches as selections. */
SF8_ON_FN SF8_U SF8_ATT(exp2)(SF8_U x)
{
    static const uint32_t factor[] = {0x3aaf6b31u, 0x3c1d9a72u, 0x3d6357dcu,
                                      0x3e75fdecu, 0x3f317218u, SF8_F32_ONE};
    SF8_U big = SF8_ON(all)(0x4b400000u), shifted = SF8_ON(add)(x, big);
    SF8_U f = SF8_ON(sub)(x, SF8_ON(sub)(shifted, big)), p = SF8_ON(all)(0x391d3330u);
    for (size_t i = 0; i < sizeof factor / sizeof factor[0]; i++)
        p = SF8_ON(fused)(p, f, SF8_ON(all)(factor[i]));
    SF8_I k = (SF8_I)(shifted - 0x4b400000u), half = (k + (SF8_I)((SF8_U)k >> 31)) >> 1;
    p = SF8_ON(mul)(SF8_ON(mul)(p, SF8_ATT(pow2)(half)), SF8_ATT(pow2)(k - half));
    SF8_I order = SF8_ON(order)(x);
    p = SF8_ON(where)(order > 0x42ffffff, SF8_ON(all)(SF8_F32_INF), p);
    p = SF8_ON(where)(order < -0x43170000, SF8_ON(all)(0), p);
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(SF8_F32_NAN), p);
}

static void SF8_ATT(turn)(uint32_t *across, const uint32_t *keys, size_t dim)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++)
        for (size_t d = 0; d < dim; d++)
            across[d * SF8_ATTEND_CHUNK + j] = keys[j * dim + d];
}

SF8_TARGET static void SF8_ATT(dots)(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q,
                                     const uint32_t *across, size_t dim)
{
    size_t each = dim / SF8_ATTEND_LANES;
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_LANES) {
        SF8_U lane[SF8_ATTEND_LANES];
        for (size_t l = 0; l < SF8_ATTEND_LANES; l++)
            lane[l] = SF8_ON(all)(0);
        for (size_t d = 0; d < each; d++)
            for (size_t l = 0; l < SF8_ATTEND_LANES; l++) {
                size_t channel = l * each + d;
                lane[l] = SF8_ON(fused)(SF8_ON(all)(q[channel]),
                                        SF8_ON(load)(across + channel * SF8_ATTEND_CHUNK + j),
                                        lane[l]);
            }
        for (size_t n = SF8_ATTEND_LANES; n > 1; n /= 2)
            for (size_t l = 0; l < n / 2; l++)
                lane[l] = SF8_ON(add)(lane[2 * l], lane[2 * l + 1]);
        SF8_ATT(store)(dot + j, lane[0]);
    }
}

SF8_TARGET static void SF8_ATT(scores)(uint32_t score[SF8_ATTEND_CHUNK], sf8_attend_factor f,
                                       const uint32_t *k_scale)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_LANES) {
        SF8_U x = SF8_ON(load)(score + j);
        if (k_scale)
            x = SF8_ON(mul)(x, SF8_ON(load)(k_scale + j));
        SF8_ATT(store)(score + j, SF8_ON(mul)(x, SF8_ON(all)(f.scale)));
    }
    for (size_t j = 0; f.per_cap && j < SF8_ATTEND_CHUNK; j++)
        score[j] = sf8_f32_mul(sf8_f32_tanh(sf8_f32_mul(score[j], f.per_cap)), f.cap_log2e);
}

/* Half of the vectors are added to the other half, and so on; then half of the lanes of the last
 * one. */
SF8_ON_FN uint32_t SF8_ATT(sum)(SF8_U w[SF8_ATT(vectors)])
{
    uint32_t word[2 * SF8_LANES] = {0};
    for (size_t n = SF8_ATT(vectors) / 2; n > 0; n /= 2)
        for (size_t i = 0; i < n; i++)
            w[i] = SF8_ON(add)(w[i], w[i + n]);
    for (size_t n = SF8_LANES / 2; n > 0; n /= 2) {
        SF8_ON(store)(word, w[0]);
        w[0] = SF8_ON(add)(w[0], SF8_ON(load)(word + n));
    }
    SF8_ATT(store)(word, w[0]);
    return word[0];
}

/* The maximum of the keys that take part: NaN if one is NaN, and +0 for -0. */
SF8_ON_FN uint32_t SF8_ATT(most)(const uint32_t score[SF8_ATTEND_CHUNK],
                                 const SF8_I where[SF8_ATT(vectors)])
{
    SF8_U none = SF8_ON(set)(-0x7f800000), most = none;
    SF8_I nan = {0};
    for (size_t i = 0; i < SF8_ATT(vectors); i++) {
        SF8_U x = SF8_ON(load)(score + i * SF8_LANES);
        nan |= where[i] & SF8_ON(is_nan)(x);
        most = SF8_ON(max)(most, SF8_ON(where)(where[i], (SF8_U)SF8_ON(order)(x), none));
    }
    if (SF8_ON(any)(nan))
        return SF8_F32_NAN;
    int32_t largest = SF8_ON(largest)((SF8_I)most);
    return largest < 0 ? 0x80000000u | (uint32_t)-largest : (uint32_t)largest;
}

SF8_TARGET static sf8_attend_head SF8_ATT(weights)(uint32_t weight[SF8_ATTEND_CHUNK],
                                                   const uint32_t score[SF8_ATTEND_CHUNK],
                                                   uint64_t mask)
{
    SF8_I where[SF8_ATT(vectors)];
    SF8_U w[SF8_ATT(vectors)], bits;
    sf8_attend_head h;
    for (uint32_t i = 0; i < SF8_LANES; i++)
        bits[i] = (uint32_t)1 << i;
    for (size_t i = 0; i < SF8_ATT(vectors); i++)
        where[i] = (SF8_ON(all)((uint32_t)(mask >> (SF8_LANES * i))) & bits) != 0;
    h.most = SF8_ATT(most)(score, where);
    for (size_t i = 0; i < SF8_ATT(vectors); i++) {
        SF8_U x = SF8_ON(sub)(SF8_ON(load)(score + i * SF8_LANES), SF8_ON(all)(h.most));
        w[i] = sf8_attend_is_nothing(h) ? SF8_ON(all)(0) : SF8_ATT(exp2)(x) & (SF8_U)where[i];
        SF8_ATT(store)(weight + i * SF8_LANES, w[i]);
    }
    h.sum = SF8_ATT(sum)(w);
    return h;
}

SF8_TARGET static void SF8_ATT(scale)(uint32_t weight[SF8_ATTEND_CHUNK], const uint32_t *v_scale)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_LANES)
        SF8_ATT(store)
    (weight + j, SF8_ON(mul)(SF8_ON(load)(weight + j), SF8_ON(load)(v_scale + j)));
}

enum { SF8_ATT(columns) = 8 }; /* vectors of channels at a time */

/* The channels c to c + n * SF8_LANES - 1. */
SF8_ON_FN void SF8_ATT(channels)(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK],
                                 const uint32_t *values, size_t dim, uint64_t mask, size_t c,
                                 size_t n)
{
    SF8_U of[SF8_ATT(columns)];
    for (size_t i = 0; i < n; i++)
        of[i] = SF8_ON(all)(0);
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j++) {
        SF8_U w = SF8_ON(all)(weight[j]);
        if (!(mask >> j & 1))
            continue;
        for (size_t i = 0; i < n; i++)
            of[i] = SF8_ON(fused)(w, SF8_ON(load)(values + j * dim + c + i * SF8_LANES), of[i]);
    }
    for (size_t i = 0; i < n; i++)
        SF8_ATT(store)(sum + c + i * SF8_LANES, of[i]);
}

SF8_TARGET static void SF8_ATT(values)(uint32_t *sum, const uint32_t weight[SF8_ATTEND_CHUNK],
                                       const uint32_t *values, size_t dim, uint64_t mask)
{
    enum { COLUMNS = SF8_ATT(columns), WHOLE = COLUMNS * SF8_LANES };
    size_t c = 0;
    for (; dim - c >= WHOLE; c += WHOLE)
        SF8_ATT(channels)(sum, weight, values, dim, mask, c, COLUMNS);
    for (; dim - c >= SF8_LANES; c += SF8_LANES)
        SF8_ATT(channels)(sum, weight, values, dim, mask, c, 1);
    for (; c < dim; c++)
        sum[c] = sf8_attend_channel(weight, values + c, dim, mask);
}

SF8_TARGET static void SF8_ATT(join)(uint32_t *before, const uint32_t *after, sf8_attend_joint j,
                                     size_t n)
{
    size_t c = 0;
    for (; n - c >= SF8_LANES; c += SF8_LANES) {
        SF8_U scaled = SF8_ON(mul)(SF8_ON(load)(after + c), SF8_ON(all)(j.after));
        SF8_ATT(store)
        (before + c, SF8_ON(fused)(SF8_ON(load)(before + c), SF8_ON(all)(j.before), scaled));
    }
    for (; c < n; c++)
        before[c] = sf8_attend_join(j, before[c], after[c]);
}

#include "attend/order_kernel.h"

static const sf8_attend_ops SF8_ATT(ops) = {SF8_ATT(turn),    SF8_ATT(dots),        SF8_ATT(scores),
                                            SF8_ATT(weights), SF8_ATT(scale),       SF8_ATT(values),
                                            SF8_ATT(join),    &SF8_ATT(order_loops)};

/* SPDX-License-Identifier: MIT */
/* order_kernel.h -- the sums of other stacks' orders that use no matrix unit; included once for
 * each level, behind chunk_kernel.h
 *
 * A vector is one channel of several keys, or several channels of one value, so that each lane has
 * the order of order_part.c and order_values.c, operation by operation.
 */

/* Products of a query and 64 keys, which lie channel by channel, `stride` apart. */
SF8_TARGET static void SF8_ATT(order_chain)(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q,
                                            const uint32_t *keys, size_t stride, size_t dim)
{
    SF8_U sum[SF8_ATT(vectors)];
    for (size_t i = 0; i < SF8_ATT(vectors); i++)
        sum[i] = SF8_ON(all)(0);
    for (size_t d = 0; d < dim; d++)
        for (size_t i = 0; i < SF8_ATT(vectors); i++)
            sum[i] = SF8_ON(fused)(SF8_ON(all)(q[d]),
                                   SF8_ON(load)(keys + d * stride + i * SF8_LANES), sum[i]);
    for (size_t i = 0; i < SF8_ATT(vectors); i++)
        SF8_ATT(store)(dot + i * SF8_LANES, sum[i]);
}

/* As many sums as `lanes`, which channels take in turn. */
SF8_ON_FN void SF8_ATT(order_lanes)(SF8_U *lane, size_t lanes, const uint32_t *q,
                                    const uint32_t *keys, size_t stride, size_t dim)
{
    for (size_t l = 0; l < lanes; l++)
        lane[l] = SF8_ON(all)(0);
    for (size_t d = 0; d < dim; d++)
        lane[d % lanes] = SF8_ON(fused)(SF8_ON(all)(q[d]), SF8_ON(load)(keys + d * stride),
                                        lane[d % lanes]);
}

SF8_TARGET static void SF8_ATT(order_threads)(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q,
                                              const uint32_t *keys, size_t stride, size_t dim)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_LANES) {
        SF8_U lane[8];
        SF8_ATT(order_lanes)(lane, 8, q, keys + j, stride, dim);
        for (size_t l = 0; l < 8; l += 4)
            for (size_t i = 1; i < 4; i++)
                lane[l] = SF8_ON(add)(lane[l], lane[l + i]);
        SF8_ATT(store)(dot + j, SF8_ON(add)(lane[0], lane[4]));
    }
}

SF8_TARGET static void SF8_ATT(order_registers)(uint32_t dot[SF8_ATTEND_CHUNK], const uint32_t *q,
                                                const uint32_t *keys, size_t stride, size_t dim)
{
    for (size_t j = 0; j < SF8_ATTEND_CHUNK; j += SF8_LANES) {
        SF8_U lane[32];
        SF8_ATT(order_lanes)(lane, 32, q, keys + j, stride, dim);
        for (size_t half = 16; half > 2; half /= 2)
            for (size_t l = 0; l < half; l++)
                lane[l] = SF8_ON(add)(lane[l], lane[l + half]);
        SF8_ATT(store)
        (dot + j, SF8_ON(add)(SF8_ON(add)(lane[0], lane[1]), SF8_ON(add)(lane[2], lane[3])));
    }
}

/* ---- rounded to 16 bits ---------------------------------------------------------------------- */

/* To nearest even: the bits that are lost make the last one that stays larger, or do not. */
SF8_ON_FN SF8_U SF8_ATT(bf16)(SF8_U x)
{
    SF8_U rounded = (x + 0x7fffu + (x >> 16 & 1)) & 0xffff0000u;
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(SF8_F32_NAN), rounded);
}

/* Below 2^-14 the last place is that of 1/2 in f32; from 65520 on the result is infinite. */
SF8_ON_FN SF8_U SF8_ATT(f16)(SF8_U x)
{
    SF8_U half = SF8_ON(all)(0x3f000000u), sign = SF8_ON(sign)(x);
    SF8_U small = SF8_ON(sub)(SF8_ON(add)((SF8_U)SF8_ON(magnitude)(x), half), half) | sign;
    SF8_U large = (x + 0xfffu + (x >> 13 & 1)) & ~0x1fffu;
    SF8_I overflows = SF8_ON(magnitude)(large) >= 0x47800000;
    large = SF8_ON(where)(overflows, SF8_ON(all)(SF8_F32_INF) | sign, large);
    large = SF8_ON(where)(SF8_ON(magnitude)(x) < 0x38800000, small, large);
    return SF8_ON(where)(SF8_ON(is_nan)(x), SF8_ON(all)(SF8_F32_NAN), large);
}

SF8_ON_FN SF8_U SF8_ATT(rounded)(SF8_U x, int32_t half)
{
    return half == SF8_ORDER_F16 ? SF8_ATT(f16)(x) : half == SF8_ORDER_BF16 ? SF8_ATT(bf16)(x) : x;
}

/* ---- values ---------------------------------------------------------------------------------- */

/* The channels from c on, n registers of them: one fma for each key, each rounded to `half`. */
SF8_ON_FN void SF8_ATT(order_channels)(uint32_t *sum, const uint32_t *weight,
                                       const uint32_t *values, size_t columns, size_t keys,
                                       int32_t half, size_t n)
{
    SF8_U of[SF8_ATT(columns)];
    for (size_t i = 0; i < n; i++)
        of[i] = SF8_ON(load)(sum + i * SF8_LANES);
    for (size_t j = 0; j < keys; j++)
        for (size_t i = 0; i < n; i++) {
            SF8_U v = SF8_ON(load)(values + j * columns + i * SF8_LANES);
            of[i] = SF8_ATT(rounded)(SF8_ON(fused)(SF8_ON(all)(weight[j]), v, of[i]), half);
        }
    for (size_t i = 0; i < n; i++)
        SF8_ATT(store)(sum + i * SF8_LANES, of[i]);
}

SF8_TARGET static size_t SF8_ATT(order_values)(uint32_t *sum, const uint32_t *weight,
                                               const uint32_t *values, size_t columns, size_t keys,
                                               int32_t half)
{
    enum { COLUMNS = SF8_ATT(columns), WHOLE = COLUMNS * SF8_LANES };
    size_t c = 0;
    for (; columns - c >= WHOLE; c += WHOLE)
        SF8_ATT(order_channels)(sum + c, weight, values + c, columns, keys, half, COLUMNS);
    for (; columns - c >= SF8_LANES; c += SF8_LANES)
        SF8_ATT(order_channels)(sum + c, weight, values + c, columns, keys, half, 1);
    return c;
}

/* Eight products, each rounded to `half`: neighbours are added, then one pair after the other. */
SF8_TARGET static size_t SF8_ATT(order_eight)(uint32_t *sum, const uint32_t *weight,
                                              const uint32_t *values, size_t columns, int32_t half)
{
    size_t c = 0;
    for (; columns - c >= SF8_LANES; c += SF8_LANES) {
        SF8_U product[8];
        for (size_t j = 0; j < 8; j++)
            product[j] = SF8_ATT(rounded)(
                SF8_ON(mul)(SF8_ON(all)(weight[j]), SF8_ON(load)(values + j * columns + c)), half);
        for (size_t j = 0; j < 8; j += 2) {
            product[j] = SF8_ON(add)(product[j], product[j + 1]);
            if (j > 0)
                product[0] = SF8_ON(add)(product[0], product[j]);
        }
        SF8_ATT(store)(sum + c, SF8_ON(add)(SF8_ON(load)(sum + c), product[0]));
    }
    return c;
}

static const sf8_order_loops SF8_ATT(order_loops) = {
    {SF8_ATT(order_chain), SF8_ATT(order_threads), NULL, SF8_ATT(order_registers)},
    SF8_ATT(order_values),
    SF8_ATT(order_eight)};

/* SPDX-License-Identifier: MIT */
/* work.c -- the array operations that are measured, and what each must give */
#include "bench.h"

size_t bench_element(sf8_format f)
{
    int bits = f.is_signed + f.exp_bits + f.man_bits;
    return bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
}

static uint64_t element(const uint8_t *array, sf8_format f, size_t i)
{
    switch (bench_element(f)) {
    case 1:
        return array[i];
    case 2:
        return ((const uint16_t *)(const void *)array)[i];
    case 4:
        return ((const uint32_t *)(const void *)array)[i];
    default:
        return ((const uint64_t *)(const void *)array)[i];
    }
}

/* ---- conversions ----------------------------------------------------------------------------- */

static void convert(const bench_work *w)
{
    sf8_convert_n_at(w->level, w->to, w->dst, w->from, w->src[0], w->n, w->policy);
}

uint64_t bench_convert_right(const bench_work *w, size_t i)
{
    return sf8_convert(w->to, w->from, element(w->src[0], w->from, i), w->policy);
}

static const uint32_t *randoms(const bench_work *w)
{
    return (const uint32_t *)(const void *)w->src[1];
}

static void convert_sr(const bench_work *w)
{
    sf8_convert_sr_n(w->to, w->dst, w->from, w->src[0], w->n, w->policy, randoms(w));
}

static uint64_t convert_sr_right(const bench_work *w, size_t i)
{
    return sf8_convert_sr(w->to, w->from, element(w->src[0], w->from, i), w->policy, randoms(w)[i])
        .code;
}

static void convert_seeded(const bench_work *w)
{
    sf8_convert_seeded_n(w->to, w->dst, w->from, w->src[0], w->n, w->policy, 1, 0);
}

static uint64_t convert_seeded_right(const bench_work *w, size_t i)
{
    uint32_t word;
    sf8_random_n(&word, 1, 1, i);
    return sf8_convert_sr(w->to, w->from, element(w->src[0], w->from, i), w->policy, word).code;
}

const bench_operation bench_convert_seeded = {1,   convert_seeded, convert_seeded_right, NULL, 0,
                                              NULL};
const bench_operation bench_convert = {1, convert, bench_convert_right, NULL, 0, NULL};
const bench_operation bench_convert_sr = {2, convert_sr, convert_sr_right, NULL, 0, NULL};

/* ---- arithmetic ------------------------------------------------------------------------------ */

#define BINARY(op)                                                                                 \
    static void op(const bench_work *w)                                                            \
    {                                                                                              \
        sf8_##op##_n(w->to, w->dst, w->src[0], w->src[1], w->n, w->policy);                        \
    }                                                                                              \
    uint64_t bench_##op##_right(const bench_work *w, size_t i)                                     \
    {                                                                                              \
        return sf8_##op(w->to, w->src[0][i], w->src[1][i], w->policy).code;                        \
    }                                                                                              \
    const bench_operation bench_##op = {2, op, bench_##op##_right, NULL, 0, NULL};

BINARY(add)
BINARY(sub)
BINARY(mul)
BINARY(div)

static void fused(const bench_work *w)
{
    sf8_fma_n(w->to, w->dst, w->src[0], w->src[1], w->src[2], w->n, w->policy);
}

uint64_t bench_fma_right(const bench_work *w, size_t i)
{
    return sf8_fma(w->to, w->src[0][i], w->src[1][i], w->src[2][i], w->policy).code;
}

const bench_operation bench_fma = {3, fused, bench_fma_right, NULL, 0, NULL};

/* ---- packing: bit by bit, the first code in the lowest bits -----------------------------------
 */

static void pack(const bench_work *w)
{
    sf8_pack_n(w->bits, w->dst, w->src[0], w->n);
}

static size_t packed(const bench_work *w)
{
    return (w->n * (size_t)w->bits + 7) / 8;
}

static uint64_t pack_right(const bench_work *w, size_t i)
{
    uint64_t byte = 0;
    size_t bits = (size_t)w->bits;
    for (size_t k = 0; k < 8; k++) {
        size_t at = 8 * i + k;
        if (at / bits < w->n)
            byte |= (uint64_t)(w->src[0][at / bits] >> at % bits & 1) << k;
    }
    return byte;
}

static void unpack(const bench_work *w)
{
    sf8_unpack_n(w->bits, w->dst, w->src[0], w->n);
}

static uint64_t unpack_right(const bench_work *w, size_t i)
{
    uint64_t code = 0;
    for (size_t k = 0; k < (size_t)w->bits; k++) {
        size_t at = (size_t)w->bits * i + k;
        code |= (uint64_t)(w->src[0][at / 8] >> at % 8 & 1) << k;
    }
    return code;
}

const bench_operation bench_pack = {1, pack, pack_right, packed, 0, NULL};
const bench_operation bench_unpack = {1, unpack, unpack_right, NULL, 0, NULL};

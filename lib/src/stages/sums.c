/* SPDX-License-Identifier: MIT */
/* sums.c -- the sum of a row of intervals, in the order of a step */
#include "stages/sums.h"

#include <string.h>

enum { SF8_STAGE_LANES = 1024 };

static sf8_span sf8_stage_term(const sf8_span *a, const sf8_span *b, size_t i)
{
    return b ? sf8_span_mul(a[i], b[i]) : a[i];
}

static sf8_span sf8_stage_added(const sf8_stage_step *s, sf8_span sum, const sf8_span *a,
                                const sf8_span *b, size_t i)
{
    if (b && s->fuse)
        return sf8_span_fma(a[i], b[i], sum);
    return sf8_span_add(sum, sf8_stage_term(a, b, i));
}

/* ---- orders that are known ------------------------------------------------------------------- */

/* The sums of 2^k neighbours: see f32_sums.c. */
static sf8_span sf8_stage_tree(const sf8_span *a, const sf8_span *b, size_t n)
{
    sf8_span sum[65];
    size_t depth = 0;
    for (size_t i = 0; i < n; i++) {
        sum[depth++] = sf8_stage_term(a, b, i);
        for (size_t carry = i + 1; !(carry & 1); carry >>= 1, depth--)
            sum[depth - 2] = sf8_span_add(sum[depth - 2], sum[depth - 1]);
    }
    for (; depth > 1; depth--)
        sum[depth - 2] = sf8_span_add(sum[depth - 2], sum[depth - 1]);
    return depth ? sum[0] : sf8_span_of(0);
}

static sf8_span sf8_stage_joined(uint32_t join, sf8_span *sum, size_t n)
{
    if (join == SF8_JOINS_NEIGHBOURS)
        return sf8_stage_tree(sum, NULL, n);
    for (size_t half = n / 2; join == SF8_JOINS_HALVES && half > 0; half /= 2)
        for (size_t t = 0; t < half; t++)
            sum[t] = sf8_span_add(sum[t], sum[t + half]);
    for (size_t t = 1; join == SF8_JOINS_CHAIN && t < n; t++)
        sum[0] = sf8_span_add(sum[0], sum[t]);
    return sum[0];
}

static sf8_span sf8_stage_lanes(const sf8_stage_step *s, const sf8_span *a, const sf8_span *b,
                                size_t n)
{
    sf8_span sum[SF8_STAGE_LANES];
    for (size_t t = 0; t < s->lanes; t++)
        sum[t] = sf8_span_of(0);
    for (size_t i = 0; i < n; i++) {
        size_t t = i / s->each % s->lanes;
        sum[t] = sf8_stage_added(s, sum[t], a, b, i);
    }
    return sf8_stage_joined(s->join, sum, s->lanes);
}

/* Adds `count` terms, of which the first is at `first`, and `step` lie between neighbours. After
 * each 2^power terms the first of four sums goes to the second, after each 2^(2 power) that to the
 * third, and so on. */
static sf8_span sf8_stage_cascade(const sf8_stage_step *s, const sf8_span *a, const sf8_span *b,
                                  size_t first, size_t step, size_t count)
{
    sf8_span sum[4];
    size_t log = 0, i = 0;
    while (log < 60 && (size_t)1 << log < count)
        log++;
    size_t power = log / 4 > 4 ? log / 4 : 4, several = (size_t)1 << power;
    for (int k = 0; k < 4; k++)
        sum[k] = sf8_span_of(0);
    for (; count - i >= several;) {
        for (size_t end = i + several; i < end; i++)
            sum[0] = sf8_stage_added(s, sum[0], a, b, first + step * i);
        for (size_t k = 1; k < 4; k++) {
            sum[k] = sf8_span_add(sum[k], sum[k - 1]);
            sum[k - 1] = sf8_span_of(0);
            if (i >> k * power & (several - 1))
                break;
        }
    }
    for (; i < count; i++)
        sum[0] = sf8_stage_added(s, sum[0], a, b, first + step * i);
    for (int k = 1; k < 4; k++)
        sum[0] = sf8_span_add(sum[0], sum[k]);
    return sum[0];
}

/* ATen's vectorized_inner_sum: four vectors in turn, each lane a cascade; then the vectors, then
 * what is left of the row, then the lanes. */
static sf8_span sf8_stage_torch(const sf8_stage_step *s, const sf8_span *a, const sf8_span *b,
                                size_t n)
{
    size_t lanes = s->lanes, vectors = n / lanes, fours = vectors / 4;
    sf8_span sum = sf8_span_of(0);
    for (size_t i = vectors * lanes; i < n; i++)
        sum = sf8_stage_added(s, sum, a, b, i);
    for (size_t lane = 0; lane < lanes; lane++) {
        sf8_span part = sf8_stage_cascade(s, a, b, lane, 4 * lanes, fours);
        for (size_t v = 4 * fours; v < vectors; v++)
            part = sf8_stage_added(s, part, a, b, v * lanes + lane);
        for (size_t k = 1; k < 4; k++)
            part = sf8_span_add(part,
                                sf8_stage_cascade(s, a, b, k * lanes + lane, 4 * lanes, fours));
        sum = sf8_span_add(sum, part);
    }
    return sum;
}

/* ---- the exact sum --------------------------------------------------------------------------- */

/* Integers in units of 2^-298: the sum of the positive products, and of the negative ones. A
 * product is below 2^256, and there are at most 2^64: bit 618 of 640. */
enum { SF8_STAGE_LIMBS = 20, SF8_STAGE_UNIT = -298 };

typedef struct sf8_stage_exact {
    uint32_t limb[2][SF8_STAGE_LIMBS];
    uint32_t special; /* the sum of all products that are infinite or NaN */
} sf8_stage_exact;

static uint32_t sf8_stage_split(uint32_t x, int32_t *exponent)
{
    uint32_t field = x >> 23 & 255;
    *exponent = (int32_t)(field ? field : 1) - 150;
    return (x & 0x7fffffu) | (field ? 0x800000u : 0);
}

static void sf8_stage_exact_add(sf8_stage_exact *e, uint32_t a, uint32_t b)
{
    int32_t exponent_a, exponent_b;
    if (sf8_f32_magnitude(a) >= SF8_F32_INF || sf8_f32_magnitude(b) >= SF8_F32_INF) {
        e->special = sf8_f32_add(e->special, sf8_f32_mul(a, b));
        return;
    }
    uint64_t sig = sf8_stage_split(a, &exponent_a);
    sig *= sf8_stage_split(b, &exponent_b);
    uint32_t place = (uint32_t)(exponent_a + exponent_b - SF8_STAGE_UNIT), shift = place % 32;
    uint32_t *at = e->limb[(a ^ b) >> 31] + place / 32;
    uint64_t low = sig << shift, high = shift ? sig >> (64 - shift) : 0;
    uint64_t carry = (low & 0xffffffffu) + *at;
    *at++ = (uint32_t)carry;
    carry = (carry >> 32) + (low >> 32) + *at;
    *at++ = (uint32_t)carry;
    for (carry = (carry >> 32) + high; carry; carry >>= 32) {
        carry += *at;
        *at++ = (uint32_t)carry;
    }
}

static uint32_t sf8_stage_exact_round(const sf8_stage_exact *e, uint32_t round)
{
    int32_t top = SF8_STAGE_LIMBS - 1;
    uint32_t limb[SF8_STAGE_LIMBS] = {0}, sign, rest = 0;
    int64_t borrow = 0;
    if (e->special)
        return e->special;
    while (top > 0 && e->limb[0][top] == e->limb[1][top])
        top--;
    sign = e->limb[0][top] < e->limb[1][top];
    for (int32_t i = 0; i <= top; i++) {
        borrow += (int64_t)e->limb[sign][i] - (int64_t)e->limb[!sign][i];
        limb[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    while (top > 1 && limb[top] == 0)
        top--;
    top = top < 1 ? 1 : top;
    for (int32_t i = 0; i < top - 1; i++)
        rest |= limb[i];
    uint64_t sig = (uint64_t)limb[top] << 32 | limb[top - 1];
    rest |= (uint32_t)sig & 7;
    return sf8_wide_result(sign, SF8_STAGE_UNIT + 32 * (top - 1) + 3, sig >> 3 | (rest != 0),
                           round);
}

/* The exact sum of intervals. The ends of products are products of ends: without b, and where
 * both are known, they are exact; else they are rounded first. */
static sf8_span sf8_stage_exactly(const sf8_span *a, const sf8_span *b, size_t n)
{
    sf8_stage_exact lower, upper;
    memset(&lower, 0, sizeof lower);
    memset(&upper, 0, sizeof upper);
    for (size_t i = 0; i < n; i++) {
        if (b && (!sf8_span_is_one(a[i]) || !sf8_span_is_one(b[i]))) {
            sf8_span product = sf8_span_mul(a[i], b[i]);
            sf8_stage_exact_add(&lower, sf8_f32_step_by(product.lo, -1), SF8_F32_ONE);
            sf8_stage_exact_add(&upper, sf8_f32_step_by(product.hi, 1), SF8_F32_ONE);
        } else {
            sf8_stage_exact_add(&lower, a[i].lo, b ? b[i].lo : SF8_F32_ONE);
            sf8_stage_exact_add(&upper, a[i].hi, b ? b[i].hi : SF8_F32_ONE);
        }
    }
    return sf8_span_known(sf8_stage_exact_round(&lower, SF8_RNE),
                          sf8_stage_exact_round(&upper, SF8_RNE));
}

/* ---- any order ------------------------------------------------------------------------------- */

static uint32_t sf8_stage_up(uint32_t multiply, uint32_t a, uint32_t b, uint32_t round)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = round & SF8_ROUND_MASK;
    return (uint32_t)(multiply ? sf8_core_mul(SF8_F32, a, b, policy, 0)
                               : sf8_core_add(SF8_F32, a, b, policy, 0))
        .code;
}

/* Every sum of terms t of which none passes through more than `depth` additions. With u = 2^-24 it
 * is off by at most g times the sum of all |t|, with g = d u / (1 - d u) and d = depth, which is
 * below d u (1 + 2^-7) up to 2^16. A product that is rounded, or whose rounding this takes back,
 * adds 2 to d; and 2^-149 for each one that is subnormal. */
static sf8_span sf8_stage_any(const sf8_stage_step *s, const sf8_span *a, const sf8_span *b,
                              size_t n)
{
    sf8_stage_exact lower, upper, size;
    uint32_t depth = s->depth ? s->depth : n > 1 ? (uint32_t)(n < 65536 ? n - 1 : 65535) : 1;
    memset(&lower, 0, sizeof lower);
    memset(&upper, 0, sizeof upper);
    memset(&size, 0, sizeof size);
    for (size_t i = 0; i < n; i++) {
        sf8_span t = sf8_stage_term(a, b, i);
        uint32_t most = sf8_f32_most(sf8_f32_magnitude(t.lo), sf8_f32_magnitude(t.hi));
        sf8_stage_exact_add(&lower, t.lo, SF8_F32_ONE);
        sf8_stage_exact_add(&upper, t.hi, SF8_F32_ONE);
        sf8_stage_exact_add(&size, most, SF8_F32_ONE);
    }
    uint32_t error = sf8_stage_exact_round(&size, SF8_RU);
    error = sf8_stage_up(1, error, sf8_f32_of((int32_t)depth + (b ? 2 : 0)), SF8_RU);
    error = sf8_stage_up(1, error, 0x33810000u, SF8_RU); /* 2^-24 (1 + 2^-7) */
    error = sf8_stage_up(0, error, (uint32_t)(n < 0x800000 ? n : 0x800000), SF8_RU);
    uint32_t lo = sf8_stage_exact_round(&lower, SF8_RD), hi = sf8_stage_exact_round(&upper, SF8_RU);
    return sf8_span_known(sf8_stage_up(0, lo, error ^ 0x80000000u, SF8_RD),
                          sf8_stage_up(0, hi, error, SF8_RU));
}

SF8_PRIVATE sf8_span sf8_stage_sum(const sf8_stage_step *s, const sf8_span *a, const sf8_span *b,
                                   size_t n, int32_t bounds)
{
    sf8_span sum = sf8_span_of(0);
    switch (s->sums) {
    case SF8_SUMS_SEQUENTIAL:
        for (size_t i = 0; i < n; i++)
            sum = sf8_stage_added(s, sum, a, b, i);
        return sum;
    case SF8_SUMS_TREE:
        return sf8_stage_tree(a, b, n);
    case SF8_SUMS_LANES:
        return sf8_stage_lanes(s, a, b, n);
    case SF8_SUMS_TORCH:
        return sf8_stage_torch(s, a, b, n);
    case SF8_SUMS_EXACT:
        return sf8_stage_exactly(a, b, n);
    default:
        return bounds ? sf8_stage_any(s, a, b, n) : sf8_stage_exactly(a, b, n);
    }
}

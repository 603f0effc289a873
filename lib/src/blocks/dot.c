/* SPDX-License-Identifier: MIT */
/* dot.c -- dot products of quantized rows, exact until one rounding
 *
 * A product of two codes and two scales is an integer of at most 64 bits times a power of two:
 * codes have at most 8 significant bits, scales 24. It is added to one of two sums, that of the
 * positive or that of the negative products. The sums are integers in units of 2^-600:
 *
 *     least    (2^-149)^4 = 2^-596
 *     largest  (2^128)^4 = 2^512, and 2^64 of them: below 2^576, bit 1176 of 1280
 */
#include "softfp8/scalar.h"
#include "softfp8_blocks.h"

#include <string.h>

#include "blocks/given.h"
#include "text/bignum.h"

enum { SF8_DOT_LIMBS = 40, SF8_DOT_UNIT = -600 };

/* sum[0] of the positive products, sum[1] of the negative ones; and which NaN and infinities
 * occurred. */
typedef struct sf8_dot_sum {
    uint32_t sum[2][SF8_DOT_LIMBS];
    uint32_t nan, infinite[2];
} sf8_dot_sum;

/* odd * 2^exponent, or zero, infinity, NaN. */
typedef struct sf8_dot_factor {
    uint64_t odd;
    int32_t exponent;
    uint32_t sign, zero, infinite, nan;
} sf8_dot_factor;

static sf8_dot_factor sf8_dot_split(uint32_t word)
{
    sf8_dot_factor f;
    uint32_t exponent = word >> 23 & 255;
    memset(&f, 0, sizeof f);
    f.sign = word >> 31;
    f.nan = sf8_f32_is_nan(word);
    f.infinite = sf8_f32_magnitude(word) == SF8_F32_INF;
    f.zero = sf8_f32_magnitude(word) == 0;
    if (f.nan || f.infinite || f.zero)
        return f;
    f.odd = (word & 0x7fffffu) | (exponent ? 0x800000u : 0);
    f.exponent = (int32_t)(exponent ? exponent : 1) - 150;
    for (; !(f.odd & 1); f.odd >>= 1)
        f.exponent++;
    return f;
}

static sf8_dot_factor sf8_dot_times(sf8_dot_factor a, sf8_dot_factor b)
{
    a.odd *= b.odd;
    a.exponent += b.exponent;
    a.sign ^= b.sign;
    a.nan |= b.nan | (a.infinite & b.zero) | (a.zero & b.infinite);
    a.infinite |= b.infinite;
    a.zero |= b.zero;
    return a;
}

static void sf8_dot_add(sf8_dot_sum *s, sf8_dot_factor p)
{
    if (p.nan)
        s->nan = 1;
    else if (p.infinite)
        s->infinite[p.sign] = 1;
    if (p.nan || p.infinite || p.zero)
        return;
    uint32_t place = (uint32_t)(p.exponent - SF8_DOT_UNIT), shift = place % 32;
    uint32_t *at = s->sum[p.sign] + place / 32;
    uint64_t low = p.odd << shift, high = shift ? p.odd >> (64 - shift) : 0;
    uint64_t carry = (low & 0xffffffffu) + *at;
    *at++ = (uint32_t)carry;
    carry = (carry >> 32) + (low >> 32) + *at;
    *at++ = (uint32_t)carry;
    for (carry = (carry >> 32) + high; carry; carry >>= 32) {
        carry += *at;
        *at++ = (uint32_t)carry;
    }
}

/* ---- rows ------------------------------------------------------------------------------------ */

static sf8_dot_factor sf8_dot_scale(const sf8_blocks *a, size_t block)
{
    uint64_t code = a->scales[block];
    return sf8_dot_split(
        (uint32_t)sf8_core_convert(SF8_F32, a->recipe->scale, code, SF8_OCP_NOSAT, 0).code);
}

static void sf8_dot_rows(sf8_dot_sum *s, const sf8_blocks *a, size_t row_a, const sf8_blocks *b,
                         size_t row_b, size_t columns)
{
    size_t block_a = a->recipe->block ? (size_t)a->recipe->block : columns;
    size_t block_b = b->recipe->block ? (size_t)b->recipe->block : columns;
    size_t blocks_a = sf8_recipe_blocks(a->recipe, columns);
    size_t blocks_b = sf8_recipe_blocks(b->recipe, columns);
    sf8_dot_factor scales;
    size_t first_a = row_a / sf8_recipe_rows(a->recipe) * blocks_a;
    size_t first_b = row_b / sf8_recipe_rows(b->recipe) * blocks_b;
    memset(s, 0, sizeof *s);
    memset(&scales, 0, sizeof scales);
    for (size_t i = 0; i < columns; i++) {
        if (i % block_a == 0 || i % block_b == 0)
            scales = sf8_dot_times(sf8_dot_scale(a, first_a + i / block_a),
                                   sf8_dot_scale(b, first_b + i / block_b));
        sf8_dot_factor p = sf8_dot_times(
            sf8_dot_split(sf8_block_element(a->recipe, a->codes[row_a * columns + i])),
            sf8_dot_split(sf8_block_element(b->recipe, b->codes[row_b * columns + i])));
        sf8_dot_add(s, sf8_dot_times(p, scales));
    }
}

/* Returns |positive - negative|, and whether the difference is negative. */
static uint32_t sf8_dot_difference(const sf8_dot_sum *s, sf8_big *big)
{
    int32_t top = SF8_DOT_LIMBS - 1;
    int64_t borrow = 0;
    while (top > 0 && s->sum[0][top] == s->sum[1][top])
        top--;
    uint32_t negative = s->sum[0][top] < s->sum[1][top];
    for (int32_t i = 0; i <= top; i++) {
        borrow += (int64_t)s->sum[negative][i] - (int64_t)s->sum[!negative][i];
        big->limb[i] = (uint32_t)borrow;
        borrow = borrow < 0 ? -1 : 0;
    }
    for (big->count = top + 1; big->count && big->limb[big->count - 1] == 0;)
        big->count--;
    return negative;
}

static sf8_result sf8_dot_round(sf8_format to, sf8_policy policy, const sf8_dot_sum *s,
                                uint32_t alpha)
{
    sf8_dot_factor f = sf8_dot_split(alpha);
    sf8_big big;
    uint32_t rest, negative = sf8_dot_difference(s, &big);
    if (s->infinite[0] || s->infinite[1])
        negative = s->infinite[1];
    uint32_t infinite = s->infinite[0] | s->infinite[1], zero = !infinite && big.count == 0;
    uint32_t nan = s->nan | (s->infinite[0] & s->infinite[1]) | f.nan | (infinite & f.zero) |
                   (zero & f.infinite);
    negative ^= f.sign;
    if (nan || infinite || f.infinite)
        return sf8_core_convert(
            to, SF8_F32, nan ? SF8_F32_NAN : SF8_F32_INF | (uint64_t)negative << 31, policy, 0);
    if (zero || f.zero)
        return sf8_core_convert(to, SF8_F32, 0, policy, 0);
    sf8_big_mul_add(&big, (uint32_t)f.odd, 0);
    uint64_t sig = sf8_big_top(&big, &rest);
    int32_t exponent = f.exponent + SF8_DOT_UNIT + sf8_big_bits(&big) - 62;
    return sf8_core_round_number(to, policy, negative, exponent, sig >> 2 | ((sig & 3) != 0) | rest,
                                 0);
}

/* ---- the doors ------------------------------------------------------------------------------- */

/* Returns the bytes of an element of the result; 0 for an unsupported format. */
static size_t sf8_dot_width(sf8_format f)
{
    const sf8_format formats[4] = {SF8_F64, SF8_F32, SF8_BF16, SF8_F16};
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (memcmp(&f, &formats[i], sizeof f) == 0)
            return (size_t)sf8_format_bits(f) / 8;
    return 0;
}

/* `to_all` receives the results of m rows of a and n rows of b. */
static sf8_status sf8_dot_check(sf8_format to, sf8_policy policy, const void *to_all,
                                const sf8_blocks *a, size_t m, const sf8_blocks *b, size_t n,
                                size_t k)
{
    if (sf8_dot_width(to) == 0)
        return SF8_BAD_FORMAT;
    if ((!to_all && m != 0 && n != 0) || sf8_blocks_read_given(a, "", m, k) != SF8_OK ||
        sf8_blocks_read_given(b, "", n, k) != SF8_OK)
        return SF8_BAD_CALL;
    return policy.round == SF8_SR || a->recipe->offset_at != SF8_OFFSET_NONE ||
                   b->recipe->offset_at != SF8_OFFSET_NONE
               ? SF8_BAD_CALL
               : SF8_OK;
}

sf8_status sf8_blocks_dot(sf8_format to, sf8_policy policy, sf8_result *result, const sf8_blocks *a,
                          const sf8_blocks *b, size_t columns, float alpha)
{
    sf8_dot_sum s;
    sf8_status status = sf8_dot_check(to, policy, result, a, 1, b, 1, columns);
    if (status != SF8_OK)
        return status;
    sf8_dot_rows(&s, a, 0, b, 0, columns);
    *result = sf8_dot_round(to, policy, &s, sf8_f32_bits(alpha));
    return SF8_OK;
}

static sf8_status sf8_matmul_sizes(size_t width, size_t m, size_t n, size_t k)
{
    size_t most = PTRDIFF_MAX / width;
    return (n != 0 && m > most / n) || (k != 0 && (m > most / k || n > most / k)) ? SF8_BAD_CALL
                                                                                  : SF8_OK;
}

sf8_status sf8_blocks_matmul(sf8_format to, sf8_policy policy, void *dst, const sf8_blocks *a,
                             size_t m, const sf8_blocks *b, size_t n, size_t k, float alpha)
{
    sf8_dot_sum s;
    sf8_status status = sf8_dot_check(to, policy, dst, a, m, b, n, k);
    size_t width = sf8_dot_width(to);
    if (status == SF8_OK)
        status = sf8_matmul_sizes(width, m, n, k);
    if (status != SF8_OK)
        return status;
    for (size_t i = 0; n != 0 && i < m; i++)
        for (size_t j = 0; j < n; j++) {
            unsigned char *at = (unsigned char *)dst + (i * n + j) * width;
            sf8_dot_rows(&s, a, i, b, j, k);
            uint64_t word = sf8_dot_round(to, policy, &s, sf8_f32_bits(alpha)).code;
            uint32_t word32 = (uint32_t)word;
            uint16_t word16 = (uint16_t)word;
            if (width == 8)
                memcpy(at, &word, 8);
            else if (width == 4)
                memcpy(at, &word32, 4);
            else
                memcpy(at, &word16, 2);
        }
    return SF8_OK;
}

float sf8_blocks_alpha(const sf8_blocks *a, const sf8_blocks *b)
{
    uint32_t decode = 0x3f800000u, encode = 0x3f800000u, alpha;
    const sf8_blocks *const sides[2] = {a, b};
    float value;
    for (int i = 0; i < 2; i++) {
        uint32_t g = sf8_f32_bits(sides[i]->g);
        int32_t kind = sides[i]->recipe->has_g;
        if (kind == SF8_G_DECODE)
            decode = sf8_f32_mul(decode, g);
        else if (kind == SF8_G_ENCODE)
            encode = sf8_f32_mul(encode, g);
    }
    alpha = sf8_f32_div(decode, encode);
    memcpy(&value, &alpha, sizeof value);
    return value;
}

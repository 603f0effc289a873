/* SPDX-License-Identifier: MIT */
/* check_divide.cpp -- the division of kernels (gpu/kernels/divide.h) compared with that of IEEE 754
 *
 *     check_divide        the hard cases of all mantissas, all 16-bit values with some scales
 *     check_divide all    also with all scales of bf16, and all f32 by the constants: minutes
 */
#include "kernels/divide.h"

#include <initializer_list>
#include <stdio.h>
#include <string.h>

using namespace kernels;

static uint64_t checks, failures;

static void expect(bool good, const char *what, float x, float s, float got, float right)
{
    checks++;
    if (!good && failures++ < 20)
        printf("%s: %08x / %08x is %08x, not %08x\n", what, bits_of(x), bits_of(s), bits_of(got),
               bits_of(right));
}

static uint64_t random_word(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* ---- the hard cases -------------------------------------------------------------------------- */

struct hard {
    uint64_t cases, products; /* products: x r is not the quotient, so the correction is needed */
};

static void hard_case(uint32_t x, uint32_t s, hard *h)
{
    float a = static_cast<float>(x), b = static_cast<float>(s), right = a / b, r = rcp(b);
    float got = quotient(a, b, r);
    expect(bits_of(got) == bits_of(right), "hard case", a, b, got, right);
    h->cases++;
    h->products += bits_of(mul(a, r)) != bits_of(right);
}

/* The X with 2^k X - M S = N for an odd M of 25 bits: quotients next to the midpoint M / 2^k. With
 * j the zeros at the end of S, N is 2^j times an odd number, and M is known except for its upper
 * bits. */
static void hard_cases_of(uint32_t s, int k, int64_t n, uint32_t inverse, int j, hard *h)
{
    const uint64_t period = UINT64_C(1) << (k - j);
    uint64_t m = (UINT64_C(0) - static_cast<uint64_t>(n / (INT64_C(1) << j)) * inverse) % period;
    for (; m < UINT64_C(1) << 25; m += period) {
        if (m < UINT64_C(1) << 24)
            continue;
        int64_t product = static_cast<int64_t>(m) * s + n, x = product >> k;
        failures += (product & ((INT64_C(1) << k) - 1)) != 0;
        if (k == 24 ? x >= s && x < 1 << 24 : x >= 1 << 23 && x < s)
            hard_case(static_cast<uint32_t>(x), s, h);
    }
}

/* With 1 <= |N| <= 8, for all S: what the argument in divide.h leaves. */
static void hard_cases()
{
    hard h = {0, 0};
    for (uint32_t s = 1u << 23; s < 1u << 24; s++) {
        int j = __builtin_ctz(s);
        uint32_t odd = s >> j, inverse = odd;
        for (int i = 0; i < 4; i++) /* doubles the number of right bits, 3 at first */
            inverse *= 2 - odd * inverse;
        for (int64_t n = 1; n <= 8 && j <= 3; n++) {
            if (__builtin_ctzll(static_cast<unsigned long long>(n)) != j)
                continue;
            for (int k = 24; k <= 25; k++) {
                hard_cases_of(s, k, n, inverse, j, &h);
                hard_cases_of(s, k, -n, inverse, j, &h);
            }
        }
    }
    printf("%llu hard cases, of which %llu need the correction\n",
           static_cast<unsigned long long>(h.cases), static_cast<unsigned long long>(h.products));
    if (h.cases < UINT64_C(20000000) || h.products == 0)
        failures++;
}

/* ---- what the cast may rely on --------------------------------------------------------------- */

static bool same_cast(float got, float right)
{
    if (is_nan(right) || is_nan(got))
        return is_nan(right) && is_nan(got);
    if ((bits_of(got) ^ bits_of(right)) >> 31)
        return false;
    if (magnitude(right) < 0x1p-20f)
        return magnitude(got) < 0x1p-19f;
    if (magnitude(right) > 0x1p17f)
        return magnitude(got) > 0x1p16f;
    return bits_of(got) == bits_of(right);
}

static void divide(float x, float s, const divisor &d)
{
    float y = d.power != 1.0f ? mul(x, d.power) : x, right = div(x, s);
    float got = quotient(limited(y, d.top), d.s, d.r);
    expect(same_cast(got, right), "quotient", x, s, got, right);
}

static float f16_value(uint32_t code)
{
    return float_of(
        static_cast<uint32_t>(sf8_core_convert(SF8_F32, SF8_F16, code, SF8_OCP_NOSAT, 0).code));
}

static float bf16_values[65536], f16_values[65536];

static void divide_all(uint32_t scale)
{
    float s = float_of(scale);
    divisor d = divisor_of(s);
    for (uint32_t i = 0; i < 65536; i++) {
        divide(bf16_values[i], s, d);
        divide(f16_values[i], s, d);
    }
}

/* Powers of two of every size and numbers beside them, zero, infinity, NaN; scales that occur. */
static void values_of_16_bits(bool all)
{
    uint64_t state = 1;
    for (uint32_t i = 0; i < 65536; i++) {
        bf16_values[i] = float_of(i << 16);
        f16_values[i] = f16_value(i);
    }
    const uint32_t special[] = {0x80000000, 0x7fc00000, 0xffc00000, 0xff800000, 0x7f7fffff,
                                0xbf800000, 0xc0200000, 0x1f800000, 0x1f7fffff, 0x5f800000,
                                0x5f800001, 0x3b1db6db, 0x3d4ccccd};
    for (uint32_t e = 0; e < 256; e += all ? 1 : 5) {
        divide_all(e << 23);
        divide_all(e << 23 | 1);
        divide_all(e << 23 | 0x7fffff);
    }
    for (uint32_t scale : special)
        divide_all(scale);
    for (uint32_t i = 0; i < (all ? 512u : 32u); i++) {
        divide_all(bits_of(float_of((0x3f80 + 97 * i % 256) << 16) / (i % 2 ? 448.0f : 200.0f)));
        divide_all(static_cast<uint32_t>(random_word(&state)));
    }
    for (uint32_t s = 0; all && s < 65536; s++)
        divide_all(s << 16);
}

/* Any f32 and any scale; and mantissas that begin or end a power of two. */
static void values_of_32_bits(uint32_t count)
{
    uint64_t state = 2;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t random = random_word(&state);
        uint32_t x = static_cast<uint32_t>(random), s = static_cast<uint32_t>(random >> 32);
        if (i % 4 == 1) /* quotients of ordinary size */
            x = (x & 0x807fffffu) | ((s >> 23 & 255) + x % 32 - 16) % 255 << 23;
        if (i % 4 == 2)
            x = (x & 0xff80000fu) - 8;
        if (i % 8 >= 6)
            s = (s & 0xff80000fu) - 8;
        divide(float_of(x), float_of(s), divisor_of(float_of(s)));
    }
}

/* ---- numerators of NVFP4 --------------------------------------------------------------------- */

/* A code of e2m1 times one of e4m3, divided by all mantissas, as a cache is read. */
static void values_of_nvfp4()
{
    const uint32_t exponents[] = {63, 64, 126, 127, 128, 190}; /* of 2^-64 to 2^63 */
    for (uint32_t s = 0; s < 1u << 23; s++) {
        const float g = float_of(exponents[s % 6] << 23 | s), r = reciprocal_for(g);
        for (uint32_t n = 1; n <= 45; n += n % 3 == 0 || n < 15 ? 1 : 2) {
            const float x = static_cast<float>(n) * (s % 5 == 0 ? -0x1p-9f : 0x1p6f);
            const float got = quotient(x, g, r), right = div(x, g);
            expect(bits_of(got) == bits_of(right), "nvfp4", x, g, got, right);
        }
    }
    const float others[] = {0.0f, -0.0f, -1.0f, 0x1.fffffep-65f, 0x1.000002p64f,
                            float_of(0x7f800000u), float_of(0x7fc00000u)};
    for (float g : others)
        expect(bits_of(reciprocal_for(g)) == 0, "no reciprocal", 0.0f, g, reciprocal_for(g), 0.0f);
    for (float zero : {0.0f, -0.0f}) {
        const float got = quotient(zero, 3.0f, reciprocal_for(3.0f));
        expect(bits_of(got) == bits_of(zero), "zero", zero, 3.0f, got, zero);
    }
}

/* ---- constants ------------------------------------------------------------------------------- */

template <int by> static void divide_by(float x)
{
    float right = div(x, static_cast<float>(by)), got = over<by>(x);
    expect(is_nan(right) ? is_nan(got) : bits_of(got) == bits_of(right), "over", x,
           static_cast<float>(by), got, right);
}

static void divide_by_each(uint32_t a)
{
    divide_by<448>(float_of(a));
    divide_by<127>(float_of(a));
    divide_by<15>(float_of(a));
}

/* All positive f32, or every 509th; and those that 16 bits have. */
static void constants(bool all)
{
    for (uint32_t a = 0; a < 0x80000000u; a += all ? 1 : 509)
        divide_by_each(a);
    for (uint32_t i = 0; i < 32768; i++) {
        divide_by_each(bits_of(bf16_values[i]));
        divide_by_each(bits_of(f16_values[i]));
    }
}

int main(int argc, char **argv)
{
    const bool all = argc > 1 && strcmp(argv[1], "all") == 0;
    hard_cases();
    values_of_16_bits(all);
    values_of_32_bits(all ? 1u << 28 : 1u << 22);
    values_of_nvfp4();
    constants(all);
    printf("%llu checks, %llu failures\n", static_cast<unsigned long long>(checks),
           static_cast<unsigned long long>(failures));
    return failures != 0;
}

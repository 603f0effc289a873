/* SPDX-License-Identifier: MIT */
/* bench.c -- what one scalar call costs, beside MPFR doing the same work in the same run
 *
 * Every row is a call that is not inlined, on a million operands in memory, the least of several
 * passes. Three kinds of f32 data: gauss (sums of uniform ones), mixed (random signs and mantissas,
 * exponents over the target's range and beyond it on both sides), bits (random words). The 8-bit
 * operands are random bytes. Figures of a shared machine are leads; their ratios hold better.
 */
#include "softfp8.h"
#include "softfp8/core.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#ifdef SOFTFP8_HAVE_MPFR
#include <mpfr.h>
#endif

#define COUNT 1000000
#define PASSES 9

/* Keeps a function a function, and its calls in the loop. */
#define CALL __attribute__((noinline))
#define KEEP __asm__ volatile("")

static uint32_t words[COUNT];
static uint8_t bytes[3][COUNT];
uint8_t results[COUNT];

static uint64_t random_state = 0x9e3779b97f4a7c15u;

static uint32_t next_random(void)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return (uint32_t)((z ^ (z >> 31)) >> 32);
}

static uint32_t gauss_word(void)
{
    float sum = -6;
    for (int i = 0; i < 12; i++)
        sum += (float)(next_random() >> 8) / 16777216.0f;
    return sf8_f32_bits(sum);
}

static uint32_t mixed_word(void)
{
    uint32_t exponent = 110 + next_random() % 30;
    return (next_random() & 0x807fffffu) | exponent << 23;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the calls: format and policy constant, then the policy, then both at run time ---- */

CALL static uint8_t encode_ocp(uint32_t x)
{
    KEEP;
    return (uint8_t)sf8_core_convert(SF8_E4M3, SF8_F32, x, SF8_OCP, 0).code;
}

CALL static uint8_t encode_nosat(uint32_t x)
{
    KEEP;
    return (uint8_t)sf8_core_convert(SF8_E4M3, SF8_F32, x, SF8_OCP_NOSAT, 0).code;
}

CALL static uint8_t add_ocp(uint8_t a, uint8_t b)
{
    KEEP;
    return (uint8_t)sf8_core_add(SF8_E4M3, a, b, SF8_OCP, 0).code;
}

CALL static uint8_t mul_ocp(uint8_t a, uint8_t b)
{
    KEEP;
    return (uint8_t)sf8_core_mul(SF8_E4M3, a, b, SF8_OCP, 0).code;
}

CALL static uint8_t fma_ocp(uint8_t a, uint8_t b, uint8_t c)
{
    KEEP;
    return (uint8_t)sf8_core_fma(SF8_E4M3, a, b, c, SF8_OCP, 0).code;
}

CALL static uint8_t identity(uint8_t a)
{
    KEEP;
    return a;
}

#define TIME(best, expression)                                                                     \
    do {                                                                                           \
        best = 1;                                                                                  \
        for (int pass = 0; pass < PASSES; pass++) {                                                \
            double start = seconds();                                                              \
            for (int i = 0; i < COUNT; i++)                                                        \
                results[i] = (uint8_t)(expression);                                                \
            double taken = (seconds() - start) / COUNT * 1e9;                                      \
            best = best == 1 || taken < best ? taken : best;                                       \
        }                                                                                          \
    } while (0)

static void row(const char *what, double ns, double goal)
{
    if (goal > 0)
        printf("%-44s %8.2f ns   goal %5.2f   %s\n", what, ns, goal, ns <= goal ? "met" : "missed");
    else
        printf("%-44s %8.2f ns\n", what, ns);
}

static void encode_rows(const char *data)
{
    char label[64];
    double fixed, nosat, policy, both;
    /* Read through volatile, so that nothing is known of them when compiling. */
    volatile int e4m3 = 0, f32 = 0;
    sf8_format to, from;
    sf8_status status;
    e4m3 = f32 = 1;
    to = sf8_format_named(e4m3 ? "e4m3" : "e5m2", &status);
    from = sf8_format_named(f32 ? "f32" : "f16", &status);
    sf8_env env = sf8_policy("ocp", &status);
    TIME(fixed, encode_ocp(words[i]));
    TIME(nosat, encode_nosat(words[i]));
    TIME(policy, sf8_f32bits_to_e4m3(words[i], env));
    TIME(both, sf8_convert(to, from, words[i], env));
    snprintf(label, sizeof label, "f32 -> e4m3, ocp, constant (%s)", data);
    row(label, fixed, 2.5);
    snprintf(label, sizeof label, "f32 -> e4m3, ocp-nosat, constant (%s)", data);
    row(label, nosat, 2.5);
    snprintf(label, sizeof label, "sf8_f32bits_to_e4m3, policy at run time (%s)", data);
    row(label, policy, 0);
    snprintf(label, sizeof label, "sf8_convert, both at run time (%s)", data);
    row(label, both, 2.5 * fixed);
}

static void arithmetic_rows(void)
{
    double ns;
    TIME(ns, add_ocp(bytes[0][i], bytes[1][i]));
    row("e4m3 add, ocp, constant", ns, 2.6);
    TIME(ns, mul_ocp(bytes[0][i], bytes[1][i]));
    row("e4m3 mul, ocp, constant", ns, 2.6);
    TIME(ns, fma_ocp(bytes[0][i], bytes[1][i], bytes[2][i]));
    row("e4m3 fma, ocp, constant", ns, 2.7);
    TIME(ns, sf8_e4m3_add(bytes[0][i], bytes[1][i], SF8_OCP));
    row("sf8_e4m3_add, policy at run time", ns, 0);
    TIME(ns, sf8_e4m3_fma(bytes[0][i], bytes[1][i], bytes[2][i], SF8_OCP));
    row("sf8_e4m3_fma, policy at run time", ns, 0);
    TIME(ns, sf8_e4m3_div(bytes[0][i], bytes[1][i], SF8_OCP));
    row("sf8_e4m3_div, policy at run time", ns, 0);
    TIME(ns, identity(bytes[0][i]));
    row("a call that does nothing", ns, 0);
}

#ifdef SOFTFP8_HAVE_MPFR
static mpfr_t values[256], result;

/* What remains to be done after the MPFR operation: the format's range, and the code. */
static uint8_t mpfr_code(int ternary)
{
    mpfr_check_range(result, ternary, MPFR_RNDN);
    mpfr_subnormalize(result, ternary, MPFR_RNDN);
    if (mpfr_nan_p(result))
        return 0x7f;
    int sign = mpfr_signbit(result) ? 0x80 : 0;
    if (mpfr_zero_p(result))
        return (uint8_t)sign;
    if (mpfr_cmpabs(result, values[0x7e]) > 0)
        return (uint8_t)(sign | 0x7e);
    long exponent;
    double m = mpfr_get_d_2exp(&exponent, result, MPFR_RNDN);
    int field = (int)exponent + 6;
    int significand = abs((int)(m * 16));
    return (uint8_t)(sign |
                     (field < 1 ? significand >> (1 - field) : (field << 3) | (significand & 7)));
}

static uint8_t mpfr_encode(uint32_t x)
{
    return mpfr_code(mpfr_set_flt(result, sf8_f32_from_bits(x), MPFR_RNDN));
}

static void mpfr_rows(void)
{
    double ns;
    for (int i = 0; i < 256; i++) {
        mpfr_init2(values[i], 4);
        mpfr_set_flt(values[i], sf8_e4m3_to_f32((uint8_t)i), MPFR_RNDN);
    }
    mpfr_init2(result, 4);
    mpfr_set_emin(-8);
    TIME(ns, mpfr_encode(words[i]));
    row("MPFR: f32 -> e4m3 (bits)", ns, 0);
    TIME(ns, mpfr_code(mpfr_add(result, values[bytes[0][i]], values[bytes[1][i]], MPFR_RNDN)));
    row("MPFR: e4m3 add", ns, 0);
    TIME(ns, mpfr_code(mpfr_mul(result, values[bytes[0][i]], values[bytes[1][i]], MPFR_RNDN)));
    row("MPFR: e4m3 mul", ns, 0);
    TIME(ns, mpfr_code(mpfr_fma(result, values[bytes[0][i]], values[bytes[1][i]],
                                values[bytes[2][i]], MPFR_RNDN)));
    row("MPFR: e4m3 fma", ns, 0);
}
#endif

static void fill(uint32_t (*word)(void))
{
    for (int i = 0; i < COUNT; i++)
        words[i] = word();
}

int main(void)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < COUNT; i++)
            bytes[k][i] = (uint8_t)next_random();
    fill(gauss_word);
    encode_rows("gauss");
    fill(mixed_word);
    encode_rows("mixed");
    fill(next_random);
    encode_rows("bits");
    arithmetic_rows();
#ifdef SOFTFP8_HAVE_MPFR
    mpfr_rows();
#else
    puts("MPFR: not run, not found when configuring");
#endif
    return 0;
}

/* SPDX-License-Identifier: MIT */
/* call.c -- calls for one value, each a call indeed: format and policy constant, or not */
#undef SF8_CORE_CALLS
#include "bench.h"

#include "softfp8/core.h"

/* Keeps a function a function, and its calls in the loop. */
#if defined(__GNUC__)
#define CALL __attribute__((noinline))
#define KEEP __asm__ volatile("")
#else
#define CALL
#define KEEP
#endif

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

CALL static uint8_t same(uint8_t a)
{
    KEEP;
    return a;
}

static const uint32_t *words(const bench_work *w)
{
    return (const uint32_t *)(const void *)w->src[0];
}

static uint64_t right_nothing(const bench_work *w, size_t i)
{
    return w->src[0][i];
}

/* In an expression: x the word, a b c the codes of value i. What a store into dst could change is
 * read before the loop. */
#define OPERATION(name, operands, expression, right)                                               \
    static void name(const bench_work *w)                                                          \
    {                                                                                              \
        const uint32_t *x = words(w);                                                              \
        const uint8_t *a = w->src[0], *b = w->src[1], *c = w->src[2];                              \
        uint8_t *dst = w->dst;                                                                     \
        sf8_format to = w->to, from = w->from;                                                     \
        sf8_policy policy = w->policy;                                                             \
        size_t n = w->n;                                                                           \
        (void)x, (void)a, (void)b, (void)c, (void)to, (void)from, (void)policy;                    \
        for (size_t i = 0; i < n; i++)                                                             \
            dst[i] = (uint8_t)(expression);                                                        \
    }                                                                                              \
    const bench_operation bench_##name = {operands, name, right, NULL, 0, NULL};

OPERATION(call_nothing, 1, same(a[i]), right_nothing)
OPERATION(call_ocp, 1, encode_ocp(x[i]), bench_convert_right)
OPERATION(call_nosat, 1, encode_nosat(x[i]), bench_convert_right)
OPERATION(call_policy, 1, sf8_f32bits_to_e4m3(x[i], policy), bench_convert_right)
OPERATION(call_convert, 1, sf8_convert(to, from, x[i], policy), bench_convert_right)
OPERATION(call_add, 2, add_ocp(a[i], b[i]), bench_add_right)
OPERATION(call_mul, 2, mul_ocp(a[i], b[i]), bench_mul_right)
OPERATION(call_fma, 3, fma_ocp(a[i], b[i], c[i]), bench_fma_right)
OPERATION(call_add_policy, 2, sf8_e4m3_add(a[i], b[i], policy), bench_add_right)
OPERATION(call_div_policy, 2, sf8_e4m3_div(a[i], b[i], policy), bench_div_right)
OPERATION(call_fma_policy, 3, sf8_e4m3_fma(a[i], b[i], c[i], policy), bench_fma_right)

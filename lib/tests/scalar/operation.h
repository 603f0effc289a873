/* SPDX-License-Identifier: MIT */
/* operation.h -- an operation by name, on codes of one format */
#ifndef SF8_TEST_OPERATION_H
#define SF8_TEST_OPERATION_H

#include "check.h"

typedef struct operation_row {
    const char *policy_name; /* as for policy_of */
    const char *op;
    const char *format;
    uint64_t a, b, c; /* an integer operand is two's complement */
    uint64_t out;
    uint32_t flags;
} operation_row;

static inline sf8_result operate(const char *op, sf8_format f, uint64_t a, uint64_t b, uint64_t c,
                                 sf8_policy policy)
{
#define BINARY(any, name)                                                                          \
    if (strcmp(op, #name) == 0)                                                                    \
        return sf8_##name(f, a, b, policy);
#define EXTREMUM(any, name, greater, magnitude, number) BINARY(any, name)
#define UNARY(name)                                                                                \
    if (strcmp(op, #name) == 0)                                                                    \
        return sf8_##name(f, a, policy);
    SF8_BINARY_ARITHMETIC(BINARY, any)
    SF8_EXTREMA(EXTREMUM, any)
    UNARY(sqrt)
    UNARY(next_up)
    UNARY(next_down)
    UNARY(negate)
#undef BINARY
#undef EXTREMUM
#undef UNARY
    if (strcmp(op, "fma") == 0)
        return sf8_fma(f, a, b, c, policy);
    if (strcmp(op, "rint") == 0)
        return sf8_rint(f, a, policy, 0);
    if (strcmp(op, "rint_exact") == 0)
        return sf8_rint(f, a, policy, 1);
    if (strcmp(op, "scalb") == 0)
        return sf8_scalb(f, a, (int32_t)b, policy);
    cr_assert(0, "no operation %s", op);
    return (sf8_result){0, 0};
}

static inline void check_operations(const operation_row *rows, size_t n)
{
    cr_assert(n > 0);
    for (size_t i = 0; i < n; i++) {
        const operation_row *x = &rows[i];
        sf8_result r = operate(x->op, format_of(x->format), x->a, x->b, x->c,
                               policy_of(x->policy_name));
        EXPECT(r.code == x->out && r.flags == x->flags,
               "%s, %s %s %02" PRIx64 " %02" PRIx64 " %02" PRIx64 ": %02" PRIx64
               " flags %02x, not %02" PRIx64 " flags %02x",
               x->policy_name, x->format, x->op, x->a, x->b, x->c, r.code, r.flags, x->out,
               x->flags);
    }
}

#endif

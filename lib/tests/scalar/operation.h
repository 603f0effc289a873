/* SPDX-License-Identifier: MIT */
/* operation.h -- an operation by name, on codes of one format */
#ifndef SF8_TEST_OPERATION_H
#define SF8_TEST_OPERATION_H

#include "check.h"

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

#endif

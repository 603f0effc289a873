/* SPDX-License-Identifier: MIT */
/* program.h -- the arithmetic of block scales as data: short programs over f32 values
 *
 * A quantizer computes a few f32 operations, and their order decides the bits. A program is a list
 * of them in postfix order. sf8_program_read reads its text, such as "amax 6 / g *". Each operation
 * is that of IEEE 754 with one rounding to nearest even, computed with integers, and keeps
 * subnormals. Operations that differ from that have names of their own.
 */
#ifndef SOFTFP8_PROGRAM_H
#define SOFTFP8_PROGRAM_H

#include "softfp8/f32/arith.h"
#include "softfp8/number/policies.h"

/* The variables of a program. */
#define SF8_PROGRAM_VARIABLES(X)                                                                   \
    X(x)    /* an element */                                                                       \
    X(amax) /* the largest magnitude of the block, or of the tensor in the program of g */         \
    X(peak) /* the first element of that magnitude, with its sign */                               \
    X(low)  /* the least and the largest element */                                                \
    X(high)                                                                                        \
    X(g) /* the global scale, which the whole tensor shares */                                     \
    X(s) /* the scale of the block as it was stored */                                             \
    X(f) /* the number by which elements are multiplied or divided */                              \
    X(o) /* the offset of the block */                                                             \
    X(e) /* the value of a code */

/*    id, name, operands */
#define SF8_PROGRAM_OPS(X)                                                                         \
    X(ADD, "+", 2)                                                                                 \
    X(SUB, "-", 2)                                                                                 \
    X(MUL, "*", 2)                                                                                 \
    X(DIV, "/", 2)                                                                                 \
    X(FMA, "fma", 3)       /* a b c: a * b + c, rounded once */                                    \
    X(DIV_NEAR, "/~", 2)   /* a division by an instruction that may miss the last bits; here it is \
                              correctly rounded */                                                 \
    X(RCP, "rcp", 1)       /* 1/x */                                                               \
    X(RCP_NEAR, "rcp~", 1) /* 1/x by an instruction that may miss the last bit and flushes         \
                              subnormals to 0; here it is correctly rounded */                     \
    X(MIN, "min", 2)       /* of a number and NaN, the number */                                   \
    X(MAX, "max", 2)                                                                               \
    X(NAN_MIN, "nmin", 2) /* of a number and NaN, NaN, like torch.clamp */                         \
    X(NAN_MAX, "nmax", 2)                                                                          \
    X(NEG, "neg", 1)                                                                               \
    X(NAN_TO_0, "nan-to-0", 1)                                                                     \
    X(FINITE_OR, "finite-or", 2) /* a b: a if it is finite, else b */                              \
    X(BF16, "bf16", 1)           /* rounded to bf16, to f16 */                                     \
    X(F16, "f16", 1)                                                                               \
    X(OWN, "own", 1) /* rounded to the format of the tensor: sf8_recipe_for replaces it by bf16 or \
                        f16; for f32 it does nothing */                                            \
    X(TRUNC, "trunc", 1)              /* to an integer toward 0 */                                 \
    X(RINT, "rint", 1)                /* to the nearest integer, ties to the even one */           \
    X(ROUND, "round", 1)              /* the same, ties away from 0 */                             \
    X(HALF_AWAY, "half", 1)           /* plus 1/2 with the sign of the operand */                  \
    X(EXPONENT, "exponent", 1)        /* the exponent field less 127; NaN for infinity and NaN */  \
    X(EXP_UP, "exponent-up", 1)       /* the same, plus 1 if the mantissa is not 0 */              \
    X(EXP_EVEN1, "exponent-even1", 1) /* the same after adding 2^(22-N) to the bit pattern: the    \
                                         exponent of the value rounded to N bits of mantissa */    \
    X(EXP_EVEN2, "exponent-even2", 1)                                                              \
    X(EXP_EVEN3, "exponent-even3", 1)                                                              \
    X(LOG2_FLOOR, "log2-floor", 1) /* floor of log2 rounded to f32: a value just below a power of  \
                                      two may give that power */                                   \
    X(LOG2_CEIL, "log2-ceil", 1)   /* ceil of the same: a value just above a power of two may give \
                                      that power */                                                \
    X(POW2, "pow2", 1)             /* of an integer: 0 below -149, infinity above 127 */           \
    X(IF_ZERO, "ifzero", 3)        /* a b c: b where a is 0, else c */                             \
    X(IF_POS, "ifpos", 3)          /* a b c: b where a > 0, else c */

enum {
#define SF8_VARIABLE(name) SF8_VAR_##name,
    SF8_PROGRAM_VARIABLES(SF8_VARIABLE)
#undef SF8_VARIABLE
        SF8_VAR_COUNT
};

enum {
    SF8_TERM_NUMBER,
    SF8_TERM_VARIABLE,
#define SF8_TERM(id, name, operands) SF8_TERM_##id,
    SF8_PROGRAM_OPS(SF8_TERM)
#undef SF8_TERM
        SF8_TERM_COUNT
};

enum { SF8_PROGRAM_TERMS = 20, SF8_PROGRAM_STACK = 6 };

/* `word` is the number, or the index of the variable. */
typedef struct sf8_term {
    uint32_t op, word;
} sf8_term;

/* A program leaves one value on the stack, and never needs more than SF8_PROGRAM_STACK. Without
 * terms there is no program. */
typedef struct sf8_program {
    int32_t count;
    sf8_term term[SF8_PROGRAM_TERMS];
} sf8_program;

/* ---- programs -------------------------------------------------------------------------------- */

/* The result of one operation. Operands a, b, c are in the order in which they were pushed. */
SF8_LONG uint32_t sf8_term_result(uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
    switch (op) {
    case SF8_TERM_ADD:
        return sf8_f32_add(a, b);
    case SF8_TERM_SUB:
        return sf8_f32_add(a, b ^ 0x80000000u);
    case SF8_TERM_MUL:
        return sf8_f32_mul(a, b);
    case SF8_TERM_FMA:
        return sf8_f32_fma(a, b, c);
    case SF8_TERM_DIV:
    case SF8_TERM_DIV_NEAR:
        return sf8_f32_div(a, b);
    case SF8_TERM_RCP:
        return sf8_f32_div(0x3f800000u, a);
    case SF8_TERM_RCP_NEAR:
        return sf8_f32_flushed(sf8_f32_div(0x3f800000u, sf8_f32_flushed(a)));
    case SF8_TERM_MIN:
        return sf8_f32_least(a, b);
    case SF8_TERM_MAX:
        return sf8_f32_most(a, b);
    case SF8_TERM_NAN_MIN:
        return sf8_f32_least_or_nan(a, b);
    case SF8_TERM_NAN_MAX:
        return sf8_f32_most_or_nan(a, b);
    case SF8_TERM_NEG:
        return a ^ 0x80000000u;
    case SF8_TERM_NAN_TO_0:
        return sf8_f32_is_nan(a) ? 0 : a;
    case SF8_TERM_FINITE_OR:
        return sf8_f32_magnitude(a) >= SF8_F32_INF ? b : a;
    case SF8_TERM_BF16:
        return sf8_f32_via_bf16(a);
    case SF8_TERM_F16:
        return sf8_f32_via_f16(a);
    case SF8_TERM_OWN:
        return a;
    case SF8_TERM_TRUNC:
        return sf8_f32_integer(a, SF8_RZ);
    case SF8_TERM_RINT:
        return sf8_f32_integer(a, SF8_RNE);
    case SF8_TERM_ROUND:
        return sf8_f32_integer(a, SF8_RNA);
    case SF8_TERM_HALF_AWAY:
        return sf8_f32_add(a, 0x3f000000u | (a & 0x80000000u));
    case SF8_TERM_EXPONENT:
        return sf8_f32_exponent(a, 0);
    case SF8_TERM_EXP_UP:
        return sf8_f32_exponent(a, 0x007fffffu);
    case SF8_TERM_EXP_EVEN1:
        return sf8_f32_exponent(a, 1u << 21);
    case SF8_TERM_EXP_EVEN2:
        return sf8_f32_exponent(a, 1u << 20);
    case SF8_TERM_EXP_EVEN3:
        return sf8_f32_exponent(a, 1u << 19);
    case SF8_TERM_LOG2_FLOOR:
        return sf8_f32_log2_floor(a);
    case SF8_TERM_LOG2_CEIL:
        return sf8_f32_log2_ceil(a);
    case SF8_TERM_POW2:
        return sf8_f32_pow2(a);
    case SF8_TERM_IF_ZERO:
        return sf8_f32_magnitude(a) == 0 ? b : c;
    case SF8_TERM_IF_POS:
        return !sf8_f32_is_nan(a) && sf8_f32_order(a) > 0 ? b : c;
    default:
        return SF8_F32_NAN;
    }
}

SF8_FN int32_t sf8_term_operands(uint32_t op)
{
    switch (op) {
#define SF8_TERM(id, name, operands)                                                               \
    case SF8_TERM_##id:                                                                            \
        return operands;
        SF8_PROGRAM_OPS(SF8_TERM)
#undef SF8_TERM
    default:
        return 0;
    }
}

/* Runs a program and returns its value. `variable` has SF8_VAR_COUNT values. */
SF8_LONG uint32_t sf8_program_run(const sf8_program *p, const uint32_t *variable)
{
    uint32_t stack[SF8_PROGRAM_STACK + 3] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    int32_t top = 2; /* three unused places below, for operations with fewer than three operands */
    for (int32_t i = 0; i < p->count; i++) {
        uint32_t op = p->term[i].op, word = p->term[i].word;
        int32_t operands = sf8_term_operands(op);
        uint32_t value;
        if (op == SF8_TERM_NUMBER) {
            value = word;
        } else if (op == SF8_TERM_VARIABLE) {
            value = variable[word];
        } else {
            const uint32_t *at = stack + top - operands + 1;
            value = sf8_term_result(op, at[0], operands > 1 ? at[1] : 0, operands > 2 ? at[2] : 0);
        }
        top += 1 - operands;
        stack[top] = value;
    }
    return stack[top];
}

#endif

/* SPDX-License-Identifier: MIT */
/* program.h -- the arithmetic of block scales, as data: short programs over words of f32
 *
 * What a quantizer computes is a few operations of f32, and their order decides the bits. A program
 * is such a list in postfix order; its text, "amax 6 / g *", is read by sf8_program_read. Each
 * operation is that of IEEE 754 with one rounding to nearest even, in integers, subnormals kept;
 * what is otherwise is named so.
 */
#ifndef SOFTFP8_PROGRAM_H
#define SOFTFP8_PROGRAM_H

#include "softfp8/number/arith.h"
#include "softfp8/number/policies.h"

/* What a program may ask for. */
#define SF8_PROGRAM_VARIABLES(X)                                                                   \
    X(x)    /* an element, as f32 */                                                               \
    X(amax) /* the largest magnitude of the block; in the program of g, of the tensor */           \
    X(peak) /* the first element of that magnitude, with its sign */                               \
    X(low)  /* the least and the largest element */                                                \
    X(high)                                                                                        \
    X(g) /* the second scale, of the whole tensor, as the recipe has it */                         \
    X(s) /* the scale of the block, as it was stored */                                            \
    X(f) /* what elements are multiplied with, or divided by */                                    \
    X(o) /* the offset of the block */                                                             \
    X(e) /* the value of a code */

/*    id, name, operands */
#define SF8_PROGRAM_OPS(X)                                                                         \
    X(ADD, "+", 2)                                                                                 \
    X(SUB, "-", 2)                                                                                 \
    X(MUL, "*", 2)                                                                                 \
    X(DIV, "/", 2)                                                                                 \
    X(DIV_NEAR, "/~", 2)   /* a quotient by an instruction that may miss the last bits. Here it is \
                              rounded correctly. */                                                \
    X(RCP, "rcp", 1)       /* 1/x */                                                               \
    X(RCP_NEAR, "rcp~", 1) /* 1/x as by an instruction that may miss the last bit; subnormal       \
                              operands and results are 0. Here it is rounded correctly. */         \
    X(MIN, "min", 2)       /* of a number and NaN, the number */                                   \
    X(MAX, "max", 2)                                                                               \
    X(NAN_MIN, "nmin", 2) /* of a number and NaN, NaN: what torch.clamp does */                    \
    X(NAN_MAX, "nmax", 2)                                                                          \
    X(NEG, "neg", 1)                                                                               \
    X(NAN_TO_0, "nan-to-0", 1)                                                                     \
    X(FINITE_OR, "finite-or", 2) /* a b: a if it is finite, else b */                              \
    X(BF16, "bf16", 1)           /* rounded to bf16, to f16 */                                     \
    X(F16, "f16", 1)                                                                               \
    X(OWN, "own", 1) /* rounded to the format of the tensor: sf8_recipe_for puts bf16 or f16 in    \
                        its place; of f32 it is what it is */                                      \
    X(TRUNC, "trunc", 1)              /* to an integer toward 0 */                                 \
    X(RINT, "rint", 1)                /* to the nearest integer, ties to the even one */           \
    X(ROUND, "round", 1)              /* the same, ties away from 0 */                             \
    X(HALF_AWAY, "half", 1)           /* with 1/2 of its sign added */                             \
    X(EXPONENT, "exponent", 1)        /* its field less 127; infinity and NaN give NaN */          \
    X(EXP_UP, "exponent-up", 1)       /* one more where the mantissa is not 0 */                   \
    X(EXP_EVEN1, "exponent-even1", 1) /* after 2^(22-N) is added to the word: with N bits of       \
                                         mantissa the exponent that it rounds to */                \
    X(EXP_EVEN2, "exponent-even2", 1)                                                              \
    X(EXP_EVEN3, "exponent-even3", 1)                                                              \
    X(LOG2_FLOOR, "log2-floor", 1) /* floor of log2, which was rounded to f32 before: what is      \
                                      just below a power of two may come out as that power */      \
    X(LOG2_CEIL, "log2-ceil", 1)   /* ceil of the same: what is just above a power of two may come \
                                      out as that power */                                         \
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

/* `word` is the number, or which variable. */
typedef struct sf8_term {
    uint32_t op, word;
} sf8_term;

/* One value is left on the stack, which never has more than SF8_PROGRAM_STACK; no terms: there is
 * no program. */
typedef struct sf8_program {
    int32_t count;
    sf8_term term[SF8_PROGRAM_TERMS];
} sf8_program;

/* ---- words of f32 ---------------------------------------------------------------------------- */

#define SF8_F32_INF UINT32_C(0x7f800000)
#define SF8_F32_NAN UINT32_C(0x7fc00000)

SF8_FN uint32_t sf8_f32_magnitude(uint32_t a)
{
    return a & 0x7fffffffu;
}

SF8_FN uint32_t sf8_f32_is_nan(uint32_t a)
{
    return sf8_f32_magnitude(a) > SF8_F32_INF;
}

SF8_FN uint32_t sf8_f32_add(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_add(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_mul(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_mul(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_div(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_div(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_sub(uint32_t a, uint32_t b)
{
    return (uint32_t)sf8_core_sub(SF8_F32, a, b, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_fma(uint32_t a, uint32_t b, uint32_t c)
{
    return (uint32_t)sf8_core_fma(SF8_F32, a, b, c, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_sqrt(uint32_t a)
{
    return (uint32_t)sf8_core_sqrt(SF8_F32, a, SF8_OCP_NOSAT, 0).code;
}

SF8_FN uint32_t sf8_f32_flushed(uint32_t a)
{
    return sf8_f32_magnitude(a) < 0x00800000u ? a & 0x80000000u : a;
}

/* As an integer with the order of the numbers. */
SF8_FN int64_t sf8_f32_order(uint32_t a)
{
    int64_t magnitude = sf8_f32_magnitude(a);
    return a >> 31 ? -magnitude : magnitude;
}

SF8_FN uint32_t sf8_f32_least(uint32_t a, uint32_t b)
{
    if (sf8_f32_is_nan(a))
        return b;
    return !sf8_f32_is_nan(b) && sf8_f32_order(b) < sf8_f32_order(a) ? b : a;
}

SF8_FN uint32_t sf8_f32_most(uint32_t a, uint32_t b)
{
    if (sf8_f32_is_nan(a))
        return b;
    return !sf8_f32_is_nan(b) && sf8_f32_order(b) > sf8_f32_order(a) ? b : a;
}

/* The same, but NaN is handed on. */
SF8_FN uint32_t sf8_f32_least_or_nan(uint32_t a, uint32_t b)
{
    return sf8_f32_is_nan(a) || sf8_f32_is_nan(b) ? SF8_F32_NAN : sf8_f32_least(a, b);
}

SF8_FN uint32_t sf8_f32_most_or_nan(uint32_t a, uint32_t b)
{
    return sf8_f32_is_nan(a) || sf8_f32_is_nan(b) ? SF8_F32_NAN : sf8_f32_most(a, b);
}

SF8_LONG uint32_t sf8_f32_via(sf8_format narrow, uint32_t a)
{
    uint64_t code = sf8_core_convert(narrow, SF8_F32, a, SF8_OCP_NOSAT, 0).code;
    return (uint32_t)sf8_core_convert(SF8_F32, narrow, code, SF8_OCP_NOSAT, 0).code;
}

/* To an integer: with 23 bits of mantissa what is 2^23 or more is one. */
SF8_FN uint32_t sf8_f32_integer(uint32_t a, uint32_t round)
{
    sf8_policy policy = SF8_OCP_NOSAT;
    policy.round = round & SF8_ROUND_MASK;
    if (sf8_f32_magnitude(a) >= 0x4b000000u)
        return a;
    int64_t i = (int32_t)(uint32_t)sf8_core_to_integer(SF8_F32, a, 32, 1, policy, 0, 0).code;
    uint32_t magnitude = (uint32_t)sf8_core_from_i64(SF8_F32, i < 0 ? -i : i, policy, 0).code;
    return magnitude | (a & 0x80000000u);
}

/* A small integer as f32. */
SF8_FN uint32_t sf8_f32_of(int32_t i)
{
    return (uint32_t)sf8_core_from_i64(SF8_F32, i, SF8_OCP_NOSAT, 0).code;
}

/* The exponent of a word to which `more` is added. That of a finite one may come out as 128. */
SF8_FN uint32_t sf8_f32_exponent(uint32_t a, uint32_t more)
{
    uint32_t magnitude = sf8_f32_magnitude(a);
    if (magnitude >= SF8_F32_INF)
        return SF8_F32_NAN;
    return sf8_f32_of((int32_t)((magnitude + more) >> 23) - 127);
}

/* floor(log2 a), log2 rounded to f32. Let a be 2^k - d units of 2^(k - 24), k = floor(log2 a) + 1:
 * log2 a is k - 1.4427 2^-24 d, and rounds to k if that is nearer than half the distance of k's
 * neighbour toward it. Below k that is 2^(p - 24) where |k| is in [2^p, 2^(p + 1)), and half of it
 * where k is 2^p: so d is at most 2^p ln 2, p one less in that case. */
SF8_FN uint32_t sf8_f32_log2_floor(uint32_t a)
{
    static const uint32_t most[9] = {0, 0, 1, 2, 5, 11, 22, 44, 88}; /* of p = -1 ... 7 */
    uint32_t magnitude = sf8_f32_magnitude(a), k_size, p = 0;
    int32_t k;
    if (magnitude == 0)
        return SF8_F32_INF | 0x80000000u;
    if (a > SF8_F32_INF)
        return SF8_F32_NAN;
    if (a == SF8_F32_INF)
        return a;
    k = (int32_t)(magnitude >> 23) - 126;
    magnitude = (magnitude & 0x7fffffu) | (k > -126 ? 0x800000u : 0);
    for (k = k > -126 ? k : -125; magnitude < 0x800000u; k--)
        magnitude <<= 1;
    k_size = (uint32_t)(k < 0 ? -k : k);
    while (k_size >> p > 1)
        p++;
    p += !(k > 0 && (k_size & (k_size - 1)) == 0);
    return sf8_f32_of(k - !(k != 0 && 0x1000000u - magnitude <= most[p]));
}

/* The exponent of a positive number, and how many units of 2^(exponent - 23) it is above 2^exponent.
 */
SF8_FN int32_t sf8_f32_split(uint32_t a, uint32_t *above)
{
    int32_t k = (int32_t)(a >> 23) - 127;
    uint32_t significand = (a & 0x7fffffu) | (k > -127 ? 0x800000u : 0);
    for (k = k > -127 ? k : -126; significand < 0x800000u; k--)
        significand <<= 1;
    *above = significand - 0x800000u;
    return k;
}

/* ceil(log2 a), log2 rounded to f32. Let a be d units of 2^(k - 23) above 2^k: log2 a is
 * k + 1.4427 2^-23 d, and rounds to k if that is nearer than half the distance of k's neighbour
 * above it. Where k is positive that is 2^(p - 23), |k| in [2^p, 2^(p + 1)), and where it is negative
 * too, but half of it if k is -2^p: so d is at most 2^(p - 1) ln 2, p one less in that case. */
SF8_FN uint32_t sf8_f32_log2_ceil(uint32_t a)
{
    static const uint32_t most[8] = {0, 0, 1, 2, 5, 11, 22, 44}; /* of p = 0 ... 7 */
    uint32_t magnitude = sf8_f32_magnitude(a), size, p = 0, above;
    if (magnitude == 0)
        return SF8_F32_INF | 0x80000000u;
    if (a > SF8_F32_INF)
        return SF8_F32_NAN;
    if (a == SF8_F32_INF)
        return a;
    int32_t k = sf8_f32_split(a, &above);
    size = (uint32_t)(k < 0 ? -k - 1 : k); /* of p alone */
    while (size >> p > 1)
        p++;
    return sf8_f32_of(k + (above > most[p])) | (k < 0 ? 0x80000000u : 0); /* -0 below 1 */
}

SF8_FN uint32_t sf8_f32_pow2(uint32_t a)
{
    if (sf8_f32_is_nan(a))
        return a;
    int64_t order = sf8_f32_order(a);
    if (order > 0x43000000) /* 128 */
        order = 0x43000000;
    if (order < -0x43160000) /* -150 */
        return 0;
    int32_t i = (int32_t)sf8_core_to_integer(SF8_F32, a, 32, 1, SF8_OCP_NOSAT, 0, 0).code;
    i = order == 0x43000000 ? 128 : i;
    return i >= -126 ? (uint32_t)(i + 127) << 23 : i >= -149 ? 1u << (i + 149) : 0;
}

/* ---- programs -------------------------------------------------------------------------------- */

/* Operands a, b, c are in the order in which they were pushed. */
SF8_LONG uint32_t sf8_term_result(uint32_t op, uint32_t a, uint32_t b, uint32_t c)
{
    switch (op) {
    case SF8_TERM_ADD:
        return sf8_f32_add(a, b);
    case SF8_TERM_SUB:
        return sf8_f32_add(a, b ^ 0x80000000u);
    case SF8_TERM_MUL:
        return sf8_f32_mul(a, b);
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
        return sf8_f32_via(SF8_BF16, a);
    case SF8_TERM_F16:
        return sf8_f32_via(SF8_F16, a);
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

/* The value of a program; `variable` has SF8_VAR_COUNT words. */
SF8_LONG uint32_t sf8_program_run(const sf8_program *p, const uint32_t *variable)
{
    uint32_t stack[SF8_PROGRAM_STACK + 3] = {0, 0, 0, 0, 0, 0, 0, 0, 0};
    int32_t top = 2; /* three places below, for operations of fewer operands */
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

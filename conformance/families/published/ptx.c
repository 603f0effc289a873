/* SPDX-License-Identifier: MIT */
/* ptx.c -- instructions of PTX by name, and what they compute, as an RTX 3060 does it */
#include "families/published/ptx.h"

#include <stdio.h>
#include <string.h>

/* ---- names ----------------------------------------------------------------------------------- */

enum {
    OP_ADD,
    OP_SUB,
    OP_MUL,
    OP_DIV,
    OP_FMA,
    OP_MAD, /* fma by its older name */
    OP_SQRT,
    OP_RCP,
    OP_MIN,
    OP_MAX,
    OP_NEG,
    OP_ABS,
    OP_COPYSIGN,
    OP_CVT,
    OP_SETP,
    OP_SET,
    OP_TESTP
};
static const char *const op_names[] = {"add",      "sub", "mul",  "div", "fma",  "mad",
                                       "sqrt",     "rcp", "min",  "max", "neg",  "abs",
                                       "copysign", "cvt", "setp", "set", "testp"};

/* What a comparison accepts. */
enum { LESS = 1, EQUAL = 2, GREATER = 4, UNORDERED = 8 };
static const struct {
    const char *name;
    int accepts;
} comparisons[] = {
    {"eq", EQUAL},
    {"ne", LESS | GREATER},
    {"lt", LESS},
    {"le", LESS | EQUAL},
    {"gt", GREATER},
    {"ge", GREATER | EQUAL},
    {"equ", EQUAL | UNORDERED},
    {"neu", LESS | GREATER | UNORDERED},
    {"ltu", LESS | UNORDERED},
    {"leu", LESS | EQUAL | UNORDERED},
    {"gtu", GREATER | UNORDERED},
    {"geu", GREATER | EQUAL | UNORDERED},
    {"num", LESS | EQUAL | GREATER},
    {"nan", UNORDERED},
};

/* What testp accepts, as a set of SF8_CLASS_*. */
#define CLASS(sign, kind) (1 << SF8_CLASS_##sign##_##kind)
#define CLASSES(kind) (CLASS(POS, kind) | CLASS(NEG, kind))
#define NANS (1 << SF8_CLASS_SIGNALING_NAN | 1 << SF8_CLASS_QUIET_NAN)
static const struct {
    const char *name;
    int accepts;
} tests[] = {
    {"finite", CLASSES(ZERO) | CLASSES(SUBNORMAL) | CLASSES(NORMAL)},
    {"infinite", CLASSES(INFINITY)},
    {"number", CLASSES(ZERO) | CLASSES(SUBNORMAL) | CLASSES(NORMAL) | CLASSES(INFINITY)},
    {"notanumber", NANS},
    {"normal", CLASSES(NORMAL) | CLASSES(ZERO)},
    {"subnormal", CLASSES(SUBNORMAL)},
};

static int read_op(ptx_form *f, const char *word)
{
    for (size_t i = 0; i < sizeof op_names / sizeof op_names[0]; i++) {
        if (strcmp(op_names[i], word) == 0) {
            f->op = (int)i;
            return 1;
        }
    }
    return 0;
}

static int read_rounding(ptx_form *f, const char *word)
{
    static const struct {
        const char *name;
        unsigned round;
    } modes[] = {{"rn", SF8_RNE}, {"rz", SF8_RZ}, {"rm", SF8_RD}, {"rp", SF8_RU}, {"rna", SF8_RNA}};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        size_t n = strlen(modes[i].name);
        if (strncmp(word, modes[i].name, n) != 0 || (word[n] && strcmp(word + n, "i") != 0))
            continue;
        f->policy.round = modes[i].round & SF8_ROUND_MASK;
        f->integral = word[n] == 'i';
        return 1;
    }
    return 0;
}

static int read_modifier(ptx_form *f, const char *word)
{
    const struct {
        const char *name;
        int *flag;
    } modifiers[] = {{"ftz", &f->ftz},
                     {"sat", &f->sat},
                     {"relu", &f->relu},
                     {"NaN", &f->nan},
                     {"abs", &f->xorsign},
                     {"xorsign", &f->xorsign},
                     {"satfinite", &f->satfinite}};
    for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++) {
        if (strcmp(modifiers[i].name, word) == 0) {
            *modifiers[i].flag = 1;
            return 1;
        }
    }
    return 0;
}

static int read_comparison(ptx_form *f, const char *word)
{
    for (size_t i = 0; i < sizeof comparisons / sizeof comparisons[0]; i++) {
        if (strcmp(comparisons[i].name, word) == 0) {
            f->comparison = comparisons[i].accepts;
            return 1;
        }
    }
    for (size_t i = 0; f->op == OP_TESTP && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(tests[i].name, word) == 0) {
            f->comparison = tests[i].accepts;
            return 1;
        }
    }
    return 0;
}

/* "f16x2", "s32", "u8", "tf32"; the first is that of the result. */
static int read_type(ptx_form *f, const char *word)
{
    char name[16];
    size_t n = strlen(word);
    int lanes = n > 2 && strcmp(word + n - 2, "x2") == 0 ? 2 : 1;
    if (n > 8)
        return 0;
    snprintf(name, sizeof name, "%s%.*s",
             word[0] == 's'   ? "i"
             : word[0] == 'u' ? "ui"
                              : "",
             (int)(n - (lanes == 2 ? 2 : 0)), word + (word[0] == 's' || word[0] == 'u'));
    sf8_word *type = f->to.bits ? &f->from : &f->to;
    if (lanes == 2)
        f->lanes = 2;
    return !f->from.bits && sf8_word_named(name, type) == SF8_OK;
}

static int read_part(ptx_form *f, const char *word)
{
    f->part = strcmp(word, "lo") == 0 ? PTX_LO : strcmp(word, "hi") == 0 ? PTX_HI : f->part;
    return strcmp(word, "lo") == 0 || strcmp(word, "hi") == 0;
}

/* 1 if all parts of the name are there, and no others that count. */
static int is_complete(ptx_form *f)
{
    if (!f->to.bits)
        return 0;
    if (!f->from.bits)
        f->from = f->to;
    else if (f->op != OP_CVT && f->op != OP_SET)
        return 0;
    f->packs = f->op == OP_CVT && f->lanes == 2 && f->from.bits == 32;
    int wide = f->from.bits == 64 || f->to.bits == 64;
    int compares = f->op == OP_SET || f->op == OP_SETP || f->op == OP_TESTP;
    int halves = f->op == OP_CVT && f->to.bits == 64;
    return (f->op == OP_CVT || f->op == OP_TESTP || !wide) && halves == (f->part != 0) &&
           compares == (f->comparison != 0);
}

int ptx_named(ptx_form *f, const char *name)
{
    char text[64];
    memset(f, 0, sizeof *f);
    f->lanes = 1;
    sf8_policy_set(&f->policy, "overflow", "inf");
    sf8_policy_set(&f->policy, "inf", "inf");
    sf8_policy_set(&f->policy, "nan_code", "ones");
    sf8_policy_set(&f->policy, "integer", "ptx");
    if (strlen(name) >= sizeof text)
        return 0;
    strcpy(text, name);
    for (char *word = text, *next; word; word = next) {
        next = strchr(word, '.');
        if (next)
            *next++ = '\0';
        if (word == text
                ? !read_op(f, word)
                : !read_rounding(f, word) && !read_modifier(f, word) && !read_comparison(f, word) &&
                      !read_part(f, word) && !read_type(f, word))
            return 0;
    }
    return is_complete(f);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t low_bits(uint64_t word, int bits)
{
    return bits == 64 ? word : word & ((UINT64_C(1) << bits) - 1);
}

static uint64_t operand(const ptx_form *f, const uint32_t x[3], int i, int lane)
{
    if (f->packs)
        return x[1 - lane];
    uint64_t word = x[i] | (uint64_t)x[(i + 1) % 3] << 32;
    return low_bits(word >> 16 * lane, f->from.bits);
}

/* The NaN of all ones that arithmetic returns. */
static uint64_t nan_of(const sf8_word *type)
{
    return sf8_format_mag_mask(type->format);
}

/* A subnormal number becomes a zero of its sign. */
static uint64_t flushed(const ptx_form *f, const sf8_word *type, uint64_t code)
{
    uint64_t magnitude = code & sf8_format_mag_mask(type->format);
    int subnormal = magnitude >> type->format.man_bits == 0;
    return f->ftz && subnormal ? code ^ magnitude : code;
}

static uint64_t one_of(const sf8_word *type)
{
    return (uint64_t)type->format.bias << type->format.man_bits;
}

/* .sat: from 0 to 1, NaN is 0. .relu: from 0 on. */
static uint64_t clamped(const ptx_form *f, uint64_t code)
{
    const sf8_word *type = &f->to;
    int is_negative = (code & sf8_format_sign_bit(type->format)) != 0;
    if (type->kind != SF8_WORD_FLOAT || !(f->sat || f->relu))
        return code;
    if (sf8_is_nan(type->format, code))
        return f->sat ? 0 : nan_of(type);
    if (is_negative)
        return 0;
    return f->sat && code > one_of(type) ? one_of(type) : code;
}

/* ---- operations ------------------------------------------------------------------------------ */

static uint64_t extremum(const ptx_form *f, uint64_t a, uint64_t b)
{
    const sf8_word *t = &f->to;
    uint64_t sign = f->xorsign ? (a ^ b) & sf8_format_sign_bit(t->format) : 0, code;
    if (f->xorsign) {
        a = sf8_abs(t->format, a);
        b = sf8_abs(t->format, b);
    }
    a = flushed(f, t, a);
    b = flushed(f, t, b);
    if (f->nan)
        code = (f->op == OP_MIN ? sf8_minimum : sf8_maximum)(t->format, a, b, f->policy).code;
    else
        code = (f->op == OP_MIN ? sf8_minimum_number : sf8_maximum_number)(t->format, a, b,
                                                                           f->policy)
                   .code;
    return sf8_is_nan(t->format, code) ? nan_of(t) : code | sign;
}

static uint64_t integer_to_float(const ptx_form *f, uint64_t a)
{
    uint64_t sign = UINT64_C(1) << (f->from.bits - 1);
    if (f->from.kind == SF8_WORD_SIGNED)
        return sf8_from_i64(f->to.format, (int64_t)((a ^ sign) - sign), f->policy).code;
    return sf8_from_u64(f->to.format, a, f->policy).code;
}

/* A conversion from or to f64 keeps the leading bits of a NaN and makes it quiet. From bf16 to f32
 * and from f32 to tf32 the bits stay as they are. All others return the NaN of all ones. */
static sf8_policy conversion_policy(const ptx_form *f)
{
    sf8_policy policy = f->policy;
    int bits = f->to.bits == 32 && f->from.bits == 16 && f->from.format.man_bits == 7;
    if (f->from.bits == 64 || f->to.bits == 64 || bits || f->to.bits == 19) {
        policy.nan_sign = SF8_NAN_SIGNED;
        policy.nan_code = bits || f->to.bits == 19 ? SF8_NAN_BITS : SF8_NAN_PAYLOAD;
    }
    if (f->satfinite) {
        policy.overflow = SF8_TO_MAX;
        policy.inf = SF8_TO_MAX;
    }
    return policy;
}

static uint64_t float_to_integer(const ptx_form *f, uint64_t a)
{
    return sf8_to_integer(f->from.format, a, f->to.bits, f->to.kind == SF8_WORD_SIGNED, f->policy,
                          0)
        .code;
}

static uint64_t convert(const ptx_form *f, uint64_t a)
{
    sf8_policy policy = conversion_policy(f);
    if (f->from.kind != SF8_WORD_FLOAT)
        return integer_to_float(f, a);
    if (f->to.kind != SF8_WORD_FLOAT)
        return float_to_integer(f, a);
    if (f->ftz && f->from.bits == 32)
        a = sf8_is_nan(f->from.format, a) ? nan_of(&f->from) : flushed(f, &f->from, a);
    a = f->integral ? sf8_rint(f->from.format, a, policy, 0).code
                    : sf8_convert(f->to.format, f->from.format, a, policy);
    return f->to.bits == 32 ? flushed(f, &f->to, a) : a;
}

/* -a or |a|: an addition of zero, which returns the NaN of all ones, except that of one bf16. */
static uint64_t change_sign(const ptx_form *f, uint64_t a)
{
    const sf8_word *t = &f->to;
    int is_bits = t->format.man_bits == 7 && f->lanes == 1;
    if (sf8_is_nan(t->format, a) && !is_bits)
        return nan_of(t);
    a = flushed(f, t, a);
    return f->op == OP_NEG ? a ^ sf8_format_sign_bit(t->format) : sf8_abs(t->format, a);
}

static int compares(const ptx_form *f, const uint64_t x[3])
{
    int order = sf8_compare(f->from.format, flushed(f, &f->from, x[0]), flushed(f, &f->from, x[1]),
                            f->policy, NULL);
    int is = order == SF8_LESS      ? LESS
             : order == SF8_EQUAL   ? EQUAL
             : order == SF8_GREATER ? GREATER
                                    : UNORDERED;
    return (f->comparison & is) != 0;
}

static uint64_t arithmetic(const ptx_form *f, const uint64_t x[3])
{
    sf8_format t = f->to.format;
    sf8_policy policy = f->policy;
    if (f->ftz)
        policy.flush = SF8_FLUSH_BOTH;
    switch (f->op) {
    case OP_ADD:
        return sf8_add(t, x[0], x[1], policy).code;
    case OP_SUB:
        return sf8_sub(t, x[0], x[1], policy).code;
    case OP_MUL:
        return sf8_mul(t, x[0], x[1], policy).code;
    case OP_DIV:
        return sf8_div(t, x[0], x[1], policy).code;
    case OP_FMA:
    case OP_MAD:
        return sf8_fma(t, x[0], x[1], x[2], policy).code;
    case OP_SQRT:
        return sf8_sqrt(t, x[0], policy).code;
    default:
        return sf8_div(t, one_of(&f->to), x[0], policy).code;
    }
}

static uint64_t compute(const ptx_form *f, const uint64_t x[3])
{
    switch (f->op) {
    case OP_MIN:
    case OP_MAX:
        return extremum(f, x[0], x[1]);
    case OP_NEG:
    case OP_ABS:
        return change_sign(f, x[0]);
    case OP_COPYSIGN:
        return sf8_copy_sign(f->to.format, x[1], x[0]);
    case OP_CVT:
        return clamped(f, convert(f, x[0]));
    case OP_SETP:
    case OP_SET:
        return (uint64_t)compares(f, x);
    case OP_TESTP:
        return (uint64_t)(f->comparison >> sf8_class(f->from.format, x[0], f->policy) & 1);
    default:
        return clamped(f, arithmetic(f, x));
    }
}

/* ---- words ----------------------------------------------------------------------------------- */

static uint32_t word_of(const ptx_form *f, const uint64_t code[2])
{
    int n = f->to.bits;
    uint64_t sign = UINT64_C(1) << (n - 1);
    if (f->op == OP_SETP && f->lanes == 2)
        return code[1] ? (code[0] ? 1 : 2) : 4;
    if (f->op == OP_SETP || f->op == OP_TESTP)
        return (uint32_t)code[0];
    if (f->op == OP_SET && f->lanes == 2)
        return (code[0] ? 0xffffu : 0) | (code[1] ? 0xffff0000u : 0);
    if (f->op == OP_SET)
        return code[0] ? UINT32_MAX : 0;
    if (f->to.kind == SF8_WORD_FLOAT && n == 16)
        return (uint32_t)(code[0] | code[f->lanes - 1] << 16);
    if (f->to.kind == SF8_WORD_FLOAT && n < 32)
        return (uint32_t)code[0] << (32 - n);
    if (f->to.kind == SF8_WORD_SIGNED && n == 8) /* the probe widens it: to 16 bits, or to 32 */
        return (uint32_t)((code[0] ^ sign) - sign) & (f->from.bits == 32 ? 0xffff : UINT32_MAX);
    return (uint32_t)(f->part == PTX_HI ? code[0] >> 32 : code[0]);
}

uint32_t ptx_word(const ptx_form *f, const uint32_t x[3])
{
    uint64_t code[2] = {0, 0};
    for (int lane = 0; lane < f->lanes; lane++) {
        const uint64_t operands[3] = {operand(f, x, 0, lane), operand(f, x, 1, lane),
                                      operand(f, x, 2, lane)};
        code[lane] = compute(f, operands);
    }
    return word_of(f, code);
}

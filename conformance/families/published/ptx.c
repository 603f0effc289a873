/* SPDX-License-Identifier: MIT */
/* ptx.c -- instructions of PTX by name, and by=ptx: their hashes over 256 triples of operands
 *
 *     case cvt.rn.f16.f32 by=ptx hash=7b7844bb74f9b1bc
 *
 * The operands are pantheonsim's: words of a xorshift generator, of which a third is replaced by
 * one of 32 edges. The hash is FNV-1a with a word in the place of a byte.
 */
#include "families/published/ptx.h"
#include "families/published/published.h"

#include <stdlib.h>
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
    OP_SET
};
static const char *const op_names[] = {"add",      "sub", "mul",  "div", "fma", "mad",
                                       "sqrt",     "rcp", "min",  "max", "neg", "abs",
                                       "copysign", "cvt", "setp", "set"};

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
    int compares = f->op == OP_SET || f->op == OP_SETP;
    return (f->op == OP_CVT || !wide) && (f->to.bits == 64) == (f->part != 0) &&
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

/* NaN becomes 0; from f64 or to 64 bits it becomes the integer with only its top bit set. */
static uint64_t float_to_integer(const ptx_form *f, uint64_t a)
{
    if (f->from.bits == 64 && sf8_is_nan(f->from.format, a))
        return UINT64_C(1) << (f->to.bits - 1);
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
    if (f->op == OP_SETP)
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

/* ---- cases ----------------------------------------------------------------------------------- */

enum { TRIPLES = 256 };

static uint32_t next_operand(uint64_t *state)
{
    static const uint32_t edge[] = {
        0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7fc00000, 0xff800001, 0x00000001,
        0x007fffff, 0x7f7fffff, 0x3f7fffff, 0x3f800001, 0x3f801000, 0x3dcccccd, 0x40000000,
        0xc0400000, 0x7f800000, 0x3c00bc00, 0x7e003c00, 0x00010002, 0x7bff7c00, 0x3bff3c01,
        0x80000000, 0x3f80bf80, 0x7fc0ff80, 0x12345678, 0x9abcdef0, 0x007fffff, 0x7fffffff,
        0x00800000, 0xffffffff, 0x0f1e2d3c, 0x00000003};
    uint64_t s = *state;
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    *state = s;
    return (s >> 40) % 3 == 0 ? edge[(s >> 48) % 32] : (uint32_t)s;
}

static uint64_t hash_of(const ptx_form *f)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15), hash = UINT64_C(1469598103934665603);
    for (int i = 0; i < TRIPLES; i++) {
        uint32_t x[3];
        for (int k = 0; k < 3; k++)
            x[k] = next_operand(&state);
        hash = (hash ^ ptx_word(f, x)) * UINT64_C(1099511628211);
    }
    return hash;
}

typedef struct ptx_case {
    ptx_form form;
    uint64_t hash;
} ptx_case;

static int open_form(published_item *item, char why[CONFORM_LONG])
{
    ptx_case *p = calloc(1, sizeof *p);
    const char *hash = published_need(item, "hash", why);
    if (!p || !hash)
        return 0;
    if (strlen(hash) != 16 || hash[strspn(hash, "0123456789abcdef")])
        return published_wrong(item, 0, why, "hash=%.40s: expected 16 digits 0-9 a-f", hash);
    if (!ptx_named(&p->form, item->name))
        return published_wrong(item, 0, why, "%s: expected an instruction of PTX that is modelled",
                               item->name);
    p->hash = strtoull(hash, NULL, 16);
    item->data = p;
    return 1;
}

static void run_form(const published_item *item, conform_result *result)
{
    const ptx_case *p = item->data;
    uint64_t hash = hash_of(&p->form);
    result->inputs = TRIPLES;
    if (hash == p->hash)
        return;
    result->status = CONFORM_FAILED;
    result->differ = 1;
    snprintf(result->why, sizeof result->why,
             "at least one result differs: the hash of %d is %016llx, the hardware's %016llx",
             TRIPLES, (unsigned long long)hash, (unsigned long long)p->hash);
}

const published_kind published_ptx = {"ptx", NULL, 0, open_form, run_form};

/* SPDX-License-Identifier: MIT */
/* functions.c -- cases of functions: conversions, unary and binary operations, fma; their tags
 *
 * Where the exact result lies is found without a second implementation of rounding: the library is
 * asked for the same operation in other rounding modes. Modes to nearest differ in ties alone, and
 * directed modes give the neighbours.
 */
#include "softfp8/scalar.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <string.h>

/* ---- the head of a group --------------------------------------------------------------------- */

const vector_kind *kind_of_function(const sf8_function *f)
{
    if (f->op == SF8_OP_CONVERT || f->op == SF8_OP_FROM_INTEGER || f->op == SF8_OP_TO_INTEGER)
        return &kind_convert;
    return f->operands == 1 ? &kind_unary : f->operands == 2 ? &kind_binary : &kind_fma;
}

/* "ocp round=rz": a policy that has a meaning for the formats, and the fields that differ. */
static int read_policy(vector_group *g, const char *text)
{
    const sf8_word *operand = &g->function.operand[0], *result = &g->function.result;
    sf8_format to = result->kind == SF8_WORD_FLOAT ? result->format : operand->format;
    sf8_format from = operand->kind == SF8_WORD_FLOAT ? operand->format : to;
    char word[80];
    int length = 0;
    for (int first = 1; sscanf(text, "%79s%n", word, &length) == 1; text += length, first = 0) {
        char *equals = strchr(word, '=');
        const char *name = first ? sf8_policy_for(word, to, from) : NULL;
        if (first && !name)
            return 0;
        if (first) {
            g->policy = sf8_policy_named(name, NULL);
            continue;
        }
        if (!equals)
            return 0;
        *equals = '\0';
        if (sf8_policy_set(&g->policy, word, equals + 1) != SF8_OK)
            return 0;
    }
    return 1;
}

static const char *open_function(vector_group *g)
{
    static const char *const operands[] = {"a", "b", "c"};
    sf8_function *f = &g->function;
    if (sf8_function_named(g->head[0], f) != SF8_OK || kind_of_function(f) != g->kind)
        return "a function of this kind, such as f32_to_e4m3, e4m3_sqrt, e4m3_add or e4m3_mulAdd";
    if (!g->head[1][0] || !read_policy(g, g->head[1]))
        return "a policy for this function, such as \"ocp\" or \"ocp round=rz\"";
    g->exact = strcmp(g->head[2], "true") == 0;
    g->stochastic = g->policy.round == SF8_SR;
    for (int i = 0; i < f->operands; i++)
        group_field(g, operands[i], f->operand[i].bits, 1, 0);
    if (g->stochastic)
        group_field(g, "random", 32, 1, 0);
    group_field(g, "result", f->result.bits, 1, 1);
    group_field(g, "flags", 8, 1, 1);
    return NULL;
}

/* ---- results --------------------------------------------------------------------------------- */

static sf8_result call(const vector_group *g, const uint64_t *operands, sf8_policy policy)
{
    uint32_t random = g->stochastic ? (uint32_t)operands[g->function.operands] : 0;
    return sf8_function_call(&g->function, operands, policy, random, g->exact);
}

int word_is_any_nan(const sf8_word *word, uint64_t found, uint64_t right)
{
    return word->kind == SF8_WORD_FLOAT && sf8_is_nan(word->format, right) &&
           sf8_is_nan(word->format, found) && !sf8_core_is_signaling(word->format, found, SF8_OCP);
}

static int get_operands(const vector_group *g, const vector_case *c, uint64_t operands[4])
{
    int count = g->function.operands + g->stochastic;
    for (int i = 0; i < count; i++)
        operands[i] = c->field[i].word[0];
    return count;
}

static const char *run_function(const vector_group *g, vector_case *c)
{
    uint64_t operands[4];
    int at = get_operands(g, c, operands);
    sf8_result r = call(g, operands, g->policy);
    for (int i = 0; i < 2; i++)
        words_resize(&c->field[at + i], 1);
    c->field[at].word[0] = r.code;
    c->field[at + 1].word[0] = r.flags;
    return NULL;
}

/* ---- where the exact result lies ------------------------------------------------------------- */

/* The function in another rounding mode, with infinity or NaN for overflow. */
static sf8_result rounded(const vector_group *g, const uint64_t *operands, unsigned round)
{
    sf8_policy p = sf8_policy_default();
    p.round = round & SF8_ROUND_MASK;
    p.overflow = p.inf = SF8_TO_SPECIAL;
    p.negative = SF8_NEG_ABS;
    p.flush = g->policy.flush & SF8_FLUSH_INPUTS;
    return sf8_function_call(&g->function, operands, p, 0, 1);
}

static int is_inexact(const vector_group *g, const uint64_t *operands)
{
    return (rounded(g, operands, SF8_RZ).flags & SF8_INEXACT) != 0;
}

static int is_tie(const vector_group *g, const uint64_t *operands)
{
    sf8_result away = rounded(g, operands, SF8_RNA), toward = rounded(g, operands, SF8_RNZ);
    return is_inexact(g, operands) &&
           (away.code != toward.code || ((away.flags ^ toward.flags) & SF8_OVERFLOW));
}

static int overflows(const vector_group *g, const uint64_t *operands, unsigned round)
{
    return (rounded(g, operands, round).flags & SF8_OVERFLOW) != 0;
}

static vector_group conversion(sf8_format to, sf8_format from)
{
    vector_group g;
    group_begin(&g, &kind_convert);
    g.function = sf8_function_convert(from, to);
    g.policy = sf8_policy_default();
    return g;
}

int conversion_is_tie(sf8_format to, sf8_format from, uint64_t word)
{
    vector_group g = conversion(to, from);
    return is_tie(&g, &word);
}

int conversion_is_inexact(sf8_format to, sf8_format from, uint64_t word)
{
    vector_group g = conversion(to, from);
    return is_inexact(&g, &word);
}

/* The conversions alone: an input next to it is a tie. */
static int is_near_tie(const vector_group *g, const uint64_t *operands)
{
    const sf8_word *word = &g->function.operand[0];
    uint64_t top = word->kind == SF8_WORD_FLOAT ? sf8_format_max(word->format) : UINT64_MAX;
    uint64_t mask = word->kind == SF8_WORD_FLOAT ? sf8_format_mag_mask(word->format) : UINT64_MAX;
    uint64_t magnitude = operands[0] & mask, sign = operands[0] & ~mask;
    uint64_t below = sign | (magnitude - 1), above = sign | (magnitude + 1);
    if (word->kind == SF8_WORD_FLOAT && !sf8_format_valid(word->format))
        return 0; /* neighbours of HiF8's codes are not neighbours in value */
    return (magnitude > 0 && is_tie(g, &below)) || (magnitude < top && is_tie(g, &above));
}

static int is_e4m3(sf8_format f)
{
    return f.exp_bits == 4 && f.man_bits == 3 && f.is_signed && f.nan == SF8_NANS_TOP &&
           f.bias == 7 && !f.has_inf;
}

static vector_tags place_tags(const vector_group *g, const uint64_t *operands, sf8_result r)
{
    const sf8_word *to = &g->function.result;
    int inexact = is_inexact(g, operands), tie = is_tie(g, operands);
    int above = overflows(g, operands, SF8_RU) || overflows(g, operands, SF8_RD);
    int converts = kind_of_function(&g->function) == &kind_convert;
    vector_tags tags = tag_if(!inexact && !r.flags, TAG_EXACT) |
                       tag_if(inexact && !tie, TAG_ROUNDED) | tag_if(tie, TAG_TIE) |
                       tag_if(tie && above, TAG_TIE_AT_MAX) |
                       tag_if(converts && !tie && is_near_tie(g, operands), TAG_NEAR_TIE) |
                       tag_if(inexact && g->stochastic, TAG_STOCHASTIC);
    if (to->kind != SF8_WORD_FLOAT)
        return tags;
    sf8_format f = to->format;
    uint64_t least = sf8_format_min_normal(f);
    uint64_t inner = rounded(g, operands, SF8_RZ).code & sf8_format_mag_mask(f);
    uint64_t code = r.code & sf8_format_mag_mask(f);
    int has_subnormals = f.has_zero && least > 1 && sf8_format_valid(f);
    return tags | tag_if(above && !(r.flags & SF8_OVERFLOW), TAG_ABOVE_MAX) |
           tag_if(above && is_e4m3(f) && !overflows(g, operands, SF8_RZ), TAG_OVERFLOW_464) |
           tag_if(inexact && has_subnormals && inner == least - 1, TAG_SUBNORMAL_BOUNDARY) |
           tag_if(inexact && f.has_zero && code == 0, TAG_UNDERFLOW_TO_ZERO);
}

/* ---- two roundings --------------------------------------------------------------------------- */

/* Every value of f is one of `wide`, which has more bits of precision. */
static int is_within(sf8_format f, sf8_format wide)
{
    return f.man_bits < wide.man_bits && f.exp_bits <= wide.exp_bits;
}

/* Rounded to `wide` first, and then to the target. */
static int differs_through(const vector_group *g, const uint64_t *operands, sf8_format wide,
                           uint64_t code)
{
    sf8_function f = g->function;
    sf8_format to = f.result.format;
    uint64_t widened[3];
    if (!is_within(to, wide))
        return 0;
    for (int i = 0; i < f.operands; i++) {
        sf8_format from = f.operand[i].format;
        int exact = f.op != SF8_OP_CONVERT && is_within(from, wide);
        if (f.op != SF8_OP_CONVERT && !exact)
            return 0;
        widened[i] = exact ? sf8_convert(wide, from, operands[i], SF8_OCP_NOSAT) : operands[i];
        f.operand[i].format = exact ? wide : from;
    }
    f.result.format = wide;
    uint64_t first = sf8_function_call(&f, widened, SF8_OCP_NOSAT, 0, 0).code;
    return !sf8_is_special(wide, first) && sf8_convert(to, wide, first, g->policy) != code;
}

static int rounds_once(const sf8_function *f)
{
    return sf8_function_rounds(f) && f->op != SF8_OP_FROM_INTEGER && f->op != SF8_OP_TO_INTEGER &&
           f->op != SF8_OP_roundToInt;
}

static int differs_unfused(const vector_group *g, const uint64_t *operands, uint64_t code)
{
    sf8_format f = g->function.result.format;
    for (int i = 0; i < g->function.operands; i++)
        if (memcmp(&g->function.operand[i].format, &f, sizeof f) != 0)
            return 0; /* mixed formats */
    uint64_t product = sf8_mul(f, operands[0], operands[1], g->policy).code;
    return sf8_add(f, product, operands[2], g->policy).code != code;
}

static vector_tags double_tags(const vector_group *g, const uint64_t *operands, uint64_t code)
{
    if (!rounds_once(&g->function) || g->stochastic || g->policy.via != SF8_VIA_NONE)
        return 0;
    return tag_if(differs_through(g, operands, SF8_F32, code), TAG_DOUBLE_ROUNDING_F32) |
           tag_if(differs_through(g, operands, SF8_F16, code), TAG_DOUBLE_ROUNDING_F16) |
           tag_if(differs_through(g, operands, SF8_BF16, code), TAG_DOUBLE_ROUNDING_BF16) |
           tag_if(g->function.op == SF8_OP_mulAdd && differs_unfused(g, operands, code), TAG_FUSED);
}

/* ---- special values -------------------------------------------------------------------------- */

static int is_neg_zero(const sf8_word *word, uint64_t code)
{
    return word->kind == SF8_WORD_FLOAT && sf8_format_has_neg_zero(word->format) &&
           code == sf8_format_sign_bit(word->format);
}

/* A value below zero, or an integer with the sign bit. */
static int is_negative(const sf8_word *word, uint64_t code)
{
    if (word->kind != SF8_WORD_FLOAT)
        return word->kind == SF8_WORD_SIGNED && (code >> (word->bits - 1) & 1);
    return (code & sf8_format_sign_bit(word->format)) && !sf8_is_nan(word->format, code);
}

static vector_tags operand_tags(const vector_group *g, const sf8_word *word, uint64_t code)
{
    sf8_format f = word->format;
    if (word->kind != SF8_WORD_FLOAT)
        return 0;
    uint64_t below_quiet = f.man_bits ? (UINT64_C(1) << (f.man_bits - 1)) - 1 : 0;
    int nan = sf8_is_nan(f, code) != 0;
    int lacks = g->function.result.kind == SF8_WORD_FLOAT &&
                g->function.result.format.nan == SF8_NANS_NONE;
    return tag_if(nan, TAG_NAN) | tag_if(nan && lacks, TAG_MISSING_NAN) |
           tag_if(nan && sf8_core_is_signaling(f, code, g->policy), TAG_SIGNALING_NAN) |
           tag_if(nan && f.nan == SF8_NANS_IEEE && (code & below_quiet), TAG_NAN_PAYLOAD) |
           tag_if(sf8_is_inf(f, code) != 0, TAG_INFINITE) |
           tag_if(is_neg_zero(word, code), TAG_NEG_ZERO);
}

static vector_tags conversion_tags(const vector_group *g, const uint64_t *operands, sf8_result r)
{
    const sf8_word *from = &g->function.operand[0], *to = &g->function.result;
    int negative = is_negative(from, operands[0]),
        nan = (operand_tags(g, from, operands[0]) >> TAG_NAN & 1) != 0;
    int is_unsigned = to->kind == SF8_WORD_FLOAT ? !to->format.is_signed
                                                 : to->kind == SF8_WORD_UNSIGNED;
    int zero = to->kind == SF8_WORD_FLOAT && r.code == 0;
    int no_neg_zero = zero && to->format.is_signed && !sf8_format_has_neg_zero(to->format);
    return tag_if(negative && is_unsigned && !is_neg_zero(from, operands[0]),
                  TAG_NEGATIVE_UNSIGNED) |
           tag_if(negative && no_neg_zero, TAG_MISSING_NEG_ZERO) |
           tag_if(to->kind != SF8_WORD_FLOAT && !nan && (r.flags & SF8_INVALID), TAG_OUT_OF_RANGE);
}

static vector_tags result_tags(const vector_group *g, sf8_result r, vector_tags of_operands)
{
    const sf8_word *to = &g->function.result;
    int nan_in = (of_operands >> TAG_NAN & 1) != 0;
    int infinite = (of_operands >> TAG_INFINITE & 1) != 0;
    int over = (r.flags & SF8_OVERFLOW) != 0;
    int converts = g->function.op == SF8_OP_CONVERT;
    vector_tags tags = tag_if(over, TAG_OVERFLOW) |
                       tag_if((r.flags & SF8_DIVBYZERO) != 0, TAG_DIVBYZERO) |
                       tag_if(is_neg_zero(to, r.code), TAG_NEG_ZERO);
    if (to->kind != SF8_WORD_FLOAT)
        return tags;
    sf8_format f = to->format;
    uint64_t magnitude = r.code & sf8_format_mag_mask(f);
    int limited = over || (converts && infinite), nan = sf8_is_nan(f, r.code) != 0;
    return tags | tag_if(limited && magnitude == sf8_format_max(f), TAG_SATURATED) |
           tag_if(limited && nan && !nan_in, TAG_OVERFLOW_TO_NAN) |
           tag_if(over && sf8_is_inf(f, r.code), TAG_OVERFLOW_TO_INFINITY) |
           tag_if(!limited && nan && !nan_in && !converts, TAG_INVALID) |
           tag_if(magnitude > 0 && magnitude < sf8_format_min_normal(f) && !nan, TAG_SUBNORMAL);
}

/* What a change of the policy changes. */
static vector_tags policy_tags(const vector_group *g, const uint64_t *operands, sf8_result r)
{
    sf8_policy other = g->policy, unflushed = g->policy;
    other.tininess = !other.tininess;
    unflushed.flush = SF8_FLUSH_NONE;
    sf8_result late = call(g, operands, other), kept = call(g, operands, unflushed);
    sf8_result down = rounded(g, operands, SF8_RD), near = rounded(g, operands, SF8_RNE);
    int zero = g->function.result.kind == SF8_WORD_FLOAT && !is_inexact(g, operands);
    return tag_if(late.flags != r.flags, TAG_TININESS) |
           tag_if(kept.code != r.code || kept.flags != r.flags, TAG_FLUSHED) |
           tag_if(zero && down.code != near.code, TAG_ZERO_SIGN);
}

static vector_tags tags_of_function(const vector_group *g, vector_case *c)
{
    uint64_t operands[4];
    int at = get_operands(g, c, operands);
    const sf8_result r = {c->field[at].word[0], (uint32_t)c->field[at + 1].word[0]};
    vector_tags tags = 0, special = tag_if(1, TAG_NAN) | tag_if(1, TAG_INFINITE);
    for (int i = 0; i < g->function.operands; i++)
        tags |= operand_tags(g, &g->function.operand[i], operands[i]);
    int finite = !(tags & special);
    tags |= result_tags(g, r, tags);
    if (kind_of_function(&g->function) == &kind_convert)
        tags |= conversion_tags(g, operands, r);
    /* A negative value that an unsigned target refuses is not rounded. */
    finite &= !(tags >> TAG_NEGATIVE_UNSIGNED & 1) || g->policy.negative == SF8_NEG_ABS;
    if (finite)
        tags |= place_tags(g, operands, r) | double_tags(g, operands, r.code) |
                policy_tags(g, operands, r);
    return tags ? tags : tag_if(1, TAG_PLAIN);
}

/* ---- the kinds ------------------------------------------------------------------------------- */

#define FUNCTION_KIND(name_text)                                                                   \
    {                                                                                              \
        .name = name_text, .head = {{"function", 's', 0}, {"policy", 's', 0}, {"exact", 'b', 1}},  \
        .open = open_function, .run = run_function, .tags = tags_of_function                       \
    }

const vector_kind kind_convert = FUNCTION_KIND("convert");
const vector_kind kind_unary = FUNCTION_KIND("unary");
const vector_kind kind_binary = FUNCTION_KIND("binary");
const vector_kind kind_fma = FUNCTION_KIND("fma");

/* SPDX-License-Identifier: MIT */
/* model.c -- a converter as a policy and what is wrong with it: the code it gives */
#include "diagnose/policy/identify.h"

/* ---- the first of two steps ------------------------------------------------------------------ */

int identify_can_be_cut(sf8_format from)
{
    return from.exp_bits == SF8_F32.exp_bits && from.man_bits == SF8_F32.man_bits &&
           from.bias == SF8_F32.bias;
}

uint64_t identify_cut_word(sf8_format narrow, uint64_t word)
{
    sf8_policy cut = SF8_OCP_NOSAT;
    if (narrow.exp_bits == SF8_F32.exp_bits)
        return word >> (SF8_F32.man_bits - narrow.man_bits);
    cut.round = SF8_RZ;
    cut.nan_code = SF8_NAN_PAYLOAD;
    cut.nan_sign = SF8_NAN_SIGNED;
    return sf8_core_convert(narrow, SF8_F32, word, cut, 0).code;
}

static uint64_t round_first(uint32_t defects, sf8_format *from, uint64_t word)
{
    if (!(defects & (IDENTIFY_cut_bf16 | IDENTIFY_cut_f16)) ||
        !identify_can_be_cut(*from)) /* read as another format */
        return word;
    *from = defects & IDENTIFY_cut_bf16 ? SF8_BF16 : SF8_F16;
    return identify_cut_word(*from, word);
}

/* ---- what a value is ------------------------------------------------------------------------- */

/* A finite value as odd * 2^exponent; its leading one is 2^top. Zero has sig 0. */
typedef struct value {
    uint64_t sig;
    int32_t exponent, top;
    uint32_t sign;
} value;

static value value_of(sf8_format from, uint64_t word)
{
    sf8_number x = sf8_core_unpack(from, word & sf8_format_code_mask(from), sf8_policy_default());
    value v = {x.sig, x.exponent, 0, x.sign};
    while (v.sig > 0 && (v.sig & 1) == 0) {
        v.sig >>= 1;
        v.exponent++;
    }
    v.top = v.sig ? v.exponent + sf8_msb64(v.sig) : 0;
    return v;
}

static int is_tiny(value v, sf8_format to)
{
    return v.sig > 0 && v.top < sf8_format_emin(to);
}

static int is_below_least(value v, sf8_format to)
{
    return v.sig > 0 && v.top < sf8_format_emin(to) - to.man_bits;
}

/* Halfway between two neighbouring multiples of the quantum. */
static int is_tie(value v, sf8_format to)
{
    int32_t low = v.top > sf8_format_emin(to) ? v.top : sf8_format_emin(to);
    return v.sig > 0 && v.exponent == low - to.man_bits - 1;
}

static int is_over(sf8_format from, sf8_format to, uint64_t word, int or_equal)
{
    value v = value_of(from, word);
    uint64_t max = sf8_format_max(to);
    value m = value_of(to, max);
    if (v.sig == 0 || v.top != m.top)
        return v.sig > 0 && v.top > m.top;
    uint64_t a = v.sig << (63 - sf8_msb64(v.sig)), b = m.sig << (63 - sf8_msb64(m.sig));
    return or_equal ? a >= b : a > b;
}

const char *const identify_class_names[IDENTIFY_CLASSES] = {
    "nan",          "infinity",         "zero", "negative", "above-largest", "tie",
    "below-normal", "tie-below-normal", "other"};
const char *const identify_class_phrases[IDENTIFY_CLASSES] = {
    "NaN",
    "infinite",
    "zero",
    "negative",
    "above the largest finite number",
    "ties",
    "below the smallest normal number",
    "ties below the smallest normal number",
    "other values"};

identify_class identify_classify(sf8_format from, sf8_format to, uint64_t word)
{
    word &= sf8_format_code_mask(from);
    if (sf8_is_nan(from, word))
        return IDENTIFY_IS_NAN;
    if (sf8_is_inf(from, word))
        return IDENTIFY_IS_INF;
    value v = value_of(from, word);
    if (v.sig == 0)
        return IDENTIFY_IS_ZERO;
    if (v.sign && !to.is_signed)
        return IDENTIFY_IS_NEGATIVE;
    if (is_over(from, to, word, 0))
        return IDENTIFY_IS_OVER;
    if (is_tie(v, to))
        return is_tiny(v, to) ? IDENTIFY_IS_TINY_TIE : IDENTIFY_IS_TIE;
    return is_tiny(v, to) ? IDENTIFY_IS_TINY : IDENTIFY_IS_OTHER;
}

/* ---- the code -------------------------------------------------------------------------------- */

typedef struct operand {
    const identify_model *m;
    const identify_seen *seen;
    sf8_format from, to;
    uint64_t word;
    sf8_policy policy;
    uint32_t sign;
} operand;

static uint64_t convert(const operand *x, uint64_t word)
{
    return sf8_core_convert(x->to, x->from, word, x->policy, 0).code;
}

static uint64_t with_sign(const operand *x, uint64_t word)
{
    return word | (x->sign ? sf8_format_sign_bit(x->from) : 0);
}

static uint64_t nan_code(const operand *x)
{
    uint32_t defects = x->m->defects;
    if (defects & IDENTIFY_nan_code)
        return x->seen->nan[x->sign];
    if (defects & IDENTIFY_nan_as_inf)
        return convert(x, with_sign(x, sf8_format_inf(x->from)));
    if (defects & IDENTIFY_nan_as_overflow)
        return convert(x, with_sign(x, sf8_format_max(x->from)));
    if (defects & IDENTIFY_nan_cut) {
        sf8_nan nan = sf8_core_nan_of(x->from, x->word, x->policy);
        return (x->sign ? sf8_format_sign_bit(x->to) : 0) | sf8_format_inf(x->to) |
               nan.payload >> (64 - x->to.man_bits);
    }
    return convert(x, x->word);
}

static uint64_t special_code(const operand *x)
{
    if (sf8_is_nan(x->from, x->word))
        return nan_code(x);
    if (x->m->defects & IDENTIFY_inf_code)
        return x->seen->inf[x->sign];
    /* Where infinity is treated as an overflow it goes the same wrong way. */
    if ((x->m->defects & (IDENTIFY_clamp | IDENTIFY_over_code)) &&
        x->policy.inf == x->policy.overflow)
        return x->seen->over[x->sign];
    return convert(x, x->word);
}

/* The magnitude that a rounding gives, as if the exponent field of the target were wider. */
static uint64_t wide_magnitude(const operand *x, unsigned round)
{
    sf8_format wide = sf8_format_row(11, x->to.man_bits, x->to.is_signed, SF8_NANS_NONE, 0,
                                     x->to.has_zero, x->to.bias);
    sf8_policy policy = x->policy;
    policy.round = round & SF8_ROUND_MASK;
    policy.overflow = SF8_TO_MAX;
    policy.overflow_test = 0;
    return sf8_core_convert(wide, x->from, x->word, policy, 0).code & sf8_format_mag_mask(wide);
}

/* A finite value under the defects of group OVER. */
static uint64_t over_code(const operand *x)
{
    uint32_t defects = x->m->defects;
    uint64_t sign = x->sign ? sf8_format_sign_bit(x->to) : 0, mask = sf8_format_mag_mask(x->to);
    if (defects & (IDENTIFY_wrap | IDENTIFY_wrap_or)) {
        uint64_t m = wide_magnitude(x, x->policy.round);
        if (m <= sf8_format_max(x->to))
            return convert(x, x->word);
        return defects & IDENTIFY_wrap ? sign | (m & mask)
                                       : (sign | m) & sf8_format_code_mask(x->to);
    }
    if (defects & IDENTIFY_clamp) {
        uint64_t limit = x->seen->over[0] & mask, m = wide_magnitude(x, x->policy.round);
        return m > limit                   ? x->seen->over[x->sign]
               : m > sf8_format_max(x->to) ? sign | m
                                           : convert(x, x->word);
    }
    if (defects & IDENTIFY_over_code) {
        sf8_result r = sf8_core_convert(x->to, x->from, x->word, x->policy, 0);
        return r.flags & SF8_OVERFLOW ? x->seen->over[x->sign] : r.code;
    }
    if (defects & IDENTIFY_over_directed) {
        sf8_result r = sf8_core_convert(x->to, x->from, x->word, x->policy, 0);
        operand limit = *x;
        limit.policy.round = SF8_RNE;
        return r.flags & SF8_OVERFLOW ? convert(&limit, with_sign(x, sf8_format_max(x->from)))
                                      : r.code;
    }
    if ((defects & IDENTIFY_max_overflows) && is_over(x->from, x->to, x->word, 1))
        return convert(x, with_sign(x, sf8_format_max(x->from)));
    return convert(x, x->word);
}

/* Sets the rounding of this one value. */
static void set_rounding(operand *x)
{
    uint32_t defects = x->m->defects;
    value v = value_of(x->from, x->word);
    if ((defects & IDENTIFY_subnormal_cut) && is_tiny(v, x->to))
        x->policy.round = SF8_RZ;
    if (!(defects & (IDENTIFY_ties_up | IDENTIFY_no_sticky)))
        return;
    /* Beyond the number after the largest a tie is an overflow like any other value. */
    int tie = is_tie(v, x->to) && wide_magnitude(x, SF8_RZ) <= sf8_format_max(x->to);
    if ((defects & IDENTIFY_ties_up) && tie)
        x->policy.round = x->sign ? SF8_RZ : SF8_RNA;
    if (defects & IDENTIFY_no_sticky) {
        sf8_format finer = sf8_format_row(11, x->to.man_bits + 1, 1, SF8_NANS_NONE, 0, 1,
                                          1 - sf8_format_emin(x->to));
        sf8_policy cut = SF8_OCP;
        cut.round = SF8_RZ;
        x->word = sf8_core_convert(finer, x->from, x->word, cut, 0).code;
        x->from = finer;
    }
}

static uint64_t finite_code(operand *x)
{
    uint32_t defects = x->m->defects;
    value v = value_of(x->from, x->word);
    int is_zero = v.sig == 0;
    uint64_t code;
    set_rounding(x);
    if (((defects & IDENTIFY_flush_early) && is_tiny(v, x->to)) ||
        ((defects & IDENTIFY_below_least_zero) && is_below_least(v, x->to)))
        code = convert(x, with_sign(x, 0));
    else
        code = over_code(x);
    uint64_t sign = sf8_format_sign_bit(x->to);
    if ((code & ~sign) == 0) {
        if ((defects & IDENTIFY_zero_unsigned) ||
            (is_zero && (defects & IDENTIFY_exact_zero_unsigned)) ||
            (!is_zero && (defects & IDENTIFY_small_unsigned)))
            code = 0;
        if (x->sign && ((defects & IDENTIFY_zero_signed) ||
                        (is_zero && (defects & IDENTIFY_exact_zero_signed))))
            code = sign;
    }
    return code;
}

uint64_t identify_code(const identify_model *m, const identify_seen *seen, sf8_format from,
                       sf8_format to, uint64_t word)
{
    if (m->defects == 0)
        return sf8_core_convert(to, from, word, m->policy, 0).code;
    operand x = {m, seen, from, to, word & sf8_format_code_mask(from), m->policy, 0};
    x.word = round_first(m->defects, &x.from, x.word);
    x.sign = sf8_core_sign(x.from, x.word);
    uint64_t code = sf8_is_special(x.from, x.word) ? special_code(&x) : finite_code(&x);
    if (m->defects & IDENTIFY_sign_dropped)
        code &= sf8_format_mag_mask(to);
    return code;
}

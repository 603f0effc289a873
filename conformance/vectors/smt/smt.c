/* SPDX-License-Identifier: MIT */
/* smt.c -- definitions of functions in SMT-LIB 2: codes, specials, conversions, operations
 *
 * A result is flags before code, so that one definition has both; NAME and NAME.flags take it
 * apart.
 */
#include "softfp8/number/arith.h"
#include "vectors/smt/text.h"

#include <stdio.h>

enum { NAME = 3 * SF8_NAME_SIZE };

/* ---- codes ----------------------------------------------------------------------------------- */

/* A part of a code: its sign, its magnitude, its mantissa, as an expression of `x`. */
static const char *sign_of(char text[64], sf8_format f, const char *x)
{
    if (f.is_signed)
        snprintf(text, 64, "((_ extract %d %d) %s)", sf8_format_mag_bits(f), sf8_format_mag_bits(f),
                 x);
    else
        snprintf(text, 64, "#b0");
    return text;
}

/* NAME.nan, NAME.inf (1 bit), NAME.exponent and NAME.sig: what a code of the format is. */
static void define_code(smt_text *t, const char *name, sf8_format f, sf8_policy policy)
{
    int bits = sf8_format_bits(f), mags = sf8_format_mag_bits(f), man = f.man_bits;
    char x[32], a[SMT_CONSTANT], b[SMT_CONSTANT], zero[SMT_CONSTANT];
    snprintf(x, sizeof x, "(x (_ BitVec %d))", bits);
    smt_print(t, "\n; The codes of a format: NaN, infinity, and sig * 2^exponent\n");
    smt_define(t, name, ".inf", x, 1);
    smt_let(t, "mag", "((_ extract %d 0) x)", mags - 1);
    if (f.has_inf)
        smt_result(t, "(ite (= mag %s) #b1 #b0)",
                   smt_constant(a, (int64_t)sf8_format_inf(f), mags));
    else
        smt_result(t, "#b0");
    smt_define(t, name, ".nan", x, 1);
    smt_let(t, "mag", "((_ extract %d 0) x)", mags - 1);
    smt_constant(a, (int64_t)sf8_format_max(f), mags);
    smt_constant(b, (int64_t)sf8_format_sign_bit(f), bits);
    smt_result(t, "(ite (or (and (bvugt mag %s) (= (%s.inf x) #b0)) %s%s%s) #b1 #b0)", a, name,
               f.nan == SF8_NANS_NEG_ZERO ? "(= x " : "false", f.nan == SF8_NANS_NEG_ZERO ? b : "",
               f.nan == SF8_NANS_NEG_ZERO ? ")" : "");
    smt_define(t, name, ".exponent", x, SMT_EXPONENT);
    smt_constant(a, 0, f.exp_bits);
    smt_constant(b, 1, f.exp_bits);
    smt_let(t, "field", "((_ extract %d %d) x)", mags - 1, man);
    if (f.has_zero)
        smt_let(t, "from", "(ite (= field %s) %s field)", a, b);
    else
        smt_let(t, "from", "field");
    smt_result(t, "(bvsub ((_ zero_extend %d) from) %s)", SMT_EXPONENT - f.exp_bits,
               smt_constant(a, f.bias + man, SMT_EXPONENT));
    smt_define(t, name, ".sig", x, man + 1);
    smt_constant(a, 0, f.exp_bits);
    smt_constant(zero, 0, man + 1);
    if (man)
        smt_let(t, "mantissa", "((_ extract %d 0) x)", man - 1);
    if (f.has_zero)
        smt_let(t, "normal", "(not (= ((_ extract %d %d) x) %s))", mags - 1, man, a);
    else
        smt_let(t, "normal", "true");
    const char *one = man ? "(concat #b1 mantissa)" : "#b1";
    const char *rest = man && !(policy.flush & SF8_FLUSH_INPUTS) ? "(concat #b0 mantissa)" : zero;
    smt_result(t, "(ite normal %s %s)", one, rest);
}

/* ---- NaN ------------------------------------------------------------------------------------- */

/* The mantissa of a NaN of `from` in front of that of `to`. */
static void let_payload(smt_text *t, sf8_format to, sf8_format from)
{
    int give = from.man_bits, take = to.man_bits;
    if (give == 0)
        smt_let(t, "payload", "(_ bv0 %d)", take);
    else if (give >= take)
        smt_let(t, "payload", "((_ extract %d %d) x)", give - 1, give - take);
    else
        smt_let(t, "payload", "(concat ((_ extract %d 0) x) (_ bv0 %d))", give - 1, take - give);
}

/* The code of the NaN that keeps mantissa bits of its operand. */
static void let_kept_nan(smt_text *t, sf8_format to, sf8_format from, sf8_policy policy)
{
    int take = to.man_bits;
    long long quiet = 1LL << (take - 1);
    let_payload(t, to, from);
    if (policy.nan_code == SF8_NAN_PAYLOAD)
        smt_let(t, "m", "(bvor payload (_ bv%lld %d))", quiet, take);
    else if (from.man_bits)
        smt_let(t, "m", "(ite (= ((_ extract %d 0) x) (_ bv0 %d)) (_ bv%lld %d) payload)",
                from.man_bits - 1, from.man_bits, quiet, take);
    else
        smt_let(t, "m", "(_ bv%lld %d)", quiet, take);
    smt_let(t, "code", "(concat %s (_ bv%lld %d) m)",
            to.is_signed ? policy.nan_sign == SF8_NAN_POSITIVE ? "#b0" : "bit" : "",
            (1LL << to.exp_bits) - 1, to.exp_bits);
}

/* NAME.from_nan: the result in `to` for a NaN of `from`. */
static void define_nan(smt_text *t, const char *name, sf8_format to, sf8_format from,
                       sf8_policy policy)
{
    char x[32], sign[64], code[2][SMT_CONSTANT], lost[SMT_CONSTANT];
    int bits = sf8_format_bits(to), replaced = policy.nan == SF8_NAN_AS_MISSING;
    snprintf(x, sizeof x, "(x (_ BitVec %d))", sf8_format_bits(from));
    smt_define(t, name, ".from_nan", x, bits + 5);
    int positive = from.nan == SF8_NANS_NEG_ZERO && policy.nan_sign != SF8_NAN_SIGN_BIT;
    smt_let(t, "bit", "%s", positive ? "#b0" : sign_of(sign, from, "x"));
    int keeps = to.nan == SF8_NANS_IEEE && !replaced &&
                (policy.nan_code == SF8_NAN_PAYLOAD || policy.nan_code == SF8_NAN_BITS);
    if (keeps) {
        let_kept_nan(t, to, from, policy);
    } else {
        for (uint32_t i = 0; i < 2; i++) {
            sf8_nan nan = {policy.nan_sign == SF8_NAN_POSITIVE ? 0 : i, i, 0};
            smt_constant(code[i], (int64_t)sf8_core_nan(to, policy, nan), bits);
        }
        smt_let(t, "code", "(ite (= bit #b1) %s %s)", code[1], code[0]);
    }
    int signals = from.nan == SF8_NANS_IEEE && !(policy.quiet && sf8_format_bits(from) <= 8);
    uint32_t flags = to.nan == SF8_NANS_NONE || replaced ? sf8_core_lost_flags(policy.nan_flags)
                                                         : 0;
    if (signals)
        smt_let(t, "signals", "(ite (= ((_ extract %d %d) x) #b0) #b10000 #b00000)",
                from.man_bits - 1, from.man_bits - 1);
    else
        smt_let(t, "signals", "#b00000");
    smt_result(t, "(concat (bvor signals %s) code)", smt_constant(lost, flags, 5));
}

/* ---- conversions ----------------------------------------------------------------------------- */

static void print_row(smt_text *t, const char *what, sf8_format f)
{
    static const char *const nans[] = {"none", "ieee", "top", "neg-zero"};
    smt_print(t, "; %s: exp=%d man=%d signed=%d nan=%s inf=%d zero=%d bias=%d\n", what, f.exp_bits,
              f.man_bits, f.is_signed, nans[f.nan], f.has_inf, f.has_zero, f.bias);
}

/* The result of infinity: of a bit `sign`. */
static void infinite(char text[3 * SMT_CONSTANT], sf8_format to, sf8_policy policy,
                     const char *sign)
{
    char plus[SMT_CONSTANT], minus[SMT_CONSTANT];
    smt_both(plus, to, sf8_core_infinity(to, policy, 0, 0));
    smt_both(minus, to, sf8_core_infinity(to, policy, 1, 0));
    snprintf(text, 3 * SMT_CONSTANT, "(ite (= %s #b1) %s %s)", sign, minus, plus);
}

/* NAME.result: one rounding. */
static void define_conversion(smt_text *t, const char *name, sf8_format to, sf8_format from,
                              sf8_policy policy)
{
    char x[32], sign[64], inf[3 * SMT_CONSTANT];
    sf8_policy special = policy;
    if (sf8_core_keeps_infinity(to, from, policy))
        special.inf = SF8_TO_INF;
    define_code(t, name, from, policy);
    define_nan(t, name, to, from, policy);
    smt_print(t, "\n; The rounding of sig * 2^exponent: the flags, then the code\n");
    smt_define_round(t, name, to, policy, from.man_bits + 1);
    snprintf(x, sizeof x, "(x (_ BitVec %d))", sf8_format_bits(from));
    smt_define(t, name, ".result", x, 5 + sf8_format_bits(to));
    smt_let(t, "sign", "%s", sign_of(sign, from, "x"));
    infinite(inf, to, special, "sign");
    smt_result(t,
               "(ite (= (%s.nan x) #b1) (%s.from_nan x)\n  (ite (= (%s.inf x) #b1) %s\n"
               "  (%s.round sign (%s.exponent x) (%s.sig x))))",
               name, name, name, inf, name, name, name);
}

/* Two conversions with a format between them; the flags are those of one of them. */
static void define_two(smt_text *t, const char *name, sf8_format to, sf8_format via,
                       sf8_format from, sf8_policy first, sf8_policy second, int flags_of_first)
{
    char step[2][NAME], x[32];
    snprintf(step[0], NAME, "%s.first", name);
    snprintf(step[1], NAME, "%s.second", name);
    define_conversion(t, step[0], via, from, first);
    define_conversion(t, step[1], to, via, second);
    int bits = sf8_format_bits(to), between = sf8_format_bits(via);
    snprintf(x, sizeof x, "(x (_ BitVec %d))", sf8_format_bits(from));
    smt_define(t, name, ".result", x, 5 + bits);
    smt_let(t, "one", "(%s.result x)", step[0]);
    smt_let(t, "two", "(%s.result ((_ extract %d 0) one))", step[1], between - 1);
    if (flags_of_first)
        smt_result(t, "(concat ((_ extract %d %d) one) ((_ extract %d 0) two))", between + 4,
                   between, bits - 1);
    else
        smt_result(t, "two");
}

/* With the field `via`. */
static void define_convert(smt_text *t, const char *name, sf8_format to, sf8_format from,
                           sf8_policy policy)
{
    sf8_policy step = sf8_core_via_step();
    if (policy.via != SF8_VIA_NONE && sf8_core_takes_via(from, policy)) {
        step.round = sf8_core_via_round(policy) & SF8_ROUND_MASK;
        if (policy.nan_code == SF8_NAN_BITS)
            step.nan_code = SF8_NAN_BITS;
        define_two(t, name, to, sf8_core_via_format(policy), from, step, policy, 0);
    } else if (policy.via != SF8_VIA_NONE && sf8_core_widens_via(to, from, policy)) {
        define_two(t, name, to, SF8_F32, from, policy, step, 1);
    } else {
        define_conversion(t, name, to, from, policy);
    }
}

/* ---- operations ------------------------------------------------------------------------------ */

/* The bits that a sum takes as an integer in units of the quantum, with its sign. */
static int sum_bits(sf8_format f)
{
    return f.man_bits + 1 + sf8_format_emax(f) - sf8_format_emin(f) + 2;
}

/* x + y, the sign of y being `sign_y`, exact: sign, exponent and sig of `round`. */
static void print_sum(smt_text *t, const char *name, sf8_format f, sf8_policy policy)
{
    int bits = sum_bits(f);
    char quantum[SMT_CONSTANT];
    smt_constant(quantum, sf8_core_quantum(f), SMT_EXPONENT);
    for (const char *v = "xy"; *v; v++) {
        char up[32];
        if (bits >= SMT_EXPONENT)
            snprintf(up, sizeof up, "(_ zero_extend %d)", bits - SMT_EXPONENT);
        else
            snprintf(up, sizeof up, "(_ extract %d 0)", bits - 1);
        smt_let(t, *v == 'x' ? "size_x" : "size_y",
                "(bvshl ((_ zero_extend %d) (%s.sig %c)) (%s (bvsub (%s.exponent %c) %s)))",
                bits - f.man_bits - 1, name, *v, up, name, *v, quantum);
        smt_let(t, *v == 'x' ? "value_x" : "value_y",
                "(ite (= sign_%c #b1) (bvneg size_%c) size_%c)", *v, *v, *v);
    }
    smt_let(t, "sum", "(bvadd value_x value_y)");
    smt_let(t, "below", "((_ extract %d %d) sum)", bits - 1, bits - 1);
    smt_let(t, "size", "(ite (= below #b1) (bvneg sum) sum)");
    smt_let(t, "both", "(bvor below (bvand sign_x sign_y))");
    if (policy.round == SF8_RD)
        smt_let(t, "sign", "(ite (= sum (_ bv0 %d)) (bvor sign_x sign_y) both)", bits);
    else
        smt_let(t, "sign", "both");
    smt_let(t, "finite", "(%s.round sign %s ((_ extract %d 0) size))", name, quantum, bits - 2);
}

static void print_product(smt_text *t, const char *name, sf8_format f)
{
    int more = f.man_bits + 1;
    smt_let(t, "sign", "(bvxor sign_x sign_y)");
    smt_let(t, "sig", "(bvmul ((_ zero_extend %d) (%s.sig x)) ((_ zero_extend %d) (%s.sig y)))",
            more, name, more, name);
    smt_let(t, "finite", "(%s.round sign (bvadd (%s.exponent x) (%s.exponent y)) sig)", name, name,
            name);
}

/* The result where an operand is infinite, and none is NaN. */
static void let_infinite(smt_text *t, const char *name, sf8_format f, sf8_policy policy, int is_mul)
{
    char first[3 * SMT_CONSTANT], second[3 * SMT_CONSTANT], invalid[SMT_CONSTANT];
    smt_both(invalid, f, sf8_core_invalid(f, policy));
    if (is_mul) {
        infinite(first, f, policy, "sign");
        smt_let(t, "zero", "(or (= (%s.sig x) (_ bv0 %d)) (= (%s.sig y) (_ bv0 %d)))", name,
                f.man_bits + 1, name, f.man_bits + 1);
        smt_let(t, "none", "(and zero (not (and (= (%s.inf x) #b1) (= (%s.inf y) #b1))))", name,
                name);
        smt_let(t, "infinite", "(ite none %s %s)", invalid, first);
        return;
    }
    infinite(first, f, policy, "sign_x");
    infinite(second, f, policy, "sign_y");
    smt_let(t, "infinite",
            "(ite (= (%s.inf x) #b0) %s\n    (ite (and (= (%s.inf y) #b1) (not (= sign_x sign_y))) "
            "%s %s))",
            name, second, name, invalid, first);
}

static void define_operation(smt_text *t, const sf8_function *function, sf8_policy policy)
{
    const char *name = function->name;
    sf8_format f = function->result.format;
    int bits = sf8_format_bits(f), is_mul = function->op == SF8_OP_mul;
    char arguments[64], sign[64];
    define_code(t, name, f, policy);
    define_nan(t, name, f, f, policy);
    smt_print(t, "\n; The rounding of sig * 2^exponent: the flags, then the code\n");
    smt_define_round(t, name, f, policy, is_mul ? 2 * f.man_bits + 2 : sum_bits(f) - 1);
    snprintf(arguments, sizeof arguments, "(x (_ BitVec %d)) (y (_ BitVec %d))", bits, bits);
    smt_define(t, name, ".result", arguments, 5 + bits);
    smt_let(t, "sign_x", "%s", sign_of(sign, f, "x"));
    sign_of(sign, f, "y");
    if (function->op == SF8_OP_sub)
        smt_let(t, "sign_y", "(bvnot %s)", sign);
    else
        smt_let(t, "sign_y", "%s", sign);
    if (is_mul)
        print_product(t, name, f);
    else
        print_sum(t, name, f, policy);
    let_infinite(t, name, f, policy, is_mul);
    /* The NaN of the first operand counts; a signaling one in either raises invalid. */
    smt_let(t, "nan_x", "(%s.from_nan x)", name);
    smt_let(t, "nan_y", "(%s.from_nan y)", name);
    smt_let(t, "other",
            "(ite (= (%s.nan y) #b1) (concat ((_ extract %d %d) nan_y) (_ bv0 %d)) (_ bv0 %d))",
            name, bits + 4, bits, bits, bits + 5);
    smt_result(t,
               "(ite (= (%s.nan x) #b1) (bvor nan_x other)\n  (ite (= (%s.nan y) #b1) nan_y\n"
               "  (ite (= (bvor (%s.inf x) (%s.inf y)) #b1) infinite finite)))",
               name, name, name, name);
}

/* ---- a file ---------------------------------------------------------------------------------- */

const char *smt_expects(const smt_function *s)
{
    sf8_function_op op = s->function->op;
    if (op != SF8_OP_CONVERT && op != SF8_OP_add && op != SF8_OP_sub && op != SF8_OP_mul)
        return "a conversion between formats, or add, sub or mul";
    if (!sf8_format_valid(s->function->operand[0].format) ||
        !sf8_format_valid(s->function->result.format))
        return "other formats than hif8";
    if (op != SF8_OP_CONVERT && strstr(s->function->name, "_to_"))
        return "a name without _to_FORMAT";
    if (s->policy.round == SF8_SR)
        return "another rounding than sr, whose random bits are no operand";
    return NULL;
}

/* NAME and NAME.flags */
static void define_parts(smt_text *t, const sf8_function *f)
{
    int bits = sf8_format_bits(f->result.format);
    char arguments[64];
    int two = f->operands == 2;
    int used = snprintf(arguments, sizeof arguments, "(x (_ BitVec %d))", f->operand[0].bits);
    if (two)
        snprintf(arguments + used, sizeof arguments - (size_t)used, " (y (_ BitVec %d))",
                 f->operand[0].bits);
    smt_define(t, f->name, "", arguments, bits);
    smt_result(t, "((_ extract %d 0) (%s.result x%s))", bits - 1, f->name, two ? " y" : "");
    smt_define(t, f->name, ".flags", arguments, 5);
    smt_result(t, "((_ extract %d %d) (%s.result x%s))", bits + 4, bits, f->name, two ? " y" : "");
}

/* The function with a name that is a simple symbol of SMT-LIB, which may have no comma. */
static sf8_function with_symbol(const sf8_function *function)
{
    sf8_function f = *function;
    for (char *c = f.name; *c; c++) {
        if (*c == ',')
            *c = '_';
    }
    return f;
}

void smt_write(const smt_function *s, smt_put put, void *context)
{
    smt_text t = {put, context, 0};
    const sf8_function symbol = with_symbol(s->function), *f = &symbol;
    smt_print(&t, "; %s under the policy %s, as softfp8 %s defines it\n", s->function->name,
              s->policy_text, sf8_version());
    smt_print(&t,
              "; %s: the code of the result. %s.flags: 1 inexact, 2 underflow, 4 overflow, "
              "8 division by zero, 16 invalid\n",
              f->name, f->name);
    print_row(&t, f->operands == 1 ? "operand" : "operands", f->operand[0].format);
    print_row(&t, "result", f->result.format);
    smt_print(&t, "(set-logic QF_BV)\n");
    if (f->op == SF8_OP_CONVERT)
        define_convert(&t, f->name, f->result.format, f->operand[0].format, s->policy);
    else
        define_operation(&t, f, s->policy);
    smt_print(&t, "\n; The result, taken apart\n");
    define_parts(&t, f);
}

/* SPDX-License-Identifier: MIT */
/* find.c -- the neighbours of a value, its midpoint, and what it gives
 *
 * The names are those of docs/spec/rounding.md. The results always come from the library;
 * what is found here explains them.
 */
#include "explain/explain.h"

#include <string.h>

/* ---- results --------------------------------------------------------------------------------- */

/* An exponent that rounds as x does and keeps codes within 64 bits. */
static int32_t usable_exponent(sf8_format f, int32_t exponent)
{
    /* Beyond the exponent field, too, for `beyond_max`; a magnitude of f64 has no more bits. */
    int32_t most = sf8_format_emax(f) + (f.man_bits > 40 ? 1 : 2);
    return exponent > most ? most : exponent < -10000 ? -10000 : exponent;
}

sf8_result answer_under(const answer *a, sf8_policy policy)
{
    const question *q = a->q;
    if (q->function)
        return sf8_function_call(q->function, a->operands, policy, q->random, 0);
    if (q->from_name)
        return sf8_convert_sr(q->to, q->from, a->word, policy, q->random);
    /* sf8_from_text takes no random word. */
    if (policy.round == SF8_SR && a->kind == VALUE_FINITE)
        return sf8_core_round_normal(q->to, policy, a->sign, usable_exponent(q->to, a->x.exponent),
                                     a->x.sig, q->random);
    const char *source = policy_source(policy);
    if (source) {
        sf8_format first = sf8_format_named(source, NULL);
        return sf8_convert_sr(q->to, first, policy_first_step(first, a->given).code, policy,
                              q->random);
    }
    sf8_result r = {0, 0};
    sf8_from_text(q->to, a->given, policy, &r, NULL);
    return r;
}

/* Whether a policy is listed: it is meant for the conversion, or it is the one that was asked for.
 * One for a certain source needs --from. */
static int is_listed(const question *q, const sf8_policy_row *row)
{
    if (strcmp(row->name, q->policy_name) == 0)
        return 1;
    return (q->from_name || !*row->from) &&
           sf8_policy_holds(row, q->to, q->from_name ? q->from : q->to);
}

int policy_groups(const answer *a, policy_group groups[POLICIES_MOST])
{
    int count = 0;
    const sf8_policy_row *row;
    for (size_t i = 0; i < POLICIES_MOST && (row = sf8_policy_at(i)) != NULL; i++) {
        if (!is_listed(a->q, row))
            continue;
        sf8_policy policy = sf8_policy_named(row->name, NULL);
        if (a->q->round_given) {
            policy.round = a->q->policy.round;
            policy.sr_rule = a->q->policy.sr_rule;
            policy.sr_bits = a->q->policy.sr_bits;
        }
        uint64_t code = answer_under(a, policy).code;
        int g = 0;
        while (g < count && groups[g].code != code)
            g++;
        if (g == count) {
            groups[g].code = code;
            groups[g].count = 0;
            count++;
        }
        groups[g].names[groups[g].count++] = row->name;
    }
    return count;
}

/* ---- neighbours ------------------------------------------------------------------------------ */

/* A multiple of the quantum with its magnitude code, which exists from 0 to the largest finite
 * one; of the numbers below zero an unsigned format has none. */
static neighbour neighbour_of(const answer *a, int64_t magnitude, sf8_number value)
{
    sf8_format f = a->q->to;
    neighbour n;
    n.exists = magnitude >= 0 && magnitude <= (int64_t)sf8_format_max(f) &&
               (f.is_signed || !a->round_sign || magnitude == 0);
    n.code = (uint64_t)magnitude & sf8_format_mag_mask(f);
    if (a->round_sign && f.is_signed && (magnitude > 0 || sf8_format_has_neg_zero(f)))
        n.code |= sf8_format_sign_bit(f);
    n.value = value;
    n.value.sign = value.sig || sf8_format_has_neg_zero(f) ? a->round_sign : 0;
    return n;
}

/* lo is the largest finite number and hi what would follow it. */
static void find_range_end(answer *a, int64_t lo_code)
{
    sf8_format f = a->q->to;
    int64_t max = (int64_t)sf8_format_max(f);
    sf8_number value = number_of(f, (uint64_t)max);
    a->above_max = 1;
    a->beyond = lo_code > max;
    a->lo = neighbour_of(a, max, value);
    value.sig++;
    a->hi = neighbour_of(a, max + 1, value);
}

/* Two rules that do not ask on which side of the midpoint the value is. */
static void force_side(answer *a)
{
    sf8_policy policy = a->q->policy;
    sf8_format f = a->q->to;
    int nearest = sf8_rounds_to_nearest(policy.round);
    int up = a->up;
    if (policy.above_least == SF8_ABOVE_UP && !f.has_zero && a->kept == 0 && nearest)
        a->up = !a->is_exact;
    if (policy.below_normal == SF8_BELOW_STAY && f.has_zero && a->kept < a->rounded &&
        a->rounded == (int64_t)sf8_format_min_normal(f))
        a->up = 0;
    a->forced = a->up != up;
    a->rounded = a->kept + a->up;
}

static int is_overflow(const answer *a)
{
    sf8_format f = a->q->to;
    int64_t top_field = (int64_t)(sf8_format_mag_mask(f) >> f.man_bits);
    if (a->q->policy.overflow_test == SF8_OVERFLOW_TEST_EXPONENT &&
        a->rounded >> f.man_bits >= top_field)
        return 1;
    return a->rounded > (int64_t)sf8_format_max(f) ||
           (a->q->policy.overflow_test == SF8_OVERFLOW_TEST_EXACT && a->above_max);
}

/* x = (kept + rest / 2^shift) * 2^quantum, the codes counted as sf8_core_round counts them. */
static void find_neighbours(answer *a)
{
    sf8_format f = a->q->to;
    int32_t emin = sf8_format_emin(f);
    int32_t exponent = usable_exponent(f, a->x.exponent);
    int32_t above = exponent > emin ? exponent - emin : 0;
    int32_t shift = SF8_POINT - f.man_bits + (exponent < emin ? emin - exponent : 0);
    uint64_t sig = sf8_shift_right_jam(a->x.sig, shift > 63 ? shift - 63 : 0);
    a->shift = shift > 63 ? 63 : shift;

    uint64_t kept = sig >> a->shift;
    uint64_t half = UINT64_C(1) << (a->shift - 1);
    a->rest = sig & (2 * half - 1);
    int64_t code = ((int64_t)above - !f.has_zero) * (INT64_C(1) << f.man_bits) + (int64_t)kept;
    uint64_t carry = sf8_core_increment(a->q->policy, f.man_bits == 0, a->round_sign, a->shift,
                                        (uint32_t)code & 1, a->q->random);
    a->up = (a->rest + carry) >> a->shift != 0;
    a->kept = code;
    a->rounded = code + a->up;
    a->is_exact = a->rest == 0;
    force_side(a);
    a->side = a->rest < half ? -1 : a->rest > half;

    int64_t max = (int64_t)sf8_format_max(f);
    sf8_number value = sf8_core_number(0, emin + above - f.man_bits, kept);
    a->lo = neighbour_of(a, code, value);
    value.sig++;
    a->hi = neighbour_of(a, code + 1, value);
    if (code > max || (code == max && !a->is_exact))
        find_range_end(a, code);
    if (a->beyond) {
        a->side = 1;
        a->is_exact = 0;
    }
    a->middle = sf8_core_number(a->round_sign, a->lo.value.exponent - 1, 2 * a->lo.value.sig + 1);
    a->overflows = is_overflow(a);
}

/* ---- the value ------------------------------------------------------------------------------- */

/* A word of q->from, or of the format that the policy goes by way of. */
static void take_word(answer *a)
{
    const question *q = a->q;
    sf8_format from = q->from;
    uint64_t word = a->word;
    if (answer_took_via(a)) {
        from = sf8_core_via_format(q->policy);
        word = sf8_core_first_step(q->from, word, q->policy);
    }
    a->operand_format = from;
    a->operand = word;
    a->sign = sf8_core_sign(from, word);
    if (sf8_is_special(from, word)) {
        a->kind = sf8_is_inf(from, word) ? VALUE_INFINITE : VALUE_NAN;
        return;
    }
    sf8_number exact = number_of(from, word);
    sf8_number counted = sf8_core_unpack(from, word, q->policy);
    a->flushed = exact.sig != counted.sig;
    a->x = exact_of_number(counted);
    a->kind = counted.sig ? VALUE_FINITE : VALUE_ZERO;
}

static void take_text(answer *a)
{
    const char *digits = a->given + (a->given[0] == '-' || a->given[0] == '+');
    a->sign = a->given[0] == '-';
    if (digits[0] == 'i' || digits[0] == 'I') {
        a->kind = VALUE_INFINITE;
    } else if (digits[0] == 'n' || digits[0] == 'N') {
        a->kind = VALUE_NAN;
    } else {
        a->x = exact_of_text(a->given);
        a->kind = a->x.sig ? VALUE_FINITE : VALUE_ZERO;
    }
}

answer answer_of(const question *q, const char *given, const uint64_t *words)
{
    answer a;
    memset(&a, 0, sizeof a);
    a.q = q;
    a.given = given;
    a.word = words[0];
    if (q->function)
        memcpy(a.operands, words, (size_t)q->function->operands * sizeof words[0]);
    if (q->from_name && !q->codes) { /* the first of two roundings */
        sf8_result first = policy_first_step(q->from, given);
        a.word = first.code;
        a.first_flags = first.flags;
    }
    if (q->function)
        take_operation(&a);
    else if (q->from_name)
        take_word(&a);
    else
        take_text(&a);
    a.round_sign = !q->to.is_signed && q->policy.negative == SF8_NEG_ABS ? 0 : a.sign;
    if (a.kind == VALUE_FINITE)
        find_neighbours(&a);
    a.result = answer_under(&a, q->policy);
    find_rules(&a);
    return a;
}

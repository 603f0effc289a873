/* SPDX-License-Identifier: MIT */
/* explain.c -- what became of each term of a sum, and the exact sum beside it */
#include "mma/mma.h"
#include "softfp8/core.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the exact sum ---------------------------------------------------------------------------
 *
 * A fixed-point number in limbs of 32 bits, the lowest bit of which is 2^LEAST: every product, with
 * scales, and every accumulator is a multiple of that and far below the top. Limbs are signed and
 * hold more than 32 bits until they are carried.
 */
enum { LEAST = -1216, LIMBS = 64 };

typedef struct exact {
    int64_t limb[LIMBS];
} exact;

static void exact_add(exact *x, int64_t significand, int exponent)
{
    int at = (exponent - LEAST) / 32, shift = (exponent - LEAST) % 32;
    uint64_t magnitude = significand < 0 ? -(uint64_t)significand : (uint64_t)significand;
    int64_t sign = significand < 0 ? -1 : 1;
    uint64_t low = magnitude & 0xffffffffu, high = magnitude >> 32;
    low <<= shift;
    high <<= shift;
    x->limb[at] += sign * (int64_t)(low & 0xffffffffu);
    x->limb[at + 1] += sign * (int64_t)((low >> 32) + (high & 0xffffffffu));
    x->limb[at + 2] += sign * (int64_t)(high >> 32);
}

/* Limbs from 0 to 2^32 - 1; the carry out of the top one, -1 for a negative number. */
static int64_t exact_carried(exact *x)
{
    int64_t carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        int64_t sum = x->limb[i] + carry;
        x->limb[i] = (int64_t)((uint64_t)sum & 0xffffffffu);
        carry = (sum - x->limb[i]) / INT64_C(4294967296);
    }
    return carry;
}

/* Leaves the magnitude; whether it was negative. */
static int exact_carry(exact *x)
{
    if (exact_carried(x) >= 0)
        return 0;
    for (int i = 0; i < LIMBS; i++)
        x->limb[i] = -x->limb[i];
    exact_carried(x);
    return 1;
}

/* Rounded to `f`, to nearest even. */
static uint64_t exact_round(exact *x, sf8_format f)
{
    int negative = exact_carry(x), top = LIMBS - 1, up = 0;
    while (top > 2 && x->limb[top] == 0)
        top--;
    if (x->limb[top] == 0)
        return 0;
    while ((x->limb[top] << up & 0x80000000) == 0)
        up++;
    /* Three limbs hold the leading 64 bits; what is below them only matters as not zero. */
    uint64_t below = (uint64_t)x->limb[top - 2] << up;
    uint64_t sig = ((uint64_t)x->limb[top] << 32 | (uint64_t)x->limb[top - 1]) << up | below >> 32;
    int sticky = (sig & 3) != 0 || (below & 0xffffffffu) != 0;
    for (int i = 0; i < top - 2; i++)
        sticky |= x->limb[i] != 0;
    return sf8_core_round_number(f, SF8_OCP_NOSAT, (uint32_t)negative,
                                 LEAST + 32 * (top - 1) - up + 2, sig >> 2 | (uint64_t)sticky, 0)
        .code;
}

/* ---- words ----------------------------------------------------------------------------------- */

/* The shortest decimal that is this number. */
static const char *number(double x, char text[40])
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, 40, "%.*g", digits, x);
        double back = 0;
        if (sscanf(text, "%lf", &back) == 1 && back == x)
            break;
    }
    return text;
}

static double word_value(sf8_format f, uint32_t word)
{
    return sf8_f64_from_bits(sf8_convert(SF8_F64, f, word, SF8_OCP_NOSAT));
}

static const char *word_text(const mma_row *row, uint32_t word, char text[64])
{
    char value[40];
    snprintf(text, 64, "%0*x %s", row->m.out.man_bits == 10 ? 4 : 8, (unsigned)word,
             number(word_value(row->m.out, word), value));
    return text;
}

static const char *kind_text(uint32_t kind)
{
    return kind == SF8_MMA_INF ? "infinity" : kind == SF8_MMA_MINUS_INF ? "-infinity" : "NaN";
}

/* ---- terms ----------------------------------------------------------------------------------- */

static void explain_term(output *out, const char *name, const char *codes, sf8_mma_term t,
                         const sf8_mma_term *sum, const sf8_mma *m)
{
    char value[40], kept[40], lost[40];
    if (t.kind != SF8_MMA_FINITE) {
        output_print(out, "  %-7s %-13s %s\n", name, codes, kind_text(t.kind));
        return;
    }
    double whole = ldexp((double)t.significand, t.exponent - t.point);
    double part = ldexp((double)sf8_mma_aligned(t, sum->exponent, m->fraction, m->cut),
                        sum->exponent - m->fraction);
    output_print(out, "  %-7s %-13s %-22s e %4d  keeps %s", name, codes, number(whole, value),
                 (int)t.exponent, number(part, kept));
    if (whole != part)
        output_print(out, ", loses %s", number(whole - part, lost));
    output_print(out, "\n");
}

static uint32_t code_at(sf8_format f, const void *codes, size_t i)
{
    return (uint32_t)sf8_mma_load(f, codes, i);
}

static sf8_mma_operands operands_of(const mma_row *row)
{
    sf8_mma_operands x = {row->a, row->b, row->scale_a, row->scale_b};
    return x;
}

/* One sum, each of its terms that is not zero. */
static void explain_sum(output *out, const mma_row *row, size_t first, uint32_t set, size_t count,
                        const uint32_t *c, exact *all)
{
    const sf8_mma *m = &row->m;
    sf8_mma_operands x = operands_of(row);
    sf8_mma_term term = sf8_mma_accumulator(m, c ? *c : 0), sum;
    char name[24], codes[40];
    sum = sf8_mma_sum(m, x, first, set, count, c ? &term : NULL);
    if (c) {
        snprintf(codes, sizeof codes, "%0*x", m->out.man_bits == 10 ? 4 : 8, (unsigned)*c);
        explain_term(out, "c", codes, term, &sum, m);
    }
    for (size_t i = 0; i < count; i++) {
        sf8_mma_term t = sf8_mma_nth(m, x, first, set, i);
        if (t.kind == SF8_MMA_FINITE && t.significand == 0)
            continue;
        size_t k = first + (m->group ? i * (size_t)m->group : sf8_mma_index(set, i));
        snprintf(name, sizeof name, "k %zu%s", k, m->group ? "-" : "");
        codes[0] = '\0';
        if (!m->group)
            snprintf(codes, sizeof codes, "%0*x*%0*x", word_digits(sf8_format_bits(m->a)),
                     (unsigned)code_at(m->a, row->a, k), word_digits(sf8_format_bits(m->b)),
                     (unsigned)code_at(m->b, row->b, k));
        explain_term(out, name, codes, t, &sum, m);
        if (t.kind == SF8_MMA_FINITE)
            exact_add(all, t.significand, t.exponent - t.point);
    }
    char value[40];
    if (sum.kind != SF8_MMA_FINITE)
        output_print(out, "  sum     NaN or infinity, because of the terms\n");
    else
        output_print(out, "  sum     %s, a multiple of 2^%d\n",
                     number(ldexp((double)sum.significand, sum.exponent - sum.point), value),
                     (int)sum.exponent - (int)m->fraction);
}

static uint32_t explain_fused(output *out, const mma_row *row, size_t first, uint32_t set,
                              size_t count, uint32_t c, exact *all)
{
    char text[64];
    explain_sum(out, row, first, set, count, &c, all);
    uint32_t d = sf8_mma_fused(&row->m, operands_of(row), first, set, count, c);
    output_print(out, "  rounded %s\n", word_text(row, d, text));
    return d;
}

static uint32_t explain_added(output *out, const mma_row *row, uint32_t a, uint32_t b)
{
    char left[64], right[64], sum[64];
    uint32_t d = sf8_mma_added(&row->m, a, b);
    output_print(out, "  added   %s + %s = %s, to nearest even\n", word_text(row, a, left),
                 word_text(row, b, right), word_text(row, d, sum));
    return d;
}

static uint32_t explain_lowered(output *out, const mma_row *row, size_t first, size_t count,
                                uint32_t c, exact *all)
{
    output_print(out, " of each four k the first two, as f16, from 0\n");
    uint32_t low = explain_fused(out, row, first, SF8_MMA_LOW, count / 2, 0, all);
    int is_chain = row->m.order == SF8_MMA_CHAIN;
    output_print(out, " the other two, from %s\n", is_chain ? "that" : "0");
    uint32_t high = explain_fused(out, row, first, SF8_MMA_HIGH, count / 2, is_chain ? low : 0,
                                  all);
    if (!is_chain)
        high = explain_added(out, row, low, high);
    return explain_added(out, row, c, high);
}

static uint32_t explain_stages(output *out, const mma_row *row, size_t first, size_t count,
                               uint32_t c, exact *all)
{
    char text[64];
    if (row->m.order == SF8_MMA_INTERLEAVED) {
        output_print(out, " the even k\n");
        explain_sum(out, row, first, SF8_MMA_EVEN, count - count / 2, NULL, all);
        output_print(out, " the odd k\n");
        explain_sum(out, row, first, SF8_MMA_ODD, count / 2, NULL, all);
    } else {
        explain_sum(out, row, first, SF8_MMA_ALL, count, NULL, all);
    }
    uint32_t d = sf8_mma_two_stage(&row->m, operands_of(row), first, count, c);
    output_print(out, "  with c  %s", word_text(row, c, text));
    output_print(out, ", both rounded down, give %s\n", word_text(row, d, text));
    return d;
}

/* As sf8_core_mma_dot goes through them. */
void mma_explain(output *out, const mma_row *row)
{
    const sf8_mma *m = &row->m;
    int lowered = m->order == SF8_MMA_CHAIN || m->order == SF8_MMA_INDEPENDENT;
    size_t most = (size_t)(lowered ? m->k : m->length);
    uint32_t c = row->c;
    exact all;
    char text[64], value[40];
    memset(&all, 0, sizeof all);
    for (size_t at = 0; at < row->k; at += most) {
        size_t count = row->k - at < most ? row->k - at : most;
        output_print(out, " k %zu to %zu\n", at, at + count - 1);
        if (lowered)
            c = explain_lowered(out, row, at, count, c, &all);
        else if (m->order == SF8_MMA_FUSED)
            c = explain_fused(out, row, at, SF8_MMA_ALL,
                              m->group ? count / (size_t)m->group : count, c, &all);
        else
            c = explain_stages(out, row, at, count, c, &all);
    }
    sf8_mma_term start = sf8_mma_code(m->out, row->c);
    if (sf8_is_special(m->out, c) || start.kind != SF8_MMA_FINITE)
        return;
    exact_add(&all, start.significand, start.exponent - start.point);
    exact again = all;
    double near = sf8_f64_from_bits(exact_round(&all, SF8_F64));
    uint32_t right = (uint32_t)exact_round(&again, m->out);
    output_print(out, " exact    %s%s\n", number(near, value),
                 right == c ? ", which is also the result" : "");
    if (right != c)
        output_print(out, " nearest  %s, if the sum were rounded once to nearest\n",
                     word_text(row, right, text));
}

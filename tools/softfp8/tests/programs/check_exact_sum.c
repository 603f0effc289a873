/* SPDX-License-Identifier: MIT */
/* check_exact_sum.c -- sums without rounding, against a counter for each bit
 *
 * The reference squares and adds numbers digit by digit, one counter a bit, and rounds by looking
 * at the bits. Literals are by hand.
 */
#include "base/random.h"
#include "kv/exact_sum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned checks, failures;

static void same(const char *what, double expected, double got)
{
    checks++;
    if (memcmp(&expected, &got, sizeof got) == 0)
        return;
    failures++;
    printf("%s\n  expected: %a\n  got:      %a\n", what, expected, got);
}

/* ---- the reference --------------------------------------------------------------------------- */

enum { BITS = 900, FIRST = -310 };

/* Bit i counts 2^(FIRST + i), with a sign. */
typedef struct counters {
    int64_t bit[BITS];
} counters;

/* Adds m 2^e with a sign. */
static void count_term(counters *c, int sign, uint64_t m, int e)
{
    for (int i = 0; i < 64; i++)
        if (m >> i & 1)
            c->bit[e - FIRST + i] += sign;
}

/* Adds the square of m 2^e: bit by bit. */
static void count_product(counters *c, int sign, uint64_t a, int a_e, uint64_t b, int b_e)
{
    for (int i = 0; i < 64; i++)
        if (a >> i & 1)
            count_term(c, sign, b, a_e + b_e + i);
}

/* Every counter to 0 or 1; the last one says the sign. */
static void settle(counters *c)
{
    for (int i = 0; i + 1 < BITS; i++) {
        int64_t low = c->bit[i] & 1;
        c->bit[i + 1] += (c->bit[i] - low) / 2;
        c->bit[i] = low;
    }
}

static double rounded(counters c)
{
    settle(&c);
    int negative = c.bit[BITS - 1] < 0;
    if (negative) {
        for (int i = 0; i < BITS; i++)
            c.bit[i] = -c.bit[i];
        settle(&c);
    }
    int top = BITS - 1;
    while (top >= 0 && c.bit[top] == 0)
        top--;
    if (top < 0)
        return 0;
    double value = 0;
    int last = top - 52 > 0 ? top - 52 : 0;
    for (int i = top; i >= last; i--)
        value = 2 * value + (double)c.bit[i];
    int half = last > 0 && c.bit[last - 1], more = 0;
    for (int i = 0; i < last - 1; i++)
        more |= c.bit[i] != 0;
    if (half && (more || c.bit[last]))
        value += 1;
    value = ldexp(value, last + FIRST);
    return negative ? -value : value;
}

/* ---- words of f32 ---------------------------------------------------------------------------- */

static uint64_t state = 1;

static uint32_t random_word(void)
{
    return (uint32_t)(word_random_linear(&state) >> 32);
}

static uint64_t significand(uint32_t word, int *e)
{
    int field = (int)(word >> 23 & 255);
    *e = field == 0 ? -149 : field - 150;
    return (word & 0x7fffff) + (field == 0 ? 0 : UINT64_C(1) << 23);
}

typedef struct both {
    exact_sum errors, squares, energy;
    counters c_errors, c_squares, c_energy;
} both;

static void add(both *b, uint32_t x, uint32_t value)
{
    int ex, ev, sx = x >> 31 ? -1 : 1, sv = value >> 31 ? -1 : 1;
    uint64_t mx = significand(x, &ex), mv = significand(value, &ev);
    exact_add_error(&b->errors, &b->squares, &b->energy, x, value);
    count_term(&b->c_errors, sv, mv, ev);
    count_term(&b->c_errors, -sx, mx, ex);
    count_product(&b->c_energy, 1, mx, ex, mx, ex);
    count_product(&b->c_squares, 1, mx, ex, mx, ex);
    count_product(&b->c_squares, 1, mv, ev, mv, ev);
    count_product(&b->c_squares, -2 * sx * sv, mx, ex, mv, ev);
}

static void compare(const char *what, const both *b)
{
    same(what, rounded(b->c_errors), exact_value(&b->errors));
    same(what, rounded(b->c_squares), exact_value(&b->squares));
    same(what, rounded(b->c_energy), exact_value(&b->energy));
}

/* Words with exponents of `range` binades from `from` on, and values near them or anywhere. */
static void check_words(const char *what, int from, int range, int near)
{
    static both b;
    memset(&b, 0, sizeof b);
    for (int i = 0; i < 400; i++) {
        uint32_t r = random_word();
        uint32_t x = (r & 0x807fffffu) | (uint32_t)(from + (int)(r >> 23 & 255) % range) << 23;
        uint32_t v = near ? x ^ (random_word() & 0xfffffu) : random_word() & 0xff7fffffu;
        add(&b, x, v);
        if (i % 40 == 0)
            compare(what, &b);
    }
    compare(what, &b);
}

int main(void)
{
    static both b;
    static exact_sum s;
    static const uint32_t edges[] = {0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff,
                                     0x00800000, 0x3f800000, 0xbf800000, 0x3f7fffff, 0x4b000000,
                                     0x53000000, 0x7f7fffff, 0xff7fffff, 0x2c800000, 0x33800000};
    const size_t n = sizeof edges / sizeof edges[0];
    same("nothing", 0, exact_value(&s));
    for (int e = -300; e < 280; e++) {
        memset(&s, 0, sizeof s);
        exact_add(&s, 0, 1, e);
        same("2^e", ldexp(1, e), exact_value(&s));
        exact_add(&s, 1, 3, e);
        same("less 3 2^e", -ldexp(2, e), exact_value(&s));
    }
    memset(&s, 0, sizeof s);
    /* 2^53 + 1 is a tie to the even 2^53; with 2^-300 more it is above. */
    exact_add(&s, 0, UINT64_C(1) << 53, 0);
    exact_add(&s, 0, 1, 0);
    same("a tie", 0x1p53, exact_value(&s));
    exact_add(&s, 0, 1, -300);
    same("above a tie", 0x1.0000000000001p53, exact_value(&s));
    exact_add(&s, 1, 2, -300);
    same("below a tie", 0x1p53, exact_value(&s));
    for (int i = 0; i < 1000; i++)
        exact_add(&s, 0, UINT64_MAX, 200);
    same("carries", 0x1.f4p9 * 0x1p264, exact_value(&s));
    for (int i = 0; i < 1000; i++)
        exact_add(&s, 1, UINT64_MAX, 200);
    same("and back", 0x1p53, exact_value(&s));
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) {
            memset(&b, 0, sizeof b);
            add(&b, edges[i], edges[k]);
            compare("edges", &b);
        }
    check_words("near", 100, 20, 1);
    check_words("of all sizes", 0, 255, 1);
    check_words("far apart", 0, 255, 0);
    check_words("small", 0, 30, 1);
    check_words("large", 225, 30, 1);
    printf("%u checks, %u failed\n", checks, failures);
    return failures != 0;
}

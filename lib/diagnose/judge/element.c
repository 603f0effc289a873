/* SPDX-License-Identifier: MIT */
/* element.c -- whether a number within the uncertainty gives a code, and how far away it is */
#include "diagnose/judge/judge.h"

#include <math.h>
#include <string.h>

/* ---- keys ------------------------------------------------------------------------------------ */

static judge_key key_of(uint64_t bits, int width)
{
    uint64_t sign = UINT64_C(1) << (width - 1);
    return bits & sign ? -(judge_key)(bits & (sign - 1)) - 1 : (judge_key)bits;
}

static uint64_t bits_of(judge_key k, int width)
{
    return k < 0 ? UINT64_C(1) << (width - 1) | (uint64_t) - (k + 1) : (uint64_t)k;
}

static judge_key key_of_value(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return isnan(x) ? JUDGE_BEYOND : key_of(bits, 64);
}

static int width_of(const judge_rounding *r)
{
    return sf8_format_bits(r->reach);
}

judge_key judge_reach(const judge_rounding *r, double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return width_of(r) == 64 ? key_of(bits, 64) : key_of(sf8_f32_bits((float)x), 32);
}

double judge_reached(const judge_rounding *r, judge_key k)
{
    uint64_t bits = bits_of(k, width_of(r));
    double x;
    if (width_of(r) == 32)
        return sf8_f32_from_bits((uint32_t)bits);
    memcpy(&x, &bits, sizeof x);
    return x;
}

static double value_of_code(const judge_rounding *r, uint64_t code)
{
    uint64_t sign = r->is_integer == 2 ? UINT64_C(1) << (r->bits - 1) : 0;
    return r->is_integer ? (double)((int64_t)(code ^ sign) - (int64_t)sign)
                         : judge_value(r->to, code);
}

void judge_keys_of_codes(judge_rounding *r, judge_key narrow[256])
{
    r->narrow = NULL;
    for (unsigned code = 0; code < 256 && r->bits <= 8; code++)
        narrow[code] = key_of_value(value_of_code(r, code & ((1u << r->bits) - 1)));
    r->narrow = r->bits <= 8 ? narrow : NULL;
}

judge_key judge_code_key(const judge_rounding *r, uint64_t code)
{
    return r->narrow ? r->narrow[code & 255] : key_of_value(value_of_code(r, code));
}

static uint64_t code_at(const judge_rounding *r, judge_key k, int end)
{
    return r->code_of(r, bits_of(k, width_of(r)), end);
}

judge_key judge_rank(const judge_rounding *r, judge_key k, int end)
{
    judge_key rank = judge_code_key(r, code_at(r, k, end));
    return rank == JUDGE_BEYOND && k < 0 ? -JUDGE_BEYOND : rank;
}

/* ---- one element ----------------------------------------------------------------------------- */

/* The nearest number above `from` with a code of at least `rank`, up to `last`. One has it. */
static judge_key first_above(const judge_rounding *r, judge_key from, judge_key last,
                             judge_key rank)
{
    while (from + 1 < last) {
        judge_key middle = judge_middle(from, last);
        if (judge_rank(r, middle, 1) >= rank)
            last = middle;
        else
            from = middle;
    }
    return last;
}

/* The nearest number below `from` with a code of at most `rank`, down to `last`. */
static judge_key first_below(const judge_rounding *r, judge_key from, judge_key last,
                             judge_key rank)
{
    while (last + 1 < from) {
        judge_key middle = judge_middle(last, from);
        if (judge_rank(r, middle, 0) <= rank)
            last = middle;
        else
            from = middle;
    }
    return last;
}

static double share(double distance, double room)
{
    return room > 0 ? distance / room : INFINITY;
}

/* How far away the nearest number is that gives a code above, or below, those of x. 1 if it is
 * within the uncertainty. */
static int reaches(const judge_rounding *r, double x, judge_interval allowed, judge_key rank,
                   int up, double *of)
{
    judge_key at = judge_reach(r, x), end = judge_reach(r, up ? allowed.high : allowed.low);
    judge_key infinity = judge_reach(r, up ? (double)INFINITY : -(double)INFINITY), k;
    int within = up ? judge_rank(r, end, 1) >= rank : judge_rank(r, end, 0) <= rank;
    if (!within && (up ? judge_rank(r, infinity, 1) < rank : judge_rank(r, infinity, 0) > rank))
        return 0;
    k = up ? first_above(r, within ? at : end, within ? end : infinity, rank)
           : first_below(r, within ? at : end, within ? end : infinity, rank);
    if (up ? judge_rank(r, k, 0) > rank : judge_rank(r, k, 1) < rank)
        return 0; /* no number gives it */
    *of = up ? share(judge_reached(r, k) - x, allowed.high - x)
             : share(x - judge_reached(r, k), x - allowed.low);
    /* What reaches the rounding was rounded to its format, which may be past the end. */
    *of = within ? fmin(*of, 1) : fmax(*of, nextafter(1, 2));
    return within;
}

/* The exact value is NaN, or a computation is: each of those that were computed may have come. */
static int is_of_nan(const judge_rounding *r, double x, judge_interval allowed, uint64_t got)
{
    double list[] = {x, allowed.low, allowed.high};
    for (int i = 0; i < 3; i++)
        if (code_at(r, judge_reach(r, list[i]), 0) == got)
            return 1;
    return 0;
}

/* Zero has two codes, and a value that is zero has no sign. */
static int is_zero(const judge_rounding *r, judge_interval allowed, judge_key rank)
{
    return (rank == 0 || rank == -1) && allowed.low <= 0 && allowed.high >= 0 &&
           (judge_rank(r, 0, 1) == rank || judge_rank(r, -1, 0) == rank);
}

int judge_element(const judge_rounding *r, double x, judge_interval allowed, uint64_t got,
                  uint64_t right, sf8_judged_one *one)
{
    *one = (sf8_judged_one){.input = x,
                            .low = allowed.low,
                            .high = allowed.high,
                            .got = got,
                            .right = right,
                            .least = right,
                            .most = right,
                            .of_allowed = INFINITY};
    if (isnan(x) || isnan(allowed.low)) {
        int excused = is_of_nan(r, x, allowed, got);
        one->of_allowed = excused ? 1 : (double)INFINITY;
        return excused;
    }
    judge_key at = judge_reach(r, x), rank = judge_code_key(r, got);
    one->least = code_at(r, judge_reach(r, allowed.low), 0);
    one->most = code_at(r, judge_reach(r, allowed.high), 1);
    if (is_zero(r, allowed, rank)) {
        one->of_allowed = x > 0   ? share(x, x - allowed.low)
                          : x < 0 ? share(-x, allowed.high - x)
                                  : 0;
        return 1;
    }
    if (rank == JUDGE_BEYOND) { /* on which side is not known: the nearer one */
        double above = INFINITY, below = INFINITY;
        int excused = reaches(r, x, allowed, rank, 1, &above);
        excused |= reaches(r, x, allowed, -rank, 0, &below);
        one->of_allowed = fmin(above, below);
        return excused;
    }
    if (rank > judge_rank(r, at, 1))
        return reaches(r, x, allowed, rank, 1, &one->of_allowed);
    if (rank < judge_rank(r, at, 0))
        return reaches(r, x, allowed, rank, 0, &one->of_allowed);
    one->of_allowed = 0;
    return 1;
}

void judge_count(sf8_judged_part *part, const sf8_judged_one *one, int excused)
{
    int is_first = part->differ == 0, worse = one->of_allowed > part->worst.of_allowed;
    part->differ++;
    if (excused ? part->outside == 0 && (is_first || worse) : part->outside == 0 || worse)
        part->worst = *one;
    part->excused += excused != 0;
    part->outside += !excused;
}

/* ---- factors --------------------------------------------------------------------------------- */

int judge_narrow_factors(const judge_rounding *r, judge_interval allowed, uint64_t got,
                         double factors[2])
{
    judge_key rank = judge_code_key(r, got);
    judge_key least = judge_reach(r, -(double)INFINITY), most = judge_reach(r, (double)INFINITY);
    if (isnan(allowed.low) || (allowed.low <= 0 && allowed.high >= 0) || rank == JUDGE_BEYOND ||
        isinf(allowed.low) || isinf(allowed.high))
        return 1; /* it tells nothing */
    int negative = allowed.high < 0;
    if (negative ? rank >= 0 : rank < 0)
        return 0;
    if (judge_rank(r, least, 1) < rank)
        least = first_above(r, least, most, rank);
    if (judge_rank(r, most, 0) > rank)
        most = first_below(r, most, least - 1, rank);
    double low = fabs(judge_reached(r, negative ? most : least)),
           high = fabs(judge_reached(r, negative ? least : most));
    double near = negative ? -allowed.high : allowed.low,
           far = negative ? -allowed.low : allowed.high;
    if (rank == 0 || rank == -1)
        low = 0;
    factors[0] = fmax(factors[0], low / far);
    factors[1] = fmin(factors[1], high / near);
    return factors[0] <= factors[1];
}

int judge_leans(const judge_rounding *r, double x, uint64_t got)
{
    judge_key at = judge_reach(r, x), rank = judge_code_key(r, got);
    if (isnan(x) || rank == JUDGE_BEYOND)
        return 0;
    int up = rank > judge_rank(r, at, 1) ? 1 : rank < judge_rank(r, at, 0) ? -1 : 0;
    return x < 0 ? -up : up;
}

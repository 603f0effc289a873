/* SPDX-License-Identifier: MIT */
/* sides.c -- whether flips fall on one side, though the uncertainty excuses each of them
 *
 * Honest noise is as likely to be e as -e, whatever the exact value is. So of the values that lie
 * within the uncertainty of a boundary, at a distance d, as many cross it from below as from above.
 * A truncation, or a scale that is a little off, crosses it in one direction.
 *
 * The values just below and just above a boundary need not be equally many. So they are compared
 * in strata: those of one boundary, at about one distance. Of the n values of a stratum f crossed,
 * and if the direction does not matter, those from below are a sample without replacement. The sum
 * S of their excess over all strata then has a tail below exp(-2 S^2 / F), with F flips in all
 * (Hoeffding 1963, theorem 4). For two directions of values, two of magnitudes and Z = S / sqrt(F /
 * 4) of at least 6 this is 4 exp(-18) = 6.1e-8: so rarely is honest noise accused.
 *
 * Noise is not honest in this sense if it comes of rounding: the error is then a function of the
 * value, and near one boundary it has one direction. But if the kernel rounds to bf16 last, say,
 * then its codes are those of the exact value rounded to bf16, apart from flips that come of the
 * noise before. These are honest again, at the boundaries that lie in the middle between two
 * numbers of bf16. So the codes are compared with those of each reference that the uncertainty
 * allows: the exact value, that value in bf16, and in f16. They are one-sided only if they are by
 * all of these, in the same direction. Whichever the kernel computes, honest noise passes one.
 *
 * Two things are asked for beside that. The excess has to be of some size, so that what is slightly
 * uneven within a stratum does not matter in a large tensor. And by one of the references the
 * boundaries have to agree. For the kernel may have rounded before a scale was applied that is not
 * known here; then the direction near a boundary depends on its significand alone, and is as good
 * as random. So boundaries of one significand count together, and either almost all agree, or their
 * sum is 5.5 times its standard deviation under random signs, 2 exp(-5.5^2 / 2) = 5.4e-7.
 *
 * A tie lies on one side of its boundary only, that of the even code, so that no stratum has it.
 * But honest noise moves it across with a probability of a half at most. If more of the n ties that
 * can cross in one direction do, by 3.1 sqrt(n), they are one-sided: exp(-2 * 3.1^2) = 4.5e-9 for
 * each direction. Only values count that each of the references leaves as they are.
 */
#include "diagnose/judge/judge.h"

#include <math.h>
#include <string.h>

enum { REFERENCES = 3, BOUNDARIES = 1 << 10, BINS = 8, PLACES = 1 << 12 };
#define SURE 6.0        /* Z */
#define SOME 0.05       /* of the flips: the excess */
#define AGREE 0.95      /* of the boundaries, weighted by what they have in excess */
#define PLACES_SURE 5.5 /* or the same in standard deviations */
#define TIES_SURE 3.1
#define WIDE 4      /* a reference may round to what is farther away than allowed */
#define MIDDLE 0.25 /* the exact value lies in the inner half of what is allowed */

typedef struct stratum {
    uint32_t below, above, up, down; /* values on either side; of these crossed it */
} stratum;

typedef struct reference {
    int is_possible;
    stratum table[BOUNDARIES][2][BINS]; /* of values, and of values below zero */
    int32_t place[PLACES][2]; /* up less down at boundaries of one significand: of values, of
                                 magnitudes */
} reference;

struct judge_sides {
    reference of[REFERENCES];
    uint32_t ties[2][2], crossed[2][2]; /* of values, and below zero; that can go up, and down */
};

judge_sides *judge_sides_begin(diagnosis_run *run)
{
    judge_sides *s = search_allocate(&run->context, 1, sizeof *s);
    for (int i = 0; i < REFERENCES; i++)
        s->of[i].is_possible = 1;
    return s;
}

/* ---- one code -------------------------------------------------------------------------------- */

/* A value as the kernel may round it last. */
static double referred(int which, double x)
{
    const sf8_format formats[] = {SF8_F64, SF8_BF16, SF8_F16};
    uint64_t bits;
    if (which == 0)
        return x;
    memcpy(&bits, &x, sizeof bits);
    return judge_value(formats[which], sf8_convert(formats[which], SF8_F64, bits, SF8_OCP_NOSAT));
}

static judge_key rank_of(const judge_rounding *r, int which, judge_key k)
{
    return judge_rank(r, which ? judge_reach(r, referred(which, judge_reached(r, k))) : k, 1);
}

static uint32_t hash(uint64_t word)
{
    word *= UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(word >> 40);
}

static int is_zero(judge_key rank)
{
    return rank == 0 || rank == -1;
}

typedef struct seeing {
    const judge_rounding *r;
    double x, half; /* half of what is allowed */
    judge_key at, rank, got;
} seeing;

/* The significand of a boundary: where the next number of a wider format lies depends on it alone.
 */
static uint32_t place_of(double boundary)
{
    int exponent;
    return (uint32_t)(frexp(fabs(boundary), &exponent) * (2 * PLACES)) % PLACES;
}

/* A boundary between the numbers k and k + 1, which have other codes, above x or below it. */
static void see_boundary(const seeing *v, reference *f, judge_key k, judge_key low, judge_key high)
{
    double boundary = 0.5 * (judge_reached(v->r, k) + judge_reached(v->r, k + 1));
    double distance = fabs(boundary - v->x) / v->half;
    int up = v->at <= k, negative = boundary < 0,
        crossed = up ? v->got > v->rank : v->got < v->rank;
    int bin = (int)(distance * BINS);
    if ((is_zero(low) && is_zero(high)) || high == JUDGE_BEYOND || low == -JUDGE_BEYOND ||
        !(distance < 1))
        return;
    stratum *s = &f->table[hash((uint64_t)low) % BOUNDARIES][negative][bin];
    int32_t *place = f->place[place_of(boundary)];
    if (up) {
        s->below++;
        s->up += (uint32_t)crossed;
    } else {
        s->above++;
        s->down += (uint32_t)crossed;
    }
    place[0] += crossed ? (up ? 1 : -1) : 0;
    place[1] += crossed ? (up != negative ? 1 : -1) : 0;
}

static void see_reference(seeing *v, reference *f, int which, judge_key low, judge_key high)
{
    judge_key first = rank_of(v->r, which, low), last = rank_of(v->r, which, high);
    if (first == last)
        return;
    v->rank = rank_of(v->r, which, v->at);
    if (last > v->rank) { /* the last number with the code of x */
        judge_key from = v->at, to = high;
        while (from + 1 < to) {
            judge_key middle = judge_middle(from, to);
            if (rank_of(v->r, which, middle) > v->rank)
                to = middle;
            else
                from = middle;
        }
        see_boundary(v, f, from, v->rank, rank_of(v->r, which, to));
    }
    if (first < v->rank) {
        judge_key from = v->at, to = low;
        while (to + 1 < from) {
            judge_key middle = judge_middle(to, from);
            if (rank_of(v->r, which, middle) < v->rank)
                to = middle;
            else
                from = middle;
        }
        see_boundary(v, f, to, rank_of(v->r, which, to), v->rank);
    }
}

/* A value next to which the code changes. */
static void see_tie(judge_sides *s, const seeing *v)
{
    judge_key rank = judge_rank(v->r, v->at, 1);
    judge_key beside[2] = {judge_rank(v->r, v->at + 1, 1), judge_rank(v->r, v->at - 1, 1)};
    for (int i = 0; i < REFERENCES; i++)
        if (s->of[i].is_possible && referred(i, v->x) != v->x)
            return;
    for (int down = 0; down < 2; down++)
        if (beside[down] != rank && beside[!down] == rank && beside[down] != JUDGE_BEYOND &&
            !(is_zero(rank) && is_zero(beside[down]))) {
            s->ties[v->x < 0][down]++;
            s->crossed[v->x < 0][down] += down ? v->got < rank : v->got > rank;
        }
}

void judge_sides_see(judge_sides *s, const judge_rounding *r, double x, judge_interval allowed,
                     uint64_t got)
{
    double half = (allowed.high - allowed.low) / 2;
    if (!(half > 0) || isinf(half) || x - allowed.low < 2 * MIDDLE * half ||
        allowed.high - x < 2 * MIDDLE * half)
        return;
    seeing v = {
        .r = r, .x = x, .half = half, .at = judge_reach(r, x), .got = judge_code_key(r, got)};
    judge_key low = judge_reach(r, allowed.low), high = judge_reach(r, allowed.high);
    if (v.got == JUDGE_BEYOND || judge_rank(r, judge_reach(r, x - WIDE * half), 1) ==
                                     judge_rank(r, judge_reach(r, x + WIDE * half), 1))
        return; /* no boundary is near */
    for (int i = 0; i < REFERENCES; i++) {
        double last = referred(i, x);
        s->of[i].is_possible &= last >= allowed.low && last <= allowed.high;
        if (s->of[i].is_possible)
            see_reference(&v, &s->of[i], i, low, high);
    }
    see_tie(s, &v);
}

/* ---- all of them ----------------------------------------------------------------------------- */

typedef struct excess {
    double sum, flips, seen; /* sum: up less what is expected */
    double places, all_places, squares;
} excess;

static excess excess_of(const reference *f, int of_magnitude)
{
    excess e = {0};
    for (int b = 0; b < BOUNDARIES; b++)
        for (int k = 0; k < 2 * BINS; k++) {
            const stratum *s = &f->table[b][k / BINS][k % BINS];
            double n = (double)s->below + s->above, flips = (double)s->up + s->down;
            if (!s->below || !s->above)
                continue;
            double more = s->up - flips * s->below / n;
            e.sum += of_magnitude && k >= BINS ? -more : more;
            e.flips += flips;
            e.seen += n;
        }
    for (int p = 0; p < PLACES; p++) {
        double more = f->place[p][of_magnitude];
        e.places += more;
        e.all_places += fabs(more);
        e.squares += more * more;
    }
    return e;
}

static double sureness(const excess *e)
{
    return e->flips > 0 ? e->sum / sqrt(e->flips / 4) : 0;
}

/* Whether all references have this direction, and the boundaries of one. */
static int is_sided(const judge_sides *s, int of_magnitude, double sign)
{
    int agree = 0;
    for (int i = 0; i < REFERENCES; i++) {
        excess e = excess_of(&s->of[i], of_magnitude);
        if (!s->of[i].is_possible)
            continue;
        if (sign * sureness(&e) < SURE || sign * e.sum < SOME * e.flips / 2)
            return 0;
        agree |= sign * e.places >= fmin(AGREE * e.all_places, PLACES_SURE * sqrt(e.squares));
    }
    return agree;
}

/* Whether more ties cross in a direction than honest noise moves. */
static int ties_are_sided(const judge_sides *s, int of_magnitude, int down)
{
    double n = 0, crossed = 0;
    for (int negative = 0; negative < 2; negative++) {
        int way = of_magnitude && negative ? !down : down;
        n += s->ties[negative][way];
        crossed += s->crossed[negative][way];
    }
    return crossed - n / 2 > TIES_SURE * sqrt(n);
}

/* The density of values near boundaries, times what noise is on the average, is up less down. */
void judge_sides_end(const judge_sides *s, sf8_judged_sides *sides)
{
    double best = 0;
    for (int k = 0; k < 4; k++) {
        int of_magnitude = k < 2;
        double sign = k % 2 ? -1 : 1;
        excess e = excess_of(&s->of[0], of_magnitude);
        if (!is_sided(s, of_magnitude, sign) || fabs(sureness(&e)) <= best)
            continue;
        best = fabs(sureness(&e));
        sides->is_one_sided = 1;
        sides->is_of_magnitude = of_magnitude;
        sides->mean = 4 * e.sum / e.seen;
    }
    for (int k = 0; k < 4 && !sides->is_one_sided; k++)
        if (ties_are_sided(s, k < 2, k % 2)) {
            sides->is_one_sided = 1;
            sides->is_of_magnitude = k < 2;
            sides->mean = k % 2 ? -1 : 1;
        }
}

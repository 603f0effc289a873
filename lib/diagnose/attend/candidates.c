/* SPDX-License-Identifier: MIT */
/* candidates.c -- guesses about an output, and which of them explain it
 *
 * A guess is judged by distances, the same ones with it and without it: the sums of squares of the
 * output less its true value. Bounds of the changed request would do for that neither alone nor as
 * a measure: with large scores they allow everything. A guess explains an output if
 *
 *     1. it removes seven eighths of the error of some rows, the worst among them; or half, and
 *        what is left is what a kernel of the expected kind has by itself;
 *     2. the whole output lies in the widest bound of the changed request;
 *     3. all rows together speak for it, against no change and against noise: what has nothing to
 *        do with the request is as far from a small output as from none. A row speaks by the
 *        logarithm of the quotient of both distances, for each channel, or for each key that takes
 *        part if those are fewer. A few rows of a few keys may lie on its way by chance.
 *
 * Those that leave about as little as the best of them are equally good.
 */
#include "diagnose/attend/explain.h"

#include <math.h>
#include <string.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS, CHANNELS_LEAST = 12 };
static const double share = 1.0 / 64; /* of squares: an eighth */
static const double half = 1.0 / 4;

/* ---- all rows -------------------------------------------------------------------------------- */

/* By how much a change is the better one of two, for a channel: between -1 and 1 of what an eighth
 * of the error is. */
static double better(double than, double changed)
{
    if (than <= share * changed)
        return changed > 0 ? -1 : 0;
    return changed <= share * than ? 1 : log(than / changed) / -log(share);
}

/* The claimed order with the mistakes of a guess. */
static attend_claim claim_with(const attend_explaining *e, const attend_guess *guess)
{
    attend_claim claim = *e->claim;
    sf8_attend_order own;
    for (size_t i = 0; i < guess->count && claim.order; i++)
        if (guess->of[i].field == ATTEND_OF_ORDER &&
            attend_order_changed(e->asked->order, (size_t)guess->of[i].number[0], &own))
            claim = attend_claim_of(e->j->r, &own, e->claim->cut);
    claim.change = guess->change;
    return claim;
}

/* Whether it is about keys or pages of certain places: some place of many leaves little. */
static int has_places(const attend_guess *guess)
{
    for (size_t i = 0; i < guess->count; i++)
        if (guess->of[i].field == ATTEND_OF_PAGES ||
            (guess->of[i].field == ATTEND_OF_KEYS && guess->of[i].kind > 1))
            return 1;
    return 0;
}

/* Whether the bounds that some row is outside of are too many: more rows do not change that. */
static int is_outside(const attend_explaining *e, const attend_candidate *one)
{
    int is_cast = one->guess.change.cast_out != 0;
    if (one->worst[BOUNDS - 1] > 1 && one->worst[BOUNDS - 2] > 1 && !is_cast)
        return 1;
    if (one->squares <= share * e->plain && !has_places(&one->guess))
        return 0;
    for (size_t b = 0; b <= e->asked->by && !e->claim->order; b++)
        if (one->worst[b] <= 1 || is_cast)
            return 0;
    return !e->claim->order || one->of_claim > 1;
}

/* A row with it, in e->t: how much nearer it takes the output. */
static double look_at_row(attend_explaining *e, attend_candidate *one, size_t row)
{
    attend_judged_output *j = e->j;
    attend_row *t = e->t;
    attend_true_row(j, &one->guess.change, row, t);
    double changed = attend_row_squares(j, row, t, (attend_channels){0, j->columns});
    double n = (double)(t->taking < j->columns ? t->taking : j->columns);
    one->plain += e->plain_row[row];
    one->all += changed;
    one->than_none += n * better(e->plain_row[row], changed);
    one->than_noise += n * better(attend_row_output(j, row), changed);
    return changed;
}

/* Whether it will not explain the output, however the other rows are. */
static int is_lost(const attend_candidate *one, size_t row)
{
    enum { ENOUGH = 32 }; /* rows */
    return row >= ENOUGH && one->than_noise < CHANNELS_LEAST;
}

/* The errors of a row that e->t has, with the claim's noise, over each bound and what it allows. */
static void keep_errors(attend_explaining *e, attend_candidate *one, const attend_claim *claim,
                        size_t row)
{
    double errors[BOUNDS];
    attend_row_errors(e->j, row, e->t, errors);
    for (size_t b = 0; b < BOUNDS; b++)
        one->worst[b] = errors[b] > one->worst[b] ? errors[b] : one->worst[b];
    if (!claim->order)
        return;
    double error = attend_claim_error_of(e->j, claim, row, e->t);
    one->of_claim = error > one->of_claim ? error : one->of_claim;
}

static void forget(attend_candidate *one)
{
    one->than_none = one->than_noise = one->plain = one->all = one->of_claim = 0;
    memset(one->worst, 0, sizeof one->worst);
    memset(one->own_row, 0, sizeof one->own_row);
}

/* See look_at_all(). */
static int look_at_rows(attend_explaining *e, attend_candidate *one, const attend_claim *claim,
                        int stops)
{
    attend_judged_output *j = e->j;
    double own[BOUNDS] = {0};
    forget(one);
    for (size_t i = 0; i < e->rows && stops; i++) {
        attend_true_row(j, &one->guess.change, e->sample[i], e->t);
        keep_errors(e, one, claim, e->sample[i]);
        if (is_outside(e, one))
            return 0;
    }
    for (size_t row = 0; row < j->rows; row++) {
        double changed = look_at_row(e, one, row);
        if (is_lost(one, row))
            break;
        for (size_t b = 0; b < BOUNDS; b++) {
            double squares = attend_own_squares(j, &attend_error_bounds[b], e->t,
                                                &one->guess.change);
            own[b] += squares;
            if (changed > one->own_row[b] * squares)
                one->own_row[b] = changed / squares;
        }
        keep_errors(e, one, claim, row);
        if (stops && is_outside(e, one))
            return 0;
    }
    for (size_t b = 0; b < BOUNDS; b++)
        one->own[b] = one->all / own[b];
    return 1;
}

/* Looks at all rows; 0 if it finds that it cannot explain the output before, if that is asked. */
static int look_at_all(attend_explaining *e, attend_candidate *one, int stops)
{
    const attend_claim claim = claim_with(e, &one->guess);
    e->t->noise = claim.order ? &claim.noise : NULL;
    int may = look_at_rows(e, one, &claim, stops);
    e->t->noise = NULL;
    return may;
}

/* What all rows say for one that does not explain the output, as far as it is more than `much`. */
static double says_more(attend_explaining *e, attend_candidate *one, double much)
{
    size_t rows = e->j->rows;
    forget(one);
    e->t->measures = 0;
    for (size_t row = 0; row < rows; row++) {
        look_at_row(e, one, row);
        if (is_lost(one, row) || one->than_none + (double)((rows - row) * e->j->columns) < much)
            break;
    }
    e->t->measures = 1;
    return one->than_none;
}

/* Whether what is left is what a kernel of the expected kind has: all rows together, and each. */
static int is_own(const attend_explaining *e, const attend_candidate *one, double all, double a_row)
{
    if (e->claim->order)
        return one->of_claim <= 1;
    for (size_t b = 0; b <= e->asked->by; b++)
        if (one->own[b] <= all && one->own_row[b] <= a_row &&
            (one->worst[b] <= 1 || one->guess.change.cast_out))
            return 1;
    return 0;
}

int attend_is_certain(const attend_explaining *e, const attend_candidate *one)
{
    return is_own(e, one, fmin(2, 1 + 8 * sqrt(2 / e->values)), 8);
}

int attend_is_clean(const attend_explaining *e, const attend_candidate *one)
{
    return is_own(e, one, 2, 8);
}

int attend_may_be_clean(attend_explaining *e, attend_candidate *one)
{
    const attend_claim claim = claim_with(e, &one->guess);
    forget(one);
    memset(one->own, 0, sizeof one->own);
    e->t->noise = claim.order ? &claim.noise : NULL;
    for (size_t i = 0; i < e->rows && attend_is_clean(e, one); i++) {
        attend_true_row(e->j, &one->guess.change, e->sample[i], e->t);
        keep_errors(e, one, &claim, e->sample[i]);
    }
    e->t->noise = NULL;
    return attend_is_clean(e, one);
}

/* The three rules. */
static int explains(const attend_explaining *e, const attend_candidate *one)
{
    if (one->squares > half * e->plain || one->than_none < CHANNELS_LEAST ||
        one->than_noise < CHANNELS_LEAST)
        return 0;
    if (one->worst[BOUNDS - 1] > 1 && one->worst[BOUNDS - 2] > 1 && !one->guess.change.cast_out)
        return 0;
    if (has_places(&one->guess) && !is_own(e, one, 4, INFINITY))
        return 0;
    /* a factor that is no name's fits by half too easily: it has to leave nothing */
    return one->squares <= share * e->plain ||
           (one->guess.count > e->none.count ? is_own(e, one, 4, INFINITY)
                                             : attend_is_clean(e, one));
}

/* Whether rounding to the format that all of the output has takes it nearer. How a value near a tie
 * is rounded no distance tells. */
int attend_is_rounding(attend_explaining *e, attend_candidate *one)
{
    look_at_all(e, one, 0);
    return one->squares < e->plain && one->than_none >= CHANNELS_LEAST &&
           one->than_noise >= CHANNELS_LEAST;
}

/* ---- the best -------------------------------------------------------------------------------- */

void attend_keep(attend_best *best, const attend_candidate *one)
{
    size_t count = best->count;
    for (size_t i = 0; i < count; i++)
        if (best->of[i].squares == one->squares &&
            memcmp(best->of[i].guess.of, one->guess.of, sizeof one->guess.of) == 0)
            return;
    if (count == ATTEND_BEST) {
        size_t last = 0;
        for (size_t i = 1; i < count; i++)
            last = best->of[i].squares > best->of[last].squares ? i : last;
        if (one->squares >= best->of[last].squares)
            return;
        memmove(best->of + last, best->of + last + 1, (count - last - 1) * sizeof *best->of);
        count--;
    }
    best->of[count] = *one;
    best->count = count + 1;
}

/* No more than this is worth a look beside those that are kept: attend_those_that_explain leaves
 * it out. */
static double far_from(const attend_explaining *e, const attend_best *best)
{
    enum { FAR = 64, NEAR = 4 };
    double least = INFINITY;
    for (size_t i = 0; i < best->count; i++)
        least = best->of[i].squares < least ? best->of[i].squares : least;
    return (e->is_large ? NEAR : FAR) * (least > e->noise ? least : e->noise);
}

void attend_look(attend_explaining *e, attend_best *best, attend_candidate *one)
{
    double enough = fmin(e->plain, far_from(e, best));
    one->squares = attend_squares(e, e->rows, e->channels, &one->guess.change, enough);
    if (one->squares < e->plain && one->squares <= enough)
        attend_keep(best, one);
}

/* Where weights are rounded to 8 bits, a row with few keys of weight has few errors of its own. */
double attend_alike(const attend_explaining *e)
{
    double most = attend_error_bounds[e->asked->by].operand >= 0x1p-4 ? 4 : 1.5;
    double by = exp(2 * CHANNELS_LEAST / e->values);
    return by > most ? most : by;
}

/* None if one that does not explain the output has more to say for it. All are looked at whose
 * squares are not far more than the least. */
size_t attend_those_that_explain(attend_explaining *e, attend_best *best)
{
    size_t good = 0, n = 0, others = 0;
    double least = INFINITY, of_good = 0, far = far_from(e, best);
    attend_candidate other[ATTEND_BEST];
    for (size_t i = 0; i < best->count; i++)
        least = best->of[i].squares < least ? best->of[i].squares : least;
    for (size_t i = 0; i < best->count && least <= half * e->plain; i++) {
        attend_candidate *one = &best->of[i];
        if (one->squares > far)
            continue;
        if (one->squares > half * e->plain || !look_at_all(e, one, 1) || !explains(e, one)) {
            other[others++] = *one;
            continue;
        }
        of_good = one->than_none > of_good ? one->than_none : of_good;
        best->of[good++] = *one;
    }
    for (size_t i = 0; i < others && good > 0; i++)
        if (says_more(e, &other[i], of_good + CHANNELS_LEAST) > of_good + CHANNELS_LEAST)
            good = 0;
    least = INFINITY;
    for (size_t i = 0; i < good; i++)
        least = best->of[i].squares < least ? best->of[i].squares : least;
    least = least > e->noise ? least : e->noise;
    for (size_t i = 0; i < good; i++)
        if (best->of[i].squares <= attend_alike(e) * least)
            best->of[n++] = best->of[i];
    return best->count = n;
}

size_t attend_best_of(attend_explaining *e, const attend_guess *base, const attend_mistake *list,
                      size_t n, attend_best *best)
{
    best->count = 0;
    for (size_t i = 0; i < n; i++) {
        attend_candidate one = {.guess = *base};
        search_tell(e->j->r->context, "mistakes", i, n);
        if (!attend_guess_add(e->j->r, &one.guess, &list[i]))
            continue;
        attend_look(e, best, &one);
    }
    return attend_those_that_explain(e, best);
}

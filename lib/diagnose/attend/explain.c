/* SPDX-License-Identifier: MIT */
/* explain.c -- the mistake that explains an output, or two together, if there are any
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
 * Those that leave about as little as the best of them are equally good. What is simpler is tried
 * first: the mistakes of the table (mistakes.c), those whose numbers follow from the output
 * (propose.c), an unknown factor, two mistakes, two factors. A factor that is not known by name is
 * found by least squares. It explains no more than a name does, and is named only if factors beside
 * it leave more.
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

typedef struct candidate {
    attend_guess guess;
    double squares;               /* of the sample */
    double plain, all;            /* of all rows, without it and with it */
    double than_none, than_noise; /* what all rows say */
    double worst[BOUNDS];         /* of all rows, over each bound */
    double own[BOUNDS];           /* of all rows, over what a kernel has by itself */
    double own_row[BOUNDS];       /* the largest of a row */
    double of_claim;              /* the largest error, over what the claimed order allows */
} candidate;

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

static void look_at_all(attend_explaining *e, candidate *one)
{
    attend_judged_output *j = e->j;
    attend_row *t = e->t;
    const attend_channels whole = {0, j->columns};
    double own[BOUNDS] = {0};
    attend_claim claim = claim_with(e, &one->guess);
    one->than_none = one->than_noise = one->plain = one->all = one->of_claim = 0;
    memset(one->worst, 0, sizeof one->worst);
    memset(one->own_row, 0, sizeof one->own_row);
    for (size_t row = 0; row < j->rows; row++) {
        double errors[BOUNDS];
        t->measures = 0;
        attend_true_row(j, &e->none.change, row, t);
        double plain = attend_row_squares(j, row, t, whole);
        t->measures = 1;
        attend_true_row(j, &one->guess.change, row, t);
        double changed = attend_row_squares(j, row, t, whole);
        double n = (double)(t->taking < j->columns ? t->taking : j->columns);
        one->plain += plain;
        one->all += changed;
        one->than_none += n * better(plain, changed);
        one->than_noise += n * better(attend_row_output(j, row), changed);
        attend_row_errors(j, row, t, errors);
        for (size_t b = 0; b < BOUNDS; b++) {
            one->worst[b] = errors[b] > one->worst[b] ? errors[b] : one->worst[b];
            double squares = attend_own_squares(j, &attend_error_bounds[b], t);
            own[b] += squares;
            if (changed > one->own_row[b] * squares)
                one->own_row[b] = changed / squares;
        }
        if (claim.order) {
            double error = attend_claim_error(j, &claim, row, t);
            one->of_claim = error > one->of_claim ? error : one->of_claim;
        }
    }
    for (size_t b = 0; b < BOUNDS; b++)
        one->own[b] = one->all / own[b];
}

/* Whether what is left is what a kernel of the expected kind has. */
static int is_own(const attend_explaining *e, const candidate *one)
{
    enum { MUCH = 4 };
    if (e->claim->order)
        return one->of_claim <= 1;
    for (size_t b = 0; b <= e->asked->by; b++)
        if (one->own[b] <= MUCH && one->worst[b] <= 1)
            return 1;
    return 0;
}

/* Whether nothing is left to explain. */
static int is_clean(const attend_explaining *e, const candidate *one)
{
    enum { ALL = 2, A_ROW = 8 };
    if (e->claim->order)
        return one->of_claim <= 1;
    for (size_t b = 0; b <= e->asked->by; b++)
        if (one->own[b] <= ALL && one->own_row[b] <= A_ROW && one->worst[b] <= 1)
            return 1;
    return 0;
}

/* The three rules. If all of the output has a narrow format, that it was rounded to it is seen by
 * that already: how a value near a tie is rounded no distance tells. */
static int explains(const attend_explaining *e, const candidate *one)
{
    int cast = one->guess.change.cast_out;
    if (cast && cast == e->cast)
        return one->squares < e->plain && one->than_none >= CHANNELS_LEAST &&
               one->than_noise >= CHANNELS_LEAST;
    if (cast && cast != e->cast)
        return 0;
    if (one->squares > half * e->plain || one->than_none < CHANNELS_LEAST ||
        one->than_noise < CHANNELS_LEAST)
        return 0;
    if (one->worst[BOUNDS - 1] > 1 && one->worst[BOUNDS - 2] > 1)
        return 0;
    /* a factor that is no name's fits by half too easily */
    return one->squares <= share * e->plain || (one->guess.count > 0 && is_own(e, one));
}

/* ---- what explains it ------------------------------------------------------------------------ */

/* Keeps the best, in the order of the list. */
static size_t keep(candidate *best, size_t count, const candidate *one)
{
    if (count == ATTEND_TIED) {
        size_t last = 0;
        for (size_t i = 1; i < count; i++)
            last = best[i].squares > best[last].squares ? i : last;
        if (one->squares >= best[last].squares)
            return count;
        memmove(best + last, best + last + 1, (count - last - 1) * sizeof *best);
        count--;
    }
    best[count] = *one;
    return count + 1;
}

/* By how much squares may differ that tell no two guesses apart. Where weights are rounded to 8
 * bits, a row with few keys of weight has few errors of its own. */
static double alike(const attend_explaining *e)
{
    double most = attend_error_bounds[e->asked->by].operand >= 0x1p-4 ? 4 : 1.5;
    double by = exp(2 * CHANNELS_LEAST / e->values);
    return by > most ? most : by;
}

/* Of the best of the sample, those that explain the output and are as good as the best of them: how
 * many. None if one that does not has more to say for it. */
static size_t those_that_explain(attend_explaining *e, candidate *best, size_t count)
{
    size_t good = 0, n = 0;
    double least = INFINITY, most = 0, of_good = 0;
    for (size_t i = 0; i < count; i++)
        least = best[i].squares < least ? best[i].squares : least;
    if (least > half * e->plain && !e->cast)
        return 0;
    least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        look_at_all(e, &best[i]);
        most = best[i].than_none > most ? best[i].than_none : most;
        if (!explains(e, &best[i]))
            continue;
        of_good = best[i].than_none > of_good ? best[i].than_none : of_good;
        least = best[i].squares < least ? best[i].squares : least;
        best[good++] = best[i];
    }
    least = least > e->noise ? least : e->noise;
    for (size_t i = 0; i < good && of_good + CHANNELS_LEAST >= most; i++)
        if (best[i].squares <= alike(e) * least)
            best[n++] = best[i];
    return n;
}

/* The best of a list, each together with `base`; how many explain the output. */
static size_t best_of(attend_explaining *e, const attend_guess *base, const attend_mistake *list,
                      size_t n, candidate best[ATTEND_TIED])
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        candidate one = {.guess = *base};
        search_tell(e->j->r->context, "mistakes", i, n);
        if (!attend_guess_add(e->j->r, &one.guess, &list[i]))
            continue;
        one.squares = attend_squares(e, e->rows, e->channels, &one.guess.change);
        count = one.squares < e->plain ? keep(best, count, &one) : count;
    }
    return those_that_explain(e, best, count);
}

static void say(attend_explaining *e, const candidate *best, size_t count)
{
    attend_verdict *v = e->v;
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        int is_new = 1;
        attend_guess_text(&best[i].guess, e->asked->order, v->change[n]);
        for (size_t k = 0; k < n; k++)
            is_new = is_new && strcmp(v->change[k], v->change[n]) != 0;
        if (!is_new)
            continue;
        for (size_t k = 0; k < best[i].guess.count; k++)
            v->mistake[n][k] = best[i].guess.of[k].name;
        if (best[i].guess.count == 0) {
            v->mistake[n][0] = v->scores_factor != 1 ? "scores-factor" : "output-factor";
            v->mistake[n][1] = v->scores_factor != 1 && v->factor != 1 ? "output-factor" : NULL;
        }
        n++;
    }
    v->changes = n;
    v->left = sqrt(best[0].all / best[0].plain);
    v->corrected = BOUNDS;
    for (size_t b = BOUNDS; b-- > 0;)
        if (best[0].worst[b] <= 1) {
            v->corrected = b;
            v->of_corrected = best[0].worst[b];
        }
}

/* ---- factors --------------------------------------------------------------------------------- */

/* Factors of the scores and of the output. */
typedef struct fit {
    attend_explaining *e;
    size_t rows;
    int has_output; /* the factor of the output is free as well */
    double output;  /* it */
} fit;

/* What is left if the scores have a factor, with the best factor of the output if that is free. */
static double squares_at(fit *f, double scores)
{
    attend_change change = f->e->none.change;
    const attend_judged_output *j = f->e->j;
    const attend_channels of = f->e->channels;
    attend_row *t = f->e->t;
    double squares = 0, both = 0, right = 0;
    change.scores = scores;
    t->measures = 0;
    for (size_t i = 0; i < f->rows; i++) {
        size_t row = f->e->sample[i];
        attend_true_channels(f->e->j, &change, row, f->e->channels, t);
        squares += attend_row_squares(j, row, t, of);
        for (size_t c = of.first; c < of.first + of.count; c++) {
            double got = attend_got(j, row, c), out = t->out[c];
            both += isnan(got) || isnan(out) ? 0 : out * got;
            right += isnan(got) || isnan(out) ? 0 : out * out;
        }
    }
    t->measures = 1;
    f->output = 1;
    if (!f->has_output || !isfinite(squares) || !(right > 0))
        return squares;
    f->output = both / right;
    return squares - right * (1 - f->output) * (1 - f->output);
}

/* The factor of the scores from 2^-6 to 2^6 that leaves the least error: in steps of 2^(1/8), then
 * the interval around the best one is divided by the golden ratio. 1 if factors beside it leave
 * about as little. */
static double scores_factor(fit *f)
{
    enum { OCTAVES = 6, PER_OCTAVE = 8, ROUNDS = 22 };
    const double golden = 0.6180339887498949, step = 1.0 / PER_OCTAVE, same = 1.5;
    double best = INFINITY, at = 0;
    for (int i = -OCTAVES * PER_OCTAVE; i <= OCTAVES * PER_OCTAVE; i++) {
        double e = squares_at(f, exp2(i * step));
        if (e < best) {
            best = e;
            at = i * step;
        }
    }
    double low = at - step, high = at + step;
    for (int i = 0; i < ROUNDS; i++) {
        double x = high - golden * (high - low), y = low + golden * (high - low);
        if (squares_at(f, exp2(x)) < squares_at(f, exp2(y)))
            high = y;
        else
            low = x;
    }
    at = (low + high) / 2;
    best = squares_at(f, exp2(at));
    if (squares_at(f, exp2(at + step)) <= same * best ||
        squares_at(f, exp2(at - step)) <= same * best)
        return 1;
    return exp2(at);
}

/* Factors that no name is known for. `of` is 0 for the output, 1 for the scores, 2 for both. */
static size_t explain_by_factor(attend_explaining *e, int of, candidate best[ATTEND_TIED])
{
    enum { FEW = 4 };
    fit f = {e, e->rows < FEW ? e->rows : FEW, of != 1, 1};
    attend_verdict *v = e->v;
    if (!isfinite(e->plain))
        return 0;
    v->scores_factor = 1;
    if (of > 0)
        v->scores_factor = scores_factor(&f);
    squares_at(&f, v->scores_factor);
    v->factor = f.output;
    candidate one = {.guess = e->none};
    one.guess.change.scores = v->scores_factor;
    one.guess.change.values = v->factor;
    int is_scores = fabs(v->scores_factor - 1) > 0.005, is_output = fabs(v->factor - 1) > 0.01;
    if ((of > 0 && !is_scores) || (of != 1 && !is_output) || v->factor == 0)
        return 0;
    one.squares = attend_squares(e, e->rows, e->channels, &one.guess.change);
    best[0] = one;
    return those_that_explain(e, best, 1);
}

/* A scale of values with a name has to be as good as the best factor of the output. */
static size_t or_by_factor(attend_explaining *e, candidate best[ATTEND_TIED], size_t count)
{
    candidate other[ATTEND_TIED];
    const attend_guess *named = &best[0].guess;
    if (named->count != 1 || named->of[0].field != ATTEND_OF_V_SCALE || named->change.values == 0)
        return count;
    if (explain_by_factor(e, 0, other) && other[0].squares * alike(e) < best[0].squares) {
        best[0] = other[0];
        return 1;
    }
    e->v->factor = e->v->scores_factor = 1;
    return count;
}

/* ---- how weights are rounded ----------------------------------------------------------------- */

/* Fields of the order that was asked. */
static size_t explain_by_order(attend_explaining *e, candidate best[ATTEND_TIED])
{
    sf8_attend_order own;
    size_t count = 0;
    for (size_t i = 0; e->claim->order && attend_order_changed(e->asked->order, i, &own); i++) {
        candidate one = {.guess = e->none};
        if (sf8_attend_order_check(&own, &e->j->r->a, e->claim->cut) != SF8_ATTEND_GOOD)
            continue;
        one.guess.count = 1;
        one.guess.of[0] = (attend_mistake){"order-field", "", ATTEND_OF_ORDER, 0, {(double)i, 0}};
        one.guess.change = attend_claim_of(e->j->r, &own, e->claim->cut).change;
        one.squares = attend_squares(e, e->rows, e->channels, &one.guess.change);
        count = one.squares < e->plain ? keep(best, count, &one) : count;
    }
    return those_that_explain(e, best, count);
}

/* Ways to round weights that lose too much. None is named if one that kernels have leaves no more
 * than eight times as much. */
static size_t explain_by_weights(attend_explaining *e, candidate best[ATTEND_TIED])
{
    static const size_t tiles[] = {0, 16, 32, 48, 64, 80, 96, 128, 160, 176, 192, 224, 256};
    enum { TILES = sizeof tiles / sizeof tiles[0], MUCH = 8 };
    double usual = e->plain;
    size_t count = 0;
    attend_mistake one;
    if (!(e->plain < 4 * e->output))
        return 0;
    for (size_t kind = 0; attend_weights_at(kind, &one); kind++) {
        candidate least = {.squares = INFINITY};
        for (size_t i = 0; i < 2 * TILES; i++) {
            candidate now = {.guess = e->none};
            one.number[0] = (double)tiles[i / 2];
            one.number[1] = (double)(i % 2);
            if ((i == 1 || tiles[i / 2] >= e->j->r->keys) ||
                !attend_guess_add(e->j->r, &now.guess, &one))
                continue;
            now.squares = attend_squares(e, e->rows, e->channels, &now.guess.change);
            if (now.squares < least.squares)
                least = now;
        }
        if (!one.text[0])
            usual = least.squares < usual ? least.squares : usual;
        else if (least.squares < e->plain / MUCH)
            count = keep(best, count, &least);
    }
    size_t good = 0;
    for (size_t i = 0; i < count; i++)
        if (best[i].squares <= usual / MUCH)
            best[good++] = best[i];
    return those_that_explain(e, best, good);
}

/* ---- pairs ----------------------------------------------------------------------------------- */

enum { LIST_MOST = ATTEND_MISTAKES_MOST + ATTEND_PROPOSED_MOST };

/* The best of all pairs, looked at in a few rows and channels first. Products of queries and keys
 * are kept for one way to read: the first mistake decides it. */
static size_t explain_by_pairs(attend_explaining *e, const attend_mistake *list, size_t n,
                               candidate best[ATTEND_TIED])
{
    enum { FEW = 3, CHANNELS = 16 };
    size_t rows = e->rows < FEW ? e->rows : FEW, count = 0, good = 0;
    attend_channels of = e->channels;
    of.count = of.count > CHANNELS ? CHANNELS : of.count;
    double plain = attend_squares(e, rows, of, &e->none.change);
    candidate few[ATTEND_TIED];
    for (int of_reads = 1; of_reads >= 0; of_reads--)
        for (size_t i = 0; i < n && !search_is_over(e->j->r->context); i++) {
            attend_guess first = e->none;
            attend_guess_add(e->j->r, &first, &list[i]);
            int has_reads = memcmp(&first.change.reads, &e->none.change.reads,
                                   sizeof first.change.reads) != 0;
            if (has_reads != of_reads)
                continue;
            search_tell(e->j->r->context, "pairs of mistakes", i, n);
            for (size_t k = 0; k < n; k++) {
                candidate one = {.guess = first};
                if (k == i || !attend_guess_add(e->j->r, &one.guess, &list[k]))
                    continue;
                int others = memcmp(&one.guess.change.reads, &first.change.reads,
                                    sizeof first.change.reads) != 0;
                if (k < i && others == has_reads) /* it came in the other order */
                    continue;
                if (others && !has_reads)
                    continue;
                one.squares = attend_squares(e, rows, of, &one.guess.change);
                count = one.squares < half * plain ? keep(few, count, &one) : count;
            }
        }
    for (size_t i = 0; i < count; i++) {
        few[i].squares = attend_squares(e, e->rows, e->channels, &few[i].guess.change);
        if (few[i].squares < e->plain)
            best[good++] = few[i];
    }
    return those_that_explain(e, best, good);
}

/* What a change leaves with the factor of the output that is best. */
static double squares_with_factor(attend_explaining *e, const attend_change *change)
{
    double all = 0, both = 0, right = 0;
    for (size_t i = 0; i < e->rows; i++) {
        attend_true_channels(e->j, change, e->sample[i], e->channels, e->t);
        for (size_t c = e->channels.first; c < e->channels.first + e->channels.count; c++) {
            double got = attend_got(e->j, e->sample[i], c), out = e->t->out[c];
            all += got * got;
            both += got * out;
            right += out * out;
        }
    }
    return right > 0 ? all - both * both / right : all;
}

/* A mistake of the table, and one whose number follows from what that leaves. */
static size_t explain_by_bases(attend_explaining *e, int has_factor, const attend_mistake *list,
                               size_t n, candidate best[ATTEND_TIED])
{
    enum { BASES = 4 };
    size_t at[BASES], count = 0, good = 0;
    double squares[BASES];
    attend_mistake proposed[ATTEND_PROPOSED_MOST];
    for (size_t i = 0; i < n; i++) {
        attend_guess guess = e->none;
        attend_guess_add(e->j->r, &guess, &list[i]);
        double left = has_factor ? squares_with_factor(e, &guess.change)
                                 : attend_squares(e, e->rows, e->channels, &guess.change);
        if (!(left < 0.9 * e->plain))
            continue;
        size_t place = count < BASES ? count++ : BASES;
        for (; place > 0 && left < squares[place - 1]; place--)
            if (place < BASES) {
                squares[place] = squares[place - 1];
                at[place] = at[place - 1];
            }
        if (place < BASES) {
            squares[place] = left;
            at[place] = i;
        }
    }
    for (size_t i = 0; i < count && !good; i++) {
        attend_guess guess = e->none;
        attend_guess_add(e->j->r, &guess, &list[at[i]]);
        size_t more = attend_propose(e, &guess, proposed);
        good = best_of(e, &guess, proposed, more, best);
    }
    return good;
}

static size_t explain_by_proposed(attend_explaining *e, const attend_mistake *list, size_t n,
                                  candidate best[ATTEND_TIED])
{
    size_t count = explain_by_bases(e, 0, list, n, best);
    return count ? count : explain_by_bases(e, 1, list, n, best);
}

/* ---- all ------------------------------------------------------------------------------------- */

void attend_explain(attend_judged_output *j, const attend_question *asked,
                    const attend_claim *claim, attend_verdict *v, attend_row *t)
{
    attend_mistake list[LIST_MOST];
    candidate best[ATTEND_TIED];
    attend_explaining e = {.j = j, .asked = asked, .claim = claim, .v = v, .t = t};
    size_t n = attend_mistakes_of(j->r, list), count;
    v->has_changes = 1;
    v->factor = v->scores_factor = 1;
    if (j->rows == 0 || v->rows == 0)
        return;
    e.none.change = claim->change;
    attend_take_sample(&e);
    for (int cast = ATTEND_E4M3; cast <= ATTEND_E5M2 && !e.cast; cast++)
        e.cast = attend_is_all(j, cast) ? cast : 0;
    for (size_t i = 0; i < n && e.cast; i++) /* what is rounded saturates as well */
        if (list[i].field == ATTEND_OF_OUT && list[i].kind == 0)
            list[i--] = list[--n];
    count = explain_by_order(&e, best);
    if (claim->order && v->of_order <= 1) {
        /* inside its bound: another way to round weights has to leave nearly nothing */
        count = count ? count : explain_by_weights(&e, best);
        if (count && best[0].squares <= share * e.plain)
            say(&e, best, count);
        return;
    }
    if (!count && (count = best_of(&e, &e.none, list, n, best)) > 0)
        count = or_by_factor(&e, best, count);
    if (!count)
        count = explain_by_weights(&e, best);
    size_t more = 0;
    if (!count) {
        more = attend_propose(&e, &e.none, list + n);
        count = best_of(&e, &e.none, list + n, more, best);
    }
    for (int of = 0; of < 2 && !count; of++)
        count = explain_by_factor(&e, of, best);
    if (!count || !is_clean(&e, &best[0])) {
        candidate two[ATTEND_TIED];
        size_t pairs = explain_by_pairs(&e, list, n + more, two);
        if (!pairs)
            pairs = explain_by_proposed(&e, list, n + more, two);
        if (pairs && (!count || two[0].squares < share * 8 * best[0].squares)) {
            memcpy(best, two, sizeof best);
            count = pairs;
            v->factor = v->scores_factor = 1;
        } else if (!count) {
            count = explain_by_factor(&e, 2, best);
        }
    }
    if (count)
        say(&e, best, count);
}

/* SPDX-License-Identifier: MIT */
/* explain.c -- the mistake that explains an output, or two together, if there are any
 *
 * What is simpler is tried first: fields of the claimed order, the mistakes of the table
 * (mistakes.c), ways to round weights, mistakes whose numbers follow from the output (propose.c),
 * an unknown factor (factors.c), two mistakes (two.c), two factors. candidates.c says which of them
 * explain the output. If all of the output has a narrow format, it was rounded to that: this is
 * seen without a distance, and every guess comes on top of it.
 */
#include "diagnose/attend/explain.h"

#include <math.h>
#include <string.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
static const double share = 1.0 / 64; /* of squares: an eighth */

/* ---- what is said ---------------------------------------------------------------------------- */

static void say(attend_explaining *e, const attend_best *found)
{
    const attend_candidate *best = found->of;
    attend_verdict *v = e->v;
    size_t n = 0;
    for (size_t i = 0; i < found->count && n < ATTEND_TIED; i++) {
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
    v->left = sqrt(best[0].all / e->first);
    v->corrected = BOUNDS;
    for (size_t b = BOUNDS; b-- > 0;)
        if (best[0].worst[b] <= 1) {
            v->corrected = b;
            v->of_corrected = best[0].worst[b];
        }
}

/* ---- a scale, or a factor ---------------------------------------------------------------------
 */

/* A scale with a name has to be as good as the best factor of the scores and of the output. */
static void or_by_factor(attend_explaining *e, attend_best *best)
{
    enum { FACTORS = ATTEND_OF_SCALES | ATTEND_OF_Q_SCALE | ATTEND_OF_SCORES | ATTEND_OF_BASE };
    attend_best other;
    const attend_guess *named = &best->of[0].guess;
    const attend_change *change = &named->change;
    if (named->count != 1 || (named->of[0].field & FACTORS) == 0 ||
        (change->scores == 0 && change->values == 0))
        return;
    int of = change->scores == 0 ? 0 : change->values == 0 ? 1 : 2;
    if (attend_explain_by_factor(e, of, &other) &&
        other.of[0].squares * attend_alike(e) < best->of[0].squares)
        *best = other;
    else
        e->v->factor = e->v->scores_factor = 1;
}

/* A cap makes scores smaller, as a factor does: it has to be as good. */
static void cap_or_factor(attend_explaining *e, attend_best *best)
{
    attend_best other;
    if (best->of[0].guess.of[0].field != ATTEND_OF_CAP)
        return;
    if (attend_explain_by_factor(e, 1, &other) &&
        other.of[0].squares * attend_alike(e) < best->of[0].squares)
        *best = other;
    else
        e->v->factor = e->v->scores_factor = 1;
}

/* Two factors of the scores together may be nearer than one that has a name, though not clearly:
 * they are named beside it. */
static void or_by_factors(attend_explaining *e, const attend_mistake *list, size_t n,
                          attend_best *best)
{
    enum { OF_SCORES = ATTEND_OF_K_SCALE | ATTEND_OF_Q_SCALE | ATTEND_OF_SCORES | ATTEND_OF_BASE };
    attend_candidate named = best->of[0];
    if (named.guess.count != 1 || (named.guess.of[0].field & OF_SCORES) == 0 ||
        named.guess.change.values != 0)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++) {
            attend_candidate both = {.guess = e->none};
            if ((list[i].field & OF_SCORES) == 0 || (list[k].field & OF_SCORES) == 0 ||
                !attend_guess_add(e->j->r, &both.guess, &list[i]) ||
                !attend_guess_add(e->j->r, &both.guess, &list[k]) || both.guess.change.values != 0)
                continue;
            both.squares = attend_squares(e, e->rows, e->channels, &both.guess.change,
                                          named.squares);
            if (both.squares < named.squares && attend_needs_both(e, &both, 1))
                attend_keep(best, &both);
        }
    if (attend_those_that_explain(e, best) == 0 || best->of[0].guess.count != 1) {
        best->of[0] = named;
        best->count = 1;
    }
}

/* ---- how weights are rounded ----------------------------------------------------------------- */

/* Fields of the order that was asked. */
static size_t explain_by_order(attend_explaining *e, attend_best *best)
{
    sf8_attend_order own;
    best->count = 0;
    for (size_t i = 0; e->claim->order && attend_order_changed(e->asked->order, i, &own); i++) {
        attend_candidate one = {.guess = e->none};
        if (sf8_attend_order_check(&own, &e->j->r->a, e->claim->cut) != SF8_ATTEND_GOOD)
            continue;
        one.guess.count = 1;
        one.guess.of[0] = (attend_mistake){"order-field", "", ATTEND_OF_ORDER, 0, {(double)i, 0}};
        one.guess.change = attend_claim_of(e->j->r, &own, e->claim->cut).change;
        attend_look(e, best, &one);
    }
    return attend_those_that_explain(e, best);
}

/* Ways to round weights that lose too much, on top of `base`. None is named if one that kernels
 * have leaves no more than eight times as much. */
static size_t explain_by_weights(attend_explaining *e, const attend_guess *base, attend_best *best)
{
    static const size_t tiles[] = {0, 16, 32, 48, 64, 80, 96, 128, 160, 176, 192, 224, 256};
    enum { TILES = sizeof tiles / sizeof tiles[0], MUCH = 8 };
    double usual = attend_squares(e, e->rows, e->channels, &base->change, INFINITY);
    size_t good = 0;
    attend_mistake one;
    best->count = 0;
    if (!(e->plain < 4 * e->output))
        return 0;
    for (size_t kind = 0; attend_weights_at(kind, &one); kind++) {
        attend_candidate least = {.squares = INFINITY};
        for (size_t i = 0; i < 2 * TILES; i++) {
            attend_candidate now = {.guess = *base};
            one.number[0] = (double)tiles[i / 2];
            one.number[1] = (double)(i % 2);
            if ((i == 1 || tiles[i / 2] >= e->j->r->keys) ||
                !attend_guess_add(e->j->r, &now.guess, &one))
                continue;
            now.squares = attend_squares(
                e, e->rows, e->channels, &now.guess.change,
                fmin(least.squares, one.text[0] ? e->plain / MUCH : usual));
            if (now.squares < least.squares)
                least = now;
        }
        if (!one.text[0])
            usual = least.squares < usual ? least.squares : usual;
        else if (least.squares < e->plain / MUCH)
            attend_keep(best, &least);
    }
    for (size_t i = 0; i < best->count; i++)
        if (best->of[i].squares <= usual / MUCH)
            best->of[good++] = best->of[i];
    best->count = good;
    return attend_those_that_explain(e, best);
}

/* ---- an output of narrow numbers -------------------------------------------------------------
 */

/* Whether what a change gives is not all of that format by itself, as one value of the cache is. */
static int needs_rounding(attend_explaining *e, attend_change change, int format)
{
    enum { ENOUGH = 12 };
    size_t others = 0;
    double scale = change.scale_out > 0 ? change.scale_out : 1;
    change.cast_out = change.raw_out = 0;
    for (size_t row = 0; row < e->j->rows && others < ENOUGH; row++) {
        attend_true_row(e->j, &change, row, e->t);
        for (size_t c = 0; c < e->j->columns; c++) {
            double x = e->t->out[c] / scale;
            others += fabs(attend_rounded(x, format) - x) > 0x1p-8 * fabs(x);
        }
    }
    return others >= ENOUGH;
}

/* If all of the output is e4m3: the scale that it was divided by, by least squares; 0 if it is no
 * multiple of the true output, or nearly that itself. */
static double missing_scale(attend_explaining *e)
{
    const double near = 0.06, rounding = 1.0 / 256;
    double both = 0, squares = 0, right = 0;
    for (size_t i = 0; i < e->rows; i++) {
        attend_true_row(e->j, &e->none.change, e->sample[i], e->t);
        for (size_t c = 0; c < e->j->columns; c++) {
            double got = attend_got(e->j, e->sample[i], c), x = e->t->out[c];
            both += got * x;
            squares += got * got;
            right += x * x;
        }
    }
    double scale = both / squares, left = right - both * scale;
    return left < rounding * right && scale > 0 && fabs(scale - 1) > near ? scale : 0;
}

/* The narrow format that all of the output has, with a scale or without: the narrowest first. */
static int rounding_of_output(attend_explaining *e, const attend_mistake *list, size_t n,
                              attend_mistake *found)
{
    static const attend_mistake scaled = {"out-e4m3-scaled",
                                          "the output is rounded to e4m3 with the scale",
                                          ATTEND_OF_OUT,
                                          ATTEND_E4M3,
                                          {0, 0}};
    static const attend_mistake raw = {"out-e4m3-unscaled",
                                       "the output is in e4m3 without its scale, which is about",
                                       ATTEND_OF_OUT,
                                       ATTEND_E4M3,
                                       {0, 1}};
    static const int formats[] = {ATTEND_E5M2, ATTEND_E4M3};
    double scale;
    if (e->claim->change.cast_out)
        return 0;
    for (size_t i = 0; i < 2; i++) {
        if (!attend_is_all(e->j, formats[i]))
            continue;
        scale = formats[i] == ATTEND_E4M3 ? missing_scale(e) : 0;
        if (scale > 0) {
            *found = raw;
            found->number[0] = scale;
            return 1;
        }
        for (size_t k = 0; k < n; k++)
            if (list[k].field == ATTEND_OF_OUT && list[k].kind == formats[i])
                *found = list[k];
        return needs_rounding(e, e->none.change, formats[i]);
    }
    *found = scaled;
    found->number[0] = scale = attend_scale_of_all(e->j);
    attend_change change = e->none.change;
    change.scale_out = scale;
    return scale > 0 && needs_rounding(e, change, ATTEND_E4M3);
}

/* Rounding to that format as the base of all guesses. If nothing else is left, it is what explains
 * the output, which `alone` then has. */
static int explain_by_rounding(attend_explaining *e, const attend_mistake *list, size_t n,
                               attend_best *alone)
{
    attend_candidate *one = &alone->of[0];
    attend_mistake rounding;
    alone->count = 0;
    if (!rounding_of_output(e, list, n, &rounding))
        return 0;
    *one = (attend_candidate){.guess = e->none};
    attend_guess_add(e->j->r, &one->guess, &rounding);
    one->squares = attend_squares(e, e->rows, e->channels, &one->guess.change, INFINITY);
    alone->count = (size_t)attend_is_rounding(e, one);
    e->none = one->guess;
    attend_look_without(e);
    return alone->count && attend_is_clean(e, one);
}

/* Leaves the rounding out of guesses that need none, or leave no less with it. */
static void without_rounding(attend_explaining *e, attend_best *best)
{
    for (size_t i = 0; i < best->count && e->none.count; i++) {
        attend_guess *guess = &best->of[i].guess, alone = {.change = e->claim->change};
        if (guess->count < 2)
            continue;
        attend_guess_add(e->j->r, &alone, &guess->of[1]);
        if (!needs_rounding(e, guess->change, guess->change.cast_out) ||
            attend_squares(e, e->rows, e->channels, &alone.change, best->of[i].squares) <=
                best->of[i].squares)
            *guess = alone;
    }
}

/* ---- all ------------------------------------------------------------------------------------- */

/* A factor of the output or of the scores: the one that leaves less. */
static size_t by_factor_alone(attend_explaining *e, attend_best *best)
{
    attend_best scores;
    attend_verdict *v = e->v;
    attend_explain_by_factor(e, 0, best);
    double factor = v->factor, scores_factor = v->scores_factor;
    attend_explain_by_factor(e, 1, &scores);
    if (scores.count && (!best->count || scores.of[0].squares < best->of[0].squares)) {
        *best = scores;
    } else {
        v->factor = factor;
        v->scores_factor = scores_factor;
    }
    return best->count;
}

/* One mistake. */
static size_t explain_by_one(attend_explaining *e, attend_mistake *list, size_t n, size_t *more,
                             attend_best *best)
{
    *more = 0;
    if (attend_best_of(e, &e->none, list, n, best)) {
        or_by_factor(e, best);
        or_by_factors(e, list, n, best);
    }
    if (!best->count)
        explain_by_weights(e, &e->none, best);
    if (!best->count || !attend_is_certain(e, &best->of[0]))
        *more = attend_propose(e, &e->none, ATTEND_NEAR, list + n);
    if (!best->count && attend_best_of(e, &e->none, list + n, *more, best))
        cap_or_factor(e, best);
    return best->count || by_factor_alone(e, best);
}

/* Leaves out those with a factor that has no name. */
static void without_factors(attend_best *best)
{
    size_t n = 0;
    for (size_t i = 0; i < best->count; i++) {
        const attend_guess *guess = &best->of[i].guess;
        int has_factor = 0;
        for (size_t k = 0; k < guess->count; k++)
            has_factor |= guess->of[k].field == ATTEND_OF_V_SCALE && guess->of[k].kind == 3;
        if (!has_factor)
            best->of[n++] = best->of[i];
    }
    best->count = n;
}

/* Leaves out those that come with no other mistake. */
static size_t without_rare(attend_mistake *list, size_t n)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++)
        if (!attend_is_rare(&list[i]))
            list[kept++] = list[i];
    return kept;
}

/* Kernels of 8 bits cast queries as well, which a request without their scale does not say. */
static size_t explain_by_weights_of_codes(attend_explaining *e, const attend_mistake *list,
                                          size_t n, attend_best *best)
{
    best->count = 0;
    for (size_t i = 0; i < n && !best->count; i++) {
        attend_guess base = e->none;
        if (list[i].field == ATTEND_OF_Q && list[i].kind == ATTEND_E4M3 && base.count == 0 &&
            attend_guess_add(e->j->r, &base, &list[i]))
            explain_by_weights(e, &base, best);
    }
    if (best->count && !attend_needs_both(e, &best->of[0], attend_alike(e)))
        best->count = 0;
    return best->count;
}

/* Queries that are rounded to 8 bits may be what a kernel does that loses weights as well. */
static size_t or_by_weights(attend_explaining *e, const attend_mistake *list, size_t n,
                            attend_best *best)
{
    enum { MUCH = 8 };
    attend_best both;
    const attend_mistake *one = &best->of[0].guess.of[0];
    if (one->field == ATTEND_OF_Q && one->kind == ATTEND_E4M3 &&
        explain_by_weights_of_codes(e, list, n, &both) &&
        both.of[0].squares * MUCH < best->of[0].squares)
        *best = both;
    return best->count;
}

/* One, or two if they leave far less, or have names where one has none. An output inside its bound
 * has no two mistakes. */
static size_t explain_by_any(attend_explaining *e, attend_mistake *list, size_t n,
                             attend_best *best)
{
    size_t more;
    attend_best two;
    attend_verdict *v = e->v;
    int has_name = explain_by_one(e, list, n, &more, best) &&
                   best->of[0].guess.count > e->none.count;
    int is_inside = e->claim->order ? v->of_order <= 1 : v->worst[e->asked->by] <= 1;
    if (has_name && attend_is_certain(e, &best->of[0]))
        return or_by_weights(e, list, n, best);
    if (!has_name && is_inside)
        return best->count;
    double factor = v->factor, scores = v->scores_factor, alike = attend_alike(e);
    if (!explain_by_weights_of_codes(e, list, n, &two))
        attend_explain_by_two(e, list, without_rare(list, n + more), &two);
    if (best->count && !has_name && attend_is_certain(e, &best->of[0]))
        without_factors(&two);
    if (two.count && (!best->count ||
                      two.of[0].squares < best->of[0].squares * (has_name ? 1 / alike : alike))) {
        *best = two;
        v->factor = v->scores_factor = 1;
    } else if (best->count) {
        v->factor = factor;
        v->scores_factor = scores;
    } else {
        attend_explain_by_factor(e, 2, best);
    }
    return best->count;
}

static void explain(attend_explaining *e, attend_mistake *list, size_t n)
{
    attend_best best, alone;
    attend_verdict *v = e->v;
    if (explain_by_order(e, &best)) {
        if (v->of_order > 1 || best.of[0].squares <= share * e->plain)
            say(e, &best);
        return;
    }
    if (e->claim->order && v->of_order <= 1) {
        /* inside its bound: another way to round weights has to leave nearly nothing */
        if (explain_by_weights(e, &e->none, &best) && best.of[0].squares <= share * e->plain)
            say(e, &best);
        return;
    }
    if (explain_by_rounding(e, list, n, &alone)) {
        say(e, &alone);
        return;
    }
    /* that it is rounded, and that it saturates, is known by now */
    for (size_t i = 0; i < n; i++)
        if (list[i].field == ATTEND_OF_OUT &&
            (list[i].kind > 0 || (e->none.count && !list[i].kind)))
            list[i--] = list[--n];
    if (explain_by_any(e, list, n, &best))
        without_rounding(e, &best);
    else
        best = alone;
    if (best.count)
        say(e, &best);
}

double attend_explain(attend_judged_output *j, const attend_question *asked,
                      const attend_claim *claim, attend_verdict *v, attend_row *t)
{
    attend_mistake list[ATTEND_MISTAKES_MOST + ATTEND_PROPOSED_MOST];
    attend_explaining e = {
        .j = j, .asked = asked, .claim = claim, .v = v, .t = t, .least = INFINITY};
    v->has_changes = 1;
    v->factor = v->scores_factor = 1;
    if (j->rows == 0 || v->rows == 0)
        return 1;
    e.none.change = claim->change;
    attend_take_sample(&e);
    double all = e.plain, got = 0;
    for (size_t i = 0; i < e.rows; i++)
        for (size_t c = e.channels.first; c < e.channels.first + e.channels.count; c++)
            got += attend_square(attend_got(j, e.sample[i], c), 0);
    for (size_t row = 0; row < j->rows; row++)
        e.first += e.plain_row[row];
    explain(&e, list, attend_mistakes_of(j->r, list));
    search_free(j->r->context, e.plain_row);
    return e.least / fmin(all, got);
}

/* SPDX-License-Identifier: MIT */
/* two.c -- two mistakes together that explain an output
 *
 * Two of the table; or one of the table or a proposed one, and one whose number follows from what
 * the first leaves. Numbers are fitted once more with both. Two explain whatever one explains, and
 * there are many of them: they have to leave nothing, and each has to take away what the other
 * leaves.
 */
#include "diagnose/attend/explain.h"

#include <math.h>
#include <string.h>

static int reads_otherwise(const attend_guess *a, const attend_guess *b)
{
    return memcmp(&a->change.reads, &b->change.reads, sizeof a->change.reads) != 0;
}

/* Rows and channels that are looked at first. */
enum { FEW = 3, CHANNELS = 16 };

static attend_channels few_channels(const attend_explaining *e)
{
    return (attend_channels){e->channels.first,
                             e->channels.count > CHANNELS ? CHANNELS : e->channels.count};
}

/* ---- of the table ---------------------------------------------------------------------------- */

/* What a few rows and channels say of the i-th mistake and the k-th. */
typedef struct two {
    double squares;
    size_t i, k;
} two;

enum { TWOS = 64 };

static size_t keep_two(two *few, size_t count, two one)
{
    size_t at = count < TWOS ? count++ : TWOS;
    for (; at > 0 && one.squares < few[at - 1].squares; at--)
        if (at < TWOS)
            few[at] = few[at - 1];
    if (at < TWOS)
        few[at] = one;
    return count;
}

/* All pairs, looked at in a few rows and channels first. Products of queries and keys are kept for
 * one way to read: the first mistake decides it. */
static void try_table(attend_explaining *e, const attend_mistake *list, size_t n, attend_best *best)
{
    size_t rows = e->rows < FEW ? e->rows : FEW, count = 0;
    const attend_channels of = few_channels(e);
    double plain = attend_squares(e, rows, of, &e->none.change, INFINITY);
    two few[TWOS];
    for (int of_reads = 1; of_reads >= 0; of_reads--)
        for (size_t i = 0; i < n && !search_is_over(e->j->r->context); i++) {
            attend_guess first = e->none;
            attend_guess_add(e->j->r, &first, &list[i]);
            if (reads_otherwise(&first, &e->none) != of_reads)
                continue;
            search_tell(e->j->r->context, "pairs of mistakes", i, n);
            for (size_t k = 0; k < n; k++) {
                attend_guess both = first;
                if (k == i || !attend_guess_add(e->j->r, &both, &list[k]))
                    continue;
                int others = reads_otherwise(&both, &first);
                if ((k < i && others == of_reads) || (others && !of_reads)) /* it came already */
                    continue;
                double most = count < TWOS ? plain / 4 : few[TWOS - 1].squares;
                double squares = attend_squares(e, rows, of, &both.change, most);
                if (squares < most)
                    count = keep_two(few, count, (two){squares, i, k});
            }
        }
    for (size_t i = 0; i < count; i++) {
        attend_candidate one = {.guess = e->none};
        attend_guess_add(e->j->r, &one.guess, &list[few[i].i]);
        attend_guess_add(e->j->r, &one.guess, &list[few[i].k]);
        attend_look(e, best, &one);
    }
}

/* ---- one, and another whose number follows --------------------------------------------------- */

/* What a change leaves, and what with the factor of the output that is best. More rows do not make
 * either less: none is looked at once both are more than `enough`. */
static void squares_with_factor(attend_explaining *e, const attend_change *change,
                                const double enough[2], double left[2])
{
    double all = 0, both = 0, right = 0;
    left[0] = left[1] = 0;
    for (size_t i = 0; i < e->rows && !(left[0] > enough[0] && left[1] > enough[1]); i++) {
        attend_true_channels(e->j, change, e->sample[i], e->channels, e->t);
        left[0] += attend_row_squares(e->j, e->sample[i], e->t, e->channels);
        for (size_t c = e->channels.first; c < e->channels.first + e->channels.count; c++) {
            double got = attend_got(e->j, e->sample[i], c), out = e->t->out[c];
            all += got * got;
            both += got * out;
            right += out * out;
        }
        left[1] = right > 0 ? all - both * both / right : all;
    }
}

/* Where looking takes long, those of the list that leave least, by both measures; else all. */
static size_t choose_bases(attend_explaining *e, const attend_mistake *list, size_t n, size_t *at)
{
    enum { BASES = 4 };
    double least[2 * BASES];
    size_t count[2] = {0, 0}, chosen[2 * BASES], all = 0;
    for (size_t i = 0; i < n; i++) {
        attend_guess guess = e->none;
        double left[2], enough[2];
        at[i] = i;
        if (!e->is_large || !attend_guess_add(e->j->r, &guess, &list[i]))
            continue;
        for (size_t by = 0; by < 2; by++)
            enough[by] = count[by] < BASES ? INFINITY : least[by * BASES + BASES - 1];
        squares_with_factor(e, &guess.change, enough, left);
        for (size_t by = 0; by < 2; by++) {
            size_t place = count[by] < BASES ? count[by]++ : BASES;
            for (; place > 0 && left[by] < least[by * BASES + place - 1]; place--)
                if (place < BASES) {
                    least[by * BASES + place] = least[by * BASES + place - 1];
                    chosen[by * BASES + place] = chosen[by * BASES + place - 1];
                }
            if (place < BASES) {
                least[by * BASES + place] = left[by];
                chosen[by * BASES + place] = i;
            }
        }
    }
    if (!e->is_large)
        return n;
    for (size_t by = 0; by < 2; by++)
        for (size_t i = 0; i < count[by]; i++) {
            size_t k = 0;
            while (k < all && at[k] != chosen[by * BASES + i])
                k++;
            at[k] = chosen[by * BASES + i];
            all += k == all;
        }
    return all;
}

static void try_proposed(attend_explaining *e, const attend_mistake *list, size_t n,
                         attend_best *best)
{
    attend_mistake proposed[ATTEND_PROPOSED_MOST];
    size_t at[ATTEND_MISTAKES_MOST + ATTEND_PROPOSED_MOST];
    size_t bases = choose_bases(e, list, n, at), rows = e->rows < FEW ? e->rows : FEW;
    const attend_channels of = few_channels(e);
    double plain = attend_squares(e, rows, of, &e->none.change, INFINITY);
    for (size_t i = 0; i < bases && !search_is_over(e->j->r->context); i++) {
        attend_guess guess = e->none;
        search_tell(e->j->r->context, "numbers of mistakes", i, bases);
        if (!attend_guess_add(e->j->r, &guess, &list[at[i]]))
            continue;
        size_t more = attend_propose(e, &guess, ATTEND_ROUGH, proposed);
        for (size_t k = 0; k < more; k++) {
            attend_candidate one = {.guess = guess};
            if (!attend_guess_add(e->j->r, &one.guess, &proposed[k]) ||
                !(attend_squares(e, rows, of, &one.guess.change, plain / 2) < plain / 2))
                continue;
            one.squares = attend_squares(e, e->rows, e->channels, &one.guess.change, e->plain);
            if (one.squares < e->plain) /* also far ones: better numbers may leave much less */
                attend_keep(best, &one);
        }
    }
}

/* The number of the i-th of both, with the other as it is; 0 if it has none. */
static int fit_one(attend_explaining *e, attend_guess *guess, attend_care care, size_t i)
{
    attend_guess other = e->none, both = e->none;
    attend_mistake of[2] = {guess->of[0], guess->of[1]};
    attend_guess_add(e->j->r, &other, &of[1 - i]);
    if (!attend_fit(e, &other, care, &of[i]))
        return 0;
    attend_guess_add(e->j->r, &both, &of[0]);
    attend_guess_add(e->j->r, &both, &of[1]);
    *guess = both;
    return 1;
}

/* The numbers of both; 0 if that does not help. */
static int fit_both(attend_explaining *e, attend_candidate *one, attend_care care, int *fitted)
{
    attend_candidate now = *one;
    *fitted = fit_one(e, &now.guess, care, 1) + fit_one(e, &now.guess, care, 0);
    if (*fitted == 0)
        return 0;
    now.squares = attend_squares(e, e->rows, e->channels, &now.guess.change, one->squares);
    if (!(now.squares < one->squares))
        return 0;
    *one = now;
    return 1;
}

/* As long as it halves what is left; then exactly, if that is worth it. */
static void fit_numbers(attend_explaining *e, attend_candidate *one)
{
    enum { ROUNDS = 8, FEWER = 2 };
    int fitted = 2;
    double before = INFINITY;
    for (int i = 0; i < (e->is_large ? FEWER : ROUNDS) && fitted == 2 &&
                    one->squares < before / 2 && !search_is_over(e->j->r->context);
         i++) {
        before = one->squares;
        if (!fit_both(e, one, ATTEND_NEAR, &fitted))
            break;
    }
    if (one->squares < e->plain / 256)
        fit_both(e, one, ATTEND_EXACT, &fitted);
}

/* Moves the best to the front. */
static size_t best_first(attend_best *of, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; k < of->count; k++)
            if (of->of[k].squares < of->of[i].squares) {
                attend_candidate one = of->of[i];
                of->of[i] = of->of[k];
                of->of[k] = one;
            }
    return count;
}

int attend_needs_both(attend_explaining *e, const attend_candidate *one, double by)
{
    const attend_guess none = {.change = e->claim->change};
    for (size_t i = 0; i < one->guess.count && one->guess.count > 1; i++) {
        attend_guess other = none;
        attend_guess_add(e->j->r, &other, &one->guess.of[1 - i]);
        double most = by * one->squares;
        if (attend_squares(e, e->rows, e->channels, &other.change, most) <= most)
            return 0;
    }
    return 1;
}

/* Whether one of them may be what is looked for. To look at all rows of all of them takes long. */
static int may_be_two(attend_explaining *e, attend_best *best)
{
    int may = 0;
    for (size_t i = 0; i < best->count && !may; i++)
        may = attend_needs_both(e, &best->of[i], attend_alike(e)) &&
              attend_may_be_clean(e, &best->of[i]);
    return may;
}

size_t attend_explain_by_two(attend_explaining *e, const attend_mistake *list, size_t n,
                             attend_best *best)
{
    attend_best rough = {.count = 0};
    size_t clean = 0;
    best->count = 0;
    if (e->none.count > 0 || !isfinite(e->plain))
        return 0;
    try_table(e, list, n, best);
    try_proposed(e, list, n, &rough);
    size_t most = e->is_large && rough.count > FEW ? best_first(&rough, FEW) : rough.count;
    for (size_t i = 0; i < most; i++) {
        fit_numbers(e, &rough.of[i]);
        attend_keep(best, &rough.of[i]);
    }
    if (!may_be_two(e, best))
        return best->count = 0;
    attend_those_that_explain(e, best);
    for (size_t i = 0; i < best->count; i++)
        if (attend_is_clean(e, &best->of[i]) && attend_needs_both(e, &best->of[i], attend_alike(e)))
            best->of[clean++] = best->of[i];
    return best->count = clean;
}

/* SPDX-License-Identifier: MIT */
/* explain.c -- the change of a request that explains an output, if there is one
 *
 * A change is judged by distances, the same ones with it and without it: the sums of squares of the
 * output less its true value. Bounds of the changed request would do for that neither alone nor as
 * a measure: with large scores they allow everything. A change explains an output if
 *
 *     1. it removes seven eighths of the error of the worst rows;
 *     2. the whole output lies in the widest bound of the changed request;
 *     3. all rows together speak for it, against no change and against noise: what has nothing to
 * do with the request is as far from a small output as from none. A row speaks by the logarithm of
 * the quotient of both distances, for each channel, or for each key that takes part if those are
 * fewer. A few rows of a few keys may lie on its way by chance.
 *
 * Those that leave about as little as the best of them are equally good. A factor that is not known
 * by name is found by least squares. It explains no more than a name does, and is named only if
 * factors beside it leave more.
 */
#include "diagnose/attend/attend.h"
#include "diagnose/attend/output.h"

#include <math.h>
#include <string.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS, CHANGES_MOST = 48, CHANNELS_LEAST = 12 };
static const double share = 1.0 / 64; /* of squares: an eighth */
static const double alike = 1.5;      /* squares that tell no two changes apart */
static const attend_change none = {.name = ""};

/* ---- known changes --------------------------------------------------------------------------- */

/* What may have become of a scale: it is applied `power` times more than it should be. */
static const struct {
    double power;
    const char *keys, *values, *both;
} scale_changes[] = {
    {-1, "the scale of keys forgotten", "the scale of values forgotten",
     "the scales of keys and values forgotten"},
    {1, "the scale of keys applied twice", "the scale of values applied twice",
     "the scales of keys and values applied twice"},
    {-2, "the inverse of the scale of keys applied", "the inverse of the scale of values applied",
     "the inverses of the scales of keys and values applied"},
};

static double scale_of(const attend_kept *side)
{
    double s = (double)sf8_f32_from_bits(side->scale);
    return s != 0 ? s : 1;
}

#define CHANGE(...)                                                                                \
    list[n++] = (attend_change)                                                                    \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }

static size_t changes_of_scales(const attend_problem *r, attend_change *list)
{
    double k = scale_of(&r->k), v = scale_of(&r->v);
    double scale = (double)sf8_f32_from_bits(r->a.scale);
    size_t n = 0;
    for (size_t i = 0; i < sizeof scale_changes / sizeof scale_changes[0]; i++) {
        double of_k = pow(k, scale_changes[i].power), of_v = pow(v, scale_changes[i].power);
        if (k != 1)
            CHANGE(.name = scale_changes[i].keys, .scores = of_k);
        if (v != 1)
            CHANGE(.name = scale_changes[i].values, .values = of_v);
        if (k != 1 && v != 1)
            CHANGE(.name = scale_changes[i].both, .scores = of_k, .values = of_v);
    }
    if (k != v) {
        CHANGE(.name = "the scales of keys and values exchanged", .scores = v / k, .values = k / v);
        CHANGE(.name = "keys read with the scale of values", .scores = v / k);
        CHANGE(.name = "values read with the scale of keys", .values = k / v);
    }
    CHANGE(.name = "the scale of scores forgotten", .scores = 1 / scale);
    CHANGE(.name = "the scale of scores applied twice", .scores = scale);
    CHANGE(.name = "scores in base 2 (log2 e forgotten)", .scores = 0.6931471805599453);
    CHANGE(.name = "log2 e applied twice", .scores = 1.4426950408889634);
    CHANGE(.name = "all scores are equal", .no_scores = 1);
    return n;
}

static size_t changes_of_keys(const attend_problem *r, attend_change *list)
{
    static const char *const dropped[] = {
        "keys after the last full 16 dropped", "keys after the last full 32 dropped",
        "keys after the last full 64 dropped", "keys after the last full 128 dropped"};
    size_t n = 0;
    if (r->a.right >= 0) {
        CHANGE(.name = "no causal mask", .no_mask = 1);
        CHANGE(.name = "a query does not see its own key", .causal = -1);
        CHANGE(.name = "a query sees the key after its own", .causal = 1);
    }
    if (r->a.left >= 0)
        CHANGE(.name = "no window", .no_window = 1);
    if (r->a.cap)
        CHANGE(.name = "scores not capped", .no_cap = 1);
    if (r->a.sinks)
        CHANGE(.name = "no sinks", .no_sinks = 1);
    if (r->kv_heads > 1 && r->heads > r->kv_heads)
        CHANGE(.name = "query heads use key/value heads in turn, not in groups", .interleaved = 1);
    for (size_t i = 0, of = 16; i < sizeof dropped / sizeof dropped[0]; i++, of *= 2)
        if (r->keys % of != 0 && r->keys > of)
            CHANGE(.name = dropped[i], .multiple = of);
    return n;
}

/* A key that one of the worst rows seems to lack may be missing in all of them. */
static size_t changes_of_rows(const attend_verdict *v, attend_change *list)
{
    size_t n = 0;
    for (size_t i = 0; i < v->rows; i++)
        if (v->row[i].is_missing && (n == 0 || list[n - 1].missing != v->row[i].key + 1))
            CHANGE(.name = "the same key is missing in every row", .missing = v->row[i].key + 1);
    return n;
}

#undef CHANGE

/* ---- distances ------------------------------------------------------------------------------- */

/* The square of an error; one of NaN is infinite, except where NaN is due. */
static double square(double got, double right)
{
    double e = got - right;
    return isnan(got) && isnan(right) ? 0 : isnan(e) ? INFINITY : e * e;
}

/* What a row is away from its true value `t`, whose outputs have a factor. */
static double row_squares(const attend_judged_output *j, size_t row, const attend_row *t,
                          double factor)
{
    double squares = 0;
    for (size_t c = 0; c < j->columns; c++)
        squares += square(attend_got(j, row, c), factor * t->out[c]);
    return squares;
}

/* The output itself. */
static double row_output(const attend_judged_output *j, size_t row)
{
    double squares = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double got = attend_got(j, row, c);
        squares += isnan(got) ? 0 : got * got;
    }
    return squares;
}

/* The worst rows, or the first `rows` of them, under a change. */
static double changed_squares(const attend_judged_output *j, const attend_verdict *v, size_t rows,
                              const attend_change *change, attend_row *t)
{
    double squares = 0;
    for (size_t k = 0; k < rows; k++) {
        attend_true_row(j, change, v->row[k].row, t);
        squares += row_squares(j, v->row[k].row, t, 1);
    }
    return squares;
}

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
    attend_change change;
    double squares;               /* of the worst rows */
    double than_none, than_noise; /* what all rows say */
    double worst[BOUNDS];         /* of all rows, over each bound */
} candidate;

static void look_at_all(const attend_judged_output *j, candidate *one, attend_row *t)
{
    one->than_none = one->than_noise = 0;
    memset(one->worst, 0, sizeof one->worst);
    for (size_t row = 0; row < j->rows; row++) {
        double errors[BOUNDS];
        attend_true_row(j, &none, row, t);
        double plain = row_squares(j, row, t, 1);
        attend_true_row(j, &one->change, row, t);
        double changed = row_squares(j, row, t, 1);
        double n = (double)(t->taking < j->columns ? t->taking : j->columns);
        one->than_none += n * better(plain, changed);
        one->than_noise += n * better(row_output(j, row), changed);
        attend_row_errors(j, row, t, errors);
        for (size_t b = 0; b < BOUNDS; b++)
            one->worst[b] = errors[b] > one->worst[b] ? errors[b] : one->worst[b];
    }
}

/* Rules 2 and 3. */
static int holds_for_all(const candidate *one)
{
    return (one->worst[BOUNDS - 1] <= 1 || one->worst[BOUNDS - 2] <= 1) &&
           one->than_none >= CHANNELS_LEAST && one->than_noise >= CHANNELS_LEAST;
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

/* Those of a list that explain the output, as good as the best of them: how many. None if one that
 * does not has more to say for it. */
static size_t best_of(const attend_judged_output *j, const attend_verdict *v,
                      const attend_change *list, size_t n, double plain, attend_row *t,
                      candidate best[ATTEND_TIED])
{
    size_t count = 0, good = 0;
    double least = INFINITY, most = 0, of_good = 0;
    for (size_t i = 0; i < n; i++) {
        candidate one = {.change = list[i]};
        one.squares = changed_squares(j, v, v->rows, &list[i], t);
        count = one.squares < plain ? keep(best, count, &one) : count;
    }
    for (size_t i = 0; i < count; i++) {
        look_at_all(j, &best[i], t);
        most = best[i].than_none > most ? best[i].than_none : most;
        if (best[i].squares > share * plain || !holds_for_all(&best[i]))
            continue;
        of_good = best[i].than_none > of_good ? best[i].than_none : of_good;
        least = best[i].squares < least ? best[i].squares : least;
        best[good++] = best[i];
    }
    for (count = 0, n = 0; n < good && of_good + CHANNELS_LEAST >= most; n++)
        if (best[n].squares <= alike * least)
            best[count++] = best[n];
    return count;
}

static void say(attend_verdict *v, double plain, const candidate *best, size_t count)
{
    v->changes = count;
    for (size_t i = 0; i < count; i++)
        v->change[i] = best[i].change.name;
    v->left = sqrt(best[0].squares / plain);
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
    const attend_judged_output *j;
    const attend_verdict *v;
    attend_row *t;
    size_t rows;    /* of the worst ones */
    int has_output; /* the factor of the output is free as well */
    double output;  /* it */
} fit;

/* What is left of the worst rows if the scores have a factor, with the best factor of the output
 * if that is free. */
static double squares_at(fit *f, double scores)
{
    const attend_change change = {.name = "", .scores = scores};
    double squares = 0, both = 0, right = 0;
    for (size_t k = 0; k < f->rows; k++) {
        size_t row = f->v->row[k].row;
        attend_true_row(f->j, &change, row, f->t);
        squares += row_squares(f->j, row, f->t, 1);
        for (size_t c = 0; c < f->j->columns; c++) {
            double got = attend_got(f->j, row, c), out = f->t->out[c];
            both += isnan(got) || isnan(out) ? 0 : out * got;
            right += isnan(got) || isnan(out) ? 0 : out * out;
        }
    }
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
    const double golden = 0.6180339887498949, step = 1.0 / PER_OCTAVE;
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
    if (squares_at(f, exp2(at + step)) <= alike * best ||
        squares_at(f, exp2(at - step)) <= alike * best)
        return 1;
    return exp2(at);
}

/* Factors that no name is known for: of the output, of the scores, of both. The simplest that
 * explains it. */
static size_t explain_by_factors(const attend_judged_output *j, attend_verdict *v, double plain,
                                 attend_row *t, candidate best[ATTEND_TIED])
{
    enum { LARGE = 1 << 19 };
    fit f = {j, v, t, v->rows, 1, 1};
    size_t count = 0;
    squares_at(&f, 1);
    v->scores_factor = 1;
    v->factor = f.output;
    f.rows = j->r->keys * j->r->k.dim > LARGE && v->rows > 1 ? 1 : v->rows;
    for (int of = 0; of < 3 && !count; of++) {
        if (of > 0) {
            f.has_output = of == 2;
            v->scores_factor = scores_factor(&f);
            squares_at(&f, v->scores_factor);
            v->factor = f.output;
        }
        const attend_change change = {.name = "", .scores = v->scores_factor, .values = v->factor};
        int is_scores = fabs(v->scores_factor - 1) > 0.005, is_output = fabs(v->factor - 1) > 0.01;
        if ((of == 0 || is_scores) && (of == 1 || is_output) && v->factor != 0)
            count = best_of(j, v, &change, 1, plain, t, best);
    }
    return count;
}

void attend_explain(const attend_judged_output *j, attend_verdict *v, attend_row *t)
{
    attend_change list[CHANGES_MOST];
    candidate best[ATTEND_TIED];
    size_t n = changes_of_scales(j->r, list);
    n += changes_of_keys(j->r, list + n);
    n += changes_of_rows(v, list + n);
    double plain = changed_squares(j, v, v->rows, &none, t);
    v->has_changes = 1;
    v->factor = v->scores_factor = 1;
    size_t count = best_of(j, v, list, n, plain, t, best);
    if (!count && isfinite(plain))
        count = explain_by_factors(j, v, plain, t, best);
    if (count)
        say(v, plain, best, count);
}

/* SPDX-License-Identifier: MIT */
/* judge.c -- which definition or order an output is, inside which bound, what explains it */
#include "search/attend/attend.h"
#include "search/attend/output.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- bounds ---------------------------------------------------------------------------------- */

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
const char attend_scores_change[] = "scores multiplied by a factor";
static const attend_error_bound *const bounds = attend_error_bounds;
static const attend_change none = {.name = ""};

static double bound_of(const attend_error_bound *b, const attend_problem *r, const attend_row *row,
                       size_t c, sf8_format out)
{
    const attend_error_row e = {row->most, row->spread[c], row->out[c], row->taking, r->k.dim};
    return attend_error_out(b, &e, out);
}

/* ---- changes --------------------------------------------------------------------------------- */

enum { CHANGES_MOST = 32 };

static size_t changes_of(const attend_problem *r, attend_change list[CHANGES_MOST])
{
    double k = (double)sf8_f32_from_bits(r->k.scale), v = (double)sf8_f32_from_bits(r->v.scale);
    double scale = (double)sf8_f32_from_bits(r->a.scale);
    size_t n = 0;
#define CHANGE(...) list[n++] = (attend_change){__VA_ARGS__}
    CHANGE(.name = "as it should be");
    if (r->a.k.recipe && k != 1) {
        CHANGE(.name = "the scale of keys forgotten", .scores = 1 / k);
        CHANGE(.name = "the scale of keys applied twice", .scores = k);
    }
    if (r->a.v.recipe && v != 1) {
        CHANGE(.name = "the scale of values forgotten", .values = 1 / v);
        CHANGE(.name = "the scale of values applied twice", .values = v);
    }
    if (k != v) {
        CHANGE(.name = "the scales of keys and values exchanged", .scores = v / k, .values = k / v);
    }
    CHANGE(.name = "the scale of scores forgotten", .scores = 1 / scale);
    CHANGE(.name = "the scale of scores applied twice", .scores = scale);
    CHANGE(.name = "scores in base 2 (log2 e forgotten)", .scores = 0.6931471805599453);
    CHANGE(.name = "log2 e applied twice", .scores = 1.4426950408889634);
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
    for (size_t of = 16; of <= 128; of *= 2)
        if (r->keys % of != 0 && r->keys > of)
            CHANGE(.name = of == 16   ? "keys after the last full 16 dropped"
                           : of == 32 ? "keys after the last full 32 dropped"
                           : of == 64 ? "keys after the last full 64 dropped"
                                      : "keys after the last full 128 dropped",
                   .multiple = of);
#undef CHANGE
    return n;
}

/* ---- the output that is judged --------------------------------------------------------------- */

typedef struct judged {
    const attend_problem *r;
    const attend_output *out;
    size_t rows, columns;
} judged;

static double got_of(const judged *j, size_t row, size_t c)
{
    uint32_t word = attend_word(j->out, row * j->columns + c);
    if (sf8_format_bits(j->out->format) != 32)
        word = (uint32_t)sf8_convert(SF8_F32, j->out->format, word, SF8_OCP_NOSAT);
    return (double)sf8_f32_from_bits(word);
}

static int got_nan(const judged *j, size_t row, size_t c)
{
    return isnan(got_of(j, row, c));
}

static void true_row(const judged *j, const attend_change *change, size_t row, attend_row *t)
{
    attend_true(j->r, change, row / j->r->heads, row % j->r->heads, t);
}

/* ---- bits ------------------------------------------------------------------------------------ */

static const char *judge_bits(const judged *j, attend_verdict *v)
{
    uint32_t *out = allocate(v->words, sizeof *out), *lse = allocate(j->rows, sizeof *lse);
    const char *wrong = NULL;
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT && !wrong; sums++) {
        sf8_attend a = j->r->a;
        a.sums = (sf8_attend_sums)sums;
        a.out.words = out;
        a.lse = lse;
        v->tried[sums] = sf8_attend_check(&a) == SF8_ATTEND_GOOD;
        if (!v->tried[sums])
            continue;
        wrong = attend_compute(&a, a.sums, out, lse);
        for (size_t i = 0; i < v->words && !wrong; i++)
            v->same[sums] += (size_t)attend_same_word(j->out, i, out[i]);
        v->notes.same |= v->same[sums] == v->words;
    }
    free(out);
    free(lse);
    return wrong;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Of a row, the largest error over each bound; NaN where one is due is none, and infinite else. */
static void row_errors(const judged *j, const attend_change *change, size_t row, attend_row *t,
                       double worst[BOUNDS])
{
    true_row(j, change, row, t);
    for (size_t b = 0; b < BOUNDS; b++)
        worst[b] = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double got = got_of(j, row, c), error = fabs(got - t->out[c]);
        if (isnan(got) && isnan(t->out[c]))
            continue;
        for (size_t b = 0; b < BOUNDS; b++) {
            double ratio = isnan(error) ? INFINITY
                                        : error / bound_of(&bounds[b], j->r, t, c, j->out->format);
            worst[b] = ratio > worst[b] ? ratio : worst[b];
        }
    }
}

/* Keeps the worst rows of all. */
static void keep_worst(attend_verdict *v, size_t row, double error)
{
    size_t at = v->rows < ATTEND_WORST ? v->rows++ : ATTEND_WORST;
    for (; at > 0 && error > v->row[at - 1].error; at--)
        if (at < ATTEND_WORST)
            v->row[at] = v->row[at - 1];
    if (at < ATTEND_WORST)
        v->row[at] = (attend_worst){.row = row, .error = error};
}

/* What a row is nearest to if one key is left out of it; what remains of the error. */
static double without_key(const judged *j, size_t row, const attend_row *t, size_t key)
{
    size_t kv = row % j->r->heads / (j->r->heads / j->r->kv_heads);
    double w = t->weight[key], worst = 0;
    if (!(w > 0) || w >= 1)
        return INFINITY;
    for (size_t c = 0; c < j->columns; c++) {
        double v = (double)j->r->v.values[(key * j->r->kv_heads + kv) * j->columns + c];
        double error = fabs((t->out[c] - w * v) / (1 - w) - got_of(j, row, c));
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

/* Looks at one of the worst rows: its channels, and the key that may be missing, if the row is
 * outside the bound of f32. */
static void explain_row(const judged *j, attend_worst *w, attend_row *t)
{
    double most = 0, least = INFINITY, errors[BOUNDS];
    row_errors(j, &none, w->row, t, errors);
    for (size_t c = 0; c < j->columns; c++) {
        double e = fabs(got_of(j, w->row, c) - t->out[c]);
        w->nans += (size_t)(got_nan(j, w->row, c) && !isnan(t->out[c]));
        if (e > most) {
            most = e;
            w->place = c;
        }
    }
    w->got = got_of(j, w->row, w->place);
    w->right = t->out[w->place];
    if (w->nans || isinf(w->error))
        return;
    for (size_t k = 0; k < j->r->keys; k++) {
        double rest = without_key(j, w->row, t, k);
        if (rest < least) {
            least = rest;
            w->key = k;
        }
    }
    w->is_missing = errors[0] > 1 && least < most / 16;
    w->weight = t->weight[w->key];
}

/* The largest error of the worst rows under a change, over the bound of f32. */
static double error_under(const judged *j, const attend_verdict *v, const attend_change *c,
                          attend_row *t)
{
    double most = 0;
    for (size_t k = 0; k < v->rows; k++) {
        double errors[BOUNDS];
        row_errors(j, c, v->row[k].row, t, errors);
        most = errors[0] > most ? errors[0] : most;
    }
    return most;
}

/* What the output of the worst rows is a multiple of the true value by, by least squares. */
static double factor_of(const judged *j, const attend_verdict *v, attend_row *t)
{
    double both = 0, square = 0;
    for (size_t k = 0; k < v->rows; k++) {
        true_row(j, &none, v->row[k].row, t);
        for (size_t c = 0; c < j->columns; c++) {
            both += t->out[c] * got_of(j, v->row[k].row, c);
            square += t->out[c] * t->out[c];
        }
    }
    return both / square;
}

/* What is left of the worst rows' errors if scores have a factor: the sum of their squares. */
static double squares_under(const judged *j, const attend_verdict *v, size_t rows, double factor,
                            attend_row *t)
{
    const attend_change change = {.name = "", .scores = factor};
    double squares = 0;
    for (size_t k = 0; k < rows; k++) {
        true_row(j, &change, v->row[k].row, t);
        for (size_t c = 0; c < j->columns; c++) {
            double error = got_of(j, v->row[k].row, c) - t->out[c];
            squares += error * error;
        }
    }
    return squares;
}

/* The factor of the scores from 1/4 to 4 that leaves the least error: in steps of 2^(1/8), then the
 * interval around the best one is divided by the golden ratio. */
static double scores_factor_of(const judged *j, const attend_verdict *v, attend_row *t)
{
    enum { STEPS = 16, PER_OCTAVE = 8, ROUNDS = 22, LARGE = 1 << 22 };
    const double golden = 0.6180339887498949;
    size_t rows = j->r->keys * j->r->k.dim > LARGE && v->rows > 1 ? 1 : v->rows;
    double best = INFINITY, at = 0;
    for (int i = -STEPS; i <= STEPS; i++) {
        double e = squares_under(j, v, rows, exp2((double)i / PER_OCTAVE), t);
        if (e < best) {
            best = e;
            at = (double)i / PER_OCTAVE;
        }
    }
    double low = at - 1.0 / PER_OCTAVE, high = at + 1.0 / PER_OCTAVE;
    double x = high - golden * (high - low), y = low + golden * (high - low);
    double at_x = squares_under(j, v, rows, exp2(x), t), at_y = squares_under(j, v, rows, exp2(y), t);
    for (int i = 0; i < ROUNDS; i++) {
        if (at_x < at_y) {
            high = y;
            y = x;
            at_y = at_x;
            x = high - golden * (high - low);
            at_x = squares_under(j, v, rows, exp2(x), t);
        } else {
            low = x;
            x = y;
            at_x = at_y;
            y = low + golden * (high - low);
            at_y = squares_under(j, v, rows, exp2(y), t);
        }
    }
    return exp2((low + high) / 2);
}

/* The change that comes nearest, if it leaves less than an eighth of the error. What is inside a
 * bound may have one as well: that of a unit hides much. */
static void judge_changes(const judged *j, attend_verdict *v, attend_row *t)
{
    attend_change list[CHANGES_MOST];
    size_t n = changes_of(j->r, list);
    double plain = error_under(j, v, &list[0], t), best = INFINITY;
    const attend_change *nearest = NULL;
    v->factor = factor_of(j, v, t);
    v->has_changes = 1;
    if (isfinite(v->factor) && v->factor != 0 && fabs(v->factor - 1) > 0.01)
        list[n++] = (attend_change){.name = "", .values = v->factor};
    for (size_t i = 1; i < n; i++) {
        double most = error_under(j, v, &list[i], t);
        if (most < best) {
            best = most;
            nearest = &list[i];
        }
    }
    attend_change factor = {.name = attend_scores_change};
    if (!(best < plain / 8) && isfinite(plain)) { /* none is known by name */
        factor.scores = v->scores_factor = scores_factor_of(j, v, t);
        if (fabs(factor.scores - 1) > 0.005) {
            best = error_under(j, v, &factor, t);
            nearest = &factor;
        }
    }
    if (!nearest || !(best < plain / 8))
        return;
    v->change = nearest->name;
    v->left = best / plain;
}

/* ---- the log of the sums --------------------------------------------------------------------- */

/* 0 if its base is not the one that is due. Where only some rows fit, 0 unless all lie near: `b` is
 * the bound that the output lies in, and the log of a sum may be as far from the true one as scores
 * are, of operands rounded to the unit's format. */
static int judge_lse(const judged *j, const attend_error_bound *b, attend_verdict *v, attend_row *t)
{
    static const double factors[ATTEND_BASES] = {1, 1.4426950408889634, 0.6931471805599453};
    double score = ceil((double)j->r->k.dim / b->step) * b->of + b->operand;
    size_t near[ATTEND_BASES] = {0, 0, 0};
    v->due = j->r->a.lse_base2 ? 1 : 0;
    v->other_base = -1;
    if (!j->out->lse)
        return 1;
    for (size_t row = 0; row < j->rows; row++) {
        double got = (double)sf8_f32_from_bits(j->out->lse[row]);
        double slack;
        true_row(j, &none, row, t);
        slack = 1e-3 * (1 + t->most * 0x1p-10);
        for (size_t i = 0; i < ATTEND_BASES; i++) {
            double right = t->lse * factors[i], off = fabs(got - right);
            int same = (isnan(right) && isnan(got)) || right == got;
            v->fits[i] += same || off <= slack;
            near[i] += same || off <= slack + score * t->most * factors[i];
        }
    }
    for (int i = 0; i < ATTEND_BASES; i++)
        if (near[i] == j->rows && near[v->due] != j->rows) {
            v->other_base = i;
            return 0;
        }
    return near[v->due] == j->rows;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* 1 if it is one of the bounds that are asked for. */
static int is_asked(const attend_question *asked, size_t b)
{
    return b == asked->by || (asked->wider && b < asked->by);
}

static void judge_distances(const judged *j, const attend_question *asked, attend_verdict *v,
                            attend_row *t)
{
    v->inside = BOUNDS;
    for (size_t row = 0; row < j->rows; row++) {
        double errors[BOUNDS];
        row_errors(j, &none, row, t, errors);
        for (size_t b = 0; b < BOUNDS; b++)
            v->worst[b] = errors[b] > v->worst[b] ? errors[b] : v->worst[b];
        keep_worst(v, row, errors[asked->by]);
        for (size_t c = 0; c < j->columns; c++)
            attend_notes_add(&v->notes, got_of(j, row, c), t->out[c], t->spread[c], j->out->format);
    }
    for (size_t b = BOUNDS; b-- > 0;)
        if (v->worst[b] <= 1 && (asked->wider || b == asked->by))
            v->inside = b;
}

const char *attend_judge(const attend_problem *r, const attend_output *given,
                         const attend_question *asked, attend_verdict *v)
{
    judged j = {r, given, r->queries * r->heads, r->v.dim};
    attend_notes *n = &v->notes;
    memset(v, 0, sizeof *v);
    v->words = j.rows * j.columns;
    const char *wrong = judge_bits(&j, v);
    if (wrong)
        return wrong;
    n->same = n->same || attend_judge_orders(r, given, asked, v);
    attend_row t = attend_row_new(r);
    judge_distances(&j, asked, v, &t);
    int is_inside = is_asked(asked, v->inside);
    size_t bound = is_inside ? v->inside : asked->by;
    n->bound = is_inside ? bounds[v->inside].word : NULL;
    n->of_bound = v->worst[bound];
    n->has_lse = given->lse != NULL;
    n->lse = judge_lse(&j, &bounds[v->inside < BOUNDS ? v->inside : 0], v, &t);
    if (v->inside > 0)
        judge_changes(&j, v, &t);
    for (size_t i = 0; i < v->rows; i++)
        explain_row(&j, &v->row[i], &t);
    attend_row_free(&t);
    int is_mistake = v->change && v->change[0]; /* a factor is none: weights of 4 bits have one */
    n->good = n->lse && (n->same || (is_inside && !is_mistake));
    return NULL;
}

/* SPDX-License-Identifier: MIT */
/* judge.c -- which definition or order an output is, inside which bound, what explains it */
#include "diagnose/attend/attend.h"
#include "diagnose/attend/explain.h"
#include "diagnose/attend/stores.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
static const attend_error_bound *const bounds = attend_error_bounds;
static const attend_change none = {.scores = 0};

/* ---- distances ------------------------------------------------------------------------------- */

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
static double without_key(const attend_judged_output *j, size_t row, const attend_row *t,
                          size_t key)
{
    size_t kv = row % j->r->heads / (j->r->heads / j->r->kv_heads);
    double w = t->weight[key], worst = 0;
    if (!(w > 0) || w >= 1)
        return INFINITY;
    for (size_t c = 0; c < j->columns; c++) {
        double v = (double)j->r->v.values[(key * j->r->kv_heads + kv) * j->columns + c];
        double error = fabs((t->out[c] - w * v) / (1 - w) - attend_got(j, row, c));
        worst = error > worst || isnan(error) ? error : worst;
    }
    return worst;
}

/* Looks at one of the worst rows: its channels, and the key that may be missing, if the row is
 * outside the bound of f32. */
static void explain_row(attend_judged_output *j, attend_worst *w, attend_row *t)
{
    enum { ENOUGH = 8 }; /* channels: fewer may be near those of some key by chance */
    double most = 0, least = INFINITY, large = 0, errors[BOUNDS];
    attend_true_row(j, &none, w->row, t);
    attend_row_errors(j, w->row, t, errors);
    for (size_t c = 0; c < j->columns; c++) {
        double got = attend_got(j, w->row, c), e = attend_error(got, t->out[c], j->out->format);
        w->nans += (size_t)(isnan(got) && !isnan(t->out[c]));
        large = fabs(got) > large ? fabs(got) : large;
        if (e > most) {
            most = e;
            w->place = c;
        }
    }
    w->got = attend_got(j, w->row, w->place);
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
    w->is_missing = errors[0] > 1 && j->columns >= ENOUGH && least < most / 16 &&
                    least < large / 16;
    w->weight = t->weight[w->key];
}

/* ---- the log of the sums --------------------------------------------------------------------- */

/* Of a row: the true one, and the largest sum of the magnitudes of a score's terms. */
typedef struct true_lse {
    double lse, most;
} true_lse;

static const double lse_factors[ATTEND_BASES] = {1, 1.4426950408889634, 0.6931471805599453};

/* How far a row's logarithm may be off: the log of a sum is off as much as scores are, of operands
 * that are rounded to the unit's format. Their errors are at random. */
static double lse_slack(const attend_judged_output *j, const attend_error_bound *b,
                        const true_lse *of)
{
    enum { DEVIATIONS = 6 };
    double dim = (double)j->r->k.dim, score = ceil(dim / b->step) * b->of;
    score += DEVIATIONS * 0.42 * 1.6 * b->operand / sqrt(dim);
    return 1e-3 * (1 + of->most * 0x1p-10) + score * of->most;
}

/* What all rows are off by in a base, if that is the same in all, up to a few errors of f32: the
 * logarithm of what weights were multiplied by. 0 if they differ, or are not off. */
static double lse_offset(const attend_judged_output *j, const true_lse *of, int base)
{
    double low = INFINITY, high = -INFINITY, slack = 0;
    for (size_t row = 0; row < j->rows; row++) {
        double off = (double)sf8_f32_from_bits(j->out->lse[row]) - of[row].lse * lse_factors[base];
        if (!isfinite(off))
            return 0;
        low = off < low ? off : low;
        high = off > high ? off : high;
        slack = fmax(slack, lse_slack(j, &attend_error_bounds[0], &of[row]));
    }
    double middle = (low + high) / 2;
    return j->rows > 1 && high - low <= 2 * slack && fabs(middle) > 16 * slack ? middle : 0;
}

double attend_factor_of(double offset, int base)
{
    const double near = 0.01;
    double power = offset * (base == 1 ? 1 : lse_factors[1]), whole = nearbyint(power);
    if (fabs(power - log2(448)) < near)
        return 448;
    return whole != 0 && fabs(power - whole) < near ? exp2(whole) : 0;
}

/* 0 if its base is not the one that is due, or if it has an offset. Where only some rows fit, 0
 * unless all lie near: `b` is the bound that the output lies in. */
static int judge_lse(const attend_judged_output *j, const attend_error_bound *b, attend_verdict *v,
                     const true_lse *of)
{
    size_t near[ATTEND_BASES] = {0, 0, 0};
    v->due = j->r->a.lse_base2 ? 1 : 0;
    v->other_base = -1;
    if (!j->out->lse)
        return 1;
    for (size_t row = 0; row < j->rows; row++) {
        double got = (double)sf8_f32_from_bits(j->out->lse[row]);
        double slack = 1e-3 * (1 + of[row].most * 0x1p-10);
        for (size_t i = 0; i < ATTEND_BASES; i++) {
            double right = of[row].lse * lse_factors[i], off = fabs(got - right);
            int same = (isnan(right) && isnan(got)) || right == got;
            v->fits[i] += same || off <= slack;
            near[i] += same || off <= lse_slack(j, b, &of[row]) * fmax(1, lse_factors[i]);
        }
    }
    for (int i = 0; i < ATTEND_BASES; i++)
        if (near[i] == j->rows && near[v->due] != j->rows) {
            v->other_base = i;
            return 0;
        }
    int is_near = near[v->due] == j->rows;
    for (int i = 0; i < 2 && v->lse_offset == 0; i++) {
        double offset = lse_offset(j, of, i ? 1 - v->due : v->due);
        v->offset_base = i ? 1 - v->due : v->due;
        /* rows may be the same row, whose errors are the same */
        v->lse_offset = is_near && attend_factor_of(offset, v->offset_base) == 0 ? 0 : offset;
    }
    return is_near && v->lse_offset == 0;
}

/* ---- all ------------------------------------------------------------------------------------- */

int attend_ask(attend_question *asked, const attend_problem *r, sf8_format out, const char *bound)
{
    const sf8_attend_order *o = asked->order;
    const attend_error_bound *named = bound ? attend_error_bound_named(bound) : NULL;
    int rounds = o && (o->weight != SF8_WEIGHT_F32 || o->values == SF8_VALUES_CHAIN_HALF);
    int is_any = bound && strcmp(bound, "any") == 0;
    if (bound && !named && !is_any)
        return 0;
    asked->by_order = !bound && o && attend_can_claim(o) && r->a.cap == 0;
    asked->wider = !named;
    if (named)
        asked->by = (size_t)(named - bounds);
    else if (is_any || asked->by_order || rounds)
        asked->by = BOUNDS - 1;
    else
        asked->by = (size_t)(sf8_format_bits(out) == 32 ? 0 : out.man_bits == 10 ? 1 : 2);
    return 1;
}

/* 1 if it is one of the bounds that are asked for. */
static int is_asked(const attend_question *asked, size_t b)
{
    return b == asked->by || (asked->wider && b < asked->by);
}

static void judge_distances(attend_judged_output *j, const attend_question *asked,
                            const attend_claim *claim, attend_verdict *v, attend_row *t,
                            true_lse *lse)
{
    enum { USUAL = 2 };
    double all = 0, own[BOUNDS] = {0};
    v->inside = BOUNDS;
    for (size_t row = 0; row < j->rows; row++) {
        double errors[BOUNDS];
        search_tell(j->r->context, "rows", row, j->rows);
        attend_true_row(j, &none, row, t);
        attend_row_errors(j, row, t, errors);
        lse[row] = (true_lse){t->lse, t->most};
        for (size_t b = 0; b < BOUNDS; b++)
            v->worst[b] = errors[b] > v->worst[b] ? errors[b] : v->worst[b];
        double error = errors[asked->by];
        all += attend_row_squares(j, row, t, (attend_channels){0, j->columns});
        for (size_t b = 0; b < BOUNDS; b++)
            own[b] += attend_own_squares(j, &bounds[b], t, &none);
        for (size_t c = 0; c < j->columns; c++)
            attend_notes_add(&v->notes, attend_got(j, row, c), t->out[c], t->spread[c],
                             j->out->format);
        if (claim->order) {
            error = attend_claim_error(j, claim, row, t);
            v->of_order = error > v->of_order ? error : v->of_order;
        }
        keep_worst(v, row, error);
        if (asked->errors)
            asked->errors[row] = (float)error;
    }
    for (size_t b = BOUNDS; b-- > 0;)
        if (v->worst[b] <= 1 && (asked->wider || b == asked->by))
            v->inside = b;
    v->is_usual = v->inside < BOUNDS && all <= USUAL * own[v->inside];
}

static int is_zero(const attend_problem *r, const attend_kept *side, size_t key)
{
    for (size_t i = 0; i < r->kv_heads * side->dim; i++)
        if (side->values[key * r->kv_heads * side->dim + i] != 0)
            return 0;
    return 1;
}

/* The longest run of keys that are zeros and have values of zeros. */
static void find_zeros(const attend_problem *r, attend_verdict *v)
{
    enum { LONG = 8 };
    for (size_t key = 0, from = 0; key < r->keys; key++) {
        if (!is_zero(r, &r->k, key) || !is_zero(r, &r->v, key))
            from = key + 1;
        else if (key + 1 - from >= LONG && key + 1 - from > v->zero_to - v->zero_from) {
            v->zero_from = from;
            v->zero_to = key + 1;
        }
    }
}

/* The parts that are tried where their number is not known. */
enum { CUTS_MOST = 4 };

/* The largest error of `count` rows at equal distances, over what the claim allows. */
static double error_of_rows(attend_judged_output *j, const attend_claim *claim, size_t count,
                            attend_row *t)
{
    double worst = 0;
    for (size_t i = 0; i < count; i++) {
        size_t row = count < j->rows ? i * (j->rows - 1) / (count - 1) : i;
        double error = attend_claim_error(j, claim, row, t);
        worst = error > worst ? error : worst;
    }
    return worst;
}

/* The order that was asked: in the number of parts that is known, or in each of those that are
 * tried, the one with the least of its largest errors first if that holds, else the fewest parts:
 * errors of a mistake say nothing of parts. How many; 0 without an order. A few rows stand for all,
 * unless the order holds in several numbers of parts for them. */
static size_t claims_of(attend_judged_output *j, const attend_question *asked, attend_row *t,
                        attend_claim claim[CUTS_MOST])
{
    enum { FEW = 24 };
    const sf8_attend_order *o = asked->order;
    size_t cut = o && o->split == SF8_SPLIT_PREFIX ? asked->prefix : asked->splits, hold = 0;
    size_t few = j->rows < FEW ? j->rows : FEW;
    double error[CUTS_MOST];
    if (!o || !asked->by_order || j->rows == 0)
        return 0;
    claim[0] = attend_claim_of(j->r, o, cut ? cut : 1);
    if (cut || !sf8_attend_order_counts(o))
        return 1;
    for (size_t n = 0; n < CUTS_MOST; n++) {
        attend_claim one = attend_claim_of(j->r, o, n + 1);
        double of_one = error_of_rows(j, &one, few, t);
        size_t at = n;
        for (; at > 0 && of_one <= 1 && of_one < error[at - 1]; at--) {
            claim[at] = claim[at - 1];
            error[at] = error[at - 1];
        }
        claim[at] = one;
        error[at] = of_one;
        hold += of_one <= 1;
    }
    for (size_t n = 0; n < hold && hold > 1 && few < j->rows; n++)
        if (error_of_rows(j, &claim[n], j->rows, t) <= 1) {
            attend_claim one = claim[n];
            claim[n] = claim[0];
            claim[0] = one;
            break;
        }
    return CUTS_MOST;
}

/* What explains an output that is outside its bound in each number of parts is looked for in all of
 * them. A mistake leaves little in any number of parts: where nothing does, one number says it. */
static void explain(attend_judged_output *j, const attend_question *asked,
                    const attend_claim *claim, size_t claims, attend_verdict *v, attend_row *t)
{
    static const double little = 0.5;
    size_t most = v->of_order > 1 ? claims : 1;
    double left = 0;
    for (size_t n = 0; n < most && !v->changes && left < little; n++)
        left = attend_explain(j, asked, &claim[n], v, t);
}

/* Values that are not what an order computes without any rounding of its sums, rounded to the
 * output's format. */
static size_t unlike_claim(attend_judged_output *j, const attend_claim *claim, attend_row *t)
{
    size_t count = 0;
    for (size_t row = 0; row < j->rows; row++) {
        attend_true_row(j, &claim->change, row, t);
        for (size_t c = 0; c < j->columns; c++)
            count += !attend_same_word(j->out, row * j->columns + c,
                                       sf8_f32_bits((float)t->out[c]));
    }
    return count;
}

/* The bits of another order say nothing if they are those of the order that was asked as well, as
 * it would be without any rounding of its sums: to 16 bits such orders are rounded alike, but for
 * one value in a hundred. f32 tells them apart. */
static void note_others(attend_judged_output *j, const attend_question *asked,
                        const attend_claim *claim, attend_verdict *v, attend_row *t)
{
    enum { RARE = 100 };
    if (!v->is_changed || !asked->order || !claim->order || v->of_order > 1 ||
        sf8_format_bits(j->out->format) == 32)
        return;
    v->is_noted = unlike_claim(j, claim, t) <= 1 + v->words / RARE;
    v->is_changed = !v->is_noted;
}

const char *attend_judge(const attend_problem *problem, const attend_output *given,
                         const attend_question *asked, attend_verdict *v)
{
    attend_problem with = *problem;
    const attend_problem *r = &with;
    attend_judged_output j = {
        .r = r, .out = given, .rows = r->queries * r->heads, .columns = r->v.dim};
    attend_notes *n = &v->notes;
    memset(v, 0, sizeof *v);
    v->words = j.rows * j.columns;
    const char *wrong = attend_judge_definitions(r, given, v);
    if (wrong)
        return wrong;
    with.otherwise = attend_stores_new(r);
    with.own_sinks = search_allocate(r->context, r->heads + 1, sizeof *with.own_sinks);
    int is_due = attend_judge_orders(r, given, asked, v);
    n->same = is_due || (n->same && !asked->order);
    attend_row t = attend_row_new(r);
    true_lse *lse = search_allocate(r->context, j.rows + 1, sizeof *lse);
    attend_keep_dots(&j);
    attend_claim claims[CUTS_MOST] = {{.order = NULL}};
    size_t count = claims_of(&j, asked, &t, claims);
    const attend_claim claim = claims[0];
    j.right.reads = claim.change.reads;
    if (j.right.has)
        memset(j.right.has, 0, j.rows);
    judge_distances(&j, asked, &claim, v, &t, lse);
    find_zeros(r, v);
    int is_inside = claim.order ? v->of_order <= 1 : is_asked(asked, v->inside);
    size_t bound = is_inside ? v->inside : asked->by;
    n->bound = !is_inside ? NULL : claim.order ? "order" : bounds[v->inside].word;
    n->of_bound = claim.order ? v->of_order : v->worst[bound];
    note_others(&j, asked, &claim, v, &t);
    for (size_t i = 0; i < v->orders && v->is_changed && !asked->order; i++) {
        v->loss = attend_loss_of_order(v->order[i]);
        if (!v->loss)
            break;
    }
    n->has_lse = given->lse != NULL;
    n->lse = judge_lse(&j, &bounds[v->inside < BOUNDS ? v->inside : 0], v, lse);
    for (size_t i = 0; i < v->rows; i++)
        explain_row(&j, &v->row[i], &t);
    int is_odd = claim.order ? v->of_order > 0.1 : v->inside > 0;
    if (is_odd && !n->same && !v->is_changed && !v->is_noted)
        explain(&j, asked, claims, count ? count : 1, v, &t);
    search_tell(r->context, "rows", j.rows, j.rows);
    attend_free_dots(&j);
    search_free(r->context, lse);
    attend_row_free(&t);
    attend_stores_free(r);
    search_free(r->context, with.own_sinks);
    /* A factor of the output is no mistake inside a bound: weights of 4 bits have one. */
    int is_mistake = v->changes && !attend_is_factor(v);
    int is_other = v->is_changed && (asked->order || v->loss);
    n->good = n->lse && (n->same || (is_inside && !is_mistake && !is_other));
    return NULL;
}

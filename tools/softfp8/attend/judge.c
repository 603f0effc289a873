/* SPDX-License-Identifier: MIT */
/* judge.c -- another kernel's output: which definition, inside which bound, what is wrong
 *
 * First the bits: those of a definition, or of another stack's order, rounded to the output's
 * format. Else its distance from the true value in doubles, against bounds for the ways that
 * kernels sum (attend_error.h). Then what fits better than no mistake at all: each change of
 * attend_change, on the worst rows.
 */
#include "attend/attend.h"
#include "cli/text_table.h"

#include "families/attend/error.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bounds ---------------------------------------------------------------------------------- */

enum { BOUNDS = ATTEND_ERROR_BOUNDS };
static const attend_error_bound *const bounds = attend_error_bounds;
const char *const attend_bounds[BOUNDS + 1] = {"f32",     "f16",     "bf16", "bf16-parts",
                                               "fp8-two", "fp8-one", NULL};

static double bound_of(const attend_error_bound *b, const attend_request *r, const attend_row *row,
                       size_t c, sf8_format out)
{
    const attend_error_row e = {row->most, row->spread[c], row->out[c], row->taking, r->k.dim};
    return attend_error_out(b, &e, out);
}

/* ---- changes --------------------------------------------------------------------------------- */

enum { CHANGES_MOST = 32 };

static size_t changes_of(const attend_request *r, attend_change list[CHANGES_MOST])
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
        CHANGE(.name = "a query sees the key behind its own", .causal = 1);
    }
    if (r->a.left >= 0)
        CHANGE(.name = "no window", .no_window = 1);
    if (r->a.cap)
        CHANGE(.name = "no cap of scores", .no_cap = 1);
    if (r->a.sinks)
        CHANGE(.name = "no sinks", .no_sinks = 1);
    if (r->kv_heads > 1 && r->heads > r->kv_heads)
        CHANGE(.name = "heads read keys and values in turn, not in groups", .interleaved = 1);
    for (size_t of = 16; of <= 128; of *= 2)
        if (r->keys % of != 0 && r->keys > of)
            CHANGE(.name = of == 16   ? "keys behind the last whole 16 dropped"
                           : of == 32 ? "keys behind the last whole 32 dropped"
                           : of == 64 ? "keys behind the last whole 64 dropped"
                                      : "keys behind the last whole 128 dropped",
                   .multiple = of);
#undef CHANGE
    return n;
}

/* ---- the output that is judged --------------------------------------------------------------- */

typedef struct judged {
    attend_request *r;
    tensor out, lse;
    size_t rows, columns;
} judged;

static double got_of(const judged *j, size_t row, size_t c)
{
    return (double)sf8_f32_from_bits(tensor_f32(&j->out, row * j->columns + c));
}

static int got_nan(const judged *j, size_t row, size_t c)
{
    return isnan(got_of(j, row, c));
}

static void read_judged(judged *j, const char *out, const char *lse, const char *from)
{
    attend_request *r = j->r;
    memset(&j->lse, 0, sizeof j->lse);
    j->rows = r->queries * r->heads;
    j->columns = r->v.dim;
    j->out = tensor_read(out, from, (tensor_shape){0, 0});
    if (j->out.shape.rows != j->rows || j->out.shape.columns != j->columns)
        fail_at(input_name(out), 0, "%zu rows of %zu; the request has %zu of %zu",
                j->out.shape.rows, j->out.shape.columns, j->rows, j->columns);
    if (!lse)
        return;
    j->lse = tensor_read(lse, NULL, (tensor_shape){0, 0});
    if (j->lse.shape.rows * j->lse.shape.columns != j->rows || sf8_format_bits(j->lse.format) != 32)
        fail_at(input_name(lse), 0, "not %zu words of f32, one for each row", j->rows);
}

/* ---- bits ------------------------------------------------------------------------------------ */

static uint32_t word_of(const tensor *t, size_t i)
{
    return sf8_format_bits(t->format) == 32 ? ((const uint32_t *)t->words)[i]
                                            : ((const uint16_t *)t->words)[i];
}

/* How many words of the output are those of a definition; NaN is NaN. */
static size_t same_words(const judged *j, sf8_attend_sums sums, uint32_t *out, uint32_t *lse)
{
    size_t same = 0;
    attend_run(j->r, sums, out, lse);
    for (size_t i = 0; i < j->rows * j->columns; i++) {
        uint64_t want = sf8_convert(j->out.format, SF8_F32, out[i], SF8_OCP_NOSAT);
        uint32_t got = word_of(&j->out, i);
        same += want == got || (sf8_is_nan(j->out.format, want) && sf8_is_nan(j->out.format, got));
    }
    return same;
}

static int judge_bits(const judged *j)
{
    size_t words = j->rows * j->columns;
    uint32_t *out = allocate(words, sizeof *out), *lse = allocate(j->rows, sizeof *lse);
    text_table *table = text_table_new("%-10s %s");
    int found = 0;
    for (int sums = 0; sums < SF8_ATTEND_SUMS_COUNT; sums++) {
        sf8_attend a = j->r->a;
        a.sums = (sf8_attend_sums)sums;
        a.out.words = out;
        a.lse = lse;
        if (sf8_attend_check(&a) != SF8_ATTEND_GOOD)
            continue;
        size_t same = same_words(j, a.sums, out, lse);
        text_table_row(table, "%s\t%zu of %zu words are the same%s", sf8_attend_sums_name(a.sums),
                       same, words, same == words ? ": this is that definition" : "");
        found |= same == words;
    }
    text_table_print(table, stdout);
    free(out);
    free(lse);
    return found;
}

/* ---- distances ------------------------------------------------------------------------------- */

/* Of a row, the largest error over each bound; NaN where one is due is none, and infinite else. */
static void row_errors(const judged *j, const attend_change *change, size_t row, attend_row *t,
                       double worst[BOUNDS])
{
    attend_true(j->r, change, row / j->r->heads, row % j->r->heads, t);
    for (size_t b = 0; b < BOUNDS; b++)
        worst[b] = 0;
    for (size_t c = 0; c < j->columns; c++) {
        double got = got_of(j, row, c), error = fabs(got - t->out[c]);
        if (isnan(got) && isnan(t->out[c]))
            continue;
        for (size_t b = 0; b < BOUNDS; b++) {
            double ratio = isnan(error) ? INFINITY
                                        : error / bound_of(&bounds[b], j->r, t, c, j->out.format);
            worst[b] = ratio > worst[b] ? ratio : worst[b];
        }
    }
}

enum { WORST = 4 };

typedef struct worst_rows {
    size_t row[WORST], n;
    double error[WORST];
} worst_rows;

static void keep_worst(worst_rows *w, size_t row, double error)
{
    size_t at = w->n < WORST ? w->n++ : WORST;
    while (at > 0 && error > w->error[at - 1]) {
        if (at < WORST) {
            w->row[at] = w->row[at - 1];
            w->error[at] = w->error[at - 1];
        }
        at--;
    }
    if (at < WORST) {
        w->row[at] = row;
        w->error[at] = error;
    }
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

static void explain_row(const judged *j, size_t row, double error, attend_row *t)
{
    static const attend_change none = {.name = ""};
    size_t nans = 0, key = 0, place = 0;
    double most = 0, least = INFINITY;
    attend_true(j->r, &none, row / j->r->heads, row % j->r->heads, t);
    for (size_t c = 0; c < j->columns; c++) {
        double e = fabs(got_of(j, row, c) - t->out[c]);
        nans += (size_t)(got_nan(j, row, c) && !isnan(t->out[c]));
        if (e > most) {
            most = e;
            place = c;
        }
    }
    printf("  query %zu head %zu: ", row / j->r->heads, row % j->r->heads);
    if (nans) {
        printf("%zu of %zu channels are NaN, and no key that takes part makes one\n", nans,
               j->columns);
        return;
    }
    if (isinf(error)) {
        printf("a NaN is hidden: a key or value that takes part is NaN\n");
        return;
    }
    printf("channel %zu is %.9g, true %.9g, %.3g of the bound", place, got_of(j, row, place),
           t->out[place], error);
    for (size_t k = 0; k < j->r->keys; k++) {
        double rest = without_key(j, row, t, k);
        if (rest < least) {
            least = rest;
            key = k;
        }
    }
    if (error > 1 && least < most / 16)
        printf("; as if key %zu, of weight %.3g, were not there", key, t->weight[key]);
    printf("\n");
}

/* The largest error of the worst rows under a change, over the bound of f32. */
static double error_under(const judged *j, const worst_rows *w, const attend_change *c,
                          attend_row *t)
{
    double most = 0;
    for (size_t k = 0; k < w->n; k++) {
        double errors[BOUNDS];
        row_errors(j, c, w->row[k], t, errors);
        most = errors[0] > most ? errors[0] : most;
    }
    return most;
}

/* What the output of the worst rows is a multiple of the true value by, by least squares. */
static double factor_of(const judged *j, const worst_rows *w, attend_row *t)
{
    static const attend_change none = {.name = ""};
    double both = 0, square = 0;
    for (size_t k = 0; k < w->n; k++) {
        attend_true(j->r, &none, w->row[k] / j->r->heads, w->row[k] % j->r->heads, t);
        for (size_t c = 0; c < j->columns; c++) {
            both += t->out[c] * got_of(j, w->row[k], c);
            square += t->out[c] * t->out[c];
        }
    }
    return both / square;
}

/* The change that comes nearest, if it leaves less than an eighth of the error. What is inside a
 * bound may have one as well: that of a unit hides much. */
static void judge_changes(const judged *j, const worst_rows *w, int inside, attend_row *t)
{
    attend_change list[CHANGES_MOST];
    size_t n = changes_of(j->r, list);
    double plain = error_under(j, w, &list[0], t), best = INFINITY;
    double factor = factor_of(j, w, t);
    const attend_change *nearest = NULL;
    if (isfinite(factor) && factor != 0 && fabs(factor - 1) > 0.01)
        list[n++] = (attend_change){.name = "", .values = factor};
    for (size_t i = 1; i < n; i++) {
        double most = error_under(j, w, &list[i], t);
        if (most < best) {
            best = most;
            nearest = &list[i];
        }
    }
    if (!nearest || !(best < plain / 8)) {
        if (!inside)
            printf("no single mistake that is known here explains it\n");
        return;
    }
    if (nearest->name[0])
        printf("what explains it: %s", nearest->name);
    else
        printf("what explains it: the output is %.6g times the true value", factor);
    printf("; the error is then %.2g of what it was\n", best / plain);
}

/* ---- the log of the sums --------------------------------------------------------------------- */

/* Names the base. 0 if it is not the one that is due. Where only some rows fit, 0 unless all lie
 * near: `b` is the bound that the output lies in, and the log of a sum may be as far from the true
 * one as scores are, of operands rounded to the unit's format. */
static int judge_lse(const judged *j, const attend_error_bound *b, attend_row *t)
{
    static const attend_change none = {.name = ""};
    static const struct {
        const char *name;
        double factor;
    } bases[] = {{"base e", 1},
                 {"base 2", 1.4426950408889634},
                 {"base 2 taken to base e twice", 0.6931471805599453}};
    double score = ceil((double)j->r->k.dim / b->step) * b->of + b->operand;
    size_t fits[3] = {0, 0, 0}, near[3] = {0, 0, 0}, due = j->r->a.lse_base2 ? 1 : 0;
    if (!j->lse.words)
        return 1;
    for (size_t row = 0; row < j->rows; row++) {
        double got = (double)sf8_f32_from_bits(((const uint32_t *)j->lse.words)[row]);
        double slack;
        attend_true(j->r, &none, row / j->r->heads, row % j->r->heads, t);
        slack = 1e-3 * (1 + t->most * 0x1p-10);
        for (size_t i = 0; i < 3; i++) {
            double right = t->lse * bases[i].factor, off = fabs(got - right);
            int same = (isnan(right) && isnan(got)) || right == got;
            fits[i] += same || off <= slack;
            near[i] += same || off <= slack + score * t->most * bases[i].factor;
        }
    }
    for (size_t i = 0; i < 3; i++)
        if (near[i] == j->rows && near[due] != j->rows) {
            printf("lse: %s, not %s\n", bases[i].name, bases[due].name);
            return 0;
        }
    if (fits[due] == j->rows)
        printf("lse: %s\n", bases[due].name);
    else
        printf("lse: %zu of %zu rows fit base e, %zu base 2\n", fits[0], j->rows, fits[1]);
    return near[due] == j->rows;
}

/* ---- all ------------------------------------------------------------------------------------- */

static void note_row(attend_notes *n, const judged *j, size_t row, const attend_row *t)
{
    for (size_t c = 0; c < j->columns; c++)
        attend_notes_add(n, got_of(j, row, c), t->out[c], t->spread[c], j->out.format);
}

int attend_judge(attend_request *r, attend_judged *what)
{
    static const attend_change none = {.name = ""};
    judged j = {.r = r};
    double worst[BOUNDS] = {0};
    worst_rows w = {.n = 0};
    attend_notes *n = &what->notes;
    attend_row t = attend_row_new(r);
    size_t inside = BOUNDS;
    read_judged(&j, what->out, what->lse, what->from);
    n->same = judge_bits(&j) ||
              attend_judge_orders(r, &j.out, what->splits, what->prefix, what->has_prefix);
    for (size_t row = 0; row < j.rows; row++) {
        double errors[BOUNDS];
        row_errors(&j, &none, row, &t, errors);
        for (size_t b = 0; b < BOUNDS; b++)
            worst[b] = errors[b] > worst[b] ? errors[b] : worst[b];
        keep_worst(&w, row, errors[0]);
        note_row(n, &j, row, &t);
    }
    for (size_t b = BOUNDS; b-- > 0;)
        if (worst[b] <= 1 && (!what->has_by || b == what->by))
            inside = b;
    if (inside < BOUNDS)
        printf("inside the bound of: %s (%.3g of it)\n", bounds[inside].name, worst[inside]);
    else if (what->has_by)
        printf("outside the bound of: %s (%.3g of it)\n", bounds[what->by].name, worst[what->by]);
    else
        printf("outside every bound: %.3g of that of %s\n", worst[BOUNDS - 1],
               bounds[BOUNDS - 1].name);
    n->bound = inside < BOUNDS ? attend_bounds[inside] : NULL;
    n->of_bound = worst[inside < BOUNDS ? inside : what->has_by ? what->by : BOUNDS - 1];
    n->has_lse = what->lse != NULL;
    n->lse = judge_lse(&j, &bounds[inside < BOUNDS ? inside : 0], &t);
    if (inside > 0)
        judge_changes(&j, &w, inside < BOUNDS, &t);
    printf("the worst rows, by the bound of %s:\n", bounds[0].name);
    for (size_t i = 0; i < w.n; i++)
        explain_row(&j, w.row[i], w.error[i], &t);
    attend_notes_say(n);
    attend_row_free(&t);
    tensor_free(&j.out);
    if (j.lse.words)
        tensor_free(&j.lse);
    n->good = n->lse && (n->same || inside < BOUNDS);
    return n->good;
}

/* SPDX-License-Identifier: MIT */
/* judge.c -- the results of other libraries are judged, value by value and all together
 *
 * No order of sums is required. A result that is exact in every order must be equal. Any other
 * result must be within the bound of the row, and not so close to the true value that the bound
 * says nothing. Errors must not lean to one side. NaN must be where a NaN key is seen, and nowhere
 * else.
 */
#include "families/libraries/libraries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "suite/compare.h"

static const double log2_e = 1.4426950408889634;

static float got_at(const void *words, size_t i, sf8_format f)
{
    uint32_t word = 0;
    uint16_t half;
    if (f.man_bits == 23) {
        memcpy(&word, (const char *)words + i * 4, 4);
        return sf8_f32_from_bits(word);
    }
    memcpy(&half, (const char *)words + i * 2, 2);
    if (f.man_bits == 7)
        return sf8_f32_from_bits((uint32_t)half << 16);
    return sf8_f32_from_bits((uint32_t)sf8_convert(SF8_F32, f, half, SF8_OCP_NOSAT));
}

/* Counts a wrong value, and reports where and why for the first one. */
static void wrong(attend_lib_tally *t, const attend_lib_set *s, const size_t at[4],
                  const char *form, double got, double right, double share)
{
    char set[128];
    size_t used;
    if (t->result->differ++ > 0)
        return;
    attend_lib_set_text(s, set, sizeof set);
    used = (size_t)snprintf(t->result->why, sizeof t->result->why,
                            "%s: request %zu query %zu head %zu channel %zu: ", set, at[0], at[1],
                            at[2], at[3]);
    snprintf(t->result->why + used, sizeof t->result->why - used, form, got, right, share);
}

static int is_chance(const attend_lib_set *s)
{
    return s->kind == LIBS_RANDOM || s->kind == LIBS_PARTS;
}

static void note(attend_lib_tally *t, const attend_lib_set *s, double share)
{
    if (!is_chance(s) || !(share > t->largest))
        return;
    t->largest = share;
    attend_lib_set_text(s, t->at, sizeof t->at);
}

/* Compares one value with the exact one, or with the true one. */
static void judge_word(attend_lib_tally *t, const attend_lib_set *s, const attend_lib_row *row,
                       const float *right, const size_t at[4], double got)
{
    const size_t c = at[3];
    t->result->inputs++;
    if (row->nan || isnan(got)) {
        if (!row->nan)
            wrong(t, s, at, "it is NaN, but no key that it sees is", got, 0, 0);
        else if (!isnan(got))
            wrong(t, s, at, "it hides a NaN: %.9g", got, 0, 0);
        return;
    }
    if (right) {
        double exact = (double)right[c];
        if (got < exact || got > exact)
            wrong(t, s, at, "%.9g, exactly %.9g in any order", got, exact, 0);
        return;
    }
    const attend_error_row e = {row->most, row->spread[c], row->out[c], row->keys, row->dim};
    double share = fabs(got - row->out[c]) / attend_error_out(t->bound, &e, t->out);
    note(t, s, share);
    if (!(share <= 1))
        wrong(t, s, at, "%.9g, true %.9g, %.3g of the bound", got, row->out[c], share);
}

/* The mean error of a row in units of the spread, above 0 where magnitudes are too large. The
 * errors of a row's channels are correlated, those of rows are not. */
static void lean(attend_lib_tally *t, const attend_lib_set *s, const attend_lib_row *row,
                 const void *out, size_t first)
{
    double mean = 0, square = 0;
    if (!is_chance(s) || row->keys < 2)
        return;
    for (size_t c = 0; c < s->dim; c++) {
        double x = (double)got_at(out, first + c, t->out) - row->out[c];
        x /= row->spread[c];
        mean += (row->out[c] < 0 ? -x : x) / (double)s->dim;
        square += x * x;
    }
    if (!isfinite(mean))
        return;
    t->lean += mean;
    t->squares += mean * mean;
    t->rows++;
    t->errors += square;
    t->words += (double)s->dim;
}

static void judge_lse(attend_lib_tally *t, const attend_lib_set *s, const attend_lib_row *row,
                      const size_t at[4], double got)
{
    const attend_error_row e = {row->most, 0, 0, row->keys, row->dim};
    double right = t->lib->lse_base == 2 ? row->lse * log2_e : row->lse;
    double other = t->lib->lse_base == 2 ? row->lse : row->lse * log2_e;
    double bound = attend_error_score(t->bound, &e) + 0x1p-20 + (double)row->keys * 0x1p-24 +
                   fabs(row->lse) * 0x1p-21;
    bound *= log2_e; /* enough for both bases */
    t->result->inputs++;
    if (row->nan) /* some libraries return -infinity: any lse is accepted */
        return;
    double share = fabs(got - right) / bound;
    t->lse_rows++;
    t->lse_other += share > 1 && fabs(got - other) <= bound;
    t->largest_lse = share > t->largest_lse ? share : t->largest_lse;
    if (!(share <= 1))
        wrong(t, s, at, "lse is %.9g, true %.9g, %.3g of the bound", got, right, share);
}

void attend_lib_judge(attend_lib_tally *t, const attend_lib_set *s, attend_lib_values *x,
                      const void *out, const void *lse)
{
    static attend_lib_row row;
    row.weight = malloc(s->keys * sizeof row.weight[0]);
    if (!row.weight) {
        set_broken(t->result, "no memory for", t->lib->name);
        return;
    }
    for (size_t i = 0; i < s->batch * s->queries * s->heads; i++) {
        size_t at[4] = {i / s->heads / s->queries, i / s->heads % s->queries, i % s->heads, 0};
        attend_lib_true(t->lib, s, x, at[0], at[1], at[2], &row);
        for (; at[3] < s->dim; at[3]++)
            judge_word(t, s, &row, x->right ? x->right + i * s->dim : NULL, at,
                       (double)got_at(out, i * s->dim + at[3], t->out));
        lean(t, s, &row, out, i * s->dim);
        at[3] = 0;
        if (lse)
            judge_lse(t, s, &row, at, (double)got_at(lse, i, SF8_F32));
    }
    free(row.weight);
}

/* ---- all of it ------------------------------------------------------------------------------- */

enum { ROWS_LEAST = 64 };

/* The mean error in standard errors; 0 if there are too few rows, or none differs. */
static double leaning(const attend_lib_tally *t)
{
    double mean = t->lean / t->rows, deviation = t->squares / t->rows - mean * mean;
    if (t->rows < ROWS_LEAST || !(deviation > 0))
        return 0;
    return mean / sqrt(deviation / t->rows);
}

/* The mean error relative to the root mean square of all errors: truncated results have more than
 * 0.8. */
static double one_sided(const attend_lib_tally *t)
{
    return t->errors > 0 ? t->lean / t->rows / sqrt(t->errors / t->words) : 0;
}

/* Whether the errors are significant, and a good part of them leans to one side: correctly rounded
 * sums have less than 0.1. */
static int leans(const attend_lib_tally *t)
{
    return fabs(leaning(t)) > 4 && fabs(one_sided(t)) > 0.25;
}

/* Units with 13 bits truncate: their sums do lean to one side, by less than the bound. */
static int may_lean(const attend_error_bound *b)
{
    return strncmp(b->word, "fp8", 3) == 0;
}

void attend_lib_conclude(attend_lib_tally *t)
{
    conform_result *r = t->result;
    size_t used = 0;
    if (t->lse_other > t->lse_rows / 2)
        snprintf(r->diagnosis, sizeof r->diagnosis, "lse has the base %s, not %s",
                 t->lib->lse_base == 2 ? "e" : "2", t->lib->lse_base == 2 ? "2" : "e");
    if (r->status == CONFORM_BROKEN)
        return;
    r->status = r->differ > 0 ? CONFORM_FAILED : CONFORM_PASSED;
    if (r->differ > 0)
        return;
    used = (size_t)snprintf(r->why, sizeof r->why,
                            "%.3g of the bound of %s at the most (%s); errors lean by %.2g of one, "
                            "%.1f standard errors",
                            t->largest, t->bound->name, t->at, one_sided(t), leaning(t));
    if (t->lse_rows > 0 && used < sizeof r->why)
        snprintf(r->why + used, sizeof r->why - used, "; lse to the base %s, %.3g of its bound",
                 t->lib->lse_base == 2 ? "2" : "e", t->largest_lse);
    if (t->largest < 0.01) {
        r->status = CONFORM_FAILED;
        r->differ = 1;
        snprintf(r->diagnosis, sizeof r->diagnosis,
                 "so near to the true value that the bound proves nothing");
    } else if (leans(t) && !may_lean(t->bound)) {
        r->status = CONFORM_FAILED;
        r->differ = 1;
        snprintf(r->diagnosis, sizeof r->diagnosis, "the errors lean %s zero",
                 t->lean < 0 ? "toward" : "away from");
    }
}

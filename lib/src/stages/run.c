/* SPDX-License-Identifier: MIT */
/* run.c -- computes a stage, row by row, as intervals; a value that is known is one of one number
 */
#include "stages/sums.h"

#include <string.h>

/* What a step gets. `next` and `terms` are memory for two more rows. */
typedef struct sf8_stage_job {
    const sf8_stage_step *step;
    sf8_span *row, *next, *terms;
    size_t columns, at; /* at: the number of the row */
    int32_t bounds;
    const sf8_stage_input *array[SF8_STEP_ARRAYS];
} sf8_stage_job;

static uint32_t sf8_stage_ulps(const sf8_stage_job *j)
{
    return j->bounds ? j->step->ulps : 0;
}

/* Element i of an array, whose row or column may stand for all. */
static sf8_span sf8_stage_element(const sf8_stage_job *j, int32_t array, size_t i)
{
    const sf8_stage_input *in = j->array[array];
    size_t row = in->rows == 1 ? 0 : j->at;
    return sf8_span_of(in->values[row * in->columns + (in->columns == 1 ? 0 : i)]);
}

/* ---- columns --------------------------------------------------------------------------------- */

static int32_t sf8_step_halves(const sf8_stage_step *s)
{
    return s->gate >= SF8_GATE_FIRST && s->gate <= SF8_GATE_ODD;
}

size_t sf8_stage_columns(const sf8_stage *stage, size_t columns)
{
    for (int32_t i = 0; i < stage->count; i++)
        columns /= sf8_step_halves(&stage->step[i]) ? 2 : 1;
    return columns;
}

/* How many columns an array of a step may have. */
static size_t sf8_stage_wide(const sf8_stage_step *s, size_t columns)
{
    if (s->kind == SF8_STEP_ROPE)
        return (s->dim ? s->dim : s->head ? s->head : columns) / 2;
    return s->kind == SF8_STEP_HADAMARD ? s->dim : columns;
}

/* ---- what is wrong with a call --------------------------------------------------------------- */

static const char *sf8_stage_unfit(const sf8_stage_step *s, size_t columns)
{
    size_t head = s->head ? s->head : columns, dim = s->dim ? s->dim : head;
    if (columns == 0)
        return "a row without elements";
    if (sf8_step_halves(s) && columns % 2)
        return "a gate needs an even number of columns";
    if (s->kind == SF8_STEP_ROPE && (columns % head || dim > head || dim % 2))
        return "rope needs an even dim, at most head, which divides the columns";
    if (s->kind == SF8_STEP_HADAMARD && columns % s->dim)
        return "the size of hadamard does not divide the columns";
    return NULL;
}

static const sf8_stage_input *sf8_stage_find(const char *name, const sf8_stage_input *inputs,
                                             size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (inputs[i].name && strcmp(inputs[i].name, name) == 0)
            return &inputs[i];
    return NULL;
}

const char *sf8_stage_wrong(const sf8_stage *stage, size_t rows, size_t columns,
                            const sf8_stage_input *inputs, size_t count, const char **name)
{
    static const char none[] = "";
    *name = none;
    for (int32_t i = 0; i < stage->count; i++) {
        const sf8_stage_step *s = &stage->step[i];
        const char *unfit = sf8_stage_unfit(s, columns);
        if (unfit)
            return unfit;
        columns /= sf8_step_halves(s) ? 2 : 1;
        for (int32_t k = 0; k < SF8_STEP_ARRAYS; k++) {
            if (!s->array[k][0])
                continue;
            const sf8_stage_input *in = sf8_stage_find(s->array[k], inputs, count);
            *name = s->array[k];
            if (!in || !in->values)
                return "no array of this name is given";
            if (in->rows != 1 && in->rows != rows)
                return "its rows are neither 1 nor those of the tensor";
            if (in->columns != 1 && in->columns != sf8_stage_wide(s, columns))
                return "its columns are neither 1 nor those of the step";
        }
        *name = none;
    }
    return NULL;
}

const char *sf8_stage_array(const sf8_stage *stage, size_t i)
{
    for (int32_t k = 0; k < stage->count; k++)
        for (int32_t a = 0; a < SF8_STEP_ARRAYS; a++)
            if (stage->step[k].array[a][0] && i-- == 0)
                return stage->step[k].array[a];
    return NULL;
}

/* ---- norms and softmax ----------------------------------------------------------------------- */

/* Multiplies by the weight, which comes first, and adds what comes second. */
static sf8_span sf8_stage_weighted(const sf8_stage_job *j, size_t i, sf8_span y)
{
    const sf8_stage_step *s = j->step;
    y = sf8_step_mid(s, y);
    if (!j->array[0] && !j->array[1])
        return y;
    sf8_span w = j->array[0] ? sf8_step_factor(s, sf8_stage_element(j, 0, i))
                             : sf8_span_of(SF8_F32_ONE);
    if (!j->array[1])
        return sf8_span_mul(y, w);
    if (s->fuse)
        return sf8_span_fma(y, w, sf8_stage_element(j, 1, i));
    return sf8_span_add(sf8_span_mul(y, w), sf8_stage_element(j, 1, i));
}

static sf8_span sf8_stage_mean(sf8_stage_job *j, const sf8_span *a, const sf8_span *b)
{
    uint32_t n = (uint32_t)sf8_core_from_u64(SF8_F32, j->columns, SF8_OCP_NOSAT, 0).code;
    return sf8_span_div(sf8_stage_sum(j->step, a, b, j->columns, j->bounds), sf8_span_of(n));
}

/* A mean of squares is not below 0, whatever an interval says. */
static sf8_span sf8_stage_norm_factor(sf8_stage_job *j)
{
    sf8_span square = sf8_stage_mean(j, j->row, j->row);
    if (!sf8_span_is_one(square))
        square = sf8_span_most(square, sf8_span_of(0));
    return sf8_step_rstd(j->step, square, sf8_stage_ulps(j));
}

static void sf8_stage_norm(sf8_stage_job *j)
{
    if (j->step->kind == SF8_STEP_LAYER_NORM) {
        sf8_span mean = sf8_stage_mean(j, j->row, NULL);
        for (size_t i = 0; i < j->columns; i++)
            j->row[i] = sf8_span_sub(j->row[i], mean);
    }
    sf8_span factor = sf8_stage_norm_factor(j);
    for (size_t i = 0; i < j->columns; i++)
        j->row[i] = sf8_stage_weighted(j, i, sf8_span_mul(j->row[i], factor));
}

/* e^(x - the largest), each divided by the sum, or times 1 / sum. */
static void sf8_stage_softmax(sf8_stage_job *j)
{
    const sf8_stage_step *s = j->step;
    sf8_span most = j->row[0], one = sf8_span_of(SF8_F32_ONE), sum;
    for (size_t i = 1; i < j->columns; i++)
        most = sf8_span_most(most, j->row[i]);
    for (size_t i = 0; i < j->columns; i++)
        j->row[i] = sf8_step_exp(s, sf8_span_sub(j->row[i], most), sf8_stage_ulps(j));
    sum = sf8_stage_sum(s, j->row, NULL, j->columns, j->bounds);
    if (s->form == SF8_FORM_PRODUCT)
        sum = sf8_span_div(one, sum);
    for (size_t i = 0; i < j->columns; i++)
        j->row[i] = s->form == SF8_FORM_PRODUCT ? sf8_span_mul(j->row[i], sum)
                                                : sf8_span_div(j->row[i], sum);
}

/* ---- gates, rope and hadamard ---------------------------------------------------------------- */

static void sf8_stage_activate(sf8_stage_job *j)
{
    const sf8_stage_step *s = j->step;
    size_t half = j->columns / 2;
    uint32_t ulps = sf8_stage_ulps(j);
    for (size_t i = 0; i < (sf8_step_halves(s) ? half : j->columns); i++) {
        sf8_span *x = j->row;
        switch (s->gate) {
        case SF8_GATE_NONE:
            x[i] = sf8_step_activate(s, x[i], ulps);
            break;
        case SF8_GATE_FIRST:
            x[i] = sf8_step_gated(s, x[i], x[half + i], ulps);
            break;
        case SF8_GATE_SECOND:
            x[i] = sf8_step_gated(s, x[half + i], x[i], ulps);
            break;
        case SF8_GATE_EVEN:
            x[i] = sf8_step_gated(s, x[2 * i], x[2 * i + 1], ulps);
            break;
        case SF8_GATE_ODD:
            x[i] = sf8_step_gated(s, x[2 * i + 1], x[2 * i], ulps);
            break;
        default:
            x[i] = sf8_step_gated(s, x[i], sf8_stage_element(j, 0, i), ulps);
        }
    }
    j->columns = sf8_step_halves(s) ? half : j->columns;
}

static void sf8_stage_rope(sf8_stage_job *j)
{
    const sf8_stage_step *s = j->step;
    size_t head = s->head ? s->head : j->columns, dim = s->dim ? s->dim : head, half = dim / 2;
    int32_t pairs = s->style == SF8_ROPE_INTERLEAVED;
    for (size_t h = 0; h < j->columns; h += head)
        for (size_t i = 0; i < half; i++) {
            sf8_span *first = &j->row[h + (pairs ? 2 * i : i)];
            sf8_span *second = &j->row[h + (pairs ? 2 * i + 1 : i + half)], x = *first;
            sf8_span c = sf8_stage_element(j, 0, i), t = sf8_stage_element(j, 1, i);
            *first = sf8_step_turned(s, x, c, *second, t, 1);
            *second = sf8_step_turned(s, *second, c, x, t, 0);
        }
}

/* Whether an element of Sylvester's matrix is -1: the number of ones that i and k share is odd. */
static int32_t sf8_stage_is_minus(size_t i, size_t k)
{
    int32_t odd = 0;
    for (size_t both = i & k; both; both &= both - 1)
        odd ^= 1;
    return odd;
}

/* Each block times the matrix: element i is the sum of the elements k, with their signs. */
static void sf8_stage_hadamard(sf8_stage_job *j)
{
    const sf8_stage_step *s = j->step;
    sf8_span scale = sf8_span_of(s->scale);
    for (size_t at = 0; at < j->columns; at += s->dim) {
        for (size_t k = 0; j->array[0] && k < s->dim; k++)
            j->row[at + k] = sf8_span_mul(j->row[at + k], sf8_stage_element(j, 0, k));
        for (size_t i = 0; i < s->dim; i++) {
            for (size_t k = 0; k < s->dim; k++)
                j->terms[k] = sf8_stage_is_minus(i, k) ? sf8_span_neg(j->row[at + k])
                                                       : j->row[at + k];
            sf8_span sum = sf8_stage_sum(s, j->terms, NULL, s->dim, j->bounds);
            j->next[at + i] = sf8_span_mul(sf8_step_mid(s, sum), scale);
        }
    }
    memcpy(j->row, j->next, j->columns * sizeof *j->row);
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void sf8_stage_by_array(sf8_stage_job *j)
{
    for (size_t i = 0; i < j->columns; i++) {
        sf8_span a = sf8_stage_element(j, 0, i), *x = &j->row[i];
        *x = j->step->kind == SF8_STEP_ADD        ? sf8_span_add(*x, a)
             : j->step->kind == SF8_STEP_MULTIPLY ? sf8_span_mul(*x, a)
                                                  : sf8_span_div(*x, a);
    }
}

static void sf8_stage_apply(sf8_stage_job *j)
{
    switch (j->step->kind) {
    case SF8_STEP_ROUND:
        break;
    case SF8_STEP_ADD:
    case SF8_STEP_MULTIPLY:
    case SF8_STEP_DIVIDE:
        sf8_stage_by_array(j);
        break;
    case SF8_STEP_RMS_NORM:
    case SF8_STEP_LAYER_NORM:
        sf8_stage_norm(j);
        break;
    case SF8_STEP_ROPE:
        sf8_stage_rope(j);
        break;
    case SF8_STEP_SOFTMAX:
        sf8_stage_softmax(j);
        break;
    case SF8_STEP_HADAMARD:
        sf8_stage_hadamard(j);
        break;
    default:
        sf8_stage_activate(j);
    }
    for (size_t i = 0; i < j->columns; i++)
        j->row[i] = sf8_step_out(j->step, j->row[i]);
}

sf8_status sf8_stage_bounds(const sf8_stage *stage, uint32_t *lower, uint32_t *upper,
                            const uint32_t *x_lower, const uint32_t *x_upper, size_t rows,
                            size_t columns, const sf8_stage_input *inputs, size_t count,
                            sf8_span *work)
{
    const char *name;
    size_t width = sf8_stage_columns(stage, columns);
    sf8_stage_job j;
    memset(&j, 0, sizeof j);
    if (sf8_stage_wrong(stage, rows, columns, inputs, count, &name) || (!work && columns))
        return SF8_BAD_CALL;
    if (columns == 0)
        return SF8_OK;
    j.row = work;
    j.next = work + columns;
    j.terms = work + 2 * columns;
    j.bounds = lower != upper;
    for (j.at = 0; j.at < rows; j.at++) {
        j.columns = columns;
        for (size_t i = 0; i < columns; i++)
            j.row[i] = sf8_span_known(x_lower[j.at * columns + i], x_upper[j.at * columns + i]);
        for (int32_t k = 0; k < stage->count; k++) {
            j.step = &stage->step[k];
            for (int32_t a = 0; a < SF8_STEP_ARRAYS; a++)
                j.array[a] = j.step->array[a][0] ? sf8_stage_find(j.step->array[a], inputs, count)
                                                 : NULL;
            sf8_stage_apply(&j);
        }
        for (size_t i = 0; i < width; i++) {
            lower[j.at * width + i] = j.row[i].lo;
            upper[j.at * width + i] = j.row[i].hi;
        }
    }
    return SF8_OK;
}

/* With one array for both ends nothing is uncertain, so that both ends are the value. */
sf8_status sf8_stage_run(const sf8_stage *stage, uint32_t *out, const uint32_t *x, size_t rows,
                         size_t columns, const sf8_stage_input *inputs, size_t count,
                         sf8_span *work)
{
    return sf8_stage_bounds(stage, out, out, x, x, rows, columns, inputs, count, work);
}

/* SPDX-License-Identifier: MIT */
/* gen_after.c -- inputs of a stage whose results are given, step by step from the last to the first
 *
 * A step is undone in doubles, so that the inputs are near the right ones; then the stage itself is
 * run on them, and says what they give. A gate gets a few values in turn, and the other factor what
 * is left. A norm gets a mean square in turn, which its last elements make up.
 */
#include "vectors/gen_after.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { TRIES = 32 };

static double value_of(uint32_t word)
{
    return (double)sf8_f32_from_bits(word);
}

static uint32_t word_of(double x)
{
    return sf8_f32_bits((float)x);
}

static int is_norm(const sf8_stage_step *s)
{
    return s->kind == SF8_STEP_RMS_NORM;
}

static int is_gated(const sf8_stage_step *s)
{
    return s->gate >= SF8_GATE_FIRST && s->gate <= SF8_GATE_ODD && s->kind != SF8_STEP_SWIGLU_CLAMP;
}

/* ---- arrays ---------------------------------------------------------------------------------- */

static double element(const stage_inverse *s, const char *name, size_t i)
{
    const sf8_stage_input *in = s->arrays.input;
    while (strcmp(in->name, name) != 0)
        in++;
    return value_of(in->values[in->columns == 1 ? 0 : i]);
}

/* The factor of a norm. */
static double weight(const stage_inverse *s, const sf8_stage_step *step, size_t i)
{
    return step->array[0][0] ? element(s, step->array[0], i) + (step->plus_one ? 1 : 0) : 1;
}

/* ---- a step undone --------------------------------------------------------------------------- */

static double quotient(double a, double b)
{
    return b != 0 ? a / b : 0;
}

/* A gate's value in a try, from 1 to below 3, where silu and gelu grow. */
static double gate_value(const stage_inverse *s, size_t i, int number)
{
    double g = 1 + (double)((i * 7 + (size_t)number * 5) % 32) / 16;
    return value_of((uint32_t)sf8_convert(
        SF8_F32, s->x, sf8_convert(s->x, SF8_F32, word_of(g), SF8_OCP_NOSAT), SF8_OCP_NOSAT));
}

/* Rows of results become rows of twice as many elements: the gate and the other factor. */
static size_t undo_gate(const stage_inverse *s, const sf8_stage_step *step, double *row, size_t n,
                        int number)
{
    double *twice = s->wanted + 2 * s->columns;
    for (size_t i = 0; i < n; i++) {
        double g = gate_value(s, i, number);
        sf8_span a = sf8_step_mid(step, sf8_step_activate(step, sf8_span_of(word_of(g)), 0));
        double up = quotient(row[i], value_of(a.lo));
        int pairs = step->gate == SF8_GATE_EVEN || step->gate == SF8_GATE_ODD;
        int later = step->gate == SF8_GATE_SECOND || step->gate == SF8_GATE_ODD;
        size_t first = pairs ? 2 * i : i, second = pairs ? 2 * i + 1 : n + i;
        twice[later ? second : first] = g;
        twice[later ? first : second] = up;
    }
    memcpy(row, twice, 2 * n * sizeof *row);
    return 2 * n;
}

/* The mean square in a try. */
static double mean_square(int number)
{
    return 1 + number / 16.0;
}

static void undo_norm(const stage_inverse *s, const sf8_stage_step *step, double *row, size_t n,
                      int number)
{
    double mean = mean_square(number), eps = value_of(step->eps), sum = 0;
    double f = step->eps_at == SF8_EPS_OUTSIDE ? 1 / (sqrt(mean) + eps) : 1 / sqrt(mean + eps);
    for (size_t i = 0; i < n - s->filler; i++) {
        row[i] = quotient(row[i], weight(s, step, i) * f);
        row[i] = value_of(word_of(row[i]));
        sum += row[i] * row[i];
    }
    double left = mean * (double)n - sum;
    for (size_t i = n - s->filler; i < n; i++)
        row[i] = left > 0 ? sqrt(left / (double)s->filler) * (i % 2 ? -1 : 1) : 0;
}

static size_t undo(const stage_inverse *s, const sf8_stage_step *step, double *row, size_t n,
                   int number)
{
    if (is_gated(step))
        return undo_gate(s, step, row, n, number);
    if (is_norm(step)) {
        undo_norm(s, step, row, n, number);
        return n;
    }
    for (size_t i = 0; i < n && step->kind != SF8_STEP_ROUND; i++) {
        double a = element(s, step->array[0], i);
        row[i] = step->kind == SF8_STEP_ADD        ? row[i] - a
                 : step->kind == SF8_STEP_MULTIPLY ? quotient(row[i], a)
                                                   : row[i] * a;
    }
    return n;
}

/* The inputs of a try, rounded to their format. */
static void undo_all(const stage_inverse *s, const double *wanted, int number)
{
    double *row = s->wanted;
    size_t n = s->width;
    memset(row, 0, 2 * s->columns * sizeof *row);
    memcpy(row, wanted, (n - s->filler) * sizeof *row);
    for (int32_t k = s->stage.count - 1; k >= 0; k--)
        n = undo(s, &s->stage.step[k], row, n, number);
    for (size_t i = 0; i < s->columns; i++) {
        uint64_t code = sf8_convert(s->x, SF8_F32, word_of(row[i]), SF8_OCP_NOSAT);
        s->input[i] = (uint32_t)sf8_convert(SF8_F32, s->x, code, SF8_OCP_NOSAT);
    }
}

/* ---- a row ----------------------------------------------------------------------------------- */

/* The inputs that element i of the results comes of, where no norm joins all. */
static void take_element(const stage_inverse *s, size_t i)
{
    size_t every = s->columns / s->width;
    if (every == 1) {
        s->best[i] = s->input[i];
        return;
    }
    for (int32_t k = 0; k < s->stage.count; k++) {
        uint32_t gate = s->stage.step[k].gate;
        int pairs = gate == SF8_GATE_EVEN || gate == SF8_GATE_ODD;
        if (!is_gated(&s->stage.step[k]))
            continue;
        s->best[pairs ? 2 * i : i] = s->input[pairs ? 2 * i : i];
        s->best[pairs ? 2 * i + 1 : s->width + i] = s->input[pairs ? 2 * i + 1 : s->width + i];
    }
}

static void run(const stage_inverse *s)
{
    sf8_stage_run(&s->stage, s->result, s->input, 1, s->columns, s->arrays.input, s->arrays.count,
                  s->work);
    sf8_stage_run(&s->unrounded, s->plain, s->input, 1, s->columns, s->arrays.input,
                  s->arrays.count, s->work);
}

void inverse_row(stage_inverse *s, const double *wanted, inverse_judge judge, const void *context,
                 uint32_t *inputs)
{
    size_t targets = s->width - s->filler;
    int *good = allocate(targets, sizeof *good);
    long best = -1;
    for (int number = 0; number < TRIES; number++) {
        long sum = 0, all = 0;
        undo_all(s, wanted, number);
        run(s);
        for (size_t i = 0; i < targets; i++) {
            int now = judge(context, i, s->result[i], s->plain[i]);
            all += now;
            if (s->filler == 0 && (number == 0 || now > good[i])) {
                good[i] = now;
                take_element(s, i);
            }
            sum += s->filler == 0 ? good[i] : now;
        }
        if (s->filler > 0 && all > best) {
            best = all;
            memcpy(s->best, s->input, s->columns * sizeof *s->best);
        }
        if (sum == 2 * (long)targets)
            break;
    }
    memcpy(inputs, s->best, s->columns * sizeof *inputs);
    free(good);
}

double inverse_share(const stage_inverse *s, size_t at, const double *result, size_t count)
{
    double sum = 0;
    for (int32_t k = 0; k < s->stage.count && s->filler > 0; k++) {
        for (size_t i = 0; i < count && is_norm(&s->stage.step[k]); i++) {
            double x = quotient(result[i], weight(s, &s->stage.step[k], at + i));
            sum += x * x;
        }
    }
    return sum / (double)s->width;
}

/* ---- what can be undone ---------------------------------------------------------------------- */

static void check_step(const sf8_stage *stage, int32_t at)
{
    const sf8_stage_step *s = &stage->step[at];
    char text[SF8_STAGE_TEXT_SIZE];
    sf8_stage one = {.count = 1};
    int simple = s->kind <= SF8_STEP_DIVIDE || (is_norm(s) && at < stage->count);
    one.step[0] = *s;
    sf8_stage_write(&one, text, sizeof text);
    if (!simple && !is_gated(s))
        fail("--after: no inputs are sought through '%s'; expected roundings, add, multiply, "
             "divide, rms-norm, or an activation with a gate",
             text);
    for (int32_t k = 0; k < at; k++) {
        if (!is_norm(s) && !is_gated(s))
            break;
        if (is_norm(&stage->step[k]) || is_gated(&stage->step[k]))
            fail("--after: no inputs are sought through '%s' behind another norm or gate", text);
    }
}

static sf8_stage without_roundings(sf8_stage stage)
{
    for (int32_t k = 0; k < stage.count; k++) {
        stage.step[k].via = stage.step[k].mid = SF8_STEP_F32;
        stage.step[k].via_round = stage.step[k].mid_round = SF8_RNE;
    }
    return stage;
}

/* The columns of the arrays: at least two blocks with a norm, else one. */
static size_t width_of(const after_choice *after, const after_arrays *arrays, size_t block,
                       int norm)
{
    size_t width = norm ? 2 * block : block;
    for (size_t i = 0; i < arrays->count; i++) {
        const sf8_stage_input *in = &arrays->input[i];
        if (in->rows != 1)
            fail_at(after->array[i].path, 0, "%zu rows; expected one, which is that of all rows",
                    in->rows);
        if (in->columns == 1)
            continue;
        if (in->columns < width || in->columns % block != 0)
            fail_at(after->array[i].path, 0,
                    "%zu columns; expected a multiple of %zu, the elements of a block%s",
                    in->columns, block, norm ? ", and at least two of them" : "");
        width = in->columns;
    }
    return width;
}

stage_inverse inverse_open(const after_choice *after, sf8_format x, size_t block)
{
    stage_inverse s;
    int norm = 0, gate = 0;
    memset(&s, 0, sizeof s);
    after_check(after);
    s.stage = after_stage(after);
    s.unrounded = without_roundings(s.stage);
    for (int32_t k = 0; k < s.stage.count; k++) {
        check_step(&s.stage, k);
        norm |= is_norm(&s.stage.step[k]);
        gate |= is_gated(&s.stage.step[k]);
    }
    s.x = x;
    s.arrays = after_read(after);
    s.width = width_of(after, &s.arrays, block, norm);
    s.columns = gate ? 2 * s.width : s.width;
    s.filler = norm ? block : 0;
    after_fits(after, &s.arrays, "--after", (tensor_shape){1, s.columns});
    s.result = allocate(s.width, sizeof *s.result);
    s.plain = allocate(s.width, sizeof *s.plain);
    s.input = allocate(s.columns, sizeof *s.input);
    s.best = allocate(s.columns, sizeof *s.best);
    s.wanted = allocate(4 * s.columns, sizeof *s.wanted);
    s.work = allocate(3 * s.columns, sizeof *s.work);
    return s;
}

void inverse_close(stage_inverse *s)
{
    free(s->result);
    free(s->plain);
    free(s->input);
    free(s->best);
    free(s->wanted);
    free(s->work);
    after_free(&s->arrays);
}

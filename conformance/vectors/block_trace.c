/* SPDX-License-Identifier: MIT */
/* block_trace.c -- the programs of a recipe step by step, and what became of an element */
#include "vectors/block_trace.h"

#include <string.h>

trace trace_of(const sf8_program *program, const uint32_t *variable)
{
    trace t = {.program = program, .count = 0};
    uint32_t value[SF8_PROGRAM_TERMS];
    int made_by[SF8_PROGRAM_TERMS], top = 0; /* values on the stack */
    for (int32_t i = 0; i < program->count; i++) {
        const sf8_term *term = &program->term[i];
        if (term->op == SF8_TERM_NUMBER || term->op == SF8_TERM_VARIABLE) {
            value[top] = term->op == SF8_TERM_NUMBER ? term->word : variable[term->word];
            made_by[top++] = i;
            continue;
        }
        trace_step *s = &t.step[t.count++];
        memset(s, 0, sizeof *s);
        s->op = term->op;
        s->term = i;
        s->operands = sf8_term_operands(term->op);
        top -= s->operands;
        memcpy(s->operand, value + top, (size_t)s->operands * sizeof value[0]);
        memcpy(s->made_by, made_by + top, (size_t)s->operands * sizeof made_by[0]);
        s->result = sf8_term_result(s->op, s->operand[0], s->operand[1], s->operand[2]);
        value[top] = s->result;
        made_by[top++] = i;
    }
    t.result = value[0];
    return t;
}

/* A bound that is a number of the program took the place of the other operand. */
static int step_cuts(const trace *t, const trace_step *s)
{
    if (s->op != SF8_TERM_MIN && s->op != SF8_TERM_MAX && s->op != SF8_TERM_NAN_MIN &&
        s->op != SF8_TERM_NAN_MAX)
        return 0;
    for (int i = 0; i < 2; i++) {
        uint32_t other = s->operand[1 - i];
        if (t->program->term[s->made_by[i]].op == SF8_TERM_NUMBER && !sf8_f32_is_nan(other) &&
            sf8_f32_order(s->result) != sf8_f32_order(other))
            return 1;
    }
    return 0;
}

/* Rounding to an integer met a half. Words of 2^23 and more are integers. */
static int step_ties(const trace_step *s)
{
    uint32_t magnitude = sf8_f32_magnitude(s->operand[0]);
    if ((s->op != SF8_TERM_RINT && s->op != SF8_TERM_ROUND && s->op != SF8_TERM_HALF_AWAY) ||
        magnitude >= 0x4b000000u)
        return 0;
    double x = (double)sf8_f32_from_bits(magnitude);
    return x - (double)(int32_t)x == 0.5;
}

/* The word is half way between two codes: then it is the sum of a code and half the gap, which
 * rounding to both sides finds. */
static int word_ties(const sf8_recipe *r, uint32_t word)
{
    sf8_policy down = SF8_OCP, up = SF8_OCP;
    down.round = SF8_RZ;
    up.round = SF8_RNA;
    uint32_t magnitude = sf8_f32_magnitude(word);
    if (magnitude >= SF8_F32_INF)
        return 0;
    sf8_result low = sf8_core_convert(r->element, SF8_F32, magnitude, down, 0);
    sf8_result high = sf8_core_convert(r->element, SF8_F32, magnitude, up, 0);
    if (high.code != low.code + 1)
        return 0;
    double a = (double)sf8_f32_from_bits(
        (uint32_t)sf8_core_convert(SF8_F32, r->element, low.code, SF8_OCP, 0).code);
    double b = (double)sf8_f32_from_bits(
        (uint32_t)sf8_core_convert(SF8_F32, r->element, high.code, SF8_OCP, 0).code);
    return (double)sf8_f32_from_bits(magnitude) == (a + b) / 2;
}

element_fate element_fate_of(const sf8_recipe *r, sf8_block *b, uint32_t x)
{
    element_fate fate = {.code = sf8_block_code(r, b, x), .is_nan = sf8_f32_is_nan(x) != 0};
    trace t = trace_of(&r->element_of, b->variable);
    fate.word = t.result;
    for (int i = 0; i < t.count; i++) {
        fate.is_saturated |= step_cuts(&t, &t.step[i]);
        fate.is_tie |= step_ties(&t.step[i]);
    }
    if (!r->integer) {
        uint32_t magnitude = sf8_f32_magnitude(t.result);
        sf8_result c = sf8_core_convert(r->element, SF8_F32, t.result, r->element_policy, 0);
        fate.is_saturated |= magnitude == SF8_F32_INF || (c.flags & SF8_OVERFLOW) != 0;
        fate.is_tie |= word_ties(r, t.result);
    }
    return fate;
}

/* The block that is taken, of two that *c has. */
static const sf8_block *choose(const sf8_recipe *r, sf8_choice *c, const sf8_block *taken,
                               const uint32_t *x, size_t count, size_t columns)
{
    sf8_choice_begin(r, c, taken);
    for (size_t i = 0; i < count; i++)
        sf8_choice_take(r, c, x[i], (uint32_t)(i / columns), (uint32_t)(i % columns),
                        (uint32_t)columns);
    return sf8_choice_end(r, c);
}

static void take_all(const sf8_recipe *r, sf8_block *b, const uint32_t *x, size_t count, uint32_t g)
{
    sf8_block_begin(b, g);
    for (size_t i = 0; i < count; i++)
        sf8_block_take(r, b, x[i], i == 0);
}

void block_of_rows(const sf8_recipe *r, sf8_block *b, const uint32_t *x, size_t count,
                   size_t columns, uint32_t g)
{
    sf8_choice c;
    take_all(r, b, x, count, g);
    if (sf8_recipe_chooses(r))
        *b = *choose(r, &c, b, x, count, columns);
    else
        sf8_block_scale(r, b);
}

void block_of(const sf8_recipe *r, sf8_block *b, const uint32_t *x, size_t count, uint32_t g)
{
    block_of_rows(r, b, x, count, count, g);
}

int block_choice(const sf8_recipe *r, const uint32_t *x, size_t count, uint32_t g,
                 uint32_t errors[2])
{
    sf8_choice c;
    sf8_block b;
    take_all(r, &b, x, count, g);
    int second = choose(r, &c, &b, x, count, count) == &c.block[1];
    errors[0] = c.row[0][0];
    errors[1] = c.row[1][0];
    return second;
}

/* SPDX-License-Identifier: MIT */
/* gemm.c -- inputs that distinguish schedules, their results by each, and which schedule fits */
#include "base/random.h"
#include "families/mma/gemm.h"

#include "softfp8/f32/arith.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEP = 32, STEPS = GEMM_K / STEP };

const char *const gemm_kinds[GEMM_KINDS] = {"interval", "tree", "scales", "random"};

/* ---- inputs ---------------------------------------------------------------------------------- */

/* e4m3: 2^7 and 2^8, -2^7 and -2^8 */
enum { U7 = 0x70, U8 = 0x78, MINUS = 0x80 };

/* In each instruction position 0 is small. A row has U at the other positions of its own
 * instruction, and all columns have its factor everywhere; for -U it is the other way round. */
static void fill_pairs(gemm_inputs *in, uint8_t small, uint8_t u, size_t places)
{
    for (size_t i = 0; i < GEMM_PERIOD; i++)
        for (size_t step = 0; step < STEPS; step++) {
            uint8_t *a = in->a + i * GEMM_K + step * STEP, *b = in->b + i * GEMM_K + step * STEP;
            a[0] = b[0] = small;
            memset(b + 1, u, places);
            memset(a + 1 + places, u, places);
            if (step == i) {
                memset(a + 1, u, places);
                memset(b + 1 + places, u | MINUS, places);
            }
        }
}

/* A row's numbers are in 1 to 1.875 and 0.5 to 0.9375, so that their sums of two products are exact
 * in any unit. */
static void fill_scales(gemm_inputs *in)
{
    for (size_t i = 0; i < GEMM_PERIOD; i++) {
        in->a[i * GEMM_K] = in->b[i * GEMM_K] = (uint8_t)(0x38 + i % 8);
        in->a[i * GEMM_K + 1] = (uint8_t)(0x30 + i / 8 % 8);
        in->b[i * GEMM_K + 1] = (uint8_t)(0x30 + i / 8 * 3 % 8);
    }
    in->alpha = 0x3fad3817;   /* 1.3532742... */
    in->scale_a = 0x3fec799b; /* 1.8474611... */
    in->scale_b = 0x3fc9f52f; /* 1.5777950... */
}

static uint32_t drawn(uint64_t *state)
{
    return (uint32_t)(word_random_linear(state) >> 33);
}

/* Numbers of either sign whose exponents stay the same for some instructions, and then change. Only
 * then are the sums of stretches, of 14 bits each, so far apart that an f32 addition rounds. */
static void fill_random(uint8_t *codes, uint64_t *state)
{
    for (size_t i = 0; i < GEMM_PERIOD; i++) {
        uint32_t exponent = 8;
        for (size_t k = 0; k < GEMM_K; k++) {
            if (k % STEP == 0 && drawn(state) % 8 == 0)
                exponent = 5 + drawn(state) % 7;
            codes[i * GEMM_K + k] = (uint8_t)((drawn(state) & 0x87) | (exponent - drawn(state) % 5)
                                                                          << 3);
        }
    }
}

void gemm_fill(gemm_inputs *in, int kind)
{
    uint64_t state = 20261122;
    memset(in, 0, sizeof *in);
    in->alpha = in->scale_a = in->scale_b = 0x3f800000;
    if (kind == GEMM_INTERVAL)
        fill_pairs(in, 0x20, U7, 1); /* 2^-3 */
    else if (kind == GEMM_TREE)
        fill_pairs(in, 0x08, U8, 8); /* 2^-6 */
    else if (kind == GEMM_SCALES)
        fill_scales(in);
    else {
        fill_random(in->a, &state);
        fill_random(in->b, &state);
    }
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* The factors of the sum x: alpha p, and the scales a and b; in postfix form, and as they are
 * displayed. */
static const char *const factors[GEMM_FACTORS][2] = {
    {"pa*b*x*", "((alpha*sa)*sb)*sum"}, {"pb*a*x*", "((alpha*sb)*sa)*sum"},
    {"ab*p*x*", "((sa*sb)*alpha)*sum"}, {"ab*x*p*", "((sa*sb)*sum)*alpha"},
    {"xp*ab**", "(sum*alpha)*(sa*sb)"}, {"xa*pb**", "(sum*sa)*(alpha*sb)"},
    {"xb*pa**", "(sum*sb)*(alpha*sa)"}, {"pa*x*b*", "((alpha*sa)*sum)*sb"},
    {"pb*x*a*", "((alpha*sb)*sum)*sa"}, {"xa*b*p*", "((sum*sa)*sb)*alpha"},
    {"xa*p*b*", "((sum*sa)*alpha)*sb"}, {"xb*a*p*", "((sum*sb)*sa)*alpha"},
    {"xb*p*a*", "((sum*sb)*alpha)*sa"}, {"xp*a*b*", "((sum*alpha)*sa)*sb"},
    {"xp*b*a*", "((sum*alpha)*sb)*sa"},
};

static uint32_t multiplied(const char *order, const gemm_inputs *in, uint32_t sum)
{
    uint32_t stack[4];
    size_t depth = 0;
    for (; *order; order++) {
        if (*order == '*') {
            depth--;
            stack[depth - 1] = sf8_f32_mul(stack[depth - 1], stack[depth]);
        } else {
            stack[depth++] = *order == 'x'   ? sum
                             : *order == 'p' ? in->alpha
                             : *order == 'a' ? in->scale_a
                                             : in->scale_b;
        }
    }
    return stack[0];
}

/* A lowered unit adds c separately in any case, so that stretches of one instruction are a
 * chain. */
static int is_another(const gemm_order *o)
{
    size_t part = STEPS / o->splits;
    if (o->promote == 0)
        return 1;
    return part % o->promote == 0 && (o->promote > 1 || strcmp(o->unit, "hopper-mma-fp8") != 0);
}

int gemm_order_at(size_t i, int kind, gemm_order *order)
{
    static const char *const units[] = {"hopper-qgmma", "hopper-mma-fp8"};
    static const size_t promotes[] = {0, 1, 2, 4, 8, 16, 32}, splits[] = {1, 2, 4, 8};
    gemm_order o = {units[0], 0, 1, 0};
    if (kind == GEMM_SCALES) { /* one instruction's sum alone */
        o.factors = (uint32_t)i;
        *order = o;
        return i < GEMM_FACTORS;
    }
    for (size_t unit = 0; unit < 2; unit++)
        for (size_t split = 0; split < 4; split++)
            for (size_t promote = 0; promote < 7; promote++) {
                o.unit = units[unit];
                o.promote = promotes[promote];
                o.splits = splits[split];
                if (is_another(&o) && i-- == 0) {
                    *order = o;
                    return 1;
                }
            }
    return 0;
}

int gemm_expected(const char *schedule, size_t splits, gemm_order *order)
{
    const sf8_mma_schedule_row *s;
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL; i++)
        if (strcmp(s->name, schedule) == 0) {
            order->unit = s->unit;
            order->promote = s->promote;
            order->splits = splits;
            order->factors = GEMM_DOCUMENTED;
            return 1;
        }
    return 0;
}

void gemm_order_text(const gemm_order *o, int kind, char text[GEMM_TEXT])
{
    const sf8_mma_schedule_row *s;
    int other = strcmp(o->unit, "hopper-qgmma") != 0, names = 0;
    size_t used = (size_t)snprintf(text, GEMM_TEXT, "%s%s%spromote=%zu splits=%zu",
                                   other ? "unit=" : "", other ? o->unit : "", other ? " " : "",
                                   o->promote, o->splits);
    if (kind == GEMM_SCALES) {
        snprintf(text, GEMM_TEXT, "%s", factors[o->factors][1]);
        return;
    }
    for (size_t i = 0; (s = sf8_mma_schedule_at(i)) != NULL && used < GEMM_TEXT; i++)
        if (strcmp(s->unit, o->unit) == 0 && s->promote == o->promote && s->splits == o->splits &&
            s->scaling == SF8_MMA_UNSCALED)
            used += (size_t)snprintf(text + used, GEMM_TEXT - used, "%s%s", names++ ? ", " : " (",
                                     s->name);
    if (names && used < GEMM_TEXT)
        snprintf(text + used, GEMM_TEXT - used, ")");
}

/* ---- words ----------------------------------------------------------------------------------- */

int gemm_model(const gemm_inputs *in, const gemm_order *o, const char *out, size_t rows,
               uint32_t *d)
{
    sf8_mma unit;
    sf8_mma_schedule s = {o->promote, o->splits, SF8_MMA_UNSCALED, NULL, NULL};
    sf8_mma_operands x = {in->a, in->b, NULL, NULL};
    sf8_format to = sf8_format_named(out, NULL);
    rows = rows < GEMM_PERIOD ? rows : GEMM_PERIOD;
    if (sf8_mma_named(&unit, o->unit, SF8_E4M3, SF8_E4M3, SF8_F32) != SF8_OK ||
        sf8_mma_matmul(&unit, &s, d, NULL, x, rows, GEMM_PERIOD, GEMM_K) != SF8_OK)
        return 0;
    for (size_t i = 0; i < rows * GEMM_PERIOD; i++) {
        d[i] = multiplied(factors[o->factors][0], in, d[i]);
        if (sf8_format_bits(to) != 32)
            d[i] = (uint32_t)sf8_convert(to, SF8_F32, d[i], SF8_OCP_NOSAT);
    }
    return 1;
}

uint64_t gemm_differ(const uint32_t *d, size_t rows, size_t columns, const uint32_t *right,
                     size_t *first)
{
    uint64_t differ = 0;
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++) {
            size_t at = row * columns + column;
            if (d[at] == right[row % GEMM_PERIOD * GEMM_PERIOD + column % GEMM_PERIOD])
                continue;
            if (differ++ == 0)
                *first = at;
        }
    return differ;
}

void gemm_try(gemm_found *found, const gemm_order *o, const uint32_t *words, const uint32_t *d,
              size_t rows, size_t columns)
{
    size_t first;
    uint64_t differ = gemm_differ(d, rows, columns, words, &first);
    if (found->tried++ == 0 || differ < found->best_differ) {
        found->best = *o;
        found->best_differ = differ;
    }
    if (differ == 0 && found->fits++ < GEMM_FITS)
        found->fit[found->fits - 1] = *o;
}

int gemm_identify(const gemm_inputs *in, int kind, const char *out, const uint32_t *d, size_t rows,
                  size_t columns, gemm_found *found)
{
    uint32_t *words = malloc(GEMM_WORDS * sizeof words[0]);
    gemm_order o;
    memset(found, 0, sizeof *found);
    for (size_t i = 0; words && gemm_order_at(i, kind, &o); i++) {
        if (gemm_model(in, &o, out, rows, words))
            gemm_try(found, &o, words, d, rows, columns);
    }
    free(words);
    return words != NULL;
}

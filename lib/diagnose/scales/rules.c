/* SPDX-License-Identifier: MIT */
/* rules.c -- programs that a kernel may compute for a scale instead of that of its recipe */
#include "diagnose/scales/scales.h"

#include <stdio.h>
#include <string.h>

#define NUMBER(word)                                                                               \
    {                                                                                              \
        SF8_TERM_NUMBER, word                                                                      \
    }
#define OPERATION(op)                                                                              \
    {                                                                                              \
        SF8_TERM_##op, 0                                                                           \
    }
#define F32_ONE 0x3f800000u
#define F32_SQRT2 0x3fb504f3u       /* 1.41421354 */
#define F32_FOUR_THIRDS 0x3faaaaabu /* times this, 1.5 is 2: the next power */

/* ---- changed programs ------------------------------------------------------------------------ */

/* Replaces terms. 0 if the result has no room on the stack, or in the program. */
static int splice(sf8_program *p, int32_t at, int32_t removed, const sf8_term *terms, int32_t count)
{
    int32_t depth = 0, after = p->count - at - removed;
    if (p->count - removed + count > SF8_PROGRAM_TERMS)
        return 0;
    memmove(p->term + at + count, p->term + at + removed, (size_t)after * sizeof *terms);
    memcpy(p->term + at, terms, (size_t)count * sizeof *terms);
    p->count += count - removed;
    for (int32_t i = 0; i < p->count; i++) {
        depth += 1 - sf8_term_operands(p->term[i].op);
        if (depth < 1 || depth > SF8_PROGRAM_STACK)
            return 0;
    }
    return depth == 1;
}

static int is_amax(const sf8_term *t)
{
    return t->op == SF8_TERM_VARIABLE && t->word == SF8_VAR_amax;
}

int scales_behind_amax(sf8_program *by, const sf8_term *more, int32_t count)
{
    int good = 1;
    for (int32_t i = by->count - 1; i >= 0; i--)
        if (is_amax(&by->term[i]))
            good = good && splice(by, i + 1, 0, more, count);
    return good;
}

int scales_behind(sf8_program *by, const sf8_term *more, int32_t count)
{
    return splice(by, by->count, 0, more, count);
}

uint32_t *scales_divisor(sf8_program *by)
{
    sf8_term *last = by->term + by->count - 1;
    return by->count > 2 && last->op == SF8_TERM_DIV && last[-1].op == SF8_TERM_NUMBER
               ? &last[-1].word
               : NULL;
}

/* ---- global scales --------------------------------------------------------------------------- */

const char *scales_global_at(size_t i, uint32_t g, uint32_t *other)
{
    static const char *const words[] = {"inverted", "not applied", "applied twice"};
    const uint32_t globals[] = {sf8_f32_div(F32_ONE, g), F32_ONE, sf8_f32_mul(g, g)};
    if (i >= sizeof words / sizeof words[0])
        return NULL;
    *other = globals[i];
    return words[i];
}

/* ---- the list -------------------------------------------------------------------------------- */

typedef struct lister {
    const sf8_recipe *recipe;
    scales_rule *list;
    size_t count;
} lister;

static void add(lister *l, const sf8_program *by, int is_good, const char *words)
{
    if (!is_good || l->count == SCALES_RULES ||
        (by->count == l->recipe->scale_of.count &&
         memcmp(by->term, l->recipe->scale_of.term, (size_t)by->count * sizeof *by->term) == 0))
        return;
    scales_rule *rule = &l->list[l->count++];
    rule->by = *by;
    snprintf(rule->words, sizeof rule->words, "%s", words);
}

static void add_roundings(lister *l)
{
    static const struct {
        sf8_term by;
        const char *amax, *scale;
    } formats[] = {{OPERATION(BF16), "amax is rounded to bf16", "the scale is rounded to bf16"},
                   {OPERATION(F16), "amax is rounded to f16", "the scale is rounded to f16"}};
    for (size_t i = 0; i < 2; i++) {
        sf8_program by = l->recipe->scale_of;
        add(l, &by, scales_behind_amax(&by, &formats[i].by, 1), formats[i].amax);
        by = l->recipe->scale_of;
        add(l, &by, scales_behind(&by, &formats[i].by, 1), formats[i].scale);
    }
}

static int is(const sf8_program *p, int32_t at, uint32_t op)
{
    return at >= 0 && at < p->count && p->term[at].op == op;
}

static int is_one(const sf8_program *p, int32_t at)
{
    return is(p, at, SF8_TERM_NUMBER) && p->term[at].word == F32_ONE;
}

/* A division by a number, and a product with its reciprocal. */
static void add_divisions(lister *l)
{
    const sf8_program *p = &l->recipe->scale_of;
    char words[SCALES_WORDS];
    for (int32_t i = 1; i + 1 < p->count; i++) {
        sf8_program by = *p;
        uint32_t word = p->term[i].word;
        double n = sf8_f32_from_bits(word);
        if (!is(p, i, SF8_TERM_NUMBER))
            continue;
        if (is(p, i + 1, SF8_TERM_DIV) && !is_one(p, i - 1)) {
            const sf8_term terms[] = {NUMBER(F32_ONE), NUMBER(word), OPERATION(DIV),
                                      OPERATION(MUL)};
            snprintf(words, sizeof words, "multiplies by 1 / %.9g instead of dividing by %.9g", n,
                     n);
            add(l, &by, splice(&by, i, 2, terms, 4), words);
        }
        int reciprocal = is(p, i + 1, SF8_TERM_RCP) || is(p, i + 1, SF8_TERM_RCP_NEAR);
        int quotient = is_one(p, i - 1) && is(p, i + 1, SF8_TERM_DIV);
        if ((reciprocal || quotient) && is(p, i + 2, SF8_TERM_MUL)) {
            const sf8_term terms[] = {NUMBER(word), OPERATION(DIV)};
            by = *p;
            snprintf(words, sizeof words, "divides by %.9g instead of multiplying by 1 / %.9g", n,
                     n);
            add(l, &by, splice(&by, i - quotient, 3 + quotient, terms, 2), words);
        }
    }
    sf8_program by = *p; /* amax / n, also of amax that is not below a number */
    const uint32_t *n = scales_divisor(&by);
    int is_floored = by.count == 5 && is(p, 1, SF8_TERM_NUMBER) &&
                     (is(p, 2, SF8_TERM_MAX) || is(p, 2, SF8_TERM_NAN_MAX));
    if (n && p->count > 0 && is_amax(&p->term[0]) && (by.count == 3 || is_floored)) {
        const sf8_term first[] = {NUMBER(F32_ONE), NUMBER(*n)},
                       last[] = {OPERATION(DIV), OPERATION(DIV)};
        snprintf(words, sizeof words,
                 "takes the reciprocal of %.9g / amax instead of dividing by %.9g",
                 (double)sf8_f32_from_bits(*n), (double)sf8_f32_from_bits(*n));
        add(l, &by, splice(&by, by.count - 2, 2, last, 2) && splice(&by, 0, 0, first, 2), words);
    }
}

/* Powers of two, for elements with a largest number. */
static void add_powers(lister *l)
{
    static const struct {
        uint32_t by, op;
        const char *words;
    } powers[] = {
        {0, SF8_TERM_EXPONENT, "rounded down to a power of two"},
        {0, SF8_TERM_EXP_UP, "rounded up to a power of two"},
        {F32_SQRT2, SF8_TERM_EXPONENT, "rounded to the power of two that is nearest in log2"},
        {F32_FOUR_THIRDS, SF8_TERM_EXPONENT, "rounded to the nearest power of two"}};
    const sf8_recipe *r = l->recipe;
    const sf8_term amax = {SF8_TERM_VARIABLE, SF8_VAR_amax};
    int is_float = r->scale.exp_bits == 8 && (r->scale.man_bits == 23 || r->scale.man_bits == 0);
    if (r->integer || !is_float)
        return;
    uint32_t most = (uint32_t)sf8_convert(SF8_F32, r->element, sf8_format_max(r->element),
                                          SF8_OCP_NOSAT);
    char words[SCALES_WORDS];
    int32_t exponent = (int32_t)(most >> 23) - 127;
    sf8_program by = {0, {{0, 0}}};
    const sf8_term below[] = {amax, OPERATION(EXPONENT), NUMBER(sf8_f32_of(exponent)),
                              OPERATION(SUB), OPERATION(POW2)};
    snprintf(words, sizeof words, "the scale is the power of two below amax, divided by 2^%d",
             (int)exponent);
    add(l, &by, splice(&by, 0, 0, below, 5), words);
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        const sf8_term first[] = {amax, NUMBER(most), OPERATION(DIV)},
                       factor[] = {NUMBER(powers[i].by), OPERATION(MUL)},
                       last[] = {{powers[i].op, 0}, OPERATION(POW2)};
        by = (sf8_program){0, {{0, 0}}};
        (void)splice(&by, 0, 0, first, 3);
        if (powers[i].by)
            (void)scales_behind(&by, factor, 2);
        snprintf(words, sizeof words, "the scale is amax / %.9g, %s",
                 (double)sf8_f32_from_bits(most), powers[i].words);
        add(l, &by, scales_behind(&by, last, 2), words);
    }
}

/* The same, of amax that is rounded to bf16 or f16. */
static void add_pairs(lister *l)
{
    static const struct {
        sf8_term by;
        const char *words;
    } formats[] = {{OPERATION(BF16), "amax is rounded to bf16"},
                   {OPERATION(F16), "amax is rounded to f16"}};
    size_t count = l->count;
    char words[SCALES_WORDS];
    for (size_t f = 0; f < 2; f++)
        for (size_t i = 0; i < count; i++) {
            if (strncmp(l->list[i].words, "amax is", 7) == 0)
                continue;
            sf8_program by = l->list[i].by;
            snprintf(words, sizeof words, "%s; %.*s", formats[f].words, SCALES_WORDS - 40,
                     l->list[i].words);
            add(l, &by, scales_behind_amax(&by, &formats[f].by, 1), words);
        }
}

size_t scales_rules(const sf8_recipe *recipe, scales_rule list[SCALES_RULES])
{
    lister l = {recipe, list, 0};
    add_roundings(&l);
    add_divisions(&l);
    add_powers(&l);
    add_pairs(&l);
    return l.count;
}

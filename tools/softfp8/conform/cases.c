/* SPDX-License-Identifier: MIT */
/* cases.c -- the operands that `gen` writes, in order */
#include "conform/cases.h"

#include <stdlib.h>
#include <string.h>

int critical_exists(const sf8_function *function)
{
    return function->op == SF8_OP_CONVERT && sf8_format_bits(function->result.format) <= 20;
}

/* ---- random words ---------------------------------------------------------------------------- */

static uint64_t random_word(cases *c)
{
    return word_random(&c->state);
}

static uint64_t low_bits(int bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* A run of ones, as sums of which telling significands are made. */
static uint64_t random_run(cases *c, int bits)
{
    uint64_t r = random_word(c);
    int n = (int)(r % (unsigned)bits) + 1, at = (int)((r >> 32) % (unsigned)bits);
    return low_bits(n) << at;
}

/* Half of the words uniform; half with a sparse or dense significand, and of these half with an
 * exponent near the middle, where operands meet. */
static uint64_t random_operand(cases *c, const sf8_word *word)
{
    uint64_t r = random_word(c), choice = random_word(c);
    if (choice & 1)
        return r & low_bits(word->bits);
    uint64_t runs = random_run(c, word->bits) + random_run(c, word->bits);
    if (word->kind != SF8_WORD_FLOAT)
        return (choice & 2 ? runs : r >> (choice >> 2 & 63)) & low_bits(word->bits);
    sf8_format f = word->format;
    uint64_t sign_and_field = r & low_bits(word->bits) & ~low_bits(f.man_bits);
    if (choice & 2) {
        uint64_t field = (uint64_t)(int64_t)f.bias + (r >> 40) % 8 - 4;
        sign_and_field = (sign_and_field & sf8_format_sign_bit(f)) |
                         ((field << f.man_bits) & sf8_format_mag_mask(f));
    }
    return sign_and_field | (runs & low_bits(f.man_bits));
}

/* ---- systematic words ------------------------------------------------------------------------ */

/* All zeros, all ones, the last bit, all but the last: level 1. One bit moving up, ones from the
 * top or from the bottom, a zero moving up: level 2. */
static void add_patterns(word_set *set, uint64_t high, int bits, int level)
{
    uint64_t all = low_bits(bits);
    word_set_add(set, high);
    word_set_add(set, high | all);
    word_set_add(set, high | (1 & all));
    word_set_add(set, high | (all & ~UINT64_C(1)));
    for (int i = 0; level > 1 && i < bits; i++) {
        word_set_add(set, high | UINT64_C(1) << i);
        word_set_add(set, high | low_bits(i));
        word_set_add(set, high | (all & ~low_bits(i)));
        word_set_add(set, high | (all & ~(UINT64_C(1) << i)));
    }
}

/* Exponent fields: the ends, around the bias, around bias plus precision; all of them if asked. */
static void add_float_patterns(word_set *set, sf8_format f, int level, int all_fields)
{
    int64_t last = (int64_t)(sf8_format_mag_mask(f) >> f.man_bits), bias = f.bias;
    const int64_t fields[] = {0,
                              1,
                              2,
                              last - 2,
                              last - 1,
                              last,
                              bias - 2,
                              bias - 1,
                              bias,
                              bias + 1,
                              bias + 2,
                              bias - f.man_bits - 1,
                              bias + f.man_bits,
                              bias + f.man_bits + 1};
    int64_t count = all_fields ? last + 1 : (int64_t)(sizeof fields / sizeof fields[0]);
    for (int64_t i = 0; i < count; i++) {
        int64_t field = all_fields ? i : fields[i];
        if (field < 0 || field > last)
            continue;
        for (uint64_t sign = 0; sign <= f.is_signed; sign++)
            add_patterns(set, sign << sf8_format_mag_bits(f) | (uint64_t)field << f.man_bits,
                         f.man_bits, level);
    }
}

static void make_set(cases *c, int i)
{
    const sf8_function *f = &c->function;
    const sf8_word *word = &f->operand[i];
    word_set set = {NULL, 0, 0, low_bits(word->bits)};
    int alone = f->operands == 1;
    if (alone && critical_exists(f))
        word_set_add_critical(&set, word->format, f->result.format);
    if (f->op == SF8_OP_TO_INTEGER)
        word_set_add_half_integers(&set, word->format, f->result.bits);
    if (word->kind == SF8_WORD_FLOAT) {
        if (!alone || !critical_exists(f) || c->options.level > 1)
            add_float_patterns(&set, word->format, alone ? 2 : c->options.level, alone);
    } else {
        word_set_add_integers(&set, word->bits);
        if (f->result.kind == SF8_WORD_FLOAT)
            word_set_add_integer_boundaries(&set, f->result.format);
    }
    word_set_sort(&set);
    c->set[i].words = set.words;
    c->set[i].count = set.count;
}

/* ---- the sequence ---------------------------------------------------------------------------- */

/* How many random cases come before each systematic one; the numbers are TestFloat's. */
static int random_between(const cases *c)
{
    static const int at_level_1[] = {2, 5, 8};
    if (c->whole || c->options.critical ||
        (c->function.operands == 1 && critical_exists(&c->function)))
        return 0;
    return c->options.level == 1 ? at_level_1[c->function.operands - 1] : 1;
}

int cases_operands(const cases *c)
{
    return c->function.operands + c->options.random;
}

void cases_rewind(cases *c)
{
    c->given = c->systematic = 0;
    c->wait = random_between(c);
    c->state = c->options.seed;
}

cases *cases_open(const sf8_function *function, cases_options options)
{
    cases *c = allocate(1, sizeof *c);
    c->function = *function;
    c->options = options;
    int bits = 0;
    for (int i = 0; i < function->operands; i++)
        bits += function->operand[i].bits;
    if (options.critical && !critical_exists(function))
        fail("%s has no critical set; only conversions to formats of up to 20 bits have one",
             function->name);
    c->whole = bits <= 24 && !options.critical;
    c->options.level = options.critical ? 1 : options.level;
    uint64_t systematic = 1;
    for (int i = 0; i < function->operands; i++) {
        c->set[i].count = UINT64_C(1) << (function->operand[i].bits & 63);
        if (!c->whole)
            make_set(c, i);
        systematic *= c->set[i].count;
    }
    cases_rewind(c);
    c->least = systematic * (uint64_t)(1 + c->wait);
    return c;
}

static void systematic_case(cases *c, uint64_t operands[4])
{
    uint64_t rest = c->systematic++;
    for (int i = c->function.operands - 1; i >= 0; i--) {
        uint64_t k = rest % c->set[i].count;
        rest /= c->set[i].count;
        operands[i] = c->set[i].words ? c->set[i].words[k] : k;
    }
}

void cases_next(cases *c, uint64_t operands[4])
{
    if (c->given++ < c->least && c->wait == 0) {
        systematic_case(c, operands);
        c->wait = random_between(c);
    } else {
        c->wait -= c->wait > 0;
        for (int i = 0; i < c->function.operands; i++)
            operands[i] = random_operand(c, &c->function.operand[i]);
    }
    if (c->options.random)
        operands[c->function.operands] = random_word(c) & UINT32_MAX;
}

void cases_seek(cases *c, uint64_t index)
{
    uint64_t operands[4];
    if (index < c->given)
        cases_rewind(c);
    if (random_between(c) == 0 && c->given < c->least) { /* the generator only gives random words */
        uint64_t n = (index < c->least ? index : c->least) - c->given;
        c->given += n;
        c->systematic += n;
        c->state += c->options.random ? n * WORD_RANDOM_STEP : 0;
    }
    while (c->given < index)
        cases_next(c, operands);
}

void cases_close(cases *c)
{
    for (int i = 0; i < 3; i++)
        free(c->set[i].words);
    free(c);
}

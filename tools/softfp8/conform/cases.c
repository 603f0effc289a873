/* SPDX-License-Identifier: MIT */
/* cases.c -- the operands that `gen` writes, in order */
#include "conform/cases.h"
#include "vectors/hash_set.h"
#include "vectors/kinds.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An operation on two or three numbers, whose critical set is chosen by tags. */
static int is_chosen(const sf8_function *function)
{
    return function->operands > 1 && function->op < SF8_OP_COUNT;
}

int critical_exists(const sf8_function *function)
{
    return is_chosen(function) ||
           (function->op == SF8_OP_CONVERT && sf8_format_bits(function->result.format) <= 20);
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

/* ---- the critical set of an operation -------------------------------------------------------- */

/* How many cases are looked at, and how many are taken of those with the same tags. */
enum { CHOICE_TRIED = 1 << 17, CHOICE_ALIKE = 6 };

static uint64_t mixed(uint64_t a, uint64_t b)
{
    uint64_t state = a ^ (b * UINT64_C(0x9e3779b97f4a7c15));
    return word_random(&state);
}

/* How many binades the result of a sum is below its last term, up to 3: more where terms cancel. */
static uint64_t cancelled(const sf8_function *f, uint64_t term, uint64_t result)
{
    if (f->op != SF8_OP_add && f->op != SF8_OP_sub && f->op != SF8_OP_mulAdd)
        return 0;
    sf8_format of = f->result.format;
    uint64_t from = (term & sf8_format_mag_mask(of)) >> of.man_bits,
             to = (result & sf8_format_mag_mask(of)) >> of.man_bits;
    return from <= to ? 0 : from - to < 3 ? from - to : 3;
}

/* Whether a case shows something new: its tags, with the signs of operands and result, and how much
 * of a sum cancels; or a word of an operand of 8 bits or less. */
static int is_new(hash_set *seen, const sf8_function *f, const uint64_t operands[3],
                  uint64_t result, vector_tags tags)
{
    uint64_t key = mixed(tags, (result >> (f->result.bits - 1)) & 1);
    int is = 0;
    key = mixed(key, cancelled(f, operands[f->operands - 1], result));
    for (int i = 0; i < f->operands; i++) {
        int bits = f->operand[i].bits;
        key = mixed(key, (operands[i] >> (bits - 1)) & 1);
        if (bits <= 8)
            is |= hash_set_add(seen, mixed((uint64_t)i + 1, operands[i]) | 2);
    }
    for (uint64_t k = 0; k < CHOICE_ALIKE && !is; k++)
        is = hash_set_add(seen, mixed(key, k + 4) | 2);
    return is;
}

/* The set is the same for every policy and seed: the policy `ocp` says what a case is worth. */
static void choose_cases(cases *c)
{
    const sf8_function *f = &c->function;
    vector_group g;
    vector_case one;
    hash_set seen = {0}, drawn = {0};
    size_t room = 0;
    memset(&one, 0, sizeof one);
    group_begin(&g, kind_of_function(f));
    snprintf(g.head[0], sizeof g.head[0], "%s", f->name);
    snprintf(g.head[1], sizeof g.head[1], "ocp");
    if (g.kind->open(&g))
        fail("%s has no critical set", f->name);
    for (int k = 0; k < CHOICE_TRIED; k++) {
        uint64_t operands[3] = {0}, key = 1;
        for (int i = 0; i < f->operands; i++) {
            operands[i] = random_operand(c, &f->operand[i]);
            key = mixed(key, operands[i]);
            words_resize(&one.field[i], 1);
            one.field[i].word[0] = operands[i];
        }
        if (!hash_set_add(&drawn, key | 2))
            continue;
        g.kind->run(&g, &one);
        if (!is_new(&seen, f, operands, one.field[f->operands].word[0], g.kind->tags(&g, &one)))
            continue;
        c->chosen = grow(c->chosen, c->chosen_count, &room, sizeof *c->chosen);
        memcpy(c->chosen[c->chosen_count++], operands, sizeof operands);
    }
    case_free(&one);
    free(seen.hash);
    free(drawn.hash);
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
        fail("%s has no critical set; operations on two or three numbers have one, and conversions "
             "to "
             "formats of up to 20 bits",
             function->name);
    c->whole = bits <= 24 && !options.critical;
    c->options.level = options.critical ? 1 : options.level;
    uint64_t systematic = 1;
    if (options.critical && is_chosen(function)) {
        choose_cases(c);
        systematic = c->chosen_count;
    }
    for (int i = 0; i < function->operands && !c->chosen; i++) {
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
    if (c->chosen) {
        memcpy(operands, c->chosen[rest], sizeof *c->chosen);
        return;
    }
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
    free(c->chosen);
    free(c);
}

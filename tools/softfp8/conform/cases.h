/* SPDX-License-Identifier: MIT */
/* cases.h -- the operands that `gen` writes, in order
 *
 * Where all operands of a function have 24 bits or less together the cases are all of them, the
 * first operand slowest: a whole table. Else there is a systematic part, and after each of its
 * cases some random ones:
 *   one operand, wide: the critical set, every boundary of the target and its neighbours, with the
 *       powers of two and the special words of the source; at level 2 also bit patterns
 *   two or three: all combinations of words made of telling exponents and bit patterns; the
 *       critical set has a few cases for each set of tags (vectors/tags.h) that occurs
 * Random words come from a generator of our own, so that a seed gives the same cases everywhere.
 */
#ifndef SOFTFP8_CASES_H
#define SOFTFP8_CASES_H

#include "cli/cli.h"
#include "suite/input_sets.h"

typedef struct cases_options {
    int level;    /* 1 or 2 */
    int critical; /* only the critical set, also of a source that has a whole table */
    int random;   /* one more operand, a random word of 32 bits, for stochastic rounding */
    uint64_t seed;
} cases_options;

typedef struct cases {
    sf8_function function;
    cases_options options;
    int whole;      /* the systematic part is every combination */
    uint64_t least; /* the number of cases, before it goes on at random */
    uint64_t given;
    uint64_t systematic; /* index of the next systematic case */
    int wait;            /* random cases to come before it */
    uint64_t state;      /* of the generator */
    struct {
        uint64_t *words; /* NULL: all words of the operand's width */
        uint64_t count;
    } set[3];
    uint64_t (*chosen)[3]; /* of an operation: the critical set; or NULL */
    size_t chosen_count;
} cases;

/* Fails where a function has no such set. */
cases *cases_open(const sf8_function *function, cases_options options);
/* The next case, endlessly: operands, and with options.random the random word after them. */
void cases_next(cases *c, uint64_t operands[4]);
/* Back to the first. */
void cases_rewind(cases *c);
/* Makes the case with this index, from 0, the next one. Cases in between that need random words are
 * drawn; others are skipped. */
void cases_seek(cases *c, uint64_t index);
void cases_close(cases *c);
/* The number of operands with the random word. */
int cases_operands(const cases *c);

/* 0 if there is none: a conversion to more than 20 bits, or a function of one number that is no
 * conversion. */
int critical_exists(const sf8_function *function);

#endif

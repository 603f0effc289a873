/* SPDX-License-Identifier: MIT */
/* input_sets.h -- sets of inputs: the critical set of a conversion, patterns of integers */
#ifndef SOFTFP8_CONFORM_INPUT_SETS_H
#define SOFTFP8_CONFORM_INPUT_SETS_H

#include "base/random.h"
#include "softfp8.h"

/* A set under construction; { NULL, 0, 0, mask } is empty. Ends the program if memory is
 * exhausted. */
typedef struct word_set {
    uint64_t *words;
    size_t count, room;
    uint64_t mask;
} word_set;

void word_set_add(word_set *set, uint64_t word);
/* word - 1, word, word + 1 and word + 2 */
void word_set_around(word_set *set, uint64_t word);
/* Sorted, each once. */
void word_set_sort(word_set *set);

/* Every boundary of a conversion and its neighbours, with both signs, and the special values. */
void word_set_add_critical(word_set *set, sf8_format from, sf8_format to);
/* Zero, powers of two, the largest, infinity, kinds of NaN, both signs. */
void word_set_add_specials(word_set *set, sf8_format from);
/* Sums and differences of two powers of two, with their neighbours, and their negatives. */
void word_set_add_integers(word_set *set, int bits);
/* The integers at each boundary of a format of up to 20 bits, and their neighbours. */
void word_set_add_integer_boundaries(word_set *set, sf8_format to);
/* The floats at which a conversion to an integer of `width` bits can change: integers and the
 * midpoints between them, small ones, those at powers of two and at the ends, with their
 * neighbours, with both signs; and the special values. */
void word_set_add_half_integers(word_set *set, sf8_format from, int bits);
/* The value with its exponent field moved to within 16 of that of one. */
void word_set_add_near_one(word_set *set, sf8_format f, uint64_t word);

#endif

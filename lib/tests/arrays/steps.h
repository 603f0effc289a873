/* SPDX-License-Identifier: MIT */
/* steps.h -- an array of all inputs at which a conversion changes its result */
#ifndef SF8_TEST_ARRAYS_STEPS_H
#define SF8_TEST_ARRAYS_STEPS_H

#include "arrays/arrays.h"

enum { MOST = 1 << 16 };

typedef struct words {
    size_t n, width;
    uint64_t word[MOST];
    uint8_t room[MOST];
} words;

static inline void add_word(words *w, uint64_t word)
{
    if (w->n < MOST)
        set_element(w->word, w->n++, w->width, word);
}

static inline void add_neighbours(words *w, uint64_t word)
{
    for (uint64_t near = 0; near < 5; near++)
        add_word(w, word + near - 2);
}

/* Every step with its neighbours, both ends of every exponent, and random inputs. */
static inline void check_steps(const job *j, void *data)
{
    words *w = data;
    sf8_steps walk;
    sf8_step row;
    int32_t man_bits = j->from.man_bits;
    uint64_t exponents = (uint64_t)1 << (sf8_format_bits(j->from) - man_bits);
    w->n = 0;
    w->width = width_of(j->from);
    cr_assert(sf8_steps_begin(&walk, j->from, j->to, j->policy, 0) == SF8_OK);
    while (sf8_steps_next(&walk, &row))
        add_neighbours(w, row.first);
    for (uint64_t exponent = 0; exponent < exponents; exponent++) {
        add_word(w, exponent << man_bits);
        add_word(w, (exponent << man_bits) - 1);
        add_word(w, exponent << man_bits | (uint64_t)1 << (man_bits - 1));
    }
    for (size_t i = 0; i < 500; i++)
        add_word(w, pseudo_random() | (uint64_t)pseudo_random() << 32);
    cr_assert(w->n < MOST);
    check_array(j, w->word, w->n, w->room);
}

#endif

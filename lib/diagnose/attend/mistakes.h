/* SPDX-License-Identifier: MIT */
/* mistakes.h -- the mistakes with attention that can be named: a row for each */
#ifndef SOFTFP8_DIAGNOSE_ATTEND_MISTAKES_H
#define SOFTFP8_DIAGNOSE_ATTEND_MISTAKES_H

#include "diagnose/attend/attend.h"

/* What a mistake changes. Two that change the same do not come together. */
typedef enum attend_field {
    ATTEND_OF_K_SCALE = 1 << 0,
    ATTEND_OF_V_SCALE = 1 << 1,
    ATTEND_OF_SCALES = 3,
    ATTEND_OF_SCORES = 1 << 2,
    ATTEND_OF_MASK = 1 << 3,
    ATTEND_OF_WINDOW = 1 << 4,
    ATTEND_OF_CAP = 1 << 5,
    ATTEND_OF_SINKS = 1 << 6,
    ATTEND_OF_K_HEADS = 1 << 7,
    ATTEND_OF_KEYS = 1 << 8, /* which take part */
    ATTEND_OF_PAGES = 1 << 9,
    ATTEND_OF_SIDES = 1 << 10,
    ATTEND_OF_Q = 1 << 11, /* elements: clipped or rounded */
    ATTEND_OF_K = 1 << 12,
    ATTEND_OF_V = 1 << 13,
    ATTEND_OF_KV = ATTEND_OF_K | ATTEND_OF_V,
    ATTEND_OF_OUT = 1 << 14,
    ATTEND_OF_ROWS = 1 << 15,
    ATTEND_OF_WEIGHTS = 1 << 16,
    ATTEND_OF_ORDER = 1 << 17,
    ATTEND_OF_Q_SCALE = 1 << 18,
    ATTEND_OF_QK_SCALES = ATTEND_OF_Q_SCALE | ATTEND_OF_K_SCALE,
    ATTEND_OF_ALL_SCALES = ATTEND_OF_Q_SCALE | ATTEND_OF_SCALES,
    ATTEND_OF_BASE = 1 << 19, /* of the exponential: a factor of scores too */
    ATTEND_OF_V_HEADS = 1 << 20,
    ATTEND_OF_HEADS = ATTEND_OF_K_HEADS | ATTEND_OF_V_HEADS,
    ATTEND_OF_K_DIMS = 1 << 21, /* elements of a head that are used */
    ATTEND_OF_V_DIMS = 1 << 22,
    ATTEND_OF_DIMS = ATTEND_OF_K_DIMS | ATTEND_OF_V_DIMS
} attend_field;

/* `name` is short and stays; `text` is a sentence's subject. What `number` means depends on the
 * field. */
typedef struct attend_mistake {
    const char *name, *text;
    attend_field field;
    int kind;
    double number[3];
} attend_mistake;

enum { ATTEND_MISTAKES_MOST = 192 };

/* The kind of elements that are stored in the first way of stores.h; others follow. */
enum { ATTEND_STORED = 16 };
/* Whether a mistake is so rare that it comes with no other. */
int attend_is_rare(const attend_mistake *m);

/* Those that a request can have: how many. */
size_t attend_mistakes_of(const attend_problem *r, attend_mistake list[ATTEND_MISTAKES_MOST]);

/* One mistake, or two together, and what they change. */
typedef struct attend_guess {
    attend_mistake of[ATTEND_TOGETHER];
    size_t count;
    attend_change change;
} attend_guess;

/* A guess with one more mistake; 0 if they do not go together. */
int attend_guess_add(const attend_problem *r, attend_guess *guess, const attend_mistake *one);
/* How weights may be rounded, in tiles of number[0] keys, descending if number[1] is 1: the i-th
 * way; 0 past the end. One without a text is no mistake. */
int attend_weights_at(size_t i, attend_mistake *one);
/* The mistake that an order makes of itself, when it rounds weights or its output to 8 bits; NULL
 * if it makes none. */
const char *attend_loss_of_order(const sf8_attend_order *o);
/* In words; fields are of `order`. */
void attend_guess_text(const attend_guess *guess, const sf8_attend_order *order,
                       char text[ATTEND_TEXT]);

#endif

/* SPDX-License-Identifier: MIT */
/* ver.h -- one run of `ver`: what is checked, and what was found */
#ifndef SOFTFP8_VER_H
#define SOFTFP8_VER_H

#include "files/testfloat.h"

typedef struct verification {
    testfloat t;
    const char *name; /* of the function as given, or NULL */
    int steps, json, in_order, partial;
    int check_nans, check_integers; /* -1: as the function asks */
    uint64_t most_errors;           /* 0: no limit */
    sf8_function function;
    sf8_policy policy;
    const char *base; /* the named policy under it */
    int stochastic;
    char title[1536];
    layout layout;
    cases *cases;
    vector_reader reader;
    output *out;
    uint64_t tests, errors;
    unsigned char *seen; /* a bit for each case of a whole table */
    uint64_t distinct;
} verification;

/* Policy, strictness and title, once the function is known. */
void ver_prepare(verification *v);
/* Counts an error, with the headline before the first: 1 if it is the last to be shown. */
int ver_error(verification *v);
/* The line of an error; `more` is put at its end. */
void ver_result(verification *v, const uint64_t *operands, const sf8_result *found,
                const sf8_result *right, const char *more);
char *ver_operands(char *at, const verification *v, const uint64_t *operands);
/* Checks the step table v->t.path at every input. */
void verify_steps(verification *v);
/* Whether a path is that of a JSON file. */
int ver_is_json(const char *path);
/* Checks the JSON file v->t.path. */
void verify_json(verification *v);

#endif
